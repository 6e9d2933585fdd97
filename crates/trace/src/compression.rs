//! Compression: gzip, bzip2, xz and zstandard, recognised by their first bytes and undone while reading, and done while
//! writing where a file's name says so.

use petrio_files::whole_file::WholeFile;
use std::io::{self, BufReader, Cursor, Read, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// How a file is compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Compression {
    None,
    Gzip,
    Bzip2,
    Xz,
    Zstandard,
}

impl Compression {
    /// The longest mark looked at.
    const MARK_MAX: usize = 6;

    fn of(start: &[u8]) -> Self {
        match start {
            [0x1f, 0x8b, ..] => Self::Gzip,
            [b'B', b'Z', b'h', b'1'..=b'9', ..] => Self::Bzip2,
            [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => Self::Xz,
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Self::Zstandard,
            _ => Self::None,
        }
    }

    /// The word used in messages.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::None => "uncompressed",
            Self::Gzip => "gzip",
            Self::Bzip2 => "bzip2",
            Self::Xz => "xz",
            Self::Zstandard => "zstandard",
        }
    }
}

/// Bytes read so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Count(Arc<AtomicU64>);

impl Count {
    pub(crate) fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// A source whose bytes are counted.
struct Counted<R> {
    source: R,
    count: Count,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.source.read(buffer)?;
        self.count.0.fetch_add(read as u64, Ordering::Relaxed);
        Ok(read)
    }
}

/// A stream of decompressed bytes.
pub(crate) struct Unpacked {
    pub(crate) compression: Compression,
    pub(crate) stream: Box<dyn Read + Send>,
    /// Bytes of the source that it was made of so far.
    pub(crate) packed: Count,
}

/// A stream of decompressed bytes. Files of several concatenated members (as `pigz` or `cat a.gz b.gz` make) are read
/// to their end.
pub(crate) fn decompressed(source: Box<dyn Read + Send>) -> io::Result<Unpacked> {
    const BUFFER_BYTES: usize = 1 << 16;
    let packed = Count::default();
    let mut source = Counted { source, count: packed.clone() };
    let mut start = Vec::with_capacity(Compression::MARK_MAX);
    source.by_ref().take(Compression::MARK_MAX as u64).read_to_end(&mut start)?;
    let compression = Compression::of(&start);
    let whole = Cursor::new(start).chain(source);
    let buffered = || BufReader::with_capacity(BUFFER_BYTES, whole);
    let stream: Box<dyn Read + Send> = match compression {
        Compression::None => Box::new(buffered().into_inner()),
        Compression::Gzip => Box::new(flate2::bufread::MultiGzDecoder::new(buffered())),
        Compression::Bzip2 => Box::new(bzip2::bufread::MultiBzDecoder::new(buffered())),
        Compression::Xz => Box::new(liblzma::bufread::XzDecoder::new_multi_decoder(buffered())),
        Compression::Zstandard => Box::new(zstd::stream::read::Decoder::with_buffer(buffered())?),
    };
    Ok(Unpacked { compression, stream, packed })
}

/// How much trouble is taken: traces are written once and read often.
const GZIP_LEVEL: u32 = 9;
const XZ_LEVEL: u32 = 9;
const ZSTANDARD_LEVEL: i32 = 19;

impl Compression {
    /// What a file's name says, and the name without that.
    pub(crate) fn of_name(path: &Path) -> (Self, &Path) {
        let compression = match path.extension().and_then(|extension| extension.to_str()) {
            Some("gz") => Self::Gzip,
            Some("bz2") => Self::Bzip2,
            Some("xz") => Self::Xz,
            Some("zst") => Self::Zstandard,
            _ => return (Self::None, path),
        };
        (compression, path.file_stem().map_or(path, Path::new))
    }
}

/// A file that is compressed as its name says, complete or absent. The same bytes make the same file, whenever and
/// wherever.
pub(crate) enum PackedFile {
    Plain(WholeFile),
    Gzip(flate2::write::GzEncoder<WholeFile>),
    Bzip2(bzip2::write::BzEncoder<WholeFile>),
    Xz(liblzma::write::XzEncoder<WholeFile>),
    Zstandard(zstd::stream::write::Encoder<'static, WholeFile>),
}

impl PackedFile {
    /// Goes on from a file that was begun.
    pub(crate) fn new(file: WholeFile) -> io::Result<Self> {
        let (compression, _) = Compression::of_name(file.path());
        Ok(match compression {
            Compression::None => Self::Plain(file),
            Compression::Gzip => {
                Self::Gzip(flate2::write::GzEncoder::new(file, flate2::Compression::new(GZIP_LEVEL)))
            }
            Compression::Bzip2 => Self::Bzip2(bzip2::write::BzEncoder::new(file, bzip2::Compression::best())),
            Compression::Xz => Self::Xz(liblzma::write::XzEncoder::new(file, XZ_LEVEL)),
            Compression::Zstandard => {
                Self::Zstandard(zstd::stream::write::Encoder::new(file, ZSTANDARD_LEVEL)?)
            }
        })
    }

    /// Makes the file durable and gives it its name.
    pub(crate) fn finish(self) -> io::Result<()> {
        match self {
            Self::Plain(file) => file,
            Self::Gzip(packer) => packer.finish()?,
            Self::Bzip2(packer) => packer.finish()?,
            Self::Xz(packer) => packer.finish()?,
            Self::Zstandard(packer) => packer.finish()?,
        }
        .finish()
    }

    fn writer(&mut self) -> &mut dyn Write {
        match self {
            Self::Plain(file) => file,
            Self::Gzip(packer) => packer,
            Self::Bzip2(packer) => packer,
            Self::Xz(packer) => packer,
            Self::Zstandard(packer) => packer,
        }
    }
}

impl Write for PackedFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.writer().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer().flush()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use petrio_files::inputs::Inputs;
    use std::io::Write;

    fn undone(bytes: Vec<u8>) -> (Compression, Vec<u8>) {
        let Unpacked { compression, mut stream, .. } = decompressed(Box::new(Cursor::new(bytes))).unwrap();
        let mut all = Vec::new();
        stream.read_to_end(&mut all).unwrap();
        (compression, all)
    }

    #[test]
    fn each_compression_is_recognised_by_its_mark_and_undone() {
        let text = b"0.5 0 100 8 1\n".repeat(1_000);
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        gzip.write_all(&text).unwrap();
        let mut gzip = gzip.finish().unwrap();
        // Two members in one file.
        gzip.extend_from_slice(&gzip.clone());
        let mut xz = liblzma::write::XzEncoder::new(Vec::new(), 1);
        xz.write_all(&text).unwrap();
        let xz = xz.finish().unwrap();
        let mut bzip2 = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
        bzip2.write_all(&text).unwrap();
        let bzip2 = bzip2.finish().unwrap().repeat(2);
        let zstandard = zstd::encode_all(&text[..], 1).unwrap();

        assert_eq!(undone(gzip), (Compression::Gzip, text.repeat(2)));
        assert_eq!(undone(bzip2), (Compression::Bzip2, text.repeat(2)));
        assert_eq!(undone(xz), (Compression::Xz, text.clone()));
        assert_eq!(undone(zstandard), (Compression::Zstandard, text.clone()));
        assert_eq!(undone(text.clone()), (Compression::None, text));
        assert_eq!(undone(vec![]), (Compression::None, vec![]));
    }

    #[test]
    fn a_file_is_compressed_as_its_name_says_and_a_dropped_one_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let text = b"0,135,1,RS,2048,16\n".repeat(500);
        let all = [
            ("t.csv", Compression::None),
            ("t.csv.gz", Compression::Gzip),
            ("t.csv.bz2", Compression::Bzip2),
            ("t.csv.xz", Compression::Xz),
            ("t.csv.zst", Compression::Zstandard),
        ];
        for (name, expected) in all {
            let path = folder.path().join(name);
            let mut file = PackedFile::new(WholeFile::create(&path, &Inputs::none()).unwrap()).unwrap();
            file.write_all(&text).unwrap();
            file.finish().unwrap();
            assert_eq!(undone(std::fs::read(&path).unwrap()), (expected, text.clone()));
            assert_eq!(Compression::of_name(&path).1.extension().unwrap(), "csv");
            let mut dropped = PackedFile::new(
                WholeFile::create(&folder.path().join("dropped.gz"), &Inputs::none()).unwrap(),
            )
            .unwrap();
            dropped.write_all(&text).unwrap();
        }
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), all.len());
    }
}
