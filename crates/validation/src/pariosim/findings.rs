//! What the study found, judged: each of its claims beside our figure.
//!
//! Ratios that the text gives are held to within a factor of 1.5; orderings and trends have to hold.

use super::das::{CHUNKS, DasCell, SEEKS};
use super::experiments::{
    Architecture, BT_RANKS, Drives, Experiment, MOST_SEIS, Program, SEIS_RANKS, WhatIf,
};
use super::outcome::{Outcome, find};
use crate::verdict::Judged;

use Architecture::{Nas, SanAllToAll, SanDirect};
use Drives::{FibreChannel, OfTheMachine};

/// Within which factor a ratio holds that the text gives.
const FACTOR: f64 = 1.5;
/// "Little benefit" of more nodes: no faster than by this.
const LITTLE: f64 = 1.5;
/// "Scales": from the fewest ranks to the most by at least this much of how many more there are.
const SCALES: f64 = 0.5;
/// "Poor scalability": by less than this much of how many more there are.
const POOR: f64 = 0.5;

/// Why faster drives bring so little where ranks exchange what they access.
const EXCHANGED: &str = "in the first phase of a collective access ranks exchange their data over 100 Mbit/s, whatever the drives are; and the interface of the new \
                         drives moves seven times what the old ones do, so that no drive behind it gives more";

/// Why many nodes read less from shared disks than from each other.
const ALL_TO_ALL: &str = "a node that serves a disk reads a piece of it once for all others, from its memory; on shared disks each of 23 readers reads every block \
                          of 64 KiB for the 2 KB that it wants, and the readers' places in a file lie further apart than a segment of the drive's cache";

/// Everything that the study claims, with figure 4 where it was run.
pub fn findings(outcomes: &[Outcome], das: &[DasCell]) -> Vec<Judged> {
    let of = Findings { outcomes };
    let mut judged = vec![
        of.best_ratio(Moves::Read, 32.8),
        of.best_ratio(Moves::Write, 17.8),
        of.fibre_channel(SanDirect, Moves::Read, 11.54),
        of.fibre_channel(SanDirect, Moves::Write, 17.78),
        of.fibre_channel(Nas, Moves::Read, 1.30),
        of.fibre_channel(Nas, Moves::Write, 2.70),
        of.array_without_cache(2.70),
    ];
    for drives in [OfTheMachine, FibreChannel] {
        judged.push(of.san_direct_is_faster(drives));
    }
    for architecture in [Nas, SanDirect] {
        judged.extend([of.four_to_nine(architecture), of.little_past_nine(architecture)]);
    }
    judged.extend([of.bt_is_io_bound(), of.bt_with_faster_nodes(), of.seis_computes()]);
    judged.extend([of.seis_writes_scale(), of.seis_reads_do_not(), of.network_holds_reads()]);
    judged.push(of.all_to_all_reads());
    judged.extend([of.seis_speeds_up(), of.all_to_all_runs_slightly_faster()]);
    judged.extend(grid(das));
    judged
}

/// Which way data move.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Moves {
    Read,
    Write,
}

impl Moves {
    pub(super) const fn words(self) -> &'static str {
        match self {
            Self::Read => "reads",
            Self::Write => "writes",
        }
    }

    pub(super) fn of(self, outcome: &Outcome) -> f64 {
        match self {
            Self::Read => outcome.read_per_s,
            Self::Write => outcome.written_per_s,
        }
    }
}

struct Findings<'o> {
    outcomes: &'o [Outcome],
}

fn mb(bytes_per_s: f64) -> String {
    format!("{:.1} MB/s", bytes_per_s / 1e6)
}

fn percent(part: f64) -> String {
    format!("{:.0} %", part * 100.0)
}

/// The smallest of several; what is no number stays none.
fn least(values: impl IntoIterator<Item = f64>) -> f64 {
    values.into_iter().fold(f64::INFINITY, |least, value| {
        if value.is_nan() || least.is_nan() { f64::NAN } else { least.min(value) }
    })
}

/// A ratio that the text gives: off by which factor.
fn ratio(what: String, figures: &str, value: f64, told: f64, known: Option<(f64, &'static str)>) -> Judged {
    let off = (value / told).max(told / value);
    Judged::at_most(what, format!("{figures}; the study {told:.1} times"), (off, FACTOR), known)
}

impl Findings<'_> {
    fn get(&self, experiment: Experiment, of: impl Fn(&Outcome) -> f64) -> f64 {
        find(self.outcomes, &experiment).map_or(f64::NAN, of)
    }

    fn rate(
        &self,
        program: Program,
        architecture: Architecture,
        drives: Drives,
        ranks: u32,
        moves: Moves,
    ) -> f64 {
        self.get(Experiment::of(program, architecture, drives, ranks), |outcome| moves.of(outcome))
    }

    fn elapsed(&self, program: Program, architecture: Architecture, ranks: u32) -> f64 {
        let one = Experiment::of(program, architecture, FibreChannel, ranks).computing();
        self.get(one, |outcome| outcome.elapsed_s)
    }

    /// Figure 7: by how much SAN-direct is faster than the NAS at its best.
    fn best_ratio(&self, moves: Moves, told: f64) -> Judged {
        let at = |ranks| {
            self.rate(Program::Bt, SanDirect, OfTheMachine, ranks, moves)
                / self.rate(Program::Bt, Nas, OfTheMachine, ranks, moves)
        };
        let all = BT_RANKS.map(at);
        let best = all
            .into_iter()
            .fold(0.0, |best: f64, value| if best.is_nan() || value <= best { best } else { value });
        let figures = format!(
            "{} times at {} ranks",
            all.map(|ratio| format!("{ratio:.1}")).join(", "),
            BT_RANKS.map(|ranks| ranks.to_string()).join(", ")
        );
        let what = format!("figure 7, {}: SAN-direct over NAS", moves.words());
        ratio(what, &figures, best, told, known_of_figure_7(moves))
    }

    /// BT-IO on four ranks.
    fn four(&self, architecture: Architecture, drives: Drives, what_if: WhatIf, moves: Moves) -> f64 {
        let one = Experiment::of(Program::Bt, architecture, drives, 4).what_if(what_if);
        self.get(one, |outcome| moves.of(outcome))
    }

    /// Figure 9: by how much Fibre Channel's drives are faster, with four ranks, and what else they would bring.
    fn fibre_channel(&self, architecture: Architecture, moves: Moves, told: f64) -> Judged {
        let gain = |then: WhatIf, now: WhatIf| {
            let of = |drives, what_if| self.four(architecture, drives, what_if, moves);
            of(FibreChannel, then) / of(OfTheMachine, now)
        };
        let of = |drives| self.four(architecture, drives, WhatIf::Nothing, moves);
        let (before, after) = (of(OfTheMachine), of(FibreChannel));
        let what_if = match architecture {
            Nas => {
                let without = gain(WhatIf::ArrayWithoutCache, WhatIf::ArrayWithoutCache);
                format!("; what if the array had no cache: {without:.2} times")
            }
            _ => format!(
                "; what if nothing were exchanged: {:.1} times; what if drives had no arms, and all came at their interface's rate: {:.1} \
                 times; both: {:.1} times",
                gain(WhatIf::NothingExchanged, WhatIf::NothingExchanged),
                gain(WhatIf::DrivesWithoutArms, WhatIf::Nothing),
                gain(WhatIf::NeitherExchangeNorArms, WhatIf::NothingExchanged)
            ),
        };
        let figures =
            format!("{:.2} times ({} instead of {}){what_if}", after / before, mb(after), mb(before));
        let what = format!(
            "figure 9, {}, {} with four ranks: Fibre Channel's drives over those before",
            moves.words(),
            architecture.words()
        );
        ratio(what, &figures, after / before, told, known_of_figure_9(architecture, moves))
    }

    /// Which array the published gain of the NAS's writes follows from.
    fn array_without_cache(&self, told: f64) -> Judged {
        let of = |drives| self.four(Nas, drives, WhatIf::ArrayWithoutCache, Moves::Write);
        let (before, after) = (of(OfTheMachine), of(FibreChannel));
        let figures = format!("{:.2} times ({} instead of {})", after / before, mb(after), mb(before));
        let what = "what if the array had no cache, NAS, writes with four ranks: Fibre Channel's drives over those before";
        ratio(what.to_owned(), &figures, after / before, told, None)
    }

    fn san_direct_is_faster(&self, drives: Drives) -> Judged {
        let each = [Moves::Read, Moves::Write].into_iter().flat_map(|moves| {
            BT_RANKS.map(move |ranks| {
                self.rate(Program::Bt, SanDirect, drives, ranks, moves)
                    / self.rate(Program::Bt, Nas, drives, ranks, moves)
            })
        });
        let worst = least(each);
        let which = if drives == FibreChannel { "figure 9" } else { "figure 7" };
        let figures = format!("at least {worst:.2} times the NAS, reads and writes, 4 to 25 ranks");
        Judged::at_least(
            format!("{which}: SAN-direct has more throughput than the NAS, always"),
            figures,
            (worst, 1.0),
            None,
        )
    }

    /// Figure 11.
    fn four_to_nine(&self, architecture: Architecture) -> Judged {
        let gain = self.elapsed(Program::Bt, architecture, 4) / self.elapsed(Program::Bt, architecture, 9);
        let figures = format!("{gain:.2} times as fast with 9 ranks as with 4, at least 1.5");
        Judged::at_least(
            format!("figure 11, {}: a dramatic gain from 4 to 9", architecture.words()),
            figures,
            (gain, 1.5),
            None,
        )
    }

    fn little_past_nine(&self, architecture: Architecture) -> Judged {
        let gain = self.elapsed(Program::Bt, architecture, 9) / self.elapsed(Program::Bt, architecture, 25);
        let figures = format!("{gain:.2} times as fast with 25 ranks as with 9, at most {LITTLE}");
        let known = "a program that computes 14,430 s in all goes on getting faster as long as its computing is shared out; with nodes that \
                     compute ten times as fast, whose time is I/O, it doesn't (below)";
        Judged::at_most(
            format!("figure 11, {}: little gain past 9", architecture.words()),
            figures,
            (gain, LITTLE),
            Some((1.3, known)),
        )
    }

    /// §4.1: BT spends more than half of its time in I/O.
    fn bt_is_io_bound(&self) -> Judged {
        let parts = BT_RANKS.map(|ranks| {
            self.get(
                Experiment::of(Program::Bt, Nas, FibreChannel, ranks).computing(),
                Outcome::not_computing,
            )
        });
        let worst = least(parts);
        let figures = format!(
            "{} of its time at {} ranks, at least 50 %",
            parts.map(percent).join(", "),
            BT_RANKS.map(|ranks| ranks.to_string()).join(", ")
        );
        let known = "class B computes 721.5 Gop: with 4 ranks of 50 Mop/s that is an hour, and its 3.4 GB pass 100 Mbit/s in ten minutes; with nodes that \
                     compute ten times as fast it holds (below)";
        Judged::at_least(
            "figure 11, NAS: BT spends more than half of its time on I/O".to_owned(),
            figures,
            (worst, 0.5),
            Some((0.5, known)),
        )
    }

    /// The same of nodes from which the published share would follow.
    fn bt_with_faster_nodes(&self) -> Judged {
        let of = |ranks: u32, part: fn(&Outcome) -> f64| {
            self.get(
                Experiment::of(Program::Bt, Nas, FibreChannel, ranks)
                    .computing()
                    .what_if(WhatIf::FasterNodes),
                part,
            )
        };
        let part = of(9, Outcome::not_computing);
        let gain = of(9, |outcome| outcome.elapsed_s) / of(25, |outcome| outcome.elapsed_s);
        let figures = format!(
            "{} of its time with 9 ranks isn't computing, at least 50 %; it is {gain:.2} times as fast with 25 ranks as with 9",
            percent(part)
        );
        Judged::at_least(
            "what if nodes computed ten times as fast, NAS: BT's time is I/O".to_owned(),
            figures,
            (part, 0.5),
            None,
        )
    }

    fn seis_computes(&self) -> Judged {
        let parts = [Nas, SanDirect, SanAllToAll].map(|architecture| {
            1.0 - self.get(
                Experiment::of(Program::Seis, architecture, FibreChannel, 1).computing(),
                Outcome::not_computing,
            )
        });
        let worst = least(parts);
        let figures = format!(
            "computing is {} of its time with one rank on NAS, SAN-direct and SAN-all-to-all, at least 50 %",
            parts.map(percent).join(", ")
        );
        Judged::at_least(
            "figure 12: seis spends less than half of its time on I/O".to_owned(),
            figures,
            (worst, 0.5),
            None,
        )
    }

    /// By how much a rate grows from two ranks (one alone has nobody's data to read) to the most, of how many more ranks there are.
    fn scaling(&self, architecture: Architecture, moves: Moves) -> (f64, String) {
        let ends = [SEIS_RANKS[1], SEIS_RANKS[SEIS_RANKS.len() - 1]];
        let [few, many] =
            ends.map(|ranks| self.rate(Program::Seis, architecture, FibreChannel, ranks, moves));
        let share = (many / few) / (f64::from(ends[1]) / f64::from(ends[0]));
        (
            share,
            format!(
                "{} with {} ranks, {} with {}: {:.1} times",
                mb(few),
                ends[0],
                mb(many),
                ends[1],
                many / few
            ),
        )
    }

    fn seis_writes_scale(&self) -> Judged {
        let (share, figures) = self.scaling(SanDirect, Moves::Write);
        Judged::at_least(
            "figure 8: SAN-direct's writes of seis scale".to_owned(),
            figures,
            (share, SCALES),
            None,
        )
    }

    fn seis_reads_do_not(&self) -> Judged {
        let (share, figures) = self.scaling(SanDirect, Moves::Read);
        let known = "every node's link carries its own reads and serves another's, so that they grow with the number of nodes; a switch of 100 Mbit/s has room \
                     for all of them. Each is slow: 2 KB take a round trip";
        Judged::at_most(
            "figure 8: SAN-direct's reads of seis scale poorly".to_owned(),
            figures,
            (share, POOR),
            Some((0.6, known)),
        )
    }

    /// The study lays it at the Ethernet's door.
    fn network_holds_reads(&self) -> Judged {
        let plain = Experiment::of(Program::Seis, SanDirect, FibreChannel, MOST_SEIS);
        let of = |what_if| self.get(plain.what_if(what_if), |outcome| outcome.read_per_s);
        let (before, after) = (of(WhatIf::Nothing), of(WhatIf::FasterNetwork));
        Judged::at_least(
            "what if the network were Gigabit Ethernet, SAN-direct: it is the network that holds up seis's reads".to_owned(),
            format!(
                "{} instead of {} with {MOST_SEIS} ranks: {:.1} times, at least 1.5",
                mb(after),
                mb(before),
                after / before
            ),
            (after / before, 1.5),
            None,
        )
    }

    fn all_to_all_reads(&self) -> Judged {
        let of = |architecture, what_if| {
            let one = Experiment::of(Program::Seis, architecture, FibreChannel, MOST_SEIS).what_if(what_if);
            self.get(one, |outcome| outcome.read_per_s)
        };
        let (direct, all) = (of(SanDirect, WhatIf::Nothing), of(SanAllToAll, WhatIf::Nothing));
        let figures = format!(
            "{} instead of {} with {MOST_SEIS} ranks: {:.1} times, at least 2; what if drives had no arms, and all came at their interface's \
             rate: {}",
            mb(all),
            mb(direct),
            all / direct,
            mb(of(SanAllToAll, WhatIf::DrivesWithoutArms))
        );
        Judged::at_least(
            "figure 10: SAN-all-to-all reads much faster than SAN-direct".to_owned(),
            figures,
            (all / direct, 2.0),
            Some((1.85, ALL_TO_ALL)),
        )
    }

    fn seis_speeds_up(&self) -> Judged {
        let times = SEIS_RANKS.map(|ranks| self.elapsed(Program::Seis, SanDirect, ranks));
        let steps: Vec<f64> = times.windows(2).map(|pair| pair[0] / pair[1]).collect();
        let worst = least(steps.iter().copied());
        let figures = format!(
            "SAN-direct with {} ranks: {} s, each faster than the one before",
            SEIS_RANKS.map(|ranks| ranks.to_string()).join(", "),
            times.map(|time| format!("{time:.0}")).join(", ")
        );
        Judged::at_least(
            "figure 12: seis gets faster with every processor more".to_owned(),
            figures,
            (worst, 1.0),
            None,
        )
    }

    fn all_to_all_runs_slightly_faster(&self) -> Judged {
        let gains = SEIS_RANKS[1..].iter().map(|&ranks| {
            self.elapsed(Program::Seis, SanDirect, ranks) / self.elapsed(Program::Seis, SanAllToAll, ranks)
        });
        let gains: Vec<f64> = gains.collect();
        let worst = least(gains.iter().copied());
        let figures = format!(
            "{} times as fast as SAN-direct with 2 to 24 ranks, at least 1",
            gains.iter().map(|gain| format!("{gain:.2}")).collect::<Vec<_>>().join(", ")
        );
        Judged::at_least(
            "figure 12: SAN-all-to-all runs seis slightly faster than SAN-direct".to_owned(),
            figures,
            (worst, 1.0),
            Some((0.7, ALL_TO_ALL)),
        )
    }
}

/// Figure 4: longer requests take longer, and none is faster than the medium.
fn grid(das: &[DasCell]) -> Vec<Judged> {
    if das.is_empty() {
        return Vec::new();
    }
    let cell = |writes: bool, chunk: u64, seek: u64| {
        das.iter().find(|cell| (cell.writes, cell.chunk, cell.seek) == (writes, chunk, seek))
    };
    [false, true]
        .into_iter()
        .flat_map(|writes| {
            let word = if writes { "writes" } else { "reads" };
            let seconds = |chunk, seek| cell(writes, chunk, seek).map_or(f64::NAN, |cell| cell.seconds);
            let worst = least(
                SEEKS
                    .into_iter()
                    .flat_map(|seek| {
                        CHUNKS.windows(2).map(move |pair| (pair[0], pair[1], seek)).collect::<Vec<_>>()
                    })
                    .map(|(short, long, seek)| seconds(long, seek) / seconds(short, seek)),
            );
            let fastest =
                das.iter().filter(|cell| cell.writes == writes).map(DasCell::bytes_per_s).fold(0.0, f64::max);
            [
                Judged::at_least(
                    format!("figure 4, {word}: twice the chunk takes no less time"),
                    format!("at least {worst:.2} times, over all seek distances"),
                    (worst, 0.99),
                    None,
                ),
                Judged::at_most(
                    format!("figure 4, {word}: none is faster than the disk's medium"),
                    format!("{} at most; the sheet says 42 MB/s", mb(fastest)),
                    (fastest / 1e6, 42.0 * 1.05),
                    None,
                ),
            ]
        })
        .collect()
}

const fn known_of_figure_7(moves: Moves) -> Option<(f64, &'static str)> {
    match moves {
        Moves::Read => Some((
            0.25,
            "ranks exchange what they read over 100 Mbit/s, and with the faster drives of figure 9 SAN-direct reads no more with 25 ranks",
        )),
        Moves::Write => None,
    }
}

const fn known_of_figure_9(architecture: Architecture, moves: Moves) -> Option<(f64, &'static str)> {
    match (architecture, moves) {
        (SanDirect, Moves::Read) => Some((10.0, EXCHANGED)),
        (SanDirect, Moves::Write) => Some((16.5, EXCHANGED)),
        (Nas, Moves::Write) => Some((
            1.5,
            "an array with a cache takes all that the link of 100 Mbit/s brings, with either drives; the published number follows of an array without one, \
             which then is slower than the one that figure 7 follows from",
        )),
        _ => None,
    }
}
