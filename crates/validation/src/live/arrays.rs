//! Arrays of a stock kernel's md in a guest, on drives that are emulated, beside petrio's md: what each member is asked to read and write.
//!
//! One guest makes an array for each workload, so that md's stripe cache is empty. Their members begin at a place that is said, so that md's own superblocks before it aren't
//! counted, and between one workload and the next a block is read where no array lies: the emulator's own trace is cut there. Workloads and
//! judgement are those of [`crate::md`]; how long they take isn't compared, for the guest's processor is emulated.

use super::bed::BedError;
use crate::md::{Cell, MdError, MdRow, Measured, State, judge_counts, rows};
use crate::verdict::Judged;
use petrio_capture::launch::{self, Signal};
use petrio_colours::{Direction, SECTOR_BYTES};
use petrio_files::temporary::TemporaryFolder;
use petrio_live::emulation::guest::Kit;
use petrio_trace::{BlockRecord, TraceError, TraceOptions, TraceReader};
use petrio_units::numbers::as_index;
use std::fmt::Write;
use std::fs;
use std::io;
use std::path::Path;
use std::process::Stdio;
use thiserror::Error;

/// KiB of a unit of the arrays.
const UNIT_KIB: u64 = 64;
/// KiB at which the members' data begin, and that each has.
const DATA_KIB: u64 = 1_024;
const MEMBER_KIB: u64 = 65_536;
/// Bytes over which random requests spread.
const REGION_BYTES: u64 = 32 << 20;
/// The first of the blocks of 4 KiB by which workloads are told apart, behind all arrays.
const MARKS: u64 = 1 << 20;
/// Most members.
const MEMBERS: usize = 5;
/// Who fails.
const FAILED: usize = 1;

/// Why there are no rows.
#[derive(Debug, Error)]
pub enum ArraysError {
    /// The drives can't be emulated, or the guest's job fails.
    #[error(transparent)]
    Bed(#[from] BedError),
    /// A file.
    #[error("{what}: {cause}")]
    System {
        /// What was tried.
        what: &'static str,
        /// Why not.
        cause: io::Error,
    },
    /// The trace of the emulation.
    #[error(transparent)]
    Trace(#[from] TraceError),
    /// An array can't be predicted.
    #[error(transparent)]
    Predict(#[from] MdError),
    /// A workload's marks aren't in the trace.
    #[error("the trace of the emulated drives has no mark of workload {0}")]
    NoMark(usize),
}

/// Why no guest can run here.
pub fn why_not() -> Option<String> {
    let paths = std::env::var_os("PATH").unwrap_or_default();
    let qemu = "qemu-system-x86_64";
    if !std::env::split_paths(&paths).any(|folder| folder.join(qemu).is_file()) {
        return Some(format!("{qemu} isn't installed"));
    }
    let kit = Kit::usual_folder().map(|folder| Kit::at(&folder));
    match kit {
        Some(Ok(_)) => None,
        Some(Err(error)) => {
            Some(format!("{error}; petrio emulate SCENARIO --kernel --set-up-kernel -- true sets it up"))
        }
        None => Some("there is no folder for a kernel".to_owned()),
    }
}

/// The workloads: at levels 5 and 6 with three members' worth of data each.
fn cells() -> Vec<Cell> {
    let all = [
        (State::Clean, "direct-random-write", 4 << 10, 40),
        (State::Clean, "direct-random-write", 64 << 10, 12),
        (State::Clean, "direct-full-stripe-sequential-write", (3 * UNIT_KIB) << 10, 24),
        (State::Clean, "direct-random-read", 4 << 10, 24),
        (State::Clean, "direct-sequential-read", 1 << 20, 8),
        (State::Clean, "buffered-sequential-write-fsync", 1 << 20, 24),
        (State::Degraded, "direct-random-write", 4 << 10, 24),
        (State::Degraded, "direct-random-read", 4 << 10, 24),
        (State::Degraded, "direct-sequential-read", 1 << 20, 8),
    ];
    let of = |level: u32, members: usize| {
        all.into_iter().map(move |(state, operation, request_bytes, request_count)| Cell {
            level,
            layout: "left-symmetric".to_owned(),
            members,
            chunk_kib: Some(UNIT_KIB),
            bitmap: "none".to_owned(),
            stripe_cache_pages_per_member: Some(256),
            state,
            failed_member: (state == State::Degraded).then_some(FAILED),
            operation: operation.to_owned(),
            request_bytes,
            request_count,
            seed: operation.contains("random").then_some(7),
            region_bytes: operation.contains("random").then_some(REGION_BYTES),
            repetition: None,
            vm_dirty_bytes: None,
            member_pace_bytes_per_s: None,
            member_pace_requests_per_s: None,
            elapsed_guest_s: f64::NAN,
            measured: Measured::default(),
        })
    };
    of(5, 4).chain(of(6, 5)).collect()
}

/// What the guest's shell does.
fn job(cells: &[Cell]) -> String {
    let mut job = format!(
        "set -e\n\
         mark() {{ dd if=/dev/vda of=/dev/null bs=4k count=1 skip=$(({MARKS} + $1)) iflag=direct 2>/dev/null; }}\n\
         quiet() {{ sync; echo 3 > /proc/sys/vm/drop_caches; sleep 1; }}\n"
    );
    for (number, cell) in cells.iter().enumerate() {
        let Cell { level, members, .. } = cell;
        let disks: Vec<String> = ('a'..).take(*members).map(|letter| format!("/dev/vd{letter}")).collect();
        let disks = disks.join(" ");
        // Writing to a string can't fail. Looking for partitions is over once it was open; what that read, members have behind them.
        let _ = write!(
            job,
            "mdadm -C /dev/md0 --run --quiet -l{level} -n{members} -c{UNIT_KIB} -p left-symmetric --assume-clean --bitmap=none \
             --size={MEMBER_KIB} --data-offset={DATA_KIB} {disks} 2>/dev/null\n: < /dev/md0\n"
        );
        if let Some(letter) = cell.failed_member.and_then(|failed| ('a'..).nth(failed)) {
            let _ = writeln!(job, "mdadm --quiet /dev/md0 --fail /dev/vd{letter} 2>/dev/null");
        }
        let _ = writeln!(job, "quiet\nmark {}\n{}\nmark {}", 2 * number, workload(cell), 2 * number + 1);
        let _ = writeln!(
            job,
            "mdadm -S /dev/md0 2>/dev/null\nmdadm --zero-superblock {disks} 2>/dev/null || true"
        );
    }
    job
}

/// A cell's workload, by dd.
fn workload(cell: &Cell) -> String {
    let Cell { request_bytes, request_count, .. } = cell;
    let (ends, at) = match cell.writes() {
        true => ("if=/dev/zero of=/dev/md0 conv=notrunc oflag=direct", "seek"),
        false => ("if=/dev/md0 of=/dev/null iflag=direct", "skip"),
    };
    if cell.is_random() {
        let places: Vec<String> = cell.places().iter().map(u64::to_string).collect();
        return format!(
            "for at in {}; do dd bs={request_bytes} count=1 {at}=$at {ends} 2>/dev/null; done",
            places.join(" ")
        );
    }
    match cell.is_direct() {
        true => format!("dd bs={request_bytes} count={request_count} {ends} 2>/dev/null"),
        false => format!(
            "dd bs={request_bytes} count={request_count} if=/dev/zero of=/dev/md0 conv=notrunc,fsync 2>/dev/null"
        ),
    }
}

/// What members were asked for between the marks of a workload.
fn measured(records: &[BlockRecord], number: usize, members: usize) -> Result<Measured, ArraysError> {
    let marked = |mark: usize| {
        let address = (MARKS + mark as u64) * 4_096 / SECTOR_BYTES;
        let found = records.iter().find(|record| record.device == 0 && record.address == address);
        found.map(|record| record.time).ok_or(ArraysError::NoMark(number))
    };
    let (from, to) = (marked(2 * number)?, marked(2 * number + 1)?);
    let none = || vec![0; members];
    let mut sum = Measured {
        member_read_requests: none(),
        member_read_bytes: none(),
        member_write_requests: none(),
        member_write_bytes: none(),
    };
    let data = DATA_KIB * 1_024 / SECTOR_BYTES..(DATA_KIB + MEMBER_KIB) * 1_024 / SECTOR_BYTES;
    for record in
        records.iter().filter(|record| (from..to).contains(&record.time) && data.contains(&record.address))
    {
        let (requests, bytes) = match record.direction {
            Direction::Read => (&mut sum.member_read_requests, &mut sum.member_read_bytes),
            Direction::Write => (&mut sum.member_write_requests, &mut sum.member_write_bytes),
            Direction::Flush | Direction::Discard => continue,
        };
        let member = as_index(u64::from(record.device));
        if let (Some(requests), Some(bytes)) = (requests.get_mut(member), bytes.get_mut(member)) {
            *requests += 1;
            *bytes += u64::from(record.blocks) * SECTOR_BYTES;
        }
    }
    Ok(sum)
}

/// Runs all workloads in a guest on drives of the catalogue's, and predicts them.
///
/// # Errors
/// As of [`ArraysError`].
pub fn compare(drive: &str) -> Result<Vec<MdRow>, ArraysError> {
    let system = |what| move |cause| ArraysError::System { what, cause };
    let folder = TemporaryFolder::new().map_err(system("a temporary folder"))?;
    let place = |name: &str| folder.path().join(name);
    let mut cells = cells();
    let (scenario, script, trace) = (place("drives.toml"), place("job.sh"), place("trace.parquet"));
    let text = format!("title = \"members\"\n[disk.m]\nmodel = \"{drive}\"\ncount = {MEMBERS}\n");
    fs::write(&scenario, text)
        .and_then(|()| fs::write(&script, job(&cells)))
        .map_err(system("the guest's job"))?;
    run(&scenario, &script, &trace)?;
    let mut records = TraceReader::open(&trace, &TraceOptions::default())?.collect::<Result<Vec<_>, _>>()?;
    records.sort_by_key(|record| record.time);
    for (number, cell) in cells.iter_mut().enumerate() {
        cell.measured = measured(&records, number, cell.members)?;
    }
    Ok(rows(&cells, &mut |_, _| ())?)
}

/// A guest behind all other programs: it takes a processor for a minute, and its requests are counted, not timed.
fn run(scenario: &Path, script: &Path, trace: &Path) -> Result<(), ArraysError> {
    let program = launch::program().ok_or(BedError::NoProgram)?;
    let mut command = launch::command(program, Signal::TERM);
    command.args(["emulate".as_ref(), scenario.as_os_str(), "--run".as_ref(), script.as_os_str()]);
    command.args(["--trace".as_ref(), trace.as_os_str()]);
    command.args(["--device", "all", "--kernel", "--module", "raid456", "--on-time", "0 %"]);
    let niceness = rustix::process::getpriority_process(None).unwrap_or(0);
    let _ = rustix::process::setpriority_process(None, 10);
    let output = command.stdin(Stdio::null()).output();
    let _ = rustix::process::setpriority_process(None, niceness);
    let output = output.map_err(|cause| BedError::System { what: "start the guest", cause })?;
    match output.status.success() {
        true => Ok(()),
        false => Err(BedError::Server(String::from_utf8_lossy(&output.stderr).into_owned()).into()),
    }
}

/// What rows come to: bytes and requests, by the rules of measured arrays.
pub fn judged(rows: &[MdRow]) -> Vec<Judged> {
    judge_counts(rows)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use petrio_kernel::Time;

    fn record(
        milliseconds: u64,
        device: u32,
        direction: Direction,
        address: u64,
        blocks: u32,
    ) -> BlockRecord {
        BlockRecord {
            time: Time::from_millis(milliseconds),
            measured: None,
            process: 1,
            device,
            direction,
            force_unit_access: false,
            metadata: false,
            synchronous: true,
            address,
            blocks,
        }
    }

    #[test]
    fn members_are_counted_between_marks_and_without_superblocks() {
        let mark = |number: u64| (MARKS + number) * 8;
        let records = [
            record(0, 1, Direction::Write, 4_096, 8),
            record(1, 0, Direction::Read, mark(0), 8),
            record(2, 0, Direction::Read, 4_096, 8),
            record(3, 2, Direction::Write, 4_096, 16),
            record(4, 2, Direction::Write, 8, 1),
            record(5, 0, Direction::Read, mark(1), 8),
            record(6, 1, Direction::Write, 4_096, 8),
        ];
        let found = measured(&records, 0, 3).unwrap();
        assert_eq!(found.member_read_requests, [1, 0, 0]);
        assert_eq!(found.member_read_bytes, [4_096, 0, 0]);
        assert_eq!(found.member_write_bytes, [0, 0, 8_192]);
        assert!(matches!(measured(&records, 1, 3), Err(ArraysError::NoMark(1))));
    }

    #[test]
    fn a_guest_makes_an_array_for_each_workload_and_marks_it() {
        let cells = cells();
        let job = job(&cells);
        assert_eq!(job.matches("mdadm -C").count(), cells.len());
        assert_eq!(job.matches("--fail").count(), 6);
        assert_eq!(job.matches("\nmark ").count(), 2 * cells.len());
        assert!(cells.iter().all(|cell| cell.bytes() <= (3 * MEMBER_KIB) << 10));
    }
}
