//! Scenario files, the catalogue, and reports of runs.
//!
//! [`load`] reads a scenario file and checks it: what comes back can be run, or is a list of mistakes that each point
//! at their line. [`Scenario`] is the file's struct tree, [`catalogue`] the devices, machines and kernels that it may
//! name, [`report`] what a run gives and the forms in which it is written.
//!
//! ```
//! let text = r#"
//!     [disk.d0]
//!     model = "hp-97650"
//!     [workload.w]
//!     kind = "trace"
//!     on = "d1"
//!     files = ["load.trace"]
//! "#;
//! let problems = petrio_scenario::load_text("example.toml", text, None, &[]).unwrap_err();
//! let advice: Vec<&str> = problems.iter().filter_map(|problem| problem.advice()).collect();
//! assert_eq!(advice[..2], ["did you mean \"hp-97560\"?", "did you mean \"d0\"?"]);
//! ```

#![warn(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
#![cfg_attr(
    test,
    allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the numbers of a test are small"
    )
)]

mod bounds;
pub mod build;
pub mod catalogue;
mod chance;
pub mod changes;
mod check;
mod checker;
mod classes;
pub mod costs;
mod devices;
mod emulated;
mod failure;
mod faults;
mod fio;
mod generators;
pub mod given;
pub mod holder;
pub mod host;
pub mod init;
mod levers;
mod load;
mod loaded;
pub mod loss;
mod misplaced;
mod nesting;
pub mod network;
mod own;
mod parts;
mod placed;
pub mod placement;
mod prepare;
mod prepared;
pub mod reference;
pub mod run;
mod scenario;
pub mod schema;
mod site;
pub mod state;
mod text;
mod users;
mod wires;
pub mod workload;

pub use emulated::EmulatedParts;
pub use faults::{load_faults, load_faults_text};
pub use fio::plain as workload_name;
pub use host::{
    MountPoint, PlacedBeegfs, PlacedFileSystem, PlacedHost, PlacedHosts, PlacedLinux, PlacedLustre,
    PlacedMpi, PlacedNfs, PlacedPvfs, PlacedSan, PlacedShare, PlacedUnix, PlacedUnixFileSystem,
    PlacedUnixHosts, ProfileLine, SanDisk, SharePlacement, Volume,
};
pub use load::{load, load_from, load_in, load_on, load_parts, load_text};
pub use loaded::Loaded;
pub use misplaced::sort_of;
pub use network::PlacedNetwork;
use petrio_report::claim;
pub use petrio_report::{self as report, Claim, Sentence};
pub use placed::{PlacedDisk, Storage};
pub use scenario::Scenario;
pub use text::{NotWritten, Override, Problem, Problems, Severity, text_with};
pub use users::{load_users, load_users_in, load_users_text};
