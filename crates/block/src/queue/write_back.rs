//! Write-back throttling: so many writes of the page cache are let into a queue that reads keep a latency.
//!
//! Source: block/blk-wbt.c and block/blk-rq-qos.c of Linux 6.18 (since 4.10). Writes that nobody waits for have a quarter
//! or half of a depth, the whole where a process was held back by dirty pages lately or somebody waits for them (fsync);
//! reads, direct writes and a journal's are never held. The depth begins with 16, or with what the device takes. At the
//! end of each window of 100 ms it is halved if even the fastest read of it took longer than the latency that is aimed
//! at, or one has been in the device for too long; and doubled if it didn't, or if only writes came. Windows become
//! shorter while the depth is small.
//!
//! Who finds no room sleeps in submit_bio, with one request; what else a thread has to write comes after that one. So threads wait in
//! line, not requests (`Line`): whoever is woken sends on as long as there is room, and then lies down behind the others. A thread that
//! syncs one page beside a flusher with a hundred requests waits for one of them.
//!
//! A window is looked at with the first thing that happens after its end, as it was at that end. Leaves out discards,
//! and memory that is being freed (kswapd), which has a count of its own.

use crate::elevator::is_write_back;
use petrio_colours::{BlockRequest, Direction, Hint};
use petrio_kernel::{Key, Time};
use petrio_persist::Persist;
use smallvec::SmallVec;
use std::collections::VecDeque;

/// The depth at first (RWB_DEF_DEPTH).
const DEPTH: u32 = 16;
/// A window (RWB_WINDOW_NSEC).
const WINDOW: Time = Time::from_millis(100);
/// Fewer writes than this in a window don't tell that it is writes that make reads slow (RWB_MIN_WRITE_SAMPLES).
const LEAST_WRITES: u64 = 3;
/// After so many windows that tell nothing the depth goes back towards its beginning (RWB_UNKNOWN_BUMP).
const UNKNOWN: u32 = 5;
/// A read so lately keeps write-back small (close_io; HZ/10).
const CLOSE: Time = Time::from_millis(100);

/// What a window tells (latency_exceeded).
enum WindowVerdict {
    Well,
    Exceeded,
    OnlyWrites,
    Nothing,
}

/// A write that is held, as far as it matters how long.
#[derive(Clone, Copy, Debug, Persist)]
pub(super) struct Held {
    thread: Key,
    synchronous: bool,
    hint: Hint,
}

impl Held {
    /// What matters of a request.
    pub(super) fn of(request: &BlockRequest) -> Self {
        Self { thread: thread(request), synchronous: request.synchronous, hint: request.hint }
    }
}

/// The thread that sends a request: a process, or a daemon of the kernel.
pub(super) fn thread(request: &BlockRequest) -> Key {
    Key::from(request.process)
}

/// Threads that sleep, with what each has to write, the first of which it is about to send (`rq_qos_wait`).
#[derive(Clone, Debug, Default, Persist)]
struct Line {
    threads: VecDeque<(Key, VecDeque<Held>)>,
}

impl Line {
    fn is_empty(&self) -> bool {
        self.threads.is_empty()
    }

    fn push(&mut self, held: Held) {
        match self.threads.iter_mut().find(|(thread, _)| *thread == held.thread) {
            Some((_, all)) => all.push_back(held),
            None => self.threads.push_back((held.thread, VecDeque::from([held]))),
        }
    }

    /// What the first of the threads is about to send.
    fn first(&self) -> Option<Held> {
        self.threads.front().and_then(|(_, all)| all.front().copied())
    }

    /// The first thread has sent it: with the next one it comes behind the others.
    fn pop(&mut self) {
        let Some((thread, mut all)) = self.threads.pop_front() else { return };
        all.pop_front();
        if !all.is_empty() {
            self.threads.push_back((thread, all));
        }
    }
}

/// The throttle of a queue.
#[derive(Clone, Debug, Persist)]
pub(super) struct WriteBack {
    latency: Time,
    device_depth: u32,
    /// Whether the device has a cache that forgets: who waits is then woken once all is written.
    caches: bool,
    /// How often the depth was halved; below zero, doubled (scale_step), and whether it can't be doubled further.
    step: i32,
    at_most: bool,
    /// What all may have, what a flusher has without competition, and what it has beside reads (wb_normal, wb_background).
    depth: u32,
    normal: u32,
    background: u32,
    /// Writes that were let in and aren't complete, those that wait, and whether these may look for room.
    inside: u32,
    held: Line,
    awake: bool,
    /// When one was last held back by dirty pages (dirty_sleep), as its requests tell.
    pressed: Option<Time>,
    /// When a read last came, and when one was last complete.
    read_came: Option<Time>,
    read_done: Option<Time>,
    /// Reads in the device: since when the first of them is there (sync_issue), by its number.
    awaited: Option<(u64, Time)>,
    /// Of this window: the end, reads with their shortest time, writes.
    ends: Option<Time>,
    window: Time,
    fastest: Option<Time>,
    writes: u64,
    unknown: u32,
}

impl WriteBack {
    /// A throttle that keeps reads near a latency, before a device that takes so many requests.
    pub(super) fn new(latency: Time, device_depth: u32, caches: bool) -> Self {
        let mut new = Self {
            latency,
            device_depth,
            caches,
            step: 0,
            at_most: false,
            depth: 0,
            normal: 0,
            background: 0,
            inside: 0,
            held: Line::default(),
            awake: false,
            pressed: None,
            read_came: None,
            read_done: None,
            awaited: None,
            ends: None,
            window: WINDOW,
            fastest: None,
            writes: 0,
            unknown: 0,
        };
        new.rescale();
        new
    }

    /// Whether a request is one of those that can be held.
    pub(super) fn concerns(request: &BlockRequest) -> bool {
        is_write_back(request)
    }

    /// A request comes that isn't held.
    pub(super) fn passes(&mut self, request: &BlockRequest, now: Time) {
        self.look(now);
        if request.direction == Direction::Read {
            self.read_came = Some(now);
        }
    }

    /// Whether a write may come in now; if not, it waits behind others (rq_qos_wait).
    pub(super) fn comes_in(&mut self, write: Held, now: Time) -> bool {
        let comes_in = self.held.is_empty() && self.admit(write, now);
        if !comes_in {
            self.held.push(write);
        }
        comes_in
    }

    /// Whose turn it is to come in with the next of what they have to write, in order.
    pub(super) fn call(&mut self, now: Time) -> SmallVec<[Key; 8]> {
        self.look(now);
        let mut called = SmallVec::new();
        if std::mem::take(&mut self.awake) {
            while let Some(first) = self.held.first()
                && self.admit(first, now)
            {
                self.held.pop();
                called.push(first.thread);
            }
        }
        called
    }

    /// Gives a write a place if there is one (rq_wait_inc_below).
    fn admit(&mut self, request: Held, now: Time) -> bool {
        self.look(now);
        if request.hint == Hint::Pressed {
            self.pressed = Some(now);
        }
        let comes_in = self.inside < self.limit(request, now);
        self.inside += u32::from(comes_in);
        if self.ends.is_none() {
            self.arm(now);
        }
        comes_in
    }

    /// How many writes of this kind there may be (get_limit).
    fn limit(&self, request: Held, now: Time) -> u32 {
        let lately = |time: Option<Time>| time.is_some_and(|time| now < time + CLOSE);
        if request.synchronous || self.was_pressed(now) {
            self.depth
        } else if lately(self.read_came) || lately(self.read_done) {
            self.background
        } else {
            self.normal
        }
    }

    fn was_pressed(&self, now: Time) -> bool {
        self.pressed.is_some_and(|pressed| now < pressed + Time::from_whole_seconds(1))
    }

    /// A write that had a place gives it back: it is complete, or has become part of another; those that wait may look for
    /// room where there is enough of it (wbt_rqw_done).
    pub(super) fn leave(&mut self, now: Time) {
        self.inside = self.inside.saturating_sub(1);
        let limit = if self.caches && !self.was_pressed(now) { 0 } else { self.normal };
        let room = limit.saturating_sub(self.inside);
        self.awake |= self.inside == 0 || (room > 0 && room >= self.background / 2);
    }

    /// A request goes to the device (wbt_issue), by this number.
    pub(super) fn issued(&mut self, direction: Direction, number: u64, now: Time) {
        self.look(now);
        if direction == Direction::Read && self.awaited.is_none() {
            self.awaited = Some((number, now));
        }
    }

    /// A request has come back from the device, where it was since `sent`.
    pub(super) fn done(&mut self, direction: Direction, number: u64, sent: Time, now: Time) {
        self.look(now);
        if self.awaited.is_some_and(|(awaited, _)| awaited == number) {
            self.awaited = None;
        }
        match direction {
            Direction::Read => {
                self.read_done = Some(now);
                let took = now - sent;
                self.fastest = Some(self.fastest.map_or(took, |fastest| fastest.min(took)));
            }
            Direction::Write => self.writes += 1,
            Direction::Flush | Direction::Discard => {}
        }
    }

    /// Looks at the windows that have ended (wb_timer_fn).
    fn look(&mut self, now: Time) {
        while let Some(end) = self.ends.filter(|&end| end <= now) {
            match self.tells(end) {
                WindowVerdict::Exceeded => self.scale_down(true),
                WindowVerdict::Well | WindowVerdict::OnlyWrites => self.scale_up(),
                WindowVerdict::Nothing => {
                    self.unknown += 1;
                    match self.step {
                        _ if self.unknown < UNKNOWN => {}
                        1.. => self.scale_up(),
                        0 => {}
                        _ => self.scale_down(false),
                    }
                }
            }
            (self.fastest, self.writes) = (None, 0);
            self.ends = None;
            if self.step != 0 || self.inside > 0 {
                self.arm(end);
            }
        }
    }

    fn tells(&self, at: Time) -> WindowVerdict {
        let awaits = self.awaited.map_or(Time::ZERO, |(_, since)| at.saturating_sub(since));
        if awaits > self.window || (awaits > self.latency && self.fastest.is_none()) {
            return WindowVerdict::Exceeded;
        }
        match self.fastest {
            Some(fastest) if self.writes >= LEAST_WRITES => {
                if fastest > self.latency {
                    WindowVerdict::Exceeded
                } else {
                    WindowVerdict::Well
                }
            }
            _ if self.writes > 0 || self.was_pressed(at) || self.inside > 0 => WindowVerdict::OnlyWrites,
            _ => WindowVerdict::Nothing,
        }
    }

    /// A window begins (rwb_arm_timer): shorter the smaller the depth is.
    fn arm(&mut self, now: Time) {
        self.window = match self.step {
            1.. => Time::from_seconds(WINDOW.as_seconds() / libm::sqrt(f64::from(self.step) + 1.0)),
            _ => WINDOW,
        };
        self.ends = Some(now + self.window);
    }

    fn scale_up(&mut self) {
        if !self.at_most {
            self.step -= 1;
            self.at_most = self.rescale();
            self.unknown = 0;
            self.awake = true;
        }
    }

    fn scale_down(&mut self, hard: bool) {
        if self.depth > 1 {
            self.step = if self.step < 0 && hard { 0 } else { self.step + 1 };
            self.at_most = false;
            self.rescale();
            self.unknown = 0;
        }
    }

    /// The depth of the step (rq_depth_calc_max_depth, calc_wb_limits); whether it can't be more.
    fn rescale(&mut self) -> bool {
        // Before it is asked how deep the device is: with both bounds in one branch LLVM 22 loses the lower one.
        let more_than_one = DEPTH.min(self.device_depth).saturating_sub(1);
        let most = (u64::from(self.device_depth) * 3 / 4).max(1);
        let mut at_most = false;
        self.depth = if self.device_depth <= 1 {
            at_most = self.step <= 0;
            if self.step > 0 { 1 } else { 2 }
        } else {
            match self.step {
                0.. => 1 + (more_than_one >> self.step.min(31)),
                _ => {
                    let more = 1 + (u64::from(more_than_one) << (-self.step).min(31));
                    at_most = more > most;
                    u32::try_from(more.min(most)).unwrap_or(u32::MAX)
                }
            }
        };
        (self.normal, self.background) =
            if self.depth <= 2 { (self.depth, 1) } else { (self.depth.div_ceil(2), self.depth.div_ceil(4)) };
        at_most
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(hint: Hint, synchronous: bool) -> BlockRequest {
        BlockRequest { direction: Direction::Write, blocks: 8, hint, synchronous, ..BlockRequest::default() }
    }

    /// How many of these come in at once.
    fn room(throttle: &WriteBack, request: &BlockRequest, now: Time) -> usize {
        let mut copy = throttle.clone();
        (0..1_000).take_while(|_| copy.admit(Held::of(request), now)).count()
    }

    #[test]
    fn flushers_have_a_part_of_the_depth_and_who_waits_has_all() {
        let mut throttle = WriteBack::new(Time::from_millis(75), 32, false);
        let now = Time::from_millis(5);
        let plain = write(Hint::None, false);
        assert_eq!(room(&throttle, &plain, now), 8);
        assert_eq!(room(&throttle, &write(Hint::NoIdle, true), now), 16);
        assert_eq!(room(&throttle, &write(Hint::Pressed, false), now), 16);
        throttle.passes(&BlockRequest::default(), now);
        assert_eq!(room(&throttle, &plain, now), 4);
        assert_eq!(room(&throttle, &plain, now + CLOSE), 8);
        assert!(!WriteBack::concerns(&write(Hint::None, true)), "what is written past the page cache");
    }

    #[test]
    fn before_a_device_that_takes_one_request_there_is_room_for_two() {
        let now = Time::from_millis(5);
        for depth in std::hint::black_box([0, 1]) {
            let mut throttle = WriteBack::new(Time::from_millis(75), depth, false);
            assert_eq!(room(&throttle, &write(Hint::None, false), now), 2, "{depth}");
            assert_eq!(room(&throttle, &write(Hint::NoIdle, true), now), 2, "{depth}");
            throttle.scale_down(true);
            assert_eq!(room(&throttle, &write(Hint::NoIdle, true), now), 1, "{depth}");
        }
    }

    #[test]
    fn who_syncs_a_page_waits_for_one_request_of_the_flusher() {
        let mut throttle = WriteBack::new(Time::from_millis(75), 128, false);
        let now = Time::from_millis(5);
        let of = |process: u32, synchronous| {
            Held::of(&BlockRequest { process, ..write(Hint::NoIdle, synchronous) })
        };
        let flusher = of(7, false);
        let inside = (0..50).filter(|_| throttle.comes_in(flusher, now)).count();
        assert!(inside < 50);
        assert!(!throttle.comes_in(of(1, true), now), "others sleep already");
        (0..inside).for_each(|_| throttle.leave(now));
        let called = throttle.call(now);
        assert_eq!(called[..4], [7, 1, 7, 7]);
        assert_eq!(called.len(), inside, "all places are taken again");
    }

    /// Windows with so many reads that take so long, and writes, until the depth stands still.
    fn settled(latency: Time, reads: u64, writes: u64) -> u32 {
        let mut throttle = WriteBack::new(Time::from_millis(75), 32, false);
        let mut now = Time::from_whole_seconds(1);
        for _ in 0..80 {
            throttle.admit(Held::of(&write(Hint::None, false)), now);
            now += Time::from_millis(20);
            (0..reads).for_each(|number| throttle.done(Direction::Read, number, now - latency, now));
            (0..writes).for_each(|number| throttle.done(Direction::Write, number, now - latency, now));
            throttle.leave(now);
        }
        throttle.depth
    }

    #[test]
    fn slow_reads_halve_the_depth_and_writes_alone_double_it() {
        assert_eq!(settled(Time::from_millis(80), 1, 4), 1);
        // Three quarters of what the device takes.
        assert_eq!(settled(Time::from_millis(80), 0, 4), 24);
        assert_eq!(settled(Time::from_millis(10), 1, 4), 24);
    }
}
