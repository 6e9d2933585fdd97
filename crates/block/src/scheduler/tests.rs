//! What every scheduler in the list must keep, whatever its order: each request is served once.

#![allow(clippy::unwrap_used)]
pub(super) mod closed_loop;

use super::super::elevator::{IoRequest, Next};
use super::*;
use petrio_colours::{BlockRequest, Direction, IoClass, RequestId};
use petrio_kernel::Time;
use petrio_units::Duration;
use proptest::prelude::*;

/// A read of eight blocks.
pub(super) fn read(address: u64) -> BlockRequest {
    BlockRequest { id: RequestId(address), address, blocks: 8, priority: 4, ..BlockRequest::default() }
}

/// A write of eight blocks that nobody waits for.
pub(super) fn write(address: u64) -> BlockRequest {
    BlockRequest { direction: Direction::Write, ..read(address) }
}

/// An address that is far from the first ones.
pub(super) const FAR: u64 = 100_000_000;

/// A request of this process.
pub(super) fn of(process: u32, mut request: BlockRequest) -> BlockRequest {
    request.process = process;
    request
}

/// A request of this I/O class.
pub(super) fn classed(class: IoClass, mut request: BlockRequest) -> BlockRequest {
    request.class = class;
    request
}

/// The request that is sent off now.
pub(super) fn dispatched(elevator: &mut dyn Elevator, now: Time) -> IoRequest {
    match elevator.next(now) {
        Next::Dispatch(io) => io,
        other => panic!("{other:?}"),
    }
}

/// A scheduler whose order of service is looked at; requests complete as soon as they are dispatched.
pub(super) struct Order(Box<dyn Elevator>);

impl Order {
    pub(super) fn new(parameters: &SchedulerParameters) -> Self {
        Self(parameters.elevator(&QueueLimits::default()))
    }

    pub(super) fn add(&mut self, request: BlockRequest, now: Time) {
        self.0.add(request, now);
    }

    /// The address of what is dispatched next.
    pub(super) fn next(&mut self, now: Time) -> Option<u64> {
        let Next::Dispatch(io) = self.0.next(now) else { return None };
        self.0.completed(&io, now);
        Some(io.address)
    }

    /// The addresses of all that is left, in the order in which it is dispatched.
    pub(super) fn addresses(&mut self, now: Time) -> Vec<u64> {
        std::iter::from_fn(|| self.next(now)).collect()
    }
}

/// A step: time that passes before it, first block, process, and what is done.
type Arrival = (u64, u64, u32, u8);

fn request(id: u64, address: u64, process: u32, what: u8) -> BlockRequest {
    let direction = if what & 1 == 0 { Direction::Read } else { Direction::Write };
    BlockRequest {
        id: RequestId(id),
        address,
        blocks: 8,
        direction,
        process,
        class: [IoClass::BestEffort, IoClass::RealTime, IoClass::Idle][usize::from(what >> 2) % 3],
        priority: if what >> 2 < 3 { 4 } else { what },
        synchronous: direction == Direction::Read || what & 2 != 0,
        ..BlockRequest::default()
    }
}

/// Feeds a scheduler and a device that takes `depth` requests and completes them after 5 ms each, in order; gives the
/// identifiers in order of completion.
fn serve(parameters: &SchedulerParameters, limits: &QueueLimits, steps: &[Arrival]) -> Vec<u64> {
    let mut elevator = parameters.elevator(limits);
    let mut flight: std::collections::VecDeque<(Time, IoRequest)> = std::collections::VecDeque::new();
    let (mut now, mut done, mut given) = (Time::ZERO, Vec::new(), steps.iter().enumerate());
    let mut arrival = given.next().map(|(index, step)| (Time::from_micros(step.0), index, *step));
    let mut waited = 0usize;
    loop {
        while arrival.is_some_and(|(at, ..)| at <= now) {
            let (at, index, (_, address, process, what)) = arrival.take().unwrap();
            let before = elevator.waiting();
            let arriving = request(index as u64, address * 8, process, what);
            let would = elevator.would_merge(&arriving);
            let added = elevator.add(arriving, now);
            assert_eq!(would, added != super::super::elevator::Added::Queued, "{}", parameters.name());
            let after = match added {
                super::super::elevator::Added::Queued => before + 1,
                super::super::elevator::Added::Merged => before,
                super::super::elevator::Added::Joined => before - 1,
            };
            assert_eq!(elevator.waiting(), after, "{}", parameters.name());
            arrival = given.next().map(|(index, step)| (at + Time::from_micros(step.0), index, *step));
        }
        let mut wake = Time::NEVER;
        while (flight.len() as u32) < limits.depth {
            match elevator.next(now) {
                Next::Dispatch(io) => flight.push_back((now + Time::from_millis(5), io)),
                Next::IdleUntil(until) => {
                    assert!(until > now, "{} idles until a time that has come", parameters.name());
                    wake = until;
                    break;
                }
                Next::Empty => break,
            }
        }
        let due = flight.front().map_or(Time::NEVER, |(at, _)| *at);
        let next = due.min(wake).min(arrival.map_or(Time::NEVER, |(at, ..)| at));
        if next.is_never() {
            break;
        }
        now = next;
        while flight.front().is_some_and(|(at, _)| *at <= now) {
            let (_, io) = flight.pop_front().unwrap();
            elevator.completed(&io, now);
            done.extend(io.constituents.iter().map(|request| request.id.0));
        }
        waited += 1;
        assert!(waited < 100 * (steps.len() + 10), "{} keeps the device waiting", parameters.name());
    }
    assert_eq!(elevator.waiting(), 0, "{} leaves requests", parameters.name());
    done
}

/// A scheduler all of whose numbers are zero.
fn all_zero(name: &str) -> SchedulerParameters {
    let mut table = toml::Table::try_from(SchedulerParameters::named(name).unwrap()).unwrap();
    for (key, value) in table.iter_mut().filter(|(key, value)| *key != "kind" && !value.is_bool()) {
        let unit = value.as_str().and_then(|text| text.split_once(' ')).map(|(_, unit)| unit.to_owned());
        *value = match unit.as_deref() {
            None if value.is_integer() => 0.into(),
            Some("blocks") => "0 blocks".into(),
            Some("µs" | "ms" | "s") => "0 s".into(),
            _ => panic!("{key} = {value} of {name}: what is its zero?"),
        };
    }
    SchedulerParameters::deserialize(table).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn every_scheduler_serves_every_request_once(
        steps in prop::collection::vec((0u64..8_000, 0u64..300, 0u32..4, 0u8..24), 1..150),
        depth in 1u32..5,
    ) {
        let limits = QueueLimits { depth, ..QueueLimits::default() };
        let mut all: Vec<_> = NAMES.iter().map(|name| SchedulerParameters::named(name).unwrap()).collect();
        all.extend(NAMES.iter().map(|name| all_zero(name)));
        let trees = CfqParameters { service_trees: Some(true), ..CfqParameters::default() };
        let none = Duration::from(Time::ZERO);
        all.push(trees.clone().into());
        all.push(CfqParameters { quantum: Some(0), target_latency: Some(none), slice_sync: none, ..trees.clone() }.into());
        all.push(CfqParameters { slice_idle: none, ..trees }.into());
        for rotational in [true, false] {
            let limits = QueueLimits { rotational, ..limits };
            for parameters in &all {
                let name = parameters.name();
                let mut done = serve(parameters, &limits, &steps);
                done.sort_unstable();
                prop_assert_eq!(&done, &(0..steps.len() as u64).collect::<Vec<_>>(), "{}", name);
            }
        }
    }
}

#[test]
fn a_copy_goes_on_as_the_original() {
    for name in NAMES {
        let mut elevator = SchedulerParameters::named(name).unwrap().elevator(&QueueLimits::default());
        for index in 0..20 {
            elevator.add(request(index, index * 7 % 20 * 64, 0, index as u8), Time::from_millis(index));
        }
        let now = Time::from_millis(20);
        let mut copy = elevator.clone_box();
        for _ in 0..20 {
            let (one, other) = (elevator.next(now), copy.next(now));
            assert_eq!(one, other, "{name}");
            if let Next::Dispatch(io) = one {
                elevator.completed(&io, now);
                copy.completed(&io, now);
            }
        }
    }
}

#[test]
fn noop_serves_in_order_of_arrival() {
    let steps: Vec<Arrival> = [90, 10, 50, 30].map(|address| (0, address, 0, 0)).to_vec();
    let done = serve(&NoopParameters::default().into(), &QueueLimits::default(), &steps);
    assert_eq!(done, [0, 1, 2, 3]);
}

fn parse(text: &str) -> Result<SchedulerParameters, String> {
    #[derive(Deserialize)]
    struct Holder {
        scheduler: SchedulerParameters,
    }
    toml::from_str::<Holder>(text).map(|holder| holder.scheduler).map_err(|error| error.message().to_owned())
}

#[test]
fn a_scheduler_is_written_as_a_word_or_as_a_table() {
    for name in NAMES {
        let word = parse(&format!("scheduler = \"{name}\"")).unwrap();
        assert_eq!(word, parse(&format!("scheduler = {{ kind = \"{name}\" }}")).unwrap());
        assert_eq!(word.name(), *name);
        let written = toml::to_string(&word).unwrap();
        assert_eq!(word, parse(&format!("[scheduler]\n{written}")).unwrap());
    }
    assert_eq!(parse("scheduler = \"none\"").unwrap().name(), "noop");
    assert!(parse("scheduler = \"elevator\"").unwrap_err().starts_with("unknown variant `elevator`"));
    assert!(
        parse("scheduler = { kind = \"noop\", depth = 3 }").unwrap_err().contains("unknown field `depth`")
    );
    assert!(SchedulerParameters::named("nope").is_none());
}
