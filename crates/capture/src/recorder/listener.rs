//! Instances that listen to events, and give them in order of time.

use super::catalogue::{Listened, Scope};
use super::decode::Decoder;
use super::error::CaptureError;
use super::instance::Instance;
use super::kernel_event::KernelEvent;
use super::page::PageLayout;
use super::reach::{Reach, reach_tracing};
use super::stream::Stream;
use rustix::time::{ClockId, clock_gettime};
use std::path::Path;

/// Nanoseconds on the clock of all traces.
pub(crate) fn monotonic_ns() -> u64 {
    nanoseconds(clock_gettime(ClockId::Monotonic))
}

/// Nanoseconds since 1970.
pub(crate) fn unix_ns() -> u64 {
    nanoseconds(clock_gettime(ClockId::Realtime))
}

pub(crate) fn nanoseconds(time: rustix::time::Timespec) -> u64 {
    time.tv_sec.unsigned_abs() * 1_000_000_000 + time.tv_nsec.unsigned_abs()
}

/// One or two trace instances, gone when this is dropped.
#[derive(Debug)]
pub(crate) struct Listener {
    decoder: Decoder,
    stream: Stream,
    // Dropped in this order: the instances before the mount that they lie in.
    instances: Vec<(Scope, Instance)>,
    _mount: Option<Reach>,
    /// What was asked for, and the kernel doesn't have.
    pub(crate) missing: Vec<Listened>,
}

/// What is listened to.
pub(crate) struct Wanted<'a> {
    /// Whose events; each has an instance of its own.
    pub(crate) scopes: &'a [Scope],
    /// Which events.
    pub(crate) events: &'a [Listened],
    /// Of the whole machine's events only those of these devices; all where there are none.
    pub(crate) devices: &'a [u32],
    /// Buffer for each processor and instance.
    pub(crate) buffer_kib: u32,
}

impl Listener {
    /// Sets everything up; nothing is recorded before [`Listener::switch_on`].
    ///
    /// # Errors
    /// No tracing, no right to it, no memory for the buffers.
    pub(crate) fn set_up(
        wanted: &Wanted<'_>,
        is_usable: impl FnOnce(&Path) -> Result<(), CaptureError>,
    ) -> Result<Self, CaptureError> {
        if cfg!(target_endian = "big") {
            let reason = "its records are read on little-endian machines only".to_owned();
            return Err(CaptureError::NoTracing { reason });
        }
        let (tracing, mount) = reach_tracing()?;
        is_usable(&tracing)?;
        let mut instances = Vec::new();
        let (mut decoder, mut missing) = (Decoder::default(), Vec::new());
        for &scope in wanted.scopes {
            let kind = match scope {
                Scope::Traced => "traced",
                Scope::Machine => "machine",
            };
            let instance = Instance::create(&tracing, kind, wanted.buffer_kib)?;
            missing.extend(instance.listen(scope, wanted.events, wanted.devices, &mut decoder));
            instances.push((scope, instance));
        }
        let header = std::fs::read_to_string(tracing.join("events/header_page")).unwrap_or_default();
        let layout = PageLayout::parse(&header).unwrap_or(PageLayout::USUAL);
        let all: Vec<&Instance> = instances.iter().map(|(_, instance)| instance).collect();
        let stream = Stream::open(&all, layout)?;
        Ok(Self { decoder, stream, instances, _mount: mount, missing })
    }

    /// Nothing of what was asked for may be missing.
    ///
    /// # Errors
    /// Something is.
    pub(crate) fn needs_all(self) -> Result<Self, CaptureError> {
        match self.missing.first() {
            None => Ok(self),
            Some(event) => Err(CaptureError::NoEvent { event: event.folder() }),
        }
    }

    fn traced(&self) -> Option<&Instance> {
        self.instances.iter().find(|(scope, _)| *scope == Scope::Traced).map(|(_, instance)| instance)
    }

    /// Of the events of those who are traced, only these threads' and, as they are made, their children's.
    ///
    /// # Errors
    /// A kernel before 4.4.
    pub(crate) fn follow(&self, threads: &[u32]) -> Result<(), CaptureError> {
        self.traced().map_or(Ok(()), |instance| instance.follow(threads))
    }

    /// Whether anybody who is followed still runs.
    pub(crate) fn follows_somebody(&self) -> bool {
        self.traced().is_some_and(Instance::follows_somebody)
    }

    /// All but these threads.
    pub(crate) fn pass_over(&self, threads: &[u32]) {
        if let Some(instance) = self.traced() {
            instance.pass_over(threads);
        }
    }

    /// Begins, with whose context is the machine's: what follows from a call is not to be missed.
    ///
    /// # Errors
    /// No right to.
    pub(crate) fn switch_on(&self) -> Result<(), CaptureError> {
        self.instances.iter().rev().try_for_each(|(_, instance)| instance.switch_on())
    }

    /// Ends; what is in the buffers can still be read.
    pub(crate) fn switch_off(&self) {
        for (_, instance) in &self.instances {
            instance.switch_off();
        }
    }

    /// Hands on everything older than `now_ns`, the time at which the call begins; at the end (`all`), everything.
    /// Gives back how many bytes were read.
    ///
    /// # Errors
    /// A buffer can't be read.
    pub(crate) fn drain(
        &mut self,
        now_ns: u64,
        all: bool,
        take: impl FnMut(KernelEvent),
    ) -> Result<u64, CaptureError> {
        self.stream.drain(&self.decoder, now_ns, all, take)
    }

    /// Events that the kernel dropped so far, at least.
    pub(crate) const fn lost(&self) -> u64 {
        self.stream.lost
    }
}
