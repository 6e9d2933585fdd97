//! What was found when the file-level traces of a scenario were looked over, kept so that each is looked over once.

use petrio_workload::program::ProgramError;
use petrio_workload::replay::TraceFiles;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Traces' files by workload.
#[derive(Clone, Debug, Default)]
pub(crate) struct SurveyedTraces(Arc<Mutex<BTreeMap<String, Arc<TraceFiles>>>>);

impl SurveyedTraces {
    /// The files of a workload's trace; looked for once.
    pub(crate) fn get_or_survey(
        &self,
        workload: &str,
        survey: impl FnOnce() -> Result<TraceFiles, ProgramError>,
    ) -> Result<Arc<TraceFiles>, ProgramError> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(files) = known.get(workload) {
            return Ok(files.clone());
        }
        let files = Arc::new(survey()?);
        known.insert(workload.to_owned(), files.clone());
        Ok(files)
    }
}
