//! What lies between drives and file systems and isn't a partition or an array: encryption, caches, several paths, namespaces, pools of ZFS,
//! controllers that hide their drives. Of each the text says what can't be known from outside, as a question.

use super::block::BlockDevice;
use super::controller::Volume;
use super::nearest;
use super::pools::{Pool, Redundancy};
use super::write::{Parts, decimal, percent};
use crate::fio::plain;
use crate::init::list;
use std::fmt::Write;

/// Words in the models of volumes that controllers make of drives: LSI's, Dell's, HPE's, Adaptec's, IBM's, Areca's.
const OF_CONTROLLERS: [&str; 13] = [
    "PERC",
    "MEGARAID",
    "AVAGO",
    "LOGICAL VOLUME",
    "SERVERAID",
    "SMC3108",
    "LSI",
    "MR9",
    "SMART ARRAY",
    "ADAPTEC",
    "ASR",
    "ARECA",
    "RAID",
];

/// Whether a disk is a volume of a RAID controller.
pub(super) fn is_of_controller(device: &BlockDevice) -> bool {
    let model = device.model.to_ascii_uppercase();
    OF_CONTROLLERS.iter().any(|word| {
        model.split_whitespace().any(|own| own.starts_with(word)) || model.contains("LOGICAL VOLUME")
    })
}

/// The controller of a namespace: `nvme0` of `nvme0n2`.
fn controller(name: &str) -> Option<&str> {
    let (controller, number) = name.rsplit_once('n')?;
    let digits = controller.strip_prefix("nvme")?;
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    (is_number(digits) && is_number(number)).then_some(controller)
}

impl Parts<'_> {
    /// Of all that a device lies on, that where its data are: a cache's origin, a thin pool's data, the drive behind bcache.
    pub(super) fn below<'d>(&self, device: &'d BlockDevice) -> Option<&'d String> {
        let bytes = |name: &&String| self.found.devices.get(*name).map_or(0, |below| below.bytes);
        // The first of those that are equally large.
        device.on.iter().rev().max_by_key(bytes)
    }

    /// What doesn't change where blocks lie, with its question; the part is that which it lies on.
    pub(super) fn layer(&mut self, device: &BlockDevice) -> Option<String> {
        let below = self.below(device)?.clone();
        let others: Vec<String> = device.on.iter().filter(|other| **other != below).cloned().collect();
        let part = self.part(&below)?;
        for other in &others {
            self.tell(other);
        }
        if !self.asked.insert(device.name.clone()) {
            return Some(part);
        }
        let (called, others) = (&device.called, others.join(", "));
        let question = match device.kind.as_str() {
            "crypt" => format!(
                "{called} is encrypted: how much does its cipher take? (cryptsetup benchmark) Here it takes nothing."
            ),
            "mpath" => format!(
                "{called} has several paths, {below} and {others}: which are active? (multipath -ll) [multipath.NAME] plays them; here is one."
            ),
            "disk" => format!(
                "{called} caches {below} on {others}: how much is found there, and are writes held back? (/sys/block/{}/bcache) Here nothing is.",
                device.name
            ),
            kind => format!("{called} is of type {kind}, which is taken to change nothing: does it?"),
        };
        let _ = writeln!(self.text, "# {question}\n");
        Some(part)
    }

    /// Notes that the text says of a device what it is for, and of the drive below it.
    pub(super) fn tell(&mut self, name: &str) {
        let mut next = Some(name.to_owned());
        while let Some(name) = next.filter(|name| self.told.insert(name.clone())) {
            next = self.found.devices.get(&name).and_then(|device| device.on.first().cloned());
        }
    }

    /// What isn't told of a logical volume on several others.
    pub(super) fn spread(&mut self, device: &BlockDevice, called: &str, below: &BlockDevice) {
        let on = device.on.join(", ");
        let is = |part: &str| device.on.iter().any(|name| self.named(name).contains(part));
        let question = if is("_tdata") {
            format!(
                "{called} is a pool of thin volumes: where their blocks lie isn't told, and they lie one behind the other here."
            )
        } else if is("_corig") {
            format!(
                "{called} caches {}: how much is found in the cache? (lvs -o +cache_read_hits) Here nothing is.",
                below.called
            )
        } else if is("_rimage_") {
            format!(
                "{called} is an array of LVM's: of which level? (lvs -a -o +segtype,devices) Here it is its first member alone."
            )
        } else {
            let message = format!(
                "{called} lies on {} devices, and is taken to lie on {} alone",
                device.on.len(),
                below.called
            );
            self.remarks.push(message);
            format!(
                "{called} lies on {on}: in stripes, or one behind the other? (lvs -o +segtype,devices) Here it is on {} alone.",
                below.called
            )
        };
        let _ = writeln!(self.text, "# {question}");
        for other in &device.on {
            self.tell(other);
        }
    }

    /// What a device is called, by its name in the kernel.
    fn named<'n>(&'n self, name: &'n str) -> &'n str {
        self.found.devices.get(name).map_or(name, |device| &device.called)
    }

    /// A namespace of a drive that has several: a piece of it, for they share its controller and its flash. None of others.
    pub(super) fn namespace(&mut self, device: &BlockDevice, called: &str) -> Option<String> {
        let own = controller(&device.name)?.to_owned();
        let found = self.found;
        let all = || {
            found
                .devices
                .values()
                .filter(|other| other.kind == "disk" && controller(&other.name) == Some(own.as_str()))
        };
        if all().count() < 2 {
            return None;
        }
        let bytes = all().fold(0, |sum: u64, other| sum.saturating_add(other.bytes)).max(1);
        if self.written.insert(own.clone()) {
            let drive = BlockDevice { name: own.clone(), called: own.clone(), bytes, ..device.clone() };
            let names: Vec<&str> = all().map(|other| other.name.as_str()).collect();
            let _ = writeln!(
                self.text,
                "# {} are namespaces of one drive. Are they of one size with it, or is some of it given to none? (nvme id-ctrl)",
                names.join(", ")
            );
            self.drive(&drive, &own);
        }
        let before = all()
            .take_while(|other| other.name != device.name)
            .fold(0, |sum: u64, other| sum.saturating_add(other.bytes));
        let share = |part: u64| 100.0 * part as f64 / bytes as f64;
        let _ = writeln!(
            self.text,
            "[partition.{called}]            # {}\non = \"{own}\"\nfrom = \"{} %\"\nsize = \"{} %\"\n",
            decimal(device.bytes),
            percent(share(before)),
            percent(share(device.bytes))
        );
        self.written.insert(called.to_owned());
        Some(called.to_owned())
    }

    /// A pool of ZFS that is mounted at a place: its groups of drives, as `zpool status` tells, each an array, and a file system on all.
    pub(super) fn pool(&mut self, pool: &str, at: &str) -> Option<String> {
        let members: Vec<String> = {
            let is_member = |device: &&BlockDevice| {
                device.holds == "zfs_member" && (device.label.is_empty() || device.label == pool)
            };
            self.found.devices.values().filter(is_member).map(|device| device.name.clone()).collect()
        };
        let told = self.found.pools.iter().find(|told| told.name == pool).cloned();
        let asks = told.is_none() && members.len() > 1;
        let groups =
            told.as_ref().map_or_else(|| Pool::alone(pool, &members).groups, |told| told.groups.clone());
        // Those that lsblk calls otherwise (by their ids) are taken in its order.
        let known: Vec<Option<String>> =
            groups.iter().flat_map(|group| &group.members).map(|name| self.device_of(name)).collect();
        let taken: Vec<String> = known.iter().flatten().cloned().collect();
        let mut spare = members.iter().filter(|member| !taken.contains(member));
        let mut known = known.into_iter().map(|known| known.or_else(|| spare.next().cloned()));
        let mut arrays = Vec::new();
        for (number, group) in groups.iter().enumerate() {
            let names: Vec<String> = known.by_ref().take(group.members.len()).flatten().collect();
            let parts: Vec<String> = names.iter().filter_map(|name| self.part(name)).collect();
            arrays.extend(self.group(&format!("{}-{number}", plain(pool)), group.redundancy, &parts));
        }
        members.iter().for_each(|member| self.tell(member));
        if asks {
            let _ = writeln!(
                self.text,
                "# How are the {} drives of {pool} arranged? (zpool status) Here each stands alone.",
                members.len()
            );
        }
        if let Some(beside) = told.map(|told| told.beside).filter(|beside| !beside.is_empty()) {
            let _ = writeln!(
                self.text,
                "# {pool} has {} beside: what do they take? Here nothing.",
                beside.join(", ")
            );
        }
        let called = plain(pool);
        let on = self.group(&called, Redundancy::None, &arrays)?;
        let name = match plain(at.trim_matches('/')).trim_matches('-') {
            "" => "root".to_owned(),
            name => name.to_owned(),
        };
        let _ = writeln!(
            self.text,
            "# {pool} is ZFS, which writes elsewhere what changes, keeps a cache of its own and may compress: it is taken as ext4. Of which\n\
             # record size is it, does it compress, and how large may its cache grow? (zfs get recordsize,compression {pool}; zfs_arc_max)\n\
             [fs.{name}]                     # {at}\ntype = \"ext4\"\non = \"{on}\"\n"
        );
        Some(name)
    }

    /// A device by its name in the kernel or what it is called, whatever folder stands before.
    pub(super) fn device(&self, name: &str) -> Option<&BlockDevice> {
        let name = name.rsplit('/').next().unwrap_or(name);
        self.found.devices.values().find(|device| device.name == name || device.called == name)
    }

    /// The kernel's name of what a pool has of a device.
    fn device_of(&self, name: &str) -> Option<String> {
        let device = self.device(name)?;
        // Of a whole drive ZFS takes a partition that it makes.
        let made = self
            .found
            .devices
            .values()
            .find(|other| other.on.first() == Some(&device.name) && other.holds == "zfs_member");
        Some(made.unwrap_or(device).name.clone())
    }

    /// An array of parts; of one part that itself.
    fn group(&mut self, called: &str, redundancy: Redundancy, parts: &[String]) -> Option<String> {
        let [first, ..] = parts else { return None };
        if parts.len() == 1 {
            return Some(first.clone());
        }
        let level = match redundancy {
            Redundancy::None => "0",
            Redundancy::Mirror => "1",
            Redundancy::Parity(1) if parts.len() > 2 => "5",
            Redundancy::Parity(2..) if parts.len() > 3 => "6",
            // So few of them keep what mirrors keep.
            Redundancy::Parity(_) => "1",
        };
        if matches!(redundancy, Redundancy::Parity(3..)) {
            let _ = writeln!(
                self.text,
                "# three of its drives may fail: it is taken for an array of which two may"
            );
        }
        let list = list(parts);
        let _ = writeln!(self.text, "[raid.{called}]\nuse = \"linux-md\"\nlevel = {level}\non = [{list}]\n");
        self.written.insert(called.to_owned());
        Some(called.to_owned())
    }

    /// A volume of a RAID controller: an array of the drives that the controller's own command tells, else a question.
    pub(super) fn volume(&mut self, device: &BlockDevice, called: &str) -> Option<String> {
        if !is_of_controller(device) {
            return None;
        }
        let position =
            self.found.devices.values().filter(|other| other.kind == "disk" && is_of_controller(other));
        let position = position.take_while(|other| other.name != device.name).count();
        let Some(volume) =
            self.found.volumes.get(position).cloned().filter(|volume| !volume.drives.is_empty())
        else {
            let _ = writeln!(
                self.text,
                "# {} is a volume of a RAID controller, which hides its drives. Which are they, how many, and in which level?\n\
                 # (storcli /c0 show all; perccli, ssacli, arcconf) Here it is one drive of its size.",
                device.model
            );
            return None;
        };
        let parts: Vec<String> =
            (0..volume.drives.len()).map(|number| format!("{called}-{number}")).collect();
        for (part, drive) in parts.iter().zip(&volume.drives) {
            let drive = BlockDevice {
                name: part.clone(),
                called: part.clone(),
                kind: "disk".to_owned(),
                ..drive.clone()
            };
            self.drive(&drive, part);
        }
        self.controlled(device, called, &volume, &parts);
        self.written.insert(called.to_owned());
        Some(called.to_owned())
    }

    /// The array that a controller makes.
    fn controlled(&mut self, device: &BlockDevice, called: &str, volume: &Volume, parts: &[String]) {
        let list = list(parts);
        let Volume { level, writes_back, .. } = volume;
        let held = if *writes_back { "hold back writes" } else { "don't hold back writes" };
        if parts.len() == 1 {
            let _ = writeln!(self.text, "[concat.{called}]\non = [{list}]\n");
            return;
        }
        let (level, told) = match level.as_str() {
            "1" | "5" | "6" | "0" => (level.clone(), String::new()),
            "10" => ("\"1+0\"".to_owned(), String::new()),
            other => ("5".to_owned(), format!(" It is of level {other}, which is taken as 5.")),
        };
        let _ = writeln!(
            self.text,
            "# {} makes {called} of them; its caches {held}. Of which size is its memory, is there a battery?{told} (perc-h700 is a controller\n\
             # of the catalogue's: petrio catalogue show perc-h700)\n[raid.{called}]                 # {}\nuse = \"perc-h700\"\nlevel = {level}\n\
             on = [{list}]",
            device.model,
            decimal(device.bytes)
        );
        if let Some(kib) = volume.stripe_kib {
            let _ = writeln!(self.text, "stripe_unit = \"{kib} KiB\"");
        }
        self.text.push('\n');
    }

    /// The drive of the catalogue for one that is told by its model.
    pub(super) fn nearest(&self, device: &BlockDevice) -> nearest::Match {
        nearest::drive(&self.catalogue, &device.model, (device.rotates, device.bytes))
    }
}
