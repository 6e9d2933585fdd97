//! What drives have counted of themselves, beside what they were asked.

use crate::figure::{Tables, figures};
use crate::section::Entry;
use petrio_page::numbers::counted;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One thing that a drive has counted, or all equal ones together, where there was any; of several replications the mean.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CountedFigures {
    /// The drive; of equal ones their class.
    pub name: String,
    /// What is counted.
    pub what: String,
    /// How many drives have counted.
    pub drives: u64,
    /// How many there were, of all these drives, from the run's beginning on.
    pub count: u64,
}

figures! { CountedFigures:
    count => "counted" One Neither;
}

impl Entry for CountedFigures {
    const PART: &'static str = "drives' counts";
    const IS_APART: bool = false;

    fn name(&self) -> &str {
        &self.name
    }

    fn is_same(&self, other: &Self) -> bool {
        (&self.name, &self.what) == (&other.name, &other.what)
    }

    fn tables<'e>(to: &mut Tables<'e, Self>) {
        to.table(Self::PART, |entry: &'e Self| vec![(entry.name(), entry.what.clone(), entry)]);
    }

    fn sentence(&self) -> String {
        counted(self.count, &self.what, &self.what)
    }
}
