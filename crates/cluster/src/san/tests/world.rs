//! Nodes, a lock manager and disks whose messages, requests and turns at the processor end in any order, and a model of
//! what is written: versions of blocks, as each node and each disk has them.

use super::inodes::Inodes;
use crate::san::cache::Key;
use crate::san::call::{Step, Wait};
use crate::san::costs::Costs;
use crate::san::message::{Payload, Recipient};
use crate::san::node::{Node, Rules};
use crate::san::parameters::Granularity;
use crate::san::placement::Placement;
use crate::san::ranges::Holdings;
use crate::san::tokens::{Object, Tokens};
use crate::san::volume::Volume;
use petrio_colours::{BlockRequest, Direction, FileId, FileOp, Operation, RequestId, Status};
use petrio_kernel::Time;
use petrio_random::mix;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

pub(super) const BLOCK: u64 = 4096;

/// What a world is like.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    pub(super) nodes: u32,
    pub(super) granularity: Granularity,
    pub(super) keeps_tokens: bool,
    pub(super) cached: usize,
    pub(super) read_ahead: u64,
}

type Block = (FileId, u64);

/// Which versions of which blocks a request writes.
type Written = Vec<(Block, u64)>;

pub(super) struct World {
    nodes: Vec<Node>,
    tokens: Tokens,
    volume: Volume,
    /// Messages on their way.
    to_manager: Vec<VecDeque<Payload>>,
    /// By who says it, the manager last, and to whom.
    to_nodes: BTreeMap<(usize, usize), VecDeque<Payload>>,
    /// Requests that disks work at: whose, and which versions are written.
    at_disks: Vec<(usize, BlockRequest, Written)>,
    working: Vec<(usize, u32)>,
    waiting: BTreeSet<(usize, u8, u32)>,
    ready: Vec<(usize, Wait, u32)>,
    /// The version of each block that was written last, and those that disks and nodes have.
    latest: BTreeMap<Block, u64>,
    on_disk: BTreeMap<Block, u64>,
    /// Up to where each block was ever written.
    ends: BTreeMap<Block, u64>,
    known: Vec<BTreeMap<Block, u64>>,
    inodes: Inodes,
    /// What processes still do: of each, its node and its operations.
    programs: Vec<(usize, VecDeque<FileOp>)>,
    busy: BTreeSet<u32>,
    pub(super) done: usize,
    pub(super) messages: usize,
    /// How often an inode was written to a disk.
    pub(super) inode_writes: usize,
    state: u64,
    now: Time,
}

fn costs() -> Costs {
    let text = include_str!("../../../../../catalogue/machines/poweredge-1850.toml");
    Costs::new(&toml::from_str(text).unwrap()).unwrap()
}

impl World {
    pub(super) fn new(shape: Shape, files: &[(u32, u64)], seed: u64) -> Self {
        let disks = [2 << 20; 3];
        let mut volume = Volume::new(4 * BLOCK, Placement::RoundRobin, &disks).unwrap();
        for &(file, size) in files {
            volume.lay(FileId(file), FileId::ROOT, (false, size)).unwrap();
        }
        let node = |node| {
            let rules = Rules {
                node,
                block: BLOCK,
                largest: 2,
                read_ahead: shape.read_ahead,
                granularity: shape.granularity,
                keeps_tokens: shape.keeps_tokens,
                flushes: node % 2 == 1,
            };
            Node::new(rules, costs(), shape.cached)
        };
        let count = shape.nodes as usize;
        Self {
            nodes: (0..shape.nodes).map(node).collect(),
            tokens: Tokens::default(),
            volume,
            to_manager: vec![VecDeque::new(); count],
            to_nodes: BTreeMap::new(),
            at_disks: Vec::new(),
            working: Vec::new(),
            waiting: BTreeSet::new(),
            ready: Vec::new(),
            latest: BTreeMap::new(),
            on_disk: BTreeMap::new(),
            ends: BTreeMap::new(),
            known: vec![BTreeMap::new(); count],
            inodes: Inodes::default(),
            programs: Vec::new(),
            busy: BTreeSet::new(),
            done: 0,
            messages: 0,
            inode_writes: 0,
            state: seed,
            now: Time::ZERO,
        }
    }

    /// A process on a node does these operations, one after the other.
    pub(super) fn program(&mut self, node: usize, operations: impl IntoIterator<Item = FileOp>) {
        let process = self.programs.len() as u32;
        let own = operations.into_iter().map(|op| FileOp { process, id: RequestId(process.into()), ..op });
        self.programs.push((node, own.collect()));
    }

    fn chance(&mut self, of: usize) -> usize {
        self.state = self.state.wrapping_add(1);
        (mix(self.state) % of.max(1) as u64) as usize
    }

    /// Runs until nothing is left to do; whether all is done.
    pub(super) fn run(&mut self) -> Result<(), String> {
        for _ in 0..2_000_000 {
            if !self.step()? {
                let left: usize = self.programs.iter().map(|(_, ops)| ops.len()).sum();
                let waits = (self.waiting.len(), self.tokens.waiting(), self.busy.len(), left);
                return if waits == (0, 0, 0, 0) { Ok(()) } else { Err(format!("all wait: {waits:?}")) };
            }
        }
        Err("no end".to_owned())
    }

    /// One thing happens, whichever; whether there was any.
    fn step(&mut self) -> Result<bool, String> {
        self.now += Time::from_micros(1);
        let startable: Vec<usize> = (0..self.programs.len())
            .filter(|&number| !self.programs[number].1.is_empty() && !self.busy.contains(&(number as u32)))
            .collect();
        let spoken: Vec<usize> =
            (0..self.nodes.len()).filter(|&node| !self.to_manager[node].is_empty()).collect();
        let told: Vec<(usize, usize)> = self.to_nodes.keys().copied().collect();
        let counts = [
            startable.len(),
            spoken.len(),
            told.len(),
            self.at_disks.len(),
            self.working.len(),
            self.ready.len(),
        ];
        let total: usize = counts.iter().sum();
        if total == 0 {
            return Ok(false);
        }
        let mut which = self.chance(total);
        let sort = counts.iter().position(|&count| {
            let here = which < count;
            which -= if here { 0 } else { count };
            here
        });
        match sort {
            Some(0) => {
                let number = startable[which];
                let (node, ops) = &mut self.programs[number];
                let (node, op) = (*node, ops.pop_front().unwrap());
                self.busy.insert(number as u32);
                let op = FileOp { issued: self.now, ..op };
                self.nodes[node].begin(op, &mut self.volume, self.now);
                self.drain(node)?;
            }
            Some(1) => self.manager_hears(spoken[which])?,
            Some(2) => {
                let (from, node) = told[which];
                let line = self.to_nodes.get_mut(&(from, node)).unwrap();
                let said = line.pop_front().unwrap();
                if line.is_empty() {
                    self.to_nodes.remove(&(from, node));
                }
                self.node_hears(node, said)?;
            }
            Some(3) => self.complete(which)?,
            Some(4) => {
                let (node, slot) = self.working.swap_remove(which);
                self.copied(node, slot)?;
                self.nodes[node].resume(slot, &mut self.volume, self.now);
                self.drain(node)?;
            }
            _ => {
                let (node, wait, slot) = self.ready.swap_remove(which);
                if !self.waiting.remove(&(node, wait as u8, slot)) {
                    return Err(format!("a call goes on that doesn't wait {}", wait.name()));
                }
                self.nodes[node].resume(slot, &mut self.volume, self.now);
                self.drain(node)?;
            }
        }
        self.nobody_contradicts()?;
        Ok(true)
    }

    fn manager_hears(&mut self, node: usize) -> Result<(), String> {
        self.messages += 1;
        match self.to_manager[node].pop_front() {
            Some(Payload::Lock(request)) => self.tokens.ask(request),
            Some(Payload::Release(release)) => self.tokens.given(release),
            _ => return Err("the manager is told what only nodes are".to_owned()),
        }
        for (node, reply) in std::mem::take(&mut self.tokens.outbox) {
            self.messages += 1;
            let line = self.to_nodes.entry((self.nodes.len(), node as usize)).or_default();
            line.push_back(Payload::Manager(reply));
        }
        Ok(())
    }

    /// A node hears the manager or another node.
    fn node_hears(&mut self, node: usize, said: Payload) -> Result<(), String> {
        self.inodes.heard(node, said);
        if !self.nodes[node].hear(said, &self.volume, self.now) {
            return Err(format!("a node is told what only the manager is: {said:?}"));
        }
        self.drain(node)
    }

    /// A request ends at its disk: versions move.
    fn complete(&mut self, which: usize) -> Result<(), String> {
        let (node, request, written) = self.at_disks.swap_remove(which);
        self.on_disk.extend(written);
        if request.direction == Direction::Read {
            let keys = self.nodes[node].outstanding.get_mut(request.tag as u32).unwrap().keys.clone();
            for block in data(&keys) {
                let version = self.on_disk.get(&block).copied().unwrap_or(0);
                self.known[node].insert(block, version);
            }
        }
        let keys = self.nodes[node].outstanding.get_mut(request.tag as u32).unwrap().keys.clone();
        self.inodes.came(node, request.tag as u32, &keys);
        let done = BlockRequest { status: Status::Done, ..request };
        self.nodes[node].completed(&done, &self.volume, self.now);
        self.drain(node)
    }

    /// A call has copied a chunk: it read what was written last, or has written anew.
    fn copied(&mut self, node: usize, slot: u32) -> Result<(), String> {
        let Some(Some(call)) = self.nodes[node].calls.get_mut(slot) else { return Ok(()) };
        if call.step != Step::Copied {
            return Ok(());
        }
        let (op, chunk, at, end) = (call.op.clone(), call.chunk, call.at, call.end);
        let size = self.volume.size(op.file).unwrap_or(0);
        for number in chunk.0..chunk.1 {
            let block = (op.file, number);
            let latest = self.latest.get(&block).copied().unwrap_or(0);
            let known = self.known[node].get(&block).copied().unwrap_or(0);
            // Others may have made the file longer since the call looked: what was never written needn't be known.
            let first = number * BLOCK;
            let last = self.ends.get(&block).copied().unwrap_or(((number + 1) * BLOCK).min(size));
            let writes = op.operation == Operation::Write;
            let needs_it = !writes || (first < size && !(at <= first && end >= last));
            if needs_it && latest > 0 && known != latest {
                return Err(format!(
                    "node {node} has version {known} of {block:?}, and the last is {latest}: {op:?}"
                ));
            }
            if writes {
                self.ends.insert(block, end.min((number + 1) * BLOCK).max(last));
                self.latest.insert(block, latest + 1);
                self.known[node].insert(block, latest + 1);
            }
        }
        Ok(())
    }

    /// What a node has ready goes where it goes.
    fn drain(&mut self, node: usize) -> Result<(), String> {
        let out = std::mem::take(&mut self.nodes[node].out);
        self.inodes.changed_by(node, &self.volume);
        for (to, said) in out.messages {
            match to {
                Recipient::Manager => self.to_manager[node].push_back(said),
                Recipient::Node(to) => {
                    self.messages += 1;
                    self.inodes.said(node, to as usize, said);
                    self.to_nodes.entry((node, to as usize)).or_default().push_back(said);
                }
            }
        }
        for (wait, slot) in out.waits {
            self.waiting.insert((node, wait as u8, slot));
        }
        self.ready.extend(out.ready.into_iter().map(|(wait, slot)| (node, wait, slot)));
        for request in out.requests {
            let keys = self.nodes[node].outstanding.get_mut(request.tag as u32).unwrap().keys.clone();
            let mut written = Vec::new();
            if request.direction == Direction::Write {
                for block in data(&keys) {
                    let under_way =
                        self.at_disks.iter().any(|(_, _, other)| other.iter().any(|(own, _)| *own == block));
                    if under_way {
                        return Err(format!("{block:?} is written twice at once"));
                    }
                    written.push((block, self.known[node].get(&block).copied().unwrap_or(0)));
                }
                self.inodes.writes(node, request.tag as u32, &keys);
                self.inode_writes += keys.iter().filter(|key| matches!(key, Key::Inode(_))).count();
            }
            self.at_disks.push((node, request, written));
        }
        self.working.extend(out.work.into_iter().map(|(slot, _)| (node, slot)));
        for op in out.done {
            if op.operation == Operation::Truncate && op.status.failure().is_none() {
                let gone = op.length.div_ceil(BLOCK);
                self.latest.retain(|(file, number), _| *file != op.file || *number < gone);
                self.ends.retain(|(file, number), _| *file != op.file || *number < gone);
                let shorter = self.ends.iter_mut().filter(|((file, _), _)| *file == op.file);
                shorter.for_each(|(_, end)| *end = op.length.min(*end));
            }
            if let Some(failure) = op.status.failure() {
                return Err(format!("{op:?}: {failure}"));
            }
            if op.operation == Operation::Stat && !self.inodes.is_exact(node, op.file) {
                return Err(format!("node {node} doesn't know how long the file is: {op:?}"));
            }
            if op.ledger.total() > self.now - op.issued {
                return Err(format!("more time is told than it took: {op:?}"));
            }
            self.busy.remove(&op.process);
            self.done += 1;
        }
        Ok(())
    }

    /// No two nodes hold the same in modes that exclude each other.
    fn nobody_contradicts(&self) -> Result<(), String> {
        if self.tokens.contradicts_itself(24) {
            return Err("the manager's table contradicts itself".to_owned());
        }
        for object in (1..4).map(FileId).flat_map(|file| [Object::Data(file), Object::Attributes(file)]) {
            let held: Vec<&Holdings> = self.nodes.iter().filter_map(|node| node.held.get(&object)).collect();
            if let Some(block) = (0..24).find(|&block| Holdings::contradict(&held, block)) {
                return Err(format!("two nodes hold block {block} of {object:?}, and exclude each other"));
            }
        }
        Ok(())
    }

    /// How many objects there are tokens of.
    pub(super) fn objects(&self) -> usize {
        self.tokens.objects()
    }

    /// Whether all that was written last is on the disks.
    pub(super) fn is_on_disk(&self) -> bool {
        let is_there = |(block, version)| self.on_disk.get(block) == Some(version);
        self.latest.iter().all(is_there) && self.inodes.is_on_disk()
    }
}

fn data(keys: &[Key]) -> impl Iterator<Item = Block> + '_ {
    keys.iter().filter_map(|key| match *key {
        Key::Data(file, number) => Some((file, number)),
        _ => None,
    })
}
