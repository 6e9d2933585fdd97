//! What is no scenario, but of which one is made: for commands that run what they are given.

use super::{Choices, from_file};
use crate::Loaded;
use crate::load::load_from;
use crate::text::file::text_of;
use crate::text::{Override, Problems};
use petrio_files::inputs::Inputs;
use petrio_files::shown;
use petrio_kernel::Watch;
use petrio_workload::fio::{is_command_line, is_job_file};
use petrio_workload::iozone::is_iozone;
use petrio_workload::measurement::Format;
use petrio_workload::observed::is_observed;
use petrio_workload::parallel::{is_io500, is_job_script};
use std::path::Path;

/// Whether what stands in the place of a scenario is fio's job file or JSON, a command line of fio's, iozone's, IOR's or mdtest's, a
/// script with one, IO500's settings, or what iostat or sar printed. Traces aren't looked for: how one is played is a question of its own, which `petrio init --from` asks.
pub fn is_played(inputs: &Inputs, file: &Path) -> bool {
    let written = file.to_string_lossy();
    if !file.exists() {
        return is_command_line(&written) || is_iozone(&written) || is_job_script(&written);
    }
    if file.extension().is_some_and(|ending| ending == "toml") || !file.is_file() {
        return false;
    }
    text_of(inputs, file).is_ok_and(|text| {
        is_job_file(&text)
            || is_iozone(&text)
            || is_observed(&text)
            || is_io500(&text)
            || Format::of(&text) == Some(Format::Fio)
            || (is_command_line(&text) || is_job_script(&text)) && text.parse::<toml::Table>().is_err()
    })
}

/// Makes a scenario of it, as [`from_file`], and loads that, changed; what of it was not taken comes beside.
///
/// # Errors
/// As of [`from_file`] and [`crate::load`].
pub fn load_played(
    inputs: &Inputs,
    file: &Path,
    choices: &Choices,
    overrides: &[Override],
    watch: &Watch,
) -> Result<(Loaded, Vec<String>), Problems> {
    let made = from_file(inputs, file, Path::new("scenario.toml"), choices)?;
    let name = format!("the scenario made of {}", shown::path(file));
    let loaded = load_from(&name, &made.text, &inputs.without_folder(), overrides, watch)?;
    Ok((loaded, made.remarks))
}
