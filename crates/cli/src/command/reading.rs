//! How a trace is read: options that all commands share that read one.

use crate::failure::Failure;
use clap::Args;
use petrio_files::inputs::Inputs;
use petrio_trace::{ColumnUnits, EventReader, FormatName, NamedColumns, OwnTable, TraceOptions};
use serde::de::DeserializeOwned;
use std::path::Path;

/// How traces are read.
#[derive(Args)]
pub(crate) struct Reading {
    /// The format of a trace, where it can't be told from the content (`petrio trace formats` lists them)
    #[arg(long, value_name = "FORMAT", value_parser = input_format)]
    format: Option<FormatName>,
    /// How many records of a trace out of place a record may be; those within are sorted
    #[arg(long, value_name = "RECORDS")]
    reorder_window: Option<usize>,
    /// Read a table of your own: which column means what, by the names in its first line, such as
    /// time=ts,operation=rw,offset=lba,length=size (and response=, process=, device=), or by their numbers, such as
    /// time=1,op=4,lba=2,size=3; read=0,write=1 are the operation's words where they are others than R and W
    #[arg(long, value_name = "NAMES", requires = "units", value_parser = table::<NamedColumns>)]
    columns: Option<NamedColumns>,
    /// The units of these columns, such as time=ms,offset=sectors,length=bytes
    #[arg(long, value_name = "UNITS", requires = "columns", value_parser = table::<ColumnUnits>)]
    units: Option<ColumnUnits>,
}

/// Words such as time=ts,offset=lba as a table.
fn table<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    let mut table = toml::Table::new();
    for word in text.split(',') {
        let (key, value) = word.split_once('=').ok_or_else(|| format!("\"{word}\" has no \"=\""))?;
        table.insert(key.trim().to_owned(), toml::Value::String(value.trim().to_owned()));
    }
    table.try_into().map_err(|error: toml::de::Error| error.message().replace('`', "\""))
}

impl Reading {
    pub(crate) fn options(&self) -> TraceOptions {
        let own = self.columns.clone().zip(self.units).map(|(columns, units)| OwnTable { columns, units });
        let (format, reorder_window) = (self.format, self.reorder_window);
        TraceOptions { format, reorder_window, own, ..TraceOptions::default() }
    }

    pub(crate) fn open(&self, inputs: &Inputs, path: &Path) -> Result<EventReader, Failure> {
        Ok(EventReader::open_in(inputs, path, &self.options())?)
    }
}

fn input_format(name: &str) -> Result<FormatName, String> {
    FormatName::ALL
        .into_iter()
        .find(|format| format.name() == name)
        .ok_or_else(|| format!("the formats are {}", FormatName::ALL.map(FormatName::name).join(", ")))
}
