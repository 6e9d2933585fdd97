//! Throttled rates against what the limits say, and against figures measured on Linux 6.18.

#![allow(clippy::unwrap_used)]
use super::accounts::Limits;
use super::*;
use petrio_kernel::{NetBuilder, Simulation, Time};

fn throttle(text: &str) -> ThrottleParameters {
    toml::from_str(text).unwrap()
}

/// A process that issues each request as soon as the one before has passed; the device takes no time. When each passed.
fn passes(
    parameters: &ThrottleParameters,
    requests: impl IntoIterator<Item = (Direction, u32)>,
) -> Vec<Time> {
    let mut net = NetBuilder::new("test");
    let mut page = net.top();
    let (requests_in, down) = (page.fifo::<BlockRequest>("requests"), page.fifo("down"));
    throttle_page(&mut page, "throttle", parameters, requests_in, down);
    let net = net.build().unwrap();
    let mut run = Simulation::new(&net, 1, 0);
    requests
        .into_iter()
        .map(|(direction, blocks)| {
            let issued = run.now();
            let request = BlockRequest { direction, blocks, issued, ..BlockRequest::default() };
            run.inject(requests_in, request, issued).unwrap();
            loop {
                run.run_until(run.now()).unwrap();
                let passed = run.drain(down).next();
                if let Some(passed) = passed {
                    assert_eq!(passed.issued + passed.ledger.total(), run.now());
                    run.check_conservation().unwrap();
                    return run.now();
                }
                let next = run.next_time().unwrap().unwrap();
                run.run_until(next).unwrap();
            }
        })
        .collect()
}

/// Requests a second, over a run of `count`.
fn rate(parameters: &ThrottleParameters, direction: Direction, blocks: u32, count: usize) -> f64 {
    let passed = passes(parameters, std::iter::repeat_n((direction, blocks), count));
    count as f64 / passed.last().unwrap().as_seconds()
}

#[test]
fn the_first_slice_is_free_and_each_further_one_brings_a_tenth_of_the_rate() {
    let passed = passes(&throttle("read_iops = 500"), vec![(Direction::Read, 16); 151]);
    let slices: Vec<f64> = [0, 49, 50, 99, 100, 149, 150].map(|index| passed[index].as_millis()).to_vec();
    assert_eq!(slices, [0.0, 0.0, 100.0, 100.0, 200.0, 200.0, 300.0]);
}

#[test]
fn limits_of_requests_that_are_multiples_of_ten_are_kept_exactly() {
    for limit in [10u32, 50, 500, 1_230, 20_000] {
        for ticks in [100, 250, 1_000] {
            let parameters = throttle(&format!("write_iops = {limit}\nticks_per_second = {ticks}"));
            let count = (limit * 20) as usize;
            let passed = passes(&parameters, std::iter::repeat_n((Direction::Write, 8), count));
            // Twenty seconds' worth, of which the first slice came at once; a wait
            // for a single request is a tick longer than it need be, so the phase may drift within a slice.
            let seconds = passed.last().unwrap().as_seconds();
            let late = seconds - 19.9;
            assert!((-1e-9..=0.1).contains(&late), "{limit} at {ticks} ticks took {seconds} s");
        }
    }
}

#[test]
fn other_limits_of_requests_are_never_exceeded_and_lose_less_than_ten_a_second() {
    for limit in [3u32, 15, 77, 105, 999] {
        let rate = rate(&throttle(&format!("read_iops = {limit}")), Direction::Read, 8, limit as usize * 40);
        let limit = f64::from(limit);
        assert!(rate < limit * 1.005 && rate > limit - 10.0 && rate > 0.6 * limit, "{rate} at {limit}");
    }
}

#[test]
fn limits_that_the_accounts_do_not_keep_are_known() {
    // A slice allows none of nine a second, and throtl_trim_iops forgets what was used in it.
    let kept = throttle("read_iops = 9\nwrite_iops = 90").kept_otherwise();
    let [(key, limit, told)] = kept[..] else { panic!("{kept:?}") };
    assert_eq!((key, limit), ("read_iops", 9));
    let seen = rate(&throttle("read_iops = 9"), Direction::Read, 8, 1_000);
    assert!((told / seen - 1.0).abs() < 0.02, "{told} told, {seen} seen");
    assert!(told > 16.0, "{told}");
    assert!(throttle("read_iops = 105\nwrite_iops = 20000").kept_otherwise().is_empty());
}

#[test]
fn limits_of_bytes_are_kept_whatever_the_size_of_the_requests() {
    for (limit, bytes) in [("1 MiB/s", 1_048_576.0), ("100 MiB/s", 104_857_600.0), ("777 kB/s", 777_000.0)] {
        for blocks in [8u32, 128, 1_000, 8_192] {
            let parameters = throttle(&format!("write_rate = \"{limit}\""));
            let size = f64::from(blocks) * 512.0;
            let count = (60.0 * bytes / size) as usize;
            let measured = rate(&parameters, Direction::Write, blocks, count) * size;
            let error = measured / bytes - 1.0;
            assert!(error.abs() < 0.01, "{blocks} blocks at {limit}: {:.2} % off", 100.0 * error);
        }
    }
}

#[test]
fn both_limits_hold_and_the_tighter_one_decides() {
    let parameters = throttle("read_iops = 100\nread_rate = \"1 MB/s\"");
    let small = rate(&parameters, Direction::Read, 1, 4_000);
    let large = rate(&parameters, Direction::Read, 100, 1_000);
    assert!((small / 100.0 - 1.0).abs() < 0.01, "{small}");
    assert!((large * 51_200.0 / 1e6 - 1.0).abs() < 0.01, "{large}");
}

#[test]
fn reads_and_writes_have_accounts_of_their_own() {
    let parameters = throttle("read_iops = 10\nwrite_iops = 1000");
    let reads = rate(&parameters, Direction::Read, 8, 100);
    let mixed = passes(
        &parameters,
        (0..100).flat_map(|_| std::iter::once((Direction::Read, 8)).chain([(Direction::Write, 8); 20])),
    );
    let with_writes = 100.0 / mixed.last().unwrap().as_seconds();
    assert!((with_writes / reads - 1.0).abs() < 0.02, "{reads} alone, {with_writes} beside writes");
    assert_eq!(passes(&parameters, vec![(Direction::Write, 8); 100])[99], Time::ZERO);
}

#[test]
fn a_flush_costs_one_write_so_synchronous_writes_go_at_half_the_rate() {
    // Measured with O_SYNC on Linux 6.18 at 500 writes a second: 249.4, with a spread of 0.3 %.
    let pair = [(Direction::Write, 16), (Direction::Flush, 0)];
    let passed = passes(&throttle("write_iops = 500"), (0..5_000).flat_map(|_| pair));
    let rate = 5_000.0 / passed.last().unwrap().as_seconds();
    assert!((rate / 249.4 - 1.0).abs() < 0.01, "{rate}");
}

#[test]
fn after_a_pause_a_slice_is_free_again() {
    let mut accounts = Accounts::new(Limits { bytes: None, requests: Some(500), ticks_per_second: 250 });
    for at in [0, 10_000] {
        let now = Time::from_millis(at);
        let free = (0..60).take_while(|_| accounts.arrive(8_192, now) == Verdict::Pass).count();
        assert_eq!(free, 50, "at {at} ms");
        let (passed, again) = accounts.look(now + Time::from_millis(100));
        assert_eq!((passed, again), (1, None));
    }
}

#[test]
fn without_limits_everything_passes_at_once() {
    let passed = passes(&ThrottleParameters::default(), vec![(Direction::Write, 4_096); 1_000]);
    assert_eq!(passed[999], Time::ZERO);
}

/// Seconds until so many requests of a size have passed, each asked for as soon as the one before has passed.
fn qemu(text: &str, count: usize, blocks: u32) -> f64 {
    let parameters = throttle(&format!("kept_by = \"qemu\"\n{text}"));
    assert_eq!(parameters.objections(), []);
    passes(&parameters, vec![(Direction::Read, blocks); count]).last().unwrap().as_seconds()
}

#[test]
fn a_burst_of_qemus_lasts_as_its_documentation_says() {
    // As docs/throttle.txt of QEMU has it: 100 IOPS for good, 2,000 in a burst of 60 s; the bucket has room for 120,000, and
    // leaks meanwhile.
    let limits = "iops = 100\niops_max = 2000\niops_max_length = \"60 s\"";
    // Until it is full it does 2,000 a second: 60 s, and what leaks in them, 63.2 s.
    let dry = 120_000.0 / (2_000.0 - 100.0);
    let in_burst = (2_000.0 * dry) as usize;
    assert!((qemu(limits, in_burst, 8) - dry).abs() < 0.3, "{}", qemu(limits, in_burst, 8));
    let behind = qemu(limits, in_burst + 1_000, 8) - qemu(limits, in_burst, 8);
    assert!((behind - 10.0).abs() < 0.2, "{behind}");
}

#[test]
fn without_a_burst_a_tenth_of_a_second_passes_at_once_and_without_a_length_a_second() {
    let at_once = |text: &str| {
        let parameters = throttle(&format!("kept_by = \"qemu\"\n{text}"));
        let passed = passes(&parameters, vec![(Direction::Read, 8); 1_000]);
        passed.iter().filter(|&&at| at == Time::ZERO).count()
    };
    // A request passes as long as the bucket isn't fuller than it may be: one more than it has room for.
    assert_eq!(at_once("iops = 100"), 11);
    assert_eq!(at_once("iops = 100\niops_max = 200"), 201);
}

#[test]
fn long_requests_count_by_their_parts_and_limits_of_bytes_hold_beside_those_of_requests() {
    let limits = "iops = 100\niops_size = \"16 KiB\"";
    let small = qemu(limits, 500, 8);
    let large = qemu(limits, 500, 128);
    assert!((large / small - 4.0).abs() < 0.1, "{large} and {small}");
    let both = qemu("iops = 100\nrate = \"1 MiB/s\"", 200, 128);
    assert!((both - 200.0 * 64.0 / 1_024.0).abs() < 0.3, "{both}");
}

#[test]
fn what_is_limited_together_takes_turns_and_flushes_are_not_counted() {
    let parameters = throttle("kept_by = \"qemu\"\niops = 100");
    let requests =
        (0..500).flat_map(|_| [(Direction::Read, 8), (Direction::Write, 8), (Direction::Flush, 0)]);
    let seconds = passes(&parameters, requests).last().unwrap().as_seconds();
    assert!((seconds - 9.9).abs() < 0.1, "{seconds}");
}

#[test]
fn what_qemu_or_the_kernel_would_refuse_is_refused() {
    for (text, reason) in [
        ("iops = 100", "knows no iops"),
        ("read_iops = 100\nread_iops_max = 200", "knows no read_iops_max"),
        ("kept_by = \"qemu\"\niops = 100\nread_iops = 50", "together"),
        ("kept_by = \"qemu\"\niops_max = 100", "without the limit itself"),
        ("kept_by = \"qemu\"\niops = 100\niops_max = 50", "below the limit"),
        ("kept_by = \"qemu\"\niops = 100\niops_max = 200\niops_max_length = \"1.5 s\"", "whole seconds"),
        ("kept_by = \"qemu\"\niops = 100\nrate_max_length = \"2 s\"", "belongs to a burst"),
        ("kept_by = \"qemu\"\nrate = \"1 MB/s\"\niops_size = \"4 KiB\"", "no limit counts them"),
    ] {
        let wrong = throttle(text).objections();
        assert!(wrong.iter().any(|(_, message, _)| message.contains(reason)), "{text}: {wrong:?}");
    }
}

#[test]
fn nonsense_is_refused() {
    for (text, reason) in [
        ("read_iops = 0", "nonzero"),
        ("ticks_per_second = 5", "5 timer ticks a second"),
        ("reads = 5", "unknown field `reads`"),
        ("write_rate = 5", "unit"),
    ] {
        let error = toml::from_str::<ThrottleParameters>(text).unwrap_err().to_string();
        assert!(error.contains(reason), "{error}");
    }
}
