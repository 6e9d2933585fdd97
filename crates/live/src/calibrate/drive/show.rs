//! What was found, as a person reads it: figures, each with how sure it is.

use super::cache::FoundReadAhead;
use super::{Compared, Found, FoundConstant, FoundDisk, Verified};
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
        if let Some(writes) = self.writes {
            match writes.reported {
                0 => writeln!(
                    out,
                    "  {:<22}on the medium before they are reported; {:.1} us more settling than a read",
                    "writes",
                    writes.settle * 1e6
                )?,
                1 => writeln!(
                    out,
                    "  {:<22}one is reported at once, after {:.1} us",
                    "writes",
                    writes.reported_span * 1e6
                )?,
                some => writeln!(
                    out,
                    "  {:<22}{some} in a row are reported at once, after {:.1} us",
                    "writes",
                    writes.reported_span * 1e6
                )?,
            }
        }
        writeln!(out, "  {:<22}{}", "requests", self.requests)?;
        writeln!(out, "\n  zone  first sector   tracks  sectors  track skew  cylinder skew")?;
        for (number, zone) in self.zones.iter().enumerate() {
            writeln!(
                out,
                "  {number:>4}  {:>12}  {:>7}  {:>7}  {:>10.2}  {:>13.2}",
                zone.first_sector, zone.tracks, zone.sectors_per_track, zone.track_skew, zone.cylinder_skew
            )?;
        }
        writeln!(out, "\n  cylinders   seek, ms   spread, us")?;
        for point in &self.seeks {
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
    let mut text = format!("  {:<24}{:>16}{:>16}{:>12}\n", "", "found", "so it is", "off");
    for row in rows {
        let _ = writeln!(text, "  {:<24}{:>16.3}{:>16.3}{:>12.3}", row.what, row.found, row.truth, row.off);
    }
    text
}

/// What the device and the drive made of it take.
pub fn verified_table(verified: &Verified) -> String {
    let errors = verified.errors().map(|error| error * 100.0);
    let (measured, predicted) = (verified.measured, verified.predicted);
    let mut text = format!("  {:<24}{:>12}{:>12}{:>10}\n", "", "measured", "its model", "off");
    let mut row = |what: &str, one: f64, other: f64, error: f64| {
        let _ = writeln!(text, "  {what:<24}{:>9.3} ms{:>9.3} ms{error:>8.2} %", one * 1e3, other * 1e3);
    };
    row("random read, 4 KiB", measured.random, predicted.random, errors[0]);
    row("sequential read, 64 KiB", measured.sequential, predicted.sequential, errors[1]);
    text
}
