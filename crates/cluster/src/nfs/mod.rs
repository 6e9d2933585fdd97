//! NFS over a network: what carries a mount's calls to the server that exports it, and what that does.
//!
//! ```text
//!   page cache ─▶ requests (READ, WRITE, calls) ─▶ slots ─▶ connections ⋯ network ⋯ threads ─▶ the server's file system
//!              ◀── completions ◀── replies ⋯ network ⋯ ◀── durable, where the export is `sync` ◀──┘
//! ```
//!
//! Which calls there are is the client's to decide (`petrio_host::nfs`), below its page cache: here each takes the time that it takes.
//! A client has so many slots; a call without one waits. It goes over one of `nconnect` connections, in turns. On the server a thread
//! takes it, asks the file system there, has what the protocol promises to be durable put on disk, and answers.
//!
//! What isn't answered is sent again, over UDP in fragments of which each may be lost; a server keeps replies so that nothing is done twice, and
//! may stop and come back, when what it had in memory alone is sent again.
//!
//! After net/sunrpc and fs/nfsd of Linux 6.1; lengths by `petrio_host::nfs` from the RFCs. Left out: what a client's interrupted
//! calls leave, GSS, that a server which has stopped has lost what it had read (its file system's memory is still there), and that threads of several clients compete for a file's lock beyond what the server's file system has of it.

mod attempts;
mod carrier;
mod changes;
mod client;
mod conserved;
#[cfg(test)]
mod conserved_tests;
mod datagrams;
#[cfg(test)]
mod failure_tests;
mod grace;
mod message;
mod page;
mod parameters;
mod recovery;
mod replies;
mod server;
mod sessions;
mod tally;
mod unstable;

pub use carrier::Carrier;
pub use page::{NfsClient, NfsServer, nfs_page};
pub use parameters::{ExportMode, NfsCosts, NfsError, NfsParameters};
pub use tally::ProcedureTally;
