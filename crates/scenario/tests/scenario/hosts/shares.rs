//! File services over networks: floors and ceilings, what is local, what fails, and what a person who writes nonsense is
//! told.

use crate::common::once_of;
use crate::hosts::support::{arrivals, load_of, rate, run_of};
use petrio_scenario::build::System;
use petrio_scenario::placement::{Accesses, Service, with_profile};
use petrio_scenario::report::{Report, Sinks};
use petrio_scenario::run::simulate;
use proptest::prelude::*;
use std::sync::Arc;

/// Hosts whose storage and processors take hardly any time, on links of a gigabit; the others serve or are served.
const HOSTS: &str = r#"
[network.lan]
costs = { send = "0 s", receive = "0 s", send_kib = "0 s", receive_kib = "0 s" }
link = { rate = "1 Gbit/s", latency = "5 us" }

[host.client]
count = 1
machine = "epyc-9005-2vcpu"
kernel = "linux-6.18"

[host.server]
count = 1
machine = "epyc-9005-2vcpu"
kernel = "linux-6.18"

[host.server.disk.d]
model = "constant-rate"
drive.latency = "1 us"
drive.rate = "10 GB/s"

[host.server.fs.data]
type = "ext4"
on = "d"

[share.work]
names = "on-sync"
costs = { operation = "0 s", call = "0 s", answer = "0 s", serve = "0 s" }
clients = "client*"
servers = "server*/data"

[workload.w]
kind = "files"
on = "client*/work"
operation = "write"
record = "64 KiB"
file_size = "4 MiB"
"#;

/// The same where every host serves its disk to all.
fn nodes() -> String {
    let without = HOSTS
        .replace("[host.client]\ncount = 1\nmachine = \"epyc-9005-2vcpu\"\nkernel = \"linux-6.18\"\n", "");
    without.replace("client*", "server*")
}

fn run(set: &[&str]) -> Report {
    run_of(HOSTS, set)
}

/// Data on a link of a gigabit with MTU 1500.
const GOODPUT: f64 = 1e9 / 8.0 * 1448.0 / 1538.0;

#[test]
fn a_call_takes_a_message_each_way_and_no_other() {
    // 4 MiB in records of 64 KiB and calls of 32 KiB.
    let quiet = ["workload.w.open_close=false", "network.lan.train=\"4 MiB\""];
    for operation in ["rewrite", "read"] {
        let operation = format!("workload.w.operation=\"{operation}\"");
        let report = run(&[&quiet[..], &[&operation]].concat());
        let messages = (arrivals(&report, "lan/client/up"), arrivals(&report, "lan/client/down"));
        assert_eq!(messages, (128, 128), "{operation}");
        assert_eq!(arrivals(&report, "work/server/data/threads"), 128);
        let large = run(&[&quiet[..], &[&operation, "share.work.transfer=\"64 KiB\""]].concat());
        assert_eq!(arrivals(&large, "work/server/data/threads"), 64, "{operation}");
    }
}

#[test]
fn a_stream_is_no_faster_than_its_link_and_comes_close_to_it() {
    for operation in ["write", "read"] {
        let operation = format!("workload.w.operation=\"{operation}\"");
        let large = ["workload.w.record=\"1 MiB\"", "workload.w.file_size=\"32 MiB\"", &operation];
        let alone = rate(&run(&large)) / GOODPUT;
        assert!((0.8..1.0).contains(&alone), "{alone}");
        let four = rate(&run(&[&large[..], &["host.client.count=4"]].concat())) / GOODPUT;
        assert!((0.9..1.0).contains(&four), "a server's link is everybody's: {four}");
    }
}

#[test]
fn a_stream_is_no_faster_than_the_disk_or_than_memory() {
    let read = ["workload.w.operation=\"read\"", "workload.w.file_size=\"16 MiB\""];
    let from_disk = rate(&run(&[&read[..], &["host.server.disk.d.drive.rate=\"20 MB/s\""]].concat()));
    assert!(from_disk < 20e6 && from_disk > 0.8 * 20e6, "{from_disk}");
    // A page of 4096 bytes in 400 us.
    let machine = ["host.client.machine=\"pentium-ii-350\"", "host.client.kernel=\"linux-2.6.24\""];
    for (operation, copy) in [("read", "to_user"), ("rewrite", "from_user")] {
        let operation = format!("workload.w.operation=\"{operation}\"");
        let copies = ["page_in_l2", "page_from_memory"]
            .map(|page| format!("host.client.change.machine.copy.{copy}.{page}=\"400 us\""));
        let rate = rate(&run(&[&machine[..], &[&operation, &copies[0], &copies[1]]].concat()));
        let limit = 4096.0 / 400e-6;
        assert!(rate < limit * 1.001 && rate > 0.7 * limit, "{operation}: {rate} {limit}");
    }
}

#[test]
fn a_call_takes_no_less_than_a_round_trip() {
    let report = run(&[
        "workload.w.record=\"4 KiB\"",
        "workload.w.operation=\"rewrite\"",
        "workload.w.file_size=\"1 MiB\"",
    ]);
    let mean_ms = report.served.latency.as_ref().unwrap().mean_ms.value;
    // Four links of 5 us, and the data once: frames of one call are on two links at a time.
    let floor_ms = 4.0 * 5e-3 + 4096.0 / 125e6 * 1e3;
    assert!(mean_ms > floor_ms && mean_ms < 3.0 * floor_ms, "{mean_ms} {floor_ms}");
    let slow = run(&[
        "workload.w.record=\"4 KiB\"",
        "workload.w.file_size=\"1 MiB\"",
        "network.lan.link.latency=\"1 ms\"",
    ]);
    assert!(slow.served.latency.unwrap().mean_ms.value > 4.0);
}

#[test]
fn what_costs_processors_time_limits_the_rate() {
    let base = ["workload.w.operation=\"rewrite\""];
    let served = |cost: &str| rate(&run(&[&base[..], &[&format!("share.work.costs.{cost}")]].concat()));
    // One processor of two at a time for each of a record's two calls.
    let limit = 32768.0 / 1e-3;
    for cost in ["call=\"2 ms\"", "answer=\"2 ms\"", "serve=\"2 ms\""] {
        let rate = served(cost);
        assert!(rate < limit && rate > 0.7 * limit, "{cost}: {rate}");
    }
    let rate = served("operation=\"4 ms\"");
    assert!(rate < limit / 2.0 * 1.01, "{rate}");
}

#[test]
fn stable_writes_wait_for_the_disk_and_others_until_they_are_synchronised() {
    let disk = [
        "host.server.disk.d.drive.latency=\"5 ms\"",
        "workload.w.operation=\"write\"",
        "workload.w.open_close=true",
        "workload.w.timing=\"with-close\"",
    ];
    let of = |writes: &str, more: &[&str]| {
        let writes = format!("share.work.writes=\"{writes}\"");
        run(&[&disk[..], &[&writes], more].concat())
    };
    let mean = |report: &Report| report.served.latency.as_ref().unwrap().mean_ms.value;
    let (stable, closed, free) = (of("stable", &[]), of("on-close", &[]), of("on-sync", &[]));
    assert!(mean(&stable) > 5.0, "each write: {}", mean(&stable));
    assert!(free.simulated_s + 5e-3 < closed.simulated_s, "{} {}", free.simulated_s, closed.simulated_s);
    assert!(closed.simulated_s < stable.simulated_s / 4.0);
    let synchronised = of("on-sync", &["workload.w.fsync=\"at-end\""]);
    assert!(free.simulated_s + 5e-3 < synchronised.simulated_s);
}

#[test]
fn what_is_local_sends_no_message() {
    let text = nodes();
    let own = ["host.server.count=1", "workload.w.record=\"256 KiB\""];
    for operation in ["write", "rewrite", "read"] {
        let report = run_of(&text, &[&own[..], &[&format!("workload.w.operation=\"{operation}\"")]].concat());
        assert_eq!(arrivals(&report, "lan/server/up") + arrivals(&report, "lan/server/down"), 0);
        assert_eq!(arrivals(&report, "work/server/data/threads"), 0);
        assert_eq!(report.served.bytes, 4 << 20, "{operation}");
        assert!(rate(&report) > 3.0 * GOODPUT, "{operation}: {}", rate(&report));
        let told: f64 = report.served.breakdown.iter().map(|part| part.mean_ms).sum();
        assert!((told / report.served.latency.unwrap().mean_ms.value - 1.0).abs() < 1e-6);
    }
}

#[test]
fn of_turns_every_host_has_its_share_and_the_rest_crosses_the_network() {
    let text = nodes();
    let report = run_of(
        &text,
        &[
            "host.server.count=4",
            "share.work.placement=\"round-robin\"",
            "workload.w.open_close=false",
            "workload.w.operation=\"rewrite\"",
        ],
    );
    // 64 partitions of each of four files: of each a quarter is local, and the others take two calls.
    assert_eq!(arrivals(&report, "work/server*/data/threads"), 4 * 48 * 2);
    let servers = report.rates.iter().find(|rates| rates.of == "servers").unwrap();
    assert!(servers.members.iter().all(|member| member.bytes == 4 << 20), "{servers:?}");
}

#[test]
fn placed_by_a_run_everything_is_local() {
    let loaded = load_of(&nodes(), &["host.server.count=3", "share.work.placement=\"hashed\""]).unwrap();
    let service = Arc::new(Service::of(&loaded, None).unwrap());
    let accesses = Accesses::of(&service);
    let mut sinks = Sinks::default();
    sinks.push(accesses.clone());
    let before = simulate(&loaded, &System::build(&loaded).unwrap(), sinks).unwrap();
    let guided = service.guided(&accesses);
    let moved = guided.moved;
    assert_eq!((moved.touched, moved.bytes, moved.local_after), (3 * 64, 3 << 22, 3 << 22));
    // Each server has one of three partitions.
    assert!((moved.local_before as i64 - (1 << 22)).abs() <= 1 << 17, "{moved:?}");
    assert!((moved.partitions as i64 - 128).abs() <= 2, "{moved:?}");
    let placed = with_profile(&loaded, "work", &guided.table(&service.servers)).unwrap();
    let after = once_of(&placed);
    let crossed = |report: &Report| {
        let servers = ["work/server*/data/threads", "work/server0/data/threads"];
        servers.iter().map(|stage| arrivals(report, stage)).sum::<u64>()
    };
    // Only names: what is created and closed elsewhere than where it is written.
    assert!(crossed(&before) >= 256 && crossed(&after) < 16, "{} {}", crossed(&before), crossed(&after));
    assert!(rate(&after) > 2.0 * rate(&before), "{} {}", rate(&after), rate(&before));
    assert_eq!(after.served.bytes, before.served.bytes);
}

#[test]
fn whatever_a_local_file_system_takes_a_service_does_too() {
    let script = "mkdir d; create d/a; write d/a 0 300 KiB; fsync d/a; read d/a 0 300 KiB; append d/a 64 KiB; stat d/a; \
                  truncate d/a 100 KiB; rename d/a d/b; readdir d; close d/b; unlink d/b; rmdir d; compute 1 ms; sync";
    let workload = |text: &str, on: &str| {
        let text = text.split("[workload.w]").next().unwrap().to_owned();
        format!("{text}[workload.w]\nkind = \"script\"\non = \"{on}*/work\"\nscript = \"{script}\"\n")
    };
    for placement in ["by-file", "round-robin", "hashed"] {
        for writes in ["stable", "on-close", "on-sync"] {
            let set =
                [format!("share.work.placement=\"{placement}\""), format!("share.work.writes=\"{writes}\"")];
            let common = [&set[0][..], &set[1][..]];
            let apart = run_of(
                &workload(HOSTS, "client"),
                &[&common[..], &["host.client.count=2", "host.server.count=3"]].concat(),
            );
            let mixed =
                run_of(&workload(&nodes(), "server"), &[&common[..], &["host.server.count=2"]].concat());
            let alone = run_of(&workload(HOSTS, "client"), &[&common[..], &["host.client.count=2"]].concat());
            for report in [apart, mixed, alone] {
                assert_eq!(report.served.requests.completed, 2 * 14, "{placement} {writes}");
                let took = report.served.latency.as_ref().unwrap().mean_ms.value;
                let told: f64 = report.served.breakdown.iter().map(|part| part.mean_ms).sum();
                assert!((told / took - 1.0).abs() < 1e-6, "all time has a cause: {told} {took}");
            }
        }
    }
}

#[test]
fn reads_find_what_is_there_and_end_where_it_does() {
    for placement in ["by-file", "round-robin", "hashed"] {
        for (size, expected) in [("1 MiB", 1 << 20), ("100 KiB", 100 << 10)] {
            let set =
                [format!("share.work.placement=\"{placement}\""), format!("workload.w.file_size=\"{size}\"")];
            let report = run(&[&set[0], &set[1], "host.server.count=3", "workload.w.operation=\"read\""]);
            assert_eq!(report.served.bytes, expected, "{placement} {size}");
        }
    }
}

#[test]
fn what_a_servers_disk_can_not_hold_goes_back_to_the_program() {
    // Together they could hold it, but a file lies on one.
    let set =
        ["host.server.count=2", "host.server.fs.data.size=\"16 MiB\"", "workload.w.file_size=\"20 MiB\""];
    let loaded = load_of(HOSTS, &set).unwrap();
    let error = simulate(&loaded, &System::build(&loaded).unwrap(), Sinks::default()).unwrap_err();
    assert!(error.to_string().contains("ENOSPC") || error.to_string().contains("full"), "{error}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn more_is_never_slower(
        threads in 1u32..5,
        in_flight in 1u32..9,
        transfer in 3u32..7,
        gigabits in 1u32..4,
        clients in 1u32..4,
        reads: bool,
    ) {
        let on = |processors: u32, threads: u32, in_flight: u32, transfer: u32, gigabits: u32| {
            let set = [
                format!("share.work.threads={threads}"),
                format!("share.work.in_flight={in_flight}"),
                format!("share.work.transfer=\"{} KiB\"", 1 << transfer),
                "share.work.costs.call=\"20 us\"".to_owned(),
                "share.work.costs.answer=\"20 us\"".to_owned(),
                "share.work.costs.serve=\"50 us\"".to_owned(),
                format!("network.lan.link.rate=\"{gigabits} Gbit/s\""),
                format!("host.client.count={clients}"),
                format!("host.client.change.machine.processors={processors}"),
                format!("host.server.change.machine.processors={processors}"),
                format!("workload.w.operation=\"{}\"", if reads { "read" } else { "rewrite" }),
                "workload.w.file_size=\"4 MiB\"".to_owned(),
            ];
            rate(&run(&set.iter().map(String::as_str).collect::<Vec<_>>()))
        };
        let more = |processors: u32| {
            [
                on(processors, threads * 2, in_flight, transfer, gigabits),
                on(processors, threads, in_flight * 2, transfer, gigabits),
                on(processors, threads, in_flight, transfer, gigabits * 2),
            ]
        };
        // Where nobody waits for a processor. Clients wait for the last call of each record: who comes first at the
        // servers may leave these idle at the ends of records, also where each call for itself is quicker.
        let usual = on(64, threads, in_flight, transfer, gigabits);
        for better in more(64) {
            prop_assert!(better > 0.9 * usual, "{} {}", better, usual);
        }
        // Calls that share two processors are all done later than the first of them would be alone, and links wait
        // for that: for no longer than their work takes on these.
        let usual = on(2, threads, in_flight, transfer, gigabits);
        let calls = f64::from(clients * (64 >> transfer));
        let work = calls * (20e-6 + 20e-6 + 50e-6) / 2.0;
        let a_record = f64::from(clients) * 65536.0;
        for better in more(2) {
            prop_assert!(a_record / better < 1.01 * a_record / usual + work, "{} {}", better, usual);
        }
        // A larger call waits until all of it is there, before it is copied, served and sent on.
        let larger = on(64, threads, in_flight, transfer + 1, gigabits);
        prop_assert!(larger > 0.8 * on(64, threads, in_flight, transfer, gigabits), "{}", larger);
    }
}

#[test]
fn nonsense_is_told_where_it_stands() {
    let told = |set: &[&str]| -> Vec<String> {
        let problems = load_of(HOSTS, set).unwrap_err();
        problems.iter().map(|problem| problem.message().to_owned()).collect()
    };
    for (set, expected) in [
        ("share.work.transfer=\"0 B\"", "calls that transfer no bytes"),
        ("share.work.partition=\"0 B\"", "a partition of no bytes"),
        ("share.work.threads=0", "without threads"),
        ("share.work.in_flight=0", "no call on its way"),
        ("share.work.servers=\"server/dat\"", "no file system is called"),
        ("share.work.servers=\"client/work\"", "in a circle: no file would lie anywhere"),
        ("share.work.clients=\"node*\"", "no host is called"),
        ("share.work.network=\"wan\"", "no network is called"),
        ("network.lan.hosts=\"client*\"", "isn't on the network \"lan\""),
        ("share.work.placement=\"spread\"", "spread"),
        ("share.work.thread=4", "thread"),
    ] {
        let messages = told(&[set]);
        assert!(messages.iter().any(|message| message.contains(expected)), "{set}: {messages:?}");
    }
}

#[test]
fn what_others_serve_is_neither_served_again_nor_mounted_over() {
    let told = |more: &str, set: &[&str]| -> Vec<(String, String)> {
        let problems = load_of(&format!("{HOSTS}{more}"), set).unwrap_err();
        let told = problems
            .iter()
            .map(|problem| (problem.location().unwrap_or_default(), problem.message().to_owned()));
        told.collect()
    };
    let line = |text: &str, words: &str| 1 + text.lines().position(|line| line == words).unwrap();
    let again = "[share.again]\nclients = \"server*\"\nservers = \"client*/work\"\n";
    let text = format!("{HOSTS}{again}");
    let at = |words: &str| format!("test.toml:{}", line(&text, words));
    let (place, message) = told(again, &[]).remove(0);
    assert!(place.starts_with(&at("servers = \"client*/work\"")), "{place}");
    assert_eq!(
        message,
        "\"client*/work\" is a mount of the file service \"work\", and what lies on other hosts isn't served again"
    );
    // Each of two services lies on the other's mounts.
    let (_, message) = told(again, &["share.work.servers=\"server*/again\""]).remove(0);
    assert_eq!(
        message,
        "\"server*/again\" is a mount of the file service \"again\", which lies on \"client*/work\", a mount of the file \
         service \"work\", which lies on \"server*/again\", a mount of the file service \"again\", in a circle: no file would \
         lie anywhere"
    );
    // A server mounts what others serve under the name of its own file system.
    let over = "[share.data]\nclients = \"server*\"\nservers = \"server*/data\"\n";
    let text = format!("{HOSTS}{over}");
    let (place, message) = told(over, &[]).remove(0);
    assert!(place.starts_with(&format!("test.toml:{}", line(&text, "[share.data]"))), "{place}");
    assert!(
        message.starts_with("the file service \"data\" would be mounted over the file system"),
        "{message}"
    );
}

#[test]
fn a_profile_that_makes_no_sense_is_told_with_its_line() {
    let loaded = load_of(HOSTS, &[]).unwrap();
    let told = |table: &str| {
        with_profile(&loaded, "work", table).unwrap_err().iter().next().unwrap().message().to_owned()
    };
    let header = "file,partition,server\n";
    assert!(told(&format!("{header}a,0,server7/data\n")).contains("line 2"));
    assert!(told(&format!("{header}a,0,server/data\na,0,server/data\n")).contains("already, in line 2"));
    assert!(told("a,b\n").contains("columns"));
    // A file that isn't there moves nothing, and is told of.
    let placed = with_profile(&loaded, "work", &format!("{header}nobody,0,server/data\n")).unwrap();
    let report = once_of(&placed);
    assert!(report.warnings.iter().any(|warning| warning.contains("nobody")), "{:?}", report.warnings);
}

#[test]
fn what_is_written_directly_is_on_disk_when_it_returns() {
    let slow = ["host.server.disk.d.drive.rate=\"20 MB/s\"", "share.work.writes=\"on-sync\""];
    let direct = "workload.w.direct=true";
    let (cached, through) = (rate(&run(&slow)), rate(&run(&[&slow[..], &[direct]].concat())));
    assert!(through < 21e6 && cached > 1.5 * through, "{cached} {through}");
    // On its own server it is as without the service: nothing is kept in memory, and read again at the disk's pace.
    let own = |set: &[&str]| rate(&run_of(&nodes(), &[&slow[..], set].concat()));
    assert!(own(&[direct]) < 21e6, "{}", own(&[direct]));
}

#[test]
fn a_shared_pointer_lies_in_a_file_that_is_made_once_and_gone_in_the_end_however_many_ranks_go_by_it() {
    let (parts, _) = HOSTS.split_once("[workload.w]").unwrap();
    let program = |access: &str, ranks: u32| {
        let text = format!(
            "{parts}[mpi.m]\nhosts = \"client*\"\n[workload.w]\nkind = \"parallel\"\non = \"client*/work\"\nranks = {ranks}\n\
             program = {{ kind = \"mpi-io\", access = \"{access}\", operation = \"write-then-read\", accesses = 3, \
             view = [{{ bytes = \"64 KiB\" }}] }}\n"
        );
        run_of(&text, &["host.client.count=4"])
    };
    for access in ["ordered", "shared"] {
        for ranks in [4, 8, 16] {
            let served = program(access, ranks).served;
            let of = |name: &str| {
                let kinds = served.operations.iter().find(|kind| kind.operation == name);
                kinds.map_or(0, |kind| kind.completed)
            };
            // The data's file, and the pointer's for writing and for reading.
            assert_eq!((of("create"), of("unlink")), (1 + 2, 2), "{access} {ranks}");
            assert_eq!(of("open") + of("create"), of("close"), "{access} {ranks}");
        }
    }
}
