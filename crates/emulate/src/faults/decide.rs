//! What a profile decides of each request.

use super::profile::{Delay, ErrorRule, FaultProfile, LostFlushes, Of, PowerCut, SlowRegion, Stall};
use crate::device::Kind;
use petrio_colours::SECTOR_BYTES;
use petrio_distribution::Distribution;
use petrio_random::{Generator, generator, uniform};
use petrio_time::Time;
use petrio_units::Bytes;

/// What is decided of a request before it goes to the model.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Decision {
    /// It comes back with EIO.
    pub(crate) fails: bool,
    /// It comes back so much later.
    pub(crate) later: Time,
    /// How many times the model's own time it takes.
    pub(crate) times: f64,
    /// It is a flush that is answered after so long without being done.
    pub(crate) pretended: Option<Time>,
}

/// A profile at work, of one device.
pub(crate) struct Faults {
    delays: Vec<(Delay, Distribution, Generator)>,
    slow: Vec<SlowRegion>,
    errors: Vec<(ErrorRule, Generator, u64)>,
    flush: Option<(LostFlushes, Generator)>,
}

/// Whether a rule is of a device.
fn is_of(device: Option<&String>, name: &str) -> bool {
    device.is_none_or(|device| device == name)
}

impl Of {
    fn holds(self, kind: Kind) -> bool {
        match self {
            Self::All => true,
            Self::Reads => kind == Kind::Read,
            Self::Writes => matches!(kind, Kind::Write | Kind::Discard),
            Self::Flushes => kind == Kind::Flush,
        }
    }
}

/// Whether a request of these blocks touches a region.
fn touches((first, count): (u64, u64), from: Bytes, to: Option<Bytes>) -> bool {
    let (begin, end) = (first * SECTOR_BYTES, (first + count) * SECTOR_BYTES);
    end > from.get() && to.is_none_or(|to| begin < to.get())
}

impl Faults {
    /// Of a profile that was checked.
    pub(crate) fn new(profile: &FaultProfile, name: &str) -> Self {
        let stream =
            |rule: &str, number: usize| generator(profile.seed, 0, name, &format!("{rule} {number}"));
        let delays = profile.delay.iter().enumerate().filter(|(_, rule)| is_of(rule.device.as_ref(), name));
        let errors = profile.error.iter().enumerate().filter(|(_, rule)| is_of(rule.device.as_ref(), name));
        Self {
            delays: delays
                .filter_map(|(number, rule)| {
                    Some((rule.clone(), rule.by.distribution().ok()?, stream("delay", number)))
                })
                .collect(),
            slow: profile.slow.iter().filter(|rule| is_of(rule.device.as_ref(), name)).cloned().collect(),
            errors: errors.map(|(number, rule)| (rule.clone(), stream("error", number), 0)).collect(),
            flush: profile.flush.clone().map(|flush| (flush, stream("flush", 0))),
        }
    }

    /// What becomes of a request of these blocks that comes now.
    pub(crate) fn decide(&mut self, kind: Kind, blocks: (u64, u64), now: Time) -> Decision {
        let mut decision = Decision { times: 1.0, ..Decision::default() };
        for (rule, by, random) in &mut self.delays {
            if rule.of.holds(kind) && uniform(random) < rule.share.get() {
                decision.later = decision.later.saturating_add(Time::from_seconds(by.sample(random)));
            }
        }
        if kind != Kind::Flush {
            for rule in self.slow.iter().filter(|rule| touches(blocks, rule.from, rule.to)) {
                decision.times *= rule.times;
            }
        }
        for (rule, random, done) in &mut self.errors {
            let is_there = kind == Kind::Flush || touches(blocks, rule.from, rule.to);
            // A rule of a region is not of what has none.
            let has_region = rule.to.is_some() || rule.from.get() > 0;
            let concerned = rule.of.holds(kind) && is_there && !(has_region && kind == Kind::Flush);
            let is_late = rule.after.is_none_or(|after| now >= after.time());
            let is_left = rule.times.is_none_or(|times| *done < times);
            if concerned && is_late && is_left && uniform(random) < rule.share.get() {
                *done += 1;
                decision.fails = true;
            }
        }
        if let (Kind::Flush, Some((rule, random))) = (kind, &mut self.flush)
            && uniform(random) < rule.lost.get()
        {
            decision.pretended = Some(rule.takes.time());
        }
        decision
    }
}

/// When a device lets nothing come back.
pub(crate) struct Stalls {
    rules: Vec<Stalling>,
}

struct Stalling {
    rule: Stall,
    random: Generator,
    lasts: Distribution,
    every: Option<Distribution>,
    /// The one that is, or comes next.
    begins: Time,
    ends: Time,
}

impl Stalls {
    pub(crate) fn new(profile: &FaultProfile, name: &str) -> Self {
        let rules = profile.stall.iter().enumerate().filter(|(_, rule)| is_of(rule.device.as_ref(), name));
        let rules = rules.filter_map(|(number, rule)| {
            let mut random = generator(profile.seed, 0, name, &format!("stall {number}"));
            let (lasts, every) = (
                rule.lasts.distribution().ok()?,
                rule.every.as_ref().map(petrio_distribution::Draw::distribution).transpose().ok()?,
            );
            let begins = match (&rule.at, &every) {
                (Some(at), _) => at.time(),
                (None, Some(every)) => Time::from_seconds(every.sample(&mut random)),
                (None, None) => Time::NEVER,
            };
            let ends = begins.saturating_add(Time::from_seconds(lasts.sample(&mut random)));
            Some(Stalling { rule: rule.clone(), random, lasts, every, begins, ends })
        });
        Self { rules: rules.collect() }
    }

    /// When something comes back that would at `at`, which is never before what was asked for earlier less what a stall lasts.
    pub(crate) fn through(&mut self, at: Time) -> Time {
        let mut latest = at;
        for stalling in &mut self.rules {
            debug_assert!(stalling.rule.at.is_some() || stalling.rule.every.is_some());
            while stalling.ends <= at && stalling.every.is_some() {
                stalling.next();
            }
            if stalling.begins <= at && at < stalling.ends {
                latest = latest.max(stalling.ends);
            }
        }
        latest
    }
}

impl Stalling {
    fn next(&mut self) {
        let Some(every) = &self.every else { return };
        // A draw of no time at all would never end.
        let pause = Time::from_seconds(every.sample(&mut self.random)).max(Time::from_micros(1));
        self.begins = self.ends.saturating_add(pause);
        self.ends = self.begins.saturating_add(Time::from_seconds(self.lasts.sample(&mut self.random)));
    }
}

impl PowerCut {
    /// Whether it comes by itself.
    pub(crate) const fn is_planned(&self) -> bool {
        self.at.is_some() || self.after_requests.is_some()
    }
}
