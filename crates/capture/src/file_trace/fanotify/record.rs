//! The bytes that a fanotify descriptor gives, as records of names.
//!
//! Source: fanotify(7); Linux 6.18 `include/uapi/linux/fanotify.h` (the layout), `include/linux/exportfs.h`,
//! `fs/xfs/xfs_export.h`, `mm/shmem.c` (`shmem_encode_fh`), `fs/btrfs/export.h` (what file handles have in them). Left
//! out: handles of other file systems, which say nothing to anybody but them; their records are counted.

/// A file or folder by its file system's number and its inode's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Node {
    /// `f_fsid`, the first word the lower one.
    pub(crate) file_system: u64,
    /// The inode's number.
    pub(crate) number: u64,
}

/// A name in a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NodeEntry {
    /// The folder.
    pub(crate) folder: Node,
    /// The name.
    pub(crate) name: String,
}

/// What became of a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    /// It is new.
    Made(NodeEntry),
    /// It is gone.
    Gone(NodeEntry),
    /// It is another.
    Moved(NodeEntry, NodeEntry),
}

/// A record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Record {
    /// The thread that did it; zero for one that can't be seen from here.
    pub(crate) thread: u32,
    /// Whether it is a folder's name.
    pub(crate) is_folder: bool,
    /// Whose name it is.
    pub(crate) node: Node,
    /// What became of it.
    pub(crate) change: Change,
}

/// Records of which nothing can be said.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Unread {
    /// Of file systems whose handles aren't known here, or without what is needed.
    pub(crate) strange: u64,
    /// The kernel had no memory to keep some.
    pub(crate) overflows: u64,
}

/// `fanotify_event_metadata`: its length and version.
const METADATA_BYTES: usize = 24;
const VERSION: u8 = 3;

const CREATE: u64 = 0x100;
const DELETE: u64 = 0x200;
const OVERFLOW: u64 = 0x4000;
const RENAME: u64 = 0x1000_0000;
const ON_FOLDER: u64 = 0x4000_0000;

/// `FAN_EVENT_INFO_TYPE_…`.
const TARGET: u8 = 1;
const NAME: u8 = 2;
const OLD_NAME: u8 = 10;
const NEW_NAME: u8 = 12;

/// Header of an information record, file system's number, header of a file handle.
const HANDLE_AT: usize = 4 + 8 + 8;

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(at..at.checked_add(4)?)?.try_into().ok()?))
}

fn long(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(bytes.get(at..at.checked_add(8)?)?.try_into().ok()?))
}

/// Reads what one `read` gave. Kernels hand over whole records; what isn't one ends the reading.
pub(crate) fn parse(mut bytes: &[u8], mut take: impl FnMut(Record)) -> Unread {
    let mut unread = Unread::default();
    while let Some(length) = word(bytes, 0).map(|length| length as usize) {
        if length < METADATA_BYTES || length > bytes.len() {
            unread.strange += 1;
            break;
        }
        let (one, rest) = bytes.split_at(length);
        let mask = long(one, 8).unwrap_or(0);
        if mask & OVERFLOW != 0 {
            unread.overflows += 1;
        } else {
            let read = parse_one(one, mask, &mut take);
            unread.strange += u64::from(read.is_none());
        }
        bytes = rest;
    }
    unread
}

fn parse_one(bytes: &[u8], mask: u64, take: &mut impl FnMut(Record)) -> Option<()> {
    if bytes.get(4) != Some(&VERSION) {
        return None;
    }
    let thread = word(bytes, 20)?;
    let mut at = usize::from(u16::from_le_bytes(bytes.get(6..8)?.try_into().ok()?)).max(METADATA_BYTES);
    let (mut target, mut name, mut old, mut new) = (None, None, None, None);
    while let Some(head) = bytes.get(at..at + 4) {
        let length = usize::from(u16::from_le_bytes([head[2], head[3]]));
        let information = bytes.get(at..at + length).filter(|_| length >= 4)?;
        match head[0] {
            TARGET => target = node(information).map(|(node, _)| node),
            NAME => name = entry(information),
            OLD_NAME => old = entry(information),
            NEW_NAME => new = entry(information),
            _ => {}
        }
        at += length;
    }
    let (node, is_folder) = (target?, mask & ON_FOLDER != 0);
    let mut tell = |change| take(Record { thread, is_folder, node, change });
    if mask & RENAME != 0 {
        tell(Change::Moved(old?, new?));
        return Some(());
    }
    // What was made and deleted by the same thread before anybody read of it is told in one record.
    let name = name?;
    if mask & CREATE != 0 {
        tell(Change::Made(name.clone()));
    }
    if mask & DELETE != 0 {
        tell(Change::Gone(name));
    }
    Some(())
}

/// The node of an information record, and what is behind its handle.
fn node(information: &[u8]) -> Option<(Node, &[u8])> {
    let file_system = long(information, 4)?;
    let (length, kind) = (word(information, 12)? as usize, word(information, 16)?);
    let handle = information.get(HANDLE_AT..HANDLE_AT.checked_add(length)?)?;
    let node = Node { file_system, number: number(kind, handle)? };
    Some((node, information.get(HANDLE_AT + length..)?))
}

/// The inode's number in a file handle.
fn number(kind: u32, handle: &[u8]) -> Option<u64> {
    match (kind, handle.len()) {
        // tmpfs: generation, then the number's two words.
        (1, 12) => long(handle, 4),
        // FILEID_INO32_GEN, and with the folder's behind it: ext2 to ext4, xfs with small numbers, f2fs.
        (1 | 2, _) => word(handle, 0).map(u64::from),
        // xfs with large numbers; btrfs (there it is a subvolume's).
        (0x81 | 0x82 | 0x4d..=0x4f, _) => long(handle, 0),
        _ => None,
    }
}

fn entry(information: &[u8]) -> Option<NodeEntry> {
    let (folder, rest) = node(information)?;
    let name = rest.split(|byte| *byte == 0).next().filter(|name| !name.is_empty())?;
    Some(NodeEntry { folder, name: String::from_utf8_lossy(name).into_owned() })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use proptest::prelude::*;

    const FOLDER: Node = Node { file_system: 7, number: 40 };
    const FILE: Node = Node { file_system: 7, number: 41 };

    fn information(kind: u8, handle_kind: u32, handle: &[u8], name: &str) -> Vec<u8> {
        let mut bytes = vec![kind, 0, 0, 0];
        bytes.extend(7_u64.to_le_bytes());
        bytes.extend((handle.len() as u32).to_le_bytes());
        bytes.extend(handle_kind.to_le_bytes());
        bytes.extend(handle);
        bytes.extend(name.bytes());
        bytes.push(0);
        while bytes.len() % 4 != 0 {
            bytes.push(0);
        }
        let length = (bytes.len() as u16).to_le_bytes();
        bytes[2..4].copy_from_slice(&length);
        bytes
    }

    fn of(kind: u8, node: Node, name: &str) -> Vec<u8> {
        let handle: Vec<u8> = [node.number as u32, 99].into_iter().flat_map(u32::to_le_bytes).collect();
        information(kind, 1, &handle, name)
    }

    fn event(mask: u64, thread: u32, informations: &[Vec<u8>]) -> Vec<u8> {
        let length = METADATA_BYTES + informations.iter().map(Vec::len).sum::<usize>();
        let mut bytes = (length as u32).to_le_bytes().to_vec();
        bytes.extend([VERSION, 0, METADATA_BYTES as u8, 0]);
        bytes.extend(mask.to_le_bytes());
        bytes.extend((-1_i32).to_le_bytes());
        bytes.extend(thread.to_le_bytes());
        bytes.extend(informations.iter().flatten());
        bytes
    }

    fn read(bytes: &[u8]) -> (Vec<Record>, Unread) {
        let mut records = Vec::new();
        let unread = parse(bytes, |record| records.push(record));
        (records, unread)
    }

    fn name(name: &str) -> NodeEntry {
        NodeEntry { folder: FOLDER, name: name.to_owned() }
    }

    #[test]
    fn names_are_read_with_their_folder_file_and_thread() {
        let mut bytes = event(CREATE, 5, &[of(NAME, FOLDER, "x"), of(TARGET, FILE, "")]);
        let moved = [of(OLD_NAME, FOLDER, "x"), of(NEW_NAME, FOLDER, "yy"), of(TARGET, FILE, "")];
        bytes.extend(event(RENAME, 6, &moved));
        bytes.extend(event(DELETE | ON_FOLDER, 7, &[of(NAME, FOLDER, "d"), of(TARGET, FILE, "")]));
        let record = |thread, is_folder, change| Record { thread, is_folder, node: FILE, change };
        let expected = [
            record(5, false, Change::Made(name("x"))),
            record(6, false, Change::Moved(name("x"), name("yy"))),
            record(7, true, Change::Gone(name("d"))),
        ];
        assert_eq!(read(&bytes), (expected.to_vec(), Unread::default()));
    }

    #[test]
    fn what_the_kernel_tells_at_once_was_made_first_and_then_deleted() {
        let bytes = event(CREATE | DELETE, 5, &[of(NAME, FOLDER, "x"), of(TARGET, FILE, "")]);
        let changes: Vec<_> = read(&bytes).0.into_iter().map(|record| record.change).collect();
        assert_eq!(changes, [Change::Made(name("x")), Change::Gone(name("x"))]);
    }

    #[test]
    fn handles_of_each_file_system_have_their_number_where_it_is() {
        let words = |words: &[u32]| words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>();
        assert_eq!(number(1, &words(&[9, 1])), Some(9));
        assert_eq!(number(2, &words(&[9, 1, 8, 1])), Some(9));
        assert_eq!(number(1, &words(&[1, 9, 2])), Some(9 | 2 << 32));
        assert_eq!(number(0x81, &words(&[9, 2, 1])), Some(9 | 2 << 32));
        assert_eq!(number(0x4d, &words(&[9, 2, 5, 0, 1])), Some(9 | 2 << 32));
        assert_eq!(number(0x71, &words(&[9, 2])), None);
        assert_eq!(number(0x81, &words(&[9])), None);
    }

    #[test]
    fn what_says_nothing_is_counted_and_passed_over() {
        let mut bytes = event(OVERFLOW, 0, &[]);
        bytes.extend(event(CREATE, 5, &[information(NAME, 0xf8, &[1, 2, 3, 4], "x"), of(TARGET, FILE, "")]));
        bytes.extend(event(CREATE, 5, &[of(NAME, FOLDER, "x"), of(TARGET, FILE, "")]));
        // One that is cut off.
        bytes.extend(&event(CREATE, 5, &[of(NAME, FOLDER, "x")])[..30]);
        let (records, unread) = read(&bytes);
        assert_eq!((records.len(), unread), (1, Unread { strange: 2, overflows: 1 }));
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_without_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            read(&bytes);
        }

        #[test]
        fn a_record_with_any_byte_changed_is_read_without_panic(at in 0_usize..200, to: u8) {
            let moved = [of(OLD_NAME, FOLDER, "x"), of(NEW_NAME, FOLDER, "yy"), of(TARGET, FILE, "")];
            let mut bytes = event(RENAME, 6, &moved);
            let length = bytes.len();
            bytes[at % length] = to;
            read(&bytes);
        }
    }
}
