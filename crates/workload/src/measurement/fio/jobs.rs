//! The job file that fio's JSON was made by, as far as it repeats it.
//!
//! fio writes each job's options, and those of all jobs, into its output (`job options`, `global options`); `stonewall` it leaves out,
//! but the jobs behind it are of a group of their own (`groupid`; `new_group`, which makes one too, has no other meaning for a load).

use super::{JOBS, MeasurementError, SUM, documents, is_it, number_of, text_of};
use serde_json::{Map, Value};
use std::fmt::Write as _;

/// The job file of the first output in a text; nothing of a text that is no output of fio's.
///
/// # Errors
/// JSON that is damaged, or without jobs.
///
/// ```
/// let json = r#"{ "fio version" : "fio-3.33", "global options" : { "size" : "1m" }, "jobs" : [
///     { "jobname" : "a", "groupid" : 0, "job options" : { "rw" : "randread" } },
///     { "jobname" : "b", "groupid" : 1, "job options" : { "rw" : "write" } } ] }"#;
/// let jobs = petrio_workload::measurement::fio_job_file(json)?.unwrap();
/// assert_eq!(jobs, "[global]\nsize=1m\n[a]\nrw=randread\n[b]\nstonewall\nrw=write\n");
/// # Ok::<(), petrio_workload::measurement::MeasurementError>(())
/// ```
pub fn fio_job_file(text: &str) -> Result<Option<String>, MeasurementError> {
    if !is_it(text) {
        return Ok(None);
    }
    let (all, damage) = documents(text)?;
    let of =
        |document: &Map<String, Value>| JOBS.iter().find_map(|key| document.get(*key)?.as_array()).cloned();
    let Some((document, jobs)) = all.iter().find_map(|document| Some((document, of(document)?))) else {
        return Err(damage.unwrap_or_else(no_jobs));
    };
    let mut written = String::new();
    if let Some(global) = document.get("global options").and_then(Value::as_object) {
        section(&mut written, "global", global, false);
    }
    let mut before: Option<Written<'_>> = None;
    for job in jobs.iter().filter_map(Value::as_object) {
        let Some(name) = text_of(job, "jobname").filter(|name| *name != SUM) else { continue };
        let options = job.get("job options").and_then(Value::as_object);
        let group = number_of(job, "groupid").unwrap_or_default();
        // Processes of one job are told one by one.
        if before.is_some_and(|before| before.name == name && before.options == options) {
            continue;
        }
        let waits = before.is_some_and(|before| group > before.group);
        section(&mut written, name, options.unwrap_or(&Map::new()), waits);
        before = Some(Written { name, options, group });
    }
    if before.is_some() { Ok(Some(written)) } else { Err(no_jobs()) }
}

/// The job that was written last.
#[derive(Clone, Copy)]
struct Written<'v> {
    name: &'v str,
    options: Option<&'v Map<String, Value>>,
    group: f64,
}

fn no_jobs() -> MeasurementError {
    MeasurementError::of("there is no job in fio's JSON")
        .with_help("give the output of a run, or its job file")
}

/// A section of a job file; names and values are of one line.
fn section(written: &mut String, name: &str, options: &Map<String, Value>, waits: bool) {
    let one_line = |text: &str| text.replace(['\n', '\r'], " ");
    // Writing to a string can't fail.
    let _ = writeln!(written, "[{}]", one_line(name).replace(']', ")"));
    if waits {
        written.push_str("stonewall\n");
    }
    for (key, value) in options.iter().filter(|(key, _)| *key != "name") {
        let value = match value {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        let _ = match value.is_empty() {
            true => writeln!(written, "{}", one_line(key)),
            false => writeln!(written, "{}={}", one_line(key), one_line(&value)),
        };
    }
}
