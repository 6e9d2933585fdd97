//! Copies on storage nodes, over a wire that counts what passes it.
#![allow(clippy::unwrap_used)]

use super::super::{
    FileLayout, PolicyParameters, Protocol, Replicas, ReplicationParameters, ReplicationPorts, Sight,
    Transaction, Versions, Voting, replication_page,
};
use super::*;
use petrio_colours::{BlockRequest, Cause, Direction, FileId, Message, RequestId, Status};
use petrio_kernel::{NetBuilder, Place, Simulation, Time};
use petrio_network::Port;
use petrio_stage::processor::Processors;
use proptest::prelude::*;
use std::sync::Arc;

const SERVICE: Time = Time::from_millis(1);
const BLOCKS: u64 = 1 << 20;

/// How copies lie: bare, or in nodes behind a wire of so much time a message.
#[derive(Clone, Copy)]
enum Lie {
    Bare,
    Nodes(NodeParameters, Time),
}

struct Ran {
    done: Vec<(Time, BlockRequest)>,
    /// Messages and bytes on the wire.
    passed: (u64, u64),
    remembered: (u64, u64),
    /// Bytes that the disks read and wrote.
    moved: u64,
}

/// A disk that serves one request after the other, each in the same time.
fn disk(page: &mut petrio_kernel::PageBuilder<'_>, name: &str) -> (Place<BlockRequest>, Place<BlockRequest>) {
    let (down, up) = (page.fifo::<BlockRequest>(&format!("{name}-down")), page.fifo(&format!("{name}-up")));
    let free = page.fifo::<()>(&format!("{name}-free"));
    page.initial(free, [()]);
    let (busy, moved) =
        (page.fifo::<BlockRequest>(&format!("{name}-busy")), page.probe(&format!("{name}-moved")));
    let mut begin = page.transition(&format!("{name}-begin"));
    let (request, onward) = (begin.take(down), begin.put(busy));
    begin.consume(free);
    begin.action(move |f| {
        let mut request = f.take(request);
        let now = f.now();
        request.ledger.charge(Cause::Queue, now - request.issued - request.ledger.total());
        request.ledger.charge(Cause::Service, SERVICE);
        request.status = Status::Done;
        f.record(moved, request.bytes() as f64);
        f.put_after(onward, request, SERVICE);
    });
    let mut end = page.transition(&format!("{name}-end"));
    let (request, back, again) = (end.take(busy), end.put(up), end.put(free));
    end.action(move |f| {
        let request = f.take(request);
        f.put(back, request);
        f.put(again, ());
    });
    (down, up)
}

/// Whatever an end sends is at the other end after the way.
fn wire(page: &mut petrio_kernel::PageBuilder<'_>, ports: &[Port], way: Time) {
    let passed = page.probe("passed");
    for port in ports {
        let mut pass = page.transition(&format!("pass{}", port.host));
        let message = pass.take(port.send);
        let to: Vec<_> = ports.iter().map(|port| pass.may_put(port.received, 1)).collect();
        pass.action(move |f| {
            let message: Box<Message> = f.take(message);
            f.record(passed, message.bytes as f64);
            let end = message.destination as usize;
            f.put_after(to[end], message, way);
        });
    }
}

fn run(parameters: &ReplicationParameters, count: usize, lie: Lie, requests: &[BlockRequest]) -> Ran {
    let mut net = NetBuilder::new("nodes");
    let mut page = net.top();
    let names: Vec<String> = (0..count).map(|number| format!("d{number}")).collect();
    let disks: Vec<_> = names.iter().map(|name| disk(&mut page, name)).collect();
    let ports = ReplicationPorts {
        operations: page.fifo("operations"),
        requests: page.fifo("requests"),
        completions: page.fifo("completions"),
        disks: disks.iter().map(|&(down, up)| (down, up, Sight::Counted)).collect(),
        memories: Vec::new(),
    };
    let mut layout = FileLayout::default();
    (1..4).for_each(|file| layout.add(FileId(file), u64::from(file) * 1024, 512));
    let of_disks = (BLOCKS, Arc::new(layout));
    let replicas: Place<Replicas> = match lie {
        Lie::Bare => replication_page(&mut page, "copies", parameters, of_disks, &ports).unwrap().0,
        Lie::Nodes(nodes, way) => {
            let port = |page: &mut petrio_kernel::PageBuilder<'_>, host: usize| Port {
                host: host as u32,
                service: host as u32,
                send: page.fifo(&format!("send{host}")),
                received: page.fifo(&format!("received{host}")),
            };
            let on: Vec<Port> = (0..=count).map(|host| port(&mut page, host)).collect();
            wire(&mut page, &on, way);
            let mut processors: Vec<Processors> = (0..=count)
                .map(|end| Processors::new(&mut page.page(&format!("end{end}")), nodes.processors))
                .collect();
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            let there = Nodes { parameters: nodes, names: &names, ports: &on, processors: &mut processors };
            let (replicas, _) =
                replication_over_nodes(&mut page, "copies", parameters, of_disks, &ports, there).unwrap();
            for (end, own) in processors.into_iter().enumerate() {
                own.finish(&mut page.reopen(&format!("end{end}")));
            }
            replicas
        }
    };
    let mut run = Simulation::new(&net.build().unwrap(), 1, 0);
    for request in requests {
        run.inject(ports.requests, request.clone(), request.issued).unwrap();
    }
    let mut done = Vec::new();
    while let Some(next) = run.next_time().unwrap() {
        run.run_until(next).unwrap();
        done.extend(run.drain(ports.completions).map(|request| (next, request)));
    }
    run.check_conservation().unwrap();
    let sum = |name: &str| {
        let Some(probe) = run.find_probe(name) else { return (0, 0) };
        let tally = run.marking().probe(probe).tally();
        (tally.count(), (tally.mean() * tally.count() as f64).round() as u64)
    };
    let mut remembered = (0, 0);
    run.for_each_token(replicas, |replicas| {
        remembered = (replicas.tally().remembered, replicas.tally().remembered_bytes);
    });
    let moved = names.iter().map(|name| sum(&format!("{name}-moved")).1).sum();
    Ran { done, passed: sum("passed"), remembered, moved }
}

fn request(id: u64, direction: Direction, file: u32, at: u64, blocks: u32, ms: u64) -> BlockRequest {
    BlockRequest {
        id: RequestId(id),
        direction,
        file: FileId(file),
        address: u64::from(file) * 1024 + at,
        blocks,
        issued: Time::from_millis(ms),
        ..BlockRequest::default()
    }
}

fn everywhere() -> ReplicationParameters {
    ReplicationParameters { policy: PolicyParameters::ReadOneWriteAll, ..ReplicationParameters::default() }
}

const WAY: Time = Time::from_micros(10);

fn ways(count: u64) -> Time {
    Time::from_picos(WAY.as_picos() * count)
}

#[test]
fn a_read_asks_all_copies_and_a_write_tells_them() {
    let nodes = NodeParameters::default();
    // Of a file that nobody has asked for before, there is nobody to ask; then what the second one takes.
    let of = |direction, count| {
        let second = request(2, direction, 1, 0, 16, 50);
        let two = [request(1, Direction::Read, 1, 0, 16, 0), second.clone()];
        let ran = |requests| run(&everywhere(), count, Lie::Nodes(nodes, WAY), requests);
        let (one, both) = (ran(&two[..1]), ran(&two));
        let passed = (both.passed.0 - one.passed.0, both.passed.1 - one.passed.1);
        (both.done[1].0 - second.issued, passed)
    };
    // One node: the request, and the data. A message of 64 bytes each.
    assert_eq!(of(Direction::Read, 1), (SERVICE + ways(2), (2, 64 + 64 + 8192)));
    // Three: two are asked, and answer. One that hasn't served yet looks best, and gets the request, too.
    assert_eq!(of(Direction::Read, 3), (SERVICE + ways(5), (2 + 4 + 1, 7 * 64 + 8192)));
    // A write's data come to the one that speaks for it, and go from there to two more; with the first copy it is done.
    assert_eq!(of(Direction::Write, 3), (SERVICE + ways(4), (1 + 4 + 2 + 2 + 1, 10 * 64 + 3 * 8192)));
}

#[test]
fn what_a_node_has_read_or_written_it_has_in_memory_until_that_is_full() {
    let with = |memory, requests: &[BlockRequest]| {
        let nodes = NodeParameters { memory: Bytes(memory), ..NodeParameters::default() };
        run(&everywhere(), 1, Lie::Nodes(nodes, Time::ZERO), requests)
    };
    let read = |id, at, ms| request(id, Direction::Read, 1, at, 16, ms);
    let twice = [read(1, 0, 0), read(2, 0, 10), read(3, 16, 20), read(4, 0, 30)];
    let none = with(0, &twice);
    assert_eq!((none.remembered, none.moved), ((0, 0), 4 * 8192));
    let all = with(64 << 10, &twice);
    assert_eq!((all.remembered, all.moved), ((2, 2 * 8192), 2 * 8192));
    assert_eq!(all.done[1].0, Time::from_millis(10), "at once");
    assert_eq!(all.done[1].1.status, Status::DoneFromCache);
    let small = with(8 << 10, &twice);
    assert_eq!(small.remembered, (1, 8192), "what is read third drives the rest out");
    let written = with(64 << 10, &[request(1, Direction::Write, 1, 0, 16, 0), read(2, 0, 10)]);
    assert_eq!((written.remembered, written.moved), ((1, 8192), 8192), "it is written through");
}

#[test]
fn the_choice_of_a_copy_knows_who_has_it_in_memory() {
    // The second read finds the first node busy, and goes to the other; from then on both have it.
    let nodes = NodeParameters { memory: Bytes(64 << 10), ..NodeParameters::default() };
    let read = |id, ms| request(id, Direction::Read, 1, 0, 16, ms);
    let busy = [read(1, 0), request(2, Direction::Read, 2, 0, 16, 5), read(3, 5)];
    let ran = run(&everywhere(), 2, Lie::Nodes(nodes, Time::ZERO), &busy);
    let third = ran.done.iter().find(|(_, request)| request.id == RequestId(3)).unwrap();
    assert_eq!(
        (third.0, ran.remembered.0),
        (Time::from_millis(5), 1),
        "it goes to the busy one, which has it"
    );
}

#[test]
fn work_queues_at_a_nodes_processors() {
    let last = |work: u64, processors| {
        let work = Duration::new(Time::from_millis(work));
        let nodes = NodeParameters { work, processors, ..NodeParameters::default() };
        let four: Vec<BlockRequest> =
            (0..4).map(|id| request(id, Direction::Read, 1, 16 * id, 16, 0)).collect();
        run(&everywhere(), 1, Lie::Nodes(nodes, Time::ZERO), &four).done.last().unwrap().0
    };
    assert_eq!(last(0, 1), Time::from_millis(4));
    // All four share the processor for 40 ms; then the disk serves them.
    assert_eq!(last(10, 1), Time::from_millis(44));
    assert_eq!(last(10, 2), Time::from_millis(24));
    assert_eq!(last(10, 4), Time::from_millis(14));
}

#[test]
fn nodes_that_cannot_be_are_refused() {
    let usual = NodeParameters::default();
    assert_eq!(usual.check(), Ok(()));
    assert_eq!(NodeParameters { processors: 0, ..usual }.check(), Err(NodeError::Processors));
    assert_eq!(NodeParameters { block: Bytes(700), ..usual }.check(), Err(NodeError::Block(Bytes(700))));
    let small = NodeParameters { memory: Bytes(512), ..usual };
    assert_eq!(small.check(), Err(NodeError::Memory { memory: Bytes(512), block: usual.block }));
}

fn protocols() -> impl Strategy<Value = Protocol> {
    let on_disk = Voting { versions: Versions::OnDisk, ..Voting::default() };
    prop::sample::select(vec![
        Protocol::WriteAll,
        Protocol::Master,
        Protocol::Voting(Voting::default()),
        Protocol::Voting(on_disk),
        Protocol::Transaction(Transaction::default()),
    ])
}

fn traffic() -> impl Strategy<Value = Vec<BlockRequest>> {
    let one = (0usize..3, 1u32..4, 0u64..30, 1u32..16, 0u64..12);
    prop::collection::vec(one, 1..30).prop_map(|all| {
        let direction = |which| [Direction::Read, Direction::Write, Direction::Flush][which];
        let made = |(id, (which, file, at, blocks, ms)): (u64, (usize, u32, u64, u32, u64))| {
            request(id, direction(which), file, at * 16, blocks, ms)
        };
        // Each at an instant of its own: of two at one instant, none is the first.
        let apart = |(id, request): (u64, BlockRequest)| BlockRequest {
            issued: request.issued + Time::from_micros(7 * id + 3),
            ..request
        };
        (0..).zip((0..).zip(all).map(made)).map(apart).collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn behind_a_network_that_takes_no_time_copies_are_as_on_bare_disks(
        protocol in protocols(), requests in traffic(), count in 1usize..5,
    ) {
        let parameters = ReplicationParameters { protocol, ..everywhere() };
        let bare = run(&parameters, count, Lie::Bare, &requests);
        let nodes = run(&parameters, count, Lie::Nodes(NodeParameters::default(), Time::ZERO), &requests);
        let told = |ran: &Ran| {
            let mut all: Vec<_> = ran.done.iter()
                .map(|(at, request)| (*at, request.id, request.status, request.ledger.total())).collect();
            all.sort_by_key(|(at, id, ..)| (*at, *id));
            all
        };
        prop_assert_eq!(told(&bare), told(&nodes));
        prop_assert_eq!(bare.moved, nodes.moved);
    }

    #[test]
    fn every_request_comes_back_once_with_all_its_time_and_every_byte_crosses_as_often_as_it_must(
        protocol in protocols(), requests in traffic(), count in 1usize..5, memory in 0u64..3, work in 0u64..300,
    ) {
        let nodes = NodeParameters {
            memory: Bytes(memory * (16 << 10)),
            work: Duration::new(Time::from_micros(work)),
            ..NodeParameters::default()
        };
        let parameters = ReplicationParameters { protocol, ..everywhere() };
        let ran = run(&parameters, count, Lie::Nodes(nodes, WAY), &requests);
        prop_assert_eq!(ran.done.len(), requests.len());
        let mut seen: Vec<u64> = ran.done.iter().map(|(_, request)| request.id.0).collect();
        seen.sort_unstable();
        prop_assert_eq!(seen, (0..requests.len() as u64).collect::<Vec<_>>());
        for (at, request) in &ran.done {
            prop_assert_eq!(request.issued + request.ledger.total(), *at);
            // To a node, and back.
            prop_assert!(request.ledger.of(Cause::Bus) >= ways(2));
        }
        let bytes = |direction| requests.iter().filter(|request| request.direction == direction)
            .map(BlockRequest::bytes).sum::<u64>();
        let data = ran.passed.1 - ran.passed.0 * nodes.message.get();
        // A read's data come to the spigot, a write's go to the node that speaks for it: both once at least.
        prop_assert!(data >= bytes(Direction::Read) + bytes(Direction::Write));
        if matches!(parameters.protocol, Protocol::WriteAll | Protocol::Master) {
            let copies = count as u64;
            prop_assert_eq!(data, bytes(Direction::Read) + copies * bytes(Direction::Write));
        }
    }

    #[test]
    fn one_request_is_never_slower_on_a_faster_network_or_processor_or_with_more_memory(
        protocol in protocols(), count in 1usize..5, writes: bool, way in 1u64..100, work in 0u64..100,
    ) {
        let direction = if writes { Direction::Write } else { Direction::Read };
        let took = |way: u64, work: u64, memory: u64| {
            let work = Duration::new(Time::from_micros(work));
            let nodes = NodeParameters { work, memory: Bytes(memory), ..NodeParameters::default() };
            let parameters = ReplicationParameters { protocol: protocol.clone(), ..everywhere() };
            let two = [request(0, Direction::Read, 1, 0, 16, 0), request(1, direction, 1, 0, 16, 50)];
            let ran = run(&parameters, count, Lie::Nodes(nodes, Time::from_micros(way)), &two);
            ran.done.last().unwrap().0
        };
        let usual = took(way, work, 16 << 10);
        prop_assert!(took(way / 2, work, 16 << 10) <= usual);
        prop_assert!(took(way, work / 2, 16 << 10) <= usual);
        prop_assert!(took(way, work, 64 << 10) <= usual);
        prop_assert!(usual <= took(way, work, 0));
    }
}
