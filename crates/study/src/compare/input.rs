//! What is named on the command line: `FILE`, `FILE@path=value,path=value`, either with `real:` before it, and `measured:FILE`.
//!
//! A file of exactly that name wins, whatever characters it has; else the first `@` after which the settings begin is
//! the one behind the name of a file that is there. Settings are divided by the commas that lie outside quotes,
//! brackets and braces.

use super::error::CompareError;
use petrio_scenario::Override;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// What stands before a scenario that is to be run on the real directory.
pub(super) const REAL: &str = "real:";
/// What stands before a measurement.
const MEASURED: &str = "measured:";

const HOW_TO_SET: &str =
    "write FILE@path=value,path=value; a value with a comma in it goes in quotes or brackets";

/// A scenario or a saved report, and what is changed in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Input {
    /// The file.
    pub file: PathBuf,
    /// What is changed in it.
    pub settings: Vec<Override>,
    /// Whether it is to be run on the real directory.
    pub real: bool,
    /// Whether it is a measurement, as another program printed it.
    pub measured: bool,
}

impl FromStr for Input {
    type Err = CompareError;

    fn from_str(text: &str) -> Result<Self, CompareError> {
        if let Some(file) = text.strip_prefix(MEASURED).filter(|_| !Path::new(text).exists()) {
            // Whatever is behind is its name: nothing of a measurement can be set.
            return Ok(Self { file: PathBuf::from(file), settings: Vec::new(), real: false, measured: true });
        }
        let (real, rest) = match text.strip_prefix(REAL) {
            Some(rest) if !Path::new(text).exists() => (true, rest),
            _ => (false, text),
        };
        let (file, settings) = divided(rest);
        let read = |piece: &str| {
            piece.parse::<Override>().map_err(|problem| CompareError::Input {
                text: text.to_owned(),
                why: format!("in the setting \"{piece}\": {}", problem.message()),
                help: Some(HOW_TO_SET.to_owned()),
            })
        };
        let settings = settings.map(pieces).unwrap_or_default();
        let settings = settings.into_iter().map(read).collect::<Result<_, _>>()?;
        Ok(Self { file: PathBuf::from(file), settings, real, measured: false })
    }
}

/// The name of the file, and the settings behind it.
fn divided(text: &str) -> (&str, Option<&str>) {
    if Path::new(text).exists() {
        return (text, None);
    }
    let at = |(position, _): (usize, &str)| (&text[..position], Some(&text[position + 1..]));
    let mut signs = text.match_indices('@').map(at);
    let there = signs.clone().find(|(file, _)| Path::new(file).exists());
    there.or_else(|| signs.next()).unwrap_or((text, None))
}

/// Pieces between commas that lie outside everything that holds commas together.
fn pieces(text: &str) -> Vec<&str> {
    let (mut depth, mut quote, mut begin) = (0i32, None, 0);
    let mut found = Vec::new();
    for (position, character) in text.char_indices() {
        match (quote, character) {
            (Some(open), _) if character == open => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(character),
            (None, '[' | '{') => depth += 1,
            (None, ']' | '}') => depth -= 1,
            (None, ',') if depth <= 0 => {
                found.push(text[begin..position].trim());
                begin = position + 1;
            }
            (None, _) => {}
        }
    }
    found.push(text[begin..].trim());
    found
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use miette::Diagnostic;

    fn settings(text: &str) -> Vec<String> {
        let input: Input = text.parse().unwrap();
        input.settings.iter().map(|setting| setting.text().to_string()).collect()
    }

    #[test]
    fn settings_follow_the_sign_and_are_divided_by_commas_outside_quotes_and_brackets() {
        assert_eq!(settings("a.toml@x.y=1,z=\"2, 3\",w=[4, 5]"), ["x.y=1", "z=\"2, 3\"", "w=[4, 5]"]);
        assert!(settings("a.toml").is_empty());
        let input: Input = "real:a.toml@x=1".parse().unwrap();
        assert_eq!((input.file, input.real), (PathBuf::from("a.toml"), true));
    }

    #[test]
    fn a_measurement_has_a_name_and_nothing_else() {
        let input: Input = "measured:run@night.json".parse().unwrap();
        let expected = (PathBuf::from("run@night.json"), true, false, 0);
        assert_eq!((input.file, input.measured, input.real, input.settings.len()), expected);
    }

    #[test]
    fn a_file_with_the_sign_in_its_name_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("load@night.toml");
        std::fs::write(&path, "").unwrap();
        let plain: Input = path.display().to_string().parse().unwrap();
        assert_eq!((plain.file.as_path(), plain.settings.len()), (path.as_path(), 0));
        let changed: Input = format!("{}@seed=2", path.display()).parse().unwrap();
        assert_eq!((changed.file.as_path(), changed.settings.len()), (path.as_path(), 1));
    }

    #[test]
    fn a_setting_without_a_value_is_refused_with_what_to_write() {
        let error = "a.toml@x.y".parse::<Input>().unwrap_err();
        assert!(error.to_string().contains("\"x.y\""), "{error}");
        assert!(error.help().unwrap().to_string().contains("FILE@path=value"));
    }
}
