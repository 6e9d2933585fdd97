//! What it costs to go on from a run that was put aside, beside the rest of the run.

use crate::scale::{ScaleError, best};
use petrio_files::inputs::Inputs;
use petrio_kernel::Time;
use petrio_scenario::load_text;
use petrio_scenario::report::Sinks;
use petrio_scenario::run::{Part, run_part};
use petrio_scenario::state::{SavedRun, StateError};
use std::fmt::Write as _;
use std::io;
use std::path::Path;
use std::sync::OnceLock;

/// A warm cache of 2 GiB, four readers and a writer; `operations` of each reader.
pub(crate) fn files(operations: u64) -> String {
    format!(
        "[disk.d]\nmodel = \"seagate-st3146707lc\"\n\
         [host.h]\nmachine = \"poweredge-1850\"\nkernel = \"linux-2.6.27\"\nmemory = \"2 GiB\"\n\
         [fs.data]\ntype = \"ext3\"\non = \"d\"\n\
         [workload.readers]\nkind = \"files\"\non = \"data\"\npattern = \"random\"\noperation = \"read\"\n\
         record = \"8 KiB\"\nfile_size = \"1 GiB\"\noperations = {operations}\nprocesses = 4\n\
         [workload.writer]\nkind = \"files\"\non = \"data\"\noperation = \"write\"\nrecord = \"64 KiB\"\nfile_size = \"512 MiB\"\n"
    )
}

/// So many requests of a trace to a drive, as they arrive; the trace is put into a folder.
pub(crate) fn replay(requests: u64, folder: &Path) -> Result<String, ScaleError> {
    // A request every 12 ms, which the drive keeps up with.
    let mut trace = String::new();
    for number in 0..requests {
        let _ = writeln!(trace, "{}.0 0 {} 8 1", number * 12, number * 7_919 % 280_000_000);
    }
    std::fs::write(folder.join("requests"), trace).map_err(of_folder)?;
    Ok("[disk.d]\nmodel = \"seagate-st3146707lc\"\n[workload.t]\nkind = \"trace\"\non = \"d\"\nfiles = [\"requests\"]\n".to_owned())
}

pub(crate) fn of_folder(cause: io::Error) -> ScaleError {
    of_file(StateError::File { path: std::env::temp_dir(), cause })
}

fn of_file(error: StateError) -> ScaleError {
    ScaleError::Run(Box::new(petrio_scenario::run::RunFailure::State(error)))
}

/// Processor seconds of the second half of a run: gone on with from a state in a file, and what the whole takes longer than its
/// first half. Reading the scenario and the state is in the first.
pub(crate) fn second_half(text: &str, folder: &Path, turns: u32) -> Result<(f64, f64), ScaleError> {
    let load = || load_text("state.toml", text, Some(folder), &[]).map_err(Box::new);
    let loaded = load()?;
    let run = |part: Part<'_>| Ok(run_part(&loaded, Sinks::default(), part).map_err(Box::new)?);
    let half = Time::from_seconds(run(Part::default())?.simulated_s / 2.0);
    let whole = best(turns, || run(Part::default()))?;
    let first = best(turns, || run(Part { until: Some(half), ..Part::default() }))?;

    let saved = OnceLock::new();
    run(Part { until: Some(half), saves: Some(&saved), ..Part::default() })?;
    let file = folder.join("half.state");
    let inputs = Inputs::none();
    saved.get().map_or(Ok(()), |saved| saved.write(&file, &inputs)).map_err(of_file)?;
    let from = best(turns, || {
        let loaded = load()?;
        let from = SavedRun::read(&Inputs::here(), &file).map_err(of_file)?;
        let part = Part { from: Some(&from), ..Part::default() };
        Ok(run_part(&loaded, Sinks::default(), part).map_err(Box::new)?)
    })?;
    Ok((from, (whole - first).max(0.0)))
}
