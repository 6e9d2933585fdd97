//! Directories that are read: READDIRs whose replies grow, and what comes with their entries.
//!
//! After `nfs_readdir` of Linux 6.1: a directory just opened is read by 64 KiB, and each reply that was full is followed by one of
//! twice the size, up to `rsize`. With attributes (READDIRPLUS, and READDIR of version 4) what is in it is known from then on.

use super::client::Process;
use super::data::OpenFlags;
use super::options::Version;
use super::procedure::Procedure;
use super::server::{NfsError, Node};
use super::wire::{self, Parts};

/// Bytes of the first reply (`NFS_INIT_DTSIZE`).
const FIRST: u64 = 64 << 10;

/// Bytes that the C library takes at a time, and those of an entry in them beside its name (`struct dirent64`).
const BUFFER: u64 = 32 << 10;
const ENTRY: u64 = 8 + 8 + 2 + 1 + 1;

impl Process<'_> {
    /// Opens a directory as opendir(3) does: fstat(2) follows.
    ///
    /// # Errors
    /// Where there is no such directory.
    pub fn open_directory(&mut self, from: Node, path: &[&str]) -> Result<u32, NfsError> {
        let number =
            self.open(from, path, OpenFlags { read: true, directory: true, ..OpenFlags::default() })?;
        self.fstat(number);
        Ok(number)
    }

    /// The node of an open file.
    pub fn node(&self, number: u32) -> Node {
        self.client.files.get(&number).map_or(Node::ROOT, |file| file.node)
    }

    /// getdents(2): the next names, none at the end.
    pub fn entries(&mut self, number: u32) -> Vec<String> {
        let Some(file) = self.client.files.get(&number) else { return Vec::new() };
        let (node, position) = (file.node, file.position);
        if position == 0 || self.is_expired(node) {
            self.revalidate_mapping(node);
        }
        let mut names = Vec::new();
        let (mut at, mut bytes) = (position, 0);
        loop {
            // "." and ".." are the first two.
            let name = match at {
                0 => ".".to_owned(),
                1 => "..".to_owned(),
                at => match self.entry(number, node, at - 2) {
                    Some(name) => name,
                    None => break,
                },
            };
            let length = (ENTRY + name.len() as u64).div_ceil(8) * 8;
            if bytes + length > BUFFER {
                break;
            }
            bytes += length;
            at += 1;
            names.push(name);
        }
        self.seek(number, at);
        names
    }

    /// An entry's name, after asking for more where it isn't known.
    fn entry(&mut self, number: u32, node: Node, at: u64) -> Option<String> {
        let at = usize::try_from(at).ok()?;
        while self.inode(node).entries.len() <= at && !self.inode(node).complete {
            self.read_directory(number, node);
        }
        self.inode(node).entries.get(at).map(|(name, _)| name.clone())
    }

    /// READDIR or READDIRPLUS.
    fn read_directory(&mut self, number: u32, node: Node) {
        let options = &self.client.options;
        let (version, plus) = (options.version, options.directories_with_attributes);
        let most = options.read_size.get().max(4096);
        let Some(file) = self.client.files.get_mut(&number) else { return };
        let size = if file.listing == 0 { FIRST.min(most) } else { (file.listing * 2).min(most) };
        file.listing = size;
        let room = size.saturating_sub(wire::directory_header(version, plus));
        let known = self.inode(node).entries.len();
        let (mut taken, mut back) = (Vec::new(), 0);
        // Version 4 leaves the two out that are in every directory.
        if known == 0 && !version.is_4() {
            let of = |length| match version {
                Version::V2 => wire::entry_2(length),
                _ => wire::entry_3(length, plus),
            };
            back = of(1) + of(2);
        }
        let names = self.server.names(node);
        for (name, entry) in names.iter().skip(known) {
            let length = name.len() as u64;
            let bytes = match version {
                Version::V2 => wire::entry_2(length),
                Version::V3 => wire::entry_3(length, plus),
                _ => wire::entry_4(length),
            };
            if back + bytes > room && !taken.is_empty() {
                break;
            }
            back += bytes;
            taken.push((name.clone(), *entry));
        }
        let procedure = if plus { Procedure::ReadDirectoryPlus } else { Procedure::ReadDirectory };
        self.call(procedure, Parts { root: node == Node::ROOT, back, ..Parts::default() });
        // Only version 3 tells attributes.
        if version != Version::V3 {
            self.inode(node).invalid.accessed = true;
        } else {
            self.refresh(node);
        }
        let complete = known + taken.len() >= names.len();
        for (name, entry) in &taken {
            if plus {
                self.refresh(*entry);
                self.remember(node, name, Some(*entry));
            }
        }
        let inode = self.inode(node);
        inode.entries.extend(taken);
        inode.complete = complete;
    }
}
