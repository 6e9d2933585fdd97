//! Many runs: validation, benchmarks, comparisons

pub mod bench;
pub mod characterise;
pub mod compare;
pub mod fit;
mod page;
pub mod users;
pub mod validate;
