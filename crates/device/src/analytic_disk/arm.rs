//! The arm of an analytic disk and the requests that wait for it: which is next, and how long a further one would take.
//!
//! How far the platter has to turn for a request is settled when it arrives (by chance, from the time and a salt that
//! each arrival changes), so that the time it will take is known while it waits: what a further request would see is
//! then exact, if nothing more arrives (S.-L. Lo, "Ivy", HPL-CSP-90-48, 1990, §4.3). First come, first served that is a
//! sum; under a discipline that reorders, the queue is played through with the further request in it.
//!
//! Requests of the idle class (replica traffic, §4.1) wait in a line of their own and go only when nobody else waits.

use super::AnalyticDiskParameters;
use crate::disk::parameters::QueueDiscipline;
use crate::one_at_a_time::Plan;
use petrio_colours::{BlockRequest, IoClass};
use petrio_kernel::Time;
use petrio_persist::Persist;
use petrio_random::mix;
use petrio_units::numbers::as_number;
use std::collections::VecDeque;
use std::sync::Arc;

/// A request that waits, with its draw.
#[derive(Clone, Debug, Persist)]
struct Waiting {
    request: BlockRequest,
    cylinder: u32,
    /// How much of a revolution it waits for the platter, from 0 to 1.
    turn: f64,
}

/// What a request would meet, if it came now and nothing more did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outlook {
    /// Requests before it in the disk, with the one in service.
    pub queue: u32,
    /// How far the arm would move for it, in cylinders.
    pub seek_cylinders: u32,
    /// The seek for it.
    pub seek: Time,
    /// From its arrival to its completion, without its own rotational latency.
    pub turnaround: Time,
    /// Its own rotational latency.
    pub rotation: Time,
}

/// An arm, and who waits for it.
#[derive(Clone, Debug, Persist)]
pub struct Arm {
    #[persist(shared)]
    drive: Arc<AnalyticDiskParameters>,
    #[persist(keep)]
    discipline: QueueDiscipline,
    /// Where it stands, or will stand after the request in service.
    cylinder: u32,
    upward: bool,
    /// When the request in service is over; in the past where none is.
    free_at: Time,
    in_service: bool,
    /// In order of arrival.
    waiting: VecDeque<Waiting>,
    /// Of the idle class, in order of arrival.
    background: VecDeque<Waiting>,
    /// First come, first served: service times of `waiting` together, and where the arm stands after them.
    ahead: Time,
    last_cylinder: u32,
    /// What the rotational latency of the next arrival depends on, besides its time: a disk that isn't chosen now
    /// stands differently a moment later.
    salt: u64,
}

impl Arm {
    pub(super) fn new(drive: &AnalyticDiskParameters, discipline: QueueDiscipline, salt: u64) -> Self {
        Self {
            drive: Arc::new(drive.clone()),
            discipline,
            cylinder: 0,
            upward: true,
            free_at: Time::ZERO,
            in_service: false,
            waiting: VecDeque::new(),
            background: VecDeque::new(),
            ahead: Time::ZERO,
            last_cylinder: 0,
            salt,
        }
    }

    /// Takes a request in; `draw` is for the arrival after it.
    pub(super) fn accept(&mut self, request: BlockRequest, now: Time, draw: u64) {
        let cylinder = self.drive.cylinder(request.address);
        let turn = self.turn(now);
        self.salt = draw;
        let waiting = Waiting { cylinder, turn, request };
        if waiting.request.class == IoClass::Idle {
            self.background.push_back(waiting);
            return;
        }
        if self.discipline == QueueDiscipline::FirstCome {
            self.ahead += self.service(self.behind_all(), &waiting);
            self.last_cylinder = cylinder;
        }
        self.waiting.push_back(waiting);
    }

    /// How far the platter has to turn for a request that arrives now: a part of a revolution, uniform.
    fn turn(&self, now: Time) -> f64 {
        (mix(self.salt ^ now.as_picos()) >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Where the arm stands when all who wait have been served in order of arrival.
    fn behind_all(&self) -> u32 {
        if self.waiting.is_empty() { self.cylinder } else { self.last_cylinder }
    }

    fn service(&self, from: u32, waiting: &Waiting) -> Time {
        let way = [from.abs_diff(waiting.cylinder), 0];
        self.drive.plan(way, &waiting.request, waiting.turn).iter().copied().sum()
    }

    /// The request that is served next, and how long each step of it takes; `None` where nobody waits.
    pub(super) fn begin(&mut self, now: Time) -> Option<(BlockRequest, Plan)> {
        let next = match self.waiting.is_empty() {
            true => self.background.pop_front()?,
            false => {
                let cylinders = self.waiting.iter().map(|waiting| waiting.cylinder);
                let index = pick(self.discipline, cylinders, self.cylinder, self.upward)?;
                let next = self.waiting.remove(index)?;
                if self.discipline == QueueDiscipline::FirstCome {
                    self.ahead = self.ahead - self.service(self.cylinder, &next);
                }
                next
            }
        };
        let (way, upward) = travel(self.discipline, self.cylinder, next.cylinder, self.upward);
        let plan = self.drive.plan(way, &next.request, next.turn);
        self.cylinder = next.cylinder;
        self.upward = upward;
        self.free_at = now + plan.iter().copied().sum();
        self.in_service = true;
        Some((next.request, plan))
    }

    /// The request in service is over.
    pub(super) fn finish(&mut self) {
        self.in_service = false;
    }

    /// Requests in the disk, with the one in service, without those of the idle class that wait.
    pub fn queue(&self) -> u32 {
        as_number(self.waiting.len()) + u32::from(self.in_service)
    }

    /// What a request would meet.
    pub fn outlook(&self, now: Time, request: &BlockRequest) -> Outlook {
        let cylinder = self.drive.cylinder(request.address);
        let busy = if self.in_service { self.free_at.saturating_sub(now) } else { Time::ZERO };
        let rotation = self.drive.turned(self.turn(now));
        let (ahead, way) = match self.discipline {
            QueueDiscipline::FirstCome => (self.ahead, [self.behind_all().abs_diff(cylinder), 0]),
            _ => self.play_through(cylinder),
        };
        let plan = self.drive.plan(way, request, 0.0);
        Outlook {
            queue: self.queue(),
            seek_cylinders: way.iter().sum(),
            seek: plan[1],
            turnaround: busy + ahead + plan.iter().copied().sum(),
            rotation,
        }
    }

    /// Serves everybody who goes before a further request at `cylinder`: how long that takes, and the arm's way to it.
    fn play_through(&self, cylinder: u32) -> (Time, Way) {
        let mut left: Vec<(u32, Option<&Waiting>)> =
            self.waiting.iter().map(|waiting| (waiting.cylinder, Some(waiting))).collect();
        left.push((cylinder, None));
        let (mut at, mut upward, mut ahead) = (self.cylinder, self.upward, Time::ZERO);
        while let Some(index) = pick(self.discipline, left.iter().map(|(cylinder, _)| *cylinder), at, upward)
        {
            let (to, waiting) = left.remove(index);
            let (way, onward) = travel(self.discipline, at, to, upward);
            let Some(waiting) = waiting else { return (ahead, way) };
            ahead += self.drive.plan(way, &waiting.request, waiting.turn).iter().copied().sum();
            (at, upward) = (to, onward);
        }
        (ahead, [at.abs_diff(cylinder), 0])
    }
}

/// Which of the waiting cylinders is next, in order of arrival; the first of several alike.
fn pick(
    discipline: QueueDiscipline,
    waiting: impl Iterator<Item = u32>,
    at: u32,
    upward: bool,
) -> Option<usize> {
    let key = |cylinder: u32| -> (u32, u32) {
        let ahead = if upward { cylinder >= at } else { cylinder <= at };
        match discipline {
            QueueDiscipline::ShortestSeek => (0, cylinder.abs_diff(at)),
            QueueDiscipline::Look => (u32::from(!ahead), cylinder.abs_diff(at)),
            QueueDiscipline::CircularLook | QueueDiscipline::CircularScan => {
                (u32::from(cylinder < at), cylinder)
            }
            // Positions on the track aren't known here; the scenario refuses these two.
            QueueDiscipline::FirstCome
            | QueueDiscipline::ShortestPositioning
            | QueueDiscipline::AgedShortestPositioning { .. } => (0, 0),
        }
    };
    waiting.enumerate().min_by_key(|&(index, cylinder)| (key(cylinder), index)).map(|(index, _)| index)
}

/// The cylinders of the one or two seeks to a request.
pub(super) type Way = [u32; 2];

/// The arm's way, and whether it then goes upward.
fn travel(discipline: QueueDiscipline, from: u32, to: u32, upward: bool) -> (Way, bool) {
    match discipline {
        // The arm goes back to cylinder 0 and stands there before it goes on: two seeks, neither longer than the disk.
        QueueDiscipline::CircularScan if to < from => ([from, to], true),
        QueueDiscipline::CircularScan | QueueDiscipline::CircularLook => ([from.abs_diff(to), 0], true),
        _ if to == from => ([0, 0], upward),
        _ => ([from.abs_diff(to), 0], to > from),
    }
}
