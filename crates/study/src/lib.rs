//! Many runs: validation, benchmarks, comparisons

pub mod bench;
pub mod characterise;
pub mod validate;
