//! How long messages are: the buffers that each has (lustre/ptlrpc/layout.c), of structures whose sizes wiretest.c asserts.
//!
//! Left out: capabilities, security contexts and access lists (empty buffers, as most have them), checksums, and signatures.

use petrio_host::lustre::{Procedure, Striping};

/// What LNet and its driver for sockets put before each message: `lnet_hdr` (72) and `ksock_msg` (24).
pub(super) const LNET: u64 = 96;
/// `ptlrpc_body_v3`, the first buffer of each.
const BODY: u64 = 184;
const LOCK_REQUEST: u64 = 104;
const LOCK_REPLY: u64 = 112;
const INTENT: u64 = 8;
const METADATA: u64 = 216;
const REINT: u64 = 136;
const EPOCH: u64 = 24;
const LAYOUT_INTENT: u64 = 24;
const OBJECT: u64 = 208;
const IO_OBJECT: u64 = 24;
const NIOBUF: u64 = 16;
const LVB: u64 = 56;
/// A name of eight letters with its end, as all files have here.
const NAME: u64 = 9;

/// A message of buffers of these lengths (`lustre_msg_size_v2`).
fn message(buffers: &[u64]) -> u64 {
    let header = (32 + 4 * (buffers.len() as u64 + 1)).next_multiple_of(8);
    LNET + header + BODY + buffers.iter().map(|bytes| bytes.next_multiple_of(8)).sum::<u64>()
}

/// What says where a file of so many components lies: `lov_mds_md_v1` with an entry for each stripe, one of each component in a composite.
pub(super) fn layout(striping: &Striping) -> u64 {
    let plain = |stripes: u32| 32 + 24 * u64::from(stripes);
    match striping.components() {
        [one] => plain(one.stripes),
        several => 32 + several.iter().map(|own| 48 + plain(own.stripes)).sum::<u64>(),
    }
}

/// Bytes of a call and of its reply, without data; `layout` is what says where a file lies.
pub(super) fn lengths(procedure: Procedure, layout: u64) -> (u64, u64) {
    use Procedure as P;
    match procedure {
        P::GetAttributes | P::LockDirectory => (
            message(&[LOCK_REQUEST, INTENT, METADATA, 0, NAME, 0]),
            message(&[LOCK_REPLY, METADATA, layout, 0, 0, 0, 0, 0]),
        ),
        P::Open | P::Create => (
            message(&[LOCK_REQUEST, INTENT, REINT, 0, 0, NAME, 0, 0, 0, 0, 0]),
            message(&[LOCK_REPLY, METADATA, layout, 0, 0, 0, 0, 0, 0, 0]),
        ),
        P::Layout => (message(&[LOCK_REQUEST, INTENT, LAYOUT_INTENT, 0]), message(&[LOCK_REPLY, layout])),
        P::Close => (message(&[EPOCH, REINT, 0]), message(&[METADATA, 0, 0, 0, 0])),
        P::SetAttributes => {
            (message(&[REINT, 0, EPOCH, 0, 0, LOCK_REQUEST]), message(&[METADATA, 0, 0, 0, 0, 0]))
        }
        P::Unlink | P::RemoveDirectory => {
            (message(&[REINT, 0, NAME, LOCK_REQUEST, 0]), message(&[METADATA, 0, 0, 0, 0]))
        }
        P::MakeDirectory | P::SymbolicLink => {
            (message(&[REINT, 0, NAME, 0, LOCK_REQUEST, 0, 0, 0, 0]), message(&[METADATA, 0, 0]))
        }
        P::Rename => (message(&[REINT, 0, 0, NAME, NAME, LOCK_REQUEST, 0]), message(&[METADATA, 0, 0, 0, 0])),
        P::ReadPage | P::MetadataSync => (message(&[METADATA, 0]), message(&[METADATA])),
        P::Read => (message(&[OBJECT, IO_OBJECT, NIOBUF, 0, 0]), message(&[OBJECT, 0])),
        P::Write => (message(&[OBJECT, IO_OBJECT, NIOBUF, 0, 0]), message(&[OBJECT, 4])),
        P::LockToRead | P::LockToWrite | P::Glimpse => {
            (message(&[LOCK_REQUEST]), message(&[LOCK_REPLY, LVB]))
        }
        P::Cancel => (message(&[LOCK_REQUEST]), message(&[])),
        P::Punch | P::Sync => (message(&[OBJECT, 0]), message(&[OBJECT])),
        P::Listen | P::TellSize | P::Waited => (0, 0),
    }
}

/// Bytes of a request of a metadata target to others and of its reply: objects that go or are made ahead.
pub(super) fn between_servers() -> (u64, u64) {
    (message(&[OBJECT, 0, 0]), message(&[OBJECT]))
}

/// Bytes of a callback and of its reply: of one that asks for a size, with the value block.
pub(super) fn callback(asks_for_size: bool) -> (u64, u64) {
    (message(&[LOCK_REQUEST]), message(if asks_for_size { &[LVB] } else { &[] }))
}

/// Bytes of what tells that a lock is granted, and of its reply.
pub(super) fn granted() -> (u64, u64) {
    (message(&[LOCK_REQUEST, LVB]), message(&[]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_as_long_as_its_buffers() {
        // 96 of LNet, 56 of a header with six lengths, the body, and 208 + 24 + 16.
        assert_eq!(lengths(Procedure::Write, 0).0, 96 + 56 + 184 + 208 + 24 + 16);
        // A reply of nothing but the body.
        assert_eq!(lengths(Procedure::Cancel, 0).1, 96 + 40 + 184);
        let one = Striping::new(&[(None, 1 << 20, 4)], (4, 1));
        assert_eq!(layout(&one), 32 + 4 * 24);
    }
}
