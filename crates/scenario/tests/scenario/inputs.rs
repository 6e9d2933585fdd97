//! What a scenario reads, and how often: each input once, however many runs share it.

use crate::common::once_of;
use petrio_files::inputs::Inputs;
use petrio_kernel::Watch;
use petrio_scenario::report::{Report, Sinks, write_csv};
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
        let own = Path::new(scenario).file_name().unwrap().to_string_lossy().into_owned();
        let mut expected = [(own, 1), (input.to_owned(), 1)];
        expected.sort();
        let mut found = opened(&loaded);
        found.sort();
        assert_eq!(found, expected, "{scenario}");
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
    assert_eq!(changed.inputs().opened().into_values().collect::<Vec<_>>(), [1, 1]);
}

/// Two scenarios in one process: what one reads the other may write, but nobody writes over what he reads himself.
#[test]
fn a_scenario_knows_its_own_inputs_and_nobody_elses() {
    let folder = tempfile::tempdir().unwrap();
    let [first, second] = ["first", "second"].map(|name| {
        let trace = folder.path().join(format!("{name}.trace"));
        std::fs::write(&trace, "0.5 0 100 8 1\n").unwrap();
        let text = format!(
            "[disk.d]\nmodel = \"ibm-ultrastar-18es\"\n[workload.w]\nkind = \"trace\"\non = \"d\"\nfiles = [\"{name}.trace\"]\n"
        );
        let scenario = folder.path().join(format!("{name}.toml"));
        std::fs::write(&scenario, text).unwrap();
        let loaded = load(&scenario, &[]).unwrap();
        let report = once_of(&loaded);
        (loaded, report, [scenario, trace])
    });
    for ((loaded, report, own), (_, _, others)) in [(&first, &second), (&second, &first)] {
        for path in own {
            let before = std::fs::read(path).unwrap();
            assert!(loaded.inputs().contain(path));
            let error = write_csv(report, path, loaded.inputs()).unwrap_err();
            assert!(error.to_string().contains("read by this command"), "{error}");
            assert_eq!(std::fs::read(path).unwrap(), before);
        }
        for path in others {
            assert!(!loaded.inputs().contain(path));
        }
    }
    write_csv(&first.1, &second.2[1], first.0.inputs()).unwrap();
}

/// Whoever runs scenarios on several threads hands the listeners over.
#[test]
fn listeners_and_scenarios_can_be_sent() {
    fn is_send<T: Send>() {}
    is_send::<Sinks>();
    is_send::<Loaded>();
}
