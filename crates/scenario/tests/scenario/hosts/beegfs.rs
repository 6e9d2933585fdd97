//! BeeGFS in scenarios: which messages cross the network, to whom and when, how fast it can be, and what a person who writes nonsense is
//! told.

use crate::hosts::support::{load_of, rate, run_of, try_run};
use petrio_scenario::report::{Report, RpcFigures};

const HOSTS: &str = r#"
[network.lan]
costs = { send = "0 s", receive = "0 s", send_kib = "0 s", receive_kib = "0 s" }
link = { rate = "10 Gbit/s", latency = "5 us" }

[host.client]
count = 1
machine = "epyc-9005-2vcpu"
kernel = "linux-6.1"

[host.meta]
count = 1
machine = "epyc-9005-2vcpu"
kernel = "linux-6.1"
disk.d = { model = "constant-rate", drive.latency = "100 us", drive.rate = "1 GB/s" }
fs.names = { type = "ext4", on = "d" }

[host.storage]
count = 4
machine = "epyc-9005-2vcpu"
kernel = "linux-6.1"
disk.d = { model = "constant-rate", drive.latency = "100 us", drive.rate = "200 MB/s" }
fs.target = { type = "ext4", on = "d" }

[beegfs.work]
clients = "client*"
metas = "meta*/names"
targets = "storage*/target"
"#;

const WRITES: &str = r#"
[workload.w]
kind = "files"
on = "client*/work"
operation = "write"
record = "4 MiB"
file_size = "64 MiB"
fsync = "at-end"
"#;

fn run(workload: &str, set: &[&str]) -> Report {
    run_of(&format!("{HOSTS}{workload}"), set)
}

/// How many requests of a message clients sent.
fn requests(report: &Report, procedure: &str) -> u64 {
    of_clients(report, procedure).map(|own| own.rpcs).sum()
}

fn of_clients<'r>(report: &'r Report, procedure: &'r str) -> impl Iterator<Item = &'r RpcFigures> {
    report.rpcs.iter().filter(move |own| own.procedure == procedure && own.name.ends_with("/work"))
}

fn sent(report: &Report, procedure: &str) -> u64 {
    of_clients(report, procedure).map(|own| own.sent_bytes).sum()
}

fn received(report: &Report, procedure: &str) -> u64 {
    of_clients(report, procedure).map(|own| own.received_bytes).sum()
}

#[test]
fn what_is_written_goes_in_chunks_each_a_request_with_its_data_behind() {
    let report = run(WRITES, &[]);
    assert_eq!(requests(&report, "WriteLocalFile"), 128, "{:?}", report.rpcs);
    // 40 + 8 + 8 + 4 + 24 + 4 + 28 + 2 bytes before the data, and a result of 48.
    assert_eq!(sent(&report, "WriteLocalFile"), (64 << 20) + 128 * 118);
    assert_eq!(received(&report, "WriteLocalFile"), 128 * 48);
    // Each of the four targets.
    assert_eq!(requests(&report, "FSyncLocalFile"), 4);
    let without = run(WRITES, &["beegfs.work.remote_fsync=false"]);
    assert_eq!(requests(&without, "FSyncLocalFile"), 0);
}

#[test]
fn small_writes_are_buffered_until_a_chunk_is_full() {
    let small = WRITES.replace("record = \"4 MiB\"", "record = \"64 KiB\"");
    assert_eq!(requests(&run(&small, &[]), "WriteLocalFile"), 128);
    let none = run(&small, &["beegfs.work.cache=none"]);
    assert_eq!(requests(&none, "WriteLocalFile"), 1024);
    let larger = run(&small, &["beegfs.work.buffer_size=256 KiB"]);
    assert_eq!(requests(&larger, "WriteLocalFile"), 256);
}

/// What a script has clients ask, or servers each other, message by message.
fn asked_by(script: &str, of_clients: bool, set: &[&str]) -> Vec<(String, u64)> {
    let text = format!("[workload.s]\nkind = \"script\"\non = \"client/work\"\nscript = \"{script}\"\n");
    let report = run(&text, set);
    assert!(report.served.failures.is_empty(), "{script}: {:?}", report.served.failures);
    let all = report.rpcs.into_iter().filter(|own| own.name.ends_with("/work") == of_clients);
    all.map(|own| (own.procedure, own.rpcs)).collect()
}

fn asked(script: &str) -> Vec<(String, u64)> {
    asked_by(script, true, &[])
}

#[test]
fn servers_ask_each_other_what_the_source_has_them_ask() {
    let four = ["beegfs.work.chunk_size=64 KiB"];
    for (script, set, messages) in [
        // Closing asks the targets that were touched; removing, all.
        (
            "file b 1 MiB; create a; write a 0 128 KiB; close a; unlink a; think 1 s; stat b",
            &four[..],
            &[("CloseChunkFile", 2), ("UnlinkLocalFile", 4)][..],
        ),
        // Attributes of what is being written come from all targets.
        (
            "create a; write a 0 64 KiB; stat a; close a",
            &four,
            &[("CloseChunkFile", 1), ("GetChunkFileAttribs", 4)],
        ),
        ("file a 1 MiB; stat a", &four, &[]),
        ("file a 1 MiB; truncate a 4 KiB", &four, &[("TruncLocalFile", 4)]),
    ] {
        let wanted: Vec<(String, u64)> =
            messages.iter().map(|&(name, count)| (name.to_owned(), count)).collect();
        assert_eq!(asked_by(script, false, set), wanted, "{script}");
    }
    // Of a mirror group the second does what the first does, but for reading.
    let mirrored = ["beegfs.work.mirror=true", "beegfs.work.targets_per_file=1"];
    let script = "create a; write a 0 1 MiB; fsync a; read a 0 1 MiB; close a";
    let passed: Vec<(String, u64)> = asked_by(script, false, &mirrored);
    let count = |name: &str| passed.iter().filter(|own| own.0 == name).map(|own| own.1).sum::<u64>();
    assert_eq!(
        (count("WriteLocalFile"), count("FSyncLocalFile"), count("ReadLocalFileV2")),
        (2, 1, 0),
        "{passed:?}"
    );
    assert_eq!(count("CloseChunkFile"), 2, "{passed:?}");
    // Half of the directories are another server's.
    let metas = ["host.meta.count=2"];
    let made = asked_by("repeat 16 { mkdir d%; rmdir d% }", false, &metas);
    let count = |name: &str| made.iter().filter(|own| own.0 == name).map(|own| own.1).sum::<u64>();
    assert!((3..14).contains(&count("MkLocalDir")), "{made:?}");
    assert_eq!(count("MkLocalDir"), count("RmLocalDir"), "{made:?}");
}

#[test]
fn each_call_of_a_program_has_the_messages_that_the_source_sends() {
    for (script, messages) in [
        ("create a; close a", &[("LookupIntent create", 1), ("CloseFile", 1)][..]),
        ("file a 1 MiB; stat a; stat a", &[("LookupIntent", 2)]),
        ("file a 1 MiB; open a; close a", &[("LookupIntent open", 1), ("CloseFile", 1)]),
        (
            "file a 1 MiB; open a; close a; open a; close a",
            &[("LookupIntent", 1), ("LookupIntent open", 1), ("OpenFile", 1), ("CloseFile", 2)],
        ),
        ("mkdir d; rmdir d", &[("LookupIntent", 1), ("MkDir", 1), ("RmDir", 1)]),
        ("directory d; file d/a 1 MiB; stat d/a; stat d/a", &[("LookupIntent", 3)]),
        ("file a 1 MiB; unlink a", &[("LookupIntent", 1), ("UnlinkFile", 1)]),
        ("file a 1 MiB; rename a b", &[("LookupIntent", 2), ("Rename", 1)]),
        ("file a 1 MiB; chmod a", &[("LookupIntent", 1), ("SetAttr", 1)]),
        ("file a 1 MiB; truncate a 4 KiB", &[("TruncFile", 1)]),
        ("directory d; readdir d", &[("LookupIntent", 1), ("ListDirFromOffset", 1)]),
        (
            "create a; write a 0 4 KiB; stat a; fsync a; close a",
            &[
                ("LookupIntent create", 1),
                ("CloseFile", 1),
                ("Stat", 1),
                ("WriteLocalFile", 1),
                ("FSyncLocalFile", 1),
            ],
        ),
        (
            "file a 4 MiB; open a; read a 0 4 MiB; close a",
            &[("LookupIntent open", 1), ("CloseFile", 1), ("ReadLocalFileV2", 8)],
        ),
    ] {
        let wanted: Vec<(String, u64)> =
            messages.iter().map(|&(name, count)| (name.to_owned(), count)).collect();
        assert_eq!(asked(script), wanted, "{script}");
    }
}

#[test]
fn what_nobody_writes_out_of_its_buffer_is_written_after_five_seconds() {
    let written = |think: &str| -> u64 {
        let script = format!("file b 1 MiB; create a; write a 0 4 KiB; think {think}; stat b");
        asked(&script).into_iter().filter(|(name, _)| name == "WriteLocalFile").map(|(_, count)| count).sum()
    };
    assert_eq!((written("4 s"), written("6 s")), (0, 1));
}

#[test]
fn what_is_read_small_is_read_ahead_by_a_buffer() {
    let reads = WRITES.replace("\"write\"", "\"read\"").replace("fsync = \"at-end\"", "");
    let reads = reads.replace("record = \"4 MiB\"", "record = \"64 KiB\"");
    let report = run(&reads, &[]);
    assert_eq!(requests(&report, "ReadLocalFileV2"), 128, "{:?}", report.rpcs);
    // A length before each piece and one behind the last: whole chunks up to 4 MiB one after the other of each target, 128 KiB from there.
    let pieces = 4 * (8 + (16 * 2 - 8) * 4);
    assert_eq!(received(&report, "ReadLocalFileV2"), (64 << 20) + 8 * pieces + 8 * 128);
    let none = run(&reads, &["beegfs.work.cache=none"]);
    assert_eq!(requests(&none, "ReadLocalFileV2"), 1024);
}

#[test]
fn one_target_is_no_faster_than_its_disk_and_more_are_no_slower() {
    let of = |targets: u32| rate(&run(WRITES, &[&format!("beegfs.work.targets_per_file={targets}")]));
    let rates = [of(1), of(2), of(4)];
    assert!(rates[0] <= 200e6 && rates[0] > 100e6, "{rates:?}");
    assert!(rates[1] >= rates[0] && rates[2] >= rates[1], "{rates:?}");
    assert!(rates[2] <= 800e6 && rates[2] > 1.8 * rates[0], "{rates:?}");
    let slow = rate(&run(WRITES, &["network.lan.link.rate=\"1 Gbit/s\""]));
    assert!(slow <= 125e6 && slow > 80e6, "{slow}");
}

#[test]
fn until_memory_is_full_writing_is_as_fast_as_the_link_and_no_faster() {
    let buffered = WRITES.replace("fsync = \"at-end\"", "");
    let report = run(&buffered, &["network.lan.link.rate=\"1 Gbit/s\"", "beegfs.work.targets_per_file=1"]);
    assert!(rate(&report) <= 125e6 && rate(&report) > 110e6, "{}", rate(&report));
    let fast = rate(&run(&buffered, &["beegfs.work.targets_per_file=1"]));
    // The disk takes 200 MB/s, and isn't waited for.
    assert!(fast > 250e6 && fast <= 1.25e9, "{fast}");
}

#[test]
fn mirrored_targets_write_each_byte_twice_and_take_at_most_half_a_full_link() {
    // All goes to one server, whose link is full; mirrored, all of it leaves there again, to the other one.
    let buffered = WRITES.replace("fsync = \"at-end\"", "");
    let few =
        ["host.storage.count=2", "beegfs.work.targets_per_file=1", "network.lan.link.rate=\"1 Gbit/s\""];
    let plain = run(&buffered, &few);
    let mirrored = run(&buffered, &[&few[..], &["beegfs.work.mirror=true"]].concat());
    assert!(rate(&mirrored) <= rate(&plain), "{} and {}", rate(&mirrored), rate(&plain));
    let passed = |report: &Report| -> u64 {
        let all = report
            .rpcs
            .iter()
            .filter(|own| own.procedure == "WriteLocalFile" && !own.name.ends_with("/work"));
        all.map(|own| own.rpcs).sum()
    };
    assert_eq!((passed(&plain), passed(&mirrored)), (0, 128), "{:?}", mirrored.rpcs);
    // Two clients, each of whose servers is the other's mirror: each link carries what comes and what is passed on.
    let two = |mirror: &[&str]| {
        let set = [
            "host.client.count=2",
            "host.storage.count=2",
            "beegfs.work.target_chooser=roundrobin",
            "network.lan.link.rate=\"1 Gbit/s\"",
        ];
        let groups = "beegfs.work.mirror=[[\"storage0/target\", \"storage1/target\"]]";
        let targets = if mirror.is_empty() {
            "beegfs.work.targets_per_file=2"
        } else {
            "beegfs.work.targets_per_file=1"
        };
        let mut all = [&set[..], &[targets]].concat();
        all.extend((!mirror.is_empty()).then_some(groups));
        rate(&run(&buffered, &all))
    };
    let (plain, mirrored) = (two(&[]), two(&["mirrored"]));
    assert!(mirrored <= 0.51 * plain, "{mirrored} and {plain}");
}

#[test]
fn a_connection_carries_one_request_at_a_time() {
    let many = "[workload.w]\nkind = \"files\"\non = \"client*/work\"\noperation = \"write\"\nrecord = \"512 KiB\"\n\
                file_size = \"16 MiB\"\nprocesses = 8\n";
    let few = ["beegfs.work.targets_per_file=1", "host.storage.count=1"];
    let waited = |connections: u32| {
        let set = format!("beegfs.work.connections={connections}");
        let report = run(many, &[&few[..], &[&set]].concat());
        let own = report.rpcs.iter().find(|own| own.procedure == "WriteLocalFile").unwrap();
        (own.queued_ms, rate(&report))
    };
    let (one, eight) = (waited(1), waited(8));
    assert!(one.0 > 1.0 && eight.0 == 0.0, "{one:?} and {eight:?}");
    assert!(eight.1 >= one.1, "{one:?} and {eight:?}");
}

#[test]
fn nonsense_is_told_where_it_stands() {
    for (set, why) in [
        ("beegfs.work.chunk_size=\"100 KiB\"", "it is a power of two, and 64 KiB or more"),
        ("beegfs.work.chunk_size=\"32 KiB\"", "it is a power of two, and 64 KiB or more"),
        ("beegfs.work.targets_per_file=5", "5 targets a file are more than there are: 4 targets"),
        ("beegfs.work.targets_per_file=0", "0 makes no sense"),
        ("beegfs.work.storage_workers=0", "a server without workers serves nobody"),
        ("beegfs.work.connections=300", "300 is more than there can be; let it be 256 or less"),
        ("beegfs.work.targets=\"storage*/nothing\"", "no file system is called"),
        ("beegfs.work.targets=\"*/*\"", "can't hold metadata and be a storage target"),
        (
            "beegfs.work.mirror=[[\"storage0/target\"]]",
            "a mirror group is of two targets, and one here is of 1 target",
        ),
        ("beegfs.work.mirror=[[\"storage0/target\", \"meta/names\"]]", "isn't one of its targets"),
        (
            "beegfs.work.mirror=[[\"storage0/target\", \"storage1/target\"], [\"storage1/target\", \"storage2/target\"]]",
            "is in two groups",
        ),
        ("beegfs.work.clients=\"storage*\"", "is one of its servers, and would be its own client"),
        ("beegfs.work.metas=\"client/work\"", "client/work"),
    ] {
        let text = format!("{HOSTS}{WRITES}");
        let problems = match load_of(&text, &[set]) {
            Err(problems) => format!("{problems:?}"),
            Ok(_) => panic!("{set} is taken"),
        };
        assert!(problems.contains(why), "{set}: {problems}");
    }
    let odd = load_of(&format!("{HOSTS}{WRITES}"), &["host.storage.count=3", "beegfs.work.mirror=true"]);
    assert!(format!("{odd:?}").contains("3 targets can't be put into groups of two"), "{odd:?}");
    let mirrored = load_of(&format!("{HOSTS}{WRITES}"), &["beegfs.work.mirror=true"]);
    assert!(
        format!("{mirrored:?}").contains("4 targets a file are more than there are: 2 mirror groups"),
        "{mirrored:?}"
    );
    let memory = format!(
        "{HOSTS}{WRITES}[host.x]\nmachine = \"epyc-9005-2vcpu\"\nkernel = \"linux-6.1\"\nfs.m = {{ type = \"tmpfs\" }}\n"
    );
    let named = load_of(&memory, &["beegfs.work.metas=x/m"]);
    assert!(format!("{named:?}").contains("has no extended attributes here"), "{named:?}");
}

const MDTEST: &str = r#"
[workload.m]
kind = "parallel"
on = "client*/work"
ranks = 4
program = { kind = "mdtest", command = "mdtest -n 50 -d dir -u -w 3901 -e 3901" }
"#;

#[test]
fn files_are_made_looked_at_and_removed_by_the_messages_of_the_source() {
    let report = run(MDTEST, &[]);
    // 4 × 50 files: each made by one message, closed, opened to be read and closed again.
    assert_eq!(requests(&report, "LookupIntent create"), 200, "{:?}", report.rpcs);
    assert_eq!(requests(&report, "UnlinkFile"), 200);
    assert_eq!(requests(&report, "CloseFile"), 400);
    assert_eq!(requests(&report, "OpenFile"), 200);
    // 3,901 bytes lie in the buffer until the file is closed; read back, one request fetches them.
    assert_eq!(requests(&report, "WriteLocalFile"), 200);
    assert_eq!(requests(&report, "ReadLocalFileV2"), 200);
    assert_eq!(requests(&report, "GetChunkFileAttribs"), 0, "it is the metadata server that asks for these");
    // Each is looked at again when it is looked at, opened, and removed; and each rank's directory now and then.
    assert!(requests(&report, "LookupIntent") >= 600, "{:?}", report.rpcs);
}

#[test]
fn several_metadata_servers_share_directories_and_more_clients_need_them() {
    let set = |metas: u32| {
        let metas = format!("host.meta.count={metas}");
        let report = run(MDTEST, &["host.client.count=4", &metas, "beegfs.work.meta_workers=1"]);
        report.simulated_s
    };
    let (one, four) = (set(1), set(4));
    assert!(four < one, "{four} and {one}");
}

#[test]
fn ior_hard_writes_one_shared_file_interleaved_and_all_of_it_arrives() {
    let hard = r#"
[workload.i]
kind = "parallel"
on = "client*/work"
ranks = 4
program = { kind = "ior", command = "ior -t 47008 -b 47008 -s 40 -o file" }
"#;
    let report = run(hard, &["host.client.count=2"]);
    let bytes = 47_008 * 40 * 4;
    let written = sent(&report, "WriteLocalFile") - 118 * requests(&report, "WriteLocalFile");
    assert_eq!(written, bytes, "{:?}", report.rpcs);
    assert!(received(&report, "ReadLocalFileV2") >= bytes, "{:?}", report.rpcs);
}

#[test]
fn metadata_and_targets_on_one_host_need_no_network_between_them() {
    let both = HOSTS.replace("[host.storage]", "[host.storage]\ndisk.m = { model = \"constant-rate\", drive.latency = \"100 us\", drive.rate = \"1 GB/s\" }\nfs.names = { type = \"xfs\", on = \"m\" }").replace("meta*/names", "storage*/names");
    let start = both.find("[host.meta]").unwrap();
    let end = both.find("[host.storage]").unwrap();
    let text = format!("{}{}{MDTEST}", &both[..start], &both[end..]);
    let report = try_run(&text, &["host.storage.count=1", "beegfs.work.targets_per_file=1"]).unwrap();
    assert_eq!(requests(&report, "UnlinkFile"), 200, "{:?}", report.rpcs);
}
