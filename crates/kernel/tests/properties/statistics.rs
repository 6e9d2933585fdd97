//! Warm-up deletion, batch means and intervals against the theory of M/M/1.

use crate::support::{Job, assert_agrees, open};
use petrio_kernel::statistics::{BatchMeans, Interval, Precision, Tally, WarmUp, replicate, replicate_until};
use petrio_kernel::{Net, Place, RunError, Simulation, StationSpec, Time};
use petrio_random::{Generator, exponential};
use std::sync::Arc;

fn m_m_1(rate: f64) -> (Arc<Net>, Place<Job>) {
    let service = |_: &Job, random: &mut Generator| Time::from_seconds(exponential(random, 1.0));
    open(&[rate], StationSpec::first_come(1, service))
}

/// Sojourn times in the order of arrival, from an observer on the station. First come, first served: a job's sojourn
/// is known when it has left.
fn sojourns(rate: f64, replication: u64, crowd: usize, span: Time) -> Vec<f64> {
    let (net, station) = m_m_1(rate);
    let mut run = Simulation::new(&net, 7, replication);
    for _ in 0..crowd {
        run.inject(station, Job { class: 0, came: Time::ZERO }, Time::ZERO).unwrap();
    }
    let mut values = Vec::new();
    let probe = run.find_probe("sojourn0").unwrap();
    let (mut seen, mut sum) = (0, 0.0);
    while run.now() < span {
        run.run_firings(1).unwrap();
        let tally = run.marking().probe(probe).tally();
        if tally.count() > seen {
            seen = tally.count();
            let total = tally.mean() * seen as f64;
            values.push(total - sum);
            sum = total;
        }
    }
    values
}

#[test]
fn warm_up_deletion_removes_what_a_crowded_start_adds() {
    let answers = replicate(30, |replication| {
        let values = sojourns(0.5, replication, 300, Time::from_whole_seconds(20_000));
        let mut warm_up = WarmUp::default();
        values.iter().for_each(|value| warm_up.record(*value));
        let plain: Tally = values.iter().copied().collect();
        let cut = warm_up.length().unwrap();
        Ok::<_, RunError>((plain.mean(), warm_up.steady_mean().unwrap(), cut))
    })
    .unwrap();
    let interval = |values: &mut dyn Iterator<Item = f64>| Interval::of(&values.collect(), 0.999);
    let plain = interval(&mut answers.iter().map(|answer| answer.0));
    let steady = interval(&mut answers.iter().map(|answer| answer.1));
    assert!(plain.mean > 4.0, "the crowd must be felt for the test to mean anything: {plain}");
    assert_agrees("after deletion", steady, 2.0, 0.05);
    // The crowd is gone after some 600 jobs; of 10,000 at most a tenth is deleted.
    assert!(answers.iter().all(|answer| (300..2_000).contains(&answer.2)), "{answers:?}");
}

#[test]
fn batch_means_cover_the_truth_as_often_as_they_say() {
    let runs = 200;
    let covered = replicate(runs, |replication| {
        let (net, _) = m_m_1(0.5);
        let mut run = Simulation::new(&net, 9, replication);
        run.run_until(Time::from_whole_seconds(500))?;
        run.marking_mut().reset_statistics();
        let probe = run.find_probe("sojourn0").unwrap();
        run.attach_histogram(probe);
        run.run_until(Time::from_whole_seconds(40_000))?;
        let batches: &BatchMeans = run.marking().probe(probe).batches().unwrap();
        assert!(batches.lag_one_correlation().abs() < 0.5);
        Ok::<_, RunError>(batches.interval(0.9).contains(2.0))
    })
    .unwrap();
    let share = covered.iter().filter(|covered| **covered).count() as f64 / runs as f64;
    // 0.9 ± four standard deviations of a binomial share.
    assert!((share - 0.9).abs() < 4.0 * (0.9 * 0.1 / runs as f64).sqrt(), "{share} of the intervals cover");
}

#[test]
fn replications_go_on_until_the_interval_is_narrow_enough() {
    let (net, station) = m_m_1(0.5);
    let run = |replication| {
        let mut run = Simulation::new(&net, 3, replication);
        run.run_until(Time::from_whole_seconds(2_000))?;
        Ok::<_, RunError>(run.marking().statistics(station).mean)
    };
    let (coarse, few) =
        replicate_until(Precision { relative: 0.05, level: 0.95, least: 5, most: 1_000 }, run).unwrap();
    let (fine, many) =
        replicate_until(Precision { relative: 0.01, level: 0.95, least: 5, most: 1_000 }, run).unwrap();
    assert!(coarse.relative() <= 0.05 && fine.relative() <= 0.01);
    // Five times as narrow takes about twenty-five times as many.
    assert!(many.len() > 8 * few.len(), "{} and {}", few.len(), many.len());
    assert_eq!(many[..few.len()], few[..], "the first replications are the same ones");
    assert!(fine.contains(1.0), "{fine}");
    let (_, bounded) =
        replicate_until(Precision { relative: 0.0, level: 0.95, least: 2, most: 11 }, run).unwrap();
    assert_eq!(bounded.len(), 11);
}

#[test]
fn a_failing_replication_is_reported_and_the_first_one_counts() {
    let answer =
        replicate(10, |replication| if replication % 4 == 3 { Err(replication) } else { Ok(replication) });
    assert_eq!(answer, Err(3));
}

#[test]
fn an_interval_of_one_value_claims_nothing() {
    let interval = Interval::of(&[5.0].into_iter().collect(), 0.95);
    assert_eq!(interval.half_width, f64::INFINITY);
    assert!(interval.contains(-1e9));
}
