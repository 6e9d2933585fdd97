//! A figure with what it aims at, beside another of the same run.

use serde::Serialize;

/// What was measured, or why it couldn't be.
#[derive(Clone, Debug, Serialize)]
pub struct AimedFigure {
    /// What.
    pub what: &'static str,
    /// The figure; none where it couldn't be measured.
    pub measured: Option<f64>,
    /// The figure beside it, of the same run: what it is without petrio, or what the drive itself takes.
    pub plain: Option<f64>,
    /// What it aims at.
    pub aim: f64,
    /// In which unit all three are.
    pub unit: &'static str,
    /// Whether the aim is a least one, and not a most.
    pub at_least: bool,
    /// Why it couldn't be measured.
    pub why: Option<String>,
}

impl AimedFigure {
    /// Headings of [`AimedFigure::cells`].
    pub const HEADINGS: [&str; 5] = ["what", "measured", "beside", "aim", ""];

    /// The figures as text.
    pub fn cells(&self) -> Vec<String> {
        let figure = |value: f64| match value {
            value if value >= 1_000.0 => format!("{value:.0} {}", self.unit),
            value => format!("{value:.2} {}", self.unit),
        };
        let limit = if self.at_least { "≥" } else { "≤" };
        vec![
            self.what.to_owned(),
            self.measured.map_or("–".to_owned(), figure),
            self.plain.map_or("–".to_owned(), figure),
            format!("{limit} {}", figure(self.aim)),
            match (&self.why, self.is_within()) {
                (Some(why), _) => format!("not measured: {why}"),
                (None, true) => "kept".to_owned(),
                (None, false) => "missed".to_owned(),
            },
        ]
    }

    /// Whether it is as it aims to be.
    pub fn is_within(&self) -> bool {
        self.measured.is_some_and(|found| if self.at_least { found >= self.aim } else { found <= self.aim })
    }
}
