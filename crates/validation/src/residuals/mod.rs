//! What validations missed by, as rows of one table: predicted over measured for every figure that both have as a number, with the class of
//! parts and the conditions. Reports take from it how far predictions may be off (`petrio_report::sure`).
//!
//! Left out are validations that count requests or calls and no time (`ops`, `live`, `nfs` by RPC), those that hold
//! predictions against other programs or data sheets (`raid` without a folder, `streaming`), and those whose measurements are pictures
//! without numbers (`pariosim`, `pvfs` without a folder).

mod rows;
mod told;

#[cfg(test)]
mod tests;

use crate::asked::Asked;
use crate::ceph::{self, CephGridError};
use crate::disks::{ValidateError, validate_disks};
use crate::dissertation::{DissertationError, Part, validate_dissertation};
use crate::ivy::{IvyError, IvySettings, validate_ivy};
use crate::md::{self, MdError};
use crate::nfs::grid::{NfsGridError, predict_times, read_times};
use crate::paced::{PlayError, TableError};
use crate::pvfs::{self, PvfsGridError};
use crate::syncs;
use petrio_files::inputs::Inputs;
use petrio_scenario::report::sure::Residual;
use std::path::{Path, PathBuf};

pub use rows::{
    FsRecord, of_ceph, of_disks, of_dissertation, of_fs, of_ivy, of_md, of_nfs, of_pvfs, of_syncs,
};

pub use told::{LeftOutCase, class_error, left_out_in_turn, studies_left_out_in_turn, told};

/// A record of a machine is some thousand rows.
const RECORD_BYTES_MAX: u64 = 64 << 20;

/// Why residuals can't be told.
#[derive(Debug, thiserror::Error)]
pub enum ResidualsFailure {
    /// A record of `petrio validate fs --json` can't be read.
    #[error("{}: {cause}", path.display())]
    Read {
        /// Which.
        path: PathBuf,
        /// Why.
        cause: std::io::Error,
    },
    /// It is none.
    #[error("{}: {error}; name what petrio validate fs --json printed", path.display())]
    Record {
        /// Which.
        path: PathBuf,
        /// Why.
        error: serde_json::Error,
    },
    /// Drives.
    #[error(transparent)]
    Disks(#[from] ValidateError),
    /// A table of fsyncs.
    #[error(transparent)]
    Table(#[from] TableError),
    /// Its play.
    #[error(transparent)]
    Play(#[from] PlayError),
    /// Arrays of Linux md.
    #[error(transparent)]
    Md(#[from] MdError),
    /// NFS.
    #[error(transparent)]
    Nfs(#[from] NfsGridError),
    /// PVFS.
    #[error(transparent)]
    Pvfs(#[from] PvfsGridError),
    /// Ceph.
    #[error(transparent)]
    Ceph(#[from] CephGridError),
    /// The dissertation.
    #[error(transparent)]
    Dissertation(#[from] DissertationError),
    /// Ivy.
    #[error(transparent)]
    Ivy(#[from] IvyError),
    /// A folder with no measurements that are known.
    #[error("{} has none of the folders {}", path.display(), FOLDERS.join(", "))]
    NoFolder {
        /// Which.
        path: PathBuf,
    },
}

/// The folders of measurements that are looked for, each what `validate` of another kind takes.
pub const FOLDERS: [&str; 5] = ["disks", "xfs-ext4", "md", "nfs", "orangefs"];

/// Runs all validations whose measurements ship, those whose measurements lie in folders of `data`, and takes the records of machines
/// that `validate fs --json` printed. `tell` is told what is next.
///
/// # Errors
/// What can't be read or run.
pub fn residuals(
    inputs: &Inputs,
    (data, records): (Option<&Path>, &[PathBuf]),
    tell: &mut dyn FnMut(&str),
) -> Result<Vec<Residual>, ResidualsFailure> {
    let mut all = Vec::new();
    if let Some(data) = data {
        let there: Vec<&str> = FOLDERS.into_iter().filter(|folder| data.join(folder).is_dir()).collect();
        if there.is_empty() {
            return Err(ResidualsFailure::NoFolder { path: data.to_owned() });
        }
        for folder in there {
            tell(folder);
            all.extend(of_folder(inputs, folder, &data.join(folder))?);
        }
    }
    for path in records {
        let unreadable = |cause| ResidualsFailure::Read { path: path.clone(), cause };
        let bytes = inputs.read(path, RECORD_BYTES_MAX).map_err(unreadable)?;
        let rows: Vec<FsRecord> = serde_json::from_slice(&bytes)
            .map_err(|error| ResidualsFailure::Record { path: path.clone(), error })?;
        all.extend(of_fs(&rows));
    }
    tell("ceph");
    all.extend(of_ceph(&ceph::predict(&ceph::shipped()?, &mut |_, _| {})?));
    tell("dissertation");
    let chapter = validate_dissertation(&[Part::Random, Part::Captured], &Asked::default(), &mut |_| {})?;
    all.extend(of_dissertation(&chapter));
    tell("ivy");
    all.extend(of_ivy(&validate_ivy(&IvySettings::default(), &mut |_, _| {})?));
    Ok(all)
}

fn of_folder(inputs: &Inputs, name: &str, folder: &Path) -> Result<Vec<Residual>, ResidualsFailure> {
    Ok(match name {
        "disks" => of_disks(&validate_disks(inputs, folder)?.rows),
        "xfs-ext4" => {
            let (known, _) = syncs::measured(inputs, folder)?;
            of_syncs(&known.iter().map(syncs::play).collect::<Result<Vec<_>, _>>()?)
        }
        "md" => of_md(&md::rows(&md::read_cells(inputs, folder)?, &mut |_, _| {})?),
        "nfs" => {
            let (measured, _) = read_times(inputs, folder)?;
            of_nfs(&predict_times((inputs, folder), &measured, &mut |_, _| {})?)
        }
        _ => {
            let (measured, _) = pvfs::read_grids(inputs, folder)?;
            of_pvfs(&pvfs::predict((inputs, folder), &measured, &mut |_, _| {})?)
        }
    })
}
