//! A client: a mount's requests become RPCs, of which as many are on their way to a target as it has slots for.
//!
//! ```text
//!  requests ─▶ take ─▶ (queues by target) ─▶ form: neighbours in one RPC ─▶ credits ─▶ (processor) ─▶ requests ⋯ network
//!  completions ◀─ hear ◀─ replies, data, callbacks ⋯ network
//! ```
//!
//! After lustre/osc/osc_cache.c (`osc_send_write_rpc`: pages of an object that follow each other, up to `max_pages_per_rpc`),
//! osc_request.c and
//! lustre/ptlrpc: the data of an RPC follow when its server asks for them, or come before its reply; what is small goes with both.

use super::lnet::Lnet;
use super::message::{Packet, Reply, Request, Says, What};
use super::tally::LustreTally;
use super::wire;
use crate::address::Address;
use crate::rpc_tally::RpcTally;
use petrio_colours::{BlockRequest, Cause, Status};
use petrio_host::lustre::{Asked, Call, Carried, Data, Procedure, Striping, Target, Told};
use petrio_kernel::Time;
use petrio_persist::Persist;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

/// Bytes of a page.
pub(super) const PAGE: u64 = 4096;

/// Which servers there are, and what is the same for all ends.
#[derive(Clone, Debug)]
pub(super) struct Table {
    pub(super) striping: Arc<Striping>,
    /// The end of each metadata target, of each object storage target.
    pub(super) mdts: Vec<Address>,
    pub(super) osts: Vec<Address>,
    /// Bytes of an RPC.
    pub(super) rpc_bytes: u64,
    /// Bytes that go with a request or a reply.
    pub(super) short: u64,
    pub(super) in_flight: u32,
    pub(super) modifying: u32,
    /// Pages that a client may write to a target without asking.
    pub(super) grant: u64,
    /// Objects that are made ahead at a time.
    pub(super) precreates: u32,
    /// Bytes of what says where a file lies.
    pub(super) layout: u64,
}

impl Table {
    pub(super) fn end_of(&self, target: Target) -> Option<Address> {
        match target {
            Target::Mdt(number) => self.mdts.get(usize::from(number)).copied(),
            Target::Ost(number) => self.osts.get(usize::from(number)).copied(),
        }
    }
}

/// An RPC without its reply.
#[derive(Clone, Debug, Persist)]
struct Outstanding {
    target: Target,
    procedure: Procedure,
    /// The mount's requests that it is.
    requests: Vec<BlockRequest>,
    sent: u64,
    received: u64,
    queued: Time,
    at: Time,
    /// Bytes of its data that are written.
    bulk: u64,
    modifies: bool,
}

/// The RPCs to a target.
#[derive(Clone, Debug, Default, Persist)]
struct Import {
    in_flight: u32,
    modifying: u32,
    waiting: VecDeque<BlockRequest>,
}

/// What a client knows of its RPCs.
#[derive(Clone, Debug, Persist)]
pub struct LustreClient {
    #[persist(keep)]
    table: Arc<Table>,
    own: Address,
    number: u32,
    pub(super) lnet: Lnet,
    imports: BTreeMap<Target, Import>,
    outstanding: BTreeMap<u32, Outstanding>,
    next: u32,
    listener: Option<BlockRequest>,
    heard: VecDeque<Asked>,
    /// Callbacks that are to be answered: who asks, and how he calls it.
    callbacks: BTreeMap<u32, (Address, u32)>,
    next_callback: u32,
    /// Locks that were called back on files: by callback.
    inodes: BTreeMap<u32, Address>,
    pub(super) done: Vec<BlockRequest>,
    pub(super) wakes: Vec<()>,
    is_awake: bool,
    pub(super) tally: LustreTally,
    /// Bytes that were sent to be written, that came, and that went once they were asked for.
    pub(super) written: u64,
    pub(super) read: u64,
    pub(super) bulk: u64,
}

impl LustreClient {
    pub(super) fn new(table: &Arc<Table>, (own, number): (Address, u32), credits: (u32, u32)) -> Self {
        Self {
            table: Arc::clone(table),
            own,
            number,
            lnet: Lnet::new(own, credits),
            imports: BTreeMap::new(),
            outstanding: BTreeMap::new(),
            next: 0,
            listener: None,
            heard: VecDeque::new(),
            callbacks: BTreeMap::new(),
            next_callback: 0,
            inodes: BTreeMap::new(),
            done: Vec::new(),
            wakes: Vec::new(),
            is_awake: false,
            tally: LustreTally::default(),
            written: 0,
            read: 0,
            bulk: 0,
        }
    }

    /// What its RPCs came to.
    pub const fn tally(&self) -> &LustreTally {
        &self.tally
    }

    /// Messages that waited for a credit, and how long together.
    pub const fn waited_for_credits(&self) -> (u64, Time) {
        (self.lnet.waits, self.lnet.waited)
    }

    /// RPCs without replies.
    pub(super) fn left(&self) -> u64 {
        self.outstanding.len() as u64
    }

    /// The mount wants something.
    pub(super) fn take(&mut self, request: BlockRequest, now: Time) -> Result<(), &'static str> {
        let Some(carried) = Carried::of(&request) else {
            return Err("a mount of Lustre sends what is no call: a mistake in the model");
        };
        match carried {
            Carried::Data(Data { target, .. }) => self.queue(target, request),
            Carried::Call(call) => match call.procedure {
                Procedure::Listen => self.listener = Some(request),
                Procedure::Waited => {
                    self.tally.held_back += 1;
                    self.tally.held_back_for += Time::from_micros(call.numbers.0);
                    self.is_done(request);
                }
                Procedure::TellSize => {
                    if let Some((to, number)) = self.callbacks.remove(&call.lock) {
                        let size = call.numbers.0.saturating_sub(1) * PAGE
                            + if call.numbers.1 == 0 && call.numbers.0 > 0 { PAGE } else { call.numbers.1 };
                        let heard = Says::Heard { number: Some(number), size };
                        self.lnet.send(to, self.control(), (wire::callback(true).1, heard), now);
                    }
                    self.is_done(request);
                }
                Procedure::Cancel => self.cancel(request, call, now),
                _ => self.queue(call.target, request),
            },
        }
        self.tells();
        Ok(())
    }

    fn is_done(&mut self, mut request: BlockRequest) {
        request.status = Status::DoneFromCache;
        self.done.push(request);
    }

    fn queue(&mut self, target: Target, request: BlockRequest) {
        self.imports.entry(target).or_default().waiting.push_back(request);
        if !std::mem::replace(&mut self.is_awake, true) {
            self.wakes.push(());
        }
    }

    /// Locks go back at once (`ldlm_cli_cancel_req`: not among the RPCs in flight of their target).
    fn cancel(&mut self, request: BlockRequest, mut call: Call, now: Time) {
        let mut to = self.table.end_of(call.target);
        if call.object == u16::MAX
            && let Some(address) = self.inodes.remove(&call.lock)
        {
            to = Some(address);
            call.lock = self.callbacks.remove(&call.lock).map_or(0, |found| found.1);
        }
        if let Some(to) = to {
            self.issue((to, call.target), (call, What::Call, vec![request]), now);
        }
    }

    /// Whoever listens hears what servers ask.
    fn tells(&mut self) {
        while self.listener.is_some()
            && let Some(asked) = self.heard.pop_front()
            && let Some(mut request) = self.listener.take()
        {
            asked.tell(&mut request);
            self.is_done(request);
        }
    }

    /// What waits becomes RPCs, as far as there are slots.
    pub(super) fn form(&mut self, now: Time) {
        self.is_awake = false;
        let targets: Vec<Target> = self.imports.keys().copied().collect();
        for target in targets {
            self.form_for(target, now);
        }
    }

    fn form_for(&mut self, target: Target, now: Time) {
        let (most, modifying) = (self.table.in_flight, self.table.modifying);
        let Some(to) = self.table.end_of(target) else { return };
        while let Some(import) = self.imports.get_mut(&target).filter(|import| import.in_flight < most) {
            let may = |request: &BlockRequest| match Carried::of(request) {
                Some(Carried::Call(call)) => {
                    !call.procedure.modifies()
                        || call.procedure == Procedure::Close
                        || import.modifying < modifying
                }
                _ => true,
            };
            let Some(at) = import.waiting.iter().position(may) else { break };
            let Some(first) = import.waiting.remove(at) else { break };
            match Carried::of(&first) {
                Some(Carried::Data(data)) => {
                    let (all, bytes) = gathered(&mut import.waiting, (first, data), self.table.rpc_bytes);
                    let is_short = bytes <= self.table.short;
                    let procedure = if data.writes { Procedure::Write } else { Procedure::Read };
                    let at = all.iter().filter_map(|request| match Carried::of(request) {
                        Some(Carried::Data(data)) => Some(data.at),
                        _ => None,
                    });
                    let at = at.min().unwrap_or(data.at);
                    let file = (data.file, data.file);
                    let call = Call {
                        object: data.object,
                        numbers: (at, bytes),
                        ..Call::of(procedure, file, target)
                    };
                    let what = What::Data { writes: data.writes, is_short };
                    self.issue((to, target), (call, what, all), now);
                }
                Some(Carried::Call(call)) => self.issue((to, target), (call, What::Call, vec![first]), now),
                None => {}
            }
        }
    }

    /// A connection for what is short, of the three that sockets have (lnet/klnds/socklnd: control, bulk in, bulk out).
    const fn control(&self) -> u32 {
        self.own.service.wrapping_mul(4)
    }

    fn issue(
        &mut self,
        (to, target): (Address, Target),
        (call, what, requests): (Call, What, Vec<BlockRequest>),
        now: Time,
    ) {
        let procedure = call.procedure;
        let (number, is_data) = (self.next, matches!(what, What::Data { .. }));
        self.next = number.wrapping_add(1);
        let sent = wire::lengths(procedure, self.table.layout).0;
        let (at, bytes) = if is_data { call.numbers } else { (0, 0) };
        let first = requests.first();
        let (class, priority) = first.map_or((Default::default(), 4), |first| (first.class, first.priority));
        let queued =
            requests.iter().map(|request| now.saturating_sub(request.issued)).max().unwrap_or_default();
        let pages = bytes.div_ceil(PAGE);
        let end = if is_data {
            self.table.striping.page_of(call.object, at + pages.saturating_sub(1)) * PAGE + bytes
                - pages.saturating_sub(1) * PAGE
        } else {
            0
        };
        let offset = at * PAGE;
        let request =
            Request { number, client: self.number, what, call, offset, bytes, end, class, priority };
        let with = if let What::Data { writes: true, is_short: true } = what { bytes } else { 0 };
        self.written += request.writes();
        let is_of_slots = procedure != Procedure::Cancel;
        let modifies = procedure.modifies() && procedure != Procedure::Close;
        let import = self.imports.entry(target).or_default();
        import.in_flight += u32::from(is_of_slots);
        import.modifying += u32::from(modifies);
        let bulk = request.bulk();
        let outstanding = Outstanding {
            target,
            procedure,
            requests,
            sent: sent + with,
            received: 0,
            queued,
            at: now,
            bulk,
            modifies,
        };
        self.outstanding.insert(number, outstanding);
        self.lnet.send(to, self.control(), (sent + with, Says::Request(Box::new(request))), now);
    }

    /// A message has come.
    pub(super) fn hear(&mut self, host: u32, packet: Packet, now: Time) -> Result<(), &'static str> {
        let from = Lnet::sender(host, &packet);
        self.lnet.came(from, &packet, now);
        match packet.says {
            Says::Reply(reply) => self.answered(&reply, now)?,
            Says::Get { number } => {
                let Some(outstanding) = self.outstanding.get_mut(&number) else {
                    return Err("a server asks for data that nobody writes: a mistake in the model");
                };
                let bytes = outstanding.bulk;
                outstanding.sent += wire::LNET + bytes;
                self.bulk += bytes;
                let connection = self.control() + 1;
                self.lnet.send(from, connection, (wire::LNET + bytes, Says::Data { number, bytes }), now);
            }
            Says::Put { number, bytes } => {
                if let Some(outstanding) = self.outstanding.get_mut(&number) {
                    outstanding.received += wire::LNET + bytes;
                }
                self.lnet.send(from, self.control(), (wire::LNET, Says::Ack { number }), now);
            }
            Says::Callback { number, asked } => self.called(from, number, asked, now),
            Says::Granted { number, told } => {
                let heard = Says::Heard { number: None, size: 0 };
                self.lnet.send(from, self.control(), (wire::granted().1, heard), now);
                self.granted(number, told, now);
            }
            Says::Credits => {}
            Says::Request(_) | Says::Data { .. } | Says::Ack { .. } | Says::Heard { .. } => {
                return Err("a client of Lustre hears what only servers do: a mistake in the model");
            }
        }
        self.tells();
        Ok(())
    }

    /// A server asks something about a lock.
    fn called(&mut self, from: Address, number: u32, asked: Asked, now: Time) {
        let asked = match asked {
            Asked::Extent { .. } => {
                self.tally.called_back += 1;
                let heard = Says::Heard { number: None, size: 0 };
                self.lnet.send(from, self.control(), (wire::callback(false).1, heard), now);
                asked
            }
            Asked::Inode(file, bits, _) => {
                self.tally.inodes_called_back += 1;
                let heard = Says::Heard { number: None, size: 0 };
                self.lnet.send(from, self.control(), (wire::callback(false).1, heard), now);
                let own = self.called_as(from, number);
                self.inodes.insert(own, from);
                Asked::Inode(file, bits, own)
            }
            Asked::Size(file, _) => {
                self.tally.glimpsed += 1;
                Asked::Size(file, self.called_as(from, number))
            }
        };
        self.heard.push_back(asked);
    }

    fn called_as(&mut self, from: Address, number: u32) -> u32 {
        self.next_callback = self.next_callback.wrapping_add(1);
        self.callbacks.insert(self.next_callback, (from, number));
        self.next_callback
    }

    /// A lock that was waited for is granted.
    fn granted(&mut self, number: u32, told: Told, now: Time) {
        if let Some(mut outstanding) = self.outstanding.remove(&number) {
            outstanding.received += wire::granted().0;
            self.over(outstanding, (told, 0, Status::Done, Time::ZERO), now);
        }
    }

    /// An RPC is answered.
    fn answered(&mut self, reply: &Reply, now: Time) -> Result<(), &'static str> {
        let Reply { number, told, grant, ref outcome, .. } = *reply;
        let Some(mut outstanding) = self.outstanding.remove(&number) else {
            return Err("a reply to nothing: a mistake in the model");
        };
        self.read += reply.read;
        if outstanding.procedure != Procedure::Cancel {
            let import = self.imports.entry(outstanding.target).or_default();
            import.in_flight = import.in_flight.saturating_sub(1);
            import.modifying = import.modifying.saturating_sub(u32::from(outstanding.modifies));
            if !import.waiting.is_empty() && !std::mem::replace(&mut self.is_awake, true) {
                self.wakes.push(());
            }
        }
        outstanding.received += reply.bytes;
        if reply.is_blocked {
            // The slot is free again; the lock comes by itself.
            self.outstanding.insert(number, outstanding);
            return Ok(());
        }
        self.over(outstanding, (told, grant, outcome.status, outcome.span), now);
        Ok(())
    }

    fn over(
        &mut self,
        outstanding: Outstanding,
        (told, grant, status, span): (Told, u64, Status, Time),
        now: Time,
    ) {
        let Outstanding { target, procedure, requests, sent, received, queued, at, .. } = outstanding;
        let own = RpcTally { calls: 1, sent, received, queued, answered: now - at };
        self.tally.of.entry(procedure).or_default().add(&own);
        self.tally.granted += u64::from(matches!(procedure, Procedure::LockToRead | Procedure::LockToWrite));
        let mut grant = grant;
        for mut request in requests {
            request.status = match status.failure() {
                Some(failure) => Status::Failed(failure),
                None => Status::Done,
            };
            request.ledger.charge(Cause::Service, span);
            match procedure {
                Procedure::Read => {}
                Procedure::Write => {
                    request.device = target.code().into();
                    request.process = u32::try_from(std::mem::take(&mut grant)).unwrap_or(u32::MAX);
                }
                _ => told.tell(procedure, &mut request),
            }
            self.done.push(request);
        }
    }
}

/// Requests for data that follow each other in one object, out of those that wait, with their bytes.
fn gathered(
    waiting: &mut VecDeque<BlockRequest>,
    (first, data): (BlockRequest, Data),
    most: u64,
) -> (Vec<BlockRequest>, u64) {
    let whole = |data: &Data| data.bytes.next_multiple_of(PAGE);
    let (mut from, mut to, mut bytes) = (data.at, data.at + whole(&data) / PAGE, data.bytes);
    let mut all = vec![first];
    loop {
        let found = waiting.iter().enumerate().find_map(|(at, request)| {
            let Some(Carried::Data(other)) = Carried::of(request) else { return None };
            let same = (other.writes, other.file, other.object) == (data.writes, data.file, data.object);
            let (starts, ends) = (other.at, other.at + whole(&other) / PAGE);
            // Behind what ends within a page nothing follows.
            let follows = starts == to && bytes.is_multiple_of(PAGE);
            let leads = ends == from && other.bytes.is_multiple_of(PAGE);
            let fits = (to - from) * PAGE + whole(&other) <= most;
            (same && fits && (follows || leads)).then_some((at, other, starts, ends))
        });
        let Some((at, other, starts, ends)) = found else { return (all, bytes) };
        (from, to, bytes) = (from.min(starts), to.max(ends), bytes + other.bytes);
        all.extend(waiting.remove(at));
    }
}
