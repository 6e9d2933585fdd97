//! `petrio validate`

use crate::command::validate_ceph::ValidateCeph;
use crate::command::validate_disks::ValidateDisks;
use crate::command::validate_dissertation::ValidateDissertation;
use crate::command::validate_ivy::ValidateIvy;
use crate::command::validate_nfs::ValidateNfs;
use crate::command::validate_pariosim::ValidateParIoSim;
use crate::command::validate_pvfs::ValidatePvfs;
use crate::command::validate_raid::ValidateRaid;
use crate::command::validate_residuals::ValidateResiduals;
use crate::command::validate_streaming::ValidateStreaming;
use crate::command::validate_syncs::ValidateSyncs;
use crate::failure::Failure;
use crate::judged::exit_codes;
use crate::live::{ValidateFs, ValidateLive, ValidateOps};
use clap::Subcommand;

/// Compare predictions with measurements
#[derive(Subcommand)]
#[command(after_help = exit_codes!())]
pub(crate) enum Validate {
    Disks(ValidateDisks),
    Streaming(ValidateStreaming),
    /// Single file operations: the requests that reach the device and the time, beside a real kernel's where there is
    /// root
    Ops(ValidateOps),
    /// File systems: reads, writes, syncs and cliffs, predicted beside measured here; a real ext3 with limits where
    /// there is root
    Fs(ValidateFs),
    /// Real programs and kernels on an emulated disk, beside the model of the same: requests, operations, power cuts; needs
    /// root
    Live(ValidateLive),
    Ivy(Box<ValidateIvy>),
    Nfs(ValidateNfs),
    Pvfs(ValidatePvfs),
    Ceph(ValidateCeph),
    #[command(name = "pariosim")]
    ParIoSim(ValidateParIoSim),
    Raid(ValidateRaid),
    Syncs(ValidateSyncs),
    Dissertation(ValidateDissertation),
    Residuals(ValidateResiduals),
}

impl Validate {
    pub(crate) fn execute(&self) -> Result<(), Failure> {
        match self {
            Self::Disks(disks) => disks.execute(),
            Self::Streaming(streaming) => streaming.execute(),
            Self::Ops(ops) => ops.execute(),
            Self::Fs(fs) => fs.execute(),
            Self::Live(live) => live.execute(),
            Self::Ivy(ivy) => ivy.execute(),
            Self::Nfs(nfs) => nfs.execute(),
            Self::Pvfs(pvfs) => pvfs.execute(),
            Self::Ceph(ceph) => ceph.execute(),
            Self::ParIoSim(study) => study.execute(),
            Self::Raid(raid) => raid.execute(),
            Self::Syncs(syncs) => syncs.execute(),
            Self::Dissertation(dissertation) => dissertation.execute(),
            Self::Residuals(residuals) => residuals.execute(),
        }
    }
}
