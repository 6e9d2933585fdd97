//! What a drive makes of discards.

use super::*;

/// What was discarded is spare flash: random writes are as much faster as write amplification is less (Xiang and Kurkoski: 7.82 with 7 %
/// to spare), none slower, and writes in order and reads as fast as before.
#[test]
fn the_more_is_discarded_the_faster_random_writes_are_and_nothing_is_slower() {
    let sheet = sata();
    let mut before = 0.0;
    for (discarded, amplification) in [(0.0, 7.82), (0.05, 4.64), (0.1, 3.33), (0.15, 2.63)] {
        let writes = closed_after(&sheet, random(32, 4, 0.0), 800, discarded).0;
        is_near("writes", writes, 30_000.0 * 7.82 / amplification, 0.05);
        assert!(writes >= before, "{writes} after {before}");
        before = writes;
        let order = |discarded| closed_after(&sheet, in_order(32, 128, 0.0), 400, discarded).0;
        assert!(order(discarded) >= 0.999 * order(0.0));
        let reads = |discarded| closed_after(&sheet, random(32, 4, 1.0), 200, discarded).0;
        assert!(reads(discarded) >= 0.999 * reads(0.0));
    }
    // And none goes faster than in order.
    let most = closed_after(&sheet, random(32, 4, 0.0), 800, 0.9).0;
    assert!(most <= 1.001 * 500e6 / 4_096.0, "{most}");
}

/// A SATA drive is given a discard alone; a drive that queues it goes on meanwhile.
#[test]
fn a_discard_waits_for_all_commands_of_a_sata_drive_and_for_none_of_others() {
    let ends = |sheet: &SsdParameters| {
        let requests: Vec<BlockRequest> = (0..9_u64)
            .map(|number| {
                let direction = if number == 4 { Direction::Discard } else { Direction::Read };
                let id = petrio_colours::RequestId(number);
                BlockRequest { id, direction, address: number << 20, blocks: 8, ..BlockRequest::default() }
            })
            .collect();
        let mut order: Vec<u64> =
            completed(sheet, &requests).into_iter().map(|(_, request)| request.id.0).collect();
        let at = order.iter().position(|&id| id == 4).unwrap();
        let rest = order.split_off(at);
        (order.iter().all(|&id| id < 4) && order.len() == 4, rest.len())
    };
    assert_eq!(ends(&sata()), (true, 5));
    let queued = SsdParameters { trim: Some(Trim { queued: true, ..Trim::default() }), ..sata() };
    // It needs no flash, and so is over before the reads.
    assert_eq!(ends(&queued), (false, 9));
    let without = SsdParameters { trim: Some(Trim { enabled: false, ..Trim::default() }), ..sata() };
    assert_eq!(without.compile().unwrap().features().discards, None);
}
