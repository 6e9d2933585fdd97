//! What of the catalogue is nearest to what a machine has.

use crate::catalogue::{Device, KERNELS};
use petrio_colours::SECTOR_BYTES;

/// The version that a text begins with or names after `Linux`: major and minor.
pub(super) fn version(text: &str) -> Option<(u32, u32, u32)> {
    let of_word = |word: &str| {
        let mut numbers = word.split(|character: char| !character.is_ascii_digit());
        let mut next = || numbers.next().and_then(|number| number.parse::<u32>().ok());
        let (major, minor) = (next()?, next()?);
        // Four digits are a year.
        (word.contains('.') && major < 100).then(|| (major, minor, next().unwrap_or(0)))
    };
    text.split_whitespace()
        .filter(|word| word.starts_with(|character: char| character.is_ascii_digit()))
        .find_map(of_word)
}

/// The kernel of the catalogue that is the newest of those not newer, else the oldest.
pub(super) fn kernel(found: (u32, u32, u32)) -> &'static str {
    let known = |name: &'static str| Some((version(name.strip_prefix("linux-")?)?, name));
    let mut all: Vec<((u32, u32, u32), &'static str)> = KERNELS.names().filter_map(known).collect();
    all.sort_unstable();
    let not_newer = all.iter().rev().find(|(version, _)| *version <= found);
    not_newer.or(all.first()).map_or("linux-6.18", |(_, name)| name)
}

/// A drive of the catalogue, and whether it is that model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Match {
    pub(super) drive: &'static str,
    pub(super) is_model: bool,
}

/// The drive for what a machine says of one: the same model, else one of its class and nearest in size.
pub(super) fn drive(
    catalogue: &[(&'static str, Device)],
    model: &str,
    (rotates, bytes): (bool, u64),
) -> Match {
    let of_model = catalogue.iter().find(|(name, device)| is_model(model, name, device));
    if let Some((drive, _)) = of_model {
        return Match { drive, is_model: true };
    }
    let distance = |device: &Device| {
        let blocks = device.parameters().compile().map_or(1, |device| device.blocks().max(1));
        libm::fabs(libm::log((blocks * SECTOR_BYTES) as f64 / bytes.max(1) as f64))
    };
    let of_class = catalogue.iter().filter(|(_, device)| match device {
        // Of drives that one buys today; those of the nineties are for whoever names them.
        Device::Disk(disk) => {
            rotates && disk.mechanics.rotation.revolutions_per_minute() <= 7_200.5 && disk.queue.depth > 1
        }
        Device::Ssd(_) => !rotates,
        _ => false,
    });
    let nearest = of_class.min_by(|(_, a), (_, b)| distance(a).total_cmp(&distance(b)));
    Match { drive: nearest.map_or("sata-750gb-7200", |(name, _)| name), is_model: false }
}

/// Whether a catalogue file is of this model: a word of the model's, with digits and letters, stands in its name or source.
fn is_model(model: &str, name: &str, device: &Device) -> bool {
    const SHORTEST: usize = 6;
    let plain = |text: &str| text.to_ascii_uppercase();
    let source = match device {
        Device::Disk(disk) => disk.source.as_str(),
        Device::Ssd(drive) => drive.source.as_str(),
        _ => "",
    };
    let about = plain(&format!("{name} {} {source}", device.parameters().name()));
    let word = |word: &&str| {
        word.len() >= SHORTEST
            && word.contains(|character: char| character.is_ascii_digit())
            && word.contains(|character: char| character.is_ascii_alphabetic())
    };
    let model = plain(model);
    model
        .split(|character: char| !character.is_ascii_alphanumeric())
        .filter(word)
        .any(|word| about.contains(word))
}
