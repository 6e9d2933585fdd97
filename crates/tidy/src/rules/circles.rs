//! Circles between the folders of a crate: none, so that each can be read, and one day taken out, after those that it uses.
//!
//! A folder uses another where a line of code names it from the crate's root (`crate::other::…`, or what the root lends from there:
//! `pub use other::{…}` in `lib.rs`). Tests, comments and documentation don't count: they may look up.

use crate::{TestLines, Tracked, Tree, Violation};
use std::collections::{BTreeMap, BTreeSet};

/// Each folder, with those that it uses.
type Uses<'t> = BTreeMap<&'t str, BTreeSet<&'t str>>;

/// No folder of a crate uses another that, by whatever way, uses it.
pub fn no_circles_inside_crates(tree: &Tree) -> Vec<Violation> {
    let mut found = Vec::new();
    for (name, files) in crates(tree) {
        let uses = uses(&files);
        for folder in uses.keys().filter(|folder| reaches(&uses, folder, folder)) {
            let back =
                uses[folder].iter().find(|other| reaches(&uses, other, folder)).copied().unwrap_or_default();
            let what = format!(
                "`{folder}` uses `{back}`, which uses it: take out what both need, or turn one arrow"
            );
            found.push(Violation::whole(&format!("crates/{name}/src"), what));
        }
    }
    found
}

/// Whether one comes to another over one arrow or more.
fn reaches(uses: &Uses<'_>, from: &str, to: &str) -> bool {
    let (mut seen, mut left) = (BTreeSet::new(), vec![from]);
    while let Some(folder) = left.pop() {
        for next in uses.get(folder).into_iter().flatten() {
            if *next == to {
                return true;
            }
            if seen.insert(*next) {
                left.push(next);
            }
        }
    }
    false
}

/// The sources of each crate by their paths below `src`.
fn crates(tree: &Tree) -> BTreeMap<&str, Vec<(&str, &Tracked)>> {
    let mut crates: BTreeMap<&str, Vec<(&str, &Tracked)>> = BTreeMap::new();
    for file in &tree.files {
        let below = file.path.strip_prefix("crates/").and_then(|rest| rest.split_once("/src/"));
        if let Some((name, path)) = below.filter(|(_, path)| path.ends_with(".rs")) {
            crates.entry(name).or_default().push((path, file));
        }
    }
    crates
}

fn uses<'t>(files: &[(&'t str, &'t Tracked)]) -> Uses<'t> {
    let folders: BTreeSet<&str> =
        files.iter().filter_map(|(path, _)| Some(path.split_once('/')?.0)).collect();
    let root = files.iter().find(|(path, _)| matches!(*path, "lib.rs" | "main.rs"));
    let lent = root.map(|(_, file)| lent(file.text.as_deref().unwrap_or(""), &folders)).unwrap_or_default();
    let mut uses = Uses::new();
    for &(path, file) in files {
        let Some((folder, _)) = path.split_once('/') else { continue };
        let tests = TestLines::of(file);
        let code = file.lines().filter(|(number, line)| !tests.contains(*number) && !is_comment(line));
        let code: String = code.map(|(_, line)| format!("{line}\n")).collect();
        for named in named(&code) {
            let other = folders.get(named).copied().or_else(|| lent.get(named).copied());
            if let Some(other) = other.filter(|other| *other != folder) {
                uses.entry(folder).or_default().insert(other);
            }
        }
    }
    uses
}

fn is_comment(line: &str) -> bool {
    line.trim_start().starts_with("//")
}

/// What the root of a crate lends, with the folder that has it.
fn lent<'t>(root: &'t str, folders: &BTreeSet<&'t str>) -> BTreeMap<&'t str, &'t str> {
    let mut lent = BTreeMap::new();
    for part in root.split("use ").skip(1) {
        let Some((path, _)) = part.split_once(';') else { continue };
        let Some((folder, items)) = path.split_once("::") else { continue };
        if folders.contains(folder) {
            lent.extend(identifiers(items).map(|item| (item, folder)));
        }
    }
    lent
}

/// The names that stand behind `crate::`, alone or in braces.
fn named(code: &str) -> Vec<&str> {
    let mut names = Vec::new();
    for part in code.split("crate::").skip(1) {
        match part.strip_prefix('{') {
            Some(list) => names.extend(identifiers(list.split('}').next().unwrap_or_default())),
            None => names.extend(identifiers(part).next()),
        }
    }
    names
}

fn identifiers(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter: char| !letter.is_alphanumeric() && letter != '_').filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(files: &[(&str, &str)]) -> Vec<String> {
        no_circles_inside_crates(&Tree::imagined(files)).into_iter().map(|found| found.what).collect()
    }

    #[test]
    fn a_circle_over_two_and_over_three_is_found_and_a_way_down_is_none() {
        let down = ("crates/x/src/a/mod.rs", "use crate::b::B;\n");
        let further = ("crates/x/src/b/mod.rs", "use crate::{c::C, other};\n");
        let end = ("crates/x/src/c/mod.rs", "struct C;\n");
        assert!(found(&[down, further, end]).is_empty());
        let back = ("crates/x/src/c/deep/file.rs", "fn f() { crate::a::f() }\n");
        assert_eq!(found(&[down, further, end, back]).len(), 3);
        assert_eq!(found(&[down, ("crates/x/src/b/mod.rs", "use crate::a::A;\n")]).len(), 2);
    }

    #[test]
    fn what_the_root_lends_counts_and_tests_and_comments_do_not() {
        let down = ("crates/x/src/a/mod.rs", "use crate::b::B;\n");
        let root = ("crates/x/src/lib.rs", "mod a;\nmod b;\npub use a::{A, f};\n");
        let back = ("crates/x/src/b/mod.rs", "use crate::A;\n");
        assert_eq!(found(&[down, root, back]).len(), 2);
        let only_said = (
            "crates/x/src/b/mod.rs",
            "//! As [`A`](crate::a::A).\nstruct B;\n#[cfg(test)]\nmod tests {\n    use crate::a::A;\n}\n",
        );
        assert!(found(&[down, root, only_said]).is_empty());
    }
}
