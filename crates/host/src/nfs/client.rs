//! A client's state, and what every system call does on its way: walking a path, asking for attributes and for what may be done.
//!
//! After fs/nfs/dir.c and inode.c of Linux 6.1. A name that is known is believed as long as its directory's attributes are, and nobody
//! else has changed it (`nfs_check_verifier`); opening a file or directory asks for its attributes (close-to-open) but of
//! version 4, whose OPEN brings them.

use super::data::OpenFile;
use super::inode::{Dentry, Inode};
use super::options::{LookupCache, MountOptions, Version};
use super::procedure::{Call, Procedure};
use super::server::{Export, NfsError, Node};
use super::wire::{self, Parts};
use petrio_kernel::Time;
use petrio_persist::Persist;
use std::collections::BTreeMap;

/// Without a call for so long a client of version 4 renews its lease, and looks for delegations that weren't used since it looked before:
/// two thirds of a lease of 90 s, and not more often than every 5 s (`nfs4_renew_state`).
pub(super) const RENEWS_AFTER: Time = Time::from_whole_seconds(60);
const LOOKS_AGAIN_AFTER: Time = Time::from_whole_seconds(5);

/// A client that has an export mounted.
#[derive(Clone, Debug, Persist)]
pub struct Client {
    #[persist(keep)]
    pub(super) options: MountOptions,
    pub(super) inodes: BTreeMap<Node, Inode>,
    pub(super) files: BTreeMap<u32, OpenFile>,
    next_file: u32,
    next_silly: u32,
    pub(super) now: Time,
    /// When it looks for unused delegations next, and when its lease was renewed.
    pub(super) looks_at: Time,
    renewed: Time,
    /// Whether calls are those of the mount, or of what mounting needs beside it.
    pub(super) is_own: bool,
    /// 4.0: whether the owner of open files is confirmed. 4.2: whether CLONE was refused.
    pub(super) confirmed: bool,
    pub(super) clone_refused: bool,
    /// Bytes of the host's name.
    host_name: u64,
    calls: Vec<Call>,
    /// Dirty bytes from which on a flusher writes them, and how many are held back: vm.dirty_background_bytes.
    pub background: Option<u64>,
}

/// What a system call leads a component of a path to.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Intent {
    pub(super) opens: bool,
    pub(super) creates: bool,
    pub(super) exclusive: bool,
    /// It takes the place of what has the name.
    pub(super) replaces: bool,
}

impl Client {
    /// One that has nothing mounted yet, on a host whose name has so many bytes.
    #[must_use]
    pub fn new(options: MountOptions, host_name: u64) -> Self {
        Self {
            options,
            inodes: BTreeMap::new(),
            files: BTreeMap::new(),
            next_file: 3,
            next_silly: 0,
            now: Time::ZERO,
            looks_at: RENEWS_AFTER,
            renewed: Time::ZERO,
            is_own: true,
            confirmed: false,
            clone_refused: false,
            host_name,
            calls: Vec::new(),
            background: None,
        }
    }

    /// The calls made since this was asked last, in their order.
    pub fn take_calls(&mut self) -> Vec<Call> {
        std::mem::take(&mut self.calls)
    }

    /// A process' view: this client, and the server's export.
    pub fn on<'a>(&'a mut self, server: &'a mut Export) -> Process<'a> {
        Process { client: self, server }
    }
}

/// System calls of a process on a mount: they happen at the client's instant, and leave calls.
#[derive(Debug)]
pub struct Process<'a> {
    pub(super) client: &'a mut Client,
    pub(super) server: &'a mut Export,
}

impl Process<'_> {
    pub(super) fn inode(&mut self, node: Node) -> &mut Inode {
        self.client.inodes.entry(node).or_default()
    }

    pub(super) fn is_4(&self) -> bool {
        self.client.options.version.is_4()
    }

    /// Time goes on. Delegations that weren't used for long go back.
    pub fn advance(&mut self, span: Time) {
        let until = self.client.now + span;
        while self.is_4() && self.client.looks_at <= until {
            self.client.now = self.client.looks_at;
            self.look_after_delegations();
        }
        self.client.now = until;
    }

    /// Renews the lease where nothing else has, and gives back what wasn't used.
    fn look_after_delegations(&mut self) {
        let now = self.client.now;
        if self.client.renewed + RENEWS_AFTER <= now {
            let sessions = self.client.options.version.has_sessions();
            self.client.is_own = false;
            self.call(if sessions { Procedure::Sequence } else { Procedure::Renew }, Parts::default());
            self.client.is_own = true;
        }
        let delegated = self.client.inodes.iter_mut().filter(|(_, inode)| inode.delegation);
        // What was used is looked at again; what wasn't, goes.
        let unused =
            delegated.filter_map(|(&node, inode)| (!std::mem::take(&mut inode.used)).then_some(node));
        let unused: Vec<Node> = unused.collect();
        unused.into_iter().for_each(|node| self.return_delegation(node));
        self.client.looks_at = (self.client.renewed + RENEWS_AFTER).max(now + LOOKS_AGAIN_AFTER);
    }

    pub(super) fn call(&mut self, procedure: Procedure, parts: Parts) {
        self.call_with(procedure, parts, (0, None));
    }

    pub(super) fn call_with(
        &mut self,
        procedure: Procedure,
        parts: Parts,
        (data, stability): (u64, Option<super::procedure::Stability>),
    ) {
        let Client { options, host_name, is_own, .. } = &*self.client;
        let is_own = *is_own;
        let (sent, received) = wire::lengths(options.version, procedure, parts, *host_name);
        // The record mark is the stream's.
        let sent = if options.udp { sent - 4 } else { sent };
        self.client.renewed = self.client.now;
        self.client.calls.push(Call { procedure, sent, received, data, stability, is_own });
    }

    /// Attributes came with a reply.
    pub(super) fn refresh(&mut self, node: Node) {
        let now = self.client.now;
        let options = &self.client.options;
        let limits = if self.server.is_directory(node) {
            options.directory_attributes
        } else {
            options.file_attributes
        };
        let limits = (limits.0.time(), limits.1.time());
        let inode = self.client.inodes.entry(node).or_default();
        inode.refresh(self.server, node, now, limits);
    }

    /// Attributes came with the reply to an own change, which made nothing wrong.
    pub(super) fn refresh_own(&mut self, node: Node) {
        let (client, server) = (&mut *self.client, &*self.server);
        client.inodes.entry(node).or_default().follow(server, node);
        self.refresh(node);
    }

    /// An own change of a directory. Version 4 tells its number and no attributes.
    pub(super) fn changed_directory(&mut self, directory: Node) {
        if !self.client.options.version.is_3_or_later() {
            // Version 2 tells nothing of the directory: what it looks like now is seen when it is asked for, as if another had changed it.
            self.inode(directory).invalid.change = true;
        } else if self.is_4() {
            let now = self.client.now;
            let (client, server) = (&mut *self.client, &*self.server);
            let inode = client.inodes.entry(directory).or_default();
            inode.follow(server, directory);
            inode.fetched = Some(now);
            inode.invalid.times = true;
        } else {
            self.refresh_own(directory);
        }
        let inode = self.inode(directory);
        inode.invalid.data = true;
    }

    pub(super) fn is_expired(&mut self, node: Node) -> bool {
        let now = self.client.now;
        self.inode(node).is_expired(now)
    }

    /// A reply tells that others have changed a file or directory, which has so many bytes now.
    pub(super) fn changed_elsewhere(&mut self, node: Node, size: Option<u64>) {
        match size {
            Some(size) => self.server.resize(node, size),
            None => self.server.touch(node),
        }
        if self.client.inodes.contains_key(&node) {
            self.inode(node).delegation = false;
            self.refresh(node);
        }
    }

    /// Whether what is in memory of a file is known to be wrong.
    pub(super) fn is_wrong(&mut self, node: Node) -> bool {
        self.inode(node).invalid.data
    }

    /// It has been thrown away.
    pub(super) fn made_right(&mut self, node: Node) {
        self.inode(node).invalid.data = false;
    }

    /// Asks for attributes.
    pub(super) fn get_attributes(&mut self, node: Node) {
        self.call(Procedure::GetAttributes, Parts { root: node == Node::ROOT, ..Parts::default() });
        self.refresh(node);
    }

    /// Asks where they are too old, or known to be wrong (`nfs_revalidate_inode`).
    pub(super) fn revalidate(&mut self, node: Node) {
        if self.is_expired(node) || self.inode(node).invalid.change {
            self.get_attributes(node);
        }
    }

    /// Whether a user may do what he wants: asked once for all of it, and again when attributes have changed (`nfs_do_access`).
    pub(super) fn permission(&mut self, node: Node) {
        // Version 2 has no ACCESS: the mode that is known says it.
        if !self.client.options.version.is_3_or_later() {
            return self.revalidate(node);
        }
        if self.inode(node).access && !self.inode(node).invalid.access {
            if self.is_expired(node) {
                self.get_attributes(node);
            }
            if !self.inode(node).invalid.access {
                return;
            }
        }
        self.call(Procedure::Access, Parts { root: node == Node::ROOT, ..Parts::default() });
        self.refresh(node);
        let inode = self.inode(node);
        inode.access = true;
        inode.invalid.access = false;
    }

    /// Whether what is known of a directory's names still holds (`nfs_check_verifier`).
    fn verify(&mut self, directory: Node, verifier: u64) -> bool {
        if self.client.options.lookup_cache == LookupCache::None || self.inode(directory).verifier != verifier
        {
            return false;
        }
        self.revalidate(directory);
        self.inode(directory).verifier == verifier
    }

    /// What a path leads to, component by component: each asks whether its directory may be searched.
    pub(super) fn find(&mut self, from: Node, path: &[&str]) -> Result<Node, NfsError> {
        path.iter().try_fold(from, |at, name| {
            self.permission(at);
            match *name {
                "." => Ok(at),
                ".." => Ok(self.inode(at).parent.unwrap_or(at)),
                name => self.look_up(at, name, Intent::default())?.ok_or(NfsError::NotFound),
            }
        })
    }

    /// A name in a directory, as it is known or after asking (`nfs_lookup`, `nfs_do_lookup_revalidate`).
    pub(super) fn look_up(
        &mut self,
        directory: Node,
        name: &str,
        intent: Intent,
    ) -> Result<Option<Node>, NfsError> {
        let known = self.inode(directory).names.get(name).copied();
        match known {
            // Nothing is asked of a name that is to be new, or that gives way.
            None if intent.exclusive || intent.replaces => Ok(None),
            None => Ok(self.ask_for_name(directory, name)),
            Some(Dentry { node: None, .. }) if intent.creates || intent.replaces => Ok(None),
            Some(Dentry { node: None, verifier }) => {
                let remembers = self.client.options.lookup_cache == LookupCache::All;
                if remembers && self.verify(directory, verifier) {
                    return Ok(None);
                }
                Ok(self.ask_for_name(directory, name))
            }
            Some(Dentry { node: Some(node), verifier }) => {
                if self.is_4() && self.inode(node).delegation {
                    return Ok(Some(node));
                }
                if !self.verify(directory, verifier) {
                    return Ok(self.ask_for_name(directory, name));
                }
                self.verify_opened(node, intent);
                Ok(Some(node))
            }
        }
    }

    /// Close-to-open: who opens a file sees what others closed before (`nfs_lookup_verify_inode`).
    fn verify_opened(&mut self, node: Node, intent: Intent) {
        let is_directory = self.server.is_directory(node);
        let asks = intent.opens && (is_directory || !self.is_4());
        if asks && self.client.options.close_to_open {
            self.get_attributes(node);
        }
    }

    /// LOOKUP.
    pub(super) fn ask_for_name(&mut self, directory: Node, name: &str) -> Option<Node> {
        let found = self.server.find(directory, name);
        let parts = Parts {
            root: directory == Node::ROOT,
            name: name.len() as u64,
            missed: found.is_none(),
            ..Parts::default()
        };
        self.call(Procedure::LookUp, parts);
        if self.client.options.version == Version::V3 {
            self.refresh(directory);
        }
        if let Some(node) = found {
            self.refresh(node);
        }
        self.remember(directory, name, found);
        found
    }

    /// A name is known from now on.
    pub(super) fn remember(&mut self, directory: Node, name: &str, node: Option<Node>) {
        if let Some(node) = node {
            self.inode(node).parent = Some(directory);
        }
        let inode = self.inode(directory);
        let verifier = inode.verifier;
        inode.names.insert(name.to_owned(), Dentry { node, verifier });
    }

    /// stat(2), from a directory on: attributes, after what is dirty was written.
    ///
    /// # Errors
    /// Where there is no such name.
    pub fn stat(&mut self, from: Node, path: &[&str]) -> Result<Node, NfsError> {
        let node = self.find(from, path)?;
        self.stat_node(node);
        Ok(node)
    }

    /// statx(2) that doesn't ask when it was read last, as ls does.
    ///
    /// # Errors
    /// Where there is no such name.
    pub fn stat_but_access_time(&mut self, from: Node, path: &[&str]) -> Result<Node, NfsError> {
        let node = self.find(from, path)?;
        self.stat_for(node, false);
        Ok(node)
    }

    /// What stat(2) asks of a node (`nfs_getattr`).
    pub(super) fn stat_node(&mut self, node: Node) {
        self.stat_for(node, true);
    }

    fn stat_for(&mut self, node: Node, access_time: bool) {
        if self.inode(node).pages.is_dirty() {
            self.flush(node, true);
        }
        let invalid = self.inode(node).invalid;
        if self.is_expired(node) || invalid.change || (invalid.accessed && access_time) || invalid.times {
            self.get_attributes(node);
        }
    }

    /// access(2).
    ///
    /// # Errors
    /// Where there is no such name.
    pub fn access(&mut self, from: Node, path: &[&str]) -> Result<Node, NfsError> {
        let node = self.find(from, path)?;
        self.permission(node);
        Ok(node)
    }

    pub(super) fn next_file(&mut self) -> u32 {
        self.client.next_file += 1;
        self.client.next_file - 1
    }

    pub(super) fn silly_name(&mut self) -> String {
        self.client.next_silly += 1;
        // `.nfs`, the file's number in 16 digits, a counter in 8 (`nfs_sillyrename`).
        format!(".nfs{:016x}{:08x}", 0, self.client.next_silly)
    }
}
