//! Where a job's accesses go: the extent of a disk, or files, and how far into them.

use super::FioError;
use super::engine::{Calls, Reaches};
use super::ini::Entry;
use super::options::{Options, size_of};
use crate::program::accesses::{AccessKind, AccessOrder, AccessParameters, Extent};
use petrio_time::Time;
use petrio_units::{Bytes, Fraction};

/// What is taken for a volume that is to be filled, or a file that is there, of which nobody knows here how large it is.
const UNKNOWN_BYTES: u64 = 1 << 30;

/// What a job works on.
pub(super) struct Target {
    pub(super) names: Vec<String>,
    pub(super) is_device: bool,
}

/// What fio itself does for an access: with engine null some three million a second come from a processor of today (assumed).
const FIOS_OWN: Time = Time::from_picos(300_000);

/// The device of engine null's accesses, which are over at once.
pub const NOTHING: &str = "ioengine=null";

/// The memory of engines that copy to and from it: a module that is read, and one that is written, which is slower.
pub const MEMORY_READ: &str = "persistent memory, read";
/// See [`MEMORY_READ`].
pub const MEMORY_WRITTEN: &str = "persistent memory, written";

/// Of which of the two parts a job asks; writes among reads are the slower ones.
pub(super) fn memory(operation: AccessKind) -> Vec<String> {
    let name = if operation == AccessKind::Read { MEMORY_READ } else { MEMORY_WRITTEN };
    vec![name.to_owned()]
}

/// The files or disks that are named, between colons; one that is part of a name is written `\:`.
pub(super) fn target(options: &mut Options, calls: &Calls, remark: &mut dyn FnMut(u32, &str)) -> Target {
    let named = options.take(&["filename"]);
    let served = options.take(&["uri", "rbdname"]);
    match calls.reaches {
        Reaches::Nothing => {
            remark(calls.line, "ioengine=null: an access takes what fio itself does for it, 0.3 us assumed");
            return Target { names: vec![NOTHING.to_owned()], is_device: true };
        }
        Reaches::Memory => {
            remark(
                calls.line,
                "the engine copies to and from memory: one module is played, 305 ns and 6.6 GB/s where it is read, 2.3 GB/s where it is written",
            );
            return Target { names: Vec::new(), is_device: true };
        }
        Reaches::ServedDisk => {
            remark(
                calls.line,
                "the engine asks a disk over a network: it is played as if the disk were here",
            );
            let name = served.or(named).map_or_else(|| "disk".to_owned(), |entry| entry.value);
            return Target { names: vec![name], is_device: true };
        }
        Reaches::ServedFiles => {
            remark(calls.line, "the engine asks a file server: it is played as if the files were here");
        }
        Reaches::Named => {}
    }
    let Some(entry) = named.or_else(|| options.take(&["libblkio_path"])) else {
        return Target { names: Vec::new(), is_device: false };
    };
    let text = entry.value.replace("\\:", "\u{1}");
    let names = text.split(':').map(|name| name.replace('\u{1}', ":").trim().to_owned());
    let names: Vec<String> = names.filter(|name| !name.is_empty()).collect();
    // Windows' disks, and those that are named by their address on the bus.
    let is_disk = |name: &String| {
        name.starts_with("/dev/") && name != "/dev/null" && name != "/dev/zero"
            || name.starts_with("\\\\.\\")
            || (name.contains(':')
                && name.contains('.')
                && name.bytes().all(|byte| byte.is_ascii_hexdigit() || b":.".contains(&byte)))
    };
    let is_own = calls.reaches == Reaches::Named;
    let sized = options.has(&["size", "filesize", "nrfiles"]);
    let is_device = is_own
        && (calls.past_files
            || names.first().is_some_and(|name| is_disk(name) || is_blank_for_disk(name, sized)));
    Target { names, is_device }
}

/// Whether a name stands for a disk that is to be named: `${DEVICE}`, `<device name>`; and of others of which nothing is known whatever
/// has a size without its being told, as a disk has.
fn is_blank_for_disk(name: &str, sized: bool) -> bool {
    let blank = name.strip_prefix("${").and_then(|rest| rest.strip_suffix('}'));
    let Some(word) = blank.or_else(|| name.strip_prefix('<').and_then(|rest| rest.strip_suffix('>'))) else {
        return name == "device";
    };
    let word = word.to_lowercase();
    let has = |parts: &[&str]| parts.iter().any(|part| word.contains(part));
    !has(&["dir", "path", "file", "mount"])
        && (has(&["dev", "disk", "drive", "nvme", "volume", "scsi", "lsblk", "losetup"]) || !sized)
}

/// A size, or a part of the whole.
pub(super) fn extent(options: &mut Options, names: &[&str]) -> Result<Option<(Extent, u32)>, FioError> {
    let Some(Entry { key, value, line, .. }) = options.take(names) else { return Ok(None) };
    let percent = || {
        let share = value.strip_suffix('%')?.trim().parse::<f64>().ok()?;
        Fraction::new(share / 100.0).map(Extent::Share)
    };
    let base = options.kb_base();
    let zones = || value.strip_suffix(['z', 'Z'])?.parse::<u64>().ok()?.checked_mul(options.zone_bytes());
    let bytes = size_of(&value, base).or_else(zones).map(|bytes| Extent::Bytes(Bytes(bytes)));
    let found = percent().or(bytes);
    let wrong = || {
        FioError::at(line, format!("{key}={value}: a size such as 1g, or a part such as 10%, is needed here"))
    };
    found.map(|extent| Some((extent, line))).ok_or_else(wrong)
}

/// Where an area begins, and how much further for each process.
pub(super) fn offsets(options: &mut Options, parameters: &mut AccessParameters) -> Result<(), FioError> {
    parameters.offset = extent(options, &["offset"])?.map_or_else(Extent::default, |(offset, _)| offset);
    parameters.offset_step =
        extent(options, &["offset_increment"])?.map_or_else(Extent::default, |(step, _)| step);
    options.take(&["offset_align"]);
    Ok(())
}

/// A job on disks: without a size, on all of them.
pub(super) fn device(
    options: &mut Options,
    parameters: &mut AccessParameters,
    (calls, is_direct, line): (&Calls, bool, u32),
    remark: &mut dyn FnMut(u32, &str),
) -> Result<(), FioError> {
    offsets(options, parameters)?;
    let filesize = extent(options, &["filesize"])?;
    let size = extent(options, &["size"])?.or(filesize).map(|(size, _)| size);
    let whole = |size: &Extent| *size == Extent::Share(Fraction::ONE);
    parameters.area = size.filter(|size| !whole(size) && !size.is_nothing());
    parameters.amount = options.size(&["io_size", "io_limit"])?.map(|(bytes, _)| Bytes(bytes));
    options.take(&["fill_device", "fill_fs"]);
    options.take(&["file_append"]);
    if calls.reaches == Reaches::Named && !calls.past_files && !is_direct {
        remark(
            line,
            "buffered accesses to a disk go through a host's page cache, which isn't here: they are played past it, as with direct=1",
        );
    }
    if parameters.mapped {
        remark(line, "a mapping of a disk is taken for requests to it");
        parameters.mapped = false;
    }
    if calls.reaches == Reaches::Nothing {
        let rest = parameters.compute_time.time() + FIOS_OWN;
        (parameters.compute_time, parameters.think_every) = (rest.into(), 1);
    }
    if parameters.validate(true).is_err() && !parameters.bounds().0.is_multiple_of(512) {
        return Err(FioError::at(line, "a request to a device is of whole blocks of 512 bytes"));
    }
    Ok(())
}

/// `filesize`, of a range the middle.
fn file_size(options: &mut Options, remark: &mut dyn FnMut(u32, &str)) -> Result<Option<u64>, FioError> {
    let base = options.kb_base();
    match options.take(&["filesize"]) {
        None => Ok(None),
        Some(entry) => {
            let (low, high) = entry.value.split_once(['-', ':']).unwrap_or((&entry.value, &entry.value));
            let ends = size_of(low, base).zip(size_of(high, base));
            let wrong = || {
                let problem = format!("filesize={}: a size such as 1g is needed", entry.value);
                FioError::at(entry.line, problem)
            };
            let (low, high) = ends.ok_or_else(wrong)?;
            if low != high {
                remark(entry.line, "all files have one size here: the middle of filesize");
            }
            Ok(Some(low / 2 + high / 2 + (low & high & 1)))
        }
    }
}

/// A job on files, which are made before it runs as fio makes them.
pub(super) fn files(
    options: &mut Options,
    parameters: &mut AccessParameters,
    (calls, target, line): (&Calls, &Target, u32),
    known_size: &dyn Fn(&str) -> Option<u64>,
    remark: &mut dyn FnMut(u32, &str),
) -> Result<(), FioError> {
    offsets(options, parameters)?;
    let filesize = file_size(options, remark)?;
    let size = extent(options, &["size"])?;
    let amount = options.size(&["io_size", "io_limit"])?.map(|(bytes, _)| bytes);
    let fills = options.is_on("fill_device")? | options.is_on("fill_fs")?;
    let appends = options.is_on("file_append")?;
    let overwrites = options.is_on("overwrite")?;
    if !parameters.operation.moves_data() {
        return Ok(());
    }
    let known = || target.names.iter().filter_map(|name| known_size(name)).max();
    let count = u64::from(parameters.files);
    let bytes = match size {
        Some((Extent::Bytes(bytes), _)) => Some(bytes.get()).filter(|bytes| *bytes > 0),
        _ => None,
    };
    match (filesize, size) {
        (Some(each), size) => {
            parameters.file_size = Some(Bytes(each));
            if let Some((share @ Extent::Share(_), _)) = size {
                parameters.area = Some(share);
            }
            let all = each.saturating_mul(count);
            parameters.amount = amount.or(bytes.filter(|bytes| *bytes < all)).map(Bytes);
        }
        (None, Some((Extent::Bytes(_), line))) if bytes.is_some() => {
            let each = bytes.unwrap_or(0) / count;
            if each < parameters.bounds().0 {
                return Err(FioError::at(line, "the job's files have no room for one access"));
            }
            parameters.area = Some(Extent::Bytes(Bytes(each)));
            parameters.amount = amount.map(Bytes);
        }
        (None, size) => {
            // Of a file that is named fio takes the size that it has.
            let is_there = !target.names.is_empty() || calls.reaches == Reaches::ServedFiles;
            let Some(each) = known().or((fills || is_there).then_some(UNKNOWN_BYTES)) else {
                let help = "write size=1g; petrio makes the files, so that a size can't be that of files that are there";
                return Err(FioError::at(line, "the job says no size").with_help(help));
            };
            if known().is_none() {
                let unknown = if fills {
                    "how large the volume is that is filled isn't known: 1 GiB of it is played; write size="
                } else {
                    "the job says no size, and how large its file is isn't known: 1 GiB is played; write size="
                };
                remark(line, unknown);
            }
            parameters.file_size = Some(Bytes(each));
            parameters.area = size.map(|(size, _)| size).filter(|size| matches!(size, Extent::Share(_)));
            parameters.amount = amount.map(Bytes);
        }
    }
    if let (Some(each), true) = (parameters.file_size, parameters.area.is_none()) {
        // An area says as much where nothing else needs the file's own size.
        let plain = parameters.offset.is_nothing() && parameters.offset_step.is_nothing();
        if plain && each.get() < parameters.bounds().0 {
            return Err(FioError::at(line, "the job's files have no room for one access"));
        }
    }
    // What is written in a row is new; what is written at random places lies on blocks that were allocated before, and so
    // does what is mapped.
    let in_a_row = parameters.order == AccessOrder::Sequential && parameters.zones.is_none();
    parameters.new_files = parameters.operation == AccessKind::Write
        && in_a_row
        && !overwrites
        && !calls.is_mapped
        && known().is_none();
    if appends && parameters.operation.writes() {
        remark(line, "file_append: the files are taken to be empty before");
    }
    Ok(())
}
