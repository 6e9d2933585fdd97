//! From measured calls to a machine's figures.
//!
//! The sums are measured, and the way in which they are divided is said with each figure. A call that moves one byte
//! gives what a call costs; the calls in large folios give the copy curves, as what is left of each; the calls in
//! single pages give what a folio of its own costs, as the least squares of the relative errors. No figure is less than
//! nothing.

use super::formula::{Formula, folio_of_a_page, folios_a_call, pages, pages_a_call, pieces, touched_a_call};
use super::sizes::{PAGE, Sizes};
use super::spread::Quartiles;
use super::subject::{Folios, JUMP, Subject, is_whole, new_file_bytes};
use petrio_models::host::machine::{
    BlockCosts, CacheCosts, CallCosts, CopyCosts, CopyCurve, CopyPoint, JumpCost, MachineParameters,
};
use petrio_time::Time;
use petrio_units::numbers::nearest_whole;
use petrio_units::{Bytes, Duration};
use std::collections::BTreeMap;

/// What was measured, in nanoseconds.
pub(super) type Measurements = BTreeMap<Subject, Quartiles>;

/// The least that is left for a page's copy, in nanoseconds: a page takes time at any rate.
const LEAST_COPY_NS: f64 = 5.0;

/// What giving a request to a driver is taken to cost where the file system has no direct I/O, in nanoseconds.
pub(super) const ASSUMED_SUBMIT_NS: f64 = 2_000.0;

/// Files up to here lie in second-level caches, with all that the kernel keeps of them.
const SMALL_FILE: u64 = 1 << 20;

/// What a call of write divides into, in nanoseconds.
struct WriteCall {
    write: f64,
    /// A journal handle.
    handle: f64,
    /// A folio that is in the cache.
    page: f64,
    /// Each further page of it.
    buffer: f64,
}

/// Measurements, and how they were made.
#[derive(Debug)]
pub(super) struct Fit<'a> {
    pub measured: &'a Measurements,
    pub sizes: &'a Sizes,
    /// Whether each write begins a journal handle.
    pub handles: bool,
    /// Pages of a read-ahead window.
    pub read_ahead_pages: u64,
    /// Whether direct reads ended in memory (a loop device over memory), so that waiting is handing over.
    pub device_in_memory: bool,
}

/// A duration of so many nanoseconds, to a tenth.
pub(super) fn duration(ns: f64) -> Duration {
    Duration::new(Time::from_picos(nearest_whole(ns.max(0.0) * 10.0) * 100))
}

/// The x of which a·x comes nearest to b, each pair weighted by its 1/w², and not less than nothing.
fn least_squares(rows: impl IntoIterator<Item = (f64, f64, f64)>) -> f64 {
    let (mut above, mut below) = (0.0, 0.0);
    for (a, b, w) in rows {
        above += a * b / (w * w);
        below += a * a / (w * w);
    }
    if below > 0.0 { (above / below).max(0.0) } else { 0.0 }
}

/// The x and y of which a·x + b·y comes nearest to c, over rows of a, b and c that are weighted already; neither less
/// than nothing.
fn two_costs(rows: &[[f64; 3]]) -> (f64, f64) {
    let sum = |one: usize, other: usize| rows.iter().map(|row| row[one] * row[other]).sum::<f64>();
    let (aa, ab, bb, ac, bc) = (sum(0, 0), sum(0, 1), sum(1, 1), sum(0, 2), sum(1, 2));
    let determinant = aa * bb - ab * ab;
    if determinant > 1e-9 * aa * bb {
        let (x, y) = ((ac * bb - bc * ab) / determinant, (bc * aa - ac * ab) / determinant);
        if x >= 0.0 && y >= 0.0 {
            return (x, y);
        }
    }
    // One of them is nothing: what the other makes of it alone.
    let alone = |product: f64, square: f64| if square > 0.0 { (product / square).max(0.0) } else { 0.0 };
    if ac > 0.0 { (alone(ac, aa), 0.0) } else { (0.0, alone(bc, bb)) }
}

impl Fit<'_> {
    fn median(&self, subject: Subject) -> f64 {
        self.measured.get(&subject).map_or(0.0, |figure| figure.median)
    }

    /// The lower quartile: of what others (the writing back of older files, a page that the machine's host has to find
    /// first) only ever delay.
    fn lower(&self, subject: Subject) -> f64 {
        self.measured.get(&subject).map_or(0.0, |figure| figure.lower)
    }

    /// The figures, with memory and caches as `frame` has them.
    pub(super) fn machine(&self, frame: MachineParameters) -> MachineParameters {
        let nothing = self.median(Subject::ReadNothing);
        let hit = self.hit(nothing);
        let read = self.median(Subject::ReadByte) - hit;
        let WriteCall { write, handle, page: write_page, buffer } = self.write_call(nothing);
        let open = self.median(Subject::OpenClose);
        let namespace = (self.median(Subject::CreateUnlink) - open / 2.0) / 2.0 - handle;
        let calls = CallCosts {
            read: duration(read),
            write: duration(write),
            fsync: duration(self.median(Subject::SyncClean)),
            open: duration(open),
            namespace: duration(namespace),
            fault: CallCosts::FAULT,
            store_fault: CallCosts::STORE_FAULT,
            stdio: duration(self.median(Subject::Stdio)),
        };
        let to_user = self.grid(|block, file| {
            let call = self.measured.get(&Subject::Read { folios: Folios::Large, block, file })?.median;
            Some(call - read - folios_a_call(Folios::Large, block, file) * hit)
        });
        let from_user = self.grid(|block, file| {
            let call = self.measured.get(&Subject::Overwrite { folios: Folios::Large, block, file })?.median;
            let bytes = block.min(file);
            let handles = if self.handles { pieces(bytes) as f64 * handle } else { 0.0 };
            let (folios, further) = touched_a_call(Folios::Large, block, file);
            Some(call - write - handles - folios * write_page - further * buffer)
        });
        let block = self.block(read, hit);
        let submit = block.submit.time().as_picos() as f64 / 1e3;
        // Half of it stays with the page where requests explain it all: one request brings more than the window that is
        // charged for.
        let cold = self.lower(Subject::ColdRead) - self.lower(Subject::WarmRead);
        let insert = (cold - submit / self.read_ahead_pages.max(1) as f64).max(cold / 2.0);
        let cache = CacheCosts {
            hit: duration(hit),
            folio_page: Duration::ZERO,
            insert: duration(insert),
            write_page: duration(write_page),
            buffer: duration(buffer),
            new_page: Duration::ZERO,
            allocate: Duration::ZERO,
            allocate_call: Duration::ZERO,
            allocate_file: Duration::ZERO,
            reclaim: duration(self.median(Subject::Drop)),
            journal_handle: duration(handle),
            new_buffer: duration(self.lower(Subject::FirstWrite)),
            jumps: self.jumps(),
        };
        let mut machine =
            MachineParameters { calls, cache, copy: CopyCosts { to_user, from_user }, block, ..frame };
        machine.cache.new_page = self.per_page(&machine, |formula, block, file| {
            (formula.refill(block, file), self.lower(Subject::Refill { block }))
        });
        (machine.cache.allocate, machine.cache.allocate_call) = self.allocating(&machine);
        if let Ok(mut formula) = Formula::new(&machine, self.handles) {
            let first = self.lower(Subject::NewSmallFile) - formula.new_file(JUMP, JUMP);
            machine.cache.allocate_file = duration(first);
        }
        machine
    }

    /// What a folio of its own costs each page of a read; bounded by what a call of one byte costs more than one of
    /// none.
    fn hit(&self, nothing: f64) -> f64 {
        let byte = self.median(Subject::ReadByte);
        let rows = self.measured.iter().filter_map(|(subject, single)| {
            let Subject::Read { folios: Folios::Single, block, file } = *subject else { return None };
            let large = self.measured.get(&Subject::Read { folios: Folios::Large, block, file })?;
            let more = pages_a_call(block.min(file)) - folios_a_call(Folios::Large, block, file);
            Some((more, single.median - large.median, single.median))
        });
        least_squares(rows).min((byte - nothing).max(0.0))
    }

    /// What a write call divides into.
    fn write_call(&self, nothing: f64) -> WriteCall {
        // What a write of one byte costs more than a call that does nothing.
        let more = (self.median(Subject::WriteByte) - nothing).max(0.0);
        let handle = (self.median(Subject::SetTimes) - nothing).max(0.0);
        let charged = if self.handles { handle.min(more / 2.0) } else { 0.0 };
        let (page, buffer) = self.folios_written();
        // The byte is the first of a file, whose first folio is as large as the file allows.
        let further =
            touched_a_call(Folios::Large, PAGE, self.sizes.files.first().copied().unwrap_or(PAGE)).1;
        let left = more - charged;
        let buffer = buffer.min(left / further.max(1.0));
        let page = page.min(left - further * buffer);
        let write = self.median(Subject::WriteByte) - charged - page - further * buffer;
        WriteCall { write, handle: if self.handles { charged } else { handle }, page, buffer }
    }

    /// What a folio costs an overwrite, and what each further page of it: both from files in single pages against large
    /// folios, of sizes that the second-level cache holds.
    fn folios_written(&self) -> (f64, f64) {
        let rows: Vec<[f64; 3]> = (self.measured.iter())
            .filter_map(|(subject, single)| {
                let Subject::Overwrite { folios: Folios::Single, block, file } = *subject else {
                    return None;
                };
                let large = self.measured.get(&Subject::Overwrite { folios: Folios::Large, block, file })?;
                let (folios, further) = touched_a_call(Folios::Large, block, file);
                let weight = 1.0 / single.median.max(1.0);
                let more = touched_a_call(Folios::Single, block, file).0 - folios;
                (file <= SMALL_FILE).then_some([
                    more * weight,
                    -further * weight,
                    (single.median - large.median) * weight,
                ])
            })
            .collect();
        two_costs(&rows)
    }

    /// What calls at random take more than calls in sequence. Of an overwrite, what it does in single pages too is the
    /// jump's, and what large folios add is shared out among their buffers.
    fn jumps(&self) -> Vec<JumpCost> {
        let (block, mut write) = (JUMP, 0.0_f64);
        let more = |at_random: Subject, in_turn: Subject| {
            let [at_random, in_turn] = [at_random, in_turn].map(|subject| self.measured.get(&subject));
            Some((at_random?.median - in_turn?.median).max(0.0))
        };
        let overwrite = |folios, file| {
            more(Subject::JumpOverwrite { folios, file }, Subject::Overwrite { folios, block, file })
        };
        let jump = |&file: &u64| {
            let read =
                more(Subject::JumpRead { file }, Subject::Read { folios: Folios::Large, block, file })?;
            let large = overwrite(Folios::Large, file)?;
            // The largest files have only been written in large folios.
            write = overwrite(Folios::Single, file).unwrap_or(write).min(large);
            let buffer = (large - write) / folio_of_a_page(file).max(1.0);
            Some(JumpCost {
                footprint: Bytes(file),
                read: duration(read),
                write: duration(write),
                buffer: duration(buffer),
            })
        };
        self.sizes.files.iter().filter_map(jump).collect()
    }

    /// A copy curve of what each call leaves for its copy.
    fn grid(&self, left: impl Fn(u64, u64) -> Option<f64>) -> CopyCurve {
        let mut points = Vec::new();
        for &file in &self.sizes.files {
            let mut page = LEAST_COPY_NS;
            for &block in &self.sizes.blocks {
                // The longest buffer that was timed stands for still longer ones.
                if let Some(left) = left(block, file) {
                    page = (left * PAGE as f64 / block.min(file) as f64).max(LEAST_COPY_NS);
                }
                points.push(CopyPoint { block: Bytes(block), footprint: Bytes(file), page: duration(page) });
            }
        }
        CopyCurve::Measured { points }
    }

    /// What is missing a page between what the formula says and what was measured, over all blocks.
    fn per_page(
        &self,
        machine: &MachineParameters,
        mut pair: impl FnMut(&mut Formula<'_>, u64, u64) -> (f64, f64),
    ) -> Duration {
        let Ok(mut formula) = Formula::new(machine, self.handles) else { return Duration::ZERO };
        let rows = self.sizes.blocks.iter().filter(|block| is_whole(**block)).map(|&block| {
            let file = new_file_bytes(block, self.sizes.largest());
            let (said, measured) = pair(&mut formula, block, file);
            (pages(block) as f64, measured - said, measured.max(1.0))
        });
        duration(least_squares(rows.collect::<Vec<_>>()))
    }

    /// What new files take more than files whose blocks are there: for each page, and for each piece of a call.
    fn allocating(&self, machine: &MachineParameters) -> (Duration, Duration) {
        let Ok(mut formula) = Formula::new(machine, self.handles) else {
            return (Duration::ZERO, Duration::ZERO);
        };
        let rows = self.sizes.blocks.iter().filter(|block| is_whole(**block)).map(|&block| {
            let measured = self.lower(Subject::NewFile { block });
            let more = measured - formula.new_file(block, new_file_bytes(block, self.sizes.largest()));
            [pages(block) as f64, pieces(block) as f64, more].map(|figure| figure / measured.max(1.0))
        });
        let (page, piece) = two_costs(&rows.collect::<Vec<_>>());
        (duration(page), duration(piece))
    }

    /// What is left for the block layer of a read past the cache.
    fn block(&self, read: f64, hit: f64) -> BlockCosts {
        let submit = match self.measured.get(&Subject::Direct) {
            // The reader's own switch away and back is part of its processor time, and of a wake-up.
            Some(direct) => (direct.median - read - self.lower(Subject::WakeUp))
                .max((direct.median - read) / 2.0)
                .max(0.0),
            None => ASSUMED_SUBMIT_NS,
        };
        let wake_up = self.lower(Subject::WakeUp);
        let complete = if self.device_in_memory {
            // The loop device's thread is woken, reads a page of memory, and wakes the reader.
            let copy = self.median(Subject::ReadByte) + hit;
            let left = self.lower(Subject::DirectWall) - self.median(Subject::Direct) - 2.0 * wake_up - copy;
            left.clamp(submit / 10.0, submit)
        } else {
            submit / 2.0
        };
        BlockCosts { submit: duration(submit), complete: duration(complete), wake_up: duration(wake_up) }
    }
}
