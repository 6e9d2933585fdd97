//! What programs can ask a System for, and where.

use crate::error::EngineError;
use crate::ports::ProgramPorts;
use crate::submission::Answer;
use crate::system::{Ports, System};
use petrio_colours::{BlockRequest, FileOp, Request};
use petrio_kernel::{Place, Time};

/// What a program can ask a System for.
pub trait Submittable: Request {
    /// Where, if the System takes such.
    fn ports(ports: &Ports) -> Option<&ProgramPorts<Self>>;

    /// What such are called.
    const WHAT: &'static str;

    /// Its part, and how many there are of such.
    fn part(&self, system: &System) -> (u32, u32);

    /// The same, asked by a process at a time.
    #[must_use]
    fn by(self, process: u32, issued: Time) -> Self;

    /// As a completion.
    fn answer(self) -> Answer;
}

/// Where a request is to go: its part is there.
pub(crate) fn arrivals_of<R: Submittable>(system: &System, request: &R) -> Result<Place<R>, EngineError> {
    let ports = ports_of::<R>(system)?;
    let (part, count) = request.part(system);
    if part < count {
        return Ok(ports.arrivals);
    }
    Err(EngineError::NoSuchPart {
        part: format!("part {part} for {}", R::WHAT),
        there: if count == 1 { "one, number 0".to_owned() } else { format!("{count}, numbered from 0") },
    })
}

/// The ports for a colour.
pub(crate) fn ports_of<R: Submittable>(system: &System) -> Result<&ProgramPorts<R>, EngineError> {
    let Ports { operations, requests } = &system.ports;
    R::ports(&system.ports).ok_or_else(|| EngineError::NoSuchPart {
        part: format!("part that takes {}", R::WHAT),
        there: match (operations, requests) {
            (Some(_), _) => "file systems".to_owned(),
            (None, Some(_)) => "block devices".to_owned(),
            (None, None) => "nothing that programs can ask".to_owned(),
        },
    })
}

impl Submittable for FileOp {
    const WHAT: &'static str = "file operations";

    fn ports(ports: &Ports) -> Option<&ProgramPorts<Self>> {
        ports.operations.as_ref()
    }

    fn part(&self, system: &System) -> (u32, u32) {
        (self.file_system, system.file_systems)
    }

    fn by(self, process: u32, issued: Time) -> Self {
        Self { process, issued, ..self }
    }

    fn answer(self) -> Answer {
        if self.is_word { Answer::Submitted } else { Answer::Operation(self) }
    }
}

impl Submittable for BlockRequest {
    const WHAT: &'static str = "block requests";

    fn ports(ports: &Ports) -> Option<&ProgramPorts<Self>> {
        ports.requests.as_ref()
    }

    fn part(&self, system: &System) -> (u32, u32) {
        (self.device, system.targets)
    }

    fn by(self, process: u32, issued: Time) -> Self {
        Self { process, issued, ..self }
    }

    fn answer(self) -> Answer {
        Answer::Request(self)
    }
}
