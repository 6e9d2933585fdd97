//! A connection: requests read one after the other, each answered when its time has come.

use super::greeting::{Export, negotiate, skip};
use super::replies::Replies;
use super::wire::{LEAST, MOST, REQUEST, THROUGH, broken, command, u16_of, u32_of, u64_of};
use crate::answer::Refusal;
use crate::device::{Asked, Device};
use std::io::{self, BufReader, Read};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::time::Duration;

/// How long a client may take for the negotiation.
const PATIENCE: Duration = Duration::from_secs(30);

/// Serves a client until it goes.
pub(super) fn serve(stream: &UnixStream, devices: &[Device]) -> io::Result<()> {
    let exports: Vec<Export> = devices
        .iter()
        .map(Device::spec)
        .map(|spec| Export { name: spec.name.clone(), blocks: spec.blocks, durability: spec.durability })
        .collect();
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let mut negotiating = stream;
    let Some(number) = negotiate(&mut negotiating, &exports)? else { return Ok(()) };
    stream.set_read_timeout(None)?;
    let device = &devices[number];
    let replies = Arc::new(Replies::new(stream.try_clone()?)?);
    let mut reader = BufReader::with_capacity(64 << 10, stream);
    while let Some(request) = Request::read(&mut reader)? {
        let asked = request.asked(&mut reader, device.size())?;
        let handle = request.handle;
        let length = match &asked {
            Ok(Asked::Read { length, .. }) => *length,
            Ok(Asked::Write { data, .. }) => data.len() as u64,
            _ => 0,
        };
        // No more is read of a client that doesn't take its answers.
        replies.make_room(length);
        let back = Arc::clone(&replies);
        match asked {
            Ok(asked) => device.submit(asked, move |answer| back.send(handle, answer, length)),
            Err(refusal) => back.send(handle, Err(refusal), length),
        }
    }
    replies.drain();
    Ok(())
}

/// The head of a request.
#[derive(Clone, Copy, Debug)]
pub(super) struct Request {
    flags: u16,
    kind: u16,
    pub(super) handle: u64,
    offset: u64,
    length: u32,
}

impl Request {
    /// The next; `None` where the client goes.
    pub(super) fn read(reader: &mut impl Read) -> io::Result<Option<Self>> {
        if u32_of(reader)? != REQUEST {
            return Err(broken("no request"));
        }
        let (flags, kind) = (u16_of(reader)?, u16_of(reader)?);
        let (handle, offset, length) = (u64_of(reader)?, u64_of(reader)?, u32_of(reader)?);
        Ok((kind != command::DISCONNECT).then_some(Self { flags, kind, handle, offset, length }))
    }

    /// What it asks for, with its data read; or why not. What comes behind it is read in any case.
    pub(super) fn asked(self, reader: &mut impl Read, size: u64) -> io::Result<Result<Asked, Refusal>> {
        let Self { flags, kind, offset, length, .. } = self;
        let through = flags & THROUGH != 0;
        let within = offset.checked_add(u64::from(length)).is_some_and(|end| end <= size);
        let aligned = offset.is_multiple_of(u64::from(LEAST)) && length.is_multiple_of(LEAST);
        let (offset, bytes) = (offset, u64::from(length));
        if kind == command::WRITE {
            if length > MOST || length == 0 || !within || !aligned {
                skip(reader, length)?;
                return Ok(Err(if within { Refusal::Invalid } else { Refusal::NoSpace }));
            }
            let mut data = vec![0; length as usize];
            reader.read_exact(&mut data)?;
            return Ok(Ok(Asked::Write { offset, data, through }));
        }
        Ok(match kind {
            command::FLUSH => Ok(Asked::Flush),
            command::READ if length > MOST => Err(Refusal::Invalid),
            command::READ | command::TRIM | command::WRITE_ZEROES if length == 0 || !aligned => {
                Err(Refusal::Invalid)
            }
            command::READ if !within => Err(Refusal::Invalid),
            command::TRIM | command::WRITE_ZEROES if !within => Err(Refusal::NoSpace),
            command::READ => Ok(Asked::Read { offset, length: bytes }),
            command::TRIM => Ok(Asked::Discard { offset, length: bytes }),
            command::WRITE_ZEROES => Ok(Asked::Zero { offset, length: bytes, through }),
            _ => Err(Refusal::Invalid),
        })
    }
}
