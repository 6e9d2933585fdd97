//! What calls and answers of the service are long, by procedure: those of NFS version 3 over TCP ([`petrio_host::nfs`]), with record marks.
//!
//! Assumed: names of 12 letters, and a machine's name of 8. Leaves out: what a call's length depends on beyond that, and that a directory's
//! entries are of any number: as many as Linux asks for come at a time, a page.

use petrio_colours::{Operation, local_operations};
use petrio_host::nfs::{NameLengths, Procedure, Version, call_lengths, data_lengths};

/// Letters of a file's name, and of the machine's that asks.
const NAME: u64 = 12;
const HOST_NAME: u64 = 8;
/// Bytes of a directory's entries that Linux asks for at a time.
const ENTRIES: u64 = 4096;
/// The record mark, which replies have beside what is counted of them.
const RECORD_MARK: u64 = 4;

/// Bytes of a call for an operation, with the data of a write.
pub(super) fn call(operation: Operation, length: u64) -> u64 {
    match operation {
        Operation::Read => lengths(operation, 0).0,
        _ => lengths(operation, length).0,
    }
}

/// Bytes of an answer, with the data that a read found.
pub(super) fn reply(operation: Operation, found: u64) -> u64 {
    RECORD_MARK + lengths(operation, found).1
}

fn lengths(operation: Operation, data: u64) -> (u64, u64) {
    let names = NameLengths { name: NAME, other: NAME, host: HOST_NAME };
    let call = |procedure, back| call_lengths(Version::V3, procedure, names, back);
    match operation {
        Operation::Read => data_lengths(Version::V3, Procedure::Read, data, HOST_NAME),
        Operation::Write => data_lengths(Version::V3, Procedure::Write, data, HOST_NAME),
        Operation::Fsync | Operation::Fdatasync | Operation::Sync | Operation::Close => {
            call(Procedure::Commit, 0)
        }
        Operation::Create => call(Procedure::Create, 0),
        Operation::Mkdir => call(Procedure::MakeDirectory, 0),
        Operation::Unlink => call(Procedure::Remove, 0),
        Operation::Rmdir => call(Procedure::RemoveDirectory, 0),
        Operation::Rename => call(Procedure::Rename, 0),
        Operation::Truncate | Operation::SetAttributes => call(Procedure::SetAttributes, 0),
        Operation::Readdir => call(Procedure::ReadDirectory, ENTRIES),
        Operation::Open
        | Operation::Stat
        | Operation::Compute
        | Operation::Exchange
        | Operation::Touch
        | local_operations!() => call(Procedure::GetAttributes, 0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_and_replies_are_as_long_as_a_real_client_and_server_were_seen_to_send() {
        // libnfs 4.0 and nfs-ganesha 4.3, a host's name of 5 to 8 letters: READ(116>1156<), WRITE(1148>140<), COMMIT(116>132<),
        // GETATTR(104>116<).
        assert_eq!((call(Operation::Read, 1024), reply(Operation::Read, 1024)), (116, 1156));
        assert_eq!((call(Operation::Write, 1024), reply(Operation::Write, 1024)), (1148, 140));
        assert_eq!((call(Operation::Fsync, 0), reply(Operation::Fsync, 0)), (116, 132));
        assert_eq!((call(Operation::Stat, 0), reply(Operation::Stat, 0)), (104, 116));
    }

    #[test]
    fn only_data_make_them_longer_and_whole_words_do() {
        assert_eq!(call(Operation::Write, 5) - call(Operation::Write, 4), 4);
        assert_eq!(call(Operation::Read, 5), call(Operation::Read, 4));
        assert_eq!(reply(Operation::Read, 0) + 4, reply(Operation::Read, 1));
        for operation in Operation::ALL {
            assert!(call(operation, 0) >= 104 && reply(operation, 0) >= 28 + 4 + 84, "{operation:?}");
        }
    }
}
