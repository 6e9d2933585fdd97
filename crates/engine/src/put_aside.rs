//! An engine put aside as bytes, and one that goes on from there in another process.

use crate::engine::Engine;
use crate::error::EngineError;
use crate::system::System;
use petrio_persist::{Damage, Persist, Reader, Writer};
use std::sync::Arc;

impl Engine {
    /// Where it is, complete, but for its limits and who watches it: to be [resumed](Self::resume) on the same System, in this process
    /// or on one that is built again elsewhere.
    ///
    /// # Errors
    /// [`EngineError::NotSaved`]: the System holds something that can't be written down.
    pub fn save(&self) -> Result<Vec<u8>, EngineError> {
        let known = self.system.net.known();
        let mut to = Writer::new(&known);
        self.save_to(&mut to);
        Ok(to.finish()?)
    }

    /// The same beside others, to a writer that [knows](petrio_kernel::Net::known) the net.
    pub fn save_to(&self, to: &mut Writer<'_>) {
        to.bytes(&self.system.net.shape().to_le_bytes());
        self.run.save(to);
        (self.submitted, self.answered, self.next_file, self.next_process).save(to);
    }

    /// One that goes on from there. Who observed the net is asked to observe it again before: [`resume_from`](Self::resume_from).
    ///
    /// # Errors
    /// [`EngineError::OtherSystem`], [`EngineError::Damaged`].
    pub fn resume(system: &Arc<System>, bytes: &[u8]) -> Result<Self, EngineError> {
        let mut engine = Self::new(system, 0, 0);
        let known = system.net.known();
        let mut from = Reader::new(&known, bytes);
        engine.resume_from(&mut from)?;
        from.end()?;
        Ok(engine)
    }

    /// Goes on from what a reader gives that [knows](petrio_kernel::Net::known) the net. After an error it is of no use any more.
    ///
    /// # Errors
    /// As of [`resume`](Self::resume).
    pub fn resume_from(&mut self, from: &mut Reader<'_>) -> Result<(), EngineError> {
        if u64::from_le_bytes(from.array()?) != self.system.net.shape() {
            return Err(EngineError::OtherSystem);
        }
        self.run.restore(from)?;
        (self.submitted, self.answered, self.next_file, self.next_process) = Persist::load(from)?;
        Ok(())
    }
}

impl From<Damage> for EngineError {
    fn from(damage: Damage) -> Self {
        match damage {
            Damage::Input(what) => Self::OtherInput(what),
            damage => Self::Damaged(damage),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot set up has failed")]
    use super::*;
    use crate::ports::programs_page;
    use petrio_colours::{BlockRequest, Direction};
    use petrio_kernel::{NetBuilder, Time};
    use proptest::prelude::*;

    /// A drum with so many heads, whose requests take as long as they are far in, and a little that is drawn.
    fn drum(heads: u32) -> Arc<System> {
        let mut net = NetBuilder::new("a drum");
        let mut page = net.top();
        let (down, up) = (page.fifo::<BlockRequest>("requests"), page.fifo::<BlockRequest>("completions"));
        let draws = page.stream("draws");
        for head in 0..heads {
            let free = page.fifo::<()>(&format!("head-{head}"));
            page.initial(free, [()]);
            let mut serve = page.transition(&format!("serve-{head}"));
            serve.consume(free);
            let (request, done, freed) = (serve.take(down), serve.put(up), serve.put(free));
            serve.action(move |f| {
                let request = f.take(request);
                let drawn = petrio_random::uniform_below(f.random(draws), 1_000);
                let time = Time::from_micros(4_000 + request.address + drawn);
                f.put_after(done, request, time);
                f.put_after(freed, (), time);
            });
        }
        let ports = programs_page(&mut page, (&[down], "drum"), |_| 0, up);
        Arc::new(System::new(net.build().unwrap(), ports, vec![(down, up)]))
    }

    fn busy(system: &Arc<System>, requests: u64) -> Engine {
        let mut engine = Engine::new(system, 7, 0);
        let program = engine.program(0).unwrap();
        for number in 0..requests {
            let read =
                BlockRequest { direction: Direction::Read, address: 97 * number, ..BlockRequest::default() };
            engine.submit(program, read, Time::from_millis(2 * number)).unwrap();
        }
        engine
    }

    /// All that comes back from here on, and when.
    fn rest(mut engine: Engine) -> Vec<(u64, Time)> {
        let mut came = Vec::new();
        while engine.under_way() > 0 {
            came.extend(
                engine.advance(Time::NEVER).unwrap().into_iter().map(|done| (done.ticket.id().0, done.at)),
            );
        }
        came
    }

    proptest! {
        #[test]
        fn a_resumed_engine_goes_on_as_the_one_that_was_put_aside(requests in 1u64..60, at in 0u64..200) {
            let mut engine = busy(&drum(2), requests);
            while engine.under_way() > 0 && engine.now() < Time::from_millis(at) {
                engine.advance(Time::from_millis(at)).unwrap();
            }
            let resumed = Engine::resume(&drum(2), &engine.save().unwrap()).unwrap();
            prop_assert_eq!(resumed.now(), engine.now());
            prop_assert_eq!(resumed.under_way(), engine.under_way());
            prop_assert_eq!(rest(resumed), rest(engine));
        }

        #[test]
        fn what_is_cut_off_is_refused(at in any::<prop::sample::Index>()) {
            let system = drum(1);
            let saved = busy(&system, 20).save().unwrap();
            let short = Engine::resume(&system, &saved[..at.index(saved.len())]);
            prop_assert!(matches!(short, Err(EngineError::Damaged(_))));
        }
    }

    #[test]
    fn a_state_of_another_system_is_refused() {
        let saved = busy(&drum(1), 3).save().unwrap();
        assert!(matches!(Engine::resume(&drum(2), &saved), Err(EngineError::OtherSystem)));
        let mut longer = saved;
        longer.push(0);
        assert!(matches!(Engine::resume(&drum(1), &longer), Err(EngineError::Damaged(Damage::Left(1)))));
    }
}
