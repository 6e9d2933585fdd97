//! Files scattered over the disks, without copies: what load balancing alone does.
//!
//! Source: Ivy, §6.5.

use super::super::history::{FileEvent, History};
use super::{Decision, Home, Policy};
use petrio_kernel::Time;

#[derive(Debug)]
pub(super) struct Scatter;

impl Policy for Scatter {
    fn home(&self) -> Home {
        Home::Random
    }

    fn of_old(&self, _most: u32) -> u32 {
        1
    }

    fn decide(&self, _: FileEvent, _: &History, _: u32, _: u32, _: Time) -> Decision {
        Decision::Keep
    }
}
