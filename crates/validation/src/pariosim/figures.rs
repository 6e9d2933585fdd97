//! Figures 4 to 12 of the study, drawn.

use super::das::{CHUNKS, DasCell, SEEKS};
use super::experiments::{Architecture, BT_RANKS, Drives, Experiment, Program, SEIS_RANKS};
use super::findings::Moves;
use super::outcome::{Outcome, find};
use petrio_page::figure::{Axis, Figure, Quantity, Series};

/// Something of an outcome, with its name.
type Value = (&'static str, fn(&Outcome) -> f64);

const fn ranks_of(program: Program) -> &'static [u32] {
    match program {
        Program::Bt => &BT_RANKS,
        Program::Seis => &SEIS_RANKS,
    }
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
            let (x, y) = points.into_iter().unzip();
            let name = if name.is_empty() {
                architecture.words().to_owned()
            } else {
                format!("{}, {name}", architecture.words())
            };
            figure.push(Series::line(name, x, y));
        }
    }
    figure
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

/// Speed-up over the fewest ranks that were run.
pub(super) fn speed_up(
    outcomes: &[Outcome],
    title: &str,
    (program, architectures): (Program, &[Architecture]),
) -> Figure {
    let mut figure = Figure::new(
        title,
        "how many times as fast as with the fewest ranks, by the number of ranks, for each architecture, and what as many ranks could give",
        Axis::new("ranks", Quantity::Number).logarithmic(),
        Axis::new("speed-up", Quantity::Number).from(0.0),
    );
    let ranks = ranks_of(program);
    let number = |ranks: &u32| f64::from(*ranks);
    let most: Vec<f64> = ranks.iter().map(|all| number(all) / number(&ranks[0])).collect();
    for &architecture in architectures {
        let time = |ranks: u32| {
            let one = Experiment::of(program, architecture, Drives::FibreChannel, ranks).computing();
            find(outcomes, &one).map(|outcome| outcome.elapsed_s)
        };
        let Some(first) = time(ranks[0]) else { continue };
        let points = ranks.iter().filter_map(|&all| Some((f64::from(all), first / time(all)?)));
        let (x, y) = points.unzip();
        figure.push(Series::line(architecture.words(), x, y));
    }
    figure.push(Series::line("as many as there are ranks", ranks.iter().map(number).collect(), most));
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
        Axis::names("", found.iter().map(|one| format!("{} ranks", one.experiment.ranks)).collect()),
    );
    let parts: [Value; 3] =
        [("computing", |one| one.computing), ("messages", |one| one.messages), ("I/O", |one| one.io)];
    for (name, part) in parts {
        figure.push(Series::stack(name, found.iter().map(|one| part(one)).collect()));
    }
    figure
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
    for seek in SEEKS {
        let of = |chunk| {
            let found =
                cells.iter().find(|cell| (cell.writes, cell.chunk, cell.seek) == (writes, chunk, seek))?;
            Some(((chunk * 4_096) as f64, found.seconds))
        };
        let (x, y) = CHUNKS.into_iter().filter_map(of).unzip();
        figure.push(Series::line(format!("{seek} blocks apart"), x, y));
    }
    figure
}
