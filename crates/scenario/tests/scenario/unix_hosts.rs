//! Unix hosts of 1990 with several file systems, each on a disk of its own, under one buffer cache.

use crate::common::{loaded, once, once_of, problem};
use petrio_scenario::report::{Report, TrafficFigures};
use petrio_scenario::{Loaded, Override, load, load_text};
use std::path::Path;

/// A host with file systems on two disks, whose rows a report keeps apart.
const TWO: &str = r#"
[disk.a]
model = "hp-7937"
[disk.b]
model = "hp-7937"
[unix.h]
on = ["a", "b"]
metadata = false
"#;
/// The same on one.
const ONE: &str = r#"
[disk.a]
model = "hp-7937"
[unix.h]
on = "a"
metadata = false
"#;

/// Two processes that read at random in files that are much larger than the buffers: one on each of `on`, or both.
fn readers(on: &str, processes: u32) -> String {
    format!(
        r#"
[workload.readers]
kind = "files"
on = "{on}"
processes = {processes}
operation = "read"
pattern = "random"
record = "8 KiB"
file_size = "100 MiB"
operations = 600
"#
    )
}

fn throughput(report: &Report) -> f64 {
    report.served.requests.completed as f64 / report.simulated_s
}

/// Bytes read from and written to a device, of data alone.
fn data(report: &Report, device: &str) -> (u64, u64) {
    let there = report.traffic.iter().find(|traffic| traffic.name == device);
    let rows = there.into_iter().flat_map(|traffic| &traffic.purposes);
    let of_data = rows.filter(|row| row.purpose == "data");
    of_data.fold((0, 0), |sum, row| (sum.0 + row.reads.bytes, sum.1 + row.writes.bytes))
}

/// What should be known before the results are trusted.
fn warnings(report: &Report) -> String {
    report.warnings.iter().map(|warning| warning.text.as_str()).collect::<Vec<_>>().join("\n")
}

/// The same of each of several, by their names.
fn data_of<const N: usize>(report: &Report, devices: [&str; N]) -> [(u64, u64); N] {
    devices.map(|device| data(report, device))
}

#[test]
fn two_disks_serve_two_readers_twice_as_fast_as_one() {
    let one = once(&(ONE.to_owned() + &readers("h", 2)));
    let two = once(&(TWO.to_owned() + &readers("h/*", 1)));
    assert_eq!(one.served.requests.completed, two.served.requests.completed);
    // Two arms are twice one; each stays in one file, where the one arm goes to and fro between two of them.
    let gain = throughput(&two) / throughput(&one);
    assert!((1.95..2.4).contains(&gain), "{gain}");
    // And never more than two readers who are alone each.
    let alone = once(&(ONE.to_owned() + &readers("h", 1)));
    let most = 2.0 * throughput(&alone);
    assert!((0.97..1.03).contains(&(throughput(&two) / most)), "{two:?} {most}", two = throughput(&two));
}

#[test]
fn one_file_system_is_the_same_however_it_is_named() {
    let text = |on: &str| ONE.replace("\"a\"", on) + &readers("h", 2);
    let [one, others @ ..] = ["\"a\"", "[\"a\"]", "\"a*\"", "[\"*\"]"].map(|on| once(&text(on)));
    for other in others {
        let bits = |report: &Report| report.simulated_s.to_bits();
        assert_eq!(
            (one.served.requests.completed, bits(&one)),
            (other.served.requests.completed, bits(&other))
        );
        assert_eq!(data(&one, "a"), data(&other, "a"));
    }
}

#[test]
fn what_one_file_system_reads_the_other_loses_from_the_buffers_of_both() {
    // A file of half the buffers is read twice; between that, another file on the same disk or on the other one.
    let read_again = |on: &str, other: &str| {
        let script = format!(
            r#"
[workload.s]
kind = "script"
on = "h/a"
places = {{ other = "{on}", none = "h/b" }}
script = """
file a 1 MiB
file other/b 2 MiB
file none/c 8 KiB
read a 0 1 MiB
read other/b 0 {other}
read a 0 1 MiB
"""
"#
        );
        // Buffers of 2 MiB.
        let host = TWO.to_owned() + "memory = \"20 MiB\"\nread_ahead = false\n" + &script;
        let report = once(&host);
        let rows = report.traffic.iter().flat_map(|traffic| &traffic.purposes);
        rows.map(|row| row.reads.bytes).sum::<u64>()
    };
    let mib = 1 << 20;
    for on in ["h/a", "h/b"] {
        assert_eq!(read_again(on, "512 KiB"), mib + mib / 2, "{on}: there is room for both");
        assert_eq!(read_again(on, "2 MiB"), 4 * mib, "{on}: one list for all");
    }
}

#[test]
fn each_request_goes_to_the_disk_of_its_file_system_and_sync_to_all() {
    let script = |last: &str| {
        format!(
            r#"{TWO}
[workload.s]
kind = "script"
on = "h/a"
places = {{ other = "h/b" }}
script = """
create a
create other/b
write a 0 24 KiB
write other/b 0 4 KiB
{last}
"""
"#
        )
    };
    let kib = 1 << 10;
    let ends = |last: &str| data_of(&once(&script(last)), ["a", "b"]);
    // Whole blocks go at once, a part of one when it must.
    let [(_, own), (_, other)] = ends("fsync a");
    assert_eq!((own, other), (24 * kib, 0));
    let [(_, own), (_, other)] = ends("fsync other/b");
    assert_eq!(other, 4 * kib, "{own}");
    let [(_, own), (_, other)] = ends("sync");
    assert_eq!((own, other), (24 * kib, 4 * kib));
}

/// Two files, each on a device of its own, of which the trace knows where they lay.
const TRACE: &str = "# petrio event trace, version 1\n\
    time_ps,kind,process,device,inode,path,offset,length,extent_device,extent_address,extent_blocks\n\
    0,open,7,1,11,\"/a\",,0,,,\n\
    1000000000,read,7,1,11,\"/a\",0,8192,1,160000,16\n\
    2000000000,open,7,2,12,\"/home/b\",,0,,,\n\
    3000000000,read,7,2,12,\"/home/b\",0,8192,2,320000,16\n\
    4000000000,read,7,1,11,\"/a\",8192,8192,1,160016,16\n";

fn traced(more: &str) -> Result<Loaded, String> {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("two.csv"), TRACE).unwrap();
    let text = format!("{TWO}[workload.t]\nkind = \"events\"\nfile = \"two.csv\"\n{more}\n");
    let loaded = load_text("test.toml", &text, Some(folder.path()), &[]);
    loaded.map_err(|problems| {
        problems.iter().map(|problem| format!("{problem:?} {problem}\n")).collect::<String>()
    })
}

#[test]
fn each_file_of_a_trace_lies_on_the_file_system_of_its_path_or_device_where_the_trace_saw_it() {
    for places in ["\"/home\" = \"h/b\"", "2 = \"h/b\"", "1 = \"h/a\", 2 = \"h/b\""] {
        let report = once_of(&traced(&format!("on = \"h/a\"\nplaces = {{ {places} }}")).unwrap());
        assert_eq!(report.served.requests.completed, 5, "{places}");
        assert_eq!(data_of(&report, ["a", "b"]), [(16_384, 0), (8_192, 0)], "{places}");
        assert!(!warnings(&report).contains("saw files up to"), "{places}");
    }
    // On the other way round no place is beyond the end of a disk either, and each lies on the other one.
    let report = once_of(&traced("on = \"h/b\"\nplaces = { 2 = \"h/a\" }").unwrap());
    assert_eq!(data_of(&report, ["a", "b"]), [(8_192, 0), (16_384, 0)]);
}

#[test]
fn places_beyond_a_disk_are_told_of_the_file_system_that_is_too_small_for_them() {
    // The second file was seen at 156 MiB; a partition of 100 MiB holds the first one's place alone.
    let small = |rule: &str| {
        let more = format!("on = \"h/d\"\nplaces = {{ 2 = \"h/small\" }}\nout_of_range = \"{rule}\"");
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("two.csv"), TRACE).unwrap();
        let text = format!(
            "[disk.d]\nmodel = \"hp-7937\"\n[disk.e]\nmodel = \"hp-7937\"\n[partition.small]\non = \"e\"\nsize = \"100 MiB\"\n\
             [unix.h]\non = [\"d\", \"small\"]\n[workload.t]\nkind = \"events\"\nfile = \"two.csv\"\n{more}\n"
        );
        load_text("test.toml", &text, Some(folder.path()), &[]).map(|loaded| once_of(&loaded))
    };
    let refused = small("error").unwrap_err().iter().map(ToString::to_string).collect::<String>();
    assert!(refused.contains("up to block 320016, and the device of \"h/small\" has 204800"), "{refused}");
    let warned = warnings(&small("allocate").unwrap());
    assert!(warned.contains("the device of \"h/small\" has 204800"), "{warned}");
    assert!(!warned.contains("the device of \"h/d\""), "{warned}");
}

#[test]
fn a_trace_of_device_requests_is_spread_over_file_systems_and_over_the_disks_below() {
    let folder = tempfile::tempdir().unwrap();
    let rows = "0,,1,8,RS,0,16\n1000,,1,9,RS,160,16\n2000,,1,8,RS,320,16\n";
    let header = "# petrio block trace, version 1\n\
                  time_us,response_us,process,device,operation,address_blocks,length_blocks\n";
    std::fs::write(folder.path().join("blocks.csv"), format!("{header}{rows}")).unwrap();
    let run = |workload: &str| {
        let text = format!("{TWO}read_ahead = false\n{workload}");
        let loaded = load_text("test.toml", &text, Some(folder.path()), &[]);
        once_of(&loaded.unwrap_or_else(|problems| panic!("{}", problems.iter().next().unwrap())))
    };
    let on_files = run("[workload.t]\nkind = \"events\"\non = \"h/a\"\nplaces = { 9 = \"h/b\" }\n\
                        file = \"blocks.csv\"\n");
    assert_eq!(data_of(&on_files, ["a", "b"]), [(16_384, 0), (8_192, 0)]);
    let on_disks =
        run("[workload.t]\nkind = \"trace\"\non = [\"a\", \"b\"]\ndevices = { 8 = \"b\", 9 = \"a\" }\n\
                        files = [\"blocks.csv\"]\nreplay = \"closed\"\n");
    assert_eq!(data_of(&on_disks, ["a", "b"]), [(8_192, 0), (16_384, 0)]);
}

#[test]
fn places_of_users_lie_on_file_systems_of_a_unix_host() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/users");
    let moved = |on: &str, places: &str| {
        let text = format!(
            "{on}[workload.u]\nkind = \"users\"\nspecification = \"thesis.toml\"\nusers = 1\nsessions = 3\n{places}\n"
        );
        let loaded = load_text("test.toml", &text, Some(&folder), &[]);
        let report =
            once_of(&loaded.unwrap_or_else(|problems| panic!("{}", problems.iter().next().unwrap())));
        data_of(&report, ["a", "b"]).map(|(read, written)| read + written)
    };
    let [own, notes] = moved(TWO, "on = \"h/a\"\nplaces = { notes = \"h/b\" }");
    assert!(own > 0 && notes > 0, "{own} {notes}");
    let [all, none] = moved(ONE, "on = \"h\"");
    // The same users read and write the same, but for what the buffers save.
    assert_eq!(none, 0);
    assert!((0.9..1.1).contains(&((own + notes) as f64 / all as f64)), "{own} {notes} {all}");
}

/// The first mistake, and the advice on it.
fn advised(text: &str) -> String {
    let problems = load_text("test.toml", text, None, &[]).unwrap_err();
    let first = problems.iter().next().unwrap();
    format!("{first}; {}", miette::Diagnostic::help(first).map(|help| help.to_string()).unwrap_or_default())
}

#[test]
fn names_that_are_none_are_told_with_those_that_are() {
    let script = |on: &str, more: &str| {
        format!("{TWO}[workload.s]\nkind = \"script\"\non = {on}\n{more}\nscript = \"create a\"\n")
    };
    assert_eq!(
        advised(&script("\"h\"", "")),
        "no file system is called \"h\"; of it there are h/a, h/b; \"h/*\" is all of them"
    );
    let near = advised(&script("\"h/aa\"", ""));
    assert!(near.ends_with("did you mean \"h/a\"?"), "{near}");
    let elsewhere = script("\"h/a\"", "places = { x = \"h/e\" }");
    assert!(problem(&elsewhere).contains("no file system is called \"h/e\""), "{}", problem(&elsewhere));
    let idle = problem(&script("\"h/a\"", ""));
    assert_eq!(idle, "nothing uses the file system \"h/b\"");
    let twice = problem(&script("\"h/*\"", "").replace("[\"a\", \"b\"]", "[\"a\", \"a\"]"));
    assert_eq!(twice, "\"a\" is named twice");
    let shared = script("\"h\"", "") + "[unix.other]\non = \"b\"\n";
    assert!(
        problem(&shared).contains("the disk \"b\" is used by the Unix host \"h\" already"),
        "{}",
        problem(&shared)
    );
    let none = problem(&script("\"h\"", "").replace("\"b\"", "\"e\""));
    assert_eq!(none, "no disk or array is called \"e\"");
}

#[test]
fn a_trace_isnt_played_on_each_file_system_of_one_machine() {
    for on in ["\"h/*\"", "[\"h/b\", \"h/a\"]"] {
        let refused = traced(&format!("on = {on}")).unwrap_err();
        assert!(refused.contains("each would get the whole trace"), "{refused}");
        assert!(refused.contains("places = "), "{refused}");
    }
    // On two machines it is.
    let two = ONE.to_owned() + "[disk.b]\nmodel = \"hp-7937\"\n[unix.g]\non = \"b\"\n";
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("two.csv"), TRACE).unwrap();
    let text = format!("{two}[workload.t]\nkind = \"events\"\nfile = \"two.csv\"\non = [\"h\", \"g\"]\n");
    let report = once_of(&load_text("test.toml", &text, Some(folder.path()), &[]).unwrap());
    assert_eq!(report.served.requests.completed, 10);
}

#[test]
fn a_host_names_what_it_owns_and_its_copies_are_alike() {
    let text = r#"
[unix.h]
count = 2
on = ["d", "log"]
[unix.h.disk.d]
model = "hp-7937"
count = 2
[unix.h.disk.log]
model = "hp-7935"
[workload.all]
kind = "script"
on = "h*/d*"
script = "create a; write a 0 8 KiB"
[box.b.disk.e]
model = "hp-7937"
count = 2
[box.b.unix.inner]
on = "e*"
[box.b.workload.w]
kind = "script"
on = "inner/e1"
places = { x = "inner/e0" }
script = "create x/a; write x/a 0 16 KiB"
[workload.logs]
kind = "script"
on = "h/log"
script = "create a; write a 0 24 KiB"
"#;
    let loaded = loaded(text);
    let names: Vec<&str> = loaded.hosts.volumes().map(|volume| volume.name).collect();
    let expected = ["h0/d0", "h0/d1", "h0/log", "h1/d0", "h1/d1", "h1/log", "b/inner/e0", "b/inner/e1"];
    assert_eq!(names, expected);
    let report = once_of(&loaded);
    let written = |class: &str| data(&report, class).1 >> 10;
    assert_eq!(["h*/d*", "h*/log"].map(written), [4 * 8, 2 * 24], "{:?}", report.traffic);
    let inner: u64 = ["b/e*", "b/e0", "b/e1"].map(written).iter().sum();
    assert_eq!(inner, 16, "{:?}", report.traffic);
}

#[test]
fn seven_file_systems_of_a_whole_machine_share_its_buffers() {
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/whole-machine-of-1990.toml");
    let run = |memory: &str| {
        let set: Override = format!("unix.cello.memory={memory}").parse().unwrap();
        let report = once_of(&load(&example, &[set]).unwrap());
        // Every call of the trace once, in whatever memory; each of the six disks has had something to do.
        assert_eq!(report.served.requests.completed, 669);
        assert_eq!(report.traffic.iter().map(|row| row.devices).sum::<u64>(), 6);
        let requests = |row: &TrafficFigures| -> u64 {
            row.purposes.iter().map(|purpose| purpose.reads.requests + purpose.writes.requests).sum()
        };
        assert!(report.traffic.iter().all(|row| requests(row) > 0));
        report
    };
    let reads = |report: &Report, of: &str| -> u64 {
        let rows = report.traffic.iter().filter(|row| of.is_empty() || row.name == of);
        rows.flat_map(|row| &row.purposes).map(|purpose| purpose.reads.requests).sum()
    };
    let [little, own, much] = ["4 MiB", "64 MiB", "128 MiB"].map(run);
    let of_all = |report: &Report| reads(report, "");
    assert_eq!(of_all(&own), of_all(&much), "each block once");
    let times = of_all(&little) as f64 / of_all(&own) as f64;
    assert!((2.5..3.5).contains(&times), "{times}");
    // Whichever disk it lies on.
    for disk in ["users", "news"] {
        assert!(reads(&little, disk) > 2 * reads(&own, disk), "{disk}");
    }
}
