//! Several analysed runs beside each other: response time a byte by number of users, or by access size.

use super::analyse::analyse_file;
use super::error::UsersError;
use super::figures::{FiguresOrigin, Point, PopulationFigure, UsersFigures, point};
use indexmap::IndexMap;
use petrio_files::inputs::Inputs;
use petrio_trace::TraceOptions;
use petrio_units::numbers::nearest_whole;
use std::path::PathBuf;

/// A trace, and what its users are called; those of the same name are one curve.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedRun {
    /// The name: that of a population, of a file system.
    pub name: String,
    /// The trace's file.
    pub path: PathBuf,
}

/// By what runs are put in order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RunsBy {
    /// The users who work at once: figures 5.6 to 5.11.
    #[default]
    Users,
    /// The mean size of an access: figure 5.12.
    AccessSize,
}

/// Analyses several traces, and puts what users found beside each other.
///
/// # Errors
/// What is wrong with a file, and where.
pub fn analyse_runs(
    inputs: &Inputs,
    runs: &[NamedRun],
    by: RunsBy,
    options: &TraceOptions,
) -> Result<UsersFigures, UsersError> {
    let mut named: IndexMap<String, Vec<Point>> = IndexMap::new();
    for run in runs {
        let usage = analyse_file(inputs, &run.path, options)?.usage;
        let bytes = (by == RunsBy::AccessSize).then_some(nearest_whole(usage.accesses.bytes_mean));
        let users = u32::try_from(usage.users).unwrap_or(u32::MAX);
        named.entry(run.name.clone()).or_default().push(point(&usage, users, bytes));
    }
    let (mut populations, mut access_sizes) = (Vec::new(), Vec::new());
    for (name, mut points) in named {
        points.sort_by_key(|point| (point.access_bytes, point.users));
        match by {
            RunsBy::Users => populations.push(PopulationFigure::of(name, points)),
            RunsBy::AccessSize => access_sizes.extend(points),
        }
    }
    access_sizes.sort_by_key(|point| point.access_bytes);
    Ok(UsersFigures {
        title: format!("{} runs", runs.len()),
        origin: FiguresOrigin::Traces,
        populations,
        access_sizes,
    })
}
