//! From a scenario's text to its report, for the tests of more than one file.

pub(crate) mod laws;

use petrio_scenario::build::System;
use petrio_scenario::report::{Report, Sinks};
use petrio_scenario::{Loaded, load_text, run};

/// A scenario that makes sense, on its own catalogue and no folder.
pub(crate) fn loaded(text: &str) -> Loaded {
    load_text("test.toml", text, None, &[]).unwrap_or_else(|problems| {
        panic!("{}", problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))
    })
}

/// Its report, with all that follows from running it more than once.
pub(crate) fn report(text: &str) -> Report {
    run::run(&loaded(text), Sinks::default()).unwrap()
}

/// The report of one run.
pub(crate) fn once(text: &str) -> Report {
    once_of(&loaded(text))
}

/// The same of what is loaded.
pub(crate) fn once_of(loaded: &Loaded) -> Report {
    run::simulate(loaded, &System::build(loaded).unwrap(), Sinks::default()).unwrap()
}

/// The first mistake of one that makes none.
pub(crate) fn problem(text: &str) -> String {
    let problems = load_text("test.toml", text, None, &[]).unwrap_err();
    problems.iter().next().unwrap().to_string()
}
