//! What waits before the links of switches, where routes are chosen by it (UGAL).

use petrio_persist::Persist;

/// Bytes that wait before each link, as they take them of the wire.
#[derive(Clone, Debug, Default, Persist)]
pub(super) struct Loads(Vec<u64>);

impl Loads {
    /// Nothing waits before so many links.
    pub(super) fn of(links: usize) -> Self {
        Self(vec![0; links])
    }

    /// What waits before a link.
    pub(super) fn before(&self, link: u32) -> u64 {
        self.0.get(link as usize).copied().unwrap_or(0)
    }

    /// More waits before a link.
    pub(super) fn enter(&mut self, link: u32, bytes: u64) {
        if let Some(load) = self.0.get_mut(link as usize) {
            *load += bytes;
        }
    }

    /// It has left.
    pub(super) fn leave(&mut self, link: u32, bytes: u64) {
        if let Some(load) = self.0.get_mut(link as usize) {
            *load = load.saturating_sub(bytes);
        }
    }
}
