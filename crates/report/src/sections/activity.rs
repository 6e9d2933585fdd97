//! What equal parts did when: how busy each was, or how much it moved, over model time.

use crate::figure::figures;
use crate::section::Entry;
use petrio_page::figure::{Axis, Figure as Picture, Marks, Quantity, Series, Shade};
use petrio_page::numbers::{per_cent, rate_unit, seconds, significant};
use petrio_page::page::Page;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What is told of parts over time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Measure {
    /// The part of an interval in which it was busy, 0 to 1.
    #[default]
    Utilisation,
    /// Bytes a second.
    BytesPerS,
}

/// The parts of one class over time.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Activity {
    /// Their class, with a star for what differs: `lan/client*/up`.
    pub class: String,
    /// How many there are.
    pub count: u64,
    /// What is told of them.
    pub measure: Measure,
    /// When the first interval begins, seconds of model time.
    pub begin_s: f64,
    /// The length of an interval, seconds.
    pub interval_s: f64,
    /// The length of the last one, seconds.
    pub last_interval_s: f64,
    /// The names of those that are shown: all, or of many every so many-th.
    pub members: Vec<String>,
    /// Of each of these, a value for each interval.
    pub values: Vec<Vec<f64>>,
}

impl Activity {
    /// The greatest value.
    pub fn most(&self) -> f64 {
        self.values.iter().flatten().copied().fold(0.0, f64::max)
    }

    /// The mean of all values.
    pub fn mean(&self) -> f64 {
        let count: usize = self.values.iter().map(Vec::len).sum();
        self.values.iter().flatten().sum::<f64>() / count.max(1) as f64
    }
}

/// Heat maps of a page, and lines of one.
const MAPS_MAX: usize = 8;
const LINES_MAX: usize = 32;
/// Parts that are never busier than this show nothing.
const LEAST_BUSY: f64 = 0.02;

/// What equal parts did when: of the busiest classes a heat map each.
fn pictures(all: &[Activity]) -> Vec<Picture> {
    let mut busiest: Vec<&Activity> = all.iter().filter(|one| one.most() >= LEAST_BUSY).collect();
    // What moves bytes first: these are the servers.
    busiest.sort_by(|a, b| {
        let moves = |one: &Activity| one.measure == Measure::BytesPerS;
        moves(b).cmp(&moves(a)).then(b.mean().total_cmp(&a.mean()))
    });
    busiest.into_iter().take(MAPS_MAX).map(map).collect()
}

fn map(activity: &Activity) -> Picture {
    let every = activity.members.len().div_ceil(LINES_MAX).max(1);
    let shown = activity.members.iter().zip(&activity.values).step_by(every);
    let (names, lines): (Vec<&String>, Vec<&Vec<f64>>) = shown.unzip();
    let intervals = lines.iter().map(|line| line.len()).max().unwrap_or(0);
    let begins = |number: usize| seconds(activity.begin_s + number as f64 * activity.interval_s);
    let (what, quantity, most) = match activity.measure {
        Measure::Utilisation => ("utilisation", Quantity::Share, 1.0),
        Measure::BytesPerS => ("rate", Quantity::Rate, activity.most()),
    };
    let mut figure = Picture::new(
        format!("{}: {what}", activity.class),
        format!(
            "Heat map of the {what} of {} of {} parts over time, on average {}",
            names.len(),
            activity.count,
            match activity.measure {
                Measure::Utilisation => per_cent(activity.mean()),
                Measure::BytesPerS => {
                    let (unit, size) = rate_unit(activity.mean());
                    format!("{} {unit}", significant(activity.mean() / size))
                }
            }
        ),
        Axis::names("from", (0..intervals).map(begins).collect()),
        Axis::names("", names.into_iter().cloned().collect()),
    );
    let (mut columns, mut rows, mut values) = (Vec::new(), Vec::new(), Vec::new());
    for (row, line) in lines.into_iter().enumerate() {
        for (column, &value) in line.iter().enumerate() {
            columns.push(column);
            rows.push(row);
            values.push(value);
        }
    }
    let shade = Shade::UpTo(most);
    figure.push(Series::new(what, Marks::Cells { columns, rows, values, quantity, shade }));
    figure
}

figures! { Activity: }

impl Entry for Activity {
    const PART: &'static str = "activity";

    fn name(&self) -> &str {
        &self.class
    }

    fn mean(all: &[&Self], _level: f64) -> Option<Self> {
        all.first().map(|&first| first.clone())
    }

    fn page(all: &[Self], page: &mut Page) {
        let pictures = pictures(all);
        if !pictures.is_empty() {
            page.heading("Parts over time");
            page.wide_figures(pictures);
            page.note(
                "Of classes with many parts every so many-th is shown, and of classes those that are busiest.",
            );
        }
    }
}
