//! What every example and every validation gives is frozen in `tests/frozen`, so that a change of structure changes none of it, and
//! what else changes is seen in the commit that changes it.
//!
//! `PETRIO_FREEZE=1 cargo test -p petrio-cli --test petrio frozen::` writes anew what differs. Validations take long and need an
//! optimised program: they are compared where `PETRIO_FREEZE_VALIDATIONS` names one (`scripts/test-all.sh`), and of those that judge
//! measurements only where `PETRIO_DATA` names their folder.

use crate::support::{Folder, petrio_at_root, root};
use jsonschema::Validator;
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Text of a report's part beyond which only its fingerprint is kept: curves and histograms.
const TEXT_MAX: usize = 2_000;

/// What it is made of stands nearby, and nobody forges it.
fn fingerprint(bytes: &[u8]) -> String {
    format!("{:016x}", petrio_random::fnv1a(bytes.iter().copied()))
}

/// A report as it is kept: its bytes' fingerprint, and what of it a person reads.
fn kept(bytes: &[u8]) -> String {
    let report: Value = serde_json::from_slice(bytes).unwrap();
    let short = |value: Value| {
        let text = value.to_string();
        if text.len() > TEXT_MAX {
            json!({ "bytes": text.len(), "fingerprint": fingerprint(text.as_bytes()) })
        } else {
            value
        }
    };
    let report = match report {
        Value::Object(parts) => {
            Value::Object(parts.into_iter().map(|(key, value)| (key, short(value))).collect::<Map<_, _>>())
        }
        other => short(other),
    };
    let whole = json!({ "bytes": bytes.len(), "fingerprint": fingerprint(bytes), "report": report });
    let mut text = serde_json::to_string_pretty(&whole).unwrap();
    text.push('\n');
    text
}

/// Compares with what is kept, or keeps it; whether it was the same.
fn is_as_kept(path: &Path, bytes: &[u8]) -> bool {
    let now = kept(bytes);
    let is_same = std::fs::read_to_string(path).is_ok_and(|before| before == now);
    if !is_same && std::env::var_os("PETRIO_FREEZE").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, now).unwrap();
        return true;
    }
    is_same
}

fn frozen(folder: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/frozen").join(folder)
}

/// The scenarios of a folder of examples.
fn scenarios(folder: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(root().join(folder)).unwrap();
    let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "toml"));
    paths.sort();
    paths
}

/// Runs a scenario; the name under which its report is kept, if that isn't what it gives.
fn changed((name, scenario): &(String, PathBuf), schema: &Validator) -> Option<String> {
    let scenario = scenario.display().to_string();
    // How far figures may be off follows from what validations missed by, which a test of its own holds to what is shipped.
    let without = ["--set", "measure.model_error=false"];
    let run = ["run", &scenario, "--no-what-if", "--json", "-"];
    let answer = Folder::new().petrio(&[&run[..], &without].concat());
    assert_eq!(answer.code, Some(0), "{scenario}: {}", answer.talk);
    if let Err(wrong) = schema.validate(&serde_json::from_str(&answer.out).unwrap()) {
        panic!("{scenario}: not by the report's schema: {wrong} at {}", wrong.instance_path);
    }
    (!is_as_kept(&frozen("examples").join(name), answer.out.as_bytes())).then(|| name.to_owned())
}

#[test]
fn every_example_gives_what_it_gave() {
    let mut examples = Vec::new();
    let folders =
        [("examples", ""), ("examples/architectures", "architectures-"), ("examples/choosing", "choosing-")];
    for (folder, prefix) in folders {
        let name = |path: &Path| format!("{prefix}{}.json", path.file_stem().unwrap().to_string_lossy());
        examples.extend(scenarios(folder).into_iter().map(|path| (name(&path), path)));
    }
    examples.sort();
    let schema = serde_json::from_str(&petrio_at_root(&["schema", "report"]).out).unwrap();
    let schema = jsonschema::validator_for(&schema).unwrap();
    let halves = [0, 1].map(|half| examples.iter().skip(half).step_by(2));
    let changed: Vec<String> = std::thread::scope(|scope| {
        let threads = halves.map(|half| {
            scope.spawn(|| half.filter_map(|example| changed(example, &schema)).collect::<Vec<_>>())
        });
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    assert!(
        changed.is_empty(),
        "not as frozen: {}; where that is meant, say in the commit why, and PETRIO_FREEZE=1 writes them anew",
        changed.join(", ")
    );
    let there = std::fs::read_dir(frozen("examples")).unwrap();
    let mut there: Vec<_> = there.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    there.sort();
    let names: Vec<_> = examples.into_iter().map(|(name, _)| name).collect();
    assert_eq!(there, names, "one for each example, and no other");
}

/// Every validation with the folder of measurements that it needs, below the data's.
const VALIDATIONS: [(&str, &[&str], Option<&str>); 10] = [
    ("dissertation", &[], None),
    ("pvfs", &[], None),
    ("pariosim", &[], None),
    ("ivy", &[], None),
    ("raid", &[], None),
    ("streaming", &[], None),
    ("disks", &["--dir"], Some("disks")),
    ("syncs", &["--dir"], Some("xfs-ext4")),
    ("raid", &["--dir"], Some("md")),
    ("pvfs", &["--dir"], Some("orangefs")),
];

#[test]
fn every_validation_gives_what_it_gave() {
    let Some(petrio) = std::env::var_os("PETRIO_FREEZE_VALIDATIONS") else {
        println!(
            "skipped: every_validation_gives_what_it_gave (PETRIO_FREEZE_VALIDATIONS names no optimised program)"
        );
        return;
    };
    let data = std::env::var_os("PETRIO_DATA").map(PathBuf::from);
    let mut changed = Vec::new();
    for (name, option, needs) in VALIDATIONS {
        let measured = match (needs, &data) {
            (Some(folder), Some(data)) => Some(data.join(folder)),
            (Some(folder), None) => {
                println!("skipped: validate {name} (PETRIO_DATA names no folder with {folder})");
                continue;
            }
            (None, _) => None,
        };
        let mut command = Command::new(&petrio);
        command.args(["validate", name, "--json"]).args(option).args(&measured);
        let output = command.current_dir(root()).output().unwrap();
        assert!(
            matches!(output.status.code(), Some(0 | 1 | 3)),
            "validate {name}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        let file = match needs {
            Some(folder) => format!("{name}-{folder}.json"),
            None => format!("{name}.json"),
        };
        if !is_as_kept(&frozen("validations").join(&file), &output.stdout) {
            changed.push(file);
        }
    }
    assert!(changed.is_empty(), "not as frozen: {}", changed.join(", "));
}
