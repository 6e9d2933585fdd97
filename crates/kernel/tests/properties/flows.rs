//! Stations whose rates are found anew with each arrival and departure, and max-min fair shares.

use petrio_kernel::{MaxMin, NetBuilder, Simulation, StationSpec, Time};
use petrio_random::Generator;
use proptest::prelude::*;

/// When each job leaves, by its number: jobs of some work that arrive at some time.
fn departures(spec: StationSpec<(usize, u64)>, jobs: &[(u64, u64)], speed: f64) -> Vec<u64> {
    let mut net = NetBuilder::new("test");
    let mut top = net.top();
    let mut page = top.page("part");
    let station = page.station("station", spec);
    let done = page.fifo("done");
    let mut leave = page.transition("leave");
    let (job, out) = (leave.take(station), leave.put(done));
    leave.action(move |f| {
        let job = f.take(job);
        f.put(out, job);
    });
    let net = net.build().unwrap();
    let mut run = Simulation::new(&net, 1, 0);
    let part = net.find_page("part").unwrap();
    run.set_speed(part, speed);
    let mut left = vec![0; jobs.len()];
    run.observe(done, Vec::new(), |seen: &mut Vec<(usize, Time)>, at, job: &(usize, u64)| {
        seen.push((job.0, at));
    });
    for (number, &(at, work)) in jobs.iter().enumerate() {
        run.inject(station, (number, work), Time::from_picos(at)).unwrap();
    }
    run.run_until(Time::from_seconds(1_000.0)).unwrap();
    for (job, at) in run.observed::<(usize, u64), Vec<(usize, Time)>>(done).unwrap() {
        left[*job] = at.as_picos();
    }
    left
}

fn work(job: &(usize, u64), _: &mut Generator) -> Time {
    Time::from_picos(job.1)
}

proptest! {
    /// Equal shares are processor sharing, whose station is another implementation (virtual time).
    #[test]
    fn equal_shares_are_processor_sharing(
        mut jobs in proptest::collection::vec((0u64..5_000_000_000, 0u64..3_000_000_000), 1..30),
        servers in 1u32..4,
        speed in prop_oneof![Just(1.0), Just(2.0), Just(0.25)],
    ) {
        jobs.sort_unstable();
        let shared = departures(StationSpec::processor_sharing(servers, work), &jobs, speed);
        let spec = StationSpec::flows(servers, work, move |flows, rates| {
            let rate = (f64::from(servers) / flows.len() as f64).min(1.0);
            rates.extend(flows.iter().map(|_| rate));
        });
        let flows = departures(spec, &jobs, speed);
        for (one, other) in shared.iter().zip(&flows) {
            prop_assert!(one.abs_diff(*other) <= jobs.len() as u64 * 2, "{shared:?} {flows:?}");
        }
    }

    /// Max-min fair: no resource is overdrawn, and every flow has its cap or a full resource at which nobody has more.
    #[test]
    fn shares_are_max_min_fair(
        capacities in proptest::collection::vec(0.0f64..10.0, 1..6),
        flows in proptest::collection::vec(
            (proptest::collection::btree_set(0usize..6, 0..4), prop_oneof![0.0f64..5.0, Just(f64::INFINITY)]),
            0..12,
        ),
    ) {
        let uses = |flow: usize| flows[flow].0.iter().copied().filter(|&resource| resource < capacities.len());
        let mut rates = Vec::new();
        let asked = (0..flows.len()).map(|flow| (uses(flow).collect::<Vec<_>>(), flows[flow].1));
        MaxMin::new(&capacities).rates(asked, &mut rates);
        prop_assert_eq!(rates.len(), flows.len());
        let load = |resource: usize| -> f64 {
            (0..flows.len()).filter(|&flow| uses(flow).any(|one| one == resource)).map(|flow| rates[flow]).sum()
        };
        for (resource, capacity) in capacities.iter().enumerate() {
            prop_assert!(load(resource) <= capacity * (1.0 + 1e-9) + 1e-12);
        }
        for flow in 0..flows.len() {
            let has_cap = rates[flow] >= flows[flow].1;
            let is_bounded = uses(flow).any(|resource| {
                let largest = (0..flows.len())
                    .filter(|&other| uses(other).any(|one| one == resource))
                    .map(|other| rates[other])
                    .fold(0.0, f64::max);
                load(resource) >= capacities[resource] * (1.0 - 1e-9) - 1e-12
                    && rates[flow] >= largest * (1.0 - 1e-9) - 1e-12
            });
            prop_assert!(has_cap || is_bounded, "flow {flow}: {rates:?}");
        }
    }
}

#[test]
fn a_flow_that_gets_nothing_stands_still_until_it_gets_something() {
    // One after the other, the last that came first.
    let spec = StationSpec::flows(1, work, |flows, rates| {
        rates.extend((1..=flows.len()).map(|number| f64::from(number == flows.len())));
    });
    let ms = 1_000_000_000;
    let left = departures(spec, &[(0, 10 * ms), (2 * ms, 3 * ms), (3 * ms, ms)], 1.0);
    assert_eq!(left, [14 * ms, 6 * ms, 4 * ms]);
}

#[test]
fn what_is_told_no_rate_never_ends_and_no_work_takes_no_time() {
    let spec = StationSpec::flows(1, work, |_, _| {});
    assert_eq!(departures(spec, &[(5, 0), (7, 1)], 1.0), [5, 0]);
}

#[test]
fn a_copy_of_a_run_goes_on_as_the_run_does() {
    let mut net = NetBuilder::new("test");
    let spec = StationSpec::flows(
        1,
        |work: &u64, _| Time::from_millis(*work),
        |flows, rates| {
            let rate = 1.0 / flows.len() as f64;
            rates.extend(flows.iter().map(|_| rate));
        },
    );
    let station = net.top().station("station", spec);
    net.top().initial(station, [2, 4]);
    let net = net.build().unwrap();
    let mut run = Simulation::new(&net, 1, 0);
    run.run_until(Time::from_millis(1)).unwrap();
    let mut copy = run.clone();
    for run in [&mut run, &mut copy] {
        run.run_until(Time::from_millis(4)).unwrap();
        assert_eq!(run.drain(station).collect::<Vec<u64>>(), [2]);
        run.run_until(Time::from_millis(6)).unwrap();
        assert_eq!(run.drain(station).collect::<Vec<u64>>(), [4]);
    }
    let busy = run.marking().station(station).unwrap();
    assert_eq!((busy.completions, busy.utilisation), (2, 1.0));
}
