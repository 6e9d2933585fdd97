//! How SCSI is carried and what a target is, as it is written.

use super::error::ScsiError;
use super::exchange::Exchange;
use petrio_network::Transport;
use petrio_stage::Lever;
use petrio_units::{Bytes, Duration};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How hosts and targets speak SCSI with each other, and what a target takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ScsiParameters {
    /// Whether the first 8 KiB of a write go with its command (iSCSI's `ImmediateData`); left out, yes with iSCSI (RFC
    /// 7143), and never with Fibre Channel.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub immediate_data: Option<bool>,
    /// Whether a write's other data wait until the target is ready for them (iSCSI's `InitialR2T`, Fibre Channel's
    /// FCP_XFER_RDY); left out, yes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub initial_ready: Option<bool>,
    /// Bytes of a write that may go before the target is ready, where they needn't wait (`FirstBurstLength`); left out,
    /// 64 KiB (RFC 7143).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_burst: Option<Bytes>,
    /// Bytes of a write that a target is ready for at a time (`MaxBurstLength`); left out, 256 KiB with iSCSI (RFC 7143),
    /// and all with Fibre Channel.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_burst: Option<Bytes>,
    /// Commands that a target takes at a time: others wait before it. Left out, as many as what it lies on accepts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queue_depth: Option<u32>,
    /// A target's work on each command, one after the other, before what it lies on is asked.
    pub overhead: Duration,
}

/// FirstBurstLength and MaxBurstLength (RFC 7143, sections 13.14 and 13.13).
const FIRST_BURST: u64 = 64 << 10;
const MAX_BURST: u64 = 256 << 10;
/// Immediate data fit into one segment (MaxRecvDataSegmentLength, RFC 7143, section 13.12).
const SEGMENT: u64 = 8 << 10;

impl ScsiParameters {
    /// What a request's exchange is made of where this transport carries it.
    ///
    /// # Errors
    /// See [`ScsiError`].
    pub fn exchange(&self, transport: Transport) -> Result<Exchange, ScsiError> {
        if self.max_burst == Some(Bytes(0)) {
            return Err(ScsiError::Burst);
        }
        if self.queue_depth == Some(0) {
            return Err(ScsiError::Depth);
        }
        let first = self.first_burst.map_or(FIRST_BURST, Bytes::get);
        let unasked = if self.initial_ready.unwrap_or(true) { 0 } else { first };
        match transport {
            Transport::FibreChannel => Ok(Exchange {
                command: 32,
                ready: 12,
                response: 24,
                immediate: 0,
                unasked,
                burst: self.max_burst.map_or(u64::MAX, Bytes::get),
                status_with_data: false,
                interleaves: true,
            }),
            // Its headers are the transport's: 48 bytes for each message without data, and before each segment.
            Transport::Iscsi => {
                let immediate = if self.immediate_data.unwrap_or(true) { SEGMENT.min(first) } else { 0 };
                Ok(Exchange {
                    command: 0,
                    ready: 0,
                    response: 0,
                    immediate,
                    unasked: unasked.max(immediate),
                    burst: self.max_burst.map_or(MAX_BURST, Bytes::get),
                    status_with_data: true,
                    interleaves: false,
                })
            }
            Transport::Tcp | Transport::IpOverInfiniband | Transport::Rdma | Transport::Gm => {
                Err(ScsiError::Transport)
            }
        }
    }

    /// What could be better about it; its parameters stand at `path`.
    pub fn levers(&self, path: &str) -> Vec<Lever> {
        let deeper = self.queue_depth.map(|depth| depth.saturating_mul(2));
        let all = [
            Lever::twice(
                "commands",
                "a target's queue depth",
                "targets that take twice as many commands at a time",
            )
            .set_some(path, "queue_depth", deeper),
            Lever::twice("decoding", "a target's own work", "targets' own work twice as fast").halved(
                path,
                "overhead",
                self.overhead,
            ),
        ];
        all.into_iter().filter_map(Lever::if_any).collect()
    }
}
