//! What a parallel program would print of itself: its phases, their rates, and IO500's score.

use crate::figure::figures;
use crate::table::table;
use crate::text::{SHORTEST_NAME, indented, length, shortened};
use petrio_page::numbers::{bytes, counted, per_cent, rate_unit, seconds, significant};
use petrio_units::numbers::whole_part;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A phase of a parallel program that is over, once for each of its repetitions.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PhaseFigures {
    /// What the program calls it: `write`, `file creation`, `ior-easy-write`.
    pub name: String,
    /// Which time it is, from 0.
    pub repetition: u32,
    /// When its first rank began, seconds from the beginning of the run.
    pub begin_s: f64,
    /// How long it took as the program measures it: of IOR from the first open to the last close, fsync among it; of mdtest until
    /// all have come to the barrier after it; of BT-IO the time in opening, dumps and closing of the rank with the most.
    pub seconds: f64,
    /// Bytes that were read or written, as the program counts them.
    pub bytes: u64,
    /// Accesses, or what `counted` says.
    pub operations: u64,
    /// What the rate is of: `byte`, or one operation's name, such as `file`.
    pub counted: String,
    /// So many of these a second.
    pub rate: f64,
    /// Of a training, the part of the time in which its accelerators computed, 0 to 1: accelerator utilisation.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub busy: Option<f64>,
    /// Whether its rate is a part of a score, which gives it in GiB/s or in thousands a second.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub scored: bool,
}

/// What IO500 makes of its results: geometric means, and that of both.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ScoreFigures {
    /// The geometric mean of the results in GiB/s.
    pub bandwidth_gib_per_s: f64,
    /// The geometric mean of the results in thousands of operations a second.
    pub metadata_kiops: f64,
    /// The square root of their product.
    pub total: f64,
    /// Whether each writing phase took as long as the rules want it.
    pub by_the_rules: bool,
}

/// How long the rules of IO500 want each writing phase, seconds.
const WRITING_S: f64 = 300.0;

/// Bytes in a GiB, and operations in a thousand.
const GIB: f64 = 1_073_741_824.0;
const THOUSAND: f64 = 1000.0;

impl PhaseFigures {
    fn is_of_bytes(&self) -> bool {
        self.counted == "byte"
    }

    /// A rate like its own with a unit.
    fn told(&self, rate: f64) -> String {
        match (self.is_of_bytes(), self.scored) {
            (true, true) => format!("{} GiB/s", significant(rate / GIB)),
            (false, true) => format!("{} kIOPS", significant(rate / THOUSAND)),
            (true, false) => {
                let (unit, size) = rate_unit(rate);
                format!("{} {unit}", significant(rate / size))
            }
            (false, false) => format!("{}/s", significant(rate)),
        }
    }

    /// What was done.
    fn amount(&self) -> String {
        if self.is_of_bytes() {
            return bytes(self.bytes);
        }
        let many = match self.counted.strip_suffix('y') {
            Some(stem) => format!("{stem}ies"),
            None => format!("{}s", self.counted),
        };
        counted(self.operations, &self.counted, &many)
    }
}

impl ScoreFigures {
    /// Of the phases that are parts of one; none where some are missing, as in a run that was stopped.
    pub fn of(phases: &[PhaseFigures]) -> Option<Self> {
        let mean = |of_bytes: bool, results: usize, unit: f64| {
            let rates = || phases.iter().filter(|phase| phase.scored && phase.is_of_bytes() == of_bytes);
            let sum: f64 = rates().map(|phase| libm::log(phase.rate / unit)).sum();
            (rates().count() == results).then(|| libm::exp(sum / results as f64))
        };
        let (bandwidth_gib_per_s, metadata_kiops) = (mean(true, 4, GIB)?, mean(false, 8, THOUSAND)?);
        let total = (bandwidth_gib_per_s * metadata_kiops).sqrt();
        let mut writing = phases.iter().filter(|phase| phase.scored && phase.name.ends_with("-write"));
        let by_the_rules = writing.all(|phase| phase.seconds >= WRITING_S);
        Some(Self { bandwidth_gib_per_s, metadata_kiops, total, by_the_rules })
    }

    /// In a sentence.
    pub(super) fn sentence(&self) -> String {
        let [bandwidth, metadata, total] =
            [self.bandwidth_gib_per_s, self.metadata_kiops, self.total].map(significant);
        let short = match self.by_the_rules {
            true => String::new(),
            false => format!("; the rules want each writing phase to last {WRITING_S:.0} s"),
        };
        format!("bandwidth {bandwidth} GiB/s, metadata {metadata} kIOPS, total {total}{short}")
    }
}

/// Phases as a table: a row a name with its repetitions together, under these heads.
pub(super) fn phase_table(phases: &[PhaseFigures]) -> Option<(Vec<&'static str>, Vec<Vec<String>>)> {
    let mut groups: Vec<Vec<&PhaseFigures>> = Vec::new();
    for phase in phases {
        match groups.iter_mut().find(|group| group[0].name == phase.name) {
            Some(group) => group.push(phase),
            None => groups.push(vec![phase]),
        }
    }
    let is_repeated = groups.iter().any(|group| group.len() > 1);
    let is_busy = phases.iter().any(|phase| phase.busy.is_some());
    let mut heads = vec!["phase"];
    heads.extend(if is_repeated {
        ["times", "mean rate", "min", "max", "mean time", "each"].as_slice()
    } else {
        ["rate", "time", "done"].as_slice()
    });
    heads.extend(is_busy.then_some("accelerators busy"));
    let row = |group: &Vec<&PhaseFigures>| {
        let first = *group.first()?;
        let mean = |of: fn(&PhaseFigures) -> f64| {
            group.iter().map(|phase| of(phase)).sum::<f64>() / group.len() as f64
        };
        let rates = || group.iter().map(|phase| phase.rate);
        let mut row = vec![first.name.clone()];
        if is_repeated {
            row.push(group.len().to_string());
        }
        row.push(first.told(mean(|phase| phase.rate)));
        if is_repeated {
            row.push(first.told(rates().fold(f64::INFINITY, f64::min)));
            row.push(first.told(rates().fold(0.0, f64::max)));
        }
        row.push(seconds(mean(|phase| phase.seconds)));
        let each = PhaseFigures {
            bytes: whole_part(mean(|phase| phase.bytes as f64)),
            operations: whole_part(mean(|phase| phase.operations as f64)),
            ..first.clone()
        };
        row.push(each.amount());
        if is_busy {
            row.push(
                first.busy.map_or("–".to_owned(), |_| per_cent(mean(|phase| phase.busy.unwrap_or(0.0)))),
            );
        }
        Some(row)
    };
    (!groups.is_empty()).then(|| (heads, groups.iter().filter_map(row).collect()))
}

/// The same on a terminal of so many columns.
pub(super) fn terminal(out: &mut String, phases: &[PhaseFigures], width: usize) {
    if let Some((heads, rows)) = phase_table(phases) {
        indented(out, &fitting(heads, rows, width - 4), 4, width);
    }
}

/// A table of phases that is no wider than `room`, as far as that goes without taking anything from a figure: what follows from
/// the rest goes first, then the middles of names.
fn fitting(mut heads: Vec<&str>, mut rows: Vec<Vec<String>>, room: usize) -> String {
    let over = |text: &str| text.lines().map(length).max().unwrap_or(0).saturating_sub(room);
    let mut text = table(&heads, &rows);
    for spared in ["mean time", "each"] {
        if let (true, Some(at)) = (over(&text) > 0, heads.iter().position(|head| *head == spared)) {
            heads.remove(at);
            rows.iter_mut().for_each(|row| drop(row.remove(at)));
            text = table(&heads, &rows);
        }
    }
    if over(&text) > 0 {
        let longest = rows.iter().map(|row| length(&row[0])).max().unwrap_or(0);
        let room = longest.saturating_sub(over(&text)).max(SHORTEST_NAME);
        rows.iter_mut().for_each(|row| row[0] = shortened(&row[0], room));
        text = table(&heads, &rows);
    }
    text
}

figures! { PhaseFigures:
    begin_s => "begin" Seconds Neither;
    seconds => "time" Seconds Down;
    bytes => "bytes" Bytes Neither;
    operations => "operations" One Neither;
    rate = |phase: &Self| phase.is_of_bytes().then_some(phase.rate), "Bytes a second, as the program counts them."
        => "rate" BytesPerSecond Up;
    rate = |phase: &Self| (!phase.is_of_bytes()).then_some(phase.rate), "Operations a second, of those that `counted` names."
        => "rate" PerSecond Up;
    busy => "accelerators busy" One Up;
}

figures! { ScoreFigures:
    bandwidth_gib_per_s => "bandwidth" GibPerSecond Up;
    metadata_kiops => "metadata" ThousandsPerSecond Up;
    total => "total" One Up;
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn phase(name: &str, counted: &str, rate: f64) -> PhaseFigures {
        let (name, counted) = (name.to_owned(), counted.to_owned());
        PhaseFigures { name, counted, rate, seconds: 2.0, operations: 1, ..PhaseFigures::default() }
    }

    #[test]
    fn repetitions_are_one_row_with_their_mean_and_ends() {
        let phases = [
            phase("write", "byte", 100.0 * 1_048_576.0),
            phase("read", "byte", 4.0 * GIB),
            phase("write", "byte", 300.0 * 1_048_576.0),
        ];
        let (heads, rows) = phase_table(&phases).unwrap();
        assert_eq!(heads, ["phase", "times", "mean rate", "min", "max", "mean time", "each"]);
        assert_eq!(rows[0], ["write", "2", "200 MiB/s", "100 MiB/s", "300 MiB/s", "2.00 s", "0 B"]);
        assert_eq!(rows[1][..3], ["read", "1", "4.00 GiB/s"]);
        let (heads, rows) = phase_table(&[phase("tree creation", "directory", 12_345.0)]).unwrap();
        assert_eq!(heads, ["phase", "rate", "time", "done"]);
        assert_eq!(rows[0], ["tree creation", "12,345/s", "2.00 s", "1 directory"]);
        assert_eq!(phase_table(&[]), None);
    }

    #[test]
    fn a_score_is_of_geometric_means() {
        let scored = |counted, rate| PhaseFigures { scored: true, ..phase("x", counted, rate) };
        let mut phases: Vec<_> = [1.0, 1.0, 4.0, 4.0].map(|gib| scored("byte", gib * GIB)).into();
        phases.push(phase("y", "byte", 9.0));
        phases.extend([1e3, 1e3, 1e3, 1e3, 9e3, 9e3, 9e3].map(|rate| scored("file", rate)));
        assert_eq!(ScoreFigures::of(&phases), None, "a result is missing");
        phases.push(scored("file", 9e3));
        let score = ScoreFigures::of(&phases).unwrap();
        assert!((score.bandwidth_gib_per_s - 2.0).abs() < 1e-12, "{score:?}");
        assert!((score.metadata_kiops - 3.0).abs() < 1e-12, "{score:?}");
        assert!((score.total - 6.0f64.sqrt()).abs() < 1e-12, "{score:?}");
        assert_eq!(score.sentence(), "bandwidth 2.00 GiB/s, metadata 3.00 kIOPS, total 2.45");
        phases[0].name = "ior-easy-write".to_owned();
        assert!(
            ScoreFigures::of(&phases)
                .unwrap()
                .sentence()
                .ends_with("2.45; the rules want each writing phase to last 300 s")
        );
        phases[0].seconds = 300.0;
        assert!(ScoreFigures::of(&phases).unwrap().by_the_rules);
        assert_eq!(phase_table(&phases[5..6]).unwrap().1[0][1], "1.00 kIOPS");
    }
}
