//! Plain LRU on a recorded trace of block numbers, against an LRU of another construction: a map from time of last use to block.

use super::*;
use std::collections::{BTreeMap, HashMap};
use std::io::Read;
use std::path::PathBuf;

/// Misses of an LRU cache of `size` blocks.
fn least_recently_used(blocks: &[u64], size: usize) -> u64 {
    let (mut by_time, mut last_use) = (BTreeMap::new(), HashMap::new());
    let mut misses = 0;
    for (time, block) in blocks.iter().enumerate() {
        match last_use.insert(*block, time) {
            Some(before) => {
                by_time.remove(&before);
            }
            None => misses += 1,
        }
        by_time.insert(time, *block);
        if by_time.len() > size {
            let (_, oldest) = by_time.pop_first().unwrap();
            last_use.remove(&oldest);
        }
    }
    misses
}

#[test]
fn plain_lru_misses_exactly_as_often_as_an_independent_one_on_the_sprite_trace() {
    let data = std::env::var_os("PETRIO_DATA").map_or_else(
        || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data")),
        PathBuf::from,
    );
    let path = data.join("traces/sprite/sprite.trace.gz");
    if !path.is_file() {
        println!(
            "skipped: plain_lru_misses_exactly_as_often_as_an_independent_one_on_the_sprite_trace needs {}",
            path.display()
        );
        return;
    }
    let mut text = String::new();
    flate2::read::GzDecoder::new(std::fs::File::open(path).unwrap()).read_to_string(&mut text).unwrap();
    let blocks: Vec<u64> = text.lines().map(|line| line.trim().parse().unwrap()).collect();
    assert_eq!(blocks.len(), 133_996);
    for size in [100, 500, 1_000, 2_000, 3_000, 4_000, 5_000, 6_000, 7_000, 7_075] {
        let mut cache = cache(CachePolicy::Lru, size);
        let counted = misses(&mut cache, FILE, blocks.iter().copied());
        assert_eq!(counted, least_recently_used(&blocks, size as usize), "{size} pages");
        println!("{size} pages: {counted} misses");
    }
    // As many misses as there are blocks when all of them fit.
    assert_eq!(misses(&mut cache(CachePolicy::Lru, 7_075), FILE, blocks.iter().copied()), 7_075);
}
