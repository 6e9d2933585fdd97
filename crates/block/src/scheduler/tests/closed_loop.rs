//! A test's device, and processes that ask again when they have been answered.

#![allow(clippy::unwrap_used)]
use crate::elevator::{Elevator, IoRequest, Next, QueueLimits};
use crate::scheduler::{Scheduler, SchedulerParameters};
use petrio_colours::{BlockRequest, Direction, IoClass, RequestId};
use petrio_kernel::Time;
use std::collections::{BTreeSet, VecDeque};

/// A process that has `at_once` requests under way, each of `blocks` blocks and `stride` behind the one before, and
/// thinks from each answer to the next request.
#[derive(Clone, Debug)]
pub(in crate::scheduler) struct Process {
    pub(in crate::scheduler) from: u64,
    pub(in crate::scheduler) stride: u64,
    pub(in crate::scheduler) blocks: u32,
    pub(in crate::scheduler) direction: Direction,
    pub(in crate::scheduler) synchronous: bool,
    pub(in crate::scheduler) class: IoClass,
    pub(in crate::scheduler) priority: u8,
    pub(in crate::scheduler) at_once: u64,
    pub(in crate::scheduler) think: Time,
    pub(in crate::scheduler) start: Time,
}

impl Process {
    /// Reads on and on, 64 blocks at a time, and thinks for 1 ms in between.
    pub(in crate::scheduler) fn reader(from: u64) -> Self {
        Self {
            from,
            stride: 64,
            blocks: 64,
            direction: Direction::Read,
            synchronous: true,
            class: IoClass::BestEffort,
            priority: 4,
            at_once: 1,
            think: Time::from_millis(1),
            start: Time::ZERO,
        }
    }

    /// Writes on and on, 64 blocks at a time with gaps, sixteen at once, and waits for none.
    pub(in crate::scheduler) fn writer(from: u64) -> Self {
        Self {
            direction: Direction::Write,
            synchronous: false,
            stride: 128,
            at_once: 16,
            think: Time::ZERO,
            ..Self::reader(from)
        }
    }

    fn request(&self, number: u64, process: u32) -> BlockRequest {
        BlockRequest {
            id: RequestId(number),
            process,
            address: self.from + number * self.stride,
            blocks: self.blocks,
            direction: self.direction,
            synchronous: self.synchronous,
            class: self.class,
            priority: self.priority,
            ..BlockRequest::default()
        }
    }
}

/// A request that was served: by which process, from where on, and from when to when it was in the device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::scheduler) struct Served {
    pub(in crate::scheduler) process: u32,
    pub(in crate::scheduler) address: u64,
    pub(in crate::scheduler) blocks: u32,
    pub(in crate::scheduler) arrived: Time,
    pub(in crate::scheduler) begun: Time,
    pub(in crate::scheduler) done: Time,
}

/// Serves processes until a time, by a device that takes `depth` requests and serves them one by one, in order: 10 ms
/// for a seek, and 1 ms for 64 blocks. Gives what was served, in order.
pub(in crate::scheduler) fn serve(
    parameters: &SchedulerParameters,
    depth: u32,
    processes: &[Process],
    until: Time,
) -> Vec<Served> {
    let mut elevator: Box<dyn Elevator> =
        parameters.elevator(&QueueLimits { depth, ..QueueLimits::default() });
    let mut arrivals: BTreeSet<(Time, u32, u64)> = BTreeSet::new();
    let mut asked = vec![0; processes.len()];
    for (process, number) in (0..).zip(processes) {
        arrivals.extend((0..number.at_once).map(|index| (number.start, process, index)));
        asked[process as usize] = number.at_once;
    }
    let mut device: VecDeque<(Time, Time, IoRequest)> = VecDeque::new();
    let (mut now, mut head, mut free, mut served) = (Time::ZERO, 0, Time::ZERO, Vec::new());
    while now < until {
        while arrivals.first().is_some_and(|&(at, ..)| at <= now) {
            let (_, process, number) = arrivals.pop_first().unwrap();
            elevator.add(processes[process as usize].request(number, process), now);
        }
        let mut wake = Time::NEVER;
        while (device.len() as u32) < depth {
            match elevator.next(now) {
                Next::Dispatch(io) => {
                    let begin = free.max(now);
                    let seek = if io.address == head { Time::ZERO } else { Time::from_millis(10) };
                    free = begin + seek + Time::from_nanos(u64::from(io.blocks) * 15_625);
                    head = io.end();
                    device.push_back((begin, free, io));
                }
                Next::IdleUntil(time) => {
                    assert!(time > now, "idles until a time that has come");
                    wake = time;
                    break;
                }
                Next::Empty => break,
            }
        }
        let done = device.front().map_or(Time::NEVER, |&(_, done, _)| done);
        now = done.min(wake).min(arrivals.first().map_or(Time::NEVER, |&(at, ..)| at));
        assert!(!now.is_never(), "nothing will ever happen again");
        while device.front().is_some_and(|&(_, done, _)| done <= now) {
            let (begun, done, io) = device.pop_front().unwrap();
            elevator.completed(&io, now);
            for request in &io.constituents {
                let process = &processes[request.process as usize];
                let next = &mut asked[request.process as usize];
                arrivals.insert((now + process.think, request.process, *next));
                *next += 1;
            }
            let (address, blocks, arrived) = (io.address, io.blocks, io.queued);
            served.push(Served { process: io.process, address, blocks, arrived, begun, done });
        }
    }
    served
}

/// How many blocks a process was served.
pub(in crate::scheduler) fn blocks_of(served: &[Served], process: u32) -> u64 {
    served.iter().filter(|one| one.process == process).map(|one| u64::from(one.blocks)).sum()
}

/// How often the device went from one process to another.
pub(in crate::scheduler) fn changes(served: &[Served]) -> usize {
    served.windows(2).filter(|pair| pair[0].process != pair[1].process).count()
}
