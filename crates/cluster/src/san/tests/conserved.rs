//! Shared disks on a cluster: nothing is lost, and what is lost is found.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::san::message::Payload;
use crate::san::{
    Granularity, LockParameters, Placement, SanManager, SanNode, SanParameters, SanRules, SanVolume, san_page,
};
use crate::test_cluster::{Cluster, Fault, is_found, level, machine, operations};
use petrio_block::scsi::{ScsiParameters, Target};
use petrio_colours::{BlockRequest, FileId, FileOp, Operation, Status};
use petrio_kernel::Time;
use petrio_network::Transport;
use proptest::prelude::*;

fn san_cluster(
    locks: LockParameters,
    level: &str,
    (nodes, disks): (u32, u32),
    fault: Fault<Payload>,
) -> Cluster {
    Cluster::new(level, nodes + disks + 1, |building| {
        let (names, completions, machine) = (building.names.clone(), building.completions, machine());
        let targets: Vec<_> = (0..disks)
            .map(|number| {
                let done = |request: &mut BlockRequest| request.status = Status::Done;
                let (requests, completions) = building.storage(&format!("disk{number}"), done);
                let host = nodes + number;
                let port = building.network.port(building.page, host, "target");
                Target {
                    name: &names[host as usize],
                    port,
                    depth: 8,
                    overhead: Time::ZERO,
                    requests,
                    completions,
                }
            })
            .collect();
        let manager = SanManager {
            port: building.port(nodes + disks, "manager", fault),
            host: (nodes + disks) as usize,
        };
        let all: Vec<_> = (0..nodes)
            .map(|host| SanNode {
                name: &names[host as usize],
                disks: building.network.port(building.page, host, "disks"),
                locks: building.port(host, "locks", fault),
                host: host as usize,
                machine: &machine,
                operations: building.page.fifo(&format!("calls of {host}")),
                completions,
            })
            .collect();
        let parameters = SanParameters::default();
        let exchange = ScsiParameters::default().exchange(Transport::Iscsi).unwrap();
        let rules = SanRules { parameters, locks, exchange, flushes: false };
        let sizes = vec![1 << 30; disks as usize];
        let placement = Placement::RoundRobin;
        let mut volume = SanVolume::new(parameters.partition.get(), placement, &sizes).unwrap();
        for file in 1..3 {
            volume.lay(FileId(file), FileId::ROOT, (false, 200_000)).unwrap();
        }
        let parts = (&all[..], &targets[..], manager);
        san_page(building.page, "san", &rules, volume, parts, &mut building.processors).unwrap();
        all.iter().map(|node| node.operations).collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn shared_disks_lose_no_request_for_a_token_and_no_recall(
        granularity in prop::sample::select(vec![Granularity::Range, Granularity::File]),
        (nodes, disks, level, keep) in (1u32..4, 1u32..3, level(), any::<bool>()),
        operations in operations(),
    ) {
        let locks = LockParameters { granularity, keep, ..LockParameters::default() };
        let mut cluster = san_cluster(locks, level, (nodes, disks), Some);
        prop_assert_eq!(cluster.run(&operations, true).unwrap(), operations.len());
    }
}

#[test]
fn a_grant_a_release_or_an_inode_that_shared_disks_lose_is_found() {
    use Payload::{InodeReply, Manager, Release};
    // The second node wants what the first has, and doesn't keep the file's inode.
    let both = [0, 1].map(|process: u32| FileOp {
        process,
        operation: Operation::Write,
        file: FileId(1),
        length: 200_000,
        issued: Time::from_millis(20 * u64::from(process)),
        ..FileOp::default()
    });
    let run = |fault| san_cluster(LockParameters::default(), "train", (2, 1), fault).run(&both, false);
    assert_eq!(run(Some).unwrap(), 2);
    assert!(is_found(run(|payload| (!payload.is_of_lock()).then_some(payload)), "requests for locks"));
    let no_release: Fault<Payload> = |payload| if let Release(_) = payload { None } else { Some(payload) };
    assert!(is_found(run(no_release), "recalls of locks"));
    let no_recall: Fault<Payload> = |payload| match payload {
        Manager(_) if payload.is_of_recall() => None,
        other => Some(other),
    };
    assert!(is_found(run(no_recall), "recalls of locks"));
    let no_inode: Fault<Payload> = |payload| if let InodeReply(_) = payload { None } else { Some(payload) };
    assert!(is_found(run(no_inode), "requests for inodes"));
}
