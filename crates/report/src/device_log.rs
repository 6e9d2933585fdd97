//! Every request that reaches a device, as the stages above have merged, split and flushed it: a row each, in CSV or,
//! where the file's name ends in `.parquet`, in Parquet.
//!
//! The columns: when it arrived at the device (seconds of model time with all twelve digits in CSV, picoseconds in
//! Parquet), the device's name, read, write or flush, first block and number of blocks (512 bytes), whether everything
//! written before is to be flushed before it, whether it must reach the medium, whether somebody waits for it, the
//! process that asked, the kernel's thread (`flusher`, `journal`, `swapper`) where it was one, what it is for (`data`,
//! `metadata`, `journal`, `swap`, `redundancy`, `rebuild`, `copy`; with a plus between them where requests for several
//! were merged), when the device reported it complete (nothing where the run ended before), and where the time between
//! went, by cause. Rows are in the order of arrival.

use crate::error::ReportError;
use crate::parquet::{DeviceColumns, DeviceRow, Rows};
use crate::sink::DeviceSink;
use crate::subject::Reported;
use crate::whole_file::WholeFile;
use petrio_colours::{BlockRequest, Cause, Causes};
use petrio_engine::Visit;
use petrio_files::inputs::Inputs;
use petrio_kernel::Time;
use petrio_models::host::kernel_thread;
use std::io::{self, Write};
use std::path::Path;

/// Writes a device log.
pub struct DeviceLog {
    devices: Vec<String>,
    form: Form,
}

enum Form {
    Csv(Option<WholeFile>),
    Parquet(Box<Rows<DeviceColumns>>),
}

const HEADINGS: &[u8] =
    b"time_s,device,direction,address,blocks,flush_before,force_unit_access,synchronous,process,\
    thread,purpose,completed_s";

impl DeviceLog {
    /// Begins the file, in the place of none of those `inputs`. `devices` are the names of the devices, by index.
    ///
    /// # Errors
    /// When it can't be written.
    pub fn create(path: &Path, inputs: &Inputs, devices: Vec<String>) -> Result<Self, ReportError> {
        let form = if path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("parquet")) {
            Form::Parquet(Box::new(Rows::create(path, inputs)?))
        } else {
            let mut file = WholeFile::create(path, inputs)?;
            headings(&mut file).map_err(|cause| ReportError::write(path, cause))?;
            Form::Csv(Some(file))
        };
        Ok(Self { devices, form })
    }
}

fn headings(file: &mut WholeFile) -> io::Result<()> {
    file.write_all(HEADINGS)?;
    Cause::ALL.iter().try_for_each(|cause| write!(file, ",{}_s", cause.name()))?;
    file.write_all(b"\n")
}

/// Seconds, to the picosecond.
struct Seconds(Time);

impl std::fmt::Display for Seconds {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let ps = self.0.as_picos();
        write!(f, "{}.{:012}", ps / 1_000_000_000_000, ps % 1_000_000_000_000)
    }
}

fn row(file: &mut WholeFile, device: &str, visit: &Visit) -> io::Result<()> {
    let Visit { request, arrived, completed, spent, .. } = visit;
    write!(
        file,
        "{},{device},{},{},{},{},{},{},{},{},{},",
        Seconds(*arrived),
        BlockRequest::KINDS[request.kind()].name,
        request.address,
        request.blocks,
        request.flush_before,
        request.force_unit_access,
        request.synchronous,
        request.process,
        kernel_thread(request.process).unwrap_or_default(),
        request.purposes,
    )?;
    match completed {
        Some(completed) => {
            write!(file, "{}", Seconds(*completed))?;
            Cause::ALL.iter().try_for_each(|&cause| write!(file, ",{}", Seconds(spent.of(cause))))?;
        }
        None => Cause::ALL.iter().try_for_each(|_| file.write_all(b","))?,
    }
    file.write_all(b"\n")
}

impl DeviceSink for DeviceLog {
    fn visited(&mut self, visit: &Visit) -> Result<(), ReportError> {
        let device = self.devices.get(visit.device).map_or("", String::as_str);
        match &mut self.form {
            Form::Parquet(rows) => rows.push(DeviceRow { device, visit }),
            Form::Csv(None) => Ok(()),
            Form::Csv(Some(file)) => {
                row(file, device, visit).map_err(|cause| ReportError::write(file.path(), cause))
            }
        }
    }

    fn finish(&mut self) -> Result<(), ReportError> {
        match &mut self.form {
            Form::Parquet(rows) => rows.finish(),
            Form::Csv(file) => file.take().map_or(Ok(()), WholeFile::finish),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use petrio_colours::{Direction, Ledger, Purpose};

    #[test]
    fn both_forms_hold_a_row_for_every_request() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["log.csv", "log.parquet"] {
            let path = folder.path().join(name);
            let mut log =
                DeviceLog::create(&path, &Inputs::none(), vec!["a".to_owned(), "b".to_owned()]).unwrap();
            for n in 0..3u64 {
                let (direction, process, purpose) = match n {
                    1 => (Direction::Flush, u32::MAX - 2, Purpose::Journal),
                    _ => (Direction::Write, 0, Purpose::Data),
                };
                let purposes = purpose.into();
                let request = BlockRequest {
                    direction,
                    process,
                    purposes,
                    address: n * 8,
                    blocks: 8,
                    ..BlockRequest::default()
                };
                let mut spent = Ledger::default();
                spent.charge(Cause::Transfer, Time::from_micros(n));
                let completed = (n < 2).then(|| Time::from_millis(n) + spent.total());
                log.visited(&Visit { device: 1, request, arrived: Time::from_millis(n), completed, spent })
                    .unwrap();
            }
            assert!(!path.exists(), "complete or absent");
            log.finish().unwrap();
        }
        let text = std::fs::read_to_string(folder.path().join("log.csv")).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 4);
        let expected =
            "0.001000000000,b,flush,8,8,false,false,false,4294967293,journal,journal,0.001001000000";
        assert!(lines[2].starts_with(expected), "{}", lines[2]);
        assert!(lines[3].contains(",data,,"), "never completed: {}", lines[3]);
        let columns = |line: &str| line.split(',').count();
        assert!(lines.iter().all(|line| columns(line) == columns(lines[0])), "{text}");
        use ::parquet::file::reader::{FileReader, SerializedFileReader};
        let file = std::fs::File::open(folder.path().join("log.parquet")).unwrap();
        let reader = SerializedFileReader::new(file).unwrap();
        assert_eq!(reader.metadata().file_metadata().num_rows(), 3);
    }
}
