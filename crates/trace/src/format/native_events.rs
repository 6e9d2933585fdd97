//! All events of petrio's own trace file that comes as a stream: a file is read where it lies.

use super::{Format, RawEvent};
use crate::error::{Fault, TraceError};
use crate::event::Event;
use crate::input::Input;
use crate::native::{About, NativeReader, Wanted};
use std::sync::Arc;

/// The events as they stand.
pub(crate) struct NativeEvents {
    name: Arc<str>,
    reader: Option<Box<NativeReader>>,
    row: u64,
}

impl NativeEvents {
    pub(crate) const fn new(name: Arc<str>) -> Self {
        Self { name, reader: None, row: 0 }
    }

    /// Of a file that is open.
    pub(crate) fn of(name: Arc<str>, reader: NativeReader) -> Self {
        Self { name, reader: Some(Box::new(reader)), row: 0 }
    }
}

impl Format<Event> for NativeEvents {
    fn next(&mut self, input: &mut Input) -> Result<Option<RawEvent>, Fault> {
        let reader = match &mut self.reader {
            Some(reader) => reader,
            None => {
                let file = input.kept_aside()?;
                let reader = NativeReader::of_file(self.name.clone(), file, Wanted::Everything)?;
                self.reader.insert(Box::new(reader))
            }
        };
        let Some(event) = reader.next().transpose()? else { return Ok(None) };
        self.row += 1;
        Ok(Some(RawEvent { clock: u128::from(event.time.as_picos()), at: self.row, record: event }))
    }

    fn stands_alone(&self) -> bool {
        true
    }

    fn rows(&self) -> u64 {
        self.row
    }

    fn go_to_row(&mut self, row: u64) -> Result<(), TraceError> {
        self.row = self.row.max(row);
        self.reader.as_mut().map_or(Ok(()), |reader| reader.go_to(row))
    }

    fn about(&self) -> Option<&About> {
        self.reader.as_ref().map(|reader| reader.about())
    }
}
