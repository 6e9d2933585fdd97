//! Times as reports have them: ISO 8601, seconds since 1970, or a time of day in the form of some country.
//!
//! The date in the form of a country is not looked at (1/2 is a day in January here and in February there): a time of day that goes back
//! by more than half a day is one of the next day.

const DAY_S: f64 = 86_400.0;

/// A time as it was written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Stamp {
    /// Seconds since 1970.
    Absolute(f64),
    /// Seconds since midnight.
    OfDay(f64),
}

/// Counts the days of times of day.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Clock {
    days: f64,
    last: Option<f64>,
}

impl Clock {
    /// A time in seconds since some moment.
    pub(super) fn seconds(&mut self, stamp: Stamp) -> f64 {
        let now = match stamp {
            Stamp::Absolute(seconds) => seconds,
            Stamp::OfDay(seconds) => {
                let now = self.days * DAY_S + seconds;
                match self.last {
                    Some(last) if now < last - DAY_S / 2.0 => {
                        self.days += 1.0;
                        now + DAY_S
                    }
                    _ => now,
                }
            }
        };
        self.last = Some(now);
        now
    }
}

/// The time in a text, if there is one.
pub(super) fn stamp(text: &str) -> Option<Stamp> {
    iso(text).map(Stamp::Absolute).or_else(|| of_day(text).map(Stamp::OfDay))
}

/// ISO 8601 at some place of the text: "2026-01-02T10:11:12+0100", "2026-01-02 10:11:12 UTC".
pub(super) fn iso(text: &str) -> Option<f64> {
    let text = text.trim().trim_start_matches('#').trim();
    let (date, rest) = text.split_at_checked(10)?;
    let mut parts = date.split('-').map(digits);
    let (year, month, day) = (parts.next()??, parts.next()??, parts.next()??);
    if parts.next().is_some() || !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    let rest = rest.strip_prefix(['T', ' '])?;
    let end =
        rest.find(|sign: char| !sign.is_ascii_digit() && sign != ':' && sign != '.').unwrap_or(rest.len());
    let (time, zone) = rest.split_at(end);
    Some(days(year, month, day) * DAY_S + clock_time(time, ':')? - zone_s(zone.trim()))
}

/// Seconds that a zone is ahead of UTC; of one that is only named, none.
fn zone_s(zone: &str) -> f64 {
    let (sign, rest) = match (zone.strip_prefix('+'), zone.strip_prefix('-')) {
        (Some(rest), _) => (1.0, rest),
        (_, Some(rest)) => (-1.0, rest),
        _ => return 0.0,
    };
    let plain: String = rest.chars().filter(char::is_ascii_digit).take(4).collect();
    let (Some(hours), minutes) = (digits(plain.get(..2).unwrap_or("")), digits(plain.get(2..).unwrap_or("")))
    else {
        return 0.0;
    };
    sign * (f64::from(hours) * 3600.0 + f64::from(minutes.unwrap_or(0)) * 60.0)
}

fn digits(text: &str) -> Option<u32> {
    (!text.is_empty() && text.len() <= 4 && text.bytes().all(|byte| byte.is_ascii_digit()))
        .then(|| text.parse().ok())
        .flatten()
}

/// Days from 1970-01-01 on in the Gregorian calendar (Howard Hinnant, "chrono-compatible low-level date algorithms", `days_from_civil`).
fn days(year: u32, month: u32, day: u32) -> f64 {
    let year = i64::from(year) - i64::from(month <= 2);
    let era = year.div_euclid(400);
    let of_era = year - era * 400;
    let from_march = i64::from((month + 9) % 12);
    let of_year = (153 * from_march + 2) / 5 + i64::from(day) - 1;
    (era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468) as f64
}

/// "10:11:12" or "10:11:12.345" as seconds since midnight.
fn clock_time(text: &str, between: char) -> Option<f64> {
    let mut parts = text.splitn(3, between);
    let (hours, minutes) = (digits(parts.next()?)?, digits(parts.next()?)?);
    let seconds: f64 = parts.next()?.parse().ok()?;
    (hours < 24 && minutes < 60 && (0.0..61.0).contains(&seconds))
        .then(|| f64::from(hours * 3600 + minutes * 60) + seconds)
}

/// How languages write the second half of the day, and the first.
const AFTERNOON: [&str; 8] = ["PM", "pm", "p.m.", "下午", "午後", "오후", "μμ", "μ.μ."];
const MORNING: [&str; 8] = ["AM", "am", "a.m.", "上午", "午前", "오전", "πμ", "π.μ."];

/// A time of day somewhere in a line, in the form of some country.
fn of_day(text: &str) -> Option<f64> {
    // Japan's and China's, and Korea's with blanks between.
    let plain: String =
        text.replace(['時', '时', '分', '시', '분'], ":").replace(['秒', '초'], " ").replace(": ", ":");
    let mut found = None;
    for between in ['.', ':'] {
        for word in plain.split_whitespace() {
            let bare = word.trim_end_matches(|sign: char| !sign.is_ascii_digit());
            let bare = bare.trim_start_matches(|sign: char| !sign.is_ascii_digit());
            // A date or a version may have as many parts, and other lengths of them.
            let lengths: Vec<usize> = bare.split(between).map(str::len).collect();
            let short = matches!(lengths[..], [1 | 2, 2, 2]);
            found = clock_time(bare, between).filter(|_| short).or(found);
        }
    }
    let seconds = found?;
    let says = |words: &[&str]| words.iter().any(|word| text.contains(word));
    Some(match (seconds < DAY_S / 2.0, seconds < 13.0 * 3600.0) {
        (true, _) if says(&AFTERNOON) => seconds + DAY_S / 2.0,
        (false, true) if says(&MORNING) => seconds - DAY_S / 2.0,
        _ => seconds,
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn times_of_many_countries_are_the_same_moment() {
        const TEN: f64 = 10.0 * 3600.0 + 11.0 * 60.0 + 12.0;
        for text in [
            "01/02/26 10:11:12",
            "01/02/2026 10:11:12 AM",
            "02.01.2026 10:11:12",
            "2.1.2026 10.11.12",
            "2026年01月02日 10時11分12秒",
            "2026년 01월 02일 10시 11분 12초",
            "10:11:12",
        ] {
            assert_eq!(stamp(text), Some(Stamp::OfDay(TEN)), "{text}");
        }
        assert_eq!(stamp("01/02/2026 10:11:12 PM"), Some(Stamp::OfDay(TEN + 43_200.0)));
        assert_eq!(stamp("12:00:01 AM"), Some(Stamp::OfDay(1.0)));
        assert_eq!(stamp("12:00:01 PM"), Some(Stamp::OfDay(43_201.0)));
        for text in ["avg-cpu:  %user", " 1.00 0.00 0.50 2.00 0.00 96.50", "Linux 6.1.0 (host) 01/02/26", ""]
        {
            assert_eq!(stamp(text), None, "{text}");
        }
    }

    #[test]
    fn iso_times_know_their_day_and_their_zone() {
        // date -u -d 2026-12-01T00:50:54Z +%s
        const AT: f64 = 1_796_086_254.0;
        for text in [
            "2026-12-01T00:50:54+0000",
            "2026-12-01 00:50:54 UTC",
            "2026-12-01T01:50:54+01:00",
            "2026-11-30T19:20:54-0530",
            "# 2026-12-01T00:50:54Z",
        ] {
            assert_eq!(stamp(text), Some(Stamp::Absolute(AT)), "{text}");
        }
        assert_eq!(iso("2026-13-01T00:50:54Z"), None);
    }

    #[test]
    fn a_clock_that_passes_midnight_goes_on_and_one_that_is_set_back_goes_back() {
        let mut clock = Clock::default();
        let ends = [86_399.0, 1.0, 11.0, 5.0].map(|seconds| clock.seconds(Stamp::OfDay(seconds)));
        assert_eq!(ends, [86_399.0, 86_401.0, 86_411.0, 86_405.0]);
    }
}
