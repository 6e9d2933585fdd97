//! `petrio loss`

use crate::failure::Failure;
use crate::output::width;
use crate::progress::bar;
use crate::results::Results;
use clap::Args;
use petrio_files::inputs::Inputs;
use petrio_kernel::Watch;
use petrio_scenario::Override;
use petrio_study::loss::{
    LossError, LossFindings, LossQuestion, USUAL_REPLICATIONS, loss, loss_text, write_loss_html,
};
use petrio_units::{Fraction, Lifetime};
use std::path::{Path, PathBuf};

/// How likely it is that data are lost within a year, for how long it hangs by a thread, and what a spare, a level or a smaller drive changes
#[derive(Args)]
#[command(after_help = HELP)]
pub(crate) struct Loss {
    /// The scenario file
    #[arg(value_name = "SCENARIO")]
    scenario: PathBuf,
    /// Within how many years
    #[arg(long, value_name = "NUMBER", default_value_t = 1.0, value_parser = years)]
    years: f64,
    /// How old the drives are at the beginning, such as "26000 h": it matters where they have a shape, or latent errors
    #[arg(long, value_name = "TIME")]
    age: Option<Lifetime>,
    /// After how long all sectors are read and repaired, again and again, such as "30 d"; left out, never
    #[arg(long, value_name = "TIME")]
    scrub: Option<Lifetime>,
    /// Change a value of the scenario; may be repeated
    #[arg(long = "set", value_name = "PATH=VALUE")]
    settings: Vec<Override>,
    /// Where random numbers begin, instead of the scenario's seed
    #[arg(long, value_name = "NUMBER")]
    seed: Option<u64>,
    /// Years are drawn until half the interval is this part of the chance
    #[arg(long, value_name = "SHARE", default_value = "5 %", value_parser = precision)]
    precision: Fraction,
    /// Runs with members that fail, by which it is measured how long places are filled
    #[arg(long, value_name = "NUMBER", default_value_t = USUAL_REPLICATIONS, value_parser = clap::value_parser!(u32).range(1..=1_000))]
    replications: u32,
    /// Don't ask what changes would do
    #[arg(long)]
    no_changes: bool,
    #[command(flatten)]
    results: Results,
    /// Don't print what was found
    #[arg(long, short)]
    quiet: bool,
}

const HELP: &str = "\
How long drives live, and how often a sector can't be read, catalogue or scenario say (`petrio schema disk.NAME.drive.reliability`):
disk.d.drive.reliability.mean_time_to_failure=\"1200000 h\", .bits_per_read_error=1e15, .shape, .mean_time_to_latent_error. How long a place is
filled is measured by the scenario's run with members that fail at its beginning, under its load, with as many missing as the array outlives.
Years are drawn so that what is rare is made likely and weighed, so that a loss in a billion years takes seconds.

Examples:
  petrio loss examples/how-safe.toml
  petrio loss array.toml --years 5 --scrub \"30 d\" --html loss.html
  petrio loss array.toml --set raid.array.level=6 --no-changes";

fn years(text: &str) -> Result<f64, String> {
    let years: f64 = text.parse().map_err(|_| "it is a number of years, such as 5 or 0.5".to_owned())?;
    if (0.001..=100.0).contains(&years) {
        Ok(years)
    } else {
        Err("they are from 0.001 to 100 years".to_owned())
    }
}

fn precision(text: &str) -> Result<Fraction, String> {
    let share: Fraction = text.parse().map_err(|error| format!("{error}"))?;
    if (0.001..=0.5).contains(&share.get()) { Ok(share) } else { Err("it is from 0.1 % to 50 %".to_owned()) }
}

impl Loss {
    pub(crate) fn execute(&self) -> Result<(), Failure> {
        let (files, watch) = (Inputs::here(), Watch::default());
        self.results.check(&files, &[&self.scenario])?;
        let question = LossQuestion {
            scenario: self.scenario.clone(),
            files: files.clone(),
            settings: self.settings.clone(),
            seed: self.seed,
            years: self.years,
            age: self.age.map_or(0.0, Lifetime::as_seconds),
            scrubbed_every: self.scrub.map(Lifetime::as_seconds),
            precision: self.precision.get(),
            replications: self.replications,
            with_changes: !self.no_changes,
            watch: watch.clone(),
        };
        let found = {
            let _stoppable = crate::stop::by_interrupt(&watch);
            let bar = bar("{spinner} {msg} ({elapsed})");
            let found = loss(&question, &mut |what| bar.set_message(what.to_owned()));
            bar.finish_and_clear();
            found
        };
        let found = found.map_err(|error| match error {
            _ if watch.is_stopped() => Failure::Interrupted,
            LossError::Scenario(problems) => Failure::Scenario(problems),
            other => Failure::of(&other),
        })?;
        let text = (!self.quiet).then(|| loss_text(&found, width()));
        let page = |found: &LossFindings, path: &Path, inputs: &Inputs| write_loss_html(found, path, inputs);
        self.results.leave((&found, &files), page, text)
    }
}
