//! Columns of numbers in a text: CSV with commas, semicolons or tabs, a spreadsheet's cells, or numbers between blanks.

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

fn separator(text: &str) -> Option<char> {
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).take(20).collect();
    ['\t', ';', ',']
        .into_iter()
        .find(|&mark| !lines.is_empty() && lines.iter().all(|line| line.contains(mark)))
}

/// A field without its quotes, as a finite number.
fn number(field: &str) -> Option<f64> {
    field.trim().trim_matches('"').trim().parse::<f64>().ok().filter(|number| number.is_finite())
}

/// The values of a column; without one, of the first that holds numbers.
pub(crate) fn columns(text: &str, wanted: Option<usize>) -> Result<Found, String> {
    let text = text.trim_start_matches('\u{feff}');
    let lines = || text.lines().filter(|line| !line.trim().is_empty() && !line.trim_start().starts_with('#'));
    let Some(mark) = separator(text) else {
        let mut found = Found { values: vec![], left_out: 0, columns: vec![], column: 0 };
        for field in
            lines().flat_map(|line| line.split(|c: char| c.is_whitespace() || matches!(c, ',' | ';')))
        {
            match number(field) {
                Some(number) => found.values.push(number),
                None => found.left_out += usize::from(!field.is_empty()),
            }
        }
        return Ok(found);
    };
    let first: Vec<&str> = lines().next().unwrap_or_default().split(mark).collect();
    if first.len() > COLUMNS_MAX {
        // One long line of numbers.
        return Ok(Found {
            values: first.iter().filter_map(|field| number(field)).collect(),
            left_out: 0,
            columns: vec![],
            column: 0,
        });
    }
    let has_head = first.iter().all(|field| number(field).is_none());
    let mut columns: Vec<Column> = first
        .iter()
        .enumerate()
        .map(|(i, field)| Column {
            name: if has_head { field.trim().trim_matches('"').to_owned() } else { (i + 1).to_string() },
            numbers: 0,
        })
        .collect();
    for line in lines().skip(usize::from(has_head)) {
        for (column, field) in columns.iter_mut().zip(line.split(mark)) {
            column.numbers += usize::from(number(field).is_some());
        }
    }
    let column = match wanted {
        Some(wanted) if wanted < columns.len() => wanted,
        Some(wanted) => return Err(format!("there are {} columns, no {}", columns.len(), wanted + 1)),
        None => columns.iter().position(|column| column.numbers > 0).unwrap_or(0),
    };
    let (mut values, mut left_out) = (Vec::new(), 0);
    for line in lines().skip(usize::from(has_head)) {
        match line.split(mark).nth(column).and_then(number) {
            Some(number) => values.push(number),
            None => left_out += 1,
        }
    }
    // A single line of numbers is a list, whatever stands between them.
    if !has_head && lines().count() == 1 && wanted.is_none() {
        values = first.iter().filter_map(|field| number(field)).collect();
        return Ok(Found { left_out: first.len() - values.len(), values, columns: vec![], column: 0 });
    }
    Ok(Found { values, left_out, columns, column })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

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
        assert_eq!(columns("1\t2\n3\t4", Some(1)).unwrap().values, [2.0, 4.0]);
    }
}
