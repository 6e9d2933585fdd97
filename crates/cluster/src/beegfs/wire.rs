//! How long messages are: what each serializes (common/source/common/net/message and client_module/source/common/net/message of 8.3.1).
//!
//! Assumed: names of eight letters, entry IDs of 14 (`counter-time-node` in hexadecimal digits, common/toolkit/SessionTk.h and
//! StorageTk.h), and a file descriptor of two digits before those in a file's handle. Left out: quotas, access lists, file events, and
//! the entries of a buddy-mirrored message's state.

use super::procedure::Procedure;

/// Before each message (`NETMSG_HEADER_LENGTH`).
const HEADER: u64 = 40;
const NAME: u64 = string(8);
const ENTRY_ID: u64 = string(14);
const HANDLE: u64 = string(2 + 1 + 14);
/// Type, flags, the IDs of its directory and its own, its name, its owner, and what fills it up (`EntryInfo_serialize`).
const ENTRY: u64 = 4 + 4 + ENTRY_ID + ENTRY_ID + NAME + 4 + 2;
/// Flags, a user, and the ID of the directory that the file was made in (`PathInfo_serialize`).
const PATH: u64 = 4 + 4 + ENTRY_ID;
/// Flags, mode, blocks, four times, size, links, version, user and group (`StatData`, as it crosses the network).
const ATTRIBUTES: u64 = 4 + 4 + 8 + 4 * 8 + 8 + 4 + 4 + 4 + 4;
/// Nothing but a result.
const RESULT: u64 = HEADER + 4;
/// Size, blocks, two times, version and result of chunks.
const OF_CHUNKS: u64 = HEADER + 4 * 8 + 8 + 4;
/// A list of numbers without any: its bytes and how many there are.
const EMPTY: u64 = 8;
/// How long data are that follow, or that none follow.
pub(super) const LENGTH: u64 = 8;
/// An entry in the answer with a directory's: where it stands, its type, its ID and its name, these two with an end.
const LISTED: u64 = 8 + 1 + 15 + 9;

/// A string with its length and an end, in whole words.
const fn string(letters: u64) -> u64 {
    4 + (letters + 1).next_multiple_of(4)
}

/// How a file is striped: length, type, chunk and pool, and its targets (`StripePattern`, `Raid0Pattern`).
const fn pattern(targets: u64) -> u64 {
    4 + 4 + 4 + 2 + 4 + EMPTY + 2 * targets
}

/// Bytes of a request without its data, of files on so many targets.
pub(super) const fn request(procedure: Procedure, targets: u64) -> u64 {
    use Procedure as P;
    let more = match procedure {
        P::Lookup => 4 + ENTRY + NAME,
        P::LookupOpen => 4 + ENTRY + NAME + 4 + 4,
        P::LookupCreate => 4 + ENTRY + NAME + 4 + 4 + 4 * 4 + EMPTY,
        P::Open => 4 + 4 + ENTRY,
        P::Close => 4 + HANDLE + ENTRY + 4,
        P::Stat | P::RemoveLocalDirectory => ENTRY,
        P::SetAttributes => 4 + 4 + 8 + 8 + 4 + 4 + ENTRY,
        P::Truncate => 8 + ENTRY,
        P::Unlink | P::RemoveDirectory => ENTRY + NAME,
        P::MakeDirectory => 4 * 4 + ENTRY + NAME + EMPTY,
        P::Rename => 4 + ENTRY + ENTRY + NAME + NAME,
        P::ListDirectory => 8 + 4 + ENTRY + 1,
        P::AppendLock => 4 + HANDLE + ENTRY + 8 + 4 + 4 + ENTRY_ID,
        P::MakeLocalDirectory => 3 * 4 + ENTRY + pattern(targets) + 4 + EMPTY,
        P::InsertMoved => ENTRY + ENTRY + NAME + 4 + super::INODE,
        P::Read | P::Write => 8 + 8 + 4 + HANDLE + 4 + PATH + 2,
        P::Sync => 4 + HANDLE + 2,
        P::CloseChunks => 4 + HANDLE + PATH + 2,
        P::ChunkAttributes | P::UnlinkChunks => ENTRY_ID + PATH + 2,
        P::TruncateChunks => 8 + ENTRY_ID + PATH + 2,
    };
    HEADER + more
}

/// Bytes of the answer to it; of a directory with so many entries in it. Data that were read have no answer but their lengths.
pub(super) const fn reply(procedure: Procedure, targets: u64, listed: u64) -> u64 {
    use Procedure as P;
    match procedure {
        P::Lookup => HEADER + 4 + 4 + 4 + ATTRIBUTES + ENTRY,
        P::LookupOpen => HEADER + 4 + 4 + 4 + ATTRIBUTES + 4 + HANDLE + pattern(targets) + PATH + ENTRY,
        P::LookupCreate => HEADER + 4 + 4 + 4 + ATTRIBUTES + 4 + 4 + HANDLE + pattern(targets) + PATH + ENTRY,
        P::Open => RESULT + HANDLE + PATH + pattern(targets) + 4 + 1,
        P::Stat => RESULT + ATTRIBUTES,
        P::MakeDirectory => RESULT + ENTRY,
        P::ListDirectory => RESULT + 8 + 4 * EMPTY + LISTED * listed,
        P::Read => LENGTH,
        P::Write => HEADER + 8,
        P::CloseChunks | P::ChunkAttributes | P::TruncateChunks => OF_CHUNKS,
        P::Close
        | P::SetAttributes
        | P::Truncate
        | P::Unlink
        | P::RemoveDirectory
        | P::Rename
        | P::AppendLock
        | P::MakeLocalDirectory
        | P::RemoveLocalDirectory
        | P::InsertMoved
        | P::Sync
        | P::UnlinkChunks => RESULT,
    }
}

/// How many entries a server puts into an answer of so many bytes (`tuneMsgBufSize` of the client).
pub(super) const fn entries_in(bytes: u64) -> u64 {
    let all = bytes.saturating_sub(reply(Procedure::ListDirectory, 0, 0)) / LISTED;
    if all == 0 { 1 } else { all }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_as_long_as_what_it_serializes() {
        // offset, count, flags; a handle of 17 letters (4 + 20), the client, a path of flags, user and an ID of 14 (4 + 16), the target.
        assert_eq!(request(Procedure::Write, 4), 40 + 8 + 8 + 4 + 24 + 4 + (4 + 4 + 20) + 2);
        assert_eq!(reply(Procedure::Write, 4, 0), 48);
        // An entry: 4 + 4 + 20 + 20 + 16 + 4 + 2.
        assert_eq!(request(Procedure::Stat, 4), 40 + 70);
        assert_eq!(reply(Procedure::Stat, 4, 0), 40 + 4 + 72);
        assert_eq!(reply(Procedure::LookupCreate, 4, 0), 40 + 4 + 4 + 76 + 4 + 4 + 24 + (26 + 8) + 28 + 70);
    }

    #[test]
    fn entries_fill_the_buffer_that_they_are_wanted_for() {
        let most = entries_in(1 << 20);
        assert!(reply(Procedure::ListDirectory, 4, most) <= 1 << 20);
        assert!(reply(Procedure::ListDirectory, 4, most + 1) > 1 << 20);
        assert_eq!(entries_in(0), 1);
    }
}
