//! Messages of PVFS 2, and how long they are.
//!
//! Lengths were counted of OrangeFS 2.10 between its processes; how they grow with handles, entries and names follows from how it encodes
//! them (src/proto/pvfs2-req-proto.h, pvfs2-attr.h, endecode-funcs.h).

use petrio_persist::Persist;

/// What a request asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Persist)]
pub enum Kind {
    /// The file system's configuration, when it is mounted.
    GetConfig,
    /// Attributes of an object, and a capability for it.
    GetAttributes,
    /// The object of a name.
    LookupPath,
    /// A new file.
    Create,
    /// A name in a directory.
    CreateEntry,
    /// A new directory.
    MakeDirectory,
    /// A name of a directory goes.
    RemoveEntry,
    /// A name stands for another object.
    ChangeEntry,
    /// Names of a directory.
    ReadDirectory,
    /// Attributes of many objects of a server.
    ListAttributes,
    /// A file gets all of its data files.
    Unstuff,
    /// Attributes are set.
    SetAttributes,
    /// A data file is cut.
    Truncate,
    /// An object goes to the disk.
    Flush,
    /// How large data files are; servers ask each other.
    TreeGetFileSize,
    /// Data files are removed; servers ask each other.
    TreeRemove,
    /// An object is removed.
    Remove,
    /// Half of a directory's names go to another server.
    SplitEntries,
    /// A small access: its data come with the request, or with its answer.
    SmallIo,
    /// An access whose data flow.
    Io,
}

impl Kind {
    /// As OrangeFS calls it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::GetConfig => "GETCONFIG",
            Self::GetAttributes => "GETATTR",
            Self::LookupPath => "LOOKUP_PATH",
            Self::Create => "CREATE",
            Self::CreateEntry => "CRDIRENT",
            Self::MakeDirectory => "MKDIR",
            Self::RemoveEntry => "RMDIRENT",
            Self::ChangeEntry => "CHDIRENT",
            Self::ReadDirectory => "READDIR",
            Self::ListAttributes => "LISTATTR",
            Self::Unstuff => "UNSTUFF",
            Self::SetAttributes => "SETATTR",
            Self::Truncate => "TRUNCATE",
            Self::Flush => "FLUSH",
            Self::TreeGetFileSize => "TREE_GET_FILE_SIZE",
            Self::TreeRemove => "TREE_REMOVE",
            Self::Remove => "REMOVE",
            Self::SplitEntries => "MGMT_SPLIT_DIRENT",
            Self::SmallIo => "SMALL_IO",
            Self::Io => "IO",
        }
    }
}

/// Bytes of BMI's header, which each message begins with.
pub(super) const HEADER: u64 = 24;
/// Of an answer's beginning: the encoding's header, the operation and how it ended.
const ANSWER: u64 = 16;
/// Of a handle.
const HANDLE: u64 = 8;
/// Of attributes that all objects have.
const COMMON: u64 = 48;
/// Of how a file is striped: `simple_stripe` and its unit.
const DISTRIBUTION: u64 = 32;
/// Of a capability without its handles.
const CAPABILITY: u64 = 64;
/// Of an object's number of data files, and of its hint, which stand around their handles.
const DATA_FILES: u64 = 16;
/// Of the length of a stuffed file.
const STUFFED: u64 = 8;
/// What a request without hints is shorter by, where it has a credential, and where it has a capability.
const HINTS: (u64, u64) = (16, 12);

/// Bytes of a string: its length, itself, and what ends it, in words of eight.
const fn string(bytes: u64) -> u64 {
    (4 + bytes + 1).div_ceil(8) * 8
}

/// How long a request and its answer are, with BMI's headers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Persist)]
pub struct Message {
    /// Of the request.
    pub sent: u64,
    /// Of its answer.
    pub received: u64,
}

impl Message {
    const fn of(sent: u64, received: u64) -> Self {
        Self { sent: sent + HEADER, received: received + HEADER }
    }

    /// As a program of its own sends it that gives no hints, and that of one who has a credential instead of a capability.
    pub(super) const fn without_hints(self, has_credential: bool) -> Self {
        let hints = if has_credential { HINTS.0 } else { HINTS.1 };
        Self { sent: self.sent - hints, received: self.received }
    }

    /// The configuration of so many servers, as pvfs2-genconfig writes it.
    pub const fn configuration(servers: u64) -> Self {
        Self::of(60, 984 + 352 * servers)
    }

    /// Attributes of a file of so many data files, which is stuffed or not.
    pub(super) const fn file_attributes(data_files: u64, is_stuffed: bool) -> Self {
        let stuffed = if is_stuffed { STUFFED } else { 0 };
        let own = COMMON + DISTRIBUTION + DATA_FILES + HANDLE * data_files + stuffed;
        Self::of(152, ANSWER + own + CAPABILITY + HANDLE * data_files)
    }

    /// Of a directory whose names may lie on so many servers: their handles stand in its attributes and in its capability.
    pub(super) const fn directory_attributes(servers: u64) -> Self {
        Self::of(152, 224 + 2 * HANDLE * servers)
    }

    /// Of the part of a directory that one server has.
    pub(super) const fn part_attributes() -> Self {
        Self::of(152, 128)
    }

    /// The object of a name; its attributes come along where they lie on the same server.
    pub(super) const fn lookup(name: u64, with_attributes: bool) -> Self {
        let attributes = if with_attributes { COMMON + STUFFED } else { 0 };
        Self::of(184 + string(name), 40 + attributes)
    }

    /// A new file of so many data files.
    pub(super) const fn create(data_files: u64, is_stuffed: bool) -> Self {
        let stuffed = if is_stuffed { STUFFED } else { 0 };
        Self::of(308, ANSWER + 12 + COMMON + DATA_FILES + HANDLE * data_files + stuffed)
    }

    pub(super) const fn make_directory(servers: u64) -> Self {
        Self::of(340, 56 + HANDLE * servers)
    }

    pub(super) const fn create_entry(name: u64) -> Self {
        Self::of(196 + string(name), 16)
    }

    pub(super) const fn remove_entry(name: u64) -> Self {
        Self::of(116 + string(name), 24)
    }

    pub(super) const fn change_entry(name: u64) -> Self {
        Self::of(124 + string(name), 24)
    }

    /// So many names of so many bytes each.
    pub(super) const fn read_directory(names: u64, name: u64) -> Self {
        Self::of(132, 40 + (string(name) + HANDLE) * names)
    }

    /// Attributes of so many files, each of so many data files.
    pub(super) const fn list_files(files: u64, data_files: u64, is_stuffed: bool) -> Self {
        let stuffed = if is_stuffed { STUFFED } else { 0 };
        let each = COMMON + DISTRIBUTION + DATA_FILES + HANDLE * data_files + stuffed;
        Self::list(files, each)
    }

    /// Of so many data files: how large they are.
    pub(super) const fn list_sizes(data_files: u64) -> Self {
        Self::list(data_files, COMMON + 8)
    }

    const fn list(objects: u64, each: u64) -> Self {
        let errors = (4 * objects).div_ceil(8) * 8;
        Self::of(88 + HANDLE * objects, 24 + errors + each * objects)
    }

    pub(super) const fn unstuff(data_files: u64) -> Self {
        let attributes = Self::file_attributes(data_files, false);
        Self { sent: 168 + HEADER, received: attributes.received }
    }

    /// By a client; and what the server of a new name tells the new object's, where that is another.
    pub(in crate::pvfs) const fn set_attributes() -> Self {
        Self::of(232, 16)
    }

    pub(super) const fn truncate(data_files: u64) -> Self {
        Self::of(124 + HANDLE * data_files, 16)
    }

    pub(super) const fn flush() -> Self {
        Self::of(88, 16)
    }

    /// The sizes of so many data files; by a client, or by a server, which gives no hints.
    pub(in crate::pvfs) const fn tree_sizes(data_files: u64, by_server: bool) -> Self {
        let base = if by_server { 156 } else { 148 };
        Self::of(base + HANDLE * data_files, 24 + 12 * data_files)
    }

    pub(in crate::pvfs) const fn tree_remove(data_files: u64, by_server: bool) -> Self {
        let base = if by_server { 184 } else { 176 };
        Self::of(base + HANDLE * data_files, 28 + 4 * data_files)
    }

    pub(super) const fn remove() -> Self {
        Self::of(176, 16)
    }

    /// So many names move to another server.
    pub(super) const fn split(names: u64, name: u64) -> Self {
        Self::of(160 + (string(name) + HANDLE) * names, 16)
    }
}

/// A request for a part of an access to a file of so many data files, and its answer: without the data, which come with one of both where
/// the access is small.
pub fn data_messages(data_files: u64, is_small: bool) -> Message {
    let (request, answer) = if is_small { (268, 40) } else { (264, 24) };
    Message::of(request + HANDLE * data_files, answer)
}

/// Bytes of what says that a write is done; and what data that flow carry beside themselves.
pub const COMPLETION: u64 = 24 + HEADER;
/// What data that flow carry beside themselves.
pub const DATA_HEADER: u64 = HEADER;
