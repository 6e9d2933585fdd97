//! An emulation: begun, ended, and what came of it.

use crate::device::{Device, WithMedium};
use crate::faults::{FaultProfile, ProfileError};
use crate::judgement::{Judgement, Tolerance};
use crate::pacer::{DeviceState, Message, Pacer, Shared};
use crate::record::{Files, Recorder};
use crate::store::{CutCounts, Store};
use crate::urgent;
use petrio_engine::{EngineError, System};
use petrio_files::whole_file::WholeFile;
use petrio_trace::TraceError;
use petrio_trace::native::EventWriter;
use petrio_units::Bytes;
use serde::Serialize;
use std::io;
use std::sync::mpsc::sync_channel;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{Builder, JoinHandle};

/// Why an emulation can't be.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
pub enum EmulateError {
    /// The model can't do it.
    #[error("the model: {0}")]
    Model(#[from] EngineError),
    /// The profile of faults makes no sense.
    #[error("faults: {0}")]
    Profile(#[from] ProfileError),
    /// A thread or a file can't be had.
    #[error("{what}: {cause}")]
    System {
        /// What was tried.
        what: String,
        /// Why it can't be.
        cause: io::Error,
    },
    /// The log can't be written.
    #[error(transparent)]
    Log(#[from] TraceError),
}

/// How an emulation goes on.
#[derive(Default)]
pub struct Options {
    /// How its devices misbehave.
    pub faults: FaultProfile,
    /// Where the model's random numbers begin.
    pub seed: u64,
    /// How far completions may be from their targets.
    pub tolerance: Tolerance,
    /// Where a row of each request is written, as Parquet.
    pub log: Option<WholeFile>,
    /// Where each request is written as a trace.
    pub trace: Option<EventWriter>,
}

/// What came of an emulation.
#[derive(Debug, Serialize)]
pub struct Outcome {
    /// Whether it was on time.
    #[serde(flatten)]
    pub judgement: Judgement,
    /// Whether the thread that keeps the time was before all others (SCHED_FIFO).
    pub real_time: bool,
    /// When the power was cut, in seconds, and what that took.
    pub cuts: Vec<(f64, CutCounts)>,
    /// Why the model failed on the way, if it did.
    pub model_failed: Option<String>,
}

/// Tells a running emulation from anywhere.
#[derive(Clone)]
pub struct Handle(Arc<Shared>);

impl Handle {
    /// Cuts the power.
    pub fn cut(&self) {
        self.0.post(Message::Cut);
    }

    /// Brings it back.
    pub fn bring_back(&self) {
        self.0.post(Message::Back);
    }
}

/// A running emulation.
pub struct Emulator {
    shared: Arc<Shared>,
    pacer: Option<JoinHandle<Paced>>,
    recorder: Option<Recorder>,
    real_time: bool,
}

/// What the thread that keeps the time ends with.
struct Paced {
    cuts: Vec<(f64, CutCounts)>,
    failed: Option<EngineError>,
}

impl Emulator {
    /// Begins, now.
    ///
    /// # Errors
    /// A profile that makes no sense, a System that takes no block requests, no thread to be had.
    pub fn start(
        system: &Arc<System>,
        devices: Vec<WithMedium>,
        options: Options,
    ) -> Result<Self, EmulateError> {
        let names: Vec<String> = devices.iter().map(|(spec, _)| spec.name.clone()).collect();
        let sizes = devices.iter().map(|(spec, _)| (spec.name.clone(), Bytes(spec.bytes())));
        options.faults.check(&sizes.collect::<Vec<_>>())?;
        let faults = options.faults;
        let devices = devices.into_iter().map(|(spec, medium)| {
            let any_order = faults
                .reordered
                .then(|| petrio_random::generator(faults.seed, 0, &spec.name, "order of write-back"));
            let store = Mutex::new(Store::new(medium, spec.durability, any_order));
            DeviceState { spec, store }
        });
        let shared = Arc::new(Shared::new(devices.collect()));
        let thread = |cause| EmulateError::System { what: "a thread can't be started".to_owned(), cause };
        let files = Files::new(options.log, options.trace).map_err(|error| EmulateError::System {
            what: "the log can't be written".to_owned(),
            cause: io::Error::other(error.to_string()),
        })?;
        let (recorder, facts) = Recorder::start(names, files, options.tolerance).map_err(thread)?;
        let pacer = Pacer::new((Arc::clone(&shared), system), &faults, options.seed, facts)?;
        let (tell, told) = sync_channel(1);
        let keeper = move || {
            let _ = tell.send(urgent::real_time());
            let (facts, power, failed) = pacer.run();
            // Whoever writes down what it tells ends with that.
            drop(facts);
            let cuts = power.cuts.iter().map(|(at, counts)| (at.as_seconds(), *counts)).collect();
            Paced { cuts, failed }
        };
        let pacer = Builder::new().name("petrio-paced".to_owned()).spawn(keeper).map_err(thread)?;
        let real_time = told.recv().unwrap_or(false);
        Ok(Self { shared, pacer: Some(pacer), recorder: Some(recorder), real_time })
    }

    /// Its devices, in the order in which they were given.
    pub fn devices(&self) -> Vec<Device> {
        let numbers = 0..self.shared.devices.len();
        numbers.map(|number| Device { shared: Arc::clone(&self.shared), number }).collect()
    }

    /// To cut its power, from anywhere.
    pub fn handle(&self) -> Handle {
        Handle(Arc::clone(&self.shared))
    }

    /// Whether its clock comes before all other programs.
    pub const fn is_real_time(&self) -> bool {
        self.real_time
    }

    /// Ends: what is under way fails, and what was written is put on the media, as of devices that are shut down.
    ///
    /// # Errors
    /// An image or the log that can't be written.
    pub fn finish(mut self) -> Result<Outcome, EmulateError> {
        let (Some(pacer), Some(recorder)) = (self.end(), self.recorder.take()) else {
            let cause = io::Error::other("it has ended before");
            return Err(EmulateError::System { what: "the emulation".to_owned(), cause });
        };
        let (judgement, written) = recorder.finish();
        for device in &self.shared.devices {
            let mut store = device.store.lock().unwrap_or_else(PoisonError::into_inner);
            store.finish().map_err(|cause| EmulateError::System {
                what: format!("what \"{}\" holds can't be written", device.spec.name),
                cause,
            })?;
        }
        written?;
        let model_failed = pacer.failed.map(|error| error.to_string());
        Ok(Outcome { judgement, real_time: self.real_time, cuts: pacer.cuts, model_failed })
    }

    fn end(&mut self) -> Option<Paced> {
        let pacer = self.pacer.take()?;
        self.shared.post(Message::End);
        pacer.join().ok()
    }
}

impl Drop for Emulator {
    fn drop(&mut self) {
        self.end();
    }
}
