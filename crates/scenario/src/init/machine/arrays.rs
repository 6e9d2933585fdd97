//! Software RAID in a machine's scenario.

use super::block::BlockDevice;
use super::md::Array;
use super::nearest;
use super::write::{Parts, decimal};
use crate::init::list;
use petrio_units::Bytes;
use std::fmt::Write;

impl Parts<'_> {
    /// An array of Linux md, on its members; of one that is degraded the missing ones fail at once.
    pub(super) fn array(&mut self, array: &Array, device: &BlockDevice, called: &str) -> Option<String> {
        let told: Vec<&String> = if array.members.is_empty() {
            device.on.iter().collect()
        } else {
            array.members.iter().collect()
        };
        let known = |member: &&String| self.device(member).map(|device| device.name.clone());
        let names: Option<Vec<String>> = told.iter().map(known).collect();
        let members: Option<Vec<String>> = names?.iter().map(|name| self.part(name)).collect();
        let mut members = members.filter(|members| !members.is_empty())?;
        let failures = self.missing(array, called, &mut members);
        let list = list(&members);
        let is_one = array.level == "linear" || members.len() == 1;
        if is_one {
            let _ = writeln!(self.text, "[concat.{called}]\non = [{list}]\n");
        } else {
            let level = if array.level == "10" { "\"1+0\"".to_owned() } else { array.level.clone() };
            let _ = writeln!(
                self.text,
                "[raid.{called}]                 # {}\nuse = \"linux-md\"\nlevel = {level}\non = [{list}]",
                decimal(device.bytes)
            );
            if let Some(chunk) = array.chunk_kib.filter(|&kib| kib > 0 && array.level != "1") {
                let _ = writeln!(self.text, "stripe_unit = \"{chunk} KiB\"");
            }
            if let Some((layout, copies)) = array.copies.as_ref().filter(|_| array.level == "10") {
                let _ = writeln!(self.text, "copies = {copies}\ncopies_layout = \"{layout}\"");
            }
            if let Some(chunk) = array.bitmap_kib.filter(|_| array.level != "0") {
                let _ = writeln!(self.text, "bitmap = {{ chunk = \"{}\" }}", Bytes(chunk << 10));
            }
            if !failures.is_empty() {
                let _ =
                    writeln!(self.text, "failures = [{}]    # as it stands: degraded", failures.join(", "));
            }
            self.text.push('\n');
        }
        if array.others > 0 {
            self.remarks.push(format!(
                "{called} has {} members that have failed or are spare; they are left out",
                array.others
            ));
        }
        self.written.insert(called.to_owned());
        Some(called.to_owned())
    }

    /// Writes drives for the members of an array that are missing, puts them in their places, and says when they fail: before anything
    /// else happens. An array without redundancy has lost its data with one.
    fn missing(&mut self, array: &Array, called: &str, members: &mut Vec<String>) -> Vec<String> {
        if !matches!(array.level.as_str(), "1" | "4" | "5" | "6" | "10") {
            return Vec::new();
        }
        let disk = array.members.first().and_then(|member| self.disk_below(member));
        let Some(model) = disk.map(|disk| {
            nearest::drive(&self.catalogue, &disk.model, (disk.rotates, disk.bytes)).drive.to_owned()
        }) else {
            return Vec::new();
        };
        let mut failures = Vec::new();
        for &place in &array.missing {
            let name = format!("{called}-missing-{place}");
            let model = self.choices.drive.as_deref().unwrap_or(&model);
            let _ = writeln!(
                self.text,
                "# a member of {called} that is missing: when does it come back?\n[disk.{name}]\nmodel = \"{model}\"\n"
            );
            let place = place.min(members.len());
            members.insert(place, name);
            failures.push(format!("{{ member = {place}, at = \"0 s\" }}"));
        }
        failures
    }

    /// The drive on which something lies.
    fn disk_below(&self, name: &str) -> Option<&BlockDevice> {
        let name = name.rsplit('/').next().unwrap_or(name);
        let mut device =
            self.found.devices.values().find(|other| other.name == name || other.called == name)?;
        // What lies on itself by a damaged listing is on no drive.
        for _ in 0..self.found.devices.len() {
            if device.kind == "disk" && device.on.is_empty() {
                return Some(device);
            }
            device = self.found.devices.get(self.below(device)?)?;
        }
        None
    }
}
