//! Nodes, a lock manager and disks whose messages, requests and turns at the processor end in any order, and a model of
//! what is written: versions of blocks, as each node and each disk has them.

use crate::cluster::san::cache::Key;
use crate::cluster::san::call::{Step, Wait};
use crate::cluster::san::costs::Costs;
use crate::cluster::san::message::Said;
use crate::cluster::san::node::{Node, Rules};
use crate::cluster::san::parameters::Granularity;
use crate::cluster::san::placement::{Placement, mixed};
use crate::cluster::san::ranges::{Mode, Range};
use crate::cluster::san::tokens::{Object, Tokens, Told};
use crate::cluster::san::volume::Volume;
use petrio_colours::{BlockRequest, Direction, FileId, FileOp, Operation, RequestId, Status};
use petrio_kernel::Time;
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
    to_manager: Vec<VecDeque<Said>>,
    to_nodes: Vec<VecDeque<Told>>,
    /// Requests that disks work at: whose, and which versions are written.
    at_disks: Vec<(usize, BlockRequest, Written)>,
    working: Vec<(usize, u32)>,
    waiting: BTreeSet<(usize, u8, u32)>,
    ready: Vec<(usize, Wait, u32)>,
    /// The version of each block that was written last, and those that disks and nodes have.
    latest: BTreeMap<Block, u64>,
    on_disk: BTreeMap<Block, u64>,
    known: Vec<BTreeMap<Block, u64>>,
    /// What processes still do: of each, its node and its operations.
    programs: Vec<(usize, VecDeque<FileOp>)>,
    busy: BTreeSet<u32>,
    pub(super) done: usize,
    pub(super) messages: usize,
    state: u64,
    now: Time,
}

fn costs() -> Costs {
    let text = include_str!("../../../../../../catalogue/machines/poweredge-1850.toml");
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
            to_nodes: vec![VecDeque::new(); count],
            at_disks: Vec::new(),
            working: Vec::new(),
            waiting: BTreeSet::new(),
            ready: Vec::new(),
            latest: BTreeMap::new(),
            on_disk: BTreeMap::new(),
            known: vec![BTreeMap::new(); count],
            programs: Vec::new(),
            busy: BTreeSet::new(),
            done: 0,
            messages: 0,
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
        (mixed(self.state) % of.max(1) as u64) as usize
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
        let told: Vec<usize> =
            (0..self.nodes.len()).filter(|&node| !self.to_nodes[node].is_empty()).collect();
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
                let node = told[which];
                let told = self.to_nodes[node].pop_front().unwrap();
                self.nodes[node].hear(told, &self.volume, self.now);
                self.drain(node)?;
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
            Some(Said::Ask(ask)) => self.tokens.ask(ask),
            Some(Said::Given(given)) => self.tokens.given(given),
            _ => return Err("the manager is told what only nodes are".to_owned()),
        }
        for (node, told) in std::mem::take(&mut self.tokens.outbox) {
            self.messages += 1;
            self.to_nodes[node as usize].push_back(told);
        }
        Ok(())
    }

    /// A request ends at its disk: versions move.
    fn complete(&mut self, which: usize) -> Result<(), String> {
        let (node, request, written) = self.at_disks.swap_remove(which);
        self.on_disk.extend(written);
        if request.direction == Direction::Read {
            let keys = self.nodes[node].asked.get_mut(request.tag as u32).unwrap().keys.clone();
            for block in data(&keys) {
                let version = self.on_disk.get(&block).copied().unwrap_or(0);
                self.known[node].insert(block, version);
            }
        }
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
            let (first, last) = (number * BLOCK, ((number + 1) * BLOCK).min(size));
            let writes = op.operation == Operation::Write;
            let needs_it = !writes || (first < size && !(at <= first && end >= last));
            if needs_it && latest > 0 && known != latest {
                return Err(format!(
                    "node {node} has version {known} of {block:?}, and the last is {latest}: {op:?}"
                ));
            }
            if writes {
                self.latest.insert(block, latest + 1);
                self.known[node].insert(block, latest + 1);
            }
        }
        Ok(())
    }

    /// What a node has ready goes where it goes.
    fn drain(&mut self, node: usize) -> Result<(), String> {
        let out = std::mem::take(&mut self.nodes[node].out);
        self.to_manager[node].extend(out.said);
        for (wait, slot) in out.waits {
            self.waiting.insert((node, wait as u8, slot));
        }
        self.ready.extend(out.ready.into_iter().map(|(wait, slot)| (node, wait, slot)));
        for request in out.requests {
            let keys = self.nodes[node].asked.get_mut(request.tag as u32).unwrap().keys.clone();
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
            }
            self.at_disks.push((node, request, written));
        }
        self.working.extend(out.work.into_iter().map(|(slot, _)| (node, slot)));
        for op in out.done {
            if op.operation == Operation::Truncate && op.status.failure().is_none() {
                let gone = op.length.div_ceil(BLOCK);
                self.latest.retain(|(file, number), _| *file != op.file || *number < gone);
            }
            if let Some(failure) = op.status.failure() {
                return Err(format!("{op:?}: {failure}"));
            }
            if op.ledger.total() > self.now - op.issued {
                return Err(format!("more time is told than it took: {op:?}"));
            }
            self.busy.remove(&op.process);
            self.done += 1;
        }
        Ok(())
    }

    /// No two nodes hold the same where one of them may write.
    fn nobody_contradicts(&self) -> Result<(), String> {
        if self.tokens.contradicts_itself(24) {
            return Err("the manager's table contradicts itself".to_owned());
        }
        for file in 1..4 {
            let object = Object::Data(FileId(file));
            for block in 0..24 {
                let range = Range { from: block, to: block + 1 };
                let with = |mode| {
                    let holds =
                        |node: &&Node| node.held.get(&object).is_some_and(|held| held.covers(range, mode));
                    self.nodes.iter().filter(holds).count()
                };
                if with(Mode::Exclusive) > 0 && with(Mode::Shared) > 1 {
                    return Err(format!("two nodes hold block {block} of file {file}, one of them to write"));
                }
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
        self.latest.iter().all(|(block, version)| self.on_disk.get(block) == Some(version))
    }
}

fn data(keys: &[Key]) -> impl Iterator<Item = Block> + '_ {
    keys.iter().filter_map(|key| match *key {
        Key::Data(file, number) => Some((file, number)),
        _ => None,
    })
}
