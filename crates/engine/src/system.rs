//! What can be driven: a net, and where programs meet it.

use crate::ports::ProgramPorts;
use crate::visits::DevicePlaces;
use petrio_colours::{BlockRequest, FileOp};
use petrio_kernel::Net;
use std::sync::Arc;

/// A net and its ports. It doesn't change: any number of engines, on any threads, may drive the same.
pub struct System {
    /// The net.
    pub net: Arc<Net>,
    /// Where programs ask, and where they are answered.
    pub ports: Ports,
    /// Where requests reach its devices, and where they come back: as long as something reaches one of them, something is done.
    pub devices: Vec<DevicePlaces>,
    /// The first number that is free for a file that nobody has planned; all below are those of files that are there, or that planned
    /// programs make.
    pub first_free_file: u32,
    /// The first number that is free for a process.
    pub first_free_process: u32,
    /// How many file systems there are; what asks for one beyond these is refused.
    pub file_systems: u32,
    /// The same of devices that programs can ask.
    pub targets: u32,
}

impl System {
    /// Of a net whose programs, files and processes are all planned.
    pub fn new(net: Arc<Net>, ports: impl Into<Ports>, devices: Vec<DevicePlaces>) -> Self {
        Self {
            net,
            ports: ports.into(),
            devices,
            first_free_file: 1,
            first_free_process: 0,
            file_systems: 1,
            targets: 1,
        }
    }
}

/// Where programs ask: file systems, devices, or both.
#[derive(Debug, Default)]
pub struct Ports {
    /// Operations on files.
    pub operations: Option<ProgramPorts<FileOp>>,
    /// Block requests.
    pub requests: Option<ProgramPorts<BlockRequest>>,
}

impl From<ProgramPorts<FileOp>> for Ports {
    fn from(operations: ProgramPorts<FileOp>) -> Self {
        Self { operations: Some(operations), requests: None }
    }
}

impl From<ProgramPorts<BlockRequest>> for Ports {
    fn from(requests: ProgramPorts<BlockRequest>) -> Self {
        Self { operations: None, requests: Some(requests) }
    }
}
