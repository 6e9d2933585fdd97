//! A part of a trace that stands for the whole.
//!
//! *Every n-th* event thins out time. A *fraction* of the space keeps whole files and whole regions of devices, with every
//! event on them: distances of reuse shrink with the fraction and can be scaled back, which thinning in time destroys.
//! Source: C. A. Waldspurger and others, *Efficient MRC Construction with SHARDS*, FAST 2015, §3.

use super::event::{Event, EventKind};
use petrio_random::{fnv1a, mix};

/// Blocks of 512 bytes in a region of a device: 1 MiB, more than any request moves.
const REGION_BLOCKS: u64 = 2_048;

/// Which events are kept.
#[derive(Clone, Debug, PartialEq)]
pub enum Sampling {
    /// Each n-th event; of a request to a device, all of its events or none.
    Every {
        /// n, at least 1.
        step: u64,
        /// Events seen.
        seen: u64,
    },
    /// The files and regions whose number, mixed with a seed, falls below a fraction.
    Fraction {
        /// From 0 to 1.
        fraction: f64,
        /// Another seed keeps other files.
        seed: u64,
    },
}

impl Sampling {
    /// Each n-th event; 0 is taken as 1.
    pub fn every(step: u64) -> Self {
        Self::Every { step: step.max(1), seen: 0 }
    }

    /// Whether an event is kept.
    pub fn keeps(&mut self, event: &Event) -> bool {
        match self {
            Self::Every { step, seen } => match event.request {
                Some(request) => request.is_multiple_of(*step),
                None => {
                    *seen += 1;
                    (*seen - 1).is_multiple_of(*step)
                }
            },
            Self::Fraction { fraction, seed } => {
                // 53 bits, which a floating-point number holds exactly.
                let share = (mixed(place(event), *seed) >> 11) as f64 / (1_u64 << 53) as f64;
                share < *fraction
            }
        }
    }
}

/// What an event is about, as a number: its region of a device, its file, its path, or who did it.
fn place(event: &Event) -> u64 {
    let path = |path: &str| fnv1a(path.bytes());
    if event.kind.is_of_device() {
        let extent = event.extents.first().copied().unwrap_or_default();
        return mixed(extent.address / REGION_BLOCKS, u64::from(extent.device));
    }
    match (&event.path, event.file.is_known()) {
        _ if event.kind == EventKind::Exec => event.path.as_deref().map_or(0, path),
        (_, true) => {
            let file = event.file;
            mixed(file.inode, u64::from(file.device) << 32 | u64::from(file.generation))
        }
        (Some(text), false) => path(text),
        (None, false) => u64::from(event.process),
    }
}

/// A number that hangs on both.
const fn mixed(number: u64, seed: u64) -> u64 {
    mix(number ^ seed.wrapping_mul(0x9e37_79b9_7f4a_7c15))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::FileKey;
    use petrio_time::Time;

    fn of_file(inode: u64) -> Event {
        Event { file: FileKey { inode, ..FileKey::UNKNOWN }, ..Event::new(Time::ZERO, EventKind::Read) }
    }

    #[test]
    fn a_fraction_keeps_about_that_many_files_and_each_of_them_whole() {
        let mut sampling = Sampling::Fraction { fraction: 0.1, seed: 3 };
        let kept: Vec<u64> = (1..10_000).filter(|&inode| sampling.keeps(&of_file(inode))).collect();
        // Ten standard deviations of a binomial distribution: 10 √(10,000 · 0.1 · 0.9).
        assert!((700..1_300).contains(&kept.len()), "{}", kept.len());
        assert!(kept.iter().all(|&inode| sampling.keeps(&of_file(inode))));
        let mut other = Sampling::Fraction { fraction: 0.1, seed: 4 };
        assert!(kept.iter().any(|&inode| !other.keeps(&of_file(inode))));
    }

    #[test]
    fn every_third_keeps_requests_together() {
        let mut sampling = Sampling::every(3);
        assert_eq!((0..9).filter(|_| sampling.keeps(&of_file(1))).count(), 3);
        let of_request =
            |request| Event { request: Some(request), ..Event::new(Time::ZERO, EventKind::Queue) };
        assert!(sampling.keeps(&of_request(3)) && !sampling.keeps(&of_request(4)));
    }
}
