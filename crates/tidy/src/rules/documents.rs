//! Rules on Markdown pages and on the catalogue's tables of figures.

use crate::{Tracked, Tree, Violation};

/// The two commands that set everything up; a newcomer needs no third.
const SET_UP: &[&str] = &["make run", "make test"];

/// Programs that would set something up.
const SET_UP_PROGRAMS: &[&str] = &[
    "make",
    "cargo",
    "rustup",
    "apt",
    "apt-get",
    "pip",
    "pip3",
    "npm",
    "npx",
    "python3",
    "./configure",
    "sudo",
];

/// The README's command lines set up by `make run` and `make test` alone, and name both.
pub fn readme_needs_two_commands(tree: &Tree) -> Vec<Violation> {
    let Some(readme) = tree.file("README.md") else {
        return vec![Violation::whole("README.md", "there is none")];
    };
    let mut found = Vec::new();
    let commands: Vec<(usize, &str)> = command_lines(readme);
    for (number, command) in &commands {
        let program = command.split_whitespace().next().unwrap_or("");
        if SET_UP_PROGRAMS.contains(&program)
            && !SET_UP.contains(&command.split(" #").next().unwrap_or("").trim())
        {
            found.push(Violation::at(
                &readme.path,
                *number,
                format!("`{command}`: let `make run` or `make test` do it"),
            ));
        }
    }
    for wanted in SET_UP {
        if !commands.iter().any(|(_, command)| command.starts_with(wanted)) {
            found.push(Violation::whole(&readme.path, format!("`{wanted}` isn't shown")));
        }
    }
    found
}

/// The commands in fenced examples: all lines of `sh` fences, those after a `$` elsewhere.
fn command_lines(page: &Tracked) -> Vec<(usize, &str)> {
    let mut commands = Vec::new();
    let mut fence: Option<&str> = None;
    for (number, line) in page.lines() {
        if let Some(language) = line.trim_start().strip_prefix("```") {
            fence = if fence.is_some() { None } else { Some(language) };
        } else if let Some(language) = fence {
            match line.trim_start().strip_prefix("$ ") {
                Some(command) => commands.push((number, command)),
                None if matches!(language, "sh" | "bash") => commands.push((number, line.trim())),
                None => {}
            }
        }
    }
    commands
}

/// A link to a file of the repository leads somewhere.
pub fn links_lead_somewhere(tree: &Tree) -> Vec<Violation> {
    let mut found = Vec::new();
    for page in tree.files.iter().filter(|file| file.extension() == "md") {
        let folder = page.path.rsplit_once('/').map_or("", |(folder, _)| folder);
        for (number, line) in page.lines() {
            for target in link_targets(line) {
                let path = resolve(folder, target);
                let inside = format!("{path}/");
                if !tree.files.iter().any(|file| file.path == path || file.path.starts_with(&inside)) {
                    found.push(Violation::at(
                        &page.path,
                        number,
                        format!("the link to `{target}` leads nowhere"),
                    ));
                }
            }
        }
    }
    found
}

/// The relative targets of `[text](target)` in a line, without their fragments.
fn link_targets(line: &str) -> Vec<&str> {
    let mut targets = Vec::new();
    for (at, _) in line.match_indices("](") {
        let rest = &line[at + 2..];
        let target = rest.split([')', '#', ' ']).next().unwrap_or("");
        if !target.is_empty() && !target.contains("://") && !target.starts_with("mailto:") {
            targets.push(target);
        }
    }
    targets
}

fn resolve(folder: &str, target: &str) -> String {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts.join("/")
}

/// A number without a source is a bug: every file of the catalogue names where its figures are from.
pub fn catalogue_names_its_sources(tree: &Tree) -> Vec<Violation> {
    let mut found = Vec::new();
    for file in
        tree.files.iter().filter(|file| file.path.starts_with("catalogue/") && file.extension() == "toml")
    {
        match file.text.as_deref().unwrap_or("").parse::<toml::Table>() {
            Ok(table) if has_source(&table) => {}
            Ok(_) => found.push(Violation::whole(
                &file.path,
                "no `source`: say which data sheet, paper or measurement the figures are from",
            )),
            Err(error) => found.push(Violation::whole(&file.path, error.to_string())),
        }
    }
    found
}

/// Whether the table, or one inside it, has a `source` or `sources` that says something.
fn has_source(table: &toml::Table) -> bool {
    table.iter().any(|(key, value)| match value {
        toml::Value::String(text) => key == "source" && !text.trim().is_empty(),
        toml::Value::Array(items) => {
            key == "sources" && !items.is_empty()
                || items.iter().filter_map(toml::Value::as_table).any(has_source)
        }
        toml::Value::Table(inner) => key == "sources" && !inner.is_empty() || has_source(inner),
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_third_command_of_set_up_is_found() {
        let good = "```sh\nmake run    # builds\nmake test\n```\n";
        assert!(readme_needs_two_commands(&Tree::imagined(&[("README.md", good)])).is_empty());
        let third = format!("{good}```console\n$ cargo install x\nmake of output\n```\n");
        assert_eq!(readme_needs_two_commands(&Tree::imagined(&[("README.md", &third)])).len(), 1);
        assert_eq!(readme_needs_two_commands(&Tree::imagined(&[("README.md", "nothing\n")])).len(), 2);
    }

    #[test]
    fn a_dead_link_is_found() {
        let page = "[a](../a.md) [b](b/) [c](https://c) [d](gone.md#x)\n";
        let tree = Tree::imagined(&[("docs/p.md", page), ("a.md", "x\n"), ("docs/b/c.md", "x\n")]);
        let found = links_lead_somewhere(&tree);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].what.contains("gone.md"));
    }

    #[test]
    fn a_catalogue_file_without_source_is_found() {
        let tree = Tree::imagined(&[
            ("catalogue/devices/a.toml", "rpm = 1\n"),
            ("catalogue/devices/b.toml", "[seek]\nsource = \"data sheet\"\n"),
            ("catalogue/devices/c.toml", "source = \" \"\n"),
        ]);
        let found = catalogue_names_its_sources(&tree);
        assert_eq!(
            found.iter().map(|v| v.path.as_str()).collect::<Vec<_>>(),
            ["catalogue/devices/a.toml", "catalogue/devices/c.toml"]
        );
    }
}
