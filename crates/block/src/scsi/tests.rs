//! Exchanges between one host and one target, over a wire that counts what passes it.
#![allow(clippy::unwrap_used)]

use super::message::Pdu;
use super::*;
use petrio_colours::{BlockRequest, Cause, Direction, Failure, Message, Parcel, Status};
use petrio_kernel::{NetBuilder, PageBuilder, Place, RunError, Simulation, Time};
use petrio_network::{Port, Transport};
use petrio_stage::processor::Processors;
use petrio_units::{Bytes, Duration};
use proptest::prelude::*;
use std::sync::Arc;

/// One way over the wire, and what the device takes for each request, however many it has.
const WAY: Time = Time::from_micros(10);
const SERVICE: Time = Time::from_millis(1);

/// What came of requests that were made at once.
struct Ran {
    done: Vec<(Time, BlockRequest)>,
    /// Messages and bytes from the host to the target, and back.
    up: (u64, u64),
    down: (u64, u64),
}

/// Messages from one port are at the other after a way, and are counted.
fn wire(
    page: &mut PageBuilder<'_>,
    name: &str,
    (from, to): (Place<Box<Message>>, Place<Box<Message>>),
    fault: Fault,
) {
    let passed = page.probe(name);
    let mut pass = page.transition(name);
    let (message, arrives) = (pass.take(from), pass.may_put(to, 1));
    pass.action(move |f| {
        let mut message: Box<Message> = f.take(message);
        f.record(passed, message.bytes as f64);
        if let Some(pdu) = fault(message.payload.get::<Pdu>().unwrap().clone()) {
            message.payload = Parcel::new(Box::new(pdu));
            f.put_after(arrives, message, WAY);
        }
    });
}

/// What the wire does to what is sent: nothing, or it changes or loses it.
type Fault = fn(Pdu) -> Option<Pdu>;

fn run(parameters: ScsiParameters, transport: Transport, requests: Vec<BlockRequest>) -> Ran {
    try_run(parameters, transport, requests, Some).unwrap()
}

fn try_run(
    parameters: ScsiParameters,
    transport: Transport,
    requests: Vec<BlockRequest>,
    fault: Fault,
) -> Result<Ran, RunError> {
    let exchange = parameters.exchange(transport).unwrap();
    let mut net = NetBuilder::new("scsi");
    let mut page = net.top();
    let port = |page: &mut PageBuilder<'_>, host: u32, name: &str| Port {
        host,
        service: host,
        send: page.fifo(&format!("{name}-send")),
        received: page.fifo(&format!("{name}-received")),
    };
    let (host, target) = (port(&mut page, 0, "host"), port(&mut page, 1, "target"));
    wire(&mut page, "up", (host.send, target.received), fault);
    wire(&mut page, "down", (target.send, host.received), fault);
    let asked = page.fifo::<BlockRequest>("asked");
    let answered = page.fifo::<BlockRequest>("answered");
    let mut serve = page.transition("serve");
    let (request, done) = (serve.take(asked), serve.put(answered));
    serve.action(move |f| {
        let mut request = f.take(request);
        // A device knows nothing of the way to it.
        assert_eq!((request.issued, request.ledger.total()), (f.now(), Time::ZERO));
        request.ledger.charge(Cause::Service, SERVICE);
        request.status = if request.address == 13 { Status::Failed(Failure::Device) } else { Status::Done };
        f.put_after(done, request, SERVICE);
    });
    let depth = parameters.queue_depth.unwrap_or(64);
    let overhead = parameters.overhead.time();
    let there = Target { name: "t", port: target, depth, overhead, requests: asked, completions: answered };
    target_page(&mut page, &there, exchange);
    let (from, to) = (page.fifo("from"), page.fifo("to"));
    let mut processors = Processors::new(&mut page, 1);
    let initiator = Initiator {
        port: host,
        targets: Arc::from([RemoteTarget { host: 1, service: 1 }]),
        costs: (Time::ZERO, Time::ZERO),
        requests: from,
        completions: to,
    };
    let mut own = page.page("host");
    initiator_page(&mut own, initiator, exchange, &mut processors);
    processors.finish(&mut page);
    let mut run = Simulation::new(&net.build().unwrap(), 1, 0);
    for request in requests {
        run.inject(from, request, Time::ZERO).unwrap();
    }
    let mut done = Vec::new();
    while let Some(next) = run.next_time().unwrap() {
        run.run_until(next).unwrap();
        run.check_conservation()?;
        done.extend(run.drain(to).map(|request| (next, request)));
    }
    run.check_conservation()?;
    let passed = |name: &str| {
        let tally = run.marking().probe(run.find_probe(name).unwrap()).tally();
        (tally.count(), (tally.mean() * tally.count() as f64).round() as u64)
    };
    Ok(Ran { done, up: passed("up"), down: passed("down") })
}

fn request(direction: Direction, kib: u64) -> BlockRequest {
    BlockRequest { direction, address: 64, blocks: (kib * 2) as u32, tag: 5, ..BlockRequest::default() }
}

#[test]
fn messages_are_those_of_the_standards() {
    use Direction::{Flush, Read, Write};
    let count = |transport, direction, kib| {
        let ran = run(ScsiParameters::default(), transport, vec![request(direction, kib)]);
        (ran.up, ran.down)
    };
    let (fibre, iscsi) = (Transport::FibreChannel, Transport::Iscsi);
    // A command of 32 bytes, data, an answer of 24; a write's data after a word of 12.
    assert_eq!(count(fibre, Read, 64), ((1, 32), (2, 65_536 + 24)));
    assert_eq!(count(fibre, Write, 64), ((2, 32 + 65_536), (2, 12 + 24)));
    assert_eq!(count(fibre, Write, 1024), ((2, 32 + (1 << 20)), (2, 12 + 24)));
    assert_eq!(count(fibre, Flush, 0), ((1, 32), (1, 24)));
    // Headers are the transport's. 8 KiB go with the command, and the rest in bursts of 256 KiB.
    assert_eq!(count(iscsi, Read, 64), ((1, 0), (1, 65_536)));
    assert_eq!(count(iscsi, Write, 8), ((1, 8192), (1, 0)));
    assert_eq!(count(iscsi, Write, 264), ((2, 264 << 10), (2, 0)));
    assert_eq!(count(iscsi, Write, 1024), ((1 + 4, 1 << 20), (4 + 1, 0)));
}

#[test]
fn a_write_crosses_the_wire_twice_more_for_each_burst_that_it_waits_for() {
    let took = |parameters, transport, kib| {
        run(parameters, transport, vec![request(Direction::Write, kib)]).done[0].0
    };
    let usual = ScsiParameters::default();
    let ways = |count: u64| SERVICE + Time::from_picos(WAY.as_picos() * count);
    assert_eq!(took(usual, Transport::FibreChannel, 64), ways(4));
    let at_once = ScsiParameters { initial_ready: Some(false), ..usual };
    assert_eq!(took(at_once, Transport::FibreChannel, 64), ways(2));
    assert_eq!(took(at_once, Transport::FibreChannel, 65), ways(4), "beyond the first burst it waits");
    assert_eq!(took(usual, Transport::Iscsi, 8), ways(2));
    assert_eq!(took(usual, Transport::Iscsi, 1024), ways(2 + 2 * 4));
    let never = ScsiParameters { immediate_data: Some(false), ..usual };
    assert_eq!(took(never, Transport::Iscsi, 8), ways(4));
}

#[test]
fn a_target_takes_so_many_commands_at_a_time_and_decodes_one_after_the_other() {
    let last = |depth, overhead: u64| {
        let overhead = Duration::new(Time::from_micros(overhead));
        let parameters = ScsiParameters { queue_depth: Some(depth), overhead, ..ScsiParameters::default() };
        let requests = vec![request(Direction::Read, 4); 12];
        run(parameters, Transport::FibreChannel, requests).done.last().unwrap().0
    };
    let ways = WAY + WAY;
    assert_eq!(last(12, 0), ways + SERVICE);
    assert_eq!(last(4, 0), ways + SERVICE + SERVICE + SERVICE);
    let each = Time::from_micros(100);
    let twelve = Time::from_picos(each.as_picos() * 12);
    assert_eq!(last(12, 100), ways + SERVICE + twelve);
}

#[test]
fn what_fails_there_fails_here_and_brings_no_data() {
    let bad = BlockRequest { address: 13, ..request(Direction::Read, 64) };
    for transport in [Transport::FibreChannel, Transport::Iscsi] {
        let ran = run(ScsiParameters::default(), transport, vec![bad.clone()]);
        assert_eq!(ran.done[0].1.status, Status::Failed(Failure::Device));
        assert!(ran.down.1 <= 24, "{:?}", ran.down);
    }
}

#[test]
fn networks_without_scsi_and_targets_that_take_nothing_are_refused() {
    let usual = ScsiParameters::default();
    assert_eq!(usual.exchange(Transport::Tcp), Err(ScsiError::Transport));
    let none = ScsiParameters { queue_depth: Some(0), ..usual };
    assert_eq!(none.exchange(Transport::Iscsi), Err(ScsiError::Depth));
    let empty = ScsiParameters { max_burst: Some(Bytes(0)), ..usual };
    assert_eq!(empty.exchange(Transport::Iscsi), Err(ScsiError::Burst));
}

proptest! {
    #[test]
    fn every_byte_crosses_once_and_all_time_has_a_cause(
        requests in prop::collection::vec((any::<bool>(), 1u64..2_000), 1..12),
        is_fibre: bool,
        immediate: bool,
        waits: bool,
        first in 0u64..100_000,
        burst in 1u64..300_000,
        depth in 1u32..6,
        overhead in 0u64..200,
    ) {
        let parameters = ScsiParameters {
            immediate_data: Some(immediate),
            initial_ready: Some(waits),
            first_burst: Some(Bytes(first)),
            max_burst: Some(Bytes(burst)),
            queue_depth: Some(depth),
            overhead: Duration::new(Time::from_micros(overhead)),
        };
        let transport = if is_fibre { Transport::FibreChannel } else { Transport::Iscsi };
        let exchange = parameters.exchange(transport).unwrap();
        let of = |&(reads, kib): &(bool, u64)| {
            request(if reads { Direction::Read } else { Direction::Write }, kib)
        };
        let all: Vec<BlockRequest> = requests.iter().map(of).collect();
        let ran = run(parameters, transport, all.clone());
        prop_assert_eq!(ran.done.len(), all.len());
        let sum = |reads: bool| all.iter().filter(|request| (request.direction == Direction::Read) == reads)
            .map(BlockRequest::bytes).sum::<u64>();
        let count = all.len() as u64;
        let ready: u64 = all.iter().filter(|request| request.direction == Direction::Write)
            .map(|request| exchange.times_ready(request.bytes())).sum();
        let (command, word, response) = if is_fibre { (32, 12, 24) } else { (0, 0, 0) };
        prop_assert_eq!(ran.up.1, sum(false) + count * command);
        prop_assert_eq!(ran.down.1, sum(true) + count * response + ready * word);
        let floor = WAY + WAY + SERVICE;
        for (at, request) in &ran.done {
            prop_assert_eq!(request.ledger.total(), *at);
            prop_assert_eq!((request.tag, request.status), (5, Status::Done));
            prop_assert!(*at >= floor);
        }
    }
}

#[test]
fn an_answer_or_a_byte_that_is_lost_is_found() {
    let lost = |direction, fault: Fault| {
        let requests = vec![request(direction, 1024)];
        match try_run(ScsiParameters::default(), Transport::FibreChannel, requests, fault) {
            Err(RunError::Conservation { what, .. }) => what,
            other => {
                panic!("{}", other.map_or_else(|error| error.to_string(), |_| "nothing is found".to_owned()))
            }
        }
    };
    let found = lost(Direction::Read, |pdu| (!matches!(pdu, Pdu::Status { .. })).then_some(pdu));
    assert!(found.contains("exchanges"), "{found}");
    let found = lost(Direction::Read, |pdu| match pdu {
        Pdu::DataIn { bytes } => Some(Pdu::DataIn { bytes: bytes - 1 }),
        other => Some(other),
    });
    assert!(found.contains("data in"), "{found}");
    let found = lost(Direction::Write, |pdu| match pdu {
        Pdu::DataOut { number, bytes } => Some(Pdu::DataOut { number, bytes: bytes - 1 }),
        other => Some(other),
    });
    assert!(found.contains("data out"), "{found}");
}
