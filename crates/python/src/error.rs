//! What Python raises: the text is the command line's, and what it is made of stands beside it.

use miette::{Diagnostic, GraphicalReportHandler, GraphicalTheme};
use petrio_scenario::{Problem, Problems, Severity};
use pyo3::create_exception;
use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

create_exception!(
    petrio,
    PetrioError,
    PyException,
    "Something that was asked of petrio can't be had: what, and in `advice` what to do."
);
create_exception!(
    petrio,
    ScenarioError,
    PetrioError,
    "A scenario is wrong. The text is the command line's; `problems` has each mistake as a dict of message, location, advice and severity."
);
create_exception!(petrio, RunError, PetrioError, "A run has failed: why, and in `advice` what to do.");

/// Columns of a mistake's picture.
const WIDTH: usize = 100;

/// A scenario's mistakes, drawn as on the command line, without colours.
pub(crate) fn scenario(problems: &Problems) -> PyErr {
    let error = ScenarioError::new_err(drawn(problems));
    Python::attach(|py| {
        let listed = problems.iter().map(|problem| described(py, problem)).collect::<PyResult<Vec<_>>>();
        if let Ok(listed) = listed.and_then(|listed| PyList::new(py, listed)) {
            // An attribute that can't be set is no reason to lose what is told.
            let _ = error.value(py).setattr("problems", listed);
        }
    });
    error
}

fn described<'py>(py: Python<'py>, problem: &Problem) -> PyResult<Bound<'py, PyDict>> {
    let all = PyDict::new(py);
    all.set_item("message", problem.message())?;
    all.set_item("location", problem.location())?;
    all.set_item("advice", problem.advice())?;
    all.set_item("severity", if problem.severity() == Severity::Error { "error" } else { "warning" })?;
    Ok(all)
}

/// A complaint as the command line draws it.
pub(crate) fn drawn(diagnostic: &dyn Diagnostic) -> String {
    let handler = GraphicalReportHandler::new_themed(GraphicalTheme::unicode_nocolor()).with_width(WIDTH);
    let mut text = String::new();
    if handler.render_report(&mut text, diagnostic).is_err() {
        text = diagnostic.to_string();
    }
    text.trim_end().to_owned()
}

/// Any other complaint, with its advice.
pub(crate) fn plain(diagnostic: &dyn Diagnostic) -> PyErr {
    with_advice(diagnostic, PetrioError::new_err)
}

/// A run that failed.
pub(crate) fn failed(diagnostic: &dyn Diagnostic) -> PyErr {
    with_advice(diagnostic, RunError::new_err)
}

fn with_advice(diagnostic: &dyn Diagnostic, error: impl FnOnce(String) -> PyErr) -> PyErr {
    let advice = diagnostic.help().map(|help| help.to_string());
    let text = match &advice {
        Some(advice) => format!("{diagnostic}\n help: {advice}"),
        None => diagnostic.to_string(),
    };
    let error = error(text);
    Python::attach(|py| {
        let _ = error.value(py).setattr("advice", advice);
    });
    error
}

/// Cases of a study that are no scenarios.
pub(crate) fn scenarios(diagnostic: &dyn Diagnostic) -> PyErr {
    with_advice(diagnostic, ScenarioError::new_err)
}

/// What a callable of Python's raised first while petrio worked, if it did; clones are of one work.
#[derive(Clone, Default)]
pub(crate) struct Raised(Arc<Mutex<Option<PyErr>>>);

impl Raised {
    fn kept(&self) -> MutexGuard<'_, Option<PyErr>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Calls it; whether it went well, and the work is to go on.
    pub(crate) fn call<A>(&self, callable: &Py<PyAny>, arguments: A) -> bool
    where
        A: for<'py> pyo3::call::PyCallArgs<'py>,
    {
        match Python::attach(|py| callable.call1(py, arguments).map(|_| ())) {
            Ok(()) => true,
            Err(cause) => {
                self.kept().get_or_insert(cause);
                false
            }
        }
    }

    /// Raises it again.
    pub(crate) fn again(&self) -> PyResult<()> {
        self.kept().take().map_or(Ok(()), Err)
    }
}

/// Something that isn't as it has to be, in words of this module.
pub(crate) fn wrong(message: impl Into<String>) -> PyErr {
    PetrioError::new_err(message.into())
}
