//! What the signs mean, below every drawing.

use super::render::head;
use super::scene::Line;
use std::fmt::Write;

pub(super) const WIDTH: f64 = 640.0;
pub(super) const HEIGHT: f64 = 66.0;

/// Columns of signs with their meanings.
pub(super) fn draw() -> String {
    let mut out = String::new();
    let rows: [&[(Line, &str)]; 2] = [
        &[
            (Line::Flow, "takes, puts"),
            (Line::Read, "reads"),
            (Line::Inhibit, "forbids"),
            (Line::Clear, "cancels, resets"),
        ],
        &[
            (Line::MayFlow, "may put"),
            (Line::Peek, "peeks (not notified)"),
            (Line::Both, "changes, or takes and puts back"),
        ],
    ];
    let columns = [0.0, 120.0, 280.0, 500.0];
    for (row, signs) in rows.into_iter().enumerate() {
        for (&(line, meaning), x) in signs.iter().zip(columns) {
            let y = 14.0 + 18.0 * row as f64;
            let class = match line {
                Line::Read | Line::Clear => "arc dashed",
                Line::Peek => "arc dotted",
                _ => "arc",
            };
            let _ = writeln!(out, "<path class=\"{class}\" d=\"M{x} {y}H{}\"/>", x + 22.0);
            head(line, (x + 30.0, y), 1.0, &mut out);
            if line == Line::Both {
                head(Line::Flow, (x - 4.0, y), -1.0, &mut out);
            }
            let _ =
                writeln!(out, "<text class=\"key\" x=\"{}\" y=\"{}\">{meaning}</text>", x + 38.0, y + 3.6);
        }
    }
    let y = 50.0;
    let _ = writeln!(
        out,
        "<text class=\"key\" x=\"0\" y=\"{:.1}\">● initial tokens · ‖ double outline: state place, or page below · dashed outline: place of another page · [guard] decides</text>",
        y + 4.0
    );
    out
}
