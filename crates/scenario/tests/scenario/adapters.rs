//! Disks on host bus adapters: what channels carry, whose they are, and what is told of them.

use crate::common::{once, problem};
use petrio_scenario::catalogue::adapter_summaries;
use petrio_scenario::load_text;
use petrio_scenario::report::{Report, StageFigures};
use proptest::prelude::*;

fn mib_per_s(report: &Report) -> f64 {
    report.served.throughput_bytes_per_s.value / f64::from(1 << 20)
}

fn channel<'r>(report: &'r Report, name: &str) -> &'r StageFigures {
    report.stages.iter().find(|stage| stage.name == name).unwrap()
}

/// So many disks that each have a reader, random or in sequence, who waits for each read.
fn readers(disks: u32, sequential: f64, more: &str) -> String {
    format!(
        r#"
[disk.d]
model = "ibm-dtta-350840"
count = {disks}
{more}
[workload.w]
kind = "synthetic"
on = "d*"
requests = {}
processors = {disks}
generators = [{}]
"#,
        300 * disks,
        (0..disks)
            .map(|disk| format!(
                "{{ devices = [{disk}], read_fraction = 1, time_critical_fraction = 1, sequential_fraction = {sequential}, \
                 local_fraction = 0, inter_arrival = {{ constant = \"0 s\" }}, size = {{ constant = \"8 KiB\" }} }}"
            ))
            .collect::<Vec<_>>()
            .join(", ")
    )
}

const ONE: &str = "[hba.a]\nrate = \"33.3 MB/s\"\n";

#[test]
fn a_channel_that_is_kept_serves_one_disk_at_a_time_and_two_channels_two() {
    let rate = |adapter: &str, disks: u32| {
        let text =
            format!("{adapter}{}", readers(disks, 0.0, if adapter.is_empty() { "" } else { "bus = \"a\"" }));
        let found = once(&text);
        (found.served.requests_per_s.value, found)
    };
    let (alone, _) = rate("", 1);
    let (kept, of_one) = rate("[hba.a]\nuse = \"intel-piix4\"\nchannels = 1\ndisks = 4\n", 4);
    assert!((kept / alone - 1.0).abs() < 0.05, "four on one kept channel are as fast as one: {kept} {alone}");
    let busy = channel(&of_one, "a/channel").utilisation.unwrap();
    assert!(busy > 0.97, "{busy}");
    let (two, _) = rate("[hba.a]\nuse = \"intel-piix4\"\n", 4);
    assert!((two / alone - 2.0).abs() < 0.15, "{two} {alone}");
    // A drive that lets go leaves the channel to others while its arm moves, unless the adapter keeps it.
    let scsi = |kept: bool| {
        let adapter = format!("{ONE}keeps_channel = {kept}\n");
        let text = readers(4, 0.0, "bus = \"a\"").replace("ibm-dtta-350840", "hp-c3323a");
        once(&format!("{adapter}{text}"))
    };
    let [free, kept] = [false, true].map(scsi);
    let rates = [&free, &kept].map(|report| report.served.requests_per_s.value);
    assert!(rates[0] > 2.5 * rates[1], "{rates:?}");
    let busy = channel(&free, "a/channel").utilisation.unwrap();
    assert!((0.1..0.9).contains(&busy), "{busy}");
}

#[test]
fn each_copy_of_a_host_has_its_own_adapters_and_buses() {
    let hosts = |count: u32, bus: &str| {
        let text = format!(
            r#"
[box.b]
count = {count}
{}
[box.b.disk.d]
model = "ibm-dtta-350840"
count = 2
bus = "ide"
[workload.w]
kind = "synthetic"
on = "b*/d*"
requests = {}
generators = [{{ read_fraction = 1, inter_arrival = {{ exponential = {{ mean = "{} ms" }} }}, size = "8 KiB" }}]
"#,
            if bus.is_empty() { String::new() } else { format!("[box.b.hba.ide]\n{bus}") },
            200 * count,
            // As much for each box, whatever their number.
            24.0 / f64::from(count),
        );
        once(&text).served.latency.unwrap().mean_ms.value
    };
    for bus in ["", "channels = 1\n", "use = \"intel-piix4\"\n"] {
        let (one, ten) = (hosts(1, bus), hosts(10, bus));
        // Sharing one bus, ten boxes would get a tenth each and never keep up.
        assert!((ten / one - 1.0).abs() < 0.35, "\"{bus}\": {ten} ms of ten, {one} ms of one");
    }
}

#[test]
fn an_adapter_beside_the_boxes_is_one_for_all() {
    let text = |bus: &str| {
        format!(
            "{ONE}[box.b]\ncount = 3\n[box.b.disk.d]\nmodel = \"ibm-dtta-350840\"\nbus = \"{bus}\"\n\
             [workload.w]\nkind = \"synthetic\"\non = \"b*/d\"\nrequests = 300\n\
             generators = [{{ read_fraction = 1, inter_arrival = {{ exponential = {{ mean = \"12 ms\" }} }}, size = \"4 KiB\" }}]\n"
        )
    };
    for bus in ["a", "/a"] {
        let found = once(&text(bus));
        assert!(channel(&found, "a/channel").arrivals >= 300, "{bus}");
        assert_eq!(found.stages.iter().filter(|stage| stage.name.ends_with("/channel")).count(), 1);
    }
}

/// Four drives of 560 MB/s behind a channel of 1,200 MB/s share it; alone, and with a channel of 4 GB/s, each has its own rate.
#[test]
fn solid_state_drives_share_a_channel() {
    let rate = |count: u32, megabytes: u32| {
        let mut text = format!(
            "[hba.a]\nchannels = 1\ndisks = 8\nrate = \"{megabytes} MB/s\"\n\
             [disk.d]\nmodel = \"intel-dc-s4510-960gb\"\ncount = {count}\nbus = \"a\"\n"
        );
        for number in 0..count {
            let on = if count == 1 { "d".to_owned() } else { format!("d{number}") };
            text += &format!(
                "[workload.w{number}]\nkind = \"device-accesses\"\non = \"{on}\"\noperation = \"read\"\n\
                 record = \"128 KiB\"\nin_flight = 32\nengine = \"io-uring\"\narea = \"256 MiB\"\n"
            );
        }
        let found = once(&text);
        f64::from(count) * 268.435_456 / found.simulated_s
    };
    for (count, channel, wanted) in [(1, 1_200, 560.0), (4, 1_200, 1_200.0), (4, 4_000, 2_240.0)] {
        let got = rate(count, channel);
        assert!(got <= wanted * 1.001 && got > wanted * 0.9, "{count} on {channel}: {got} MB/s");
    }
}

#[test]
fn what_an_adapter_cannot_be_is_told() {
    let with = |adapter: &str, disks: u32, bus: &str| format!("{adapter}{}", readers(disks, 0.0, bus));
    let crowded = problem(&with("[hba.a]\nuse = \"intel-piix4\"\n", 5, "bus = \"a\""));
    assert!(
        crowded.contains("5 disks hang on the adapter \"a\", whose 2 channels take no more than 4"),
        "{crowded}"
    );
    let idle = problem(&with(ONE, 1, ""));
    assert!(idle.contains("nothing hangs on the adapter \"a\""), "{idle}");
    let unknown = problem(&with("[hba.a]\nuse = \"intel-piix5\"\n", 1, "bus = \"a\""));
    assert!(unknown.contains("intel-piix5"), "{unknown}");
    let none = problem(&with("[hba.a]\nchannels = 0\n", 1, "bus = \"a\""));
    assert!(none.contains("channels") || none.contains("nonzero"), "{none}");
    let flash = problem(&with(ONE, 1, "bus = \"a\"").replace("ibm-dtta-350840", "simple-ssd-32gb-slc"));
    assert!(flash.contains("only mechanical disks and drives of kind ssd do"), "{flash}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// No channel carries more than it can, a faster one is no slower, and neither are more channels.
    #[test]
    fn channels_have_a_ceiling_and_more_of_them_are_no_worse(
        disks in 1u32..6,
        rate in 2u32..40,
        channels in 1u32..4,
        kept in any::<bool>(),
        drive in prop::sample::select(vec!["ibm-dtta-350840", "hp-c3323a", "seagate-cheetah-9lp", "quantum-atlas-iii"]),
        reads in any::<bool>(),
    ) {
        let run = |rate: u32, channels: u32| {
            let adapter = format!("[hba.a]\nchannels = {channels}\nrate = \"{rate} MB/s\"\nkeeps_channel = {kept}\n");
            let text = readers(disks, 1.0, "bus = \"a\"\ndrive.bus = { read_block = \"1 us\", write_block = \"1 us\" }");
            let text = text.replace("ibm-dtta-350840", drive);
            let text = if reads { text } else { text.replace("read_fraction = 1", "read_fraction = 0") };
            mib_per_s(&once(&format!("{adapter}{text}")))
        };
        let here = run(rate, channels);
        let used = channels.min(disks);
        prop_assert!(here <= 1.001 * f64::from(used * rate) / 1.048_576, "{} MiB/s of {} x {} MB/s", here, used, rate);
        prop_assert!(run(2 * rate, channels) >= 0.98 * here);
        prop_assert!(run(rate, 2 * channels) >= 0.98 * here);
    }
}

#[test]
fn every_adapter_of_the_catalogue_takes_as_many_disks_as_it_says_and_no_more() {
    // An instance takes volumes, as many as one likes (tests/scenario/volumes.rs).
    for summary in adapter_summaries().unwrap().into_iter().filter(|one| !one.rate.contains("IOPS")) {
        let text = |disks: u32| {
            let adapter = format!("[hba.a]\nuse = \"{}\"\n", summary.key);
            format!(
                "{adapter}{}",
                readers(disks, 0.0, "bus = \"a\"").replace("requests = ", "requests = 1 # ")
            )
        };
        let (mut most, mut beyond) = (1_u32, 300_u32);
        while beyond - most > 1 {
            let between = most.midpoint(beyond);
            let fits = load_text("t.toml", &text(between), None, &[]).is_ok();
            *(if fits { &mut most } else { &mut beyond }) = between;
        }
        assert!((4..=126).contains(&most), "{}: {most}", summary.key);
        assert!(problem(&text(most + 1)).contains("take no more than"));
    }
}
