//! The nets.

use petrio_kernel::{Net, NetBuilder, NetError, Simulation, StationSpec, Time};
use petrio_random::{Generator, exponential, uniform_below};
use petrio_units::numbers::as_index;
use std::sync::Arc;

/// Mean time between arrivals at a server whose mean service time is 1 s.
pub(super) const MEAN_GAP: f64 = 1.0 / 0.8;
/// Stations and jobs of the closed network.
pub(super) const STATIONS: usize = 10;
pub(super) const JOBS: usize = 100;
/// Room between producer and consumer.
pub(super) const BUFFER: u32 = 10;
/// Mean times to produce and to consume, seconds.
pub(super) const PRODUCE: f64 = 0.9;
pub(super) const CONSUME: f64 = 1.0;

fn draw(random: &mut Generator, mean: f64) -> Time {
    Time::from_seconds(exponential(random, mean))
}

/// Three firings a job: arrive, start, finish.
pub(super) fn m_m_1() -> Result<Arc<Net>, NetError> {
    let mut net = NetBuilder::new("M/M/1");
    let mut page = net.top();
    let (arrivals, services) = (page.stream("arrivals"), page.stream("services"));
    let tick = page.fifo::<()>("tick");
    let queue = page.fifo::<Time>("queue");
    let idle = page.fifo::<()>("idle");
    let busy = page.fifo::<Time>("busy");
    let sojourn = page.probe("sojourn");
    page.initial(tick, [()]);
    page.initial(idle, [()]);
    let mut arrive = page.transition("arrive");
    arrive.consume(tick);
    let (again, job) = (arrive.put(tick), arrive.put(queue));
    arrive.action(move |f| {
        let gap = draw(f.random(arrivals), MEAN_GAP);
        f.put(job, f.now());
        f.put_after(again, (), gap);
    });
    let mut start = page.transition("start");
    start.consume(idle);
    let (job, serve) = (start.take(queue), start.put(busy));
    start.action(move |f| {
        let came = f.take(job);
        let service = draw(f.random(services), 1.0);
        f.put_after(serve, came, service);
    });
    let mut finish = page.transition("finish");
    let (job, server) = (finish.take(busy), finish.put(idle));
    finish.action(move |f| {
        let came = f.take(job);
        f.record(sojourn, (f.now() - came).as_seconds());
        f.put(server, ());
    });
    net.build()
}

/// Two firings a job: arrive and leave; the server is a queueing place.
pub(super) fn m_m_1_station() -> Result<Arc<Net>, NetError> {
    let mut net = NetBuilder::new("M/M/1");
    let mut page = net.top();
    let arrivals = page.stream("arrivals");
    let tick = page.fifo::<()>("tick");
    let station = page.station("station", StationSpec::first_come(1, |_: &Time, random| draw(random, 1.0)));
    let sojourn = page.probe("sojourn");
    page.initial(tick, [()]);
    let mut arrive = page.transition("arrive");
    arrive.consume(tick);
    let (again, job) = (arrive.put(tick), arrive.put(station));
    arrive.action(move |f| {
        let gap = draw(f.random(arrivals), MEAN_GAP);
        f.put(job, f.now());
        f.put_after(again, (), gap);
    });
    let mut leave = page.transition("leave");
    let job = leave.take(station);
    leave.action(move |f| {
        let came = f.take(job);
        f.record(sojourn, (f.now() - came).as_seconds());
    });
    net.build()
}

/// One firing a visit: from a station to one drawn at random.
pub(super) fn closed() -> Result<Arc<Net>, NetError> {
    let mut net = NetBuilder::new("closed network");
    let mut page = net.top();
    let routes = page.stream("routes");
    let sojourn = page.probe("sojourn");
    let stations: [_; STATIONS] = std::array::from_fn(|number| {
        let service = |_: &Time, random: &mut Generator| draw(random, 1.0);
        page.station(&format!("station{number}"), StationSpec::first_come(1, service))
    });
    page.initial(stations[0], vec![Time::ZERO; JOBS]);
    for (number, station) in stations.into_iter().enumerate() {
        let mut go = page.transition(&format!("leave{number}"));
        let job = go.take(station);
        let next = stations.map(|station| go.may_put(station, 1));
        go.action(move |f| {
            let came = f.take(job);
            f.record(sojourn, (f.now() - came).as_seconds());
            let route = as_index(uniform_below(f.random(routes), STATIONS as u64));
            f.put(next[route], f.now());
        });
    }
    net.build()
}

/// Three firings an item: deposit, fetch, finish. A full buffer stops the producer.
pub(super) fn producer_consumer() -> Result<Arc<Net>, NetError> {
    let mut net = NetBuilder::new("producer and consumer");
    let mut page = net.top();
    let (produce, consume) = (page.stream("produce"), page.stream("consume"));
    let produced = page.fifo::<()>("produced");
    let buffer = page.fifo::<Time>("buffer");
    let idle = page.fifo::<()>("idle");
    let consuming = page.fifo::<Time>("consuming");
    let sojourn = page.probe("sojourn");
    page.capacity(buffer, BUFFER);
    page.initial(produced, [()]);
    page.initial(idle, [()]);
    let mut deposit = page.transition("deposit");
    deposit.consume(produced);
    let (item, again) = (deposit.put(buffer), deposit.put(produced));
    deposit.action(move |f| {
        let time = draw(f.random(produce), PRODUCE);
        f.put(item, f.now());
        f.put_after(again, (), time);
    });
    let mut fetch = page.transition("fetch");
    fetch.consume(idle);
    let (item, work) = (fetch.take(buffer), fetch.put(consuming));
    fetch.action(move |f| {
        let came = f.take(item);
        let time = draw(f.random(consume), CONSUME);
        f.put_after(work, came, time);
    });
    let mut finish = page.transition("finish");
    let (item, free) = (finish.take(consuming), finish.put(idle));
    finish.action(move |f| {
        let came = f.take(item);
        f.record(sojourn, (f.now() - came).as_seconds());
        f.put(free, ());
    });
    net.build()
}

/// The hold model: each token waits, is taken, and waits again.
pub(super) fn hold(pending: u64) -> Result<Arc<Net>, NetError> {
    let mut net = NetBuilder::new("hold");
    let mut page = net.top();
    let delays = page.stream("delays");
    let place = page.fifo::<u64>("place");
    page.initial(place, 0..pending);
    let mut go = page.transition("go");
    let (token, again) = (go.take(place), go.put(place));
    go.action(move |f| {
        let token = f.take(token);
        let delay = draw(f.random(delays), 1.0);
        f.put_after(again, token, delay);
    });
    net.build()
}

/// Jobs, and the mean of their sojourn times.
pub(super) fn mean_sojourn(run: &Simulation) -> (u64, f64) {
    let probe = run.find_probe("sojourn").expect("the net has this probe");
    let tally = run.marking().probe(probe).tally();
    (tally.count(), tally.mean())
}

/// Firings, and the clock.
pub(super) fn clock(run: &Simulation) -> (u64, f64) {
    (run.marking().firings_total(), run.now().as_seconds())
}
