//! What is there, and what is left of it after a power cut.

#![allow(clippy::unwrap_used)]

use super::*;
use petrio_random::generator;
use petrio_units::Fraction;
use proptest::prelude::*;

const SECTOR: u64 = SECTOR_BYTES;

fn durability(volatile: bool, room: Option<u64>) -> Durability {
    Durability { volatile, room, force_unit_access: true, discards: true, rotational: true }
}

fn store(volatile: bool, room: Option<u64>) -> Store {
    Store::new(Medium::in_memory(), durability(volatile, room), None)
}

fn sector(byte: u8) -> Content {
    Content::Bytes(vec![byte; 512])
}

fn at(store: &Store, number: u64) -> u8 {
    let mut bytes = [0; 512];
    store.read(number * SECTOR, &mut bytes).unwrap();
    assert!(bytes.iter().all(|byte| *byte == bytes[0]), "sector {number} is torn");
    bytes[0]
}

fn cut(kept: f64, reordered: bool, torn: f64) -> PowerCut {
    let fraction = |value| Fraction::new(value).unwrap();
    PowerCut { kept: fraction(kept), reordered, torn: fraction(torn), ..PowerCut::default() }
}

#[test]
fn what_no_flush_followed_is_lost_with_the_power_and_the_rest_stays() {
    let mut store = store(true, None);
    store.write(0, sector(1), false).unwrap();
    let mark = store.mark();
    store.write(SECTOR, sector(2), false).unwrap();
    store.write(0, sector(3), false).unwrap();
    // The flush came before the second and the third.
    store.flushed(mark).unwrap();
    store.write(2 * SECTOR, sector(4), true).unwrap();
    assert_eq!((at(&store, 0), at(&store, 1), at(&store, 2)), (3, 2, 4));
    let counts = store.cut(&cut(0.0, false, 0.0), &mut generator(1, 0, "", ""), Vec::new()).unwrap();
    assert_eq!((counts.lost, counts.kept, counts.torn), (2, 0, 0));
    assert_eq!((at(&store, 0), at(&store, 1), at(&store, 2)), (1, 0, 4));
}

#[test]
fn a_write_that_goes_through_takes_older_ones_of_its_place_along() {
    let mut store = store(true, None);
    store.write(0, sector(1), false).unwrap();
    store.write(0, sector(2), true).unwrap();
    assert_eq!(store.volatile(), (0, 0));
    store.finish().unwrap();
    assert_eq!(at(&store, 0), 2);
}

#[test]
fn a_device_without_a_volatile_cache_loses_nothing_that_it_has_reported() {
    let mut store = store(false, None);
    for number in 0..100 {
        store.write(number * SECTOR, sector(7), false).unwrap();
    }
    let counts = store.cut(&cut(0.0, false, 1.0), &mut generator(1, 0, "", ""), Vec::new()).unwrap();
    assert_eq!(counts, CutCounts::default());
    assert!((0..100).all(|number| at(&store, number) == 7));
}

#[test]
fn no_more_is_lost_than_the_cache_has_room_for() {
    let mut store = store(true, Some(10 * SECTOR));
    for number in 0..100 {
        store.write(number * SECTOR, sector(7), false).unwrap();
    }
    store.cut(&cut(0.0, false, 0.0), &mut generator(1, 0, "", ""), Vec::new()).unwrap();
    assert_eq!((0..100).filter(|number| at(&store, *number) == 7).count(), 90);
    assert!((0..90).all(|number| at(&store, number) == 7), "the first are the first to leave");
}

#[test]
fn a_part_is_kept_in_order_or_in_any_and_as_much_as_was_said() {
    let survivors = |reordered: bool, seed: u64| {
        let mut store = store(true, None);
        for number in 0..1_000 {
            store.write(number * SECTOR, sector(7), false).unwrap();
        }
        let mut random = generator(seed, 0, "", "");
        store.cut(&cut(0.3, reordered, 0.0), &mut random, Vec::new()).unwrap();
        (0..1_000).filter(|number| at(&store, *number) == 7).collect::<Vec<u64>>()
    };
    for seed in 0..20 {
        let kept = survivors(false, seed);
        assert!(kept.iter().copied().eq(0..kept.len() as u64), "a first part: {kept:?}");
    }
    let kept = survivors(true, 1);
    assert!((200..400).contains(&kept.len()) && kept[kept.len() - 1] > 900, "any of them: {}", kept.len());
    assert_eq!(kept, survivors(true, 1), "the same seed, the same ones");
    let mean = (0..200).map(|seed| survivors(false, seed).len() as f64).sum::<f64>() / 200.0;
    assert!((250.0..350.0).contains(&mean), "{mean}");
}

#[test]
fn a_torn_write_leaves_its_first_sectors_and_a_torn_sector_its_first_half() {
    let mut parts = std::collections::BTreeSet::new();
    for seed in 0..200 {
        let mut store = store(true, None);
        let under_way = vec![(0, Content::Bytes(vec![9; 8 * 512]))];
        let mut cut = cut(0.0, false, 1.0);
        cut.torn_sectors = Fraction::ONE;
        store.cut(&cut, &mut generator(seed, 0, "", ""), under_way).unwrap();
        let mut bytes = vec![0; 8 * 512];
        store.read(0, &mut bytes).unwrap();
        let there = bytes.iter().take_while(|byte| **byte == 9).count();
        assert!(bytes[there..].iter().all(|byte| *byte == 0));
        assert_eq!(there % 512, 256);
        parts.insert(there / 512);
    }
    assert!(parts.iter().copied().eq(0..8), "{parts:?}");
}

#[test]
fn an_image_is_as_large_as_its_device_takes_no_room_and_is_one_users() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("image");
    let size = petrio_units::Bytes(1 << 40);
    let mut store = Store::new(Medium::image(&path, size).unwrap(), durability(false, None), None);
    assert!(matches!(Medium::image(&path, size), Err(ImageError::InUse { .. })));
    store.write((1 << 40) - 512, sector(5), false).unwrap();
    store.write(1 << 30, sector(6), false).unwrap();
    store.write(1 << 30, Content::Zeros(512), false).unwrap();
    drop(store);
    let there = std::fs::metadata(&path).unwrap();
    assert_eq!(there.len(), 1 << 40);
    assert!(std::os::unix::fs::MetadataExt::blocks(&there) < 2_000);
    assert!(matches!(Medium::image(&path, petrio_units::Bytes(512)), Err(ImageError::Size { .. })));
    let store = Store::new(Medium::image(&path, size).unwrap(), durability(false, None), None);
    assert_eq!((at(&store, (1 << 31) - 1), at(&store, 1 << 21)), (5, 0));
    assert!(matches!(Medium::image(folder.path(), size), Err(ImageError::NotPlain { .. })));
}

/// What is asked of a store and of a plain array beside it.
#[derive(Clone, Debug)]
enum Step {
    Write(u64, u64, u8, bool),
    Zero(u64, u64),
    Flush,
}

fn step() -> impl Strategy<Value = Step> {
    let range = || (0u64..64, 1u64..9);
    prop_oneof![
        4 => (range(), 1u8..255, any::<bool>()).prop_map(|((at, count), byte, through)| Step::Write(at, count, byte, through)),
        1 => range().prop_map(|(at, count)| Step::Zero(at, count)),
        1 => Just(Step::Flush),
    ]
}

proptest! {
    /// Whatever is written, a read gives the latest; and after a cut each sector has one of the versions since it was last durable.
    #[test]
    fn a_read_gives_the_latest_and_a_cut_what_the_flushes_allow(
        steps in proptest::collection::vec(step(), 0..60),
        room in proptest::option::of(1u64..40), any_order in any::<bool>(), seed in 0u64..1_000, kept in 0.0f64..1.0,
    ) {
        let order = any_order.then(|| generator(seed, 0, "order", ""));
        let mut store = Store::new(Medium::in_memory(), durability(true, room.map(|room| room * SECTOR)), order);
        // Of each sector, all versions that a cut may leave: the last durable one first.
        let mut allowed = vec![vec![0u8]; 72];
        for step in steps {
            match step {
                Step::Write(first, count, byte, through) => {
                    let content = Content::Bytes(vec![byte; as_index(count * SECTOR)]);
                    store.write(first * SECTOR, content, through).unwrap();
                    for sector in &mut allowed[as_index(first)..as_index(first + count)] {
                        if through { sector.clear(); }
                        sector.push(byte);
                    }
                }
                Step::Zero(first, count) => {
                    store.write(first * SECTOR, Content::Zeros(count * SECTOR), false).unwrap();
                    allowed[as_index(first)..as_index(first + count)].iter_mut().for_each(|sector| sector.push(0));
                }
                Step::Flush => {
                    store.flushed(store.mark()).unwrap();
                    allowed.iter_mut().for_each(|sector| { sector.drain(..sector.len() - 1); });
                }
            }
            for (number, versions) in (0..).zip(&allowed) {
                prop_assert_eq!(at(&store, number), versions[versions.len() - 1]);
            }
        }
        let mut random = generator(seed, 0, "cut", "");
        store.cut(&cut(kept, any_order, 0.2), &mut random, Vec::new()).unwrap();
        for (number, versions) in (0..).zip(&allowed) {
            prop_assert!(versions.contains(&at(&store, number)), "sector {} is none of {:?}", number, versions);
        }
    }
}
