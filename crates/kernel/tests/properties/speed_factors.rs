//! Speed factors: twice as fast is half the time, on a page and below it, and nowhere else.

use petrio_kernel::{NetBuilder, PageBuilder, Place, Simulation, StationSpec, Time};

/// A page that measures four waits of eight milliseconds each: a delay, one at pace, a station, a shared station.
fn clock(mut page: PageBuilder<'_>, out: Place<(String, u64)>) {
    let path = page.path().to_owned();
    let start = page.fifo::<()>("start");
    page.initial(start, [()]);
    let delayed = page.fifo::<String>("delayed");
    let stations = [
        page.station("first come", StationSpec::first_come(1, |_: &String, _| Time::from_millis(8))),
        page.station("sharing", StationSpec::processor_sharing(1, |_: &String, _| Time::from_millis(8))),
        page.station("infinite", StationSpec::infinite_server(|_: &String, _| Time::from_millis(8))),
        page.station(
            "preemptive",
            StationSpec::preemptive_priority(|_: &String| 0, |_, _| Time::from_millis(8)),
        ),
    ];
    let mut go = page.transition("go");
    go.consume(start);
    let two = go.put_many(delayed, 2);
    let to = stations.map(|station| go.put(station));
    go.action(move |f| {
        f.put_after(two, "delay".to_owned(), Time::from_millis(8));
        f.put_at_pace(two, "at pace".to_owned(), Time::from_millis(8));
        for (to, name) in to.into_iter().zip(["first come", "sharing", "infinite", "preemptive"]) {
            f.put(to, name.to_owned());
        }
    });
    for (number, from) in stations.into_iter().chain([delayed]).enumerate() {
        let path = path.clone();
        let mut end = page.transition(&format!("end {number}"));
        let (name, to) = (end.take(from), end.put(out));
        end.action(move |f| {
            let name = f.take(name);
            let now = f.now().as_micros() as u64;
            f.put(to, (format!("{path}: {name}"), now));
        });
    }
}

fn times(set: impl FnOnce(&mut Simulation)) -> std::collections::BTreeMap<String, u64> {
    let mut net = NetBuilder::new("speeds");
    let mut page = net.top();
    let out = page.fifo("out");
    for host in ["a", "b"] {
        let mut host = page.page(host);
        clock(host.page("disk"), out);
        clock(host.page("network"), out);
    }
    let net = net.build().unwrap();
    let mut run = Simulation::new(&net, 1, 0);
    set(&mut run);
    run.run_to_end().unwrap();
    run.drain(out).collect()
}

fn set(run: &mut Simulation, page: &str, factor: f64) {
    let net = run.net().clone();
    run.set_speed(net.find_page(page).unwrap(), factor);
}

#[test]
fn a_factor_divides_the_times_of_its_page_and_of_the_pages_below() {
    assert!(times(|_| {}).values().all(|&time| time / 10 == 800), "{:?}", times(|_| {}));
    let found = times(|run| {
        set(run, "a", 2.0);
        set(run, "a/disk", 4.0);
    });
    for (name, time) in found {
        let expected = match name.as_str() {
            name if name.ends_with("at pace") => 8_000,
            name if name.starts_with("a/disk") => 1_000,
            name if name.starts_with("a/network") => 4_000,
            _ => 8_000,
        };
        // Sharing rounds its completions up by a picosecond or so.
        assert_eq!(time, expected, "{name}");
    }
}

#[test]
fn half_the_speed_is_twice_the_time() {
    let found = times(|run| set(run, "b", 0.5));
    assert_eq!(found["b/network: delay"], 16_000);
    assert_eq!(found["b/disk: sharing"], 16_000);
    assert_eq!(found["a/disk: preemptive"], 8_000);
}

/// What was served before the change was served at the old speed; what begins after it, at the new one.
#[test]
fn a_change_does_not_rewrite_the_past() {
    for sharing in [true, false] {
        let mut net = NetBuilder::new("change");
        let mut page = net.top();
        let service = |_: &u32, _: &mut petrio_random::Generator| Time::from_millis(8);
        let station = page.station(
            "station",
            if sharing {
                StationSpec::processor_sharing(1, service)
            } else {
                StationSpec::preemptive_priority(|token: &u32| u128::from(*token), service)
            },
        );
        let out = page.fifo::<(u32, u64)>("out");
        page.initial(station, [2]);
        page.initial_after(station, 1, Time::from_millis(6));
        let mut leave = page.transition("leave");
        let (token, to) = (leave.take(station), leave.put(out));
        leave.action(move |f| {
            let token = f.take(token);
            let now = f.now().as_micros() as u64;
            f.put(to, (token, now));
        });
        let net = net.build().unwrap();
        let mut run = Simulation::new(&net, 1, 0);
        run.run_until(Time::from_millis(4)).unwrap();
        run.set_speed(0, 2.0);
        run.run_to_end().unwrap();
        // At 6 ms the first has 2 ms of its own time left. Sharing: both at rate 1, so it ends at 8 ms, and the other
        // has 6 ms left, at rate 2. Preempted: the other runs for 4 ms, then the rest takes 1 ms.
        let expected = if sharing { [(2, 8_000), (1, 11_000)] } else { [(1, 10_000), (2, 11_000)] };
        assert_eq!(run.drain(out).collect::<Vec<_>>(), expected, "sharing: {sharing}");
    }
}
