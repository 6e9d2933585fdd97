//! An initial RAM disk: a cpio archive in the "newc" form (Documentation/driver-api/early-userspace/buffer-format.rst). The kernel takes
//! several, one behind the other.

use std::io::{self, Write};

/// What an entry is, as in st_mode.
const DIRECTORY: u32 = 0o040_755;
const FILE: u32 = 0o100_000;
const LINK: u32 = 0o120_777;
const CHARACTER_DEVICE: u32 = 0o020_600;

/// An archive that is written.
pub(super) struct Archive<W: Write> {
    to: W,
    entries: u32,
}

impl<W: Write> Archive<W> {
    pub(super) const fn new(to: W) -> Self {
        Self { to, entries: 0 }
    }

    pub(super) fn directory(&mut self, path: &str) -> io::Result<()> {
        self.entry(path, DIRECTORY, (0, 0), b"")
    }

    /// The directories above a path.
    pub(super) fn above(&mut self, path: &str) -> io::Result<()> {
        for (end, _) in path.match_indices('/').filter(|(end, _)| *end > 0) {
            self.directory(&path[..end])?;
        }
        Ok(())
    }

    /// A file with these permissions.
    pub(super) fn file(&mut self, path: &str, permissions: u32, content: &[u8]) -> io::Result<()> {
        self.entry(path, FILE | permissions & 0o7777, (0, 0), content)
    }

    pub(super) fn link(&mut self, path: &str, target: &[u8]) -> io::Result<()> {
        self.entry(path, LINK, (0, 0), target)
    }

    /// A character device of this number.
    pub(super) fn device(&mut self, path: &str, number: (u32, u32)) -> io::Result<()> {
        self.entry(path, CHARACTER_DEVICE, number, b"")
    }

    /// The end.
    pub(super) fn finish(mut self) -> io::Result<W> {
        self.entry("TRAILER!!!", 0, (0, 0), b"")?;
        Ok(self.to)
    }

    fn entry(&mut self, path: &str, mode: u32, device: (u32, u32), content: &[u8]) -> io::Result<()> {
        let too_long = |_| io::Error::other(format!("{path} is too long for an archive"));
        let length = u32::try_from(content.len()).map_err(too_long)?;
        let name = u32::try_from(path.len() + 1).map_err(too_long)?;
        self.entries += 1;
        let mut head = b"070701".to_vec();
        // Inode, mode, owner, group, links, time, size, its device, the device that it is, its name's length, no sum.
        for number in [self.entries, mode, 0, 0, 1, 0, length, 0, 0, device.0, device.1, name, 0] {
            head.extend(format!("{number:08X}").bytes());
        }
        head.extend(path.bytes());
        head.push(0);
        self.padded(&head)?;
        self.padded(content)
    }

    fn padded(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.to.write_all(bytes)?;
        self.to.write_all(&[0; 3][..bytes.len().next_multiple_of(4) - bytes.len()])
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use std::process::{Command, Stdio};

    #[test]
    fn an_archive_has_the_kernels_form() {
        let mut archive = Archive::new(Vec::new());
        archive.above("a/b/c").unwrap();
        archive.file("a/b/c", 0o755, b"hello").unwrap();
        archive.link("d", b"a/b").unwrap();
        let bytes = archive.finish().unwrap();
        assert!(bytes.starts_with(b"07070100000001000041ED"));
        assert!(bytes.len().is_multiple_of(4));
        // A second opinion where there is one.
        let Ok(mut child) =
            Command::new("cpio").arg("-t").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()
        else {
            return;
        };
        child.stdin.take().unwrap().write_all(&bytes).unwrap();
        let listed = child.wait_with_output().unwrap();
        assert_eq!(String::from_utf8(listed.stdout).unwrap(), "a\na/b\na/b/c\nd\n");
    }
}
