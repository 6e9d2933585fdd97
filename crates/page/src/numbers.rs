//! Numbers as a person reads them: three significant digits, grouped thousands, a unit that fits.

use petrio_time::numbers::{as_index, whole_part};

/// `48213` as `48,213`.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (position, digit) in digits.chars().enumerate() {
        if position > 0 && (digits.len() - position).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Three significant digits, more only before the decimal point: `0.0123`, `4.31`, `64.4`, `1,234`.
pub fn significant(value: f64) -> String {
    if !value.is_finite() {
        return "–".to_owned();
    }
    let size = value.abs();
    let text = match size {
        _ if size == 0.0 => "0".to_owned(),
        // Nobody counts so many digits.
        _ if size >= 1e15 => format!("{size:.2e}"),
        _ if size >= 999.5 => {
            let whole = grouped(whole_part(size + 0.5));
            return if value < 0.0 { format!("-{whole}") } else { whole };
        }
        _ if size >= 99.95 => format!("{size:.0}"),
        _ if size >= 9.995 => format!("{size:.1}"),
        _ if size >= 0.9995 => format!("{size:.2}"),
        _ => {
            let places = as_index(whole_part(2.0 - libm::floor(libm::log10(size)))).clamp(3, 12);
            let text = format!("{size:.places$}");
            if places > 6 { format!("{size:.2e}") } else { text }
        }
    };
    if value < 0.0 { format!("-{text}") } else { text }
}

/// A unit of time that suits a number of milliseconds: its name, and how many milliseconds it is.
pub fn time_unit(ms: f64) -> (&'static str, f64) {
    match ms.abs() {
        size if size >= 1_000.0 => ("s", 1_000.0),
        size if size >= 0.1 || size == 0.0 => ("ms", 1.0),
        size if size >= 0.000_1 => ("µs", 1e-3),
        _ => ("ns", 1e-6),
    }
}

/// Milliseconds with a unit that suits them: `4.31 ms`, `28.0 µs`. What is shorter than any machine tells is said to be.
pub fn time(ms: f64) -> String {
    if ms > 0.0 && ms < 1e-6 {
        return "< 1 ns".to_owned();
    }
    let (unit, size) = time_unit(ms);
    format!("{} {unit}", significant(ms / size))
}

/// Milliseconds in a unit that others beside them have or, where that doesn't suit them, with one of their own: of 0.68
/// in a row of microseconds `0.680`, of 2,180 ms in a row of milliseconds `2.18 s`.
pub fn time_in((unit, size): (&str, f64), ms: f64) -> String {
    let value = (ms / size).abs();
    let (own, _) = time_unit(ms);
    if own == unit || ms == 0.0 || (0.1..999.5).contains(&value) { significant(ms / size) } else { time(ms) }
}

/// A mean number of something, such as a queue's length: little of it is said to be little.
pub fn mean_number(value: f64) -> String {
    if value > 0.0 && value < 0.0005 { "< 0.001".to_owned() } else { significant(value) }
}

/// Seconds of model time: `74.9 s`, `12.0 ms`.
pub fn seconds(s: f64) -> String {
    if s == 0.0 { "0 s".to_owned() } else { time(s * 1e3) }
}

/// A unit of data rate that suits bytes a second: its name and its size.
pub fn rate_unit(bytes_per_s: f64) -> (&'static str, f64) {
    match bytes_per_s.abs() {
        size if size >= 1_073_741_824.0 => ("GiB/s", 1_073_741_824.0),
        size if size >= 1_048_576.0 => ("MiB/s", 1_048_576.0),
        size if size >= 1_024.0 => ("KiB/s", 1_024.0),
        _ => ("B/s", 1.0),
    }
}

/// Bytes with a unit that suits them: `64.0 KiB`.
pub fn bytes(count: u64) -> String {
    let (unit, size) = rate_unit(count as f64);
    format!("{} {}", significant(count as f64 / size), unit.trim_end_matches("/s"))
}

/// A part of a whole as whole per cents; a tenth below ten, so that little is not nothing.
pub fn per_cent(fraction: f64) -> String {
    let value = fraction * 100.0;
    match value {
        _ if value >= 9.95 || value == 0.0 => format!("{value:.0} %"),
        _ if value < 0.05 => "< 0.1 %".to_owned(),
        _ => format!("{value:.1} %"),
    }
}

/// `one request`, `48,213 requests`.
pub fn counted(number: u64, one: &str, many: &str) -> String {
    if number == 1 { format!("1 {one}") } else { format!("{} {many}", grouped(number)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_three_significant_digits_and_groups() {
        for (value, text) in [
            (4.314, "4.31"),
            (1.9, "1.90"),
            (10.74, "10.7"),
            (643.6, "644"),
            (1_234.4, "1,234"),
            (9_999_999.7, "10,000,000"),
            (0.012_34, "0.0123"),
            (0.999_6, "1.00"),
            (-3.456, "-3.46"),
            (0.0, "0"),
            (1e-9, "1.00e-9"),
        ] {
            assert_eq!(significant(value), text);
        }
        assert_eq!(grouped(48_213), "48,213");
        assert_eq!(grouped(100), "100");
        assert_eq!(time(0.028), "28.0 µs");
        assert_eq!(time(1e-9), "< 1 ns");
        let ms = ("ms", 1.0);
        assert_eq!(
            [2_180.0, 0.002_42, 53.6, 0.12, 0.0].map(|value| time_in(ms, value)),
            ["2.18 s", "2.42 µs", "53.6", "0.120", "0"]
        );
        assert_eq!([8.54e-6, 0.0, 0.279].map(mean_number), ["< 0.001", "0", "0.279"]);
        assert_eq!(per_cent(0.38), "38 %");
        assert_eq!(per_cent(0.003), "0.3 %");
    }
}
