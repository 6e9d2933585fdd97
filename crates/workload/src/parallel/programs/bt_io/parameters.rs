//! BT-IO's parameters: its classes, and how it writes.

use super::grid::Grid;
use super::program::BtPlan;
use crate::parallel::programs::refuse;
use crate::program::ProgramError;
use petrio_units::{Bytes, Duration};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Millions of operations a second of a processor.
const RATES: std::ops::RangeInclusive<f64> = 1e-3..=1e9;

/// BT-IO: a solver that dumps its solution every few steps and reads all dumps back at the end. The number of ranks is a square.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BtIoParameters {
    /// The size of the problem.
    pub class: BtClass,
    /// How it writes and reads.
    pub subtype: BtSubtype,
    /// Time steps (inputbt.data). Left out, the class' own: 60, 200, 250 for D.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steps: Option<u32>,
    /// Steps from one dump to the next (inputbt.data; there is one after the last step, too).
    #[serde(default = "five")]
    pub write_interval: u32,
    /// Whether all dumps are read back after the last step, to be checked.
    #[serde(default = "yes")]
    pub read_back: bool,
    /// How long each rank computes in a step. Left out, no time, unless `rate` says how fast it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step_time: Option<Duration>,
    /// Millions of floating-point operations that a rank computes in a second, as the benchmark reports them for each process
    /// (Mop/s/process); instead of `step_time`. The benchmark counts 3478.8·N³ − 17655.7·N² + 28023.7·N in a step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate: Option<f64>,
    /// Whether the ranks exchange the faces of their blocks in each step, as the solver needs it.
    #[serde(default = "yes")]
    pub messages: bool,
    /// The Fortran library's buffer, of the subtypes fortran and epio (gfortran 10 and later:
    /// GFORTRAN_UNFORMATTED_BUFFER_SIZE, 131,072 B).
    #[serde(default = "fortran_buffer")]
    pub fortran_buffer: Bytes,
}

const fn five() -> u32 {
    5
}

const fn yes() -> bool {
    true
}

const fn fortran_buffer() -> Bytes {
    Bytes::from_kib(128)
}

/// A size of the problem: N³ cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum BtClass {
    /// N = 12, 60 steps.
    S,
    /// N = 24, 200 steps.
    W,
    /// N = 64, 200 steps: 0.42 GB.
    A,
    /// N = 102, 200 steps: 1.7 GB.
    B,
    /// N = 162, 200 steps: 6.8 GB.
    C,
    /// N = 408, 250 steps: 136 GB.
    D,
}

impl BtClass {
    /// Cells in each dimension, and steps (NPB, sys/setparams).
    pub(super) const fn size(self) -> (u64, u32) {
        match self {
            Self::S => (12, 60),
            Self::W => (24, 200),
            Self::A => (64, 200),
            Self::B => (102, 200),
            Self::C => (162, 200),
            Self::D => (408, 250),
        }
    }

    const fn letter(self) -> char {
        match self {
            Self::S => 'S',
            Self::W => 'W',
            Self::A => 'A',
            Self::B => 'B',
            Self::C => 'C',
            Self::D => 'D',
        }
    }
}

/// How dumps are written and read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum BtSubtype {
    /// Collective MPI-IO through a view of the rank's blocks.
    Full,
    /// MPI-IO without: a call for each row of a block.
    Simple,
    /// Fortran's direct access: as simple, through the library's buffer.
    Fortran,
    /// Fortran's sequential access to a file of each rank's own.
    Epio,
}

impl BtSubtype {
    const fn name(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::Simple => "simple",
            Self::Fortran => "fortran",
            Self::Epio => "epio",
        }
    }
}

impl BtIoParameters {
    /// A class written in one way, everything else at its default.
    pub const fn new(class: BtClass, subtype: BtSubtype) -> Self {
        Self {
            class,
            subtype,
            steps: None,
            write_interval: five(),
            read_back: true,
            step_time: None,
            rate: None,
            messages: true,
            fortran_buffer: fortran_buffer(),
        }
    }

    pub(super) fn steps(&self) -> u32 {
        self.steps.unwrap_or(self.class.size().1)
    }

    /// How many dumps there are.
    pub(super) fn dumps(&self) -> u64 {
        u64::from(self.steps().div_ceil(self.write_interval))
    }

    /// How long a rank of so many computes in a step.
    pub(super) fn step_seconds(&self, ranks: u32) -> f64 {
        let length = self.class.size().0 as f64;
        let operations = ((3478.8 * length - 17655.7) * length + 28023.7) * length;
        match (self.step_time, self.rate) {
            (Some(time), _) => time.as_seconds(),
            (None, Some(rate)) => operations / f64::from(ranks) / (rate * 1e6),
            (None, None) => 0.0,
        }
    }

    pub(in crate::parallel) fn words(&self) -> String {
        format!("BT-IO, class {}, {}", self.class.letter(), self.subtype.name())
    }

    pub(in crate::parallel) fn plan(&self, ranks: u32) -> Result<BtPlan, ProgramError> {
        let side = ranks.isqrt();
        let (length, _) = self.class.size();
        if side == 0 || side * side != ranks {
            return refuse("ranks", format!("BT's ranks are a square, such as {}", (side + 1) * (side + 1)));
        }
        if u64::from(side) > length {
            let problem = format!("{ranks} ranks are more than class {} has rows for", self.class.letter());
            return refuse("ranks", problem);
        }
        for (parameter, number) in [("steps", self.steps()), ("write_interval", self.write_interval)] {
            if number == 0 {
                return refuse(parameter, "it is zero");
            }
        }
        if self.fortran_buffer.get() < super::CELL_BYTES {
            return refuse("fortran_buffer", "it is shorter than a record of 40 B");
        }
        if self.step_time.is_some() && self.rate.is_some() {
            return refuse("rate", "`step_time` says already how long a step computes");
        }
        if self.rate.is_some_and(|rate| !RATES.contains(&rate)) {
            return refuse(
                "rate",
                "no processor does so many millions of operations a second; give 0.001 to 1e9",
            );
        }
        BtPlan::new(self.clone(), Grid { length, side })
    }
}
