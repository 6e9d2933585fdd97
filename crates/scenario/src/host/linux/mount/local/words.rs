//! What file systems of hosts are, in words.

use super::{FileSystemKind, PlacedFileSystem};
use crate::claim::{Claim, Sentence};
use crate::host::PlacedLinux;
use petrio_models::block::scheduler::SchedulerParameters;
use petrio_models::host::HostParameters;
use petrio_models::host::file_system::{Family, JournalMode};
use petrio_models::host::kernel_profile::BlockLayerParameters;
use std::collections::BTreeSet;

impl PlacedFileSystem {
    /// The name of the scheduler before it: the one that is written, else none before drives with a queue for each processor
    /// (elevator_init_mq), else the kernel's.
    pub(super) fn scheduler<'s>(&'s self, kernel: &'s BlockLayerParameters) -> &'s str {
        match &self.place.scheduler {
            Some(own) => own.name(),
            None if self.has_many_queues => "none",
            None => kernel.scheduler.as_str(),
        }
    }

    /// What a file system is, in a few words: "ext3, ordered data, cfq, Linux 2.6.24 on a PowerEdge 1850".
    pub(super) fn in_words(&self, linux: &PlacedLinux) -> String {
        let HostParameters { machine, kernel, .. } = &linux.hosts[self.host].parameters;
        let apart = if self.log.is_some() { " on a device of its own" } else { "" };
        let scheduler = self.scheduler(&kernel.block);
        let discards = if self.kind.discards() && self.takes_discards { ", discards" } else { "" };
        let parameters = match &self.kind {
            FileSystemKind::Ext(parameters) => parameters,
            FileSystemKind::Xfs(_) => {
                let log = if apart.is_empty() { String::new() } else { format!(", log{apart}") };
                return format!("xfs{log}{discards}, {scheduler}, {} on {}", kernel.name, machine.name);
            }
            FileSystemKind::Tmpfs(_) => return format!("tmpfs, {} on {}", kernel.name, machine.name),
            FileSystemKind::Raw(_) => {
                return format!("the device itself, {scheduler}, {} on {}", kernel.name, machine.name);
            }
        };
        let family = match parameters.family {
            Family::Ext3 => "ext3",
            Family::Ext4 => "ext4",
        };
        let journal = match parameters.journal.mode {
            JournalMode::Ordered => "ordered data",
            JournalMode::WriteBack => "data written back",
            JournalMode::Journal => "data in the journal",
        };
        format!("{family}, {journal}{apart}{discards}, {scheduler}, {} on {}", kernel.name, machine.name)
    }
}

/// Whether two names are of one scheduler: `none` is `noop` under blk-mq.
pub(super) fn is_same_scheduler(name: &str, other: &str) -> bool {
    match [name, other].map(SchedulerParameters::named) {
        [Some(one), Some(two)] => one.name() == two.name(),
        _ => name == other,
    }
}

/// The schedulers that are written before file systems, and that their hosts' kernels never had.
pub(crate) fn schedulers_of_other_kernels(linux: &PlacedLinux) -> Vec<Sentence> {
    let strange = linux.file_systems.iter().filter_map(|mounted| {
        let kernel = &linux.hosts[mounted.host].parameters.kernel;
        let name = mounted.place.scheduler.as_ref()?.name();
        let known = &kernel.block.schedulers;
        let unknown = !known.is_empty() && !known.iter().any(|known| is_same_scheduler(name, known));
        unknown.then_some((kernel.name.as_str(), name, known))
    });
    let each: BTreeSet<(&str, &str, &Vec<String>)> = strange.collect();
    let told = each.into_iter().map(|(kernel, name, known)| {
        Claim::NotOfThisKernel.says(format!(
            "{kernel} has no scheduler {name} (it has {}); the figures are as if it had one",
            known.join(", ")
        ))
    });
    told.collect()
}
