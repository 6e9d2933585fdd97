//! User specifications: from a file to a [`UserSpecification`], or to the list of all that is wrong with it.

use crate::misplaced::{by_file, by_keys, not_toml};
use crate::reference::Of;
use crate::text::deserialise::read;
use crate::text::file::text_of;
use crate::text::tables::read_tables;
use crate::text::tree::{self, KeySpans};
use crate::text::{Override, Problem, Problems, SETTING, Sources};
use petrio_files::inputs::Inputs;
use petrio_users::UserSpecification;
use serde::de::DeserializeOwned;
use std::path::Path;
use std::sync::Arc;

/// Reads a user specification, changes it as the overrides say, and checks it.
///
/// # Errors
/// Everything that is wrong with it, each with its place and what to do.
pub fn load_users(path: &Path, overrides: &[Override]) -> Result<UserSpecification, Problems> {
    load_users_in(&Inputs::here(), path, overrides)
}

/// As [`load_users`], of the inputs of a piece of work.
///
/// # Errors
/// As of [`load_users`].
pub fn load_users_in(
    inputs: &Inputs,
    path: &Path,
    overrides: &[Override],
) -> Result<UserSpecification, Problems> {
    let name = inputs.path_of(path).display().to_string();
    let text = text_of(inputs, path).map_err(|problem| {
        let other = by_file(inputs, (&name, path), Of::Users);
        Problems::new(&name, vec![other.unwrap_or(problem)])
    })?;
    let folder = path.parent().unwrap_or(Path::new(""));
    load_users_from((&name, &text), overrides, (inputs, folder))
}

/// As [`load_users`], from a text; what that names as files is not read.
///
/// # Errors
/// As of [`load_users`].
pub fn load_users_text(
    name: &str,
    text: &str,
    overrides: &[Override],
) -> Result<UserSpecification, Problems> {
    load_users_from((name, text), overrides, (&Inputs::none(), Path::new("")))
}

fn load_users_from(
    text: (&str, &str),
    overrides: &[Override],
    folder: (&Inputs, &Path),
) -> Result<UserSpecification, Problems> {
    load_checked(text, (overrides, Of::Users), folder, |specification: &UserSpecification| {
        specification.check().map_err(|error| (error.at, error.problem))
    })
}

/// Reads a file of one struct, which says of itself where it makes no sense, and what is wrong there.
pub(crate) fn load_checked<T: DeserializeOwned>(
    (name, text): (&str, &str),
    (overrides, of): (&[Override], Of),
    (inputs, folder): (&Inputs, &Path),
    check: impl Fn(&T) -> Result<(), (String, String)>,
) -> Result<T, Problems> {
    let mut sources = Sources::default();
    let base = sources.add(name, text);
    let (mut root, mistakes) = tree::parse(text, base);
    let fail = |problems| Problems::new(name, problems);
    if !mistakes.is_empty() {
        return Err(fail(not_toml(name, text, mistakes, &sources, of)));
    }
    if let Some(problem) = by_keys(name, &root, of) {
        return Err(fail(vec![problem]));
    }
    let mut problems: Vec<Problem> = Vec::new();
    for change in overrides {
        let base = sources.add(SETTING, Arc::clone(change.text()));
        problems.extend(change.apply(&mut root, base, &sources).err());
    }
    problems.append(&mut read_tables(root.get_mut(), folder, (inputs, &sources)));
    if !problems.is_empty() {
        return Err(fail(problems));
    }
    let specification: T = read(&root, &sources).map_err(fail)?;
    match check(&specification) {
        Ok(()) => Ok(specification),
        Err((at, problem)) => {
            let place = KeySpans::of(&root).value(&at);
            Err(fail(vec![sources.error(place, format!("{at}: {problem}"))]))
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    const TEXT: &str = r#"
title = "Two"
files = { count = 100 }
[category.read]
owner = "user"
use = "read-only"
share = "100 %"
size = { exponential = { mean = "1 KiB" } }
[user.one]
think = { exponential = { mean = "5 ms" } }
access = { exponential = { mean = "1 KiB" } }
[user.one.uses.read]
share = "50 %"
files = { geometric = { mean = 2 } }
size = { exponential = { mean = "1 KiB" } }
accesses = { exponential = { mean = 2 } }
[user.other]
like = "one"
"#;

    fn complaint(from: &str, to: &str) -> String {
        assert!(TEXT.contains(from));
        let problems = load_users_text("users.toml", &TEXT.replace(from, to), &[]).unwrap_err();
        let problem = problems.iter().next().unwrap();
        format!("{} {}", problem.location().unwrap_or_default(), problem)
    }

    #[test]
    fn a_specification_is_read_and_what_is_wrong_with_it_is_pointed_at() {
        let read = load_users_text("users.toml", TEXT, &[]).unwrap();
        assert_eq!((read.user.len(), read.readings.kept_sessions), (2, 10));
        assert!(
            complaint("like = \"one\"", "like = \"two\"")
                .contains("users.toml:18:8 user.other.like: there is no type \"two\"")
        );
        assert!(complaint("uses.read]", "uses.raed]").contains("no such category; there are read"));
        assert!(complaint("mean = \"5 ms\"", "mean = 5").contains("users.toml:10:"));
        assert!(complaint("use = \"read-only\"", "use = \"read\"").contains("users.toml:6:7"));
        assert!(complaint("count = 100", "count = 0").contains("users.toml:3"));
        let help = load_users_text("users.toml", &TEXT.replace("think", "thnik"), &[]).unwrap_err();
        assert!(format!("{:?}", help.iter().collect::<Vec<_>>()).contains("think"));
    }
}
