//! A call that is over, and the events that are made of it.

use super::errors;
use super::line::{Call, annotated, integer};
use crate::event::{Event, EventKind};
use crate::format::RawEvent;
use petrio_time::Time;

/// A call with what every event of it shares.
pub(super) struct FinishedCall<'a> {
    pub(super) process: u32,
    pub(super) clock: u128,
    pub(super) at: u64,
    pub(super) call: &'a Call<'a>,
}

impl FinishedCall<'_> {
    pub(super) fn event(&self, kind: EventKind) -> RawEvent {
        let event = Event {
            process: self.process,
            service: self.call.service,
            error: errors::number(self.call.error),
            ..Event::new(Time::ZERO, kind)
        };
        RawEvent { clock: self.clock, at: self.at, record: event }
    }

    pub(super) fn succeeded(&self) -> bool {
        self.call.error.is_empty() && self.call.result.is_some_and(|result| result >= 0)
    }

    /// What it returned, if it succeeded.
    pub(super) fn result(&self) -> u64 {
        self.call
            .result
            .filter(|_| self.succeeded())
            .and_then(|result| u64::try_from(result).ok())
            .unwrap_or_default()
    }

    pub(super) fn number(&self, argument: usize) -> Option<u64> {
        u64::try_from(integer(self.call.argument(argument))?).ok()
    }

    /// The number of a descriptor.
    pub(super) fn descriptor(&self, argument: usize) -> Option<i64> {
        integer(annotated(self.call.argument(argument)).0)
    }
}
