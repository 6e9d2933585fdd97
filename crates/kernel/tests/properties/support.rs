//! Queueing systems, and the comparison of a simulated mean with theory.

use petrio_kernel::statistics::{Interval, replicate};
use petrio_kernel::{Net, NetBuilder, Place, RunError, Simulation, StationSpec, StationStatistics, Time};
use petrio_persist::Persist;
use petrio_random::exponential;
use std::sync::Arc;

/// A job knows its class and when it came.
#[derive(Clone, Debug, PartialEq, serde::Serialize, Persist)]
pub(crate) struct Job {
    pub(crate) class: u8,
    pub(crate) came: Time,
}

/// An open system: Poisson streams of the given rates (one a class, per second) into one station.
pub(crate) fn open(rates: &[f64], station: StationSpec<Job>) -> (Arc<Net>, Place<Job>) {
    let mut net = NetBuilder::new("open system");
    let mut page = net.top();
    let served = page.station("station", station);
    for (class, &rate) in rates.iter().enumerate() {
        let tick = page.fifo::<()>(&format!("tick{class}"));
        page.initial(tick, [()]);
        let gaps = page.stream(&format!("arrivals{class}"));
        let mut arrive = page.transition(&format!("arrive{class}"));
        arrive.consume(tick);
        let (again, job) = (arrive.put(tick), arrive.put(served));
        arrive.action(move |f| {
            let gap = Time::from_seconds(exponential(f.random(gaps), 1.0 / rate));
            let came = f.now();
            f.put(job, Job { class: class as u8, came });
            f.put_after(again, (), gap);
        });
    }
    let sojourns: Vec<_> = (0..rates.len()).map(|class| page.probe(&format!("sojourn{class}"))).collect();
    let mut leave = page.transition("leave");
    let job = leave.take(served);
    leave.action(move |f| {
        let job = f.take(job);
        let sojourn = (f.now() - job.came).as_seconds();
        f.record(sojourns[usize::from(job.class)], sojourn);
    });
    (net.build().unwrap(), served)
}

/// Replications of a system: warm up, reset, measure, answer.
pub(crate) fn measure(
    net: &Arc<Net>,
    replications: u64,
    span: Time,
    answer: impl Fn(&Simulation) -> Vec<f64> + Send + Sync,
) -> Vec<Interval> {
    let answers = replicate(replications, |replication| {
        let mut run = Simulation::new(net, 20_261_121, replication);
        run.run_until(span.divided_by(10.0))?;
        run.marking_mut().reset_statistics();
        run.run_until(run.now() + span)?;
        run.check_conservation()?;
        Ok::<_, RunError>(answer(&run))
    })
    .unwrap();
    (0..answers[0].len())
        .map(|figure| Interval::of(&answers.iter().map(|answer| answer[figure]).collect(), 0.999))
        .collect()
}

/// The theory lies in the 99.9 % interval, and the interval is narrow enough to mean something.
pub(crate) fn assert_agrees(what: &str, interval: Interval, theory: f64, relative_width: f64) {
    assert!(
        interval.relative() < relative_width,
        "{what}: the interval {interval} is too wide to test anything"
    );
    assert!(interval.contains(theory), "{what}: simulated {interval}, theory {theory}");
}

/// Little's law from independent measurements: mean number (time-weighted) against throughput times mean sojourn (from
/// the tokens' own time stamps). Edge effects of the measured span are the only difference.
pub(crate) fn assert_little(what: &str, station: StationStatistics) {
    let number = station.mean_waiting + station.mean_serving;
    let rate = station.completions as f64 / station.span.as_seconds();
    let product = rate * station.mean_sojourn.as_seconds();
    assert!((number - product).abs() <= 0.01 * number, "{what}: N = {number}, X·R = {product}");
}
