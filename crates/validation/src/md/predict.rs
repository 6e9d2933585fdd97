//! An array of a cell, members of its pace, and its workload, as a net.
//!
//! Direct requests come one after the other; so does write-back that is throttled by dirty limits, by passes of 1024 pages
//! (MIN_WRITEBACK_PAGES of fs/fs-writeback.c): one begins while more than the background's half of the limit is dirty and not on its way
//! (wb_over_bg_thresh), and the writer keeps both together at seven eighths of it (balance_dirty_pages: half-way from the middle of both
//! limits to the upper). An fsync hands over all pages at once, one by one as `block_write_full_page` does, and is waited for. Large direct requests are cut as the block layer cuts them. Members take
//! 254 pages a request (`seg_max` of QEMU's virtio-blk, pages that don't lie together).

use super::cell::Cell;
use super::error::MdError;
use petrio_colours::{BlockRequest, Cause, Direction, RequestId, SECTOR_BYTES, Status};
use petrio_kernel::{NetBuilder, PageBuilder, Place, Simulation, Time};
use petrio_models::block::raid::{
    CopiesLayout, MemberFailure, RaidLevel, RaidParameters, RaidPorts, StripeCacheParameters, raid_page,
};
use petrio_models::host::kernel_profile::KernelParameters;
use petrio_persist::Persist;
use petrio_scenario::catalogue::KERNELS;
use petrio_units::numbers::{as_index, as_number};
use petrio_units::{Bytes, Duration};
use serde::Serialize;

/// The kernel that was measured.
const KERNEL: &str = "linux-6.1";
const PAGE_BYTES: u64 = 4_096;
/// Blocks of a member that the arrays use: 64 MiB.
const MEMBER_BLOCKS: u64 = 1 << 17;
/// Pages of a request that a member takes.
const SEGMENTS: u64 = 254;
/// Pages of a pass of write-back.
const PASS_PAGES: u64 = 1_024;
/// When the workload begins: what fails has failed.
const BEGIN: Time = Time::from_whole_seconds(1);
/// What isn't the workload's.
const SCAN: RequestId = RequestId(0);
/// Seconds' worth that QEMU's throttle lets pass at once.
const BUCKET_S: f64 = 0.1;
/// From a request to its answer at least, and what md's thread takes for each look at a row, on the guest's emulated processor: a direct
/// write of 4 KiB, at random, takes it 1 ms for two answers and four looks, one of 64 KiB, 16 rows, 3 ms (README of the measurement).
const ANSWER: Time = Time::from_micros(400);
const ROW: Time = Time::from_micros(33);
/// Most tokens that a firing makes.
const MANY: u32 = 1 << 20;

/// What members were asked for, the first first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Persist)]
pub struct Members {
    /// Reads.
    pub read_requests: Vec<u64>,
    /// Bytes read.
    pub read_bytes: Vec<u64>,
    /// Writes.
    pub write_requests: Vec<u64>,
    /// Bytes written.
    pub write_bytes: Vec<u64>,
}

impl Members {
    fn of(members: usize) -> Self {
        let none = vec![0; members];
        Self {
            read_requests: none.clone(),
            read_bytes: none.clone(),
            write_requests: none.clone(),
            write_bytes: none,
        }
    }

    fn ask(&mut self, member: usize, request: &BlockRequest) {
        let (requests, bytes) = match request.direction {
            Direction::Read => (&mut self.read_requests, &mut self.read_bytes),
            Direction::Write => (&mut self.write_requests, &mut self.write_bytes),
            Direction::Flush | Direction::Discard => return,
        };
        requests[member] += 1;
        bytes[member] += request.bytes();
    }
}

/// A prediction.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Predicted {
    /// What members are asked for.
    pub members: Members,
    /// How long it takes, s.
    pub seconds: f64,
}

/// Predicts a cell.
///
/// # Errors
/// [`MdError`].
pub fn predict(cell: &Cell) -> Result<Predicted, MdError> {
    let largest = kernel()?.block.largest_request;
    let mut net = NetBuilder::new("md");
    let mut page = net.top();
    let (requests, completions) = (page.fifo("requests"), page.fifo("completions"));
    let mut down = Vec::new();
    let members: Vec<_> = (0..cell.members)
        .map(|member| {
            let [asked, answered] = ["asked", "answered"].map(|name| page.fifo(&format!("{name}{member}")));
            self::member(&mut page, &format!("member{member}"), cell, asked, answered);
            down.push(asked);
            (asked, answered)
        })
        .collect();
    let ports = RaidPorts {
        requests,
        completions,
        members,
        blocks: MEMBER_BLOCKS,
        journal_blocks: 0,
        rotational: true,
        alone: true,
    };
    raid_page(&mut page, "array", &array(cell, largest), &ports)?;
    let ended = workload(&mut page, Workload::of(cell, largest), (requests, completions));
    let net = net.build()?;
    let mut run = Simulation::new(&net, 1, 0);
    for (member, place) in down.iter().enumerate() {
        run.observe(
            *place,
            Members::of(cell.members),
            move |seen: &mut Members, now, request: &BlockRequest| {
                if now >= BEGIN {
                    seen.ask(member, request);
                }
            },
        );
    }
    if cell.level == 1 {
        // The kernel looks for partitions when an array is made: a mirror's first member has read its beginning since.
        let scan = BlockRequest { id: SCAN, blocks: 8, synchronous: true, ..BlockRequest::default() };
        run.inject(requests, scan, Time::ZERO)?;
    }
    run.run_until(Time::from_whole_seconds(1 << 20))?;
    run.check_conservation()?;
    let mut sum = Members::of(cell.members);
    for (member, place) in down.iter().enumerate() {
        if let Some(seen) = run.observed::<BlockRequest, Members>(*place) {
            sum.read_requests[member] += seen.read_requests[member];
            sum.read_bytes[member] += seen.read_bytes[member];
            sum.write_requests[member] += seen.write_requests[member];
            sum.write_bytes[member] += seen.write_bytes[member];
        }
    }
    let mut end = BEGIN;
    run.for_each_token(ended, |workload: &Workload| end = workload.ended);
    let seconds = (end - BEGIN).as_seconds();
    Ok(Predicted { members: sum, seconds })
}

fn kernel() -> Result<KernelParameters, MdError> {
    let text = KERNELS.text(KERNEL).ok_or(MdError::Kernel(KERNEL))?;
    toml::from_str(text).map_err(|_| MdError::Kernel(KERNEL))
}

/// A member that is held to the cell's pace, as QEMU's throttle holds it: a request passes while a leaky bucket of a tenth of a second
/// isn't full, be it as long as it may; later ones wait.
fn member(
    page: &mut PageBuilder<'_>,
    name: &str,
    cell: &Cell,
    asked: Place<BlockRequest>,
    answered: Place<BlockRequest>,
) {
    let by_bytes = cell.member_pace_bytes_per_s.is_some();
    let pace = cell.member_pace_bytes_per_s.or(cell.member_pace_requests_per_s).unwrap_or(0) as f64;
    let mut page = page.page(name);
    let state = page.state("bucket", Bucket::default());
    let mut pass = page.transition("pass");
    let request = pass.take(asked);
    let (bucket, put) = (pass.update(state), pass.put(answered));
    pass.action(move |f| {
        let mut request = f.take(request);
        let now = f.now();
        let much = if by_bytes { request.bytes() as f64 } else { 1.0 };
        let after = if pace > 0.0 { f.update(bucket).pass(now, much, pace) } else { Time::ZERO };
        let after = (after + ANSWER).saturating_sub(f.update(bucket).together(now));
        request.ledger.charge(Cause::Service, after);
        request.status = Status::Done;
        f.put_after(put, request, after);
    });
}

/// A leaky bucket.
#[derive(Clone, Copy, Debug, Default, Persist)]
struct Bucket {
    level: f64,
    /// When the last one passed.
    at: Time,
    /// When the last one came, and how many came with it.
    came: Time,
    with: u64,
}

impl Bucket {
    /// Something comes: by how much its answer is ahead of those that came at the same instant. QEMU's pool of threads looks through
    /// what is done from the latest to the first (`thread_pool_completion_bh`).
    fn together(&mut self, now: Time) -> Time {
        self.with = if self.came == now { self.with + 1 } else { 0 };
        self.came = now;
        Time::from_picos(self.with)
    }

    /// Something passes; how long after now.
    fn pass(&mut self, now: Time, much: f64, pace: f64) -> Time {
        let from = self.at.max(now);
        self.level = (self.level - (from - self.at).as_seconds() * pace).max(0.0);
        let over = (self.level - BUCKET_S * pace).max(0.0);
        self.at = from + Time::from_seconds(over / pace);
        self.level += much - over;
        self.at - now
    }
}

/// The array of a cell.
fn array(cell: &Cell, largest: Bytes) -> RaidParameters {
    let level = match cell.level {
        1 => RaidLevel::Mirrored,
        5 => RaidLevel::Rotated,
        6 => RaidLevel::DoubleRotated,
        _ => RaidLevel::MirroredStriped,
    };
    let (copies_layout, copies) = cell.layout.split_once('-').unwrap_or(("near", "2"));
    let copies_layout = match copies_layout {
        "far" => CopiesLayout::Far,
        "offset" => CopiesLayout::Offset,
        _ => CopiesLayout::Near,
    };
    let failure = cell
        .failed_member
        .map(|member| MemberFailure { member: as_number(member), at: Duration::from(Time::ZERO) });
    RaidParameters {
        stripe_unit: Bytes::from_kib(cell.chunk_kib.unwrap_or(64)),
        copies: copies.parse().unwrap_or(2),
        copies_layout,
        granularity: Bytes(PAGE_BYTES),
        failures: failure.into_iter().collect(),
        stripe_cache: Some(StripeCacheParameters {
            rows: cell.stripe_cache_pages_per_member.unwrap_or(256),
            largest_request: Bytes(largest.get().min(SEGMENTS * PAGE_BYTES)),
            row_time: Some(Duration::from(ROW)),
            ..StripeCacheParameters::default()
        }),
        ..RaidParameters::of(level)
    }
}

/// A workload: what is submitted at a time, and when.
#[derive(Clone, Debug, Persist)]
struct Workload {
    cell: Cell,
    largest: u64,
    /// Requests of the cell that were made.
    made: u64,
    /// Where random requests begin; none of others.
    places: Vec<u64>,
    /// Requests to the array so far, and those that aren't done.
    number: u64,
    outstanding: u64,
    /// Goes on once no more than so many aren't.
    low: u64,
    ended: Time,
}

impl Workload {
    fn of(cell: &Cell, largest: Bytes) -> Self {
        // Seven eighths less a half.
        let low = cell.vm_dirty_bytes.map_or(0, |limit| limit / 8 * 3 / PAGE_BYTES);
        let places = if cell.is_random() { cell.places() } else { Vec::new() };
        Self {
            cell: cell.clone(),
            largest: largest.get() / SECTOR_BYTES,
            made: 0,
            places,
            number: 0,
            outstanding: 0,
            low,
            ended: BEGIN,
        }
    }

    fn request(&mut self, address: u64, blocks: u64, synchronous: bool) -> BlockRequest {
        self.number += 1;
        self.outstanding += 1;
        BlockRequest {
            id: RequestId(self.number),
            direction: if self.cell.writes() { Direction::Write } else { Direction::Read },
            synchronous,
            address,
            blocks: as_number(blocks),
            issued: self.ended,
            ..BlockRequest::default()
        }
    }

    /// What is submitted by now.
    fn next(&mut self) -> Vec<BlockRequest> {
        let mut submitted = Vec::new();
        while self.outstanding <= self.low && self.made < self.all() {
            if self.cell.is_direct() {
                self.direct(&mut submitted);
            } else {
                self.write_back(&mut submitted);
            }
        }
        submitted
    }

    /// Requests, or pages, of all of it.
    fn all(&self) -> u64 {
        if self.cell.is_direct() { self.cell.request_count } else { self.cell.bytes() / PAGE_BYTES }
    }

    /// A direct request, cut where the array takes no more.
    fn direct(&mut self, submitted: &mut Vec<BlockRequest>) {
        let request_bytes = self.cell.request_bytes;
        let place = self.places.get(as_index(self.made)).copied();
        let offset = place.unwrap_or(self.made) * request_bytes;
        self.made += 1;
        let (mut at, end) = (offset / SECTOR_BYTES, (offset + request_bytes) / SECTOR_BYTES);
        while at < end {
            let blocks = self.largest.min(end - at);
            submitted.push(self.request(at, blocks, true));
            at += blocks;
        }
    }

    /// Pages that write-back takes at a time.
    fn write_back(&mut self, submitted: &mut Vec<BlockRequest>) {
        let all = self.all();
        // What is dirty still when the writer is done is the fsync's.
        let dirty = self.cell.vm_dirty_bytes.map_or(all, |dirty| dirty / 2 / PAGE_BYTES);
        let of_fsync = self.made + dirty >= all;
        let pages = if of_fsync { all - self.made } else { PASS_PAGES.min(all - self.made) };
        for _ in 0..pages {
            let blocks = PAGE_BYTES / SECTOR_BYTES;
            submitted.push(self.request(self.made * blocks, blocks, of_fsync));
            self.made += 1;
        }
    }
}

/// The workload's page; where its state lies.
fn workload(
    page: &mut PageBuilder<'_>,
    workload: Workload,
    (requests, completions): (Place<BlockRequest>, Place<BlockRequest>),
) -> Place<Workload> {
    let state = page.state("workload", workload);
    let begin = page.fifo::<()>("begin");
    page.initial_after(begin, (), BEGIN);
    let mut start = page.transition("start");
    start.consume(begin);
    let (own, put) = (start.update(state), start.may_put(requests, MANY));
    start.action(move |f| {
        for request in f.update(own).next() {
            f.put(put, request);
        }
    });
    let mut go_on = page.transition("go on");
    let done = go_on.take(completions);
    let (own, put) = (go_on.update(state), go_on.may_put(requests, MANY));
    go_on.action(move |f| {
        if f.take(done).id == SCAN {
            return;
        }
        let now = f.now();
        let workload = f.update(own);
        workload.outstanding -= 1;
        workload.ended = now;
        for request in workload.next() {
            f.put(put, request);
        }
    });
    state
}
