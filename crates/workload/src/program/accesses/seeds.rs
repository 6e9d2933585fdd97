//! The random streams of a process: one seed for each purpose, all from the seed of the job and its number.

use super::tausworthe::Tausworthe;

/// fio's seed where a job names none (`randseed`).
pub(super) const USUAL_SEED: u64 = 0x89;
/// What places are drawn from in jobs that repeat themselves (`randrepeat`), whatever their seed: so in fio 3.33.
const SEED_OF_REPEATED_PLACES: u64 = 0xb189_9bed;
/// What a seed is multiplied with from purpose to purpose.
const SPREAD: u64 = 0x9e37_0001;

/// What is drawn by a stream of its own, by its number in fio.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    ReadSizes = 0,
    WriteSizes = 1,
    Mixture = 4,
    Files = 5,
    Places = 6,
    RandomShare = 10,
    ReadArrivals = 15,
    WriteArrivals = 17,
}

/// The seeds of one process.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seeds {
    seed: u64,
    job: u64,
}

impl Seeds {
    /// Of a process by its number among all of a file, from 1.
    pub(super) fn new(seed: u64, job: u32) -> Self {
        let seed = (0..4).fold(seed, |seed: u64, _| seed.wrapping_mul(SPREAD));
        Self { seed, job: u64::from(job) }
    }

    /// The seed of a purpose.
    pub(super) fn of(self, purpose: Purpose) -> u64 {
        let number = purpose as u64;
        let seed = (0..number).fold(self.seed, |seed, _| seed.wrapping_mul(SPREAD));
        seed.wrapping_mul(self.job).wrapping_add(number)
    }

    /// The seed of places.
    pub(super) fn of_places(self, repeats: bool) -> u64 {
        if repeats { SEED_OF_REPEATED_PLACES.wrapping_mul(self.job) } else { self.of(Purpose::Places) }
    }

    /// The stream of a purpose, of 32 bits.
    pub(super) fn short(self, purpose: Purpose) -> Tausworthe {
        Tausworthe::short(self.of(purpose))
    }
}
