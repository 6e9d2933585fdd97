//! The options of a command line, as getopt reads them.

use super::IozoneError;
use std::collections::BTreeSet;

/// A kilobyte, iozone's unit where a number has no letter.
pub(super) const KILOBYTE: u64 = 1024;
const MEGABYTE: u64 = 1024 * KILOBYTE;
/// As many processes as may be asked for; iozone's own bound is 256.
const PROCESSES_MAX: u64 = 1 << 12;

/// Options with a value that changes nothing of what the file system is asked for.
const WITHOUT_EFFECT_VALUED: &str = "bdfLPSV";
/// Options with a value that says something.
const VALUED: &str = "srngyqituljJUkHFXY";
/// Options without a value that change nothing either.
const WITHOUT_EFFECT: &str = "CEGMRQTWhmpvwx";
/// What is behind `-+` and has a value.
const EXTENDED_VALUED: &str = "mpAwyCSqLhTVi";

/// What a command line says.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Options {
    pub(super) auto: bool,
    pub(super) all_records: bool,
    /// File sizes and records that are named, bytes.
    pub(super) sizes: Vec<u64>,
    pub(super) records: Vec<u64>,
    pub(super) least_size: Option<u64>,
    pub(super) most_size: Option<u64>,
    pub(super) least_record: Option<u64>,
    pub(super) most_record: Option<u64>,
    /// Numbers of the tests; none, all.
    pub(super) chosen: BTreeSet<u64>,
    pub(super) processes: Option<u32>,
    pub(super) least_processes: Option<u32>,
    pub(super) most_processes: Option<u32>,
    pub(super) stride: Option<u64>,
    pub(super) delay_ms: u64,
    pub(super) direct: bool,
    pub(super) sync: bool,
    pub(super) data_sync: bool,
    pub(super) flush: bool,
    pub(super) close: bool,
    pub(super) mapped: bool,
    pub(super) remounts: bool,
    pub(super) no_retest: bool,
    /// Of a hundred processes of the mixed workload, those that read (-+p), and whether each goes from the first record to the last (-+B).
    pub(super) readers: Option<u64>,
    pub(super) mixed_in_order: bool,
    /// In what it prints: `O` operations a second, `N` microseconds an operation; else kB a second.
    pub(super) unit: Option<char>,
    pub(super) remarks: Vec<String>,
}

/// A number with iozone's letter: kilobytes where there is none.
fn size(option: char, value: &str) -> Result<u64, IozoneError> {
    let (digits, unit) = match value.char_indices().last() {
        Some((at, 'k' | 'K')) => (&value[..at], KILOBYTE),
        Some((at, 'm' | 'M')) => (&value[..at], MEGABYTE),
        Some((at, 'g' | 'G')) => (&value[..at], 1024 * MEGABYTE),
        _ => (value, KILOBYTE),
    };
    let bytes = digits.parse::<u64>().ok().and_then(|count| count.checked_mul(unit));
    bytes.filter(|&bytes| bytes > 0 && i64::try_from(bytes).is_ok()).ok_or_else(|| {
        IozoneError::of(format!("-{option} {value:?} is no size"))
            .with_help("iozone's sizes are kilobytes, or have a letter: 64, 64k, 512m, 2g")
    })
}

fn number(option: char, value: &str, most: u64) -> Result<u64, IozoneError> {
    value
        .parse()
        .ok()
        .filter(|&number| number <= most)
        .ok_or_else(|| IozoneError::of(format!("-{option} {value:?} is no number up to {most}")))
}

fn processes(option: char, value: &str) -> Result<Option<u32>, IozoneError> {
    let count = number(option, value, PROCESSES_MAX)?;
    Ok(u32::try_from(count).ok().filter(|&count| count > 0))
}

impl Options {
    /// Reads the words behind the command.
    pub(super) fn of(words: &[String]) -> Result<Self, IozoneError> {
        let mut options = Self::default();
        let mut words = words.iter().map(String::as_str).peekable();
        while let Some(word) = words.next() {
            if let Some(extended) = word.strip_prefix("-+") {
                let letter = extended.chars().next().unwrap_or('+');
                let rest = &extended[letter.len_utf8().min(extended.len())..];
                let apart = EXTENDED_VALUED.contains(letter) && rest.is_empty();
                let value = if apart { words.next_if(|next| !next.starts_with('-')) } else { Some(rest) };
                options.extended(letter, value.unwrap_or_default())?;
                continue;
            }
            let Some(letters) = word.strip_prefix('-') else {
                options.remarks.push(format!("{word} is not taken: it belongs to no option"));
                continue;
            };
            for (at, letter) in letters.char_indices() {
                if options.switch(letter) {
                    continue;
                }
                if !VALUED.contains(letter) && !WITHOUT_EFFECT_VALUED.contains(letter) {
                    return Err(IozoneError::of(format!(
                        "-{letter} is no option of iozone's that is known here"
                    )));
                }
                let rest = &letters[at + letter.len_utf8()..];
                let value = if rest.is_empty() { words.next() } else { Some(rest) };
                let missing = || IozoneError::of(format!("-{letter} needs a value"));
                options.valued(letter, value.ok_or_else(missing)?)?;
                if letter == 'F' {
                    while words.next_if(|next| !next.starts_with('-')).is_some() {}
                }
                break;
            }
        }
        options.left_out();
        Ok(options)
    }

    /// Tests that are asked for and aren't played, by name.
    fn left_out(&mut self) {
        let vectors = "one call with several buffers is played as none of the calls here";
        for (number, name, why) in [
            (11, "pwritev", vectors),
            (12, "preadv", vectors),
            (8, "the mixed workload", "iozone has it in throughput mode (-t, -l, -u) alone"),
        ] {
            let is_played = number == 8 && self.is_throughput();
            if self.chosen.contains(&number) && !is_played {
                self.remarks.push(format!("-i {number}, {name}, is not played: {why}"));
            }
        }
    }

    /// Whether processes do each test side by side (-t, -l, -u).
    pub(super) fn is_throughput(&self) -> bool {
        self.processes.or(self.least_processes).or(self.most_processes).is_some()
    }

    /// An option without a value; whether it is one.
    fn switch(&mut self, letter: char) -> bool {
        match letter {
            'a' => self.auto = true,
            'A' => (self.auto, self.all_records) = (true, true),
            'z' => self.all_records = true,
            'I' => self.direct = true,
            'o' => self.sync = true,
            'e' => self.flush = true,
            'c' => self.close = true,
            'B' => self.mapped = true,
            'O' | 'N' => self.unit = Some(letter),
            'D' => self
                .remarks
                .push("-D is not played: pages of a mapping are written when it is synced".to_owned()),
            'K' | 'Z' => self.remarks.push(format!("-{letter} is not played")),
            letter if WITHOUT_EFFECT.contains(letter) => {}
            _ => return false,
        }
        true
    }

    fn valued(&mut self, letter: char, value: &str) -> Result<(), IozoneError> {
        match letter {
            's' => self.sizes.push(size(letter, value)?),
            'r' => self.records.push(size(letter, value)?),
            'n' => self.least_size = Some(size(letter, value)?),
            'g' => self.most_size = Some(size(letter, value)?),
            'y' => self.least_record = Some(size(letter, value)?),
            'q' => self.most_record = Some(size(letter, value)?),
            'i' => drop(self.chosen.insert(number(letter, value, 12)?)),
            't' => self.processes = processes(letter, value)?,
            'l' => self.least_processes = processes(letter, value)?,
            'u' => self.most_processes = processes(letter, value)?,
            'j' => self.stride = Some(number(letter, value, 1 << 32)?.max(1)),
            'J' => self.delay_ms = number(letter, value, 1 << 32)?,
            'U' => self.remounts = true,
            'k' | 'H' => self
                .remarks
                .push(format!("-{letter} {value} is not played: one access of each process is in flight")),
            'X' | 'Y' => self.remarks.push(format!(
                "-{letter} {value} is not played: give the file itself to a workload of kind \"requests\""
            )),
            'F' => {}
            letter if WITHOUT_EFFECT_VALUED.contains(letter) => {}
            _ => {
                return Err(IozoneError::of(format!(
                    "-{letter} is no option of iozone's that is known here"
                ))
                .with_help("its options are listed by iozone -h; leave out what isn't needed"));
            }
        }
        Ok(())
    }

    /// An option behind `-+`.
    fn extended(&mut self, letter: char, value: &str) -> Result<(), IozoneError> {
        match letter {
            'n' => self.no_retest = true,
            'p' => {
                self.readers = Some(number('p', value, 100)?);
            }
            'B' => self.mixed_in_order = true,
            'K' => {
                self.remarks.push("-+K is not played: the mixed workload's processes take turns".to_owned());
            }
            'D' => self.data_sync = true,
            'r' => self.remarks.push("-+r is not played: reads don't wait for what is dirty".to_owned()),
            'm' => self.remarks.push("-+m is not played: all processes run on one host".to_owned()),
            _ => {}
        }
        Ok(())
    }
}
