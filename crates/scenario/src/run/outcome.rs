//! What a run gave: what its programs got, and what was seen of the System meanwhile.

use crate::claim::{Claim, Sentence};
use crate::report::{Report, Served};
use petrio_kernel::Time;

/// What a run gave.
pub(crate) struct Outcome {
    /// What it came to; its warnings are those of the run itself.
    pub(crate) report: Report,
    /// Of what its programs and those beside them got, whether more of it comes than is served.
    pub(crate) overloaded: [bool; 2],
}

/// What a run gave beside what its programs got.
pub(super) struct Ran {
    pub(super) report: Report,
    pub(super) of_links: Vec<Sentence>,
    pub(super) end: Time,
}

impl Ran {
    /// With what they got: those that work on files, or the only ones, and those beside them, each with what to check before it is
    /// trusted.
    pub(super) fn outcome(
        self,
        (served, mut warnings): (Served, Vec<Sentence>),
        beside: Option<(Served, Vec<Sentence>)>,
    ) -> Outcome {
        let is_told = |told: &[Sentence]| told.iter().any(|told| told.claim == Claim::Overloaded);
        let overloaded = [is_told(&warnings), beside.as_ref().is_some_and(|(_, told)| is_told(told))];
        warnings.extend(self.of_links);
        let beside = beside.map(|(served, more)| {
            warnings.extend(more);
            Box::new(served)
        });
        Outcome { report: Report { served, beside, warnings, ..self.report }, overloaded }
    }
}
