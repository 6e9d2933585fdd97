//! How many accesses are in flight at each submission, beside fio's own figures (`iodepth_level` of its JSON).
//!
//! Recorded with fio 3.33: `--filename=FILE --size=32m --bs=4k --rw=randread --direct=1` and what stands in each row, on a virtual disk.
//! None of these rows depends on how fast the disk is; where more may be taken back at a time than are waited for, and where rates wait
//! for their time, it does.
#![allow(clippy::unwrap_used, reason = "a test that cannot set up has failed")]

use crate::Due;
use crate::fio::{FioFile, FioWork};
use crate::program::Placement;
use crate::source::RequestSource;
use petrio_time::Time;
use std::collections::VecDeque;

/// Per cent of the submissions in fio's classes: 1, 2 to 3, 4 to 7 … 64 and more.
type Levels = [f64; 7];

const RECORDED: [(&str, Levels); 10] = [
    ("ioengine=libaio iodepth=32", [0.10, 0.10, 0.10, 0.10, 0.20, 99.62, 0.0]),
    ("ioengine=libaio iodepth=8", [0.10, 0.10, 0.10, 99.91, 0.0, 0.0, 0.0]),
    ("ioengine=io_uring iodepth=16", [0.10, 0.10, 0.10, 0.10, 99.82, 0.0, 0.0]),
    ("ioengine=libaio iodepth=16 numjobs=2", [0.10, 0.10, 0.10, 0.10, 99.82, 0.0, 0.0]),
    ("ioengine=psync iodepth=32", [100.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]),
    (
        "ioengine=libaio iodepth=64 iodepth_batch=16 iodepth_batch_complete_min=16",
        [0.0, 0.0, 0.0, 0.0, 0.20, 0.39, 99.41],
    ),
    ("ioengine=libaio iodepth=32 iodepth_batch_complete_min=8", [0.10, 0.10, 0.10, 0.10, 87.35, 12.46, 0.0]),
    ("ioengine=libaio iodepth=32 iodepth_low=8", [0.10, 0.10, 0.10, 29.15, 66.60, 4.16, 0.0]),
    ("ioengine=libaio iodepth=32 iodepth_low=4 iodepth_batch=8", [0.0, 0.0, 0.0, 28.61, 57.13, 14.26, 0.0]),
    (
        "ioengine=libaio iodepth=32 thinktime=500 thinktime_blocks=8",
        [5.14, 5.13, 10.25, 20.51, 41.02, 17.96, 0.0],
    ),
];

/// The levels of a job on a disk that takes a while for each request, whatever the others.
fn levels(options: &str) -> Levels {
    let job = format!(
        "[a]\nfilename=/dev/sdb\nsize=32m\nbs=4k\nrw=randread\ndirect=1\n{}\n",
        options.replace(' ', "\n")
    );
    let file: FioFile = job.parse().unwrap();
    let FioWork::Device { parameters, .. } = &file.jobs[0].work else { panic!("it is on a disk") };
    let mut source = parameters.on_devices(&[(0, 1 << 30)], &Placement::new("w")).unwrap();
    let (mut flying, mut now, mut counts, mut all) = (VecDeque::new(), Time::ZERO, [0_u32; 7], 0_u32);
    loop {
        match source.due().unwrap() {
            Due::At(time) if flying.front().is_none_or(|&(_, end)| time <= end) => {
                now = now.max(time);
                if let Some(item) = source.issue(now).unwrap() {
                    flying.push_back((item.request.id, now + Time::from_micros(100)));
                    counts[(item.depth.ilog2() as usize).min(6)] += 1;
                    all += 1;
                }
            }
            Due::Never if flying.is_empty() => {
                return counts.map(|count| f64::from(count) * 100.0 / f64::from(all));
            }
            _ => {
                let (id, end) = flying.pop_front().unwrap();
                now = end;
                source.complete(id, now).unwrap();
            }
        }
    }
}

#[test]
fn as_many_are_in_flight_at_each_submission_as_fio_counts() {
    for (options, fio) in RECORDED {
        let own = levels(options);
        // fio writes a tenth for whatever is less.
        let far = own.iter().zip(fio).any(|(own, fio)| (own - fio).abs() > 0.25);
        assert!(!far, "{options}: fio {fio:?}, here {own:.2?}");
    }
}

#[test]
fn a_rate_that_the_disk_keeps_up_with_leaves_one_in_flight_and_no_job_has_more_than_its_depth() {
    assert_eq!(levels("ioengine=libaio iodepth=64 rate_iops=1000"), [100.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
    for batch in [
        "",
        " iodepth_batch_submit=7",
        " iodepth_batch_submit=16 iodepth_batch_complete_max=64",
        " iodepth_batch=0",
    ] {
        let found = levels(&format!("ioengine=libaio iodepth=31{batch}"));
        assert!(found[5] + found[6] == 0.0 && found[4] > 50.0, "{batch}: {found:?}");
    }
}
