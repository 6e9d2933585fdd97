//! Text whose lines have an end: whoever collects a line collects no more than this.

use std::io::{self, Read};

/// No line of a text that people or programs write is longer; what has no line ends (`/dev/zero`, an image) would fill
/// the memory.
pub const LINE_BYTES_MAX: usize = 1 << 16;

/// Reads on as long as no line is longer than [`LINE_BYTES_MAX`].
///
/// ```
/// use petrio_files::lines::Lines;
/// use std::io::Read;
/// let mut text = String::new();
/// assert!(Lines::new("1\n2\n".as_bytes()).read_to_string(&mut text).is_ok());
/// let error = Lines::new(std::io::repeat(0)).read_to_end(&mut Vec::new()).map_err(|error| error.to_string());
/// assert_eq!(error, Err("a line of more than 65536 bytes; this isn't text".to_owned()));
/// ```
#[derive(Debug)]
pub struct Lines<R> {
    source: R,
    /// Bytes since the last end of a line.
    length: usize,
}

impl<R: Read> Lines<R> {
    /// Of a source.
    pub const fn new(source: R) -> Self {
        Self { source, length: 0 }
    }
}

impl<R: Read> Read for Lines<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.source.read(buffer)?;
        for line in buffer[..read].split_inclusive(|&byte| byte == b'\n') {
            self.length += line.len();
            if self.length > LINE_BYTES_MAX + 1 {
                let message = format!("a line of more than {LINE_BYTES_MAX} bytes; this isn't text");
                return Err(io::Error::new(io::ErrorKind::InvalidData, message));
            }
            if line.ends_with(b"\n") {
                self.length = 0;
            }
        }
        Ok(read)
    }
}
