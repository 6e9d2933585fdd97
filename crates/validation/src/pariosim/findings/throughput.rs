//! Figures 7 and 9: what storage gives to BT-IO.

use super::super::experiments::{Architecture, BT_RANKS, Drives, Experiment, Program};
use super::super::what_if::WhatIf;
use super::claim::{Claim, Limit};
use super::{Findings, Moves, least, listed, mb, times};

use Architecture::{Nas, SanDirect};
use Drives::{FibreChannel, OfTheMachine};

/// Why faster drives bring so little where ranks exchange what they access.
const EXCHANGED: &str = "in the first phase of a collective access ranks exchange their data over 100 Mbit/s, whatever the drives are; and the interface of the new \
                         drives moves seven times what the old ones do, so that no drive behind it gives more";

/// From the fewest ranks to the most.
const ENDS: [u32; 2] = [BT_RANKS[0], BT_RANKS[3]];
/// "Scalable": by at least half of how many more ranks there are.
const SCALABLE: f64 = ENDS[1] as f64 / ENDS[0] as f64 / 2.0;

impl Findings<'_> {
    pub(super) fn throughput(&self) -> Vec<Claim> {
        let mut claims = vec![
            self.best_ratio(Moves::Read, 32.8),
            self.best_ratio(Moves::Write, 17.8),
            self.scales(SanDirect),
            self.scales(Nas).known(
                &[0.92, 1.18],
                "all goes through one link of 100 Mbit/s, as the study says in the sentence after; its execution time does get shorter (figure 11)",
            ),
            self.nas_waits_for_network(),
            self.locality(),
            self.fibre_channel(SanDirect, Moves::Read, 11.54).known(&[1.56], EXCHANGED),
            self.fibre_channel(SanDirect, Moves::Write, 17.78).known(&[1.09], EXCHANGED),
            self.fibre_channel(Nas, Moves::Read, 1.30).known(
                &[1.01],
                "the link of 100 Mbit/s is full with either drives; on Gigabit Ethernet, which has room for more, the published gain lies between the two",
            ),
            self.fibre_channel(Nas, Moves::Write, 2.70).known(
                &[1.0],
                "an array with a cache takes all that the link of 100 Mbit/s brings, with either drives; the published number follows of an array without one, \
                 which then is slower than the one that figure 7 follows from",
            ),
            self.array_without_cache(2.70),
            self.writes_scale_better(),
        ];
        claims.extend([OfTheMachine, FibreChannel].map(|drives| self.san_direct_is_faster(drives)));
        claims
    }

    /// SAN-direct's throughput of the NAS's.
    fn over_nas(&self, drives: Drives, ranks: u32, moves: Moves) -> f64 {
        let of = |architecture| self.rate((Program::Bt, architecture, drives, ranks), WhatIf::Nothing, moves);
        of(SanDirect) / of(Nas)
    }

    /// Figure 7: by how much SAN-direct is faster than the NAS at its best.
    fn best_ratio(&self, moves: Moves, told: f64) -> Claim {
        let all = BT_RANKS.map(|ranks| self.over_nas(OfTheMachine, ranks, moves));
        let best = -least(all.map(|ratio| -ratio));
        let words =
            format!("{} times at {} ranks; the study {told:.1} times", times(&all), listed(&BT_RANKS));
        Claim::of(
            format!("figure 7, {}: SAN-direct over NAS", moves.words()),
            words,
            vec![best],
            Limit::Gain(told),
        )
    }

    /// "Network RAID yields a scalable speedup", which may be meant of either.
    pub(super) fn scales(&self, architecture: Architecture) -> Claim {
        let grown = [Moves::Read, Moves::Write].map(|moves| {
            self.growth((Program::Bt, architecture, OfTheMachine), ENDS, WhatIf::Nothing, moves)
        });
        Claim::of(
            format!("figure 7, {}: throughput scales with processors", architecture.words()),
            format!(
                "reads and writes {} times from 4 to 25 ranks, at least {SCALABLE:.1} (half of how many more there are)",
                times(&grown)
            ),
            grown.to_vec(),
            Limit::AtLeast(SCALABLE),
        )
    }

    fn nas_waits_for_network(&self) -> Claim {
        let gains = ENDS.map(|ranks| {
            let plain = Experiment::of(Program::Bt, Nas, OfTheMachine, ranks);
            let of = |what_if| self.get(plain.what_if(what_if), |outcome| outcome.elapsed_s);
            of(WhatIf::Nothing) / of(WhatIf::FasterNetwork)
        });
        Claim::of(
            "what if the network were Gigabit Ethernet, NAS: the network is a major bottleneck (figure 7)",
            format!(
                "it writes and reads everything in {} times less time with 4 and with 25 ranks, at least 1.1; then the array's drives hold it up",
                times(&gains)
            ),
            gains.to_vec(),
            Limit::AtLeast(1.1),
        )
    }

    fn locality(&self) -> Claim {
        let gains = [Moves::Read, Moves::Write].map(|moves| {
            let of = |what_if| self.rate((Program::Bt, SanDirect, OfTheMachine, ENDS[1]), what_if, moves);
            of(WhatIf::Nothing) / of(WhatIf::PartitionsInTurn)
        });
        Claim::of(
            "figure 7, SAN-direct: it gains from local disks (what if partitions lay on all nodes in turn)",
            format!(
                "placed by profile it reads and writes {} times as fast with 25 ranks, at least 1.2",
                times(&gains)
            ),
            gains.to_vec(),
            Limit::AtLeast(1.2),
        )
    }

    /// Figure 9: by how much Fibre Channel's drives are faster, with four ranks, and what else they would bring.
    fn fibre_channel(&self, architecture: Architecture, moves: Moves, told: f64) -> Claim {
        let of = |drives, what_if| self.rate((Program::Bt, architecture, drives, 4), what_if, moves);
        let gain = |then, now| of(FibreChannel, then) / of(OfTheMachine, now);
        let (before, after) = (of(OfTheMachine, WhatIf::Nothing), of(FibreChannel, WhatIf::Nothing));
        let what_if = match architecture {
            Nas => format!(
                "; what if the array had no cache: {:.2} times; what if the network were Gigabit Ethernet: {:.2} times",
                gain(WhatIf::ArrayWithoutCache, WhatIf::ArrayWithoutCache),
                gain(WhatIf::FasterNetwork, WhatIf::FasterNetwork)
            ),
            _ => format!(
                "; what if nothing were exchanged: {:.1} times; what if drives had no arms, and all came at their interface's rate: {:.1} \
                 times; both: {:.1} times",
                gain(WhatIf::NothingExchanged, WhatIf::NothingExchanged),
                gain(WhatIf::DrivesWithoutArms, WhatIf::Nothing),
                gain(WhatIf::NeitherExchangeNorArms, WhatIf::NothingExchanged)
            ),
        };
        let words = format!(
            "{:.2} times ({} instead of {}); the study {told:.1} times{what_if}",
            after / before,
            mb(after),
            mb(before)
        );
        let what = format!(
            "figure 9, {}, {} with four ranks: Fibre Channel's drives over those before",
            moves.words(),
            architecture.words()
        );
        Claim::of(what, words, vec![after / before], Limit::Gain(told))
    }

    /// Which array the published gain of the NAS's writes follows from.
    fn array_without_cache(&self, told: f64) -> Claim {
        let of = |drives| self.rate((Program::Bt, Nas, drives, 4), WhatIf::ArrayWithoutCache, Moves::Write);
        let (before, after) = (of(OfTheMachine), of(FibreChannel));
        Claim::of(
            "what if the array had no cache, NAS, writes with four ranks: Fibre Channel's drives over those before",
            format!(
                "{:.2} times ({} instead of {}); the study {told:.1} times",
                after / before,
                mb(after),
                mb(before)
            ),
            vec![after / before],
            Limit::Gain(told),
        )
    }

    fn writes_scale_better(&self) -> Claim {
        let grown = |program, architecture, ends| {
            self.growth((program, architecture, FibreChannel), ends, WhatIf::Nothing, Moves::Write)
        };
        let of = |program, ends| [SanDirect, Nas].map(|architecture| grown(program, architecture, ends));
        let all = [of(Program::Bt, ENDS), of(Program::Seis, [4, 24])];
        let words = format!(
            "BT {:.1} times from 4 to 25 ranks, on the NAS {:.1}; seis {:.1} times from 4 to 24, on the NAS {:.1}; at least 1.5 times the NAS's",
            all[0][0], all[0][1], all[1][0], all[1][1]
        );
        Claim::of(
            "figures 8 and 9: SAN-direct's writes scale much better than the NAS's",
            words,
            all.map(|[direct, nas]| direct / nas).to_vec(),
            Limit::AtLeast(1.5),
        )
    }

    fn san_direct_is_faster(&self, drives: Drives) -> Claim {
        let worst = least(
            [Moves::Read, Moves::Write]
                .into_iter()
                .flat_map(|moves| BT_RANKS.map(|ranks| self.over_nas(drives, ranks, moves))),
        );
        let which = if drives == FibreChannel { "figure 9" } else { "figure 7" };
        Claim::of(
            format!("{which}: SAN-direct has more throughput than the NAS, always"),
            format!("at least {worst:.2} times the NAS, reads and writes, 4 to 25 ranks"),
            vec![worst],
            Limit::AtLeast(1.0),
        )
    }
}
