//! What IOR's options mean.

use crate::parallel::programs::launcher::Launch;

/// How IOR is told to run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IorOptions {
    /// What a launcher before it was told, where there is one (mpirun -np).
    pub launch: Launch,
    /// Interface (-a).
    pub api: IorApi,
    /// Bytes that a rank has in a segment (-b).
    pub block: u64,
    /// Bytes of one access (-t).
    pub transfer: u64,
    /// Segments (-s).
    pub segments: u64,
    /// Whether each rank has a file of its own (-F).
    pub file_per_process: bool,
    /// Whether accesses are of all ranks together (-c).
    pub collective: bool,
    /// Whether it writes (-w; both without).
    pub write: bool,
    /// Whether it reads back (-r; both without).
    pub read: bool,
    /// Whether what it has written is read once more to be compared (-W).
    pub check_write: bool,
    /// Whether each repetition has files of its own (-m).
    pub multi_file: bool,
    /// Whether each rank's file, with -F, lies in a directory of its own (-u).
    pub unique_directory: bool,
    /// Whether a rank reads what another host has written (-C), and how many hosts further (-Q).
    pub reorder: bool,
    /// See `reorder`.
    pub node_offset: u32,
    /// Whether a rank reads what another one has written that is drawn for it, so many hosts further or more (-Z).
    pub reorder_randomly: bool,
    /// Transfers in random order (-z).
    pub random: bool,
    /// Whether that order's seed is given (--random-offset-seed).
    pub is_seeded: bool,
    /// Whether what is read is compared, too (-R), which is no access.
    pub check_read: bool,
    /// Whether the signature of what is written is given (-G), which a comparison needs that hasn't written itself.
    pub is_signed: bool,
    /// fsync after all writes (-e).
    pub fsync: bool,
    /// fsync after each write (-Y).
    pub fsync_per_write: bool,
    /// Times (-i).
    pub repetitions: u32,
    /// Seconds before each writing and each reading (-d).
    pub delay_seconds: u32,
    /// Whether files stay (-k).
    pub keep: bool,
    /// Whether the files that are there are written (-E).
    pub existing: bool,
    /// Whether ranks wait for each other before and after accesses, with the file open (-g).
    pub barriers: bool,
    /// O_DIRECT (-O useO_DIRECT=1, --posix.odirect).
    pub direct: bool,
    /// Seconds after which a rank stops writing or reading (-D); zero without.
    pub deadline_seconds: u32,
    /// Whether all ranks go on until they have done as much as the one that did most (-O stoneWallingWearOut=1).
    pub wear_out: bool,
    /// Transfers after which a rank stops (-O stoneWallingWearOutIterations=N); zero without.
    pub iterations: u64,
    /// Minutes after which no further writing or reading begins (-T); zero without.
    pub limit_minutes: u32,
}

/// The interface by which IOR accesses files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum IorApi {
    /// System calls.
    #[default]
    Posix,
    /// MPI-IO.
    MpiIo,
}

impl Default for IorOptions {
    /// IOR's own (src/parse_options.c, src/ior.c: init_IOR_Param_t).
    fn default() -> Self {
        Self {
            launch: Launch::default(),
            api: IorApi::Posix,
            block: 1 << 20,
            transfer: 256 << 10,
            segments: 1,
            file_per_process: false,
            collective: false,
            write: true,
            read: true,
            check_write: false,
            multi_file: false,
            unique_directory: false,
            reorder: false,
            node_offset: 1,
            reorder_randomly: false,
            random: false,
            is_seeded: false,
            check_read: false,
            is_signed: false,
            fsync: false,
            fsync_per_write: false,
            repetitions: 1,
            delay_seconds: 0,
            keep: false,
            existing: false,
            barriers: false,
            direct: false,
            deadline_seconds: 0,
            wear_out: false,
            iterations: 0,
            limit_minutes: 0,
        }
    }
}

impl IorOptions {
    /// Transfers of a block.
    pub(super) const fn per_block(&self) -> u64 {
        self.block / self.transfer
    }
}
