//! How long calls and replies are: XDR by RFC 1094, RFC 1813 and RFC 8881, RPC with AUTH_SYS by RFC 5531.
//!
//! Lengths follow from what is sent, field by field; where the length of a field is the implementation's (handles, owners of open files),
//! they are those of Linux' client and server (6.1), whose counts of both these lengths agree with.

use super::options::Version;
use super::procedure::Procedure;

/// What decides the length of a call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Parts {
    /// The object is the export's root, whose handle is shorter.
    pub(super) root: bool,
    /// Bytes of the name, and of a second one.
    pub(super) name: u64,
    pub(super) other: u64,
    /// Bytes of data in the call, and in the reply.
    pub(super) out: u64,
    pub(super) back: u64,
    /// It failed to find something: the reply ends there.
    pub(super) missed: bool,
    /// Version 4: attributes are asked for, too (WRITE, CLOSE); a delegation came (OPEN).
    pub(super) attributes: bool,
    pub(super) delegation: bool,
    /// OPEN and CREATE: makes a file; exclusively.
    pub(super) creates: bool,
    pub(super) exclusive: bool,
}

/// A handle of version 2, and attributes (`fattr`) and what sets some (`sattr`).
const HANDLE_2: u64 = 32;
const ATTRIBUTES_2: u64 = 68;
const SET_2: u64 = 32;

/// Bytes of a handle with its length: of files in an export, and of its root.
const HANDLE: u64 = 4 + 28;
const ROOT_HANDLE: u64 = 4 + 20;
/// Attributes of version 3 (`fattr3`), with the word that says that they follow.
const POST_OP: u64 = 4 + 84;
/// What a change answers of its object (`wcc_data`): with what was before, and without.
const WCC: u64 = 4 + 24 + POST_OP;
const WCC_SHORT: u64 = 4 + POST_OP;
/// A reply's header, without record mark.
const REPLY: u64 = 24;

/// Bytes as XDR has them: whole words.
#[must_use]
pub fn padded(bytes: u64) -> u64 {
    bytes.div_ceil(4) * 4
}

fn string(bytes: u64) -> u64 {
    4 + padded(bytes)
}

/// A call's header with record mark and AUTH_SYS of a user without further groups on a host whose name has so many bytes.
fn header(host_name: u64) -> u64 {
    4 + 24 + 8 + (4 + string(host_name) + 12) + 8
}

/// Bytes of names that a call has: its own, a second one, and its host's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NameLengths {
    /// The name that it is about.
    pub name: u64,
    /// What a symbolic link points to, or a new name.
    pub other: u64,
    /// The name of the host that asks.
    pub host: u64,
}

/// Bytes of a READ or WRITE that moves so many bytes of data, with its record mark, and of its reply, without: of a host whose name has
/// so many letters.
#[must_use]
pub fn data_lengths(version: Version, procedure: Procedure, bytes: u64, host_name: u64) -> (u64, u64) {
    let parts = match procedure {
        Procedure::Read => Parts { back: bytes, ..Parts::default() },
        _ => Parts { out: bytes, attributes: true, ..Parts::default() },
    };
    lengths(version, procedure, parts, host_name)
}

/// Bytes of another call, with its record mark, and of its reply, without: that finds what it looks for, and brings so many bytes of entries.
#[must_use]
pub fn call_lengths(version: Version, procedure: Procedure, names: NameLengths, back: u64) -> (u64, u64) {
    let NameLengths { name, other, host } = names;
    let creates = procedure == Procedure::Create;
    lengths(version, procedure, Parts { name, other, back, creates, ..Parts::default() }, host)
}

/// Bytes of a call and of its reply.
pub(super) fn lengths(version: Version, procedure: Procedure, parts: Parts, host_name: u64) -> (u64, u64) {
    // NULL identifies nobody.
    if procedure == Procedure::Null {
        return (4 + 24 + 8 + 8, REPLY);
    }
    let (sent, received) = match version {
        Version::V2 => plain_2(procedure, parts),
        Version::V3 => plain(procedure, parts),
        _ => compound(version, procedure, parts),
    };
    (header(host_name) + sent, REPLY + received)
}

/// Behind the headers, version 2: handles of fixed length, and attributes only where they are what is asked for.
fn plain_2(procedure: Procedure, parts: Parts) -> (u64, u64) {
    use Procedure as P;
    let Parts { name, other, out, back, missed, .. } = parts;
    let named = HANDLE_2 + string(name);
    match procedure {
        P::GetAttributes => (HANDLE_2, 4 + ATTRIBUTES_2),
        P::SetAttributes => (HANDLE_2 + SET_2, 4 + ATTRIBUTES_2),
        P::LookUp => (named, if missed { 4 } else { 4 + HANDLE_2 + ATTRIBUTES_2 }),
        P::ReadLink => (HANDLE_2, 4 + string(back)),
        P::Read => (HANDLE_2 + 12, 4 + ATTRIBUTES_2 + string(back)),
        P::Write => (HANDLE_2 + 12 + string(out), 4 + ATTRIBUTES_2),
        P::Create | P::MakeDirectory => (named + SET_2, 4 + HANDLE_2 + ATTRIBUTES_2),
        P::SymbolicLink => (named + string(other) + SET_2, 4),
        P::Remove | P::RemoveDirectory => (named, 4),
        P::Rename => (named + HANDLE_2 + string(other), 4),
        P::Link => (HANDLE_2 + named, 4),
        P::ReadDirectory => (HANDLE_2 + 8, 4 + back + 8),
        P::FileSystemStatus => (HANDLE_2, 4 + 20),
        _ => (0, 0),
    }
}

/// Behind the headers, version 3.
fn plain(procedure: Procedure, parts: Parts) -> (u64, u64) {
    use Procedure as P;
    let Parts { root, name, other, out, back, missed, exclusive, .. } = parts;
    let handle = if root { ROOT_HANDLE } else { HANDLE };
    let named = handle + string(name);
    // The mode alone; five further fields of `sattr3` that aren't set.
    let mode = 8 + 5 * 4;
    let made = 4 + (4 + HANDLE) + POST_OP + WCC;
    match procedure {
        P::GetAttributes => (handle, 4 + 84),
        P::SetAttributes => (handle + 6 * 4 + out + 4, 4 + WCC),
        P::LookUp => (named, if missed { 4 + POST_OP } else { 4 + HANDLE + 2 * POST_OP }),
        P::Access => (handle + 4, 4 + POST_OP + 4),
        P::ReadLink => (handle, 4 + POST_OP + string(back)),
        P::Read => (handle + 12, 4 + POST_OP + 12 + padded(back)),
        P::Write => (handle + 20 + padded(out), 4 + WCC_SHORT + 16),
        P::Commit => (handle + 12, 4 + WCC_SHORT + 8),
        P::Create => (named + 4 + if exclusive { 8 } else { mode }, made),
        P::MakeDirectory => (named + mode, made),
        P::SymbolicLink => (named + mode + string(other), made),
        P::Remove | P::RemoveDirectory => (named, 4 + WCC),
        P::Rename => (named + HANDLE + string(other), 4 + 2 * WCC),
        P::Link => (handle + HANDLE + string(name), 4 + POST_OP + WCC),
        P::ReadDirectory => (handle + 8 + 8 + 4, 4 + POST_OP + 8 + back + 8),
        P::ReadDirectoryPlus => (handle + 8 + 8 + 8, 4 + POST_OP + 8 + back + 8),
        P::FileSystemStatus => (handle, 4 + 4 + 52),
        P::FileSystemInformation => (handle, 4 + 4 + 48),
        P::PathConfiguration => (handle, 4 + 4 + 24),
        P::GetAcl => (handle + 4, 4 + POST_OP + 4 + 16),
        _ => (0, 0),
    }
}

/// An entry of a READDIR reply: what follows, number, name and cookie, and of READDIRPLUS attributes and handle.
pub(super) fn entry_3(name: u64, plus: bool) -> u64 {
    4 + 8 + string(name) + 8 + if plus { POST_OP + 4 + HANDLE } else { 0 }
}

/// The same of version 2: what follows, number, name and cookie.
pub(super) fn entry_2(name: u64) -> u64 {
    4 + 4 + string(name) + 4
}

/// An entry of version 4 with the attributes that the client asks for: what follows, cookie, name, bitmap, and 168 bytes of attributes.
pub(super) fn entry_4(name: u64) -> u64 {
    4 + 8 + string(name) + 12 + 168
}

/// Bytes of a READDIR reply beside its entries.
pub(super) fn directory_header(version: Version, plus: bool) -> u64 {
    let procedure = if plus { Procedure::ReadDirectoryPlus } else { Procedure::ReadDirectory };
    lengths(version, procedure, Parts::default(), 0).1
}

/// Behind the headers, version 4: an empty tag, the minor version, the number of operations, then these.
fn compound(version: Version, procedure: Procedure, parts: Parts) -> (u64, u64) {
    use Procedure as P;
    let handle = if parts.root { ROOT_HANDLE } else { HANDLE };
    let own = operations(procedure, parts);
    let before = match procedure {
        P::ExchangeId | P::CreateSession | P::DestroySession | P::DestroyClientId => (0, 0),
        P::SetClientId | P::SetClientIdConfirm => (0, 0),
        _ if version.has_sessions() => (4 + 16 + 16, 8 + 16 + 20),
        _ => (0, 0),
    };
    let put = match procedure {
        P::ExchangeId | P::CreateSession | P::DestroySession | P::DestroyClientId => (0, 0),
        P::SetClientId | P::SetClientIdConfirm | P::ReclaimComplete => (0, 0),
        P::FreeStateId | P::ReleaseLockOwner | P::Sequence | P::Renew => (0, 0),
        P::SecurityNoName | P::LookUpRoot => (4, 8),
        _ => (4 + handle, 8),
    };
    (12 + before.0 + put.0 + own.0, 12 + before.1 + put.1 + own.1)
}

/// The operations of a compound that are its own: those after PUTFH.
fn operations(procedure: Procedure, parts: Parts) -> (u64, u64) {
    use Procedure as P;
    let Parts { name, other, out, back, missed, attributes, delegation, creates, .. } = parts;
    // GETATTR with two words of bitmap: all that an inode knows, and what a change alters.
    let (all, some) = ((16, 152), (16, 72));
    let with = |own: (u64, u64), more: (u64, u64)| (own.0 + more.0, own.1 + more.1);
    let stateful = 4 + 16;
    match procedure {
        P::GetAttributes => all,
        P::LookUp if missed => (4 + string(name) + 4 + 16, 8),
        P::LookUp => with((4 + string(name) + 4, 8 + 8 + HANDLE), all),
        P::Access => with((8, 16), (16, 64)),
        P::ReadLink => (4, 8 + string(back)),
        P::Read => (stateful + 12, 8 + 8 + padded(back)),
        P::Write => with((stateful + 16 + padded(out), 8 + 16), if attributes { some } else { (0, 0) }),
        P::Commit => (4 + 12, 8 + 8),
        P::Open | P::Create => {
            // Sequence, access, denial, the owner's 32 bytes, how, and the claim; then GETFH, ACCESS and GETATTR.
            let made = if creates { 40 } else { 0 };
            let given = if delegation { 36 } else { 0 };
            (4 + 12 + 32 + 8 + string(name) + 4 + 8 + 20 + made, if missed { 8 } else { 268 + given })
        }
        P::OpenByHandle => (4 + 12 + 32 + 8 + 8 + 20, 228 + if delegation { 36 } else { 0 }),
        P::OpenConfirm => (stateful + 4, 8 + 16),
        P::OpenDowngrade => (stateful + 12, 8 + 16),
        P::Close => with((stateful + 4, 8 + 16), if attributes { (16, 64) } else { (0, 0) }),
        P::SetAttributes => with((stateful + 12 + 4 + out, 24), all),
        P::MakeDirectory => with((4 + 4 + string(name) + 24 + 4, 8 + 20 + 8 + 8 + HANDLE), all),
        P::SymbolicLink => {
            with((4 + 4 + string(other) + string(name) + 20 + 8, 8 + 20 + 8 + 8 + HANDLE), all)
        }
        P::Remove | P::RemoveDirectory => (4 + string(name), 8 + 20),
        P::Rename => (4 + 4 + HANDLE + 4 + string(name) + string(other), 8 + 8 + 8 + 40),
        P::Link => (4 + 4 + HANDLE + 4 + string(name) + 4 + 16, 8 + 8 + 28 + 8 + 152),
        P::ReadDirectory | P::ReadDirectoryPlus => (4 + 8 + 8 + 8 + 12, 8 + 8 + back + 8),
        P::FileSystemStatus => (16, 8 + 64),
        P::FileSystemInformation => (20, 80),
        P::ServerCapabilities => (20, 84),
        P::PathConfiguration => (16, 28),
        P::Lock => (4 + 4 + 4 + 16 + 4 + 4 + 16 + 4 + 36, 8 + 16),
        P::Unlock => (stateful + 24, 8 + 16),
        P::FreeStateId => (stateful, 8),
        P::ReleaseLockOwner => (4 + 8 + 32, 8),
        P::ReturnDelegation => with((stateful, 8), (16, 76)),
        P::ExchangeId => (160, 64),
        P::CreateSession => (116, 88),
        P::DestroySession => (stateful, 8),
        P::DestroyClientId => (12, 8),
        P::ReclaimComplete => (8, 8),
        P::SecurityNoName => (8, 8 + 28),
        P::LookUpRoot => (4 + 16, 8 + ROOT_HANDLE + 152),
        P::SetClientId => (100, 24),
        P::SetClientIdConfirm => (20, 8),
        P::Renew => (12, 8),
        P::Allocate | P::Deallocate => with((stateful + 16, 8), some),
        P::Seek => (stateful + 12, 8 + 12),
        P::Copy => (4 + 4 + HANDLE + 2 * stateful + 44, 8 + 8 + 56),
        P::Clone => (4 + 4 + HANDLE + 2 * stateful + 36, 8 + 16),
        P::GetXattr => (4 + string(name), 8),
        P::SetXattr => (4 + 4 + string(name) + string(out), 8 + 20),
        _ => (0, 0),
    }
}
