//! What a kind of workload is: all that the scenario asks of one.

use super::place::{FILE_KEYS, FileLoadPlace};
use super::reading::Reading;
use crate::checker::Checker;
use crate::schema::{Names, Stop, read_apart};
use crate::text::tree::Table;
use crate::text::{Override, Problem, Problems, Sources};
use indexmap::IndexMap;
use petrio_files::inputs::Inputs;
use petrio_units::Bytes;
use petrio_users::UserSpecification;
use petrio_workload::program::{FilePlan, Placement, ProgramError};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// Where a workload is checked.
pub(crate) struct LoadSite<'s, 'c, 'i> {
    pub(crate) checker: &'s mut Checker<'c, 'i>,
    /// Where it stands in the scenario.
    pub(crate) path: &'s str,
    /// What it goes to: numbers of parts that hold blocks, or of volumes.
    pub(crate) on: &'s [u32],
    /// What ends the run.
    pub(crate) stop: &'s Stop,
}

/// What of a workload says how much it asks for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Intensity {
    /// The key.
    pub key: &'static str,
    /// What it is now.
    pub now: f64,
    /// In what it counts.
    pub counts: Counted,
}

/// In what an intensity counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counted {
    /// A factor on times between requests: half of it is twice the load.
    Times,
    /// Whole ones of these: users, processes.
    Whole(&'static str),
}

impl Intensity {
    pub(super) const fn times(now: f64) -> Self {
        Self { key: "time_scale", now, counts: Counted::Times }
    }

    pub(super) fn whole(key: &'static str, now: u32, one: &'static str) -> Self {
        Self { key, now: now.into(), counts: Counted::Whole(one) }
    }
}

/// A workload of any kind.
pub(crate) trait Load {
    /// The disks or the file systems that it goes to.
    fn on(&self) -> &Names;

    /// The workloads that must be over before it begins.
    fn after(&self) -> Option<&Names> {
        self.files_place()?.after.as_ref()
    }

    /// Where it works on files, if it does; else it sends block requests.
    fn files_place(&self) -> Option<&FileLoadPlace> {
        None
    }

    /// What its programs do to files, where it has programs that work on files.
    fn pattern(&self) -> Option<&dyn FilePattern> {
        None
    }

    /// On which other file systems of its host its files lie: by the name of each place, the file system's name.
    fn places(&self) -> Option<&IndexMap<String, String>> {
        self.pattern()?.places()
    }

    /// The key that names its traces, if it has any that are known by what is in them: a state doesn't rest on their names.
    fn trace_names(&self) -> Option<&'static str> {
        self.pattern()?.trace_names()
    }

    /// Tells all that makes no sense of it.
    fn check(&self, site: &mut LoadSite<'_, '_, '_>);

    /// Whether requests come whatever becomes of those before: how many complete in a second is theirs to say.
    fn is_open(&self) -> bool {
        false
    }

    /// Whether it waits for all that it has asked for, so that a slower system gets less work to do.
    fn is_closed(&self) -> bool {
        !self.is_open()
    }

    /// Whether it does one thing after the other, so that its rate changes for reasons of its own.
    fn has_phases(&self) -> bool {
        self.pattern().is_some_and(FilePattern::has_phases)
    }

    /// What of it says how much it asks for, where one key does.
    fn intensity(&self) -> Option<Intensity> {
        self.pattern()?.intensity()
    }

    /// Makes it so many times as long, where it can be: it is then as it was, but for its end.
    fn lengthen(&mut self, _times: f64) -> bool {
        false
    }

    /// Draws pauses that are constant and those of several processes around the same means; whether there are any.
    fn draw_pauses(&mut self) -> bool {
        false
    }
}

/// How user specifications are read.
pub(crate) type ReadUsers = fn(&Inputs, &Path, &[Override]) -> Result<UserSpecification, Problems>;

/// The programs of all replications.
pub(crate) type Planned = Result<Box<dyn FilePlan>, ProgramError>;

/// What processes do to files, whatever describes it.
pub(crate) trait FilePattern {
    /// Checks the parameters.
    fn check(&self) -> Result<(), ProgramError>;

    /// What is to be read for it before it can be planned; user specifications are read by `users`.
    fn read(&self, _inputs: &Inputs, _users: ReadUsers) -> Result<Reading, ProgramError> {
        Ok(Reading::Nothing)
    }

    /// The programs of all replications, from what was read for it.
    fn plan(&self, placement: &Placement, reading: &Reading, inputs: &Inputs) -> Planned;

    /// The file that it is read from, and the key that names it.
    fn file(&self) -> Option<(&Path, &'static str)> {
        None
    }

    /// See [`Load::trace_names`].
    fn trace_names(&self) -> Option<&'static str> {
        None
    }

    /// Bytes of the files of one file system when they are largest, and the key that says so; `None` where it can't be
    /// told beforehand.
    fn largest(&self) -> Option<(u64, &'static str)>;

    /// On which other file systems of its host its files lie: by the name of each place, the file system's name.
    fn places(&self) -> Option<&IndexMap<String, String>> {
        None
    }

    /// What it is, in a few words.
    fn words(&self) -> String;

    /// Whether what was read for a workload is what this one would read.
    fn serves(&self, reading: &Reading) -> bool {
        matches!(reading, Reading::Nothing)
    }

    /// What makes no sense beside what the scenario says of its end.
    fn check_end(&self, _path: &str, _stop: &Stop, _checker: &mut Checker<'_, '_>) {}

    /// See [`Load::intensity`].
    fn intensity(&self) -> Option<Intensity> {
        None
    }

    /// See [`Load::lengthen`].
    fn lengthen(&mut self, _times: f64) -> bool {
        false
    }

    /// See [`Load::draw_pauses`].
    fn draw_pauses(&mut self) -> bool {
        false
    }

    /// Whether what it writes is durable when its calls return.
    fn is_synchronous(&self) -> bool {
        false
    }

    /// Whether its files are in memory when it begins, or have been read before.
    fn is_warmed(&self) -> bool {
        false
    }

    /// Whether what it reads comes again: it reads at random, or files that are chosen at random, and through the page cache.
    fn reads_again(&self) -> bool {
        false
    }

    /// Whether it does one thing after the other, so that its rate changes for reasons of its own.
    fn has_phases(&self) -> bool {
        false
    }

    /// Whether a page cache that takes so many bytes in a call would gather its accesses: smaller ones, in order.
    fn would_be_gathered(&self, _call: Bytes) -> bool {
        false
    }
}

/// Processes that work on files.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FileLoad<P> {
    /// Which file systems, and how urgent the processes are.
    #[serde(flatten)]
    pub place: FileLoadPlace,
    /// What they do.
    #[serde(flatten)]
    pub parameters: P,
}

impl<P: FilePattern> Load for FileLoad<P> {
    fn on(&self) -> &Names {
        &self.place.on
    }

    fn files_place(&self) -> Option<&FileLoadPlace> {
        Some(&self.place)
    }

    fn pattern(&self) -> Option<&dyn FilePattern> {
        Some(&self.parameters)
    }

    fn check(&self, site: &mut LoadSite<'_, '_, '_>) {
        self.parameters.check_end(site.path, site.stop, site.checker);
        site.checker.urgency(site.path, &self.place);
        site.checker.places_of(site.path, self.places());
        if let Some((file, key)) = self.parameters.file() {
            site.checker.file(&format!("{}.{key}", site.path), file);
        }
        if let Err(error) = self.parameters.check() {
            site.checker.program(site.path, &error);
        }
    }

    fn lengthen(&mut self, times: f64) -> bool {
        self.parameters.lengthen(times)
    }

    fn draw_pauses(&mut self) -> bool {
        self.parameters.draw_pauses()
    }
}

/// Reads a workload on files.
pub(super) fn on_files<P: DeserializeOwned>(
    table: &Table<'_>,
    sources: &Sources,
) -> Result<FileLoad<P>, Vec<Problem>> {
    let (place, parameters) = read_apart(table, &FILE_KEYS, sources)?;
    Ok(FileLoad { place, parameters })
}
