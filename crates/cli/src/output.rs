//! Standard output and standard error.

use crate::failure::Failure;
use petrio_files::shown;
use std::io::{ErrorKind, IsTerminal, Write};
use std::process::ExitCode;

/// What `petrio validate` ends with where only misses that are known keep everything from holding.
pub(crate) const KNOWN_TO_MISS: u8 = 3;

/// As shells have it: 128 and the number of the signal that ends a program from the keyboard.
pub(crate) const INTERRUPTED: u8 = 130;

/// Prints data on standard output. Names that come from elsewhere may be in it; a terminal obeys none of them.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    let text = shown::lines(text, false, None);
    let end = if text.ends_with('\n') { "" } else { "\n" };
    match write!(out, "{text}{end}").and_then(|()| out.flush()) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Err(Failure::Closed),
        Err(error) => Err(Failure::Output(format!("standard output can't be written: {error}"))),
    }
}

/// Nobody reads a longer line of a message.
const LINE_MAX: usize = 2_000;

/// Says something on standard error; if nobody listens, so be it.
pub(crate) fn talk(text: &str) {
    let text = shown::lines(text, std::io::stderr().is_terminal(), Some(LINE_MAX));
    let _ = writeln!(std::io::stderr().lock(), "{text}");
}

/// Tells the user, and gives the exit code.
pub(crate) fn report(failure: Failure) -> ExitCode {
    match failure {
        Failure::Scenario(problems) => {
            talk(&format!("{:?}", miette::Report::new(*problems)));
            ExitCode::from(2)
        }
        Failure::Plain { message, help } => {
            talk(&format!("error: {}", shown::message(&message)));
            if let Some(help) = help {
                talk(&format!(" help: {}", shown::message(&help)));
            }
            ExitCode::from(2)
        }
        Failure::Output(message) => {
            talk(&format!("error: {}", shown::message(&message)));
            ExitCode::from(1)
        }
        Failure::Missed { message, help } => {
            talk(&format!("error: {}", shown::message(&message)));
            talk(&format!(" help: {}", shown::message(&help)));
            ExitCode::from(1)
        }
        Failure::KnownToMiss { message, help } => {
            talk(&format!("note: {}", shown::message(&message)));
            talk(&format!(" help: {}", shown::message(&help)));
            ExitCode::from(KNOWN_TO_MISS)
        }
        Failure::Code(code) => ExitCode::from(code),
        Failure::Interrupted => {
            talk("interrupted");
            ExitCode::from(INTERRUPTED)
        }
        Failure::Closed => ExitCode::SUCCESS,
    }
}

/// Prints a value as JSON.
pub(crate) fn print_json(value: &impl serde::Serialize) -> Result<(), Failure> {
    let text = serde_json::to_string_pretty(value).map_err(|error| Failure::Output(error.to_string()))?;
    print(&text)
}

/// How wide the terminal is; 100 where standard output is none.
pub(crate) fn width() -> usize {
    if !std::io::stdout().is_terminal() {
        return 100;
    }
    let columns = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    columns.unwrap_or_else(|| usize::from(console::Term::stdout().size().1)).clamp(60, 140)
}
