//! The file systems and disks on which operations are compared, and when two sequences of requests on one are the same.

use petrio_models::host::file_system::Family;
use petrio_units::{Bytes, Duration};

/// The file system whose operations are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpsFamily {
    /// ext3.
    Ext3,
    /// ext4.
    Ext4,
    /// XFS.
    Xfs,
}

impl OpsFamily {
    /// As mount(8) has it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ext3 => "ext3",
            Self::Ext4 => "ext4",
            Self::Xfs => "xfs",
        }
    }

    /// How large the volume is unless somebody says otherwise: mkfs.xfs makes none below 300 MiB.
    pub const fn usual_size(self) -> Bytes {
        match self {
            Self::Ext3 | Self::Ext4 => Bytes::from_mib(64),
            Self::Xfs => Bytes::from_mib(512),
        }
    }

    pub(crate) const fn ext(self) -> Option<Family> {
        match self {
            Self::Ext3 => Some(Family::Ext3),
            Self::Ext4 => Some(Family::Ext4),
            Self::Xfs => None,
        }
    }
}

/// What the bytes that a checkpoint of XFS logs come to may differ by a block of 512, KiB (as of the tables that it is judged by).
const LOG_KIB: f64 = 0.5;

/// Whether both are the same requests; writes of XFS' log may differ a little.
pub(crate) fn agree(family: OpsFamily, predicted: &str, measured: &str) -> bool {
    let logged = |word: &str| word.strip_prefix('W')?.strip_suffix('J')?.parse::<f64>().ok();
    let alike = |(ours, theirs): (&str, &str)| match (family, logged(ours), logged(theirs)) {
        (OpsFamily::Xfs, Some(ours), Some(theirs)) => (ours - theirs).abs() <= LOG_KIB,
        _ => ours == theirs,
    };
    let words = || predicted.split(' ').zip(measured.split(' '));
    predicted.split(' ').count() == measured.split(' ').count() && words().all(alike)
}

/// The disk on which operations are compared.
#[derive(Clone, Debug, PartialEq)]
pub enum OpsDisk {
    /// One that takes so long for each request and each flush, and has a write cache.
    Constant(Duration),
    /// A drive of the catalogue, by its name; the volume lies at its beginning.
    Drive(String),
}

/// The disk, or the part of it, on which the volume lies.
pub(crate) fn disk_text(disk: &OpsDisk, size: Bytes) -> String {
    match disk {
        OpsDisk::Constant(each) => format!(
            r#"[disk.d]
model = "constant-rate"
drive.blocks = "{blocks} blocks"
drive.latency = "{each}"
drive.rate = "100 GB/s"
drive.write_cache = true
drive.flush = "{each}""#,
            blocks = size.get() / 512,
        ),
        OpsDisk::Drive(name) => format!(
            r#"[disk.drive]
model = "{name}"
[partition.d]
on = "drive"
size = "{size}""#
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_agree_where_they_are_the_same_but_for_a_block_of_the_log_of_xfs() {
        let xfs = |ours, theirs| agree(OpsFamily::Xfs, ours, theirs);
        assert!(xfs("F W2J F", "F W2J F") && xfs("F W2J F", "F W2.5J F"));
        assert!(!xfs("F W2J F", "F W3J F") && !xfs("F W2J F", "F W2J") && !xfs("W4D F", "W4.5D F"));
        assert!(!agree(OpsFamily::Ext3, "W16J F", "W16.5J F") && agree(OpsFamily::Ext3, "F", "F"));
    }
}
