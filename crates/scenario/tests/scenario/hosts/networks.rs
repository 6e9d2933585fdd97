//! Networks of the catalogue, background traffic, room at links' ends, and what a report says of clients and servers.

use crate::hosts::support::{load_of, rate, run_of};
use petrio_scenario::catalogue::network_summaries;
use petrio_scenario::report::{Measure, Report};

/// Two clients of PVFS on two servers whose storage and processors take hardly any time.
const CLUSTER: &str = r#"
[network.lan]
use = "gigabit-ethernet"
costs = { send = "0 s", receive = "0 s", send_kib = "0 s", receive_kib = "0 s" }

[host.client]
count = 2
machine = "epyc-9005-2vcpu"
kernel = "linux-6.18"

[host.other]
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
costs = { call = "0 s", answer = "0 s", request = "0 s", piece = "1 ns", wake_up = "0 s" }
clients = "client*"
servers = "server*/data"

[workload.w]
kind = "files"
on = "client*/work"
operation = "write"
record = "256 KiB"
file_size = "16 MiB"
"#;

fn run(set: &[&str]) -> Report {
    run_of(CLUSTER, set)
}

#[test]
fn every_network_of_the_catalogue_carries_a_cluster_below_its_rate_and_faster_ones_are_not_slower() {
    for network in network_summaries().unwrap() {
        let of = |level: &str| {
            run(&[
                &format!("network.lan.use=\"{}\"", network.key),
                &format!("network.lan.level=\"{level}\""),
                "workload.w.file_size=\"4 MiB\"",
            ])
        };
        let wire: petrio_units::Rate = network.rate.parse().unwrap();
        let data = wire.bytes_per_second();
        for level in ["train", "packet", "fluid", "ideal"] {
            let report = of(level);
            // Where a level leaves out what a network has, it says so.
            let are_known =
                report.warnings.iter().all(|warning| warning.contains("have no effect at its level"));
            assert!(are_known, "{} {level}: {:?}", network.key, report.warnings);
            // Two servers' links, of which the ideal one knows nothing.
            if level != "ideal" {
                assert!(rate(&report) < 2.0 * data, "{} {level}: {}", network.key, rate(&report));
            }
        }
    }
    let faster = |networks: &[&str]| {
        let rates: Vec<f64> =
            networks.iter().map(|network| rate(&run(&[&format!("network.lan.use=\"{network}\"")]))).collect();
        assert!(rates.is_sorted_by(|a, b| *b > 0.99 * *a), "{networks:?}: {rates:?}");
    };
    faster(&["fast-ethernet", "gigabit-ethernet", "gigabit-ethernet-jumbo", "ethernet-10g", "ethernet-100g"]);
    faster(&[
        "infiniband-sdr",
        "infiniband-ddr",
        "infiniband-qdr",
        "infiniband-fdr",
        "infiniband-edr",
        "infiniband-hdr",
    ]);
    faster(&["fibre-channel-1g", "fibre-channel-2g", "fibre-channel-4g", "fibre-channel-8g"]);
}

#[test]
fn background_traffic_takes_its_share_and_ends_with_the_run() {
    let one = "host.client.count=1";
    let servers = "host.server.count=1";
    let alone = rate(&run(&[one, servers]));
    let beside = |rate: &str, spacing: &str| {
        format!(
            "network.lan.traffic=[{{ from = \"other\", to = \"server\", rate = \"{rate}\", spacing = \"{spacing}\" }}]"
        )
    };
    let mut last = alone;
    for share in [200.0, 500.0, 800.0] {
        for spacing in ["even", "random"] {
            let with = rate(&run(&[one, servers, &beside(&format!("{share} Mbit/s"), spacing)]));
            // At its link to the server the client has what is left, and at least half (turns of connections).
            let left = (alone - share * 1e6 / 8.0).max(alone / 2.0);
            assert!(
                with < 1.01 * last && (0.85 * left..1.1 * left).contains(&with),
                "{share} {spacing}: {with} of {alone}, {left} is left"
            );
            if spacing == "random" {
                last = with;
            }
        }
    }
    // What goes elsewhere takes nothing of the link that limits; short answers wait for long messages all the same.
    let elsewhere = "network.lan.traffic=[{ from = \"server\", to = \"other\", rate = \"500 Mbit/s\" }]";
    let with = rate(&run(&[one, servers, elsewhere]));
    assert!((0.7 * alone..alone).contains(&with), "{with} of {alone}");
}

#[test]
fn rates_of_clients_and_servers_add_up_and_maps_agree_with_the_stages() {
    let report = run(&["host.client.count=3", "workload.w.file_size=\"8 MiB\""]);
    let [clients, servers] = &report.rates[..] else { panic!("{:?}", report.rates) };
    assert_eq!((clients.of.as_str(), clients.members.len()), ("clients", 3));
    assert_eq!((servers.of.as_str(), servers.members.len()), ("servers", 2));
    for rates in [clients, servers] {
        assert_eq!(rates.members.iter().map(|member| member.bytes).sum::<u64>(), report.served.bytes);
        let (least, most) = rates.ends().unwrap();
        assert!(least.bytes_per_s.value <= rates.mean() && rates.mean() <= most.bytes_per_s.value);
    }
    for activity in &report.activity {
        assert!(activity.values.iter().all(|line| line.len() == activity.values[0].len()));
        let whole = |line: &[f64]| {
            let last = line.len() - 1;
            line[..last].iter().sum::<f64>() * activity.interval_s + line[last] * activity.last_interval_s
        };
        let row = report.stages.iter().find(|row| row.name == activity.class).unwrap();
        match activity.measure {
            Measure::Utilisation => {
                let mean = activity.values.iter().map(|line| whole(line)).sum::<f64>()
                    / activity.values.len() as f64
                    / report.simulated_s;
                let expected = row.utilisation.unwrap();
                assert!((mean - expected).abs() < 0.01, "{}: {mean} {expected}", activity.class);
            }
            Measure::BytesPerS => {
                let bytes: f64 = activity.values.iter().map(|line| whole(line)).sum();
                assert!(
                    (bytes / report.served.bytes as f64 - 1.0).abs() < 0.001,
                    "{}: {bytes}",
                    activity.class
                );
            }
        }
    }
    assert!(report.activity.iter().any(|activity| activity.measure == Measure::BytesPerS));
    // Several replications have bands.
    let several = run(&["measure.replications=3", "pvfs.work.costs.wake_up=\"100 us\""]);
    assert!(several.rates[0].members.iter().all(|member| member.bytes_per_s.half_width.is_some()));
}

#[test]
fn what_is_late_is_counted_against_the_deadline() {
    let late = |deadline: &str| {
        let report = run(&[&format!("workload.w.deadline=\"{deadline}\""), "workload.w.file_size=\"4 MiB\""]);
        let [figures] = &report.served.deadlines[..] else { panic!("{:?}", report.served.deadlines) };
        // Opening and closing have no deadline.
        assert_eq!(figures.moved, report.served.requests.writes);
        (figures.late, figures.moved)
    };
    let all = ["1 us", "2 ms", "4 ms", "10 s"].map(late);
    assert_eq!((all[0].0, all[3].0), (all[0].1, 0));
    assert!(all.is_sorted_by(|a, b| a.0 >= b.0), "{all:?}");
    assert!(run(&["workload.w.file_size=\"1 MiB\""]).served.deadlines.is_empty());
}

#[test]
fn reads_and_writes_at_the_same_time_share_a_link_only_where_it_has_half_duplex() {
    let both = |duplex: &str, operations: &[&str]| {
        let mut set = vec![
            "host.server.count=1".to_owned(),
            "workload.w.on=\"client0/work\"".to_owned(),
            format!("network.lan.link.duplex=\"{duplex}\""),
            format!("workload.w.operation=\"{}\"", operations[0]),
        ];
        if let Some(second) = operations.get(1) {
            set.push(format!(
                "workload.second={{ kind = \"files\", on = \"client1/work\", operation = \"{second}\", \
                 record = \"256 KiB\", file_size = \"16 MiB\", cached = true }}"
            ));
        }
        if operations[0] == "read" {
            set.push("workload.w.cached=true".to_owned());
        }
        rate(&run(&set.iter().map(String::as_str).collect::<Vec<_>>()))
    };
    let (write, read) = (both("full", &["write"]), both("full", &["read"]));
    let together = both("full", &["write", "read"]);
    assert!(together > 1.5 * write.min(read), "{together}: {write} {read}");
    let half = both("half", &["write", "read"]);
    assert!(half < 1.1 * write.max(read) && half < 0.75 * together, "{half}: {write} {read} {together}");
}

#[test]
fn receive_buffers_leave_less_for_the_page_cache() {
    let slow = ["host.server.memory=\"256 MiB\"", "host.server.disk.d.drive.rate=\"20 MB/s\""];
    let seconds = |buffer: &str| {
        let buffer = format!("pvfs.work.receive_buffer=\"{buffer}\"");
        run(&[slow[0], slow[1], &buffer, "workload.w.file_size=\"64 MiB\""]).simulated_s
    };
    let all = [seconds("0 B"), seconds("16 MiB"), seconds("60 MiB")];
    assert!(all.is_sorted() && all[2] > 1.05 * all[0], "{all:?}");
}

#[test]
fn nonsense_about_networks_is_answered() {
    for (set, words) in [
        ("network.lan.use=\"gigabit\"", "the catalogue has no network"),
        ("network.lan.use=\"nowhere.toml\"", "nowhere.toml"),
        ("network.lan.transport=\"token-ring\"", "token-ring"),
        ("network.lan.link.credits=\"100 B\"", "never passes a frame"),
        (
            "network.lan.traffic=[{ from = \"other\", to = \"server*\", rate = \"2 Gbit/s\" }]",
            "a link passes 941.482 Mbit/s",
        ),
        (
            "network.lan.traffic=[{ from = \"nobody\", to = \"server*\", rate = \"1 Mbit/s\" }]",
            "no host is called",
        ),
        (
            "network.lan.traffic=[{ from = \"other\", to = \"server*\", rate = \"1 Mbit/s\", service_level = 16 }]",
            "service levels are 0 to 15",
        ),
        (
            "network.lan.arbitration={ low = [{ lane = 3, weight = 1 }] }",
            "has a lane 3, and messages choose among 1",
        ),
        ("network.lan.arbitration={ low = [{ lane = 0, weight = 0 }] }", "would wait for ever"),
        ("pvfs.work.service_levels={ requests = 16 }", "service levels are 0 to 15"),
        ("pvfs.work.receive_buffer=\"1 TiB\"", "receive buffers of 2 clients take"),
    ] {
        let problems = load_of(CLUSTER, &[set]).err().unwrap_or_else(|| panic!("{set} is accepted"));
        let told = format!("{problems:?}");
        assert!(told.contains(words), "{set}: {told}");
    }
    let circle = load_of(
        CLUSTER,
        &[
            "network.lan.link.credits=\"64 KiB\"",
            "network.lan.topology={ kind = \"torus\", dimensions = [5] }",
        ],
    );
    assert!(format!("{:?}", circle.err().unwrap()).contains("give 2 `virtual_lanes` at least"));
    run(&[
        "network.lan.link.credits=\"64 KiB\"",
        "network.lan.topology={ kind = \"torus\", dimensions = [5] }",
        "network.lan.virtual_lanes=2",
        "workload.w.file_size=\"1 MiB\"",
    ]);
    // A mesh has none.
    run(&[
        "network.lan.link.credits=\"64 KiB\"",
        "network.lan.topology={ kind = \"mesh\", dimensions = [5] }",
        "workload.w.file_size=\"1 MiB\"",
    ]);
}

#[test]
fn one_message_to_all_takes_each_link_as_much_as_one_to_one_takes_the_sender_s() {
    let busy = |multicast: bool, to: &str| {
        let traffic = format!(
            "network.lan.traffic=[{{ from = \"other\", to = \"{to}\", rate = \"400 Mbit/s\", multicast = {multicast} }}]"
        );
        let report = run(&[&traffic, "workload.w.file_size=\"64 MiB\""]);
        let utilisation = |name: &str| {
            let found = report.stages.iter().find(|stage| stage.name.ends_with(name));
            found.unwrap_or_else(|| panic!("{name} is a stage")).utilisation.unwrap()
        };
        (utilisation("other/up"), report.simulated_s)
    };
    let ((alone, quick), (all, slow)) = (busy(false, "server*"), busy(true, "server*"));
    assert!((all / alone - 1.0).abs() < 0.1, "the sender sends as much: {all} {alone}");
    assert!(slow > 1.1 * quick, "and each server's link has all of it: {slow} {quick}");
    let packets = [
        "network.lan.level=\"packet\"",
        "network.lan.traffic=[{ from = \"other\", to = \"server*\", rate = \"1 Mbit/s\", multicast = true }]",
    ];
    assert!(
        format!("{:?}", load_of(CLUSTER, &packets).err().unwrap())
            .contains("TCP sends to one host at a time")
    );
}
