//! What benchmarks' command lines have in common: a text that means options, its words, sizes and numbers.

use super::launcher::{self, Launch};
use crate::program::ProgramError;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

/// The options that a command line means.
pub trait Options: Sized {
    /// The name under which the text is known in schemas.
    const NAME: &'static str;

    /// What the text means.
    ///
    /// # Errors
    /// An option that isn't known, that can't be followed here, or that makes no sense.
    fn read(text: &str) -> Result<Self, ProgramError>;
}

/// A command line: its text, and what it means.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String", bound = "O: Options + Clone")]
pub struct CommandLine<O> {
    text: String,
    options: O,
}

impl<O> CommandLine<O> {
    /// What it means.
    pub const fn options(&self) -> &O {
        &self.options
    }
}

impl<O> fmt::Display for CommandLine<O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl<O> From<CommandLine<O>> for String {
    fn from(command: CommandLine<O>) -> Self {
        command.text
    }
}

impl<O: Options> TryFrom<String> for CommandLine<O> {
    type Error = ProgramError;

    fn try_from(text: String) -> Result<Self, ProgramError> {
        text.parse()
    }
}

impl<O: Options> FromStr for CommandLine<O> {
    type Err = ProgramError;

    fn from_str(text: &str) -> Result<Self, ProgramError> {
        Ok(Self { options: O::read(text)?, text: text.trim().to_owned() })
    }
}

impl<O: Options> JsonSchema for CommandLine<O> {
    fn inline_schema() -> bool {
        String::inline_schema()
    }

    fn schema_name() -> Cow<'static, str> {
        O::NAME.into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        String::json_schema(generator)
    }
}

/// The longest command line: a person has written it.
const COMMAND_BYTES_MAX: usize = 1 << 12;

pub(super) fn refuse<T>(problem: impl Into<String>) -> Result<T, ProgramError> {
    Err(ProgramError::parameter("command", problem))
}

/// A command line without what stands before the program's options.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Launched<'text> {
    /// The words after the program's name.
    pub(super) words: Vec<&'text str>,
    /// What a launcher before it was told.
    pub(super) launch: Launch,
}

/// What job scripts have before a command, without it becoming another.
const RUN_BY: [&str; 6] = ["time", "nohup", "exec", "sudo", "nice", "env"];

/// Whether a word of a shell ends a command: a comment, where its output goes, the next command.
fn ends_command(word: &str) -> bool {
    let redirected = word.trim_start_matches(|first: char| first.is_ascii_digit() || first == '&');
    word.starts_with('#')
        || redirected.starts_with(['>', '<'])
        || matches!(word, "|" | "||" | "&" | "&&" | ";")
}

fn stem(word: &str) -> &str {
    word.rsplit('/').next().unwrap_or(word)
}

/// The words after the program's name, which may stand at a path and behind a launcher.
pub(super) fn launched<'text>(program: &str, text: &'text str) -> Result<Launched<'text>, ProgramError> {
    if text.len() > COMMAND_BYTES_MAX {
        return refuse(format!("it is longer than {COMMAND_BYTES_MAX} bytes"));
    }
    // What is set in the environment for the launcher, and who runs it, changes nothing here.
    let is_setting = |word: &str| !word.starts_with('-') && word.contains('=');
    let is_before = |word: &&str| is_setting(word) || RUN_BY.contains(&stem(word)) || *word == "-p";
    let words = text.split_whitespace().take_while(|word| !ends_command(word)).filter(|word| *word != "\\");
    let mut words: Vec<&str> = words.skip_while(is_before).collect();
    let at = words.iter().position(|word| stem(word).eq_ignore_ascii_case(program));
    match at {
        Some(at) => {
            let after = words.split_off(at + 1);
            words.pop();
            let launch = match words.is_empty() {
                true => Some(Ok(Launch::default())),
                false => Launch::read(&words),
            };
            launch.map(|launch| Ok(Launched { words: after, launch: launch? }))
        }
        None => None,
    }
    .unwrap_or_else(|| {
        refuse(format!(
            "it begins with the program's name, or a launcher's ({}): \"{program} …\"",
            launcher::names()
        ))
    })
}

/// The words after a program's name in a line that runs it, and what its launcher was told.
///
/// # Errors
/// A line that doesn't begin with the program, a launcher or what runs either; a launcher's word that makes no sense.
pub fn launched_program<'text>(
    program: &str,
    text: &'text str,
) -> Result<(Vec<&'text str>, Launch), ProgramError> {
    launched(program, text).map(|launched| (launched.words, launched.launch))
}

/// An option as the command line has it.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Given<'text> {
    /// A letter, without a value or with one.
    Short(char, Option<&'text str>),
    /// A word after two dashes.
    Long(&'text str, Option<&'text str>),
}

/// The options that words mean (IOR's src/option.c): letters that have a value take it from behind an equals sign, from what
/// follows in their word, or from the next one; letters that have none stand together.
pub(super) fn given<'text>(
    program: &str,
    words: &[&'text str],
    (letters_with_value, words_with_value): (&str, &[&str]),
) -> Result<Vec<Given<'text>>, ProgramError> {
    let mut all = Vec::new();
    let mut words = words.iter().copied();
    while let Some(word) = words.next() {
        if let Some(long) = word.strip_prefix("--") {
            let (name, mut value) = match long.split_once('=') {
                Some((name, value)) => (name, Some(value)),
                None => (long, None),
            };
            if value.is_none() && words_with_value.contains(&name) {
                value = Some(words.next().map_or_else(|| refuse(format!("--{name} needs a value")), Ok)?);
            }
            all.push(Given::Long(name, value));
            continue;
        }
        let Some(letters) = word.strip_prefix('-').filter(|letters| !letters.is_empty()) else {
            return refuse(format!("\"{word}\" is no option of {program}: these begin with a dash"));
        };
        for (at, letter) in letters.char_indices() {
            let rest = &letters[at + letter.len_utf8()..];
            let behind = rest.strip_prefix('=');
            if takes_value(letters_with_value, letter) {
                let value = behind.or((!rest.is_empty()).then_some(rest)).or_else(|| words.next());
                all.push(Given::Short(
                    letter,
                    Some(value.map_or_else(|| refuse(format!("-{letter} needs a value")), Ok)?),
                ));
                break;
            }
            // A switch may be given a number, too.
            all.push(Given::Short(letter, behind));
            if behind.is_some() {
                break;
            }
        }
    }
    Ok(all)
}

/// Whether a switch is on, which may have been given a number.
pub(super) fn is_on(option: &str, value: Option<&str>) -> Result<bool, ProgramError> {
    match value {
        None => Ok(true),
        Some(value) => Ok(number::<i64>(option, value)? > 0),
    }
}

/// A size, with k, m, g or t for powers of 1024; what stands behind such a letter (MiB, MB) IOR doesn't look at, either.
pub(super) fn size(option: &str, text: &str) -> Result<u64, ProgramError> {
    let at = text.find(|letter: char| letter.is_ascii_alphabetic()).unwrap_or(text.len());
    let (digits, unit) = text.split_at(at);
    let unit = unit.to_ascii_lowercase();
    let shift = match unit.strip_suffix("ib").or_else(|| unit.strip_suffix('b')).unwrap_or(&unit) {
        "" => 0,
        "k" => 10,
        "m" => 20,
        "g" => 30,
        "t" => 40,
        _ => return refuse(format!("{option} {text}: a size is a number, with k, m, g or t")),
    };
    let count: u64 = number(option, digits)?;
    match count.checked_mul(1 << shift).filter(|&size| size <= i64::MAX as u64) {
        Some(size) => Ok(size),
        None => refuse(format!("{option} {text} is more than 8 EiB")),
    }
}

/// A whole number.
pub(super) fn number<N: FromStr>(option: &str, text: &str) -> Result<N, ProgramError> {
    text.parse().or_else(|_| refuse(format!("{option}: \"{text}\" is no whole number that it can have")))
}

/// Whether an option has a value.
fn takes_value(options: &str, letter: char) -> bool {
    options.contains(letter)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn what_starts_a_program_is_taken_away() {
        for (text, ranks) in [
            ("ior -w", None),
            ("/opt/bin/ior -w", None),
            ("mpirun -np 4 ior -w", Some(4)),
            ("mpiexec -n 8 --bind-to core ./ior -w", Some(8)),
            ("mpirun -np 4 ./IOR -w   # warm", Some(4)),
            ("time mpirun -np 4 ior -w > out.txt 2>&1", Some(4)),
            ("/usr/bin/time -p mpirun -np 4 \\\n ior -w | tee out", Some(4)),
            ("sudo ior -w &", None),
            ("OMP_NUM_THREADS=1 /usr/bin/srun -N 2 --ntasks=16 -c 4 ior -w", Some(16)),
        ] {
            let launched = launched("ior", text).unwrap();
            assert_eq!((launched.words, launched.launch.ranks), (vec!["-w"], ranks), "{text}");
        }
        for text in ["", "mpirun -np 4", "# ior -w", "strace ior", "mpirun -np many ior"] {
            assert!(launched("ior", text).is_err(), "{text}");
        }
    }

    #[test]
    fn sizes_have_the_units_that_people_write() {
        let megabytes = ["64m", "64M", "64MiB", "64MB", "64mb"].map(|text| size("-b", text).unwrap());
        assert_eq!(megabytes, [64 << 20; 5]);
        assert_eq!((size("-b", "47008").unwrap(), size("-b", "47008B").unwrap()), (47_008, 47_008));
        assert!(["", "m", "64x", "6m4", "1mm", "64 MiB"].iter().all(|text| size("-b", text).is_err()));
    }

    #[test]
    fn options_are_split_as_ior_splits_them() {
        let words = ["-wt1m", "-b=4m", "-s", "3", "-F=0", "--one=1", "--two", "2", "--three"];
        let expected = [
            Given::Short('w', None),
            Given::Short('t', Some("1m")),
            Given::Short('b', Some("4m")),
            Given::Short('s', Some("3")),
            Given::Short('F', Some("0")),
            Given::Long("one", Some("1")),
            Given::Long("two", Some("2")),
            Given::Long("three", None),
        ];
        assert_eq!(given("ior", &words, ("tbs", &["two"])).unwrap(), expected);
        assert!(given("ior", &["-t"], ("t", &[])).is_err());
        assert!(given("ior", &["x"], ("t", &[])).is_err());
        assert!(is_on("-F", None).unwrap() && !is_on("-F", Some("0")).unwrap());
    }
}
