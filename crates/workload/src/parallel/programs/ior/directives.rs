//! IOR's directives: what stands behind -O, by names instead of letters, several of them with commas between.
//!
//! Source: IOR 4.0, src/parse_options.c (DecodeDirective, ParseLine): names without regard to upper and lower case.

use super::command::{api, refuse};
use super::options::IorOptions;
use crate::parallel::programs::command_line as words;
use crate::program::ProgramError;

/// What changes no access: where results go, what is written and whether it is compared, and what happens after errors. The file
/// of a stonewall's status tells a run how much another has written: what is read here knows it from what wrote before it.
const WITHOUT_EFFECT: [&str; 17] = [
    "summaryfile",
    "summaryformat",
    "summaryalways",
    "saverankperformancedetailscsv",
    "saveperopdatacsv",
    "refnum",
    "debug",
    "platform",
    "testfile",
    "stonewallingstatusfile",
    "outlierthreshold",
    "verbose",
    "datapackettype",
    "keepfilewitherror",
    "singlexferattempt",
    "warningaserrors",
    "reordertasksrandomseed",
];

/// What is refused unless it is zero, with the reason.
const REFUSED: [(&str, &str); 9] = [
    ("numtasks", "how many ranks there are is said by `ranks`"),
    ("numnodes", "on how many hosts ranks lie is said by `on`"),
    ("numtasksonnode0", "on which hosts ranks lie is said by `on`"),
    (
        "reordertasksrandom",
        "the order of the ranks that read is drawn; reorderTasks moves them by whole hosts",
    ),
    ("dualmount", "every other rank would use another mount"),
    ("mintimeduration", "what is written would be written again until the time is over"),
    ("interiodelay", "ranks would wait between accesses"),
    ("memorypertask", "it takes memory from the page cache; make the machine's `memory` smaller"),
    ("memorypernode", "it takes memory from the page cache; make the machine's `memory` smaller"),
];

fn switched(directive: &str, value: &str) -> Result<bool, ProgramError> {
    match value {
        "1" => Ok(true),
        "0" => Ok(false),
        _ => Err(refuse(format!("{directive}=\"{value}\": it is 1 or 0"))),
    }
}

/// All directives of a list.
pub(super) fn follow(options: &mut IorOptions, list: &str) -> Result<(), ProgramError> {
    list.split(',').try_for_each(|directive| {
        let (name, value) = directive.split_once('=').unwrap_or((directive, ""));
        one(options, name, value)
    })
}

fn one(options: &mut IorOptions, name: &str, value: &str) -> Result<(), ProgramError> {
    let directive = format!("-O {name}");
    let on = || switched(&directive, value);
    match name.to_ascii_lowercase().as_str() {
        "api" => options.api = api(&directive, value)?,
        "useo_direct" => options.direct = on()?,
        "stonewallingwearout" => options.wear_out = on()?,
        "stonewallingwearoutiterations" => {
            options.iterations = words::number(&directive, value)?;
        }
        "deadlineforstonewalling" => options.deadline_seconds = words::number(&directive, value)?,
        "maxtimeduration" => options.limit_minutes = words::number(&directive, value)?,
        "repetitions" => options.repetitions = words::number(&directive, value)?,
        "intertestdelay" => options.delay_seconds = words::number(&directive, value)?,
        "readfile" => options.read |= on()?,
        "checkread" => {
            options.read |= on()?;
            options.check_read = on()?;
        }
        "settimestampsignature" => options.is_signed = value != "0",
        "writefile" => options.write |= on()?,
        "checkwrite" => options.check_write = on()?,
        "multifile" => options.multi_file = on()?,
        "uniquedir" => options.unique_directory = on()?,
        "fileperproc" => options.file_per_process = on()?,
        "taskpernodeoffset" => options.node_offset = words::number(&directive, value)?,
        "reordertasks" | "reordertasksconstant" => options.reorder = on()?,
        "keepfile" => options.keep = on()?,
        "segmentcount" => options.segments = words::size(&directive, value)?,
        "blocksize" => options.block = words::size(&directive, value)?,
        "transfersize" => options.transfer = words::size(&directive, value)?,
        "intratestbarriers" => options.barriers = on()?,
        "collective" => options.collective = on()?,
        "useexistingtestfile" => options.existing = on()?,
        "fsyncperwrite" => options.fsync_per_write = on()?,
        "fsync" => options.fsync = on()?,
        "randomoffset" => options.random = on()?,
        lower if WITHOUT_EFFECT.contains(&lower) => {}
        lower => {
            return match REFUSED.iter().find(|(refused, _)| *refused == lower) {
                Some(_) if value == "0" => Ok(()),
                Some((_, why)) => Err(refuse(format!("{directive} can't be followed: {why}"))),
                None => Err(refuse(format!(
                    "{directive} is no directive that is known here; known are those of IOR's options by name (blockSize, \
                     transferSize, segmentCount, readFile, writeFile, filePerProc, keepFile, fsync, …), useO_DIRECT, \
                     stoneWallingWearOut and stoneWallingWearOutIterations, and without effect {}",
                    WITHOUT_EFFECT.join(", ")
                ))),
            };
        }
    }
    Ok(())
}
