//! What it costs to go on from a run that was put aside, beside the rest of the run.

use crate::scale::{ScaleError, best};
use petrio_files::inputs::Inputs;
use petrio_kernel::Time;
use petrio_scenario::load_text;
use petrio_scenario::report::Sinks;
use petrio_scenario::run::{Part, run_part};
use petrio_scenario::state::SavedRun;
use std::sync::OnceLock;

/// A warm cache of 2 GiB, four readers and a writer; `operations` of each reader.
fn scenario(operations: u64) -> String {
    format!(
        "[disk.d]\nmodel = \"seagate-st3146707lc\"\n\
         [host.h]\nmachine = \"poweredge-1850\"\nkernel = \"linux-2.6.27\"\nmemory = \"2 GiB\"\n\
         [fs.data]\ntype = \"ext3\"\non = \"d\"\n\
         [workload.readers]\nkind = \"files\"\non = \"data\"\npattern = \"random\"\noperation = \"read\"\n\
         record = \"8 KiB\"\nfile_size = \"1 GiB\"\noperations = {operations}\nprocesses = 4\n\
         [workload.writer]\nkind = \"files\"\non = \"data\"\noperation = \"write\"\nrecord = \"64 KiB\"\nfile_size = \"512 MiB\"\n"
    )
}

/// Processor seconds of the second half of a run: gone on with from a state in a file, and what the whole takes longer than its
/// first half. Reading the scenario and the state is in the first.
pub(crate) fn second_half(operations: u64, turns: u32) -> Result<(f64, f64), ScaleError> {
    let text = scenario(operations);
    let loaded = load_text("state.toml", &text, None, &[]).map_err(Box::new)?;
    let run = |part: Part<'_>| Ok(run_part(&loaded, Sinks::default(), part).map_err(Box::new)?);
    let half = Time::from_seconds(run(Part::default())?.simulated_s / 2.0);
    let whole = best(turns, || run(Part::default()))?;
    let first = best(turns, || run(Part { until: Some(half), ..Part::default() }))?;

    let saved = OnceLock::new();
    run(Part { until: Some(half), saves: Some(&saved), ..Part::default() })?;
    let file = std::env::temp_dir().join(format!("petrio-bench-{}.state", std::process::id()));
    let of_file = |error| ScaleError::Run(Box::new(petrio_scenario::run::RunFailure::State(error)));
    let inputs = Inputs::none();
    let written = saved.get().map_or(Ok(()), |saved| saved.write(&file, &inputs));
    let from = written.map_err(of_file).and_then(|()| {
        best(turns, || {
            let loaded = load_text("state.toml", &text, None, &[]).map_err(Box::new)?;
            let from = SavedRun::read(&Inputs::here(), &file).map_err(of_file)?;
            let part = Part { from: Some(&from), ..Part::default() };
            Ok(run_part(&loaded, Sinks::default(), part).map_err(Box::new)?)
        })
    });
    // It is nobody's any more, whatever came of it.
    let _ = std::fs::remove_file(&file);
    Ok((from?, (whole - first).max(0.0)))
}
