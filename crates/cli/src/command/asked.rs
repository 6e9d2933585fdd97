//! What a study that is repeated is asked for, as several commands of `petrio validate` take it: only some of its figures, with changes, or its
//! scenarios instead of its runs.

use crate::failure::Failure;
use crate::output::talk;
use clap::Args;
use petrio_kernel::Watch;
use petrio_scenario::Override;
use petrio_validation::asked::{Asked, Place, Written};
use std::path::{Path, PathBuf};

/// Which figures, and what is changed.
#[derive(Args)]
pub(crate) struct Changes {
    /// Change a value of the study's scenarios, such as network.lan.use=gigabit-ethernet; may be repeated
    #[arg(long = "set", value_name = "PATH=VALUE")]
    set: Vec<Override>,
    /// Only this figure or table of the study, such as figure-7; may be repeated
    #[arg(long, value_name = "FIGURE")]
    only: Vec<Place>,
}

impl Changes {
    /// What is asked for of a study with these figures and tables. An interrupt is to break it off.
    pub(crate) fn asked(&self, there: &[Place]) -> Result<Asked, Failure> {
        let asked = Asked { set: self.set.clone(), only: self.only.clone(), watch: Watch::new() };
        asked.check(there).map_err(|error| Failure::new(error, None))?;
        Ok(asked)
    }
}

/// The study's scenarios as files.
#[derive(Args)]
pub(crate) struct Scenarios {
    /// Write the study's scenarios into this folder, for petrio run, instead of running them
    #[arg(long, value_name = "DIR")]
    scenarios: Option<PathBuf>,
}

impl Scenarios {
    /// The folder, where scenarios are asked for: it is made, and may hold nothing yet.
    pub(crate) fn folder(&self) -> Result<Option<PathBuf>, Failure> {
        let Some(folder) = &self.scenarios else { return Ok(None) };
        let refused = |error: std::io::Error| Failure::new(format!("{}: {error}", folder.display()), None);
        std::fs::create_dir_all(folder).map_err(refused)?;
        if std::fs::read_dir(folder).map_err(refused)?.next().is_some() {
            let help = Some("name an empty folder, or one that isn't there".to_owned());
            return Err(Failure::new(format!("{}: it isn't empty", folder.display()), help));
        }
        Ok(Some(folder.clone()))
    }

    /// Writes all of them.
    pub(crate) fn write(&self, folder: &Path, all: &[Written], watch: &Watch) -> Result<(), Failure> {
        for one in all {
            one.write(folder).map_err(|error| Failure::new(error, None))?;
        }
        talk(&format!("written: {} scenarios in {}", all.len(), folder.display()));
        broken_off(watch)
    }
}

/// Says so where what was told is what had been done when somebody broke it off.
pub(crate) fn broken_off(watch: &Watch) -> Result<(), Failure> {
    if !watch.is_stopped() {
        return Ok(());
    }
    talk("warning: broken off; what is told is what was done by then");
    Err(Failure::Interrupted)
}
