//! Compression undone while reading: gzip, xz and zstandard, recognised by their first bytes.

use std::io::{self, BufReader, Cursor, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// How a file is compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Compression {
    None,
    Gzip,
    Xz,
    Zstandard,
}

impl Compression {
    /// The longest mark looked at.
    const MARK_MAX: usize = 6;

    fn of(start: &[u8]) -> Self {
        match start {
            [0x1f, 0x8b, ..] => Self::Gzip,
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
        Compression::Xz => Box::new(liblzma::bufread::XzDecoder::new_multi_decoder(buffered())),
        Compression::Zstandard => Box::new(zstd::stream::read::Decoder::with_buffer(buffered())?),
    };
    Ok(Unpacked { compression, stream, packed })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
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
        let zstandard = zstd::encode_all(&text[..], 1).unwrap();

        assert_eq!(undone(gzip), (Compression::Gzip, text.repeat(2)));
        assert_eq!(undone(xz), (Compression::Xz, text.clone()));
        assert_eq!(undone(zstandard), (Compression::Zstandard, text.clone()));
        assert_eq!(undone(text.clone()), (Compression::None, text));
        assert_eq!(undone(vec![]), (Compression::None, vec![]));
    }
}
