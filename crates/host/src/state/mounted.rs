//! A mounted file system: its volume, its files in memory, its requests on the way, and what a firing leaves to be sent
//! off.

use super::inodes::Inodes;
use super::locks::Locks;
use super::nature::Nature;
use super::opened::Opened;
use super::promises::Promises;
use super::room::Room;
use super::transfers::{Moves, Transfers};
use super::{Event, device_key, file_key};
use crate::copy_cost::PAGE_BYTES;
use crate::daemon::Daemon;
use crate::file_system::{Mapping, Touched};
use crate::kernel_profile::{AwaitedWrites, KernelParameters, ReadAheadAlgorithm};
use crate::mount::Mount;
use crate::page_cache::FileKey;
use crate::parameters::HostParameters;
use crate::read_ahead::ReadAheadState;
use crate::write_back::{Balance, Writer};
use petrio_colours::{
    BlockRequest, Direction, Failure, FileId, FileOp, Hint, IoClass, Purpose, RequestId, SECTOR_BYTES,
};
use petrio_kernel::{Key, Time};
use petrio_persist::Persist;
use petrio_stage::fast_map::FastMap;
use petrio_stage::ranges::Ranges;
use petrio_units::numbers::low_half;
use std::ops::Range;
use std::sync::Arc;

/// Device blocks of 512 bytes in a page.
const SECTORS_PER_PAGE: u64 = PAGE_BYTES / SECTOR_BYTES;

/// Pieces of memory of a bio (BIO_MAX_VECS): folios that don't happen to be neighbours.
const FOLIOS_PER_BIO: u64 = 256;

/// What doesn't change during a run.
#[derive(Clone, Debug, Persist)]
pub(crate) struct Rules {
    pub(crate) nature: Nature,
    /// Whether the journal is a device of its own.
    pub(crate) log_apart: bool,
    #[persist(shared)]
    pub(crate) kernel: Arc<KernelParameters>,
    /// Pages of the largest request, as far as it is one bio of single pages.
    pub(crate) request_pages: u64,
    /// Pages of the largest request that the queue lets through.
    largest_pages: u64,
    /// Pages of it that may be dirty, where it has a limit of its own.
    pub(crate) dirty_limit: Option<u64>,
}

impl Rules {
    /// A write of the page cache or of the log that somebody waits for, as the scheduler is told of it.
    pub(crate) fn awaited(&self, touch: Touch) -> Touch {
        let synchronous = self.kernel.block.awaited_writes == AwaitedWrites::Synchronous;
        Touch { synchronous, for_sync: true, ..touch }
    }

    /// The same of one that sync_dirty_buffer writes.
    pub(crate) fn awaited_buffer(&self, touch: Touch) -> Touch {
        let synchronous = self.kernel.block.awaited_writes != AwaitedWrites::Plain;
        Touch { synchronous, for_sync: true, ..touch }
    }
}

/// What a firing asks of other pages.
#[derive(Clone, Copy, Debug, Default, Persist)]
pub(crate) struct Signals {
    /// Something has begun that a thread of the file system looks after when it is old: a transaction.
    pub(crate) began: Option<u64>,
    /// The log is wanted on the device: a commit has been asked for.
    pub(crate) commit: bool,
    /// The last open change of what is being committed has ended: a handle of the locked transaction.
    pub(crate) closed: bool,
    /// Log space is short.
    pub(crate) checkpoint: bool,
    /// There is something to be written back.
    pub(crate) flush: bool,
}

impl Signals {
    /// Whether nothing is asked.
    pub(crate) fn is_silent(&self) -> bool {
        let Self { began, commit, closed, checkpoint, flush } = self;
        began.is_none() && !(*commit || *closed || *checkpoint || *flush)
    }
}

/// How a request is made.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Touch {
    pub(crate) direction: Direction,
    pub(crate) synchronous: bool,
    /// Whether somebody makes data or a transaction durable by it.
    pub(crate) for_sync: bool,
    pub(crate) process: u32,
    pub(crate) class: IoClass,
    pub(crate) priority: u8,
}

impl Touch {
    /// On behalf of a process.
    pub(crate) fn of(op: &FileOp, direction: Direction, synchronous: bool) -> Self {
        let FileOp { process, class, priority, .. } = *op;
        Self { direction, synchronous, for_sync: false, process, class, priority }
    }

    /// On behalf of a daemon of the kernel.
    pub(crate) fn daemon(process: u32, direction: Direction, synchronous: bool) -> Self {
        Self { direction, synchronous, for_sync: false, process, class: IoClass::BestEffort, priority: 4 }
    }
}

/// A mounted file system.
#[derive(Clone, Debug, Persist)]
pub(crate) struct Mounted {
    pub(crate) number: u32,
    /// Its position among the mounts of all hosts.
    position: u32,
    pub(crate) inodes: Inodes,
    pub(crate) opened: Opened,
    pub(crate) locks: Locks,
    pub(crate) transfers: Transfers,
    pub(crate) rules: Rules,
    pub(crate) mapping: Mapping,
    pub(crate) touched: Touched,
    /// Until when a writer counts as held back by dirty pages (`wb_recent_wait`).
    pub(crate) pressed_until: Time,
    /// Requests to be sent off.
    pub(crate) outbox: Vec<BlockRequest>,
    /// Those of them for the device that is the journal, where it is one of its own.
    pub(crate) log_outbox: Vec<BlockRequest>,
    /// What has happened that somebody may wait for.
    pub(crate) events: Vec<Event>,
    pub(crate) signals: Signals,
    /// What is known of the device's speed, and what its writers are allowed.
    pub(crate) balance: Balance,
    /// What is known of each process as one that dirties pages.
    pub(crate) writers: FastMap<u32, Writer>,
    /// Whether the flusher is at work.
    pub(crate) flushing: bool,
    /// Room for writes in the device's queue, and who waits for it.
    pub(crate) room: Room,
    /// Whether somebody waits until the queue isn't congested.
    pub(crate) waits_for_congestion: bool,
    /// How long a server took for the request that came back last, from its coming there on: what is waited for behind a network.
    pub(crate) served: Time,
    /// Pages whose blocks were found late and don't hold data yet.
    unconverted: FastMap<FileId, Ranges>,
    /// Files of which data could not be written: whoever syncs one next hears of it.
    pub(crate) unwritten: FastMap<FileId, Failure>,
    /// Whether what fsync and its like promise is kept.
    pub(crate) promises: Promises,
    /// An error of the device has taken its journal, or metadata: it takes no more changes.
    pub(crate) is_read_only: bool,
    /// Blocks that pages wait for which were written without (delayed allocation), of all files.
    reserved: u64,
    next_request: u64,
    /// Device blocks of the swap space.
    pub(crate) swap: Range<u64>,
}

impl Mounted {
    pub(crate) fn new(number: u32, host: &HostParameters, mount: &Mount, nature: Nature) -> Self {
        let swap = mount.laid_out.swap();
        let kernel = &host.kernel;
        let largest_pages =
            (kernel.block.largest_request.get().min(mount.largest_request) / PAGE_BYTES).max(1);
        let mut own = kernel.clone();
        own.read_ahead.max = mount.read_ahead;
        if !nature.reads_ahead {
            own.read_ahead.algorithm = ReadAheadAlgorithm::Off;
        }
        let rules = Rules {
            nature,
            log_apart: mount.log.is_some(),
            request_pages: largest_pages.min(FOLIOS_PER_BIO),
            largest_pages,
            dirty_limit: mount.dirty_limit.map(|limit| (limit.get() / PAGE_BYTES).max(1)),
            kernel: Arc::new(own),
        };
        let read_ahead = match rules.kernel.read_ahead.algorithm {
            ReadAheadAlgorithm::Off => ReadAheadState::Off,
            _ => ReadAheadState::new(&kernel.read_ahead, rules.request_pages),
        };
        Self {
            number,
            position: mount.position,
            inodes: mount.laid_out.inodes.clone(),
            opened: Opened::new(read_ahead),
            locks: Locks::default(),
            transfers: Transfers::default(),
            rules,
            mapping: Mapping::default(),
            touched: Touched::default(),
            pressed_until: Time::ZERO,
            outbox: Vec::new(),
            log_outbox: Vec::new(),
            events: Vec::new(),
            signals: Signals::default(),
            balance: match mount.believed_rate {
                Some(rate) => {
                    Balance::believing(kernel.ticks_per_second, rate.bytes_per_second() / PAGE_BYTES as f64)
                }
                None => Balance::new(kernel.ticks_per_second),
            },
            writers: FastMap::default(),
            flushing: false,
            room: Room::new(mount.queue_requests.unwrap_or(kernel.block.requests), kernel.block.multi_queue),
            waits_for_congestion: false,
            served: Time::ZERO,
            unconverted: FastMap::default(),
            unwritten: FastMap::default(),
            promises: Promises::default(),
            is_read_only: false,
            reserved: 0,
            next_request: 0,
            swap,
        }
    }

    /// Requests ever made.
    pub(crate) fn requests_made(&self) -> u64 {
        self.next_request
    }

    /// The process number of a thread of the kernel: each mount has its own, which nobody else has.
    pub(crate) fn daemon(&self, daemon: Daemon) -> u32 {
        daemon.process(self.position)
    }

    /// So many pages of a file wait for their blocks (delayed allocation).
    pub(crate) fn set_delayed(&mut self, file: FileId, pages: u64) {
        let before = std::mem::replace(&mut self.inodes.get_mut(file).delayed, pages);
        self.reserved = self.reserved + pages - before;
    }

    /// Blocks have been found for pages of a file whose data aren't there yet.
    pub(crate) fn note_unconverted(&mut self, file: FileId, first: u64, pages: u64) {
        self.unconverted.entry(file).or_default().insert(first, first + pages);
    }

    /// Data of pages are there: whether their blocks have to be told so.
    pub(crate) fn takes_unconverted(&mut self, file: FileId, first: u64, pages: u64) -> bool {
        let Some(ranges) = self.unconverted.get_mut(&file) else { return false };
        let any = ranges.remove(first, first.saturating_add(pages)) > 0;
        if ranges.is_empty() {
            self.unconverted.remove(&file);
        }
        any
    }

    /// Pages of a run that fit into so many requests.
    pub(crate) fn pages_for(&self, requests: u32) -> u64 {
        u64::from(requests).saturating_mul(self.rules.largest_pages)
    }

    /// Whether so many more pages may wait for blocks, of which so many are free (`ext4_da_reserve_space`).
    pub(crate) fn has_room_for(&self, pages: u64, free: u64) -> bool {
        self.reserved + pages <= free
    }

    /// Why what somebody waited for under a key could not be done, if it couldn't.
    pub(crate) fn failure_of(&self, key: Key) -> Option<Failure> {
        Event::group_of(key).and_then(|group| self.transfers.failure(group))
    }

    /// A file's key in the page cache.
    pub(crate) fn key(&self, file: FileId) -> FileKey {
        file_key(self.number, file)
    }

    /// The key of the device's blocks.
    pub(crate) fn device(&self) -> FileKey {
        device_key(self.number)
    }

    /// Sends off requests for a run of blocks of 4 KiB that lie in single pages of memory, none larger than is asked
    /// for at once. `moves` says what each moves, by its offset in the run and its length.
    pub(crate) fn send(
        &mut self,
        run: (u64, u64),
        touch: Touch,
        group: u64,
        now: Time,
        moves: impl Fn(u64, u64) -> Moves,
    ) -> u64 {
        self.send_folios(run, 1, (touch, group, now), moves)
    }

    /// The same for folios of so many pages.
    pub(crate) fn send_folios(
        &mut self,
        (first, count): (u64, u64),
        folio: u64,
        (touch, group, now): (Touch, u64, Time),
        moves: impl Fn(u64, u64) -> Moves,
    ) -> u64 {
        let (mut sent, mut offset) = (0, 0);
        let Nature { most_pages, most_read_pages, .. } = self.rules.nature;
        let most = if touch.direction == Direction::Read { most_read_pages } else { most_pages };
        while offset < count {
            let pages = (count - offset).min(FOLIOS_PER_BIO * folio).min(most);
            let moves = moves(offset, pages);
            let requests = pages.div_ceil(self.rules.largest_pages);
            let tag = self.transfers.add(group, moves, u32::try_from(requests).unwrap_or(u32::MAX));
            let (file, purpose) = match moves {
                Moves::Read { file, .. } | Moves::Write { file, .. } if file == self.device() => {
                    (FileId::ROOT, Purpose::Metadata)
                }
                Moves::Write { file, first, pages } => {
                    self.promises.sent(file, first, pages);
                    (FileId(low_half(file.0)), Purpose::Data)
                }
                Moves::Read { file, .. } => (FileId(low_half(file.0)), Purpose::Data),
                Moves::Log => (FileId::ROOT, Purpose::Journal),
                Moves::Plain | Moves::Discard => (FileId::ROOT, Purpose::Data),
                Moves::Swap => (FileId::ROOT, Purpose::Swap),
            };
            let request = self.request(sectors((first + offset, pages)), touch, tag, purpose, now);
            self.outbox.push(BlockRequest { file, ..request });
            offset += pages;
            sent += 1;
        }
        sent
    }

    /// Sends off one block of the log as a request of its own, as buffers of a log are.
    pub(crate) fn send_to_log(
        &mut self,
        block: u64,
        touch: Touch,
        group: u64,
        now: Time,
    ) -> &mut BlockRequest {
        self.send_sectors_to_log(sectors((block, 1)), touch, group, now)
    }

    /// Sends off a write of the log from a first device block of 512 bytes on, and so many, as a request of its own. Whether it
    /// flushes before or is durable by itself is for the caller to add.
    pub(crate) fn send_sectors_to_log(
        &mut self,
        run: (u64, u64),
        touch: Touch,
        group: u64,
        now: Time,
    ) -> &mut BlockRequest {
        let tag = self.transfers.add(group, Moves::Log, 1);
        let request = self.request(run, touch, tag, Purpose::Journal, now);
        let outbox = if self.rules.log_apart { &mut self.log_outbox } else { &mut self.outbox };
        outbox.push(request);
        let last = outbox.len() - 1;
        &mut outbox[last]
    }

    /// Sends off a request for metadata from a first device block of 512 bytes on, and so many, as a request of its own.
    pub(crate) fn send_metadata(
        &mut self,
        run: (u64, u64),
        touch: Touch,
        group: u64,
        now: Time,
        moves: Moves,
    ) {
        let tag = self.transfers.add(group, moves, 1);
        let request = self.request(run, touch, tag, Purpose::Metadata, now);
        self.outbox.push(BlockRequest { file: FileId::ROOT, ..request });
    }

    /// Sends off a flush of the device's write cache, which makes durable what it is for.
    pub(crate) fn send_flush(&mut self, touch: Touch, purpose: Purpose, group: u64, now: Time) {
        let tag = self.transfers.add(group, Moves::Plain, 1);
        self.promises.flush_begins(tag);
        let touch = Touch { direction: Direction::Flush, ..touch };
        let request = self.request((0, 0), touch, tag, purpose, now);
        self.outbox.push(request);
    }

    /// Sends off a discard of a run of blocks of 4 KiB: the first, and how many.
    pub(crate) fn send_discard(&mut self, run: (u64, u64), touch: Touch, group: u64, now: Time) {
        let tag = self.transfers.add(group, Moves::Discard, 1);
        let request = self.request(sectors(run), touch, tag, Purpose::Data, now);
        self.outbox.push(request);
    }

    /// Whether the host's swap space lies on its device.
    pub(crate) fn has_swap(&self) -> bool {
        !self.swap.is_empty()
    }

    /// Writes runs of slots of the swap space, or reads them: the first slot, and how many. The group that they are.
    pub(crate) fn send_to_swap(&mut self, runs: Vec<(u64, u64)>, touch: Touch, now: Time) -> u64 {
        let group = self.transfers.group();
        for (slot, slots) in runs {
            self.send((self.swap.start + slot, slots), touch, group, now, |_, _| Moves::Swap);
        }
        group
    }

    fn request(
        &mut self,
        (address, blocks): (u64, u64),
        touch: Touch,
        tag: u64,
        purpose: Purpose,
        now: Time,
    ) -> BlockRequest {
        let Touch { direction, synchronous, for_sync, process, class, priority } = touch;
        self.next_request += 1;
        BlockRequest {
            id: RequestId(self.next_request),
            process,
            direction,
            synchronous,
            hint: match () {
                () if for_sync => Hint::NoIdle,
                () if direction == Direction::Write && !synchronous && now < self.pressed_until => {
                    Hint::Pressed
                }
                () => Hint::None,
            },
            purposes: purpose.into(),
            class,
            priority,
            tag,
            address,
            blocks: u32::try_from(blocks).unwrap_or(u32::MAX),
            issued: now,
            ..BlockRequest::default()
        }
    }
}

/// Blocks of 4 KiB, the first and how many, as blocks of 512 bytes.
const fn sectors((first, count): (u64, u64)) -> (u64, u64) {
    (first * SECTORS_PER_PAGE, count * SECTORS_PER_PAGE)
}
