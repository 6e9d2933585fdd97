//! Tokens are neither lost nor made, in random nets.

use petrio_kernel::{NetBuilder, NetError, Place, Simulation, StationSpec, Sum, Time};
use petrio_random::{exponential, uniform_below};
use proptest::prelude::*;

/// One random transition: input places and weights, output places and weights, an inhibitor, a delay.
#[derive(Clone, Debug)]
struct Plan {
    inputs: Vec<(usize, u32)>,
    outputs: Vec<(usize, u32)>,
    inhibitor: Option<(usize, u32)>,
    delayed: bool,
    priority: i32,
}

fn plan(places: usize) -> impl Strategy<Value = Plan> {
    let arcs = || prop::collection::vec((0..places, 1u32..3), 1..3);
    (arcs(), arcs(), prop::option::of((0..places, 1u32..4)), any::<bool>(), 0..3i32).prop_map(
        |(inputs, outputs, inhibitor, delayed, priority)| Plan {
            inputs,
            outputs,
            inhibitor,
            delayed,
            priority,
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// The state equation: marking = initial marking + incidence matrix × firing counts, for any net.
    #[test]
    fn every_marking_satisfies_the_state_equation(
        initial in prop::collection::vec(0u32..6, 5),
        capacity in prop::option::of(6u32..12),
        plans in prop::collection::vec(plan(5), 1..6),
    ) {
        let mut net = NetBuilder::new("random net");
        let mut page = net.top();
        let delays = page.stream("delays");
        let places: Vec<Place<u32>> = vec![
            page.fifo("fifo"),
            page.bag("bag"),
            page.priority("priority", |token| u128::from(*token)),
            page.ordered("ordered", |token| u128::from(*token)),
            page.station("station", StationSpec::first_come(2, |_, random| Time::from_seconds(exponential(random, 1.0)))),
        ];
        if let Some(capacity) = capacity {
            page.capacity(places[0], capacity);
        }
        for (place, tokens) in places.iter().zip(&initial) {
            page.initial(*place, 0..*tokens);
        }
        for (number, plan) in plans.iter().enumerate() {
            let mut t = page.transition(&format!("t{number}"));
            t.priority(plan.priority);
            let inputs: Vec<_> = plan.inputs.iter().map(|(place, weight)| (t.take_many(places[*place], *weight), *weight)).collect();
            if let Some((place, limit)) = plan.inhibitor {
                t.inhibit_from(places[place], limit);
            }
            let outputs: Vec<_> = plan.outputs.iter().map(|(place, weight)| (t.put_many(places[*place], *weight), *weight)).collect();
            let delayed = plan.delayed;
            t.action(move |f| {
                let mut last = 0;
                for (arc, weight) in &inputs {
                    for _ in 0..*weight {
                        last = f.take(*arc);
                    }
                }
                for (arc, weight) in &outputs {
                    for _ in 0..*weight {
                        // Time must pass somewhere, or a lively net would stand still.
                        let delay = Time::from_picos(1 + uniform_below(f.random(delays), 1_000_000_000));
                        let token = last.wrapping_add(uniform_below(f.random(delays), 7) as u32);
                        if delayed { f.put_after(*arc, token, delay); } else { f.put(*arc, token); }
                    }
                }
            });
        }
        let net = net.build().unwrap();
        let mut run = Simulation::new(&net, 1, 0);
        for _ in 0..20 {
            // A net may grow without bound; a few thousand firings are enough.
            run.run(run.now() + Time::from_millis(3), 200).unwrap();
            run.check_conservation().unwrap();
            for (index, place) in places.iter().enumerate() {
                let mut expected = i64::from(initial[index]);
                for (number, plan) in plans.iter().enumerate() {
                    let firings = run.marking().firings(number) as i64;
                    let weight = |arcs: &[(usize, u32)]| arcs.iter().filter(|(p, _)| *p == index).map(|(_, w)| i64::from(*w)).sum::<i64>();
                    expected += firings * (weight(&plan.outputs) - weight(&plan.inputs));
                }
                prop_assert_eq!(run.marking().len(*place) as i64, expected);
                if let (0, Some(capacity)) = (index, capacity) {
                    prop_assert!(run.marking().len(*place) <= capacity as usize);
                }
                let mut seen = 0;
                run.for_each_token(*place, |_| seen += 1);
                // A priority place shows all tokens here, whatever a selection may see of it.
                prop_assert_eq!(seen, run.marking().len(*place));
            }
        }
    }
}

#[test]
fn a_transition_that_breaks_a_declared_conservation_is_found_when_building() {
    let mut net = NetBuilder::new("leak");
    let mut page = net.top();
    let idle = page.fifo::<()>("idle");
    let busy = page.fifo::<()>("busy");
    page.initial(idle, [(), ()]);
    page.conserve("servers", &[(idle.id(), 1), (busy.id(), 1)]);
    let mut start = page.transition("start");
    start.consume(idle);
    let to = start.put_many(busy, 2);
    start.action(move |f| {
        f.put(to, ());
        f.put(to, ());
    });
    let error = net.build().err().unwrap();
    assert_eq!(
        error,
        NetError::NotConserved { quantity: "servers".into(), transition: "start".into(), change: 1 }
    );
}

#[test]
fn a_leak_that_only_the_run_shows_is_found_there() {
    let mut net = NetBuilder::new("leak");
    let mut page = net.top();
    let from = page.fifo::<u32>("from");
    let to = page.fifo::<u32>("to");
    page.initial(from, [1, 2, 3]);
    page.conserve("tokens", &[(from.id(), 1), (to.id(), 1)]);
    let mut go = page.transition("go");
    let (token, out) = (go.take(from), go.may_put(to, 1));
    go.action(move |f| {
        let token = f.take(token);
        if token != 2 {
            f.put(out, token);
        }
    });
    let net = net.build().unwrap();
    let mut run = Simulation::new(&net, 1, 0);
    run.run_firings(1).unwrap();
    run.check_conservation().unwrap();
    run.run_to_end().unwrap();
    let error = run.check_conservation().unwrap_err().to_string();
    assert!(error.contains("\"tokens\" is 2, not 3"), "{error}");
}

/// A store that lends and takes back; every third time it forgets to write down what it lent, if it `forgets`.
fn lending(forgets: bool) -> Simulation {
    let mut net = NetBuilder::new("store");
    let mut page = net.top();
    let (customers, out) = (page.fifo::<u32>("customers"), page.fifo::<u32>("out"));
    let lent = page.state("lent", (0u32, 0u32));
    page.initial(customers, [1, 2, 3, 4]);
    let mut lend = page.transition("lend");
    let (customer, book, away) = (lend.take(customers), lend.update(lent), lend.put(out));
    lend.action(move |f| {
        let customer = f.take(customer);
        let (times, pieces) = f.update(book);
        *times += 1;
        if !forgets || *times % 3 != 0 {
            *pieces += customer;
        }
        f.put_after(away, customer, Time::from_millis(u64::from(customer)));
    });
    let mut back = page.transition("back");
    let (customer, book, again) = (back.take(out), back.update(lent), back.put(customers));
    back.action(move |f| {
        let customer = f.take(customer);
        let pieces = &mut f.update(book).1;
        *pieces = pieces.saturating_sub(customer);
        f.put_after(again, customer, Time::from_millis(1));
    });
    let pieces =
        Sum::new().of(lent, |(_, pieces)| i64::from(*pieces)).of(out, |customer| -i64::from(*customer));
    page.conserve_sum("pieces", pieces);
    let times = Sum::new().of(lent, |(times, _)| i64::from(*times)).tokens(out, -1).taken(out, -1);
    page.conserve_sum("times", times);
    Simulation::new(&net.build().unwrap(), 1, 0)
}

#[test]
fn a_sum_over_what_tokens_stand_for_is_checked_at_any_time() {
    let mut run = lending(false);
    for ms in 1..50 {
        run.run_until(Time::from_micros(ms * 700)).unwrap();
        run.check_conservation().unwrap();
        if ms == 20 {
            run.marking_mut().reset_statistics();
        }
    }
    run.clone().check_conservation().unwrap();
}

#[test]
fn a_sum_that_changes_is_named() {
    let mut run = lending(true);
    run.run_until(Time::from_micros(500)).unwrap();
    let error = run.check_conservation().unwrap_err().to_string();
    assert!(error.contains("the conserved sum \"pieces\" is -3, not 0"), "{error}");
}

/// Letters that are handed on one after the other. The third may be lost.
fn letters(loses: bool) -> Simulation {
    let mut net = NetBuilder::new("post");
    let mut page = net.top();
    let sent = page.state("sent", 0u32);
    let (way, there) = (page.fifo::<u64>("way"), page.fifo::<u64>("there"));
    page.initial_after(way, 1, Time::from_millis(1));
    let mut hand_on = page.transition("hand on");
    let (letter, count) = (hand_on.take(way), hand_on.update(sent));
    let (next, put) = (hand_on.put(way), hand_on.may_put(there, 1));
    hand_on.action(move |f| {
        let letter = f.take(letter);
        *f.update(count) += 1;
        if !(loses && letter == 3) {
            f.put(put, letter);
        }
        f.put_after(next, letter + 1, Time::from_millis(1));
    });
    // All letters but the last, wherever they lie: nobody has handed that on yet.
    let all = Sum::new().of(sent, |sent| -Sum::count(*sent));
    let all = all.everywhere_given(
        |last: &mut u64, letter: &u64| *last = (*last).max(*letter),
        |last, letter| i64::from(letter < last),
    );
    page.conserve_sum("letters", all);
    page.conserve_sum("on the way", Sum::new().everywhere(|_: &u64| 1).tokens(there, -1));
    Simulation::new(&net.build().unwrap(), 1, 0)
}

#[test]
fn a_sum_over_all_places_of_a_colour_may_depend_on_all_of_their_tokens() {
    let mut run = letters(false);
    for ms in 0..20 {
        run.run_until(Time::from_millis(ms)).unwrap();
        run.check_conservation().unwrap();
    }
    let mut run = letters(true);
    run.run_until(Time::from_millis(2)).unwrap();
    run.check_conservation().unwrap();
    run.run_until(Time::from_millis(3)).unwrap();
    let error = run.check_conservation().unwrap_err().to_string();
    assert!(error.contains("the conserved sum \"letters\" is -1, not 0"), "{error}");
}
