//! Tables of text: CSV with commas, semicolons or tabs.

use csv::{Reader, ReaderBuilder, Terminator, Trim};
use std::borrow::Cow;
use std::io::Read;

/// What separates cells, the least ambiguous first where several stand in a line.
pub const SEPARATORS: [u8; 3] = [b'\t', b';', b','];

/// The rows of a table, of any length each; empty lines and those that begin with # are left out. After a row, the
/// reader stands on the line behind it, unless the text ends without a line feed.
pub fn rows<R: Read>(source: R, separator: u8) -> Reader<R> {
    ReaderBuilder::new()
        .delimiter(separator)
        .has_headers(false)
        .flexible(true)
        .comment(Some(b'#'))
        // Cells lose the carriage return with the blanks. The reader's own ending for both stops before the line feed,
        // and counts lines too late.
        .terminator(Terminator::Any(b'\n'))
        .trim(Trim::All)
        .from_reader(source)
}

/// A cell without blanks, and without the quotes that stand behind a blank.
pub fn cell(bytes: &[u8]) -> Cow<'_, str> {
    let text = String::from_utf8_lossy(bytes);
    let inner = |text: &str| {
        let from = text.trim_start_matches('\u{feff}').trim().trim_matches('"').trim();
        (from.as_ptr() as usize - text.as_ptr() as usize, from.len())
    };
    let (at, length) = inner(&text);
    match text {
        Cow::Borrowed(text) => Cow::Borrowed(&text[at..at + length]),
        Cow::Owned(text) => Cow::Owned(text[at..at + length].to_owned()),
    }
}
