//! `petrio studio`

use crate::failure::Failure;
use crate::output::{print, talk};
use clap::Args;
use petrio_files::{shown, temporary};
use petrio_scenario::reference::Of;
use petrio_scenario::{load, load_users, sort_of};
use petrio_studio::{Studio as Server, StudioError, StudioOptions};
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

/// Edit a scenario in a browser and run it; specify distributions and users: load data, fit, drag stages, edit tables
///
/// Serves pages to this machine alone, at an address with a secret that is made anew each time, until Ctrl-C. All that
/// it does can be done without a display too: petrio run, petrio users, and a specification in an editor.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Studio {
    /// A scenario or a user specification to begin with
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    /// The port; left out, any that is free
    #[arg(long, value_name = "NUMBER", default_value_t = 0, hide_default_value = true)]
    port: u16,
    /// Listen on another address than this machine's own; whoever has the address with its secret can then read and
    /// write files, but only below the folder in which the studio is started, and beside FILE
    #[arg(long, value_name = "ADDRESS")]
    listen: Option<IpAddr>,
    /// How many seconds a run goes on after its page was closed
    #[arg(long, value_name = "SECONDS", default_value_t = 15)]
    grace: u32,
    /// Print the address, and open no browser
    #[arg(long)]
    no_open: bool,
}

const EXAMPLES: &str = "\
Examples:
  petrio studio
  petrio studio examples/load-on-one-disk.toml
  petrio studio examples/users/thesis.toml
  petrio studio --no-open --port 8000
  petrio studio --no-open --listen 0.0.0.0";

impl Studio {
    pub(crate) fn execute(&self) -> Result<(), Failure> {
        let sort = self.file.as_deref().map(look_at).transpose()?;
        let file_if = |wanted: Of| self.file.clone().filter(|_| sort == Some(wanted));
        let default = StudioOptions::default();
        let options = StudioOptions {
            address: self.listen.unwrap_or(default.address),
            port: self.port,
            specification: file_if(Of::Users),
            scenario: file_if(Of::Scenario),
            grace: Duration::from_secs(self.grace.into()),
        };
        let server = Server::bind(&options).map_err(|error| {
            let help = matches!(error, StudioError::Listen { .. })
                .then(|| "leave --port out for any that is free".to_owned());
            Failure::new(error, help)
        })?;
        let url = server.url();
        print(&format!("{url}\n"))?;
        if server.is_reachable() {
            talk("warning: others can reach this address; the secret in it isn't encrypted on its way");
        }
        talk("the studio is open until Ctrl-C");
        if !self.no_open {
            match server.entrance() {
                Ok(page) => open(&page),
                Err(error) => {
                    talk(&format!("warning: no browser is opened, for nothing leads it in: {error}"));
                }
            }
        }
        let served = server.serve().map_err(|error| Failure::new(error, None));
        // What a run that hasn't ended yet would leave.
        temporary::remove_all();
        served
    }
}

/// Which of both it is. A file with mistakes is opened, so that they can be mended there; what is neither can't be.
fn look_at(path: &Path) -> Result<Of, Failure> {
    let shown = shown::path(path);
    let help = || Some("name a scenario or a user specification (TOML); examples has some".to_owned());
    let refuse = |why: String| Failure::new(format!("{shown} {why}"), help());
    let told = std::fs::metadata(path).map_err(|error| refuse(format!("can't be read: {error}")))?;
    if !told.is_file() {
        return Err(refuse("is no file".to_owned()));
    }
    let text = std::fs::read_to_string(path).map_err(|error| refuse(format!("is no text: {error}")))?;
    // Of a text without any key, a scenario can be made.
    let sort = sort_of(&text).unwrap_or(Of::Scenario);
    let (is_wrong, room) = match sort {
        Of::Users => (load_users(path, &[]).is_err(), "Users"),
        _ => (load(path, &[]).is_err(), "Scenario"),
    };
    if is_wrong {
        talk(&format!("warning: {shown} has mistakes; the room \"{room}\" shows them"));
    }
    Ok(sort)
}

/// Opens the browser where there is a desktop; otherwise the printed address has to do. It isn't told the address,
/// which every user of this machine could read among its arguments.
fn open(page: &Path) {
    let mut browser = Command::new("xdg-open");
    browser.arg(page).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    if let Ok(mut child) = browser.spawn() {
        std::thread::spawn(move || child.wait());
    }
}
