//! A run stepped and injected from outside equals the same run from inside.

use petrio_kernel::{Net, NetBuilder, Pause, Place, Simulation, StationSpec, Time};
use petrio_random::{exponential, generator};
use std::sync::Arc;

const JOBS: u64 = 2_000;

/// A server, and a source inside or a port instead of it. Inside, the jobs lie in wait from the start.
fn server(arrivals: Option<&[Time]>) -> (Arc<Net>, Place<u64>, Place<u64>) {
    let mut net = NetBuilder::new("server");
    let mut page = net.top();
    let requests = page.fifo::<u64>("requests");
    let station = page.station(
        "station",
        StationSpec::first_come(1, |_: &u64, random| Time::from_seconds(exponential(random, 0.8))),
    );
    let done = page.fifo::<u64>("done");
    for (number, at) in arrivals.unwrap_or(&[]).iter().enumerate() {
        page.initial_after(requests, number as u64, *at);
    }
    let mut enter = page.transition("enter");
    let (from, to) = (enter.take(requests), enter.put(station));
    enter.action(move |f| {
        let job = f.take(from);
        f.put(to, job);
    });
    let mut leave = page.transition("leave");
    let (from, to) = (leave.take(station), leave.put(done));
    leave.action(move |f| {
        let job = f.take(from);
        f.put(to, job);
    });
    (net.build().unwrap(), requests, done)
}

fn arrivals() -> Vec<Time> {
    let mut random = generator(5, 0, "outside", "arrivals");
    let mut at = Time::ZERO;
    (0..JOBS)
        .map(|_| {
            at += Time::from_seconds(exponential(&mut random, 1.0));
            at
        })
        .collect()
}

#[test]
fn injected_jobs_are_served_as_jobs_from_inside() {
    let arrivals = arrivals();
    let (net, _, done) = server(Some(&arrivals));
    let mut inside = Simulation::new(&net, 1, 0);
    assert_eq!(inside.run_to_end().unwrap(), Pause::Dead);
    let end = inside.now();
    let station = Place::clone(&done);
    assert_eq!(inside.marking().len(station), JOBS as usize);
    let inside_statistics = inside.marking().station_at(net.find_place("station").unwrap());

    // All at once, one by one just in time, and in small steps of time.
    for style in 0..3 {
        let (net, port, done) = server(None);
        let mut outside = Simulation::new(&net, 1, 0);
        match style {
            0 => {
                for (number, at) in arrivals.iter().enumerate() {
                    outside.inject(port, number as u64, *at).unwrap();
                }
            }
            1 => {
                for (number, at) in arrivals.iter().enumerate() {
                    outside.run_until(*at).unwrap();
                    outside.inject(port, number as u64, *at).unwrap();
                }
            }
            _ => {
                let mut pending = arrivals.iter().enumerate().peekable();
                let mut clock = Time::ZERO;
                while pending.peek().is_some() {
                    clock += Time::from_millis(700);
                    while let Some((number, at)) = pending.next_if(|(_, at)| **at <= clock) {
                        outside.inject(port, number as u64, *at).unwrap();
                    }
                    outside.run_until(clock).unwrap();
                }
            }
        }
        while let Some(next) = outside.next_time().unwrap() {
            outside.run_until(next).unwrap();
        }
        assert_eq!(outside.now(), end, "style {style}");
        assert_eq!(outside.marking().station_at(net.find_place("station").unwrap()), inside_statistics);
        assert_eq!(outside.drain(done).collect::<Vec<_>>(), (0..JOBS).collect::<Vec<_>>());
        outside.check_conservation().unwrap();
    }
}

#[test]
fn the_past_is_refused() {
    let (net, port, _) = server(None);
    let mut run = Simulation::new(&net, 1, 0);
    run.run_until(Time::from_whole_seconds(3)).unwrap();
    let refused = run.inject(port, 1, Time::from_whole_seconds(2)).unwrap_err();
    assert!(refused.to_string().contains("\"requests\" is injected at 2.000 s, but the clock shows 3.000 s"));
    run.inject(port, 1, Time::from_whole_seconds(3)).unwrap();
}

#[test]
fn firings_can_be_counted_out() {
    let arrivals = arrivals();
    let (net, _, done) = server(Some(&arrivals));
    let mut whole = Simulation::new(&net, 1, 0);
    whole.run_to_end().unwrap();
    let mut parts = Simulation::new(&net, 1, 0);
    while parts.run_firings(37).unwrap() == Pause::Firings {}
    assert_eq!(parts.now(), whole.now());
    assert_eq!(parts.marking().firings_total(), whole.marking().firings_total());
    assert_eq!(parts.drain(done).count(), JOBS as usize);
}
