//! Round-robin striping: which server holds which bytes of a file, and where in its own file there.

use petrio_colours::FileId;
use petrio_persist::Persist;
use petrio_random::finish;
use petrio_units::numbers::as_number;

/// How a file system's files lie on its servers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
pub struct Striping {
    /// Bytes on a server before the next one's turn.
    pub unit: u64,
    /// Servers of the file system.
    pub servers: u32,
    /// Servers that a file lies on.
    pub per_file: u32,
    /// In which order these take turns.
    pub order: Order,
}

/// In which order a file's servers take turns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
pub enum Order {
    /// From its first server on.
    Ascending,
    /// Its first server is drawn; the others follow in descending order from any of them on, as OrangeFS 2.10 was seen
    /// to do.
    Drawn,
}

/// The part of a range that lies on one server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// The server.
    pub server: u32,
    /// First byte in the server's own file, which holds all of it in one piece.
    pub offset: u64,
    /// Bytes.
    pub length: u64,
}

/// A file's servers in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Turns {
    striping: Striping,
    /// The first of the servers on which it lies: they follow each other.
    base: u32,
    /// Which of them is first.
    first: u32,
    /// Which of the others is second.
    second: u32,
}

impl Striping {
    /// A file's servers; `salt` makes what is drawn differ between runs.
    pub fn turns(&self, file: FileId, salt: u64) -> Turns {
        // Files that lie on some servers only are spread over all.
        let number = u64::from(file.0);
        let base = match self.per_file < self.servers {
            true => as_number(number * u64::from(self.per_file) % u64::from(self.servers)),
            false => 0,
        };
        let (first, second) = match self.order {
            Order::Ascending => (0, 0),
            Order::Drawn => {
                let drawn = finish(salt ^ number.wrapping_mul(0x9e37_79b9_7f4a_7c15));
                let others = u64::from(self.per_file - 1).max(1);
                let first = ((drawn >> 32) * u64::from(self.per_file)) >> 32;
                let second = ((drawn & 0xffff_ffff) * others) >> 32;
                (first as u32, second as u32)
            }
        };
        Turns { striping: *self, base, first, second }
    }

    /// Whether some of a file lies on a server.
    pub fn is_on(&self, file: FileId, server: u32) -> bool {
        let base = self.turns(file, 0).base;
        (server + self.servers - base) % self.servers < self.per_file
    }

    /// Bytes of a file of this size that a server holds at most, whichever is first.
    pub fn most_on_a_server(&self, size: u64) -> u64 {
        let round = self.unit * u64::from(self.per_file);
        size / round * self.unit + (size % round).min(self.unit)
    }
}

impl Turns {
    /// The server whose turn it is at a position of a round.
    pub fn server(&self, position: u32) -> u32 {
        let Striping { servers, per_file, order, .. } = self.striping;
        let within = match (order, position) {
            (Order::Ascending, _) => position,
            (Order::Drawn, 0) => self.first,
            (Order::Drawn, _) => {
                // Descending among the others, which are all but the first.
                let others = per_file - 1;
                let other = (self.second + others - (position - 1)) % others;
                if other < self.first { other } else { other + 1 }
            }
        };
        (self.base + within) % servers
    }

    /// The parts of a range, in the order of turns.
    pub fn parts(&self, offset: u64, length: u64) -> impl Iterator<Item = Part> {
        let Striping { unit, per_file, .. } = self.striping;
        let turns = *self;
        (0..per_file).filter_map(move |position| {
            let before = |end: u64| before(end, unit, per_file, position);
            let (from, to) = (before(offset), before(offset + length));
            (to > from).then(|| Part { server: turns.server(position), offset: from, length: to - from })
        })
    }

    /// All servers of the file, in the order of turns.
    pub fn servers(&self) -> impl Iterator<Item = u32> {
        let turns = *self;
        (0..self.striping.per_file).map(move |position| turns.server(position))
    }
}

/// How many of a file's first `end` bytes lie on the server at a position.
fn before(end: u64, unit: u64, per_file: u32, position: u32) -> u64 {
    let round = unit * u64::from(per_file);
    end / round * unit + (end % round).saturating_sub(u64::from(position) * unit).min(unit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        #[test]
        fn every_byte_lies_where_counting_finds_it(
            unit in 1u64..9,
            (servers, per_file) in (1u32..7).prop_flat_map(|servers| (Just(servers), 1..=servers)),
            drawn: bool,
            file in 0u32..50,
            salt: u64,
            (offset, length) in (0u64..200, 0u64..200),
        ) {
            let order = if drawn { Order::Drawn } else { Order::Ascending };
            let striping = Striping { unit, servers, per_file, order };
            let turns = striping.turns(FileId(file), salt);
            // Byte by byte: the server whose turn it is, and its next byte.
            let mut next: BTreeMap<u32, u64> = BTreeMap::new();
            let mut parts: BTreeMap<u32, (u64, u64)> = BTreeMap::new();
            for byte in 0..offset + length {
                let server = turns.server((byte / unit % u64::from(per_file)) as u32);
                prop_assert!(striping.is_on(FileId(file), server));
                let at = next.entry(server).or_insert(0);
                if byte >= offset {
                    let part = parts.entry(server).or_insert((*at, 0));
                    prop_assert_eq!(part.0 + part.1, *at, "one piece on each server");
                    part.1 += 1;
                }
                *at += 1;
                prop_assert!(*at <= striping.most_on_a_server(byte + 1));
            }
            let found: BTreeMap<u32, (u64, u64)> =
                turns.parts(offset, length).map(|part| (part.server, (part.offset, part.length))).collect();
            prop_assert_eq!(found, parts);
            let servers: std::collections::BTreeSet<u32> = turns.servers().collect();
            prop_assert_eq!(servers.len(), per_file as usize, "each server once");
        }
    }

    #[test]
    fn drawn_orders_are_those_that_were_seen() {
        // Data file 0 anywhere, the others descending without its server, from any of them on.
        let striping = Striping { unit: 1, servers: 4, per_file: 4, order: Order::Drawn };
        let mut seen = BTreeMap::new();
        for file in 0..4800 {
            let order: Vec<u32> = striping.turns(FileId(file), 99).servers().collect();
            *seen.entry(order).or_insert(0) += 1;
        }
        assert_eq!(seen.len(), 12);
        assert!(seen.values().all(|&count| (300..500).contains(&count)), "{seen:?}");
        // 4-2-1-3 and 3-4-2-1 of the measurements, counted from 0.
        assert!(seen.contains_key(&vec![3, 1, 0, 2]) && seen.contains_key(&vec![2, 3, 1, 0]));
    }
}
