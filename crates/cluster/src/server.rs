//! What servers of all file services have in common: each is a process of a host, asks the file system there, and answers who asked it.

use crate::address::Address;
use petrio_colours::{FileOp, Operation};
use petrio_kernel::{PageBuilder, Place};
use petrio_network::Port;
use petrio_persist::Persist;
use petrio_stage::processor::Processors;

/// A server, or a manager, while its page is built.
#[derive(Debug)]
pub struct FileServer {
    /// Its name.
    pub name: String,
    /// Its port on the network.
    pub port: Port,
    /// Its host's number in `processors`.
    pub host: usize,
    /// Which file system of its host holds its files.
    pub file_system: u32,
    /// Its number as a process of its host, which no other process has.
    pub process: u32,
    /// Where it asks its host.
    pub operations: Place<FileOp>,
    /// Where its host answers it.
    pub completions: Place<FileOp>,
}

/// Who sent a server something, and on which connection.
#[derive(Clone, Copy, Debug, Persist)]
pub(super) struct Client {
    pub(super) address: Address,
    pub(super) connection: u32,
}

/// Declares a server's page as one that hears requests, asks its host, and sends replies.
pub(super) fn serves(
    page: &mut PageBuilder<'_>,
    port: &Port,
    (operations, completions): (Place<FileOp>, Place<FileOp>),
    processors: &Processors,
) {
    page.port_in("requests", port.received);
    page.port_out("replies", port.send);
    page.port_out("operations", operations);
    page.port_in("completions", completions);
    page.shared("processor", processors.place());
}

/// Whether an operation on a server's part of a file, where nobody has written anything to that part, is done as on nothing: what is done
/// to nothing is done, and nothing is read.
pub(super) const fn is_done_to_nothing(operation: Operation) -> bool {
    matches!(
        operation,
        Operation::Read
            | Operation::Fsync
            | Operation::Fdatasync
            | Operation::Stat
            | Operation::Unlink
            | Operation::Truncate
    )
}
