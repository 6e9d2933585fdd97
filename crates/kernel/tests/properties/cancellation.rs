//! Timers that are cancelled, places that are reset, and objects that advance lazily.

use petrio_kernel::{NetBuilder, PageBuilder, Place, Simulation, Time, Timer};
use petrio_persist::Persist;

#[derive(Clone, Copy, Debug, PartialEq, Persist)]
enum Order {
    /// Set a timer of so many milliseconds.
    Set(u64),
    /// Cancel the timer with this number, whatever has become of it.
    Cancel(usize),
}

/// A page of timers, moved by orders: what fired and when, and what each cancellation gave.
struct Timers {
    run: Simulation,
    fired: Place<(usize, u64)>,
    cancelled: Place<Option<usize>>,
}

fn timers(orders: &[(u64, Order)]) -> Timers {
    let mut net = NetBuilder::new("timers");
    let mut page = net.top();
    let inbox = page.fifo::<Order>("orders");
    let pending = page.fifo::<usize>("pending");
    let handles = page.state("handles", Vec::<Timer<usize>>::new());
    let fired = page.fifo::<(usize, u64)>("fired");
    let cancelled = page.fifo::<Option<usize>>("cancelled");
    for (at, order) in orders {
        page.initial_after(inbox, *order, Time::from_millis(*at));
    }
    let mut obey = page.transition("obey");
    let (order, handles) = (obey.take(inbox), obey.update(handles));
    let (set, cancel, answer) = (obey.may_put(pending, 1), obey.cancels(pending), obey.may_put(cancelled, 1));
    obey.action(move |f| match f.take(order) {
        Order::Set(delay) => {
            let number = f.update(handles).len();
            let timer = f.put_after(set, number, Time::from_millis(delay));
            f.update(handles).push(timer);
        }
        Order::Cancel(number) => {
            let timer = f.update(handles)[number];
            let token = f.cancel(cancel, timer);
            f.put(answer, token);
        }
    });
    let mut fire = page.transition("fire");
    let (number, to) = (fire.take(pending), fire.put(fired));
    fire.action(move |f| {
        let number = f.take(number);
        let at = f.now().as_millis() as u64;
        f.put(to, (number, at));
    });
    let net = net.build().unwrap();
    Timers { run: Simulation::new(&net, 1, 0), fired, cancelled }
}

fn outcome(orders: &[(u64, Order)]) -> (Vec<(usize, u64)>, Vec<Option<usize>>) {
    let mut timers = timers(orders);
    timers.run.run_to_end().unwrap();
    timers.run.check_conservation().unwrap();
    (timers.run.drain(timers.fired).collect(), timers.run.drain(timers.cancelled).collect())
}

#[test]
fn a_cancelled_timer_never_fires_and_its_token_comes_back() {
    let (fired, cancelled) = outcome(&[(0, Order::Set(10)), (0, Order::Set(20)), (5, Order::Cancel(0))]);
    assert_eq!(fired, [(1, 20)]);
    assert_eq!(cancelled, [Some(0)]);
}

#[test]
fn a_stale_handle_does_nothing_even_where_its_slot_is_used_again() {
    let (fired, cancelled) = outcome(&[
        (0, Order::Set(10)),
        // Long gone.
        (15, Order::Cancel(0)),
        // Takes the first one's slot.
        (20, Order::Set(10)),
        (25, Order::Cancel(0)),
        (26, Order::Cancel(1)),
        (27, Order::Cancel(1)),
        (28, Order::Set(10)),
        (29, Order::Cancel(1)),
    ]);
    assert_eq!(fired, [(0, 10), (2, 38)]);
    assert_eq!(cancelled, [None, None, Some(1), None, None]);
}

#[test]
fn a_timer_that_ends_never_can_still_be_cancelled() {
    let mut net = NetBuilder::new("never");
    let mut page = net.top();
    let start = page.fifo::<()>("start");
    let waiting = page.fifo::<u32>("waiting");
    let timer = page.state("timer", None::<Timer<u32>>);
    let out = page.fifo::<u32>("out");
    page.initial(start, [()]);
    page.initial_after(start, (), Time::from_millis(1));
    let mut go = page.transition("go");
    go.consume(start);
    let (timer, put) = (go.update(timer), go.may_put(waiting, 1));
    let (cancel, back) = (go.cancels(waiting), go.may_put(out, 1));
    go.action(move |f| match *f.update(timer) {
        None => {
            let handle = f.put_after(put, 5, Time::NEVER);
            *f.update(timer) = Some(handle);
        }
        Some(handle) => {
            if let Some(token) = f.cancel(cancel, handle) {
                f.put(back, token);
            }
        }
    });
    let net = net.build().unwrap();
    let mut run = Simulation::new(&net, 1, 0);
    run.run_until(Time::from_micros(500)).unwrap();
    assert_eq!(run.marking().len(waiting), 1);
    run.run_to_end().unwrap();
    assert_eq!(run.drain(out).collect::<Vec<_>>(), [5]);
    run.check_conservation().unwrap();
}

/// Puts ten tokens, half of them delayed, into a place, resets it, and says what was removed and what came out.
fn reset(
    place: impl FnOnce(&mut PageBuilder<'_>) -> Place<u32>,
    how: impl Fn(&mut petrio_kernel::Firing<'_>, petrio_kernel::Reset<u32>) -> usize + Send + Sync + 'static,
) -> (Vec<usize>, Vec<u32>) {
    let mut net = NetBuilder::new("reset");
    let mut page = net.top();
    let place = place(&mut page);
    let order = page.fifo::<()>("order");
    let removed = page.fifo::<usize>("removed");
    for token in 0..10 {
        page.initial_after(place, token, if token % 2 == 0 { Time::ZERO } else { Time::from_millis(50) });
    }
    page.initial_after(order, (), Time::from_millis(1));
    let mut clean = page.transition("clean");
    clean.consume(order);
    let (reset, count) = (clean.resets(place), clean.put(removed));
    clean.action(move |f| {
        let removed = how(f, reset);
        f.put(count, removed);
    });
    let net = net.build().unwrap();
    let mut run = Simulation::new(&net, 1, 0);
    run.run_to_end().unwrap();
    run.check_conservation().unwrap();
    let mut left: Vec<u32> = run.drain(place).collect();
    left.sort_unstable();
    (run.drain(removed).collect(), left)
}

#[test]
fn a_reset_arc_removes_everything_ready_or_delayed() {
    let places: [fn(&mut PageBuilder<'_>) -> Place<u32>; 5] = [
        |page| page.fifo("place"),
        |page| page.bag("place"),
        |page| page.priority("place", |token| u128::from(*token)),
        |page| page.ordered("place", |token| u128::from(*token)),
        |page| page.keyed("place", |token| u128::from(*token)),
    ];
    for place in places {
        let (removed, left) = reset(place, |f, arc| {
            let removed = f.reset(arc);
            assert_eq!(f.reset(arc), 0, "nothing is left for a second reset");
            removed
        });
        assert_eq!((removed, left), (vec![10], vec![]));
    }
}

#[test]
fn a_reset_arc_removes_a_key_or_a_range() {
    let places: [fn(&mut PageBuilder<'_>) -> Place<u32>; 3] = [
        |page| page.priority("place", |token| u128::from(*token)),
        |page| page.ordered("place", |token| u128::from(*token)),
        |page| page.keyed("place", |token| u128::from(*token)),
    ];
    for place in places {
        let (removed, left) = reset(place, |f, arc| f.reset_range(arc, 3, 6));
        assert_eq!((removed, left), (vec![4], vec![0, 1, 2, 7, 8, 9]));
        let (removed, left) = reset(place, |f, arc| f.reset_key(arc, 7) + f.reset_key(arc, 4));
        assert_eq!((removed, left), (vec![2], vec![0, 1, 2, 3, 5, 6, 8, 9]));
    }
}

#[test]
fn a_reset_makes_room_for_those_who_waited() {
    let mut net = NetBuilder::new("truncate");
    let mut page = net.top();
    let source = page.fifo::<u32>("source");
    let dirty = page.fifo::<u32>("dirty");
    let order = page.fifo::<()>("order");
    page.capacity(dirty, 3);
    page.initial(source, 0..5);
    page.initial_after(order, (), Time::from_millis(1));
    let mut write = page.transition("write");
    let (token, to) = (write.take(source), write.put(dirty));
    write.action(move |f| {
        let token = f.take(token);
        f.put(to, token);
    });
    let mut truncate = page.transition("truncate");
    truncate.consume(order);
    let all = truncate.resets(dirty);
    truncate.action(move |f| assert_eq!(f.reset(all), 3));
    let net = net.build().unwrap();
    let mut run = Simulation::new(&net, 1, 0);
    run.run_to_end().unwrap();
    assert_eq!(run.drain(dirty).collect::<Vec<_>>(), [3, 4]);
}

/// A tank that is filled at a rate which changes: its state advances only when somebody looks, and the time at which it
/// is full is computed anew, by cancelling one timer and setting another, at every change.
#[derive(Clone, Persist)]
struct Tank {
    litres: f64,
    rate: f64,
    since: Time,
    full: Option<Timer<()>>,
}

impl Tank {
    fn advance(&mut self, now: Time) {
        self.litres += self.rate * (now - self.since).as_seconds();
        self.since = now;
    }
}

#[test]
fn a_lazily_advancing_object_ends_when_the_last_rate_says() {
    let mut net = NetBuilder::new("tank");
    let mut page = net.top();
    let tank = page.state("tank", Tank { litres: 0.0, rate: 0.0, since: Time::ZERO, full: None });
    let valve = page.fifo::<f64>("valve");
    let full = page.fifo::<()>("full");
    let out = page.fifo::<(Time, f64)>("out");
    // Litres per second from these times on; full at ten litres.
    for (at, rate) in [(0, 1.0), (4, 2.0), (5, 0.5)] {
        page.initial_after(valve, rate, Time::from_whole_seconds(at));
    }
    let mut turn = page.transition("turn");
    let (rate, tank_arc, end) = (turn.take(valve), turn.update(tank), turn.put(full));
    let cancel = turn.cancels(full);
    turn.action(move |f| {
        let (rate, now) = (f.take(rate), f.now());
        let state = f.update(tank_arc);
        state.advance(now);
        state.rate = rate;
        let (old, rest) = (state.full.take(), (10.0 - state.litres) / rate);
        if let Some(old) = old {
            f.cancel(cancel, old).expect("not full yet");
        }
        let timer = f.put_after(end, (), Time::from_seconds(rest));
        f.update(tank_arc).full = Some(timer);
    });
    let mut close = page.transition("close");
    close.consume(full);
    let (tank, to) = (close.update(tank), close.put(out));
    close.action(move |f| {
        let now = f.now();
        let state = f.update(tank);
        state.advance(now);
        let litres = state.litres;
        f.put(to, (now, litres));
    });
    let net = net.build().unwrap();
    let mut run = Simulation::new(&net, 1, 0);
    run.run_to_end().unwrap();
    // 4 s × 1 + 1 s × 2 = 6 litres at 5 s; the other four take 8 s. Not at 10 s, nor at 7 s.
    assert_eq!(run.drain(out).collect::<Vec<_>>(), [(Time::from_whole_seconds(13), 10.0)]);
}
