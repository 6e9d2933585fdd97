//! What a person could change about a part to make it better: its parameters that say how fast or how large it is.
//!
//! A report asks "what if" by setting them, so that whoever sets them finds what the report says.

use std::fmt::Display;

/// A change of a part's parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct Lever {
    /// The stage that it concerns, below the part's own page: `mechanics`.
    pub stage: &'static str,
    /// What of the stage it changes, as one says what limits it: "rotation".
    pub part: &'static str,
    /// The change in words: "rotation twice as fast".
    pub change: &'static str,
    /// By how much; nothing where something else is put in its place.
    pub factor: Option<f64>,
    /// The parameters, each a path of the scenario and the value that it gets.
    pub settings: Vec<(String, String)>,
    /// The parts of the stage whose speed these parameters say.
    pub covers: &'static [&'static str],
    /// What is given up with it, where something is: "what a server hasn't written is lost when it fails".
    pub price: Option<&'static str>,
}

/// What twice as good means.
pub const TWICE: f64 = 2.0;

impl Lever {
    /// A lever that makes something twice as good.
    pub fn twice(stage: &'static str, part: &'static str, change: &'static str) -> Self {
        Self::times(TWICE, (stage, part), change)
    }

    /// A lever that makes a part of a stage better by a factor.
    pub fn times(factor: f64, (stage, part): (&'static str, &'static str), change: &'static str) -> Self {
        Self { stage, part, change, factor: Some(factor), settings: Vec::new(), covers: &[], price: None }
    }

    /// A lever that puts something else in a part's place.
    pub fn instead(stage: &'static str, part: &'static str, change: &'static str) -> Self {
        Self { factor: None, ..Self::twice(stage, part, change) }
    }

    /// A lever with which something is given up that isn't speed.
    #[must_use]
    pub fn at_a_price(self, price: &'static str) -> Self {
        Self { price: Some(price), ..self }
    }

    /// The words of the stage's parts whose speed it is.
    #[must_use]
    pub fn covering(self, covers: &'static [&'static str]) -> Self {
        Self { covers, ..self }
    }

    /// Whether it is a speed: what changes it leaves everything where it is, so that a run can go on with it from a state that was made
    /// without.
    pub const fn is_speed(&self) -> bool {
        !self.covers.is_empty()
    }

    /// Sets the parameter `name` below `path`.
    #[must_use]
    pub fn set(mut self, path: &str, name: &str, value: impl Display) -> Self {
        self.settings.push((format!("{path}.{name}"), value.to_string()));
        self
    }

    /// As [`Lever::set`], where there is a value.
    #[must_use]
    pub fn set_some(self, path: &str, name: &str, value: Option<impl Display>) -> Self {
        match value {
            Some(value) => self.set(path, name, value),
            None => self,
        }
    }

    /// Sets a time to half of what it is, unless it is none.
    #[must_use]
    pub fn halved(self, path: &str, name: &str, span: petrio_units::Duration) -> Self {
        self.set_some(path, name, halved(span))
    }

    /// The lever, if it changes anything.
    pub fn if_any(self) -> Option<Self> {
        (!self.settings.is_empty()).then_some(self)
    }
}

/// Half of a time, unless that is none.
pub fn halved(span: petrio_units::Duration) -> Option<petrio_units::Duration> {
    let half = petrio_kernel::Time::from_picos(span.time().as_picos() / 2);
    (half > petrio_kernel::Time::ZERO).then(|| petrio_units::Duration::new(half))
}

/// Twice a rate.
pub fn doubled(rate: petrio_units::Rate) -> Option<petrio_units::Rate> {
    petrio_units::Rate::new(rate.bytes_per_second() * TWICE)
}
