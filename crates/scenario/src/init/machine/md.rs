//! Software RAID, as `/proc/mdstat` and `mdadm --detail` tell.

/// An array of Linux md.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Array {
    /// `md0`.
    pub(super) name: String,
    /// `0`, `1`, `4`, `5`, `6`, `10`, `linear`.
    pub(super) level: String,
    /// Its members in their order.
    pub(super) members: Vec<String>,
    /// Of which this many have failed or are spare, and are left out.
    pub(super) others: usize,
    /// The places, from 0, at which a member is missing.
    pub(super) missing: Vec<usize>,
    /// KiB.
    pub(super) chunk_kib: Option<u64>,
    /// KiB of a member that a bit of its bitmap stands for.
    pub(super) bitmap_kib: Option<u64>,
    /// Of level 10, `near`, `far` or `offset`, and how many copies.
    pub(super) copies: Option<(String, u64)>,
}

/// The arrays of /proc/mdstat.
pub(super) fn mdstat(text: &str) -> Vec<Array> {
    let mut arrays: Vec<Array> = Vec::new();
    for line in text.lines() {
        match line.split_once(" : ") {
            Some((name, what)) if name.starts_with("md") => arrays.extend(header(name.trim(), what)),
            _ => {
                if let Some(array) = arrays.last_mut() {
                    details(array, line);
                }
            }
        }
    }
    arrays.retain(|array| is_known(&array.level));
    arrays
}

/// Whether md makes an array of this level: not of what else it has drivers for (multipath, faulty, containers), nor of what was garbled.
fn is_known(level: &str) -> bool {
    matches!(level, "linear" | "0" | "1" | "4" | "5" | "6" | "10")
}

/// `active raid5 sdc1[3] sdb1[1](F) sda1[0]`
fn header(name: &str, what: &str) -> Option<Array> {
    let mut words = what.split_whitespace().filter(|word| !word.starts_with('('));
    (words.next()? == "active").then_some(())?;
    let level = words.next()?;
    let level = level.strip_prefix("raid").unwrap_or(level).to_owned();
    let mut members: Vec<(u64, String)> = Vec::new();
    let mut others = 0;
    for word in words {
        let Some((member, rest)) = word.split_once('[') else { continue };
        let Some((slot, marks)) = rest.split_once(']') else { continue };
        if marks.contains("(S)") || marks.contains("(F)") || marks.contains("(J)") {
            others += 1;
        } else if let Ok(slot) = slot.parse() {
            members.push((slot, member.to_owned()));
        }
    }
    members.sort_unstable();
    let members = members.into_iter().map(|(_, member)| member).collect();
    Some(Array { name: name.to_owned(), level, members, others, ..Array::default() })
}

/// `1953260544 blocks super 1.2 level 5, 512k chunk, algorithm 2 [3/3] [UUU]`, `bitmap: 0/8 pages [0KB], 65536KB chunk`
fn details(array: &mut Array, line: &str) {
    let words: Vec<&str> = line.split([' ', ',']).filter(|word| !word.is_empty()).collect();
    let before = |what: &str| {
        let at = words.iter().position(|word| word.starts_with(what))?;
        words.get(at.checked_sub(1)?).copied()
    };
    let kib =
        |word: &str| word.trim_end_matches(|character: char| character.is_ascii_alphabetic()).parse().ok();
    if line.trim_start().starts_with("bitmap:") {
        array.bitmap_kib = before("chunk").and_then(kib);
        return;
    }
    if array.chunk_kib.is_none() {
        array.chunk_kib = before("chunk").and_then(kib);
    }
    // `[3/2] [UU_]`: which of the members are there.
    let there = |word: &&&str| {
        word.len() > 2 && word.trim_matches(['[', ']']).chars().all(|there| "U_".contains(there))
    };
    if let Some(there) = words.iter().find(there) {
        let places = there.trim_matches(['[', ']']).chars().enumerate();
        array.missing = places.filter(|(_, there)| *there == '_').map(|(place, _)| place).collect();
    }
    for layout in ["near", "far", "offset"] {
        let copies = words.iter().find_map(|word| word.strip_suffix(&format!("-{layout}"))).or_else(|| {
            let at = words.iter().position(|word| *word == format!("{layout}-copies"))?;
            words.get(at.checked_sub(1)?).copied()
        });
        if let Some(copies) = copies.and_then(|copies| copies.parse().ok()) {
            array.copies = Some((layout.to_owned(), copies));
        }
    }
}

/// The array that `mdadm --detail` describes.
pub(super) fn detail(text: &str) -> Vec<Array> {
    let mut arrays: Vec<Array> = Vec::new();
    for line in text.lines() {
        let trimmed = line.trim();
        if let Some(device) = trimmed.strip_prefix("/dev/").and_then(|device| device.strip_suffix(':')) {
            let name = device.rsplit('/').next().unwrap_or(device);
            arrays.push(Array { name: name.to_owned(), ..Array::default() });
            continue;
        }
        let Some(array) = arrays.last_mut() else { continue };
        match trimmed.split_once(" : ").map(|(key, value)| (key.trim(), value.trim())) {
            Some(("Raid Level", level)) => {
                level.strip_prefix("raid").unwrap_or(level).clone_into(&mut array.level);
            }
            Some(("Chunk Size", size)) => {
                array.chunk_kib = size.trim_end_matches('K').parse().ok();
            }
            Some(("Layout", layout)) => {
                let copies = layout
                    .split_once('=')
                    .and_then(|(kind, count)| Some((kind.to_owned(), count.parse().ok()?)));
                array.copies = copies.filter(|_| array.level == "10");
            }
            Some(("Intent Bitmap", _)) => array.bitmap_kib = array.bitmap_kib.or(Some(64 << 10)),
            _ => member(array, trimmed),
        }
    }
    arrays.retain(|array| is_known(&array.level) && !array.members.is_empty());
    arrays
}

/// `0       8       17        0      active sync   /dev/sdb1`, `-       0        0        2      removed`
fn member(array: &mut Array, line: &str) {
    if line.ends_with("removed") {
        array.missing.extend(line.split_whitespace().nth(3).and_then(|place| place.parse::<usize>().ok()));
        return;
    }
    let Some((state, device)) = line.split_once("/dev/") else { return };
    if state.contains("active sync") {
        array.members.push(device.trim().to_owned());
    } else if state.contains("spare") || state.contains("faulty") {
        array.others += 1;
    }
}
