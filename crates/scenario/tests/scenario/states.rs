//! Runs that are put aside and gone on from: as the whole would have gone on, and only where a state fits.

use super::common::{loaded, once, once_of};
use petrio_colours::Direction;
use petrio_files::inputs::Inputs;
use petrio_kernel::{Time, Watch};
use petrio_scenario::report::{Report, Served, Sinks};
use petrio_scenario::run::{Part, RunFailure, run_on, run_part};
use petrio_scenario::state::{SavedRun, StateError};
use petrio_scenario::{Claim, Loaded, load_on};
use petrio_trace::event::{Event, EventKind, Extent, FileKey};
use petrio_trace::native::About;
use petrio_trace::write::{OutputFormat, TraceWriter};
use std::path::Path;
use std::sync::OnceLock;

/// What is held here: claims of runs that go on from a state.
pub(crate) const CLAIMS: [Claim; 2] = [Claim::OtherSpeeds, Claim::NotFromHere];

const MAIL: &str = r#"
[disk.d]
model = "seagate-cheetah-9lp"

[host.h]
machine = "poweredge-1850"
kernel = "linux-2.6.24"

[fs.data]
type = "ext3"
on = "d"

[workload.w]
kind = "script"
on = "data"
script = "repeat 200 { create m; write m 0 8 KiB; fsync m; read m 0 8 KiB; close m; unlink m }"
"#;

const POISSON: &str = r#"
[disk.d]
model = "seagate-cheetah-9lp"
scheduler = "sptf"

[workload.users]
kind = "synthetic"
on = "d"

[[workload.users.generators]]
read_fraction = 0.6
inter_arrival = { exponential = { mean = "12 ms" } }
size = { uniform = { min = "2 KiB", max = "32 KiB" } }

[measure]
stop = { requests = 500 }
"#;

const ARRAY: &str = r#"
[disk.d]
model = "seagate-cheetah-9lp"
count = 5

[raid.r]
level = 5
on = "d*"

[host.h]
machine = "poweredge-1850"
kernel = "linux-2.6.24"
memory = "64 MiB"

[fs.data]
type = "ext3"
on = "r"

[workload.reads]
kind = "files"
on = "data"
pattern = "random"
operation = "read"
record = "16 KiB"
file_size = "48 MiB"
operations = 600
processes = 3

[workload.writes]
kind = "files"
on = "data"
operation = "write"
record = "64 KiB"
file_size = "24 MiB"

"#;

const XFS: &str = r#"
[disk.d]
model = "seagate-cheetah-9lp"

[host.h]
machine = "epyc-9005-2vcpu"
kernel = "linux-6.18"

[fs.data]
type = "xfs"
on = "d"
size = "1 GiB"

[workload.w]
kind = "script"
on = "data"
script = "repeat 200 { create m; write m 0 8 KiB; fsync m; close m; unlink m }"
"#;

fn ends_at(text: &str, until: Time) -> SavedRun {
    let saved = OnceLock::new();
    let part = Part { until: Some(until), saves: Some(&saved), ..Part::default() };
    run_part(&loaded(text), Sinks::default(), part).unwrap();
    saved.into_inner().unwrap()
}

fn goes_on(text: &str, from: &SavedRun) -> Report {
    run_part(&loaded(text), Sinks::default(), Part { from: Some(from), ..Part::default() }).unwrap()
}

/// What a run got, as the report has it, but for rates of single workloads and processes: these count from the first thing that they ask
/// for in the part.
fn got(report: &Report) -> String {
    let Report { served, stages, traffic, firings, simulated_s, warm_up_s, .. } = report;
    let served = Served { workloads: Vec::new(), processes: Vec::new(), ..served.clone() };
    serde_json::to_string_pretty(&(served, stages, traffic, firings, simulated_s, warm_up_s)).unwrap()
}

#[test]
fn what_goes_on_from_a_state_is_the_whole_without_its_beginning() {
    for (text, millis) in [(MAIL, 700), (POISSON, 2_345), (ARRAY, 1_500), (XFS, 900)] {
        let at = Time::from_millis(millis);
        let measure = if text.contains("[measure]") { "" } else { "[measure]\n" };
        let warm = once(&format!("{text}{measure}warm_up = \"{millis} ms\"\n"));
        assert!(warm.simulated_s > at.as_seconds() + 0.5, "{}", warm.simulated_s);
        let file = tempfile::tempdir().unwrap();
        let file = file.path().join("warm.state");
        let saved = ends_at(text, at);
        assert_eq!(saved.at(), at);
        saved.write(&file, &Inputs::none()).unwrap();
        let on = goes_on(text, &SavedRun::read(&Inputs::here(), &file).unwrap());
        let differs = got(&on)
            .lines()
            .zip(got(&warm).lines())
            .find(|(on, warm)| on != warm)
            .map(|(on, warm)| format!("{on} {warm}"));
        assert_eq!(differs, None, "{text}");
        assert_eq!(got(&on), got(&warm), "{text}");
        assert_eq!(on.warm_up_s, at.as_seconds());
    }
}

#[test]
fn other_seeds_and_replications_share_one_warmed_state() {
    let saved = ends_at(POISSON, Time::from_millis(2_000));
    let [same, again, other] = [1, 1, 2].map(|seed| goes_on(&format!("seed = {seed}\n{POISSON}"), &saved));
    assert_eq!(got(&same), got(&again));
    assert_ne!(got(&same), got(&other));
    // What was under way is the same in both; what comes is drawn anew.
    let mean = |report: &Report| report.served.latency.as_ref().unwrap().mean_ms.value;
    assert!((mean(&same) / mean(&other) - 1.0).abs() < 0.3, "{} {}", mean(&same), mean(&other));
    let many = goes_on(&POISSON.replace("[measure]", "[measure]\nreplications = 4"), &saved);
    assert_eq!(many.replications, 4);
    assert!(many.served.latency.unwrap().mean_ms.half_width.unwrap() > 0.0);
}

#[test]
fn a_state_of_a_state_is_one() {
    let first = ends_at(MAIL, Time::from_millis(300));
    let saved = OnceLock::new();
    let part = Part {
        from: Some(&first),
        until: Some(Time::from_millis(700)),
        saves: Some(&saved),
        ..Part::default()
    };
    run_part(&loaded(MAIL), Sinks::default(), part).unwrap();
    let second = saved.into_inner().unwrap();
    assert_eq!(got(&goes_on(MAIL, &second)), got(&goes_on(MAIL, &ends_at(MAIL, Time::from_millis(700)))));
}

fn refused(text: &str, from: &SavedRun, until: Option<Time>) -> String {
    let part = Part { from: Some(from), until, ..Part::default() };
    run_part(&loaded(text), Sinks::default(), part).unwrap_err().to_string()
}

#[test]
fn a_state_fits_its_own_system_only() {
    let saved = ends_at(MAIL, Time::from_millis(300));
    let other = MAIL.replace("cheetah-9lp", "barracuda-7200.7");
    let other = if petrio_scenario::load_text("t", &other, None, &[]).is_ok() {
        other
    } else {
        MAIL.replace("linux-2.6.24", "linux-6.18")
    };
    let message = refused(&other, &saved, None);
    assert!(
        message.starts_with("the state is of another System: ") && message.contains(" was \""),
        "{message}"
    );
    let message = refused(MAIL, &saved, Some(Time::from_millis(300)));
    assert_eq!(message, "the state is of 300.000 ms, and the run would end at 300.000 ms");
    // What is measured, the title and the seed are free.
    let free = format!("title = \"another\"\nseed = 9\n{MAIL}[measure]\nstages = \"all\"\n");
    assert!(saved.differences(&loaded(&free)).is_empty());
}

#[test]
fn a_damaged_state_is_refused_wherever_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("warm.state");
    ends_at(MAIL, Time::from_millis(300)).write(&file, &Inputs::none()).unwrap();
    let whole = std::fs::read(&file).unwrap();
    let read = |bytes: &[u8]| {
        std::fs::write(&file, bytes).unwrap();
        SavedRun::read(&Inputs::here(), &file)
    };
    for at in (0..whole.len()).step_by(1 + whole.len() / 97) {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x55;
        assert!(read(&bytes).is_err(), "byte {at} of {} doesn't matter", whole.len());
        assert!(read(&whole[..at]).is_err(), "cut off at {at}");
    }
    let text = String::from_utf8_lossy(&whole[..40]).into_owned();
    let older = [b"petrio state\n{\"format\":0,".as_slice(), &whole[text.find(',').unwrap() + 1..]].concat();
    assert!(matches!(read(&older), Err(StateError::Version { format: 0, .. })), "{text}");
    assert!(matches!(read(b"[disk.d]"), Err(StateError::NoState { .. })));
}

/// A host with a parallel program on four ranks.
fn parallel(program: &str) -> String {
    format!(
        r#"
[disk.d]
model = "seagate-cheetah-9lp"

[host.h]
machine = "poweredge-1850"
kernel = "linux-2.6.24"

[fs.data]
type = "ext3"
on = "d"

[workload.p]
kind = "parallel"
on = "data"
ranks = 4
program = {program}
"#
    )
}

#[test]
fn parallel_programs_under_way_go_on_in_whatever_they_are() {
    let programs = [
        r#"{ kind = "ior", command = "ior -t 64k -b 1m -s 3 -C -e -i 2" }"#,
        r#"{ kind = "ior", command = "ior -a MPIIO -t 64k -b 1m -w -r -z -F -D 1" }"#,
        r#"{ kind = "ior", command = "ior -a MPIIO -c -t 64k -b 512k -s 2" }"#,
        r#"{ kind = "mdtest", command = "mdtest -n 12 -d /x -u -z 1 -b 2 -w 4096 -e 4096" }"#,
        r#"{ kind = "bt-io", class = "S", subtype = "full" }"#,
        r#"{ kind = "bt-io", class = "S", subtype = "simple" }"#,
        r#"{ kind = "bt-io", class = "S", subtype = "fortran" }"#,
        r#"{ kind = "bt-io", class = "S", subtype = "epio" }"#,
        r#"{ kind = "checkpoint", state = "1 MiB", transfer = "64 KiB", checkpoints = 3, interval = "200 ms", layout = "n-1-ordered" }"#,
        r#"{ kind = "checkpoint", state = "1 MiB", transfer = "64 KiB", layout = "n-1-strided", collective = true, restart = true }"#,
        concat!(
            r#"{ kind = "mpi-io", view = [{ bytes = "4 KiB" }, { vector = { count = 40, block = 1, "#,
            r#"stride = 4 } }], rank_displacement = "4 KiB", accesses = 3, operation = "write-then-read" }"#,
        ),
        r#"{ kind = "mpi-io", view = [{ bytes = "4 KiB" }], accesses = 30, access = "shared" }"#,
        r#"{ kind = "seis", data = "2 MB" }"#,
        r#"{ kind = "io500", ior_easy_block = "4 MiB", ior_hard_segments = 3, mdtest_easy_files = 5, mdtest_hard_files = 5 }"#,
        concat!(
            r#"{ kind = "training", model = "unet3d", readers = 1, files = 16, samples_per_file = 4, batch = 4, sample = "16 KiB", "#,
            r#"step_time = "20 ms", gradients = "1 MiB" }"#,
        ),
        concat!(
            r#"{ kind = "steps", steps = [{ repeat = { times = 5, measure = "turn", "#,
            r#"steps = [{ compute = "30 ms" }, { shift = { by = 1, bytes = "1 MiB" } }, { write = { file = "f", "#,
            r#"bytes = "256 KiB", transfer = "64 KiB" } }, "barrier"] } }] }"#,
        ),
    ];
    for program in programs {
        let text = parallel(program);
        let whole = once(&text);
        for part in [0.1, 0.43, 0.71] {
            let micros = (whole.simulated_s * part * 1e6) as u64;
            let at = Time::from_micros(micros);
            let warm = once(&format!("{text}[measure]\nwarm_up = \"{micros} us\"\n"));
            let file = tempfile::tempdir().unwrap();
            let file = file.path().join("warm.state");
            ends_at(&text, at).write(&file, &Inputs::none()).unwrap();
            let on = goes_on(&text, &SavedRun::read(&Inputs::here(), &file).unwrap());
            assert_eq!(got(&on), got(&warm), "{part} of {program}");
            // What its programs measure of themselves is of the whole.
            let phases = |report: &Report| serde_json::to_string_pretty(&report.jobs[0].phases).unwrap();
            assert_eq!(phases(&on), phases(&whole), "{part} of {program}");
        }
    }
}

/// Requests of two processes to a disk, or calls of theirs on files.
fn events(count: u64, of_files: bool, seed: u64) -> Vec<Event> {
    let event = |number: u64| {
        let time = Time::from_micros(number * 9_000 + number * number % 4_001 + seed);
        let place = (number * 7_919 + seed) % 4_000;
        let process = 10 + (number % 2) as u32;
        if of_files {
            let file = FileKey { device: 1, inode: 1 + number * number % 7, generation: 0 };
            let kind = if number.is_multiple_of(3) { EventKind::Write } else { EventKind::Read };
            // Files that come late, and one that is made.
            let file = if number > count / 2 { FileKey { inode: 20 + number % 5, ..file } } else { file };
            let event =
                Event { process, file, offset: Some(place * 4096), length: 4096, ..Event::new(time, kind) };
            return Event { service: Some(Time::from_micros(300)), ..event };
        }
        let direction = if number.is_multiple_of(3) { Direction::Write } else { Direction::Read };
        let mut event =
            Event { process, direction: Some(direction), length: 8192, ..Event::new(time, EventKind::Queue) };
        event.extents.push(Extent { device: 0, address: place * 1_000, blocks: 16, hit: false });
        Event { service: Some(Time::from_millis(4)), synchronous: direction == Direction::Read, ..event }
    };
    (0..count).map(event).collect()
}

fn write(path: &Path, format: OutputFormat, events: &[Event]) {
    let _ = std::fs::remove_file(path);
    let mut to = TraceWriter::create(path, &Inputs::none(), format, &About::default()).unwrap();
    events.iter().for_each(|event| to.push(event).unwrap());
    to.finish().unwrap();
}

/// A scenario in a folder, to go on from a state.
fn on(folder: &Path, from: Option<&SavedRun>) -> Loaded {
    load_on(&Inputs::here(), &folder.join("scenario.toml"), &[], &Watch::default(), from).unwrap()
}

fn part_of(loaded: &Loaded, from: Option<&SavedRun>) -> Result<Report, RunFailure> {
    run_part(loaded, Sinks::default(), Part { from, ..Part::default() })
}

/// What a state of traces of a format does with them as a whole, with what is left of them, and with what is left of too little.
fn of_traces(workload: &str, names: &[&str], format: OutputFormat, of_files: bool) -> Result<(), String> {
    const COUNT: u64 = 400;
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let host = "[host.h]\nmachine = \"poweredge-1850\"\nkernel = \"linux-2.6.24\"\n[fs.data]\ntype = \"ext3\"\non = \"d\"\n";
    let host = if of_files { host } else { "" };
    let text = format!("[disk.d]\nmodel = \"seagate-cheetah-9lp\"\n{host}[workload.t]\n{workload}\n");
    let scenario =
        |more: &str| std::fs::write(folder.join("scenario.toml"), format!("{text}{more}")).unwrap();
    let traces: Vec<Vec<Event>> =
        (0..names.len() as u64).map(|seed| events(COUNT, of_files, seed * 1_234)).collect();
    let all = |from: usize| {
        names
            .iter()
            .zip(&traces)
            .for_each(|(name, events)| write(&folder.join(name), format, &events[from..]));
    };
    all(0);
    let at = Time::from_millis(2_000);
    scenario("[measure]\nwarm_up = \"2000 ms\"\n");
    let warm = got(&once_of(&on(folder, None)));
    scenario("");
    let saved = OnceLock::new();
    let part = Part { until: Some(at), saves: Some(&saved), ..Part::default() };
    run_part(&on(folder, None), Sinks::default(), part).unwrap();
    let file = folder.join("warm.state");
    saved.get().unwrap().write(&file, &Inputs::none()).unwrap();
    let saved = SavedRun::read(&Inputs::here(), &file).unwrap();
    let whole = part_of(&on(folder, Some(&saved)), Some(&saved)).unwrap();
    assert_eq!(got(&whole), warm, "{format:?}, whole: {workload}");

    // Some of what was read is gone: of the slowest replay all but a few records.
    let before = traces[0].iter().filter(|event| event.time < at).count();
    assert!(before > 150);
    for cut in [40, 100] {
        all(cut);
        let rest = part_of(&on(folder, Some(&saved)), Some(&saved)).map_err(|failure| failure.to_string())?;
        assert_eq!(got(&rest), warm, "{format:?} without {cut}: {workload}");
    }
    // One that is missing in the middle, and one of something else.
    all(before + 60);
    let message = part_of(&on(folder, Some(&saved)), Some(&saved)).unwrap_err().to_string();
    assert!(message.contains("is neither the one that was read nor what is left of it"), "{message}");
    let other = events(COUNT, of_files, 77);
    names.iter().for_each(|name| write(&folder.join(name), format, &other));
    let message = part_of(&on(folder, Some(&saved)), Some(&saved)).unwrap_err().to_string();
    assert!(message.contains("is neither the one that was read nor what is left of it"), "{message}");
    Ok(())
}

#[test]
fn a_state_of_a_block_trace_goes_on_with_the_whole_and_with_what_is_left_of_it() {
    for replay in ["open", "closed"] {
        for format in [OutputFormat::Petrio, OutputFormat::Native, OutputFormat::OracleGeneral] {
            let one = format!("kind = \"trace\"\non = \"d\"\nfiles = [\"a\"]\nreplay = \"{replay}\"");
            of_traces(&one, &["a"], format, false).unwrap_or_else(|why| panic!("{format:?} {replay}: {why}"));
            let two = one.replace("[\"a\"]", "[\"a\", \"b\"]");
            of_traces(&two, &["a", "b"], format, false)
                .unwrap_or_else(|why| panic!("{format:?} {replay}, two: {why}"));
        }
    }
}

#[test]
fn a_state_of_a_trace_of_files_holds_what_it_found_in_it() {
    for replay in ["open", "closed"] {
        for format in [OutputFormat::EventsCsv, OutputFormat::Native] {
            let workload = format!("kind = \"events\"\non = \"data\"\nfile = \"a\"\nreplay = \"{replay}\"");
            of_traces(&workload, &["a"], format, true).unwrap();
        }
    }
}

#[test]
fn of_a_format_whose_records_need_those_before_nothing_is_cut_off() {
    let workload = "kind = \"trace\"\non = \"d\"\nfiles = [\"a\"]";
    let message = of_traces(workload, &["a"], OutputFormat::Blkparse, false).unwrap_err();
    assert!(message.contains("the whole is needed"), "{message}");
}

#[test]
fn a_state_rests_on_what_is_in_the_files_of_its_scenario() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let host = "[host.h]\nmachine = \"poweredge-1850\"\nkernel = \"linux-2.6.24\"\n[fs.data]\ntype = \"ext3\"\non = \"d\"\n";
    let text = format!(
        "[disk.d]\nmodel = \"seagate-cheetah-9lp\"\n{host}[workload.w]\nkind = \"file-trace\"\non = \"data\"\nfile = \"asked.csv\"\n"
    );
    let asked = |last: u32| {
        let line = |number: u32| format!("{},4096,read\n", number % 50 * 8192 * last);
        let lines: String = (0..200).map(line).collect();
        std::fs::write(folder.join("asked.csv"), format!("offset_bytes,length_bytes,operation\n{lines}"))
            .unwrap();
    };
    asked(1);
    std::fs::write(folder.join("scenario.toml"), &text).unwrap();
    let saved = OnceLock::new();
    let until = Some(Time::from_millis(100));
    let part = Part { until, saves: Some(&saved), ..Part::default() };
    run_part(&on(folder, None), Sinks::default(), part).unwrap();
    let saved = saved.get().unwrap();
    // Words about it are no part of it.
    std::fs::write(folder.join("scenario.toml"), format!("# warm\n{text}")).unwrap();
    part_of(&on(folder, Some(saved)), Some(saved)).unwrap();
    asked(2);
    let message = part_of(&on(folder, Some(saved)), Some(saved)).unwrap_err().to_string();
    assert_eq!(message, "the state is of another System: what is in asked.csv was something else");
}

/// A drive at half of its speed, in a System that is the same in everything else.
fn slower(text: &str) -> String {
    text.replace(
        "model = \"seagate-cheetah-9lp\"",
        "model = \"seagate-cheetah-9lp\"\ndrive = { mechanics = { rotation = \"5000 rpm\" } }",
    )
}

#[test]
fn another_speed_goes_on_from_the_same_state() {
    let (slower, until) = (slower(POISSON), Time::from_millis(2_000));
    let saved = ends_at(POISSON, until);
    let [own, other, whole] = [goes_on(POISSON, &saved), goes_on(&slower, &saved), once(&slower)];
    let mean = |report: &Report| report.served.latency.as_ref().unwrap().mean_ms.value;
    assert!(mean(&other) > 1.3 * mean(&own), "{} {}", mean(&other), mean(&own));
    assert!((mean(&other) / mean(&whole) - 1.0).abs() < 0.3, "{} {}", mean(&other), mean(&whole));
    let told = other.warnings.iter().find(|said| said.claim == Claim::OtherSpeeds).unwrap();
    assert!(
        told.contains("until 2.000 s it ran with other speeds (disk.d.drive.mechanics.rotation was "),
        "{told}"
    );
    assert!(own.warnings.iter().all(|said| said.claim != Claim::OtherSpeeds));
}

#[test]
fn with_another_speed_from_the_first_instant_on_it_is_the_run_with_that_speed() {
    let slower = slower(POISSON);
    let at = Time::from_picos(1);
    let on = goes_on(&slower, &ends_at(POISSON, at));
    let whole = once(&slower.replace("[measure]", "[measure]\nwarm_up = \"1 ns\""));
    let of = |report: &Report| {
        serde_json::to_string(&(&report.served.latency, report.firings, report.simulated_s)).unwrap()
    };
    assert_eq!(of(&on), of(&whole));
}

#[test]
fn what_would_change_it_is_asked_from_the_state_on() {
    let saved = ends_at(ARRAY, Time::from_millis(1_500));
    let report = run_on(&loaded(ARRAY), Sinks::default(), (&saved, false), |_| ()).unwrap();
    let asked = report.bottleneck.unwrap();
    let what_if = asked.what_if.unwrap();
    assert!(what_if.gain > 1.1, "{what_if:?}");
    // Each experiment goes on from there: the figure before is that of the part.
    let own = report.served.throughput_bytes_per_s.value.max(report.served.requests_per_s.value);
    assert!(own > 0.0 && what_if.before > 0.0);
    let told = report.warnings.iter().find(|said| said.claim == Claim::NotFromHere).unwrap();
    assert!(told.contains("twice the memory"), "{told}");
    // It is what somebody finds who makes the change and goes on from the same state.
    let set: Vec<_> = what_if.set.iter().map(|set| set.parse().unwrap()).collect();
    let changed = petrio_scenario::load_text("t", ARRAY, None, &set).unwrap();
    let with = run_part(&changed, Sinks::default(), Part { from: Some(&saved), ..Part::default() }).unwrap();
    let without = goes_on(ARRAY, &saved);
    let gain = (without.simulated_s - 1.5) / (with.simulated_s - 1.5);
    assert!(gain > 1.0, "{gain} of {}", what_if.gain);
}
