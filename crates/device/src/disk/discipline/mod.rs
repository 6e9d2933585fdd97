//! Queue disciplines: which of the waiting requests goes next.
//!
//! A discipline is one file with one type that implements [`Discipline`]: it looks at the requests that wait and at the
//! head, and picks one. The same disciplines order requests before a drive and inside it.

mod aged_shortest_positioning;
mod circular_look;
mod circular_scan;
mod first_come;
mod look;
mod shortest_positioning;
mod shortest_seek;

use super::drive::{Demand, Drive, DriveState};
use super::parameters::QueueDiscipline;
use petrio_colours::{BlockRequest, Direction};
use petrio_kernel::{Key, PageBuilder, Place, Slot, Time, View};
use petrio_persist::Persist;

/// What a discipline may know when it picks.
pub(super) struct Head<'a> {
    pub(super) drive: &'a Drive,
    pub(super) state: &'a DriveState,
    pub(super) sweep: Sweep,
    pub(super) now: Time,
    /// Since when a request waits here.
    pub(super) since: &'a dyn Fn(&BlockRequest) -> Time,
}

/// How far a sweep of the arm has come, as the queue before it sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
pub(super) struct Sweep {
    /// First block of the request that was sent last.
    pub(super) at: u64,
    /// Towards higher blocks.
    pub(super) upward: bool,
}

impl Sweep {
    /// A sweep that begins at block 0.
    pub(super) const START: Self = Self { at: 0, upward: true };

    /// The sweep after a request was sent; and whether the arm has gone back.
    pub(super) fn advance(&mut self, to: u64) -> bool {
        let back = to < self.at;
        if to != self.at {
            self.upward = !back;
        }
        self.at = to;
        back
    }
}

/// A queue discipline.
pub(super) trait Discipline: Send + Sync {
    /// How waiting requests must be kept for it.
    fn line(&self) -> Line;

    /// The request that goes next; `None` only where none waits.
    fn pick(&self, waiting: &View<'_, BlockRequest>, head: &Head<'_>) -> Option<Slot>;

    /// Whether the arm visits cylinder 0 whenever it goes back.
    fn returns_to_zero(&self) -> bool {
        false
    }
}

/// How requests wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Line {
    /// In order of arrival.
    Arrival,
    /// In order of their first block.
    Block,
    /// In any order: each is looked at.
    Any,
}

/// Makes the place in which requests wait for a discipline.
pub(super) fn waiting_place(
    page: &mut PageBuilder<'_>,
    name: &str,
    discipline: &dyn Discipline,
) -> Place<BlockRequest> {
    match discipline.line() {
        Line::Arrival => page.fifo(name),
        Line::Block => page.ordered(name, |request: &BlockRequest| block_key(request.address)),
        Line::Any => page.bag(name),
    }
}

fn block_key(block: u64) -> Key {
    Key::from(block)
}

/// The discipline that a parameter names.
pub(super) fn discipline(parameters: QueueDiscipline) -> Box<dyn Discipline> {
    match parameters {
        QueueDiscipline::FirstCome => Box::new(first_come::FirstCome),
        QueueDiscipline::ShortestSeek => Box::new(shortest_seek::ShortestSeek),
        QueueDiscipline::Look => Box::new(look::Look),
        QueueDiscipline::CircularLook => Box::new(circular_look::CircularLook),
        QueueDiscipline::CircularScan => Box::new(circular_scan::CircularScan),
        QueueDiscipline::ShortestPositioning => Box::new(shortest_positioning::ShortestPositioning),
        QueueDiscipline::AgedShortestPositioning { longest_wait } => {
            Box::new(aged_shortest_positioning::AgedShortestPositioning { longest_wait: longest_wait.time() })
        }
    }
}

/// The first of the requests that lie one behind the other up to this one: who begins in their middle, because that is under the
/// head the soonest, has to come back for what he has passed, a turn later. A drive that is given a long read as several commands
/// sees that they are one.
fn first_in_order<'v>(
    waiting: &'v View<'_, BlockRequest>,
    mut first: (Slot, &'v BlockRequest),
) -> (Slot, &'v BlockRequest) {
    // As many steps as there are requests, where some lie in a circle of overlaps.
    for _ in 0..waiting.len() {
        let (_, request) = first;
        let before = waiting.iter().find(|(_, other)| {
            other.direction == request.direction
                && other.end() == request.address
                && other.address < request.address
        });
        let Some(found) = before else { break };
        first = found;
    }
    first
}

/// What a request asks of the drive.
pub(super) fn demand(request: &BlockRequest) -> Demand {
    Demand {
        write: request.direction == Direction::Write,
        block: request.address,
        blocks: u64::from(request.blocks),
        force_unit_access: request.force_unit_access,
    }
}
