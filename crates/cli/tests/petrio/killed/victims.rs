//! The commands that are killed: what they need, and what must hold of what they were writing.

use super::{Scene, below};
use crate::compare::FILES;
use crate::support::{RANDOM, root};
use parquet::file::reader::SerializedFileReader;
use petrio_trace::native::NativeReader;
use std::fs::{self, File};
use std::path::Path;

type Check = fn(&Scene) -> Result<(), String>;

/// A command.
pub(super) struct Victim {
    pub(super) name: &'static str,
    pub(super) needs_root: bool,
    /// It is killed within so many milliseconds.
    pub(super) window_ms: u64,
    /// Once.
    pub(super) prepare: fn(&Scene),
    /// Before each start.
    pub(super) clear: fn(&Scene),
    pub(super) arguments: &'static [&'static str],
    /// After each kill.
    pub(super) check: Check,
}

const SPECIFICATION: &str = "thesis.toml";

/// Users who work as long as nobody ends them, in threads or, with the last of these, in processes.
const USERS_RUN_BY_PROCESSES: [&str; 16] = [
    "users",
    "run",
    SPECIFICATION,
    "--dir",
    "files",
    "--users",
    "4",
    "--sessions",
    "1000",
    "--share",
    "heavy=1",
    "--set",
    "user.heavy.think=200 us",
    "--out",
    "o.parquet",
    "--processes=3",
];
const USERS_RUN: &[&str] = USERS_RUN_BY_PROCESSES.split_at(15).0;

pub(super) const VICTIMS: [Victim; 14] = [
    Victim {
        name: "run, all outputs",
        needs_root: false,
        window_ms: 1_500,
        prepare: |scene| write(scene, "scenario.toml", RANDOM),
        clear: clear_outputs,
        arguments: &[
            "run",
            "scenario.toml",
            "--quiet",
            "--json",
            "o.json",
            "--csv",
            "o.csv",
            "--html",
            "o.html",
            "--parquet",
            "o.parquet",
            "--perfetto",
            "o.perfetto",
            "--trace",
            "o-trace.parquet",
            "--device-log",
            "o-log.parquet",
            "--set",
            "workload.w.requests=20000",
        ],
        check: outputs_are_whole,
    },
    Victim {
        name: "fs create",
        needs_root: false,
        window_ms: 400,
        prepare: specification,
        clear: |scene| drop(fs::remove_dir_all(scene.work("files"))),
        arguments: &["fs", "create", SPECIFICATION, "--dir", "files", "--users", "12"],
        check: |scene| {
            done(scene, &["fs", "create", SPECIFICATION, "--dir", "files", "--users", "12"])?;
            done(scene, &["fs", "verify", "--dir", "files"])?;
            done(scene, &["fs", "remove", "--dir", "files"])
        },
    },
    Victim {
        name: "users run, threads",
        needs_root: false,
        window_ms: 1_000,
        prepare: users_files,
        clear: clear_outputs,
        arguments: USERS_RUN,
        check: outputs_are_whole,
    },
    Victim {
        name: "users run, processes",
        needs_root: false,
        window_ms: 1_000,
        prepare: users_files,
        clear: clear_outputs,
        arguments: &USERS_RUN_BY_PROCESSES,
        check: outputs_are_whole,
    },
    Victim {
        name: "users compare",
        needs_root: false,
        window_ms: 1_500,
        prepare: |scene| {
            specification(scene);
            fs::create_dir(scene.work("a")).unwrap();
        },
        clear: clear_outputs,
        arguments: &[
            "users",
            "compare",
            SPECIFICATION,
            "a",
            "ext4.toml",
            "--users",
            "2",
            "--sessions",
            "3",
            "--set",
            "files.count=120",
            "--json",
            "o.json",
            "--html",
            "o.html",
        ],
        check: outputs_are_whole,
    },
    Victim {
        name: "compare real:",
        needs_root: false,
        window_ms: 1_000,
        prepare: |scene| {
            write(scene, "scenario.toml", FILES);
            fs::create_dir(scene.work("here")).unwrap();
        },
        clear: clear_outputs,
        arguments: &[
            "compare",
            "scenario.toml",
            "real:scenario.toml",
            "--dir",
            "here",
            "--replications",
            "200",
            "--json",
            "o.json",
        ],
        check: |scene| {
            let left = below(&scene.work("here"));
            if left.is_empty() { outputs_are_whole(scene) } else { Err(format!("{left:?}")) }
        },
    },
    Victim {
        name: "studio",
        needs_root: false,
        window_ms: 500,
        prepare: |_| (),
        clear: |_| (),
        arguments: &["studio", "--no-open"],
        check: |_| Ok(()),
    },
    Victim {
        name: "trace capture, a command",
        needs_root: true,
        window_ms: 1_200,
        prepare: |_| (),
        clear: clear_outputs,
        arguments: &[
            "trace",
            "capture",
            "--buffer",
            "1 MiB",
            "--out",
            "o.parquet",
            "--",
            "sh",
            "-c",
            "i=0; while [ $i -lt 300 ]; do cat /etc/passwd > copy; i=$((i + 1)); done",
        ],
        check: outputs_are_whole,
    },
    Victim {
        name: "trace capture --system",
        needs_root: true,
        window_ms: 1_500,
        prepare: |_| (),
        clear: clear_outputs,
        arguments: &["trace", "capture", "--system", "--buffer", "1 MiB", "--out", "o.parquet"],
        check: |scene| {
            use std::os::unix::fs::MetadataExt;
            let is_open =
                |name: &str| fs::metadata(scene.work(name)).is_ok_and(|there| there.mode() & 0o077 != 0);
            if ["o.parquet", "o.log"].into_iter().any(is_open) {
                return Err("others may read it".to_owned());
            }
            outputs_are_whole(scene)
        },
    },
    Victim {
        name: "trace capture --device",
        needs_root: true,
        window_ms: 1_200,
        prepare: |_| (),
        clear: clear_outputs,
        // An fsync of a clean file changes nothing, and still sends a flush to its device.
        arguments: &[
            "trace",
            "capture",
            "--device",
            "/",
            "--buffer",
            "1 MiB",
            "--out",
            "o.csv",
            "--",
            "sh",
            "-c",
            "i=0; while [ $i -lt 600 ]; do sync /etc/passwd; i=$((i + 1)); done",
        ],
        check: |scene| {
            use std::os::unix::fs::MetadataExt;
            if fs::metadata(scene.work("o.csv")).is_ok_and(|there| there.mode() & 0o077 != 0) {
                return Err("others may read it".to_owned());
            }
            outputs_are_whole(scene)
        },
    },
    Victim {
        name: "calibrate",
        needs_root: true,
        window_ms: 3_000,
        prepare: |_| (),
        clear: clear_outputs,
        arguments: &["calibrate", "--quick", "--out", "o.toml"],
        check: outputs_are_whole,
    },
    Victim {
        name: "calibrate --network",
        needs_root: true,
        window_ms: 3_000,
        prepare: |_| (),
        clear: clear_outputs,
        arguments: &[
            "calibrate",
            "--network",
            "--namespaces",
            "--rate",
            "1 Gbit/s",
            "--quick",
            "--out",
            "o.toml",
        ],
        check: outputs_are_whole,
    },
    Victim {
        name: "validate fs",
        needs_root: true,
        window_ms: 3_000,
        prepare: |_| (),
        clear: clear_outputs,
        arguments: &["validate", "fs", "--quick", "--html", "o.html"],
        check: outputs_are_whole,
    },
    Victim {
        name: "validate ops",
        needs_root: true,
        window_ms: 3_000,
        prepare: |_| (),
        clear: clear_outputs,
        arguments: &["validate", "ops", "--repetitions", "2", "--each", "1 ms"],
        check: outputs_are_whole,
    },
];

fn write(scene: &Scene, name: &str, text: &str) {
    fs::write(scene.work(name), text).unwrap();
}

fn specification(scene: &Scene) {
    for (from, to) in
        [("examples/users/thesis.toml", SPECIFICATION), ("examples/users/on-ext4.toml", "ext4.toml")]
    {
        fs::copy(root().join(from), scene.work(to)).unwrap();
    }
}

fn users_files(scene: &Scene) {
    specification(scene);
    done(scene, &["fs", "create", SPECIFICATION, "--dir", "files", "--users", "4"]).unwrap();
}

fn done(scene: &Scene, arguments: &[&str]) -> Result<(), String> {
    let (code, said) = scene.petrio(arguments);
    if code == Some(0) { Ok(()) } else { Err(format!("{arguments:?} ended with {code:?}: {said}")) }
}

fn outputs(scene: &Scene) -> Vec<std::path::PathBuf> {
    let is_output =
        |path: &Path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("o"));
    below(&scene.work(""))
        .into_iter()
        .filter(|path| is_output(path) && path.parent() == scene.work("o").parent())
        .collect()
}

fn clear_outputs(scene: &Scene) {
    outputs(scene).into_iter().for_each(|path| fs::remove_file(path).unwrap());
}

/// Each is absent, or as complete as its kind tells.
fn outputs_are_whole(scene: &Scene) -> Result<(), String> {
    for path in outputs(scene) {
        let text = || fs::read_to_string(&path).unwrap_or_default();
        let extension = path.extension().unwrap_or_default().to_string_lossy().into_owned();
        let is_whole = match extension.as_str() {
            "json" | "perfetto" => serde_json::from_str::<serde_json::Value>(&text()).is_ok(),
            "html" => text().trim_end().ends_with("</html>"),
            "csv" | "toml" | "log" => text().ends_with('\n'),
            "parquet" => SerializedFileReader::new(File::open(&path).unwrap()).is_ok(),
            _ => return Err(format!("nobody knows what {} is", path.display())),
        };
        if !is_whole {
            return Err(format!("{} is not whole", path.display()));
        }
    }
    let capture = scene.work("o-trace.parquet");
    if capture.exists() && NativeReader::open(&capture).is_err() {
        return Err("its trace can't be read".to_owned());
    }
    Ok(())
}
