//! `kind = "fio"`: the jobs of a fio job file as workloads, one each, before anything else looks at the tree.
//!
//! ```text
//! [workload.load]              [workload.load-reader]     [workload.load-writer]
//! kind = "fio"                 kind = "accesses"          kind = "accesses"
//! file = "job.fio"        ─▶   on = "data"                on = "data"
//! on = "data"                  operation = "read" …       operation = "write" …
//! ```
//!
//! What is written beside `file` comes on top of what the jobs say.

use crate::nesting::Texts;
use crate::schema::{Names, fits};
use crate::text::file::text_of;
use crate::text::tree::{Table, Value, merge, parse};
use crate::text::{Problem, Sources};
use petrio_files::inputs::Inputs;
use petrio_files::shown;
use petrio_workload::fio::{FioFile, FioJob, FioWork, Surroundings};
use petrio_workload::parallel::ParallelProgram;
use schemars::JsonSchema;
use std::borrow::Cow;
use std::ops::Range;
use std::path::Path;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// The word for such a workload.
const KIND: &str = "fio";

/// The jobs of a fio job file, or of a script with fio's command lines. A job on files becomes a workload of kind `accesses`, one
/// on /dev/… one of kind `device-accesses`; those behind a `stonewall` run when those before are over. Keys of these kinds that stand here, too, come on top.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "it is a schema; what is read are the workloads that the jobs become")]
pub(crate) struct FioJobs {
    /// The file systems that jobs on files work on, or the disks that jobs on devices ask.
    on: Names,
    /// The job file, relative to the scenario's folder.
    file: std::path::PathBuf,
    /// Which of its jobs, by name or pattern; left out, all of them.
    #[serde(default)]
    jobs: Option<Names>,
}

/// A workload that a job became, with its name.
type Made<'i> = (Spanned<Cow<'i, str>>, Value<'i>);
/// Names, and where they stand.
type Wanted = (Vec<String>, Range<usize>);

/// What becomes of the workloads of a tree that are fio's.
struct Player<'i, 's> {
    texts: &'i Texts,
    sources: &'s mut Sources,
    inputs: &'s Inputs,
    warnings: Vec<Problem>,
    problems: Vec<Problem>,
}

/// Puts the workloads of job files into a tree; gives what is to be known of them.
pub(crate) fn played<'i>(
    root: &mut Table<'i>,
    texts: &'i Texts,
    sources: &mut Sources,
    inputs: &Inputs,
) -> Result<Vec<Problem>, Vec<Problem>> {
    let mut player = Player { texts, sources, inputs, warnings: Vec::new(), problems: Vec::new() };
    player.tables(root.get_mut());
    if player.problems.is_empty() { Ok(player.warnings) } else { Err(player.problems) }
}

fn is_fio(workload: &DeValue<'_>) -> bool {
    let kind = workload.as_table().and_then(|table| table.get("kind"));
    kind.and_then(|kind| kind.get_ref().as_str()) == Some(KIND)
}

impl<'i> Player<'i, '_> {
    /// Goes through all tables: workloads may stand in parts.
    fn tables(&mut self, table: &mut DeTable<'i>) {
        for (key, value) in table.iter_mut() {
            let DeValue::Table(inner) = value.get_mut() else { continue };
            if key.get_ref() == "workload" && inner.values().any(|workload| is_fio(workload.get_ref())) {
                self.workloads(inner);
            } else {
                self.tables(inner);
            }
        }
    }

    fn workloads(&mut self, workloads: &mut DeTable<'i>) {
        for (name, workload) in std::mem::take(workloads) {
            match workload.get_ref() {
                DeValue::Table(table) if is_fio(workload.get_ref()) => {
                    match self.jobs(name.get_ref(), name.span(), workload.span(), table) {
                        Ok(made) => workloads.extend(made),
                        Err(problem) => self.problems.push(problem),
                    }
                }
                _ => drop(workloads.insert(name, workload)),
            }
        }
    }

    /// The workloads of one job file.
    fn jobs(
        &mut self,
        name: &str,
        at: Range<usize>,
        span: Range<usize>,
        table: &DeTable<'i>,
    ) -> Result<Vec<Made<'i>>, Problem> {
        let mut own = table.clone();
        own.remove("kind");
        let Some(file) = own.remove("file").or_else(|| own.remove("files")) else {
            let problem = self.sources.error(span, "\"file\" is missing").label("in this part");
            return Err(problem.help("name the job file: file = \"job.fio\""));
        };
        let wanted = names(own.remove("jobs"), self.sources)?;
        let Some(path) = file.get_ref().as_str() else {
            return Err(self.sources.error(file.span(), "the name of a job file is needed here"));
        };
        let (read, base, text) = self.read(Path::new(path), file.span())?;
        let chosen: Vec<&FioJob> = match &wanted {
            Some((patterns, _)) => read
                .jobs
                .iter()
                .filter(|job| patterns.iter().any(|pattern| fits(pattern, &job.name)))
                .collect(),
            None => read.jobs.iter().collect(),
        };
        let known = || read.jobs.iter().map(|job| job.name.as_str()).collect::<Vec<_>>().join(", ");
        if chosen.is_empty() {
            let at = wanted.map_or(span, |(_, at)| at);
            return Err(self
                .sources
                .error(at, "no job is called so")
                .help(format!("the jobs are {}", known())));
        }
        for remark in &read.remarks {
            self.warnings.push(self.sources.warning(line_at(text, base, remark.line), remark.text.as_str()));
        }
        let mut made = Vec::new();
        let alone = chosen.len() == 1;
        let called: Vec<Option<String>> = names_of(&read, name, &chosen, alone);
        for job in &chosen {
            let made_of = format!("{path}, job {}, as TOML", job.name);
            let text = self.texts.keep(workload_toml(job, &called));
            let base = self.sources.add(made_of, text);
            let (mut workload, mistakes) = parse(text, base);
            if let Some(mistake) = mistakes.into_iter().next() {
                return Err(self.sources.error(mistake.span, mistake.message));
            }
            merge(workload.get_mut(), &own);
            let position = read.jobs.iter().position(|other| std::ptr::eq(other, *job));
            let called =
                position.and_then(|position| called[position].clone()).unwrap_or_else(|| name.to_owned());
            let value = Spanned::new(span.clone(), DeValue::Table(workload.into_inner()));
            made.push((Spanned::new(at.clone(), Cow::Owned(called)), value));
        }
        Ok(made)
    }

    fn read(&mut self, path: &Path, at: Range<usize>) -> Result<(FioFile, usize, &'i str), Problem> {
        if !self.inputs.may_be_read(path) {
            return Err(self.sources.error(at, "files are not read here"));
        }
        let text = text_of(self.inputs, path).map_err(|problem| {
            let advice = problem.advice().map(str::to_owned);
            self.sources.error(at.clone(), problem.message()).maybe_help(advice)
        })?;
        let text = self.texts.keep(text);
        let base = self.sources.add(shown::path(&self.inputs.path_of(path)).to_string(), text);
        match FioFile::read(text, &Beside { inputs: self.inputs, folder: path.parent() }) {
            Ok(file) => Ok((file, base, text)),
            Err(error) => {
                let problem = self.sources.error(line_at(text, base, error.line), error.problem.as_str());
                Err(problem.maybe_help(error.help))
            }
        }
    }
}

/// The names of the workloads that the chosen jobs become, by the jobs' positions in the file.
fn names_of(file: &FioFile, name: &str, chosen: &[&FioJob], alone: bool) -> Vec<Option<String>> {
    let mut used = std::collections::BTreeSet::new();
    let of = |job: &FioJob| {
        chosen.iter().any(|other| std::ptr::eq(*other, job)).then(|| {
            let mut called = if alone { name.to_owned() } else { format!("{name}-{}", plain(&job.name)) };
            while !used.insert(called.clone()) {
                called.push('-');
            }
            called
        })
    };
    file.jobs.iter().map(of).collect()
}

/// What lies around a job file: what it includes lies beside it, variables are the environment's.
pub(crate) struct Beside<'b> {
    /// Where files are read from.
    pub(crate) inputs: &'b Inputs,
    /// The job file's folder.
    pub(crate) folder: Option<&'b Path>,
}

impl Surroundings for Beside<'_> {
    fn include(&self, file: &str) -> Result<String, String> {
        let path = self.folder.map_or_else(|| Path::new(file).to_owned(), |folder| folder.join(file));
        if !self.inputs.may_be_read(&path) {
            return Err("files are not read here".to_owned());
        }
        text_of(self.inputs, &path).map_err(|problem| problem.message().to_owned())
    }

    fn variable(&self, name: &str) -> Option<String> {
        std::env::var(name).ok()
    }
}

/// A name, or a list of them, and where it stands.
fn names(value: Option<Value<'_>>, sources: &Sources) -> Result<Option<Wanted>, Problem> {
    let Some(value) = value else { return Ok(None) };
    let span = value.span();
    let word = |value: &Value<'_>| value.get_ref().as_str().map(str::to_owned);
    let names: Option<Vec<String>> = match value.get_ref() {
        DeValue::Array(items) => items.iter().map(word).collect(),
        _ => word(&value).map(|one| vec![one]),
    };
    match names {
        Some(names) => Ok(Some((names, span))),
        None => Err(sources
            .error(span, "names of jobs are needed here")
            .help("write jobs = [\"reader\", \"writer*\"]")),
    }
}

/// Where a line stands, among the sources.
fn line_at(text: &str, base: usize, line: u32) -> Range<usize> {
    let before: usize = text.split_inclusive('\n').take(line.saturating_sub(1) as usize).map(str::len).sum();
    let length = text[before..].lines().next().map_or(0, str::len);
    base + before..base + before + length
}

/// A job's name as a workload may have it.
///
/// ```
/// assert_eq!(petrio_scenario::workload_name("4k reads"), "4k-reads");
/// ```
pub fn plain(name: &str) -> String {
    let fine = |letter: char| if letter.is_alphanumeric() || letter == '_' { letter } else { '-' };
    let name: String = name.chars().map(fine).collect();
    match name.trim_start_matches('-') {
        "" => name,
        rest => rest.to_owned(),
    }
}

/// The workload that a job becomes, as TOML: all but where it runs. `called` are the names of all jobs' workloads, where they have
/// one.
pub(crate) fn workload_toml(job: &FioJob, called: &[Option<String>]) -> String {
    let kind = match &job.work {
        FioWork::Files(_) => "accesses",
        FioWork::Device { .. } => "device-accesses",
        FioWork::Messages { .. } => "parallel",
    };
    let mut text = format!("kind = \"{kind}\"\n");
    let after: Vec<String> = job
        .after
        .iter()
        .filter_map(|&before| called.get(before)?.clone())
        .map(toml::Value::String)
        .map(|name| name.to_string())
        .collect();
    if !after.is_empty() {
        text.push_str(&format!("after = [{}]\n", after.join(", ")));
    }
    // A struct of numbers and texts is a table; what wasn't would be missed by whoever reads this.
    let mut put = |before: &str, table: Result<toml::Table, toml::ser::Error>| {
        for (key, value) in table.unwrap_or_default() {
            text.push_str(&format!("{before}{key} = {value}\n"));
        }
    };
    match &job.work {
        FioWork::Files(parameters) | FioWork::Device { parameters, .. } => {
            put("", toml::Table::try_from(parameters));
        }
        FioWork::Messages { parameters, pairs, .. } => {
            put("", Ok(toml::Table::from_iter([("ranks".to_owned(), (2 * i64::from(*pairs)).into())])));
            put("program.", toml::Table::try_from(ParallelProgram::Stream((**parameters).clone())));
        }
    }
    text
}
