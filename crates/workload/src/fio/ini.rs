//! The form of a job file: sections of options, a line each, with what they include and the variables in them.

use super::{FioError, Surroundings};

/// An option as it stands there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) key: String,
    /// Empty for an option that stands alone.
    pub(super) value: String,
    pub(super) line: u32,
    /// A variable in it that nobody has set.
    pub(super) unset: Option<String>,
}

impl Entry {
    /// Of a text such as `bs=4k`, with its variables' values in their place.
    pub(super) fn of(text: &str, line: u32, around: &dyn Surroundings) -> Self {
        let (text, unset) = substituted(text, around);
        let (key, value) = text.split_once('=').unwrap_or((&text, ""));
        let key = key.trim().to_lowercase();
        Self { key, value: value.trim().to_owned(), line, unset }
    }

    /// Of an option that stands alone.
    pub(super) fn alone(key: &str, line: u32) -> Self {
        Self { key: key.to_owned(), value: String::new(), line, unset: None }
    }
}

/// A job with the options of all `[global]` sections above it, which its own replace.
#[derive(Clone, Debug)]
pub(super) struct Section {
    pub(super) name: String,
    pub(super) line: u32,
    /// Whether a fio of its own begins with it, which counts its jobs from the first one again.
    pub(super) is_first_of_call: bool,
    pub(super) entries: Vec<Entry>,
}

/// Files that include others do so no deeper.
const DEPTH_MAX: u32 = 8;

/// What has been read so far.
#[derive(Default)]
pub(super) struct Reading {
    pub(super) jobs: Vec<Section>,
    pub(super) global: Vec<Entry>,
    in_global: Option<bool>,
}

/// The jobs of a file.
pub(super) fn sections(text: &str, around: &dyn Surroundings) -> Result<Vec<Section>, FioError> {
    let mut reading = Reading::default();
    reading.text(text, around, None)?;
    Ok(reading.jobs)
}

impl Reading {
    /// Reads a text; what is included stands in the line that includes it.
    pub(super) fn text(
        &mut self,
        text: &str,
        around: &dyn Surroundings,
        within: Option<(u32, u32)>,
    ) -> Result<(), FioError> {
        for (index, line) in text.lines().enumerate() {
            let own = u32::try_from(index + 1).unwrap_or(u32::MAX);
            let number = within.map_or(own, |(line, _)| line);
            let line = line.trim().trim_start_matches('\u{feff}');
            if line.is_empty() || line.starts_with([';', '#']) {
                continue;
            }
            if line.starts_with('[') {
                self.section(line, number)?;
                continue;
            }
            let line = line.split([';', '#']).next().unwrap_or_default().trim();
            if let Some(file) = line.strip_prefix("include").filter(|rest| rest.starts_with([' ', '\t', '=']))
            {
                let file = file.trim_start_matches([' ', '\t', '=']).trim();
                self.include(file, number, around, within.map_or(0, |(_, depth)| depth))?;
                continue;
            }
            if !line.is_empty() {
                self.option(Entry::of(line, number, around))?;
            }
        }
        Ok(())
    }

    fn section(&mut self, line: &str, number: u32) -> Result<(), FioError> {
        let name = line.strip_prefix('[').and_then(|rest| rest.split_once(']')).map(|(name, _)| name.trim());
        let Some(name) = name.filter(|name| !name.is_empty()) else {
            return Err(FioError::at(number, "a section's name stands in brackets: [job1]"));
        };
        // As fio compares them.
        let is_global = name.starts_with("global");
        self.in_global = Some(is_global);
        if !is_global {
            self.begin(name, number);
        }
        Ok(())
    }

    /// A job begins with what is global above it.
    pub(super) fn begin(&mut self, name: &str, line: u32) {
        self.jobs.push(Section {
            name: name.to_owned(),
            line,
            is_first_of_call: false,
            entries: self.global.clone(),
        });
    }

    fn include(
        &mut self,
        file: &str,
        line: u32,
        around: &dyn Surroundings,
        depth: u32,
    ) -> Result<(), FioError> {
        if depth >= DEPTH_MAX {
            return Err(FioError::at(line, "files include each other without end"));
        }
        match around.include(file) {
            Ok(text) => self.text(&text, around, Some((line, depth + 1))),
            Err(why) => {
                let help = "put what is in it in its place, or the file beside this one";
                Err(FioError::at(line, format!("{file} can't be included: {why}")).with_help(help))
            }
        }
    }

    fn option(&mut self, entry: Entry) -> Result<(), FioError> {
        let into = match (self.in_global, self.jobs.last_mut()) {
            (Some(true), _) => &mut self.global,
            (Some(false), Some(job)) => &mut job.entries,
            _ => {
                let problem = "this stands before the first section, [global] or a job's";
                return Err(FioError::at(entry.line, problem));
            }
        };
        put(into, entry);
        Ok(())
    }
}

/// An option replaces the one of its name.
pub(super) fn put(entries: &mut Vec<Entry>, entry: Entry) {
    entries.retain(|known| known.key != entry.key);
    entries.push(entry);
}

/// A text with the values of `${NAME}` in their place, and the first name that has none.
fn substituted(text: &str, around: &dyn Surroundings) -> (String, Option<String>) {
    let (mut whole, mut rest, mut unset) = (String::new(), text, None);
    while let Some((before, behind)) = rest.split_once("${") {
        whole.push_str(before);
        let Some((name, behind)) = behind.split_once('}') else {
            whole.push_str("${");
            rest = behind;
            continue;
        };
        match around.variable(name) {
            Some(value) => whole.push_str(&value),
            None => {
                whole.push_str(&format!("${{{name}}}"));
                unset = unset.or_else(|| Some(name.to_owned()));
            }
        }
        rest = behind;
    }
    whole.push_str(rest);
    for (word, value) in around.keywords() {
        whole = whole.replace(word, &value.to_string());
    }
    (whole, unset)
}
