//! Figure 14: misses of the second-level cache by copies, and figure 13 once more, as a profile of the processors tells it.
//!
//! Both are pictures without numbers: misses begin behind records of 64 KiB, are very noticeable behind 128 KiB, and rise still
//! beyond 1,024 KiB; copy_to_user has a larger share of reads than copy_from_user of writes (3.2.3).

use super::DissertationError;
use super::machine::{Journal, Machine, Work, WriteEnd};
use super::row::Row;
use super::site::Site;
use petrio_scenario::report::{LINE_BYTES, ProfileFigures};

/// Records, KiB.
const RECORDS_KIB: [u64; 8] = [4, 16, 64, 128, 256, 1_024, 4_096, 16_384];
/// Where the records of 64, 128 and 1,024 KiB are among these.
const KNEE: usize = 2;
const NOTICEABLE: usize = 3;
const LEVEL: usize = 5;
/// "Very noticeable" misses are at least this share of the lines that are copied.
const VERY_NOTICEABLE: f64 = 0.25;
/// Bytes of each file, KiB.
const FILE_KIB: u64 = 32_768;
const PLACE: &str = "figure 14";
const RULE: &str = "the rule of section 4.5";

/// What of a page's lines misses, and what the copy of a page takes by the profile, µs, with its share of the processors' time.
struct Copied {
    missed: f64,
    micros: f64,
    share: f64,
}

/// Figure 14, and figure 13 by the profile.
pub(super) fn misses(site: &Site<'_>) -> Result<Vec<Row>, DissertationError> {
    let mut rows = Vec::new();
    let mut shares = Vec::new();
    for (word, reads) in [("copy_to_user", true), ("copy_from_user", false)] {
        let work = |record| match reads {
            true => Work::reads(record, FILE_KIB),
            false => Work::writes(Journal::Ordered, [record, FILE_KIB], 1, WriteEnd::InMemory),
        };
        let runs: Vec<_> = RECORDS_KIB.map(|record| (Machine::catalogued(), work(record))).to_vec();
        let found = site.side_by_side(&runs, |(machine, work)| {
            let report = site.report(machine, work)?;
            Ok::<Copied, DissertationError>(copied(word, &report.profiles))
        })?;
        let missed: Vec<f64> = found.iter().map(|copied| copied.missed).collect();
        rows.extend(rising(word, &missed));
        rows.push(levels(word, &found));
        shares.push(found[LEVEL].share);
    }
    let figures = format!(
        "{:.0} % of the processors' time of reads, {:.0} % of writes, records of 1,024 KiB",
        shares[0] * 100.0,
        shares[1] * 100.0
    );
    let what = "copy_to_user is more of reads than copy_from_user of writes";
    rows.push(Row::at_least("figure 13", what, figures, shares[0] / shares[1], 1.0).fitted(RULE));
    Ok(rows)
}

fn copied(word: &str, profiles: &[ProfileFigures]) -> Copied {
    let profile = profiles.first().cloned().unwrap_or_default();
    let bytes = profile.copied_to_user_bytes + profile.copied_from_user_bytes;
    let lines = (bytes / LINE_BYTES).max(1) as f64;
    let function = profile.functions.iter().find(|function| function.function == word);
    let (seconds, share) = function.map_or((f64::NAN, 0.0), |function| (function.seconds, function.share));
    let pages =
        if word == "copy_to_user" { profile.copied_to_user_bytes } else { profile.copied_from_user_bytes };
    Copied {
        missed: profile.second_level_misses.map_or(f64::NAN, |misses| misses as f64 / lines),
        micros: seconds * 1e6 / (pages / 4_096).max(1) as f64,
        share,
    }
}

fn rising(word: &str, missed: &[f64]) -> [Row; 3] {
    let per_cent = |missed: &[f64]| {
        missed.iter().map(|missed| format!("{:.1}", missed * 100.0)).collect::<Vec<_>>().join(", ")
    };
    let before = missed[..=KNEE].iter().copied().fold(0.0, f64::max);
    let further = missed[missed.len() - 1] / missed[LEVEL] - 1.0;
    [
        Row::at_most(
            PLACE,
            &format!("{word}: no misses up to 64 KiB"),
            format!("{} % of lines miss in records of 4, 16 and 64 KiB", per_cent(&missed[..=KNEE])),
            before,
            0.0,
        ),
        Row::at_least(
            PLACE,
            &format!("{word}: very noticeable from 128 KiB on"),
            format!("{} % of lines miss in records of 128 KiB to 16 MiB", per_cent(&missed[NOTICEABLE..])),
            missed[NOTICEABLE..].iter().copied().fold(f64::INFINITY, f64::min),
            VERY_NOTICEABLE,
        ),
        Row::at_least(
            PLACE,
            &format!("{word}: rises still beyond 1,024 KiB"),
            format!("{:.1} % more misses at 16 MiB", further * 100.0),
            further,
            0.01,
        ),
    ]
    .map(|row| row.fitted(RULE))
}

/// What the profile says of a page's copy is what it costs a run.
fn levels(word: &str, found: &[Copied]) -> Row {
    let micros: Vec<String> = found.iter().map(|copied| format!("{:.2}", copied.micros)).collect();
    let [flat, high] = [KNEE, LEVEL].map(|at| found[at].micros);
    let figures =
        format!("{} µs a page for 4 KiB to 16 MiB: {:.2} times at 1 MiB", micros.join(", "), high / flat);
    let what = format!("{word} by the processors' profile: rises behind 64 KiB");
    Row::at_least("figure 13", &what, figures, high / flat, 1.1).fitted(RULE)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::dissertation::memory;
    use crate::verdict::Judgement;

    #[test]
    fn misses_are_as_figure_14_has_them_and_the_profile_as_copies_cost() {
        for row in misses(&Site::of(&crate::asked::Asked::default())).unwrap() {
            assert_eq!(row.judged.verdict, Judgement::Holds, "{}", row.judged.line());
        }
        // By what a run takes longer with them than without.
        let (_, by_runs) = memory::copies(&Site::of(&crate::asked::Asked::default())).unwrap();
        let work = Work::reads(1_024, FILE_KIB);
        let asked = crate::asked::Asked::default();
        let profiles = Site::of(&asked).report(&Machine::catalogued(), &work).unwrap().profiles;
        let by_profile = copied("copy_to_user", &profiles).micros;
        let at = by_runs[0].at.iter().position(|&record| record == 1_024).unwrap();
        let by_run = 4.0e6 / by_runs[0].kb_per_s[at];
        assert!(
            (by_profile / by_run - 1.0).abs() < 0.01,
            "{by_profile} µs by the profile, {by_run} µs by runs"
        );
    }

    #[test]
    fn copies_that_never_miss_aren_t_like_figure_14() {
        let rows = rising("copy_to_user", &[0.0; 8]);
        assert_eq!(rows[0].judged.verdict, Judgement::Holds);
        assert_eq!(rows[1].judged.verdict, Judgement::Misses);
    }
}
