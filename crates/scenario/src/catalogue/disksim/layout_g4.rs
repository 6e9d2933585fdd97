//! The `dm_layout_g4` block: zones by a tree of runs of tracks, as extracted from real drives.
//!
//! ```text
//!  TP     patterns of a track: first and last sector with a block, sectors in all
//!  IDX    nodes, the last one the root; an entry says where it begins (block, cylinder, angle), how large one instance of its child
//!         is, and how far the run of instances goes: a child is another node, or a track on a head
//!  Slips  block, how many are skipped there        Remaps  block, how many, cylinder, head, sector, sectors of that track
//! ```
//!
//! Source: diskmodel of DiskSim 4.0 with 64-bit addresses, layout_g4_load.c and layout_g4.c; the fields' list in layout_g4.modspec is of an
//! older form of eight fields, which no file that was found has. A node all of whose entries are tracks is the pattern of a zone; the
//! order of its tracks is found by comparing them with the orders that a drive here can have. Left out: patterns whose tracks differ in
//! length, orders of other kinds (refused), remapped sectors (told), skews that change within a zone (those of its first tracks hold).

use super::error::{ImportError, Problem};
use super::notes::{Ignored, Notes};
use super::reader::Reader;
use super::syntax::{Located, Value};
use petrio_kernel::Time;
use petrio_models::device::disk::parameters::{GeometryParameters, Sparing, TrackOrder, ZoneParameters};
use petrio_models::device::disk::{Layout, Track};

/// A tree is no deeper, and has no more entries; nor has a zone's pattern more tracks.
const DEPTH_MAX: u32 = 16;
const ENTRIES_MAX: usize = 1 << 18;
const TRACKS_MAX: u64 = 1 << 20;
const ZONES_MAX: usize = 1 << 14;
/// Blocks and cylinders have smaller numbers, on any drive.
const NUMBER_MAX: u64 = 1 << 48;

/// What an entry of a node repeats.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Child {
    Node(usize),
    Track { pattern: usize, head: u32 },
}

/// A run of instances.
#[derive(Clone, Copy, Debug)]
struct Entry {
    block: u64,
    cylinder: u64,
    /// Of the first instance's first sector, in turns; and from one instance to the next.
    angle: f64,
    turn: f64,
    /// Of one instance.
    blocks: u64,
    cylinders: u64,
    /// Instances, and whether they go towards the outer edge.
    instances: u64,
    outwards: bool,
    child: Child,
}

/// A track's pattern: its first and last sector with a block, and all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Pattern {
    low: u64,
    high: u64,
    sectors: u64,
}

/// Instances of a pattern of tracks, one behind the other: a zone.
#[derive(Clone, Copy, Debug)]
struct Stretch {
    node: usize,
    block: u64,
    cylinder: u64,
    angle: f64,
    turn: f64,
    cylinders: u64,
    instances: u64,
}

/// How a drive's tracks lie.
pub(super) struct Tracks {
    pub(super) order: TrackOrder,
    pub(super) sparing: Sparing,
    pub(super) zones: Vec<ZoneParameters>,
}

/// Reads the layout of a drive with so many surfaces.
pub(super) fn read(layout: &Reader<'_>, surfaces: u32, notes: &mut Notes) -> Result<Tracks, ImportError> {
    let patterns = patterns(layout)?;
    let nodes = nodes(layout, patterns.len())?;
    let tree = Tree { layout, patterns, nodes, surfaces };
    let mut stretches = Vec::new();
    let root = tree.nodes.len().checked_sub(1).ok_or_else(|| tree.wrong("at least one node", "none"))?;
    tree.stretches(root, (0, 0, 0.0), DEPTH_MAX, &mut stretches)?;
    let mut order = None;
    let mut zones = Vec::with_capacity(stretches.len());
    for stretch in &stretches {
        let (of_zone, zone) = tree.zone(stretch)?;
        if *order.get_or_insert(of_zone) != of_zone {
            return Err(tree.unsupported("zones whose tracks are numbered in different orders"));
        }
        zones.push(zone);
    }
    let spares = zones.iter().any(|zone| zone.spares > 0);
    let sparing = if spares { Sparing::SectorsPerTrack } else { Sparing::None };
    slips(layout, &stretches, &mut zones, spares, notes)?;
    let remaps = layout.counts("Remaps")?;
    if !remaps.is_empty() {
        let why = "remapped sectors lie where they were";
        notes.add(Ignored::new(layout.block(), "Remaps", &format!("{} sectors", remaps.len() / 6), why));
    }
    Ok(Tracks { order: order.unwrap_or_default(), sparing, zones })
}

fn patterns(layout: &Reader<'_>) -> Result<Vec<Pattern>, ImportError> {
    let numbers = layout.counts("TP")?;
    let of = |fields: &[u64]| match *fields {
        [low, high, sectors] if low <= high && high < sectors && sectors <= 1 << 16 => {
            Some(Pattern { low, high, sectors })
        }
        _ => None,
    };
    let found: Option<Vec<Pattern>> = numbers.chunks(3).map(of).collect();
    found.filter(|found| !found.is_empty()).ok_or_else(|| {
        let expected = "threes of a track's first and last sector with a block and of its sectors".to_owned();
        let found = format!("{} numbers", numbers.len());
        layout.error("TP", Problem::Value { name: "TP".to_owned(), expected, found })
    })
}

fn nodes(layout: &Reader<'_>, patterns: usize) -> Result<Vec<Vec<Entry>>, ImportError> {
    let items = layout.list("IDX")?.unwrap_or_default();
    let mut all = 0;
    let mut nodes = Vec::with_capacity(items.len());
    for item in items {
        let wrong = |line: u32| {
            let expected =
                "nodes: lists of entries, each eight numbers, TRACK or IDX, a child, and of a track its head"
                    .to_owned();
            let problem = Problem::Value { name: "IDX".to_owned(), expected, found: item.value.describe() };
            ImportError::new(&layout.block().file, line, problem)
        };
        let Value::List(values) = &item.value else { return Err(wrong(item.line)) };
        let mut rest = values.as_slice();
        let mut node = Vec::new();
        while let Some(first) = rest.first() {
            let (entry, taken) = entry(rest).ok_or_else(|| wrong(first.line))?;
            let is_there = match entry.child {
                Child::Node(child) => child < items.len(),
                Child::Track { pattern, .. } => pattern < patterns,
            };
            all += 1;
            if !is_there || all > ENTRIES_MAX {
                return Err(wrong(first.line));
            }
            node.push(entry);
            rest = &rest[taken..];
        }
        nodes.push(node);
    }
    Ok(nodes)
}

/// An entry at the beginning of a list, and how many values it takes.
fn entry(values: &[Located<Value>]) -> Option<(Entry, usize)> {
    let word = |at: usize| match &values.get(at)?.value {
        Value::Words(word) => Some(word.as_str()),
        _ => None,
    };
    let count = |at: usize| word(at)?.parse::<u64>().ok().filter(|number| *number < NUMBER_MAX);
    let turns = |at: usize| word(at)?.parse::<f64>().ok().filter(|turns| turns.abs() < 1e6);
    let (blocks, cylinders, run) = (count(3)?, count(4)?, count(6)?);
    let cylinder_run = word(7)?.parse::<i64>().ok()?;
    let is_whole = blocks > 0 && cylinders > 0 && run > 0 && run.is_multiple_of(blocks);
    let instances = run.checked_div(blocks).filter(|_| is_whole)?;
    if cylinder_run.unsigned_abs() != instances.checked_mul(cylinders)? {
        return None;
    }
    let at = usize::try_from(count(9)?).ok()?;
    let (child, taken) = match word(8)? {
        "TRACK" => (Child::Track { pattern: at, head: u32::try_from(count(10)?).ok()? }, 11),
        "IDX" => (Child::Node(at), 10),
        _ => return None,
    };
    let entry = Entry {
        block: count(0)?,
        cylinder: count(1)?,
        angle: turns(2)?,
        turn: turns(5)?,
        blocks,
        cylinders,
        instances,
        outwards: cylinder_run < 0,
        child,
    };
    Some((entry, taken))
}

/// The nodes and what they are of.
struct Tree<'r, 'b> {
    layout: &'r Reader<'b>,
    patterns: Vec<Pattern>,
    nodes: Vec<Vec<Entry>>,
    surfaces: u32,
}

impl Tree<'_, '_> {
    fn wrong(&self, expected: &str, found: &str) -> ImportError {
        let (expected, found) = (expected.to_owned(), found.to_owned());
        self.layout.error("IDX", Problem::Value { name: "IDX".to_owned(), expected, found })
    }

    fn unsupported(&self, found: &str) -> ImportError {
        let supported = "tracks by cylinders, in serpentines, or in bands along one surface after the other, of one length in a zone";
        self.layout.error("IDX", Problem::Unsupported { name: "IDX", found: found.to_owned(), supported })
    }

    /// The zones below a node that begins at a block, a cylinder and an angle.
    fn stretches(
        &self,
        node: usize,
        (block, cylinder, angle): (u64, u64, f64),
        depth: u32,
        into: &mut Vec<Stretch>,
    ) -> Result<(), ImportError> {
        let entries = &self.nodes[node];
        if depth == 0 || into.len() > ZONES_MAX || entries.is_empty() {
            return Err(self.wrong("a tree of a few levels", "one that is empty or goes round"));
        }
        let end = |base: u64, begin: u64| {
            base.checked_add(begin).ok_or_else(|| self.wrong("a drive", "one beyond all numbers"))
        };
        if entries.iter().all(|entry| matches!(entry.child, Child::Track { .. })) {
            let last = |entry: &Entry| {
                entry.cylinder + if entry.outwards { 1 } else { entry.instances * entry.cylinders }
            };
            let cylinders = entries.iter().map(last).max().unwrap_or(1);
            into.push(Stretch { node, block, cylinder, angle, turn: 0.0, cylinders, instances: 1 });
            return Ok(());
        }
        for entry in entries {
            let Child::Node(child) = entry.child else {
                return Err(self.unsupported("a node of tracks and of other nodes"));
            };
            if entry.outwards {
                return Err(self.unsupported("zones that go towards the outer edge"));
            }
            let here = (end(block, entry.block)?, end(cylinder, entry.cylinder)?, angle + entry.angle);
            let is_zone = self.nodes[child].iter().all(|inner| matches!(inner.child, Child::Track { .. }));
            if is_zone && !self.nodes[child].is_empty() {
                let &Entry { turn, cylinders, instances, .. } = entry;
                let (block, cylinder, angle) = here;
                into.push(Stretch { node: child, block, cylinder, angle, turn, cylinders, instances });
                continue;
            }
            for instance in 0..entry.instances {
                let begin = (
                    end(here.0, instance.saturating_mul(entry.blocks))?,
                    end(here.1, instance.saturating_mul(entry.cylinders))?,
                    here.2 + entry.turn * instance as f64,
                );
                self.stretches(child, begin, depth - 1, into)?;
            }
        }
        Ok(())
    }

    /// The tracks of a zone's first two instances in the order of their blocks: cylinder, head and angle.
    fn tracks(&self, stretch: &Stretch) -> Result<(Pattern, Vec<(Track, f64)>), ImportError> {
        let entries = &self.nodes[stretch.node];
        let mut found = Vec::new();
        let mut kept: Option<Pattern> = None;
        for instance in 0..stretch.instances.min(2) {
            let mut next = 0;
            for entry in entries {
                let Child::Track { pattern, head } = entry.child else { continue };
                let pattern = self.patterns[pattern];
                if *kept.get_or_insert(pattern) != pattern || pattern.high - pattern.low + 1 != entry.blocks {
                    return Err(self.unsupported("a zone whose tracks have different lengths"));
                }
                if entry.block != next || entry.cylinders != 1 || head >= self.surfaces {
                    return Err(self.unsupported(
                        "tracks with gaps between their blocks, or on heads that there aren't",
                    ));
                }
                if entry.instances > TRACKS_MAX - found.len() as u64 {
                    return Err(self.wrong("a zone's pattern of fewer tracks", "a million and more"));
                }
                next += entry.blocks * entry.instances;
                for step in 0..entry.instances {
                    let along = if entry.outwards {
                        entry.cylinder.checked_sub(step)
                    } else {
                        Some(entry.cylinder + step)
                    };
                    let cylinder = along.map(|along| along + instance * stretch.cylinders);
                    let cylinder = cylinder.and_then(|cylinder| u32::try_from(cylinder).ok());
                    let cylinder = cylinder.ok_or_else(|| self.wrong("cylinders from 0 on", "others"))?;
                    let steps = if entry.outwards { -(step as f64) } else { step as f64 };
                    let angle =
                        stretch.angle + stretch.turn * instance as f64 + entry.angle + entry.turn * steps;
                    found.push((Track { cylinder, surface: head }, angle));
                }
            }
        }
        let pattern = kept.ok_or_else(|| self.wrong("tracks", "none"))?;
        Ok((pattern, found))
    }

    /// A zone, and the order of its tracks.
    fn zone(&self, stretch: &Stretch) -> Result<(TrackOrder, ZoneParameters), ImportError> {
        let (Pattern { low, high, sectors }, tracks) = self.tracks(stretch)?;
        let cylinders = stretch.cylinders * stretch.instances.min(2);
        let order = self.order(stretch, &tracks, cylinders)?;
        let angle = |row: usize| tracks.get(row).map_or(0.0, |(_, angle)| *angle);
        let from_to = |from: usize, to: usize| {
            let turns = if to < tracks.len() { angle(to) - angle(from) } else { 0.0 };
            (turns - libm::floor(turns)) * sectors as f64
        };
        let surfaces = self.surfaces as usize;
        let is_banded = matches!(order, TrackOrder::Bands(_));
        let last = stretch.cylinder + stretch.cylinders.saturating_mul(stretch.instances) - 1;
        let number =
            |number: u64| u32::try_from(number).map_err(|_| self.wrong("a drive", "one beyond all numbers"));
        let zone = ZoneParameters {
            first_cylinder: number(stretch.cylinder)?,
            last_cylinder: number(last)?,
            sectors_per_track: number(sectors)?,
            track_skew_sectors: if is_banded || surfaces > 1 { from_to(0, 1) } else { 0.0 },
            cylinder_skew_sectors: if is_banded { 0.0 } else { from_to(surfaces - 1, surfaces) },
            first_sector_angle_sectors: (angle(0) - libm::floor(angle(0))) * sectors as f64,
            reserved_sectors: 0,
            // What a track has before its first block is behind its last one here: its angle takes that up.
            spares: sectors - (high - low + 1),
            slips: Vec::new(),
            remaps: Vec::new(),
        };
        let shifted = zone.first_sector_angle_sectors + low as f64;
        Ok((order, ZoneParameters { first_sector_angle_sectors: shifted % sectors as f64, ..zone }))
    }

    /// The order in which a drive here numbers tracks as these are.
    fn order(
        &self,
        stretch: &Stretch,
        tracks: &[(Track, f64)],
        cylinders: u64,
    ) -> Result<TrackOrder, ImportError> {
        let cylinders = u32::try_from(cylinders).ok().filter(|cylinders| *cylinders > 0);
        let cylinders =
            cylinders.ok_or_else(|| self.wrong("a zone of some cylinders", "none, or beyond all numbers"))?;
        if tracks.len() as u64 != u64::from(cylinders) * u64::from(self.surfaces) {
            return Err(self.unsupported("a zone in which not every head has a track on every cylinder"));
        }
        let run = self.nodes[stretch.node].first().map_or(1, |entry| entry.instances);
        let bands = u32::try_from(run).ok().filter(|run| *run > 1).map(TrackOrder::Bands);
        let candidates = [TrackOrder::Cylinder, TrackOrder::Serpentine].into_iter().chain(bands);
        let fits = |order: &TrackOrder| {
            let zone = ZoneParameters {
                first_cylinder: 0,
                last_cylinder: cylinders - 1,
                sectors_per_track: 1,
                track_skew_sectors: 0.0,
                cylinder_skew_sectors: 0.0,
                first_sector_angle_sectors: 0.0,
                reserved_sectors: 0,
                spares: 0,
                slips: Vec::new(),
                remaps: Vec::new(),
            };
            let geometry = GeometryParameters {
                surfaces: self.surfaces,
                cylinders,
                blocks: None,
                order: *order,
                sparing: Sparing::None,
                skew_scale: 1.0,
                physical_sector: petrio_units::Blocks(1),
                zones: vec![zone],
            };
            let Ok(layout) = Layout::new(&geometry, Time::from_millis(10)) else { return false };
            (0..).zip(tracks).all(|(row, (track, _))| layout.place(row).track == *track)
        };
        candidates.into_iter().find(fits).ok_or_else(|| self.unsupported("tracks in an order of their own"))
    }
}

/// Puts skipped sectors into the zones in which they lie.
fn slips(
    layout: &Reader<'_>,
    stretches: &[Stretch],
    zones: &mut [ZoneParameters],
    spares: bool,
    notes: &mut Notes,
) -> Result<(), ImportError> {
    let numbers = layout.counts("Slips")?;
    let count: u64 = numbers.chunks_exact(2).map(|pair| pair[1]).fold(0, u64::saturating_add);
    if count == 0 {
        return Ok(());
    }
    let is_far = numbers.iter().any(|number| *number >= NUMBER_MAX);
    if spares || is_far || count > TRACKS_MAX || !numbers.len().is_multiple_of(2) {
        let why = "they are taken for sectors like others";
        notes.add(Ignored::new(layout.block(), "Slips", &format!("{count} sectors"), why));
        return Ok(());
    }
    let mut before = 0;
    for pair in numbers.chunks_exact(2) {
        for place in (pair[0] + before)..(pair[0] + before + pair[1]) {
            let zone = stretches.partition_point(|stretch| stretch.block <= place).saturating_sub(1);
            if let (Some(zone), Some(stretch)) = (zones.get_mut(zone), stretches.get(zone)) {
                zone.slips.push(place - stretch.block);
            }
        }
        before += pair[1];
    }
    Ok(())
}
