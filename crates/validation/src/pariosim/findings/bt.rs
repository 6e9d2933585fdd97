//! Figure 11: how long BT-IO takes with Fibre Channel's drives, and what its time goes for.

use super::super::experiments::{Architecture, BT_RANKS, Drives, Experiment, Program};
use super::super::what_if::WhatIf;
use super::claim::{Claim, Limit};
use super::{Findings, listed, percents};

use Architecture::{Nas, SanDirect};
use Drives::FibreChannel;

/// "Little benefit" of more nodes: no faster than by this.
const LITTLE: f64 = 1.5;
/// "Dramatic": at least as much.
const DRAMATIC: f64 = 1.5;
/// Ranks of BT beside those of seis that are nearest.
const BESIDE: [(u32, u32); 3] = [(4, 4), (16, 16), (25, 24)];

impl Findings<'_> {
    pub(super) fn bt(&self) -> Vec<Claim> {
        vec![
            self.four_to_nine(Nas),
            self.little_past_nine(Nas).known(
                &[2.13],
                "a program that computes 14,430 s in all goes on getting faster as long as its computing is shared out; with nodes that compute ten times \
                 as fast, whose time is I/O through one link, it doesn't (below)",
            ),
            self.four_to_nine(SanDirect),
            self.little_past_nine(SanDirect).known(
                &[2.65],
                "every node brings a processor, a disk and a link of its own, and a switch shares none of them; faster nodes change nothing of that, nor does \
                 leaving out all computing. If all shared one medium there would be no gain past 9 (below), but none over the NAS either (figure 7)",
            ),
            self.faster_nodes_past_nine(),
            self.hub_past_nine(),
            self.smaller_chunks(),
            self.io_bound(Nas).known(
                &[0.0905, 0.1689, 0.2512, 0.3329],
                "class B computes 721.5 Gop: with 4 ranks of 50 Mop/s that is an hour, and its 3.4 GB pass 100 Mbit/s in six minutes; with nodes that \
                 compute ten times as fast it holds (below)",
            ),
            self.io_bound(SanDirect).known(
                &[0.0230, 0.0274, 0.0257, 0.0278],
                "its accesses alone take 86 to 18 s, and the messages of its own computation, over the same links, longer than that: on no nodes, however \
                 fast, would I/O be more than half",
            ),
            self.faster_nodes_are_io_bound(),
            self.more_than_seis(Nas, WhatIf::Nothing).known(
                &[0.28, 0.388, 0.438],
                "what BT computes follows from its operations and the nodes; what seis computes isn't published, and ours is assumed. If it computed ten \
                 times as long, BT would be the more I/O intensive (below)",
            ),
            self.more_than_seis(SanDirect, WhatIf::Nothing).known(
                &[0.0854, 0.0968, 0.1045],
                "as on the NAS; and SAN-direct serves the large accesses of BT much better than the 2 KB of seis, each of which is a round trip",
            ),
            self.more_than_seis(Nas, WhatIf::LongerComputing),
        ]
    }

    /// How many times as fast BT is with some more ranks.
    fn bt_gain(&self, architecture: Architecture, [few, many]: [u32; 2], what_if: WhatIf) -> f64 {
        self.elapsed(Program::Bt, architecture, few, what_if)
            / self.elapsed(Program::Bt, architecture, many, what_if)
    }

    /// The same of a BT that doesn't compute: of its accesses alone.
    fn accesses_gain(&self, what_if: WhatIf) -> f64 {
        let of = |ranks| {
            let one = Experiment::of(Program::Bt, SanDirect, FibreChannel, ranks).what_if(what_if);
            self.get(one, |outcome| outcome.elapsed_s)
        };
        of(9) / of(25)
    }

    fn four_to_nine(&self, architecture: Architecture) -> Claim {
        let gain = self.bt_gain(architecture, [4, 9], WhatIf::Nothing);
        Claim::of(
            format!("figure 11, {}: a dramatic gain from 4 to 9", architecture.words()),
            format!("{gain:.2} times as fast with 9 ranks as with 4, at least {DRAMATIC}"),
            vec![gain],
            Limit::AtLeast(DRAMATIC),
        )
    }

    fn little_past_nine(&self, architecture: Architecture) -> Claim {
        let gain = self.bt_gain(architecture, [9, 25], WhatIf::Nothing);
        let also = match architecture {
            Nas => String::new(),
            _ => format!(
                "; what if nodes computed ten times as fast: {:.2} times; its accesses alone: {:.2} times",
                self.bt_gain(architecture, [9, 25], WhatIf::FasterNodes),
                self.accesses_gain(WhatIf::Nothing)
            ),
        };
        Claim::of(
            format!("figure 11, {}: little gain past 9", architecture.words()),
            format!("{gain:.2} times as fast with 25 ranks as with 9, at most {LITTLE}{also}"),
            vec![gain],
            Limit::AtMost(LITTLE),
        )
    }

    pub(super) fn faster_nodes_past_nine(&self) -> Claim {
        let gain = self.bt_gain(Nas, [9, 25], WhatIf::FasterNodes);
        Claim::of(
            "what if nodes computed ten times as fast, NAS: little gain past 9",
            format!(
                "{gain:.2} times as fast with 25 ranks as with 9, at most {LITTLE}; from 4 to 9 {:.2} times",
                self.bt_gain(Nas, [4, 9], WhatIf::FasterNodes)
            ),
            vec![gain],
            Limit::AtMost(LITTLE),
        )
    }

    pub(super) fn hub_past_nine(&self) -> Claim {
        let gain = self.accesses_gain(WhatIf::SharedMedium);
        Claim::of(
            "what if a hub stood instead of the switch, SAN-direct: little gain past 9 of its accesses alone",
            format!("{gain:.2} times as fast with 25 ranks as with 9, at most {LITTLE}"),
            vec![gain],
            Limit::AtMost(LITTLE),
        )
    }

    /// The study's own reason: chunks get smaller with more processors, so that each access moves less.
    fn smaller_chunks(&self) -> Claim {
        let (together, each) = (self.accesses_gain(WhatIf::Nothing), self.accesses_gain(WhatIf::OwnCalls));
        Claim::of(
            "what if each rank made its own calls (BT-IO's simple), SAN-direct: smaller chunks with more ranks hold it up (figure 11)",
            format!(
                "{each:.2} times as fast with 25 ranks as with 9 instead of {together:.2}, whose collective calls are as large with any number of ranks; at \
                 least 1.2 times less. Nine nodes' gain of 1.5 isn't more, so that this makes no knee at 9"
            ),
            vec![together / each],
            Limit::AtLeast(1.2),
        )
    }

    fn io_bound(&self, architecture: Architecture) -> Claim {
        let shares = BT_RANKS.map(|ranks| self.io_share(Program::Bt, architecture, ranks, WhatIf::Nothing));
        let calls = BT_RANKS.map(|ranks| {
            let one = Experiment::of(Program::Bt, architecture, FibreChannel, ranks).computing();
            self.get(one, |outcome| outcome.io)
        });
        Claim::of(
            format!("figure 11, {}: BT spends more than half of its time on I/O", architecture.words()),
            format!(
                "{} of its time at {} ranks with the exchange of its collective accesses ({} without), at least 50 %",
                percents(&shares),
                listed(&BT_RANKS),
                percents(&calls)
            ),
            shares.to_vec(),
            Limit::AtLeast(0.5),
        )
    }

    pub(super) fn faster_nodes_are_io_bound(&self) -> Claim {
        let of = |architecture| {
            [9, 25].map(|ranks| self.io_share(Program::Bt, architecture, ranks, WhatIf::FasterNodes))
        };
        let shares = of(Nas);
        Claim::of(
            "what if nodes computed ten times as fast, NAS: BT spends more than half of its time on I/O",
            format!(
                "{} of its time with 9 and with 25 ranks, at least 50 %; SAN-direct {}",
                percents(&shares),
                percents(&of(SanDirect))
            ),
            shares.to_vec(),
            Limit::AtLeast(0.5),
        )
    }

    /// Which of the two programs is the more I/O intensive; `what_if` is of seis.
    pub(super) fn more_than_seis(&self, architecture: Architecture, what_if: WhatIf) -> Claim {
        let beside: Vec<(u32, u32)> = match what_if {
            WhatIf::Nothing => BESIDE.to_vec(),
            _ => vec![BESIDE[0], BESIDE[2]],
        };
        let bt: Vec<f64> = (beside.iter())
            .map(|&(ranks, _)| self.io_share(Program::Bt, architecture, ranks, WhatIf::Nothing))
            .collect();
        let seis: Vec<f64> = (beside.iter())
            .map(|&(_, ranks)| self.io_share(Program::Seis, architecture, ranks, what_if))
            .collect();
        let ranks: Vec<u32> = beside.iter().map(|&(ranks, _)| ranks).collect();
        let what = match what_if {
            WhatIf::Nothing => format!("figures 11 and 12, {}", architecture.words()),
            _ => format!("what if seis computed ten times as long, {}", architecture.words()),
        };
        Claim::of(
            format!("{what}: BT is more I/O intensive than seis"),
            format!(
                "I/O is {} of BT's time with {} ranks, and {} of that of seis with as many (24 for 25)",
                percents(&bt),
                listed(&ranks),
                percents(&seis)
            ),
            bt.iter().zip(&seis).map(|(bt, seis)| bt / seis).collect(),
            Limit::AtLeast(1.0),
        )
    }
}
