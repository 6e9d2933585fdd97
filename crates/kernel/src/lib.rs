//! Timed, hierarchical coloured Petri nets at native speed.

mod time;

pub use time::Time;
