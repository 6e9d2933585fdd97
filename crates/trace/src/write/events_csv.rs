//! Every event with every column, as comma-separated values.

use super::encoder::Encoder;
use crate::event::{Event, Extent};
use crate::format::events_csv::{COLUMNS, VERSION_LINE};
use crate::native::{access_name, direction_name};
use std::fmt::Display;
use std::io::{self, Write};

#[derive(Default)]
pub(super) struct EventsCsv {
    begun: bool,
}

impl EventsCsv {
    fn begin(&mut self, to: &mut dyn Write) -> io::Result<()> {
        match std::mem::replace(&mut self.begun, true) {
            true => Ok(()),
            false => writeln!(to, "{VERSION_LINE}\n{}", COLUMNS.join(",")),
        }
    }
}

/// A column that may be empty, and the comma before it.
fn column(to: &mut dyn Write, value: Option<impl Display>) -> io::Result<()> {
    match value {
        Some(value) => write!(to, ",{value}"),
        None => to.write_all(b","),
    }
}

/// Text in quotation marks where it needs them; an empty one always, which tells it from none.
fn text(to: &mut dyn Write, text: Option<&str>) -> io::Result<()> {
    let Some(text) = text else { return to.write_all(b",") };
    let plain = !text.is_empty()
        && text == text.trim()
        && !text.contains(|character: char| matches!(character, ',' | '"' | '\\') || character.is_control());
    if plain {
        return write!(to, ",{text}");
    }
    let escaped = text.replace('\\', "\\\\").replace('"', "\"\"").replace('\n', "\\n").replace('\r', "\\r");
    write!(to, ",\"{escaped}\"")
}

impl Encoder for EventsCsv {
    fn event(&mut self, event: &Event, to: &mut dyn Write) -> io::Result<bool> {
        self.begin(to)?;
        let (time, kind, file) = (event.time.as_picos(), event.kind.name(), event.file);
        write!(to, "{time},{kind},{},{},{},{}", event.process, file.device, file.inode, file.generation)?;
        text(to, event.path.as_deref())?;
        text(to, event.new_path.as_deref())?;
        column(to, event.offset)?;
        column(to, Some(event.length))?;
        column(to, event.service.map(petrio_time::Time::as_picos))?;
        column(to, Some(event.error))?;
        column(to, event.size)?;
        let ages = event.ages.as_deref().copied().unwrap_or_default();
        column(to, ages.modified)?;
        column(to, ages.accessed)?;
        column(to, ages.changed)?;
        column(to, event.access.map(access_name))?;
        column(to, event.hit.map(u8::from))?;
        column(to, event.totals.map(|totals| totals.bytes_read))?;
        column(to, event.totals.map(|totals| totals.bytes_written))?;
        column(to, event.totals.map(|totals| totals.reads))?;
        column(to, event.totals.map(|totals| totals.writes))?;
        let first = event.extents.first();
        column(to, first.map(|extent| extent.device))?;
        column(to, first.map(|extent| extent.address))?;
        column(to, first.map(|extent| extent.blocks))?;
        column(to, first.map(|extent| u8::from(extent.hit)))?;
        let more = |extent: &Extent| {
            let Extent { device, address, blocks, hit } = *extent;
            format!("{device}:{address}:{blocks}:{}", u8::from(hit))
        };
        let more: Vec<String> = event.extents.iter().skip(1).map(more).collect();
        column(to, (!more.is_empty()).then(|| more.join(";")))?;
        column(to, event.direction.map(direction_name))?;
        column(to, event.request)?;
        column(to, Some(u8::from(event.synchronous)))?;
        column(to, Some(u8::from(event.force_unit_access)))?;
        column(to, Some(u8::from(event.metadata)))?;
        to.write_all(b"\n")?;
        Ok(true)
    }

    fn finish(&mut self, to: &mut dyn Write) -> io::Result<()> {
        self.begin(to)
    }
}
