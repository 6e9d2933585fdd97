//! `kind = "users"`: synthetic users, as a specification describes them.

use super::kind::{FilePattern, Intensity, Planned, ReadUsers};
use super::longer::count32;
use super::reading::Reading;
use crate::text::Problem;
use indexmap::IndexMap;
use petrio_files::inputs::Inputs;
use petrio_users::Users;
use petrio_workload::program::{Placement, ProgramError};
use std::path::Path;
use std::sync::Arc;

impl FilePattern for Users {
    fn check(&self) -> Result<(), ProgramError> {
        // The rest shows only in the specification, which is read when the programs are prepared.
        self.validate()
    }

    fn read(&self, inputs: &Inputs, users: ReadUsers) -> Result<Reading, ProgramError> {
        let path = &self.specification;
        let specification = users(inputs, path, &[]).map_err(|problems| {
            let first = problems.iter().next();
            let at = first.and_then(Problem::location);
            let at = at.unwrap_or_else(|| inputs.path_of(path).display().to_string());
            ProgramError::Users { at, problem: first.map(ToString::to_string).unwrap_or_default() }
        })?;
        Ok(Reading::Specification(path.clone(), Arc::new(specification)))
    }

    fn plan(&self, placement: &Placement, reading: &Reading, inputs: &Inputs) -> Planned {
        let Reading::Specification(_, specification) = reading else {
            let at = inputs.path_of(&self.specification).display().to_string();
            return Err(ProgramError::Users { at, problem: "it has not been read".to_owned() });
        };
        let top = placement.directory_name();
        Ok(Box::new(specification.plan(self, placement, Some(&top))?))
    }

    fn file(&self) -> Option<(&Path, &'static str)> {
        Some((&self.specification, "specification"))
    }

    fn places(&self) -> Option<&IndexMap<String, String>> {
        Some(&self.places)
    }

    fn largest(&self) -> Option<(u64, &'static str)> {
        None
    }

    fn words(&self) -> String {
        let users = petrio_page::numbers::counted(self.users.into(), "synthetic user", "synthetic users");
        format!(
            "{users}, {} each",
            petrio_page::numbers::counted(self.sessions.into(), "session", "sessions")
        )
    }

    fn serves(&self, reading: &Reading) -> bool {
        matches!(reading, Reading::Specification(path, _) if *path == self.specification)
    }

    fn intensity(&self) -> Option<Intensity> {
        Some(Intensity::whole("users", self.users, "user"))
    }

    fn lengthen(&mut self, times: f64) -> bool {
        self.sessions = count32(self.sessions, times);
        true
    }

    fn has_phases(&self) -> bool {
        true
    }
}
