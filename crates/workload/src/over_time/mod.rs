//! What a live system's disks did, interval by interval: as iostat, sar, node_exporter and Prometheus tell it, or a table of one's own.
//!
//! | format | what is read | source |
//! | --- | --- | --- |
//! | iostat | the screen of `iostat -x`, with `-t` or without, `-k` or `-m`; the JSON of `-o JSON` | sysstat 9 to 12.7, iostat.c |
//! | sar | the screen of `sar -d`; `sadf -d -- -d` (semicolons) and `sadf -j -- -d` (JSON) | sysstat 9 to 12.7, pr_stats.c, json_stats.c |
//! | exporter | scrapes of node_exporter, one behind the other | node_exporter 1.5, diskstats_linux.go |
//! | prometheus | answers of `/api/v1/query_range` about the same counters | Prometheus' HTTP API |
//! | table | a CSV whose columns are called as [`table`] says | |
//!
//! ```
//! use petrio_workload::over_time::OverTime;
//! let text = "time,device,reads_per_s,read_kib_per_s,read_await_ms,busy_percent\n\
//!             10,sda,100,400,0.5,5\n20,sda,200,800,0.6,12\n";
//! let seen = OverTime::read(text.as_bytes(), None)?;
//! let sda = &seen.devices[0];
//! assert_eq!((sda.name.as_str(), sda.intervals.len()), ("sda", 2));
//! assert_eq!((sda.intervals[1].length_s, sda.intervals[1].reads.size()), (Some(10.0), Some(4096.0)));
//! # Ok::<(), petrio_workload::measurement::MeasurementError>(())
//! ```
//!
//! Left out: what lies between two reports, where requests lie on the disk, and requests that move no data (discards, flushes), which are
//! told where there are many.

mod clock;
mod counters;
mod exporter;
mod interval;
mod iostat;
mod json;
mod prometheus;
mod sar;
pub mod table;

pub use interval::{Interval, Requests};

use crate::measurement::{BYTES_MAX, MeasurementError};
use indexmap::IndexMap;
use serde::Serialize;

/// More devices, or intervals of all together, are no machine's.
const DEVICES_MAX: usize = 4_096;
const INTERVALS_MAX: usize = 1 << 20;

/// Whose output it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Format {
    /// `iostat -x`.
    Iostat,
    /// `sar -d`, `sadf`.
    Sar,
    /// node_exporter's text.
    Exporter,
    /// Prometheus' answers.
    Prometheus,
    /// A CSV of one's own.
    Table,
}

/// What is known of a format.
struct Facts {
    format: Format,
    /// Its name.
    name: &'static str,
    /// What of it is read, for help.
    what: &'static str,
    is: fn(&str) -> bool,
    read: fn(&str, Option<f64>) -> Result<Gathered, MeasurementError>,
}

/// All formats, in the order in which they are looked for.
const FORMATS: [Facts; 5] = [
    Facts {
        format: Format::Prometheus,
        name: "Prometheus",
        what: "Prometheus' answers of /api/v1/query_range about node_disk_… counters",
        is: prometheus::is_it,
        read: prometheus::read,
    },
    Facts {
        format: Format::Exporter,
        name: "node_exporter",
        what: "several scrapes of node_exporter, one behind the other",
        is: exporter::is_it,
        read: exporter::read,
    },
    Facts {
        format: Format::Sar,
        name: "sar",
        what: "the screen of sar -d, or of sadf -d or -j with -- -d",
        is: sar::is_it,
        read: sar::read,
    },
    Facts {
        format: Format::Iostat,
        name: "iostat",
        what: "the screen of iostat -x or its JSON",
        is: iostat::is_it,
        read: iostat::read,
    },
    Facts {
        format: Format::Table,
        name: "a table",
        what: "a CSV whose head has reads_per_s or writes_per_s (docs/measured.md)",
        is: table::is_it,
        read: table::read,
    },
];

impl Format {
    /// The format of a text; `None` where it is nothing over time.
    pub fn of(text: &str) -> Option<Self> {
        FORMATS.iter().find(|facts| (facts.is)(text)).map(|facts| facts.format)
    }

    fn facts(self) -> &'static Facts {
        FORMATS.iter().find(|facts| facts.format == self).unwrap_or(&FORMATS[0])
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        self.facts().name
    }

    /// What of it is read, in words.
    pub fn what(self) -> &'static str {
        self.facts().what
    }
}

/// What formats are read, in a sentence.
pub fn formats_in_words() -> String {
    let words: Vec<&str> = FORMATS.iter().map(|facts| facts.what).collect();
    words.join("; ")
}

/// What was seen of a machine's disks.
#[derive(Clone, Debug, PartialEq)]
pub struct OverTime {
    /// Whose output it was read from.
    pub format: Format,
    /// The devices, in the order in which they show up.
    pub devices: Vec<DeviceOverTime>,
    /// What was in it and isn't among the intervals, or may not be trusted.
    pub remarks: Vec<String>,
}

/// What was seen of a disk.
#[derive(Clone, Debug, PartialEq)]
pub struct DeviceOverTime {
    /// Its name.
    pub name: String,
    /// Its intervals, in the order in which they were told.
    pub intervals: Vec<Interval>,
}

impl OverTime {
    /// Reads an output, of whichever format it is. `interval_s` is how long intervals are where the output doesn't say it; seconds.
    ///
    /// # Errors
    /// It is of none of the formats, damaged, or has no interval in it.
    pub fn read(bytes: &[u8], interval_s: Option<f64>) -> Result<Self, MeasurementError> {
        if bytes.len() as u64 > BYTES_MAX {
            return Err(MeasurementError::of(format!("it is longer than {} MiB", BYTES_MAX >> 20))
                .with_help("give a part of it"));
        }
        let unknown = |error: MeasurementError| error.with_help(format!("read are: {}", formats_in_words()));
        let text = std::str::from_utf8(bytes).map_err(|error| {
            let line = bytes[..error.valid_up_to()].iter().filter(|byte| **byte == b'\n').count() + 1;
            unknown(MeasurementError::at(line, "it isn't text (UTF-8)"))
        })?;
        let Some(format) = Format::of(text) else {
            return Err(unknown(MeasurementError::of("it is nothing over time that is read here")));
        };
        (format.facts().read)(text, interval_s)?.finished(format, interval_s)
    }
}

/// What a reader has found so far.
#[derive(Default)]
struct Gathered {
    devices: IndexMap<String, Vec<Interval>>,
    remarks: Vec<String>,
    count: usize,
    /// Intervals whose clock had gone back.
    gone_back: usize,
    /// Requests without data a second, and those with, summed over intervals.
    besides: (f64, f64),
}

impl Gathered {
    fn add(&mut self, line: usize, name: &str, interval: Interval) -> Result<(), MeasurementError> {
        self.count += 1;
        if self.count > INTERVALS_MAX {
            return Err(MeasurementError::at(line, format!("there are more than {INTERVALS_MAX} intervals"))
                .with_help("give a part of it"));
        }
        if !self.devices.contains_key(name) && self.devices.len() >= DEVICES_MAX {
            return Err(MeasurementError::at(line, format!("there are more than {DEVICES_MAX} disks")));
        }
        self.besides.1 += interval.rate();
        self.devices.entry(name.to_owned()).or_default().push(interval);
        Ok(())
    }

    fn remark(&mut self, text: impl Into<String>) {
        let text = text.into();
        if !self.remarks.contains(&text) {
            self.remarks.push(text);
        }
    }

    /// An interval whose end doesn't come after its beginning has no length of its own.
    fn length(&mut self, from: f64, to: f64) -> Option<f64> {
        let length = to - from;
        if length <= 0.0 {
            self.gone_back += 1;
        }
        (length > 0.0).then_some(length)
    }

    fn finished(mut self, format: Format, interval_s: Option<f64>) -> Result<OverTime, MeasurementError> {
        if self.count == 0 {
            let help = match format {
                Format::Iostat => {
                    "the first report is of all the time since the machine was started: iostat -xt 1 60 gives 59 others"
                }
                Format::Exporter | Format::Prometheus => {
                    "two scrapes make an interval: give several, with their times"
                }
                _ => "give what was told of at least one interval",
            };
            return Err(MeasurementError::of("there is no interval in it").with_help(help));
        }
        if self.gone_back > 0 {
            let count = self.gone_back;
            self.remark(format!(
                "the clock went back or stood still before {count} of its reports; these have no length of their own"
            ));
        }
        let (without, with) = self.besides;
        if without > with * 0.05 {
            self.remark(
                "there are discards or flushes, one or more for each 20 reads and writes; they are in none of the predictions",
            );
        }
        let devices: Vec<DeviceOverTime> = std::mem::take(&mut self.devices)
            .into_iter()
            .map(|(name, mut intervals)| {
                if let Some(remark) = interval::completed(&mut intervals, interval_s) {
                    self.remark(format!("{name}: {remark}"));
                }
                DeviceOverTime { name, intervals }
            })
            .collect();
        Ok(OverTime { format, devices, remarks: self.remarks })
    }
}

#[cfg(test)]
mod tests;
