//! Claims about `petrio studio`: on which addresses it listens, and what it then reads.

use crate::support::{Folder, petrio_at_root};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

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

    /// Ends it as Ctrl-C does; what it said meanwhile.
    fn end(mut self) -> String {
        let kill = Command::new("kill").args(["-INT", &self.child.id().to_string()]).status().unwrap();
        assert!(kill.success());
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
    assert!(help.contains("only below the folder in which the studio is started, and beside SPEC"), "{help}");
}
