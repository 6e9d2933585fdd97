//! `kind = "script"`: operations on files one by one.

use super::kind::{FilePattern, Intensity, Planned};
use super::longer::count;
use super::reading::Reading;
use indexmap::IndexMap;
use petrio_files::inputs::Inputs;
use petrio_workload::PausesDrawn;
use petrio_workload::program::{Placement, ProgramError, ScriptParameters};

/// A script that is done so many times at least is the same at its beginning and later.
const SAME_FROM: u64 = 20;

impl FilePattern for ScriptParameters {
    fn check(&self) -> Result<(), ProgramError> {
        self.validate()
    }

    fn plan(&self, placement: &Placement, _: &Reading, _: &Inputs) -> Planned {
        Ok(Box::new(Self::plan(self, placement)?))
    }

    fn largest(&self) -> Option<(u64, &'static str)> {
        None
    }

    fn places(&self) -> Option<&IndexMap<String, String>> {
        Some(&self.places)
    }

    fn words(&self) -> String {
        let processes = petrio_page::numbers::counted(self.processes.into(), "process", "processes");
        match self.repeat {
            1 => format!("a script, {processes}"),
            times => format!("a script {times} times, {processes}"),
        }
    }

    fn intensity(&self) -> Option<Intensity> {
        Some(Intensity::whole("processes", self.processes, "process"))
    }

    fn lengthen(&mut self, times: f64) -> bool {
        self.repeat = count(self.repeat, times);
        true
    }

    fn draw_pauses(&mut self) -> bool {
        PausesDrawn::draw_pauses(self)
    }

    fn has_phases(&self) -> bool {
        self.repeat < SAME_FROM
    }
}
