//! RAID levels beside those of btrfs: on a kernel without md its profiles are the arrays that can be had. Files are written and
//! read past the page cache on loop devices, and what each device moved is held against what petrio's arrays ask of their
//! members.
//!
//! What is btrfs's own: which copy is read goes by the reader's process (`find_live_mirror` of `fs/btrfs/volumes.c`), so that of
//! mirrors only the sum is compared; part of a stripe is written after all data of the stripe have been read
//! (`rmw_read_wait_recover` of `raid56.c`), where md reads what is less, so that there only writes are compared; and metadata
//! and superblocks come on top, for which some is allowed.
//!
//! Needs root, loop devices, btrfs and `mkfs.btrfs`; skipped by name where one is missing.

use petrio_colours::{Direction, SECTOR_BYTES};
use petrio_models::block::raid::{Members, Plan, Planner, RaidLevel, RaidParameters};
use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Bytes of the file, and of each request.
const FILE: u64 = 48 << 20;
const REQUEST: u64 = 768 << 10;
/// Bytes that btrfs may move on a device beside the file's: trees, superblocks, and the log of an fsync.
const OWN: u64 = 1 << 20;
/// `O_DIRECT` of Linux on this machine's architecture.
#[cfg(any(target_arch = "aarch64", target_arch = "arm"))]
const PAST_THE_PAGE_CACHE: i32 = 0o200_000;
#[cfg(not(any(target_arch = "aarch64", target_arch = "arm")))]
const PAST_THE_PAGE_CACHE: i32 = 0o40_000;

/// Runs a program to its end; what it printed.
fn run(program: &str, arguments: &[&str]) -> Result<String, String> {
    let output = Command::new(program).args(arguments).stdin(Stdio::null()).output();
    let output = output.map_err(|error| format!("{program}: {error}"))?;
    let said = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
    if output.status.success() {
        Ok(said(&output.stdout))
    } else {
        Err(format!("{program}: {}", said(&output.stderr)))
    }
}

/// Why arrays of btrfs can't be had here.
fn missing() -> Option<String> {
    let systems = fs::read_to_string("/proc/filesystems").unwrap_or_default();
    if !systems.lines().any(|line| line.trim() == "btrfs") {
        return Some("the kernel has no btrfs".to_owned());
    }
    if let Err(why) = run("mkfs.btrfs", &["--version"]) {
        return Some(why);
    }
    run("losetup", &["--find"]).err()
}

/// A btrfs over loop devices; all of it is taken down with it.
struct Rig {
    devices: Vec<String>,
    directory: tempfile::TempDir,
    is_mounted: bool,
}

impl Rig {
    fn new(profile: &str, devices: usize) -> Result<Self, String> {
        let directory = tempfile::tempdir().map_err(|error| error.to_string())?;
        let mut rig = Self { devices: Vec::new(), directory, is_mounted: false };
        for number in 0..devices {
            let image = rig.directory.path().join(number.to_string());
            File::create(&image)
                .and_then(|image| image.set_len(512 << 20))
                .map_err(|error| error.to_string())?;
            rig.devices
                .push(run("losetup", &["--find", "--show", "--nooverlap", &image.display().to_string()])?);
        }
        let metadata = if devices > 1 { "raid1" } else { "single" };
        let mut arguments = vec!["-q", "-f", "-d", profile, "-m", metadata];
        arguments.extend(rig.devices.iter().map(String::as_str));
        run("mkfs.btrfs", &arguments)?;
        let options: Vec<_> = rig.devices.iter().map(|device| format!("device={device}")).collect();
        let options = format!("nodatacow,commit=300,{}", options.join(","));
        let top = rig.top();
        fs::create_dir(&top).map_err(|error| error.to_string())?;
        run("mount", &["-t", "btrfs", "-o", &options, &rig.devices[0], &top.display().to_string()])?;
        rig.is_mounted = true;
        Ok(rig)
    }

    fn top(&self) -> PathBuf {
        self.directory.path().join("top")
    }

    /// Bytes read and written of each device so far (`Documentation/admin-guide/iostats.rst`: fields 3 and 7 are sectors).
    fn moved(&self) -> Vec<[u64; 2]> {
        let of = |device: &String| {
            let name = Path::new(device).file_name().unwrap().display().to_string();
            let text = fs::read_to_string(format!("/sys/block/{name}/stat")).unwrap();
            let fields: Vec<u64> = text.split_whitespace().map(|field| field.parse().unwrap()).collect();
            [fields[2], fields[6]].map(|sectors| sectors * SECTOR_BYTES)
        };
        self.devices.iter().map(of).collect()
    }
}

impl Drop for Rig {
    fn drop(&mut self) {
        if self.is_mounted {
            let _ = run("umount", &[&self.top().display().to_string()]);
        }
        for device in &self.devices {
            let _ = run("losetup", &["--detach", device]);
        }
    }
}

/// Whole requests of the file, one after the other, past the page cache: all bytes of one are its number.
fn go_through(path: &Path, direction: Direction) -> io::Result<()> {
    let file = OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .custom_flags(PAST_THE_PAGE_CACHE)
        .open(path)?;
    // Memory for direct I/O begins at a multiple of the device's block.
    let mut memory = vec![0u8; REQUEST as usize + 4096];
    let skip = memory.as_ptr().align_offset(4096);
    let buffer = &mut memory[skip..skip + REQUEST as usize];
    for number in 0..FILE / REQUEST {
        if direction == Direction::Write {
            buffer.fill(number as u8);
            file.write_all_at(buffer, number * REQUEST)?;
        } else {
            file.read_exact_at(buffer, number * REQUEST)?;
            assert!(buffer.iter().all(|&byte| byte == number as u8), "what was written is read");
        }
    }
    Ok(())
}

/// Bytes that petrio's array reads and writes of each member for the same requests.
fn predicted(level: RaidLevel, members: usize, direction: Direction) -> Vec<[u64; 2]> {
    let parameters = RaidParameters::of(level);
    let layout = parameters.layout(members).unwrap();
    let planner =
        Planner { layout, update: parameters.parity_update, degraded: parameters.degraded, grain: 8 };
    let whole = Members::whole(members);
    let mut bytes = vec![[0; 2]; members];
    for number in 0..FILE / REQUEST {
        let range = [number, number + 1].map(|at| at * REQUEST / SECTOR_BYTES);
        let plan: Plan = match direction {
            Direction::Read => planner.read(range.into(), &whole, |_| 0),
            _ => planner.write(range.into(), &whole),
        }
        .unwrap();
        for part in &plan.parts {
            bytes[part.member][usize::from(part.direction == Direction::Write)] += part.blocks * SECTOR_BYTES;
        }
    }
    bytes
}

/// Differences of what devices moved, in order of size: which device is which member is btrfs's own.
fn sorted(of: impl Iterator<Item = u64>) -> Vec<u64> {
    let mut all: Vec<u64> = of.collect();
    all.sort_unstable();
    all
}

#[test]
fn btrfs_moves_as_much_on_each_device_as_a_level_asks_of_its_members() {
    if let Some(why) = missing() {
        println!("skipped: btrfs_moves_as_much_on_each_device_as_a_level_asks_of_its_members: {why}");
        return;
    }
    // A request is four units for each of three data, and so whole stripes at level 5 of four and level 6 of five.
    let cases = [
        ("raid0", RaidLevel::Striped, 4),
        ("raid1", RaidLevel::Mirrored, 2),
        ("raid10", RaidLevel::MirroredStriped, 4),
        ("raid5", RaidLevel::Rotated, 4),
        ("raid6", RaidLevel::DoubleRotated, 5),
    ];
    for (profile, level, members) in cases {
        let rig = match Rig::new(profile, members) {
            Ok(rig) => rig,
            Err(why) => {
                println!("skipped: {profile}: {why}");
                continue;
            }
        };
        let file = rig.top().join("file");
        // Where the file lies is settled by the first writing; the second overwrites it in place.
        go_through(&file, Direction::Write).unwrap();
        run("sync", &["--file-system", &rig.top().display().to_string()]).unwrap();
        for direction in [Direction::Write, Direction::Read] {
            let before = rig.moved();
            go_through(&file, direction).unwrap();
            let after = rig.moved();
            let moved =
                before.iter().zip(&after).map(|(before, after)| [after[0] - before[0], after[1] - before[1]]);
            let moved: Vec<[u64; 2]> = moved.collect();
            let expected = predicted(level, members, direction);
            println!("{profile} {direction:?}: moved {moved:?}, predicted {expected:?}");
            let has_copies = matches!(level, RaidLevel::Mirrored | RaidLevel::MirroredStriped);
            for what in [0, 1] {
                let [moved, expected] =
                    [&moved, &expected].map(|all| sorted(all.iter().map(|bytes| bytes[what])));
                if direction == Direction::Read && has_copies {
                    let [moved, expected]: [u64; 2] = [moved, expected].map(|all| all.iter().sum());
                    assert!(
                        moved.abs_diff(expected) <= OWN,
                        "{profile} {direction:?}: {moved} of {expected}"
                    );
                    continue;
                }
                for (moved, expected) in moved.iter().zip(&expected) {
                    assert!(
                        moved.abs_diff(*expected) <= OWN,
                        "{profile} {direction:?}: {moved} of {expected}"
                    );
                }
            }
        }
    }
}
