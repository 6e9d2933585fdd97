//! A track: how many sectors it has, whether one goes on as another did, and which of its sectors hold no block.
//!
//! Along a track the angle grows by an even step from block to block. A sector that is skipped, because it was found bad or
//! is kept as a spare, leaves a step of two; what is no whole number of sectors, or many, is the end of the track.

use super::error::DriveCalibrationError;
use super::probe::{Probe, difference};
use petrio_units::numbers::nearest_whole;

type Result<T> = std::result::Result<T, DriveCalibrationError>;

/// Sectors that are skipped in one place, at most, in the middle of a track.
const MOST_SKIPPED: u64 = 8;

/// Looks at a track's first sectors, until they follow each other.
const LOOKS: u32 = 5;

/// What sectors of a track are like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sectors {
    /// Sectors that pass in a turn.
    pub(super) turn: u64,
    /// Those of them, at the end of each track, that hold no block.
    pub(super) spare: u64,
}

impl Sectors {
    /// Blocks of a track on which nothing else is skipped.
    fn held(self) -> u64 {
        self.turn - self.spare
    }
}

/// What a track that doesn't go on as the others did turned out to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Walked {
    /// A track in which sectors are skipped: at which sector, and how many.
    Skips(Vec<(u64, u64)>),
    /// One that ends after so many blocks.
    Ends(u64),
    /// One of other sectors.
    Other,
}

/// How far an angle may lie from where it is expected, in turns, if a sector is so long.
fn tolerance(probe: &Probe<'_>, sector: f64) -> f64 {
    0.35 * sector + 4.0 * probe.stray
}

/// What the sectors of the track that begins at `start` are like.
pub(super) fn sectors(probe: &mut Probe<'_>, start: u64) -> Result<Sectors> {
    let (length, by_angle) = run(probe, start)?;
    let whole = |turn: u64| Sectors { turn, spare: 0 };
    let doubt = 0.6 + by_angle * (8.0 * probe.stray);
    if length as f64 > by_angle + doubt {
        // A track without a skew that shows is as long as a turn.
        return Ok(whole(nearest_whole(by_angle)));
    }
    if length as f64 >= by_angle - doubt || start + 3 * length >= probe.sectors() {
        return Ok(whole(length));
    }
    // Fewer than pass in a turn. Too few don't tell how many those are.
    let by_angle = if 4.0 * length as f64 > by_angle { by_angle } else { run(probe, start + length)?.1 };
    let turn = nearest_whole(by_angle);
    if turn <= length {
        return Ok(whole(length));
    }
    let spared = Sectors { turn, spare: turn - length };
    // Two more tracks with as many spare sectors, or one that was short by itself.
    let next = start + length;
    if goes_on(probe, next, spared)?
        && goes_on(probe, next + length, spared)?
        && !goes_on(probe, next, whole(turn))?
    {
        return Ok(spared);
    }
    Ok(whole(turn))
}

/// Blocks from `start` on that follow each other evenly, and how many that makes in a turn.
///
/// The step between them is found by going twice as far each time, as long as the angle is where it is expected; then the
/// end by halving.
fn run(probe: &mut Probe<'_>, start: u64) -> Result<(u64, f64)> {
    let all = probe.sectors();
    // A track is taken to have 16 sectors at least: the first few steps are less than half a turn.
    let mut on = 4;
    let (mut begin, mut step) = (0.0, 0.0);
    // Where completions stray further than so few sectors are long, it is looked at again.
    for _ in 0..LOOKS {
        begin = probe.angle(start)?;
        step = difference(probe.angle(start + on)?, begin) / on as f64;
        if step > 0.0 && on as f64 * step > probe.stray {
            break;
        }
    }
    if step <= 0.0 {
        return Err(DriveCalibrationError::NoDisk {
            why: format!("the angle doesn't grow from sector {start} on"),
        });
    }
    let mut off = loop {
        let next = on * 2;
        if start + next >= all || next as f64 * step > 1.5 {
            break next;
        }
        let expected = begin + next as f64 * step;
        let stray = difference(probe.angle(start + next)?, expected);
        if stray.abs() > tolerance(probe, step).max(8.0 * probe.stray) {
            break next;
        }
        step += stray / next as f64;
        on = next;
    };
    off = off.min(all - start);
    // No skew at all hides where the track ends: it is as long as a turn.
    if on as f64 * step >= 1.0 {
        return Ok((nearest_whole(1.0 / step), 1.0 / step));
    }
    while off - on > 1 {
        let middle = u64::midpoint(on, off);
        let stray = difference(probe.angle(start + middle)?, begin + middle as f64 * step);
        if stray.abs() > tolerance(probe, step) {
            off = middle;
        } else {
            step += stray / middle as f64;
            on = middle;
        }
    }
    Ok((off, 1.0 / step))
}

/// Whether the track that would begin at `start`, were the zone to go on, does.
pub(super) fn goes_on(probe: &mut Probe<'_>, start: u64, sectors: Sectors) -> Result<bool> {
    let held = sectors.held();
    if start + held > probe.sectors() {
        return Ok(false);
    }
    let sector = 1.0 / sectors.turn as f64;
    let (one, other) = (1.min(held - 1), held.saturating_sub(1));
    let between = difference(probe.angle(start + other)?, probe.angle(start + one)?);
    let expected = (other - one) as f64 * sector;
    Ok(difference(between, expected).abs() <= tolerance(probe, sector))
}

/// Goes along the track that would begin at `start`, and doesn't go on as the others did.
pub(super) fn walk(probe: &mut Probe<'_>, start: u64, sectors: Sectors) -> Result<Walked> {
    let turn = sectors.turn as f64;
    let begin = probe.angle(start)?;
    let (mut on, mut skipped) = (0, 0);
    let mut skips: Vec<(u64, u64)> = Vec::new();
    // Where it doesn't come out right, the first break is the end.
    let mut first = None;
    loop {
        let is_on = |probe: &mut Probe<'_>, block: u64| -> Result<bool> {
            if start + block >= probe.sectors() {
                return Ok(false);
            }
            let stray = difference(probe.angle(start + block)?, begin + (block + skipped) as f64 / turn);
            Ok(stray.abs() <= tolerance(probe, 1.0 / turn))
        };
        let last = sectors.held().saturating_sub(skipped + 1);
        if last <= on || is_on(probe, last)? {
            return Ok(Walked::Skips(skips));
        }
        // Twice as far each time: what lies far behind the end may come by chance where a block is expected.
        let (mut off, mut step) = (on + 1, 1);
        while off < last && is_on(probe, off)? {
            (on, step) = (off, step * 2);
            off = (on + step).min(last);
        }
        while off - on > 1 {
            let middle = u64::midpoint(on, off);
            if is_on(probe, middle)? { on = middle } else { off = middle }
        }
        let ends = first.map_or(Walked::Ends(off), Walked::Ends);
        if start + off >= probe.sectors() {
            return Ok(ends);
        }
        let step = difference(probe.angle(start + off)?, probe.angle(start + off - 1)?) * turn;
        let jump = (step - 1.0).rem_euclid(turn);
        let doubt = 0.3 + 8.0 * probe.stray * turn;
        let sideways = jump.min(turn - jump);
        if sideways < doubt.max(0.5) {
            // Nothing is skipped here: its sectors have another length.
            return Ok(first.map_or(Walked::Other, Walked::Ends));
        }
        let whole = nearest_whole(jump);
        if whole > MOST_SKIPPED
            || (jump - jump.round()).abs() > doubt
            || off + skipped + whole >= sectors.held()
        {
            return Ok(ends);
        }
        skips.push((off + skipped, whole));
        skipped += whole;
        first = first.or(Some(off));
        on = off;
    }
}
