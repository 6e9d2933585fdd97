//! A program on a machine that computes faster or slower than the one of its computing times.

use super::error::ProgramError;
use super::{FileProgram, Step};
use petrio_colours::{FileOp, Operation};
use petrio_persist::Persist;
use petrio_time::Time;
use petrio_units::numbers::whole_part;

/// A program whose computing takes its time divided by a speed.
#[derive(Persist)]
pub struct AtSpeed {
    program: Box<dyn FileProgram>,
    speed: f64,
}

impl AtSpeed {
    /// The program on a machine that is so many times as fast; as it is where that is once.
    pub fn of(program: Box<dyn FileProgram>, speed: f64) -> Box<dyn FileProgram> {
        if (speed - 1.0).abs() < f64::EPSILON { program } else { Box::new(Self { program, speed }) }
    }
}

impl FileProgram for AtSpeed {
    fn next(&mut self, now: Time) -> Result<Step, ProgramError> {
        let step = self.program.next(now)?;
        Ok(match step {
            Step::Operation(op) if op.operation == Operation::Compute => {
                let length = whole_part(libm::round(op.length as f64 / self.speed));
                Step::Operation(FileOp { length, ..op })
            }
            other => other,
        })
    }

    fn completed(&mut self, bytes: u64, took: Time, now: Time) {
        self.program.completed(bytes, took, now);
    }

    fn measured(&self) -> Option<Time> {
        self.program.measured()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::program::computing;

    /// Computes, and ends.
    #[derive(Persist)]
    struct Computes(bool);

    impl FileProgram for Computes {
        fn next(&mut self, _now: Time) -> Result<Step, ProgramError> {
            Ok(match std::mem::replace(&mut self.0, true) {
                false => Step::Operation(computing(&FileOp::default(), Time::from_millis(30))),
                true => Step::End,
            })
        }
    }

    #[test]
    fn computing_takes_a_third_on_a_machine_that_is_three_times_as_fast() {
        let mut program = AtSpeed::of(Box::new(Computes(false)), 3.0);
        let Step::Operation(op) = program.next(Time::ZERO).unwrap() else { panic!("it computes first") };
        assert_eq!(Time::from_picos(op.length), Time::from_millis(10));
        assert_eq!(program.next(Time::ZERO).unwrap(), Step::End);
    }
}
