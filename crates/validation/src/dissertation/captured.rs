//! Tables 7, 8, 10 and 12: the captured traces, over the mean request that the dissertation doesn't tell.
//!
//! For each mean the split of costs into calls and pages is fitted to the first trace's reads (table 7) and asynchronous writes
//! (table 8) beside tables 5 and 6; the second trace, and both in full-journal mode and with O_SYNC, are predicted. Each table
//! then holds for a region of means, and the question is whether one mean satisfies all tables of a trace.

use super::DissertationError;
use super::costs::{Fitted, Known, split};
use super::curves::READ_AXIS;
use super::machine::{Costs, DEFAULT, FILE_KIB, IN_MEMORY_KIB, Journal, Machine, Work, WriteEnd};
use super::random::SYNCHRONOUS;
use super::requests::{Trace, requests};
use super::row::{Row, kb};
use super::site::Site;
use crate::verdict::Judged;
use petrio_units::numbers::nearest_whole;
use serde::Serialize;

/// Mean requests, KiB.
pub const MEANS_KIB: [u64; 6] = [12, 16, 24, 32, 64, 128];
/// What a trace moves that stays in memory, KiB: less than the dirty limit.
const MOVED_KIB: u64 = 16 << 10;
/// Requests of a trace with O_SYNC, of which each takes a millisecond or more.
const SYNCHRONOUS_REQUESTS: u64 = 400;
/// What table 10's traces move, of what gives table 9's rate at random: their amount isn't told either.
/// Between the first and the second a journal of 128 MiB becomes full, where rates fall at once from those of memory.
pub const AMOUNTS: [f64; 3] = [0.8, 0.88, 1.0];
/// Measured, KB/s, of both traces (tables 7, 8, 10 and 12).
pub(super) const READ: [f64; 2] = [991_969.14, 1_008_167.15];
pub(super) const WRITTEN: [f64; 2] = [207_203.0, 180_783.2];
const FULL: [f64; 2] = [46_470.4, 56_593.0];
const EACH: [f64; 2] = [14_856.8, 20_628.2];
/// The dissertation's own errors there, per cent.
const READ_ERRORS: [f64; 2] = [12.0, 13.0];
const WRITTEN_ERRORS: [f64; 2] = [29.0, 19.0];
const FULL_ERRORS: [f64; 2] = [11.0, 12.0];
const EACH_ERRORS: [f64; 2] = [22.0, 24.0];

/// What is predicted for traces of one mean; rates in KB (1,024 bytes) a second, of the first trace and of the second.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CapturedRow {
    /// The mean request, KiB.
    pub mean_kib: u64,
    /// A read's call, µs, and its page: fitted to table 5 and the first trace of table 7; none where nothing gives both.
    pub read_costs_us: Option<[f64; 2]>,
    /// The same of a write: table 6 and the first trace of table 8.
    pub write_costs_us: Option<[f64; 2]>,
    /// Sequential reads in records of 64 KiB with these costs, for figure 6's axis.
    pub fastest_read: f64,
    /// Reads from memory (table 7).
    pub read: [f64; 2],
    /// Asynchronous writes (table 8).
    pub written: [f64; 2],
    /// Full journal (table 10), where the trace moves so many times (`AMOUNTS`) what gives table 9's rate at random.
    pub full_journal: [[f64; 2]; AMOUNTS.len()],
    /// O_SYNC (table 12).
    pub synchronous: [f64; 2],
}

/// Why no mean satisfies all tables of a trace's writes with the amounts that are tried.
const APART: &str = "petrio's O_SYNC gains more with the size of writes than the measured traces did, as its drive takes their sequential \
     parts at the rate of its medium, so that table 12 asks for smaller requests than table 10";

/// What isn't known without costs.
const UNKNOWN: [f64; 2] = [f64::NAN; 2];

/// How many bytes give table 9's rate at random.
#[derive(Clone, Copy, Debug)]
pub(super) struct Logged {
    pub(super) kib: Option<f64>,
}

/// Runs traces of all means.
pub(super) fn captured(
    fitted: &Fitted,
    logged: Logged,
    site: &Site<'_>,
) -> Result<Vec<CapturedRow>, DissertationError> {
    site.side_by_side(&MEANS_KIB, |&mean| of_mean(site, (fitted, logged), mean))
}

fn work(trace: Trace, journal: Journal, mean_kib: u64, count: u64, ends: WriteEnd) -> Work {
    Work::recorded(journal, requests(trace, false, [mean_kib, FILE_KIB], count), FILE_KIB, ends)
}

fn of_mean(
    site: &Site<'_>,
    (fitted, logged): (&Fitted, Logged),
    mean_kib: u64,
) -> Result<CapturedRow, DissertationError> {
    let in_memory = MOVED_KIB / mean_kib;
    let [read, written] = [true, false].map(|reads| {
        let ends = if reads { WriteEnd::Unwritten } else { WriteEnd::InMemory };
        Trace::BOTH.map(|trace| {
            let text = requests(trace, reads, [mean_kib, IN_MEMORY_KIB], in_memory);
            (mean(&text), Work::recorded(Journal::Ordered, text, IN_MEMORY_KIB, ends))
        })
    });
    let known = |reads, of: &[(f64, Work); 2], kb_per_s| {
        split(site, fitted.costs, &Known { reads, work: &of[0].1, mean_kib: of[0].0, kb_per_s })
    };
    let (reads, writes) = (known(true, &read, READ[0])?, known(false, &written, WRITTEN[0])?);
    let both = |costs: Option<Costs>, of: &[(f64, Work); 2]| match costs {
        Some(costs) => {
            let machine = Machine::of(DEFAULT, costs);
            Ok::<_, DissertationError>([
                site.kb_per_s(&machine, &of[0].1)?,
                site.kb_per_s(&machine, &of[1].1)?,
            ])
        }
        None => Ok(UNKNOWN),
    };
    let fastest_read = match reads {
        Some(costs) => site.kb_per_s(&Machine::of(DEFAULT, costs), &Work::reads(64, 4_096))?,
        None => f64::NAN,
    };
    let machine = Machine::of(DEFAULT, writes.unwrap_or(fitted.costs));
    let run = |journal, count, ends| {
        Ok::<_, DissertationError>([
            site.kb_per_s(&machine, &work(Trace::First, journal, mean_kib, count, ends))?,
            site.kb_per_s(&machine, &work(Trace::Second, journal, mean_kib, count, ends))?,
        ])
    };
    let mut full_journal = [UNKNOWN; AMOUNTS.len()];
    for (rates, amount) in full_journal.iter_mut().zip(AMOUNTS) {
        if let Some(kib) = logged.kib {
            let count = nearest_whole(kib * amount / mean_kib as f64).max(1);
            *rates = run(Journal::Full, count, WriteEnd::InMemory)?;
        }
    }
    let micros = |call: f64, page: f64| [call / 1e3, page / 1e3];
    // A write's handle is one a call; the rest of what the factor is on is each page's.
    let write = |costs: Costs| {
        micros(costs.write_call_ns + 8_000.0 * costs.write_pages, 18_900.0 * costs.write_pages)
    };
    Ok(CapturedRow {
        mean_kib,
        read_costs_us: reads.map(|costs| micros(costs.read_call_ns, 5_800.0 * costs.read_pages)),
        write_costs_us: writes.map(write),
        fastest_read,
        read: both(reads, &read)?,
        written: both(writes, &written)?,
        full_journal,
        synchronous: run(Journal::Ordered, SYNCHRONOUS_REQUESTS, WriteEnd::Synchronous)?,
    })
}

/// The mean request of a text of columns, KiB.
fn mean(text: &str) -> f64 {
    let lengths: Vec<f64> =
        text.lines().skip(1).filter_map(|line| line.split(',').nth(1)?.parse().ok()).collect();
    lengths.iter().sum::<f64>() / lengths.len() as f64
}

/// The means for which something holds.
type Region = Vec<u64>;

fn region(rows: &[CapturedRow], holds: impl Fn(&CapturedRow) -> bool) -> Region {
    rows.iter().filter(|row| holds(row)).map(|row| row.mean_kib).collect()
}

/// What is off by at most so many per cent; what is no number isn't.
fn within(value: f64, told: f64, percent: f64) -> bool {
    (value / told - 1.0).abs() <= percent / 100.0
}

fn words(region: &[u64]) -> String {
    match region {
        [] => "for no mean".to_owned(),
        all => format!("for means of {} KiB", all.iter().map(u64::to_string).collect::<Vec<_>>().join(", ")),
    }
}

const FITTED_READS: &str = "a read's call and page, to table 5 and this";
const FITTED_WRITES: &str = "a write's call and page, to table 6 and this";
const PREDICTED_READS: &str = "a read's call and page, to table 5 and the first trace";
const PREDICTED_WRITES: &str =
    "a write's call and page, to table 6 and the first trace of table 8; the mean request is open";
const PREDICTED_FULL: &str = "as table 8, and how much is moved, beside what gives table 9 (128 MiB of journal, no fsync); mean request and amount are open";

/// Rows of the four tables, and what they come to together. `synchronous` is ours of table 11.
pub(super) fn rows(captured: &[CapturedRow], synchronous: f64) -> Vec<Row> {
    let mut rows = reads(captured);
    let mut together: [Vec<Region>; 2] = [Vec::new(), Vec::new()];
    let written = Table {
        place: "table 8",
        what: "asynchronous writes",
        fitted: PREDICTED_WRITES,
        told: WRITTEN,
        errors: WRITTEN_ERRORS,
        of: &|row| row.written,
    };
    rows.extend(written.rows(captured, &mut together));
    rows.extend(full_journal(captured, &mut together));
    let each = Table {
        place: "table 12",
        what: "O_SYNC, by table 11's random writes (2.8 and 3.8 times)",
        fitted: PREDICTED_WRITES,
        told: EACH.map(|told| told / SYNCHRONOUS * synchronous),
        errors: EACH_ERRORS,
        of: &|row| row.synchronous,
    };
    rows.extend(each.rows(captured, &mut together));
    rows.extend(Trace::BOTH.map(|trace| all_of(trace, &together[trace.number() - 1])));
    // Of table 8 the first trace is what the split is fitted to.
    rows[3].fitted = FITTED_WRITES;
    rows
}

/// A table of writes of both traces.
struct Table<'t> {
    place: &'static str,
    what: &'static str,
    fitted: &'static str,
    told: [f64; 2],
    errors: [f64; 2],
    of: &'t Of,
}

impl Table<'_> {
    /// A row for each trace; the means for which each holds are added to what is to hold together.
    fn rows(&self, captured: &[CapturedRow], together: &mut [Vec<Region>; 2]) -> [Row; 2] {
        let &Self { place, what, fitted, told, errors, of } = self;
        Trace::BOTH.map(|trace| {
            let index = trace.number() - 1;
            let holds = |row: &CapturedRow| within(of(row)[index], told[index], errors[index]);
            let region = region(captured, holds);
            let row = region_row(place, (what, trace), (told[index], errors[index]), captured, of, &region);
            together[index].push(region);
            row.fitted(fitted)
        })
    }
}

/// Table 10, whose traces' amount is open as well.
fn full_journal(captured: &[CapturedRow], together: &mut [Vec<Region>; 2]) -> [Row; 2] {
    Trace::BOTH.map(|trace| {
        let index = trace.number() - 1;
        let (told, error) = (FULL[index], FULL_ERRORS[index]);
        let holds = |row: &CapturedRow, amount: usize| within(row.full_journal[amount][index], told, error);
        let regions: Vec<String> = (AMOUNTS.iter().enumerate())
            .map(|(number, amount)| {
                let rates: Vec<String> = (captured.iter())
                    .map(|row| format!("{} ({})", kb(row.full_journal[number][index]), row.mean_kib))
                    .collect();
                let region = region(captured, |row| holds(row, number));
                format!(
                    "{amount} times that amount {}, within {error:.0} % {}",
                    rates.join(", "),
                    words(&region)
                )
            })
            .collect();
        let any = region(captured, |row| (0..AMOUNTS.len()).any(|amount| holds(row, amount)));
        let figures =
            format!("{} KB/s, petrio by mean request in KiB and amount: {}", kb(told), regions.join("; "));
        let what = format!("full journal, trace {}", trace.number());
        let row = Row::at_least("table 10", &what, figures, any.len() as f64, 1.0);
        together[index].push(any);
        row.fitted(PREDICTED_FULL)
    })
}

type Of = dyn Fn(&CapturedRow) -> [f64; 2];

fn region_row(
    place: &'static str,
    (what, trace): (&str, Trace),
    (told, error): (f64, f64),
    captured: &[CapturedRow],
    of: &Of,
    region: &[u64],
) -> Row {
    let index = trace.number() - 1;
    let all: Vec<String> =
        captured.iter().map(|row| format!("{} ({})", kb(of(row)[index]), row.mean_kib)).collect();
    let figures = format!(
        "{} KB/s, petrio by mean request in KiB {}; within {error:.0} % {}",
        kb(told),
        all.join(", "),
        words(region)
    );
    let what = format!("{what}, trace {}", trace.number());
    Row::at_least(place, &what, figures, region.len() as f64, 1.0)
}

/// Table 7: fitted to the first trace, so that the second is predicted; and figure 6's axis with these costs.
fn reads(captured: &[CapturedRow]) -> Vec<Row> {
    let known: Vec<&CapturedRow> = captured.iter().filter(|row| row.read_costs_us.is_some()).collect();
    let fits = region(captured, |row| within(row.read[0], READ[0], 1.0));
    let first = Row::at_least(
        "table 7",
        "reads, trace 1",
        format!("{} KB/s, met {}", kb(READ[0]), words(&fits)),
        fits.len() as f64,
        1.0,
    );
    let off = |row: &&CapturedRow| ((row.read[1] / READ[1] - 1.0) * 100.0).abs();
    let worst = known.iter().map(off).fold(0.0, f64::max);
    let second = Row::at_most(
        "table 7",
        "reads, trace 2",
        format!(
            "{} KB/s, petrio {}: {worst:.1} % off at most with a mean as the first's, at most {:.0} %",
            kb(READ[1]),
            super::row::kbs(&known.iter().map(|row| row.read[1]).collect::<Vec<_>>()),
            READ_ERRORS[1]
        ),
        if known.is_empty() { f64::NAN } else { worst },
        READ_ERRORS[1],
    );
    let axis = region(captured, |row| row.fastest_read <= READ_AXIS);
    let fastest: Vec<String> =
        known.iter().map(|row| format!("{} ({})", kb(row.fastest_read), row.mean_kib)).collect();
    let figure = Row::at_least(
        "figures 5 and 6",
        "reads: within figure 6's axis with the costs of table 7",
        format!(
            "sequential reads of 64 KiB by mean request {} KB/s; the axis ends at {}, which holds {}",
            fastest.join(", "),
            kb(READ_AXIS),
            words(&axis)
        ),
        axis.len() as f64,
        1.0,
    );
    vec![first.fitted(FITTED_READS), second.fitted(PREDICTED_READS), figure.fitted(PREDICTED_READS)]
}

/// Whether one mean satisfies all tables of a trace's writes.
fn all_of(trace: Trace, regions: &[Region]) -> Row {
    let common: Region =
        MEANS_KIB.into_iter().filter(|mean| regions.iter().all(|region| region.contains(mean))).collect();
    let each: Vec<String> = ["table 8", "table 10", "table 12"]
        .iter()
        .zip(regions)
        .map(|(table, region)| format!("{table} {}", words(region)))
        .collect();
    let figures = format!("{}; all of them {}", each.join(", "), words(&common));
    let what = format!("writes, trace {}: one mean request for all", trace.number());
    let what = format!("tables 8, 10 and 12, {what}");
    let judged = Judged::at_least(what, figures, (common.len() as f64, 1.0), Some((1.0, APART)));
    Row { place: "tables 8, 10 and 12", fitted: PREDICTED_FULL, judged }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verdict::Judgement;

    fn made_up(of: impl Fn(u64) -> [f64; 2]) -> Vec<CapturedRow> {
        let row = |mean_kib| CapturedRow {
            mean_kib,
            read_costs_us: Some([5.0, 3.0]),
            write_costs_us: Some([15.0, 20.0]),
            fastest_read: 1_000_000.0,
            read: READ,
            written: WRITTEN,
            full_journal: [FULL; AMOUNTS.len()],
            synchronous: of(mean_kib),
        };
        MEANS_KIB.map(row).to_vec()
    }

    #[test]
    fn a_mean_that_satisfies_all_tables_is_found_and_its_lack_is_a_miss() {
        let both = |of: &dyn Fn(u64) -> [f64; 2]| {
            let rows = rows(&made_up(of), SYNCHRONOUS);
            let of = |row: &Row| (row.judged.verdict, row.judged.figures.clone().unwrap_or_default());
            [&rows[rows.len() - 2], &rows[rows.len() - 1]].map(of)
        };
        let found = both(&|mean| if mean == 24 { EACH } else { [1.0; 2] });
        for (verdict, figures) in found {
            assert_eq!(verdict, Judgement::Holds);
            assert!(figures.ends_with("all of them for means of 24 KiB"), "{figures}");
        }
        assert_eq!(both(&|_| UNKNOWN).map(|(verdict, _)| verdict), [Judgement::KnownToMiss; 2]);
    }

    #[test]
    fn what_has_no_costs_holds_nowhere() {
        let mut all = made_up(|_| EACH);
        for row in &mut all {
            (row.read, row.read_costs_us, row.written) = (UNKNOWN, None, UNKNOWN);
        }
        let judged = rows(&all, SYNCHRONOUS);
        let of = |verdict| judged.iter().filter(|row| row.judged.verdict == verdict).count();
        // Both traces of tables 7 and 8; and so no mean satisfies all tables of a trace.
        assert_eq!([of(Judgement::Misses), of(Judgement::KnownToMiss)], [4, 2]);
    }
}
