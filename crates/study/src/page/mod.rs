//! Pieces of the pages of studies, in the style of the reports: tiles, tables, keys, curves, histograms.

pub(crate) mod curves;
pub(crate) mod histogram;
pub(crate) mod parts;

/// What these pieces need beyond the style of a report.
pub(crate) const STYLE: &str = include_str!("page.css");
