//! What `petrio validate` says by its exit code, and that the READMEs under validation/ have the figures that it prints.

use crate::support::{petrio_at_root, root};

#[test]
fn what_holds_ends_with_0_and_a_readme_has_its_figures() {
    let parts = ["--only", "caches", "--only", "drives"];
    let answer = petrio_at_root(&[&["validate", "dissertation"][..], &parts].concat());
    assert_eq!(answer.code, Some(0), "{}", answer.talk);
    let readme = std::fs::read_to_string(root().join("validation/dissertation/README.md")).unwrap();
    let told: Vec<&str> = answer.out.lines().filter(|line| line.starts_with("holds: ")).collect();
    assert!(told.len() >= 7, "{}", answer.out);
    for line in told {
        let line = line.split(" [fitted: ").next().unwrap();
        assert!(readme.contains(line), "the README lacks: {line}");
    }
}

#[test]
fn a_part_that_there_is_not_is_refused_with_those_that_there_are() {
    let answer = petrio_at_root(&["validate", "dissertation", "--only", "nothing"]);
    assert_eq!(answer.code, Some(2), "{}", answer.talk);
    assert!(answer.talk.contains("give one of files, memory"), "{}", answer.talk);
}

#[test]
fn every_validation_tells_its_exit_codes() {
    for what in
        ["disks", "streaming", "ops", "fs", "ivy", "pvfs", "pariosim", "raid", "syncs", "dissertation"]
    {
        let answer = petrio_at_root(&["validate", what, "--help"]);
        assert!(answer.out.contains("Exit codes: 0 everything holds; 3 "), "{what}: {}", answer.out);
    }
}

#[test]
fn every_table_and_figure_of_the_papers_is_listed_with_a_command_that_there_is() {
    let list = std::fs::read_to_string(root().join("validation/README.md")).unwrap();
    for part in ["files", "memory", "drives", "copies", "caches", "records", "random", "journal", "captured"]
    {
        assert!(list.contains(&format!("--only {part}`")), "{part}");
    }
    let help = petrio_at_root(&["validate", "--help"]).out;
    for what in ["dissertation", "pvfs", "pariosim", "ivy", "disks", "fs"] {
        assert!(list.contains(&format!("`petrio validate {what}")), "{what}");
        assert!(help.contains(&format!("\n  {what} ")), "{what}");
    }
}
