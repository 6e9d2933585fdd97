//! The container of Darshan's binary logs: what is where in it, unpacked, in the order of bytes of the machine that wrote it.
//!
//! ```text
//! | version, 8 bytes | magic 6567223 | compression | which modules are incomplete | where the names are | where each module is |
//! | version of each module | job, compressed | names, compressed | modules, compressed |
//! job      user, start, end, processes, number, 1024 bytes of metadata, then the program's command line and the mounts
//! names    a file's number, its path, a zero; and so on (of version 3.00 its length in 32 bits, and its path)
//! ```
//!
//! A compressed region is one zlib (or bzip2) stream after another, one for each process that wrote a part. All numbers have 64
//! bits, or are doubles. Which module has which number depends on the log's version. Source: Darshan's documentation, the header
//! `darshan-log-format.h` of its versions 3.0 to 3.5, and how `darshan-logutils.c` reads older ones.

use crate::error::{Fault, Problem, printable};
use crate::input::{HARMLESS_BYTES, RATIO_MAX};
use bzip2::bufread::BzDecoder;
use flate2::bufread::ZlibDecoder;
use petrio_units::numbers::as_index;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Take};
use std::sync::Arc;

const MAGIC: i64 = 6_567_223;

/// Whether a log has its lowest byte first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    Little,
    Big,
}

impl Order {
    const fn number(self, bytes: [u8; 8]) -> u64 {
        match self {
            Self::Little => u64::from_le_bytes(bytes),
            Self::Big => u64::from_be_bytes(bytes),
        }
    }

    const fn short(self, bytes: [u8; 4]) -> u32 {
        match self {
            Self::Little => u32::from_le_bytes(bytes),
            Self::Big => u32::from_be_bytes(bytes),
        }
    }

    fn of(bytes: &[u8]) -> Option<Self> {
        let magic: [u8; 8] = bytes.get(8..16)?.try_into().ok()?;
        [Self::Little, Self::Big].into_iter().find(|order| order.number(magic).cast_signed() == MAGIC)
    }
}

/// What differs between versions.
#[derive(Clone, Copy)]
struct Version {
    name: &'static [u8],
    /// How many modules there may be.
    modules: usize,
    /// Where the places of the regions begin: behind flags of 32 or of 64 bits.
    places: u64,
    /// The numbers of the modules that are read.
    numbers: [(Module, usize); 5],
    /// Whether a job's times have nanoseconds.
    nanoseconds: bool,
    /// Whether a name's length stands before it.
    name_lengths: bool,
}

/// A module that is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Module {
    Posix,
    MpiIo,
    Stdio,
    ExtendedPosix,
    ExtendedMpiIo,
}

const fn numbers(stdio: usize) -> [(Module, usize); 5] {
    [
        (Module::Posix, 1),
        (Module::MpiIo, 2),
        (Module::Stdio, stdio),
        (Module::ExtendedPosix, stdio + 1),
        (Module::ExtendedMpiIo, stdio + 2),
    ]
}

const OLD: Version = Version {
    name: b"3.10",
    modules: 16,
    places: 24,
    numbers: numbers(7),
    nanoseconds: false,
    name_lengths: false,
};

const VERSIONS: [Version; 5] = [
    Version { name: b"3.00", name_lengths: true, ..OLD },
    OLD,
    Version { name: b"3.20", numbers: numbers(8), ..OLD },
    Version { name: b"3.21", numbers: numbers(8), ..OLD },
    Version { name: b"3.41", modules: 64, places: 32, numbers: numbers(9), nanoseconds: true, ..OLD },
];

/// Longer paths and command lines are nobody's.
const TEXT_MAX: u64 = 1 << 16;
const METADATA_BYTES: u64 = 1_024;

/// Whether some bytes begin such a log, in either order of bytes.
pub(crate) fn begins(bytes: &[u8]) -> bool {
    bytes.starts_with(b"3.") && Order::of(bytes).is_some()
}

pub(crate) fn odd(what: impl Into<String>) -> Fault {
    Problem::Log(what.into()).into()
}

/// Where a region lies.
#[derive(Clone, Copy)]
struct Region {
    from: u64,
    bytes: u64,
}

/// How regions are compressed.
#[derive(Clone, Copy)]
enum Packing {
    Zlib,
    Bzip2,
    None,
}

type Packed<'a> = Take<BufReader<&'a mut File>>;

enum Streams<'a> {
    Zlib(ZlibDecoder<Packed<'a>>),
    Bzip2(BzDecoder<Packed<'a>>),
    None(Packed<'a>),
}

impl<'a> Streams<'a> {
    fn of(packing: Packing, source: Packed<'a>) -> Self {
        match packing {
            Packing::Zlib => Self::Zlib(ZlibDecoder::new(source)),
            Packing::Bzip2 => Self::Bzip2(BzDecoder::new(source)),
            Packing::None => Self::None(source),
        }
    }

    fn into_source(self) -> Packed<'a> {
        match self {
            Self::Zlib(stream) => stream.into_inner(),
            Self::Bzip2(stream) => stream.into_inner(),
            Self::None(source) => source,
        }
    }

    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Zlib(stream) => stream.read(bytes),
            Self::Bzip2(stream) => stream.read(bytes),
            Self::None(source) => source.read(bytes),
        }
    }
}

/// A region's bytes, decompressed.
pub(crate) struct Unpacked<'a> {
    streams: Option<Streams<'a>>,
    packing: Packing,
    order: Order,
    packed: u64,
    given: u64,
}

impl Unpacked<'_> {
    /// Fills `bytes`; false where nothing was left.
    fn fill(&mut self, bytes: &mut [u8]) -> Result<bool, Fault> {
        let mut filled = 0;
        while filled < bytes.len() {
            let Some(stream) = &mut self.streams else { break };
            match stream.read(&mut bytes[filled..]) {
                Ok(0) => {
                    // The next stream, if there is one.
                    let mut source = self.streams.take().map(Streams::into_source);
                    let is_more = source
                        .as_mut()
                        .map_or(Ok(false), |source| source.fill_buf().map(|rest| !rest.is_empty()));
                    if is_more.map_err(Fault::Io)? {
                        self.streams = source.map(|source| Streams::of(self.packing, source));
                    }
                }
                Ok(count) => filled += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(odd(format!("has a part that can't be decompressed: {error}"))),
            }
        }
        self.given += filled as u64;
        if self.given > HARMLESS_BYTES && self.given / RATIO_MAX > self.packed {
            return Err(Problem::Inflated { bytes: self.given, packed: self.packed }.into());
        }
        match filled {
            0 => Ok(false),
            _ if filled < bytes.len() => Err(Problem::CutOff { found: filled, needed: bytes.len() }.into()),
            _ => Ok(true),
        }
    }

    pub(crate) fn array<const BYTES: usize>(&mut self) -> Result<Option<[u8; BYTES]>, Fault> {
        let mut bytes = [0; BYTES];
        Ok(self.fill(&mut bytes)?.then_some(bytes))
    }

    /// The next number, or `None` at the end.
    pub(crate) fn number(&mut self) -> Result<Option<u64>, Fault> {
        let order = self.order;
        Ok(self.array()?.map(|bytes| order.number(bytes)))
    }

    pub(crate) fn needed(&mut self) -> Result<u64, Fault> {
        self.number()?.ok_or_else(|| Problem::CutOff { found: 0, needed: 8 }.into())
    }

    /// Bytes up to `end`, or up to the region's end.
    fn text(&mut self, end: u8) -> Result<String, Fault> {
        let mut text = Vec::new();
        while let Some([byte]) = self.array()? {
            if byte == end {
                break;
            }
            if text.len() as u64 >= TEXT_MAX {
                return Err(odd("has a name of more than 65,536 bytes"));
            }
            text.push(byte);
        }
        Ok(String::from_utf8_lossy(&text).into_owned())
    }

    /// As many bytes as a number before them says.
    fn counted_text(&mut self) -> Result<String, Fault> {
        let length = self.array()?.map_or(0, |bytes| self.order.short(bytes));
        if u64::from(length) > TEXT_MAX {
            return Err(odd("has a name of more than 65,536 bytes"));
        }
        let mut text = vec![0; length as usize];
        self.fill(&mut text)?;
        Ok(String::from_utf8_lossy(&text).trim_end_matches('\0').to_owned())
    }
}

/// What a log says of the job.
#[derive(Clone, Debug, Default)]
pub(crate) struct Job {
    /// When it began and ended, in ns since 1970.
    pub(crate) start: u128,
    pub(crate) end: u128,
    pub(crate) processes: u64,
    pub(crate) command: String,
}

/// A log whose head was read.
pub(crate) struct Container {
    file: File,
    length: u64,
    head: Vec<u8>,
    version: &'static Version,
    order: Order,
    packing: Packing,
}

impl Container {
    pub(crate) fn open(mut file: File) -> Result<Self, Fault> {
        let length = file.metadata().map_err(Fault::Io)?.len();
        let mut head = Vec::new();
        file.seek(SeekFrom::Start(0)).map_err(Fault::Io)?;
        file.by_ref().take(32 + 65 * 16 + 64 * 4).read_to_end(&mut head).map_err(Fault::Io)?;
        let name = head.get(..8).unwrap_or_default();
        let name = name.split(|byte| *byte == 0).next().unwrap_or_default();
        let version = VERSIONS.iter().find(|version| version.name == name);
        let (Some(version), Some(order)) = (version, Order::of(&head)) else {
            let known =
                "3.00, 3.10, 3.20, 3.21 and 3.41 are read; a darshan-parser that reads it makes text of it";
            return Err(odd(format!("has version {}; {known}", printable(name))));
        };
        let packing = match head.get(16) {
            Some(0) => Packing::Zlib,
            Some(1) => Packing::Bzip2,
            Some(2) => Packing::None,
            _ => {
                return Err(odd(
                    "is compressed otherwise than by zlib and bzip2; darshan-convert makes such a log",
                ));
            }
        };
        Ok(Self { file, length, head, version, order, packing })
    }

    fn head_number(&self, at: usize) -> Result<u64, Fault> {
        let bytes = self.head.get(at..at + 8).and_then(|bytes| bytes.try_into().ok());
        bytes
            .map(|bytes| self.order.number(bytes))
            .ok_or_else(|| Problem::CutOff { found: self.head.len(), needed: at + 8 }.into())
    }

    fn head_short(&self, at: usize) -> u32 {
        let bytes = self.head.get(at..at + 4).and_then(|bytes| bytes.try_into().ok());
        bytes.map_or(0, |bytes| self.order.short(bytes))
    }

    /// The names' region is the first, and a module's behind it.
    fn region(&self, index: usize) -> Result<Region, Fault> {
        let at = as_index(self.version.places) + index * 16;
        let (from, bytes) = (self.head_number(at)?, self.head_number(at + 8)?);
        match from.checked_add(bytes) {
            Some(end) if end <= self.length => Ok(Region { from, bytes }),
            _ => Err(odd("points behind its own end")),
        }
    }

    fn end_of_head(&self) -> usize {
        as_index(self.version.places) + (self.version.modules + 1) * 16 + self.version.modules * 4
    }

    fn number_of(&self, module: Module) -> usize {
        self.version.numbers.iter().find(|(known, _)| *known == module).map_or(0, |(_, number)| *number)
    }

    fn unpack(&mut self, region: Region) -> Result<Unpacked<'_>, Fault> {
        self.file.seek(SeekFrom::Start(region.from)).map_err(Fault::Io)?;
        let source = BufReader::new(&mut self.file).take(region.bytes);
        Ok(Unpacked {
            streams: Some(Streams::of(self.packing, source)),
            packing: self.packing,
            order: self.order,
            packed: region.bytes,
            given: 0,
        })
    }

    /// A module's content with the form that its records have; `None` where there is none.
    pub(crate) fn module(&mut self, module: Module) -> Result<Option<(u32, Unpacked<'_>)>, Fault> {
        let number = self.number_of(module);
        let region = self.region(number + 1)?;
        if region.bytes == 0 {
            return Ok(None);
        }
        let forms = as_index(self.version.places) + (self.version.modules + 1) * 16;
        let form = self.head_short(forms + number * 4);
        Ok(Some((form, self.unpack(region)?)))
    }

    /// Whether a module ran out of memory while it recorded, so that records are missing.
    pub(crate) fn is_incomplete(&self, module: Module) -> bool {
        let flags = match self.version.modules {
            16 => u64::from(self.head_short(20)),
            _ => self.head_number(24).unwrap_or_default(),
        };
        flags >> self.number_of(module) & 1 == 1
    }

    pub(crate) fn job(&mut self) -> Result<Job, Fault> {
        let (from, mut end) = (self.end_of_head() as u64, self.length);
        // Where nothing was opened there are no names, and then there is perhaps no module either.
        for index in 0..=self.version.modules {
            let region = self.region(index)?;
            if region.from != 0 {
                end = region.from;
                break;
            }
        }
        let bytes = end.checked_sub(from).ok_or_else(|| odd("has its names before its job"))?;
        let version = self.version;
        let mut job = self.unpack(Region { from, bytes })?;
        let _user = job.needed()?;
        let second = 1_000_000_000;
        let (mut start, mut start_part) = (u128::from(job.needed()?) * second, 0);
        if version.nanoseconds {
            start_part = job.needed()?;
        }
        start += u128::from(start_part);
        let mut end = u128::from(job.needed()?) * second;
        if version.nanoseconds {
            end += u128::from(job.needed()?);
        }
        let (processes, _number) = (job.needed()?, job.needed()?);
        for _ in 0..METADATA_BYTES / 8 {
            job.needed()?;
        }
        let command = job.text(b'\n')?.trim().to_owned();
        Ok(Job { start, end, processes, command })
    }

    pub(crate) fn names(&mut self) -> Result<BTreeMap<u64, Arc<str>>, Fault> {
        let (mut all, region) = (BTreeMap::new(), self.region(0)?);
        let counted = self.version.name_lengths;
        if region.bytes > 0 {
            let mut names = self.unpack(region)?;
            while let Some(number) = names.number()? {
                let name = if counted { names.counted_text()? } else { names.text(0)? };
                all.insert(number, name.into());
            }
        }
        Ok(all)
    }
}
