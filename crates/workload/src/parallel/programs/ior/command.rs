//! IOR's command line, read.
//!
//! Source: IOR 4.0, src/parse_options.c and src/option.c; letters of IOR 3 that went later (its USER_GUIDE). What changes no access
//! is accepted and does nothing.

use super::directives;
use super::options::{IorApi, IorOptions};
use crate::parallel::programs::command_line::{self as words, Given, Options};
use crate::program::ProgramError;

/// Letters with a value, and words with one.
const VALUES: &str = "ADGJMNOQTUXabdfijlost";
const LONG_VALUES: [&str; 3] = ["dataPacketType", "random-offset-seed", "randomPrefill"];

/// What changes no access: of IOR's output, of the contents of what is written and whether it is compared, of what happens after
/// errors, of names. -X is the seed of what -Z draws (here the scenario has one), -J of HDF5; with a file view (-V) the pieces are the same.
/// -G and --random-offset-seed are looked at only where IOR refuses what lacks them.
const WITHOUT_EFFECT: &str = "AGHJKVXhjlnoqvx";
const LONG_WITHOUT_EFFECT: [&str; 5] =
    ["dataPacketType", "random-offset-seed", "warningAsErrors", "mpiio.useFileView", "mpiio.showHints"];

/// What is refused, with the reason.
const REFUSED: [(char, &str); 8] = [
    ('M', "it takes memory from the page cache; make the machine's `memory` smaller"),
    ('N', "how many ranks there are is said by `ranks`"),
    ('P', "a shared file pointer puts all accesses in turn; `kind = \"mpi-io\"` has it"),
    ('S', "strided datatypes make one access of many pieces; `kind = \"mpi-io\"` has them"),
    ('U', "hints stand in the scenario, below `hints`"),
    ('f', "a script of several tests; write a workload for each"),
    ('p', "space isn't reserved beforehand"),
    ('y', "every other rank would use another mount; `on` says which rank uses which"),
];

/// Bytes of which blocks and transfers are multiples (`IOR_size_t`).
const WORD: u64 = 8;

pub(super) fn refuse(problem: impl Into<String>) -> ProgramError {
    ProgramError::parameter("command", problem)
}

impl Options for IorOptions {
    const NAME: &'static str = "IorCommand";

    fn read(text: &str) -> Result<Self, ProgramError> {
        let launched = words::launched("ior", text)?;
        let mut options =
            IorOptions { launch: launched.launch, write: false, read: false, ..IorOptions::default() };
        // Another interface has options of its own: it is named first.
        let of_api = launched.words.windows(2).find(|pair| pair[0] == "-a").map(|pair| pair[1]);
        of_api.map(|value| api("-a", value)).transpose()?;
        for given in words::given("IOR", &launched.words, (VALUES, &LONG_VALUES))? {
            match given {
                Given::Short(letter, Some(value)) if VALUES.contains(letter) => {
                    options.take(letter, value)?;
                }
                Given::Short(letter, value) => {
                    options.switch(letter, words::is_on(&format!("-{letter}"), value)?)?;
                }
                Given::Long("posix.odirect", value) => {
                    options.direct = words::is_on("--posix.odirect", value)?;
                }
                Given::Long("random-offset-seed", _) => options.is_seeded = true,
                Given::Long("collective", value) => options.collective = words::is_on("--collective", value)?,
                Given::Long(name, _) if LONG_WITHOUT_EFFECT.contains(&name) => {}
                Given::Long(name, _) => return Err(unknown(&format!("--{name}"))),
            }
        }
        // Without a word on it both are done.
        if !options.write && !options.read && !options.check_write {
            (options.write, options.read) = (true, true);
        }
        options.check()?;
        Ok(options)
    }
}

fn unknown(option: &str) -> ProgramError {
    refuse(format!(
        "{option} is no option of IOR that is known here; followed are -a -b -c -C -d -D -e -E -F -g -i -k -m -O -Q -r -R -s -t -T -u \
         -w -W -Y -z -Z -B and --posix.odirect, without effect -A -G -h -H -j -J -K -l -n -o -q -v -V -x -X and --{}",
        LONG_WITHOUT_EFFECT.join(" --")
    ))
}

fn refused(letter: char) -> ProgramError {
    match REFUSED.iter().find(|(refused, _)| *refused == letter) {
        Some((_, why)) => refuse(format!("-{letter} can't be followed: {why}")),
        None => unknown(&format!("-{letter}")),
    }
}

impl IorOptions {
    fn switch(&mut self, letter: char, is_on: bool) -> Result<(), ProgramError> {
        match letter {
            // O_DIRECT, in IOR 3.
            'B' => self.direct = is_on,
            'C' => self.reorder = is_on,
            'E' => self.existing = is_on,
            'F' => self.file_per_process = is_on,
            'r' => self.read |= is_on,
            // What is read is compared, too, which is no access; without -r it is read for that.
            'R' => {
                self.read |= is_on;
                self.check_read = is_on;
            }
            'W' => self.check_write = is_on,
            'Z' => self.reorder_randomly = is_on,
            'Y' => self.fsync_per_write = is_on,
            'c' => self.collective = is_on,
            'e' => self.fsync = is_on,
            'g' => self.barriers = is_on,
            'k' => self.keep = is_on,
            'm' => self.multi_file = is_on,
            'u' => self.unique_directory = is_on,
            'w' => self.write |= is_on,
            'z' => self.random = is_on,
            _ if WITHOUT_EFFECT.contains(letter) || !is_on => {}
            _ => return Err(refused(letter)),
        }
        Ok(())
    }

    fn take(&mut self, letter: char, value: &str) -> Result<(), ProgramError> {
        let parameter = || format!("-{letter}");
        match letter {
            'a' => self.api = api("-a", value)?,
            'b' => self.block = words::size(&parameter(), value)?,
            't' => self.transfer = words::size(&parameter(), value)?,
            's' => self.segments = words::size(&parameter(), value)?,
            'Q' => self.node_offset = words::number(&parameter(), value)?,
            'i' => self.repetitions = words::number(&parameter(), value)?,
            'd' => self.delay_seconds = words::number(&parameter(), value)?,
            'D' => self.deadline_seconds = words::number(&parameter(), value)?,
            'T' => self.limit_minutes = words::number(&parameter(), value)?,
            'G' => self.is_signed = true,
            'O' => directives::follow(self, value)?,
            _ if WITHOUT_EFFECT.contains(letter) => {}
            _ => return Err(refused(letter)),
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
        for (option, bytes) in [("-b", self.block), ("-t", self.transfer)] {
            if !bytes.is_multiple_of(WORD) {
                return Err(refuse(format!(
                    "{option}: {bytes} B are no multiple of {WORD} B (as IOR says, too)"
                )));
            }
        }
        if self.wear_out && self.deadline_seconds == 0 {
            return Err(refuse("stoneWallingWearOut goes with a deadline (-D), as IOR says, too"));
        }
        if self.check_read && !self.write && !self.is_signed {
            return Err(refuse(
                "-R compares what isn't written here with a signature: give one (-G, as IOR says, too)",
            ));
        }
        if self.random {
            self.check_random()?;
        }
        if self.collective && self.api == IorApi::Posix {
            return Err(refuse("-c: system calls are of one rank; use -a MPIIO"));
        }
        if self.reorder && self.reorder_randomly {
            return Err(refuse("-C and -Z: whose data a rank reads is drawn or not (as IOR says, too)"));
        }
        if self.collective && self.reorder_randomly && !self.file_per_process {
            return Err(refuse(
                "-c and -Z: whoever reads the same as others doesn't read together with them here",
            ));
        }
        if self.collective && self.random {
            return Err(refuse("-c and -z: what all access together is in one order (as IOR says, too)"));
        }
        if self.direct && (self.api == IorApi::MpiIo || !self.transfer.is_multiple_of(512)) {
            return Err(refuse("O_DIRECT is for -a POSIX with transfers that are a multiple of 512 B"));
        }
        Ok(())
    }

    /// What IOR doesn't do together with a random order.
    fn check_random(&self) -> Result<(), ProgramError> {
        if self.block == self.transfer {
            return Err(refuse(
                "-z shuffles the transfers of a block, which has one here: make the block (-b) larger than the transfer (-t)",
            ));
        }
        if !self.file_per_process && (self.reorder || self.reorder_randomly) {
            return Err(refuse(
                "-z and -C or -Z: who accesses what of one file is drawn at random anyway (as IOR says, too); use -F",
            ));
        }
        if self.check_read && !self.is_seeded {
            return Err(refuse(
                "-z and -R: to be compared, the order needs a seed (--random-offset-seed, as IOR says, too)",
            ));
        }
        Ok(())
    }
}

/// An interface by its name.
pub(super) fn api(option: &str, value: &str) -> Result<IorApi, ProgramError> {
    match value.to_ascii_uppercase().as_str() {
        "POSIX" => Ok(IorApi::Posix),
        "MPIIO" => Ok(IorApi::MpiIo),
        _ => Err(refuse(format!("{option} {value}: POSIX and MPIIO are known here"))),
    }
}
