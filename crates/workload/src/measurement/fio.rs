//! fio's JSON: for each job and each of reads, writes and syncs, how many, how fast, how long.
//!
//! Source: fio 3.33, stat.c (`show_thread_status_json`, `add_ddir_status_json`). What of it is read:
//!
//! | key | what |
//! | --- | --- |
//! | `jobs`, `client_stats` | a job's figures; of several processes without `group_reporting` one each, put together |
//! | `bw_bytes` (fio 2: `bw`, KiB/s), `iops` | over the direction's own time |
//! | `lat_ns.mean` (fio 2: `lat.mean`, µs) | from submission to completion; where it is missing, that of `slat` and `clat` together |
//! | `lat_ns.percentile` or `clat_ns.percentile` | from submission with `lat_percentiles=1`, else from when it had been submitted |
//! | `bins` of json+ | how many took how long: several processes' percentiles are found from these |
//! | `io_bytes`, `total_ios` | bytes of an access |
//! | `job options`, `global options` | `rw`, `ioengine`, `iodepth` (which synchronous engines don't take), `numjobs`, `direct` |
//!
//! What else is printed on the way may stand before and behind the JSON. Several outputs in one file are taken one after the other.

mod jobs;

pub use jobs::fio_job_file;

use super::{Figure, Format, Kind, Measurement, MeasurementError, Row};
use petrio_units::numbers::whole_part;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// What only fio's JSON has in it.
const MARK: &str = "\"fio version\"";
/// Keys under which the jobs stand: of a run, and of one on several machines.
const JOBS: [&str; 2] = ["jobs", "client_stats"];
/// The sum of all jobs of several machines, which are there one by one.
const SUM: &str = "All clients";
/// Parts of the requests whose latencies are taken, where they are there: those that a prediction has.
const PARTS: [f64; 4] = [0.5, 0.9, 0.99, 0.999];
/// Engines that have one access in flight, whatever `iodepth` says (fio's HOWTO, "ioengine").
const SYNCHRONOUS: [&str; 7] = ["sync", "psync", "vsync", "pvsync", "pvsync2", "mmap", "splice"];
/// The JSON is looked for at so many braces that begin a line.
const BRACES_MAX: usize = 64;

/// Whether a text is fio's JSON, or has it in it.
pub(super) fn is_it(text: &str) -> bool {
    text.contains(MARK) && text.contains('{')
}

/// Reads the outputs in a text.
pub(super) fn read(text: &str) -> Result<Measurement, MeasurementError> {
    let (documents, damage) = documents(text)?;
    let mut found = Found::default();
    for document in &documents {
        found.document(document)?;
    }
    match damage {
        Some(damage) if found.documents == 0 => return Err(damage),
        Some(damage) => found.remarks.push(format!("{damage}; what is before and behind it is taken")),
        None => {}
    }
    found.measurement()
}

/// The JSON in a text, and the first damage in what may have been some.
type Documents = (Vec<Map<String, Value>>, Option<MeasurementError>);

/// Every JSON object that begins a line, and what kept the first that is none from being one.
fn documents(text: &str) -> Result<Documents, MeasurementError> {
    let (mut all, mut from, mut tries, mut damage) = (Vec::new(), 0, 0, None);
    while let Some(at) = next_brace(text, from).filter(|_| tries < BRACES_MAX) {
        tries += 1;
        let mut documents = serde_json::Deserializer::from_str(&text[at..]).into_iter::<Map<String, Value>>();
        match documents.next() {
            Some(Ok(document)) => {
                from = at + documents.byte_offset();
                all.push(document);
            }
            Some(Err(error)) => {
                let told = damaged(text, at, &error);
                if error.is_eof() {
                    return Err(told);
                }
                // Text around the JSON may have braces of its own: whether it was one shows when there is no other.
                damage = damage.or(Some(told));
                from = at + 1;
            }
            None => break,
        }
    }
    Ok((all, damage))
}

/// Where, behind `from` or at the beginning, the next brace is that begins its line.
fn next_brace(text: &str, from: usize) -> Option<usize> {
    let mut start = if from == 0 { 0 } else { from + text[from..].find('\n')? + 1 };
    loop {
        let line = text[start..].split('\n').next().unwrap_or_default();
        let begun = line.trim_start_matches(|letter: char| letter.is_whitespace() || letter == '\u{feff}');
        if begun.starts_with('{') {
            return Some(start + line.len() - begun.len());
        }
        start += line.len() + 1;
        if start > text.len() {
            return None;
        }
    }
}

fn damaged(text: &str, at: usize, error: &serde_json::Error) -> MeasurementError {
    let line = text[..at].matches('\n').count() + error.line();
    if error.is_eof() {
        return MeasurementError::at(line, "fio's JSON ends here before it is complete")
            .with_help("the file was cut off, or fio had not ended: give all of the output");
    }
    let words = error.to_string();
    let words = words.rsplit_once(" at line").map_or(words.as_str(), |(words, _)| words);
    MeasurementError::at(line, format!("fio's JSON is damaged here: {words}"))
        .with_help("give the output as fio wrote it (--output=FILE keeps other text out of it)")
}

/// What a job did of a kind, of all its processes.
#[derive(Default)]
struct Sums {
    /// How many processes did it: those that are told of, and how many there were by `numjobs`.
    processes: u32,
    told_processes: u32,
    bytes: f64,
    count: f64,
    throughput: f64,
    rate: f64,
    /// Sum of the mean latencies, each as often as it stands for, and how often; seconds.
    latency: (f64, f64),
    /// Latencies at parts, seconds: of one process alone.
    parts: Vec<(f64, f64)>,
    /// How many took so many nanoseconds, of all processes; `None` where one doesn't tell.
    bins: Option<BTreeMap<u64, f64>>,
    depth: Option<u32>,
    direct: Option<bool>,
    random: Option<bool>,
}

/// Outputs that were read.
#[derive(Default)]
struct Found {
    rows: Vec<Row>,
    remarks: Vec<String>,
    documents: usize,
}

impl Found {
    fn measurement(self) -> Result<Measurement, MeasurementError> {
        let Self { rows, remarks, documents } = self;
        if documents == 0 {
            return Err(MeasurementError::of("there is no complete JSON of fio's in it")
                .with_help("run fio with --output-format=json --output=FILE, and give that file"));
        }
        if rows.is_empty() {
            let why = remarks.first().map_or_else(String::new, |remark| format!(": {remark}"));
            return Err(MeasurementError::of(format!("no job of it read, wrote or synced anything{why}"))
                .with_help("look into its \"error\" keys for what went wrong"));
        }
        Ok(Measurement { format: Format::Fio, rows, remarks })
    }

    /// Takes one output.
    fn document(&mut self, document: &Map<String, Value>) -> Result<(), MeasurementError> {
        let Some((key, jobs)) = JOBS.iter().find_map(|key| Some((*key, document.get(*key)?))) else {
            return Ok(());
        };
        let Some(jobs) = jobs.as_array() else {
            return Err(MeasurementError::of(format!("\"{key}\" of fio's JSON is no list of jobs")));
        };
        self.documents += 1;
        let global = document.get("global options").and_then(Value::as_object);
        let mut sums: Vec<((String, Kind), Sums)> = Vec::new();
        for (number, job) in jobs.iter().enumerate() {
            let at = format!("{key}[{number}]");
            let Some(job) = job.as_object() else {
                return Err(MeasurementError::of(format!("{at} of fio's JSON is no job")));
            };
            let name = text_of(job, "jobname")
                .ok_or_else(|| MeasurementError::of(format!("{at} of fio's JSON has no \"jobname\"")))?;
            if name == SUM {
                continue;
            }
            if let Some(error) = number_of(job, "error").filter(|error| *error != 0.0) {
                self.remarks.push(format!("the job \"{name}\" ended with error {error}, and is left out"));
                continue;
            }
            self.remarks.extend(trims(name, job));
            for (kind, part) in [(Kind::Read, "read"), (Kind::Write, "write"), (Kind::Sync, "sync")] {
                let Some(figures) = job.get(part).and_then(Value::as_object) else { continue };
                let count = number_of(figures, "total_ios").unwrap_or(0.0);
                if count <= 0.0 {
                    continue;
                }
                let position = sums.iter().position(|((known, of), _)| known == name && *of == kind);
                let position = position.unwrap_or_else(|| {
                    sums.push(((name.to_owned(), kind), Sums::default()));
                    sums.len() - 1
                });
                sums[position].1.add(figures, count);
                sums[position].1.options(&[job.get("job options").and_then(Value::as_object), global]);
            }
        }
        for ((name, kind), sums) in sums {
            let several = sums.processes > 1 && sums.parts.is_empty();
            if several && sums.bins.is_none() {
                self.remarks.push(format!(
                    "the percentiles of the {} processes of \"{name}\" can't be put together; use group_reporting, or json+",
                    sums.processes
                ));
            }
            let row = sums.row(name, kind);
            if row.figures.is_empty() {
                self.remarks.push(format!("\"{}\" has no figure for its {}s", row.name, row.kind.word()));
            } else {
                self.rows.push(row);
            }
        }
        Ok(())
    }
}

/// That a job's trims are left out.
fn trims(name: &str, job: &Map<String, Value>) -> Option<String> {
    let trims = number_of(job.get("trim")?.as_object()?, "total_ios").filter(|trims| *trims > 0.0)?;
    Some(format!("the {trims} trims of \"{name}\" are left out: nothing here predicts them"))
}

fn number_of(object: &Map<String, Value>, key: &str) -> Option<f64> {
    object.get(key)?.as_f64().filter(|number| number.is_finite() && *number >= 0.0)
}

fn text_of<'v>(object: &'v Map<String, Value>, key: &str) -> Option<&'v str> {
    object.get(key)?.as_str()
}

/// An object of times, and how long its unit is in seconds: nanoseconds, or in fio 2 microseconds.
fn times<'v>(figures: &'v Map<String, Value>, name: &str) -> Option<(&'v Map<String, Value>, f64)> {
    let of = |key: &str, unit: f64| Some((figures.get(key)?.as_object()?, unit));
    of(&format!("{name}_ns"), 1e-9).or_else(|| of(name, 1e-6))
}

/// The mean of an object of times that has some, seconds.
fn mean(figures: &Map<String, Value>, name: &str) -> Option<f64> {
    let (times, unit) = times(figures, name)?;
    number_of(times, "mean").filter(|mean| *mean > 0.0).map(|mean| mean * unit)
}

/// The latencies of the parts that are taken.
fn percentiles((times, unit): (&Map<String, Value>, f64)) -> Vec<(f64, f64)> {
    let Some(all) = times.get("percentile").and_then(Value::as_object) else { return Vec::new() };
    let read = all
        .iter()
        .filter_map(|(part, time)| Some((part.parse::<f64>().ok()? / 100.0, time.as_f64()? * unit)));
    let read: Vec<(f64, f64)> = read.filter(|(_, time)| time.is_finite() && *time >= 0.0).collect();
    let of =
        |part: f64| read.iter().find(|(known, _)| (known - part).abs() < 1e-9).map(|&(_, time)| (part, time));
    PARTS.iter().filter_map(|part| of(*part)).collect()
}

/// How many took so many nanoseconds.
fn bins((times, unit): (&Map<String, Value>, f64)) -> Option<BTreeMap<u64, f64>> {
    let all = times.get("bins").and_then(Value::as_object).filter(|_| unit < 1e-8)?;
    let read: Option<BTreeMap<u64, f64>> =
        all.iter().map(|(time, count)| Some((time.parse().ok()?, count.as_f64()?))).collect();
    read.filter(|bins| !bins.is_empty())
}

impl Sums {
    /// Adds what a process did of it.
    fn add(&mut self, figures: &Map<String, Value>, count: f64) {
        self.processes += 1;
        self.count += count;
        self.bytes += number_of(figures, "io_bytes")
            .unwrap_or_else(|| number_of(figures, "io_kbytes").unwrap_or(0.0) * 1024.0);
        let kibibytes = || number_of(figures, "bw").map(|rate| rate * 1024.0);
        self.throughput += number_of(figures, "bw_bytes").or_else(kibibytes).unwrap_or(0.0);
        self.rate += number_of(figures, "iops").unwrap_or(0.0);
        let both = || Some(mean(figures, "slat").unwrap_or(0.0) + mean(figures, "clat")?);
        if let Some(latency) = mean(figures, "lat").or_else(both) {
            self.latency = (self.latency.0 + latency * count, self.latency.1 + count);
        }
        let sorts = ["lat", "clat"];
        let told = sorts
            .iter()
            .filter_map(|name| times(figures, name))
            .find(|times| !percentiles(*times).is_empty());
        let own = told.map(percentiles).unwrap_or_default();
        let of_one = told.and_then(bins);
        match self.processes {
            1 => (self.parts, self.bins) = (own, of_one),
            _ => {
                self.parts.clear();
                self.bins = self.bins.take().zip(of_one).map(|(mut all, more)| {
                    for (time, count) in more {
                        *all.entry(time).or_default() += count;
                    }
                    all
                });
            }
        }
    }

    /// Takes the options of the job, and of all jobs.
    fn options(&mut self, options: &[Option<&Map<String, Value>>]) {
        let option =
            |name: &str| options.iter().flatten().find_map(|known| text_of(known, name)).map(str::trim);
        let number = |name: &str| option(name).map_or(Some(1), |number| number.parse().ok());
        let waits = option("ioengine").is_none_or(|engine| SYNCHRONOUS.contains(&engine));
        self.depth = if waits { Some(1) } else { number("iodepth") };
        // Of a group's report there is one job with the sums of all.
        self.told_processes = number("numjobs").unwrap_or(1);
        let is = |name: &str, value: &str| option(name).is_some_and(|has| has == value || has.is_empty());
        self.direct = Some(is("direct", "1") || option("buffered") == Some("0"));
        // Nothing said is a read in order, where anything is said at all.
        let order = option("rw").or(option("readwrite")).unwrap_or("read");
        self.random = options.iter().flatten().next().map(|_| order.starts_with("rand"));
    }

    /// The latency that a part doesn't exceed, from how many took how long; seconds.
    fn from_bins(bins: &BTreeMap<u64, f64>, part: f64) -> Option<f64> {
        let all: f64 = bins.values().sum();
        let mut before = 0.0;
        for (time, count) in bins {
            before += count;
            if before >= part * all {
                return Some(*time as f64 * 1e-9);
            }
        }
        None
    }

    fn row(self, name: String, kind: Kind) -> Row {
        let mut figures = Vec::new();
        if self.throughput > 0.0 {
            figures.push((Figure::Throughput, self.throughput));
        }
        if self.rate > 0.0 {
            figures.push((Figure::Rate, self.rate));
        }
        if self.latency.1 > 0.0 {
            figures.push((Figure::MeanLatency, self.latency.0 / self.latency.1));
        }
        let from_bins = |bins: &BTreeMap<u64, f64>| -> Vec<(f64, f64)> {
            PARTS.iter().filter_map(|part| Some((*part, Self::from_bins(bins, *part)?))).collect()
        };
        let parts = match &self.bins {
            Some(bins) if self.processes > 1 => from_bins(bins),
            _ => self.parts,
        };
        figures.extend(parts.into_iter().map(|(part, time)| (Figure::Latency(part), time)));
        // A job's sizes may vary, which a mean that is a whole number of blocks doesn't tell; it is what calls cost alike.
        let record = (self.bytes / self.count).round();
        let is_size = kind != Kind::Sync && (1.0..1e15).contains(&record);
        Row {
            name,
            kind,
            file_size: None,
            record: is_size.then_some(whole_part(record)),
            processes: Some(self.processes.max(self.told_processes)),
            depth: self.depth,
            direct: self.direct,
            random: self.random,
            figures,
        }
    }
}
