//! `[multipath.NAME]`: several paths from a host to a device or array.

use super::{Built, BuiltPaths, Holder, HolderPorts, Objection, OnOne, Over};
use crate::schema::read_apart;
use crate::text::tree::Table;
use crate::text::{Problem, Sources};
use petrio_kernel::PageBuilder;
use petrio_models::Lever;
use petrio_models::block::multipath::{
    MultipathError, MultipathParameters, MultipathPorts, PathGroups, PathSelector, multipath_page, path_page,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Several paths from a host to a device or array, as Linux's dm-multipath uses them: each an adapter and a link, of which some may fail.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Multipath {
    /// The disk or array to which the paths lead.
    pub on: String,
    /// The paths.
    #[serde(flatten)]
    pub parameters: MultipathParameters,
}

/// Reads several paths.
pub(super) fn read(table: &Table<'_>, sources: &Sources) -> Result<Multipath, Vec<Problem>> {
    let (OnOne { on }, parameters) = read_apart(table, &["on"], sources)?;
    Ok(Multipath { on, parameters })
}

impl Multipath {
    /// What does nothing of what is written.
    fn idle(&self) -> Option<(&'static str, &'static str)> {
        let MultipathParameters { groups, selector, failback, .. } = &self.parameters;
        if self.parameters.paths.len() < 2 {
            return None;
        }
        if *groups == PathGroups::Failover && *selector != PathSelector::default() {
            return Some((
                "selector",
                "each path is a group of its own, so that there is nothing to select from",
            ));
        }
        if self.parameters.rr_min_io.get() > 1 && *selector != PathSelector::RoundRobin {
            return Some((
                "rr_min_io",
                "only the round-robin selector gives a path several requests in a row",
            ));
        }
        (*groups == PathGroups::Multibus && failback.is_some())
            .then_some(("failback", "all paths are in one group, which is never left"))
    }
}

impl Holder for Multipath {
    fn over(&self) -> Over<'_> {
        Over::One(&self.on)
    }

    fn check(&self, _: usize) -> Vec<Objection> {
        let Err(error) = self.parameters.check() else { return Vec::new() };
        let (key, help) = match &error {
            MultipathError::NoPath => ("paths", "two equal ones: paths = [{}, {}]"),
            MultipathError::Many(_) => ("paths", "name fewer"),
            MultipathError::Throughput(..) => ("paths", "1 is usual; a path twice as fast has 2"),
            MultipathError::Failures(..) => (
                "paths",
                "say restored_after, and name failures in order, each after the end of the one before",
            ),
            MultipathError::Polling => ("polling_interval", "5 s is usual"),
            MultipathError::Waits(_) => {
                ("no_path_retry", "leave out either no_path_retry or queue_if_no_path")
            }
        };
        vec![Objection { key, message: error.to_string(), help: Some(help.to_owned()) }]
    }

    fn without_effect(&self) -> Vec<Objection> {
        let objection = |(key, because): (&'static str, &str)| Objection {
            key,
            message: format!("{key} does nothing here: {because}"),
            help: Some("leave it out, or choose other groups or another selector".to_owned()),
        };
        self.idle().map(objection).into_iter().collect()
    }

    fn passes_discards(&self) -> bool {
        true
    }

    fn blocks(&self, members: &[u64]) -> u64 {
        members.iter().copied().min().unwrap_or(0)
    }

    fn words(&self, _: usize) -> Option<String> {
        let MultipathParameters { paths, groups, selector, rr_min_io, .. } = &self.parameters;
        let by = match selector {
            PathSelector::ServiceTime => "by service time".to_owned(),
            PathSelector::QueueLength => "by queue length".to_owned(),
            PathSelector::RoundRobin if rr_min_io.get() > 1 => format!("in turn, {rr_min_io} requests each"),
            PathSelector::RoundRobin => "in turn".to_owned(),
        };
        let how = match (groups, paths.len()) {
            (_, 1) => return Some("one path".to_owned()),
            (PathGroups::Failover, _) => "one in use".to_owned(),
            (PathGroups::Multibus, _) => format!("all in use {by}"),
            (PathGroups::GroupByPrio, _) => format!("those of the highest priority in use {by}"),
        };
        Some(format!("{} paths, {how}", paths.len()))
    }

    fn pages_beside(&self, name: &str) -> Vec<(String, &'static str)> {
        (0..self.parameters.paths.len()).map(|path| (path_page(name, path), "paths")).collect()
    }

    fn levers_beside(&self, name: &str, path: &str) -> Vec<(String, Vec<Lever>)> {
        let of = |number| (path_page(name, number), self.parameters.levers_of(number, path));
        (0..self.parameters.paths.len()).map(of).collect()
    }

    fn build(&self, page: &mut PageBuilder<'_>, name: &str, ports: &HolderPorts) -> Result<Built, String> {
        let below = ports.members.first().ok_or("it lies on nothing")?;
        let (requests, completions) = (ports.requests, ports.completions);
        let ports = MultipathPorts { requests, completions, down: below.requests, up: below.completions };
        let (stages, multipath) =
            multipath_page(page, name, &self.parameters, ports).map_err(|error| error.to_string())?;
        let to_come = self.parameters.paths.iter();
        let failures =
            to_come.map(|path| path.failures.iter().map(|failure| failure.at.time()).collect()).collect();
        Ok(Built { stages, paths: Some(BuiltPaths { multipath, failures }), ..Built::default() })
    }
}
