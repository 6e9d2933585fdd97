//! Accesses as fio makes them, on files and on disks.

use super::kind::{FilePattern, Intensity, Load, LoadSite, Planned};
use super::longer::{count, count32, longer_count, longer_span};
use super::reading::Reading;
use crate::checker::Checker;
use crate::schema::{Names, Stop, read_apart};
use crate::text::tree::Table;
use crate::text::{Problem, Sources};
use petrio_files::inputs::Inputs;
use petrio_units::Bytes;
use petrio_workload::program::accesses::{AccessKind, AccessOrder, Engine, Sizes};
use petrio_workload::program::{AccessParameters, Placement, ProgramError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Processes that read and write disks themselves, past no host and no file system.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DeviceAccessLoad {
    /// The disks; each process goes through all of them.
    pub on: Names,
    /// Workloads that must be over before this one begins.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<Names>,
    /// What they do.
    #[serde(flatten)]
    pub parameters: AccessParameters,
}

impl FilePattern for AccessParameters {
    fn check(&self) -> Result<(), ProgramError> {
        self.validate(false)
    }

    fn plan(&self, placement: &Placement, _: &Reading, _: &Inputs) -> Planned {
        Ok(Box::new(Self::plan(self, placement)?))
    }

    fn largest(&self) -> Option<(u64, &'static str)> {
        Some((Self::largest(self), if self.file_size.is_some() { "file_size" } else { "area" }))
    }

    fn words(&self) -> String {
        accesses(self)
    }

    fn check_end(&self, path: &str, stop: &Stop, checker: &mut Checker<'_, '_>) {
        checker.endless(path, self, stop);
    }

    fn intensity(&self) -> Option<Intensity> {
        Some(Intensity::whole("processes", self.processes, "process"))
    }

    fn lengthen(&mut self, times: f64) -> bool {
        longer_count(&mut self.accesses, times);
        longer_span(&mut self.duration, times);
        if self.amount.is_some() {
            self.amount = self.amount.map(|amount| Bytes(count(amount.get(), times)));
        } else if !self.keep_on {
            self.passes = count32(self.passes, times);
        }
        true
    }
}

impl Load for DeviceAccessLoad {
    fn on(&self) -> &Names {
        &self.on
    }

    fn after(&self) -> Option<&Names> {
        self.after.as_ref()
    }

    fn check(&self, site: &mut LoadSite<'_, '_, '_>) {
        site.checker.endless(site.path, &self.parameters, site.stop);
    }

    fn intensity(&self) -> Option<Intensity> {
        Some(Intensity::whole("processes", self.parameters.processes, "process"))
    }

    fn lengthen(&mut self, times: f64) -> bool {
        self.parameters.lengthen(times)
    }
}

/// "random reads, 4 KiB, 32 in flight (native-aio)".
pub(crate) fn accesses(parameters: &AccessParameters) -> String {
    let access = match parameters.operation {
        AccessKind::Read => "reads".to_owned(),
        AccessKind::Write if parameters.truncates => "truncations".to_owned(),
        AccessKind::Write => "writes".to_owned(),
        AccessKind::Mixed => match parameters.read_share {
            Some(share) => format!("mix with {share} reads"),
            None => "mix".to_owned(),
        },
        AccessKind::Create => return "files that are made".to_owned(),
        AccessKind::Stat => return "files that are asked for their attributes".to_owned(),
        AccessKind::Remove => return "files that are removed".to_owned(),
        AccessKind::MakeDirectory => return "directories that are made".to_owned(),
        AccessKind::StatDirectory => return "directories that are asked for their attributes".to_owned(),
        AccessKind::RemoveDirectory => return "directories that are removed".to_owned(),
    };
    let order = match parameters.order {
        AccessOrder::Sequential => "sequential",
        AccessOrder::Random => "random",
    };
    let mut words = vec![format!("{order} {access}")];
    words.push(match &parameters.record {
        Sizes::One(size) => size.to_string(),
        Sizes::Range(range) => format!("{} to {}", range.from, range.to),
        Sizes::Split(parts) => petrio_page::numbers::counted(parts.len() as u64, "size", "sizes"),
    });
    if parameters.processes > 1 {
        words.push(format!("{} processes", parameters.processes));
    }
    let engine = match parameters.engine {
        Engine::Waits => None,
        Engine::NativeAio => Some("io_submit"),
        Engine::IoUring => Some("io_uring"),
        Engine::PosixAio => Some("aio_read"),
    };
    if let Some(engine) = engine {
        words.push(format!("{} in flight by {engine}", parameters.in_flight));
    }
    for (flag, word) in
        [(parameters.direct, "O_DIRECT"), (parameters.sync, "O_SYNC"), (parameters.data_sync, "O_DSYNC")]
    {
        if flag {
            words.push(word.to_owned());
        }
    }
    words.join(", ")
}

/// Reads accesses on disks.
pub(super) fn on_disks(table: &Table<'_>, sources: &Sources) -> Result<DeviceAccessLoad, Vec<Problem>> {
    #[derive(Deserialize)]
    struct Own {
        on: Names,
        #[serde(default)]
        after: Option<Names>,
    }
    let (Own { on, after }, parameters) = read_apart(table, &["on", "after"], sources)?;
    Ok(DeviceAccessLoad { on, after, parameters })
}
