//! Names of files: what is alike in them, and the numbers in between.

/// No name of a file has it.
const MARK: char = '\0';

/// A name taken apart: its text with a zero for each run of digits, and these.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Name {
    pub(crate) text: String,
    pub(crate) numbers: Vec<u64>,
    /// Of each number, how many digits it is written with at least.
    pub(crate) widths: Vec<usize>,
}

impl Name {
    pub(crate) fn of(path: &str) -> Self {
        let (mut text, mut numbers, mut widths) = (String::new(), Vec::new(), Vec::new());
        let mut rest = path;
        while let Some(at) = rest.find(|letter: char| letter.is_ascii_digit()) {
            let (before, from) = rest.split_at(at);
            let digits = from.len() - from.trim_start_matches(|letter: char| letter.is_ascii_digit()).len();
            let (number, behind) = from.split_at(digits);
            text.push_str(before);
            match number.parse::<u64>() {
                Ok(value) => {
                    text.push(MARK);
                    numbers.push(value);
                    widths.push(if number.starts_with('0') { number.len() } else { 1 });
                }
                // Longer than any number that is counted.
                Err(_) => text.push_str(number),
            }
            rest = behind;
        }
        text.push_str(rest);
        Self { text, numbers, widths }
    }
}

/// A name put together again.
pub(crate) fn whole(text: &str, numbers: &[u64], widths: &[usize]) -> String {
    let mut parts = text.split(MARK);
    let mut path = parts.next().unwrap_or_default().to_owned();
    for (at, part) in parts.enumerate() {
        match numbers.get(at) {
            Some(number) => {
                let width = widths.get(at).copied().unwrap_or(1);
                path.push_str(&format!("{number:0width$}"));
            }
            None => path.push('#'),
        }
        path.push_str(part);
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_taken_apart_and_put_together() {
        let name = Name::of("/data/run12/part.0007.out");
        assert_eq!((name.text.as_str(), name.numbers.as_slice()), ("/data/run\0/part.\0.out", &[12, 7][..]));
        assert_eq!(whole(&name.text, &[12, 10], &name.widths), "/data/run12/part.0010.out");
    }
}
