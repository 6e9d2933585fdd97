//! A table of one's own: its header names columns in somebody's words, and the reader is told which means what.
//!
//! The header is rewritten as petrio's own, and the rest is read as that format: there is one reader of such tables.

use super::error::{Problem, printable};
use super::field::looks_numeric;
use petrio_units::nearest;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::io::{self, BufRead, BufReader, Cursor, Read};

/// Which column means what, by the names in the table's first line, or by their numbers from 1 on, whether the table has such a
/// line or not.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NamedColumns {
    /// When a request arrives.
    pub time: String,
    /// What it is: R, read, W, write, F or flush, in capitals or not; petrio's own `RS`, `WU` as well. Lines in which it is empty are
    /// counted, and read over.
    #[serde(alias = "op")]
    pub operation: String,
    /// The words of the operation that stand for a read and a write, where they are others: `read=0` and `write=1`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read: Option<String>,
    /// The word for a write.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub write: Option<String>,
    /// Where it begins.
    #[serde(alias = "lba", alias = "address")]
    pub offset: String,
    /// How long it is.
    #[serde(alias = "bytes", alias = "size")]
    pub length: String,
    /// How long it took, where that was measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response: Option<String>,
    /// The number of the process that asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub process: Option<String>,
    /// The number of the device.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device: Option<String>,
}

/// The units of such columns: a number without one says nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ColumnUnits {
    /// Of the time.
    pub time: TimeUnit,
    /// Of where a request begins.
    pub offset: LengthUnit,
    /// Of how long it is.
    pub length: LengthUnit,
    /// Of how long it took; left out, as the time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response: Option<TimeUnit>,
}

/// A unit of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum TimeUnit {
    /// Seconds.
    S,
    /// Milliseconds.
    Ms,
    /// Microseconds.
    Us,
    /// Nanoseconds.
    Ns,
    /// Picoseconds.
    Ps,
}

impl TimeUnit {
    fn name(self) -> &'static str {
        match self {
            Self::S => "s",
            Self::Ms => "ms",
            Self::Us => "us",
            Self::Ns => "ns",
            Self::Ps => "ps",
        }
    }
}

/// A unit of addresses and lengths.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum LengthUnit {
    /// Bytes.
    Bytes,
    /// Sectors of 512 bytes.
    #[serde(alias = "blocks")]
    Sectors,
}

impl LengthUnit {
    fn name(self) -> &'static str {
        match self {
            Self::Bytes => "bytes",
            Self::Sectors => "blocks",
        }
    }
}

/// A table of one's own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OwnTable {
    /// Which column means what.
    pub columns: NamedColumns,
    /// In which units.
    pub units: ColumnUnits,
}

/// Nobody names columns with more.
const HEADER_BYTES_MAX: u64 = 1 << 16;

impl OwnTable {
    /// The table with petrio's header in the place of its own, on the same line.
    pub(crate) fn rewritten(
        &self,
        table: Box<dyn Read + Send>,
    ) -> io::Result<Result<Box<dyn Read + Send>, Problem>> {
        let mut table = BufReader::new(table);
        let mut begin = Vec::new();
        loop {
            let mut line = Vec::new();
            if table.by_ref().take(HEADER_BYTES_MAX).read_until(b'\n', &mut line)? == 0 {
                return Ok(Ok(Box::new(Cursor::new(begin))));
            }
            let text = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&line).trim_ascii();
            if text.is_empty() || text.starts_with(b"#") {
                // Comments that petrio's own format has a meaning for are this table's words.
                begin.extend(b"#\n");
                continue;
            }
            let header = match self.columns.numbers() {
                Some(numbers) => self.header_of_numbers(text, &numbers),
                None => self.header(text).map(|header| (header, true)),
            };
            match header {
                Ok((header, replaces)) => {
                    begin.extend(header.into_bytes());
                    begin.push(b'\n');
                    if !replaces {
                        begin.extend(&line);
                    }
                }
                Err(problem) => return Ok(Err(problem)),
            }
            return Ok(Ok(Box::new(Cursor::new(begin).chain(table))));
        }
    }

    /// The wanted columns with petrio's names for them.
    fn wanted(&self) -> Vec<(&str, String)> {
        let Self { columns, units } = self;
        let own = |name: &str, unit: &str| format!("{name}_{unit}");
        let time = units.time.name();
        let mut wanted = vec![
            (columns.time.as_str(), own("time", time)),
            (&columns.operation, columns.operation_name()),
            (&columns.offset, own("address", units.offset.name())),
            (&columns.length, own("length", units.length.name())),
        ];
        let response = units.response.map_or(time, TimeUnit::name);
        wanted.extend(columns.response.as_deref().map(|name| (name, own("response", response))));
        wanted.extend(columns.process.as_deref().map(|name| (name, "process".to_owned())));
        wanted.extend(columns.device.as_deref().map(|name| (name, "device".to_owned())));
        wanted
    }

    /// petrio's names for columns that are numbered, and whether the line is a header, in whose place they stand: one whose time is no
    /// number.
    fn header_of_numbers(&self, line: &[u8], numbers: &[usize]) -> Result<(String, bool), Problem> {
        let separator = separator(line);
        let cells: Vec<&[u8]> = line.split(|byte| *byte == separator).map(<[u8]>::trim_ascii).collect();
        let mut names = vec![IGNORED.to_owned(); cells.len()];
        for (number, (_, name)) in numbers.iter().zip(self.wanted()) {
            let Some(place) = number.checked_sub(1).and_then(|at| names.get_mut(at)) else {
                let problem = format!("has {} columns; there is no column {number}", cells.len());
                return Err(Problem::Header(problem));
            };
            if place != IGNORED {
                return Err(Problem::Header(format!("has column {number} for two things")));
            }
            *place = name;
        }
        let time = numbers.first().and_then(|number| cells.get(number - 1)).copied().unwrap_or_default();
        Ok((names.join(std::str::from_utf8(&[separator]).unwrap_or(",")), !looks_numeric(time)))
    }

    /// petrio's names for the columns of a header.
    fn header(&self, line: &[u8]) -> Result<String, Problem> {
        let separator = separator(line);
        let wanted = self.wanted();
        let text = String::from_utf8_lossy(line);
        let cells: Vec<&str> =
            text.split(char::from(separator)).map(|cell| cell.trim().trim_matches('"').trim()).collect();
        for (name, _) in &wanted {
            let count = cells.iter().filter(|cell| *cell == name).count();
            let shown = printable(name.as_bytes());
            let problem = match count {
                1 => continue,
                0 => match nearest(name, cells.iter().copied()) {
                    Some(near) => {
                        format!(
                            "names no column \"{shown}\"; did you mean \"{}\"?",
                            printable(near.as_bytes())
                        )
                    }
                    None => format!(
                        "names no column \"{shown}\"; it has {}",
                        printable(cells.join(", ").as_bytes())
                    ),
                },
                _ => format!("names \"{shown}\" twice"),
            };
            return Err(Problem::Header(problem));
        }
        let name = |cell: &&str| {
            wanted
                .iter()
                .find(|(known, _)| known == cell)
                .map_or(IGNORED, |(_, name)| name.as_str())
                .to_owned()
        };
        let names: Vec<String> = cells.iter().map(name).collect();
        Ok(names.join(std::str::from_utf8(&[separator]).unwrap_or(",")))
    }
}

/// What stands between the columns of a line.
fn separator(line: &[u8]) -> u8 {
    [b',', b';', b'\t'].into_iter().find(|separator| line.contains(separator)).unwrap_or(b',')
}

impl NamedColumns {
    /// All columns as numbers, in the order of what is wanted, if that is what they are.
    fn numbers(&self) -> Option<Vec<usize>> {
        let Self { time, operation, offset, length, response, process, device, .. } = self;
        let more = [response, process, device].into_iter().flatten();
        [time, operation, offset, length].into_iter().chain(more).map(|name| name.parse().ok()).collect()
    }

    /// petrio's name for the operation, with the words for a read and a write where they are somebody's own.
    fn operation_name(&self) -> String {
        match (&self.read, &self.write) {
            (None, None) => "operation".to_owned(),
            (read, write) => {
                let word =
                    |own: &Option<String>, usual: &str| own.clone().unwrap_or_else(|| usual.to_owned());
                format!("{OPERATION_WORDS}{}:{}", word(read, "R"), word(write, "W"))
            }
        }
    }
}

/// The name of a column that is read over.
pub(crate) const IGNORED: &str = "-";

/// How the name of an operation's column begins whose words for a read and a write stand behind it, a colon between them.
pub(crate) const OPERATION_WORDS: &str = "operation:";

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::{BlockRecord, TraceOptions, TraceReader};
    use petrio_colours::Direction;
    use petrio_time::Time;

    fn table() -> OwnTable {
        let name = str::to_owned;
        OwnTable {
            columns: NamedColumns {
                time: name("ts"),
                operation: name("rw"),
                offset: name("lba"),
                length: name("size"),
                read: None,
                write: None,
                response: None,
                process: None,
                device: None,
            },
            units: ColumnUnits {
                time: TimeUnit::Ms,
                offset: LengthUnit::Sectors,
                length: LengthUnit::Bytes,
                response: None,
            },
        }
    }

    fn read(text: &'static str) -> Result<Vec<BlockRecord>, String> {
        let options = TraceOptions { own: Some(table()), ..TraceOptions::default() };
        let reader =
            TraceReader::from_reader("t", text.as_bytes(), &options).map_err(|error| error.to_string())?;
        reader.map(|record| record.map_err(|error| error.to_string())).collect()
    }

    #[test]
    fn a_table_is_read_by_its_own_names_whatever_else_it_has() {
        for text in [
            "lba,host,ts,rw,size\n100,a,1000,Read,4096\n200,b,1000.5,WRITE,8192\n",
            "# made by hand\n\"lba\";host;\"ts\";rw;size\n100;a;1000;r;4096\n200;b;1000.5;W;8192\n",
            "lba\thost\tts\trw\tsize\n100\ta\t1000\tR\t4096\n200\tb\t1000.5\twrite\t8192\n",
        ] {
            let records = read(text).unwrap();
            assert_eq!(records.len(), 2, "{text}");
            let [first, second] = [&records[0], &records[1]];
            assert_eq!(
                (first.direction, first.address, first.blocks, first.time),
                (Direction::Read, 100, 8, Time::ZERO)
            );
            assert_eq!((second.direction, second.address, second.blocks), (Direction::Write, 200, 16));
            assert_eq!(second.time, Time::from_micros(500));
        }
    }

    #[test]
    fn columns_are_numbered_where_no_line_names_them_and_operations_have_words_of_their_own() {
        let mut own = table();
        let [time, operation, offset, length] = ["1", "4", "2", "3"].map(str::to_owned);
        let words = [Some("0".to_owned()), Some("1".to_owned())];
        let [read, write] = words;
        own.columns = NamedColumns { time, operation, read, write, offset, length, ..own.columns };
        let options = TraceOptions { own: Some(own), ..TraceOptions::default() };
        for text in [
            "5,100,4096,1\n6,200,512,0\n7,300,512,\n",
            "when,lba,size,op\n5,100,4096,1\n6,200,512,0\n7,300,512,\n",
        ] {
            let mut reader = TraceReader::from_reader("t", text.as_bytes(), &options).unwrap();
            let records: Vec<_> = reader.by_ref().map(Result::unwrap).collect();
            let figures: Vec<_> =
                records.iter().map(|one| (one.direction, one.address, one.blocks)).collect();
            assert_eq!(figures, [(Direction::Write, 100, 8), (Direction::Read, 200, 1)]);
            assert_eq!((records[1].time, reader.summary().left_out.other_events), (Time::from_millis(1), 1));
        }
        for (text, words) in [("5,100,4096\n", "no column 4"), ("5,100,4096,2\n", "the operation is \"2\"")] {
            let error = TraceReader::from_reader("t", text.as_bytes(), &options)
                .and_then(Iterator::collect::<Result<Vec<_>, _>>)
                .unwrap_err();
            assert!(error.to_string().contains(words), "{error}");
        }
    }

    #[test]
    fn what_is_wrong_with_it_is_said_with_its_line() {
        for (text, words) in [
            ("lba,tz,rw,size\n", "names no column \"ts\"; did you mean \"tz\"?"),
            ("a,b\n1,2\n", "names no column \"ts\""),
            ("lba,ts,ts,rw,size\n", "names \"ts\" twice"),
            ("ts,rw,lba,size\n1,X,2,512\n", "line 2"),
            ("# one\nts,rw,lba,size\n1,R,2,512\n2,R,x,512\n", "line 4"),
            ("", "empty"),
        ] {
            let error = read(text).unwrap_err();
            assert!(error.contains(words), "{error} of {text}");
        }
    }
}
