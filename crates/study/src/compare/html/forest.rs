//! The forest plot: every measure's change against the first, with its interval, in one picture.

use crate::compare::words;
use crate::compare::{Compared, Comparison, Outcome, Pair};
use petrio_page::figure::{Axis, Figure, Marks, Quantity, Series, Tone};

/// A row of the plot.
struct ChangeRow<'c> {
    name: String,
    compared: &'c Compared,
    pair: &'c Pair,
}

/// A figure for each who is compared with the first; and one of all pairs by the headline, where there are more than two.
pub(super) fn figures(comparison: &Comparison) -> Vec<Figure> {
    let [first, others @ ..] = comparison.contenders.as_slice() else { return Vec::new() };
    let mut figures = Vec::new();
    if let (Some(headline), true) = (comparison.headline(), others.len() > 1) {
        let rows = headline.pairs.iter().map(|pair| ChangeRow {
            name: format!("{} against {}", pair.second, pair.first),
            compared: headline,
            pair,
        });
        let title = format!("Every pair by {}", headline.measure.words(comparison.subject()));
        figures.extend(figure(&title, "pair", &rows.collect::<Vec<_>>()));
    }
    for other in others {
        let rows = comparison.measures.iter().filter_map(|compared| {
            let pair = compared.pair(&first.letter, &other.letter)?;
            Some(ChangeRow { name: compared.measure.words(comparison.subject()), compared, pair })
        });
        let title = format!("{} against {}", other.name, first.name);
        figures.extend(figure(&title, "measure", &rows.collect::<Vec<_>>()));
    }
    figures
}

/// Changes as ratios, so that half and twice are equally far from nothing.
fn figure(title: &str, of: &str, rows: &[ChangeRow<'_>]) -> Option<Figure> {
    rows.iter().find(|row| row.pair.statistics.ratio.is_some())?;
    let said: Vec<String> = rows
        .iter()
        .map(|row| format!("{} {}", row.name, words::change_of(&row.compared.measure, row.pair)))
        .collect();
    let ends = rows.iter().map(|row| {
        format!("{}  {}", words::change_of(&row.compared.measure, row.pair), words::outcome(row.pair))
    });
    let names = Axis::names(of, rows.iter().map(|row| row.name.clone()).collect()).with_ends(ends.collect());
    let change = Axis::new("change, with its interval", Quantity::Change).logarithmic();
    let mut figure = Figure::new(title, format!("{title}: {}", said.join("; ")), change, names);
    let ratios = || rows.iter().map(|row| row.pair.statistics.ratio);
    figure.push(Series::new(
        "change",
        Marks::Rows {
            low: ratios().map(|ratio| ratio.and_then(|ratio| ratio.low).unwrap_or(f64::NAN)).collect(),
            values: ratios().map(|ratio| ratio.map_or(f64::NAN, |ratio| ratio.value)).collect(),
            high: ratios().map(|ratio| ratio.and_then(|ratio| ratio.high).unwrap_or(f64::NAN)).collect(),
            tones: rows.iter().map(|row| tone(row.pair.outcome)).collect(),
        },
    ));
    Some(figure)
}

/// Colour only repeats what the words say.
pub(super) const fn tone(outcome: Outcome) -> Tone {
    match outcome {
        Outcome::SecondBetter => Tone::Better,
        Outcome::FirstBetter => Tone::Worse,
        Outcome::TooSmall | Outcome::NoDifference | Outcome::Untold => Tone::Same,
    }
}
