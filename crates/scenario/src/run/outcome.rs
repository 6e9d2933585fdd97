//! What a run gave: what its programs got, and what was seen of the System meanwhile.

use crate::claim::{Claim, Sentence};
use crate::report::{
    Activity, ArrayFigures, CopiesFigures, CreditFigures, Held, JobFigures, MemoryFigures, PathsFigures,
    ProfileFigures, Rates, Served, Stage, TrafficFigures,
};
use petrio_kernel::Time;

/// What a run gave.
pub(crate) struct Outcome {
    /// What its programs got; where there are two sorts, those that work on files.
    pub(crate) served: Served,
    pub(crate) beside: Option<Box<Served>>,
    /// Of each, whether more of it comes than is served.
    pub(crate) overloaded: [bool; 2],
    /// Things to check before these figures are trusted.
    pub(crate) warnings: Vec<Sentence>,
    pub(crate) stages: Vec<Stage>,
    pub(crate) rates: Vec<Rates>,
    pub(crate) activity: Vec<Activity>,
    pub(crate) copies: Vec<CopiesFigures>,
    pub(crate) arrays: Vec<ArrayFigures>,
    pub(crate) paths: Vec<PathsFigures>,
    pub(crate) profiles: Vec<ProfileFigures>,
    pub(crate) traffic: Vec<TrafficFigures>,
    pub(crate) memory: Vec<MemoryFigures>,
    pub(crate) held: Vec<Held>,
    pub(crate) credits: Vec<CreditFigures>,
    pub(crate) jobs: Vec<JobFigures>,
    pub(crate) end: Time,
    pub(crate) cut_at: Time,
    /// Firings of the net.
    pub(crate) firings: u64,
}

impl Outcome {
    /// What the programs of each sort got.
    pub(crate) fn each(&self) -> impl Iterator<Item = &Served> {
        std::iter::once(&self.served).chain(self.beside.as_deref())
    }
}

/// What a run gave beside what its programs got.
pub(super) struct Ran {
    pub(super) stages: Vec<Stage>,
    pub(super) rates: Vec<Rates>,
    pub(super) activity: Vec<Activity>,
    pub(super) copies: Vec<CopiesFigures>,
    pub(super) arrays: Vec<ArrayFigures>,
    pub(super) paths: Vec<PathsFigures>,
    pub(super) profiles: Vec<ProfileFigures>,
    pub(super) traffic: Vec<TrafficFigures>,
    pub(super) memory: Vec<MemoryFigures>,
    pub(super) held: Vec<Held>,
    pub(super) credits: Vec<CreditFigures>,
    pub(super) jobs: Vec<JobFigures>,
    pub(super) of_links: Vec<Sentence>,
    pub(super) end: Time,
    pub(super) cut_at: Time,
    pub(super) firings: u64,
}

impl Ran {
    /// With what they got: those that work on files, or the only ones, and those beside them, each with what to check before it is
    /// trusted.
    pub(super) fn outcome(
        self,
        (served, mut warnings): (Served, Vec<Sentence>),
        beside: Option<(Served, Vec<Sentence>)>,
    ) -> Outcome {
        let Self {
            stages,
            rates,
            activity,
            copies,
            arrays,
            paths,
            profiles,
            traffic,
            memory,
            held,
            credits,
            jobs,
            of_links,
            end,
            cut_at,
            firings,
        } = self;
        let is_told = |told: &[Sentence]| told.iter().any(|told| told.claim == Claim::Overloaded);
        let overloaded = [is_told(&warnings), beside.as_ref().is_some_and(|(_, told)| is_told(told))];
        warnings.extend(of_links);
        let beside = beside.map(|(served, more)| {
            warnings.extend(more);
            Box::new(served)
        });
        Outcome {
            served,
            beside,
            overloaded,
            warnings,
            stages,
            rates,
            activity,
            copies,
            arrays,
            paths,
            profiles,
            traffic,
            memory,
            held,
            credits,
            jobs,
            end,
            cut_at,
            firings,
        }
    }
}
