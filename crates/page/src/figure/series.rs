//! Series: what is drawn over the axes.

use super::Quantity;
use crate::thin;
use serde::{Serialize, Serializer};

/// What is drawn of one name.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Series {
    /// What it is.
    pub name: String,
    /// How it is drawn, and its values.
    #[serde(flatten)]
    pub marks: Marks,
    /// Which colour it has, where that isn't the one of its place among the series.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub colour: Option<usize>,
    /// Whether its line is broken; otherwise the colour decides.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dashed: Option<bool>,
    /// What else is told of each value.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<Column>,
}

/// What else is told of each value of a series.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Column {
    /// What it is.
    pub name: String,
    /// What its numbers count.
    #[serde(skip_serializing_if = "Quantity::is_number")]
    pub quantity: Quantity,
    /// One for each value of the series.
    #[serde(serialize_with = "numbers")]
    pub values: Vec<f64>,
}

/// What a row of intervals says: the colour only repeats the words at its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Tone {
    /// For the better.
    Better,
    /// For the worse.
    Worse,
    /// Neither.
    Same,
}

/// How a heat map's values become colours.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Shade {
    /// Dark is much, in equal ratios.
    Ratios,
    /// Dark is much, in equal steps from nothing to this.
    UpTo(f64),
    /// One colour below nothing and one above, full at this size.
    Around(f64),
}

/// How a series is drawn, and its values.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Marks {
    /// Points joined by a line.
    Line {
        /// Where they lie across.
        #[serde(serialize_with = "numbers")]
        x: Vec<f64>,
        /// Where they lie upwards.
        #[serde(serialize_with = "numbers")]
        y: Vec<f64>,
        /// Whether each has a dot: few values, each measured.
        #[serde(skip_serializing_if = "no")]
        dots: bool,
    },
    /// A staircase: each value lasts from its place to the next one's. Where there is one place more than values, the last ends there.
    Steps {
        /// Where values begin.
        #[serde(serialize_with = "numbers")]
        x: Vec<f64>,
        /// The values.
        #[serde(serialize_with = "numbers")]
        y: Vec<f64>,
        /// Whether what lies below is filled.
        #[serde(skip_serializing_if = "no")]
        filled: bool,
    },
    /// Columns that touch: a histogram.
    Bars {
        /// Edges, one more than columns.
        #[serde(serialize_with = "numbers")]
        x: Vec<f64>,
        /// Heights.
        #[serde(serialize_with = "numbers")]
        y: Vec<f64>,
    },
    /// Parts at names, on top of (or beside) those of the series before.
    Stack {
        /// The parts, one for each name.
        #[serde(serialize_with = "numbers")]
        values: Vec<f64>,
    },
    /// Strokes that begin at a place and go upwards so far; short ones are points.
    Strokes {
        /// Where they lie across.
        #[serde(serialize_with = "numbers")]
        x: Vec<f64>,
        /// Their lower ends.
        #[serde(serialize_with = "numbers")]
        low: Vec<f64>,
        /// Their lengths.
        #[serde(serialize_with = "numbers")]
        length: Vec<f64>,
    },
    /// Values with the intervals around them, upwards.
    Intervals {
        /// Where they lie across.
        #[serde(serialize_with = "numbers")]
        x: Vec<f64>,
        /// Lower ends; without any, values stand alone.
        #[serde(serialize_with = "numbers")]
        low: Vec<f64>,
        /// Values.
        #[serde(serialize_with = "numbers")]
        y: Vec<f64>,
        /// Upper ends.
        #[serde(serialize_with = "numbers")]
        high: Vec<f64>,
        /// Whether a line joins the values.
        #[serde(skip_serializing_if = "no")]
        joined: bool,
    },
    /// Values with the intervals around them across, one for each name of the axis upwards: a forest plot. No number where there is none.
    Rows {
        /// Lower ends.
        #[serde(serialize_with = "numbers")]
        low: Vec<f64>,
        /// Values.
        #[serde(serialize_with = "numbers")]
        values: Vec<f64>,
        /// Upper ends.
        #[serde(serialize_with = "numbers")]
        high: Vec<f64>,
        /// What each says.
        tones: Vec<Tone>,
    },
    /// A heat map over two axes of names.
    Cells {
        /// Numbers of the names across.
        columns: Vec<usize>,
        /// Numbers of the names upwards.
        rows: Vec<usize>,
        /// The values.
        #[serde(serialize_with = "numbers")]
        values: Vec<f64>,
        /// What the values count.
        quantity: Quantity,
        /// Their colours.
        shade: Shade,
    },
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
const fn no(flag: &bool) -> bool {
    !*flag
}

fn numbers<S: Serializer>(values: &[f64], serializer: S) -> Result<S::Ok, S::Error> {
    thin::Numbers(values).serialize(serializer)
}

impl Series {
    /// A series of these marks.
    pub fn new(name: impl Into<String>, marks: Marks) -> Self {
        Self { name: name.into(), marks, colour: None, dashed: None, also: Vec::new() }
    }

    /// Points joined by a line, of which as many are kept as can be told apart.
    pub fn line(name: impl Into<String>, x: Vec<f64>, y: Vec<f64>) -> Self {
        let (x, y) = thin::line(x, y);
        Self::new(name, Marks::Line { x, y, dots: false })
    }

    /// Measured points, each with a dot, joined by a line.
    pub fn dots(name: impl Into<String>, points: impl IntoIterator<Item = (f64, f64)>) -> Self {
        let (x, y) = points.into_iter().unzip();
        Self::new(name, Marks::Line { x, y, dots: true })
    }

    /// A distribution function by its corners: at each place it rises to its value.
    pub fn corners(name: impl Into<String>, x: Vec<f64>, y: Vec<f64>) -> Self {
        let (x, y) = thin::line(x, y);
        Self::new(name, Marks::Steps { x, y, filled: false })
    }

    /// Means of intervals: one edge more than values.
    pub fn stairs(name: impl Into<String>, x: Vec<f64>, y: Vec<f64>) -> Self {
        Self::new(name, Marks::Steps { x, y, filled: true })
    }

    /// The same without filling what lies below: for several staircases in one figure.
    #[must_use]
    pub fn unfilled(mut self) -> Self {
        if let Marks::Steps { filled, .. } = &mut self.marks {
            *filled = false;
        }
        self
    }

    /// A histogram's columns: one edge more than heights.
    pub fn bars(name: impl Into<String>, x: Vec<f64>, y: Vec<f64>) -> Self {
        Self::new(name, Marks::Bars { x, y })
    }

    /// Parts at the names from the first on.
    pub fn stack(name: impl Into<String>, values: Vec<f64>) -> Self {
        Self::new(name, Marks::Stack { values })
    }

    /// The same in another colour than that of its place.
    #[must_use]
    pub fn colour(self, colour: usize) -> Self {
        Self { colour: Some(colour), ..self }
    }

    /// The same with a whole line or a broken one.
    #[must_use]
    pub fn dashed(self, dashed: bool) -> Self {
        Self { dashed: Some(dashed), ..self }
    }

    /// The same, with something else told of each value.
    #[must_use]
    pub fn also(mut self, name: impl Into<String>, quantity: Quantity, values: Vec<f64>) -> Self {
        self.also.push(Column { name: name.into(), quantity, values });
        self
    }

    /// Whether it has no values.
    pub fn is_empty(&self) -> bool {
        match &self.marks {
            Marks::Line { y, .. }
            | Marks::Steps { y, .. }
            | Marks::Bars { y, .. }
            | Marks::Intervals { y, .. } => y.is_empty(),
            Marks::Strokes { x, .. } => x.is_empty(),
            Marks::Stack { values, .. } | Marks::Rows { values, .. } | Marks::Cells { values, .. } => {
                values.is_empty()
            }
        }
    }
}
