//! A file service on a cluster: nothing is lost, and what is lost is found.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use super::message::Rpc;
use super::*;
use crate::FileServer;
use crate::test_cluster::{Cluster, Fault, is_found, level, machine, one, operations};
use petrio_colours::Operation;
use petrio_units::Bytes;
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::sync::Arc;

fn share_cluster(
    parameters: &ShareParameters,
    level: &str,
    (clients, servers): (u32, u32),
    faults: [Fault<Rpc>; 2],
) -> Cluster {
    Cluster::new(level, clients + servers, |building| {
        let (names, completions, machine) = (building.names.clone(), building.completions, machine());
        let all: Vec<_> = (0..servers)
            .map(|number| {
                let (operations, completions) = building.files(&format!("storage{number}"));
                FileServer {
                    name: names[(clients + number) as usize].clone(),
                    port: building.port(clients + number, "server", faults[1]),
                    host: (clients + number) as usize,
                    file_system: 0,
                    process: number,
                    operations,
                    completions,
                }
            })
            .collect();
        let clients: Vec<_> = (0..clients)
            .map(|host| ShareClient {
                name: &names[host as usize],
                port: building.port(host, "share", faults[0]),
                host: host as usize,
                machine: &machine,
                operations: building.page.fifo(&format!("calls of {host}")),
                completions,
                own_host: None,
            })
            .collect();
        let placement = Placement::new(Rule::RoundRobin, parameters.partition.get(), servers);
        let files = (Arc::new(placement), BTreeSet::new());
        let both = (&clients[..], &all[..]);
        share_page(building.page, "share", parameters, files, both, &mut building.processors).unwrap();
        clients.iter().map(|client| client.operations).collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn a_file_service_loses_no_call_and_no_byte(
        writes in prop::sample::select(vec![Writes::OnClose, Writes::OnSync, Writes::Stable]),
        (clients, servers, level) in (1u32..4, 1u32..4, level()),
        (in_flight, threads) in (1u32..5, 1u32..4),
        operations in operations(),
    ) {
        let parameters =
            ShareParameters { writes, in_flight, threads, ..ShareParameters::default() };
        let mut cluster = share_cluster(&parameters, level, (clients, servers), [Some, Some]);
        prop_assert_eq!(cluster.run(&operations, true).unwrap(), operations.len());
    }
}

#[test]
fn a_reply_or_a_byte_that_a_file_service_loses_is_found() {
    use super::message::Rpc::{Call, Reply};
    let run = |faults, operation| {
        let parameters = ShareParameters::default();
        share_cluster(&parameters, "train", (2, 2), faults).run(&one(operation, 200_000), false)
    };
    assert_eq!(run([Some, Some], Operation::Write).unwrap(), 1);
    let no_reply: Fault<Rpc> = |rpc| if let Reply(_) = rpc { None } else { Some(rpc) };
    assert!(is_found(run([no_reply, Some], Operation::Write), "calls"));
    let byte_less: Fault<Rpc> = |rpc| match rpc {
        Call(mut call) => {
            call.length -= 1;
            Some(Call(call))
        }
        other => Some(other),
    };
    assert!(is_found(run([Some, byte_less], Operation::Write), "bytes written"));
    let found_less: Fault<Rpc> = |rpc| match rpc {
        Reply(mut reply) => {
            reply.outcome.length -= 1;
            Some(Reply(reply))
        }
        other => Some(other),
    };
    assert!(is_found(run([found_less, Some], Operation::Read), "bytes read"));
}

#[test]
fn small_partitions_are_counted_like_large_ones() {
    let parameters = ShareParameters { partition: Bytes(4_096), ..ShareParameters::default() };
    let mut cluster = share_cluster(&parameters, "packet", (1, 3), [Some, Some]);
    let written = one(Operation::Write, 50_000);
    assert_eq!(cluster.run(&written, true).unwrap(), 1);
}
