//! What a machine's texts say that it has.

use super::block::{self, BlockDevice};
use super::controller::{self, Volume};
use super::kinds::{Kind, MachineFiles, queue_file};
use super::md::{self, Array};
use super::mounts::{self, Mounted};
use super::nearest::version;
use super::pools::{self, Pool};
use crate::text::Problem;
use std::collections::BTreeMap;

/// A machine.
#[derive(Clone, Debug, Default)]
pub(super) struct Found {
    /// As uname tells it, and its version.
    pub(super) kernel: Option<(String, (u32, u32, u32))>,
    pub(super) processor: Option<String>,
    pub(super) processors: Option<u32>,
    pub(super) memory_kib: Option<u64>,
    pub(super) swap_kib: Option<u64>,
    /// `vm.dirty_ratio` and the like, by what stands behind `vm.`.
    pub(super) vm: BTreeMap<String, u64>,
    /// By their names in the kernel.
    pub(super) devices: BTreeMap<String, BlockDevice>,
    pub(super) arrays: Vec<Array>,
    pub(super) mounts: Vec<Mounted>,
    /// Files of devices' queues: by device and name.
    pub(super) queues: BTreeMap<(String, String), String>,
    /// Pools of ZFS, and volumes of a RAID controller.
    pub(super) pools: Vec<Pool>,
    pub(super) volumes: Vec<Volume>,
    /// Mounts of other machines' files, as nfsstat tells: a line each.
    pub(super) nfs: Vec<String>,
}

impl Found {
    /// Reads all texts; what of them was left aside.
    pub(super) fn read(files: &MachineFiles) -> Result<(Self, Vec<String>), Problem> {
        let mut found = Self::default();
        for (path, text) in files.of(Kind::Lsblk) {
            block::read(text, &mut found.devices).map_err(|wrong| {
                Problem::error(format!("{path}: {wrong}"))
                    .help("give the whole of what lsblk -J -b -O prints")
            })?;
        }
        for (_, text) in files.of(Kind::Smartctl) {
            found.model(text);
        }
        for (_, text) in files.of(Kind::Mounts) {
            found.mounts.extend(mounts::read(text));
        }
        let arrays = files.of(Kind::Mdstat).flat_map(|(_, text)| md::mdstat(text));
        for array in arrays.chain(files.of(Kind::MdadmDetail).flat_map(|(_, text)| md::detail(text))) {
            if !found.arrays.iter().any(|other| other.name == array.name) {
                found.arrays.push(array);
            }
        }
        for (_, text) in files.of(Kind::Sysctl) {
            let setting = |line: &str| {
                let (key, value) = line.split_once('=')?;
                Some((key.trim().strip_prefix("vm.")?.to_owned(), value.trim().parse().ok()?))
            };
            found.vm.extend(text.lines().filter_map(setting));
        }
        for (_, text) in files.of(Kind::Meminfo) {
            let kib = |key: &str| field(text, key)?.trim_end_matches("kB").trim().parse().ok();
            (found.memory_kib, found.swap_kib) = (kib("MemTotal"), kib("SwapTotal"));
        }
        for (_, text) in files.of(Kind::Lscpu) {
            found.processor = field(text, "Model name").map(str::to_owned);
            found.processors = field(text, "CPU(s)").and_then(|count| count.parse().ok());
        }
        for (_, text) in files.of(Kind::Kernel) {
            found.kernel = version(text).map(|version| (text.trim().to_owned(), version));
        }
        for (_, text) in files.of(Kind::Nfsstat) {
            found.nfs.extend(
                text.lines().map(str::trim).filter(|line| line.contains(" from ")).map(str::to_owned),
            );
        }
        found.pools.extend(files.of(Kind::Zpool).flat_map(|(_, text)| pools::read(text)));
        found.volumes.extend(files.of(Kind::Storcli).flat_map(|(_, text)| controller::read(text)));
        for (path, text) in files.of(Kind::Queue) {
            if let Some((device, file)) = queue_file(path) {
                found.queues.insert((device.to_owned(), file.to_owned()), text.trim().to_owned());
            }
        }
        let unknown =
            files.unknown().map(|path| format!("{path} is nothing that is known, and is left aside"));
        Ok((found, unknown.collect()))
    }

    /// A drive's model, as smartctl tells it, for the device of its name, or of its size.
    fn model(&mut self, text: &str) {
        let Some(model) =
            field(text, "Device Model").or(field(text, "Model Number")).or(field(text, "Product"))
        else {
            return;
        };
        let bytes: Option<u64> =
            field(text, "User Capacity").or(field(text, "Total NVM Capacity")).and_then(|capacity| {
                let digits: String = capacity
                    .chars()
                    .take_while(|character| *character != 'b' && *character != '[')
                    .filter(char::is_ascii_digit)
                    .collect();
                digits.parse().ok()
            });
        let of_size = |device: &&mut BlockDevice| {
            device.kind == "disk" && Some(device.bytes) == bytes && device.model.is_empty()
        };
        if let Some(device) = self.devices.values_mut().find(of_size) {
            model.clone_into(&mut device.model);
        }
    }

    /// What a file of a device's queue says.
    pub(super) fn queue(&self, device: &str, file: &str) -> Option<&str> {
        self.queues.get(&(device.to_owned(), file.to_owned())).map(String::as_str)
    }
}

/// The value behind a key and a colon.
fn field<'t>(text: &'t str, key: &str) -> Option<&'t str> {
    let value =
        |line: &'t str| Some(line.trim_start().strip_prefix(key)?.trim_start().strip_prefix(':')?.trim());
    text.lines().find_map(value).filter(|value| !value.is_empty())
}
