//! What a controller reads ahead: whom it takes to read in order, and how far it goes before them.
//!
//! It remembers the last readers by where each of them stopped. A read that goes on from there, or lies in what was read ahead
//! of it, makes him one who reads in order: then whole stripes are read ahead, so that all members read, and twice as much each
//! time as he comes halfway through, up to a limit. Several such readers share half of the memory.
//!
//! Sources: US patent 5,483,641 (a controller keeps the last reads, and reads ahead where a new one is next to any of them); B. Gill
//! and D. Modha, "SARC: sequential prefetching in adaptive replacement cache", USENIX 2005 (asked for again at a trigger
//! distance, by whole stripes of the array); Dell, PERC H700 and H800 User's Guide, "Adaptive read ahead". How much such
//! controllers read ahead no guide says.

use super::destage::Shape;
use super::lines::Range;
use petrio_persist::Persist;

/// Readers that are remembered.
const READERS: usize = 64;
/// Reads after which a reader who hasn't come back shares memory no longer.
const FORGOTTEN: u64 = 4_096;

/// A reader, in order or not.
#[derive(Clone, Copy, Debug, Persist)]
struct Reader {
    /// Where what he has asked for ends, and what was read ahead of him.
    next: u64,
    ahead: u64,
    /// How much is read ahead of him; nothing yet if he isn't taken to read in order.
    size: u64,
    /// Which read was his last.
    used: u64,
}

/// All readers.
#[derive(Clone, Debug, Persist)]
pub(super) struct ReadAhead {
    shape: Shape,
    /// Sectors that are read ahead at most, of one reader and of all.
    most: u64,
    room: u64,
    readers: Vec<Reader>,
    reads: u64,
}

impl ReadAhead {
    /// Of each data member at most so many sectors, and of all no more than half of a memory.
    pub(super) fn new(shape: Shape, member: u64, memory: u64) -> Self {
        let most = member.saturating_mul((shape.stripe / shape.unit).max(1));
        Self { shape, most, room: memory / 2, readers: Vec::new(), reads: 0 }
    }

    /// Somebody reads a range: what is to be read ahead for him.
    pub(super) fn asked(&mut self, (first, end): Range) -> Option<Range> {
        if self.most == 0 {
            return None;
        }
        self.reads += 1;
        let reads = self.reads;
        let length = end - first;
        // Requests that are under way together may come in another order than they lie.
        let late = length.max(self.shape.stripe);
        let goes_on = |reader: &Reader| {
            let from = if reader.size > 0 { reader.next.saturating_sub(late) } else { reader.next };
            (from..=reader.next.max(reader.ahead)).contains(&first)
        };
        let Some(at) = self.readers.iter().position(goes_on) else {
            let reader = Reader { next: end, ahead: end, size: 0, used: reads };
            if self.readers.len() < READERS {
                self.readers.push(reader);
            } else if let Some(oldest) = self.readers.iter_mut().min_by_key(|reader| reader.used) {
                *oldest = reader;
            }
            return None;
        };
        let in_order = |reader: &&Reader| reader.size > 0 && reader.used + FORGOTTEN > reads;
        let sharers = self.readers.iter().filter(in_order).count().max(1) as u64;
        // Twice what is read ahead of each may be there: what he has come through lies in memory still.
        let limit = self.most.min(self.room / (2 * sharers));
        let Shape { stripe, blocks, .. } = self.shape;
        let reader = &mut self.readers[at];
        (reader.next, reader.used) = (reader.next.max(end), reads);
        let from = reader.ahead.max(reader.next);
        // Who asks for so much at a time himself that there is no room for another such read needs nobody to.
        if limit < stripe.max(length) || reader.size > 0 && from - reader.next > reader.size / 2 {
            return None;
        }
        reader.size = (2 * reader.size).max(stripe.max(2 * length)).min(limit);
        let to = (reader.next + reader.size).max(from + 1).next_multiple_of(stripe).min(blocks);
        reader.ahead = to.max(from);
        (from < to).then_some((from, to))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape() -> Shape {
        Shape { unit: 128, stripe: 512, blocks: 1 << 20, members: 5, copies: 1, parities: 1 }
    }

    #[test]
    fn who_goes_on_where_he_stopped_is_read_ahead_of_and_others_are_not() {
        let mut ahead = ReadAhead::new(shape(), 2_048, 1 << 20);
        assert_eq!(ahead.asked((0, 256)), None);
        assert_eq!(ahead.asked((90_000, 90_256)), None);
        // Whole stripes, from where he stopped.
        assert_eq!(ahead.asked((256, 512)), Some((512, 1_024)));
        // He has half of it left: twice as much.
        assert_eq!(ahead.asked((512, 768)), Some((1_024, 2_048)));
        assert_eq!(ahead.asked((50_000, 50_256)), None);
        assert_eq!(ahead.asked((768, 1_024)), None);
        // The other one, too, goes on.
        assert_eq!(ahead.asked((90_256, 90_512)), Some((90_512, 91_136)));
    }

    #[test]
    fn readers_in_order_share_half_of_the_memory() {
        let longest = |readers: u64| {
            let mut ahead = ReadAhead::new(shape(), 1 << 14, 1 << 16);
            let mut under_way = vec![0u64; readers as usize];
            let mut longest = 0;
            for step in 0..400 {
                for reader in 0..readers {
                    let base = reader * 100_000;
                    let next = base + step * 128;
                    if let Some((_, to)) = ahead.asked((next, next + 128)) {
                        under_way[reader as usize] = to - next;
                    }
                }
                longest = longest.max(under_way.iter().sum());
            }
            longest
        };
        // Half of 65,536 sectors, and the rest of a stripe for each.
        for readers in [1, 2, 4, 8] {
            let most = longest(readers);
            assert!(most > 8_000 && most <= 32_768 + readers * 512, "{readers}: {most}");
        }
    }

    #[test]
    fn reads_that_arrive_in_another_order_are_one_reader_still() {
        let mut ahead = ReadAhead::new(shape(), 2_048, 1 << 20);
        ahead.asked((0, 256));
        ahead.asked((256, 512));
        let asked: Vec<_> = [(768, 1_024), (512, 768), (1_280, 1_536), (1_024, 1_280)]
            .into_iter()
            .filter_map(|range| ahead.asked(range))
            .collect();
        // What is read ahead is read once.
        assert!(asked.windows(2).all(|pair| pair[0].1 == pair[1].0), "{asked:?}");
        assert_eq!(ahead.readers.len(), 1);
    }

    #[test]
    fn who_asks_for_much_at_a_time_is_left_alone_where_memory_is_small() {
        let mut ahead = ReadAhead::new(shape(), 2_048, 4_096);
        ahead.asked((0, 2_048));
        assert_eq!(ahead.asked((2_048, 4_096)), None);
    }
}
