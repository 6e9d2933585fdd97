//! Where something of a string's text stands in the string as it is written: with quotation marks and escapes.

use std::ops::Range;

/// The word at a line and column, both from 1, of the text of a TOML string.
pub(super) fn word(raw: &str, line: u32, column: u32) -> Option<Range<usize>> {
    let start = position(raw, line, column)?;
    let ends = |letter: char| letter.is_whitespace() || matches!(letter, ';' | '"' | '\'' | '\\');
    let length = raw[start..].find(ends).unwrap_or(raw.len() - start);
    // A brace or the end of a line is a place, too.
    let first = raw[start..].chars().next().map_or(0, char::len_utf8);
    Some(start..start + length.max(first))
}

/// The position of a line and column of the text.
fn position(raw: &str, line: u32, column: u32) -> Option<usize> {
    let marks = ["\"\"\"", "'''", "\"", "'"].into_iter().find(|marks| raw.starts_with(marks)).unwrap_or("");
    let mut at = marks.len();
    if marks.len() == 3 {
        // A line's end right behind the marks is no part of the text.
        at += ["\r\n", "\n"].into_iter().find(|end| raw[at..].starts_with(end)).map_or(0, str::len);
    }
    let has_escapes = marks.starts_with('"');
    let mut here = (1, 1);
    while here < (line, column) {
        let letter = raw[at..].chars().next()?;
        at += letter.len_utf8();
        let escaped = if letter == '\\' && has_escapes { raw[at..].chars().next() } else { None };
        here = match (letter, escaped) {
            ('\n', _) => (here.0 + 1, 1),
            (_, Some('n')) => {
                at += 1;
                (here.0 + 1, 1)
            }
            (_, Some(code)) if code.is_whitespace() => {
                // A backslash at a line's end joins the lines.
                at = raw.len() - raw[at..].trim_start().len();
                here
            }
            (_, Some(code)) => {
                let digits = match code {
                    'x' => 2,
                    'u' => 4,
                    'U' => 8,
                    _ => 0,
                };
                at = (at + code.len_utf8() + digits).min(raw.len());
                (here.0, here.1 + 1)
            }
            _ => (here.0, here.1 + 1),
        };
        if !raw.is_char_boundary(at) {
            return None;
        }
    }
    // The place may lie behind lines that are joined just here.
    let joined =
        raw[at..].strip_prefix('\\').filter(|rest| has_escapes && rest.starts_with(char::is_whitespace));
    Some(joined.map_or(at, |rest| raw.len() - rest.trim_start().len()))
}

#[cfg(test)]
mod tests {
    use super::word;

    #[test]
    fn a_word_is_found_however_the_string_is_written() {
        for (raw, line, column) in [
            ("\"a; wrong b\"", 1, 4),
            ("\"\"\"\na\n  wrong b\n\"\"\"", 2, 3),
            ("\"\"\"a\nwrong b\"\"\"", 2, 1),
            ("'''\r\na\r\nwrong'''", 2, 1),
            ("'a\\n wrong'", 1, 5),
            ("\"a\\nwrong\"", 2, 1),
            ("\"\\u00e9 \\\" wrong\"", 1, 5),
            ("\"\"\"a; \\\n    wrong\"\"\"", 1, 4),
            ("é wrong b", 1, 3),
        ] {
            assert_eq!(word(raw, line, column).map(|at| &raw[at]), Some("wrong"), "{raw}");
        }
        assert_eq!(word("\"a\"", 3, 1), None);
    }
}
