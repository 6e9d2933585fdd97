//! The replies that a server keeps, so that a call that comes twice isn't done twice (Juszczak, "Improving the performance and correctness
//! of an NFS server", USENIX 1989; fs/nfsd/nfscache.c).
//!
//! Who sent a call and its number tell it from others. One that is still being done is dropped when it comes again: its reply is on its way.
//! One that has been done is answered with the reply of then. The oldest are forgotten, and all of them where the server stops.

use super::message::{Call, Reply};
use crate::address::Address;
use petrio_persist::Persist;
use std::collections::{BTreeMap, VecDeque};

/// Who sent a call, and its number.
type Known = (Address, u32);

/// What a server makes of a call.
#[derive(Clone, Debug)]
pub(super) enum Seen {
    /// It is new, or nothing is kept of its kind.
    New,
    /// It is being done.
    Doing,
    /// This was answered.
    Done(Box<Reply>),
}

/// The replies.
#[derive(Clone, Debug, Persist)]
pub(super) struct Replies {
    /// How many are kept.
    most: u32,
    kept: BTreeMap<Known, Option<Box<Reply>>>,
    order: VecDeque<Known>,
}

impl Replies {
    pub(super) fn new(most: u32) -> Self {
        Self { most, kept: BTreeMap::new(), order: VecDeque::new() }
    }

    /// The server has been started anew.
    pub(super) fn forget(&mut self) {
        self.kept.clear();
        self.order.clear();
    }

    /// A call comes.
    pub(super) fn see(&mut self, from: Address, call: &Call) -> Seen {
        if self.most == 0 || !call.is_kept() {
            return Seen::New;
        }
        let known = (from, call.number);
        match self.kept.get(&known) {
            Some(None) => return Seen::Doing,
            Some(Some(reply)) => return Seen::Done(reply.clone()),
            None => {}
        }
        if self.order.len() >= self.most as usize
            && let Some(oldest) = self.order.pop_front()
        {
            self.kept.remove(&oldest);
        }
        self.order.push_back(known);
        self.kept.insert(known, None);
        Seen::New
    }

    /// A call is over.
    pub(super) fn keep(&mut self, to: Address, reply: &Reply) {
        if let Some(kept) = self.kept.get_mut(&(to, reply.number)) {
            *kept = Some(Box::new(reply.clone()));
        }
    }
}
