//! A page of a trace's ring buffer, as `per_cpu/cpuN/trace_pipe_raw` gives it.
//!
//! ```text
//! | timestamp (64 bits, ns) | commit: length and flags | entries …
//! flags of commit   31 events were lost before this page; 30 and how many stands after the entries
//! entry             type (5 bits), time since the entry before (27 bits), then by type:
//!   0               length in the next word, itself included; the data behind it
//!   1…28            that many words of data
//!   29 padding      without time: the page ends here; else as many bytes to pass over as the next word says
//!   30 time extend  the next word is the time's higher bits
//!   31 time stamp   the same, from zero instead of from the entry before (59 bits)
//! ```
//!
//! Source: Linux 6.18 `include/linux/ring_buffer.h`, `kernel/trace/ring_buffer.c` (`rb_event_length`, `rb_update_read_stamp`,
//! `ring_buffer_read_page`), `Documentation/trace/ring-buffer-design.rst`. Left out: big-endian machines, whose bit fields
//! lie the other way round.

use super::format::Format;

/// Where a page's header ends and its entries begin, from `events/header_page`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PageLayout {
    /// Bytes before the length.
    commit_offset: usize,
    /// Bytes of the length: a machine word.
    commit_bytes: usize,
    /// Bytes before the entries.
    data_offset: usize,
}

const MISSED: u64 = 1 << 31;
const MISSED_STORED: u64 = 1 << 30;
/// The bits of the length that count bytes (libtraceevent's `COMMIT_MASK`).
const LENGTH: u64 = (1 << 27) - 1;

const DATA_WORDS_MAX: u32 = 28;
const PADDING: u32 = 29;
const TIME_EXTEND: u32 = 30;
const TIME_STAMP: u32 = 31;
const TYPE_BITS: u32 = 5;
const DELTA_BITS: u32 = 27;
/// An absolute time stamp has 59 bits; those above are the previous one's.
const ABSOLUTE: u64 = (1 << 59) - 1;

impl PageLayout {
    /// On 64-bit kernels.
    pub(crate) const USUAL: Self = Self { commit_offset: 8, commit_bytes: 8, data_offset: 16 };

    /// From the text of `events/header_page`; none where it isn't one.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let format = Format::parse(text);
        let (commit, data) = (format.field("commit")?, format.field("data")?);
        Some(Self {
            commit_offset: commit.offset.into(),
            commit_bytes: commit.size.into(),
            data_offset: data.offset.into(),
        })
    }

    /// Reads a page.
    pub(crate) fn read<'page>(&self, page: &'page [u8]) -> Page<'page> {
        let time_ns = word(page, 0, 8).unwrap_or(0);
        let commit = word(page, self.commit_offset, self.commit_bytes).unwrap_or(0);
        let data = page.get(self.data_offset..).unwrap_or_default();
        let length = usize::try_from(commit & LENGTH).unwrap_or(usize::MAX).min(data.len());
        let lost = match (commit & MISSED != 0, commit & MISSED_STORED != 0) {
            (false, _) => Lost::None,
            (true, true) => word(data, length, self.commit_bytes).map_or(Lost::Some, Lost::Count),
            (true, false) => Lost::Some,
        };
        Page { lost, entries: Entries { rest: &data[..length], time_ns } }
    }
}

/// Events that the kernel overwrote or dropped before a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lost {
    /// None.
    None,
    /// This many.
    Count(u64),
    /// At least one; how many isn't known.
    Some,
}

/// A page that was read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Page<'page> {
    /// What is missing before it.
    pub(crate) lost: Lost,
    /// Its events.
    pub(crate) entries: Entries<'page>,
}

/// The events of a page in order: when (nanoseconds on the trace's clock), and the record.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entries<'page> {
    rest: &'page [u8],
    time_ns: u64,
}

fn word(bytes: &[u8], at: usize, length: usize) -> Option<u64> {
    let bytes = bytes.get(at..at.checked_add(length)?)?;
    match length {
        4 => Some(u64::from(u32::from_le_bytes(bytes.try_into().ok()?))),
        8 => Some(u64::from_le_bytes(bytes.try_into().ok()?)),
        _ => None,
    }
}

impl<'page> Entries<'page> {
    fn word(&self, index: usize) -> Option<u32> {
        let bytes = self.rest.get(index * 4..index * 4 + 4)?;
        Some(u32::from_le_bytes(bytes.try_into().ok()?))
    }

    /// The record between two places, going on behind it; the page's end where there is no such record.
    fn take(&mut self, from: usize, to: usize) -> Option<&'page [u8]> {
        let record = self.rest.get(from..to);
        self.rest = self.rest.get(to.next_multiple_of(4)..).unwrap_or_default();
        record
    }
}

impl<'page> Iterator for Entries<'page> {
    type Item = (u64, &'page [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let head = self.word(0)?;
            let (kind, delta) = (head & ((1 << TYPE_BITS) - 1), u64::from(head >> TYPE_BITS));
            match kind {
                PADDING if delta == 0 => {
                    self.rest = &[];
                    return None;
                }
                PADDING => {
                    // An event that was taken back; its time stays.
                    self.time_ns = self.time_ns.wrapping_add(delta);
                    let length = self.word(1)? as usize;
                    self.take(4, length.saturating_add(4))?;
                }
                TIME_EXTEND => {
                    let high = u64::from(self.word(1)?) << DELTA_BITS;
                    self.time_ns = self.time_ns.wrapping_add(high + delta);
                    self.take(4, 8)?;
                }
                TIME_STAMP => {
                    let stamp = (u64::from(self.word(1)?) << DELTA_BITS) + delta;
                    self.time_ns = self.time_ns & !ABSOLUTE | stamp;
                    self.take(4, 8)?;
                }
                0 => {
                    self.time_ns = self.time_ns.wrapping_add(delta);
                    let length = self.word(1)? as usize;
                    return self.take(8, length.saturating_add(4)).map(|record| (self.time_ns, record));
                }
                words => {
                    debug_assert!(words <= DATA_WORDS_MAX);
                    self.time_ns = self.time_ns.wrapping_add(delta);
                    return self.take(4, words as usize * 4 + 4).map(|record| (self.time_ns, record));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use proptest::prelude::*;

    fn page(time: u64, flags: u64, words: &[u32], after: &[u8]) -> Vec<u8> {
        let mut page = time.to_le_bytes().to_vec();
        page.extend_from_slice(&((words.len() as u64 * 4) | flags).to_le_bytes());
        page.extend(words.iter().flat_map(|word| word.to_le_bytes()));
        page.extend_from_slice(after);
        page
    }

    const fn head(kind: u32, delta: u32) -> u32 {
        kind | delta << TYPE_BITS
    }

    fn events(page: &[u8]) -> Vec<(u64, Vec<u8>)> {
        PageLayout::USUAL.read(page).entries.map(|(time, record)| (time, record.to_vec())).collect()
    }

    #[test]
    fn every_type_of_entry_is_read() {
        let words = [
            head(2, 5),
            0x0403_0201,
            0x0807_0605, // two words of data
            head(PADDING, 1),
            4, // taken back
            head(TIME_EXTEND, 7),
            2, // 2 << 27 later
            head(0, 10),
            8,
            0xdead_beef, // its length in a word of its own
            head(TIME_STAMP, 3),
            1, // 1 << 27 | 3
            head(1, 0),
            0x0101_0101,
            head(PADDING, 0),
            0xffff_ffff, // the end
            head(1, 1),
            0,
        ];
        let found = events(&page(1_000, 0, &words, &[]));
        let extended = 1_000 + 5 + 1 + 7 + (2 << 27) + 10;
        assert_eq!(found.len(), 3);
        assert_eq!(found[0], (1_005, vec![1, 2, 3, 4, 5, 6, 7, 8]));
        assert_eq!(found[1], (extended, 0xdead_beef_u32.to_le_bytes().to_vec()));
        assert_eq!(found[2], ((1 << 27) + 3, vec![1; 4]));
    }

    #[test]
    fn lost_events_are_seen_and_counted_where_the_kernel_says_how_many() {
        let words = [head(1, 0), 7];
        let lost = |flags, after: &[u8]| PageLayout::USUAL.read(&page(0, flags, &words, after)).lost;
        assert_eq!(lost(0, &[]), Lost::None);
        assert_eq!(lost(MISSED, &[]), Lost::Some);
        assert_eq!(lost(MISSED | MISSED_STORED, &12_u64.to_le_bytes()), Lost::Count(12));
        assert_eq!(lost(MISSED | MISSED_STORED, &[]), Lost::Some);
    }

    #[test]
    fn the_layout_is_read_from_the_kernels_description() {
        let text = "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n\tfield: char data;\toffset:16;\tsize:4080;\tsigned:0;\n";
        assert_eq!(PageLayout::parse(text), Some(PageLayout::USUAL));
        assert_eq!(PageLayout::parse("nothing"), None);
    }

    proptest! {
        #[test]
        fn any_page_is_read_without_panic_and_ends(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
            // Every entry takes at least a word, so no page has more events than words.
            prop_assert!(events(&bytes).len() <= bytes.len() / 4);
        }

        #[test]
        fn records_are_read_back_with_their_times(
            records in proptest::collection::vec((0_u32..1_000, proptest::collection::vec(any::<u32>(), 1..40)), 0..20)
        ) {
            let mut words = Vec::new();
            let (mut time, mut expected) = (17, Vec::new());
            for (delta, record) in &records {
                time += u64::from(*delta);
                if record.len() <= DATA_WORDS_MAX as usize {
                    words.push(head(record.len() as u32, *delta));
                } else {
                    words.extend([head(0, *delta), record.len() as u32 * 4 + 4]);
                }
                words.extend(record);
                expected.push((time, record.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<_>>()));
            }
            prop_assert_eq!(events(&page(17, 0, &words, &[])), expected);
        }
    }
}
