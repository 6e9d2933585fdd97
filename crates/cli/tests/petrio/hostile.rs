//! Whole commands with hostile files; `make fuzz` makes a long round.

use petrio_hostile::commands::round;
use std::path::Path;

/// A few of each command.
const RUNS: u64 = 140;

#[test]
fn every_command_has_an_answer_to_every_file() {
    let outcome = round(Path::new(env!("CARGO_BIN_EXE_petrio")), 0, RUNS).unwrap();
    assert!(outcome.wrong.is_empty(), "{}", outcome.wrong.join("\n"));
    let all = outcome.rows.values();
    assert_eq!(all.clone().map(|row| row.runs).sum::<u64>(), RUNS);
    // The files are bad, and not all of them too bad to be read.
    assert!(all.clone().map(|row| row.refused).sum::<u64>() > 50, "{:?}", outcome.rows);
    assert!(all.map(|row| row.done).sum::<u64>() > 5, "{:?}", outcome.rows);
}
