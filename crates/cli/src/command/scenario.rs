//! The scenario argument and its overrides, as several commands take them.

use crate::failure::Failure;
use clap::Args;
use petrio_files::inputs::Inputs;
use petrio_files::shown;
use petrio_kernel::Watch;
use petrio_scenario::init::{Choices, is_played, load_played};
use petrio_scenario::state::SavedRun;
use petrio_scenario::{Loaded, Override, load_on};
use std::path::PathBuf;

/// Which scenario, and what to change in it.
#[derive(Args)]
pub(crate) struct ScenarioArguments {
    /// The scenario file (TOML; `petrio schema` explains its keys), or - for standard input; or what one is made of: fio's job
    /// file, script or JSON, or in quotes a command line of fio's or iozone's
    #[arg(value_name = "SCENARIO", value_parser = crate::streams::input)]
    pub(crate) scenario: PathBuf,
    /// Change a value of the scenario, such as disk.d.scheduler=sptf or, in a part of a part,
    /// host.server.disk.d.count=6; may be repeated
    #[arg(long = "set", value_name = "PATH=VALUE")]
    overrides: Vec<Override>,
    /// Where random numbers begin, instead of the scenario's seed
    #[arg(long, value_name = "NUMBER")]
    seed: Option<u64>,
    #[command(flatten)]
    made: MadeFor,
}

/// What a scenario is made for, where one is made.
#[derive(Args)]
pub(crate) struct MadeFor {
    /// The drive that fio's or iozone's jobs meet (`petrio catalogue list`)
    #[arg(long, value_name = "NAME")]
    drive: Option<String>,
    /// Their host's memory, such as "16 GiB"
    #[arg(long, value_name = "SIZE")]
    memory: Option<String>,
    /// Their host, a machine of the catalogue (`petrio catalogue list machines`)
    #[arg(long, value_name = "NAME")]
    machine: Option<String>,
    /// Its kernel, of the catalogue (`petrio catalogue list kernels`)
    #[arg(long, value_name = "NAME")]
    kernel: Option<String>,
}

impl MadeFor {
    /// As [`petrio_scenario::init`] takes them, for a scenario that is called `file`.
    pub(crate) fn choices(&self, file: String) -> Choices {
        let Self { drive, memory, machine, kernel } = self;
        Choices {
            drive: drive.clone(),
            memory: memory.clone(),
            machine: machine.clone(),
            kernel: kernel.clone(),
            file,
        }
    }
}

impl ScenarioArguments {
    /// Reads and checks the scenario; warnings are told.
    pub(crate) fn load(&self, inputs: &Inputs) -> Result<Loaded, Failure> {
        self.load_watched(inputs, &Watch::default(), None, None)
    }

    /// The same, as long as it is wanted, with what another option sets.
    pub(crate) fn load_watched(
        &self,
        inputs: &Inputs,
        watch: &Watch,
        more: Option<Override>,
        from: Option<&SavedRun>,
    ) -> Result<Loaded, Failure> {
        let mut overrides = self.overrides.clone();
        overrides.extend(more);
        if let Some(seed) = self.seed {
            overrides.push(Override::new("seed", &seed.to_string()));
        }
        let choices = self.made.choices("SCENARIO".to_owned());
        let loaded = if is_played(inputs, &self.scenario) {
            let (loaded, remarks) = load_played(inputs, &self.scenario, &choices, &overrides, watch)?;
            remarks.iter().for_each(|remark| crate::output::talk(&format!("warning: {remark}")));
            loaded
        } else if choices.is_any() {
            let file = shown::path(&self.scenario);
            let help =
                "change it by --set, such as --set disk.d.model=NAME or --set host.h.memory=\"16 GiB\"";
            let problem = format!(
                "--drive, --memory, --machine and --kernel are for jobs of fio's and iozone's: {file} says its own"
            );
            return Err(Failure::new(problem, Some(help.to_owned())));
        } else {
            load_on(inputs, &self.scenario, &overrides, watch, from)?
        };
        for warning in &loaded.warnings {
            crate::output::talk(&format!("{:?}", miette::Report::new(warning.clone())));
        }
        Ok(loaded)
    }
}
