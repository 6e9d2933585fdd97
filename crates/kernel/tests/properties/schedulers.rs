//! The scheduler contract: any order, idling, several outstanding, merging and splitting.

use petrio_kernel::{Decision, NetBuilder, Scheduler, Simulation, StationSpec, Time};
use petrio_random::{below, exponential};
use std::collections::VecDeque;

/// A request of a process for some blocks; a merged one has parts.
#[derive(Clone, Debug, PartialEq)]
struct Request {
    process: u32,
    start: u64,
    blocks: u64,
    came: Time,
    done: bool,
    parts: Vec<Request>,
}

fn request(process: u32, start: u64, blocks: u64) -> Request {
    Request { process, start, blocks, came: Time::ZERO, done: false, parts: Vec::new() }
}

/// Shortest distance first, as a disk's elevator would.
#[derive(Clone, Default)]
struct Nearest {
    head: u64,
    waiting: Vec<Request>,
}

impl Scheduler<Request> for Nearest {
    fn arrive(&mut self, _now: Time, token: Request) {
        self.waiting.push(token);
    }
    fn decide(&mut self, _now: Time) -> Decision<Request> {
        let head = self.head;
        let nearest = self.waiting.iter().enumerate().min_by_key(|(_, request)| request.start.abs_diff(head));
        match nearest.map(|(index, _)| index) {
            Some(index) => {
                let token = self.waiting.swap_remove(index);
                let distance = token.start.abs_diff(self.head);
                self.head = token.start;
                Decision::Dispatch { token, service: Some(Time::from_millis(1 + distance)) }
            }
            None => Decision::Empty,
        }
    }
    fn waiting(&self) -> usize {
        self.waiting.len()
    }
    fn for_each(&self, visit: &mut dyn FnMut(&Request)) {
        self.waiting.iter().for_each(visit);
    }
}

fn no_service(_: &Request, _: &mut petrio_random::Generator) -> Time {
    unreachable!("the scheduler names the service time")
}

/// When each request was finished, in milliseconds, as (start, time).
fn serve(station: StationSpec<Request>, arrivals: &[(u64, Request)]) -> Vec<(u64, u64)> {
    let mut net = NetBuilder::new("device");
    let mut page = net.top();
    let station = page.station("station", station);
    let out = page.fifo::<(u64, u64)>("out");
    for (at, request) in arrivals {
        page.initial_after(station, request.clone(), Time::from_millis(*at));
    }
    let mut leave = page.transition("leave");
    let (token, to) = (leave.take(station), leave.put(out));
    leave.action(move |f| {
        let token = f.take(token);
        let now = f.now().as_millis() as u64;
        f.put(to, (token.start, now));
    });
    let net = net.build().unwrap();
    let mut run = Simulation::new(&net, 1, 0);
    run.run_to_end().unwrap();
    run.check_conservation().unwrap();
    assert!(run.marking().is_empty(station));
    run.drain(out).collect()
}

#[test]
fn a_scheduler_serves_in_the_order_that_it_likes() {
    let arrivals =
        [(0, request(0, 50, 1)), (1, request(0, 10, 1)), (2, request(0, 90, 1)), (3, request(0, 55, 1))];
    let nearest = Nearest { head: 50, waiting: Vec::new() };
    // 50 is there at once; then 10 waits alone and is 40 away; then 55, then 90.
    assert_eq!(
        serve(StationSpec::scheduled(1, nearest, no_service), &arrivals),
        [(50, 1), (10, 42), (55, 88), (90, 124)]
    );
}

/// After a request it waits a little for the next one of the same process, though others are waiting.
#[derive(Clone)]
struct Anticipating {
    patience: Time,
    waiting: VecDeque<Request>,
    last: Option<u32>,
    until: Option<Time>,
    wakes: u32,
}

impl Scheduler<Request> for Anticipating {
    fn arrive(&mut self, _now: Time, token: Request) {
        self.waiting.push_back(token);
    }
    fn decide(&mut self, now: Time) -> Decision<Request> {
        let same = self.waiting.iter().position(|request| Some(request.process) == self.last);
        let index = match (same, self.until) {
            (Some(index), _) => index,
            (None, Some(until)) if now < until => return Decision::IdleUntil(until),
            (None, _) if self.waiting.is_empty() => return Decision::Empty,
            (None, _) => 0,
        };
        let token = self.waiting.remove(index).expect("the index was just found");
        self.last = Some(token.process);
        Decision::Dispatch { token, service: None }
    }
    fn complete(&mut self, now: Time, token: Request, finished: &mut Vec<Request>) {
        self.until = Some(now + self.patience);
        finished.push(token);
    }
    fn wake(&mut self, _now: Time) {
        self.wakes += 1;
    }
    fn waiting(&self) -> usize {
        self.waiting.len()
    }
    fn for_each(&self, visit: &mut dyn FnMut(&Request)) {
        self.waiting.iter().for_each(visit);
    }
}

#[test]
fn a_scheduler_may_idle_though_something_waits() {
    let scheduler = Anticipating {
        patience: Time::from_millis(5),
        waiting: VecDeque::new(),
        last: None,
        until: None,
        wakes: 0,
    };
    let arrivals = [
        (0, request(1, 100, 1)),
        (1, request(2, 900, 1)),
        // Two milliseconds after its first was done: worth waiting for.
        (12, request(1, 101, 1)),
    ];
    let spec = StationSpec::scheduled(1, scheduler, |_, _| Time::from_millis(10));
    // The other process starts when patience ends, exactly, at 22 + 5.
    assert_eq!(serve(spec, &arrivals), [(100, 10), (101, 22), (900, 37)]);
}

/// Joins requests for adjacent blocks, and gives the parts back when they are served.
#[derive(Clone, Default)]
struct Merging {
    waiting: VecDeque<Request>,
}

impl Scheduler<Request> for Merging {
    fn arrive(&mut self, _now: Time, token: Request) {
        let neighbour = self.waiting.iter_mut().find(|other| other.start + other.blocks == token.start);
        match neighbour {
            Some(other) => {
                if other.parts.is_empty() {
                    other.parts.push(Request { parts: Vec::new(), ..other.clone() });
                }
                other.blocks += token.blocks;
                other.parts.push(token);
            }
            None => self.waiting.push_back(token),
        }
    }
    fn decide(&mut self, _now: Time) -> Decision<Request> {
        match self.waiting.pop_front() {
            Some(token) => {
                let service = Some(Time::from_millis(10 + token.blocks));
                Decision::Dispatch { token, service }
            }
            None => Decision::Empty,
        }
    }
    fn complete(&mut self, _now: Time, token: Request, finished: &mut Vec<Request>) {
        if token.parts.is_empty() {
            finished.push(token);
        } else {
            finished.extend(token.parts);
        }
    }
    fn waiting(&self) -> usize {
        self.waiting.len()
    }
    fn for_each(&self, visit: &mut dyn FnMut(&Request)) {
        self.waiting.iter().for_each(visit);
    }
}

#[test]
fn a_scheduler_may_merge_and_split() {
    let arrivals: Vec<(u64, Request)> = [7, 100, 200, 102, 104, 300]
        .into_iter()
        .enumerate()
        .map(|(at, start)| (at as u64, request(0, start, 2)))
        .collect();
    // 7 is served alone until 12; 100, 102 and 104 go as one of six blocks; 200 and 300 follow.
    assert_eq!(
        serve(StationSpec::scheduled(1, Merging::default(), no_service), &arrivals),
        [(7, 12), (100, 28), (102, 28), (104, 28), (200, 40), (300, 52)]
    );
}

#[test]
fn a_merging_station_loses_and_makes_no_token() {
    let mut net = NetBuilder::new("merging under load");
    let mut page = net.top();
    let draws = page.stream("draws");
    let tick = page.fifo::<u32>("tick");
    let station = page.station("station", StationSpec::scheduled(2, Merging::default(), no_service));
    let done = page.fifo::<u64>("done");
    page.initial(tick, [2_000]);
    let mut arrive = page.transition("arrive");
    let (left, again, to) = (arrive.take(tick), arrive.may_put(tick, 1), arrive.put(station));
    arrive.action(move |f| {
        let left = f.take(left);
        let start = below(f.random(draws), 60);
        let gap = Time::from_seconds(exponential(f.random(draws), 0.004));
        f.put(to, request(left, start, 1));
        if left > 1 {
            f.put_after(again, left - 1, gap);
        }
    });
    let mut leave = page.transition("leave");
    let (token, to) = (leave.take(station), leave.put(done));
    leave.action(move |f| {
        let token = f.take(token);
        f.put(to, u64::from(token.process));
    });
    let net = net.build().unwrap();
    let mut run = Simulation::new(&net, 1, 0);
    let mut most = 0;
    while run.run_firings(10).unwrap() == petrio_kernel::Pause::Firings {
        run.check_conservation().unwrap();
        most = most.max(run.marking().len(station));
    }
    assert!(most > 3, "nothing ever waited, so nothing was tested");
    let mut seen: Vec<u64> = run.drain(done).collect();
    seen.sort_unstable();
    assert_eq!(seen, (1..=2_000).collect::<Vec<_>>());
}

/// Lets requests through to a device, at most so many at once.
#[derive(Clone, Default)]
struct Gate {
    waiting: VecDeque<Request>,
}

impl Scheduler<Request> for Gate {
    fn arrive(&mut self, _now: Time, token: Request) {
        self.waiting.push_back(token);
    }
    fn decide(&mut self, _now: Time) -> Decision<Request> {
        self.waiting.pop_front().map_or(Decision::Empty, Decision::Release)
    }
    fn complete(&mut self, _now: Time, mut token: Request, finished: &mut Vec<Request>) {
        token.done = true;
        finished.push(token);
    }
    fn waiting(&self) -> usize {
        self.waiting.len()
    }
    fn for_each(&self, visit: &mut dyn FnMut(&Request)) {
        self.waiting.iter().for_each(visit);
    }
}

#[test]
fn released_tokens_are_outstanding_until_they_are_completed() {
    const DEPTH: u32 = 4;
    let mut net = NetBuilder::new("command queue");
    let mut page = net.top();
    let queue = page.station("queue", StationSpec::scheduled(DEPTH, Gate::default(), no_service));
    let device = page.station(
        "device",
        StationSpec::infinite_server(|_: &Request, random| Time::from_seconds(exponential(random, 0.01))),
    );
    let done = page.fifo::<u64>("done");
    page.initial(queue, (0..500).map(|number| request(0, number, 1)));
    let mut issue = page.transition("issue");
    let token = issue.take_where(queue, |token, _| !token.done);
    let to = issue.put(device);
    issue.action(move |f| {
        let token = f.take(token);
        f.put(to, token);
    });
    let mut complete = page.transition("complete");
    let (token, back) = (complete.take(device), complete.completes(queue));
    complete.action(move |f| {
        let token = f.take(token);
        f.complete(back, token);
    });
    let mut leave = page.transition("leave");
    let token = leave.take_where(queue, |token, _| token.done);
    let to = leave.put(done);
    leave.action(move |f| {
        let token = f.take(token);
        f.put(to, token.start);
    });
    let net = net.build().unwrap();
    let mut run = Simulation::new(&net, 1, 0);
    run.run_to_end().unwrap();
    run.check_conservation().unwrap();
    assert_eq!(run.marking().statistics(device).maximum, DEPTH, "the device had exactly its depth at most");
    let mut seen: Vec<u64> = run.drain(done).collect();
    seen.sort_unstable();
    assert_eq!(seen, (0..500).collect::<Vec<_>>());
    // Four at a time, 10 ms each, 500 of them: about 1.25 s; one at a time it were 5 s.
    let seconds = run.now().as_seconds();
    assert!((1.1..1.45).contains(&seconds), "{seconds} s");
}

#[test]
fn littles_law_holds_under_any_order() {
    let mut net = NetBuilder::new("elevator under load");
    let mut page = net.top();
    let draws = page.stream("draws");
    let tick = page.fifo::<()>("tick");
    let station = page.station("station", StationSpec::scheduled(1, Nearest::default(), no_service));
    let sojourn = page.probe("sojourn");
    page.initial(tick, [()]);
    let mut arrive = page.transition("arrive");
    arrive.consume(tick);
    let (again, to) = (arrive.put(tick), arrive.put(station));
    arrive.action(move |f| {
        let start = below(f.random(draws), 100);
        let gap = Time::from_seconds(exponential(f.random(draws), 0.020));
        let came = f.now();
        f.put(to, Request { came, ..request(0, start, 1) });
        f.put_after(again, (), gap);
    });
    let mut leave = page.transition("leave");
    let token = leave.take(station);
    leave.action(move |f| {
        let token = f.take(token);
        let seconds = (f.now() - token.came).as_seconds();
        f.record(sojourn, seconds);
    });
    let net = net.build().unwrap();
    let mut run = Simulation::new(&net, 1, 0);
    run.run_until(Time::from_whole_seconds(4_000)).unwrap();
    let place = run.marking().statistics(station);
    let tally = run.marking().probe(sojourn).tally();
    let product = tally.count() as f64 / place.span.as_seconds() * tally.mean();
    assert!(place.mean > 1.5, "the queue was empty most of the time");
    assert!((place.mean - product).abs() < 0.001 * place.mean, "N = {}, X·R = {product}", place.mean);
    // The station's own counters say the same.
    let own = run.marking().station(station).unwrap();
    assert!((own.mean_waiting + own.mean_serving - place.mean).abs() < 1e-6 * place.mean);
}

#[test]
fn a_published_summary_can_be_read_through_a_view() {
    let mut net = NetBuilder::new("summary");
    let mut page = net.top();
    let station = page
        .station("station", StationSpec::scheduled(1, Nearest { head: 7, ..Nearest::default() }, no_service));
    page.initial(station, [request(0, 9, 1), request(0, 30, 1)]);
    let net = net.build().unwrap();
    let run = Simulation::new(&net, 1, 0);
    let view = run.marking().view(station);
    let nearest = view.scheduler::<Nearest>().unwrap();
    assert_eq!((nearest.head, nearest.waiting.len()), (9, 1));
    assert!(view.scheduler::<Gate>().is_none());
}
