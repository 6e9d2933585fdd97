//! Profiles of faults: from a file to a [`FaultProfile`], or to the list of all that is wrong with it.

use crate::misplaced::by_file;
use crate::reference::Of;
use crate::text::file::text_of;
use crate::text::{Override, Problems};
use crate::users::load_checked;
use petrio_emulate::faults::FaultProfile;
use petrio_files::inputs::Inputs;
use petrio_units::Bytes;
use std::path::Path;

/// Reads a profile of faults for devices with these names and sizes, and checks it.
///
/// # Errors
/// Everything that is wrong with it, each with its place and what to do.
pub fn load_faults(
    inputs: &Inputs,
    path: &Path,
    devices: &[(String, Bytes)],
) -> Result<FaultProfile, Problems> {
    let name = inputs.path_of(path).display().to_string();
    let text = text_of(inputs, path).map_err(|problem| {
        let other = by_file(inputs, (&name, path), Of::Faults);
        Problems::new(&name, vec![other.unwrap_or(problem)])
    })?;
    let folder = path.parent().unwrap_or(Path::new(""));
    load_faults_from((&name, &text), (inputs, folder), devices)
}

/// As [`load_faults`], from a text.
///
/// # Errors
/// As of [`load_faults`].
pub fn load_faults_text(
    name: &str,
    text: &str,
    devices: &[(String, Bytes)],
) -> Result<FaultProfile, Problems> {
    load_faults_from((name, text), (&Inputs::none(), Path::new("")), devices)
}

fn load_faults_from(
    text: (&str, &str),
    folder: (&Inputs, &Path),
    devices: &[(String, Bytes)],
) -> Result<FaultProfile, Problems> {
    let none: &[Override] = &[];
    load_checked(text, (none, Of::Faults), folder, |profile: &FaultProfile| {
        profile.check(devices).map_err(|error| (error.at, error.problem))
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn complaint(text: &str) -> String {
        let problems =
            load_faults_text("faults.toml", text, &[("d".to_owned(), Bytes::from_mib(1_024))]).unwrap_err();
        let told = problems.iter().map(|problem| {
            format!(
                "{} {problem} {}",
                problem.location().unwrap_or_default(),
                problem.advice().unwrap_or_default()
            )
        });
        told.collect::<Vec<_>>().join("; ")
    }

    #[test]
    fn a_profile_is_read_and_what_is_wrong_with_it_is_pointed_at() {
        let text = "seed = 4\n[[delay]]\nshare = \"1 %\"\nby = { exponential = { mean = \"50 ms\" } }\n[cut]\nat = \"12 s\"\n";
        let profile = load_faults_text("faults.toml", text, &[]).unwrap();
        assert_eq!((profile.seed, profile.delay.len(), profile.cut.unwrap().kept.get()), (4, 1, 0.0));
        let wrong = complaint("[[stall]]\nlasts = \"2 s\"\n");
        assert!(wrong.contains("neither at nor every"), "{wrong}");
        let wrong = complaint("[[error]]\ndevice = \"e\"\n");
        assert!(wrong.contains("faults.toml:2:10") && wrong.contains("there are d"), "{wrong}");
        let wrong = complaint("[[slow]]\nfrom = \"2 MiB\"\nto = \"1 MiB\"\ntimes = 3\n");
        assert!(wrong.contains("faults.toml:3:6") && wrong.contains("ends before it begins"), "{wrong}");
        let wrong = complaint("[[error]]\nfrom = \"10 GiB\"\n");
        assert!(wrong.contains("faults.toml:2:8") && wrong.contains("d ends at 1 GiB"), "{wrong}");
        let wrong = complaint("[[delay]]\nshare = 2\nby = \"1 ms\"\n");
        assert!(wrong.contains("faults.toml:2:9"), "{wrong}");
        let wrong = complaint("[cut]\nkpet = \"1 %\"\n");
        assert!(wrong.contains("kept"), "{wrong}");
        let wrong = complaint("[disk.d]\nmodel = \"hp-97560\"\n");
        assert!(wrong.contains("a scenario"), "{wrong}");
    }
}
