//! mdtest's command line, read.
//!
//! Source: mdtest of IOR 4.0, src/mdtest.c (mdtest_run). What changes no access is accepted and does nothing.

use super::options::MdtestOptions;
use crate::parallel::programs::command_line::{self as words, Given, Options};
use crate::program::ProgramError;

/// Letters with a value, and words with one.
const VALUES: &str = "GIMNVWabdefilnpswxz";
const LONG_VALUES: [&str; 6] = [
    "random-seed",
    "dataPacketType",
    "run-cmd-before-phase",
    "run-cmd-after-phase",
    "saveRankPerformanceDetails",
    "savePerOpDataCSV",
];

/// What changes no access: of its output (-P -q -v -V -Z), of the contents of what is written and whether it is compared (-G -X), of how
/// long making a tree a rank takes (-t), and the file that tells another run how much was made (-x).
const WITHOUT_EFFECT: &str = "GMPVXZdqtvx";
const LONG_WITHOUT_EFFECT: [&str; 8] = [
    "verify-read",
    "random-seed",
    "dataPacketType",
    "saveRankPerformanceDetails",
    "savePerOpDataCSV",
    "showRankStatistics",
    "print-all-procs",
    "warningAsErrors",
];

/// What is refused, with the reason.
const REFUSED: [(&str, &str); 10] = [
    ("-S", "all ranks would use one file; IOR does that"),
    ("-U", "directories aren't renamed"),
    ("-f", "it would run on some of the ranks after another; set `ranks`"),
    ("-g", "it is of Lustre, which isn't known here"),
    ("-k", "files are made, not nodes"),
    ("-l", "it would run on some of the ranks after another; set `ranks`"),
    ("-s", "it would run on some of the ranks after another; set `ranks`"),
    ("--verify-write", "each file would be read as soon as it is written"),
    ("--run-cmd-before-phase", "other commands would run between phases"),
    ("--run-cmd-after-phase", "other commands would run between phases"),
];

fn refuse(problem: impl Into<String>) -> ProgramError {
    ProgramError::parameter("command", problem)
}

impl Options for MdtestOptions {
    const NAME: &'static str = "MdtestCommand";

    fn read(text: &str) -> Result<Self, ProgramError> {
        let launched = words::launched("mdtest", text)?;
        let mut options = MdtestOptions { launched: launched.ranks, ..MdtestOptions::default() };
        let (mut files_only, mut directories_only) = (false, false);
        let mut phases = String::new();
        for given in words::given("mdtest", &launched.words, (VALUES, &LONG_VALUES))? {
            let letter = match given {
                Given::Short(letter, Some(value)) if VALUES.contains(letter) => {
                    options.take(letter, value)?;
                    continue;
                }
                Given::Short(letter, value) if words::is_on(&format!("-{letter}"), value)? => letter,
                Given::Short(..) => continue,
                Given::Long(name, _) if LONG_WITHOUT_EFFECT.contains(&name) => continue,
                Given::Long(name, _) => return Err(unknown(&format!("--{name}"))),
            };
            match letter {
                'F' => files_only = true,
                'D' => directories_only = true,
                'C' | 'T' | 'E' | 'r' => phases.push(letter),
                'L' => options.leaves_only = true,
                'R' => options.random_stat = true,
                'u' => options.unique = true,
                'y' => options.fsync = true,
                'Y' => options.sync = true,
                'B' => options.barriers = false,
                'c' => options.collective = true,
                _ if WITHOUT_EFFECT.contains(letter) => {}
                _ => return Err(unknown(&format!("-{letter}"))),
            }
        }
        if files_only && directories_only {
            return Err(refuse("-F and -D: only files, and only directories"));
        }
        (options.files, options.directories) = (!directories_only, !files_only);
        // Without a word on it all of them are done.
        if !phases.is_empty() {
            let has = |letter| phases.contains(letter);
            (options.create, options.stat) = (has('C'), has('T'));
            (options.read, options.remove) = (has('E'), has('r'));
        }
        options.check()?;
        Ok(options)
    }
}

fn unknown(option: &str) -> ProgramError {
    match REFUSED.iter().find(|(refused, _)| *refused == option) {
        Some((_, why)) => refuse(format!("{option} can't be followed: {why}")),
        None => refuse(format!(
            "{option} is no option of mdtest that is known here; followed are -a -b -B -c -C -D -e -E -F -i -I -L -n -N -p -r -R -T -u -w \
             -W -y -Y -z, without effect -d -G -P -q -t -v -V -x -X -Z and --{}",
            LONG_WITHOUT_EFFECT.join(" --")
        )),
    }
}

impl MdtestOptions {
    fn take(&mut self, letter: char, value: &str) -> Result<(), ProgramError> {
        let option = format!("-{letter}");
        match letter {
            'n' => self.items = words::size(&option, value)?,
            'I' => self.per_directory = words::size(&option, value)?,
            'z' => self.depth = words::number(&option, value)?,
            'b' => self.branches = words::number(&option, value)?,
            'w' => self.write_bytes = words::size(&option, value)?,
            'e' => self.read_bytes = words::size(&option, value)?,
            'N' => self.stride = words::number(&option, value)?,
            'i' => self.repetitions = words::number(&option, value)?,
            'W' => self.deadline_seconds = words::number(&option, value)?,
            'p' => self.delay_seconds = words::number(&option, value)?,
            'a' if value.eq_ignore_ascii_case("POSIX") => {}
            'a' => return Err(refuse(format!("-a {value}: POSIX is known here"))),
            // -d, where files lie, is said by the scenario.
            _ if WITHOUT_EFFECT.contains(letter) => {}
            _ => return Err(unknown(&option)),
        }
        Ok(())
    }

    fn check(&self) -> Result<(), ProgramError> {
        if self.items == 0 && self.per_directory == 0 {
            return Err(refuse("-n or -I says how many items there are"));
        }
        if self.items > 0 && self.per_directory > 0 {
            return Err(refuse("-n and -I: items a rank, and items a directory"));
        }
        for (option, number) in [("-b", self.branches), ("-i", self.repetitions)] {
            if number == 0 {
                return Err(refuse(format!("{option} is zero")));
            }
        }
        if self.repetitions > 1 && !(self.create && self.remove) {
            return Err(refuse("-i: what is made must be removed before it is made again"));
        }
        if self.read_bytes > self.write_bytes && self.create {
            return Err(refuse("-e: more is read of a file than -w writes to it"));
        }
        if self.collective && !self.barriers {
            return Err(refuse("-c and -B: who waits for nobody would open files that aren't there yet"));
        }
        if self.deadline_seconds > 0 {
            if self.collective {
                return Err(refuse("-c and -W: the clock ends what each rank makes of its own"));
            }
            if self.directories {
                return Err(refuse("-W ends the making of files: add -F"));
            }
            if self.depth > 0 || !self.barriers {
                return Err(refuse(
                    "-W: of one directory (no -z), after which all wait for each other (no -B)",
                ));
            }
        }
        Ok(())
    }
}
