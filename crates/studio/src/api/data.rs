//! Values: pasted, dropped, or from a file of this machine, of which traces have measures instead of columns.

mod columns;
mod measure;

use super::evaluate::Axis;
use super::{Answer, Desk, aside};
use crate::body::{Admitted, Rooms, Wanted};
use crate::quantity::Quantity;
use crate::reach::Opened;
use crate::refusal::Refusal;
use axum::extract::State;
use columns::{Column, columns};
use measure::Measure;
use petrio_files::inputs::Inputs;
use petrio_units::numbers::as_index;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::runtime::Handle;

/// Loaded values, ascending.
pub(crate) struct DataSet {
    sorted: Vec<f64>,
}

impl DataSet {
    /// The values, ascending; at least one, all finite.
    pub(crate) fn sorted(&self) -> &[f64] {
        &self.sorted
    }
}

/// How many sets of values are kept; undo goes no further back.
const KEPT: usize = 8;
/// How many values all of them have together, but for the last set.
const VALUES_KEPT: usize = 32 << 20;

/// The sets of values that were loaded last.
#[derive(Default)]
pub(crate) struct Shelf(Mutex<BTreeMap<u64, Arc<DataSet>>>);

impl Shelf {
    pub(crate) fn get(&self, id: u64) -> Option<Arc<DataSet>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(&id).cloned()
    }

    fn put(&self, set: DataSet) -> u64 {
        let mut sets = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let id = sets.last_key_value().map_or(1, |(last, _)| last + 1);
        sets.insert(id, Arc::new(set));
        let values =
            |sets: &BTreeMap<u64, Arc<DataSet>>| sets.values().map(|set| set.sorted.len()).sum::<usize>();
        while sets.len() > KEPT || (sets.len() > 1 && values(&sets) > VALUES_KEPT) {
            sets.pop_first();
        }
        id
    }
}

#[derive(Deserialize)]
pub(crate) struct LoadRequest {
    quantity: Quantity,
    /// What one of the numbers means: `ms`; empty for the base unit.
    #[serde(default)]
    unit: String,
    /// Numbers or CSV.
    text: Option<String>,
    /// A file of this machine: numbers, CSV or a trace.
    path: Option<String>,
    /// Which column; left out, the first that holds numbers.
    column: Option<usize>,
    /// Which measure of a trace.
    measure: Option<String>,
}

/// A file of numbers that somebody drops into the page is no larger; its numbers take as much again.
impl Wanted for LoadRequest {
    const BYTES_MAX: usize = 256 << 20;
    const TAKES: usize = 1;
}

/// What was loaded.
#[derive(Serialize)]
pub(crate) struct Loaded {
    id: u64,
    count: usize,
    mean: f64,
    deviation: f64,
    min: f64,
    median: f64,
    p99: f64,
    max: f64,
    /// Lines, or fields of the column, that are no numbers.
    left_out: usize,
    columns: Vec<Column>,
    column: Option<usize>,
    /// Those of a trace that are of the quantity asked for.
    measures: Vec<&'static str>,
    measure: Option<&'static str>,
}

/// What a source gave, before its unit is known.
struct Values {
    values: Vec<f64>,
    left_out: usize,
    columns: Vec<Column>,
    column: Option<usize>,
    measure: Option<Measure>,
}

/// A text file that holds numbers is no larger; anything else is a trace or a mistake.
const TEXT_MAX: u64 = 256 << 20;

fn of_file(named: &Path, opened: Opened, request: &LoadRequest, rooms: &Rooms) -> Result<Values, Refusal> {
    let path = opened.path.as_path();
    let refuse = |cause: std::io::Error| {
        Refusal::new(format!("{} can't be read: {cause}", named.display()))
            .help(Some("a path on the machine on which petrio studio runs is needed".to_owned()))
    };
    let size = opened.file.metadata().map_err(refuse)?.len();
    let measures = Measure::of(request.quantity);
    let as_trace = |wanted: Measure| {
        wanted.values(&Inputs::here(), path).map(|values| Values {
            values,
            left_out: 0,
            columns: vec![],
            column: None,
            measure: Some(wanted),
        })
    };
    if let Some(name) = &request.measure {
        let wanted = measures.iter().find(|measure| measure.name() == name);
        let wanted = wanted.ok_or_else(|| Refusal::new(format!("there is no measure \"{name}\"")))?;
        return as_trace(*wanted);
    }
    // What no trace format knows is a table.
    if request.column.is_none()
        && let Some(Ok(values)) = measures.first().map(|measure| as_trace(*measure))
    {
        return Ok(values);
    }
    if size > TEXT_MAX {
        return Err(Refusal::new(format!(
            "{} is no trace, and too large for a list of numbers",
            named.display()
        )));
    }
    // As a body of that size: what is read takes memory, whichever way it came.
    let _room = Handle::current().block_on(rooms.take(as_index(size), 1))?;
    let mut bytes = Vec::with_capacity(as_index(size));
    opened.file.take(TEXT_MAX).read_to_end(&mut bytes).map_err(refuse)?;
    let text = String::from_utf8(bytes).map_err(|_| {
        Refusal::new(format!("{} is neither a trace that petrio reads nor text", named.display()))
            .help(Some("petrio trace info FILE says what is wrong with a trace".to_owned()))
    })?;
    of_text(&text, request.column)
}

fn of_text(text: &str, column: Option<usize>) -> Result<Values, Refusal> {
    let found = columns(text, column).map_err(Refusal::new)?;
    Ok(Values {
        values: found.values,
        left_out: found.left_out,
        columns: found.columns,
        column: Some(found.column),
        measure: None,
    })
}

/// `POST /api/data`
pub(crate) async fn load(
    State(desk): State<Arc<Desk>>,
    Admitted(request, room): Admitted<LoadRequest>,
) -> Answer<Loaded> {
    aside(move || {
        let _room = room;
        let unit = request.quantity.unit(&request.unit).map_err(Refusal::new)?;
        let found = match (&request.text, &request.path) {
            (Some(text), None) => of_text(text, request.column)?,
            (None, Some(path)) => {
                let path = Path::new(path.trim());
                let opened = desk.open(path)?;
                let held = opened.path.clone();
                of_file(path, opened, &request, &desk.rooms).map_err(|refusal| refusal.naming(&held, path))?
            }
            _ => return Err(Refusal::new("either a text or a path is needed")),
        };
        // A trace's measures are in their base units already.
        let unit = if found.measure.is_some() { 1.0 } else { unit };
        let mut sorted = found.values;
        sorted.iter_mut().for_each(|value| *value *= unit);
        sorted.sort_unstable_by(f64::total_cmp);
        let (Some(&min), Some(&max)) = (sorted.first(), sorted.last()) else {
            return Err(Refusal::new("there are no numbers in it")
                .help(Some("paste numbers, or a table that has a column of them".to_owned())));
        };
        if let Some(what) = request.quantity.never_negative().filter(|_| min < 0.0) {
            return Err(Refusal::new(format!("{min} is below zero, which {what} can't be"))
                .help(Some("choose another quantity, or another column".to_owned())));
        }
        let n = sorted.len();
        let mean = sorted.iter().sum::<f64>() / n as f64;
        let squares = sorted.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>();
        let all = if found.measure.is_some() { Measure::of(request.quantity) } else { vec![] };
        let (median, p99) = (sorted[(n - 1) / 2], sorted[(n - 1) * 99 / 100]);
        Ok(Loaded {
            count: n,
            mean,
            deviation: (squares / n.max(2).saturating_sub(1) as f64).sqrt(),
            min,
            median,
            p99,
            max,
            left_out: found.left_out,
            columns: found.columns,
            column: found.column,
            measures: all.iter().map(|measure| measure.name()).collect(),
            measure: found.measure.map(Measure::name),
            id: desk.data.put(DataSet { sorted }),
        })
    })
    .await
}

#[derive(Deserialize)]
pub(crate) struct ViewRequest {
    id: u64,
    /// Edges of the histogram's bins.
    axis: Axis,
}

impl Wanted for ViewRequest {}

/// The values on an axis.
#[derive(Serialize)]
pub(crate) struct View {
    edges: Vec<f64>,
    /// Share of the values in each bin, by its width.
    density: Vec<f64>,
    /// The empirical CDF: its corners, thinned to what a screen shows.
    x: Vec<f64>,
    cdf: Vec<f64>,
    /// Shares of the values left and right of the axis.
    outside: [f64; 2],
}

/// Corners of an empirical CDF that a screen can tell apart.
const CORNERS: usize = 800;

/// `POST /api/data/view`
pub(crate) async fn view(
    State(desk): State<Arc<Desk>>,
    Admitted(request, _room): Admitted<ViewRequest>,
) -> Answer<View> {
    let set = desk
        .data
        .get(request.id)
        .ok_or_else(|| Refusal::new("these values are no longer there; load them again"))?;
    aside(move || {
        let (values, edges) = (set.sorted(), request.axis.points());
        let n = values.len() as f64;
        let below = |x: f64| values.partition_point(|&value| value < x);
        let last = edges.len() - 2;
        let density = (0..=last)
            .map(|i| {
                // The last bin has both its edges.
                let end = if i == last {
                    values.partition_point(|&v| v <= edges[i + 1])
                } else {
                    below(edges[i + 1])
                };
                (end - below(edges[i])) as f64 / n / (edges[i + 1] - edges[i])
            })
            .collect();
        let stride = values.len().div_ceil(CORNERS).max(1);
        let mut corners: Vec<(f64, f64)> = Vec::new();
        for i in (0..values.len()).step_by(stride).chain([values.len() - 1]) {
            let through = values.partition_point(|&value| value <= values[i]);
            if corners.last().is_none_or(|(x, _)| *x < values[i]) {
                corners.push((values[i], through as f64 / n));
            }
        }
        let after = values.len() - values.partition_point(|&value| value <= edges[last + 1]);
        let outside = [below(edges[0]) as f64 / n, after as f64 / n];
        let (x, cdf) = corners.into_iter().unzip();
        Ok(View { edges, density, x, cdf, outside })
    })
    .await
}
