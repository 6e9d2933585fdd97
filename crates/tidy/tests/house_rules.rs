//! The tree of this repository keeps the house rules. Each test is one rule.

#![allow(clippy::unwrap_used)]

use petrio_tidy::rules::{circles, code, documents, files, layers};
use petrio_tidy::{Tree, Violation};

/// Reads the tracked files and holds them against one rule.
fn keep(rule: impl Fn(&Tree) -> Vec<Violation>) {
    let tree = Tree::of_this_repository().unwrap();
    assert!(
        tree.files.len() > 10,
        "git lists only {} files; the rule would hold for want of anything to read",
        tree.files.len()
    );
    let found = rule(&tree);
    let list: Vec<String> = found.iter().map(ToString::to_string).collect();
    assert!(found.is_empty(), "{} places break this rule:\n{}\n", found.len(), list.join("\n"));
}

#[test]
fn files_are_short() {
    keep(files::files_are_short);
}

#[test]
fn files_are_small() {
    keep(files::files_are_small);
}

#[test]
fn lines_end_cleanly() {
    keep(files::lines_end_cleanly);
}

#[test]
fn nothing_is_left_to_do() {
    keep(files::nothing_is_left_to_do);
}

#[test]
fn no_path_of_a_machine() {
    keep(files::no_path_of_a_machine);
}

#[test]
fn no_circles_inside_crates() {
    keep(circles::no_circles_inside_crates);
}

#[test]
fn arrows_point_down() {
    keep(layers::arrows_point_down);
}

#[test]
fn sources_have_a_head_comment() {
    keep(code::sources_have_a_head_comment);
}

#[test]
fn crates_warn_of_casts() {
    keep(code::crates_warn_of_casts);
}

#[test]
fn kernel_has_no_word_of_storage() {
    keep(code::kernel_has_no_word_of_storage);
}

#[test]
fn models_see_nothing_of_the_outside_world() {
    keep(code::models_see_nothing_of_the_outside_world);
}

#[test]
fn transcendental_functions_come_from_libm() {
    keep(code::transcendental_functions_come_from_libm);
}

#[test]
fn lints_are_allowed_with_a_reason() {
    keep(code::lints_are_allowed_with_a_reason);
}

#[test]
fn readme_needs_two_commands() {
    keep(documents::readme_needs_two_commands);
}

#[test]
fn links_lead_somewhere() {
    keep(documents::links_lead_somewhere);
}

#[test]
fn catalogue_names_its_sources() {
    keep(documents::catalogue_names_its_sources);
}
