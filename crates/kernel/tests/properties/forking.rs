//! A run forked from a cloned marking and continued equals one that never stopped.

use crate::support::{Job, open};
use petrio_kernel::{Net, NetBuilder, Place, RunError, Simulation, StationSpec, Time};
use petrio_persist::{AnyValue, Damage, Persist, Reader, Writer};
use petrio_random::{exponential, uniform_below};
use std::sync::Arc;

#[test]
fn a_fork_goes_on_as_if_nothing_had_happened() {
    let service =
        |_: &Job, random: &mut petrio_random::Generator| Time::from_seconds(exponential(random, 1.0));
    let specs: [fn(_) -> StationSpec<Job>; 4] = [
        |service| StationSpec::first_come(2, service),
        |service| StationSpec::processor_sharing(1, service),
        |service| StationSpec::preemptive_priority(|job: &Job| u128::from(job.class), service),
        |service| StationSpec::priority(1, |job: &Job| u128::from(job.class), service),
    ];
    for spec in specs {
        let (net, station) = open(&[0.3, 0.4], spec(service));
        let state = |run: &Simulation| {
            let marking = run.marking();
            let firings: Vec<u64> = (0..3).map(|transition| marking.firings(transition)).collect();
            format!(
                "{:?} {:?} {:?} {firings:?}",
                run.now(),
                marking.station(station),
                marking.statistics(station)
            )
        };
        let mut straight = Simulation::new(&net, 11, 0);
        straight.run_until(Time::from_whole_seconds(2_000)).unwrap();

        let mut first = Simulation::new(&net, 11, 0);
        first.run_until(Time::from_seconds(700.25)).unwrap();
        let mut fork = Simulation::from_marking(&net, first.marking().clone()).unwrap();
        let mut other = Simulation::from_marking(&net, first.marking().clone()).unwrap();
        // Put aside, and resumed on the net of another process.
        let bytes = put_aside(&net, &first);
        let (again, _) = open(&[0.3, 0.4], spec(service));
        let mut resumed = Simulation::new(&again, 5, 1);
        resume(&again, &mut resumed, &bytes).unwrap();
        assert_eq!(state(&first), state(&resumed));
        // What happens in one fork is nothing to the other.
        other.set_speed(0, 3.0);
        other.run_until(Time::from_whole_seconds(900)).unwrap();
        fork.run_until(Time::from_whole_seconds(2_000)).unwrap();
        first.run_until(Time::from_whole_seconds(2_000)).unwrap();
        assert_eq!(state(&straight), state(&fork));
        resumed.run_until(Time::from_whole_seconds(2_000)).unwrap();
        assert_eq!(state(&straight), state(&first));
        assert_eq!(state(&straight), state(&resumed));
        resumed.check_conservation().unwrap();
    }
}

fn put_aside(net: &Arc<Net>, run: &Simulation) -> Vec<u8> {
    let known = net.known();
    let mut to = Writer::new(&known);
    run.save(&mut to);
    to.finish().unwrap()
}

fn resume(net: &Arc<Net>, run: &mut Simulation, bytes: &[u8]) -> Result<(), Damage> {
    let known = net.known();
    let mut from = Reader::new(&known, bytes);
    run.restore(&mut from)?;
    from.end()
}

/// A net with places of every sort in which something lies, is delayed, is awaited, and carries values of types of its own; and an
/// observer who counts.
fn of_all_sorts() -> (Arc<Net>, Place<u64>) {
    let mut net = NetBuilder::new("sorts");
    let mut page = net.top();
    page.carries::<Vec<u8>>();
    let key = |token: &u64| u128::from(*token % 7);
    let places = [
        page.fifo::<u64>("fifo"),
        page.bag("bag"),
        page.priority("priority", key),
        page.ordered("ordered", key),
        page.keyed("keyed", key),
        page.in_turn("in turn", key),
    ];
    let flows = StationSpec::flows(
        2,
        |token: &u64, _: &mut _| Time::from_micros(500 + token % 13),
        |flows, rates| rates.extend(flows.iter().map(|_| 2.0 / flows.len() as f64)),
    );
    let station = page.station("flows", flows);
    let parcels = page.fifo::<Box<dyn AnyValue>>("parcels");
    let sum = page.state("sum", 0u64);
    let draws = page.stream("draws");
    page.initial(places[0], 0..40u64);
    for (number, &from) in places.iter().enumerate() {
        let to = places[(number + 1) % places.len()];
        let mut go = page.transition(&format!("go {number}"));
        let (token, next, serve) =
            (go.take_where(from, |_, _| true), go.may_put(to, 1), go.may_put(station, 1));
        let parcel = go.put(parcels);
        go.action(move |f| {
            let token = f.take(token);
            let span = Time::from_micros(uniform_below(f.random(draws), 900));
            f.put_after(parcel, Box::new(vec![token as u8; 3]), span);
            if token % 11 == number as u64 {
                f.put(serve, token + 1);
            } else {
                f.put_after(next, token + 3, span);
            }
        });
    }
    let mut open = page.transition("open");
    let (parcel, all) = (open.take(parcels), open.update(sum));
    open.action(move |f| {
        let parcel = f.take(parcel);
        *f.update(all) += (*parcel).as_any().downcast_ref::<Vec<u8>>().map_or(0, |bytes| u64::from(bytes[0]));
    });
    let mut served = page.transition("served");
    let (token, back) = (served.take(station), served.put(places[0]));
    served.action(move |f| {
        let token = f.take(token);
        f.put(back, token + 1);
    });
    (net.build().unwrap(), sum)
}

#[test]
fn what_was_put_aside_at_any_instant_goes_on_as_the_whole() {
    let end = Time::from_millis(40);
    let begin = |net: &Arc<Net>, sum: Place<u64>| {
        let mut run = Simulation::new(net, 3, 0);
        let flows = net.find_place("flows").unwrap();
        run.observe(sum, 0u64, |_, _, _| ());
        assert!(flows > 0);
        run
    };
    let state = |run: &Simulation| {
        let marking = run.marking();
        let places: Vec<_> =
            (0..run.net().place_paths().count()).map(|place| marking.statistics_at(place)).collect();
        format!("{} {} {places:?}", run.now(), marking.firings_total())
    };
    let (net, sum) = of_all_sorts();
    let mut whole = begin(&net, sum);
    whole.run_until(end).unwrap();
    let came: Vec<u64> = whole.marking().view(sum).iter().map(|(_, sum)| *sum).collect();
    assert!(came[0] > 1_000, "{came:?}");
    for firings in [0, 1, 17, 400, 1_000] {
        let mut first = begin(&net, sum);
        first.run_firings(firings).unwrap();
        let bytes = put_aside(&net, &first);
        let (again, sum) = of_all_sorts();
        assert_eq!(net.shape(), again.shape());
        let mut resumed = begin(&again, sum);
        resume(&again, &mut resumed, &bytes).unwrap();
        resumed.run_until(end).unwrap();
        assert_eq!(state(&whole), state(&resumed), "after {firings} firings");
        assert_eq!(resumed.marking().view(sum).iter().map(|(_, sum)| *sum).collect::<Vec<_>>(), came);
        resumed.check_conservation().unwrap();

        // A part of it is none.
        for length in (0..bytes.len()).step_by(1 + bytes.len() / 50) {
            let mut run = begin(&again, sum);
            assert!(resume(&again, &mut run, &bytes[..length]).is_err(), "{length} of {}", bytes.len());
        }
    }
}

#[test]
fn what_nobody_has_declared_is_not_put_aside() {
    let mut net = NetBuilder::new("parcel");
    let mut page = net.top();
    let parcels = page.fifo::<Box<dyn AnyValue>>("parcels");
    let net = net.build().unwrap();
    let mut run = Simulation::new(&net, 1, 0);
    run.inject(parcels, Box::new(7u8), Time::ZERO).unwrap();
    let known = net.known();
    let mut to = Writer::new(&known);
    run.save(&mut to);
    assert_eq!(to.finish().unwrap_err().to_string(), "a state with a u8 can't be saved");
}

#[test]
fn nets_of_other_shapes_are_told_apart() {
    let (one, _) = of_all_sorts();
    let (other, _) = open(&[1.0], StationSpec::first_come(1, |_: &Job, _: &mut _| Time::from_millis(1)));
    assert_ne!(one.shape(), other.shape());
}

#[test]
fn a_marking_of_another_net_is_refused() {
    let build = || open(&[1.0], StationSpec::first_come(1, |_: &Job, _: &mut _| Time::from_millis(1))).0;
    let (one, another) = (build(), build());
    let marking = one.marking(1, 0);
    assert_eq!(Simulation::from_marking(&another, marking).err(), Some(RunError::WrongNet));
}
