//! What workers and their supervisor say to each other: a kind, a length, and so many bytes. Numbers are little-endian.

use super::super::recording::Recorded;
use petrio_colours::{FileId, Operation};
use petrio_time::Time;
use petrio_workload::program::CarriedOut;
use std::io::{self, Read, Write};

/// What a message is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// To a worker: what it has to do.
    Job,
    /// To a worker: begin, and count from so many nanoseconds of the monotonic clock.
    Go,
    /// From a worker: all is prepared.
    Ready,
    /// From a worker: calls of one of its processes.
    Calls,
    /// From a worker: all programs have ended; its gaps.
    Done,
    /// From a worker: why it can't go on.
    Failed,
}

const KINDS: [Kind; 6] = [Kind::Job, Kind::Go, Kind::Ready, Kind::Calls, Kind::Done, Kind::Failed];

/// Bytes of a message at most: a job holds a specification, which may hold tables.
const MESSAGE_MAX: u64 = 1 << 30;
/// Bytes of a call: process, operation, file, offset, length, start, duration.
const CALL_BYTES: usize = 4 + 1 + 4 + 4 * 8;

pub(super) fn send(to: &mut impl Write, kind: Kind, content: &[u8]) -> io::Result<()> {
    // One write: what is sent arrives as a whole or not at all.
    let mut message = Vec::with_capacity(9 + content.len());
    message.push(code_of(&KINDS, kind));
    message.extend((content.len() as u64).to_le_bytes());
    message.extend(content);
    to.write_all(&message)
}

/// The next message; `None` where the other side has ended between two.
pub(super) fn receive(from: &mut impl Read) -> io::Result<Option<(Kind, Vec<u8>)>> {
    let mut code = [0];
    if from.read(&mut code)? == 0 {
        return Ok(None);
    }
    let mut length = [0; 8];
    from.read_exact(&mut length)?;
    let length = u64::from_le_bytes(length);
    let kind = KINDS.get(usize::from(code[0])).filter(|_| length <= MESSAGE_MAX);
    let kind = *kind.ok_or_else(|| io::Error::other("it sent what no worker sends"))?;
    let mut content = Vec::new();
    from.take(length).read_to_end(&mut content)?;
    if content.len() as u64 == length {
        Ok(Some((kind, content)))
    } else {
        Err(io::ErrorKind::UnexpectedEof.into())
    }
}

/// The position of one in a list of all.
fn code_of<T: PartialEq + Copy>(all: &[T], one: T) -> u8 {
    (0..).zip(all).find(|(_, there)| **there == one).map_or(0, |(code, _)| code)
}

/// A number of a message.
pub(super) fn number(bytes: &[u8]) -> Option<u64> {
    bytes.try_into().ok().map(u64::from_le_bytes)
}

pub(super) fn numbers_to_bytes(numbers: &[u64]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

pub(super) fn numbers_from_bytes(bytes: &[u8]) -> Option<Vec<u64>> {
    let (numbers, rest) = bytes.as_chunks::<8>();
    rest.is_empty().then(|| numbers.iter().map(|bytes| u64::from_le_bytes(*bytes)).collect())
}

pub(super) fn calls_to_bytes(said: &Recorded, file_of_whole: impl Fn(FileId) -> FileId) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(16 + said.calls.len() * CALL_BYTES);
    bytes.extend((said.process as u64).to_le_bytes());
    bytes.extend(said.told_until.as_picos().to_le_bytes());
    for call in &said.calls {
        // By its position: petrio speaks with itself alone, so nothing outside knows these.
        bytes.extend(call.process.to_le_bytes());
        bytes.push(code_of(&Operation::ALL, call.operation));
        bytes.extend(file_of_whole(call.file).0.to_le_bytes());
        for number in [call.offset, call.length, call.start.as_picos(), call.took.as_picos()] {
            bytes.extend(number.to_le_bytes());
        }
    }
    bytes
}

/// What a worker says whose first process is `first`; `None` where it can't be that.
pub(super) fn calls_from_bytes(bytes: &[u8], first: usize) -> Option<Recorded> {
    let ([process, told_until], calls) = bytes.split_first_chunk::<16>().map(|(head, calls)| {
        let number = |at: usize| number(&head[at..at + 8]).unwrap_or_default();
        ([number(0), number(8)], calls)
    })?;
    let (calls, rest) = calls.as_chunks::<CALL_BYTES>();
    let call = |bytes: &[u8; CALL_BYTES]| {
        let short = |at: usize| bytes[at..at + 4].try_into().ok().map(u32::from_le_bytes);
        let long = |at: usize| number(&bytes[at..at + 8]);
        Some(CarriedOut {
            process: short(0)?,
            operation: *Operation::ALL.get(usize::from(bytes[4]))?,
            file: FileId(short(5)?),
            offset: long(9)?,
            length: long(17)?,
            start: Time::from_picos(long(25)?),
            took: Time::from_picos(long(33)?),
        })
    };
    let calls = calls.iter().map(call).collect::<Option<Vec<_>>>()?;
    let process = first.checked_add(usize::try_from(process).ok()?)?;
    rest.is_empty().then_some(Recorded {
        process,
        calls,
        told_until: Time::from_picos(told_until),
        back: None,
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn every_operation_arrives_as_it_was() {
        let calls: Vec<CarriedOut> = (0..)
            .zip(Operation::ALL)
            .map(|(number, operation)| CarriedOut {
                process: 7 + number,
                operation,
                file: FileId(number),
                offset: u64::from(number) << 40,
                length: u64::MAX - u64::from(number),
                start: Time::from_nanos(u64::from(number) + 1),
                took: Time::from_nanos(3),
            })
            .collect();
        let said = Recorded { process: 2, calls: calls.clone(), told_until: Time::NEVER, back: None };
        let bytes = calls_to_bytes(&said, |file| FileId(file.0 + 100));
        let mut line = Vec::new();
        send(&mut line, Kind::Calls, &bytes).unwrap();
        send(&mut line, Kind::Done, &numbers_to_bytes(&[1, u64::MAX])).unwrap();
        let mut from = line.as_slice();
        let (kind, content) = receive(&mut from).unwrap().unwrap();
        assert_eq!(kind, Kind::Calls);
        let heard = calls_from_bytes(&content, 10).unwrap();
        assert_eq!((heard.process, heard.told_until), (12, Time::NEVER));
        for (sent, heard) in calls.iter().zip(&heard.calls) {
            assert_eq!(CarriedOut { file: FileId(sent.file.0 + 100), ..*sent }, *heard);
        }
        assert_eq!(heard.calls.len(), calls.len());
        let (kind, content) = receive(&mut from).unwrap().unwrap();
        assert_eq!((kind, numbers_from_bytes(&content)), (Kind::Done, Some(vec![1, u64::MAX])));
        assert!(receive(&mut from).unwrap().is_none());
        // Whatever is cut off or isn't a message is no message.
        assert!(receive(&mut &line[..line.len() - 1]).is_ok_and(|first| first.is_some()));
        assert!(receive(&mut &line[..20]).is_err() && receive(&mut [9; 9].as_slice()).is_err());
        for cut in [3, 15, 17, bytes.len() - 1] {
            assert!(calls_from_bytes(&bytes[..cut], 0).is_none(), "{cut}");
        }
    }
}
