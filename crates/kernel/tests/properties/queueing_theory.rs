//! Stations against queueing theory: every figure within a 99.9 % interval of independent replications.

use crate::support::{Job, assert_agrees, assert_little, measure, open};
use petrio_kernel::{NetBuilder, Place, Simulation, StationSpec, Time};
use petrio_random::{Generator, exponential, uniform};

fn exponential_service(mean: f64) -> impl Fn(&Job, &mut Generator) -> Time + Send + Sync + 'static {
    move |_, random| Time::from_seconds(exponential(random, mean))
}

fn figures(station: Place<Job>) -> impl Fn(&Simulation) -> Vec<f64> + Send + Sync {
    move |run| {
        let station = run.marking().station(station).unwrap();
        assert_little("station", station);
        vec![station.mean_sojourn.as_seconds(), station.mean_waiting, station.utilisation]
    }
}

#[test]
fn m_m_1_at_eight_tenths_waits_as_erlang_says() {
    let (net, station) = open(&[0.8], StationSpec::first_come(1, exponential_service(1.0)));
    let found = measure(&net, 40, Time::from_whole_seconds(50_000), figures(station));
    assert_agrees("W", found[0], 5.0, 0.03);
    assert_agrees("Lq", found[1], 3.2, 0.04);
    assert_agrees("utilisation", found[2], 0.8, 0.01);
}

#[test]
fn m_m_c_waits_as_erlang_c_says() {
    let (servers, load) = (3u32, 2.4);
    let (net, station) = open(&[load], StationSpec::first_come(servers, exponential_service(1.0)));
    let found = measure(&net, 40, Time::from_whole_seconds(20_000), figures(station));
    let terms = |k: u32| (1..=k).fold(1.0, |term, i| term * load / f64::from(i));
    let full = terms(servers) / (1.0 - load / f64::from(servers));
    let erlang_c = full / ((0..servers).map(terms).sum::<f64>() + full);
    let waiting = erlang_c * load / (f64::from(servers) - load);
    assert_agrees("Lq", found[1], waiting, 0.05);
    assert_agrees("W", found[0], waiting / load + 1.0, 0.03);
}

#[test]
fn m_g_1_waits_as_pollaczek_and_khinchine_say() {
    // Two-point service: 0.5 s with probability 0.9, 5.5 s with 0.1; mean 1, second moment 3.25.
    let service =
        |_: &Job, random: &mut Generator| Time::from_seconds(if uniform(random) < 0.9 { 0.5 } else { 5.5 });
    let rate = 0.6;
    let (net, station) = open(&[rate], StationSpec::first_come(1, service));
    let found = measure(&net, 40, Time::from_whole_seconds(50_000), figures(station));
    let wait = rate * 3.25 / (2.0 * (1.0 - rate));
    assert_agrees("W", found[0], wait + 1.0, 0.03);
    assert_agrees("Lq", found[1], rate * wait, 0.04);
}

#[test]
fn processor_sharing_does_not_care_for_the_shape_of_service() {
    // Insensitivity: the mean sojourn is 1/(1 − ρ) for any service distribution of mean 1.
    let two_point =
        |_: &Job, random: &mut Generator| Time::from_seconds(if uniform(random) < 0.9 { 0.5 } else { 5.5 });
    for (name, spec) in [
        ("exponential", StationSpec::processor_sharing(1, exponential_service(1.0))),
        ("two-point", StationSpec::processor_sharing(1, two_point)),
    ] {
        let (net, station) = open(&[0.7], spec);
        let found = measure(&net, 40, Time::from_whole_seconds(40_000), figures(station));
        assert_agrees(name, found[0], 1.0 / 0.3, 0.03);
    }
}

#[test]
fn two_shared_processors_are_an_m_m_2() {
    // With exponential service, sharing two processors has the number distribution of M/M/2.
    let rate = 1.4;
    let (net, station) = open(&[rate], StationSpec::processor_sharing(2, exponential_service(1.0)));
    let found = measure(&net, 40, Time::from_whole_seconds(20_000), figures(station));
    let rho: f64 = rate / 2.0;
    assert_agrees("W", found[0], 1.0 / (1.0 - rho * rho), 0.03);
}

#[test]
fn an_infinite_server_only_delays() {
    let (net, station) = open(&[5.0], StationSpec::infinite_server(exponential_service(1.0)));
    let found = measure(&net, 20, Time::from_whole_seconds(10_000), figures(station));
    assert_agrees("W", found[0], 1.0, 0.02);
    assert!(found[1].mean == 0.0, "nobody waits at an infinite server");
}

#[test]
fn priority_without_preemption_waits_as_cobham_says() {
    let rates = [0.3, 0.2, 0.3];
    let spec = StationSpec::priority(1, |job: &Job| u128::from(job.class), exponential_service(1.0));
    let (net, station) = open(&rates, spec);
    let found = measure(&net, 40, Time::from_whole_seconds(50_000), move |run| {
        assert_little("priority", run.marking().station(station).unwrap());
        (0..3)
            .map(|class| {
                let probe = run.find_probe(&format!("sojourn{class}")).unwrap();
                run.marking().probe(probe).tally().mean()
            })
            .collect()
    });
    // Residual service: Σ λᵢ E[S²]/2 with E[S²] = 2.
    let residual: f64 = rates.iter().sum();
    let mut above = 0.0;
    for (class, interval) in found.into_iter().enumerate() {
        let wait = residual / ((1.0 - above) * (1.0 - above - rates[class]));
        assert_agrees(&format!("class {class}"), interval, wait + 1.0, 0.06);
        above += rates[class];
    }
}

#[test]
fn preemptive_resume_priority_waits_as_theory_says() {
    let rates = [0.3, 0.2, 0.3];
    let spec = StationSpec::preemptive_priority(|job: &Job| u128::from(job.class), exponential_service(1.0));
    let (net, station) = open(&rates, spec);
    let found = measure(&net, 40, Time::from_whole_seconds(50_000), move |run| {
        assert_little("preemptive", run.marking().station(station).unwrap());
        (0..3)
            .map(|class| {
                let probe = run.find_probe(&format!("sojourn{class}")).unwrap();
                run.marking().probe(probe).tally().mean()
            })
            .collect()
    });
    let mut above = 0.0;
    let mut residual = 0.0;
    for (class, interval) in found.into_iter().enumerate() {
        // Only classes up to this one count: the others are interrupted.
        residual += rates[class];
        let sojourn = 1.0 / (1.0 - above) + residual / ((1.0 - above) * (1.0 - above - rates[class]));
        assert_agrees(&format!("class {class}"), interval, sojourn, 0.06);
        above += rates[class];
    }
}

/// Exact mean-value analysis of a closed single-class network of first-come and delay stations; throughput and mean
/// numbers.
fn mean_value_analysis(demands: &[f64], delay: f64, jobs: u32) -> (f64, Vec<f64>) {
    let mut numbers = vec![0.0; demands.len()];
    let mut throughput = 0.0;
    for population in 1..=jobs {
        let residence: Vec<f64> =
            demands.iter().zip(&numbers).map(|(demand, number)| demand * (1.0 + number)).collect();
        throughput = f64::from(population) / (delay + residence.iter().sum::<f64>());
        numbers = residence.iter().map(|time| time * throughput).collect();
    }
    (throughput, numbers)
}

#[test]
fn a_closed_product_form_network_agrees_with_mean_value_analysis_within_one_percent() {
    // Terminals, then a processor that routes to two disks or back; first-come, sharing and delay mixed.
    let (cpu, disk0, disk1, think) = (0.02, 0.05, 0.08, 2.0);
    let (to_disk0, to_disk1) = (0.5, 0.3);
    let jobs = 30;
    let mut net = NetBuilder::new("closed network");
    let mut page = net.top();
    let routes = page.stream("routes");
    let service =
        |mean: f64| move |_: &(), random: &mut Generator| Time::from_seconds(exponential(random, mean));
    let terminals = page.station("terminals", StationSpec::infinite_server(service(think)));
    let processor = page.station("processor", StationSpec::processor_sharing(1, service(cpu)));
    let disks = [
        page.station("disk0", StationSpec::first_come(1, service(disk0))),
        page.station("disk1", StationSpec::first_come(1, service(disk1))),
    ];
    page.initial(terminals, vec![(); jobs as usize]);
    page.conserve(
        "jobs",
        &[terminals.id(), processor.id(), disks[0].id(), disks[1].id()].map(|place| (place, 1)),
    );
    for (name, from) in [("submit", terminals), ("return0", disks[0]), ("return1", disks[1])] {
        let mut go = page.transition(name);
        go.consume(from);
        let to = go.put(processor);
        go.action(move |f| f.put(to, ()));
    }
    let mut route = page.transition("route");
    route.consume(processor);
    let to = [route.may_put(disks[0], 1), route.may_put(disks[1], 1), route.may_put(terminals, 1)];
    route.action(move |f| {
        let draw = uniform(f.random(routes));
        let target = if draw < to_disk0 {
            0
        } else if draw < to_disk0 + to_disk1 {
            1
        } else {
            2
        };
        f.put(to[target], ());
    });
    let net = net.build().unwrap();

    let visits = 1.0 / (1.0 - to_disk0 - to_disk1);
    let demands = [visits * cpu, visits * to_disk0 * disk0, visits * to_disk1 * disk1];
    let (throughput, numbers) = mean_value_analysis(&demands, think, jobs);
    let found = measure(&net, 40, Time::from_whole_seconds(20_000), move |run| {
        let span = 20_000.0;
        let marking = run.marking();
        let submit = run.net().find_transition("submit").unwrap();
        let stations = [processor, disks[0], disks[1]];
        for station in stations {
            assert_little("closed", marking.station(station).unwrap());
        }
        let mut figures = vec![marking.firings(submit) as f64 / span];
        figures.extend(stations.map(|station| marking.statistics(station).mean));
        figures
    });
    let theory: Vec<f64> = std::iter::once(throughput).chain(numbers).collect();
    for (figure, (interval, theory)) in found.iter().zip(theory).enumerate() {
        assert!(
            (interval.mean - theory).abs() <= 0.01 * theory,
            "figure {figure}: {interval}, exact {theory}: more than one percent off"
        );
        assert_agrees(&format!("figure {figure}"), *interval, theory, 0.03);
    }
}

#[test]
fn shared_servers_are_as_busy_as_the_work_that_comes_says_and_not_as_the_tokens_that_share_them() {
    // The utilisation law, U = X · D / c, at one and at three servers, under the same load for each.
    for servers in [1u32, 3] {
        let rate = 0.43 * f64::from(servers);
        let (net, station) = open(&[rate], StationSpec::processor_sharing(servers, exponential_service(1.0)));
        let found = measure(&net, 40, Time::from_whole_seconds(20_000), move |run| {
            let station = run.marking().station(station).unwrap();
            assert_eq!(station.servers, Some(servers));
            let span = station.span.as_seconds();
            vec![station.utilisation, station.mean_busy * span / station.completions as f64]
        });
        assert_agrees("utilisation", found[0], 0.43, 0.02);
        assert_agrees("demand", found[1], 1.0, 0.02);
    }
}

#[test]
fn no_work_takes_no_time_at_a_shared_server() {
    let mut net = NetBuilder::new("test");
    let station = net.top().station("processor", StationSpec::processor_sharing(2, |span: &Time, _| *span));
    let net = net.build().unwrap();
    let mut run = Simulation::new(&net, 1, 0);
    let now = Time::from_millis(1);
    run.inject(station, Time::from_millis(7), Time::ZERO).unwrap();
    run.inject(station, Time::ZERO, now).unwrap();
    run.run_until(now).unwrap();
    assert_eq!(run.drain(station).collect::<Vec<_>>(), [Time::ZERO]);
    run.run_until(Time::from_millis(7)).unwrap();
    assert_eq!(run.drain(station).count(), 1, "and whole picoseconds of work take just these");
}
