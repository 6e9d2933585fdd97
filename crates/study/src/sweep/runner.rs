//! Runs the cases of a study: all that there are are read first, so that none that is no scenario ends a night's work; then as many at once as
//! there are threads, each with nothing of another in memory.

use super::SweepProgress;
use super::design::Cases;
use super::error::SweepError;
use super::folder::Shard;
use super::row::Row;
use super::study::{Replications, Study};
use crate::compare::Measure;
use crate::glance::busiest;
use petrio_files::inputs::Inputs;
use petrio_kernel::Watch;
use petrio_kernel::statistics::{Interval, Tally};
use petrio_scenario::costs::Costs;
use petrio_scenario::report::Report;
use petrio_scenario::run::Replicator;
use petrio_scenario::{Loaded, Override, Problems, load_in};
use rayon::prelude::*;
use sha2::{Digest, Sha256};
use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{SyncSender, sync_channel};

/// Illegal cases that are told in full.
const TOLD_MAX: usize = 5;
/// Replications after which a precision is first looked at.
const LEAST_FOR_PRECISION: u32 = 5;

/// Everything that running a case needs.
pub(super) struct Runner<'s> {
    pub(super) study: &'s Study,
    pub(super) settings: Vec<Override>,
    pub(super) cases: &'s Cases,
    pub(super) measures: Vec<Measure>,
    pub(super) inputs: Inputs,
    pub(super) watch: Watch,
}

impl Runner<'_> {
    /// A case's values, and its settings in words.
    fn case(&self, case: u64) -> Result<Option<(Vec<String>, String)>, SweepError> {
        let Some(values) = self.cases.values(case)? else { return Ok(None) };
        let told = super::settings(self.cases.factors(), &values).join(", ");
        Ok(Some((values, told)))
    }

    fn load(&self, values: &[String]) -> Result<Loaded, Problems> {
        let varied = self.cases.factors().iter().zip(values);
        let mut settings = self.settings.clone();
        settings.extend(varied.map(|(factor, value)| Override::new(&factor.path, value)));
        // Cases that differ by their seed have one each.
        if !self.cases.varies("seed") {
            settings.push(Override::new("seed", &self.study.seed.to_string()));
        }
        load_in(&self.inputs, &self.study.scenario, &settings, &self.watch)
    }

    /// Reads every case that is to be run.
    pub(super) fn check(
        &self,
        shard: Shard,
        is_done: impl Fn(u64) -> bool + Sync,
        tell: &OnStep<'_>,
    ) -> Result<u64, SweepError> {
        let (illegal, more) = (Mutex::new(Vec::new()), AtomicU64::new(0));
        let (checked, of) = (AtomicU64::new(0), self.cases.count() / shard.of);
        let fine = (0..self.cases.count()).into_par_iter().filter(|case| shard.has(*case)).map(|case| {
            let Some((values, told)) = self.case(case)? else { return Ok::<u64, SweepError>(0) };
            if is_done(case) || self.watch.is_stopped() {
                return Ok(1);
            }
            if let Err(problems) = self.load(&values) {
                let mut illegal = illegal.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
                illegal.push((case, told, Box::new(problems)));
                illegal.sort_by_key(|(case, ..)| *case);
                if illegal.len() > TOLD_MAX {
                    illegal.pop();
                    more.fetch_add(1, Ordering::Relaxed);
                }
            }
            tell(SweepProgress::Checked { done: checked.fetch_add(1, Ordering::Relaxed) + 1, of });
            Ok(1)
        });
        let count = fine.try_reduce(|| 0, |one, other| Ok(one + other))?;
        let illegal = illegal.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
        if illegal.is_empty() || self.watch.is_stopped() {
            return Ok(count);
        }
        let more = petrio_units::numbers::as_index(more.into_inner());
        Err(SweepError::Illegal {
            cases: illegal.into_iter().map(|(_, told, problems)| (told, problems)).collect(),
            more,
        })
    }

    /// Runs the cases of a shard that aren't done, and gives their rows to `keep`, in whichever order they end.
    pub(super) fn run(
        &self,
        (shard, threads): (Shard, usize),
        is_done: impl Fn(u64) -> bool + Sync,
        mut keep: impl FnMut(u64, Vec<Row>) -> Result<(), SweepError>,
    ) -> Result<(), SweepError> {
        let (next, gone) = (AtomicU64::new(0), AtomicBool::new(false));
        let left = AtomicU64::new(self.cases.count());
        // What is done waits here for its place in the folder; who has much to give waits, too.
        let (send, receive) = sync_channel(threads * 2);
        std::thread::scope(|scope| {
            for _ in 0..threads {
                let (send, next, gone, is_done, left) = (send.clone(), &next, &gone, &is_done, &left);
                scope.spawn(move || self.work((shard, threads), (next, left), (gone, is_done), &send));
            }
            drop(send);
            let mut outcome = Ok(());
            for (case, rows) in receive {
                let kept = rows.and_then(|rows| keep(case, rows));
                if let (Err(error), true) = (kept, outcome.is_ok()) {
                    gone.store(true, Ordering::Relaxed);
                    self.watch.stop();
                    outcome = Err(error);
                }
            }
            outcome
        })
    }

    fn work(
        &self,
        (shard, threads): (Shard, usize),
        (next, left): (&AtomicU64, &AtomicU64),
        (gone, is_done): (&AtomicBool, &(impl Fn(u64) -> bool + Sync)),
        send: &SyncSender<(u64, Result<Vec<Row>, SweepError>)>,
    ) {
        loop {
            let case = next.fetch_add(1, Ordering::Relaxed);
            if case >= self.cases.count() || gone.load(Ordering::Relaxed) || self.watch.is_stopped() {
                return;
            }
            let left = left.fetch_sub(1, Ordering::Relaxed);
            if !shard.has(case) || is_done(case) {
                continue;
            }
            // With fewer cases than threads, what is left of these runs replications.
            let side_by_side = left < threads as u64 * shard.of;
            let Some(rows) = self.case_rows(case, side_by_side).transpose() else { continue };
            // One that was stopped half-way is none.
            if self.watch.is_stopped() || send.send((case, rows)).is_err() {
                return;
            }
        }
    }

    /// All replications of a case by its number; nothing where it is none.
    pub(super) fn case_rows(&self, case: u64, side_by_side: bool) -> Result<Option<Vec<Row>>, SweepError> {
        self.case(case)?.map(|found| self.rows(case, found, side_by_side)).transpose()
    }

    /// Some replications of a case by their numbers; nothing where it is no case.
    pub(super) fn replications(&self, case: u64, which: Range<u32>) -> Result<Option<Vec<Row>>, SweepError> {
        let Some((values, told)) = self.case(case)? else { return Ok(None) };
        self.with_case((values, told), |ready| {
            let run = |number: u32| Ok(self.row(case, number.into(), ready, &ready.run(number)?));
            which.map(run).collect::<Result<Vec<Row>, SweepError>>().map(Some)
        })
    }

    /// What the System of a case costs.
    pub(super) fn cost(&self, case: u64) -> Result<Option<f64>, SweepError> {
        let Some((values, settings)) = self.case(case)? else { return Ok(None) };
        let loaded = self.load(&values).map_err(|problems| SweepError::Illegal {
            cases: vec![(settings.clone(), Box::new(problems))],
            more: 0,
        })?;
        Costs::of(&loaded).total().map(Some).map_err(|why| SweepError::NoCost { settings, why })
    }

    /// Reads and builds a case, and does something with it.
    fn with_case<T>(
        &self,
        (values, told): (Vec<String>, String),
        work: impl FnOnce(&Ready<'_>) -> Result<T, SweepError>,
    ) -> Result<T, SweepError> {
        let loaded = self.load(&values).map_err(|problems| SweepError::Illegal {
            cases: vec![(told.clone(), Box::new(problems))],
            more: 0,
        })?;
        let key = self.key(&loaded);
        match Replicator::new(&loaded) {
            Ok(replicator) => work(&Ready { values, told, key, replicator }),
            Err(failure) => Err(SweepError::Run { settings: told, failure: Box::new(failure) }),
        }
    }

    /// All replications of a case.
    fn rows(
        &self,
        case: u64,
        found: (Vec<String>, String),
        side_by_side: bool,
    ) -> Result<Vec<Row>, SweepError> {
        self.with_case(found, |ready| self.rows_of(case, ready, side_by_side))
    }

    fn rows_of(&self, case: u64, ready: &Ready<'_>, side_by_side: bool) -> Result<Vec<Row>, SweepError> {
        let run = |from: u32, until: u32| -> Result<Vec<Report>, SweepError> {
            if side_by_side {
                (from..until).into_par_iter().map(|number| ready.run(number)).collect()
            } else {
                (from..until).map(|number| ready.run(number)).collect()
            }
        };
        let Replications { count, precision, .. } = self.study.replications;
        let first = if precision.is_some() { LEAST_FOR_PRECISION.min(count) } else { count };
        let mut reports = run(0, first)?;
        while let Some(precision) = precision {
            let done = u32::try_from(reports.len()).unwrap_or(count);
            if done >= count || self.is_known(&reports, precision) || self.watch.is_stopped() {
                break;
            }
            reports.extend(run(done, (done + LEAST_FOR_PRECISION).min(count))?);
        }
        let row = |(number, report): (usize, &Report)| self.row(case, number as u64, ready, report);
        Ok(reports.iter().enumerate().map(row).collect())
    }

    fn row(&self, case: u64, replication: u64, ready: &Ready<'_>, report: &Report) -> Row {
        let (busiest, utilisation) = busiest(report).unzip();
        Row {
            case,
            replication,
            key: ready.key.clone(),
            values: ready.values.clone(),
            figures: self
                .measures
                .iter()
                .map(|measure| Some(measure.of(report)?.value).filter(|value| value.is_finite()))
                .collect(),
            busiest,
            utilisation,
            warnings: report.warnings.iter().map(|warning| warning.text.clone()).collect(),
        }
    }

    /// Whether the first measure is known to a part of its mean; one that no report has is as known as it will be.
    fn is_known(&self, reports: &[Report], precision: f64) -> bool {
        let Some(measure) = self.measures.first() else { return true };
        let tally: Tally = reports.iter().filter_map(|report| Some(measure.of(report)?.value)).collect();
        tally.count() < 2 || Interval::of(&tally, self.study.replications.confidence).relative() <= precision
    }

    /// The hash of the effective scenario, its inputs, the seed and the version.
    fn key(&self, loaded: &Loaded) -> String {
        let mut hash = Sha256::new();
        hash.update(self.study.version.as_bytes());
        for (path, digest) in &self.study.inputs {
            hash.update(path.as_os_str().as_encoded_bytes());
            hash.update(digest.as_bytes());
        }
        // The seed is one of its keys.
        hash.update(serde_json::to_vec(&loaded.scenario).unwrap_or_default());
        hex(&hash.finalize()[..16])
    }
}

/// A case, read and built, of which any replication can be run.
struct Ready<'l> {
    values: Vec<String>,
    /// Its settings in words.
    told: String,
    key: String,
    replicator: Replicator<'l>,
}

impl Ready<'_> {
    fn run(&self, number: u32) -> Result<Report, SweepError> {
        let failed = |failure| SweepError::Run { settings: self.told.clone(), failure: Box::new(failure) };
        self.replicator.run(number.into()).map_err(failed)
    }
}

/// Tells how far a study has come; from several threads.
pub type OnStep<'a> = dyn Fn(SweepProgress) + Sync + 'a;

pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
