//! Job files as people have them, and what becomes of each option.

use super::*;
use crate::program::pattern::{Access, Durability, FileOrder, FsyncCall, Interface, Pattern};
use crate::{Popularity, Zone};
use petrio_units::{Blocks, Bytes, Fraction};

fn read(text: &str) -> FioFile {
    text.parse().unwrap_or_else(|error: FioError| panic!("{error} in\n{text}"))
}

fn pattern(text: &str) -> PatternParameters {
    match read(text).jobs.remove(0).work {
        FioWork::Files(pattern) => pattern,
        FioWork::Device(_) => panic!("it works on files: {text}"),
    }
}

fn generators(text: &str) -> Synthetic {
    match read(text).jobs.remove(0).work {
        FioWork::Device(generators) => generators,
        FioWork::Files(_) => panic!("it works on a device: {text}"),
    }
}

fn refusal(text: &str) -> String {
    text.parse::<FioFile>().map_or_else(|error| error.to_string(), |_| format!("it is taken: {text}"))
}

fn remarks(text: &str) -> Vec<String> {
    read(text).remarks.into_iter().map(|remark| format!("{}: {}", remark.line, remark.text)).collect()
}

#[test]
fn a_mapping_is_overwritten_and_an_append_grows_its_file() {
    let mapped = pattern("[a]\nioengine=mmap\nrw=write\nsize=1m\ndirect=1\n");
    assert_eq!(
        (mapped.interface, mapped.operation, mapped.direct),
        (Interface::Mapped, Access::Rewrite, false)
    );
    let appended = pattern("[a]\nrw=write\nsize=1m\nfile_append=1\n");
    assert!(appended.append && appended.validate().is_ok() && mapped.validate().is_ok());
}

#[test]
fn what_is_left_out_is_fios_default() {
    let job = pattern("[a]\nsize=1m\n");
    assert_eq!((job.operation, job.pattern), (Access::Read, Pattern::Sequential));
    assert_eq!((job.record, job.file_size, job.processes, job.files), (Bytes(4096), Bytes(1 << 20), 1, 1));
    assert_eq!((job.direct, job.sync, job.fsync, job.passes), (false, false, Durability::Never, 1));
}

#[test]
fn each_option_is_taken() {
    let job = pattern(
        "[global]\nrw=randrw\n; a comment\nsize=64m\n[a]\nbs=16k\nnumjobs=4\nnrfiles=8\ndirect=1\nrwmixread=70\n\
         thinktime=50\nfdatasync=32\nnorandommap\nfile_service_type=sequential\nloops=3\nsync=dsync\nio_size=32m\n",
    );
    assert_eq!((job.operation, job.pattern), (Access::Mixed, Pattern::Random));
    assert_eq!(
        (job.record, job.file_size, job.amount),
        (Bytes(16 << 10), Bytes(8 << 20), Some(Bytes(32 << 20)))
    );
    assert_eq!((job.processes, job.files, job.passes), (4, 8, 3));
    assert_eq!(job.read_share, Fraction::new(0.7));
    assert_eq!((job.direct, job.data_sync, job.sync, job.repetition), (true, true, false, true));
    assert_eq!((job.fsync, job.fsync_call), (Durability::Every(32), FsyncCall::Fdatasync));
    assert_eq!(job.file_order, FileOrder::OneAfterAnother);
    assert_eq!(
        pattern("[a]\nrw=read\nsize=1m\nnrfiles=4\nfile_service_type=random\n").file_order,
        FileOrder::Random
    );
    assert_eq!(serde_json::to_string(&job.think_time).ok().as_deref(), Some(r#"{"constant":"50 µs"}"#));
    assert!(job.validate().is_ok());
    assert_eq!(pattern("[a]\nrw=write\nsize=1g\nend_fsync=1\n").fsync, Durability::AtEnd);
    assert_eq!(pattern("[a]\nrw=write\nsize=1g\noverwrite=1\n").operation, Access::Rewrite);
    assert_eq!(pattern("[a]\nrw=randwrite\nsize=1g\nfilesize=2g\n").amount, Some(Bytes(1 << 30)));
    assert!(pattern("[a]\nrw=read\nsize=1g\ntime_based\nruntime=60\n").passes > 1000);
    assert_eq!(read("[a]\nsize=1g\nruntime=2m\n").jobs[0].runtime, Some(Time::from_whole_seconds(120)));
}

#[test]
fn a_job_of_its_own_replaces_what_is_global_above_it() {
    let file = read("[global]\nsize=1m\nbs=4k\n[a]\n[b]\nbs=8k\n[global]\nbs=64k\n[c]\nstonewall\n");
    let record = |job: &FioJob| match &job.work {
        FioWork::Files(pattern) => (job.name.clone(), pattern.record.get(), job.group),
        FioWork::Device(_) => panic!("no device is named"),
    };
    let records: Vec<_> = file.jobs.iter().map(record).collect();
    let expected = [("a", 4096, 0), ("b", 8192, 0), ("c", 65536, 1)];
    assert_eq!(records, expected.map(|(name, bytes, group)| (name.to_owned(), bytes, group)));
}

#[test]
fn a_job_on_a_device_has_a_generator_for_each_request_in_flight() {
    let load = generators(
        "[a]\nfilename=/dev/sdb\nioengine=libaio\ndirect=1\nrw=randread\niodepth=8\nnumjobs=2\nsize=1m\n",
    );
    assert_eq!((load.generators.len(), load.requests), (16, Some(512)));
    assert_eq!(load.generators[0].time_critical_fraction, Fraction::ONE);
    assert!(load.validate().is_ok());
    let mut paced =
        generators("[a]\nfilename=/dev/sdb\nrw=randwrite\niodepth=4\nrate_iops=100\nruntime=10\n");
    let limit =
        paced.generators[0].time_limit.as_ref().map(|limit| limit.distribution().map(|limit| limit.mean()));
    assert_eq!(limit, Some(Ok(0.04)), "four in flight, a hundred a second");
    // A job without a size uses all of a device, which the scenario knows.
    paced.generators.iter_mut().for_each(|one| one.capacity = Some(Blocks(1 << 20)));
    assert!(paced.validate().is_ok(), "{:?}", paced.validate());
}

#[test]
fn what_is_not_taken_is_told_with_its_line() {
    assert_eq!(
        remarks("[a]\nsize=1m\nverify=md5\nrw=randread\nrandom_distribution=zipf:1.2:0.5\noffset=4k\n"),
        [
            "3: verify is not taken",
            "5: the centre of random_distribution is not taken: popular places lie all over",
            "6: offset is not taken: a file is accessed from its beginning",
        ]
    );
    assert_eq!(
        remarks("[a]\nsize=1m\nbssplit=4k/50:12k/50\n"),
        ["3: all accesses have one size here: the mean of bssplit"]
    );
    assert_eq!(pattern("[a]\nsize=1m\nbssplit=4k/50:12k/50\n").record, Bytes(8192));
    assert_eq!(pattern("[a]\nsize=1m\nbsrange=4k-12k\n").record, Bytes(8192));
    let none =
        "[global]\ngroup_reporting\n[a]\nsize=1m\ndirectory=/tmp\ninvalidate=1\nrandom_distribution=random\n";
    assert!(remarks(none).is_empty(), "{:?}", remarks(none));
    assert_eq!(remarks("[a]\nsize=1m\nioengine=libaio\niodepth=8\n").len(), 1);
}

#[test]
fn what_cannot_be_meant_is_refused_with_its_line() {
    for (text, words) in [
        ("", "there is no job"),
        ("rw=read\n", "line 1: this stands before the first section"),
        ("[]\n", "line 1"),
        ("[a]\n", "line 1: the job says no size"),
        ("[a]\nsize=0\n", "no bytes"),
        ("[a]\nsize=1m\nrw=sideways\n", "line 3: rw=sideways"),
        ("[a]\nsize=1m\nrw=randtrim\n", "trims are not played"),
        ("[a]\nsize=1m\nfsync=1\nfdatasync=1\n", "line 4: fsync and fdatasync"),
        ("[a]\nsize=1m\ndirect=1\nbuffered=1\n", "line 4: direct and buffered"),
        ("[a]\nsize=1m\nbsrange=4k-8k\nbssplit=4k/1\n", "bssplit and bsrange"),
        ("[a]\nsize=1m\ntime_based=1\n", "line 3: time_based needs a runtime"),
        ("[a]\nsize=1m\nnumjobs=0\n", "at least 1"),
        ("[a]\nsize=20%\n", "line 2: size=20%: a size such as"),
        ("[a]\nsize=1m\nbs=0\n", "an access of nothing"),
        ("[a]\nsize=1m\nioengine=net\n", "ioengine=net"),
        ("[a]\nsize=1m\ndirect=maybe\n", "neither 0 nor 1"),
        ("[a]\nfilename=/dev/sdb\n", "neither a size nor a runtime"),
        ("[a]\ninclude other.fio\n", "are not read"),
    ] {
        let refused = refusal(text);
        assert!(refused.contains(words), "{refused} of\n{text}");
    }
}

#[test]
fn unequal_places_are_taken() {
    let of =
        |text: &str| pattern(&format!("[a]\nsize=1m\nrw=randread\nrandom_distribution={text}\n")).popularity;
    let part = |value| Fraction::new(value).unwrap_or_default();
    assert_eq!(of("zipf:1.3"), Some(Popularity::Zipf(1.3)));
    assert_eq!(of("zipf"), Some(Popularity::Zipf(1.1)));
    assert_eq!(of("pareto:0.1"), Some(Popularity::Pareto(part(0.1))));
    assert_eq!(of("normal:10"), Some(Popularity::Normal(part(0.1))));
    let zone = |accesses, places| Zone { accesses: part(accesses), places: part(places) };
    assert_eq!(of("zoned:60/10:40/90"), Some(Popularity::Zones(vec![zone(0.6, 0.1), zone(0.4, 0.9)])));
    assert_eq!(of("zoned:60/10:40"), of("zoned:60/10:40/90"), "the rest of the places");
    for wrong in ["zipf:x", "zipf:-1", "pareto:2", "normal", "zoned:60/10", "poisson:3"] {
        let text = format!("[a]\nsize=1m\nrw=randread\nrandom_distribution={wrong}\n");
        let error = text.parse::<FioFile>().err();
        assert_eq!(error.map(|error| error.line), Some(4), "{wrong}");
    }
    // In order there is nothing to choose.
    assert_eq!(pattern("[a]\nsize=1m\nrw=read\nrandom_distribution=zipf:1.3\n").popularity, None);
    let device = "[a]\nfilename=/dev/sda\nsize=1g\nrw=randread\nrandom_distribution=zipf:1.3\n";
    assert!(remarks(device).is_empty(), "{:?}", remarks(device));
}
