//! Which pages of files go from a host's memory: `petrio.policies.Pages`, by the contract of [`Replacement`].

use super::Asked;
use petrio_models::host::page_cache::{CachedPage, FileKey, OwnReplacement, Replacement, Replaces};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::collections::HashSet;
use std::sync::Arc;

pub(super) fn parameters(asked: Asked) -> OwnReplacement {
    OwnReplacement(Arc::new(Pages(asked)))
}

#[derive(Debug)]
struct Pages(Asked);

impl Replaces for Pages {
    fn replacement(&self) -> Box<dyn Replacement> {
        // Where it can't be made, the run ends; until then, the page that hasn't been used for longest goes.
        let asked = self.0.anew().unwrap_or_else(|| self.0.clone());
        Box::new(Replaced { asked, there: HashSet::new() })
    }
}

/// A page, as Python sees it.
#[pyclass(frozen, get_all, eq, hash, name = "Page", module = "petrio._petrio")]
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct SeenPage {
    /// Which of the host's file systems, from 0.
    mount: u32,
    /// The file's number there.
    file: u32,
    /// Which page of it, of 4 KiB.
    index: u64,
}

#[pymethods]
impl SeenPage {
    fn __repr__(&self) -> String {
        let Self { mount, file, index } = self;
        format!("Page({index} of file {file} on {mount})")
    }

    /// It never changes: a copy of what knows it (a fork's) knows the same.
    fn __deepcopy__(own: Py<Self>, _memo: &Bound<'_, PyAny>) -> Py<Self> {
        own
    }
}

impl From<CachedPage> for SeenPage {
    fn from(CachedPage { file, index }: CachedPage) -> Self {
        Self { mount: file.mount(), file: petrio_units::numbers::low_half(file.0), index }
    }
}

impl From<SeenPage> for CachedPage {
    fn from(SeenPage { mount, file, index }: SeenPage) -> Self {
        Self { file: FileKey(u64::from(mount) << 32 | u64::from(file)), index }
    }
}

/// What may go is known here, too, so that an answer that is none is one's mistake and not the model's.
#[derive(Debug)]
struct Replaced {
    asked: Asked,
    there: HashSet<CachedPage>,
}

impl Replaced {
    fn tell(&self, method: &str, page: CachedPage) {
        self.asked.ask(|_, of| of.call_method1(method, (SeenPage::from(page),)).map(|_| ()));
    }
}

impl Replacement for Replaced {
    fn came(&mut self, page: CachedPage) {
        self.there.insert(page);
        self.tell("came", page);
    }

    fn used(&mut self, page: CachedPage) {
        self.tell("used", page);
    }

    fn gone(&mut self, page: CachedPage) {
        self.there.remove(&page);
        self.tell("gone", page);
    }

    fn victim(&mut self) -> Option<CachedPage> {
        let Self { asked, there } = self;
        let named = asked.ask(|_, of| {
            let said = of.call_method0("victim")?;
            if said.is_none() {
                return Ok(None);
            }
            let page = CachedPage::from(*said.cast::<SeenPage>()?.get());
            if !there.contains(&page) {
                return Err(PyValueError::new_err(format!(
                    "victim() gave {}, which hasn't come or is gone: one that came() was called for, or None",
                    said.repr()?
                )));
            }
            Ok(Some(page))
        });
        named.flatten()
    }

    fn copied(&self) -> Box<dyn Replacement> {
        let asked = self.asked.anew().unwrap_or_else(|| self.asked.clone());
        Box::new(Self { asked, there: self.there.clone() })
    }
}
