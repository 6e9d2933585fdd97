//! From a scenario's text to a scenario that can be run, or to the list of all that is wrong with it.
//!
//! ```text
//! file + --set ──tree──► tables ──parts──► flat tables ──typed──► Scenario ──devices, profiles──► ──check──► ──placed──► Loaded
//!                syntax          nesting, copies     keys, units, types   catalogue      names, sense   sizes
//! ```
//!
//! Each step needs the one before to have gone well, and reports everything that it finds.

use crate::check::check;
use crate::devices::{Found, devices};
use crate::generators::filled_in;
use crate::holder::{Holder, Holders};
use crate::parts::{Copies, Texts, expand};
use crate::placed::{Placed, PlacedDisk, PlacedFileSystem, PlacedHost, PlacedUnix, Storage, Volume, placed};
use crate::prepared::Prepared;
use crate::profiles::profiles;
use crate::report::Subject;
use crate::schema::{
    Head, KINDS, Scenario, Workload, read_file_system, read_parts, read_unix, read_workload,
};
use crate::text::tree::{self, Mistake, Places, Table};
use crate::text::typed::read_beside;
use crate::text::{Override, Problem, Problems, Severity, Sources};
use indexmap::IndexMap;
use petrio_files::inputs::{Inputs, Source};
use petrio_files::shown;
use petrio_kernel::Watch;
use petrio_units::nearest;
use petrio_workload::synthetic::Synthetic;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use toml::Spanned;

/// A scenario that can be run: every name in it stands for something, every file is there.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// What is written, with all defaults filled in.
    pub scenario: Scenario,
    /// Every disk, in the order of the file.
    pub disks: Vec<PlacedDisk>,
    /// Everything that holds blocks: the disks first, in the same order, then what is made of them; a request's `device` is the index
    /// in this list.
    pub storage: Vec<Storage>,
    /// The hosts, in the order of the file.
    pub hosts: Vec<PlacedHost>,
    /// The file systems, in the order of the file.
    pub file_systems: Vec<PlacedFileSystem>,
    /// The Unix hosts of 1990, each with its file system, in the order of the file.
    pub unix: Vec<PlacedUnix>,
    /// For each workload what it goes to, as indices of `storage`; of one that works on files, the volumes: first
    /// `file_systems`, then `unix`.
    pub targets: IndexMap<String, Vec<u32>>,
    /// The synthetic workloads by name, ready to generate: `devices` are indices of `storage`, and capacities are filled in.
    pub generators: IndexMap<String, Synthetic>,
    /// Things to check before the result is trusted.
    pub warnings: Vec<Problem>,
    /// Whether building and running it is still wanted.
    pub watch: Watch,
    /// Where its inputs come from.
    pub(crate) inputs: Inputs,
    /// What its workloads need, where it could be told when it was loaded.
    pub(crate) prepared: Option<Arc<Prepared>>,
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
        let known = (&self.watch, self.prepared.clone());
        let mut loaded = load_known(name, text, &self.inputs, &overrides, known)?;
        // What a study has changed since stays changed.
        loaded.scenario.title.clone_from(&self.scenario.title);
        loaded.scenario.seed = self.scenario.seed;
        loaded.scenario.workload.clone_from(&self.scenario.workload);
        loaded.scenario.measure.clone_from(&self.scenario.measure);
        loaded.prepared.clone_from(&self.prepared);
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

    /// What the scenario says of a part that holds blocks without being a disk, by its index in `storage`.
    pub(crate) fn holder(&self, number: usize) -> Option<&dyn Holder> {
        let storage = self.storage.get(number)?;
        self.scenario.holders.get(storage.key, &storage.name)
    }

    /// Which of its parts are copies of others.
    pub(crate) fn copies(&self) -> &Copies {
        self.places.copies()
    }

    /// What a report of it counts first: operations on files, where there are some.
    pub fn subject(&self) -> Subject {
        self.subjects().first().copied().unwrap_or_default()
    }

    /// What a report of it counts: one, or both side by side, operations on files before block requests.
    pub fn subjects(&self) -> Vec<Subject> {
        let mut all = vec![Subject::FileOperations, Subject::BlockRequests];
        all.retain(|&subject| self.workloads_of(subject).next().is_some());
        all
    }

    /// The workloads of one sort.
    pub(crate) fn workloads_of(&self, subject: Subject) -> impl Iterator<Item = (&str, &Workload)> {
        let on_files = subject == Subject::FileOperations;
        let of = move |(_, workload): &(&String, &Workload)| workload.works_on_files() == on_files;
        self.scenario.workload.iter().filter(of).map(|(name, workload)| (name.as_str(), workload))
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
        self.inputs.path_of(file)
    }
}

/// A scenario is a few pages of text; a file larger than this is something else.
const BYTES_MAX: u64 = 16 << 20;

/// Reads a scenario file, changes it as the overrides say, and checks it.
///
/// # Errors
/// Everything that is wrong with it, each with its place and what to do.
pub fn load(path: &Path, overrides: &[Override]) -> Result<Loaded, Problems> {
    load_watched(path, overrides, &Watch::default())
}

/// As [`load`], as long as it is wanted: see [`load_from`].
///
/// # Errors
/// As of [`load`].
pub fn load_watched(path: &Path, overrides: &[Override], watch: &Watch) -> Result<Loaded, Problems> {
    let name = shown::path(path).to_string();
    let text = text_of(&Inputs::here(), path).map_err(|problem| Problems::new(&name, vec![problem]))?;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut loaded = load_from(&name, &text, &Inputs::below(folder), overrides, watch)?;
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
    let inputs = folder.map_or_else(Inputs::none, Inputs::below);
    load_from(name, text, &inputs, overrides, &Watch::default())
}

/// As [`load_text`], with inputs from files or from memory, and as long as it is wanted; so are what is built of the scenario and its runs. One that was stopped is no scenario, and
/// what is said to be wrong with it means nothing.
///
/// # Errors
/// As of [`load_text`].
pub fn load_from(
    name: &str,
    text: &str,
    inputs: &Inputs,
    overrides: &[Override],
    watch: &Watch,
) -> Result<Loaded, Problems> {
    load_known(name, text, inputs, overrides, (watch, None))
}

/// As [`load_from`], where what was read `before` for its workloads needn't be read again.
fn load_known(
    name: &str,
    text: &str,
    inputs: &Inputs,
    overrides: &[Override],
    (watch, before): (&Watch, Option<Arc<Prepared>>),
) -> Result<Loaded, Problems> {
    let (mut sources, texts) = (Sources::default(), Texts::default());
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
    let (root, copies) = expand(root, &texts, &mut sources, inputs).map_err(|mut more| {
        problems.append(&mut more);
        fail(std::mem::take(&mut problems))
    })?;
    let places = Places::with_copies(&root, copies);
    let fail = |problems| Problems::new(name, places.copies().told_once(problems));
    let scenario = typed_with_copies(&root, places.copies(), &sources).map_err(|mut more| {
        problems.append(&mut more);
        fail(std::mem::take(&mut problems))
    })?;
    let devices = devices(&scenario, &root, &places, &mut sources, inputs).unwrap_or_else(|mut more| {
        problems.append(&mut more);
        IndexMap::new()
    });
    let profiles = profiles(&scenario, &root, &places, &mut sources, inputs).unwrap_or_else(|mut more| {
        problems.append(&mut more);
        IndexMap::new()
    });
    let checked = check(&scenario, &places, &sources, inputs);
    let (mut errors, warnings): (Vec<Problem>, Vec<Problem>) =
        checked.problems.into_iter().partition(|problem| problem.severity() == Severity::Error);
    let warnings = places.copies().told_once(warnings);
    problems.append(&mut errors);
    if !problems.is_empty() {
        return Err(fail(problems));
    }
    let disks: Vec<PlacedDisk> = checked
        .disks
        .into_iter()
        .filter_map(|(name, part)| {
            let (disk, Found { device, compiled }) = (scenario.disk.get(&part)?, devices.get(&part)?.clone());
            Some(PlacedDisk { name, part, device, compiled, queueing: disk.queueing() })
        })
        .collect();
    let texts = (&places, &sources);
    let planned = (&checked.file_systems[..], &checked.unix[..]);
    let Placed { storage, hosts, file_systems, unix } =
        placed(&scenario, &disks, &checked.holders, planned, profiles, texts).map_err(fail)?;
    let generators = filled_in(&scenario, &storage, &checked.targets, &places, &sources).map_err(fail)?;
    let copies = places.copies().clone();
    let fail = |problems| Problems::new(name, copies.told_once(problems));
    let mut loaded = Loaded {
        scenario,
        disks,
        storage,
        hosts,
        file_systems,
        unix,
        targets: checked.targets,
        generators,
        warnings,
        watch: watch.clone(),
        inputs: inputs.clone(),
        prepared: before,
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
    loaded.prepared = crate::build::check_files(&loaded).map_err(fail)?;
    Ok(loaded)
}

/// The structs of a tree, or every mistake in it; what is wrong with a part is wrong with its copies, and found in the first.
fn typed_with_copies(root: &Table<'_>, copies: &Copies, sources: &Sources) -> Result<Scenario, Vec<Problem>> {
    if !copies.is_empty() {
        typed(&copies.only_first(root), sources)?;
    }
    typed(root, sources)
}

/// The structs of a tree, or every mistake in it.
fn typed(root: &Table<'_>, sources: &Sources) -> Result<Scenario, Vec<Problem>> {
    let mut problems = Vec::new();
    let mut rest = root.get_ref().clone();
    let workloads = format!("kind = … ({})", KINDS.join(", "));
    let workload = ("workload", "workload", workloads.as_str());
    let fs = ("fs", "file system", "type = … and on = …");
    let unix = ("unix", "Unix host", "on = …");
    let workload = read_parts(root, workload, read_workload, &mut rest, &mut problems, sources);
    let fs = read_parts(root, fs, read_file_system, &mut rest, &mut problems, sources);
    let holders = Holders::read(root, &mut rest, &mut problems, sources);
    let unix = read_parts(root, unix, read_unix, &mut rest, &mut problems, sources);
    let beside: Vec<&str> =
        ["workload", "fs", "unix"].into_iter().chain(Holders::KEYS.iter().copied()).collect();
    match read_beside::<Head>(&Spanned::new(root.span(), rest), &beside, sources) {
        Ok(Head { title, seed, disk, host, measure }) if problems.is_empty() => {
            Ok(Scenario { title, seed, disk, holders, host, unix, fs, workload, measure })
        }
        Ok(_) => Err(problems),
        Err(mut more) => {
            // In the order of the file, the head before the workloads.
            more.append(&mut problems);
            Err(more)
        }
    }
}

fn syntax(mistake: Mistake, sources: &Sources) -> Problem {
    sources.error(mistake.span, format!("this is not TOML: {}", mistake.message))
}

/// The text of a scenario or catalogue file.
pub(crate) fn text_of(inputs: &Inputs, name: &Path) -> Result<String, Problem> {
    let path = inputs.path_of(name);
    let shown = shown::path(&path);
    let mut source = inputs.open(name).map_err(|cause| match cause.kind() {
        ErrorKind::IsADirectory => Problem::error(format!("{shown} is a folder, a file is needed")),
        _ => Problem::error(format!("{shown} can't be read: {cause}"))
            .maybe_help(near_file(&path).map(|near| format!("did you mean {near}?"))),
    })?;
    let mut bytes = Vec::new();
    // Devices and pipes say that they have none, and may have no end.
    let read = source.by_ref().take(BYTES_MAX + 1).read_to_end(&mut bytes);
    read.map_err(|cause| Problem::error(format!("{shown} can't be read: {cause}")))?;
    if bytes.len() as u64 > BYTES_MAX {
        let size = match &source {
            Source::File(file) => file.metadata().map_or(0, |there| there.len()),
            Source::Kept(kept) => kept.get_ref().len() as u64,
        };
        let size = size.max(bytes.len() as u64) >> 20;
        return Err(Problem::error(format!("{shown} has {size} MiB, which is not a file of this kind"))
            .help("name a TOML file"));
    }
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
