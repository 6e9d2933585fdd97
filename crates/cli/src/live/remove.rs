//! `petrio fs remove`

use super::directories::{Placed, directories, placed};
use crate::failure::Failure;
use crate::output::talk;
use clap::Args;
use petrio_files::shown;
use petrio_live::namespace::{Access, Kept, Site, remove};
use petrio_page::numbers::counted;

/// Remove what petrio fs create has made, and nothing else
///
/// What was made is known by what it is, not by its name: a file of yours that has the name of one of petrio's stays,
/// and the directories around it, and the command says so and ends with exit code 2. A file that petrio has made is
/// removed whatever was written into it since.
#[derive(Args)]
pub(crate) struct Remove {
    /// The directory that was given to petrio fs create, and PLACE=DIR again for each place that lies elsewhere
    #[arg(long, value_name = "DIR", value_parser = placed, required = true)]
    dir: Vec<Placed>,
}

/// So many of what is kept are named.
const NAMED: usize = 20;

impl Remove {
    pub(crate) fn execute(&self) -> Result<(), Failure> {
        let directories = directories(&self.dir)?;
        let site = Site::of(&directories, Access::Change, "petrio fs remove")?;
        let removed = remove(site)?;
        talk(&format!("removed: {}", counted(removed.removed, "file or directory", "files and directories")));
        for Kept { path, why } in removed.kept.iter().take(NAMED) {
            talk(&format!("kept, {why}: {}", shown::path(path)));
        }
        match removed.kept.len() {
            0 => Ok(()),
            kept => {
                if let Some(more) = kept.checked_sub(NAMED).filter(|more| *more > 0) {
                    talk(&format!("kept: {more} more"));
                }
                let help = "what is left is yours, or lies around it; once it is moved away, petrio fs remove removes the rest";
                let what = counted(kept as u64, "file or directory was", "files and directories were");
                Err(Failure::new(format!("{what} kept"), Some(help.to_owned())))
            }
        }
    }
}
