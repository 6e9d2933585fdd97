//! What a journal and a partial parity log cost: counts as measured on a kernel 6.1 (docs/raid.md), and what they are good for.

use super::*;

type Seen = Vec<(Direction, u64, u32)>;

fn md(level: RaidLevel, mode: Option<JournalMode>) -> RaidParameters {
    RaidParameters {
        stripe_unit: "64 KiB".parse().unwrap(),
        granularity: Bytes(4_096),
        stripe_cache: Some(StripeCacheParameters::default()),
        journal: mode.map(|mode| JournalParameters { mode }),
        ..RaidParameters::of(level)
    }
}

fn write(id: u64, address: u64, blocks: u32) -> BlockRequest {
    BlockRequest { direction: Direction::Write, synchronous: true, ..read(id, address, blocks) }
}

/// Requests, blocks and flushes.
fn count(seen: &Seen, direction: Direction) -> (usize, u64, usize) {
    let ours = || seen.iter().filter(|(way, ..)| *way == direction);
    let flushes = seen.iter().filter(|(way, ..)| *way == Direction::Flush).count();
    (ours().count(), ours().map(|(.., blocks)| u64::from(*blocks)).sum(), flushes)
}

/// What each member, and last the journal, was asked for some requests one after the other, and when the last was answered.
fn asked(members: usize, parameters: &RaidParameters, requests: &[BlockRequest]) -> (Vec<Seen>, f64) {
    let of = members + usize::from(parameters.journal.is_some());
    let mut bench = Bench::of(of, parameters);
    for (number, request) in requests.iter().enumerate() {
        bench.inject(request.clone(), Time::from_millis(200 * number as u64));
    }
    let done = bench.finish();
    assert_eq!(done.len(), requests.len());
    let took = done.iter().map(|request| request.ledger.total().as_seconds()).fold(0.0, f64::max);
    ((0..of).map(|member| bench.seen(member)).collect(), took)
}

#[test]
fn a_page_and_a_stripe_cost_the_journal_what_was_measured() {
    let through = Some(JournalMode::WriteThrough);
    let back = Some(JournalMode::WriteBack);
    let (five, six) = (RaidLevel::Rotated, RaidLevel::DoubleRotated);
    // Level, members, mode, blocks written; requests and blocks of the journal, blocks read and written of the members.
    for (level, members, mode, blocks, journal, read, written) in [
        (five, 4, through, 8, (1, 24, 1), 16, 16),
        (six, 5, through, 8, (1, 32, 1), 16, 24),
        (five, 4, back, 8, (1, 16, 1), 0, 0),
        (six, 5, back, 8, (1, 16, 1), 0, 0),
        (five, 4, through, 384, (1, 528, 1), 0, 512),
        (six, 5, through, 384, (1, 656, 1), 0, 640),
        (six, 5, back, 384, (1, 400, 1), 0, 0),
    ] {
        let (seen, _) = asked(members, &md(level, mode), &[write(0, 0, blocks)]);
        let case = (level, mode, blocks);
        assert_eq!(count(&seen[members], Direction::Write), journal, "{case:?}");
        let sum = |way| seen[..members].iter().map(|seen| count(seen, way).1).sum::<u64>();
        assert_eq!((sum(Direction::Read), sum(Direction::Write)), (read, written), "{case:?}");
        assert!(seen[..members].iter().all(|seen| count(seen, Direction::Write).2 == 0), "{case:?}");
    }
}

#[test]
fn partial_parity_is_written_down_beside_the_parity_and_all_that_is_written_is_flushed() {
    let parameters = RaidParameters { partial_parity_log: true, ..md(RaidLevel::Rotated, None) };
    let (seen, _) = asked(4, &parameters, &[write(0, 0, 8)]);
    // The first stripe has its data on the first member, and its parity on the last: description, partial parity, and parity.
    assert_eq!(count(&seen[0], Direction::Write), (1, 8, 1));
    assert_eq!(count(&seen[3], Direction::Write), (2, 24, 1));
    assert_eq!(count(&seen[1], Direction::Write).2 + count(&seen[2], Direction::Write).2, 0);
    // A whole stripe: two descriptions, of eight rows each.
    let (seen, _) = asked(4, &parameters, &[write(0, 0, 384)]);
    assert_eq!(count(&seen[3], Direction::Write).1, 128 + 16);
    assert_eq!(count(&seen[0], Direction::Write).1, 128);
}

#[test]
fn a_member_takes_the_next_unit_of_its_partial_parity_log_once_the_one_before_is_on_the_members() {
    // As measured: 32 stripes of 1 MiB on three members, written one after the other past the page cache, are two units each, of the
    // eight rows that the thread looked at first and of the 120 that came meanwhile.
    let unit = "512 KiB".parse().unwrap();
    let parameters =
        RaidParameters { partial_parity_log: true, stripe_unit: unit, ..md(RaidLevel::Rotated, None) };
    let stripes: Vec<_> = (0..32).map(|stripe| write(stripe, stripe * 2_048, 2_048)).collect();
    let (seen, _) = asked(3, &parameters, &stripes);
    let written: u64 = seen.iter().map(|seen| count(seen, Direction::Write).1).sum();
    assert_eq!(written, 32 * 3 * 1_024 + 32 * 2 * 8);
}

#[test]
fn write_back_gathers_pages_into_whole_stripes() {
    // 12 MiB of pages in order: far more than the cache holds.
    let pages: Vec<_> = (0..3_072).map(|page| write(page, page * 8, 8)).collect();
    let run = |mode| {
        let parameters = md(RaidLevel::Rotated, Some(mode));
        let mut bench = Bench::of(5, &parameters);
        for (number, page) in pages.iter().enumerate() {
            bench.inject(page.clone(), Time::from_millis(20 * number as u64));
        }
        assert_eq!(bench.finish().len(), pages.len());
        let seen: Vec<Seen> = (0..4).map(|member| bench.seen(member)).collect();
        let sum = |way| seen.iter().map(|seen| count(seen, way).1).sum::<u64>();
        (sum(Direction::Read), sum(Direction::Write))
    };
    let (read, written) = run(JournalMode::WriteBack);
    assert_eq!(read, 0, "rows are whole when they are written out");
    // What stays in the cache isn't written yet: at most three quarters of its rows.
    assert!(((3_072 - 3 * 192) * 8 * 4 / 3..=3_072 * 8 * 4 / 3).contains(&written), "{written}");
    let (read, written) = run(JournalMode::WriteThrough);
    assert!(
        read > 0 && written > 3_072 * 8 * 3 / 2,
        "each page is written with its parity: {read}, {written}"
    );
}

#[test]
fn a_page_in_the_journal_is_read_from_memory_and_a_flush_ends_there() {
    let parameters = md(RaidLevel::Rotated, Some(JournalMode::WriteBack));
    let flush = BlockRequest { direction: Direction::Flush, ..read(2, 0, 0) };
    let (seen, _) = asked(4, &parameters, &[write(0, 0, 8), read(1, 0, 8), flush.clone()]);
    assert!(seen[..4].iter().all(Vec::is_empty), "{seen:?}");
    // The flush is a unit of its own: its description, and a flush after it.
    assert_eq!(count(&seen[4], Direction::Write), (2, 24, 2));
    let through = md(RaidLevel::Rotated, Some(JournalMode::WriteThrough));
    let (seen, _) = asked(4, &through, &[flush]);
    assert!(
        seen.iter().all(Vec::is_empty),
        "all that was answered is on the medium of the journal: {seen:?}"
    );
}

#[test]
fn a_fast_journal_makes_small_writes_that_are_flushed_faster() {
    let took = |mode: Option<JournalMode>| {
        let parameters = md(RaidLevel::Rotated, mode);
        let of = 4 + usize::from(mode.is_some());
        let mut bench =
            Bench::over(of, 1 << 30, &parameters, |member| if member < 4 { "1 ms" } else { "0.1 ms" });
        for number in 0..20 {
            let page = write(2 * number, number * 4_096, 8);
            bench.inject(page, Time::from_millis(200 * number));
            let flush = BlockRequest { direction: Direction::Flush, ..read(2 * number + 1, 0, 0) };
            bench.inject(flush, Time::from_millis(200 * number + 100));
        }
        bench.finish().iter().map(|request| request.ledger.total().as_seconds()).sum::<f64>() / 20.0
    };
    let none = took(None);
    // A page and the flush after it: 2.25 ms and 2 ms, or twice a unit and a flush of the journal.
    assert!(took(Some(JournalMode::WriteBack)) < none / 4.0);
    let through = took(Some(JournalMode::WriteThrough));
    assert!(through > 0.00225 && through < none, "its flush costs nothing: {through} {none}");
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn every_request_comes_out_once_with_logs_too(
        level in prop::sample::select(vec![RaidLevel::ParityMember, RaidLevel::Rotated, RaidLevel::DoubleRotated]),
        log in 0..3usize,
        fails in any::<bool>(),
        requests in prop::collection::vec((0u64..4_096, 1u32..600, 0..3u8, 0u64..2_000), 1..60),
    ) {
        let mode = [JournalMode::WriteThrough, JournalMode::WriteBack].get(log).copied();
        let failure = MemberFailure { member: 1, at: Time::from_millis(500).into() };
        let parameters = RaidParameters {
            partial_parity_log: mode.is_none() && level == RaidLevel::Rotated,
            failures: if fails { vec![failure] } else { Vec::new() },
            stripe_cache: Some(StripeCacheParameters { rows: 32, ..StripeCacheParameters::default() }),
            ..md(level, mode)
        };
        let mut bench = Bench::of(5 + usize::from(mode.is_some()), &parameters);
        for (number, &(address, blocks, way, at)) in requests.iter().enumerate() {
            let direction = [Direction::Read, Direction::Write, Direction::Flush][usize::from(way)];
            let blocks = if direction == Direction::Flush { 0 } else { blocks };
            let (synchronous, process) = (at % 2 == 0, number as u32 % 3);
            let request = read(number as u64, address, blocks);
            let request = BlockRequest { direction, synchronous, process, ..request };
            bench.inject(request, Time::from_millis(at));
        }
        let done = bench.finish();
        prop_assert_eq!(done.len(), requests.len());
        prop_assert!(done.iter().all(|request| request.status.failure().is_none()));
    }
}

#[test]
fn logs_that_cannot_be_are_refused() {
    let mistake = |parameters: &RaidParameters| parameters.layout(6).unwrap_err().to_string();
    let journal = md(RaidLevel::Rotated, Some(JournalMode::WriteBack));
    let bitmap = Some(BitmapParameters::default());
    assert!(mistake(&RaidParameters { bitmap, ..journal.clone() }).contains("no bitmap"));
    assert!(
        mistake(&RaidParameters { level: RaidLevel::Mirrored, ..journal.clone() })
            .contains("levels 4, 5 and 6")
    );
    let partial = RaidParameters { partial_parity_log: true, ..md(RaidLevel::DoubleRotated, None) };
    assert!(mistake(&partial).contains("level 5 has"));
    assert!(journal.check_journal(6, 1_000).is_err());
    assert!(journal.check_journal(6, 1 << 20).is_ok());
}
