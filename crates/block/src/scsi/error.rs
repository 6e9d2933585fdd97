//! Why SCSI's exchanges can't be carried.

/// Why SCSI's exchanges can't be carried.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ScsiError {
    /// A transport without a protocol of SCSI.
    #[error(
        "a network of this transport carries no commands of SCSI; give it transport = \"fibre-channel\" or \"iscsi\""
    )]
    Transport,
    /// Bursts of nothing.
    #[error("bursts of no bytes move nothing; give a larger `max_burst`, such as 256 KiB, or leave it out")]
    Burst,
    /// A target that takes nothing.
    #[error(
        "a target that takes no command at a time serves nobody; let `queue_depth` be 1 or more, or leave it out"
    )]
    Depth,
}
