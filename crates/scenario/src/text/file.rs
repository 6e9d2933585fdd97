//! The text of a file of the scenario, its catalogue or its users.

use crate::text::Problem;
use petrio_files::inputs::{Inputs, Source};
use petrio_files::shown;
use petrio_units::nearest;
use std::io::{ErrorKind, Read};
use std::path::Path;

/// A scenario is a few pages of text; a file larger than this is something else.
const BYTES_MAX: u64 = 16 << 20;

/// The text of a scenario or catalogue file.
pub(crate) fn text_of(inputs: &Inputs, name: &Path) -> Result<String, Problem> {
    let path = inputs.path_of(name);
    let shown = shown::path(&path);
    let mut source = inputs.open(name).map_err(|cause| match cause.kind() {
        ErrorKind::IsADirectory => Problem::error(format!("{shown} is a folder, a file is needed")),
        _ => Problem::error(format!("{shown} can't be read: {cause}"))
            .maybe_help(near_file(&path).map(|near| format!("did you mean {near}?"))),
    })?;
    let mut bytes = Vec::new();
    // Devices and pipes say that they have none, and may have no end.
    let read = source.by_ref().take(BYTES_MAX + 1).read_to_end(&mut bytes);
    read.map_err(|cause| Problem::error(format!("{shown} can't be read: {cause}")))?;
    if bytes.len() as u64 > BYTES_MAX {
        let size = match &source {
            Source::File(file) => file.metadata().map_or(0, |there| there.len()),
            Source::Kept(kept) => kept.get_ref().len() as u64,
        };
        let size = size.max(bytes.len() as u64) >> 20;
        return Err(Problem::error(format!("{shown} has {size} MiB, which is not a file of this kind"))
            .help("name a TOML file"));
    }
    String::from_utf8(bytes).map_err(|error| {
        let valid = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = valid.iter().filter(|&&byte| byte == b'\n').count() + 1;
        Problem::error(format!("{shown} is not text: line {line} holds bytes that are not UTF-8"))
            .help("save it as UTF-8, or name a TOML file")
    })
}

/// A file beside the missing one whose name is near.
pub(crate) fn near_file(path: &Path) -> Option<String> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .ok()?
        .flatten()
        .filter_map(|file| file.file_name().into_string().ok())
        .collect();
    names.sort();
    let near = nearest(path.file_name()?.to_str()?, names.iter().map(String::as_str))?;
    Some(shown::path(&path.with_file_name(near)).to_string())
}
