//! Bounded places: how back-pressure travels.

use petrio_kernel::{NetBuilder, Pause, Simulation, Time};
use petrio_random::exponential;

/// A source, bounded buffers in a row, and a sink that is slow at first and then stops until a time.
#[test]
fn back_pressure_travels_up_a_chain_and_goes_away_again() {
    const CAPACITIES: [u32; 3] = [4, 1, 3];
    let mut net = NetBuilder::new("chain");
    let mut page = net.top();
    let source = page.fifo::<u32>("source");
    let buffers = CAPACITIES.map(|capacity| {
        let buffer = page.fifo::<u32>(&format!("buffer of {capacity}"));
        page.capacity(buffer, capacity);
        buffer
    });
    let permits = page.fifo::<()>("permits");
    let sink = page.fifo::<u32>("sink");
    page.initial(source, 0..100);
    let stages = [source, buffers[0], buffers[1]];
    for (stage, (from, to)) in stages.into_iter().zip(buffers).enumerate() {
        let mut go = page.transition(&format!("move {stage}"));
        let (token, next) = (go.take(from), go.put(to));
        go.action(move |f| {
            let token = f.take(token);
            f.put_after(next, token, Time::from_millis(1));
        });
    }
    let mut drain = page.transition("drain");
    drain.consume(permits);
    let (token, out) = (drain.take(buffers[2]), drain.put(sink));
    drain.action(move |f| {
        let token = f.take(token);
        f.put(out, token);
    });
    let net = net.build().unwrap();
    let mut run = Simulation::new(&net, 1, 0);

    // Nobody drains: everything is full, and the source has stopped.
    assert_eq!(run.run_to_end().unwrap(), Pause::Dead);
    assert_eq!(buffers.map(|buffer| run.marking().len(buffer)), [4, 1, 3]);
    assert_eq!(run.marking().len(source), 92);
    // One permit moves everything by one.
    run.inject(permits, (), run.now()).unwrap();
    run.run_to_end().unwrap();
    assert_eq!(run.marking().len(source), 91);
    assert_eq!(run.drain(sink).collect::<Vec<_>>(), [0]);
    // With permits for all, all come through, in order, and no buffer was ever fuller than allowed.
    for _ in 1..100 {
        run.inject(permits, (), run.now()).unwrap();
    }
    while run.run_firings(1).unwrap() == Pause::Firings {
        for (buffer, capacity) in buffers.into_iter().zip(CAPACITIES) {
            assert!(run.marking().len(buffer) <= capacity as usize);
        }
    }
    assert_eq!(run.drain(sink).collect::<Vec<_>>(), (1..100).collect::<Vec<_>>());
    assert_eq!(buffers.map(|buffer| run.marking().statistics(buffer).maximum), CAPACITIES);
    run.check_conservation().unwrap();
}

#[test]
fn a_firing_that_makes_its_own_room_is_not_blocked() {
    let mut net = NetBuilder::new("full circle");
    let mut page = net.top();
    let ring = page.fifo::<u32>("ring");
    let steps = page.fifo::<()>("steps");
    page.capacity(ring, 2);
    page.initial(ring, [1, 2]);
    page.initial(steps, vec![(); 3]);
    let mut turn = page.transition("turn");
    turn.consume(steps);
    let (token, back) = (turn.take(ring), turn.put(ring));
    turn.action(move |f| {
        let token = f.take(token);
        f.put(back, token + 10);
    });
    let net = net.build().unwrap();
    let mut run = Simulation::new(&net, 1, 0);
    run.run_to_end().unwrap();
    assert_eq!(run.drain(ring).collect::<Vec<_>>(), [12, 21]);
}

#[test]
fn a_place_that_can_never_have_the_room_blocks_for_ever() {
    let mut net = NetBuilder::new("too small");
    let mut page = net.top();
    let from = page.fifo::<()>("from");
    let to = page.fifo::<()>("to");
    page.capacity(to, 1);
    page.initial(from, [()]);
    let mut go = page.transition("go");
    go.consume(from);
    let two = go.put_many(to, 2);
    go.action(move |f| {
        f.put(two, ());
        f.put(two, ());
    });
    let net = net.build().unwrap();
    let mut run = Simulation::new(&net, 1, 0);
    assert_eq!(run.run_to_end().unwrap(), Pause::Dead);
    assert_eq!(run.marking().len(from), 1);
}

/// M/M/1/K: arrivals that find the buffer full are lost. Loss probability (1 − ρ) ρᴷ / (1 − ρᴷ⁺¹).
#[test]
fn a_bounded_buffer_loses_what_theory_says() {
    let (rho, places) = (0.9f64, 4u32);
    let mut net = NetBuilder::new("M/M/1/K");
    let mut page = net.top();
    let (arrivals, services) = (page.stream("arrivals"), page.stream("services"));
    let tick = page.fifo::<()>("tick");
    let offered = page.fifo::<()>("offered");
    // The one in service counts.
    let system = page.fifo::<()>("system");
    let busy = page.fifo::<()>("busy");
    let served = page.fifo::<()>("served");
    let idle = page.fifo::<()>("idle");
    page.initial(tick, [()]);
    page.initial(idle, [()]);
    page.capacity(system, places);
    let mut arrive = page.transition("arrive");
    arrive.consume(tick);
    let (again, offer) = (arrive.put(tick), arrive.put(offered));
    arrive.action(move |f| {
        let gap = Time::from_seconds(exponential(f.random(arrivals), 1.0 / rho));
        f.put(offer, ());
        f.put_after(again, (), gap);
    });
    let mut enter = page.transition("enter");
    enter.consume(offered);
    let to = enter.put(system);
    enter.action(move |f| f.put(to, ()));
    let mut lose = page.transition("lose");
    lose.priority(1);
    lose.consume(offered);
    lose.action(|_| {});
    let mut start = page.transition("start");
    start.consume(idle);
    start.read(system);
    let serve = start.put(busy);
    start.action(move |f| {
        let service = Time::from_seconds(exponential(f.random(services), 1.0));
        f.put_after(serve, (), service);
    });
    let mut finish = page.transition("finish");
    finish.consume(busy);
    finish.consume(system);
    let (server, done) = (finish.put(idle), finish.put(served));
    finish.action(move |f| {
        f.put(server, ());
        f.put(done, ());
    });
    let mut sink = page.transition("sink");
    sink.consume(served);
    sink.action(|_| {});
    let net = net.build().unwrap();
    let found = crate::support::measure(&net, 20, Time::from_whole_seconds(20_000), |run| {
        let count = |name| run.marking().firings(run.net().find_transition(name).unwrap()) as f64;
        vec![count("lose") / (count("lose") + count("enter"))]
    });
    let power = rho.powi(places as i32);
    let loss = (1.0 - rho) * power / (1.0 - rho * power);
    crate::support::assert_agrees("loss", found[0], loss, 0.03);
}
