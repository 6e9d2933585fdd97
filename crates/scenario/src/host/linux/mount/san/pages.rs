//! The pages of file systems on storage networks: their ports on the networks, what lies below their targets, and the
//! files that are there when a run begins.

use super::{BYTES_A_PARTITION, PlacedSan, SanDisk};
use crate::claim::Claim;
use crate::failure::RunFailure;
use crate::host::linux::mount::{Connections, MountPages, MountPoint};
use crate::site::HostSite;
use petrio_colours::SECTOR_BYTES;
use petrio_models::Stage;
use petrio_models::block::scsi::Target;
use petrio_models::cluster::san::{SanManager, SanNode, SanRules, SanVolume, san_page};
use petrio_workload::program::PlannedFile;
use std::ops::Range;
use std::sync::Arc;

/// A file system on a storage network while its pages are put into the net.
pub(super) struct SanPages<'l> {
    pub(super) san: &'l PlacedSan,
    /// Its volumes, by their numbers in the family.
    pub(super) volumes: Range<usize>,
}

impl MountPages for SanPages<'_> {
    fn points(&self) -> &[MountPoint] {
        &self.san.clients
    }

    fn build(
        &self,
        site: &mut HostSite<'_, '_>,
        wires: &mut Connections<'_>,
    ) -> Result<Vec<Stage>, RunFailure> {
        let san = self.san;
        let volume = self.volume(site)?;
        let mut flushes = false;
        let mut targets = Vec::new();
        let mut below_targets = Vec::new();
        for SanDisk { name, on, blocks, number } in &san.targets {
            let (below, (requests, completions), stages) =
                site.foundation.below_queue(site.page, *on, &Arc::default(), None)?;
            flushes |= below.disks.iter().any(|disk| disk.features.write_cache);
            let accepted = below.disks.iter().map(|disk| disk.depth).fold(0, u32::saturating_add).max(1);
            let (entrance, first) =
                site.foundation.before_queue(site.page, &below, (requests, completions), *blocks)?;
            let completions = site.foundation.beside(site.page, *on, (entrance, completions));
            below_targets.extend(first.into_iter().chain(stages));
            let service = format!("{} target", san.name);
            targets.push(Target {
                name,
                port: wires.networks[san.network].port(site.page, *number, &service),
                depth: san.parameters.scsi.queue_depth.unwrap_or(accepted),
                overhead: san.parameters.scsi.overhead.time(),
                requests: entrance,
                completions,
            });
        }
        site.upper_stages.append(&mut below_targets);
        let manager = SanManager {
            port: wires.port(
                site.page,
                (san.lock_network, san.manager),
                &format!("{} lock manager", san.name),
            ),
            host: wires.position(san.manager),
        };
        let mut nodes = Vec::new();
        for client in &san.clients {
            let &MountPoint { ref name, host, .. } = client;
            nodes.push(SanNode {
                name,
                disks: wires.port(site.page, (san.network, host), &format!("{} disks", san.name)),
                locks: wires.port(site.page, (san.lock_network, host), &format!("{} locks", san.name)),
                host: wires.position(host),
                machine: &wires.linux.hosts[host].parameters.machine,
                operations: wires.calls(client),
                completions: site.completions,
            });
        }
        let rules =
            SanRules { parameters: san.parameters, locks: san.locks, exchange: san.exchange, flushes };
        let all = (&nodes[..], &targets[..], manager);
        san_page(site.page, &san.name, &rules, volume, all, wires.processors)
            .map_err(|error| self.refused(error.to_string()))
    }
}

impl SanPages<'_> {
    /// The file system with the files on it that its mounts' programs need.
    fn volume(&self, site: &mut HostSite<'_, '_>) -> Result<SanVolume, RunFailure> {
        let san = self.san;
        let sizes: Vec<u64> =
            san.targets.iter().map(|target| target.blocks.saturating_mul(SECTOR_BYTES)).collect();
        let partition = san.parameters.partition.get();
        let mut volume = SanVolume::new(partition, san.parameters.placement, &sizes)
            .ok_or_else(|| self.refused("its disks have no room for it".to_owned()))?;
        let mut files: Vec<PlannedFile> = Vec::new();
        for number in self.volumes.clone() {
            files.extend(site.foundation.files(number)?.into_iter().filter(|file| file.present));
        }
        let bytes = files.iter().map(|file| file.size).fold(0, u64::saturating_add);
        let partitions = bytes / partition.max(1);
        petrio_bounds::check(partitions * BYTES_A_PARTITION)
            .map_err(|error| self.refused(error.to_string()))?;
        if files.iter().any(|file| file.cached) {
            site.warnings.push(Claim::NotCached.says(format!(
                "files that are said to be cached lie on \"{}\", whose hosts begin with empty caches",
                san.name
            )));
        }
        for PlannedFile { file, parent, is_directory, size, .. } in files {
            volume.lay(file, parent, (is_directory, size)).map_err(|failure| {
                self.refused(format!("the files that its programs need can't be laid out: {failure}"))
            })?;
        }
        Ok(volume)
    }

    fn refused(&self, message: String) -> RunFailure {
        RunFailure::Storage { part: self.san.name.clone(), message }
    }
}
