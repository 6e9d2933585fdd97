//! Mounting and unmounting.
//!
//! After mount.nfs of nfs-utils 2.6 and fs/nfs/client.c, nfs4client.c of Linux 6.1: of version 3 the handle comes from the side protocol
//! MOUNT, of version 4 by walking from the server's pseudo root. Left out: what mount.nfs asks in user space (rpcbind, NULL).

use super::client::Process;
use super::options::Version;
use super::procedure::Procedure;
use super::server::Node;
use super::wire::Parts;

impl Process<'_> {
    /// mount(2), of an export so many directories below the server's root.
    pub fn mount(&mut self, depth: usize) {
        self.client.inodes.clear();
        self.client.files.clear();
        self.client.confirmed = false;
        self.client.clone_refused = false;
        self.client.looks_at = self.client.now + super::client::RENEWS_AFTER;
        let root = Parts { root: true, ..Parts::default() };
        if self.is_4() {
            self.mount_4(depth, root);
        } else {
            self.mount_3(root);
        }
    }

    /// Of version 2, too, which asks no more than what mounting needs.
    fn mount_3(&mut self, root: Parts) {
        use Procedure as P;
        [P::MountNull, P::MountExport, P::Null].into_iter().for_each(|procedure| self.call(procedure, root));
        if self.client.options.version == Version::V2 {
            self.get_attributes(Node::ROOT);
            self.call(P::FileSystemStatus, root);
            return;
        }
        let asked = [P::GetPort, P::FileSystemInformation, P::PathConfiguration];
        asked.into_iter().for_each(|procedure| self.call(procedure, root));
        self.get_attributes(Node::ROOT);
        if self.client.options.access_lists {
            self.call(P::AclNull, root);
        }
        self.call(P::FileSystemInformation, root);
        self.get_attributes(Node::ROOT);
    }

    fn mount_4(&mut self, depth: usize, root: Parts) {
        use Procedure as P;
        let asked: &[P] = match self.client.options.version {
            Version::V40 => &[P::Null, P::SetClientId, P::SetClientIdConfirm],
            _ => &[
                P::Null,
                P::ExchangeId,
                P::ExchangeId,
                P::CreateSession,
                P::ReclaimComplete,
                P::SecurityNoName,
            ],
        };
        // The client's own calls, and the pseudo root's, which is a file system of its own.
        self.client.is_own = false;
        asked.iter().for_each(|procedure| self.call(*procedure, root));
        let probe = [P::ServerCapabilities, P::FileSystemInformation];
        self.call(P::LookUpRoot, root);
        let first = [
            probe[0],
            probe[1],
            probe[0],
            probe[1],
            P::PathConfiguration,
            P::ServerCapabilities,
            P::GetAttributes,
            P::Access,
        ];
        first.into_iter().for_each(|procedure| self.call(procedure, root));
        for _ in 0..depth * 2 {
            self.call(P::LookUp, Parts { name: 6, ..root });
        }
        self.client.is_own = true;
        let then = [probe[0], probe[1], P::PathConfiguration, P::ServerCapabilities];
        then.into_iter().for_each(|procedure| self.call(procedure, root));
        self.get_attributes(Node::ROOT);
    }

    /// umount(2), when no file is open any more: delegations go back, and who was there says that he goes.
    pub fn unmount(&mut self) {
        let dirty: Vec<Node> = self
            .client
            .inodes
            .iter()
            .filter(|(_, inode)| inode.pages.is_dirty())
            .map(|(&node, _)| node)
            .collect();
        dirty.into_iter().for_each(|node| self.flush(node, true));
        let delegated: Vec<Node> =
            self.client.inodes.iter().filter(|(_, inode)| inode.delegation).map(|(&node, _)| node).collect();
        delegated.into_iter().for_each(|node| self.return_delegation(node));
        if self.client.options.version.has_sessions() {
            self.client.is_own = false;
            self.call(Procedure::DestroySession, Parts::default());
            self.call(Procedure::DestroyClientId, Parts::default());
            self.client.is_own = true;
        }
        self.client.inodes.clear();
        self.client.files.clear();
    }
}
