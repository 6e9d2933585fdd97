//! Opening and closing: of version 3 nothing but names, attributes and permissions; of version 4 an OPEN, a CLOSE, and delegations.
//!
//! After fs/nfs/nfs4proc.c and delegation.c of Linux 6.1. With a delegation to read, files are opened to be read and closed without a
//! word, and their attributes hold. It goes back before this client writes, removes, renames or changes the mode, when the server wants
//! it back, and when it wasn't used for long.

use super::client::{Intent, Process};
use super::data::{OpenFile, OpenFlags};
use super::options::Version;
use super::procedure::Procedure;
use super::server::{Kind, NfsError, Node};
use super::wire::Parts;

impl Process<'_> {
    /// open(2), from a directory on: the number of the open file.
    ///
    /// # Errors
    /// Where the name isn't there and isn't made, or is there and mustn't be.
    pub fn open(&mut self, from: Node, path: &[&str], flags: OpenFlags) -> Result<u32, NfsError> {
        let Some((name, above)) = path.split_last() else { return Err(NfsError::IsADirectory) };
        let directory = self.find(from, above)?;
        self.permission(directory);
        if self.is_4() && !flags.directory {
            return self.open_4(directory, name, flags);
        }
        let intent = Intent {
            opens: true,
            creates: flags.create,
            exclusive: flags.create && flags.exclusive && self.client.options.version.is_3_or_later(),
            ..Intent::default()
        };
        let found = self.look_up(directory, name, intent)?;
        let node = match found {
            Some(_) if flags.create && flags.exclusive => return Err(NfsError::Exists),
            Some(node) if flags.directory && !self.server.is_directory(node) => {
                return Err(NfsError::NotADirectory);
            }
            Some(node) => {
                self.permission(node);
                if flags.truncate {
                    self.set_size(node, 0);
                }
                node
            }
            None if flags.create => self.create_3(directory, name, flags.exclusive)?,
            None => return Err(NfsError::NotFound),
        };
        Ok(self.opened(node, flags))
    }

    /// CREATE of versions 2 and 3, and where that is exclusive SETATTR, for it brings no attributes then (`nfs3_proc_create`). Version 2
    /// has no exclusive one.
    fn create_3(&mut self, directory: Node, name: &str, exclusive: bool) -> Result<Node, NfsError> {
        self.default_acl(directory);
        let exclusive = exclusive && self.client.options.version.is_3_or_later();
        let node = self.server.make(directory, name, Kind::File(0))?;
        let parts = Parts { name: name.len() as u64, creates: true, exclusive, ..Parts::default() };
        self.call(Procedure::Create, parts);
        self.changed_directory(directory);
        self.refresh(node);
        self.remember(directory, name, Some(node));
        if exclusive {
            self.call(Procedure::SetAttributes, Parts { out: 4 + 16, ..Parts::default() });
        }
        Ok(node)
    }

    /// What is made in a directory gets its default access list, which is asked for once (`posix_acl_create`).
    pub(super) fn default_acl(&mut self, directory: Node) {
        if self.is_4() || !self.client.options.access_lists || self.inode(directory).default_acl {
            return;
        }
        self.ask_for_acl(directory);
    }

    /// A file known by its name is opened by its handle, or by a delegation; another by its name, found or made on the way.
    fn open_4(&mut self, directory: Node, name: &str, flags: OpenFlags) -> Result<u32, NfsError> {
        let known = self.inode(directory).names.get(name).copied();
        let exclusive = flags.create && flags.exclusive;
        let node = match known {
            Some(dentry) if dentry.node.is_some() || !flags.create => self.look_up(
                directory,
                name,
                Intent { creates: flags.create, opens: true, ..Intent::default() },
            )?,
            _ => None,
        };
        match node {
            Some(_) if exclusive => Err(NfsError::Exists),
            Some(node) => {
                self.open_known(node, name, flags);
                if flags.truncate {
                    self.set_size(node, 0);
                }
                Ok(self.opened(node, flags))
            }
            // It was looked for and isn't there.
            None if known.is_some() && !flags.create => Err(NfsError::NotFound),
            None => self.open_by_name(directory, name, flags),
        }
    }

    fn open_known(&mut self, node: Node, name: &str, flags: OpenFlags) {
        if self.inode(node).delegation {
            if !flags.write {
                self.inode(node).used = true;
                return;
            }
            self.return_delegation(node);
        }
        let delegation = self.server_opens(node, flags);
        // 4.0 opens by name even what it knows.
        let (procedure, name) = match self.client.options.version {
            Version::V40 => (Procedure::Open, name.len() as u64),
            _ => (Procedure::OpenByHandle, 0),
        };
        self.call(procedure, Parts { name, delegation, ..Parts::default() });
        self.confirm();
        self.granted(node, delegation);
    }

    fn open_by_name(&mut self, directory: Node, name: &str, flags: OpenFlags) -> Result<u32, NfsError> {
        let found = self.server.find(directory, name);
        let exclusive = flags.create && flags.exclusive;
        let base = Parts {
            root: directory == Node::ROOT,
            name: name.len() as u64,
            creates: flags.create,
            ..Parts::default()
        };
        if found.is_some() && exclusive || found.is_none() && !flags.create {
            self.call(Procedure::Open, Parts { missed: true, ..base });
            self.remember(directory, name, found);
            return Err(if found.is_some() { NfsError::Exists } else { NfsError::NotFound });
        }
        let is_new = found.is_none();
        let node = match found {
            Some(node) => node,
            None => self.server.make(directory, name, Kind::File(0))?,
        };
        let delegation = self.server_opens(node, flags);
        self.call(Procedure::Open, Parts { delegation, ..base });
        self.confirm();
        if is_new {
            self.changed_directory(directory);
        }
        self.granted(node, delegation);
        self.remember(directory, name, Some(node));
        if is_new && exclusive {
            self.call(Procedure::SetAttributes, Parts { out: 8, ..Parts::default() });
        } else if !is_new && flags.truncate {
            self.set_size(node, 0);
        }
        Ok(self.opened(node, flags))
    }

    /// The server has a file open, and may delegate what may be read; 4.0 not before the owner is confirmed.
    fn server_opens(&mut self, node: Node, flags: OpenFlags) -> bool {
        let now = self.client.now;
        let may = self.client.options.version != Version::V40 || self.client.confirmed;
        let opens = &mut self.inode(node).opens;
        opens.told_read |= flags.read;
        opens.told_write |= flags.write;
        flags.read && may && self.server.delegate(node, now)
    }

    fn confirm(&mut self) {
        if self.client.options.version == Version::V40 && !std::mem::replace(&mut self.client.confirmed, true)
        {
            self.call(Procedure::OpenConfirm, Parts::default());
        }
    }

    /// OPEN brings attributes and what the user may do.
    fn granted(&mut self, node: Node, delegation: bool) {
        self.refresh(node);
        let inode = self.inode(node);
        inode.access = true;
        inode.invalid.access = false;
        inode.delegation |= delegation;
        inode.used = true;
    }

    fn opened(&mut self, node: Node, flags: OpenFlags) -> u32 {
        let number = self.next_file();
        let file = OpenFile::new(node, flags, &self.client.options);
        *self.inode(node).opens.count(flags.read, flags.write) += 1;
        self.client.files.insert(number, file);
        number
    }

    /// Whether a file is open only as its delegation allows, of which the server knows nothing.
    pub(super) fn is_open_by_delegation(&mut self, node: Node) -> bool {
        let inode = self.inode(node);
        inode.delegation && !inode.opens.told_read
    }

    /// A delegation goes back, after whoever opened the file by it has opened it at the server.
    pub(super) fn return_delegation(&mut self, node: Node) {
        if !std::mem::take(&mut self.inode(node).delegation) {
            return;
        }
        let opens = self.inode(node).opens;
        if opens.read + opens.both > 0 && !opens.told_read {
            self.inode(node).opens.told_read = true;
            self.call(Procedure::OpenByHandle, Parts::default());
        }
        self.call(Procedure::ReturnDelegation, Parts::default());
        self.server.returned(node);
        self.client.inodes.entry(node).or_default().follow(self.server, node);
        self.refresh(node);
    }

    /// Somebody else changes a file on the server, which takes its delegation back before.
    ///
    /// # Errors
    /// Where there is no such file.
    pub fn changed_by_other(&mut self, path: &[&str], size: u64) -> Result<(), NfsError> {
        let node = self.server.at(path).ok_or(NfsError::NotFound)?;
        if self.server.recalls(node, self.client.now) {
            self.call(Procedure::CallbackRecall, Parts::default());
            self.return_delegation(node);
        }
        self.server.resize(node, size);
        Ok(())
    }

    /// close(2): what is dirty is written before it returns.
    pub fn close(&mut self, number: u32) {
        let Some(file) = self.client.files.remove(&number) else { return };
        let OpenFile { node, flags, .. } = file;
        if flags.write && self.inode(node).pages.is_dirty() {
            self.flush(node, true);
        }
        let opens = &mut self.inode(node).opens;
        let count = opens.count(flags.read, flags.write);
        *count = count.saturating_sub(1);
        if self.is_4() {
            self.close_4(&file);
        } else {
            self.compare_after_writing(&file);
        }
        if self.inode(node).opens.all() == 0
            && let Some((directory, name)) = self.inode(node).silly.take()
        {
            self.remove_name(directory, &name);
        }
    }

    /// CLOSE when nobody has it open any more, OPEN_DOWNGRADE when fewer do (`nfs4_close_prepare`).
    fn close_4(&mut self, file: &OpenFile) {
        let node = file.node;
        if file.flags.directory {
            return;
        }
        let opens = self.inode(node).opens;
        let reads = opens.told_read && opens.read + opens.both > 0;
        let writes = opens.told_write && opens.write + opens.both > 0;
        if (reads, writes) == (opens.told_read, opens.told_write) {
            return;
        }
        let opens = &mut self.inode(node).opens;
        (opens.told_read, opens.told_write) = (reads, writes);
        let attributes = !self.inode(node).delegation;
        let procedure = if reads || writes { Procedure::OpenDowngrade } else { Procedure::Close };
        self.call(procedure, Parts { attributes, ..Parts::default() });
        if attributes {
            self.refresh(node);
        }
    }

    /// Who wrote a file of version 3 sees when he closes it whether somebody else did, too (`nfs_close_context`).
    fn compare_after_writing(&mut self, file: &OpenFile) {
        let node = file.node;
        let inode = self.inode(node);
        let asks =
            file.flags.write && !inode.pages.is_empty() && !inode.invalid.data && inode.opens.all() == 0;
        if asks && self.client.options.close_to_open {
            self.revalidate(node);
        }
    }
}
