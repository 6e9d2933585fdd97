//! The negotiation: which device a client wants.

use super::wire::{
    BEST, GREETING, HANDSHAKE_FLAGS, INFO_BLOCK_SIZE, INFO_EXPORT, LEAST, MOST, NO_ZEROES, OPTION,
    OPTION_REPLY, broken, flag, option, reply, u16_of, u32_of, u64_of,
};
use crate::device::Durability;
use petrio_colours::SECTOR_BYTES;
use std::io::{self, Read, Write};

/// The longest name and the longest words of an option that anybody reads.
const WORDS_MAX: u32 = 4_096;
/// So many options are asked for at most.
const OPTIONS_MAX: usize = 1_000;

/// A device as a client hears of it.
#[derive(Clone, Debug)]
pub(super) struct Export {
    pub(super) name: String,
    pub(super) blocks: u64,
    pub(super) durability: Durability,
}

impl Export {
    fn size(&self) -> u64 {
        self.blocks * SECTOR_BYTES
    }

    /// What it can do. A device that keeps nothing back needs no flush, and a kernel sends none then.
    fn flags(&self) -> u16 {
        let Durability { volatile, force_unit_access, discards, rotational, .. } = self.durability;
        let mut flags = flag::HAS_FLAGS | flag::SEND_WRITE_ZEROES | flag::CAN_MULTI_CONN;
        if volatile {
            flags |= flag::SEND_FLUSH;
        }
        if force_unit_access {
            flags |= flag::SEND_FUA;
        }
        if discards {
            flags |= flag::SEND_TRIM;
        }
        if rotational {
            flags |= flag::ROTATIONAL;
        }
        flags
    }
}

/// Speaks with a client until it has chosen one of the exports; `None` where it goes.
pub(super) fn negotiate(stream: &mut (impl Read + Write), exports: &[Export]) -> io::Result<Option<usize>> {
    let mut greeting = GREETING.to_be_bytes().to_vec();
    greeting.extend(OPTION.to_be_bytes());
    greeting.extend(HANDSHAKE_FLAGS.to_be_bytes());
    stream.write_all(&greeting)?;
    let client = u32_of(stream)?;
    if client & !(u32::from(HANDSHAKE_FLAGS)) != 0 {
        return Err(broken("flags that nobody knows"));
    }
    for _ in 0..OPTIONS_MAX {
        if u64_of(stream)? != OPTION {
            return Err(broken("no option"));
        }
        let (asked, length) = (u32_of(stream)?, u32_of(stream)?);
        if length > WORDS_MAX {
            skip(stream, length)?;
            answer(stream, asked, reply::TOO_BIG, b"no option has so many words")?;
            continue;
        }
        let mut words = vec![0; length as usize];
        stream.read_exact(&mut words)?;
        match asked {
            option::EXPORT_NAME => {
                let Some(number) = find(exports, &words) else { return Err(broken("no such export")) };
                let export = &exports[number];
                let mut said = export.size().to_be_bytes().to_vec();
                said.extend(export.flags().to_be_bytes());
                said.resize(if client & NO_ZEROES == 0 { 134 } else { 10 }, 0);
                stream.write_all(&said)?;
                return Ok(Some(number));
            }
            option::ABORT => {
                answer(stream, asked, reply::ACK, &[])?;
                return Ok(None);
            }
            option::LIST if length > 0 => answer(stream, asked, reply::INVALID, b"a list needs no words")?,
            option::LIST => {
                for export in exports {
                    let mut said = (u32::try_from(export.name.len()).unwrap_or(0)).to_be_bytes().to_vec();
                    said.extend(export.name.as_bytes());
                    answer(stream, asked, reply::SERVER, &said)?;
                }
                answer(stream, asked, reply::ACK, &[])?;
            }
            option::INFO | option::GO => {
                if let Some(number) = inform(stream, exports, (asked, &words))?
                    && asked == option::GO
                {
                    return Ok(Some(number));
                }
            }
            _ => answer(stream, asked, reply::UNSUPPORTED, &[])?,
        }
    }
    Err(broken("options without end"))
}

/// Says what an export is.
fn inform(
    stream: &mut impl Write,
    exports: &[Export],
    (asked, mut words): (u32, &[u8]),
) -> io::Result<Option<usize>> {
    let all = &mut words;
    let name = u32_of(all).ok().and_then(|length| {
        let (name, rest) = all.split_at_checked(length as usize)?;
        *all = rest;
        Some(name)
    });
    let wanted = name.and_then(|name| Some((name, u16_of(all).ok()?)));
    let Some((name, wanted)) = wanted.filter(|(_, wanted)| all.len() == usize::from(*wanted) * 2) else {
        answer(stream, asked, reply::INVALID, b"a name, and what is wanted to be known")?;
        return Ok(None);
    };
    let _ = wanted;
    let Some(number) = find(exports, name) else {
        answer(stream, asked, reply::UNKNOWN, b"there is no device of that name")?;
        return Ok(None);
    };
    let export = &exports[number];
    let mut said = INFO_EXPORT.to_be_bytes().to_vec();
    said.extend(export.size().to_be_bytes());
    said.extend(export.flags().to_be_bytes());
    answer(stream, asked, reply::INFO, &said)?;
    // Whether it asks for that or not: servers say it unasked.
    let mut said = INFO_BLOCK_SIZE.to_be_bytes().to_vec();
    for size in [LEAST, BEST, MOST] {
        said.extend(size.to_be_bytes());
    }
    answer(stream, asked, reply::INFO, &said)?;
    answer(stream, asked, reply::ACK, &[])?;
    Ok(Some(number))
}

/// The export of a name; of none the first.
fn find(exports: &[Export], name: &[u8]) -> Option<usize> {
    if name.is_empty() {
        return (!exports.is_empty()).then_some(0);
    }
    exports.iter().position(|export| export.name.as_bytes() == name)
}

fn answer(stream: &mut impl Write, asked: u32, kind: u32, words: &[u8]) -> io::Result<()> {
    let mut said = OPTION_REPLY.to_be_bytes().to_vec();
    for number in [asked, kind, u32::try_from(words.len()).unwrap_or(0)] {
        said.extend(number.to_be_bytes());
    }
    said.extend(words);
    stream.write_all(&said)
}

/// Reads what nobody wants, without keeping it.
pub(super) fn skip(stream: &mut impl Read, length: u32) -> io::Result<()> {
    let skipped = io::copy(&mut stream.by_ref().take(u64::from(length)), &mut io::sink())?;
    if skipped == u64::from(length) { Ok(()) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
}

/// A client's words, and what it is answered.
struct Conversation<'a> {
    said: &'a [u8],
    answered: Vec<u8>,
}

impl Read for Conversation<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.said.read(into)
    }
}

impl Write for Conversation<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.answered.extend(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The negotiation and the heads of all requests behind it, as of one that says all at once.
pub(super) fn converse(said: &[u8], blocks: u64) -> Vec<u8> {
    let durability =
        Durability { volatile: true, room: None, force_unit_access: true, discards: true, rotational: true };
    let exports = ["d0", "d1"].map(|name| Export { name: name.to_owned(), blocks, durability });
    let mut stream = Conversation { said, answered: Vec::new() };
    if let Ok(Some(_)) = negotiate(&mut stream, &exports) {
        while let Ok(Some(request)) = super::connection::Request::read(&mut stream) {
            let errno = match request.asked(&mut stream, blocks * SECTOR_BYTES) {
                Ok(Ok(_)) => 0,
                Ok(Err(refusal)) => refusal.errno(),
                Err(_) => break,
            };
            stream.answered.extend(super::replies::head(u32::from(errno), request.handle));
        }
    }
    stream.answered
}
