//! `petrio trace capture --device`

use super::Capture;
use crate::failure::Failure;
use crate::output::talk;
use crate::progress::CountProgress;
use petrio_capture::device_trace::{DeviceCapture, DeviceCaptureSummary, capture};
use petrio_capture::file_trace::CaptureError;
use petrio_trace::write::OutputFormat;
use std::path::Path;

fn failed(error: CaptureError) -> Failure {
    match error {
        CaptureError::NoTracing { .. } | CaptureError::TraceFile { .. } => {
            let help = "run it as root on a kernel with CONFIG_TRACING and CONFIG_BLOCK; what blktrace, perf or trace-cmd have recorded \
                        elsewhere is read as a trace, too";
            Failure::new(error, Some(help.to_owned()))
        }
        CaptureError::Output { .. } | CaptureError::Buffer { .. } => Failure::Output(error.to_string()),
        error => Failure::of(&error),
    }
}

impl Capture {
    /// The format that was said, or that the name says. What a device was asked for in lines of text is petrio's block
    /// trace.
    fn format(&self) -> Result<OutputFormat, Failure> {
        let of_name = || match OutputFormat::of_path(&self.out)? {
            OutputFormat::EventsCsv => Some(OutputFormat::Petrio),
            format => Some(format),
        };
        match self.to.or_else(of_name) {
            Some(OutputFormat::Requests) => {
                let message = "requests to files can't be told from a device's";
                let help = "capture the calls: petrio trace capture --full -- COMMAND";
                Err(Failure::new(message, Some(help.to_owned())))
            }
            Some(format) => Ok(format),
            None => {
                let help = "end its name in .parquet, .csv, .iolog, .blkparse or .oracleGeneral (all but the first may go on with .gz, .xz \
                            or .zst), or name the format with --to";
                let message = format!("{}: its name doesn't say which format to write", self.out.display());
                Err(Failure::new(message, Some(help.to_owned())))
            }
        }
    }

    pub(super) fn requests_to(&self, device: &Path) -> Result<(), Failure> {
        let parameters = DeviceCapture {
            device: device.to_owned(),
            subject: self.subject(),
            out: self.out.clone(),
            format: self.format()?,
            title: self.title.clone(),
            buffer_kib: self.buffer_kib(),
        };
        let mut progress = CountProgress::new(0, "requests");
        let captured = capture(&parameters, |requests| progress.update(requests));
        progress.finish();
        tell(&captured.map_err(failed)?, &self.out, parameters.format);
        Ok(())
    }
}

fn tell(summary: &DeviceCaptureSummary, out: &Path, format: OutputFormat) {
    if let Some(status) = summary.status.filter(|status| !status.success()) {
        talk(&format!("note: the command ended with {status}"));
    }
    for note in &summary.notes {
        talk(&format!("note: {note}"));
    }
    let tally = &summary.tally;
    let remarks = [
        (tally.failed, "requests failed on the device; they are in the trace"),
        (tally.unfinished, "requests were still in flight at the end and left out"),
        (tally.unmatched_completions, "requests were begun before and left out"),
        (tally.other_commands, "other commands were left out"),
        (tally.outside, "requests outside of the partition were left out"),
    ];
    for (count, what) in remarks.into_iter().filter(|(count, _)| *count > 0) {
        talk(&format!("note: {count} {what}"));
    }
    if summary.lost > 0 {
        talk(&format!("note: {} events of the kernel were lost, so the trace has holes", summary.lost));
        talk(" help: a larger --buffer loses less");
    }
    talk(&format!(
        "{} requests to {} in {:.2} s, {} events of the kernel lost: {} ({})",
        summary.requests,
        summary.device,
        summary.run_time.as_secs_f64(),
        summary.lost,
        out.display(),
        format.name()
    ));
}
