//! The forest plot: every measure's change against the first, with its interval, in one picture.

use crate::compare::words;
use crate::compare::{Compared, Comparison, Outcome, Pair};
use petrio_scenario::report::html::{Axis, Frame, escaped};
use std::fmt::Write as _;

/// The page's units of a row.
const ROW: f64 = 22.0;
/// The width of the plot, the room to its left for names and to its right for figures.
const WIDTH: f64 = 1_020.0;
const NAMES: f64 = 210.0;
const FIGURES: f64 = 330.0;
/// A change beyond this factor stands at the edge.
const FACTOR_MOST: f64 = 10.0;
/// The axis shows at least this much to either side, so that a difference of nothing looks like nothing.
const LEAST: f64 = 0.02;

/// A row of the plot.
struct Row<'c> {
    name: String,
    compared: &'c Compared,
    pair: &'c Pair,
}

/// A plot for each who is compared with the first; and one of all pairs by the headline, where there are more than two.
pub(super) fn section(out: &mut String, comparison: &Comparison) {
    let [first, others @ ..] = comparison.contenders.as_slice() else { return };
    let mut plots = Vec::new();
    if let (Some(headline), true) = (comparison.headline(), others.len() > 1) {
        let rows = headline.pairs.iter().map(|pair| Row {
            name: format!("{} against {}", pair.second, pair.first),
            compared: headline,
            pair,
        });
        let title = format!("Every pair by {}", headline.measure.words(comparison.subject()));
        plots.push((title, rows.collect::<Vec<_>>()));
    }
    for other in others {
        let rows = comparison.measures.iter().filter_map(|compared| {
            let pair = compared.pair(&first.letter, &other.letter)?;
            Some(Row { name: compared.measure.words(comparison.subject()), compared, pair })
        });
        let title = format!("{} against {}: {}", other.letter, first.letter, other.name);
        plots.push((title, rows.collect()));
    }
    out.push_str("<section class=\"plots full\">\n");
    for (title, rows) in plots {
        if let Some(plot) = plot(&title, &rows) {
            let _ = write!(out, "<figure>\n<h2>{}</h2>\n{plot}\n</figure>\n", escaped(&title));
        }
    }
    out.push_str("</section>\n");
}

/// Changes as logarithms, so that half and twice are equally far from nothing; the axis is labelled in per cents.
fn plot(title: &str, rows: &[Row<'_>]) -> Option<String> {
    let ratios = || rows.iter().filter_map(|row| row.pair.statistics.ratio);
    let reach = ratios()
        .flat_map(|ratio| [Some(ratio.value), ratio.low, ratio.high])
        .flatten()
        .map(|ratio| if ratio < 1.0 { 1.0 / ratio } else { ratio })
        .filter(|ratio| ratio.is_finite())
        .fold(1.0 + LEAST, f64::max)
        .min(FACTOR_MOST);
    ratios().next()?;
    let height = rows.len() as f64 * ROW + 62.0;
    let said: Vec<String> = rows
        .iter()
        .map(|row| format!("{} {}", row.name, words::change_of(&row.compared.measure, row.pair)))
        .collect();
    let mut frame =
        Frame::sized(&format!("{title}: {}", said.join("; ")), (WIDTH, height), (NAMES, 16.0, FIGURES, 46.0));
    // A little more than the widest, so that its end is seen.
    let reach = libm::pow(reach, 1.06);
    let axis = Axis::logarithmic(1.0 / reach, reach, frame.left, frame.right);
    scale(&mut frame, &axis, reach);
    for (number, row) in rows.iter().enumerate() {
        let y = frame.top + (number as f64 + 0.5) * ROW;
        draw(&mut frame, (&axis, reach), row, y);
    }
    Some(frame.finish())
}

/// The axis: round changes in per cents, and a line at none.
fn scale(frame: &mut Frame, axis: &Axis, reach: f64) {
    const ROUND: [f64; 14] = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 4.0, 9.0, 19.0];
    // The widest of the round ones that still leaves two to a side, or one.
    let within: Vec<f64> = ROUND.into_iter().filter(|change| 1.0 + change <= reach).collect();
    let shown: Vec<f64> = within.iter().rev().take(2).copied().collect();
    let (top, bottom) = (frame.top, frame.bottom);
    let mut svg = String::from(r#"<g class="axis">"#);
    let label =
        |change: f64| format!("{}{} %", if change > 0.0 { "+" } else { "−" }, round(change.abs() * 100.0));
    let up = shown.iter().map(|change| (1.0 + change, label(*change)));
    // To the left what is as far from nothing: −50 % opposite +100 %.
    let down = shown.iter().map(|change| (1.0 / (1.0 + change), label(1.0 / (1.0 + change) - 1.0)));
    for (ratio, words) in up.chain(down) {
        let x = axis.at(ratio);
        let _ = write!(
            svg,
            r#"<line class="grid" x1="{x:.1}" x2="{x:.1}" y1="{top}" y2="{bottom}"/><text x="{x:.1}" y="{:.1}" text-anchor="middle">{words}</text>"#,
            bottom + 15.0
        );
    }
    let zero = axis.at(1.0);
    let _ = write!(
        svg,
        r#"<line class="zero" x1="{zero:.1}" x2="{zero:.1}" y1="{top}" y2="{bottom}"/><text x="{zero:.1}" y="{:.1}" text-anchor="middle">0</text><text class="name" x="{zero:.1}" y="{:.1}" text-anchor="middle">change, with its interval</text></g>"#,
        bottom + 15.0,
        bottom + 33.0
    );
    frame.add(&svg);
}

fn round(per_cent: f64) -> String {
    let text = format!("{per_cent:.1}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn draw(frame: &mut Frame, (axis, reach): (&Axis, f64), row: &Row<'_>, y: f64) {
    let class = class(row.pair.outcome);
    let mut svg = String::new();
    let _ = write!(
        svg,
        r#"<text class="row" x="{:.1}" y="{:.1}" text-anchor="end">{}</text>"#,
        frame.left - 12.0,
        y + 4.0,
        escaped(&row.name)
    );
    if let Some(ratio) = row.pair.statistics.ratio {
        if let (Some(low), Some(high)) = (ratio.low, ratio.high) {
            let (from, to) = (axis.at(low), axis.at(high));
            let _ = write!(
                svg,
                r#"<path class="interval {class}" d="M{from:.1} {y:.1}L{to:.1} {y:.1}M{from:.1} {:.1}L{from:.1} {:.1}M{to:.1} {:.1}L{to:.1} {:.1}"/>"#,
                y - 4.0,
                y + 4.0,
                y - 4.0,
                y + 4.0
            );
        }
        let x = axis.at(ratio.value);
        let beyond = if ratio.value > reach { 1.0 } else { -1.0 };
        let _ = if ratio.value > reach || ratio.value < 1.0 / reach {
            // An arrow at the edge: further that way.
            write!(
                svg,
                r#"<path class="point {class}" d="M{:.1} {y:.1}L{x:.1} {:.1}L{x:.1} {:.1}Z"/>"#,
                x + 7.0 * beyond,
                y - 5.0,
                y + 5.0
            )
        } else {
            write!(svg, r#"<circle class="point {class}" cx="{x:.1}" cy="{y:.1}" r="4"/>"#)
        };
    }
    let _ = write!(
        svg,
        r#"<text class="{class}" x="{:.1}" y="{:.1}">{}  {}</text>"#,
        frame.right + 12.0,
        y + 4.0,
        escaped(&words::change_of(&row.compared.measure, row.pair)),
        words::outcome(row.pair)
    );
    frame.add(&svg);
}

/// Colour only repeats what the words say.
pub(super) const fn class(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::SecondBetter => "better",
        Outcome::FirstBetter => "worse",
        Outcome::NoDifference | Outcome::Untold => "same",
    }
}
