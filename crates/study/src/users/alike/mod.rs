//! Whether two workloads are alike: a generated one and the real one that it stands for.
//!
//! A generator is as good as its workload is like the real one (W.-l. Kao, *A user-oriented synthetic workload
//! generator*, 1991, §2.2, on D. Ferrari's criteria). Held against each other are distributions (of sessions, accesses
//! and pauses), the mix of calls, and correlations between what sessions do. How long calls take isn't: that is the
//! system's, and not the workload's.
//!
//! Sessions are independent of each other; accesses, pauses and calls of one session are not, so the p-values of those
//! are smaller than they should be. Of each the effect size counts as well, which depends on no number of values; mixes of
//! calls have to differ by more than the halves of either trace do.

mod samples;
pub mod statistics;

use super::error::UsersError;
use super::simulated::simulate_told;
use crate::compare::statistics::holm;
use crate::compare::{Comparison, comparison_page};
use petrio_files::inputs::Inputs;
use petrio_page::page::{Page, Table, Text};
use petrio_scenario::Loaded;
use petrio_scenario::report::{ReportError, write_text};
use petrio_trace::TraceOptions;
use petrio_users::SessionUsage;
use samples::{Sampler, Samples};
use serde::Serialize;
use statistics::{Found, correlations, homogeneity, smirnov};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// How a test compares.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// Smirnov's test of two distributions; the effect is Cliff's δ.
    Distribution,
    /// χ² of homogeneity; the effect is Cramér's V.
    Categories,
    /// Fisher's z of two rank correlations; the effect is Cohen's q.
    Correlation,
}

impl Method {
    /// Effects below this are small: too small to matter (J. Romano and others, 2006, for δ; J. Cohen, 1988).
    pub const fn negligible(self) -> f64 {
        match self {
            Self::Distribution => 0.147,
            Self::Categories | Self::Correlation => 0.1,
        }
    }

    /// The test and its effect size in a word each.
    pub const fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::Distribution => ("Smirnov D", "Cliff δ"),
            Self::Categories => ("χ²", "Cramér V"),
            Self::Correlation => ("Fisher z", "Cohen q"),
        }
    }
}

/// What a test says of the two.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// No difference shown.
    NotShown,
    /// They differ, by too little to matter.
    TooSmall,
    /// They differ.
    Differ,
}

impl Verdict {
    /// As it is told.
    pub const fn words(self) -> &'static str {
        match self {
            Self::NotShown => "no difference shown",
            Self::TooSmall => "too small to matter",
            Self::Differ => "differs",
        }
    }
}

/// A test of the two workloads.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AlikeTest {
    /// Of what.
    pub of: String,
    /// How.
    pub method: Method,
    /// How many values there are of each; of correlations, sessions; of categories, calls.
    pub counts: (u64, u64),
    /// The statistic.
    pub statistic: f64,
    /// The chance of at least that, were the two alike.
    pub p: f64,
    /// The same, corrected for all tests together (Holm).
    pub p_of_all: f64,
    /// How far they are apart.
    pub effect: f64,
    /// What that means.
    pub verdict: Verdict,
}

/// Two workloads held against each other.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Alike {
    /// The files.
    pub runs: (String, String),
    /// The tests.
    pub tests: Vec<AlikeTest>,
    /// How sure a difference has to be: the chance of any false one among all.
    pub significance: f64,
    /// What couldn't be tested, for want of values.
    pub untested: Vec<String>,
}

impl Alike {
    /// Whether no test shows a difference that matters.
    pub fn are_alike(&self) -> bool {
        self.tests.iter().all(|test| test.verdict != Verdict::Differ)
    }
}

impl Alike {
    /// In a sentence.
    pub fn sentence(&self) -> String {
        let differ = self.tests.iter().filter(|test| test.verdict == Verdict::Differ).count();
        let (all, significance) = (self.tests.len(), self.significance * 100.0);
        let words = match differ {
            0 => "no difference that matters is shown".to_owned(),
            differ => format!("{differ} of {all} tests show a difference that matters"),
        };
        format!(
            "{words}; the chance of any false one among all {all} is {significance:.0} % at most (Holm), but less sure for accesses, \
             pauses and calls, which depend on each other within a session"
        )
    }
}

/// Writes the tests as a page. The file is complete or absent; the same runs give the same bytes.
///
/// # Errors
/// When it can't be written.
pub fn write_alike_html(found: &Alike, path: &Path, inputs: &Inputs) -> Result<(), ReportError> {
    let mut page = Page::new("Whether two workloads are alike");
    page.below = vec![Text::default().quiet(format!("{} beside {}", found.runs.0, found.runs.1))];
    tell(&mut page, found);
    page.foot = "the same runs give the same page".to_owned();
    write_text(path, inputs, &page.html())
}

/// A comparison of file systems under users as a page, and whether the users are like those that they stand for.
///
/// # Errors
/// When it can't be written.
pub fn write_comparison_html(
    (comparison, found): (&Comparison, &Alike),
    path: &Path,
    inputs: &Inputs,
) -> Result<(), ReportError> {
    let mut page = comparison_page(comparison);
    page.heading(format!("{} beside {}", found.runs.0, found.runs.1));
    tell(&mut page, found);
    write_text(path, inputs, &page.html())
}

/// The tests, on a page.
fn tell(page: &mut Page, found: &Alike) {
    page.paragraph(found.sentence());
    let row = |test: &AlikeTest| {
        let (statistic, effect) = test.method.words();
        vec![
            test.of.clone(),
            format!("{} and {}", test.counts.0, test.counts.1),
            format!("{statistic} {:.3}", test.statistic),
            format!("{:.4}", test.p),
            format!("{:.4}", test.p_of_all),
            format!("{effect} {:+.3}", test.effect),
            test.verdict.words().to_owned(),
        ]
    };
    let heads = ["of", "values", "test", "p", "p of all", "effect", "verdict"];
    page.table(Table::new(heads).with(found.tests.iter().map(row)));
    for untested in &found.untested {
        page.note(format!("Not tested, for want of values: {untested}."));
    }
}

/// The chance of any false difference.
pub const SIGNIFICANCE: f64 = 0.05;

/// Something that is known of a session, and its name.
type OfSession = (&'static str, fn(&SessionUsage) -> f64);

/// A test before all are corrected together: of what, how, of how many values, and what it found.
type Uncorrected = (String, Method, (u64, u64), Option<Found>);

/// What is known of a session, by name.
const OF_SESSIONS: [OfSession; 4] = [
    ("files of a session", |session| session.files as f64),
    ("bytes of a session", |session| session.bytes as f64),
    ("mean file size of a session", |session| session.file_size),
    ("accesses per byte of a session", |session| session.accesses_per_byte),
];

/// Tests whether two traces are of workloads that are alike.
///
/// # Errors
/// What is wrong with a file, and where.
pub fn compare_workloads(
    inputs: &Inputs,
    [first, second]: [&Path; 2],
    options: &TraceOptions,
) -> Result<Alike, UsersError> {
    let runs = (first.to_string_lossy().into_owned(), second.to_string_lossy().into_owned());
    Ok(tested(runs, Samples::of(inputs, first, options)?, Samples::of(inputs, second, options)?))
}

/// Tests whether the users of a scenario, simulated, work as a trace says.
///
/// # Errors
/// What is wrong with the scenario, its run, or the trace.
pub fn users_beside(
    (name, loaded): (&str, &Loaded),
    (inputs, like): (&Inputs, &Path),
    options: &TraceOptions,
) -> Result<Alike, UsersError> {
    // The trace first: it may not be one.
    let real = Samples::of(inputs, like, options)?;
    let (_, sampler) = simulate_told(loaded, Sampler::event)?;
    let runs = (format!("the users on {name}, simulated"), like.to_string_lossy().into_owned());
    Ok(tested(runs, sampler.finish().unwrap_or_default(), real))
}

fn tested(runs: (String, String), mut first: Samples, mut second: Samples) -> Alike {
    let mut found: Vec<Uncorrected> = Vec::new();
    let sizes = |a: &[f64], b: &[f64]| (a.len() as u64, b.len() as u64);
    for (name, of) in OF_SESSIONS {
        let [mut a, mut b] =
            [&first, &second].map(|samples| samples.sessions.iter().map(of).collect::<Vec<_>>());
        let counts = sizes(&a, &b);
        found.push((name.to_owned(), Method::Distribution, counts, smirnov(&mut a, &mut b)));
    }
    let both: [(&str, &mut Vec<f64>, &mut Vec<f64>); 3] = [
        ("bytes of a read", &mut first.reads, &mut second.reads),
        ("bytes of a write", &mut first.writes, &mut second.writes),
        ("pause before a call", &mut first.pauses, &mut second.pauses),
    ];
    for (name, a, b) in both {
        let counts = sizes(a, b);
        found.push((name.to_owned(), Method::Distribution, counts, smirnov(a, b)));
    }
    let calls = by_kind([&first.calls[0], &first.calls[1], &second.calls[0], &second.calls[1]]);
    let wholes: Vec<(u64, u64)> = calls.iter().map(|of| (of[0] + of[1], of[2] + of[3])).collect();
    let all = wholes.iter().fold((0, 0), |sum, pair| (sum.0 + pair.0, sum.1 + pair.1));
    found.push(("calls by kind".to_owned(), Method::Categories, all, homogeneity(&wholes)));
    // Sessions differ in their calls, and so do parts of one workload.
    let apart = |pairs: Vec<(u64, u64)>| homogeneity(&pairs).map_or(0.0, |found| found.effect);
    let halves = calls.iter().map(|of| (of[0], of[1])).collect();
    let others = calls.iter().map(|of| (of[2], of[3])).collect();
    let within = apart(halves).max(apart(others));
    for (at, (one, of_one)) in OF_SESSIONS.iter().enumerate() {
        for (other, of_other) in &OF_SESSIONS[at + 1..] {
            let pairs = |samples: &Samples| -> Vec<(f64, f64)> {
                samples.sessions.iter().map(|session| (of_one(session), of_other(session))).collect()
            };
            let (a, b) = (pairs(&first), pairs(&second));
            let counts = (a.len() as u64, b.len() as u64);
            found.push((format!("{one} with {other}"), Method::Correlation, counts, correlations(&a, &b)));
        }
    }
    let p: Vec<f64> = found.iter().filter_map(|(.., found)| found.map(|found| found.p)).collect();
    let mut corrected = holm(&p).into_iter();
    let (mut tests, mut untested) = (Vec::new(), Vec::new());
    for (of, method, counts, found) in found {
        let (Some(Found { statistic, p, effect }), Some(p_of_all)) =
            (found, found.and_then(|_| corrected.next()))
        else {
            untested.push(of);
            continue;
        };
        let negligible = match method {
            Method::Categories => method.negligible().max(within),
            _ => method.negligible(),
        };
        let verdict = match (p_of_all < SIGNIFICANCE, effect.abs() < negligible) {
            (false, _) => Verdict::NotShown,
            (true, true) => Verdict::TooSmall,
            (true, false) => Verdict::Differ,
        };
        tests.push(AlikeTest { of, method, counts, statistic, p, p_of_all, effect, verdict });
    }
    Alike { runs, tests, significance: SIGNIFICANCE, untested }
}

/// Counts by kind, those of a kind together.
fn by_kind<const N: usize>(counts: [&BTreeMap<&'static str, u64>; N]) -> Vec<[u64; N]> {
    let kinds: BTreeSet<&str> = counts.iter().flat_map(|counts| counts.keys().copied()).collect();
    kinds.iter().map(|kind| counts.map(|counts| counts.get(kind).copied().unwrap_or(0))).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use petrio_distribution::uniform;

    /// Sessions whose bytes follow their files, more or less.
    fn made_up(name: &str, sessions: usize, bytes_a_file: f64) -> Samples {
        let mut generator = petrio_random::generator(1, 0, "alike", name);
        let mut draw = || uniform(&mut generator);
        let mut samples = Samples::default();
        for _ in 0..sessions {
            let files = 1.0 + (draw() * 20.0).floor();
            let bytes = files * bytes_a_file * (0.5 + draw());
            let session = SessionUsage {
                files: files as u64,
                bytes: bytes as u64,
                file_size: 1_000.0 * draw(),
                accesses_per_byte: draw(),
            };
            samples.sessions.push(session);
            samples.reads.extend((0..10).map(|_| (1_024.0 * draw()).ceil()));
            samples.pauses.extend((0..10).map(|_| draw() * 5e-3));
        }
        samples.calls =
            std::array::from_fn(|_| [("read", 5 * sessions as u64), ("open", sessions as u64)].into());
        samples
    }

    fn names() -> (String, String) {
        ("one".to_owned(), "other".to_owned())
    }

    #[test]
    fn workloads_of_one_kind_are_alike_and_others_differ_in_what_they_differ() {
        let alike = tested(names(), made_up("a", 300, 4_096.0), made_up("b", 400, 4_096.0));
        assert!(alike.are_alike(), "{alike:?}");
        assert_eq!(alike.untested, ["bytes of a write"]);
        assert_eq!(alike.tests.len(), 4 + 2 + 1 + 6);
        let mut other = made_up("c", 300, 8_192.0);
        other.calls.iter_mut().for_each(|half| {
            half.insert("write", 1_500);
        });
        let apart = tested(names(), made_up("a", 300, 4_096.0), other);
        let differ: Vec<&str> = (apart.tests.iter())
            .filter(|test| test.verdict == Verdict::Differ)
            .map(|test| test.of.as_str())
            .collect();
        assert_eq!(differ, ["bytes of a session", "calls by kind"]);
        let bytes = apart.tests.iter().find(|test| test.of == "bytes of a session").unwrap();
        assert!(bytes.effect > 0.3, "the second moves more: {bytes:?}");
    }

    #[test]
    fn what_is_certain_and_small_is_told_apart_from_what_matters() {
        let mut other = made_up("b", 3_000, 4_096.0);
        other.reads.iter_mut().for_each(|bytes| *bytes += 40.0);
        let alike = tested(names(), made_up("a", 3_000, 4_096.0), other);
        let reads = alike.tests.iter().find(|test| test.of == "bytes of a read").unwrap();
        assert_eq!(reads.verdict, Verdict::TooSmall, "{reads:?}");
        assert!(alike.are_alike());
    }
}
