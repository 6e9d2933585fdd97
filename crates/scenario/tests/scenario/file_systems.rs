//! Scenarios with hosts and file systems: what a person who writes one is told, and that what is written becomes the
//! System that is meant.

use petrio_colours::BlockRequest;
use petrio_kernel::Time;
use petrio_scenario::build::System;
use petrio_scenario::report::{DeviceSink, ReportError, Sinks, Visit};
use petrio_scenario::run::simulate;
use petrio_scenario::{Loaded, Problem, Problems, load_text};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

const SOUND: &str = r#"title = "A file on two disks"

[disk.d]
model = "constant-rate"
count = 2

[raid.r]
level = 0
on = "d*"
stripe_unit = "64 KiB"

[throttle.t]
on = "r"
read_iops = 500

[host.h]
machine = "epyc-9005-2vcpu"
kernel = "linux-6.18"
memory = "1 GiB"

[fs.data]
type = "ext3"
on = "t"
size = "8 GiB"
scheduler = "mq-deadline"

[workload.w]
kind = "files"
on = "data"
operation = "read"
record = "8 KiB"
file_size = "64 MiB"
"#;

fn read(text: &str) -> Result<Loaded, Problems> {
    load_text("test.toml", text, None, &[])
}

fn changed(set: &[&str]) -> Result<Loaded, Problems> {
    let overrides: Vec<_> = set.iter().map(|set| set.parse().unwrap()).collect();
    load_text("test.toml", SOUND, None, &overrides)
}

/// The one mistake of a text.
fn mistake(text: &str) -> Problem {
    let problems = read(text).unwrap_err();
    assert_eq!(problems.iter().count(), 1, "{problems:?}");
    problems.iter().next().unwrap().clone()
}

/// The sound scenario with one piece of text replaced.
fn with(piece: &str, instead: &str) -> String {
    assert!(SOUND.contains(piece), "{piece}");
    SOUND.replace(piece, instead)
}

#[test]
fn a_file_system_is_as_large_as_what_it_lies_on_says() {
    let loaded = changed(&["fs.data.size=10 GiB"]).unwrap();
    assert_eq!(loaded.hosts.linux.file_systems[0].blocks, 10 << 21);
    // Two disks of 195,312,500 blocks, striped in units of 128 blocks.
    let array = loaded.storage.iter().find(|storage| storage.name == "r").unwrap();
    assert_eq!(array.blocks, 195_312_500 / 128 * 128 * 2);
    let text = SOUND.replace("size = \"8 GiB\"\n", "");
    assert_eq!(read(&text).unwrap().hosts.linux.file_systems[0].blocks, array.blocks);
}

#[test]
fn the_pages_of_the_net_are_named_by_the_parts() {
    let loaded = read(SOUND).unwrap();
    let system = System::build(&loaded).unwrap();
    for page in ["programs", "h", "h/data", "t", "data-queue", "r", "d0", "d1"] {
        assert!(system.driven.net.find_page(page).is_some(), "no page {page}");
    }
    for stage in ["h/", "data-queue", "d0/", "d1/"] {
        assert!(system.stages.iter().any(|row| row.name.starts_with(stage)), "no stage {stage}");
    }
}

#[test]
fn names_that_stand_for_nothing_are_found_with_what_was_meant() {
    for (piece, instead, message, advice) in [
        (
            "on = \"d*\"",
            "on = \"e*\"",
            "no disk or array is called \"e*\"",
            "the disks and arrays are d, r, t, d0, d1",
        ),
        ("on = \"t\"", "on = \"dd\"", "no disk or array is called \"dd\"", "did you mean \"d0\"?"),
        ("on = \"data\"", "on = \"dat\"", "no file system is called \"dat\"", "did you mean \"data\"?"),
        ("type = \"ext3\"", "type = \"ext3\"\nhost = \"hh\"", "no host is called \"hh\"", "the hosts are h"),
        (
            "epyc-9005-2vcpu",
            "epyc",
            "the catalogue has no machine \"epyc\"",
            "did you mean \"epyc-9005-2vcpu\"?",
        ),
        (
            "linux-6.18",
            "linux-6.188",
            "the catalogue has no kernel \"linux-6.188\"",
            "did you mean \"linux-6.18\"?",
        ),
        (
            "\"mq-deadline\"",
            "\"mq-deadlin\"",
            "\"mq-deadlin\" is not known here",
            "did you mean \"mq-deadline\"?",
        ),
        ("type = \"ext3\"", "type = \"ext5\"", "\"ext5\" is not known here", "did you mean \"ext3\"?"),
    ] {
        let problems = read(&with(piece, instead)).unwrap_err();
        let problem = problems.iter().find(|problem| problem.message() == message);
        let problem = problem.unwrap_or_else(|| panic!("{message} in {problems:?}"));
        assert_eq!(problem.advice(), Some(advice), "{message}");
        assert!(
            problem.pointed_at().is_some_and(|text| instead.contains(text.trim_matches('"'))),
            "{problem:?}"
        );
    }
}

#[test]
fn keys_are_checked_in_flattened_parts_too_and_all_at_once() {
    let text = SOUND
        .replace("size = \"8 GiB\"", "size = \"8\"\nhots = \"h\"")
        .replace("read_iops = 500", "read_ipos = 500")
        .replace("record = \"8 KiB\"", "recrod = \"8 KiB\"");
    let problems = read(&text).unwrap_err();
    let found: Vec<(&str, Option<&str>)> =
        problems.iter().map(|problem| (problem.message(), problem.advice())).collect();
    for (message, advice) in [
        ("unknown key \"hots\"", "did you mean \"host\"?"),
        ("unknown key \"read_ipos\"", "did you mean \"read_iops\"?"),
        ("unknown key \"recrod\"", "did you mean \"record\"?"),
    ] {
        assert!(found.contains(&(message, Some(advice))), "{message} in {found:#?}");
    }
    assert!(found.iter().any(|(message, _)| message.starts_with("\"8\" has no unit")), "{found:#?}");
}

#[test]
fn what_makes_no_sense_is_refused_where_it_stands() {
    for (piece, instead, message) in [
        ("level = 0", "level = 5", "RAID 5 needs 3 members, and here are 2"),
        ("level = 0", "level = 3", "RAID level 3 is not known here"),
        ("stripe_unit = \"64 KiB\"", "stripe_unit = \"1000 B\"", "a stripe unit is a multiple of 512 B"),
        ("on = \"d*\"", "on = \"d0\"", "an array of one disk is that disk"),
        ("type = \"ext3\"\n", "", "\"type\" is missing"),
        ("size = \"8 GiB\"", "size = \"1 TB\"", "the file system is larger than \"t\""),
        ("size = \"8 GiB\"", "size = \"64 KiB\"", "the file system \"data\" can't be made"),
        ("memory = \"1 GiB\"", "swappiness = 300", "swappiness lies between 0 and 200"),
        (
            "size = \"8 GiB\"",
            "size = \"8 GiB\"\nqueue_depth = 0",
            "with queue_depth = 0 nothing ever reaches",
        ),
        ("file_size = \"64 MiB\"", "file_size = \"9 GiB\"", "the files of \"w\" are 9 GiB"),
        (
            "record = \"8 KiB\"",
            "record = \"8 KiB\"\nsync = true",
            "nothing is written that could be made durable",
        ),
        ("record = \"8 KiB\"", "record = \"8 KiB\"\nio_priority = 8", "an I/O priority lies between 0 and 7"),
        ("on = \"r\"", "on = \"t\"", "made of itself"),
        ("[throttle.t]", "[throttle.d0]", "called \"d0\""),
    ] {
        let problems = read(&with(piece, instead)).unwrap_err();
        let found = problems.iter().find(|problem| problem.message().contains(message));
        let problem = found.unwrap_or_else(|| panic!("{message} in {problems:?}"));
        assert!(problem.location().is_some(), "{message} points nowhere");
    }
}

#[test]
fn two_users_of_one_device_and_parts_without_a_user_are_refused() {
    let second = "\n[fs.other]\ntype = \"ext4\"\non = \"t\"\n";
    let problems = read(&format!("{SOUND}{second}")).unwrap_err();
    let messages: Vec<&str> = problems.iter().map(Problem::message).collect();
    let twice = "the throttle \"t\" is used by the file system \"data\" already";
    assert!(messages.contains(&twice), "{messages:?}");
    let problem = mistake(&format!("{SOUND}\n[disk.spare]\nmodel = \"constant-rate\"\n"));
    assert_eq!(problem.message(), "nothing uses the disk \"spare\"");
    let problems = read(&with("on = \"t\"", "on = \"r\"")).unwrap_err();
    let messages: Vec<&str> = problems.iter().map(Problem::message).collect();
    let used = "the raid \"r\" is used by the throttle \"t\" already";
    assert_eq!(messages, [used, "nothing uses the throttle \"t\""]);
    let idle = "\n[disk.e]\nmodel = \"constant-rate\"\n[fs.other]\ntype = \"ext4\"\non = \"e\"\n";
    let problem = mistake(&format!("{SOUND}{idle}"));
    assert_eq!(problem.message(), "nothing uses the file system \"other\"");
    let host = "\n[host.i]\nmachine = \"epyc-9005-2vcpu\"\nkernel = \"linux-6.18\"\n";
    let problems = read(&format!("{SOUND}{host}")).unwrap_err();
    assert_eq!(
        problems.iter().next().unwrap().message(),
        "there are several hosts; which of them mounts \"data\"?"
    );
    let problem = mistake(
        &with("type = \"ext3\"", "type = \"ext3\"\nhost = \"h\"")
            .replace("[workload.w]", &format!("{host}\n[workload.w]")),
    );
    assert_eq!(problem.message(), "no file system is mounted by the host \"i\"");
}

#[test]
fn single_figures_of_machine_and_kernel_can_be_changed() {
    let loaded = changed(&[
        "host.h.change.machine.calls.read=2 us",
        "host.h.change.kernel.write_back.expire=3 s",
        "host.h.read_ahead=1 MiB",
    ])
    .unwrap();
    let host = &loaded.hosts.linux.hosts[0];
    assert_eq!(host.parameters.machine.calls.read, "2 us".parse().unwrap());
    assert_eq!(host.parameters.kernel.write_back.expire, "3 s".parse().unwrap());
    assert_eq!(host.parameters.kernel.read_ahead.max.get(), 1 << 20);
    let problems = changed(&["host.h.change.machine.calls.raed=2 us"]).unwrap_err();
    assert_eq!(problems.iter().next().unwrap().advice(), Some("did you mean \"read\"?"));
}

#[test]
fn the_effective_scenario_reads_back_as_itself() {
    let fabric = "\n[fabric.f]\non = \"r\"\nrate = \"200 MB/s\"\nadapter = \"10 us\"\nlatency = \"5 us\"\n";
    let script =
        "\n[workload.s]\nkind = \"script\"\non = \"data\"\nscript = \"create a; write a 0 4 KiB; fsync a\"\n";
    let text = format!("{}{fabric}{script}", with("[throttle.t]\non = \"r\"", "[throttle.t]\non = \"f\""));
    let loaded = read(&text).unwrap();
    let written = toml::to_string(&loaded.scenario).unwrap();
    assert_eq!(read(&written).unwrap().scenario, loaded.scenario, "{written}");
}

#[test]
fn a_script_that_cannot_be_is_a_mistake_at_its_line() {
    let script = "\n[workload.s]\nkind = \"script\"\non = \"data\"\nscript = \"wirte a 0 4 KiB\"\n";
    let problem = mistake(&format!("{SOUND}{script}"));
    assert!(problem.message().contains("\"wirte\" is no statement"), "{problem}");
    assert_eq!(problem.pointed_at(), Some("wirte"));
}

#[test]
fn a_dirty_limit_of_one_file_system_needs_a_kernel_that_keeps_it_and_room_for_a_page() {
    let limited =
        |limit: &str| with("size = \"8 GiB\"", &format!("size = \"8 GiB\"\ndirty_limit = \"{limit}\""));
    assert!(read(&limited("128 MiB")).is_ok());
    let small = mistake(&limited("4 KiB"));
    assert!(small.to_string().contains("nothing could be written"), "{small}");
    let old = mistake(&limited("128 MiB").replace("linux-6.18", "linux-2.6.24"));
    assert!(old.to_string().contains("has no dirty limit for one device"), "{old}");
}

/// The same program with much memory that may be dirty, and with a limit of its file system alone.
#[test]
fn a_file_systems_own_dirty_limit_holds_its_writer_back() {
    let text = with("operation = \"read\"", "operation = \"write\"\ntiming = \"accesses\"");
    let text = text.replace("read_iops = 500", "write_rate = \"50 MiB/s\"");
    let time = |text: &str| {
        let loaded = read(text).unwrap();
        let system = System::build(&loaded).unwrap();
        let sinks = Sinks::default();
        let report = simulate(&loaded, &system, sinks).unwrap();
        report.served.throughput_bytes_per_s.value / f64::from(1 << 20)
    };
    let free = time(&text);
    let held = time(&text.replace("size = \"8 GiB\"", "size = \"8 GiB\"\ndirty_limit = \"16 MiB\""));
    // 64 MiB: all but about 12 MiB of them have to be written at 50 MiB/s first.
    assert!(free > 300.0 && (50.0..=70.0).contains(&held), "{free} and {held} MiB/s");
}

#[test]
fn a_run_that_is_stopped_ends_in_the_middle() {
    use petrio_kernel::Watch;
    use petrio_scenario::run::RunFailure;
    use std::ops::ControlFlow;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU64, Ordering};
    let mut loaded = read(&format!("{SOUND}\n[measure]\nreplications = 4\n")).unwrap();
    let system = System::build(&loaded).unwrap();
    let sinks = Sinks::default;
    let most = Arc::new(AtomicU64::new(0));
    let seen = most.clone();
    loaded.watch = Watch::telling(move |far| {
        seen.fetch_max(far.completed, Ordering::Relaxed);
        ControlFlow::Continue(())
    });
    let whole = simulate(&loaded, &system, sinks()).unwrap();
    // The report is of the mean of all.
    assert_eq!(most.load(Ordering::Relaxed), 4 * whole.served.requests.completed);
    loaded.watch = Watch::telling(|_| ControlFlow::Break(()));
    let stopped = simulate(&loaded, &system, sinks());
    assert!(matches!(stopped, Err(failure) if failure.is_stopped()));
    // Nor is its System built anew.
    assert!(matches!(System::build(&loaded), Err(RunFailure::Host { .. } | RunFailure::Engine(_))));
}

/// What reached each device: when, what, and for whom.
type Reached = Arc<Mutex<BTreeMap<usize, Vec<(Time, BlockRequest)>>>>;

struct Listener(Reached);

impl DeviceSink for Listener {
    fn visited(&mut self, Visit { device, request, arrived, .. }: &Visit) -> Result<(), ReportError> {
        self.0.lock().unwrap().entry(*device).or_default().push((*arrived, request.clone()));
        Ok(())
    }

    fn finish(&mut self) -> Result<(), ReportError> {
        Ok(())
    }
}

/// What reaches each of so many equal hosts' disks, all of whose daemons have work.
fn reached(hosts: usize) -> BTreeMap<usize, Vec<(Time, BlockRequest)>> {
    let mut text = "title = \"Equal hosts\"\n".to_owned();
    for number in 0..hosts {
        text.push_str(&format!(
            "[disk.d{number}]\nmodel = \"seagate-cheetah-9lp\"\nspindle = \"locked\"\n\
             [host.h{number}]\nmachine = \"poweredge-1850\"\nkernel = \"linux-2.6.24\"\n\
             [fs.f{number}]\ntype = \"ext3\"\nhost = \"h{number}\"\non = \"d{number}\"\n\
             scheduler = \"cfq\"\nsize = \"1 GiB\"\n"
        ));
    }
    text.push_str(
        "[workload.w]\nkind = \"files\"\non = \"f*\"\noperation = \"write\"\n\
         record = \"64 KiB\"\nfile_size = \"32 MiB\"\nfsync = { every = 40 }\n",
    );
    let loaded = read(&text).unwrap();
    let system = System::build(&loaded).unwrap();
    let (reached, mut sinks) = (Reached::default(), Sinks::default());
    sinks.push_device_log(Listener(Arc::clone(&reached)));
    simulate(&loaded, &system, sinks).unwrap();
    std::mem::take(&mut *reached.lock().unwrap())
}

/// The kernel threads of all hosts have the same process numbers: a scheduler serves one host's requests and never
/// sees another's.
#[test]
fn hosts_whose_daemons_have_the_same_numbers_are_never_confused() {
    let (alone, together) = (reached(1), reached(3));
    let asks = |process: u32| alone[&0].iter().any(|(_, request)| request.process == process);
    assert!(asks(u32::MAX - 2), "the journal has work");
    for number in 0..3 {
        let pairs = alone[&0].iter().zip(&together[&number]);
        for ((at, one), (then, other)) in pairs {
            assert_eq!(
                (at, one.direction, one.address, one.blocks),
                (then, other.direction, other.address, other.blocks)
            );
        }
        assert_eq!(alone[&0].len(), together[&number].len(), "host {number}");
    }
}
