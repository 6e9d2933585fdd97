//! Changes of names and attributes, and what else is asked of files by their names.
//!
//! After fs/nfs/dir.c, unlink.c, nfs3acl.c and nfs42proc.c of Linux 6.1.

use super::client::{Intent, Process};
use super::procedure::Procedure;
use super::server::{Kind, NfsError, Node};
use super::wire::Parts;

/// Attributes that are changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// chmod(2).
    Mode,
    /// chown(2).
    Owner,
    /// utimensat(2).
    Times,
}

impl Process<'_> {
    fn parent<'p>(&mut self, from: Node, path: &[&'p str]) -> Result<(Node, &'p str), NfsError> {
        let Some((name, above)) = path.split_last() else { return Err(NfsError::IsADirectory) };
        let directory = self.find(from, above)?;
        self.permission(directory);
        Ok((directory, *name))
    }

    /// Nothing has this name: versions 3 and 4 leave that to the server, which makes only what is new.
    fn is_free(&mut self, directory: Node, name: &str) -> Result<(), NfsError> {
        let exclusive = self.client.options.version.is_3_or_later();
        match self.look_up(directory, name, Intent { creates: true, exclusive, ..Intent::default() })? {
            Some(_) => Err(NfsError::Exists),
            None => Ok(()),
        }
    }

    fn parts_of(directory: Node, name: &str) -> Parts {
        Parts { root: directory == Node::ROOT, name: name.len() as u64, ..Parts::default() }
    }

    /// mkdir(2).
    ///
    /// # Errors
    /// Where the name is taken.
    pub fn make_directory(&mut self, from: Node, path: &[&str]) -> Result<Node, NfsError> {
        let (directory, name) = self.parent(from, path)?;
        self.is_free(directory, name)?;
        self.default_acl(directory);
        self.make(directory, name, Kind::Directory(Default::default()), (Procedure::MakeDirectory, 0))
    }

    /// symlink(2), to so many bytes.
    ///
    /// # Errors
    /// Where the name is taken.
    pub fn symbolic_link(&mut self, from: Node, path: &[&str], target: u64) -> Result<Node, NfsError> {
        let (directory, name) = self.parent(from, path)?;
        self.is_free(directory, name)?;
        self.make(directory, name, Kind::Link(target), (Procedure::SymbolicLink, target))
    }

    fn make(
        &mut self,
        directory: Node,
        name: &str,
        kind: Kind,
        (procedure, other): (Procedure, u64),
    ) -> Result<Node, NfsError> {
        let node = self.server.make(directory, name, kind)?;
        self.call(procedure, Parts { other, ..Self::parts_of(directory, name) });
        self.changed_directory(directory);
        if procedure == Procedure::SymbolicLink && !self.client.options.version.is_3_or_later() {
            // Its reply says nothing of what was made (`nfs_proc_symlink`).
            self.ask_for_name(directory, name);
        }
        self.refresh(node);
        self.remember(directory, name, Some(node));
        Ok(node)
    }

    /// readlink(2).
    ///
    /// # Errors
    /// Where there is no such name.
    pub fn read_link(&mut self, from: Node, path: &[&str]) -> Result<(), NfsError> {
        let node = self.find(from, path)?;
        let back = self.server.size(node);
        self.call(Procedure::ReadLink, Parts { back, ..Parts::default() });
        Ok(())
    }

    /// link(2): who makes a link to a file must be able to read and write it (`may_linkat`).
    ///
    /// # Errors
    /// Where there is no such file, or the new name is taken.
    pub fn link(&mut self, from: Node, path: &[&str], new: &[&str]) -> Result<(), NfsError> {
        let node = self.find(from, path)?;
        let (directory, name) = self.parent(from, new)?;
        self.is_free(directory, name)?;
        self.permission(node);
        self.return_delegation(node);
        self.server.link(node, directory, name)?;
        self.call(Procedure::Link, Parts { name: name.len() as u64, ..Parts::default() });
        self.changed_directory(directory);
        self.refresh_own(node);
        self.remember(directory, name, Some(node));
        Ok(())
    }

    /// unlink(2). What is open gets another name, which its last close removes (`nfs_sillyrename`).
    ///
    /// # Errors
    /// Where there is no such name, or it is a directory.
    pub fn unlink(&mut self, from: Node, path: &[&str]) -> Result<(), NfsError> {
        let (directory, name) = self.parent(from, path)?;
        let node = self.look_up(directory, name, Intent::default())?.ok_or(NfsError::NotFound)?;
        if self.server.is_directory(node) {
            return Err(NfsError::IsADirectory);
        }
        if self.inode(node).opens.all() == 0 {
            self.return_delegation(node);
            self.remove_name(directory, name);
            return Ok(());
        }
        let silly = self.silly_name();
        self.permission(directory);
        self.look_up(directory, &silly, Intent::default())?;
        self.return_delegation(node);
        self.move_name((directory, name), (directory, &silly))?;
        self.inode(node).silly = Some((directory, silly));
        Ok(())
    }

    /// REMOVE.
    pub(super) fn remove_name(&mut self, directory: Node, name: &str) {
        let Ok(node) = self.server.remove(directory, name) else { return };
        self.call(Procedure::Remove, Self::parts_of(directory, name));
        self.changed_directory(directory);
        self.remember(directory, name, None);
        if self.server.links(node) == 0 {
            self.client.inodes.remove(&node);
        } else {
            self.refresh_own(node);
        }
    }

    /// rmdir(2).
    ///
    /// # Errors
    /// Where there is no such directory, or something is in it.
    pub fn remove_directory(&mut self, from: Node, path: &[&str]) -> Result<(), NfsError> {
        let (directory, name) = self.parent(from, path)?;
        let node = self.look_up(directory, name, Intent::default())?.ok_or(NfsError::NotFound)?;
        if !self.server.is_directory(node) {
            return Err(NfsError::NotADirectory);
        }
        self.server.remove(directory, name)?;
        self.call(Procedure::RemoveDirectory, Self::parts_of(directory, name));
        self.changed_directory(directory);
        self.remember(directory, name, None);
        self.client.inodes.remove(&node);
        Ok(())
    }

    /// rename(2).
    ///
    /// # Errors
    /// Where there is no such name.
    pub fn rename(&mut self, from: Node, path: &[&str], new: &[&str]) -> Result<(), NfsError> {
        let (directory, name) = self.parent(from, path)?;
        let (to, new) = self.parent(from, new)?;
        let node = self.look_up(directory, name, Intent::default())?.ok_or(NfsError::NotFound)?;
        let replaces = Intent { replaces: true, ..Intent::default() };
        if let Some(other) = self.look_up(to, new, replaces)? {
            self.return_delegation(other);
        }
        if self.inode(node).pages.is_dirty() {
            self.flush(node, true);
        }
        self.return_delegation(node);
        self.move_name((directory, name), (to, new))
    }

    fn move_name(
        &mut self,
        (directory, name): (Node, &str),
        (to, new): (Node, &str),
    ) -> Result<(), NfsError> {
        let node = self.server.find(directory, name).ok_or(NfsError::NotFound)?;
        self.server.rename((directory, name), (to, new))?;
        let parts = Parts { other: new.len() as u64, ..Self::parts_of(directory, name) };
        self.call(Procedure::Rename, parts);
        self.changed_directory(directory);
        if to != directory {
            self.changed_directory(to);
        }
        let (client, server) = (&mut *self.client, &*self.server);
        client.inodes.entry(node).or_default().follow(server, node);
        self.inode(node).invalid.times = true;
        self.remember(directory, name, None);
        self.remember(to, new, Some(node));
        Ok(())
    }

    /// chmod(2), chown(2), utimensat(2).
    ///
    /// # Errors
    /// Where there is no such name.
    pub fn change(&mut self, from: Node, path: &[&str], change: Change) -> Result<(), NfsError> {
        let node = self.find(from, path)?;
        self.change_node(node, change);
        Ok(())
    }

    /// fchmod(2), fchown(2), futimens(2).
    pub fn change_open(&mut self, number: u32, change: Change) {
        if let Some(node) = self.client.files.get(&number).map(|file| file.node) {
            self.change_node(node, change);
        }
    }

    fn change_node(&mut self, node: Node, change: Change) {
        if self.inode(node).pages.is_dirty() {
            self.flush(node, true);
        }
        // Who may do what is about to change (`nfs4_proc_setattr`).
        if change != Change::Times {
            self.return_delegation(node);
        }
        let out = match change {
            Change::Mode => 4,
            Change::Owner => 8,
            Change::Times => 16,
        };
        self.set_attributes(node, out);
        if change != Change::Times {
            let inode = self.inode(node);
            inode.invalid.access = true;
            (inode.acl, inode.default_acl) = (false, false);
        }
    }

    fn set_attributes(&mut self, node: Node, out: u64) {
        self.server.touch(node);
        self.call(Procedure::SetAttributes, Parts { root: node == Node::ROOT, out, ..Parts::default() });
        self.refresh_own(node);
    }

    /// truncate(2).
    ///
    /// # Errors
    /// Where there is no such file.
    pub fn truncate(&mut self, from: Node, path: &[&str], bytes: u64) -> Result<(), NfsError> {
        let node = self.find(from, path)?;
        self.permission(node);
        self.set_size(node, bytes);
        Ok(())
    }

    /// ftruncate(2).
    pub fn truncate_open(&mut self, number: u32, bytes: u64) {
        if let Some(node) = self.client.files.get(&number).map(|file| file.node) {
            self.set_size(node, bytes);
        }
    }

    pub(super) fn set_size(&mut self, node: Node, bytes: u64) {
        if self.inode(node).pages.is_dirty() {
            self.flush(node, true);
        }
        self.inode(node).pages.cut(bytes.div_ceil(crate::copy_cost::PAGE_BYTES));
        self.server.resize(node, bytes);
        self.set_attributes(node, 8);
    }

    /// statfs(2).
    ///
    /// # Errors
    /// Where there is no such name.
    pub fn file_system_status(&mut self, from: Node, path: &[&str]) -> Result<(), NfsError> {
        let node = self.find(from, path)?;
        self.call(Procedure::FileSystemStatus, Parts { root: node == Node::ROOT, ..Parts::default() });
        Ok(())
    }

    /// fstatfs(2).
    pub fn file_system_status_open(&mut self, number: u32) {
        if self.client.files.contains_key(&number) {
            self.call(Procedure::FileSystemStatus, Parts::default());
        }
    }

    /// getxattr(2) of an access list, and of the default one of a directory: both come with one call of NFSACL, and are remembered.
    ///
    /// # Errors
    /// Where there is no such name; where lists aren't had: of version 4, and with `noacl`.
    pub fn get_acl(&mut self, from: Node, path: &[&str]) -> Result<(), NfsError> {
        let node = self.find(from, path)?;
        if self.is_4() || !self.client.options.access_lists {
            return Err(NfsError::NotSupported);
        }
        if !self.inode(node).acl {
            self.ask_for_acl(node);
        }
        Ok(())
    }

    /// GETACL, which brings both lists, after attributes where these are old (`nfs3_get_acl`).
    pub(super) fn ask_for_acl(&mut self, node: Node) {
        self.revalidate(node);
        self.call(Procedure::GetAcl, Parts { root: node == Node::ROOT, ..Parts::default() });
        let inode = self.inode(node);
        (inode.acl, inode.default_acl) = (true, true);
    }

    /// getxattr(2) of a security label, which no mount here has: the path is walked.
    ///
    /// # Errors
    /// Always.
    pub fn get_label(&mut self, from: Node, path: &[&str]) -> Result<(), NfsError> {
        self.find(from, path)?;
        Err(NfsError::NotSupported)
    }

    /// chdir(2): where paths can begin.
    ///
    /// # Errors
    /// Where there is no such directory.
    pub fn enter(&mut self, from: Node, path: &[&str]) -> Result<Node, NfsError> {
        let node = self.find(from, path)?;
        if !self.server.is_directory(node) {
            return Err(NfsError::NotADirectory);
        }
        self.permission(node);
        Ok(node)
    }

    /// getxattr(2) of a user's attribute, whose name and value have so many bytes.
    ///
    /// # Errors
    /// Where there is no such name; before 4.2.
    pub fn get_xattr(&mut self, from: Node, path: &[&str], name: u64) -> Result<(), NfsError> {
        self.xattr(from, path, (Procedure::GetXattr, name, 0))
    }

    /// setxattr(2).
    ///
    /// # Errors
    /// As of `get_xattr`.
    pub fn set_xattr(&mut self, from: Node, path: &[&str], name: u64, value: u64) -> Result<(), NfsError> {
        self.xattr(from, path, (Procedure::SetXattr, name, value))
    }

    fn xattr(
        &mut self,
        from: Node,
        path: &[&str],
        (procedure, name, out): (Procedure, u64, u64),
    ) -> Result<(), NfsError> {
        let node = self.find(from, path)?;
        // The kernel asks whether the user may before it asks who could (`xattr_permission`).
        self.permission(node);
        if self.client.options.version != super::options::Version::V42 {
            return Err(NfsError::NotSupported);
        }
        self.call(procedure, Parts { name, out, ..Parts::default() });
        if procedure == Procedure::SetXattr {
            self.server.touch(node);
            let (client, server) = (&mut *self.client, &*self.server);
            client.inodes.entry(node).or_default().follow(server, node);
            self.inode(node).invalid.times = true;
        }
        Ok(())
    }

    /// An operation of 4.2 on an open file: `Allocate`, `Deallocate`, `Seek`.
    ///
    /// # Errors
    /// Before 4.2.
    pub fn on_open(&mut self, number: u32, procedure: Procedure, size: u64) -> Result<(), NfsError> {
        let node = self.client.files.get(&number).map(|file| file.node).ok_or(NfsError::NotFound)?;
        if self.client.options.version != super::options::Version::V42 {
            return Err(NfsError::NotSupported);
        }
        if self.inode(node).pages.is_dirty() {
            self.flush(node, true);
        }
        self.call(procedure, Parts::default());
        if procedure != Procedure::Seek {
            let size = self.server.size(node).max(size);
            self.server.resize(node, size);
            self.refresh_own(node);
        }
        Ok(())
    }

    /// copy_file_range(2) of so many bytes: of 4.2 the server copies; else the kernel reads and writes. Whether it tries to share the
    /// blocks first (FICLONE), which a server's ext4 refuses once for all.
    pub fn copy_range(&mut self, from: u32, to: u32, bytes: u64, clones: bool) {
        let Some(target) = self.client.files.get(&to).map(|file| file.node) else { return };
        if self.client.options.version != super::options::Version::V42 {
            let got = self.splice_from(from, 0, bytes);
            self.write_at(to, 0, got);
            return;
        }
        if clones && !std::mem::replace(&mut self.client.clone_refused, true) {
            self.call(Procedure::Clone, Parts::default());
        }
        self.call(Procedure::Copy, Parts::default());
        let size = self.server.size(target).max(bytes);
        self.server.resize(target, size);
        let (client, server) = (&mut *self.client, &*self.server);
        let inode = client.inodes.entry(target).or_default();
        inode.follow(server, target);
        inode.invalid.times = true;
    }
}
