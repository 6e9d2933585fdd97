//! Volumes of a RAID controller and the drives behind them, as LSI's `storcli /c0 show all` tells (and Dell's perccli, alike).

use super::block::BlockDevice;
use petrio_units::numbers::whole_part;

/// A volume that a controller makes of drives.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Volume {
    /// `5`, `10` …
    pub(super) level: String,
    pub(super) writes_back: bool,
    /// KiB of a stripe on a drive, where that is told.
    pub(super) stripe_kib: Option<u64>,
    pub(super) drives: Vec<BlockDevice>,
}

/// The volumes of a text, in their order.
///
/// ```text
/// DG/VD TYPE  State Access Consist Cache Cac sCC      Size Name
/// 0/0   RAID5 Optl  RW     Yes     RWBD  -   ON  10.913 TB data
///
/// EID:Slt DID State DG     Size Intf Med SED PI SeSz Model      Sp Type
/// 252:0     8 Onln   0 3.637 TB SATA HDD N   N  512B ST4000NM1  U  -
/// ```
pub(super) fn read(text: &str) -> Vec<Volume> {
    let mut volumes: Vec<(String, Volume)> = Vec::new();
    let mut drives: Vec<(String, BlockDevice)> = Vec::new();
    let mut stripe_kib = None;
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        if let Some(rest) = line.trim().strip_prefix("Strip Size = ") {
            stripe_kib = kib(rest);
        }
        match words.as_slice() {
            [place, level, _, _, _, cache, ..] if level.starts_with("RAID") => {
                let Some((group, _)) = place.split_once('/') else { continue };
                let volume = Volume {
                    level: level.trim_start_matches("RAID").to_owned(),
                    writes_back: cache.contains("WB") || cache.contains("AWB"),
                    ..Volume::default()
                };
                volumes.push((group.to_owned(), volume));
            }
            [slot, _, _, group, size, unit, _, medium, _, _, _, model @ .., _, _] if slot.contains(':') => {
                let Some(bytes) = bytes(size, unit) else { continue };
                let drive = BlockDevice {
                    kind: "disk".to_owned(),
                    bytes,
                    model: model.join(" "),
                    rotates: *medium == "HDD",
                    ..BlockDevice::default()
                };
                drives.push(((*group).to_owned(), drive));
            }
            _ => {}
        }
    }
    let with_drives = |(group, mut volume): (String, Volume)| {
        volume.drives =
            drives.iter().filter(|(of, _)| *of == group).map(|(_, drive)| drive.clone()).collect();
        volume.stripe_kib = stripe_kib;
        volume
    };
    volumes.into_iter().map(with_drives).collect()
}

/// `3.637 TB`, which are powers of 1,024.
fn bytes(number: &str, unit: &str) -> Option<u64> {
    let power = match unit {
        "MB" => 20,
        "GB" => 30,
        "TB" => 40,
        _ => return None,
    };
    let number = number.parse::<f64>().ok().filter(|number| (0.0..1e6).contains(number))?;
    Some(whole_part(libm::round(libm::ldexp(number, power))))
}

/// `64 KB`, `1 MB`.
fn kib(text: &str) -> Option<u64> {
    let (number, unit) = text.trim().split_once(' ')?;
    let number: u64 = number.parse().ok().filter(|number| (1..=4096).contains(number))?;
    match unit.trim() {
        "KB" => Some(number),
        "MB" => Some(number << 10),
        _ => None,
    }
}
