//! `petrio schema`

use crate::failure::Failure;
use crate::output::{print, print_json, width};
use clap::Args;
use petrio_scenario::reference::{Of, find, markdown, text};

/// Explain the keys of a scenario and of petrio's other files: one of them in words, or all of them for an editor
///
/// With a key's path it says what the key does, what may be written there, and what it is where it is left out. Without
/// one it prints the JSON schema of the scenario file, for editors.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Schema {
    /// A key, such as fs.journal, host.memory, machine.calls.read; or the JSON schema of a whole file: scenario, users
    /// (a user specification), device, machine, kernel (of the catalogue), report (what run --json writes), faults (what emulate --faults takes)
    #[arg(value_name = "KEY", default_value = "scenario")]
    of: String,
    /// Print all keys of all files as one page of Markdown
    #[arg(long, conflicts_with = "of")]
    markdown: bool,
}

const EXAMPLES: &str = "\
Examples:
  petrio schema fs.journal
  petrio schema workload.fsync
  petrio schema disk.cache.segments     (keys between may be left out: disk.NAME.drive.cache.segments)
  petrio schema users.category
  petrio schema report.stages           (what a report's JSON has)
  petrio schema > scenario.schema.json

An editor that knows TOML and JSON schemas (Even Better TOML in VS Code, taplo elsewhere) completes and checks a file
whose first line names the schema:
  #:schema ./scenario.schema.json";

/// So many keys of one path are told whole; of more, where they stand.
const WHOLE_MAX: usize = 3;

impl Schema {
    pub(crate) fn execute(&self) -> Result<(), Failure> {
        if self.markdown {
            return print(&markdown());
        }
        if let Some(of) = Of::ALL.into_iter().find(|of| of.word() == self.of) {
            return print_json(&of.schema());
        }
        let found = find(&self.of).map_err(|not| {
            let message = format!("there is no key \"{}\"", self.of);
            let help = match not.near.is_empty() {
                true => {
                    "petrio schema --markdown has them all, petrio schema host those of a part".to_owned()
                }
                false => format!("did you mean {}?", not.near.join(", ")),
            };
            Failure::new(message, Some(help))
        })?;
        let width = width();
        if found.len() > WHOLE_MAX {
            let rows = found.iter().map(|answer| format!("  {}\n", answer.path.replace(".NAME", "")));
            let all = rows.fold(String::new(), |all, row| if all.contains(&row) { all } else { all + &row });
            return print(&format!("\"{}\" stands in several places; ask for one of them:\n{all}", self.of));
        }
        let answers: Vec<String> = found.iter().map(|answer| text(answer, width)).collect();
        print(&answers.join("\n"))
    }
}
