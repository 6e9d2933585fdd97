//! The study's Systems as scenarios: each a file, with the made-up trace of its file system and its disk beside it.
//!
//! What `petrio run` plays is the trace of the first seed; the study's figures are over those of three. A report tells of the host's
//! operations and what reached the disks, the study of the requests that its replication saw.

use super::error::IvyError;
use super::paper::{FileSystem, IvyPolicy, TABLES};
use super::run::SEEDS;
use super::settings::IvySettings;
use super::system::IvySystem;
use crate::asked::{Written, file_name};
use petrio_files::inputs::Inputs;
use petrio_files::temporary::TemporaryFolder;
use petrio_models::device::Device;
use petrio_trace::native::About;
use petrio_trace::write::{OutputFormat, TraceWriter};
use petrio_workload::file_lives::FileLives;
use serde::Serialize;

/// Every System of the wanted tables, the file systems' traces with the first of each.
///
/// # Errors
/// A change that can't be made; a trace that can't be written.
pub fn scenarios(settings: &IvySettings) -> Result<Vec<Written>, IvyError> {
    let mut all: Vec<Written> = Vec::new();
    for file_system in settings.file_systems() {
        let trace = file_name(file_system.name());
        let tables = TABLES.iter().filter(|table| table.file_system == file_system && settings.wants(table));
        let mut beside = None;
        for table in tables {
            for &(copies, _) in table.rows {
                if settings.is_stopped() {
                    return Ok(all);
                }
                let system = settings.system(file_system, table.policy, copies)?;
                let mut written = written((file_system, table.policy, table.number), &system, &trace)?;
                if beside.is_none() {
                    let events = events(&system.lives)?;
                    written.beside.push((format!("{trace}.csv"), events));
                    beside = Some(());
                }
                all.push(written);
            }
        }
    }
    Ok(all)
}

/// A made-up trace as petrio's text.
fn events(lives: &FileLives) -> Result<String, IvyError> {
    let failed =
        |error: &dyn std::fmt::Display| IvyError::Net(format!("the trace can't be written: {error}"));
    let folder = TemporaryFolder::new().map_err(|error| failed(&error))?;
    let path = folder.path().join("trace.csv");
    let mut writer = TraceWriter::create(&path, &Inputs::none(), OutputFormat::EventsCsv, &About::default())?;
    for event in lives.events(SEEDS[0])? {
        writer.push(&event?)?;
    }
    writer.finish()?;
    std::fs::read_to_string(&path).map_err(|error| failed(&error))
}

fn value(of: &impl Serialize) -> Result<toml::Value, IvyError> {
    toml::Value::try_from(of).map_err(|error| IvyError::Net(error.to_string()))
}

fn table<const N: usize>(of: [(&str, toml::Value); N]) -> toml::Value {
    toml::Value::Table(of.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
}

fn written(
    (file_system, policy, number): (FileSystem, IvyPolicy, u32),
    system: &IvySystem,
    trace: &str,
) -> Result<Written, IvyError> {
    let (name, copies) = (file_name(&format!("table {number} copies {}", system.disks)), system.disks);
    let words = format!("{}, {}, {copies} copies", file_system.name(), policy.name());
    let disk = format!("{name}-disk.toml");
    let text = |words: &str| toml::Value::from(words);
    let with_on = |of: toml::Value, on: &str| match of {
        toml::Value::Table(mut all) => {
            all.insert("on".to_owned(), on.into());
            toml::Value::Table(all)
        }
        other => other,
    };
    let disks = table([
        ("file", text(&disk)),
        ("count", toml::Value::from(i64::try_from(copies).unwrap_or(i64::MAX))),
        ("scheduler", value(&system.discipline)?),
    ]);
    let (mut parts, mut below) = (toml::Table::new(), "copies");
    parts.insert("title".to_owned(), text(&format!("Ivy, table {number}: {words}")));
    parts.insert("seed".to_owned(), toml::Value::from(i64::try_from(SEEDS[0]).unwrap_or(1)));
    parts.insert("disk".to_owned(), table([("d", disks)]));
    let replication = with_on(value(&system.replication)?, if copies == 1 { "d" } else { "d*" });
    parts.insert("replication".to_owned(), table([("copies", replication)]));
    if let Some(rearrangement) = &system.rearrangement {
        parts.insert("rearrangement".to_owned(), table([("by-use", with_on(value(rearrangement)?, below))]));
        below = "by-use";
    }
    let host = table([
        ("on", text(below)),
        ("memory", value(&system.memory)?),
        ("metadata", false.into()),
        ("reads", text("missed")),
    ]);
    parts.insert("unix".to_owned(), table([("host", host)]));
    let workload = table([
        ("kind", text("events")),
        ("on", text("host")),
        ("file", text(&format!("{trace}.csv"))),
        ("reads", text("missed")),
        ("think_per", text("file")),
        ("time_scale", toml::Value::from(system.time_scale)),
    ]);
    parts.insert("workload".to_owned(), table([("trace", workload)]));
    let failed = |error: toml::ser::Error| IvyError::Net(error.to_string());
    let drive = toml::to_string(&Device::AnalyticDisk(Box::new(system.disk.clone()))).map_err(failed)?;
    let about = format!("Ivy, table {number}: {words}; the made-up trace of seed {} of three.", SEEDS[0]);
    let text = toml::to_string(&parts).map_err(failed)?;
    Ok(Written { name, about, text, set: Vec::new(), beside: vec![(disk, drive)] })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::super::paper::PaperTable;
    use super::super::system::run;
    use super::*;
    use crate::asked::{Asked, Place};
    use petrio_kernel::Watch;
    use petrio_scenario::build::System;
    use petrio_scenario::load_in;
    use petrio_scenario::report::Sinks;
    use petrio_scenario::run::simulate;

    #[test]
    fn a_written_scenario_runs_and_asks_the_disks_for_what_the_study_does() {
        let settings = IvySettings::new(&[], &["work.duration=40000 s".to_owned()]).unwrap();
        let is_mirrored = |table: &&PaperTable| table.policy == IvyPolicy::ReadOneWriteAll;
        let table = TABLES.iter().find(is_mirrored).unwrap();
        let asked = Asked { only: vec![Place::Table(table.number)], ..Asked::default() };
        let settings = settings.asked(&asked).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let all = scenarios(&settings).unwrap();
        assert_eq!(all.len(), table.rows.len());
        let paths: Vec<_> = all.iter().map(|one| one.write(folder.path()).unwrap()).collect();
        for (path, (copies, _)) in paths.iter().zip(table.rows).take(2) {
            let loaded = load_in(&Inputs::here(), path, &[], &Watch::default()).unwrap();
            let report = simulate(&loaded, &System::build(&loaded).unwrap(), Sinks::default()).unwrap();
            let system = settings.system(table.file_system, table.policy, *copies).unwrap();
            let tally = run(&system, SEEDS[0]).unwrap();
            // Each write goes to every disk, each read to one.
            let (reads, writes) = (tally.read_turnaround.count(), tally.write_turnaround.count());
            let seen = reads + writes * u64::from(*copies);
            let disks = report.stages.iter().find(|stage| stage.name.ends_with("/service")).unwrap();
            let apart = (disks.arrivals as f64 / seen as f64 - 1.0).abs();
            assert!(apart < 0.02, "{copies} copies: {} requests of disks, the study {seen}", disks.arrivals);
        }
    }
}
