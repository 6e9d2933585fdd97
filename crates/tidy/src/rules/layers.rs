//! The arrows between crates, which only ever point down (see ARCHITECTURE.md).

use crate::{Tree, Violation};

/// The height of each crate. An arrow goes from a greater to a smaller number, never sideways.
const LAYERS: &[(&str, u8)] = &[
    ("bounds", 0),
    ("files", 0),
    ("persist-derive", 0),
    ("random", 0),
    ("time", 0),
    ("persist", 1),
    ("colours", 2),
    ("kernel", 2),
    ("units", 2),
    ("distribution", 3),
    ("loss", 3),
    ("page", 2),
    ("stage", 3),
    ("network", 4),
    ("device", 4),
    ("block", 5),
    ("host", 6),
    ("cluster", 7),
    ("models", 8),
    ("trace", 3),
    ("capture", 4),
    ("record", 6),
    ("extrapolate", 4),
    ("workload", 5),
    ("report", 9),
    ("users", 6),
    ("engine", 6),
    ("emulate", 7),
    ("intercept", 5),
    ("execute", 11),
    ("scenario", 10),
    ("live", 10),
    ("study", 11),
    ("validation", 11),
    ("benchmark", 12),
    ("studio", 12),
    ("hostile", 12),
    ("cli", 13),
    ("python", 13),
];

/// Crates whose lints are their own, because one module of theirs talks to the kernel where no safe call does: all that the workspace
/// asks for but that unsafe code is denied instead of forbidden, and allowed by that module alone.
const OWN_LINTS: &[(&str, &str)] = &[("intercept", "src/kernel.rs")];

/// Crates that only check the repository and depend on nothing of it.
const APART: &[&str] = &["tidy"];

/// Every dependency of a crate on another of the workspace points down, tests included.
pub fn arrows_point_down(tree: &Tree) -> Vec<Violation> {
    let mut found = Vec::new();
    for file in &tree.files {
        let Some(name) = file.path.strip_prefix("crates/").and_then(|rest| rest.strip_suffix("/Cargo.toml"))
        else {
            continue;
        };
        let manifest: toml::Table = match file.text.as_deref().unwrap_or("").parse() {
            Ok(manifest) => manifest,
            Err(error) => {
                found.push(Violation::whole(&file.path, error.to_string()));
                continue;
            }
        };
        if !APART.contains(&name) && height(name).is_none() {
            found.push(Violation::whole(
                &file.path,
                format!("no layer is known for `{name}`; give it one in crates/tidy/src/rules/layers.rs"),
            ));
        }
        for target in dependencies(&manifest) {
            let points_down = match (height(name), height(&target)) {
                (Some(from), Some(to)) => from > to,
                (None, Some(_)) | (Some(_), None) => false,
                (None, None) => true,
            };
            if !points_down {
                found.push(Violation::whole(
                    &file.path,
                    format!("the arrow {name} → {target} doesn't point down"),
                ));
            }
        }
        let inherits =
            manifest.get("lints").and_then(|lints| lints.get("workspace")).and_then(toml::Value::as_bool);
        match OWN_LINTS.iter().find(|(own, _)| *own == name) {
            Some((_, module)) => found.extend(own_lints(tree, &manifest, (name, module))),
            None if inherits != Some(true) => {
                found.push(Violation::whole(&file.path, "add `[lints] workspace = true`"));
            }
            None => {}
        }
    }
    found
}

/// A crate with lints of its own denies unsafe code, and has it in one module only.
fn own_lints(tree: &Tree, manifest: &toml::Table, (name, module): (&str, &str)) -> Vec<Violation> {
    let lint = |group: &str, lint: &str| {
        let group = manifest.get("lints").and_then(|lints| lints.get(group));
        group.and_then(|group| group.get(lint)).cloned()
    };
    let manifest_path = format!("crates/{name}/Cargo.toml");
    let mut found = Vec::new();
    if lint("rust", "unsafe_code") != Some(toml::Value::from("deny")) {
        found.push(Violation::whole(&manifest_path, "its own lints deny unsafe_code"));
    }
    if lint("clippy", "unwrap_used").is_none() || lint("rust", "missing_docs").is_none() {
        found
            .push(Violation::whole(&manifest_path, "its own lints are the workspace's, but for unsafe_code"));
    }
    let (folder, module) = (format!("crates/{name}/"), format!("crates/{name}/{module}"));
    for file in tree.files.iter().filter(|file| file.path.starts_with(&folder) && file.path != module) {
        if file.path.ends_with(".rs") && file.text.as_deref().is_some_and(|text| text.contains("unsafe_code"))
        {
            found.push(Violation::whole(&file.path, format!("unsafe code is in {module} alone")));
        }
    }
    found
}

fn height(name: &str) -> Option<u8> {
    LAYERS.iter().find(|(layer, _)| *layer == name).map(|(_, height)| *height)
}

/// The workspace's crates that a manifest names in any table of dependencies, without their prefix.
fn dependencies(manifest: &toml::Table) -> Vec<String> {
    let mut names = Vec::new();
    for table in ["dependencies", "dev-dependencies", "build-dependencies"] {
        let keys =
            manifest.get(table).and_then(toml::Value::as_table).into_iter().flat_map(toml::Table::keys);
        names.extend(keys.filter_map(|key| key.strip_prefix("petrio-")).map(str::to_owned));
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    fn manifest(dependencies: &str) -> String {
        format!("[lints]\nworkspace = true\n{dependencies}\n")
    }

    #[test]
    fn an_arrow_up_or_sideways_is_found_even_if_only_tests_need_it() {
        let up = manifest("[dependencies]\npetrio-study.workspace = true");
        let sideways = manifest("[dev-dependencies]\npetrio-device.workspace = true");
        let down = manifest("[dependencies]\npetrio-kernel.workspace = true");
        let tree = Tree::imagined(&[
            ("crates/kernel/Cargo.toml", &up),
            ("crates/network/Cargo.toml", &sideways),
            ("crates/workload/Cargo.toml", &down),
        ]);
        let found = arrows_point_down(&tree);
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found[0].what.contains("kernel → study"));
        assert!(found[1].what.contains("network → device"));
    }

    #[test]
    fn a_crate_without_layer_or_lints_is_found() {
        let found = arrows_point_down(&Tree::imagined(&[("crates/novel/Cargo.toml", "[package]\n")]));
        assert_eq!(found.len(), 2, "{found:?}");
    }
}
