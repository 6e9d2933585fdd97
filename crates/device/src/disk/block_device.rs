//! What the mechanical disk says about itself, to whoever knows no more than devices.

use super::parameters::ImmediateReporting;
use super::{DiskParameters, Drive, disk_page_on_bus};
use crate::{
    BlockDevice, BuiltDevice, Channel, Device, DeviceFeatures, DeviceParameters, DevicePorts, Queueing,
};
use petrio_colours::SECTOR_BYTES;
use petrio_kernel::PageBuilder;
use petrio_stage::Lever;
use petrio_stage::cost::Cost;
use petrio_stage::reliability::Reliability;
use petrio_units::Duration;
use std::sync::Arc;

impl DeviceParameters for DiskParameters {
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

    fn assumed(&self) -> Vec<String> {
        self.assumed.clone()
    }

    fn speed(&self) -> String {
        self.mechanics.rotation.to_string()
    }

    fn levers(&self, path: &str) -> Vec<Lever> {
        DiskParameters::levers(self, path)
    }

    fn on_channel(&self, channel: &Channel) -> Option<Device> {
        let mut behind = self.clone();
        if let Some(rate) = channel.rate {
            let block = rate.time_for(SECTOR_BYTES);
            let slower = |own: Duration| Duration::new(own.time().max(block));
            behind.bus.read_block = slower(behind.bus.read_block);
            behind.bus.write_block = slower(behind.bus.write_block);
        }
        behind.cache.never_disconnect |= channel.kept;
        Some(Device::Disk(Box::new(behind)))
    }

    fn with_write_cache(&self, on: bool) -> Option<Device> {
        let mut switched = self.clone();
        switched.cache.immediate_reporting = match self.cache.immediate_reporting {
            _ if !on => ImmediateReporting::Never,
            // It holds what it has room for, as drives do that have one.
            ImmediateReporting::Never => ImmediateReporting::Cached,
            own => own,
        };
        Some(Device::Disk(Box::new(switched)))
    }

    fn compile(&self) -> Result<Arc<dyn BlockDevice>, String> {
        match Drive::new(self) {
            Ok(drive) => Ok(Arc::new(drive)),
            Err(error) => Err(error.to_string()),
        }
    }
}

impl BlockDevice for Drive {
    fn blocks(&self) -> u64 {
        self.blocks()
    }

    fn features(&self) -> DeviceFeatures {
        DeviceFeatures::of_write_cache(self.write_cache())
    }

    fn depth(&self) -> u32 {
        self.queue().depth
    }

    fn physical_sector(&self) -> u64 {
        Drive::physical_sector(self)
    }

    fn is_rotational(&self) -> bool {
        true
    }

    fn shares_bus(&self) -> bool {
        true
    }

    fn turning_freely(&self) -> Option<Arc<dyn BlockDevice>> {
        Some(Arc::new(Drive::turning_freely(self)))
    }

    fn accepts(&self, _: &Queueing) -> Result<(), String> {
        Ok(())
    }

    fn build(
        self: Arc<Self>,
        parent: &mut PageBuilder<'_>,
        name: &str,
        queueing: &Queueing,
        ports: DevicePorts,
    ) -> BuiltDevice {
        let (stages, cache) = disk_page_on_bus(parent, name, &self, *queueing, ports);
        BuiltDevice { stages, caches: cache.into_iter().collect(), ..BuiltDevice::default() }
    }
}
