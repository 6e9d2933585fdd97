//! fio's numbers: sizes with binary prefixes, times with a unit of their own where none is written.

use petrio_time::Time;

/// A number of bytes. With `kb_base` 1024, fio's default, `k` is 1024 and `kib` is 1000; with 1000 the other way round. `ki` is `k`
/// (fio's parse.c, `__get_mult_bytes`, which looks for three letters, and then for one).
pub(super) fn size(text: &str, kb_base: u64) -> Option<u64> {
    let text = text.trim().to_lowercase();
    if let Some(digits) = text.strip_prefix("0x") {
        return u64::from_str_radix(digits, 16).ok();
    }
    let (number, unit) = split(&text);
    let is_other = unit.ends_with("ib");
    let unit = unit.strip_suffix('b').unwrap_or(unit);
    let letter = unit.strip_suffix('i').unwrap_or(unit);
    let base: u64 = if (kb_base == 1000) == is_other { 1024 } else { 1000 };
    let letter = if letter == "b" { "" } else { letter };
    let power = ["", "k", "m", "g", "t", "p"].iter().position(|known| *known == letter)?;
    let factor = base.checked_pow(u32::try_from(power).ok()?)?;
    number.parse::<u64>().ok()?.checked_mul(factor)
}

/// A time; a bare number is of `bare` picoseconds.
pub(super) fn time(text: &str, bare: u64) -> Option<Time> {
    let text = text.trim().to_lowercase();
    let (number, unit) = split(&text);
    const SECOND: u64 = 1_000_000_000_000;
    let factor = match unit {
        "" => bare,
        "d" => SECOND * 86_400,
        "h" => SECOND * 3_600,
        "m" => SECOND * 60,
        "s" => SECOND,
        "ms" | "msec" => SECOND / 1_000,
        "us" | "usec" => SECOND / 1_000_000,
        _ => return None,
    };
    number.parse::<u64>().ok()?.checked_mul(factor).map(Time::from_picos)
}

fn split(text: &str) -> (&str, &str) {
    let end = text.find(|digit: char| !digit.is_ascii_digit()).unwrap_or(text.len());
    (&text[..end], text[end..].trim())
}

/// Of values for reads, writes and trims, that of what is done; the last one counts for those that are left out.
pub(super) fn of_direction(text: &str, writes: bool) -> &str {
    let parts: Vec<&str> = text.split(',').map(str::trim).collect();
    parts.get(usize::from(writes)).or(parts.first()).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_binary_unless_the_file_says_otherwise() {
        for (text, base, bytes) in [
            ("4k", 1024, 4096),
            ("4K", 1024, 4096),
            ("4kb", 1024, 4096),
            ("1m", 1024, 1 << 20),
            ("2g", 1024, 2 << 30),
            ("1kib", 1024, 1000),
            ("1Ki", 1024, 1024),
            ("32Gi", 1024, 32 << 30),
            ("1k", 1000, 1000),
            ("1KiB", 1000, 1024),
            ("512", 1024, 512),
            ("0x1000", 1024, 4096),
        ] {
            assert_eq!(size(text, base), Some(bytes), "{text}");
        }
        for text in ["", "k", "4q", "-1", "50%", "99999999999p"] {
            assert_eq!(size(text, 1024), None, "{text}");
        }
    }

    #[test]
    fn times_have_a_unit_of_their_own() {
        assert_eq!(time("10", 1_000_000), Some(Time::from_micros(10)));
        assert_eq!(time("10m", 1), Some(Time::from_whole_seconds(600)));
        assert_eq!(time("5ms", 1), Some(Time::from_millis(5)));
        assert_eq!(time("5x", 1), None);
    }
}
