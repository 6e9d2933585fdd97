//! The events of all processors and both instances in one order of time.
//!
//! Each processor's buffer is in order. An event that is older than the moment before the buffers were read is in what
//! was read, so up to that moment the streams can be merged; the rest waits for the next round.

use super::decode::Decoder;
use super::error::CaptureError;
use super::instance::Instance;
use super::kernel_event::KernelEvent;
use super::page::{Lost, PageLayout};
use rustix::fs::{Mode, OFlags};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::fs::File;
use std::io::{ErrorKind, Read};

/// One processor's buffer of one instance.
#[derive(Debug)]
struct Source {
    file: File,
    waiting: VecDeque<KernelEvent>,
}

/// All of them.
#[derive(Debug)]
pub(crate) struct Stream {
    sources: Vec<Source>,
    page: Vec<u8>,
    layout: PageLayout,
    /// Events that the kernel dropped, at least.
    pub(crate) lost: u64,
}

/// Pages taken from one buffer before the next has its turn, so that none overflows while another is read.
const PAGES_A_TURN: usize = 256;

/// An event on another processor may get its time just before, and reach its buffer just after, the buffers are read.
const SLACK_NS: u64 = 1_000_000;

impl Stream {
    /// Of these instances.
    ///
    /// # Errors
    /// A buffer can't be opened.
    pub(crate) fn open(instances: &[&Instance], layout: PageLayout) -> Result<Self, CaptureError> {
        let mut sources = Vec::new();
        let mut page_bytes = 0;
        for instance in instances {
            page_bytes = page_bytes.max(instance.page_bytes());
            for processor in instance.processors()? {
                let path = instance.of_processor(&processor, "trace_pipe_raw");
                let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC;
                let opened = rustix::fs::open(&path, flags, Mode::empty());
                let file =
                    opened.map_err(|errno| CaptureError::TraceFile { path, source: errno.into() })?.into();
                sources.push(Source { file, waiting: VecDeque::new() });
            }
        }
        Ok(Self { sources, page: vec![0; page_bytes], layout, lost: 0 })
    }

    /// Reads what is there, and hands on everything older than `now_ns`, the time at which the call begins; at the end
    /// of a capture (`all`), everything. Gives back how many bytes were read.
    ///
    /// # Errors
    /// A buffer can't be read.
    pub(crate) fn drain(
        &mut self,
        decoder: &Decoder,
        now_ns: u64,
        all: bool,
        mut take: impl FnMut(KernelEvent),
    ) -> Result<u64, CaptureError> {
        let mut bytes = 0;
        let mut is_more = true;
        while is_more {
            is_more = false;
            for index in 0..self.sources.len() {
                let (read, full) = self.turn(index, decoder)?;
                bytes += read;
                is_more |= full;
            }
            if !all {
                break;
            }
        }
        self.merge(Self::horizon_ns(now_ns, all), &mut take);
        Ok(bytes)
    }

    /// The time up to which [`Stream::drain`] hands on everything.
    pub(crate) const fn horizon_ns(now_ns: u64, all: bool) -> u64 {
        if all { u64::MAX } else { now_ns.saturating_sub(SLACK_NS) }
    }

    /// Reads one buffer; whether it may have more.
    fn turn(&mut self, index: usize, decoder: &Decoder) -> Result<(u64, bool), CaptureError> {
        let source = &mut self.sources[index];
        let mut bytes = 0;
        for _ in 0..PAGES_A_TURN {
            let length = match source.file.read(&mut self.page) {
                Ok(0) => return Ok((bytes, false)),
                Ok(length) => length,
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok((bytes, false)),
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(source) => return Err(CaptureError::Buffer { source }),
            };
            bytes += length as u64;
            let page = self.layout.read(&self.page[..length]);
            self.lost += match page.lost {
                Lost::None => 0,
                Lost::Count(events) => events,
                Lost::Some => 1,
            };
            source.waiting.extend(page.entries.filter_map(|(time, record)| decoder.decode(time, record)));
        }
        Ok((bytes, true))
    }

    /// Hands on what is older than the horizon, in order.
    fn merge(&mut self, horizon: u64, take: &mut impl FnMut(KernelEvent)) {
        // A processor's events come in runs: one is followed for as long as it is the earliest.
        let mut heads: BinaryHeap<Reverse<(u64, usize)>> = BinaryHeap::new();
        for (index, source) in self.sources.iter().enumerate() {
            heads.extend(source.waiting.front().map(|event| Reverse((event.time_ns, index))));
        }
        while let Some(Reverse((_, index))) = heads.pop() {
            let limit = heads.peek().map_or(u64::MAX, |Reverse((time, _))| *time);
            let waiting = &mut self.sources[index].waiting;
            let run = waiting.iter().take_while(|event| event.time_ns <= limit.min(horizon)).count();
            waiting.drain(..run).for_each(&mut *take);
            match waiting.front() {
                Some(event) if event.time_ns > horizon => return,
                Some(event) => heads.push(Reverse((event.time_ns, index))),
                None => {}
            }
        }
    }
}
