//! The speed of petrio itself, beside a peer or a limit in the same run.
//!
//! | module | what is measured | beside |
//! | --- | --- | --- |
//! | [`kernel`] | firings a second | loops written by hand for the same systems |
//! | [`disk`] | requests a second through three disks with full mechanics | the time that is simulated |
//! | [`fs`] | operations a second on simulated file systems | a real cached read of the same size |
//! | [`scale`] | what a part costs in nets of thousands | one instance |
//! | [`fit`] | how fast, and how well, distributions are fitted | sorting the same values; published fits |
//! | [`live`] | what recording, executing and emulating cost a program | the same program without petrio |
//! | [`sweep`] | what a case costs among ten thousand, and how near limits and knees are found | a single run; formulas and a grid |
//! | [`trace`] | events a second read and characterised, and the memory for it | decompressing the same file |

#![warn(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
#![cfg_attr(
    test,
    allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the numbers of a test are small"
    )
)]

pub mod aim;
pub mod cluster;
pub mod disk;
pub mod fit;
pub mod fs;
pub mod kernel;
pub mod live;
pub mod scale;
mod simgrid;
mod state;
pub mod sweep;
pub mod trace;

/// The high-water mark of this process's resident memory in MiB, as Linux tells it.
fn peak_resident_mib() -> Option<f64> {
    peak_resident_mib_of("self")
}

/// The same of a process, by its number.
fn peak_resident_mib_of(process: &str) -> Option<f64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    let kib: f64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kib / 1024.0)
}
