//! What was read for a workload before it is planned.

use super::events::EventReplay;
use petrio_users::UserSpecification;
use petrio_workload::program::{RequestParameters, RequestSurvey};
use petrio_workload::replay::TraceFiles;
use std::path::PathBuf;
use std::sync::Arc;

/// What was read for a workload, and what for: it serves every workload that would read the same.
#[derive(Clone, Debug)]
pub(crate) enum Reading {
    /// All is in the scenario.
    Nothing,
    /// Of users, by the name of its file.
    Specification(PathBuf, Arc<UserSpecification>),
    /// What a look over captured requests has found.
    Requests(RequestParameters, Arc<RequestSurvey>),
    /// What a look over a trace's calls on files has found.
    Events(Box<EventReplay>, Arc<TraceFiles>),
}
