//! The Linux block layer: what lies between a file system and its devices.
//!
//! [`elevator`] is the contract that every I/O scheduler keeps, [`waiting`] what schedulers are made of (merging, order
//! of arrival, order of address), [`scheduler`] the schedulers themselves; none of these knows a net. [`queue`] puts
//! them into one, between a file system and a device. [`throttle`] stands before a queue and holds requests back;
//! [`raid`] and [`fabric`] stand behind it: striping over several devices, and a link to an array.

pub mod elevator;
pub mod fabric;
pub mod queue;
pub mod raid;
pub mod scheduler;
pub mod throttle;
pub mod waiting;
