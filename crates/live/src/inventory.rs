//! What this machine says of itself: its own commands and files, as text. Nothing is changed, and nothing needs a privilege; what isn't
//! there, or may not be read, is left out.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

/// Columns of lsblk that old versions don't know are asked for last.
const LSBLK: [&[&str]; 3] = [
    &["-J", "-b", "-o", "NAME,KNAME,TYPE,SIZE,START,MODEL,ROTA,FSTYPE,LABEL,MOUNTPOINTS"],
    &["-J", "-b", "-o", "NAME,KNAME,TYPE,SIZE,MODEL,ROTA,FSTYPE,LABEL,MOUNTPOINT"],
    &["-J", "-b"],
];
/// Files of a device's queue that matter.
const QUEUE: [&str; 2] = ["scheduler", "write_cache"];
/// Settings of memory that matter.
const VM: [&str; 6] = [
    "dirty_bytes",
    "dirty_ratio",
    "dirty_background_bytes",
    "dirty_background_ratio",
    "dirty_expire_centisecs",
    "swappiness",
];

/// What is known of this machine: by name, the text.
pub fn inventory() -> Vec<(String, String)> {
    let mut all: Vec<(String, String)> = Vec::new();
    all.extend(
        LSBLK.iter().find_map(|arguments| printed("lsblk", arguments)).map(|text| ("lsblk".to_owned(), text)),
    );
    for (program, arguments) in
        [("lscpu", &[][..]), ("uname", &["-r"]), ("nfsstat", &["-m"]), ("zpool", &["status"])]
    {
        all.extend(printed(program, arguments).map(|text| (program.to_owned(), text)));
    }
    for file in ["/proc/mounts", "/proc/mdstat", "/proc/meminfo"] {
        all.extend(fs::read_to_string(file).ok().map(|text| (file.to_owned(), text)));
    }
    let setting = |key: &&str| {
        let value = fs::read_to_string(Path::new("/proc/sys/vm").join(key)).ok()?;
        Some(format!("vm.{key} = {}\n", value.trim()))
    };
    all.push(("sysctl".to_owned(), VM.iter().filter_map(setting).collect()));
    for device in fs::read_dir("/sys/block").into_iter().flatten().flatten() {
        let queue = device.path().join("queue");
        for file in QUEUE {
            let path = queue.join(file);
            all.extend(fs::read_to_string(&path).ok().map(|text| (path.display().to_string(), text)));
        }
    }
    all
}

/// What a program prints that ends well.
fn printed(program: &str, arguments: &[&str]) -> Option<String> {
    let command = Command::new(program)
        .args(arguments)
        .env("LC_ALL", "C")
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output();
    let output = command.ok().filter(|output| output.status.success())?;
    String::from_utf8(output.stdout).ok().filter(|text| !text.trim().is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_linux_machine_tells_its_memory_and_its_limits() {
        let all = inventory();
        let text = |name: &str| {
            all.iter().find(|(other, _)| other == name).map(|(_, text)| text.as_str()).unwrap_or_default()
        };
        assert!(text("/proc/meminfo").contains("MemTotal:"));
        assert!(text("sysctl").contains("vm.dirty_ratio = "), "{}", text("sysctl"));
    }

    #[test]
    fn what_is_not_there_or_fails_tells_nothing() {
        assert_eq!(printed("petrio-no-such-program", &[]), None);
        assert_eq!(printed("false", &[]), None);
    }
}
