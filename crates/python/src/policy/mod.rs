//! What Python decides in a run: programs, the order of requests, the pages that stay in memory, the number of copies.
//!
//! Each kind is a class that people write, with the contract of the Rust trait that stands beside it here. What one of them raises ends the
//! run and is raised again; one that never returns is interrupted with the run. Each call is counted, and so is its time: it is what such a
//! run costs.

mod copies;
mod order;
mod pages;
mod programs;

use crate::error::wrong;
use petrio_kernel::Watch;
use petrio_scenario::Loaded;
use pyo3::prelude::*;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// Decisions of Python's own, by where they stand.
#[derive(Clone, Default)]
pub(crate) struct Own {
    all: Vec<Decision>,
    calls: Calls,
}

/// A decision, and where it stands.
#[derive(Clone)]
struct Decision {
    over: Over,
    /// The file system, the host or the replication.
    part: String,
    decides: Arc<Py<PyAny>>,
}

/// Over what somebody decides.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Over {
    Programs,
    Order,
    Pages,
    Copies,
}

impl Own {
    /// With a decision more.
    pub(crate) fn add(&mut self, over: &str, part: &str, decides: Py<PyAny>) -> PyResult<()> {
        let over = match over {
            "programs" => Over::Programs,
            "order" => Over::Order,
            "pages" => Over::Pages,
            "copies" => Over::Copies,
            other => return Err(wrong(format!("nothing decides over \"{other}\""))),
        };
        self.all.retain(|known| (known.over, known.part.as_str()) != (over, part));
        self.all.push(Decision { over, part: part.to_owned(), decides: Arc::new(decides) });
        Ok(())
    }

    pub(crate) const fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// The file system on which programs of Python's own work, if any do; the scenario's own workloads don't run then.
    pub(crate) fn place_of_programs(&self) -> Option<&str> {
        self.all.iter().find(|one| one.over == Over::Programs).map(|one| one.part.as_str())
    }

    /// A run of its own begins: nothing was called in it.
    pub(crate) fn afresh(&self) -> Self {
        Self { all: self.all.clone(), calls: Calls::default() }
    }

    /// Puts them into a scenario that was read.
    pub(crate) fn put_into(&self, loaded: &mut Loaded) -> Result<(), Box<petrio_scenario::Problem>> {
        for Decision { over, part, decides } in &self.all {
            let asked =
                Asked { of: Arc::clone(decides), calls: self.calls.clone(), watch: loaded.watch.clone() };
            match over {
                Over::Programs => loaded.give(Arc::new(programs::OwnPrograms::new(asked)), 1),
                Over::Order => loaded.decide_order(part, order::parameters(asked)).map_err(Box::new)?,
                Over::Pages => loaded.decide_pages(part, pages::parameters(asked)).map_err(Box::new)?,
                Over::Copies => loaded.decide_copies(part, copies::parameters(asked)).map_err(Box::new)?,
            }
        }
        Ok(())
    }

    /// What Python raised in the last run.
    pub(crate) fn raised(&self) -> PyResult<()> {
        self.calls.lock().raised.take().map_or(Ok(()), Err)
    }

    /// How often Python was asked, and for how many seconds.
    pub(crate) fn spent(&self) -> (u64, f64) {
        let nanos = self.calls.0.nanos.load(Ordering::Relaxed);
        (self.calls.0.count.load(Ordering::Relaxed), nanos as f64 / 1e9)
    }

    /// Ends a call that doesn't come back.
    pub(crate) fn interrupt(&self, py: Python<'_>) {
        let thread = self.calls.lock().within;
        if let Some(thread) = thread {
            // Where that fails, there is nothing else that could be done.
            let _ = interrupted(py, thread);
        }
    }

    /// Where the question can't be asked of such a scenario.
    pub(crate) fn refused(&self, study: &str) -> PyResult<()> {
        if self.is_empty() {
            return Ok(());
        }
        Err(wrong(format!(
            "petrio.{study} reads a scenario anew for each run, and one with decisions of Python's own can't be\n help: run it, or compare it"
        )))
    }
}

/// Raises KeyboardInterrupt in a thread that runs Python.
fn interrupted(py: Python<'_>, thread: u64) -> PyResult<()> {
    let ctypes = py.import("ctypes")?;
    let raise = ctypes.getattr("pythonapi")?.getattr("PyThreadState_SetAsyncExc")?;
    let exception =
        ctypes.call_method1("py_object", (py.get_type::<pyo3::exceptions::PyKeyboardInterrupt>(),))?;
    raise.call1((ctypes.call_method1("c_ulong", (thread,))?, exception))?;
    Ok(())
}

/// What calls of Python came to; clones count together.
#[derive(Clone, Default)]
struct Calls(Arc<Counted>);

#[derive(Default)]
struct Counted {
    count: AtomicU64,
    nanos: AtomicU64,
    told: Mutex<Told>,
}

#[derive(Default)]
struct Told {
    /// What was raised first.
    raised: Option<PyErr>,
    /// The thread that is within a call.
    within: Option<u64>,
}

impl Calls {
    fn lock(&self) -> std::sync::MutexGuard<'_, Told> {
        self.0.told.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Somebody who is asked.
#[derive(Clone)]
struct Asked {
    of: Arc<Py<PyAny>>,
    calls: Calls,
    watch: Watch,
}

impl std::fmt::Debug for Asked {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a decision of Python's own")
    }
}

impl Asked {
    /// Asks. Where that raises, the run is told to end, what was raised is kept, and there is no answer.
    fn ask<T>(&self, ask: impl FnOnce(Python<'_>, &Bound<'_, PyAny>) -> PyResult<T>) -> Option<T> {
        if self.calls.lock().raised.is_some() {
            return None;
        }
        Python::attach(|py| {
            let began = Instant::now();
            let thread = py.import("threading").and_then(|it| it.call_method0("get_ident")?.extract::<u64>());
            self.calls.lock().within = thread.ok();
            let answer = ask(py, self.of.bind(py));
            let took = u64::try_from(began.elapsed().as_nanos()).unwrap_or(u64::MAX);
            self.calls.0.count.fetch_add(1, Ordering::Relaxed);
            self.calls.0.nanos.fetch_add(took, Ordering::Relaxed);
            let mut told = self.calls.lock();
            told.within = None;
            match answer {
                Ok(answer) => Some(answer),
                Err(raised) => {
                    told.raised.get_or_insert(raised);
                    self.watch.stop();
                    None
                }
            }
        })
    }

    /// Another of the same kind: of a class a new one, of an object a deep copy, so that each run begins with the same.
    fn anew(&self) -> Option<Self> {
        let of = self.ask(|py, of| {
            let new = if of.is_instance_of::<pyo3::types::PyType>() {
                of.call0()?
            } else {
                py.import("copy")?.call_method1("deepcopy", (of,))?
            };
            Ok(new.unbind())
        })?;
        Some(Self { of: Arc::new(of), ..self.clone() })
    }
}
