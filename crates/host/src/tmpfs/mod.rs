//! tmpfs: files that live in memory alone, and in swap space where memory is short.
//!
//! After mm/shmem.c of Linux 6.18. Its pages are single ones on the lists of processes' memory ([`crate::page_cache`], `shared`);
//! none is ever dirty for the write-back, nobody is held back for them (`noop_backing_dev_info`), fsync has nothing to do
//! (`noop_fsync`), and O_DIRECT goes through the cache, as it does since 6.6. A write of pages that aren't there takes them from
//! its `size` (`shmem_inode_acct_blocks`), whether they are in memory or in swap space then; reading where nothing was written gives zeroes
//! and takes none.
//!
//! Leaves out: huge pages (`huge=`, off unless it is mounted with it), the limit on inodes (`nr_inodes`, half as many as there are pages
//! of memory), the memory of inodes and names, memory policies, and noswap.

use super::below::{
    AnyFileSystem, FileSystem, Kernel, Layout, Names, Nature, Piece, Posts, Prepared, Scope, Stop,
};
use super::copy_cost::PAGE_BYTES;
use super::file_system::{AccessTimes, FileError, Mapping, Segment};
use super::laid_out::PreparedFile;
use super::mount::Mount;
use super::parameters::HostParameters;
use petrio_colours::{Failure, FileId, FileOp};
use petrio_kernel::Time;
use petrio_persist::Persist;
use petrio_random::Generator;

#[cfg(test)]
mod tests;

/// A tmpfs, which is nothing but names and a limit: what its files hold is in the page cache.
#[derive(Clone, Debug, Persist)]
pub(crate) struct Tmpfs {
    names: Names,
    /// Most pages that its files may have together.
    pages: u64,
    /// Pages of files that are there before the run.
    prepared: u64,
}

impl Tmpfs {
    /// An empty one whose files have so many pages of 4 KiB together at most.
    pub(crate) fn new(pages: u64) -> Self {
        Self { names: Names::default(), pages, prepared: 0 }
    }
}

impl Layout for Tmpfs {
    fn add(&mut self, file: &PreparedFile, _: &mut Generator) -> Result<(), FileError> {
        self.names.add(file.file, file.parent, file.directory)?;
        let (wanted, free) = (file.size.div_ceil(PAGE_BYTES), self.pages - self.prepared);
        if !file.directory {
            if wanted > free {
                return Err(FileError::NoSpace { file: file.file, wanted, free });
            }
            self.prepared += wanted;
        }
        Ok(())
    }

    fn map(&self, _: FileId, first: u64, count: u64, out: &mut Mapping) {
        nowhere(first, count, out);
    }

    fn is_directory(&self, file: FileId) -> bool {
        self.names.is_directory(file)
    }

    fn mount(&self, _: u32, host: &HostParameters, _: &Mount) -> (AnyFileSystem, Nature) {
        let nature = Nature {
            delayed: false,
            posts: Posts::Kept,
            direct: false,
            large_folios: false,
            access_times: AccessTimes::Never,
            tick: host.kernel.tick(),
            counts_rewrites: false,
            most_pages: u64::MAX,
            most_read_pages: u64::MAX,
            shared: false,
            synchronous: false,
            before_indirect_block: None,
            reads_ahead: false,
            age: Time::ZERO,
        };
        (Box::new(self.clone()), nature)
    }
}

/// None of its pages lies on a device.
fn nowhere(first: u64, count: u64, out: &mut Mapping) {
    out.clear();
    out.segments.extend((count > 0).then_some(Segment { first, block: None, count }));
}

impl FileSystem for Tmpfs {
    fn exists(&self, file: FileId) -> bool {
        self.names.exists(file)
    }

    fn map(&self, _: FileId, first: u64, count: u64, out: &mut Mapping) {
        nowhere(first, count, out);
    }

    /// The pages that the write adds fit into its size.
    fn prepare(&mut self, kernel: &mut Kernel<'_>, piece: &Piece<'_>) -> Result<Prepared, Stop> {
        let cache = &kernel.memory.cache;
        let new = cache.new_shared(piece.key, piece.first, piece.pages);
        if new > 0 && cache.shared_of(kernel.fs.number) + new > self.pages {
            return Err(Stop::Fail(Failure::NoSpace));
        }
        kernel.touch_times(piece.op.file);
        Ok(Prepared::default())
    }

    /// Nobody goes past its cache.
    fn prepare_past_cache(
        &mut self,
        _: &mut Kernel<'_>,
        _: &FileOp,
        _: (u64, u64),
        _: u64,
    ) -> Result<bool, Stop> {
        Err(Stop::Fail(Failure::NotImplemented))
    }

    fn change_names(&mut self, kernel: &mut Kernel<'_>, op: &FileOp) -> Result<Option<u64>, Stop> {
        let is_new = self.names.operate(op)?;
        if is_new {
            *kernel.fs.inodes.get_mut(op.file) = Default::default();
        }
        Ok(None)
    }

    /// There is no device that could have anything.
    fn promises_flush(&self, _: Scope) -> bool {
        false
    }
}
