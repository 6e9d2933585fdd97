//! Numbers from text: one a line, or a column of a table.

use super::Unit;
use petrio_units::{Amount, Bytes, Duration, nearest};
use std::io::{BufRead, BufReader, Read};
use thiserror::Error;

/// Text that is no list of numbers.
#[derive(Debug, Error)]
pub enum NumbersError {
    /// It can't be read.
    #[error("{name} can't be read: {cause}")]
    Read {
        /// The data.
        name: String,
        /// Why.
        cause: std::io::Error,
    },
    /// A line that is no number.
    #[error("{name}, line {line}: \"{text}\" is no number{why}")]
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
        advice: String,
    },
}

impl NumbersError {
    /// What to do about it, where there is something to do.
    pub fn help(&self) -> Option<String> {
        match self {
            Self::NoNumber { text, .. } if text.contains([',', ';', '\t']) => {
                Some("name the column with --column NAME, or by its number: --column 2".to_owned())
            }
            Self::NoNumber { .. } => Some(
                "one number stands in a line; lines that begin with # are left out. To fit a trace, say what of it with --measure"
                    .to_owned(),
            ),
            Self::NoColumn { advice, .. } => Some(advice.clone()),
            Self::Read { .. } | Self::TooShort { .. } => None,
        }
    }
}

/// Numbers, and the line of each.
#[derive(Debug, Default)]
pub(super) struct Numbers {
    pub(super) values: Vec<f64>,
    pub(super) lines: Vec<usize>,
}

/// Reads numbers; empty lines and those that begin with # are left out. With a column the first line may name the columns.
pub(super) fn read(
    name: &str,
    source: impl Read,
    column: Option<&str>,
    unit: Unit,
) -> Result<Numbers, NumbersError> {
    let mut numbers = Numbers::default();
    let mut place: Option<(usize, char)> = None;
    let cause = |cause| NumbersError::Read { name: name.to_owned(), cause };
    for (index, line) in BufReader::new(source).split(b'\n').enumerate() {
        let line = line.map_err(cause)?;
        let text = String::from_utf8_lossy(&line);
        // A byte order mark is no part of the first number.
        let text = text.trim_start_matches('\u{feff}').trim();
        if text.is_empty() || text.starts_with('#') {
            continue;
        }
        let line = index + 1;
        let cell = match column {
            None => text,
            Some(column) => {
                let (at, separator) = match place {
                    Some(place) => place,
                    None => {
                        let (found, is_heading) = locate(name, text, column)?;
                        place = Some(found);
                        if is_heading {
                            continue;
                        }
                        found
                    }
                };
                match cells(text, separator).nth(at) {
                    Some(cell) => cell,
                    None => {
                        return Err(NumbersError::TooShort {
                            name: name.to_owned(),
                            line,
                            column: column.to_owned(),
                            columns: cells(text, separator).count(),
                        });
                    }
                }
            }
        };
        let value = number(cell, unit).map_err(|why| NumbersError::NoNumber {
            name: name.to_owned(),
            line,
            text: cell
                .chars()
                .take(60)
                .map(|c| if c.is_control() { char::REPLACEMENT_CHARACTER } else { c })
                .collect(),
            why,
        })?;
        numbers.values.push(value);
        numbers.lines.push(line);
    }
    Ok(numbers)
}

fn cells(line: &str, separator: char) -> impl Iterator<Item = &str> {
    line.split(separator).map(|cell| cell.trim().trim_matches('"'))
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

/// Which cell the column is, what separates cells, and whether this line, the first, names the columns.
fn locate(name: &str, first: &str, column: &str) -> Result<((usize, char), bool), NumbersError> {
    let separator = [',', ';', '\t'].into_iter().find(|&separator| first.contains(separator)).unwrap_or(',');
    let names: Vec<&str> = cells(first, separator).collect();
    match column.parse::<usize>() {
        Ok(number) if number > 0 => {
            let is_heading = names.get(number - 1).is_some_and(|cell| cell.parse::<f64>().is_err());
            Ok(((number - 1, separator), is_heading))
        }
        _ => {
            if let Some(at) = names.iter().position(|name| *name == column) {
                return Ok(((at, separator), true));
            }
            let advice = match nearest(column, names.iter().copied()) {
                Some(near) => format!("did you mean \"{near}\"?"),
                None => format!("its columns are {}", names.join(", ")),
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
        assert_eq!(of("4 KiB\n17\n", None, Unit::Bytes).unwrap(), [4096.0, 17.0]);
        assert_eq!(of("25 ms\n0.5\n", None, Unit::Time).unwrap(), [0.025, 0.5]);
    }

    #[test]
    fn what_is_no_number_is_told_with_its_line() {
        assert_eq!(of("1\nabc\n", None, Unit::None).unwrap_err(), "data, line 2: \"abc\" is no number");
        assert!(of("1\n5 ms\n", None, Unit::Bytes).unwrap_err().contains("is a duration"));
        assert!(of("a,b\n1\n", Some("b"), Unit::None).unwrap_err().contains("line 2: there is no column b"));
        let error = read("data", "size,time\n1,2\n".as_bytes(), Some("tme"), Unit::None).unwrap_err();
        assert_eq!(error.help().unwrap(), "did you mean \"time\"?");
        let error = read("data", "size,time\n1,2\n".as_bytes(), None, Unit::None).unwrap_err();
        assert!(error.help().unwrap().contains("--column"));
    }
}
