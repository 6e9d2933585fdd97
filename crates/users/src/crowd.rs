//! Users at work, as a scenario names them.

use super::population::USERS_MAX;
use indexmap::IndexMap;
use petrio_distribution::Draw;
use petrio_units::Bytes;
use petrio_workload::program::ProgramError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// Users at work, as a scenario names them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Users {
    /// The user specification, relative to the scenario's folder.
    pub specification: PathBuf,
    /// How many users are at work at once.
    #[serde(default = "one")]
    pub users: u32,
    /// How many login sessions each of their processes has.
    #[serde(default = "fifty")]
    pub sessions: u32,
    /// How many of the users are of which type, instead of what the specification says; types left out are nobody's.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub shares: IndexMap<String, f64>,
    /// The file systems, of the same host, on which the specification's places lie; those left out, on that of the
    /// workload itself.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub places: IndexMap<String, String>,
    /// Bytes of one access, for users of all types, instead of what the specification says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub access: Option<Draw<Bytes>>,
}

impl Users {
    /// So many users, with so many sessions each.
    pub fn new(specification: impl Into<PathBuf>, users: u32, sessions: u32) -> Self {
        Self {
            specification: specification.into(),
            users,
            sessions,
            shares: IndexMap::new(),
            places: IndexMap::new(),
            access: None,
        }
    }

    /// Checks what can be told without the specification.
    ///
    /// # Errors
    /// A number that can't be.
    pub fn validate(&self) -> Result<(), ProgramError> {
        for (parameter, number, most) in
            [("users", self.users, USERS_MAX), ("sessions", self.sessions, SESSIONS_MAX)]
        {
            if number == 0 || number > most {
                return Err(ProgramError::parameter(
                    parameter,
                    format!("between 1 and {most}, not {number}"),
                ));
            }
        }
        Ok(())
    }
}

const fn one() -> u32 {
    1
}

const fn fifty() -> u32 {
    50
}

/// Most sessions of a process.
const SESSIONS_MAX: u32 = 1 << 20;
