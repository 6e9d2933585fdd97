//! The pages of parallel file systems, and what lies on each server of their files.

use super::PlacedPvfs;
use crate::failure::RunFailure;
use crate::host::PlacedLinux;
use crate::host::linux::mount::{Asks, Connections, MountPages, MountPoint, PlacedMount};
use crate::site::HostSite;
use petrio_colours::FileId;
use petrio_kernel::PageBuilder;
use petrio_models::Stage;
use petrio_models::cluster::FileServer;
use petrio_models::cluster::pvfs::metadata::Namespace;
use petrio_models::cluster::pvfs::{PvfsClient, PvfsFiles, pvfs_page};
use petrio_models::network::Writers;
use petrio_units::numbers::as_number;
use petrio_workload::program::PlannedFile;
use std::ops::Range;

/// Numbers that are free for files that programs make during a run, before those of the manager's own files begin.
const ROOM_FOR_NEW_FILES: u32 = 1 << 20;
/// Bytes of a server's database, of which a page is read or written at a time: at least, and for each file.
const DATABASE_BYTES: (u64, u64) = (1 << 20, 1 << 10);
/// Bytes of a manager's file about a file (PVFS 1: its `fmeta`).
const METADATA_BYTES: u64 = 136;

/// A parallel file system while its pages are put into the net. Its servers are told by their positions, the manager behind them.
pub(super) struct PvfsPages<'l> {
    pvfs: &'l PlacedPvfs,
    linux: &'l PlacedLinux,
    /// Its volumes, by their numbers in the family.
    volumes: Range<usize>,
    /// By how much the numbers of the manager's files are higher than those of the files that they are about.
    metadata: u32,
    /// Bytes of a server's database.
    database: u64,
}

impl<'l> PvfsPages<'l> {
    pub(super) fn of(
        pvfs: &'l PlacedPvfs,
        linux: &'l PlacedLinux,
        volumes: Range<usize>,
        next_file: u32,
    ) -> Self {
        let (least, each) = DATABASE_BYTES;
        let database = least + each * u64::from(next_file) / pvfs.servers.len().max(1) as u64;
        let database = if pvfs.has_databases() { database.next_multiple_of(4 << 10) } else { least };
        Self { pvfs, linux, volumes, metadata: next_file.saturating_add(ROOM_FOR_NEW_FILES), database }
    }

    /// What PVFS 2 knows of the files that are there when a run begins.
    fn names(&self, site: &HostSite<'_, '_>) -> Result<Namespace, RunFailure> {
        let mut names = Namespace::default();
        if self.pvfs.has_databases() {
            let metadata = self.pvfs.parameters.metadata(self.pvfs.striping);
            for number in self.volumes.clone() {
                for file in site.foundation.files(number)?.into_iter().filter(|file| file.present) {
                    let PlannedFile { file, parent, is_directory, size, .. } = file;
                    names.is_there(&metadata, file, parent, (is_directory, size));
                }
            }
        }
        Ok(names)
    }

    fn is_manager(&self, position: usize) -> bool {
        position == self.pvfs.servers.len()
    }
}

impl MountPages for PvfsPages<'_> {
    fn points(&self) -> &[MountPoint] {
        &self.pvfs.clients
    }

    fn asks(&self) -> Vec<Asks> {
        let asks = |(number, there): (usize, usize)| Asks {
            host: self.linux.file_systems[there].host,
            place: format!("{}-answers-{number}", self.pvfs.name),
            processes: 1,
        };
        self.pvfs.lies_on().into_iter().enumerate().map(asks).collect()
    }

    fn figures(&self) -> Vec<u64> {
        let striping = self.pvfs.striping;
        vec![striping.unit, striping.servers.into(), striping.per_file.into()]
    }

    /// Its share of the stripes; of the manager, a file of its own about each, in a directory of its own.
    fn stored(&self, position: usize, file: &PlannedFile) -> Option<PlannedFile> {
        if !self.is_manager(position) {
            let striping = &self.pvfs.striping;
            let is_there =
                file.present && !file.is_directory && striping.is_on(file.file, as_number(position));
            let size = striping.most_on_a_server(file.size);
            return is_there.then_some(PlannedFile { parent: FileId::ROOT, size, ..*file });
        }
        let own = |file: FileId| match file {
            FileId::ROOT => file,
            _ => FileId(file.0.saturating_add(self.metadata)),
        };
        let size = if file.is_directory { file.size } else { METADATA_BYTES };
        file.present.then(|| PlannedFile { file: own(file.file), parent: own(file.parent), size, ..*file })
    }

    /// A server's database of files, where it notes how long they are.
    fn own_file(&self, position: usize) -> Option<PlannedFile> {
        let keeps_it = self.pvfs.parameters.direct || self.pvfs.has_databases();
        (!self.is_manager(position) && keeps_it).then_some(PlannedFile {
            file: FileId(self.metadata),
            parent: FileId::ROOT,
            is_directory: false,
            present: true,
            cached: true,
            size: self.database,
        })
    }

    fn build(
        &self,
        site: &mut HostSite<'_, '_>,
        wires: &mut Connections<'_>,
    ) -> Result<Vec<Stage>, RunFailure> {
        let Self { pvfs, linux, metadata, database, .. } = *self;
        let names = self.names(site)?;
        let of_servers: Vec<usize> =
            pvfs.lies_on().into_iter().map(|there| linux.file_systems[there].host).collect();
        let parameters = &linux.networks[pvfs.network].parameters;
        let writers = parameters.transport.is_one_sided().then(|| {
            let hosts = of_servers.iter().copied().chain(pvfs.clients.iter().map(|client| client.host));
            let hosts = hosts.map(|host| wires.number(pvfs.network, host)).collect();
            let network = &mut wires.networks[pvfs.network];
            Writers::new(network, site.page, &pvfs.name, &hosts, pvfs.parameters.eager)
        });
        let port = |wires: &mut Connections<'_>, page: &mut PageBuilder<'_>, host: usize, service: &str| {
            let number = wires.number(pvfs.network, host);
            let network = &mut wires.networks[pvfs.network];
            match &writers {
                Some(writers) => writers.port(network, page, number, service),
                None => network.port(page, number, service),
            }
        };
        let mut servers = Vec::new();
        for ((number, there), answers) in pvfs.lies_on().into_iter().enumerate().zip(wires.answers) {
            let mounted = &linux.file_systems[there];
            let is_manager = self.is_manager(number);
            let service = if is_manager { "manager".to_owned() } else { format!("server {number}") };
            let service = format!("{} {service}", pvfs.name);
            servers.push(FileServer {
                name: if is_manager { "manager".to_owned() } else { mounted.name.clone() },
                port: port(wires, site.page, mounted.host, &service),
                host: wires.position(mounted.host),
                file_system: mounted.mount,
                process: answers.processes.start,
                operations: wires.asked(mounted.host),
                completions: answers.place,
            });
        }
        let manager = if pvfs.manager.is_some() { servers.pop() } else { None };
        let mut clients = Vec::new();
        for client in &pvfs.clients {
            clients.push(PvfsClient {
                name: &client.name,
                port: port(wires, site.page, client.host, &pvfs.name),
                host: wires.position(client.host),
                operations: wires.calls(client),
                completions: site.completions,
            });
        }
        let all = (&clients[..], &servers[..], manager.as_ref());
        let (parameters, striping) = (&pvfs.parameters, pvfs.striping);
        let files = PvfsFiles { metadata, database, names };
        let (stages, ends) =
            pvfs_page(site.page, &pvfs.name, parameters, striping, files, all, wires.processors);
        site.of_pvfs.extend(ends.into_iter().map(|end| (pvfs.name.clone(), end)));
        Ok(stages)
    }
}
