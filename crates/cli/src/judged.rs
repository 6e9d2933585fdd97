//! What a validation's rows come to: told, and the exit code.

use crate::failure::Failure;
use crate::output::{print, talk};
use petrio_validation::verdict::{Judged, Judgement};

/// The exit codes of `petrio validate`, as the help of each of its commands ends.
macro_rules! exit_codes {
    () => {
        "Exit codes: 0 everything holds; 3 something misses its bound, but only what is known to, by no more than it is known to; \
1 something misses that isn't known to, or by more; 2 the question was wrong. An aim that is a share, such as nine in ten, holds or \
misses as a whole."
    };
}
pub(crate) use exit_codes;

/// Tells what misses, known or not (beside JSON on standard error), and fails where anything does.
pub(crate) fn conclude(rows: &[Judged], beside: bool, help: &str) -> Result<(), Failure> {
    let known = worst(rows, Judgement::KnownToMiss, "known to miss", beside)?;
    let missed = worst(rows, Judgement::Misses, "misses", beside)?;
    let help = help.to_owned();
    let of = |count: usize| format!("{count} of {} rows miss their bound", rows.len());
    match (missed, known) {
        (Some((count, worst)), _) => {
            let message = format!("{}; the worst: {}", of(count), worst.line());
            Err(Failure::Missed { message, help })
        }
        (None, Some((count, _))) => {
            let message = format!("{}, and all of these are known to", of(count));
            Err(Failure::KnownToMiss { message, help })
        }
        (None, None) => Ok(()),
    }
}

/// Tells the rows that are judged so; how many they are, and the one that is farthest beyond its bound.
fn worst<'r>(
    rows: &'r [Judged],
    verdict: Judgement,
    word: &str,
    beside: bool,
) -> Result<Option<(usize, &'r Judged)>, Failure> {
    let of: Vec<&Judged> = rows.iter().filter(|row| row.verdict == verdict).collect();
    for row in &of {
        let line = format!("{word}: {}", row.line());
        if beside { talk(&line) } else { print(&format!("{line}\n"))? }
    }
    let beyond = |row: &Judged| row.error.abs() - row.bound;
    let worst = of.iter().copied().max_by(|a, b| beyond(a).total_cmp(&beyond(b)));
    Ok(worst.map(|worst| (of.len(), worst)))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::output::report;
    use std::process::ExitCode;

    fn row(error: f64, known: Option<(f64, &'static str)>) -> Judged {
        Judged::percent("made up".to_owned(), error, 10.0, known)
    }

    fn code(failure: Failure) -> String {
        format!("{:?}", report(failure))
    }

    #[test]
    fn a_made_up_miss_ends_with_1_a_known_one_with_3_and_what_holds_with_0() {
        assert!(conclude(&[], true, "").is_ok());
        assert!(conclude(&[row(-9.0, None), row(9.0, Some((50.0, "it is old")))], true, "").is_ok());
        let known = [row(-9.0, None), row(40.0, Some((50.0, "it is old")))];
        let failure = conclude(&known, true, "look").unwrap_err();
        let Failure::KnownToMiss { message, .. } = &failure else { unreachable!("it is known") };
        assert_eq!(message, "1 of 2 rows miss their bound, and all of these are known to");
        assert_eq!(code(failure), format!("{:?}", ExitCode::from(3)));
        for missed in [row(11.0, None), row(-51.0, Some((50.0, "it is old")))] {
            let failure = conclude(&[row(1.0, None), missed], true, "look").unwrap_err();
            let Failure::Missed { message, help } = &failure else { unreachable!("it is a miss") };
            assert!(message.starts_with("1 of 2 rows miss their bound; the worst: made up"), "{message}");
            assert_eq!(help, "look");
            assert_eq!(code(failure), format!("{:?}", ExitCode::from(1)));
        }
    }

    #[test]
    fn a_new_miss_ends_with_1_beside_known_ones() {
        let both = [row(40.0, Some((50.0, "it is old"))), row(11.0, None)];
        assert_eq!(code(conclude(&both, true, "").unwrap_err()), format!("{:?}", ExitCode::from(1)));
    }
}
