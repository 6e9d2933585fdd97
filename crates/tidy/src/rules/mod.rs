//! The rules, one subject a file. Each public function is one rule.

pub mod circles;
pub mod code;
pub mod documents;
pub mod files;
pub mod layers;
