//! What a look at a file is answered (stat(2), statx(2)) whose times are the program's own: the kernel's answer with these in it, written
//! as this machine's programs read it.

use crate::clocks::NANOS;
use crate::decide::GO_ON;
use crate::supervisor::{Supervisor, Verdict};
use crate::times::Times;
use petrio_colours::FileId;
use petrio_intercept::{Answer, memory};
use petrio_time::Time;
use rustix::fs::{AtFlags, Stat, Statx, StatxFlags, StatxTimestamp, fstat, statx};
use std::os::fd::OwnedFd;

/// Words of four and eight bytes one after the other.
#[derive(Default)]
struct Bytes(Vec<u8>);

impl Bytes {
    fn u16(mut self, value: u16) -> Self {
        self.0.extend(value.to_ne_bytes());
        self
    }

    fn u32(mut self, value: u32) -> Self {
        self.0.extend(value.to_ne_bytes());
        self
    }

    fn u64(mut self, value: u64) -> Self {
        self.0.extend(value.to_ne_bytes());
        self
    }

    fn i64(mut self, value: i64) -> Self {
        self.0.extend(value.to_ne_bytes());
        self
    }

    fn stamp(self, stamp: StatxTimestamp) -> Self {
        self.i64(stamp.tv_sec).u32(stamp.tv_nsec).u32(0)
    }

    fn up_to(mut self, length: usize) -> Vec<u8> {
        self.0.resize(length, 0);
        self.0
    }
}

/// A time as the kernel writes it, after the beginning, nanoseconds of the realtime clock.
fn parts(time: Time, began: u64) -> (i64, u32) {
    let nanos = began.saturating_add(time.as_picos() / 1_000);
    ((nanos / NANOS).cast_signed(), u32::try_from(nanos % NANOS).unwrap_or(0))
}

fn with_times(stat: &mut Stat, times: &Times, began: u64) {
    for (time, seconds, nanos) in [
        (times.read, &mut stat.st_atime, &mut stat.st_atime_nsec),
        (times.written, &mut stat.st_mtime, &mut stat.st_mtime_nsec),
        (times.changed, &mut stat.st_ctime, &mut stat.st_ctime_nsec),
    ] {
        if let Some((whole, rest)) = time.map(|time| parts(time, began)) {
            (*seconds, *nanos) = (whole, rest.into());
        }
    }
}

fn with_times_of_x(stat: &mut Statx, times: &Times, began: u64) {
    for (time, stamp) in [
        (times.made, &mut stat.stx_btime),
        (times.read, &mut stat.stx_atime),
        (times.written, &mut stat.stx_mtime),
        (times.changed, &mut stat.stx_ctime),
    ] {
        if let Some((whole, rest)) = time.map(|time| parts(time, began)) {
            (stamp.tv_sec, stamp.tv_nsec) = (whole, rest);
        }
    }
}

fn times_of(bytes: Bytes, stat: &Stat) -> Bytes {
    bytes
        .i64(stat.st_atime)
        .u64(stat.st_atime_nsec)
        .i64(stat.st_mtime)
        .u64(stat.st_mtime_nsec)
        .i64(stat.st_ctime)
        .u64(stat.st_ctime_nsec)
}

/// struct stat (asm/stat.h).
#[cfg(target_arch = "x86_64")]
fn bytes_of(stat: &Stat) -> Vec<u8> {
    let head = Bytes::default().u64(stat.st_dev).u64(stat.st_ino).u64(stat.st_nlink);
    let who = head.u32(stat.st_mode).u32(stat.st_uid).u32(stat.st_gid).u32(0).u64(stat.st_rdev);
    times_of(who.i64(stat.st_size).i64(stat.st_blksize).i64(stat.st_blocks), stat).up_to(144)
}
#[cfg(target_arch = "aarch64")]
fn bytes_of(stat: &Stat) -> Vec<u8> {
    let head = Bytes::default().u64(stat.st_dev).u64(stat.st_ino).u32(stat.st_mode).u32(stat.st_nlink);
    let who = head.u32(stat.st_uid).u32(stat.st_gid).u64(stat.st_rdev).u64(0).i64(stat.st_size);
    let blocks = who.u32(stat.st_blksize.cast_unsigned()).u32(0).i64(stat.st_blocks);
    times_of(blocks, stat).up_to(128)
}

/// struct statx (linux/stat.h).
fn bytes_of_x(stat: &Statx) -> Vec<u8> {
    Bytes::default()
        .u32(stat.stx_mask)
        .u32(stat.stx_blksize)
        .u64(stat.stx_attributes.bits())
        .u32(stat.stx_nlink)
        .u32(stat.stx_uid)
        .u32(stat.stx_gid)
        .u16(stat.stx_mode)
        .u16(0)
        .u64(stat.stx_ino)
        .u64(stat.stx_size)
        .u64(stat.stx_blocks)
        .u64(stat.stx_attributes_mask.bits())
        .stamp(stat.stx_atime)
        .stamp(stat.stx_btime)
        .stamp(stat.stx_ctime)
        .stamp(stat.stx_mtime)
        .u32(stat.stx_rdev_major)
        .u32(stat.stx_rdev_minor)
        .u32(stat.stx_dev_major)
        .u32(stat.stx_dev_minor)
        .u64(stat.stx_mnt_id)
        .u32(stat.stx_dio_mem_align)
        .u32(stat.stx_dio_offset_align)
        .up_to(256)
}

/// Where the answer goes.
#[derive(Clone, Copy, Debug)]
pub(crate) enum To {
    Stat(u64),
    /// Which figures are asked for, too.
    Statx(u64, u64),
}

impl Supervisor {
    /// The answer to a look at a file that is open here; the kernel's own, where its times are.
    pub(crate) fn look_of(&self, id: u32, (file, fd): (FileId, &OwnedFd), to: To) -> Answer {
        let Some(times) = self.files.times(file).filter(|_| !self.options.real_time) else {
            return Answer::GoOn;
        };
        let told = match to {
            To::Stat(at) => fstat(fd).map(|mut stat| {
                with_times(&mut stat, times, self.began.0);
                (at, bytes_of(&stat))
            }),
            To::Statx(at, mask) => {
                let mask = StatxFlags::from_bits_retain(u32::try_from(mask & 0xffff_ffff).unwrap_or(0));
                statx(fd, "", AtFlags::EMPTY_PATH, mask).map(|mut stat| {
                    with_times_of_x(&mut stat, times, self.began.0);
                    (at, bytes_of_x(&stat))
                })
            }
        };
        match told.map(|(at, bytes)| memory::write(id, at, &bytes)) {
            Ok(Ok(())) => Answer::Value(0),
            // The kernel says what is wrong with it.
            _ => Answer::GoOn,
        }
    }

    /// A look at what a descriptor is of.
    pub(crate) fn looks_at_open(&mut self, id: u32, number: i32, to: To) -> Verdict {
        match self.is(id, number) {
            crate::descriptors::Is::Stored(opened, first) => {
                let answer = self.look_of(id, (opened.file, &opened.fd), to);
                if first.is_empty() { Verdict::Now(answer) } else { Verdict::Ask(first, answer) }
            }
            _ => GO_ON,
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_look_is_written_as_the_kernel_writes_it_but_for_its_times() {
        let file = tempfile::tempfile().unwrap();
        std::io::Write::write_all(&mut &file, &[7; 9_000]).unwrap();
        let mut stat = fstat(&file).unwrap();
        let word = |bytes: &[u8], at: usize| u64::from_ne_bytes(bytes[at..at + 8].try_into().unwrap());
        let before = bytes_of(&stat);
        let times = Times { written: Some(Time::from_millis(2_500)), ..Times::default() };
        with_times(&mut stat, &times, 10 * NANOS);
        let bytes = bytes_of(&stat);
        let at = if cfg!(target_arch = "x86_64") { (48, 88) } else { (48, 88) };
        assert_eq!((word(&bytes, at.0), word(&bytes, at.1)), (9_000, 12));
        assert_eq!(word(&bytes, at.1 + 8), 500_000_000);
        assert_eq!(bytes[..at.1], before[..at.1]);
        let mut stat = statx(&file, "", AtFlags::EMPTY_PATH, StatxFlags::BASIC_STATS).unwrap();
        with_times_of_x(&mut stat, &times, 10 * NANOS);
        let bytes = bytes_of_x(&stat);
        assert_eq!((bytes.len(), word(&bytes, 0x28), word(&bytes, 0x70)), (256, 9_000, 12));
    }
}
