//! Where the copies of each file lie, and what is under way: the state of replication.
//!
//! A *slot* is a place on a disk at which a copy can lie: slot s is at place s ∕ disks of disk s mod disks. A file's
//! copies are a set of slots; the master is one of them. Pure: transitions ask it what to do and send what it says.

use super::file_state::FileState;
use super::history::{FileEvent, History};
use super::parameters::{ReplicationError, ReplicationParameters};
use super::policy::{Decision, Home, Policy, Retain};
use super::protocol::Protocol;
use super::select::Counted;
use super::slots::Slots;
use super::tally::ReplicationStatistics;
use super::under_way::{Flight, Parts};
use petrio_block::CopyTraffic;
use petrio_colours::{BlockRequest, Direction, FileId, FileOp, Operation, SECTOR_BYTES};
use petrio_host::{FileLayout, Ranges};
use petrio_kernel::Time;
use petrio_persist::Persist;
use petrio_stage::fast_map::FastMap;
use petrio_stage::slab::Slab;
use petrio_units::Bytes;
use petrio_units::numbers::{as_index, as_number};
use smallvec::SmallVec;
use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;

/// The numbers of regions begin here, far behind those of files.
pub(super) const REGION: u32 = 1 << 31;

/// The number of a region, where it is one and no file (`regions.rs`).
pub(super) fn region_of(file: FileId) -> Option<u32> {
    (file.0 & REGION != 0).then_some(file.0 & !REGION)
}

/// All of replication that changes.
#[derive(Clone, Debug, Persist)]
pub struct Replicas {
    #[persist(keep)]
    pub(super) parameters: ReplicationParameters,
    #[persist(shared)]
    policy: Arc<dyn Policy>,
    most: u32,
    disks: u32,
    /// Device blocks from one place of a disk to the next.
    pub(super) stride: u64,
    pub(super) files: FastMap<FileId, FileState>,
    pub(super) flights: Slab<Flight>,
    pub(super) counted: Vec<Counted>,
    /// Which disks show their arms: these keep idle requests back themselves.
    pub(super) shows_arm: Vec<bool>,
    /// Requests for copies that wait until their disk has nothing else to do.
    pub(super) held: Vec<VecDeque<BlockRequest>>,
    /// Where logs begin on their disks, and how far each is written.
    pub(super) log_begins: u64,
    pub(super) log_at: Vec<u64>,
    /// Files of which a write is under way that others wait for, and these (flight and piece).
    pub(super) locks: FastMap<FileId, VecDeque<(u32, u32)>>,
    /// Flights of which an answer may be due.
    pub(super) maybe_answered: Vec<u32>,
    /// Where the files lie that were there before.
    pub(super) layout: Arc<FileLayout>,
    pub(super) next_part: u64,
    pub(super) next_vote: u64,
    next_file: u64,
    extra_bytes: u64,
    /// Files with more than one copy by their last read, where space is limited.
    by_last_read: BTreeSet<(Option<Time>, FileId)>,
    pub(super) tally: ReplicationStatistics,
}

impl Replicas {
    /// No files yet but those that are laid out, on disks of which the smallest has so many device blocks. `shows_arm`
    /// says of each disk whether it shows its arm.
    ///
    /// # Errors
    /// See [`ReplicationError`].
    pub fn new(
        parameters: &ReplicationParameters,
        shows_arm: Vec<bool>,
        (member_blocks, layout): (u64, Arc<FileLayout>),
    ) -> Result<Self, ReplicationError> {
        let disks = shows_arm.len();
        let blocks = parameters.blocks(member_blocks);
        if blocks.div_ceil((parameters.region.get() / SECTOR_BYTES).max(1)) > u64::from(REGION) {
            let (size, region) = (Bytes(blocks.saturating_mul(SECTOR_BYTES)), parameters.region);
            return Err(ReplicationError::Regions { size, region, limit: REGION });
        }
        Ok(Self {
            most: parameters.most_copies(disks)?,
            policy: parameters.policy.policy(),
            disks: as_number(disks),
            stride: parameters.blocks(member_blocks),
            parameters: parameters.clone(),
            files: FastMap::default(),
            flights: Slab::new(),
            counted: vec![Counted::default(); disks],
            held: vec![VecDeque::new(); disks],
            shows_arm,
            log_begins: parameters.blocks(member_blocks) * u64::from(parameters.places),
            log_at: vec![0; disks],
            locks: FastMap::default(),
            maybe_answered: Vec::new(),
            layout,
            next_part: 0,
            next_vote: 0,
            next_file: 0,
            extra_bytes: 0,
            by_last_read: BTreeSet::new(),
            tally: ReplicationStatistics::default(),
        })
    }

    /// What was seen so far.
    pub fn tally(&self) -> &ReplicationStatistics {
        &self.tally
    }

    /// How many copies a file has; zero of one that nobody has asked for.
    pub fn copies_of(&self, file: FileId) -> u32 {
        self.files.get(&file).map_or(0, FileState::copies)
    }

    /// Bytes of all copies but the first of each file.
    pub fn extra_bytes(&self) -> u64 {
        self.extra_bytes
    }

    /// The disk of a slot.
    pub(super) fn disk_of(&self, slot: u32) -> usize {
        (slot % self.disks) as usize
    }

    /// How far behind its address on the first place a copy lies.
    pub(super) fn shift_of(&self, slot: u32) -> u64 {
        u64::from(slot / self.disks) * self.stride
    }

    /// How many disks there are.
    pub(super) fn disks(&self) -> u32 {
        self.disks
    }

    /// Where the policy has first copies.
    pub(super) fn policy_home(&self) -> Home {
        self.policy.home()
    }

    /// The state of a file; one that nobody has asked for was there before.
    fn state(&mut self, file: FileId, is_new: bool, draw: &mut dyn FnMut(u64) -> u64) -> &mut FileState {
        if is_new {
            self.forget(file);
        }
        if !self.files.contains_key(&file) {
            let home = self.first_slot(draw);
            let lies = if is_new { Ranges::default() } else { self.lies(file) };
            // Of a file that is there and empty nothing can have been copied before: it begins as one that is made now.
            let has_data = lies.blocks() > 0;
            let number = if has_data { self.policy.of_old(self.most) } else { self.policy.of_new(self.most) };
            let slots = self.spread(Slots::only(home), number.clamp(1, self.most), draw);
            let history = History::of_size(lies.blocks() * SECTOR_BYTES);
            let votes = self.votes_on(slots.iter());
            let which = self.next_file;
            self.next_file += 1;
            let state =
                FileState { slots, master: home, lies, history, votes, which, ..FileState::default() };
            self.files.insert(file, state);
            self.note_copies(file, 0);
        }
        self.files.entry(file).or_default()
    }

    /// The slots that have a copy of a file.
    pub(super) fn slots_of(&self, file: FileId) -> Slots {
        self.files.get(&file).map(|state| state.slots.clone()).unwrap_or_default()
    }

    /// The slot of a file's master copy.
    pub(super) fn master_of(&self, file: FileId) -> u32 {
        self.files.get(&file).map_or(0, |state| state.master)
    }

    /// The votes of copies at these slots.
    pub(super) fn votes_on(&self, slots: impl IntoIterator<Item = u32>) -> u32 {
        let slots = slots.into_iter();
        match &self.parameters.protocol {
            Protocol::Voting(voting) => slots.map(|slot| voting.weight(self.disk_of(slot))).sum(),
            _ => as_number(slots.count()),
        }
    }

    /// How many votes a file's copies were given.
    pub(super) fn votes_of(&self, file: FileId) -> u32 {
        self.files.get(&file).map_or(1, |state| state.votes)
    }

    /// A copy couldn't be written: it is none any more. False where it was the only one.
    pub(super) fn lose(&mut self, file: FileId, slot: u32) -> bool {
        let Some(state) = self.files.get_mut(&file) else { return false };
        if !state.slots.contains(slot) {
            // It was given up meanwhile, or with another write.
            return state.copies() > 0;
        }
        if state.copies() < 2 {
            return false;
        }
        let before = state.extra_bytes();
        state.slots.remove(slot);
        state.behind.retain(|(other, _)| *other != slot);
        if state.master == slot {
            state.master = state.slots.iter().next().unwrap_or(slot);
        }
        self.tally.lost += 1;
        self.note_copies(file, before);
        true
    }

    /// A file's copies have changed: space is accounted for. `before` were the bytes of its extra copies.
    fn note_copies(&mut self, file: FileId, before: u64) {
        let Some(state) = self.files.get(&file) else { return };
        self.extra_bytes = self.extra_bytes - before + state.extra_bytes();
        if self.parameters.budget.is_some() {
            let entry = (state.history.last_read, file);
            if state.copies() > 1 {
                self.by_last_read.insert(entry);
            } else {
                self.by_last_read.remove(&entry);
            }
            self.keep_to_budget();
        }
    }

    fn keep_to_budget(&mut self) {
        let Some(budget) = self.parameters.budget else { return };
        while self.extra_bytes > budget.get() {
            let Some((_, file)) = self.by_last_read.pop_first() else { return };
            let Some(state) = self.files.get_mut(&file) else { continue };
            if self.locks.contains_key(&file) || state.behind.iter().any(|(slot, _)| *slot == state.master) {
                // Its master lacks what others have, or is being written to: it keeps its copies until it is read again.
                continue;
            }
            self.tally.evicted += u64::from(state.copies() - 1);
            self.extra_bytes -= state.extra_bytes();
            let master = state.master;
            let votes = self.votes_on([master]);
            if let Some(state) = self.files.get_mut(&file) {
                state.keep_master(votes);
                state.wanted = None;
            }
        }
    }

    fn forget(&mut self, file: FileId) {
        if let Some(state) = self.files.remove(&file) {
            self.extra_bytes -= state.extra_bytes();
            self.by_last_read.remove(&(state.history.last_read, file));
        }
    }

    /// Takes a file operation in. After how long copies are to be looked at, where they are.
    pub(super) fn observe(
        &mut self,
        op: &FileOp,
        now: Time,
        draw: &mut dyn FnMut(u64) -> u64,
    ) -> Option<(FileId, Time)> {
        let is_new = op.operation == Operation::Create;
        if op.file == FileId::ROOT {
            return None;
        }
        match op.operation {
            Operation::Create
            | Operation::Open
            | Operation::Read
            | Operation::Write
            | Operation::Truncate => {}
            Operation::Unlink => {
                self.forget(op.file);
                return None;
            }
            _ => return None,
        }
        let memory = self.parameters.memory.time();
        let state = self.state(op.file, is_new, draw);
        let (before, read_before) = (state.extra_bytes(), state.history.last_read);
        let events = state.history.operation(op, now, memory);
        if op.operation == Operation::Truncate {
            state.lies.keep(op.length.div_ceil(SECTOR_BYTES));
        }
        let after = state.extra_bytes();
        if self.parameters.budget.is_some() {
            let entry = (read_before, op.file);
            if self.by_last_read.remove(&entry)
                && let Some(state) = self.files.get(&op.file)
            {
                self.by_last_read.insert((state.history.last_read, op.file));
            }
        }
        self.extra_bytes = self.extra_bytes - before + after;
        self.keep_to_budget();
        let mut plan = None;
        for event in events.into_iter().flatten() {
            plan = self.decide(op.file, event, now, draw).or(plan);
        }
        plan.map(|after| (op.file, after))
    }

    /// Asks the policy. After how long the file is to be looked at, if a plan has to be made for it.
    fn decide(
        &mut self,
        file: FileId,
        event: FileEvent,
        now: Time,
        draw: &mut dyn FnMut(u64) -> u64,
    ) -> Option<Time> {
        let most = self.most;
        let policy = self.policy.clone();
        let state = self.files.get_mut(&file)?;
        if matches!(event, FileEvent::Write | FileEvent::Truncate | FileEvent::DiskWrite) {
            state.version += 1;
        }
        let (copies, before) = (state.copies(), state.extra_bytes());
        match policy.decide(event, &state.history, copies, most, now) {
            Decision::Keep => {}
            Decision::CutBack(retain) => {
                // Only a copy that has all that was written may be the one that stays, and nothing goes that is written
                // to.
                let whole = |slot: &u32| state.behind.iter().all(|(other, _)| other != slot);
                let whole: SmallVec<[u32; 8]> = state.slots.iter().filter(whole).collect();
                if self.locks.contains_key(&file) || whole.is_empty() {
                    return None;
                }
                if retain == Retain::Random {
                    let keep = as_index(draw(whole.len() as u64));
                    state.master = whole.get(keep).copied().unwrap_or(state.master);
                } else if !whole.contains(&state.master) {
                    state.master = whole[0];
                }
                state.wanted = None;
                let master = state.master;
                let votes = self.votes_on([master]);
                if let Some(state) = self.files.get_mut(&file) {
                    state.keep_master(votes);
                }
                self.tally.cut_backs += 1;
                self.note_copies(file, before);
                // The same event may mean that copies come back later; data that come to the disk only now are an
                // update of now.
                let state = self.files.get_mut(&file)?;
                let mut event = event;
                if event == FileEvent::DiskWrite {
                    state.history.last_write = Some(now);
                    event = FileEvent::Write;
                }
                if let Decision::Copies { number, after } = policy.decide(event, &state.history, 1, most, now)
                {
                    return state.plan(number, after, now);
                }
            }
            Decision::Copies { number, after } => return state.plan(number, after, now),
        }
        None
    }

    /// A plan has matured: what comes of it. Copies by magic are there at once; others are begun.
    pub(super) fn mature(
        &mut self,
        file: FileId,
        now: Time,
        draw: &mut dyn FnMut(u64) -> u64,
    ) -> (Option<Time>, Parts) {
        let mut parts = Parts::new();
        let Some(state) = self.files.get_mut(&file) else { return (None, parts) };
        state.is_planned = false;
        let Some((number, due)) = state.wanted else { return (None, parts) };
        if due > now {
            state.is_planned = true;
            return (Some(due - now), parts);
        }
        let (slots, copies, is_copied) = (state.slots.clone(), state.copies(), state.is_copied);
        if number <= copies || is_copied {
            return (None, parts);
        }
        let targets = self.spread(slots.clone(), number.min(self.most), draw).without(&slots);
        match self.parameters.traffic {
            CopyTraffic::Magic => self.add_copies(file, &targets),
            CopyTraffic::Simulated | CopyTraffic::AtOnce => self.begin_copy(file, targets, &mut parts, now),
        }
        (None, parts)
    }

    pub(super) fn add_copies(&mut self, file: FileId, targets: &Slots) {
        let mut slots = self.slots_of(file);
        slots.join(targets);
        let votes = self.votes_on(slots.iter());
        let Some(state) = self.files.get_mut(&file) else { return };
        let before = state.extra_bytes();
        (state.slots, state.votes) = (slots, votes);
        state.wanted = None;
        if state.lies.blocks() > 0 {
            self.tally.copies_made += u64::from(targets.count());
        }
        self.note_copies(file, before);
    }

    /// A piece of a request has come to be sent: the slots that it may go to, and after how long copies are to be
    /// looked at. Writes cut back before.
    pub(super) fn slots_for(
        &mut self,
        (file, address, blocks): (FileId, u64, u32),
        direction: Direction,
        now: Time,
        draw: &mut dyn FnMut(u64) -> u64,
    ) -> (Slots, Option<Time>) {
        let is_read = direction == Direction::Read;
        let memory = self.parameters.memory.time();
        let state = self.state(file, false, draw);
        state.lies.add(address, address + u64::from(blocks));
        let mut events = [None, None];
        if region_of(file).is_some() {
            // Nobody opens a region: its reads and writes are those of the device.
            let operation = if is_read { Operation::Read } else { Operation::Write };
            let length = u64::from(blocks) * SECTOR_BYTES;
            let op = FileOp { operation, file, length, ..FileOp::default() };
            let size = state.history.size;
            events = state.history.operation(&op, now, memory);
            state.history.size = size;
        }
        if is_read {
            state.history.missed();
        }
        let at_disk = if is_read { FileEvent::DiskRead } else { FileEvent::DiskWrite };
        let mut plan = self.decide(file, at_disk, now, draw);
        for event in events.into_iter().flatten() {
            plan = self.decide(file, event, now, draw).or(plan);
        }
        (self.slots_of(file), plan)
    }

    /// How many copies a request could go to, before it is sent.
    pub(super) fn choices(&self, request: &BlockRequest) -> u32 {
        let copies = |file| match self.files.get(&file) {
            Some(state) => state.copies(),
            None if self.lies(file).blocks() > 0 => self.policy.of_old(self.most),
            None => self.policy.of_new(self.most),
        };
        self.pieces(request).into_iter().map(|(file, ..)| copies(file)).max().unwrap_or(1)
    }

    /// All slots at a disk's first place: where a flush goes.
    pub(super) fn all_disks(&self) -> Slots {
        Slots::first(self.disks)
    }
}
