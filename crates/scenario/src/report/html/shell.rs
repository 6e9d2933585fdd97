//! What every page of petrio has around its content: head, style, script and foot, all inline.

use super::escaped;

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// A whole document with `content` (HTML) in it. `title` and `footer` are plain text.
pub fn document(title: &str, content: &str, footer: &str) -> String {
    let (title, footer) = (escaped(title), escaped(footer));
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<title>{title} – petrio</title>\n\
         <style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n{content}\
         <footer>petrio {} · {footer}</footer>\n\
         </main>\n<div id=\"says\" role=\"status\" hidden></div>\n<script>\n{SCRIPT}</script>\n</body>\n</html>\n",
        env!("CARGO_PKG_VERSION")
    )
}

/// A cause of time as a class of the style, which gives it its colour: an element of the classes `cause` and this.
pub fn cause_class(cause: &str) -> String {
    cause.chars().map(|character| if character.is_ascii_alphanumeric() { character } else { '-' }).collect()
}
