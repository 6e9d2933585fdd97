//! The frame of a plot: its size, its axes with ticks and grid, and its label.

use super::axis::Axis;
use super::escaped;
use std::fmt::Write;

/// The page's units of a plot; it is scaled to the width of its column.
const SIZE: (f64, f64) = (620.0, 250.0);
/// Room for the numbers of the axes: left, top, right, bottom.
const MARGIN: (f64, f64, f64, f64) = (52.0, 22.0, 24.0, 40.0);

/// The box within the axes.
#[derive(Debug)]
pub struct Frame {
    /// Left edge, in the page's units as all of them.
    pub left: f64,
    /// Right edge.
    pub right: f64,
    /// Upper edge.
    pub top: f64,
    /// Lower edge.
    pub bottom: f64,
    svg: String,
}

impl Frame {
    /// Begins a plot. `label` says what it shows to those who can't see it.
    pub fn new(label: &str) -> Self {
        Self::sized(label, SIZE, MARGIN)
    }

    /// As [`new`](Self::new), of another size and with other room for what stands beside the axes (left, top, right, bottom),
    /// in units of the page.
    pub fn sized(
        label: &str,
        (width, height): (f64, f64),
        (left, top, right, bottom): (f64, f64, f64, f64),
    ) -> Self {
        let svg = format!(
            r#"<svg class="plot" viewBox="0 0 {width} {height}" role="img" aria-label="{}">"#,
            escaped(label)
        );
        Self { left, right: width - right, top, bottom: height - bottom, svg }
    }

    /// Adds a piece of SVG.
    pub fn add(&mut self, piece: &str) {
        self.svg.push_str(piece);
    }

    /// Draws the horizontal axis and its name.
    pub fn across(&mut self, axis: &Axis, name: &str) {
        let (top, bottom) = (self.top, self.bottom);
        self.svg.push_str(r#"<g class="axis">"#);
        for (tick, numbered) in axis.ticks(6) {
            let x = axis.at(tick);
            let class = if numbered { "grid" } else { "grid minor" };
            let _ = write!(
                self.svg,
                r#"<line class="{class}" x1="{x:.1}" x2="{x:.1}" y1="{top}" y2="{bottom}"/>"#
            );
            if numbered {
                let y = bottom + 15.0;
                let _ = write!(
                    self.svg,
                    r#"<text x="{x:.1}" y="{y}" text-anchor="middle">{}</text>"#,
                    escaped(&axis.label(tick))
                );
            }
        }
        let (x, y) = (f64::midpoint(self.left, self.right), bottom + 33.0);
        let _ = write!(
            self.svg,
            r#"<text class="name" x="{x}" y="{y}" text-anchor="middle">{}</text></g>"#,
            escaped(name)
        );
    }

    /// Draws the vertical axis and its name above it.
    pub fn up(&mut self, axis: &Axis, name: &str) {
        let (left, right) = (self.left, self.right);
        self.svg.push_str(r#"<g class="axis">"#);
        for (tick, numbered) in axis.ticks(4) {
            let y = axis.at(tick);
            let class = if numbered { "grid" } else { "grid minor" };
            let _ = write!(
                self.svg,
                r#"<line class="{class}" x1="{left}" x2="{right}" y1="{y:.1}" y2="{y:.1}"/>"#
            );
            if numbered {
                let (x, y) = (left - 6.0, y + 4.0);
                let _ = write!(
                    self.svg,
                    r#"<text x="{x}" y="{y:.1}" text-anchor="end">{}</text>"#,
                    escaped(&axis.label(tick))
                );
            }
        }
        let _ =
            write!(self.svg, r#"<text class="name" x="{}" y="13">{}</text></g>"#, left - 46.0, escaped(name));
    }

    /// An invisible strip of full height that shows `words` under the pointer.
    pub fn strip(&mut self, from: f64, to: f64, words: &str) {
        let (top, height) = (self.top, self.bottom - self.top);
        let width = (to - from).max(0.5);
        let _ = write!(
            self.svg,
            r#"<rect class="hit" x="{from:.1}" y="{top}" width="{width:.1}" height="{height}" data-says="{}"/>"#,
            escaped(words)
        );
    }

    /// The finished SVG.
    pub fn finish(mut self) -> String {
        self.svg.push_str("</svg>");
        self.svg
    }
}

/// The points of a path, `M x y L x y …`.
pub fn path(points: &[(f64, f64)]) -> String {
    let mut text = String::new();
    for (index, (x, y)) in points.iter().enumerate() {
        let _ = write!(text, "{}{x:.1} {y:.1}", if index == 0 { "M" } else { "L" });
    }
    text
}
