//! A stock kernel in QEMU whose disks are emulated devices: no privilege is needed, and whatever that kernel can (md, LVM, dm-crypt, XFS,
//! btrfs, NFS) lies on simulated drives.
//!
//! ```text
//!  kit: kernel, modules, tools (Debian's packages, in a folder of the user's)
//!   └─▶ initial RAM disk (cpio) + job ─▶ QEMU ─ virtio-blk ─▶ its NBD client ─▶ petrio_emulate::nbd
//!                                          └─ virtio ports: the job's output, its errors, its exit code
//! ```
//!
//! Each request costs the guest some 0.1 ms with KVM and 1 to 3 ms where its processor is emulated, too; counts are exact either way.

mod boot;
mod cpio;
mod kit;
mod modules;

pub use boot::{Accelerator, Guest, GuestDisk, run};
pub use kit::Kit;

use std::io;
use std::path::PathBuf;

/// Why a guest can't run.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
#[non_exhaustive]
pub enum GuestError {
    /// A program that isn't there.
    #[error("{program} isn't there")]
    #[diagnostic(help("install {package}"))]
    Missing {
        /// The program.
        program: &'static str,
        /// What it comes in.
        package: &'static str,
    },
    /// A program that failed.
    #[error("{program} {arguments}: {message}")]
    #[diagnostic(help(
        "the kernel and the tools of the guest are Debian's packages: is the network there, and a Debian or Ubuntu here?"
    ))]
    Program {
        /// The program.
        program: String,
        /// What it was given.
        arguments: String,
        /// What it said.
        message: String,
    },
    /// A folder that is no kit.
    #[error("{} has no {missing}", folder.display())]
    #[diagnostic(help("--set-up-kernel sets it up"))]
    NoKit {
        /// The folder.
        folder: PathBuf,
        /// What is missing.
        missing: &'static str,
    },
    /// A module that the kernel hasn't.
    #[error("the guest's kernel has no module \"{name}\"")]
    #[diagnostic(help("its modules are the files below {}", folder.display()))]
    NoModule {
        /// Its name.
        name: String,
        /// Where they are.
        folder: PathBuf,
    },
    /// The kernel ended before the job did.
    #[error("the guest's kernel stopped before the job's end; its last messages: {messages}")]
    #[diagnostic(help("more memory (--guest-memory)? A module that is missing (--module)?"))]
    Stopped {
        /// The end of its log.
        messages: String,
    },
    /// The system refuses something.
    #[error("{what} {}: {cause}", path.display())]
    System {
        /// What was tried.
        what: &'static str,
        /// With which file.
        path: PathBuf,
        /// Why not.
        cause: io::Error,
    },
}

impl GuestError {
    /// For `map_err` of an input or output error.
    fn system(what: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |cause| Self::System { what, path, cause }
    }
}
