//! A pool of Ceph with an image of RBD on it: a block device whose objects lie on OSDs.
//!
//! ```text
//!  requests ─▶ client ─ by object: its placement group's primary ─▶ primary ─▶ other OSDs ─▶ BlueStore: data, RocksDB's log
//!                ▲                                                    │  ▲          │
//!  completions ◀─┴────────────────── once all have committed ─────────┘  └──────────┘
//! ```
//!
//! An image is cut into objects; a hash of an object's name gives its placement group, and CRUSH (`crush`) the OSDs of that, the first of
//! which speaks for it (`layout`). A write goes to the primary, from there to all others at once, and is answered when all have
//! committed it; a read is the primary's alone, or of as many shards as data are made of (`primary`). Each OSD has queues with threads
//! for operations (`osd`), and writes as BlueStore does (`store`). OSDs stop and come back, and others are filled with what lay on them
//! (`fill`); what stands where is a state of its own (`whereabouts`).
//!
//! Source: Ceph 16.2, file by file where it is used. Leaves out monitors and managers (maps change at the instant that they are to),
//! peering's messages, heartbeats, scrubs, snapshots, caches of the client, cache tiers, compression, and other clients than the
//! kernel's one of RBD.

mod costs;
mod crush;
mod effort;
mod fill;
mod layout;
mod levers;
mod osd;
mod page;
mod parameters;
mod pool;
mod primary;
mod recovery_parameters;
mod rjenkins;
mod store;
mod store_parameters;
mod straw2;
mod tally;
mod whereabouts;

#[cfg(test)]
mod oracle_tests;
#[cfg(test)]
mod whereabouts_tests;

pub use costs::Costs;
pub use layout::{Device, check_room};
pub use page::{CephPorts, ceph_page};
pub use parameters::{CephError, CephParameters, Erasure};
pub use pool::Pool;
pub use recovery_parameters::{OsdStop, Recovery};
pub use store_parameters::Store;
pub use tally::Tally;
