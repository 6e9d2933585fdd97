//! Columns of a text line, read from bytes without a `String`: numbers, times in picoseconds, operations.

use super::error::{Problem, printable};
use petrio_units::numbers::wide_whole_part;

/// Picoseconds in a second, a millisecond, a microsecond and a nanosecond, as powers of ten.
pub(crate) const SECONDS: u32 = 12;
pub(crate) const MILLISECONDS: u32 = 9;
pub(crate) const MICROSECONDS: u32 = 6;
pub(crate) const NANOSECONDS: u32 = 3;
pub(crate) const PICOSECONDS: u32 = 0;
/// Windows file time counts 100 ns.
pub(crate) const FILE_TIME: u32 = 5;

/// The columns of one line, one after the other.
pub(crate) struct Columns<'a> {
    rest: &'a [u8],
    /// Whether a column follows (after a comma there is one, even an empty one).
    open: bool,
    separator: Separator,
    /// All columns in words, for messages.
    names: &'static str,
}

/// What stands between columns.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Separator {
    Blanks,
    Byte(u8),
}

impl<'a> Columns<'a> {
    /// Columns separated by blanks or tabs.
    pub(crate) fn blank_separated(line: &'a [u8], names: &'static str) -> Self {
        Self { rest: line, open: true, separator: Separator::Blanks, names }
    }

    /// Columns separated by commas, with blanks around them allowed.
    pub(crate) fn comma_separated(line: &'a [u8], names: &'static str) -> Self {
        Self::separated_by(b',', line, names)
    }

    /// Columns separated by a byte, with blanks around them allowed.
    pub(crate) fn separated_by(separator: u8, line: &'a [u8], names: &'static str) -> Self {
        Self { rest: line, open: true, separator: Separator::Byte(separator), names }
    }

    /// The next column, or an error that names the one that is missing.
    pub(crate) fn column(&mut self, name: &'static str) -> Result<&'a [u8], Problem> {
        self.next().ok_or(Problem::MissingColumn { column: name, columns: self.names })
    }

    /// Refuses what stands after the last column.
    pub(crate) fn finish(mut self) -> Result<(), Problem> {
        let columns = self.names;
        match self.next() {
            None => Ok(()),
            Some(found) => Err(Problem::ExtraColumn { found: printable(found), columns }),
        }
    }

    /// What has not been taken, without blanks around it.
    pub(crate) fn rest(&self) -> &'a [u8] {
        self.rest.trim_ascii()
    }
}

impl<'a> Iterator for Columns<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        match self.separator {
            Separator::Blanks => {
                let start = self.rest.iter().position(|byte| !byte.is_ascii_whitespace())?;
                let rest = &self.rest[start..];
                let length = rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len());
                let (column, rest) = rest.split_at(length);
                self.rest = rest;
                Some(column)
            }
            Separator::Byte(separator) => {
                if !self.open {
                    return None;
                }
                let column = match self.rest.iter().position(|&byte| byte == separator) {
                    Some(comma) => {
                        let column = &self.rest[..comma];
                        self.rest = &self.rest[comma + 1..];
                        column
                    }
                    None => {
                        self.open = false;
                        std::mem::take(&mut self.rest)
                    }
                };
                Some(column.trim_ascii())
            }
        }
    }
}

fn refused(column: &'static str, text: &[u8], expected: &'static str) -> Problem {
    let found = printable(text);
    match text {
        [b'-', b'0'..=b'9' | b'.', ..] => Problem::Negative { column, found },
        _ => Problem::NotANumber { column, found, expected },
    }
}

/// A whole number without a sign.
pub(crate) fn whole(text: &[u8], column: &'static str) -> Result<u64, Problem> {
    if text.is_empty() {
        return Err(refused(column, text, "a whole number"));
    }
    let mut value: u64 = 0;
    for &byte in text {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            return Err(refused(column, text, "a whole number"));
        }
        value =
            value.checked_mul(10).and_then(|value| value.checked_add(u64::from(digit))).ok_or_else(|| {
                Problem::TooLarge { column, found: printable(text), limit: "18446744073709551615" }
            })?;
    }
    Ok(value)
}

/// A whole number that fits 32 bits.
pub(crate) fn whole32(text: &[u8], column: &'static str) -> Result<u32, Problem> {
    let value = whole(text, column)?;
    u32::try_from(value).map_err(|_| Problem::TooLarge {
        column,
        found: printable(text),
        limit: "4294967295",
    })
}

/// A number in hexadecimal digits, with or without `0x`.
pub(crate) fn hexadecimal32(text: &[u8], column: &'static str) -> Result<u32, Problem> {
    const EXPECTED: &str = "a number in hexadecimal digits";
    let digits = text.strip_prefix(b"0x").or_else(|| text.strip_prefix(b"0X")).unwrap_or(text);
    if digits.is_empty() {
        return Err(refused(column, text, EXPECTED));
    }
    let mut value: u32 = 0;
    for &byte in digits {
        let digit = char::from(byte).to_digit(16).ok_or_else(|| refused(column, text, EXPECTED))?;
        if value >> 28 != 0 {
            return Err(Problem::TooLarge { column, found: printable(text), limit: "ffffffff" });
        }
        value = value << 4 | digit;
    }
    Ok(value)
}

/// A time in some unit of 10^`unit` picoseconds, to the picosecond: `13.191135`, `128166372003061629`, `1.5e-3`.
pub(crate) fn picoseconds(text: &[u8], unit: u32, column: &'static str) -> Result<u128, Problem> {
    const EXPECTED: &str = "a number";
    let mut value: u64 = 0;
    // Places after the point that have been taken into `value`, and the first digit that was not.
    let mut places: u32 = 0;
    let mut rounds_up = None;
    let mut digits = 0;
    let mut after_point = false;
    for (index, &byte) in text.iter().enumerate() {
        match byte {
            b'0'..=b'9' => {
                digits += 1;
                if after_point && places == unit {
                    rounds_up.get_or_insert(byte >= b'5');
                    continue;
                }
                let digit = u64::from(byte - b'0');
                let Some(next) = value.checked_mul(10).and_then(|value| value.checked_add(digit)) else {
                    return exponential(text, unit, column);
                };
                value = next;
                places += u32::from(after_point);
            }
            b'.' if !after_point => after_point = true,
            b'e' | b'E' if digits > 0 && index + 1 < text.len() => return exponential(text, unit, column),
            _ => return Err(refused(column, text, EXPECTED)),
        }
    }
    if digits == 0 {
        return Err(refused(column, text, EXPECTED));
    }
    Ok(u128::from(value) * POWERS[(unit - places) as usize] + u128::from(rounds_up.unwrap_or(false)))
}

const POWERS: [u128; 13] = {
    let mut powers = [1; 13];
    let mut index = 1;
    while index < powers.len() {
        powers[index] = powers[index - 1] * 10;
        index += 1;
    }
    powers
};

/// The slow way, for numbers with an exponent or with more digits than 64 bits hold.
#[cold]
fn exponential(text: &[u8], unit: u32, column: &'static str) -> Result<u128, Problem> {
    // 2^100 ps are 40 thousand million years; a clock beyond that is no clock.
    const PICOSECONDS_MAX: f64 = (1_u128 << 100) as f64;
    let number = std::str::from_utf8(text).ok().and_then(|text| text.parse::<f64>().ok());
    match number.map(|number| number * POWERS[unit as usize] as f64) {
        Some(value) if value.is_nan() || value < 0.0 => Err(refused(column, text, "a number")),
        Some(value) if value >= PICOSECONDS_MAX => {
            Err(Problem::TooLarge { column, found: printable(text), limit: "1e18 s" })
        }
        Some(value) => Ok(wide_whole_part(value + 0.5)),
        None => Err(refused(column, text, "a number")),
    }
}

/// Whether a column looks like a number, sound or not (`-5`, `nan` and `1e9` do): so that a trace with a bad number is
/// recognised, and the number is refused with its line instead of the whole file.
pub(crate) fn looks_numeric(text: &[u8]) -> bool {
    let unsigned = match text {
        [b'-' | b'+', rest @ ..] => rest,
        whole => whole,
    };
    match unsigned {
        [] => false,
        [b'0'..=b'9' | b'.', rest @ ..] => {
            rest.iter().all(|byte| byte.is_ascii_digit() || b".eE+-".contains(byte))
        }
        word => word.eq_ignore_ascii_case(b"nan") || word.eq_ignore_ascii_case(b"inf"),
    }
}

/// Whether a column looks like a whole number, sound or not.
pub(crate) fn looks_whole(text: &[u8]) -> bool {
    looks_numeric(text) && !text.iter().any(|byte| b".eE".contains(byte))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn times_are_exact_to_the_picosecond() {
        assert_eq!(picoseconds(b"13.191135", MILLISECONDS, "time").unwrap(), 13_191_135_000);
        assert_eq!(
            picoseconds(b"128166372003061629", FILE_TIME, "time").unwrap(),
            12_816_637_200_306_162_900_000
        );
        assert_eq!(picoseconds(b".5", SECONDS, "time").unwrap(), 500_000_000_000);
        assert_eq!(picoseconds(b"7.", NANOSECONDS, "time").unwrap(), 7_000);
        assert_eq!(picoseconds(b"0.00049", NANOSECONDS, "time").unwrap(), 0);
        assert_eq!(picoseconds(b"0.0005", NANOSECONDS, "time").unwrap(), 1);
        assert_eq!(picoseconds(b"1.5e-3", SECONDS, "time").unwrap(), 1_500_000_000);
        assert_eq!(picoseconds(b"3", PICOSECONDS, "time").unwrap(), 3);
    }

    #[test]
    fn numbers_that_are_none_say_why() {
        let negative = |text: &[u8]| matches!(picoseconds(text, 9, "time"), Err(Problem::Negative { .. }));
        assert!(negative(b"-5.0") && negative(b"-.1") && negative(b"-1e3"));
        for text in
            [&b"nan"[..], b"NaN", b"inf", b"", b".", b"1.2.3", b"1e", b"5ms", b"0x10", b"--1", b"1e-", b"+1"]
        {
            assert!(
                matches!(picoseconds(text, 9, "time"), Err(Problem::NotANumber { .. })),
                "{}",
                printable(text)
            );
        }
        assert!(matches!(picoseconds(b"1e300", 9, "time"), Err(Problem::TooLarge { .. })));
        assert!(matches!(picoseconds(&[b'9'; 400], 9, "time"), Err(Problem::TooLarge { .. })));
        assert!(matches!(whole(b"18446744073709551616", "block"), Err(Problem::TooLarge { .. })));
        assert!(matches!(whole(b"-8", "block"), Err(Problem::Negative { .. })));
        assert!(matches!(whole(b"8.0", "block"), Err(Problem::NotANumber { .. })));
        assert!(matches!(whole32(b"4294967296", "length"), Err(Problem::TooLarge { .. })));
        assert!(matches!(hexadecimal32(b"100000000", "flags"), Err(Problem::TooLarge { .. })));
        assert_eq!(hexadecimal32(b"0x8f", "flags").unwrap(), 0x8f);
    }

    #[test]
    fn columns_split_at_blanks_or_commas() {
        let blanks: Vec<_> = Columns::blank_separated(b" 1.5\t 30  0 ", "").collect();
        assert_eq!(blanks, [&b"1.5"[..], b"30", b"0"]);
        let commas: Vec<_> = Columns::comma_separated(b"1, R ,,x", "").collect();
        assert_eq!(commas, [&b"1"[..], b"R", b"", b"x"]);
    }
}
