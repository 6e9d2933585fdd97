//! Locks on extents of objects, sizes, and room: what a client may write without asking.
//!
//! After lustre/ofd/ofd_dlm.c (a size is asked of who holds the last lock to write, if it may be further than is known) and
//! lustre/target/tgt_grant.c (`tgt_grant_alloc`: what a write has used up is given anew, as far as there is room; of what is left no
//! more than an
//! eighth to one).

use super::{Glimpse, Server};
use crate::client::Outcome;
use crate::lustre::client::PAGE;
use crate::lustre::extents::{Came, Lock, Locked};
use crate::lustre::message::{Object, Reply, Request, Says};
use crate::lustre::wire;
use petrio_colours::{Ledger, Status};
use petrio_host::lustre::{Asked, Procedure, Target, Told};
use petrio_kernel::Time;

impl Server {
    /// A client asks for a lock.
    pub(super) fn lock(&mut self, request: &Request, now: Time) {
        let (call, client) = (request.call, request.client);
        let writes = call.procedure == Procedure::LockToWrite;
        let object = (call.file, call.object);
        self.blocked.insert((client, call.lock), request.number);
        let asked = Lock::new(client, call.lock, writes, call.numbers);
        let came = self.extents.entry(object).or_default().ask(asked);
        let is_granted = |lock: &&Lock| (lock.client, lock.number) == (client, call.lock);
        let at_once = came.granted.iter().find(is_granted).copied();
        let told = at_once.map_or(Told::default(), |lock| self.told(object, &lock));
        if at_once.is_some() {
            self.blocked.remove(&(client, call.lock));
        }
        self.answer(request, (told, at_once.is_none()), now);
        self.came(call.target, object, came, now);
    }

    fn told(&self, object: Object, lock: &Lock) -> Told {
        let size = self.sizes.get(&object.0).copied().unwrap_or(0);
        Told { extent: lock.extent, size, ..Told::default() }
    }

    /// Answers what no thread has to do.
    fn answer(&mut self, request: &Request, (told, is_blocked): (Told, bool), now: Time) {
        let outcome =
            Outcome { status: Status::DoneFromCache, length: 0, ledger: Ledger::default(), span: Time::ZERO };
        let bytes = wire::lengths(request.call.procedure, self.table.layout).1;
        let (number, client) = (request.number, request.client);
        self.reply(Reply { number, client, outcome, told, is_blocked, grant: 0, read: 0, bytes }, now);
    }

    /// What comes of a change of an object's locks: who is granted one hears of it, and who is in the way, too.
    fn came(&mut self, target: Target, object: Object, came: Came, now: Time) {
        for lock in came.granted {
            let Some(number) = self.blocked.remove(&(lock.client, lock.number)) else { continue };
            let told = self.told(object, &lock);
            self.open -= 1;
            self.send(lock.client, (wire::granted().0, Says::Granted { number, told }), now);
        }
        for lock in came.called {
            self.next = self.next.wrapping_add(1);
            let number = self.next;
            let asked = Asked::Extent { lock: lock.number, file: object.0, target, object: object.1 };
            self.send(lock.client, (wire::callback(false).0, Says::Callback { number, asked }), now);
        }
    }

    /// A lock goes back.
    pub(super) fn cancelled(&mut self, request: &Request, now: Time) {
        let (call, client) = (request.call, request.client);
        self.answer(request, (Told::default(), false), now);
        if call.object == u16::MAX {
            return self.gave_back(call.lock, now);
        }
        let object = (call.file, call.object);
        let Some(locked) = self.extents.get_mut(&object) else { return };
        let came = locked.cancel(client, call.lock);
        if locked.is_free() {
            self.extents.remove(&object);
        }
        self.came(call.target, object, came, now);
    }

    /// An object is gone: who waits for a lock on it has what he asks for, of nothing.
    pub(super) fn forget(&mut self, target: Target, object: Object, now: Time) {
        let Some(locked) = self.extents.get_mut(&object) else { return };
        let came = locked.forget_granted();
        if locked.is_free() {
            self.extents.remove(&object);
        }
        self.came(target, object, came, now);
    }

    /// A client asks how long a file is: who writes its end is asked.
    pub(super) fn glimpse(&mut self, request: Request, now: Time) {
        let object = (request.call.file, request.call.object);
        let writer = self.extents.get(&object).and_then(|locked: &Locked| locked.writes_last(request.client));
        let Some(&Lock { client, .. }) = writer else { return self.tell_size(&request, now) };
        self.next = self.next.wrapping_add(1);
        let number = self.next;
        let asked = Asked::Size(object.0, 0);
        self.glimpses.insert(number, Glimpse { request: Box::new(request) });
        self.send(client, (wire::callback(true).0, Says::Callback { number, asked }), now);
    }

    fn tell_size(&mut self, request: &Request, now: Time) {
        let size = self.sizes.get(&request.call.file).copied().unwrap_or(0);
        self.answer(request, (Told { size, ..Told::default() }, false), now);
    }

    /// Who writes a file's end has told it.
    pub(super) fn glimpsed(&mut self, number: u32, size: u64, now: Time) {
        let Some(Glimpse { request }) = self.glimpses.remove(&number) else { return };
        let known = self.sizes.get(&request.call.file).copied().unwrap_or(0);
        self.answer(&request, (Told { size: size.max(known), ..Told::default() }, false), now);
    }

    /// Pages that a client may write more after a write.
    pub(super) fn grant(&mut self, request: &Request) -> u64 {
        let (target, file, client) = (request.call.target, request.call.file, request.client);
        let pages = request.bytes.div_ceil(PAGE);
        let most = self.table.grant;
        let end = (request.offset + request.bytes).div_ceil(PAGE);
        let longest = self.ends_of.entry((target, file)).or_default();
        let grows = end.saturating_sub(*longest).min(pages);
        *longest = (*longest).max(end);
        let room = self.rooms.entry(target).or_default();
        *room = room.saturating_sub(grows);
        let all: u64 =
            (self.grants.iter()).filter(|((of, _), _)| *of == target).map(|(_, grant)| grant).sum();
        let left = room.saturating_sub(all);
        let granted = self.grants.entry((target, client)).or_insert(most);
        *granted = granted.saturating_sub(pages);
        let more = (most - (*granted).min(most)).min((left / 8).max(pages.min(left)));
        *granted += more;
        more
    }
}
