//! What would need more memory than this machine has, more than the scenario's own host has, or would never end:
//! refused before anything of it is begun, at the key that asks for it.
//!
//! Estimates are lower bounds (see `petrio_bounds`).

use crate::loaded::Loaded;
use crate::placed::PlacedHost;
use crate::report::Report;
use crate::schema::Host;
use crate::text::Problem;
use petrio_units::Bytes;

/// Linux counts the flusher's wake-ups in hundredths of a second (`dirty_writeback_centisecs`,
/// Documentation/admin-guide/sysctl/vm.rst); a shorter time can't be written, and each wake-up costs petrio a little.
const WAKE_UP_LEAST_MS: u64 = 10;
/// What a page of a process costs here at least: its entry in the lists of pages (48 bytes) and its place in a tree (16
/// bytes).
const BYTES_A_PAGE: u64 = 64;
/// A page (x86-64).
const PAGE_BYTES: u64 = 4096;

/// Everything about a scenario that can't be had.
pub(crate) fn check(loaded: &Loaded) -> Vec<Problem> {
    let mut problems = Vec::new();
    for placed in &loaded.hosts {
        problems.extend(wake_up(loaded, placed));
        if let Some(host) = loaded.scenario.host.get(&placed.name) {
            problems.extend(anonymous(loaded, placed, host));
        }
    }
    problems.extend(replications(loaded));
    problems
}

fn wake_up(loaded: &Loaded, placed: &PlacedHost) -> Option<Problem> {
    let wake_up = placed.kernel.write_back.wake_up;
    if wake_up.time() >= petrio_kernel::Time::from_millis(WAKE_UP_LEAST_MS) {
        return None;
    }
    let changed = format!("host.{}.change.kernel.write_back.wake_up", placed.name);
    let file = format!("host.{}.kernel", placed.name);
    let path = if loaded.places.contains(&changed) { changed } else { file };
    let message = format!(
        "with write_back.wake_up = \"{wake_up}\" the kernel's flusher does nothing but wake up, and time hardly passes"
    );
    let help =
        format!("write \"{WAKE_UP_LEAST_MS} ms\" or more: a kernel takes no less, and \"5 s\" is usual");
    Some(loaded.error_at(&path, message).help(help))
}

fn anonymous(loaded: &Loaded, placed: &PlacedHost, host: &Host) -> Option<Problem> {
    let wanted = host.anonymous?;
    let path = format!("host.{}.anonymous", placed.name);
    let memory = host.memory.unwrap_or(placed.machine.memory);
    let swap = host.swap.unwrap_or(Bytes(0));
    if wanted.get() > memory.get().saturating_add(swap.get()) {
        let also = if swap.get() > 0 { format!(" and {swap} of swap space") } else { String::new() };
        let message = format!(
            "the processes' own pages are {wanted}, and the host \"{}\" has {memory} of memory{also}",
            placed.name
        );
        let help = "write less, or give the host more memory or swap space";
        return Some(loaded.error_at(&path, message).help(help));
    }
    let error = petrio_bounds::check(wanted.get() / PAGE_BYTES * BYTES_A_PAGE).err()?;
    let message = format!("pages of processes of {wanted} are more than petrio can hold here: {error}");
    Some(loaded.error_at(&path, message).help("write less, or run on a larger machine"))
}

fn replications(loaded: &Loaded) -> Option<Problem> {
    let count = loaded.scenario.measure.replications;
    let error = petrio_bounds::check(u64::from(count).saturating_mul(size_of::<Report>() as u64)).err()?;
    let message = format!("the results of {count} replications are more than can be held: {error}");
    let help = "write fewer: the interval of the mean narrows with the root of their number";
    Some(loaded.error_at("measure.replications", message).help(help))
}
