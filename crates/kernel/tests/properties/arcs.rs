//! What each kind of arc means.

use petrio_kernel::{NetBuilder, PageBuilder, Place, RunError, Simulation, Time};

/// Builds a net, runs it to its end, and gives what arrived in order at the place that `declare` returns.
fn outcome(declare: impl FnOnce(&mut PageBuilder<'_>) -> Place<u32>) -> Vec<u32> {
    let mut net = NetBuilder::new("arcs");
    let out = declare(&mut net.top());
    let net = net.build().unwrap();
    let mut run = Simulation::new(&net, 1, 0);
    run.run_to_end().unwrap();
    run.check_conservation().unwrap();
    run.drain(out).collect()
}

/// A counter that goes up every millisecond, ten times.
fn clockwork(page: &mut PageBuilder<'_>) -> Place<u32> {
    let tick = page.fifo::<()>("tick");
    let count = page.state("count", 0u32);
    for beat in 1..=10 {
        page.initial_after(tick, (), Time::from_millis(beat));
    }
    let mut beat = page.transition("beat");
    beat.consume(tick);
    let count_arc = beat.update(count);
    beat.action(move |f| *f.update(count_arc) += 1);
    count
}

/// When the waiter saw the counter at three or more, in milliseconds.
fn when_three_is_seen(notified: bool) -> Vec<u32> {
    outcome(|page| {
        let count = clockwork(page);
        let waiter = page.fifo::<()>("waiter");
        let out = page.fifo::<u32>("out");
        page.initial(waiter, [()]);
        let mut see = page.transition("see");
        see.consume(waiter);
        let count = if notified { see.read(count) } else { see.peek(count) };
        let seen = see.put(out);
        see.guard(move |binding| *binding.get(count) >= 3);
        see.action(move |f| f.put(seen, f.now().as_millis() as u32));
        out
    })
}

fn late_waiter_peeks() -> Vec<u32> {
    outcome(|page| {
        let count = clockwork(page);
        let waiter = page.fifo::<()>("waiter");
        let out = page.fifo::<u32>("out");
        page.initial_after(waiter, (), Time::from_micros(5_500));
        let mut see = page.transition("see");
        see.consume(waiter);
        let (count, seen) = (see.peek(count), see.put(out));
        see.guard(move |binding| *binding.get(count) >= 3);
        see.action(move |f| {
            let count = *f.get(count);
            f.put(seen, count);
        });
        out
    })
}

#[test]
fn a_read_arc_notices_a_change_and_a_peek_arc_does_not() {
    assert_eq!(when_three_is_seen(true), [3]);
    assert_eq!(when_three_is_seen(false), [0u32; 0]);
    // Whatever else makes a transition be tested shows it the present value.
    assert_eq!(late_waiter_peeks(), [5]);
}

#[test]
fn a_read_arc_leaves_its_token() {
    let out = outcome(|page| {
        let lamp = page.fifo::<u32>("lamp");
        let walkers = page.fifo::<u32>("walkers");
        let out = page.fifo::<u32>("out");
        page.initial(walkers, [1, 2, 3]);
        page.initial_after(lamp, 10, Time::from_millis(1));
        let mut cross = page.transition("cross");
        let (walker, lamp, over) = (cross.take(walkers), cross.read(lamp), cross.put(out));
        cross.action(move |f| {
            let sum = f.take(walker) + *f.get(lamp);
            f.put(over, sum);
        });
        out
    });
    assert_eq!(out, [11, 12, 13]);
}

#[test]
fn what_is_read_and_what_is_taken_are_two_tokens() {
    let out = outcome(|page| {
        let cards = page.fifo::<u32>("cards");
        let out = page.fifo::<u32>("out");
        page.initial(cards, [1, 2, 3]);
        let mut beat = page.transition("beat");
        let (card, other, pile) = (beat.take(cards), beat.read(cards), beat.put(out));
        beat.action(move |f| {
            let card = f.take(card);
            let sum = 10 * card + *f.get(other);
            f.put(pile, sum);
        });
        out
    });
    // The third has nothing to be compared with.
    assert_eq!(out, [12, 23]);
}

#[test]
fn weights_take_that_many_at_once() {
    let out = outcome(|page| {
        let eggs = page.fifo::<u32>("eggs");
        let boxes = page.fifo::<()>("boxes");
        let out = page.fifo::<u32>("out");
        page.initial(eggs, 1..=8);
        page.initial(boxes, vec![(); 5]);
        let mut pack = page.transition("pack");
        let (three, packed) = (pack.take_many(eggs, 3), pack.put_many(out, 2));
        pack.consume_many(boxes, 2);
        pack.action(move |f| {
            let sum = f.take(three) + f.take(three) + f.take(three);
            f.put(packed, sum);
            f.put(packed, sum + 100);
        });
        out
    });
    assert_eq!(out, [6, 106, 15, 115]);
}

#[test]
fn an_inhibitor_counts_delayed_tokens_too() {
    let out = outcome(|page| {
        let jobs = page.fifo::<u32>("jobs");
        let busy = page.fifo::<u32>("busy");
        let out = page.fifo::<u32>("out");
        page.initial(jobs, 1..=4);
        let mut start = page.transition("start");
        let (job, serve) = (start.take(jobs), start.put(busy));
        start.inhibit_from(busy, 2);
        start.action(move |f| {
            let job = f.take(job);
            f.put_after(serve, job, Time::from_millis(u64::from(job)));
        });
        let mut finish = page.transition("finish");
        let (job, done) = (finish.take(busy), finish.put(out));
        finish.action(move |f| {
            let job = f.take(job);
            let at = f.now().as_millis() as u32;
            f.put(done, 100 * job + at);
        });
        out
    });
    // Two at a time: 1 and 2 start at 0, 3 at 1 ms, 4 at 2 ms.
    assert_eq!(out, [101, 202, 304, 406]);
}

#[test]
fn an_inhibitor_of_one_waits_for_an_empty_place() {
    let out = outcome(|page| {
        let first = page.fifo::<u32>("first");
        let second = page.fifo::<u32>("second");
        let out = page.fifo::<u32>("out");
        page.initial(second, [9]);
        page.initial(first, [1, 2]);
        for (name, from, inhibitor) in [("low", second, Some(first)), ("high", first, None)] {
            let mut go = page.transition(name);
            let (token, to) = (go.take(from), go.put(out));
            if let Some(place) = inhibitor {
                go.inhibit(place);
            }
            go.action(move |f| {
                let token = f.take(token);
                f.put(to, token);
            });
        }
        out
    });
    assert_eq!(out, [1, 2, 9]);
}

#[test]
fn a_guard_searches_a_bag() {
    let mut out = outcome(|page| {
        let numbers = page.bag::<u32>("numbers");
        let out = page.fifo::<u32>("out");
        page.initial(numbers, 1..=10);
        let mut pick = page.transition("pick");
        let (number, to) = (pick.take(numbers), pick.put(out));
        pick.guard(move |binding| binding.get(number) % 3 == 0);
        pick.action(move |f| {
            let number = f.take(number);
            f.put(to, number);
        });
        out
    });
    out.sort_unstable();
    assert_eq!(out, [3, 6, 9]);
}

#[test]
fn a_guard_searches_every_combination_of_two_bags() {
    let out = outcome(|page| {
        let (left, right) = (page.bag::<u32>("left"), page.bag::<u32>("right"));
        let out = page.fifo::<u32>("out");
        page.initial(left, [5, 3, 14]);
        page.initial(right, [20, 1, 7, 30]);
        let mut meet = page.transition("meet");
        let (a, b, to) = (meet.take(left), meet.take(right), meet.put(out));
        meet.guard(move |binding| binding.get(a) + binding.get(b) == 21);
        meet.action(move |f| {
            let pair = 100 * f.take(a) + f.take(b);
            f.put(to, pair);
        });
        out
    });
    assert_eq!(out, [1407]);
}

/// Two arcs on one place of each discipline, with a guard between them: the tokens bound are the tokens taken, also
/// where taking the first moves the second.
#[test]
fn two_arcs_on_one_place_take_two_tokens_that_fit() {
    let places: [fn(&mut PageBuilder<'_>) -> Place<u32>; 3] = [
        |page| page.fifo("numbers"),
        |page| page.bag("numbers"),
        |page| page.ordered("numbers", |number| u128::from(*number)),
    ];
    for place in places {
        // Differences of exactly 7, taken in both orders, and with a third arc that consumes unseen.
        for order in 0..3 {
            let mut out = outcome(|page| {
                let numbers = place(page);
                let out = page.fifo::<u32>("out");
                page.initial(numbers, [30, 2, 50, 9, 37, 100]);
                let mut pair = page.transition("pair");
                let (low, high) = (pair.take(numbers), pair.take(numbers));
                let to = pair.put(out);
                pair.guard(move |binding| binding.get(low) + 7 == *binding.get(high));
                pair.action(move |f| {
                    let (low, high) = if order == 0 {
                        let low = f.take(low);
                        (low, f.take(high))
                    } else {
                        let high = f.take(high);
                        (f.take(low), high)
                    };
                    f.put(to, 1_000 * low + high);
                });
                out
            });
            out.sort_unstable();
            assert_eq!(out, [2_009, 30_037]);
        }
    }
}

#[test]
fn tokens_consumed_unseen_are_those_that_the_guard_saw() {
    // Consuming cannot be named in a guard, but it must not take what another arc has bound.
    let out = outcome(|page| {
        let numbers = page.bag::<u32>("numbers");
        let out = page.fifo::<u32>("out");
        page.initial(numbers, [4, 8, 15, 16, 23, 42]);
        let mut pair = page.transition("pair");
        pair.consume(numbers);
        let number = pair.take(numbers);
        let to = pair.put(out);
        pair.guard(move |binding| *binding.get(number) == 42);
        pair.action(move |f| {
            let number = f.take(number);
            f.put(to, number);
        });
        out
    });
    assert_eq!(out, [42]);
}

#[test]
fn a_filter_takes_the_first_in_order_that_passes() {
    let out = outcome(|page| {
        let numbers = page.fifo::<u32>("numbers");
        let limit = page.fifo::<u32>("limit");
        let out = page.fifo::<u32>("out");
        page.initial(numbers, [1, 9, 3, 8, 12]);
        page.initial(limit, [5, 8, 100]);
        let mut pick = page.transition("pick");
        let least = pick.take(limit);
        let number = pick.take_where(numbers, move |number, binding| number > binding.get(least));
        let to = pick.put(out);
        pick.action(move |f| {
            let _ = f.take(least);
            let number = f.take(number);
            f.put(to, number);
        });
        out
    });
    assert_eq!(out, [9, 12]);
}

#[test]
fn a_key_finds_its_oldest_token() {
    let out = outcome(|page| {
        let requests = page.keyed::<u32>("requests", |request| u128::from(request % 10));
        let replies = page.fifo::<u128>("replies");
        let out = page.fifo::<u32>("out");
        page.initial(requests, [11, 23, 31, 42]);
        page.initial(replies, [2, 1, 1, 7]);
        let mut meet = page.transition("meet");
        let reply = meet.take(replies);
        let request = meet.take_key(requests, move |binding| *binding.get(reply));
        let to = meet.put(out);
        meet.action(move |f| {
            let _ = f.take(reply);
            let request = f.take(request);
            f.put(to, request);
        });
        out
    });
    assert_eq!(out, [42, 11, 31]);
}

#[test]
fn a_selection_orders_a_queue() {
    // Nearest to the head first.
    let out = outcome(|page| {
        let requests = page.ordered::<u32>("requests", |cylinder| u128::from(*cylinder));
        let head = page.state("head", 50u32);
        let out = page.fifo::<u32>("out");
        page.initial(requests, [10, 90, 55, 48, 60]);
        let mut serve = page.transition("serve");
        let head = serve.update(head);
        let request = serve.take_selected(requests, move |view, binding| {
            let at = *binding.get(head);
            let above = view.at_or_after(u128::from(at)).and_then(|slot| Some((slot, *view.get(slot)?)));
            let below = view.before(u128::from(at)).and_then(|slot| Some((slot, *view.get(slot)?)));
            match (above, below) {
                (Some((slot, up)), Some((_, down))) if up - at <= at - down => Some(slot),
                (_, Some((slot, _))) | (Some((slot, _)), None) => Some(slot),
                (None, None) => None,
            }
        });
        let to = serve.put(out);
        serve.action(move |f| {
            let request = f.take(request);
            *f.update(head) = request;
            f.put(to, request);
        });
        out
    });
    assert_eq!(out, [48, 55, 60, 90, 10]);
}

#[test]
fn updating_changes_the_first_token_where_it_lies() {
    let out = outcome(|page| {
        let stack = page.fifo::<u32>("stack");
        let coins = page.fifo::<u32>("coins");
        page.initial(stack, [100, 200]);
        page.initial(coins, [1, 2, 3]);
        let mut add = page.transition("add");
        let (coin, top) = (add.take(coins), add.update(stack));
        add.action(move |f| {
            let coin = f.take(coin);
            *f.update(top) += coin;
        });
        stack
    });
    assert_eq!(out, [106, 200]);
}

#[test]
fn a_lower_priority_number_goes_first_and_equal_ones_in_order_of_enabling() {
    let out = outcome(|page| {
        let go = page.fifo::<()>("go");
        let out = page.fifo::<u32>("out");
        page.initial(go, [()]);
        for (name, priority) in [("late", 5), ("first", -3), ("second", 0), ("third", 0)] {
            let (trigger, code) = (page.fifo::<()>(&format!("trigger {name}")), priority as u32);
            page.initial(trigger, [()]);
            let mut fire = page.transition(name);
            fire.priority(priority);
            fire.consume(trigger);
            let to = fire.put(out);
            fire.action(move |f| f.put(to, code.wrapping_mul(10)));
        }
        out
    });
    assert_eq!(out, [(-3i32 as u32).wrapping_mul(10), 0, 0, 50]);
}

#[test]
fn an_action_that_breaks_its_declaration_is_named() {
    let mut net = NetBuilder::new("contract");
    let mut page = net.top();
    let from = page.fifo::<u32>("from");
    let to = page.fifo::<u32>("to");
    page.initial(from, [1, 2]);
    let mut go = page.transition("forgetful");
    let _ = (go.take(from), go.put(to));
    go.action(|_| {});
    let net = net.build().unwrap();
    let error = Simulation::new(&net, 1, 0).run_to_end().unwrap_err();
    let RunError::ArcContract { transition, taken: 0, takes: 1, put: 0, puts: 1, .. } = &error else {
        panic!("{error}");
    };
    assert_eq!(transition, "forgetful");
    assert!(
        error.to_string().contains("\"forgetful\" took 0 tokens and put 0, but its arcs declare 1 and 1")
    );
}

/// Whoever changes a state has those tested again that look at it before they fire, and not those that have said that they don't: a guard
/// that breaks its word waits for ever.
#[test]
fn a_state_that_is_changed_unseen_has_nobody_tested_again() {
    let fired = |unseen: bool| {
        outcome(|page| {
            let count = clockwork(page);
            let (waits, out) = (page.fifo::<()>("waits"), page.fifo("out"));
            page.initial(waits, [()]);
            let mut go = page.transition("go");
            go.consume(waits);
            let state = if unseen { go.update_unseen(count) } else { go.update(count) };
            let to = go.put(out);
            go.guard(move |binding| *binding.get(state) >= 3);
            go.action(move |f| {
                let counted = *f.get(state);
                *f.update(state) += 100;
                f.put(to, counted);
            });
            out
        })
    };
    assert_eq!((fired(false), fired(true)), (vec![3], vec![]));
}
