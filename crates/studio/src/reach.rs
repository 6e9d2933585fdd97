//! Which files of this machine a page may name.
//!
//! A studio that only this machine reaches serves its own user, who may name whatever he may read. One that others reach serves whoever has
//! the address: nothing but the folder in which it was started, and what lies beside the specification with which it was.

use std::path::{Component, Path, PathBuf};
use std::{fs, io};
use thiserror::Error;
use toml_edit::{DocumentMut, Item, Value};

/// Files that may be read and written. Its folders have neither links nor dots in them.
#[derive(Clone, Debug)]
pub(crate) enum Reach {
    /// All that the studio's user can.
    Everything,
    /// What lies below one folder, or directly in another, and one file wherever a link to it leads.
    Below { folder: PathBuf, beside: Option<PathBuf>, specification: Option<PathBuf> },
}

/// A file that lies elsewhere.
#[derive(Debug, Error)]
#[error("{path} lies outside of {folder}, where the studio was started")]
pub(crate) struct OutOfReach {
    path: String,
    folder: String,
}

impl OutOfReach {
    /// What to do about it.
    pub(crate) fn help(&self) -> String {
        "while others can reach the studio, files are read and written only below that folder and beside its specification; start it \
         elsewhere, or without --listen"
            .to_owned()
    }
}

impl Reach {
    /// That of a studio which others can reach.
    pub(crate) fn below(folder: &Path, specification: Option<&Path>) -> io::Result<Self> {
        let folder = folder.canonicalize()?;
        let named = specification.map(|path| folder.join(path));
        let beside = named.as_ref().and_then(|path| path.parent()?.canonicalize().ok());
        let specification = named.and_then(|path| path.canonicalize().ok());
        Ok(Self::Below { folder, beside, specification })
    }

    /// The file that a path means, if it is within reach, whether or not it is there.
    pub(crate) fn file(&self, path: &Path) -> Result<PathBuf, OutOfReach> {
        let Self::Below { folder, beside, specification } = self else { return Ok(path.to_owned()) };
        let within = |real: &PathBuf| {
            real.starts_with(folder)
                || real.parent().is_some_and(|parent| Some(parent) == beside.as_deref())
                || Some(real) == specification.as_ref()
        };
        real(&folder.join(path)).filter(within).ok_or_else(|| OutOfReach {
            path: path.display().to_string(),
            folder: folder.display().to_string(),
        })
    }

    /// Whether all files that a scenario can mean are within reach. Any of its texts may name one, relative to its folder.
    pub(crate) fn scenario(&self, text: &str, folder: &Path) -> Result<(), OutOfReach> {
        if matches!(self, Self::Everything) {
            return Ok(());
        }
        // What is no TOML names nothing.
        let Ok(document) = text.parse::<DocumentMut>() else { return Ok(()) };
        let mut texts = Vec::new();
        of_item(document.as_item(), &mut texts);
        texts.iter().try_for_each(|text| self.file(&folder.join(text)).map(drop))
    }
}

/// Where a path leads once its links and dots are followed; nothing for one that leads nowhere for certain.
fn real(path: &Path) -> Option<PathBuf> {
    let (mut at, mut rest) = (path, PathBuf::new());
    loop {
        if let Ok(there) = at.canonicalize() {
            return Some(if rest.as_os_str().is_empty() { there } else { there.join(rest) });
        }
        // Not even a link may be there, which would lead elsewhere as soon as its goal is made.
        if fs::symlink_metadata(at).is_ok() {
            return None;
        }
        let Some(Component::Normal(name)) = at.components().next_back() else { return None };
        rest = if rest.as_os_str().is_empty() { name.into() } else { Path::new(name).join(&rest) };
        at = at.parent()?;
    }
}

fn of_item(item: &Item, into: &mut Vec<String>) {
    match item {
        Item::None => {}
        Item::Value(value) => of_value(value, into),
        Item::Table(table) => table.iter().for_each(|(_, item)| of_item(item, into)),
        Item::ArrayOfTables(tables) => {
            tables.iter().flat_map(|table| table.iter()).for_each(|(_, item)| of_item(item, into));
        }
    }
}

fn of_value(value: &Value, into: &mut Vec<String>) {
    match value {
        Value::String(text) => into.push(text.value().clone()),
        Value::Array(values) => values.iter().for_each(|value| of_value(value, into)),
        Value::InlineTable(table) => table.iter().for_each(|(_, value)| of_value(value, into)),
        Value::Integer(_) | Value::Float(_) | Value::Boolean(_) | Value::Datetime(_) => {}
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use std::os::unix::fs::symlink;

    /// A folder with `here`, in which the studio is started, and `there` beside it, with a specification.
    fn folders() -> (tempfile::TempDir, Reach) {
        let all = tempfile::tempdir().unwrap();
        for name in ["here/deep", "there/deep"] {
            fs::create_dir_all(all.path().join(name)).unwrap();
        }
        for name in ["here/a.csv", "here/deep/b.csv", "there/users.toml", "there/deep/c.csv", "d.csv"] {
            fs::write(all.path().join(name), "1 2 3").unwrap();
        }
        let reach = Reach::below(&all.path().join("here"), Some(Path::new("../there/users.toml"))).unwrap();
        (all, reach)
    }

    fn leads_to(reach: &Reach, path: impl AsRef<Path>) -> Option<PathBuf> {
        reach.file(path.as_ref()).ok()
    }

    #[test]
    fn what_lies_below_the_folder_or_beside_the_specification_is_within_reach() {
        let (all, reach) = folders();
        let all = all.path().canonicalize().unwrap();
        for (path, file) in [
            ("a.csv", "here/a.csv"),
            ("deep/b.csv", "here/deep/b.csv"),
            ("deep/../a.csv", "here/a.csv"),
            ("../here/a.csv", "here/a.csv"),
            ("deep/new.toml", "here/deep/new.toml"),
            ("none/new.toml", "here/none/new.toml"),
            ("../there/users.toml", "there/users.toml"),
            ("../there/new.toml", "there/new.toml"),
        ] {
            assert_eq!(leads_to(&reach, path), Some(all.join(file)), "{path}");
            assert_eq!(leads_to(&reach, all.join("here").join(path)), Some(all.join(file)), "{path}");
        }
        assert_eq!(leads_to(&Reach::Everything, "../d.csv"), Some("../d.csv".into()));
    }

    #[test]
    fn a_specification_that_is_a_link_is_within_reach_and_what_lies_beside_its_goal_is_not() {
        let (all, _) = folders();
        let here = all.path().join("here");
        symlink(all.path().join("there/users.toml"), here.join("link.toml")).unwrap();
        let reach = Reach::below(&here, Some(Path::new("link.toml"))).unwrap();
        assert!(leads_to(&reach, "link.toml").is_some());
        assert!(leads_to(&reach, "../there/new.toml").is_none());
    }

    #[test]
    fn neither_dots_nor_links_lead_out() {
        let (all, reach) = folders();
        let here = all.path().join("here");
        symlink(all.path().join("d.csv"), here.join("file-link.csv")).unwrap();
        symlink(all.path(), here.join("folder-link")).unwrap();
        symlink(all.path().join("to-be-made.csv"), here.join("dangling.csv")).unwrap();
        symlink(here.join("deep"), here.join("inner-link")).unwrap();
        for path in [
            "../d.csv",
            "deep/../../d.csv",
            "none/../../d.csv",
            "../there/deep/c.csv",
            "file-link.csv",
            "folder-link/d.csv",
            "folder-link/new.csv",
            "dangling.csv",
            "inner-link/../../d.csv",
            "..",
            "/etc/hostname",
            "/no/such/file",
        ] {
            let refused = reach.file(Path::new(path)).unwrap_err();
            assert!(refused.to_string().starts_with(&format!("{path} lies outside of ")), "{refused}");
        }
        assert!(leads_to(&reach, "inner-link/b.csv").is_some());
    }

    #[test]
    fn a_scenario_names_no_file_elsewhere() {
        let (all, reach) = folders();
        let here = all.path().join("here");
        let inside =
            format!("title = \"{}\"\n[disk.d]\nfile = \"a.csv\"\n[fs.f]\non = [\"d\"]", "long ".repeat(99));
        assert!(reach.scenario(&inside, &here).is_ok());
        for outside in ["a = \"/etc/passwd\"", "[[a]]\nb = { c = [\"../d.csv\"] }"] {
            assert!(reach.scenario(outside, &here).is_err(), "{outside}");
            assert!(Reach::Everything.scenario(outside, &here).is_ok());
        }
    }
}
