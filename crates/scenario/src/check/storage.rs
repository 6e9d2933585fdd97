//! Disks, what is made of them, hosts and the file systems on them.

use super::pool::Pool;
use super::{Checker, Holder, HolderKind, PlannedFileSystem, Words};
use crate::schema::{Names, Raid};
use petrio_colours::SECTOR_BYTES;
use std::rc::Rc;

/// So many disks of one part are a data centre, and more are a slip of the finger.
const DISKS_MAX: u32 = 100_000;

/// MAX_SWAPPINESS (include/linux/swap.h).
const MOST_SWAPPINESS: u32 = 200;

/// What a file system may lie on.
const HOLDERS: Words = Words { one: "disk or array", many: "disks and arrays" };

impl Checker<'_> {
    pub(super) fn disks(&mut self) {
        if self.scenario.disk.is_empty() {
            self.error("", "the scenario has no disk", "add a part: [disk.d0] and below it model = \"…\"");
        }
        let scenario = self.scenario;
        for (part, disk) in &scenario.disk {
            let path = format!("disk.{part}");
            self.name(&path, part);
            if disk.count == 0 || disk.count > DISKS_MAX {
                let message = format!("a part has between 1 and {DISKS_MAX} disks, not {}", disk.count);
                self.error(&format!("{path}.count"), message, "leave the part out if there is none");
                continue;
            }
            if disk.queue_depth == Some(0) {
                let path = format!("{path}.queue_depth");
                self.error(&path, "a disk with a queue depth of 0 accepts no command", "write 1 or more");
            }
            for number in 0..disk.count {
                let name = if disk.count == 1 { part.clone() } else { format!("{part}{number}") };
                let help = "parts with a count number their disks from 0; rename one part";
                self.take_name(&path, &name, "disk", help);
                self.disks.push((name, part.clone()));
            }
        }
    }

    /// Arrays, fabrics and throttles, and what they are made of.
    pub(super) fn holders(&mut self) {
        let scenario = self.scenario;
        let disk = |(name, _): &(String, String)| Holder {
            name: name.clone(),
            kind: HolderKind::Disk,
            over: Vec::new(),
        };
        self.holders = self.disks.iter().map(disk).collect();
        let others = (scenario.raid.keys().map(|name| (name, HolderKind::Raid)))
            .chain(scenario.fabric.keys().map(|name| (name, HolderKind::Fabric)))
            .chain(scenario.throttle.keys().map(|name| (name, HolderKind::Throttle)))
            .chain(scenario.replication.keys().map(|name| (name, HolderKind::Replication)));
        for (name, kind) in others {
            let path = format!("{}.{name}", kind.key());
            self.name(&path, name);
            self.take_name(&path, name, kind.key(), "rename one of them");
            self.holders.push(Holder { name: name.clone(), kind, over: Vec::new() });
        }
        self.pool = Rc::new(self.pool_of_holders());
        for number in self.disks.len()..self.holders.len() {
            let Holder { name, kind, .. } = self.holders[number].clone();
            let path = format!("{}.{name}.on", kind.key());
            let over = match kind {
                HolderKind::Raid => match scenario.raid.get(&name) {
                    Some(raid) => self.members(number as u32, raid, &path),
                    None => Vec::new(),
                },
                HolderKind::Replication => match scenario.replication.get(&name) {
                    Some(replication) => {
                        let pool = Rc::clone(&self.pool);
                        let mut members = self.find(&path, &replication.on, &pool, HOLDERS);
                        members.retain(|&member| member as usize != number);
                        members
                    }
                    None => Vec::new(),
                },
                _ => {
                    let on = scenario.fabric.get(&name).map(|fabric| &fabric.on);
                    let on = on.or(scenario.throttle.get(&name).map(|throttle| &throttle.on));
                    on.and_then(|on| self.only(&path, on, kind.key())).into_iter().collect()
                }
            };
            for &member in &over {
                self.claim(member, &format!("the {} \"{name}\"", kind.key()), &path);
                let below = self.holders[member as usize].clone();
                if below.kind == HolderKind::Throttle {
                    let message =
                        format!("the {} \"{name}\" lies on the throttle \"{}\"", kind.key(), below.name);
                    let help = "a throttle charges requests before the queue merges them, so it lies directly under a \
                                file system";
                    self.error(&path, message, help);
                }
            }
            self.holders[number].over = over;
        }
        self.circles();
    }

    fn members(&mut self, number: u32, raid: &Raid, path: &str) -> Vec<u32> {
        let pool = Rc::clone(&self.pool);
        let mut members = self.find(path, &raid.on, &pool, HOLDERS);
        // A pattern such as "*" doesn't mean the array itself.
        members.retain(|&member| member != number);
        if members.len() == 1 {
            self.error(path, "an array of one disk is that disk", "name two or more, or leave the array out");
        }
        let unit = raid.stripe_unit.get();
        if unit == 0 || !unit.is_multiple_of(SECTOR_BYTES) {
            let message =
                format!("a stripe unit is a multiple of {SECTOR_BYTES} B, and not {}", raid.stripe_unit);
            self.error(&path.replace(".on", ".stripe_unit"), message, "64 KiB is usual");
        }
        members
    }

    /// What names of holders may stand for, once they all are there.
    fn pool_of_holders(&self) -> Pool {
        let part = |(number, holder): (usize, &Holder)| {
            self.disks.get(number).map_or_else(|| holder.name.clone(), |(_, part)| part.clone())
        };
        let entry = |(number, holder): (usize, &Holder)| (holder.name.clone(), part((number, holder)));
        self.holders.iter().enumerate().map(entry).collect()
    }

    /// The one holder that a name stands for.
    fn only(&mut self, path: &str, name: &str, what: &str) -> Option<u32> {
        let pool = Rc::clone(&self.pool);
        let found = self.find(path, &Names::one(name), &pool, HOLDERS);
        if found.len() > 1 {
            let message =
                format!("a {what} lies on one disk or array, and \"{name}\" stands for {}", found.len());
            self.error(path, message, "name one of them, or make an array of them: [raid.NAME]");
            return None;
        }
        found.first().copied()
    }

    /// Notes who uses a holder; nobody else may.
    fn claim(&mut self, holder: u32, user: &str, path: &str) {
        match self.users.get(&holder) {
            None => {
                self.users.insert(holder, user.to_owned());
            }
            Some(other) => {
                let Holder { name, kind, .. } = &self.holders[holder as usize];
                let message = format!("the {} \"{name}\" is used by {other} already", kind.key());
                self.error(path, message, "give each one of its own");
            }
        }
    }

    /// Arrays of each other have no disk under them.
    fn circles(&mut self) {
        let made_of_itself = |start: u32| {
            let (mut next, mut seen) = (vec![start], Vec::new());
            while let Some(number) = next.pop() {
                for &below in &self.holders[number as usize].over {
                    if below == start {
                        return true;
                    }
                    if !seen.contains(&below) {
                        seen.push(below);
                        next.push(below);
                    }
                }
            }
            false
        };
        let count = self.holders.len() as u32;
        let Some(number) = (self.disks.len() as u32..count).find(|&number| made_of_itself(number)) else {
            return;
        };
        let Holder { name, kind, .. } = self.holders[number as usize].clone();
        let message = format!("the {} \"{name}\" is made of itself", kind.key());
        self.error(&format!("{}.{name}.on", kind.key()), message, "name the disks that it is made of");
        // What follows may rely on an end.
        self.holders.iter_mut().for_each(|holder| holder.over.clear());
    }

    /// Hosts, and the file systems that they mount.
    pub(super) fn file_systems(&mut self) {
        let scenario = self.scenario;
        for (name, host) in &scenario.host {
            let path = format!("host.{name}");
            self.name(&path, name);
            self.take_name(&path, name, "host", "rename one of them");
            if host.swappiness > MOST_SWAPPINESS {
                let message = format!(
                    "swappiness lies between 0 and {MOST_SWAPPINESS}, and not at {}",
                    host.swappiness
                );
                self.error(&format!("{path}.swappiness"), message, "60 is usual");
            }
        }
        for (name, file_system) in &scenario.fs {
            let path = format!("fs.{name}");
            self.name(&path, name);
            let place = &file_system.place;
            for (key, count) in [("queue_requests", place.queue_requests), ("queue_depth", place.queue_depth)]
            {
                if count == Some(0) {
                    let message = format!("with {key} = 0 nothing ever reaches the device");
                    self.error(&format!("{path}.{key}"), message, "write 1 or more, or leave it out");
                }
            }
            let host = self.host_of(&path, name, place.host.as_deref());
            let on = self.only(&format!("{path}.on"), &place.on, "file system");
            if let Some(on) = on {
                self.claim(on, &format!("the file system \"{name}\""), &format!("{path}.on"));
            }
            if let (Some(host), Some(on)) = (host, on) {
                self.file_systems.push(PlannedFileSystem { host, on });
            }
        }
        for (name, unix) in &scenario.unix {
            let path = format!("unix.{name}");
            self.name(&path, name);
            self.take_name(&path, name, "Unix host", "rename one of them");
            let at = format!("{path}.on");
            if let Some(on) = self.only(&at, &unix.on, "Unix host's file system") {
                self.claim(on, &format!("the Unix host \"{name}\""), &at);
                self.unix.push(on);
                if self.holders[on as usize].kind == HolderKind::Throttle {
                    let message = format!("the Unix host \"{name}\" lies on the throttle \"{}\"", unix.on);
                    self.error(&at, message, "a throttle is Linux's; name what it lies on");
                }
            }
        }
    }

    fn host_of(&mut self, path: &str, name: &str, host: Option<&str>) -> Option<usize> {
        if let Some(known) = host.and_then(|host| self.scenario.host.get_index_of(host)) {
            return Some(known);
        }
        let hosts: Vec<&str> = self.scenario.host.keys().map(String::as_str).collect();
        match (host, hosts.as_slice()) {
            (Some(host), _) => {
                let help = crate::text::typed::suggestion(host, &hosts, "the hosts are");
                self.error(&format!("{path}.host"), format!("no host is called \"{host}\""), help);
                None
            }
            (None, [_]) => Some(0),
            (None, []) => {
                let message = format!("no host mounts the file system \"{name}\"");
                let help = "add a part: [host.h] and below it machine = \"…\" and kernel = \"…\"";
                self.error_at_key(path, message, help);
                None
            }
            (None, _) => {
                let message = format!("there are several hosts; which of them mounts \"{name}\"?");
                self.error_at_key(path, message, format!("write host = \"{}\"", hosts[0]));
                None
            }
        }
    }
}
