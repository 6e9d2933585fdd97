//! `[mpi.NAME]`: what carries messages between the processes of parallel programs.

use super::Linux;
use super::implied::IMPLIED;
use crate::check::{Checker, HOSTS};
use crate::parts::Directory;
use crate::schema::{Names, read_apart};
use crate::text::tree::Table;
use crate::text::{Problem, Sources};
use petrio_models::cluster::mpi::MpiParameters;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The key of message-passing libraries.
pub(super) const MPI: &str = "mpi";

/// A message-passing library that joins hosts: processes on them may exchange messages.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Mpi {
    /// Which hosts it joins, by what.
    #[serde(flatten)]
    pub place: MpiPlace,
    /// What it is made of.
    #[serde(flatten)]
    pub parameters: MpiParameters,
}

/// Which hosts a message-passing library joins, by what.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MpiPlace {
    /// The network that carries messages; may be left out where there is only one. A library of one host needs none: its
    /// processes give each other messages through memory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub network: Option<String>,
    /// The hosts whose processes exchange messages.
    pub hosts: Names,
}

const PLACE_KEYS: [&str; 2] = ["network", "hosts"];

/// A message-passing library of which names are found.
#[derive(Clone, Debug)]
pub struct PlacedMpi {
    /// Its name.
    pub name: String,
    /// What it is made of.
    pub parameters: MpiParameters,
    /// Its network, by its number; none where it is of one host and names none.
    pub network: Option<usize>,
    /// The hosts that it joins, by their numbers.
    pub hosts: Vec<usize>,
}

/// Reads a message-passing library.
pub(super) fn read_mpi(table: &Table<'_>, sources: &Sources) -> Result<Mpi, Vec<Problem>> {
    let (place, parameters) = read_apart(table, &PLACE_KEYS, sources)?;
    Ok(Mpi { place, parameters })
}

impl Linux {
    /// The message-passing libraries, where all that they name is there.
    pub(super) fn check_mpi(
        &self,
        checker: &mut Checker<'_, '_>,
        (hosts, networks): (&Directory, &[Vec<usize>]),
    ) -> Vec<PlacedMpi> {
        let mut placed: Vec<PlacedMpi> = Vec::new();
        for (name, mpi) in &self.mpi {
            let path = format!("{MPI}.{name}");
            checker.name(&path, name);
            checker.take_name(&path, name, "message-passing library", "rename one of them");
            if let Err(error) = mpi.parameters.check() {
                checker
                    .refuse(&path, &format!("the message-passing library \"{name}\" can't be made: {error}"));
            }
            let at = format!("{path}.hosts");
            let joined: Vec<usize> = (checker.find(&at, &mpi.place.hosts, hosts, HOSTS).into_iter())
                .map(|number| number as usize)
                .collect();
            let host = |number: usize| self.host.get_index(number).map_or("", |(name, _)| name.as_str());
            let network = if joined.len() == 1 && mpi.place.network.is_none() {
                None
            } else {
                let Some(network) = self.network_between(checker, &path, mpi.place.network.as_deref()) else {
                    continue;
                };
                let on = ("hosts", joined.iter().copied());
                self.check_on_network(checker, &path, (network, networks), on);
                Some(network)
            };
            let twice = joined.iter().find_map(|&number| {
                let other = placed.iter().find(|other| other.hosts.contains(&number))?;
                Some((host(number), other.name.as_str()))
            });
            if let Some((host, other)) = twice {
                let message = format!("\"{other}\" joins the host \"{host}\" already");
                checker.error(
                    &at,
                    message,
                    "a process's messages are carried by one library: leave it out of one",
                );
            }
            placed.push(PlacedMpi {
                name: name.clone(),
                parameters: mpi.parameters.clone(),
                network,
                hosts: joined,
            });
        }
        placed
    }
}

impl PlacedMpi {
    /// What it is, in a few words.
    pub(super) fn words(&self) -> String {
        // The one that nobody wrote needs no name.
        let name = if self.name == IMPLIED { String::new() } else { format!(" ({})", self.name) };
        match self.hosts.len() {
            1 => format!("messages{name} between processes of one host"),
            hosts => format!("messages{name} between processes of {hosts} hosts"),
        }
    }
}
