//! Why Ivy's tables can't be made.

use petrio_engine::EngineError;
use petrio_models::block::rearrangement::RearrangementError;
use petrio_models::cluster::replication::ReplicationError;
use petrio_models::host::unix_1990::UnixError;
use petrio_trace::TraceError;
use petrio_workload::SourceError;
use petrio_workload::file_lives::FileLivesError;

/// Why Ivy's tables can't be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum IvyError {
    /// The made-up trace.
    #[error(transparent)]
    Lives(#[from] FileLivesError),
    /// Its replay.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// Reading it.
    #[error(transparent)]
    Trace(#[from] TraceError),
    /// The host.
    #[error(transparent)]
    Host(#[from] UnixError),
    /// The copies.
    #[error(transparent)]
    Copies(#[from] ReplicationError),
    /// Data laid out by use.
    #[error(transparent)]
    Layout(#[from] RearrangementError),
    /// The net's own run, after the programs have ended.
    #[error(transparent)]
    Rest(#[from] petrio_kernel::RunError),
    /// The run.
    #[error(transparent)]
    Run(#[from] EngineError),
    /// What should be changed about the study can't be.
    #[error("{0}")]
    Settings(String),
    /// The net.
    #[error("{0}")]
    Net(String),
}
