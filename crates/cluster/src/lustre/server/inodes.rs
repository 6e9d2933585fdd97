//! Locks on names, attributes and layouts, and what follows when names have changed.
//!
//! After lustre/mdt/mdt_reint.c and mdt_open.c (which parts of which inode a change locks), lustre/ldlm/ldlm_inodebits.c (a lock that is
//! called back
//! loses what is in the way and keeps the rest, `ldlm_cli_inodebits_convert`), and lustre/osp/osp_precreate.c. Who asks has given his
//! own locks
//! back with the request (early lock cancel, `ldlm_prep_elc_req`).

use super::{Ahead, At, Made, Server};
use crate::lustre::message::{Says, What, Who};
use crate::lustre::wire;
use petrio_colours::FileId;
use petrio_host::lustre::{Asked, Bits, Call, Procedure, Target, Told};
use petrio_kernel::Time;

impl Server {
    /// A request on metadata begins: what others may no longer believe is called back first.
    pub(super) fn revoke(&mut self, slot: u32, now: Time) {
        let Some(session) = self.sessions.get(slot) else { return };
        let (call, client) = (session.request.call, session.request.client);
        let (of_file, of_parent) = call.procedure.revokes();
        let mut called: Vec<(FileId, Bits, Who)> = Vec::new();
        for (file, bits) in [(call.file, of_file), (call.parent, of_parent)] {
            let Some(locks) = self.inodes.get_mut(&file).filter(|_| bits != Bits::NONE) else { continue };
            for (&other, held) in locks.iter_mut() {
                let lost = Bits(held.0 & bits.0);
                *held = Bits(held.0 & !bits.0);
                if lost != Bits::NONE && other != client {
                    called.push((file, lost, other));
                }
            }
            locks.retain(|_, held| *held != Bits::NONE);
        }
        if called.is_empty() {
            return self.has_locks(slot, now);
        }
        self.set(slot, At::Locks(u32::try_from(called.len()).unwrap_or(u32::MAX)));
        for (file, bits, other) in called {
            self.next = self.next.wrapping_add(1);
            let number = self.next;
            self.called.insert(number, slot);
            let asked = Asked::Inode(file, bits, 0);
            self.send(other, (wire::callback(false).0, Says::Callback { number, asked }), now);
        }
    }

    /// A lock on an inode has gone back.
    pub(super) fn gave_back(&mut self, number: u32, now: Time) {
        let Some(slot) = self.called.remove(&number) else { return };
        let Some(session) = self.sessions.get_mut(slot) else { return };
        if let At::Locks(left) = &mut session.at {
            *left -= 1;
            if *left == 0 {
                self.has_locks(slot, now);
            }
        }
    }

    /// Nobody believes what is about to change: a file that is made takes objects that were made ahead.
    fn has_locks(&mut self, slot: u32, now: Time) {
        let Some(session) = self.sessions.get(slot) else { return };
        let call = session.request.call;
        let new = match call.procedure {
            Procedure::Create => self.objects_of(&call, 0, 1),
            Procedure::Layout => self.objects_of(&call, 1, usize::MAX),
            _ => Vec::new(),
        };
        let is_short = new.iter().any(|&ost| self.ahead_on(ost).left == 0);
        for &ost in &new {
            let batch = self.table.precreates;
            let ahead = self.ahead_on(ost);
            if !is_short {
                ahead.left -= 1;
            }
            if ahead.left < batch / 2 + 1 && !std::mem::replace(&mut ahead.is_asked, true) {
                let request = self.own_request(What::Precreate(batch), FileId::ROOT, Target::Ost(ost));
                self.own_requests.insert(request.number, (ost, batch));
                self.ask_server(request, now);
            }
        }
        if is_short {
            self.set(slot, At::Objects);
            self.starving.push_back(slot);
        } else {
            self.store(slot, now);
        }
    }

    fn ahead_on(&mut self, ost: u16) -> &mut Ahead {
        let left = self.table.precreates;
        self.ahead.entry(ost).or_insert(Ahead { left, is_asked: false })
    }

    /// The object storage targets of the objects of some components of a file, each as often as there are objects.
    fn objects_of(&self, call: &Call, from: usize, to: usize) -> Vec<u16> {
        let striping = &self.table.striping;
        let before = striping.objects(from).count();
        let objects = striping.objects(to.min(striping.components().len())).skip(before);
        let target = |object| match striping.target((call.file, call.parent), object) {
            Target::Ost(ost) => Some(ost),
            Target::Mdt(_) => None,
        };
        objects.filter_map(target).collect()
    }

    /// Objects have been made ahead: who waits for them goes on.
    pub(super) fn made_ahead(&mut self, ost: u16, objects: u32, now: Time) {
        let ahead = self.ahead_on(ost);
        (ahead.left, ahead.is_asked) = (ahead.left + objects, false);
        let starving = std::mem::take(&mut self.starving);
        starving.into_iter().for_each(|slot| self.has_locks(slot, now));
    }

    /// What a request on metadata has changed, and what its reply tells.
    pub(super) fn changed(&mut self, call: &Call, client: Who, now: Time) -> Told {
        let Call { file, parent, procedure, .. } = *call;
        match procedure {
            Procedure::Create | Procedure::SymbolicLink => {
                self.made.insert(file, Made { parent, is_directory: false });
            }
            Procedure::MakeDirectory => {
                self.made.insert(file, Made { parent, is_directory: true });
            }
            Procedure::Unlink => {
                self.gone(file);
                let components = usize::try_from(call.numbers.1).unwrap_or(usize::MAX).max(1);
                self.destroy(call, components, now);
            }
            Procedure::RemoveDirectory => self.gone(file),
            Procedure::Rename => {
                self.made.get_mut(&file).into_iter().for_each(|made| made.parent = parent);
                if let Some(replaced) = call.replaced() {
                    self.gone(replaced);
                    self.destroy(&Call { file: replaced, ..*call }, usize::MAX, now);
                }
            }
            _ => {}
        }
        let made = self.made.get(&file).copied();
        let bits = procedure.grants(made.is_some_and(|made| made.is_directory));
        if bits != Bits::NONE {
            let held = self.inodes.entry(file).or_default().entry(client).or_default();
            *held = held.and(bits);
        }
        Told {
            exists: made.is_some(),
            is_directory: made.is_some_and(|made| made.is_directory),
            parent: made.map_or(FileId::ROOT, |made| made.parent),
            bits,
            size: self.sizes.get(&file).copied().unwrap_or(0),
            ..Told::default()
        }
    }

    fn gone(&mut self, file: FileId) {
        self.made.remove(&file);
        self.sizes.remove(&file);
        self.inodes.remove(&file);
    }

    /// Objects of a file that is gone are destroyed, for which nobody waits (lustre/osp/osp_sync.c): one request a target.
    fn destroy(&mut self, call: &Call, components: usize, now: Time) {
        let mut osts = self.objects_of(call, 0, components);
        osts.sort_unstable();
        osts.dedup();
        for ost in osts {
            let request = self.own_request(What::Destroy, call.file, Target::Ost(ost));
            self.ask_server(request, now);
        }
    }
}
