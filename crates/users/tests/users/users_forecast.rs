//! What is forecast of a session, beside what sessions do.

use petrio_colours::Operation;
use petrio_time::Time;
use petrio_users::{UsageAnalyser, UserSpecification, Users};
use petrio_workload::program::{CarriedOut, OperationEvents, Placement, Step};
use std::path::Path;

/// Bytes of each session of a crowd.
fn bytes_by_session(specification: &UserSpecification, users: u32, sessions: u32, seed: u64) -> Vec<f64> {
    let placement = Placement { seed, ..Placement::new("users") };
    let prepared = specification.prepare(&Users::new("", users, sessions), &placement, None).unwrap();
    let is_home = |file| {
        let path = prepared.files.path(file).unwrap_or_default();
        path.rsplit('/').nth(1) == Some("home")
    };
    let mut events = OperationEvents::of(&prepared.files, 1);
    let mut analyser = UsageAnalyser::default();
    let mut found = Vec::new();
    for mut program in prepared.programs {
        let mut session = None;
        loop {
            match program.next(Time::ZERO).unwrap() {
                Step::Operation(op) => {
                    if op.operation == Operation::Stat && is_home(op.file) {
                        found.extend(session.replace(0.0));
                    }
                    if matches!(op.operation, Operation::Read | Operation::Write | Operation::Readdir) {
                        session = session.map(|sum| sum + op.length as f64);
                    }
                    let done = CarriedOut {
                        process: op.process,
                        operation: op.operation,
                        file: op.file,
                        offset: op.offset,
                        length: op.length,
                        start: Time::ZERO,
                        took: Time::ZERO,
                    };
                    events.event(&done).iter().for_each(|event| analyser.event(event));
                }
                Step::End => break,
                _ => {}
            }
        }
        found.extend(session);
    }
    // What is analysed is what was asked for.
    let analysed: u64 = analyser.finish().sessions.iter().map(|session| session.bytes).sum();
    assert_eq!(analysed as f64, found.iter().sum::<f64>());
    found
}

/// Of users of the first type.
fn forecast(specification: &UserSpecification) -> f64 {
    let expected = specification.expected().unwrap();
    let first = expected[0].user.clone();
    expected.iter().filter(|expected| expected.user == first).map(|expected| expected.bytes.unwrap()).sum()
}

/// Mean and its standard error.
fn mean(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (n - 1.0);
    (mean, (variance / n).sqrt())
}

#[test]
fn sessions_of_the_thesis_users_access_as_many_bytes_as_is_forecast() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/users/thesis.toml");
    let thesis: UserSpecification = toml::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let bytes: Vec<f64> = (1..=5).flat_map(|seed| bytes_by_session(&thesis, 6, 200, seed)).collect();
    assert_eq!(bytes.len(), 6_000);
    let (mean, error) = mean(&bytes);
    let forecast = forecast(&thesis);
    // Not as much nearer or further as files are taken whose sizes are the nearest: the drawn sizes carry it.
    assert!((mean - forecast).abs() < 2.0 * error, "{mean} ± {error}, and {forecast} is forecast");
}
