//! Reading and writing: READs as read-ahead wants them, WRITEs of what is dirty, COMMIT for what was sent unstable.
//!
//! After fs/nfs/file.c, read.c, write.c, pagelist.c and direct.c of Linux 6.1.

use super::client::Process;
use super::options::MountOptions;
use super::pages::{Page, Run};
use super::procedure::{Procedure, Stability};
use super::server::Node;
use super::wire::Parts;
use crate::copy_cost::PAGE_BYTES;
use crate::kernel_profile::{BeforeIndirectBlock, DeviceWindow, ReadAheadAlgorithm, ReadAheadParameters};
use crate::read_ahead::{self, ReadAheadState, Window};
use petrio_kernel::Time;
use petrio_persist::Persist;
use petrio_units::Bytes;

/// Flags of open(2).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Persist)]
#[expect(clippy::struct_excessive_bools, reason = "they are the flags of open(2)")]
pub struct OpenFlags {
    /// To be read.
    pub read: bool,
    /// To be written.
    pub write: bool,
    /// O_CREAT.
    pub create: bool,
    /// O_EXCL.
    pub exclusive: bool,
    /// O_TRUNC.
    pub truncate: bool,
    /// O_APPEND.
    pub append: bool,
    /// O_DIRECT.
    pub direct: bool,
    /// O_SYNC or O_DSYNC.
    pub sync: bool,
    /// O_DIRECTORY.
    pub directory: bool,
}

/// An open file.
#[derive(Clone, Debug, Persist)]
pub(super) struct OpenFile {
    pub(super) node: Node,
    pub(super) flags: OpenFlags,
    pub(super) position: u64,
    ahead: ReadAheadState,
    /// It said that it reads from the beginning to the end.
    sequential: bool,
    /// Faults that found no page.
    faults: u32,
    /// Of a directory: bytes of its next READDIR's reply.
    pub(super) listing: u64,
}

impl OpenFile {
    pub(super) fn new(node: Node, flags: OpenFlags, options: &MountOptions) -> Self {
        // The largest request of the mount's queue is a READ (`nfs_setup_bdi`: io_pages).
        let ahead = ReadAheadState::new(&windows(options, false), options.read_size.get() / PAGE_BYTES);
        Self { node, flags, position: 0, ahead, sequential: false, faults: 0, listing: 0 }
    }
}

/// How far is read ahead: twice as far for who said that it reads all.
fn windows(options: &MountOptions, sequential: bool) -> ReadAheadParameters {
    let factor = if sequential { 2 } else { 1 };
    ReadAheadParameters {
        algorithm: ReadAheadAlgorithm::OnDemandFolios,
        max: Bytes(options.read_ahead.get().saturating_mul(factor)),
        device: DeviceWindow::default(),
        before_indirect_block: BeforeIndirectBlock::default(),
    }
}

impl Process<'_> {
    fn file(&mut self, number: u32) -> Option<&mut OpenFile> {
        self.client.files.get_mut(&number)
    }

    /// posix_fadvise(POSIX_FADV_SEQUENTIAL): windows of twice the size.
    pub fn advise_sequential(&mut self, number: u32) {
        self.file(number).into_iter().for_each(|file| file.sequential = true);
    }

    /// lseek(2) to a byte.
    pub fn seek(&mut self, number: u32, position: u64) {
        self.file(number).into_iter().for_each(|file| file.position = position);
    }

    /// fstat(2).
    pub fn fstat(&mut self, number: u32) {
        if let Some(node) = self.file(number).map(|file| file.node) {
            self.stat_node(node);
        }
    }

    /// read(2): how many bytes it got.
    pub fn read(&mut self, number: u32, length: u64) -> u64 {
        let Some(position) = self.file(number).map(|file| file.position) else { return 0 };
        let got = self.read_at(number, position, length);
        self.seek(number, position + got);
        got
    }

    /// pread(2).
    pub fn read_at(&mut self, number: u32, offset: u64, length: u64) -> u64 {
        let Some(file) = self.file(number) else { return 0 };
        let (node, direct) = (file.node, file.flags.direct);
        if direct {
            return self.read_past_cache(node, offset, length);
        }
        self.revalidate_mapping(node);
        self.fill(number, offset, length, length)
    }

    /// Reads of other calls of the kernel (splice): pieces of a pipe's 16 pages.
    pub fn splice_from(&mut self, number: u32, offset: u64, length: u64) -> u64 {
        let Some(node) = self.file(number).map(|file| file.node) else { return 0 };
        self.revalidate_mapping(node);
        self.fill(number, offset, length, 16 * PAGE_BYTES)
    }

    fn fill(&mut self, number: u32, offset: u64, length: u64, piece: u64) -> u64 {
        let Some(node) = self.file(number).map(|file| file.node) else { return 0 };
        let end = (offset + length).min(self.inode(node).size);
        let mut at = offset;
        while at < end {
            let stop = (at + piece).min(end);
            self.bring(number, (at / PAGE_BYTES, stop.div_ceil(PAGE_BYTES)));
            at = stop;
            self.file(number).into_iter().for_each(|file| file.ahead.note_access(stop));
        }
        end.saturating_sub(offset)
    }

    /// What is in memory is thrown away where the file has changed at the server, which is asked where that isn't known
    /// (`nfs_revalidate_mapping`).
    pub(super) fn revalidate_mapping(&mut self, node: Node) {
        self.revalidate(node);
        let inode = self.inode(node);
        if std::mem::take(&mut inode.invalid.data) {
            if inode.pages.is_dirty() {
                self.flush(node, true);
            }
            let inode = self.inode(node);
            inode.pages.clear();
            (inode.complete, inode.entries) = (false, Vec::new());
        }
    }

    /// Pages from a first up to another are read in that aren't there, with what lies ahead.
    fn bring(&mut self, number: u32, (first, end): (u64, u64)) {
        let mut at = first;
        while at < end {
            let Some(file) = self.client.files.get_mut(&number) else { return };
            let Some(inode) = self.client.inodes.get_mut(&file.node) else { return };
            let pages = inode.size.div_ceil(PAGE_BYTES);
            let windows = windows(&self.client.options, file.sequential);
            let request = end - at;
            let page = inode.pages.pages.get(&at).copied();
            let window = match page {
                Some(page) if page.marker => {
                    inode.pages.pages.entry(at).or_default().marker = false;
                    read_ahead::on_marker(&windows, &mut file.ahead, &inode.pages, at, request, pages)
                }
                Some(page) if page.uptodate => {
                    at += 1;
                    continue;
                }
                Some(_) => Window { start: at, pages: 1, ..Window::NONE },
                None => {
                    let window =
                        read_ahead::on_miss(&windows, &mut file.ahead, &inode.pages, at, request, pages);
                    if window.is_empty() {
                        Window { start: at, pages: request.min(pages - at), ..Window::NONE }
                    } else {
                        window
                    }
                }
            };
            let node = file.node;
            self.read_window(node, window);
        }
    }

    /// READs of the pages of a window that aren't there; a page that carries the marker is there then.
    fn read_window(&mut self, node: Node, window: Window) {
        let size = self.inode(node).size;
        let mut missing: Vec<(u64, u64)> = Vec::new();
        for index in window.start..window.end() {
            let inode = self.inode(node);
            if inode.pages.is_uptodate(index) {
                continue;
            }
            match missing.last_mut() {
                Some((start, pages)) if *start + *pages == index => *pages += 1,
                _ => missing.push((index, 1)),
            }
            inode.pages.insert(index);
        }
        for (start, pages) in missing {
            let from = start * PAGE_BYTES;
            let bytes = (pages * PAGE_BYTES).min(size.saturating_sub(from)).max(1);
            self.read_range(node, pages * PAGE_BYTES, bytes);
        }
        if let Some(marker) = window.marker {
            self.inode(node)
                .pages
                .pages
                .entry(marker)
                .or_insert(Page { uptodate: true, ..Page::default() })
                .marker = true;
        }
    }

    /// READs of at most `rsize`, of which so many bytes come back.
    fn read_range(&mut self, node: Node, asked: u64, found: u64) {
        let most = self.client.options.read_size.get().max(1);
        let mut at = 0;
        while at < asked {
            let count = most.min(asked - at);
            let back = count.min(found.saturating_sub(at));
            self.call_with(Procedure::Read, Parts { back, ..Parts::default() }, (count, None));
            at += count;
        }
        if self.is_4() {
            self.inode(node).invalid.accessed = true;
        } else {
            self.refresh(node);
        }
    }

    /// O_DIRECT: all that is asked for is asked of the server, beyond the file's end, too.
    fn read_past_cache(&mut self, node: Node, offset: u64, length: u64) -> u64 {
        if self.inode(node).pages.is_dirty() {
            self.flush(node, true);
        }
        let found = self.server.size(node).saturating_sub(offset).min(length);
        self.read_range(node, length, found);
        found
    }

    /// write(2).
    pub fn write(&mut self, number: u32, length: u64) {
        let Some(file) = self.file(number) else { return };
        let (node, append, position) = (file.node, file.flags.append, file.position);
        let mut offset = position;
        if append {
            // Where the file ends is the server's to say (`nfs_revalidate_file_size`).
            if !self.inode(node).delegation {
                self.revalidate(node);
            }
            offset = self.inode(node).size;
        }
        self.write_at(number, offset, length);
        self.seek(number, offset + length);
    }

    /// pwrite(2).
    pub fn write_at(&mut self, number: u32, offset: u64, length: u64) {
        let Some(file) = self.file(number) else { return };
        let OpenFile { node, flags, .. } = *file;
        if flags.direct {
            return self.write_past_cache(node, offset, length);
        }
        let mut at = offset;
        while at < offset + length {
            let index = at / PAGE_BYTES;
            let stop = ((index + 1) * PAGE_BYTES).min(offset + length);
            self.write_page(node, flags, index, (at - index * PAGE_BYTES, stop - index * PAGE_BYTES));
            at = stop;
        }
        if flags.sync || self.client.options.sync {
            self.flush(node, true);
        } else if self.client.background.is_some_and(|most| self.dirty_bytes() > most) {
            self.flush(node, false);
        }
    }

    fn dirty_bytes(&self) -> u64 {
        self.client.inodes.values().map(|inode| inode.pages.dirty() * PAGE_BYTES).sum()
    }

    /// Bytes of a page: read before where only the rest of it would be missing (`nfs_want_read_modify_write`), made dirty, and with
    /// all that is known of the page where that is all (`nfs_can_extend_write`).
    fn write_page(&mut self, node: Node, flags: OpenFlags, index: u64, (from, to): (u64, u64)) {
        let inode = self.inode(node);
        let size = inode.size;
        let there = size.saturating_sub(index * PAGE_BYTES).min(PAGE_BYTES);
        let known = inode.pages.pages.get(&index).copied().unwrap_or_default();
        let covers = there == 0 || (from == 0 && to >= there);
        if flags.read && !covers && !known.uptodate && known.dirty.is_none() {
            self.read_range(node, PAGE_BYTES, there);
            self.inode(node).pages.insert(index);
        }
        if !self.inode(node).pages.joins(index, (from, to)) {
            self.flush(node, true);
        }
        let inode = self.inode(node);
        let page = inode.pages.pages.entry(index).or_default();
        page.uptodate |= covers;
        let extends = page.uptodate && !flags.sync && !inode.invalid.data;
        let end = if extends { to.max(there) } else { to };
        inode.pages.make_dirty(index, (if extends { 0 } else { from }, end));
        inode.size = size.max(index * PAGE_BYTES + to);
    }

    /// O_DIRECT: at once, and out of the cache.
    fn write_past_cache(&mut self, node: Node, offset: u64, length: u64) {
        if self.inode(node).pages.is_dirty() {
            self.flush(node, true);
        }
        self.inode(node).pages.clear();
        let end = offset + length;
        let size = self.inode(node).size.max(end);
        self.inode(node).size = size;
        self.write_runs(&[Run { bytes: length, more: false }], true, false);
        self.written(node, size, false);
    }

    /// Writes what is dirty of a file. Who waits for it has what goes in one WRITE written stable; all else is unstable, and committed.
    pub(super) fn flush(&mut self, node: Node, waits: bool) {
        let runs = self.inode(node).pages.take_dirty();
        let attributes = !self.inode(node).delegation;
        self.write_runs(&runs, waits, attributes);
        let size = self.inode(node).size;
        self.written(node, size, attributes);
    }

    fn write_runs(&mut self, runs: &[Run], waits: bool, attributes: bool) {
        let most = self.client.options.write_size.get().max(1);
        // Version 2 knows nothing else.
        let always = !self.client.options.version.is_3_or_later();
        let (mut may_be_stable, mut commits) = (waits, false);
        for run in runs {
            let mut left = run.bytes;
            while left > 0 {
                let out = left.min(most);
                left -= out;
                // As soon as one is followed by more, or something waits for its COMMIT, none is stable any more (`nfs_pageio_doio`).
                may_be_stable &= left == 0 && !run.more && !commits;
                may_be_stable |= always;
                let stability = if may_be_stable { Stability::FileSync } else { Stability::Unstable };
                commits |= !may_be_stable;
                let parts = Parts { out, attributes, ..Parts::default() };
                self.call_with(Procedure::Write, parts, (out, Some(stability)));
            }
        }
        if commits {
            self.call(Procedure::Commit, Parts::default());
        }
    }

    fn written(&mut self, node: Node, size: u64, attributes: bool) {
        self.server.resize(node, size);
        if attributes || !self.is_4() {
            self.refresh_own(node);
        } else {
            let inode = self.client.inodes.entry(node).or_default();
            inode.follow(self.server, node);
            inode.invalid.times = true;
        }
    }

    /// A WRITE of others' pages of a file is answered, which has so many bytes now: as the page cache below which this client lies sends
    /// them.
    pub(super) fn wrote(&mut self, node: Node, size: u64, passed: Time) {
        self.advance(passed);
        self.inode(node).size = size;
        self.written(node, size, true);
    }

    /// COMMIT of what such WRITEs brought.
    pub(super) fn commit(&mut self) {
        self.call(Procedure::Commit, Parts::default());
    }

    /// fsync(2).
    pub fn fsync(&mut self, number: u32) {
        if let Some(node) = self.file(number).map(|file| file.node)
            && self.inode(node).pages.is_dirty()
        {
            self.flush(node, true);
        }
    }

    /// Loads from a mapping of a file, page by page from its beginning on.
    pub fn load(&mut self, number: u32, length: u64) {
        let Some(node) = self.file(number).map(|file| file.node) else { return };
        for index in 0..length.div_ceil(PAGE_BYTES) {
            self.fault(number, node, index);
        }
    }

    /// mmap(2), which looks whether what is in memory is right.
    pub fn map(&mut self, number: u32) {
        if let Some(node) = self.file(number).map(|file| file.node) {
            self.revalidate_mapping(node);
        }
    }

    /// Stores into a mapping: whole pages become dirty.
    pub fn store(&mut self, number: u32, length: u64) {
        let Some(node) = self.file(number).map(|file| file.node) else { return };
        for index in 0..length.div_ceil(PAGE_BYTES) {
            self.fault(number, node, index);
            let there = self.inode(node).size.saturating_sub(index * PAGE_BYTES).min(PAGE_BYTES);
            if there > 0 {
                self.inode(node).pages.make_dirty(index, (0, there));
            }
        }
    }

    fn fault(&mut self, number: u32, node: Node, index: u64) {
        if self.inode(node).pages.is_uptodate(index) {
            return;
        }
        let pages = self.inode(node).size.div_ceil(PAGE_BYTES);
        let Some(file) = self.client.files.get_mut(&number) else { return };
        let windows = windows(&self.client.options, file.sequential);
        file.faults += 1;
        let reads_around = file.faults <= read_ahead::MOST_MAPPED_MISSES;
        let window = read_ahead::around(&windows, &mut file.ahead, index, pages, reads_around);
        self.read_window(node, Window { marker: None, ..window });
    }

    /// Writes what is dirty and locks all of a file's bytes. What is in memory is believed only where a delegation says so (`do_setlk`).
    pub fn lock(&mut self, number: u32) {
        let Some(node) = self.file(number).map(|file| file.node) else { return };
        if self.inode(node).pages.is_dirty() {
            self.flush(node, true);
        }
        match self.is_4() {
            true => self.call(Procedure::Lock, Parts::default()),
            // Of the client alone, which believes what it has.
            false if !self.client.options.locks => return,
            false => self.call(Procedure::NlmLock, Parts::default()),
        }
        let inode = self.inode(node);
        if !inode.delegation {
            (inode.invalid.change, inode.invalid.data) = (true, true);
        }
    }

    /// Unlocks them, after what is dirty was written.
    pub fn unlock(&mut self, number: u32) {
        let Some(node) = self.file(number).map(|file| file.node) else { return };
        if self.inode(node).pages.is_dirty() {
            self.flush(node, true);
        }
        match self.is_4() {
            true => {
                self.call(Procedure::Unlock, Parts::default());
                let sessions = self.client.options.version.has_sessions();
                let forgets = if sessions { Procedure::FreeStateId } else { Procedure::ReleaseLockOwner };
                self.call(forgets, Parts::default());
            }
            false if self.client.options.locks => self.call(Procedure::NlmUnlock, Parts::default()),
            false => {}
        }
    }
}
