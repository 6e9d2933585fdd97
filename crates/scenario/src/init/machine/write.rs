//! The scenario of a machine: its parts, each with the command or file that told of it, and questions where none did.

use super::block::BlockDevice;
use super::found::Found;
use super::md::Array;
use super::mounts::Mounted;
use super::nearest;
use crate::catalogue::{Device, devices};
use crate::fio::plain;
use crate::init::{Choices, KERNEL, MACHINE, list};
use petrio_units::Bytes;
use std::collections::BTreeSet;
use std::fmt::Write;

/// Percentages of what a partition lies on have so many digits behind the point: a block of a drive of 20 TB is less.
const DIGITS: usize = 9;
const SCALE: f64 = 1e9;
const HOST: &str = "here";

/// The whole text; what of the machine isn't in it is told as remarks.
pub(super) fn scenario(found: &Found, choices: &Choices, remarks: &mut Vec<String>) -> String {
    let mut parts = Parts {
        found,
        catalogue: devices().unwrap_or_default(),
        choices,
        text: String::new(),
        written: BTreeSet::new(),
        told: BTreeSet::new(),
        asked: BTreeSet::new(),
        under: BTreeSet::new(),
        remarks,
    };
    let mut file_systems = Vec::new();
    for (device, mount) in mounted(found) {
        if let Some(name) = parts.file_system(device, &mount) {
            file_systems.push(name);
        }
    }
    for (pool, at) in pools(found) {
        file_systems.extend(parts.pool(&pool, &at));
    }
    if file_systems.is_empty() {
        parts.bare_drive(&mut file_systems);
    }
    parts.unused();
    let parts = parts.text;
    format!(
        "# A machine as its own commands describe it. What they don't tell stands here as a question.\n#\n#   petrio run {}\n\n\
         title = \"This machine\"\n\n{}{parts}{}{}",
        choices.file,
        host(found, choices),
        remote(found),
        work(&file_systems),
    )
}

/// The host: machine, kernel, memory and limits.
fn host(found: &Found, choices: &Choices) -> String {
    let mut text = format!("[host.{HOST}]\n");
    let machine = choices.machine.as_deref().unwrap_or(MACHINE);
    let processor = found.processor.as_deref().unwrap_or("a processor that lscpu would tell");
    let _ = writeln!(
        text,
        "machine = \"{machine}\"       # what calls and copies cost there; here is {processor}: petrio calibrate measures it"
    );
    if let Some(processors) = found.processors {
        let _ = writeln!(text, "change.machine.processors = {processors}");
    }
    let (kernel, told) = match (&choices.kernel, &found.kernel) {
        (Some(kernel), _) => (kernel.as_str(), "as asked for".to_owned()),
        (None, Some((release, version))) => {
            (nearest::kernel(*version), format!("the nearest that is known to {}", one_line(release)))
        }
        (None, None) => (KERNEL, "which one is it? (uname -r)".to_owned()),
    };
    let _ = writeln!(text, "kernel = \"{kernel}\"           # {told}");
    let memory = choices.memory.clone().or(found.memory_kib.map(|kib| Bytes(kib << 10).to_string()));
    match memory {
        Some(memory) => _ = writeln!(text, "memory = \"{memory}\""),
        None => text.push_str("memory = \"16 GiB\"               # how much is there? (/proc/meminfo)\n"),
    }
    if let Some(swap) = found.swap_kib.filter(|&kib| kib > 0) {
        let _ = writeln!(text, "swap = \"{}\"", Bytes(swap << 10));
    }
    text.push_str(&limits(found));
    text.push('\n');
    text
}

/// What of `vm.*` isn't the kernel's own default.
fn limits(found: &Found) -> String {
    let mut text = String::new();
    let vm = |key: &str| found.vm.get(key).copied();
    for (bytes, ratio, key, share, usual) in [
        ("dirty_bytes", "dirty_ratio", "dirty_limit", "limit", 20),
        ("dirty_background_bytes", "dirty_background_ratio", "dirty_background", "background", 10),
    ] {
        let shares = vm(ratio).filter(|&ratio| ratio > 0 && ratio != usual);
        if let Some(limit) = vm(bytes).filter(|&bytes| bytes > 0) {
            let _ = writeln!(text, "{key} = \"{}\"             # vm.{bytes}", Bytes(limit));
        } else if let Some(percent) = shares {
            let _ = writeln!(text, "change.kernel.write_back.{share} = \"{percent} %\"    # vm.{ratio}");
        }
    }
    if let Some(expire) = vm("dirty_expire_centisecs").filter(|&expire| expire != 3_000 && expire > 0) {
        let _ = writeln!(
            text,
            "change.kernel.write_back.expire = \"{} ms\"    # vm.dirty_expire_centisecs",
            expire * 10
        );
    }
    if let Some(swappiness) = vm("swappiness").filter(|&swappiness| swappiness != 60 && swappiness <= 200) {
        let _ = writeln!(text, "swappiness = {swappiness}");
    }
    text
}

fn one_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default().trim()
}

/// Local file systems on block devices, each once, in the order in which they are mounted.
fn mounted(found: &Found) -> Vec<(&BlockDevice, Mounted)> {
    let mut all: Vec<(&BlockDevice, Mounted)> = Vec::new();
    for mount in &found.mounts {
        let name = mount.source.strip_prefix("/dev/").unwrap_or_default();
        let name = name.strip_prefix("mapper/").unwrap_or(name);
        let is_it = |device: &&BlockDevice| device.name == name || device.called == name;
        if let Some(device) = found.devices.values().find(is_it) {
            all.push((device, mount.clone()));
        }
    }
    // Without a list of mounts, lsblk knows where.
    for device in found.devices.values() {
        if let Some(at) = device.mounted_at.iter().find(|at| at.starts_with('/')) {
            let mount = Mounted {
                source: String::new(),
                at: at.clone(),
                kind: device.holds.clone(),
                options: Vec::new(),
            };
            all.push((device, mount));
        }
    }
    let mut seen = BTreeSet::new();
    let not_worth = ["vfat", "squashfs", "iso9660", "swap", "overlay", "erofs"];
    all.retain(|(device, mount)| {
        !not_worth.contains(&mount.kind.as_str())
            && !mount.at.starts_with("/boot")
            && device.kind != "loop"
            && seen.insert(device.name.clone())
    });
    all
}

/// The parts below file systems, each written once.
pub(super) struct Parts<'a> {
    pub(super) found: &'a Found,
    pub(super) catalogue: Vec<(&'static str, Device)>,
    pub(super) choices: &'a Choices,
    pub(super) text: String,
    pub(super) written: BTreeSet<String>,
    /// Devices of which the text says what they are for though they are no parts, by the kernel's names.
    pub(super) told: BTreeSet<String>,
    /// Devices whose parts are being written.
    pub(super) under: BTreeSet<String>,
    /// Layers whose question is asked.
    pub(super) asked: BTreeSet<String>,
    pub(super) remarks: &'a mut Vec<String>,
}

impl Parts<'_> {
    fn file_system(&mut self, device: &BlockDevice, mount: &Mounted) -> Option<String> {
        let Some(on) = self.part(&device.name) else {
            self.remarks.push(format!("{} lies on nothing that lsblk tells of, and is left out", mount.at));
            return None;
        };
        let name = match plain(mount.at.trim_matches('/')).trim_matches('-') {
            "" => "root".to_owned(),
            name => name.to_owned(),
        };
        let kind = if mount.kind == "ext3" { "ext3" } else { "ext4" };
        let _ = write!(self.text, "[fs.{name}]                     # {}\ntype = \"{kind}\"", mount.at);
        match mount.kind.as_str() {
            "ext3" | "ext4" => {}
            "ext2" => self
                .text
                .push_str("                   # it is ext2, which has no journal: how much does it matter?"),
            "" => self.text.push_str("                   # of which type is it? (/proc/mounts)"),
            other => {
                let _ = write!(
                    self.text,
                    "                   # it is {other}, which is taken as ext4: how much does it matter?"
                );
            }
        }
        let _ = writeln!(self.text, "\non = \"{on}\"");
        self.options(mount);
        self.queue(device);
        self.text.push('\n');
        Some(name)
    }

    /// Mount options that matter.
    fn options(&mut self, mount: &Mounted) {
        if mount.has("relatime") {
            self.text.push_str("access_times = \"relative\"\n");
        } else if mount.has("strictatime") {
            self.text.push_str("access_times = \"always\"\n");
        }
        match mount.value("data") {
            Some("journal") => self.text.push_str("journal = \"journal\"\n"),
            Some("writeback") => self.text.push_str("journal = \"write-back\"\n"),
            _ => {}
        }
        if mount.has("nobarrier") || mount.value("barrier") == Some("0") {
            self.text.push_str("barriers = false\n");
        }
        if let Some(seconds) = mount
            .value("commit")
            .and_then(|seconds| seconds.parse::<u32>().ok())
            .filter(|&seconds| seconds > 0)
        {
            let _ = writeln!(self.text, "commit_interval = \"{seconds} s\"");
        }
    }

    /// The scheduler of the one drive that it lies on.
    fn queue(&mut self, device: &BlockDevice) {
        let mut below = device;
        for _ in 0..self.found.devices.len() {
            let [only] = below.on.as_slice() else { break };
            let Some(next) = self.found.devices.get(only) else { break };
            below = next;
        }
        if below.kind != "disk" {
            return;
        }
        let chosen = self
            .found
            .queue(&below.name, "scheduler")
            .and_then(|all| all.split('[').nth(1)?.split(']').next());
        if let Some(scheduler @ ("none" | "mq-deadline" | "bfq" | "kyber")) = chosen {
            let _ = writeln!(self.text, "scheduler = \"{scheduler}\"");
        }
    }

    /// The name of the part that a device is, which is written unless it was; none of what lies on itself by a damaged listing.
    pub(super) fn part(&mut self, name: &str) -> Option<String> {
        if !self.under.insert(name.to_owned()) {
            return None;
        }
        let part = self.part_of(name);
        self.under.remove(name);
        part
    }

    fn part_of(&mut self, name: &str) -> Option<String> {
        let device = self.found.devices.get(name)?;
        let called = plain(&device.called);
        if self.written.contains(&called) {
            return Some(called);
        }
        if let Some(array) =
            self.found.arrays.iter().find(|array| array.name == device.name || array.name == device.called)
        {
            return self.array(array, device, &called);
        }
        match device.kind.as_str() {
            "disk" if device.on.is_empty() => {
                if let Some(part) = self.namespace(device, &called).or_else(|| self.volume(device, &called)) {
                    return Some(part);
                }
                self.drive(device, &called);
                self.written.insert(called.clone());
                Some(called)
            }
            "part" | "lvm" => self.piece(device, &called),
            kind if kind.starts_with("raid") => {
                let level = kind.trim_start_matches("raid").to_owned();
                let array = Array {
                    name: device.name.clone(),
                    level,
                    members: device.on.clone(),
                    ..Array::default()
                };
                self.array(&array, device, &called)
            }
            // Encryption, multipath, a cache and the like change nothing of where blocks lie.
            _ => self.layer(device),
        }
    }

    pub(super) fn drive(&mut self, device: &BlockDevice, called: &str) {
        let found = self.nearest(device);
        let drive = self.choices.drive.as_deref().unwrap_or(found.drive);
        let size = decimal(device.bytes);
        let model = if device.model.is_empty() { "a drive whose model isn't told" } else { &device.model };
        let match_ = match (&self.choices.drive, found.is_model) {
            (Some(_), _) => String::new(),
            (None, true) => ", which is in the catalogue".to_owned(),
            (None, false) => {
                ": the nearest of its class in the catalogue; is there a better one? (petrio catalogue list)"
                    .to_owned()
            }
        };
        let kind = if device.rotates { "rotating" } else { "solid-state" };
        let _ =
            writeln!(self.text, "# {model}, {size}, {kind}{match_}\n[disk.{called}]\nmodel = \"{drive}\"");
        match self.found.queue(&device.name, "write_cache") {
            Some("write back") if device.rotates => self.text.push_str("write_cache = \"on\"\n"),
            Some("write through") if device.rotates => self.text.push_str("write_cache = \"off\"\n"),
            _ => {}
        }
        self.text.push('\n');
    }

    /// A partition or a logical volume: a run of what it lies on.
    fn piece(&mut self, device: &BlockDevice, called: &str) -> Option<String> {
        let below = self.found.devices.get(self.below(device)?)?;
        let on = self.part(&below.name)?;
        if device.on.len() > 1 {
            self.spread(device, called, below);
        }
        let siblings = self.pieces(below);
        // Thin volumes may be larger together than what they lie on.
        let whole =
            siblings.iter().map(|other| other.bytes).fold(0, u64::saturating_add).max(below.bytes).max(1);
        let told = device.start.is_some();
        let share = |bytes: u64| 100.0 * bytes as f64 / if told { below.bytes.max(1) } else { whole } as f64;
        let before = siblings.iter().take_while(|other| other.name != device.name).map(|other| other.bytes);
        let begins = device.start.map_or_else(|| before.sum(), |sector| sector.saturating_mul(512));
        let from = share(begins).min(100.0);
        let size = share(device.bytes).min(100.0 - from);
        if size <= 0.0 {
            return None;
        }
        let _ = writeln!(
            self.text,
            "[partition.{called}]            # {}\non = \"{on}\"\nfrom = \"{} %\"\nsize = \"{} %\"\n",
            decimal(device.bytes),
            percent(from),
            percent(size)
        );
        self.written.insert(called.to_owned());
        Some(called.to_owned())
    }

    /// The pieces of something, in the order in which they lie where none of them says.
    fn pieces(&self, below: &BlockDevice) -> Vec<&BlockDevice> {
        let all = self.found.devices.values();
        all.filter(|other| self.below(other) == Some(&below.name)).collect()
    }

    /// Where nothing is mounted: a file system on the largest drive.
    fn bare_drive(&mut self, file_systems: &mut Vec<String>) {
        let is_drive =
            |device: &&BlockDevice| device.kind == "disk" && device.bytes > 0 && device.on.is_empty();
        let drives = self.found.devices.values().filter(is_drive);
        let Some(largest) = drives.max_by_key(|device| device.bytes) else { return };
        if let Some(on) = self.part(&largest.name) {
            let _ = writeln!(
                self.text,
                "[fs.data]                       # nothing is mounted: which file system is it?\ntype = \"ext4\"\non = \"{on}\"\n"
            );
            file_systems.push("data".to_owned());
        }
    }

    /// Drives on which nothing is mounted.
    fn unused(&mut self) {
        for device in self.found.devices.values().filter(|device| device.kind == "disk" && device.bytes > 0) {
            let is_known = self.written.contains(&plain(&device.called)) || self.told.contains(&device.name);
            if device.on.is_empty() && !is_known {
                let _ = writeln!(
                    self.text,
                    "# {}: {} {}, on which nothing is mounted. What is it for?\n",
                    device.called,
                    device.model,
                    decimal(device.bytes)
                );
            }
        }
    }
}

/// Files of other machines: as comments, since what serves them is not to be seen from here.
fn remote(found: &Found) -> String {
    let mut text = String::new();
    for mount in found.mounts.iter().filter(|mount| mount.is_remote()) {
        let value = |key: &str| mount.value(key).map(|value| format!(", {key}={value}")).unwrap_or_default();
        let details = [value("rsize"), value("wsize"), value("vers")].concat();
        let _ = writeln!(
            text,
            "# {} is {} by {}{details}. What serves it? [share.NAME] is a file service (docs/clusters.md).",
            mount.at, mount.source, mount.kind
        );
    }
    for line in &found.nfs {
        if !found.mounts.iter().any(|mount| line.starts_with(&mount.at)) {
            let _ = writeln!(text, "# {line}: what serves it?");
        }
    }
    if !text.is_empty() {
        text.push('\n');
    }
    text
}

/// Something to ask of it: the same of each file system, as nobody knows here what each is for.
fn work(file_systems: &[String]) -> String {
    let on = list(file_systems);
    format!(
        "# What is the machine for? Put it here: petrio init lists templates, petrio schema workload says what there is, and\n\
         # petrio trace capture records what runs on it now. File systems that nothing uses are to be left out.\n\
         [workload.reads]\nkind = \"files\"\non = [{on}]\noperation = \"read\"\npattern = \"random\"\nrecord = \"8 KiB\"\n\
         file_size = \"64 MiB\"\noperations = 1000\n"
    )
}

/// Pools of ZFS that are mounted, each with where the first of its file systems is.
fn pools(found: &Found) -> Vec<(String, String)> {
    let mut pools: Vec<(String, String)> = Vec::new();
    for mount in found.mounts.iter().filter(|mount| mount.kind == "zfs") {
        let pool = mount.source.split('/').next().unwrap_or_default();
        if !pools.iter().any(|(known, _)| known == pool) {
            pools.push((pool.to_owned(), mount.at.clone()));
        }
    }
    pools
}

/// A share in per cent, rounded down, so that the last piece ends where the drive does.
pub(super) fn percent(share: f64) -> String {
    let text = format!("{:.DIGITS$}", libm::floor(share * SCALE) / SCALE);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// A size as makers print it.
pub(super) fn decimal(bytes: u64) -> String {
    let gigabytes = bytes as f64 / 1e9;
    if gigabytes < 999.5 { format!("{gigabytes:.0} GB") } else { format!("{:.1} TB", gigabytes / 1e3) }
}
