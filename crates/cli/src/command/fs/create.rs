//! `petrio fs create`

use super::{Placed, directories, failed, placed, words};
use crate::failure::Failure;
use crate::output::{print, talk};
use crate::progress::CountProgress;
use clap::Args;
use petrio_live::namespace::{Manifest, Site, create, verify};
use petrio_scenario::{Override, load_users};
use petrio_workload::namespace::Namespace;
use petrio_workload::users::{FileKind, UserSpecification};
use std::path::PathBuf;

/// Make the files of a user specification in a directory, or show what they would be
///
/// The same specification, users and seed give the same names and sizes everywhere, in real directories and in simulated file
/// systems. A creation that was stopped goes on where it was. Nothing is written outside the directories given.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Create {
    /// The user specification
    #[arg(value_name = "SPEC")]
    specification: PathBuf,
    /// Where they are made: a directory that is empty or not there yet; PLACE=DIR for a place of the
    /// specification that is to lie elsewhere
    #[arg(long, value_name = "DIR", value_parser = placed, required_unless_present = "simulated")]
    dir: Vec<Placed>,
    /// Make nothing: list the files with their sizes, as a simulated file system gets them
    #[arg(long, conflicts_with = "dir")]
    simulated: bool,
    /// For how many users, where the specification doesn't say
    #[arg(long, value_name = "N", default_value_t = 1)]
    users: u32,
    /// Where random numbers begin
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    seed: u64,
    /// Change a value of the specification, such as files.count=5000; may be repeated
    #[arg(long = "set", value_name = "PATH=VALUE")]
    overrides: Vec<Override>,
    /// Put them beside what is in the directory; nothing that is there is touched
    #[arg(long)]
    force: bool,
    /// Look at every file afterwards
    #[arg(long)]
    verify: bool,
}

const EXAMPLES: &str = "\
Examples:
  petrio fs create examples/users/thesis.toml --dir /mnt/data/files --users 6
  petrio fs create examples/users/thesis.toml --simulated | sort -n | tail
  petrio fs create spec.toml --dir /mnt/home --dir server=/mnt/nfs --verify
  petrio fs remove --dir /mnt/data/files";

impl Create {
    pub(crate) fn execute(&self) -> Result<(), Failure> {
        let specification = load_users(&self.specification, &self.overrides)?;
        let users = specification.files.users.unwrap_or(self.users);
        if self.simulated {
            return list(&specification, users, self.seed);
        }
        let directories = directories(&self.dir)?;
        let site =
            Site::plan(Manifest::new(specification, users, self.seed), &directories).map_err(failed)?;
        let namespace = site.namespace();
        let mut progress = CountProgress::new(namespace.entries.len() as u64, "files and directories");
        let created = create(&site, self.force, |made| {
            progress.update(made);
            true
        });
        progress.finish();
        let created = created.map_err(failed)?;
        let found = match created.found {
            0 => String::new(),
            found => format!("; {found} were there already"),
        };
        talk(&format!("{}: {}{found}", directories.main.display(), words(namespace)));
        if self.verify {
            let verified = verify(&Site::of(&directories).map_err(failed)?).map_err(failed)?;
            super::verify::tell(&verified)?;
        }
        Ok(())
    }
}

/// Lists what would be made: sizes and paths.
fn list(specification: &UserSpecification, users: u32, seed: u64) -> Result<(), Failure> {
    let namespace: Namespace =
        specification.namespace(users, seed).map_err(|error| Failure::new(error, None))?;
    let mut text = String::new();
    for (position, entry) in (0..).zip(&namespace.entries) {
        let slash = if entry.kind == FileKind::Directory { "/" } else { "" };
        let size = if entry.kind == FileKind::Directory { 0 } else { entry.size };
        text.push_str(&format!("{size:>12}  {}{slash}\n", namespace.path(position)));
    }
    print(&text)?;
    talk(&words(&namespace));
    Ok(())
}
