//! A block device that programs open themselves, past its cache or through it: nothing but places.
//!
//! After block/fops.c of Linux 6.18 (`blkdev_read_iter`, `blkdev_write_iter`, `blkdev_fsync`). Each file is a partition, one behind the
//! other in the order in which they are there before the run, with pages of its own in the cache, as a partition's are. What is
//! written is dirty and written back as any file's is; fsync flushes the device after that from 2.6.33 on (`block_fsync` of
//! fs/block_dev.c), and sync(2) doesn't (`sync_bdevs`). Times of access and change are kept in memory alone.
//!
//! Nothing can be made, removed, cut or lengthened: a write beyond a partition's end finds no space, as in the kernel.

use super::below::{
    AnyFileSystem, FileSystem, Kernel, Layout, Names, Nature, Piece, Posts, Prepared, Scope, Stop,
};
use super::copy_cost::PAGE_BYTES;
use super::file_system::{AccessTimes, FileError, Mapping, Segment};
use super::laid_out::PreparedFile;
use super::mount::Mount;
use super::parameters::HostParameters;
use super::shared_slots::SharedSlots;
use petrio_colours::{Failure, FileId, FileOp};
use petrio_kernel::Time;
use petrio_persist::Persist;
use petrio_random::Generator;
use std::sync::Arc;

/// Where a partition lies, in blocks of 4 KiB.
#[derive(Clone, Copy, Debug, Persist)]
struct Partition {
    start: u64,
    blocks: u64,
    /// The last of them may be used in part.
    bytes: u64,
}

/// A device and its partitions.
#[derive(Clone, Debug, Persist)]
pub(crate) struct Raw {
    names: Names,
    partitions: SharedSlots<Partition>,
    blocks: u64,
    used: u64,
    /// Whether fsync flushes the device.
    flushes: bool,
}

impl Raw {
    /// A device of so many blocks of 4 KiB without a partition.
    pub(crate) fn new(blocks: u64) -> Self {
        Self { names: Names::default(), partitions: SharedSlots::default(), blocks, used: 0, flushes: false }
    }

    fn partition(&self, file: FileId) -> Option<&Partition> {
        self.partitions.get(file.0 as usize)
    }

    /// Whether a file reaches to this byte.
    fn reaches(&self, file: FileId, end: u64) -> Result<(), Stop> {
        match self.partition(file) {
            Some(partition) if end <= partition.bytes => Ok(()),
            _ => Err(Stop::Fail(Failure::NoSpace)),
        }
    }
}

impl Layout for Raw {
    fn add(&mut self, file: &PreparedFile, _: &mut Generator) -> Result<(), FileError> {
        self.names.add(file.file, file.parent, file.directory)?;
        if file.directory {
            return Ok(());
        }
        let (blocks, free) = (file.size.div_ceil(PAGE_BYTES), self.blocks - self.used);
        if blocks > free {
            return Err(FileError::NoSpace { file: file.file, wanted: blocks, free });
        }
        let partition = Partition { start: self.used, blocks, bytes: file.size };
        self.partitions.put(file.file.0 as usize, Arc::new(partition));
        self.used += blocks;
        Ok(())
    }

    fn map(&self, file: FileId, first: u64, count: u64, out: &mut Mapping) {
        FileSystem::map(self, file, first, count, out);
    }

    fn is_directory(&self, file: FileId) -> bool {
        self.names.is_directory(file)
    }

    fn mount(&self, _: u32, host: &HostParameters, _: &Mount) -> (AnyFileSystem, Nature) {
        let kernel = &host.kernel;
        let nature = Nature {
            delayed: false,
            posts: Posts::Dirty,
            direct: true,
            large_folios: kernel.page_cache.largest_folio.get() > PAGE_BYTES,
            access_times: AccessTimes::Never,
            tick: kernel.tick(),
            counts_rewrites: false,
            most_pages: u64::MAX,
            most_read_pages: u64::MAX,
            shared: false,
            synchronous: false,
            before_indirect_block: None,
            reads_ahead: true,
            age: Time::ZERO,
        };
        // Both came in 2.6.32 and 2.6.33, between the profiles that there are.
        let flushes = kernel.flush_without_commit;
        let mounted = Self { flushes, ..self.clone() };
        (Box::new(mounted), nature)
    }
}

impl FileSystem for Raw {
    fn exists(&self, file: FileId) -> bool {
        self.names.exists(file)
    }

    fn map(&self, file: FileId, first: u64, count: u64, out: &mut Mapping) {
        out.clear();
        let partition = self.partition(file);
        let there = partition.map_or(0, |there| there.blocks.saturating_sub(first)).min(count);
        if let Some(partition) = partition.filter(|_| there > 0) {
            let block = Some(partition.start + first);
            out.segments.push(Segment { first, block, count: there });
        }
        if there < count {
            out.segments.push(Segment { first: first + there, block: None, count: count - there });
        }
    }

    fn prepare(&mut self, kernel: &mut Kernel<'_>, piece: &Piece<'_>) -> Result<Prepared, Stop> {
        self.reaches(piece.op.file, piece.end)?;
        kernel.touch_times(piece.op.file);
        Ok(Prepared::default())
    }

    fn prepare_past_cache(
        &mut self,
        kernel: &mut Kernel<'_>,
        op: &FileOp,
        _: (u64, u64),
        end: u64,
    ) -> Result<bool, Stop> {
        self.reaches(op.file, end)?;
        kernel.touch_times(op.file);
        Ok(false)
    }

    fn change_names(&mut self, _: &mut Kernel<'_>, op: &FileOp) -> Result<Option<u64>, Stop> {
        if op.operation.changes() {
            return Err(Stop::Fail(Failure::NotImplemented));
        }
        self.names.operate(op)?;
        Ok(None)
    }

    fn promises_flush(&self, scope: Scope) -> bool {
        self.flushes && scope != Scope::All
    }
}
