//! An end that asks: each request has a connection to its server's daemon for itself until it is answered, and waits for one where all
//! that there may be are in use.
//!
//! After `NodeConnPool_acquireStreamSocket` (client_module and common, nodes/NodeConnPool): of a client and of servers among themselves.
//! Left out: that connections are made when they are first needed, and go when they aren't used for long.

use super::message::{Call, Packet, Reply, Request, Target};
use super::procedure::Procedure;
use super::striping::Striping;
use super::wire;
use crate::address::Address;
use crate::rpc_tally::RpcTally;
use petrio_colours::Message;
use petrio_kernel::Time;
use petrio_persist::Persist;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

/// Connections of a daemon are numbered from its own number times this on, those to one other from its number times the second.
const OF_DAEMON: u32 = 1 << 20;
const OF_NODE: u32 = 1 << 8;

/// A server's end: where it is heard, and which daemon it is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct End {
    pub(super) address: Address,
    pub(super) node: u16,
}

/// Which servers there are, and what is the same for all ends.
#[derive(Clone, Debug)]
pub(super) struct Table {
    pub(super) striping: Arc<Striping>,
    pub(super) metas: Vec<End>,
    pub(super) targets: Vec<End>,
    /// Bytes of a piece in which data are sent to be written, and written.
    pub(super) piece: u64,
    /// Bytes of a piece in which they are read and sent, once so many were read one after the other.
    pub(super) read_piece: u64,
    /// Bytes of an answer with names.
    pub(super) names: u64,
}

impl Table {
    /// Whether a server is heard there.
    pub(super) fn is_server(&self, address: Address) -> bool {
        self.metas.iter().chain(&self.targets).any(|end| end.address == address)
    }

    pub(super) fn end_of(&self, target: Target) -> Option<End> {
        match target {
            Target::Meta(number) => self.metas.get(usize::from(number)).copied(),
            Target::Storage(number) => self.targets.get(usize::from(number)).copied(),
        }
    }
}

/// A request that isn't answered, and what it is of.
#[derive(Clone, Debug, Persist)]
struct Asked<T> {
    of: T,
    to: Address,
    node: u16,
    connection: u32,
    procedure: Procedure,
    sent: u64,
    received: u64,
    queued: Time,
    at: Time,
}

/// One that waits for a connection.
#[derive(Clone, Debug, Persist)]
struct Waiting<T> {
    of: T,
    number: u32,
    call: Call,
    since: Time,
    /// Its data that are here already.
    pieces: Vec<u64>,
}

/// The connections to a daemon.
#[derive(Clone, Debug, Persist)]
struct Pool<T> {
    /// Of each, whether it is in use.
    used: Vec<bool>,
    waiting: VecDeque<Waiting<T>>,
}

/// A request that is over.
#[derive(Clone, Debug)]
pub(super) struct Answered<T> {
    pub(super) of: T,
    pub(super) procedure: Procedure,
    /// What it came to; nothing of what isn't over yet.
    pub(super) tally: Option<RpcTally>,
}

/// What an end asks.
#[derive(Clone, Debug, Persist)]
pub(super) struct Asker<T> {
    #[persist(keep)]
    pub(super) table: Arc<Table>,
    own: Address,
    /// The most connections to a daemon (`connMaxInternodeNum`).
    most: usize,
    pools: BTreeMap<u16, Pool<T>>,
    asked: BTreeMap<u32, Asked<T>>,
    next: u32,
    /// What is to be sent over the network, and to daemons of the same host.
    pub(super) out: Vec<Message>,
    pub(super) here: Vec<Message>,
    /// Requests that were sent and aren't answered; bytes that were sent to be written, and that came as they were read.
    pub(super) unanswered: u64,
    pub(super) written: u64,
    pub(super) read: u64,
}

impl<T: Clone> Asker<T> {
    pub(super) fn new(table: &Arc<Table>, own: Address, most: u32) -> Self {
        Self {
            table: Arc::clone(table),
            own,
            most: most as usize,
            pools: BTreeMap::new(),
            asked: BTreeMap::new(),
            next: 0,
            out: Vec::new(),
            here: Vec::new(),
            unanswered: 0,
            written: 0,
            read: 0,
        }
    }

    /// Puts a message where it leaves.
    fn leave(&mut self, to: Address, connection: u32, (bytes, packet): (u64, Packet)) {
        let message = self.own.message(to, connection, (bytes, packet));
        if to.host == self.own.host { self.here.push(message) } else { self.out.push(message) }
    }

    /// Asks for something, with all of its data.
    pub(super) fn ask(&mut self, of: T, call: Call, now: Time) {
        let (piece, data) = (self.table.piece.max(1), call.data());
        let pieces = (0..data.div_ceil(piece)).map(|at| piece.min(data - at * piece)).collect();
        self.queue(of, call, pieces, now);
    }

    /// Asks to write data of which some aren't here yet; its number.
    pub(super) fn forward(&mut self, of: T, call: Call, now: Time) -> u32 {
        self.queue(of, call, Vec::new(), now)
    }

    /// More data of a request are here.
    pub(super) fn follow(&mut self, number: u32, bytes: u64) {
        match self.asked.get(&number) {
            Some(_) => self.send_piece(number, bytes),
            None => {
                let mut all = self.pools.values_mut().flat_map(|pool| &mut pool.waiting);
                let own = all.find(|waiting| waiting.number == number);
                own.into_iter().for_each(|waiting| waiting.pieces.push(bytes));
            }
        }
    }

    fn queue(&mut self, of: T, call: Call, pieces: Vec<u64>, now: Time) -> u32 {
        self.next = self.next.wrapping_add(1);
        let number = self.next;
        let Some(End { node, .. }) = self.table.end_of(call.target) else { return number };
        let pool =
            self.pools.entry(node).or_insert_with(|| Pool { used: Vec::new(), waiting: VecDeque::new() });
        pool.waiting.push_back(Waiting { of, number, call, since: now, pieces });
        self.go_on(node, now);
        number
    }

    /// Sends what waits for connections to a daemon, as far as there are any.
    fn go_on(&mut self, node: u16, now: Time) {
        let most = self.most;
        while let Some(pool) = self.pools.get_mut(&node) {
            let free = pool.used.iter().position(|used| !used);
            let index = match free {
                _ if pool.waiting.is_empty() => return,
                Some(index) => index,
                None if pool.used.len() < most => {
                    pool.used.push(false);
                    pool.used.len() - 1
                }
                None => return,
            };
            let Some(waiting) = pool.waiting.pop_front() else { return };
            pool.used[index] = true;
            self.send(waiting, (node, index), now);
        }
    }

    fn send(&mut self, waiting: Waiting<T>, (node, index): (u16, usize), now: Time) {
        let Waiting { of, number, call, since, pieces } = waiting;
        let Some(End { address, .. }) = self.table.end_of(call.target) else { return };
        let index = u32::try_from(index).unwrap_or(0);
        let daemon = self.own.service.wrapping_mul(OF_DAEMON);
        let connection = daemon.wrapping_add(u32::from(node) * OF_NODE).wrapping_add(index);
        let procedure = call.procedure;
        let bytes = wire::request(procedure, self.table.striping.per_file.into());
        let queued = now.saturating_sub(since);
        let asked =
            Asked { of, to: address, node, connection, procedure, sent: bytes, received: 0, queued, at: now };
        self.asked.insert(number, asked);
        self.unanswered += 1;
        let request = Request { number, from: self.own, connection, call };
        self.leave(address, connection, (bytes, Packet::Request(Box::new(request))));
        pieces.into_iter().for_each(|bytes| self.send_piece(number, bytes));
    }

    fn send_piece(&mut self, number: u32, bytes: u64) {
        let Some(asked) = self.asked.get_mut(&number) else { return };
        asked.sent += bytes;
        let (to, connection) = (asked.to, asked.connection);
        self.written += bytes;
        let data = Packet::Data { from: self.own, number, bytes };
        self.leave(to, connection, (bytes, data));
    }

    /// An answer has come, or a part of one: what it is of, and what that came to if it is over.
    pub(super) fn hear(&mut self, reply: &Reply, now: Time) -> Option<Answered<T>> {
        let asked = self.asked.get_mut(&reply.number)?;
        asked.received += reply.bytes;
        self.read += reply.data;
        if !reply.is_last {
            return Some(Answered { of: asked.of.clone(), procedure: asked.procedure, tally: None });
        }
        let Asked { of, node, connection, procedure, sent, received, queued, at, .. } =
            self.asked.remove(&reply.number)?;
        self.unanswered -= 1;
        let index = (connection % OF_NODE) as usize;
        let pool = self.pools.get_mut(&node);
        pool.and_then(|pool| pool.used.get_mut(index)).into_iter().for_each(|used| *used = false);
        self.go_on(node, now);
        let answered = now.saturating_sub(at);
        let tally = Some(RpcTally { calls: 1, sent, received, queued, answered });
        Some(Answered { of, procedure, tally })
    }

    /// Sends an answer.
    pub(super) fn reply(&mut self, (to, connection): (Address, u32), reply: Reply) {
        let bytes = reply.bytes;
        self.leave(to, connection, (bytes, Packet::Reply(Box::new(reply))));
    }
}
