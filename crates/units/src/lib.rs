//! Quantities that carry their unit in the text.
//!
//! A scenario says `"64 KiB"`, `"5 ms"`, `"100 MiB/s"` or `"7200 rpm"`; a bare number is refused where a unit is
//! needed, because seconds read as nanoseconds give infinite bandwidth and nobody notices. Each quantity is a newtype,
//! so the compiler keeps them apart inside as the text does outside.
//!
//! ```
//! use petrio_units::{Bytes, Duration, Rate};
//! let record: Bytes = "64 KiB".parse()?;
//! assert_eq!(record.get(), 65_536);
//! assert_eq!("1 Gbit/s".parse::<Rate>()?.bytes_per_second(), 125e6);
//! assert_eq!("5".parse::<Duration>().unwrap_err().to_string(), "\"5\" has no unit; write \"5 ms\"");
//! assert_eq!("5 KiB".parse::<Duration>().unwrap_err().to_string(), "\"5 KiB\" is a size, a duration is needed, such as \"5 ms\"");
//! # Ok::<(), petrio_units::UnitError>(())
//! ```
//!
//! Every quantity reads itself from text ([`std::str::FromStr`]), prints itself so that the text reads back as the same
//! value, is a string in serde, and describes itself to a JSON schema. Decimal prefixes (kB, MB) are powers of 1000 and
//! binary ones (KiB, MiB) powers of 1024, both exact; digits may be grouped with `_`.

#![warn(clippy::cast_possible_truncation, clippy::cast_sign_loss)]

mod amount;
mod blocks;
mod bytes;
mod duration;
mod error;
mod fraction;
mod frequency;
mod lifetime;
mod measured;
mod money;
mod nearest;
mod parse;
mod power;
mod quantity;
mod rate;
mod rotation_speed;
mod signed_blocks;
mod signed_duration;
mod unit;

pub use amount::{Amount, Measurable};
pub use blocks::Blocks;
pub use bytes::Bytes;
pub use duration::Duration;
pub use error::UnitError;
pub use fraction::Fraction;
pub use frequency::Frequency;
pub use lifetime::Lifetime;
pub use measured::Measured;
pub use money::{Currency, Money, MoneyError};
pub use nearest::nearest;
pub use petrio_time::numbers;
pub use power::Power;
pub use rate::Rate;
pub use rotation_speed::RotationSpeed;
pub use signed_blocks::SignedBlocks;
pub use signed_duration::SignedDuration;
