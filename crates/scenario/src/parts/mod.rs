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

mod directory;
mod flat;
mod kind;
mod part_kind;
mod read;
mod references;
mod size;
mod used;

pub(crate) use directory::Directory;
pub(crate) use kind::Kind;
pub(crate) use part_kind::{PartKind, Pool};
pub(crate) use used::Texts;

use crate::text::tree::Table;
use crate::text::{Copies, Problem, Sources};
use petrio_files::inputs::Inputs;
use toml::de::{DeTable, DeValue};

/// Parts lie in each other no deeper than this, files that are used included.
pub(crate) const DEPTH_MAX: usize = 64;

/// The flat form of a tree, and what is a copy of what in it; or everything that is wrong with how it nests and
/// repeats.
///
/// Files that are used lie relative to `folder`; without one, none is read.
pub(crate) fn expand<'i>(
    root: Table<'i>,
    texts: &'i Texts,
    sources: &mut Sources,
    inputs: &Inputs,
) -> Result<(Table<'i>, Copies), Vec<Problem>> {
    if is_flat(root.get_ref()) {
        return Ok((root, Copies::default()));
    }
    let mut reader = read::Reader::new(texts, sources, inputs);
    let tree = reader.root(&root);
    let problems = reader.problems;
    if !problems.is_empty() {
        // A file that is used twice is wrong once.
        return Err(Copies::new().told_once(problems));
    }
    size::check(&tree.parts, sources).map_err(|problem| vec![problem])?;
    let (mut flat, copies) = flat::flat(tree, root.span(), sources)?;
    references::resolve(flat.get_mut(), &copies);
    Ok((flat, copies))
}

/// Whether nothing of a file nests, repeats but as disks do, or is described elsewhere.
fn is_flat(root: &DeTable<'_>) -> bool {
    root.iter().all(|(key, value)| match (Kind::of(key.get_ref()), value.get_ref()) {
        (Some(Kind::Box), _) => false,
        (Some(kind), DeValue::Table(parts)) => parts.iter().all(|(name, part)| {
            let new = |key: &str| key == "use" || kind.owns() && (key == "count" || Kind::of(key).is_some());
            let part = part.get_ref().as_table();
            !name.get_ref().contains('/')
                && part.is_none_or(|part| !part.keys().any(|key| new(key.get_ref())))
        }),
        _ => true,
    })
}
