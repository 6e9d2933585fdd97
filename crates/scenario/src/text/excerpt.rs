//! A text as it may stand in a message: long lines cut, and nothing in them that a terminal would obey. Lines keep
//! their numbers.

use petrio_files::shown::is_harmless;
use std::ops::Range;
use std::sync::Arc;

/// Bytes of a line that are shown whole.
const LINE_BYTES_MAX: usize = 1_000;
/// Bytes kept before and behind the beginning of what a message points at.
const AROUND_BYTES: usize = 200;

/// The text and a place in it, both as they may be shown.
pub(super) fn excerpt(text: &Arc<str>, span: Range<usize>) -> (Arc<str>, Range<usize>) {
    let is_fine = |line: &str| line.len() <= LINE_BYTES_MAX && line.chars().all(is_shown);
    if text.split_inclusive('\n').all(is_fine) {
        return (Arc::clone(text), span);
    }
    let mut fit = String::new();
    let mut place = 0..0;
    let mut begin = 0;
    for line in text.split_inclusive('\n') {
        let end = begin + line.len();
        let points_here = span.start >= begin && (span.start < end || end == text.len());
        let at = if points_here { span.start - begin } else { 0 };
        let kept = if line.len() > LINE_BYTES_MAX { around(line, at) } else { 0..line.len() };
        if kept.start > 0 {
            fit.push_str("… ");
        }
        if points_here {
            let before = &line[kept.start..at];
            let length = span.len().min(kept.end.saturating_sub(at));
            let pointed_at = floor(line, at + length).max(at);
            add(before, &mut fit);
            place.start = fit.len();
            add(&line[at..pointed_at], &mut fit);
            place.end = fit.len();
            add(&line[pointed_at..kept.end], &mut fit);
        } else {
            add(&line[kept.clone()], &mut fit);
        }
        if kept.end < line.len() {
            fit.push_str(" …\n");
        }
        begin = end;
    }
    (fit.into(), place)
}

fn is_shown(letter: char) -> bool {
    is_harmless(letter) || matches!(letter, '\n' | '\r' | '\t')
}

fn add(part: &str, into: &mut String) {
    into.extend(
        part.chars().map(|letter| if is_shown(letter) { letter } else { char::REPLACEMENT_CHARACTER }),
    );
}

/// What is kept of a long line.
fn around(line: &str, at: usize) -> Range<usize> {
    floor(line, at.saturating_sub(AROUND_BYTES))..floor(line, (at + 2 * AROUND_BYTES).min(line.len()))
}

/// The border of a character at or before a position.
fn floor(line: &str, position: usize) -> usize {
    (0..=position.min(line.len())).rev().find(|&border| line.is_char_boundary(border)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_in_a_line_of_megabytes_is_shown_with_what_lies_around_it() {
        let text: Arc<str> =
            format!("a = 1\nb = \"{}\" wrong {}\nc = 2\n", "é".repeat(1_000_000), "x".repeat(1_000_000))
                .into();
        let at = text.find("wrong").unwrap_or_default();
        let (shown, place) = excerpt(&text, at..at + 5);
        assert!(shown.len() < 2_000, "{}", shown.len());
        assert_eq!(&shown[place], "wrong");
        assert_eq!(shown.lines().count(), 3);
    }

    #[test]
    fn a_line_tells_a_terminal_nothing() {
        let text: Arc<str> = "# \u{1b}[31m\u{202e}red\nkey = wrong".into();
        let at = text.find("wrong").unwrap_or_default();
        let (shown, place) = excerpt(&text, at..at + 5);
        assert_eq!(&*shown, "# \u{fffd}[31m\u{fffd}red\nkey = wrong");
        assert_eq!(&shown[place], "wrong");
    }
}
