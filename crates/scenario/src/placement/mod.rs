//! Placements of files' partitions made from a run: which host touched what, and where each partition lies best.
//!
//! ```text
//!  run ─▶ Accesses (file, partition, host: bytes) ─▶ profile_guided ─▶ table (CSV) ─▶ placement = { profile = … }
//! ```
//!
//! After Wang and Kaeli, "Profile-guided I/O partitioning" (ICS 2003), as the study uses it (§3.1.2): each partition goes to
//! the disk of the process that touches it most. Leaves out copies of partitions, and placements that change during a run.

mod accesses;
mod guided;

pub use accesses::{Accesses, Service};
pub use guided::{Access, Guided, Moved, profile_guided};

use crate::loaded::Loaded;
use crate::text::Problems;
use crate::{PlacedShare, host};
use std::path::Path;
use thiserror::Error;

/// The name under which a new placement is tried; it is held in memory.
const TRIED: &str = "placement of a run.csv";

/// Why partitions can't be placed.
#[derive(Debug, Error, miette::Diagnostic)]
pub enum PlacementError {
    /// There is no file service.
    #[error("the scenario has no file service whose partitions could be placed")]
    #[diagnostic(help("add a part: [share.work] and below it clients = … and servers = …"))]
    NoService,
    /// There are several.
    #[error("there are several file services: {names}; which of them?")]
    #[diagnostic(help("name one with --share"))]
    Several {
        /// Their names.
        names: String,
    },
    /// None of that name.
    #[error("no file service is called \"{name}\"; there are {names}")]
    #[diagnostic(help("name one of them with --share"))]
    Unknown {
        /// What was asked for.
        name: String,
        /// Those that there are.
        names: String,
    },
    /// A run that fails.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Run(#[from] crate::failure::RunFailure),
    /// A scenario that can't have the placement.
    #[error("{0}")]
    #[diagnostic(transparent)]
    Scenario(Box<Problems>),
}

/// The file service of a scenario by its name, or the only one.
pub(crate) fn share_named<'l>(
    loaded: &'l Loaded,
    name: Option<&str>,
) -> Result<&'l PlacedShare, PlacementError> {
    let shares = &loaded.hosts.linux.shares;
    let names = || shares.iter().map(|share| share.name.as_str()).collect::<Vec<_>>().join(", ");
    match (name, &shares[..]) {
        (_, []) => Err(PlacementError::NoService),
        (Some(name), _) => (shares.iter())
            .find(|share| share.name == name)
            .ok_or_else(|| PlacementError::Unknown { name: name.to_owned(), names: names() }),
        (None, [only]) => Ok(only),
        (None, _) => Err(PlacementError::Several { names: names() }),
    }
}

/// Where a scenario says how a file service's partitions are placed.
pub fn placement_path(loaded: &Loaded, share: &str) -> String {
    let flat = format!("{}.{share}", host::SHARE);
    format!("{}.placement", loaded.copies().written(&flat))
}

/// The same scenario with a file service's partitions placed by a table (CSV), which needn't be written anywhere.
///
/// # Errors
/// A table that makes no sense there.
pub fn with_profile(loaded: &Loaded, share: &str, table: &str) -> Result<Loaded, Problems> {
    loaded.inputs().hold(Path::new(TRIED), table.as_bytes());
    loaded.with_settings(&[(placement_path(loaded, share), format!("{{ profile = \"{TRIED}\" }}"))])
}
