//! The files of a mount as they lie on its volume before a run: laid out once for all runs on a file system of this
//! kind and size.

use super::file_system::{BLOCK_SIZE, FileError, Mapping, Volume};
use super::kinds::{Format, OnDisk};
use super::parameters::{HostError, HostParameters};
use super::state::{Inode, Inodes};
use crate::FileLayout;
use petrio_colours::FileId;
use petrio_kernel::Watch;
use petrio_random::Generator;
use std::ops::Range;

/// Blocks of 512 bytes in one of a file system.
const SECTORS_PER_BLOCK: u64 = BLOCK_SIZE / petrio_colours::SECTOR_BYTES;

/// A file that is there before the run begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PreparedFile {
    /// The file.
    pub file: FileId,
    /// The directory that it is in.
    pub parent: FileId,
    /// Whether it is a directory itself.
    pub directory: bool,
    /// Its size in bytes.
    pub size: u64,
    /// Whether its pages are in the cache.
    pub cached: bool,
}

/// What a layout depends on beside the files.
#[derive(Clone, Debug, PartialEq)]
pub struct LayoutOf {
    mount: String,
    format: Format,
    /// Size in blocks of 4 KiB, without what is swap space.
    blocks: u64,
    swap: u64,
    seed: u64,
    /// What the files are but for those of its own programs: a number that differs where that does.
    others: u64,
}

impl LayoutOf {
    /// Of the file system `mount` of a host, which is its first or not, on a device of so many blocks of 512 bytes.
    /// Random draws of the layout depend on the seed.
    pub fn new(
        (host, is_first): (&HostParameters, bool),
        mount: &str,
        format: &Format,
        device_blocks: u64,
        seed: u64,
    ) -> Self {
        let swap = host.swap.filter(|_| is_first).map_or(0, |swap| swap.get() / BLOCK_SIZE);
        Self {
            mount: mount.to_owned(),
            format: format.clone().under(&host.kernel),
            blocks: (device_blocks / SECTORS_PER_BLOCK).saturating_sub(swap),
            swap,
            seed,
            others: 0,
        }
    }

    /// With files of others, in a way of which this number tells.
    #[must_use]
    pub fn with_files_of_others(self, others: u64) -> Self {
        Self { others, ..self }
    }
}

/// The memory that each file of a host that is simulated takes, in bytes: in the order of its mount's files (a list
/// that grows by doubling), in its volume, and in what the kernel remembers of it.
pub const BYTES_OF_A_FILE: usize =
    3 * size_of::<(FileId, bool)>() + Volume::BYTES_OF_A_FILE + size_of::<Inode>();

/// A volume with files on it. Clones share what no run changes.
#[derive(Clone, Debug)]
pub struct LaidOut {
    of: LayoutOf,
    pub(super) on_disk: OnDisk,
    pub(super) inodes: Inodes,
    /// The files in the order in which they were laid out, and whether their pages are in the cache.
    pub(super) files: Vec<(FileId, bool)>,
}

impl LaidOut {
    /// Lays out files, which `each` tells one after the other: directories before what is in them.
    ///
    /// # Errors
    /// A file system that doesn't fit its device, files that don't fit the file system; what `each` reports; a layout
    /// that isn't wanted any more.
    pub fn new<E: From<HostError>>(
        of: LayoutOf,
        watch: &Watch,
        each: impl FnOnce(&mut dyn FnMut(PreparedFile)) -> Result<(), E>,
    ) -> Result<Self, E> {
        let on_disk = of
            .format
            .format(of.blocks)
            .map_err(|source| HostError::Format { mount: of.mount.clone(), source })?;
        let mut stream = petrio_random::generator(of.seed, 0, &of.mount, "layout");
        let mut laid_out = Self { of, on_disk, inodes: Inodes::default(), files: Vec::new() };
        let mut added = Ok(());
        let mut stopped = false;
        each(&mut |file| {
            stopped |= watch.is_stopped();
            if added.is_ok() && !stopped {
                added = laid_out.add(&file, &mut stream);
            }
        })?;
        let mount = laid_out.of.mount.clone();
        if stopped {
            return Err(HostError::Stopped { mount }.into());
        }
        added.map_err(|source| HostError::File { mount, source })?;
        laid_out.files.shrink_to_fit();
        Ok(laid_out)
    }

    fn add(&mut self, file: &PreparedFile, stream: &mut Generator) -> Result<(), FileError> {
        self.on_disk.add(file, stream)?;
        self.inodes.get_mut(file.file).size = file.size;
        self.files.push((file.file, file.cached && !file.directory));
        Ok(())
    }

    /// Blocks of the device behind those of the volume: its swap space.
    pub(super) const fn swap(&self) -> Range<u64> {
        self.of.blocks..self.of.blocks + self.of.swap
    }

    /// Bytes of the files whose pages are said to be in the cache.
    pub fn cached_bytes(&self) -> u64 {
        let cached = self.files.iter().filter(|(_, cached)| *cached);
        cached.map(|&(file, _)| self.inodes.get(file).size).fold(0, u64::saturating_add)
    }

    /// Where its files lie, in blocks of 512 bytes.
    pub fn layout(&self) -> FileLayout {
        let mut layout = FileLayout::default();
        let mut mapping = Mapping::default();
        for &(file, _) in self.files.iter().filter(|(file, _)| !self.on_disk.is_directory(*file)) {
            let blocks = self.inodes.get(file).size.div_ceil(BLOCK_SIZE);
            self.on_disk.map(file, 0, blocks, &mut mapping);
            for segment in &mapping.segments {
                if let Some(first) = segment.block {
                    layout.add(file, first * SECTORS_PER_BLOCK, segment.count * SECTORS_PER_BLOCK);
                }
            }
        }
        layout
    }

    /// What it depends on beside its files.
    pub const fn layout_of(&self) -> &LayoutOf {
        &self.of
    }
}
