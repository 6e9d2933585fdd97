//! The accesses of a job beside those that fio itself makes of it (`write_iolog`), where fio is installed.

#![allow(clippy::print_stdout, reason = "a test that is skipped says so")]
#![allow(clippy::unwrap_used, reason = "a test that cannot set up has failed")]

mod texts;

use super::{FioFile, FioWork};
use crate::program::{AccessParameters, FileProgram, Placement, Step};
use petrio_colours::Operation;
use petrio_time::Time;
use std::path::PathBuf;
use std::process::Command;

/// So many accesses are compared.
const COMPARED: usize = 1_000;

/// An access: the number of its file, whether it writes, where, and how long.
type Access = (usize, bool, u64, u64);

/// What fio does, by its own record; none where there is no fio.
fn by_fio(job: &str) -> Option<Vec<Access>> {
    let folder = tempfile::tempdir().ok()?;
    let file = folder.path().join("job.fio");
    std::fs::write(
        &file,
        format!("{job}directory={}\nwrite_iolog={}/log\n", folder.path().display(), folder.path().display()),
    )
    .ok()?;
    let done =
        Command::new("fio").arg("--output=/dev/null").arg(&file).current_dir(folder.path()).status().ok()?;
    assert!(done.success(), "fio doesn't take\n{job}");
    logged(&std::fs::read_to_string(folder.path().join("log")).ok()?)
}

/// Where fio is, if it is here.
fn fio() -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let here = std::env::split_paths(&path).map(|folder| folder.join("fio")).find(|file| file.is_file())?;
    Command::new(&here).arg("--version").output().ok().filter(|done| done.status.success()).map(|_| here)
}

/// The accesses in an I/O log.
fn logged(log: &str) -> Option<Vec<Access>> {
    let mut names: Vec<String> = Vec::new();
    let mut found = Vec::new();
    for line in log.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let Some(at) = words.iter().position(|word| matches!(*word, "read" | "write")) else {
            if let [.., name, "add"] = words.as_slice() {
                names.push((*name).to_owned());
            }
            continue;
        };
        let file = names.iter().position(|name| *name == words[at - 1])?;
        found.push((file, words[at] == "write", words[at + 1].parse().ok()?, words[at + 2].parse().ok()?));
    }
    Some(found)
}

/// What is made of it here.
fn here(job: &str) -> Vec<Access> {
    let file: FioFile = job.parse().unwrap_or_else(|error| panic!("{error} of\n{job}"));
    let FioWork::Files(parameters) = &file.jobs[0].work else { panic!("it works on files") };
    of_files(parameters)
}

/// What the first process does.
fn of_files(parameters: &AccessParameters) -> Vec<Access> {
    let mut prepared = parameters.prepare(&Placement::new("w")).unwrap_or_else(|error| panic!("{error}"));
    let mut found = Vec::new();
    while found.len() < COMPARED {
        let step = prepared.programs[0].next(Time::ZERO).unwrap_or_else(|error| panic!("{error}"));
        let (Step::Operation(op) | Step::Submit { op, .. }) = step else {
            if step == Step::End {
                break;
            }
            continue;
        };
        let writes = match op.operation {
            Operation::Read => false,
            Operation::Write => true,
            _ => continue,
        };
        found.push((op.file.0 as usize - 1, writes, op.offset, op.length));
    }
    found
}

#[test]
fn accesses_are_those_that_fio_makes() {
    if fio().is_none() {
        println!("skipped: accesses_are_those_that_fio_makes (there is no fio here)");
        return;
    }
    let jobs = [
        "rw=read\nsize=8m\nbs=4k\n",
        "rw=read:-8k\nsize=4m\nbs=4k\n",
        "rw=write:12k\nsize=4m\nbs=4k\n",
        "rw=randread\nsize=16m\nbs=4k\n",
        "rw=randread\nsize=2m\nbs=4k\nrandseed=77\n",
        "rw=randread\nsize=16m\nbs=4k\nnorandommap\n",
        "rw=randread:8\nsize=16m\nbs=4k\n",
        "rw=randrw\nsize=16m\nbs=4k\nrwmixread=70\n",
        "rw=randrw\nsize=16m\nbssplit=4k/60:16k/30:64k/10\n",
        "rw=randwrite\nsize=16m\nbsrange=4k-32k\n",
        "rw=randrw\nsize=16m\nbs=4k,16k\nnorandommap\n",
        "rw=rw\nsize=8m\nbs=4k\n",
        "rw=randread\nsize=16m\nbs=4k\nnrfiles=4\n",
        "rw=randread\nsize=16m\nbs=4k\nnrfiles=4\nfile_service_type=random:3\n",
        "rw=read\nsize=16m\nbs=4k\nnrfiles=4\nfile_service_type=sequential\n",
        "rw=randread\nsize=8m\nbs=4k\noffset=2m\n",
        "rw=randread\nsize=16m\nbs=8k\nblockalign=4k\nnorandommap\n",
        "rw=randread\nsize=16m\nbs=4k\npercentage_random=60\n",
        "rw=read\nsize=8m\nbs=4k\nzonemode=strided\nzonesize=64k\nzonerange=64k\nzoneskip=128k\n",
        "rw=read\nsize=1m\nbs=4k\nloops=2\n",
        "rw=randread\nsize=1m\nbs=4k\nloops=2\n",
    ];
    let mut different = Vec::new();
    for options in jobs {
        let job = format!("[a]\n{options}");
        let (fio, own) = (by_fio(&job).unwrap_or_default(), here(&job));
        let fio = &fio[..fio.len().min(COMPARED)];
        if fio != own {
            let at = fio.iter().zip(&own).position(|(one, other)| one != other);
            let at = at.unwrap_or(fio.len().min(own.len()));
            let near = |all: &[Access]| format!("{:?}", &all[at.min(all.len())..(at + 3).min(all.len())]);
            different.push(format!(
                "{}: from {at} of {} and {}: fio {}, here {}",
                options.replace('\n', " "),
                fio.len(),
                own.len(),
                near(fio),
                near(&own)
            ));
        }
    }
    assert!(different.is_empty(), "{} of {}:\n{}", different.len(), jobs.len(), different.join("\n"));
}
