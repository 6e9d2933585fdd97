//! Parallel programs on simulated hosts: what their ranks' time goes for, floors and ceilings, and what a person who writes
//! nonsense is told.

use crate::hosts::support::{host_alone, load_of, run_of};
use petrio_scenario::Problem;
use petrio_scenario::report::{JobFigures, RankFigures, Report};

/// Four clients of a PVFS on two servers.
const CLUSTER: &str = r#"
[network.lan]
use = "gigabit-ethernet"
costs = { send = "0 s", receive = "0 s", send_kib = "0 s", receive_kib = "0 s" }

[host.client]
count = 4
machine = "epyc-9005-2vcpu"
kernel = "linux-6.18"

[host.server]
count = 2
machine = "epyc-9005-2vcpu"
kernel = "linux-6.18"

[host.server.disk.d]
model = "constant-rate"
drive.latency = "1 us"
drive.rate = "10 GB/s"

[host.server.fs.data]
type = "ext4"
on = "d"

[pvfs.work]
sync_names = false
costs = { call = "0 s", answer = "0 s", request = "0 s", piece = "0 s", wake_up = "0 s" }
clients = "client*"
servers = "server*/data"

[mpi.m]
hosts = "client*"

[workload.bt]
kind = "parallel"
on = "client*/work"
ranks = 4
program = { kind = "bt-io", class = "S", subtype = "full", step_time = "2 ms" }
"#;

/// Bytes of BT-IO's class S: twelve dumps of 12³ cells of 40 bytes.
const DUMPED: u64 = 12 * 12 * 12 * 12 * 40;

fn run(set: &[&str]) -> Report {
    run_of(CLUSTER, set)
}

fn job(set: &[&str]) -> JobFigures {
    run(set).jobs.remove(0)
}

fn sum(job: &JobFigures, of: impl Fn(&RankFigures) -> f64) -> f64 {
    job.ranks.iter().map(of).sum()
}

#[test]
fn ranks_times_add_up_to_no_more_than_the_run() {
    let report = run(&[]);
    let job = &report.jobs[0];
    assert_eq!(
        job.ranks.iter().map(|rank| rank.host.as_str()).collect::<Vec<_>>(),
        ["client0", "client1", "client2", "client3"]
    );
    let written: u64 = job.ranks.iter().map(|rank| rank.written_bytes).sum();
    let read: u64 = job.ranks.iter().map(|rank| rank.read_bytes).sum();
    assert_eq!((written, read), (DUMPED, DUMPED));
    for rank in &job.ranks {
        let spent = rank.computing_s + rank.messages_s + rank.io_s();
        assert!(spent <= job.elapsed_s * 1.000_001, "{spent} of {}", job.elapsed_s);
        // Sixty steps of two milliseconds each.
        assert!((rank.processor_s() - 0.12).abs() < 1e-6, "{}", rank.processor_s());
        assert!(rank.messages_s > 0.0);
    }
    assert!(job.efficiency().unwrap() < 1.0);
    assert!((job.speed_up().unwrap() - sum(job, RankFigures::processor_s) / job.elapsed_s).abs() < 1e-9);
}

#[test]
fn a_machine_that_computes_twice_as_fast_computes_half_as_long() {
    let machine = |speed: &str| format!("host.client.change.machine.computing_speed={speed}");
    let (plain, fast) = (job(&[]), job(&[&machine("2")]));
    let part = sum(&fast, |rank| rank.computing_s) / sum(&plain, |rank| rank.computing_s);
    assert!((part - 0.5).abs() < 0.01, "{part}");
    assert!(fast.elapsed_s < plain.elapsed_s);
}

#[test]
fn collective_writes_are_fewer_and_longer_than_those_of_each_rank() {
    let writes = |subtype: &str| {
        let program =
            format!("workload.bt.program={{ kind = \"bt-io\", class = \"S\", subtype = \"{subtype}\" }}");
        run(&[&program]).served.requests.writes
    };
    let (full, simple) = (writes("full"), writes("simple"));
    // An aggregator on each of four hosts writes a quarter of each of twelve dumps with one call; alone, each of four ranks writes
    // 72 rows of 240 bytes a dump.
    assert_eq!((full, simple), (4 * 12, 4 * 12 * 72));
}

/// Four ranks on a host that is on no network.
fn alone() -> String {
    host_alone("1 us", "10 GB/s")
        + r#"
[mpi.m]
hosts = "h"

[workload.bt]
kind = "parallel"
on = "work"
ranks = 4
program = { kind = "bt-io", class = "S", subtype = "full", step_time = "2 ms" }
"#
}

#[test]
fn ranks_of_one_host_take_the_same_time_on_a_network_and_on_none() {
    let of = |text: &str| run_of(text, &[]).jobs.remove(0);
    let scenario = alone();
    let alone = of(&scenario);
    let on_a_network = of(&format!("{scenario}\n[network.lan]\nuse = \"gigabit-ethernet\"\nhosts = \"h\"\n"));
    let named = scenario.replace("hosts = \"h\"", "hosts = \"h\"\nnetwork = \"lan\"");
    let crossed = of(&format!("{named}\n[network.lan]\nuse = \"gigabit-ethernet\"\nhosts = \"h\"\n"));
    for job in [&on_a_network, &crossed] {
        assert_eq!(format!("{:?}", job.ranks), format!("{:?}", alone.ranks));
    }
    // They do exchange their pieces of each dump, through memory: half as fast a memory is seen.
    let slower = scenario
        .replace("hosts = \"h\"", "hosts = \"h\"\nshared_memory = { each = \"1 ms\", kib = \"1 ms\" }");
    let (fast, slow) = (sum(&alone, |rank| rank.messages_s), sum(&of(&slower), |rank| rank.messages_s));
    assert!(slow > 2.0 * fast && fast > 0.0, "{slow} {fast}");
}

#[test]
fn ranks_that_share_a_processor_are_no_faster_than_it() {
    let of = |processors: u32| {
        let text =
            alone().replace("kernel =", &format!("change.machine.processors = {processors}\nkernel ="));
        run_of(&text, &[]).jobs.remove(0)
    };
    let (one, four) = (of(1), of(4));
    // What is computed is the same; with one processor three of four ranks wait for it while one computes.
    for job in [&one, &four] {
        assert!((sum(job, RankFigures::processor_s) - 4.0 * 0.12).abs() < 1e-6);
        assert_eq!((job.speed_up, job.efficiency), (job.speed_up(), job.efficiency()));
    }
    let (slow, fast) = (one.speed_up.unwrap(), four.speed_up.unwrap());
    assert!(slow > 0.5 && slow <= 1.0, "{slow}");
    assert!((one.efficiency.unwrap() - slow / 4.0).abs() < 1e-12);
    assert!(fast > 3.0 && fast <= 4.0, "{fast}");
    assert!(sum(&one, |rank| rank.waiting_s) > 2.0 * sum(&one, RankFigures::processor_s));
    assert!(sum(&four, |rank| rank.waiting_s) < 0.1 * sum(&four, RankFigures::processor_s));
}

#[test]
fn ranks_of_one_volume_are_all_on_its_host() {
    let one = "workload.bt.on=\"client0/work\"";
    let report = run(&[one]);
    assert!(report.jobs[0].ranks.iter().all(|rank| rank.host == "client0"));
}

#[test]
fn a_library_goes_without_saying_where_there_is_one_way() {
    let of = |text: &str, set: &[&str]| run_of(text, set).jobs.remove(0);
    for (text, library) in
        [(CLUSTER, "[mpi.m]\nhosts = \"client*\"\n"), (alone().as_str(), "[mpi.m]\nhosts = \"h\"\n")]
    {
        let without = text.replace(library, "");
        assert_ne!(without, text);
        assert_eq!(format!("{:?}", of(&without, &[]).ranks), format!("{:?}", of(text, &[]).ranks));
        // What it is made of may be said nevertheless.
        let slow = of(&without, &["mpi.messages.send=\"1 ms\""]);
        assert!(sum(&slow, |rank| rank.messages_s) > sum(&of(text, &[]), |rank| rank.messages_s));
    }
    // A program of one rank needs none, and gets none.
    let one = load_of(&alone().replace("[mpi.m]\nhosts = \"h\"\n", ""), &["workload.bt.ranks=1"]).unwrap();
    assert!(one.hosts.linux.mpi.is_empty());
}

#[test]
fn where_there_is_a_choice_ranks_without_a_library_are_refused_where_they_are_placed() {
    let text = CLUSTER
        .replace("[mpi.m]\nhosts = \"client*\"\n", "[network.wan]\nuse = \"fast-ethernet\"\n")
        .replace("servers = \"server*/data\"", "servers = \"server*/data\"\nnetwork = \"lan\"");
    let problems = load_of(&text, &[]).unwrap_err();
    let message = problems.iter().map(Problem::message).collect::<Vec<_>>().join("\n");
    assert!(message.contains("nothing carries messages between its ranks"), "{message}");
    assert!(problems.iter().all(|problem| problem.location().is_some()));
    // On one host, too: the advice names it and what to add.
    let problems = load_of(&text, &["workload.bt.on=\"client0/work\""]).unwrap_err();
    let message = problems.iter().map(Problem::message).collect::<Vec<_>>().join("\n");
    assert!(message.contains("add [mpi.NAME] and below it hosts = [\"client0\"]"), "{message}");
}

#[test]
fn what_makes_no_sense_is_refused_where_it_stands() {
    for (piece, instead, message) in [
        ("ranks = 4", "ranks = 0", "ranks"),
        ("ranks = 4", "ranks = 5", "square"),
        ("hosts = \"client*\"", "hosts = \"nobody\"", "nobody"),
        ("hosts = \"client*\"", "hosts = \"client*\"\nnetwork = \"wan\"", "no network is called \"wan\""),
        ("hosts = \"client*\"", "hosts = \"client*\"\nenvelope = \"0 B\"", "an `envelope` of no bytes"),
        ("class = \"S\"", "class = \"X\"", "X"),
        ("subtype = \"full\"", "subtype = \"ful\"", "ful"),
    ] {
        let problems = load_of(&CLUSTER.replace(piece, instead), &[]).unwrap_err();
        let found = problems.iter().find(|problem| problem.message().contains(message));
        let problem = found.unwrap_or_else(|| panic!("{message} in {problems:?}"));
        assert!(problem.location().is_some(), "{message} points nowhere");
    }
}

#[test]
fn a_faster_network_makes_no_rank_wait_longer_for_messages() {
    let slow = job(&["network.lan.use=\"fast-ethernet\""]);
    let fast = job(&[]);
    assert!(fast.elapsed_s < slow.elapsed_s);
    assert!(sum(&fast, |rank| rank.messages_s) < sum(&slow, |rank| rank.messages_s));
}

#[test]
fn a_clock_ends_what_ior_writes_and_all_of_it_is_read_back() {
    let program = |options: &str| {
        format!("workload.bt.program={{ kind = \"ior\", command = \"ior -F -b 1g -t 256k {options}\" }}")
    };
    let ended = job(&[&program("-D 1")]);
    let worn_out = job(&[&program("-D 1 -O stoneWallingWearOut=1")]);
    for (job, alike) in [(&ended, false), (&worn_out, true)] {
        let written: Vec<u64> = job.ranks.iter().map(|rank| rank.written_bytes).collect();
        let read: Vec<u64> = job.ranks.iter().map(|rank| rank.read_bytes).collect();
        // Two gigabit links hold them all up: in a second no more passes than these carry.
        let (all, most) = (written.iter().sum::<u64>() as f64, 2.0 * 125e6 + 4.0 * 262_144.0);
        assert!(all > 0.8 * 2.0 * 117e6 && (all < most || alike), "{all}");
        // The clock ends reading, too, which is about as fast: the last transfer may be missing.
        let missing = |(written, read): (&u64, &u64)| written.checked_sub(*read);
        let all_read =
            written.iter().zip(&read).map(missing).all(|rest| rest.is_some_and(|rest| rest <= 262_144));
        assert!(all_read, "{written:?} {read:?}");
        assert!(!alike || written.iter().all(|&bytes| bytes == written[0]), "{written:?}");
        assert!(job.elapsed_s > 1.5, "{}", job.elapsed_s);
    }
    let most = |job: &JobFigures| job.ranks.iter().map(|rank| rank.written_bytes).max();
    assert_eq!(most(&ended), most(&worn_out), "until the clock ends it both are the same");
}

#[test]
fn a_shared_pointer_costs_each_access_its_turn() {
    let elapsed = |access: &str| {
        let program = format!(
            "workload.bt.program={{ kind = \"mpi-io\", view = [{{ bytes = \"64 KiB\" }}, {{ distributed = {{ sizes = [8], \
             ranks = [4] }} }}], accesses = 20, access = \"{access}\" }}"
        );
        let (first, again) = (job(&[&program]), job(&[&program]));
        assert_eq!(first.elapsed_s.to_bits(), again.elapsed_s.to_bits(), "{access}: one seed, one run");
        assert!(sum(&first, |rank| rank.written_bytes as f64) >= 4.0 * 20.0 * 131_072.0);
        first.elapsed_s
    };
    let (alone, shared, ordered) = (elapsed("independent"), elapsed("shared"), elapsed("ordered"));
    assert!(alone < shared && shared < 1.2 * ordered, "{alone} {shared} {ordered}");
}
