//! Tiles, figures, tables and keys of the page.

use petrio_scenario::report::html::escaped;
use std::fmt::Write;

/// Classes of series, in the order in which they are given out.
pub(crate) const CLASSES: [&str; 6] = ["one", "two", "three", "four", "five", "six"];

/// A figure with its name above.
pub(crate) fn tile(out: &mut String, name: &str, figure: &str) {
    let (figure, unit) = figure.split_once(' ').unwrap_or((figure, ""));
    let _ = writeln!(
        out,
        "<div class=\"tile\"><div class=\"name\">{}</div><div class=\"figure\">{}<span class=\"unit\"> {}</span></div></div>",
        escaped(name),
        escaped(figure),
        escaped(unit)
    );
}

/// A plot, or bars, with a title above and a key or a note below. `content` and `below` are finished HTML.
pub(crate) fn figure(out: &mut String, title: &str, content: &str, below: &str) {
    let _ = write!(out, "<figure>\n<h2>{}</h2>\n{content}\n{below}</figure>\n", escaped(title));
}

/// A remark below a plot.
pub(crate) fn note(words: &str) -> String {
    format!("<p class=\"quiet note\">{}</p>\n", escaped(words))
}

/// The key of lines.
pub(crate) fn key_of_lines<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let mut out = String::from("<ul class=\"key\">\n");
    for (name, class) in names.into_iter().zip(CLASSES) {
        let _ = writeln!(
            out,
            "<li><svg viewBox=\"0 0 26 10\" aria-hidden=\"true\"><path class=\"series {class}\" d=\"M0 5L26 5\"/></svg>{}</li>",
            escaped(name)
        );
    }
    out.push_str("</ul>\n");
    out
}

/// The key of filled parts.
pub(crate) fn key_of_parts<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let mut out = String::from("<ul class=\"key\">\n");
    for (name, class) in names.into_iter().zip(CLASSES) {
        let _ = writeln!(out, "<li><span class=\"swatch part {class}\"></span>{}</li>", escaped(name));
    }
    out.push_str("</ul>\n");
    out
}

/// A table; the first column holds names.
pub(crate) fn table(out: &mut String, heads: &[&str], rows: impl Iterator<Item = Vec<String>>) {
    out.push_str("<div class=\"wide\"><table>\n<thead><tr>");
    for head in heads {
        let _ = write!(out, "<th scope=\"col\">{}</th>", escaped(head));
    }
    out.push_str("</tr></thead>\n<tbody>\n");
    for row in rows {
        out.push_str("<tr>");
        for (column, cell) in row.iter().enumerate() {
            let cell = escaped(cell);
            let _ = match column {
                0 => write!(out, "<th scope=\"row\">{cell}</th>"),
                _ => write!(out, "<td>{cell}</td>"),
            };
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</tbody>\n</table></div>\n");
}
