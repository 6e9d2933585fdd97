//! RNW1CR: as RNW1, but the copy that is kept is drawn, which spreads writes over the disks.
//!
//! Source: Ivy, §6.4.

use super::super::history::{FileEvent, History};
use super::{Decision, Policy, Retain, Trigger};
use petrio_kernel::Time;

#[derive(Debug)]
pub(super) struct CutBackRandom {
    pub(super) trigger: Trigger,
}

impl Policy for CutBackRandom {
    fn decide(&self, event: FileEvent, history: &History, copies: u32, most: u32, now: Time) -> Decision {
        self.trigger.decide(event, history, (copies, most), Retain::Random, now)
    }
}
