//! The speed of simulated file systems: operations a second, and simulated time beside real time.
//!
//! Three workloads on a host with ext3 on one disk: a cached sequential read of 512 MiB in records of 4 KiB, page by
//! page; a million random cached reads of 8 KiB; a cold sequential read through read-ahead, scheduler and disk. The
//! limit in the same run is the machine itself: a real cached read of the same size, in the temporary directory.

use petrio_scenario::build::System;
use petrio_scenario::report::Sinks;
use petrio_scenario::run::{RunFailure, simulate};
use petrio_scenario::{Problems, load_text};
use serde::Serialize;
use std::fs::File;
use std::io::{Read, Write};
use std::time::Instant;
use thiserror::Error;

const HEAD: &str = r#"
[disk.d]
model = "seagate-st3146707lc"
[host.h]
machine = "epyc-9005-2vcpu"
kernel = "linux-6.18"
[fs.data]
type = "ext3"
on = "d"
[workload.w]
kind = "files"
on = "data"
"#;

const CASES: [(&str, &str); 4] = [
    (
        "cached sequential read, 4 KiB",
        "operation = \"read\"\nrecord = \"4 KiB\"\nfile_size = \"512 MiB\"\ncached = true",
    ),
    (
        "cached random read, 8 KiB",
        "pattern = \"random\"\noperation = \"read\"\nrecord = \"8 KiB\"\nfile_size = \"512 MiB\"\noperations = 1000000\ncached = true",
    ),
    (
        "cached overwrite, 4 KiB",
        "operation = \"rewrite\"\nrecord = \"4 KiB\"\nfile_size = \"256 MiB\"\ncached = true",
    ),
    ("cold sequential read, 64 KiB", "operation = \"read\"\nrecord = \"64 KiB\"\nfile_size = \"512 MiB\""),
];

/// A workload and how fast it is simulated.
#[derive(Clone, Debug, Serialize)]
pub struct FileSystemSpeed {
    /// The workload.
    pub workload: &'static str,
    /// Operations simulated.
    pub operations: u64,
    /// Wall-clock time, seconds: the best of three.
    pub seconds: f64,
    /// Operations a second.
    pub operations_per_s: f64,
    /// Time that the operations take in the model, seconds.
    pub simulated_s: f64,
    /// Simulated over real time: above one, the model is faster than what it models.
    pub simulated_over_real: f64,
    /// What the same cached read takes on this machine, seconds, where it was tried.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub real_s: Option<f64>,
    /// Peak resident memory of this process so far, MiB.
    pub peak_resident_mib: Option<f64>,
}

impl FileSystemSpeed {
    /// Headings of [`FileSystemSpeed::cells`].
    pub const HEADINGS: [&str; 8] = [
        "workload",
        "operations",
        "seconds",
        "operations/s",
        "simulated s",
        "simulated/real",
        "real read s",
        "peak resident MiB",
    ];

    /// The figures as text.
    pub fn cells(&self) -> Vec<String> {
        let optional = |value: Option<f64>, digits: usize| {
            value.map_or("–".to_owned(), |value| format!("{value:.digits$}"))
        };
        vec![
            self.workload.to_owned(),
            self.operations.to_string(),
            format!("{:.3}", self.seconds),
            format!("{:.0}", self.operations_per_s),
            format!("{:.3}", self.simulated_s),
            format!("{:.2}", self.simulated_over_real),
            optional(self.real_s, 3),
            optional(self.peak_resident_mib, 0),
        ]
    }
}

/// Why there is no figure.
#[derive(Debug, Error)]
pub enum FsBenchError {
    /// The built-in scenario is wrong: a bug.
    #[error("the benchmark's scenario is wrong: {0}")]
    Scenario(Box<Problems>),
    /// The run failed.
    #[error(transparent)]
    Run(Box<RunFailure>),
}

/// Simulates each workload three times, and reads a real file beside the first.
///
/// # Errors
/// When a built-in scenario can't be run, which is a bug.
pub fn measure(progress: &mut dyn FnMut(&str)) -> Result<Vec<FileSystemSpeed>, FsBenchError> {
    let mut rows = Vec::new();
    for (workload, program) in CASES {
        progress(workload);
        let text = format!("title = \"{workload}\"\n{HEAD}{program}\n");
        let loaded =
            load_text(workload, &text, None, &[]).map_err(|error| FsBenchError::Scenario(Box::new(error)))?;
        let mut best = f64::INFINITY;
        let (mut operations, mut simulated_s) = (0, 0.0);
        for _ in 0..3 {
            let system = System::build(&loaded).map_err(|error| FsBenchError::Run(Box::new(error)))?;
            let begin = Instant::now();
            let report = simulate(&loaded, &system, Sinks::default())
                .map_err(|error| FsBenchError::Run(Box::new(error)))?;
            best = best.min(begin.elapsed().as_secs_f64());
            (operations, simulated_s) = (report.served.requests.completed, report.simulated_s);
        }
        rows.push(FileSystemSpeed {
            workload,
            operations,
            seconds: best,
            operations_per_s: operations as f64 / best,
            simulated_s,
            simulated_over_real: simulated_s / best,
            real_s: if rows.is_empty() { real_read() } else { None },
            peak_resident_mib: super::peak_resident_mib(),
        });
    }
    Ok(rows)
}

/// What reading 512 MiB from the page cache in records of 4 KiB takes here: the best of three.
fn real_read() -> Option<f64> {
    const RECORD: usize = 4096;
    const RECORDS: usize = 512 << 20 >> 12;
    let mut file = tempfile::tempfile().ok()?;
    let mut record = vec![1_u8; RECORD];
    let large = vec![1_u8; RECORD << 8];
    for _ in 0..RECORDS >> 8 {
        file.write_all(&large).ok()?;
    }
    (0..3)
        .filter_map(|_| {
            rewind(&mut file)?;
            let begin = Instant::now();
            for _ in 0..RECORDS {
                file.read_exact(&mut record).ok()?;
            }
            Some(begin.elapsed().as_secs_f64())
        })
        .min_by(f64::total_cmp)
}

fn rewind(file: &mut File) -> Option<()> {
    std::io::Seek::rewind(file).ok()
}
