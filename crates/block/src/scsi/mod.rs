//! SCSI over a network: a host's requests as commands, data and answers between it and a target.
//!
//! ```text
//!  requests ─▶ initiator ─▶ command, data out ─▶ network ─▶ target ─▶ disk, array
//!  completions ◀─ initiator ◀─ ready, data in, status ◀─ network ◀─ target ◀─┘
//! ```
//!
//! An exchange is a command, its data and its answer. A read's data come before its answer; a write's data wait until the
//! target says that it is ready for them, but for as many as may go unasked (a first burst, immediate data). A target takes
//! so many commands at a time: others wait before it.
//!
//! Sources: the Fibre Channel Protocol for SCSI (INCITS FCP-2, sections 9.1 to 9.5: FCP_CMND 32 bytes, FCP_XFER_RDY 12,
//! FCP_RSP 24) and RFC 7143 (iSCSI: a header of 48 bytes in each message, sections 11 and 13). Leaves out: logging in,
//! several connections of a session, several paths, task management, errors of a link, digests, and reads whose data are
//! under way before the device has all of them.

mod conserved;
mod error;
mod exchange;
mod initiator;
mod message;
mod parameters;
mod target;

#[cfg(test)]
mod tests;

pub use error::ScsiError;
pub use exchange::Exchange;
pub use initiator::{Initiator, RemoteTarget, initiator_page};
pub use parameters::ScsiParameters;
pub use target::{Target, target_page};
