//! What a server asks its database and other servers for, and when it answers.

#![allow(clippy::unwrap_used)]
use super::*;
use crate::pvfs::parameters::{PvfsParameters, ServiceLevels, Version};
use crate::pvfs::sessions::ServerIs;

fn server(number: u32, servers: u32) -> Sessions {
    let parameters = PvfsParameters { version: Version::Pvfs2, ..PvfsParameters::default() };
    let addresses: Vec<Address> = (0..servers).map(|host| Address { host, service: 0 }).collect();
    Sessions::new(ServerIs {
        protocol: parameters.protocol(),
        levels: ServiceLevels::default(),
        own: addresses[number as usize],
        process: 7,
        file_system: 0,
        direct: false,
        real_time: false,
        note: (FileId(100), 0),
        number,
        servers: addresses.into(),
        database: 1 << 20,
        failures: [].into(),
        patience: parameters.retries.of_servers(),
    })
}

fn ask(call: u32, kind: Kind, others: &[u32]) -> AskOfNames {
    AskOfNames {
        ticket: Ticket { client: 50, call, server: 1 << 31, attempt: 0 },
        kind,
        object: FileId(10 + call),
        count: 1,
        length: 0,
        others: others.iter().copied().collect(),
        answer: 40,
        reply_to: 0,
        instance: 0,
    }
}

fn ask_and_begin(sessions: &mut Sessions, ask: AskOfNames) {
    let look = sessions.asked_for(ask, (50, 0), true, Time::ZERO);
    assert!(sessions.begin_asked(look.ticket, Time::ZERO));
}

/// What the server asks its file system is done, all but syncs where these stay; which operations those were.
fn done(sessions: &mut Sessions, syncs: bool) -> Vec<Operation> {
    let mut all = Vec::new();
    let mut stay = Vec::new();
    while !sessions.operations.is_empty() {
        let mut op = sessions.operations.remove(0);
        if op.operation == Operation::Fdatasync && !syncs {
            stay.push(op);
            continue;
        }
        all.push(op.operation);
        op.status = Status::Done;
        sessions.done(&op, Time::ZERO);
    }
    sessions.operations = stay;
    all
}

#[test]
fn who_waits_for_a_sync_shares_the_next() {
    let mut sessions = server(0, 4);
    (0..3).for_each(|call| ask_and_begin(&mut sessions, ask(call, Kind::CreateEntry, &[])));
    let first = done(&mut sessions, false);
    assert_eq!(first.iter().filter(|op| **op == Operation::Write).count(), 3);
    assert_eq!(sessions.operations.len(), 1, "one sync at a time");
    let syncs = done(&mut sessions, true);
    assert_eq!(syncs, [Operation::Fdatasync; 2], "the first's, and one for both others");
    assert_eq!(sessions.outbox.len(), 3);
    assert_eq!((sessions.left(), sessions.relays()), (0, 0));
}

#[test]
fn a_tree_is_answered_when_its_parts_are() {
    let mut sessions = server(3, 8);
    ask_and_begin(&mut sessions, ask(1, Kind::TreeGetFileSize, &[3, 4, 2, 1, 0]));
    assert_eq!(sessions.outbox.len(), 2, "two parts of two");
    done(&mut sessions, true);
    let sent = std::mem::take(&mut sessions.outbox);
    let relays = sent.into_iter().map(|message| match *message.payload.open::<Payload>().unwrap() {
        Payload::Relay(ask) => ask,
        other => panic!("{other:?}"),
    });
    for relay in relays.collect::<Vec<_>>() {
        assert_eq!(relay.others.len(), 2);
        assert!(sessions.outbox.is_empty(), "it waits for both");
        sessions.relayed(relay.ticket, Time::ZERO).unwrap();
    }
    assert_eq!(sessions.outbox.len(), 1);
    assert!(sessions.relayed(Ticket { client: 3, call: 9, server: 0, attempt: 0 }, Time::ZERO).is_err());
}
