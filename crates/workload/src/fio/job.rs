//! What one job does.

use super::distribution::popularity;
use super::ini::{Entry, Section};
use super::options::Options;
use super::values::{of_direction, size};
use super::{FioError, FioJob, FioRemark, FioWork};
use crate::program::PatternParameters;
use crate::program::pattern::{
    Access, BarrierAt, Durability, FileOrder, FsyncCall, Interface, OpenClose, Pattern, Timing,
};
use crate::synthetic::{Draw, Generator, Synthetic};
use petrio_colours::SECTOR_BYTES;
use petrio_time::Time;
use petrio_units::{Amount, Blocks, Bytes, Duration, Fraction};

/// fio's default block size.
const BLOCK_BYTES: u64 = 4096;
const SECOND: u64 = 1_000_000_000_000;
const MICROSECOND: u64 = 1_000_000;
/// As many generators as a device job has requests in flight; more are a mistake.
const IN_FLIGHT_MAX: u64 = 4096;
/// Passes of a job that runs for a time and not to an end.
const PASSES_MAX: u32 = 1_000_000;

/// What is done, and in which order.
struct Direction {
    reads: bool,
    writes: bool,
    random: bool,
}

/// Reads a job.
pub(super) fn job(
    section: Section,
    group: &mut u32,
    remarks: &mut Vec<FioRemark>,
) -> Result<FioJob, FioError> {
    let (name, line) = (section.name.clone(), section.line);
    let mut options = Options::of(section);
    let mut remark = |line: u32, text: &str| remarks.push(FioRemark { line, text: text.to_owned() });
    // The first job has nobody before it.
    let waits =
        [options.take(&["stonewall"]), options.take(&["wait_for_previous"]), options.take(&["wait_for"])];
    *group += u32::from(waits.iter().flatten().any(|entry| entry.value != "0"));
    let direction = direction(&mut options)?;
    let record = record(&mut options, &direction, &mut remark)?;
    let engine = engine(&mut options)?;
    let direct = direct(&mut options)?;
    let depth = at_least_one(options.number(&["iodepth"])?, "iodepth")?;
    let jobs = at_least_one(options.number(&["numjobs"])?, "numjobs")?;
    let runtime = options.time(&["runtime", "timeout"], SECOND)?;
    let time_based = options.switch("time_based")?;
    if let (Some((true, line)), None) = (time_based, runtime) {
        return Err(FioError::at(line, "time_based needs a runtime").with_help("write runtime=60"));
    }
    let think = options.time(&["thinktime"], MICROSECOND)?.map_or(Time::ZERO, |(time, _)| time);
    // Part of the thinking, and without it nothing.
    let spin =
        options.time(&["thinktime_spin"], MICROSECOND)?.map_or(Time::ZERO, |(time, _)| time.min(think));
    let share = read_share(&mut options, &direction)?;
    let target = options.take(&["filename"]);
    let on_device = target.as_ref().is_some_and(|target| target.value.starts_with("/dev/"));
    let is_endless = time_based.is_some_and(|(based, _)| based);
    let shares_file = target.is_some() && jobs > 1;
    let common = Common {
        direction,
        record,
        direct,
        depth,
        jobs,
        think: (spin, think - spin),
        share,
        is_endless,
        shares_file,
    };
    let work = if on_device {
        FioWork::Device(device(&mut options, &common, runtime.map(|(time, _)| time), line, &mut remark)?)
    } else {
        FioWork::Files(files(&mut options, &common, &engine, line, &mut remark)?)
    };
    options.finish(remarks);
    Ok(FioJob { name, line, group: *group, work, runtime: runtime.map(|(time, _)| time) })
}

/// What jobs on files and on devices have in common.
struct Common {
    direction: Direction,
    record: u64,
    direct: bool,
    depth: u64,
    jobs: u64,
    /// Computing, and resting.
    think: (Time, Time),
    share: Option<Fraction>,
    is_endless: bool,
    /// Whether all its processes work on the file that is named.
    shares_file: bool,
}

fn direction(options: &mut Options) -> Result<Direction, FioError> {
    let Some(Entry { value, line, .. }) = options.take(&["rw", "readwrite"]) else {
        return Ok(Direction { reads: true, writes: false, random: false });
    };
    let of = |reads, writes, random| Ok(Direction { reads, writes, random });
    match value.as_str() {
        "read" => of(true, false, false),
        "write" => of(false, true, false),
        "randread" => of(true, false, true),
        "randwrite" => of(false, true, true),
        "rw" | "readwrite" => of(true, true, false),
        "randrw" => of(true, true, true),
        other if other.contains("trim") => Err(FioError::at(line, "trims are not played")),
        other => {
            let help = "it is read, write, rw, randread, randwrite or randrw";
            Err(FioError::at(line, format!("rw={other} is not known here")).with_help(help))
        }
    }
}

/// Bytes of one access.
fn record(
    options: &mut Options,
    direction: &Direction,
    remark: &mut dyn FnMut(u32, &str),
) -> Result<u64, FioError> {
    let base = options.kb_base();
    let writes = direction.writes && !direction.reads;
    let [plain, range, split] = [&["bs", "blocksize"][..], &["bsrange", "blocksize_range"], &["bssplit"]]
        .map(|names| options.take(names));
    if let (Some(_), Some(split)) = (&range, &split) {
        return Err(FioError::at(split.line, "bssplit and bsrange both say how large an access is"));
    }
    let wrong = |entry: &Entry| {
        FioError::at(entry.line, format!("{}={}: sizes such as 4k are needed here", entry.key, entry.value))
    };
    let rounded =
        |bytes: f64| ((bytes / SECTOR_BYTES as f64).round().max(1.0) as u64).saturating_mul(SECTOR_BYTES);
    let (bytes, line) = if let Some(entry) = &split {
        let mut sum = (0.0, 0.0);
        for part in of_direction(&entry.value, writes).split(':') {
            let (bytes, weight) = part.split_once('/').unwrap_or((part, "1"));
            let bytes = size(bytes, base).ok_or_else(|| wrong(entry))?;
            let weight: f64 =
                if weight.is_empty() { 1.0 } else { weight.parse().map_err(|_| wrong(entry))? };
            sum = (sum.0 + bytes as f64 * weight, sum.1 + weight);
        }
        remark(entry.line, "all accesses have one size here: the mean of bssplit");
        (if sum.1 > 0.0 { rounded(sum.0 / sum.1) } else { 0 }, entry.line)
    } else if let Some(entry) = &range {
        let range = of_direction(&entry.value, writes);
        let (low, high) = range.split_once(['-', ':']).ok_or_else(|| wrong(entry))?;
        let ends = size(low, base).zip(size(high, base)).ok_or_else(|| wrong(entry))?;
        remark(entry.line, "all accesses have one size here: the middle of bsrange");
        (rounded((ends.0 as f64 + ends.1 as f64) / 2.0), entry.line)
    } else if let Some(entry) = &plain {
        if direction.reads
            && direction.writes
            && of_direction(&entry.value, true) != of_direction(&entry.value, false)
        {
            remark(entry.line, "reads and writes have one size here: that of the reads");
        }
        (size(of_direction(&entry.value, writes), base).ok_or_else(|| wrong(entry))?, entry.line)
    } else {
        (BLOCK_BYTES, options.line)
    };
    match bytes {
        0 => Err(FioError::at(line, "an access of nothing is none")),
        bytes => Ok(bytes),
    }
}

/// How requests are issued: whether several may be in flight.
fn engine(options: &mut Options) -> Result<Engine, FioError> {
    let Some(Entry { value, line, .. }) = options.take(&["ioengine"]) else {
        return Ok(Engine { is_async: false, is_mapped: false, line: 0 });
    };
    match value.as_str() {
        "sync" | "psync" | "vsync" | "pvsync" | "pvsync2" => {
            Ok(Engine { is_async: false, is_mapped: false, line })
        }
        "mmap" => Ok(Engine { is_async: false, is_mapped: true, line }),
        "libaio" | "io_uring" | "posixaio" | "windowsaio" | "solarisaio" => {
            Ok(Engine { is_async: true, is_mapped: false, line })
        }
        other => {
            let help = "taken are sync, psync, vsync, pvsync, pvsync2, mmap, libaio, io_uring and posixaio";
            Err(FioError::at(line, format!("ioengine={other} is no engine that works on files here"))
                .with_help(help))
        }
    }
}

struct Engine {
    is_async: bool,
    /// By loads and stores in a mapping.
    is_mapped: bool,
    line: u32,
}

fn direct(options: &mut Options) -> Result<bool, FioError> {
    let (direct, buffered) = (options.switch("direct")?, options.switch("buffered")?);
    match (direct, buffered) {
        (Some((direct, _)), Some((buffered, line))) if direct == buffered => {
            Err(FioError::at(line, "direct and buffered contradict each other")
                .with_help("write one of them"))
        }
        (Some((direct, _)), _) => Ok(direct),
        (None, buffered) => Ok(buffered.is_some_and(|(buffered, _)| !buffered)),
    }
}

fn at_least_one(number: Option<(u64, u32)>, name: &str) -> Result<u64, FioError> {
    match number {
        Some((0, line)) => Err(FioError::at(line, format!("{name} is at least 1"))),
        Some((number, line)) if number > IN_FLIGHT_MAX => {
            Err(FioError::at(line, format!("{name} is at most {IN_FLIGHT_MAX} here")))
        }
        number => Ok(number.map_or(1, |(number, _)| number)),
    }
}

/// How many of a mixed job's accesses are reads; the last of the two options counts.
fn read_share(options: &mut Options, direction: &Direction) -> Result<Option<Fraction>, FioError> {
    let (read, write) = (options.number(&["rwmixread"])?, options.number(&["rwmixwrite"])?);
    if !(direction.reads && direction.writes) {
        return Ok(None);
    }
    let write = write.map(|(percent, line)| (100_u64.saturating_sub(percent), line));
    let percent = match (read, write) {
        (Some(read), Some(write)) => {
            if write.1 > read.1 {
                write
            } else {
                read
            }
        }
        (read, write) => read.or(write).unwrap_or((50, 0)),
    };
    match Fraction::new(percent.0 as f64 / 100.0) {
        Some(share) => Ok(Some(share)),
        None => Err(FioError::at(percent.1, "a share lies between 0 and 100 (per cent)")),
    }
}

/// A job on files.
fn files(
    options: &mut Options,
    common: &Common,
    engine: &Engine,
    line: u32,
    remark: &mut dyn FnMut(u32, &str),
) -> Result<PatternParameters, FioError> {
    let Common { direction, record, direct, .. } = common;
    let files = at_least_one(options.number(&["nrfiles"])?, "nrfiles")?;
    let filesize = options.take(&["filesize"]);
    let base = options.kb_base();
    let filesize = filesize.map(|entry| {
        let (low, high) = entry.value.split_once(['-', ':']).unwrap_or((&entry.value, &entry.value));
        let ends = size(low, base).zip(size(high, base));
        let wrong =
            || FioError::at(entry.line, format!("filesize={}: a size such as 1g is needed", entry.value));
        let (low, high) = ends.ok_or_else(wrong)?;
        if low != high {
            remark(entry.line, "all files have one size here: the middle of filesize");
        }
        Ok((low / 2 + high / 2 + (low & high & 1), entry.line))
    });
    let filesize = filesize.transpose()?;
    let total = options.size(&["size"])?;
    let amount = options.size(&["io_size", "io_limit"])?;
    let (file_size, total) = match (filesize, total) {
        (Some((each, _)), total) => (each, total.map(|(total, _)| total)),
        (None, Some((total, _))) => (total / files, None),
        (None, None) => {
            let help =
                "write size=1g; petrio makes the files, so that a size can't be that of files that are there";
            return Err(FioError::at(line, "the job says no size").with_help(help));
        }
    };
    if file_size == 0 {
        return Err(FioError::at(line, "the job's files have no bytes"));
    }
    let amount = amount.map(|(amount, _)| amount).or(total);
    let (fsync, fsync_call) = durability(options, remark)?;
    if common.depth > 1 && engine.is_async {
        let text = match direct {
            true => {
                "one process waits for each access to a file here: iodepth is not taken; take more processes, or a device"
            }
            false => "buffered accesses are made one after the other, whatever the iodepth (as by Linux)",
        };
        remark(engine.line, text);
    }
    let zero_ok = |entry: &Entry| entry.value == "0" || entry.value.is_empty();
    if let Some(entry) = options.take(&["offset"]).filter(|entry| !zero_ok(entry)) {
        remark(entry.line, "offset is not taken: a file is accessed from its beginning");
    }
    let popularity = popularity(options, remark)?.filter(|_| direction.random);
    for rate in ["rate", "rate_iops"] {
        if let Some(entry) = options.take(&[rate]) {
            remark(entry.line, &format!("{rate} is not taken of a job on files: it runs as fast as it can"));
        }
    }
    let overwrite = options.switch("overwrite")?.is_some_and(|(overwrite, _)| overwrite);
    let operation = match (direction.reads, direction.writes) {
        (true, true) => Access::Mixed,
        (true, false) => Access::Read,
        // What is written at random places lies on blocks that were allocated before.
        // Nor does a mapping grow: fio lays its file out before.
        _ if overwrite || direction.random || engine.is_mapped => Access::Rewrite,
        _ => Access::Write,
    };
    let order = options.take(&["file_service_type"]);
    let file_order =
        match order.as_ref().map_or("roundrobin", |entry| entry.value.split(':').next().unwrap_or("")) {
            "sequential" => FileOrder::OneAfterAnother,
            "roundrobin" => FileOrder::RoundRobin,
            "random" => FileOrder::Random,
            other => {
                remark(
                    order.as_ref().map_or(line, |entry| entry.line),
                    &format!("files are taken in turn, not by {other}"),
                );
                FileOrder::RoundRobin
            }
        };
    let append = options.switch("file_append")?.is_some_and(|(append, _)| append);
    let append = append
        && matches!(operation, Access::Write | Access::Rewrite)
        && !direction.random
        && !engine.is_mapped;
    let sync = options.take(&["sync"]);
    if engine.is_mapped && (*direct || sync.is_some()) {
        remark(engine.line, "stores into a mapping are no calls: direct and sync are not taken");
    }
    let sync = sync.as_ref().map_or("none", |entry| entry.value.as_str());
    let repetition = options.switch("norandommap")?.is_some_and(|(without, _)| without) && direction.random;
    let loops = at_least_one(options.number(&["loops"])?, "loops")?;
    Ok(PatternParameters {
        pattern: if direction.random { Pattern::Random } else { Pattern::Sequential },
        operation,
        read_share: common.share,
        record: Bytes(*record),
        file_size: Bytes(file_size),
        stride: None,
        alignment: options
            .size(&["blockalign", "ba"])?
            .filter(|_| direction.random)
            .map(|(bytes, _)| Bytes(bytes)),
        repetition: repetition && popularity.is_none(),
        popularity,
        processes: common.jobs as u32,
        files: files as u32,
        file_order: if files > 1 { file_order } else { FileOrder::default() },
        operations: None,
        amount: amount.filter(|amount| *amount != file_size.saturating_mul(files)).map(Bytes),
        passes: if common.is_endless { PASSES_MAX } else { loops as u32 },
        warm_up_pass: false,
        cached: false,
        compute_time: Duration::from(common.think.0),
        think_time: Draw::constant(Amount::from_base(common.think.1.as_seconds())),
        starts_within: Duration::ZERO,
        interface: if engine.is_mapped { Interface::Mapped } else { Interface::default() },
        direct: *direct && !engine.is_mapped,
        sync: matches!(sync, "sync" | "1" | "") && !engine.is_mapped,
        data_sync: sync == "dsync" && !engine.is_mapped,
        append,
        shared_files: common.shares_file,
        fsync,
        fsync_call,
        open_close: OpenClose::Never,
        timing: Timing::default(),
        barrier: BarrierAt::default(),
    })
}

fn durability(
    options: &mut Options,
    remark: &mut dyn FnMut(u32, &str),
) -> Result<(Durability, FsyncCall), FioError> {
    let every = |number: Option<(u64, u32)>| number.filter(|(number, _)| *number > 0);
    let (fsync, fdatasync) = (every(options.number(&["fsync"])?), every(options.number(&["fdatasync"])?));
    let at_end = options.switch("end_fsync")?.filter(|(end, _)| *end);
    if let (Some(_), Some((_, line))) = (fsync, fdatasync) {
        return Err(FioError::at(line, "fsync and fdatasync both say how writes are made durable")
            .with_help("write one of them"));
    }
    if let (Some(_), Some((_, line))) = (fsync.or(fdatasync), at_end) {
        remark(line, "end_fsync is not taken beside fsync or fdatasync");
    }
    Ok(match (fsync, fdatasync, at_end) {
        (Some((writes, _)), ..) => (Durability::Every(writes), FsyncCall::Fsync),
        (_, Some((writes, _)), _) => (Durability::Every(writes), FsyncCall::Fdatasync),
        (.., Some(_)) => (Durability::AtEnd, FsyncCall::Fsync),
        _ => (Durability::Never, FsyncCall::Fsync),
    })
}

/// A job on a device: as many generators as it has requests in flight, each of which waits for its own.
fn device(
    options: &mut Options,
    common: &Common,
    runtime: Option<Time>,
    line: u32,
    remark: &mut dyn FnMut(u32, &str),
) -> Result<Synthetic, FioError> {
    let Common { direction, record, .. } = common;
    let in_flight = common.depth.saturating_mul(common.jobs);
    if in_flight > IN_FLIGHT_MAX {
        return Err(FioError::at(line, format!("iodepth times numjobs is at most {IN_FLIGHT_MAX} here")));
    }
    if !record.is_multiple_of(SECTOR_BYTES) {
        return Err(FioError::at(line, "a request to a device is of whole blocks of 512 bytes"));
    }
    let total = options.size(&["io_size", "io_limit"])?;
    let size = options.size(&["size", "filesize"])?;
    let requests = total.or(size).map(|(bytes, _)| (bytes / record).max(1).saturating_mul(common.jobs));
    if requests.is_none() && runtime.is_none() {
        let help = "write size=1g or runtime=60";
        return Err(FioError::at(line, "the job says neither a size nor a runtime").with_help(help));
    }
    if !direction.random && in_flight > 1 {
        remark(
            line,
            "several sequential requests in flight are streams of their own here, each from a place of its own",
        );
    }
    for entry in [options.take(&["fsync"]), options.take(&["fdatasync"])].into_iter().flatten() {
        remark(entry.line, &format!("{} is not taken of a job on a device", entry.key));
    }
    let iops = options.number(&["rate_iops"])?.map(|(rate, _)| rate as f64);
    let bytes = options.size(&["rate"])?.map(|(rate, _)| rate as f64 / *record as f64);
    let rate = iops.into_iter().chain(bytes).fold(f64::INFINITY, f64::min);
    // Each of those in flight keeps its part of the rate: it waits so long, or for its request.
    let apart = common.depth as f64 / rate;
    let limited = rate.is_finite() && apart.is_finite();
    let whole = |part: bool| if part { Fraction::ONE } else { Fraction::ZERO };
    let blocks = record / SECTOR_BYTES;
    let popularity = popularity(options, remark)?.filter(|_| direction.random);
    let generator = Generator {
        devices: vec![0],
        capacity: size.map(|(bytes, _)| Blocks(bytes / SECTOR_BYTES)),
        alignment: Blocks(blocks),
        popularity,
        read_fraction: common.share.unwrap_or_else(|| whole(direction.reads)),
        sequential_fraction: whole(!direction.random),
        local_fraction: Fraction::ZERO,
        time_critical_fraction: whole(!limited),
        time_limited_fraction: whole(limited),
        time_limit: limited.then(|| Draw::constant(Amount::from_base(apart))),
        inter_arrival: Draw::constant(Amount::from_base(
            Duration::from(common.think.0 + common.think.1).as_seconds(),
        )),
        sequential_inter_arrival: None,
        local_inter_arrival: None,
        local_distance: None,
        size: Draw::constant(Amount::from_base(blocks as f64)),
    };
    let generators = vec![generator; in_flight as usize];
    let requests = if common.is_endless { None } else { requests };
    Ok(Synthetic { requests, duration: runtime.map(Duration::from), processors: None, generators })
}
