//! `petrio fit`

use crate::command::reading::Reading;
use crate::failure::Failure;
use crate::output::print;
use crate::outputs::Outputs;
use crate::results::{Results, say_written};
use crate::table::table;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use indicatif::{ProgressBar, ProgressStyle};
use petrio_distribution::fit::{FitFamily, FitOptions, Method, Progress};
use petrio_files::inputs::Inputs;
use petrio_page::numbers::{grouped, significant};
use petrio_scenario::report::write_text;
use petrio_study::fit::{Data, FitStudyError, FittedData, Measure, Unit, fit_data, write_html, write_json};
use std::io::{Read, stdin};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Fit distributions to data: a file of numbers, or a measure of a trace
///
/// Tries every family (gamma and exponential stages with offsets, hyper-Erlang, Weibull, lognormal and others), chooses
/// by BIC, and prints the chosen one as TOML, ready to paste into a scenario.
#[derive(Args)]
pub(crate) struct Fit {
    /// A number a line, or a table with --column; a trace with --measure; - for standard input
    #[arg(value_name = "DATA")]
    data: PathBuf,
    /// The column of a table, by its name or its number from 1
    #[arg(long, value_name = "NAME", conflicts_with = "measure")]
    column: Option<String>,
    /// What of a trace is fitted
    #[arg(long, value_name = "MEASURE", value_enum)]
    measure: Option<MeasureName>,
    /// What the numbers are: bytes, seconds, or nothing that has a unit
    #[arg(long, value_name = "UNIT", value_enum, default_value = "none", conflicts_with = "measure")]
    unit: UnitName,
    /// The family to fit, several with commas; all if left out
    #[arg(long, value_name = "FAMILY", value_parser = family(), value_delimiter = ',')]
    family: Vec<FitFamily>,
    /// How many stages the families gamma and phase-type have, up to 12; one to four, the best of them, if left out
    #[arg(long, value_name = "NUMBER")]
    stages: Option<usize>,
    /// How many phases a hyper-Erlang distribution has
    #[arg(long, value_name = "NUMBER", default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..=40))]
    phases: u32,
    /// How parameters are found
    #[arg(long, value_name = "METHOD", value_enum, default_value = "likelihood")]
    method: MethodName,
    /// Resamples that the intervals of the parameters are made of, by likelihood; 0 for no intervals
    #[arg(long, value_name = "NUMBER", default_value_t = 100)]
    bootstrap: usize,
    /// The seed of the resamples
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    reading: Reading,
    #[command(flatten)]
    results: Results,
    /// Write the chosen distribution's CDF as a table: lines of a point and the probability of as much or less, which a
    /// scenario or a user specification reads by cumulative-table = { file = "OUT", interpolation = "linear" }
    #[arg(long, value_name = "OUT", value_parser = crate::streams::output)]
    table: Option<PathBuf>,
    /// Print the TOML alone
    #[arg(long, short)]
    quiet: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum MeasureName {
    /// The length of a file at each of its opens
    Size,
    /// The bytes of each read and write
    Length,
    /// From the end of a process's request to the beginning of its next
    Think,
    /// From one request's beginning to the next one's
    InterArrival,
    /// From a request's beginning to its end
    Service,
}

impl From<MeasureName> for Measure {
    fn from(name: MeasureName) -> Self {
        match name {
            MeasureName::Size => Self::Size,
            MeasureName::Length => Self::Length,
            MeasureName::Think => Self::Think,
            MeasureName::InterArrival => Self::InterArrival,
            MeasureName::Service => Self::Service,
        }
    }
}

#[derive(Clone, Copy, ValueEnum)]
enum UnitName {
    None,
    Bytes,
    Time,
}

#[derive(Clone, Copy, ValueEnum)]
enum MethodName {
    /// The parameters under which the values are most likely
    Likelihood,
    /// Those with the values' mean, variance and skewness
    Moments,
}

/// One of the families' names.
fn family() -> impl TypedValueParser<Value = FitFamily> {
    PossibleValuesParser::new(FitFamily::ALL.map(FitFamily::name)).map(|name| {
        // The parser lets nothing else pass.
        FitFamily::ALL.into_iter().find(|family| family.name() == name).unwrap_or(FitFamily::Gamma)
    })
}

impl Fit {
    pub(crate) fn execute(&self) -> Result<(), Failure> {
        let inputs = Inputs::here();
        self.outputs().check(&inputs, [self.data.as_path()])?;
        let mut options = FitOptions {
            stages: self.stages,
            phases: self.phases,
            method: match self.method {
                MethodName::Likelihood => Method::Likelihood,
                MethodName::Moments => Method::Moments,
            },
            bootstrap: self.bootstrap,
            seed: self.seed,
            ..FitOptions::default()
        };
        if !self.family.is_empty() {
            options.families = self.family.clone();
        }
        let sign = Sign { bar: ProgressBar::hidden(), began: Instant::now(), shown: std::sync::Once::new() };
        let found = fit_data(self.data(&inputs)?, &options, &|progress| sign.update(progress));
        sign.bar.finish_and_clear();
        let found = found.map_err(|error: FitStudyError| Failure::of(&error))?;
        if let Some(path) = &self.results.json {
            write_json(&found, path, &inputs)?;
        }
        if let Some(path) = &self.results.html {
            write_html(&found, path, &inputs)?;
        }
        if let Some(path) = &self.table {
            write_text(path, &inputs, &found.table())?;
        }
        if self.outputs().to_output() {
            // What stands there is for another program.
        } else if self.quiet {
            print(&found.toml(found.report.chosen()))?;
        } else {
            print(&summary(&found))?;
        }
        say_written(self.outputs().paths().map(|(_, path)| path));
        Ok(())
    }

    fn outputs(&self) -> Outputs<'_> {
        let Results { json, html } = &self.results;
        Outputs::of([("--json", json), ("--html", html), ("--table", &self.table)])
    }

    fn data<'a>(&'a self, inputs: &'a Inputs) -> Result<Data<'a>, Failure> {
        let is_stdin = self.data == Path::new("-");
        if let Some(measure) = self.measure {
            if is_stdin {
                let help = "give the trace's file".to_owned();
                return Err(Failure::new("a trace is not read from standard input", Some(help)));
            }
            return Ok(Data::Trace {
                inputs,
                path: &self.data,
                measure: measure.into(),
                options: Box::new(self.reading.options()),
            });
        }
        let unit = match self.unit {
            UnitName::None => Unit::None,
            UnitName::Bytes => Unit::Bytes,
            UnitName::Time => Unit::Time,
        };
        let source: Box<dyn Read> = if is_stdin {
            Box::new(stdin())
        } else {
            let cannot =
                |error| Failure::new(format!("{} can't be read: {error}", self.data.display()), None);
            Box::new(inputs.open(&self.data).map_err(cannot)?)
        };
        let name = if is_stdin { "standard input".to_owned() } else { self.data.display().to_string() };
        Ok(Data::Text { name, source, column: self.column.as_deref(), unit })
    }
}

fn summary(data: &FittedData) -> String {
    let (report, chosen) = (&data.report, data.report.chosen());
    let sorted = report.sample.sorted();
    let mut text = format!(
        "{}: {} {}, mean {}, standard deviation {}, from {} to {}\n",
        data.name,
        grouped(sorted.len() as u64),
        data.what,
        data.figure(report.sample.mean()),
        data.figure(report.sample.deviation()),
        data.figure(sorted[0]),
        data.figure(sorted[sorted.len() - 1]),
    );
    for note in report.notes() {
        text.push_str(&format!("  note: {note}\n"));
    }
    if !report.attempts.is_empty() {
        text.push('\n');
        text.push_str(&families(data));
    }
    text.push_str(&format!("\nChosen: {}, mean {}", chosen.label, data.figure(chosen.distribution.mean())));
    if let Some(intervals) = &report.intervals {
        let (low, high) = (data.figure(intervals.mean.low), data.figure(intervals.mean.high));
        text.push_str(&format!(" ({low} … {high})"));
    }
    text.push('\n');
    if !chosen.parameters.is_empty() {
        text.push_str(&parameters(data));
    }
    text.push_str(&format!("\n{}\n", data.toml(chosen)));
    text
}

fn families(data: &FittedData) -> String {
    let mut refused = String::new();
    let mut rows = Vec::new();
    for attempt in &data.report.attempts {
        match &attempt.outcome {
            Ok(fitted) => {
                let found = &fitted.goodness;
                rows.push(vec![
                    attempt.label.clone(),
                    fitted.freedom().to_string(),
                    format!("{:.1}", found.log_likelihood),
                    format!("{:.1}", found.bic),
                    format!("{:.4}", found.kolmogorov_smirnov),
                    format!("{:.3}", found.kolmogorov_smirnov_p),
                    significant(found.anderson_darling),
                    format!("{:.3}", found.anderson_darling_p),
                    format!("{:.4}", found.area),
                ]);
            }
            Err(reason) => refused.push_str(&format!("  {} not fitted: {reason}\n", attempt.label)),
        }
    }
    let headings = ["family", "parameters", "log-likelihood", "BIC", "KS", "p", "A²", "p", "area"];
    table(&headings, &rows) + &refused
}

fn parameters(data: &FittedData) -> String {
    let report = &data.report;
    let rows: Vec<Vec<String>> = report
        .chosen()
        .parameters
        .iter()
        .enumerate()
        .map(|(index, parameter)| {
            let figure =
                |value: f64| if parameter.has_unit { data.figure(value) } else { significant(value) };
            let mut row = vec![parameter.name.clone(), figure(parameter.value)];
            if let Some(intervals) = &report.intervals {
                let interval = intervals.parameters[index];
                row.push(format!("{} … {}", figure(interval.low), figure(interval.high)));
            }
            row
        })
        .collect();
    match report.intervals {
        Some(_) => table(&["parameter", "value", "95 % interval"], &rows),
        None => table(&["parameter", "value"], &rows),
    }
}

/// A sign of life after the first second, told from several threads.
struct Sign {
    bar: ProgressBar,
    began: Instant,
    shown: std::sync::Once,
}

impl Sign {
    fn update(&self, progress: &Progress) {
        if self.began.elapsed() > Duration::from_secs(1) {
            self.shown.call_once(|| {
                self.bar.set_draw_target(indicatif::ProgressDrawTarget::stderr());
                if let Ok(style) = ProgressStyle::with_template("{spinner} {msg} ({elapsed})") {
                    self.bar.set_style(style);
                }
            });
            self.bar.set_message(format!("{} of {} {}", progress.done, progress.of, progress.what));
            self.bar.tick();
        }
    }
}
