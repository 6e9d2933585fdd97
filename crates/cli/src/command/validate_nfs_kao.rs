//! `petrio validate nfs` without a folder: Kao's experiment.

use crate::failure::Failure;
use crate::judged::conclude;
use crate::output::{print, print_json, talk};
use crate::table::table;
use petrio_files::inputs::Inputs;
use petrio_files::temporary::TemporaryFolder;
use petrio_kernel::Watch;
use petrio_scenario::{Loaded, Override, load_in};
use petrio_study::users::{
    FiguresParameters, PopulationFigure, UsersError, measure_figures, measure_population,
};
use petrio_validation::nfs::kao::{
    FITTED_US, KaoFigure, KaoPoint, KaoRow, SCENARIO, SPECIFICATION, judge, rows, settings,
};
use petrio_validation::verdict::Judged;
use serde::Serialize;
use std::path::Path;

/// Users at once, and sessions of each, as in the thesis.
const MEASURED: FiguresParameters = FiguresParameters { directory: None, users: 6, sessions: 50 };

/// The population of table 5.3, and the one of figure 5.6.
const HEAVY: &str = "100 % heavy";
const EXTREME: &str = "all extremely heavy";

/// Runs of one user by which the factor is found.
const STEPS: u32 = 5;

#[derive(Serialize)]
struct Everything<'e> {
    factor: f64,
    rows: &'e [KaoRow],
    figures: &'e [KaoFigure],
    access_sizes: &'e [(u64, f64)],
    judged: &'e [Judged],
}

/// Fits one user, predicts five, and judges what the thesis says of its figures.
pub(crate) fn execute(json: bool) -> Result<(), Failure> {
    let folder = TemporaryFolder::new().map_err(|error| Failure::new(error, None))?;
    let path = folder.path().join("sun.toml");
    for (name, text) in [("sun.toml", SCENARIO), SPECIFICATION] {
        std::fs::write(folder.path().join(name), text).map_err(|error| Failure::new(error, None))?;
    }
    let failed = |error: UsersError| Failure::new(error, None);
    let one = FiguresParameters { users: 1, ..MEASURED };
    let mut factor = 1.0;
    for step in 1..=STEPS {
        let found = measure_population(&with(&path, factor)?, &one, HEAVY).map_err(failed)?;
        let response = found.points.first().map_or(f64::NAN, |point| point.accesses.response_us_mean);
        talk(&format!("one user, {step} of {STEPS}: factor {factor:.3}, {response:.0} us"));
        factor = (factor * FITTED_US / response).clamp(0.05, 20.0);
    }
    let figures = measure_figures(&with(&path, factor)?, &MEASURED, |far| talk(&far.what)).map_err(failed)?;
    let all: Vec<KaoFigure> = figures.populations.iter().map(figure).collect();
    let of = |name: &str| all.iter().find(|figure| figure.population == name);
    let (Some(extreme), Some(heavy)) = (of(EXTREME), of(HEAVY)) else {
        return Err(Failure::new("the thesis' users lack a population", None));
    };
    let rows = rows(&heavy.points);
    let others: Vec<KaoFigure> = all.iter().filter(|figure| figure.population != EXTREME).cloned().collect();
    let sizes = figures.access_sizes.iter();
    let sizes: Vec<(u64, f64)> =
        sizes.map(|point| (point.access_bytes.unwrap_or(0), point.response_us_per_byte)).collect();
    let judged = judge(&rows, (extreme, &others), &sizes);
    let help = "petrio validate nfs --json prints every figure";
    if json {
        let (rows, figures, access_sizes) = (&rows[..], &all[..], &sizes[..]);
        print_json(&Everything { factor, rows, figures, access_sizes, judged: &judged })?;
        return conclude(&judged, true, help);
    }
    print(&format!(
        "One factor, fitted to one user: {factor:.3} on all that costs the workstation's processor\n\n"
    ))?;
    print(&of_rows(&rows))?;
    print(&of_figures(&all))?;
    print(&of_sizes(&sizes))?;
    print(&of_claims(&judged))?;
    conclude(&judged, false, help)
}

/// The scenario with a factor.
fn with(path: &Path, factor: f64) -> Result<Loaded, Failure> {
    let overrides: Result<Vec<Override>, _> =
        settings(factor).iter().map(|setting| setting.parse()).collect();
    let overrides = overrides.map_err(|problem| Failure::new(problem, None))?;
    let loaded = load_in(&Inputs::here(), path, &overrides, &Watch::default());
    loaded.map_err(|problems| Failure::new(UsersError::from(problems), None))
}

fn figure(figure: &PopulationFigure) -> KaoFigure {
    let point = |point: &petrio_study::users::Point| KaoPoint {
        users: point.users,
        bytes: (point.accesses.bytes_mean, point.accesses.bytes_deviation),
        response_us: (point.accesses.response_us_mean, point.accesses.response_us_deviation),
        us_per_byte: point.response_us_per_byte,
    };
    KaoFigure {
        population: figure.population.clone(),
        points: figure.points.iter().map(point).collect(),
        line: (figure.slope, figure.r_squared),
    }
}

fn of_rows(rows: &[KaoRow]) -> String {
    let line = |row: &KaoRow| {
        vec![
            row.users.to_string(),
            format!("{:.0}", row.bytes.0),
            format!("{:.0}", row.bytes.1),
            format!("{:.0}", row.response_us.0),
            format!("{:.0}", row.response_us.1),
            format!("{:+.1}", row.error_percent),
            format!("{:.0}", row.deviation_us.0),
            format!("{:.0}", row.deviation_us.1),
        ]
    };
    let headings = [
        "users",
        "bytes",
        "predicted",
        "response us",
        "predicted us",
        "error %",
        "its s.d. us",
        "predicted us",
    ];
    table(&headings, &rows.iter().map(line).collect::<Vec<_>>())
}

fn of_figures(figures: &[KaoFigure]) -> String {
    let line = |figure: &KaoFigure| {
        let points = figure.points.iter().map(|point| format!("{:.3}", point.us_per_byte));
        let (slope, r_squared) = figure.line;
        std::iter::once(figure.population.clone())
            .chain(points)
            .chain([format!("{slope:.3}"), format!("{r_squared:.3}")])
            .collect()
    };
    let headings = ["figures 5.6 to 5.11, us/B", "1", "2", "3", "4", "5", "6", "slope", "r squared"];
    table(&headings, &figures.iter().map(line).collect::<Vec<_>>())
}

fn of_claims(judged: &[Judged]) -> String {
    judged.iter().map(|judged| format!("{}: {}\n", judged.verdict.words(), judged.line())).collect::<String>()
        + "\n"
}

fn of_sizes(sizes: &[(u64, f64)]) -> String {
    let line = |&(bytes, response): &(u64, f64)| vec![bytes.to_string(), format!("{response:.3}")];
    table(&["figure 5.12, bytes", "us/B"], &sizes.iter().map(line).collect::<Vec<_>>())
}
