//! What the control groups of this process leave it: `memory.max` of version 2, `memory.limit_in_bytes` of version 1,
//! of its own group and of all above it (Linux, Documentation/admin-guide/cgroup-v2.rst and cgroup-v1/memory.rst).

use std::path::{Path, PathBuf};

/// Bytes that the groups of this process leave it; none where there is no such group.
pub(super) fn left() -> Option<u64> {
    let groups = std::fs::read_to_string("/proc/self/cgroup").ok()?;
    groups.lines().filter_map(|line| of_line(line, Path::new("/sys/fs/cgroup"))).min()
}

/// What the groups of a line of /proc/self/cgroup leave: `0::/a/b` of version 2, `4:memory:/a/b` of version 1.
fn of_line(line: &str, root: &Path) -> Option<u64> {
    let mut fields = line.splitn(3, ':').skip(1);
    let (controllers, group) = (fields.next()?, fields.next()?);
    let (root, files) = match controllers {
        "" => (root.to_owned(), &VERSION_2),
        names if names.split(',').any(|name| name == "memory") => (root.join("memory"), &VERSION_1),
        _ => return None,
    };
    // A container may see no more of the tree than its own group, at the root.
    let own: PathBuf = root.join(group.trim_start_matches('/'));
    let above = own.ancestors().take_while(|folder| folder.starts_with(&root));
    above.filter_map(|folder| files.left(folder)).min()
}

/// The files of a group.
struct Files {
    limit: &'static str,
    usage: &'static str,
    /// The line of `memory.stat` with what is only cached, and is given back for the asking.
    cached: &'static str,
}

const VERSION_2: Files = Files { limit: "memory.max", usage: "memory.current", cached: "inactive_file" };
const VERSION_1: Files =
    Files { limit: "memory.limit_in_bytes", usage: "memory.usage_in_bytes", cached: "total_inactive_file" };

impl Files {
    fn left(&self, folder: &Path) -> Option<u64> {
        let text = |name: &str| std::fs::read_to_string(folder.join(name)).ok();
        // Without a limit it is the word "max", or a number next to 2^63.
        let limit: u64 = text(self.limit)?.trim().parse().ok().filter(|&limit| limit < 1 << 60)?;
        let usage: u64 = text(self.usage)?.trim().parse().ok()?;
        let statistics = text("memory.stat").unwrap_or_default();
        let cached = statistics.lines().find_map(|line| {
            let (name, value) = line.split_once(' ')?;
            (name == self.cached).then(|| value.parse::<u64>().ok())?
        });
        Some(limit.saturating_sub(usage.saturating_sub(cached.unwrap_or(0))))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn group(folder: &Path, files: [(&str, &str); 3]) {
        std::fs::create_dir_all(folder).unwrap();
        for (name, text) in files {
            std::fs::write(folder.join(name), text).unwrap();
        }
    }

    #[test]
    fn the_tightest_of_the_groups_above_counts_without_what_is_only_cached() {
        let folder = std::env::temp_dir().join(format!("petrio-groups-{}", std::process::id()));
        let root = folder.as_path();
        let none = [("memory.max", "max\n"), ("memory.current", "9\n"), ("memory.stat", "")];
        group(&root.join("a/b"), none);
        assert_eq!(of_line("0::/a/b", root), None);
        let tight =
            [("memory.max", "1000\n"), ("memory.current", "700\n"), ("memory.stat", "inactive_file 100\n")];
        group(&root.join("a"), tight);
        assert_eq!(of_line("0::/a/b", root), Some(400));
        let first = [
            ("memory.limit_in_bytes", "5000"),
            ("memory.usage_in_bytes", "6000"),
            ("memory.stat", "total_inactive_file 2000"),
        ];
        group(&root.join("memory/c"), first);
        assert_eq!(of_line("4:memory:/c", root), Some(1_000));
        assert_eq!(of_line("9:name=systemd:/", root), None);
        std::fs::remove_dir_all(root).unwrap();
    }
}
