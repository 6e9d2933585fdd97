//! What data lie on: drives, and arrays that outlive some of them.

use crate::life::Life;
use petrio_random::{Generator, exponential, uniform_below};
use std::fmt::Debug;
use std::sync::Arc;

/// What missing members do to an array.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Hurt {
    /// Data are lost.
    pub loses: bool,
    /// How much must be read that nothing else has, to fill the places, as a multiple of what a member holds.
    pub unprotected: f64,
}

/// How an array keeps data.
pub trait Redundancy: Debug + Send + Sync {
    /// What it means that these members are missing.
    fn hurt(&self, missing: &[bool]) -> Hurt;
}

/// How long a place is filled, seconds.
#[derive(Clone, Debug, PartialEq)]
pub enum Fill {
    /// As long as one of these, each as likely.
    Measured(Vec<f64>),
    /// Exponentially distributed, with this mean: what Markov's chains have.
    Exponential(f64),
}

impl Fill {
    pub(crate) fn draw(&self, random: &mut Generator) -> f64 {
        match self {
            Self::Measured(times) => {
                let number = uniform_below(random, times.len() as u64);
                usize::try_from(number).ok().and_then(|number| times.get(number)).copied().unwrap_or(0.0)
            }
            Self::Exponential(mean) => exponential(random, *mean),
        }
    }
}

/// Sectors of an array's members that can't be read.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sectors {
    /// Unreadable sectors that whoever reads all that a member holds is to expect.
    pub each_reading: f64,
    /// How many become unreadable in a second of those that a member holds, and stay so until somebody reads them.
    pub latent_a_second: f64,
}

/// Several parts as one, with redundancy or without.
#[derive(Clone, Debug)]
pub struct Array {
    /// The members, as numbers of the store's parts, and after them hot spares.
    pub over: Vec<usize>,
    /// How many of these are spares.
    pub spares: usize,
    /// How it keeps data.
    pub redundancy: Arc<dyn Redundancy>,
    /// How long a place is filled with one member missing, with two, and so on; of more the last. None is filled where there is nothing.
    pub fill: Vec<Fill>,
    /// After how long a drive that failed is replaced: a member's where no spare has taken its place, and else the spare that took it.
    pub replaced_after: Option<f64>,
    /// Sectors that can't be read while its places are filled. Nothing where another array outlives them.
    pub sectors: Sectors,
}

/// A part of a store.
#[derive(Clone, Debug)]
pub(crate) enum Part {
    /// How long it lives, and how old it is when the time begins.
    Drive(Life, f64),
    Array(Array),
}

/// Drives and what is made of them. What nothing lies on has the data: the first of those that is lost is a loss.
#[derive(Clone, Debug, Default)]
pub struct Store {
    pub(crate) parts: Vec<Part>,
    /// For each part the arrays that lie on it, and as which of theirs.
    pub(crate) above: Vec<Vec<(usize, usize)>>,
    pub(crate) scrubbed_every: Option<f64>,
}

/// What can't be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StoreError {
    /// An array lies on something that comes after it.
    Order,
    /// An array has no member.
    Empty,
    /// A time that is none.
    Time,
}

impl Store {
    /// Without parts; all sectors are read and repaired every so many seconds, or never.
    pub fn new(scrubbed_every: Option<f64>) -> Self {
        Self { scrubbed_every, ..Self::default() }
    }

    /// A drive that is so many seconds old.
    ///
    /// # Errors
    /// An age that is none.
    pub fn drive(&mut self, life: Life, age: f64) -> Result<usize, StoreError> {
        if !(age.is_finite() && age >= 0.0) {
            return Err(StoreError::Time);
        }
        Ok(self.add(Part::Drive(life, age)))
    }

    /// An array of parts that are there already.
    ///
    /// # Errors
    /// It has no members, or they come after it; a time that is none.
    pub fn array(&mut self, array: Array) -> Result<usize, StoreError> {
        let number = self.parts.len();
        if array.over.len() <= array.spares {
            return Err(StoreError::Empty);
        }
        if array.over.iter().any(|&below| below >= number) {
            return Err(StoreError::Order);
        }
        let is_time = |time: f64| time.is_finite() && time >= 0.0;
        let filled = array.fill.iter().all(|fill| match fill {
            Fill::Measured(times) => !times.is_empty() && times.iter().copied().all(is_time),
            Fill::Exponential(mean) => is_time(*mean),
        });
        if !filled || !array.replaced_after.is_none_or(is_time) {
            return Err(StoreError::Time);
        }
        for (port, &below) in array.over.iter().enumerate() {
            self.above[below].push((number, port));
        }
        Ok(self.add(Part::Array(array)))
    }

    fn add(&mut self, part: Part) -> usize {
        self.parts.push(part);
        self.above.push(Vec::new());
        self.parts.len() - 1
    }

    pub(crate) fn array_at(&self, number: usize) -> Option<&Array> {
        match self.parts.get(number)? {
            Part::Array(array) => Some(array),
            Part::Drive(..) => None,
        }
    }
}
