//! Which experiments there are.

use super::experiments::{Architecture, BT_RANKS, Drives, Experiment, MOST_SEIS, Program, SEIS_RANKS};
use super::findings::assumptions;
use super::what_if::WhatIf;
use std::collections::BTreeSet;

use Architecture::{Nas, SanAllToAll, SanDirect};
use Drives::{FibreChannel, OfTheMachine};

/// All experiments.
pub(super) fn experiments() -> BTreeSet<Experiment> {
    let mut all = BTreeSet::new();
    for ranks in BT_RANKS {
        for architecture in [Nas, SanDirect] {
            for drives in [OfTheMachine, FibreChannel] {
                let plain = Experiment::of(Program::Bt, architecture, drives, ranks);
                all.extend([plain, plain.computing()]);
            }
        }
    }
    for ranks in SEIS_RANKS {
        for architecture in [Nas, SanDirect, SanAllToAll] {
            let plain = Experiment::of(Program::Seis, architecture, FibreChannel, ranks);
            all.extend([plain, plain.computing()]);
        }
    }
    bt_what_ifs(&mut all);
    seis_what_ifs(&mut all);
    all.extend(assumptions::experiments());
    all
}

fn bt_what_ifs(all: &mut BTreeSet<Experiment>) {
    let of = |architecture, drives, ranks| Experiment::of(Program::Bt, architecture, drives, ranks);
    // From which nodes, network and calls the published shares of time, and the knee at nine, would follow.
    for architecture in [Nas, SanDirect] {
        let fast = |ranks| of(architecture, FibreChannel, ranks).computing().what_if(WhatIf::FasterNodes);
        all.extend(BT_RANKS.map(fast));
    }
    for what_if in [WhatIf::SharedMedium, WhatIf::OwnCalls] {
        all.extend([9, 25].map(|ranks| of(SanDirect, FibreChannel, ranks).what_if(what_if)));
    }
    // What holds up the NAS, and whether it is worth something where partitions lie.
    all.extend([4, 25].map(|ranks| of(Nas, OfTheMachine, ranks).what_if(WhatIf::FasterNetwork)));
    all.insert(of(SanDirect, OfTheMachine, 25).what_if(WhatIf::PartitionsInTurn));
    // Why Fibre Channel's drives bring less, and more, than is published.
    all.insert(of(Nas, FibreChannel, 4).what_if(WhatIf::FasterNetwork));
    for drives in [OfTheMachine, FibreChannel] {
        all.extend([
            of(Nas, drives, 4).what_if(WhatIf::ArrayWithoutCache),
            of(SanDirect, drives, 4).what_if(WhatIf::NothingExchanged),
        ]);
    }
    let four = of(SanDirect, FibreChannel, 4);
    all.extend(
        [WhatIf::DrivesWithoutArms, WhatIf::NeitherExchangeNorArms].map(|what_if| four.what_if(what_if)),
    );
}

fn seis_what_ifs(all: &mut BTreeSet<Experiment>) {
    let of = |architecture, ranks| Experiment::of(Program::Seis, architecture, FibreChannel, ranks);
    // What holds up its reads.
    all.insert(of(SanDirect, MOST_SEIS).what_if(WhatIf::FasterNetwork));
    all.extend([4, MOST_SEIS].map(|ranks| of(SanDirect, ranks).what_if(WhatIf::SharedMedium)));
    all.insert(of(SanAllToAll, MOST_SEIS).what_if(WhatIf::DrivesWithoutArms));
    // What it computes is assumed: how much of its time would I/O be if it were more?
    all.extend([4, MOST_SEIS].map(|ranks| of(Nas, ranks).computing().what_if(WhatIf::LongerComputing)));
}
