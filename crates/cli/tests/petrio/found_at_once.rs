//! What helps to find things: completions, manual pages, keys explained, the reference.

use crate::support::{Folder, petrio_at_root, root, unwrapped};

#[test]
fn every_shell_gets_completions_that_know_commands_and_options() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let answer = petrio_at_root(&["completions", shell]);
        assert_eq!(answer.code, Some(0), "{shell}: {}", answer.talk);
        for word in ["characterise", "device-log", "replications"] {
            assert!(answer.out.contains(word), "{shell}: no {word}");
        }
    }
    let answer = petrio_at_root(&["completions", "tcsh"]);
    assert_eq!(answer.code, Some(2));
    assert!(answer.talk.contains("bash"), "{}", answer.talk);
}

#[test]
fn each_command_has_a_manual_page() {
    let folder = Folder::new();
    let answer = folder.petrio(&["man", "--dir", "."]);
    assert_eq!(answer.code, Some(0), "{}", answer.talk);
    let names = folder.names();
    for page in ["petrio.1", "petrio-run.1", "petrio-trace.1", "petrio-trace-convert.1", "petrio-users-run.1"]
    {
        assert!(names.iter().any(|name| name == page), "{page} in {names:?}");
    }
    assert!(names.iter().all(|name| !name.contains("worker") && !name.contains("help")), "{names:?}");
    let page = folder.text("petrio-run.1");
    assert!(
        page.starts_with(".ie") && page.contains(".SH OPTIONS") && page.contains("device\\-log"),
        "{page}"
    );

    assert_eq!(folder.petrio(&["man", "run"]).out, page);
    let answer = folder.petrio(&["man", "rnu"]);
    assert_eq!(answer.code, Some(2));
    assert!(answer.talk.contains("there is no command \"rnu\""), "{}", answer.talk);
    assert_eq!(folder.petrio(&["man", "--dir", "missing"]).code, Some(1));
}

#[test]
fn a_key_is_explained_in_words() {
    for (key, words) in [
        ("fs.journal", &["mount option `data=`", "default \"ordered\"", "\"write-back\" Metadata only"][..]),
        (
            "host.memory",
            &["Memory for the page cache", "a size with its unit (B, KiB, MiB", "such as \"64 KiB\""],
        ),
        ("disk.cache.segments", &["disk.NAME.drive.cache.segments", "a whole number", "default 1"]),
        ("workload.rewrite", &["workload.NAME.operation", "Files that are there are overwritten."]),
        ("workload.read", &["workload.operation", "workload.program.steps.read"]),
        ("workload.fsync", &["{ every =", "\"at-end\""]),
        ("workload", &["kind = \"script\"", "petrio schema workload.trace"]),
        ("machine.calls.read", &["calls.read, of a machine of the catalogue"]),
        ("measure.stop", &["precision", "requests", "time", "a duration"]),
    ] {
        let answer = petrio_at_root(&["schema", key]);
        assert_eq!(answer.code, Some(0), "{key}: {}", answer.talk);
        for word in words {
            assert!(unwrapped(&answer.out).contains(word), "{key}: no {word:?} in\n{}", answer.out);
        }
    }
}

#[test]
fn a_key_that_is_not_there_gets_what_is_near() {
    for (key, near) in [
        ("fs.jornal", "fs.journal"),
        ("host.h.memroy", "host.memory"),
        ("disk.cache.segmnets", "cache.segments"),
    ] {
        let answer = petrio_at_root(&["schema", key]);
        assert_eq!(answer.code, Some(2), "{key}");
        assert!(answer.talk.contains("did you mean") && answer.talk.contains(near), "{key}: {}", answer.talk);
    }
    let answer = petrio_at_root(&["schema", "zzzzzz"]);
    assert_eq!(answer.code, Some(2));
    assert!(answer.talk.contains("--markdown"), "{}", answer.talk);
}

#[test]
fn the_reference_is_what_the_schemas_say() {
    let made = petrio_at_root(&["schema", "--markdown"]).out;
    let kept = std::fs::read_to_string(root().join("docs/reference.md")).unwrap();
    assert!(
        made == kept,
        "docs/reference.md is not what the schemas say; make it anew: petrio schema --markdown > docs/reference.md"
    );
}
