//! NFS on a cluster: nothing is lost, and what is lost is found.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use super::message::Rpc;
use super::*;
use crate::FileServer;
use crate::test_cluster::{Building, Cluster, Fault, is_found, level, one, operations};
use petrio_colours::{BlockRequest, Direction, FileOp, Operation, Purpose, SECTOR_BYTES};
use petrio_host::nfs::MountOptions;
use petrio_kernel::{Key, Place};
use petrio_network::Framing;
use proptest::prelude::*;

/// Device blocks of a file's area (`petrio_host::nfs`).
const AREA: u64 = (1 << 28) * 8;

/// A mount that has no page cache: each operation is a READ or a WRITE of all that it moves. Where programs ask, and the mount's ends.
fn mount(building: &mut Building<'_, '_>, number: u32) -> (Place<FileOp>, [Place<BlockRequest>; 2]) {
    let page = &mut building.page;
    let operations: Place<FileOp> = page.fifo(&format!("calls of {number}"));
    let requests: Place<BlockRequest> = page.fifo(&format!("requests of {number}"));
    let back: Place<BlockRequest> = page.fifo(&format!("completions of {number}"));
    let kept = page.keyed::<FileOp>(&format!("kept {number}"), |op| Key::from(op.id.0));
    let mut ask = page.transition(&format!("ask {number}"));
    let (op, keep, request) = (ask.take(operations), ask.put(kept), ask.put(requests));
    ask.action(move |f| {
        let op: FileOp = f.take(op);
        let writes = op.operation == Operation::Write;
        let asked = BlockRequest {
            id: op.id,
            direction: if writes { Direction::Write } else { Direction::Read },
            force_unit_access: op.flags.sync,
            purposes: Purpose::Data.into(),
            file: op.file,
            address: u64::from(op.file.0) * AREA + op.offset / SECTOR_BYTES,
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
        f.put(done, op);
    });
    (operations, [requests, back])
}

fn nfs_cluster(
    (parameters, options): (&NfsParameters, &str),
    level: &str,
    clients: u32,
    faults: [Fault<Rpc>; 2],
) -> Cluster {
    let options = MountOptions::parse(options).unwrap();
    Cluster::new(level, clients + 1, |building| {
        let names = building.names.clone();
        let (operations, completions) = building.files("storage");
        let server = FileServer {
            name: names[clients as usize].clone(),
            port: building.port(clients, "server", faults[1]),
            host: clients as usize,
            file_system: 0,
            process: 0,
            operations,
            completions,
        };
        let (mut all, mut asked) = (Vec::new(), Vec::new());
        for number in 0..clients {
            let (operations, [requests, completions]) = mount(building, number);
            asked.push(operations);
            let port = building.port(number, "nfs", faults[0]);
            let name = &names[number as usize];
            all.push(NfsClient {
                name,
                port,
                host: number as usize,
                requests,
                completions,
                is_of_1990: false,
            });
        }
        let framing = Framing::default();
        let asked_for = (parameters, &options, &framing);
        nfs_page(
            building.page,
            "home",
            asked_for,
            (&all, &NfsServer { there: &server, is_of_1990: false }),
            &mut building.processors,
        );
        asked
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn nfs_loses_no_call_and_no_byte(
        export in prop::sample::select(vec![ExportMode::Sync, ExportMode::Async]),
        options in prop::sample::select(vec!["vers=2", "vers=3,rsize=32768,wsize=16384", "vers=3,noac", "vers=4.2,nconnect=4", "vers=3,proto=udp", "vers=2,udp"]),
        (clients, level) in (1u32..4, level()),
        (slots, threads) in (1u32..5, 1u32..4),
        operations in operations(),
    ) {
        let parameters = NfsParameters { export, threads, slots: Some(slots), ..NfsParameters::default() };
        let mut cluster = nfs_cluster((&parameters, options), level, clients, [Some, Some]);
        prop_assert_eq!(cluster.run(&operations, true).unwrap(), operations.len());
    }
}

#[test]
fn a_reply_or_a_byte_that_nfs_loses_is_found() {
    use super::message::Rpc::{Call, Reply};
    let run = |faults, operation, sync| {
        let mut operations = one(operation, 200_000);
        operations[0].flags.sync = sync;
        nfs_cluster((&NfsParameters::default(), "vers=3,soft,timeo=10,retrans=1"), "train", 2, faults)
            .run(&operations, false)
    };
    assert_eq!(run([Some, Some], Operation::Write, true).unwrap(), 1);
    let no_reply: Fault<Rpc> = |rpc| if let Reply(_) = rpc { None } else { Some(rpc) };
    assert!(is_found(run([no_reply, Some], Operation::Write, true), "calls"));
    let byte_less: Fault<Rpc> = |rpc| match rpc {
        Call(mut call) => {
            call.length = call.length.saturating_sub(1);
            Some(Call(call))
        }
        other => Some(other),
    };
    assert!(is_found(run([Some, byte_less], Operation::Write, true), "bytes written"));
    let found_less: Fault<Rpc> = |rpc| match rpc {
        Reply(mut reply) => {
            reply.outcome.length = reply.outcome.length.saturating_sub(1);
            Some(Reply(reply))
        }
        other => Some(other),
    };
    assert!(is_found(run([found_less, Some], Operation::Read, false), "bytes read"));
}
