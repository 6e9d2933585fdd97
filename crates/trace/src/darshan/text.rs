//! What `darshan-parser` prints of a log: a line a counter.
//!
//! ```text
//! # darshan log version: 3.41
//! # exe: ./job -a
//! # nprocs: 4
//! # run time: 10.0
//! #<module>  <rank>  <record id>  <counter>  <value>  <file name>  <mount pt>  <fs type>
//! POSIX  -1  123  POSIX_OPENS  4  /a  /  ext4
//! ```
//!
//! This is what it prints without options, or with `--base`. What `--total`, `--file`, `--perf`, `--file-list` and `--all` print
//! beside it are sums over files, which say nothing of any one. Source: darshan-util's documentation, "darshan-parser".

use super::record::{FileCounters, Interface, Values};
use super::{DarshanCounters, no_counters};
use crate::error::{Fault, Problem, printable};
use crate::field::whole;
use crate::input::{Input, is_data};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

const COLUMNS: &str = "module, rank, record, counter, value, file name, mount point, file system";

/// Whether some bytes begin such a text: with its head, or, where that was cut away, with counters.
pub(super) fn begins(bytes: &[u8]) -> bool {
    let mut lines =
        bytes.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii).filter(|line| !line.is_empty());
    let Some(first) = lines.next() else { return false };
    let first = first.strip_prefix("\u{feff}".as_bytes()).unwrap_or(first);
    first.starts_with(b"# darshan log version:") || is_counter(first) || is_sum(first)
}

/// Counters of modules that are read and of those that aren't.
fn is_counter(line: &[u8]) -> bool {
    let mut columns = line.split(|byte| *byte == b'\t');
    let module = columns.next().unwrap_or_default();
    let is_module = !module.is_empty()
        && module.iter().all(|byte| byte.is_ascii_uppercase() || b"-/_0123456789".contains(byte));
    let rank = columns
        .next()
        .is_some_and(|rank| std::str::from_utf8(rank).is_ok_and(|rank| rank.parse::<i64>().is_ok()));
    let file = columns.next().is_some_and(|file| !file.is_empty() && file.iter().all(u8::is_ascii_digit));
    let named = columns.next().is_some_and(|name| name.contains(&b'_'));
    is_module && rank && file && named
}

fn is_sum(line: &[u8]) -> bool {
    line.starts_with(b"total_") && line.contains(&b':')
}

/// A counter's value as it stands there.
#[derive(Default)]
struct Table(BTreeMap<String, String>);

impl Values for Table {
    fn whole(&self, name: &str) -> Option<i64> {
        self.0.get(name).and_then(|value| value.parse().ok())
    }

    fn real(&self, name: &str) -> Option<f64> {
        self.0.get(name).and_then(|value| value.parse().ok())
    }
}

/// A file's counters that are being read.
struct Under {
    interface: Interface,
    rank: Option<u64>,
    file: u64,
    path: Option<Arc<str>>,
    values: Table,
}

#[derive(Default)]
struct Text {
    counters: DarshanCounters,
    under: Option<Under>,
    known: BTreeSet<(Interface, Option<u64>, u64)>,
    has_sums: bool,
    is_extended: bool,
}

/// Reads all of it; `None` where it has single accesses.
pub(super) fn read(input: &mut Input) -> Result<Option<DarshanCounters>, Fault> {
    let mut text = Text::default();
    loop {
        let Some(line) = input.line()? else { break };
        let line = line.trim_ascii();
        let line = line.strip_prefix("\u{feff}".as_bytes()).unwrap_or(line);
        if let Some(comment) = line.strip_prefix(b"#") {
            text.comment(&String::from_utf8_lossy(comment))?;
            if text.is_extended {
                return Ok(None);
            }
        } else if is_data(line) {
            text.data(line)?;
        }
    }
    text.finish()?;
    if text.counters.files.is_empty() {
        return Err(if text.has_sums {
            Problem::Header(
                "is that of darshan-parser with --total, --file, --perf or --file-list, which print sums over all files: print it \
                 without options (or with --base)"
                    .to_owned(),
            )
            .into()
        } else {
            no_counters()
        });
    }
    let largest = text.counters.files.iter().filter_map(|file| file.rank).max().unwrap_or_default();
    // Of a text without its head nothing else is known.
    text.counters.processes = text.counters.processes.max(largest.saturating_add(1));
    Ok(Some(text.counters))
}

impl Text {
    fn comment(&mut self, comment: &str) -> Result<(), Problem> {
        let (name, value) = comment.trim().split_once(':').unwrap_or_default();
        let value = value.trim();
        match name {
            "exe" => value.clone_into(&mut self.counters.command),
            "nprocs" => self.counters.processes = whole(value.as_bytes(), "nprocs")?,
            "run time" => self.counters.run_time_s = value.parse().unwrap_or_default(),
            _ if name.starts_with("DXT, file_id") => self.is_extended = true,
            _ if comment.contains("*WARNING*") => self.warned(comment),
            _ => {}
        }
        Ok(())
    }

    /// `# *WARNING*: The POSIX module contains incomplete data!`
    fn warned(&mut self, comment: &str) {
        for interface in Interface::ALL {
            if comment.contains(&format!("The {} module contains incomplete data", interface.name()))
                && !self.counters.incomplete.contains(&interface)
            {
                self.counters.incomplete.push(interface);
            }
        }
    }

    fn data(&mut self, line: &[u8]) -> Result<(), Fault> {
        if line.starts_with(b"CP_") || line.contains(&b'\t') && line.windows(4).any(|word| word == b"\tCP_") {
            let what = "is that of darshan-parser 2, whose counters (CP_…) have another order: of logs since 3.0 they are read";
            return Err(Problem::Header(what.to_owned()).into());
        }
        if !is_counter(line) {
            let is_sum =
                is_sum(line) || line.contains(&b':') || line.iter().all(|byte| !byte.is_ascii_control());
            // Tables of --file and --file-list have words of their own.
            if is_sum && !line.contains(&b'\t') || line.first().is_some_and(u8::is_ascii_digit) {
                self.has_sums = true;
                return Ok(());
            }
            return Err(Problem::NotALine {
                found: printable(line),
                expected: "a counter of darshan-parser's",
            }
            .into());
        }
        let mut columns = line.split(|byte| *byte == b'\t');
        let mut column =
            |name| columns.next().ok_or(Problem::MissingColumn { column: name, columns: COLUMNS });
        let (module, rank) = (column("module")?, column("rank")?);
        let (file, counter, value) = (column("record")?, column("counter")?, column("value")?);
        let path = column("file name").unwrap_or_default();
        let Some(interface) =
            Interface::ALL.into_iter().find(|interface| interface.name().as_bytes() == module)
        else {
            return Ok(());
        };
        let rank = if rank.starts_with(b"-") { None } else { Some(whole(rank, "rank")?) };
        let file = whole(file, "record")?;
        let value = number(value)?;
        let is_next = self
            .under
            .as_ref()
            .is_none_or(|under| (under.interface, under.rank, under.file) != (interface, rank, file));
        if is_next {
            self.finish()?;
            if !self.known.insert((interface, rank, file)) {
                let what = "counters of one file and rank stand apart: leave them in darshan-parser's order"
                    .to_owned();
                return Err(Problem::Header(what).into());
            }
            let path = (!path.is_empty()).then(|| String::from_utf8_lossy(path).into());
            self.under = Some(Under { interface, rank, file, path, values: Table::default() });
        }
        if let Some(under) = &mut self.under {
            under.values.0.insert(String::from_utf8_lossy(counter).into_owned(), value);
        }
        Ok(())
    }

    /// The file before is complete.
    fn finish(&mut self) -> Result<(), Fault> {
        if let Some(Under { interface, rank, file, path, values }) = self.under.take() {
            self.counters.room()?;
            self.counters.files.push(FileCounters::of(interface, rank, (file, path), &values));
        }
        Ok(())
    }
}

/// A counter's value: whole, or with a fraction.
fn number(text: &[u8]) -> Result<String, Problem> {
    let found = || Problem::NotANumber { column: "value", found: printable(text), expected: "a number" };
    let text = std::str::from_utf8(text).map_err(|_| found())?;
    match text.parse::<f64>() {
        Ok(_) => Ok(text.to_owned()),
        Err(_) => Err(found()),
    }
}
