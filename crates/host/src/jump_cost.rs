//! What a call costs more that doesn't go on where the last one on its file ended: the caches hold neither the page's
//! data nor what the kernel knows of it.
//!
//! Measured points are interpolated in the logarithm of the file's size; beyond them the nearest holds.

use super::copy_cost::position;
use super::machine::JumpCost;
use petrio_kernel::Time;
use petrio_persist::Persist;
use petrio_units::numbers::whole_part;

/// The costs of jumps, ready to be asked.
#[derive(Clone, Debug, Default, Persist)]
pub struct Jumps {
    footprints: Vec<f64>,
    /// Picoseconds of a read, of a write, and of a write for each buffer of the folio, by footprint.
    points: Vec<[f64; 3]>,
    /// The last answer: calls of a program all ask the same.
    last: (u64, [Time; 3]),
}

/// What jumps cost in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Jump {
    /// A read.
    pub read: Time,
    /// A write.
    pub write: Time,
    /// A write, for each buffer of the folio that it changes besides.
    pub buffer: Time,
}

impl Jumps {
    /// Prepares points, in any order; without any, jumps cost nothing.
    pub fn new(points: &[JumpCost]) -> Self {
        let mut sorted: Vec<&JumpCost> = points.iter().collect();
        sorted.sort_by_key(|point| point.footprint.get());
        sorted.dedup_by_key(|point| point.footprint.get());
        Self {
            footprints: sorted.iter().map(|point| libm::log(point.footprint.get().max(1) as f64)).collect(),
            points: sorted
                .iter()
                .map(|point| {
                    [point.read, point.write, point.buffer].map(|cost| cost.time().as_picos() as f64)
                })
                .collect(),
            last: (u64::MAX, [Time::ZERO; 3]),
        }
    }

    /// The costs in a file of `footprint` bytes.
    pub fn at(&mut self, footprint: u64) -> Jump {
        if self.last.0 != footprint {
            self.last = (footprint, self.interpolated(footprint));
        }
        let [read, write, buffer] = self.last.1;
        Jump { read, write, buffer }
    }

    fn interpolated(&self, footprint: u64) -> [Time; 3] {
        if self.points.is_empty() {
            return [Time::ZERO; 3];
        }
        let (below, part) = position(&self.footprints, footprint);
        let above = (below + 1).min(self.points.len() - 1);
        let between = |kind: usize| {
            let (low, high) = (self.points[below][kind], self.points[above][kind]);
            Time::from_picos(whole_part(low + (high - low) * part))
        };
        [between(0), between(1), between(2)]
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn point(footprint: &str, read: &str) -> JumpCost {
        JumpCost {
            footprint: footprint.parse().unwrap(),
            read: read.parse().unwrap(),
            write: "1 us".parse().unwrap(),
            buffer: "10 ns".parse().unwrap(),
        }
    }

    #[test]
    fn between_points_a_jump_is_interpolated_and_beyond_them_it_stays() {
        let mut jumps = Jumps::new(&[point("64 MiB", "300 ns"), point("1 MiB", "100 ns")]);
        let mut read = |footprint| jumps.at(footprint).read.as_picos();
        assert_eq!(read(1 << 20), 100_000);
        assert_eq!(read(8 << 20), 200_000);
        assert_eq!((read(1), read(1 << 40)), (100_000, 300_000));
    }

    #[test]
    fn without_points_jumps_cost_nothing() {
        let nothing = Jump { read: Time::ZERO, write: Time::ZERO, buffer: Time::ZERO };
        assert_eq!(Jumps::new(&[]).at(4096), nothing);
    }
}
