//! Each claim holds of rows as the study tells them, and doesn't of rows that are changed in the one thing it is about.
#![allow(clippy::unwrap_used)]

use super::super::das::{CHUNKS, DasCell, SEEKS};
use super::super::experiments::{Architecture, Drives, Experiment, Program};
use super::super::outcome::Outcome;
use super::super::plan::experiments;
use super::super::what_if::WhatIf;
use super::findings;
use crate::verdict::{Judged, Judgement};

use Architecture::{Nas, SanAllToAll, SanDirect};
use Drives::FibreChannel;
use Program::{Bt, Seis};

/// One of so many values, by the number of ranks.
fn by_ranks(ranks: u32, values: &[(u32, f64)]) -> f64 {
    values.iter().find(|(of, _)| *of == ranks).unwrap().1
}

/// What an experiment would have given, were everything as the study says.
fn as_told(experiment: Experiment) -> Outcome {
    let (read, written) = match experiment.program {
        Bt => bt_rates(&experiment),
        Seis => seis_rates(&experiment),
    };
    let elapsed_s = match experiment.program {
        Bt => bt_elapsed(&experiment),
        Seis => seis_elapsed(&experiment),
    };
    Outcome {
        experiment,
        elapsed_s,
        written_per_s: written * 1e6,
        read_per_s: read * 1e6,
        computing: 0.7,
        messages: 0.0,
        io: 0.3,
        busiest: String::new(),
    }
}

fn bt_rates(of: &Experiment) -> (f64, f64) {
    let nas = f64::from(of.ranks) / 4.0;
    let over = |most: f64| by_ranks(of.ranks, &[(4, 4.0), (9, 8.0), (16, 12.0), (25, most)]);
    let (read, written) = match of.architecture {
        Nas => (nas, nas),
        _ => (nas * over(32.8), nas * over(17.8)),
    };
    let (read, written) = match (of.drives, of.architecture) {
        (FibreChannel, Nas) => (read * 1.3, written * 2.7),
        (FibreChannel, _) => (read * 11.54, written * 17.78),
        _ => (read, written),
    };
    match of.what_if {
        WhatIf::PartitionsInTurn => (read / 2.0, written / 2.0),
        _ => (read, written),
    }
}

fn bt_elapsed(of: &Experiment) -> f64 {
    let whole = by_ranks(of.ranks, &[(4, 1000.0), (9, 500.0), (16, 480.0), (25, 450.0)]);
    let whole = if of.architecture == Nas { whole } else { whole / 2.0 };
    match (of.what_if, of.computes) {
        (WhatIf::FasterNodes, _) => whole * 0.9,
        (WhatIf::FasterNetwork, _) => whole * 0.3,
        (WhatIf::OwnCalls, _) => whole * 0.6 * if of.ranks == 25 { 1.3 } else { 1.0 },
        (_, true) => whole,
        (_, false) => whole * 0.6,
    }
}

fn seis_rates(of: &Experiment) -> (f64, f64) {
    let ranks = f64::from(of.ranks);
    let read = match of.architecture {
        Nas => 5.0,
        SanDirect => 10.0,
        SanAllToAll => 20.0 * ranks,
    };
    let written = if of.architecture == Nas { 5.0 + ranks / 4.0 } else { 10.0 * ranks };
    (if of.what_if == WhatIf::FasterNetwork { read * 10.0 } else { read }, written)
}

fn seis_elapsed(of: &Experiment) -> f64 {
    let nas = [(1, 1000.0), (2, 600.0), (4, 400.0), (8, 300.0), (16, 250.0), (24, 230.0)];
    let san = [(1, 800.0), (2, 450.0), (4, 270.0), (8, 180.0), (16, 130.0), (24, 115.0)];
    match of.architecture {
        Nas => by_ranks(of.ranks, &nas),
        SanAllToAll if of.ranks > 1 => by_ranks(of.ranks, &san) / 1.1,
        _ => by_ranks(of.ranks, &san),
    }
}

fn disk_as_told(writes: bool, chunk: u64, seek: u64) -> DasCell {
    let seconds = chunk as f64 * 0.2 * (1.0 + seek as f64 / 10.0);
    DasCell { writes, chunk, seek, seconds, written_through_s: writes.then_some(8.0) }
}

/// Everything judged, with some outcomes and cells changed.
fn judged(change: impl Fn(&mut Outcome), change_cell: impl Fn(&mut DasCell)) -> Vec<Judged> {
    let mut outcomes: Vec<Outcome> = experiments().into_iter().map(as_told).collect();
    outcomes.iter_mut().for_each(change);
    let mut cells: Vec<DasCell> = [false, true]
        .into_iter()
        .flat_map(|writes| CHUNKS.map(move |chunk| (writes, chunk)))
        .flat_map(|(writes, chunk)| SEEKS.map(|seek| disk_as_told(writes, chunk, seek)))
        .collect();
    cells.iter_mut().for_each(change_cell);
    findings(&outcomes, &cells).judged()
}

#[test]
fn every_claim_holds_where_all_is_as_the_study_tells_it() {
    let rows = judged(|_| {}, |_| {});
    for row in &rows {
        assert_eq!(row.verdict, Judgement::Holds, "{}", row.line());
    }
    let names: std::collections::BTreeSet<&str> = rows.iter().map(|row| row.what.as_str()).collect();
    assert_eq!(names.len(), rows.len(), "a claim is judged twice");
}

#[test]
fn nothing_holds_of_what_was_not_run() {
    for row in findings(&[], &[]).judged() {
        assert_eq!(row.verdict, Judgement::Misses, "{}", row.line());
    }
}

type Change = fn(&mut Outcome);

fn is(one: &Outcome, program: Program, architecture: Architecture) -> bool {
    (one.experiment.program, one.experiment.architecture) == (program, architecture)
}

/// Claims, and what makes each of them wrong.
const CHANGES: [(&str, Change); 33] = [
    ("figure 7, reads: SAN-direct over NAS", |one| {
        if is(one, Bt, SanDirect) && one.experiment.ranks == 25 {
            one.read_per_s /= 2.0;
        }
    }),
    ("figure 7, writes: SAN-direct over NAS", |one| {
        if is(one, Bt, SanDirect) && one.experiment.ranks == 25 {
            one.written_per_s *= 2.0;
        }
    }),
    ("figure 7, SAN-direct: throughput scales with processors", |one| {
        if is(one, Bt, SanDirect) && one.experiment.ranks == 25 {
            one.read_per_s /= 20.0;
        }
    }),
    ("figure 7, NAS: throughput scales with processors", |one| {
        if is(one, Bt, Nas) && one.experiment.ranks == 25 {
            one.written_per_s /= 3.0;
        }
    }),
    ("what if the network were Gigabit Ethernet, NAS: the network is a major bottleneck (figure 7)", |one| {
        if is(one, Bt, Nas) && one.experiment.what_if == WhatIf::FasterNetwork {
            one.elapsed_s *= 2.0;
        }
    }),
    (
        "figure 7, SAN-direct: it gains from local disks (what if partitions lay on all nodes in turn)",
        |one| {
            if one.experiment.what_if == WhatIf::PartitionsInTurn {
                one.read_per_s *= 2.0;
            }
        },
    ),
    ("figure 9, reads, SAN-direct with four ranks: Fibre Channel's drives over those before", |one| {
        if is(one, Bt, SanDirect) && one.experiment.drives == FibreChannel {
            one.read_per_s /= 2.0;
        }
    }),
    ("figure 9, writes, SAN-direct with four ranks: Fibre Channel's drives over those before", |one| {
        if is(one, Bt, SanDirect) && one.experiment.drives == FibreChannel {
            one.written_per_s *= 2.0;
        }
    }),
    ("figure 9, reads, NAS with four ranks: Fibre Channel's drives over those before", |one| {
        // Within a factor of 1.5, and yet no gain.
        if is(one, Bt, Nas) && one.experiment.drives == FibreChannel {
            one.read_per_s /= 1.29;
        }
    }),
    ("figure 9, writes, NAS with four ranks: Fibre Channel's drives over those before", |one| {
        if is(one, Bt, Nas) && one.experiment.drives == FibreChannel {
            one.written_per_s /= 2.0;
        }
    }),
    (
        "what if the array had no cache, NAS, writes with four ranks: Fibre Channel's drives over those before",
        |one| {
            if one.experiment.what_if == WhatIf::ArrayWithoutCache && one.experiment.drives == FibreChannel {
                one.written_per_s /= 2.0;
            }
        },
    ),
    ("figures 8 and 9: SAN-direct's writes scale much better than the NAS's", |one| {
        if is(one, Seis, Nas) && one.experiment.ranks == 24 {
            one.written_per_s *= 4.0;
        }
    }),
    ("figure 9: SAN-direct has more throughput than the NAS, always", |one| {
        if is(one, Bt, SanDirect) && one.experiment.ranks == 9 && one.experiment.drives == FibreChannel {
            one.written_per_s /= 1e3;
        }
    }),
    ("figure 11, NAS: a dramatic gain from 4 to 9", |one| {
        if is(one, Bt, Nas) && one.experiment.ranks == 4 {
            one.elapsed_s /= 2.0;
        }
    }),
    ("figure 11, NAS: little gain past 9", |one| {
        if is(one, Bt, Nas) && one.experiment.ranks == 25 {
            one.elapsed_s /= 2.0;
        }
    }),
    ("figure 11, SAN-direct: little gain past 9", |one| {
        if is(one, Bt, SanDirect) && one.experiment.ranks == 25 {
            one.elapsed_s /= 2.0;
        }
    }),
    ("what if nodes computed ten times as fast, NAS: little gain past 9", |one| {
        if is(one, Bt, Nas) && one.experiment.ranks == 25 {
            one.elapsed_s /= 2.0;
        }
    }),
    (
        "what if a hub stood instead of the switch, SAN-direct: little gain past 9 of its accesses alone",
        |one| {
            if is(one, Bt, SanDirect) && one.experiment.ranks == 25 {
                one.elapsed_s /= 2.0;
            }
        },
    ),
    (
        "what if each rank made its own calls (BT-IO's simple), SAN-direct: smaller chunks with more ranks hold it up (figure 11)",
        |one| {
            if one.experiment.what_if == WhatIf::OwnCalls && one.experiment.ranks == 25 {
                one.elapsed_s /= 2.0;
            }
        },
    ),
    ("figure 11, NAS: BT spends more than half of its time on I/O", |one| {
        if is(one, Bt, Nas) && one.experiment.computes && one.experiment.ranks == 16 {
            one.elapsed_s *= 2.0;
        }
    }),
    ("what if nodes computed ten times as fast, NAS: BT spends more than half of its time on I/O", |one| {
        if is(one, Bt, Nas) && one.experiment.what_if == WhatIf::FasterNodes {
            one.elapsed_s *= 2.0;
        }
    }),
    ("figures 11 and 12, NAS: BT is more I/O intensive than seis", |one| {
        if is(one, Seis, Nas) && one.experiment.ranks == 24 {
            one.io = 0.65;
        }
    }),
    ("what if seis computed ten times as long, NAS: BT is more I/O intensive than seis", |one| {
        if one.experiment.what_if == WhatIf::LongerComputing {
            one.io = 0.65;
        }
    }),
    ("figure 8: SAN-direct's writes of seis scale", |one| {
        // More than in proportion, and by too much.
        if is(one, Seis, SanDirect) && one.experiment.ranks == 24 {
            one.written_per_s *= 2.0;
        }
    }),
    ("figure 8: SAN-direct's reads of seis scale poorly", |one| {
        if is(one, Seis, SanDirect) && one.experiment.ranks == 24 {
            one.read_per_s *= 4.0;
        }
    }),
    (
        "what if a hub stood instead of the switch (figure 8): SAN-direct's reads of seis scale poorly",
        |one| {
            if one.experiment.what_if == WhatIf::SharedMedium && one.experiment.ranks == 24 {
                one.read_per_s *= 4.0;
            }
        },
    ),
    ("figure 10: SAN-all-to-all reads much faster than SAN-direct", |one| {
        if is(one, Seis, SanAllToAll) && one.experiment.ranks == 8 {
            one.read_per_s /= 10.0;
        }
    }),
    ("figure 10: SAN-all-to-all's reads of seis scale", |one| {
        if is(one, Seis, SanAllToAll) && one.experiment.ranks == 24 {
            one.read_per_s /= 3.0;
        }
    }),
    ("figure 12, NAS: seis spends less than half of its time on I/O", |one| {
        if is(one, Seis, Nas) && one.experiment.ranks == 16 {
            one.io = 0.51;
        }
    }),
    ("figure 12, NAS: seis gets faster with every processor more", |one| {
        if is(one, Seis, Nas) && one.experiment.ranks == 24 {
            one.elapsed_s = 249.9;
        }
    }),
    ("figure 12, SAN-direct: the speed-up of seis is diminishing", |one| {
        if is(one, Seis, SanDirect) && one.experiment.ranks == 24 {
            one.elapsed_s = 86.0;
        }
    }),
    ("figure 12: SAN-all-to-all runs seis slightly faster than SAN-direct", |one| {
        if is(one, Seis, SanAllToAll) && one.experiment.ranks == 24 {
            one.elapsed_s *= 1.2;
        }
    }),
    ("figure 12: SAN-direct runs seis faster than the NAS, always", |one| {
        if is(one, Seis, SanDirect) && one.experiment.ranks == 4 {
            one.elapsed_s *= 2.0;
        }
    }),
];

#[test]
fn no_claim_holds_where_what_it_is_about_is_otherwise() {
    for (what, change) in CHANGES {
        let rows = judged(change, |_| {});
        let row =
            rows.iter().find(|row| row.what == what).unwrap_or_else(|| unreachable!("no claim: {what}"));
        assert_ne!(row.verdict, Judgement::Holds, "{}", row.line());
    }
}

#[test]
fn figure_4_misses_with_a_short_cut_a_turn_lost_and_a_medium_that_is_too_fast() {
    type ChangeCell = fn(&mut DasCell);
    let cases: [(&str, ChangeCell); 3] = [
        ("figure 4, writes: twice the chunk takes no less time", |cell| {
            if cell.chunk == 8 {
                cell.seconds /= 3.0;
            }
        }),
        ("figure 4, writes: a longer seek takes no less time", |cell| {
            if cell.seek < 8 {
                cell.seconds += 8.0;
            }
        }),
        ("figure 4, reads: none is faster than the disk's medium", |cell| cell.seconds /= 3.0),
    ];
    for (what, change) in cases {
        let rows = judged(|_| {}, change);
        let row = rows.iter().find(|row| row.what == what).unwrap();
        assert_eq!(row.verdict, Judgement::Misses, "{}", row.line());
    }
}
