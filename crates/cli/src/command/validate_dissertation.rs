//! `petrio validate dissertation`

use crate::command::asked::{Scenarios, broken_off};
use crate::failure::Failure;
use crate::judged::{conclude, exit_codes};
use crate::output::{print, print_json, talk};
use crate::table::table;
use clap::Args;
use petrio_kernel::Watch;
use petrio_scenario::Override;
use petrio_validation::asked::{Asked, Place};
use petrio_validation::dissertation::{
    CapturedRow, Chapter, Curve, DissertationError, HeldRow, JournalCurve, Part, REQUESTS, Row, scenarios,
    validate_dissertation,
};
use petrio_validation::verdict::{Judged, Judgement};

/// The machine and the file system of a dissertation's chapters 3.2 and 5: every table and figure beside petrio's, with what was
/// fitted
///
/// Two figures are fitted (tables 5 and 6), and where captured traces are played one more; all others are predicted: numbers where the
/// dissertation has numbers, relations and shapes where it has curves. What it leaves open is varied, and the region is told in which a
/// figure holds.
#[derive(Args)]
#[command(after_help = concat!("\
A number's bound is the dissertation's own model's error there, that of a shape its error bars of 10 %. What --set changes isn't
the dissertation's machine any more: it is compared and not judged.\n\n", exit_codes!()))]
pub(crate) struct ValidateDissertation {
    /// Only this figure or table (figure-9, table-11), or this part: files (figures 5 to 8), memory (9, 10 and 38), drives (11 and 12),
    /// copies (13, 14 and 30), caches (table 2), records (figures 31, 32, 39 and 40), random (tables 5, 6 and 11), journal (table 9),
    /// captured (tables 7, 8, 10 and 12); may be given several times
    #[arg(long, value_name = "FIGURE", value_parser = only)]
    only: Vec<Only>,
    /// Change a value of the machine's scenario, such as fs.f.barriers=true; may be repeated
    #[arg(long = "set", value_name = "PATH=VALUE")]
    set: Vec<Override>,
    #[command(flatten)]
    scenarios: Scenarios,
    /// Print everything as JSON
    #[arg(long, conflicts_with = "scenarios")]
    json: bool,
}

/// What is asked for alone.
#[derive(Clone, Copy)]
enum Only {
    Part(Part),
    Place(Place),
}

impl ValidateDissertation {
    pub(crate) fn execute(&self) -> Result<(), Failure> {
        let (parts, asked) = self.asked();
        let _stoppable = crate::stop::by_interrupt(&asked.watch);
        let failed = |error: DissertationError| match error {
            _ if asked.watch.is_stopped() => Failure::Interrupted,
            // What is set is told where it stands.
            DissertationError::Scenario(problems) => Failure::Scenario(problems),
            error => Failure::new(error, None),
        };
        let mut tell = |what: &str| talk(&format!("simulating: {what} …"));
        if let Some(folder) = self.scenarios.folder()? {
            let all = scenarios(&parts, &asked, &mut tell).map_err(failed)?;
            return self.scenarios.write(&folder, &all, &asked.watch);
        }
        let chapter = validate_dissertation(&parts, &asked, &mut tell).map_err(failed)?;
        let is_judged = asked.set.is_empty();
        let judged: Vec<Judged> = chapter.rows.iter().map(|row| row.judged.clone()).collect();
        let judged = if is_judged { judged } else { Vec::new() };
        let help = "validation/dissertation/README.md says what was assumed, and why a row misses";
        if self.json {
            print_json(&chapter)?;
            return broken_off(&asked.watch).and_then(|()| conclude(&judged, true, help));
        }
        print_tables(&chapter)?;
        for row in chapter.rows.iter().filter(|row| !is_judged || row.judged.verdict == Judgement::Holds) {
            let verdict = if is_judged { "holds" } else { "compared" };
            print(&format!("{verdict}: {}{}\n", row.judged.line(), fitted(row)))?;
        }
        broken_off(&asked.watch).and_then(|()| conclude(&judged, false, help))
    }

    /// The parts to run, and what of them is told.
    fn asked(&self) -> (Vec<Part>, Asked) {
        let is_asked = |part: &Part| {
            let of = |only: &Only| match only {
                Only::Part(only) => only == part,
                Only::Place(place) => part.places().contains(place),
            };
            self.only.is_empty() || self.only.iter().any(of)
        };
        let of = |only: &Only| match only {
            Only::Part(part) => part.places(),
            Only::Place(place) => vec![*place],
        };
        let only = self.only.iter().flat_map(of).collect();
        let parts = Part::ALL.into_iter().filter(is_asked).collect();
        (parts, Asked { set: self.set.clone(), only, watch: Watch::new() })
    }
}

fn only(word: &str) -> Result<Only, String> {
    let names = || Part::ALL.map(|part| part.words()[0]).join(", ");
    if let Some(part) = Part::ALL.into_iter().find(|part| part.words()[0] == word) {
        return Ok(Only::Part(part));
    }
    let place: Place = word.parse().map_err(|error| format!("{error}, or give one of {}", names()))?;
    let there: Vec<Place> = Part::ALL.into_iter().flat_map(Part::places).collect();
    Asked { only: vec![place], ..Asked::default() }.check(&there)?;
    Ok(Only::Place(place))
}

fn fitted(row: &Row) -> String {
    if row.fitted.is_empty() { String::new() } else { format!(" [fitted: {}]", row.fitted) }
}

fn print_tables(chapter: &Chapter) -> Result<(), Failure> {
    for group in chapter.curves.chunk_by(|a, b| a.place == b.place) {
        print(&curves(group))?;
    }
    if !chapter.journal.is_empty() {
        print(&journal(&chapter.journal))?;
    }
    if !chapter.held.is_empty() {
        print(&held(&chapter.held))?;
    }
    if !chapter.captured.is_empty() {
        print(&captured(&chapter.captured))?;
    }
    print("\n")
}

fn rate(kb_per_s: f64) -> String {
    if kb_per_s.is_finite() { format!("{kb_per_s:.0}") } else { "–".to_owned() }
}

/// Curves of one figure: a line each, a column for each size.
fn curves(group: &[Curve]) -> String {
    let Some(longest) = group.iter().max_by_key(|curve| curve.at.len()) else { return String::new() };
    let title = format!("\n{}: KB/s by {}\n\n", longest.place, longest.over);
    let heads: Vec<String> = longest.at.iter().map(u64::to_string).collect();
    let headings: Vec<&str> = std::iter::once("").chain(heads.iter().map(String::as_str)).collect();
    let line = |curve: &Curve| -> Vec<String> {
        let cell = |index: usize| curve.kb_per_s.get(index).map_or("–".to_owned(), |value| rate(*value));
        std::iter::once(curve.what.clone()).chain((0..longest.at.len()).map(cell)).collect()
    };
    title + &table(&headings, &group.iter().map(line).collect::<Vec<_>>())
}

/// Table 9 over what is open of it.
fn journal(curves: &[JournalCurve]) -> String {
    let heads = REQUESTS.map(|requests| requests.to_string());
    let mut headings = vec!["journal MiB", "fsync counts"];
    headings.extend(heads.iter().map(String::as_str));
    headings.push("26,470 at");
    let line = |curve: &JournalCurve| -> Vec<String> {
        let counts = if curve.closing_fsync_counts { "yes" } else { "no" };
        let at = curve.measured_at.map_or("–".to_owned(), rate);
        [curve.journal_mib.to_string(), counts.to_owned()]
            .into_iter()
            .chain(curve.kb_per_s.iter().map(|value| rate(*value)))
            .chain([at])
            .collect()
    };
    "\ntable 9: full journal, KB/s by number of requests; measured 26,470\n\n".to_owned()
        + &table(&headings, &curves.iter().map(line).collect::<Vec<_>>())
}

/// Table 11 with other drives.
fn held(rows: &[HeldRow]) -> String {
    let line = |row: &HeldRow| {
        vec![
            if row.judged { "judged" } else { "" }.to_owned(),
            row.held.words().to_owned(),
            if row.barriers { "yes" } else { "no" }.to_owned(),
            rate(row.kb_per_s),
            format!("{:+.0}", row.error_percent),
        ]
    };
    "\ntable 11: O_SYNC; measured 5,389 KB/s\n\n".to_owned()
        + &table(
            &["", "drive holds", "barriers", "KB/s", "error %"],
            &rows.iter().map(line).collect::<Vec<_>>(),
        )
}

/// Tables 7, 8, 10 and 12.
fn captured(rows: &[CapturedRow]) -> String {
    let costs = |costs: Option<[f64; 2]>| {
        costs.map_or("–".to_owned(), |[call, page]| format!("{call:.1} + {page:.2}"))
    };
    let both = |[first, second]: [f64; 2]| format!("{} {}", rate(first), rate(second));
    let line = |row: &CapturedRow| {
        vec![
            row.mean_kib.to_string(),
            costs(row.read_costs_us),
            both(row.read),
            rate(row.fastest_read),
            costs(row.write_costs_us),
            both(row.written),
            row.full_journal.map(both).join(" | "),
            both(row.synchronous),
        ]
    };
    let headings = [
        "mean KiB",
        "read µs: call + page",
        "table 7",
        "records of 64 KiB",
        "write µs: call + page",
        "table 8",
        "table 10",
        "table 12",
    ];
    "\ntables 7, 8, 10 and 12: KB/s of traces 1 and 2; measured 991969 1008167, 207203 180783, 46470 56593, 14857 20628\n\n".to_owned()
        + &table(&headings, &rows.iter().map(line).collect::<Vec<_>>())
}
