//! What is run: scenarios, scripts of calls, captured requests, users' specifications, the manifests of their files.

use super::{Reader, Verdict, reason, text};
use crate::samples::{files, seed};
use petrio_distribution::Draw;
use petrio_files::inputs::Inputs;
use petrio_live::namespace::Manifest;
use petrio_scenario::Problems;
use petrio_units::Measurable;
use petrio_users::namespace::FileKind;
use petrio_users::{UserSpecification, Users};
use petrio_workload::fio::{FioFile, FioWork};
use petrio_workload::iozone::{Iozone, is_iozone};
use petrio_workload::measurement::Measurement;
use petrio_workload::observed::Observed;
use petrio_workload::over_time::OverTime;
use petrio_workload::parallel::{JobPlacement, ParallelParameters, ParallelProgram, counted_job};
use petrio_workload::program::requests::Opener;
use petrio_workload::program::{FileProgram, Placement, RequestParameters, Script, ScriptParameters, Step};
use std::io::Cursor;
use std::path::Path;
use std::sync::Arc;

pub(super) fn readers() -> Vec<Reader> {
    vec![
        Reader { name: "scenario", read: scenario, samples: scenarios },
        Reader { name: "program_script", read: script, samples: scripts },
        Reader { name: "fio_jobs", read: fio_jobs, samples: || vec![seed("fio-jobs")] },
        Reader { name: "darshan_counters", read: darshan_counters, samples: darshan_logs },
        Reader { name: "iozone", read: iozone, samples: || vec![seed("iozone")] },
        Reader { name: "observed", read: observed, samples: || vec![seed("observed")] },
        Reader { name: "over_time", read: over_time, samples: over_times },
        Reader { name: "measurement", read: measurement, samples: measurements },
        Reader { name: "program_requests", read: requests, samples: || vec![seed("requests")] },
        Reader { name: "user_specification", read: users, samples: specifications },
        Reader { name: "files_manifest", read: manifest, samples: manifests },
    ]
}

/// fio's job files; what is made of a job can be checked as one that is written by hand.
fn fio_jobs(bytes: &[u8]) -> Verdict {
    let file: FioFile = text(bytes)?.parse().map_err(|error| reason(&error))?;
    assert!(!file.jobs.is_empty());
    for job in file.jobs {
        let checked = match job.work {
            FioWork::Files(accesses) => accesses.validate(false).map_err(|error| reason(&error)),
            FioWork::Device { parameters, .. } => parameters.validate(true).map_err(|error| reason(&error)),
            FioWork::Messages { parameters, pairs, .. } => {
                let program = ParallelProgram::Stream(*parameters);
                ParallelParameters::of(2 * pairs, program).validate().map_err(|error| reason(&error))
            }
        };
        checked?;
    }
    Ok(())
}

fn darshan_logs() -> Vec<Vec<u8>> {
    ["darshan-counters", "darshan-counters-bzip2", "darshan-counters-plain", "darshan-parser"]
        .map(seed)
        .into()
}

/// What Darshan counted: a program of it can be planned, and its first ranks begin with accesses within a file.
fn darshan_counters(bytes: &[u8]) -> Verdict {
    const RANKS_MAX: u32 = 1_000;
    const STEPS: usize = 1_000;
    let inputs = Inputs::none();
    inputs.hold(Path::new("log"), bytes);
    let Some(job) = counted_job(&inputs, Path::new("log")).map_err(|error| reason(&error))? else {
        return Err("none of Darshan's".to_owned());
    };
    if job.ranks > RANKS_MAX {
        return Ok(());
    }
    let program = serde_json::json!({ "kind": "darshan", "file": "log" });
    let parameters = serde_json::json!({ "ranks": job.ranks, "program": program });
    let parameters: ParallelParameters =
        serde_json::from_value(parameters).map_err(|error| reason(&error))?;
    let all = || vec![0; job.ranks as usize];
    let placement = JobPlacement::new(Placement::new("d"), all(), all());
    let plan = parameters.plan_in(&inputs, &placement).map_err(|error| reason(&error))?;
    let programs = plan.programs(0, 0..job.ranks.min(4), &Arc::default()).map_err(|error| reason(&error))?;
    for mut program in programs {
        for _ in 0..STEPS {
            match program.next(petrio_time::Time::ZERO).map_err(|error| reason(&error))? {
                Step::End => break,
                Step::Operation(op) if op.operation.name() == "read" || op.operation.name() == "write" => {
                    assert!(op.offset.checked_add(op.length).is_some_and(|end| end <= i64::MAX as u64));
                }
                _ => {}
            }
        }
    }
    Ok(())
}

/// iozone's command lines and its output; what is made of a test can be checked as one that is written by hand.
fn iozone(bytes: &[u8]) -> Verdict {
    let text = text(bytes)?;
    let run: Iozone = text.parse().map_err(|error| reason(&error))?;
    assert!(is_iozone(text) && !run.tests.is_empty());
    for test in run.tests {
        test.parameters.validate().map_err(|error| reason(&error))?;
    }
    Ok(())
}

/// What iostat and sar print: rates of disks that do something, and requests of whole blocks.
fn observed(bytes: &[u8]) -> Verdict {
    let observed: Observed = text(bytes)?.parse().map_err(|error| reason(&error))?;
    assert!(!observed.disks.is_empty());
    for disk in observed.disks {
        let rates = [disk.reads_per_s, disk.writes_per_s, disk.read_bytes_per_s, disk.written_bytes_per_s];
        assert!(rates.into_iter().all(|rate| rate.is_finite() && rate >= 0.0) && rates[0] + rates[1] > 0.0);
        let sizes = [disk.read_bytes(), disk.written_bytes()];
        assert!(sizes.into_iter().flatten().all(|bytes| bytes > 0 && bytes.is_multiple_of(512)));
    }
    Ok(())
}

fn over_times() -> Vec<Vec<u8>> {
    let names = ["iostat", "iostat-json", "sar", "sadf", "sadf-json", "exporter", "prometheus", "table"];
    names.map(|name| seed(&format!("over-time-{name}"))).into()
}

/// What disks did over time; whatever is told of an interval is a number that a disk can have.
fn over_time(bytes: &[u8]) -> Verdict {
    for interval_s in [None, Some(10.0)] {
        let seen = OverTime::read(bytes, interval_s).map_err(|error| reason(&error))?;
        assert!(!seen.devices.is_empty() && seen.remarks.iter().all(|remark| !remark.is_empty()));
        for interval in seen.devices.iter().flat_map(|device| &device.intervals) {
            let told =
                [interval.reads, interval.writes].map(|requests| [requests.per_s, requests.bytes_per_s]);
            assert!(told.as_flattened().iter().all(|rate| rate.is_finite() && *rate >= 0.0), "{interval:?}");
            let times = [interval.await_of_both(), interval.under_way(), interval.busy, interval.length_s];
            assert!(times.into_iter().flatten().all(|time| time.is_finite() && time >= 0.0), "{interval:?}");
            assert!(interval.length_s != Some(0.0) && interval.busy.is_none_or(|busy| busy <= 1.0));
        }
    }
    Ok(())
}

fn measurements() -> Vec<Vec<u8>> {
    ["measurement-iozone", "measurement-iozone-tables", "measurement-fio"].map(seed).into()
}

/// Outputs of iozone and fio; whatever was measured is a number that something can be held against.
fn measurement(bytes: &[u8]) -> Verdict {
    let measured = Measurement::read(bytes).map_err(|error| reason(&error))?;
    assert!(!measured.rows.is_empty());
    for row in measured.rows {
        assert!(!row.figures.is_empty() && row.record != Some(0) && row.file_size != Some(0));
        assert!(row.figures.iter().all(|(_, value)| value.is_finite() && *value > 0.0), "{row:?}");
    }
    Ok(())
}

/// Every example that stands alone, and parts in parts.
fn scenarios() -> Vec<Vec<u8>> {
    let mut samples = files(&["examples"], ".toml");
    samples.retain(|sample| !sample.windows(5).any(|text| text == b"use ="));
    samples.push(NESTED.as_bytes().to_vec());
    samples
}

const NESTED: &str = r#"
[host.server]
machine = "epyc-9005-2vcpu"
kernel = "linux-6.18"
count = 3

[host.server.disk.d]
model = "constant-rate"
count = 2

[host.server.raid.r]
level = 0
on = "d"

[host.server.fs.data]
type = "ext4"
on = "r"
size = "1 GiB"

[host.server1.disk.d]
drive = { rate = "1 GB/s" }

[box.rack]
count = 2

[box.rack.box.shelf]
count = 2
disk = { e = { model = "constant-rate", count = 2 } }

[box.rack.host.node]
machine = "epyc-9005-2vcpu"
kernel = "linux-6.18"

[box.rack.fs.log]
type = "ext4"
on = "all"
size = "1 GiB"

[box.rack.raid.all]
level = 0
on = "shelf*/e*"

[box.rack.workload.writer]
kind = "script"
on = "log"
script = "create a; append a 8 KiB; fsync a"

[workload.w]
kind = "script"
on = ["server*/data", "/rack0/log", "**/log"]
script = "create b; append b 8 KiB; fsync b"
"#;

fn scenario(bytes: &[u8]) -> Verdict {
    let loaded = petrio_scenario::load_text("hostile", text(bytes)?, None, &[]);
    loaded.map(drop).map_err(|problems| first(&problems))
}

/// The first of all that is wrong.
pub(super) fn first(problems: &Problems) -> String {
    problems.iter().next().map_or_else(|| reason(&""), |problem| reason(&problem))
}

fn scripts() -> Vec<Vec<u8>> {
    let texts = [
        "file a 64 KiB; open a; read a 4 KiB 4 KiB; write a 8 KiB 4 KiB; fsync a; close a",
        "phase preparation\ncreate first; append first 8 KiB; fsync first; sync\nphase measured\n\
         repeat 100 { create message-%; append message-% 8 KiB; fsync message-% }",
        "file b 1 MiB cached; think 5 ms; read b 0 B 64 KiB; unlink b",
    ];
    texts.map(|text| text.as_bytes().to_vec()).to_vec()
}

fn script(bytes: &[u8]) -> Verdict {
    let text = text(bytes)?;
    let script = text.parse::<Script>().map_err(|error| reason(&error))?;
    assert!(
        script.to_string().parse::<Script>().is_ok_and(|again| again == script),
        "prints as another script"
    );
    let prepared = ScriptParameters::new(text).prepare(&Placement::new("hostile"));
    let mut prepared = prepared.map_err(|error| reason(&error))?;
    let program = &mut prepared.programs[0];
    for _ in 0..10_000 {
        match program.next(petrio_time::Time::ZERO) {
            Ok(Step::End) | Err(_) => break,
            Ok(_) => {}
        }
    }
    Ok(())
}

fn requests(bytes: &[u8]) -> Verdict {
    let parameters = RequestParameters::new("hostile");
    let bytes = bytes.to_vec();
    let opener: Arc<Opener> = Arc::new(move || Ok(Box::new(Cursor::new(bytes.clone()))));
    let prepared = parameters.prepare_with(&Placement::new("hostile"), &opener);
    let mut prepared = prepared.map_err(|error| reason(&error))?;
    for program in &mut prepared.programs {
        loop {
            match program.next(petrio_time::Time::ZERO) {
                Ok(Step::End) => break,
                Ok(_) => {}
                Err(error) => panic!("the file was looked over before: {error}"),
            }
        }
    }
    Ok(())
}

/// Many files and users are allowed, and take their time.
fn is_small(specification: &UserSpecification) -> bool {
    let files = specification.files.count <= 1_000 && specification.files.users.unwrap_or(0) <= 4;
    let users = specification
        .user
        .values()
        .all(|kind| kind.sessions_at_once.unwrap_or(1) <= 4 && kind.open_files.unwrap_or(1) <= 16);
    let entry = specification.readings.entry.get().max(1) as f64;
    let directories = specification.category.values().filter(|category| category.kind == FileKind::Directory);
    let entries: f64 = directories.map(|category| reach(&category.size) / entry).sum();
    let has_room = (1.0 + entries) * f64::from(specification.files.count) <= 100_000.0;
    let used = specification.user.values().flat_map(|kind| kind.uses.values());
    let drawn: f64 = used.map(|used| reach(&used.files)).sum();
    files && users && has_room && drawn <= 1_000.0
}

/// How large draws are, roughly.
fn reach<Q: Measurable>(draw: &Draw<Q>) -> f64 {
    draw.distribution().map_or(0.0, |draw| draw.mean().abs() + draw.variance().sqrt())
}

fn users(bytes: &[u8]) -> Verdict {
    let specification = petrio_scenario::load_users_text("hostile", text(bytes)?, &[]);
    let specification = specification.map_err(|problems| first(&problems))?;
    assert_eq!(specification.check(), Ok(()));
    if !is_small(&specification) {
        return Ok(());
    }
    if let Ok(namespace) = specification.namespace(2, 1) {
        assert_eq!(specification.namespace(2, 1), Ok(namespace));
    }
    let prepared = specification.prepare(&Users::new("", 2, 2), &Placement::new("hostile"), None);
    let prepared = prepared.map_err(|error| reason(&error))?;
    for mut program in prepared.programs {
        for _ in 0..300 {
            match program.next(petrio_time::Time::ZERO) {
                Ok(Step::Operation(op)) => {
                    let there = prepared.files.get(op.file).is_some();
                    let elsewhere = prepared.elsewhere.values().any(|table| table.get(op.file).is_some());
                    assert!(there || elsewhere, "a call on a file that isn't in the tables");
                }
                Ok(Step::End) | Err(_) => break,
                Ok(_) => {}
            }
        }
    }
    Ok(())
}

/// User specifications; scenarios lie beside them.
fn specifications() -> Vec<Vec<u8>> {
    let is_scenario = |bytes: &[u8]| bytes.windows(9).any(|window| window == b"[workload");
    files(&["examples/users"], ".toml").into_iter().filter(|bytes| !is_scenario(bytes)).collect()
}

fn manifests() -> Vec<Vec<u8>> {
    let specifications = specifications().into_iter().filter_map(|bytes| {
        let specification =
            petrio_scenario::load_users_text("sample", std::str::from_utf8(&bytes).ok()?, &[]).ok()?;
        serde_json::to_vec(&Manifest::new(specification, 2, 1)).ok()
    });
    specifications.collect()
}

fn manifest(bytes: &[u8]) -> Verdict {
    let manifest = Manifest::of_text(text(bytes)?)?;
    let again = serde_json::to_string(&manifest).map(|text| Manifest::of_text(&text));
    assert!(matches!(again, Ok(Ok(again)) if again == manifest), "written as another one");
    // Many files are allowed, and take their time.
    if manifest.users <= 4 && is_small(&manifest.specification) {
        manifest.namespace().map_err(|error| reason(&error))?;
    }
    Ok(())
}
