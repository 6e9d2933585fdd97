//! Sweeps: planned and kept here, run here or wherever an executor puts them.
//!
//! A [`Plan`] is what is asked, ready; its parcel is a value that another process makes a [`Worker`] of. A worker gives rows as bytes, and
//! [`KeptRows`] is the folder that takes them. Rows are the same wherever they are made.

use crate::answer::Answer;
use crate::error::{self, Raised, wrong};
use crate::scenario::Scenario;
use crate::table::{Column, Table};
use crate::waiting::waited;
use petrio_files::inputs::Inputs;
use petrio_kernel::Watch;
use petrio_study::sweep::{
    Design, Factor, Kept, Row, Shard, Study, SweepError, SweepPlan, SweepProgress, SweepQuestion,
    SweepResults, factors_of_table, findings, results, sweep_page, sweep_text, write_csv,
};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Columns of its text.
const WIDTH: usize = 110;

fn failure(error: SweepError) -> PyErr {
    match error {
        SweepError::Scenario(problems) => error::scenario(&problems),
        // What is wrong with cases is wrong with scenarios.
        illegal @ SweepError::Illegal { .. } => error::scenarios(&illegal),
        other => error::plain(&other),
    }
}

/// What `petrio.sweep` asks, as the command has it.
#[pyclass(frozen, module = "petrio._petrio")]
pub(crate) struct Plan {
    plan: SweepPlan,
    watch: Watch,
}

/// A design by the name that the command has for it.
fn design(name: Option<&str>, points: u64) -> PyResult<Design> {
    Ok(match name {
        None => Design::Grid,
        Some("together" | "table") => Design::Table,
        Some("latin-hypercube") => Design::LatinHypercube(points),
        Some("sobol") => Design::Sobol(points),
        Some("saltelli") => Design::Saltelli(points),
        Some(other) => {
            return Err(wrong(format!(
                "there is no design \"{other}\": \"together\", \"latin-hypercube\", \"sobol\", \"saltelli\", or None for a grid"
            )));
        }
    })
}

#[pymethods]
impl Plan {
    #[new]
    #[pyo3(signature = (scenario, vary, *, cases=None, sample=None, points=0, constraints=Vec::new(), seed=None, replications=None, precision=None, measures=Vec::new()))]
    #[expect(clippy::too_many_arguments, reason = "they are keywords of petrio.sweep")]
    fn new(
        py: Python<'_>,
        scenario: &Scenario,
        vary: Vec<String>,
        cases: Option<PathBuf>,
        sample: Option<&str>,
        points: u64,
        constraints: Vec<String>,
        seed: Option<u64>,
        replications: Option<u32>,
        precision: Option<f64>,
        measures: Vec<String>,
    ) -> PyResult<Self> {
        scenario.own.refused("sweep")?;
        let factors = match &cases {
            Some(table) => factors_of_table(table, &Inputs::here()),
            None => vary.iter().map(|text| text.parse::<Factor>()).collect(),
        };
        let watch = Watch::new();
        let question = SweepQuestion {
            scenario: scenario.path.clone(),
            files: scenario.inputs(),
            settings: scenario.settings(None),
            factors: factors.map_err(failure)?,
            design: design(sample, points)?,
            constraints,
            seed,
            replications,
            precision,
            measures,
            // These are asked of what is planned.
            folder: PathBuf::new(),
            shard: Shard::ALL,
            threads: None,
            watch: watch.clone(),
        };
        let plan = waited(py, &watch, || SweepPlan::new(&question))?.map_err(failure)?;
        Ok(Self { plan, watch })
    }

    /// What another process needs: what is asked (JSON), and the files that its cases read, by path.
    fn parcel(&self) -> PyResult<(String, BTreeMap<PathBuf, Vec<u8>>)> {
        let study = serde_json::to_string(self.plan.study()).map_err(|cause| wrong(cause.to_string()))?;
        let inputs = self.plan.inputs();
        let files = self.plan.study().inputs.keys().filter(|path| !path.is_dir());
        let held = files.map(|path| {
            let bytes =
                inputs.read(path, u64::MAX).map_err(|cause| wrong(format!("{}: {cause}", path.display())))?;
            Ok((path.clone(), bytes))
        });
        Ok((study, held.collect::<PyResult<_>>()?))
    }

    /// How many cases there are, those that constraints leave out among them.
    #[getter]
    const fn count(&self) -> u64 {
        self.plan.cases().count()
    }

    /// The values of a case by its number, in the order of the keys; nothing where constraints leave it out.
    fn values(&self, case: u64) -> PyResult<Option<Vec<String>>> {
        self.plan.cases().values(case).map_err(failure)
    }

    /// What the System of a case costs by the prices of the catalogue and the scenario, without a run.
    fn cost(&self, case: u64) -> PyResult<Option<f64>> {
        self.plan.cost(case).map_err(failure)
    }

    /// The measures that rows have, in their order.
    #[getter]
    fn measures(&self) -> Vec<String> {
        self.plan.study().measures.clone()
    }

    /// What some replications of a case measured, in the order of the measures.
    fn figures(&self, py: Python<'_>, case: u64, first: u32, until: u32) -> PyResult<Vec<Vec<Option<f64>>>> {
        let rows =
            waited(py, &self.watch, || self.plan.replications(case, first..until))?.map_err(failure)?;
        Ok(rows.unwrap_or_default().into_iter().map(|row| row.figures).collect())
    }

    /// Reads every case that a folder doesn't have yet, and says how many it is to have in all.
    fn check(&self, py: Python<'_>, folder: PathBuf) -> PyResult<u64> {
        waited(py, &self.watch, || self.plan.check(&folder, Shard::ALL, &|_| ()))?.map_err(failure)
    }

    /// Runs what a folder doesn't have yet here, on threads, as the command does; how many cases there are, and how many were there already.
    #[pyo3(signature = (folder, threads=None, progress=None))]
    fn sweep(
        &self,
        py: Python<'_>,
        folder: PathBuf,
        threads: Option<usize>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<(u64, u64)> {
        let raised = Raised::default();
        let tell = |step| {
            let (SweepProgress::Run { done, of }, Some(told)) = (step, &progress) else { return };
            if !raised.call(told, (done, of)) {
                self.watch.stop();
            }
        };
        let swept = waited(py, &self.watch, || self.plan.sweep(&folder, Shard::ALL, threads, &tell))?;
        raised.again()?;
        let swept = swept.map_err(failure)?;
        Ok((swept.cases, swept.found))
    }
}

/// Runs cases of a study that somebody else has made ready.
#[pyclass(frozen, module = "petrio._petrio")]
pub(crate) struct Worker {
    plan: SweepPlan,
    watch: Watch,
}

#[pymethods]
impl Worker {
    /// Of a parcel.
    #[new]
    fn new(study: &str, held: BTreeMap<PathBuf, Vec<u8>>) -> PyResult<Self> {
        let study: Study =
            serde_json::from_str(study).map_err(|cause| wrong(format!("no study: {cause}")))?;
        let (inputs, watch) = (Inputs::here(), Watch::new());
        for (path, bytes) in held {
            inputs.hold(&path, bytes);
        }
        let plan = SweepPlan::of_study(study, inputs, watch.clone()).map_err(failure)?;
        Ok(Self { plan, watch })
    }

    /// The rows of these cases, as `KeptRows.keep` takes them.
    fn run<'py>(&self, py: Python<'py>, cases: Vec<u64>) -> PyResult<Vec<(u64, Bound<'py, PyBytes>)>> {
        let rows = waited(py, &self.watch, || {
            let of = |case: u64| Ok(self.plan.run(case, false)?.map(|rows| (case, rows)));
            cases.into_iter().filter_map(|case| of(case).transpose()).collect::<Result<Vec<_>, SweepError>>()
        })?;
        let rows = rows.map_err(failure)?;
        rows.into_iter()
            .map(|(case, rows)| {
                let bytes = serde_json::to_vec(&rows).map_err(|cause| wrong(cause.to_string()))?;
                Ok((case, PyBytes::new(py, &bytes)))
            })
            .collect()
    }
}

/// A sweep's folder, open for rows.
#[pyclass(frozen, module = "petrio._petrio")]
pub(crate) struct KeptRows {
    kept: Mutex<Option<Kept>>,
    left: Vec<u64>,
    found: u64,
}

#[pymethods]
impl KeptRows {
    /// Opens a plan's folder, or makes it; what it has is taken up.
    #[new]
    fn new(plan: &Plan, folder: PathBuf) -> PyResult<Self> {
        let kept = plan.plan.open(&folder, Shard::ALL).map_err(failure)?;
        let done: std::collections::BTreeSet<u64> = kept.cases().collect();
        let mut left = Vec::new();
        for case in (0..plan.plan.cases().count()).filter(|case| !done.contains(case)) {
            if plan.plan.cases().values(case).map_err(failure)?.is_some() {
                left.push(case);
            }
        }
        Ok(Self { found: kept.done(), kept: Mutex::new(Some(kept)), left })
    }

    /// The cases that are still to be run.
    #[getter]
    fn left(&self) -> Vec<u64> {
        self.left.clone()
    }

    /// How many were there already.
    #[getter]
    const fn found(&self) -> u64 {
        self.found
    }

    /// Takes the rows of a case.
    fn keep(&self, case: u64, rows: &[u8]) -> PyResult<()> {
        let rows: Vec<Row> =
            serde_json::from_slice(rows).map_err(|cause| wrong(format!("no rows: {cause}")))?;
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = kept.as_mut().ok_or_else(|| wrong("the folder is closed"))?;
        kept.keep(case, rows).map_err(failure)
    }

    /// Closes it: whole where all cases are there, or as it is, for another day.
    fn close(&self) -> PyResult<()> {
        match self.kept.lock().unwrap_or_else(PoisonError::into_inner).take() {
            Some(kept) => kept.finish().map_err(failure),
            None => Ok(()),
        }
    }
}

/// The rows that a sweep's folder has by now; written as CSV, too, where that is asked for.
#[pyfunction]
#[pyo3(signature = (folder, csv=None))]
pub(crate) fn sweep_rows(folder: PathBuf, csv: Option<PathBuf>) -> PyResult<Table> {
    let results = results(&folder).map_err(failure)?;
    if let Some(csv) = &csv {
        write_csv(&results, csv, &Inputs::here()).map_err(failure)?;
    }
    rows(&results)
}

/// What they say by one of the measures (left out, the first).
#[pyfunction]
#[pyo3(signature = (folder, measure=None))]
pub(crate) fn sweep_findings(folder: PathBuf, measure: Option<&str>) -> PyResult<Answer> {
    let results = results(&folder).map_err(failure)?;
    let found = findings(&results, place_of(&results, &folder, measure)?);
    Ok(Answer {
        text: sweep_text(&results, &found, WIDTH),
        json: serde_json::to_string_pretty(&found).map_err(|cause| wrong(cause.to_string()))?,
        html: sweep_page(&results, &found).html(),
    })
}

fn place_of(results: &SweepResults, folder: &Path, measure: Option<&str>) -> PyResult<usize> {
    let Some(asked) = measure else { return Ok(0) };
    let named = petrio_study::compare::Measure::parse(asked).map_err(|cause| error::plain(&cause))?;
    let place = results.measures.iter().position(|known| *known == named);
    place.ok_or_else(|| {
        let known: Vec<String> = results.measures.iter().map(ToString::to_string).collect();
        wrong(format!("{} keeps no {asked}\n help: it keeps {}", folder.display(), known.join(", ")))
    })
}

/// The rows as columns: what identifies a run, what was varied, what was measured.
fn rows(results: &SweepResults) -> PyResult<Table> {
    let rows = &results.rows;
    let whole =
        |of: fn(&Row) -> u64| Column::Whole(rows.iter().map(|row| i64::try_from(of(row)).ok()).collect());
    let text = |of: &dyn Fn(&Row) -> Option<String>| Column::Text(rows.iter().map(of).collect());
    let mut all = vec![
        ("case".to_owned(), whole(|row| row.case)),
        ("replication".to_owned(), whole(|row| row.replication)),
        ("key".to_owned(), text(&|row| Some(row.key.clone()))),
    ];
    for (at, factor) in results.study.factors.iter().enumerate() {
        let values: Vec<Option<&String>> = rows.iter().map(|row| row.values.get(at)).collect();
        let numbers: Vec<Option<f64>> =
            values.iter().map(|value| value.and_then(|value| value.parse().ok())).collect();
        let column = if numbers.iter().all(Option::is_some) {
            Column::Number(numbers)
        } else {
            Column::Text(values.into_iter().map(Option::<&String>::cloned).collect())
        };
        all.push((factor.path.clone(), column));
    }
    for (at, measure) in results.measures.iter().enumerate() {
        let values = rows.iter().map(|row| row.figures.get(at).copied().flatten()).collect();
        all.push((measure.to_string(), Column::Number(values)));
    }
    all.push(("busiest".to_owned(), text(&|row| row.busiest.clone())));
    all.push(("utilisation".to_owned(), Column::Number(rows.iter().map(|row| row.utilisation).collect())));
    Table::of_columns(all)
}
