//! What has rows, handed to pandas, Polars, DuckDB and whatever else speaks Arrow's C stream interface.
//!
//! Source: <https://arrow.apache.org/docs/format/CDataInterface/PyCapsuleInterface.html>.

use crate::error::wrong;
use arrow_array::builder::{BooleanBuilder, Float64Builder, Int64Builder, StringBuilder};
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{ArrayRef, RecordBatch, RecordBatchIterator, RecordBatchReader};
use arrow_schema::{ArrowError, Field, Schema};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict};
use serde_json::Value;
use std::sync::Arc;

/// A table. `pandas.DataFrame(table.to_dict())` needs nothing else; `polars.DataFrame(table)`, `duckdb.sql("from table")` and
/// `pyarrow.table(table)` take it by the Arrow PyCapsule interface, without a copy where they can.
#[pyclass(frozen, module = "petrio._petrio")]
pub(crate) struct Table {
    batch: RecordBatch,
}

/// A column of something's rows.
pub(crate) enum Column {
    Whole(Vec<Option<i64>>),
    Number(Vec<Option<f64>>),
    Text(Vec<Option<String>>),
    Truth(Vec<Option<bool>>),
}

impl Column {
    /// Of values as JSON has them: whole numbers, numbers, truths, or else their text.
    fn of(values: &[Value]) -> Self {
        let all = |is: fn(&Value) -> bool| values.iter().all(|value| value.is_null() || is(value));
        if values.iter().all(Value::is_null) {
            Self::Number(vec![None; values.len()])
        } else if all(Value::is_i64) {
            Self::Whole(values.iter().map(Value::as_i64).collect())
        } else if all(Value::is_number) {
            Self::Number(values.iter().map(Value::as_f64).collect())
        } else if all(Value::is_boolean) {
            Self::Truth(values.iter().map(Value::as_bool).collect())
        } else {
            let text = |value: &Value| match value {
                Value::Null => None,
                Value::String(text) => Some(text.clone()),
                other => Some(other.to_string()),
            };
            Self::Text(values.iter().map(text).collect())
        }
    }

    fn array(self) -> ArrayRef {
        macro_rules! built {
            ($builder:ident, $values:expr) => {{
                let mut builder = $builder::new();
                $values.into_iter().for_each(|value| builder.append_option(value));
                Arc::new(builder.finish())
            }};
        }
        match self {
            Self::Whole(values) => built!(Int64Builder, values),
            Self::Number(values) => built!(Float64Builder, values),
            Self::Text(values) => built!(StringBuilder, values),
            Self::Truth(values) => built!(BooleanBuilder, values),
        }
    }
}

impl Table {
    /// Of named columns of one length.
    pub(crate) fn of_columns(columns: Vec<(String, Column)>) -> PyResult<Self> {
        let (names, arrays): (Vec<String>, Vec<ArrayRef>) =
            columns.into_iter().map(|(name, column)| (name, column.array())).unzip();
        let fields: Vec<Field> = names
            .into_iter()
            .zip(&arrays)
            .map(|(name, array)| Field::new(name, array.data_type().clone(), true))
            .collect();
        let batch = RecordBatch::try_new(Arc::new(Schema::new(fields)), arrays);
        Ok(Self { batch: batch.map_err(|cause| wrong(cause.to_string()))? })
    }

    /// Of rows as JSON objects; what an object holds itself is a column under both names.
    pub(crate) fn of_rows(rows: impl Iterator<Item = serde_json::Result<Value>>) -> PyResult<Self> {
        let mut names: Vec<String> = Vec::new();
        let mut all: Vec<Vec<(String, Value)>> = Vec::new();
        for row in rows {
            let mut flat = Vec::new();
            flatten("", row.map_err(|cause| wrong(cause.to_string()))?, &mut flat);
            for (name, _) in &flat {
                if !names.contains(name) {
                    names.push(name.clone());
                }
            }
            all.push(flat);
        }
        let of = |name: &String| {
            let value = |row: &Vec<(String, Value)>| {
                row.iter().find(|(of, _)| of == name).map_or(Value::Null, |(_, value)| value.clone())
            };
            Column::of(&all.iter().map(value).collect::<Vec<_>>())
        };
        let columns = names.iter().map(|name| (name.clone(), of(name))).collect();
        Self::of_columns(columns)
    }

    /// Of a report's series: when each interval begins, and what was measured in it.
    pub(crate) fn of_series(series: &Value) -> PyResult<Self> {
        let number = |key: &str| series.get(key).and_then(Value::as_f64).unwrap_or_default();
        let (begin, length) = (number("begin_s"), number("interval_s"));
        let intervals = series.get("intervals").and_then(Value::as_array).cloned().unwrap_or_default();
        let rows = intervals.into_iter().enumerate().map(|(at, mut interval)| {
            if let Value::Object(row) = &mut interval {
                let mut with = serde_json::Map::new();
                with.insert("begin_s".to_owned(), (begin + at as f64 * length).into());
                with.append(row);
                interval = Value::Object(with);
            }
            Ok(interval)
        });
        Self::of_rows(rows)
    }
}

fn flatten(prefix: &str, value: Value, flat: &mut Vec<(String, Value)>) {
    match value {
        Value::Object(keys) => {
            for (key, value) in keys {
                let name = if prefix.is_empty() { key } else { format!("{prefix}.{key}") };
                flatten(&name, value, flat);
            }
        }
        value => flat.push((prefix.to_owned(), value)),
    }
}

/// What other libraries take: a stream of batches.
pub(crate) fn stream<'py>(
    py: Python<'py>,
    batches: Box<dyn RecordBatchReader + Send>,
) -> PyResult<Bound<'py, PyCapsule>> {
    PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(batches), c"arrow_array_stream")
}

#[pymethods]
impl Table {
    /// The columns' names.
    #[getter]
    fn columns(&self) -> Vec<String> {
        self.batch.schema().fields().iter().map(|field| field.name().clone()).collect()
    }

    fn __len__(&self) -> usize {
        self.batch.num_rows()
    }

    /// The columns by name, a list each.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let all = PyDict::new(py);
        for (field, column) in self.batch.schema().fields().iter().zip(self.batch.columns()) {
            all.set_item(field.name(), listed(py, column)?)?;
        }
        Ok(all)
    }

    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // A wish, which nobody has to follow.
        drop(requested_schema);
        let batch = self.batch.clone();
        let schema = batch.schema();
        let batches = RecordBatchIterator::new(std::iter::once(Ok::<_, ArrowError>(batch)), schema);
        stream(py, Box::new(batches))
    }
}

fn listed<'py>(py: Python<'py>, column: &ArrayRef) -> PyResult<Bound<'py, PyAny>> {
    use arrow_array::cast::AsArray;
    use arrow_array::types::{Float64Type, Int64Type};
    use arrow_schema::DataType;
    let listed = match column.data_type() {
        DataType::Int64 => column.as_primitive::<Int64Type>().iter().collect::<Vec<_>>().into_pyobject(py)?,
        DataType::Float64 => {
            column.as_primitive::<Float64Type>().iter().collect::<Vec<_>>().into_pyobject(py)?
        }
        DataType::Boolean => column.as_boolean().iter().collect::<Vec<_>>().into_pyobject(py)?,
        _ => column.as_string::<i32>().iter().collect::<Vec<_>>().into_pyobject(py)?,
    };
    Ok(listed.into_any())
}
