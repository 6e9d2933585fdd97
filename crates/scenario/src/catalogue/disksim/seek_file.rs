//! Files with a measured seek curve.
//!
//! A line is `distance, milliseconds[, standard deviation[, milliseconds for writes]]`; the first may say how many
//! follow. The fourth column is that of the Western Digital version of DiskSim ("dual seek").

use super::error::{ImportError, Problem};
use super::files::{Files, load};
use super::reader::{Reader, duration};
use petrio_models::device::disk::parameters::SeekParameters;
use petrio_units::Duration;
use petrio_units::numbers::as_number;

/// Reads the curve for reads and, where there is one, that for writes.
pub(super) fn read(
    files: &dyn Files,
    mechanical: &Reader<'_>,
    name: &str,
) -> Result<(SeekParameters, Option<SeekParameters>), ImportError> {
    let path = match mechanical.block().file.rfind('/') {
        Some(slash) if !name.starts_with('/') => format!("{}{name}", &mechanical.block().file[..=slash]),
        _ => name.to_owned(),
    };
    let text = load(files, &path).map_err(|error| match error.problem {
        Problem::Unreadable(why) => {
            mechanical.error("Full seek curve", Problem::Unreadable(format!("{path}: {why}")))
        }
        problem => ImportError::new(&path, error.line, problem),
    })?;
    let (reads, writes) = parse(&path, &text)?;
    let measured = |points| SeekParameters::Measured { points };
    Ok((measured(reads), (!writes.is_empty()).then(|| measured(writes))))
}

type Points = Vec<(u32, Duration)>;

fn parse(file: &str, text: &str) -> Result<(Points, Points), ImportError> {
    let (mut reads, mut writes): (Points, Points) = (Vec::new(), Vec::new());
    for (number, line) in text.lines().enumerate() {
        let line = line.split('#').next().unwrap_or_default().trim();
        if line.is_empty() || (reads.is_empty() && line.starts_with("Seek distances measured")) {
            continue;
        }
        let wrong = || {
            let shown = super::lexer::shortened(line).to_owned();
            ImportError::new(file, as_number(number) + 1, Problem::SeekLine(shown))
        };
        let mut fields = line.split(',').map(str::trim).filter(|field| !field.is_empty());
        let distance: u32 = fields.next().and_then(|field| field.parse().ok()).ok_or_else(wrong)?;
        let mut time = || -> Result<Option<Duration>, ImportError> {
            let Some(field) = fields.next() else { return Ok(None) };
            let ms = field.parse().ok().filter(|ms: &f64| ms.is_finite());
            Ok(Some(ms.and_then(duration).ok_or_else(wrong)?))
        };
        let read = time()?.ok_or_else(wrong)?;
        let (_deviation, write) = (time()?, time()?);
        if distance == 0 {
            continue;
        }
        if reads.last().is_some_and(|&(before, _)| before >= distance) {
            return Err(wrong());
        }
        reads.push((distance, read));
        writes.extend(write.map(|write| (distance, write)));
    }
    if reads.is_empty() {
        return Err(ImportError::new(file, 0, Problem::SeekLine(String::new())));
    }
    if writes.len() < reads.len() {
        writes.clear();
    }
    Ok((reads, writes))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_fourth_column_is_the_curve_of_writes() {
        let text = "Seek distances measured: 2\n1, 0.5257, 0.024385, 0.6757\n2, 0.6564, 0.033419, 0.8064\n";
        let (reads, writes) = parse("dual.seek", text).unwrap();
        assert_eq!(reads[1], (2, "0.6564 ms".parse().unwrap()));
        assert_eq!(writes[0], (1, "0.6757 ms".parse().unwrap()));
    }

    #[test]
    fn a_line_that_is_none_is_named() {
        let error = parse("x.seek", "1, 2.0\n2, fast\n").unwrap_err();
        assert_eq!(error.line, 2);
        assert!(error.to_string().contains("\"2, fast\" is no line of a seek curve"), "{error}");
        let error = parse("x.seek", "1, 2.0\n1, 2.5\n").unwrap_err();
        assert!(error.to_string().contains("ascending"), "{error}");
    }
}
