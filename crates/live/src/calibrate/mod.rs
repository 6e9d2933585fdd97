//! A machine's profile, measured here: calls, page-cache work, copies, the block layer, and a device.
//!
//! ```text
//!  Sizes ─▶ Subjects ─ in turns ─▶ Measurements ─ fit ─▶ MachineParameters ─ text ─▶ a machine as TOML
//!  (none that a            (processor time,     (the model's own sums,
//!   validation uses)        quartiles)           least squares)
//! ```
//!
//! Everything is measured in turns, so that what disturbs the machine for a while disturbs one repetition of each
//! figure and not all of one. Where there is the right to, files lie on an ext3 of their own over memory; otherwise in
//! a directory.
//!
//! Left out: what several processes at a time cost one another, swapping, and mapped files.

mod bench;
mod device;
pub mod drive;
mod error;
mod fit;
mod formula;
mod here;
mod measured;
pub mod network;
mod sentinel;
mod sizes;
mod spread;
mod step;
mod subject;
mod text;

pub use device::DeviceTimes;
pub use error::CalibrateError;
pub use formula::Formula;
pub use measured::{
    FoundByMeasurement, MeasuredDevice, MeasuredDeviceError, MeasuredRows, Taken, device_of, measured_rows,
};
pub use sizes::Sizes;
pub use spread::Quartiles;
pub use step::CalibrationProgress;
pub use subject::{Folios, Subject};

use crate::drive::{DriveError, Workplace};
use crate::rig::{Facilities, LoopRig, RigParameters};
use bench::Bench;
use fit::{Fit, Measurements};
use here::{Here, Under};
use petrio_models::host::machine::{
    BlockCosts, CacheCosts, CallCosts, CopyCosts, CopyCurve, MachineParameters,
};
use petrio_units::{Bytes, Duration};
use std::path::{Path, PathBuf};

/// What is to be measured, and where.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct CalibrateParameters {
    /// Where files are timed; left out, on a file system of its own if that can be made, or else in the directory for
    /// temporary files.
    pub directory: Option<PathBuf>,
    /// A device whose service times are measured too. It is only read.
    pub device: Option<PathBuf>,
    /// Which sizes; left out, all that fit.
    pub sizes: Option<Sizes>,
    /// Whether to measure less where sizes are left out.
    pub quick: bool,
}

/// On what files were timed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TimedOn {
    /// A new ext3 over memory.
    OwnFileSystem,
    /// A directory on a file system of this type.
    Directory {
        /// Its name, as the kernel has it.
        kind: String,
    },
}

/// A measured machine.
#[derive(Clone, Debug)]
pub struct Calibration {
    /// The machine.
    pub machine: MachineParameters,
    /// All that was measured, in nanoseconds.
    pub measured: std::collections::BTreeMap<Subject, Quartiles>,
    /// How often somebody else emptied the page cache meanwhile; what was timed then was timed again.
    pub emptied: u64,
    /// The sizes.
    pub sizes: Sizes,
    /// On what.
    pub place: TimedOn,
    /// Whether each write of a file there begins a journal handle.
    pub handles: bool,
    /// How far the kernel reads ahead there at most.
    pub read_ahead: Bytes,
    /// The kernel's release.
    pub kernel: String,
    /// The processor's second- and third-level caches, where the kernel tells them.
    pub caches: [Option<Bytes>; 2],
    /// The device, if one was named.
    pub device: Option<DeviceTimes>,
}

impl Calibration {
    /// The same, as if only these sizes had been timed: what it then says of the others can be held against their
    /// measurement.
    pub fn only(&self, sizes: Sizes) -> Self {
        let mut less = Self { sizes, ..self.clone() };
        let subjects = Subject::all(&less.sizes);
        less.measured.retain(|subject, _| subjects.contains(subject));
        less.fit();
        less
    }

    /// Derives the machine's figures.
    fn fit(&mut self) {
        let fit = Fit {
            measured: &self.measured,
            sizes: &self.sizes,
            handles: self.handles,
            read_ahead_pages: self.read_ahead.get() / sizes::PAGE,
            device_in_memory: self.place == TimedOn::OwnFileSystem,
        };
        self.machine = fit.machine(self.machine.clone());
    }
}

/// Measures this machine. Takes a minute or two with full sizes, and leaves nothing behind.
///
/// # Errors
/// A directory that can't be written to, has no room or no device under it; a device that can't be read.
pub fn calibrate(
    parameters: &CalibrateParameters,
    progress: &mut dyn FnMut(CalibrationProgress),
) -> Result<Calibration, CalibrateError> {
    let here = Here::look();
    let sizes = parameters.sizes.clone().unwrap_or_else(|| {
        let available = here.available.get();
        if parameters.quick { Sizes::quick(available) } else { Sizes::full(available) }
    });
    // What can't be had is said before minutes have gone by.
    if let Some(device) = &parameters.device {
        device::open(device)?;
    }
    let rig = match &parameters.directory {
        Some(_) => None,
        None if Facilities::probe().ext3.is_there() => {
            progress(CalibrationProgress { what: "making a file system", done: 0, total: 1 });
            let size = Bytes(2 * sizes.room() + (512 << 20));
            Some(LoopRig::set_up(&RigParameters { size, ..RigParameters::default() })?)
        }
        None => None,
    };
    let temporary = std::env::temp_dir();
    let directory: &Path = match (&rig, &parameters.directory) {
        (Some(rig), _) => rig.directory(),
        (None, Some(directory)) => directory,
        (None, None) => &temporary,
    };
    let under = Under::look(directory)?;
    if under.is_in_memory() {
        return Err(CalibrateError::InMemory { directory: directory.to_owned(), kind: under.kind });
    }
    let (measured, emptied) = {
        let workplace = Workplace::inside(directory).map_err(no_workplace)?;
        let mut note = |done, total| progress(CalibrationProgress { what: "writing files", done, total });
        let mut bench = Bench::set_up(workplace.root(), &sizes, &mut note)?;
        (in_turns(&mut bench, &sizes, progress)?, bench.emptied())
    };
    let place = match rig {
        Some(_) => TimedOn::OwnFileSystem,
        None => TimedOn::Directory { kind: under.kind.clone() },
    };
    drop(rig);
    let device = match &parameters.device {
        None => None,
        Some(path) => Some(device::measure(path, &sizes, progress)?),
    };
    let mut calibration = Calibration {
        machine: frame(&here, &under),
        measured,
        emptied,
        sizes,
        place,
        handles: under.handles,
        read_ahead: Bytes(under.read_ahead_pages * sizes::PAGE),
        caches: [here.l2, here.l3],
        kernel: here.kernel,
        device,
    };
    calibration.fit();
    Ok(calibration)
}

fn no_workplace(error: DriveError) -> CalibrateError {
    match error {
        DriveError::File { action, path, source, .. } => CalibrateError::system(action, path)(source),
        other => CalibrateError::Thread(other.to_string()),
    }
}

/// Each figure once, then each again.
fn in_turns(
    bench: &mut Bench,
    sizes: &Sizes,
    progress: &mut dyn FnMut(CalibrationProgress),
) -> Result<Measurements, CalibrateError> {
    let subjects = Subject::all(sizes);
    let mut samples = vec![Vec::with_capacity(sizes.repetitions); subjects.len()];
    let total = (subjects.len() * sizes.repetitions) as u64;
    for turn in 0..sizes.repetitions {
        for (place, subject) in subjects.iter().enumerate() {
            progress(CalibrationProgress {
                what: "timing calls",
                done: (turn * subjects.len() + place) as u64,
                total,
            });
            samples[place].extend(bench.sample(*subject)?);
        }
    }
    let figures = subjects.into_iter().zip(samples);
    Ok(figures.filter_map(|(subject, samples)| Some((subject, Quartiles::of(samples)?))).collect())
}

/// The machine without its times.
fn frame(here: &Here, under: &Under) -> MachineParameters {
    let (none, curve) = (Duration::ZERO, CopyCurve::Measured { points: Vec::new() });
    MachineParameters {
        name: format!("{}, {} processors", here.processor, here.processors),
        source: format!("Measured by petrio calibrate under Linux {} on {}", here.kernel, under.kind),
        cost: Default::default(),
        processors: here.processors,
        memory: here.memory,
        l2: None,
        speed: 1.0,
        computing_speed: 1.0,
        calls: CallCosts {
            read: none,
            write: none,
            fsync: none,
            open: none,
            namespace: none,
            fault: CallCosts::FAULT,
            store_fault: CallCosts::STORE_FAULT,
            stdio: none,
        },
        cache: CacheCosts {
            hit: none,
            folio_page: none,
            insert: none,
            write_page: none,
            new_page: none,
            allocate: none,
            allocate_call: none,
            allocate_file: none,
            reclaim: none,
            journal_handle: none,
            buffer: none,
            new_buffer: none,
            jumps: Vec::new(),
        },
        copy: CopyCosts { to_user: curve.clone(), from_user: curve },
        block: BlockCosts { submit: none, complete: none, wake_up: none },
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use miette::Diagnostic;

    /// A directory on a disk, or why there is none.
    fn measured() -> Option<Calibration> {
        let directory = tempfile::tempdir().unwrap();
        let parameters = CalibrateParameters {
            directory: Some(directory.path().to_owned()),
            sizes: Some(Sizes::tiny()),
            ..CalibrateParameters::default()
        };
        let mut last = None;
        let outcome = calibrate(&parameters, &mut |step| last = Some(step));
        assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0, "something was left behind");
        match outcome {
            Ok(calibration) => {
                let last = last.unwrap();
                assert_eq!(last.done + 1, last.total);
                Some(calibration)
            }
            Err(CalibrateError::InMemory { kind, .. }) => {
                eprintln_skipped(&format!("the directory for temporary files is a {kind}"));
                None
            }
            Err(other) => panic!("{other}"),
        }
    }

    #[allow(clippy::print_stderr, reason = "a test says that it was skipped, and why")]
    fn eprintln_skipped(why: &str) {
        eprintln!("skipped: a machine is measured: {why}");
    }

    #[test]
    fn a_measured_machine_reads_back_as_it_was_written_and_leaves_no_file() {
        let Some(calibration) = measured() else { return };
        let text = calibration.to_toml();
        let read: MachineParameters = toml::from_str(&text).unwrap();
        assert_eq!(read, calibration.machine);
        assert!(Formula::new(&read, true).is_ok());
        let calls = &read.calls;
        for time in [calls.read, calls.write, calls.fsync, calls.open, read.cache.reclaim, read.block.submit]
        {
            assert!(time > Duration::ZERO, "{text}");
        }
    }

    #[test]
    fn a_directory_that_is_not_there_is_named_with_what_to_do() {
        let directory = Some(PathBuf::from("/no-such-directory"));
        let parameters = CalibrateParameters { directory, ..CalibrateParameters::default() };
        let error = calibrate(&parameters, &mut |_| ()).unwrap_err();
        assert!(error.to_string().contains("/no-such-directory"), "{error}");
        assert!(error.help().unwrap().to_string().contains("make the directory"));
    }

    #[test]
    fn a_device_that_is_none_is_refused_before_anything_is_timed() {
        let empty = tempfile::NamedTempFile::new().unwrap();
        for device in [Path::new("/no-such-device"), empty.path()] {
            let device = Some(device.to_owned());
            let parameters = CalibrateParameters { device, ..CalibrateParameters::default() };
            let mut steps = 0;
            assert!(calibrate(&parameters, &mut |_| steps += 1).is_err());
            assert_eq!(steps, 0);
        }
    }
}
