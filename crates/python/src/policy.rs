//! What Python decides in a run.

use crate::error::wrong;
use petrio_scenario::{Loaded, Problem};
use pyo3::prelude::*;
use std::sync::Arc;

/// Decisions of Python's own, by where they stand.
#[derive(Clone, Default)]
pub(crate) struct Own {
    all: Vec<Arc<Py<PyAny>>>,
}

impl Own {
    pub(crate) fn add(&mut self, what: &str, _part: &str, decides: Py<PyAny>) -> PyResult<()> {
        let _ = decides;
        Err(wrong(format!("nothing decides over \"{what}\"")))
    }

    pub(crate) const fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    pub(crate) fn put_into(&self, _loaded: &mut Loaded) -> Result<(), Box<Problem>> {
        Ok(())
    }

    /// What Python raised in the last run.
    pub(crate) fn raised(&self) -> PyResult<()> {
        Ok(())
    }

    /// Where the question can't be asked of such a scenario.
    pub(crate) fn refused(&self, study: &str) -> PyResult<()> {
        if self.is_empty() {
            return Ok(());
        }
        Err(wrong(format!("petrio.{study} reads a scenario again and again, and one with decisions of Python's own can't be; run it")))
    }
}
