//! What `iostat -x` and `sar -d` observed of disks: rates, sizes and times, as means over a while.
//!
//! ```
//! use petrio_workload::observed::Observed;
//! let text = "Device  r/s  rkB/s  w/s  wkB/s  await  aqu-sz  %util\nsda  2.0  64.0  10.0  120.0  2.5  0.03  4.0\n";
//! let observed: Observed = text.parse()?;
//! assert_eq!((observed.disks[0].reads_per_s, observed.disks[0].read_bytes()), (2.0, Some(32 * 1024)));
//! # Ok::<(), petrio_workload::observed::ObservedError>(())
//! ```
//!
//! Columns are told by their names, which changed over the versions of sysstat (10 to 12.7); others are read over. Where there are
//! several reports the first of iostat's is left out, which is of all the time since the machine was started. Source: iostat(1) and
//! sar(1) of sysstat. What neither tells is where requests lie and how they come: at once, or evenly.

use miette::Diagnostic;
use petrio_units::numbers::{as_number, whole_part};
use std::str::FromStr;
use thiserror::Error;

/// What was observed.
#[derive(Clone, Debug, PartialEq)]
pub struct Observed {
    /// The disks that were busy with anything, in the order in which they show up.
    pub disks: Vec<ObservedDisk>,
    /// How many reports the means are of.
    pub reports: u32,
    /// Whether the only report is that of all the time since the machine was started.
    pub since_start: bool,
}

/// A disk's load and what became of it, as means.
#[derive(Clone, Debug, PartialEq)]
pub struct ObservedDisk {
    /// Its name.
    pub name: String,
    /// Reads a second.
    pub reads_per_s: f64,
    /// Writes a second.
    pub writes_per_s: f64,
    /// Bytes read a second.
    pub read_bytes_per_s: f64,
    /// Bytes written a second.
    pub written_bytes_per_s: f64,
    /// How long a request took, waiting included, ms; where it was told.
    pub await_ms: Option<f64>,
    /// How many were under way; where it was told.
    pub under_way: Option<f64>,
    /// How much of the time the disk was busy, of 100; where it was told.
    pub busy_percent: Option<f64>,
}

impl ObservedDisk {
    /// How long a read is, in whole blocks of 512 bytes; `None` where there are none.
    pub fn read_bytes(&self) -> Option<u64> {
        size(self.read_bytes_per_s, self.reads_per_s)
    }

    /// How long a write is.
    pub fn written_bytes(&self) -> Option<u64> {
        size(self.written_bytes_per_s, self.writes_per_s)
    }
}

/// Bytes of one of so many a second; at least a block.
fn size(bytes: f64, requests: f64) -> Option<u64> {
    const BLOCK: f64 = 512.0;
    (requests > 0.0).then(|| whole_part((bytes / requests / BLOCK).round().max(1.0) * BLOCK))
}

/// What is wrong with such a text.
#[derive(Clone, Debug, PartialEq, Eq, Diagnostic, Error)]
#[error("line {line}: {problem}")]
pub struct ObservedError {
    /// The line, from 1.
    pub line: u32,
    /// What is wrong.
    pub problem: String,
    /// What to do about it.
    #[help]
    pub help: Option<String>,
}

/// More disks, or a rate beyond this, is no machine's.
const DISKS_MAX: usize = 4_096;
const RATE_MAX: f64 = 1e12;

/// What a column tells, with the factor to bytes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Column {
    Name,
    Reads,
    Writes,
    /// Of reads and writes together (`sar -d`).
    Requests,
    ReadBytes(f64),
    WrittenBytes(f64),
    Await,
    ReadAwait,
    WriteAwait,
    UnderWay,
    Busy,
    /// Requests a second that move no data: discards and flushes.
    Besides,
    Other,
}

pub(crate) fn column(name: &str) -> Column {
    match name.trim_end_matches(':') {
        "Device" | "DEV" => Column::Name,
        "r/s" => Column::Reads,
        "w/s" => Column::Writes,
        "tps" => Column::Requests,
        "rkB/s" | "kB_read/s" => Column::ReadBytes(1024.0),
        "wkB/s" | "kB_wrtn/s" => Column::WrittenBytes(1024.0),
        "rMB/s" | "MB_read/s" => Column::ReadBytes(1_048_576.0),
        "wMB/s" | "MB_wrtn/s" => Column::WrittenBytes(1_048_576.0),
        "rsec/s" | "rd_sec/s" => Column::ReadBytes(512.0),
        "wsec/s" | "wr_sec/s" => Column::WrittenBytes(512.0),
        "await" => Column::Await,
        "r_await" => Column::ReadAwait,
        "w_await" => Column::WriteAwait,
        "avgqu-sz" | "aqu-sz" => Column::UnderWay,
        "%util" => Column::Busy,
        "d/s" | "f/s" => Column::Besides,
        _ => Column::Other,
    }
}

/// The columns of a header line, if it is one of such a table's.
pub(crate) fn header(line: &str) -> Option<Vec<Column>> {
    let columns: Vec<Column> = line.split_whitespace().map(column).collect();
    let has = |wanted: fn(&Column) -> bool| columns.iter().any(wanted);
    let counts = has(|one| matches!(one, Column::Reads | Column::Requests));
    (has(|one| *one == Column::Name) && counts && has(|one| matches!(one, Column::ReadBytes(_))))
        .then_some(columns)
}

/// Whether a text is what `iostat` or `sar -d` printed.
pub fn is_observed(text: &str) -> bool {
    const LINES: usize = 64;
    text.lines().take(LINES).any(|line| header(line).is_some())
}

/// Sums over the reports.
#[derive(Clone, Debug, Default)]
struct Sums {
    name: String,
    reports: f64,
    reads: f64,
    writes: f64,
    read: f64,
    written: f64,
    awaited: Option<f64>,
    under_way: Option<f64>,
    busy: Option<f64>,
}

impl FromStr for Observed {
    type Err = ObservedError;

    fn from_str(text: &str) -> Result<Self, ObservedError> {
        let mut reports: Vec<Vec<(u32, Row)>> = Vec::new();
        let mut columns: Option<Vec<Column>> = None;
        let mut is_iostat = true;
        for (number, line) in (1..).zip(text.lines()) {
            if let Some(found) = header(line) {
                is_iostat = line.split_whitespace().any(|word| word.trim_end_matches(':') == "Device");
                columns = Some(found);
                reports.push(Vec::new());
                continue;
            }
            let Some(known) = &columns else { continue };
            if line.trim().is_empty() {
                columns = None;
                continue;
            }
            // sar's summary is of the reports that were counted.
            if line.starts_with("Average:") && reports.len() > 1 {
                reports.pop();
                break;
            }
            let row = Row::of(line, known).map_err(|problem| ObservedError {
                line: number,
                problem,
                help: Some("paste iostat -x's or sar -d's output as it is, whole lines".to_owned()),
            })?;
            if let Some(report) = reports.last_mut() {
                report.push((number, row));
            }
        }
        let all = reports.len();
        if is_iostat && all > 1 {
            reports.remove(0);
        }
        let sums = summed(&reports)?;
        let most = sums.iter().map(|disk| disk.reports).fold(0.0, f64::max);
        let disks: Vec<ObservedDisk> = sums
            .into_iter()
            .map(Sums::mean)
            .filter(|disk| disk.reads_per_s + disk.writes_per_s > 0.0)
            .collect();
        if disks.is_empty() {
            let problem = "no disk does anything in it".to_owned();
            let help =
                Some("give a report of a time at which something was done: iostat -xk 10 2".to_owned());
            return Err(ObservedError { line: 1, problem, help });
        }
        let since_start = is_iostat && all == 1;
        Ok(Self { disks, reports: as_number(whole_part(most)), since_start })
    }
}

/// A line of a table.
pub(crate) struct Row {
    pub(crate) name: String,
    values: Vec<(Column, f64)>,
}

impl Row {
    pub(crate) fn of(line: &str, columns: &[Column]) -> Result<Self, String> {
        let words: Vec<&str> = line.split_whitespace().collect();
        if words.len() != columns.len() {
            return Err(format!(
                "it has {} columns, and the line that names them {}",
                words.len(),
                columns.len()
            ));
        }
        let mut row = Self { name: String::new(), values: Vec::new() };
        for (word, column) in words.iter().zip(columns) {
            match column {
                Column::Other => {}
                Column::Name => (*word).clone_into(&mut row.name),
                column => {
                    row.values.push((*column, Self::number(word)?));
                }
            }
        }
        Ok(row)
    }

    /// A row of values that stand elsewhere than in columns of text.
    pub(crate) fn new(name: &str, values: Vec<(Column, f64)>) -> Self {
        Self { name: name.to_owned(), values }
    }

    /// A number as some language writes it: with a point or a comma before the fraction.
    pub(crate) fn number(word: &str) -> Result<f64, String> {
        let value = word.trim().replace(',', ".").parse().map_err(|_| format!("\"{word}\" is no number"))?;
        Self::checked(value, word)
    }

    /// A number, if a disk can have it.
    pub(crate) fn checked(value: f64, word: &str) -> Result<f64, String> {
        if (0.0..RATE_MAX).contains(&value) {
            Ok(value)
        } else {
            Err(format!("{word} is no rate that a disk has"))
        }
    }

    /// The sum of all columns of a sort.
    pub(crate) fn sum(&self, wanted: Column) -> f64 {
        self.values.iter().filter(|(column, _)| *column == wanted).map(|(_, value)| value).sum()
    }

    pub(crate) fn value(&self, wanted: Column) -> Option<f64> {
        self.values.iter().find(|(column, _)| *column == wanted).map(|(_, value)| *value)
    }

    pub(crate) fn bytes(&self, reads: bool) -> f64 {
        let of = |(column, value): &(Column, f64)| match column {
            Column::ReadBytes(factor) if reads => Some(value * factor),
            Column::WrittenBytes(factor) if !reads => Some(value * factor),
            _ => None,
        };
        self.values.iter().find_map(of).unwrap_or(0.0)
    }
}

fn summed(reports: &[Vec<(u32, Row)>]) -> Result<Vec<Sums>, ObservedError> {
    let mut all: Vec<Sums> = Vec::new();
    for (line, row) in reports.iter().flatten() {
        let known = all.iter().position(|sums| sums.name == row.name).unwrap_or(all.len());
        if known >= DISKS_MAX {
            let problem = format!("these are more than {DISKS_MAX} disks");
            return Err(ObservedError { line: *line, problem, help: None });
        }
        if known == all.len() {
            all.push(Sums { name: row.name.clone(), ..Sums::default() });
        }
        all[known].add(row);
    }
    Ok(all)
}

impl Sums {
    fn add(&mut self, row: &Row) {
        let (read, written) = (row.bytes(true), row.bytes(false));
        // sar tells reads and writes together: they are taken to be of one length.
        let (reads, writes) = match (row.value(Column::Reads), row.value(Column::Requests)) {
            (Some(reads), _) => (reads, row.value(Column::Writes).unwrap_or(0.0)),
            (None, Some(requests)) if read + written > 0.0 => {
                (requests * read / (read + written), requests * written / (read + written))
            }
            _ => (0.0, 0.0),
        };
        let each = |of: Column, count: f64| row.value(of).map(|awaited| awaited * count);
        // A mean over requests: weighted by how many there were.
        let awaited = each(Column::Await, reads + writes)
            .or_else(|| Some(each(Column::ReadAwait, reads)? + each(Column::WriteAwait, writes)?));
        let more = |sum: &mut Option<f64>, value: Option<f64>| {
            if let Some(value) = value {
                *sum = Some(sum.unwrap_or(0.0) + value);
            }
        };
        self.reports += 1.0;
        self.reads += reads;
        self.writes += writes;
        self.read += read;
        self.written += written;
        more(&mut self.awaited, awaited);
        more(&mut self.under_way, row.value(Column::UnderWay));
        more(&mut self.busy, row.value(Column::Busy));
    }

    fn mean(self) -> ObservedDisk {
        let count = self.reports;
        let requests = self.reads + self.writes;
        ObservedDisk {
            name: self.name,
            reads_per_s: self.reads / count,
            writes_per_s: self.writes / count,
            read_bytes_per_s: self.read / count,
            written_bytes_per_s: self.written / count,
            await_ms: self.awaited.filter(|_| requests > 0.0).map(|sum| sum / requests),
            under_way: self.under_way.map(|sum| sum / count),
            busy_percent: self.busy.map(|sum| sum / count),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    const NEW: &str = "Linux 6.1.0 (host)\t01/02/26\t_x86_64_\t(8 CPU)\n\n\
        avg-cpu:  %user   %nice %system %iowait  %steal   %idle\n           1.00    0.00    0.50    2.00    0.00   96.50\n\n\
        Device            r/s     rkB/s   rrqm/s  %rrqm r_await rareq-sz     w/s     wkB/s   wrqm/s  %wrqm w_await wareq-sz  aqu-sz  %util\n\
        sda            900.00  9000.00     0.10   4.76    5.10    10.00    1.00    12.00     3.00  23.08    2.00    12.00    9.05  99.00\n\
        sdb              0.00     0.00     0.00   0.00    0.00     0.00    0.00     0.00     0.00   0.00    0.00     0.00    0.00   0.00\n\n\
        Device            r/s     rkB/s   rrqm/s  %rrqm r_await rareq-sz     w/s     wkB/s   wrqm/s  %wrqm w_await wareq-sz  aqu-sz  %util\n\
        sda              2.00    64.00     0.10   4.76    5.00    32.00   10.00   120.00     3.00  23.08    2.00    12.00    0.05   4.00\n\n";

    #[test]
    fn the_report_since_the_start_is_left_out_and_means_are_taken() {
        let observed: Observed = NEW.parse().unwrap();
        assert_eq!((observed.disks.len(), observed.reports, observed.since_start), (1, 1, false));
        let disk = &observed.disks[0];
        assert_eq!((disk.name.as_str(), disk.reads_per_s, disk.writes_per_s), ("sda", 2.0, 10.0));
        assert_eq!((disk.read_bytes(), disk.written_bytes()), (Some(32_768), Some(12_288)));
        assert_eq!((disk.await_ms, disk.under_way, disk.busy_percent), (Some(2.5), Some(0.05), Some(4.0)));
        let twice: Observed = format!(
            "{NEW}{}",
            &NEW[NEW.rfind("Device").unwrap()..].replace("2.00    64.00", "4,00   128,00")
        )
        .parse()
        .unwrap();
        assert_eq!((twice.disks[0].reads_per_s, twice.reports), (3.0, 2));
        let first: Observed = NEW[..NEW.rfind("Device").unwrap()].parse().unwrap();
        assert!(first.since_start && first.disks[0].reads_per_s == 900.0);
    }

    #[test]
    fn older_tables_and_sar_are_read_by_their_columns() {
        let old = "Device:         rrqm/s   wrqm/s     r/s     w/s   rsec/s   wsec/s avgrq-sz avgqu-sz   await  svctm  %util\n\
                   sda               0.00     3.00    1.00    3.00     8.00    48.00    14.00     0.02    5.00   1.00   0.40\n";
        let disk = &old.parse::<Observed>().unwrap().disks[0];
        assert_eq!(
            (disk.read_bytes(), disk.written_bytes(), disk.await_ms),
            (Some(4_096), Some(8_192), Some(5.0))
        );
        let sar = "Linux 5.14\n\n12:00:01        DEV       tps     rkB/s     wkB/s     dkB/s   areq-sz    aqu-sz     await     %util\n\
                   12:10:01        sda     10.00     20.00     60.00      0.00      8.00      0.02      2.00      1.00\n\
                   12:10:01        sdb      0.00      0.00      0.00      0.00      0.00      0.00      0.00      0.00\n\n\
                   Average:        DEV       tps     rkB/s     wkB/s     dkB/s   areq-sz    aqu-sz     await     %util\n\
                   Average:        sda     99.00     20.00     60.00      0.00      8.00      0.02      2.00      1.00\n";
        let observed: Observed = sar.parse().unwrap();
        let disk = &observed.disks[0];
        assert_eq!(
            (observed.disks.len(), disk.reads_per_s, disk.writes_per_s, disk.read_bytes()),
            (1, 2.5, 7.5, Some(8_192))
        );
        assert!(
            !observed.since_start
                && is_observed(sar)
                && is_observed(NEW)
                && !is_observed("Device of mine\n1 2\n")
        );
    }

    #[test]
    fn what_is_cut_off_or_idle_is_told_with_its_line() {
        for (text, words) in [
            ("Device r/s rkB/s\nsda 1.0\n", "line 2: it has 2 columns"),
            ("Device r/s rkB/s\nsda x 1\n", "line 2: \"x\" is no number"),
            ("Device r/s rkB/s\nsda -1 1\n", "no rate"),
            ("Device r/s rkB/s\nsda 0 0\n", "no disk does anything"),
            ("nothing\n", "no disk does anything"),
        ] {
            let error = text.parse::<Observed>().unwrap_err().to_string();
            assert!(error.contains(words), "{error} of {text}");
        }
    }
}
