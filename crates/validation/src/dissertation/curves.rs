//! Throughput over the size of records: where the knee of the second-level cache shows (figures 31 and 32, cached reads and
//! asynchronous writes), where slow I/O hides it (39 and 40, full journal and O_SYNC), that neither the file's size (5 to 8) nor
//! the drives below (11 and 12) change it, and where the knee lies with other caches (table 2).
//!
//! These curves are pictures without numbers, so shapes are compared, and the axis of figure 6. The machine's costs are those of
//! the catalogue, unfitted.

use super::DissertationError;
use super::machine::{Journal, Machine, Work, WriteEnd};
use super::row::{Curve, ERROR_BARS, Row, kb, kbs};
use super::site::Site;

/// Records, KiB: the knee of a cache of 512 KiB lies at 64.
pub const RECORDS_KIB: [u64; 7] = [4, 16, 64, 128, 256, 1_024, 4_096];
/// How many of them lie up to the knee.
const BEFORE_KNEE: usize = 3;
/// The knee shows where the longest records lose more than this, per cent.
pub const KNEE_PERCENT: f64 = 3.0;
/// Files of figures 5 to 8, KiB: within 4 KB and 1 GB, and, of writes, below the dirty limit.
const FILES_KIB: [u64; 4] = [64, 1_024, 16_384, 131_072];
/// The end of figure 6's axis, KB/s.
pub(super) const READ_AXIS: f64 = 2_000_000.0;
/// Second-level caches of table 2, KiB, with the records up to which nothing is lost.
const CACHES_KIB: [[u64; 2]; 4] = [[512, 64], [1_024, 128], [2_048, 256], [4_096, 512]];
/// Records of table 2, KiB.
const FINE_KIB: [u64; 8] = [16, 32, 64, 128, 256, 512, 1_024, 2_048];
/// A drop begins where more than this is lost against the best before, per cent.
const DROP_PERCENT: f64 = 1.0;
/// What the drive's buffer holds when the last write has returned, KiB (data sheet).
const BUFFER_KIB: f64 = 8_192.0;
/// What the outermost zone of the drive streams, KB/s: 921 sectors a track, 10,000 turns a minute (catalogue).
const MEDIUM: f64 = 921.0 * 0.5 * 10_000.0 / 60.0;

/// Rows and curves.
pub(super) type Found = (Vec<Row>, Vec<Curve>);

/// The rate of each work on a machine.
pub(super) fn rates(runs: &[(Machine, Work)], site: &Site<'_>) -> Result<Vec<f64>, DissertationError> {
    site.side_by_side(runs, |(machine, work)| site.kb_per_s(machine, work))
}

/// The same over records on the machine as it is.
fn over_records(
    machine: &Machine,
    records: &[u64],
    work: impl Fn(u64) -> Work,
    site: &Site<'_>,
) -> Result<Vec<f64>, DissertationError> {
    let runs: Vec<_> = records.iter().map(|&record| (machine.clone(), work(record))).collect();
    rates(&runs, site)
}

struct Shown {
    place: &'static str,
    what: &'static str,
    knee: bool,
    work: fn(u64) -> Work,
}

/// Bytes that are written with O_SYNC, KiB: of large records enough that what the drive still holds at the end is little.
const fn synchronous_kib(record: u64) -> u64 {
    if record < SYNCHRONOUS_LARGE_KIB { 4 << 10 } else { 64 << 10 }
}

/// Records whose O_SYNC writes are held against the drive's rate, KiB and more.
const SYNCHRONOUS_LARGE_KIB: u64 = 128;

const SHOWN: [Shown; 4] = [
    Shown {
        place: "figure 31",
        what: "cached reads",
        knee: true,
        work: |record| Work::reads(record, 65_536),
    },
    Shown {
        place: "figure 32",
        what: "asynchronous writes",
        knee: true,
        work: |record| Work::writes(Journal::Ordered, [record, 65_536], 1, WriteEnd::InMemory),
    },
    Shown {
        place: "figure 39",
        what: "writes, full journal",
        knee: false,
        work: |record| Work::writes(Journal::Full, [record, 262_144], 1, WriteEnd::Fsync),
    },
    Shown {
        place: "figure 40",
        what: "writes, O_SYNC",
        knee: false,
        work: |record| {
            Work::writes(Journal::Ordered, [record, synchronous_kib(record)], 1, WriteEnd::Synchronous)
        },
    },
];

/// Figures 31, 32, 39 and 40.
pub(super) fn knees(site: &Site<'_>) -> Result<Found, DissertationError> {
    let (mut rows, mut curves) = (Vec::new(), Vec::new());
    for shown in &SHOWN {
        let kb_per_s = over_records(&Machine::catalogued(), &RECORDS_KIB, shown.work, site)?;
        let curve = Curve {
            place: shown.place,
            what: shown.what.to_owned(),
            over: "KiB of a record",
            at: RECORDS_KIB.to_vec(),
            kb_per_s,
        };
        rows.push(knee(shown, &curve));
        if shown.place == "figure 40" {
            rows.push(below_the_medium(&curve));
        }
        curves.push(curve);
    }
    Ok((rows, curves))
}

/// Whether the knee shows where it should, and nowhere else.
fn knee(shown: &Shown, curve: &Curve) -> Row {
    let loss = curve.loss_percent(BEFORE_KNEE);
    let lose = if loss >= 0.0 {
        format!("records of 4 MiB lose {loss:.1} % against the best up to 64 KiB")
    } else {
        format!("records of 4 MiB are {:.1} times as fast as the best up to 64 KiB", 1.0 - loss / 100.0)
    };
    if shown.knee {
        let figures = format!("{lose}, at least {KNEE_PERCENT:.0} %");
        Row::at_least(shown.place, &format!("{}: the knee shows", shown.what), figures, loss, KNEE_PERCENT)
    } else {
        let figures = format!("{lose}, at most {KNEE_PERCENT:.0} %");
        Row::at_most(shown.place, &format!("{}: no knee", shown.what), figures, loss, KNEE_PERCENT)
    }
}

/// What waits for the disk can't be faster than its outermost tracks, but for what the drive's buffer takes.
fn below_the_medium(curve: &Curve) -> Row {
    let part = |(&record, &rate): (&u64, &f64)| {
        let written = synchronous_kib(record) as f64;
        rate / (MEDIUM * written / (written - BUFFER_KIB))
    };
    let large = curve.at.iter().zip(&curve.kb_per_s).filter(|pair| *pair.0 >= SYNCHRONOUS_LARGE_KIB);
    let most = large.map(part).fold(0.0, f64::max);
    let figures = format!(
        "{} KB/s by record, the medium streams {} KB/s and the drive's buffer takes 8 MiB of the 64 MiB of long records: \
         {most:.2} times that at most, at most 1",
        kbs(&curve.kb_per_s),
        kb(MEDIUM)
    );
    Row::at_most("figure 40", "writes, O_SYNC: none is faster than the drive", figures, most, 1.0)
}

/// Figures 5 to 8: files of four sizes, the records that fit into each.
pub(super) fn files(site: &Site<'_>) -> Result<Found, DissertationError> {
    let (mut rows, mut curves) = (Vec::new(), Vec::new());
    for (place, word, reads) in [("figures 5 and 6", "reads", true), ("figures 7 and 8", "writes", false)] {
        let mut of = Vec::new();
        for file in FILES_KIB {
            let at: Vec<u64> = RECORDS_KIB.into_iter().filter(|&record| record <= file).collect();
            let work = |record| match reads {
                true => Work::reads(record, file),
                // Small ones are written again and again, as one alone is over before anything can be seen.
                false => {
                    Work::writes(Journal::Ordered, [record, file], (16_384 / file).max(1), WriteEnd::InMemory)
                }
            };
            let kb_per_s = over_records(&Machine::catalogued(), &at, work, site)?;
            let what = format!("{word}, a file of {file} KiB");
            of.push(Curve { place, what, over: "KiB of a record", at, kb_per_s });
        }
        rows.push(of_any_size(place, word, &of));
        rows.push(after_the_knee(place, word, &of));
        if reads {
            rows.push(within_the_axis(&of));
        }
        curves.extend(of);
    }
    Ok((rows, curves))
}

/// That rates of the same record differ little between files.
fn of_any_size(place: &'static str, word: &str, curves: &[Curve]) -> Row {
    let apart = |index: usize| {
        let of = || curves.iter().filter_map(|curve| curve.kb_per_s.get(index).copied());
        let (least, most) = (of().fold(f64::INFINITY, f64::min), of().fold(0.0, f64::max));
        (most / least - 1.0) * 100.0
    };
    let most = (0..RECORDS_KIB.len()).map(apart).fold(0.0, f64::max);
    let figures = format!(
        "files of 64 KiB to 128 MiB, same record: {most:.1} % apart at most, at most {ERROR_BARS:.0} % (its error bars)"
    );
    Row::at_most(place, &format!("{word}: the file's size doesn't matter"), figures, most, ERROR_BARS)
}

/// That the drop begins behind 64 KiB, and not before.
fn after_the_knee(place: &'static str, word: &str, curves: &[Curve]) -> Row {
    let large: Vec<&Curve> = curves.iter().filter(|curve| curve.at.len() == RECORDS_KIB.len()).collect();
    let best = |curve: &&Curve| {
        let most = curve.kb_per_s.iter().copied().fold(0.0, f64::max);
        curve.at.iter().zip(&curve.kb_per_s).find(|pair| *pair.1 == most).map_or(0, |pair| *pair.0)
    };
    let peaks: Vec<u64> = large.iter().map(best).collect();
    let off = peaks.iter().filter(|&&peak| peak != 64).count();
    let figures = format!(
        "fastest in records of {} KiB (files of 16 and 128 MiB), the dissertation's fall from 64 KiB on",
        peaks.iter().map(u64::to_string).collect::<Vec<_>>().join(" and ")
    );
    Row::at_most(place, &format!("{word}: the drop begins at 64 KiB"), figures, off as f64, 0.0)
}

fn within_the_axis(curves: &[Curve]) -> Row {
    let most = curves.iter().flat_map(|curve| curve.kb_per_s.iter().copied()).fold(0.0, f64::max);
    let figures = format!("at most {} KB/s, the axis ends at {}", kb(most), kb(READ_AXIS));
    Row::at_most("figures 5 and 6", "reads: within figure 6's axis", figures, most, READ_AXIS)
}

/// Figures 11 and 12: one drive, and two in RAID 0.
pub(super) fn drives(site: &Site<'_>) -> Result<Found, DissertationError> {
    let (mut rows, mut curves) = (Vec::new(), Vec::new());
    for (place, word) in [("figure 11", "reads"), ("figure 12", "writes")] {
        let of = |striped: bool| {
            let machine = Machine { striped, ..Machine::catalogued() };
            let work = |record| match word {
                "reads" => Work::reads(record, 16_384),
                _ => Work::writes(Journal::Ordered, [record, 16_384], 1, WriteEnd::InMemory),
            };
            let kb_per_s = over_records(&machine, &RECORDS_KIB, work, site)?;
            let below = if striped { "two drives in RAID 0" } else { "one drive" };
            let what = format!("{word}, {below}");
            Ok::<Curve, DissertationError>(Curve {
                place,
                what,
                over: "KiB of a record",
                at: RECORDS_KIB.to_vec(),
                kb_per_s,
            })
        };
        let (one, two) = (of(false)?, of(true)?);
        let apart = |(one, two): (&f64, &f64)| (two / one - 1.0).abs() * 100.0;
        let most = one.kb_per_s.iter().zip(&two.kb_per_s).map(apart).fold(0.0, f64::max);
        let figures = format!(
            "one drive and two in RAID 0 are {most:.1} % apart at most over all records, at most {ERROR_BARS:.0} %"
        );
        let what = format!("{word}: the hardware is hidden");
        rows.push(Row::at_most(place, &what, figures, most, ERROR_BARS));
        curves.extend([one, two]);
    }
    let losses = [0, 2].map(|first| curves[first].loss_percent(BEFORE_KNEE));
    let figures =
        format!("records of 4 MiB lose {:.1} % of writes and {:.1} % of reads", losses[1], losses[0]);
    let what = "writes: the drop is not as dramatic as that of reads";
    rows.push(Row::at_most("figure 12", what, figures, losses[1], losses[0]));
    Ok((rows, curves))
}

/// Table 2: where the drop begins with four caches.
pub(super) fn caches(site: &Site<'_>) -> Result<Found, DissertationError> {
    let (mut rows, mut curves) = (Vec::new(), Vec::new());
    for [cache, told] in CACHES_KIB {
        let changes = format!("change.machine.l2 = \"{cache} KiB\"\n");
        let machine = Machine { changes, ..Machine::catalogued() };
        let work = |record| Work::reads(record, 16_384);
        let kb_per_s = over_records(&machine, &FINE_KIB, work, site)?;
        let found = drop_behind(&kb_per_s);
        let what = format!("reads, {cache} KiB of second-level cache");
        let figures = format!(
            "the drop begins behind records of {} KiB, in the dissertation of {told}",
            found.map_or("no".to_owned(), |found| found.to_string())
        );
        let off = found.map_or(f64::NAN, |found| found.abs_diff(told) as f64);
        rows.push(
            Row::at_most("table 2", &what, figures, off, 0.0)
                .fitted("the rule is the dissertation's: an eighth of the cache"),
        );
        curves.push(Curve {
            place: "table 2",
            what,
            over: "KiB of a record",
            at: FINE_KIB.to_vec(),
            kb_per_s,
        });
    }
    Ok((rows, curves))
}

/// The longest record up to which nothing is lost.
fn drop_behind(kb_per_s: &[f64]) -> Option<u64> {
    let mut best = 0.0;
    for (index, &rate) in kb_per_s.iter().enumerate() {
        if rate < best * (1.0 - DROP_PERCENT / 100.0) {
            return Some(FINE_KIB[index - 1]);
        }
        best = f64::max(best, rate);
    }
    None
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::verdict::Judgement;

    #[test]
    fn the_drop_is_found_behind_the_last_record_that_loses_nothing() {
        assert_eq!(drop_behind(&[1.0, 2.0, 3.0, 2.9, 2.0, 2.0, 2.0, 2.0]), Some(64));
        assert_eq!(drop_behind(&[1.0, 2.0, 3.0, 2.98, 4.0, 4.0, 4.0, 4.0]), None);
    }

    #[test]
    fn the_knee_shows_where_memory_sets_the_pace_and_table_2_moves_it() {
        let asked = crate::asked::Asked::default();
        let site = Site::of(&asked);
        for (rows, _) in [drives(&site).unwrap(), caches(&site).unwrap()] {
            for row in rows {
                assert_eq!(row.judged.verdict, Judgement::Holds, "{}", row.judged.line());
            }
        }
    }

    #[test]
    fn what_is_faster_than_the_drive_is_a_miss() {
        let curve = |rate: f64| Curve {
            place: "figure 40",
            what: String::new(),
            over: "",
            at: vec![4_096],
            kb_per_s: vec![rate],
        };
        assert_eq!(below_the_medium(&curve(60_000.0)).judged.verdict, Judgement::Holds);
        assert_eq!(below_the_medium(&curve(120_498.0)).judged.verdict, Judgement::Misses);
    }
}
