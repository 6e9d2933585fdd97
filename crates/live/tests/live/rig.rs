//! A real file system on a loop device: made, watched, limited, and gone.

#![allow(clippy::unwrap_used)]

use crate::{memory_to_itself, possible};
use petrio_capture::journal_trace::{Recorder, requests_text};
use petrio_live::rig::{BlockKind, Facilities, Image, LoopRig, RigParameters};
use petrio_units::{Bytes, Duration};
use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::time::Instant;

/// Appends 4 KiB to a file of 16 KiB and calls fsync, watched; the requests, and the blocks that the commit logged.
fn append(rig: &LoopRig) -> (String, Vec<Vec<BlockKind>>, f64) {
    // Past the journal's first twelve blocks: its own first indirect block lies behind them and splits requests.
    for number in 0..4 {
        let mut before = File::create(rig.directory().join(format!("before{number}"))).unwrap();
        before.write_all(&[1; 4096]).unwrap();
        before.sync_all().unwrap();
    }
    let path = rig.directory().join("file");
    fs::write(&path, vec![1; 16 << 10]).unwrap();
    rig.sync().unwrap();
    let mut recorder = Recorder::start(rig.number()).unwrap();
    let mut file = OpenOptions::new().append(true).open(&path).unwrap();
    recorder.mark("begin");
    let start = Instant::now();
    file.write_all(&[2; 4096]).unwrap();
    file.sync_all().unwrap();
    let milliseconds = start.elapsed().as_secs_f64() * 1e3;
    recorder.mark("end");
    let recording = recorder.take().unwrap().between("begin", "end");
    let logged = rig.blocks_logged(recording.issued()).unwrap();
    rig.sync().unwrap();
    let kinds = logged.iter().map(|blocks| rig.kinds(blocks).unwrap()).collect();
    (requests_text(recording.issued(), rig.journal()), kinds, milliseconds)
}

#[test]
fn an_append_made_durable_reaches_the_device_as_in_the_facts_and_logs_three_blocks() {
    let facilities = Facilities::probe();
    if !possible(
        "an_append_made_durable_reaches_the_device_as_in_the_facts_and_logs_three_blocks",
        &[&facilities.ext3, &facilities.tracing],
    ) {
        return;
    }
    let rig = LoopRig::set_up(&RigParameters::default()).unwrap();
    let (requests, logged, _) = append(&rig);
    assert_eq!(requests, "W4D W16J F W4J F");
    assert_eq!(logged, [[BlockKind::InodeTable, BlockKind::BlockBitmap, BlockKind::GroupDescriptors]]);
}

#[test]
fn on_a_disk_of_5_ms_a_request_an_append_takes_at_least_five_times_as_long() {
    let facilities = Facilities::probe();
    if !possible(
        "on_a_disk_of_5_ms_a_request_an_append_takes_at_least_five_times_as_long",
        &[&facilities.ext3, &facilities.tracing, &facilities.slow_disk],
    ) {
        return;
    }
    let _turn = memory_to_itself();
    let each: Duration = "5 ms".parse().unwrap();
    let rig =
        LoopRig::set_up(&RigParameters { image: Image::Slow { each }, ..RigParameters::default() }).unwrap();
    assert!(rig.device().is_direct(), "requests would be answered from the page cache of the image");
    let (requests, _, milliseconds) = append(&rig);
    assert_eq!(requests, "W4D W16J F W4J F");
    // Not a matter of speed: a sleep never ends too early.
    assert!(milliseconds >= 25.0, "{milliseconds} ms");
}

#[test]
fn a_rig_leaves_nothing_behind() {
    let facilities = Facilities::probe();
    if !possible(
        "a_rig_leaves_nothing_behind",
        &[&facilities.ext4, &facilities.memory_limit, &facilities.throttle],
    ) {
        return;
    }
    let mut parameters = RigParameters {
        memory_limit: Some(Bytes::from_mib(64)),
        read_ahead: Some(Bytes::from_kib(256)),
        scheduler: Some("mq-deadline".to_owned()),
        ..RigParameters::default()
    };
    parameters.throttle.write_requests = Some(100_000);
    let rig = LoopRig::set_up(&parameters).unwrap();
    let (directory, device) = (rig.directory().to_owned(), rig.device().path().to_owned());
    let queue = |file: &str| {
        let name = device.file_name().unwrap().to_str().unwrap();
        fs::read_to_string(format!("/sys/block/{name}/queue/{file}")).unwrap()
    };
    assert_eq!(queue("read_ahead_kb").trim(), "256");
    assert!(queue("scheduler").contains("[mq-deadline]"));
    let _turn = memory_to_itself();
    let entered = rig.memory().unwrap().enter().unwrap();
    let groups = fs::read_to_string("/proc/self/cgroup").unwrap();
    assert!(groups.contains("petrio-"), "{groups}");
    fs::write(directory.join("file"), vec![0; 1 << 20]).unwrap();
    drop(rig);
    drop(entered);
    assert!(!directory.exists());
    let mounts = fs::read_to_string("/proc/self/mounts").unwrap();
    assert!(!mounts.contains(directory.to_str().unwrap()), "{mounts}");
    let groups = fs::read_to_string("/proc/self/cgroup").unwrap();
    assert!(!groups.contains("petrio-"), "{groups}");
}
