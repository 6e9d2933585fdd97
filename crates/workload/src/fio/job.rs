//! What one job does.

use super::direction::{Direction, direction};
use super::distribution::{popularity, sequence};
use super::engine::{Calls, Reaches, engine};
use super::ini::Section;
use super::options::{Options, ZONE_BYTES};
use super::pace::paces;
use super::sizes::{records, without_metadata};
use super::target::{Target, device, files, memory, target};
use super::until::{flow, latency_target, until_steady};
use super::{FioError, FioRemark, FioWork};
use crate::program::accesses::{
    AccessKind, AccessOrder, AccessParameters, Engine, Skip, Strides, Submitting, ZoneLog,
};
use crate::program::pattern::FileOrder;
use petrio_time::Time;
use petrio_units::numbers::as_number;
use petrio_units::{Bytes, Duration, Fraction};

const SECOND: u64 = 1_000_000_000_000;
const MICROSECOND: u64 = 1_000_000;
/// fio's seed where a job names none.
const USUAL_SEED: u64 = 0x89;
/// So many accesses in flight, processes or files; more are a mistake.
const COUNT_MAX: u64 = 1 << 20;
const IN_FLIGHT_MAX: u64 = 1 << 16;

/// A job as it is read, before it is known what others do.
pub(super) struct Read {
    pub(super) work: FioWork,
    /// The names of its files, where it names them.
    pub(super) files: Vec<String>,
    /// Whether it only makes them.
    pub(super) only_makes: bool,
}

/// Reads a job whose first process has a number among all of the file; `known_size` says how large the files of that name are
/// which jobs before it have made.
#[expect(clippy::too_many_lines, reason = "a job's options in the order in which fio reads them")]
pub(super) fn job(
    section: Section,
    job_number: u32,
    known_size: &dyn Fn(&str) -> Option<u64>,
    remarks: &mut Vec<FioRemark>,
) -> Result<Read, FioError> {
    let line = section.line;
    let mut options = Options::of(section)?;
    let mut own = Vec::new();
    let mut remark = |line: u32, text: &str| own.push(FioRemark { line, text: text.to_owned() });
    let only_makes = options.is_on("create_only")?;
    let direction = direction(&mut options)?;
    let calls = engine(&mut options)?;
    let target = target(&mut options, &calls, &mut remark);
    if let Some(entry) = options.take(&["read_iolog"]) {
        let help = format!("petrio init --from {} plays what is in it", entry.value);
        return Err(
            FioError::at(entry.line, "read_iolog replays a log: nothing else is in the job").with_help(help)
        );
    }
    let (mut reads, mut writes) = records(&mut options, &mut remark)?;
    if let Some(line) = options.metadata().filter(|_| target.is_device) {
        remark(line, "protection information has no addresses of its own: blocks are played without it");
        (reads, writes) = (without_metadata(reads), without_metadata(writes));
    }
    if let Some(line) = direction.trims {
        remark(line, "trims are not played, for no device here knows what they free: the writes alone are");
    }
    let own_sizes = if direction.operation == AccessKind::Write { &writes } else { &reads };
    let operation = calls.names.unwrap_or(direction.operation);
    let mut parameters = AccessParameters {
        write_record: Some(writes.clone())
            .filter(|writes| operation == AccessKind::Mixed && *writes != reads),
        any_size: options.is_on("bs_unaligned")?,
        job_number,
        ..AccessParameters::new(operation, own_sizes.clone())
    };
    if calls.truncates && operation != AccessKind::Write {
        return Err(FioError::at(
            calls.line,
            "ioengine=ftruncate cuts off what is written: rw=write or rw=randwrite",
        ));
    }
    order(&mut options, &direction, &mut parameters, &mut remark)?;
    counts(&mut options, &calls, &target, &mut parameters)?;
    let is_direct = flight(&mut options, &calls, &target, &mut parameters, &mut remark)?;
    times(&mut options, &mut parameters, &mut remark)?;
    (parameters.pace, parameters.write_pace) = paces(&mut options, (&reads, &writes))?;
    if operation != AccessKind::Mixed {
        let write_pace = parameters.write_pace.take();
        if operation == AccessKind::Write {
            parameters.pace =
                write_pace.filter(|pace| !is_open(pace)).or(parameters.pace.filter(|_| write_pace.is_none()));
        }
    }
    durability(&mut options, &mut parameters)?;
    seeds(&mut options, &mut parameters)?;
    parameters.reads_back =
        options.take(&["verify"]).is_some_and(|entry| !matches!(entry.value.as_str(), "0" | "none" | "null"))
            && operation.writes()
            && options.switch("do_verify")?.is_none_or(|(on, _)| on);
    let reads_back = parameters.reads_back && !parameters.keep_on;
    parameters.reads_back = reads_back;
    if target.is_device {
        device(&mut options, &mut parameters, (&calls, is_direct, line), &mut remark)?;
    } else {
        files(&mut options, &mut parameters, (&calls, &target, line), known_size, &mut remark)?;
    }
    parameters.latency_target = latency_target(&mut options)?;
    parameters.until_steady = until_steady(&mut options, &mut remark)?;
    parameters.flow = flow(&mut options)?;
    options.finish(&mut own);
    remarks.append(&mut own);
    let (names, work) = match target.is_device {
        true => {
            let devices = if calls.reaches == Reaches::Memory { memory(operation) } else { target.names };
            (Vec::new(), FioWork::Device { parameters: Box::new(parameters), devices })
        }
        false => (target.names, FioWork::Files(Box::new(parameters))),
    };
    Ok(Read { work, files: names, only_makes })
}

fn is_open(pace: &crate::program::accesses::Pace) -> bool {
    matches!(pace.limit, crate::program::accesses::LimitOn::PerSecond(rate) if rate > 1e11)
}

fn order(
    options: &mut Options,
    direction: &Direction,
    parameters: &mut AccessParameters,
    remark: &mut dyn FnMut(u32, &str),
) -> Result<(), FioError> {
    let random = direction.order == AccessOrder::Random;
    parameters.order = direction.order;
    parameters.run = direction.run;
    parameters.skip = Some(Skip::new(direction.skip)).filter(|skip| skip.get() != 0);
    if let Some(entry) = options.take(&["rw_sequencer"]).filter(|entry| entry.value == "identical") {
        remark(entry.line, "rw_sequencer=identical is not taken: accesses of a run follow each other");
    }
    if parameters.operation == AccessKind::Mixed {
        parameters.read_share = Some(read_share(options)?);
    } else {
        read_share(options)?;
    }
    let alignment = options.size(&["blockalign", "ba"])?;
    let share = options.number(&["percentage_random"])?;
    let repetition = options.is_on("norandommap")?;
    let sequence = sequence(options)?;
    let popularity = popularity(options, remark)?;
    if let Some(entry) =
        options.take(&["random_generator"]).filter(|entry| random && entry.value != "tausworthe")
    {
        remark(
            entry.line,
            &format!("random_generator={}: places come in another order here, each as often", entry.value),
        );
    }
    if random {
        let least = parameters.bounds().0;
        parameters.alignment = alignment.map(|(bytes, _)| Bytes(bytes)).filter(|bytes| bytes.get() != least);
        parameters.random_share = share
            .and_then(|(percent, _)| Fraction::new(percent.min(100) as f64 / 100.0))
            .filter(|share| share.get() < 1.0);
        parameters.repetition = repetition && popularity.is_none() && sequence.is_none();
        parameters.sequence = sequence;
        parameters.popularity = popularity;
    }
    let size =
        |options: &mut Options, name: &str| Ok::<_, FioError>(options.size(&[name])?.map(|(bytes, _)| bytes));
    let mode = options.take(&["zonemode"]);
    let (amount, range) = (size(options, "zonesize")?, size(options, "zonerange")?);
    let skip = size(options, "zoneskip")?;
    let open = options.number(&["max_open_zones"])?.or(options.number(&["job_max_open_zones"])?);
    match mode.as_ref().map(|mode| mode.value.as_str()) {
        Some("zbd") => {
            if amount.is_none() {
                remark(mode.map_or(0, |mode| mode.line), "zones are taken to be of 256 MiB");
            }
            let open = open.map(|(open, _)| u32::try_from(open).unwrap_or(u32::MAX)).filter(|open| *open > 0);
            parameters.zones = Some(ZoneLog { size: Bytes(amount.unwrap_or(ZONE_BYTES)), open });
        }
        Some("none") => {}
        _ => {
            if let Some(amount) = amount.filter(|amount| *amount > 0) {
                let range = range.filter(|range| *range > 0).unwrap_or(amount);
                let skip = Bytes(skip.unwrap_or(0));
                parameters.strides = Some(Strides { amount: Bytes(amount), range: Bytes(range), skip });
            }
        }
    }
    Ok(())
}

/// How many of a mixed job's accesses are reads; the last of the two options counts.
fn read_share(options: &mut Options) -> Result<Fraction, FioError> {
    let (read, write) = (options.number(&["rwmixread"])?, options.number(&["rwmixwrite"])?);
    let write = write.map(|(percent, line)| (100_u64.saturating_sub(percent), line));
    let percent = match (read, write) {
        (Some(read), Some(write)) if write.1 > read.1 => write,
        (read, write) => read.or(write).unwrap_or((50, 0)),
    };
    let share = Fraction::new(percent.0 as f64 / 100.0);
    share.ok_or_else(|| FioError::at(percent.1, "a share lies between 0 and 100 (per cent)"))
}

fn at_least_one(number: Option<(u64, u32)>, name: &str, most: u64) -> Result<u64, FioError> {
    match number {
        Some((0, line)) => Err(FioError::at(line, format!("{name} is at least 1"))),
        Some((number, line)) if number > most => {
            Err(FioError::at(line, format!("{name} is at most {most} here")))
        }
        number => Ok(number.map_or(1, |(number, _)| number)),
    }
}

/// Processes, files, passes and accesses.
fn counts(
    options: &mut Options,
    calls: &Calls,
    target: &Target,
    parameters: &mut AccessParameters,
) -> Result<(), FioError> {
    parameters.processes = as_number(at_least_one(options.number(&["numjobs"])?, "numjobs", COUNT_MAX)?);
    let files = at_least_one(options.number(&["nrfiles", "nr_files"])?, "nrfiles", COUNT_MAX)?;
    if !target.is_device {
        parameters.files = as_number(files.max(target.names.len() as u64));
        parameters.shared_files = !target.names.is_empty() && parameters.processes > 1;
    }
    if calls.names.is_some() {
        parameters.shared_files = false;
    }
    let loops = at_least_one(options.number(&["loops"])?, "loops", u64::from(u32::MAX))?;
    parameters.passes = as_number(loops);
    parameters.accesses = options.number(&["number_ios"])?.map(|(count, _)| count).filter(|count| *count > 0);
    if let Some(entry) = options.take(&["file_service_type"]) {
        let (order, turn) = entry.value.split_once(':').unwrap_or((&entry.value, ""));
        parameters.file_order = match order {
            "sequential" => FileOrder::OneAfterAnother,
            "roundrobin" => FileOrder::RoundRobin,
            _ => FileOrder::Random,
        };
        parameters.file_turn = turn.parse().ok().filter(|turn| *turn > 0).unwrap_or(1);
    }
    Ok(())
}

/// How many are in flight, and by which calls; whether these go past the page cache.
fn flight(
    options: &mut Options,
    calls: &Calls,
    target: &Target,
    parameters: &mut AccessParameters,
    remark: &mut dyn FnMut(u32, &str),
) -> Result<bool, FioError> {
    let depth = as_number(at_least_one(options.number(&["iodepth"])?, "iodepth", IN_FLIGHT_MAX)?);
    let offloads = options.take(&["io_submit_mode"]).is_some_and(|entry| entry.value == "offload");
    let least = options.number(&["iodepth_batch_complete_min", "iodepth_batch_complete"])?;
    let low = options.number(&["iodepth_low"])?;
    let most = options.number(&["iodepth_batch_complete_max"])?;
    let together = options.number(&["iodepth_batch_submit", "iodepth_batch"])?;
    let engine = match calls.engine {
        // Threads of fio make the calls, as many as may be in flight.
        Engine::Waits if offloads && !calls.is_mapped => Engine::IoUring,
        engine => engine,
    };
    if engine == Engine::Waits || depth == 1 && engine != Engine::NativeAio {
        // One at a time, whatever is said.
        parameters.engine = if depth == 1 { engine } else { Engine::Waits };
    }
    if engine != Engine::Waits {
        (parameters.engine, parameters.in_flight) = (engine, depth);
        let bounded = |count: u64| as_number(count.min(u64::from(depth)));
        // As fio's init.c completes them: 0 submits all together, and at least as many are taken back as are waited for.
        let least = least.map_or(0, |(least, _)| bounded(least));
        parameters.submitting = Submitting {
            waits_for: least,
            takes: most
                .map(|(most, _)| bounded(most).max(least))
                .filter(|most| *most > least.max(1))
                .unwrap_or(0),
            together: match together {
                None | Some((1, _)) => 0,
                Some((0, _)) => depth,
                Some((together, _)) => bounded(together),
            },
            refills_at: low.map_or(0, |(low, _)| as_number(low.min(u64::from(depth)))),
        };
    }
    if parameters.in_flight == 1 {
        (parameters.engine, parameters.submitting) = (Engine::Waits, Submitting::default());
    }
    (parameters.mapped, parameters.truncates) = (calls.is_mapped, calls.truncates);
    let (direct, buffered) = (options.switch("direct")?, options.switch("buffered")?);
    let direct = match (direct, buffered) {
        (Some((direct, _)), Some((buffered, line))) if direct == buffered => {
            let help = "write one of them";
            return Err(FioError::at(line, "direct and buffered contradict each other").with_help(help));
        }
        (Some((direct, _)), _) => direct,
        (None, buffered) => buffered.is_some_and(|(buffered, _)| !buffered),
    };
    let atomic = options.is_on("atomic")?;
    if direct && calls.is_mapped {
        remark(calls.line, "stores into a mapping are no calls: direct is not taken");
    }
    let moves = parameters.operation.moves_data();
    parameters.direct = (direct || atomic) && !calls.is_mapped && !target.is_device && moves;
    if !parameters.direct
        && !target.is_device
        && parameters.engine == Engine::NativeAio
        && parameters.in_flight > 1
    {
        remark(
            calls.line,
            "buffered accesses are waited for in io_submit, whatever the iodepth, as by Linux",
        );
    }
    Ok(direct || atomic)
}

fn times(
    options: &mut Options,
    parameters: &mut AccessParameters,
    remark: &mut dyn FnMut(u32, &str),
) -> Result<(), FioError> {
    let runtime = options.time(&["runtime", "timeout"], SECOND)?;
    let based = options.switch("time_based")?.filter(|(based, _)| *based);
    let based = based.filter(|(_, line)| {
        if runtime.is_none() {
            remark(*line, "time_based without a runtime does nothing, as in fio");
        }
        runtime.is_some()
    });
    let duration = |time: Time| Duration::from(time);
    parameters.duration = runtime.map(|(time, _)| duration(time)).filter(|time| *time != Duration::ZERO);
    parameters.keep_on = based.is_some() && parameters.operation.moves_data();
    if parameters.keep_on {
        parameters.passes = 1;
    }
    parameters.warm_up =
        options.time(&["ramp_time"], SECOND)?.map_or(Duration::ZERO, |(time, _)| duration(time));
    if let Some(mut entry) = options.take(&["startdelay"]) {
        let (low, high) = entry
            .value
            .split_once('-')
            .map_or((entry.value.clone(), None), |(low, high)| (low.to_owned(), Some(high.to_owned())));
        let read = |text: &str| super::values::time(text, SECOND);
        let Some(from) = read(&low) else {
            return Err(FioError::at(
                entry.line,
                format!("startdelay={}: a time such as 30s is needed", entry.value),
            ));
        };
        let to = high.as_deref().and_then(read).unwrap_or(from);
        if to != from {
            remark(entry.line, "all processes begin together: in the middle of startdelay");
        }
        entry.value = low;
        parameters.starts_after = duration(Time::from_picos(from.as_picos() / 2 + to.as_picos() / 2));
    }
    let think = options.time(&["thinktime"], MICROSECOND)?.map_or(Time::ZERO, |(time, _)| time);
    // Part of the thinking, and without it nothing.
    let spin =
        options.time(&["thinktime_spin"], MICROSECOND)?.map_or(Time::ZERO, |(time, _)| time.min(think));
    (parameters.compute_time, parameters.think_time) = (duration(spin), duration(think - spin));
    let by_issue =
        options.take(&["thinktime_blocks_type"]).is_some_and(|entry| entry.value.starts_with("issue"));
    let every = options.number(&["thinktime_blocks"])?.map(|(every, _)| every).filter(|every| *every > 0);
    let after =
        options.time(&["thinktime_iotime"], SECOND)?.map(|(time, _)| time).filter(|time| *time > Time::ZERO);
    if think > Time::ZERO {
        parameters.think_by_issue = by_issue;
        parameters.think_after = after.map(duration);
        // Its usual 1 doesn't go with times.
        parameters.think_every = every.unwrap_or(u64::from(after.is_none()));
    }
    Ok(())
}

/// What makes writes durable; of a job that only reads, nothing.
fn durability(options: &mut Options, parameters: &mut AccessParameters) -> Result<(), FioError> {
    let (fsync, fdatasync) = (options.number(&["fsync"])?, options.number(&["fdatasync"])?);
    let at_end =
        options.is_on("end_fsync")? | options.is_on("end_syncfs")? | options.is_on("fsync_on_close")?;
    let sync = options.take(&["sync"]);
    if !parameters.operation.writes() {
        return Ok(());
    }
    let every = |number: Option<(u64, u32)>| number.map_or(0, |(every, _)| every);
    // Where both are due, fio makes the fsync.
    (parameters.fsync_every, parameters.fdatasync_every) = (every(fsync), every(fdatasync));
    parameters.fsync_at_end = at_end;
    if let Some(entry) = sync.filter(|_| !parameters.mapped) {
        parameters.sync = matches!(entry.value.as_str(), "sync" | "1" | "");
        parameters.data_sync = entry.value == "dsync";
    }
    Ok(())
}

/// Where fio's random numbers begin.
fn seeds(options: &mut Options, parameters: &mut AccessParameters) -> Result<(), FioError> {
    let repeats = options.switch("randrepeat")?.is_none_or(|(on, _)| on);
    let seed = options.number(&["randseed"])?.map(|(seed, _)| seed);
    parameters.seed = seed.or(repeats.then_some(USUAL_SEED));
    parameters.same_passes = repeats && parameters.operation.moves_data();
    Ok(())
}
