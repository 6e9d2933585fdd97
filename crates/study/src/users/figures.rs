//! The thesis' measurements of a file system: response time a byte by number of users for several populations (figures
//! 5.6 to 5.11), and by mean access size (figure 5.12); on a simulated system, or in a real directory.

use super::error::UsersError;
use super::real::usage_in;
use super::simulated::{simulate_users, users_of};
use indexmap::IndexMap;
use petrio_kernel::statistics::Tally;
use petrio_page::numbers::counted;
use petrio_scenario::Loaded;
use petrio_scenario::run::RunFailure;
use petrio_scenario::workload::Workload;
use petrio_users::{CallUsage, Usage, UserSpecification, Users};
use serde::Serialize;
use std::path::PathBuf;
use std::sync::Arc;

/// What is measured.
#[derive(Clone, Debug)]
pub struct FiguresParameters {
    /// Where the users are run for real, instead of on the scenario's system.
    pub directory: Option<PathBuf>,
    /// Most users at once.
    pub users: u32,
    /// Sessions of each.
    pub sessions: u32,
}

/// Which of the runs comes next.
#[derive(Clone, Debug, Serialize)]
pub struct FiguresProgress {
    /// What is being run.
    pub what: String,
    /// Its number, from 1 on.
    pub run: usize,
    /// Of so many.
    pub runs: usize,
}

/// A measurement.
#[derive(Clone, Debug, Serialize)]
pub struct Point {
    /// Users at work.
    pub users: u32,
    /// How many of them are of which type, where it is known.
    #[serde(skip_serializing_if = "IndexMap::is_empty")]
    pub at_work: IndexMap<String, u32>,
    /// Mean access size that was asked for, in bytes, where it is what changes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub access_bytes: Option<u64>,
    /// Response time of reads and writes for each byte that they moved, in µs.
    pub response_us_per_byte: f64,
    /// Reads and writes.
    pub accesses: CallUsage,
}

/// Where measurements are from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum FiguresOrigin {
    /// A simulated system.
    Simulated,
    /// A real directory.
    Real,
    /// Traces, of either.
    Traces,
}

/// Measurements of one population.
#[derive(Clone, Debug, Serialize)]
pub struct PopulationFigure {
    /// Its name.
    pub population: String,
    /// By number of users.
    pub points: Vec<Point>,
    /// Response time a byte grows by so much with each user, by least squares, in µs.
    pub slope: f64,
    /// How much of its variance a straight line explains.
    pub r_squared: f64,
}

/// All of them.
#[derive(Clone, Debug, Serialize)]
pub struct UsersFigures {
    /// The scenario's title.
    pub title: String,
    /// Where the measurements are from.
    pub origin: FiguresOrigin,
    /// By number of users.
    pub populations: Vec<PopulationFigure>,
    /// By access size.
    pub access_sizes: Vec<Point>,
}

/// Access sizes of figure 5.12, in bytes.
const ACCESS_SIZES: [u64; 5] = [128, 256, 512, 1_024, 2_048];

/// Measures what the users of a loaded scenario with one workload of kind "users" find, as long as the scenario's watch
/// lets it; `on_progress` is told what is being run.
///
/// # Errors
/// What is wrong with the scenario, its users, or the directory; measurements that were stopped.
pub fn measure_figures(
    loaded: &Loaded,
    parameters: &FiguresParameters,
    mut on_progress: impl FnMut(FiguresProgress),
) -> Result<UsersFigures, UsersError> {
    let (name, users) = users_of(loaded)?;
    let specification = specification_of(loaded, name)?;
    let mut all = specification.population.clone();
    if all.is_empty() {
        // No shares of its own: those of the types.
        all.insert("as specified".to_owned(), users.shares.clone());
    }
    let runs = all.len() * parameters.users as usize + ACCESS_SIZES.len();
    let mut run = 0;
    let mut measured = |what: String, crowd: &Users| {
        if loaded.watch.is_stopped() {
            return Err(RunFailure::STOPPED.into());
        }
        run += 1;
        on_progress(FiguresProgress { what, run, runs });
        measure(parameters, loaded, name, crowd)
    };
    let mut populations = Vec::new();
    for (population, shares) in &all {
        let mut points = Vec::new();
        for count in 1..=parameters.users {
            let crowd = Users { shares: shares.clone(), ..crowd(users, parameters, count) };
            let usage =
                measured(format!("{population}, {}", counted(count.into(), "user", "users")), &crowd)?;
            let at_work = specification.at_work(shares, count).unwrap_or_default();
            points.push(Point { at_work, ..point(&usage, count, None) });
        }
        populations.push(PopulationFigure::of(population.clone(), points));
    }
    let mut access_sizes = Vec::new();
    // One user of the first population: in the thesis, an extremely heavy one.
    if let Some((population, shares)) = all.first() {
        for bytes in ACCESS_SIZES {
            let access = serde_json::from_value(
                serde_json::json!({ "exponential": { "mean": format!("{bytes} B") } }),
            );
            let crowd = Users { shares: shares.clone(), access: access.ok(), ..crowd(users, parameters, 1) };
            let usage = measured(format!("{population}, accesses of {bytes} B"), &crowd)?;
            access_sizes.push(point(&usage, 1, Some(bytes)));
        }
    }
    Ok(UsersFigures {
        title: match &parameters.directory {
            None => loaded.scenario.title.clone(),
            Some(directory) => {
                let users = if specification.title.is_empty() { "Users" } else { &specification.title };
                format!("{users}, in the directory {}", directory.display())
            }
        },
        origin: match parameters.directory {
            None => FiguresOrigin::Simulated,
            Some(_) => FiguresOrigin::Real,
        },
        populations,
        access_sizes,
    })
}

/// Measures one population of a specification, as [`measure_figures`] does all.
///
/// # Errors
/// As of [`measure_figures`]; a population that the specification hasn't got.
pub fn measure_population(
    loaded: &Loaded,
    parameters: &FiguresParameters,
    population: &str,
) -> Result<PopulationFigure, UsersError> {
    let (name, users) = users_of(loaded)?;
    let specification = specification_of(loaded, name)?;
    let shares = specification.population.get(population).ok_or(UsersError::NotOneWorkload)?;
    let mut points = Vec::new();
    for count in 1..=parameters.users {
        let crowd = Users { shares: shares.clone(), ..crowd(users, parameters, count) };
        points.push(point(&measure(parameters, loaded, name, &crowd)?, count, None));
    }
    Ok(PopulationFigure::of(population.to_owned(), points))
}

fn crowd(users: &Users, parameters: &FiguresParameters, count: u32) -> Users {
    Users { users: count, sessions: parameters.sessions, ..users.clone() }
}

fn measure(
    parameters: &FiguresParameters,
    loaded: &Loaded,
    name: &str,
    crowd: &Users,
) -> Result<Usage, UsersError> {
    if let Some(directory) = &parameters.directory {
        let mut specification = UserSpecification::clone(&*specification_of(loaded, name)?);
        // Files for as many users as will work there at most, so that all runs find the same ones.
        specification.files.users = specification.files.users.or(Some(parameters.users));
        return usage_in(directory, specification, crowd, (loaded.scenario.seed, &loaded.watch));
    }
    let mut loaded = loaded.clone();
    if let Some(Workload::Users(load)) = loaded.scenario.workload.get_mut(name) {
        load.parameters = crowd.clone();
    }
    loaded.prepare()?;
    Ok(simulate_users(&loaded)?.usage)
}

/// The specification of a workload's users.
fn specification_of(loaded: &Loaded, workload: &str) -> Result<Arc<UserSpecification>, UsersError> {
    loaded.users_of(workload).ok_or(UsersError::NotOneWorkload)
}

pub(super) fn point(usage: &Usage, users: u32, access_bytes: Option<u64>) -> Point {
    Point {
        users,
        at_work: IndexMap::new(),
        access_bytes,
        response_us_per_byte: usage.response_us_per_byte,
        accesses: usage.accesses.clone(),
    }
}

impl Point {
    /// Who is at work, in words: `2 heavy, 1 light`.
    pub fn who(&self) -> String {
        let each: Vec<String> = self.at_work.iter().map(|(name, count)| format!("{count} {name}")).collect();
        each.join(", ")
    }
}

impl PopulationFigure {
    pub(super) fn of(population: String, points: Vec<Point>) -> Self {
        let (slope, r_squared) = line(&points);
        Self { population, points, slope, r_squared }
    }
}

/// Slope and share of variance explained of a straight line through the points.
fn line(points: &[Point]) -> (f64, f64) {
    let users: Tally = points.iter().map(|point| f64::from(point.users)).collect();
    let responses: Tally = points.iter().map(|point| point.response_us_per_byte).collect();
    let products = points.iter().map(|point| {
        (f64::from(point.users) - users.mean()) * (point.response_us_per_byte - responses.mean())
    });
    let both = products.sum::<f64>() / (points.len().max(2) - 1) as f64;
    let (across, up) = (users.deviation(), responses.deviation());
    if across == 0.0 || up == 0.0 {
        return (0.0, 0.0);
    }
    let correlation = both / (across * up);
    (both / (across * across), correlation * correlation)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_straight_line_is_found() {
        let at = |users: u32, response: f64| Point {
            users,
            at_work: IndexMap::new(),
            access_bytes: None,
            response_us_per_byte: response,
            accesses: CallUsage::default(),
        };
        let (slope, r_squared) = line(&[at(1, 1.3), at(2, 1.75), at(3, 2.2), at(4, 2.65)]);
        assert!((slope - 0.45).abs() < 1e-12 && (r_squared - 1.0).abs() < 1e-12);
        assert_eq!(line(&[at(1, 1.0)]), (0.0, 0.0));
    }
}
