//! Lustre on a cluster: nothing is lost, and what is lost is found.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use super::message::{Packet, Says};
use super::*;
use crate::test_cluster::{Building, Cluster, Fault, is_found, level, one, operations};
use petrio_colours::{BlockRequest, Direction, FileOp, Operation, Purpose, SECTOR_BYTES, Status};
use petrio_host::lustre::{Striping, Target};
use petrio_kernel::{Key, Place};
use proptest::prelude::*;
use std::sync::Arc;

/// A mount that has no page cache and takes no locks: each operation is data of the first object of its file, as far as they are on one
/// target.
fn mount(
    building: &mut Building<'_, '_>,
    number: u32,
    striping: &Arc<Striping>,
) -> (Place<FileOp>, [Place<BlockRequest>; 2]) {
    let page = &mut building.page;
    let operations: Place<FileOp> = page.fifo(&format!("calls of {number}"));
    let requests: Place<BlockRequest> = page.fifo(&format!("requests of {number}"));
    let back: Place<BlockRequest> = page.fifo(&format!("completions of {number}"));
    let kept = page.keyed::<FileOp>(&format!("kept {number}"), |op| Key::from(op.id.0));
    let mut ask = page.transition(&format!("ask {number}"));
    let (op, keep, request) = (ask.take(operations), ask.put(kept), ask.put(requests));
    let striping = Arc::clone(striping);
    ask.action(move |f| {
        let op: FileOp = f.take(op);
        let writes = op.operation == Operation::Write;
        let target = u64::from(striping.target((op.file, op.file), 0).code());
        let asked = BlockRequest {
            id: op.id,
            direction: if writes { Direction::Write } else { Direction::Read },
            purposes: Purpose::Data.into(),
            file: op.file,
            address: ((target << 44) | (op.offset / 4096)) * (4096 / SECTOR_BYTES),
            blocks: op.length.div_ceil(SECTOR_BYTES) as u32,
            issued: op.issued,
            ..BlockRequest::default()
        };
        f.put(keep, op);
        f.put(request, asked);
    });
    let completions = building.completions;
    let mut end = building.page.transition(&format!("end {number}"));
    let request = end.take(back);
    let op = end.take_key(kept, move |binding| Key::from(binding.get(request).id.0));
    let done = end.put(completions);
    end.action(move |f| {
        let (request, mut op): (BlockRequest, FileOp) = (f.take(request), f.take(op));
        op.status = request.status;
        debug_assert_eq!(op.status, Status::Done);
        f.put(done, op);
    });
    (operations, [requests, back])
}

fn cluster(parameters: &LustreParameters, level: &str, clients: u32, faults: [Fault<Packet>; 2]) -> Cluster {
    let striping = Arc::new(parameters.striping((2, 1)).unwrap());
    Cluster::new(level, clients + 1, |building| {
        let names = building.names.clone();
        let (operations, completions) = building.files("storage");
        let target = |target, process| LustreTarget { target, file_system: 0, process, room: 1 << 20 };
        let server = LustreServer {
            name: names[clients as usize].clone(),
            port: building.port(clients, "server", faults[1]),
            host: clients as usize,
            targets: vec![target(Target::Mdt(0), 0), target(Target::Ost(0), 1), target(Target::Ost(1), 2)],
            operations,
            completions,
        };
        let (mut all, mut asked) = (Vec::new(), Vec::new());
        for number in 0..clients {
            let (operations, [requests, completions]) = mount(building, number, &striping);
            asked.push(operations);
            let port = building.port(number, "lustre", faults[0]);
            let name = &names[number as usize];
            all.push(LustreClientPorts { name, port, host: number as usize, requests, completions });
        }
        let ends = (&all[..], &[server][..]);
        lustre_page(building.page, "work", (parameters, &striping), ends, &mut building.processors);
        asked
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn lustre_loses_no_rpc_and_no_byte(
        (clients, level) in (1u32..4, level()),
        (max_rpcs_in_flight, oss_threads, peer_credits) in (1u32..5, 1u32..4, 1u32..9),
        (max_pages_per_rpc, short) in (1u32..64, 0u64..40),
        operations in operations(),
    ) {
        let parameters = LustreParameters {
            max_rpcs_in_flight,
            oss_threads,
            peer_credits,
            max_pages_per_rpc,
            short_io: petrio_units::Bytes::from_kib(short),
            ..LustreParameters::default()
        };
        let mut cluster = cluster(&parameters, level, clients, [Some, Some]);
        prop_assert_eq!(cluster.run(&operations, true).unwrap(), operations.len());
    }
}

#[test]
fn a_reply_or_a_byte_that_lustre_loses_is_found() {
    let run = |faults, operation| {
        cluster(&LustreParameters::default(), "train", 2, faults).run(&one(operation, 200_000), false)
    };
    assert_eq!(run([Some, Some], Operation::Write).unwrap(), 1);
    let no_reply: Fault<Packet> = |packet| if let Says::Reply(_) = packet.says { None } else { Some(packet) };
    assert!(is_found(run([no_reply, Some], Operation::Write), "RPCs"));
    let byte_less: Fault<Packet> = |mut packet| {
        if let Says::Request(request) = &mut packet.says {
            request.bytes = request.bytes.saturating_sub(1);
        }
        Some(packet)
    };
    assert!(is_found(run([Some, byte_less], Operation::Write), "bytes written"));
    let bulk_less: Fault<Packet> = |mut packet| {
        if let Says::Data { bytes, .. } = &mut packet.says {
            *bytes = bytes.saturating_sub(1);
        }
        Some(packet)
    };
    assert!(is_found(run([Some, bulk_less], Operation::Write), "bytes sent as they were asked for"));
    let read_less: Fault<Packet> = |mut packet| {
        if let Says::Reply(reply) = &mut packet.says {
            reply.read = reply.read.saturating_sub(1);
        }
        Some(packet)
    };
    assert!(is_found(run([read_less, Some], Operation::Read), "bytes read"));
}
