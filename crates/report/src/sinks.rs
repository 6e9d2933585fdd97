//! All who listen to a run, of either colour.

use crate::error::ReportError;
use crate::parquet::ParquetRows;
use crate::perfetto::{PerfettoTrace, Shared};
use crate::sink::{DeviceSink, RequestSink};
use crate::subject::{Reported, Subject};
use petrio_colours::{BlockRequest, FileOp};
use petrio_engine::Visit;
use petrio_files::inputs::Inputs;
use petrio_kernel::Time;
use std::path::Path;

/// A colour to whose requests somebody may listen.
pub trait Heard: Reported {
    /// Who is told of completed requests of this colour.
    fn listeners(sinks: &mut Sinks) -> &mut Vec<Box<dyn RequestSink<Self>>>;
}

impl Heard for BlockRequest {
    fn listeners(sinks: &mut Sinks) -> &mut Vec<Box<dyn RequestSink<Self>>> {
        &mut sinks.requests
    }
}

impl Heard for FileOp {
    fn listeners(sinks: &mut Sinks) -> &mut Vec<Box<dyn RequestSink<Self>>> {
        &mut sinks.operations
    }
}

/// All who listen to a run.
#[derive(Default)]
pub struct Sinks {
    pub(crate) requests: Vec<Box<dyn RequestSink>>,
    pub(crate) operations: Vec<Box<dyn RequestSink<FileOp>>>,
    pub(crate) devices: Vec<Box<dyn DeviceSink>>,
}

impl Sinks {
    /// Whether somebody wants to hear of what reaches the devices.
    pub fn hear_devices(&self) -> bool {
        !self.devices.is_empty()
    }

    /// Adds a listener for completed requests: block requests or file operations, whichever colour it takes.
    pub fn push<R: Heard>(&mut self, sink: impl RequestSink<R> + 'static) {
        R::listeners(self).push(Box::new(sink));
    }

    /// Adds a listener for what reaches the devices.
    pub fn push_device_log(&mut self, sink: impl DeviceSink + 'static) {
        self.devices.push(Box::new(sink));
    }

    /// Adds a Parquet file with a row for every request or file operation, in the place of none of those `inputs`.
    ///
    /// # Errors
    /// When it can't be written.
    pub fn push_rows(&mut self, subject: Subject, path: &Path, inputs: &Inputs) -> Result<(), ReportError> {
        match subject {
            Subject::BlockRequests => self.push(ParquetRows::<BlockRequest>::create(path, inputs)?),
            Subject::FileOperations => self.push(ParquetRows::<FileOp>::create(path, inputs)?),
        }
        Ok(())
    }

    /// Adds a time line for ui.perfetto.dev, with the requests at devices beside what is asked. `parts` are the names of
    /// what can be asked, by number, `devices` of them at the beginning disks; processes have none.
    ///
    /// # Errors
    /// When it can't be written.
    pub fn push_timeline(
        &mut self,
        subject: Subject,
        (path, inputs): (&Path, &Inputs),
        parts: &[String],
        devices: usize,
    ) -> Result<(), ReportError> {
        let disks = parts[..devices.min(parts.len())].to_vec();
        match subject {
            // What programs ask of disks themselves are these disks' requests.
            Subject::BlockRequests if parts.len() == disks.len() => {
                self.push(PerfettoTrace::<BlockRequest>::create((path, inputs), disks, Vec::new())?);
            }
            Subject::BlockRequests => {
                let trace = Shared::new(PerfettoTrace::<BlockRequest>::create(
                    (path, inputs),
                    parts.to_vec(),
                    disks,
                )?);
                self.push_device_log(trace.again());
                self.push(trace);
            }
            Subject::FileOperations => {
                let trace = Shared::new(PerfettoTrace::<FileOp>::create((path, inputs), Vec::new(), disks)?);
                self.push_device_log(trace.again());
                self.push(trace);
            }
        }
        Ok(())
    }

    /// Whether nobody listens.
    pub fn is_empty(&self) -> bool {
        self.requests.is_empty() && self.operations.is_empty() && self.devices.is_empty()
    }

    /// Tells those who listen to this colour.
    ///
    /// # Errors
    /// When a file can't be written.
    #[inline]
    pub fn completed<R: Heard>(&mut self, request: &R, at: Time) -> Result<(), ReportError> {
        R::listeners(self).iter_mut().try_for_each(|sink| sink.completed(request, at))
    }

    /// Tells those who listen to the devices.
    pub fn visited(&mut self, visit: &Visit) -> Result<(), ReportError> {
        self.devices.iter_mut().try_for_each(|sink| sink.visited(visit))
    }

    /// There is no more to tell: files take their names.
    ///
    /// # Errors
    /// When a file can't be written.
    pub fn finish(&mut self) -> Result<(), ReportError> {
        self.requests.iter_mut().try_for_each(|sink| sink.finish())?;
        self.operations.iter_mut().try_for_each(|sink| sink.finish())?;
        self.devices.iter_mut().try_for_each(|sink| sink.finish())
    }
}
