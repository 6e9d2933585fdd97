//! Table 9: random writes of 8 KiB in full-journal mode, as a curve over what the text leaves open of it.
//!
//! A thousand such writes fit into one transaction, so that what is measured depends on how many there were, whether the fsync
//! at the end was timed, and how large the journal was, none of which the text says. No single prediction can be judged;
//! what can is the curve: that it falls from the rate of memory to that of the disk, in the order that logging explains,
//! and that the measured figure lies on it. The region in which it does is told.

use super::DissertationError;
use super::captured::Logged;
use super::costs::Fitted;
use super::curves::rates;
use super::machine::{Assumptions, DEFAULT, Journal, Machine, Work, WriteEnd};
use super::random::SYNCHRONOUS;
use super::row::{Row, kb};
use super::site::Site;
use serde::Serialize;

/// Measured, KB/s (table 9).
pub(super) const FULL: f64 = 26_470.4;
/// Its own model's error there, per cent: how near the measured figure a point has to lie.
const NEAR_PERCENT: f64 = 13.0;
/// Requests of a run: figure 33's thousand to a whole pass of iozone over 512 MB.
pub const REQUESTS: [u64; 6] = [1_000, 4_000, 8_000, 16_000, 32_000, 65_536];
/// Sizes of the journal, MiB: what mke2fs made of such a volume in 2008, and a few years before.
pub const JOURNALS_MIB: [u64; 2] = [32, 128];
/// How much a point may lie above the one before, for the order of the disk's positions.
const UNEVEN: f64 = 1.05;

/// The curve for one journal, with or without the fsync.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct JournalCurve {
    /// Size of the journal, MiB.
    pub journal_mib: u64,
    /// Whether the closing fsync is timed.
    pub closing_fsync_counts: bool,
    /// KB (1,024 bytes) a second for each of [`REQUESTS`].
    pub kb_per_s: Vec<f64>,
    /// How many requests give the measured rate, interpolated in the logarithms, where any number does.
    pub measured_at: Option<f64>,
    /// From how many requests to how many the curve lies within 13 % of the measured rate.
    pub region: Option<[f64; 2]>,
}

impl JournalCurve {
    fn of(journal_mib: u64, closing_fsync_counts: bool, kb_per_s: Vec<f64>) -> Self {
        let at = |rate| crossing(&REQUESTS, &kb_per_s, rate);
        let region = at(FULL * (1.0 + NEAR_PERCENT / 100.0)).zip(at(FULL * (1.0 - NEAR_PERCENT / 100.0)));
        let (measured_at, region) = (at(FULL), region.map(|(from, to)| [from, to]));
        Self { journal_mib, closing_fsync_counts, kb_per_s, measured_at, region }
    }

    /// As it is told.
    pub fn words(&self) -> String {
        let fsync = if self.closing_fsync_counts { "the closing fsync counts" } else { "it doesn't count" };
        format!("journal of {} MiB, {fsync}", self.journal_mib)
    }
}

/// Where a falling curve first passes a rate, interpolated in the logarithms of both.
fn crossing(at: &[u64], rates: &[f64], rate: f64) -> Option<f64> {
    let passes = |pair: &usize| rates[*pair] >= rate && rates[*pair + 1] < rate;
    let index = (0..rates.len().saturating_sub(1)).find(passes)?;
    let [low, high] = [at[index], at[index + 1]].map(|requests| libm::log(requests as f64));
    let [above, below] = [rates[index], rates[index + 1]].map(libm::log);
    Some(libm::exp(low + (high - low) * (above - libm::log(rate)) / (above - below)))
}

/// All curves.
pub(super) fn curves(fitted: &Fitted, site: &Site<'_>) -> Result<Vec<JournalCurve>, DissertationError> {
    let kinds = [false, true].map(|counts| JOURNALS_MIB.map(|mib| (mib, counts))).concat();
    let mut runs = Vec::new();
    for &(journal_mib, closing_fsync_counts) in &kinds {
        let open = Assumptions { journal_mib, closing_fsync_counts, ..DEFAULT };
        let ends = if closing_fsync_counts { WriteEnd::Fsync } else { WriteEnd::InMemory };
        runs.extend(REQUESTS.map(|requests| {
            (Machine::of(open, fitted.costs), Work::random_writes(Journal::Full, requests, ends))
        }));
    }
    let all = rates(&runs, site)?;
    let of = |(&(mib, counts), rates): (&(u64, bool), &[f64])| JournalCurve::of(mib, counts, rates.to_vec());
    Ok(kinds.iter().zip(all.chunks(REQUESTS.len())).map(of).collect())
}

/// What was moved where the curve gives table 9's rate under the default assumptions, for table 10.
pub(super) fn logged(curves: &[JournalCurve]) -> Logged {
    let judged = find(curves, DEFAULT.journal_mib, DEFAULT.closing_fsync_counts);
    Logged { kib: judged.and_then(|curve| curve.measured_at).map(|requests| requests * 8.0) }
}

/// Table 9's rows.
pub(super) fn rows(curves: &[JournalCurve], ordered: f64) -> Vec<Row> {
    const PLACE: &str = "table 9";
    const FITTED: &str = "costs of calls and pages by tables 5 and 6";
    let mut rows = vec![
        measured_lies_on(curves).fitted("costs by tables 5 and 6; the number of requests is what is open"),
    ];
    let steps = curves.iter().flat_map(|curve| curve.kb_per_s.windows(2).map(|pair| pair[1] / pair[0]));
    let steepest = steps.fold(0.0, f64::max);
    rows.push(Row::at_most(
        PLACE,
        "full journal: more requests are never faster",
        format!("a point is at most {steepest:.3} times the one before it, at most {UNEVEN}"),
        steepest,
        UNEVEN,
    ));
    let most = curves.iter().flat_map(|curve| curve.kb_per_s.iter().copied()).fold(0.0, f64::max);
    rows.push(Row::at_most(
        PLACE,
        "full journal: never faster than ordered",
        format!("at most {} KB/s, ordered {}", kb(most), kb(ordered)),
        most,
        ordered * 1.01,
    ));
    let least = curves.iter().flat_map(|curve| curve.kb_per_s.iter().copied()).fold(f64::INFINITY, f64::min);
    rows.push(Row::at_least(
        PLACE,
        "full journal: never slower than O_SYNC",
        format!("at least {} KB/s, O_SYNC measured {}", kb(least), kb(SYNCHRONOUS)),
        least,
        SYNCHRONOUS,
    ));
    rows.extend([larger_journals(curves), fsync_costs(curves)]);
    rows.into_iter().map(|row| if row.fitted.is_empty() { row.fitted(FITTED) } else { row }).collect()
}

fn measured_lies_on(curves: &[JournalCurve]) -> Row {
    let told = |curve: &JournalCurve| {
        let at = curve.measured_at.map_or("nowhere".to_owned(), |at| format!("at {} requests", kb(at)));
        let region = curve.region.map_or(String::new(), |[from, to]| {
            format!(", within {NEAR_PERCENT:.0} % from {} to {}", kb(from), kb(to))
        });
        format!("{}: {at}{region}", curve.words())
    };
    let on = curves.iter().filter(|curve| curve.measured_at.is_some()).count();
    let figures = format!(
        "{}; on {on} of {} curves, at least 1",
        curves.iter().map(told).collect::<Vec<_>>().join("; "),
        curves.len()
    );
    let what = format!("full journal: the measured {} KB/s lie on the curve", kb(FULL));
    Row::at_least("table 9", &what, figures, on as f64, 1.0)
}

/// How much more a curve is than another at the point where it is least so.
fn least_times(over: &JournalCurve, under: &JournalCurve) -> f64 {
    over.kb_per_s.iter().zip(&under.kb_per_s).map(|(over, under)| over / under).fold(f64::INFINITY, f64::min)
}

fn find(curves: &[JournalCurve], mib: u64, counts: bool) -> Option<&JournalCurve> {
    curves.iter().find(|curve| (curve.journal_mib, curve.closing_fsync_counts) == (mib, counts))
}

fn larger_journals(curves: &[JournalCurve]) -> Row {
    let pair = |counts| Some(least_times(find(curves, 128, counts)?, find(curves, 32, counts)?));
    let least = [false, true].into_iter().filter_map(pair).fold(f64::INFINITY, f64::min);
    let figures =
        format!("128 MiB give at least {least:.2} times what 32 MiB give, at least {:.2}", 1.0 / UNEVEN);
    Row::at_least("table 9", "full journal: a larger journal is no slower", figures, least, 1.0 / UNEVEN)
}

fn fsync_costs(curves: &[JournalCurve]) -> Row {
    let pair = |mib| Some(least_times(find(curves, mib, false)?, find(curves, mib, true)?));
    let least = JOURNALS_MIB.into_iter().filter_map(pair).fold(f64::INFINITY, f64::min);
    let figures = format!("without it at least {least:.2} times as fast as with it, at least 1");
    Row::at_least("table 9", "full journal: a timed fsync makes it slower", figures, least, 1.0)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::verdict::Judgement;

    #[test]
    fn a_curve_is_crossed_between_the_points_around_the_rate() {
        let falling = [100.0, 10.0, 1.0];
        let at = crossing(&[10, 100, 1_000], &falling, libm::sqrt(10.0)).unwrap();
        assert!((at - libm::sqrt(100.0 * 1_000.0)).abs() < 1e-6, "{at}");
        assert_eq!(crossing(&[10, 100, 1_000], &falling, 200.0), None);
        assert_eq!(crossing(&[10, 100, 1_000], &falling, 0.5), None);
    }

    fn made_up(of: impl Fn(u64, bool, u64) -> f64) -> Vec<JournalCurve> {
        let kinds = [(32, false), (128, false), (32, true), (128, true)];
        let rates = |mib, counts| REQUESTS.iter().map(|&requests| of(mib, counts, requests)).collect();
        kinds.map(|(mib, counts)| JournalCurve::of(mib, counts, rates(mib, counts))).to_vec()
    }

    #[test]
    fn curves_that_never_reach_the_measured_rate_or_rise_are_misses() {
        let verdicts = |curves: &[JournalCurve]| -> Vec<Judgement> {
            rows(curves, 150_000.0).iter().map(|row| row.judged.verdict).collect()
        };
        let falling = made_up(|mib, counts, requests| {
            1e8 / requests as f64 * (1.0 + mib as f64 / 32.0) / if counts { 4.0 } else { 2.0 }
        });
        assert_eq!(verdicts(&falling)[..2], [Judgement::Holds; 2]);
        let rising = made_up(|_, _, requests| requests as f64 * 3.0);
        let of = verdicts(&rising);
        assert_eq!(of[..2], [Judgement::Misses; 2]);
        assert_eq!(of[3], Judgement::Misses);
    }
}
