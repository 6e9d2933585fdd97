//! `petrio man`

use crate::failure::Failure;
use crate::output::print;
use crate::results::say_written;
use clap::{Args, Command};
use clap_mangen::Man as Page;
use petrio_files::inputs::Inputs;
use petrio_scenario::report::write_text;
use std::path::{Path, PathBuf};

/// Write the manual pages: petrio(1), and one for each command
#[derive(Args)]
#[command(after_help = PLACES)]
pub(crate) struct Man {
    /// The page of this command; left out, petrio's own: petrio man trace convert
    #[arg(value_name = "COMMAND", conflicts_with = "dir")]
    command: Vec<String>,
    /// Write all pages into this folder, instead of one to standard output
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
}

const PLACES: &str = "\
Examples:
  petrio man run | man -l -
  mkdir -p ~/.local/share/man/man1 && petrio man --dir ~/.local/share/man/man1 && man petrio-run";

impl Man {
    /// Of all of petrio.
    pub(crate) fn execute(&self, mut top: Command) -> Result<(), Failure> {
        // Gives each command the whole name by which its page is called.
        top.build();
        match &self.dir {
            Some(dir) => {
                let mut written = Vec::new();
                write_all(top, dir, &mut written)?;
                say_written(&written);
                Ok(())
            }
            None => print(&page(self.find(top)?)?.1),
        }
    }

    /// The command whose page is wanted.
    fn find(&self, top: Command) -> Result<Command, Failure> {
        self.command.iter().try_fold(top, |command, word| {
            command.find_subcommand(word).cloned().ok_or_else(|| {
                let names: Vec<&str> = pages(&command).map(Command::get_name).collect();
                let help = match names.is_empty() {
                    true => format!("{} has no commands of its own", command.get_name()),
                    false => format!("the commands here are {}", names.join(", ")),
                };
                Failure::new(format!("there is no command \"{word}\""), Some(help))
            })
        })
    }
}

/// The commands of a command that have pages.
fn pages(command: &Command) -> impl Iterator<Item = &Command> {
    command.get_subcommands().filter(|command| !command.is_hide_set() && command.get_name() != "help")
}

/// A command's page, and the name of its file.
fn page(command: Command) -> Result<(String, String), Failure> {
    let page = Page::new(command).source(concat!("petrio ", env!("CARGO_PKG_VERSION"))).manual("petrio");
    let mut text = Vec::new();
    page.render(&mut text).map_err(|error| Failure::Output(error.to_string()))?;
    Ok((page.get_filename(), String::from_utf8_lossy(&text).into_owned()))
}

fn write_all(command: Command, dir: &Path, written: &mut Vec<PathBuf>) -> Result<(), Failure> {
    for inner in pages(&command) {
        write_all(inner.clone(), dir, written)?;
    }
    let (name, text) = page(command)?;
    let path = dir.join(name);
    write_text(&path, &Inputs::none(), &text)?;
    written.push(path);
    Ok(())
}
