//! What the SLC cache takes in, and what lies behind it.

use super::*;

#[test]
fn behind_the_slc_cache_writes_go_at_the_rate_behind_it_until_it_has_been_folded() {
    let small = SlcCache { size: Bytes(460_000_000), behind: rate(1_150.0), behind_iops: None, fold: None };
    let sheet = SsdParameters { slc: Some(small), ..nvme() };
    // 460 MB are full after 0.2 s at 2,300 MB/s; a run's first quarter isn't counted.
    is_near("before", closed(&sheet, in_order(32, 128, 0.0), 150).0 * 131_072.0, 2_300e6, 0.03);
    let (full, _) = closed(&sheet, in_order(32, 128, 0.0), 2_000);
    is_near("behind", full * 131_072.0, 1_150e6, 0.03);
    let state = State::new(1, 4 << 20, Some((100 << 20, 1e6)), 1 << 20);
    let mut left = state.clone();
    let figures = Figures::of(&sheet);
    let request = BlockRequest { blocks: 2048, ..BlockRequest::default() };
    let (pieces, _) = left.receive(&figures, Time::ZERO, &request);
    for piece in &pieces {
        left.begin_piece(Time::ZERO, piece);
        left.end(Time::ZERO, Some(*piece));
    }
    assert_eq!(left.slc().0, 1 << 20);
    left.ask();
    let read = left.open(request.clone(), 1);
    assert!(left.begin_read(Time::from_millis(500), read).is_some());
    assert_eq!(left.slc().0, (1 << 20) - 500_000);
}
