//! Rules on Rust text that neither the compiler nor clippy can know.

use crate::{TestLines, Tracked, Tree, Violation, words};

/// Words of storage. The kernel is a general Petri-net engine and must do without them.
const STORAGE_WORDS: &[&str] = &[
    "disk",
    "disks",
    "block",
    "blocks",
    "file",
    "files",
    "filesystem",
    "cache",
    "caches",
    "cached",
    "sector",
    "sectors",
    "platter",
    "raid",
    "inode",
    "lba",
    "ssd",
    "nvme",
    "elevator",
    "journal",
    "iops",
];

/// The processor's own memory may be spoken of where speed is explained.
const PROCESSOR_PHRASES: &[&str] = &["cache line", "cache miss", "first-level cache", "last-level cache"];

/// What a model must not touch: the same net must give the same result everywhere.
const OUTSIDE_WORLD: &[&str] = &[
    "std::fs",
    "std::env",
    "std::net",
    "std::process",
    "SystemTime",
    "Instant::now",
    "rand::rng",
    "thread_rng",
];

/// The models of the storage path.
const MODELS: &[&str] = &["stage", "network", "device", "block", "host", "cluster", "models"];

/// Crates whose results are the same on every machine.
const SAME_EVERYWHERE: &[&str] = &[
    "time",
    "random",
    "kernel",
    "units",
    "colours",
    "distribution",
    "trace",
    "stage",
    "network",
    "device",
    "block",
    "host",
    "cluster",
    "models",
    "workload",
    "users",
    "scenario",
    "study",
    "validation",
    "benchmark",
];

/// Methods whose last bits differ between machines; `libm` has the same in software.
const PLATFORM_MATHS: &[&str] = &[
    "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "exp", "exp2", "exp_m1",
    "ln", "ln_1p", "log", "log2", "log10", "powf", "powi", "cbrt", "hypot",
];

/// Lints that test code may switch off without saying why.
const FREE_IN_TESTS: &[&str] = &[
    "clippy::unwrap_used",
    "clippy::print_stdout",
    "clippy::print_stderr",
    "missing_docs",
    "clippy::needless_pass_by_value",
];

/// Every source file says at its head what it is.
pub fn sources_have_a_head_comment(tree: &Tree) -> Vec<Violation> {
    tree.rust_sources(&[])
        .filter(|file| !file.text.as_deref().unwrap_or("").starts_with("//!"))
        .map(|file| {
            Violation::at(
                &file.path,
                1,
                "begin the file with `//!`: what it does, from which source, what it leaves out",
            )
        })
        .collect()
}

/// A cast that can lose something is checked or named: the compiler warns of it in every crate.
pub fn crates_warn_of_casts(tree: &Tree) -> Vec<Violation> {
    let is_root = |path: &str| path.starts_with("crates/") && path.ends_with("/src/lib.rs");
    let warns =
        |line: &str| line.starts_with("#![warn(") && line.contains("clippy::cast_possible_truncation");
    let roots = tree.files.iter().filter(|file| is_root(&file.path));
    roots
        .filter(|file| !file.lines().any(|(_, line)| warns(line)))
        .map(|file| {
            let help = "`#![warn(clippy::cast_possible_truncation, clippy::cast_sign_loss)]`";
            Violation::whole(&file.path, format!("doesn't warn of casts that lose something; add {help}"))
        })
        .collect()
}

/// The kernel has no word of storage in it.
pub fn kernel_has_no_word_of_storage(tree: &Tree) -> Vec<Violation> {
    let mut found = Vec::new();
    for file in tree.rust_sources(&["kernel"]) {
        for (number, line) in file.lines() {
            let line =
                PROCESSOR_PHRASES.iter().fold(line.to_owned(), |line, phrase| line.replace(phrase, ""));
            if let Some(word) = words(&line).iter().find(|word| STORAGE_WORDS.contains(&word.as_str())) {
                found.push(Violation::at(
                    &file.path,
                    number,
                    format!("`{word}` is a word of storage; the kernel knows only nets"),
                ));
            }
        }
    }
    found
}

/// The kernel and the models read no clock, no environment, no files and no global randomness.
pub fn models_see_nothing_of_the_outside_world(tree: &Tree) -> Vec<Violation> {
    let blind = ["time", "random", "distribution", "kernel"].into_iter().chain(MODELS.iter().copied());
    code_lines(tree, &blind.collect::<Vec<_>>(), |line| {
        let hit = OUTSIDE_WORLD.iter().find(|name| line.contains(*name))?;
        Some(format!("`{hit}`: a model's result may depend on its parameters and its seed alone"))
    })
}

/// Transcendental functions go through `libm`, so that results are the same on every machine.
pub fn transcendental_functions_come_from_libm(tree: &Tree) -> Vec<Violation> {
    code_lines(tree, SAME_EVERYWHERE, |line| {
        let hit = PLATFORM_MATHS.iter().find(|name| calls_method(line, name))?;
        Some(format!("`.{hit}()` differs between machines in its last bits; use `libm::{hit}` or its like"))
    })
}

/// A lint is switched off only with its reason beside it.
pub fn lints_are_allowed_with_a_reason(tree: &Tree) -> Vec<Violation> {
    let mut found = Vec::new();
    for file in tree.rust() {
        let tests = TestLines::of(file);
        let lines: Vec<&str> = file.lines().map(|(_, line)| line).collect();
        for (index, line) in lines.iter().enumerate() {
            let Some(lints) = allowed_lints(line) else { continue };
            let free = tests.contains(index + 1)
                && lints.split(',').all(|lint| FREE_IN_TESTS.contains(&lint.trim()));
            let commented = index > 0 && is_plain_comment(lines[index - 1]);
            let explained =
                line.contains("//") || line.contains("reason =") || spans_a_reason(&lines[index..]);
            if !free && !commented && !explained {
                found.push(Violation::at(
                    &file.path,
                    index + 1,
                    "say why this lint is off: `reason = \"…\"` or a comment",
                ));
            }
        }
    }
    found
}

/// Whether the line is a comment to the reader of the code, not documentation.
fn is_plain_comment(line: &str) -> bool {
    let body = line.trim_start();
    body.starts_with("//") && !body.starts_with("///") && !body.starts_with("//!")
}

/// The lints named by an `allow` attribute that begins in this line.
fn allowed_lints(line: &str) -> Option<&str> {
    let body = line.trim_start();
    let rest = body.strip_prefix("#[allow(").or_else(|| body.strip_prefix("#![allow("))?;
    Some(rest.split_once(')').map_or(rest, |(lints, _)| lints))
}

/// Whether an attribute that rustfmt broke over several lines holds a reason further down.
fn spans_a_reason(lines: &[&str]) -> bool {
    let ends = lines.iter().position(|line| line.contains(")]")).unwrap_or(0);
    lines[..=ends].iter().any(|line| line.contains("reason ="))
}

/// Applies a check to every line of these crates that is neither comment nor test.
fn code_lines(tree: &Tree, crates: &[&str], check: impl Fn(&str) -> Option<String>) -> Vec<Violation> {
    let check_file = |file: &Tracked| {
        let tests = TestLines::of(file);
        let code = file
            .lines()
            .filter(|(number, line)| !tests.contains(*number) && !line.trim_start().starts_with("//"));
        code.filter_map(|(number, line)| Some(Violation::at(&file.path, number, check(line)?)))
            .collect::<Vec<_>>()
    };
    tree.rust_sources(crates).flat_map(check_file).collect()
}

/// Whether the line calls this method, or names it as a function of a float type.
fn calls_method(line: &str, name: &str) -> bool {
    let called = line.contains(&format!(".{name}("));
    called || line.contains(&format!("f64::{name}")) && !line.contains(&format!("f64::{name}_"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(path: &str, text: &str) -> Tree {
        Tree::imagined(&[(path, text)])
    }

    #[test]
    fn a_source_without_head_comment_is_found_and_a_test_is_not() {
        let tree = Tree::imagined(&[("crates/a/src/x.rs", "use b;\n"), ("crates/a/tests/x.rs", "use b;\n")]);
        assert_eq!(sources_have_a_head_comment(&tree).len(), 1);
    }

    #[test]
    fn a_crate_that_says_nothing_of_casts_is_found() {
        let warns = "//! A.\n#![warn(clippy::cast_possible_truncation, clippy::cast_sign_loss)]\n";
        let [a, b, inner] = ["crates/a/src/lib.rs", "crates/b/src/lib.rs", "crates/a/src/b.rs"];
        let found =
            crates_warn_of_casts(&Tree::imagined(&[(a, warns), (b, "//! B.\n"), (inner, "//! C.\n")]));
        assert_eq!(found.iter().map(|v| &*v.path).collect::<Vec<_>>(), [b]);
    }

    #[test]
    fn the_kernel_may_be_blocked_but_has_no_blocks() {
        let found = kernel_has_no_word_of_storage(&one(
            "crates/kernel/src/a.rs",
            "//! A blocked transition, one cache line.\nlet block_size = 1;\n",
        ));
        assert_eq!(found.iter().map(|v| v.line).collect::<Vec<_>>(), [2]);
        assert!(kernel_has_no_word_of_storage(&one("crates/device/src/a.rs", "//! A disk.\n")).is_empty());
    }

    #[test]
    fn a_model_that_looks_at_the_clock_is_found_unless_it_is_a_test() {
        let text = "//! X.\nlet t = Instant::now();\n#[cfg(test)]\nmod tests {\n    use std::fs;\n}\n";
        assert_eq!(models_see_nothing_of_the_outside_world(&one("crates/device/src/a.rs", text)).len(), 1);
    }

    #[test]
    fn a_logarithm_of_the_platform_is_found_and_one_of_libm_is_not() {
        let text = "//! X.\nlet a = x.ln();\nlet b = libm::log(x);\nlet c = y.sqrt();\nlet d = v.iter().map(f64::exp);\n";
        let found = transcendental_functions_come_from_libm(&one("crates/kernel/src/a.rs", text));
        assert_eq!(found.iter().map(|v| v.line).collect::<Vec<_>>(), [2, 5]);
    }

    #[test]
    fn an_unexplained_allowance_is_found() {
        let text = "//! X.\n#[allow(dead_code)]\n#[allow(dead_code, reason = \"y\")]\n#[allow(dead_code)] // y\n// y\n#[allow(dead_code)]\n#[cfg(test)]\nmod tests {\n    #![allow(clippy::unwrap_used)]\n}\n";
        let found = lints_are_allowed_with_a_reason(&one("crates/a/src/a.rs", text));
        assert_eq!(found.iter().map(|v| v.line).collect::<Vec<_>>(), [2]);
    }
}
