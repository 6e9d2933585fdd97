//! Numbers from text: one a line, or a column of a table.

use super::table::{SEPARATORS, cell, rows};
use csv::ByteRecord;
use miette::Diagnostic;
use petrio_bounds::TooMuch;
use petrio_files::lines::Lines;
use petrio_units::numbers::as_index;
use petrio_units::{Amount, Bytes, Duration, nearest};
use std::io::{BufRead, BufReader, Read};
use thiserror::Error;

/// What the numbers measure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Unit {
    /// Nothing that has a unit.
    #[default]
    None,
    /// Bytes.
    Bytes,
    /// Seconds.
    Time,
}

/// Text that is no list of numbers.
#[derive(Debug, Diagnostic, Error)]
pub enum NumbersError {
    /// It can't be read.
    #[error("{name} can't be read: {cause}")]
    Read {
        /// The data.
        name: String,
        /// Why.
        cause: std::io::Error,
    },
    /// More numbers than can be held.
    #[error("{name}: more than {count} numbers are too many to fit: {cause}")]
    #[diagnostic(help("fit a sample: every tenth line says as much"))]
    TooMany {
        /// The data.
        name: String,
        /// Numbers so far.
        count: usize,
        /// Why.
        cause: TooMuch,
    },
    /// A line that is no number.
    #[error("{name}, line {line}: \"{text}\" is no number{why}")]
    #[diagnostic(help("{}", one_a_line(text)))]
    NoNumber {
        /// The data.
        name: String,
        /// Which line, from 1.
        line: usize,
        /// What stands there, shortened.
        text: String,
        /// More about it; begins with a colon, or empty.
        why: String,
    },
    /// A line that has no such column.
    #[error("{name}, line {line}: there is no column {column}; the line has {columns}")]
    TooShort {
        /// The data.
        name: String,
        /// Which line, from 1.
        line: usize,
        /// The column asked for.
        column: String,
        /// Columns that the line has.
        columns: usize,
    },
    /// No column of that name.
    #[error("{name}: no column is called \"{column}\"")]
    NoColumn {
        /// The data.
        name: String,
        /// The name asked for.
        column: String,
        /// What to write instead.
        #[help]
        advice: String,
    },
    /// Two columns of that name.
    #[error("{name}: columns {one} and {other} are both called \"{column}\"")]
    #[diagnostic(help("name it by its number: --column {one}"))]
    TwoColumns {
        /// The data.
        name: String,
        /// The name asked for.
        column: String,
        /// The number of the first, from 1.
        one: usize,
        /// The number of the second.
        other: usize,
    },
    /// A number that a quantity can't be.
    #[error("{name}, line {line}: {value} is below zero, which {what} can't be")]
    #[diagnostic(help("leave out --unit if the numbers are neither lengths nor times"))]
    Negative {
        /// The data.
        name: String,
        /// Which line, from 1.
        line: usize,
        /// The number.
        value: f64,
        /// What the numbers measure.
        what: &'static str,
    },
}

/// How numbers are written, for somebody who wrote another thing.
fn one_a_line(text: &str) -> &'static str {
    if text.contains([',', ';', '\t']) {
        "name the column with --column NAME, or by its number: --column 2"
    } else {
        "one number stands in a line; lines that begin with # are left out. To fit a trace, say what of it with --measure"
    }
}

/// Numbers between two looks at what memory there is.
const A_LOOK: usize = 1 << 20;
/// A number and its line twice over, and its place in the sorted sample.
const BYTES_A_NUMBER: u64 = 40;

/// Numbers, and the line of each.
#[derive(Debug, Default)]
pub(super) struct Numbers {
    pub(super) values: Vec<f64>,
    pub(super) lines: Vec<usize>,
}

impl Numbers {
    fn add(&mut self, name: &str, line: usize, text: &str, unit: Unit) -> Result<(), NumbersError> {
        let value = number(text, unit).map_err(|why| NumbersError::NoNumber {
            name: name.to_owned(),
            line,
            text: text
                .chars()
                .take(60)
                .map(|c| if c.is_control() { char::REPLACEMENT_CHARACTER } else { c })
                .collect(),
            why,
        })?;
        let what = match unit {
            Unit::None => "",
            Unit::Bytes => "a number of bytes",
            Unit::Time => "a time",
        };
        if value < 0.0 && unit != Unit::None {
            return Err(NumbersError::Negative { name: name.to_owned(), line, value, what });
        }
        room_for_more(name, self.values.len())?;
        self.values.push(value);
        self.lines.push(line);
        Ok(())
    }
}

/// Whether there is room for more numbers than so many; looked at now and then.
pub(super) fn room_for_more(name: &str, count: usize) -> Result<(), NumbersError> {
    if !count.is_multiple_of(A_LOOK) {
        return Ok(());
    }
    // Their lists double when they are full, and stand beside the old ones until they are copied.
    let needed = count as u64 * BYTES_A_NUMBER;
    petrio_bounds::check(needed).map_err(|cause| NumbersError::TooMany {
        name: name.to_owned(),
        count,
        cause,
    })
}

/// Reads numbers; empty lines and those that begin with # are left out. With a column the first line may name the
/// columns.
pub(super) fn read(
    name: &str,
    source: impl Read,
    column: Option<&str>,
    unit: Unit,
) -> Result<Numbers, NumbersError> {
    let source = Lines::new(source);
    match column {
        None => read_list(name, source, unit),
        Some(column) => read_column(name, source, column, unit),
    }
}

/// What is on a line that has something on it.
fn content(line: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(line);
    // A byte order mark is no part of the first number.
    let text = text.trim_start_matches('\u{feff}').trim();
    (!text.is_empty() && !text.starts_with('#')).then(|| text.to_owned())
}

fn read_list(name: &str, source: impl Read, unit: Unit) -> Result<Numbers, NumbersError> {
    let (mut numbers, mut heading) = (Numbers::default(), None);
    for (index, line) in BufReader::new(source).split(b'\n').enumerate() {
        let line = line.map_err(|cause| NumbersError::Read { name: name.to_owned(), cause })?;
        if let Some(text) = content(&line) {
            match numbers.add(name, index + 1, &text, unit) {
                // One column may have a heading: a word over numbers, of which there must be some.
                Err(error @ NumbersError::NoNumber { .. }) if heading.is_none() && is_heading(&text) => {
                    if !numbers.values.is_empty() {
                        return Err(error);
                    }
                    heading = Some(error);
                }
                added => added?,
            }
        }
    }
    match heading {
        Some(error) if numbers.values.is_empty() => Err(error),
        _ => Ok(numbers),
    }
}

/// Whether a line could head a column of numbers: a word, of one cell, and no number that is mistyped.
fn is_heading(text: &str) -> bool {
    let begins =
        text.trim_start_matches('"').starts_with(|first: char| first.is_alphabetic() || first == '_');
    begins && !text.contains([',', ';', '\t'])
}

fn read_column(name: &str, source: impl Read, column: &str, unit: Unit) -> Result<Numbers, NumbersError> {
    let mut numbers = Numbers::default();
    let cause = |cause| NumbersError::Read { name: name.to_owned(), cause };
    let mut source = BufReader::new(source);
    // The first line tells what separates cells.
    let (mut first, mut before) = (Vec::new(), 0);
    let separator = loop {
        first.clear();
        if source.read_until(b'\n', &mut first).map_err(cause)? == 0 {
            return Ok(numbers);
        }
        if let Some(text) = content(&first) {
            let found = SEPARATORS.into_iter().find(|&separator| text.contains(char::from(separator)));
            break found.unwrap_or(b',');
        }
        before += 1;
    };
    let mut place = None;
    let mut rows = rows(first.as_slice().chain(source).chain(b"\n".as_slice()), separator);
    let mut row = ByteRecord::new();
    while rows.read_byte_record(&mut row).map_err(|error| cause(error.into()))? {
        let line = before + as_index(rows.position().line()) - 1;
        let cells: Vec<_> = row.iter().map(cell).collect();
        if cells.iter().all(|cell| cell.is_empty()) || cells[0].starts_with('#') {
            continue;
        }
        let at = match place {
            Some(at) => at,
            None => {
                let (at, is_heading) = locate(name, &cells, column, unit)?;
                place = Some(at);
                if is_heading {
                    continue;
                }
                at
            }
        };
        let Some(text) = cells.get(at) else {
            let (name, column) = (name.to_owned(), column.to_owned());
            return Err(NumbersError::TooShort { name, line, column, columns: cells.len() });
        };
        numbers.add(name, line, text, unit)?;
    }
    Ok(numbers)
}

/// A number, or a quantity with its unit where the data have one.
fn number(text: &str, unit: Unit) -> Result<f64, String> {
    if let Ok(number) = text.parse::<f64>() {
        return Ok(number);
    }
    let why = |error: petrio_units::UnitError| format!(": {error}");
    match unit {
        Unit::Bytes => text.parse::<Amount<Bytes>>().map(Amount::base).map_err(why),
        Unit::Time => text.parse::<Amount<Duration>>().map(Amount::base).map_err(why),
        Unit::None => Err(String::new()),
    }
}

/// Which cell the column is, and whether this line, the first, names the columns.
fn locate<C: AsRef<str>>(
    name: &str,
    first: &[C],
    column: &str,
    unit: Unit,
) -> Result<(usize, bool), NumbersError> {
    let names = || first.iter().map(AsRef::as_ref);
    if let Ok(place) = column.parse::<usize>()
        && place > 0
    {
        let is_heading = names().nth(place - 1).is_some_and(|cell| number(cell, unit).is_err());
        return Ok((place - 1, is_heading));
    }
    let mut called = names().enumerate().filter(|(_, name)| *name == column).map(|(at, _)| at);
    match (called.next(), called.next()) {
        (Some(at), None) => Ok((at, true)),
        (Some(one), Some(other)) => Err(NumbersError::TwoColumns {
            name: name.to_owned(),
            column: column.to_owned(),
            one: one + 1,
            other: other + 1,
        }),
        _ => {
            let advice = match nearest(column, names()) {
                Some(near) => format!("did you mean \"{near}\"?"),
                None => format!("its columns are {}", names().collect::<Vec<_>>().join(", ")),
            };
            Err(NumbersError::NoColumn { name: name.to_owned(), column: column.to_owned(), advice })
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn of(text: &str, column: Option<&str>, unit: Unit) -> Result<Vec<f64>, String> {
        read("data", text.as_bytes(), column, unit)
            .map(|numbers| numbers.values)
            .map_err(|error| error.to_string())
    }

    #[test]
    fn numbers_stand_one_a_line_or_in_a_column() {
        assert_eq!(of("# sizes\n1\n\n 2.5\r\n-3e2\n", None, Unit::None).unwrap(), [1.0, 2.5, -300.0]);
        let table = "name;size\n\"a\";512\nb; 1024\n";
        assert_eq!(of(table, Some("size"), Unit::None).unwrap(), [512.0, 1024.0]);
        assert_eq!(of(table, Some("2"), Unit::None).unwrap(), [512.0, 1024.0]);
        assert_eq!(of("1,2\n3,4\n", Some("2"), Unit::None).unwrap(), [2.0, 4.0]);
        assert_eq!(of("1 KiB,2\n3 KiB,4\n", Some("1"), Unit::Bytes).unwrap(), [1024.0, 3072.0]);
        assert_eq!(of("4 KiB\n17\n", None, Unit::Bytes).unwrap(), [4096.0, 17.0]);
        assert_eq!(of("25 ms\n0.5\n", None, Unit::Time).unwrap(), [0.025, 0.5]);
        assert_eq!(of("latency (ms)\n25\n0.5\n", None, Unit::None).unwrap(), [25.0, 0.5]);
        for no_heading in ["size\n", "size\ncount\n1\n", "1\nsize\n", "size,count\n1,2\n", "12x\n1\n"] {
            assert!(of(no_heading, None, Unit::None).unwrap_err().contains("is no number"), "{no_heading}");
        }
    }

    #[test]
    fn cells_may_be_quoted_and_hold_what_separates_them() {
        let table = "\u{feff}# by hand\n\n\"name, first\",\"size\"\n\"read, \"\"small\"\"\",512\r\n\"two\nlines\", \"7\"\n# no more\nb,x\n";
        let error = of(table, Some("size"), Unit::None).unwrap_err();
        assert_eq!(error, "data, line 8: \"x\" is no number");
        assert_eq!(of(&table.replace('x', "9"), Some("size"), Unit::None).unwrap(), [512.0, 7.0, 9.0]);
    }

    #[test]
    fn two_columns_of_a_name_and_lengths_below_zero_are_refused() {
        let error = read("data", "a,b,a\n1,2,3\n".as_bytes(), Some("a"), Unit::None).unwrap_err();
        assert_eq!(error.to_string(), "data: columns 1 and 3 are both called \"a\"");
        assert!(error.help().unwrap().to_string().contains("--column 1"));
        let error = of("1\n-2\n", None, Unit::Time).unwrap_err();
        assert_eq!(error, "data, line 2: -2 is below zero, which a time can't be");
    }

    #[test]
    fn what_has_no_lines_is_refused_before_it_fills_the_memory() {
        for column in [None, Some("size")] {
            let error = read("data", std::io::repeat(0), column, Unit::None).unwrap_err();
            assert_eq!(
                error.to_string(),
                "data can't be read: a line of more than 65536 bytes; this isn't text"
            );
        }
    }

    #[test]
    fn what_is_no_number_is_told_with_its_line() {
        assert_eq!(of("1\nabc\n", None, Unit::None).unwrap_err(), "data, line 2: \"abc\" is no number");
        assert!(of("1\n5 ms\n", None, Unit::Bytes).unwrap_err().contains("is a duration"));
        assert!(of("a,b\n1\n", Some("b"), Unit::None).unwrap_err().contains("line 2: there is no column b"));
        let error = read("data", "size,time\n1,2\n".as_bytes(), Some("tme"), Unit::None).unwrap_err();
        assert_eq!(error.help().unwrap().to_string(), "did you mean \"time\"?");
        let error = read("data", "size,time\n1,2\n".as_bytes(), None, Unit::None).unwrap_err();
        assert!(error.help().unwrap().to_string().contains("--column"));
    }
}
