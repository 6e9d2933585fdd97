//! Operations and group commits played as scenarios: the same calls on a disk that takes as long for each request.

use super::measured::{MeasuredGroup, Setting};
use super::scripts::OperationScript;
use super::sequence::{Area, Request, Sequence};
use crate::paced::{self, PlayError, disk_and_host};
use petrio_colours::{Direction, FileOp, Operation, Purpose, Request as _};
use petrio_kernel::Time;
use petrio_scenario::report::{DeviceSink, ReportError, RequestSink, Sinks, Visit};
use std::sync::{Arc, Mutex, PoisonError};

/// What was seen of a run.
#[derive(Default)]
struct Seen {
    /// When each call began and ended.
    calls: Vec<(Time, Time, Operation)>,
    requests: Vec<(Time, Request)>,
}

struct Watch(Arc<Mutex<Seen>>);

impl RequestSink<FileOp> for Watch {
    fn completed(&mut self, op: &FileOp, at: Time) -> Result<(), ReportError> {
        let mut seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        seen.calls.push((op.issued(), at, op.operation));
        Ok(())
    }

    fn finish(&mut self) -> Result<(), ReportError> {
        Ok(())
    }
}

impl DeviceSink for Watch {
    fn visited(&mut self, Visit { request, arrived, .. }: &Visit) -> Result<(), ReportError> {
        let place = match () {
            () if request.purposes.has(Purpose::Journal) => Area::Log,
            () if request.purposes.has(Purpose::Data) => Area::Data,
            () => Area::Metadata,
        };
        let kib = f64::from(request.blocks) / 2.0;
        let seen = match request.direction {
            Direction::Read => Request::Read(kib, place),
            Direction::Write => Request::Write(kib, place),
            Direction::Flush => Request::Flush,
            // None of these scripts' file systems is mounted so that it discards.
            Direction::Discard => return Ok(()),
        };
        self.0.lock().unwrap_or_else(PoisonError::into_inner).requests.push((*arrived, seen));
        Ok(())
    }

    fn finish(&mut self) -> Result<(), ReportError> {
        Ok(())
    }
}

/// The machine and the file system, on a disk that takes so long for each request.
fn parts(setting: &Setting, milliseconds: f64) -> String {
    let Setting { fs, size_mib, cache, mount } = setting;
    let machine = disk_and_host(size_mib.saturating_mul(2048), &format!("{milliseconds} ms"), cache == "wb");
    // Names there have four or five letters; those of XFS' short directories are kept as they are.
    let names = if fs == "ext4" { "name_length = 5\n" } else { "" };
    let access_times = if mount == "noatime" { "never" } else { "relative" };
    format!(
        r#"
title = "operations"
{machine}
[fs.f]
type = "{fs}"
access_times = "{access_times}"
{names}scheduler = "none"
queue_depth = 128
on = "d"
"#
    )
}

fn run(text: &str) -> Result<Seen, PlayError> {
    let seen = Arc::new(Mutex::new(Seen::default()));
    let mut sinks = Sinks::default();
    sinks.push::<FileOp>(Watch(Arc::clone(&seen)));
    sinks.push_device_log(Watch(Arc::clone(&seen)));
    paced::run("operations", text, sinks)?;
    let mut seen = seen.lock().unwrap_or_else(PoisonError::into_inner);
    Ok(std::mem::take(&mut *seen))
}

/// The scenario of an operation.
#[must_use]
pub fn operation_scenario(setting: &Setting, script: &OperationScript) -> String {
    let parts = parts(setting, 5.0);
    format!(
        "{parts}[workload.w]\nkind = \"script\"\non = \"f\"\nscript = \"\"\"\n{}\"\"\"\n",
        script.text(&setting.fs)
    )
}

/// What an operation sends, phase by phase.
///
/// # Errors
/// A script that makes no scenario; a run that fails.
pub fn play_operation(setting: &Setting, script: &OperationScript) -> Result<Sequence, PlayError> {
    let mut seen = run(&operation_scenario(setting, script))?;
    seen.calls.sort_by_key(|(begin, ..)| *begin);
    seen.requests.sort_by_key(|(at, _)| *at);
    let (mut phases, mut from) = (Vec::new(), 0);
    for phase in &script.phases {
        let calls = seen.calls.get(from..from + phase.calls.len()).unwrap_or_default();
        from += phase.calls.len();
        let (Some((begin, ..)), Some((_, end, _))) = (calls.first(), calls.last()) else { continue };
        let within = seen.requests.iter().filter(|(at, _)| (*begin..*end).contains(at));
        phases.push((phase.name.clone(), within.map(|(_, request)| *request).collect()));
    }
    Ok(Sequence(phases))
}

/// Operations a second and requests an operation of threads that do the same again and again; none for what is no script.
///
/// # Errors
/// As of [`play_operation`].
pub fn play_group(row: &MeasuredGroup) -> Result<Option<(f64, f64)>, PlayError> {
    let each = match row.op.as_str() {
        "append_4k_fsync" => "create a; repeat 100000 { append a 4 KiB; fsync a }",
        "append_4k_fdatasync" => "create a; repeat 100000 { append a 4 KiB; fdatasync a }",
        "overwrite_4k_fsync" => {
            "create a; write a 0 1 MiB; fsync a; repeat 100000 { write a 0 4 KiB; fsync a }"
        }
        "overwrite_4k_fdatasync" => {
            "create a; write a 0 1 MiB; fsync a; repeat 100000 { write a 0 4 KiB; fdatasync a }"
        }
        "create_4k_fsync" => "repeat 20000 { create f%; write f% 0 4 KiB; fsync f%; close f% }",
        _ => return Ok(None),
    };
    let setting = Setting {
        fs: row.fs.clone(),
        size_mib: row.size_mib,
        cache: row.cache.clone(),
        mount: "default".to_owned(),
    };
    let (parts, seconds, threads) = (parts(&setting, row.ms_per_request), row.seconds, row.threads);
    let text = format!(
        "{parts}[workload.w]\nkind = \"script\"\non = \"f\"\nprocesses = {threads}\nscript = \"{each}\"\n\
         [measure]\nstop = {{ time = \"{seconds} s\" }}\n"
    );
    let seen = run(&text)?;
    let end = Time::from_seconds(seconds);
    let syncs = |operation: &Operation| matches!(operation, Operation::Fsync | Operation::Fdatasync);
    let done = seen.calls.iter().filter(|(_, at, operation)| *at <= end && syncs(operation)).count() as f64;
    let requests = seen.requests.iter().filter(|(at, _)| *at <= end).count() as f64;
    Ok(Some((done / seconds, requests / done)))
}
