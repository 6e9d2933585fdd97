//! What was found, as a person reads it: figures, each with how sure it is.

use super::cache::FoundReadAhead;
use super::{Compared, Found, FoundConstant, FoundDisk, FoundReporting, SeekPoint, Verified};
use petrio_units::Bytes;
use std::fmt::Write;

impl Found {
    /// The figures in lines, each with its uncertainty.
    pub fn to_table(&self) -> String {
        let mut text = String::new();
        // Writing into a string can't fail.
        let _ = match self {
            Self::Disk(disk) => disk.write(&mut text),
            Self::Constant(device) => device.write(&mut text),
        };
        text
    }
}

impl FoundConstant {
    fn write(&self, out: &mut String) -> std::fmt::Result {
        writeln!(out, "Nothing turns here: reads of a sector come at times that share no period.")?;
        writeln!(out, "  size                  {}", Bytes(self.bytes))?;
        writeln!(out, "  latency               {:.1} us", self.latency * 1e6)?;
        match self.rate.is_finite() {
            true => writeln!(out, "  rate                  {:.1} MB/s", self.rate / 1e6)?,
            false => writeln!(out, "  rate                  without a limit that shows")?,
        }
        writeln!(out, "  requests              {}", self.requests)
    }
}

impl FoundDisk {
    fn write(&self, out: &mut String) -> std::fmt::Result {
        let stray = self.stray * 1e6;
        let fine = self.resolution * 1e6 + stray;
        writeln!(out, "  {:<22}{}", "size", Bytes(self.sectors * self.sector_bytes))?;
        writeln!(
            out,
            "  {:<22}{:.4} rpm ({:.6} ms; completions stray by {stray:.3} us)",
            "rotation",
            60.0 / self.period,
            self.period * 1e3
        )?;
        match self.surfaces_seen {
            true => writeln!(out, "  {:<22}{}", "surfaces", self.surfaces)?,
            false => {
                writeln!(out, "  {:<22}not told by its times; tracks are taken for cylinders", "surfaces")?;
            }
        }
        writeln!(out, "  {:<22}{:.1} us ± {fine:.1}", "overhead of a miss", self.overhead * 1e6)?;
        writeln!(out, "  {:<22}{:.1} us ± {fine:.1}", "head switch", self.head_switch * 1e6)?;
        self.write_cache(out)?;
        self.write_writes(out)?;
        writeln!(out, "  {:<22}{}", "requests", self.requests)?;
        writeln!(out, "\n  zone  first sector   tracks  sectors  track skew  cylinder skew")?;
        for (number, zone) in self.zones.iter().enumerate() {
            writeln!(
                out,
                "  {number:>4}  {:>12}  {:>7}  {:>7}  {:>10.2}  {:>13.2}",
                zone.first_sector, zone.tracks, zone.sectors_per_track, zone.track_skew, zone.cylinder_skew
            )?;
        }
        Self::write_seeks(out, "seek, ms", &self.seeks)?;
        match &self.writes {
            Some(writes) => Self::write_seeks(out, "to write", &writes.seeks),
            None => Ok(()),
        }
    }

    fn write_seeks(out: &mut String, head: &str, points: &[SeekPoint]) -> std::fmt::Result {
        writeln!(out, "\n  cylinders   {head:>8}   spread, us")?;
        for point in points {
            writeln!(
                out,
                "  {:>9}  {:>9.4}  {:>11.1}",
                point.cylinders,
                point.seconds * 1e3,
                point.spread * 1e6
            )?;
        }
        Ok(())
    }

    fn write_writes(&self, out: &mut String) -> std::fmt::Result {
        let Some(writes) = &self.writes else { return Ok(()) };
        let at_once = format!("at once, after {:.1} us", writes.reported_span * 1e6);
        let told = match writes.reporting {
            FoundReporting::Never => "reported when they are on the medium".to_owned(),
            FoundReporting::Single => {
                format!("one is reported {at_once}, with nothing on its way to the medium")
            }
            FoundReporting::Always => format!("one is reported {at_once}; the next waits for the arm"),
            FoundReporting::Held => {
                let more = if writes.at_least { "at least " } else { "" };
                let bytes = match writes.held_sectors {
                    Some(sectors) => format!(", {} of data at most", Bytes(sectors * self.sector_bytes)),
                    None => String::new(),
                };
                format!("{more}{} are held{bytes}, reported {at_once}", writes.held)
            }
        };
        writeln!(out, "  {:<22}{told}", "writes")?;
        if writes.least > 0.0 {
            let us = writes.least * 1e6;
            return writeln!(
                out,
                "  {:<22}{us:.1} us at the least before they reach the medium",
                "writes elsewhere"
            );
        }
        writeln!(
            out,
            "  {:<22}{:.1} us more than a head switch for a read",
            "settling of writes",
            writes.settle * 1e6
        )
    }

    fn write_cache(&self, out: &mut String) -> std::fmt::Result {
        let Some(cache) = self.cache else {
            return writeln!(out, "  {:<22}none: what was just read isn't there any faster", "cache");
        };
        let more = if cache.at_least { "at least " } else { "" };
        let size = Bytes(cache.segment_sectors * self.sector_bytes);
        writeln!(
            out,
            "  {:<22}{more}{} segments of {size}; a hit {:.1} us and {:.2} us a sector",
            "cache",
            cache.segments,
            cache.hit * 1e6,
            cache.hit_sector * 1e6
        )?;
        let ahead = match cache.read_ahead {
            FoundReadAhead::None => "nothing".to_owned(),
            FoundReadAhead::Track => "to the end of the track".to_owned(),
            FoundReadAhead::Cylinder => "to the end of the cylinder".to_owned(),
            FoundReadAhead::Segment => format!("{}", Bytes(cache.read_ahead_sectors * self.sector_bytes)),
        };
        let again = if cache.read_ahead_after_hit { ", anew after a hit" } else { "" };
        writeln!(out, "  {:<22}{ahead}{again}", "read ahead")
    }
}

/// What was found beside what is so.
pub fn compared_table(rows: &[Compared]) -> String {
    let mut text = format!("  {:<30}{:>15} {:>15} {:>15}\n", "", "found", "so it is", "off");
    for row in rows {
        let _ = writeln!(text, "  {:<30}{:>15.3} {:>15.3} {:>15.3}", row.what, row.found, row.truth, row.off);
    }
    text
}

/// What the device and the drive made of it take.
pub fn verified_table(verified: &Verified) -> String {
    let mut text = format!("  {:<24}{:>14}{:>14}{:>14}\n", "", "measured", "its model", "off");
    for check in verified.checks() {
        let (one, other, error) = (check.measured * 1e3, check.predicted * 1e3, check.error() * 100.0);
        let _ = writeln!(text, "  {:<24} {one:>10.3} ms {other:>10.3} ms {error:>+11.2} %", check.what);
    }
    text
}
