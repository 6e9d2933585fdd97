//! A guest, from its start to its job's exit code.

use super::GuestError;
use super::cpio::Archive;
use super::kit::Kit;
use super::modules::{Modules, read};
use petrio_capture::launch::{self, Signal};
use petrio_files::temporary::TemporaryFolder;
use petrio_units::Bytes;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{BufWriter, Read};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

const QEMU: &str = "qemu-system-x86_64";

/// What every guest loads.
const BASE: [&str; 4] = ["virtio_pci", "virtio_blk", "virtio_console", "crc32c_generic"];

/// The first program: it mounts what programs expect, loads modules, waits for the disks and the ports, and runs the job.
const INIT: &str = r#"#!/bin/busybox sh
/bin/busybox mkdir -p /bb /proc /sys /dev /run /tmp /etc /root /var/lib /mnt
/bin/busybox --install -s /bb
export PATH=/sbin:/bin:/bb HOME=/root
mount -t proc proc /proc; mount -t sysfs sys /sys; mount -t devtmpfs dev /dev
ifconfig lo up
mkdir -p /run/lock /run/mdadm; ln -s /run /var/run; ln -s /proc/mounts /etc/mtab
for m in $(cat /job/modules); do insmod /job/mods/$m || echo "module $m not loaded" >/dev/kmsg; done
until [ -e /dev/vport0p3 ] && [ "$(ls /sys/block | grep -c '^vd')" -ge "$(cat /job/disks)" ]; do sleep 0.1; done
export DISKS="$(echo $(ls /sys/block | grep '^vd'))"
cd /root; sh /job/start >/dev/vport0p1 2>/dev/vport0p2 </dev/null; echo $? >/dev/vport0p3
sync; poweroff -f
"#;

/// The PCI slots behind those of the board and of the ports.
const DISKS_MAX: usize = 28;

/// By what the guest's processor runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Accelerator {
    /// By the host's, where that works; a guest that says nothing with it begins anew without.
    Whichever,
    /// By the host's (KVM).
    Host,
    /// Emulated: several times as slow, and everywhere.
    Emulated,
}

/// A kernel that runs says something within a second or two.
const FIRST_WORD: Duration = Duration::from_secs(15);

/// A disk of a guest's: an export of an NBD server.
#[derive(Clone, Debug)]
pub struct GuestDisk {
    /// The export's name.
    pub name: String,
    /// Whether it has a volatile write cache, so that the guest sends flushes.
    pub volatile: bool,
    /// Whether it takes discards.
    pub discards: bool,
}

/// What a guest is to do.
#[derive(Clone, Debug)]
pub struct Guest {
    /// What it is made of.
    pub kit: Kit,
    /// Where its disks are served.
    pub socket: PathBuf,
    /// Its disks: vda, vdb and so on, whose names the job finds in `$DISKS`.
    pub disks: Vec<GuestDisk>,
    /// A script for its shell; none where the words are a command.
    pub job: Option<PathBuf>,
    /// The script's arguments, or the command.
    pub words: Vec<OsString>,
    /// Modules beside those of every guest.
    pub modules: Vec<String>,
    /// Files that are put into it, each with its path there.
    pub files: Vec<(PathBuf, String)>,
    /// Its memory.
    pub memory: Bytes,
    /// Its processors.
    pub processors: u32,
    /// By what they run.
    pub accelerator: Accelerator,
}

/// Runs a guest until its job ends, or until it is told to stop; the job's exit code. What the job prints goes to standard output and
/// standard error.
///
/// # Errors
/// No QEMU, files that can't be read, a kernel that stops too early.
pub fn run(guest: &Guest, stops: &AtomicBool) -> Result<u8, GuestError> {
    if !crate::rig::program::is_installed(QEMU) {
        return Err(GuestError::Missing { program: QEMU, package: "qemu-system-x86" });
    }
    let folder = TemporaryFolder::new().map_err(GuestError::system("make a folder", std::env::temp_dir()))?;
    let initrd = folder.path().join("initrd");
    pack(guest, &initrd)?;
    let has_host = File::options().read(true).write(true).open("/dev/kvm").is_ok();
    let by_host = match guest.accelerator {
        Accelerator::Whichever => has_host,
        Accelerator::Host => true,
        Accelerator::Emulated => false,
    };
    let patience = (guest.accelerator == Accelerator::Whichever && by_host).then_some(FIRST_WORD);
    let mut child = start(guest, folder.path(), by_host)?;
    let waited = wait_for(&mut child, (stops, patience), &folder.path().join("log"));
    if !waited.map_err(GuestError::system("wait for", QEMU))? {
        let mut child = start(guest, folder.path(), false)?;
        wait_for(&mut child, (stops, None), &folder.path().join("log"))
            .map_err(GuestError::system("wait for", QEMU))?;
    }
    let said = |name: &str| {
        let mut bytes = Vec::new();
        let file = File::open(folder.path().join(name));
        let _ = file.and_then(|mut file| file.read_to_end(&mut bytes));
        String::from_utf8_lossy(&bytes).into_owned()
    };
    if let Ok(code) = said("code").trim().parse() {
        return Ok(code);
    }
    let log = said("log");
    let lines: Vec<&str> = log.lines().collect();
    let messages = lines[lines.len().saturating_sub(15)..].join("\n");
    Err(GuestError::Stopped { messages })
}

/// Waits for QEMU's end; false where its kernel has said nothing for too long, and it was ended.
fn wait_for(
    child: &mut Child,
    (stops, patience): (&AtomicBool, Option<Duration>),
    log: &Path,
) -> std::io::Result<bool> {
    // QEMU would drop the job's output at the end of its own input.
    let input = child.stdin.take();
    let began = Instant::now();
    let ended = loop {
        if child.try_wait()?.is_some() {
            break true;
        }
        let is_mute = patience.is_some_and(|patience| began.elapsed() > patience)
            && log.metadata().is_ok_and(|log| log.len() == 0);
        if is_mute || stops.load(Ordering::SeqCst) {
            child.kill()?;
            child.wait()?;
            break !is_mute;
        }
        std::thread::sleep(Duration::from_millis(20));
    };
    drop(input);
    Ok(ended)
}

/// Its initial RAM disk: the tools, and what this run adds.
fn pack(guest: &Guest, to: &Path) -> Result<(), GuestError> {
    let failed = || GuestError::system("write", to);
    let tools = guest.kit.tools();
    fs::copy(&tools, to).map_err(failed())?;
    let names: Vec<String> =
        BASE.iter().map(|name| (*name).to_owned()).chain(guest.modules.iter().cloned()).collect();
    let order = Modules::of(&guest.kit.modules())?.order(&names)?;
    let file = File::options().append(true).open(to).map_err(failed())?;
    let mut archive = Archive::new(BufWriter::new(file));
    let words: Vec<String> = guest.words.iter().map(|word| quoted(&word.to_string_lossy())).collect();
    let (start, job) = match &guest.job {
        Some(job) => {
            let script = fs::read(job).map_err(GuestError::system("read the job", job))?;
            (format!("exec sh /job/job.sh {}\n", words.join(" ")), Some(script))
        }
        None => (format!("exec {}\n", words.join(" ")), None),
    };
    let list: Vec<&str> = order.iter().map(|(name, _)| name.as_str()).collect();
    let mut put = || -> std::io::Result<()> {
        for folder in ["dev", "job", "job/mods"] {
            archive.directory(folder)?;
        }
        archive.device("dev/console", (5, 1))?;
        archive.file("init", 0o755, INIT.as_bytes())?;
        archive.file("job/modules", 0o644, list.join("\n").as_bytes())?;
        archive.file("job/disks", 0o644, guest.disks.len().to_string().as_bytes())?;
        archive.file("job/start", 0o644, start.as_bytes())?;
        job.as_ref().map_or(Ok(()), |job| archive.file("job/job.sh", 0o644, job))
    };
    put().map_err(failed())?;
    for (name, path) in &order {
        archive.file(&format!("job/mods/{name}"), 0o644, &read(path)?).map_err(failed())?;
    }
    for (host, inside) in &guest.files {
        let content = fs::read(host).map_err(GuestError::system("read", host))?;
        let there = host.metadata().map_err(GuestError::system("look at", host))?;
        let inside = inside.trim_matches('/');
        archive.above(inside).map_err(failed())?;
        archive.file(inside, there.permissions().mode(), &content).map_err(failed())?;
    }
    let buffer = archive.finish().map_err(failed())?;
    buffer.into_inner().map_err(|error| failed()(error.into_error()))?;
    Ok(())
}

/// A word as a shell reads it back.
fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', "'\\''"))
}

/// An option's value with its commas doubled, as QEMU wants them.
fn escaped(path: &Path) -> String {
    path.to_string_lossy().replace(',', ",,")
}

/// QEMU, which ends with the thread that starts it.
fn start(guest: &Guest, folder: &Path, by_host: bool) -> Result<Child, GuestError> {
    if guest.disks.len() > DISKS_MAX {
        let cause = std::io::Error::other(format!("a guest has {DISKS_MAX} disks at most"));
        return Err(GuestError::system("start", QEMU)(cause));
    }
    let place = |name: &str| escaped(&folder.join(name));
    let memory = (guest.memory.get() >> 20).max(128);
    let mut words: Vec<String> = "-machine pc -nodefaults -no-user-config -display none -no-reboot"
        .split(' ')
        .map(str::to_owned)
        .collect();
    let mut add = |option: &str, value: String| words.extend([option.to_owned(), value]);
    add("-accel", if by_host { "kvm" } else { "tcg" }.to_owned());
    add("-m", memory.to_string());
    add("-smp", guest.processors.to_string());
    add("-serial", format!("file:{}", place("log")));
    add("-initrd", folder.join("initrd").to_string_lossy().into_owned());
    add("-kernel", guest.kit.kernel().to_string_lossy().into_owned());
    // Where the host is busy, an emulated timer's first ticks come too late for the kernel's test of it.
    add("-append", "console=ttyS0 loglevel=5 panic=-1 mitigations=off no_timer_check".to_owned());
    add("-device", "virtio-serial-pci,addr=2".to_owned());
    let ports = [
        "stdio,signal=off".to_owned(),
        "file,path=/dev/stderr,append=on".to_owned(),
        format!("file,path={}", place("code")),
    ];
    for (number, port) in (1..).zip(ports) {
        add("-chardev", format!("{port},id=c{number}"));
        add("-device", format!("virtserialport,chardev=c{number},nr={number}"));
    }
    for (number, disk) in guest.disks.iter().enumerate() {
        let (socket, name) = (escaped(&guest.socket), disk.name.replace(',', ",,"));
        let discard = if disk.discards { "unmap" } else { "ignore" };
        // Straight to the device: the guest's kernel has a page cache of its own, and decides when to flush.
        add(
            "-drive",
            format!(
                "if=none,id=d{number},format=raw,file.driver=nbd,file.server.type=unix,file.server.path={socket},file.export={name},\
                 cache=none,discard={discard}"
            ),
        );
        let cache = if disk.volatile { "on" } else { "off" };
        // The device sees each request as the guest's kernel has sent it.
        let device = format!("virtio-blk-pci,drive=d{number},addr={:x},write-cache={cache}", number + 3);
        add("-device", device + ",request-merging=off");
    }
    let mut command = launch::command(QEMU, Signal::KILL);
    command.args(words).stdin(Stdio::piped());
    command.spawn().map_err(GuestError::system("start", QEMU))
}
