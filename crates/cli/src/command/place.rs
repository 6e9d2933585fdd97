//! `petrio place`

use crate::command::scenario::ScenarioArguments;
use crate::failure::Failure;
use crate::output::print;
use crate::outputs::Outputs;
use crate::results::say_written;
use clap::Args;
use petrio_files::inputs::Inputs;
use petrio_kernel::Watch;
use petrio_scenario::report::write_text;
use petrio_study::place::{place, terminal_text};
use std::path::PathBuf;

/// Place the partitions of a file service next to who touches them: run a scenario, place them by that run, run it again
/// with them, and say what was moved and what that brought
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct PlacePartitions {
    #[command(flatten)]
    scenario: ScenarioArguments,
    /// Write the placement as CSV (file, partition, server), for placement = { profile = "FILE" } of a share
    #[arg(long, value_name = "FILE", value_parser = crate::streams::output)]
    out: Option<PathBuf>,
    /// The file service, where there are several
    #[arg(long, value_name = "NAME")]
    share: Option<String>,
    /// Write both reports and what was moved as JSON
    #[arg(long, value_name = "FILE", value_parser = crate::streams::output)]
    json: Option<PathBuf>,
}

const EXAMPLES: &str = "\
Examples:
  petrio place examples/san-direct.toml --out placement.csv
  petrio run examples/san-direct.toml --set 'share.work.placement={ profile = \"../placement.csv\" }'";

impl PlacePartitions {
    pub(crate) fn execute(&self) -> Result<(), Failure> {
        let watch = Watch::default();
        let _stoppable = crate::stop::by_interrupt(&watch);
        self.place(&watch).map_err(|failure| if watch.is_stopped() { Failure::Interrupted } else { failure })
    }

    fn place(&self, watch: &Watch) -> Result<(), Failure> {
        let inputs = Inputs::here();
        let loaded = self.scenario.load_watched(&inputs, watch, None, None)?;
        let outputs = Outputs::of([("--out", &self.out), ("--json", &self.json)]);
        outputs.check(&inputs, [])?;
        let placed = place(&loaded, self.share.as_deref()).map_err(|error| Failure::of(&error))?;
        if let Some(path) = &self.out {
            write_text(path, &inputs, &placed.table)?;
        }
        if let Some(path) = &self.json {
            let text = serde_json::to_string_pretty(&placed).map_err(|error| {
                Failure::new(format!("the result can't be written as JSON: {error}"), None)
            })?;
            write_text(path, &inputs, &text)?;
        }
        if !outputs.to_output() {
            print(&terminal_text(&placed, &self.scenario.scenario, self.out.as_deref()))?;
        }
        say_written(outputs.paths().map(|(_, path)| path));
        Ok(())
    }
}
