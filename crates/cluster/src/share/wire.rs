//! What calls and answers of the service are long, by procedure: XDR of ONC RPC and of NFS version 3.
//!
//! Sources: RFC 5531 (§9 and §11: the call's and the reply's header, the record mark of TCP), RFC 1813 (§2.5, §2.6 and §3:
//! each procedure's arguments and results). Assumed: file handles of 32 bytes, as Linux's server gives them at most for
//! ext2 and ext3; names of 12 letters; AUTH_UNIX of one group and a machine's name of 8 letters. Leaves out: what a call's
//! length depends on beyond that, and that a directory's entries are of any number: as many as Linux asks for come at a
//! time, a page.

use petrio_colours::{Operation, local_operations};

/// A number, of which all is made (RFC 4506).
const WORD: u64 = 4;
/// Record mark, transaction, direction, versions, program, procedure: seven words. Then the credentials' flavour and length,
/// a stamp, the machine's name (a length and 8 letters), user, group, and a list of one group; and no verifier.
const CALL_HEADER: u64 = 7 * WORD + 2 * WORD + (WORD + WORD + 8 + WORD + WORD + 2 * WORD) + 2 * WORD;
/// Record mark, transaction, direction, accepted, an empty verifier, success.
const REPLY_HEADER: u64 = 4 * WORD + 2 * WORD + WORD;
const HANDLE: u64 = WORD + 32;
const NAME: u64 = WORD + 12;
/// `fattr3`, with the word that says that it follows.
const ATTRIBUTES: u64 = WORD + 84;
/// `wcc_data`: size and times before, attributes after.
const CHANGED: u64 = WORD + 24 + ATTRIBUTES;
/// `sattr3` with a mode and nothing else that is set.
const SET: u64 = 2 * WORD + 5 * WORD;
/// Bytes of a directory's entries that Linux asks for at a time.
const ENTRIES: u64 = 4096;

/// Bytes of a call for an operation, with the data of a write.
pub(super) fn call(operation: Operation, length: u64) -> u64 {
    CALL_HEADER
        + match operation {
            // Offset and count.
            Operation::Read => HANDLE + 2 * WORD + WORD,
            // Offset, count, how stable, and data with their length.
            Operation::Write => HANDLE + 2 * WORD + WORD + WORD + WORD + padded(length),
            // COMMIT has an offset and a count.
            Operation::Fsync | Operation::Fdatasync | Operation::Sync | Operation::Close => {
                HANDLE + 2 * WORD + WORD
            }
            Operation::Create => HANDLE + NAME + WORD + SET,
            Operation::Mkdir => HANDLE + NAME + SET,
            Operation::Unlink | Operation::Rmdir => HANDLE + NAME,
            Operation::Rename => 2 * (HANDLE + NAME),
            // SETATTR with a size of two words, or a mode, and no guard.
            Operation::Truncate => HANDLE + SET + WORD + WORD,
            Operation::SetAttributes => HANDLE + SET + WORD,
            // READDIR: cookie, its verifier, count.
            Operation::Readdir => HANDLE + 2 * WORD + 2 * WORD + WORD,
            // GETATTR.
            Operation::Open
            | Operation::Stat
            | Operation::Compute
            | Operation::Exchange
            | Operation::Touch
            | local_operations!() => HANDLE,
        }
}

/// Bytes of an answer, with the data that a read found.
pub(super) fn reply(operation: Operation, found: u64) -> u64 {
    REPLY_HEADER
        + WORD
        + match operation {
            // Attributes, count, whether it is the end, and data with their length.
            Operation::Read => ATTRIBUTES + 3 * WORD + padded(found),
            // Count, how stable, and the verifier of eight bytes.
            Operation::Write => CHANGED + 2 * WORD + 2 * WORD,
            Operation::Fsync | Operation::Fdatasync | Operation::Sync | Operation::Close => {
                CHANGED + 2 * WORD
            }
            Operation::Create | Operation::Mkdir => WORD + HANDLE + ATTRIBUTES + CHANGED,
            Operation::Unlink | Operation::Rmdir | Operation::Truncate | Operation::SetAttributes => CHANGED,
            Operation::Rename => 2 * CHANGED,
            // Attributes, the verifier, entries, whether they are the last.
            Operation::Readdir => ATTRIBUTES + 2 * WORD + ENTRIES + WORD,
            // `fattr3` alone.
            Operation::Open
            | Operation::Stat
            | Operation::Compute
            | Operation::Exchange
            | Operation::Touch
            | local_operations!() => 84,
        }
}

/// Data take whole words.
const fn padded(length: u64) -> u64 {
    length.next_multiple_of(WORD)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_those_of_the_standards() {
        // Counted field by field in RFC 5531 and RFC 1813, with the credentials above.
        assert_eq!((CALL_HEADER, REPLY_HEADER), (76, 28));
        assert_eq!(call(Operation::Read, 32 << 10), 76 + 48);
        assert_eq!(reply(Operation::Read, 32 << 10), 28 + 104 + (32 << 10));
        assert_eq!(call(Operation::Write, 8 << 10), 76 + 56 + (8 << 10));
        assert_eq!(reply(Operation::Write, 8 << 10), 28 + 136);
        assert_eq!((call(Operation::Fsync, 0), reply(Operation::Fsync, 0)), (76 + 48, 28 + 128));
        assert_eq!((call(Operation::Stat, 0), reply(Operation::Stat, 0)), (76 + 36, 28 + 88));
        assert_eq!((call(Operation::Rename, 0), reply(Operation::Rename, 0)), (76 + 104, 28 + 236));
    }

    #[test]
    fn only_data_make_them_longer_and_whole_words_do() {
        assert_eq!(call(Operation::Write, 5) - call(Operation::Write, 4), 4);
        assert_eq!(call(Operation::Read, 5), call(Operation::Read, 4));
        assert_eq!(reply(Operation::Read, 0) + 4, reply(Operation::Read, 1));
        for operation in Operation::ALL {
            assert!(call(operation, 0) >= 76 + 36 && reply(operation, 0) >= 28 + 4 + 84, "{operation:?}");
        }
    }
}
