//! The counters in Darshan's binary logs: records of one length, each a file's by one process or by all together.
//!
//! ```text
//! record   number of the file, rank (-1: of all), so many whole numbers, so many doubles
//! ```
//!
//! Which numbers they are depends on the form of the module's records: newer forms have more. Source: the headers and the functions
//! that bring older records up to date (`darshan_log_get_posix_file` and its like) in darshan-util 3.5.

use super::log::{Container, Module, Unpacked, odd};
use super::record::{FileCounters, Interface, Values};
use super::{DarshanCounters, no_counters};
use crate::error::{Fault, Problem};
use std::collections::BTreeMap;
use std::fs::File;
use std::sync::Arc;

/// Names of counters in the order in which they stand; a name that begins so is of those forms only.
struct Layout {
    whole: &'static str,
    real: &'static str,
    /// The newest form that is known.
    form_max: u32,
}

/// `NAME>3` is of forms after the third, `NAME<2` of those before the second.
const POSIX: Layout = Layout {
    form_max: 4,
    whole: "OPENS FILENOS>3 DUPS>3 READS WRITES SEEKS STATS MMAPS FOPENS<2 FREADS<2 FWRITES<2 FSEEKS<2 FSYNCS FDSYNCS \
            RENAME_SOURCES>3 RENAME_TARGETS>3 RENAMED_FROM>3 MODE BYTES_READ BYTES_WRITTEN MAX_BYTE_READ MAX_BYTE_WRITTEN \
            CONSEC_READS CONSEC_WRITES SEQ_READS SEQ_WRITES RW_SWITCHES MEM_NOT_ALIGNED MEM_ALIGNMENT FILE_NOT_ALIGNED \
            FILE_ALIGNMENT MAX_READ_TIME_SIZE MAX_WRITE_TIME_SIZE SIZE_READ_* SIZE_WRITE_* STRIDE* ACCESS* FASTEST_RANK \
            FASTEST_RANK_BYTES SLOWEST_RANK SLOWEST_RANK_BYTES",
    real: "OPEN_START_TIMESTAMP READ_START_TIMESTAMP WRITE_START_TIMESTAMP CLOSE_START_TIMESTAMP>2 OPEN_END_TIMESTAMP>2 \
           READ_END_TIMESTAMP WRITE_END_TIMESTAMP CLOSE_END_TIMESTAMP READ_TIME WRITE_TIME META_TIME MAX_READ_TIME MAX_WRITE_TIME \
           FASTEST_RANK_TIME SLOWEST_RANK_TIME VARIANCE_RANK_TIME VARIANCE_RANK_BYTES",
};

const MPI_IO: Layout = Layout {
    form_max: 3,
    whole: "INDEP_OPENS COLL_OPENS INDEP_READS INDEP_WRITES COLL_READS COLL_WRITES SPLIT_READS SPLIT_WRITES NB_READS NB_WRITES SYNCS \
            HINTS VIEWS MODE BYTES_READ BYTES_WRITTEN RW_SWITCHES MAX_READ_TIME_SIZE MAX_WRITE_TIME_SIZE SIZE_READ_AGG_* \
            SIZE_WRITE_AGG_* ACCESS* FASTEST_RANK FASTEST_RANK_BYTES SLOWEST_RANK SLOWEST_RANK_BYTES",
    real: POSIX.real,
};

const STDIO: Layout = Layout {
    form_max: 2,
    whole: "OPENS FDOPENS>1 READS WRITES SEEKS FLUSHES BYTES_WRITTEN BYTES_READ MAX_BYTE_READ MAX_BYTE_WRITTEN FASTEST_RANK \
            FASTEST_RANK_BYTES SLOWEST_RANK SLOWEST_RANK_BYTES",
    real: "META_TIME WRITE_TIME READ_TIME OPEN_START_TIMESTAMP CLOSE_START_TIMESTAMP WRITE_START_TIMESTAMP READ_START_TIMESTAMP \
           OPEN_END_TIMESTAMP CLOSE_END_TIMESTAMP WRITE_END_TIMESTAMP READ_END_TIMESTAMP FASTEST_RANK_TIME SLOWEST_RANK_TIME \
           VARIANCE_RANK_TIME VARIANCE_RANK_BYTES",
};

impl Layout {
    const fn of(interface: Interface) -> &'static Self {
        match interface {
            Interface::Posix => &POSIX,
            Interface::MpiIo => &MPI_IO,
            Interface::Stdio => &STDIO,
        }
    }
}

/// The names that a form has, with their prefix.
fn names(list: &str, prefix: &str, form: u32) -> Vec<String> {
    let mut all = Vec::new();
    for word in list.split_ascii_whitespace() {
        let is_there = |limit: &str, newer: bool| {
            let limit: u32 = limit.parse().unwrap_or_default();
            if newer { form > limit } else { form < limit }
        };
        let name = match (word.split_once('>'), word.split_once('<')) {
            (Some((name, limit)), _) if is_there(limit, true) => name,
            (_, Some((name, limit))) if is_there(limit, false) => name,
            (None, None) => word,
            _ => continue,
        };
        match name.strip_suffix('*') {
            None => all.push(format!("{prefix}{name}")),
            Some(what) if what.starts_with("SIZE") => all.extend(
                [
                    "0_100", "100_1K", "1K_10K", "10K_100K", "100K_1M", "1M_4M", "4M_10M", "10M_100M",
                    "100M_1G", "1G_PLUS",
                ]
                .map(|range| format!("{prefix}{what}{range}")),
            ),
            // Four values, and then how often each of them came.
            Some(what) => {
                all.extend((1..=4).map(|number| format!("{prefix}{what}{number}_{what}")));
                all.extend((1..=4).map(|number| format!("{prefix}{what}{number}_COUNT")));
            }
        }
    }
    all
}

/// A record's numbers in the order of their names.
struct Row<'a> {
    places: &'a BTreeMap<String, usize>,
    numbers: Vec<u64>,
}

impl Values for Row<'_> {
    fn whole(&self, name: &str) -> Option<i64> {
        self.places.get(name).map(|place| self.numbers[*place].cast_signed())
    }

    fn real(&self, name: &str) -> Option<f64> {
        self.places.get(name).map(|place| f64::from_bits(self.numbers[*place]))
    }
}

/// The counters of a log that lies in a file.
pub(super) fn read(file: File) -> Result<DarshanCounters, Fault> {
    let mut log = Container::open(file)?;
    let job = log.job()?;
    let paths = log.names()?;
    let mut counters = DarshanCounters {
        command: job.command,
        processes: job.processes,
        run_time_s: job.end.saturating_sub(job.start) as f64 / 1e9,
        ..DarshanCounters::default()
    };
    let modules = [
        (Interface::Posix, Module::Posix),
        (Interface::MpiIo, Module::MpiIo),
        (Interface::Stdio, Module::Stdio),
    ];
    for (interface, module) in modules {
        let is_incomplete = log.is_incomplete(module);
        let Some((form, records)) = log.module(module)? else { continue };
        if is_incomplete {
            counters.incomplete.push(interface);
        }
        read_module(interface, form, records, &paths, &mut counters)?;
    }
    if counters.files.is_empty() { Err(no_counters()) } else { Ok(counters) }
}

fn read_module(
    interface: Interface,
    form: u32,
    mut records: Unpacked<'_>,
    paths: &BTreeMap<u64, Arc<str>>,
    counters: &mut DarshanCounters,
) -> Result<(), Fault> {
    let layout = Layout::of(interface);
    if !(1..=layout.form_max).contains(&form) {
        let what = interface.name();
        return Err(odd(format!("has {what} counters of form {form}; 1 to {} are read", layout.form_max)));
    }
    let mut all = names(layout.whole, interface.prefix(), form);
    all.extend(names(layout.real, &format!("{}F_", interface.prefix()), form));
    let places: BTreeMap<String, usize> = all.into_iter().zip(0..).collect();
    while let Some(file) = records.number()? {
        counters.room()?;
        let rank = records.needed()?.cast_signed();
        let mut numbers = Vec::with_capacity(places.len());
        for _ in 0..places.len() {
            numbers.push(records.needed()?);
        }
        let rank = match rank {
            ..=-1 => None,
            rank => Some(rank.unsigned_abs()),
        };
        if rank.is_some_and(|rank| rank >= counters.processes) {
            return Err(Problem::TooLarge {
                column: "rank",
                found: rank.unwrap_or_default().to_string(),
                limit: "one below the job's processes",
            }
            .into());
        }
        let row = Row { places: &places, numbers };
        counters.files.push(FileCounters::of(interface, rank, (file, paths.get(&file).cloned()), &row));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_have_the_lengths_that_darshan_says() {
        // sizeof of the structures, and DARSHAN_POSIX_FILE_SIZE_1 … of darshan-posix-logutils.h and its like, without 16 B of head.
        for (interface, form, bytes) in [
            (Interface::Posix, 1, 680),
            (Interface::Posix, 2, 648),
            (Interface::Posix, 3, 664),
            (Interface::Posix, 4, 704),
            (Interface::MpiIo, 1, 544),
            (Interface::MpiIo, 3, 560),
            (Interface::Stdio, 1, 240),
            (Interface::Stdio, 2, 248),
        ] {
            let layout = Layout::of(interface);
            let fields = names(layout.whole, "", form).len() + names(layout.real, "", form).len();
            assert_eq!(16 + 8 * fields, bytes, "{interface:?} {form}");
        }
    }
}
