//! What a host's processors are used for: the profile that a sampling profiler would show of its kernel and libraries.

use petrio_kernel::{Firing, PageBuilder, Probe, Time};

macro_rules! functions {
    ($($(#[doc = $text:literal])* $function:ident = $name:literal;)*) => {
        /// A group of functions that do the same sort of work.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Function {
            $($(#[doc = $text])* $function,)*
        }

        impl Function {
            /// All of them, in the order of a call's way down.
            pub const ALL: &'static [Self] = &[$(Self::$function),*];

            /// Its name in reports.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$function => $name,)*
                }
            }
        }
    };
}

functions! {
    /// Programs' own computing.
    Computing = "programs";
    /// The way into the kernel and back, with the C library's.
    SystemCalls = "system calls";
    /// Names and inodes: opening, making, removing, listing.
    Names = "names and inodes";
    /// Pages of files found, or put into the cache for a read.
    PageCacheReads = "page cache, reads";
    /// Pages prepared for a write and made dirty, with what the journal is told.
    PageCacheWrites = "page cache, writes";
    /// Copies from the page cache to processes.
    CopyToUser = "copy_to_user";
    /// Copies from processes to the page cache.
    CopyFromUser = "copy_from_user";
    /// Memory of processes themselves.
    Memory = "memory of processes";
    /// Files made durable by who asked.
    Sync = "sync";
    /// Requests made of dirty pages, by whoever writes too much and by the kernel's threads.
    WriteBack = "write-back";
    /// Waiting processes woken by what has come from a device, and the work for it.
    WakeUps = "completions and wake-ups";
    /// A network's protocol: messages sent and received, their checksums and copies.
    Network = "network protocol";
    /// A message-passing library.
    Messages = "message passing";
    /// Clients and servers of parallel file systems, file services and shared disks.
    FileServices = "file services";
}

/// Where a host's processors record what they are used for: seconds of processor time, by function.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Profile {
    probes: [Probe; Function::ALL.len()],
}

impl Profile {
    /// Probes of a page.
    pub fn new(page: &mut PageBuilder<'_>) -> Self {
        let path = page.path().to_owned();
        let mut functions = Function::ALL.iter();
        let probes = std::array::from_fn(|_| {
            let name = functions.next().map_or("", |function| function.name());
            page.probe(&format!("{path}: {name}"))
        });
        Self { probes }
    }

    /// Records time that a processor has spent on a function.
    #[inline]
    pub fn spend(self, f: &mut Firing<'_>, function: Function, span: Time) {
        if span > Time::ZERO {
            f.record(self.probes[function as usize], span.as_seconds());
        }
    }

    /// Where the time of a function is recorded.
    pub const fn probe(&self, function: Function) -> Probe {
        self.probes[function as usize]
    }
}
