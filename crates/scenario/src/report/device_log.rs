//! Every request that reaches a device, as the stages above have merged, split and flushed it: a row each, in CSV or,
//! where the file's name ends in `.parquet`, in Parquet.
//!
//! The columns: when it arrived at the device (seconds of model time with all twelve digits in CSV, picoseconds in
//! Parquet), the device's name, read, write or flush, first block and number of blocks (512 bytes), whether everything
//! written before is to be flushed before it, whether it must reach the medium, whether somebody waits for it, and the
//! process that asked.

use crate::report::error::ReportError;
use crate::report::parquet::{DeviceColumns, DeviceRow, Rows};
use crate::report::sink::DeviceSink;
use crate::report::subject::Reported;
use crate::report::whole_file::WholeFile;
use petrio_colours::BlockRequest;
use petrio_kernel::Time;
use std::io::Write;
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
    b"time_s,device,direction,address,blocks,flush_before,force_unit_access,synchronous,process\n";

impl DeviceLog {
    /// Begins the file. `devices` are the names of the devices, by index.
    ///
    /// # Errors
    /// When it can't be written.
    pub fn create(path: &Path, devices: Vec<String>) -> Result<Self, ReportError> {
        let form = if path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("parquet")) {
            Form::Parquet(Box::new(Rows::create(path)?))
        } else {
            let mut file = WholeFile::create(path)?;
            file.write_all(HEADINGS).map_err(|cause| ReportError::write(path, cause))?;
            Form::Csv(Some(file))
        };
        Ok(Self { devices, form })
    }
}

impl DeviceSink for DeviceLog {
    fn arrived(&mut self, device: usize, request: &BlockRequest, at: Time) -> Result<(), ReportError> {
        let device = self.devices.get(device).map_or("", String::as_str);
        let file = match &mut self.form {
            Form::Parquet(rows) => return rows.push(DeviceRow { at, device, request }),
            Form::Csv(None) => return Ok(()),
            Form::Csv(Some(file)) => file,
        };
        let ps = at.as_picos();
        let written = writeln!(
            file,
            "{}.{:012},{device},{},{},{},{},{},{},{}",
            ps / 1_000_000_000_000,
            ps % 1_000_000_000_000,
            BlockRequest::KINDS[request.kind()].name,
            request.address,
            request.blocks,
            request.flush_before,
            request.force_unit_access,
            request.synchronous,
            request.process
        );
        written.map_err(|cause| ReportError::write(file.path(), cause))
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
    use petrio_colours::Direction;

    #[test]
    fn both_forms_hold_a_row_for_every_request() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["log.csv", "log.parquet"] {
            let path = folder.path().join(name);
            let mut log = DeviceLog::create(&path, vec!["a".to_owned(), "b".to_owned()]).unwrap();
            for n in 0..3u64 {
                let direction = if n == 1 { Direction::Flush } else { Direction::Write };
                let request =
                    BlockRequest { direction, address: n * 8, blocks: 8, ..BlockRequest::default() };
                log.arrived(1, &request, Time::from_millis(n)).unwrap();
            }
            assert!(!path.exists(), "complete or absent");
            log.finish().unwrap();
        }
        let text = std::fs::read_to_string(folder.path().join("log.csv")).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 4);
        assert_eq!(lines[2], "0.001000000000,b,flush,8,8,false,false,false,0");
        use ::parquet::file::reader::{FileReader, SerializedFileReader};
        let file = std::fs::File::open(folder.path().join("log.parquet")).unwrap();
        let reader = SerializedFileReader::new(file).unwrap();
        assert_eq!(reader.metadata().file_metadata().num_rows(), 3);
    }
}
