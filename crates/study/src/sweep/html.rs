//! What a study found, as a page: the best cases, a heat map of the two strongest keys, what each key does, all cases as lines over all keys.

use super::SweepResults;
use super::effects::{Effect, Findings};
use super::text::{by, named, sentence, unfinished, value, warnings, what};
use petrio_files::inputs::Inputs;
use petrio_page::figure::{Axis, Figure, Marks, Quantity, Series, Shade};
use petrio_page::numbers::per_cent;
use petrio_page::page::{Page, Span, Table, Text};
use petrio_scenario::report::{ReportError, write_text};
use petrio_units::numbers::as_index;
use std::path::Path;

/// Rows of the table of cases.
const ROWS: usize = 50;
/// Lines over all keys, the best and the worst among them.
const LINES: usize = 400;
/// Values of a key that a heat map has room for.
const CELLS: usize = 40;

/// Writes the page. The file is complete or absent; the same rows give the same bytes.
///
/// # Errors
/// The file can't be written.
pub fn write_html(
    results: &SweepResults,
    found: &Findings,
    path: &Path,
    inputs: &Inputs,
) -> Result<(), ReportError> {
    write_text(path, inputs, &page(results, found).html())
}

/// The page.
pub fn page(results: &SweepResults, found: &Findings) -> Page {
    let title = format!("{} over {}", found.measure, found.keys.join(" · "));
    let mut page = Page::new(title.clone());
    page.heading = title;
    page.below = vec![Text::default().quiet(what(results, found)), Text::default().quiet(by(found))];
    page.warnings(unfinished(found).into_iter().chain(warnings(found)));
    if let Some(best) = found.cases.first() {
        let words = format!("{}: {}", value(found, best.mean, best.half_width), named(results, best));
        let command = found.command(results, best, 0);
        page.lead(
            Text::default()
                .plain("The best case is ")
                .strong(words)
                .and(Span::Break)
                .and(Span::Code(command)),
        );
    }
    page.wide_figures(heat_map(results, found));
    page.heading("What each key does");
    for effect in &found.effects {
        page.paragraph(sentence(found, effect));
    }
    page.figures(
        found.effects.iter().filter(|effect| effect.levels.len() > 1).map(|effect| levels(found, effect)),
    );
    together(&mut page, found);
    page.wide_figures(lines(results, found));
    table(&mut page, found);
    page.foot = "model time, not measured · the same study gives the same page".to_owned();
    page
}

/// The mean of the cases at each pair of values of the two strongest keys.
fn heat_map(results: &SweepResults, found: &Findings) -> Option<Figure> {
    let few = |effect: &&Effect| (2..=CELLS).contains(&effect.levels.len());
    let mut strongest = found.effects.iter().filter(few);
    let (first, second) = (strongest.next()?, strongest.next()?);
    let keys = &results.study.factors;
    let key = |effect: &Effect| keys.iter().position(|factor| factor.path == effect.path);
    let (one, other) = (key(first)?, key(second)?);
    let most = found.cases.iter().map(|case| case.mean).fold(0.0, f64::max);
    // In a unit of their own: a cell has no room for one beside its number.
    let (size, unit) = found.measure.unit(most);
    let (mut columns, mut rows, mut values) = (Vec::new(), Vec::new(), Vec::new());
    for (column, across) in first.levels.iter().enumerate() {
        for (row, up) in second.levels.iter().enumerate() {
            let here = found
                .cases
                .iter()
                .filter(|case| case.values[one] == across.value && case.values[other] == up.value);
            let here: Vec<f64> = here.map(|case| case.mean).collect();
            if !here.is_empty() {
                columns.push(column);
                rows.push(row);
                values.push(here.iter().sum::<f64>() / here.len() as f64 / size);
            }
        }
    }
    let names = |effect: &Effect| effect.levels.iter().map(|level| level.value.clone()).collect();
    let most = most / size;
    let name = if unit.is_empty() { found.measure.to_string() } else { format!("{}, {unit}", found.measure) };
    let title = format!("{} over the two strongest keys", found.measure);
    let alternative = format!("a heat map of {} by {} and {}", found.measure, first.path, second.path);
    let across = Axis::names(first.path.clone(), names(first));
    let mut figure = Figure::new(title, alternative, across, Axis::names(second.path.clone(), names(second)));
    let shade = Shade::UpTo(most);
    figure.push(Series::new(name, Marks::Cells { columns, rows, values, quantity: Quantity::Number, shade }));
    if found.keys.len() > 2 {
        figure.note("each cell is the mean over the values of the other keys");
    }
    Some(figure)
}

/// The mean at each value of a key, with its interval.
fn levels(found: &Findings, effect: &Effect) -> Figure {
    let (what, size) = found.measure.quantity();
    let names: Vec<String> = effect.levels.iter().map(|level| level.value.clone()).collect();
    let alternative = format!("{} at each value of {}", found.measure, effect.path);
    let mut up = Axis::new(found.measure.to_string(), what);
    up.from = Some(0.0);
    let mut figure =
        Figure::new(effect.path.clone(), alternative, Axis::names(effect.path.clone(), names), up);
    let of = |part: &dyn Fn(f64, f64) -> f64| {
        effect.levels.iter().map(|level| part(level.mean, level.half_width.unwrap_or(0.0)) / size).collect()
    };
    figure.push(Series::new(
        found.measure.to_string(),
        Marks::Intervals {
            x: (0..effect.levels.len()).map(|number| number as f64).collect(),
            low: of(&|mean, half| mean - half),
            y: of(&|mean, _| mean),
            high: of(&|mean, half| mean + half),
            joined: true,
        },
    ));
    figure
}

fn together(page: &mut Page, found: &Findings) {
    for pair in &found.interactions {
        let words = format!(
            "{} and {} act together: {} of the variance is theirs beyond what each does alone.",
            pair.first,
            pair.second,
            per_cent(pair.share)
        );
        page.paragraph(words);
    }
    if found.indices.is_empty() {
        return;
    }
    page.heading("Sobol indices");
    let part = |value: f64, (low, high): (f64, f64)| format!("{value:.3} ({low:.3} … {high:.3})");
    let rows = found.indices.iter().map(|index| {
        vec![
            index.path.clone(),
            part(index.first, index.first_interval),
            part(index.total, index.total_interval),
        ]
    });
    page.table(Table::new(["key", "alone", "with all others"]).with(rows));
}

/// Cases as lines over all keys and the figure: parallel coordinates. Each axis goes from its first value to its last.
fn lines(results: &SweepResults, found: &Findings) -> Option<Figure> {
    let keys = results.study.factors.len();
    if found.cases.len() < 3 || keys < 2 {
        return None;
    }
    let place = |key: usize, text: &str| -> f64 {
        let effect = found.effects.iter().find(|effect| effect.path == results.study.factors[key].path);
        let Some(effect) = effect.filter(|effect| effect.levels.len() > 1) else { return 0.5 };
        let last = effect.levels.len() - 1;
        match effect.levels.iter().position(|level| level.value == text) {
            Some(at) => at as f64 / last as f64,
            None => {
                let base =
                    |text: &str| petrio_units::Measured::read(text).map_or(0.0, petrio_units::Measured::base);
                let (low, high) = (effect.levels[0].at, effect.levels[last].at);
                ((base(text) - low) / (high - low)).clamp(0.0, 1.0)
            }
        }
    };
    let means = || found.cases.iter().map(|case| case.mean);
    let (least, most) = (means().fold(f64::INFINITY, f64::min), means().fold(f64::NEG_INFINITY, f64::max));
    let height = |mean: f64| if most > least { (mean - least) / (most - least) } else { 0.5 };
    let step = found.cases.len().div_ceil(LINES);
    let shown: Vec<&super::effects::Case> = found.cases.iter().step_by(step).collect();
    let band = |from: usize, until: usize| {
        let (mut x, mut y) = (Vec::new(), Vec::new());
        for case in &shown[from..until] {
            for (key, text) in case.values.iter().enumerate() {
                x.push(key as f64);
                y.push(place(key, text));
            }
            x.extend([keys as f64, f64::NAN]);
            y.extend([height(case.mean), f64::NAN]);
        }
        Marks::Line { x, y, dots: false }
    };
    let tenth = as_index((shown.len() as u64).div_ceil(10));
    let names = found.keys.iter().cloned().chain([found.measure.to_string()]).collect();
    let alternative = format!("each case as a line over the values of its keys to its {}", found.measure);
    let up = Axis::new("from the first value to the last", Quantity::Share);
    let mut figure = Figure::new("All cases over all keys", alternative, Axis::names("", names), up);
    figure.push(Series::new("the others", band(tenth, shown.len())).colour(5));
    figure.push(Series::new("the best tenth", band(0, tenth)).colour(0).dashed(false));
    if step > 1 {
        figure.note(format!("one case of {step} is drawn"));
    }
    Some(figure)
}

fn table(page: &mut Page, found: &Findings) {
    page.heading("Cases, the best first");
    let mut heads = vec!["case".to_owned()];
    heads.extend(found.keys.iter().cloned());
    heads.extend([found.measure.to_string(), "busiest".to_owned()]);
    let rows = found.cases.iter().take(ROWS).map(|case| {
        let mut row = vec![case.case.to_string()];
        row.extend(case.values.iter().cloned());
        row.push(value(found, case.mean, case.half_width));
        row.push(
            case.busiest
                .as_ref()
                .map(|(stage, part)| format!("{stage} {}", per_cent(*part)))
                .unwrap_or_default(),
        );
        row
    });
    page.table(Table::new(heads).with_words(1 + found.keys.len()).with(rows));
    if found.cases.len() > ROWS {
        page.note(format!("… and {} more; petrio sweep show --csv writes all", found.cases.len() - ROWS));
    }
}
