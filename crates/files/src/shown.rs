//! Names and texts that come from elsewhere, as they may stand in a message: no control characters reach a terminal,
//! and nothing is longer than somebody reads.

use std::borrow::Cow;
use std::fmt;
use std::path::Path;

/// What is cut from a name or a line is no longer than this many characters.
const LENGTH_MAX: usize = 200;

/// A path, escaped and cut.
pub fn path(path: &Path) -> Shown {
    text(&path.to_string_lossy())
}

/// A text, escaped and cut in its middle, so that its beginning and its end can be seen.
///
/// ```
/// use petrio_files::shown;
/// assert_eq!(shown::text("notes.txt").to_string(), "notes.txt");
/// assert_eq!(shown::text("red\u{1b}[31m\n").to_string(), "red\\u{1b}[31m\\n");
/// assert!(shown::text(&"x".repeat(10_000_000)).to_string().len() < 250);
/// ```
pub fn text(text: &str) -> Shown {
    let mut shown = String::new();
    escape(&cut(text, LENGTH_MAX), &mut shown);
    Shown(shown)
}

/// A text of several lines, with whatever a terminal would obey escaped. Line ends, tabs and, where `colours` says so,
/// colours (the sequences "ESC \[ numbers m") stay; lines are no longer than `length_max` characters, if that is given.
///
/// ```
/// use petrio_files::shown;
/// assert_eq!(shown::lines("a\tb\nc\u{7}", false, None), "a\tb\nc\\u{7}");
/// assert_eq!(shown::lines("\u{1b}[1mbold\u{1b}[2J", true, None), "\u{1b}[1mbold\\u{1b}[2J");
/// assert_eq!(shown::lines(&"long ".repeat(1_000), false, Some(20)), "long long  … g long ");
/// ```
pub fn lines(text: &str, colours: bool, length_max: Option<usize>) -> Cow<'_, str> {
    let is_plain = |letter: char| is_harmless(letter) || letter == '\n' || letter == '\t';
    let is_long = |line: &str| length_max.is_some_and(|most| is_longer(line, most));
    if text.chars().all(is_plain) && !text.split('\n').any(is_long) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len().min(1 << 20));
    for (number, line) in text.split('\n').enumerate() {
        if number > 0 {
            shown.push('\n');
        }
        let cut = length_max.map_or(Cow::Borrowed(line), |most| cut(line, most));
        let mut rest = cut.as_ref();
        while let Some(letter) = rest.chars().next() {
            let length = match colours.then(|| colour(rest)).flatten() {
                Some(sequence) => {
                    shown.push_str(sequence);
                    sequence.len()
                }
                None => {
                    match letter {
                        '\t' => shown.push('\t'),
                        letter => escape_letter(letter, &mut shown),
                    }
                    letter.len_utf8()
                }
            };
            rest = &rest[length..];
        }
    }
    Cow::Owned(shown)
}

fn is_longer(text: &str, most: usize) -> bool {
    text.len() > most && text.chars().nth(most).is_some()
}

/// A text of at most so many characters as it is, of a longer one its beginning and its end, in so many characters. It
/// is looked at from both ends: a line of a gigabyte costs no more than a short one.
fn cut(line: &str, most: usize) -> Cow<'_, str> {
    if !is_longer(line, most) {
        return Cow::Borrowed(line);
    }
    let (half, mark) = (most / 2, " … ");
    let head = line.char_indices().nth(half).map_or(line.len(), |(position, _)| position);
    let tail = half.saturating_sub(mark.chars().count());
    let tail = if tail == 0 {
        line.len()
    } else {
        line.char_indices().nth_back(tail - 1).map_or(0, |(position, _)| position)
    };
    Cow::Owned(format!("{}{mark}{}", &line[..head], &line[tail..]))
}

/// The colour sequence with which a text begins.
fn colour(text: &str) -> Option<&str> {
    let rest = text.strip_prefix("\u{1b}[")?;
    let length = rest.find(|letter: char| !letter.is_ascii_digit() && letter != ';')?;
    rest[length..].starts_with('m').then(|| &text[..2 + length + 1])
}

/// What is cut from a whole message is no longer than this many characters.
const MESSAGE_MAX: usize = 2_000;

/// A message that names and values of others went into: its lines stay, what isn't for a terminal is escaped, and what
/// is longer than anybody reads is cut in its middle.
///
/// ```
/// use petrio_files::shown;
/// assert_eq!(shown::message("no\ta\nfile \u{1b}[31m"), "no\ta\nfile \\u{1b}[31m");
/// assert!(shown::message(&"x".repeat(10_000_000)).len() < 2_100);
/// ```
pub fn message(text: &str) -> String {
    lines(&cut(text, MESSAGE_MAX), false, None).into_owned()
}

fn escape(text: &str, into: &mut String) {
    for letter in text.chars() {
        escape_letter(letter, into);
    }
}

fn escape_letter(letter: char, into: &mut String) {
    if is_harmless(letter) {
        into.push(letter);
    } else {
        into.extend(letter.escape_default());
    }
}

/// Whether a terminal shows a character as itself. Those that turn the direction of writing make a name look like
/// another (Unicode Technical Report 36, 3.1).
pub fn is_harmless(letter: char) -> bool {
    !letter.is_control()
        && !matches!(letter, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}

/// A name or a text, fit for a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown(String);

impl fmt::Display for Shown {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_turns_the_line_around_is_escaped() {
        assert_eq!(text("invoice\u{202e}fdp.exe").to_string(), "invoice\\u{202e}fdp.exe");
    }

    #[test]
    fn what_is_cut_keeps_both_ends() {
        let long = format!("begin{}end", "é".repeat(1_000));
        let shown = text(&long).to_string();
        assert!(shown.starts_with("begin") && shown.ends_with("end"), "{shown}");
        assert!(shown.chars().count() <= LENGTH_MAX + 3, "{shown}");
    }
}
