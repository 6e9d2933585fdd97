//! Traces in any format as Arrow batches.

use crate::error::{self, wrong};
use crate::table::stream;
use arrow_array::builder::{BooleanBuilder, Float64Builder, Int64Builder, StringBuilder};
use arrow_array::{ArrayRef, RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use petrio_colours::Direction;
use petrio_files::inputs::Inputs;
use petrio_trace::event::Event;
use petrio_trace::{EventReader, FormatName, TraceError, TraceOptions};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// Events of a batch.
const BATCH: usize = 65_536;

/// A trace, read when somebody takes its batches: once.
#[pyclass(frozen, module = "petrio._petrio")]
pub(crate) struct TraceBatches {
    path: PathBuf,
    format: FormatName,
    reader: Mutex<Option<EventReader>>,
}

/// Opens a trace in any format that petrio reads.
#[pyfunction]
#[pyo3(signature = (path, format=None))]
pub(crate) fn trace(path: PathBuf, format: Option<&str>) -> PyResult<TraceBatches> {
    let format = format.map(named).transpose()?;
    let options = TraceOptions { format, ..TraceOptions::default() };
    let reader = EventReader::open_in(&Inputs::here(), Path::new(&path), &options)
        .map_err(|cause| error::plain(&cause))?;
    Ok(TraceBatches { path, format: reader.format(), reader: Mutex::new(Some(reader)) })
}

fn named(name: &str) -> PyResult<FormatName> {
    let found = FormatName::ALL.into_iter().find(|format| format.name() == name);
    found.ok_or_else(|| {
        wrong(format!("there is no format \"{name}\"; {}", FormatName::ALL.map(FormatName::name).join(", ")))
    })
}

#[pymethods]
impl TraceBatches {
    /// The format that it is in.
    #[getter]
    fn format(&self) -> &'static str {
        self.format.name()
    }

    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        drop(requested_schema);
        let reader = self.reader.lock().unwrap_or_else(PoisonError::into_inner).take();
        let reader = reader.ok_or_else(|| {
            wrong(format!("{} was read already: petrio.trace opens it again", self.path.display()))
        })?;
        stream(py, Box::new(Batches { reader, schema: Arc::new(schema()) }))
    }
}

fn schema() -> Schema {
    let field = |(name, kind): (&str, DataType)| Field::new(name, kind, true);
    Schema::new(
        [
            ("time_s", DataType::Float64),
            ("kind", DataType::Utf8),
            ("process", DataType::Int64),
            ("device", DataType::Int64),
            ("inode", DataType::Int64),
            ("path", DataType::Utf8),
            ("new_path", DataType::Utf8),
            ("direction", DataType::Utf8),
            ("address", DataType::Int64),
            ("offset", DataType::Int64),
            ("length", DataType::Int64),
            ("service_s", DataType::Float64),
            ("error", DataType::Int64),
            ("size", DataType::Int64),
            ("hit", DataType::Boolean),
            ("synchronous", DataType::Boolean),
        ]
        .map(field)
        .to_vec(),
    )
}

struct Batches {
    reader: EventReader,
    schema: SchemaRef,
}

impl RecordBatchReader for Batches {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }
}

impl Iterator for Batches {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        let events: Result<Vec<Event>, TraceError> = self.reader.by_ref().take(BATCH).collect();
        match events {
            Ok(events) if events.is_empty() => None,
            Ok(events) => Some(RecordBatch::try_new(self.schema.clone(), arrays(&events))),
            Err(cause) => Some(Err(ArrowError::ExternalError(Box::new(cause)))),
        }
    }
}

const fn word(direction: Direction) -> &'static str {
    match direction {
        Direction::Read => "read",
        Direction::Write => "write",
        Direction::Flush => "flush",
        Direction::Discard => "discard",
    }
}

/// The columns, in the order of the schema.
fn arrays(events: &[Event]) -> Vec<ArrayRef> {
    let whole = |of: &dyn Fn(&Event) -> Option<u64>| -> ArrayRef {
        let mut column = Int64Builder::with_capacity(events.len());
        events
            .iter()
            .for_each(|event| column.append_option(of(event).and_then(|value| i64::try_from(value).ok())));
        Arc::new(column.finish())
    };
    let number = |of: &dyn Fn(&Event) -> Option<f64>| -> ArrayRef {
        let mut column = Float64Builder::with_capacity(events.len());
        events.iter().for_each(|event| column.append_option(of(event)));
        Arc::new(column.finish())
    };
    let text = |of: &dyn Fn(&Event) -> Option<&str>| -> ArrayRef {
        let mut column = StringBuilder::new();
        events.iter().for_each(|event| column.append_option(of(event)));
        Arc::new(column.finish())
    };
    let truth = |of: &dyn Fn(&Event) -> Option<bool>| -> ArrayRef {
        let mut column = BooleanBuilder::with_capacity(events.len());
        events.iter().for_each(|event| column.append_option(of(event)));
        Arc::new(column.finish())
    };
    let device = |event: &Event| event.extents.first().map_or(event.file.device, |extent| extent.device);
    vec![
        number(&|event| Some(event.time.as_seconds())),
        text(&|event| Some(event.kind.name())),
        whole(&|event| Some(event.process.into())),
        whole(&|event| Some(device(event).into())),
        whole(&|event| event.file.is_known().then_some(event.file.inode)),
        text(&|event| event.path.as_deref()),
        text(&|event| event.new_path.as_deref()),
        text(&|event| event.direction.map(word)),
        whole(&|event| Some(event.extents.first()?.address)),
        whole(&|event| event.offset),
        whole(&|event| Some(event.length)),
        number(&|event| event.service.map(petrio_kernel::Time::as_seconds)),
        whole(&|event| Some(event.error.into())),
        whole(&|event| event.size),
        truth(&|event| event.hit),
        truth(&|event| Some(event.synchronous)),
    ]
}
