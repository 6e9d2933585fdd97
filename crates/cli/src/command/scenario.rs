//! The scenario argument and its overrides, as several commands take them.

use crate::failure::Failure;
use clap::Args;
use petrio_kernel::Watch;
use petrio_scenario::{Loaded, Override, load_watched};
use std::path::PathBuf;

/// Which scenario, and what to change in it.
#[derive(Args)]
pub(crate) struct ScenarioArguments {
    /// The scenario file (TOML; `petrio schema` explains its keys), or - for standard input
    #[arg(value_name = "SCENARIO", value_parser = crate::streams::input)]
    pub(crate) scenario: PathBuf,
    /// Change a value of the scenario, such as disk.d.scheduler=sptf or, in a part of a part,
    /// host.server.disk.d.count=6; may be repeated
    #[arg(long = "set", value_name = "PATH=VALUE")]
    overrides: Vec<Override>,
    /// Where random numbers begin, instead of the scenario's seed
    #[arg(long, value_name = "NUMBER")]
    seed: Option<u64>,
}

impl ScenarioArguments {
    /// Reads and checks the scenario; warnings are told.
    pub(crate) fn load(&self) -> Result<Loaded, Failure> {
        self.load_watched(&Watch::default(), None)
    }

    /// The same, as long as it is wanted, with what another option sets.
    pub(crate) fn load_watched(&self, watch: &Watch, more: Option<Override>) -> Result<Loaded, Failure> {
        let mut overrides = self.overrides.clone();
        overrides.extend(more);
        if let Some(seed) = self.seed {
            overrides.push(Override::new("seed", &seed.to_string()));
        }
        let loaded = load_watched(&self.scenario, &overrides, watch)?;
        for warning in &loaded.warnings {
            crate::output::talk(&format!("{:?}", miette::Report::new(warning.clone())));
        }
        Ok(loaded)
    }
}
