//! Job files as people have them, and what becomes of each option.
#![allow(clippy::unwrap_used)]

use super::*;
use crate::program::accesses::{
    AccessKind, AccessOrder, Engine, Extent, LimitOn, SizeRange, SizeShare, Sizes, Skip,
};
use crate::program::pattern::FileOrder;
use crate::{Popularity, Zone};
use petrio_time::Time;
use petrio_units::{Bytes, Duration, Fraction};

fn read(text: &str) -> FioFile {
    text.parse().unwrap_or_else(|error: FioError| panic!("{error} in\n{text}"))
}

fn accesses(text: &str) -> AccessParameters {
    match read(text).jobs.remove(0).work {
        FioWork::Files(parameters) => {
            parameters.validate(false).unwrap_or_else(|error| panic!("{error} in\n{text}"));
            *parameters
        }
        _ => panic!("it works on files: {text}"),
    }
}

fn on_device(text: &str) -> (AccessParameters, Vec<String>) {
    match read(text).jobs.remove(0).work {
        FioWork::Device { parameters, devices } => {
            parameters.validate(true).unwrap_or_else(|error| panic!("{error} in\n{text}"));
            (*parameters, devices)
        }
        _ => panic!("it works on a device: {text}"),
    }
}

fn refusal(text: &str) -> String {
    text.parse::<FioFile>().map_or_else(|error| error.to_string(), |_| format!("it is taken: {text}"))
}

fn remarks(text: &str) -> Vec<String> {
    read(text).remarks.into_iter().map(|remark| format!("{}: {}", remark.line, remark.text)).collect()
}

#[test]
fn what_is_left_out_is_fios_default() {
    let job = accesses("[a]\nsize=1m\n");
    assert_eq!((job.operation, job.order), (AccessKind::Read, AccessOrder::Sequential));
    assert_eq!((job.record.clone(), job.processes, job.files), (Sizes::One(Bytes(4096)), 1, 1));
    assert_eq!(job.area, Some(Extent::Bytes(Bytes(1 << 20))));
    assert_eq!((job.direct, job.sync, job.fsync_every, job.passes, job.in_flight), (false, false, 0, 1, 1));
}

#[test]
fn each_option_is_taken() {
    let job = accesses(
        "[global]\nrw=randrw\n; a comment\nsize=64m\n[a]\nbs=16k\nnumjobs=4\nnrfiles=8\ndirect=1\nrwmixread=70\n\
         thinktime=50\nfdatasync=32\nnorandommap\nfile_service_type=sequential\nloops=3\nsync=dsync\nio_size=32m\n\
         offset=1m\noffset_increment=2m\nioengine=libaio\niodepth=32\n",
    );
    assert_eq!((job.operation, job.order), (AccessKind::Mixed, AccessOrder::Random));
    assert_eq!((job.record.clone(), job.amount), (Sizes::One(Bytes(16 << 10)), Some(Bytes(32 << 20))));
    assert_eq!((job.processes, job.files, job.passes), (4, 8, 3));
    assert_eq!(job.read_share, Fraction::new(0.7));
    assert_eq!((job.direct, job.data_sync, job.sync, job.repetition), (true, true, false, true));
    assert_eq!((job.fsync_every, job.fdatasync_every, job.in_flight), (0, 32, 32));
    assert_eq!((job.engine, job.file_order), (Engine::NativeAio, FileOrder::OneAfterAnother));
    assert_eq!(job.offset, Extent::Bytes(Bytes(1 << 20)));
    assert_eq!(job.offset_step, Extent::Bytes(Bytes(2 << 20)));
    assert_eq!(job.think_time, Duration::from(Time::from_micros(50)));
    assert!(accesses("[a]\nrw=write\nsize=1g\nend_fsync=1\n").fsync_at_end);
    assert!(accesses("[a]\nrw=write\nsize=1g\n").new_files);
    assert!(!accesses("[a]\nrw=write\nsize=1g\noverwrite=1\n").new_files);
    assert_eq!(accesses("[a]\nrw=randwrite\nsize=1g\nfilesize=2g\n").amount, Some(Bytes(1 << 30)));
    assert!(accesses("[a]\nrw=read\nsize=1g\ntime_based\nruntime=60\n").keep_on);
    let timed = accesses("[a]\nsize=1g\nruntime=2m\nramp_time=5\nstartdelay=3\n");
    let seconds = |seconds| Duration::from(Time::from_whole_seconds(seconds));
    assert_eq!(
        (timed.duration, timed.warm_up, timed.starts_after),
        (Some(seconds(120)), seconds(5), seconds(3))
    );
}

#[test]
fn forms_that_people_write_are_understood() {
    let commented = accesses("[a]\nrw=randread\nbs=4k   # a page\nnumjobs=2\t; two of them\nsize=64m\n");
    assert_eq!((commented.record.clone(), commented.processes), (Sizes::One(Bytes(4096)), 2));
    let skip = |rw: &str| accesses(&format!("[a]\nrw={rw}\nbs=16k\nsize=64m\n")).skip.map(Skip::get);
    assert_eq!(skip("write:112k"), Some(112 << 10));
    assert_eq!(skip("read:-8k"), Some(-(8 << 10)));
    assert_eq!(accesses("[a]\nrw=randread:8\nsize=1m\n").run, 8);
    let range = Sizes::Range(SizeRange { from: Bytes(512), to: Bytes(16 << 10) });
    assert_eq!(accesses("[a]\nrw=randread\nbs=512-16k\nsize=1m\n").record, range);
    assert_eq!(accesses("[a]\nrw=randread\nbsrange=512-16k\nsize=1m\n").record, range);
    let share = |size, share| SizeShare { size: Bytes(size), share: Fraction::new(share).unwrap() };
    let split = accesses("[a]\nrw=randread\nbssplit=4k/50:12k/:64k/\nsize=1m\n").record;
    assert_eq!(split, Sizes::Split(vec![share(12 << 10, 0.25), share(64 << 10, 0.25), share(4096, 0.5)]));
    let other = accesses("[a]\nrw=randrw\nbs=4k,64k\nsize=1m\n");
    assert_eq!(
        (other.record.bounds().0, other.write_record.map(|sizes| sizes.bounds().0)),
        (4096, Some(64 << 10))
    );
    assert_eq!(accesses("[a]\nsize=(4*1024*1024)\n").area, Some(Extent::Bytes(Bytes(4 << 20))));
    assert_eq!(accesses("[a]\nbs=$pagesize\nsize=8*$pagesize\n").area, Some(Extent::Bytes(Bytes(32 << 10))));
    let limit = |text: &str| accesses(&format!("[a]\nrw=randrw\nsize=1m\n{text}\n"));
    let of = |pace: Option<crate::program::accesses::Pace>| match pace.map(|pace| pace.limit) {
        Some(LimitOn::Bytes(rate)) => Some(rate.bytes_per_second()),
        Some(LimitOn::PerSecond(rate)) => Some(rate),
        None => None,
    };
    let both = limit("rate=1m");
    assert_eq!((of(both.pace), of(both.write_pace)), (Some(1_048_576.0), None));
    let writes = limit("rate=,2m");
    assert_eq!((of(writes.pace), of(writes.write_pace)), (None, Some(2_097_152.0)));
    let counts = limit("rate_iops=500,200\nrate_process=poisson");
    assert_eq!((of(counts.pace), of(counts.write_pace)), (Some(500.0), Some(200.0)));
    assert!(counts.pace.is_some_and(|pace| pace.drawn));
    // What makes writes durable is nothing of a job that only reads.
    let file = read("[global]\nfsync=1\nsync=1\nsize=16m\n[w]\nrw=write\n[r]\nrw=read\n");
    let fsync = |job: usize| {
        (file.jobs[job].work.accesses().unwrap().fsync_every, file.jobs[job].work.accesses().unwrap().sync)
    };
    assert_eq!((fsync(0), fsync(1)), ((1, true), (0, false)));
}

struct Around;

impl Surroundings for Around {
    fn include(&self, file: &str) -> Result<String, String> {
        if file == "common.inc" {
            Ok("bs=8k\nsize=64m\n".to_owned())
        } else {
            Err("there is no such file".to_owned())
        }
    }

    fn variable(&self, name: &str) -> Option<String> {
        (name == "SIZE").then(|| "64m".to_owned())
    }
}

#[test]
fn variables_and_included_files_stand_for_their_text() {
    let file = FioFile::read("[a]\nrw=randread\nsize=${SIZE}\n", &Around).unwrap();
    assert_eq!(file.jobs[0].work.accesses().unwrap().area, Some(Extent::Bytes(Bytes(64 << 20))));
    let file = FioFile::read("[a]\nrw=randread\ninclude common.inc\n", &Around).unwrap();
    assert_eq!(file.jobs[0].work.accesses().unwrap().bounds().0, 8192);
    let unset = FioFile::read("[a]\nsize=${NOWHERE}\n", &Around).unwrap_err();
    assert!(unset.problem.contains("NOWHERE") && unset.line == 2, "{unset}");
    assert!(FioFile::read("[a]\ninclude other.inc\n", &Around).is_err());
}

#[test]
fn jobs_behind_a_wall_wait_for_those_before() {
    let file = read("[global]\nsize=1m\n[a]\n[b]\n[c]\nstonewall\n[d]\n[e]\nwait_for=c\n[f]\nstonewall=1\n");
    let after: Vec<&[usize]> = file.jobs.iter().map(|job| job.after.as_slice()).collect();
    let expected: [&[usize]; 6] = [&[], &[], &[0, 1], &[0, 1], &[0, 1, 2], &[2, 3, 4]];
    assert_eq!(after, expected);
}

#[test]
fn a_job_on_devices_has_as_many_requests_in_flight_as_its_depth() {
    let (load, devices) = on_device(
        "[a]\nfilename=/dev/sdb:/dev/sdc\nioengine=libaio\ndirect=1\nrw=read\nbs=128k\niodepth=32\nnumjobs=2\n",
    );
    assert_eq!((load.in_flight, load.processes, devices.len()), (32, 2, 2));
    assert_eq!((load.area, load.amount), (None, None), "all of them");
    let (part, _) = on_device("[a]\nfilename=/dev/sdb\nrw=read\nsize=10%\noffset=50%\n");
    let share = |share| Extent::Share(Fraction::new(share).unwrap());
    assert_eq!((part.area, part.offset), (Some(share(0.1)), share(0.5)));
    let (paced, _) =
        on_device("[a]\nfilename=/dev/sdb\nrw=randwrite\niodepth=4\nrate_iops=100\nruntime=10\n");
    assert!(
        matches!(paced.pace.map(|pace| pace.limit), Some(LimitOn::PerSecond(rate)) if (rate - 100.0).abs() < 1e-9)
    );
}

#[test]
fn several_names_are_several_files() {
    assert_eq!(accesses("[a]\nfilename=x:y\nsize=2m\n").files, 2);
    assert_eq!(accesses("[a]\nfilename=x\\:y\nsize=2m\n").files, 1);
}

#[test]
fn what_cannot_be_played_is_named_and_the_rest_is_played() {
    let file = read("[global]\nsize=1m\n[a]\n[b]\nrw=randtrim\n[c]\nioengine=net\n[d]\n");
    let names: Vec<&str> = file.jobs.iter().map(|job| job.name.as_str()).collect();
    assert_eq!(names, ["a", "d"]);
    let told = remarks("[global]\nsize=1m\n[a]\n[b]\nrw=randtrim\n[c]\nioengine=net\n");
    assert!(
        told[0].starts_with("5: job \"b\" is left out") && told[1].starts_with("6: job \"c\""),
        "{told:?}"
    );
}

#[test]
fn what_is_not_taken_is_told_with_its_line() {
    assert_eq!(
        remarks("[a]\nsize=1m\nrw=randread\nrandom_distribution=zipf:1.2:0.5\nparrots=3\n"),
        [
            "4: the centre of random_distribution is not taken: popular places lie all over",
            "5: parrots is not taken",
        ]
    );
    let none = "[global]\ngroup_reporting\n[a]\nsize=1m\ndirectory=/tmp\ninvalidate=1\nrandom_distribution=random\n\
                log_avg_msec=10\nwrite_bw_log\nexitall\nverify_fatal=1\n";
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
        ("[a]\nsize=0\n", "the job says no size"),
        ("[a]\nsize=1m\nrw=sideways\n", "line 3: rw=sideways"),
        ("[a]\nsize=1m\nrw=read:8parrots\n", "line 3: rw=read:8parrots"),
        ("[a]\nsize=1m\nrw=randtrim\n", "trims are not played"),
        ("[a]\nsize=1m\ndirect=1\nbuffered=1\n", "line 4: direct and buffered"),
        ("[a]\nread_iolog=x.log\n", "line 2: read_iolog replays a log"),
        ("[a]\nsize=1m\nbs=${BS}\n", "line 3: the variable BS is set nowhere"),
        ("[a]\nsize=1m\nnumjobs=0\n", "at least 1"),
        ("[a]\nsize=20%\n", "says no size"),
        ("[a]\nsize=1m\nbs=0\n", "an access of nothing"),
        ("[a]\nsize=1m\nbssplit=4k/60:8k/50\n", "bssplit"),
        ("[a]\nsize=1m\nioengine=net\n", "no job is at the other end"),
        ("[a]\nsize=1m\nioengine=e4defrag\n", "moves a file's blocks"),
        ("[a]\nsize=1m\ndirect=maybe\n", "neither 0 nor 1"),
        ("[a]\ninclude other.fio\n", "can't be included"),
    ] {
        let refused = refusal(text);
        assert!(refused.contains(words), "{refused} of\n{text}");
    }
}

#[test]
fn engines_without_a_disk_here_are_played_as_what_they_reach() {
    let (job, devices) = on_device("[a]\nioengine=null\nsize=1m\niodepth=4\nthinktime=10\n");
    assert_eq!((devices, job.in_flight), (vec![NOTHING.to_owned()], 4));
    // It rests, and then fio does what it does for each.
    assert_eq!(job.compute_time, Duration::from(Time::from_picos(300_000)));
    let (job, devices) = on_device("[a]\nioengine=nbd\nuri=${uri}\nrw=randrw\niodepth=64\noffset=64m\n");
    assert_eq!((devices, job.in_flight), (vec!["${uri}".to_owned()], 64));
    for (rw, part) in [("read", MEMORY_READ), ("randwrite", MEMORY_WRITTEN), ("rw", MEMORY_WRITTEN)] {
        for engine in ["libpmem\ndirectory=/mnt/pmem", "dev-dax\nfilename=/dev/dax0.0"] {
            let (job, devices) = on_device(&format!("[a]\nioengine={engine}\nsize=1g\nrw={rw}\n"));
            assert_eq!((devices, job.engine), (vec![part.to_owned()], Engine::Waits));
        }
    }
    let (_, devices) = on_device("[a]\nioengine=libblkio\nlibblkio_path=/dev/nvme0n1\nrw=randread\n");
    assert_eq!(devices, ["/dev/nvme0n1"]);
    let job = accesses("[a]\nioengine=nfs\nnfs_url=nfs://x/y\nsize=1m\ndirectory=${DIR}\n");
    assert_eq!(job.file_size.or(job.area.is_some().then_some(Bytes(1 << 20))), Some(Bytes(1 << 20)));
    for (text, told) in [
        ("[a]\nioengine=null\nsize=1m\n", "takes what fio itself does"),
        ("[a]\nioengine=rbd\nrbdname=x\n", "as if the disk were here"),
        ("[a]\nioengine=gfapi\nsize=1m\n", "as if the files were here"),
        ("[a]\nfilename=/tmp/there\n", "1 GiB is played"),
        ("[a]\nsize=1m\ntime_based=1\n", "does nothing, as in fio"),
        ("[a]\nfilename=/dev/ng0n1\nioengine=io_uring_cmd\npi_act=0\nbs=4160\n", "without it"),
    ] {
        let remarks = remarks(text);
        assert!(remarks.iter().any(|remark| remark.contains(told)), "{remarks:?} of\n{text}");
    }
    let with_metadata = "[a]\nfilename=/dev/ng0n1\nioengine=io_uring_cmd\npi_act=0\nbssplit=4160/50:528/50\n";
    assert_eq!(on_device(with_metadata).0.bounds(), (512, 4096));
    // Sizes in zones, of what the zones have or most zones have.
    let zones = |size: &str| {
        on_device(&format!("[a]\nfilename=/dev/sdb\nzonemode=zbd\noffset=4z\nsize=2z\n{size}")).0
    };
    let extents = |zone: u64| (Extent::Bytes(Bytes(4 * zone)), Some(Extent::Bytes(Bytes(2 * zone))));
    for (text, zone) in [("", 256 << 20), ("zonesize=64m\n", 64 << 20)] {
        assert_eq!((zones(text).offset, zones(text).area), extents(zone));
    }
    let open = |most: u64| zones(&format!("max_open_zones={most}\n")).zones.and_then(|log| log.open);
    assert_eq!(
        [0, 3, (1 << 32) + 3].map(open),
        [None, Some(3), Some(u32::MAX)],
        "never fewer than are written"
    );
}

#[test]
fn unequal_places_are_taken() {
    let of =
        |text: &str| accesses(&format!("[a]\nsize=1m\nrw=randread\nrandom_distribution={text}\n")).popularity;
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
    assert_eq!(accesses("[a]\nsize=1m\nrw=read\nrandom_distribution=zipf:1.3\n").popularity, None);
}

#[test]
fn what_vendors_write_is_understood() {
    // The script doesn't say which disk: it is one.
    for text in [
        "fio -filename=$drive -direct=1 -size=100% -rw=randwrite -name=a",
        "DEV=`lsscsi | awk '{print $6}'`\nfio --filename=$DEV --direct=1 --name=a",
        "fio --filename=$1 --direct=1 --runtime=60 --name=a",
        "fio --ioengine=spdk '--filename=trtype=PCIe traddr=0000.c8.00.0 ns=1' --name=a",
        "fio --ioengine=external:/opt/spdk/build/fio/spdk_bdev --filename=Nvme0n1 --name=a",
    ] {
        let file = FioFile::read(text, &Nothing).unwrap();
        assert!(matches!(file.jobs[0].work, FioWork::Device { .. }), "{text}");
        assert!(!file.remarks.iter().any(|remark| remark.text.contains("buffered")), "{:?}", file.remarks);
    }
    assert!(remarks("[a]\nfilename=/dev/sdb\n")[0].contains("played past it"));
    let shortened =
        FioFile::read("fio --name=a --siz=1m --numjob=4 --group_rep --filename=$1", &Nothing).unwrap();
    assert_eq!(shortened.jobs[0].work.accesses().unwrap().processes, 4);
    // A job that only makes its files, for those that follow.
    let made = read("[a]\nfilename=x\nsize=8m\ncreate_only=1\n[b]\nfilename=x\nrw=randread\n");
    assert_eq!(made.jobs.len(), 1);
    assert_eq!(made.jobs[0].work.accesses().unwrap().file_size, Some(Bytes(8 << 20)));
    assert!(refusal("[a]\nsize=1m\ncreate_only=1\n").contains("only make files"));
}

#[test]
fn synchronous_writes_to_a_disk_are_on_its_medium_when_they_return() {
    use crate::program::Placement;
    use crate::source::RequestSource;
    use petrio_colours::Direction;
    let issued = |text: &str| {
        let (load, _) = on_device(text);
        let mut source = load.on_devices(&[(0, 1 << 20)], &Placement::new("w")).unwrap();
        let mut found = Vec::new();
        while found.len() < 4 {
            let Some(item) = source.issue(Time::ZERO).unwrap() else { break };
            found.push((item.request.direction, item.request.force_unit_access));
            source.complete(item.request.id, Time::ZERO).unwrap();
        }
        found
    };
    let (write, flush) = (Direction::Write, Direction::Flush);
    let job = "[a]\nfilename=/dev/sdb\ndirect=1\nrw=write\nbs=4k\n";
    assert_eq!(issued(job), [(write, false); 4]);
    for sync in ["sync=1", "sync=dsync"] {
        assert_eq!(
            issued(&format!("{job}{sync}\n")),
            [(write, true), (flush, false), (write, true), (flush, false)]
        );
        assert_eq!(issued(&format!("{job}{sync}\nioengine=libaio\niodepth=4\n")), [(write, true); 4]);
    }
    assert_eq!(issued("[a]\nfilename=/dev/sdb\nrw=read\nsync=1\n"), [(Direction::Read, false); 4]);
}

#[test]
fn directories_truncations_and_sequences_are_played() {
    use crate::program::accesses::PlaceSequence;
    for (engine, kind) in [("dirstat", AccessKind::StatDirectory), ("dirdelete", AccessKind::RemoveDirectory)]
    {
        let job = accesses(&format!("[a]\nioengine={engine}\nfilesize=4k\nnrfiles=200\n"));
        assert_eq!((job.operation, job.files), (kind, 200));
    }
    let job = accesses("[a]\nioengine=ftruncate\nrw=randwrite\nsize=100m\ndirect=1\n");
    assert!(job.truncates && job.operation == AccessKind::Write);
    assert!(refusal("[a]\nioengine=ftruncate\nrw=read\nsize=1m\n").contains("cuts off"));
    let of = |stride: u32| {
        let text = format!(
            "[a]\nrw=randread\nsize=48k\nio_size=24k\nrandom_distribution=sequence:2,0,1\nrandom_sequence_stride={stride}\n"
        );
        (accesses(&text).sequence, accesses_made(&accesses(&text)))
    };
    let places = vec![2, 0, 1];
    assert_eq!(
        of(0),
        (Some(PlaceSequence { places: places.clone(), advances: false }), vec![2, 0, 1, 2, 0, 1])
    );
    assert_eq!(of(1), (Some(PlaceSequence { places, advances: true }), vec![2, 0, 1, 5, 3, 4]));
    assert!(refusal("[a]\nrw=randread\nsize=1m\nrandom_distribution=sequence:x\n").contains("line 4"));
}

/// The places that a job goes to, in blocks of 4 KiB.
fn accesses_made(parameters: &AccessParameters) -> Vec<u64> {
    use crate::program::{FileProgram, Placement, Step};
    let mut prepared = parameters.prepare(&Placement::new("w")).unwrap();
    let mut found = Vec::new();
    loop {
        match prepared.programs[0].next(Time::ZERO).unwrap() {
            Step::Operation(op) => found.push(op.offset / 4096),
            Step::End => return found,
            _ => {}
        }
    }
}

#[test]
fn what_ends_a_job_by_what_it_meets_is_taken() {
    use crate::program::accesses::{SteadyFigure, SteadyState};
    let job = accesses(
        "[a]\nrw=randread\nsize=1g\niodepth=128\nioengine=libaio\ndirect=1\nlatency_target=500000\nlatency_window=5000000\nlatency_percentile=99.9\n",
    );
    let target = job.latency_target.unwrap();
    assert_eq!(
        (target.latency.time(), target.window.time()),
        (Time::from_millis(500), Time::from_millis(5000))
    );
    assert!((target.share.get() - 0.999).abs() < 1e-9 && !target.keeps_on);
    let seconds = |seconds| Duration::from(Time::from_whole_seconds(seconds));
    let job = accesses(
        "[a]\nsize=1g\ntime_based\nruntime=5m\nss=bw_slope:1%\nss_dur=10s\nss_ramp=5s\ngroup_reporting\n",
    );
    let expected = SteadyState {
        of: SteadyFigure::Bytes,
        slope: true,
        limit: 1.0,
        absolute: false,
        window: seconds(10),
        ramp: seconds(5),
        interval: seconds(1),
        together: true,
    };
    assert_eq!(job.until_steady, Some(expected));
    assert!(remarks("[a]\nsize=1m\nsteadystate=iops:2%\n")[0].contains("as in fio"));
    assert!(refusal("[a]\nsize=1m\nss=iops\nss_dur=5\n").contains("can't be read"));
}

#[test]
fn a_share_beside_other_jobs_is_taken() {
    let job = accesses("[a]\nsize=1m\nflow=8\nflow_id=3\nflow_sleep=1000\n");
    let flow = job.flow.unwrap();
    assert_eq!((flow.weight, flow.group, flow.rest.time()), (8, 3, Time::from_millis(1)));
    assert_eq!(accesses("[a]\nsize=1m\nflow=0\n").flow, None);
}
