//! fio's command lines, alone or in a shell script: each `--name` begins a job, and options before the first are for all.
//!
//! A script is followed as a shell would follow it (`shell`). Where that finds no call of fio's, the text may still hold some:
//! behind a prompt, in a list of words, in a mail (`loose`).

use super::ini::{Entry, Reading, Section, put};
use super::loose::loose;
use super::{FioError, FioRemark, Surroundings};
use crate::shell::{Around, Call, Script, script};
use std::collections::BTreeMap;

/// Options of the command itself that take a value, which may stand behind a blank.
const OF_COMMAND: [&str; 12] = [
    "output",
    "output-format",
    "section",
    "status-interval",
    "eta",
    "eta-newline",
    "debug",
    "alloc-size",
    "aux-path",
    "max-jobs",
    "runtime-report",
    "client",
];
/// Options of the command itself that take none.
const SWITCHES: [&str; 8] = [
    "minimal",
    "readonly",
    "append-terse",
    "showcmd",
    "parse-only",
    "latency-log",
    "warnings-fatal",
    "terse",
];
/// Options by which a call is known for one of fio's.
const TELLING: [&str; 16] = [
    "name",
    "filename",
    "directory",
    "rw",
    "readwrite",
    "bs",
    "blocksize",
    "ioengine",
    "iodepth",
    "size",
    "filesize",
    "runtime",
    "numjobs",
    "direct",
    "randrepeat",
    "section",
];
/// Commands that only speak of fio.
pub(super) const SPEAKING: [&str; 16] = [
    "echo", "printf", "install", "apt", "apt-get", "yum", "dnf", "man", "which", "command", "grep", "pkill",
    "killall", "pgrep", "cat", "tee",
];
/// How job files end.
const JOB_FILES: [&str; 6] = [".fio", ".job", ".ini", ".conf", ".cfg", ".jobfile"];

/// Whether a text has a command line of fio's: the command, and behind it an option or a job file.
pub fn is_command_line(text: &str) -> bool {
    !calls(text, &super::Nothing).calls.is_empty()
}

/// What a text calls of fio's.
fn calls(text: &str, around: &dyn Surroundings) -> Script {
    let processors =
        around.keywords().iter().find(|(word, _)| *word == "$ncpus").map_or(1, |(_, count)| *count);
    let variable = |name: &str| around.variable(name);
    let around = Around { variable: &variable, processors, program: "fio", is_call: &|words| is_fio(words) };
    let found = script(text, &around);
    if !found.calls.is_empty() {
        return found;
    }
    let mut all = Script::default();
    for (line, piece) in loose(text) {
        let mut found = script(&piece, &around);
        found.calls.iter_mut().for_each(|call| call.line = line);
        all.calls.append(&mut found.calls);
    }
    all
}

/// Whether words call fio, with something to do.
fn is_fio(words: &[String]) -> bool {
    if words.first().is_some_and(|first| first.starts_with("log") || SPEAKING.contains(&first.as_str())) {
        return false;
    }
    let Some(at) = position(words) else { return false };
    if words[..at].iter().any(|word| SPEAKING.contains(&word.as_str())) {
        return false;
    }
    words[at + 1..].iter().any(|word| {
        let option = word.trim_start_matches('-');
        let key = option.split('=').next().unwrap_or_default();
        word.starts_with('-') && TELLING.contains(&key)
            || !word.starts_with('-') && JOB_FILES.iter().any(|end| word.ends_with(end))
            || word == "-" && words.len() == at + 2
    })
}

/// Where the command stands among words: behind `sudo` and others that call it. Of several words that could be it, one with an
/// option behind it is.
fn position(words: &[String]) -> Option<usize> {
    let is_it = |word: &&str| {
        let word =
            word.split_once(":").filter(|(_, tag)| !tag.contains('/')).map_or(*word, |(image, _)| image);
        word == "fio" || word.ends_with("/fio") || word.ends_with("fio.exe")
    };
    let places = || words.iter().enumerate().filter(|(_, word)| is_it(&word.as_str())).map(|(at, _)| at);
    let goes_on = |at: &usize| words.get(at + 1).is_some_and(|next| next.starts_with('-'));
    places().find(goes_on).or_else(|| places().next())
}

/// A script's variables, before those of its surroundings, and the files that it writes.
struct Within<'s> {
    around: &'s dyn Surroundings,
    files: &'s BTreeMap<String, String>,
}

impl Surroundings for Within<'_> {
    fn include(&self, file: &str) -> Result<String, String> {
        self.files.get(file).cloned().map_or_else(|| self.around.include(file), Ok)
    }

    fn variable(&self, name: &str) -> Option<String> {
        self.around.variable(name)
    }
}

/// The jobs of all command lines of a text, and what is to be known of them. Those of a later command begin when those before are
/// over, unless these were left in the background.
pub(super) fn sections(
    text: &str,
    around: &dyn Surroundings,
) -> Result<(Vec<Section>, Vec<FioRemark>), FioError> {
    let script = calls(text, around);
    let within = Within { around, files: &script.files };
    let mut remarks: Vec<FioRemark> = Vec::new();
    let processors =
        around.keywords().iter().find(|(word, _)| *word == "$ncpus").map_or(1, |(_, count)| *count);
    remarks.extend(script.asks_for_processors.iter().map(|&line| FioRemark {
        line,
        text: format!("the machine is taken to have {processors} processors"),
    }));
    if script.is_cut {
        let text = "the script goes on for longer than is followed: what it calls first is played".to_owned();
        remarks.push(FioRemark { line: 1, text });
    }
    let mut jobs: Vec<Section> = Vec::new();
    let mut first_error = None;
    for call in &script.calls {
        match command(call, &within, &mut remarks) {
            Ok(mut made) => {
                if let Some(first) = made.first_mut() {
                    first.is_first_of_call = true;
                }
                if let Some(first) = made.first_mut().filter(|_| !jobs.is_empty() && !call.beside) {
                    put(&mut first.entries, Entry::alone("stonewall", call.line));
                }
                jobs.append(&mut made);
            }
            Err(error) => {
                remarks.push(FioRemark {
                    line: error.line,
                    text: format!("this call is left out: {}", error.problem),
                });
                first_error.get_or_insert(error);
            }
        }
    }
    match first_error {
        Some(error) if jobs.is_empty() => Err(error),
        _ => Ok((jobs, remarks)),
    }
}

/// Whether a word may be the name of a job file.
fn may_be_file(word: &str) -> bool {
    word.contains(['.', '/']) || JOB_FILES.iter().any(|end| word.ends_with(end))
}

/// The jobs of one command.
fn command(call: &Call, around: &Within<'_>, remarks: &mut Vec<FioRemark>) -> Result<Vec<Section>, FioError> {
    let line = call.line;
    let at = position(&call.words).map_or(0, |at| at + 1);
    // docker run --entrypoint fio IMAGE options
    let names_image = at > 1 && call.words[at - 2].ends_with("entrypoint");
    let at = at + usize::from(names_image);
    let mut reading = Reading::default();
    let (mut only, mut files): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
    let mut in_job = false;
    let mut words = call.words.get(at..).unwrap_or_default().iter().peekable();
    while let Some(word) = words.next() {
        if word == "-" {
            files.extend(call.input.as_ref().map(|_| "-".to_owned()));
            continue;
        }
        let Some(option) = word.strip_prefix("--").or_else(|| word.strip_prefix('-')) else {
            if !(word.starts_with("${") && word.ends_with('}')) {
                files.push(word.clone());
            }
            continue;
        };
        let (key, value) =
            option.split_once('=').map_or((option, None), |(key, value)| (key, Some(value.to_owned())));
        let is_file =
            |next: &str| JOB_FILES.iter().any(|end| next.ends_with(end)) || around.files.contains_key(next);
        let value = match value {
            Some(value) => Some(value),
            None if SWITCHES.contains(&key) => None,
            None => words.next_if(|next| !next.starts_with('-') && !is_file(next)).cloned(),
        };
        match key {
            "name" => {
                let name = value.unwrap_or_default();
                if name.is_empty() {
                    return Err(FioError::at(line, "--name is followed by a job's name: --name=job1"));
                }
                in_job = !name.starts_with("global");
                if in_job {
                    reading.begin(&name, line);
                }
            }
            "section" => only.extend(value),
            key if OF_COMMAND.contains(&key) || SWITCHES.contains(&key) => {}
            key => {
                let key = super::known::whole_name(key);
                let text = value.map_or_else(|| key.to_owned(), |value| format!("{key}={value}"));
                let entry = Entry::of(&text, line, around);
                match reading.jobs.last_mut().filter(|_| in_job) {
                    Some(job) => put(&mut job.entries, entry),
                    None => put(&mut reading.global, entry),
                }
            }
        }
    }
    let mut jobs = std::mem::take(&mut reading.jobs);
    read_files(&files, call, around, &mut reading, &mut jobs, remarks)?;
    if !only.is_empty() {
        jobs.retain(|job| only.iter().any(|pattern| crate::shell::matches(pattern, &job.name)));
    }
    if jobs.is_empty() {
        let problem = "the command line has no job";
        return Err(FioError::at(line, problem).with_help("write --name=job1 before its options"));
    }
    Ok(jobs)
}

/// The jobs of a command's files, each file's behind those of the one before.
fn read_files(
    files: &[String],
    call: &Call,
    around: &Within<'_>,
    reading: &mut Reading,
    jobs: &mut Vec<Section>,
    remarks: &mut Vec<FioRemark>,
) -> Result<(), FioError> {
    let line = call.line;
    let mut count = 0;
    for file in files {
        let text = match (file.as_str(), &call.input) {
            ("-", Some(input)) => input.clone(),
            _ => match around.include(file) {
                Ok(text) => text,
                // Half of a name with a blank in it, or a word of the text around.
                Err(_) if !may_be_file(file) => {
                    let text = format!("\"{file}\" is neither an option nor a file: it is left out");
                    remarks.push(FioRemark { line, text });
                    continue;
                }
                Err(why) => {
                    let help = "a job file stands beside the script, or write its options into the line";
                    return Err(FioError::at(line, format!("the job file {file} can't be read: {why}"))
                        .with_help(help));
                }
            },
        };
        if count > 0 {
            // fio takes the line's own options to the first file alone.
            *reading = Reading::default();
        }
        reading.text(&text, around, Some((line, 1)))?;
        let mut own = std::mem::take(&mut reading.jobs);
        if let Some(first) = own.first_mut().filter(|_| count > 0) {
            put(&mut first.entries, Entry::alone("stonewall", line));
        }
        jobs.append(&mut own);
        count += 1;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
