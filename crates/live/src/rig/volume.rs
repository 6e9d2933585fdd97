//! Where things lie on a volume: the journal's blocks, and what the other metadata blocks are.
//!
//! Read from `debugfs` and `dumpe2fs` of e2fsprogs, whose output the pure functions here take apart:
//!
//! ```text
//! BLOCKS:
//! (0-11):1043-1054, (IND):1055, (12-1035):1056-2079, …          ext3
//! EXTENTS:
//! (ETB0):33793, (0-4095):32768-36863                            ext4
//! ```

use super::error::RigError;
use super::program::{run, run_aloud};
use petrio_capture::journal_trace::{JournalArea, TagFormat};
use petrio_units::numbers::as_index;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;

/// Bytes of a block; rigs make no other.
pub const BLOCK_BYTES: u64 = 4096;
/// Blocks of 512 bytes in one of the file system's.
const SECTORS: u64 = BLOCK_BYTES / 512;

/// What a block of the volume holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum BlockKind {
    /// The superblock (block 0 of a volume with blocks of 4 KiB).
    Superblock,
    /// Group descriptors.
    GroupDescriptors,
    /// Which blocks of a group are in use.
    BlockBitmap,
    /// Which inodes of a group are in use.
    InodeBitmap,
    /// Inodes.
    InodeTable,
    /// Entries of a directory.
    Directory,
    /// Positions of a file's blocks: an indirect block, or one of an extent tree.
    Mapping,
    /// A file's data.
    Data,
    /// In use by nobody any more when it was looked at.
    Free,
}

impl BlockKind {
    /// The word used in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Superblock => "superblock",
            Self::GroupDescriptors => "group descriptors",
            Self::BlockBitmap => "block bitmap",
            Self::InodeBitmap => "inode bitmap",
            Self::InodeTable => "inode table",
            Self::Directory => "directory",
            Self::Mapping => "mapping",
            Self::Data => "data",
            Self::Free => "free",
        }
    }
}

impl fmt::Display for BlockKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Blocks of a file as debugfs lists them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct FileBlocks {
    /// First and last block of each piece of data, by first logical block.
    data: Vec<(u64, u64, u64)>,
    /// Blocks that only say where others are.
    mapping: Vec<u64>,
}

impl FileBlocks {
    /// From the output of `debugfs -R "stat …"`.
    fn parse(text: &str) -> Self {
        let mut found = Self::default();
        let Some((_, list)) = text.split_once("BLOCKS:\n").or_else(|| text.split_once("EXTENTS:\n")) else {
            return found;
        };
        for piece in list.split([',', '\n']) {
            let Some((logical, physical)) =
                piece.trim().strip_prefix('(').and_then(|rest| rest.split_once("):"))
            else {
                continue;
            };
            let (first, last) = physical.split_once('-').unwrap_or((physical, physical));
            let (Ok(first), Ok(last)) = (first.trim().parse(), last.trim().parse()) else { continue };
            // `[u]` marks blocks that are allocated and not yet written.
            let start = logical.split(['-', '[']).next().unwrap_or_default();
            match start.parse() {
                Ok(start) => found.data.push((start, first, last)),
                Err(_) => found.mapping.extend(first..=last),
            }
        }
        found.data.sort_unstable();
        found
    }
}

/// The journal of a volume and what is needed to read it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Journal {
    pub(super) area: JournalArea,
    /// How a descriptor block is written; none of XFS.
    format: Option<TagFormat>,
}

impl Journal {
    /// Of the file system on a device whose blocks lie in `image`.
    pub(super) fn of(device: &Path, image: &File) -> Result<Self, RigError> {
        let text = debugfs(device, "stat <8>")?;
        let blocks = FileBlocks::parse(&text);
        let Some((0, first, _)) = blocks.data.first().copied() else {
            return Err(RigError::Answer {
                program: "debugfs",
                answer: text,
                expected: "the blocks of the journal",
            });
        };
        let mut superblock = vec![0; as_index(BLOCK_BYTES)];
        image
            .read_exact_at(&mut superblock, first * BLOCK_BYTES)
            .map_err(RigError::system("read the journal on", device))?;
        let format = TagFormat::of_superblock(&superblock).ok_or_else(|| RigError::Answer {
            program: "debugfs",
            answer: format!("a journal at block {first}"),
            expected: "a block with the journal's magic number there",
        })?;
        let pieces = blocks.data.iter().map(|(_, first, last)| (*first, *last));
        let pieces = pieces.chain(blocks.mapping.iter().map(|block| (*block, *block)));
        let area = JournalArea::new(pieces.map(|(first, last)| (first * SECTORS, (last + 1) * SECTORS)));
        Ok(Self { area, format: Some(format) })
    }

    /// The log of the XFS in an image, by its superblock (struct xfs_dsb of fs/xfs/libxfs/xfs_format.h).
    pub(super) fn of_xfs(image: &File) -> Result<Self, RigError> {
        let mut superblock = [0; 512];
        image
            .read_exact_at(&mut superblock, 0)
            .map_err(RigError::system("read the superblock in", "the image"))?;
        let area = log_of_xfs(&superblock).ok_or_else(|| RigError::Answer {
            program: "mkfs.xfs",
            answer: "a superblock".to_owned(),
            expected: "an XFS with its log within it",
        })?;
        Ok(Self { area, format: None })
    }

    /// Blocks that a write into the journal announces, if it begins with a descriptor block; read back from the image,
    /// where it stays until the journal comes round to it again.
    pub(super) fn announced(&self, image: &File, sector: u64) -> Result<Option<Vec<u64>>, RigError> {
        let Some(format) = &self.format else { return Ok(None) };
        let mut block = vec![0; as_index(BLOCK_BYTES)];
        image
            .read_exact_at(&mut block, sector * 512)
            .map_err(RigError::system("read the journal in", "the image"))?;
        Ok(format.blocks_logged(&block))
    }
}

/// Where an XFS has its log: block size at byte 4, the log's first block at 48 (its group in the upper bits), blocks of a group at 84, of the
/// log at 96, and how many bits a block's number within its group has at 124; all with the highest byte first.
fn log_of_xfs(superblock: &[u8; 512]) -> Option<JournalArea> {
    let number = |at: usize, bytes: usize| {
        let field = superblock.get(at..at + bytes).unwrap_or_default();
        field.iter().fold(0_u64, |number, byte| number << 8 | u64::from(*byte))
    };
    let (block_bytes, log, bits) = (number(4, 4), number(48, 8), number(124, 1));
    if !superblock.starts_with(b"XFSB") || log == 0 || bits >= 64 {
        return None;
    }
    let first = (log >> bits) * number(84, 4) + (log & ((1 << bits) - 1));
    let sectors = block_bytes / 512;
    Some(JournalArea::new([(first * sectors, (first + number(96, 4)) * sectors)]))
}

/// What the blocks of a volume hold whose place never changes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Layout {
    /// First block, last block and kind, by first block.
    places: BTreeMap<u64, (u64, BlockKind)>,
}

impl Layout {
    /// Of the file system on a device.
    pub(super) fn of(device: &Path) -> Result<Self, RigError> {
        Ok(Self::parse(&run("dumpe2fs", &[device.as_os_str()])?))
    }

    /// From the output of dumpe2fs.
    fn parse(text: &str) -> Self {
        const KINDS: [(&str, BlockKind); 6] = [
            ("superblock at ", BlockKind::Superblock),
            ("Group descriptors at ", BlockKind::GroupDescriptors),
            ("Block bitmap at ", BlockKind::BlockBitmap),
            ("Inode bitmap at ", BlockKind::InodeBitmap),
            ("Inode table at ", BlockKind::InodeTable),
            // Kept for growth and never written otherwise; they stand here so that nothing takes them for free.
            ("Reserved GDT blocks at ", BlockKind::GroupDescriptors),
        ];
        let mut layout = Self::default();
        for line in text.lines() {
            for (words, kind) in KINDS {
                let Some((_, rest)) = line.split_once(words) else { continue };
                let numbers: String =
                    rest.chars().take_while(|letter| letter.is_ascii_digit() || *letter == '-').collect();
                let (first, last) = numbers.split_once('-').unwrap_or((&numbers, &numbers));
                if let (Ok(first), Ok(last)) = (first.parse(), last.parse()) {
                    layout.places.insert(first, (last, kind));
                }
            }
        }
        layout
    }

    fn kind(&self, block: u64) -> Option<BlockKind> {
        let (_, (last, kind)) = self.places.range(..=block).next_back()?;
        (block <= *last).then_some(*kind)
    }

    /// What these blocks hold at the moment. Directories, mapping blocks and data are asked for at debugfs.
    pub(super) fn kinds(&self, device: &Path, blocks: &[u64]) -> Result<Vec<BlockKind>, RigError> {
        blocks
            .iter()
            .map(|block| match self.kind(*block) {
                Some(kind) => Ok(kind),
                None => ask_kind(device, *block),
            })
            .collect()
    }
}

fn ask_kind(device: &Path, block: u64) -> Result<BlockKind, RigError> {
    let owner = debugfs(device, &format!("icheck {block}"))?;
    let inode = owner.lines().nth(1).and_then(|line| line.split_whitespace().nth(1)?.parse::<u64>().ok());
    let Some(inode) = inode else { return Ok(BlockKind::Free) };
    let status = debugfs(device, &format!("stat <{inode}>"))?;
    Ok(if FileBlocks::parse(&status).mapping.contains(&block) {
        BlockKind::Mapping
    } else if status.contains("Type: directory") {
        BlockKind::Directory
    } else {
        BlockKind::Data
    })
}

fn debugfs(device: &Path, request: &str) -> Result<String, RigError> {
    run_aloud("debugfs", &["-R".as_ref(), request.as_ref(), device.as_os_str()])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_ext3_journal_is_its_data_and_its_indirect_blocks() {
        let blocks = FileBlocks::parse(
            "Inode: 8   Type: regular\nBLOCKS:\n(0-11):1043-1054, (IND):1055, (12-1035):1056-2079, \n(DIND):2080, (IND):2081, (1036-4095):2082-5141\nTOTAL: 4099\n",
        );
        assert_eq!(blocks.data, [(0, 1043, 1054), (12, 1056, 2079), (1036, 2082, 5141)]);
        assert_eq!(blocks.mapping, [1055, 2080, 2081]);
        let length: u64 = blocks.data.iter().map(|(_, first, last)| last - first + 1).sum();
        assert_eq!(length + blocks.mapping.len() as u64, 4099);
    }

    #[test]
    fn an_ext4_journal_is_its_extents() {
        let blocks = FileBlocks::parse("EXTENTS:\n(ETB0):9, (0-32766):131072-163838, (32767[u]):170000\n");
        assert_eq!(blocks.data, [(0, 131_072, 163_838), (32_767, 170_000, 170_000)]);
        assert_eq!(blocks.mapping, [9]);
    }

    #[test]
    fn metadata_of_fixed_place_are_known_by_their_group() {
        let layout = Layout::parse(
            "Group 0: (Blocks 0-32767)\n  Primary superblock at 0, Group descriptors at 1-1\n  Reserved GDT blocks at 2-63\n  \
             Block bitmap at 64 (+64)\n  Inode bitmap at 65 (+65)\n  Inode table at 66-577 (+66)\n\
             Group 1: (Blocks 32768-65535)\n  Backup superblock at 32768, Group descriptors at 32769-32769\n",
        );
        let kinds: Vec<_> = [0, 1, 64, 65, 66, 577, 578, 32_768].map(|block| layout.kind(block)).into();
        use BlockKind::{BlockBitmap, GroupDescriptors, InodeBitmap, InodeTable, Superblock};
        let expected = [Superblock, GroupDescriptors, BlockBitmap, InodeBitmap, InodeTable, InodeTable];
        assert_eq!(kinds[..6], expected.map(Some));
        assert_eq!(kinds[6..], [None, Some(Superblock)]);
    }
}
