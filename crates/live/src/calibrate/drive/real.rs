//! A device or a large file of this machine, read past the page cache.
//!
//! It is opened for reading alone. Where writes are allowed, what is read is written back, and a device that is mounted, or
//! part of which is, is refused.

use super::error::DriveCalibrationError;
use crate::timed::{TimedDrive, Timing};
use petrio_units::numbers::as_index;
use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{self, IoSlice, Seek, SeekFrom};
use std::os::unix::fs::{FileExt, FileTypeExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Bytes that addresses in memory are a multiple of.
const ALIGN: usize = 4096;
/// The least that is measured.
const LEAST: u64 = 64 << 20;

/// A device of this machine.
#[derive(Debug)]
pub struct RealDrive {
    file: File,
    sectors: u64,
    sector_bytes: u64,
    physical_bytes: u64,
    memory: Vec<u8>,
    start: Instant,
    writable: bool,
    /// What was read to be written again, by its first sector.
    kept: BTreeMap<u64, Vec<u8>>,
}

/// What is to be done with sectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Transfer {
    Read,
    /// To the device, whose cache may hold it.
    Write,
    /// To the medium.
    WriteThrough,
}

impl RealDrive {
    /// Opens a device, or a file that is taken for one; `write` says that what is in it may be written there again.
    ///
    /// # Errors
    /// What isn't there, may not be read, is a directory, is too small, or is mounted and would be written.
    pub fn open(path: &Path, write: bool) -> Result<Self, DriveCalibrationError> {
        let refused = |why: &str, advice: &'static str| DriveCalibrationError::Refused {
            path: path.to_owned(),
            why: why.to_owned(),
            advice,
        };
        let metadata = std::fs::metadata(path).map_err(system("look at", path))?;
        if metadata.is_dir() {
            return Err(refused(
                "it is a directory",
                "name a block device or a large file, such as /dev/sda",
            ));
        }
        if !metadata.is_file() && !metadata.file_type().is_block_device() {
            return Err(refused(
                "it is neither a block device nor a file",
                "name a block device such as /dev/sda",
            ));
        }
        if write && metadata.is_file() {
            return Err(refused(
                "it is a file, and writes would be its file system's",
                "measure a file without --write",
            ));
        }
        if write && let Some(place) = mounted(&metadata) {
            return Err(DriveCalibrationError::Refused {
                path: path.to_owned(),
                why: format!("it is in use at {place}, and would be written"),
                advice: "unmount it first, or measure without --write",
            });
        }
        let mut options = OpenOptions::new();
        options.read(true).write(write).custom_flags(if write {
            libc::O_DIRECT | libc::O_EXCL
        } else {
            libc::O_DIRECT
        });
        let mut file = options.open(path).map_err(system("open", path))?;
        let bytes = file.seek(SeekFrom::End(0)).map_err(system("find the size of", path))?;
        if bytes < LEAST {
            return Err(refused(
                "it is smaller than 64 MiB",
                "name a larger one: its parts must not all be in a cache",
            ));
        }
        let mut drive = Self {
            file,
            sectors: 0,
            sector_bytes: 512,
            physical_bytes: physical_sector(&metadata).unwrap_or(512),
            memory: vec![0; ALIGN],
            start: Instant::now(),
            writable: write,
            kept: BTreeMap::new(),
        };
        // The smallest that direct I/O takes there.
        let takes = |drive: &mut Self, sector_bytes: u64| {
            drive.sector_bytes = sector_bytes;
            drive.transfer(1, 1, Transfer::Read)
        };
        if takes(&mut drive, 512).is_err() {
            takes(&mut drive, 4096).map_err(system("read", path))?;
        }
        drive.sectors = bytes / drive.sector_bytes;
        Ok(drive)
    }

    /// Bytes of a file for which its file system keeps no space; none of a device, or of a file without holes. A small part
    /// that is kept elsewhere, as with its extents, is no hole.
    pub fn holes(&self) -> Option<u64> {
        let metadata = self.file.metadata().ok().filter(std::fs::Metadata::is_file)?;
        // As POSIX has it, in units of 512 bytes.
        let holes = metadata.len().saturating_sub(metadata.blocks() * 512);
        (holes > metadata.len() / 64).then_some(holes)
    }

    /// Where so much memory begins as direct I/O wants it.
    fn aligned(&mut self, length: usize) -> usize {
        if self.memory.len() < length + ALIGN {
            self.memory.resize(length + ALIGN, 0);
        }
        self.memory.as_ptr().align_offset(ALIGN).min(ALIGN)
    }

    fn transfer(&mut self, sector: u64, sectors: u64, transfer: Transfer) -> io::Result<Timing> {
        let length = as_index(sectors * self.sector_bytes);
        let skip = self.aligned(length);
        let data = &mut self.memory[skip..skip + length];
        let offset = sector * self.sector_bytes;
        let begin = self.start.elapsed().as_secs_f64();
        match transfer {
            Transfer::Read => self.file.read_exact_at(data, offset)?,
            Transfer::Write => self.file.write_all_at(data, offset)?,
            Transfer::WriteThrough => {
                // As O_DSYNC would have it, for this one alone.
                let flags = rustix::io::ReadWriteFlags::DSYNC;
                let written = rustix::io::pwritev2(&self.file, &[IoSlice::new(data)], offset, flags)?;
                if written < length {
                    return Err(io::Error::from(io::ErrorKind::WriteZero));
                }
            }
        }
        Ok(Timing { begin, end: self.start.elapsed().as_secs_f64() })
    }
}

impl TimedDrive for RealDrive {
    fn sectors(&self) -> u64 {
        self.sectors
    }

    fn sector_bytes(&self) -> u64 {
        self.sector_bytes
    }

    fn physical_sectors(&self) -> u64 {
        (self.physical_bytes / self.sector_bytes).max(1)
    }

    fn now(&mut self) -> f64 {
        self.start.elapsed().as_secs_f64()
    }

    fn wait(&mut self, seconds: f64) {
        const LATE: f64 = 0.000_2;
        let until = self.now() + seconds.max(0.0);
        if seconds > LATE {
            std::thread::sleep(Duration::from_secs_f64(seconds - LATE));
        }
        while self.now() < until {
            std::hint::spin_loop();
        }
    }

    fn read(&mut self, sector: u64, sectors: u64) -> io::Result<Timing> {
        self.transfer(sector, sectors, Transfer::Read)
    }

    fn rewrite(&mut self, sector: u64, sectors: u64, through: bool) -> io::Result<Timing> {
        if !self.writable {
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, "nothing may be written to it"));
        }
        // What isn't kept is read first, and that isn't timed.
        let length = as_index(sectors * self.sector_bytes);
        let skip = self.aligned(length);
        let kept = self.kept.range(..=sector).next_back().and_then(|(first, data)| {
            let from = as_index((sector - first) * self.sector_bytes);
            data.get(from..from + length)
        });
        match kept {
            Some(data) => self.memory[skip..skip + length].copy_from_slice(data),
            None => {
                self.transfer(sector, sectors, Transfer::Read)?;
            }
        }
        self.transfer(sector, sectors, if through { Transfer::WriteThrough } else { Transfer::Write })
    }

    fn keep(&mut self, runs: &[(u64, u64)]) -> io::Result<()> {
        self.kept.clear();
        for (sector, sectors) in runs.iter().copied() {
            self.transfer(sector, sectors, Transfer::Read)?;
            let length = as_index(sectors * self.sector_bytes);
            let skip = self.aligned(length);
            self.kept.insert(sector, self.memory[skip..skip + length].to_vec());
        }
        Ok(())
    }
}

fn system(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> DriveCalibrationError {
    let path: PathBuf = path.to_owned();
    move |source| {
        let advice = match source.kind() {
            io::ErrorKind::PermissionDenied => {
                Some("devices are read by root, or by members of the group disk")
            }
            io::ErrorKind::NotFound => Some("check the path; lsblk lists the devices"),
            io::ErrorKind::InvalidInput => Some("direct I/O isn't possible there; choose another device"),
            io::ErrorKind::ResourceBusy => {
                Some("somebody else uses it; measure without --write, or unmount it")
            }
            _ => None,
        };
        DriveCalibrationError::System { action, path, source, advice }
    }
}

/// Bytes of a device's physical sectors, as it tells its kernel; a partition's are those of the whole.
fn physical_sector(metadata: &std::fs::Metadata) -> Option<u64> {
    let device = metadata.rdev();
    let folder = format!("/sys/dev/block/{}:{}", libc::major(device), libc::minor(device));
    let told = |place: &str| std::fs::read_to_string(format!("{folder}/{place}/physical_block_size")).ok();
    told("queue").or_else(|| told("../queue"))?.trim().parse().ok()
}

/// Where a device, or a part of it, is mounted or used for swapping.
fn mounted(metadata: &std::fs::Metadata) -> Option<String> {
    let device = metadata.rdev();
    let mine = (libc::major(device), libc::minor(device));
    // Partitions of it stand below it in /sys, each with its number.
    let folder = format!("/sys/dev/block/{}:{}", mine.0, mine.1);
    let mut numbers = vec![format!("{}:{}", mine.0, mine.1)];
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        if let Ok(number) = std::fs::read_to_string(entry.path().join("dev")) {
            numbers.push(number.trim().to_owned());
        }
    }
    let mounts = std::fs::read_to_string("/proc/self/mountinfo").unwrap_or_default();
    mounts.lines().find_map(|line| {
        let words: Vec<&str> = line.split(' ').collect();
        (words.len() > 4 && numbers.iter().any(|number| number == words[2])).then(|| words[4].to_owned())
    })
}
