//! What makes the parameters of accesses sound: those that no program can have, or that would be ignored, are refused.

use super::parameters::{AccessKind, AccessOrder, AccessParameters, LimitOn, Pace};
use super::sizes::{Extent, Sizes};
use super::steady::VALUES_MAX;
use crate::program::ProgramError;
use petrio_units::Bytes;

/// More accesses in flight are a mistake.
const IN_FLIGHT_MAX: u32 = 1 << 16;

impl AccessParameters {
    /// Checks every parameter that has a meaning of its own, of files or of disks.
    ///
    /// # Errors
    /// The first parameter that no program can have, or that would be ignored.
    pub fn validate(&self, on_devices: bool) -> Result<(), ProgramError> {
        let refuse = |parameter, problem: &str| Err(ProgramError::parameter(parameter, problem));
        for (parameter, count) in [
            ("processes", u64::from(self.processes)),
            ("files", self.files.into()),
            ("passes", self.passes.into()),
            ("in_flight", self.in_flight.into()),
            ("run", self.run),
            ("file_turn", self.file_turn),
            ("think_every", if self.think_after.is_some() { 1 } else { self.think_every }),
            ("amount", self.amount.map_or(1, Bytes::get)),
            ("accesses", self.accesses.unwrap_or(1)),
            ("alignment", self.alignment.map_or(1, Bytes::get)),
            ("job_number", self.job_number.into()),
        ] {
            if count == 0 {
                return refuse(parameter, "it is zero");
            }
        }
        if self.sequence.as_ref().is_some_and(|sequence| sequence.places.is_empty()) {
            return refuse("sequence", "it has no place");
        }
        if self.until_steady.is_some_and(|steady| !(1..=VALUES_MAX).contains(&steady.values())) {
            return refuse(
                "until_steady",
                "its window is of one interval at least, and of a million at most",
            );
        }
        if self.flow.is_some_and(|flow| flow.weight == 0) {
            return refuse("flow", "its weight is zero");
        }
        if self.latency_target.is_some_and(|target| target.latency.time() == petrio_time::Time::ZERO) {
            return refuse("latency_target", "no access takes no time");
        }
        if self.truncates && self.operation != AccessKind::Write {
            return refuse("truncates", "only what is written is cut off");
        }
        if self.in_flight > IN_FLIGHT_MAX {
            return refuse("in_flight", "no more than 65,536 accesses are in flight");
        }
        for (parameter, sizes) in
            [("record", Some(&self.record)), ("write_record", self.write_record.as_ref())]
        {
            if let Some(problem) = sizes.and_then(Sizes::problem) {
                return Err(ProgramError::parameter(parameter, problem));
            }
        }
        match (self.operation, self.read_share) {
            (AccessKind::Mixed, None) => return refuse("read_share", "a mixture needs one"),
            (AccessKind::Mixed, Some(_)) | (_, None) => {}
            _ => return refuse("read_share", "only `operation = \"mixed\"` has one"),
        }
        if self.keep_on && self.passes > 1 {
            return refuse("passes", "`keep_on` goes on anyway");
        }
        if self.sync && self.data_sync {
            return refuse("data_sync", "`sync` includes it");
        }
        let durable = [("fsync_every", self.fsync_every > 0), ("fdatasync_every", self.fdatasync_every > 0)];
        let durable = durable.into_iter().chain([
            ("fsync_at_end", self.fsync_at_end),
            ("sync", self.sync),
            ("data_sync", self.data_sync),
            ("reads_back", self.reads_back),
        ]);
        if let Some((parameter, _)) = durable.into_iter().find(|(_, set)| *set && !self.operation.writes()) {
            return refuse(parameter, "nothing is written that could be made durable, or read back");
        }
        self.validate_order()?;
        self.validate_pace()?;
        if on_devices { self.validate_on_devices() } else { self.validate_on_files() }
    }

    fn validate_order(&self) -> Result<(), ProgramError> {
        let refuse = |parameter, problem: &str| Err(ProgramError::parameter(parameter, problem));
        if self.order == AccessOrder::Sequential {
            let random = [
                ("run", self.run > 1),
                ("random_share", self.random_share.is_some()),
                ("repetition", self.repetition),
                ("popularity", self.popularity.is_some()),
            ];
            if let Some((parameter, _)) = random.into_iter().find(|(_, set)| *set) {
                return refuse(parameter, "only `order = \"random\"` has it");
            }
        }
        if let Some(popularity) = &self.popularity {
            popularity.picker(1 << 20).map_err(|problem| ProgramError::parameter("popularity", problem))?;
        }
        if let Some(strides) = self.strides
            && (strides.amount.get() == 0 || strides.range.get() == 0)
        {
            return refuse("strides", "an area of nothing has no place");
        }
        if self.zones.is_some_and(|zones| zones.size.get() < self.bounds().1) {
            return refuse("zones", "an access doesn't fit into a zone");
        }
        Ok(())
    }

    fn validate_pace(&self) -> Result<(), ProgramError> {
        for (parameter, pace) in [("pace", self.pace), ("write_pace", self.write_pace)] {
            if let Some(Pace { limit: LimitOn::PerSecond(count), .. }) = pace
                && !(count.is_finite() && count > 0.0)
            {
                return Err(ProgramError::parameter(parameter, "a rate is a number above zero"));
            }
        }
        Ok(())
    }

    fn validate_on_devices(&self) -> Result<(), ProgramError> {
        let refuse = |parameter, problem: &str| Err(ProgramError::parameter(parameter, problem));
        if !self.operation.moves_data() {
            return refuse("operation", "a disk has no files that could be named");
        }
        let of_files = [
            ("files", self.files > 1),
            ("file_size", self.file_size.is_some()),
            ("mapped", self.mapped),
            ("truncates", self.truncates),
            ("new_files", self.new_files),
            ("cached", self.cached),
            ("direct", self.direct),
            ("shared_files", self.shared_files),
        ];
        if let Some((parameter, _)) = of_files.into_iter().find(|(_, set)| *set) {
            return refuse(parameter, "it is of files, and these are disks");
        }
        if let Some(bytes) = self.unaligned() {
            let problem = format!("a request to a disk is of whole blocks of 512 B, and not of {bytes} B");
            return Err(ProgramError::parameter("record", problem));
        }
        Ok(())
    }

    /// A size or a step that is no multiple of a block.
    fn unaligned(&self) -> Option<u64> {
        let sizes = |sizes: &Sizes| match sizes {
            Sizes::Split(parts) => parts.iter().map(|part| part.size.get()).collect(),
            other => vec![other.bounds().0, other.bounds().1],
        };
        let own = [&self.record, self.writes()].into_iter().flat_map(sizes);
        let step = self.alignment.map(Bytes::get);
        own.chain(step).find(|bytes| bytes % 512 != 0)
    }

    fn validate_on_files(&self) -> Result<(), ProgramError> {
        let refuse = |parameter, problem: &str| Err(ProgramError::parameter(parameter, problem));
        if self.shared_files && self.processes == 1 {
            return refuse("shared_files", "there is one process");
        }
        if !self.operation.moves_data() {
            return Ok(());
        }
        let bytes = |extent: Extent| match extent {
            Extent::Bytes(_) => None,
            Extent::Share(_) => self.file_size.is_none().then_some(()),
        };
        let part =
            [self.area, Some(self.offset), Some(self.offset_step)].into_iter().flatten().find_map(bytes);
        if part.is_some() || (self.file_size.is_none() && self.area.is_none()) {
            return refuse("file_size", "it is needed: nothing else says how large the files are");
        }
        let (least, _) = self.bounds();
        let (_, area) = self.file_and_area(0);
        if area < least {
            return refuse("area", "there is no room for one access in it");
        }
        if self.direct && self.mapped {
            return refuse("direct", "stores into a mapping are no calls that this could be said of");
        }
        if self.direct && self.unaligned().is_some() {
            return refuse("record", "O_DIRECT needs multiples of 512 B");
        }
        if self.mapped && self.new_files {
            return refuse("new_files", "a mapping is as long as its file");
        }
        if self.cached && self.new_files {
            return refuse("cached", "a new file has nothing that could be in the cache");
        }
        Ok(())
    }

    /// How large the files of a process are, and how much of them it accesses.
    pub(super) fn file_and_area(&self, process: u32) -> (u64, u64) {
        let whole = self.file_size.map_or(0, Bytes::get);
        let offset = self.begins_at(process, whole);
        let area = match self.area {
            Some(area) => area.of(whole),
            None => whole.saturating_sub(offset),
        };
        if self.file_size.is_some() {
            (whole, area.min(whole.saturating_sub(offset)))
        } else {
            (offset.saturating_add(area), area)
        }
    }

    /// Where the area of a process begins in a file or disk of so many bytes. A part of a whole is rounded up to a record.
    pub(super) fn begins_at(&self, process: u32, whole: u64) -> u64 {
        let step = self.offset_step.of(whole).saturating_mul(process.into());
        let at = self.offset.of(whole).saturating_add(step);
        let is_part = [self.offset, self.offset_step].iter().any(|extent| matches!(extent, Extent::Share(_)));
        if is_part { at.next_multiple_of(self.bounds().0.max(1)) } else { at }
    }
}
