//! The trace: bursts begin sessions, sessions make events, in order of time.

use super::parameters::{FileLives, FileLivesError, Location, Sizes};
use petrio_random::{Generator, generator, uniform};
use petrio_time::Time;
use petrio_trace::TraceError;
use petrio_trace::event::{Event, EventKind, Extent, FileKey};
use petrio_units::numbers::{as_index, as_number, whole_part};
use smallvec::smallvec;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, VecDeque};

/// A call moves a block of the file system of 1990.
const CALL_BYTES: u64 = 8 << 10;

/// The service time that reads and writes have in the trace: only think times matter, which are added to it.
const READ_TIME: Time = Time::from_millis(25);
const WRITE_TIME: Time = Time::from_millis(1);

/// Files written of late among which one is chosen by size.
const CANDIDATES: usize = 8;

/// Files written of late that are remembered for being read.
const REMEMBERED: usize = 4_096;

/// A file.
#[derive(Clone, Copy, Debug)]
struct File {
    key: FileKey,
    /// First device block.
    address: u64,
    size: u64,
}

/// Something that is going on.
#[derive(Clone, Copy, Debug)]
enum Doing {
    /// The next burst begins.
    Burst,
    /// A file of a burst is taken up; so many follow. `reads` is the part of them that is read.
    Begin { left: u32, reads: f64 },
    /// A file is read, from this byte on.
    Read { file: File, at: u64 },
    /// A file is written, from this byte on.
    Write { file: File, at: u64, is_new: bool, is_large: bool },
    /// A file is deleted.
    Delete { file: File },
}

/// The events of a made-up trace, in order of time. Memory grows with the files that are there.
pub struct FileLifeEvents {
    lives: FileLives,
    random: Generator,
    end: Time,
    /// What is going on, by when it goes on; the earlier begun goes first.
    going_on: BinaryHeap<Reverse<(Time, u64)>>,
    doing: BTreeMap<u64, Doing>,
    begun: u64,
    old: Vec<File>,
    /// Cumulative popularity of `old`.
    popularity: Vec<f64>,
    /// Files that were written, with when.
    written: VecDeque<(Time, File)>,
    /// Of which files a life has ended.
    next_inode: u64,
    ready: VecDeque<Event>,
}

impl FileLives {
    /// The trace of a seed: events in order of time.
    ///
    /// # Errors
    /// A parameter that makes no sense.
    pub fn events(&self, seed: u64) -> Result<FileLifeEvents, FileLivesError> {
        self.check()?;
        let mut events = FileLifeEvents {
            random: generator(seed, 0, "file lives", "all"),
            end: self.duration.time(),
            lives: self.clone(),
            going_on: BinaryHeap::new(),
            doing: BTreeMap::new(),
            begun: 0,
            old: Vec::new(),
            popularity: Vec::new(),
            written: VecDeque::new(),
            next_inode: 2,
            ready: VecDeque::new(),
        };
        let mut sum = 0.0;
        for rank in 1..=self.reading.files {
            let file = events.new_file(&self.reading.sizes, &self.reading.place);
            events.old.push(file);
            sum += libm::pow(f64::from(rank), -self.reading.zipf);
            events.popularity.push(sum);
        }
        let first = events.exponential(self.burst_interval.time());
        events.later(first, Doing::Burst);
        Ok(events)
    }
}

impl FileLifeEvents {
    fn exponential(&mut self, mean: Time) -> Time {
        Time::from_seconds(-mean.as_seconds() * libm::log(1.0 - uniform(&mut self.random)))
    }

    /// Standard normal (Box and Muller).
    fn normal(&mut self) -> f64 {
        let (radius, angle) = (uniform(&mut self.random), uniform(&mut self.random));
        libm::sqrt(-2.0 * libm::log(1.0 - radius)) * libm::cos(2.0 * core::f64::consts::PI * angle)
    }

    fn size(&mut self, sizes: &Sizes) -> u64 {
        let size = sizes.median.get() as f64 * libm::exp(sizes.spread * self.normal());
        whole_part(size).clamp(1, sizes.largest.get())
    }

    fn new_file(&mut self, sizes: &Sizes, place: &Location) -> File {
        let size = self.size(sizes);
        let sectors = CALL_BYTES / 512;
        let needs = size.div_ceil(CALL_BYTES) * sectors;
        let device = self.lives.device.get();
        let wanted = place.middle.get() + place.spread.get() * self.normal();
        let address = whole_part(wanted.clamp(0.0, 1.0) * device as f64);
        let address = address.min(device.saturating_sub(needs)) / sectors * sectors;
        self.next_inode += 1;
        let key = FileKey { device: 1, inode: self.next_inode, generation: 0 };
        File { key, address, size }
    }

    fn later(&mut self, at: Time, doing: Doing) {
        self.begun += 1;
        self.doing.insert(self.begun, doing);
        self.going_on.push(Reverse((at, self.begun)));
    }

    fn chance(&mut self, part: f64) -> bool {
        uniform(&mut self.random) < part
    }

    fn go_on(&mut self, now: Time, doing: Doing) {
        match doing {
            Doing::Burst => {
                if now < self.end {
                    let next = now + self.exponential(self.lives.burst_interval.time());
                    self.later(next, Doing::Burst);
                }
                // Geometric from 1, with the mean that is asked for.
                let more = 1.0 - 1.0 / self.lives.burst_files;
                let mut left = 0;
                while self.chance(more) && left < 100_000 {
                    left += 1;
                }
                let mut reads = self.lives.reads.get();
                if !self.chance(self.lives.mixed.get()) {
                    reads = if self.chance(reads) { 1.0 } else { 0.0 };
                }
                self.begin(now, left, reads);
            }
            Doing::Begin { left, reads } => self.begin(now, left, reads),
            Doing::Read { file, at } => self.read(now, file, at),
            Doing::Write { file, at, is_new, is_large } => self.write(now, file, at, (is_new, is_large)),
            Doing::Delete { file } => {
                let size = Some(file.size);
                self.written.retain(|(_, other)| other.key != file.key);
                self.ready.push_back(Event { file: file.key, size, ..Event::new(now, EventKind::Unlink) });
            }
        }
    }

    fn begin(&mut self, now: Time, left: u32, reads: f64) {
        if left > 0 {
            let next = now + self.exponential(self.lives.burst_gap.time());
            self.later(next, Doing::Begin { left: left - 1, reads });
        }
        if self.chance(reads) {
            let file = self.chosen_for_reading(now);
            self.later(now, Doing::Read { file, at: 0 });
            return;
        }
        let (over, large) = (self.lives.writing.over.get(), self.lives.writing.large.get());
        let again = if self.chance(over) { self.some_written() } else { None };
        if let Some(file) = again {
            self.later(now, Doing::Write { file, at: 0, is_new: false, is_large: false });
            return;
        }
        let is_large = self.chance(large);
        let writing = &self.lives.writing;
        let sizes = if is_large { writing.large_sizes.clone() } else { writing.sizes.clone() };
        let place = writing.place.clone();
        let file = self.new_file(&sizes, &place);
        self.ready.push_back(Event {
            file: file.key,
            size: Some(0),
            service: Some(Time::ZERO),
            ..Event::new(now, EventKind::Create)
        });
        self.later(now, Doing::Write { file, at: 0, is_new: true, is_large });
    }

    fn some_written(&mut self) -> Option<File> {
        let draw = uniform(&mut self.random);
        self.written.get(as_index(whole_part(draw * self.written.len() as f64))).map(|(_, file)| *file)
    }

    /// The file of a block that was written of late: of some that were, one with a chance by its size.
    fn written_of_late(&mut self, now: Time) -> Option<File> {
        let mut some = [None; CANDIDATES];
        for candidate in &mut some {
            let lag = self.exponential(self.lives.reading.lag.time());
            let then = now.saturating_sub(lag);
            let after = self.written.partition_point(|(when, _)| *when < then);
            let found = self.written.get(after).or_else(|| self.written.back());
            *candidate = found.map(|(_, file)| *file);
        }
        let bytes: u64 = some.iter().flatten().map(|file| file.size).sum();
        let mut draw = uniform(&mut self.random) * bytes as f64;
        some.into_iter().flatten().find(|file| {
            draw -= file.size as f64;
            draw < 0.0
        })
    }

    fn chosen_for_reading(&mut self, now: Time) -> File {
        if self.chance(self.lives.reading.of_late.get())
            && let Some(file) = self.written_of_late(now)
        {
            return file;
        }
        let draw = uniform(&mut self.random) * self.popularity.last().copied().unwrap_or_default();
        let index = self.popularity.partition_point(|sum| *sum <= draw).min(self.old.len() - 1);
        self.old[index]
    }

    fn read(&mut self, now: Time, file: File, at: u64) {
        let length = CALL_BYTES.min(file.size - at);
        self.ready.push_back(Event {
            hit: Some(false),
            service: Some(READ_TIME),
            ..transfer(now, EventKind::Read, file, at, length)
        });
        if at + length < file.size {
            let next = now + READ_TIME + self.exponential(self.lives.reading.think.time());
            self.later(next, Doing::Read { file, at: at + length });
        }
    }

    fn write(&mut self, now: Time, file: File, at: u64, (is_new, is_large): (bool, bool)) {
        let length = CALL_BYTES.min(file.size - at);
        self.ready.push_back(Event {
            service: Some(WRITE_TIME),
            ..transfer(now, EventKind::Write, file, at, length)
        });
        if at + length < file.size {
            let next = now + WRITE_TIME + self.exponential(self.lives.writing.think.time());
            self.later(next, Doing::Write { file, at: at + length, is_new, is_large });
            return;
        }
        let followers = self.lives.writing.followers;
        let some = if is_large { whole_part(followers + uniform(&mut self.random)) } else { 0 };
        for _ in 0..some {
            let then = now + self.exponential(self.lives.writing.follow_after.time());
            self.later(then, Doing::Read { file, at: 0 });
        }
        if is_new {
            self.written.push_back((now, file));
            if self.written.len() > REMEMBERED {
                self.written.pop_front();
            }
            if self.chance(self.lives.writing.deleted.get()) {
                let writing = &self.lives.writing;
                let (median, spread) = (writing.life_median.as_seconds(), writing.life_spread);
                let life = median * libm::exp(spread * self.normal());
                let at = now.saturating_add(Time::from_seconds(life));
                if at < self.end {
                    self.later(at, Doing::Delete { file });
                }
            }
        }
    }
}

fn transfer(now: Time, kind: EventKind, file: File, at: u64, length: u64) -> Event {
    let extent = Extent {
        device: file.key.device,
        address: file.address + at / 512,
        // Whole fragments of 1 KiB.
        blocks: as_number(length.div_ceil(1024) * 2),
        hit: false,
    };
    Event { file: file.key, offset: Some(at), length, extents: smallvec![extent], ..Event::new(now, kind) }
}

impl Iterator for FileLifeEvents {
    type Item = Result<Event, TraceError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(event) = self.ready.pop_front() {
                return Some(Ok(event));
            }
            let Reverse((now, number)) = self.going_on.pop()?;
            if let Some(doing) = self.doing.remove(&number) {
                self.go_on(now, doing);
            }
        }
    }
}
