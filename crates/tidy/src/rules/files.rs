//! Rules on every file: its size, its ends of lines, what must not be in it.

use crate::{Tree, Violation};

/// Lines after which a file probably holds a second room.
pub const LINES_MAX: usize = 500;
/// Bytes that one tracked file may have; samples are compressed, everything else is text.
pub const BYTES_MAX: u64 = 1 << 20;

/// Files that may be longer, each with the reason.
const LONG_FILES: &[(&str, &str)] = &[
    ("Cargo.lock", "written by cargo"),
    ("crates/page/assets/figure.js", "built from web/"),
    ("crates/studio/assets/studio.js", "built from web/"),
    ("docs/reference.md", "made of the schemas"),
    ("python/petrio/parts.py", "made of the schema of scenarios"),
];

/// Paths of a developer's machine, which mean nothing to anybody else.
const MACHINE_PATHS: &[&str] =
    &[concat!("/wo", "rk/"), concat!("/ro", "ot/"), concat!("/tmp/he", "lpers"), concat!("/tmp/tar", "get")];

/// Marks of unfinished work.
const UNFINISHED: &[&str] =
    &[concat!("TO", "DO"), concat!("FIX", "ME"), concat!("XX", "X"), concat!("dbg", "!(")];

/// A file is a room: about 500 lines.
pub fn files_are_short(tree: &Tree) -> Vec<Violation> {
    let written = |extension: &str| matches!(extension, "rs" | "py" | "sh" | "js" | "ts" | "svelte" | "md");
    tree.files
        .iter()
        .filter(|file| written(file.extension()) && !LONG_FILES.iter().any(|(path, _)| *path == file.path))
        .filter_map(|file| {
            let lines = file.lines().count();
            (lines > LINES_MAX).then(|| {
                Violation::whole(
                    &file.path,
                    format!("{lines} lines; look for the second room in it (limit {LINES_MAX})"),
                )
            })
        })
        .collect()
}

/// A clone stays small.
pub fn files_are_small(tree: &Tree) -> Vec<Violation> {
    tree.files
        .iter()
        .filter(|file| file.bytes > BYTES_MAX)
        .map(|file| {
            Violation::whole(
                &file.path,
                format!("{} bytes; the limit is {BYTES_MAX}: compress or thin it out", file.bytes),
            )
        })
        .collect()
}

/// No blanks at the end of a line, no carriage returns, and a line feed at the end of the file.
pub fn lines_end_cleanly(tree: &Tree) -> Vec<Violation> {
    let mut found = Vec::new();
    for file in tree.files.iter().filter(|file| !is_recorded_output(&file.path)) {
        for (number, line) in file.lines() {
            if line.ends_with([' ', '\t', '\r']) {
                found.push(Violation::at(&file.path, number, "blank at the end of the line"));
            }
        }
        if file.text.as_ref().is_some_and(|text| !text.is_empty() && !text.ends_with('\n')) {
            found.push(Violation::whole(&file.path, "no line feed at the end of the file"));
        }
    }
    found
}

/// What a program printed or read is kept as it is: snapshots, and inputs that are wrong on purpose.
fn is_recorded_output(path: &str) -> bool {
    path.ends_with(".snap") || path.split('/').any(|part| part == "fixtures")
}

/// Finished work only: what is left to do belongs into an issue.
pub fn nothing_is_left_to_do(tree: &Tree) -> Vec<Violation> {
    find_any(tree, UNFINISHED, "finish it, or open an issue")
}

/// The repository is the same on every machine.
pub fn no_path_of_a_machine(tree: &Tree) -> Vec<Violation> {
    find_any(tree, MACHINE_PATHS, "a path of one machine; make it relative or a parameter")
}

fn find_any(tree: &Tree, needles: &[&str], help: &str) -> Vec<Violation> {
    let mut found = Vec::new();
    for file in &tree.files {
        for (number, line) in file.lines() {
            for needle in needles.iter().filter(|needle| contains_word(line, needle)) {
                found.push(Violation::at(&file.path, number, format!("`{needle}`: {help}")));
            }
        }
    }
    found
}

/// Whether the needle stands in the line, not as the end of a longer word.
fn contains_word(line: &str, needle: &str) -> bool {
    line.match_indices(needle).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        !before.is_some_and(|letter| letter.is_alphanumeric() || matches!(letter, '.' | '_'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_file_is_found_and_a_lock_file_is_not() {
        let long = "x\n".repeat(LINES_MAX + 1);
        let tree = Tree::imagined(&[("a.rs", &long), ("Cargo.lock", &long), ("b.rs", "x\n")]);
        let found = files_are_short(&tree);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].path, "a.rs");
    }

    #[test]
    fn a_file_of_more_than_a_mebibyte_is_found() {
        let big = "x".repeat(1 + (1 << 20));
        assert_eq!(files_are_small(&Tree::imagined(&[("a.csv", &big), ("b.csv", "x")])).len(), 1);
    }

    #[test]
    fn blanks_and_missing_line_feeds_are_found_except_in_recorded_output() {
        let tree = Tree::imagined(&[("a.rs", "ok\nbad \n"), ("b.rs", "no end"), ("c.snap", "kept \n")]);
        let found = lines_end_cleanly(&tree);
        assert_eq!(
            found.iter().map(|v| (v.path.as_str(), v.line)).collect::<Vec<_>>(),
            [("a.rs", 2), ("b.rs", 0)]
        );
    }

    #[test]
    fn unfinished_work_and_machine_paths_are_found() {
        let unfinished = format!("// {}: later\n", UNFINISHED[0]);
        assert_eq!(nothing_is_left_to_do(&Tree::imagined(&[("a.rs", &unfinished)])).len(), 1);
        let path = format!("cd {}main\nsome{}other\n", MACHINE_PATHS[0], MACHINE_PATHS[0]);
        let found = no_path_of_a_machine(&Tree::imagined(&[("a.sh", &path)]));
        assert_eq!(found.iter().map(|v| v.line).collect::<Vec<_>>(), [1]);
    }
}
