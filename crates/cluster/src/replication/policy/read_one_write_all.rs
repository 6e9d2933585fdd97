//! RNWN: mirror disks. A file always has all copies; a read takes one of them, a write goes to all.
//!
//! Source: Ivy, §6.2.

use super::super::history::{FileEvent, History};
use super::{Decision, Policy};
use petrio_kernel::Time;

#[derive(Debug)]
pub(super) struct ReadOneWriteAll;

impl Policy for ReadOneWriteAll {
    fn of_new(&self, most: u32) -> u32 {
        most
    }

    fn decide(&self, _: FileEvent, _: &History, _: u32, _: u32, _: Time) -> Decision {
        Decision::Keep
    }
}
