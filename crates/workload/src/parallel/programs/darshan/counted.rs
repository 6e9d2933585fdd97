//! A parallel program out of what Darshan counted of it.
//!
//! What was counted is kept exactly: of each file and process opens, stats, reads, writes and syncs, bytes, how many of each range of
//! sizes, how many in sequence and right behind each other, and how often reading and writing took turns. Everything else is a guess:
//!
//! - **which of the processes** accessed a file that was counted for all together. As many take part as can have done so: not more than
//!   opened it or than there are accesses that don't follow another, and, where the variance of their bytes is known, as many as would
//!   have it if each moved as much. They lie evenly among all.
//! - **where accesses lie** ([`super::places`]), and in which order their sizes come ([`super::sizes`]);
//! - **when**: evenly between the first and the last of a kind, each as long as the mean; what is left between them is computing (or
//!   thinking), as of what was traced.
//!
//! What MPI-IO did to a file it did by POSIX calls, which are counted themselves: its own calls are played only of files of which no
//! POSIX call moved anything. Left out, and told by [`counted_job`]: terminals and pipes, mmap and rename, seeks (which cost nothing),
//! flushes of stdio's buffers (each call of stdio's is played as one of the system's).

use super::super::{Planned, Start, refuse};
use super::places::{Accesses, Extent, FILE_BYTES_MAX, MILLION, Move, Moves};
use super::rank::{CountedRank, Track, When};
use super::sizes::{Sized, sizes};
use super::{DarshanParameters, Gaps};
use crate::parallel::act::Direction;
use crate::parallel::all_acts::AnyActs;
use crate::parallel::files::ProgramFile;
use crate::program::ProgramError;
use petrio_bounds::Headroom;
use petrio_colours::Operation;
use petrio_files::inputs::Inputs;
use petrio_trace::TraceError;
use petrio_trace::darshan::{
    DarshanCounters, DarshanFile, FileCounters, Interface, Span, Transfers, read_in,
};
use petrio_units::numbers::{as_index, as_number, in_proportion, whole_part};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

/// What is known of a job before it is planned.
#[derive(Clone, Debug, PartialEq)]
pub struct CountedJob {
    /// Its ranks.
    pub ranks: u32,
    /// Its command line.
    pub command: String,
    /// How long it ran, in seconds.
    pub run_time_s: f64,
    /// Files of which something was counted.
    pub files: u64,
    /// Bytes read and written.
    pub bytes: (u64, u64),
    /// What of it isn't played, or less exactly.
    pub remarks: Vec<String>,
}

/// A job of which Darshan counted and traced nothing; `None` of any other file.
///
/// # Errors
/// A file that can't be opened, or a log that can't be read.
pub fn counted_job(inputs: &Inputs, file: &Path) -> Result<Option<CountedJob>, ProgramError> {
    let DarshanFile::Counters(counters) = read_in(inputs, file)? else { return Ok(None) };
    let played = played(&counters);
    let sum = |of: fn(&FileCounters) -> u64| played.iter().map(|file| of(file)).fold(0, u64::saturating_add);
    let files: BTreeSet<u64> = played.iter().map(|file| file.file).collect();
    Ok(Some(CountedJob {
        ranks: ranks(&counters)?,
        command: counters.command.clone(),
        run_time_s: counters.run_time_s,
        files: files.len() as u64,
        bytes: (sum(|file| file.read.bytes), sum(|file| file.write.bytes)),
        remarks: remarks(&counters, &played),
    }))
}

fn ranks(counters: &DarshanCounters) -> Result<u32, ProgramError> {
    match u32::try_from(counters.processes) {
        Ok(0) => refuse("file", "its job has no processes"),
        Ok(ranks) => Ok(ranks),
        Err(_) => refuse("file", format!("its job has {} processes", counters.processes)),
    }
}

/// The records that are played.
pub(super) fn played(counters: &DarshanCounters) -> Vec<&FileCounters> {
    let moves = |file: &FileCounters| file.read.operations > 0 || file.write.operations > 0;
    let is_posix = |file: &&FileCounters| file.interface == Interface::Posix && moves(file);
    let by_posix: BTreeSet<u64> = counters.files.iter().filter(is_posix).map(|file| file.file).collect();
    let is_played = |file: &&FileCounters| {
        let below = file.interface == Interface::MpiIo && (by_posix.contains(&file.file) || !moves(file));
        file.is_file() && !below
    };
    counters.files.iter().filter(is_played).collect()
}

fn remarks(counters: &DarshanCounters, played: &[&FileCounters]) -> Vec<String> {
    let mut all = vec![
        "Darshan counted and traced nothing: what each rank does, where and when is a guess that is counted alike".to_owned(),
    ];
    let mut tell = |count: u64, what: &str| {
        if count > 0 {
            all.push(format!("{count} {what}"));
        }
    };
    let of_all = |of: fn(&FileCounters) -> u64| counters.files.iter().map(of).fold(0, u64::saturating_add);
    let terminals = counters.files.iter().filter(|file| !file.is_file()).count();
    tell(terminals as u64, "records of standard input, output and errors aren't played");
    tell(of_all(|file| file.others), "calls of mmap and rename aren't played");
    let by_mpi = played.iter().filter(|file| file.interface == Interface::MpiIo).count();
    tell(
        by_mpi as u64,
        "records of MPI-IO without POSIX calls below are played as reads and writes of each rank's own",
    );
    let stdio = played.iter().filter(|file| file.interface == Interface::Stdio).count();
    tell(stdio as u64, "records are of stdio, whose buffer is left out: each call is one of the system's");
    for interface in &counters.incomplete {
        let name = interface.name();
        all.push(format!(
            "Darshan had no room for all of {name}'s files: the log says that it is incomplete"
        ));
    }
    all
}

/// What one rank does to a file.
struct Share {
    /// The accesses that read and those that write.
    accesses: [Option<Accesses>; 2],
    tracks: Vec<Track>,
}

/// A program that is counted as Darshan counted.
pub(super) struct CountedPlan {
    gaps: Gaps,
    time_scale: f64,
    /// Of each file, its length before the run; `None` where its one writer makes it.
    sizes: Vec<Option<u64>>,
    /// Of each rank, what it does.
    tracks: Vec<Vec<Track>>,
}

pub(super) fn plan(
    parameters: &DarshanParameters,
    counters: &DarshanCounters,
    there: u32,
) -> Result<CountedPlan, ProgramError> {
    let ranks = ranks(counters)?;
    if there < ranks {
        return refuse("ranks", format!("the log is of a job of {ranks} ranks"));
    }
    let mut tracks: Vec<Vec<Track>> = (0..there).map(|_| Vec::new()).collect();
    let mut numbers: BTreeMap<u64, u32> = BTreeMap::new();
    let mut files: Vec<Before> = Vec::new();
    let mut headroom = Headroom::default();
    for record in played(counters) {
        let moved = [&record.read, &record.write];
        if moved.into_iter().any(|moved| moved.bytes > FILE_BYTES_MAX || moved.end > Some(FILE_BYTES_MAX)) {
            return refuse("file", "it counts more bytes of a file than the 8 EiB that a file can have");
        }
        let next = as_number(files.len());
        let number = *numbers.entry(record.file).or_insert(next);
        if number == next {
            files.push(Before::default());
        }
        let files_before = number.into();
        let before = &mut files[number as usize];
        for (rank, share) in shares(record, number, ranks) {
            let held = |cause| TraceError::TooMuch { events: files_before, cause };
            headroom.record().map_err(held)?;
            before.note(record, rank, &share);
            if let Some(tracks) = tracks.get_mut(rank as usize) {
                tracks.extend(share.tracks);
            }
        }
    }
    Ok(CountedPlan {
        gaps: parameters.gaps,
        time_scale: parameters.time_scale,
        sizes: files.iter().map(Before::size).collect(),
        tracks,
    })
}

/// What a file was before the job.
#[derive(Default)]
struct Before {
    ranks: BTreeSet<u32>,
    read_to: u64,
    written_to: u64,
    is_opened: bool,
    first_read: Option<f64>,
    last_written: Option<f64>,
}

impl Before {
    fn note(&mut self, record: &FileCounters, rank: u32, share: &Share) {
        // Two tell as much as all.
        if self.ranks.len() < 2 {
            self.ranks.insert(rank);
        }
        self.is_opened |= record.opens > 0;
        let end = |at: usize| share.accesses[at].clone().map_or(0, Accesses::end);
        self.read_to = self.read_to.max(end(0));
        // Of what more than one writes nobody asks.
        if self.ranks.len() < 2 {
            self.written_to = self.written_to.max(end(1));
        }
        if let Some(span) = record.read.span {
            self.first_read = Some(self.first_read.map_or(span.from, |known| known.min(span.from)));
        }
        if let Some(span) = record.write.span {
            self.last_written = Some(self.last_written.map_or(span.to, |known| known.max(span.to)));
        }
    }

    /// What is read before it is written was there, and what more than one opens has to be there for the first one.
    fn size(&self) -> Option<u64> {
        let is_ones = self.ranks.len() < 2 && self.is_opened;
        let after = match (self.first_read, self.last_written) {
            (Some(read), Some(written)) => read >= written,
            (first_read, _) => first_read.is_none(),
        };
        match is_ones
            && self.written_to > 0
            && self.read_to <= self.written_to
            && (self.read_to == 0 || after)
        {
            true => None,
            false => Some(self.read_to),
        }
    }
}

/// Evenly among so many: the one with this number has this many.
fn part(amount: u64, number: u64, of: u64) -> u64 {
    amount / of + u64::from(number < amount % of)
}

/// The ranks that take part in a record, and what each does.
fn shares(record: &FileCounters, file: u32, ranks: u32) -> Vec<(u32, Share)> {
    let openers: Vec<u32> = match record.rank {
        Some(rank) => vec![u32::try_from(rank).unwrap_or(u32::MAX)],
        None => {
            let opening = if record.opens == 0 { ranks.into() } else { record.opens.min(ranks.into()) };
            (0..opening).map(|number| as_number(in_proportion(number, ranks.into(), opening))).collect()
        }
    };
    let all = openers.len() as u64;
    let [read_sizes, written_sizes] = sizes(record);
    let read = divided(record, &record.read, &read_sizes, (ranks, all));
    let write = divided(record, &record.write, &written_sizes, (ranks, all));
    let taking_part = read.len().max(write.len()).max(1) as u64;
    let switches = record.switches.map(|switches| turns(switches, &read, &write));
    let mut both = [read, write].map(|accesses| accesses.into_iter().map(Some).collect::<Vec<_>>());
    // Those who move data lie evenly among those who opened.
    let mover = |opener: u64| {
        let number = (opener * taking_part).div_ceil(all);
        (number < taking_part && number * all / taking_part == opener).then_some(number)
    };
    let mut shares = Vec::with_capacity(openers.len());
    for (opener, &rank) in (0..).zip(&openers) {
        let mover = mover(opener);
        let accesses = both.each_mut().map(|accesses| {
            let at = usize::try_from(mover?).ok()?;
            accesses.get_mut(at)?.take()
        });
        let moving = (mover.unwrap_or(0), taking_part);
        let turns = switches.as_ref().map(|turns| turns.get(as_index(moving.0)).copied().unwrap_or_default());
        let tracks = tracks(record, file, (opener, all), (mover.map(|_| moving), turns), &accesses);
        shares.push((rank, Share { accesses, tracks }));
    }
    shares
}

/// How often each process goes from reading to writing or back: each that does both at least once, and no more often than it can.
fn turns(switches: u64, read: &[Accesses], write: &[Accesses]) -> Vec<u64> {
    let room = |(read, write): (&Accesses, &Accesses)| {
        let (read, write) = (read.all(), write.all());
        (read.min(write).saturating_mul(2)).saturating_sub(u64::from(read == write))
    };
    let room: Vec<u64> = read.iter().zip(write).map(room).collect();
    let more = |room: &u64| u128::from(room.saturating_sub(1));
    let all: u128 = room.iter().map(more).sum();
    let left = u128::from(switches.saturating_sub(room.len() as u64)).min(all);
    let (mut before, mut given) = (0, 0);
    let each = room.iter().map(|room| {
        before += more(room);
        let until = (left * before).checked_div(all).unwrap_or_default();
        // Not more than there is room for, which has 64 bits.
        let turns = 1 + u64::try_from(until - given).unwrap_or(u64::MAX);
        given = until;
        turns
    });
    each.collect()
}

/// How many processes take part in moving data in one direction.
fn movers(record: &FileCounters, moved: &Transfers, (ranks, openers): (u32, u64)) -> u64 {
    let mut most = openers.min(moved.operations);
    if record.rank.is_some() || most == 0 {
        return most;
    }
    // The first access of each doesn't follow another right behind, but at the file's second byte.
    if let Some(consecutive) = moved.consecutive {
        most = most.min(moved.operations.saturating_sub(consecutive).max(1));
    }
    // Of n processes k moved b/k each: the variance is (b/n)^2 (n/k - 1).
    let mean = (record.read.bytes as f64 + record.write.bytes as f64) / f64::from(ranks);
    if let Some(variance) = record.bytes_variance.filter(|_| mean > 0.0) {
        let alike = f64::from(ranks) / (1.0 + variance / (mean * mean));
        // Between one and the ranks.
        most = most.min(whole_part(libm::round(alike).max(1.0)));
    }
    most
}

/// The accesses in one direction, each process's own.
fn divided(
    record: &FileCounters,
    moved: &Transfers,
    sizes: &[Sized],
    (ranks, openers): (u32, u64),
) -> Vec<Accesses> {
    let movers = movers(record, moved, (ranks, openers));
    if movers == 0 {
        return Vec::new();
    }
    // Sizes in turn to all of them, so that each has as many, but for one.
    let mut dealt = 0_u64;
    let mut own: Vec<Vec<Sized>> = (0..movers).map(|_| Vec::new()).collect();
    for sized in sizes {
        for (number, own) in (0..).zip(&mut own) {
            let count = part(sized.count, (number + movers - dealt % movers) % movers, movers);
            if count > 0 {
                own.push(Sized { count, ..*sized });
            }
        }
        dealt = dealt.wrapping_add(sized.count);
    }
    let accesses: Vec<u64> = own.iter().map(|own| own.iter().map(|sized| sized.count).sum()).collect();
    let sequential = moved.sequential.unwrap_or(moved.operations - 1).min(moved.operations);
    let consecutive = moved.consecutive.unwrap_or(moved.operations - movers).min(sequential);
    let moves =
        Moves { on: consecutive, gaps: sequential - consecutive, back: moved.operations - sequential };
    let end = moved.end.unwrap_or(moved.bytes);
    let moves = moves.divided(&accesses);
    let (extent, interleaved) = extent(record, &moves, end);
    let mean = moved.bytes / moved.operations;
    let apart = match interleaved {
        // Each begins behind the first access of the one before.
        Some(stride) if mean.saturating_mul(movers) <= stride.saturating_add(mean) => {
            stride.saturating_add(mean) / movers
        }
        // Each has a part of the file.
        _ => end / movers,
    };
    let each = (0..).zip(own).zip(moves).map(|((number, own), moves)| {
        let bytes =
            own.iter().fold(0, |sum: u64, one| sum.saturating_add(one.bytes.saturating_mul(one.count)));
        let base = apart.saturating_mul(number).min(end.saturating_sub(bytes));
        Accesses::new(Arc::clone(&extent), own, moves, base)
    });
    each.collect()
}

/// Where accesses may lie, and how long most gaps are, if one length is that of most. Before the first access of each there is no gap.
fn extent(record: &FileCounters, moves: &[(Move, Moves)], end: u64) -> (Arc<Extent>, Option<u64>) {
    let of_all =
        |of: fn(&Moves) -> u64| moves.iter().map(|(_, moves)| of(moves)).fold(0, u64::saturating_add);
    let (gaps, on) = (of_all(|moves| moves.gaps), of_all(|moves| moves.on));
    let counted: u64 =
        record.common_strides.iter().fold(0, |sum: u64, (_, count)| sum.saturating_add(*count));
    let all = counted.max(gaps).max(1);
    let mut until = 0_u64;
    let strides = record.common_strides.iter().map(|&(stride, count)| {
        until = until.saturating_add(count);
        // Not more than all.
        (stride, in_proportion(until, MILLION, all))
    });
    let extent = Extent { end, strides: strides.collect() };
    let usual = record.common_strides.iter().max_by_key(|(_, count)| *count);
    let usual = usual.filter(|(_, count)| count.saturating_mul(2) >= gaps).map(|(stride, _)| *stride);
    (Arc::new(extent), usual.filter(|_| gaps >= on))
}

/// What a rank does to a file: each sort of call evenly in its time.
fn tracks(
    record: &FileCounters,
    file: u32,
    (opener, openers): (u64, u64),
    (mover, switches): (Option<(u64, u64)>, Option<u64>),
    accesses: &[Option<Accesses>; 2],
) -> Vec<Track> {
    let spans = [record.open, record.read.span, record.write.span, record.close];
    let known = spans.into_iter().flatten();
    let begin = known.clone().map(|span| span.from).fold(f64::INFINITY, f64::min);
    let begin = if begin.is_finite() { begin } else { 0.0 };
    let end = known.map(|span| span.to).fold(begin, f64::max);
    let of = |from: f64, to: f64| Span { from, to: to.max(from) };
    let opened = record.open.unwrap_or(of(begin, begin));
    let calls = (record.opens.saturating_mul(2).saturating_add(record.stats)).max(1);
    let each_s = record.metadata_s / calls as f64;
    let mut all = Vec::new();
    let mut some = |operation: Operation, count: u64, span: Span, each_s: f64| {
        if count > 0 {
            all.push(Track::calls(operation, file, count, When::new(span, count, each_s)));
        }
    };
    let opens = part(record.opens, opener, openers);
    some(Operation::Open, opens, opened, each_s);
    some(Operation::Stat, part(record.stats, opener, openers), opened, each_s);
    // Syncs are among what Darshan takes for the time of writes.
    let writing = record.write.span.unwrap_or(of(opened.from, end));
    let (number, of_all) = mover.unwrap_or((0, 0));
    if of_all > 0 {
        let late = of(writing.from + (writing.to - writing.from) / 2.0, writing.to);
        some(Operation::Fsync, part(record.syncs, number, of_all), late, 0.0);
        some(Operation::Fdatasync, part(record.data_syncs, number, of_all), late, 0.0);
    }
    let closed = record.close.map_or(of(end, end), |span| of(span.from.max(opened.to), span.to));
    some(Operation::Close, opens, closed, each_s);
    let when = |moved: &Transfers, accesses: &Accesses| {
        let each = moved.busy_s / moved.operations.max(1) as f64;
        When::new(moved.span.unwrap_or(of(opened.from, end)), accesses.all(), each)
    };
    let sides = [(Direction::Read, &record.read), (Direction::Write, &record.write)];
    let sides = sides.into_iter().zip(accesses).filter_map(|((direction, moved), accesses)| {
        accesses.as_ref().map(|accesses| (direction, accesses.clone(), when(moved, accesses)))
    });
    all.extend(Track::accesses(file, sides.collect(), switches));
    all
}

impl Planned for CountedPlan {
    fn files(&self) -> u64 {
        self.sizes.len() as u64
    }

    fn each_file(
        &self,
        tell: &mut dyn FnMut(ProgramFile) -> Result<(), ProgramError>,
    ) -> Result<(), ProgramError> {
        for (number, &size) in (0..).zip(&self.sizes) {
            tell(ProgramFile { size, ..ProgramFile::new(number, format!("{number}")) })?;
        }
        Ok(())
    }

    fn acts(self: Arc<Self>, start: &Start) -> Result<AnyActs, ProgramError> {
        let scale = match self.gaps {
            Gaps::Compute => self.time_scale * start.compute_scale,
            Gaps::Think => self.time_scale,
        };
        let tracks = self.tracks[start.member.rank as usize].clone();
        let made =
            tracks.iter().map(Track::file).filter(|file| self.sizes[*file as usize].is_none()).collect();
        Ok(CountedRank::new(tracks, made, start.file(0), (self.gaps, scale)).into())
    }
}
