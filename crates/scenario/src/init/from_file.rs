//! A scenario of a fio job file, or of a trace.

use super::{Choices, Made, filled_in, finished, named_from};
use crate::fio::{plain, workload_toml};
use crate::foreign;
use crate::schema::reference::Of;
use crate::text::file::text_of;
use crate::text::{Problem, Problems};
use petrio_files::inputs::Inputs;
use petrio_files::shown;
use petrio_trace::{EventReader, TraceOptions, TraceReader};
use petrio_units::Duration;
use petrio_workload::fio::{FioFile, FioJob, FioWork, is_job_file};
use std::collections::BTreeSet;
use std::path::Path;

const DRIVE: &str = "sata-750gb-7200";
const MEMORY: &str = "2 GiB";

/// The parts below which jobs on files, and calls on files, run.
const HOST: &str = "
[disk.d]
model = \"@DRIVE@\"

[host.h]
machine = \"@MACHINE@\"           # petrio catalogue list machines; petrio calibrate measures yours
kernel = \"@KERNEL@\"
memory = \"@MEMORY@\"             # for the page cache and the processes' own pages

[fs.data]
type = \"ext4\"
on = \"d\"
";

/// A scenario that plays a file: a fio job file's jobs, or a trace in any format. `scenario` is where it is to lie.
///
/// # Errors
/// A file that is neither, or what is wrong with it.
pub fn from_file(file: &Path, scenario: &Path, choices: &Choices) -> Result<Made, Problems> {
    choices.check()?;
    let name = shown::path(file).to_string();
    let fail = |problem: Problem| Problems::new(&name, vec![problem]);
    let inputs = Inputs::here();
    if let Ok(text) = text_of(&inputs, file)
        && is_job_file(&text)
    {
        return from_jobs(&name, &text, choices);
    }
    let folder = scenario.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let path = named_from(scenario, file);
    let options = TraceOptions::default();
    if holds_calls(file, &options) {
        return from_events((&name, &path), choices, folder);
    }
    match TraceReader::open(file, &options) {
        Ok(reader) => from_requests(reader, (&name, &path), choices, folder),
        Err(error) => match EventReader::open(file, &options) {
            Ok(_) => from_events((&name, &path), choices, folder),
            Err(_) => {
                let other =
                    text_of(&inputs, file).ok().and_then(|text| foreign::by_text(&name, &text, Of::Scenario));
                let problem = other.unwrap_or_else(|| {
                    let advice = miette::Diagnostic::help(&error).map(|help| help.to_string());
                    Problem::error(error.to_string()).maybe_help(advice)
                });
                Err(fail(problem))
            }
        },
    }
}

/// Whether a trace holds calls on files, perhaps with the device requests that followed from them. They come early.
fn holds_calls(file: &Path, options: &TraceOptions) -> bool {
    const LOOKED_AT: usize = 10_000;
    EventReader::open(file, options).is_ok_and(|events| {
        let mut known = events.take(LOOKED_AT).filter_map(Result::ok);
        known.any(|event| !event.kind.is_of_device() && event.file.is_known())
    })
}

/// How a comment begins that says where a scenario is from.
fn head(name: &str, what: &str, choices: &Choices) -> String {
    format!("# {what} {name}.\n#\n#   petrio run {}\n", choices.file)
}

fn complete(body: &str, choices: &Choices) -> String {
    let drive = choices.drive.as_deref().unwrap_or(DRIVE);
    filled_in(body, choices, drive, choices.memory.as_deref().unwrap_or(MEMORY))
}

/// Quoted as a TOML string.
fn quoted(text: &str) -> String {
    toml::Value::String(text.to_owned()).to_string()
}

fn from_jobs(name: &str, text: &str, choices: &Choices) -> Result<Made, Problems> {
    let file: FioFile = text.parse().map_err(|error: petrio_workload::fio::FioError| {
        Problems::new(name, vec![Problem::error(format!("{name}, {error}")).maybe_help(error.help)])
    })?;
    let mut remarks: Vec<String> =
        file.remarks.iter().map(|remark| format!("{name}, line {}: {}", remark.line, remark.text)).collect();
    let first = file.jobs.first().map_or(0, |job| job.group);
    let (now, later): (Vec<&FioJob>, Vec<&FioJob>) = file.jobs.iter().partition(|job| job.group == first);
    for job in &later {
        let text = format!(
            "{name}, line {}: job \"{}\" runs after those before, and is left out",
            job.line, job.name
        );
        remarks.push(text);
    }
    let mut body = head(name, "The jobs of", choices);
    body.push_str(&format!("\ntitle = {}\n", quoted(&format!("The jobs of {name}"))));
    let on_files = now.iter().any(|job| matches!(job.work, FioWork::Files(_)));
    if on_files {
        body.push_str(HOST);
    }
    if now.iter().any(|job| matches!(job.work, FioWork::Device(_))) {
        body.push_str(
            "\n[disk.device]                   # the device that jobs ask directly\nmodel = \"@DRIVE@\"\n",
        );
    }
    let mut names = BTreeSet::new();
    for job in &now {
        let mut called = plain(&job.name);
        while !names.insert(called.clone()) {
            called.push('-');
        }
        let on = if matches!(job.work, FioWork::Files(_)) { "data" } else { "device" };
        let workload = workload_toml(job);
        let (kind, rest) = workload.split_once('\n').unwrap_or((&workload, ""));
        body.push_str(&format!(
            "\n[workload.{called}]              # line {}\n{kind}\non = \"{on}\"\n{rest}",
            job.line
        ));
    }
    let of_files = |job: &&&FioJob| matches!(job.work, FioWork::Files(_));
    if let Some(runtime) = now.iter().filter(of_files).filter_map(|job| job.runtime).max() {
        body.push_str(&format!("\n[measure]\nstop = {{ time = \"{}\" }}\n", Duration::from(runtime)));
    }
    finished(&complete(&body, choices), remarks, &Inputs::none())
}

fn from_requests(
    mut reader: TraceReader,
    (name, path): (&str, &str),
    choices: &Choices,
    folder: &Path,
) -> Result<Made, Problems> {
    let (mut requests, mut devices, mut end) = (0_u64, BTreeSet::new(), 0_u64);
    for record in &mut reader {
        let record = record.map_err(|error| {
            let advice = miette::Diagnostic::help(&error).map(|help| help.to_string());
            Problems::new(name, vec![Problem::error(error.to_string()).maybe_help(advice)])
        })?;
        requests += 1;
        devices.insert(record.device);
        end = end.max(record.address.saturating_add(record.blocks.into()));
    }
    let count = devices.len().max(1);
    let mut body = head(name, "The requests of", choices);
    body.push_str(&format!(
        "\ntitle = {}\n\n[disk.d]\nmodel = \"@DRIVE@\"\ncount = {count}{}\n\n[workload.replay]\nkind = \"trace\"\non = \"d\"\n\
         files = [{}]           # {requests} requests to {count} devices, up to block {end}\n\
         replay = \"closed\"               # how long would this program take here? \"open\" keeps the recorded times\n\
         processes = \"together\"          # processes that wait for each other; \"apart\": each for its own requests\n\
         out_of_range = \"wrap\"           # of an address beyond the disk's end; the report counts them\n",
        quoted(&format!("The requests of {name}")),
        " ".repeat(22) + "# a disk for each device of the trace",
        quoted(path),
    ));
    let text = complete(&body, choices).replace("1 devices", "1 device");
    finished(&text, Vec::new(), &Inputs::in_folder(folder))
}

fn from_events((name, path): (&str, &str), choices: &Choices, folder: &Path) -> Result<Made, Problems> {
    let mut body = head(name, "The calls of", choices);
    body.push_str(&format!("\ntitle = {}\n{HOST}", quoted(&format!("The calls of {name}"))));
    body.push_str(&format!(
        "\n[workload.replay]\nkind = \"events\"\non = \"data\"\nfile = {}\n\
         replay = \"closed\"               # each call follows the one before after its think time; \"open\" keeps the times\n",
        quoted(path)
    ));
    finished(&complete(&body, choices), Vec::new(), &Inputs::in_folder(folder))
}
