//! `petrio check`

use crate::command::scenario::ScenarioArguments;
use crate::failure::Failure;
use crate::output::print;
use clap::Args;
use petrio_files::inputs::Inputs;
use petrio_scenario::build::System;

/// Check a scenario without running it
#[derive(Args)]
pub(crate) struct Check {
    #[command(flatten)]
    scenario: ScenarioArguments,
}

impl Check {
    pub(crate) fn execute(&self) -> Result<(), Failure> {
        let loaded = self.scenario.load(&Inputs::here())?;
        let system = System::build(&loaded)?;
        let workloads = loaded.scenario.workload.len();
        print(&format!(
            "{}: in order. {}; {workloads} {}; seed {}",
            self.scenario.scenario.display(),
            system.line,
            if workloads == 1 { "workload" } else { "workloads" },
            loaded.scenario.seed,
        ))
    }
}
