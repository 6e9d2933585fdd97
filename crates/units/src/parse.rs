//! The parser that all quantities share: a decimal number, kept exact, and a unit's symbol.

use crate::error::UnitError;
use crate::nearest::nearest;
use crate::unit::{Kind, UNITS, Unit, advice, of_kind};

/// A number as it was written: `mantissa × 10^exponent`, exact. At most 20 significant digits, so that the product
/// with any unit's size fits in a `u128`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Decimal {
    pub(crate) negative: bool,
    pub(crate) mantissa: u128,
    pub(crate) exponent: i32,
}

/// The nearest whole number of base units, and whether that was exact.
pub(crate) enum Whole {
    Exact(u128),
    Rounded(u128),
    TooLarge,
}

impl Decimal {
    /// `self × unit`, in whole base units, rounded half up.
    pub(crate) fn whole(self, unit: &Unit) -> Whole {
        let Some(scaled) = self.mantissa.checked_mul(unit.numerator) else { return Whole::TooLarge };
        if scaled == 0 {
            return Whole::Exact(0);
        }
        let power = u128::checked_pow(10, self.exponent.unsigned_abs());
        if self.exponent >= 0 {
            let Some(product) = power.and_then(|power| scaled.checked_mul(power)) else {
                return Whole::TooLarge;
            };
            return if product % unit.denominator == 0 {
                Whole::Exact(product / unit.denominator)
            } else {
                Whole::Rounded(product / unit.denominator)
            };
        }
        match power.and_then(|power| power.checked_mul(unit.denominator)) {
            Some(divisor) if scaled % divisor == 0 => Whole::Exact(scaled / divisor),
            Some(divisor) => {
                Whole::Rounded(scaled / divisor + u128::from(scaled % divisor >= divisor.div_ceil(2)))
            }
            // Divided by more than 10³⁸: nothing is left of it.
            None => Whole::Rounded(0),
        }
    }

    /// `self × unit` in base units, correctly rounded once where the unit's size is whole.
    pub(crate) fn float(self, unit: &Unit) -> f64 {
        // Decimal text to float is correctly rounded by the standard library; a multiplication of floats is not exact
        // (0.1 × 10⁶ is not 100000 in binary).
        let scaled = match self.mantissa.checked_mul(unit.numerator) {
            Some(product) => format!("{product}e{}", self.exponent).parse().unwrap_or(f64::INFINITY),
            None => f64::INFINITY,
        };
        scaled / unit.denominator as f64
    }
}

/// Splits a text into a number and the unit's symbol after it. The symbol is empty for a bare number.
pub(crate) fn split(text: &str, kind: Kind) -> Result<(Decimal, &str), UnitError> {
    let trimmed = text.trim();
    if trimmed.is_empty() {
        return Err(UnitError::Empty { needed: kind.name(), example: kind.example() });
    }
    let not_a_number = |hint| UnitError::NotANumber {
        text: shortened(trimmed),
        needed: kind.name(),
        example: kind.example(),
        hint,
    };
    let (negative, unsigned) = match trimmed.strip_prefix(['-', '\u{2212}']) {
        Some(rest) => (true, rest.trim_start()),
        None => (false, trimmed.strip_prefix('+').unwrap_or(trimmed)),
    };
    let mut digits = String::new();
    let (mut exponent, mut after_point, mut any_digit, mut end) = (0i32, false, false, unsigned.len());
    let mut characters = unsigned.char_indices().peekable();
    while let Some((position, character)) = characters.next() {
        match character {
            '0'..='9' => {
                any_digit = true;
                digits.push(character);
                exponent = if after_point { exponent.saturating_sub(1) } else { exponent };
            }
            '_' if any_digit => {}
            '.' if !after_point => after_point = true,
            ',' => return Err(not_a_number("; write a decimal point, and group digits with _")),
            'e' | 'E' if any_digit && characters.peek().is_some_and(|&(_, next)| begins_exponent(next)) => {
                let rest = &unsigned[position + 1..];
                let length = rest
                    .char_indices()
                    .take_while(|&(at, next)| next.is_ascii_digit() || (at == 0 && begins_exponent(next)))
                    .count();
                let power: i32 =
                    rest[..length].parse().map_err(|_| not_a_number("; its exponent can't be read"))?;
                exponent = exponent.saturating_add(power);
                end = position + 1 + length;
                break;
            }
            _ => {
                end = position;
                break;
            }
        }
    }
    if !any_digit {
        return Err(not_a_number(""));
    }
    let decimal = decimal(negative, &digits, exponent)
        .ok_or_else(|| not_a_number("; it has more than 20 significant digits"))?;
    Ok((decimal, unsigned[end..].trim()))
}

fn begins_exponent(character: char) -> bool {
    character.is_ascii_digit() || character == '-' || character == '+'
}

fn decimal(negative: bool, digits: &str, exponent: i32) -> Option<Decimal> {
    let significant = digits.trim_start_matches('0').trim_end_matches('0');
    if significant.is_empty() {
        return Some(Decimal { negative: false, mantissa: 0, exponent: 0 });
    }
    if significant.len() > 20 {
        return None;
    }
    let trailing = digits.len() - digits.trim_end_matches('0').len();
    let exponent = exponent.saturating_add(i32::try_from(trailing).ok()?);
    Some(Decimal { negative, mantissa: significant.parse().ok()?, exponent })
}

/// Reads a number with a unit of one of the `kinds`; the first is the one that messages speak of.
pub(crate) fn measured(text: &str, kinds: &[Kind]) -> Result<(Decimal, &'static Unit), UnitError> {
    let kind = kinds[0];
    let (decimal, symbol) = split(text, kind)?;
    let text = text.trim();
    if symbol.is_empty() {
        let suggestion = kind.with_usual_units(&shortened(text));
        return Err(UnitError::NoUnit { text: shortened(text), suggestion });
    }
    match UNITS.iter().find(|unit| unit.symbol == symbol) {
        Some(unit) if kinds.contains(&unit.kind) => Ok((decimal, unit)),
        Some(unit) => Err(UnitError::WrongQuantity {
            text: shortened(text),
            found: unit.kind.name(),
            needed: kind.name(),
            example: kind.example(),
        }),
        None => Err(UnitError::UnknownUnit {
            text: shortened(text),
            unit: shortened(symbol),
            needed: kind.name(),
            advice: advice_for(symbol, kind),
        }),
    }
}

fn advice_for(symbol: &str, kind: Kind) -> String {
    if let Some(customary) = advice(symbol) {
        return format!("write {customary}");
    }
    match nearest(symbol, of_kind(kind).map(|unit| unit.symbol)) {
        Some(symbol) => format!("did you mean \"{symbol}\"?"),
        None => {
            let symbols: Vec<&str> =
                of_kind(kind).map(|unit| unit.symbol).filter(|&symbol| symbol != "μs").collect();
            format!("its units are {}", symbols.join(", "))
        }
    }
}

/// A text that may come from a garbage file, cut to a length that fits in a message.
pub(crate) fn shortened(text: &str) -> String {
    const LENGTH_MAX: usize = 60;
    match text.char_indices().nth(LENGTH_MAX) {
        None => text.to_owned(),
        Some((position, _)) => format!("{}…", &text[..position]),
    }
}
