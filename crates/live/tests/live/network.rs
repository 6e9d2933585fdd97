//! Networks measured for real: by loopback, between namespaces, and against whoever says something else. No clock is
//! asserted on but a token bucket's.

#![allow(clippy::unwrap_used)]

use crate::possible;
use petrio_live::calibrate::network::{
    Effort, NetworkCalibration, NetworkError, Server, calibrate_namespaces, calibrate_network,
    possible as namespaces,
};
use petrio_models::network::NetworkParameters;
use petrio_units::Bytes;
use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::thread;

/// The hello of this version's client, byte by byte: it must not change, or versions can't tell each other apart.
const HELLO: [u8; 16] = *b"petrio\0N\0\0\0\x01\0\0\0\0";

/// The table as a scenario reads it.
fn table(calibration: &NetworkCalibration) -> NetworkParameters {
    #[derive(serde::Deserialize)]
    struct Scenario {
        network: BTreeMap<String, NetworkParameters>,
    }
    let text = calibration.to_toml("lan");
    let scenario: Scenario = toml::from_str(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let read = scenario.network["lan"].clone();
    read.check().unwrap();
    read
}

/// A server that goes on as long as the tests do.
fn server() -> SocketAddr {
    let server = Server::listen("127.0.0.1:0").unwrap();
    let address = server.address().unwrap();
    thread::spawn(move || server.serve(&|_, _| ()));
    address
}

/// What a client gets of somebody who listens and does this with each connection.
fn refusal(answer: impl Fn(TcpStream) + Send + 'static) -> NetworkError {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    thread::spawn(move || {
        for stream in listener.incoming() {
            answer(stream.unwrap());
        }
    });
    calibrate_network(&address, &Effort::tiny(), &mut |_| ()).unwrap_err()
}

#[test]
fn loopback_is_measured_though_strays_connect_and_its_table_is_a_network() {
    let address = server();
    for stray in [
        &b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"[..],
        b"",
        b"petrio\0N",
        &[&HELLO[..], &[0xff; 4]].concat(),
        &[&HELLO[..], &[0, 0, 0, 9], b"[[[[[[[[["].concat(),
    ] {
        let mut stream = TcpStream::connect(address).unwrap();
        // Who hears at the first byte that it is nonsense may have hung up before the last.
        let _ = stream.write_all(stray).and_then(|()| stream.shutdown(Shutdown::Write));
        let _ = stream.read_to_end(&mut Vec::new());
    }
    let mut steps = Vec::new();
    let measured =
        calibrate_network(&address.to_string(), &Effort::tiny(), &mut |step| steps.push(step)).unwrap();
    assert_eq!(steps.last().map(|step| step.done + 1), steps.last().map(|step| step.total));
    assert_eq!(table(&measured), measured.fitted.parameters);
    assert!(measured.ends.are_one_machine());
    for trips in &measured.measured.round_trips {
        assert!(trips.count >= 2 && trips.median_ns.len() == 2, "{trips:?}");
    }
    let text = measured.to_table();
    assert!(text.contains("round trip") && text.contains("Gbit/s"), "{text}");
}

#[test]
fn a_client_that_asks_for_what_is_not_served_is_left_and_the_next_one_is_served() {
    let address = server();
    let about = br#"{"host":"h","kernel":"","processor":"","processors":1,"time_stamps":true,"congestion":"","boot":""}"#;
    for request in [
        &br#"{"ping-pong":{"bytes":4294967295,"clocks":false}}"#[..],
        br#"{"stream":{"bytes":1,"way":"back","warm_us":0,"run_us":4000000000}}"#,
        br#"{"stream":{"bytes":1,"way":"up","warm_us":0,"run_us":1}}"#,
    ] {
        let mut stream = TcpStream::connect(address).unwrap();
        stream.write_all(&HELLO).unwrap();
        let mut welcome = [0; 16];
        stream.read_exact(&mut welcome).unwrap();
        assert_eq!(welcome, HELLO, "welcome is zero, too");
        for text in [&about[..], request] {
            stream.write_all(&(text.len() as u32).to_be_bytes()).unwrap();
            stream.write_all(text).unwrap();
        }
        let mut said = Vec::new();
        let _ = stream.read_to_end(&mut said);
        // Who it is, and nothing behind that.
        let length = u32::from_be_bytes(*said.first_chunk().unwrap()) as usize;
        assert_eq!(said.len(), 4 + length);
    }
    calibrate_network(&address.to_string(), &Effort::tiny(), &mut |_| ()).unwrap();
}

#[test]
fn an_older_client_is_told_the_version_and_a_second_one_that_another_is_measuring() {
    let address = server();
    let hello = |bytes: [u8; 16]| {
        let mut stream = TcpStream::connect(address).unwrap();
        stream.write_all(&bytes).unwrap();
        let mut answer = [0; 16];
        stream.read_exact(&mut answer).unwrap();
        (stream, answer[8..12].to_vec(), answer[15])
    };
    let mut older = HELLO;
    older[11] = 0;
    let (_, version, word) = hello(older);
    assert_eq!((version, word), (vec![0, 0, 0, 1], 2));
    let (first, _, word) = hello(HELLO);
    assert_eq!(word, 0);
    let error = calibrate_network(&address.to_string(), &Effort::tiny(), &mut |_| ()).unwrap_err();
    assert!(matches!(error, NetworkError::Busy { .. }), "{error}");
    drop(first);
}

#[test]
fn whoever_answers_and_is_no_petrio_is_named() {
    let says = |bytes: &'static [u8]| {
        refusal(move |mut stream| {
            let _ = stream.write_all(bytes);
            let _ = stream.read(&mut [0; 64]);
        })
    };
    assert!(matches!(says(b"SSH-2.0-OpenSSH_9.6\r\n"), NetworkError::NotPetrio { .. }));
    assert!(matches!(says(b""), NetworkError::NotPetrio { .. }));
    let other = says(b"petrio\0N\0\0\0\x07\0\0\0\x02");
    assert!(matches!(other, NetworkError::OtherVersion { theirs: 7, ours: 1, .. }), "{other}");
    assert!(matches!(says(b"petrio\0N\0\0\0\x01\0\0\0\x01"), NetworkError::Busy { .. }));
    // A welcome, and then more than any message has.
    let long = says(b"petrio\0N\0\0\0\x01\0\0\0\0\xff\xff\xff\xff");
    assert!(long.to_string().contains("longer message"), "{long}");
}

#[test]
fn a_peer_that_dies_on_the_way_is_lost_and_where_nobody_listens_nobody_answers() {
    let address = server();
    // In between, as a cable: it lets some bytes pass and is cut.
    let lost = refusal(move |client| {
        let server = TcpStream::connect(address).unwrap();
        let (mut up, mut down) = (server.try_clone().unwrap(), client.try_clone().unwrap());
        let passes = thread::spawn(move || {
            let _ = std::io::copy(&mut client.try_clone().unwrap().take(50_000), &mut up);
            let _ = client.shutdown(Shutdown::Both);
            let _ = up.shutdown(Shutdown::Both);
        });
        let _ = std::io::copy(&mut server.take(1 << 20), &mut down);
        let _ = passes.join();
    });
    assert!(matches!(lost, NetworkError::Lost { .. }) && lost.is_of_the_system(), "{lost}");
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
    let nobody = calibrate_network(&free, &Effort::tiny(), &mut |_| ()).unwrap_err();
    assert!(matches!(nobody, NetworkError::Nobody { .. }) && !nobody.is_of_the_system(), "{nobody}");
    for no_address in ["", "here", "127.0.0.1", "127.0.0.1:http", "127.0.0.1:70000", "no such host:1"] {
        let error = calibrate_network(no_address, &Effort::tiny(), &mut |_| ()).unwrap_err();
        assert!(matches!(error, NetworkError::Address { .. }), "{no_address}: {error}");
    }
    let taken = Server::listen(&address.to_string()).unwrap_err();
    assert!(matches!(taken, NetworkError::Listen { .. }), "{taken}");
}

#[test]
fn a_token_bucket_between_namespaces_is_never_found_faster_than_it_is() {
    if !possible("a_token_bucket_between_namespaces_is_never_found_faster_than_it_is", &[&namespaces(true)]) {
        return;
    }
    let rate = "200 Mbit/s".parse().unwrap();
    let measured = calibrate_namespaces(Some(rate), &Effort::quick(), &mut |_| ()).unwrap();
    let found = table(&measured);
    let ratio = found.link.rate.bytes_per_second() / 25e6;
    // What it lets pass is a ceiling. On a machine that has nothing else to do it is found to a per cent; one that is busy
    // sends less, and how much less is for no test to say.
    assert!(ratio > 0.0 && ratio < 1.05, "{}\n{}", found.link.rate, measured.to_toml("lan"));
    assert_eq!(found.link.bucket, Some(Bytes(4_000)));
    assert_eq!((found.framing().mtu, found.framing().frame_overhead), (Bytes(1_500), Bytes(14)));
    assert!(!std::path::Path::new("/sys/class/net/petrio-0").exists(), "this namespace has nothing of it");
}
