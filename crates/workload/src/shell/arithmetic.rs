//! Sums of whole numbers, as between `$((` and `))`.

/// The names and values that a sum uses and sets.
pub(super) trait Names {
    /// A name's value; none where it isn't known.
    fn number(&mut self, name: &str) -> Option<i64>;
    /// Gives a name a value.
    fn set(&mut self, name: &str, value: i64);
}

/// Brackets lie in each other no deeper.
const DEPTH_MAX: u32 = 32;

/// The operators of two numbers, by how tightly they bind, loosest first.
const LEVELS: [&[&str]; 8] = [
    &["||"],
    &["&&"],
    &["==", "!="],
    &["<=", ">=", "<", ">"],
    &["<<", ">>"],
    &["+", "-"],
    &["*", "/", "%"],
    &["**"],
];

/// What a sum comes to; none where that isn't known.
pub(super) fn evaluated(text: &str, names: &mut dyn Names) -> Option<i64> {
    let mut value = None;
    for part in text.split(',') {
        let mut sum = Sum { rest: part.trim(), names, depth: 0 };
        value = sum.assignment();
        if !sum.rest.trim().is_empty() {
            return None;
        }
    }
    value
}

struct Sum<'t, 'n> {
    rest: &'t str,
    names: &'n mut dyn Names,
    depth: u32,
}

impl Sum<'_, '_> {
    fn takes(&mut self, sign: &str) -> bool {
        self.rest = self.rest.trim_start();
        let rest = self.rest.strip_prefix(sign);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    /// `name = sum`, `name += sum`, or a sum.
    fn assignment(&mut self) -> Option<i64> {
        let begin = self.rest;
        if let Some(name) = self.name() {
            for sign in ["=", "+=", "-=", "*="] {
                let rest = self.rest;
                if self.takes(sign) && !(sign == "=" && self.rest.starts_with('=')) {
                    let value = self.level(0)?;
                    let old = if sign == "=" { 0 } else { self.names.number(&name)? };
                    let value = match sign {
                        "=" => value,
                        "+=" => old.checked_add(value)?,
                        "-=" => old.checked_sub(value)?,
                        _ => old.checked_mul(value)?,
                    };
                    self.names.set(&name, value);
                    return Some(value);
                }
                self.rest = rest;
            }
        }
        self.rest = begin;
        let value = self.level(0)?;
        if !self.takes("?") {
            return Some(value);
        }
        let one = self.level(0)?;
        let other = self.takes(":").then(|| self.level(0))??;
        Some(if value == 0 { other } else { one })
    }

    fn level(&mut self, level: usize) -> Option<i64> {
        let Some(signs) = LEVELS.get(level) else { return self.factor() };
        let mut value = self.level(level + 1)?;
        'more: loop {
            for sign in *signs {
                let rest = self.rest;
                if !self.takes(sign) {
                    continue;
                }
                // One sign is the beginning of another.
                let longer =
                    matches!(*sign, "<" | ">" | "*" | "&&" | "||") && self.rest.starts_with(&sign[..1]);
                if longer || self.rest.starts_with('=') {
                    self.rest = rest;
                    continue;
                }
                let other = self.level(level + 1)?;
                value = combined(sign, value, other)?;
                continue 'more;
            }
            return Some(value);
        }
    }

    fn name(&mut self) -> Option<String> {
        self.rest = self.rest.trim_start();
        let fine = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
        let end = self.rest.find(|letter| !fine(letter)).unwrap_or(self.rest.len());
        let (name, rest) = self.rest.split_at(end);
        super::tokens::is_name(name).then(|| {
            self.rest = rest;
            name.to_owned()
        })
    }

    fn step(&mut self, name: &str, by: i64) -> Option<(i64, i64)> {
        let old = self.names.number(name)?;
        let new = old.checked_add(by)?;
        self.names.set(name, new);
        Some((old, new))
    }

    fn deeper(&mut self) -> Option<i64> {
        self.depth += 1;
        let value = if self.depth > DEPTH_MAX { None } else { self.factor() };
        self.depth -= 1;
        value
    }

    fn factor(&mut self) -> Option<i64> {
        if self.takes("(") {
            self.depth += 1;
            let value = if self.depth > DEPTH_MAX { None } else { self.assignment() };
            self.depth -= 1;
            return value.filter(|_| self.takes(")"));
        }
        for (sign, by) in [("++", 1), ("--", -1)] {
            if self.takes(sign) {
                let name = self.name()?;
                return self.step(&name, by).map(|(_, new)| new);
            }
        }
        if self.takes("-") {
            return self.deeper()?.checked_neg();
        }
        if self.takes("!") {
            return Some(i64::from(self.deeper()? == 0));
        }
        if let Some(name) = self.name() {
            for (sign, by) in [("++", 1), ("--", -1)] {
                if self.takes(sign) {
                    return self.step(&name, by).map(|(old, _)| old);
                }
            }
            return self.names.number(&name);
        }
        let end = self.rest.find(|letter: char| !letter.is_ascii_alphanumeric()).unwrap_or(self.rest.len());
        let (number, rest) = self.rest.split_at(end);
        self.rest = rest;
        match number.strip_prefix("0x") {
            Some(digits) => i64::from_str_radix(digits, 16).ok(),
            None => number.parse().ok(),
        }
    }
}

fn combined(sign: &str, value: i64, other: i64) -> Option<i64> {
    match sign {
        "+" => value.checked_add(other),
        "-" => value.checked_sub(other),
        "*" => value.checked_mul(other),
        "/" => value.checked_div(other),
        "%" => value.checked_rem(other),
        "**" => value.checked_pow(u32::try_from(other).ok()?),
        "<<" => value.checked_mul(1_i64.checked_shl(u32::try_from(other).ok()?)?),
        ">>" => value.checked_shr(u32::try_from(other).ok()?),
        "<" => Some(i64::from(value < other)),
        ">" => Some(i64::from(value > other)),
        "<=" => Some(i64::from(value <= other)),
        ">=" => Some(i64::from(value >= other)),
        "==" => Some(i64::from(value == other)),
        "!=" => Some(i64::from(value != other)),
        "&&" => Some(i64::from(value != 0 && other != 0)),
        _ => Some(i64::from(value != 0 || other != 0)),
    }
}
