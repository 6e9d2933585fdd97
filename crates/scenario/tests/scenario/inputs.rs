//! What a scenario reads, and how often: each input once, however many runs share it.

use crate::common::once_of;
use petrio_files::inputs::Inputs;
use petrio_kernel::Watch;
use petrio_scenario::report::{Report, Sinks};
use petrio_scenario::{Loaded, Override, load, load_from};
use std::path::{Path, PathBuf};

fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples")
}

fn overrides(all: &[&str]) -> Vec<Override> {
    all.iter().map(|one| one.parse().unwrap()).collect()
}

/// Runs a scenario with all its experiments; how often each of its files was opened.
fn opened(loaded: &Loaded) -> Vec<(String, u64)> {
    once_of(loaded);
    let name = |path: PathBuf| path.file_name().unwrap().to_string_lossy().into_owned();
    loaded.inputs().opened().into_iter().map(|(path, times)| (name(path), times)).collect()
}

fn figures(report: &Report) -> String {
    serde_json::to_string(report).unwrap()
}

#[test]
fn each_input_is_opened_once_for_four_replications_and_all_experiments() {
    let cases = [
        ("users/on-ext4.toml", "thesis.toml", &["workload.users.sessions=2", "workload.users.users=1"][..]),
        ("captured-requests.toml", "shop.csv.xz", &["measure.max_requests=300"]),
        ("replay-a-compile.toml", "compile-files.parquet", &["measure.max_requests=300"]),
        ("compile-on-two-drives.toml", "compile.csv.xz", &["measure.max_requests=300"]),
    ];
    for (scenario, input, changes) in cases {
        let mut changes = overrides(changes);
        changes.extend(overrides(&["measure.replications=4"]));
        let loaded = load(&examples().join(scenario), &changes).unwrap();
        assert_eq!(opened(&loaded), [(input.to_owned(), 1)], "{scenario}");
    }
}

#[test]
fn a_run_from_memory_is_that_from_files() {
    let folder = examples().join("users");
    let changes = overrides(&["workload.users.sessions=2", "measure.replications=2"]);
    let from_files = load(&folder.join("on-ext4.toml"), &changes).unwrap();
    let inputs = Inputs::none();
    inputs.hold(Path::new("thesis.toml"), std::fs::read(folder.join("thesis.toml")).unwrap());
    let text = std::fs::read_to_string(folder.join("on-ext4.toml")).unwrap();
    let from_memory = load_from("on-ext4.toml", &text, &inputs, &changes, &Watch::default()).unwrap();
    let both = [&from_files, &from_memory].map(once_of);
    assert_eq!(figures(&both[0]), figures(&both[1]));
    assert!(inputs.opened().is_empty());
}

#[test]
fn what_is_changed_after_loading_is_planned_anew() {
    let path = examples().join("users/on-ext4.toml");
    let changes = overrides(&["workload.users.sessions=2"]);
    let mut changed = load(&path, &changes).unwrap();
    changed.scenario.seed = 7;
    changed.prepare().unwrap();
    let seeded = load(&path, &[changes, overrides(&["seed=7"])].concat()).unwrap();
    let both = [&changed, &seeded].map(once_of);
    assert_eq!(figures(&both[0]), figures(&both[1]));
    assert_eq!(changed.inputs().opened().into_values().collect::<Vec<_>>(), [1]);
}

/// Whoever runs scenarios on several threads hands the listeners over.
#[test]
fn listeners_and_scenarios_can_be_sent() {
    fn is_send<T: Send>() {}
    is_send::<Sinks>();
    is_send::<Loaded>();
}
