//! How long each file is when a read comes, so that one that begins behind the end of its file is found before the run.
//!
//! A step takes a file's length x to x (reads), x + a (append), max(x, b) (write, fallocate) or b (create, truncate). So does a
//! repeated block, and from its second repetition on each adds the same: two of them tell of all.

use super::instruction::{Code, Compiled, Instruction};
use super::parse::ScriptError;
use petrio_colours::{Fallocate, Operation};
use petrio_units::Bytes;

/// Steps that are looked at; a script that nests its repeats deeper is checked as it runs.
const STEPS_MAX: u64 = 1 << 24;

/// Finds the first read that begins behind the end of its file.
pub(super) fn check(script: &Compiled) -> Result<(), ScriptError> {
    let lengths = script.entries.iter().map(|entry| entry.size).collect();
    let mut walk = Walk { instructions: &script.instructions, lengths, steps: 0 };
    walk.steps_of(0, script.instructions.len())
}

/// Refuses a read that gets nothing because it begins behind the end of a file of this length.
pub(super) fn check_read(code: Code, length: u64) -> Result<(), ScriptError> {
    // At the very end, a read of nothing says that there is no more, as programs that read to the end do.
    if code.length == 0 || code.offset <= length {
        return Ok(());
    }
    let (offset, length) = (Bytes(code.offset), Bytes(length));
    let problem = format!("the read begins at {offset}, and the file ends at {length} here: it gets nothing");
    let help = "declare the file larger (`file NAME SIZE`), write it before, or read where it has data";
    Err(ScriptError::at(code.position, problem).with_help(help))
}

/// The length of a file after a fallocate.
pub(super) fn allocated(code: &Code, length: u64) -> u64 {
    match code.fallocate {
        Fallocate::Extend | Fallocate::ZeroRange => code.offset.saturating_add(code.length).max(length),
        Fallocate::KeepSize | Fallocate::PunchHole => length,
    }
}

struct Walk<'a> {
    instructions: &'a [Instruction],
    lengths: Vec<u64>,
    steps: u64,
}

impl Walk<'_> {
    fn steps_of(&mut self, mut next: usize, end: usize) -> Result<(), ScriptError> {
        while next < end && self.steps < STEPS_MAX {
            self.steps += 1;
            match self.instructions[next] {
                Instruction::Repeat { count, end } => {
                    self.repeat(next + 1, end as usize, count)?;
                    next = end as usize;
                    continue;
                }
                Instruction::Append { file, length, .. } => {
                    let there = self.of(file);
                    *there = there.saturating_add(length);
                }
                Instruction::Operation(code) => self.operation(code)?,
                Instruction::Think(_)
                | Instruction::ThinkAbout(_)
                | Instruction::Barrier
                | Instruction::Phase(_) => {}
            }
            next += 1;
        }
        Ok(())
    }

    fn operation(&mut self, code: Code) -> Result<(), ScriptError> {
        match code.operation {
            Operation::Read => check_read(code, *self.of(code.file))?,
            Operation::Write if code.length > 0 => {
                let there = self.of(code.file);
                *there = code.offset.saturating_add(code.length).max(*there);
            }
            Operation::Truncate => *self.of(code.file) = code.length,
            Operation::Create | Operation::Symlink | Operation::Tmpfile => *self.of(code.file) = 0,
            Operation::Allocate => {
                let there = self.of(code.file);
                *there = allocated(&code, *there);
            }
            _ => {}
        }
        Ok(())
    }

    fn repeat(&mut self, begin: usize, end: usize, count: u64) -> Result<(), ScriptError> {
        self.steps_of(begin, end)?;
        if count < 2 {
            return Ok(());
        }
        self.steps += self.lengths.len() as u64;
        let after_one = self.lengths.clone();
        self.steps_of(begin, end)?;
        for (length, one) in self.lengths.iter_mut().zip(after_one) {
            *length = length.saturating_add((*length).saturating_sub(one).saturating_mul(count - 2));
        }
        Ok(())
    }

    /// The length of a file by its number in the script, from 1.
    fn of(&mut self, file: u32) -> &mut u64 {
        &mut self.lengths[file as usize - 1]
    }
}

#[cfg(test)]
mod tests {
    use crate::program::ScriptParameters;

    fn refusal(script: &str) -> Option<String> {
        ScriptParameters::new(script).validate().err().map(|error| error.to_string())
    }

    #[test]
    fn a_read_behind_the_end_of_its_file_is_refused_with_its_line_and_both_figures() {
        let message = refusal("file a 64 KiB\nopen a\nread a 1 GiB 1 MiB");
        let expected =
            "line 3, column 1: the read begins at 1 GiB, and the file ends at 64 KiB here: it gets nothing";
        assert_eq!(message.as_deref(), Some(expected));
        assert!(refusal("file a 64 KiB; truncate a 0; read a 4 KiB 4 KiB").is_some());
        assert!(refusal("create a; repeat 1000 { append a 4 KiB }; read a 4000 KiB 1 KiB").is_none());
        assert!(refusal("create a; repeat 1000 { append a 4 KiB }; read a 4001 KiB 1 KiB").is_some());
    }

    #[test]
    fn reads_that_find_something_or_stand_at_the_end_are_none_of_these() {
        for script in [
            "file a 10 KiB; read a 8 KiB 4 KiB; read a 10 KiB 4 KiB",
            "create a; repeat 3 { repeat 5 { append a 4 KiB }; read a 16 KiB 4 KiB; truncate a 0 }; read a 0 1 KiB",
            "create a; write a 1 GiB 4 KiB; read a 512 MiB 1 MiB",
            "file a 1 KiB; create b; rename a b; read b 1 KiB 1 KiB",
        ] {
            assert_eq!(refusal(script), None, "{script}");
        }
    }
}
