//! What is written down before data are: what it costs, and when it costs nothing; and who needn't be waited for.

use super::*;

fn mirrored(change: impl Fn(&mut RaidParameters)) -> RaidParameters {
    let mut parameters = RaidParameters::of(RaidLevel::Mirrored);
    parameters.bitmap = Some(BitmapParameters::default());
    change(&mut parameters);
    parameters
}

fn write(id: u64, address: u64) -> BlockRequest {
    BlockRequest { direction: Direction::Write, ..read(id, address, 8) }
}

#[test]
fn a_bit_is_set_before_data_costs_nothing_once_it_is_and_is_cleared_later() {
    for level in [RaidLevel::Mirrored, RaidLevel::MirroredStriped, RaidLevel::Rotated] {
        let parameters = RaidParameters { level, ..mirrored(|_| {}) };
        let mut bench = Bench::of(4, &parameters);
        let plain = {
            let mut bench = Bench::of(4, &RaidParameters { bitmap: None, ..parameters });
            bench.inject(write(1, 0), Time::ZERO);
            bench.finish()[0].ledger.total()
        };
        let seconds = Time::from_whole_seconds;
        for (id, at) in [(1, seconds(0)), (2, seconds(1)), (3, seconds(20))] {
            bench.inject(write(id, 0), at);
        }
        let mut done = bench.finish();
        done.sort_unstable_by_key(|request| request.id);
        let totals: Vec<_> = done.iter().map(|request| request.ledger.total()).collect();
        // A flush of 2 ms, and a page to the medium of all members.
        let set = Time::from_micros(2_000 + 1_125);
        assert_eq!(totals, [plain + set, plain, plain + set], "{level}");
        // Set twice, and cleared twice; and the data, which lie there, too.
        let pages = bench.seen(0).iter().filter(|(way, at, _)| (*way, *at) == (Direction::Write, 0)).count();
        assert_eq!(pages, 4 + 3, "{level}");
    }
}

#[test]
fn nobody_waits_for_a_member_that_is_mostly_written_and_none_reads_it() {
    let total = |behind, number: u64| {
        let parameters = mirrored(|parameters| {
            (parameters.write_mostly, parameters.write_behind) = (vec![1], behind);
        });
        let mut bench =
            Bench::over(2, 1 << 20, &parameters, |member| if member == 1 { "100 ms" } else { "1 ms" });
        // The bit is set before.
        bench.inject(write(0, 0), Time::ZERO);
        (1..=number).for_each(|id| bench.inject(write(id, 80 * id), Time::from_whole_seconds(1)));
        bench.inject(read(99, 4_096, 8), Time::from_whole_seconds(2));
        let done = bench.finish();
        assert_eq!(done.len() as u64, number + 2);
        assert!(bench.seen(1).iter().all(|(way, ..)| *way != Direction::Read));
        assert!(bench.look(Array::is_at_rest));
        let writes = done.iter().filter(|request| (1..=number).contains(&request.id.0));
        writes.map(|request| request.ledger.total()).fold(Time::ZERO, Time::max)
    };
    assert!(total(0, 1) > Time::from_millis(100));
    assert_eq!(total(256, 1), Time::from_micros(1_125));
    // The third may be behind no more.
    assert!(total(2, 2) < Time::from_millis(4));
    assert!(total(2, 3) > Time::from_millis(100));
}
