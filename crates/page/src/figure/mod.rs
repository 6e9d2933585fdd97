//! What a figure shows, as data. Values are of base units: bytes, seconds, bytes a second, parts of one; in which unit a person reads
//! them is found where they are drawn.

mod axis;
mod series;

pub use axis::{Axis, Quantity, Scale};
pub use series::{Column, Marks, Series, Shade, Tone};

use serde::Serialize;

/// Series beyond this number nobody tells apart: there are as many colours and dashes as this.
pub const SERIES_MAX: usize = 6;

/// A figure: series over two axes.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Figure {
    /// What stands above it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub title: String,
    /// What it shows, for those who can't see it.
    pub alternative: String,
    /// The axis from left to right.
    pub across: Axis,
    /// The axis from bottom to top; names go from top to bottom.
    pub up: Axis,
    /// What is drawn, in this order.
    pub series: Vec<Series>,
    /// Lines and points with words.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub annotations: Vec<Annotation>,
    /// Remarks below it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// Whether the series are named below. A single one rarely needs it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub key: bool,
}

/// Words at a place of the figure.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "at", rename_all = "snake_case")]
pub enum Annotation {
    /// A horizontal line.
    Height {
        /// The value of the axis upwards.
        value: f64,
        /// What it means.
        words: String,
    },
    /// A point.
    Point {
        /// The value of the axis across.
        x: f64,
        /// The value of the axis upwards.
        y: f64,
        /// What it means.
        words: String,
    },
}

impl Figure {
    /// A figure without series. `alternative` says what it shows to those who can't see it.
    pub fn new(title: impl Into<String>, alternative: impl Into<String>, across: Axis, up: Axis) -> Self {
        Self {
            title: title.into(),
            alternative: alternative.into(),
            across,
            up,
            series: Vec::new(),
            annotations: Vec::new(),
            notes: Vec::new(),
            key: false,
        }
    }

    /// Adds a series. From the second one on they are named in the key.
    pub fn push(&mut self, series: Series) {
        self.series.push(series);
        self.key = self.series.len() > 1;
    }

    /// Adds a remark.
    pub fn note(&mut self, words: impl Into<String>) {
        self.notes.push(words.into());
    }

    /// Whether there is anything to see.
    pub fn is_empty(&self) -> bool {
        self.series.iter().all(Series::is_empty)
    }

    /// The figure as JSON that may stand within a `script` element: no text in it ends the element or begins a comment.
    ///
    /// Title and notes aren't in it: a page has them as text.
    pub fn json(&self) -> String {
        let drawn = Self { title: String::new(), notes: Vec::new(), ..self.clone() };
        // Numbers, texts and lists of them can always be told in JSON.
        let text = serde_json::to_string(&drawn).unwrap_or_default();
        // `<` stands within strings only, where this is the same character.
        text.replace('<', "\\u003c").replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029")
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn figure(name: &str) -> Figure {
        let across = Axis::new("time", Quantity::Duration);
        let mut figure = Figure::new(name, name, across, Axis::new("requests", Quantity::Number));
        figure.push(Series::line(name, vec![1.0, 2.0], vec![f64::NAN, 1.0 / 3.0]));
        figure
    }

    #[test]
    fn no_name_ends_the_script_element_and_every_name_is_read_back_whole() {
        for name in ["</script><script>alert(1)</script>", "<!--<script>", "]]>", "\u{2028}\u{2029}\0\"\\"] {
            let json = figure(name).json();
            assert!(!json.contains('<') && !json.contains('\u{2028}'), "{json}");
            let read: serde_json::Value = serde_json::from_str(&json).unwrap();
            assert_eq!(read["alternative"], name);
            assert_eq!(read["series"][0]["name"], name);
        }
    }

    #[test]
    fn numbers_have_the_digits_that_can_be_seen_and_what_is_none_is_null() {
        let json = figure("a").json();
        assert!(json.contains("\"x\":[1,2],\"y\":[null,0.3333]"), "{json}");
    }
}
