//! One level of the storage path: what files were asked for, or what devices were. The same statistics for both.

use super::hours::{ByHour, Hours};
use super::inter_arrival::{InterArrival, InterArrivals};
use super::mix::{Mix, Mixes};
use super::pages::{PageUse, Pages};
use super::pictures::{OffsetsOverTime, Pictures};
use super::runs::Runs;
use super::sequentiality::Sequentiality;
use super::streams::Streams;
use super::transfer::Transfer;
use serde::Serialize;

/// Pictures given; more than these nobody looks at.
const PICTURES_GIVEN: usize = 8;

#[derive(Debug)]
pub(super) struct Level {
    pub(super) mixes: Mixes,
    pub(super) calls: InterArrivals,
    pub(super) streams: Streams,
    hours: Hours,
    pages: Pages,
    pictures: Pictures,
    without_subject: u64,
    without_offset: u64,
}

impl Level {
    pub(super) fn new(origin_seconds: Option<u64>) -> Self {
        Self {
            mixes: Mixes::default(),
            calls: InterArrivals::new(),
            streams: Streams::default(),
            hours: Hours::new(origin_seconds),
            pages: Pages::new(),
            pictures: Pictures::default(),
            without_subject: 0,
            without_offset: 0,
        }
    }

    /// A read or a write that succeeded.
    #[inline]
    pub(super) fn transfer(&mut self, transfer: &Transfer, missed: bool) {
        self.mixes.add(transfer);
        self.hours.add(transfer);
        let Some(subject) = transfer.subject else {
            self.without_subject += 1;
            return;
        };
        self.streams.transfer(subject, transfer, missed);
        let Some(offset) = transfer.offset else {
            self.without_offset += 1;
            return;
        };
        self.pictures.add(subject, transfer);
        self.pages.request(transfer.time, subject, offset, transfer.length);
    }

    /// `None` where nothing came to this level; `name` gives the names of subjects.
    pub(super) fn finish(self, name: impl Fn(u32) -> String) -> Option<Requests> {
        let timing = self.calls.finish();
        let mix = self.mixes.finish();
        if mix.requests() == 0 && mix.bytes() == 0 && timing.inter_arrival_us.is_none() {
            return None;
        }
        let (sequentiality, runs) = self.streams.finish();
        let pictures = self.pictures.finish().into_iter().take(PICTURES_GIVEN);
        Some(Requests {
            mix,
            timing,
            sequentiality,
            runs,
            by_hour: self.hours.finish(),
            pages: self.pages.finish(),
            offsets_over_time: pictures
                .map(|picture| OffsetsOverTime {
                    name: name(picture.subject),
                    requests: picture.requests,
                    not_followed: picture.before,
                    points: picture.points,
                })
                .collect(),
            without_file: self.without_subject,
            without_offset: self.without_offset,
        })
    }
}

/// What one level of the storage path was asked for.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Requests {
    /// Reads beside writes, and their sizes.
    pub mix: Mix,
    /// Time between calls, and think times.
    pub timing: InterArrival,
    /// Streams by class.
    pub sequentiality: Sequentiality,
    /// Run lengths.
    pub runs: Runs,
    /// By hour.
    pub by_hour: ByHour,
    /// Pages: LRU miss ratio, working set, popularity. `None` where no request has a known place.
    pub pages: Option<PageUse>,
    /// Offsets over time of the busiest files or devices, the busiest first.
    pub offsets_over_time: Vec<OffsetsOverTime>,
    /// Requests to files that the trace doesn't know: they count in the mix and by hour only.
    pub without_file: u64,
    /// Requests whose offset the trace doesn't know: they have no pages and no pictures.
    pub without_offset: u64,
}
