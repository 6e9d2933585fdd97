//! The kernel's trace as text, line by line: block requests, journal commits, marks.
//!
//! ```text
//! # entries-in-buffer/entries-written: 12/12   #P:2
//!          python3-24702 [001] .....  2123.073911: block_rq_issue: 7,0 WS 4096 () 1573984 + 8 none,0,0 [python3]
//!     jbd2/loop0-8-24720 [000] .....  2123.075112: jbd2_run_stats: dev 7,0 tid 12 wait 0 … blocks 3 blocks_logged 5
//!            <...>-24702 [001] .....  2123.076000: tracing_mark_write: begin 3
//! CPU:0 [LOST 17 EVENTS]
//! ```
//!
//! Sources: Linux 6.18 `include/trace/events/block.h`, `include/trace/events/jbd2.h`, `kernel/trace/trace_output.c` (the head of
//! a line), `block/blk-core.c` and `kernel/trace/blktrace.c` (`blk_fill_rwbs`, the letters). The reader is pure: bytes in, one
//! [`Line`] out, never a panic. Block traces for replay are read by `petrio_workload::trace`; here requests without data
//! (flushes) and the journal's own events matter too.

/// A block device's number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DeviceNumber {
    /// Which driver.
    pub major: u32,
    /// Which of its devices.
    pub minor: u32,
}

impl DeviceNumber {
    /// As the kernel keeps it and as trace filters compare it: 12 bits of major, 20 of minor (`include/linux/kdev_t.h`).
    pub const fn in_kernel(self) -> u64 {
        ((self.major as u64) << 20) | self.minor as u64
    }
}

/// What a request asks of the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Access {
    /// Reads data.
    Read,
    /// Writes data.
    Write,
    /// Moves no data: empties the device's write cache.
    Flush,
    /// Gives blocks back.
    Discard,
    /// Something else: zone commands, passed-through commands.
    Other,
}

/// A request's place and kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BlockAccess {
    /// What it asks.
    pub access: Access,
    /// Empties the write cache before it (the letter F before W).
    pub flush_before: bool,
    /// Force unit access: on the medium before it completes (the letter F after W).
    pub force_unit_access: bool,
    /// Somebody waits for it (S).
    pub synchronous: bool,
    /// The file system called it metadata (M).
    pub metadata: bool,
    /// Read-ahead (A).
    pub read_ahead: bool,
    /// First block of 512 bytes; 0 for a flush.
    pub sector: u64,
    /// Length in blocks of 512 bytes; 0 for a flush.
    pub sectors: u64,
}

/// What happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Happening {
    /// A file system handed a request to the block layer (`block_bio_queue`), before merging and throttling.
    Queued(BlockAccess),
    /// A request went to the device (`block_rq_issue`).
    Issued(BlockAccess),
    /// The device completed it (`block_rq_complete`).
    Completed(BlockAccess),
    /// A journal transaction was committed (`jbd2_run_stats`).
    Commit(Commit),
    /// Something wrote into `trace_marker`.
    Mark(String),
}

/// The journal's own account of a commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Commit {
    /// The transaction's number.
    pub transaction: u64,
    /// Handles (operations of the file system) that it took together.
    pub handles: u64,
    /// Blocks of metadata (in full journal mode: of data too) that it logged.
    pub blocks: u64,
    /// Blocks written into the journal for it: those, the descriptors and the commit block.
    pub blocks_logged: u64,
}

/// An event of the trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// Microseconds on the trace's clock.
    pub time_us: u64,
    /// The device concerned; none for marks.
    pub device: Option<DeviceNumber>,
    /// What happened.
    pub what: Happening,
}

/// A line of the trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Line {
    /// An event that petrio knows.
    Event(Event),
    /// Events that the kernel threw away before they could be read.
    Lost(u64),
    /// An event of another sort, a comment, an empty line.
    Other,
    /// Not what the kernel writes.
    Unreadable,
}

impl Line {
    /// Reads one line, with or without its line feed.
    pub fn parse(line: &[u8]) -> Self {
        let Ok(line) = std::str::from_utf8(line) else {
            // A command's name may hold any bytes; the rest of the line is ASCII.
            return Self::parse(String::from_utf8_lossy(line).as_bytes());
        };
        let line = line.trim();
        if line.is_empty() {
            return Self::Other;
        }
        if let Some(comment) = line.strip_prefix('#') {
            return lost_of_header(comment).map_or(Self::Other, Self::Lost);
        }
        if let Some(rest) = line.strip_prefix("CPU:") {
            return lost_of_processor(rest).map_or(Self::Other, Self::Lost);
        }
        match parse_event(line) {
            Some(Some(event)) => Self::Event(event),
            Some(None) => Self::Other,
            None => Self::Unreadable,
        }
    }
}

/// `entries-in-buffer/entries-written: 12/40   #P:2`: 28 were overwritten.
fn lost_of_header(comment: &str) -> Option<u64> {
    let counts = comment.trim().strip_prefix("entries-in-buffer/entries-written:")?;
    let (kept, written) = counts.split_whitespace().next()?.split_once('/')?;
    Some(written.parse::<u64>().ok()?.saturating_sub(kept.parse().ok()?)).filter(|lost| *lost > 0)
}

/// `0 [LOST 17 EVENTS]`; without a number where the kernel doesn't know it.
fn lost_of_processor(rest: &str) -> Option<u64> {
    let (_, inside) = rest.split_once("[LOST ")?;
    let word = inside.split_whitespace().next()?;
    Some(word.parse().unwrap_or(1))
}

/// `Some(None)` for an event of another sort, `None` for what isn't one.
fn parse_event(line: &str) -> Option<Option<Event>> {
    // The command before the processor may hold brackets and colons itself, so the head is found by the processor: the
    // first bracketed number that stands apart, followed by flags, time and event.
    for (open, _) in line.match_indices(" [") {
        let Some((processor, rest)) = line[open + 2..].split_once(']') else { break };
        if processor.is_empty() || !processor.bytes().all(|byte| byte.is_ascii_digit()) {
            continue;
        }
        if let Some(event) = parse_after_processor(rest) {
            return Some(event);
        }
    }
    None
}

fn parse_after_processor(rest: &str) -> Option<Option<Event>> {
    let mut rest = rest.trim_start();
    let mut word;
    (word, rest) = rest.split_once(' ')?;
    let time_us = match microseconds(word) {
        Some(time) => time,
        // The flags (irqs-off, need-resched, …) stand before the time unless the option irq-info is off.
        None => {
            (word, rest) = rest.trim_start().split_once(' ')?;
            microseconds(word)?
        }
    };
    let (name, text) = rest.trim_start().split_once(':')?;
    let text = text.trim();
    let block = |happening: fn(BlockAccess) -> Happening| {
        parse_block(text).map(|(device, access)| (Some(device), happening(access)))
    };
    let parsed = match name {
        "block_bio_queue" => block(Happening::Queued)?,
        "block_rq_issue" => block(Happening::Issued)?,
        "block_rq_complete" => block(Happening::Completed)?,
        "jbd2_run_stats" => {
            parse_commit(text).map(|(device, commit)| (Some(device), Happening::Commit(commit)))?
        }
        "tracing_mark_write" => (None, Happening::Mark(text.to_owned())),
        _ => return Some(None),
    };
    Some(Some(Event { time_us, device: parsed.0, what: parsed.1 }))
}

/// `2123.073911:` in microseconds.
fn microseconds(word: &str) -> Option<u64> {
    let (seconds, fraction) = word.strip_suffix(':')?.split_once('.')?;
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if !digits(seconds) || !digits(fraction) || fraction.len() != 6 {
        return None;
    }
    let seconds: u64 = seconds.parse().ok()?;
    seconds.checked_mul(1_000_000)?.checked_add(fraction.parse().ok()?)
}

fn parse_device(word: &str) -> Option<DeviceNumber> {
    let (major, minor) = word.split_once(',')?;
    Some(DeviceNumber { major: major.parse().ok()?, minor: minor.parse().ok()? })
}

/// `7,0 WS 4096 () 1573984 + 8 none,0,0 [python3]`; a queued one lacks bytes and parentheses.
fn parse_block(text: &str) -> Option<(DeviceNumber, BlockAccess)> {
    let (before, after) = text.split_once(" + ")?;
    let mut words = before.split_whitespace();
    let device = parse_device(words.next()?)?;
    let letters = words.next()?;
    let sector = before.rsplit(' ').next()?.parse().ok()?;
    let sectors = after.split_whitespace().next()?.parse().ok()?;
    Some((device, access_of(letters, sector, sectors)?))
}

/// The letters of `blk_fill_rwbs`: F for a flush before, one for the operation, then F (force unit access), A, S, M.
fn access_of(letters: &str, sector: u64, sectors: u64) -> Option<BlockAccess> {
    let flush_before = letters.len() > 1 && letters.starts_with('F');
    let mut rest = letters[usize::from(flush_before)..].chars();
    let access = match rest.next()? {
        'R' => Access::Read,
        // A flush from the file system arrives as a write of nothing (a bio); at the device as a flush.
        'W' if sectors == 0 => Access::Flush,
        'W' => Access::Write,
        'F' => Access::Flush,
        'D' => Access::Discard,
        'N' | 'Z' => Access::Other,
        _ => return None,
    };
    let modifiers = rest.as_str();
    // Others say more (U: atomic; DE: a secure erase; ZO: open a zone) than is asked here.
    if !modifiers.bytes().all(|letter| letter.is_ascii_uppercase()) {
        return None;
    }
    let is_flush = access == Access::Flush;
    Some(BlockAccess {
        access,
        flush_before: flush_before && !is_flush,
        force_unit_access: modifiers.contains('F'),
        synchronous: modifiers.contains('S'),
        metadata: modifiers.contains('M'),
        read_ahead: modifiers.contains('A'),
        sector: if is_flush { 0 } else { sector },
        sectors,
    })
}

/// `dev 7,0 tid 12 wait 0 request_delay 0 … handle_count 2 blocks 3 blocks_logged 5`.
fn parse_commit(text: &str) -> Option<(DeviceNumber, Commit)> {
    let mut device = None;
    let (mut transaction, mut handles, mut blocks, mut blocks_logged) = (None, None, None, None);
    let mut words = text.split_whitespace();
    while let (Some(key), Some(value)) = (words.next(), words.next()) {
        let number = || value.parse::<u64>().ok();
        match key {
            "dev" => device = parse_device(value),
            "tid" => transaction = number(),
            "handle_count" => handles = number(),
            "blocks" => blocks = number(),
            "blocks_logged" => blocks_logged = number(),
            _ => {}
        }
    }
    let commit = Commit {
        transaction: transaction?,
        handles: handles?,
        blocks: blocks?,
        blocks_logged: blocks_logged?,
    };
    Some((device?, commit))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use proptest::prelude::*;

    fn event(line: &str) -> Event {
        match Line::parse(line.as_bytes()) {
            Line::Event(event) => event,
            other => panic!("{other:?}"),
        }
    }

    fn issued(line: &str) -> BlockAccess {
        match event(line).what {
            Happening::Issued(access) => access,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn an_issued_write_has_its_place_time_and_device() {
        let line = "         python3-24702   [001] .....  2123.073911: block_rq_issue: 7,3 WS 4096 () 1573984 + 8 none,0,0 [python3]\n";
        let event = event(line);
        assert_eq!(event.time_us, 2_123_073_911);
        assert_eq!(event.device, Some(DeviceNumber { major: 7, minor: 3 }));
        let access = issued(line);
        assert_eq!((access.access, access.sector, access.sectors), (Access::Write, 1_573_984, 8));
        assert!(access.synchronous && !access.metadata && !access.force_unit_access && !access.flush_before);
    }

    #[test]
    fn letters_before_and_after_the_operation_are_told_apart() {
        let of = |letters: &str, sectors: u64| access_of(letters, 100, sectors).unwrap();
        let commit = of("FWFSM", 8);
        assert!(commit.flush_before && commit.force_unit_access && commit.metadata);
        assert_eq!(commit.access, Access::Write);
        let flush = of("FF", 0);
        assert_eq!((flush.access, flush.flush_before, flush.sector), (Access::Flush, false, 0));
        assert_eq!(of("F", 0).access, Access::Flush);
        // fsync of a clean file: a bio that writes nothing and flushes before.
        assert_eq!(of("FWS", 0).access, Access::Flush);
        assert!(of("RA", 8).read_ahead);
        assert_eq!(of("DS", 64).access, Access::Discard);
        assert_eq!(access_of("", 0, 8), None);
        assert_eq!(access_of("?", 0, 8), None);
    }

    #[test]
    fn a_command_with_brackets_and_colons_misleads_nobody() {
        let access = issued(
            "  a [7] b: 1.5-24702 [000] d..1. 10.000001: block_rq_issue: 7,0 R 4096 () 8 + 8 none,0,0 [a [7] b: 1.5]",
        );
        assert_eq!((access.access, access.sector), (Access::Read, 8));
    }

    #[test]
    fn a_commit_gives_its_blocks() {
        let event = event(
            "    jbd2/loop0-8-24720   [000] .....  5.000112: jbd2_run_stats: dev 7,0 tid 12 wait 0 request_delay 0 \
             running 0 locked 0 flushing 0 logging 0 handle_count 2 blocks 3 blocks_logged 5",
        );
        let commit = Commit { transaction: 12, handles: 2, blocks: 3, blocks_logged: 5 };
        assert_eq!(event.what, Happening::Commit(commit));
    }

    #[test]
    fn lost_events_are_counted_from_the_header_and_from_gaps() {
        assert_eq!(Line::parse(b"# entries-in-buffer/entries-written: 12/40   #P:2"), Line::Lost(28));
        assert_eq!(Line::parse(b"# entries-in-buffer/entries-written: 12/12   #P:2"), Line::Other);
        assert_eq!(Line::parse(b"CPU:1 [LOST 17 EVENTS]"), Line::Lost(17));
        assert_eq!(Line::parse(b"CPU:1 [LOST EVENTS]"), Line::Lost(1));
    }

    #[test]
    fn marks_are_kept_and_other_events_passed_over() {
        let mark = event("  <...>-9 [001] ..... 1.000000: tracing_mark_write: begin 3");
        assert_eq!(mark.what, Happening::Mark("begin 3".to_owned()));
        assert_eq!(Line::parse(b"  a-1 [000] ..... 1.000000: sched_switch: x"), Line::Other);
        assert_eq!(Line::parse(b"no event at all"), Line::Unreadable);
        let broken = b"  a-1 [000] ..... 1.000000: block_rq_issue: 7,0 WS 4096 () nowhere + 8";
        assert_eq!(Line::parse(broken), Line::Unreadable);
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_without_panic(line in proptest::collection::vec(any::<u8>(), 0..200)) {
            Line::parse(&line);
        }

        #[test]
        fn what_the_kernel_would_print_is_read_back(
            time in 0u64..1 << 50, major in 0u32..4096, minor in 0u32..1 << 20,
            letters in "F?[RWD]F?A?S?M?", sector in any::<u64>(), sectors in 1u64..1 << 32,
            command in "[ -~]{0,15}",
        ) {
            let line = format!(
                "{command}-1 [000] d..2. {}.{:06}: block_rq_issue: {major},{minor} {letters} 512 () {sector} + {sectors} none,0,0 [{command}]",
                time / 1_000_000, time % 1_000_000,
            );
            let Line::Event(event) = Line::parse(line.as_bytes()) else {
                // A comment, a gap or a head in the command's own name.
                prop_assume!(false);
                return Ok(());
            };
            prop_assert_eq!(event.time_us, time);
            prop_assert_eq!(event.device, Some(DeviceNumber { major, minor }));
            let Happening::Issued(access) = event.what else { panic!("{line}") };
            prop_assert_eq!((access.sector, access.sectors), (sector, sectors));
            prop_assert_eq!(access.flush_before, letters.starts_with('F'));
            prop_assert_eq!(access.metadata, letters.contains('M'));
        }
    }
}
