//! Many runs: validation, benchmarks, comparisons

pub mod bench;
pub mod characterise;
pub mod compare;
pub mod describe;
pub mod fit;
mod page;
pub mod users;
pub mod validate;
