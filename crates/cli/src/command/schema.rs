//! `petrio schema`

use crate::failure::Failure;
use crate::output::print_json;
use clap::{Args, ValueEnum};
use petrio_scenario::catalogue;
use petrio_scenario::schema::{json_schema, users_schema};

/// Print the JSON schema of the scenario file, of a user specification and others, for editors and for reading
#[derive(Args)]
pub(crate) struct Schema {
    /// Of which file
    #[arg(value_enum, default_value = "scenario")]
    of: Of,
}

#[derive(Clone, Copy, ValueEnum)]
enum Of {
    /// A scenario
    Scenario,
    /// A user specification
    Users,
    /// A drive of the catalogue
    Device,
    /// A machine of the catalogue
    Machine,
    /// A kernel of the catalogue
    Kernel,
}

impl Schema {
    pub(crate) fn execute(&self) -> Result<(), Failure> {
        match self.of {
            Of::Scenario => print_json(&json_schema()),
            Of::Users => print_json(&users_schema()),
            Of::Device => print_json(&catalogue::device_schema()),
            Of::Machine => print_json(&catalogue::machine_schema()),
            Of::Kernel => print_json(&catalogue::kernel_schema()),
        }
    }
}
