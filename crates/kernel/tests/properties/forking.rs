//! A run forked from a cloned marking and continued equals one that never stopped.

use crate::support::{Job, open};
use petrio_kernel::{RunError, Simulation, StationSpec, Time};
use petrio_random::exponential;

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
        // What happens in one fork is nothing to the other.
        other.set_speed(0, 3.0);
        other.run_until(Time::from_whole_seconds(900)).unwrap();
        fork.run_until(Time::from_whole_seconds(2_000)).unwrap();
        first.run_until(Time::from_whole_seconds(2_000)).unwrap();
        assert_eq!(state(&straight), state(&fork));
        assert_eq!(state(&straight), state(&first));
    }
}

#[test]
fn a_marking_of_another_net_is_refused() {
    let build = || open(&[1.0], StationSpec::first_come(1, |_: &Job, _: &mut _| Time::from_millis(1))).0;
    let (one, another) = (build(), build());
    let marking = one.marking(1, 0);
    assert_eq!(Simulation::from_marking(&another, marking).err(), Some(RunError::WrongNet));
}
