//! Whether something turns, and how fast: completions of one sector from the medium lie whole turns apart.
//!
//! Source: Worthington et al., "On-line extraction of SCSI disk drive parameters", SIGMETRICS 1995, section 5 (a sector
//! is read again and again; what lies between is a multiple of the rotation time). The reads come after pauses of
//! pseudo-random length, so that intervals share no other divisor, and their greatest common divisor is the period.

use super::error::DriveCalibrationError;
use super::probe::{Anchor, Probe};
use petrio_units::numbers::{as_number, whole_part};

/// The shortest and the longest turn that is looked for, in seconds: 30,000 and 1,200 turns a minute, twice as fast as any
/// drive. Through noise, a small part of a turn divides all intervals as well as the turn.
const TURNS_S: std::ops::Range<f64> = 0.002..0.050;
/// How far from a whole number of turns an interval may lie.
const OFF: f64 = 0.06;
/// Intervals for the first guess.
const GUESSES: usize = 32;
/// A read elsewhere that takes longer, in seconds, than one of flash or over a network does.
const SLOW_S: f64 = 0.002;
/// How far, as a part of the middle one, such reads spread where nothing waits for an arm and a turn.
const EVEN: f64 = 0.1;
/// Turns that may lie in an interval.
const MOST_TURNS: f64 = 10_000.0;

/// How the sector comes again from the cache, if at all, and reads elsewhere, in seconds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pace {
    /// Reading it again at once.
    pub(super) again: f64,
    /// Reading elsewhere, at the least and in the middle.
    pub(super) elsewhere: [f64; 2],
    /// How far the middle half of reads elsewhere spreads.
    spread: f64,
}

impl Pace {
    /// Whether reads take as long, and as differently long, as only those of a disk do: a device of which nothing turns
    /// takes less, or always as long.
    fn is_of_a_disk(self) -> bool {
        let middle = self.elsewhere[1];
        middle > SLOW_S && self.spread > EVEN * middle
    }
}

/// Times a sector again and again, and others; learns what the cache takes.
pub(super) fn pace(probe: &mut Probe<'_>) -> Result<Pace, DriveCalibrationError> {
    let sector = probe.sectors() / 3;
    let (mut again, mut elsewhere) = (Vec::new(), Vec::new());
    for _ in 0..GUESSES {
        elsewhere.push(probe.elsewhere(sector)?.span());
        // Where it is still in the cache from the round before, it says nothing of the medium.
        probe.read(sector, 1)?;
        for _ in 0..3 {
            again.push(probe.read(sector, 1)?.span());
        }
        let pause = probe.part() * 0.01;
        probe.wait(pause);
        // What was read must not be found by the next round.
        probe.displace(2)?;
    }
    again.sort_by(f64::total_cmp);
    elsewhere.sort_by(f64::total_cmp);
    let again = again[again.len() / 2];
    // A sector that is still there counts among the others.
    let mut far: Vec<f64> = elsewhere.iter().copied().filter(|span| *span > 1.3 * again).collect();
    if far.is_empty() {
        far = elsewhere;
    }
    let part = |quarters: usize| far[far.len() * quarters / 4];
    Ok(Pace { again, elsewhere: [far[0], part(2)], spread: part(3) - part(1) })
}

/// The period of the platters, with which the probe goes on; none if nothing turns.
pub(super) fn rotation(probe: &mut Probe<'_>, pace: Pace) -> Result<Option<f64>, DriveCalibrationError> {
    let has_cache = pace.again < 0.9 * pace.elsewhere[0];
    // The quickest of a few reads elsewhere may have been slow by chance, and reads from the medium aren't hits.
    let between = (pace.again + 0.25 * (pace.elsewhere[0] - pace.again)).min(2.0 * pace.again);
    probe.hit_below = if has_cache { between } else { 0.0 };
    let sector = probe.sectors() / 3;
    let mut ends = Vec::new();
    for _ in 0..=GUESSES {
        let pause = probe.part() * 0.02;
        probe.wait(pause);
        match probe.fresh(sector) {
            Ok(timing) => ends.push(timing.end),
            Err(DriveCalibrationError::AlwaysCached { .. }) if !pace.is_of_a_disk() => return Ok(None),
            Err(other) => return Err(other),
        }
    }
    let intervals: Vec<f64> = ends.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let Some(mut period) = common_divisor(&intervals) else {
        if pace.is_of_a_disk() {
            return Err(DriveCalibrationError::NoDisk {
                why: format!(
                    "a read takes {:.1} ms, some longer and some less, as where something turns, but no turn shows",
                    pace.elsewhere[1] * 1e3
                ),
            });
        }
        return Ok(None);
    };
    // The longer the baseline, the more digits; each step knows the period well enough for the next.
    let (first, mut last, mut turns) = (ends[0], ends[0], 0.0);
    let mut seen = vec![(0.0, first)];
    let mut follow = |end: f64, period: &mut f64| {
        let off = (end - last) / *period;
        turns += off.round();
        last = end;
        seen.push((turns, end));
        if turns > 0.0 && (off - off.round()).abs() < OFF {
            *period = (last - first) / turns;
        }
        turns
    };
    for end in &ends[1..] {
        follow(*end, &mut period);
    }
    let mut so_far = 0.0;
    while so_far < probe.effort.turns {
        let pause = probe.part() * 12.0 * period;
        probe.wait(pause);
        let end = probe.fresh(sector)?.end;
        so_far = follow(end, &mut period);
    }
    let line = Line::through_most(&seen);
    let mut strays: Vec<f64> =
        seen.iter().map(|&(turn, end)| ((end - line.at(turn)) / line.period).abs()).collect();
    strays.sort_by(f64::total_cmp);
    // A quarter of them may be other processes' doing.
    probe.stray = strays[strays.len() * 3 / 4];
    probe.period = line.period;
    probe.anchor = Anchor { sector, first: line.start, last: line.at(turns), turns };
    Ok(Some(line.period))
}

/// When the same sector comes, by the turn.
#[derive(Clone, Copy, Debug)]
struct Line {
    start: f64,
    period: f64,
}

impl Line {
    fn at(self, turn: f64) -> f64 {
        self.start + turn * self.period
    }

    /// With least squares.
    fn through(points: &[(f64, f64)]) -> Self {
        let count = points.len() as f64;
        let (turns, ends) =
            points.iter().fold((0.0, 0.0), |(turns, ends), (turn, end)| (turns + turn, ends + end));
        let (turns, ends) = (turns / count, ends / count);
        let (mut square, mut product) = (0.0, 0.0);
        for (turn, end) in points {
            square += (turn - turns) * (turn - turns);
            product += (turn - turns) * (end - ends);
        }
        let period = product / square;
        Self { start: ends - turns * period, period }
    }

    /// Through the half of the points that lie next to it: a completion may come late, and the first of all often does
    /// (least trimmed squares, Rousseeuw 1984, by a few steps from all of them).
    fn through_most(points: &[(f64, f64)]) -> Self {
        let mut sorted = points.to_vec();
        let mut line = Self::through(points);
        for _ in 0..8 {
            let off = |&(turn, end): &(f64, f64)| (end - line.at(turn)).abs();
            sorted.sort_by(|one, other| off(one).total_cmp(&off(other)));
            line = Self::through(&sorted[..points.len().div_ceil(2).max(3).min(points.len())]);
        }
        line
    }
}

/// The period of which as many intervals are whole multiples as of any, if those are most of them, and of these the one that
/// they are nearest to; of several the greatest: where all intervals are about as long, neighbours of the period fit, too,
/// but not as well.
fn common_divisor(intervals: &[f64]) -> Option<f64> {
    let mut sorted = intervals.to_vec();
    sorted.sort_by(f64::total_cmp);
    // The shortest ones may be among those that are spoilt.
    let bases = sorted.iter().take(6).copied().filter(|base| *base > 0.0);
    // A large cache forgets a sector only after many other reads, and hundreds of turns lie between two of them.
    let most_turns = |base: f64| as_number(whole_part((base / TURNS_S.start).clamp(1.0, MOST_TURNS)));
    let guesses = bases.flat_map(|base| (1..=most_turns(base)).map(move |parts| base / f64::from(parts)));
    let fitted: Vec<(f64, usize, f64)> = guesses
        .filter(|guess| TURNS_S.contains(guess))
        .map(|guess| {
            // From short to long, as the guess gets better.
            let (mut period, mut near) = (guess, 0);
            let (mut sum, mut turns) = (0.0, 0.0);
            for interval in &sorted {
                let count = interval / period;
                if (count - count.round()).abs() < OFF && count.round() > 0.0 {
                    near += 1;
                    (sum, turns) = (sum + interval, turns + count.round());
                    period = sum / turns;
                }
            }
            let strays =
                sorted.iter().map(|interval| interval / period).map(|count| (count - count.round()).abs());
            let stray = strays.filter(|stray| *stray < OFF).sum::<f64>() / near.max(1) as f64;
            (period, near, stray)
        })
        .collect();
    let most = fitted.iter().map(|(_, near, _)| *near).max()?;
    let good: Vec<_> = fitted.iter().filter(|(_, near, _)| near * 10 >= most * 9).collect();
    let least = good.iter().map(|(.., stray)| *stray).fold(f64::INFINITY, f64::min);
    let best = good.iter().filter(|(.., stray)| *stray <= 1.2 * least + 1e-6);
    // Half of the intervals by chance would be more than a coincidence of this many guesses makes.
    (most * 10 >= intervals.len() * 6).then(|| best.map(|(period, ..)| *period).fold(0.0, f64::max))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn completions_that_come_late_do_not_bend_the_line() {
        let points: Vec<(f64, f64)> = (0..40)
            .map(|number| {
                let turn = f64::from(number * 3);
                let late = if number % 5 == 0 { 0.000_1 } else { 0.0 };
                (turn, 0.5 + turn * 0.011 + late)
            })
            .collect();
        let line = Line::through_most(&points);
        assert!((line.period - 0.011).abs() < 1e-12 && (line.start - 0.5).abs() < 1e-9, "{line:?}");
    }

    #[test]
    fn the_period_is_the_greatest_that_all_intervals_are_multiples_of() {
        let intervals: Vec<f64> =
            [3, 5, 4, 8, 7, 3, 6, 4, 5, 9].map(|turns| f64::from(turns) * 0.006).to_vec();
        let period = common_divisor(&intervals).unwrap_or_default();
        assert!((period - 0.006).abs() < 1e-9, "{period}");
    }

    #[test]
    fn hundreds_of_turns_may_lie_between_two_reads() {
        let intervals: Vec<f64> =
            (0..32).map(|number| f64::from(110 + number * number % 61) * 0.008_333_3).collect();
        let period = common_divisor(&intervals).unwrap_or_default();
        assert!((period - 0.008_333_3).abs() < 1e-9, "{period}");
        let nothing: Vec<f64> =
            (1..33).map(|number| 1.0 + (f64::from(number * number) * 0.754_877_7).fract()).collect();
        assert_eq!(common_divisor(&nothing), None);
    }

    #[test]
    fn intervals_of_about_one_length_have_the_period_that_they_are_nearest_to() {
        let intervals: Vec<f64> = (0..32).map(|number| f64::from(64 + number % 4) * 0.008_144).collect();
        let period = common_divisor(&intervals).unwrap_or_default();
        assert!((period - 0.008_144).abs() < 1e-9, "{period}");
    }

    #[test]
    fn ticks_that_no_drive_turns_as_fast_as_are_no_turns() {
        let intervals: Vec<f64> =
            (0..32).map(|number| f64::from(7 + number * number % 61) * 0.000_5).collect();
        assert_eq!(common_divisor(&intervals), None);
    }

    #[test]
    fn intervals_of_nothing_that_turns_have_no_period() {
        let intervals: Vec<f64> =
            (1..25).map(|number| 0.01 + 0.01 * (f64::from(number) * 0.618).fract()).collect();
        assert_eq!(common_divisor(&intervals), None);
    }
}
