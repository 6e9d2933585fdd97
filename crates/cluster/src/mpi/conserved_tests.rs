//! Message passing on a cluster: nothing is lost, and what is lost is found.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use super::mailbox::Payload;
use super::*;
use crate::test_cluster::{Cluster, Fault, is_found, level};
use petrio_colours::{Exchange, FileOp, Operation, Remote};
use petrio_kernel::Time;
use proptest::prelude::*;
use std::sync::Arc;

fn mpi_cluster(level: &str, hosts: u32, fault: Fault<Payload>) -> Cluster {
    Cluster::new(level, hosts, |building| {
        let (names, completions) = (building.names.clone(), building.completions);
        let joined: Vec<_> = (0..hosts)
            .map(|host| MpiHost {
                name: &names[host as usize],
                port: building.port(host, "mpi", fault),
                adapter: None,
                host: host as usize,
                operations: building.page.fifo(&format!("exchanges of {host}")),
                completions,
            })
            .collect();
        let directory = Directory::new((0..2 * hosts).map(|process| Some(process % hosts)));
        let parameters = (&MpiParameters::default(), Time::ZERO);
        let processors = &mut building.processors;
        mpi_page(building.page, "mpi", parameters, &directory, &joined, processors);
        joined.iter().map(|host| host.operations).collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn message_passing_loses_no_message_and_no_byte(
        level in level(),
        messages in prop::collection::vec((0u32..6, 0u32..6, 0u64..150_000, 0u64..200), 1..12),
        accesses in prop::collection::vec((0u32..6, 0u32..6, 0u64..50_000), 0..6),
    ) {
        let mut all = Vec::new();
        let exchange = |process: u32, at: u64, exchange: Exchange| FileOp {
            process,
            operation: Operation::Exchange,
            exchange: Some(Arc::new(exchange)),
            issued: Time::from_micros(at),
            ..FileOp::default()
        };
        for &(from, to, bytes, at) in messages.iter().filter(|(from, to, ..)| from != to) {
            all.push(exchange(from, at, Exchange { sends: vec![(to, bytes)], ..Exchange::default() }));
            all.push(exchange(to, 200 - at, Exchange { receives: vec![from], ..Exchange::default() }));
        }
        for &(by, to, bytes) in &accesses {
            let remote = vec![(to, Remote::Get(bytes))];
            all.push(exchange(by, 50, Exchange { remote, ..Exchange::default() }));
        }
        let mut cluster = mpi_cluster(level, 3, Some);
        prop_assert_eq!(cluster.run(&all, true).unwrap(), all.len());
    }
}

#[test]
fn a_message_or_a_byte_that_message_passing_loses_is_found() {
    use super::mailbox::Payload::Data;
    let run = |fault| {
        let exchange = |process, exchange: Exchange| FileOp {
            process,
            operation: Operation::Exchange,
            exchange: Some(Arc::new(exchange)),
            ..FileOp::default()
        };
        let all = [
            exchange(0, Exchange { sends: vec![(1, 1 << 20)], ..Exchange::default() }),
            exchange(1, Exchange { receives: vec![0], ..Exchange::default() }),
            exchange(2, Exchange { remote: vec![(0, Remote::FetchAndAdd)], ..Exchange::default() }),
        ];
        mpi_cluster("train", 3, fault).run(&all, false)
    };
    assert_eq!(run(Some).unwrap(), 3);
    let no_data: Fault<Payload> = |payload| (!payload.is_message()).then_some(payload);
    assert!(is_found(run(no_data), "messages"));
    let byte_less: Fault<Payload> = |payload| match payload {
        Data(envelope, bytes) => Some(Data(envelope, bytes - 1)),
        other => Some(other),
    };
    assert!(is_found(run(byte_less), "bytes"));
    assert!(is_found(run(|payload| (!payload.is_of_access()).then_some(payload)), "accesses"));
}
