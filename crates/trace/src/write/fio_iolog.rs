//! fio's I/O log, version 3, for `read_iolog`.
//!
//! Times are whole microseconds. A request to a device is one to a file of the name `device-MAJOR-MINOR` (use
//! `replay_redirect` to send it to a real one). Left out: calls that fio has no action for, calls that failed, ranges
//! that the trace doesn't know, and paths with blanks, which the format can't hold.

use super::encoder::Encoder;
use crate::event::{Event, EventKind};
use petrio_colours::{Direction, SECTOR_BYTES};
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::sync::Arc;

#[derive(Default)]
pub(super) struct FioIolog {
    begun: bool,
    /// Whether each file that was added is open.
    files: BTreeMap<Arc<str>, bool>,
}

impl FioIolog {
    /// fio knows a file after `add`, and moves bytes of one that is open.
    fn ready(&mut self, micros: u64, name: &Arc<str>, to: &mut dyn Write) -> io::Result<()> {
        if !self.files.contains_key(name) {
            writeln!(to, "{micros} {name} add")?;
            self.files.insert(name.clone(), false);
        }
        if !self.files.get(name).copied().unwrap_or_default() {
            writeln!(to, "{micros} {name} open")?;
            self.files.insert(name.clone(), true);
        }
        Ok(())
    }
}

/// What fio calls it, on which range; `None` for what it has no action for.
fn action(event: &Event) -> Option<(&'static str, Option<(u64, u64)>)> {
    let range = || Some((event.offset?, event.length));
    Some(match (event.kind, event.direction) {
        (EventKind::Open | EventKind::Create, _) => ("open", None),
        (EventKind::Close, _) => ("close", None),
        (EventKind::Read, _) => ("read", Some(range()?)),
        (EventKind::Write, _) => ("write", Some(range()?)),
        (EventKind::Fsync, _) | (EventKind::Queue, Some(Direction::Flush)) => ("sync", Some((0, 0))),
        (EventKind::Fdatasync, _) => ("datasync", Some((0, 0))),
        (EventKind::Queue, Some(direction)) => {
            let extent = event.extents.first()?;
            let range = (extent.address.checked_mul(SECTOR_BYTES)?, u64::from(extent.blocks) * SECTOR_BYTES);
            let action = match direction {
                Direction::Read => "read",
                Direction::Write | Direction::Flush => "write",
                Direction::Discard => "trim",
            };
            (action, Some(range))
        }
        _ => return None,
    })
}

fn name(event: &Event) -> Option<Arc<str>> {
    if event.kind.is_of_device() {
        let device = event.extents.first().map(|extent| extent.device).unwrap_or_default();
        return Some(format!("device-{}-{}", device >> 20, device & 0xf_ffff).into());
    }
    event.path.clone().filter(|path| !path.is_empty() && !path.contains(char::is_whitespace))
}

impl Encoder for FioIolog {
    fn event(&mut self, event: &Event, to: &mut dyn Write) -> io::Result<bool> {
        if !std::mem::replace(&mut self.begun, true) {
            writeln!(to, "fio version 3 iolog")?;
        }
        if event.error != 0 {
            return Ok(false);
        }
        let (Some((action, range)), Some(name)) = (action(event), name(event)) else { return Ok(false) };
        let micros = event.time.as_picos() / 1_000_000;
        match (action, range) {
            ("open", _) => {
                // Opened by somebody else already, or for the first time.
                let open = self.files.get(&name).copied().unwrap_or_default();
                self.ready(micros, &name, to)?;
                if open {
                    writeln!(to, "{micros} {name} open")?;
                }
            }
            ("close", _) => {
                writeln!(to, "{micros} {name} close")?;
                self.files.insert(name, false);
            }
            (action, range) => {
                self.ready(micros, &name, to)?;
                let (offset, length) = range.unwrap_or_default();
                writeln!(to, "{micros} {name} {action} {offset} {length}")?;
            }
        }
        Ok(true)
    }

    fn finish(&mut self, to: &mut dyn Write) -> io::Result<()> {
        if self.begun { Ok(()) } else { writeln!(to, "fio version 3 iolog") }
    }
}
