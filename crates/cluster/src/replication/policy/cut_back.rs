//! RNW1: a file has all copies except while it is young or being written; then there is only the first.
//!
//! Source: Ivy, §6.3.

use super::super::history::{FileEvent, History};
use super::{Decision, Policy, Retain, Trigger};
use petrio_kernel::Time;

#[derive(Debug)]
pub(super) struct CutBack {
    pub(super) trigger: Trigger,
}

impl Policy for CutBack {
    fn decide(&self, event: FileEvent, history: &History, copies: u32, most: u32, now: Time) -> Decision {
        self.trigger.decide(event, history, (copies, most), Retain::Master, now)
    }
}
