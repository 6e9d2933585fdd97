//! What a person could change about file systems of hosts.

use super::PlacedFileSystem;
use super::words::is_same_scheduler;
use crate::host::PlacedLinux;
use crate::host::family::TellLevers;
use crate::parts::name_in;
use petrio_colours::SECTOR_BYTES;
use petrio_models::Lever;
use petrio_models::host::file_system::BLOCK_SIZE;
use petrio_models::host::kernel_profile::BlockLayerParameters;
use petrio_units::Bytes;

/// What may stand in for a scheduler, in words.
const SCHEDULERS: [(&str, &str); 8] = [
    ("none", "no scheduler in its place"),
    ("noop", "the noop scheduler in its place"),
    ("deadline", "the deadline scheduler in its place"),
    ("mq-deadline", "the mq-deadline scheduler in its place"),
    ("cfq", "the cfq scheduler in its place"),
    ("anticipatory", "the anticipatory scheduler in its place"),
    ("kyber", "the kyber scheduler in its place"),
    ("bfq", "the bfq scheduler in its place"),
];
/// Those of kernels that don't say which they have.
const OF_ONE_QUEUE: [&str; 2] = ["noop", "deadline"];
/// As [`OF_ONE_QUEUE`], of kernels with blk-mq.
const OF_SEVERAL_QUEUES: [&str; 2] = ["none", "mq-deadline"];

/// The schedulers that a kernel has beside the one that is there, by its own list.
fn other_schedulers(block: &BlockLayerParameters, present: &str, path: &str) -> Vec<Lever> {
    let has: Vec<&str> = match (block.schedulers.as_slice(), block.multi_queue) {
        ([], true) => OF_SEVERAL_QUEUES.to_vec(),
        ([], false) => OF_ONE_QUEUE.to_vec(),
        (known, _) => known.iter().map(String::as_str).collect(),
    };
    let others = has.into_iter().filter(|other| !is_same_scheduler(other, present));
    let known = others.filter_map(|other| SCHEDULERS.into_iter().find(|(name, _)| *name == other));
    let lever = |(name, words)| Lever::instead("scheduler", "scheduler", words).set(path, "scheduler", name);
    known.map(lever).collect()
}

impl PlacedFileSystem {
    pub(super) fn tell_levers(&self, path: &str, linux: &PlacedLinux, tell: TellLevers<'_>) {
        let Self { name, place, .. } = self;
        let host = &linux.hosts[self.host];
        // One in memory has neither a journal nor a queue.
        if self.on.is_none() {
            return;
        }
        let blocks = self.blocks / (BLOCK_SIZE / SECTOR_BYTES);
        let own = self.kind.ext().map_or_else(Vec::new, |parameters| parameters.levers(path, blocks));
        let page = format!("{}/{}", host.name, name_in(name, &host.name));
        tell(&page, own);
        if let Some(limit) = place.dirty_limit {
            let limit = Bytes(limit.get().saturating_mul(2));
            let higher = Lever::twice("throttled", "dirty limit", "a dirty limit twice as high");
            tell(&page, vec![higher.set(path, "dirty_limit", limit)]);
        }
        let block = &host.parameters.kernel.block;
        let present = self.scheduler(block);
        let requests = place.queue_requests.unwrap_or(block.requests);
        let more = Lever::twice("scheduler", "number of requests", "twice as many requests in the queue");
        let mut queue = vec![more.set(path, "queue_requests", requests.saturating_mul(2))];
        if let Some(depth) = place.queue_depth {
            let deeper = Lever::twice("scheduler", "depth", "twice as many requests at the device");
            queue.push(deeper.set(path, "queue_depth", depth.saturating_mul(2)));
        }
        queue.extend(other_schedulers(block, present, path));
        tell(&format!("{name}-queue"), queue);
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    #[test]
    fn only_schedulers_that_a_kernel_has_are_tried_and_not_the_one_that_is_there() {
        let of = |name: &str, present: &str| -> Vec<String> {
            let text = format!(
                "[disk.d]\nmodel = \"hp-97560\"\n[host.h]\nmachine = \"epyc-9005-2vcpu\"\nkernel = \"{name}\"\n\
                 [fs.x]\ntype = \"ext3\"\non = \"d\"\nscheduler = \"{present}\"\n[workload.w]\nkind = \"files\"\non = \"x\"\n\
                 operation = \"read\"\nrecord = \"4 KiB\"\nfile_size = \"64 KiB\"\n"
            );
            let loaded = crate::load_text("test.toml", &text, None, &[]).unwrap();
            let all = crate::levers::levers(&loaded, &crate::classes::Classes::of(&loaded));
            let settings = all.into_iter().flat_map(|placed| placed.lever.settings);
            settings.filter(|(path, _)| path == "fs.x.scheduler").map(|(_, value)| value).collect()
        };
        assert_eq!(of("linux-3.2", "cfq"), ["noop", "deadline"]);
        assert_eq!(of("linux-2.6.24", "deadline"), ["noop", "anticipatory", "cfq"]);
        assert_eq!(of("linux-6.18", "noop"), ["mq-deadline", "kyber", "bfq"]);
        assert_eq!(of("linux-6.18", "bfq"), ["none", "mq-deadline", "kyber"]);
    }
}
