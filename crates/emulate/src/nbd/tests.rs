//! Conversations with clients, good ones and others.

#![allow(clippy::unwrap_used)]

use super::wire::{GREETING, OPTION, OPTION_REPLY, command, flag, option, reply};
use super::*;
use crate::tests::{a_drum, emulated};
use crate::{Emulator, Options};
use proptest::prelude::*;
use std::io::{Read, Write};
use std::time::{Duration, Instant};

/// A client that knows as much as a test needs.
struct Client(UnixStream);

impl Client {
    fn number<const N: usize>(&mut self) -> [u8; N] {
        let mut bytes = [0; N];
        self.0.read_exact(&mut bytes).unwrap();
        bytes
    }

    fn greet(path: &Path) -> Self {
        let mut client = Self(UnixStream::connect(path).unwrap());
        client.0.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        assert_eq!(u64::from_be_bytes(client.number()), GREETING);
        assert_eq!(u64::from_be_bytes(client.number()), OPTION);
        assert_eq!(client.number::<2>(), [0, 3]);
        client.0.write_all(&3u32.to_be_bytes()).unwrap();
        client
    }

    fn option(&mut self, option: u32, words: &[u8]) {
        let mut said = OPTION.to_be_bytes().to_vec();
        said.extend(option.to_be_bytes());
        said.extend((words.len() as u32).to_be_bytes());
        said.extend(words);
        self.0.write_all(&said).unwrap();
    }

    fn answer(&mut self) -> (u32, Vec<u8>) {
        assert_eq!(u64::from_be_bytes(self.number()), OPTION_REPLY);
        let _asked: [u8; 4] = self.number();
        let (kind, length) = (u32::from_be_bytes(self.number()), u32::from_be_bytes(self.number()));
        let mut words = vec![0; length as usize];
        self.0.read_exact(&mut words).unwrap();
        (kind, words)
    }

    /// Goes to an export; its size and flags.
    fn go(path: &Path, name: &str) -> (Self, u64, u16) {
        let mut client = Self::greet(path);
        let mut words = (name.len() as u32).to_be_bytes().to_vec();
        words.extend(name.as_bytes());
        words.extend([0, 0]);
        client.option(option::GO, &words);
        let (mut size, mut flags) = (0, 0);
        loop {
            match client.answer() {
                (reply::INFO, words) if words[..2] == [0, 0] => {
                    size = u64::from_be_bytes(words[2..10].try_into().unwrap());
                    flags = u16::from_be_bytes(words[10..12].try_into().unwrap());
                }
                (reply::INFO, words) => assert_eq!(words.len(), 14),
                (kind, _) => {
                    assert_eq!(kind, reply::ACK);
                    return (client, size, flags);
                }
            }
        }
    }

    fn ask(&mut self, (kind, flags): (u16, u16), handle: u64, (offset, length): (u64, u32), data: &[u8]) {
        let mut said = wire::REQUEST.to_be_bytes().to_vec();
        said.extend(flags.to_be_bytes());
        said.extend(kind.to_be_bytes());
        said.extend(handle.to_be_bytes());
        said.extend(offset.to_be_bytes());
        said.extend(length.to_be_bytes());
        said.extend(data);
        self.0.write_all(&said).unwrap();
    }

    fn reply(&mut self, length: usize) -> (u32, u64, Vec<u8>) {
        assert_eq!(u32::from_be_bytes(self.number()), wire::REPLY);
        let (errno, handle) = (u32::from_be_bytes(self.number()), u64::from_be_bytes(self.number()));
        let mut data = vec![0; if errno == 0 { length } else { 0 }];
        self.0.read_exact(&mut data).unwrap();
        (errno, handle, data)
    }
}

fn served(options: Options) -> (tempfile::TempDir, Emulator, NbdServer, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("socket");
    let emulator = emulated(&a_drum(Duration::from_millis(2)), options);
    let server = NbdServer::start(&path, emulator.devices()).unwrap();
    (folder, emulator, server, path)
}

#[test]
fn a_client_reads_what_it_has_written_and_waits_for_it() {
    let (_folder, emulator, server, path) = served(Options::default());
    let (mut client, size, flags) = Client::go(&path, "d");
    assert_eq!(size, 64 << 20);
    let promised =
        flag::HAS_FLAGS | flag::SEND_FLUSH | flag::SEND_TRIM | flag::CAN_MULTI_CONN | flag::SEND_WRITE_ZEROES;
    assert_eq!(flags & promised, promised);
    let began = Instant::now();
    client.ask((command::WRITE, 0), 1, (4_096, 4_096), &[7; 4_096]);
    assert_eq!(client.reply(0), (0, 1, Vec::new()));
    client.ask((command::READ, 0), 2, (0, 8_192), &[]);
    let (_, _, data) = client.reply(8_192);
    assert!(data[..4_096].iter().all(|byte| *byte == 0) && data[4_096..].iter().all(|byte| *byte == 7));
    assert!(began.elapsed() >= Duration::from_millis(4), "{:?}", began.elapsed());
    client.ask((command::WRITE_ZEROES, 0), 3, (4_096, 512), &[]);
    client.ask((command::FLUSH, 0), 4, (0, 0), &[]);
    client.ask((command::TRIM, 0), 5, (8_192, 4_096), &[]);
    // All three at once.
    let mut handles: Vec<u64> = (0..3).map(|_| client.reply(0).1).collect();
    handles.sort_unstable();
    assert_eq!(handles, [3, 4, 5]);
    // Another connection sees the same.
    let (mut other, ..) = Client::go(&path, "");
    other.ask((command::READ, 0), 9, (4_096, 1_024), &[]);
    let (_, _, data) = other.reply(1_024);
    assert_eq!((data[0], data[511], data[512]), (0, 0, 7));
    assert_eq!(server.connections(), 2);
    client.ask((command::DISCONNECT, 0), 0, (0, 0), &[]);
    drop(server);
    assert!(!path.exists());
    assert_eq!(emulator.finish().unwrap().judgement.requests, 6);
}

#[test]
fn what_makes_no_sense_is_refused_and_the_connection_goes_on() {
    let (_folder, _emulator, _server, path) = served(Options::default());
    let mut client = Client::greet(&path);
    client.option(8, &[]);
    assert_eq!(client.answer().0, reply::UNSUPPORTED, "structured replies");
    client.option(option::LIST, &[]);
    assert_eq!(client.answer(), (reply::SERVER, b"\0\0\0\x01d".to_vec()));
    assert_eq!(client.answer().0, reply::ACK);
    client.option(option::INFO, &[0, 0, 0, 9, 1]);
    assert_eq!(client.answer().0, reply::INVALID);
    client.option(option::GO, b"\0\0\0\x04nope\0\0");
    assert_eq!(client.answer().0, reply::UNKNOWN);
    client.option(option::LIST, &vec![0; 100_000]);
    assert_eq!(client.answer().0, reply::TOO_BIG);
    client.option(option::EXPORT_NAME, b"d");
    assert_eq!(u64::from_be_bytes(client.number()), 64 << 20);
    let _flags: [u8; 2] = client.number();
    for (number, (kind, range, errno)) in (1..).zip([
        (command::READ, (64 << 20, 512), 22),
        (command::READ, (0, 0), 22),
        (command::READ, (1, 512), 22),
        (command::READ, (0, u32::MAX - 511), 22),
        (command::WRITE_ZEROES, (u64::MAX - 511, 512), 28),
        (99, (0, 512), 22),
    ]) {
        client.ask((kind, 0), number, range, &[]);
        assert_eq!(client.reply(0), (errno, number, Vec::new()), "{kind} {range:?}");
    }
    client.ask((command::WRITE, 0), 50, ((64 << 20) - 512, 1_024), &[1; 1_024]);
    assert_eq!(client.reply(0).0, 28);
    client.ask((command::READ, 0), 51, (0, 512), &[]);
    assert_eq!(client.reply(512).0, 0);
}

#[test]
fn a_client_that_reads_nothing_holds_up_nobody_else() {
    let (_folder, _emulator, _server, path) = served(Options::default());
    let (mut greedy, ..) = Client::go(&path, "d");
    greedy.0.set_nonblocking(true).unwrap();
    // Sixty answers of 1 MiB that nobody takes.
    for number in 0..60 {
        greedy.ask((command::READ, 0), number, (0, 1 << 20), &[]);
    }
    let (mut other, ..) = Client::go(&path, "d");
    let began = Instant::now();
    for number in 0..20 {
        other.ask((command::READ, 0), number, (0, 512), &[]);
        assert_eq!(other.reply(512).0, 0);
    }
    assert!(began.elapsed() < Duration::from_secs(10), "{:?}", began.elapsed());
}

#[test]
fn a_socket_that_is_left_gives_way_and_one_in_use_does_not() {
    let (folder, emulator, server, path) = served(Options::default());
    assert!(NbdServer::start(&path, emulator.devices()).is_err(), "another server answers there");
    drop(server);
    drop(UnixListener::bind(&path).unwrap());
    drop(NbdServer::start(&path, emulator.devices()).unwrap());
    let file = folder.path().join("file");
    fs::write(&file, "mine").unwrap();
    assert!(NbdServer::start(&file, emulator.devices()).is_err());
    assert_eq!(fs::read_to_string(&file).unwrap(), "mine");
}

proptest! {
    #[test]
    fn any_conversation_ends_without_a_panic(
        mut said in proptest::collection::vec(any::<u8>(), 0..400), cut in 0usize..80,
    ) {
        converse(&said, 1_000);
        // Behind a negotiation that goes well.
        let mut good = 3u32.to_be_bytes().to_vec();
        good.extend(OPTION.to_be_bytes());
        good.extend(option::GO.to_be_bytes());
        good.extend([0, 0, 0, 6, 0, 0, 0, 0, 0, 0]);
        let mut request = wire::REQUEST.to_be_bytes().to_vec();
        request.append(&mut said);
        good.append(&mut request);
        good.truncate(good.len() - cut.min(good.len()));
        converse(&good, 1_000);
    }
}
