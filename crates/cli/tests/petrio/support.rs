//! A folder of its own for each test, and the program run in it.

use serde_json::Value;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A folder with files of a test; removed at its end.
pub(crate) struct Folder(tempfile::TempDir);

/// Where the tests' petrios keep their records: what others of this user left is nothing to them.
const STATE: &str = concat!(env!("CARGO_TARGET_TMPDIR"), "/under-way");

/// What a command said and how it ended.
pub(crate) struct Answer {
    pub(crate) out: String,
    pub(crate) talk: String,
    pub(crate) code: Option<i32>,
}

impl Folder {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    /// With one scenario, `scenario.toml`.
    pub(crate) fn with(scenario: &str) -> Self {
        let folder = Self::new();
        folder.write("scenario.toml", scenario);
        folder
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        std::fs::write(self.path(name), content).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).unwrap()
    }

    pub(crate) fn text(&self, name: &str) -> String {
        String::from_utf8(self.read(name)).unwrap()
    }

    pub(crate) fn json(&self, name: &str) -> Value {
        serde_json::from_slice(&self.read(name)).unwrap()
    }

    /// Names of what lies in it, in order.
    pub(crate) fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = std::fs::read_dir(self.0.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    /// The program, to be run here.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_petrio"));
        // A make that runs these tests isn't the parent of one that petrio runs: that one would say where it is.
        ["MAKEFLAGS", "MFLAGS", "MAKELEVEL"].iter().for_each(|name| {
            command.env_remove(name);
        });
        command.args(arguments).current_dir(self.0.path()).env("NO_COLOR", "1").env("PETRIO_STATE", STATE);
        command
    }

    pub(crate) fn petrio(&self, arguments: &[&str]) -> Answer {
        answer(self.command(arguments).output().unwrap())
    }

    /// The report of `scenario.toml` as JSON, with further arguments, without a search for what would change it.
    pub(crate) fn report(&self, arguments: &[&str]) -> Value {
        let mut all = vec!["run", "scenario.toml", "--quiet", "--no-what-if", "--json", "report.json"];
        all.extend(arguments);
        let answer = self.petrio(&all);
        assert_eq!(answer.code, Some(0), "{}", answer.talk);
        self.json("report.json")
    }
}

fn answer(output: Output) -> Answer {
    Answer {
        out: String::from_utf8(output.stdout).unwrap(),
        talk: String::from_utf8(output.stderr).unwrap(),
        code: output.status.code(),
    }
}

/// The repository's root.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// Runs the program in the repository's root.
pub(crate) fn petrio_at_root(arguments: &[&str]) -> Answer {
    let mut command = Command::new(env!("CARGO_BIN_EXE_petrio"));
    answer(
        command
            .args(arguments)
            .current_dir(root())
            .env("NO_COLOR", "1")
            .env("PETRIO_STATE", STATE)
            .output()
            .unwrap(),
    )
}

/// Words of a message, however its lines are broken and framed.
pub(crate) fn unwrapped(text: &str) -> String {
    let words = text.split_whitespace().filter(|word| word.chars().any(|character| character.is_ascii()));
    words.collect::<Vec<_>>().join(" ")
}

/// Where the first `null` of a document stands: what can't be told as a number is left out instead.
pub(crate) fn null_in(document: &Value, at: &str) -> Option<String> {
    match document {
        Value::Null => Some(at.to_owned()),
        Value::Array(items) => {
            items.iter().enumerate().find_map(|(index, item)| null_in(item, &format!("{at}/{index}")))
        }
        Value::Object(fields) => {
            fields.iter().find_map(|(key, value)| null_in(value, &format!("{at}/{key}")))
        }
        _ => None,
    }
}

/// A number of a report.
pub(crate) fn figure(report: &Value, path: &str) -> f64 {
    report.pointer(path).and_then(Value::as_f64).unwrap_or_else(|| panic!("no number at {path}"))
}

/// One constant-rate disk and the trace `load.trace`; 4 KiB take it 100 µs and 4,096 B / 100 MB/s = 40.96 µs.
pub(crate) const REPLAY: &str = r#"[disk.d0]
model = "constant-rate"

[workload.w]
kind = "trace"
on = "d0"
files = ["load.trace"]
"#;

/// One Cheetah under an open random load that it bears.
pub(crate) const RANDOM: &str = r#"[disk.d0]
model = "seagate-cheetah-9lp"
queue_depth = 1

[workload.w]
kind = "synthetic"
on = "d0"
requests = 2000

[[workload.w.generators]]
read_fraction = 0.66
inter_arrival = { exponential = { mean = "15 ms" } }
size = { constant = "4 KiB" }
"#;

/// Whether this is the superuser, who may do everything.
pub(crate) fn is_root() -> bool {
    std::fs::metadata("/proc/self").unwrap().uid() == 0
}
