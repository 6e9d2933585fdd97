//! Which device is recorded: a block device that was named, or the one that a file lies on.

use crate::file_trace::proc;
use crate::recorder::CaptureError;
use std::fs;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

const NAME_ANOTHER: &str = "name a block device (`lsblk` lists them), or a file or folder on the file system whose device is to be recorded";

/// A block device, and its part of the disk that it belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Device {
    /// Its name in /dev, as far as it has one.
    pub(super) name: String,
    /// Its number and its disk's, as the kernel keeps them: requests are told under the disk's, what file systems hand
    /// over under the partition's.
    pub(super) numbers: Vec<u32>,
    /// Its own number.
    pub(super) number: u32,
    /// Its first sector on the disk.
    pub(super) first: u64,
    /// Its length in sectors.
    pub(super) sectors: u64,
}

impl Device {
    /// A device that was named, or that of a file.
    ///
    /// # Errors
    /// Nothing there, or nothing that lies on a block device.
    pub(super) fn of(path: &Path) -> Result<Self, CaptureError> {
        let refused =
            |reason: String| CaptureError::NoDevice { path: path.to_owned(), reason, help: NAME_ANOTHER };
        let there = fs::metadata(path).map_err(|error| refused(error.to_string()))?;
        let is_named = there.file_type().is_block_device();
        if there.file_type().is_char_device() {
            return Err(refused("it is a character device; requests go to block devices".to_owned()));
        }
        let number = proc::device_number(if is_named { there.rdev() } else { there.dev() });
        let folder = proc::sysfs(number);
        if !folder.is_dir() {
            return Err(refused("its file system lies on no block device of its own".to_owned()));
        }
        let read = |file: &str| fs::read_to_string(folder.join(file)).ok()?.trim().parse::<u64>().ok();
        let sectors = read("size").ok_or_else(|| refused("its size isn't known".to_owned()))?;
        let geometry = proc::on_disk(number);
        let name = fs::canonicalize(&folder)
            .ok()
            .and_then(|folder| folder.file_name().map(|name| name.to_string_lossy().into_owned()))
            .unwrap_or_else(|| format!("{}:{}", number >> 20, number & 0xf_ffff));
        let mut numbers = vec![number];
        numbers.extend((geometry.disk != number).then_some(geometry.disk));
        Ok(Self { name: format!("/dev/{name}"), numbers, number, first: geometry.start_sector, sectors })
    }

    /// Whether it serves nothing at the moment; so too where that can't be known.
    pub(super) fn is_idle(&self) -> bool {
        let of = |number: &u32| fs::read_to_string(proc::sysfs(*number).join("inflight"));
        let idle = |text: String| text.split_whitespace().all(|count| count == "0");
        self.numbers.iter().all(|number| of(number).map_or(true, idle))
    }

    /// Whether a file that will be made lies on it.
    pub(super) fn holds(&self, path: &Path) -> bool {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let there = fs::metadata(folder.map_or_else(|| PathBuf::from("."), Path::to_owned));
        there.is_ok_and(|there| self.numbers.contains(&proc::device_number(there.dev())))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use miette::Diagnostic;

    #[test]
    fn what_lies_on_no_block_device_is_refused_with_what_to_name_instead() {
        for (path, why) in [
            ("/proc/self/status", "no block device"),
            ("/dev/null", "character device"),
            ("/there/is/none", "No such file"),
        ] {
            let error = Device::of(Path::new(path)).unwrap_err();
            let text = error.to_string();
            assert!(text.starts_with(path) && text.contains(why), "{text}");
            assert!(error.help().unwrap().to_string().contains("lsblk") && error.is_lasting());
        }
    }
}
