//! The client of NFS: which RPCs a system call costs, as the real kernel's client sends them.
//!
//! ```text
//!   system call ─▶ walk the path (names, permissions, attributes, each as old as it may be)      client.rs, inode.rs
//!              ─▶ open and close (version 3: attributes; version 4: OPEN, CLOSE, delegations)     open.rs
//!              ─▶ data (pages, read-ahead, WRITEs stable or not, COMMIT)                          data.rs, pages.rs
//!              ─▶ names, attributes, directories                                                  names.rs, directory.rs
//!                        │ Procedure and Parts
//!                        ▼
//!              calls, with the bytes of each and of its reply                                     wire.rs
//! ```
//!
//! After Linux 6.1 (fs/nfs), versions 2 (as kernels before 6.0 have it), 3, 4.0, 4.1 and 4.2. What a client knows, and how long it
//! believes it, decides what it asks: the same call costs three RPCs or none. A call here takes no time: a [`Client`] acts at one instant
//! on an [`Export`], of which other programs on the server are the other users ([`Process::changed_by_other`]). Below a host's page cache
//! (`below.rs`) its calls are requests that take as long as they take ([`Carried`]), and its pages are the cache's.
//!
//! Left out: memory that is short where its own pages are used (they stay until something makes them wrong), several users on a client
//! (each would ask ACCESS for himself), locks that conflict, retransmission, pNFS, Kerberos.

mod below;
mod carried;
mod client;
mod data;
mod directory;
mod inode;
mod names;
mod open;
mod options;
mod pages;
mod procedure;
mod remote;
mod server;
mod session;
mod wire;

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;

pub(crate) use below::Nfs;
pub use carried::{Carried, Effect, Others};
pub use client::{Client, Process};
pub use data::OpenFlags;
pub use names::Change;
pub use options::{GivesUp, LookupCache, MountOptions, OptionError, Version};
pub use procedure::{Call, Procedure, Stability};
pub(crate) use remote::Remote;
pub use server::{Export, Kind, NfsError, Node};
pub use wire::{NameLengths, call_lengths, data_lengths, padded};
