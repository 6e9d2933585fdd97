//! BeeGFS on a cluster: nothing is lost, and what is lost is found.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use super::message::Packet;
use super::*;
use crate::FileServer;
use crate::test_cluster::{Cluster, Fault, is_found, level, machine, one, operations};
use petrio_colours::{FileId, Operation};
use petrio_units::Bytes;
use proptest::prelude::*;
use std::sync::Arc;

/// Clients, and behind them hosts with a target each, the first of them with the metadata, too.
fn cluster(
    parameters: &BeegfsParameters,
    level: &str,
    (clients, targets, mirrored): (u32, u32, bool),
    faults: [Fault<Packet>; 2],
) -> Cluster {
    let half = targets / 2;
    let group = |primary: u32, secondary: Option<u32>| Group {
        primary: primary as u16,
        secondary: secondary.map(|number| number as u16),
    };
    let groups = match mirrored {
        true => (0..half).map(|own| group(own, Some(own + half))).collect(),
        false => (0..targets).map(|own| group(own, None)).collect(),
    };
    let striping = Arc::new(parameters.striping(groups, 1, 7).unwrap());
    Cluster::new(level, clients + targets, |building| {
        let mut servers = Vec::new();
        for number in 0..=targets {
            let host = clients + number.saturating_sub(1);
            let (operations, completions) = building.files(&format!("storage{number}"));
            let port = building.port(host, &format!("server{number}"), faults[1]);
            let (name, host, process) = (format!("beegfs{number}"), host as usize, number);
            let server = FileServer { name, port, host, file_system: 0, process, operations, completions };
            let holds = match number.checked_sub(1) {
                None => Holds::Meta(0, 4),
                Some(target) => Holds::Target(target as u16),
            };
            servers.push(BeegfsServer { holds, daemon: number as u16, server });
        }
        let (names, completions, machine) = (building.names.clone(), building.completions, machine());
        let all: Vec<_> = (0..clients)
            .map(|host| BeegfsClientPorts {
                name: &names[host as usize],
                port: building.port(host, "beegfs", faults[0]),
                host: host as usize,
                machine: &machine,
                operations: building.page.fifo(&format!("calls of {host}")),
                completions,
            })
            .collect();
        let mut names = Names::default();
        for file in 1..3 {
            names.is_there(FileId(file), FileId::ROOT, (false, 1 << 20));
        }
        let is = (parameters, &striping, names);
        beegfs_page(building.page, "work", is, (&all, &servers), &mut building.processors).unwrap();
        all.iter().map(|client| client.operations).collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn beegfs_loses_no_request_and_no_byte(
        (clients, half, mirrored, level) in (1u32..4, 1u32..3, any::<bool>(), level()),
        (connections, storage_workers, per_file) in (1u32..4, 1u32..4, 1u32..3),
        (chunk, piece, buffers) in (16u32..18, 1u64..40, prop::option::of(1u32..3)),
        operations in operations(),
    ) {
        let parameters = BeegfsParameters {
            chunk_size: Bytes(1 << chunk),
            targets_per_file: per_file.min(half),
            buffers,
            connections,
            storage_connections: connections,
            storage_workers,
            write_piece: Bytes::from_kib(piece),
            ..BeegfsParameters::default()
        };
        let mut cluster = cluster(&parameters, level, (clients, 2 * half, mirrored), [Some, Some]);
        prop_assert_eq!(cluster.run(&operations, true).unwrap(), operations.len());
    }
}

fn run_one(faults: [Fault<Packet>; 2], operation: Operation) -> Result<usize, petrio_kernel::RunError> {
    let parameters = BeegfsParameters { targets_per_file: 1, ..BeegfsParameters::default() };
    // Longer than a chunk: it goes past the buffers.
    cluster(&parameters, "train", (2, 2, true), faults).run(&one(operation, 600_000), false)
}

#[test]
fn a_reply_or_a_byte_that_beegfs_loses_is_found() {
    assert_eq!(run_one([Some, Some], Operation::Write).unwrap(), 1);
    let no_reply: Fault<Packet> = |packet| (!matches!(packet, Packet::Reply(_))).then_some(packet);
    assert!(is_found(run_one([no_reply, Some], Operation::Write), "requests"));
    // What the first of a group loses of what the second says.
    assert!(is_found(run_one([Some, no_reply], Operation::Write), "requests"));
    let read_less: Fault<Packet> = |mut packet| {
        if let Packet::Reply(reply) = &mut packet {
            reply.data = reply.data.saturating_sub(1);
        }
        Some(packet)
    };
    assert!(is_found(run_one([read_less, Some], Operation::Read), "bytes read"));
    let byte_less: Fault<Packet> = |packet| match packet {
        Packet::Data { from, number, bytes } => Some(Packet::Data { from, number, bytes: bytes - 1 }),
        other => Some(other),
    };
    assert!(is_found(run_one([Some, byte_less], Operation::Write), "bytes written"));
}
