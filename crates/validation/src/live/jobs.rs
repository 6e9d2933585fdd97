//! A parallel program of BT-IO's pattern on one disk: its recording replayed, executed, and run for real on the disk emulated.
//!
//! The program is petrio's own (`crates/record/programs/bt_io.c`, the pattern of NPB 3.4's BT/MPI): four ranks on this machine write each
//! fifth step's solution, row by row (simple) or by collective calls (full). Each dump is made durable before the next step, which NPB's
//! isn't: else nearly all of its time would be memory's. It begins after a pause that is drawn, longer than a turn of the platters, which is no
//! I/O then (`super::spans`): a dump that began a moment after the one before would find the platters by how long computing took, and
//! an error of that moment would be one of whole turns. As of programs ([`super::programs`]) all begin cold, at several places of the disk,
//! and with the way to the emulated disk before the simulated one; what is compared is the I/O's part of the time, as the device's
//! requests show it. The recording is taken of the run on the emulated disk: its calls are the same, whatever they lie on.

use super::bed::{Bed, BedError};
use super::direct::{Way, begin_of_reads, reads_of_end};
use super::programs::{
    MOUNT_READS, PADS_KIB, PERCENT, ProgramsError, SIZE, Took, file, is_there, on_disk, processor, simulated,
    system,
};
use super::spans;
use crate::verdict::Judged;
use petrio_capture::launch::{self, Signal};
use petrio_files::temporary::TemporaryFolder;
use petrio_kernel::Time;
use petrio_live::emulation::{FileSystemKind, MountedDevice};
use serde::Serialize;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// The program.
const SOURCE: &str = include_str!("../../../record/programs/bt_io.c");
/// Points a side, and steps: forty dumps.
const POINTS: &str = "12";
const STEPS: &str = "200";
const RANKS: &str = "4";
/// What the program is called, and where its file lies.
const STATE: &str = "state";
/// How long a job may take.
const PATIENCE: Duration = Duration::from_secs(180);
/// What Open MPI needs of a root with more ranks than processors.
const SETTINGS: [(&str, &str); 4] = [
    ("OMPI_ALLOW_RUN_AS_ROOT", "1"),
    ("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"),
    ("OMPI_MCA_mpi_yield_when_idle", "1"),
    ("OMPI_MCA_rmaps_base_oversubscribe", "1"),
];
/// How the ranks write, and what is said of it.
const FORMS: [(&str, &str); 2] =
    [("simple-sync", "BT-IO, row by row"), ("full-sync", "BT-IO, by collective calls")];

/// A job, three ways.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct JobRow {
    /// How it writes.
    pub job: &'static str,
    /// The I/O's part of its time where the recording is replayed on the model, in ms: the mean.
    pub recorded_ms: f64,
    /// Where it is executed on the model.
    pub executed_ms: f64,
    /// On the emulated disk.
    pub emulated_ms: f64,
    /// During which share of the I/O's part the emulated disk had something to do.
    pub busy: f64,
    /// What the way to the emulated disk added to a request, in µs, and for each MiB of it.
    pub way_us: f64,
    /// Likewise.
    pub way_us_for_mib: f64,
    /// The I/O's part of each run, recorded, executed and emulated, in ms.
    pub runs_ms: Vec<[f64; 3]>,
    /// Whether the emulation was on time.
    pub on_time: bool,
}

impl JobRow {
    /// Both simulations by their bound.
    pub fn judged(&self) -> [Judged; 2] {
        let simulations = [("recorded and replayed", self.recorded_ms), ("executed", self.executed_ms)];
        simulations.map(|(how, simulated_ms)| {
            let what = format!(
                "{}: {simulated_ms:.0} ms of I/O {how}, {:.0} ms on the emulated disk, which was busy for {:.0} % of them{}",
                self.job,
                self.emulated_ms,
                self.busy * 100.0,
                super::void(self.on_time)
            );
            let error = (simulated_ms / self.emulated_ms - 1.0) * 100.0;
            Judged::percent(what, if self.on_time { error } else { f64::NAN }, PERCENT, None)
        })
    }

    fn of(job: &'static str, runs: &[Run]) -> Self {
        let mean = |of: &dyn Fn(&Run) -> f64| runs.iter().map(of).sum::<f64>() / runs.len().max(1) as f64;
        let emulated_ms = mean(&|run| run.io_ms[2]);
        let (late, requests) = (mean(&|run| run.late.0 as f64), mean(&|run| run.late.1 as f64));
        Self {
            job,
            recorded_ms: mean(&|run| run.io_ms[0]),
            executed_ms: mean(&|run| run.io_ms[1]),
            emulated_ms,
            busy: mean(&|run| run.busy_ms) / emulated_ms,
            way_us: mean(&|run| run.way.each.as_micros()),
            way_us_for_mib: mean(&|run| run.way.for_mib.as_micros()),
            runs_ms: runs.iter().map(|run| run.io_ms).collect(),
            on_time: late <= super::LATE * requests,
        }
    }
}

/// The same job three times.
struct Run {
    io_ms: [f64; 3],
    busy_ms: f64,
    way: Way,
    late: (u64, u64),
}

/// What isn't here of all that is needed.
pub fn why_not() -> Option<String> {
    let missing = ["mpicc", "mpirun", "objcopy", "taskset"].into_iter().find(|name| !is_there(name))?;
    Some(format!("{missing} isn't installed"))
}

/// Both forms on a drive of the catalogue.
///
/// # Errors
/// As of [`ProgramsError`].
pub fn compare(drive: &str, mut progress: impl FnMut(&str)) -> Result<Vec<JobRow>, ProgramsError> {
    let folder = TemporaryFolder::new().map_err(system("a temporary folder"))?;
    let [source, program] = ["bt_io.c", "bt_io"].map(|name| folder.path().join(name));
    fs::write(&source, SOURCE).map_err(system("the program's source"))?;
    let words = ["-O2".as_ref(), source.as_os_str(), "-lm".as_ref(), "-o".as_ref(), program.as_os_str()];
    super::program("mpicc", &words, &[0]).map_err(system("compile the program"))?;
    let mut rows = Vec::new();
    for (form, name) in FORMS {
        progress(name);
        let runs = PADS_KIB.map(|pad_kib| run(drive, (&program, form), pad_kib));
        let runs = runs.into_iter().collect::<Result<Vec<_>, ProgramsError>>()?;
        rows.push(JobRow::of(name, &runs));
    }
    Ok(rows)
}

fn run(drive: &str, job: (&Path, &str), pad_kib: u64) -> Result<Run, ProgramsError> {
    let measure = || {
        let folder = TemporaryFolder::new().map_err(system("a temporary folder"))?;
        emulated(drive, job, (folder.path(), pad_kib)).map(|(run, below)| (folder, run, below))
    };
    let (folder, mut run, below) = super::on_time(measure, |(_, run, _)| run.late)?;
    run.io_ms[0] = replayed(drive, (folder.path(), &below), run.way)?.io_ms;
    run.io_ms[1] = executed(drive, job, (folder.path(), pad_kib), run.way)?.io_ms;
    Ok(run)
}

/// petrio with these first words.
fn petrio(words: &[&OsStr]) -> Result<Command, ProgramsError> {
    let program = launch::program().ok_or(BedError::NoProgram)?;
    let mut command = launch::command(program, Signal::TERM);
    command.args(words).envs(SETTINGS);
    Ok(command)
}

/// The job behind petrio's words, started by these.
fn job(mut petrio: Command, starts: &[&str], (program, form): (&Path, &str), state: &Path) -> Command {
    petrio.arg("--").args(starts).args(["mpirun", "-np", RANKS]);
    petrio.arg(program).args([POINTS, STEPS, form]).arg(state);
    petrio
}

/// Runs it to its end, which must come and be a good one.
fn ends(mut command: Command, what: &str, told: &Path) -> Result<(), ProgramsError> {
    let failed = || system(what.to_owned());
    let output = fs::File::create(told).and_then(|file| Ok((file.try_clone()?, file))).map_err(failed())?;
    command.stdin(Stdio::null()).stdout(output.0).stderr(output.1);
    let mut child = command.spawn().map_err(failed())?;
    let begin = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().map_err(failed())? {
            break status;
        }
        if begin.elapsed() > PATIENCE {
            let _ = child.kill();
            let _ = child.wait();
            let words = format!("it hasn't ended after {} s", PATIENCE.as_secs());
            return Err(failed()(io::Error::other(words)));
        }
        std::thread::sleep(Duration::from_millis(20));
    };
    if status.success() {
        return Ok(());
    }
    Err(failed()(io::Error::other(fs::read_to_string(told).unwrap_or_default())))
}

/// For real, and recorded meanwhile; and below which directory its file lies.
fn emulated(
    drive: &str,
    (program, form): (&Path, &str),
    (folder, pad_kib): (&Path, u64),
) -> Result<(Run, String), ProgramsError> {
    let prepare = |image: &Path| {
        super::make_ext3(image)?;
        let folder = TemporaryFolder::new()?;
        let mounted = MountedDevice::on(image, folder.path(), (FileSystemKind::Ext3, None));
        file(&mounted.map_err(io::Error::other)?.directory().join("pad"), pad_kib << 10)
    };
    let bed = Bed::start(&super::disk(drive, SIZE), ("d", SIZE.get()), prepare)?;
    let place = TemporaryFolder::new().map_err(system("a temporary folder"))?;
    let mounted = MountedDevice::on(bed.file(), place.path(), (FileSystemKind::Ext3, None))?;
    std::thread::sleep(MOUNT_READS);
    let state = mounted.directory().join(STATE);
    let recording = folder.join("recording");
    let words = ["record".as_ref(), "--out".as_ref(), recording.as_os_str()];
    // As programs, on one processor: two have their own rooms for a file's blocks.
    let starts = ["taskset", "--cpu-list", &processor()];
    let command = job(petrio(&words)?, &starts, (program, form), &state);
    let begin = Instant::now();
    ends(command, "the job on the emulated disk", &folder.join("told"))?;
    let took = Time::from_seconds(begin.elapsed().as_secs_f64());
    let reads = reads_of_end(mounted.device().path(), SIZE.get()).map_err(system("read the device"))?;
    let below = mounted.directory().display().to_string();
    drop(mounted);
    let (emulated, served) = bed.end_with_requests()?;
    let end = begin_of_reads(&served, SIZE.get());
    let (spans, within) = (spans::of(&served), (end.saturating_sub(took), end));
    let run = Run {
        io_ms: [f64::NAN, f64::NAN, spans::io_part(&spans, within).as_millis()],
        busy_ms: spans::busy(&spans, within).as_millis(),
        way: Way::of(&reads, &served, SIZE.get()),
        late: (emulated.late, emulated.requests),
    };
    Ok((run, below))
}

/// What was recorded, on the model.
fn replayed(drive: &str, (folder, below): (&Path, &str), way: Way) -> Result<Took, ProgramsError> {
    let [scenario, report, log] = ["r.toml", "r.json", "r.csv"].map(|name| folder.join(name));
    let workload = format!(
        "[mpi.m]\nhosts = [\"h\"]\n[workload.w]\nkind = \"recording\"\non = \"f\"\nrecording = \"recording\"\nbelow = [{below:?}]\n"
    );
    fs::write(&scenario, on_disk(drive, way) + &workload).map_err(system("the scenario"))?;
    let words = ["run".as_ref(), scenario.as_os_str(), "--json".as_ref(), report.as_os_str()];
    let mut command = petrio(&words)?;
    command.args(["--device-log".as_ref(), log.as_os_str()]);
    ends(command, "the recording, replayed", &folder.join("told"))?;
    simulated(&report, &log)
}

fn executed(
    drive: &str,
    (program, form): (&Path, &str),
    (folder, pad_kib): (&Path, u64),
    way: Way,
) -> Result<Took, ProgramsError> {
    let [scenario, report, log, work] = ["x.toml", "x.json", "x.csv", "work"].map(|name| folder.join(name));
    fs::write(&scenario, on_disk(drive, way)).map_err(system("the scenario"))?;
    let prepared = fs::create_dir(&work).and_then(|()| file(&work.join("pad"), pad_kib << 10));
    prepared.map_err(system("what the job needs"))?;
    let words = ["exec".as_ref(), scenario.as_os_str(), "--json".as_ref(), report.as_os_str()];
    let log_words = ["--device-log".as_ref(), log.as_os_str()];
    let words = [&words[..], &log_words].concat();
    let mut command = job(petrio(&words)?, &[], (program, form), Path::new(STATE));
    command.current_dir(&work);
    ends(command, "the job, executed", &folder.join("told"))?;
    simulated(&report, &log)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_row_is_the_mean_of_its_runs_and_each_simulation_is_judged_apart() {
        let run = |io_ms, late| Run { io_ms, busy_ms: 80.0, way: Way::default(), late: (late, 100) };
        let row = JobRow::of("j", &[run([100.0, 90.0, 95.0], 0), run([110.0, 100.0, 105.0], 2)]);
        assert_eq!((row.recorded_ms, row.executed_ms, row.emulated_ms), (105.0, 95.0, 100.0));
        assert!((row.busy - 0.8).abs() < 1e-9 && row.on_time);
        let [recorded, executed] = row.judged().map(|judged| judged.line());
        assert!(recorded.contains("+5.0 %") && executed.contains("-5.0 %"), "{recorded} {executed}");
        let late = JobRow::of("j", &[run([1.0; 3], 3)]);
        assert!(late.judged().iter().all(|judged| judged.line().contains("void")));
    }

    #[test]
    fn a_job_that_fails_says_what_it_said() {
        let folder = TemporaryFolder::new().unwrap();
        let mut command = Command::new("sh");
        command.args(["-c", "echo why it failed; exit 3"]);
        let told = ends(command, "the job", &folder.path().join("told")).unwrap_err().to_string();
        assert!(told.contains("the job") && told.contains("why it failed"), "{told}");
    }
}
