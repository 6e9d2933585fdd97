//! The `disksim_disk` block: bus, overheads, cache and queue of a drive.

use super::error::{ImportError, Problem};
use super::files::Files;
use super::model;
use super::notes::{Ignored, Notes};
use super::reader::Reader;
use super::topology::Path;
use petrio_kernel::Time;
use petrio_models::device::disk::parameters::{
    AfterReadOrWrite, BusParameters, CacheParameters, DiskParameters, EarlyDisconnect, ImmediateReporting,
    OverheadParameters, QueueDiscipline, QueueParameters, ReadAhead, WriteBackParameters, WriteSegments,
};
use petrio_units::numbers::{as_number, whole_part};
use petrio_units::{Blocks, Duration, Fraction};

/// Reads a drive, attached as `path` says.
pub(super) fn read(
    disk: &Reader<'_>,
    path: Path,
    files: &dyn Files,
    notes: &mut Notes,
) -> Result<DiskParameters, ImportError> {
    let (geometry, mechanics) = model::read(&disk.need_block("Model")?, files, notes)?;
    let scale = disk.number("Time scale for overheads")?.unwrap_or(1.0);
    if !(0.0..=1e6).contains(&scale) {
        let name = "Time scale for overheads".to_owned();
        let expected = "a number from 0 to 1000000".to_owned();
        let problem = Problem::Value { name: name.clone(), expected, found: scale.to_string() };
        return Err(disk.error(&name, problem));
    }
    // DiskSim takes the larger one of this and the bus' own time (disksim_ctlrdumb.c): one below zero says that the bus decides.
    const BULK: &str = "Bulk sector transfer time";
    let is_negative = disk.number(BULK)?.is_some_and(|time| time < 0.0);
    let bulk = if is_negative { Duration::ZERO } else { disk.milliseconds(BULK)? };
    let slower = |bus: Duration| Duration::new(bus.time().max(bulk.time()));
    let parameters = DiskParameters {
        name: disk.block().name.clone(),
        source: format!("DiskSim parameter file {}", file_name(&disk.block().file)),
        cost: Default::default(),
        reliability: Default::default(),
        assumed: Vec::new(),
        data_sheet: None,
        geometry,
        mechanics,
        bus: BusParameters { read_block: slower(path.read_block), write_block: slower(path.write_block) },
        overheads: overheads(disk, scale)?,
        cache: cache(disk, notes)?,
        queue: queue(disk, notes)?,
    };
    disk.without_effect(&["Print stats", "Avg sectors per cylinder", "Calc sector by sector"]);
    notes.left_over(disk);
    Ok(parameters)
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

fn overheads(disk: &Reader<'_>, scale: f64) -> Result<OverheadParameters, ImportError> {
    let time = |name| -> Result<Duration, ImportError> {
        let span = disk.milliseconds(name)?;
        let scaled = span.time().as_picos() as f64 * scale;
        Ok(if scale == 1.0 { span } else { Duration::new(Time::from_picos(whole_part(scaled + 0.5))) })
    };
    let after = |read, write| -> Result<AfterReadOrWrite, ImportError> {
        Ok(AfterReadOrWrite { after_read: time(read)?, after_write: time(write)? })
    };
    let early = EarlyDisconnect {
        command: time("Extradisc command overhead")?,
        seek_delay: time("Extradisc seek delta")?,
        disconnect: time("Extradisc disconnect overhead")?,
        pause: time("Extradisc inter-disconnect delay")?,
        second_disconnect: time("Extradisc 2nd disconnect overhead")?,
        second_reselect: time("Other reselect overhead")?,
    };
    Ok(OverheadParameters {
        command: time("Per-request overhead time")?,
        read_hit: after("Read hit over. after read", "Read hit over. after write")?,
        read_miss: after("Read miss over. after read", "Read miss over. after write")?,
        write_reported: after("Write hit over. after read", "Write hit over. after write")?,
        write_through: after("Write miss over. after read", "Write miss over. after write")?,
        data_preparation: time("Data preparation overhead")?,
        reselect: time("First reselect overhead")?,
        write_disconnect: time("Write disconnect overhead")?,
        read_completion: time("Read completion overhead")?,
        write_completion: time("Write completion overhead")?,
        minimum_write_positioning: disk.milliseconds("Minimum seek delay")?,
        early_disconnect: disk.flag("Extra write disconnect")?.then_some(early),
    })
}

fn cache(disk: &Reader<'_>, notes: &mut Notes) -> Result<CacheParameters, ImportError> {
    let most = u64::from(u32::MAX);
    let blocks = |name| Ok::<_, ImportError>(Blocks(disk.count(name, most)?.unwrap_or(0)));
    let keep = disk.count("Enable caching in buffer", 2)?.unwrap_or(0) > 0;
    let read_ahead = match disk.count("Buffer continuous read", 4)?.unwrap_or(0) {
        0 => ReadAhead::None,
        1 => ReadAhead::Track,
        2 => ReadAhead::Cylinder,
        3 => ReadAhead::Segment,
        _ => ReadAhead::TrackAhead,
    };
    let immediate_reporting = match disk.count("Fast write level", 2)?.unwrap_or(0) {
        0 => ImmediateReporting::Never,
        1 => ImmediateReporting::Sequential,
        _ => ImmediateReporting::Always,
    };
    let over = disk.number("Read-ahead over requested")?.unwrap_or(0.0);
    let by_request = disk.flag("Set watermark by reqsize")?;
    let watermark = disk.number("High (read) water mark")?.unwrap_or(0.0);
    let read_watermark = Fraction::new(watermark).ok_or_else(|| {
        let name = "High (read) water mark";
        let expected = "a fraction from 0 to 1".to_owned();
        disk.error(name, Problem::Value { name: name.to_owned(), expected, found: watermark.to_string() })
    })?;
    let segments = as_number(disk.need_count("Number of buffer segments", 4096)?);
    let segment_size = disk.need_count("Segment size (in blks)", most)?;
    if disk.count("Immediate buffer read", 2)?.unwrap_or(0) > 0 {
        // Sectors that DiskSim reads out of order it counts again when they are due, so a read takes as long as
        // without; the drive's other figures were fitted with that.
        let why = "reads begin with their first sector, as their time does in DiskSim";
        notes.add(Ignored::new(disk.block(), "Immediate buffer read", "1", why));
    }
    let cache = CacheParameters {
        segments,
        segment_size: Blocks(segment_size),
        keep,
        read_ahead,
        read_ahead_limit: blocks("Maximum read-ahead (blks)")?,
        read_ahead_minimum: blocks("Minimum read-ahead (blks)")?,
        read_ahead_share: Blocks(0),
        read_ahead_after_hit: disk.flag("Read-ahead on idle hit")?,
        stop_within_sector: disk.flag("Stop prefetch in sector")?,
        keep_sectors_before: disk.flag("Read any free blocks")?,
        discard_when_read: over < 0.0,
        read_hits_on_written: disk.flag("Allow read hits on write data")?,
        // DiskSim keeps what a write leaves untouched; measured drives find nothing near it afterwards.
        writes_clear_near: true,
        hit_on_block_being_read: disk.flag("Allow almost read hits")?,
        hits_beside_read_ahead: disk.flag("Allow sneaky full read hits")?,
        read_on_arrival: false,
        write_on_arrival: disk.count("Immediate buffer write", 2)?.unwrap_or(0) > 0,
        write_lead: if disk.flag("Extra write disconnect")? {
            // DiskSim has this figure in its code, for the drive on which the further disconnection was observed.
            Blocks(10)
        } else if disk.flag("Hold bus entire write xfer")? {
            // The data come in one go, as far as the buffer takes them, and are written then.
            Blocks(segment_size.saturating_mul(u64::from(segments)))
        } else {
            Blocks(1)
        },
        write_segments: if disk.flag("Use separate write segment")? && segments > 1 {
            WriteSegments::One
        } else {
            WriteSegments::Any
        },
        immediate_reporting,
        write_back: WriteBackParameters::default(),
        read_watermark,
        never_disconnect: disk.flag("Never disconnect")?,
    };
    if !by_request && watermark > 0.0 {
        let why = "watermarks count as a share of the request";
        notes.add(Ignored::new(disk.block(), "Set watermark by reqsize", "0", why));
    }
    note_unusual(disk, notes)?;
    Ok(cache)
}

/// Notes parameters whose usual value says that the drive does not do what is not simulated, where they have another.
fn note_unusual(disk: &Reader<'_>, notes: &mut Notes) -> Result<(), ImportError> {
    let unusual: [(&'static str, f64, &'static str); 14] = [
        ("Hold bus entire read xfer", 1.0, "the drive is taken to hold its bus until a read is through"),
        ("Allow sneaky partial read hits", 0.0, "partial hits are served in their turn"),
        ("Allow sneaky intermediate read hits", 0.0, "hits are served in their turn"),
        ("Allow write prebuffering", 0.0, "data of waiting writes are not fetched early"),
        ("Preseeking level", 0.0, "the arm moves for one command at a time"),
        ("Low (write) water mark", 0.0, "a write's data are fetched without a break"),
        ("Combine seq writes", 1.0, "sequential writes are always combined"),
        ("Disconnect write if seek", 0.0, "the bus is let go when the data have arrived"),
        ("Write hit stop prefetch", 1.0, "a write always stops reading ahead"),
        ("Read directly to buffer", 1.0, "a sector is in the cache when it has passed the head"),
        ("Immed transfer partial hit", 1.0, "the cached part of a read is sent at once"),
        ("Read disconnect afterread", 0.0, "letting go of the bus overlaps the arm's movement"),
        ("Read disconnect afterwrite", 0.0, "letting go of the bus overlaps the arm's movement"),
        ("Maximum number of write segments", 0.0, "any segment takes a write, one write at a time"),
    ];
    for (name, usual, why) in unusual {
        let harmless =
            name.starts_with("Hold bus") && disk.number("First reselect overhead")?.unwrap_or(0.0) == 0.0;
        let value = disk.number(name)?.unwrap_or(usual);
        // Any number of write segments is served by one at a time.
        if value != usual && !harmless && !name.starts_with("Maximum number") {
            notes.add(Ignored::new(disk.block(), name, &value.to_string(), why));
        }
    }
    Ok(())
}

fn queue(disk: &Reader<'_>, notes: &mut Notes) -> Result<QueueParameters, ImportError> {
    let depth = as_number(disk.count("Max queue length", u64::from(u32::MAX))?.unwrap_or(1).max(1));
    let scheduler = disk.need_block("Scheduler")?;
    let discipline = discipline(&scheduler, notes)?;
    Ok(QueueParameters { depth, discipline })
}

/// The scheduling policies of DiskSim's queues, as far as they have a counterpart.
pub(super) fn discipline(scheduler: &Reader<'_>, notes: &mut Notes) -> Result<QueueDiscipline, ImportError> {
    let policy = scheduler.need_count("Scheduling policy", 100)?;
    let discipline = match policy {
        1 => QueueDiscipline::FirstCome,
        2 | 7 => QueueDiscipline::Look,
        3 | 8 => QueueDiscipline::CircularLook,
        4 | 9 => QueueDiscipline::ShortestSeek,
        5 | 11 | 13 | 17 | 20 => QueueDiscipline::ShortestPositioning,
        6 | 10 | 12 | 14 | 16 | 18 | 19 | 21 | 22 => QueueDiscipline::AgedShortestPositioning {
            longest_wait: Duration::new(Time::from_whole_seconds(1)),
        },
        _ => {
            let why = "commands are served first come, first served";
            notes.add(Ignored::new(scheduler.block(), "Scheduling policy", &policy.to_string(), why));
            QueueDiscipline::FirstCome
        }
    };
    if policy != 1 {
        notes.left_over(scheduler);
    }
    Ok(discipline)
}
