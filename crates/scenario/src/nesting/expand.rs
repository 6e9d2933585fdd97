//! From the tree of parts to its flat form.

use super::kind::Kind;
use super::read::Reader;
use super::used::Texts;
use super::{flat, references, size};
use crate::text::tree::Table;
use crate::text::{Copies, Problem, Sources};
use petrio_files::inputs::Inputs;
use toml::de::{DeTable, DeValue};

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
    let mut reader = Reader::new(texts, sources, inputs);
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
