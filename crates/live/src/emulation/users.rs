//! Who uses a directory that is to be unmounted.

use std::fs;
use std::path::Path;

/// Processes that work in a directory, or have files below it open, as far as this one may look: name and number of each.
pub fn users_of(directory: &Path) -> Vec<String> {
    // As the kernel names it.
    let Ok(directory) = directory.canonicalize() else { return Vec::new() };
    let Ok(entries) = fs::read_dir("/proc") else { return Vec::new() };
    let mut numbers: Vec<u32> =
        entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect();
    numbers.sort_unstable();
    let uses = |number: &u32| {
        let place = Path::new("/proc").join(number.to_string());
        let open = fs::read_dir(place.join("fd")).into_iter().flatten().flatten().map(|entry| entry.path());
        open.chain([place.join("cwd"), place.join("root"), place.join("exe")])
            .filter_map(|link| fs::read_link(link).ok())
            .any(|target| target.starts_with(&directory))
    };
    let named = |number: u32| {
        let name = fs::read_to_string(format!("/proc/{number}/comm")).unwrap_or_default();
        format!("{} ({number})", name.trim_end())
    };
    numbers.into_iter().filter(|number| *number != std::process::id() && uses(number)).map(named).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use std::process::{Command, Stdio};

    #[test]
    fn who_works_in_a_directory_or_has_a_file_there_open_is_told_by_name_and_number() {
        let folder = tempfile::tempdir().unwrap();
        let directory = folder.path().canonicalize().unwrap();
        assert_eq!(users_of(&directory), Vec::<String>::new());
        let mut works = Command::new("cat").current_dir(&directory).stdin(Stdio::piped()).spawn().unwrap();
        let output = fs::File::create(directory.join("open")).unwrap();
        let mut writes = Command::new("cat").stdin(Stdio::piped()).stdout(output).spawn().unwrap();
        let mut told = users_of(&directory);
        told.sort();
        let mut expected = [works.id(), writes.id()].map(|number| format!("cat ({number})"));
        expected.sort();
        assert_eq!(told, expected);
        for child in [&mut works, &mut writes] {
            child.kill().unwrap();
            child.wait().unwrap();
        }
    }
}
