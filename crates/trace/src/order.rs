//! Records brought into order of time, and their times to the trace's origin.

use super::begin::Stream;
use super::error::{Problem, TraceError};
use super::options::{REORDER_WINDOW_MAX, TraceOptions};
use super::record::Raw;
use petrio_time::Time;
use std::collections::VecDeque;

/// Records held back to be sorted.
pub(super) struct Ordering<R> {
    window: usize,
    /// In order of time. Most arrive in order, so most go to the end.
    held: VecDeque<Raw<R>>,
    newest: u128,
    last: u128,
    ended: bool,
    /// Records that stood out of order and were put in place.
    pub(super) reordered: u64,
}

impl<R> Ordering<R> {
    /// With the window that is asked for, or the format's own.
    pub(super) fn new(options: &TraceOptions, stream: &Stream) -> Self {
        let window = options.reorder_window.unwrap_or(stream.format.facts().reorder_window);
        Self {
            window: window.min(REORDER_WINDOW_MAX),
            held: VecDeque::new(),
            newest: 0,
            last: 0,
            ended: false,
            reordered: 0,
        }
    }

    /// Whether records come in the file's own order.
    pub(super) const fn is_of_file(&self) -> bool {
        self.window == 0
    }

    /// Whether another record, or the end, has to be known first.
    pub(super) fn wants(&self) -> bool {
        !self.ended && self.held.len() <= self.window
    }

    /// Takes the next record of the file, or its end.
    pub(super) fn put(&mut self, raw: Option<Raw<R>>) {
        let Some(raw) = raw else {
            self.ended = true;
            return;
        };
        let clock = raw.clock;
        if self.window > 0 {
            self.reordered += u64::from(clock < self.newest);
            self.newest = self.newest.max(clock);
        }
        let late = self.held.back().is_some_and(|back| clock < back.clock);
        let place = match late {
            false => self.held.len(),
            true => self.held.partition_point(|held| held.clock <= clock),
        };
        self.held.insert(place, raw);
    }

    /// The next record in order of time; `None` at the end.
    pub(super) fn take(&mut self, stream: &Stream) -> Result<Option<Raw<R>>, TraceError> {
        let Some(raw) = self.held.pop_front() else { return Ok(None) };
        let clock = raw.clock;
        if clock < self.last {
            let by = Time::from_picos(u64::try_from(self.last - clock).unwrap_or(u64::MAX - 1));
            return Err(stream.problem(raw.at, Problem::OutOfOrder { by, window: self.window }));
        }
        self.last = clock;
        Ok(Some(raw))
    }
}

/// The clock that is time zero.
pub(super) struct Origin {
    /// `None` until the first record, with rebasing on.
    pub(super) clock: Option<u128>,
    rebase: bool,
}

impl Origin {
    pub(super) fn new(options: &TraceOptions) -> Self {
        Self { clock: (!options.rebase).then_some(0), rebase: options.rebase }
    }

    /// Makes a clock time zero, instead of the first record's.
    pub(super) fn set(&mut self, clock: u128) {
        self.clock = Some(clock);
    }

    /// The time of a clock.
    pub(super) fn time(&mut self, clock: u128) -> Result<Time, Problem> {
        let origin = *self.clock.get_or_insert(clock);
        match u64::try_from(clock.saturating_sub(origin)) {
            Ok(u64::MAX) | Err(_) => Err(if self.rebase {
                Problem::BeyondHorizon { origin: "the first record", advice: None }
            } else {
                let advice = "leave `rebase` on, so that the first record is at time zero";
                Problem::BeyondHorizon { origin: "zero", advice: Some(advice) }
            }),
            Ok(picos) => Ok(Time::from_picos(picos)),
        }
    }
}
