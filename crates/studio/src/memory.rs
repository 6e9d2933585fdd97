//! Whether the machine has the memory that something will take, before it is taken.

use std::fs;

/// What is left for everything else: whoever takes all of it is ended by the system, or slows it down to nothing.
const LEFT: u64 = 64 << 20;

/// Bytes of memory that can be had (`MemAvailable` of proc(5), Linux 3.14); unknown where the system doesn't say.
fn available() -> Option<u64> {
    let text = fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kibibytes: u64 = line.trim().trim_end_matches("kB").trim().parse().ok()?;
    Some(kibibytes << 10)
}

/// Refuses what would take more memory than there is.
pub(crate) fn enough_memory(bytes: u64, what: &str) -> Result<(), String> {
    match available() {
        Some(there) if bytes > there.saturating_sub(LEFT) => {
            Err(format!("{what} take {} MiB of memory, and {} MiB are there", bytes >> 20, there >> 20))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn what_no_machine_has_is_refused_with_both_figures() {
        assert_eq!(enough_memory(1 << 20, "some values"), Ok(()));
        if available().is_some() {
            let refused = enough_memory(1 << 60, "the figures of all sessions").unwrap_err();
            assert!(
                refused.starts_with("the figures of all sessions take 1099511627776 MiB of memory, and "),
                "{refused}"
            );
        }
    }
}
