//! What comments and documents suggest works as it stands when it is pasted into a shell.

use crate::support::{Folder, petrio_at_root, root};
use std::path::{Path, PathBuf};
use std::process::Command;

/// All files below a folder whose names end so.
fn below(folder: &Path, ending: &str, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            below(&path, ending, found);
        } else if path.extension().is_some_and(|own| own == ending) {
            found.push(path);
        }
    }
}

/// What a shell makes of words.
fn words(line: &str) -> Vec<String> {
    let script = format!("for word in {line}\ndo printf '%s\\n' \"$word\"\ndone");
    let out = Command::new("sh").args(["-c", &script]).output().unwrap();
    assert!(out.status.success(), "{line}: {}", String::from_utf8_lossy(&out.stderr));
    String::from_utf8(out.stdout).unwrap().lines().map(str::to_owned).collect()
}

/// The scenario and the settings of a `petrio run` in a line, if there is one that sets anything.
fn suggested(line: &str) -> Option<Vec<String>> {
    let (_, rest) = line.split_once("petrio run ")?;
    // In a text the command ends with its mark.
    let rest = if line.contains("`petrio run ") { rest.split('`').next()? } else { rest };
    // What a loop fills in isn't here, and what its output goes through is no part of it.
    if rest.contains('$') {
        return None;
    }
    let all = words(rest.split(" | ").next()?);
    let sets = all.windows(2).filter(|pair| pair[0] == "--set").map(|pair| pair[1].clone());
    let sets: Vec<String> = sets.collect();
    (!sets.is_empty()).then(|| all.into_iter().take(1).chain(sets).collect())
}

/// Asks whether a scenario is in order with these settings.
fn is_in_order(scenario: &str, sets: &[String], of: &Path) {
    let sets: Vec<&str> = sets.iter().flat_map(|set| ["--set", set]).collect();
    let check = petrio_at_root(&[&["check", scenario], sets.as_slice()].concat());
    assert_eq!(check.code, Some(0), "{}: {scenario} {sets:?}\n{}", of.display(), check.talk);
}

#[test]
fn what_examples_and_documents_suggest_is_in_order_when_it_is_pasted_into_a_shell() {
    let mut files = vec![root().join("README.md")];
    below(&root().join("examples"), "toml", &mut files);
    below(&root().join("docs"), "md", &mut files);
    let mut count = 0;
    for file in &files {
        let text = std::fs::read_to_string(file).unwrap();
        for found in text.lines().filter_map(suggested) {
            let [scenario, sets @ ..] = &found[..] else { continue };
            if root().join(scenario).exists() {
                is_in_order(scenario, sets, file);
                count += 1;
            }
        }
    }
    assert!(count > 50, "{count}");
}

#[test]
fn what_a_new_scenario_suggests_is_in_order_when_it_is_pasted_into_a_shell() {
    let folder = Folder::new();
    for template in ["mail", "postgres", "home-directories", "web", "backup"] {
        let name = format!("{template}.toml");
        let made = folder.petrio(&["init", template, "--out", &name]);
        assert_eq!(made.code, Some(0), "{}", made.talk);
        let path = folder.path(&name);
        let text = std::fs::read_to_string(&path).unwrap();
        let found: Vec<Vec<String>> = text.lines().filter_map(suggested).collect();
        assert!(!found.is_empty(), "{template}");
        for all in &found {
            is_in_order(&path.display().to_string(), &all[1..], &path);
        }
    }
}

/// A key with dots in it stands in quotes, and means what it does in the file.
#[test]
fn a_key_in_quotes_is_the_key_without_them() {
    let news = |set: &[&str]| {
        let folder = Folder::new();
        let scenario = root().join("examples/whole-machine.toml").display().to_string();
        let answer =
            folder.petrio(&[&["run", &scenario, "-q", "--no-what-if", "--json", "r.json"][..], set].concat());
        assert_eq!(answer.code, Some(0), "{}", answer.talk);
        folder.json("r.json")["latency"].clone()
    };
    let suggested = ["--set", "workload.cello.places.\"/usr/spool/news\"=users"];
    let bare = ["--set", "workload.cello.places./usr/spool/news=users"];
    assert_eq!(news(&suggested), news(&bare));
    assert_ne!(news(&suggested), news(&[]), "news lie elsewhere");
}
