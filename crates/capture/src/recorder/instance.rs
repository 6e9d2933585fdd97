//! A trace instance with binary output: its own buffers, events, filters and clock, gone when it is dropped.
//!
//! Source: Linux `Documentation/trace/ftrace.rst` (instances, `set_event_pid`, `buffer_subbuf_size_kb`,
//! `buffer_percent`). One left behind by a capture that was killed stands in its record, and the next start of petrio
//! removes it.

use super::catalogue::{Listened, Scope};
use super::decode::Decoder;
use super::error::CaptureError;
use super::format::Format;
use super::reach::make_instance;
use crate::undo::Undo;
use petrio_files::under_way::random_name;
use std::fs;
use std::path::{Path, PathBuf};

/// KiB that the kernel hands over at once where it can: fewer reads. Linux before 6.8 hands over pages.
const PAGE_KIB: u32 = 64;

/// A trace instance.
#[derive(Debug)]
pub(crate) struct Instance {
    path: PathBuf,
    _undo: Undo,
}

impl Instance {
    /// Makes one with its buffers; nothing is on yet.
    ///
    /// # Errors
    /// No right to, no memory for the buffers, no such clock.
    pub(crate) fn create(tracing: &Path, kind: &str, buffer_kib: u32) -> Result<Self, CaptureError> {
        let (path, undo) = make_instance(tracing, &format!("petrio-{}-{kind}", random_name()))
            .map_err(|(path, source)| CaptureError::TraceFile { path, source })?;
        let instance = Self { path, _undo: undo };
        instance.write("tracing_on", "0")?;
        // Older kernels don't have it, and their pages do as well.
        let _ = instance.write("buffer_subbuf_size_kb", &PAGE_KIB.to_string());
        instance.write("buffer_size_kb", &buffer_kib.to_string())?;
        instance.write("trace_clock", "mono")?;
        // A buffer that is full loses its oldest page, and the next one says so: where the gap is, is known.
        instance.write("options/overwrite", "1")?;
        Ok(instance)
    }

    /// Listens to those of the events that belong to `scope`, as soon as [`Instance::switch_on`] is called. Gives back
    /// those that the kernel doesn't have or doesn't allow.
    pub(crate) fn listen(
        &self,
        scope: Scope,
        events: &[Listened],
        devices: &[u32],
        decoder: &mut Decoder,
    ) -> Vec<Listened> {
        let (mut missing, mut wanted) = (Vec::new(), Vec::new());
        for event in events.iter().filter(|event| event.scope == scope) {
            let folder = format!("events/{}", event.folder());
            let text = fs::read_to_string(self.path.join(&folder).join("format")).unwrap_or_default();
            if decoder.learn(event, &Format::parse(&text)) {
                wanted.push((event, folder));
            } else {
                missing.push(*event);
            }
        }
        for (event, folder) in wanted {
            let of_devices = (scope == Scope::Machine && !devices.is_empty()).then(|| {
                let each: Vec<String> = devices.iter().map(|device| format!("dev == {device}")).collect();
                format!("({})", each.join(" || "))
            });
            let filters: Vec<&str> = event.filter.into_iter().chain(of_devices.as_deref()).collect();
            let is_filtered =
                filters.is_empty() || self.write(&format!("{folder}/filter"), &filters.join(" && ")).is_ok();
            if !is_filtered || self.write(&format!("{folder}/enable"), "1").is_err() {
                missing.push(*event);
            }
        }
        missing
    }

    /// Only these threads and, as they are made, their children.
    ///
    /// # Errors
    /// A kernel before 4.4.
    pub(crate) fn follow(&self, threads: &[u32]) -> Result<(), CaptureError> {
        self.write("options/event-fork", "1")?;
        self.write("set_event_pid", &join(threads))
    }

    /// Whether anybody who is followed still runs: the kernel strikes out who has ended.
    pub(crate) fn follows_somebody(&self) -> bool {
        fs::read_to_string(self.path.join("set_event_pid")).is_ok_and(|text| !text.trim().is_empty())
    }

    /// All but these threads; a kernel before 5.9 doesn't know how.
    pub(crate) fn pass_over(&self, threads: &[u32]) {
        let _ = self.write("set_event_notrace_pid", &join(threads));
    }

    /// Begins.
    ///
    /// # Errors
    /// No right to.
    pub(crate) fn switch_on(&self) -> Result<(), CaptureError> {
        self.write("tracing_on", "1")
    }

    /// Ends; what is in the buffers can still be read.
    pub(crate) fn switch_off(&self) {
        let _ = self.write("tracing_on", "0");
    }

    /// A file of a processor's buffer.
    pub(crate) fn of_processor(&self, processor: &str, file: &str) -> PathBuf {
        self.path.join("per_cpu").join(processor).join(file)
    }

    /// The processors, by the names of their folders.
    ///
    /// # Errors
    /// The instance can't be read.
    pub(crate) fn processors(&self) -> Result<Vec<String>, CaptureError> {
        let path = self.path.join("per_cpu");
        let listed = fs::read_dir(&path).and_then(|entries| {
            entries.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned())).collect()
        });
        listed.map_err(|source| CaptureError::TraceFile { path, source })
    }

    /// Bytes that the kernel hands over at once.
    pub(crate) fn page_bytes(&self) -> usize {
        let text = fs::read_to_string(self.path.join("buffer_subbuf_size_kb")).unwrap_or_default();
        let kib: usize = text.trim().parse().unwrap_or(0);
        if kib == 0 { rustix::param::page_size() } else { kib << 10 }
    }

    fn write(&self, file: &str, text: &str) -> Result<(), CaptureError> {
        let path = self.path.join(file);
        fs::write(&path, text).map_err(|source| CaptureError::TraceFile { path, source })
    }
}

fn join(threads: &[u32]) -> String {
    threads.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}
