//! Which path of a group is next, as the kernel's selectors choose it.
//!
//! Source: Linux drivers/md/dm-round-robin.c, dm-queue-length.c, dm-service-time.c. Each keeps a list of the usable paths, takes the best,
//! of equals the first, and puts what it took at the end.

use super::parameters::PathSelector;
use petrio_persist::Persist;
use std::cmp::Ordering;

/// What a selector knows of a path.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Persist)]
pub(super) struct Load {
    /// Requests on their way over it.
    pub(super) requests: u32,
    /// Bytes of these.
    pub(super) bytes: u64,
    /// Throughput in comparison with the others.
    pub(super) throughput: u64,
}

/// A group of paths.
#[derive(Clone, Debug, Persist)]
pub(super) struct Group {
    /// Its paths, the least lately taken first.
    paths: Vec<usize>,
    /// Requests in a row that the first of them got.
    given: u32,
}

impl Group {
    pub(super) fn new(paths: Vec<usize>) -> Self {
        Self { paths, given: 0 }
    }

    /// Whether one of its paths can be used.
    pub(super) fn has(&self, is_usable: impl Fn(usize) -> bool) -> bool {
        self.paths.iter().any(|&path| is_usable(path))
    }

    /// The path that a request of so many bytes takes; none where none can be used.
    pub(super) fn select(
        &mut self,
        (selector, in_a_row): (PathSelector, u32),
        bytes: u64,
        load: impl Fn(usize) -> Option<Load>,
    ) -> Option<usize> {
        let mut best: Option<(usize, Load)> = None;
        for (place, &path) in self.paths.iter().enumerate() {
            let Some(load) = load(path) else { continue };
            let is_better = best.is_none_or(|(_, known)| match selector {
                PathSelector::RoundRobin => false,
                PathSelector::QueueLength => load.requests < known.requests,
                PathSelector::ServiceTime => compare(load, known, bytes) == Ordering::Less,
            });
            if is_better {
                best = Some((place, load));
            }
        }
        let (place, _) = best?;
        let path = self.paths[place];
        self.given = if place == 0 { self.given + 1 } else { 1 };
        if selector == PathSelector::RoundRobin && self.given < in_a_row {
            // It stays in front for the next.
            self.paths[..=place].rotate_right(1);
        } else {
            self.paths[place..].rotate_left(1);
            self.given = 0;
        }
        Some(path)
    }
}

/// `st_compare_load`: less is better.
fn compare(one: Load, other: Load, bytes: u64) -> Ordering {
    if one.throughput == other.throughput {
        return one.bytes.cmp(&other.bytes);
    }
    let faster = other.throughput.cmp(&one.throughput);
    let is_idle = one.bytes == other.bytes && one.bytes == 0;
    if is_idle || one.throughput == 0 || other.throughput == 0 {
        return faster;
    }
    let cost =
        |load: Load, by: Load| u128::from(load.bytes.saturating_add(bytes)) * u128::from(by.throughput);
    cost(one, other).cmp(&cost(other, one)).then(faster)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn load(requests: u32, bytes: u64, throughput: u64) -> Load {
        Load { requests, bytes, throughput }
    }

    fn taken(selector: PathSelector, in_a_row: u32, loads: &[Option<Load>], times: usize) -> Vec<usize> {
        let mut group = Group::new((0..loads.len()).collect());
        (0..times).map(|_| group.select((selector, in_a_row), 4_096, |path| loads[path]).unwrap()).collect()
    }

    #[test]
    fn round_robin_gives_each_its_requests_in_a_row() {
        let idle = [Some(load(0, 0, 1)); 3];
        assert_eq!(taken(PathSelector::RoundRobin, 1, &idle, 6), [0, 1, 2, 0, 1, 2]);
        assert_eq!(taken(PathSelector::RoundRobin, 2, &idle, 8), [0, 0, 1, 1, 2, 2, 0, 0]);
        let without = [Some(load(0, 0, 1)), None, Some(load(0, 0, 1))];
        assert_eq!(taken(PathSelector::RoundRobin, 1, &without, 4), [0, 2, 0, 2]);
    }

    #[test]
    fn the_shortest_queue_is_taken_and_of_equals_the_least_lately_used() {
        let loads = [Some(load(3, 0, 1)), Some(load(1, 9 << 20, 1)), Some(load(2, 0, 1))];
        assert_eq!(taken(PathSelector::QueueLength, 1, &loads, 2), [1, 1]);
        assert_eq!(taken(PathSelector::QueueLength, 1, &[Some(load(1, 0, 1)); 2], 4), [0, 1, 0, 1]);
    }

    #[test]
    fn the_service_time_weighs_bytes_by_throughput() {
        let by_time = |loads: [Load; 2]| taken(PathSelector::ServiceTime, 1, &loads.map(Some), 1)[0];
        assert_eq!(by_time([load(1, 8_192, 1), load(9, 4_096, 1)]), 1, "bytes count, requests don't");
        assert_eq!(by_time([load(0, 0, 1), load(0, 0, 2)]), 1, "idle ones: the faster");
        assert_eq!(
            by_time([load(0, 0, 0), load(9, 1 << 30, 1)]),
            1,
            "none at all: only where nobody else is"
        );
        // 4 KiB more: (8 + 4) / 2 is less than (4 + 4) / 1, and (16 + 4) / 2 is more.
        assert_eq!(by_time([load(1, 4_096, 1), load(1, 8_192, 2)]), 1);
        assert_eq!(by_time([load(1, 4_096, 1), load(1, 16_384, 2)]), 0);
    }

    #[test]
    fn nothing_is_taken_where_nothing_can_be_used() {
        let mut group = Group::new(vec![0, 1]);
        assert_eq!(group.select((PathSelector::ServiceTime, 1), 512, |_| None), None);
    }
}
