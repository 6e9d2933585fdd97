//! What is known of parts before any is read: their kinds, how they are called, and what names find among them.

mod directory;
mod names;
mod part_kind;

pub(crate) use directory::Directory;
pub(crate) use names::{name_in, name_on};
pub(crate) use part_kind::{PartKind, Pool};
