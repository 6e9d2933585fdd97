//! What a person could change about Linux hosts and their file systems.

use super::mpi::MPI;
use super::network::NETWORK;
use super::place::{PlacedFileSystem, PlacedHost, PlacedLinux};
use super::pvfs::PVFS;
use super::san::SAN;
use super::share::SHARE;
use super::{FILE_SYSTEM, HOST};
use crate::build::name_in;
use crate::host::family::TellLevers;
use crate::text::Copies;
use petrio_colours::SECTOR_BYTES;
use petrio_models::Lever;
use petrio_models::host::file_system::BLOCK_SIZE;
use petrio_units::Bytes;

/// What may stand in for a scheduler: what sorts nothing, and what sorts and waits for nobody.
const OF_ONE_QUEUE: [(&str, &str); 2] =
    [("noop", "the noop scheduler in its place"), ("deadline", "the deadline scheduler in its place")];
/// As [`OF_ONE_QUEUE`], of kernels with blk-mq.
const OF_SEVERAL_QUEUES: [(&str, &str); 3] = [
    ("noop", "no scheduler in its place"),
    ("mq-deadline", "the mq-deadline scheduler in its place"),
    ("bfq", "the bfq scheduler in its place"),
];

impl PlacedLinux {
    pub(super) fn tell_levers(&self, copies: &Copies, tell: TellLevers<'_>) {
        let written = |flat: &str| copies.written(flat).to_owned();
        for (number, PlacedHost { name, parameters }) in self.hosts.iter().enumerate() {
            let own = self.file_systems.iter().filter(|placed| placed.host == number);
            let read_ahead =
                own.map(|placed| placed.read_ahead).fold(parameters.kernel.read_ahead.max, Ord::max);
            tell(name, parameters.levers(&written(&format!("{HOST}.{name}")), read_ahead));
        }
        for placed in &self.file_systems {
            let PlacedFileSystem { name, place, .. } = placed;
            let path = written(&format!("{FILE_SYSTEM}.{name}"));
            let host = &self.hosts[placed.host];
            let own = placed.parameters.levers(&path, placed.blocks / (BLOCK_SIZE / SECTOR_BYTES));
            let page = format!("{}/{}", host.name, name_in(name, &host.name));
            tell(&page, own);
            if let Some(limit) = place.dirty_limit {
                let limit = Bytes(limit.get().saturating_mul(2));
                let higher = Lever::twice("throttled", "dirty limit", "a dirty limit twice as high");
                tell(&page, vec![higher.set(&path, "dirty_limit", limit)]);
            }
            let block = &host.parameters.kernel.block;
            let others: &[(&str, &str)] = if block.multi_queue { &OF_SEVERAL_QUEUES } else { &OF_ONE_QUEUE };
            let present = placed.scheduler(block);
            let requests = place.queue_requests.unwrap_or(block.requests);
            let more = Lever::twice("scheduler", "number of requests", "twice as many requests in the queue");
            let mut queue = vec![more.set(&path, "queue_requests", requests.saturating_mul(2))];
            if let Some(depth) = place.queue_depth {
                let deeper = Lever::twice("scheduler", "depth", "twice as many requests at the device");
                queue.push(deeper.set(&path, "queue_depth", depth.saturating_mul(2)));
            }
            let others = others.iter().filter(|(other, _)| *other != present);
            queue.extend(others.map(|(other, words)| {
                Lever::instead("scheduler", "scheduler", words).set(&path, "scheduler", other)
            }));
            tell(&format!("{name}-queue"), queue);
        }
        for network in &self.networks {
            let path = written(&format!("{NETWORK}.{}", network.name));
            tell(&network.name, network.parameters.levers(&path));
        }
        for pvfs in &self.pvfs {
            let path = written(&format!("{PVFS}.{}", pvfs.name));
            tell(&pvfs.name, pvfs.parameters.levers(&path));
        }
        for share in &self.shares {
            let path = written(&format!("{SHARE}.{}", share.name));
            tell(&share.name, share.parameters.levers(&path));
        }
        for san in &self.san {
            let path = written(&format!("{SAN}.{}", san.name));
            tell(&san.name, san.parameters.levers(&path));
            tell(&san.name, san.locks.levers(&format!("{path}.locks")));
        }
        for mpi in &self.mpi {
            let path = written(&format!("{MPI}.{}", mpi.name));
            tell(&mpi.name, mpi.parameters.levers(&path));
        }
    }
}
