//! Scatter and RNW1CR: a new file goes to a disk by chance, and from then on it is as RNW1CR.
//!
//! Source: Ivy, §6.6.

use super::super::history::{FileEvent, History};
use super::{Decision, Home, Policy, Retain, Trigger};
use petrio_kernel::Time;

#[derive(Debug)]
pub(super) struct ScatterCutBack {
    pub(super) trigger: Trigger,
}

impl Policy for ScatterCutBack {
    fn home(&self) -> Home {
        Home::Random
    }

    fn decide(&self, event: FileEvent, history: &History, copies: u32, most: u32, now: Time) -> Decision {
        self.trigger.decide(event, history, (copies, most), Retain::Random, now)
    }
}
