//! What is asked of an execution.

use crate::ranks::MessageSpeed;
use petrio_scenario::given::GivenPlace;
use petrio_time::Time;
use petrio_units::Duration;
use std::ffi::OsString;
use std::path::PathBuf;
use std::str::FromStr;

/// What the program's own computing costs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Compute {
    /// The processor time of its threads, as this machine takes it: not the same twice.
    #[default]
    Measured,
    /// So much for each call that it makes.
    Fixed(Time),
    /// Nothing.
    None,
}

impl FromStr for Compute {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.split_once(':') {
            None if text == "measured" => Ok(Self::Measured),
            None if text == "none" => Ok(Self::None),
            None if text == "fixed" => Ok(Self::Fixed(Time::from_micros(1))),
            Some(("fixed", each)) => each
                .parse::<Duration>()
                .map(|each| Self::Fixed(each.time()))
                .map_err(|error| format!("fixed: {error}; write for example fixed:2us")),
            _ => Err(format!("{text:?} is none of measured, fixed:TIME (such as fixed:2us), none")),
        }
    }
}

/// An execution, as it is asked for.
#[derive(Clone, Debug)]
pub struct Options {
    /// Where the program lies.
    pub program: PathBuf,
    /// What it is called, and its arguments.
    pub command: Vec<OsString>,
    /// Where it begins; what lies below is on the simulated storage.
    pub directory: PathBuf,
    /// Further directories that lie there.
    pub storage: Vec<PathBuf>,
    /// What computing costs.
    pub compute: Compute,
    /// Whether its calls are delayed, and its clocks the machine's.
    pub real_time: bool,
    /// Where what it writes lies meanwhile; in memory, where nothing is said.
    pub scratch: Option<PathBuf>,
    /// How many bytes it may write, all together.
    pub limit: u64,
    /// Whether it reaches the host's network.
    pub network: bool,
    /// How many threads and processes there may be at one time.
    pub threads: u32,
    /// Variables of its environment beside those that petrio has.
    pub environment: Vec<(OsString, OsString)>,
    /// Whether it may have ranks of MPI, which wait for each other in memory.
    pub ranks: bool,
    /// The simulated hosts and their file systems: all is at the first, but for ranks of MPI, which lie on all of them in blocks, and whose
    /// messages the scenario's network carries where these are several.
    pub places: Vec<GivenPlace>,
    /// What messages between ranks of MPI cost on one host.
    pub messages: MessageSpeed,
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn what_computing_costs_is_a_word_or_a_time_a_call() {
        assert_eq!("measured".parse(), Ok(Compute::Measured));
        assert_eq!("fixed:2us".parse(), Ok(Compute::Fixed(Time::from_micros(2))));
        assert_eq!("none".parse(), Ok(Compute::None));
        assert!("fixed:2".parse::<Compute>().unwrap_err().contains("fixed:2us"));
        assert!("much".parse::<Compute>().unwrap_err().contains("measured"));
    }
}
