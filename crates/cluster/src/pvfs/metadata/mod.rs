//! What PVFS 2 asks its servers about names and attributes: which messages an operation costs, and how long each is.
//!
//! ```text
//!  operation ─▶ what the client knows (attributes, sizes, names, capabilities, each as old as it may be)      known.rs
//!            ─▶ what is where (a file's and a directory's servers, stuffed files, split directories)      namespace.rs
//!            ─▶ rounds: requests that are sent at once, one round after the other                     rounds.rs, ask.rs
//!                        │ kind, server, object
//!                        ▼
//!              messages, each with its bytes                                                                 message.rs
//! ```
//!
//! After OrangeFS 2.10 (src/client/sysint, src/server), with the lengths that were counted of it. All servers are servers of data and
//! of metadata: an object lies on one that is drawn when it is made. Leaves out: mirrored files, access control lists, symbolic links,
//! signatures (its default is a build without security), errors.

mod ask;
mod known;
mod message;
mod namespace;
mod rounds;
#[cfg(test)]
mod tests;

pub use ask::{Ask, Operation, Rounds, Stage, relayed};
pub use known::{Known, Validity};
pub use message::{COMPLETION, DATA_HEADER, Kind, Message, data_messages};
pub use namespace::{Namespace, Site, children};
pub use rounds::{Client, NAMES_AT_ONCE};
