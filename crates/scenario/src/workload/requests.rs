//! `kind = "file-trace"`: recorded requests to files.

use super::kind::{FilePattern, Planned, ReadUsers};
use super::reading::Reading;
use petrio_files::inputs::Inputs;
use petrio_workload::program::requests::Opener;
use petrio_workload::program::{Placement, ProgramError, RequestParameters};
use std::path::Path;
use std::sync::Arc;

impl FilePattern for RequestParameters {
    fn check(&self) -> Result<(), ProgramError> {
        // Most of it shows only in the file, which is read when the programs are prepared.
        Ok(())
    }

    fn read(&self, inputs: &Inputs, _: ReadUsers) -> Result<Reading, ProgramError> {
        let survey = named(self, inputs).look_over(&*opener(self, inputs))?;
        Ok(Reading::Requests(self.clone(), Arc::new(survey)))
    }

    fn plan(&self, placement: &Placement, reading: &Reading, inputs: &Inputs) -> Planned {
        let parameters = named(self, inputs);
        let survey = match reading {
            Reading::Requests(_, survey) => survey.clone(),
            _ => Arc::new(parameters.look_over(&*opener(self, inputs))?),
        };
        Ok(Box::new(parameters.plan(placement, survey, opener(self, inputs))?))
    }

    fn file(&self) -> Option<(&Path, &'static str)> {
        Some((&self.file, "file"))
    }

    fn largest(&self) -> Option<(u64, &'static str)> {
        None
    }

    fn words(&self) -> String {
        "recorded file requests, think times kept".to_owned()
    }

    fn serves(&self, reading: &Reading) -> bool {
        matches!(reading, Reading::Requests(parameters, _) if parameters == self)
    }

    fn is_warmed(&self) -> bool {
        self.cached
    }
}

/// Captured requests by the name that messages show.
fn named(requests: &RequestParameters, inputs: &Inputs) -> RequestParameters {
    RequestParameters { file: inputs.path_of(&requests.file), ..requests.clone() }
}

fn opener(requests: &RequestParameters, inputs: &Inputs) -> Arc<Opener> {
    let (inputs, file) = (inputs.clone(), requests.file.clone());
    Arc::new(move || Ok(Box::new(inputs.open(&file)?)))
}
