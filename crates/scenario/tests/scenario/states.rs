//! Runs that are put aside and gone on from: as the whole would have gone on, and only where a state fits.

use super::common::{loaded, once};
use petrio_files::inputs::Inputs;
use petrio_kernel::Time;
use petrio_scenario::Claim;
use petrio_scenario::report::{Report, Served, Sinks};
use petrio_scenario::run::{Part, run_on, run_part};
use petrio_scenario::state::{SavedRun, StateError};
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

/// An OSD that has stopped when the state is taken, of data that are brought elsewhere afterwards.
const CEPH: &str = r#"
[disk.d]
model = "constant-rate"
count = 4
drive.blocks = "2000000 blocks"
drive.latency = "2 ms"
drive.rate = "100 MB/s"

[network.n]
link = { rate = "1 Gbit/s", latency = "5 us" }

[ceph.e]
on = "d*"
nodes = { network = "n" }
image = "64 MiB"
size = 2
recovery = { grace = "100 ms", down_out_interval = "900 ms" }
store = { prefer_deferred_size = "64 KiB", cache = "4 MiB" }
stops = [{ osd = 1, at = "800 ms" }]

[workload.w]
kind = "synthetic"
on = "e"
requests = 400
generators = [{ read_fraction = 0.4, inter_arrival = { exponential = { mean = "8 ms" } }, size = { uniform = { min = "2 KiB", max = "64 KiB" } } }]
"#;

/// A server of PVFS whose host is away when the state is taken.
const PVFS: &str = r#"
[network.lan]
link = { rate = "1 Gbit/s", latency = "5 us" }

[host.client]
count = 2
machine = "epyc-9005-2vcpu"
kernel = "linux-6.18"

[host.server]
count = 2
machine = "epyc-9005-2vcpu"
kernel = "linux-6.18"
disk.d = { model = "constant-rate", drive.latency = "1 ms", drive.rate = "1 GB/s" }
fs.data = { type = "ext4", on = "d" }

[pvfs.work]
version = "pvfs2"
clients = "client*"
servers = "server*/data"
failures = [{ server = 0, at = "100 ms", restored_after = "2 s" }]
retries = { client_time_out = "5 s", client_flow_time_out = "5 s" }

[workload.w]
kind = "files"
on = "client*/work"
operation = "write"
record = "256 KiB"
file_size = "32 MiB"
fsync = "at-end"

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
pub(crate) fn got(report: &Report) -> String {
    let Report { served, stages, traffic, firings, simulated_s, warm_up_s, .. } = report;
    let served = Served { workloads: Vec::new(), processes: Vec::new(), ..served.clone() };
    serde_json::to_string_pretty(&(served, stages, traffic, firings, simulated_s, warm_up_s)).unwrap()
}

#[test]
fn what_goes_on_from_a_state_is_the_whole_without_its_beginning() {
    for (text, millis) in
        [(MAIL, 700), (POISSON, 2_345), (ARRAY, 1_500), (XFS, 900), (CEPH, 1_100), (PVFS, 1_100)]
    {
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
