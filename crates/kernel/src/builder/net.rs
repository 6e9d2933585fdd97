//! All that is declared of a net, before it is compiled.

use super::draft::Draft;
use crate::error::NetError;
use crate::names::{Index, Names};
use crate::net::{Conserved, Starter};
use crate::structure::{Page, PlaceSpec, ProbeSpec, StreamSpec};
use crate::sum::NamedSum;
use petrio_persist::Kinds;
use petrio_time::numbers::as_number;
use std::collections::HashMap;

/// Collects pages, places and transitions, and compiles them into a [`Net`](crate::Net).
pub struct NetBuilder {
    pub(super) name: String,
    pub(super) pages: Vec<Page>,
    pub(super) places: Vec<PlaceSpec>,
    pub(super) drafts: Vec<Draft>,
    pub(super) streams: Vec<StreamSpec>,
    pub(super) probes: Vec<ProbeSpec>,
    pub(super) conserved: Vec<Conserved>,
    pub(super) sums: Vec<NamedSum>,
    pub(super) starters: Vec<Starter>,
    pub(super) kinds: Kinds,
    pub(super) error: Option<NetError>,
    pub(super) names: Names,
    pub(super) streams_by_path: StreamsByPath,
}

/// Streams by path, then by purpose; looked up only, as [`Names`].
type StreamsByPath = HashMap<String, Vec<(String, u32)>>;

impl NetBuilder {
    /// An empty net.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            pages: vec![Page { path: String::new(), parent: None, ports: Vec::new() }],
            places: Vec::new(),
            drafts: Vec::new(),
            // Stream 0 stands in where a place needs none.
            streams: vec![StreamSpec { path: String::new(), purpose: String::new() }],
            probes: Vec::new(),
            conserved: Vec::new(),
            sums: Vec::new(),
            starters: Vec::new(),
            kinds: Kinds::default(),
            error: None,
            names: Names { pages: Index::of_one("", 0), ..Names::default() },
            streams_by_path: StreamsByPath::default(),
        }
    }

    pub(super) fn fail(&mut self, error: NetError) {
        self.error.get_or_insert(error);
    }

    pub(super) fn add_stream(&mut self, path: String, purpose: &str) -> u32 {
        let known = self.streams_by_path.get(&path).map_or(&[][..], Vec::as_slice);
        if let Some((_, index)) = known.iter().find(|(known, _)| known == purpose) {
            return *index;
        }
        let index = as_number(self.streams.len());
        self.streams_by_path.entry(path.clone()).or_default().push((purpose.to_owned(), index));
        self.streams.push(StreamSpec { path, purpose: purpose.to_owned() });
        index
    }
}
