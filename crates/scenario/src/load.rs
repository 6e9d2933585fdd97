//! From a scenario's text to a scenario that can be run, or to the list of all that is wrong with it.
//!
//! ```text
//! file + --set ──tree──► tables ──parts──► flat tables ──read──► Scenario ──devices, profiles──► ──check──► ──placed──► Loaded
//!                syntax          nesting, copies     keys, units, types  catalogue      names, sense   sizes
//! ```
//!
//! Each step needs the one before to have gone well, and reports everything that it finds.

use crate::check::{check, check_sizes};
use crate::devices::{Found, devices};
use crate::fio;
use crate::generators::filled_in;
use crate::holder::Holders;
use crate::host::{Ground, Hosts, join_ranks};
use crate::loaded::{Loaded, Origin};
use crate::misplaced;
use crate::nesting::{Texts, expand};
use crate::placed::{PlacedDisk, beneath, storage, unaligned};
use crate::prepared::Prepared;
use crate::reference::Of;
use crate::scenario::{Head, Scenario};
use crate::schema::read_parts;
use crate::state::SavedRun;
use crate::text::deserialise::read_beside;
use crate::text::file::text_of;
use crate::text::tables::read_tables;
use crate::text::tree::{self, KeySpans, Table};
use crate::text::{Copies, Override, Problem, Problems, SETTING, Severity, Sources};
use crate::wires::{self, BusAssignment};
use crate::workload::{KINDS, files_alike, read_workload};
use indexmap::IndexMap;
use petrio_files::inputs::Inputs;
use petrio_files::shown;
use petrio_kernel::Watch;
use std::path::Path;
use std::sync::Arc;
use toml::Spanned;

impl Loaded {
    /// The same scenario with further values set, each as `--set` would.
    ///
    /// # Errors
    /// What is wrong with it then.
    pub(crate) fn with_settings(&self, settings: &[(String, String)]) -> Result<Self, Problems> {
        let Origin { name, text, overrides } = &*self.origin;
        let settings = settings.iter().map(|(path, value)| Override::new(path, value));
        let overrides: Vec<Override> = overrides.iter().cloned().chain(settings).collect();
        let known = Known { watch: &self.watch, before: self.prepared.clone(), idle: false };
        let mut loaded = load_known(name, text, &self.inputs, &overrides, known)?;
        // What a study has changed since stays changed.
        loaded.scenario.title.clone_from(&self.scenario.title);
        loaded.scenario.seed = self.scenario.seed;
        loaded.scenario.workload.clone_from(&self.scenario.workload);
        loaded.scenario.measure.clone_from(&self.scenario.measure);
        loaded.prepared.clone_from(&self.prepared);
        Ok(loaded)
    }
}

/// Reads a scenario file, changes it as the overrides say, and checks it.
///
/// # Errors
/// Everything that is wrong with it, each with its place and what to do.
pub fn load(path: &Path, overrides: &[Override]) -> Result<Loaded, Problems> {
    load_in(&Inputs::here(), path, overrides, &Watch::default())
}

/// As [`load`], of the inputs of a piece of work, and as long as it is wanted: see [`load_from`].
///
/// # Errors
/// As of [`load`].
pub fn load_in(
    inputs: &Inputs,
    path: &Path,
    overrides: &[Override],
    watch: &Watch,
) -> Result<Loaded, Problems> {
    load_on(inputs, path, overrides, watch, None)
}

/// As [`load_in`], to go on from a state: what it holds of traces isn't looked for in them, which may be what is left of them.
///
/// # Errors
/// As of [`load`].
pub fn load_on(
    inputs: &Inputs,
    path: &Path,
    overrides: &[Override],
    watch: &Watch,
    from: Option<&SavedRun>,
) -> Result<Loaded, Problems> {
    load_file(inputs, path, overrides, Known { watch, before: from.and_then(SavedRun::known), idle: false })
}

/// As [`load_in`], for its parts alone: it needs no workload, and may have parts that no workload uses.
///
/// # Errors
/// As of [`load`].
pub fn load_parts(inputs: &Inputs, path: &Path, overrides: &[Override]) -> Result<Loaded, Problems> {
    load_file(inputs, path, overrides, Known { watch: &Watch::default(), before: None, idle: true })
}

/// What is known of a scenario before it is read.
struct Known<'w> {
    watch: &'w Watch,
    /// What was read for its workloads already.
    before: Option<Arc<Prepared>>,
    /// Nobody is to run it.
    idle: bool,
}

fn load_file(
    inputs: &Inputs,
    path: &Path,
    overrides: &[Override],
    known: Known<'_>,
) -> Result<Loaded, Problems> {
    let name = shown::path(path).to_string();
    let text = text_of(inputs, path).map_err(|problem| {
        let other = misplaced::by_file(inputs, (&name, path), Of::Scenario);
        Problems::new(&name, vec![other.unwrap_or(problem)])
    })?;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut loaded = load_known(&name, &text, &inputs.below(folder), overrides, known)?;
    if loaded.scenario.title.is_empty() {
        let stem = path.file_stem().map(|stem| stem.to_string_lossy().replace(['-', '_'], " "));
        loaded.scenario.title = stem.unwrap_or(name);
    }
    Ok(loaded)
}

/// As [`load`], from a text. Without a folder nothing is read from files, and files are not looked for: this is what
/// fuzz tests call.
///
/// # Errors
/// As of [`load`].
pub fn load_text(
    name: &str,
    text: &str,
    folder: Option<&Path>,
    overrides: &[Override],
) -> Result<Loaded, Problems> {
    let inputs = folder.map_or_else(Inputs::none, Inputs::in_folder);
    load_from(name, text, &inputs, overrides, &Watch::default())
}

/// As [`load_text`], with inputs from files or from memory, and as long as it is wanted; so are what is built of the
/// scenario and its runs. One that was stopped is no scenario, and what is said to be wrong with it means nothing.
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
    load_known(name, text, inputs, overrides, Known { watch, before: None, idle: false })
}

/// As [`load_from`], where what was read `before` for its workloads needn't be read again.
#[expect(
    clippy::too_many_lines,
    reason = "the steps of the drawing above, each of which needs the one before"
)]
fn load_known(
    name: &str,
    text: &str,
    inputs: &Inputs,
    overrides: &[Override],
    Known { watch, before, idle: parts_alone }: Known<'_>,
) -> Result<Loaded, Problems> {
    let (mut sources, texts) = (Sources::default(), Texts::default());
    let base = sources.add(name, text);
    let (mut root, mistakes) = tree::parse(text, base);
    let fail = |problems| Problems::new(name, problems);
    if !mistakes.is_empty() {
        return Err(fail(misplaced::not_toml(name, text, mistakes, &sources, Of::Scenario)));
    }
    if let Some(problem) = misplaced::by_keys(name, &root, Of::Scenario) {
        return Err(fail(vec![problem]));
    }
    let (mut problems, strays) = changed(&mut root, overrides, &mut sources);
    let told = fio::played(&mut root, &texts, &mut sources, inputs).unwrap_or_else(|mut more| {
        problems.append(&mut more);
        Vec::new()
    });
    if !problems.is_empty() {
        return Err(fail(problems));
    }
    let (root, copies) = expand(root, &texts, &mut sources, inputs).map_err(|mut more| {
        problems.append(&mut more);
        fail(std::mem::take(&mut problems))
    })?;
    let mut root = root;
    join_ranks(&mut root);
    problems.append(&mut files_alike(&mut root, &sources));
    problems.append(&mut read_tables(root.get_mut(), Path::new(""), (inputs, &sources)));
    let places = KeySpans::with_copies(&root, copies);
    let fail = |problems| Problems::new(name, places.copies().told_once(rather(problems, &strays)));
    let scenario = scenario_with_copies(&root, places.copies(), &sources).map_err(|mut more| {
        problems.append(&mut more);
        fail(std::mem::take(&mut problems))
    })?;
    let devices = devices(&scenario, &root, &places, &mut sources, inputs).unwrap_or_else(|mut more| {
        problems.append(&mut more);
        IndexMap::new()
    });
    let mut checked = check(&scenario, &root, &places, &mut sources, (inputs, !parts_alone));
    let [mut crowded, mut idle] = wires::check(&scenario, &places, &sources);
    checked.problems.append(&mut crowded);
    checked.unused.append(&mut idle);
    if parts_alone {
        checked.unused.clear();
    }
    // What somebody leaves out by a setting stands in the file for others: `compare file.toml@workload.w.on=data`.
    if !overrides.is_empty() {
        checked.unused = checked.unused.into_iter().map(Problem::only_warns).collect();
    }
    let (mut errors, warnings): (Vec<Problem>, Vec<Problem>) = checked
        .problems
        .into_iter()
        .chain(checked.unused)
        .chain(told)
        .partition(|problem| problem.severity() == Severity::Error);
    let mut warnings = places.copies().told_once(warnings);
    problems.append(&mut errors);
    if !problems.is_empty() {
        return Err(fail(problems));
    }
    let disks = placed(&scenario, checked.disks, &devices);
    let storage = storage(&scenario, &disks, &checked.holders);
    let sized = check_sizes(&scenario, &storage, &places, &sources).into_iter();
    let (mut errors, cautions): (Vec<Problem>, Vec<Problem>) =
        sized.partition(|problem| problem.severity() == Severity::Error);
    problems.append(&mut errors);
    warnings.extend(places.copies().told_once(cautions));
    if !problems.is_empty() {
        return Err(fail(problems));
    }
    let sizes: Vec<u64> = storage.iter().map(|part| part.blocks).collect();
    let beneath = beneath(&scenario, &disks, &storage);
    let unaligned = unaligned(&storage, &beneath, &places, &sources);
    warnings.extend(places.copies().told_once(unaligned));
    let ground = Ground { sizes: &sizes, beneath: &beneath, places: &places, sources: &sources };
    let hosts = scenario.hosts.place(checked.hosts, &ground, &mut problems);
    let (errors, cautions): (Vec<Problem>, Vec<Problem>) =
        problems.into_iter().partition(|problem| problem.severity() == Severity::Error);
    warnings.extend(places.copies().told_once(cautions));
    if !errors.is_empty() {
        return Err(fail(errors));
    }
    let generators = filled_in(&scenario, &storage, &checked.targets, &places, &sources).map_err(fail)?;
    let copies = places.copies().clone();
    let fail = |problems| Problems::new(name, copies.told_once(problems));
    let mut loaded = Loaded {
        scenario,
        disks,
        storage,
        hosts,
        targets: checked.targets,
        generators,
        warnings,
        watch: watch.clone(),
        tells_each: false,
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
    loaded.warnings.extend(crate::chance::pointless_replications(&loaded));
    let senseless: Vec<Problem> =
        crate::costs::check(&loaded).into_iter().chain(crate::loss::check(&loaded)).collect();
    if !senseless.is_empty() {
        return Err(fail(senseless));
    }
    let beyond = crate::bounds::check(&loaded);
    if !beyond.is_empty() {
        return Err(fail(beyond));
    }
    loaded.prepared = crate::build::check_files(&loaded).map_err(fail)?;
    Ok(loaded)
}

/// Settings that would be lost, each with what is to be said of it instead.
type Strays<'o> = Vec<(&'o Arc<str>, Problem)>;

/// Changes a tree as the overrides say.
fn changed<'o>(
    root: &mut Table<'o>,
    overrides: &'o [Override],
    sources: &mut Sources,
) -> (Vec<Problem>, Strays<'o>) {
    let (mut problems, mut strays) = (Vec::new(), Vec::new());
    for change in overrides {
        let base = sources.add(SETTING, Arc::clone(change.text()));
        strays.extend(change.stray(root, base, sources).map(|stray| (change.text(), stray)));
        problems.extend(change.apply(root, base, sources).err());
    }
    (problems, strays)
}

/// Every disk with its drive, and the wire on which it hangs.
fn placed(
    scenario: &Scenario,
    disks: Vec<(String, String)>,
    devices: &IndexMap<String, Found>,
) -> Vec<PlacedDisk> {
    let mut wires = BusAssignment::of(scenario);
    disks
        .into_iter()
        .filter_map(|(name, part)| {
            let (disk, Found { device, compiled }) = (scenario.disk.get(&part)?, devices.get(&part)?.clone());
            let (bus, queueing) = (wires.next(disk), wires.queueing(disk, &*compiled));
            Some(PlacedDisk { name, part, device, compiled, queueing, bus, spindle: disk.spindle })
        })
        .collect()
}

/// Instead of problems that a setting has of which there is something else to say, that.
fn rather(mut problems: Vec<Problem>, strays: &[(&Arc<str>, Problem)]) -> Vec<Problem> {
    for (text, stray) in strays {
        let before = problems.len();
        problems.retain(|problem| !problem.is_in(text));
        problems.extend((problems.len() < before).then(|| stray.clone()));
    }
    problems
}

/// The structs of a tree, or every mistake in it; what is wrong with a part is wrong with its copies, and found in the
/// first.
fn scenario_with_copies(
    root: &Table<'_>,
    copies: &Copies,
    sources: &Sources,
) -> Result<Scenario, Vec<Problem>> {
    if !copies.is_empty() {
        scenario_of(&copies.only_first(root), sources)?;
    }
    scenario_of(root, sources)
}

/// The structs of a tree, or every mistake in it.
fn scenario_of(root: &Table<'_>, sources: &Sources) -> Result<Scenario, Vec<Problem>> {
    let mut problems = Vec::new();
    let mut rest = root.get_ref().clone();
    let workloads = format!("kind = … ({})", KINDS.join(", "));
    let workload = ("workload", "workload", workloads.as_str());
    let workload = read_parts(root, workload, read_workload, &mut rest, &mut problems, sources);
    let hosts = Hosts::read(root, &mut rest, &mut problems, sources);
    let holders = Holders::read(root, &mut rest, &mut problems, sources);
    let hosts_keys = Hosts::kinds().map(|kind| kind.key);
    let beside: Vec<&str> =
        std::iter::once("workload").chain(hosts_keys).chain(Holders::KEYS.iter().copied()).collect();
    match read_beside::<Head>(&Spanned::new(root.span(), rest), &beside, sources) {
        Ok(Head { title, seed, disk, hba, measure }) if problems.is_empty() => {
            Ok(Scenario { title, seed, disk, hba, holders, hosts, workload, measure })
        }
        Ok(_) => Err(problems),
        Err(mut more) => {
            // In the order of the file, the head before the workloads.
            more.append(&mut problems);
            Err(more)
        }
    }
}
