//! How many copies files have: `petrio.policies.Copies`, by the contract of [`Policy`].

use super::Asked;
use petrio_kernel::Time;
use petrio_models::cluster::replication::{
    Decision, FileEvent, History, Home, OwnPolicy, Policy, PolicyParameters, Retain,
};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::sync::Arc;

pub(super) fn parameters(asked: Asked) -> PolicyParameters {
    PolicyParameters::Own(OwnPolicy { words: "a policy in Python", policy: Arc::new(OwnCopies(asked)) })
}

#[derive(Debug)]
struct OwnCopies(Asked);

impl Policy for OwnCopies {
    fn home(&self) -> Home {
        let home = self.0.ask(|_, of| of.getattr("home")?.extract::<String>());
        if home.as_deref() == Some("random") { Home::Random } else { Home::First }
    }

    fn of_old(&self, most: u32) -> u32 {
        self.0.ask(|_, of| of.call_method1("of_old", (most,))?.extract()).unwrap_or(most)
    }

    fn of_new(&self, most: u32) -> u32 {
        self.0.ask(|_, of| of.call_method1("of_new", (most,))?.extract()).unwrap_or(1)
    }

    fn decide(&self, event: FileEvent, history: &History, copies: u32, most: u32, now: Time) -> Decision {
        let decided = self.0.ask(|py, of| {
            let decided =
                of.call_method1("decide", (word(event), past(py, history)?, copies, most, now.as_seconds()))?;
            decision(&decided)
        });
        decided.unwrap_or(Decision::Keep)
    }
}

/// None: keep; "master" or "random": cut back to that one; a number and seconds: so many copies, after that time.
fn decision(decided: &Bound<'_, PyAny>) -> PyResult<Decision> {
    if decided.is_none() {
        return Ok(Decision::Keep);
    }
    if let Ok(retained) = decided.extract::<String>() {
        return match retained.as_str() {
            "master" => Ok(Decision::CutBack(Retain::Master)),
            "random" => Ok(Decision::CutBack(Retain::Random)),
            other => Err(pyo3::exceptions::PyValueError::new_err(format!(
                "decide() gave \"{other}\": None, \"master\", \"random\", or a number of copies and seconds after which"
            ))),
        };
    }
    let (number, after): (u32, f64) = decided.extract()?;
    if number == 0 || !after.is_finite() || after < 0.0 {
        return Err(pyo3::exceptions::PyValueError::new_err(format!(
            "decide() gave {number} copies after {after} s: one at least, after no less than nothing"
        )));
    }
    Ok(Decision::Copies { number, after: Time::from_seconds(after) })
}

const fn word(event: FileEvent) -> &'static str {
    match event {
        FileEvent::Create => "create",
        FileEvent::OpenForWrite => "open-for-write",
        FileEvent::OpenForRead => "open-for-read",
        FileEvent::Truncate => "truncate",
        FileEvent::Read => "read",
        FileEvent::Write => "write",
        FileEvent::DiskRead => "disk-read",
        FileEvent::DiskWrite => "disk-write",
        FileEvent::Delete => "delete",
    }
}

/// A file's past, as a dict.
fn past<'py>(py: Python<'py>, history: &History) -> PyResult<Bound<'py, PyDict>> {
    let all = PyDict::new(py);
    let seconds = |time: Option<Time>| time.map(Time::as_seconds);
    all.set_item("size", history.size)?;
    all.set_item("created", seconds(history.created))?;
    all.set_item("last_read", seconds(history.last_read))?;
    all.set_item("last_write", seconds(history.last_write))?;
    all.set_item("opened_for_write", history.opened_for_write)?;
    all.set_item("opened_for_read", history.opened_for_read)?;
    all.set_item("opened_with_miss", history.opened_with_miss)?;
    all.set_item("reads_of_late", history.reads_of_late)?;
    all.set_item("writes_of_late", history.writes_of_late)?;
    Ok(all)
}
