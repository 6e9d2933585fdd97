//! What is asked of a stripe of which members are missing.

use petrio_persist::Persist;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What is asked of a stripe of which members are missing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Persist)]
#[serde(rename_all = "kebab-case")]
pub enum DegradedAccess {
    /// What Linux md asks (handle_stripe_dirtying and fetch_block of drivers/md/raid5.c): whoever has to work something out
    /// reads all that is left of the stripe, and what parity would be made of is read although nothing takes it.
    #[default]
    AllThatIsLeft,
    /// No more than is needed: as many units as a stripe has data, and nothing for parity that is lost (Holland and Gibson,
    /// "Parity declustering for continuous operation in redundant disk arrays", ASPLOS 1992).
    Fewest,
}
