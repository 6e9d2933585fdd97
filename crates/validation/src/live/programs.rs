//! Programs executed on a simulated disk beside the same programs run for real on the disk emulated.
//!
//! Both begin cold: files are made on the image before the disk is emulated, whose cache is then empty, and its file system is mounted anew, with
//! what the kernel reads soon after a mount (`MOUNT_READS`) done. Computing is part of both, for it isn't added to a drive's time: platters
//! turn meanwhile. So is the way to the disk, which is measured (`direct`) and put before the simulated one.

use super::bed::{Bed, BedError};
use super::direct::{Way, begin_of_reads, reads_of_end};
use super::spans;
use crate::verdict::Judged;
use petrio_capture::launch::{self, Signal};
use petrio_files::temporary::TemporaryFolder;
use petrio_kernel::Time;
use petrio_live::emulation::{FileSystemKind, MountedDevice};
use petrio_live::rig::RigError;
use petrio_units::Bytes;
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
use serde::Serialize;
use serde_json::Value;
use std::fs;
use std::io;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use thiserror::Error;

/// The volume.
pub(super) const SIZE: Bytes = Bytes::from_mib(1_024);
/// By how much times may differ.
pub(super) const PERCENT: f64 = 5.0;
/// How long after a mount the kernel may read block bitmaps that nobody has asked for yet (EXT4_DEF_LI_MAX_START_DELAY, 5 s, of
/// fs/ext4/ext4.h, and the reads).
pub(super) const MOUNT_READS: Duration = Duration::from_millis(5_500);

/// A file of these sizes lies before those of a program, which is run once with each: how its files lie to the journal, by which platters
/// stand between one request and the next, is chance.
pub(super) const PADS_KIB: [u64; 5] = [4, 148, 292, 388, 484];

/// A program, run by a shell in a directory with what it needs.
struct Case {
    name: &'static str,
    /// What has to be installed.
    needs: &'static str,
    prepare: fn(&Path) -> io::Result<()>,
    script: &'static str,
}

impl Case {
    fn prepare(&self, directory: &Path, pad_kib: u64) -> io::Result<()> {
        file(&directory.join("pad"), pad_kib << 10)?;
        (self.prepare)(directory)
    }
}

/// Files that are read must not be guessed: bytes of a small generator.
pub(super) fn file(path: &Path, bytes: u64) -> io::Result<()> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64 ^ bytes;
    let words = (0..bytes.div_ceil(8)).flat_map(|_| {
        state = petrio_random::mix(state);
        state.to_le_bytes()
    });
    fs::write(path, words.collect::<Vec<u8>>())
}

const CASES: [Case; 7] = [
    Case {
        name: "dd, 80 synchronous appends",
        needs: "dd",
        prepare: |_| Ok(()),
        // A pause before each, longer than a turn of the platters: each finds them anywhere, however long the one before computed. In a row
        // each would begin where the one before ended, and all of them be chance once.
        script: "for i in $(seq 80); do sleep 0.01$(printf %04d $((i * 7919 % 8334))); \
                 dd if=/dev/zero of=f bs=4k count=1 oflag=dsync,append conv=notrunc status=none; done",
    },
    Case {
        name: "SQLite, 60 transactions",
        needs: "sqlite3",
        prepare: |_| Ok(()),
        // A pause before each, as above.
        script: "(echo 'create table t(i integer primary key, v text);'; for i in $(seq 60); do \
                 echo \".system sleep 0.01$(printf %04d $((i * 7919 % 8334)))\"; echo \"insert into t(v) values('row $i');\"; \
                 done) | sqlite3 a.db",
    },
    // By name: the order in which a directory tells of its files follows a number that mkfs draws. They are made in the same order, for an
    // executed program's files are laid out as it finds them. In the root: in which group another directory lies follows that number, too.
    Case {
        name: "tar, 150 files of 64 KiB into one",
        needs: "tar",
        prepare: |directory| {
            (0..150).try_for_each(|number| file(&directory.join(format!("{number:03}")), 64 << 10))
        },
        script: "tar -cf a.tar [01]?? && sync a.tar",
    },
    Case {
        name: "fio, 200 random reads of 4 KiB",
        needs: "fio",
        prepare: |directory| file(&directory.join("data"), 64 << 20),
        script: "fio --name=j --filename=data --rw=randread --bs=4k --size=64m --number_ios=200 --ioengine=psync --direct=1 --invalidate=0 \
                 --randseed=7 --output=/dev/null",
    },
    // What iozone does, which Debian hasn't: write, write again, read, each to its end, with fsync; and at random.
    Case {
        name: "fio, as iozone writes and rewrites: 32 MiB by 64 KiB, fsync at the end",
        needs: "fio",
        prepare: |_| Ok(()),
        script: "fio --name=write --filename=f --rw=write --bs=64k --size=32m --ioengine=psync --end_fsync=1 --fallocate=none \
                 --name=rewrite --stonewall --filename=f --rw=write --bs=64k --size=32m --ioengine=psync --end_fsync=1 --overwrite=1 \
                 --output=/dev/null",
    },
    Case {
        name: "fio, as iozone reads: 96 MiB in order by 64 KiB",
        needs: "fio",
        prepare: |directory| file(&directory.join("f"), 96 << 20),
        script: "fio --name=read --filename=f --rw=read --bs=64k --size=96m --ioengine=psync --invalidate=0 --output=/dev/null",
    },
    Case {
        name: "fio, as iozone writes at random: 64 of 16 KiB, fsync after each fourth",
        needs: "fio",
        prepare: |directory| file(&directory.join("f"), 32 << 20),
        script: "fio --name=write --filename=f --rw=randwrite --bs=16k --size=32m --number_ios=64 --ioengine=psync --fsync=4 --invalidate=0 \
                 --randseed=7 --output=/dev/null",
    },
];

/// A program, simulated and real.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ProgramRow {
    /// Which program.
    pub program: &'static str,
    /// Executed on the simulated disk, in ms: the mean.
    pub executed_ms: f64,
    /// On the emulated disk, in ms: the mean.
    pub emulated_ms: f64,
    /// The I/O's part of that: without what was longer than a turn without a request, in ms.
    pub executed_io_ms: f64,
    /// The same on the emulated disk.
    pub emulated_io_ms: f64,
    /// The I/O's part executed over that emulated, less one, per cent.
    pub error_percent: f64,
    /// During which share of that the emulated disk had something to do.
    pub busy: f64,
    /// What the way to the emulated disk added to a request, in µs, and for each MiB of it.
    pub way_us: f64,
    /// Likewise.
    pub way_us_for_mib: f64,
    /// How long the I/O of each run took, executed and emulated, in ms.
    pub runs_ms: Vec<(f64, f64)>,
    /// Whether the emulation was on time.
    pub on_time: bool,
}

impl ProgramRow {
    /// By its bound.
    pub fn judged(&self) -> Judged {
        let Self { program, executed_ms, emulated_ms, error_percent, busy, on_time, .. } = self;
        let what = format!(
            "{program}: {:.0} ms of I/O executed (of {executed_ms:.0}), {:.0} ms on the emulated disk (of {emulated_ms:.0}, busy for {:.0} %){}",
            self.executed_io_ms,
            self.emulated_io_ms,
            busy * 100.0,
            super::void(*on_time)
        );
        Judged::percent(what, if *on_time { *error_percent } else { f64::NAN }, PERCENT, None)
    }

    fn of(program: &'static str, runs: &[(Took, Real)]) -> Self {
        let mean =
            |of: &dyn Fn(&(Took, Real)) -> f64| runs.iter().map(of).sum::<f64>() / runs.len().max(1) as f64;
        let (executed_ms, emulated_ms) = (mean(&|run| run.0.all_ms), mean(&|run| run.1.took.all_ms));
        let (executed_io_ms, emulated_io_ms) = (mean(&|run| run.0.io_ms), mean(&|run| run.1.took.io_ms));
        let (late, requests) = (mean(&|run| run.1.late.0 as f64), mean(&|run| run.1.late.1 as f64));
        Self {
            program,
            executed_ms,
            emulated_ms,
            executed_io_ms,
            emulated_io_ms,
            error_percent: (executed_io_ms / emulated_io_ms - 1.0) * 100.0,
            busy: mean(&|run| run.1.busy_ms) / emulated_ms,
            way_us: mean(&|run| run.1.way.each.as_micros()),
            way_us_for_mib: mean(&|run| run.1.way.for_mib.as_micros()),
            runs_ms: runs.iter().map(|(executed, real)| (executed.io_ms, real.took.io_ms)).collect(),
            on_time: late <= super::LATE * requests,
        }
    }
}

/// How long a run took, and the I/O's part of that.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Took {
    pub(super) all_ms: f64,
    pub(super) io_ms: f64,
}

/// A run on the emulated disk.
struct Real {
    took: Took,
    busy_ms: f64,
    way: Way,
    /// Requests that were late, and all.
    late: (u64, u64),
}

/// Why there are no rows.
#[derive(Debug, Error)]
pub enum ProgramsError {
    /// The disk can't be emulated.
    #[error(transparent)]
    Bed(#[from] BedError),
    /// Its file system can't be mounted.
    #[error(transparent)]
    Rig(#[from] RigError),
    /// A program fails.
    #[error("{what}: {cause}")]
    System {
        /// What was tried.
        what: String,
        /// Why it failed.
        cause: io::Error,
    },
}

pub(super) fn system(what: impl Into<String>) -> impl FnOnce(io::Error) -> ProgramsError {
    let what = what.into();
    move |cause| ProgramsError::System { what, cause }
}

/// Programs on a drive of the catalogue; those that aren't installed are named.
///
/// # Errors
/// As of [`ProgramsError`].
pub fn compare(
    drive: &str,
    mut progress: impl FnMut(&str),
) -> Result<(Vec<ProgramRow>, Vec<String>), ProgramsError> {
    let (mut rows, mut left_out) = (Vec::new(), Vec::new());
    for case in CASES {
        if let Some(missing) = [case.needs, "taskset"].into_iter().find(|program| !is_there(program)) {
            left_out.push(format!("{}: {missing} isn't installed", case.name));
            continue;
        }
        progress(case.name);
        let runs = PADS_KIB.map(|pad| {
            let real = super::on_time(|| emulated(drive, &case, pad), |real| real.late)?;
            Ok((executed(drive, &case, (pad, real.way))?, real))
        });
        let runs = runs.into_iter().collect::<Result<Vec<_>, ProgramsError>>()?;
        rows.push(ProgramRow::of(case.name, &runs));
    }
    Ok((rows, left_out))
}

pub(super) fn is_there(program: &str) -> bool {
    let paths = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&paths).any(|folder| folder.join(program).is_file())
}

/// The time that a program took on the simulated disk, with this way to it.
fn executed(drive: &str, case: &Case, (pad_kib, way): (u64, Way)) -> Result<Took, ProgramsError> {
    let folder = TemporaryFolder::new().map_err(system("a temporary folder"))?;
    let [scenario, report, log, work] =
        ["s.toml", "report.json", "log.csv", "work"].map(|name| folder.path().join(name));
    fs::write(&scenario, on_disk(drive, way)).map_err(system("the scenario"))?;
    let prepared = fs::create_dir(&work).and_then(|()| case.prepare(&work, pad_kib));
    prepared.map_err(system("what the program needs"))?;
    let program = launch::program().ok_or(BedError::NoProgram)?;
    let mut command = launch::command(program, Signal::TERM);
    command.args(["exec".as_ref(), scenario.as_os_str(), "--json".as_ref(), report.as_os_str()]);
    command.args(["--device-log".as_ref(), log.as_os_str()]);
    command.args(["--", "sh", "-c", case.script]).current_dir(&work);
    let output = command.stdin(Stdio::null()).output().map_err(system("execute the program"))?;
    if !output.status.success() {
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        return Err(system(format!("{}, executed", case.name))(io::Error::other(told)));
    }
    simulated(&report, &log)
}

/// A disk of the catalogue with this way to it, and an ext3 on it.
pub(super) fn on_disk(drive: &str, way: Way) -> String {
    let host = "[host.h]\nmachine = \"epyc-9005-2vcpu\"\nkernel = \"linux-6.18\"\n\
                [fs.f]\ntype = \"ext3\"\nscheduler = \"none\"\non = \"way\"\n";
    super::disk(drive, SIZE) + &way.fabric() + host
}

/// How long a simulation took by its report and its device log.
pub(super) fn simulated(report: &Path, log: &Path) -> Result<Took, ProgramsError> {
    let text = fs::read(report).map_err(system("the report"))?;
    let report: Value = serde_json::from_slice(&text).map_err(|error| system("the report")(error.into()))?;
    let spans = spans::of_log(log).map_err(system("the device log"))?;
    Ok(Took {
        all_ms: report["simulated_s"].as_f64().unwrap_or(f64::NAN) * 1e3,
        io_ms: spans::io_part(&spans, (Time::ZERO, Time::NEVER)).as_millis(),
    })
}

/// An ext3 on an image with what a program needs.
fn prepared(image: &Path, case: &Case, pad_kib: u64) -> io::Result<()> {
    super::make_ext3(image)?;
    let folder = TemporaryFolder::new()?;
    let mounted = MountedDevice::on(image, folder.path(), (FileSystemKind::Ext3, None));
    let mounted = mounted.map_err(io::Error::other)?;
    on_one_processor(|| case.prepare(mounted.directory(), pad_kib))
}

/// Does something on the processor on which programs are run, too.
fn on_one_processor(does: impl FnOnce() -> io::Result<()>) -> io::Result<()> {
    let allowed = sched_getaffinity(None)?;
    let mut one = CpuSet::new();
    one.set((0..CpuSet::MAX_CPU).find(|processor| allowed.is_set(*processor)).unwrap_or_default());
    sched_setaffinity(None, &one)?;
    let done = does();
    sched_setaffinity(None, &allowed)?;
    done
}

/// The first processor on which this process may run, as `taskset` names it.
pub(super) fn processor() -> String {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let allowed = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:"));
    let first = allowed.map(|list| list.trim().chars().take_while(char::is_ascii_digit).collect::<String>());
    first.filter(|number| !number.is_empty()).unwrap_or_else(|| "0".to_owned())
}

/// The same on the emulated disk.
fn emulated(drive: &str, case: &Case, pad_kib: u64) -> Result<Real, ProgramsError> {
    let text = super::disk(drive, SIZE);
    let bed = Bed::start(&text, ("d", SIZE.get()), |image| prepared(image, case, pad_kib))?;
    let folder = TemporaryFolder::new().map_err(system("a temporary folder"))?;
    let mounted = MountedDevice::on(bed.file(), folder.path(), (FileSystemKind::Ext3, None))?;
    std::thread::sleep(MOUNT_READS);
    let begin = Instant::now();
    // On one processor: ext4 has room of its own for small files of each (`ext4_locality_group`, fs/ext4/mballoc.c), so that a program that wanders
    // between two writes in two places by turns, and which is chance.
    let output = Command::new("taskset")
        .args(["--cpu-list", &processor(), "sh", "-c", case.script])
        .current_dir(mounted.directory())
        .stdin(Stdio::null())
        .output()
        .map_err(system(case.name))?;
    let took = begin.elapsed();
    if !output.status.success() {
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        return Err(system(case.name)(io::Error::other(told)));
    }
    let reads = reads_of_end(mounted.device().path(), SIZE.get()).map_err(system("read the device"))?;
    drop(mounted);
    let (emulated, served) = bed.end_with_requests()?;
    let took = Time::from_seconds(took.as_secs_f64());
    let end = begin_of_reads(&served, SIZE.get());
    let (spans, within) = (spans::of(&served), (end.saturating_sub(took), end));
    Ok(Real {
        took: Took { all_ms: took.as_millis(), io_ms: spans::io_part(&spans, within).as_millis() },
        busy_ms: spans::busy(&spans, within).as_millis(),
        way: Way::of(&reads, &served, SIZE.get()),
        late: (emulated.late, emulated.requests),
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn there_is_a_processor_to_run_on() {
        assert!(processor().parse::<u32>().is_ok());
    }

    #[test]
    fn what_is_prepared_on_one_processor_is_and_the_others_come_back() {
        let before = sched_getaffinity(None).unwrap();
        let seen = on_one_processor(|| {
            assert_eq!(sched_getaffinity(None)?.count(), 1);
            Err(io::Error::other("it fails"))
        });
        assert_eq!(seen.unwrap_err().to_string(), "it fails");
        assert_eq!(sched_getaffinity(None).unwrap(), before);
    }

    #[test]
    fn a_row_is_the_mean_of_its_runs_and_void_where_too_many_requests_were_late() {
        let took = |all_ms| Took { all_ms, io_ms: all_ms - 20.0 };
        let real =
            |all_ms, late| Real { took: took(all_ms), busy_ms: 50.0, way: Way::default(), late: (late, 100) };
        let row = ProgramRow::of("p", &[(took(100.0), real(90.0, 0)), (took(104.0), real(110.0, 2))]);
        assert_eq!((row.executed_ms, row.emulated_ms, row.on_time), (102.0, 100.0, true));
        assert_eq!((row.executed_io_ms, row.emulated_io_ms), (82.0, 80.0));
        assert!((row.error_percent - 2.5).abs() < 1e-9 && (row.busy - 0.5).abs() < 1e-9);
        let late = ProgramRow::of("p", &[(took(100.0), real(100.0, 3)), (took(100.0), real(100.0, 0))]);
        assert!(!late.on_time && late.judged().line().contains("void"));
    }
}
