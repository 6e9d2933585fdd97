//! Accesses that are submitted and end later (`io_submit`, `io_getevents`): what strace prints of them.
//!
//! ```text
//! io_submit(0x7f, 1, [{aio_data=0, aio_lio_opcode=IOCB_CMD_PREAD, aio_fildes=3</a>, aio_buf=0x1, aio_nbytes=4096, aio_offset=0}]) = 1
//! io_getevents(0x7f, 1, 1, [{data=0, obj=0x1, res=4096, res2=0}], NULL) = 1
//! ```

use super::calls::Calls;
use super::finished::FinishedCall;
use super::line::{Call, integer};
use crate::event::EventKind;
use crate::format::RawEvent;

/// An access as it is submitted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Submitted<'a> {
    /// What the program knows it by.
    pub(super) data: &'a [u8],
    pub(super) kind: EventKind,
    /// The descriptor, as strace prints it.
    pub(super) descriptor: &'a [u8],
    pub(super) offset: Option<u64>,
    pub(super) length: u64,
}

/// An access as it ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ended<'a> {
    pub(super) data: &'a [u8],
    /// Bytes moved, or the negative number of an error.
    pub(super) result: i64,
}

/// Those of an `io_submit`'s third argument.
pub(super) fn submitted(list: &[u8]) -> Vec<Submitted<'_>> {
    structures(list).into_iter().filter_map(one).collect()
}

fn one(text: &[u8]) -> Option<Submitted<'_>> {
    let found = fields(text);
    let field = |names: &[&str]| {
        found.iter().find(|(name, _)| names.iter().any(|known| name.ends_with(known.as_bytes())))
    };
    let value = |names: &[&str]| field(names).map(|(_, value)| *value);
    // Up to strace 4.13 the operation stands alone: `{pread, fildes=3, …}`.
    let operation =
        value(&["lio_opcode"]).or(found.iter().find(|(name, _)| name.is_empty()).map(|(_, value)| *value))?;
    let word = operation.strip_prefix(b"IOCB_CMD_").unwrap_or(operation).to_ascii_lowercase();
    let kind = match word.as_slice() {
        b"pread" | b"preadv" => EventKind::Read,
        b"pwrite" | b"pwritev" => EventKind::Write,
        b"fsync" | b"fdsync" => EventKind::Fsync,
        _ => return None,
    };
    let number = |names: &[&str]| integer(value(names)?).and_then(|number| u64::try_from(number).ok());
    // Of vectors the lengths stand in the buffers.
    let vectors = || {
        let each = structures(value(&["buf"])?);
        let length = |text: &[u8]| {
            let (_, length) = *fields(text).iter().find(|(name, _)| name == b"iov_len")?;
            u64::try_from(integer(length)?).ok()
        };
        Some(each.into_iter().filter_map(length).sum())
    };
    let is_vector = word.ends_with(b"v");
    let length = if is_vector { vectors() } else { number(&["nbytes"]) };
    Some(Submitted {
        data: value(&["data"]).unwrap_or_default(),
        kind,
        descriptor: value(&["fildes", "filedes"])?,
        offset: number(&["offset"]),
        length: length.unwrap_or(0),
    })
}

/// Those of an `io_getevents`' fourth argument.
pub(super) fn ended(list: &[u8]) -> Vec<Ended<'_>> {
    let one = |text| {
        let fields = fields(text);
        let value = |name: &[u8]| fields.iter().find(|(known, _)| *known == name).map(|(_, value)| *value);
        Some(Ended { data: value(b"data")?, result: integer(value(b"res")?)? })
    };
    structures(list).into_iter().filter_map(one).collect()
}

/// What stands between outermost braces.
fn structures(list: &[u8]) -> Vec<&[u8]> {
    let (mut found, mut depth, mut start) = (Vec::new(), 0_u32, 0);
    walk(list, |at, byte| match byte {
        b'{' => {
            depth += 1;
            if depth == 1 {
                start = at + 1;
            }
        }
        b'}' => {
            if depth == 1 {
                found.push(&list[start..at]);
            }
            depth = depth.saturating_sub(1);
        }
        _ => {}
    });
    found
}

/// `name=value` or `name:value` between commas; the name is empty where there is only a word.
fn fields(text: &[u8]) -> Vec<(&[u8], &[u8])> {
    let (mut found, mut depth, mut start) = (Vec::new(), 0_u32, 0);
    let mut ends = Vec::new();
    walk(text, |at, byte| match byte {
        b'{' | b'[' | b'(' => depth += 1,
        b'}' | b']' | b')' => depth = depth.saturating_sub(1),
        b',' if depth == 0 => ends.push(at),
        _ => {}
    });
    for end in ends.into_iter().chain([text.len()]) {
        let part = text[start..end].trim_ascii();
        start = (end + 1).min(text.len());
        let name = part.iter().position(|byte| !(byte.is_ascii_alphanumeric() || *byte == b'_'));
        let pair = match name {
            Some(at) if matches!(part[at], b'=' | b':') => (&part[..at], part[at + 1..].trim_ascii()),
            _ => (&part[..0], part),
        };
        found.push(pair);
    }
    found
}

/// Every byte that stands in no string and in no path of a descriptor.
fn walk(text: &[u8], mut each: impl FnMut(usize, u8)) {
    let (mut at, mut quoted, mut angles) = (0, false, 0_u32);
    while let Some(&byte) = text.get(at) {
        match byte {
            b'\\' if quoted => at += 1,
            b'"' if angles == 0 => quoted = !quoted,
            b'<' if !quoted => angles += 1,
            b'>' if !quoted => angles = angles.saturating_sub(1),
            _ if !quoted && angles == 0 => each(at, byte),
            _ => {}
        }
        at += 1;
    }
}

impl Calls {
    /// What an `io_submit` submits, as far as it was taken, with what the program knows it by.
    pub(super) fn submitted(
        &mut self,
        process: u32,
        clock: u128,
        at: u64,
        call: &Call<'_>,
    ) -> Vec<(Vec<u8>, RawEvent)> {
        let made = FinishedCall { process, clock, at, call };
        let taken = usize::try_from(made.result()).unwrap_or(usize::MAX);
        let mut found = Vec::new();
        for one in submitted(call.argument(2)).into_iter().take(taken) {
            // It is asked as by a call of its own.
            let alone = Call { name: call.name, arguments: vec![one.descriptor], ..call.clone() };
            let Some(description) = self.description(&FinishedCall { process, clock, at, call: &alone }, 0)
            else {
                continue;
            };
            description.counts(one.kind, one.length);
            let (file, path) = (description.file, description.path.clone());
            let mut raw = made.event(one.kind);
            raw.record.service = None;
            raw.record.synchronous = one.kind == EventKind::Write && description.synchronous;
            (raw.record.file, raw.record.path) = (file, Some(path.clone()));
            if one.kind != EventKind::Fsync {
                (raw.record.offset, raw.record.length) = (one.offset, one.length);
            }
            if let (EventKind::Write, Some(offset)) = (one.kind, one.offset) {
                self.files.reaches(&path, offset.saturating_add(one.length));
            }
            found.push((one.data.to_vec(), raw));
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn submissions_of_every_strace_are_taken_apart() {
        let new = b"[{aio_data=0x7, aio_lio_opcode=IOCB_CMD_PWRITE, aio_fildes=3</a, {b}>, aio_buf=\"x}\\\"\"..., aio_nbytes=4096, aio_offset=512}, \
                    {aio_lio_opcode=IOCB_CMD_PREADV, aio_fildes=4, aio_buf=[{iov_base=0x1, iov_len=512}, {iov_base=\"y\", iov_len=1024}], aio_offset=0}]";
        let old = b"[{data=0x7, pwrite, fildes=3, str=\"x\", nbytes=4096, offset=512}, {fdsync, fildes=4}]";
        let older = b"{{0x7, 0, 1, 0, 3}}";
        let found = submitted(new);
        let figures: Vec<_> = found.iter().map(|one| (one.kind, one.offset, one.length)).collect();
        assert_eq!(figures, [(EventKind::Write, Some(512), 4096), (EventKind::Read, Some(0), 1536)]);
        assert_eq!((found[0].data, found[0].descriptor), (&b"0x7"[..], &b"3</a, {b}>"[..]));
        let found = submitted(old);
        let figures: Vec<_> = found.iter().map(|one| (one.kind, one.descriptor, one.length)).collect();
        assert_eq!(figures, [(EventKind::Write, &b"3"[..], 4096), (EventKind::Fsync, &b"4"[..], 0)]);
        assert!(
            submitted(older).is_empty() && submitted(b"0x7ffd").is_empty() && submitted(b"[{").is_empty()
        );
        let ends = ended(b"[{data=0, obj=0x1, res=4096, res2=0}, {data=0x7, obj=0x2, res=-5, res2=0}]");
        assert_eq!(ends, [Ended { data: b"0", result: 4096 }, Ended { data: b"0x7", result: -5 }]);
    }
}
