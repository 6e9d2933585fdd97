//! `petrio completions`

use crate::failure::Failure;
use crate::output::print;
use clap::{Args, Command};
use clap_complete::{Shell, generate};

/// Print what makes a shell complete petrio's commands and options
#[derive(Args)]
#[command(after_help = PLACES)]
pub(crate) struct Completions {
    /// For which shell
    #[arg(value_enum, value_name = "SHELL")]
    shell: Shell,
}

/// Where each shell looks for them.
const PLACES: &str = "\
Where they belong:
  bash        petrio completions bash > ~/.local/share/bash-completion/completions/petrio
  zsh         petrio completions zsh > ~/.zfunc/_petrio
              (with fpath+=~/.zfunc before compinit in ~/.zshrc)
  fish        petrio completions fish > ~/.config/fish/completions/petrio.fish
  powershell  petrio completions powershell >> $PROFILE
  elvish      petrio completions elvish >> ~/.config/elvish/rc.elv";

impl Completions {
    /// Of all of petrio.
    pub(crate) fn execute(&self, petrio: &mut Command) -> Result<(), Failure> {
        let mut script = Vec::new();
        generate(self.shell, petrio, "petrio", &mut script);
        print(&String::from_utf8_lossy(&script))
    }
}
