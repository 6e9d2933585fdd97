//! Hosts that would only wake up, and pages of processes that nothing has room for.

use super::{HOST, PlacedHost};
use crate::text::tree::KeySpans;
use crate::text::{Problem, Sources};
use petrio_units::Bytes;

/// Linux counts the flusher's wake-ups in hundredths of a second (`dirty_writeback_centisecs`,
/// Documentation/admin-guide/sysctl/vm.rst); a shorter time can't be written, and each wake-up costs petrio a little.
const WAKE_UP_LEAST_MS: u64 = 10;
/// What a page of a process costs here at least: its entry in the lists of pages (48 bytes) and its place in a tree (16
/// bytes).
const BYTES_A_PAGE: u64 = 64;
/// A page (x86-64).
const PAGE_BYTES: u64 = 4096;

impl PlacedHost {
    pub(super) fn impossible(&self, places: &KeySpans, sources: &Sources) -> Vec<Problem> {
        self.wake_up(places, sources).into_iter().chain(self.anonymous(places, sources)).collect()
    }

    fn wake_up(&self, places: &KeySpans, sources: &Sources) -> Option<Problem> {
        let wake_up = self.parameters.kernel.write_back.wake_up;
        if wake_up.time() >= petrio_kernel::Time::from_millis(WAKE_UP_LEAST_MS) {
            return None;
        }
        let changed = format!("{HOST}.{}.change.kernel.write_back.wake_up", self.name);
        let file = format!("{HOST}.{}.kernel", self.name);
        let path = if places.contains(&changed) { changed } else { file };
        let message = format!(
            "with write_back.wake_up = \"{wake_up}\" the kernel's flusher does nothing but wake up, and time hardly passes"
        );
        let help =
            format!("write \"{WAKE_UP_LEAST_MS} ms\" or more: a kernel takes no less, and \"5 s\" is usual");
        Some(sources.error(places.value(&path), message).help(help))
    }

    /// Its memory, and its swap space in words, where pages of processes of so many bytes are more than both.
    pub(crate) fn has_less_than(&self, wanted: u64) -> Option<(Bytes, String)> {
        let memory = self.parameters.usable_memory();
        let swap = self.parameters.swap.unwrap_or(Bytes(0));
        let also = if swap.get() > 0 { format!(" and {swap} of swap space") } else { String::new() };
        (wanted > memory.get().saturating_add(swap.get())).then_some((memory, also))
    }

    fn anonymous(&self, places: &KeySpans, sources: &Sources) -> Option<Problem> {
        let wanted = self.parameters.anonymous?;
        let path = format!("{HOST}.{}.anonymous", self.name);
        if let Some((memory, also)) = self.has_less_than(wanted.get()) {
            let message = format!(
                "the processes' own pages are {wanted}, and the host \"{}\" has {memory} of memory{also}",
                self.name
            );
            let help = "write less, or give the host more memory or swap space";
            return Some(sources.error(places.value(&path), message).help(help));
        }
        let error = petrio_bounds::check(wanted.get() / PAGE_BYTES * BYTES_A_PAGE).err()?;
        let message = format!("pages of processes of {wanted} are more than petrio can hold here: {error}");
        Some(sources.error(places.value(&path), message).help("write less, or run on a larger machine"))
    }
}
