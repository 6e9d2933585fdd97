//! LNet's credits: how many messages of an end are on their way, to one other (`peer_credits`) and in all (`credits`).
//!
//! After lnet/lnet/lib-move.c (`lnet_post_send_locked`: what has no credit waits in its peer's queue, then in the network's) and
//! lnet/klnds/o2iblnd: a credit comes back with the next message from who has received (`ibm_credits`), or with one that brings nothing
//! else
//! where half of them are owed (`peer_credits_hiw`; `kiblnd_need_noop`). Over sockets a credit is held until the message has been handed to
//! the connection; the same rule stands for both here.

use super::message::{Packet, Says};
use super::wire::LNET;
use crate::address::Address;
use petrio_colours::Message;
use petrio_kernel::Time;
use petrio_persist::Persist;
use std::collections::{BTreeMap, VecDeque};

/// A message that waits for a credit.
#[derive(Clone, Debug, Persist)]
struct Waiting {
    connection: u32,
    bytes: u64,
    says: Says,
    since: Time,
}

/// The other end.
#[derive(Clone, Debug, Persist)]
struct Peer {
    address: Address,
    /// Messages that may be sent to it.
    left: u32,
    /// Messages received from it whose credits it doesn't have back.
    owed: u32,
    waiting: VecDeque<Waiting>,
}

/// An end.
#[derive(Clone, Debug, Persist)]
pub(super) struct Lnet {
    own: Address,
    each: u32,
    /// Messages that may be sent to any.
    left: u32,
    peers: BTreeMap<u32, Peer>,
    held_up: u64,
    /// Messages that go.
    pub(super) out: Vec<Message>,
    /// Messages that waited for a credit, and how long.
    pub(super) waits: u64,
    pub(super) waited: Time,
}

impl Lnet {
    pub(super) fn new(own: Address, (each, all): (u32, u32)) -> Self {
        let (peers, out) = (BTreeMap::new(), Vec::new());
        Self { own, each, left: all, peers, held_up: 0, out, waits: 0, waited: Time::ZERO }
    }

    fn peer(&mut self, address: Address) -> &mut Peer {
        let each = self.each;
        let new = Peer { address, left: each, owed: 0, waiting: VecDeque::new() };
        self.peers.entry(address.host).or_insert(new)
    }

    /// Sends something, or has it wait for a credit.
    pub(super) fn send(&mut self, to: Address, connection: u32, (bytes, says): (u64, Says), now: Time) {
        let left = self.left;
        let peer = self.peer(to);
        if peer.left == 0 || left == 0 || !peer.waiting.is_empty() {
            peer.waiting.push_back(Waiting { connection, bytes, says, since: now });
            self.held_up += 1;
        } else {
            self.goes(to.host, connection, bytes, says);
        }
    }

    fn goes(&mut self, host: u32, connection: u32, bytes: u64, says: Says) {
        let Some(peer) = self.peers.get_mut(&host) else { return };
        if !matches!(says, Says::Credits) {
            (peer.left, self.left) = (peer.left - 1, self.left - 1);
        }
        let returns = std::mem::take(&mut peer.owed);
        let packet = Packet { from: self.own.service, returns, says };
        self.out.push(self.own.message(peer.address, connection, (bytes, packet)));
    }

    /// A message has come.
    pub(super) fn came(&mut self, from: Address, packet: &Packet, now: Time) {
        let half = (self.each / 2).max(1);
        let peer = self.peer(from);
        peer.left += packet.returns;
        if !matches!(packet.says, Says::Credits) {
            peer.owed += 1;
        }
        let owes_much = peer.owed >= half;
        self.left += packet.returns;
        self.release(from.host, now);
        if self.held_up > 0 && self.left > 0 {
            let others: Vec<u32> = self.peers.keys().copied().collect();
            others.into_iter().for_each(|host| self.release(host, now));
        }
        if owes_much && self.peers.get(&from.host).is_some_and(|peer| peer.owed >= half) {
            self.goes(from.host, self.own.service.wrapping_mul(4), LNET, Says::Credits);
        }
    }

    /// What waits for a peer goes, as far as credits reach.
    fn release(&mut self, host: u32, now: Time) {
        while self.left > 0
            && let Some(peer) = self.peers.get_mut(&host).filter(|peer| peer.left > 0)
            && let Some(Waiting { connection, bytes, says, since }) = peer.waiting.pop_front()
        {
            self.held_up -= 1;
            self.waits += 1;
            self.waited += now - since;
            self.goes(host, connection, bytes, says);
        }
    }

    /// What waits here counts as this.
    pub(super) fn sum(&self, counts: impl Fn(&Says) -> i64) -> i64 {
        self.peers.values().flat_map(|peer| &peer.waiting).map(|waiting| counts(&waiting.says)).sum()
    }

    /// The address of the end on a host, from a message of it.
    pub(super) const fn sender(host: u32, packet: &Packet) -> Address {
        Address { host, service: packet.from }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn credits_limit_messages_and_come_back() {
        let (a, b) = (Address { host: 0, service: 0 }, Address { host: 1, service: 0 });
        let (mut one, mut other) = (Lnet::new(a, (4, 6)), Lnet::new(b, (4, 256)));
        for number in 0..10 {
            one.send(b, 0, (100, Says::Ack { number }), Time::ZERO);
        }
        assert_eq!(one.out.len(), 4);
        let mut received = 0;
        let mut turns = 0;
        while received < 10 && turns < 100 {
            turns += 1;
            let now = Time::from_micros(turns);
            for message in std::mem::take(&mut one.out) {
                let packet = message.payload.open::<Packet>().unwrap();
                received += u64::from(!matches!(packet.says, Says::Credits));
                other.came(a, &packet, now);
            }
            for message in std::mem::take(&mut other.out) {
                one.came(b, &message.payload.open::<Packet>().unwrap(), now);
            }
        }
        assert_eq!((received, one.waits), (10, 6));
        assert!(one.waited > Time::ZERO);
        let peer = &one.peers[&1];
        let owed = other.peers[&0].owed;
        assert_eq!((peer.left + owed, one.left + owed), (4, 6));
    }

    #[test]
    fn all_peers_share_the_credits_of_an_end() {
        let a = Address { host: 0, service: 0 };
        let mut one = Lnet::new(a, (8, 3));
        for host in 1..6 {
            one.send(Address { host, service: 0 }, 0, (100, Says::Ack { number: host }), Time::ZERO);
        }
        assert_eq!(one.out.len(), 3);
        let back = Packet { from: 0, returns: 1, says: Says::Credits };
        one.came(Address { host: 1, service: 0 }, &back, Time::from_micros(1));
        assert_eq!((one.out.len(), one.waits), (4, 1));
    }
}
