//! Pages of the storage path
