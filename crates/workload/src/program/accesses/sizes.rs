//! How long accesses are, and how far parts of files reach: one size, a range, or several by their shares.

use super::tausworthe::Tausworthe;
use petrio_units::numbers::{as_number, nearest_whole, whole_part};
use petrio_units::{Bytes, Fraction};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;

/// How long accesses are.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Sizes {
    /// All alike: `"4 KiB"`.
    One(Bytes),
    /// Any multiple of the first from there to the second, drawn (fio's `bsrange`): `{ from = "4 KiB", to = "64 KiB" }`.
    Range(SizeRange),
    /// Some of each, drawn (fio's `bssplit`): `[{ size = "4 KiB", share = "70 %" }, { size = "64 KiB", share = "30 %" }]`.
    Split(Vec<SizeShare>),
}

/// The ends of a range of sizes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SizeRange {
    /// The smallest; all are multiples of it.
    pub from: Bytes,
    /// The largest.
    pub to: Bytes,
}

/// A size and how many of the accesses have it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SizeShare {
    /// The size.
    pub size: Bytes,
    /// How many of the accesses have it, in whole per cents; all shares come to 100 %.
    pub share: Fraction,
}

impl Sizes {
    /// The smallest and the largest.
    pub fn bounds(&self) -> (u64, u64) {
        match self {
            Self::One(size) => (size.get(), size.get()),
            Self::Range(SizeRange { from, to }) => (from.get(), to.get()),
            Self::Split(parts) => {
                let drawn = || parts.iter().filter(|part| part.share.get() > 0.0).map(|part| part.size.get());
                (drawn().min().unwrap_or(0), drawn().max().unwrap_or(0))
            }
        }
    }

    /// What can't be drawn from, in words.
    pub(super) fn problem(&self) -> Option<String> {
        let (least, most) = self.bounds();
        if least == 0 {
            return Some("an access of nothing is none".to_owned());
        }
        if most > u64::from(u32::MAX) {
            return Some("an access is at most 4 GiB long".to_owned());
        }
        match self {
            Self::One(_) => None,
            Self::Range(_) if least > most => Some("the range ends before it begins".to_owned()),
            Self::Range(_) => None,
            Self::Split(parts) => {
                let all: f64 = parts.iter().map(|part| part.share.get()).sum();
                ((all - 1.0).abs() > 1e-9)
                    .then(|| format!("the shares come to {:.2} %, not to 100 %", all * 100.0))
            }
        }
    }

    /// A size that fits, or none where the smallest doesn't. Drawn as fio draws it: again until one fits.
    pub(super) fn draw(&self, random: &mut Tausworthe, any: bool, fits: impl Fn(u64) -> bool) -> Option<u64> {
        let (least, most) = self.bounds();
        if least == most {
            return Some(least);
        }
        if !fits(least) {
            return None;
        }
        loop {
            let number = random.next();
            let max = random.max();
            let drawn = match self {
                Self::One(size) => size.get(),
                Self::Range(_) => least + whole_part(most as f64 * (number as f64 / (max as f64 + 1.0))),
                Self::Split(parts) => split(parts, number, max, &fits),
            };
            let drawn = if any { drawn } else { drawn - drawn % least };
            let drawn = drawn.min(most);
            if fits(drawn) {
                return Some(drawn);
            }
        }
    }
}

/// A share as fio counts it.
pub(super) fn in_percent(share: Fraction) -> u32 {
    as_number(nearest_whole(share.get() * 100.0))
}

/// The first size whose share, with those before, reaches a number; where it doesn't fit, the next that does, or the last.
fn split(parts: &[SizeShare], number: u64, max: u64, fits: impl Fn(u64) -> bool) -> u64 {
    let (mut percent, mut size) = (0_u64, 0);
    for part in parts {
        let own = u64::from(in_percent(part.share));
        if own == 0 {
            continue;
        }
        size = part.size.get();
        percent += own;
        if number / percent <= max / 100 && fits(size) {
            break;
        }
    }
    size
}

/// So many bytes, or a part of all there are: `"1 GiB"`, `"10 %"`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Extent {
    /// A part.
    Share(Fraction),
    /// Bytes.
    Bytes(Bytes),
}

impl Default for Extent {
    fn default() -> Self {
        Self::Bytes(Bytes(0))
    }
}

impl Extent {
    /// In bytes, of so many.
    pub fn of(self, whole: u64) -> u64 {
        match self {
            Self::Bytes(bytes) => bytes.get(),
            Self::Share(share) => nearest_whole(whole as f64 * share.get()),
        }
    }

    /// Whether it is no byte.
    pub fn is_nothing(&self) -> bool {
        self.of(u64::MAX) == 0
    }
}

impl fmt::Display for Extent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Share(share) => share.fmt(f),
            Self::Bytes(bytes) => bytes.fmt(f),
        }
    }
}

/// How far the next of accesses in a row lies from the end of the one before: `"8 KiB"` leaves a hole, `"-8 KiB"` goes back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Skip(i64);

impl Skip {
    /// Of so many bytes, negative for backwards.
    pub const fn new(bytes: i64) -> Self {
        Self(bytes)
    }

    /// In bytes.
    pub const fn get(self) -> i64 {
        self.0
    }
}

impl TryFrom<String> for Skip {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let text = text.trim();
        let (back, size) = match text.strip_prefix(['-', '\u{2212}']) {
            Some(size) => (true, size),
            None => (false, text),
        };
        let bytes: Bytes = size.trim().parse().map_err(|error| format!("{error}"))?;
        let bytes = i64::try_from(bytes.get()).map_err(|_| "it is more than 8 EiB".to_owned())?;
        Ok(Self(if back { -bytes } else { bytes }))
    }
}

impl From<Skip> for String {
    fn from(Skip(bytes): Skip) -> Self {
        let sign = if bytes < 0 { "-" } else { "" };
        format!("{sign}{}", Bytes(bytes.unsigned_abs()))
    }
}

impl JsonSchema for Skip {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Skip".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "type": "string",
            "description": "Bytes from the end of an access to the next: \"8 KiB\" leaves a hole, \"-8 KiB\" goes back."
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split_of(parts: &[(u64, f64)]) -> Sizes {
        let part =
            |&(size, share)| SizeShare { size: Bytes(size), share: Fraction::new(share).unwrap_or_default() };
        Sizes::Split(parts.iter().map(part).collect())
    }

    #[test]
    fn sizes_are_drawn_by_their_shares() {
        let sizes = split_of(&[(4096, 0.6), (8192, 0.0), (65_536, 0.4)]);
        let mut random = Tausworthe::short(1);
        let drawn = (0..10_000).filter_map(|_| sizes.draw(&mut random, false, |_| true));
        let small = drawn.filter(|&size| size == 4096).count();
        assert!((5_800..6_200).contains(&small), "{small} of 10,000");
        assert_eq!(sizes.bounds(), (4096, 65_536));
    }

    #[test]
    fn a_range_is_drawn_in_multiples_of_its_least_and_never_beyond_what_fits() {
        let sizes = Sizes::Range(SizeRange { from: Bytes(512), to: Bytes(16_384) });
        let mut random = Tausworthe::short(1);
        for _ in 0..1_000 {
            let size = sizes.draw(&mut random, false, |size| size <= 8_000);
            assert!(size.is_some_and(|size| size % 512 == 0 && (512..=8_000).contains(&size)), "{size:?}");
        }
        assert_eq!(sizes.draw(&mut random, false, |_| false), None);
    }

    #[test]
    fn shares_that_do_not_come_to_a_whole_are_refused() {
        assert!(split_of(&[(4096, 0.6)]).problem().is_some());
        assert!(split_of(&[(4096, 0.6), (512, 0.4)]).problem().is_none());
        assert!(Sizes::Range(SizeRange { from: Bytes(8), to: Bytes(4) }).problem().is_some());
    }

    #[test]
    fn a_skip_is_written_as_it_is_read() {
        for text in ["8 KiB", "-8 KiB", "112 KiB"] {
            assert_eq!(Skip::try_from(text.to_owned()).map(String::from), Ok(text.to_owned()));
        }
        assert!(Skip::try_from("-8 parrots".to_owned()).is_err());
    }
}
