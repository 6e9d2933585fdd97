//! A running net allocates nothing per firing once its containers have grown. A binary of its own, because a counting
//! allocator serves a whole program.
#![allow(clippy::unwrap_used, reason = "a test that can't set up has failed")]

use allocation_counter::{AllocationInfo, measure};
use petrio_kernel::{Net, NetBuilder, PageBuilder, Place, Simulation, StationSpec, Time, Timer};
use petrio_random::{exponential, uniform_below};
use std::sync::Arc;

const FIRINGS: u64 = 200_000;

/// What a million firings of a warm net allocate.
fn steady(net: &Arc<Net>, warm_up: u64) -> AllocationInfo {
    let mut run = Simulation::new(net, 1, 0);
    run.run_firings(warm_up).unwrap();
    let firings = run.marking().firings_total();
    let info = measure(|| {
        run.run_firings(FIRINGS).unwrap();
    });
    assert_eq!(run.marking().firings_total(), firings + FIRINGS, "the net died");
    info
}

fn assert_none(what: &str, net: &Arc<Net>, warm_up: u64) {
    let info = steady(net, warm_up);
    assert_eq!(info.count_total, 0, "{what}: {} allocations in {FIRINGS} firings", info.count_total);
}

fn build(name: &str, declare: impl FnOnce(&mut PageBuilder<'_>)) -> Arc<Net> {
    let mut net = NetBuilder::new(name);
    declare(&mut net.top());
    net.build().unwrap()
}

#[test]
fn an_m_m_1_of_places_allocates_nothing() {
    let net = build("M/M/1", |page| {
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
            let gap = exponential(f.random(arrivals), 2.0);
            f.put(job, f.now());
            f.put_after(again, (), Time::from_seconds(gap));
        });
        let mut start = page.transition("start");
        start.consume(idle);
        let (job, serve) = (start.take(queue), start.put(busy));
        start.action(move |f| {
            let came = f.take(job);
            let service = exponential(f.random(services), 1.0);
            f.put_after(serve, came, Time::from_seconds(service));
        });
        let mut finish = page.transition("finish");
        let (job, server) = (finish.take(busy), finish.put(idle));
        finish.action(move |f| {
            let came = f.take(job);
            f.record(sojourn, (f.now() - came).as_seconds());
            f.put(server, ());
        });
    });
    assert_none("M/M/1", &net, 500_000);
}

/// Tokens go round: station after station, of every kind.
#[test]
fn stations_of_every_kind_allocate_nothing() {
    let service =
        |_: &u64, random: &mut petrio_random::Generator| Time::from_seconds(exponential(random, 1.0));
    let net = build("ring of stations", |page| {
        let stations = [
            page.station("first come", StationSpec::first_come(2, service)),
            page.station("priority", StationSpec::priority(1, |token| u128::from(*token), service)),
            page.station("preemptive", StationSpec::preemptive_priority(|token| u128::from(*token), service)),
            page.station("sharing", StationSpec::processor_sharing(2, service)),
            page.station("infinite", StationSpec::infinite_server(service)),
        ];
        page.initial(stations[0], 0..40);
        for (number, from) in stations.into_iter().enumerate() {
            let mut go = page.transition(&format!("leave {number}"));
            let (token, to) = (go.take(from), go.put(stations[(number + 1) % stations.len()]));
            go.action(move |f| {
                let token = f.take(token);
                f.put(to, token);
            });
        }
    });
    assert_none("stations", &net, 500_000);
}

/// Tokens go round through a place, with a delay after each.
fn hold(tokens: u64, place: impl FnOnce(&mut PageBuilder<'_>) -> Place<u64>) -> Arc<Net> {
    build("hold", |page| {
        let delays = page.stream("delays");
        let place = place(page);
        page.initial(place, 0..tokens);
        let mut go = page.transition("go");
        let (token, back) = (go.take(place), go.put(place));
        go.action(move |f| {
            let token = f.take(token);
            let delay = Time::from_seconds(exponential(f.random(delays), 1.0));
            let next = uniform_below(f.random(delays), 1_000_000) ^ (token & 1);
            f.put_after(back, next, delay);
        });
    })
}

#[test]
fn the_calendar_allocates_nothing_small_or_large() {
    for tokens in [1_000, 100_000] {
        // Ladder rungs and chunks find their size within some turns of the whole set.
        assert_none(
            &format!("hold {tokens}"),
            &hold(tokens, |page| page.fifo("place")),
            400_000.max(tokens * 20),
        );
    }
}

#[test]
fn every_discipline_allocates_nothing() {
    assert_none("bag", &hold(100, |page| page.bag("place")), 200_000);
    assert_none("priority", &hold(100, |page| page.priority("place", |token| u128::from(*token))), 200_000);
    assert_none("ordered", &hold(100, |page| page.ordered("place", |token| u128::from(*token))), 200_000);
    // Requests wait in a keyed place for replies that come in another order.
    let net = build("requests and replies", |page| {
        let delays = page.stream("delays");
        let (ready, replies) = (page.fifo::<u64>("ready"), page.fifo::<u64>("replies"));
        let waiting = page.keyed::<u64>("waiting", |request| u128::from(*request));
        let served = page.state("served", 0u64);
        page.initial(ready, 0..100);
        let mut ask = page.transition("ask");
        let (request, wait, reply) = (ask.take(ready), ask.put(waiting), ask.put(replies));
        ask.action(move |f| {
            let request = f.take(request);
            let delay = Time::from_seconds(exponential(f.random(delays), 1.0));
            f.put(wait, request);
            f.put_after(reply, request, delay);
        });
        let mut meet = page.transition("meet");
        let reply = meet.take(replies);
        let request = meet.take_key(waiting, move |binding| u128::from(*binding.get(reply)));
        let (count, again) = (meet.update(served), meet.put(ready));
        meet.action(move |f| {
            let (reply, request) = (f.take(reply), f.take(request));
            assert_eq!(reply, request);
            *f.update(count) += 1;
            f.put(again, request + 1_000);
        });
    });
    assert_none("keyed and state", &net, 500_000);
}

/// Every millisecond a timer of an hour is set, and the one before it is cancelled.
fn watchdog() -> Arc<Net> {
    build("watchdog", |page| {
        let tick = page.fifo::<()>("tick");
        let alarms = page.fifo::<u64>("alarms");
        let last = page.state("last", None::<Timer<u64>>);
        page.initial(tick, [()]);
        let mut feed = page.transition("feed");
        feed.consume(tick);
        let (again, alarm) = (feed.put(tick), feed.put(alarms));
        let (cancel, last) = (feed.cancels(alarms), feed.update(last));
        feed.action(move |f| {
            let timer = f.put_after(alarm, 7, Time::from_whole_seconds(3_600));
            if let Some(old) = f.update(last).replace(timer) {
                f.cancel(cancel, old).unwrap();
            }
            f.put_after(again, (), Time::from_millis(1));
        });
    })
}

#[test]
fn a_million_cancelled_timers_cost_no_memory() {
    let net = watchdog();
    let info = measure(|| {
        let mut run = Simulation::new(&net, 1, 0);
        run.run_firings(1_000_000).unwrap();
        let alarms = net.find_place("alarms").unwrap();
        assert_eq!(run.marking().statistics_at(alarms).tokens, 1);
    });
    assert!(info.bytes_max < 4_000_000, "{} bytes at most", info.bytes_max);
    assert_none("timers", &net, 100_000);
}
