//! Accesses to disks: the programs' reads and writes as block requests, their calls for durability as flushes.

use super::flow::Flows;
use super::parameters::AccessParameters;
use super::plan::together;
use super::run::AccessProgram;
use crate::due::Due;
use crate::program::{FilePrograms, Placement, ProgramError};
use crate::source::{RequestSource, SourceError, SourceItem};
use petrio_colours::{BlockRequest, Direction, FileOp, Operation, RequestId, SECTOR_BYTES, Submission};
use petrio_persist::Persist;
use petrio_time::Time;

/// Processes that access disks.
#[derive(Persist)]
pub struct DeviceAccesses {
    programs: FilePrograms,
    /// The disks' numbers in the System.
    devices: Vec<u32>,
}

impl AccessParameters {
    /// Whether disks with so many bytes have room for its accesses.
    ///
    /// # Errors
    /// What there is no room for, or can't be on disks.
    pub fn validate_on(&self, disks: &[u64]) -> Result<(), ProgramError> {
        self.validate(true)?;
        let (_, most) = self.bounds();
        for (process, &bytes) in
            (0..self.processes).flat_map(|process| disks.iter().map(move |disk| (process, disk)))
        {
            let (begin, area) = self.device_area(process, bytes);
            let end = begin.saturating_add(self.area.map_or(0, |area| area.of(bytes)));
            if area < most || end > bytes {
                let what = if self.area.is_some() { "area" } else { "offset" };
                let problem = format!(
                    "it reaches to byte {}, and the disk has {bytes}",
                    end.max(begin.saturating_add(most))
                );
                return Err(ProgramError::parameter(what, problem));
            }
        }
        Ok(())
    }

    /// Where the area of a process begins on a disk, and how many bytes it has: whole blocks.
    fn device_area(&self, process: u32, bytes: u64) -> (u64, u64) {
        let whole = |bytes: u64| bytes - bytes % SECTOR_BYTES;
        let begin = whole(self.begins_at(process, bytes));
        let left = bytes.saturating_sub(begin);
        (begin, whole(self.area.map_or(left, |area| area.of(bytes).min(left))))
    }

    /// Its processes on disks: the number of each in the System, and its bytes.
    ///
    /// # Errors
    /// As of [`validate_on`](Self::validate_on).
    pub fn on_devices(
        &self,
        disks: &[(u32, u64)],
        placement: &Placement,
    ) -> Result<DeviceAccesses, ProgramError> {
        self.on_devices_among(disks, placement, &mut Flows::default())
    }

    /// The same, beside others that share what they issue.
    ///
    /// # Errors
    /// As of [`validate_on`](Self::validate_on).
    pub fn on_devices_among(
        &self,
        disks: &[(u32, u64)],
        placement: &Placement,
        flows: &mut Flows,
    ) -> Result<DeviceAccesses, ProgramError> {
        let mut accesses = self.on_devices_later(disks, placement, flows)?;
        accesses.programs.begin(Time::ZERO).map_err(|error| match error {
            SourceError::Program(error) => error,
            other => ProgramError::parameter("operation", other.to_string()),
        })?;
        Ok(accesses)
    }

    /// The same, to begin when they are [told to](RequestSource::begin).
    ///
    /// # Errors
    /// As of [`validate_on`](Self::validate_on).
    pub fn on_devices_later(
        &self,
        disks: &[(u32, u64)],
        placement: &Placement,
        flows: &mut Flows,
    ) -> Result<DeviceAccesses, ProgramError> {
        let sizes: Vec<u64> = disks.iter().map(|&(_, bytes)| bytes).collect();
        self.validate_on(&sizes)?;
        let program = |process: u32| {
            let area = |&bytes: &u64| {
                let (begin, area) = self.device_area(process, bytes);
                (begin, area, bytes)
            };
            let areas: Vec<_> = sizes.iter().map(area).collect();
            AccessProgram::new(self, placement, (process, 0), &areas, true).among(flows)
        };
        let programs = FilePrograms::later(together(self, (0..self.processes).map(program)));
        Ok(DeviceAccesses { programs, devices: disks.iter().map(|&(device, _)| device).collect() })
    }
}

impl DeviceAccesses {
    fn request(&self, op: &FileOp) -> BlockRequest {
        let direction = match op.operation {
            Operation::Read => Direction::Read,
            Operation::Write => Direction::Write,
            _ => Direction::Flush,
        };
        let blocks = if direction == Direction::Flush { 0 } else { op.length / SECTOR_BYTES };
        BlockRequest {
            id: op.id,
            process: op.process,
            device: self.devices.get(op.file.0 as usize).copied().unwrap_or_default(),
            direction,
            // Linux 6.1, block/fops.c, dio_bio_write_op.
            force_unit_access: direction == Direction::Write && (op.flags.sync || op.flags.data_sync),
            synchronous: true,
            class: op.class,
            priority: op.priority,
            address: if direction == Direction::Flush { 0 } else { op.offset / SECTOR_BYTES },
            blocks: u32::try_from(blocks).unwrap_or(u32::MAX),
            issued: op.issued,
            ..BlockRequest::default()
        }
    }
}

impl RequestSource for DeviceAccesses {
    fn due(&mut self) -> Result<Due, SourceError> {
        self.programs.due()
    }

    fn issue(&mut self, now: Time) -> Result<Option<SourceItem>, SourceError> {
        let Some(item) = self.programs.issue(now)? else { return Ok(None) };
        let request = self.request(&item.request);
        // Nothing of a host is here that would take time to submit it.
        if item.request.flags.submission != Submission::Waits {
            self.programs.submitted(request.id, now)?;
        }
        Ok(Some(SourceItem { request, measured: item.measured, phase: item.phase, depth: item.depth }))
    }

    fn complete(&mut self, id: RequestId, now: Time) -> Result<(), SourceError> {
        self.programs.complete(id, now)
    }

    fn begin(&mut self, at: Time) -> Result<(), SourceError> {
        self.programs.begin(at)
    }

    fn ended_process(&mut self) -> Option<u32> {
        None
    }
}
