//! Bars: rows of parts that lie side by side, and columns that stand on an axis.

use crate::page::parts::CLASSES;
use petrio_scenario::report::figures::per_cent;
use petrio_scenario::report::html::{Axis, Frame, escaped};
use std::fmt::Write;

/// A row: a bar of parts, with what it is and how much.
pub(super) struct Row<'a> {
    pub(super) label: String,
    /// Names and values of the parts.
    pub(super) parts: Vec<(&'a str, u64)>,
    /// What a whole bar's width stands for.
    pub(super) full: u64,
    /// What stands at the end.
    pub(super) count: String,
}

/// Rows under headings of groups, as HTML.
pub(super) fn rows(groups: &[(String, Vec<Row>)]) -> String {
    let mut out = String::from("<div class=\"rows\">\n");
    for (group, rows) in groups {
        if !group.is_empty() {
            let _ = writeln!(out, "<div class=\"group\">{}</div>", escaped(group));
        }
        for row in rows {
            let label = escaped(&row.label);
            let _ = write!(
                out,
                "<div class=\"label\" title=\"{label}\">{label}</div><div class=\"bar-of-parts\">"
            );
            for ((name, value), class) in row.parts.iter().zip(CLASSES).filter(|((_, value), _)| *value > 0) {
                let part = *value as f64 / row.full.max(1) as f64;
                let of_all = row.parts.iter().map(|(_, value)| *value).sum::<u64>().max(1);
                let _ = write!(
                    out,
                    "<span class=\"part {class}\" style=\"width:{:.2}%\" data-says=\"{}\"></span>",
                    part * 100.0,
                    escaped(&format!("{name}: {value}, {}", per_cent(*value as f64 / of_all as f64)))
                );
            }
            let _ = writeln!(out, "</div><div class=\"count\">{}</div>", escaped(&row.count));
        }
    }
    out.push_str("</div>\n");
    out
}

/// A column: its name on the axis, the values stacked in it, and what it says.
pub(super) struct Column {
    pub(super) name: String,
    pub(super) values: [f64; 2],
    pub(super) says: String,
}

/// Columns beside each other, each of two values on top of each other. Names stand where there is room for them.
pub(super) fn columns(columns: &[Column], across: &str, up: &str, label: &str) -> Option<String> {
    let highest = columns.iter().map(|column| column.values.iter().sum::<f64>()).fold(0.0, f64::max);
    if highest <= 0.0 {
        return None;
    }
    let mut frame = Frame::new(label);
    let y = Axis::linear(0.0, highest * 1.05, frame.bottom, frame.top);
    frame.up(&y, up);
    let width = (frame.right - frame.left) / columns.len() as f64;
    // A name takes some 7 units a character.
    let longest =
        columns.iter().map(|column| column.name.chars().count()).max().unwrap_or(1) as f64 * 7.0 + 6.0;
    let every = (longest / width).ceil().max(1.0) as usize;
    for (number, column) in columns.iter().enumerate() {
        let left = frame.left + width * number as f64;
        let mut svg = String::new();
        let mut base = 0.0;
        for (value, class) in column.values.iter().zip(CLASSES).filter(|(value, _)| **value > 0.0) {
            let (bottom, top) = (y.at(base), y.at(base + value));
            let _ = write!(
                svg,
                r#"<rect class="column {class}" x="{:.1}" y="{top:.1}" width="{:.1}" height="{:.1}"/>"#,
                left + width * 0.08,
                (width * 0.84).max(0.4),
                (bottom - top).max(0.6)
            );
            base += value;
        }
        if number % every == 0 {
            let _ = write!(
                svg,
                r#"<text x="{:.1}" y="{:.1}" text-anchor="middle">{}</text>"#,
                left + width / 2.0,
                frame.bottom + 15.0,
                escaped(&column.name)
            );
        }
        frame.add(&svg);
        frame.strip(left, left + width, &column.says);
    }
    let middle = f64::midpoint(frame.left, frame.right);
    let below = frame.bottom + 33.0;
    frame.add(&format!(
        r#"<text class="name" x="{middle}" y="{below}" text-anchor="middle">{}</text>"#,
        escaped(across)
    ));
    Some(frame.finish())
}
