//! Who speaks for a request among the nodes, and whom each of its parts is reported to. Pure.

use super::super::copies::Replicas;
use super::super::under_way::{Flight, Tag};
use petrio_colours::{BlockRequest, Direction, FileId};
use smallvec::SmallVec;

/// Whom a node tells how a part went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Hears {
    Spigot,
    /// The node of this disk.
    Node(usize),
}

impl Replicas {
    /// The disk of the node that speaks for a request: that with the master copy of its (first) file. A file that nobody
    /// has asked for yet gets its first copy there or elsewhere; until then the first node speaks for it.
    pub(super) fn speaks_for(&self, request: &BlockRequest) -> usize {
        let file = match request.direction {
            Direction::Flush | Direction::Discard => None,
            Direction::Read | Direction::Write => self.pieces(request).first().map(|(file, ..)| *file),
        };
        file.map_or(0, |file| self.node_of(file))
    }

    /// The disks of the nodes that have copies of what a request is for, but for the one that speaks for it.
    pub(super) fn also_have(&self, request: &BlockRequest) -> SmallVec<[usize; 8]> {
        let mut others = SmallVec::new();
        if request.direction == Direction::Flush {
            return others;
        }
        let own = self.speaks_for(request);
        for (file, ..) in self.pieces(request) {
            for slot in self.slots_of(file).iter() {
                let disk = self.disk_of(slot);
                if disk != own && !others.contains(&disk) {
                    others.push(disk);
                }
            }
        }
        others
    }

    /// The disk of the node that sends a part to the one with its disk.
    pub(super) fn sent_by(&self, part: &BlockRequest) -> usize {
        let tag = Tag::of(part.tag);
        match self.flights.get(tag.flight) {
            Some(Flight::Whole(whole)) => {
                let piece = whole.pieces.get(tag.piece as usize);
                let has_file = whole.request.direction != Direction::Flush;
                piece.filter(|_| has_file).map_or(0, |piece| self.node_of(piece.file))
            }
            Some(Flight::Copy(copying)) => self.node_of(copying.file),
            None => 0,
        }
    }

    /// Whom a part that came back from its disk is reported to: the last of a read goes to the spigot with its data, all
    /// else to the one who sent it.
    pub(super) fn hears_of(&self, part: &BlockRequest) -> Hears {
        let tag = Tag::of(part.tag);
        if let Some(Flight::Whole(whole)) = self.flights.get(tag.flight)
            && whole.request.direction == Direction::Read
            && part.status.failure().is_none()
            && whole.pieces.get(tag.piece as usize).is_some_and(|piece| piece.steps.is_empty())
        {
            return Hears::Spigot;
        }
        Hears::Node(self.sent_by(part))
    }

    fn node_of(&self, file: FileId) -> usize {
        self.disk_of(self.master_of(file))
    }

    /// A node had what was read in its memory.
    pub(super) fn note_remembered(&mut self, bytes: u64) {
        self.tally.remembered += 1;
        self.tally.remembered_bytes += bytes;
    }
}
