//! The block devices of a machine and what lies on what, as `lsblk -J` tells.

use petrio_units::numbers::whole_part;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// A block device.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct BlockDevice {
    /// Its name in the kernel: `sda1`, `md0`, `dm-2`.
    pub(super) name: String,
    /// What it is called: `vg-root`.
    pub(super) called: String,
    /// `disk`, `part`, `raid5`, `lvm`, `crypt` …
    pub(super) kind: String,
    pub(super) bytes: u64,
    /// First sector of 512 bytes on what it is a part of, where that is told.
    pub(super) start: Option<u64>,
    pub(super) model: String,
    pub(super) rotates: bool,
    /// The file system on it, if one is.
    pub(super) holds: String,
    /// The file system's label; of a member of a ZFS pool, the pool's name.
    pub(super) label: String,
    pub(super) mounted_at: Vec<String>,
    /// What it lies on, in the order in which it was told.
    pub(super) on: Vec<String>,
}

#[derive(Deserialize)]
struct Listing {
    blockdevices: Vec<Node>,
}

/// As lsblk writes it: numbers are text without `-b` and in old versions, and truth is `"1"`.
#[derive(Deserialize)]
struct Node {
    name: String,
    #[serde(default)]
    kname: Option<String>,
    #[serde(default, rename = "type")]
    kind: Option<String>,
    #[serde(default)]
    size: Value,
    #[serde(default)]
    start: Value,
    #[serde(default)]
    model: Option<String>,
    #[serde(default)]
    rota: Value,
    #[serde(default)]
    fstype: Option<String>,
    #[serde(default)]
    label: Option<String>,
    #[serde(default)]
    mountpoint: Option<String>,
    #[serde(default)]
    mountpoints: Vec<Option<String>>,
    #[serde(default)]
    children: Vec<Node>,
}

/// Adds what a listing tells; what is wrong with it.
pub(super) fn read(text: &str, devices: &mut BTreeMap<String, BlockDevice>) -> Result<(), String> {
    // What a person pastes may have a prompt before it, and another behind.
    let begin = text.find('{').unwrap_or(0);
    let mut listing = serde_json::Deserializer::from_str(&text[begin..]).into_iter::<Listing>();
    match listing.next() {
        Some(Ok(Listing { blockdevices })) => {
            blockdevices.into_iter().for_each(|node| add(node, None, devices));
            Ok(())
        }
        Some(Err(error)) => Err(format!("it is no listing of lsblk -J: {error}")),
        None => Err("it is empty".to_owned()),
    }
}

fn add(node: Node, below: Option<&str>, devices: &mut BTreeMap<String, BlockDevice>) {
    let name = node.kname.unwrap_or_else(|| node.name.clone());
    let device = devices.entry(name.clone()).or_insert_with(|| BlockDevice {
        name: name.clone(),
        called: node.name,
        kind: node.kind.unwrap_or_else(|| "disk".to_owned()),
        bytes: bytes(&node.size),
        start: number(&node.start),
        model: node.model.unwrap_or_default().trim().to_owned(),
        rotates: is_true(&node.rota),
        holds: node.fstype.unwrap_or_default(),
        label: node.label.unwrap_or_default(),
        mounted_at: node.mountpoints.into_iter().flatten().chain(node.mountpoint).collect(),
        on: Vec::new(),
    });
    if let Some(below) = below
        && !device.on.iter().any(|other| other == below)
    {
        device.on.push(below.to_owned());
    }
    for child in node.children {
        add(child, Some(&name), devices);
    }
}

fn number(value: &Value) -> Option<u64> {
    value.as_u64().or_else(|| value.as_str()?.trim().parse().ok())
}

fn is_true(value: &Value) -> bool {
    value.as_bool().unwrap_or_else(|| number(value) == Some(1) || value.as_str() == Some("true"))
}

/// A size as a number, or as lsblk writes it for people: `931.5G`, in powers of 1,024.
fn bytes(value: &Value) -> u64 {
    if let Some(bytes) = number(value) {
        return bytes;
    }
    let text = value.as_str().unwrap_or_default().trim().replace(',', ".");
    let digits = text.trim_end_matches(|character: char| character.is_ascii_alphabetic());
    let power = match text[digits.len()..].chars().next() {
        Some('K') => 10,
        Some('M') => 20,
        Some('G') => 30,
        Some('T') => 40,
        Some('P') => 50,
        _ => 0,
    };
    digits.parse::<f64>().map_or(0, |number| whole_part(libm::round(libm::ldexp(number, power))))
}
