//! What is noted of each request: a thread of its own writes it down, so that nobody who keeps the time waits for a disk.

use crate::device::Kind;
use crate::judgement::{Judge, Judgement, Tolerance};
use parquet::errors::ParquetError;
use petrio_colours::SECTOR_BYTES;
use petrio_files::whole_file::WholeFile;
use petrio_time::Time;
use petrio_trace::TraceError;
use petrio_trace::event::{Event, EventKind, Extent};
use petrio_trace::native::EventWriter;
use petrio_trace::table::{Column, TableFile, Text, properties};
use petrio_units::numbers::as_number;
use std::mem;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

/// How often what was told is fetched. Nobody is woken for it, least of all when a request has come back: its client is being woken then.
const FETCHED: Duration = Duration::from_millis(100);

/// What became of a request.
#[derive(Clone, Debug)]
pub(crate) struct Fact {
    pub(crate) device: usize,
    pub(crate) arrived: Time,
    /// When it was to come back; none where there was no power.
    pub(crate) target: Option<Time>,
    pub(crate) actual: Time,
    pub(crate) kind: Kind,
    pub(crate) blocks: (u64, u64),
    pub(crate) through: bool,
    pub(crate) error: u16,
}

petrio_trace::columns! {
    /// A row a request.
    struct Requests of "request": (&'a str, &'a Fact) as (device, fact) => {
        device: Column<Text> = device,
        kind: Column<Text> = fact.kind.name(),
        address: Column<u64> = fact.blocks.0,
        blocks: Column<u64> = fact.blocks.1,
        through: Column<bool> = fact.through,
        arrival_ns: Column<u64> = nanos(fact.arrived),
        target_ns: Column<Option<u64>> = fact.target.map(nanos),
        actual_ns: Column<u64> = nanos(fact.actual),
        error: Column<u16> = fact.error,
    }
}

fn nanos(time: Time) -> u64 {
    time.as_picos() / 1_000
}

/// Where requests are written, if anywhere.
#[derive(Default)]
pub(crate) struct Files {
    log: Option<TableFile<Requests>>,
    trace: Option<EventWriter>,
    written: u64,
}

impl Files {
    pub(crate) fn new(log: Option<WholeFile>, trace: Option<EventWriter>) -> Result<Self, ParquetError> {
        let log = log.map(|file| TableFile::new(file, properties().build())).transpose()?;
        Ok(Self { log, trace, written: 0 })
    }

    fn push(&mut self, device: &str, fact: &Fact) -> Result<(), TraceError> {
        self.written += 1;
        if let Some(log) = &mut self.log {
            log.push((device, fact)).map_err(|error| cannot_write(&error))?;
        }
        if let Some(trace) = &mut self.trace {
            trace.push(&event(fact, self.written))?;
        }
        Ok(())
    }

    fn finish(self) -> Result<(), TraceError> {
        if let Some(log) = self.log {
            log.finish().map_err(|error| cannot_write(&error))?;
        }
        if let Some(trace) = self.trace {
            trace.finish()?;
        }
        Ok(())
    }
}

fn cannot_write(error: &ParquetError) -> TraceError {
    let source = Box::new(std::io::Error::other(error.to_string()));
    TraceError::Write { name: "the log".into(), source }
}

/// A request as a trace has it: when it came, and how long it took by the wall clock.
fn event(fact: &Fact, number: u64) -> Event {
    let mut event = Event::new(fact.arrived, EventKind::Queue);
    let (address, blocks) = (fact.blocks.0, as_number(fact.blocks.1));
    let device = as_number(fact.device);
    event.process = 1;
    event.length = if fact.kind.direction().moves_data() { fact.blocks.1 * SECTOR_BYTES } else { 0 };
    event.service = Some(fact.actual.saturating_sub(fact.arrived));
    event.direction = Some(fact.kind.direction());
    event.request = Some(number);
    event.synchronous = true;
    event.force_unit_access = fact.through;
    event.error = fact.error;
    event.extents.push(Extent { device, address, blocks, hit: false });
    event
}

type Told = Arc<Mutex<Vec<Fact>>>;

/// To whoever writes it down.
pub(crate) struct Facts {
    /// What he hasn't fetched yet, and what couldn't be put there because he did just then.
    told: Told,
    kept: Vec<Fact>,
    /// He ends when this is gone.
    _tells: Sender<()>,
}

impl Facts {
    /// Waits for nobody.
    pub(crate) fn tell(&mut self, fact: Fact) {
        self.kept.push(fact);
        if let Ok(mut told) = self.told.try_lock() {
            told.append(&mut self.kept);
        }
    }
}

impl Drop for Facts {
    fn drop(&mut self) {
        self.told.lock().unwrap_or_else(PoisonError::into_inner).append(&mut self.kept);
    }
}

/// Who writes it down.
pub(crate) struct Recorder {
    thread: JoinHandle<(Judgement, Result<(), TraceError>)>,
}

impl Recorder {
    pub(crate) fn start(
        names: Vec<String>,
        files: Files,
        tolerance: Tolerance,
    ) -> std::io::Result<(Self, Facts)> {
        let (tells, ends) = channel();
        let told = Told::default();
        let fetched = Arc::clone(&told);
        let builder = Builder::new().name("petrio-record".to_owned());
        let thread = builder.spawn(move || record((&fetched, &ends), &names, files, tolerance))?;
        Ok((Self { thread }, Facts { told, kept: Vec::new(), _tells: tells }))
    }

    /// All that was told, once nobody tells more.
    pub(crate) fn finish(self) -> (Judgement, Result<(), TraceError>) {
        self.thread.join().unwrap_or_else(|_| {
            let source = Box::new(std::io::Error::other("who writes it has failed"));
            (Judgement::default(), Err(TraceError::Write { name: "the log".into(), source }))
        })
    }
}

fn record(
    (told, ends): (&Told, &Receiver<()>),
    names: &[String],
    mut files: Files,
    tolerance: Tolerance,
) -> (Judgement, Result<(), TraceError>) {
    let mut judge = Judge::new(tolerance);
    let mut outcome = Ok(());
    loop {
        let goes_on = ends.recv_timeout(FETCHED) == Err(RecvTimeoutError::Timeout);
        let facts = mem::take(&mut *told.lock().unwrap_or_else(PoisonError::into_inner));
        for fact in facts {
            judge.tell(&fact);
            if outcome.is_ok() {
                outcome = files.push(names.get(fact.device).map_or("", String::as_str), &fact);
            }
        }
        if !goes_on {
            break;
        }
    }
    let outcome = outcome.and_then(|()| files.finish());
    (judge.judgement(), outcome)
}
