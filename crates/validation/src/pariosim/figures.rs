//! Figures 4 to 12 of the study, drawn.

use super::das::{CHUNKS, DasCell, SEEKS};
use super::experiments::{Architecture, BT_RANKS, Drives, Experiment, Program, SEIS_RANKS};
use super::findings::Moves;
use super::outcome::{Outcome, find};
use super::what_if::WhatIf;
use petrio_page::figure::{Axis, Figure, Quantity, Series};

/// Something of an outcome, with its name.
type Value = (&'static str, fn(&Outcome) -> f64);

const fn ranks_of(program: Program) -> &'static [u32] {
    match program {
        Program::Bt => &BT_RANKS,
        Program::Seis => &SEIS_RANKS,
    }
}

fn ranks_words(ranks: u32) -> String {
    if ranks == 1 { "1 rank".to_owned() } else { format!("{ranks} ranks") }
}

/// Something of each architecture by ranks.
fn by_ranks(
    outcomes: &[Outcome],
    (title, words): (&str, &str),
    axis: Axis,
    (program, architectures, drives, computes): (Program, &[Architecture], Drives, bool),
    values: &[Value],
) -> Figure {
    let mut figure =
        Figure::new(title, words, Axis::new("ranks", Quantity::Number).logarithmic(), axis.from(0.0));
    for &architecture in architectures {
        for (name, value) in values {
            let points: Vec<(f64, f64)> = (ranks_of(program).iter())
                .filter_map(|&ranks| {
                    let plain = Experiment::of(program, architecture, drives, ranks);
                    let one = if computes { plain.computing() } else { plain };
                    find(outcomes, &one).map(|outcome| (f64::from(ranks), value(outcome)))
                })
                .collect();
            let name = if name.is_empty() {
                architecture.words().to_owned()
            } else {
                format!("{}, {name}", architecture.words())
            };
            figure.push(Series::dots(name, points));
        }
    }
    figure.note(at_ranks(program));
    figure
}

/// Which numbers of ranks the dots are at: the axis has round ones.
fn at_ranks(program: Program) -> String {
    let (last, others) = match program {
        Program::Bt => (25, "4, 9, 16"),
        Program::Seis => (24, "1, 2, 4, 8, 16"),
    };
    format!("Dots are at {others} and {last} ranks.")
}

/// Throughput of reads, and of writes, by ranks: each on an axis of its own, since one is often a tenth of the other.
pub(super) fn throughput(
    outcomes: &[Outcome],
    title: &str,
    (program, architectures, drives): (Program, &[Architecture], Drives),
) -> [Figure; 2] {
    let values: [(Moves, Value); 2] =
        [(Moves::Read, ("", |one| Moves::Read.of(one))), (Moves::Write, ("", |one| Moves::Write.of(one)))];
    values.map(|(moves, value)| {
        let title = format!("{title}: {}", moves.words());
        let words = format!(
            "throughput of {} of all ranks together by their number, for each architecture",
            moves.words()
        );
        by_ranks(
            outcomes,
            (&title, &words),
            Axis::new("throughput", Quantity::Rate),
            (program, architectures, drives, false),
            &[value],
        )
    })
}

/// Execution time by ranks.
pub(super) fn times(
    outcomes: &[Outcome],
    title: &str,
    (program, architectures, drives): (Program, &[Architecture], Drives),
) -> Figure {
    let words = "execution time by the number of ranks, for each architecture";
    by_ranks(
        outcomes,
        (title, words),
        Axis::new("time", Quantity::Duration),
        (program, architectures, drives, true),
        &[("", |one| one.elapsed_s)],
    )
}

/// Speed-up over the fewest ranks that were run, of architectures or of what-ifs.
pub(super) fn speed_up(
    outcomes: &[Outcome],
    title: &str,
    program: Program,
    lines: &[(&str, Architecture, WhatIf)],
) -> Figure {
    let ranks = ranks_of(program);
    let number = |ranks: &u32| f64::from(*ranks);
    let base = ranks_words(ranks[0]);
    let mut figure = Figure::new(
        title,
        format!(
            "how many times as fast as with {base}, by the number of ranks, and how many times as many ranks there are"
        ),
        Axis::new("ranks", Quantity::Number).logarithmic(),
        Axis::new(format!("speed-up ({base}: 1)"), Quantity::Number).from(0.0),
    );
    for &(name, architecture, what_if) in lines {
        let time = |ranks: u32| {
            let one = Experiment::of(program, architecture, Drives::FibreChannel, ranks).computing();
            find(outcomes, &one.what_if(what_if)).map(|outcome| outcome.elapsed_s)
        };
        let Some(first) = time(ranks[0]) else { continue };
        let points = ranks.iter().filter_map(|&all| Some((f64::from(all), first / time(all)?)));
        figure.push(Series::dots(name, points));
    }
    let most = ranks.iter().map(|all| number(all) / number(&ranks[0])).collect();
    let name = format!("times as many ranks as {}", ranks[0]);
    figure.push(Series::line(name, ranks.iter().map(number).collect(), most));
    figure.note(at_ranks(program));
    figure
}

/// Figure 9 with four ranks: what Fibre Channel's drives bring SAN-direct, what they would on other hardware, and what the study says.
pub(super) fn channel_gains(outcomes: &[Outcome], moves: Moves, told: f64) -> Figure {
    let rate = |drives, what_if| {
        let one = Experiment::of(Program::Bt, Architecture::SanDirect, drives, 4).what_if(what_if);
        find(outcomes, &one).map_or(f64::NAN, |outcome| moves.of(outcome))
    };
    let gain = |then, now| rate(Drives::FibreChannel, then) / rate(Drives::OfTheMachine, now);
    let bars = [
        ("as it is", gain(WhatIf::Nothing, WhatIf::Nothing)),
        ("drives without arms", gain(WhatIf::DrivesWithoutArms, WhatIf::Nothing)),
        ("nothing exchanged", gain(WhatIf::NothingExchanged, WhatIf::NothingExchanged)),
        ("both", gain(WhatIf::NeitherExchangeNorArms, WhatIf::NothingExchanged)),
        ("the study", told),
    ];
    let mut figure = Figure::new(
        format!("Figure 9, SAN-direct, 4 ranks, {}: from what the gain would follow", moves.words()),
        "how many times as much throughput Fibre Channel's drives give as those before, as it is, with changes of the hardware, and in the study",
        Axis::new("times as fast", Quantity::Number).from(0.0),
        Axis::names("", bars.iter().map(|(name, _)| (*name).to_owned()).collect()),
    );
    figure.push(Series::stack("gain", bars.iter().map(|(_, gain)| *gain).collect()));
    figure
}

/// Where the time goes, rank by rank number: computing, messages, I/O.
pub(super) fn split(outcomes: &[Outcome], program: Program, architecture: Architecture) -> Figure {
    let found: Vec<&Outcome> = (ranks_of(program).iter())
        .filter_map(|&ranks| {
            find(outcomes, &Experiment::of(program, architecture, Drives::FibreChannel, ranks).computing())
        })
        .collect();
    let mut figure = Figure::new(
        format!("{}: what the time goes for", architecture.words()),
        "the parts of all ranks' time in which they compute, exchange messages, and read and write, by the number of ranks",
        Axis::new("", Quantity::Share).between(0.0, 1.0),
        Axis::names("", found.iter().map(|one| ranks_words(one.experiment.ranks)).collect()),
    );
    let parts: [Value; 3] =
        [("computing", |one| one.computing), ("messages", |one| one.messages), ("I/O", |one| one.io)];
    for (name, part) in parts {
        figure.push(Series::stack(name, found.iter().map(|one| part(one)).collect()));
    }
    figure
}

/// A distance without a line: it lies on that of none, and there are more lines than anybody tells apart.
const UNTOLD: u64 = 1;

fn blocks_apart(blocks: u64) -> String {
    if blocks == 1 { "1 block apart".to_owned() } else { format!("{blocks} blocks apart") }
}

/// Figure 4: the time of a thousand requests by chunk, for each distance.
pub(super) fn das(cells: &[DasCell], writes: bool) -> Figure {
    let word = if writes { "writes" } else { "reads" };
    let mut figure = Figure::new(
        format!("Figure 4: {word}"),
        format!(
            "time of a thousand {word} by the size of a request, for distances of 0 to 32 blocks between them"
        ),
        Axis::new("request", Quantity::Bytes).logarithmic(),
        Axis::new("time", Quantity::Duration).from(0.0),
    );
    for seek in SEEKS.into_iter().filter(|&seek| seek != UNTOLD) {
        let of = |chunk| {
            let found =
                cells.iter().find(|cell| (cell.writes, cell.chunk, cell.seek) == (writes, chunk, seek))?;
            Some(((chunk * 4_096) as f64, found.seconds))
        };
        figure.push(Series::dots(blocks_apart(seek), CHUNKS.into_iter().filter_map(of)));
    }
    figure.note("Dots are at 1, 2, 4, 8 and 16 blocks of 4 KiB. Requests 1 block apart take about as long as those that lie next to each other.");
    figure
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_speed_up_names_the_ranks_that_it_counts_from() {
        for (program, base, as_many) in [
            (Program::Bt, "speed-up (4 ranks: 1)", "times as many ranks as 4"),
            (Program::Seis, "speed-up (1 rank: 1)", "times as many ranks as 1"),
        ] {
            let figure = speed_up(&[], "", program, &[]);
            assert_eq!(figure.up.name, base);
            assert_eq!(figure.series[0].name, as_many);
            assert!(figure.notes[0].starts_with("Dots are at "));
        }
    }
}
