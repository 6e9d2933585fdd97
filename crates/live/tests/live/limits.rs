//! Limits on a rig: they hold.

#![allow(clippy::unwrap_used)]

use crate::{memory_to_itself, possible};
use petrio_capture::journal_trace::{Access, Recorder};
use petrio_colours::Operation;
use petrio_live::drive::{Workplace, run_prepared};
use petrio_live::rig::{Facilities, LoopRig, RigParameters};
use petrio_units::Bytes;
use petrio_workload::program::{Placement, ScriptParameters};
use std::fs;

#[test]
fn a_throttled_device_is_never_faster_than_its_limit() {
    let facilities = Facilities::probe();
    if !possible(
        "a_throttled_device_is_never_faster_than_its_limit",
        &[&facilities.ext3, &facilities.throttle],
    ) {
        return;
    }
    let mut parameters = RigParameters::default();
    parameters.throttle.write_requests = Some(500);
    let rig = LoopRig::set_up(&parameters).unwrap();
    let workplace = Workplace::inside(rig.directory()).unwrap();
    let mut script = ScriptParameters::new("file a 1 MiB; write a 64 KiB 8 KiB direct");
    script.repeat = 400;
    let prepared = script.prepare(&Placement::new("throttled")).unwrap();
    workplace.prepare(&prepared.files).unwrap();
    let measured = run_prepared(&workplace, prepared).unwrap();
    assert_eq!(measured.operations[&Operation::Write].latency_ns.len(), 400);
    // A slice of 100 ms may come in advance (block/blk-throttle.c).
    let seconds = measured.time().as_secs_f64();
    assert!(seconds >= 400.0 / 500.0 - 0.1, "{seconds} s");
}

#[test]
fn what_does_not_fit_into_the_memory_limit_is_read_again() {
    let facilities = Facilities::probe();
    let needs = [&facilities.ext3, &facilities.memory_limit, &facilities.tracing];
    if !possible("what_does_not_fit_into_the_memory_limit_is_read_again", &needs) {
        return;
    }
    // Of a file of 96 MiB read twice, how much the second pass reads from the device.
    let second_pass = |limit: Option<Bytes>| {
        let parameters =
            RigParameters { size: Bytes::from_mib(256), memory_limit: limit, ..RigParameters::default() };
        let rig = LoopRig::set_up(&parameters).unwrap();
        let workplace = Workplace::inside(rig.directory()).unwrap();
        let script = |text: &str| ScriptParameters::new(text).prepare(&Placement::new("limited")).unwrap();
        let text = "file a 96 MiB; read a 0 32 MiB; read a 32 MiB 32 MiB; read a 64 MiB 32 MiB";
        workplace.prepare(&script(text).files).unwrap();
        let _turn = memory_to_itself();
        let _entered = rig.memory().map(|group| group.enter().unwrap());
        run_prepared(&workplace, script(text)).unwrap();
        let mut recorder = Recorder::start(rig.number()).unwrap();
        run_prepared(&workplace, script(text)).unwrap();
        let recording = recorder.take().unwrap();
        let reads = recording.issued().filter(|request| request.access == Access::Read);
        reads.map(|request| request.sectors * 512).sum::<u64>()
    };
    let again = second_pass(Some(Bytes::from_mib(64)));
    assert!(again >= 32 << 20, "{again} bytes");
    // None of it would be, were the machine ours alone: others may want its memory meanwhile.
    let without_limit = second_pass(None);
    assert!(without_limit <= again / 4, "{without_limit} bytes");
}

#[test]
fn a_dirty_limit_is_the_devices_own() {
    let facilities = Facilities::probe();
    if !possible("a_dirty_limit_is_the_devices_own", &[&facilities.ext4, &facilities.dirty_limit]) {
        return;
    }
    let parameters = RigParameters { dirty_limit: Some(Bytes::from_mib(16)), ..RigParameters::default() };
    let rig = LoopRig::set_up(&parameters).unwrap();
    let setting = |file: &str| {
        let number = rig.number();
        let path = format!("/sys/class/bdi/{}:{}/{file}", number.major, number.minor);
        fs::read_to_string(path).unwrap().trim().parse::<u64>().unwrap()
    };
    assert_eq!(setting("strict_limit"), 1);
    // Kept as a share of all dirtyable memory, so it comes back rounded to that.
    let limit = setting("max_bytes");
    assert!((15 << 20..=17 << 20).contains(&limit), "{limit}");
}
