//! Just enough reading of Rust text: words, and which lines are tests.

use crate::Tracked;

/// The words of a line with the letters' case taken away; `pageCache`, `page_cache` and
/// `page-cache` all give `page` and `cache`.
pub fn words(line: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut word = String::new();
    let mut last_was_lower = false;
    for letter in line.chars() {
        let starts_hump = letter.is_uppercase() && last_was_lower;
        if (!letter.is_alphabetic() || starts_hump) && !word.is_empty() {
            found.push(std::mem::take(&mut word));
        }
        if letter.is_alphabetic() {
            word.extend(letter.to_lowercase());
        }
        last_was_lower = letter.is_lowercase();
    }
    if !word.is_empty() {
        found.push(word);
    }
    found
}

/// Knows which lines of a Rust file are test code.
///
/// By the layout that rustfmt gives: a `#[cfg(test)]` item ends where a line begins with `}` at
/// the attribute's own indentation, or on its own line where it ends with `;`.
#[derive(Clone, Debug)]
pub struct TestLines {
    is_test: Vec<bool>,
}

impl TestLines {
    /// Reads a file. Files in `tests/`, `benches/` and `fuzz/` are test code altogether.
    pub fn of(file: &Tracked) -> Self {
        let wholly = file
            .path
            .split('/')
            .any(|part| matches!(part, "tests" | "benches" | "examples" | "fuzz" | "tests.rs"));
        let mut is_test = Vec::new();
        let mut ends_at: Option<String> = None;
        for (_, line) in file.lines() {
            let body = line.trim_start();
            let indent = &line[..line.len() - body.len()];
            if ends_at.is_none() && body.starts_with("#[cfg(test)]") {
                ends_at = Some(format!("{indent}}}"));
            }
            is_test.push(wholly || ends_at.is_some());
            if let Some(end) = &ends_at {
                let one_liner = line.starts_with(&end[..end.len() - 1])
                    && body.ends_with(';')
                    && indent.len() + 1 == end.len();
                if line.starts_with(end.as_str()) || (one_liner && !body.starts_with('#')) {
                    ends_at = None;
                }
            }
        }
        Self { is_test }
    }

    /// Whether this line, counted from 1, is test code.
    pub fn contains(&self, line: usize) -> bool {
        line.checked_sub(1).and_then(|index| self.is_test.get(index)).copied().unwrap_or(false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_told_apart_in_every_style_of_name() {
        assert_eq!(
            words("fn page_cache(PageCache, 'x-y')"),
            ["fn", "page", "cache", "page", "cache", "x", "y"]
        );
        assert_eq!(words("blocked"), ["blocked"]);
    }

    #[test]
    fn a_test_module_ends_at_its_own_brace() {
        let text = "fn a() {}\n#[cfg(test)]\nmod tests {\n    fn b() {\n    }\n}\nfn c() {}\n#[cfg(test)]\nmod t;\nfn d() {}\n";
        let lines = TestLines::of(&Tracked::imagined("crates/x/src/a.rs", text));
        let tests: Vec<usize> = (1..=10).filter(|&line| lines.contains(line)).collect();
        assert_eq!(tests, [2, 3, 4, 5, 6, 8, 9]);
    }
}
