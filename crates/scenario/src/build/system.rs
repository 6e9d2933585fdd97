//! The System as a net.

use crate::build::program_page::{ProgramPorts, programs_page};
use crate::catalogue::Device;
use crate::load::{Loaded, PlacedDisk};
use crate::run::RunFailure;
use petrio_colours::BlockRequest;
use petrio_kernel::{Net, NetBuilder, PageBuilder, Place};
use petrio_models::Stage;
use petrio_models::device::analytic_disk::analytic_disk_page;
use petrio_models::device::constant_rate::constant_rate_page;
use petrio_models::device::disk::parameters::QueueDiscipline;
use petrio_models::device::disk::{Drive, Queueing, disk_page};
use std::sync::Arc;

/// A System: its net, the ports of its programs, and what the report shows of it.
pub struct System {
    /// The net.
    pub net: Arc<Net>,
    /// The System in a line: "one Seagate Cheetah 9LP, C-LOOK".
    pub line: String,
    /// Size of each disk in blocks, in the order of [`Loaded::disks`].
    pub blocks: Vec<u64>,
    /// The rows of the stage table.
    pub stages: Vec<Stage>,
    pub(crate) programs: ProgramPorts,
}

impl System {
    /// Builds the net of a scenario.
    ///
    /// # Errors
    /// A drive whose parameters contradict each other.
    pub fn build(loaded: &Loaded) -> Result<Self, RunFailure> {
        let mut net = NetBuilder::new(loaded.scenario.title.clone());
        let mut page = net.top();
        let completions = page.fifo("completions");
        let mut requests = Vec::new();
        let mut stages = Vec::new();
        let mut blocks = Vec::new();
        for disk in &loaded.disks {
            let port = page.fifo(&format!("{}-requests", disk.name));
            let (size, mut rows) = device_page(&mut page, disk, port, completions)?;
            requests.push(port);
            blocks.push(size);
            stages.append(&mut rows);
        }
        let programs = programs_page(&mut page, &requests, completions);
        Ok(Self { net: net.build()?, line: line(loaded), blocks, stages, programs })
    }
}

/// Puts a device's page into the net; its size and its stages.
fn device_page(
    page: &mut PageBuilder<'_>,
    disk: &PlacedDisk,
    requests: Place<BlockRequest>,
    completions: Place<BlockRequest>,
) -> Result<(u64, Vec<Stage>), RunFailure> {
    let refuse = |message: String| RunFailure::Device { disk: disk.name.clone(), message };
    match &*disk.device {
        Device::Disk(parameters) => {
            let drive = Arc::new(Drive::new(parameters).map_err(|error| refuse(error.to_string()))?);
            let queueing = Queueing { scheduler: disk.scheduler.0, depth: disk.queue_depth };
            let stages = disk_page(page, &disk.name, &drive, queueing, requests, completions);
            Ok((drive.blocks(), stages))
        }
        Device::AnalyticDisk(parameters) => {
            serves_in_order(disk).map_err(refuse)?;
            let stages = analytic_disk_page(page, &disk.name, parameters, requests, completions);
            Ok((parameters.blocks.get(), stages))
        }
        Device::ConstantRate(parameters) => {
            serves_in_order(disk).map_err(refuse)?;
            let stages = constant_rate_page(page, &disk.name, parameters, requests, completions);
            Ok((parameters.blocks.get(), stages))
        }
    }
}

/// The simple devices have no position that a scheduler could order by, and take one request at a time.
fn serves_in_order(disk: &PlacedDisk) -> Result<(), String> {
    if disk.scheduler.0 != QueueDiscipline::FirstCome || disk.queue_depth.is_some_and(|depth| depth != 1) {
        return Err(
            "it serves one request after the other, first come, first served; leave out scheduler and \
                    queue_depth"
                .to_owned(),
        );
    }
    Ok(())
}

/// The System in a line.
fn line(loaded: &Loaded) -> String {
    let mut parts: Vec<String> = Vec::new();
    for (part, disk) in &loaded.scenario.disk {
        let Some(placed) = loaded.disks.iter().find(|placed| placed.part == *part) else { continue };
        let count = match disk.count {
            1 => "one".to_owned(),
            count => count.to_string(),
        };
        parts.push(format!("{count} {}, {}", placed.device.name(), discipline_words(placed.scheduler.0)));
    }
    parts.join("; ")
}

/// A queue discipline as people write it.
fn discipline_words(discipline: QueueDiscipline) -> &'static str {
    match discipline {
        QueueDiscipline::FirstCome => "FCFS",
        QueueDiscipline::ShortestSeek => "SSTF",
        QueueDiscipline::Look => "LOOK",
        QueueDiscipline::CircularLook => "C-LOOK",
        QueueDiscipline::CircularScan => "CSCAN",
        QueueDiscipline::ShortestPositioning => "SPTF",
        QueueDiscipline::AgedShortestPositioning { .. } => "aged SPTF",
    }
}
