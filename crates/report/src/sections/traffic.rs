//! What reached the devices, by what it was for: what files, journals and redundancy cost in requests.

use super::arrays::MovedFigures;
use crate::figure::{Tables, each, figures};
use crate::mean::mean_of;
use crate::section::Entry;
use crate::table::table;
use crate::text::indented;
use petrio_colours::{BlockRequest, Direction, Purpose, Purposes, SECTOR_BYTES};
use petrio_models::block::raid::Moved;
use petrio_page::numbers::{bytes, counted, grouped};
use petrio_page::page::{Page, Table};
use petrio_persist::Persist;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What reached a device, or all equal ones; of several replications the mean.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TrafficFigures {
    /// The device; of equal ones their class.
    pub name: String,
    /// How many devices there are.
    pub devices: u64,
    /// By what the requests were for; what was merged of several is a row of its own.
    pub purposes: Vec<PurposeFigures>,
}

/// Requests for one purpose, or for several at once.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PurposeFigures {
    /// `data`, `metadata`, `journal`, `swap`, `redundancy`, `rebuild`, `copy`, or several of these with a plus between them.
    pub purpose: String,
    /// Reads, and their bytes.
    pub reads: MovedFigures,
    /// Writes.
    pub writes: MovedFigures,
    /// Flushes of a device's cache, which move nothing.
    pub flushes: u64,
    /// Discards, and the bytes that they gave up; left out where there are none.
    #[serde(default, skip_serializing_if = "MovedFigures::is_nothing")]
    pub discards: MovedFigures,
}

impl PurposeFigures {
    /// The discards, where there are any.
    fn discarded(&self) -> Option<MovedFigures> {
        (!self.discards.is_nothing()).then_some(self.discards)
    }
}

/// What has reached a device so far.
#[derive(Clone, Debug, Default, Persist)]
pub struct Traffic {
    rows: Vec<(Purposes, Kinds)>,
    /// Bytes that were read and written there in strides before it began to be counted.
    strided_before: (u64, u64),
}

/// Requests for the same.
#[derive(Clone, Copy, Debug, Default, Persist)]
struct Kinds {
    reads: MovedFigures,
    writes: MovedFigures,
    flushes: u64,
    discards: MovedFigures,
}

impl Traffic {
    /// Nothing yet, after so much was read and written there in strides.
    pub fn after(strided_before: (u64, u64)) -> Self {
        Self { strided_before, ..Self::default() }
    }

    /// The same with what was read and written there in strides, which is counted in requests as large as those to rebuild that came.
    pub fn with_strides(&self, (read, written): (u64, u64)) -> Self {
        let mut all = self.clone();
        let (read_before, written_before) = self.strided_before;
        let kinds = all.of(Purpose::Rebuild.into());
        let more = |moved: MovedFigures, bytes: u64| Moved::from(moved).and_alike(bytes).into();
        kinds.reads = more(kinds.reads, read.saturating_sub(read_before));
        kinds.writes = more(kinds.writes, written.saturating_sub(written_before));
        all
    }

    fn of(&mut self, purposes: Purposes) -> &mut Kinds {
        let known = self.rows.iter().position(|(known, _)| *known == purposes);
        let row = known.unwrap_or_else(|| {
            self.rows.push((purposes, Kinds::default()));
            self.rows.len() - 1
        });
        &mut self.rows[row].1
    }

    /// Counts a request.
    pub fn add(&mut self, request: &BlockRequest) {
        let kinds = self.of(request.purposes);
        let one = Moved { requests: 1, bytes: request.bytes() };
        match request.direction {
            Direction::Read => kinds.reads.add(one),
            Direction::Write => kinds.writes.add(one),
            Direction::Flush => kinds.flushes += 1,
            Direction::Discard => {
                let bytes = u64::from(request.blocks) * SECTOR_BYTES;
                kinds.discards.add(Moved { requests: 1, bytes });
            }
        }
    }

    /// Adds what reached an equal device.
    pub fn and(&mut self, other: &Self) {
        for (purposes, more) in &other.rows {
            let kinds = self.of(*purposes);
            kinds.reads.add(more.reads.into());
            kinds.writes.add(more.writes.into());
            kinds.flushes += more.flushes;
            kinds.discards.add(more.discards.into());
        }
    }

    /// As a report has it.
    pub fn figures(mut self, name: String, devices: u64) -> TrafficFigures {
        self.rows.sort_by_key(|(purposes, _)| *purposes);
        let row = |(purposes, kinds): (Purposes, Kinds)| PurposeFigures {
            purpose: purposes.to_string(),
            reads: kinds.reads,
            writes: kinds.writes,
            flushes: kinds.flushes,
            discards: kinds.discards,
        };
        TrafficFigures { name, devices, purposes: self.rows.into_iter().map(row).collect() }
    }
}

/// What devices got as a table: its heads and rows. Nothing where all of it was data.
fn traffic_table(all: &[TrafficFigures]) -> Option<(Vec<&'static str>, Vec<Vec<String>>)> {
    let shown = |figures: &&TrafficFigures| !figures.is_plain();
    let all: Vec<_> = all.iter().filter(shown).collect();
    if all.is_empty() {
        return None;
    }
    let moved = |figures: MovedFigures| match figures.requests {
        0 => "–".to_owned(),
        requests => format!("{} ({})", grouped(requests), bytes(figures.bytes)),
    };
    let has_discards = all.iter().flat_map(|device| &device.purposes).any(|row| !row.discards.is_nothing());
    let mut heads = vec!["at the devices", "for", "reads", "writes", "flushes"];
    heads.extend(has_discards.then_some("discards"));
    let mut rows = Vec::new();
    for TrafficFigures { name, devices, purposes } in all {
        for (number, row) in purposes.iter().enumerate() {
            let of = match (number, devices) {
                (0, 1) => name.clone(),
                (0, many) => format!("{name}, {}", counted(*many, "device", "devices")),
                _ => String::new(),
            };
            let flushes = if row.flushes == 0 { "–".to_owned() } else { grouped(row.flushes) };
            let mut cells = vec![of, row.purpose.clone(), moved(row.reads), moved(row.writes), flushes];
            cells.extend(has_discards.then(|| moved(row.discards)));
            rows.push(cells);
        }
    }
    Some((heads, rows))
}

impl TrafficFigures {
    /// Whether nothing but data reached it.
    fn is_plain(&self) -> bool {
        let is_plain =
            |row: &PurposeFigures| row.purpose == Purpose::Data.name() && row.discards.is_nothing();
        self.purposes.iter().all(is_plain)
    }
}

figures! { PurposeFigures:
    reads.requests => "reads" One Neither;
    reads.bytes => "read" Bytes Neither;
    writes.requests => "writes" One Neither;
    writes.bytes => "written" Bytes Neither;
    flushes => "flushes" One Neither;
    discards.requests = |row: &Self| row.discarded().map(|moved| moved.requests) => "discards" One Neither;
    discards.bytes = |row: &Self| row.discarded().map(|moved| moved.bytes) => "discarded" Bytes Neither;
}

figures! { TrafficFigures: }

impl Entry for TrafficFigures {
    const PART: &'static str = "at devices";

    fn name(&self) -> &str {
        &self.name
    }

    /// What reached a device, by all purposes that there were in any replication.
    fn mean(all: &[&Self], level: f64) -> Option<Self> {
        let first = *all.first()?;
        let mut purposes: Vec<&str> = Vec::new();
        for row in all.iter().flat_map(|figures| &figures.purposes) {
            if !purposes.contains(&row.purpose.as_str()) {
                purposes.push(&row.purpose);
            }
        }
        let mean = |purpose: &str| {
            let none = PurposeFigures { purpose: purpose.to_owned(), ..PurposeFigures::default() };
            // Where there was nothing for it there was none.
            let rows = all
                .iter()
                .map(|figures| figures.purposes.iter().find(|row| row.purpose == purpose).unwrap_or(&none));
            let rows: Vec<&PurposeFigures> = rows.collect();
            // Where there were no discards, nothing is written of them.
            let discards: Vec<&MovedFigures> = rows.iter().map(|row| &row.discards).collect();
            let discards = mean_of(&discards, level)?;
            mean_of(&rows, level).map(|mean| PurposeFigures { discards, ..mean })
        };
        Some(Self { purposes: purposes.into_iter().filter_map(mean).collect(), ..first.clone() })
    }

    fn tables<'e>(to: &mut Tables<'e, Self>) {
        to.table(Self::PART, |device: &'e Self| {
            each(&device.purposes, |row| (&device.name, row.purpose.clone(), Some(row)))
        });
    }

    fn terminal(all: &[Self], out: &mut String, width: usize) {
        if let Some((heads, rows)) = traffic_table(all) {
            out.push('\n');
            indented(out, &table(&heads, &rows), 2, width);
        }
    }

    fn page(all: &[Self], page: &mut Page) {
        if let Some((heads, rows)) = traffic_table(all) {
            page.heading("At the devices");
            let heads = std::iter::once("").chain(heads.into_iter().skip(1));
            page.table(Table::new(heads).with_words(2).with(rows));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(direction: Direction, purposes: Purposes, blocks: u32) -> BlockRequest {
        BlockRequest { direction, purposes, blocks, ..BlockRequest::default() }
    }

    #[test]
    fn requests_are_counted_by_what_they_are_for() {
        let (data, journal) = (Purposes::default(), Purposes::from(Purpose::Journal));
        let mut traffic = Traffic::default();
        traffic.add(&asked(Direction::Write, journal, 8));
        traffic.add(&asked(Direction::Flush, journal, 0));
        let mut other = Traffic::default();
        other.add(&asked(Direction::Read, data, 16));
        other.add(&asked(Direction::Write, journal, 16));
        other.add(&asked(Direction::Write, journal.and(data), 1));
        traffic.and(&other);
        let figures = traffic.figures("d*".to_owned(), 2);
        let written = |row: &PurposeFigures| (row.purpose.clone(), row.writes.requests, row.writes.bytes);
        let rows: Vec<_> = figures.purposes.iter().map(written).collect();
        let expected = [("data", 0, 0), ("journal", 2, 24 * 512), ("data+journal", 1, 512)];
        assert_eq!(rows, expected.map(|(name, requests, bytes)| (name.to_owned(), requests, bytes)));
        assert_eq!(figures.purposes[0].reads, MovedFigures { requests: 1, bytes: 8192 });
        assert_eq!(figures.purposes[1].flushes, 1);
        let (heads, rows) = traffic_table(&[figures]).unwrap_or_default();
        assert_eq!(rows.len(), 3);
        assert_eq!(rows[0][..3], ["d*, 2 devices".to_owned(), "data".to_owned(), "1 (8.00 KiB)".to_owned()]);
        assert_eq!(heads.len(), rows[2].len());
    }

    #[test]
    fn of_data_alone_the_stages_say_enough() {
        let mut traffic = Traffic::default();
        traffic.add(&asked(Direction::Read, Purposes::default(), 16));
        assert_eq!(traffic_table(&[traffic.figures("d".to_owned(), 1)]), None);
    }
}
