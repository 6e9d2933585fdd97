//! A quantity that needn't be whole: the mean of a size, the scale of a fitted distribution.
//!
//! [`Bytes`], [`Blocks`] and [`Duration`] count whole bytes, blocks and picoseconds, because that is what a System
//! handles. A parameter of a distribution is no such count: a fitted scale of `"812.37 B"` must not become 812 bytes.
//! An amount is a float of the quantity's finest unit, read from the same text and with the same refusals, and written
//! so that it reads back as the same float. The finest unit (a picosecond, not a second) makes whole counts exact
//! inside.

use crate::blocks::BLOCK_BYTES;
use crate::duration::write_picoseconds;
use crate::error::UnitError;
use crate::parse::{measured, shortened};
use crate::quantity::{no_unit, schema, shortest};
use crate::unit::Kind;
use crate::{Blocks, Bytes, Duration, SignedBlocks};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::marker::PhantomData;
use std::str::FromStr;

/// What an [`Amount`] can be of: [`Bytes`], [`Blocks`], [`SignedBlocks`], [`Duration`], and `f64` for a number without
/// unit.
pub trait Measurable: Copy + fmt::Debug + PartialEq + JsonSchema + 'static {
    /// Finest units in the base unit: 10¹² picoseconds in a second, otherwise 1.
    const FINEST_PER_BASE: f64;
    /// What a count of it consists of, for messages, where it can only be whole: bytes, blocks.
    const WHOLE: Option<&'static str>;
    /// Whether it has no unit, so that bare numbers mean something.
    const BARE: bool;
    /// Its name in a JSON schema.
    const NAME: &'static str;

    /// Reads a text as so many of the finest unit.
    ///
    /// # Errors
    /// A text that is no such quantity, or that has a sign where the quantity has none.
    fn read(text: &str) -> Result<f64, UnitError>;

    /// Writes so many of the finest unit as text that reads back as the same number.
    fn write(finest: f64) -> String;

    /// A bare number as so many of the finest unit.
    ///
    /// # Errors
    /// Unless it is a quantity without unit.
    fn bare(number: f64) -> Result<f64, UnitError>;

    /// The JSON schema of an amount.
    fn amount_schema() -> Schema;
}

/// So many of a quantity, not necessarily a whole number: `"812.37 B"`, `"2.5 blocks"`, `"0.37 ms"`, or for `f64` a
/// number.
///
/// ```
/// use petrio_units::{Amount, Bytes, Duration};
/// let scale: Amount<Bytes> = "1.2 KiB".parse()?;
/// assert_eq!(scale.base(), 1228.8);
/// assert_eq!(Amount::<Duration>::from_base(1.809997e-7).to_string(), "180999.7 ps");
/// let think: Amount<Duration> = "25 ms".parse()?;
/// assert_eq!((think.base(), think.finest(), think.to_string().as_str()), (0.025, 25e9, "25 ms"));
/// assert!("5".parse::<Amount<Duration>>().is_err());
/// # Ok::<(), petrio_units::UnitError>(())
/// ```
#[derive(Clone, Copy, PartialEq, PartialOrd)]
pub struct Amount<Q> {
    finest: f64,
    of: PhantomData<Q>,
}

impl<Q: Measurable> Amount<Q> {
    /// Nothing.
    pub const ZERO: Self = Self { finest: 0.0, of: PhantomData };

    /// From a number in the base unit: bytes, blocks, seconds, 1.
    pub fn from_base(number: f64) -> Self {
        let product = number * Q::FINEST_PER_BASE;
        // 2.385e-7 s are 238,500 ps and 1.809997e-7 s are 180,999.7 ps, and not 238,500.00000000003 and 180,999.69999999998.
        let short = format!("{product:.14e}").parse().unwrap_or(product);
        let is_as_near = (short - product).abs() <= product.abs() * 4.0 * f64::EPSILON;
        Self { finest: if is_as_near { short } else { product }, of: PhantomData }
    }

    /// In the base unit: bytes, blocks, seconds, 1.
    pub fn base(self) -> f64 {
        // Picoseconds below 2⁵³ are exact, so that the division rounds once and gives the second nearest to the text.
        self.finest / Q::FINEST_PER_BASE
    }

    /// In the finest unit: bytes, blocks, picoseconds, 1.
    pub const fn finest(self) -> f64 {
        self.finest
    }
}

impl<Q: Measurable> Default for Amount<Q> {
    fn default() -> Self {
        Self::ZERO
    }
}

/// Reads a measured number of the first of the `kinds`, or of any of them.
fn float(text: &str, kinds: &[Kind], signed: bool) -> Result<(f64, Kind), UnitError> {
    let (decimal, unit) = measured(text, kinds)?;
    let shown = || shortened(text.trim());
    if decimal.negative && !signed {
        return Err(UnitError::Negative { text: shown(), needed: kinds[0].name() });
    }
    let value = decimal.float(unit);
    if value.is_infinite() {
        return Err(UnitError::TooLarge { text: shown(), needed: kinds[0].name(), limit: "1.7e308" });
    }
    Ok((if decimal.negative { -value } else { value }, unit.kind))
}

fn blocks(text: &str, signed: bool) -> Result<f64, UnitError> {
    let (value, kind) = float(text, &[Kind::Blocks, Kind::Size], signed)?;
    Ok(if kind == Kind::Size { value / BLOCK_BYTES as f64 } else { value })
}

fn blocks_text(finest: f64) -> String {
    format!("{finest} {}", if finest.abs() == 1.0 { "block" } else { "blocks" })
}

/// A bare number where a unit is needed.
fn without_unit(number: f64, kind: Kind) -> UnitError {
    no_unit(&number.to_string(), kind)
}

impl Measurable for Bytes {
    const FINEST_PER_BASE: f64 = 1.0;
    const WHOLE: Option<&'static str> = Some("bytes");
    const BARE: bool = false;
    const NAME: &'static str = "Bytes";

    fn read(text: &str) -> Result<f64, UnitError> {
        float(text, &[Kind::Size], false).map(|(value, _)| value)
    }

    fn write(finest: f64) -> String {
        shortest(Kind::Size, finest, &format!("{finest} B"), |text| Self::read(text) == Ok(finest))
    }

    fn bare(number: f64) -> Result<f64, UnitError> {
        Err(without_unit(number, Kind::Size))
    }

    fn amount_schema() -> Schema {
        schema::<Self>()
    }
}

impl Measurable for Blocks {
    const FINEST_PER_BASE: f64 = 1.0;
    const WHOLE: Option<&'static str> = Some("blocks of 512 bytes");
    const BARE: bool = false;
    const NAME: &'static str = "Blocks";

    fn read(text: &str) -> Result<f64, UnitError> {
        blocks(text, false)
    }

    fn write(finest: f64) -> String {
        blocks_text(finest)
    }

    fn bare(number: f64) -> Result<f64, UnitError> {
        Err(without_unit(number, Kind::Blocks))
    }

    fn amount_schema() -> Schema {
        schema::<Self>()
    }
}

impl Measurable for SignedBlocks {
    const FINEST_PER_BASE: f64 = 1.0;
    const WHOLE: Option<&'static str> = Some("blocks of 512 bytes");
    const BARE: bool = false;
    const NAME: &'static str = "SignedBlocks";

    fn read(text: &str) -> Result<f64, UnitError> {
        blocks(text, true)
    }

    fn write(finest: f64) -> String {
        blocks_text(finest)
    }

    fn bare(number: f64) -> Result<f64, UnitError> {
        Err(without_unit(number, Kind::Blocks))
    }

    fn amount_schema() -> Schema {
        schema::<Self>()
    }
}

impl Measurable for Duration {
    const FINEST_PER_BASE: f64 = 1e12;
    const WHOLE: Option<&'static str> = None;
    const BARE: bool = false;
    const NAME: &'static str = "Duration";

    fn read(text: &str) -> Result<f64, UnitError> {
        float(text, &[Kind::Duration], false).map(|(value, _)| value)
    }

    fn write(finest: f64) -> String {
        // Below 2⁵³ every whole number of picoseconds has a decimal text of its own, the one that durations have.
        if finest.fract() == 0.0 && (0.0..9e15).contains(&finest) {
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "it is whole, and within the range"
            )]
            let picoseconds = finest as u64;
            return write_picoseconds(picoseconds);
        }
        shortest(Kind::Duration, finest, &format!("{finest} ps"), |text| Self::read(text) == Ok(finest))
    }

    fn bare(number: f64) -> Result<f64, UnitError> {
        Err(without_unit(number, Kind::Duration))
    }

    fn amount_schema() -> Schema {
        schema::<Self>()
    }
}

impl Measurable for f64 {
    const FINEST_PER_BASE: f64 = 1.0;
    const WHOLE: Option<&'static str> = None;
    const BARE: bool = true;
    const NAME: &'static str = "Number";

    fn read(text: &str) -> Result<f64, UnitError> {
        match text.trim().parse::<f64>() {
            Ok(number) if number.is_finite() => Ok(number),
            _ => Err(UnitError::NotANumber {
                text: shortened(text.trim()),
                needed: "a number without unit",
                example: "2.5",
                hint: "",
            }),
        }
    }

    fn write(finest: f64) -> String {
        finest.to_string()
    }

    fn bare(number: f64) -> Result<f64, UnitError> {
        // TOML has `inf` and `nan`.
        Self::read(&number.to_string())
    }

    fn amount_schema() -> Schema {
        schemars::json_schema!({ "type": "number", "description": "A number without unit, such as 2.5" })
    }
}

impl<Q: Measurable> FromStr for Amount<Q> {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        Q::read(text).map(|finest| Self { finest, of: PhantomData })
    }
}

impl<Q: Measurable> fmt::Display for Amount<Q> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&Q::write(self.finest))
    }
}

impl<Q: Measurable> fmt::Debug for Amount<Q> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl<Q: Measurable> Serialize for Amount<Q> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if Q::BARE { serializer.serialize_f64(self.finest) } else { serializer.collect_str(self) }
    }
}

impl<'de, Q: Measurable> Deserialize<'de> for Amount<Q> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AmountVisitor(PhantomData))
    }
}

struct AmountVisitor<Q>(PhantomData<Q>);

impl<Q: Measurable> Visitor<'_> for AmountVisitor<Q> {
    type Value = Amount<Q>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if Q::BARE {
            "a number without unit"
        } else {
            "a quantity as text, a number with its unit"
        })
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Amount<Q>, E> {
        if Q::BARE {
            return Err(E::custom(format!(
                "\"{}\" is text; a number without unit is needed",
                shortened(text)
            )));
        }
        text.parse().map_err(E::custom)
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<Amount<Q>, E> {
        Q::bare(number).map(|finest| Amount { finest, of: PhantomData }).map_err(E::custom)
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Amount<Q>, E> {
        self.visit_f64(number as f64)
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Amount<Q>, E> {
        self.visit_f64(number as f64)
    }
}

impl<Q: Measurable> JsonSchema for Amount<Q> {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        format!("AmountOf{}", Q::NAME).into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        Q::amount_schema()
    }
}
