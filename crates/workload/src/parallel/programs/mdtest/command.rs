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
const REFUSED: [(&str, &str); 4] = [
    ("-S", "all ranks would make the same files, and only the first to come would find them not there"),
    ("-g", "it is of Lustre, which isn't known here"),
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
        let mut options = MdtestOptions { launch: launched.launch, ..MdtestOptions::default() };
        let (mut files_only, mut directories_only, mut nodes) = (false, false, false);
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
                Given::Long("verify-write", _) => {
                    options.verify_write = true;
                    continue;
                }
                Given::Long(name, _) => return Err(unknown(&format!("--{name}"))),
            };
            match letter {
                'F' => files_only = true,
                'D' => directories_only = true,
                'C' | 'T' | 'U' | 'E' | 'r' => phases.push(letter),
                'L' => options.leaves_only = true,
                'R' => options.random = true,
                'u' => options.unique = true,
                'y' => options.fsync = true,
                'Y' => options.sync = true,
                'B' => options.barriers = false,
                'c' => options.collective = true,
                'k' => nodes = true,
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
            (options.create, options.stat, options.rename) = (has('C'), has('T'), has('U'));
            (options.read, options.remove) = (has('E'), has('r'));
        }
        if nodes && options.write_bytes > 0 {
            return Err(refuse("-k and -w: nothing is written to a node"));
        }
        options.check()?;
        options.check_clock()?;
        Ok(options)
    }
}

fn unknown(option: &str) -> ProgramError {
    match REFUSED.iter().find(|(refused, _)| *refused == option) {
        Some((_, why)) => refuse(format!("{option} can't be followed: {why}")),
        None => refuse(format!(
            "{option} is no option of mdtest that is known here; followed are -a -b -B -c -C -D -e -E -f -F -i -I -k -l -L -n -N -p -r -R \
             -s -T -u -U -w -W -y -Y -z --verify-write, without effect -d -G -P -q -t -v -V -x -X -Z and --{}",
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
            'f' => self.first = words::number(&option, value)?,
            'l' => self.last = words::number(&option, value)?,
            's' => self.step = words::number(&option, value)?,
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
            if self.unique || self.depth > 0 {
                return Err(refuse(
                    "-n and -I: items a rank, and items a directory, of trees of all (no -u) without levels (no -z)",
                ));
            }
            if !self.items.is_multiple_of(self.per_directory) {
                return Err(refuse("-n and -I: the items of a rank don't fill directories of so many"));
            }
        }
        for (option, number) in
            [("-b", self.branches), ("-i", self.repetitions), ("-f", self.first), ("-s", self.step)]
        {
            if number == 0 {
                return Err(refuse(format!("{option} is zero")));
            }
        }
        if self.last > 0 && self.first > self.last {
            return Err(refuse("-f and -l: it would begin with more ranks than it ends with"));
        }
        if self.last > self.first && !self.cleans_up() {
            return Err(refuse("-l: what is made on some ranks must be removed before it is made on others"));
        }
        if self.read_bytes > self.write_bytes && self.create {
            return Err(refuse("-e: more is read of a file than -w writes to it"));
        }
        if self.collective && !self.barriers {
            return Err(refuse("-c and -B: who waits for nobody would open files that aren't there yet"));
        }
        if self.stride > 0 && !self.barriers {
            return Err(refuse("-N and -B: who waits for nobody would look at items that aren't there yet"));
        }
        Ok(())
    }

    /// What a clock can end.
    fn check_clock(&self) -> Result<(), ProgramError> {
        if self.deadline_seconds > 0 {
            if self.collective {
                return Err(refuse("-c and -W: the clock ends what each rank makes of its own"));
            }
            if self.directories {
                return Err(refuse("-W ends the making of files: add -F"));
            }
            if self.depth > 0 || self.trees() > 1 || !self.barriers {
                return Err(refuse(
                    "-W: of one directory (no -z, no -I with -n), after which all wait for each other (no -B)",
                ));
            }
        }
        Ok(())
    }
}
