//! Claims about `petrio studio`: on which addresses it listens, and what it then reads.

use crate::support::{Folder, petrio_at_root};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A studio that is open, and its address.
struct Open {
    child: Child,
    authority: String,
    token: String,
}

impl Open {
    /// In a folder of the test's folder.
    fn within(folder: &Folder, inner: &str, arguments: &[&str]) -> Self {
        let mut command = folder.command(&["studio", "--no-open"]);
        command.args(arguments).current_dir(folder.path(inner));
        Self::of(command)
    }

    /// One that keeps what is temporary, and the record of it, in the folder.
    fn keeping_in(folder: &Folder) -> Self {
        let mut command = folder.command(&["studio", "--no-open"]);
        command.env("TMPDIR", folder.path("temporary")).env("PETRIO_STATE", folder.path("state"));
        Self::of(command)
    }

    fn of(mut command: Command) -> Self {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut url = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut url).unwrap();
        let address = url.trim().strip_prefix("http://").unwrap();
        let (authority, token) = address.trim_end_matches('/').split_once('/').unwrap();
        Self { child, authority: authority.to_owned(), token: token.to_owned() }
    }

    /// Status and answer.
    fn post(&self, path: &str, body: &Value) -> (u16, Value) {
        let mut stream = TcpStream::connect(&self.authority).unwrap();
        let body = body.to_string();
        let head = format!(
            "POST /{}/api/{path} HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
            self.token,
            self.authority,
            body.len()
        );
        stream.write_all(format!("{head}{body}").as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let status = answer.split(' ').nth(1).unwrap().parse().unwrap();
        let (_, body) = answer.split_once("\r\n\r\n").unwrap();
        (status, serde_json::from_str(body).unwrap())
    }

    fn signal(&self, signal: &str) {
        let kill = Command::new("kill").args([signal, &self.child.id().to_string()]).status().unwrap();
        assert!(kill.success());
    }

    /// Status and answer, on a connection of its own.
    fn get(&self, path: &str) -> String {
        let mut stream = TcpStream::connect(&self.authority).unwrap();
        let head = format!("GET {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", self.authority);
        stream.write_all(head.as_bytes()).unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        String::from_utf8_lossy(&answer).into_owned()
    }

    /// Ends it as Ctrl-C does; what it said meanwhile.
    fn end(mut self) -> String {
        self.signal("-INT");
        let mut talk = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut talk).unwrap();
        assert_eq!(self.child.wait().unwrap().code(), Some(0), "{talk}");
        talk
    }
}

/// A folder in which a studio is started, one with its specification, and a file in neither.
fn folder() -> Folder {
    let folder = Folder::new();
    for inner in ["here", "there"] {
        std::fs::create_dir(folder.path(inner)).unwrap();
    }
    folder.write("here/numbers.txt", "1 2 3");
    folder.write("there/users.toml", include_str!("../../../../examples/users/thesis.toml"));
    folder.write("numbers.txt", "1 2 3");
    folder
}

fn load(path: &str) -> Value {
    json!({ "quantity": "number", "path": path })
}

#[test]
fn on_this_machines_own_address_every_file_may_be_named() {
    let folder = folder();
    for listen in [&[][..], &["--listen", "127.0.0.1"]] {
        let studio = Open::within(&folder, "here", listen);
        assert!(studio.authority.starts_with("127.0.0.1:"), "{}", studio.authority);
        assert_eq!(studio.post("data", &load("../numbers.txt")).0, 200);
        assert_eq!(studio.post("data", &load(folder.path("numbers.txt").to_str().unwrap())).0, 200);
        let talk = studio.end();
        assert!(!talk.contains("warning"), "{talk}");
    }
}

#[test]
fn where_others_reach_it_only_files_below_its_folder_and_beside_its_specification_may_be_named() {
    let folder = folder();
    let studio = Open::within(&folder, "here", &["../there/users.toml", "--listen", "0.0.0.0"]);
    assert_eq!(studio.post("data", &load("numbers.txt")).0, 200);
    assert_eq!(studio.post("specification/open", &json!({ "path": "../there/users.toml" })).0, 200);
    for path in ["../numbers.txt", folder.path("numbers.txt").to_str().unwrap(), "/etc/hostname"] {
        let (status, answer) = studio.post("data", &load(path));
        assert_eq!(status, 422, "{answer}");
        assert!(answer["error"].as_str().unwrap().contains("lies outside of"), "{answer}");
        assert!(answer["help"].as_str().unwrap().contains("--listen"), "{answer}");
    }
    let talk = studio.end();
    assert!(talk.contains("warning: others can reach this address"), "{talk}");
}

#[test]
fn a_scenario_and_a_specification_are_told_apart_by_what_is_in_them() {
    let folder = folder();
    // With mistakes, and by their keys alone.
    folder.write("here/scenario.toml", "title = \"S\"\n[disk.d0]\nmodel = \"none\"\n");
    folder.write("here/users.toml", "title = \"U\"\n[category.c]\nshare = 1\n");
    folder.write("here/empty.toml", "");
    for (file, key, other, room) in [
        ("scenario.toml", "scenario", "specification", "the room \"Scenario\" shows them"),
        ("users.toml", "specification", "scenario", "the room \"Users\" shows them"),
        ("empty.toml", "scenario", "specification", ""),
        ("../there/users.toml", "specification", "scenario", ""),
    ] {
        let studio = Open::within(&folder, "here", &[file]);
        let start = studio.get(&format!("/{}/api/start", studio.token));
        let start: Value = serde_json::from_str(start.split("\r\n\r\n").nth(1).unwrap()).unwrap();
        assert_eq!((&start[key], &start[other]), (&json!(file), &Value::Null), "{file}");
        let talk = studio.end();
        assert!(talk.contains(room), "{file}: {talk}");
    }
}

#[test]
fn an_address_that_cannot_be_had_is_refused_with_what_to_do() {
    // An address of documents, which no machine has.
    let foreign = petrio_at_root(&["studio", "--no-open", "--listen", "192.0.2.1"]);
    assert_ne!(foreign.code, Some(0));
    assert!(foreign.talk.contains("can't listen on 192.0.2.1:0"), "{}", foreign.talk);
    let name = petrio_at_root(&["studio", "--no-open", "--listen", "example.org"]);
    assert_eq!(name.code, Some(2));
    assert!(name.talk.contains("--listen"), "{}", name.talk);
    let folder = folder();
    let studio = Open::within(&folder, "here", &[]);
    let port = studio.authority.rsplit(':').next().unwrap();
    let taken = petrio_at_root(&["studio", "--no-open", "--port", port]);
    assert_ne!(taken.code, Some(0));
    assert!(taken.talk.contains("leave --port out"), "{}", taken.talk);
    studio.end();
}

#[test]
fn the_help_says_what_others_can_reach() {
    let help = petrio_at_root(&["studio", "--help"]).out;
    let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(help.contains("only below the folder in which the studio is started, and beside FILE"), "{help}");
}

#[test]
fn the_secret_is_in_no_argument_variable_or_message_and_a_file_of_the_users_alone_leads_in_once() {
    use std::os::unix::fs::PermissionsExt;
    let folder = folder();
    std::fs::create_dir(folder.path("temporary")).unwrap();
    // A desktop that writes down how it was told to open something.
    let told = folder.path("told");
    let shown = told.display();
    folder.write(
        "xdg-open",
        format!("#!/bin/sh\n{{ printf '%s\\n' \"$*\"; env; cat /proc/$PPID/environ; }} > {shown}.part; mv {shown}.part {shown}\n"),
    );
    std::fs::set_permissions(folder.path("xdg-open"), std::fs::Permissions::from_mode(0o755)).unwrap();
    let mut command = folder.command(&["studio"]);
    let path = format!("{}:{}", folder.path("").display(), std::env::var("PATH").unwrap());
    command.env("PATH", path).env("PETRIO_STATE", folder.path("state"));
    command.env("HOME", folder.path("temporary")).env("TMPDIR", folder.path("temporary"));
    let studio = Open::of(command);
    while !told.exists() {
        std::thread::sleep(Duration::from_millis(10));
    }
    let heard = folder.text("told");
    assert!(!heard.contains(&studio.token), "{heard}");
    let page = std::path::PathBuf::from(heard.lines().next().unwrap());
    let mode = |path: &std::path::Path| path.metadata().unwrap().permissions().mode() & 0o7777;
    assert_eq!((mode(&page), mode(page.parent().unwrap())), (0o600, 0o700));
    let text = std::fs::read_to_string(&page).unwrap();
    assert!(!text.contains(&studio.token), "{text}");
    let way = text.split(&studio.authority).nth(1).unwrap().split('"').next().unwrap();
    let answer = studio.get(way);
    assert!(answer.contains(&format!("/{}/", studio.token)), "{answer}");
    assert!(!page.exists() && folder.path("temporary").read_dir().unwrap().count() == 0);
    assert!(studio.get(way).starts_with("HTTP/1.1 403 "), "once");
    let token = studio.token.clone();
    let talk = studio.end();
    assert!(!talk.contains(&token), "{talk}");
}

#[test]
fn idle_connections_keep_nobody_out() {
    let folder = folder();
    let petrio = folder.command(&[]).get_program().to_owned();
    let mut command = Command::new("sh");
    command.args(["-c", "ulimit -n 200; exec \"$0\" studio --no-open"]).arg(petrio);
    let studio = Open::of(command);
    let mut held = Vec::new();
    for number in 0..260 {
        let mut stream = TcpStream::connect(&studio.authority).unwrap();
        if number % 2 == 0 {
            stream.write_all(b"GET / HTTP/1.1\r\n").unwrap();
        }
        held.push(stream);
    }
    for _ in 0..3 {
        assert_eq!(studio.post("data", &json!({ "quantity": "number", "text": "1 2 3" })).0, 200);
    }
    drop(held);
    studio.end();
}

/// So many sessions that laying them out takes minutes.
fn endless() -> Value {
    let text = include_str!("../../../../examples/users/thesis.toml");
    json!({ "text": text, "users": 30, "sessions": 300_000 })
}

#[test]
fn a_signal_ends_a_run_at_once_and_leaves_nothing() {
    let folder = folder();
    std::fs::create_dir(folder.path("temporary")).unwrap();
    let left = || folder.path("temporary").read_dir().unwrap().count();
    for (signal, wait) in [("-INT", 0), ("-TERM", 100), ("-INT", 400), ("-HUP", 200)] {
        let mut studio = Open::keeping_in(&folder);
        assert_eq!(studio.post("runs", &endless()).0, 200);
        std::thread::sleep(Duration::from_millis(wait));
        studio.signal(signal);
        let began = Instant::now();
        assert_eq!(studio.child.wait().unwrap().code(), Some(0), "{signal}");
        // Minutes, unless it is told to end: no measure of speed.
        assert!(began.elapsed() < Duration::from_secs(10), "{:?}", began.elapsed());
        assert_eq!(left(), 0, "after {signal}");
    }
    // A run of a specification holds it in memory, so that not even a kill leaves something.
    let mut studio = Open::keeping_in(&folder);
    assert_eq!(studio.post("runs", &endless()).0, 200);
    std::thread::sleep(Duration::from_millis(300));
    studio.signal("-KILL");
    studio.child.wait().unwrap();
    assert_eq!(left(), 0);
    Open::keeping_in(&folder).end();
}
