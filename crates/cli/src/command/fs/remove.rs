//! `petrio fs remove`

use super::{Placed, directories, failed, placed};
use crate::failure::Failure;
use crate::output::talk;
use clap::Args;
use petrio_live::namespace::{Site, remove};
use petrio_scenario::report::figures::counted;

/// Remove what petrio fs create has made, and nothing else
#[derive(Args)]
pub(crate) struct Remove {
    /// The directory that was given to petrio fs create
    #[arg(long, value_name = "DIR", value_parser = placed, required = true)]
    dir: Vec<Placed>,
}

impl Remove {
    pub(crate) fn execute(&self) -> Result<(), Failure> {
        let removed = remove(&Site::of(&directories(&self.dir)?).map_err(failed)?).map_err(failed)?;
        talk(&format!("removed: {}", counted(removed.removed, "file or directory", "files and directories")));
        for path in &removed.kept {
            talk(&format!("kept, something else is in it: {}", path.display()));
        }
        Ok(())
    }
}
