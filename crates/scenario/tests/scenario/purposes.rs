//! What reaches the devices, and what for: the log of the devices, the counts in the report, and what those who make
//! requests count themselves must agree to the byte.

use petrio_colours::{Direction, Purpose, Purposes, SECTOR_BYTES};
use petrio_kernel::Time;
use petrio_models::host::file_system::{Family, FileSystemParameters, JournalMode, Volume};
use petrio_models::host::kernel_profile::JournalGeneration;
use petrio_models::host::kernel_thread;
use petrio_scenario::report::{DeviceSink, Report, ReportError, Sinks, TrafficFigures, Visit};
use petrio_scenario::run;
use petrio_trace::{BlockRecord, EventReader, PetrioWriter, TraceOptions};
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

struct Log(Arc<Mutex<Vec<Visit>>>);

impl DeviceSink for Log {
    fn visited(&mut self, visit: &Visit) -> Result<(), ReportError> {
        self.0.lock().unwrap().push(visit.clone());
        Ok(())
    }

    fn finish(&mut self) -> Result<(), ReportError> {
        Ok(())
    }
}

/// A run's report, and all that reached its devices.
fn ran(text: &str) -> (Report, Vec<Visit>) {
    let loaded = crate::common::loaded(text);
    let (seen, mut sinks) = (Arc::default(), Sinks::default());
    sinks.push_device_log(Log(Arc::clone(&seen)));
    let system = petrio_scenario::build::System::build(&loaded).unwrap();
    let report = run::simulate(&loaded, &system, sinks).unwrap();
    let visits = std::mem::take(&mut *seen.lock().unwrap());
    (report, visits)
}

/// Requests and bytes by purpose and direction, of all devices.
type Counts = BTreeMap<(String, Direction), (u64, u64)>;

fn logged(visits: &[Visit]) -> Counts {
    let mut counts = Counts::new();
    for Visit { request, .. } in visits {
        let (requests, bytes) = counts.entry((request.purposes.to_string(), request.direction)).or_default();
        *requests += 1;
        *bytes += request.bytes();
    }
    counts
}

fn reported(traffic: &[TrafficFigures]) -> Counts {
    let mut counts = Counts::new();
    for row in traffic.iter().flat_map(|device| &device.purposes) {
        let mut add = |direction, more: (u64, u64)| {
            if more.0 > 0 {
                let (requests, bytes) = counts.entry((row.purpose.clone(), direction)).or_default();
                *requests += more.0;
                *bytes += more.1;
            }
        };
        add(Direction::Read, (row.reads.requests, row.reads.bytes));
        add(Direction::Write, (row.writes.requests, row.writes.bytes));
        add(Direction::Flush, (row.flushes, 0));
    }
    counts
}

fn bytes_for(counts: &Counts, purpose: Purpose, direction: Direction) -> u64 {
    counts.get(&(purpose.name().to_owned(), direction)).map_or(0, |&(_, bytes)| bytes)
}

/// A program that makes and writes files, syncing now and then, on a file system of this kind.
fn files(family: &str, journal: &str, kernel: &str, disk: &str) -> String {
    format!(
        r#"
title = "Files"
[disk.d]
{disk}
[host.h]
machine = "epyc-9005-2vcpu"
kernel = "{kernel}"
memory = "512 MiB"
[fs.f]
type = "{family}"
journal = "{journal}"
on = "d"
size = "1 GiB"
[workload.w]
kind = "files"
on = "f"
operation = "write"
record = "64 KiB"
files = 20
file_size = "1 MiB"
fsync = {{ every = 8 }}
"#
    )
}

const DISK: &str = "model = \"seagate-cheetah-9lp\"";

#[test]
fn what_goes_to_the_log_is_for_the_journal_and_nothing_else_is() {
    for (family, kernel, of, generation) in [
        ("ext3", "linux-2.6.24", Family::Ext3, JournalGeneration::Jbd),
        ("ext4", "linux-6.18", Family::Ext4, JournalGeneration::Jbd2),
    ] {
        for (journal, mode) in [
            ("ordered", JournalMode::Ordered),
            ("write-back", JournalMode::WriteBack),
            ("journal", JournalMode::Journal),
        ] {
            let (report, visits) = ran(&files(family, journal, kernel, DISK));
            let parameters = FileSystemParameters { journal: mode.into(), ..FileSystemParameters::of(of) }
                .under(generation);
            let log = Volume::format(&parameters, (1 << 30) / 4096).unwrap().journal();
            let (first, end) = (log.start * 8, log.end * 8);
            for Visit { request, .. } in visits.iter().filter(|visit| visit.request.blocks > 0) {
                let in_log = (first..end).contains(&request.address);
                let at = request.address;
                assert_eq!(request.purposes == Purpose::Journal.into(), in_log, "{family} {journal} {at}");
            }
            let counts = logged(&visits);
            assert_eq!(counts, reported(&report.traffic), "{family} {journal}");
            // All that was written has been synced, and each file once: nothing of it is written to its place twice.
            let (files, in_place) = (20 << 20, bytes_for(&counts, Purpose::Data, Direction::Write));
            assert!(
                in_place == files || journal == "journal" && in_place < files,
                "{in_place} bytes in place"
            );
            let log = bytes_for(&counts, Purpose::Journal, Direction::Write);
            assert_eq!(journal == "journal", log > files, "{family} {journal}: {log} bytes of log");
            let threads =
                |name| visits.iter().any(|visit| kernel_thread(visit.request.process) == Some(name));
            assert!(threads("journal"));
        }
    }
}

#[test]
fn where_the_time_of_a_visit_went_comes_to_all_of_it() {
    for disk in [DISK, "model = \"constant-rate\"\ndrive.latency = \"1 ms\"\ndrive.rate = \"50 MB/s\""] {
        let (_, visits) = ran(&files("ext4", "ordered", "linux-6.18", disk));
        assert!(visits.is_sorted_by_key(|visit| visit.arrived));
        for Visit { request, arrived, completed, spent, .. } in &visits {
            let took = completed.map(|completed| completed - *arrived);
            assert_eq!(Some(spent.total()), took, "{request:?}");
        }
    }
}

fn array(level: &str, more: &str, load: &str) -> String {
    format!(
        "[disk.d]\nmodel = \"hp-c3323a\"\ncount = 6\n[raid.r]\nlevel = {level}\non = \"d*\"\n{more}\n\
         [workload.w]\nkind = \"synthetic\"\non = \"r\"\nrequests = 400\n\
         generators = [{{ read_fraction = 0.5, inter_arrival = {{ exponential = {{ mean = \"40 ms\" }} }}, {load} }}]\n"
    )
}

#[test]
fn what_redundancy_asks_of_members_is_what_the_array_says_it_costs() {
    let small = "size = \"4 KiB\", alignment = \"4 KiB\"";
    for (level, more) in [
        ("5", ""),
        ("6", ""),
        ("4", ""),
        ("1", ""),
        ("\"1+0\"", ""),
        ("5", "failures = [{ member = 1, at = \"0 s\" }]"),
        ("6", "failures = [{ member = 1, at = \"0 s\" }, { member = 3, at = \"0 s\" }]"),
        ("\"1+0\"", "failures = [{ member = 1, at = \"0 s\" }]"),
    ] {
        let (report, visits) = ran(&array(level, more, small));
        let (counts, figures) = (logged(&visits), &report.arrays[0]);
        assert_eq!(counts, reported(&report.traffic), "{level} {more}");
        let of = |direction| bytes_for(&counts, Purpose::Redundancy, direction);
        // What is read in place of what a failed member had is for redundancy, and gives what was asked.
        let read = of(Direction::Read) + bytes_for(&counts, Purpose::Data, Direction::Read);
        assert_eq!(read, figures.extra_read_bytes + figures.reads.bytes, "{level} {more}");
        let given = of(Direction::Read) - figures.extra_read_bytes;
        assert_eq!(given > 0, more.contains("failures") && level != "\"1+0\"", "{level} {more}");
        assert_eq!(of(Direction::Write), figures.redundant_bytes, "{level} {more}");
        let all = |direction| {
            counts.iter().filter(|((_, of), _)| *of == direction).map(|(_, got)| got.1).sum::<u64>()
        };
        assert_eq!(all(Direction::Read), figures.member_reads.bytes, "{level} {more}");
        assert_eq!(all(Direction::Write), figures.member_writes.bytes, "{level} {more}");
    }
}

#[test]
fn what_a_rebuild_moves_is_told_from_what_programs_ask() {
    let more = "spares = 1\nfailures = [{ member = 1, at = \"1 s\" }]\nrebuild = { rate = \"1 MB/s\" }";
    let (report, visits) = ran(&array("5", more, "size = \"4 KiB\", alignment = \"4 KiB\""));
    let (counts, figures) = (logged(&visits), &report.arrays[0]);
    let of = |direction| bytes_for(&counts, Purpose::Rebuild, direction);
    // Pieces may be planned that the end of the run cuts off.
    let near = |logged: u64, told: u64| logged <= told && told - logged <= 5 * 512 * 1024;
    assert!(of(Direction::Write) > 5 << 20);
    assert!(near(of(Direction::Write), figures.rebuild_written_bytes));
    assert!(near(of(Direction::Read), figures.rebuild_read_bytes));
}

#[test]
fn files_on_an_array_keep_what_they_are_for_on_its_members() {
    let disk = "model = \"constant-rate\"\ndrive.latency = \"1 ms\"\ncount = 4";
    for cache in ["", "controller = { overhead = \"100 us\", cache = { size = \"1 MiB\" } }\n"] {
        // Bitmaps of ext3 all lie on the disk, and are read; those of ext4 that nothing was taken from are made up.
        let text = files("ext3", "ordered", "linux-3.2", disk).replace("on = \"d\"", "on = \"r\"");
        let (report, visits) = ran(&format!("{text}[raid.r]\nlevel = 5\non = \"d*\"\n{cache}"));
        assert_eq!(logged(&visits), reported(&report.traffic));
        let all: Purposes = visits.iter().map(|visit| visit.request.purposes).collect();
        let wanted = [Purpose::Data, Purpose::Journal, Purpose::Metadata, Purpose::Redundancy];
        assert_eq!(all.iter().collect::<Vec<_>>(), {
            let mut wanted = wanted;
            wanted.sort();
            wanted
        });
    }
}

#[test]
fn copies_and_pieces_that_are_moved_are_for_nobody_who_asked() {
    let text = r#"
[disk.d]
model = "hp-7937"
count = 2
[replication.copies]
on = "d*"
policy = { kind = "cut-back-random", after = "5 s" }
[unix.host]
on = "copies"
memory = "24 MiB"
[workload.writers]
kind = "files"
on = "host"
operation = "write"
record = "8 KiB"
files = 10
file_size = "64 KiB"
think_time = "400 ms"
passes = 2
"#;
    let (report, visits) = ran(text);
    let counts = logged(&visits);
    assert_eq!(counts, reported(&report.traffic));
    // A copy is read once, and written once.
    let of = |direction| bytes_for(&counts, Purpose::Copy, direction);
    assert!(of(Direction::Write) > 0 && of(Direction::Write) <= of(Direction::Read), "{counts:?}");
}

#[test]
fn names_of_files_are_metadata_on_a_host_of_1990_too() {
    let text = r#"
[disk.d]
model = "hp-7937"
[unix.host]
on = "d"
[workload.w]
kind = "script"
on = "host"
script = "create a; write a 0 16 KiB; fsync a; unlink a"
"#;
    let counts = logged(&ran(text).1);
    // The inode and the directory, when it is made and when it goes.
    let fragments = 4 * 1024;
    assert_eq!(bytes_for(&counts, Purpose::Metadata, Direction::Write), fragments, "{counts:?}");
    assert_eq!(bytes_for(&counts, Purpose::Data, Direction::Write), 16 << 10, "{counts:?}");
}

#[test]
fn the_log_leaves_out_what_the_report_leaves_out() {
    let text = array("5", "", "size = \"4 KiB\", alignment = \"4 KiB\"");
    let (all, visits) = ran(&text);
    let (cut, later) = ran(&format!("{text}[measure]\nwarm_up = \"4 s\"\n"));
    assert!(later.len() < visits.len());
    assert_eq!(logged(&later), reported(&cut.traffic));
    assert_eq!(logged(&visits), reported(&all.traffic));
}

#[test]
fn what_a_trace_calls_metadata_stays_that_when_it_is_played_and_written_again() {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("metadata");
    std::fs::create_dir_all(&folder).unwrap();
    let [played, written] = ["played.csv", "written.parquet"].map(|name| folder.join(name));
    let mut writer = PetrioWriter::new(Vec::new()).unwrap();
    for number in 0..30u64 {
        let direction = if number % 2 == 0 { Direction::Read } else { Direction::Write };
        let record = BlockRecord::new(direction, number * 1_000, 8);
        writer
            .write(&BlockRecord {
                time: Time::from_micros(number * 20_000),
                metadata: number % 3 == 0,
                ..record
            })
            .unwrap();
    }
    std::fs::write(&played, writer.into_inner()).unwrap();
    let text = format!(
        "title = \"Metadata\"\n[disk.d]\n{DISK}\n[workload.w]\nkind = \"trace\"\non = \"d\"\nfiles = ['{}']",
        played.display()
    );
    let loaded = crate::common::loaded(&text);
    let mut sinks = Sinks::default();
    run::write_trace(&mut sinks, &loaded, loaded.subject(), &written).unwrap();
    let system = petrio_scenario::build::System::build(&loaded).unwrap();
    let report = run::simulate(&loaded, &system, sinks).unwrap();
    let counts = reported(&report.traffic);
    let of = |purpose: Purpose, direction| counts[&(purpose.name().to_owned(), direction)].0;
    for direction in [Direction::Read, Direction::Write] {
        assert_eq!((of(Purpose::Metadata, direction), of(Purpose::Data, direction)), (5, 10));
    }
    let again: Vec<(u64, bool)> = EventReader::open(&written, &TraceOptions::default())
        .unwrap()
        .map(|event| event.map(|event| (event.extents[0].address / 1_000, event.metadata)).unwrap())
        .collect();
    assert_eq!(again.len(), 30);
    assert!(again.iter().all(|&(number, metadata)| metadata == (number % 3 == 0)), "{again:?}");
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn requests_of_programs_on_bare_disks_are_data_of_which_nothing_more_is_told() {
    let text = array("0", "", "size = \"4 KiB\"")
        .replace("on = \"r\"", "on = \"d*\"")
        .replace("[raid.r]\nlevel = 0\non = \"d*\"\n", "");
    let (report, visits) = ran(&text);
    assert!(report.traffic.is_empty());
    assert!(visits.iter().all(|visit| visit.request.purposes == Purposes::default()));
    assert_eq!(visits.iter().map(|visit| visit.request.bytes()).sum::<u64>(), report.served.bytes);
    assert_eq!(report.served.bytes % SECTOR_BYTES, 0);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Requests of any size, which members get put together of data and parity: no byte is missing, and what is for
    /// redundancy alone is no more than the array says.
    #[test]
    fn no_byte_of_an_array_is_for_nothing(
        level in prop::sample::select(vec!["1", "4", "5", "6", "\"1+0\""]),
        blocks in 1u64..200,
        failed in prop::option::of(0u32..4),
    ) {
        let failures = failed.map(|member| format!("failures = [{{ member = {member}, at = \"500 ms\" }}]")).unwrap_or_default();
        let load = format!("size = \"{} B\"", blocks * 512);
        let (report, visits) = ran(&array(level, &failures, &load).replace("requests = 400", "requests = 60"));
        let (counts, figures) = (logged(&visits), &report.arrays[0]);
        prop_assert_eq!(&counts, &reported(&report.traffic));
        for (direction, told, (in_place, all)) in [
            (Direction::Read, figures.extra_read_bytes, (figures.reads.bytes, figures.member_reads.bytes)),
            (Direction::Write, figures.redundant_bytes, (0, figures.member_writes.bytes)),
        ] {
            let of = |wanted: fn(&str) -> bool| -> u64 {
                let there = counts.iter().filter(|((name, of), _)| *of == direction && wanted(name));
                there.map(|(_, got)| got.1).sum()
            };
            let (alone, put_together) = (of(|name| name == "redundancy"), of(|name| name == "data+redundancy"));
            prop_assert!(alone <= told + in_place && told <= alone + put_together, "{} {} {}", alone, told, put_together);
            prop_assert_eq!(of(|_| true), all);
        }
    }
}
