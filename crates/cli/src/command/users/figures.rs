//! `petrio users figures`

use super::failed;
use crate::failure::Failure;
use crate::output::talk;
use crate::results::Results;
use crate::usage::figures_table;
use clap::Args;
use petrio_files::inputs::Inputs;
use petrio_kernel::Watch;
use petrio_scenario::{Override, load_in};
use petrio_study::users::{FiguresParameters, UsersError, measure_figures, write_figures_html};
use std::path::PathBuf;

/// Measure response time a byte by number of users for every population of a specification, and by access size
///
#[cfg_attr(
    feature = "live",
    doc = "The thesis' figures 5.6 to 5.12, of a simulated system or of a real directory."
)]
#[cfg_attr(not(feature = "live"), doc = "The thesis' figures 5.6 to 5.12, of a simulated system.")]
#[derive(Args)]
#[command(after_help = examples())]
pub(crate) struct Figures {
    /// A scenario with one workload of kind = "users"
    #[arg(value_name = "SCENARIO")]
    scenario: PathBuf,
    /// Run the users for real, in this directory, instead of the scenario's system
    #[arg(long, value_name = "DIR", hide = cfg!(not(feature = "live")))]
    dir: Option<PathBuf>,
    /// Most users at once
    #[arg(long, value_name = "N", default_value_t = 6, value_parser = clap::value_parser!(u32).range(1..=1_000))]
    users: u32,
    /// Login sessions of each
    #[arg(long, value_name = "N", default_value_t = 50)]
    sessions: u32,
    /// Change a value of the scenario; may be repeated
    #[arg(long = "set", value_name = "PATH=VALUE")]
    overrides: Vec<Override>,
    #[command(flatten)]
    results: Results,
    /// Don't print the table, and don't tell what is being run
    #[arg(long, short)]
    quiet: bool,
}

fn examples() -> String {
    let mut examples =
        "Examples:\n  petrio users figures examples/users/on-ext4.toml --html figures.html".to_owned();
    if cfg!(feature = "live") {
        let real = "examples/users/on-ext4.toml --dir /mnt/data/files --users 4 --sessions 10";
        examples.push_str(&format!("\n  petrio users figures {real}"));
    }
    examples
}

impl Figures {
    pub(crate) fn execute(&self) -> Result<(), Failure> {
        let inputs = Inputs::here();
        self.results.check(&inputs, &[&self.scenario])?;
        let parameters =
            FiguresParameters { directory: self.dir.clone(), users: self.users, sessions: self.sessions };
        let loaded = load_in(&inputs, &self.scenario, &self.overrides, &Watch::default())
            .map_err(|problems| failed(UsersError::from(problems)))?;
        let figures = measure_figures(&loaded, &parameters, |far| {
            if !self.quiet {
                talk(&far.what);
            }
        });
        let figures = figures.map_err(failed)?;
        self.results.leave(
            (&figures, &inputs),
            write_figures_html,
            (!self.quiet).then(|| figures_table(&figures)),
        )
    }
}
