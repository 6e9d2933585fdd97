//! A study made ready: which cases there are, what runs one of them, and what keeps the rows.
//!
//! Who runs cases and who keeps rows need not be one: a study ([`SweepPlan::study`]) and what it reads are all that another process or
//! machine needs to run a case ([`SweepPlan::of_study`]), and rows are what comes back.

use super::design::Cases;
use super::error::SweepError;
use super::folder::{self, CASES_A_FILE, Folder, Shard};
use super::row::Row;
use super::runner::{OnStep, Runner};
use super::study::Study;
use super::{SweepProgress, SweepQuestion, Swept, cases_of, columns, study};
use crate::compare::Measure;
use petrio_files::inputs::Inputs;
use petrio_kernel::Watch;
use petrio_scenario::Override;
use std::collections::BTreeSet;
use std::ops::Range;
use std::path::Path;

/// A study made ready.
#[derive(Clone, Debug)]
pub struct SweepPlan {
    study: Study,
    cases: Cases,
    measures: Vec<Measure>,
    settings: Vec<Override>,
    inputs: Inputs,
    watch: Watch,
}

impl SweepPlan {
    /// Of what is asked; its folder, its shard and its threads don't matter here.
    ///
    /// # Errors
    /// Keys, values, measures or constraints that make no sense, a scenario none of whose first cases is one, files that can't be read.
    pub fn new(question: &SweepQuestion) -> Result<Self, SweepError> {
        let (study, cases, measures) = study(question)?;
        let settings = question.settings.clone();
        Ok(Self {
            study,
            cases,
            measures,
            settings,
            inputs: question.files.clone(),
            watch: question.watch.clone(),
        })
    }

    /// Of a study that somebody else has made ready, with what it reads. Its scenario is the study's text, whatever lies at its path.
    ///
    /// # Errors
    /// A study of another version, whose rows would not be those of the others.
    pub fn of_study(study: Study, inputs: Inputs, watch: Watch) -> Result<Self, SweepError> {
        study.is_of_this_version()?;
        let (cases, _, measures) = cases_of(&study)?;
        let settings = study.settings.iter().map(|setting| setting.parse());
        let settings = settings.collect::<Result<Vec<Override>, _>>().map_err(SweepError::setting)?;
        inputs.hold(&study.scenario, study.text.clone().into_bytes());
        Ok(Self { study, cases, measures, settings, inputs, watch })
    }

    /// What is asked.
    pub const fn study(&self) -> &Study {
        &self.study
    }

    /// Where its cases read from.
    pub const fn inputs(&self) -> &Inputs {
        &self.inputs
    }

    /// Its cases.
    pub const fn cases(&self) -> &Cases {
        &self.cases
    }

    pub(super) fn runner(&self) -> Runner<'_> {
        Runner {
            study: &self.study,
            settings: self.settings.clone(),
            cases: &self.cases,
            measures: self.measures.clone(),
            inputs: self.inputs.clone(),
            watch: self.watch.clone(),
        }
    }

    /// Reads every case of a shard that a folder doesn't have yet, and says how many cases the shard has in all.
    ///
    /// # Errors
    /// Cases that are no scenarios, no case at all, a folder of another study.
    pub fn check(&self, folder: &Path, shard: Shard, tell: &OnStep<'_>) -> Result<u64, SweepError> {
        let done = folder::done(folder, &self.study, &self.cases, shard)?;
        let of = self.runner().check(shard, |case| done.contains(&case), tell)?;
        if of == 0 && shard == Shard::ALL {
            return Err(SweepError::NoneLeft { count: self.cases.count() });
        }
        Ok(of)
    }

    /// Runs what a folder doesn't have yet of a shard, so many cases at once; left out, as many as there are processors.
    ///
    /// # Errors
    /// Whatever makes no sense is told before the first run; a run that fails, a folder that can't be written.
    pub fn sweep(
        &self,
        folder: &Path,
        shard: Shard,
        threads: Option<usize>,
        tell: &OnStep<'_>,
    ) -> Result<Swept, SweepError> {
        let of = self.check(folder, shard, tell)?;
        let mut kept = self.open(folder, shard)?;
        let found = kept.done();
        let mut so_far = found;
        tell(SweepProgress::Run { done: so_far, of });
        let threads =
            threads.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from)).max(1);
        let done: BTreeSet<u64> = kept.cases().collect();
        let ran = self.runner().run(
            (shard, threads),
            |case| done.contains(&case),
            |case, rows| {
                kept.keep(case, rows)?;
                so_far += 1;
                tell(SweepProgress::Run { done: so_far, of });
                Ok(())
            },
        );
        kept.finish()?;
        ran?;
        if so_far < of {
            return Err(SweepError::Stopped { done: so_far, of });
        }
        Ok(Swept { cases: of, found })
    }

    /// Runs a case, and gives its rows; nothing where it is no case. On as many processors as `side_by_side` allows.
    ///
    /// # Errors
    /// One that is no scenario, a run that fails or is stopped.
    pub fn run(&self, case: u64, side_by_side: bool) -> Result<Option<Vec<Row>>, SweepError> {
        self.runner().case_rows(case, side_by_side)
    }

    /// Runs some replications of a case, and gives their rows; nothing where it is no case.
    ///
    /// # Errors
    /// As of [`run`](Self::run).
    pub fn replications(&self, case: u64, which: Range<u32>) -> Result<Option<Vec<Row>>, SweepError> {
        self.runner().replications(case, which)
    }

    /// What the System of a case costs over its months (`docs/cost.md`), without a run; nothing where it is no case.
    ///
    /// # Errors
    /// One that is no scenario, or of which some part has no price.
    pub fn cost(&self, case: u64) -> Result<Option<f64>, SweepError> {
        self.runner().cost(case)
    }

    /// Opens the folder that keeps the rows of a shard; what it has is taken up.
    ///
    /// # Errors
    /// A folder of another study or that somebody else writes to, files that can't be read or written.
    pub fn open(&self, folder: &Path, shard: Shard) -> Result<Kept, SweepError> {
        let columns = columns(&self.study, &self.measures);
        let folder = Folder::open(folder, &self.study, &self.cases, columns, shard)?;
        // Somebody else may have run some meanwhile.
        let done = (0..self.cases.count()).filter(|case| shard.has(*case) && folder.has(*case)).collect();
        Ok(Kept { cases: self.cases.clone(), folder, done })
    }
}

/// The rows that a folder has, and that are added.
pub struct Kept {
    cases: Cases,
    folder: Folder,
    done: BTreeSet<u64>,
}

impl Kept {
    /// How many cases were there when it was opened.
    pub fn done(&self) -> u64 {
        self.done.len() as u64
    }

    /// Which cases were there when it was opened.
    pub fn cases(&self) -> impl Iterator<Item = u64> + '_ {
        self.done.iter().copied()
    }

    /// Adds the rows of a case.
    ///
    /// # Errors
    /// A file that can't be written: what was there before stays.
    pub fn keep(&mut self, case: u64, rows: Vec<Row>) -> Result<(), SweepError> {
        self.folder.keep(case, rows)?;
        self.close(case / CASES_A_FILE)
    }

    fn close(&mut self, chunk: u64) -> Result<(), SweepError> {
        let Self { cases, folder, .. } = self;
        folder.close_complete(chunk, |case| Ok(cases.values(case)?.is_some()), cases.count())
    }

    /// Leaves nothing but results where nothing is left to be done.
    ///
    /// # Errors
    /// As of [`keep`](Self::keep).
    pub fn finish(mut self) -> Result<(), SweepError> {
        for chunk in 0..self.cases.count().div_ceil(CASES_A_FILE) {
            self.close(chunk)?;
        }
        self.folder.finish()
    }
}
