//! Every wrong net and every run that can't go on: an error that names the thing and says what to do.

use petrio_kernel::{
    NetBuilder, NetError, PageBuilder, Pause, Place, RunError, Simulation, StationSpec, Time,
};

/// Declares a part of a net.
type Declare = fn(&mut PageBuilder<'_>);

/// The error of building a net.
fn refused(declare: impl FnOnce(&mut PageBuilder<'_>)) -> NetError {
    let mut net = NetBuilder::new("wrong");
    declare(&mut net.top());
    net.build().err().expect("the net is wrong")
}

#[test]
fn two_things_of_one_name_are_refused() {
    let twice: [(&str, Declare); 3] = [
        ("place \"queue\"", |page| {
            page.fifo::<u32>("queue");
            page.bag::<u32>("queue");
        }),
        ("page \"disk\"", |page| {
            page.page("disk");
            page.page("disk");
        }),
        ("transition \"go\"", |page| {
            page.transition("go").action(|_| {});
            page.transition("go").action(|_| {});
        }),
    ];
    for (what, declare) in twice {
        let message = refused(declare).to_string();
        assert_eq!(message, format!("{what} is defined twice; give each a name of its own"));
    }
}

#[test]
fn a_transition_without_an_action_is_refused() {
    let error = refused(|page| {
        let _ = page.transition("idle");
    });
    assert_eq!(error.to_string(), "transition \"idle\" has no action; give it one with `action`");
}

#[test]
fn more_arcs_than_have_numbers_are_refused() {
    let error = refused(|page| {
        let places: Vec<Place<()>> = (0..=u16::MAX).map(|number| page.fifo(&format!("p{number}"))).collect();
        let mut join = page.transition("join");
        places.into_iter().for_each(|place| join.consume(place));
        join.action(|_| {});
    });
    assert!(error.to_string().contains("\"join\" has more than 65535 input arcs; split it"), "{error}");
}

#[test]
fn more_priorities_than_are_kept_apart_are_refused() {
    let error = refused(|page| {
        for number in 0..65 {
            let mut go = page.transition(&format!("t{number}"));
            go.priority(number);
            go.action(|_| {});
        }
    });
    assert!(error.to_string().contains("65 different priorities; at most 64"), "{error}");
}

#[test]
fn weights_that_make_no_sense_are_refused() {
    let zero = refused(|page| {
        let place = page.fifo::<u32>("place");
        let mut go = page.transition("go");
        go.take_many(place, 0);
        go.action(|_| {});
    });
    assert!(zero.to_string().contains("between \"go\" and \"place\" has weight 0"), "{zero}");
    let selected = refused(|page| {
        let place = page.bag::<u32>("place");
        let mut go = page.transition("go");
        let pair = go.take_many(place, 2);
        go.guard(move |binding| binding.get(pair) % 2 == 0);
        go.action(|_| {});
    });
    assert!(
        selected
            .to_string()
            .contains("has weight 2; a weight is at least 1 (and 1 where tokens are selected)")
    );
}

#[test]
fn a_place_used_against_its_discipline_is_refused() {
    let wrong: [(&str, Declare); 5] = [
        ("\"go\" wants to change unseen a token of \"place\", which is a fifo place", |page| {
            let place = page.fifo::<u32>("place");
            let mut go = page.transition("go");
            go.update_unseen(place);
            go.action(|_| {});
        }),
        ("\"go\" wants to take the resident of \"place\", which is a state place", |page| {
            let place = page.state("place", 1u32);
            let mut go = page.transition("go");
            go.take(place);
            go.action(|_| {});
        }),
        ("\"go\" wants to put another resident into \"place\", which is a state place", |page| {
            let place = page.state("place", 1u32);
            let mut go = page.transition("go");
            go.put(place);
            go.action(|_| {});
        }),
        ("\"go\" wants to take without a key from \"place\", which is a keyed place", |page| {
            let place = page.keyed::<u32>("place", |token| u128::from(*token));
            let mut go = page.transition("go");
            go.take(place);
            go.action(|_| {});
        }),
        ("\"go\" wants to update a token of \"place\", which is a priority place", |page| {
            let place = page.priority::<u32>("place", |token| u128::from(*token));
            let mut go = page.transition("go");
            go.update(place);
            go.action(|_| {});
        }),
    ];
    for (expected, declare) in wrong {
        let message = refused(declare).to_string();
        assert!(message.contains(expected), "{message}");
    }
}

#[test]
fn more_initial_tokens_than_a_place_holds_are_refused() {
    let error = refused(|page| {
        let place = page.fifo::<u32>("place");
        page.capacity(place, 2);
        page.initial(place, 0..3);
    });
    assert_eq!(error.to_string(), "place \"place\" holds 2 tokens but starts with 3");
}

/// A net whose token waits for a delay, twice.
fn waiting(delay: Time) -> Result<(Pause, Time), RunError> {
    let mut net = NetBuilder::new("waiting");
    let mut page = net.top();
    let place = page.fifo::<u32>("place");
    page.initial(place, [2]);
    let mut wait = page.transition("wait");
    let (token, back) = (wait.take(place), wait.may_put(place, 1));
    wait.action(move |f| {
        let token = f.take(token);
        if token > 0 {
            f.put_after(back, token - 1, delay);
        }
    });
    let net = net.build().unwrap();
    let mut run = Simulation::new(&net, 1, 0);
    let pause = run.run_to_end()?;
    Ok((pause, run.now()))
}

#[test]
fn time_beyond_the_clock_is_an_error_and_never_is_not() {
    let day = 24 * 3_600;
    let hundred = Time::from_whole_seconds(100 * day);
    assert_eq!(waiting(hundred).unwrap(), (Pause::Dead, hundred + hundred));
    let error = waiting(Time::from_whole_seconds(150 * day)).unwrap_err();
    let RunError::Overflow { now, .. } = &error else { panic!("{error}") };
    assert_eq!(*now, Time::from_whole_seconds(150 * day));
    let message = error.to_string();
    assert!(message.contains("transition \"wait\" asks for a delay of 12960000.000 s"), "{message}");
    assert!(message.contains("213 days"), "{message}");
    // A draw beyond every horizon means never.
    assert_eq!(waiting(Time::NEVER).unwrap(), (Pause::Dead, Time::ZERO));
    assert_eq!(waiting(Time::from_seconds(1e300)).unwrap(), (Pause::Dead, Time::ZERO));
}

#[test]
fn a_service_time_beyond_the_clock_names_its_station() {
    let mut net = NetBuilder::new("endless");
    let mut page = net.top();
    let source = page.fifo::<()>("source");
    let service = |_: &(), _: &mut petrio_random::Generator| Time::from_picos(u64::MAX - 10);
    let station = page.station("disk", StationSpec::first_come(1, service));
    page.initial_after(source, (), Time::from_millis(1));
    let mut go = page.transition("go");
    go.consume(source);
    let to = go.put(station);
    go.action(move |f| f.put(to, ()));
    let net = net.build().unwrap();
    let error = Simulation::new(&net, 1, 0).run_to_end().unwrap_err().to_string();
    assert!(error.contains("at 1.000 ms, station \"disk\" asks for a delay"), "{error}");
    // Also where the token comes from outside.
    let mut run = Simulation::new(&net, 1, 0);
    run.run_until(Time::from_micros(500)).unwrap();
    run.inject(station, (), run.now()).unwrap();
    assert!(matches!(run.next_time(), Err(RunError::Overflow { .. })));
}

#[test]
fn a_loop_that_takes_no_time_is_found() {
    let mut net = NetBuilder::new("loop");
    let mut page = net.top();
    let ring = page.fifo::<u32>("ring");
    page.initial_after(ring, 0, Time::from_millis(3));
    let mut spin = page.transition("spin");
    let (token, back) = (spin.take(ring), spin.put(ring));
    spin.action(move |f| {
        let token = f.take(token);
        f.put(back, token.wrapping_add(1));
    });
    let net = net.build().unwrap();
    let mut run = Simulation::new(&net, 1, 0);
    run.limit_firings_at_one_instant(10_000);
    let error = run.run_to_end().unwrap_err();
    let expected =
        RunError::Livelock { now: Time::from_millis(3), firings: 10_000, transition: "spin".into() };
    assert_eq!(error, expected);
    assert!(error.to_string().contains("a loop in the net takes no time"));
}

#[test]
fn many_firings_at_one_instant_are_no_loop_while_they_end() {
    let mut net = NetBuilder::new("burst");
    let mut page = net.top();
    let tokens = page.fifo::<u32>("tokens");
    page.initial(tokens, 0..10_000);
    let mut eat = page.transition("eat");
    eat.consume(tokens);
    eat.action(|_| {});
    let net = net.build().unwrap();
    let mut run = Simulation::new(&net, 1, 0);
    run.limit_firings_at_one_instant(10_000);
    assert_eq!(run.run_to_end().unwrap(), Pause::Dead);
}

#[test]
fn a_model_that_refuses_a_token_ends_the_run_with_its_words() {
    let mut net = NetBuilder::new("refusal");
    let mut page = net.top();
    let requests = page.fifo::<u64>("disk/requests");
    page.initial_after(requests, 900, Time::from_millis(7));
    let mut accept = page.transition("disk/accept");
    let request = accept.take(requests);
    accept.action(move |f| {
        let block = f.take(request);
        f.fail(format!("block {block} lies beyond the last one, 799; use a larger disk"));
        f.fail("a second reason doesn't hide the first");
    });
    let net = net.build().unwrap();
    let error = Simulation::new(&net, 1, 0).run_to_end().unwrap_err().to_string();
    assert_eq!(
        error,
        "at 7.000 ms, \"disk/accept\": block 900 lies beyond the last one, 799; use a larger disk"
    );
}

#[test]
fn an_action_can_stop_the_run_and_it_can_go_on() {
    let mut net = NetBuilder::new("stop");
    let mut page = net.top();
    let tokens = page.fifo::<u32>("tokens");
    page.initial(tokens, 0..5);
    let mut eat = page.transition("eat");
    let token = eat.take(tokens);
    eat.action(move |f| {
        if f.take(token) == 2 {
            f.stop();
        }
    });
    let net = net.build().unwrap();
    let mut run = Simulation::new(&net, 1, 0);
    assert_eq!(run.run_to_end().unwrap(), Pause::Stopped);
    assert_eq!(run.marking().len(tokens), 2);
    assert_eq!(run.run_to_end().unwrap(), Pause::Dead);
}
