//! From a scenario's text to a scenario that can be run, or to the list of all that is wrong with it.
//!
//! ```text
//! file + --set ──tree──► tables with positions ──typed──► Scenario ──devices, profiles──► ──check──► ──placed──► Loaded
//!                          syntax                    keys, units, types   catalogue     names, sense   sizes
//! ```
//!
//! Each step needs the one before to have gone well, and reports everything that it finds.

use crate::check::check;
use crate::devices::devices;
use crate::generators::filled_in;
use crate::placed::{Placed, PlacedDisk, PlacedFileSystem, PlacedHost, PlacedUnix, Storage, Volume, placed};
use crate::profiles::profiles;
use crate::report::Subject;
use crate::schema::{
    KINDS, Scenario, parts, read_fabric, read_file_system, read_replication, read_throttle, read_unix,
    read_workload,
};
use crate::text::tree::{self, Mistake, Places, Table};
use crate::text::typed::read;
use crate::text::{Override, Problem, Problems, Severity, Sources};
use crate::trace_files::SurveyedTraces;
use indexmap::IndexMap;
use petrio_files::{input, shown};
use petrio_kernel::Watch;
use petrio_units::nearest;
use petrio_workload::synthetic::Synthetic;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A scenario that can be run: every name in it stands for something, every file is there.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// What is written, with all defaults filled in.
    pub scenario: Scenario,
    /// Every disk, in the order of the file; a request's `device` is the index in this list.
    pub disks: Vec<PlacedDisk>,
    /// Everything that holds blocks: the disks first, in the same order, then what is made of them.
    pub storage: Vec<Storage>,
    /// The hosts, in the order of the file.
    pub hosts: Vec<PlacedHost>,
    /// The file systems, in the order of the file.
    pub file_systems: Vec<PlacedFileSystem>,
    /// The Unix hosts of 1990, each with its file system, in the order of the file.
    pub unix: Vec<PlacedUnix>,
    /// For each workload the disks that it goes to, as indices of `disks`; of one that works on files, the volumes: first
    /// `file_systems`, then `unix`.
    pub targets: IndexMap<String, Vec<u32>>,
    /// The synthetic workloads by name, ready to generate: `devices` are indices of `disks`, and capacities are filled in.
    pub generators: IndexMap<String, Synthetic>,
    /// Things to check before the result is trusted.
    pub warnings: Vec<Problem>,
    /// Whether building and running it is still wanted.
    pub watch: Watch,
    pub(crate) trace_files: SurveyedTraces,
    pub(crate) folder: Option<PathBuf>,
    pub(crate) origin: Arc<Origin>,
    pub(crate) sources: Sources,
    pub(crate) places: Places,
}

/// What a scenario was read from, so that it can be read again with something changed.
#[derive(Clone, Debug)]
pub(crate) struct Origin {
    name: String,
    text: String,
    overrides: Vec<Override>,
}

impl Loaded {
    /// The same scenario with further values set, each as `--set` would.
    ///
    /// # Errors
    /// What is wrong with it then.
    pub(crate) fn with_settings(&self, settings: &[(String, String)]) -> Result<Self, Problems> {
        let Origin { name, text, overrides } = &*self.origin;
        let settings = settings.iter().map(|(path, value)| Override::new(path, value));
        let overrides: Vec<Override> = overrides.iter().cloned().chain(settings).collect();
        let known = (&self.watch, self.trace_files.clone());
        let mut loaded = load_known(name, text, self.folder.as_deref(), &overrides, known)?;
        loaded.scenario.title.clone_from(&self.scenario.title);
        Ok(loaded)
    }

    /// An error that points at the value at a dotted path of the scenario (`workload.readers.files.0`); for what is found
    /// out only when the scenario is wired or run.
    pub fn error_at(&self, path: &str, message: impl Into<String>) -> Problem {
        self.sources.error(self.places.value(path), message)
    }

    /// A warning that points at the value at a dotted path of the scenario.
    pub fn warning_at(&self, path: &str, message: impl Into<String>) -> Problem {
        self.sources.warning(self.places.value(path), message)
    }

    /// What a report of it counts.
    pub fn subject(&self) -> Subject {
        if self.file_systems.is_empty() && self.unix.is_empty() {
            Subject::BlockRequests
        } else {
            Subject::FileOperations
        }
    }

    /// What workloads that work on files go to: first the file systems, then the Unix hosts' own.
    pub fn volumes(&self) -> impl Iterator<Item = Volume<'_>> {
        let hosts = self.hosts.len();
        let mounted = self.file_systems.iter().map(|fs| Volume {
            name: &fs.name,
            host: fs.host,
            mount: fs.mount,
            on: fs.on,
            blocks: fs.blocks,
        });
        let unix = self.unix.iter().enumerate().map(move |(number, unix)| Volume {
            name: &unix.name,
            host: hosts + number,
            mount: 0,
            on: unix.on,
            blocks: unix.blocks,
        });
        mounted.chain(unix)
    }

    /// Where a file that the scenario names lies: relative to the scenario's folder.
    pub fn path_of(&self, file: &Path) -> PathBuf {
        self.folder.as_deref().map_or_else(|| file.to_owned(), |folder| folder.join(file))
    }
}

/// A scenario is a few pages of text; a file larger than this is something else.
const BYTES_MAX: u64 = 16 << 20;

/// Reads a scenario file, changes it as the overrides say, and checks it.
///
/// # Errors
/// Everything that is wrong with it, each with its place and what to do.
pub fn load(path: &Path, overrides: &[Override]) -> Result<Loaded, Problems> {
    let name = shown::path(path).to_string();
    let text = text_of(path).map_err(|problem| Problems::new(&name, vec![problem]))?;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut loaded = load_text(&name, &text, Some(folder), overrides)?;
    if loaded.scenario.title.is_empty() {
        let stem = path.file_stem().map(|stem| stem.to_string_lossy().replace(['-', '_'], " "));
        loaded.scenario.title = stem.unwrap_or(name);
    }
    Ok(loaded)
}

/// As [`load`], from a text. Without a folder nothing is read from files, and files are not looked for: this is what fuzz
/// tests call.
///
/// # Errors
/// As of [`load`].
pub fn load_text(
    name: &str,
    text: &str,
    folder: Option<&Path>,
    overrides: &[Override],
) -> Result<Loaded, Problems> {
    load_text_watched(name, text, folder, overrides, &Watch::default())
}

/// As [`load_text`], as long as it is wanted; so are what is built of the scenario and its runs. One that was stopped is no scenario, and
/// what is said to be wrong with it means nothing.
///
/// # Errors
/// As of [`load_text`].
pub fn load_text_watched(
    name: &str,
    text: &str,
    folder: Option<&Path>,
    overrides: &[Override],
    watch: &Watch,
) -> Result<Loaded, Problems> {
    load_known(name, text, folder, overrides, (watch, SurveyedTraces::default()))
}

/// As [`load_text_watched`], with what is known already of the files that the scenario names.
fn load_known(
    name: &str,
    text: &str,
    folder: Option<&Path>,
    overrides: &[Override],
    (watch, trace_files): (&Watch, SurveyedTraces),
) -> Result<Loaded, Problems> {
    let mut sources = Sources::default();
    let base = sources.add(name, text);
    let (mut root, mistakes) = tree::parse(text, base);
    let fail = |problems| Problems::new(name, problems);
    if !mistakes.is_empty() {
        return Err(fail(mistakes.into_iter().map(|mistake| syntax(mistake, &sources)).collect()));
    }
    let mut problems = Vec::new();
    for change in overrides {
        let base = sources.add("--set", Arc::clone(change.text()));
        if let Err(problem) = change.apply(&mut root, base, &sources) {
            problems.push(problem);
        }
    }
    let places = Places::of(&root);
    let scenario = typed(&root, &sources).map_err(|mut more| {
        problems.append(&mut more);
        fail(std::mem::take(&mut problems))
    })?;
    let devices = devices(&scenario, &root, &places, &mut sources, folder).unwrap_or_else(|mut more| {
        problems.append(&mut more);
        IndexMap::new()
    });
    let profiles = profiles(&scenario, &root, &places, &mut sources, folder).unwrap_or_else(|mut more| {
        problems.append(&mut more);
        IndexMap::new()
    });
    let checked = check(&scenario, &places, &sources, folder);
    let (mut errors, warnings): (Vec<Problem>, Vec<Problem>) =
        checked.problems.into_iter().partition(|problem| problem.severity() == Severity::Error);
    problems.append(&mut errors);
    if !problems.is_empty() {
        return Err(fail(problems));
    }
    let disks: Vec<PlacedDisk> = checked
        .disks
        .into_iter()
        .filter_map(|(name, part)| {
            let (disk, device) = (scenario.disk.get(&part)?, devices.get(&part)?);
            let device = Arc::clone(device);
            Some(PlacedDisk { name, part, device, scheduler: disk.scheduler, queue_depth: disk.queue_depth })
        })
        .collect();
    let texts = (&places, &sources);
    let planned = (&checked.file_systems[..], &checked.unix[..]);
    let Placed { storage, hosts, file_systems, unix } =
        placed(&scenario, &disks, &checked.holders, planned, profiles, texts).map_err(fail)?;
    let generators = filled_in(&scenario, &disks, &checked.targets, &places, &sources).map_err(fail)?;
    let (targets, folder) = (checked.targets, folder.map(Path::to_owned));
    let loaded = Loaded {
        scenario,
        disks,
        storage,
        hosts,
        file_systems,
        unix,
        targets,
        generators,
        warnings,
        watch: watch.clone(),
        trace_files,
        folder,
        origin: Arc::new(Origin {
            name: name.to_owned(),
            text: text.to_owned(),
            overrides: overrides.to_vec(),
        }),
        sources,
        places,
    };
    let beyond = crate::bounds::check(&loaded);
    if !beyond.is_empty() {
        return Err(fail(beyond));
    }
    crate::build::check_files(&loaded).map_err(fail)?;
    Ok(loaded)
}

/// The structs of a tree, or every mistake in it.
fn typed(root: &Table<'_>, sources: &Sources) -> Result<Scenario, Vec<Problem>> {
    let mut problems = Vec::new();
    let mut rest = root.get_ref().clone();
    // These know their places better when each is read alone.
    let workload =
        Kind { key: "workload", what: "workload", example: &format!("kind = … ({})", KINDS.join(", ")) };
    let fs = Kind { key: "fs", what: "file system", example: "type = … and on = …" };
    let fabric = Kind { key: "fabric", what: "fabric", example: "on = …" };
    let throttle = Kind { key: "throttle", what: "throttle", example: "on = …" };
    let replication = Kind { key: "replication", what: "replication", example: "on = …" };
    let unix = Kind { key: "unix", what: "Unix host", example: "on = …" };
    let workload = each(root, workload, read_workload, &mut rest, &mut problems, sources);
    let fs = each(root, fs, read_file_system, &mut rest, &mut problems, sources);
    let fabric = each(root, fabric, read_fabric, &mut rest, &mut problems, sources);
    let throttle = each(root, throttle, read_throttle, &mut rest, &mut problems, sources);
    let replication = each(root, replication, read_replication, &mut rest, &mut problems, sources);
    let unix = each(root, unix, read_unix, &mut rest, &mut problems, sources);
    match read::<Scenario>(&Spanned::new(root.span(), rest), sources) {
        Ok(scenario) if problems.is_empty() => {
            Ok(Scenario { workload, fs, fabric, throttle, replication, unix, ..scenario })
        }
        Ok(_) => Err(problems),
        Err(mut more) => {
            // In the order of the file, the head before the workloads.
            more.append(&mut problems);
            Err(more)
        }
    }
}

/// A kind of part that is read alone.
#[derive(Clone, Copy)]
struct Kind<'a> {
    key: &'static str,
    what: &'static str,
    /// What its table holds at least.
    example: &'a str,
}

/// Reads every part of a kind, and takes them out of the rest.
fn each<T>(
    root: &Table<'_>,
    kind: Kind<'_>,
    read: impl Fn(&Table<'_>, &Sources) -> Result<T, Vec<Problem>>,
    rest: &mut DeTable<'_>,
    problems: &mut Vec<Problem>,
    sources: &Sources,
) -> IndexMap<String, T> {
    let mut found = IndexMap::new();
    let Some(parts) = parts(root.get_ref(), kind.key) else { return found };
    rest.remove(kind.key);
    for (key, value) in parts {
        let name = key.get_ref();
        match value.get_ref() {
            DeValue::Table(inner) => match read(&Spanned::new(value.span(), inner.clone()), sources) {
                Ok(part) => drop(found.insert(name.to_string(), part)),
                Err(mut more) => problems.append(&mut more),
            },
            _ => {
                let problem =
                    sources.error(key.span(), format!("the {} \"{name}\" is not a table", kind.what));
                problems
                    .push(problem.help(format!("write [{}.{name}] and below it {}", kind.key, kind.example)));
            }
        }
    }
    found
}

fn syntax(mistake: Mistake, sources: &Sources) -> Problem {
    sources.error(mistake.span, format!("this is not TOML: {}", mistake.message))
}

/// The text of a scenario or catalogue file.
pub(crate) fn text_of(path: &Path) -> Result<String, Problem> {
    let shown = shown::path(path);
    let metadata = std::fs::metadata(path).map_err(|cause| {
        let problem = Problem::error(format!("{shown} can't be read: {cause}"));
        problem.maybe_help(near_file(path).map(|near| format!("did you mean {near}?")))
    })?;
    if metadata.is_dir() {
        return Err(Problem::error(format!("{shown} is a folder, a file is needed")));
    }
    if metadata.len() > BYTES_MAX {
        let size = metadata.len() >> 20;
        return Err(Problem::error(format!("{shown} has {size} MiB, which is not a file of this kind"))
            .help("name a TOML file"));
    }
    let bytes = input::read(path, BYTES_MAX)
        .map_err(|cause| Problem::error(format!("{shown} can't be read: {cause}")))?;
    String::from_utf8(bytes).map_err(|error| {
        let valid = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = valid.iter().filter(|&&byte| byte == b'\n').count() + 1;
        Problem::error(format!("{shown} is not text: line {line} holds bytes that are not UTF-8"))
            .help("save it as UTF-8, or name a TOML file")
    })
}

/// A file beside the missing one whose name is near.
pub(crate) fn near_file(path: &Path) -> Option<String> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .ok()?
        .flatten()
        .filter_map(|file| file.file_name().into_string().ok())
        .collect();
    names.sort();
    let near = nearest(path.file_name()?.to_str()?, names.iter().map(String::as_str))?;
    Some(shown::path(&path.with_file_name(near)).to_string())
}
