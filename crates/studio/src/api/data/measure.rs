//! Measures of a trace that a distribution can stand for: those that `petrio fit` knows, and those of the usage
//! analyser by session.

use crate::quantity::Quantity;
use crate::refusal::Refusal;
use petrio_files::inputs::Inputs;
use petrio_study::fit::{Measure as OfCalls, Unit};
use petrio_study::users::analyse_file;
use petrio_trace::TraceOptions;
use petrio_users::SessionUsage;
use std::path::Path;

/// A number that a trace has many of, in its base unit.
#[derive(Clone, Copy)]
pub(crate) enum Measure {
    /// Of calls or requests.
    Calls(OfCalls),
    /// Of login sessions: its name, what it measures, and where it stands.
    Session(&'static str, Quantity, fn(&SessionUsage) -> f64),
}

/// Figures 5.3 to 5.5 of the thesis.
const OF_SESSIONS: [Measure; 3] = [
    Measure::Session("accesses a byte, by session", Quantity::Number, |session| session.accesses_per_byte),
    Measure::Session("mean file size, by session", Quantity::Bytes, |session| session.file_size),
    Measure::Session("files referenced, by session", Quantity::Number, |session| session.files as f64),
];

impl Measure {
    /// Those of a quantity, the usual one first.
    pub(crate) fn of(quantity: Quantity) -> Vec<Self> {
        let all = OfCalls::ALL.into_iter().map(Self::Calls).chain(OF_SESSIONS);
        all.filter(|measure| measure.quantity() == quantity).collect()
    }

    fn quantity(self) -> Quantity {
        match self {
            Self::Calls(measure) => match measure.unit() {
                Unit::None => Quantity::Number,
                Unit::Bytes => Quantity::Bytes,
                Unit::Time => Quantity::Duration,
            },
            Self::Session(_, quantity, _) => quantity,
        }
    }

    /// By what it is known to people.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Calls(measure) => measure.plural(),
            Self::Session(name, ..) => name,
        }
    }

    /// Its values in a trace.
    pub(crate) fn values(self, inputs: &Inputs, path: &Path) -> Result<Vec<f64>, Refusal> {
        let options = TraceOptions::default();
        match self {
            Self::Calls(measure) => {
                measure.of_trace(inputs, path, &options).map_err(|error| Refusal::of(&error))
            }
            Self::Session(_, _, value) => analyse_file(inputs, path, &options)
                .map(|found| found.usage.sessions.iter().map(value).collect())
                .map_err(|error| Refusal::of(&error)),
        }
    }
}
