//! Processes on hosts of a star exchange messages: times against closed forms, and everything that is sent arrives.
#![allow(clippy::unwrap_used)]

use super::mailbox::Mailbox;
use super::*;
use petrio_colours::{Exchange, Failure, FileOp, Operation, Remote, RequestId, Status};
use petrio_kernel::{NetBuilder, Place, Simulation, Time};
use petrio_network::topology::{TopologyParameters, Wiring};
use petrio_network::{HostCostsParameters, Network, NetworkParameters};
use petrio_stage::processor::Processors;
use petrio_units::{Bytes, Duration};
use proptest::prelude::*;
use std::sync::Arc;

/// Processes on hosts, a few on each.
struct Bench {
    run: Simulation,
    operations: Vec<Place<FileOp>>,
    mailboxes: Vec<Place<Mailbox>>,
    completions: Place<FileOp>,
    each: u32,
    next: u64,
}

fn plain() -> MpiParameters {
    let nothing = Duration::new(Time::ZERO);
    MpiParameters {
        send: nothing,
        receive: nothing,
        shared_memory: SharedMemory { each: nothing, kib: nothing },
        ..MpiParameters::default()
    }
}

/// A Gigabit link of no latency, with no host costs.
fn gigabit() -> NetworkParameters {
    toml_network("link = { rate = \"1 Gbit/s\", latency = \"10 us\" }")
}

/// Without what messages cost hosts unless that is said.
fn toml_network(text: &str) -> NetworkParameters {
    let parameters: NetworkParameters = toml::from_str(text).unwrap();
    let costs = if parameters.costs.are_usual() { HostCostsParameters::NONE } else { parameters.costs };
    NetworkParameters { costs, ..parameters }
}

impl Bench {
    fn new(parameters: &MpiParameters, network: &NetworkParameters, hosts: u32, each: u32) -> Self {
        parameters.check().unwrap();
        let mut net = NetBuilder::new("mpi");
        let mut page = net.top();
        let names: Vec<String> = (0..hosts).map(|host| format!("h{host}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let wiring = Arc::new(Wiring::new(&TopologyParameters::Star, hosts).unwrap());
        let mut lan = Network::new(&mut page, "lan", network, wiring, &names);
        let completions = page.fifo("completions");
        let operations: Vec<Place<FileOp>> =
            names.iter().map(|name| page.fifo(&format!("{name}-exchanges"))).collect();
        let mut processors: Vec<Processors> =
            names.iter().map(|name| Processors::new(&mut page.page(name), 64)).collect();
        let joined: Vec<MpiHost<'_>> = (0..hosts as usize)
            .map(|host| MpiHost {
                name: names[host],
                port: lan.port(&mut page, host as u32, "mpi"),
                adapter: (network.transport.is_one_sided())
                    .then(|| lan.port(&mut page, host as u32, "mpi's memory")),
                host,
                operations: operations[host],
                completions,
            })
            .collect();
        let directory = Directory::new((0..hosts * each).map(|process| Some(process / each)));
        let parameters = (parameters, network.atomic().time());
        let (mailboxes, _) = mpi_page(&mut page, "mpi", parameters, &directory, &joined, &mut processors);
        let by_number: Vec<usize> = (0..hosts as usize).collect();
        lan.finish(&mut page, &mut processors, &by_number);
        for (name, processors) in names.iter().zip(processors) {
            processors.finish(&mut page.reopen(name));
        }
        let run = Simulation::new(&net.build().unwrap(), 1, 0);
        Self { run, operations, mailboxes, completions, each, next: 0 }
    }

    fn post(&mut self, process: u32, sends: &[(u32, u64)], receives: &[u32], at: Time) {
        let exchange = Exchange { sends: sends.to_vec(), receives: receives.to_vec(), ..Exchange::default() };
        self.exchange(process, exchange, at);
    }

    /// Accesses to others' memory.
    fn access(&mut self, process: u32, remote: &[(u32, Remote)], at: Time) {
        self.exchange(process, Exchange { remote: remote.to_vec(), ..Exchange::default() }, at);
    }

    fn exchange(&mut self, process: u32, exchange: Exchange, at: Time) {
        let op = FileOp {
            id: RequestId(self.next),
            process,
            operation: Operation::Exchange,
            exchange: Some(Arc::new(exchange)),
            issued: at,
            ..FileOp::default()
        };
        self.next += 1;
        self.run.inject(self.operations[(process / self.each) as usize], op, at).unwrap();
    }

    /// Runs to the end; when each exchange was done, by its number.
    fn finish(&mut self) -> Vec<(u64, Time, FileOp)> {
        let mut all = Vec::new();
        let mut next = Some(Time::ZERO);
        while let Some(now) = next {
            self.run.run_until(now).unwrap();
            next = self.run.next_time().unwrap();
            all.extend(self.run.drain(self.completions).map(|op| (op.id.0, now, op)));
        }
        self.run.check_conservation().unwrap();
        all.sort_by_key(|(number, ..)| *number);
        all
    }

    fn is_at_rest(&self) -> bool {
        let mut rests = true;
        for &place in &self.mailboxes {
            self.run.for_each_token(place, |mailbox| rests &= mailbox.is_at_rest());
        }
        rests
    }
}

/// Time of so many bytes on the wire of Gigabit Ethernet, of 1448 data in frames of 1538 bytes, cut through the switch or not.
fn wire(bytes: u64) -> Time {
    let frames = bytes.div_ceil(1448);
    Time::from_nanos((bytes + frames * 90) * 8)
}

/// Within two microseconds: headers of a frame more or less.
fn near(a: Time, b: Time) -> bool {
    a.saturating_sub(b).max(b.saturating_sub(a)) < Time::from_micros(2)
}

#[test]
fn a_short_message_takes_one_way_and_a_long_one_asks_first_and_holds_its_sender_until_it_is_there() {
    let took = |bytes: u64| {
        let mut bench = Bench::new(&plain(), &gigabit(), 2, 1);
        bench.post(0, &[(1, bytes)], &[], Time::ZERO);
        bench.post(1, &[], &[0], Time::ZERO);
        let done = bench.finish();
        assert!(bench.is_at_rest());
        (done[0].1, done[1].1)
    };
    // A way is two links of 10 us; a switch passes a frame on once it has it.
    let way = |bytes: u64| Time::from_micros(20) + wire(bytes + 64);
    let (sent, received) = took(1000);
    assert_eq!(sent, Time::ZERO, "who sends a short message goes on at once");
    let expected = way(1000) + wire(1064);
    assert!(near(received, expected), "{received} instead of {expected}");
    let (sent, received) = took(1 << 20);
    // Asked and answered before: two ways of an envelope. A third tells the sender that it is there.
    let ask = way(0) + wire(64);
    let least = ask + ask + way(1 << 20);
    assert!(received >= least && received < least + Time::from_millis(1), "{received} instead of {least}");
    assert!(near(sent, received + ask), "{sent} instead of {}", received + ask);
}

#[test]
fn a_receiver_that_comes_late_holds_a_long_message_up_and_not_a_short_one() {
    let took = |bytes: u64| {
        let mut bench = Bench::new(&plain(), &gigabit(), 2, 1);
        bench.post(0, &[(1, bytes)], &[], Time::ZERO);
        bench.post(1, &[], &[0], Time::from_millis(100));
        bench.finish()
    };
    let short = took(10_000);
    assert_eq!(short[1].1, Time::from_millis(100), "it lies there");
    let long = took(100_000);
    assert!(long[0].1 > Time::from_millis(100) && long[1].1 > Time::from_millis(100) + wire(100_000));
}

#[test]
fn messages_of_two_processes_are_received_in_their_order_whatever_their_lengths() {
    let mut bench = Bench::new(&plain(), &gigabit(), 2, 1);
    // A long one, and short ones behind it: who asks for one gets the first.
    for bytes in [1 << 20, 8, 8] {
        bench.post(0, &[(1, bytes)], &[], Time::ZERO);
    }
    for _ in 0..3 {
        bench.post(1, &[], &[0], Time::ZERO);
    }
    let done = bench.finish();
    let [first, second, third] = [3, 4, 5].map(|number| done[number].1);
    assert!(first > Time::from_millis(8), "the first is the long one: {first}");
    assert!(second < Time::from_millis(1) && third < Time::from_millis(1));
}

#[test]
fn a_receiver_takes_messages_of_one_sender_by_their_tags() {
    let mut bench = Bench::new(&plain(), &gigabit(), 2, 1);
    let send =
        |tag: u64, bytes: u64| Exchange { sends: vec![(1, bytes)], send_tag: tag, ..Exchange::default() };
    let receive = |tag: u64| Exchange { receives: vec![0], receive_tag: tag, ..Exchange::default() };
    // The long one is sent first and asked for last: it waits for its receiver, and the short one doesn't wait for it.
    bench.exchange(0, send(7, 1_000_000), Time::ZERO);
    bench.exchange(0, send(8, 100), Time::ZERO);
    bench.exchange(1, receive(8), Time::ZERO);
    bench.exchange(1, receive(7), Time::from_millis(50));
    let done = bench.finish();
    assert!(done[2].1 < Time::from_micros(100), "{:?}", done[2].1);
    assert!(done[3].1 > Time::from_millis(58) && done[0].1 > Time::from_millis(58), "{:?}", done[3].1);
    assert!(bench.is_at_rest());
}

#[test]
fn long_messages_both_ways_use_both_directions_of_a_link() {
    // The second posts a little later: what it is told by the first stands behind nothing.
    let bytes = 50 << 20;
    let took = |late: Time| {
        let mut bench = Bench::new(&plain(), &gigabit(), 2, 1);
        bench.post(0, &[(1, bytes)], &[1], Time::ZERO);
        bench.post(1, &[(0, bytes)], &[0], late);
        let done = bench.finish();
        done[0].1.max(done[1].1)
    };
    for late in [Time::ZERO, Time::from_micros(500), Time::from_millis(5)] {
        let least = wire(bytes);
        let took = took(late);
        assert!(took >= least && took < least + late + Time::from_millis(2), "{took} of {least}");
    }
}

#[test]
fn processes_of_one_host_send_nothing_over_the_network() {
    let memory =
        SharedMemory { each: Duration::new(Time::from_micros(1)), kib: Duration::new(Time::from_micros(1)) };
    let mut bench = Bench::new(&MpiParameters { shared_memory: memory, ..plain() }, &gigabit(), 1, 2);
    bench.post(0, &[(1, 1 << 20)], &[1], Time::ZERO);
    bench.post(1, &[(0, 0)], &[0], Time::ZERO);
    let done = bench.finish();
    assert_eq!(done[1].1, Time::from_micros(1025), "a microsecond, and one for each KiB");
    assert_eq!(done[0].1, Time::from_micros(1025), "its own message is copied by then");
}

#[test]
fn a_process_that_nothing_joins_is_told_so() {
    let mut bench = Bench::new(&plain(), &gigabit(), 2, 1);
    bench.post(0, &[(7, 8)], &[], Time::ZERO);
    assert_eq!(bench.finish()[0].2.status, Status::Failed(Failure::NotConnected));
}

#[test]
fn what_makes_no_sense_is_refused() {
    assert_eq!(MpiParameters { envelope: Bytes(0), ..plain() }.check(), Err(MpiError::NoEnvelope));
    assert!(MpiParameters { service_level: 16, ..plain() }.check().is_err());
}

/// Rounds in which processes send each other messages of any length.
fn rounds(processes: u32) -> impl Strategy<Value = Vec<Vec<(u32, u32, u64)>>> {
    let message = (0..processes, 0..processes, prop_oneof![0..100u64, 50_000..200_000u64]);
    prop::collection::vec(prop::collection::vec(message, 0..12), 1..5)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn whatever_is_sent_is_received(each in 1..3u32, rounds in rounds(6), eager in prop_oneof![Just(64u64), Just(4096), Just(1 << 20)]) {
        let hosts = 6 / each;
        let mut bench = Bench::new(&MpiParameters { eager: Bytes(eager), ..plain() }, &gigabit(), hosts, each);
        let mut posted = 0;
        for round in &rounds {
            for process in 0..hosts * each {
                let sends: Vec<(u32, u64)> = (round.iter())
                    .filter(|(from, to, _)| *from == process && *to != process)
                    .map(|&(_, to, bytes)| (to, bytes))
                    .collect();
                let receives: Vec<u32> = (round.iter())
                    .filter(|(from, to, _)| *to == process && *from != process)
                    .map(|&(from, ..)| from)
                    .collect();
                bench.post(process, &sends, &receives, Time::ZERO);
                posted += 1;
            }
        }
        let done = bench.finish();
        prop_assert_eq!(done.len(), posted);
        prop_assert!(bench.is_at_rest());
        prop_assert!(done.iter().all(|(.., op)| op.status == Status::DoneFromCache && op.ledger.total() <= Time::from_seconds(10.0)));
    }

    #[test]
    fn a_stream_is_no_faster_than_its_link_and_a_faster_link_is_no_slower(bytes in 1_000..3_000_000u64, mbit in 10..1000u32) {
        let took = |mbit: u32| {
            let network = toml_network(&format!("link = {{ rate = \"{mbit} Mbit/s\", latency = \"5 us\" }}"));
            let mut bench = Bench::new(&plain(), &network, 2, 1);
            bench.post(0, &[(1, bytes)], &[], Time::ZERO);
            bench.post(1, &[], &[0], Time::ZERO);
            bench.finish()[1].1
        };
        let (slow, fast) = (took(mbit), took(2 * mbit));
        let floor = bytes as f64 * 8.0 / (f64::from(mbit) * 1e6);
        prop_assert!(slow.as_seconds() >= floor, "{} below {floor}", slow.as_seconds());
        prop_assert!(fast <= slow);
    }
}

/// InfiniBand of 10 GB/s, whose switches add nothing, with what messages cost hosts.
fn infiniband(costs: &str) -> NetworkParameters {
    let text =
        format!("transport = \"rdma\"\nlink = {{ rate = \"80 Gbit/s\", latency = \"0.5 us\" }}\n{costs}");
    toml::from_str(&text).unwrap()
}

const FREE: &str =
    "costs = { send = \"0 us\", send_kib = \"0 us\", receive = \"0 us\", receive_kib = \"0 us\" }";

/// When accesses were done, each in an exchange of its own that process 0 begins at once.
fn accesses(parameters: &MpiParameters, network: &NetworkParameters, remote: &[Remote]) -> Vec<f64> {
    let mut bench = Bench::new(parameters, network, 2, 1);
    for &remote in remote {
        bench.access(0, &[(1, remote)], Time::ZERO);
    }
    let done = bench.finish();
    assert!(bench.is_at_rest());
    done.into_iter().map(|(_, at, _)| at.as_micros()).collect()
}

#[test]
fn an_access_takes_a_way_there_and_one_back_and_nobody_there_posts_anything() {
    let one = |remote| accesses(&plain(), &infiniband(FREE), &[remote])[0];
    let (write, read) = (one(Remote::Put(1 << 20)), one(Remote::Get(1 << 20)));
    // 1 MiB in frames of 4096 of 4122 bytes at 10 GB/s, and two ways of 1 us.
    let data = 256.0 * 4_122.0 / 1e4;
    for (took, what) in [(write, "a write"), (read, "a read")] {
        assert!(took > data + 2.0 && took < data + 2.0 + 1.0, "{what}: {took} us for {data} us of data");
    }
    let (add, small) = (one(Remote::FetchAndAdd), one(Remote::Accumulate(8)));
    assert!(add > 2.0 + 0.4 && add < 2.0 + 0.4 + 0.2, "{add} us: both ways, and the adder");
    assert_eq!(add, small, "eight bytes are what adapters add");
    // Locked, read, written, released: four times there and back.
    let large = one(Remote::Accumulate(1 << 20));
    assert!(
        large > 2.0 * data + 4.0 * 2.0 + 2.0 * 0.4 && large < 2.0 * data + 4.0 * 2.6 + 2.0 * 0.5,
        "{large} us"
    );
}

#[test]
fn atomic_operations_of_one_adapter_go_one_after_the_other() {
    let times = accesses(&plain(), &infiniband(FREE), &[Remote::FetchAndAdd; 100]);
    let span = times[99] - times[0];
    assert!((span - 99.0 * 0.4).abs() < 0.5, "{span} us for 99 more of 0.4 us each");
}

#[test]
fn processors_of_the_passive_side_work_for_messages_and_not_for_accesses() {
    // Processes of host 1 post nothing; what its processors would take for each message is felt only where they are asked.
    let costs = |host: &str| {
        format!(
            "costs = {{ send = \"{host}\", send_kib = \"0 us\", receive = \"{host}\", receive_kib = \"0 us\" }}"
        )
    };
    let over = |transport: &str, remote| {
        let took = |host: &str| {
            let network = infiniband(&costs(host));
            let network = NetworkParameters { transport: transport_of(transport), ..network };
            accesses(&plain(), &network, &[remote])[0]
        };
        took("50 us") - took("0 us")
    };
    for remote in [Remote::Put(4_096), Remote::Get(4_096), Remote::FetchAndAdd] {
        // Who asks posts, and hears of the end: twice 50 us. Over IP the other host receives and answers as well.
        let (one_sided, by_messages) = (over("rdma", remote), over("ip-over-infiniband", remote));
        assert!((one_sided - 100.0).abs() < 1e-6, "{remote:?}: {one_sided} us");
        assert!((by_messages - 200.0).abs() < 1e-6, "{remote:?}: {by_messages} us");
    }
}

fn transport_of(name: &str) -> petrio_network::Transport {
    let text = format!("transport = \"{name}\"\nlink = {{ rate = \"80 Gbit/s\", latency = \"0.5 us\" }}");
    toml::from_str::<NetworkParameters>(&text).unwrap().transport
}

#[test]
fn accesses_to_memory_of_the_same_host_are_copies() {
    let shared = SharedMemory { each: "1 us".parse().unwrap(), kib: "2 us".parse().unwrap() };
    let parameters = MpiParameters { shared_memory: shared, ..plain() };
    let mut bench = Bench::new(&parameters, &infiniband(FREE), 1, 2);
    bench.access(0, &[(1, Remote::Put(1 << 20))], Time::ZERO);
    let took = bench.finish()[0].1;
    assert_eq!(took, Time::from_micros(1 + 2 * 1_024));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn every_access_is_done_once_by_whatever_carries_it(
        all in prop::collection::vec((0u32..6, 0u32..6, 0u8..4, 0u64..200_000, 0u64..50), 1..40),
        transport in prop::sample::select(vec!["rdma", "ip-over-infiniband", "tcp"]),
        level in prop::sample::select(vec!["ideal", "train", "packet", "fluid"]),
    ) {
        let text = format!(
            "transport = \"{transport}\"\nlevel = \"{level}\"\nlink = {{ rate = \"8 Gbit/s\", latency = \"1 us\" }}"
        );
        let network: NetworkParameters = toml::from_str(&text).unwrap();
        let mut bench = Bench::new(&MpiParameters::default(), &network, 3, 2);
        for &(by, at, kind, bytes, begin) in &all {
            let remote = match kind {
                0 => Remote::Put(bytes),
                1 => Remote::Get(bytes),
                2 => Remote::Accumulate(bytes),
                _ => Remote::FetchAndAdd,
            };
            bench.access(by, &[(at, remote)], Time::from_micros(begin));
        }
        let done = bench.finish();
        prop_assert_eq!(done.len(), all.len());
        prop_assert!(bench.is_at_rest());
        for (_, at, op) in &done {
            prop_assert_eq!(op.status, Status::DoneFromCache);
            prop_assert_eq!(op.issued + op.ledger.total(), *at);
        }
    }
}
