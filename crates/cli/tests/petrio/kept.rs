//! What is a user's own is never lost: outputs take the place of no input, no device, no link, and of nothing unasked.

use crate::support::{Folder, RANDOM, is_root};
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt};
use std::process::Stdio;

const TRACE: &str = "0 0 0 8 1\n0.1 0 64 8 1\n0.2 0 128 8 0\n0.3 0 8 8 1\n";
const REPLAYED: &str =
    "[disk.d0]\nmodel = \"constant-rate\"\n[workload.w]\nkind = \"trace\"\non = \"d0\"\nfiles = [\"t\"]\n";

/// A folder with a scenario that reads a trace, three traces and a user specification.
fn scene() -> Folder {
    let folder = Folder::with(REPLAYED);
    for name in ["t", "mon.csv", "tue.csv", "wed.csv"] {
        folder.write(name, TRACE);
    }
    let users = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/users/thesis.toml");
    folder.write("users.toml", std::fs::read(users).unwrap());
    folder
}

/// Runs a command that has to be refused, and sees that every file is as it was.
fn refused(folder: &Folder, arguments: &[&str], because: &str) {
    let state = || folder.names().into_iter().map(|name| (folder.read(&name), name)).collect::<Vec<_>>();
    let before = state();
    let answer = folder.petrio(arguments);
    assert_eq!(answer.code, Some(2), "{arguments:?}: {}", answer.talk);
    let said = answer.talk.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains(because), "{arguments:?}: {said}");
    assert!(before == state(), "{arguments:?} changed something");
}

#[test]
fn no_command_writes_over_what_it_reads() {
    let folder = scene();
    std::os::unix::fs::symlink("t", folder.path("link")).unwrap();
    std::fs::hard_link(folder.path("t"), folder.path("hard")).unwrap();
    for option in ["--json", "--csv", "--html", "--parquet", "--perfetto", "--trace", "--device-log"] {
        for name in ["t", "link", "hard", "./t", "scenario.toml"] {
            refused(&folder, &["run", "scenario.toml", "--quiet", option, name], "is read");
        }
    }
    refused(&folder, &["net", "scenario.toml", "--svg", "t"], "is read");
    refused(&folder, &["net", "scenario.toml", "--svg", "scenario.toml"], "is read");
    for command in [
        &["trace", "convert", "t", "hard", "--to", "petrio", "--force"][..],
        &["trace", "filter", "t", "link", "--to-format", "petrio", "--force"],
        &["trace", "sample", "t", "./t", "--to-format", "petrio", "--every", "2", "--force"],
        &["trace", "merge", "mon.csv", "tue.csv", "tue.csv", "--to", "petrio", "--force"],
        &["trace", "characterise", "t", "--json", "hard"],
        &["users", "learn", "t", "-o", "link"],
        &["users", "learn", "t", "--json", "hard"],
        &["fs", "describe", "t", "-o", "link"],
        &["users", "analyse", "t", "--html", "hard"],
        &["fit", "t", "--json", "link"],
        &["compare", "scenario.toml", "scenario.toml@seed=2", "--json", "scenario.toml"],
    ] {
        refused(&folder, command, "is read");
    }
    // Its name says that it is no trace, before anything else is looked at.
    let answer = folder.petrio(&["users", "run", "users.toml", "--dir", "files", "--out", "users.toml"]);
    assert_ne!(answer.code, Some(0));
    assert!(folder.text("users.toml").contains("[files]"));
}

#[test]
fn two_results_are_two_files_by_whatever_name() {
    let folder = Folder::with(RANDOM);
    folder.write("old.json", "{}");
    std::fs::hard_link(folder.path("old.json"), folder.path("same.json")).unwrap();
    for (one, other) in [("r", "r"), ("r", "./r"), ("old.json", "same.json")] {
        refused(&folder, &["run", "scenario.toml", "-q", "--json", one, "--csv", other], "both name");
    }
}

#[test]
fn a_forgotten_output_is_refused_and_force_replaces() {
    let folder = scene();
    refused(
        &folder,
        &["trace", "merge", "mon.csv", "tue.csv", "wed.csv", "--to", "petrio"],
        "is there already",
    );
    refused(&folder, &["trace", "convert", "mon.csv", "tue.csv", "--to", "petrio"], "is there already");
    refused(&folder, &["trace", "filter", "mon.csv", "tue.csv", "--to-format", "petrio"], "--force");
    let sample = ["trace", "sample", "mon.csv", "tue.csv", "--every", "2", "--to-format", "petrio"];
    refused(&folder, &sample, "is there already");
    let merged =
        folder.petrio(&["trace", "merge", "mon.csv", "tue.csv", "wed.csv", "--to", "petrio", "--force"]);
    assert_eq!(merged.code, Some(0), "{}", merged.talk);
    assert_ne!(folder.text("wed.csv"), TRACE);
    assert_eq!(folder.text("tue.csv"), TRACE);
}

#[test]
fn what_is_no_regular_file_is_written_through_and_stays_what_it_is() {
    let folder = Folder::with(RANDOM);
    let pipe = folder.path("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let reader = {
        let pipe = pipe.clone();
        std::thread::spawn(move || std::fs::read_to_string(pipe).unwrap())
    };
    let run = |outputs: &[&str]| {
        let mut arguments = vec!["run", "scenario.toml", "--quiet"];
        arguments.extend(outputs);
        folder.petrio(&arguments)
    };
    let answer = run(&["--json", "pipe", "--csv", "/dev/null", "--html", "/dev/null"]);
    assert_eq!(answer.code, Some(0), "{}", answer.talk);
    assert!(serde_json::from_str::<serde_json::Value>(&reader.join().unwrap()).is_ok());
    assert!(pipe.metadata().unwrap().file_type().is_fifo());
    assert!(std::fs::metadata("/dev/null").unwrap().file_type().is_char_device());
    assert_eq!(run(&["--json", "/dev/full"]).code, Some(1));

    // Standard output as a pipe, and as a file that the shell has opened.
    let piped = run(&["--json", "/dev/stdout"]);
    assert!(serde_json::from_str::<serde_json::Value>(&piped.out).is_ok(), "{}", piped.out);
    let opened = std::fs::File::create(folder.path("out.json")).unwrap();
    let inode = opened.metadata().unwrap().ino();
    let mut command = folder.command(&["run", "scenario.toml", "--json", "/dev/stdout"]);
    assert!(command.stdout(opened).stderr(Stdio::null()).status().unwrap().success());
    let text = folder.text("out.json");
    assert_eq!(folder.path("out.json").metadata().unwrap().ino(), inode);
    // The report as text would spoil what another program reads.
    assert!(serde_json::from_str::<serde_json::Value>(&text).is_ok(), "{text}");
}

#[test]
fn a_link_stays_a_link_and_a_protected_file_stays() {
    let folder = Folder::with(RANDOM);
    folder.write("target.json", "old");
    std::os::unix::fs::symlink("target.json", folder.path("r.json")).unwrap();
    let answer = folder.petrio(&["run", "scenario.toml", "-q", "--json", "r.json"]);
    assert_eq!(answer.code, Some(0), "{}", answer.talk);
    assert!(folder.path("r.json").symlink_metadata().unwrap().is_symlink());
    assert!(folder.json("target.json").is_object());
    // The superuser may write to everything.
    if is_root() {
        println!("skipped: a_link_stays_a_link_and_a_protected_file_stays, protection: this is root");
        return;
    }
    folder.write("kept.json", "kept");
    std::fs::set_permissions(folder.path("kept.json"), std::fs::Permissions::from_mode(0o400)).unwrap();
    assert_eq!(folder.petrio(&["run", "scenario.toml", "-q", "--json", "kept.json"]).code, Some(1));
    assert_eq!(folder.text("kept.json"), "kept");
}

#[test]
fn names_and_lines_in_messages_neither_steer_a_terminal_nor_flood_it() {
    let folder = Folder::new();
    let evil = "a\u{1b}]0;owned\u{7}\u{1b}[2J.toml";
    folder.write(evil, format!("title = \"{}\"\n", "x".repeat(3 << 20)));
    folder.write("long.toml", format!("title = {}\n", "y".repeat(3 << 20)));
    folder.write("title.toml", format!("title = \"t\\u001b]0;owned\\u0007\"\n{RANDOM}"));
    for arguments in [
        &["check", evil][..],
        &["run", evil],
        &["trace", "info", evil],
        &["check", "long.toml"],
        &["trace", "info", "long.toml"],
        &["run", "title.toml"],
        &["run", "no\u{1b}[2Jwhere.toml"],
        &["fit", "long.toml"],
    ] {
        let answer = folder.petrio(arguments);
        for text in [&answer.talk, &answer.out] {
            assert!(!text.contains('\u{1b}') && !text.contains('\u{7}'), "{arguments:?}: {text:?}");
            assert!(text.len() < 100_000, "{arguments:?}: {} bytes", text.len());
        }
    }
}
