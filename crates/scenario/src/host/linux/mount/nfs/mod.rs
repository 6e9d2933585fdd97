//! `[nfs.NAME]`: a file system of a host that other hosts mount by NFS, below their page caches.

mod pages;

use super::{
    CheckSite, LeftInMemory, MountKind, MountPages, MountPoint, PlaceSite, PlacedMount, shared_part,
    volumes_at,
};
use crate::failure::RunFailure;
use crate::host::PlacedLinux;
use crate::host::family::{TellLevers, Volume};
use crate::parts::{PartKind, Pool};
use crate::schema::{Names, read_apart};
use crate::site::HostSite;
use crate::text::tree::Table;
use crate::text::{Problem, Sources};
use pages::NfsPages;
use petrio_models::cluster::failure::Failures;
use petrio_models::cluster::nfs::{ExportMode, NfsCosts, NfsParameters};
use petrio_models::host::nfs::{GivesUp, MountOptions, Version};
use petrio_page::numbers::counted;
use petrio_workload::parallel::Mounted;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::ops::Range;

/// The key of exports.
const NFS: &str = "nfs";

/// A file system of a host that other hosts mount by NFS: what they read and write is in their page caches, and what they know of names and
/// attributes decides which calls go to the server.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Nfs {
    /// What is exported, and who mounts it.
    #[serde(flatten)]
    pub place: NfsPlace,
    /// What carries its calls, and how it is served.
    #[serde(flatten)]
    pub parameters: NfsParameters,
}

/// What is exported, who mounts it, and how.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NfsPlace {
    /// The network between its clients and the server; may be left out where there is only one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub network: Option<String>,
    /// The hosts that mount it. Workloads go to `node3/NAME`, which is its mount on the host node3, or to `node*/NAME`.
    pub clients: Names,
    /// The file system that is exported, such as `server/data`; of a Unix host of 1990 that has one, the host.
    pub server: Names,
    /// How it is mounted, as mount(8) takes it, such as `vers=3,rsize=32768,wsize=32768,noac`: `vers` (2, 3, 4.0, 4.1, 4.2), `rsize`, `wsize`,
    /// `actimeo`, `acregmin`, `acregmax`, `acdirmin`, `acdirmax`, `noac`, `sync`, `nocto`, `lookupcache`, `nordirplus`, `nolock`, `noacl`,
    /// `nconnect`, `proto` (tcp, udp), `timeo`, `retrans`, `hard`, `soft`, `softerr`. Left out, version 4.2 and what nfs(5) says.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub options: String,
}

const PLACE_KEYS: [&str; 4] = ["network", "clients", "server", "options"];

/// An export of which names are found.
#[derive(Clone, Debug)]
pub(crate) struct PlannedNfs {
    network: usize,
    /// Hosts.
    clients: Vec<usize>,
    /// The file system.
    server: usize,
    options: MountOptions,
}

/// An export of which everything is found.
#[derive(Clone, Debug)]
pub struct PlacedNfs {
    /// Its name.
    pub name: String,
    /// What carries its calls.
    pub parameters: NfsParameters,
    /// How it is mounted.
    pub options: MountOptions,
    /// Its network, by its number.
    pub network: usize,
    /// Its mounts.
    pub clients: Vec<MountPoint>,
    /// The file system that is exported, by its number.
    pub server: usize,
    /// Its size in blocks of 512 bytes.
    pub blocks: u64,
}

impl MountKind for Nfs {
    type Checked = PlannedNfs;
    type Placed = PlacedNfs;

    const KIND: PartKind =
        shared_part(NFS, &[("network", Pool::Networks), ("clients", Pool::Hosts), ("server", Pool::Volumes)]);
    const WHAT: &'static str = "export";
    const EXAMPLE: &'static str = "clients = … and server = …";

    fn read(table: &Table<'_>, sources: &Sources) -> Result<Self, Vec<Problem>> {
        let (place, parameters) = read_apart(table, &PLACE_KEYS, sources)?;
        Ok(Self { place, parameters })
    }

    fn between(&self) -> Option<(&Names, Option<&Names>)> {
        Some((&self.place.clients, Some(&self.place.server)))
    }

    fn check(&self, name: &str, site: &mut CheckSite<'_, '_, '_>) -> Option<PlannedNfs> {
        let path = format!("{NFS}.{name}");
        let NfsPlace { network, clients, server, .. } = &self.place;
        let network = site.network_between(&path, network.as_deref());
        let clients = site.hosts_and_guests(&path, "clients", clients);
        let servers = site.file_systems_and_guests(&path, "server", server);
        let server = servers.first().copied();
        if servers.len() > 1 {
            let message = format!("an export is of one file system, and these are {}", servers.len());
            let help = "name one of them, or make an export of each";
            site.checker.error(&format!("{path}.server"), message, help);
        }
        let of_server = site.hosts_of(server);
        let of_1990: Vec<usize> = clients.iter().chain(&of_server).copied().collect();
        self.is_of_1990(&path, &of_1990, site);
        self.promises(&path, &of_server, site);
        let options = self.options(&path, &clients, site);
        self.fails(&path, options.as_ref(), site);
        let found = network.is_some() && server.is_some() && options.is_some();
        site.mounts::<Self>(name, "mount of an export", &clients, found);
        if let Err(error) = self.parameters.check() {
            site.checker.error(&format!("{path}.{}", error.parameter()), error.to_string(), "");
        }
        if let Some(network) = network {
            let carries = site.linux.network.get_index(network);
            let is_of_ip = carries.is_none_or(|(_, network)| network.parameters.transport.is_tcp());
            if options.as_ref().is_some_and(|options| options.udp) && !is_of_ip {
                let message = "datagrams of UDP go over networks of IP, and this network is none";
                let help = "take a network whose `transport` is tcp, or mount it with proto=tcp";
                site.checker.error(&format!("{path}.options"), message, help);
            }
            site.on_network(&path, network, "clients", clients.iter().copied());
            if let Some(&own) = of_server.iter().find(|host| clients.contains(host)) {
                let message = format!("the host \"{}\" would mount what it exports itself", site.host(own));
                let help =
                    "its programs find those files on its own file system; leave it out of the clients";
                site.checker.error(&format!("{path}.clients"), message, help);
            }
            site.on_network(&path, network, "server", of_server);
        }
        Some(PlannedNfs { network: network?, clients, server: server?, options: options? })
    }

    fn place(&self, name: &str, planned: PlannedNfs, site: &mut PlaceSite<'_>) -> Option<PlacedNfs> {
        let PlannedNfs { network, clients, server, options } = planned;
        let blocks = site.sizes(&[server]).next().unwrap_or(0);
        let mut kernels = clients.iter().filter_map(|&host| site.hosts.get(host));
        let lacking = kernels.find(|host| lacks(&host.parameters.kernel.name, options.version));
        if let Some(kernel) = lacking.map(|host| host.parameters.kernel.name.clone()) {
            let message = format!("the client of {kernel} has no version {} of NFS", options.version.word());
            let path = format!("{NFS}.{name}.options");
            site.problem(&path, message, "mount another version, such as options = \"vers=3\"");
        }
        Some(PlacedNfs {
            name: name.to_owned(),
            parameters: self.parameters.clone(),
            options,
            network,
            clients: site.points::<Self>(name, &clients),
            server,
            blocks,
        })
    }
}

impl Nfs {
    /// A server that never comes back is nothing that a hard mount could end with.
    fn fails(&self, path: &str, options: Option<&MountOptions>, site: &mut CheckSite<'_, '_, '_>) {
        let failures = Failures::new(&self.parameters.failures);
        let waits = options.is_some_and(|options| options.gives_up == GivesUp::Never);
        if let Some(failure) = failures.for_ever().filter(|_| waits) {
            let message = format!(
                "the server doesn't come back after {}, and hard mounts wait for it for ever",
                failure.at
            );
            let help = "give that failure a `restored_after`, or mount the export soft";
            site.checker.error(&format!("{path}.failures"), message, help);
        }
    }

    /// Hosts of 1990 speak version 2, over UDP.
    fn is_of_1990(&self, path: &str, hosts: &[usize], site: &mut CheckSite<'_, '_, '_>) {
        let Some(&guest) = hosts.iter().find(|&&host| site.is_guest(host)) else { return };
        let Ok(options) = MountOptions::parse(&self.place.options) else { return };
        if options.version != Version::V2 || !options.udp {
            let name = site.host(guest);
            let message = format!("the host \"{name}\" is of 1990: it speaks version 2 of NFS, and over UDP");
            let help = "write options = \"vers=2,proto=udp\", or take another host";
            site.checker.error(&format!("{path}.options"), message, help);
        }
    }

    /// Servers of 1990 have what they answer on disk.
    fn promises(&self, path: &str, servers: &BTreeSet<usize>, site: &mut CheckSite<'_, '_, '_>) {
        let Some(&guest) = servers.iter().find(|&&host| site.is_guest(host)) else { return };
        if self.parameters.export == ExportMode::Async {
            let name = site.host(guest);
            let message =
                format!("the host \"{name}\" is of 1990: it answers nothing that isn't on its disk");
            let help = "leave out `export`, or take another host for the server";
            site.checker.error(&format!("{path}.export"), message, help);
        }
    }

    /// How it is mounted, where that can be read.
    fn options(
        &self,
        path: &str,
        clients: &[usize],
        site: &mut CheckSite<'_, '_, '_>,
    ) -> Option<MountOptions> {
        let path = format!("{path}.options");
        match MountOptions::parse(&self.place.options) {
            // Nobody calls a delegation back here, which several clients of one export would have to be.
            Ok(options) => Some(MountOptions { delegations: clients.len() == 1, ..options }),
            Err(error) => {
                site.checker.error(&path, error.to_string(), "");
                None
            }
        }
    }
}

/// Whether the client of a kernel, by its name ("Linux 6.18"), lacks a version: 2 was given up with 6.0, 4.1 came with 2.6.37 (fs/nfs/Kconfig:
/// no longer for developers alone), and 4.2 with 3.13.
fn lacks(kernel: &str, version: Version) -> bool {
    let numbers = kernel.split(' ').next_back().unwrap_or_default();
    let numbers: Vec<u32> = numbers.split('.').map_while(|part| part.parse().ok()).collect();
    match version {
        Version::V2 => numbers >= vec![6],
        Version::V3 | Version::V40 => false,
        Version::V41 => !numbers.is_empty() && numbers < vec![2, 6, 37],
        Version::V42 => !numbers.is_empty() && numbers < vec![3, 13],
    }
}

impl PlacedMount for PlacedNfs {
    fn name(&self) -> &str {
        &self.name
    }

    fn volumes(&self) -> Vec<Volume<'_>> {
        volumes_at(&self.clients, self.blocks, Mounted::SHARE)
    }

    fn lies_on(&self) -> Vec<usize> {
        vec![self.server]
    }

    fn costs_nothing(&self, linux: &PlacedLinux) -> bool {
        self.parameters.costs == NfsCosts::NONE && linux.is_free(self.network)
    }

    fn left_in_memory(&self) -> Option<LeftInMemory> {
        let (whose, instead) = ("its server's memory", "an export that is \"sync\"");
        (self.parameters.export == ExportMode::Async).then_some(LeftInMemory { whose, instead })
    }

    fn words(&self, _: &PlacedLinux) -> String {
        let clients = counted(self.clients.len() as u64, "client", "clients");
        format!("NFS {} for {clients} ({})", self.options.version.word(), self.name)
    }

    fn levers(&self, path: &str, _: &PlacedLinux, tell: TellLevers<'_>) {
        tell(&self.name, self.parameters.levers(path, &self.options));
    }

    fn pages<'l>(
        &'l self,
        linux: &'l PlacedLinux,
        volumes: Range<usize>,
        site: &mut HostSite<'_, '_>,
    ) -> Result<Box<dyn MountPages + 'l>, RunFailure> {
        Ok(Box::new(NfsPages::of(self, linux, volumes, site)))
    }
}
