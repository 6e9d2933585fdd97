//! Synthetic users: people who log in, use files of several categories, think, and log out.
//!
//! A [`UserSpecification`] says which files there are and what kinds of users do with them.
//! [`UserSpecification::namespace`] lays the files out; [`UserSpecification::prepare`] makes a program of each user.
//! Both are the same, from the same seed, for a real directory and for a simulated file system.
//!
//! ```text
//!  specification ─┬─ namespace ─────────────┬─ FileTable ─▶ a volume, or a directory
//!                 └─ population ─ sessions ─┴─ UserProgram (one a process) ─▶ the net, or threads
//! ```
//!
//! Source: W.-l. Kao, *A user-oriented synthetic workload generator*, CRHC-91-19, University of Illinois, 1991.

#![warn(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
#![cfg_attr(
    test,
    allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the numbers of a test are small"
    )
)]

mod access;
mod calls;
mod crowd;
mod layout;
pub mod learn;
mod like;
pub mod namespace;
mod population;
mod program;
mod readings;
mod rows;
mod session;
mod specification;
mod usage;
mod walk;
mod workload;

pub use calls::{After, CallChain, CallKind};
pub use crowd::Users;
pub use layout::{Numbers, Part};
pub use population::USERS_MAX;
pub use readings::{Choice, Cut, Readings, ShareOf, ThinkAfter};
pub use rows::Together;
pub use specification::{SessionKind, Use, UserPhase, UserSpecification, UserType};
pub use usage::{CallUsage, SessionUsage, Usage, UsageAnalyser, is_login};
pub use workload::{Expected, crowd_name, is_made_by_users};
