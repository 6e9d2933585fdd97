//! Rows of pages in Linux md's stripe cache: what streams cost, and that more members are never slower.

use super::*;
use petrio_units::Bytes;

fn md(level: RaidLevel, unit: &str, rows: u32) -> RaidParameters {
    RaidParameters {
        stripe_unit: unit.parse().unwrap(),
        stripe_cache: Some(StripeCacheParameters { rows, ..StripeCacheParameters::default() }),
        ..RaidParameters::of(level)
    }
}

fn write(id: u64, address: u64, blocks: u32) -> BlockRequest {
    BlockRequest { direction: Direction::Write, synchronous: true, ..read(id, address, blocks) }
}

/// Blocks that members read and wrote for a stream of so many blocks in requests of so many, and when it ended.
fn stream(
    members: usize,
    parameters: &RaidParameters,
    (blocks, request): (u64, u64),
    awaited: bool,
) -> (u64, u64, f64) {
    let mut bench = Bench::of(members, parameters);
    for number in 0..blocks / request {
        let write = BlockRequest { synchronous: awaited, ..write(number, number * request, request as u32) };
        bench.inject(write, Time::ZERO);
    }
    let done = bench.finish();
    assert_eq!(done.len() as u64, blocks / request);
    assert!(bench.look(Array::is_at_rest));
    let end = done.iter().map(|request| request.issued + request.ledger.total()).fold(Time::ZERO, Time::max);
    let moved = |direction| -> u64 {
        let seen = (0..members).flat_map(|member| bench.seen(member));
        seen.filter(|(way, ..)| *way == direction).map(|(_, _, blocks)| u64::from(blocks)).sum()
    };
    (moved(Direction::Read), moved(Direction::Write), end.as_seconds())
}

#[test]
fn a_stream_of_pages_is_written_in_whole_stripes() {
    // 4 MiB over four data units of 64 KiB: whole stripes, and a mebibyte of parity, though each request is a page.
    let (read, written, _) = stream(5, &md(RaidLevel::Rotated, "64 KiB", 4_096), (8_192, 8), true);
    assert_eq!((read, written), (0, 8_192 * 5 / 4));
    let (read, written, _) = stream(6, &md(RaidLevel::DoubleRotated, "64 KiB", 4_096), (8_192, 8), true);
    assert_eq!((read, written), (0, 8_192 * 6 / 4));
}

#[test]
fn what_is_awaited_reads_where_rows_run_out_and_what_is_not_gathers() {
    // Units of 512 KiB have 128 rows each: two stripes in a cache of 256.
    let parameters = md(RaidLevel::Rotated, "512 KiB", 256);
    let (awaited, ..) = stream(5, &parameters, (32_768, 8), true);
    let (gathered, ..) = stream(5, &parameters, (32_768, 8), false);
    assert!(awaited > 0 && awaited < 32_768 * 2 / 5, "{awaited}");
    assert!(gathered <= 32_768 / 40, "{gathered}");
}

#[test]
fn requests_of_one_stripe_change_different_rows_of_it_at_once() {
    let mut bench = Bench::of(5, &md(RaidLevel::Rotated, "64 KiB", 256));
    bench.inject(write(1, 0, 8), Time::ZERO);
    bench.inject(BlockRequest { process: 1, ..write(2, 128 + 64, 8) }, Time::ZERO);
    let ends: Vec<_> = bench.finish().iter().map(|request| request.ledger.total()).collect();
    // Each reads what it writes and parity, and writes both; on the member of the parity both go one after the other.
    assert!(ends.iter().all(|end| *end <= Time::from_micros(4 * 1_125)), "{ends:?}");
}

#[test]
fn what_the_cache_holds_is_not_read_again() {
    let mut bench = Bench::of(5, &md(RaidLevel::Rotated, "64 KiB", 256));
    bench.inject(write(1, 0, 8), Time::ZERO);
    bench.inject(write(2, 0, 8), Time::from_millis(100));
    bench.finish();
    // Old data and parity are read once; then they are known.
    let reads =
        (0..5).flat_map(|member| bench.seen(member)).filter(|(way, ..)| *way == Direction::Read).count();
    assert_eq!(reads, 2);
    let skipping = StripeCacheParameters { skip_copy: true, ..StripeCacheParameters::default() };
    let mut bench = Bench::of(
        5,
        &RaidParameters { stripe_cache: Some(skipping), ..md(RaidLevel::Rotated, "64 KiB", 256) },
    );
    bench.inject(write(1, 0, 8), Time::ZERO);
    bench.inject(write(2, 0, 8), Time::from_millis(100));
    bench.finish();
    // Without a copy the data are not known, parity is.
    let reads =
        (0..5).flat_map(|member| bench.seen(member)).filter(|(way, ..)| *way == Direction::Read).count();
    assert_eq!(reads, 3);
}

#[test]
fn a_thread_that_takes_time_bounds_a_stream_and_more_threads_share_it() {
    let end = |threads| {
        let cache = StripeCacheParameters {
            rows: 4_096,
            threads,
            page_rate: Some("20 MB/s".parse().unwrap()),
            ..StripeCacheParameters::default()
        };
        let parameters =
            RaidParameters { stripe_cache: Some(cache), ..md(RaidLevel::Rotated, "64 KiB", 4_096) };
        stream(5, &parameters, (16_384, 2_048), true).2
    };
    // 8 MiB are copied and made parity of, each once: 16 MiB at 20 MB/s.
    let alone = end(0);
    assert!(alone > 0.8 && alone < 1.0, "{alone}");
    assert!(end(4) < alone * 0.6);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 6, ..ProptestConfig::default() })]

    #[test]
    fn more_members_are_never_slower_and_level_6_never_faster(
        members in 4usize..8,
        // With two stripes in the cache what is read, and so the time, depends on how writer and thread interleave.
        (unit, rows) in prop::sample::select(vec![("64 KiB", 256u32), ("64 KiB", 1_024), ("512 KiB", 1_024)]),
        awaited in any::<bool>(),
    ) {
        // Whole stripes, so that no array ends with a part of one: blocks a second.
        let rate = |level, members: usize| {
            let parameters = md(level, unit, rows);
            let stripe = parameters.layout(members).unwrap().stripe();
            let blocks = stripe * (20_480 / stripe).max(1);
            blocks as f64 / stream(members, &parameters, (blocks, 128), awaited).2
        };
        let five = rate(RaidLevel::Rotated, members);
        prop_assert!(rate(RaidLevel::Rotated, members + 1) >= five * 0.97);
        prop_assert!(rate(RaidLevel::DoubleRotated, members) <= five * 1.03);
    }

    #[test]
    fn every_request_comes_out_once_by_rows_with_members_gone_too(
        steps in prop::collection::vec((0u64..3_000, 0u64..1_500, 1u32..400, 0u8..4, 0u32..3), 1..60),
        level in 3usize..6,
        rows in 17u32..40,
        fails in prop::option::of((0u32..4, 0u64..40)),
    ) {
        let mut parameters = md(LEVELS[level], "16 KiB", rows);
        parameters.failures = fails
            .map(|(member, at)| MemberFailure { member, at: format!("{at} ms").parse().unwrap() })
            .into_iter()
            .collect();
        parameters.replaced_after = Some("5 ms".parse().unwrap());
        let mut bench = Bench::sized(5, 4_096, &parameters);
        let mut at = Time::ZERO;
        for (index, (pause, address, blocks, what, process)) in steps.iter().enumerate() {
            at += Time::from_micros(*pause);
            let direction = if *what == 0 { Direction::Read } else { Direction::Write };
            let request = BlockRequest { direction, process: *process, ..read(index as u64, *address, *blocks) };
            bench.inject(BlockRequest { synchronous: *what == 2, force_unit_access: *what == 3, ..request }, at);
        }
        let done = bench.finish();
        prop_assert!(done.iter().all(|request| request.status.failure().is_none()));
        let mut ids: Vec<u64> = done.iter().map(|request| request.id.0).collect();
        ids.sort_unstable();
        prop_assert_eq!(ids, (0..steps.len() as u64).collect::<Vec<_>>());
        prop_assert!(bench.look(Array::is_at_rest));
    }
}

#[test]
fn a_cache_that_cannot_be_is_refused() {
    let refused = |unit: Bytes, rows| {
        let parameters = RaidParameters { stripe_unit: unit, ..md(RaidLevel::Rotated, "64 KiB", rows) };
        parameters.layout(4).unwrap_err().to_string()
    };
    assert!(refused(Bytes(2_048), 256).contains("4 KiB"));
    assert!(refused(Bytes::from_kib(64), 16).contains("17"));
}
