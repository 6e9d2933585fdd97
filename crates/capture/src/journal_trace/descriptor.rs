//! A journal's descriptor block: which blocks a commit logged.
//!
//! ```text
//! | magic c03b3998 | type 1 | sequence | tag | UUID | tag | tag | …    all numbers big-endian
//! tag           block, checksum (16 bits), flags (16 bits) [, high half of the block]
//! tag, csum v3  block, flags, high half of the block, checksum: 32 bits each
//! flags         1 escaped, 2 same UUID (none follows), 4 deleted, 8 the last tag
//! ```
//!
//! Source: Linux 6.18 `include/linux/jbd2.h` and `fs/jbd2/journal.c` (`journal_tag_bytes`); the same in `fs/jbd` of
//! older ones, which knows the plain tag only. Checksums are left unchecked: the block was written a moment ago.

/// What a journal's superblock says of its descriptor blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct TagFormat {
    /// Block numbers of 64 bits (feature 0x2).
    pub wide_blocks: bool,
    /// Tags of two more bytes, and a checksum at the block's end (feature 0x8).
    pub checksum_v2: bool,
    /// Tags with checksums of 32 bits, and a checksum at the block's end (feature 0x10).
    pub checksum_v3: bool,
}

/// The magic number of every block of the journal's own.
const MAGIC: u32 = 0xc03b_3998;
const DESCRIPTOR: u32 = 1;
const SUPERBLOCK_V2: u32 = 4;
const SAME_UUID: u32 = 2;
const LAST_TAG: u32 = 8;
const UUID_BYTES: usize = 16;

fn big_endian(block: &[u8], at: usize) -> Option<u32> {
    let bytes = block.get(at..at.checked_add(4)?)?;
    Some(u32::from_be_bytes(bytes.try_into().ok()?))
}

impl TagFormat {
    /// From the journal's superblock, its first block; none where that isn't one.
    pub fn of_superblock(block: &[u8]) -> Option<Self> {
        if big_endian(block, 0)? != MAGIC {
            return None;
        }
        if big_endian(block, 4)? != SUPERBLOCK_V2 {
            // Version 1 has no features.
            return (big_endian(block, 4)? == SUPERBLOCK_V2 - 1).then(Self::default);
        }
        // After the header (12), three numbers of the layout (12), sequence and start (8), errno (4), features that are
        // compatible (4).
        let incompatible = big_endian(block, 40)?;
        Some(Self {
            wide_blocks: incompatible & 0x2 != 0,
            checksum_v2: incompatible & 0x8 != 0,
            checksum_v3: incompatible & 0x10 != 0,
        })
    }

    /// The file system's blocks that a descriptor block announces, in the order in which their contents follow it; none
    /// where the block isn't a descriptor.
    pub fn blocks_logged(self, block: &[u8]) -> Option<Vec<u64>> {
        if big_endian(block, 0)? != MAGIC || big_endian(block, 4)? != DESCRIPTOR {
            return None;
        }
        let end = block.len() - if self.checksum_v2 || self.checksum_v3 { 4 } else { 0 };
        let tag_bytes = match (self.checksum_v3, self.wide_blocks) {
            (true, _) => 16,
            (false, true) => 12 + usize::from(self.checksum_v2) * 2,
            (false, false) => 8 + usize::from(self.checksum_v2) * 2,
        };
        let mut found = Vec::new();
        let mut at = 12;
        while at + tag_bytes <= end {
            let low = big_endian(block, at)?;
            let (flags, high) = if self.checksum_v3 {
                (big_endian(block, at + 4)?, big_endian(block, at + 8)?)
            } else {
                // The checksum shares a word with the flags.
                let high = if self.wide_blocks { big_endian(block, at + 8)? } else { 0 };
                (big_endian(block, at + 4)? & 0xffff, high)
            };
            found.push(u64::from(high) << 32 | u64::from(low));
            at += tag_bytes;
            if flags & SAME_UUID == 0 {
                at += UUID_BYTES;
            }
            if flags & LAST_TAG != 0 {
                break;
            }
        }
        Some(found)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use proptest::prelude::*;

    /// A second, independent writer of descriptor blocks, as `fs/jbd2/commit.c` fills them.
    fn descriptor(format: TagFormat, blocks: &[u64]) -> Vec<u8> {
        let mut out = Vec::new();
        for word in [MAGIC, 1, 77] {
            out.extend(word.to_be_bytes());
        }
        for (index, block) in blocks.iter().enumerate() {
            let flags = if index > 0 { 2u16 } else { 0 } | if index + 1 == blocks.len() { 8 } else { 0 };
            out.extend((*block as u32).to_be_bytes());
            let high = ((*block >> 32) as u32).to_be_bytes();
            if format.checksum_v3 {
                out.extend(u32::from(flags).to_be_bytes());
                out.extend(if format.wide_blocks { high } else { [0; 4] });
                out.extend([0xab; 4]);
            } else {
                out.extend([0xcd, 0xef]);
                out.extend(flags.to_be_bytes());
                if format.wide_blocks {
                    out.extend(high);
                }
                if format.checksum_v2 {
                    out.extend([0; 2]);
                }
            }
            if index == 0 {
                out.extend([0x55; 16]);
            }
        }
        out.resize(4096, 0xff);
        out
    }

    #[test]
    fn a_commit_of_inode_bitmap_and_group_descriptor_names_all_three() {
        let format = TagFormat::default();
        assert_eq!(
            format.blocks_logged(&descriptor(format, &[196_610, 196_608, 1])).unwrap(),
            [196_610, 196_608, 1]
        );
    }

    #[test]
    fn features_are_read_from_the_superblock() {
        let superblock = |version: u32, features: u32| {
            let mut block = vec![0; 1024];
            block[0..4].copy_from_slice(&MAGIC.to_be_bytes());
            block[4..8].copy_from_slice(&version.to_be_bytes());
            block[40..44].copy_from_slice(&features.to_be_bytes());
            TagFormat::of_superblock(&block)
        };
        assert_eq!(superblock(4, 0), Some(TagFormat::default()));
        assert_eq!(superblock(3, 0x12), Some(TagFormat::default()));
        let ext4 = superblock(4, 0x12).unwrap();
        assert!(ext4.wide_blocks && ext4.checksum_v3 && !ext4.checksum_v2);
        assert_eq!(superblock(1, 0), None);
        assert_eq!(TagFormat::of_superblock(&[]), None);
    }

    proptest! {
        #[test]
        fn what_is_written_in_any_format_is_read_back(
            wide_blocks: bool, checksum_v2: bool, checksum_v3: bool, mut blocks in proptest::collection::vec(any::<u64>(), 1..100),
        ) {
            let format = TagFormat { wide_blocks, checksum_v2, checksum_v3 };
            if !wide_blocks {
                blocks.iter_mut().for_each(|block| *block &= u64::from(u32::MAX));
            }
            prop_assert_eq!(format.blocks_logged(&descriptor(format, &blocks)).unwrap(), blocks);
        }

        #[test]
        fn any_bytes_are_read_without_panic(
            wide_blocks: bool, checksum_v2: bool, checksum_v3: bool, mut block in proptest::collection::vec(any::<u8>(), 0..200),
            valid: bool,
        ) {
            if valid && block.len() >= 8 {
                block[..8].copy_from_slice(&[0xc0, 0x3b, 0x39, 0x98, 0, 0, 0, 1]);
            }
            TagFormat { wide_blocks, checksum_v2, checksum_v3 }.blocks_logged(&block);
            TagFormat::of_superblock(&block);
        }
    }
}
