//! How much is measured.

/// How much is measured.
#[derive(Clone, Debug, PartialEq)]
pub struct Effort {
    /// Most requests in all; a device that needs more is given up.
    pub requests: u64,
    /// Turns of the platters over which their period is measured.
    pub turns: f64,
    /// Halvings in the search for a shortest time: it is found to the period over two to this power.
    pub halvings: u32,
    /// Factor between two distances of the seek curve.
    pub spacing: f64,
    /// Pairs of places for each distance.
    pub pairs: usize,
    /// Tracks that are followed for the number of surfaces.
    pub tracks: u64,
    /// Most segments of a cache that are looked for.
    pub segments: u64,
    /// Most writes of a burst, by which is found how many are held.
    pub burst: u64,
    /// Random reads that the drive found is held against.
    pub checks: usize,
    /// Whether what is in the sectors may be written to them again.
    pub write: bool,
    /// Where pseudo-random places begin.
    pub seed: u64,
}

impl Effort {
    /// Three to 25 minutes of a real disk, as those of the catalogue take.
    pub fn full() -> Self {
        Self {
            requests: 400_000,
            turns: 600.0,
            halvings: 15,
            spacing: 1.25,
            pairs: 3,
            tracks: 64,
            segments: 128,
            burst: 4096,
            checks: 1_000,
            write: false,
            seed: 1,
        }
    }

    /// Two to 18 minutes of one.
    pub fn quick() -> Self {
        Self {
            requests: 200_000,
            turns: 100.0,
            halvings: 12,
            spacing: 2.0,
            pairs: 1,
            tracks: 48,
            segments: 32,
            burst: 1024,
            checks: 200,
            ..Self::full()
        }
    }
}
