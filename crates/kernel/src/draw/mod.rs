//! Nets as data: drawings and exports.
