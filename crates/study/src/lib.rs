//! Many runs: validation, benchmarks, comparisons

pub mod bench;
pub mod characterise;
pub mod compare;
pub mod validate;
