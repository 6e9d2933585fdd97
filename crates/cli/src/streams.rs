//! `-`: standard input in the place of a file that is read, standard output in the place of one that is written.

use petrio_files::shown;
use std::path::{Path, PathBuf};
use std::str::FromStr;

const INPUT: &str = "/dev/stdin";
const OUTPUT: &str = "/dev/stdout";

/// A file to read, from the command line.
pub(crate) fn input(text: &str) -> Result<PathBuf, String> {
    named(text, INPUT)
}

/// A file to write, from the command line.
pub(crate) fn output(text: &str) -> Result<PathBuf, String> {
    named(text, OUTPUT)
}

fn named(text: &str, stream: &str) -> Result<PathBuf, String> {
    let text = if text == "-" { stream } else { text };
    match text {
        "" => Err("a file's name is needed; - stands for the standard stream".to_owned()),
        text => PathBuf::from_str(text).map_err(|never| never.to_string()),
    }
}

/// Whether a result goes to standard output, where nothing else may stand then.
pub(crate) fn is_output(path: &Path) -> bool {
    path == Path::new(OUTPUT)
}

/// What a message calls a file that was written.
pub(crate) fn told(path: &Path) -> String {
    if is_output(path) { "standard output".to_owned() } else { shown::path(path).to_string() }
}
