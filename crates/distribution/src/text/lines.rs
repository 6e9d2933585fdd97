//! Tables that stand in files: lines of a point and its probability or density, as spreadsheets and scripts write them.
//!
//! ```text
//! # sizes of mails
//! KiB, p            a first line of words: the unit of points that have none
//! 0.5, 0.2
//! 2 MiB, 1
//! ```
//!
//! Source of the idea: W.-L. Kao, "A user-oriented synthetic workload generator" (1989), section 4.1.1, where CDF tables in
//! files are what distributions are drawn from.

use crate::error::DistributionError;
use petrio_units::{Amount, Measurable};

/// More points than this are a sample, and not a table.
const POINTS_MAX: usize = 1 << 20;

/// Points, and what stands behind each.
pub(super) type Points<Q> = (Vec<Amount<Q>>, Vec<f64>);

/// What a table says: its own points, or those of its lines.
pub(super) fn points<Q: Measurable>(
    (family, second): (&'static str, &'static str),
    (x, values): (&[Amount<Q>], &[f64]),
    (file, lines): (Option<&str>, Option<&str>),
) -> Result<Points<Q>, DistributionError> {
    let wrong = |parameter: &str, problem: String| Err(DistributionError::new(family, parameter, problem));
    match (file, lines) {
        (Some(file), None) => {
            wrong("file", format!("is \"{file}\", and files aren't read here; write x and {second}"))
        }
        (None, None) => Ok((x.to_vec(), values.to_vec())),
        _ if !x.is_empty() || !values.is_empty() => {
            wrong("", format!("has its points in a file and as x and {second}; leave out one of both"))
        }
        (_, Some(lines)) => of_lines(lines).or_else(|(line, problem)| {
            let place = file.map_or("lines".to_owned(), |_| "file".to_owned());
            let name = file.unwrap_or("them");
            wrong(&place, format!("line {line} of {name}: {problem}"))
        }),
    }
}

/// The points of lines; else the line that is none, and why.
fn of_lines<Q: Measurable>(text: &str) -> Result<Points<Q>, (usize, String)> {
    let (mut x, mut values, mut unit) = (Vec::new(), Vec::new(), "");
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.trim().trim_start_matches('\u{feff}');
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let fail = |problem: String| Err((number, problem));
        let split = line.rsplit_once([',', ';', '\t']).or_else(|| line.rsplit_once(' '));
        let Some((point, value)) = split else {
            return fail(format!("\"{line}\" is no point and number, such as \"4 KiB, 0.7\""));
        };
        let unquoted = |cell: &str| cell.trim().trim_matches('"').trim().to_owned();
        let (point, value) = (unquoted(point), unquoted(value));
        let Ok(value) = value.parse::<f64>() else {
            if x.is_empty() && unit.is_empty() && !point.starts_with(|first: char| first.is_ascii_digit()) {
                unit = line.split([',', ';', '\t', ' ']).next().unwrap_or_default();
                continue;
            }
            return fail(format!("\"{value}\" is no number"));
        };
        let is_bare = point.parse::<f64>().is_ok();
        let with_unit =
            if is_bare && !Q::BARE { format!("{point} {}", unit.trim_matches('"')) } else { point };
        match with_unit.trim().parse::<Amount<Q>>() {
            Ok(amount) => x.push(amount),
            Err(error) => return fail(error.to_string()),
        }
        values.push(value);
        if x.len() > POINTS_MAX {
            return fail(format!("a table has no more than {POINTS_MAX} points"));
        }
    }
    Ok((x, values))
}
