//! Requests at devices, from their arrival to their completion.

use petrio_colours::{BlockRequest, Causes, Ledger, Request};
use petrio_kernel::{Place, Simulation, Time};
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

/// A request at a device, merged, split and flushed as the stages above have done.
#[derive(Clone, Debug)]
pub struct Visit {
    /// The device's position in the System's devices.
    pub device: usize,
    /// The request as it arrived, with its status as it left.
    pub request: BlockRequest,
    /// When it arrived.
    pub arrived: Time,
    /// When the device reported it complete; `None` where the run ended before.
    pub completed: Option<Time>,
    /// Where the time between went.
    pub spent: Ledger,
}

/// The request and completion places of a device.
pub type DevicePlaces = (Place<BlockRequest>, Place<BlockRequest>);

/// What has been seen at the ports of devices since it was last taken.
type Seen = Arc<Mutex<Vec<Event>>>;

enum Event {
    /// At a device, by its position.
    Arrived(usize, BlockRequest, Time),
    /// At the completion place of one or several, by its number.
    Completed(usize, BlockRequest, Time),
}

/// What a request is known by at the place where it comes back: several devices may share one.
type VisitKey = (usize, u64, u64);

/// Follows requests through devices.
pub(crate) struct Visits {
    seen: Seen,
    /// The number of each device's completion place.
    places: Vec<usize>,
    /// In order of arrival, the first the one of this number.
    open: VecDeque<Visit>,
    first: u64,
    /// Those that haven't come back, by what they are known by.
    away: HashMap<VisitKey, VecDeque<u64>>,
}

impl Visits {
    /// From now on.
    pub(crate) fn watch(run: &mut Simulation, devices: &[DevicePlaces]) -> Self {
        let seen = Seen::default();
        let tell =
            |seen: &Seen, event: Event| seen.lock().unwrap_or_else(PoisonError::into_inner).push(event);
        let mut completions: Vec<Place<BlockRequest>> = Vec::new();
        let mut places = Vec::new();
        for (device, &(requests, back)) in devices.iter().enumerate() {
            let told = Arc::clone(&seen);
            run.observe(requests, (), move |(), at, request: &BlockRequest| {
                tell(&told, Event::Arrived(device, request.clone(), at));
            });
            let known = completions.iter().position(|&place| place == back);
            places.push(known.unwrap_or(completions.len()));
            if known.is_none() {
                completions.push(back);
            }
        }
        for (number, place) in completions.into_iter().enumerate() {
            let told = Arc::clone(&seen);
            run.observe(place, (), move |(), at, request: &BlockRequest| {
                tell(&told, Event::Completed(number, request.clone(), at));
            });
        }
        Self { seen, places, open: VecDeque::new(), first: 0, away: HashMap::new() }
    }

    /// Takes in what has happened. What arrived counts or doesn't.
    pub(crate) fn look(&mut self, counts: bool) {
        let seen = std::mem::take(&mut *self.seen.lock().unwrap_or_else(PoisonError::into_inner));
        for event in seen {
            match event {
                Event::Arrived(device, request, arrived) if counts => {
                    let known = (self.places[device], request.id.0, request.address);
                    self.away.entry(known).or_default().push_back(self.first + self.open.len() as u64);
                    self.open.push_back(Visit {
                        device,
                        request,
                        arrived,
                        completed: None,
                        spent: Ledger::default(),
                    });
                }
                Event::Arrived(..) => {}
                Event::Completed(place, request, at) => self.completed(place, &request, at),
            }
        }
    }

    /// A request has come back, of those that counted or of others.
    fn completed(&mut self, place: usize, request: &BlockRequest, at: Time) {
        let known = (place, request.id.0, request.address);
        let Some(numbers) = self.away.get_mut(&known) else { return };
        let Some(number) = numbers.pop_front() else { return };
        if numbers.is_empty() {
            self.away.remove(&known);
        }
        let index = usize::try_from(number - self.first).unwrap_or(usize::MAX);
        let Some(visit) = self.open.get_mut(index) else { return };
        for &cause in petrio_colours::Cause::ALL {
            let before = visit.request.ledger.of(cause);
            visit.spent.charge(cause, request.ledger().of(cause).saturating_sub(before));
        }
        visit.completed = Some(at);
        visit.request.status = request.status;
    }

    /// The next in order of arrival, once it is over.
    pub(crate) fn next(&mut self) -> Option<Visit> {
        self.open.front()?.completed?;
        self.first += 1;
        self.open.pop_front()
    }

    /// Those that are left at the end, in order of arrival: some never came back.
    pub(crate) fn rest(self) -> impl Iterator<Item = Visit> {
        self.open.into_iter()
    }
}
