//! Sums in values: `(4*1024)`, `2048/2`, `8*1m`.

/// What a sum comes to, whose numbers `number` reads; none where it is none.
pub(super) fn evaluated(text: &str, number: &dyn Fn(&str) -> Option<f64>) -> Option<f64> {
    let mut reader = Reader { rest: text.trim(), number, depth: 0 };
    let value = reader.sum()?;
    reader.rest.trim().is_empty().then_some(value)
}

/// Brackets lie in each other no deeper.
const DEPTH_MAX: u32 = 32;

struct Reader<'t> {
    rest: &'t str,
    number: &'t dyn Fn(&str) -> Option<f64>,
    depth: u32,
}

impl Reader<'_> {
    fn takes(&mut self, sign: char) -> bool {
        self.rest = self.rest.trim_start();
        let rest = self.rest.strip_prefix(sign);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn sum(&mut self) -> Option<f64> {
        let mut value = self.product()?;
        loop {
            if self.takes('+') {
                value += self.product()?;
            } else if self.takes('-') {
                value -= self.product()?;
            } else {
                return Some(value);
            }
        }
    }

    fn product(&mut self) -> Option<f64> {
        let mut value = self.factor()?;
        loop {
            if self.takes('*') {
                value *= self.factor()?;
            } else if self.takes('/') {
                value /= self.factor()?;
            } else {
                return value.is_finite().then_some(value);
            }
        }
    }

    fn factor(&mut self) -> Option<f64> {
        if self.takes('(') {
            self.depth += 1;
            let value = if self.depth > DEPTH_MAX { None } else { self.sum() };
            self.depth -= 1;
            return value.filter(|_| self.takes(')'));
        }
        self.rest = self.rest.trim_start();
        let fine = |letter: char| letter.is_ascii_alphanumeric() || letter == '.' || letter == '%';
        let end = self.rest.find(|letter: char| !fine(letter)).unwrap_or(self.rest.len());
        let (own, rest) = self.rest.split_at(end);
        self.rest = rest;
        (self.number)(own)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_computed_with_brackets_and_units() {
        let number = |text: &str| super::super::values::size(text, 1024).map(|bytes| bytes as f64);
        for (text, value) in [("4*1024", 4096.0), ("(2+2)*1k", 4096.0), ("2048/2", 1024.0), ("8", 8.0)] {
            assert_eq!(evaluated(text, &number), Some(value), "{text}");
        }
        for text in ["", "4*", "(4", "4)", "1/0", "x", "4 4"] {
            assert_eq!(evaluated(text, &number), None, "{text}");
        }
    }
}
