//! The document around a page's content: head, style, script. Other studies that make pages use it too.

use super::escaped;
use crate::report::figures::{per_cent, time};
use crate::report::served::Share;

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// A whole document. `title` is plain text, `style` CSS beyond the pages' common one, `content` finished HTML, `foot` plain text
/// that stands below a rule.
pub fn document(title: &str, style: &str, content: &str, foot: &str) -> String {
    let title = escaped(title);
    let foot = escaped(foot);
    let version = env!("CARGO_PKG_VERSION");
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<title>{title} – petrio</title>\n\
         <style>\n{STYLE}{style}</style>\n</head>\n<body>\n<main>\n{content}\
         <footer>petrio {version} · {foot}</footer>\n\
         </main>\n<div id=\"says\" role=\"status\" hidden></div>\n<script>\n{SCRIPT}</script>\n</body>\n</html>\n"
    )
}

/// The parts of the time of an average request side by side, as wide as they are long: what stands in an element of the class `stack`.
pub fn cause_spans(breakdown: &[Share]) -> String {
    let span = |share: &Share| {
        format!(
            "<span class=\"cause {}\" style=\"flex-grow:{:.4}\" data-says=\"{}: {}, {}\"></span>",
            cause_class(&share.cause),
            share.fraction.max(0.000_1),
            escaped(&share.cause),
            time(share.mean_ms),
            per_cent(share.fraction)
        )
    };
    breakdown.iter().map(span).collect()
}

/// A cause of time as a class of the style, which gives it its colour: an element of the classes `cause` and this.
pub fn cause_class(cause: &str) -> String {
    cause.chars().map(|character| if character.is_ascii_alphanumeric() { character } else { '-' }).collect()
}
