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
        let room = desk.reach.is_bounded().then(TemporaryFolder::new).transpose().map_err(Refusal::new)?;
        let inside = room.as_ref().map_or(Path::new(""), |room| room.path());
        let (folder, files) = desk.reach.folder_of(path, &text, inside)?;
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

    /// What is said of it, by the names of whoever named the files.
    pub(crate) fn named(&self, text: &str) -> String {
        let (hidden, shown) = (self.hidden.0.display().to_string(), self.hidden.1.display().to_string());
        if self.mirror.is_some() { text.replace(&hidden, &shown) } else { text.to_owned() }
    }

    /// A refusal in the words of whoever named the files.
    pub(crate) fn naming(&self, refusal: Refusal) -> Refusal {
        if self.mirror.is_some() { refusal.naming(&self.hidden.0, &self.hidden.1) } else { refusal }
    }
}
