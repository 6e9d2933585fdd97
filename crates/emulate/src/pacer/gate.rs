//! What a fault takes from a device with one arm: while it is at a request for longer than the model knows, it does nothing else.
//!
//! The model goes on meanwhile. So what it had when that began comes back as much later, and what arrives waits outside until all of that
//! has, and the device is free. A device without an arm does others at the same time: only the request itself is late there.

use super::Pending;
use petrio_time::Time;
use std::collections::VecDeque;

/// A device's.
#[derive(Default)]
pub(super) struct Gate {
    has_arm: bool,
    /// Requests that the model has.
    in_model: usize,
    /// By how much what the model has comes back later than it says.
    shift: Time,
    /// When the device was done with the last one.
    end: Time,
    waiting: VecDeque<Pending>,
}

impl Gate {
    pub(super) fn of(has_arm: bool) -> Self {
        Self { has_arm, ..Self::default() }
    }

    /// A request arrives: it is given back where the model may have it, and waits otherwise.
    pub(super) fn arrives(&mut self, pending: Pending, now: Time) -> Option<Pending> {
        if self.in_model == 0 && self.end <= now {
            self.shift = Time::ZERO;
        }
        if !self.waiting.is_empty() || self.shift > Time::ZERO {
            self.waiting.push_back(pending);
            return None;
        }
        Some(pending)
    }

    /// The model has one more.
    pub(super) const fn is_given(&mut self) {
        self.in_model += 1;
    }

    /// The model is done at `at` with a request that it had from `given` on, and a fault makes its own time `times` as long and adds what
    /// `longer` says of its end: when it comes back.
    pub(super) fn is_done(
        &mut self,
        (given, at): (Time, Time),
        times: f64,
        longer: impl FnOnce(Time) -> Time,
    ) -> Time {
        self.in_model = self.in_model.saturating_sub(1);
        let at = at.saturating_add(self.shift);
        // Before, an arm was at others.
        let begin = if self.has_arm { given.max(self.end.min(at)) } else { given };
        let own = at.saturating_sub(begin);
        let end = longer(at.saturating_add(Time::from_seconds(own.as_seconds() * (times - 1.0)))).max(at);
        if self.has_arm {
            self.shift = self.shift.saturating_add(end.saturating_sub(at));
            self.end = self.end.max(end);
        }
        end
    }

    /// When it opens for those that wait, if that is a matter of time alone.
    pub(super) fn opens(&self) -> Option<Time> {
        (!self.waiting.is_empty() && self.in_model == 0).then_some(self.end)
    }

    /// Those that waited, where it opens by now.
    pub(super) fn open(&mut self, now: Time) -> VecDeque<Pending> {
        if self.in_model > 0 || self.end > now {
            return VecDeque::new();
        }
        self.shift = Time::ZERO;
        std::mem::take(&mut self.waiting)
    }

    /// Everything that waits, for no power or model is there any more.
    pub(super) fn clear(&mut self) -> VecDeque<Pending> {
        let has_arm = self.has_arm;
        std::mem::replace(self, Self::of(has_arm)).waiting
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(milliseconds: u64) -> Time {
        Time::from_millis(milliseconds)
    }

    fn pending(number: u64) -> Pending {
        use crate::device::Kind;
        let arrival = super::super::Arrival {
            device: 0,
            arrived: ms(0),
            kind: Kind::Read,
            blocks: (number, 1),
            through: false,
            content: None,
            read: Ok(Vec::new()),
            done: Box::new(|_| {}),
        };
        Pending { arrival, decision: Default::default(), given: ms(0), mark: 0 }
    }

    fn numbers(waited: VecDeque<Pending>) -> Vec<u64> {
        waited.into_iter().map(|pending| pending.arrival.blocks.0).collect()
    }

    #[test]
    fn what_an_arm_has_still_to_do_waits_for_a_slow_request_and_what_arrives_waits_outside() {
        let mut gate = Gate::of(true);
        for number in 0..2 {
            assert!(gate.arrives(pending(number), ms(0)).is_some());
            gate.is_given();
        }
        // 4 ms of its own, five times.
        assert_eq!(gate.is_done((ms(0), ms(4)), 5.0, |at| at), ms(20));
        assert!(gate.arrives(pending(2), ms(6)).is_none());
        // The model says 10; its own time is 6 ms, and it began at 20.
        assert_eq!(gate.is_done((ms(0), ms(10)), 1.0, |at| at), ms(26));
        assert_eq!(gate.opens(), Some(ms(26)));
        assert!(gate.arrives(pending(3), ms(25)).is_none());
        assert!(numbers(gate.open(ms(25))).is_empty());
        assert_eq!(numbers(gate.open(ms(26))), [2, 3]);
        assert!(gate.arrives(pending(4), ms(27)).is_some());
        gate.is_given();
        assert_eq!(gate.is_done((ms(27), ms(29)), 2.0, |at| at), ms(31));
        // It is free again, and what comes then is as late as the model says.
        assert!(gate.arrives(pending(5), ms(31)).is_some());
        gate.is_given();
        assert_eq!(gate.is_done((ms(31), ms(33)), 1.0, |at| at), ms(33));
    }

    #[test]
    fn without_faults_or_an_arm_nobody_waits_for_another() {
        let mut gate = Gate::of(true);
        gate.is_given();
        gate.is_given();
        assert_eq!(gate.is_done((ms(0), ms(4)), 1.0, |at| at), ms(4));
        assert!(gate.arrives(pending(0), ms(5)).is_some());
        let mut flash = Gate::of(false);
        flash.is_given();
        flash.is_given();
        assert_eq!(flash.is_done((ms(0), ms(4)), 5.0, |at| at), ms(20));
        assert!(flash.arrives(pending(0), ms(5)).is_some());
        assert_eq!(flash.is_done((ms(0), ms(5)), 1.0, |at| at), ms(5));
    }

    #[test]
    fn a_stall_and_a_delay_keep_an_arm_as_well() {
        let mut gate = Gate::of(true);
        gate.is_given();
        gate.is_given();
        assert_eq!(gate.is_done((ms(0), ms(4)), 1.0, |at| at.saturating_add(ms(80))), ms(84));
        assert_eq!(gate.is_done((ms(0), ms(9)), 1.0, |at| at.max(ms(100))), ms(100));
        assert!(gate.clear().is_empty());
    }
}
