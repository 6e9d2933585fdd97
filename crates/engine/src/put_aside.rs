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
        Self::Damaged(damage)
    }
}
