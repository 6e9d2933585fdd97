//! The form of a job file: sections of options, a line each.

use super::FioError;

/// An option as it stands there.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) key: String,
    /// Empty for an option that stands alone.
    pub(super) value: String,
    pub(super) line: u32,
}

/// A job with the options of all `[global]` sections above it, which its own replace.
#[derive(Clone, Debug)]
pub(super) struct Section {
    pub(super) name: String,
    pub(super) line: u32,
    pub(super) entries: Vec<Entry>,
}

/// The jobs of a file.
pub(super) fn sections(text: &str) -> Result<Vec<Section>, FioError> {
    let mut jobs: Vec<Section> = Vec::new();
    let mut global: Vec<Entry> = Vec::new();
    let mut in_global: Option<bool> = None;
    for (index, line) in text.lines().enumerate() {
        let number = u32::try_from(index + 1).unwrap_or(u32::MAX);
        let line = line.trim().trim_start_matches('\u{feff}');
        if line.is_empty() || line.starts_with([';', '#']) {
            continue;
        }
        if let Some(rest) = line.strip_prefix('[') {
            let Some(name) = rest.strip_suffix(']').map(str::trim).filter(|name| !name.is_empty()) else {
                return Err(FioError::at(number, "a section's name stands in brackets: [job1]"));
            };
            in_global = Some(name == "global");
            if name != "global" {
                jobs.push(Section { name: name.to_owned(), line: number, entries: global.clone() });
            }
            continue;
        }
        let (key, value) = line.split_once('=').unwrap_or((line, ""));
        let entry = Entry { key: key.trim().to_lowercase(), value: value.trim().to_owned(), line: number };
        if entry.key.split_whitespace().next() == Some("include") {
            let problem = "files that others include are not read";
            return Err(FioError::at(number, problem).with_help("put what is in it in its place"));
        }
        let into = match (in_global, jobs.last_mut()) {
            (Some(true), _) => &mut global,
            (Some(false), Some(job)) => &mut job.entries,
            _ => {
                return Err(FioError::at(
                    number,
                    "this stands before the first section, [global] or a job's",
                ));
            }
        };
        into.retain(|known| known.key != entry.key);
        into.push(entry);
    }
    Ok(jobs)
}
