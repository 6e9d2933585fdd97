//! Many runs: validation, benchmarks, comparisons

pub mod bench;
pub mod compare;
pub mod validate;
