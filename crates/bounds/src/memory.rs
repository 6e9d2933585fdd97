//! The memory that this process may still take: the least of what the machine, its control groups and its limits leave
//! it.

mod control_group;

use rustix::process::{Resource, getrlimit};
use std::fmt;
use thiserror::Error;

/// What leaves no more memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// The machine's own memory (`MemAvailable` of /proc/meminfo).
    Machine,
    /// A control group's, such as a container's or a batch system's.
    ControlGroup,
    /// The address space of a process (`ulimit -v`).
    AddressSpace,
    /// The data of a process (`ulimit -d`).
    Data,
}

impl fmt::Display for Limit {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Machine => "this machine has",
            Self::ControlGroup => "this process' control group leaves",
            Self::AddressSpace => "its limit of address space (ulimit -v) leaves",
            Self::Data => "its limit of data (ulimit -d) leaves",
        })
    }
}

/// Memory that can still be had.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Available {
    /// So much.
    pub bytes: u64,
    /// What leaves no more.
    pub limit: Limit,
}

/// More memory than there is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("at least {} of memory would be needed, and {limit} {}", Figure(*needed_bytes), Figure(*available_bytes))]
pub struct TooMuch {
    /// What is certain to be needed.
    pub needed_bytes: u64,
    /// What there is.
    pub available_bytes: u64,
    /// What leaves no more.
    pub limit: Limit,
}

/// What this process may still take. Where nothing can be found out, there is no bound.
pub fn available() -> Available {
    let machine = read("/proc/meminfo").and_then(|text| kilobytes(&text, "MemAvailable:"));
    let status = read("/proc/self/status").unwrap_or_default();
    let left = |resource, taken: &str| {
        let limit = getrlimit(resource).current?;
        Some(limit.saturating_sub(kilobytes(&status, taken).unwrap_or(0)))
    };
    let bounds = [
        (machine, Limit::Machine),
        (control_group::left(), Limit::ControlGroup),
        (left(Resource::As, "VmSize:"), Limit::AddressSpace),
        (left(Resource::Data, "VmData:"), Limit::Data),
    ];
    let least = bounds.into_iter().filter_map(|(bytes, limit)| Some(Available { bytes: bytes?, limit }));
    least.min_by_key(|left| left.bytes).unwrap_or(Available { bytes: u64::MAX, limit: Limit::Machine })
}

/// What this process holds of the machine's memory now; nothing where that can't be found out.
pub(crate) fn resident() -> u64 {
    read("/proc/self/status").and_then(|status| kilobytes(&status, "VmRSS:")).unwrap_or(0)
}

/// Refuses what needs more memory than there is.
///
/// ```
/// assert!(petrio_bounds::check(1_000).is_ok());
/// assert!(petrio_bounds::check(u64::MAX).is_err());
/// ```
///
/// # Errors
/// [`TooMuch`], with both figures.
pub fn check(needed_bytes: u64) -> Result<(), TooMuch> {
    // No machine is so small that looking would be worth its while.
    const HARMLESS_BYTES: u64 = 16 << 20;
    if needed_bytes <= HARMLESS_BYTES {
        return Ok(());
    }
    let Available { bytes, limit } = available();
    if needed_bytes <= bytes {
        return Ok(());
    }
    Err(TooMuch { needed_bytes, available_bytes: bytes, limit })
}

fn read(path: &str) -> Option<String> {
    std::fs::read_to_string(path).ok()
}

/// The bytes of a line `Name:   1234 kB`.
fn kilobytes(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_whitespace().next()?.parse::<u64>().ok()?.checked_mul(1024)
}

/// Bytes as people say them.
#[derive(Clone, Copy, Debug)]
pub struct Figure(pub u64);

impl fmt::Display for Figure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        const UNITS: [&str; 7] = ["bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
        let mut value = self.0 as f64;
        let mut unit = 0;
        while value >= 1024.0 && unit + 1 < UNITS.len() {
            value /= 1024.0;
            unit += 1;
        }
        let digits = usize::from(unit > 0 && value < 100.0);
        write!(formatter, "{value:.digits$} {}", UNITS[unit])
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_machine_has_some_memory_and_no_more_than_can_be_addressed() {
        let Available { bytes, .. } = available();
        assert!(bytes > 1 << 20 && bytes < 1 << 57, "{bytes}");
    }

    #[test]
    fn what_is_too_much_is_said_with_both_figures() {
        let error = TooMuch { needed_bytes: 3 << 40, available_bytes: 1_500 << 20, limit: Limit::Machine };
        assert_eq!(
            error.to_string(),
            "at least 3.0 TiB of memory would be needed, and this machine has 1.5 GiB"
        );
        assert!(check(u64::MAX).is_err());
    }

    #[test]
    fn figures_are_found_by_their_names() {
        assert_eq!(kilobytes("MemTotal: 1 kB\nMemAvailable:   24 kB\n", "MemAvailable:"), Some(24 << 10));
        assert_eq!(kilobytes("MemTotal: 1 kB\n", "MemAvailable:"), None);
    }
}
