//! The files of a user specification in real directories: made, resumed, verified and removed.
//!
//! A *manifest* in the directory says what is being made: specification, users and seed, from which every name and size
//! follows. A
//! *journal* beside it says what was made, by what each file is known ([`crate::beneath::Identity`]): so exactly what was made is removed, and
//! a creation that was killed goes on where it was.
//!
//! ```text
//!  .petrio-files.json      the manifest
//!  .petrio-files.made      the journal
//!  .petrio-files.lock      one petrio at a time; in the directory of each place
//!  .petrio-files.removing/ what is being removed, for a moment
//!  home/u001/ …            the files
//! ```
//!
//! **Invariant:** nothing is written or removed outside the directories that the caller names; all of it is done below handles on
//! them, and no symbolic link is followed ([`crate::beneath`]).
//!
//! **Invariant:** nothing is removed or written to that petrio hasn't made, whatever name it has. A file that petrio has made is
//! petrio's, whatever was written into it since; one that was put in its place isn't.

mod away;
mod cool;
mod create;
mod enter;
mod error;
mod journal;
mod lock;
mod made_by_users;
mod manifest;
mod remove;
mod room;
mod site;
mod verify;
mod walk;

pub use cool::cool_down;
pub use create::{Created, create};
pub use error::NamespaceError;
pub use lock::Access;
pub(crate) use made_by_users::clear_recorded;
pub use made_by_users::{Cleared, Homes, recorded};
pub use manifest::Manifest;
pub use petrio_files::own::MANIFEST;
pub use remove::{Kept, Removed, Why, remove};
pub use site::{Directories, Site};
pub use verify::{Verified, verify};
