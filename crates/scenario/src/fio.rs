//! `kind = "fio"`: the jobs of a fio job file as workloads, one each, before anything else looks at the tree.
//!
//! ```text
//! [workload.load]              [workload.load-reader]     [workload.load-writer]
//! kind = "fio"                 kind = "files"             kind = "files"
//! file = "job.fio"        ─▶   on = "data"                on = "data"
//! on = "data"                  operation = "read" …       operation = "write" …
//! ```
//!
//! What is written beside `file` comes on top of what the jobs say. How long they run becomes `[measure] stop`, where
//! the scenario doesn't say it itself.

use crate::parts::Texts;
use crate::schema::{Names, fits};
use crate::text::file::text_of;
use crate::text::tree::{Table, Value, merge, parse};
use crate::text::{Problem, Sources};
use petrio_files::inputs::Inputs;
use petrio_files::shown;
use petrio_kernel::Time;
use petrio_units::Duration;
use petrio_workload::fio::{FioFile, FioJob, FioWork};
use schemars::JsonSchema;
use std::borrow::Cow;
use std::ops::Range;
use std::path::Path;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// The word for such a workload.
const KIND: &str = "fio";

/// The jobs of a fio job file. A job on files becomes a workload of kind `files`, one on /dev/… one of kind
/// `synthetic`; keys of these kinds that stand here, too, come on top.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "it is a schema; what is read are the workloads that the jobs become")]
pub(crate) struct FioJobs {
    /// The file systems that jobs on files work on, or the disks that jobs on devices ask.
    on: Names,
    /// The job file, relative to the scenario's folder.
    file: std::path::PathBuf,
    /// Which of its jobs, by name or pattern; left out, all of them. Those before and behind a `stonewall` don't run side
    /// by side.
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
    /// How long the jobs on files run at most, and whether some have an end of their own.
    runtime: Option<Time>,
    ends: bool,
}

/// Puts the workloads of job files into a tree; gives what is to be known of them.
pub(crate) fn played<'i>(
    root: &mut Table<'i>,
    texts: &'i Texts,
    sources: &mut Sources,
    inputs: &Inputs,
) -> Result<Vec<Problem>, Vec<Problem>> {
    let (warnings, problems, runtime, ends) = (Vec::new(), Vec::new(), None, false);
    let mut player = Player { texts, sources, inputs, warnings, problems, runtime, ends };
    player.tables(root.get_mut());
    if let Some(runtime) = player.runtime {
        player.stop(root, runtime);
    }
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
        let Some(first) = chosen.first() else {
            let at = wanted.map_or(span, |(_, at)| at);
            return Err(self
                .sources
                .error(at, "no job is called so")
                .help(format!("the jobs are {}", known())));
        };
        if let Some(later) = chosen.iter().find(|job| job.group != first.group) {
            let at = line_at(text, base, later.line);
            let message = "this job begins when those before have ended, and workloads run side by side";
            let help =
                format!("choose those that run together: jobs = [\"{}\"]; there are {}", first.name, known());
            return Err(self.sources.error(at, message).help(help));
        }
        for remark in &read.remarks {
            self.warnings.push(self.sources.warning(line_at(text, base, remark.line), remark.text.as_str()));
        }
        let mut made = Vec::new();
        for job in &chosen {
            self.note_end(job);
            let made_of = format!("{path}, job {}, as TOML", job.name);
            let text = self.texts.keep(workload_toml(job));
            let base = self.sources.add(made_of, text);
            let (mut workload, mistakes) = parse(text, base);
            if let Some(mistake) = mistakes.into_iter().next() {
                return Err(self.sources.error(mistake.span, mistake.message));
            }
            merge(workload.get_mut(), &own);
            let called =
                if chosen.len() == 1 { name.to_owned() } else { format!("{name}-{}", plain(&job.name)) };
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
        match text.parse::<FioFile>() {
            Ok(file) => Ok((file, base, text)),
            Err(error) => {
                let problem = self.sources.error(line_at(text, base, error.line), error.problem.as_str());
                Err(problem.maybe_help(error.help))
            }
        }
    }

    fn note_end(&mut self, job: &FioJob) {
        match (&job.work, job.runtime) {
            (FioWork::Files(_), Some(runtime)) => self.runtime = self.runtime.max(Some(runtime)),
            (FioWork::Files(_), None) => self.ends = true,
            // Generators end by themselves.
            (FioWork::Device(_), _) => {}
        }
    }

    /// Ends the run when the longest job does.
    fn stop(&mut self, root: &mut Table<'i>, runtime: Time) {
        let text = self.texts.keep(format!("[measure.stop]\ntime = \"{}\"\n", Duration::from(runtime)));
        let base = self.sources.add("the jobs' runtime, as TOML", text);
        let (mut made, _) = parse(text, base);
        let written = root.get_ref().get("measure").and_then(|measure| measure.get_ref().as_table());
        let says_so = written.and_then(|measure| measure.get("stop")?.get_ref().as_table());
        if says_so.is_some_and(|stop| stop.contains_key("time")) {
            return;
        }
        if self.ends {
            let text =
                format!("jobs without a runtime are broken off after {}, too", Duration::from(runtime));
            self.warnings.push(Problem::new(crate::text::Severity::Warning, text));
        }
        let Some((_, measure)) = made.get_mut().iter_mut().next() else { return };
        if let (DeValue::Table(made), Some(written)) = (measure.get_mut(), written) {
            merge(made, written);
        }
        let at = measure.span();
        let measure = measure.clone();
        root.get_mut().remove("measure");
        root.get_mut().insert(Spanned::new(at, Cow::Borrowed("measure")), measure);
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
pub(crate) fn plain(name: &str) -> String {
    let fine = |letter: char| if letter.is_alphanumeric() || letter == '_' { letter } else { '-' };
    name.chars().map(fine).collect()
}

/// The workload that a job becomes, as TOML: all but where it runs. What is as it would be anyway is left out.
pub(crate) fn workload_toml(job: &FioJob) -> String {
    let (kind, whole) = match &job.work {
        FioWork::Files(pattern) => ("files", toml::Table::try_from(pattern)),
        FioWork::Device(generators) => ("synthetic", toml::Table::try_from(generators)),
    };
    let mut text = format!("kind = \"{kind}\"\n");
    // Structs of numbers and texts are tables; what wasn't would be missed by whoever reads this.
    for (key, value) in whole.unwrap_or_default() {
        match value {
            toml::Value::Array(items) if key == "generators" => {
                let items = items.into_iter().map(|item| format!("    {},\n", unusual(item)));
                text.push_str(&format!("generators = [\n{}]\n", items.collect::<String>()));
            }
            value if is_usual(&key, &value) => {}
            value => text.push_str(&format!("{key} = {value}\n")),
        }
    }
    text
}

/// A generator without what is as it would be anyway.
fn unusual(generator: toml::Value) -> toml::Value {
    match generator {
        toml::Value::Table(keys) => {
            toml::Value::Table(keys.into_iter().filter(|(key, value)| !is_usual(key, value)).collect())
        }
        other => other,
    }
}

fn is_usual(key: &str, value: &toml::Value) -> bool {
    let usual = match key {
        "pattern" => "\"sequential\"",
        "processes" | "files" | "passes" => "1",
        "file_order" => "\"one-after-another\"",
        "think_time" => "\"0 s\"",
        "interface" => "\"system\"",
        "fsync_call" => "\"fsync\"",
        "timing" => "\"with-fsync\"",
        "barrier" => "\"start\"",
        "devices" => "[0]",
        "local_fraction" | "sequential_fraction" | "time_critical_fraction" | "time_limited_fraction" => {
            "\"0 %\""
        }
        _ => return false,
    };
    value.to_string() == usual
}
