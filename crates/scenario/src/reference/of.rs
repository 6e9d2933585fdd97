//! The files that petrio reads keys from.

/// The files that petrio reads keys from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Of {
    /// A scenario.
    Scenario,
    /// A user specification.
    Users,
    /// A drive of the catalogue.
    Device,
    /// A machine of the catalogue.
    Machine,
    /// A kernel of the catalogue.
    Kernel,
    /// A report as JSON.
    Report,
    /// A profile of faults.
    Faults,
}

impl Of {
    /// Each of them.
    pub const ALL: [Self; 7] =
        [Self::Scenario, Self::Users, Self::Device, Self::Machine, Self::Kernel, Self::Report, Self::Faults];

    /// The word for it on the command line.
    pub fn word(self) -> &'static str {
        match self {
            Self::Scenario => "scenario",
            Self::Users => "users",
            Self::Device => "device",
            Self::Machine => "machine",
            Self::Kernel => "kernel",
            Self::Report => "report",
            Self::Faults => "faults",
        }
    }

    /// What it is.
    pub fn title(self) -> &'static str {
        match self {
            Self::Scenario => "A scenario",
            Self::Users => "A user specification",
            Self::Device => "A drive of the catalogue",
            Self::Machine => "A machine of the catalogue",
            Self::Kernel => "A kernel of the catalogue",
            Self::Report => "A report as JSON",
            Self::Faults => "A profile of faults",
        }
    }
}
