//! Which clusters are built and run: on what their clients work, what each does, and how many there are.

/// A cluster that is built and run.
#[derive(Clone, Copy, Debug)]
pub struct Cluster {
    /// Clients.
    pub clients: u32,
    /// Servers.
    pub servers: u32,
    /// What each client does.
    pub does: Does,
    /// Ports of the fat tree's switches; none is a star.
    pub ports: Option<u32>,
    /// On what.
    pub on: On,
    /// Seconds in which it is to be built and run, where there is an aim.
    pub aim_s: Option<f64>,
}

/// What clients of a cluster work on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum On {
    /// PVFS whose servers have a rate, and nothing else.
    Rate,
    /// PVFS on servers with ext3 and disks.
    Pvfs,
    /// PVFS 2 on such servers, which have the metadata, too.
    Pvfs2,
    /// NFS, version 3, on one such server.
    Nfs,
}

impl On {
    /// What its servers are, as rows call it.
    pub(super) const fn words(self) -> &'static str {
        match self {
            Self::Rate => "PVFS of constant rate",
            Self::Pvfs => "PVFS on ext3 and disks",
            Self::Pvfs2 => "PVFS 2 on ext3 and disks",
            Self::Nfs => "NFS on ext3 and disk",
        }
    }

    /// The file system in a scenario of hosts `client*` and `server*`, as it is mounted under the name `work`.
    pub(super) fn scenario(self) -> String {
        let servers = "clients = \"client*\"\nservers = \"server*/data\"\n";
        match self {
            Self::Rate | Self::Pvfs => format!("[pvfs.work]\n{servers}servers_per_file = {PER_FILE}\n"),
            Self::Pvfs2 => format!("[pvfs.work]\nversion = \"pvfs2\"\n{servers}"),
            Self::Nfs => "[nfs.work]\nclients = \"client*\"\nserver = \"server/data\"\nexport = \"async\"\n\
                          options = \"vers=3\"\n"
                .to_owned(),
        }
    }
}

/// What each client does.
#[derive(Clone, Copy, Debug)]
pub enum Does {
    /// Writes a file of its own of so many bytes.
    Write(u64),
    /// Makes, looks at and removes so many files, as mdtest does, all in one directory.
    Names(u32),
}

impl Does {
    pub(super) fn words(self) -> String {
        match self {
            Self::Write(bytes) => format!("{} MiB each", bytes >> 20),
            Self::Names(files) => format!("{files} files each"),
        }
    }

    /// The workload in a scenario.
    pub(super) fn scenario(self, on: On, clients: u32) -> String {
        let fsync = if on == On::Nfs { "fsync = \"at-end\"\n" } else { "" };
        match self {
            // Clients with a page cache would send nothing before they have to.
            Self::Write(bytes) => format!(
                "[workload.w]\nkind = \"files\"\non = \"client*/work\"\noperation = \"write\"\n\
                 {fsync}record = \"{RECORD} B\"\nfile_size = \"{bytes} B\"\n"
            ),
            Self::Names(files) => format!(
                "[workload.w]\nkind = \"parallel\"\non = \"client*/work\"\nranks = {clients}\n\
                 program = {{ kind = \"mdtest\", command = \"mdtest -n {files} -F\" }}\n"
            ),
        }
    }

    /// Bytes that each writes.
    pub(super) const fn bytes(self) -> u64 {
        match self {
            Self::Write(bytes) => bytes,
            Self::Names(_) => 0,
        }
    }
}

/// Bytes of a call that writes.
pub(super) const RECORD: u64 = 256 << 10;
/// Servers that a file of PVFS 1 lies on.
const PER_FILE: u32 = 4;

/// The 8 × 4 × 512 MB write, first with servers of constant rate; and then what a message costs among more and more hosts
/// of a fat tree, up to 10,000 clients: data on PVFS, names on PVFS 2, data on NFS. A kind more is a row of [`On`], and its
/// clusters here, the smallest first.
pub const CLUSTERS: [Cluster; 14] = [
    cluster((8, 4), Does::Write(512 << 20), None, On::Rate, Some(0.3)),
    cluster((8, 4), Does::Write(512 << 20), None, On::Pvfs, Some(2.5)),
    cluster((8, 4), Does::Write(64 << 20), Some(4), On::Pvfs, None),
    cluster((64, 32), Does::Write(16 << 20), Some(16), On::Pvfs, None),
    cluster((512, 100), Does::Write(4 << 20), Some(24), On::Pvfs, None),
    cluster((10_000, 1_000), Does::Write(1 << 20), Some(48), On::Pvfs, None),
    cluster((8, 4), Does::Names(200), Some(4), On::Pvfs2, None),
    cluster((64, 32), Does::Names(25), Some(16), On::Pvfs2, None),
    cluster((512, 100), Does::Names(4), Some(24), On::Pvfs2, None),
    cluster((10_000, 1_000), Does::Names(1), Some(48), On::Pvfs2, None),
    cluster((8, 1), Does::Write(64 << 20), Some(4), On::Nfs, None),
    cluster((64, 1), Does::Write(16 << 20), Some(16), On::Nfs, None),
    cluster((512, 1), Does::Write(4 << 20), Some(24), On::Nfs, None),
    cluster((10_000, 1), Does::Write(1 << 20), Some(48), On::Nfs, None),
];

pub(super) const fn cluster(
    (clients, servers): (u32, u32),
    does: Does,
    ports: Option<u32>,
    on: On,
    aim_s: Option<f64>,
) -> Cluster {
    Cluster { clients, servers, does, ports, on, aim_s }
}
