//! Which copy Linux md reads.
//!
//! Written from `drivers/md/raid1.c` and `raid10.c` of Linux 6.1x, and not from the chooser that it checks. Functions:
//! `choose_best_rdev`, `is_sequential`, `should_choose_next`, `update_read_sectors`, `update_head_pos`,
//! `raid1_end_read_request`, `raid1_end_write_request`; `read_balance` of `raid10.c`, near copies.
//!
//! Assumed: all members in sync, no bad blocks, none write-mostly, no resync; devices that tell no optimal size of a request
//! (`should_choose_next` is false then).

/// `struct raid1_info` and the counter of its `md_rdev`.
#[derive(Clone, Debug, Default)]
struct Mirror {
    nr_pending: u32,
    head_position: u64,
    next_seq_sect: u64,
}

/// The mirrors of an array, at level 1 all of them, at level 10 by groups.
#[derive(Clone, Debug)]
pub(super) struct Mirrors {
    disks: Vec<Mirror>,
    nonrot: bool,
}

impl Mirrors {
    pub(super) fn new(members: usize, nonrot: bool) -> Self {
        Self { disks: vec![Mirror::default(); members], nonrot }
    }

    /// `choose_best_rdev` and `update_read_sectors` of level 1: the disk that is read.
    pub(super) fn read_balance(&mut self, sector: u64, sectors: u64) -> usize {
        let mut closest = (u64::MAX, usize::MAX);
        let mut least = (u32::MAX, usize::MAX);
        let mut sequential = None;
        for (disk, mirror) in self.disks.iter().enumerate() {
            if mirror.next_seq_sect == sector || mirror.head_position == sector {
                sequential = Some(disk);
                break;
            }
            if least.0 > mirror.nr_pending {
                least = (mirror.nr_pending, disk);
            }
            let distance = sector.abs_diff(mirror.head_position);
            if closest.0 > distance {
                closest = (distance, disk);
            }
        }
        let disk = sequential.unwrap_or(if self.nonrot || least.0 == 0 { least.1 } else { closest.1 });
        self.disks[disk].nr_pending += 1;
        self.disks[disk].next_seq_sect = sector + sectors;
        disk
    }

    /// `read_balance` of level 10: of the disks that hold the same, where each begins to be read at `sector`.
    pub(super) fn read_balance_10(&mut self, group: std::ops::Range<usize>, sector: u64) -> usize {
        let (mut best, mut best_distance) = (group.start, u64::MAX);
        let (mut best_pending, mut min_pending) = (group.start, u32::MAX);
        for slot in group {
            let Mirror { nr_pending, head_position, .. } = self.disks[slot];
            if min_pending > nr_pending {
                (best_pending, min_pending) = (slot, nr_pending);
            }
            let distance = if nr_pending == 0 { 0 } else { sector.abs_diff(head_position) };
            if distance < best_distance {
                (best, best_distance) = (slot, distance);
            }
        }
        let disk = if self.nonrot { best_pending } else { best };
        self.disks[disk].nr_pending += 1;
        disk
    }

    /// A write goes to a disk.
    pub(super) fn write(&mut self, disk: usize) {
        self.disks[disk].nr_pending += 1;
    }

    /// `raid1_end_read_request`, `raid10_end_read_request`.
    pub(super) fn end_read(&mut self, disk: usize, end: u64) {
        self.disks[disk].head_position = end;
        self.disks[disk].nr_pending -= 1;
    }

    /// `raid1_end_write_request`, `raid10_end_write_request`.
    pub(super) fn end_write(&mut self, disk: usize) {
        self.disks[disk].nr_pending -= 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::raid::array::Array;
    use crate::raid::tests::plan::planner;
    use crate::raid::whole::Rules;
    use crate::raid::{RaidLevel, RaidParameters, ReadChoice};
    use petrio_colours::{BlockRequest, Direction, RequestId};
    use petrio_kernel::Time;
    use proptest::prelude::*;
    use smallvec::SmallVec;

    /// Blocks of a member, and of a unit of level 1+0.
    const MEMBER: u64 = 1 << 14;
    const UNIT: u64 = 128;

    fn array(level: RaidLevel, members: usize, rotational: bool) -> Array {
        let RaidParameters { write_order, rebuild, .. } = RaidParameters::of(level);
        let planner = planner(level, members, |_| {});
        Array::new(
            Rules {
                blocks: planner.layout.blocks(MEMBER),
                planner,
                order: write_order,
                locks: true,
                reads: ReadChoice::LinuxMd,
                striped_mirrors: level == RaidLevel::MirroredStriped,
                rotational,
                pieces: None,
                mostly: crate::raid::behind::WriteMostly::default(),
                lowest: false,
                member_blocks: MEMBER,
                makes_parity: false,
                spares: 0,
                alone: true,
                replaces: false,
                rebuild,
                discards: None,
            },
            None,
            None,
        )
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn every_read_goes_to_the_copy_that_linux_md_reads(
            steps in prop::collection::vec((0u8..8, 0u64..MEMBER, 1u64..UNIT, any::<prop::sample::Index>()), 1..200),
            pairs in 1usize..4,
            striped in any::<bool>(),
            rotational in any::<bool>(),
        ) {
            let level = if striped { RaidLevel::MirroredStriped } else { RaidLevel::Mirrored };
            let members = if striped { 2 * pairs } else { 1 + pairs };
            let mut array = array(level, members, rotational);
            let mut md = Mirrors::new(members, !rotational);
            let mut under_way: Vec<(usize, BlockRequest)> = Vec::new();
            let (mut goes_on, mut reads) = (0, 0);
            for (number, (what, anywhere, blocks, which)) in steps.into_iter().enumerate() {
                if what < 3 {
                    if !under_way.is_empty() {
                        let (disk, part) = under_way.swap_remove(which.index(under_way.len()));
                        match part.direction {
                            Direction::Read => md.end_read(disk, part.end()),
                            _ => md.end_write(disk),
                        }
                        prop_assert!(array.part(disk, &part, Time::ZERO, 0.0).is_some());
                    }
                    continue;
                }
                // Half of all go on from the one before; none reaches beyond a unit, which md looks at one by one.
                let address = if what % 2 == 0 { goes_on } else { anywhere };
                let blocks = blocks.min(UNIT - address % UNIT);
                let address = if address + blocks > MEMBER { 0 } else { address };
                goes_on = address + blocks;
                let direction = if what == 7 { Direction::Write } else { Direction::Read };
                let request = BlockRequest {
                    id: RequestId(number as u64), direction, address, blocks: blocks as u32, ..BlockRequest::default()
                };
                let sends = array.arrive(request, SmallVec::new(), 0.0).sends.clone();
                if direction == Direction::Write {
                    sends.iter().for_each(|(disk, _)| md.write(*disk));
                } else {
                    prop_assert_eq!(sends.len(), 1);
                    let (disk, part) = &sends[0];
                    let chosen = if striped {
                        let first = 2 * (address / UNIT % pairs as u64) as usize;
                        md.read_balance_10(first..first + 2, part.address)
                    } else {
                        md.read_balance(part.address, part.blocks.into())
                    };
                    prop_assert_eq!(chosen, *disk, "read {} of {:?}", reads, level);
                    reads += 1;
                }
                under_way.extend(sends);
            }
        }
    }
}
