//! Hash maps that are only ever asked for keys: cheap hashing, the same on every machine, and never iterated.

use rustc_hash::FxBuildHasher;
use std::collections::HashMap;

/// A map for lookups. Nothing may depend on the order of its contents.
pub type FastMap<K, V> = HashMap<K, V, FxBuildHasher>;
