//! What a server has been asked for, and what it has sent by then.

#![allow(clippy::unwrap_used)]

use super::*;
use crate::pvfs::PvfsParameters;
use crate::pvfs::parameters::Version;

/// A server's sessions with a read of so many KiB, as a client asks for it.
fn reading(version: Version, kib: u64) -> Sessions {
    let parameters = PvfsParameters { version, ..PvfsParameters::default() };
    let own = Address { host: 0, service: 0 };
    let mut sessions = Sessions::new(ServerIs {
        protocol: parameters.protocol(),
        levels: ServiceLevels::default(),
        own,
        process: 7,
        file_system: 0,
        direct: false,
        real_time: false,
        note: (FileId(100), 0),
        number: 0,
        servers: [own].into(),
        database: 0,
        failures: [].into(),
        patience: parameters.retries.of_servers(),
    });
    let request = Request {
        ticket: Ticket { client: 1, call: 0, server: 0, attempt: 0 },
        operation: Operation::Read,
        file: FileId(1),
        parent: FileId::ROOT,
        replaced: None,
        offset: 0,
        length: kib << 10,
        flags: AccessFlags::default(),
        class: petrio_colours::IoClass::BestEffort,
        priority: 4,
        with_data: false,
        is_small: false,
        answer: 48,
        reply_to: 0,
        instance: 0,
    };
    let message = Message::send(1, (0, 0), 0, (320, Payload::Request(request)));
    sessions.receive(message, Time::ZERO).unwrap();
    sessions
}

/// Asks for all that may be asked for; what was asked.
fn ask_all(sessions: &mut Sessions) -> Vec<FileOp> {
    while !sessions.pieces.is_empty() {
        let piece = sessions.pieces.remove(0);
        sessions.ask(piece, Time::ZERO);
    }
    std::mem::take(&mut sessions.operations)
}

/// A read of the file is done; data messages that are sent then, and whether the last is the end.
fn done(sessions: &mut Sessions, mut op: FileOp) -> (usize, bool) {
    op.status = Status::Done;
    sessions.outbox.clear();
    sessions.done(&op, Time::ZERO);
    let ends =
        |message: Message| matches!(message.payload.get(), Some(Payload::ReadData { reply: Some(_), .. }));
    let sent = std::mem::take(&mut sessions.outbox);
    (sent.len(), sent.into_iter().any(ends))
}

#[test]
fn a_flow_has_eight_buffers_that_are_filled_one_after_the_other_and_sent_in_order() {
    let mut sessions = reading(Version::Pvfs2, 4_096);
    assert_eq!(sessions.pieces.len(), 1, "the next one when this one's read has been asked for");
    let mut asked = ask_all(&mut sessions);
    assert_eq!(asked.len(), 8);
    let offsets: Vec<u64> = asked.iter().map(|op| op.offset >> 18).collect();
    assert_eq!(offsets, (0..8).collect::<Vec<_>>());
    // What is there early waits.
    assert_eq!(done(&mut sessions, asked.remove(1)), (0, false));
    assert_eq!(done(&mut sessions, asked.remove(0)), (2, false));
    asked.extend(ask_all(&mut sessions));
    assert_eq!(asked.len(), 8, "two buffers are free again, and full again");
    let mut sent = 2;
    while !asked.is_empty() {
        let (more, is_end) = done(&mut sessions, asked.remove(0));
        sent += more;
        asked.extend(ask_all(&mut sessions));
        assert_eq!(is_end, asked.is_empty() && sent == 16, "{sent}");
    }
    assert_eq!(sent, 16);
}

#[test]
fn pvfs_1_has_all_pieces_of_a_read_in_its_receive_buffers_at_once() {
    assert_eq!(reading(Version::Pvfs1, 4_096).pieces.len(), 64);
}
