//! IOR's command line, read.

use super::options::{IorApi, IorOptions};
use crate::parallel::programs::command_line::{self as words, Options};
use crate::program::ProgramError;

/// Options without a value, with one, and those that are refused, with the reason.
const SWITCHES: &str = "CEFYceghknqrvwz";
const VALUES: &str = "DNOQTXabdiost";
const REFUSED: [(char, &str); 8] = [
    ('R', "what is read isn't looked at"),
    ('W', "what is written isn't looked at; read it back by -r"),
    ('Z', "the order of the ranks that read is drawn; -C moves them by whole hosts"),
    ('m', "a file for each repetition"),
    ('u', "a directory for each rank"),
    ('U', "hints stand in the scenario, below `hints`"),
    ('f', "a script of several tests; write a workload for each"),
    ('p', "space isn't reserved beforehand"),
];

fn refuse(problem: impl Into<String>) -> ProgramError {
    ProgramError::parameter("command", problem)
}

impl Options for IorOptions {
    const NAME: &'static str = "IorCommand";

    fn read(text: &str) -> Result<Self, ProgramError> {
        let mut options = IorOptions::default();
        let (mut writes, mut reads) = (false, false);
        let mut tokens = words::tokens("ior", text)?.into_iter();
        while let Some(token) = tokens.next() {
            if token == "--posix.odirect" {
                options.direct = true;
                continue;
            }
            let Some(letters) = token.strip_prefix('-').filter(|letters| !letters.starts_with('-')) else {
                return Err(refuse(format!("\"{token}\" is no option of IOR that is known here")));
            };
            for (at, letter) in letters.char_indices() {
                if words::takes_value(VALUES, letter) {
                    let rest = &letters[at + letter.len_utf8()..];
                    let value = if rest.is_empty() { tokens.next() } else { Some(rest) };
                    let value = value.ok_or_else(|| refuse(format!("-{letter} needs a value")))?;
                    options.take(letter, value)?;
                    break;
                }
                match letter {
                    'w' => writes = true,
                    'r' => reads = true,
                    _ if SWITCHES.contains(letter) => options.switch(letter),
                    _ => return Err(unknown(letter)),
                }
            }
        }
        // Without a word on it both are done.
        if writes || reads {
            (options.write, options.read) = (writes, reads);
        }
        options.check()?;
        Ok(options)
    }
}

fn unknown(letter: char) -> ProgramError {
    match REFUSED.iter().find(|(refused, _)| *refused == letter) {
        Some((_, why)) => refuse(format!("-{letter} can't be followed: {why}")),
        None => refuse(format!("-{letter} is no option of IOR that is known here")),
    }
}

fn switched(directive: &str, value: &str) -> Result<bool, ProgramError> {
    match value {
        "1" => Ok(true),
        "0" => Ok(false),
        _ => Err(refuse(format!("{directive}=\"{value}\": it is 1 or 0"))),
    }
}

impl IorOptions {
    fn switch(&mut self, letter: char) {
        match letter {
            'C' => self.reorder = true,
            'E' => self.existing = true,
            'F' => self.file_per_process = true,
            'Y' => self.fsync_per_write = true,
            'c' => self.collective = true,
            'e' => self.fsync = true,
            'g' => self.barriers = true,
            'k' => self.keep = true,
            'z' => self.random = true,
            // -h, -n, -q, -v: of its output and its end on errors.
            _ => {}
        }
    }

    fn take(&mut self, letter: char, value: &str) -> Result<(), ProgramError> {
        let parameter = || format!("-{letter}");
        match letter {
            'a' => {
                self.api = match value.to_ascii_uppercase().as_str() {
                    "POSIX" => IorApi::Posix,
                    "MPIIO" => IorApi::MpiIo,
                    _ => return Err(refuse(format!("-a {value}: POSIX and MPIIO are known here"))),
                }
            }
            'b' => self.block = words::size(&parameter(), value)?,
            't' => self.transfer = words::size(&parameter(), value)?,
            's' => self.segments = words::number(&parameter(), value)?,
            'Q' => self.node_offset = words::number(&parameter(), value)?,
            'i' => self.repetitions = words::number(&parameter(), value)?,
            'd' => self.delay_seconds = words::number(&parameter(), value)?,
            'D' => self.deadline_seconds = words::number(&parameter(), value)?,
            'T' => self.limit_minutes = words::number(&parameter(), value)?,
            'O' => {
                let (name, value) = value.split_once('=').unwrap_or((value, ""));
                let directive = || format!("-O {name}");
                match name {
                    "useO_DIRECT" => self.direct = switched(&directive(), value)?,
                    "stoneWallingWearOut" => self.wear_out = switched(&directive(), value)?,
                    "stoneWallingWearOutIterations" => {
                        self.iterations = words::number(&directive(), value)?;
                    }
                    _ => return Err(refuse(format!("-O {name} is no directive that is known here"))),
                }
            }
            'N' => return Err(refuse("-N: how many ranks there are is said by `ranks`")),
            // -o, where files lie, is said by the scenario; -X is for drawn orders of ranks.
            _ => {}
        }
        Ok(())
    }

    fn check(&self) -> Result<(), ProgramError> {
        let counts = [
            ("-b", self.block),
            ("-t", self.transfer),
            ("-s", self.segments),
            ("-i", self.repetitions.into()),
        ];
        if let Some((option, _)) = counts.into_iter().find(|&(_, count)| count == 0) {
            return Err(refuse(format!("{option} is zero")));
        }
        if !self.block.is_multiple_of(self.transfer) {
            return Err(refuse(format!(
                "the block ({} B) is no multiple of the transfer ({} B)",
                self.block, self.transfer
            )));
        }
        if self.collective && self.api == IorApi::Posix {
            return Err(refuse("-c: system calls are of one rank; use -a MPIIO"));
        }
        if self.collective && self.random {
            return Err(refuse("-c and -z: what all access together is in one order (as IOR says, too)"));
        }
        if self.direct && (self.api == IorApi::MpiIo || !self.transfer.is_multiple_of(512)) {
            return Err(refuse("O_DIRECT is for -a POSIX with transfers that are a multiple of 512 B"));
        }
        if self.reorder && !self.read {
            return Err(refuse("-C says who reads, and nothing is read"));
        }
        if self.wear_out && self.deadline_seconds == 0 {
            return Err(refuse("-O stoneWallingWearOut=1 is of what -D ends"));
        }
        if self.existing && !self.write {
            return Err(refuse("-E says what is written, and nothing is"));
        }
        Ok(())
    }
}
