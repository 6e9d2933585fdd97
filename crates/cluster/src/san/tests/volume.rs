//! Where files and what is kept about them lie.

use crate::san::placement::Placement;
use crate::san::volume::Volume;
use petrio_colours::{Failure, FileId};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

const MIB: u64 = 1 << 20;

fn volume(disks: u64) -> Volume {
    Volume::new(MIB, Placement::RoundRobin, &vec![16 * MIB; disks as usize]).unwrap()
}

#[test]
fn a_file_lies_over_all_disks_and_each_partition_in_one_piece() {
    let mut volume = volume(4);
    volume.lay(FileId(4), FileId::ROOT, (false, 8 * MIB)).unwrap();
    for partition in 0..8 {
        let (disk, first) = volume.at(FileId(4), partition * MIB).unwrap();
        assert_eq!(u64::from(disk), partition % 4);
        assert_eq!(volume.at(FileId(4), partition * MIB + MIB - 1), Some((disk, first + MIB - 1)));
    }
    assert_eq!(volume.at(FileId(4), 8 * MIB), None);
}

#[test]
fn a_node_knows_where_lies_what_it_placed_itself_or_was_told_of() {
    let mut volume = volume(4);
    let file = FileId(4);
    volume.lay(file, FileId::ROOT, (false, 2 * MIB)).unwrap();
    volume.allocate(file, (0, 3 * MIB), Some(1)).unwrap();
    let told = volume.changes(file);
    volume.allocate(file, (0, 4 * MIB), Some(2)).unwrap();
    let knows =
        |node, changes, from: u64, to: u64| volume.is_known(file, (from * MIB, to * MIB), (node, changes));
    assert!(knows(7, 0, 0, 2), "what was there from the beginning");
    assert!(knows(1, 0, 0, 3) && !knows(1, 0, 3, 4) && !knows(2, 0, 2, 3) && knows(2, 0, 3, 9));
    assert!(knows(7, told, 0, 3) && !knows(7, told, 0, 4) && knows(7, volume.changes(file), 0, 4));
    assert!(knows(7, 0, 4, 9), "nothing lies there");
}

#[test]
fn a_full_file_system_says_so_and_has_room_again_when_files_go() {
    let mut volume = volume(2);
    volume.create(FileId(1), FileId::ROOT, false).unwrap();
    assert_eq!(volume.allocate(FileId(1), (0, 1 << 40), None), Err(Failure::NoSpace));
    assert_eq!(volume.taken(), 30, "a sixteenth of each disk is metadata's");
    volume.remove(FileId(1), false).unwrap();
    assert_eq!(volume.taken(), 0);
    volume.create(FileId(2), FileId::ROOT, false).unwrap();
    assert_eq!(volume.allocate(FileId(2), (0, 30 * MIB), None), Ok(true));
    assert_eq!(Volume::new(MIB, Placement::ByFile, &[1000]).map(|_| ()), None);
}

#[test]
fn directories_have_a_block_for_64_names_and_go_when_they_are_empty() {
    let mut volume = volume(3);
    volume.create(FileId(1), FileId::ROOT, true).unwrap();
    for file in 2..67 {
        volume.create(FileId(file), FileId(1), false).unwrap();
    }
    assert_eq!(
        (volume.blocks_of_names(FileId(1)), volume.block_of_name(FileId(1), FileId(66))),
        (2, Some(1))
    );
    assert_eq!(volume.remove(FileId(1), true), Err(Failure::NotEmpty));
    assert_eq!(volume.create(FileId(5), FileId(1), false), Err(Failure::Exists));
    assert_eq!(volume.rename(FileId(1), FileId(1), None), Err(Failure::Misplaced));
    volume.rename(FileId(2), FileId::ROOT, Some(FileId(3))).unwrap();
    assert_eq!((volume.parent(FileId(2)), volume.size(FileId(3))), (Some(FileId::ROOT), None));
    (4..67).for_each(|file| volume.remove(FileId(file), false).unwrap());
    assert_eq!(volume.remove(FileId(1), true), Ok(()));
}

proptest! {
    #[test]
    fn no_two_partitions_lie_in_one_place_nor_where_metadata_do(
        steps in prop::collection::vec((0u32..5, 0u64..40, 1u64..9, any::<bool>()), 1..40),
        disks in 1u64..5,
    ) {
        let mut volume = volume(disks);
        let mut expected = 0;
        let mut pieces: BTreeMap<u32, BTreeSet<u64>> = BTreeMap::new();
        for (file, first, count, cuts) in steps {
            let of = FileId(file + 1);
            let _ = volume.create(of, FileId::ROOT, false);
            let own = pieces.entry(file).or_default();
            if cuts {
                volume.truncate(of, first * MIB).unwrap();
                own.retain(|partition| *partition < first);
            } else if volume.allocate(of, (first * MIB, (first + count) * MIB), None).is_ok() {
                own.extend(first..first + count);
            } else {
                own.extend((first..first + count).filter(|part| volume.at(of, part * MIB).is_some()));
            }
            expected = pieces.values().map(BTreeSet::len).sum();
            let mut places = BTreeSet::new();
            for (file, own) in &pieces {
                for partition in own {
                    let (disk, first) = volume.at(FileId(file + 1), partition * MIB).unwrap();
                    prop_assert!(first >= MIB && first + MIB <= 16 * MIB);
                    prop_assert!(places.insert((disk, first)));
                }
                let (_, inode) = volume.inode_at(FileId(file + 1)).unwrap();
                prop_assert!(inode < MIB);
            }
            prop_assert!(volume.map_at(file).1 < MIB && volume.names_at(of, first).1 < MIB);
        }
        prop_assert_eq!(volume.taken(), expected as u64);
    }
}
