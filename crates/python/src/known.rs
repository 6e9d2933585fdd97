//! What petrio knows by itself: the catalogue, the schema, its version.

use crate::error::wrong;
use crate::table::{Column, Table};
use petrio_scenario::catalogue::{SHELVES, Shelf};
use pyo3::prelude::*;

/// Every part of the catalogue, a row each: its shelf, its name, what it is, and its figures as a catalogue file has them (TOML).
#[pyfunction]
pub(crate) fn catalogue() -> PyResult<Table> {
    let mut rows: [Vec<Option<String>>; 4] = Default::default();
    let all = SHELVES.iter().flat_map(|shelf| shelf.names().map(move |name| (shelf, name)));
    for (shelf, name) in all {
        let text = shelf.text(name).unwrap_or_default();
        let title = text.parse::<toml::Table>().ok();
        let title = title.as_ref().and_then(|table| table.get("name")?.as_str().map(str::to_owned));
        let cells = [
            shelf.folder.to_owned(),
            name.to_owned(),
            title.unwrap_or_else(|| name.to_owned()),
            text.to_owned(),
        ];
        for (column, cell) in rows.iter_mut().zip(cells) {
            column.push(Some(cell));
        }
    }
    let names = ["shelf", "key", "name", "toml"];
    Table::of_columns(
        names.into_iter().zip(rows).map(|(name, cells)| (name.to_owned(), Column::Text(cells))).collect(),
    )
}

/// A part of the catalogue as its file has it.
#[pyfunction]
pub(crate) fn catalogue_text(name: &str) -> PyResult<&'static str> {
    SHELVES.iter().find_map(|shelf| shelf.text(name)).ok_or_else(|| {
        let near = SHELVES.iter().find_map(|shelf: &Shelf| shelf.nearest(name));
        let advice = near.map_or_else(
            || "petrio.catalogue() has them all".to_owned(),
            |near| format!("did you mean \"{near}\"?"),
        );
        wrong(format!("the catalogue has no \"{name}\"\n help: {advice}"))
    })
}

/// The JSON schema of scenarios, as a text.
#[pyfunction]
pub(crate) fn schema() -> PyResult<String> {
    serde_json::to_string(&petrio_scenario::reference::Of::Scenario.schema())
        .map_err(|cause| wrong(cause.to_string()))
}

/// Which petrio this is.
#[pyfunction]
pub(crate) const fn version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}
