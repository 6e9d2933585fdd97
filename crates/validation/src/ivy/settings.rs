//! What may be changed about the study before its tables are made: other work, other disks, other copies.

use super::error::IvyError;
use super::inputs::{analytic_disk, lives_of};
use super::paper::{FileSystem, IvyPolicy, PaperTable, TABLES};
use super::system::IvySystem;
use crate::asked::{Asked, Place};
use petrio_kernel::Watch;
use petrio_models::block::rearrangement::RearrangementParameters;
use petrio_models::cluster::replication::{CopyTraffic, ReplicationParameters};
use petrio_models::device::analytic_disk::AnalyticDiskParameters;
use petrio_models::device::disk::parameters::QueueDiscipline;
use petrio_units::Bytes;
use petrio_workload::file_lives::FileLives;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// What is changed about the study. The default is the study as it is.
#[derive(Clone, Debug, Default)]
pub struct IvySettings {
    /// Work in place of that of `examples/ivy/`.
    work: BTreeMap<FileSystem, FileLives>,
    /// Paths below [`Changeable`], with their values.
    changes: Vec<(String, Value)>,
    /// Only these tables and figures of the paper; all where none is named.
    only: Vec<Place>,
    /// Whether its runs are still wanted.
    watch: Watch,
}

/// What `--set` reaches into. The policy and the number of copies are the tables' own.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Changeable {
    work: FileLives,
    disk: AnalyticDiskParameters,
    discipline: QueueDiscipline,
    replication: ReplicationParameters,
    /// Data laid out by use, if they are.
    rearrangement: Option<RearrangementParameters>,
    time_scale: f64,
    memory: Bytes,
}

impl IvySettings {
    /// Settings with work from files, each a name for messages and a text in the form of `examples/ivy/*.toml`, and
    /// with changes such as `replication.traffic=simulated` or `work.mixed=50 %`.
    ///
    /// # Errors
    /// A text that isn't such work, or of a file system that the paper doesn't study; a change that can't be made.
    pub fn new(files: &[(String, String)], changes: &[String]) -> Result<Self, IvyError> {
        let mut settings = Self::default();
        for (name, text) in files {
            let refused = |problem: String| IvyError::Settings(format!("{name}: {problem}"));
            let lives: FileLives =
                toml::from_str(text).map_err(|error| refused(error.to_string().trim_end().to_owned()))?;
            let there = FileSystem::ALL.into_iter().find(|there| there.name() == lives.title);
            let names = FileSystem::ALL.map(FileSystem::name).join("\", \"");
            let there = there.ok_or_else(|| {
                let title = &lives.title;
                refused(format!("the title is \"{title}\"; the paper's tables are of \"{names}\""))
            })?;
            if settings.work.insert(there, lives).is_some() {
                return Err(refused(format!("this is a second file for \"{}\"", there.name())));
            }
        }
        for change in changes {
            let parts = change.split_once('=').map(|(path, value)| (path.trim(), value.trim()));
            let Some((path, value)) = parts.filter(|(path, _)| !path.is_empty()) else {
                return Err(IvyError::Settings(format!("\"{change}\": PATH=VALUE was expected")));
            };
            if path == "replication.policy"
                || path.starts_with("replication.policy.")
                || path == "replication.copies"
            {
                let message = format!("{path}: policies and numbers of copies are the tables' own");
                return Err(IvyError::Settings(message));
            }
            settings.changes.push((path.to_owned(), value_of(value)));
        }
        // A change that can't be made is told before anything is run.
        for file_system in settings.file_systems() {
            settings.system(file_system, IvyPolicy::ReadOneWriteAll, 1)?;
        }
        Ok(settings)
    }

    /// Of these tables and figures alone, for as long as it is wanted.
    ///
    /// # Errors
    /// A table or figure that the paper doesn't have, or of a file system that is left out.
    pub fn asked(mut self, asked: &Asked) -> Result<Self, IvyError> {
        let all = self.file_systems();
        let there: Vec<Place> =
            TABLES.iter().filter(|table| all.contains(&table.file_system)).flat_map(places).collect();
        asked.check(&there).map_err(IvyError::Settings)?;
        (self.only, self.watch) = (asked.only.clone(), asked.watch.clone());
        Ok(self)
    }

    /// Whether a table is wanted.
    pub(super) fn wants(&self, table: &PaperTable) -> bool {
        self.only.is_empty() || places(table).iter().any(|place| self.only.contains(place))
    }

    /// Whether it was broken off.
    pub(super) fn is_stopped(&self) -> bool {
        self.watch.is_stopped()
    }

    /// Whether the study is as it was, with all of its tables.
    pub fn is_default(&self) -> bool {
        self.work.is_empty() && self.changes.is_empty() && self.only.is_empty() && !self.is_stopped()
    }

    /// The file systems of which tables are made: those of the files, or all.
    pub fn file_systems(&self) -> Vec<FileSystem> {
        match self.work.is_empty() {
            true => FileSystem::ALL.to_vec(),
            false => self.work.keys().copied().collect(),
        }
    }

    /// The System of a row: as the paper has it (magic copies, free messages, first come, first served) but for what is
    /// changed.
    ///
    /// # Errors
    /// A change that can't be made.
    pub fn system(
        &self,
        file_system: FileSystem,
        policy: IvyPolicy,
        copies: u32,
    ) -> Result<IvySystem, IvyError> {
        let work = match self.work.get(&file_system) {
            Some(work) => work.clone(),
            None => lives_of(file_system)?,
        };
        let changeable = Changeable {
            work,
            disk: analytic_disk(file_system.disk())?,
            discipline: QueueDiscipline::FirstCome,
            replication: ReplicationParameters {
                policy: policy.parameters(),
                traffic: CopyTraffic::Magic,
                ..ReplicationParameters::default()
            },
            rearrangement: None,
            time_scale: 1.0,
            memory: Bytes::from_mib(file_system.memory_mib()),
        };
        let changed = if self.changes.is_empty() { changeable } else { self.changed(&changeable)? };
        if let Some(rearrangement) = &changed.rearrangement {
            let refused = |error| IvyError::Settings(format!("rearrangement: {error}"));
            rearrangement.check().map_err(refused)?;
        }
        Ok(IvySystem {
            lives: changed.work,
            disk: changed.disk,
            discipline: changed.discipline,
            disks: copies as usize,
            replication: changed.replication,
            rearrangement: changed.rearrangement,
            time_scale: changed.time_scale,
            stretch: 1,
            memory: changed.memory,
            watch: self.watch.clone(),
        })
    }

    fn changed(&self, changeable: &Changeable) -> Result<Changeable, IvyError> {
        let mut whole =
            serde_json::to_value(changeable).map_err(|error| IvyError::Settings(error.to_string()))?;
        for (path, value) in &self.changes {
            let mut at = &mut whole;
            for key in path.split('.') {
                at = match at.as_object_mut() {
                    Some(table) => table.entry(key).or_insert(Value::Null),
                    None => return Err(IvyError::Settings(format!("{path}: \"{key}\" is below a value"))),
                };
                if at.is_null() {
                    *at = Value::Object(serde_json::Map::new());
                }
            }
            *at = value.clone();
            // One change after the other, so that a mistake is told with its own path.
            serde_json::from_value::<Changeable>(whole.clone())
                .map_err(|error| IvyError::Settings(format!("{path}: {error}")))?;
        }
        serde_json::from_value(whole).map_err(|error| IvyError::Settings(error.to_string()))
    }
}

/// A value as TOML writes it, or else a text.
fn value_of(text: &str) -> Value {
    let table: Option<toml::Table> = toml::from_str(&format!("value = {text}")).ok();
    let value = table.and_then(|mut table| table.remove("value"));
    value.and_then(|value| serde_json::to_value(value).ok()).unwrap_or_else(|| Value::String(text.to_owned()))
}

/// A table, and the figures that show it: those of its file system (the paper has Cello /users before Cello /, §6.7), reads before writes.
fn places(table: &PaperTable) -> Vec<Place> {
    let first = match table.file_system {
        FileSystem::TriangleRoot => 21,
        FileSystem::CelloUsers => 23,
        FileSystem::CelloRoot => 25,
    };
    vec![Place::Table(table.number), Place::Figure(first), Place::Figure(first + 1)]
}
