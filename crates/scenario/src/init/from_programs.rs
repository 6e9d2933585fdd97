//! A scenario of IOR's, mdtest's and IO500's command lines in a job script, or of IO500's file of settings.

use super::from_file::{complete, head, quoted};
use super::{Choices, Made, finished};
use crate::fio::Beside;
use crate::text::{Problem, Problems};
use petrio_files::inputs::Inputs;
use petrio_units::Bytes;
use petrio_workload::parallel::{Io500File, ScriptProgram, job_script};
use petrio_workload::program::ProgramError;

/// Where nothing says how many ranks there are.
const RANKS: u32 = 4;

/// How much each phase of IO500 can do at most: the settings' own amounts are such that only the clock ends it, and files that might be
/// made have numbers here before they are.
const EASY_BLOCK_MAX: Bytes = Bytes::from_mib(64 << 10);
const HARD_SEGMENTS_MAX: u64 = 500_000;
const FILES_MAX: u64 = 50_000;

const LARGE_DRIVE: &str = "seagate-exos-x24-24tb";

fn problem(name: &str, error: &ProgramError) -> Problems {
    let advice = miette::Diagnostic::help(error).map(|help| help.to_string());
    Problems::new(name, vec![Problem::error(format!("{name}: {error}")).maybe_help(advice)])
}

/// A program as a workload's table, and what of it isn't played.
fn io500(name: &str, text: &str) -> Result<(String, Vec<String>), Problems> {
    let Io500File { mut parameters, remarks } = text.parse().map_err(|error| problem(name, &error))?;
    let mut remarks: Vec<String> = remarks.into_iter().map(|remark| format!("{name}, {remark}")).collect();
    let was = parameters.clone();
    let multiple =
        EASY_BLOCK_MAX.get() / parameters.ior_easy_transfer.get().max(1) * parameters.ior_easy_transfer.get();
    parameters.ior_easy_block =
        parameters.ior_easy_block.min(Bytes(multiple.max(parameters.ior_easy_transfer.get())));
    parameters.ior_hard_segments = parameters.ior_hard_segments.min(HARD_SEGMENTS_MAX);
    parameters.mdtest_easy_files = parameters.mdtest_easy_files.min(FILES_MAX);
    parameters.mdtest_hard_files = parameters.mdtest_hard_files.min(FILES_MAX);
    if parameters != was {
        remarks.push(format!(
            "{name}: a phase ends with {} a rank of ior-easy, {} segments of ior-hard, {} and {} files of mdtest, if the clock doesn't \
             end it before: more can be written into the scenario",
            parameters.ior_easy_block, parameters.ior_hard_segments, parameters.mdtest_easy_files, parameters.mdtest_hard_files
        ));
    }
    let mut table = "program.kind = \"io500\"\n".to_owned();
    // A struct of numbers and words is a table; what wasn't would be missed by whoever reads this.
    for (key, value) in toml::Table::try_from(&parameters).unwrap_or_default() {
        table.push_str(&format!("program.{key} = {value}\n"));
    }
    Ok((table, remarks))
}

/// IO500's settings: the set on a file system, of a few ranks.
pub(super) fn from_io500(name: &str, text: &str, choices: &Choices) -> Result<Made, Problems> {
    let (table, mut remarks) = io500(name, text)?;
    remarks.push(format!("{name}: how many ranks there are isn't told by it: {RANKS}"));
    let workloads =
        vec![("io500".to_owned(), RANKS, table, "ranks are its launcher's: mpirun -np".to_owned())];
    written(name, "IO500 as it is set in", &workloads, remarks, choices)
}

/// The programs that a script runs, one after the other.
pub(super) fn from_script(
    name: &str,
    text: &str,
    choices: &Choices,
    around: &Beside<'_>,
) -> Result<Made, Problems> {
    let script = job_script(text);
    let mut remarks: Vec<String> = script.remarks.iter().map(|remark| format!("{name}, {remark}")).collect();
    let mut workloads = Vec::new();
    for (number, command) in (1..).zip(&script.commands) {
        let line = format!("line {}", command.line);
        let (kind, table) = match &command.program {
            ScriptProgram::Ior(line) => {
                ("ior", format!("program.kind = \"ior\"\nprogram.command = {}\n", quoted(line)))
            }
            ScriptProgram::Mdtest(line) => {
                ("mdtest", format!("program.kind = \"mdtest\"\nprogram.command = {}\n", quoted(line)))
            }
            ScriptProgram::Io500(file) => {
                let path = around.folder.map_or_else(|| file.into(), |folder| folder.join(file));
                let Ok(text) = crate::text::file::text_of(around.inputs, &path) else {
                    remarks.push(format!("{name}, {line}: {file} can't be read: IO500 is left out"));
                    continue;
                };
                let (table, told) = io500(file, &text)?;
                remarks.extend(told);
                ("io500", table)
            }
        };
        let called = if script.commands.len() == 1 { kind.to_owned() } else { format!("{kind}-{number}") };
        workloads.push((called, command.ranks, table, line));
    }
    written(name, "The programs that run in", &workloads, remarks, choices)
}

/// The scenario of programs that run one after the other, each with its ranks and where it is from.
fn written(
    name: &str,
    what: &str,
    workloads: &[(String, u32, String, String)],
    remarks: Vec<String>,
    choices: &Choices,
) -> Result<Made, Problems> {
    let mut body = head(name, what, choices);
    body.push_str(&format!("\ntitle = {}\n{}", quoted(&format!("{what} {name}")), super::from_file::HOST));
    let mut before: Option<&str> = None;
    for (called, ranks, table, from) in workloads {
        body.push_str(&format!("\n[workload.{called}]              # {from}\nkind = \"parallel\"\non = \"data\"\nranks = {ranks}\n"));
        if let Some(before) = before.replace(called) {
            body.push_str(&format!("after = [{}]\n", quoted(before)));
        }
        body.push_str(table);
    }
    match finished(&complete(&body, choices), remarks.clone(), &Inputs::none()) {
        Err(problems) if choices.drive.is_none() => {
            // What many ranks write may be more than the usual drive holds.
            let larger = Choices { drive: Some(LARGE_DRIVE.to_owned()), ..choices.clone() };
            finished(&complete(&body, &larger), remarks, &Inputs::none()).map_err(|_| problems)
        }
        made => made,
    }
}
