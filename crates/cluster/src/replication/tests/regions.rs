//! What belongs to no file is treated by regions of the device.

use super::*;

#[test]
fn what_belongs_to_no_file_is_copied_by_regions() {
    let policy = PolicyParameters::CutBack(Trigger::default());
    let parameters = ReplicationParameters { policy, ..ReplicationParameters::default() };
    let mut bench = Bench::new(&parameters, 2);
    // Over the border of the first and the second MiB.
    bench.ask(Direction::Write, 0, 2_040, 16, 1.0);
    assert_eq!(bench.until(30.0).len(), 1);
    assert_eq!((bench.copies(1 << 31), bench.copies(1 << 31 | 1), bench.copies(1 << 31 | 2)), (1, 1, 0));
    bench.until(200.0);
    let tally = bench.tally();
    assert_eq!((tally.copies_made, tally.copy_bytes()), (2, 2 * 2 * (1 << 20)));
    assert_eq!(bench.copies(1 << 31 | 1), 2);
}

#[test]
fn a_request_of_more_regions_than_sixteen_bits_number_comes_back_once() {
    let parameters = ReplicationParameters { region: Bytes(64 << 10), ..magic(PolicyParameters::default()) };
    let disk = AnalyticDiskParameters { blocks: Blocks(66_000 * 128), ..disk() };
    let mut bench = Bench::of(&disk, &parameters, 1, FileLayout::default(), Sight::Arm);
    let blocks = 65_540 * 128;
    let id = bench.ask(Direction::Read, 0, 0, blocks, 0.0);
    let back: Vec<_> = bench.until(1e6).into_iter().map(|back| (back.id, back.blocks)).collect();
    assert_eq!(back, [(RequestId(id), blocks)]);
    assert!(bench.tally().read_turnaround.mean() > 1_000.0, "it is read as a whole");
}

#[test]
fn more_regions_than_have_numbers_are_refused() {
    let of = |region| {
        let parameters = ReplicationParameters { region: Bytes(region), ..Default::default() };
        Replicas::new(&parameters, vec![true], (1 << 40, FileLayout::default().into())).map(|_| ())
    };
    assert!(matches!(of(64 << 10), Err(ReplicationError::Regions { limit, .. }) if limit == 1 << 31));
    assert_eq!(of(1 << 20), Ok(()));
}
