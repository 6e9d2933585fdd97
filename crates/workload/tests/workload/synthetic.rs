//! Synthetic workloads: fractions, sizes and places as asked for, and what waiting means.

use super::replay::drive;
use petrio_colours::Direction;
use petrio_time::Time;
use petrio_workload::synthetic::{Synthetic, SyntheticError};
use petrio_workload::{SourceError, SourceItem};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;

fn workload(json: &str) -> Synthetic {
    serde_json::from_str(json).unwrap()
}

fn run(workload: &Synthetic, seed: u64, service: Time) -> Vec<(Time, SourceItem)> {
    let streams = (0..workload.generators.len() as u64)
        .map(|generator| Xoshiro256PlusPlus::seed_from_u64(seed * 1_000 + generator))
        .collect();
    drive(&mut workload.source(streams).unwrap(), |_| service).unwrap()
}

/// `share` of `count` within 4.4 standard errors.
fn is_share(seen: usize, count: usize, share: f64) -> bool {
    let error = (share * (1.0 - share) / count as f64).sqrt();
    (seen as f64 / count as f64 - share).abs() <= 4.4 * error
}

/// DiskSim's synthopen: three generators, one device each.
const OPEN: &str = r#"{ "requests": 60000, "generators": [
    { "devices": [0], "capacity": "17938986 blocks", "read_fraction": 0.66,
      "inter_arrival": { "exponential": { "mean": "25 ms" } }, "size": { "exponential": { "mean": "8 blocks" } } },
    { "devices": [1], "capacity": "17916240 blocks", "read_fraction": 0.66,
      "inter_arrival": { "exponential": { "mean": "25 ms" } }, "size": { "exponential": { "mean": "8 blocks" } } },
    { "devices": [2], "capacity": "17783240 blocks", "read_fraction": 0.66,
      "inter_arrival": { "exponential": { "mean": "25 ms" } }, "size": { "exponential": { "mean": "8 blocks" } } }
] }"#;

#[test]
fn the_open_workload_has_its_rates_reads_places_and_lengths() {
    let issued = run(&workload(OPEN), 1, Time::from_millis(7));
    assert_eq!(issued.len(), 60_000);
    let requests: Vec<_> = issued.iter().map(|(_, item)| &item.request).collect();
    let reads = requests.iter().filter(|request| request.direction == Direction::Read).count();
    assert!(is_share(reads, 60_000, 0.66), "{reads}");
    for device in 0..3 {
        let share = requests.iter().filter(|request| request.device == device).count();
        assert!(is_share(share, 60_000, 1.0 / 3.0), "{device}: {share}");
    }
    // Three streams of one request each 25 ms; the error of the sum of n exponential times is 1/√n.
    let seconds = issued[59_999].0.as_seconds();
    assert!((seconds / (20_000.0 * 0.025) - 1.0).abs() < 4.4 / 60_000_f64.sqrt(), "{seconds}");
    // Lengths: an exponential number cut to whole blocks, at least one, in multiples of 8: P(1 < x ≤ 8k), with 8 = e^-1
    // each.
    let e = std::f64::consts::E;
    let one_unit = (1.0 / e.powf(0.125) - 1.0 / e.powf(9.0 / 8.0)) * e.powf(0.125);
    let shortest = requests.iter().filter(|request| request.blocks == 8).count();
    assert!(is_share(shortest, 60_000, one_unit), "{shortest}, {one_unit}");
    assert!(requests.iter().all(|r| r.address % 8 == 0 && r.blocks % 8 == 0 && r.end() <= 17_938_986));
    let lower_half = requests.iter().filter(|r| r.device == 0 && r.address < 17_938_986 / 2).count();
    let on_first = requests.iter().filter(|r| r.device == 0).count();
    assert!(is_share(lower_half, on_first, 0.5));
}

#[test]
fn the_closed_workload_waits_for_every_request() {
    let closed = workload(
        r#"{ "requests": 1000, "generators": [ { "capacity": "1 GB", "read_fraction": 0.66, "time_critical_fraction": 1,
            "inter_arrival": { "constant": "3 ms" }, "size": { "constant": "4 KiB" } } ] }"#,
    );
    let issued = run(&closed, 1, Time::from_millis(7));
    // The first thinks too; then 3 ms of thought and 7 ms of service each.
    let expected = (0..1_000).map(|i| Time::from_millis(3 + 10 * i));
    assert!(issued.iter().map(|(time, _)| *time).eq(expected));
}

#[test]
fn a_time_limit_stops_the_clock_only_when_the_request_takes_longer() {
    let limited = |limit: &str| {
        workload(&format!(
            r#"{{ "requests": 4, "generators": [ {{ "capacity": "1 GB", "read_fraction": 1, "time_limited_fraction": 1,
                "time_limit": {{ "constant": "{limit}" }}, "inter_arrival": {{ "constant": "10 ms" }},
                "size": {{ "constant": "4 KiB" }} }} ] }}"#
        ))
    };
    let times = |limit: &str, service_ms: u64| -> Vec<u64> {
        run(&limited(limit), 1, Time::from_millis(service_ms))
            .iter()
            .map(|(time, _)| time.as_picos() / 1_000_000_000)
            .collect()
    };
    // Served within the limit: never waited for.
    assert_eq!(times("4 ms", 3), [10, 20, 30, 40]);
    // 25 ms of service: after 4 ms of thought it waits 21 ms, then thinks the other 6.
    assert_eq!(times("4 ms", 25), [10, 41, 72, 103]);
    // A limit longer than the think time: the next request goes out before, and its own limit runs beside.
    assert_eq!(times("15 ms", 25), [10, 20, 40, 50]);
}

#[test]
fn sequential_and_local_requests_follow_the_one_before() {
    let mixed = workload(
        r#"{ "requests": 40000, "generators": [ { "capacity": "2056008 blocks", "read_fraction": 0.66,
            "sequential_fraction": 0.2, "local_fraction": 0.3, "time_critical_fraction": 0.2, "time_limited_fraction": 0.3,
            "time_limit": { "normal": { "mean": "30 ms", "standard_deviation": "100 ms" } },
            "inter_arrival": { "constant": "50 ms" }, "sequential_inter_arrival": { "constant": "20 ms" },
            "local_inter_arrival": { "constant": "30 ms" },
            "local_distance": { "uniform": { "min": "-80 blocks", "max": "800 blocks" } },
            "size": { "constant": "8 blocks" } } ] }"#,
    );
    let issued = run(&mixed, 3, Time::ZERO);
    let gap_ms = |pair: &[(Time, SourceItem)]| (pair[1].0 - pair[0].0).as_picos() / 1_000_000_000;
    let pairs: Vec<_> = issued.windows(2).collect();
    let of = |ms| pairs.iter().filter(|pair| gap_ms(pair) == ms).collect::<Vec<_>>();
    let (sequential, local) = (of(20), of(30));
    assert!(is_share(sequential.len(), pairs.len(), 0.2), "{}", sequential.len());
    assert!(is_share(local.len(), pairs.len(), 0.3), "{}", local.len());
    for pair in sequential {
        let (before, after) = (&pair[0].1.request, &pair[1].1.request);
        assert_eq!(
            (before.end(), before.blocks, before.direction),
            (after.address, after.blocks, after.direction)
        );
    }
    let distances: Vec<i64> = local
        .iter()
        .map(|pair| pair[1].1.request.address as i64 - pair[0].1.request.address as i64)
        .collect();
    assert!(distances.iter().all(|distance| (-80..800).contains(distance)));
    let mean = distances.iter().sum::<i64>() as f64 / distances.len() as f64;
    // Uniform in −80…800, cut toward zero to multiples of 8: 9 of 110 steps vanish at zero from below, 3.5 blocks each
    // above.
    assert!((mean - 356.3).abs() < 4.4 * 254.0 / (distances.len() as f64).sqrt(), "{mean}");
    let reads = issued.iter().filter(|(_, item)| item.request.direction == Direction::Read).count();
    // Directions of sequential runs are not independent: runs of mean length 1.25 widen the error by √1.5.
    assert!(
        (reads as f64 / 40_000.0 - 0.66).abs() < 4.4 * 1.25 * (0.66_f64 * 0.34 / 40_000.0).sqrt(),
        "{reads}"
    );
}

#[test]
fn the_same_streams_give_the_same_requests_and_a_new_generator_changes_no_other() {
    let open = workload(OPEN);
    assert_eq!(run(&open, 5, Time::from_millis(7)), run(&open, 5, Time::from_millis(7)));
    assert_ne!(run(&open, 5, Time::from_millis(7))[0], run(&open, 6, Time::from_millis(7))[0]);

    let mut two = workload(OPEN);
    two.generators.truncate(2);
    let of_first = |workload: &Synthetic| -> Vec<(Time, u64)> {
        run(workload, 5, Time::from_millis(7))
            .iter()
            .filter(|(_, item)| item.request.process == 0)
            .take(5_000)
            .map(|(time, item)| (*time, item.request.address))
            .collect()
    };
    assert_eq!(of_first(&open), of_first(&two));
}

#[test]
fn a_duration_ends_it_too() {
    let mut timed = workload(OPEN);
    timed.requests = None;
    timed.duration = Some("10 s".parse().unwrap());
    assert!(!timed.is_endless());
    let issued = run(&timed, 1, Time::from_millis(7));
    assert!(issued.last().unwrap().0 < Time::from_whole_seconds(10));
    // 1,200 expected, standard deviation 35.
    assert!((issued.len() as f64 - 1_200.0).abs() < 4.4 * 35.0, "{}", issued.len());
}

fn refused(generator: &str) -> String {
    let json = format!(r#"{{ "generators": [ {generator} ] }}"#);
    match serde_json::from_str::<Synthetic>(&json) {
        Err(error) => error.to_string(),
        Ok(workload) => workload.validate().unwrap_err().to_string(),
    }
}

#[test]
fn parameters_that_no_generator_can_have_are_refused_by_name() {
    let with = |more: &str| {
        refused(&format!(
            r#"{{ "capacity": "1 MiB", "read_fraction": 0.5, "inter_arrival": {{ "constant": "1 ms" }},
                "size": {{ "constant": "8 blocks" }} {more} }}"#
        ))
    };
    let cases = [
        (r#", "sequential_fraction": 0.7, "local_fraction": 0.5"#, "comes to more than 1 together"),
        (r#", "local_fraction": 0.5"#, "generator 1, local_distance: is missing"),
        (r#", "time_limited_fraction": 0.5"#, "generator 1, time_limit: is missing"),
        (r#", "devices": []"#, "devices: names no device"),
        (r#", "alignment": "0 blocks""#, "alignment: must be at least one block"),
        (r#", "alignment": "2 MiB""#, "capacity: is less than one request"),
        (r#", "sise": 3"#, "unknown field `sise`"),
    ];
    for (more, expected) in cases {
        let message = with(more);
        assert!(message.contains(expected), "{message}");
    }
    let draw = |inter_arrival: &str| {
        refused(&format!(
            r#"{{ "capacity": "1 MiB", "read_fraction": 0.5, "inter_arrival": {inter_arrival},
                "size": {{ "constant": "8 blocks" }} }}"#
        ))
    };
    assert!(draw(r#"{ "constant": 5 }"#).contains("no unit"));
    assert!(draw(r#"{ "uniform": { "min": "5 ms", "max": "5 ms" } }"#).contains("less than its largest"));
    assert!(draw(r#"{ "poisson": { "mean": "5 ms", "step": "0 s" } }"#).contains("step"));
    assert!(draw(r#"{ "weibul": { "shape": 2, "scale": "5 ms" } }"#).contains("unknown variant"));
    assert!(
        draw(r#"{ "weibull": { "shape": 0, "scale": "5 ms" } }"#)
            .contains("inter_arrival: weibull: shape is 0")
    );
    assert!(draw(r#"{ "constant": "0 s" }"#).contains("requests without number"));
    assert_eq!(workload(r#"{ "generators": [] }"#).validate(), Err(SyntheticError::NoGenerator));
}

#[test]
fn every_family_drives_a_generator() {
    // Gaps of a two-stage gamma distribution with mean 0.5 · 2 · 3 ms + 0.5 · (10 ms + 4 · 1 ms) = 10 ms, constant
    // sizes in short.
    let fitted = workload(
        r#"{ "requests": 20000, "generators": [ { "capacity": "1 GB", "read_fraction": 1,
            "inter_arrival": { "gamma": { "stages": [ { "weight": 0.5, "shape": 2, "scale": "3 ms" },
                { "weight": 0.5, "shape": 4, "scale": "1 ms", "offset": "10 ms" } ] } }, "size": "4 KiB" } ] }"#,
    );
    let issued = run(&fitted, 1, Time::ZERO);
    assert!(issued.iter().all(|(_, item)| item.request.blocks == 8));
    let mean = issued[19_999].0.as_seconds() / 20_000.0;
    // Variance: half of 18 and of 4, and the means' 16 about 10, in ms².
    assert!((mean - 0.010).abs() < 4.4 * (27.0_f64 / 20_000.0).sqrt() / 1_000.0, "{mean}");
}

#[test]
fn generators_that_share_a_processor_think_one_after_the_other() {
    let last = |processors: &str, critical: f64| {
        let generator = format!(
            r#"{{ "capacity": "1 GB", "read_fraction": 1, "time_critical_fraction": {critical},
                "inter_arrival": {{ "constant": "10 ms" }}, "size": "4 KiB" }}"#
        );
        let generators = vec![generator; 5].join(", ");
        let text = format!(r#"{{ "requests": 5000, {processors} "generators": [ {generators} ] }}"#);
        let issued = run(&workload(&text), 1, Time::from_millis(30));
        let processes = issued.iter().map(|(_, item)| item.request.process);
        (issued[4_999].0, processes.collect::<std::collections::BTreeSet<_>>().len())
    };
    // Each by itself: 10 ms, and a fifth of 30 ms; 1,000 of each.
    let (apart, _) = last("", 0.2);
    assert!((apart.as_seconds() / 16.0 - 1.0).abs() < 0.1, "{apart}");
    // Together: while one waits, another thinks.
    let (shared, processes) = last(r#""processors": 1,"#, 0.2);
    assert!((1.0..1.03).contains(&(shared.as_seconds() / 50.0)), "{shared}");
    assert_eq!(processes, 5);
    // Who never waits never gives it away.
    assert_eq!(last(r#""processors": 1,"#, 0.0), (Time::from_whole_seconds(50), 1));
    assert_eq!(last(r#""processors": 5,"#, 0.2).0, apart);
}

#[test]
fn sizes_that_never_fit_are_an_error_not_an_endless_search() {
    let too_long = workload(
        r#"{ "generators": [ { "capacity": "64 blocks", "read_fraction": 0.5, "inter_arrival": { "constant": "1 ms" },
            "size": { "constant": "128 blocks" } } ] }"#,
    );
    let mut source = too_long.source(vec![Xoshiro256PlusPlus::seed_from_u64(1)]).unwrap();
    let error = drive(&mut source, |_| Time::ZERO).unwrap_err();
    assert!(
        matches!(&error, SourceError::Synthetic(SyntheticError::Redraws { parameter: "size", .. })),
        "{error}"
    );
}

#[test]
fn parameters_read_back_as_they_were_written_and_have_a_schema() {
    let open = workload(OPEN);
    let text = serde_json::to_string(&open).unwrap();
    assert_eq!(workload(&text), open);
    let schema = serde_json::to_string(&schemars::schema_for!(Synthetic)).unwrap();
    assert!(
        schema.contains("time_critical_fraction") && schema.contains("How many of the requests are reads")
    );
}
