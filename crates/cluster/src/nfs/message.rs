//! What clients and servers of NFS send each other.

use super::datagrams::Part;
use crate::client::Outcome;
use petrio_colours::{BlockRequest, Failure, FileId, IoClass, Ledger, Operation, Status};
use petrio_host::nfs::{Carried, Effect, Procedure, Stability, Version, data_lengths, padded};
use petrio_kernel::Time;
use petrio_persist::Persist;

/// Letters of a host's name in the credentials of a call.
const HOST_NAME: u64 = 8;

/// The mark before each record of a stream (RFC 5531, section 11).
pub(super) const RECORD_MARK: u64 = 4;

/// What a message says.
#[derive(Clone, Debug, Persist)]
pub(super) enum Rpc {
    /// To a server: do this.
    Call(Call),
    /// To a client: so it ended.
    Reply(Reply),
    /// A fragment of a datagram that says one of these.
    Part(Part),
}

/// A call.
#[derive(Clone, Debug, Persist)]
pub(super) struct Call {
    /// Its number, as its client numbers its own (the transaction's, `xid`).
    pub(super) number: u32,
    pub(super) procedure: Procedure,
    /// What is asked of the server's file system, if anything is.
    pub(super) operation: Option<Operation>,
    pub(super) file: FileId,
    pub(super) parent: FileId,
    pub(super) replaced: Option<FileId>,
    pub(super) offset: u64,
    pub(super) length: u64,
    /// What it brings is durable before it is answered.
    pub(super) stable: bool,
    /// Bytes of its reply without data that were read.
    pub(super) answer: u64,
    pub(super) class: IoClass,
    pub(super) priority: u8,
    /// The service that hears the answer.
    pub(super) reply_to: u32,
    /// The instance of the server that its client has a connection and state with.
    pub(super) instance: u32,
    /// It gets back what the client had with an earlier instance.
    pub(super) reclaims: bool,
    /// It has been sent before: what it was to take away may be gone because of that.
    pub(super) is_again: bool,
    /// It goes over a connection, which loses nothing unseen.
    pub(super) is_counted: bool,
}

/// What a reply tells of its file, and of what others have done to it (`petrio_host::nfs::Others`).
#[derive(Clone, Copy, Debug, Persist)]
pub(super) struct Told {
    pub(super) of_file: u32,
    pub(super) of_parent: u32,
    pub(super) size: u64,
    pub(super) is_cut: bool,
    pub(super) exists: bool,
    pub(super) is_directory: bool,
}

/// How a call ended.
#[derive(Clone, Debug, Persist)]
pub(super) struct Reply {
    /// The call, as its client numbers it.
    pub(super) number: u32,
    pub(super) procedure: Procedure,
    /// With the time since it came.
    pub(super) outcome: Outcome,
    /// What it tells of its file's other users, where it has any.
    pub(super) others: Option<Told>,
    /// Bytes of it, with its record mark.
    pub(super) bytes: u64,
    /// Whether it is the call's end.
    pub(super) says: Says,
    /// The instance of the server that it is from (the verifier of WRITE and COMMIT).
    pub(super) instance: u32,
    /// It goes over a connection.
    pub(super) is_counted: bool,
}

/// What a reply says beside how its call ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Persist)]
pub(super) enum Says {
    /// That it is over.
    #[default]
    Over,
    /// The server knows neither the connection nor what the client had of it: it has been started anew (a reset of TCP; of version 4
    /// also `NFS4ERR_BADSESSION` and `NFS4ERR_STALE_CLIENTID`).
    Unknown,
    /// It has to wait until clients have reclaimed what they had (`NFS4ERR_GRACE`).
    Grace,
}

impl Reply {
    /// What ends a call that nobody has answered.
    pub(super) fn failed(call: &Call, failure: Failure) -> Self {
        let (status, ledger) = (Status::Failed(failure), Ledger::default());
        Self {
            number: call.number,
            procedure: call.procedure,
            outcome: Outcome { status, length: 0, ledger, span: Time::ZERO },
            others: None,
            bytes: 0,
            says: Says::Over,
            instance: call.instance,
            is_counted: false,
        }
    }

    /// An answer to nothing, for tests.
    #[cfg(test)]
    pub(super) fn nothing(number: u32) -> Self {
        let call = Call { number, ..Call::about(Procedure::Null, FileId::ROOT) };
        Self::failed(&call, Failure::NoAnswer)
    }

    /// Bytes of a file that it brings.
    pub(super) const fn data(&self) -> u64 {
        if matches!(self.procedure, Procedure::Read) { self.outcome.length } else { 0 }
    }
}

impl Call {
    /// One about a file that asks nothing of the server's file system.
    pub(super) fn about(procedure: Procedure, file: FileId) -> Self {
        Self {
            number: 0,
            procedure,
            operation: None,
            file,
            parent: FileId::ROOT,
            replaced: None,
            offset: 0,
            length: 0,
            stable: false,
            answer: RECORD_MARK,
            class: IoClass::default(),
            priority: 0,
            reply_to: 0,
            instance: 0,
            reclaims: false,
            is_again: false,
            is_counted: true,
        }
    }

    /// The call that a request of a mount is, and bytes of its message; none of what is no request of NFS.
    pub(super) fn of(
        request: &BlockRequest,
        version: Version,
        (number, reply_to): (u32, u32),
    ) -> Option<(Self, u64)> {
        let BlockRequest { class, priority, .. } = *request;
        let (call, sent) = match Carried::of(request)? {
            Carried::Data { procedure, file, offset, length, stability } => {
                let is_read = procedure == Procedure::Read;
                let (sent, received) =
                    data_lengths(version, procedure, if is_read { 0 } else { length }, HOST_NAME);
                let operation = if is_read { Operation::Read } else { Operation::Write };
                let call = Self {
                    number,
                    operation: Some(operation),
                    offset,
                    length,
                    stable: !is_read && stability == Stability::FileSync,
                    answer: RECORD_MARK + received,
                    class,
                    priority,
                    reply_to,
                    ..Self::about(procedure, file)
                };
                (call, sent)
            }
            Carried::Call { procedure, file, parent, effect, sent, received } => {
                let call = Self {
                    number,
                    operation: asked(procedure, effect),
                    parent,
                    replaced: if let Effect::Replaces(file) = effect { Some(file) } else { None },
                    length: if let Effect::Cuts(bytes) = effect { bytes } else { 0 },
                    answer: RECORD_MARK + received,
                    class,
                    priority,
                    reply_to,
                    ..Self::about(procedure, file)
                };
                (call, sent)
            }
        };
        Some((call, sent))
    }

    /// Bytes of the message of a WRITE.
    pub(super) fn write_bytes(&self, version: Version) -> u64 {
        data_lengths(version, Procedure::Write, self.length, HOST_NAME).0
    }

    /// Bytes of a file that it brings.
    pub(super) const fn data(&self) -> u64 {
        if matches!(self.procedure, Procedure::Write) { self.length } else { 0 }
    }

    /// Bytes of its reply, of which so many are data that were read.
    pub(super) fn reply_bytes(&self, found: u64) -> u64 {
        self.answer + if self.procedure == Procedure::Read { padded(found) } else { 0 }
    }

    /// Whether doing it twice isn't the same as doing it once: what a server keeps its replies to (`RC_REPLBUFF` and `RC_REPLSTAT` of
    /// fs/nfsd/nfs2.c, nfs3proc.c, nfs4proc.c; WRITE, too).
    pub(super) const fn is_kept(&self) -> bool {
        matches!(
            self.operation,
            Some(
                Operation::Write
                    | Operation::Create
                    | Operation::Mkdir
                    | Operation::Symlink
                    | Operation::Unlink
                    | Operation::Rmdir
                    | Operation::Rename
                    | Operation::Truncate
                    | Operation::SetAttributes
            )
        )
    }

    /// Whether a server that has been started anew lets nobody do it before clients have reclaimed what they had
    /// (`opens_in_grace`, fs/nfsd/nfs4proc.c).
    pub(super) const fn waits_for_grace(&self) -> bool {
        use Procedure as P;
        let waits = matches!(
            self.procedure,
            P::Open | P::OpenByHandle | P::Create | P::Lock | P::Remove | P::Rename | P::Link
        );
        waits && !self.reclaims
    }

    /// Whether it is done where its file isn't there: what is looked for may not be, and what is to go may be gone.
    pub(super) fn may_find_nothing(&self) -> bool {
        !self.is_again
            && matches!(
                self.operation,
                Some(
                    Operation::Stat
                        | Operation::Open
                        | Operation::Readdir
                        | Operation::Unlink
                        | Operation::Rmdir
                        | Operation::Fsync
                )
            )
    }
}

/// What a call asks of the server's file system: nothing where the server knows the answer by itself.
fn asked(procedure: Procedure, effect: Effect) -> Option<Operation> {
    use Procedure as P;
    Some(match (procedure, effect) {
        (P::Create | P::Open, Effect::Makes) => Operation::Create,
        (P::SetAttributes, Effect::Cuts(_)) => Operation::Truncate,
        (P::SetAttributes | P::SetXattr, _) => Operation::SetAttributes,
        (P::Commit, _) => Operation::Fsync,
        (P::MakeDirectory, _) => Operation::Mkdir,
        (P::SymbolicLink, _) => Operation::Symlink,
        (P::Remove, _) => Operation::Unlink,
        (P::RemoveDirectory, _) => Operation::Rmdir,
        (P::Rename, _) => Operation::Rename,
        (P::ReadDirectory | P::ReadDirectoryPlus, _) => Operation::Readdir,
        (P::Open | P::OpenByHandle | P::LookUp, _) => Operation::Open,
        (P::GetAttributes | P::Access | P::GetAcl | P::GetXattr | P::ReadLink, _) => Operation::Stat,
        _ => return None,
    })
}
