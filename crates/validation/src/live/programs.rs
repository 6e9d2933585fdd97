//! Programs executed on a simulated disk beside the same programs run for real on the disk emulated: how long their input and output takes.
//!
//! Executed, a program's computing costs nothing; run, what its processors were busy for is taken off. What is left of both is what it
//! waited for: the file system, the model's or this kernel's, and the disk.

use super::bed::{Bed, BedError};
use crate::verdict::Judged;
use petrio_capture::launch::{self, Signal};
use petrio_files::temporary::TemporaryFolder;
use petrio_live::emulation::{FileSystemKind, MountedDevice};
use petrio_live::rig::RigError;
use petrio_units::Bytes;
use rustix::fs::{CWD, Mode, OFlags, openat, syncfs};
use serde::Serialize;
use serde_json::Value;
use std::fs;
use std::io;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;
use thiserror::Error;

/// The volume.
const SIZE: Bytes = Bytes::from_mib(1_024);
/// By how much times may differ.
const PERCENT: f64 = 5.0;

/// A file of these sizes lies before those of a program, which is run once with each: how its files lie to the journal, by which platters
/// stand between one request and the next, is chance.
const PADS_KIB: [u64; 5] = [4, 148, 292, 388, 484];

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
fn file(path: &Path, bytes: u64) -> io::Result<()> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64 ^ bytes;
    let words = (0..bytes.div_ceil(8)).flat_map(|_| {
        state = petrio_random::mix(state);
        state.to_le_bytes()
    });
    fs::write(path, words.collect::<Vec<u8>>())
}

const CASES: [Case; 4] = [
    Case {
        name: "dd, 40 synchronous writes",
        needs: "dd",
        prepare: |_| Ok(()),
        script: "dd if=/dev/zero of=f bs=4k count=40 oflag=dsync status=none",
    },
    Case {
        name: "SQLite, 25 transactions",
        needs: "sqlite3",
        prepare: |_| Ok(()),
        script: "(echo 'create table t(i integer primary key, v text);'; for i in $(seq 25); do echo \"insert into t(v) values('row $i');\"; \
                 done) | sqlite3 a.db",
    },
    Case {
        name: "tar, 150 files of 16 KiB into one",
        needs: "tar",
        prepare: |directory| {
            fs::create_dir(directory.join("tree"))?;
            (0..150).try_for_each(|number| file(&directory.join(format!("tree/{number}")), 16 << 10))
        },
        script: "tar cf a.tar tree && sync a.tar",
    },
    Case {
        name: "fio, 200 random reads of 4 KiB",
        needs: "fio",
        prepare: |directory| file(&directory.join("data"), 64 << 20),
        script: "fio --name=j --filename=data --rw=randread --bs=4k --size=64m --number_ios=200 --ioengine=psync --direct=1 --invalidate=0 \
                 --randseed=7 --output=/dev/null",
    },
];

/// A program's input and output, simulated and real.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ProgramRow {
    /// Which program.
    pub program: &'static str,
    /// Executed on the simulated disk, in ms.
    pub executed_ms: f64,
    /// On the emulated disk, in ms.
    pub emulated_ms: f64,
    /// The executed over the emulated, less one, per cent.
    pub error_percent: f64,
    /// Whether the emulation was on time.
    pub on_time: bool,
}

impl ProgramRow {
    /// By its bound.
    pub fn judged(&self) -> Judged {
        let Self { program, executed_ms, emulated_ms, error_percent, on_time } = self;
        let what = format!(
            "{program}: {executed_ms:.0} ms executed, {emulated_ms:.0} ms on the emulated disk{}",
            super::void(*on_time)
        );
        Judged::percent(what, if *on_time { *error_percent } else { f64::NAN }, PERCENT, None)
    }
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

fn system(what: impl Into<String>) -> impl FnOnce(io::Error) -> ProgramsError {
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
        if !is_there(case.needs) {
            left_out.push(format!("{}: {} isn't installed", case.name, case.needs));
            continue;
        }
        progress(case.name);
        let (mut executed_ms, mut emulated_ms, mut on_time) = (0.0, 0.0, true);
        for pad in PADS_KIB {
            executed_ms += executed(drive, &case, pad)? / PADS_KIB.len() as f64;
            let (milliseconds, was_on_time) = emulated(drive, &case, pad)?;
            emulated_ms += milliseconds / PADS_KIB.len() as f64;
            on_time &= was_on_time;
        }
        let error_percent = (executed_ms / emulated_ms - 1.0) * 100.0;
        rows.push(ProgramRow { program: case.name, executed_ms, emulated_ms, error_percent, on_time });
    }
    Ok((rows, left_out))
}

fn is_there(program: &str) -> bool {
    let paths = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&paths).any(|folder| folder.join(program).is_file())
}

/// The time that a program's operations took on the simulated disk, in ms.
fn executed(drive: &str, case: &Case, pad_kib: u64) -> Result<f64, ProgramsError> {
    let folder = TemporaryFolder::new().map_err(system("a temporary folder"))?;
    let [scenario, report, work] = ["s.toml", "report.json", "work"].map(|name| folder.path().join(name));
    let host = "[host.h]\nmachine = \"epyc-9005-2vcpu\"\nkernel = \"linux-6.18\"\n[fs.f]\ntype = \"ext3\"\nscheduler = \"none\"\non = \"d\"\n";
    fs::write(&scenario, super::disk(drive, SIZE) + host).map_err(system("the scenario"))?;
    let prepared = fs::create_dir(&work).and_then(|()| case.prepare(&work, pad_kib));
    prepared.map_err(system("what the program needs"))?;
    let program = launch::program().ok_or(BedError::NoProgram)?;
    let mut command = launch::command(program, Signal::TERM);
    command.args(["exec".as_ref(), scenario.as_os_str(), "--compute".as_ref(), "none".as_ref()]);
    command.args(["--json".as_ref(), report.as_os_str()]);
    command.args(["--", "sh", "-c", case.script]).current_dir(&work);
    let output = command.stdin(Stdio::null()).output().map_err(system("execute the program"))?;
    if !output.status.success() {
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        return Err(system(format!("{}, executed", case.name))(io::Error::other(told)));
    }
    let text = fs::read(&report).map_err(system("the report"))?;
    let report: Value = serde_json::from_slice(&text).map_err(|error| system("the report")(error.into()))?;
    Ok(report["simulated_s"].as_f64().unwrap_or(f64::NAN) * 1e3)
}

/// The time that the same took on the emulated disk, less what processors were busy for, in ms; and whether that was on time.
fn emulated(drive: &str, case: &Case, pad_kib: u64) -> Result<(f64, bool), ProgramsError> {
    let bed = Bed::start(&super::disk(drive, SIZE), ("d", SIZE.get()), super::make_ext3)?;
    let folder = TemporaryFolder::new().map_err(system("a temporary folder"))?;
    let mounted = MountedDevice::on(bed.file(), folder.path(), (FileSystemKind::Ext3, None))?;
    case.prepare(mounted.directory(), pad_kib).map_err(system("what the program needs"))?;
    let cold = || {
        let root = openat(CWD, mounted.directory(), OFlags::RDONLY, Mode::empty())?;
        syncfs(&root)?;
        fs::write("/proc/sys/vm/drop_caches", "3")
    };
    cold().map_err(system("empty the caches"))?;
    // What lies in the drive's cache still is on its platters by then.
    std::thread::sleep(std::time::Duration::from_millis(500));
    let before = busy_s();
    let begin = Instant::now();
    let output = Command::new("sh")
        .args(["-c", case.script])
        .current_dir(mounted.directory())
        .stdin(Stdio::null())
        .output()
        .map_err(system(case.name))?;
    let took = begin.elapsed().as_secs_f64() - (busy_s() - before);
    if !output.status.success() {
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        return Err(system(case.name)(io::Error::other(told)));
    }
    drop(mounted);
    Ok((took * 1e3, bed.end()?.valid))
}

/// What processors were busy for by children that have ended, in seconds.
fn busy_s() -> f64 {
    let ticks = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // Behind the name, which may hold anything: cutime and cstime are the 16th and 17th field (proc_pid_stat(5)).
    let fields = ticks.rsplit_once(')').map_or("", |(_, rest)| rest);
    let field =
        |number: usize| fields.split_whitespace().nth(number - 3).and_then(|word| word.parse::<f64>().ok());
    let per_second = rustix::param::clock_ticks_per_second() as f64;
    (field(16).unwrap_or(0.0) + field(17).unwrap_or(0.0)) / per_second
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn what_children_were_busy_for_is_counted() {
        let before = busy_s();
        let spin = "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done";
        assert!(Command::new("sh").args(["-c", spin]).status().unwrap().success());
        assert!(busy_s() > before);
    }
}
