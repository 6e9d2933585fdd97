//! `petrio trace filter`

use super::files::{Output, about, remark};
use crate::command::reading::Reading;
use crate::failure::Failure;
use clap::Args;
use petrio_files::inputs::Inputs;
use petrio_trace::device_number;
use petrio_trace::event::EventKind;
use petrio_trace::select::{Selection, Selector};
use petrio_units::Duration;
use std::path::PathBuf;

/// Keep the events of a trace that are wanted
///
/// An event has to meet every condition; of one condition that is given several times, any. Times keep their origin.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Filter {
    /// The trace to read
    #[arg(value_parser = crate::streams::input)]
    file: PathBuf,
    #[command(flatten)]
    output: Output,
    /// Only events of this kind: exec, create, open, read, write, close, unlink, fsync, truncate, rename, mkdir, stat,
    /// queue, issue, complete
    #[arg(long, value_name = "KIND", value_parser = kind, value_delimiter = ',')]
    kind: Vec<EventKind>,
    /// Only events of this process
    #[arg(long, value_name = "NUMBER", value_delimiter = ',')]
    process: Vec<u32>,
    /// Only events on paths that match: * is any characters but a slash, ** any characters, ? one character
    #[arg(long, value_name = "GLOB")]
    path: Vec<String>,
    /// Only events on this device: its number, or major,minor such as 8,16
    #[arg(long, value_name = "DEVICE", value_parser = device)]
    device: Vec<u32>,
    /// Only from this time of the trace on, such as "1.5 s"
    #[arg(long, value_name = "TIME")]
    from: Option<Duration>,
    /// Only before this time of the trace
    #[arg(long, value_name = "TIME")]
    to: Option<Duration>,
    /// Only what reads, from files or devices
    #[arg(long)]
    read: bool,
    /// Only what writes; with --read, both
    #[arg(long)]
    write: bool,
    #[command(flatten)]
    reading: Reading,
}

const EXAMPLES: &str = "\
Examples:
  petrio trace filter job.strace data.parquet --path '/data/**' --kind open,read,write,close
  petrio trace filter disks.parquet sdb.csv --device 8,16 --write
  petrio trace filter long.parquet minute.parquet --from '60 s' --to '120 s'";

impl Filter {
    pub(crate) fn execute(&self) -> Result<(), Failure> {
        let wanted = Selection {
            kinds: self.kind.clone(),
            processes: self.process.clone(),
            paths: self.path.clone(),
            devices: self.device.clone(),
            from: self.from.map(Duration::time),
            to: self.to.map(Duration::time),
            reads: self.read,
            writes: self.write,
        };
        let inputs = Inputs::here();
        self.output.check(&inputs, [self.file.as_path()])?;
        let mut reader = self.reading.open(&inputs, &self.file)?;
        let about = about(&mut reader)?;
        let mut selector = Selector::new(wanted);
        let events =
            reader.by_ref().filter(|event| event.as_ref().map_or(true, |event| selector.wants(event)));
        self.output.write(&inputs, &about, events)?;
        remark(&reader);
        Ok(())
    }
}

fn kind(name: &str) -> Result<EventKind, String> {
    EventKind::named(name)
        .ok_or_else(|| format!("the kinds are {}", EventKind::ALL.map(EventKind::name).join(", ")))
}

fn device(name: &str) -> Result<u32, String> {
    device_number(name).ok_or_else(|| "a number, or major,minor such as 8,16".to_owned())
}
