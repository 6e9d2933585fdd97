//! What the types of a scenario can't say: names that stand for nothing, parts that nothing uses, files that aren't
//! there, options that contradict each other.

mod measure;
mod scenario;
mod sizes;
mod storage;
mod turns;
mod workloads;

pub(crate) use scenario::check;
pub(crate) use sizes::check_sizes;
