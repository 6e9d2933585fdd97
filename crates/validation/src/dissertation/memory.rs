//! Figures 9, 10 and 38: files as large as memory, and writes beyond the dirty limit. Figures 13 and 30: what a page's copy takes.

use super::DissertationError;
use super::curves::{Found, rates};
use super::machine::{Journal, Machine, Work, WriteEnd};
use super::row::{Curve, ERROR_BARS, Row, kb};
use super::site::Site;

/// Files of figure 9, MiB: the machine has 4 GiB (table 1).
const READ_MIB: [u64; 6] = [1_024, 2_048, 3_072, 3_584, 4_096, 5_120];
/// How many of them lie within memory.
const WITHIN: usize = 4;
/// The record of figures 9, 10 and 38, KiB.
const RECORD_KIB: u64 = 1_024;
/// Files of figures 10 and 38, MiB: the limit is 512 MB (3.2.2).
const WRITTEN_MIB: [u64; 6] = [128, 256, 384, 768, 1_024, 1_536];
/// How many of them lie below the limit.
const BELOW: usize = 3;
/// A degradation that is "very large" (3.2.2) leaves at most this, of one.
const CLIFF: f64 = 0.5;
/// A limit that "affects" writes (3.2.2) leaves at most this of them at three times its size.
const AFFECTED: f64 = 0.75;
/// Records of figures 13 and 30, KiB, with those behind which the curve has levelled off: beyond 1,024 (3.2.3).
const COPIES_KIB: [u64; 8] = [4, 16, 64, 128, 256, 1_024, 4_096, 16_384];

/// Figures 9, 10 and 38.
pub(super) fn limits(site: &Site<'_>) -> Result<Found, DissertationError> {
    let machine = Machine::catalogued;
    let read: Vec<_> = READ_MIB.map(|mib| (machine(), Work::reads(RECORD_KIB, mib << 10))).to_vec();
    let written: Vec<_> = WRITTEN_MIB
        .map(|mib| {
            let size = [RECORD_KIB, mib << 10];
            (machine(), Work::writes(Journal::Ordered, size, 1, WriteEnd::InMemory))
        })
        .to_vec();
    let curve = |place, what: &str, at: [u64; 6], kb_per_s| Curve {
        place,
        what: what.to_owned(),
        over: "MiB of a file",
        at: at.to_vec(),
        kb_per_s,
    };
    let read = curve("figure 9", "reads again of a file that was read", READ_MIB, rates(&read, site)?);
    let written = curve("figures 10 and 38", "writes", WRITTEN_MIB, rates(&written, site)?);
    let mut rows = fall("figure 9", "reads", "memory (4 GiB)", (&read, WITHIN), CLIFF);
    rows.extend(fall("figures 10 and 38", "writes", "the dirty limit (512 MB)", (&written, BELOW), AFFECTED));
    Ok((rows, vec![read, written]))
}

/// That nothing changes up to a limit, and that much is lost beyond it, more the farther.
fn fall(
    place: &'static str,
    word: &str,
    limit: &str,
    (curve, within): (&Curve, usize),
    most_left: f64,
) -> Vec<Row> {
    let (before, behind) = curve.kb_per_s.split_at(within);
    let (least, most) =
        (before.iter().copied().fold(f64::INFINITY, f64::min), before.iter().copied().fold(0.0, f64::max));
    let apart = (most / least - 1.0) * 100.0;
    let figures = format!("{apart:.1} % apart at most, at most {ERROR_BARS:.0} %");
    let flat =
        Row::at_most(place, &format!("{word}: the same rate up to {limit}"), figures, apart, ERROR_BARS);
    let last = behind.last().copied().unwrap_or(f64::NAN) / least;
    let figures = format!(
        "{} KB/s before it, {} behind it by the file's size: {last:.2} of it at the end, at most {most_left}",
        kb(least),
        super::row::kbs(behind)
    );
    vec![flat, Row::at_most(place, &format!("{word}: a large loss behind {limit}"), figures, last, most_left)]
}

/// Figures 13 and 30: a page's copy by record, as the time that a run takes longer than one whose copies cost nothing.
pub(super) fn copies(site: &Site<'_>) -> Result<Found, DissertationError> {
    let (mut rows, mut curves) = (Vec::new(), Vec::new());
    for (word, reads) in [("copy_to_user", true), ("copy_from_user", false)] {
        let work = |record| match reads {
            true => Work::reads(record, 32_768),
            false => Work::writes(Journal::Ordered, [record, 32_768], 1, WriteEnd::InMemory),
        };
        let seconds = |free_copies| {
            let machine = Machine { free_copies, ..Machine::catalogued() };
            let runs: Vec<_> = COPIES_KIB.map(|record| (machine.clone(), work(record))).to_vec();
            let each = rates(&runs, site)?;
            // Of a page of 4 KiB.
            Ok::<Vec<f64>, DissertationError>(each.iter().map(|rate| 4.0 / rate).collect())
        };
        let (with, without) = (seconds(false)?, seconds(true)?);
        let micros: Vec<f64> =
            with.iter().zip(&without).map(|(with, without)| (with - without) * 1e6).collect();
        rows.extend(copied(word, &micros));
        // As a rate, so that it stands beside the others.
        let kb_per_s = micros.iter().map(|us| 4.0e6 / us).collect();
        let what = format!("{word} alone");
        curves.push(Curve {
            place: "figures 13 and 30",
            what,
            over: "KiB of a record",
            at: COPIES_KIB.to_vec(),
            kb_per_s,
        });
    }
    Ok((rows, curves))
}

fn copied(word: &str, micros: &[f64]) -> [Row; 3] {
    const PLACE: &str = "figures 13 and 30";
    const RULE: &str = "the rule of section 4.5 with the catalogue's assumed times of a page";
    let listed =
        |from: usize| micros[from..].iter().map(|us| format!("{us:.2}")).collect::<Vec<_>>().join(", ");
    let flat = (micros[2] / micros[0] - 1.0).abs() * 100.0;
    let rise = micros[5] / micros[2];
    let late = (micros[7] / micros[5] - 1.0) * 100.0;
    let early = (rise - 1.0) * 100.0;
    [
        Row::at_most(
            PLACE,
            &format!("{word}: constant up to an eighth of the second-level cache"),
            format!("{} µs a page, records of 4, 16 and 64 KiB: {flat:.1} % apart, at most 1 %", {
                micros[..3].iter().map(|us| format!("{us:.2}")).collect::<Vec<_>>().join(", ")
            }),
            flat,
            1.0,
        ),
        Row::at_least(
            PLACE,
            &format!("{word}: rises behind it"),
            format!("{} µs for 128 KiB to 16 MiB: {rise:.2} times at 1 MiB, at least 1.1", listed(3)),
            rise,
            1.1,
        ),
        Row::at_most(
            PLACE,
            &format!("{word}: levels off beyond 1,024 KiB"),
            format!("{late:.1} % more from there to 16 MiB, at most a quarter of the {early:.1} % before"),
            late,
            early / 4.0,
        ),
    ]
    .map(|row| row.fitted(RULE))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::verdict::Judgement;

    #[test]
    fn copies_rise_behind_the_knee_and_level_off() {
        for row in copies(&Site::of(&crate::asked::Asked::default())).unwrap().0 {
            assert_eq!(row.judged.verdict, Judgement::Holds, "{}", row.judged.line());
        }
    }

    #[test]
    fn a_curve_without_a_cliff_misses() {
        let curve =
            Curve { place: "", what: String::new(), over: "", at: vec![1, 2], kb_per_s: vec![9.0, 8.0] };
        let rows = fall("figure 9", "reads", "memory", (&curve, 1), CLIFF);
        assert_eq!(rows[0].judged.verdict, Judgement::Holds);
        assert_eq!(rows[1].judged.verdict, Judgement::Misses);
    }
}
