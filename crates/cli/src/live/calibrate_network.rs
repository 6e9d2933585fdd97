//! `petrio calibrate --network`

use super::profile::{complete, refuse_existing, shown};
use crate::failure::Failure;
use crate::output::{print, talk};
use crate::streams::{is_output, told};
use clap::Args;
use petrio_files::inputs::Inputs;
use petrio_live::calibrate::network::{
    Effort, NetworkError, Server, Visit, calibrate_namespaces, calibrate_network,
};
use petrio_scenario::report::WholeFile;
use petrio_units::Rate;
use std::net::SocketAddr;
use std::path::Path;

/// What is asked of a network's measurement.
#[derive(Args)]
#[command(next_help_heading = "A network")]
pub(super) struct OfNetwork {
    /// Measure a network instead: its latency, its rate, and what messages cost hosts, as a scenario's [network.NAME]
    #[arg(long, requires = "end", conflicts_with_all = ["dir", "device"])]
    network: bool,
    /// Answer here, on one machine, to whoever measures from another, until interrupted; it writes nothing
    #[arg(
        long,
        value_name = "ADDR:PORT",
        group = "end",
        requires = "network",
        conflicts_with_all = ["out", "quick", "force", "name"]
    )]
    listen: Option<String>,
    /// Measure the network to a petrio that listens there
    #[arg(long, value_name = "ADDR:PORT", group = "end", requires = "network")]
    to: Option<String>,
    /// Measure between two network namespaces of this machine, which are made (as root) and taken away again
    #[arg(long, group = "end", requires = "network")]
    namespaces: bool,
    /// Put a token bucket of this rate at both of their ends
    // What is needed and conflicts with something else that is there, clap doesn't ask for.
    #[arg(long, value_name = "RATE", requires = "namespaces", conflicts_with_all = ["listen", "to"])]
    rate: Option<Rate>,
    /// What the network is called in the table
    #[arg(long, value_name = "NAME", default_value = "lan", requires = "network", value_parser = name)]
    name: String,
}

/// A name that TOML takes without quotation marks, and petrio as a part's.
fn name(text: &str) -> Result<String, String> {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_');
    let fits = !text.is_empty() && text.chars().all(is_plain);
    fits.then(|| text.to_owned()).ok_or_else(|| "a name has letters, digits, - and _".to_owned())
}

impl From<NetworkError> for Failure {
    fn from(error: NetworkError) -> Self {
        if error.is_of_the_system() { Self::output(&error) } else { Self::of(&error) }
    }
}

impl OfNetwork {
    /// Whether a network is to be measured, and not the machine.
    pub(super) const fn is_asked(&self) -> bool {
        self.network
    }

    pub(super) fn execute(&self, out: Option<&Path>, quick: bool, force: bool) -> Result<(), Failure> {
        if let Some(address) = &self.listen {
            listen(address)
        } else if let Some(out) = out {
            self.measure(out, quick, force)
        } else {
            // The arguments' rules have it.
            Err(Failure::new("a measurement needs a file to go to", Some("name one with --out".to_owned())))
        }
    }

    fn measure(&self, out: &Path, quick: bool, force: bool) -> Result<(), Failure> {
        refuse_existing(out, force)?;
        // Begun now, so that a folder that can't be written to is said before anything is measured.
        let file = WholeFile::create(out, &Inputs::none())?;
        let effort = if quick { Effort::quick() } else { Effort::full() };
        let measured = shown(|progress| match &self.to {
            Some(to) => calibrate_network(to, &effort, progress),
            None => calibrate_namespaces(self.rate, &effort, progress),
        })?;
        complete(file, out, &measured.to_toml(&self.name))?;
        if is_output(out) {
            return Ok(());
        }
        print(&measured.to_table())?;
        talk(&format!("[network.{}], for a scenario: {}", self.name, told(out)));
        Ok(())
    }
}

fn listen(address: &str) -> Result<(), Failure> {
    let server = Server::listen(address)?;
    let where_to = server.address().map_or_else(|_| address.to_owned(), |address| address.to_string());
    talk(&format!("listening on {where_to}, until interrupted"));
    talk(" help: on another machine, petrio calibrate --network --to THIS-MACHINE:PORT --out FILE");
    server.serve(&|peer, visit| talk(&heard(peer, &visit)))
}

/// What a server says of a connection.
fn heard(peer: SocketAddr, visit: &Visit) -> String {
    match visit {
        Visit::Begun(client) => format!("{peer}: {} measures the network to here", client.host),
        Visit::Done => format!("{peer}: done"),
        Visit::SentAway => format!("{peer}: sent away, because another one is measuring"),
        Visit::OtherVersion(version) => {
            format!("{peer}: sent away, because its petrio speaks version {version} of the protocol")
        }
        Visit::Failed(why) => format!("{peer} {why}; still listening"),
    }
}
