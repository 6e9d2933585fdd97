//! A run, and what it gives.

use crate::error::{self, Raised};
use crate::scenario::Scenario;
use crate::table::Table;
use crate::waiting::waited_with;
use petrio_kernel::Watch;
use petrio_scenario::report::{self, Report as Figures, Sinks, report_page, terminal_text};
use petrio_scenario::run::{Part, RunFailure, run_part, run_told};
use petrio_study::compare::Measure;
use petrio_units::Duration;
use pyo3::prelude::*;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;

/// Columns of its text.
const WIDTH: usize = 110;

/// What a run gives: see `petrio.Report`.
#[pyclass(frozen, module = "petrio._petrio")]
#[derive(Clone)]
pub(crate) struct Report {
    pub(crate) figures: Arc<Figures>,
    /// How often Python was asked to decide, and for how many seconds in all.
    #[pyo3(get)]
    own_calls: (u64, f64),
}

#[pymethods]
impl Report {
    /// As the command prints it.
    #[getter]
    fn text(&self) -> String {
        terminal_text(&self.figures, None, WIDTH)
    }

    /// As `--json` writes it: `petrio schema report` describes it.
    #[getter]
    fn json(&self) -> PyResult<String> {
        report::json_text(&self.figures).map_err(|cause| error::wrong(cause.to_string()))
    }

    /// As `--html` writes it.
    #[getter]
    fn html(&self) -> String {
        report_page(&self.figures).html()
    }

    /// A figure by the name that `petrio compare` has for it (`p99-latency`, `fsync.mean-latency`), in the unit that `unit` tells; nothing
    /// where this report doesn't have it.
    fn measure(&self, name: &str) -> PyResult<Option<f64>> {
        let measure = Measure::parse(name).map_err(|cause| error::plain(&cause))?;
        Ok(measure.of(&self.figures).map(|estimate| estimate.value))
    }

    /// Half the interval of a figure, where there were replications.
    fn half_width(&self, name: &str) -> PyResult<Option<f64>> {
        let measure = Measure::parse(name).map_err(|cause| error::plain(&cause))?;
        Ok(measure.of(&self.figures).and_then(|estimate| estimate.half_width))
    }

    /// The unit of a figure.
    fn unit(&self, name: &str) -> PyResult<&'static str> {
        Ok(Measure::parse(name).map_err(|cause| error::plain(&cause))?.base_unit())
    }

    /// The stages of the path, a row each.
    fn stages(&self) -> PyResult<Table> {
        let rows = self.figures.stages.iter();
        Table::of_rows(rows.map(serde_json::to_value))
    }

    /// Throughput and latency over time, a row an interval.
    fn series(&self) -> PyResult<Table> {
        let series = serde_json::to_value(&self.figures.served.series)
            .map_err(|cause| error::wrong(cause.to_string()))?;
        Table::of_series(&series)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (String,))> {
        Ok((py.get_type::<Self>().getattr("of_json")?, (self.json()?,)))
    }

    /// From what `json` has.
    #[staticmethod]
    fn of_json(text: &str) -> PyResult<Self> {
        let document: report::ReportDocument =
            serde_json::from_str(text).map_err(|cause| error::wrong(format!("no report: {cause}")))?;
        Ok(Self { figures: Arc::new(document.report), own_calls: (0, 0.0) })
    }
}

/// Runs a scenario.
#[pyfunction]
#[pyo3(signature = (scenario, seed=None, replication=None, until=None, what_if=true, trace=None, parquet=None, progress=None))]
#[expect(clippy::too_many_arguments, reason = "they are keywords of petrio.run")]
pub(crate) fn run(
    py: Python<'_>,
    scenario: &Scenario,
    seed: Option<u64>,
    replication: Option<u64>,
    until: Option<&str>,
    what_if: bool,
    trace: Option<PathBuf>,
    parquet: Option<PathBuf>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Report> {
    let (watch, raised) = watch(progress);
    let until = until
        .map(str::parse::<Duration>)
        .transpose()
        .map_err(|cause| error::wrong(format!("until: {cause}")))?;
    let part = Part { until: until.map(Duration::time), replication, ..Part::default() };
    let is_part = part.until.is_some() || replication.is_some() || !what_if;
    let scenario = &scenario.for_a_run();
    let inputs = scenario.inputs();
    let failed = |cause| Wrong::Run(RunFailure::Report(cause));
    let outcome = waited_with(py, &watch, &scenario.own, || {
        let loaded = scenario.load(&inputs, seed, &watch).map_err(Wrong::Scenario)?;
        let mut sinks = Sinks::default();
        for (subject, path) in loaded.subjects().into_iter().zip(&trace) {
            petrio_scenario::run::write_trace(&mut sinks, &loaded, subject, path).map_err(failed)?;
        }
        for (subject, path) in loaded.subjects().into_iter().zip(&parquet) {
            sinks.push_rows(subject, path, &inputs).map_err(failed)?;
        }
        // Where Python decides, each run costs calls of it: what would change it is asked only if that is wanted.
        let report = if is_part || !scenario.own.is_empty() {
            run_part(&loaded, sinks, part)
        } else {
            run_told(&loaded, sinks, |_| ())
        };
        scenario.own.raised()?;
        report.map_err(Wrong::Run)
    })?;
    raised.again()?;
    outcome
        .map(|figures| Report { figures: Arc::new(figures), own_calls: scenario.own.spent() })
        .map_err(Wrong::error)
}

/// Why there is no report.
pub(crate) enum Wrong {
    Scenario(Box<petrio_scenario::Problems>),
    Run(RunFailure),
    /// What Python raised meanwhile.
    Raised(PyErr),
}

impl From<PyErr> for Wrong {
    fn from(raised: PyErr) -> Self {
        Self::Raised(raised)
    }
}

impl Wrong {
    pub(crate) fn error(self) -> PyErr {
        match self {
            Self::Scenario(problems) => error::scenario(&problems),
            Self::Run(failure) => error::failed(&failure),
            Self::Raised(raised) => raised,
        }
    }
}

/// A watch that Ctrl-C stops, and that tells a callable how far it has come: requests done, and model time in seconds. What that raises
/// stops it, too.
fn watch(progress: Option<Py<PyAny>>) -> (Watch, Raised) {
    let raised = Raised::default();
    let Some(told) = progress else { return (Watch::new(), raised) };
    let kept = raised.clone();
    let watch = Watch::telling(move |far| match kept.call(&told, (far.completed, far.now.as_seconds())) {
        true => ControlFlow::Continue(()),
        false => ControlFlow::Break(()),
    });
    (watch, raised)
}
