//! An amount of money: `"329 USD"`, `"0.0052 EUR"`. Amounts in several currencies are never added.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserializer, Error, Visitor};
use serde::{Deserialize, Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;
use thiserror::Error as ThisError;

/// A currency, by its code of three letters (ISO 4217).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Currency([u8; 3]);

impl fmt::Display for Currency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|&letter| write!(f, "{}", char::from(letter)))
    }
}

impl fmt::Debug for Currency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// So much of a currency, none or more, and finite.
#[derive(Clone, Copy, PartialEq)]
pub struct Money {
    amount: f64,
    currency: Currency,
}

/// A text that is no amount of money.
#[derive(Clone, Debug, PartialEq, Eq, ThisError)]
#[error("\"{text}\" is no amount of money; {why}, such as \"329 USD\"")]
pub struct MoneyError {
    text: String,
    why: &'static str,
}

impl Money {
    /// An amount of a currency; `None` unless finite and not negative.
    pub fn new(amount: f64, currency: Currency) -> Option<Self> {
        (amount.is_finite() && amount >= 0.0).then_some(Self { amount, currency })
    }

    /// How much, in units of the currency.
    pub const fn amount(self) -> f64 {
        self.amount
    }

    /// Of which currency.
    pub const fn currency(self) -> Currency {
        self.currency
    }
}

impl FromStr for Money {
    type Err = MoneyError;

    fn from_str(text: &str) -> Result<Self, MoneyError> {
        let error = |why| MoneyError { text: text.chars().take(40).collect(), why };
        let (number, code) = text.trim().rsplit_once(char::is_whitespace).ok_or_else(|| {
            error("a number and the currency's code of three letters are needed, with a space between")
        })?;
        let is_code = |code: &&[u8; 3]| code.iter().all(u8::is_ascii_uppercase);
        let code: &[u8; 3] = (code.as_bytes().try_into().ok().as_ref())
            .copied()
            .filter(is_code)
            .ok_or_else(|| error("a currency is written as its code of three capital letters"))?;
        let number = number.trim().replace('_', "");
        let is_plain = number.bytes().all(|byte| byte.is_ascii_digit() || b".eE-+".contains(&byte));
        let amount = number.parse::<f64>().ok().filter(|_| is_plain);
        let amount = amount.ok_or_else(|| error("it begins with a number, without commas"))?;
        Self::new(amount, Currency(*code)).ok_or_else(|| error("it is none or more, and finite"))
    }
}

impl fmt::Display for Money {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.amount, self.currency)
    }
}

impl fmt::Debug for Money {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Serialize for Money {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Money {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Text;

        impl Visitor<'_> for Text {
            type Value = Money;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an amount of money as text, such as \"329 USD\"")
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Money, E> {
                text.parse().map_err(E::custom)
            }

            fn visit_i64<E: Error>(self, number: i64) -> Result<Money, E> {
                Err(E::custom(format!("{number} has no currency; write \"{number} USD\"")))
            }

            fn visit_u64<E: Error>(self, number: u64) -> Result<Money, E> {
                Err(E::custom(format!("{number} has no currency; write \"{number} USD\"")))
            }

            fn visit_f64<E: Error>(self, number: f64) -> Result<Money, E> {
                Err(E::custom(format!("{number} has no currency; write \"{number} USD\"")))
            }
        }

        deserializer.deserialize_any(Text)
    }
}

impl JsonSchema for Money {
    fn schema_name() -> Cow<'static, str> {
        "Money".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "string",
            "description": "An amount of money with its currency's code, such as \"329 USD\"",
            "pattern": r"^\s*[0-9_]*\.?[0-9_]+([eE][+-]?[0-9]+)?\s+[A-Z]{3}\s*$",
            "examples": ["329 USD"],
        })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn amounts_read_back_as_they_are_printed() {
        for text in ["329 USD", "0.0052 EUR", "0 CHF", "12500.5 JPY"] {
            let money: Money = text.parse().unwrap();
            assert_eq!(money.to_string(), text);
            assert_eq!(
                serde_json::from_str::<Money>(&serde_json::to_string(&money).unwrap()).unwrap(),
                money
            );
        }
        assert_eq!("1_200 USD".parse::<Money>().unwrap().amount(), 1200.0);
    }

    #[test]
    fn what_is_no_amount_is_refused_with_what_to_write() {
        for text in [
            "329",
            "$329",
            "329 usd",
            "329 Dollar",
            "-1 USD",
            "1e999 USD",
            "NaN USD",
            "1,200 USD",
            "",
            "é€x USD",
        ] {
            let error = text.parse::<Money>().unwrap_err().to_string();
            assert!(error.contains("\"329 USD\""), "{text}: {error}");
        }
        let bare = serde_json::from_str::<Money>("329").unwrap_err().to_string();
        assert!(bare.contains("write \"329 USD\""), "{bare}");
    }
}
