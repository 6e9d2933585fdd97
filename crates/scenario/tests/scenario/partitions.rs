//! Partitions from a scenario's text to its report: where they lie, that they share the arm, and what makes no sense of them.

use crate::common::{loaded, once as report, once_of, problem};
use petrio_scenario::report::Report;

const DISK: &str = "[disk.d]\nmodel = \"seagate-st3146707lc\"\n";

/// A part of the disk.
fn partition(name: &str, keys: &str) -> String {
    format!("[partition.{name}]\non = \"d\"\n{keys}\n")
}

/// Sequential reads of 64 KiB, each once the one before is there.
fn stream(name: &str, on: &str) -> String {
    format!(
        r#"
[workload.{name}]
kind = "synthetic"
on = "{on}"
requests = 3000
[[workload.{name}.generators]]
read_fraction = "100 %"
sequential_fraction = "100 %"
time_critical_fraction = "100 %"
inter_arrival = {{ constant = "0 s" }}
size = {{ constant = "64 KiB" }}
"#
    )
}

/// One process reads a file; MB/s.
fn file(name: &str, on: &str) -> String {
    format!(
        r#"
[workload.{name}]
kind = "files"
on = "{on}"
operation = "read"
record = "64 KiB"
file_size = "64 MiB"
"#
    )
}

fn rate(report: &Report) -> f64 {
    report.served.throughput_bytes_per_s.value / 1e6
}

#[test]
fn an_outer_partition_streams_no_slower_than_an_inner_one() {
    let at = |from: &str| {
        let part = partition("p", &format!("from = \"{from}\"\nsize = \"10 %\""));
        rate(&report(&[DISK, &part, &stream("w", "p")].concat()))
    };
    let rates = ["0 B", "30 %", "60 %", "90 %"].map(at);
    assert!(rates.windows(2).all(|pair| pair[1] <= pair[0] * 1.005), "{rates:?}");
    // From 960 to 560 sectors pass in a turn, about: the last tenth is much slower than the first.
    assert!(rates[3] < 0.75 * rates[0], "{rates:?}");
    // The first is as fast as the disk, of which it is the beginning: 146.8 GB in all.
    let beginning = "capacity = \"14.68 GB\"\n";
    let whole = rate(&report(&[DISK, &stream("w", "d"), beginning].concat()));
    assert!((rates[0] / whole - 1.0).abs() < 0.03, "{whole} {rates:?}");
}

#[test]
fn a_file_system_lies_where_its_partition_does() {
    let host = "[host.h]\nmachine = \"poweredge-1850\"\nkernel = \"linux-2.6.27\"\n";
    let at = |from: &str| {
        let part = partition("p", &format!("from = \"{from}\"\nsize = \"10 %\""));
        let files = "[fs.data]\ntype = \"ext3\"\non = \"p\"\n";
        rate(&report(&[DISK, host, &part, files, &file("w", "data")].concat()))
    };
    let (outer, inner) = (at("0 B"), at("90 %"));
    assert!(inner < 0.85 * outer, "{outer} {inner}");
}

#[test]
fn partitions_share_the_arm_and_what_one_asks_makes_the_other_wait() {
    let parts = [partition("outer", "size = \"10 %\""), partition("inner", "from = \"90 %\"")].concat();
    let alone = report(&[DISK, &partition("outer", "size = \"10 %\""), &stream("a", "outer")].concat());
    let both = report(&[DISK, &parts, &stream("a", "outer"), &stream("b", "inner")].concat());
    assert_eq!(both.served.requests.completed, 6_000);
    // The arm goes from one end to the other for each request: together less than one alone.
    assert!(rate(&both) < 0.5 * rate(&alone), "{} {}", rate(&both), rate(&alone));
    let arrivals = both.stages.iter().find(|row| row.name == "d/queue").unwrap().arrivals;
    assert!(arrivals >= 6_000, "{arrivals}");
}

#[test]
fn two_file_systems_on_one_disk_are_two_volumes_and_one_device() {
    let text = [
        DISK,
        "[host.h]\nmachine = \"poweredge-1850\"\nkernel = \"linux-2.6.27\"\n",
        "[host.h.partition.root]\non = \"d\"\nsize = \"20 %\"\n",
        "[host.h.partition.home]\non = \"d\"\nfrom = \"20 %\"\n",
        "[fs.system]\ntype = \"ext3\"\non = \"h/root\"\n",
        "[fs.data]\ntype = \"ext3\"\non = \"h/home\"\n",
        &file("a", "system"),
        &file("b", "data"),
    ]
    .concat();
    let loaded = loaded(&text);
    let sizes: Vec<u64> = loaded.storage.iter().map(|part| part.blocks).collect();
    assert_eq!(sizes.len(), 3);
    assert!(sizes[1] + sizes[2] <= sizes[0] && sizes[1] + sizes[2] > sizes[0] - 16, "{sizes:?}");
    let report = once_of(&loaded);
    assert_eq!(report.served.bytes, 2 * (64 << 20));
    assert_eq!(report.stages.iter().filter(|row| row.name.ends_with("/mechanics")).count(), 1);
}

#[test]
fn arrays_have_partitions_and_are_made_of_them() {
    let disks = "[disk.d]\nmodel = \"hp-c3323a\"\ncount = 4\n";
    let halves: String =
        (0..4).map(|disk| format!("[partition.p{disk}]\non = \"d{disk}\"\nsize = \"50 %\"\n")).collect();
    let array = "[raid.r]\nlevel = 5\non = \"p*\"\n";
    let on_it = "[partition.first]\non = \"r\"\nsize = \"100 MiB\"\n[partition.second]\non = \"r\"\nfrom = \"100 MiB\"\n";
    let text = [disks, &halves, array, on_it, &stream("a", "first"), &stream("b", "second")].concat();
    let report = report(&text);
    assert_eq!(report.served.requests.completed, 6_000);
    let [figures] = report.arrays.as_slice() else { panic!("{:?}", report.arrays) };
    assert_eq!(figures.reads.requests, 6_000);
}

#[test]
fn what_makes_no_sense_of_partitions_is_refused_with_what_to_do() {
    let with = |parts: &str| problem(&[DISK, parts, &stream("w", "a")].concat());
    let cases = [
        (partition("a", "from = \"1 PiB\""), "begins at 1 PiB, and \"d\" ends at"),
        (partition("a", "size = \"1 PiB\""), "ends beyond the end of \"d\""),
        (partition("a", "from = \"60 %\"\nsize = \"50 %\""), "ends beyond the end of \"d\""),
        (partition("a", "size = \"0 B\""), "a partition of nothing holds nothing"),
        (partition("a", "size = \"0 %\""), "a partition of nothing holds nothing"),
        (partition("a", "size = \"1000 B\""), "1 kB is no multiple of 512 B"),
        (partition("a", "from = \"100 B\""), "100 B is no multiple of 512 B"),
        (partition("a", "size = \"120 %\""), "120 %"),
        (partition("a", "size = 7"), "7"),
        (partition("a", "siez = \"1 GiB\""), "unknown key \"siez\""),
        ("[partition.a]\non = \"x\"\n".to_owned(), "no disk or array is called \"x\""),
        ("[partition.a]\non = \"a\"\n".to_owned(), "the partition \"a\" is made of itself"),
        ("[partition.a]\non = \"b\"\n[partition.b]\non = \"a\"\n".to_owned(), "is made of itself"),
        (
            [partition("a", ""), "[raid.r]\nlevel = 0\non = [\"d\", \"a\"]\n".to_owned()].concat(),
            "the disk \"d\" is used by the raid \"r\" already",
        ),
    ];
    for (parts, expected) in cases {
        let told = with(&parts);
        assert!(told.contains(expected), "{parts}\n{told}");
    }
    let two = [partition("a", "size = \"50 %\""), partition("b", "from = \"1 GiB\"")].concat();
    let overlap = problem(&[DISK, &two, &stream("v", "a"), &stream("w", "b")].concat());
    let expected =
        "the partition \"b\" begins at 1 GiB of \"d\", where the partition \"a\" lies: that ends at";
    assert!(overlap.contains(expected), "{overlap}");
    // A workload on the disk would write over its partitions.
    let on_disk = problem(&[DISK, &partition("a", ""), &stream("v", "a"), &stream("w", "d")].concat());
    assert!(on_disk.contains("the disk \"d\" is used by the partition \"a\" already"), "{on_disk}");
    let unused = problem(
        &[DISK, &partition("a", "size = \"1 GiB\""), &partition("b", "from = \"1 GiB\""), &stream("w", "a")]
            .concat(),
    );
    assert!(unused.contains("nothing uses the partition \"b\""), "{unused}");
}
