//! A scenario of a fio job file, of fio's or iozone's command lines, or of a trace.

use super::from_disksim::{from_disksim, is_parameters};
use super::from_observed::from_observed;
use super::from_programs::{from_io500, from_script};
use super::messages;
use super::{Choices, MACHINE, Made, filled_in, finished, list, named_from};
use crate::fio::{Beside, plain, workload_toml};
use crate::misplaced;
use crate::reference::Of;
use crate::text::file::text_of;
use crate::text::{Problem, Problems};
use petrio_files::inputs::Inputs;
use petrio_files::shown;
use petrio_page::numbers::{bytes, counted};
use petrio_trace::{EventReader, TraceOptions, TraceReader};
use petrio_workload::fio::{
    FioFile, FioJob, FioWork, MEMORY_READ, MEMORY_WRITTEN, NOTHING, is_command_line, is_job_file,
};
use petrio_workload::iozone::{Iozone, is_iozone};
use petrio_workload::measurement::{Format, MeasurementError, fio_job_file};
use petrio_workload::observed::is_observed;
use petrio_workload::parallel::{CountedJob, counted_job, is_io500, is_job_script};
use std::collections::BTreeSet;
use std::path::Path;

const DRIVE: &str = "sata-750gb-7200";
/// Where jobs reach farther than the usual drive does.
const LARGE_DRIVE: &str = "seagate-exos-x24-24tb";
const MEMORY: &str = "2 GiB";

/// In place of a drive: what is over at once.
const NO_DEVICE: &str = "model = \"constant-rate\"
drive.latency = \"0 s\"
drive.rate = \"1000 TB/s\"
drive.blocks = \"100 TiB\"
";

/// A module of persistent memory. Izraelevitz and others, "Basic Performance Measurements of the Intel Optane DC Persistent Memory Module",
/// 2019: a random load takes 305 ns; a module reads 6.6 and writes 2.3 GB/s at most.
const MEMORY_MODULE: &str = "model = \"constant-rate\"
drive.blocks = \"128 GB\"
";

/// What stands in the place of a drive: none for a disk.
fn no_disk(device: &str) -> Option<String> {
    let module = |figures: &str| Some(format!("{MEMORY_MODULE}{figures}"));
    match device {
        NOTHING => Some(NO_DEVICE.to_owned()),
        MEMORY_READ => module("drive.latency = \"305 ns\"\ndrive.rate = \"6.6 GB/s\"\n"),
        // Stores wait for nobody: their time is the rate's.
        MEMORY_WRITTEN => module("drive.latency = \"0 s\"\ndrive.rate = \"2.3 GB/s\"\n"),
        _ => None,
    }
}

/// The parts below which jobs on files, and calls on files, run.
pub(super) const HOST: &str = "
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

/// A scenario that plays a file: a fio job file's jobs, those of fio's JSON, what iozone's command line or a job script does, DiskSim's system,
/// what Darshan counted, or a trace in any format. `scenario` is where it is to lie.
///
/// # Errors
/// A file that is neither, or what is wrong with it.
pub fn from_file(inputs: &Inputs, file: &Path, scenario: &Path, choices: &Choices) -> Result<Made, Problems> {
    choices.check()?;
    let name = shown::path(file).to_string();
    let fail = |problem: Problem| Problems::new(&name, vec![problem]);
    let beside = Beside { inputs, folder: file.parent() };
    // A command line stands in the place of a file's name.
    let written = file.to_string_lossy();
    if is_command_line(&written) && !file.exists() {
        return from_jobs("the command line", &written, choices, &Beside { folder: None, ..beside });
    }
    if is_iozone(&written) && !file.exists() {
        return from_iozone("the command line", &written, choices);
    }
    if is_job_script(&written) && !file.exists() {
        return from_script("the command line", &written, choices, &Beside { folder: None, ..beside });
    }
    // Binary traces have none.
    let text = text_of(inputs, file).ok();
    if let Some(text) = &text {
        if is_iozone(text) {
            return from_iozone(&name, text, choices);
        }
        if is_parameters(text) {
            return from_disksim(&name, (inputs, file), choices);
        }
        if is_io500(text) {
            return from_io500(&name, text, choices);
        }
        if is_observed(text) {
            return from_observed(&name, text, choices);
        }
        if Format::of(text) == Some(Format::Fio) {
            let problem =
                |error: MeasurementError| Problem::error(format!("{name}: {error}")).maybe_help(error.help);
            if let Some(jobs) = fio_job_file(text).map_err(|error| fail(problem(error)))? {
                return from_jobs(&format!("the options in {name}"), &jobs, choices, &beside);
            }
        }
        if is_job_file(text) || is_command_line(text) {
            return from_jobs(&name, text, choices, &beside);
        }
        if is_job_script(text) {
            return from_script(&name, text, choices, &beside);
        }
    }
    let counted_by_darshan = counted_job(inputs, file).map_err(|error| {
        let advice = miette::Diagnostic::help(&error).map(|help| help.to_string());
        fail(Problem::error(error.to_string()).maybe_help(advice))
    })?;
    let folder = scenario.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let below = inputs.below(folder);
    let path = named_from(scenario, file);
    if let Some(job) = counted_by_darshan {
        return from_counted(&job, (&name, &path), choices, &below);
    }
    let options = TraceOptions::default();
    if holds_calls(inputs, file, &options) {
        return from_events((&name, &path), choices, &below);
    }
    match TraceReader::open_in(inputs, file, &options) {
        Ok(reader) => from_requests(reader, (&name, &path), choices, &below),
        Err(error) => match EventReader::open_in(inputs, file, &options) {
            Ok(_) => from_events((&name, &path), choices, &below),
            Err(_) => {
                let other = text.and_then(|text| misplaced::by_text(&name, &text, Of::Scenario));
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
fn holds_calls(inputs: &Inputs, file: &Path, options: &TraceOptions) -> bool {
    const LOOKED_AT: usize = 10_000;
    EventReader::open_in(inputs, file, options).is_ok_and(|events| {
        let mut known = events.take(LOOKED_AT).filter_map(Result::ok);
        known.any(|event| !event.kind.is_of_device() && event.file.is_known())
    })
}

/// How a comment begins that says where a scenario is from.
pub(super) fn head(name: &str, what: &str, choices: &Choices) -> String {
    format!("# {what} {name}.\n#\n#   petrio run {}\n", choices.file)
}

pub(super) fn complete(body: &str, choices: &Choices) -> String {
    let drive = choices.drive.as_deref().unwrap_or(DRIVE);
    filled_in(body, choices, (drive, choices.memory.as_deref().unwrap_or(MEMORY), MACHINE))
}

/// Quoted as a TOML string.
pub(super) fn quoted(text: &str) -> String {
    toml::Value::String(text.to_owned()).to_string()
}

/// The disks that jobs ask directly, each once, with the part that it becomes.
fn disks_of(file: &FioFile) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = Vec::new();
    for job in &file.jobs {
        let FioWork::Device { devices, .. } = &job.work else { continue };
        for device in devices {
            if found.iter().any(|(known, _)| known == device) {
                continue;
            }
            let own = device.rsplit(['/', '\\']).next().unwrap_or_default();
            let mut called = plain(own).trim_matches('-').to_owned();
            if called.is_empty() || called == "d" {
                called = "device".to_owned();
            }
            while found.iter().any(|(_, known)| *known == called) {
                called.push('-');
            }
            found.push((device.clone(), called));
        }
    }
    found
}

fn from_jobs(name: &str, text: &str, choices: &Choices, around: &Beside<'_>) -> Result<Made, Problems> {
    let file = FioFile::read(text, around).map_err(|error: petrio_workload::fio::FioError| {
        Problems::new(name, vec![Problem::error(format!("{name}, {error}")).maybe_help(error.help)])
    })?;
    let remarks: Vec<String> =
        file.remarks.iter().map(|remark| format!("{name}, line {}: {}", remark.line, remark.text)).collect();
    let mut body = head(name, "The jobs of", choices);
    body.push_str(&format!("\ntitle = {}\n", quoted(&format!("The jobs of {name}"))));
    let on_files = file.jobs.iter().any(|job| matches!(job.work, FioWork::Files(_)));
    if on_files {
        body.push_str(HOST);
    }
    body.push_str(&messages::between(&file));
    let disks = disks_of(&file);
    for (device, called) in &disks {
        if let Some(instead) = no_disk(device) {
            body.push_str(&format!("\n[disk.{called}]              # {device}\n{instead}"));
            continue;
        }
        let device = device.replace(['\n', '\r'], " ");
        body.push_str(&format!(
            "\n[disk.{called}]              # {device}, which jobs ask directly\nmodel = \"@DRIVE@\"\n"
        ));
    }
    let mut names = BTreeSet::new();
    let called = |job: &FioJob| {
        let mut called = plain(&job.name);
        while !names.insert(called.clone()) {
            called.push('-');
        }
        Some(called)
    };
    let called: Vec<Option<String>> = file.jobs.iter().map(called).collect();
    for (job, name) in file.jobs.iter().zip(&called) {
        let on = match &job.work {
            FioWork::Files(_) => "\"data\"".to_owned(),
            FioWork::Messages { wire, .. } => messages::ends(*wire),
            FioWork::Device { devices, .. } => {
                let part = |device: &String| disks.iter().find(|(known, _)| known == device);
                format!("[{}]", list(devices.iter().filter_map(part).map(|(_, part)| part)))
            }
        };
        let workload = workload_toml(job, &called);
        let (kind, rest) = workload.split_once('\n').unwrap_or((&workload, ""));
        let name = name.as_deref().unwrap_or_default();
        body.push_str(&format!(
            "\n[workload.{name}]              # line {}\n{kind}\non = {on}\n{rest}",
            job.line
        ));
    }
    large_enough(&body, choices, remarks)
}

/// What was made, on a larger drive than the usual one where nobody has chosen one and the jobs don't fit on it.
fn large_enough(body: &str, choices: &Choices, mut remarks: Vec<String>) -> Result<Made, Problems> {
    let usual = finished(&complete(body, choices), remarks.clone(), &Inputs::none());
    let problems = match usual {
        Err(problems) if choices.drive.is_none() => problems,
        made => return made,
    };
    let larger = Choices { drive: Some(LARGE_DRIVE.to_owned()), ..choices.clone() };
    remarks.push(format!("the jobs don't fit on a {DRIVE}: on a {LARGE_DRIVE} they do"));
    finished(&complete(body, &larger), remarks, &Inputs::none()).map_err(|_| problems)
}

/// iozone's tests, each after the one before: a workload for each column of its table.
fn from_iozone(name: &str, text: &str, choices: &Choices) -> Result<Made, Problems> {
    let run: Iozone = text.parse().map_err(|error: petrio_workload::iozone::IozoneError| {
        Problems::new(name, vec![Problem::error(format!("{name}: {error}")).maybe_help(error.help)])
    })?;
    let mut body = head(name, "iozone's tests of", choices);
    body.push_str(&format!("\ntitle = {}\n{HOST}", quoted(&format!("iozone's tests of {name}"))));
    let mut before: Option<&str> = None;
    for test in &run.tests {
        body.push_str(&format!("\n[workload.{}]\nkind = \"files\"\non = \"data\"\n", test.name));
        if let Some(before) = before.replace(&test.name) {
            body.push_str(&format!("after = [{}]\n", quoted(before)));
        }
        // A struct of numbers and words is a table; what wasn't would be missed by whoever reads this.
        for (key, value) in toml::Table::try_from(&test.parameters).unwrap_or_default() {
            body.push_str(&format!("{key} = {value}\n"));
        }
    }
    let remarks = run.remarks.iter().map(|remark| format!("{name}: {remark}")).collect();
    finished(&complete(&body, choices), remarks, &Inputs::none())
}

fn from_requests(
    mut reader: TraceReader,
    (name, path): (&str, &str),
    choices: &Choices,
    inputs: &Inputs,
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
    finished(&text, Vec::new(), inputs)
}

/// A job of which Darshan counted what it did, and traced nothing.
fn from_counted(
    job: &CountedJob,
    (name, path): (&str, &str),
    choices: &Choices,
    inputs: &Inputs,
) -> Result<Made, Problems> {
    let mut body = head(name, "The program that Darshan counted in", choices);
    let (read, written) = (bytes(job.bytes.0), bytes(job.bytes.1));
    body.push_str(&format!(
        "#\n# It is counted alike: opens, reads, writes and syncs of each file and rank, their bytes and sizes, how many lie in sequence. Which\n\
         # ranks did what to a file that all share, where in it, and when exactly, Darshan doesn't say: that is guessed.\n\ntitle = {}\n{HOST}",
        quoted(&format!("The program that Darshan counted in {name}"))
    ));
    let command: String = job.command.chars().filter(|letter| !letter.is_control()).take(90).collect();
    body.push_str(&format!(
        "\n# {command}\n# It ran for {:.1} s, and read {read} and wrote {written} of {}.\n[workload.job]\nkind = \"parallel\"\non = \"data\"\n\
         ranks = {}\nprogram.kind = \"darshan\"\nprogram.file = {}\nprogram.gaps = \"think\"           # what is between calls: \"compute\" \
         keeps a processor busy\nprogram.time_scale = 1.0         # 0 for none: as fast as the storage lets it\n",
        job.run_time_s,
        counted(job.files, "file", "files"),
        job.ranks,
        quoted(path),
    ));
    let remarks = job.remarks.iter().map(|remark| format!("{name}: {remark}")).collect();
    let made = finished(&complete(&body, choices), remarks, inputs);
    match made {
        // What many nodes read and wrote together may be more than one usual drive holds.
        Err(_) if choices.drive.is_none() => {
            let larger = Choices { drive: Some(LARGE_DRIVE.to_owned()), ..choices.clone() };
            let remarks = job.remarks.iter().map(|remark| format!("{name}: {remark}")).collect();
            finished(&complete(&body, &larger), remarks, inputs).or(made)
        }
        made => made,
    }
}

fn from_events((name, path): (&str, &str), choices: &Choices, inputs: &Inputs) -> Result<Made, Problems> {
    let mut body = head(name, "The calls of", choices);
    body.push_str(&format!("\ntitle = {}\n{HOST}", quoted(&format!("The calls of {name}"))));
    body.push_str(&format!(
        "\n[workload.replay]\nkind = \"events\"\non = \"data\"\nfile = {}\n\
         replay = \"closed\"               # each call follows the one before after its think time; \"open\" keeps the times\n",
        quoted(path)
    ));
    finished(&complete(&body, choices), Vec::new(), inputs)
}
