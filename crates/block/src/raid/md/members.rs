//! What the thread asks of the members: pages that go on from each other are one request.
//!
//! Source: `ops_run_io` of Linux 6.1's drivers/md/raid5.c, and `blk_attempt_plug_merge` of block/blk-merge.c: what the thread submits
//! under its plug is merged with the latest request for the same member, before or after it; a write that must reach the medium is
//! merged with nothing (REQ_NOMERGE_FLAGS).

use super::decide::Units;
use petrio_colours::{Direction, Purposes};
use petrio_persist::Persist;

/// A request to a member.
#[derive(Clone, Copy, Debug, Persist)]
pub(in super::super) struct Piece {
    pub(in super::super) member: usize,
    pub(in super::super) direction: Direction,
    pub(in super::super) address: u64,
    pub(in super::super) blocks: u64,
    /// Blocks that are there for redundancy alone.
    pub(in super::super) redundant: u64,
    /// Whose request it is first of all, by its slot.
    pub(in super::super) slot: u32,
    /// The member flushes before it.
    pub(in super::super) flush_before: bool,
    pub(in super::super) force_unit_access: bool,
    pub(in super::super) awaited: bool,
    pub(in super::super) purposes: Purposes,
}

/// What is submitted at a time.
#[derive(Clone, Debug, Default, Persist)]
pub(super) struct Plug {
    requests: Vec<(Piece, Vec<(u32, u8)>)>,
    /// The latest of each member, counted from 1.
    latest: Vec<usize>,
    /// Requests that have left the plug by now.
    gone: usize,
}

/// A request so long pulls the plug when the next is made (BLK_PLUG_FLUSH_SIZE, 128 KiB), and so many do (twice BLK_MAX_REQUEST_COUNT, for
/// several queues).
const LONG_BLOCKS: u64 = 256;
const MOST_PLUGGED: usize = 64;

impl Plug {
    pub(super) fn new(members: usize) -> Self {
        Self { requests: Vec::new(), latest: vec![0; members], gone: 0 }
    }

    /// A page, of a stripe head and its unit, is read or written.
    pub(super) fn add(&mut self, piece: Piece, page: (u32, u8), most_blocks: u64) {
        let latest = self.latest[piece.member];
        if let Some((before, pages)) = latest.checked_sub(1).and_then(|at| self.requests.get_mut(at)) {
            let same = before.direction == piece.direction
                && !before.force_unit_access
                && !piece.force_unit_access
                && before.blocks + piece.blocks <= most_blocks;
            let after = before.address + before.blocks == piece.address;
            if same && (after || piece.address + piece.blocks == before.address) {
                before.address = before.address.min(piece.address);
                before.blocks += piece.blocks;
                before.redundant += piece.redundant;
                before.awaited |= piece.awaited;
                before.purposes = before.purposes.and(piece.purposes);
                pages.push(page);
                return;
            }
        }
        // What is long enough doesn't wait for others, nor do the others that wait with it.
        let long = self.requests.last().is_some_and(|(last, _)| last.blocks >= LONG_BLOCKS);
        if long || self.requests.len() - self.gone >= MOST_PLUGGED {
            self.gone = self.requests.len();
            self.latest.fill(0);
        }
        self.requests.push((piece, vec![page]));
        self.latest[piece.member] = self.requests.len();
    }

    /// All that was submitted.
    pub(super) fn take(&mut self) -> Vec<(Piece, Vec<(u32, u8)>)> {
        self.latest.fill(0);
        self.gone = 0;
        std::mem::take(&mut self.requests)
    }
}

/// The units of a set, one after the other.
pub(super) fn each(units: Units) -> impl Iterator<Item = usize> {
    let mut left = units;
    std::iter::from_fn(move || {
        let unit = (left != 0).then(|| left.trailing_zeros() as usize)?;
        left &= left - 1;
        Some(unit)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::raid::md::PAGE_BLOCKS;

    fn requests(pages: &[(u64, bool)]) -> Vec<(u64, u64)> {
        let mut plug = Plug::new(1);
        for &(page, force_unit_access) in pages {
            let piece = Piece {
                member: 0,
                direction: Direction::Write,
                address: page * PAGE_BLOCKS,
                blocks: PAGE_BLOCKS,
                redundant: 0,
                slot: 0,
                flush_before: false,
                force_unit_access,
                awaited: false,
                purposes: Purposes::default(),
            };
            plug.add(piece, (0, 0), 32);
        }
        plug.take()
            .iter()
            .map(|(piece, _)| (piece.address / PAGE_BLOCKS, piece.blocks / PAGE_BLOCKS))
            .collect()
    }

    #[test]
    fn pages_that_go_on_from_the_latest_request_join_it() {
        assert_eq!(
            requests(&[(1, false), (2, false), (0, false), (5, false), (3, false)]),
            [(0, 3), (5, 1), (3, 1)]
        );
        assert_eq!(requests(&[(0, true), (1, true), (2, false)]), [(0, 1), (1, 1), (2, 1)]);
        let long: Vec<_> = (0..6).map(|page| (page, false)).collect();
        assert_eq!(requests(&long), [(0, 4), (4, 2)]);
    }
}
