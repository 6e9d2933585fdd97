//! A device's requests recorded: those that a command makes on a file system of its own.

#![allow(clippy::unwrap_used)]

use crate::{one_capture_at_a_time, possible};
use petrio_capture::device_trace::{DeviceCapture, DeviceCaptureSummary, capture};
use petrio_capture::file_trace::{CaptureError, Subject};
use petrio_colours::Direction;
use petrio_live::rig::{Facilities, LoopRig, RigParameters};
use petrio_trace::write::OutputFormat;
use petrio_trace::{BlockRecord, TraceOptions, TraceReader};
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// A file system on a loop device, where that is possible.
fn rig(test: &str) -> Option<LoopRig> {
    let facilities = Facilities::probe();
    possible(test, &[&facilities.ext4, &facilities.tracing])
        .then(|| LoopRig::set_up(&RigParameters::default()).unwrap())
}

fn parameters(device: &Path, out: &Path, format: OutputFormat, script: &str) -> DeviceCapture {
    DeviceCapture {
        device: device.to_owned(),
        subject: Subject::Command(["sh", "-c", script].map(Into::into).to_vec()),
        out: out.to_owned(),
        format,
        title: "two writes and a read".to_owned(),
        buffer_kib: 1_024,
    }
}

/// Two writes past the page cache, each made durable, and a read.
fn script(rig: &LoopRig) -> String {
    format!(
        "cd {} && dd if=/dev/zero of=a bs=64k count=2 oflag=direct conv=fsync status=none && \
         dd if=a of=/dev/null bs=128k iflag=direct status=none",
        rig.directory().display()
    )
}

fn read(path: &Path) -> Vec<BlockRecord> {
    TraceReader::open(path, &TraceOptions::default()).unwrap().map(Result::unwrap).collect()
}

fn run(parameters: &DeviceCapture) -> (DeviceCaptureSummary, Vec<BlockRecord>) {
    let summary = capture(parameters, |_| ()).unwrap();
    (summary, read(&parameters.out))
}

/// What the command's own requests are: whose, and which way. The journal's come from its thread.
fn of_data(records: &[BlockRecord]) -> Vec<(Direction, u32)> {
    let process = records.iter().find(|record| record.blocks == 128).unwrap().process;
    let own = records.iter().filter(|record| record.process == process && record.blocks >= 128);
    own.map(|record| (record.direction, record.blocks)).collect()
}

#[test]
fn a_commands_requests_are_recorded_in_every_format_with_their_times_and_askers() {
    let Some(rig) = rig("a_commands_requests_are_recorded_in_every_format_with_their_times_and_askers")
    else {
        return;
    };
    let _turn = one_capture_at_a_time();
    let folder = tempfile::tempdir().unwrap();
    for (name, format) in [
        ("t.parquet", OutputFormat::Native),
        ("t.csv", OutputFormat::Petrio),
        ("t.csv.zst", OutputFormat::Petrio),
        ("t.blkparse", OutputFormat::Blkparse),
    ] {
        fs::write(rig.directory().join("a"), vec![0; 128 << 10]).unwrap();
        rig.sync().unwrap();
        let out = folder.path().join(name);
        let (summary, records) = run(&parameters(rig.device().path(), &out, format, &script(&rig)));
        assert_eq!((summary.lost, summary.requests), (0, records.len() as u64), "{name}");
        assert!(summary.status.unwrap().success());
        assert_eq!(of_data(&records)[..2], [(Direction::Write, 128); 2], "{name}");
        let reads: Vec<_> = records.iter().filter(|record| record.direction == Direction::Read).collect();
        assert!(reads.iter().map(|read| read.blocks).sum::<u32>() >= 256, "{name}: {reads:?}");
        assert!(records.iter().any(|record| record.direction == Direction::Flush), "{name}");
        // A flush has no range, and blkparse's completions say nothing else.
        let moving = records.iter().filter(|record| record.blocks > 0);
        assert!(moving.into_iter().all(|record| record.measured.is_some()), "{name}");
        assert_eq!(fs::metadata(&out).unwrap().mode() & 0o777, 0o600, "{name}");
    }
    let text = fs::read_to_string(folder.path().join("t.csv")).unwrap();
    assert!(text.contains("# two writes and a read\n") && text.contains(": dd\n"), "{text}");
}

#[test]
fn a_file_stands_for_the_device_that_it_lies_on() {
    let Some(rig) = rig("a_file_stands_for_the_device_that_it_lies_on") else { return };
    let _turn = one_capture_at_a_time();
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("t.parquet");
    let (summary, records) = run(&parameters(rig.directory(), &out, OutputFormat::Native, &script(&rig)));
    assert_eq!(summary.device, rig.device().path().to_string_lossy());
    assert!(!records.is_empty());
}

#[test]
fn where_nothing_reaches_the_device_no_file_is_made() {
    let Some(rig) = rig("where_nothing_reaches_the_device_no_file_is_made") else { return };
    let _turn = one_capture_at_a_time();
    rig.sync().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("t.parquet");
    let error =
        capture(&parameters(rig.device().path(), &out, OutputFormat::Native, "true"), |_| ()).unwrap_err();
    assert!(matches!(error, CaptureError::Nothing { .. }), "{error}");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}
