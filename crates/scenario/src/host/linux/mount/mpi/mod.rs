//! `[mpi.NAME]`: what carries messages between the processes of parallel programs.

mod implied;

pub(crate) use implied::join_ranks;

use super::{CheckSite, Connections, MountKind, MountPages, PlaceSite, PlacedMount, shared_part};
use crate::failure::RunFailure;
use crate::host::PlacedLinux;
use crate::host::family::{TellLevers, Volume};
use crate::parts::{PartKind, Pool};
use crate::schema::{Names, read_apart};
use crate::site::HostSite;
use crate::text::tree::Table;
use crate::text::{Problem, Sources};
use implied::IMPLIED;
use petrio_kernel::Time;
use petrio_models::Stage;
use petrio_models::cluster::mpi::{Directory, MpiHost, MpiParameters, mpi_page};
use petrio_models::network::Port;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ops::Range;

/// The key of message-passing libraries.
const MPI: &str = "mpi";

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

impl MountKind for Mpi {
    type Checked = PlacedMpi;
    type Placed = PlacedMpi;

    const KIND: PartKind = shared_part(MPI, &[("network", Pool::Networks), ("hosts", Pool::Hosts)]);
    const WHAT: &'static str = "message-passing library";
    const EXAMPLE: &'static str = "hosts = …";

    fn read(table: &Table<'_>, sources: &Sources) -> Result<Self, Vec<Problem>> {
        let (place, parameters) = read_apart(table, &PLACE_KEYS, sources)?;
        Ok(Self { place, parameters })
    }

    fn check(&self, name: &str, site: &mut CheckSite<'_, '_, '_>) -> Option<PlacedMpi> {
        let path = format!("{MPI}.{name}");
        if let Err(error) = self.parameters.check() {
            let words = format!("the message-passing library \"{name}\" can't be made: {error}");
            site.checker.refuse(&path, &words);
        }
        let hosts = site.hosts(&path, "hosts", &self.place.hosts);
        let network = match &self.place.network {
            None if hosts.len() == 1 => None,
            wanted => {
                let network = site.network_between(&path, wanted.as_deref())?;
                site.on_network(&path, network, "hosts", hosts.iter().copied());
                Some(network)
            }
        };
        let twice = hosts.iter().find_map(|&host| Some((site.host(host), site.joined.get(&host)?)));
        if let Some((host, other)) = twice {
            let message = format!("\"{other}\" joins the host \"{host}\" already");
            let help = "a process's messages are carried by one library: leave it out of one";
            site.checker.error(&format!("{path}.hosts"), message, help);
        }
        for &host in &hosts {
            site.joined.entry(host).or_insert_with(|| name.to_owned());
        }
        Some(PlacedMpi { name: name.to_owned(), parameters: self.parameters.clone(), network, hosts })
    }

    fn place(&self, _: &str, placed: PlacedMpi, _: &mut PlaceSite<'_>) -> Option<PlacedMpi> {
        Some(placed)
    }
}

impl PlacedMount for PlacedMpi {
    fn name(&self) -> &str {
        &self.name
    }

    fn volumes(&self) -> Vec<Volume<'_>> {
        Vec::new()
    }

    fn carries_messages_of(&self) -> &[usize] {
        &self.hosts
    }

    fn words(&self, _: &PlacedLinux) -> String {
        // The one that nobody wrote needs no name.
        let name = if self.name == IMPLIED { String::new() } else { format!(" ({})", self.name) };
        match self.hosts.len() {
            1 => format!("messages{name} between processes of one host"),
            hosts => format!("messages{name} between processes of {hosts} hosts"),
        }
    }

    fn levers(&self, path: &str, _: &PlacedLinux, tell: TellLevers<'_>) {
        tell(&self.name, self.parameters.levers(path));
    }

    fn pages<'l>(
        &'l self,
        _: &'l PlacedLinux,
        _: Range<usize>,
        _: &mut HostSite<'_, '_>,
    ) -> Result<Box<dyn MountPages + 'l>, RunFailure> {
        Ok(Box::new(self))
    }
}

impl MountPages for &PlacedMpi {
    fn build(
        &self,
        site: &mut HostSite<'_, '_>,
        wires: &mut Connections<'_>,
    ) -> Result<Vec<Stage>, RunFailure> {
        let PlacedMpi { ref name, ref parameters, network, ref hosts } = **self;
        let runs_on = site.foundation.hosts_of_processes();
        let on = network.map(|network| &wires.linux.networks[network].parameters);
        let one_sided = on.filter(|parameters| parameters.transport.is_one_sided());
        let atomic = one_sided.map_or(Time::ZERO, |parameters| parameters.atomic().time());
        let mut joined = Vec::new();
        for &host in hosts {
            joined.push(MpiHost {
                name: &wires.linux.hosts[host].name,
                port: match network {
                    Some(network) => wires.port(site.page, (network, host), name),
                    None => Port::of_one_host(site.page, name),
                },
                adapter: network
                    .filter(|_| one_sided.is_some())
                    .map(|network| wires.port(site.page, (network, host), &format!("{name}'s memory"))),
                host: wires.position(host),
                operations: wires.exchanges(host),
                completions: site.completions,
            });
        }
        let there: BTreeMap<usize, u32> = hosts.iter().copied().zip(0..).collect();
        let directory = Directory::new(runs_on.iter().map(|host| there.get(host).copied()));
        let library = (parameters, atomic);
        let (_, adapters) = mpi_page(site.page, name, library, &directory, &joined, wires.processors);
        Ok(adapters)
    }
}
