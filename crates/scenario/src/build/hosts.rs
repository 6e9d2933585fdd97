//! The hosts with their file systems, whatever their family, and the programs that work on them.

use crate::build::block_targets::BlockTargets;
use crate::build::foundation::OfSystem;
use crate::build::operations::Needed;
use crate::build::storage::Devices;
use crate::claim::Sentence;
use crate::failure::RunFailure;
use crate::loaded::Loaded;
use crate::site::{HostSite, UnheldLink};
use petrio_colours::FileOp;
use petrio_engine::{Homes, ProgramPorts, hosts_page};
use petrio_kernel::{PageBuilder, Place};
use petrio_models::Stage;
use petrio_models::cluster::beegfs::RpcsOf;
use petrio_models::cluster::lustre::LustreClient;
use petrio_models::cluster::nfs::Carrier;
use petrio_models::cluster::pvfs::PvfsEnd;
use petrio_models::host::HostMemory;
use std::collections::BTreeMap;

/// The hosts that programs run on.
#[derive(Clone, Debug, Default)]
pub(crate) struct ClientHosts {
    /// Their names, by their numbers.
    pub(crate) names: Vec<String>,
    /// The number of each process' host.
    pub(crate) of_processes: Vec<usize>,
}

/// All hosts in the net.
pub(super) struct BuiltHosts {
    /// The ports of the programs that work on them.
    pub(super) programs: ProgramPorts<FileOp>,
    /// The rows of their stages and of what lies between them and the devices.
    pub(super) stages: Vec<Stage>,
    /// What should be known before the results are trusted.
    pub(super) warnings: Vec<Sentence>,
    /// Where their memory is found.
    pub(super) memory: Vec<HostMemory>,
    /// Where what the calls of each mount of NFS came to is found, behind its name.
    pub(super) carriers: Vec<(String, Place<Carrier>)>,
    /// Where what failing servers cost is found, of each client and server of a PVFS behind its name.
    pub(super) of_pvfs: Vec<(String, PvfsEnd)>,
    /// Where what the RPCs of each mount of a Lustre came to is found, behind its name.
    pub(super) lustre_clients: Vec<(String, Place<LustreClient>)>,
    /// What the requests of each mount and server of a BeeGFS came to, likewise.
    pub(super) of_beegfs: Vec<(String, RpcsOf)>,
    /// Links that aren't held to their rate.
    pub(super) unheld: Vec<UnheldLink>,
    /// The hosts that programs run on.
    pub(super) clients: ClientHosts,
    /// The numbers that are free for files and for processes that nobody has planned.
    pub(super) next_file: u32,
    pub(super) next_process: u32,
}

/// Puts all hosts into the net, and the programs that work on them.
pub(super) fn hosts(
    page: &mut PageBuilder<'_>,
    loaded: &Loaded,
    asked: Option<&mut BlockTargets>,
    devices: &mut Devices,
) -> Result<BuiltHosts, RunFailure> {
    let completions = page.fifo("completions");
    let needed = Needed::of(loaded)?;
    let (listeners, first_volume, first_host) = Default::default();
    let mut below = OfSystem { loaded, needed: &needed, asked, devices, listeners, first_volume, first_host };
    let mut site = HostSite {
        page: &mut *page,
        foundation: &mut below,
        seed: loaded.scenario.seed,
        watch: &loaded.watch,
        completions,
        stages: Vec::new(),
        upper_stages: Vec::new(),
        memory: Vec::new(),
        carriers: Vec::new(),
        of_pvfs: Vec::new(),
        lustre_clients: Vec::new(),
        of_beegfs: Vec::new(),
        unheld: Vec::new(),
        warnings: needed.warnings(),
        entrances: Vec::new(),
        guests: BTreeMap::new(),
    };
    loaded.hosts.pages().for_each(|family| family.guests(&mut site));
    for family in loaded.hosts.pages() {
        family.build(&mut site)?;
        site.foundation.next_family(family.hosts().count(), family.volumes().count());
    }
    let HostSite {
        mut stages,
        mut upper_stages,
        memory,
        carriers,
        of_pvfs,
        lustre_clients,
        of_beegfs,
        unheld,
        warnings,
        entrances,
        ..
    } = site;
    stages.append(&mut upper_stages);
    let hosts_of_processes = needed.hosts_of_processes();
    let names = loaded.hosts.families().flat_map(|family| family.hosts().map(str::to_owned));
    let clients = ClientHosts { names: names.collect(), of_processes: hosts_of_processes.clone() };
    let next_process = u32::try_from(hosts_of_processes.len()).unwrap_or(u32::MAX);
    let next_file = needed.next_file()?;
    let homes = Homes::of(hosts_of_processes);
    let programs = hosts_page(page, &entrances, homes, below.listeners, completions);
    Ok(BuiltHosts {
        programs,
        stages,
        warnings,
        memory,
        carriers,
        of_pvfs,
        lustre_clients,
        of_beegfs,
        unheld,
        clients,
        next_file,
        next_process,
    })
}
