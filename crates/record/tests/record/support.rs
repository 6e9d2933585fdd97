//! How tests record something.

use petrio_record::{FILE, Parameters, Recorded, record};
use petrio_trace::event::{Event, EventKind};
use petrio_trace::native::NativeReader;
use std::path::Path;
use std::process::ExitStatus;

/// A recorded command: how it ended, what was counted, and all events.
pub(crate) struct Made {
    pub(crate) status: ExitStatus,
    pub(crate) recorded: Recorded,
    pub(crate) events: Vec<Event>,
}

impl Made {
    /// Events of a kind on a path that ends so, those that failed left out.
    pub(crate) fn of(&self, kind: EventKind, path: &str) -> Vec<&Event> {
        let ends = |event: &&Event| event.path.as_ref().is_some_and(|found| found.ends_with(path));
        self.events.iter().filter(|event| event.kind == kind && event.error == 0).filter(ends).collect()
    }

    /// Events of a kind.
    pub(crate) fn all(&self, kind: EventKind) -> Vec<&Event> {
        self.events.iter().filter(|event| event.kind == kind).collect()
    }
}

/// Records a line of the shell's, whose `$D` is a folder of the test's own.
pub(crate) fn shell(folder: &Path, line: &str) -> Made {
    let line = format!("D={}; {line}", folder.display());
    command(folder, &["sh", "-c", &line])
}

/// Records a command.
pub(crate) fn command(folder: &Path, words: &[&str]) -> Made {
    let out = folder.join("recording");
    let parameters = Parameters {
        out: out.clone(),
        command: words.iter().map(Into::into).collect(),
        force: true,
        keep_raw: false,
        mpi: None,
        outside: false,
    };
    let (status, recorded) = record(&parameters).unwrap();
    let reader = NativeReader::open(&out.join(FILE)).unwrap();
    Made { status, recorded, events: reader.collect::<Result<_, _>>().unwrap() }
}

/// Whether programs are there; a test that needs one that isn't says that it is skipped.
pub(crate) fn possible(test: &str, programs: &[&str]) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let there = |program: &&&str| !std::env::split_paths(&path).any(|folder| folder.join(program).is_file());
    match programs.iter().find(there) {
        None => true,
        Some(program) => {
            println!("skipped: {test} needs {program}");
            false
        }
    }
}
