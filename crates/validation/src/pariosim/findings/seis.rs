//! Figures 8, 10 and 12: seis, with Fibre Channel's drives.

use super::super::experiments::{Architecture, Drives, MOST_SEIS, Program, SEIS_RANKS};
use super::super::what_if::WhatIf;
use super::claim::{Claim, Limit};
use super::{Findings, Moves, least, mb, percents, times};

use Architecture::{Nas, SanAllToAll, SanDirect};
use Drives::FibreChannel;

/// "Scales", or "poor scalability": at least, or less than, this much of how many more ranks there are.
const SCALES: f64 = 0.5;
/// More than in proportion by no more than what memory can explain.
const SUPERLINEAR: f64 = 1.5;
/// "Continual" speed-up: each step is one.
const FASTER: f64 = 1.02;
/// "Diminishing": what the last step brings for its ranks, of what the first does.
pub(super) const DIMINISHED: f64 = 0.9;
/// From here on: one rank has nobody's data to read, and of two the one reads all that the other writes, so that a profile can't say
/// which of them should have it.
const FROM: u32 = 4;

/// Why many nodes read less from shared disks than from each other.
const ALL_TO_ALL: &str = "a node that serves a disk reads a piece of it once for all others, from its memory; on shared disks each of 23 readers fetches it for \
                          itself, and the readers' places in a file lie further apart than a segment of the drive's cache, so that the arm moves. Which chunks a rank \
                          reads isn't published; smaller blocks of the file system change nothing";

impl Findings<'_> {
    pub(super) fn seis(&self) -> Vec<Claim> {
        vec![
            self.writes_scale(),
            self.reads_scale_poorly(WhatIf::Nothing).known(
                &[0.999],
                "every node's link carries its own reads and serves another's, so that they grow with the number of nodes; a switch of 100 Mbit/s has room \
                 for all of them. Each is slow: 2 KB take a round trip. With a hub it holds (below)",
            ),
            self.reads_scale_poorly(WhatIf::SharedMedium),
            self.network_holds_reads(),
            self.all_to_all_reads().known(&[7.43, 3.97, 1.72, 0.854, 0.447], ALL_TO_ALL),
            self.all_to_all_scales().known(&[0.676], ALL_TO_ALL),
            self.all_to_all_over_nas(),
            self.computes(Nas, WhatIf::Nothing).known(
                &[0.286, 0.33, 0.328, 0.329, 0.649, 0.766],
                "its 3.2 GB take 285 s through the NAS's link with any number of ranks, and what they compute gets shorter with each; with ten times as \
                 much to compute it holds (below). What it computes is assumed",
            ),
            self.computes(SanDirect, WhatIf::Nothing),
            self.computes(SanAllToAll, WhatIf::Nothing),
            self.computes(Nas, WhatIf::LongerComputing),
            self.continual(Nas).known(
                &[1.82, 1.89, 2.09, 1.11, 1.0],
                "from 16 ranks on its link is full, and more nodes bring nothing; that is the end of a diminishing speed-up",
            ),
            self.continual(SanDirect),
            self.continual(SanAllToAll),
            self.diminishing(Nas),
            self.diminishing(SanDirect).known(
                &[1.47],
                "each node more brings a processor, a disk and a link, and a switch shares none of them",
            ),
            self.diminishing(SanAllToAll),
            self.slightly_faster().known(&[1.25, 1.29, 1.18, 1.03, 0.888], ALL_TO_ALL),
            self.split_over_disks(),
            self.runs_faster_than_nas(Program::Bt, &[4, 9, 16, 25]),
            self.runs_faster_than_nas(Program::Seis, &SEIS_RANKS),
        ]
    }

    fn seis_rate(&self, architecture: Architecture, ranks: u32, what_if: WhatIf, moves: Moves) -> f64 {
        self.rate((Program::Seis, architecture, FibreChannel, ranks), what_if, moves)
    }

    /// By how much a rate grows, of how many more ranks there are, with words for it.
    fn scaling(&self, architecture: Architecture, what_if: WhatIf, moves: Moves) -> (f64, String) {
        let [few, many] = [FROM, MOST_SEIS].map(|ranks| self.seis_rate(architecture, ranks, what_if, moves));
        let more = f64::from(MOST_SEIS) / f64::from(FROM);
        let words = format!(
            "{} with {FROM} ranks, {} with {MOST_SEIS}: {:.1} times on {more:.0} times the ranks",
            mb(few),
            mb(many),
            many / few
        );
        (many / few / more, words)
    }

    fn writes_scale(&self) -> Claim {
        let (share, words) = self.scaling(SanDirect, WhatIf::Nothing, Moves::Write);
        // Both ends are asked for: what lies between 0.5 and 1.5 is as far from the middle as it may be.
        let middle = f64::midpoint(SCALES, SUPERLINEAR);
        Claim::of(
            "figure 8: SAN-direct's writes of seis scale",
            format!(
                "{words}, at least half and at most {SUPERLINEAR} times as many; more than in proportion since 67 MB of each of 24 ranks fit into a node's memory, \
                 and 400 MB of each of 4 don't"
            ),
            vec![(share - middle).abs()],
            Limit::AtMost(SUPERLINEAR - middle),
        )
    }

    pub(super) fn reads_scale_poorly(&self, what_if: WhatIf) -> Claim {
        let (share, words) = self.scaling(SanDirect, what_if, Moves::Read);
        let what = match what_if {
            WhatIf::Nothing => "figure 8",
            _ => "what if a hub stood instead of the switch (figure 8)",
        };
        Claim::of(
            format!("{what}: SAN-direct's reads of seis scale poorly"),
            format!("{words}, less than half as many"),
            vec![share],
            Limit::AtMost(SCALES),
        )
    }

    /// The study lays it at the Ethernet's door.
    fn network_holds_reads(&self) -> Claim {
        let of = |what_if| self.seis_rate(SanDirect, MOST_SEIS, what_if, Moves::Read);
        let (before, after) = (of(WhatIf::Nothing), of(WhatIf::FasterNetwork));
        Claim::of(
            "what if the network were Gigabit Ethernet, SAN-direct: it is the network that holds up seis's reads",
            format!(
                "{} instead of {} with {MOST_SEIS} ranks: {:.1} times, at least 1.5",
                mb(after),
                mb(before),
                after / before
            ),
            vec![after / before],
            Limit::AtLeast(1.5),
        )
    }

    fn all_to_all_over(&self, other: Architecture) -> Vec<f64> {
        let of = |architecture, ranks| self.seis_rate(architecture, ranks, WhatIf::Nothing, Moves::Read);
        SEIS_RANKS[1..].iter().map(|&ranks| of(SanAllToAll, ranks) / of(other, ranks)).collect()
    }

    fn all_to_all_reads(&self) -> Claim {
        let over = self.all_to_all_over(SanDirect);
        Claim::of(
            "figure 10: SAN-all-to-all reads much faster than SAN-direct",
            format!(
                "{} times with 2, 4, 8, 16 and 24 ranks, at least 2; what if drives had no arms, and all came at their interface's rate: {} with 24 instead \
                 of {}",
                times(&over),
                mb(self.seis_rate(SanAllToAll, MOST_SEIS, WhatIf::DrivesWithoutArms, Moves::Read)),
                mb(self.seis_rate(SanAllToAll, MOST_SEIS, WhatIf::Nothing, Moves::Read))
            ),
            over,
            Limit::AtLeast(2.0),
        )
    }

    fn all_to_all_scales(&self) -> Claim {
        let (share, words) = self.scaling(SanAllToAll, WhatIf::Nothing, Moves::Read);
        let more = f64::from(MOST_SEIS) / f64::from(FROM);
        Claim::of(
            "figure 10: SAN-all-to-all's reads of seis scale",
            format!("{words}, at least half as many"),
            vec![share * more],
            Limit::AtLeast(SCALES * more),
        )
    }

    fn all_to_all_over_nas(&self) -> Claim {
        let over = self.all_to_all_over(Nas);
        Claim::of(
            "figure 10: SAN-all-to-all reads faster than the NAS, always",
            format!("{} times with 2, 4, 8, 16 and 24 ranks, at least 1", times(&over)),
            over,
            Limit::AtLeast(1.0),
        )
    }

    pub(super) fn computes(&self, architecture: Architecture, what_if: WhatIf) -> Claim {
        let (ranks, what, at): (&[u32], _, _) = match what_if {
            WhatIf::Nothing => (&SEIS_RANKS, "figure 12", "1, 2, 4, 8, 16 and 24"),
            _ => (&[FROM, MOST_SEIS], "what if seis computed ten times as long", "4 and 24"),
        };
        let shares: Vec<f64> =
            ranks.iter().map(|&ranks| self.io_share(Program::Seis, architecture, ranks, what_if)).collect();
        Claim::of(
            format!("{what}, {}: seis spends less than half of its time on I/O", architecture.words()),
            format!("{} of its time with {at} ranks, at most 50 %", percents(&shares)),
            shares,
            Limit::AtMost(0.5),
        )
    }

    /// How many times as fast each number of ranks is as the one before.
    fn steps(&self, architecture: Architecture) -> Vec<f64> {
        let of = |ranks| self.elapsed(Program::Seis, architecture, ranks, WhatIf::Nothing);
        SEIS_RANKS.windows(2).map(|pair| of(pair[0]) / of(pair[1])).collect()
    }

    fn continual(&self, architecture: Architecture) -> Claim {
        let steps = self.steps(architecture);
        Claim::of(
            format!("figure 12, {}: seis gets faster with every processor more", architecture.words()),
            format!(
                "{} times from one of 1, 2, 4, 8, 16, 24 ranks to the next, at least {FASTER}",
                times(&steps)
            ),
            steps,
            Limit::AtLeast(FASTER),
        )
    }

    fn diminishing(&self, architecture: Architecture) -> Claim {
        let steps = self.steps(architecture);
        // The power of the number of ranks with which the speed grows: 1 in proportion, 0 not at all.
        let power = |step: usize| {
            libm::log(steps[step]) / libm::log(f64::from(SEIS_RANKS[step + 1]) / f64::from(SEIS_RANKS[step]))
        };
        let (first, last) = (power(0), power(steps.len() - 1));
        Claim::of(
            format!("figure 12, {}: the speed-up of seis is diminishing", architecture.words()),
            format!(
                "speed grows with the number of ranks to the power of {first:.2} from 1 to 2, and of {last:.2} from 16 to 24, at most {DIMINISHED} of the first"
            ),
            vec![last / first],
            Limit::AtMost(DIMINISHED),
        )
    }

    fn slightly_faster(&self) -> Claim {
        let of = |architecture, ranks| self.elapsed(Program::Seis, architecture, ranks, WhatIf::Nothing);
        let gains: Vec<f64> =
            SEIS_RANKS[1..].iter().map(|&ranks| of(SanDirect, ranks) / of(SanAllToAll, ranks)).collect();
        Claim::of(
            "figure 12: SAN-all-to-all runs seis slightly faster than SAN-direct",
            format!("{} times as fast with 2, 4, 8, 16 and 24 ranks, at least 1", times(&gains)),
            gains,
            Limit::AtLeast(1.0),
        )
    }

    /// "The entire I/O work can be processed more effectively when we split it across many processors (and disks) as we do in the SAN".
    fn split_over_disks(&self) -> Claim {
        let of = |architecture| {
            self.elapsed(Program::Seis, architecture, 1, WhatIf::Nothing)
                / self.elapsed(Program::Seis, architecture, MOST_SEIS, WhatIf::Nothing)
        };
        let [nas, direct, all] = [Nas, SanDirect, SanAllToAll].map(of);
        Claim::of(
            "figure 12: seis gains more from processors with a disk each than on the NAS",
            format!(
                "with 24 ranks {direct:.1} times as fast as with 1 on SAN-direct, {all:.1} times on SAN-all-to-all, {nas:.1} times on the NAS"
            ),
            vec![direct / nas, all / nas],
            Limit::AtLeast(1.0),
        )
    }

    fn runs_faster_than_nas(&self, program: Program, ranks: &[u32]) -> Claim {
        let of = |architecture, ranks| self.elapsed(program, architecture, ranks, WhatIf::Nothing);
        let gains: Vec<f64> = ranks.iter().map(|&ranks| of(Nas, ranks) / of(SanDirect, ranks)).collect();
        let (name, figure) = match program {
            Program::Bt => ("BT", 11),
            Program::Seis => ("seis", 12),
        };
        Claim::of(
            format!("figure {figure}: SAN-direct runs {name} faster than the NAS, always"),
            format!("at least {:.2} times as fast, over all numbers of ranks", least(gains.iter().copied())),
            gains,
            Limit::AtLeast(1.0),
        )
    }
}
