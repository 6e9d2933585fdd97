//! node_exporter's text, scrape behind scrape: `while sleep 10; do curl -s localhost:9100/metrics; done > scrapes.txt`.
//!
//! A scrape ends where a counter comes again. Its time is the timestamp of its lines (milliseconds, as Prometheus' text format has it), else its
//! `node_time_seconds`, else the time in a comment before it (ISO 8601 or seconds since 1970), else so many seconds after the one before as
//! somebody says. Source: Prometheus' exposition formats, text format 0.0.4.

use super::Gathered;
use super::clock::iso;
use super::counters::{Counters, NAMES, Seen, intervals, number};
use crate::measurement::MeasurementError;
use indexmap::IndexMap;

/// Other counters may stand before those of disks; all of a machine's are fewer lines.
const LINES: usize = 20_000;

pub(super) fn is_it(text: &str) -> bool {
    text.lines().take(LINES).any(|line| line.starts_with("node_disk_"))
}

/// One scrape.
#[derive(Default)]
struct Scrape {
    at: Option<f64>,
    disks: IndexMap<String, (Counters, usize)>,
}

pub(super) fn read(text: &str, interval_s: Option<f64>) -> Result<Gathered, MeasurementError> {
    let mut scrapes = Scrapes::default();
    for (line, text) in (1..).zip(text.lines()) {
        if let Some(comment) = text.strip_prefix('#') {
            if let Some(at) = commented(comment) {
                scrapes.comes(Some(at));
            }
        } else if let Some(value) = text.strip_prefix("node_time_seconds ") {
            let at = value.trim().parse::<f64>().ok().filter(|at| at.is_finite());
            let at = at.ok_or_else(|| {
                MeasurementError::at(line, format!("\"{}\" is no time", value.trim()))
                    .with_help("give node_exporter's text as it was answered")
            })?;
            scrapes.current.at = Some(at);
        } else if text.starts_with("node_disk_") {
            scrapes.sample(line, text).map_err(|problem| {
                MeasurementError::at(line, problem).with_help("give node_exporter's text as it was answered")
            })?;
        }
    }
    scrapes.comes(None);
    scrapes.gathered(interval_s)
}

/// The time in a comment, if it is nothing but that.
fn commented(comment: &str) -> Option<f64> {
    let words: Vec<&str> = comment.split_whitespace().collect();
    if matches!(words.first(), Some(&"HELP" | &"TYPE")) {
        return None;
    }
    let text = comment.trim();
    iso(text).or_else(|| words.last()?.parse().ok().filter(|at: &f64| *at > 1e8 && at.is_finite()))
}

#[derive(Default)]
struct Scrapes {
    all: Vec<Scrape>,
    current: Scrape,
}

impl Scrapes {
    /// A further scrape comes.
    fn comes(&mut self, at: Option<f64>) {
        let scrape = std::mem::replace(&mut self.current, Scrape { at, ..Scrape::default() });
        if !scrape.disks.is_empty() {
            self.all.push(scrape);
        }
    }

    /// `node_disk_reads_completed_total{device="sda"} 123 1796086254000`, the last of which may be left out.
    fn sample(&mut self, line: usize, text: &str) -> Result<(), String> {
        let end = text.find(['{', ' ']).unwrap_or(text.len());
        let (name, rest) = text.split_at(end);
        let Some(place) = number(name) else { return Ok(()) };
        let (labels, values) = match rest.strip_prefix('{') {
            Some(inner) => inner.rsplit_once('}').ok_or("its labels have no end")?,
            None => ("", rest),
        };
        let device = labels
            .split(',')
            .find_map(|label| label.trim().strip_prefix("device=\"")?.strip_suffix('"'))
            .ok_or_else(|| format!("{name} has no device"))?;
        let mut values = values.split_whitespace();
        let word = values.next().unwrap_or_default();
        let value: f64 = word.parse().map_err(|_| format!("\"{word}\" is no number"))?;
        if !(0.0..1e18).contains(&value) {
            return Err(format!("{word} is nothing that a counter has"));
        }
        let at = match values.next() {
            Some(word) => {
                Some(word.parse::<i64>().map_err(|_| format!("\"{word}\" is no time in ms"))? as f64 / 1e3)
            }
            None => None,
        };
        if self.current.disks.get(device).is_some_and(|(counters, _)| counters[place].is_some()) {
            self.comes(None);
        }
        self.current.at = at.or(self.current.at);
        let (counters, _) =
            self.current.disks.entry(device.to_owned()).or_insert(([None; NAMES.len()], line));
        counters[place] = Some(value);
        Ok(())
    }

    fn gathered(self, interval_s: Option<f64>) -> Result<Gathered, MeasurementError> {
        let mut disks: IndexMap<String, Vec<Seen>> = IndexMap::new();
        for (number, scrape) in self.all.into_iter().enumerate() {
            let at = scrape.at.or_else(|| Some(number as f64 * interval_s?));
            for (name, (counters, line)) in scrape.disks {
                let at = at.ok_or_else(|| {
                    MeasurementError::at(line, "nothing says when this scrape was made").with_help(
                        "say how far apart they are, such as --interval '10 s'; or let node_exporter tell its time (--collector.time)",
                    )
                })?;
                disks.entry(name).or_default().push(Seen { at, counters, line });
            }
        }
        let mut found = Gathered::default();
        for (name, seen) in disks {
            intervals(&mut found, &name, &seen)?;
        }
        Ok(found)
    }
}
