//! `petrio trace capture`

mod device;

use super::files::output_format;
use crate::failure::Failure;
use crate::output::talk;
use clap::Args;
use petrio_capture::file_trace::{
    BUFFER_KIB, CaptureError, CaptureParameters, CaptureSummary, Log, Overhead, RESTART_AFTER, Rotation,
    Spread, Subject, TracedRun, capture, measure_overhead, supervise,
};
use petrio_capture::launch::{Signal, end_with};
use petrio_trace::write::OutputFormat;
use petrio_units::{Bytes, Duration, UnitError};
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration as StandardDuration;

/// Record what a command, or the whole system, asks of files, and what reaches the devices; or the requests to one
/// device
///
/// The trace says which file (with its path where it can be found), which bytes, how long it took, whether the cache
/// had them, where they lie, and which device requests were made. By default it is compact, as Ivy's were
/// (HPL-CSP-90-48): every open, write, close, unlink, and those reads that missed the cache; the close of a file has
/// the totals of all its reads.
///
/// Needs root, and a Linux with tracefs and syscall events. Mapped files show their misses only. A command is followed
/// with all its children until it ends; what it leaves running in the background is followed on with
/// --wait-for-children.
///
/// With --device every request that reaches that device is recorded, whoever asks: when it came into the queue, from
/// which process, where and how long, and how long it took. The trace is for this user alone. What a command has
/// written and not made durable may reach the device after it has ended, and then isn't in the trace.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Capture {
    /// The trace; with --rotate, numbered: trace-0001.parquet, …; with --device also NAME.csv, NAME.csv.xz and what
    /// else --to can say
    #[arg(long, short, value_name = "FILE", default_value = "trace.parquet", value_parser = crate::streams::output)]
    out: PathBuf,
    /// Everybody's calls instead of a command's, until --for is over or an interrupt (Ctrl-C)
    #[arg(long, conflicts_with = "command")]
    system: bool,
    /// The requests to this block device, or to the one that this file or folder lies on, while the command runs;
    /// without a command until --for is over or an interrupt (Ctrl-C)
    #[arg(long, value_name = "DEVICE|FILE", conflicts_with_all = DEVICE_HAS_NO)]
    device: Option<PathBuf>,
    /// How long the system or the device is captured ("10min", "1h", "1d")
    #[arg(long = "for", value_name = "TIME", conflicts_with = "command", value_parser = span)]
    time: Option<Duration>,
    /// The format of a device's trace: native, petrio, events-csv, fio-iolog, blkparse or oracle-general. Left out, the
    /// extension says it: .parquet, .csv (petrio), .iolog, .blkparse, .oracleGeneral; with .gz, .xz or .zst behind it,
    /// it is compressed
    #[arg(long, value_name = "FORMAT", requires = "device", value_parser = output_format)]
    to: Option<OutputFormat>,
    /// A line on what was recorded, for the trace of a device
    #[arg(long, value_name = "TEXT", requires = "device", default_value = "")]
    title: String,
    /// Capture until all the command's children have ended, too, not only the command itself
    #[arg(long, requires = "command")]
    wait_for_children: bool,
    /// Keep every call: reads that the cache answered, stat, calls that failed
    #[arg(long)]
    full: bool,
    /// Begin a new numbered file after so many bytes or so much time ("100MB", "1d"); each is complete or absent
    #[arg(long, value_name = "SIZE|TIME", value_parser = rotation)]
    rotate: Option<Rotation>,
    /// Look below this folder, too, for the names of files (beside the working directory); may be given several times
    #[arg(long, value_name = "DIR")]
    names: Vec<PathBuf>,
    /// Start again half a minute after a crash, and keep a .log beside the trace; --system does so by default
    #[arg(long, requires = "system", overrides_with = "no_restart")]
    restart: bool,
    /// Don't start again after a crash
    #[arg(long, requires = "system")]
    no_restart: bool,
    /// The kernel's buffer for each processor, twice; a larger one loses no events where a small one does
    #[arg(long, value_name = "SIZE", default_value_t = Bytes::from_kib(u64::from(BUFFER_KIB)))]
    buffer: Bytes,
    /// The process with which this one ends
    #[arg(long, value_name = "PROCESS", requires = "system", hide = true)]
    supervisor: Option<u32>,
    /// Run the command without and with tracing in turn, and say what the tracing costs
    #[arg(long, requires = "command")]
    measure_overhead: bool,
    /// How often, for --measure-overhead
    #[arg(long, value_name = "N", default_value_t = 3, requires = "measure_overhead", value_parser = clap::value_parser!(u32).range(1..))]
    repetitions: u32,
    /// Replace the trace if it is there already
    #[arg(long)]
    force: bool,
    /// The command with its arguments, behind --
    #[arg(last = true, value_name = "COMMAND", required_unless_present_any = ["system", "device"])]
    command: Vec<OsString>,
}

/// What makes sense of calls on files only.
const DEVICE_HAS_NO: [&str; 8] =
    ["system", "wait_for_children", "full", "rotate", "names", "restart", "no_restart", "measure_overhead"];

const EXAMPLES: &str = "\
Examples:
  petrio trace capture -- make -j4
  petrio trace capture --full --out cat.parquet -- cat /etc/fstab
  petrio trace capture --names /usr -- gcc -c hello.c
  petrio trace capture --measure-overhead -- make -B
  petrio trace capture --system --for 10min
  petrio trace capture --system --rotate 1d --out /var/log/files.parquet
  petrio trace capture --device /dev/sdb --out my-trace.csv.xz -- my-program its-arguments
  petrio trace capture --device /srv/data --for 1min

Without root: strace -f -y -ttt -T -o FILE COMMAND, then petrio trace convert FILE";

/// A span of time; also with the units that people write on a command line: m, day.
fn span(text: &str) -> Result<Duration, UnitError> {
    text.parse().or_else(|error| {
        let number = text.trim_end_matches(char::is_alphabetic);
        let unit = match text[number.len()..].trim() {
            "m" | "minute" | "minutes" => "min",
            "hour" | "hours" => "h",
            "day" | "days" => "d",
            _ => return Err(error),
        };
        format!("{number}{unit}").parse()
    })
}

fn rotation(text: &str) -> Result<Rotation, String> {
    match (text.parse::<Bytes>(), span(text)) {
        (Ok(Bytes(0)), _) | (_, Ok(Duration::ZERO)) => Err("files need some room".to_owned()),
        (Ok(bytes), _) => Ok(Rotation::Bytes(bytes.get())),
        (_, Ok(span)) => Ok(Rotation::Every(span.time())),
        (Err(_), Err(_)) => Err("a size (\"100MB\") or a time (\"1d\") is needed".to_owned()),
    }
}

fn failed(error: CaptureError) -> Failure {
    match error {
        // What can't be written is told from what can't be asked for by its exit code.
        CaptureError::Output { .. } | CaptureError::Buffer { .. } => Failure::Output(error.to_string()),
        error => Failure::of(&error),
    }
}

impl Capture {
    pub(crate) fn execute(&self) -> Result<(), Failure> {
        if self.out.exists() && !self.force && self.rotate.is_none() {
            let help = "choose another name with --out, or replace it with --force".to_owned();
            return Err(Failure::new(format!("{} is there already", self.out.display()), Some(help)));
        }
        if let Some(device) = &self.device {
            return self.requests_to(device);
        }
        let (buffer_kib, subject) = (self.buffer_kib(), self.subject());
        let parameters = CaptureParameters {
            subject,
            with_background: self.wait_for_children,
            out: self.out.clone(),
            full: self.full,
            rotation: self.rotate,
            names: self.names.clone(),
            buffer_kib,
        };
        if self.measure_overhead {
            let told = |repetition| talk(&format!("run {} of {}", repetition + 1, self.repetitions));
            let overhead = measure_overhead(&parameters, self.repetitions, told).map_err(failed)?;
            tell_summary(&overhead.last);
            tell_overhead(&overhead);
            return Ok(());
        }
        // A capture that is told to end completes its trace.
        if self.supervisor.is_some_and(|process| end_with(process, Signal::TERM).is_err()) {
            return Ok(());
        }
        if self.system {
            Log::beside(&self.out).check().map_err(|error| {
                Failure::Output(format!("{error}\n help: remove it, or choose another name with --out"))
            })?;
        }
        if self.system && !self.no_restart {
            return self.supervised();
        }
        let log = self.system.then(|| Log::beside(&self.out));
        let captured = capture(&parameters);
        if let Some(log) = &log {
            match &captured {
                Ok(summary) => log.say(&format!(
                    "{} events in {} files, {} events of the kernel lost",
                    summary.events,
                    summary.files.len(),
                    summary.lost
                )),
                Err(error) => log.say(&format!("failed: {error}")),
            }
        }
        let summary = captured.map_err(|error| match (self.system, error.is_lasting()) {
            // The exit code tells whoever watches whether another try may succeed.
            (true, false) => Failure::Output(error.to_string()),
            _ => failed(error),
        })?;
        tell_summary(&summary);
        Ok(())
    }

    fn buffer_kib(&self) -> u32 {
        u32::try_from(self.buffer.get() >> 10).unwrap_or(u32::MAX).max(64)
    }

    fn subject(&self) -> Subject {
        match self.command.is_empty() {
            true => Subject::System(self.time.map(standard)),
            false => Subject::Command(self.command.clone()),
        }
    }

    /// Lets a process of its own capture, and starts it anew when it crashes.
    fn supervised(&self) -> Result<(), Failure> {
        let program = std::env::current_exe()
            .map_err(|error| Failure::new(format!("this program can't be found: {error}"), None))?;
        let arguments = |left: Option<StandardDuration>| {
            let mut arguments: Vec<OsString> =
                ["trace", "capture", "--system", "--no-restart", "--force"].map(OsString::from).to_vec();
            let mut option = |name: &str, value: OsString| arguments.extend([name.into(), value]);
            option("--out", self.out.clone().into());
            option("--supervisor", std::process::id().to_string().into());
            option("--buffer", self.buffer.to_string().into());
            if let Some(left) = left {
                option("--for", format!("{} ms", left.as_millis().max(1)).into());
            }
            for folder in &self.names {
                option("--names", folder.clone().into());
            }
            match self.rotate {
                Some(Rotation::Bytes(bytes)) => option("--rotate", Bytes(bytes).to_string().into()),
                Some(Rotation::Every(time)) => option("--rotate", Duration::new(time).to_string().into()),
                None => {}
            }
            arguments.extend(self.full.then(|| "--full".into()));
            arguments
        };
        let log = Log::beside(&self.out);
        log.say("begins");
        let time = self.time.map(standard);
        let restarts = supervise(&program, arguments, time, RESTART_AFTER, &log).map_err(failed)?;
        if restarts > 0 {
            talk(&format!("started again {restarts} times; see {}", log.path().display()));
        }
        Ok(())
    }
}

fn standard(span: Duration) -> StandardDuration {
    StandardDuration::from_nanos(span.time().as_picos() / 1_000)
}

fn tell_summary(summary: &CaptureSummary) {
    let counts = &summary.counts;
    if let Some(status) = summary.status.filter(|status| !status.success()) {
        talk(&format!("note: the command ended with {status}"));
    }
    for note in &summary.notes {
        talk(&format!("note: {note}"));
    }
    talk(&format!(
        "{} calls in {:.2} s: {} reads ({} missed the cache), {} writes, {} misses of mapped files",
        counts.calls,
        summary.run_time.as_secs_f64(),
        counts.reads,
        counts.reads_missed,
        counts.writes,
        counts.faults_missed,
    ));
    talk(&format!(
        "collector: {:.2} µs of processor time a call, and {:.2} s to set up, {:.2} s to complete; {} events of the kernel lost",
        summary.processor_time.as_secs_f64() * 1e6 / counts.calls.max(1) as f64,
        summary.set_up_time.as_secs_f64(),
        summary.completion_time.as_secs_f64(),
        summary.lost
    ));
    if summary.lost > 0 {
        talk(" help: a larger --buffer loses less");
    }
    let files: Vec<String> = summary.files.iter().map(|file| file.display().to_string()).collect();
    talk(&format!("{} events: {}", summary.events, files.join(", ")));
}

fn tell_overhead(overhead: &Overhead) {
    let line = |what: &str, figure: fn(&TracedRun) -> f64, decimals: usize, unit: &str| {
        if let Some(Spread { median, least, greatest }) = overhead.spread(figure) {
            talk(&format!("{what}: {median:.decimals$}{unit} ({least:.decimals$} … {greatest:.decimals$})"));
        }
    };
    line("run time, traced ÷ untraced", |run| run.run_time_ratio, 3, "");
    line("processor time added to the command", |run| run.command_ns_a_call * 1e-3, 2, " µs a call");
    line(
        "processor time of the collector while it runs",
        |run| run.collector_ns_a_call * 1e-3,
        2,
        " µs a call",
    );
    line("both together", |run| run.ns_a_call() * 1e-3, 2, " µs a call");
    line("and however many calls: to set up", |run| run.set_up_seconds, 3, " s");
    line("to look for names, write and clear up", |run| run.completion_seconds, 3, " s");
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use petrio_kernel::Time;

    #[test]
    fn files_rotate_by_size_or_by_time() {
        assert_eq!(rotation("100MB"), Ok(Rotation::Bytes(100_000_000)));
        assert_eq!(rotation("1day"), Ok(Rotation::Every(Time::from_whole_seconds(86_400))));
        assert_eq!(span("10m").unwrap().time(), Time::from_whole_seconds(600));
        assert!(rotation("0 B").is_err());
        assert!(rotation("soon").is_err());
    }
}
