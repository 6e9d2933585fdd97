//! The cache: claims about single rules, and comparisons with independent caches.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod against_naive;
mod anonymous;
mod dirty;
mod folios;
mod naive;
mod reclaim;
mod replacement;
mod shared;
mod sprite;
mod states;

use super::*;
use petrio_kernel::Time;
use petrio_units::Bytes;

pub(super) const FILE: FileKey = FileKey(1 << 32 | 12);

/// A cache of single pages.
pub(super) fn cache(policy: CachePolicy, limit: u64) -> PageCache {
    PageCache::new(&parameters(policy, false, 4), limit)
}

pub(super) fn parameters(
    policy: CachePolicy,
    refault_distance: bool,
    largest_folio_kib: u64,
) -> PageCacheParameters {
    PageCacheParameters {
        policy,
        refault_distance,
        largest_folio: Bytes::from_kib(largest_folio_kib),
        own: None,
    }
}

/// A read of one page as the surrounding code does it: whether the page was there.
pub(super) fn read(cache: &mut PageCache, file: FileKey, index: u64) -> bool {
    let hit = cache.look(file, index).is_some();
    if !hit {
        if cache.free() == 0 {
            let mut reclaimed = Reclaimed::default();
            cache.reclaim(1, &mut reclaimed);
            assert!(reclaimed.freed > 0, "{reclaimed:?}");
        }
        cache.insert(file, index, 1, None);
        cache.arrived(file, index, 1);
    }
    cache.access(file, index, 1);
    hit
}

/// Reads pages and counts those that weren't there.
pub(super) fn misses(cache: &mut PageCache, file: FileKey, pages: impl IntoIterator<Item = u64>) -> u64 {
    pages.into_iter().map(|index| u64::from(!read(cache, file, index))).sum()
}
