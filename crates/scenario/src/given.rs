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

/// A file system on which a given workload works.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GivenPlace {
    /// The host that mounts it.
    pub host: String,
    /// Its number among the file systems of that host.
    pub mount: u32,
    /// Places of one number have the same files.
    pub files: usize,
    /// Its size, bytes.
    pub bytes: u64,
}

/// Reads a scenario without its workloads, for one that is given: on the file systems of these names, or on the only one that it has.
/// Where processes on several hosts send each other messages (`has_ranks`), what carries them needn't be written if there is but one way.
///
/// # Errors
/// What is wrong with it; no file system, or several and none named; several hosts whose processes nothing joins.
pub fn load_for_given(
    inputs: &Inputs,
    path: &Path,
    (on, has_ranks): (&[String], bool),
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
        [] => vec![only_mount(&document).map_err(fail)?],
        on => on.to_vec(),
    };
    // What carries the messages of ranks is completed where there is but one way.
    if has_ranks
        && is_of_several_hosts(&document)
        && document.get("mpi").is_none()
        && has_one_network(&document)
    {
        let mut libraries = toml_edit::Table::new();
        libraries.insert("messages", toml_edit::table());
        document.insert("mpi", toml_edit::Item::Table(libraries));
    }
    let names = toml::Value::from(on.clone());
    let script = "script = \"file nothing 1 B; read nothing 0 1 B\"";
    let text = format!("{document}\n[workload.{PROGRAM}]\nkind = \"script\"\non = {names}\n{script}\n");
    // What the scenario's own workloads would have used may stand there unused: with a setting that is said, and no error.
    let mut overrides = overrides.to_vec();
    overrides.push(Override::new("measure.replications", "1"));
    for on in on.iter().filter(|on| begins_known(&document, on)) {
        overrides.push(Override::new(&format!("fs.{on}.just_mounted"), "true"));
    }
    let mut loaded = load_from(&name, &text, &inputs, &overrides, watch)?;
    if loaded.scenario.title.is_empty() {
        let stem = path.file_stem().map(|stem| stem.to_string_lossy().replace(['-', '_'], " "));
        loaded.scenario.title = stem.unwrap_or(name);
    }
    Ok(loaded)
}

fn has_one_network(document: &DocumentMut) -> bool {
    document
        .get("network")
        .and_then(toml_edit::Item::as_table_like)
        .is_some_and(|networks| networks.len() == 1)
}

fn is_of_several_hosts(document: &DocumentMut) -> bool {
    let hosts = document.get("host").and_then(toml_edit::Item::as_table_like);
    hosts.is_some_and(|hosts| hosts.len() > 1 || hosts.iter().any(|(_, host)| host.get("count").is_some()))
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

/// The only file system that hosts mount, on all of them.
fn only_mount(document: &DocumentMut) -> Result<String, Problem> {
    let mut names = Vec::new();
    for kind in ["fs", "pvfs", "share", "san"] {
        let parts = document.get(kind).and_then(toml_edit::Item::as_table_like);
        // What several hosts mount is called by each of these.
        let called = |name: &str| if kind == "fs" { name.to_owned() } else { format!("*/{name}") };
        names.extend(parts.into_iter().flat_map(|parts| parts.iter()).map(|(name, _)| called(name)));
    }
    match names.as_slice() {
        [only] => Ok(only.clone()),
        [] => Err(Problem::error("the scenario has no file system that the program could work on")
            .help("add a host and [fs.NAME]; petrio schema scenario shows how")),
        several => Err(Problem::error(format!(
            "the scenario has several file systems: {}",
            several.join(", ")
        ))
        .help(
            "say on which one the program works: --on NAME; for ranks of MPI on several, --on again for each",
        )),
    }
}

impl Loaded {
    /// Lets a workload be what is given, on the first so many of its [places](Self::given_places), in one run from its beginning to its end.
    ///
    /// # Panics
    /// Never: the scenario was read by [`load_for_given`], and has this workload.
    pub fn give(&mut self, given: Arc<dyn Given>, places: usize) {
        let measure = &mut self.scenario.measure;
        measure.replications = 1;
        measure.warm_up = WarmUp::Span(petrio_units::Duration::default());
        measure.on_error = OnError::Count;
        measure.stop = Stop::default();
        (measure.max_time, measure.max_requests) = (None, None);
        let words = given.words();
        let mut targets = self.given_targets();
        targets.truncate(places);
        let first = targets.first().copied().unwrap_or(0);
        let mut groups = Vec::new();
        for (number, &volume) in targets.iter().enumerate().skip(1) {
            let known = targets[..number].iter().any(|&other| self.space_of(other) == self.space_of(volume));
            let (given, on) = (Arc::clone(&given), self.mount_of(volume));
            groups.push(Group { volume, work: Work::Beside { given, on, tells_files: !known } });
        }
        groups.insert(0, Group { volume: first, work: Work::Given(given, self.mount_of(first)) });
        let groups = vec![(words, groups)];
        let (seed, workloads) = (self.scenario.seed, self.scenario.workload.clone());
        let readings = BTreeMap::new();
        self.prepared =
            Some(Arc::new(Prepared { seed, workloads, readings, groups, layouts: Mutex::default() }));
    }

    /// Where it works, as positions among the volumes of all hosts.
    fn given_targets(&self) -> Vec<usize> {
        let targets = self.targets.get(PROGRAM).into_iter().flatten();
        targets.map(|&volume| volume as usize).collect()
    }

    /// A volume's number among the file systems of its host.
    fn mount_of(&self, volume: usize) -> u32 {
        self.hosts.volumes().nth(volume).map_or(0, |volume| volume.mount)
    }

    fn space_of(&self, volume: usize) -> usize {
        self.hosts.volumes().nth(volume).map_or(0, |volume| volume.space)
    }

    /// The file systems on which a given workload works. Its processes on the `n`th of them are those from `n` times
    /// [`Given::processes`] on; operations name the file system by its number.
    pub fn given_places(&self) -> Vec<GivenPlace> {
        let hosts: Vec<&str> = self.hosts.names().collect();
        let place = |volume: usize| {
            let volume = self.hosts.volumes().nth(volume)?;
            Some(GivenPlace {
                host: hosts.get(volume.host).copied().unwrap_or_default().to_owned(),
                mount: volume.mount,
                files: volume.space,
                bytes: volume.blocks * petrio_colours::SECTOR_BYTES,
            })
        };
        self.given_targets().into_iter().filter_map(place).collect()
    }

    /// Whether processes on all of these file systems send each other messages by one library.
    pub fn given_is_joined(&self) -> bool {
        let volumes: Vec<_> = self.hosts.volumes().collect();
        let hosts = self.given_targets().into_iter().filter_map(|volume| Some(volumes.get(volume)?.host));
        let mut libraries = hosts.map(|host| self.hosts.message_library(host));
        match libraries.next() {
            Some(Some(first)) => libraries.all(|library| library == Some(first)),
            _ => false,
        }
    }
}
