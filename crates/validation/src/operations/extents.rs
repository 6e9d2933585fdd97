//! Where files of XFS and ext4 lie after simple loads: groups relative to their directories', and numbers of extents.
//!
//! Each scenario of `extents.csv` is played on a fresh volume, without time: one process, or processes whose calls take turns. What
//! processes at once did differs from run to run, so that their files only have to lie within the range of the repetitions.

use super::measured::EXTENTS;
use crate::paced::{TableError, rows};
use crate::verdict::Judged;
use petrio_colours::{FileId, FileOp, Operation};
use petrio_files::inputs::Inputs;
use petrio_models::host::file_system::{
    BLOCK_SIZE, Family, FileError, FileSystemParameters, FormatError, Mapping, Touched, Volume,
};
use petrio_models::host::xfs::{Changes, Item, Log, XfsParameters, XfsVolume};
use petrio_units::numbers::{as_index, whole_part};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use thiserror::Error;

/// What writers write at a time.
const CALL: u64 = 64 << 10;

/// The largest file that is laid out.
const BYTES_MOST: u64 = 16 << 30;

/// Why a scenario can't be played.
#[derive(Debug, Error)]
pub enum ExtentsError {
    /// The table can't be read.
    #[error(transparent)]
    Table(#[from] TableError),
    /// The volume can't be made.
    #[error(transparent)]
    Format(#[from] FormatError),
    /// A file can't be written.
    #[error(transparent)]
    File(#[from] FileError),
}

/// A row of the table: an extent.
#[derive(Clone, Debug, PartialEq, Deserialize)]
struct Row {
    fs: String,
    size_mib: u64,
    scenario: String,
    rep: u32,
    state: String,
    file: String,
    dir_ag: i64,
    ag: Option<i64>,
    length_kib: f64,
    file_size_kib: f64,
}

/// A file's group relative to its directory's, and its extents.
type Lies = (i64, usize);

/// A scenario beside its prediction.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ExtentsRow {
    /// The scenario.
    pub scenario: String,
    /// The file system's size, MiB.
    pub size_mib: u64,
    /// How far it had come.
    pub state: String,
    /// Files of which group and number of extents are those measured, of how many.
    pub agree: (usize, usize),
    /// The first that differs: what is predicted, and what was measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub differs: Option<String>,
}

impl ExtentsRow {
    /// Whether all of its files lie as measured.
    pub fn judged(&self) -> Judged {
        let Self { scenario, size_mib, state, agree: (agree, all), differs } = self;
        let differs = differs.as_deref().unwrap_or("none");
        let what = format!("{scenario}, {size_mib} MiB, {state}: files that lie elsewhere ({differs})");
        Judged::count(what, (all - agree) as f64, 0.0)
    }
}

/// Judges the scenarios of a folder on a file system; those that aren't known are listed.
///
/// # Errors
/// As of [`ExtentsError`].
pub fn judge(
    inputs: &Inputs,
    folder: &Path,
    fs: &str,
) -> Result<(Vec<ExtentsRow>, Vec<String>), ExtentsError> {
    let rows: Vec<Row> = rows(inputs, &folder.join(EXTENTS))?;
    let mut cells: BTreeMap<(String, u64, String), Vec<Row>> = BTreeMap::new();
    for row in rows.into_iter().filter(|row| row.fs == fs) {
        cells.entry((row.scenario.clone(), row.size_mib, row.state.clone())).or_default().push(row);
    }
    let (mut found, mut unknown) = (Vec::new(), BTreeSet::new());
    for ((scenario, size_mib, state), rows) in cells {
        let Some(load) = Load::of(&scenario, &state, &rows) else {
            unknown.insert(scenario);
            continue;
        };
        let predicted = load.play(fs, size_mib)?;
        found.push(compare(scenario, size_mib, state, &rows, &predicted));
    }
    Ok((found, unknown.into_iter().collect()))
}

fn compare(
    scenario: String,
    size_mib: u64,
    state: String,
    rows: &[Row],
    predicted: &BTreeMap<String, Lies>,
) -> ExtentsRow {
    // Each file's of each repetition: its first extent's group, and how many there are.
    let mut seen: BTreeMap<&str, BTreeMap<u32, Lies>> = BTreeMap::new();
    for row in rows.iter().filter(|row| row.length_kib > 0.0) {
        let relative = row.ag.unwrap_or(row.dir_ag) - row.dir_ag;
        let of_file = seen.entry(&row.file).or_default();
        of_file.entry(row.rep).or_insert((relative, 0)).1 += 1;
    }
    let is_exact = scenario.contains("lockstep") || !scenario.contains("writers");
    let (mut agree, mut differs) = (0, None);
    for (file, repetitions) in &seen {
        let own = predicted.get(*file).copied().unwrap_or((0, 0));
        let all = repetitions.values();
        let counts = || all.clone().map(|(_, count)| *count);
        let in_range = counts().min() <= Some(own.1)
            && Some(own.1) <= counts().max()
            && all.clone().any(|(group, _)| *group == own.0);
        let holds = if is_exact { all.clone().all(|lies| *lies == own) } else { in_range };
        agree += usize::from(holds);
        if !holds && differs.is_none() {
            differs = Some(format!("{file}: {own:?} predicted, {:?} measured", repetitions.values().next()));
        }
    }
    ExtentsRow { scenario, size_mib, state, agree: (agree, seen.len()), differs }
}

/// A load, and what of it is looked at.
struct Load {
    kind: Kind,
    files: Vec<String>,
    /// How long each file is, and the longest.
    sizes: BTreeMap<String, u64>,
    bytes: u64,
    /// Whether files are closed before they are looked at.
    closes: bool,
}

enum Kind {
    /// Files grow together, a call each in turn; each is made durable after so many bytes.
    InTurn { sync_each: u64 },
    /// Each file is written at once.
    EachAtOnce,
    /// One file grows by blocks, each made durable.
    Appends,
    /// Blocks of a file at places, each made durable.
    Sparse,
    /// Directories at the top, then two in each, then a file in each.
    Directories,
    /// Files get blocks for all of their length; then some of them are written, or none.
    Allocated { writes: bool },
}

/// As measured: at 64, 128 and 512 KiB of what was allocated.
const WRITTEN: [u64; 3] = [64 << 10, 128 << 10, 512 << 10];

impl Load {
    fn of(scenario: &str, state: &str, rows: &[Row]) -> Option<Self> {
        let files: BTreeSet<&str> = rows.iter().map(|row| row.file.as_str()).collect();
        let files = files.into_iter().map(str::to_owned).collect();
        let kib = rows.iter().map(|row| row.file_size_kib).fold(0.0, f64::max);
        let bytes = whole_part(kib * 1_024.0);
        if bytes > BYTES_MOST {
            return None;
        }
        let words: Vec<&str> = scenario.split('_').collect();
        let kind = match () {
            () if words.contains(&"writer") || words.contains(&"writers") => {
                let sync_each = if words.contains(&"fsync") { 1 << 20 } else { u64::MAX };
                Kind::InTurn { sync_each }
            }
            () if words.contains(&"files") => Kind::EachAtOnce,
            () if words.first() == Some(&"append") => Kind::Appends,
            () if words.first() == Some(&"sparse") => Kind::Sparse,
            () if words.first() == Some(&"directories") => Kind::Directories,
            () if words.first() == Some(&"fallocate") => {
                Kind::Allocated { writes: state.contains("written") }
            }
            () => return None,
        };
        let sizes =
            rows.iter().map(|row| (row.file.clone(), whole_part(row.file_size_kib * 1_024.0))).collect();
        Some(Self { kind, files, sizes, bytes, closes: state.contains("closed") })
    }

    /// Where its files lie in the end.
    fn play(&self, fs: &str, size_mib: u64) -> Result<BTreeMap<String, Lies>, ExtentsError> {
        let mut disk = Disk::new(fs, size_mib)?;
        let open: Vec<FileId> = match self.kind {
            Kind::Directories => self.directories(&mut disk)?,
            _ => self.files.iter().map(|file| disk.create(file)).collect::<Result<_, _>>()?,
        };
        match self.kind {
            Kind::InTurn { sync_each } => {
                for offset in (0..self.bytes).step_by(as_index(CALL)) {
                    for &file in &open {
                        disk.write(file, (offset, CALL.min(self.bytes - offset)))?;
                        if (offset + CALL).is_multiple_of(sync_each) {
                            disk.write_back(file)?;
                        }
                    }
                }
            }
            Kind::EachAtOnce | Kind::Directories => {
                open.iter().try_for_each(|&file| disk.write(file, (0, self.bytes)))?;
            }
            Kind::Appends => {
                for offset in (0..self.bytes).step_by(as_index(BLOCK_SIZE)) {
                    disk.write(open[0], (offset, BLOCK_SIZE))?;
                    disk.write_back(open[0])?;
                }
            }
            Kind::Allocated { writes } => {
                for (&file, &length) in open.iter().zip(self.sizes.values()) {
                    disk.allocate(file, length)?;
                    for offset in WRITTEN.into_iter().filter(|offset| writes && *offset < length) {
                        disk.write(file, (offset, BLOCK_SIZE))?;
                    }
                    disk.write_back(file)?;
                }
            }
            // As measured: at 3 MiB, 1 MiB, 2 MiB, 0, 1 MiB + 4 KiB, 3 MiB - 4 KiB.
            Kind::Sparse => {
                for block in [768, 256, 512, 0, 257, 767] {
                    disk.write(open[0], (block * BLOCK_SIZE, BLOCK_SIZE))?;
                    disk.write_back(open[0])?;
                }
            }
        }
        for &file in &open {
            disk.write_back(file)?;
        }
        if self.closes {
            open.iter().try_for_each(|&file| disk.close(file))?;
        }
        Ok(self.files.iter().map(|file| (file.clone(), disk.lies(file))).collect())
    }

    /// Makes all directories, those at the top first, then the files, in the order of the table's names.
    fn directories(&self, disk: &mut Disk) -> Result<Vec<FileId>, FileError> {
        let mut folders: Vec<&str> =
            self.files.iter().filter_map(|file| Some(file.rsplit_once('/')?.0)).collect();
        folders.sort_by_key(|folder| folder.matches('/').count());
        for folder in folders {
            disk.directory(folder)?;
        }
        self.files.iter().map(|file| disk.create(file)).collect()
    }
}

/// A volume with its files by name, and what is dirty of each.
struct Disk {
    volume: Box<dyn Lain>,
    names: BTreeMap<String, FileId>,
    dirty: BTreeMap<FileId, BTreeSet<u64>>,
}

impl Disk {
    fn new(fs: &str, size_mib: u64) -> Result<Self, FormatError> {
        let blocks = size_mib.saturating_mul(256);
        let volume: Box<dyn Lain> = match fs {
            "ext4" => Box::new(ExtDisk::new(blocks)?),
            _ => Box::new(XfsDisk::new(blocks)?),
        };
        Ok(Self { volume, names: BTreeMap::new(), dirty: BTreeMap::new() })
    }

    fn directory(&mut self, name: &str) -> Result<FileId, FileError> {
        if let Some(&there) = self.names.get(name) {
            return Ok(there);
        }
        let parent = match name.rsplit_once('/') {
            Some((parent, _)) => self.directory(parent)?,
            None => FileId::ROOT,
        };
        self.make(Operation::Mkdir, name, parent)
    }

    fn make(&mut self, operation: Operation, name: &str, parent: FileId) -> Result<FileId, FileError> {
        let file = FileId(u32::try_from(self.names.len() + 1).unwrap_or(u32::MAX));
        self.volume.operate(&FileOp { operation, file, parent, ..FileOp::default() })?;
        self.names.insert(name.to_owned(), file);
        Ok(file)
    }

    fn create(&mut self, name: &str) -> Result<FileId, FileError> {
        let parent = match name.rsplit_once('/') {
            Some((parent, _)) => self.directory(parent)?,
            None => FileId::ROOT,
        };
        self.make(Operation::Create, name, parent)
    }

    fn allocate(&mut self, file: FileId, length: u64) -> Result<(), FileError> {
        self.volume.operate(&FileOp { operation: Operation::Allocate, file, length, ..FileOp::default() })
    }

    fn write(&mut self, file: FileId, (offset, count): (u64, u64)) -> Result<(), FileError> {
        let blocks = offset / BLOCK_SIZE..(offset + count).div_ceil(BLOCK_SIZE);
        self.dirty.entry(file).or_default().extend(blocks);
        self.volume.write(file, (offset, count))
    }

    fn write_back(&mut self, file: FileId) -> Result<(), FileError> {
        let mut dirty = self.dirty.remove(&file).unwrap_or_default();
        while let Some(first) = dirty.pop_first() {
            let mut count = 1;
            while dirty.remove(&(first + count)) {
                count += 1;
            }
            self.volume.write_back(file, (first, count))?;
        }
        Ok(())
    }

    fn close(&mut self, file: FileId) -> Result<(), FileError> {
        self.volume.operate(&FileOp { operation: Operation::Close, file, ..FileOp::default() })
    }

    fn lies(&self, name: &str) -> Lies {
        let Some(&file) = self.names.get(name) else { return (0, 0) };
        let folder = name.rsplit_once('/').and_then(|(folder, _)| self.names.get(folder));
        let own = self.volume.group_of(folder.copied().unwrap_or(FileId::ROOT)).unwrap_or(0);
        let (first, extents) = self.volume.extents(file);
        (i64::from(first.unwrap_or(own)) - i64::from(own), extents)
    }
}

/// A volume without time, on which data are written back whenever that is said.
trait Lain {
    fn operate(&mut self, op: &FileOp) -> Result<(), FileError>;

    /// Data are written into the cache: from which byte on, and how many.
    fn write(&mut self, file: FileId, range: (u64, u64)) -> Result<(), FileError>;

    /// So many blocks of a file, from the first on, are written.
    fn write_back(&mut self, file: FileId, blocks: (u64, u64)) -> Result<(), FileError>;

    /// The group of a directory.
    fn group_of(&self, file: FileId) -> Option<u32>;

    /// The group in which a file begins, and in how many pieces it lies.
    fn extents(&self, file: FileId) -> (Option<u32>, usize);
}

/// XFS, with a log that is written whenever something is made durable.
struct XfsDisk {
    volume: XfsVolume,
    log: Log,
    changes: Changes,
}

impl XfsDisk {
    fn new(blocks: u64) -> Result<Self, FormatError> {
        let parameters = XfsParameters::default();
        let volume = XfsVolume::format(&parameters, blocks)?;
        let area = volume.geometry().log.clone();
        let log = Log::new(parameters.log_in(area.start, area.end - area.start));
        Ok(Self { volume, log, changes: Changes::default() })
    }

    fn commit(&mut self) {
        self.log.commit(&self.changes);
        self.changes.clear();
        if let Some(sequence) = self.log.checkpoint(&mut Vec::new(), &mut Vec::<Item>::new()) {
            self.log.finish(sequence);
        }
    }
}

impl Lain for XfsDisk {
    fn operate(&mut self, op: &FileOp) -> Result<(), FileError> {
        self.volume.operate(op, &mut self.changes)?;
        self.commit();
        Ok(())
    }

    fn write(&mut self, file: FileId, (offset, count): (u64, u64)) -> Result<(), FileError> {
        self.volume.promise(file, (offset, count))?;
        self.volume.grow(file, offset + count);
        Ok(())
    }

    fn write_back(&mut self, file: FileId, blocks: (u64, u64)) -> Result<(), FileError> {
        self.volume.find_promised(file, blocks, &mut self.changes)?;
        self.volume.written(file, blocks, &mut self.changes);
        self.commit();
        Ok(())
    }

    fn group_of(&self, file: FileId) -> Option<u32> {
        self.volume.group_of(file)
    }

    fn extents(&self, file: FileId) -> (Option<u32>, usize) {
        let Some(fork) = self.volume.fork(file) else { return (None, 0) };
        let first = fork.extents().first().and_then(|extent| extent.kind.block());
        (first.map(|block| self.volume.geometry().group_of(block)), fork.extents().len())
    }
}

/// ext4.
struct ExtDisk {
    volume: Volume,
    touched: Touched,
}

impl ExtDisk {
    fn new(blocks: u64) -> Result<Self, FormatError> {
        let volume = Volume::format(&FileSystemParameters::of(Family::Ext4), blocks)?;
        Ok(Self { volume, touched: Touched::default() })
    }
}

impl Lain for ExtDisk {
    fn operate(&mut self, op: &FileOp) -> Result<(), FileError> {
        self.touched.clear();
        self.volume.operate(op, &mut self.touched)
    }

    fn write(&mut self, file: FileId, (offset, count): (u64, u64)) -> Result<(), FileError> {
        self.volume.grow(file, offset + count);
        Ok(())
    }

    fn write_back(&mut self, file: FileId, (first, count): (u64, u64)) -> Result<(), FileError> {
        self.touched.clear();
        self.volume.write_into(file, (first, count), &mut self.touched)?;
        self.volume.allocate(file, first, count, &mut Mapping::default(), &mut self.touched).map(|_| ())
    }

    fn group_of(&self, file: FileId) -> Option<u32> {
        self.volume.group_of(file)
    }

    fn extents(&self, file: FileId) -> (Option<u32>, usize) {
        let mut mapping = Mapping::default();
        self.volume.map(file, 0, self.volume.size(file).div_ceil(BLOCK_SIZE), &mut mapping);
        let mut blocks = mapping.segments.iter().filter_map(|segment| segment.block).peekable();
        (blocks.peek().map(|&block| self.volume.group_of_block(block)), blocks.count())
    }
}
