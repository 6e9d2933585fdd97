//! `petrio net`

use crate::command::scenario::ScenarioArguments;
use crate::failure::Failure;
use crate::output::{print, print_json};
use crate::outputs::Outputs;
use crate::results::say_written;
use clap::Args;
use petrio_files::inputs::Inputs;
use petrio_kernel::{Net as KernelNet, draw};
use petrio_scenario::build::System;
use petrio_scenario::report::write_text;
use petrio_units::nearest;
use std::path::PathBuf;

/// Draw the Petri net of a scenario, page by page
#[derive(Args)]
pub(crate) struct Net {
    #[command(flatten)]
    scenario: ScenarioArguments,
    /// Write the drawing as SVG: the pages as boxes, then each of them
    #[arg(long, value_name = "FILE", value_parser = crate::streams::output)]
    svg: Option<PathBuf>,
    /// Draw this page alone, such as d/mechanics; a name that there isn't gets those that are near
    #[arg(long, value_name = "NAME", requires = "svg")]
    page: Option<String>,
    /// Draw the pages as boxes alone
    #[arg(long, requires = "svg", conflicts_with = "page")]
    overview: bool,
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
        let inputs = Inputs::here();
        let loaded = self.scenario.load(&inputs)?;
        Outputs::of([("--svg", &self.svg)]).check(&inputs, [])?;
        let net = System::build(&loaded)?.driven.net.clone();
        if let Some(path) = &self.svg {
            let drawing = match &self.page {
                Some(name) => draw::page_to_svg(&net, page(&net, name)?),
                None if self.overview => draw::overview_to_svg(&net),
                None => draw::to_svg(&net),
            };
            write_text(path, &inputs, &drawing)?;
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

/// A page by its path.
fn page(net: &KernelNet, name: &str) -> Result<usize, Failure> {
    if let Some(page) = net.find_page(name) {
        return Ok(page);
    }
    let description = draw::describe(net);
    let paths: Vec<&str> = description.pages.iter().map(|page| page.path.as_str()).collect();
    let like = |part: &str| -> Vec<&str> {
        paths.iter().filter(|path| !part.is_empty() && path.contains(part)).take(8).copied().collect()
    };
    // A stage of the report is often several pages: those of the same part are what is looked for.
    let part = name.rfind('/').map_or("", |end| &name[..=end]);
    let help =
        match nearest(name, paths.iter().copied().filter(|path| !path.is_empty())) {
            Some(near) => format!("did you mean {near}?"),
            None => [like(name), like(part)].into_iter().find(|near| !near.is_empty()).map_or(
                "petrio net SCENARIO --svg FILE --overview has the names of all".to_owned(),
                |near| format!("there are {}", near.join(", ")),
            ),
        };
    Err(Failure::new(format!("the net has no page \"{name}\""), Some(help)))
}
