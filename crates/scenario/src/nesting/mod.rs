//! Parts that nest and repeat, rewritten as the flat tables that the readers know.
//!
//! ```text
//! [host.server]            host."server0", host."server1"
//! count = 2                disk."server0/d", disk."server1/d"         count = 5 each
//! [host.server.disk.d]  ─▶ fs."server0/data", fs."server1/data"       on = "server0/d0", host = "server0" …
//! count = 5
//! [host.server.fs.data]
//! on = "d0"
//! ```
//!
//! A part's name is its path. Every key and value keeps its place in the text, whichever file it stands in. What is
//! flat already stays as it is, to the byte.
//!
//! [`Reader`](read::Reader) reads the tree of parts and the files that it uses, [`size`] refuses too many of them
//! before any is made, [`flat`] makes the copies, and [`references`] says from the root what each of them names from
//! where it stands.

mod expand;
mod flat;
mod kind;
mod read;
mod references;
mod size;
mod used;

pub(crate) use expand::expand;
pub(crate) use kind::Kind;
pub(crate) use used::Texts;
