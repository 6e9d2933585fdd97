//! Zones: areas that are gone through one after the other (fio's `zonemode=strided`), and devices whose zones are written from
//! their beginning only (`zonemode=zbd`), as far as the order of accesses goes.

use petrio_persist::Persist;
use petrio_units::Bytes;
use petrio_units::numbers::as_index;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Areas that are gone through one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema, Persist)]
#[serde(deny_unknown_fields)]
pub struct Strides {
    /// Bytes that are accessed in an area before the next one (fio's `zonesize`).
    #[persist(keep)]
    pub amount: Bytes,
    /// How large an area is (fio's `zonerange`).
    #[persist(keep)]
    pub range: Bytes,
    /// How far behind its end the next one begins (fio's `zoneskip`).
    #[serde(default)]
    #[persist(keep)]
    pub skip: Bytes,
}

/// A device or file whose zones are written from their beginning to their end.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema, Persist)]
#[serde(deny_unknown_fields)]
pub struct ZoneLog {
    /// How large a zone is.
    #[persist(keep)]
    pub size: Bytes,
    /// How many may be written to at a time; left out, any number (fio's `max_open_zones`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub open: Option<u32>,
}

/// How far the zones of one file are written.
#[derive(Clone, Debug, Default, Persist)]
pub(super) struct Written {
    /// Bytes by zone: those that are begun and not full.
    open: BTreeMap<u64, u64>,
}

impl Written {
    /// Where a write goes that is to be in the zone of a place: where the zone's last one ended. A full zone begins anew.
    pub(super) fn place(&mut self, log: &ZoneLog, offset: u64, length: u64) -> u64 {
        let size = log.size.get();
        let mut zone = offset / size;
        let full = log.open.is_some_and(|most| self.open.len() >= most as usize);
        if full
            && !self.open.contains_key(&zone)
            && let Some(&other) = self.open.keys().nth(as_index(zone % self.open.len() as u64))
        {
            zone = other;
        }
        let written = self.open.entry(zone).or_default();
        if *written + length > size {
            *written = 0;
        }
        let at = zone * size + *written;
        *written += length;
        if *written + length > size {
            self.open.remove(&zone);
        }
        at
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_zone_is_written_from_its_beginning() {
        let log = ZoneLog { size: Bytes(100), open: Some(2) };
        let mut written = Written::default();
        let places: Vec<u64> = [250, 210, 30, 999, 299].map(|at| written.place(&log, at, 30)).to_vec();
        // Zone 2 twice, zone 0 once; a third zone may not be opened, so one of the two takes what is for it.
        assert_eq!(places[..3], [200, 230, 0]);
        assert!([30, 260].contains(&places[3]), "{places:?}");
    }
}
