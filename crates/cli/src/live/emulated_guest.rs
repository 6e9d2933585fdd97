//! `petrio emulate --kernel`: a stock kernel in QEMU on the emulated devices.

use super::emulated_end::End;
use crate::failure::Failure;
use crate::output::talk;
use clap::{Args, ValueEnum};
use petrio_emulate::Device;
use petrio_files::shown;
use petrio_live::emulation::guest::{Accelerator, Guest, GuestDisk, GuestError, Kit, run};
use petrio_units::Bytes;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;
use std::thread::JoinHandle;

/// What a guest is asked.
#[derive(Args)]
pub(crate) struct GuestArguments {
    /// Boot a stock kernel in QEMU with the devices as its disks vda, vdb …, and run the command, or --run, in it as root; no
    /// privilege is needed. Kernel and tools (busybox, mdadm, e2fsprogs, xfsprogs) are fetched once, as Debian's packages
    #[arg(long)]
    pub(super) kernel: bool,
    /// A script for the guest's shell; it finds its disks' names in $DISKS, and what stands behind -- as its arguments
    #[arg(long, value_name = "JOB.sh", requires = "kernel")]
    pub(super) run: Option<PathBuf>,
    /// Where kernel and tools lie, instead of the user's cache
    #[arg(long, value_name = "DIR")]
    kernel_dir: Option<PathBuf>,
    /// Fetch kernel and tools anew, some 70 MB
    #[arg(long, requires = "kernel")]
    set_up_kernel: bool,
    /// A module of the guest's kernel to load, with those that it needs, such as raid456 or xfs; may be repeated
    #[arg(long, value_name = "NAME", requires = "kernel")]
    module: Vec<String>,
    /// A file to put into the guest; may be repeated
    #[arg(long, value_name = "FILE:PATH", requires = "kernel", value_parser = file)]
    guest_file: Vec<(PathBuf, String)>,
    /// The guest's memory
    #[arg(long, value_name = "SIZE", default_value = "1 GiB")]
    guest_memory: Bytes,
    /// The guest's processors
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    guest_processors: u32,
    /// By what they run: the host's own (KVM), or emulated, which is several times as slow; auto tries the host's first
    #[arg(long, value_enum, value_name = "WHAT", default_value = "auto")]
    guest_accel: Accel,
}

#[derive(Clone, Copy, ValueEnum)]
enum Accel {
    Auto,
    Kvm,
    Emulated,
}

/// A file of the host's, and its path in the guest.
fn file(text: &str) -> Result<(PathBuf, String), String> {
    match text.rsplit_once(':') {
        Some((host, inside)) if !host.is_empty() && inside.starts_with('/') => {
            Ok((PathBuf::from(host), inside.to_owned()))
        }
        _ => Err(format!("\"{text}\" is no FILE:PATH, such as data.csv:/mnt/data.csv")),
    }
}

impl From<GuestError> for Failure {
    fn from(error: GuestError) -> Self {
        Self::of(&error)
    }
}

/// A guest at work; stopped when this is dropped.
pub(super) struct AtWork {
    stops: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Drop for AtWork {
    fn drop(&mut self) {
        self.stops.store(true, Ordering::SeqCst);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl GuestArguments {
    /// What a guest is made of, fetched where it isn't there; before anything is emulated, whose clock would go on meanwhile.
    pub(super) fn kit(&self) -> Result<Option<Kit>, Failure> {
        if !self.kernel {
            return Ok(None);
        }
        let Some(folder) = self.kernel_dir.clone().or_else(Kit::usual_folder) else {
            let help = "name one: --kernel-dir DIR".to_owned();
            return Err(Failure::new(
                "there is no folder for the guest's kernel, for there is no $HOME",
                Some(help),
            ));
        };
        if !self.set_up_kernel {
            match Kit::at(&folder) {
                Ok(kit) => return Ok(Some(kit)),
                // What is there and is no kit isn't replaced unasked.
                Err(error) if folder.exists() => return Err(error.into()),
                Err(_) => {}
            }
        }
        talk(&format!("fetching a kernel and its tools into {}, once …", shown::path(&folder)));
        Ok(Some(Kit::set_up(&folder)?))
    }

    /// Starts a guest whose disks are served at a socket.
    pub(super) fn start(
        &self,
        kit: Kit,
        (socket, devices): (&Path, &[Device]),
        words: &[OsString],
        tell: Sender<End>,
    ) -> Result<AtWork, Failure> {
        if self.run.is_none() && words.is_empty() {
            let help = "write --run JOB.sh, or a command behind --".to_owned();
            return Err(Failure::new("what is the guest to do?", Some(help)));
        }
        let disks = devices.iter().map(|device| GuestDisk {
            name: device.spec().name.clone(),
            volatile: device.spec().durability.volatile,
            discards: device.spec().durability.discards,
        });
        let guest = Guest {
            kit,
            socket: std::path::absolute(socket).unwrap_or_else(|_| socket.to_owned()),
            disks: disks.collect(),
            job: self.run.clone(),
            words: words.to_vec(),
            modules: self.module.clone(),
            files: self.guest_file.clone(),
            memory: self.guest_memory,
            processors: self.guest_processors.max(1),
            accelerator: match self.guest_accel {
                Accel::Auto => Accelerator::Whichever,
                Accel::Kvm => Accelerator::Host,
                Accel::Emulated => Accelerator::Emulated,
            },
        };
        let stops = Arc::new(AtomicBool::new(false));
        let told = Arc::clone(&stops);
        let thread = std::thread::Builder::new().name("petrio-guest".to_owned()).spawn(move || {
            let ended = run(&guest, &told);
            if !told.load(Ordering::SeqCst) {
                let _ = tell.send(End::Guest(ended.map_err(|error| Failure::of(&error))));
            }
        });
        let thread =
            thread.map_err(|error| Failure::Output(format!("a thread can't be started: {error}")))?;
        Ok(AtWork { stops, thread: Some(thread) })
    }
}
