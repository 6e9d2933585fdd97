//! A disk that takes a known time for each request, or the time of a known drive, as a file.
//!
//! ```text
//!  ext3 ─▶ loop device ─▶ a file of the kernel's FUSE ─▶ petrio_emulate: the System's time ─▶ an image
//! ```
//!
//! The kernel has such devices (dm-delay, null_blk, scsi_debug), but seldom all of them; FUSE and the loop device are
//! everywhere. Reads, writes and flushes each take the same time, one after the other, as on a disk with one arm and no
//! queue: a flush arrives here as an fsync of the image. A request of more than 1 MiB arrives in parts, each of which
//! takes the time. The loop device, the FUSE queue and two changes of task add some 0.1 ms to each. What a request of a
//! disk takes that has a drive's mechanics says its model ([`Pace::Drive`]).
//!
//! Left out: discards.

use super::apart::mount_apart;
use super::availability::Availability;
use super::emulated::Pace;
use super::error::RigError;
use super::fuse_channel::{FuseChannel, Open};
use super::loop_device::fresh_name;
use petrio_capture::launch;
use petrio_capture::mounted::MOUNT;
use petrio_capture::undo::Undo;
use petrio_colours::SECTOR_BYTES;
use petrio_emulate::{DeviceSpec, Durability, Emulator, Medium, Options, fuse};
use petrio_units::Bytes;
use rustix::mount::{UnmountFlags, unmount};
use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::os::fd::AsFd;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::mpsc::sync_channel;
use std::thread;

/// A file in which each request takes the time of its disk; its file system is unmounted when this is dropped.
#[derive(Debug)]
pub struct SlowDisk {
    file: PathBuf,
    _mounted: Undo,
}

impl SlowDisk {
    /// Whether it is possible here.
    pub fn probe() -> Availability {
        super::fuse_channel::probe()
    }

    /// Serves `contents`, `size` bytes, at a pace.
    ///
    /// # Errors
    /// No FUSE, or no right to mount.
    pub(super) fn serve(contents: File, size: Bytes, pace: Pace) -> Result<Self, RigError> {
        let place = std::env::temp_dir().join(fresh_name("slow"));
        let channel = FuseChannel::open()?;
        let make = || {
            fs::create_dir(&place).map_err(RigError::system("make the directory", &place))?;
            channel.mount(&place, Open::ToOwner)
        };
        let undo = |place: &Path| {
            let _ = unmount(place, UnmountFlags::DETACH);
            fs::remove_dir(place).is_ok()
        };
        let ((), mounted) = Undo::recorded(MOUNT, &place, make, undo)?;
        // A name of its own, by which the device over it is known wherever its mount is.
        let name = fresh_name("image");
        start(channel.into_file(), contents, (&place, &name), size.get(), pace)
            .map_err(RigError::system("start the server of", &place))?;
        Ok(Self { file: place.join(name), _mounted: mounted })
    }

    /// The file to attach a loop device to.
    pub(super) fn file(&self) -> &Path {
        &self.file
    }
}

/// The first word with which petrio starts itself as such a server.
const SERVE_SLOW_DISK: &str = "serve-slow-disk";

/// Starts the server, which ends when the file system is unmounted: reading the channel then fails.
///
/// It is a process of its own where petrio can start itself. For one that is killed while it waits for its own disk
/// could never end: the channel stays open as long as a thread of it waits, and nobody answers that thread.
fn start(
    channel: File,
    contents: File,
    (place, name): (&Path, &str),
    size: u64,
    pace: Pace,
) -> io::Result<()> {
    let builder = thread::Builder::new().name("petrio-slow-disk".to_owned());
    let Some(program) = launch::program() else {
        let name = name.to_owned();
        return builder.spawn(move || serve_paced(channel, contents, name, size, &pace)).map(drop);
    };
    let words = [size.to_string(), std::process::id().to_string(), pace.as_word()?];
    let mut command = Command::new(program);
    // The channel is its alone. In a group of its own: the terminal's signal doesn't end it before its file system is
    // unmounted.
    command
        .args([SERVE_SLOW_DISK.as_ref(), place.as_os_str(), name.as_ref()])
        .args(words)
        .stdin(channel)
        .stdout(contents)
        .process_group(0);
    let (tell, told) = sync_channel(1);
    // It ends with the thread that starts it. This one waits for nothing else, so it ends when this process does,
    // whatever the others are waiting for.
    builder.spawn(move || {
        let started = command.spawn();
        drop(command);
        match started {
            Ok(mut server) => {
                let _ = tell.send(Ok(()));
                let _ = server.wait();
            }
            Err(error) => drop(tell.send(Err(error))),
        }
    })?;
    told.recv().map_err(io::Error::other)?
}

/// Serves a slow disk until it is unmounted, if these arguments say that petrio has started itself for that; how it
/// ended.
pub fn serve_if_called(arguments: &[OsString]) -> Option<io::Result<()>> {
    let (first, words) = arguments.split_first()?;
    (first == SERVE_SLOW_DISK).then(|| serve_slow_disk(words))
}

/// Serves as a process of its own: the channel is its standard input, the contents are its standard output.
fn serve_slow_disk(words: &[OsString]) -> io::Result<()> {
    let wrong = || io::Error::other("a slow disk has a place, a name, a size, a parent and a pace");
    let [place, name, size, parent, pace] = words else { return Err(wrong()) };
    let number = |word: &OsString| word.to_str().and_then(|word| word.parse::<u64>().ok()).ok_or_else(wrong);
    let size = number(size)?;
    let parent = u32::try_from(number(parent)?).map_err(|_| wrong())?;
    let pace = Pace::from_word(pace.to_str().ok_or_else(wrong)?)?;
    launch::end_with(parent, launch::Signal::KILL)?;
    // Whoever is the last in a namespace unmounts what is mounted there, before its own files are closed (`do_exit` in
    // kernel/exit.c): the last must not be who serves that.
    if mount_apart() {
        let _ = unmount(Path::new(place), UnmountFlags::DETACH);
    }
    let channel = File::from(io::stdin().as_fd().try_clone_to_owned()?);
    let contents = File::from(io::stdout().as_fd().try_clone_to_owned()?);
    serve_paced(channel, contents, name.to_string_lossy().into_owned(), size, &pace);
    Ok(())
}

/// Serves until it is unmounted.
fn serve_paced(channel: File, contents: File, name: String, size: u64, pace: &Pace) {
    // It was built once before, by who wanted it served.
    let Ok(system) = pace.system() else { return };
    let durability = Durability {
        // Nothing is kept back, but a flush takes its time where each request does.
        volatile: false,
        room: None,
        force_unit_access: false,
        discards: false,
        rotational: true,
    };
    let spec = DeviceSpec { name, target: 0, blocks: size / SECTOR_BYTES, durability, pages: Vec::new() };
    let device = (spec, Medium::of_file(contents));
    let Ok(emulator) = Emulator::start(&system, vec![device], Options::default()) else { return };
    let _ = fuse::serve(channel.into(), emulator.devices());
    let _ = emulator.finish();
}
