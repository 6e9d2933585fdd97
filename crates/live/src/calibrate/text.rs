//! The machine as TOML: each figure with how it was found, from how many repetitions, with which spread.

use super::formula::{Formula, pages};
use super::spread::Quartiles;
use super::subject::{Folios, Subject, new_file_bytes};
use super::{Calibration, TimedOn};
use petrio_models::host::machine::{CopyCurve, JumpCost, MachineParameters};
use petrio_units::{Bytes, Duration};
use std::fmt::Write;

impl Calibration {
    /// The profile: a machine that a scenario can name, with what was measured in its comments.
    pub fn to_toml(&self) -> String {
        let mut text = String::new();
        // Writing into a string can't fail.
        let _ = self.write_toml(&mut text);
        text
    }

    fn write_toml(&self, out: &mut String) -> std::fmt::Result {
        let machine = &self.machine;
        self.write_head(out)?;
        writeln!(out, "name = {}", quoted(&machine.name))?;
        writeln!(out, "source = {}", quoted(&machine.source))?;
        writeln!(out, "processors = {}", machine.processors)?;
        writeln!(out, "memory = \"{}\"", machine.memory)?;
        self.write_calls(out, machine)?;
        self.write_cache(out, machine)?;
        self.write_copies(out, machine)?;
        self.write_block(out, machine)?;
        if let Some(device) = &self.device {
            writeln!(out)?;
            device.write_comment(out)?;
        }
        Ok(())
    }

    fn write_head(&self, out: &mut String) -> std::fmt::Result {
        let place = match &self.place {
            TimedOn::OwnFileSystem => "a new ext3 (ordered) on a loop device over memory".to_owned(),
            TimedOn::Directory { kind } => format!("a directory on {kind}"),
        };
        writeln!(out, "# {}, measured by petrio calibrate.", self.machine.name)?;
        writeln!(out, "#")?;
        writeln!(
            out,
            "# Kernel {}; files timed in {place}. Times are those of the thread's processor,",
            self.kernel
        )?;
        writeln!(
            out,
            "# user's and system's, but where wall clock is said. Figures were taken in turns, {} times each; behind",
            self.sizes.repetitions
        )?;
        writeln!(
            out,
            "# one stand the median and, in parentheses, the quartiles. `petrio schema machine` explains each figure."
        )?;
        let sizes =
            |sizes: &[u64]| sizes.iter().map(|size| Bytes(*size).to_string()).collect::<Vec<_>>().join(", ");
        writeln!(out, "#")?;
        writeln!(out, "# Timed calls of {}", sizes(&self.sizes.blocks))?;
        writeln!(out, "# on files of {};", sizes(&self.sizes.files))?;
        writeln!(out, "# in sequence. Powers of two were never timed.")?;
        for (level, size) in ["second", "third"].iter().zip(self.caches) {
            if let Some(size) = size {
                writeln!(
                    out,
                    "# The {level}-level cache holds {size}: how fast copies are for that was measured."
                )?;
            }
        }
        if self.emptied > 0 {
            writeln!(
                out,
                "# Others emptied the page cache {} times meanwhile; what was timed then was timed again.",
                self.emptied
            )?;
        }
        if !self.handles {
            writeln!(out, "# This file system begins a journal handle only for writes that extend a file.")?;
        }
        writeln!(out)
    }

    fn behind(&self, subject: Subject) -> String {
        self.measured.get(&subject).map_or("not measured".to_owned(), |figure| of(*figure))
    }

    fn write_calls(&self, out: &mut String, machine: &MachineParameters) -> std::fmt::Result {
        let calls = &machine.calls;
        writeln!(out, "\n[calls]")?;
        let byte = format!(
            "pread of 1 byte {} less cache.hit; of none {}",
            self.behind(Subject::ReadByte),
            self.behind(Subject::ReadNothing)
        );
        line(out, "read", calls.read, &byte)?;
        let byte = format!("pwrite of 1 byte {} less page and handle", self.behind(Subject::WriteByte));
        line(out, "write", calls.write, &byte)?;
        line(out, "fsync", calls.fsync, &self.behind(Subject::SyncClean))?;
        line(out, "open", calls.open, &self.behind(Subject::OpenClose))?;
        let pair = format!(
            "half of create, close and unlink {} less close and handles",
            self.behind(Subject::CreateUnlink)
        );
        line(out, "namespace", calls.namespace, &pair)?;
        line(out, "fault", calls.fault, "not measured here: files are timed by calls")?;
        line(out, "store_fault", calls.store_fault, "not measured here either")?;
        line(
            out,
            "stdio",
            calls.stdio,
            &format!("fread of 64 bytes from its buffer {}", self.behind(Subject::Stdio)),
        )
    }

    fn write_cache(&self, out: &mut String, machine: &MachineParameters) -> std::fmt::Result {
        let cache = &machine.cache;
        writeln!(out, "\n[cache]")?;
        line(
            out,
            "hit",
            cache.hit,
            "reads in single pages against large folios, by least squares; at most what 1 byte costs more than none",
        )?;
        line(out, "folio_page", cache.folio_page, "in the copy curve")?;
        let cold = format!(
            "a byte of each page read cold {} less warm {}, lower quartiles, less requests, at least a half",
            self.behind(Subject::ColdRead),
            self.behind(Subject::WarmRead)
        );
        line(out, "insert", cache.insert, &cold)?;
        line(
            out,
            "write_page",
            cache.write_page,
            "overwrites in single pages against large folios, by least squares; at most what pwrite of 1 byte leaves",
        )?;
        line(out, "buffer", cache.buffer, "the same; each further page of a large folio")?;
        line(
            out,
            "new_page",
            cache.new_page,
            "least squares over overwrites of what isn't in the cache, lower quartiles, below",
        )?;
        line(out, "allocate", cache.allocate, "least squares over new files, lower quartiles, below")?;
        line(out, "allocate_call", cache.allocate_call, "the same; each piece of up to 128 KiB")?;
        let first = format!(
            "12 KiB to a new file {}, lower quartile, less the above",
            self.behind(Subject::NewSmallFile)
        );
        line(out, "allocate_file", cache.allocate_file, &first)?;
        line(
            out,
            "reclaim",
            cache.reclaim,
            &format!("POSIX_FADV_DONTNEED, a page {}", self.behind(Subject::Drop)),
        )?;
        let handle = format!(
            "futimens {} less pread of none; at most half of what a pwrite of 1 byte costs more",
            self.behind(Subject::SetTimes)
        );
        line(out, "journal_handle", cache.journal_handle, &handle)?;
        let first = "a first write to each 128 KiB of a file read in, less a second one, a page:";
        let first = format!("{first} {}, lower quartile", self.behind(Subject::FirstWrite));
        line(out, "new_buffer", cache.new_buffer, &first)?;
        self.write_jumps(out, machine)?;
        self.write_new_files(out, machine)?;
        self.write_single_pages(out, machine)
    }

    /// Calls at random: what they take more than calls in sequence.
    fn write_jumps(&self, out: &mut String, machine: &MachineParameters) -> std::fmt::Result {
        if machine.cache.jumps.is_empty() {
            return Ok(());
        }
        writeln!(
            out,
            "# Calls of 12 KiB at random: what they take more than in sequence. Behind each: read, overwritten."
        )?;
        writeln!(out, "jumps = [")?;
        for jump in &machine.cache.jumps {
            let (JumpCost { footprint, read, write, buffer }, file) = (jump, jump.footprint.get());
            writeln!(
                out,
                "    {{ footprint = \"{footprint}\", read = \"{read}\", write = \"{write}\", buffer = \"{buffer}\" }}, # {}, {}",
                self.behind(Subject::JumpRead { file }),
                self.behind(Subject::JumpOverwrite { folios: Folios::Large, file })
            )?;
        }
        writeln!(out, "]")
    }

    /// New files: measured beside what the figures above make of them.
    fn write_new_files(&self, out: &mut String, machine: &MachineParameters) -> std::fmt::Result {
        let Ok(mut formula) = Formula::new(machine, self.handles) else { return Ok(()) };
        writeln!(
            out,
            "\n# A page by size of call, ns: overwritten when not in the cache, and of a new file; the figures above give"
        )?;
        for &block in &self.sizes.blocks {
            let file = new_file_bytes(block, self.sizes.largest());
            let figures = (
                self.measured.get(&Subject::Refill { block }),
                self.measured.get(&Subject::NewFile { block }),
            );
            let (Some(refill), Some(new)) = figures else { continue };
            let pages = pages(block) as f64;
            writeln!(
                out,
                "#   {:>9} in {:>7}: {:6.0} [{:6.0}], {:6.0} [{:6.0}]",
                Bytes(block).to_string(),
                Bytes(file).to_string(),
                refill.lower / pages,
                formula.refill(block, file) / pages,
                new.lower / pages,
                formula.new_file(block, file) / pages
            )?;
        }
        Ok(())
    }

    /// Files in single pages: what the figures leave unexplained.
    fn write_single_pages(&self, out: &mut String, machine: &MachineParameters) -> std::fmt::Result {
        let Ok(mut formula) = Formula::new(machine, self.handles) else { return Ok(()) };
        writeln!(
            out,
            "\n# In files written page by page, so in folios of 4 KiB, a page takes beyond the figures above (ns), by file:"
        )?;
        for &file in &self.sizes.files {
            let mut more = (Vec::new(), Vec::new());
            for &block in &self.sizes.blocks {
                let folios = Folios::Single;
                if let Some(read) = self.measured.get(&Subject::Read { folios, block, file }) {
                    more.0.push((read.median - formula.read(folios, block, file)) / pages(block) as f64);
                }
                if let Some(write) = self.measured.get(&Subject::Overwrite { folios, block, file }) {
                    more.1
                        .push((write.median - formula.overwrite(folios, block, file)) / pages(block) as f64);
                }
            }
            if let (Some(read), Some(write)) = (Quartiles::of(more.0), Quartiles::of(more.1)) {
                writeln!(
                    out,
                    "#   {:>9}: {:+.0} read, {:+.0} overwritten",
                    Bytes(file).to_string(),
                    read.median,
                    write.median
                )?;
            }
        }
        Ok(())
    }

    fn write_copies(&self, out: &mut String, machine: &MachineParameters) -> std::fmt::Result {
        writeln!(
            out,
            "\n# What each call in large folios leaves beside the figures above, a page; a longer call than the file copies the file."
        )?;
        writeln!(out, "# Behind each: the call's median and its quartiles.")?;
        let curves =
            [("to_user", &machine.copy.to_user, false), ("from_user", &machine.copy.from_user, true)];
        for (name, curve, writes) in curves {
            let CopyCurve::Measured { points } = curve else { continue };
            writeln!(out, "\n[copy.{name}]\nkind = \"measured\"\npoints = [")?;
            for point in points {
                let (block, file) = (point.block.get(), point.footprint.get());
                let folios = Folios::Large;
                let subject = if writes {
                    Subject::Overwrite { folios, block, file }
                } else {
                    Subject::Read { folios, block, file }
                };
                let behind = self
                    .measured
                    .get(&subject)
                    .map_or("as the longest buffer timed".to_owned(), |figure| of(*figure));
                writeln!(
                    out,
                    "    {{ block = \"{}\", footprint = \"{}\", page = \"{}\" }}, # {behind}",
                    point.block, point.footprint, point.page
                )?;
            }
            writeln!(out, "]")?;
        }
        Ok(())
    }

    fn write_block(&self, out: &mut String, machine: &MachineParameters) -> std::fmt::Result {
        let block = &machine.block;
        writeln!(out, "\n[block]")?;
        let submit = match self.measured.get(&Subject::Direct) {
            Some(direct) => format!(
                "pread of 4 KiB with O_DIRECT {} less calls.read and wake_up, at least a half",
                of(*direct)
            ),
            None => "assumed: this file system has no direct I/O".to_owned(),
        };
        line(out, "submit", block.submit, &submit)?;
        let complete = match self.place {
            TimedOn::OwnFileSystem => format!(
                "wall clock of the same {} less two wake-ups and the copy; a tenth of submit at least, submit at most",
                self.behind(Subject::DirectWall)
            ),
            TimedOn::Directory { .. } => "assumed: half of submit".to_owned(),
        };
        line(out, "complete", block.complete, &complete)?;
        let wake_up = format!(
            "wall clock, lower quartile: half a round trip through pipes {}",
            self.behind(Subject::WakeUp)
        );
        line(out, "wake_up", block.wake_up, &wake_up)
    }
}

fn line(out: &mut String, name: &str, figure: Duration, comment: &str) -> std::fmt::Result {
    writeln!(out, "{:<30} # {comment}", format!("{name} = \"{figure}\""))
}

/// "416 ns (412–420)".
fn of(figure: Quartiles) -> String {
    let Quartiles { lower, median, upper, .. } = figure;
    if median >= 100_000.0 {
        format!("{:.0} us ({:.0}–{:.0})", median / 1e3, lower / 1e3, upper / 1e3)
    } else {
        format!("{median:.0} ns ({lower:.0}–{upper:.0})")
    }
}

/// A TOML string.
fn quoted(text: &str) -> String {
    let plain: String = text.chars().filter(|character| !character.is_control()).collect();
    format!("\"{}\"", plain.replace('\\', "\\\\").replace('"', "\\\""))
}
