//! Classes of parts that are validated together.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Makes the list of classes: its name in files, what a person calls it, and what its model leaves out.
macro_rules! classes {
    ($($(#[$comment:meta])* $class:ident = $words:literal, $left_out:literal;)*) => {
        /// A class of parts. What is measured of one tells how far predictions of others of its class may be off.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
        #[serde(rename_all = "kebab-case")]
        #[non_exhaustive]
        pub enum Class {
            $($(#[$comment])* $class,)*
        }

        impl Class {
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$class),*];

            /// What a person calls it.
            pub const fn words(self) -> &'static str {
                match self {
                    $(Self::$class => $words,)*
                }
            }

            /// What its model leaves out.
            pub const fn left_out(self) -> &'static str {
                match self {
                    $(Self::$class => $left_out,)*
                }
            }
        }
    };
}

// One line a class: what a report calls it, and what docs/how-sure.md says that its model leaves out.
classes! {
    /// Drives with platters, of which the geometry is known.
    Disk = "disks", "thermal recalibration, retries of weak sectors, vibration; firmware beyond what a parameter file says";
    /// Drives with platters as a formula.
    AnalyticDisk = "disks by formula", "where platters stand: rotation is by chance; zones, caches and skews";
    /// Solid-state drives.
    Flash = "solid-state drives", "wear, temperature, compression, and what a controller does that its sheet doesn't say";
    /// Volumes of a cloud.
    CloudVolume = "volumes of a cloud", "the neighbours: what a provider doesn't promise";
    /// What a host's processors and memory do for calls.
    Memory = "calls and memory of hosts", "third-level caches that are shared, frequency steps, the hypervisor's own time";
    /// ext3 and ext4 with their kernel.
    FileSystem = "ext3 and ext4 with their kernel", "fragmentation by age, quotas, encryption, compression";
    /// XFS with its kernel.
    Xfs = "XFS with its kernel", "fragmentation by age, reflinks, realtime devices";
    /// Hosts with the file system of a Unix of 1990.
    Unix = "hosts of 1990", "cylinder groups beyond where files are put, and their fragments";
    /// Arrays of several disks.
    Array = "arrays", "firmware of controllers, bitmaps of what changed, patrol reads";
    /// NFS between hosts.
    Nfs = "NFS", "delegations beyond those of one client, locks that are lost, Kerberos";
    /// PVFS.
    Pvfs = "PVFS", "metadata that is cached by clients, failing metadata servers";
    /// Ceph's RBD.
    Ceph = "Ceph's RBD", "recovery beyond copies, compaction of RocksDB, scrubbing";
    /// Lustre.
    Lustre = "Lustre", "failover, HSM, changelogs";
    /// BeeGFS.
    Beegfs = "BeeGFS", "buddy mirrors of metadata, quota";
    /// File services over networks.
    Share = "file services", "what a protocol does beyond calls and their answers";
    /// File systems on disks that hosts share.
    SharedDisks = "file systems on shared disks", "locks between hosts beyond those that are written";
    /// Copies of files on several disks.
    Copies = "copies of files", "what a host that answers for several disks computes";
    /// Networks between hosts and disks.
    Fabric = "networks of storage", "congestion between switches, multipath policies that weigh";
    /// Messages between processes of parallel programs.
    Messages = "messages of parallel programs", "contention within a node's memory, topology-aware collectives";
    /// Data laid out by use.
    Layout = "data laid out by use", "what moves pieces while the load goes on";
}

impl Class {
    /// As a file has it: `file-system`.
    pub fn name(self) -> String {
        serde_json::to_value(self).ok().and_then(|name| name.as_str().map(str::to_owned)).unwrap_or_default()
    }

    /// The class of a name in a file.
    pub fn of_name(name: &str) -> Option<Self> {
        serde_json::from_value(name.into()).ok()
    }
}
