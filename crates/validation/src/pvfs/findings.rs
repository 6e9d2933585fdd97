//! What the dissertation found of PVFS in chapters 3.3 and 7, judged with the figures that are compared.

use super::experiments::{
    BLOCKS_KIB, CLUSTER_BLOCK_KIB, Experiment, FILES_KIB, MOST_CLIENTS, OF_MEMORY, QUEUE_BLOCKS_KIB,
    RECORDS_KIB, SERVERS, SLOW_SEARCH_US,
};
use super::measured::Moves;
use super::outcome::{Outcome, find};
use crate::verdict::{Judged, LEVEL};
use petrio_page::figure::Quantity;
use petrio_scenario::report::Estimate;

/// How far clients may lie apart whose curves "stay very close together" (7.4), a part of their mean.
const TOGETHER: f64 = 0.10;
/// Clients that stay close together.
const FEW_CLIENTS: u32 = 3;
/// Clients from which on the dissertation sees the stress (7.4).
const STRESS_FROM: u32 = 4;
/// What is lost of a client's rate where there is stress.
const STRESS: f64 = 0.05;
/// Blocks in which stress shows, KiB and more.
pub(super) const LARGE_KIB: u64 = 256;
/// The file from which on writes are at their peak, KiB (3.3.3).
const PEAK_KIB: u64 = 2_048;
/// A file of which it doesn't matter how large it is, KiB.
const LARGE_FILE_KIB: u64 = 65_536;
/// A drop that is sharp leaves at most this, of one.
const CLIFF: f64 = 0.5;
/// Why the servers' arrays hide the end of memory.
const STREAMS: &str = "an array of five drives streams twice what its server's link carries, so that the link hides where data come from; with one drive \
     a server it falls to 70 % (below)";
/// Why it falls less sharply with one drive a server, too.
const ONE_DRIVE: &str = "a server's link carries not much more than one drive streams, so that there is little to fall from: \
     memory is worth a third at most";
/// The error bars of chapter 7.
const ERROR_BARS: f64 = 0.2;

/// What the dissertation found, judged.
pub fn findings(outcomes: &[Outcome]) -> Vec<Judged> {
    let of = Findings { outcomes };
    let mut judged = Vec::new();
    for moves in [Moves::Read, Moves::Write] {
        judged.push(of.together(moves));
        judged.push(of.varied(moves));
        judged.push(of.stress(moves));
        judged.push(of.large_blocks(moves));
        judged.extend([4, MOST_CLIENTS].map(|clients| of.servers(moves, clients)));
    }
    judged.push(of.writes_are_slower());
    judged.push(of.queue());
    judged.push(of.files_read());
    judged.extend(of.small_files_written());
    judged.push(of.peak());
    judged.extend([Moves::Read, Moves::Write].map(|moves| of.blocks(moves)));
    judged.extend(of.memory());
    judged
}

pub(super) struct Findings<'o> {
    pub(super) outcomes: &'o [Outcome],
}

/// What wasn't run is no number.
const NOTHING: Estimate = Estimate { value: f64::NAN, half_width: None };

/// MB/s.
fn mb(bytes_per_s: f64) -> String {
    format!("{:.1}", bytes_per_s / 1e6)
}

/// With a digit behind the point where it is small.
fn percent(part: f64) -> String {
    let places = usize::from(part.abs() < 0.0995);
    format!("{:.places$} %", part * 100.0)
}

fn mean(values: impl IntoIterator<Item = f64>) -> f64 {
    Estimate::of(values, LEVEL).value
}

/// The largest; what is no number stays none, so that nothing holds of what wasn't run.
fn largest(values: impl IntoIterator<Item = f64>) -> f64 {
    values.into_iter().fold(0.0, |most: f64, value| if most.is_nan() || value <= most { most } else { value })
}

/// The largest, which may be below zero; what is no number stays none.
fn largest_of(values: impl IntoIterator<Item = f64>) -> f64 {
    let most = |most: f64, value: f64| if most.is_nan() || value <= most { most } else { value };
    values.into_iter().fold(f64::NEG_INFINITY, most)
}

/// What each has, in words with "and" before the last.
fn listed(words: impl IntoIterator<Item = String>) -> String {
    let words: Vec<String> = words.into_iter().collect();
    match words.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        _ => words.concat(),
    }
}

impl Findings<'_> {
    fn get<R>(&self, experiment: &Experiment, of: impl Fn(&Outcome) -> R) -> Option<R> {
        find(self.outcomes, experiment).map(of)
    }

    fn rate(&self, experiment: &Experiment) -> Estimate {
        self.get(experiment, Outcome::mean).unwrap_or(NOTHING)
    }

    /// How far so many clients lie apart, on average over blocks of so many KiB and more.
    pub(super) fn spread(&self, moves: Moves, clients: u32) -> f64 {
        let of = |block| self.get(&Experiment::of(moves, clients, block), |outcome| outcome.spread().value);
        mean(BLOCKS_KIB.map(|block| of(block).unwrap_or(f64::NAN)))
    }

    /// The same at the block where they lie farthest apart.
    fn worst_spread(&self, moves: Moves, clients: u32) -> f64 {
        let of = |block| self.get(&Experiment::of(moves, clients, block), |outcome| outcome.spread().value);
        largest(BLOCKS_KIB.map(|block| of(block).unwrap_or(f64::NAN)))
    }

    fn together(&self, moves: Moves) -> Judged {
        let worst: Vec<f64> = (2..=MOST_CLIENTS).map(|clients| self.worst_spread(moves, clients)).collect();
        let few = &worst[..FEW_CLIENTS as usize - 1];
        let most = largest(few.iter().copied());
        let figures = format!(
            "at the worst block the fastest is before the slowest by {} for 2 to {MOST_CLIENTS} clients; for up to \
             {FEW_CLIENTS} by at most {}",
            listed(worst.iter().map(|&spread| percent(spread))),
            percent(TOGETHER)
        );
        let what = format!("{}s: the curves of up to three clients lie together", moves.word());
        Judged::at_most(what, figures, (most, TOGETHER), None)
    }

    fn varied(&self, moves: Moves) -> Judged {
        let over =
            |clients: std::ops::RangeInclusive<u32>| mean(clients.map(|clients| self.spread(moves, clients)));
        let (few, many) = (over(2..=FEW_CLIENTS), over(STRESS_FROM..=MOST_CLIENTS));
        let figures = format!(
            "two and three clients lie apart by {} on average over blocks, four to eight by {}: more than as much",
            percent(few),
            percent(many)
        );
        let what = format!("{}s: variations grow from four clients on", moves.word());
        Judged::at_least(what, figures, (many, few), None)
    }

    /// What so many clients get at large blocks, each beside what one gets alone.
    pub(super) fn left(&self, moves: Moves, clients: u32) -> f64 {
        let large = BLOCKS_KIB.into_iter().filter(|&block| block >= LARGE_KIB);
        let of = |block| {
            let of = |clients| self.rate(&Experiment::of(moves, clients, block)).value;
            of(clients) / of(1)
        };
        mean(large.map(of))
    }

    fn stress(&self, moves: Moves) -> Judged {
        let left: Vec<f64> = (1..=MOST_CLIENTS).map(|clients| self.left(moves, clients)).collect();
        let from = (1..).zip(&left).find(|&(_, &left)| left < 1.0 - STRESS).map(|(clients, _)| clients);
        let figures = format!(
            "at blocks of 256 KiB to 2 MiB each of 2 to {MOST_CLIENTS} clients keeps {} of what one has alone; less than \
             {} from {} clients on, in the dissertation from {STRESS_FROM}",
            listed(left.iter().skip(1).map(|&left| percent(left))),
            percent(1.0 - STRESS),
            from.map_or("no number of".to_owned(), |from: u32| from.to_string())
        );
        let what = format!("{}s: stress begins with four clients", moves.word());
        let off = from.map_or(f64::NAN, |from| f64::from(from.abs_diff(STRESS_FROM)));
        let reason = "each server's link carries one client's rate, so that the links are short from the fifth client on";
        Judged::at_most(what, figures, (off, 0.0), Some((1.0, reason)))
    }

    fn large_blocks(&self, moves: Moves) -> Judged {
        let left = |block| {
            let of = |clients| self.rate(&Experiment::of(moves, clients, block)).value;
            of(MOST_CLIENTS) / of(1)
        };
        let (small, large) = (left(BLOCKS_KIB[0]), left(CLUSTER_BLOCK_KIB));
        let figures = format!(
            "each of eight clients keeps {} of one client's rate at blocks of 8 KiB, and {} at 1 MiB, at most {} of that",
            percent(small),
            percent(large),
            percent(1.0 - ERROR_BARS)
        );
        let what = format!("{}s: stress shows at large blocks", moves.word());
        Judged::at_most(what, figures, (large / small, 1.0 - ERROR_BARS), None)
    }

    fn servers(&self, moves: Moves, clients: u32) -> Judged {
        let of = |servers| self.rate(&Experiment::cluster(moves, clients, servers));
        let (one, four) = (of(1), of(SERVERS));
        let times = four.value / one.value;
        let figures = format!(
            "{clients} clients on four servers {} {} MB/s each, on one {}: {times:.1} times, at least 3",
            moves.word(),
            mb(four.value),
            mb(one.value)
        );
        let what = format!("{}s: {clients} clients use four servers", moves.word());
        Judged::at_least(what, figures, (times, 3.0), None)
    }

    fn writes_are_slower(&self) -> Judged {
        let share = |clients: u32, block: u64| {
            let of = |moves| self.rate(&Experiment::of(moves, clients, block)).value;
            of(Moves::Write) / of(Moves::Read)
        };
        let all: Vec<(f64, u32, u64)> = (1..=MOST_CLIENTS)
            .flat_map(|clients| BLOCKS_KIB.map(|block| (share(clients, block), clients, block)))
            .collect();
        // Where a link is full both ways, both are as fast as it is.
        let slower = all.iter().filter(|one| one.0 < 1.005).count();
        let most = all.iter().max_by(|a, b| a.0.total_cmp(&b.0)).copied().unwrap_or((f64::NAN, 0, 0));
        let alone = mean(BLOCKS_KIB.map(|block| share(1, block)));
        let part = slower as f64 / all.len() as f64;
        let figures = format!(
            "one client writes at {} of the rate at which it reads, on average over blocks; of {} points {slower} are no \
             faster than reads, at least nine of ten; the fastest is {} ({} clients, {} KiB)",
            percent(alone),
            all.len(),
            percent(most.0),
            most.1,
            most.2
        );
        Judged::at_least("writes are slower than reads".to_owned(), figures, (part, 0.9), None)
    }

    /// What eight clients' writes lose by a queue in which each piece that waits costs so much, as a part.
    pub(super) fn lost(&self, block: u64, waiting_us: u64) -> Estimate {
        let of = |us| find(self.outcomes, &Experiment::of(Moves::Write, MOST_CLIENTS, block).searched(us));
        of(waiting_us).zip(of(0)).map_or(NOTHING, |(searched, constant)| {
            let kept = searched.over(constant);
            Estimate { value: 1.0 - kept.value, ..kept }
        })
    }

    fn queue(&self) -> Judged {
        let blocks = [QUEUE_BLOCKS_KIB[0], QUEUE_BLOCKS_KIB[QUEUE_BLOCKS_KIB.len() - 1]];
        let [small, large] = blocks.map(|block| self.lost(block, SLOW_SEARCH_US).value);
        let figures = format!(
            "where each piece that waits costs {SLOW_SEARCH_US} µs, eight clients lose {} of their rate with blocks of 8 KiB \
             and {} with 2 MiB, and should lose more with small ones",
            percent(small),
            percent(large)
        );
        let what = "writes: a queue of linear cost slows small blocks more than large ones".to_owned();
        let reason = "servers take pieces faster than their links bring them, so that hardly any wait";
        Judged::at_least(what, figures, (small, large), Some((0.15, reason)))
    }

    fn file(&self, moves: Moves, file: u64, block: u64) -> f64 {
        self.rate(&Experiment::file(moves, file, block)).value
    }

    fn files_read(&self) -> Judged {
        let apart = RECORDS_KIB.iter().flat_map(|&record| {
            let files = FILES_KIB.into_iter().filter(move |&file| file >= record);
            files.map(move |file| {
                let by =
                    self.file(Moves::Read, file, record) / self.file(Moves::Read, LARGE_FILE_KIB, record);
                ((by - 1.0).abs(), by, file, record)
            })
        });
        let most = apart.max_by(|a, b| a.0.total_cmp(&b.0)).unwrap_or((f64::NAN, f64::NAN, 0, 0));
        let words = |kib: u64| Quantity::Bytes.words((kib << 10) as f64);
        let figures = format!(
            "beside files of 64 MiB, those of {} with blocks of {} are farthest off, by {}, at most {}",
            words(most.2),
            words(most.3),
            Quantity::Change.words(most.1),
            percent(ERROR_BARS)
        );
        Judged::at_most("reads: a file's size doesn't matter".to_owned(), figures, (most.0, ERROR_BARS), None)
    }

    /// The rate of a file's writes with the block that is best for it.
    fn best(&self, file: u64) -> f64 {
        let blocks = RECORDS_KIB.into_iter().filter(|&record| record <= file);
        largest(blocks.map(|block| self.file(Moves::Write, file, block)))
    }

    fn small_files_written(&self) -> [Judged; 2] {
        let of = |file| self.file(Moves::Write, file, 64);
        let judged = |what: &str, (small, large): (f64, f64), known| {
            let figures = format!(
                "a file of 64 KiB is written at {} MB/s, one of 64 MiB at {}: {} of it, at most {}",
                mb(small),
                mb(large),
                percent(small / large),
                percent(1.0 - ERROR_BARS)
            );
            Judged::at_most(what.to_owned(), figures, (small / large, 1.0 - ERROR_BARS), known)
        };
        let reason =
            "once its servers have read their bitmaps, what a block costs depends on nothing before it";
        [
            judged(
                "writes: small files are slower, each with its best block",
                (self.best(64), self.best(LARGE_FILE_KIB)),
                None,
            ),
            judged(
                "writes: small files are slower with the same block of 64 KiB",
                (of(64), of(LARGE_FILE_KIB)),
                Some((0.3, reason)),
            ),
        ]
    }

    fn peak(&self) -> Judged {
        let rates = FILES_KIB.map(|file| (file, self.best(file)));
        let large = self.best(LARGE_FILE_KIB);
        let part = self.best(PEAK_KIB) / large;
        let shown = rates.into_iter().filter(|&(file, _)| (64..=LARGE_FILE_KIB).contains(&file));
        let figures = format!(
            "files of 64 KiB to 64 MiB are written at {} MB/s, each with its best block; that is {} at 2 MiB, at least {}",
            listed(shown.map(|(_, rate)| mb(rate))),
            percent(part),
            percent(1.0 - ERROR_BARS / 2.0)
        );
        let what = "writes: from files of 2 MiB on the rate is at its peak".to_owned();
        Judged::at_least(what, figures, (part, 1.0 - ERROR_BARS / 2.0), None)
    }

    /// How a rate falls where files that are read again reach the servers' memory: the least behind it of the first before it, how far
    /// those before it lie apart, and all of it in words.
    fn cliff(&self, of: impl Fn(f64) -> Experiment, clients: u32) -> (f64, f64, String) {
        let rates = OF_MEMORY.map(|part| self.rate(&of(part)).value);
        let shown = listed(rates.iter().map(|&rate| mb(rate * f64::from(clients))));
        let parts = listed(OF_MEMORY.iter().map(|part| format!("{part}")));
        let behind = OF_MEMORY.iter().zip(&rates).filter(|pair| *pair.0 >= 1.0).map(|pair| pair.1 / rates[0]);
        // What is no number stays none.
        let least = -largest_of(behind.map(|part| -part));
        let words = format!(
            "files of {parts} times the servers' memory are read again at {shown} MB/s: {} of the rate at the least, at most {}",
            percent(least),
            percent(CLIFF)
        );
        (least, (rates[1] / rates[0] - 1.0).abs(), words)
    }

    /// "The I/O performance drops sharply when the file size reaches the physical memory capacity of the machine" (3.3.3).
    fn memory(&self) -> [Judged; 4] {
        let (many, flat, words) =
            self.cliff(|part| Experiment::beyond_memory(MOST_CLIENTS, part), MOST_CLIENTS);
        let (one, _, alone) = self.cliff(|part| Experiment::beyond_memory(1, part), 1);
        let on_one = |part| Experiment::beyond_memory(MOST_CLIENTS, part).on_one_drive();
        let (single, _, singly) = self.cliff(on_one, MOST_CLIENTS);
        let sharply = |what: &str, (words, left): (String, f64), known| {
            let what = format!("{what} drops sharply where files reach the servers' memory");
            Judged::at_most(what, words, (left, CLIFF), known)
        };
        [
            sharply("reads: eight clients' rate", (words, many), Some((0.6, STREAMS))),
            sharply("reads: one client's rate", (alone, one), Some((0.55, STREAMS))),
            sharply(
                "what if each server had one drive: eight clients' rate",
                (singly, single),
                Some((0.25, ONE_DRIVE)),
            ),
            Judged::at_most(
                "reads: eight clients' rate is the same below the servers' memory".to_owned(),
                format!("{} apart, at most {}", percent(flat), percent(ERROR_BARS)),
                (flat, ERROR_BARS),
                None,
            ),
        ]
    }

    fn blocks(&self, moves: Moves) -> Judged {
        let of = |block| self.file(moves, LARGE_FILE_KIB, block);
        let times = of(1_024) / of(4);
        let figures = format!(
            "a file of 64 MiB has {} MB/s with blocks of 1 MiB, and {} with 4 KiB: {times:.1} times, at least 2",
            mb(of(1_024)),
            mb(of(4))
        );
        let what = format!("{}s of large files depend on the size of blocks", moves.word());
        Judged::at_least(what, figures, (times, 2.0), None)
    }
}
