//! Hand-made events of the kernel, and what is made of them.

#![allow(clippy::unwrap_used)]

mod naming;

use super::*;
use crate::file_trace::join::table::{Shown, ShownFile};
use petrio_trace::event::{Access, Totals};
use proptest::prelude::*;

const FILE: Inode = Inode { device: 254 << 20, number: 77 };
const OTHER: Inode = Inode { device: 254 << 20, number: 78 };
const SHELL: u32 = 10;
const CHILD: u32 = 11;

/// `O_…` of x86 and arm64 alike.
const WRITE_ONLY: u64 = 1;
const CREATE: u64 = 0o100;
const APPEND: u64 = 0o2000;
const CLOSE_ON_EXEC: u64 = 0o2_000_000;

/// Plays events, a microsecond each.
struct Play {
    joiner: Joiner,
    now_ns: u64,
}

impl Play {
    fn new(full: bool) -> Self {
        let mut joiner = Joiner::new(full, 0);
        joiner.adopt(&[SHELL], &[], true);
        Self { joiner, now_ns: 0 }
    }

    fn happens(&mut self, thread: u32, what: What) {
        self.now_ns += 1_000;
        self.joiner.take(KernelEvent { time_ns: self.now_ns, thread, what });
    }

    fn call(&mut self, thread: u32, call: Call, arguments: &[u64], inside: Vec<What>, result: i64) {
        let mut all = [0; 5];
        all[..arguments.len()].copy_from_slice(arguments);
        self.happens(thread, What::Enter(call, all));
        for what in inside {
            self.happens(thread, what);
        }
        self.happens(thread, What::Exit(call, result));
    }

    fn open(&mut self, thread: u32, flags: u64, descriptor: i64) {
        self.call(thread, Call::Open, &[flags], vec![], descriptor);
    }

    /// Reads from a file; of its pages those in `added` weren't in the cache.
    fn read(&mut self, thread: u32, descriptor: u64, page: u64, bytes: i64, added: &[(u64, u64)]) {
        let mut inside: Vec<_> = added
            .iter()
            .map(|(first, last)| What::Added { inode: FILE, first: *first, last: *last })
            .collect();
        let last = page + 15;
        inside.push(What::Pages { lookup: Lookup::Read, inode: FILE, first: page, last });
        self.call(thread, Call::Read, &[descriptor, 65_536], inside, bytes);
    }

    fn write(&mut self, thread: u32, descriptor: u64, position: u64, bytes: i64) {
        let inside = vec![What::WriteBegin { inode: FILE, position }];
        self.call(thread, Call::Write, &[descriptor, bytes.unsigned_abs()], inside, bytes);
    }

    fn close(&mut self, thread: u32, descriptor: u64) {
        self.call(thread, Call::Close, &[descriptor], vec![], 0);
    }

    fn events(mut self) -> Vec<Event> {
        self.joiner.end();
        let mut events = Vec::new();
        self.joiner.release(u64::MAX, |event, _| events.push(event));
        events
    }
}

fn kinds(events: &[Event]) -> Vec<EventKind> {
    events.iter().map(|event| event.kind).collect()
}

const FORK: What = What::Fork { child: CHILD, flags: 0 };

#[test]
fn a_compact_trace_has_the_misses_and_the_totals() {
    let mut play = Play::new(false);
    play.open(SHELL, 0, 3);
    play.read(SHELL, 3, 0, 5_000, &[(0, 31)]);
    play.read(SHELL, 3, 1, 5_000, &[]);
    // Read-ahead beyond the range is no miss.
    play.read(SHELL, 3, 2, 4_096, &[(32, 63)]);
    play.close(SHELL, 3);
    let events = play.events();
    assert_eq!(kinds(&events), [EventKind::Open, EventKind::Read, EventKind::Close]);
    assert!(events.iter().all(|event| event.file.inode == 77 && event.process == SHELL));
    assert_eq!((events[1].offset, events[1].length, events[1].hit), (Some(0), 5_000, Some(false)));
    assert_eq!(events[1].service, Some(Time::from_micros(3)));
    let totals = Totals { bytes_read: 14_096, reads: 3, ..Totals::default() };
    assert_eq!((events[2].totals, events[2].hit), (Some(totals), Some(false)));
    assert_eq!(events[2].service, Some(Time::from_micros(1)));
}

#[test]
fn a_descriptor_is_free_when_its_close_begins_and_an_unfinished_close_closes() {
    let mut play = Play::new(true);
    play.happens(SHELL, What::Fork { child: CHILD, flags: 0x400 });
    play.open(SHELL, 0, 3);
    play.read(SHELL, 3, 0, 100, &[]);
    play.happens(SHELL, What::Enter(Call::Close, [3, 0, 0, 0, 0]));
    // A thread beside it is given the number.
    play.open(CHILD, 0, 3);
    play.read(CHILD, 3, 0, 50, &[]);
    play.happens(CHILD, What::Enter(Call::Close, [3, 0, 0, 0, 0]));
    play.happens(SHELL, What::Exit(Call::Close, 0));
    play.happens(CHILD, What::Ended);
    let events = play.events();
    let closes: Vec<_> = events.iter().filter(|event| event.kind == EventKind::Close).collect();
    let bytes: Vec<_> = closes.iter().map(|event| event.totals.unwrap().bytes_read).collect();
    assert_eq!(bytes, [100, 50]);
    assert_eq!((closes[0].service, closes[1].service), (Some(Time::from_micros(7)), None));
}

#[test]
fn a_full_trace_has_the_hits_too_where_the_position_says() {
    let mut play = Play::new(true);
    play.open(SHELL, 0, 3);
    play.read(SHELL, 3, 0, 5_000, &[]);
    play.read(SHELL, 3, 1, 0, &[]);
    play.call(SHELL, Call::Seek, &[3], vec![], 100);
    play.read(SHELL, 3, 0, 50, &[]);
    let pages = What::Pages { lookup: Lookup::Read, inode: FILE, first: 2, last: 3 };
    play.call(SHELL, Call::ReadAt, &[3, 10, 9_000], vec![pages], 10);
    play.read(SHELL, 3, 0, 7, &[]);
    let events = play.events();
    let reads: Vec<_> =
        events[1..].iter().map(|event| (event.offset.unwrap(), event.length, event.hit)).collect();
    let hit = Some(true);
    let expected = [(0, 5_000, hit), (5_000, 0, hit), (100, 50, hit), (9_000, 10, hit), (150, 7, hit)];
    assert_eq!(reads, expected);
}

#[test]
fn parent_and_child_share_the_position_and_the_last_close_counts() {
    let mut play = Play::new(true);
    play.open(SHELL, 0, 3);
    play.happens(SHELL, FORK);
    play.read(CHILD, 3, 0, 100, &[]);
    play.close(CHILD, 3);
    play.read(SHELL, 3, 0, 100, &[]);
    play.happens(CHILD, What::Ended);
    play.happens(SHELL, What::Ended);
    let events = play.events();
    let expected = [EventKind::Open, EventKind::Read, EventKind::Read, EventKind::Close];
    assert_eq!(kinds(&events), expected);
    assert_eq!(events[2].offset, Some(100));
    assert_eq!(events[3].totals.unwrap().bytes_read, 200);
}

#[test]
fn threads_share_their_descriptors_until_an_exec() {
    const CLONE_FILES: u64 = 0x400;
    let mut play = Play::new(true);
    play.happens(SHELL, What::Fork { child: CHILD, flags: CLONE_FILES });
    play.open(CHILD, CLOSE_ON_EXEC, 3);
    play.read(SHELL, 3, 0, 100, &[]);
    play.happens(CHILD, What::Ended);
    play.call(SHELL, Call::Duplicate, &[3], vec![], 4);
    let inside = vec![
        What::Pages { lookup: Lookup::Read, inode: OTHER, first: 0, last: 0 },
        What::Executed { path: "/bin/true".into(), former: SHELL },
    ];
    play.call(SHELL, Call::Execute, &[], inside, 0);
    play.close(SHELL, 3);
    play.read(SHELL, 4, 0, 100, &[]);
    play.close(SHELL, 4);
    let events = play.events();
    let expected = [EventKind::Open, EventKind::Read, EventKind::Exec, EventKind::Read, EventKind::Close];
    assert_eq!(kinds(&events), expected);
    assert_eq!((events[2].path.as_deref(), events[2].file.inode), (Some("/bin/true"), 78));
    assert_eq!(events[3].offset, Some(100));
}

#[test]
fn a_new_file_is_created_written_at_its_end_and_unlinked_and_its_inode_used_again() {
    let mut play = Play::new(false);
    let new = || vec![What::Allocated { inode: FILE, mode: 0o100_644 }];
    play.call(SHELL, Call::Open, &[CREATE | WRITE_ONLY | APPEND], new(), 3);
    play.write(SHELL, 3, 0, 10);
    play.write(SHELL, 3, 10, 20);
    play.close(SHELL, 3);
    let gone = vec![What::Unlinked { inode: FILE, size: 30 }, What::Freed(FILE)];
    play.call(SHELL, Call::Unlink, &[], gone, 0);
    play.call(SHELL, Call::Open, &[CREATE | WRITE_ONLY], new(), 3);
    let events = play.events();
    let expected = [
        EventKind::Create,
        EventKind::Write,
        EventKind::Write,
        EventKind::Close,
        EventKind::Unlink,
        EventKind::Create,
    ];
    assert_eq!(kinds(&events), expected);
    assert_eq!((events[0].size, events[0].access), (Some(0), Some(Access::Write)));
    assert_eq!((events[2].offset, events[2].length), (Some(10), 20));
    assert_eq!((events[4].size, events[4].file.generation), (Some(30), 0));
    assert_eq!(events[5].file.generation, 1);
}

#[test]
fn what_has_no_pages_leaves_no_trace_and_a_failed_call_only_in_a_full_one() {
    for full in [false, true] {
        let mut play = Play::new(full);
        play.open(SHELL, 0, 3);
        play.call(SHELL, Call::Read, &[3, 100], vec![], 50);
        play.close(SHELL, 3);
        // A directory that was opened as if it were a file.
        play.open(SHELL, 0, 3);
        play.happens(SHELL, What::Enter(Call::List, [3, 0, 0, 0, 0]));
        play.close(SHELL, 3);
        // A descriptor that was never opened: a pipe.
        play.call(SHELL, Call::Read, &[9, 100], vec![], 50);
        play.open(SHELL, 0, -2);
        assert_eq!(play.joiner.counts.other_opens, 2);
        let events = play.events();
        assert_eq!(events.len(), usize::from(full));
        assert!(events.iter().all(|event| event.error == 2));
    }
}

#[test]
fn a_mapped_file_is_known_by_its_first_fault_and_its_misses_are_reads() {
    let mut play = Play::new(false);
    play.open(SHELL, 0, 3);
    play.happens(SHELL, What::Enter(Call::Map, [3, 0, 0, 0, 0]));
    play.close(SHELL, 3);
    play.happens(SHELL, What::Pages { lookup: Lookup::Fault, inode: FILE, first: 5, last: 5 });
    play.happens(SHELL, What::Added { inode: FILE, first: 4, last: 7 });
    // The page is there now.
    play.happens(SHELL, What::Pages { lookup: Lookup::Fault, inode: FILE, first: 6, last: 6 });
    let events = play.events();
    assert_eq!(kinds(&events), [EventKind::Open, EventKind::Close, EventKind::Read]);
    assert!(events.iter().all(|event| event.file.inode == 77));
    assert_eq!((events[2].offset, events[2].length, events[2].hit), (Some(5 * 4_096), 4_096, Some(false)));
}

#[test]
fn what_a_process_had_open_before_goes_on_from_where_proc_shows_it() {
    let mut play = Play::new(true);
    let shown = Shown {
        descriptor: 0,
        close_on_exec: false,
        access: Access::Read,
        appends: false,
        synchronous: false,
        position: Some(500),
        file: Some(ShownFile { inode: FILE, size: 9_000, path: Some("/a".into()) }),
    };
    play.joiner.adopt(&[SHELL], &[shown], true);
    play.read(SHELL, 0, 0, 100, &[]);
    play.close(SHELL, 0);
    let events = play.events();
    assert_eq!(events[0].offset, Some(500));
    assert_eq!(events[1].path.as_deref(), Some("/a"));
}

#[test]
fn a_copy_is_a_read_and_a_write() {
    let mut play = Play::new(true);
    play.open(SHELL, 0, 3);
    play.open(SHELL, WRITE_ONLY, 4);
    let inside = vec![
        What::Pages { lookup: Lookup::Read, inode: FILE, first: 0, last: 1 },
        What::WriteBegin { inode: OTHER, position: 0 },
    ];
    play.call(SHELL, Call::CopyRange, &[3, 4, 8_192], inside, 8_000);
    let events = play.events();
    let moved: Vec<_> =
        events[2..].iter().map(|event| (event.kind, event.file.inode, event.offset, event.length)).collect();
    let expected = [(EventKind::Read, 77, Some(0), 8_000), (EventKind::Write, 78, Some(0), 8_000)];
    assert_eq!(moved, expected);
}

#[test]
fn a_gap_ends_the_calls_in_progress() {
    let mut play = Play::new(true);
    play.open(SHELL, 0, 3);
    play.happens(SHELL, What::Enter(Call::Read, [3, 100, 0, 0, 0]));
    play.joiner.gap();
    play.happens(SHELL, What::Exit(Call::Read, 100));
    play.close(SHELL, 3);
    assert_eq!(kinds(&play.events()), [EventKind::Open, EventKind::Close]);
}

fn any_call() -> impl Strategy<Value = Call> {
    use Call::*;
    prop::sample::select(vec![
        Open,
        OpenSomehow,
        Create,
        Read,
        ReadAt,
        Write,
        WriteAt,
        SendFile,
        CopyRange,
        Close,
        CloseRange,
        Duplicate,
        DuplicateTo,
        Control,
        Seek,
        Sync,
        Truncate,
        TruncateOpen,
        Rename,
        Unlink,
        MakeDirectory,
        Stat,
        StatOpen,
        StatAt,
        Execute,
        List,
        Map,
        Asynchronous,
    ])
}

fn any_number() -> impl Strategy<Value = u64> {
    prop_oneof![0_u64..6, any::<u64>(), Just(u64::MAX)]
}

fn any_what() -> impl Strategy<Value = What> {
    let inode = || (0_u64..4).prop_map(|number| Inode { device: 1, number });
    let lookup = prop::sample::select(vec![Lookup::Read, Lookup::Fault, Lookup::Around]);
    prop_oneof![
        4 => (any_call(), prop::array::uniform5(any_number())).prop_map(|(call, arguments)| What::Enter(call, arguments)),
        4 => (any_call(), prop_oneof![-3_i64..6, any::<i64>()]).prop_map(|(call, result)| What::Exit(call, result)),
        1 => (0_u32..5, prop_oneof![Just(0), Just(0x400), any::<u64>()])
            .prop_map(|(child, flags)| What::Fork { child, flags }),
        1 => (0_u32..5).prop_map(|former| What::Executed { path: "p".into(), former }),
        1 => Just(What::Ended),
        2 => (lookup, inode(), any_number(), any_number())
            .prop_map(|(lookup, inode, first, last)| What::Pages { lookup, inode, first, last }),
        2 => (inode(), any_number(), any_number()).prop_map(|(inode, first, last)| What::Added { inode, first, last }),
        1 => (inode(), any_number()).prop_map(|(inode, position)| What::WriteBegin { inode, position }),
        1 => (inode(), any_number(), any::<u32>(), any_number())
            .prop_map(|(inode, block, blocks, device_block)| What::Extent { inode, block, blocks, device_block }),
        1 => inode().prop_map(|inode| What::Allocated { inode, mode: 0o100_000 }),
        1 => inode().prop_map(What::Freed),
        1 => inode().prop_map(What::Touched),
        1 => (inode(), any_number()).prop_map(|(inode, size)| What::Unlinked { inode, size }),
    ]
}

proptest! {
    #[test]
    fn any_events_are_joined_without_panic_and_come_out_in_order(
        full: bool, events in prop::collection::vec((0_u32..5, any_what()), 0..120)
    ) {
        let mut play = Play::new(full);
        for (thread, what) in events {
            play.happens(thread, what);
        }
        let out = play.events();
        prop_assert!(out.windows(2).all(|pair| pair[0].time <= pair[1].time));
    }
}
