//! What the thesis leaves open, each as a named option with a sensible default.

use crate::namespace::Spread;
use petrio_units::Bytes;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Readings of what the thesis leaves open.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Readings {
    /// Which file that is there a session uses.
    pub choice: Choice,
    /// For what the share of users of a category is drawn.
    pub share_of: ShareOf,
    /// Where an access ends at the latest. Cut at the end of the file on every pass, and counted over regular files
    /// alone, accesses drawn with a mean of 1,024 bytes have one of 941, as the thesis' table 5.3 prints; cut only
    /// where all is accessed that was to be, they have one of 984.
    pub cut: Cut,
    /// How often a file is written before it is read: 1 writes it once, and whatever else is to be accessed is read.
    pub written: f64,
    /// How many sessions of its user a new file outlives; then it is deleted, so that the file system doesn't grow
    /// without bound.
    pub kept_sessions: u32,
    /// After which calls users think.
    pub think_after: ThinkAfter,
    /// Bytes of an entry of a directory: from its size follows how many it has.
    pub entry: Bytes,
    /// How sizes and depths of the files that are there beforehand are drawn.
    pub spread: Spread,
    /// Whether directories that have fewer files than their size says are filled up with empty ones.
    pub fill_directories: bool,
}

impl Default for Readings {
    fn default() -> Self {
        Self {
            choice: Choice::default(),
            share_of: ShareOf::default(),
            cut: Cut::default(),
            written: 1.0,
            kept_sessions: 10,
            think_after: ThinkAfter::default(),
            entry: Bytes(32),
            spread: Spread::default(),
            fill_directories: true,
        }
    }
}

/// Which file that is there a session uses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Choice {
    /// A size is drawn, and the file of the category whose size is nearest is taken; its bytes are accessed as often as
    /// the drawn size says, so that the drawn sizes carry the expectation.
    #[default]
    Nearest,
    /// Any file of the category, each as likely as any other; the distribution of sizes used is that of the files.
    Any,
}

/// For what a share of users is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ShareOf {
    /// For each login session anew.
    #[default]
    Sessions,
    /// Once for each user: a fixed trait.
    Users,
}

/// Where an access ends at the latest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Cut {
    /// At the end of the file, on every pass, and where all is accessed that was to be.
    #[default]
    EndOfFile,
    /// Where all is accessed that was to be. A read may ask for more than the file has left, and gets less; what was
    /// asked for counts.
    Quota,
}

/// After which calls users think.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ThinkAfter {
    /// After those that move data.
    #[default]
    Data,
    /// After every call.
    Every,
}
