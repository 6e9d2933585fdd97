//! What each format that is written has to do.

use crate::event::Event;
use std::io::{self, Write};

/// Puts events into the form of one format.
pub(super) trait Encoder {
    /// Writes an event; false where the format can't hold it.
    fn event(&mut self, event: &Event, to: &mut dyn Write) -> io::Result<bool>;

    /// Writes a remark, where the format has room for one.
    fn note(&mut self, note: &str, to: &mut dyn Write) -> io::Result<()> {
        let _ = (note, to);
        Ok(())
    }

    /// Writes what was held back.
    fn finish(&mut self, to: &mut dyn Write) -> io::Result<()> {
        let _ = to;
        Ok(())
    }
}
