//! fio's command lines, alone or in a shell script: each `--name` begins a job, and options before the first are for all.
//!
//! Of the shell is understood what such lines have: quotes, lines that go on behind a backslash, variables that the script sets
//! and those of the environment, and what ends a command. Loops and conditions are not followed.

use super::ini::{Entry, Reading, Section, put};
use super::{FioError, Surroundings};
use std::collections::BTreeMap;

/// Options of the command itself that take a value, which may stand behind a blank.
const OF_COMMAND: [&str; 11] = [
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
];

/// Whether a text has a command line of fio's: the command, and behind it an option or a job file.
pub fn is_command_line(text: &str) -> bool {
    commands(text).iter().any(|(_, words)| is_fio(words))
}

/// Whether words call fio, with something to do.
fn is_fio(words: &[String]) -> bool {
    position(words)
        .is_some_and(|at| words[at + 1..].iter().any(|word| word.starts_with("--") || word.ends_with(".fio")))
}

/// Where the command stands among words: behind `sudo` and others that call it.
fn position(words: &[String]) -> Option<usize> {
    words.iter().position(|word| word == "fio" || word.ends_with("/fio"))
}

/// Lines as commands: each with its number and its words.
pub(crate) fn commands(text: &str) -> Vec<(u32, Vec<String>)> {
    let mut found = Vec::new();
    let (mut whole, mut begun) = (String::new(), 1);
    for (index, line) in text.lines().enumerate() {
        let number = u32::try_from(index + 1).unwrap_or(u32::MAX);
        if whole.is_empty() {
            begun = number;
        }
        let line = line.trim_end();
        if let Some(part) = line.strip_suffix('\\') {
            whole.push_str(part);
            whole.push(' ');
            continue;
        }
        whole.push_str(line);
        for words in split(&std::mem::take(&mut whole)) {
            found.push((begun, words));
        }
    }
    for words in split(&whole) {
        found.push((begun, words));
    }
    found
}

/// The words of each command of a line.
fn split(line: &str) -> Vec<Vec<String>> {
    let (mut commands, mut words) = (Vec::new(), Vec::new());
    let (mut word, mut has_word, mut quote): (String, bool, Option<char>) = (String::new(), false, None);
    let mut letters = line.chars().peekable();
    // A prompt that was copied with the line.
    let end = |word: &mut String, has_word: &mut bool, words: &mut Vec<String>| {
        if std::mem::take(has_word) {
            words.push(std::mem::take(word));
        }
    };
    while let Some(letter) = letters.next() {
        match (quote, letter) {
            (Some(open), letter) if letter == open => quote = None,
            (Some('\''), letter) => word.push(letter),
            (_, '\\') => {
                if let Some(next) = letters.next() {
                    // A colon that belongs to a name stays marked.
                    if next == ':' {
                        word.push('\\');
                    }
                    word.push(next);
                    has_word = true;
                }
            }
            (Some(_), letter) => word.push(letter),
            (None, '\'' | '"') => (quote, has_word) = (Some(letter), true),
            (None, '#') if !has_word => break,
            (None, letter) if letter.is_whitespace() => end(&mut word, &mut has_word, &mut words),
            (None, ';' | '|' | '&' | '>' | '<') => {
                // A number before it is that of a stream.
                if letter == '>' && word.bytes().all(|byte| byte.is_ascii_digit()) {
                    (word, has_word) = (String::new(), false);
                }
                end(&mut word, &mut has_word, &mut words);
                if !words.is_empty() {
                    commands.push(std::mem::take(&mut words));
                }
            }
            (None, letter) => {
                word.push(letter);
                has_word = true;
            }
        }
    }
    end(&mut word, &mut has_word, &mut words);
    if !words.is_empty() {
        commands.push(words);
    }
    commands
}

/// The variables that a script sets, before those of its surroundings.
struct Shell<'s> {
    around: &'s dyn Surroundings,
    own: BTreeMap<String, String>,
}

impl Surroundings for Shell<'_> {
    fn include(&self, file: &str) -> Result<String, String> {
        self.around.include(file)
    }

    fn variable(&self, name: &str) -> Option<String> {
        // ${NAME:-otherwise}
        let (name, otherwise) = name.split_once(":-").map_or((name, None), |(name, rest)| (name, Some(rest)));
        let found = self.own.get(name).cloned().or_else(|| self.around.variable(name));
        found.or_else(|| otherwise.map(str::to_owned))
    }
}

impl Shell<'_> {
    /// A word with the values of `$NAME` in their place; those in braces are left for whoever reads the option.
    fn expanded(&self, word: &str) -> String {
        let (mut whole, mut rest) = (String::new(), word);
        while let Some((before, behind)) = rest.split_once('$') {
            whole.push_str(before);
            let fine = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
            let end = behind.find(|letter: char| !fine(letter)).unwrap_or(behind.len());
            let (name, after) = behind.split_at(end);
            let is_keyword = ["pagesize", "mb_memory", "ncpus"].contains(&name);
            match self.variable(name).filter(|_| !name.is_empty() && !is_keyword) {
                Some(value) => whole.push_str(&value),
                None if name.is_empty() || is_keyword => {
                    whole.push('$');
                    whole.push_str(name);
                }
                None => whole.push_str(&format!("${{{name}}}")),
            }
            rest = after;
        }
        whole.push_str(rest);
        whole
    }
}

/// The jobs of all command lines of a text. Those of a later command begin when those before are over.
pub(super) fn sections(text: &str, around: &dyn Surroundings) -> Result<Vec<Section>, FioError> {
    let mut shell = Shell { around, own: BTreeMap::new() };
    let mut jobs: Vec<Section> = Vec::new();
    for (line, words) in commands(text) {
        let words: Vec<String> = words.iter().map(|word| shell.expanded(word)).collect();
        if !is_fio(&words) {
            for word in &words {
                let word = word.strip_prefix("export ").unwrap_or(word);
                if let Some((name, value)) = word.split_once('=')
                    && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
                {
                    shell.own.insert(name.to_owned(), value.to_owned());
                }
            }
            continue;
        }
        let Some(at) = position(&words) else { continue };
        // Variables for this command alone.
        for word in &words[..at] {
            if let Some((name, value)) = word.split_once('=') {
                shell.own.insert(name.to_owned(), value.to_owned());
            }
        }
        let mut made = command(&words[at + 1..], line, &shell)?;
        if let Some(first) = made.first_mut().filter(|_| !jobs.is_empty()) {
            put(
                &mut first.entries,
                Entry { key: "stonewall".to_owned(), value: String::new(), line, unset: None },
            );
        }
        jobs.append(&mut made);
    }
    Ok(jobs)
}

/// The jobs of one command.
fn command(words: &[String], line: u32, shell: &Shell<'_>) -> Result<Vec<Section>, FioError> {
    let mut reading = Reading::default();
    let mut only: Vec<String> = Vec::new();
    let mut words = words.iter().peekable();
    while let Some(word) = words.next() {
        let Some(option) =
            word.strip_prefix("--").or_else(|| word.strip_prefix('-').filter(|rest| rest.len() > 1))
        else {
            let text = shell.include(word).map_err(|why| {
                let help = "a job file stands beside the script, or write its options into the line";
                FioError::at(line, format!("the job file {word} can't be read: {why}")).with_help(help)
            })?;
            reading.text(&text, shell, Some((line, 1)))?;
            continue;
        };
        let (key, value) =
            option.split_once('=').map_or((option, None), |(key, value)| (key, Some(value.to_owned())));
        let takes_next = |next: &&String| !next.starts_with('-') && !next.ends_with(".fio");
        let value = match value {
            Some(value) => Some(value),
            None => words.next_if(|next| takes_next(next)).cloned(),
        };
        match key {
            "name" => {
                let name = value.unwrap_or_default();
                if name.is_empty() {
                    return Err(FioError::at(line, "--name is followed by a job's name: --name=job1"));
                }
                reading.begin(&name, line);
            }
            "section" => only.extend(value),
            key if OF_COMMAND.contains(&key) => {}
            key => {
                let text = value.map_or_else(|| key.to_owned(), |value| format!("{key}={value}"));
                let entry = Entry::of(&text, line, shell);
                match reading.jobs.last_mut() {
                    Some(job) => put(&mut job.entries, entry),
                    None => put(&mut reading.global, entry),
                }
            }
        }
    }
    if !only.is_empty() {
        reading.jobs.retain(|job| only.contains(&job.name));
    }
    if reading.jobs.is_empty() {
        let problem = "the command line has no job";
        return Err(FioError::at(line, problem).with_help("write --name=job1 before its options"));
    }
    Ok(reading.jobs)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fio::{FioFile, FioWork, Nothing};

    #[test]
    fn a_command_line_is_its_jobs() {
        let text = "#!/bin/sh\nDEV=/dev/sdb\n# warm up\nsudo fio --filename=$DEV --direct=1 --ioengine=libaio \\\n  --name=a --rw=randread \
                    --iodepth=8 --name b --rw write --bs 1m > out.txt 2>&1\nfio --name=c --rw=read --size='64m' | tee x\n";
        assert!(is_command_line(text));
        let file = FioFile::read(text, &Nothing).expect("it can be read");
        let names: Vec<&str> = file.jobs.iter().map(|job| job.name.as_str()).collect();
        assert_eq!(names, ["a", "b", "c"]);
        assert_eq!(file.jobs[2].after, [0, 1], "a command begins when the one before is over");
        assert!(matches!(&file.jobs[1].work, FioWork::Device { devices, .. } if devices == &["/dev/sdb"]));
        assert_eq!(file.jobs[0].work.parameters().in_flight, 8);
        assert_eq!(file.jobs[1].work.parameters().bounds().0, 1 << 20);
    }

    #[test]
    fn what_calls_no_fio_is_no_command_line() {
        for text in ["fio is a tool", "[disk.d]\nmodel = \"fio\"", "echo fio", "", "ior --fio"] {
            assert!(!is_command_line(text), "{text}");
        }
    }
}
