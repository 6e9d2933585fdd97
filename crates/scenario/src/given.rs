//! A scenario whose workload is given from outside: it runs elsewhere, and asks for operations as it goes on.
//!
//! The System is the scenario's; what workloads its file has are left out. The files that are there before the first instant, and
//! whatever issues operations, come from a [`Given`]; everything else (the layout, the run, the report) is as of any workload.

use crate::Loaded;
use crate::load::load_from;
use crate::prepared::{Group, Prepared, Work};
use crate::schema::{OnError, Stop, WarmUp};
use crate::text::file::text_of;
use crate::text::{Override, Problem, Problems};
use petrio_colours::FileOp;
use petrio_files::inputs::Inputs;
use petrio_files::shown;
use petrio_kernel::Watch;
use petrio_workload::program::{FileTable, ProgramError};
use petrio_workload::{RequestSource, SourceError};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex};
use toml_edit::DocumentMut;

/// What the workload is called in the report.
pub const PROGRAM: &str = "program";

/// A workload that comes from outside.
pub trait Given: Send + Sync {
    /// What it is, in a few words.
    fn words(&self) -> String;

    /// How many processes there are at most at one time; they are numbered from 0.
    fn processes(&self) -> u32;

    /// The files that are there, numbered from 1.
    ///
    /// # Errors
    /// More than can be numbered.
    fn table(&self) -> Result<FileTable, ProgramError>;

    /// What issues its operations; those of its files that aren't in the table have numbers above all that are. Asked for once a run.
    ///
    /// # Errors
    /// One that can't begin.
    fn source(&self) -> Result<Box<dyn RequestSource<FileOp>>, SourceError>;
}

/// Reads a scenario without its workloads, for one that is given: on the file system of this name, or on the only one that it has.
///
/// # Errors
/// What is wrong with it; no file system, or several and none named.
pub fn load_for_given(
    inputs: &Inputs,
    path: &Path,
    on: Option<&str>,
    overrides: &[Override],
    watch: &Watch,
) -> Result<Loaded, Problems> {
    let name = shown::path(path).to_string();
    let fail = |problem| Problems::new(&name, vec![problem]);
    let text = text_of(inputs, path).map_err(fail)?;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let inputs = inputs.below(folder);
    // What is no TOML is told by the reader of scenarios.
    let Ok(mut document) = text.parse::<DocumentMut>() else {
        return load_from(&name, &text, &inputs, overrides, watch);
    };
    document.remove("workload");
    let on = match on {
        Some(on) => on.to_owned(),
        None => only_mount(&document).map_err(fail)?,
    };
    let text = format!(
        "{}\n[workload.{PROGRAM}]\nkind = \"script\"\non = {}\nscript = \"file nothing 1 B; read nothing 0 1 B\"\n",
        document,
        toml::Value::from(on.as_str())
    );
    // What the scenario's own workloads would have used may stand there unused: with a setting that is said, and no error.
    let mut overrides = overrides.to_vec();
    overrides.push(Override::new("measure.replications", "1"));
    if begins_known(&document, &on) {
        overrides.push(Override::new(&format!("fs.{on}.just_mounted"), "true"));
    }
    let mut loaded = load_from(&name, &text, &inputs, &overrides, watch)?;
    if loaded.scenario.title.is_empty() {
        let stem = path.file_stem().map(|stem| stem.to_string_lossy().replace(['-', '_'], " "));
        loaded.scenario.title = stem.unwrap_or(name);
    }
    Ok(loaded)
}

/// Whether a file system is an ext3 of whose files names and inodes would be in memory when a run begins, unless it says otherwise: what
/// is given begins on one that nobody has used since it was mounted.
fn begins_known(document: &DocumentMut, name: &str) -> bool {
    let part = document.get("fs").and_then(|parts| parts.get(name));
    part.is_some_and(|part| {
        let says = |key: &str| part.get(key).is_some();
        let kind = part.get("type").and_then(toml_edit::Item::as_str);
        kind.map_or(!says("use"), |kind| kind == "ext3") && !says("just_mounted")
    })
}

/// The only file system that hosts mount.
fn only_mount(document: &DocumentMut) -> Result<String, Problem> {
    let mut names = Vec::new();
    for kind in ["fs", "pvfs", "share", "san"] {
        let parts = document.get(kind).and_then(toml_edit::Item::as_table_like);
        names.extend(parts.into_iter().flat_map(|parts| parts.iter()).map(|(name, _)| name.to_owned()));
    }
    match names.as_slice() {
        [only] => Ok(only.clone()),
        [] => Err(Problem::error("the scenario has no file system that the program could work on")
            .help("add a host and [fs.NAME]; petrio schema scenario shows how")),
        several => {
            Err(Problem::error(format!("the scenario has several file systems: {}", several.join(", ")))
                .help("say on which one the program works: --on NAME"))
        }
    }
}

impl Loaded {
    /// Lets a workload be what is given, in one run from its beginning to its end.
    ///
    /// # Panics
    /// Never: the scenario was read by [`load_for_given`], and has this workload.
    pub fn give(&mut self, given: Arc<dyn Given>) {
        let measure = &mut self.scenario.measure;
        measure.replications = 1;
        measure.warm_up = WarmUp::Span(petrio_units::Duration::default());
        measure.on_error = OnError::Count;
        measure.stop = Stop::default();
        (measure.max_time, measure.max_requests) = (None, None);
        let volume = self
            .targets
            .get(PROGRAM)
            .and_then(|targets| targets.first())
            .map_or(0, |&volume| volume as usize);
        let words = given.words();
        let groups = vec![(words, vec![Group { volume, work: Work::Given(given, self.mount_of(volume)) }])];
        let (seed, workloads) = (self.scenario.seed, self.scenario.workload.clone());
        let readings = BTreeMap::new();
        self.prepared =
            Some(Arc::new(Prepared { seed, workloads, readings, groups, layouts: Mutex::default() }));
    }

    /// A volume's number among the file systems of its host.
    fn mount_of(&self, volume: usize) -> u32 {
        self.hosts.volumes().nth(volume).map_or(0, |volume| volume.mount)
    }

    /// The size of the file system that a given workload works on, bytes.
    pub fn given_bytes(&self) -> u64 {
        let volume = self
            .targets
            .get(PROGRAM)
            .and_then(|targets| targets.first())
            .map_or(0, |&volume| volume as usize);
        self.hosts.volumes().nth(volume).map_or(0, |volume| volume.blocks * petrio_colours::SECTOR_BYTES)
    }

    /// The number by which operations name that file system.
    pub fn given_mount(&self) -> u32 {
        let volume = self
            .targets
            .get(PROGRAM)
            .and_then(|targets| targets.first())
            .map_or(0, |&volume| volume as usize);
        self.mount_of(volume)
    }
}
