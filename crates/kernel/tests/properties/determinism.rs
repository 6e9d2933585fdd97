//! The same result on a second run, and with any number of threads.

use crate::support::{Job, open};
use petrio_kernel::statistics::{Precision, replicate, replicate_until};
use petrio_kernel::{NetBuilder, RunError, Simulation, StationSpec, Time};
use petrio_random::exponential;

fn report(threads: usize) -> String {
    let service =
        |_: &Job, random: &mut petrio_random::Generator| Time::from_seconds(exponential(random, 1.0));
    let (net, station) = open(&[0.4, 0.3], StationSpec::processor_sharing(1, service));
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(|| {
        let answers = replicate(12, |replication| {
            let mut run = Simulation::new(&net, 7, replication);
            run.run_until(Time::from_whole_seconds(500))?;
            let marking = run.marking();
            Ok::<_, RunError>(format!("{:?} {:?}", marking.station(station), marking.statistics(station)))
        })
        .unwrap();
        let precision = Precision { relative: 0.05, level: 0.95, least: 4, most: 40 };
        let adaptive = replicate_until(precision, |replication| {
            let mut run = Simulation::new(&net, 8, replication);
            run.run_until(Time::from_whole_seconds(500))?;
            Ok::<_, RunError>(run.marking().statistics(station).mean)
        })
        .unwrap();
        format!("{answers:?} {adaptive:?}")
    })
}

#[test]
fn any_number_of_threads_gives_the_same_bytes() {
    let one = report(1);
    assert_eq!(one, report(1), "a second run differs");
    for threads in [2, 3, 8] {
        assert_eq!(one, report(threads), "{threads} threads differ from one");
    }
}

#[test]
fn a_new_component_changes_nobody_elses_draws() {
    let build = |extra: bool| {
        let mut net = NetBuilder::new("common random numbers");
        let mut page = net.top();
        let mut source = |name: &str| {
            let mut page = page.page(name);
            let tick = page.fifo::<()>("tick");
            let out = page.fifo::<Time>("out");
            let gaps = page.stream("gaps");
            page.initial(tick, [()]);
            let mut go = page.transition("go");
            go.consume(tick);
            let (again, stamp) = (go.put(tick), go.put(out));
            go.action(move |f| {
                let gap = Time::from_seconds(exponential(f.random(gaps), 1.0));
                f.put(stamp, f.now());
                f.put_after(again, (), gap);
            });
            out
        };
        if extra {
            source("another");
        }
        let out = source("ours");
        let net = net.build().unwrap();
        let mut run = Simulation::new(&net, 3, 0);
        run.run_until(Time::from_whole_seconds(100)).unwrap();
        run.drain(out).collect::<Vec<_>>()
    };
    assert_eq!(build(false), build(true));
}

#[test]
fn random_conflict_resolution_is_fair_and_repeatable() {
    let mut net = NetBuilder::new("conflict");
    let mut page = net.top();
    let token = page.fifo::<()>("token");
    page.initial(token, [()]);
    for name in ["a", "b", "c"] {
        let mut go = page.transition(name);
        go.consume(token);
        let back = go.put(token);
        go.action(move |f| {
            f.put_after(back, (), Time::from_millis(1));
        });
    }
    let net = net.build().unwrap();
    let firings = |random: Option<u64>| {
        let mut run = Simulation::new(&net, 1, 0);
        if let Some(seed) = random {
            run.marking_mut().resolve_conflicts_at_random(seed, 0);
        }
        run.run_firings(30_000).unwrap();
        [0, 1, 2].map(|transition| run.marking().firings(transition))
    };
    assert_eq!(firings(Some(5)), firings(Some(5)));
    assert_ne!(firings(Some(5)), firings(Some(6)));
    // Each in about a third: 10,000 ± four standard deviations of 82.
    assert!(firings(Some(5)).iter().all(|&n| n.abs_diff(10_000) < 330), "{:?}", firings(Some(5)));
    assert_eq!(firings(None), firings(None));
}
