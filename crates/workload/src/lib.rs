//! Programs: patterns, distributions and traces
