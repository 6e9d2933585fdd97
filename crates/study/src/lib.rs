//! Many runs: validation, benchmarks, comparisons
