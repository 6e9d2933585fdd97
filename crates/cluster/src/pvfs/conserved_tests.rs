//! PVFS on a cluster: nothing is lost, and what is lost is found.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use super::message::Payload;
use super::metadata::Namespace;
use super::*;
use crate::FileServer;
use crate::failure::{Fails, FailureOfOne};
use crate::test_cluster::{Cluster, Fault, is_found, level, one, operations};
use petrio_colours::{FileId, Operation};
use petrio_kernel::Time;
use petrio_units::Duration;
use proptest::prelude::*;

fn pvfs_cluster(
    parameters: &PvfsParameters,
    level: &str,
    (clients, servers): (u32, u32),
    faults: [Fault<Payload>; 2],
) -> Cluster {
    Cluster::new(level, clients + servers, |building| {
        let mut all = Vec::new();
        // The last one is the manager.
        for number in 0..=servers {
            let host = clients + number.min(servers - 1);
            let (operations, completions) = building.files(&format!("storage{number}"));
            let port = building.port(host, &format!("server{number}"), faults[1]);
            let (name, host) = (format!("pvfs{number}"), host as usize);
            let process = number;
            all.push(FileServer { name, port, host, file_system: 0, process, operations, completions });
        }
        let manager = all.pop().unwrap();
        let (names, completions) = (building.names.clone(), building.completions);
        let clients: Vec<_> = (0..clients)
            .map(|host| PvfsClient {
                name: &names[host as usize],
                port: building.port(host, "pvfs", faults[0]),
                host: host as usize,
                operations: building.page.fifo(&format!("calls of {host}")),
                completions,
            })
            .collect();
        let striping = parameters.striping(servers).unwrap();
        // PVFS 2 has metadata on all servers; the files are there.
        let manager = (parameters.version == Version::Pvfs1).then_some(&manager);
        let all = (&clients[..], &all[..], manager);
        let (mut names, site) = (Namespace::default(), parameters.metadata(striping));
        for file in 1..3 {
            // The first has all of its stripes, the second is stuffed.
            names.is_there(&site, FileId(file), FileId::ROOT, (false, if file == 1 { 1 << 20 } else { 0 }));
        }
        let files = PvfsFiles { metadata: 1 << 20, database: 1 << 20, names };
        pvfs_page(building.page, "pvfs", parameters, striping, files, all, &mut building.processors);
        clients.iter().map(|client| client.operations).collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn pvfs_loses_no_request_and_no_byte(
        version in prop::sample::select(vec![Version::Pvfs1, Version::Pvfs2]),
        (clients, servers, level) in (1u32..4, 1u32..4, level()),
        operations in operations(),
    ) {
        let parameters = PvfsParameters { version, ..PvfsParameters::default() };
        let mut cluster = pvfs_cluster(&parameters, level, (clients, servers), [Some, Some]);
        prop_assert_eq!(cluster.run(&operations, true).unwrap(), operations.len());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn what_failing_servers_lose_is_counted_and_every_call_returns(
        (clients, servers) in (1u32..3, 1u32..4),
        operations in operations(),
        gaps in prop::collection::vec((0u32..3, 100u64..4_000, 100u64..9_000, 0u8..4), 1..5),
    ) {
        let (mut failures, mut at) = (Vec::new(), 0);
        for (server, after, lasts, what) in gaps {
            at += after;
            let what = [Fails::Stops, Fails::Exits, Fails::Unreachable, Fails::Slow][usize::from(what)];
            let us = |us| Duration::new(Time::from_micros(us));
            let slower_by = (what == Fails::Slow).then(|| us(500));
            let server = server % servers;
            failures.push(FailureOfOne { server, at: us(at), restored_after: Some(us(lasts)), what, slower_by });
            at += lasts + 1;
        }
        let time_out = Duration::new(Time::from_millis(400));
        let retries = PvfsRetries {
            client_time_out: time_out,
            client_flow_time_out: time_out,
            server_time_out: time_out,
            ..PvfsRetries::default()
        };
        let parameters =
            PvfsParameters { version: Version::Pvfs2, failures, retries, ..PvfsParameters::default() };
        let mut cluster = pvfs_cluster(&parameters, "train", (clients, servers), [Some, Some]);
        prop_assert_eq!(cluster.run(&operations, true).unwrap(), operations.len());
    }
}

#[test]
fn a_reply_or_a_byte_that_pvfs_loses_is_found() {
    use super::message::Payload::{Data, Done, ReadData};
    let run = |faults, operation| {
        let parameters = PvfsParameters::default();
        pvfs_cluster(&parameters, "train", (2, 2), faults).run(&one(operation, 200_000), false)
    };
    assert_eq!(run([Some, Some], Operation::Write).unwrap(), 1);
    let no_reply: Fault<Payload> = |payload| (!matches!(payload, Done(_))).then_some(payload);
    assert!(is_found(run([no_reply, Some], Operation::Write), "requests"));
    let byte_less: Fault<Payload> = |payload| match payload {
        Data { ticket, offset, length, reply_to } => {
            Some(Data { ticket, offset, length: length - 1, reply_to })
        }
        other => Some(other),
    };
    assert!(is_found(run([Some, byte_less], Operation::Write), "bytes written"));
    let found_less: Fault<Payload> = |payload| match payload {
        ReadData { ticket, bytes, reply } => Some(ReadData { ticket, bytes: bytes - 1, reply }),
        other => Some(other),
    };
    assert!(is_found(run([found_less, Some], Operation::Read), "bytes read"));
}

#[test]
fn what_servers_lose_among_themselves_is_found() {
    let run = |faults| {
        let parameters = PvfsParameters { version: Version::Pvfs2, ..PvfsParameters::default() };
        pvfs_cluster(&parameters, "train", (1, 3), faults).run(&one(Operation::Stat, 0), false)
    };
    assert_eq!(run([Some, Some]).unwrap(), 1);
    let no_word: Fault<Payload> = |payload| (!matches!(payload, Payload::Relayed(_))).then_some(payload);
    assert!(is_found(run([Some, no_word]), "requests between servers"));
}
