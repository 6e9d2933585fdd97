//! `petrio net`

use crate::command::scenario::ScenarioArguments;
use crate::failure::Failure;
use crate::output::{print, print_json};
use crate::outputs::Outputs;
use crate::results::say_written;
use clap::Args;
use petrio_kernel::draw;
use petrio_scenario::build::System;
use petrio_scenario::report::write_text;
use std::path::PathBuf;

/// Draw the Petri net of a scenario, page by page
#[derive(Args)]
pub(crate) struct Net {
    #[command(flatten)]
    scenario: ScenarioArguments,
    /// Write the drawing as SVG
    #[arg(long, value_name = "FILE", value_parser = crate::streams::output)]
    svg: Option<PathBuf>,
    /// Print the net for Graphviz
    #[arg(long, conflicts_with_all = ["json", "pnml"])]
    dot: bool,
    /// Print the net as JSON
    #[arg(long, conflicts_with = "pnml")]
    json: bool,
    /// Print the uncoloured skeleton as PNML
    #[arg(long)]
    pnml: bool,
}

impl Net {
    pub(crate) fn execute(&self) -> Result<(), Failure> {
        let loaded = self.scenario.load()?;
        Outputs::of([("--svg", &self.svg)]).check([])?;
        let net = System::build(&loaded)?.net;
        if let Some(path) = &self.svg {
            write_text(path, &draw::to_svg(&net))?;
            say_written([path]);
        }
        if self.json {
            return print_json(&draw::describe(&net));
        }
        if self.pnml {
            return print(&draw::to_pnml(&net));
        }
        if self.dot || self.svg.is_none() {
            return print(&draw::to_dot(&net));
        }
        Ok(())
    }
}
