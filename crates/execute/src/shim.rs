//! What is loaded into MPI's ranks, compiled by the user's `mpicc`; it lies in a folder as long as this lives.

use petrio_files::temporary::TemporaryFolder;
use petrio_record::mpi::{Source, WITH_LIBRARY, compile_with};
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

const SOURCE: Source = Source { name: "ranks.c", text: include_str!("../shim/ranks.c") };

/// What Open MPI is told: that several ranks share a processor, that who waits lets others go on, and that root may start them (in petrio's
/// own file system there is nothing to protect from it). Other libraries don't know these.
const OPEN_MPI: [(&str, &str); 4] = [
    ("OMPI_MCA_mpi_yield_when_idle", "1"),
    ("OMPI_MCA_rmaps_base_oversubscribe", "1"),
    ("OMPI_ALLOW_RUN_AS_ROOT", "1"),
    ("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"),
];

/// It, as an object.
#[derive(Debug)]
pub struct Shim {
    _folder: TemporaryFolder,
    object: PathBuf,
}

impl Shim {
    /// Compiles it.
    ///
    /// # Errors
    /// Why it can't be, in words.
    pub fn compile() -> Result<Self, String> {
        let folder =
            TemporaryFolder::new().map_err(|error| format!("there is no temporary folder: {error}"))?;
        let object = compile_with(folder.path(), &SOURCE, &WITH_LIBRARY)?;
        Ok(Self { _folder: folder, object })
    }

    /// Variables of the environment by which it is loaded into all that a program starts.
    pub fn environment(&self) -> Vec<(OsString, OsString)> {
        let mut preload = self.object.clone().into_os_string();
        if let Some(others) = std::env::var_os("LD_PRELOAD").filter(|others| others != OsStr::new("")) {
            preload.push(":");
            preload.push(others);
        }
        let given = OPEN_MPI.iter().map(|(name, value)| (name.into(), value.into()));
        [("LD_PRELOAD".into(), preload)].into_iter().chain(given).collect()
    }
}
