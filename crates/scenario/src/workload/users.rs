//! `kind = "users"`: synthetic users, as a specification describes them.

use super::kind::{FilePattern, Planned};
use super::longer::count32;
use super::reading::Reading;
use crate::text::Problem;
use crate::users::load_users_in;
use indexmap::IndexMap;
use petrio_files::inputs::Inputs;
use petrio_users::{UserSpecification, Users};
use petrio_workload::program::{Placement, ProgramError};
use std::path::Path;
use std::sync::Arc;

impl FilePattern for Users {
    fn check(&self) -> Result<(), ProgramError> {
        // The rest shows only in the specification, which is read when the programs are prepared.
        self.validate()
    }

    fn read(&self, inputs: &Inputs) -> Result<Reading, ProgramError> {
        let specification = specification(self, inputs)?;
        Ok(Reading::Specification(self.specification.clone(), specification))
    }

    fn plan(&self, placement: &Placement, reading: &Reading, inputs: &Inputs) -> Planned {
        let specification = match reading {
            Reading::Specification(_, specification) => specification.clone(),
            _ => specification(self, inputs)?,
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

    fn lengthen(&mut self, times: f64) -> bool {
        self.sessions = count32(self.sessions, times);
        true
    }

    fn has_phases(&self) -> bool {
        true
    }
}

fn specification(users: &Users, inputs: &Inputs) -> Result<Arc<UserSpecification>, ProgramError> {
    let path = &users.specification;
    load_users_in(inputs, path, &[]).map(Arc::new).map_err(|problems| {
        let first = problems.iter().next();
        let at = first.and_then(Problem::location);
        let at = at.unwrap_or_else(|| inputs.path_of(path).display().to_string());
        ProgramError::Users { at, problem: first.map(ToString::to_string).unwrap_or_default() }
    })
}
