//! A scenario as it stands in a page, unsaved, with the files that it names, which are looked for beside its own.

use super::Desk;
use crate::reach::Opened;
use crate::refusal::Refusal;
use petrio_files::inputs::Inputs;
use petrio_files::temporary::TemporaryFolder;
use petrio_kernel::Watch;
use petrio_scenario::{Loaded, Override, Problems, load_from};
use std::path::{Path, PathBuf};

/// A scenario's text, and where its files lie.
pub(crate) struct Standing {
    pub(crate) name: String,
    pub(crate) text: String,
    pub(crate) inputs: Inputs,
    /// Where its files are looked for, and by which name that is known.
    hidden: (PathBuf, PathBuf),
    // Where others reach the studio, a mirror of the scenario's files lies here as long as it is needed.
    mirror: Option<TemporaryFolder>,
    _files: Vec<Opened>,
}

impl Standing {
    /// The text that is to be taken for what is at `path`.
    pub(crate) fn of(desk: &Desk, path: &Path, text: String) -> Result<Self, Refusal> {
        Self::with(desk, path, text, &[])
    }

    /// The same where values are set besides, any of which may name a file as the text may.
    pub(crate) fn with(desk: &Desk, path: &Path, text: String, values: &[&str]) -> Result<Self, Refusal> {
        let room = desk.reach.is_bounded().then(TemporaryFolder::new).transpose().map_err(Refusal::new)?;
        let inside = room.as_ref().map_or(Path::new(""), |room| room.path());
        let (folder, files) = desk.reach.folder_of(path, &naming_all(&text, values), inside)?;
        let shown = path.parent().unwrap_or(Path::new("")).to_owned();
        let inputs = Inputs::in_folder(&folder);
        let name = path.display().to_string();
        Ok(Self { name, text, inputs, hidden: (folder, shown), mirror: room, _files: files })
    }

    /// Reads it, with settings as of `--set`.
    pub(crate) fn load(&self, overrides: &[Override], watch: &Watch) -> Result<Loaded, Problems> {
        let mut loaded = load_from(&self.name, &self.text, &self.inputs, overrides, watch)?;
        if loaded.scenario.title.is_empty() {
            let stem = Path::new(&self.name).file_stem();
            loaded.scenario.title =
                stem.map(|stem| stem.to_string_lossy().replace(['-', '_'], " ")).unwrap_or_default();
        }
        Ok(loaded)
    }

    /// What is said of it, in the words of whoever named the files.
    pub(crate) fn named(&self, text: &str) -> String {
        if self.mirror.is_none() {
            return text.to_owned();
        }
        let (hidden, shown) = (self.hidden.0.display().to_string(), self.hidden.1.display().to_string());
        let below = if shown.is_empty() { String::new() } else { format!("{shown}/") };
        text.replace(&format!("{hidden}/"), &below).replace(&hidden, &shown)
    }

    /// A refusal in the words of whoever named the files.
    pub(crate) fn naming(&self, refusal: Refusal) -> Refusal {
        if self.mirror.is_some() { refusal.naming(&self.hidden.0, &self.hidden.1) } else { refusal }
    }

    /// It as a file, for studies that read it by its path: that, and inputs that have it in memory.
    pub(crate) fn file(&self) -> (PathBuf, Inputs) {
        let path = Path::new(&self.name);
        let path = match (&self.mirror, path.file_name()) {
            (Some(_), Some(name)) => self.hidden.0.join(name),
            _ => path.to_owned(),
        };
        let inputs = Inputs::here();
        inputs.hold(&path, self.text.as_bytes());
        (path, inputs)
    }
}

/// A text in which the values stand, too, before everything else.
fn naming_all(text: &str, values: &[&str]) -> String {
    let mut all = String::new();
    for (number, value) in values.iter().enumerate() {
        all.push_str(&format!("\"set {number}\" = {}\n", as_toml(value)));
    }
    all.push_str(text);
    all
}

/// A value as a setting has it, as TOML: what isn't TOML is a string.
pub(crate) fn as_toml(value: &str) -> String {
    let value = value.trim();
    let read = value.parse::<toml_edit::Value>();
    read.map_or_else(|_| toml_edit::Value::from(value).to_string(), |_| value.to_owned())
}
