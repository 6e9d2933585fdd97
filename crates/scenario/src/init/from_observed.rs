//! A scenario of what `iostat` or `sar` observed: on each disk as many requests as were there, of the same lengths.

use super::from_file::{complete, head, quoted};
use super::{Choices, Made, finished};
use crate::fio::plain;
use crate::text::{Problem, Problems};
use petrio_files::inputs::Inputs;
use petrio_page::numbers::counted;
use petrio_workload::observed::{Observed, ObservedDisk, ObservedError};
use std::collections::BTreeSet;

/// A drive whose name begins with nvme, where nobody says which.
const NVME_DRIVE: &str = "intel-dc-p4510-2tb";

/// The disks of a report, each with its load, which comes whether the disk keeps up or not.
pub(super) fn from_observed(name: &str, text: &str, choices: &Choices) -> Result<Made, Problems> {
    let observed: Observed = text.parse().map_err(|error: ObservedError| {
        Problems::new(name, vec![Problem::error(format!("{name}, {error}")).maybe_help(error.help)])
    })?;
    let mut body = head(name, "The load that was observed in", choices);
    body.push_str(&format!(
        "#\n# It is the mean of {}. Where requests lie isn't told by it, and how they come: they are taken to lie all over the disk\n\
         # (sequential_fraction says how many go on where another ended), and to come at random.\n\ntitle = {}\n",
        counted(u64::from(observed.reports), "report", "reports"),
        quoted(&format!("The load that was observed in {name}"))
    ));
    let mut remarks =
        vec![format!("{name}: where requests lie isn't told: they are taken to lie all over the disk")];
    if observed.since_start {
        remarks.push(format!("{name}: its only report is of all the time since the machine was started; iostat -xk 10 2 has another"));
    }
    let mut names = BTreeSet::new();
    for disk in &observed.disks {
        let mut called = plain(&disk.name);
        while !names.insert(called.clone()) {
            called.push('-');
        }
        body.push_str(&load(disk, &called, choices));
    }
    finished(&complete(&body, choices), remarks, &Inputs::none())
}

/// A disk with what it is asked for, and what was observed of it beside.
fn load(disk: &ObservedDisk, called: &str, choices: &Choices) -> String {
    // Linux' names tell no more of a drive than this.
    let is_nvme = disk.name.starts_with("nvme") && choices.drive.is_none();
    let model = if is_nvme { NVME_DRIVE } else { "@DRIVE@" };
    let seen = [
        disk.await_ms.map(|mean| format!("{mean:.2} ms a request")),
        disk.under_way.map(|mean| format!("{mean:.2} under way")),
        disk.busy_percent.map(|part| format!("{part:.0} % busy")),
    ];
    let seen: Vec<String> = seen.into_iter().flatten().collect();
    let seen = if seen.is_empty() { "nothing more was told".to_owned() } else { seen.join(", ") };
    let mut text = format!(
        "\n[disk.{called}]\nmodel = \"{model}\"\n\n# Observed: {seen}.\n[workload.{called}]\nkind = \"synthetic\"\non = \"{called}\"\n\
         duration = \"60 s\"\n"
    );
    for (rate, bytes, read) in
        [(disk.reads_per_s, disk.read_bytes(), 1), (disk.writes_per_s, disk.written_bytes(), 0)]
    {
        let Some(bytes) = bytes else { continue };
        text.push_str(&format!(
            "\n[[workload.{called}.generators]]\nread_fraction = {read}\ninter_arrival = {{ exponential = {{ mean = \"{:.3} us\" }} }}   \
             # {rate:.2}/s\nsize = \"{bytes} B\"\nalignment = \"512 B\"\n",
            1e6 / rate
        ));
    }
    text
}
