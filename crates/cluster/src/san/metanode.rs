//! Inodes of files that many work with: one node, the file's metanode, reads and writes its inode on the disks; the others
//! ask it for what they don't know, and tell it what they have changed.
//!
//! ```text
//!  node ─▶ fetch ─────────▶ metanode ─▶ disk      open, stat; where somebody else's blocks lie
//!       ◀──────── the inode ◀─┘
//!  node ─▶ merge, sync ───▶ metanode ─▶ disk      a token goes, changes have waited for long, fsync
//!       ◀───────────── done ◀─┘
//! ```
//!
//! So nodes that make one file longer together write no inode by turns. Who first works with a file is its metanode, as long
//! as the file is there; who it is nodes learn with their tokens. Where tokens are of whole files there is none: whoever has
//! the token has the inode.
//!
//! Source: Schmuck and Haskin, FAST 2002, section 3.3. Leaves out a metanode that hands its part on, and the time of its
//! processors.

use super::cache::{Key, State};
use super::call::{Call, Need, Wait};
use super::message::{InodeAccess, InodeReply, InodeRequest, Payload, Recipient};
use super::node::{Next, Node};
use super::parameters::Granularity;
use super::ranges::Mode;
use super::requests::{Outstanding, Waiter};
use super::tokens::Object;
use super::volume::Volume;
use petrio_colours::{Direction, Failure, FileId, FileOp};
use petrio_kernel::Time;
use petrio_persist::Persist;
use std::collections::BTreeSet;

/// What another node wants here.
#[derive(Clone, Copy, Debug, Persist)]
pub(super) struct Served {
    request: InodeRequest,
    is_merged: bool,
    /// How often the inode has been written for it.
    passes: u8,
    /// Requests that it waits for.
    left: u32,
    failure: Option<Failure>,
}

impl Served {
    /// A request of its has come back; whether it was the last.
    pub(super) fn came(&mut self, failure: Option<Failure>) -> bool {
        self.left = self.left.saturating_sub(1);
        self.failure = self.failure.or(failure);
        self.left == 0
    }
}

impl Node {
    /// Whether the node itself reads and writes a file's inode.
    pub(super) fn keeps_inode(&self, file: FileId, volume: &Volume) -> bool {
        let is_here = |metanode| metanode == self.rules.node;
        self.rules.granularity == Granularity::File || volume.metanode(file).is_none_or(is_here)
    }

    /// The file whose inode a block is that another node keeps.
    fn kept_elsewhere(&self, key: Key, volume: &Volume) -> Option<FileId> {
        match key {
            Key::Inode(file) if !self.keeps_inode(file, volume) => Some(file),
            _ => None,
        }
    }

    /// Sends for the inodes among blocks that other nodes keep, and leaves the rest.
    pub(super) fn fetch_inodes(&mut self, keys: &mut Vec<Key>, volume: &Volume) {
        keys.retain(|&key| {
            let Some(file) = self.kept_elsewhere(key, volume) else { return true };
            let tag = self.send(file, InodeAccess::Fetch, vec![key], volume);
            self.cache.set(key, State::Coming(tag));
            false
        });
    }

    /// Tells other nodes of what has been changed of inodes among blocks that they keep, and leaves the rest.
    pub(super) fn send_inodes(&mut self, keys: &mut Vec<Key>, volume: &Volume) {
        keys.retain(|&key| {
            let Some(file) = self.kept_elsewhere(key, volume) else { return true };
            if self.held.contains_key(&Object::Attributes(file)) {
                self.untold.insert(file);
                self.send_inode(file, false, volume);
            } else {
                // It is of a file that is no more, whose number another has.
                self.cache.remove(key);
            }
            false
        });
    }

    fn send_inode(&mut self, file: FileId, sync: bool, volume: &Volume) -> u32 {
        let key = Key::Inode(file);
        let tag = self.send(file, InodeAccess::Merge { sync }, vec![key], volume);
        self.cache.set(key, State::Writing(tag, false));
        self.writing += 1;
        tag
    }

    /// Has a file's inode written, or all, by whoever keeps it; for how many answers to wait.
    pub(super) fn sync_inodes(&mut self, file: Option<FileId>, waiter: Waiter, volume: &Volume) -> u32 {
        let changed = |key: Key| if let Key::Inode(file) = key { Some(file) } else { None };
        let files: BTreeSet<FileId> = match file {
            Some(file) => BTreeSet::from([file]),
            None => {
                let inodes = Key::Inode(FileId(0))..=Key::Inode(FileId(u32::MAX));
                let dirty = self.cache.dirty_in(inodes).into_iter().filter_map(changed);
                self.untold.iter().copied().chain(dirty).collect()
            }
        };
        let mut left = 0;
        for file in files {
            let was_told = self.untold.remove(&file);
            if self.keeps_inode(file, volume) {
                continue;
            }
            let tag = if self.cache.state(Key::Inode(file)) == Some(State::Dirty) {
                self.send_inode(file, true, volume)
            } else if was_told {
                self.writing += 1;
                self.send(file, InodeAccess::Sync, Vec::new(), volume)
            } else {
                continue;
            };
            left += self.wait_for(tag, waiter);
        }
        left
    }

    fn send(&mut self, file: FileId, access: InodeAccess, keys: Vec<Key>, volume: &Volume) -> u32 {
        let direction = if access == InodeAccess::Fetch { Direction::Read } else { Direction::Write };
        let tag = self.outstanding.insert(Outstanding::of_inode(keys, direction));
        let metanode = volume.metanode(file).unwrap_or(self.rules.node);
        let request = InodeRequest { file, access, node: self.rules.node, tag };
        self.out.messages.push((Recipient::Node(metanode), Payload::Inode(request)));
        tag
    }

    /// Before a call works with a range of bytes it learns where these lie, if others found the places; whether it waits.
    pub(super) fn learn(&mut self, slot: u32, call: &mut Call, range: (u64, u64), volume: &Volume) -> bool {
        let file = call.op.file;
        let known = self.known.get(&file).copied().unwrap_or(0);
        if self.keeps_inode(file, volume) || volume.is_known(file, range, (self.rules.node, known)) {
            return false;
        }
        self.known.insert(file, volume.changes(file));
        let tag = self.send(file, InodeAccess::Fetch, Vec::new(), volume);
        call.left = self.wait_for(tag, Waiter::Call(slot));
        true
    }

    /// A call that has to know exactly what stands in an inode learns what others have changed since the node looked.
    pub(super) fn refresh(&mut self, slot: u32, call: &mut Call, volume: &Volume, now: Time) -> Option<Next> {
        let file = call.op.file;
        if !self.stale.contains(&file) {
            return None;
        }
        let key = Key::Inode(file);
        call.left = self.flush(Key::inode_of(file), Waiter::Call(slot), volume, now);
        if call.left > 0 {
            return Some(Next::Wait(Wait::Write));
        }
        call.left = self.wait_for_reads([key].into_iter(), Waiter::Call(slot));
        if call.left > 0 {
            return Some(Next::Wait(Wait::Read));
        }
        self.stale.remove(&file);
        self.cache.remove(key);
        None
    }

    /// Whoever reads or writes needs the inode, and exactly as it is to go to the end; what the call waits for.
    pub(super) fn with_inode(
        &mut self,
        slot: u32,
        call: &mut Call,
        volume: &Volume,
        now: Time,
    ) -> Option<Next> {
        let is_exact =
            |need: &Need| matches!(need.object, Object::Attributes(_)) && need.mode == Mode::Shared;
        if call.needs.iter().any(is_exact)
            && let Some(next) = self.refresh(slot, call, volume, now)
        {
            return Some(next);
        }
        let key = Key::Inode(call.op.file);
        call.left = self.bring(&[key], Waiter::Call(slot), (volume, &call.op), now);
        self.cache.touch(key);
        (call.left > 0).then_some(Next::Wait(Wait::Read))
    }

    /// Another node wants something of an inode that this one keeps.
    pub(super) fn hear_inode_request(&mut self, request: InodeRequest, volume: &Volume, now: Time) {
        let number = self.inode_requests.insert(Served {
            request,
            is_merged: false,
            passes: 0,
            left: 0,
            failure: None,
        });
        self.serve(number, volume, now);
        self.look_at_dirty();
    }

    /// Does what there is to do for it, until it has to wait.
    pub(super) fn serve(&mut self, number: u32, volume: &Volume, now: Time) {
        let Some(&mut mut served) = self.inode_requests.get_mut(number) else { return };
        let InodeRequest { file, access, node, tag } = served.request;
        let is_there = volume.size(file).is_some();
        if is_there && served.failure.is_none() && self.has_to_wait(number, &mut served, volume, now) {
            if let Some(place) = self.inode_requests.get_mut(number) {
                *place = served;
            }
            return;
        }
        self.inode_requests.remove(number);
        let reply = InodeReply { tag, inode: access == InodeAccess::Fetch, failure: served.failure };
        self.out.messages.push((Recipient::Node(node), Payload::InodeReply(reply)));
    }

    fn has_to_wait(&mut self, number: u32, served: &mut Served, volume: &Volume, now: Time) -> bool {
        let (waiter, access) = (Waiter::Inode(number), served.request.access);
        let file = served.request.file;
        let key = Key::Inode(file);
        if access != InodeAccess::Sync && !served.is_merged {
            served.left = self.bring(&[key], waiter, (volume, &FileOp::default()), now);
            if served.left > 0 {
                return true;
            }
            served.is_merged = true;
            if access != InodeAccess::Fetch {
                self.change(key);
            }
        }
        // What is being written while it is changed again needs a second turn.
        if matches!(access, InodeAccess::Sync | InodeAccess::Merge { sync: true }) && served.passes < 2 {
            served.passes += 1;
            served.left = self.flush(Key::inode_of(file), waiter, volume, now);
            return served.left > 0;
        }
        false
    }

    /// A metanode has done what it was asked for.
    pub(super) fn hear_inode_reply(&mut self, reply: InodeReply, volume: &Volume, now: Time) {
        self.came(reply.tag, (reply.failure, None), volume, now);
    }
}
