//! A message-passing library that needn't be written: where there is only one way for the ranks of a parallel program to
//! reach each other, they take it.
//!
//! ```text
//! [host.h] …                              [host.h] …
//! [workload.w]                     ─▶     [workload.w] …
//! kind = "parallel"                       [mpi.messages]
//! ranks = 8 …                             hosts = ["h"]
//! ```

use super::MPI;
use crate::host::linux::HOST;
use crate::host::linux::network::NETWORK;
use crate::text::tree::{Table, Value};
use std::borrow::Cow;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// What such a library is called, if nothing else is.
pub(super) const IMPLIED: &str = "messages";

/// Joins the hosts of a tree by a library where ranks need one, none is written, and there is no choice: all hosts of the
/// only network, or the only host. A library that is called `messages` and says nothing of its hosts is completed likewise,
/// so that one may set what it is made of.
pub(crate) fn join_ranks(root: &mut Table<'_>) {
    let tree = root.get_ref();
    let written = named(tree, MPI);
    let known = match written.as_slice() {
        [] => false,
        [(IMPLIED, DeValue::Table(library))] => !library.contains_key("hosts"),
        _ => return,
    };
    let workload = named(tree, "workload").into_iter().find(|(_, load)| has_ranks(load));
    // One that is called so and has yet to be completed is wanted, whoever needs it.
    if workload.is_none() && !known {
        return;
    }
    let taken = tree.values().any(|parts| parts.get_ref().get(IMPLIED).is_some());
    if !written.is_empty() && !known || written.is_empty() && taken {
        return;
    }
    // Where its parts are asked for, the workload that needs it is shown.
    let span = workload.and_then(|(_, workload)| workload.get("kind")).map_or(0..0, Spanned::span);
    let Some(hosts) = only_way(tree, &span) else { return };
    let key = |name: &'static str| Spanned::new(span.clone(), Cow::Borrowed(name));
    let table = || Spanned::new(span.clone(), DeValue::Table(DeTable::new()));
    let libraries = root.get_mut().entry(key(MPI)).or_insert_with(table).get_mut();
    let DeValue::Table(libraries) = libraries else { return };
    if let DeValue::Table(library) = libraries.entry(key(IMPLIED)).or_insert_with(table).get_mut() {
        library.insert(key("hosts"), hosts);
    }
}

/// The parts under a key.
fn named<'t, 'i>(tree: &'t DeTable<'i>, key: &str) -> Vec<(&'t str, &'t DeValue<'i>)> {
    let parts = tree.get(key).and_then(|parts| parts.get_ref().as_table());
    parts.into_iter().flatten().map(|(name, part)| (name.get_ref().as_ref(), part.get_ref())).collect()
}

/// A parallel program of more than one rank.
fn has_ranks(workload: &DeValue<'_>) -> bool {
    let kind = workload.get("kind").and_then(|kind| kind.get_ref().as_str());
    let ranks = workload.get("ranks").and_then(|ranks| ranks.get_ref().as_integer());
    kind == Some("parallel") && ranks.is_some_and(|ranks| ranks.as_str() != "1")
}

/// Networks that lie within something that holds blocks (`nodes = { network = … }`): they join nobody else.
fn within_holders<'t>(tree: &'t DeTable<'_>) -> Vec<&'t str> {
    let parts = tree.values().filter_map(|parts| parts.get_ref().as_table()).flat_map(|parts| parts.values());
    let nodes = parts.filter_map(|part| part.get_ref().as_table()?.get("nodes")?.get_ref().as_table());
    nodes.filter_map(|nodes| nodes.get("network")?.get_ref().as_str()).collect()
}

/// The hosts of the only network, or the only host.
fn only_way<'i>(tree: &DeTable<'i>, span: &std::ops::Range<usize>) -> Option<Value<'i>> {
    let within = within_holders(tree);
    let mut networks = named(tree, NETWORK);
    networks.retain(|(name, _)| !within.contains(name));
    let hosts = tree.get(HOST)?.get_ref().as_table()?;
    match (hosts.len(), networks.as_slice()) {
        (1, _) | (_, [_]) => {}
        _ => return None,
    }
    if let (2.., [(_, network)]) = (hosts.len(), networks.as_slice())
        && let Some(joined) = network.get("hosts")
    {
        return Some(joined.clone());
    }
    let names = hosts.keys().map(|name| {
        Spanned::new(span.clone(), DeValue::String(Cow::Owned(name.get_ref().clone().into_owned())))
    });
    Some(Spanned::new(span.clone(), DeValue::Array(names.collect())))
}
