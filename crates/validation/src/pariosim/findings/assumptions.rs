//! Of each claim of the study that misses: which assumption decides it, the smallest change of it that was found, whether the
//! claim holds then, and whether the study's text allows the change.
//!
//! A change is run, and judged by the claim's own limit. Where no change makes a claim hold that the text allows, that is told.

use super::super::experiments::{Architecture, BT_RANKS, Drives, Experiment, MOST_SEIS, Program, SEIS_RANKS};
use super::super::what_if::WhatIf;
use super::claim::{Claim, Limit};
use super::seis::DIMINISHED;
use super::{Findings, Moves, percents, times};
use crate::verdict::{Judged, Judgement};
use serde::Serialize;

use Architecture::{Nas, SanAllToAll, SanDirect};
use Drives::{FibreChannel, OfTheMachine};

/// What decides a claim that misses.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Assumption {
    /// The claim, as it is among the findings.
    pub claim: String,
    /// The smallest change that was found.
    pub change: &'static str,
    /// What it gives.
    pub figures: String,
    /// Whether the claim holds then.
    pub holds: bool,
    /// Whether the study's text allows it, and where that stands.
    pub text: &'static str,
}

/// A change of one or several claims.
struct Change {
    /// How these claims begin.
    claims: &'static [&'static str],
    change: &'static str,
    text: &'static str,
    of: fn(&Findings<'_>, &str) -> Claim,
}

const CHANGES: [Change; 14] = [
    Change {
        claims: &["figure 7, reads: SAN-direct over NAS"],
        change: "ranks exchange nothing for their accesses (BT-IO's epio)",
        text: "open: accesses are collective (3.1.1), but a simulated access is disk, network and distributor (3.1.2), and not the exchange before it",
        of: |of, _| of.exchanging_nothing(),
    },
    Change {
        claims: &["figure 7, NAS: throughput scales with processors"],
        change: "the sentence is meant of SAN-direct",
        text: "allowed: it says \"network RAID\", and that the NAS serialises accesses in the next sentence",
        of: |of, _| of.scales(SanDirect),
    },
    Change {
        claims: &["figure 9, reads, SAN-direct", "figure 9, writes, SAN-direct"],
        change: "nothing exchanged, and drives without arms, at their interface's rate",
        text: "excluded: table 3's drive has arms, and its interface moves 848 Mbit/s; the published gains are of more than the drives",
        of: |of, claim| of.without_exchange_and_arms(claim),
    },
    Change {
        claims: &["figure 9, reads, NAS"],
        change: "Gigabit Ethernet",
        text: "excluded by table 2 (10/100 Ethernet), and too much: the published gain lies between the two networks",
        of: |of, _| of.nas_gain(Moves::Read, WhatIf::FasterNetwork, 1.3),
    },
    Change {
        claims: &["figure 9, writes, NAS"],
        change: "the array's controller has no cache",
        text: "allowed: nothing is said of the array's cache; figure 7 then follows from another array",
        of: |of, _| of.nas_gain(Moves::Write, WhatIf::ArrayWithoutCache, 2.7),
    },
    Change {
        claims: &["figure 11, NAS: little gain past 9"],
        change: "nodes compute ten times as fast",
        text: "excluded by table 2 (Pentium II 350), if BT there computes some 50 Mop/s, which isn't published",
        of: |of, _| of.faster_nodes_past_nine(),
    },
    Change {
        claims: &["figure 11, SAN-direct: little gain past 9"],
        change: "a hub stands instead of the switch, and nothing is computed",
        text: "excluded by table 2 (a Catalyst 2924 switch)",
        of: |of, _| of.hub_past_nine(),
    },
    Change {
        claims: &["figure 11, NAS: BT spends"],
        change: "nodes compute ten times as fast",
        text: "excluded by table 2, as above",
        of: |of, _| of.faster_nodes_are_io_bound(),
    },
    Change {
        claims: &["figure 11, SAN-direct: BT spends"],
        change: "nodes compute ten times as fast",
        text: "none was found: on no nodes is I/O more than half, as BT's own messages take longer over the same links",
        of: |of, _| of.share_of_faster_nodes(),
    },
    Change {
        claims: &["figures 11 and 12, NAS: BT is more", "figures 11 and 12, SAN-direct: BT is more"],
        change: "seis computes ten times as long",
        text: "allowed: what seis computes isn't published",
        of: |of, claim| of.more_than_seis(architecture(claim), WhatIf::LongerComputing),
    },
    Change {
        claims: &["figure 8: SAN-direct's reads of seis scale poorly"],
        change: "a hub stands instead of the switch",
        text: "excluded by table 2 (a Catalyst 2924 switch), though the study speaks of contention in the Ethernet network (4.1)",
        of: |of, _| of.reads_scale_poorly(WhatIf::SharedMedium),
    },
    Change {
        claims: &[
            "figure 10: SAN-all-to-all reads much faster",
            "figure 10: SAN-all-to-all's reads of seis scale",
            "figure 12: SAN-all-to-all runs",
        ],
        change: "each rank reads its part of each file in one piece, so that a file has one reader at a time",
        text: "allowed: which chunks a rank reads isn't said, only that they aren't on its own disk (4.1)",
        of: |of, claim| of.one_reader(claim),
    },
    Change {
        claims: &["figure 12, NAS: seis"],
        change: "seis computes ten times as long",
        text: "allowed: what seis computes isn't published",
        of: |of, claim| of.longer_on_the_nas(claim),
    },
    Change {
        claims: &["figure 12, SAN-direct: the speed-up"],
        change: "a hub stands instead of the switch",
        text: "excluded by table 2 (a Catalyst 2924 switch)",
        of: |of, _| of.diminishing_on(SanDirect, WhatIf::SharedMedium),
    },
];

fn architecture(claim: &str) -> Architecture {
    if claim.contains("NAS") { Nas } else { SanDirect }
}

impl Findings<'_> {
    /// Of each claim that misses what decides it, where that is known.
    pub(super) fn assumptions(&self, judged: &[Judged]) -> Vec<Assumption> {
        let missed = judged.iter().filter(|one| one.verdict != Judgement::Holds);
        let of = |one: &Judged| {
            let change = CHANGES
                .iter()
                .find(|change| change.claims.iter().any(|begin| one.what.starts_with(begin)))?;
            let then = (change.of)(self, &one.what).judged();
            Some(Assumption {
                claim: one.what.clone(),
                change: change.change,
                figures: then.figures.clone().unwrap_or_default(),
                holds: then.verdict == Judgement::Holds,
                text: change.text,
            })
        };
        missed.filter_map(of).collect()
    }

    fn exchanging_nothing(&self) -> Claim {
        let most = BT_RANKS[3];
        let of = |architecture, what_if| {
            self.rate((Program::Bt, architecture, OfTheMachine, most), what_if, Moves::Read)
        };
        let over = of(SanDirect, WhatIf::NothingExchanged) / of(Nas, WhatIf::Nothing);
        let told = format!("{over:.1} times the NAS with {most} ranks; the study 32.8 times");
        Claim::of("", told, vec![over], Limit::Gain(32.8))
    }

    /// A gain of Fibre Channel's drives with four ranks under changes.
    fn gain(
        &self,
        architecture: Architecture,
        moves: Moves,
        [before, after]: [WhatIf; 2],
        told: f64,
    ) -> Claim {
        let of = |drives, what_if| self.rate((Program::Bt, architecture, drives, 4), what_if, moves);
        let gain = of(FibreChannel, after) / of(OfTheMachine, before);
        Claim::of("", format!("{gain:.2} times; the study {told:.1} times"), vec![gain], Limit::Gain(told))
    }

    fn without_exchange_and_arms(&self, claim: &str) -> Claim {
        let (moves, told) =
            if claim.contains("reads") { (Moves::Read, 11.54) } else { (Moves::Write, 17.78) };
        let changed = [WhatIf::NothingExchanged, WhatIf::NeitherExchangeNorArms];
        self.gain(SanDirect, moves, changed, told)
    }

    fn nas_gain(&self, moves: Moves, what_if: WhatIf, told: f64) -> Claim {
        self.gain(Nas, moves, [what_if; 2], told)
    }

    fn share_of_faster_nodes(&self) -> Claim {
        let of = |ranks| self.io_share(Program::Bt, SanDirect, ranks, WhatIf::FasterNodes);
        let shares = BT_RANKS.map(of);
        Claim::of(
            "",
            format!("{} of its time, at least 50 %", percents(&shares)),
            shares.to_vec(),
            Limit::AtLeast(0.5),
        )
    }

    fn longer_on_the_nas(&self, claim: &str) -> Claim {
        if claim.contains("spends") {
            return self.computes(Nas, WhatIf::LongerComputing);
        }
        let of = |ranks| self.elapsed(Program::Seis, Nas, ranks, WhatIf::LongerComputing);
        let steps: Vec<f64> = SEIS_RANKS.windows(2).map(|pair| of(pair[0]) / of(pair[1])).collect();
        Claim::of(
            "",
            format!("{} times from step to step, at least 1.02", times(&steps)),
            steps,
            Limit::AtLeast(1.02),
        )
    }

    /// The claims of SAN-all-to-all where a file has one reader at a time.
    fn one_reader(&self, claim: &str) -> Claim {
        let rate = |architecture, ranks| {
            let of = (Program::Seis, architecture, FibreChannel, ranks);
            self.rate(of, WhatIf::OneReader, Moves::Read)
        };
        let ends = [4, MOST_SEIS];
        if claim.contains("runs") {
            let of =
                |architecture, ranks| self.elapsed(Program::Seis, architecture, ranks, WhatIf::OneReader);
            let gains = ends.map(|ranks| of(SanDirect, ranks) / of(SanAllToAll, ranks));
            let told = format!("{} times as fast with 4 and 24 ranks, at least 1", times(&gains));
            return Claim::of("", told, gains.to_vec(), Limit::AtLeast(1.0));
        }
        if claim.contains("scale") {
            let [few, many] = ends.map(|ranks| rate(SanAllToAll, ranks));
            let told = format!("{:.1} times from 4 to 24 ranks, at least 3", many / few);
            return Claim::of("", told, vec![many / few], Limit::AtLeast(3.0));
        }
        let over = ends.map(|ranks| rate(SanAllToAll, ranks) / rate(SanDirect, ranks));
        let told = format!("{} times with 4 and 24 ranks, at least 2", times(&over));
        Claim::of("", told, over.to_vec(), Limit::AtLeast(2.0))
    }

    /// As the claim of diminishing speed-up, from 1 to 2 ranks and from 16 to 24, under a change.
    fn diminishing_on(&self, architecture: Architecture, what_if: WhatIf) -> Claim {
        let power = |[few, many]: [u32; 2]| {
            let of = |ranks| self.elapsed(Program::Seis, architecture, ranks, what_if);
            libm::log(of(few) / of(many)) / libm::log(f64::from(many) / f64::from(few))
        };
        let (first, last) = (power([1, 2]), power([16, MOST_SEIS]));
        let told = format!(
            "to the power of {first:.2} from 1 to 2 ranks, of {last:.2} from 16 to 24, at most {DIMINISHED} of the first"
        );
        Claim::of("", told, vec![last / first], Limit::AtMost(DIMINISHED))
    }
}

/// What is run for these changes besides what other rows need.
pub(in super::super) fn experiments() -> Vec<Experiment> {
    let seis = |architecture, ranks| Experiment::of(Program::Seis, architecture, FibreChannel, ranks);
    let mut all = vec![
        Experiment::of(Program::Bt, SanDirect, OfTheMachine, BT_RANKS[3]).what_if(WhatIf::NothingExchanged),
    ];
    for ranks in [4, MOST_SEIS] {
        for architecture in [SanDirect, SanAllToAll] {
            let one = seis(architecture, ranks).what_if(WhatIf::OneReader);
            all.extend([one, one.computing()]);
        }
        all.push(seis(SanDirect, ranks).computing().what_if(WhatIf::LongerComputing));
    }
    all.extend(SEIS_RANKS.map(|ranks| seis(Nas, ranks).computing().what_if(WhatIf::LongerComputing)));
    all.extend(
        [1, 2, 16, MOST_SEIS].map(|ranks| seis(SanDirect, ranks).computing().what_if(WhatIf::SharedMedium)),
    );
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_claim_that_misses_is_told_what_decides_it() {
        // Where nothing was run nothing holds, so that every claim of the study is among them.
        let of = Findings { outcomes: &[] };
        let judged = super::super::findings(&[], &[]);
        let found = of.assumptions(&judged.study);
        for change in &CHANGES {
            for begin in change.claims {
                assert!(found.iter().any(|one| one.claim.starts_with(begin)), "{begin} is no claim");
            }
        }
        assert!(found.iter().all(|one| !one.holds), "something holds of what wasn't run");
    }
}
