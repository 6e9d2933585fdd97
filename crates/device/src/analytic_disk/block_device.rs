//! What the analytic disk says about itself, to whoever knows no more than devices.

use super::{AnalyticDisk, AnalyticDiskParameters, analytic_disk_page};
use crate::disk::parameters::QueueDiscipline;
use crate::one_at_a_time::has_blocks;
use crate::{BlockDevice, BuiltDevice, DeviceFeatures, DeviceParameters, DevicePorts, Queueing};
use petrio_kernel::PageBuilder;
use petrio_stage::Lever;
use petrio_stage::cost::Cost;
use petrio_stage::reliability::Reliability;
use std::sync::Arc;

impl DeviceParameters for AnalyticDiskParameters {
    fn name(&self) -> &str {
        &self.name
    }

    fn source(&self) -> &str {
        &self.source
    }

    fn cost(&self) -> &Cost {
        &self.cost
    }

    fn reliability(&self) -> &Reliability {
        &self.reliability
    }

    fn speed(&self) -> String {
        format!("{} (analytic)", self.rotation)
    }

    fn levers(&self, path: &str) -> Vec<Lever> {
        AnalyticDiskParameters::levers(self, path)
    }

    fn compile(&self) -> Result<Arc<dyn BlockDevice>, String> {
        has_blocks(self.blocks)?;
        if self.cylinders == 0 {
            return Err("it has no cylinders; give at least one".to_owned());
        }
        Ok(Arc::new(self.clone()))
    }
}

impl BlockDevice for AnalyticDiskParameters {
    fn blocks(&self) -> u64 {
        self.blocks.get()
    }

    /// Every write is on the medium when it completes.
    fn features(&self) -> DeviceFeatures {
        DeviceFeatures::of_write_cache(false)
    }

    fn depth(&self) -> u32 {
        1
    }

    fn is_rotational(&self) -> bool {
        true
    }

    /// It knows cylinders, and not where the platter stands.
    fn accepts(&self, queueing: &Queueing) -> Result<(), String> {
        match queueing.scheduler {
            QueueDiscipline::ShortestPositioning | QueueDiscipline::AgedShortestPositioning { .. } => {
                Err("it doesn't know where the platter stands; take fcfs, sstf, look, c-look or cscan"
                    .to_owned())
            }
            _ if queueing.depth.is_some_and(|depth| depth != 1) => {
                Err("it serves one request at a time; leave out queue_depth".to_owned())
            }
            _ => Ok(()),
        }
    }

    fn build(
        self: Arc<Self>,
        parent: &mut PageBuilder<'_>,
        name: &str,
        queueing: &Queueing,
        ports: DevicePorts,
    ) -> BuiltDevice {
        let how = (&*self, queueing.scheduler);
        let AnalyticDisk { arm, stages } =
            analytic_disk_page(parent, name, how, ports.requests, ports.completions);
        BuiltDevice { stages, arm: Some(arm), ..BuiltDevice::default() }
    }
}
