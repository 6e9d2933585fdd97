//! What a validation's rows come to: told, and the exit code.

use crate::failure::Failure;
use crate::output::{print, talk};
use petrio_validation::verdict::{Judged, Judgement};

/// Tells what is known to miss (beside JSON on standard error), and fails where anything else does.
pub(crate) fn conclude(rows: &[Judged], beside: bool, help: &str) -> Result<(), Failure> {
    let of = |verdict| rows.iter().filter(move |row| row.verdict == verdict);
    for row in of(Judgement::KnownToMiss) {
        let line = format!("known to miss: {}", row.line());
        if beside { talk(&line) } else { print(&format!("{line}\n"))? }
    }
    let missed: Vec<&Judged> = of(Judgement::Misses).collect();
    let beyond = |row: &Judged| row.error.abs() - row.bound;
    let Some(worst) = missed.iter().max_by(|a, b| beyond(a).total_cmp(&beyond(b))) else { return Ok(()) };
    for row in &missed {
        let line = format!("misses: {}", row.line());
        if beside { talk(&line) } else { print(&format!("{line}\n"))? }
    }
    let message =
        format!("{} of {} rows miss their bound; the worst: {}", missed.len(), rows.len(), worst.line());
    Err(Failure::Missed { message, help: help.to_owned() })
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

    #[test]
    fn a_made_up_miss_ends_with_1_and_a_known_one_does_not() {
        assert!(conclude(&[], true, "").is_ok());
        assert!(conclude(&[row(-9.0, None), row(40.0, Some((50.0, "it is old")))], true, "").is_ok());
        for missed in [row(11.0, None), row(-51.0, Some((50.0, "it is old")))] {
            let failure = conclude(&[row(1.0, None), missed], true, "look").unwrap_err();
            let Failure::Missed { message, help } = &failure else { unreachable!("it is a miss") };
            assert!(message.starts_with("1 of 2 rows miss their bound; the worst: made up"), "{message}");
            assert_eq!(help, "look");
            let codes = [report(failure), ExitCode::from(1)].map(|code| format!("{code:?}"));
            assert_eq!(codes[0], codes[1]);
        }
    }
}
