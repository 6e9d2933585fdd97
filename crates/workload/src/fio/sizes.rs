//! fio's `bs`, `bsrange` and `bssplit`: how long accesses are.

use super::FioError;
use super::ini::Entry;
use super::options::{Options, size_of};
use super::values::of_direction;
use crate::program::accesses::{SizeRange, SizeShare, Sizes};
use petrio_units::numbers::as_number;
use petrio_units::{Bytes, Fraction};

/// fio's default block size.
const BLOCK_BYTES: u64 = 4096;

/// A block of a disk.
const SECTOR_BYTES: u64 = 512;

/// Bytes of a read, and those of a write.
pub(super) fn records(
    options: &mut Options,
    remark: &mut dyn FnMut(u32, &str),
) -> Result<(Sizes, Sizes), FioError> {
    let base = options.kb_base();
    let [plain, range, split] = [&["bs", "blocksize"][..], &["bsrange", "blocksize_range"], &["bssplit"]]
        .map(|names| options.take(names));
    // The last of them counts, as for fio; a split before all others.
    if let Some(entry) = options.switch("bs_is_seq_rand")?.filter(|(on, _)| *on) {
        remark(entry.1, "bs_is_seq_rand is not taken: sizes are those of reads and of writes");
    }
    let chosen = split.or(match (plain, range) {
        (Some(plain), Some(range)) => Some(if range.line > plain.line { range } else { plain }),
        (plain, range) => range.or(plain),
    });
    let Some(entry) = chosen else {
        let usual = Sizes::One(Bytes(BLOCK_BYTES));
        return Ok((usual.clone(), usual));
    };
    Ok((of(&entry, base, false)?, of(&entry, base, true)?))
}

/// Sizes without the bytes of protection information behind each block, which have no addresses of their own.
pub(super) fn without_metadata(sizes: Sizes) -> Sizes {
    let whole = |bytes: Bytes| {
        Bytes(if bytes.get() < SECTOR_BYTES {
            bytes.get()
        } else {
            bytes.get() / SECTOR_BYTES * SECTOR_BYTES
        })
    };
    match sizes {
        Sizes::One(bytes) => Sizes::One(whole(bytes)),
        Sizes::Range(SizeRange { from, to }) => Sizes::Range(SizeRange { from: whole(from), to: whole(to) }),
        Sizes::Split(parts) => {
            Sizes::Split(parts.into_iter().map(|part| SizeShare { size: whole(part.size), ..part }).collect())
        }
    }
}

/// What an option says of reads, or of writes.
fn of(entry: &Entry, base: u64, writes: bool) -> Result<Sizes, FioError> {
    let wrong = || {
        FioError::at(entry.line, format!("{}={}: sizes such as 4k are needed here", entry.key, entry.value))
            .with_help("write bs=4k, bsrange=4k-64k or bssplit=4k/70:64k/30")
    };
    let own = of_direction(&entry.value, writes);
    let found = match entry.key.as_str() {
        "bssplit" => split(own, base).ok_or_else(wrong)?,
        "bsrange" | "blocksize_range" => {
            let (low, high) = own.split_once(['-', ':']).ok_or_else(wrong)?;
            let (from, to) = size_of(low, base).zip(size_of(high, base)).ok_or_else(wrong)?;
            if from == to {
                Sizes::One(Bytes(from))
            } else {
                Sizes::Range(SizeRange { from: Bytes(from), to: Bytes(to) })
            }
        }
        // A range may stand here, too.
        _ => match size_of(own, base) {
            Some(bytes) => Sizes::One(Bytes(bytes)),
            None => {
                let (low, high) = own.split_once('-').ok_or_else(wrong)?;
                let (from, to) = size_of(low, base).zip(size_of(high, base)).ok_or_else(wrong)?;
                Sizes::Range(SizeRange { from: Bytes(from), to: Bytes(to) })
            }
        },
    };
    let (least, most) = found.bounds();
    if least == 0 || least > most {
        let problem =
            if least == 0 { "an access of nothing is none" } else { "the range ends before it begins" };
        return Err(FioError::at(entry.line, problem));
    }
    Ok(found)
}

/// Sizes with their shares in per cent; those that have none share what is left.
fn split(text: &str, base: u64) -> Option<Sizes> {
    let mut parts = Vec::new();
    for part in text.split(':').map(str::trim).filter(|part| !part.is_empty()) {
        let (bytes, share) = part.split_once('/').unwrap_or((part, ""));
        let share = if share.trim().is_empty() { None } else { Some(share.trim().parse::<u32>().ok()?) };
        parts.push((size_of(bytes, base)?, share));
    }
    let told: u32 = parts.iter().filter_map(|(_, share)| *share).sum();
    let open = as_number(parts.iter().filter(|(_, share)| share.is_none()).count());
    let left = 100_u32.checked_sub(told)?;
    if parts.is_empty() || (open == 0 && left > 0) {
        return None;
    }
    // What doesn't divide goes to the last, as it would by fio's sums, which stop at 100.
    let each = left.checked_div(open).unwrap_or(0);
    let mut rest = if open == 0 { 0 } else { left % open };
    let mut found = Vec::new();
    for (bytes, share) in parts.into_iter().rev() {
        let percent = share.unwrap_or_else(|| each + std::mem::take(&mut rest));
        let share = Fraction::new(f64::from(percent) / 100.0)?;
        found.push(SizeShare { size: Bytes(bytes), share });
    }
    found.reverse();
    // fio draws them in the order of their shares.
    found.sort_by(|one, other| one.share.get().total_cmp(&other.share.get()));
    Some(match found.as_slice() {
        [only] => Sizes::One(only.size),
        _ => Sizes::Split(found),
    })
}
