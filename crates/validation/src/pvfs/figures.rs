//! Figures 17, 18 and 55 to 70 of the dissertation, and what else its cluster gives, drawn.

use super::experiments::{
    BLOCKS_KIB, COUNTS, Experiment, FILES_KIB, MOST_CLIENTS, QUEUE_BLOCKS_KIB, RECORDS_KIB, SLOW_SEARCH_US,
};
use super::findings::Findings;
use super::measured::Moves;
use super::outcome::{Outcome, find};
use petrio_page::figure::{Axis, Figure, Marks, Quantity, Series, Shade};
use petrio_scenario::report::Estimate;

/// Numbers of clients that have a curve in the figure of all: more nobody tells apart.
const CURVES: [u32; 6] = [1, 2, 3, 4, 6, 8];
/// Blocks that have a curve over the sizes of files, KiB.
const FILE_CURVES_KIB: [u64; 5] = [4, 64, 256, 1_024, 16_384];
/// From one client's point to the next one's, as a ratio of blocks: all lie apart, and none farther than half a block.
const APART: f64 = 1.05;

fn bytes(kib: u64) -> f64 {
    (kib << 10) as f64
}

fn kib_words(kib: u64) -> String {
    Quantity::Bytes.words(bytes(kib))
}

fn clients_words(clients: u32) -> String {
    if clients == 1 { "one client".to_owned() } else { format!("{clients} clients") }
}

fn nouns(moves: Moves) -> String {
    format!("{}s", moves.word())
}

/// Values with their intervals, joined by a line or not.
fn banded(name: String, points: impl IntoIterator<Item = (f64, Estimate)>, joined: bool) -> Series {
    let (mut x, mut low, mut y, mut high) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for (place, estimate) in points {
        let half = estimate.half_width.unwrap_or(0.0);
        x.push(place);
        low.push(estimate.value - half);
        y.push(estimate.value);
        high.push(estimate.value + half);
    }
    Series::new(name, Marks::Intervals { x, low, y, high, joined })
}

/// A client's mean rate by block, for several numbers of clients.
pub(super) fn curves(outcomes: &[Outcome], moves: Moves) -> Figure {
    let nouns = nouns(moves);
    let mut figure = Figure::new(
        format!("All numbers of clients: {nouns}"),
        format!("a client's mean rate of {nouns} by the size of blocks, for one to eight clients"),
        Axis::new("block", Quantity::Bytes).logarithmic(),
        Axis::new("rate of a client", Quantity::Rate).from(0.0),
    );
    for clients in CURVES {
        let of = |block| {
            let found = find(outcomes, &Experiment::of(moves, clients, block))?;
            Some((bytes(block), found.mean()))
        };
        figure.push(banded(clients_words(clients), BLOCKS_KIB.into_iter().filter_map(of), true));
    }
    figure
}

/// Figures 55 to 70: each client's rate by block.
pub(super) fn each_client(outcomes: &[Outcome], moves: Moves, clients: u32) -> Figure {
    let number = 53 + 2 * clients + u32::from(moves == Moves::Write);
    let mut figure = Figure::new(
        format!("Figure {number}: {}, {}", clients_words(clients), nouns(moves)),
        format!("the rate of each of {clients} clients by the size of blocks, {}", nouns(moves)),
        Axis::new("block", Quantity::Bytes).logarithmic(),
        // The same height for all, so that they can be held against each other.
        Axis::new("rate", Quantity::Rate).between(0.0, 125e6),
    );
    for client in 0..clients {
        let place = |block| bytes(block) * libm::pow(APART, f64::from(client) - f64::from(clients - 1) / 2.0);
        let of = |block| {
            let found = find(outcomes, &Experiment::of(moves, clients, block))?;
            Some((place(block), found.client(client as usize)))
        };
        figure.push(banded(format!("client {}", client + 1), BLOCKS_KIB.into_iter().filter_map(of), false));
    }
    figure
}

/// Something of each number of clients, for reads and writes.
fn by_clients(
    (title, alternative, up): (&str, &str, Axis),
    of: impl Fn(Moves, u32) -> f64,
    clients: std::ops::RangeInclusive<u32>,
) -> Figure {
    let mut figure = Figure::new(title, alternative, Axis::new("clients", Quantity::Number), up);
    for moves in [Moves::Read, Moves::Write] {
        let points = clients.clone().map(|clients| (f64::from(clients), of(moves, clients)));
        figure.push(Series::dots(nouns(moves), points.filter(|(_, value)| value.is_finite())));
    }
    figure
}

/// How far clients lie apart, and what is left of one client's rate.
pub(super) fn stress(outcomes: &[Outcome]) -> [Figure; 2] {
    let findings = Findings { outcomes };
    let spread = by_clients(
        (
            "How far clients lie apart",
            "the fastest client less the slowest, as a part of their mean, by the number of clients, on average over blocks",
            Axis::new("fastest less slowest", Quantity::Share).from(0.0),
        ),
        |moves, clients| findings.spread(moves, clients),
        2..=MOST_CLIENTS,
    );
    let left = by_clients(
        (
            "What is left of one client's rate",
            "the rate of each of several clients by that of one alone, at blocks of 256 KiB to 2 MiB, by the number of clients",
            Axis::new("of one client's rate", Quantity::Share).from(0.0),
        ),
        |moves, clients| findings.left(moves, clients),
        1..=MOST_CLIENTS,
    );
    [spread, left]
}

/// A heat map.
fn heat_map(
    (title, alternative): (String, String),
    (across, columns): (&str, Vec<String>),
    (up, rows): (&str, Vec<String>),
    (of, name, shade): (impl Fn(usize, usize) -> Option<f64>, &str, Shade),
) -> Figure {
    let (wide, high) = (columns.len(), rows.len());
    let mut figure = Figure::new(title, alternative, Axis::names(across, columns), Axis::names(up, rows));
    let (mut columns, mut rows, mut values) = (Vec::new(), Vec::new(), Vec::new());
    for (row, column) in (0..high).flat_map(|row| (0..wide).map(move |column| (row, column))) {
        if let Some(value) = of(column, row) {
            columns.push(column);
            rows.push(row);
            values.push((value * 1e2).round() / 1e2);
        }
    }
    let cells = Marks::Cells { columns, rows, values, quantity: Quantity::Number, shade };
    figure.push(Series::new(name, cells));
    figure
}

/// Each of eight clients beside their mean, by block.
pub(super) fn deviations(outcomes: &[Outcome], moves: Moves) -> Figure {
    let nouns = nouns(moves);
    let of = |column: usize, row: usize| {
        let found = find(outcomes, &Experiment::of(moves, MOST_CLIENTS, BLOCKS_KIB[column]))?;
        Some((found.client(row).value / found.mean().value - 1.0) * 100.0)
    };
    heat_map(
        (
            format!("Each of eight clients beside their mean: {nouns}, %"),
            format!(
                "by how many per cent the rate of each of eight clients differs from their mean, {nouns}, by block"
            ),
        ),
        ("block", BLOCKS_KIB.map(kib_words).to_vec()),
        ("client", (1..=MOST_CLIENTS).map(|client| format!("client {client}")).collect()),
        // Full at a quarter of the dissertation's error bars.
        (of, "% from the mean", Shade::Around(5.0)),
    )
}

/// All clients' rate, by the numbers of clients and servers.
pub(super) fn clusters(outcomes: &[Outcome], moves: Moves) -> Figure {
    let names = |of: fn(u32) -> String| COUNTS.map(of).to_vec();
    let nouns = nouns(moves);
    heat_map(
        (
            format!("Clients by servers: {nouns} of 1 MiB, MB/s of all clients"),
            format!(
                "the rate of all clients in MB/s, {nouns} of 1 MiB, by the numbers of clients and servers"
            ),
        ),
        ("servers", names(|servers| servers.to_string())),
        ("clients", names(|clients| clients.to_string())),
        (
            |column: usize, row: usize| {
                let experiment = Experiment::cluster(moves, COUNTS[row], COUNTS[column]);
                find(outcomes, &experiment).map(|found| found.aggregate().value / 1e6)
            },
            "MB/s",
            Shade::Ratios,
        ),
    )
}

/// One client's rate by the sizes of file and block.
pub(super) fn surface(outcomes: &[Outcome], moves: Moves) -> Figure {
    let nouns = nouns(moves);
    heat_map(
        (
            format!("Figure {}: files of any size, {nouns}, MB/s", 17 + u32::from(moves == Moves::Write)),
            format!("one client's rate of {nouns} in MB/s, by the sizes of its file and of blocks"),
        ),
        ("block", RECORDS_KIB.map(kib_words).to_vec()),
        ("file", FILES_KIB.map(kib_words).to_vec()),
        (
            |column: usize, row: usize| {
                let experiment = Experiment::file(moves, FILES_KIB[row], RECORDS_KIB[column]);
                find(outcomes, &experiment).map(|found| found.mean().value / 1e6)
            },
            "MB/s",
            Shade::Ratios,
        ),
    )
}

/// One client's rate by the size of its file, for several blocks.
pub(super) fn files(outcomes: &[Outcome], moves: Moves) -> Figure {
    let nouns = nouns(moves);
    let mut figure = Figure::new(
        format!("The same as curves: {nouns}"),
        format!("one client's rate of {nouns} by the size of its file, for several sizes of blocks"),
        Axis::new("file", Quantity::Bytes).logarithmic(),
        Axis::new("rate", Quantity::Rate).from(0.0),
    );
    for block in FILE_CURVES_KIB {
        let of = |file| {
            let found = find(outcomes, &Experiment::file(moves, file, block))?;
            Some((bytes(file), found.mean()))
        };
        figure.push(banded(
            format!("blocks of {}", kib_words(block)),
            FILES_KIB.into_iter().filter_map(of),
            true,
        ));
    }
    figure
}

/// What a queue that is searched takes of eight clients' writes.
pub(super) fn queue(outcomes: &[Outcome]) -> Figure {
    let findings = Findings { outcomes };
    let mut figure = Figure::new(
        format!("What a searched queue takes, {SLOW_SEARCH_US} µs for each piece that waits"),
        "the part of their rate that eight clients' writes lose by a receive queue of linear cost, by block",
        Axis::new("block", Quantity::Bytes).logarithmic(),
        Axis::new("lost", Quantity::Share),
    );
    let points = QUEUE_BLOCKS_KIB.map(|block| (bytes(block), findings.lost(block, SLOW_SEARCH_US)));
    let found = points.into_iter().filter(|(_, lost)| lost.value.is_finite());
    figure.push(banded("writes of eight clients".to_owned(), found, true));
    figure
}
