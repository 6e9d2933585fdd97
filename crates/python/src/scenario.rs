//! A scenario as a value: its text, what is set in it, and what it reads, if that is held.

use crate::error;
use petrio_files::inputs::Inputs;
use petrio_kernel::Watch;
use petrio_scenario::given::load_for_given;
use petrio_scenario::{Loaded, Override, Problems, load_in};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A scenario: what stands in its file, and what is set besides. It doesn't change: `set` gives another one.
///
/// It is a value: pickled, it takes its text along, and after `portable()` all files that it reads, too.
#[pyclass(frozen, from_py_object, module = "petrio._petrio")]
#[derive(Clone)]
pub(crate) struct Scenario {
    /// Where it lies, or would lie; files that it names are looked for beside it.
    pub(crate) path: PathBuf,
    /// What stands there; left out, what stands in the file.
    text: Option<Arc<str>>,
    pub(crate) settings: Vec<Override>,
    /// What is held in memory, by its path.
    held: BTreeMap<PathBuf, Arc<[u8]>>,
    /// What Python decides in its runs, by where that stands.
    pub(crate) own: crate::policy::Own,
}

impl Scenario {
    /// What it reads from: memory first, then files.
    pub(crate) fn inputs(&self) -> Inputs {
        let inputs = Inputs::here();
        if let Some(text) = &self.text {
            inputs.hold(&self.path, text.as_bytes().to_vec());
        }
        for (path, bytes) in &self.held {
            inputs.hold(path, bytes.clone());
        }
        inputs
    }

    /// Its settings, with a seed where one is asked for.
    pub(crate) fn settings(&self, seed: Option<u64>) -> Vec<Override> {
        let seed = seed.map(|seed| Override::new("seed", &seed.to_string()));
        self.settings.iter().cloned().chain(seed).collect()
    }

    /// Read and checked.
    pub(crate) fn load(
        &self,
        inputs: &Inputs,
        seed: Option<u64>,
        watch: &Watch,
    ) -> Result<Loaded, Box<Problems>> {
        let settings = self.settings(seed);
        let mut loaded = match self.own.place_of_programs() {
            Some(on) => load_for_given(inputs, &self.path, (&[on.to_owned()], false), &settings, watch),
            None => load_in(inputs, &self.path, &settings, watch),
        }
        .map_err(Box::new)?;
        self.own
            .put_into(&mut loaded)
            .map_err(|problem| Box::new(Problems::new(self.path.display().to_string(), vec![*problem])))?;
        Ok(loaded)
    }

    /// The same for a run of its own, which counts what Python is asked in it.
    pub(crate) fn for_a_run(&self) -> Self {
        Self { own: self.own.afresh(), ..self.clone() }
    }

    fn checked(&self, py: Python<'_>) -> PyResult<(Inputs, Loaded)> {
        let (inputs, watch) = (self.inputs(), Watch::new());
        let loaded = crate::waiting::waited(py, &watch, || self.load(&inputs, None, &watch))?;
        let loaded = loaded.map_err(|problems| error::scenario(&problems))?;
        Ok((inputs, loaded))
    }
}

#[pymethods]
impl Scenario {
    /// Of a file (`text` left out), or of a text that would lie at `path`.
    #[new]
    #[pyo3(signature = (path, text=None, settings=Vec::new(), held=BTreeMap::new()))]
    fn new(
        path: PathBuf,
        text: Option<String>,
        settings: Vec<String>,
        held: BTreeMap<PathBuf, Vec<u8>>,
    ) -> PyResult<Self> {
        let settings = settings.iter().map(|text| setting(text)).collect::<PyResult<_>>()?;
        let held = held.into_iter().map(|(path, bytes)| (path, bytes.into())).collect();
        Ok(Self { path, text: text.map(Into::into), settings, held, own: crate::policy::Own::default() })
    }

    /// A dict (as JSON) as a scenario's text.
    #[staticmethod]
    fn toml_of(json: &str) -> PyResult<String> {
        let mut value: serde_json::Value =
            serde_json::from_str(json).map_err(|cause| error::wrong(cause.to_string()))?;
        without_nothing(&mut value);
        toml::to_string(&value).map_err(|cause| error::wrong(format!("the dict is no scenario: {cause}")))
    }

    /// The scenario with one value changed: `set("disk.d.count", "4")`.
    fn set(&self, path: &str, value: &str) -> PyResult<Self> {
        let mut other = self.clone();
        other.settings.push(setting(&format!("{path}={value}"))?);
        Ok(other)
    }

    /// The scenario with decisions of Python's own in it: see `petrio.Policy` and its like.
    fn with_own(&self, what: &str, part: &str, decides: Py<PyAny>) -> PyResult<Self> {
        let mut other = self.clone();
        other.own.add(what, part, decides)?;
        Ok(other)
    }

    /// Whether there is something of Python's own in it.
    #[getter]
    fn has_own(&self) -> bool {
        !self.own.is_empty()
    }

    /// Where it lies, or would lie.
    #[getter]
    fn path(&self) -> &Path {
        &self.path
    }

    /// What stands in it.
    #[getter]
    fn text(&self) -> PyResult<String> {
        match &self.text {
            Some(text) => Ok(text.to_string()),
            None => Ok(std::fs::read_to_string(&self.path)?),
        }
    }

    /// What is set besides, as `path=value`.
    #[getter]
    fn settings_text(&self) -> Vec<String> {
        self.settings.iter().map(|setting| setting.text().to_string()).collect()
    }

    /// What is held in memory, by path.
    fn held<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let all = PyDict::new(py);
        for (path, bytes) in &self.held {
            all.set_item(path, PyBytes::new(py, bytes))?;
        }
        Ok(all)
    }

    /// Reads it, and says what to check before the results are trusted; raises `ScenarioError` where it is wrong.
    fn check(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        let (_, loaded) = self.checked(py)?;
        Ok(loaded.warnings.iter().map(|warning| warning.message().to_owned()).collect())
    }

    /// What it says with all defaults filled in, as JSON.
    fn effective_json(&self, py: Python<'_>) -> PyResult<String> {
        let (_, loaded) = self.checked(py)?;
        serde_json::to_string(&loaded.scenario).map_err(|cause| error::wrong(cause.to_string()))
    }

    /// The scenario with everything that it reads held in memory, so that it runs anywhere. A folder that it reads (a recording) stays
    /// a path.
    fn portable(&self, py: Python<'_>) -> PyResult<Self> {
        let (inputs, _) = self.checked(py)?;
        let mut other = self.clone();
        other.text = Some(self.text()?.into());
        for path in inputs.used() {
            if path == self.path || path.is_dir() {
                continue;
            }
            let bytes = inputs
                .read(&path, u64::MAX)
                .map_err(|cause| error::wrong(format!("{}: {cause}", path.display())))?;
            other.held.insert(path, bytes.into());
        }
        Ok(other)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Parts<'py>)> {
        if !self.own.is_empty() {
            return Err(error::wrong("a scenario with decisions of Python's own can't travel; run it here"));
        }
        let own = py.get_type::<Self>().into_any();
        Ok((own, (self.path.clone(), Some(self.text()?), self.settings_text(), self.held(py)?)))
    }
}

/// What a scenario is made of again.
type Parts<'py> = (PathBuf, Option<String>, Vec<String>, Bound<'py, PyDict>);

/// What is `None` in Python isn't written.
fn without_nothing(value: &mut serde_json::Value) {
    match value {
        serde_json::Value::Object(keys) => {
            keys.retain(|_, value| !value.is_null());
            keys.values_mut().for_each(without_nothing);
        }
        serde_json::Value::Array(items) => items.iter_mut().for_each(without_nothing),
        _ => {}
    }
}

fn setting(text: &str) -> PyResult<Override> {
    text.parse().map_err(|problem| error::scenario(&Problems::new("a setting", vec![problem])))
}
