//! Columns of numbers in a text: CSV with commas, semicolons or tabs, a spreadsheet's cells, or numbers between blanks.

use petrio_study::fit::table::{SEPARATORS, cell, rows};
use serde::Serialize;

/// A column of a table.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Column {
    /// Its head, or its number from 1.
    pub(crate) name: String,
    /// How many of its fields are numbers.
    pub(crate) numbers: usize,
}

/// What was found.
#[derive(Debug)]
pub(crate) struct Found {
    pub(crate) values: Vec<f64>,
    pub(crate) left_out: usize,
    pub(crate) columns: Vec<Column>,
    pub(crate) column: usize,
}

/// A table has no more columns.
const COLUMNS_MAX: usize = 4_096;
/// A line of a table has no more bytes; a longer one is a list, and taking it apart as a row would take many times its
/// size.
const LINE_MAX: usize = 1 << 20;
/// More numbers say nothing more about a distribution.
pub(crate) const VALUES_MAX: usize = 16 << 20;

/// Takes a number in, as long as there is room.
fn push(values: &mut Vec<f64>, number: f64) -> Result<(), String> {
    if values.len() == VALUES_MAX {
        return Err(format!("there are more than {VALUES_MAX} numbers in it; take a sample of them"));
    }
    values.push(number);
    Ok(())
}

fn separator(text: &str) -> Option<u8> {
    let is_comment = |line: &str| line.trim_start().starts_with('#');
    let lines: Vec<&str> =
        text.lines().filter(|line| !line.trim().is_empty() && !is_comment(line)).take(20).collect();
    let is_in_all =
        |mark: &u8| !lines.is_empty() && lines.iter().all(|line| line.contains(char::from(*mark)));
    SEPARATORS.into_iter().find(is_in_all)
}

/// A field without its quotes, as a finite number.
fn number(field: &str) -> Option<f64> {
    cell(field.as_bytes()).parse::<f64>().ok().filter(|number| number.is_finite())
}

/// The values of a column; without one, of the first that holds numbers.
pub(crate) fn columns(text: &str, wanted: Option<usize>) -> Result<Found, String> {
    let text = text.trim_start_matches('\u{feff}');
    let lines = || text.lines().filter(|line| !line.trim().is_empty() && !line.trim_start().starts_with('#'));
    let mark = separator(text);
    let long = lines().any(|line| line.len() > LINE_MAX);
    if long && mark.is_some() && wanted.is_some() {
        return Err(format!("a line of a table has {LINE_MAX} bytes at most"));
    }
    let Some(mark) = mark.filter(|_| !long) else {
        let mut found = Found { values: vec![], left_out: 0, columns: vec![], column: 0 };
        for field in
            lines().flat_map(|line| line.split(|c: char| c.is_whitespace() || matches!(c, ',' | ';')))
        {
            match number(field) {
                Some(number) => push(&mut found.values, number)?,
                None => found.left_out += usize::from(!field.is_empty()),
            }
        }
        return Ok(found);
    };
    // Of rows of a bounded length.
    let table = || rows(text.as_bytes(), mark).into_byte_records().map_while(Result::ok);
    let cells = |row: &csv::ByteRecord| row.iter().map(|field| cell(field).into_owned()).collect::<Vec<_>>();
    let first = table().next().map(|row| cells(&row)).unwrap_or_default();
    // A single line of numbers, or a long one, is a list, whatever stands between them.
    let is_list =
        wanted.is_none() && table().nth(1).is_none() && first.iter().any(|cell| number(cell).is_some());
    if is_list || first.len() > COLUMNS_MAX {
        let values: Vec<f64> = first.iter().filter_map(|cell| number(cell)).collect();
        return Ok(Found { left_out: first.len() - values.len(), values, columns: vec![], column: 0 });
    }
    let has_head = first.iter().all(|cell| number(cell).is_none());
    let name = |(at, cell): (usize, String)| if has_head { cell } else { (at + 1).to_string() };
    let mut columns: Vec<Column> =
        first.into_iter().enumerate().map(|named| Column { name: name(named), numbers: 0 }).collect();
    let body = || table().skip(usize::from(has_head));
    for row in body() {
        for (column, field) in columns.iter_mut().zip(&row) {
            column.numbers += usize::from(number(&cell(field)).is_some());
        }
    }
    let column = match wanted {
        Some(wanted) if wanted < columns.len() => wanted,
        Some(wanted) => return Err(format!("there are {} columns, no {}", columns.len(), wanted + 1)),
        None => columns.iter().position(|column| column.numbers > 0).unwrap_or(0),
    };
    let (mut values, mut left_out) = (Vec::new(), 0);
    for row in body() {
        match row.get(column).and_then(|field| number(&cell(field))) {
            Some(number) => push(&mut values, number)?,
            None => left_out += 1,
        }
    }
    Ok(Found { values, left_out, columns, column })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_line_that_no_table_has_is_a_list_whatever_stands_between_its_numbers() {
        let many = "1,2,".repeat(LINE_MAX / 2);
        let found = columns(&many, None).unwrap();
        assert_eq!((found.values.len(), found.columns.len()), (LINE_MAX, 0));
        assert!(columns(&format!("{many}\n"), Some(0)).unwrap_err().contains("bytes at most"));
        assert_eq!(
            push(&mut vec![0.0; VALUES_MAX], 1.0).unwrap_err(),
            "there are more than 16777216 numbers in it; take a sample of them"
        );
    }

    #[test]
    fn numbers_are_found_in_lists_and_tables() {
        assert_eq!(columns("1 2\n3", None).unwrap().values, [1.0, 2.0, 3.0]);
        assert_eq!(columns("1, 2, 3", None).unwrap().values, [1.0, 2.0, 3.0]);
        assert_eq!(columns("1\nx\nnan\n2", None).unwrap().left_out, 2);
        let table = "name,size,\"time\"\na,10,0.5\nb,20,0.7\nc,-,0.9\n";
        let sizes = columns(table, None).unwrap();
        assert_eq!((sizes.values, sizes.left_out, sizes.column), (vec![10.0, 20.0], 1, 1));
        assert_eq!(sizes.columns[2], Column { name: "time".to_owned(), numbers: 3 });
        assert_eq!(columns(table, Some(2)).unwrap().values, [0.5, 0.7, 0.9]);
        assert!(columns(table, Some(3)).unwrap_err().contains("3 columns"));
        let quoted = "who,size\n\"read, small\",5\n\"write, large\",6\n";
        assert_eq!(columns(quoted, Some(1)).unwrap().values, [5.0, 6.0]);
        assert_eq!(columns("1\t2\n3\t4", Some(1)).unwrap().values, [2.0, 4.0]);
    }
}
