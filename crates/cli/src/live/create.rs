//! `petrio fs create`

use super::directories::{Placed, directories, placed};
use super::verify::tell;
use crate::failure::Failure;
use crate::output::{print, print_json, talk};
use crate::progress::CountProgress;
use clap::{Args, ValueEnum};
use petrio_live::namespace::{Manifest, Site, create, verify};
use petrio_models::host::file_system::Family;
use petrio_page::numbers::{bytes, counted, grouped};
use petrio_scenario::{Override, load_users};
use petrio_study::users::{fill_volume, usual_size};
use petrio_units::Bytes;
use petrio_users::UserSpecification;
use petrio_users::namespace::Namespace;
use std::path::PathBuf;

/// Make the files of a user specification in a directory, or in a simulated file system
///
/// The same specification, users and seed give the same names and sizes everywhere, in real directories and in
/// simulated file systems. A creation that was stopped goes on where it was. Nothing is written outside the directories
/// given, through no link; where a name is taken by something that petrio hasn't made, nothing at all is changed. What
/// is made is written down in the directory, so that petrio fs remove removes exactly that; it has the sticky bit ("t"
/// in ls -l), by which petrio knows it after a crash. One petrio at a time works in a directory.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Create {
    /// The user specification
    #[arg(value_name = "SPEC", value_parser = crate::streams::input)]
    specification: PathBuf,
    /// Where they are made: a directory that is empty or not there yet; PLACE=DIR for a place of the
    /// specification that is to lie elsewhere
    #[arg(long, value_name = "DIR", value_parser = placed, required_unless_present = "simulated")]
    dir: Vec<Placed>,
    /// Make them in a simulated file system, and list them: bytes, blocks of 4 KiB, pieces in which these lie, path
    #[arg(long, conflicts_with_all = ["dir", "force", "verify"])]
    simulated: bool,
    /// The simulated file system's type
    #[arg(long = "type", value_name = "TYPE", value_enum, default_value = "ext4", conflicts_with = "dir")]
    family: FamilyName,
    /// The simulated file system's size, such as "64 GiB"; left out, twice what is needed, and 1 GiB at least
    #[arg(long, value_name = "SIZE", conflicts_with = "dir")]
    size: Option<Bytes>,
    /// Print what was simulated as JSON
    #[arg(long, conflicts_with = "dir")]
    json: bool,
    /// For how many users, where the specification doesn't say
    #[arg(long, value_name = "N", default_value_t = 1)]
    users: u32,
    /// Where random numbers begin
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    seed: u64,
    /// Change a value of the specification, such as files.count=5000; may be repeated
    #[arg(long = "set", value_name = "PATH=VALUE")]
    overrides: Vec<Override>,
    /// Put them beside what is in the directory; nothing that is there is touched, and nothing is made where a name is
    /// taken
    #[arg(long)]
    force: bool,
    /// Look at every file afterwards
    #[arg(long)]
    verify: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum FamilyName {
    Ext3,
    Ext4,
}

impl FamilyName {
    const fn name(self) -> &'static str {
        match self {
            Self::Ext3 => "ext3",
            Self::Ext4 => "ext4",
        }
    }
}

impl From<FamilyName> for Family {
    fn from(name: FamilyName) -> Self {
        match name {
            FamilyName::Ext3 => Self::Ext3,
            FamilyName::Ext4 => Self::Ext4,
        }
    }
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
            return simulate(self, &specification, users);
        }
        let directories = directories(&self.dir)?;
        let manifest = Manifest::new(specification, users, self.seed);
        let mut site = Site::plan(manifest, &directories, "petrio fs create")?;
        let mut progress = CountProgress::new(site.namespace().entries.len() as u64, "files and directories");
        let created = create(&mut site, self.force, |made| {
            progress.update(made);
            true
        });
        progress.finish();
        let created = created?;
        let found = match created.found {
            0 => String::new(),
            found => format!("; {found} were there already"),
        };
        talk(&format!("{}: {}{found}", directories.main.display(), words(site.namespace())));
        if self.verify {
            let verified = verify(&site)?;
            tell(&verified)?;
        }
        Ok(())
    }
}

/// Puts the files into a simulated file system and lists them: bytes, blocks of 4 KiB, pieces, path.
fn simulate(create: &Create, specification: &UserSpecification, users: u32) -> Result<(), Failure> {
    let plain = |error: &dyn std::fmt::Display| Failure::new(error, None);
    let namespace = specification.namespace(users, create.seed).map_err(|error| plain(&error))?;
    let size = create.size.unwrap_or_else(|| usual_size(&namespace));
    let filled = fill_volume(&namespace, create.family.into(), size)
        .map_err(|error| Failure::new(error, Some("name another --size, or make fewer files".to_owned())))?;
    if create.json {
        return print_json(&filled);
    }
    let mut text = String::new();
    for file in &filled.files {
        text.push_str(&format!("{:>12} {:>8} {:>4}  {}\n", file.size, file.blocks, file.extents, file.path));
    }
    print(&text)?;
    talk(&format!(
        "{}; on an empty {} of {size}: {} of {} blocks and {} inodes taken, {} in more than one piece",
        words(&namespace),
        create.family.name(),
        grouped(filled.blocks_taken),
        grouped(filled.blocks),
        grouped(filled.inodes_taken),
        counted(filled.in_pieces() as u64, "file", "files"),
    ));
    Ok(())
}

/// A namespace in a few words.
fn words(namespace: &Namespace) -> String {
    let (files, directories) = (namespace.files(), namespace.directories());
    format!(
        "{} and {}, {}",
        counted(files, "file", "files"),
        counted(directories, "directory", "directories"),
        bytes(namespace.bytes())
    )
}
