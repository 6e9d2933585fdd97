//! Ivy's tables again: five replication policies at one to seven copies, on made-up traces.
//!
//! The traces of 1990 can't be had. Those of `examples/ivy/` are made up: sizes, lifetimes and counts after the paper's
//! §5, the rest tuned until one copy of every file does what the paper says of one copy. All other rows are
//! predictions.

mod agreement;
mod error;
mod figures;
mod inputs;
mod orderings;
mod own;
mod page;
mod paper;
mod rival;
mod run;
mod scenarios;
mod settings;
mod system;
mod what_if;

pub use agreement::{Agreement, Of, POINTS, agreements, deviations_off_percent, judged};
pub use error::IvyError;
pub use figures::{IvyFigures, differ};
pub use inputs::{analytic_disk, lives_of};
pub use orderings::{CLOSE, Ordering, orderings};
pub use own::{COPIES, OwnRow, OwnStudy, own_page, study_trace};
pub use page::figures_page;
pub use paper::{FileSystem, IvyPolicy, PaperTable, TABLES, one_copy};
pub use rival::{PIECES, Rival, rivals};
pub use run::{IvyRow, SEEDS, Tell, run_seeds, system_of, validate_ivy};
pub use scenarios::scenarios;
pub use settings::IvySettings;
pub use system::{IvySystem, run};
pub use what_if::{WhatIf, what_if};

#[cfg(test)]
mod tests;
