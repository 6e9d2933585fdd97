//! `petrio calibrate --network`: two processes, and what is refused.

use crate::support::Folder;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::process::{Child, Stdio};

/// A server that ends with the test, and where it listens.
struct Listening(Child, String);

impl Listening {
    fn begin(folder: &Folder) -> Self {
        let mut command = folder.command(&["calibrate", "--network", "--listen", "127.0.0.1:0"]);
        let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
        let mut talk = BufReader::new(child.stderr.take().unwrap());
        let mut line = String::new();
        talk.read_line(&mut line).unwrap();
        let address = line.trim().trim_start_matches("listening on ").trim_end_matches(", until interrupted");
        let address = address.to_owned();
        // Somebody reads what it says on.
        std::thread::spawn(move || talk.read_to_end(&mut Vec::new()));
        Self(child, address)
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn two_processes_measure_the_network_between_them_and_a_scenario_takes_it() {
    let folder = Folder::new();
    let Listening(_child, address) = &Listening::begin(&folder);
    let measure =
        ["calibrate", "--network", "--to", address, "--quick", "--name", "san", "--out", "net.toml"];
    let answer = folder.petrio(&measure);
    assert_eq!(answer.code, Some(0), "{}", answer.talk);
    assert!(answer.out.contains("round trip") && answer.out.contains("latency"), "{}", answer.out);
    assert!(answer.talk.contains("[network.san], for a scenario: net.toml"), "{}", answer.talk);
    let text = folder.text("net.toml");
    let scenario = format!("{}\n{text}", SCENARIO.replace("NETWORK", ""));
    folder.write("pasted.toml", scenario);
    let part = text.replace("[network.san]\n", "");
    folder.write("part.toml", part);
    folder.write("used.toml", SCENARIO.replace("NETWORK", "[network.san]\nuse = \"part.toml\""));
    for scenario in ["pasted.toml", "used.toml"] {
        let checked = folder.petrio(&["check", scenario]);
        assert_eq!(checked.code, Some(0), "{scenario}: {}", checked.talk);
    }
    // What is there stays, unless it may be replaced.
    let again = folder.petrio(&measure);
    assert_eq!(again.code, Some(2));
    assert!(again.talk.contains("net.toml is there already"), "{}", again.talk);
    assert_eq!(folder.text("net.toml"), text);
}

const SCENARIO: &str = r#"
NETWORK
[host.client]
machine = "poweredge-1850"
kernel = "linux-2.6.24"
[host.server]
machine = "poweredge-1850"
kernel = "linux-2.6.24"
disk.d = { model = "seagate-st3146707lc" }
fs.data = { type = "ext3", on = "d" }
[pvfs.work]
clients = "client"
servers = "server/data"
[workload.writers]
kind = "files"
on = "client/work"
operation = "write"
record = "64 KiB"
file_size = "1 MiB"
"#;

#[test]
fn what_makes_no_sense_is_refused_and_leaves_nothing() {
    let folder = Folder::new();
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
    let network = ["calibrate", "--network"];
    for (arguments, words) in [
        (&["--out", "o.toml"][..], &["--listen", "--to", "--namespaces"][..]),
        (&["--to", &free], &["--out"]),
        (&["--to", &free, "--out", "o.toml"], &["nobody answers at", "help: start `petrio calibrate"]),
        (&["--to", "nowhere", "--out", "o.toml"], &["\"nowhere\" is no address with a port", "help: give"]),
        (&["--to", &free, "--listen", &free], &["cannot be used with"]),
        (&["--listen", &free, "--out", "o.toml"], &["cannot be used with"]),
        (&["--listen", &free, "--quick"], &["cannot be used with"]),
        (&["--listen", "203.0.113.7:1"], &["can't listen on 203.0.113.7:1", "help: listen"]),
        (&["--to", &free, "--out", "o.toml", "--rate", "1 Gbit/s"], &["cannot be used with"]),
        (&["--to", &free, "--out", "o.toml", "--device", "d"], &["cannot be used with"]),
        (&["--namespaces", "--out", "o.toml", "--rate", "fast"], &["fast"]),
        (
            &["--namespaces", "--out", "o.toml", "--rate", "1 bit/s"],
            &["a token bucket of 1 bit/s", "10 Mbit/s"],
        ),
        (&["--namespaces", "--out", "o.toml", "--dir", "."], &["cannot be used with"]),
        (&["--to", &free, "--out", "o.toml", "--name", "a b"], &["letters, digits"]),
        (&["--to", &free, "--out", "no/o.toml"], &["no/o.toml"]),
    ] {
        let answer = folder.petrio(&[&network[..], arguments].concat());
        let expected = if arguments.contains(&"no/o.toml") { 1 } else { 2 };
        assert_eq!(answer.code, Some(expected), "{arguments:?}: {}", answer.talk);
        for word in words {
            assert!(answer.talk.contains(word), "no \"{word}\" in: {}", answer.talk);
        }
        assert_eq!(folder.names(), [""; 0], "{arguments:?}");
    }
    // Without --network, what belongs to one is refused too.
    let answer = folder.petrio(&["calibrate", "--to", &free, "--out", "o.toml"]);
    assert_eq!(answer.code, Some(2));
    assert!(answer.talk.contains("--network"), "{}", answer.talk);
}

#[test]
fn a_peer_that_dies_on_the_way_is_no_mistake_of_the_user_and_leaves_nothing() {
    let folder = Folder::new();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut hello = [0; 16];
        stream.read_exact(&mut hello).unwrap();
        // A hello of a server that welcomes is that of a client.
        stream.write_all(&hello).unwrap();
        let about = br#"{"host":"h","kernel":"","processor":"","processors":1,"time_stamps":true,"congestion":"","boot":""}"#;
        stream.write_all(&(about.len() as u32).to_be_bytes()).unwrap();
        stream.write_all(about).unwrap();
        let mut some = [0; 300];
        let _ = stream.read(&mut some);
    });
    let answer = folder.petrio(&["calibrate", "--network", "--to", &address, "--out", "o.toml"]);
    assert_eq!(answer.code, Some(1), "{}", answer.talk);
    assert!(answer.talk.contains("while messages went to and fro"), "{}", answer.talk);
    assert!(answer.talk.contains("help: look at what petrio says there"), "{}", answer.talk);
    assert_eq!(folder.names(), [""; 0]);
}
