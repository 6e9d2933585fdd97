//! Disks against their measured traces.
//!
//! A folder holds pairs of a DiskSim parameter file (`NAME.parv`, or `NAME.diskspecs`) and a trace of requests measured
//! on that drive, one outstanding (`NAME.trace`). Each trace is replayed closed, think times kept, through the net of
//! the drive that its parameter file describes; nothing is fitted to the trace. Files that make no pair are named.

use super::demerit::{demerit, quantile, root_mean_square_error};
use petrio_colours::BlockRequest;
use petrio_engine::{Engine, EngineError, Lane, Listener, OfSource, Onlooker, System, programs_page};
use petrio_files::inputs::Inputs;
use petrio_kernel::{NetBuilder, NetError, Simulation, Time};
use petrio_models::device::Queueing;
use petrio_models::device::disk::parameters::{DiskParameters, QueueDiscipline};
use petrio_models::device::disk::{Drive, DriveError, disk_page};
use petrio_scenario::catalogue::disksim::{self, Ignored, ImportError};
use petrio_trace::{TraceError, TraceOptions, TraceReader};
use petrio_workload::{ClosedReplay, ClosedReplayOptions, SourceError, SourceItem};
use rayon::prelude::*;
use serde::Serialize;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use thiserror::Error;

/// A drive whose predicted mean is off by more than so much of the measured one misses, in percent. Imported parameters
/// of the seven measured drives have been within 3 %.
pub const MEAN_BOUND_PERCENT: f64 = 3.0;

/// What a folder of drives and traces came to.
#[derive(Debug, Default)]
pub struct DiskValidation {
    /// A row for each pair, by name.
    pub rows: Vec<DiskRow>,
    /// Files that make no row, with the reason.
    pub left_out: Vec<LeftOut>,
    /// Parameters of the drives that have no effect.
    pub ignored: Vec<Ignored>,
}

/// A drive, predicted and measured.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DiskRow {
    /// Name of the pair of files.
    pub disk: String,
    /// Requests replayed.
    pub requests: u64,
    /// Mean access time as measured, milliseconds.
    pub measured_mean_ms: f64,
    /// Mean access time as predicted, milliseconds.
    pub simulated_mean_ms: f64,
    /// Predicted over measured mean, less one, in percent.
    pub mean_error_percent: f64,
    /// The median, and what one in ten and one in a hundred takes longer than: measured and predicted, milliseconds.
    pub quantiles_ms: [(f64, f64); 3],
    /// The demerit figure, milliseconds.
    pub demerit_ms: f64,
    /// Root mean square error request by request, milliseconds.
    pub rmse_ms: f64,
    /// What DiskSim 4.0 comes to on the same trace, where that is known.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub disksim: Option<DiskSimFigures>,
}

impl DiskRow {
    /// Whether its mean lies within the bound.
    pub fn holds(&self) -> bool {
        self.mean_error_percent.abs() <= MEAN_BOUND_PERCENT
    }
}

/// DiskSim 4.0 against the same measurement.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct DiskSimFigures {
    /// Mean access time as DiskSim predicts it, milliseconds.
    pub disksim_mean_ms: f64,
    /// Its error, percent.
    pub disksim_mean_error_percent: f64,
    /// Its demerit figure, milliseconds.
    pub disksim_demerit_ms: f64,
    /// Its root mean square error request by request, milliseconds.
    pub disksim_rmse_ms: f64,
}

/// DiskSim 4.0 on the published traces: run side by side on them.
const DISKSIM: [(&str, [f64; 4]); 7] = [
    ("atlas_III", [6.139, -2.0, 0.378, 3.06]),
    ("barracuda", [6.426, -3.0, 0.348, 2.45]),
    ("cheetah9LP", [4.231, -1.0, 0.107, 1.84]),
    ("dec_rz26", [15.691, -0.7, 0.341, 3.59]),
    ("hp_c2247a", [15.313, 0.1, 0.089, 2.29]),
    ("hp_c2490a", [12.563, 0.1, 0.254, 3.02]),
    ("ibm18es", [5.236, -0.5, 0.136, 2.37]),
];

/// A file that makes no row.
#[derive(Debug)]
pub struct LeftOut {
    /// The file.
    pub file: PathBuf,
    /// Why.
    pub reason: String,
}

/// Why a folder, or one pair in it, cannot be validated.
#[derive(Debug, Error)]
pub enum ValidateError {
    /// The folder.
    #[error("{}: {error}; name a folder with pairs of NAME.parv and NAME.trace", folder.display())]
    Folder {
        /// The folder.
        folder: PathBuf,
        /// What the system says.
        error: std::io::Error,
    },
    /// The parameter file.
    #[error(transparent)]
    Import(#[from] ImportError),
    /// A parameter file with more than one drive, which does not say on which the trace was measured.
    #[error("{} describes {drives} drives; give each its own file", file.display())]
    SeveralDrives {
        /// The file.
        file: PathBuf,
        /// How many.
        drives: usize,
    },
    /// The trace.
    #[error(transparent)]
    Trace(#[from] TraceError),
    /// The trace, while it is replayed.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// A trace without measured access times.
    #[error("{}: request {request} has no measured access time; a trace with six columns is needed", file.display())]
    NotMeasured {
        /// The file.
        file: PathBuf,
        /// The request, from 1.
        request: u64,
    },
    /// A trace without requests.
    #[error("{}: the trace holds no requests", .0.display())]
    Empty(PathBuf),
    /// A drive that cannot be built.
    #[error(transparent)]
    Drive(#[from] DriveError),
    /// The net: a bug.
    #[error(transparent)]
    Net(#[from] NetError),
    /// The run.
    #[error("{}: {error}", file.display())]
    Run {
        /// The trace.
        file: PathBuf,
        /// What went wrong.
        error: Box<EngineError>,
    },
}

/// A parameter file with its trace.
struct Pair {
    name: String,
    parameters: PathBuf,
    trace: PathBuf,
}

/// Replays every measured trace of a folder on its drive.
///
/// # Errors
/// A folder that cannot be read. What is wrong with single files is in [`DiskValidation::left_out`].
pub fn validate_disks(inputs: &Inputs, folder: &Path) -> Result<DiskValidation, ValidateError> {
    let mut validation = DiskValidation::default();
    let pairs = pairs(folder, &mut validation.left_out)?;
    let outcomes: Vec<_> = pairs.par_iter().map(|pair| (pair, validate_pair(inputs, pair))).collect();
    for (pair, outcome) in outcomes {
        match outcome {
            Ok((row, ignored)) => {
                validation.rows.push(row);
                validation.ignored.extend(ignored);
            }
            Err(error) => {
                let file = match error {
                    ValidateError::Import(_) | ValidateError::SeveralDrives { .. } => &pair.parameters,
                    _ => &pair.trace,
                };
                validation.left_out.push(LeftOut { file: file.clone(), reason: error.to_string() });
            }
        }
    }
    Ok(validation)
}

fn pairs(folder: &Path, left_out: &mut Vec<LeftOut>) -> Result<Vec<Pair>, ValidateError> {
    let wrong = |error| ValidateError::Folder { folder: folder.to_owned(), error };
    let mut files = BTreeSet::new();
    for entry in std::fs::read_dir(folder).map_err(wrong)? {
        files.insert(entry.map_err(wrong)?.path());
    }
    let ending = |file: &Path, ending: &str| file.extension().is_some_and(|found| found == ending);
    let mut pairs = Vec::new();
    for file in &files {
        let beside = |ending: &str| Some(file.with_extension(ending)).filter(|file| files.contains(file));
        if ending(file, "trace") {
            let Some(parameters) = beside("parv").or_else(|| beside("diskspecs")) else {
                let reason = "no parameter file of that name (.parv or .diskspecs) lies beside it".to_owned();
                left_out.push(LeftOut { file: file.clone(), reason });
                continue;
            };
            let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            pairs.push(Pair { name, parameters, trace: file.clone() });
        } else if (ending(file, "parv") || ending(file, "diskspecs") && beside("parv").is_none())
            && beside("trace").is_none()
        {
            let reason = "no trace of that name lies beside it".to_owned();
            left_out.push(LeftOut { file: file.clone(), reason });
        }
    }
    Ok(pairs)
}

fn validate_pair(inputs: &Inputs, pair: &Pair) -> Result<(DiskRow, Vec<Ignored>), ValidateError> {
    let imported = disksim::import(inputs, &pair.parameters)?;
    let [drive] = imported.drives.as_slice() else {
        let drives = imported.drives.len();
        return Err(ValidateError::SeveralDrives { file: pair.parameters.clone(), drives });
    };
    let Times { mut measured, mut simulated, .. } = replay(drive, (inputs, &pair.trace))?;
    let requests = measured.len() as u64;
    let mean = |times: &[f64]| times.iter().sum::<f64>() / requests as f64;
    let (measured_mean_ms, simulated_mean_ms) = (mean(&measured), mean(&simulated));
    let rmse = root_mean_square_error(&measured, &simulated);
    let empty = || ValidateError::Empty(pair.trace.clone());
    let demerit_ms = demerit(&mut measured, &mut simulated).ok_or_else(empty)?;
    // Both are in order now.
    let quantiles_ms =
        [0.5, 0.9, 0.99].map(|p| quantile(&measured, p).zip(quantile(&simulated, p)).unwrap_or_default());
    let row = DiskRow {
        disk: pair.name.clone(),
        requests,
        measured_mean_ms,
        simulated_mean_ms,
        mean_error_percent: (simulated_mean_ms / measured_mean_ms - 1.0) * 100.0,
        rmse_ms: rmse.ok_or_else(empty)?,
        quantiles_ms,
        demerit_ms,
        disksim: DISKSIM.iter().find(|(name, _)| *name == pair.name).map(|&(_, figures)| DiskSimFigures {
            disksim_mean_ms: figures[0],
            disksim_mean_error_percent: figures[1],
            disksim_demerit_ms: figures[2],
            disksim_rmse_ms: figures[3],
        }),
    };
    Ok((row, imported.ignored))
}

/// Access times in milliseconds, in the trace's order: one request is on its way at a time.
#[derive(Default)]
struct Times {
    measured: Vec<f64>,
    simulated: Vec<f64>,
    /// The first request, from 1, of which the trace doesn't say how long it took.
    not_measured: Option<u64>,
}

impl Onlooker for Times {}

impl Listener<BlockRequest> for Times {
    fn issued(
        &mut self,
        _: usize,
        item: &SourceItem<BlockRequest>,
        _: &mut Simulation,
    ) -> Result<(), EngineError> {
        match item.measured {
            Some(measured) => self.measured.push(measured.as_millis()),
            None => {
                self.not_measured = Some(self.measured.len() as u64 + 1);
                return Err(EngineError::Stopped);
            }
        }
        Ok(())
    }

    fn completed(
        &mut self,
        _: usize,
        request: &BlockRequest,
        run: &mut Simulation,
    ) -> Result<(), EngineError> {
        self.simulated.push(Time::as_millis(run.now() - request.issued));
        Ok(())
    }
}

/// Replays a trace through the net of a drive.
fn replay(parameters: &DiskParameters, (inputs, trace): (&Inputs, &Path)) -> Result<Times, ValidateError> {
    let drive = Arc::new(Drive::new(parameters)?);
    let mut net = NetBuilder::new("validation");
    let mut page = net.top();
    let requests = page.fifo::<BlockRequest>("requests");
    let completions = page.fifo::<BlockRequest>("completions");
    let queueing = Queueing { scheduler: QueueDiscipline::FirstCome, depth: None };
    disk_page(&mut page, "disk", &drive, queueing, requests, completions);
    let ports = programs_page(&mut page, (&[requests], "disk"), |_| 0, completions);
    let system = Arc::new(System::new(net.build()?, ports, vec![(requests, completions)]));
    let source = ClosedReplay::of_trace(
        TraceReader::open_in(inputs, trace, &TraceOptions::default())?,
        ClosedReplayOptions::default(),
    )?;
    let mut times = Times::default();
    let mut engine = Engine::new(&system, 1, 0);
    let load = Lane::at(&system, OfSource(source));
    let ran = load.and_then(|mut load| engine.run(&mut load, &mut times));
    if let Some(request) = times.not_measured {
        return Err(ValidateError::NotMeasured { file: trace.to_owned(), request });
    }
    match ran {
        Ok(_) => Ok(times),
        Err(EngineError::Workload(error)) => Err(error.into()),
        Err(error) => Err(ValidateError::Run { file: trace.to_owned(), error: Box::new(error) }),
    }
}
