//! Statistics of simulation output: tallies, batch means, warm-up deletion, confidence intervals, replications.

mod batch_means;
mod interval;
mod replication;
mod student;
mod tally;
mod warm_up;

pub use batch_means::BatchMeans;
pub use interval::Interval;
pub use replication::{Precision, replicate, replicate_until};
pub use student::{student_t_quantile, student_t_two_sided};
pub use tally::Tally;
pub use warm_up::{WarmUp, mser5};
