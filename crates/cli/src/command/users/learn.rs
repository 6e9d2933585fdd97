//! `petrio users learn`

use super::failed;
use crate::command::reading::Reading;
use crate::failure::Failure;
use crate::output::print;
use crate::outputs::Outputs;
use crate::results::{say_written, write_json};
use clap::{Args, ValueEnum};
use petrio_files::inputs::Inputs;
use petrio_scenario::report::write_text;
use petrio_study::users::{LearnWhat, learn_file};
use petrio_users::learn::{Independence, KINDS_MOST, Learned, TypesBy};
use std::fmt::Write as _;
use std::path::PathBuf;

/// Make a user specification of a trace of calls on files, and say how far its assumptions hold
///
/// Each process, or each login of one, is a session. Sessions that are alike become kinds of sessions; of each, files
/// are used as they were: size, bytes accessed, opens and calls of a file go together. The next call depends on the last
/// (a semi-Markov chain), and a pause on the one before. Pauses between sessions, sessions at once, hours (of a trace of a
/// day or more) and phases are learned where they are there. How far calls, sizes and think times of the trace depend on
/// those before stands at the head of the specification; `petrio users analyse --like` tests whether the users are like
/// the trace.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Learn {
    /// The trace, in any format that petrio reads
    #[arg(value_name = "TRACE", value_parser = crate::streams::input)]
    trace: PathBuf,
    /// What makes users of different types: the program that a process executes, or the user who logs in
    #[arg(long, value_name = "BY", value_enum)]
    types: Option<TypesName>,
    /// Most kinds of sessions of a type of users; with 1, all sessions are of one kind
    #[arg(long, value_name = "N", default_value_t = KINDS_MOST, value_parser = kinds_most)]
    kinds: usize,
    #[command(flatten)]
    reading: Reading,
    /// Where the specification is written; left out, it is printed
    #[arg(long, short, value_name = "SPEC", value_parser = crate::streams::output)]
    out: Option<PathBuf>,
    /// Write specification and figures as JSON
    #[arg(long, value_name = "OUT", value_parser = crate::streams::output)]
    json: Option<PathBuf>,
}

#[derive(Clone, Copy, ValueEnum)]
enum TypesName {
    /// The last program that a process executed; a dozen of them at most
    Program,
    /// The directory below home that is looked at at the login
    User,
}

impl From<TypesName> for TypesBy {
    fn from(name: TypesName) -> Self {
        match name {
            TypesName::Program => Self::Program,
            TypesName::User => Self::User,
        }
    }
}

fn kinds_most(text: &str) -> Result<usize, String> {
    const MOST: usize = 1_000;
    text.parse()
        .ok()
        .filter(|kinds| (1..=MOST).contains(kinds))
        .ok_or_else(|| format!("between 1 and {MOST}"))
}

const EXAMPLES: &str = "\
Examples:
  petrio trace capture --full -- make -j4
  petrio users learn trace.parquet --types program --out make.toml
  petrio users info make.toml
  petrio users run make.toml --dir /mnt/new --trace made.parquet
  petrio users analyse made.parquet --like trace.parquet";

impl Learn {
    pub(crate) fn execute(&self) -> Result<(), Failure> {
        let inputs = Inputs::here();
        Outputs::of([("--out", &self.out), ("--json", &self.json)]).check(&inputs, [self.trace.as_path()])?;
        let types_by = self.types.map_or(TypesBy::Nothing, TypesBy::from);
        let what = LearnWhat { types_by, kinds_most: self.kinds };
        let learned = learn_file(&inputs, &self.trace, &self.reading.options(), what).map_err(failed)?;
        let text = specification_text(&learned)?;
        match &self.out {
            Some(path) => write_text(path, &inputs, &text)?,
            None => print(&text)?,
        }
        if let Some(path) = &self.json {
            write_json(&learned, path, &inputs)?;
        }
        say_written([&self.out, &self.json].into_iter().flatten());
        Ok(())
    }
}

/// The specification, with what was found about its assumptions as a comment at its head.
fn specification_text(learned: &Learned) -> Result<String, Failure> {
    let mut text = format!("# Learned from {} sessions and {} files.\n", learned.sessions, learned.files);
    for note in &learned.notes {
        let _ = writeln!(text, "# Note: {note}.");
    }
    text.push_str(
        "#\n# How far calls, sizes and think times of the trace are independent of those before:\n",
    );
    for line in independence_lines(&learned.independence) {
        let _ = writeln!(text, "#   {line}");
    }
    let body = toml::to_string(&learned.specification).map_err(|error| Failure::Output(error.to_string()))?;
    text.push('\n');
    text.push_str(&body);
    Ok(text)
}

fn independence_lines(found: &Independence) -> Vec<String> {
    let mut lines = Vec::new();
    match &found.markov {
        Some(markov) => {
            let bits: Vec<String> = markov.bits_a_call.iter().map(|bits| format!("{bits:.2}")).collect();
            let verdict = match markov.order {
                0 => "the next call doesn't depend on those before".to_owned(),
                order => {
                    format!("the next call depends on the {order} before it (Markov order {order} by BIC)")
                }
            };
            lines.push(format!("calls: {verdict}; bits a call by order from 0: {}", bits.join(", ")));
        }
        None => lines.push("calls: too few to tell".to_owned()),
    }
    for correlation in &found.autocorrelations {
        let lags: Vec<String> = correlation.by_lag.iter().map(|lag| format!("{lag:+.3}")).collect();
        let first = correlation.by_lag.first().copied().unwrap_or_default();
        let verdict = if first.abs() > correlation.bound { "not independent" } else { "no dependence shown" };
        lines.push(format!(
            "{}: {verdict}; autocorrelation at lags from 1: {} (±{:.3} is chance)",
            correlation.of,
            lags.join(", "),
            correlation.bound
        ));
    }
    for correlation in &found.rank_correlations {
        let verdict =
            if correlation.rho.abs() > correlation.bound { "not independent" } else { "no dependence shown" };
        lines.push(format!(
            "{} and {}: {verdict}; rank correlation {:+.3} (±{:.3} is chance)",
            correlation.of, correlation.with, correlation.rho, correlation.bound
        ));
    }
    lines
}
