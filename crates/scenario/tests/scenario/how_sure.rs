//! How sure a report says that it is: by the classes on the way, as much as each one's share of the time, and wider where nothing was measured.

use crate::common::once_of;
use petrio_scenario::load_text;
use petrio_scenario::report::sure::Class;
use petrio_scenario::report::{ModelErrorFigures, RangeOf, Report};

fn report(text: &str) -> Report {
    once_of(&load_text("test.toml", text, None, &[]).unwrap())
}

fn error(text: &str) -> ModelErrorFigures {
    report(text).model_error.into_iter().next().unwrap()
}

fn range(error: &ModelErrorFigures, of: RangeOf) -> [f64; 3] {
    let found = error.ranges.iter().find(|range| range.of == of).unwrap();
    [found.low, found.value, found.high]
}

/// Random reads of a device.
fn reads(device: &str, more: &str) -> String {
    format!(
        "[disk.d]\n{device}\n[workload.w]\nkind = \"synthetic\"\non = \"d\"\nrequests = 400\n\
         generators = [{{ read_fraction = 1, {WAITS}, size = \"8 KiB\" }}]\n{more}"
    )
}

/// Of a program that waits for each request, and of one that doesn't.
const WAITS: &str = "time_critical_fraction = 1, inter_arrival = { constant = \"0 s\" }";
const COMES: &str = "inter_arrival = { exponential = { mean = \"50 ms\" } }";

const DRIVE: &str = "model = \"seagate-cheetah-9lp\"";

/// A file read on a host, cached or not.
fn on_host(device: &str, system: &str, cached: bool) -> String {
    format!(
        "[disk.d]\n{device}\n[host.h]\nmachine = \"poweredge-1850\"\nkernel = \"linux-3.2\"\n[fs.f]\ntype = \"{system}\"\non = \"d\"\n\
         [workload.w]\nkind = \"files\"\non = \"f\"\npattern = \"random\"\noperation = \"read\"\nrecord = \"8 KiB\"\n\
         file_size = \"64 MiB\"\noperations = 600\ncached = {cached}\n"
    )
}

#[test]
fn a_drive_alone_has_its_own_range_and_is_narrowed_by_a_calibration_of_it() {
    let error = error(&reads(DRIVE, ""));
    let [class] = error.classes.as_slice() else { panic!("{error:?}") };
    assert_eq!(
        (class.class, class.share, class.parts.as_slice()),
        (Class::Disk, 1.0, &["disk.d".to_owned()][..])
    );
    assert!(class.cases > 0 && class.factor < 1.2 && error.outside.is_empty(), "{error:?}");
    for of in [RangeOf::Throughput, RangeOf::MeanLatency, RangeOf::P99] {
        let [low, value, high] = range(&error, of);
        assert!(low < value && value < high && (high / value - value / low).abs() < 1e-9, "{error:?}");
    }
    let narrows = error.narrows.unwrap();
    assert_eq!(narrows.command, "petrio calibrate --device /dev/DEVICE --out d.toml");
    assert_eq!(narrows.set.as_deref(), Some("disk.d.file=d.toml"));
}

#[test]
fn a_class_counts_as_much_as_its_share_of_the_time() {
    let of = |cached| {
        let error = error(&on_host(DRIVE, "ext3", cached));
        let share = |class| error.classes.iter().find(|one| one.class == class).map_or(0.0, |one| one.share);
        [share(Class::Memory), share(Class::FileSystem), share(Class::Disk)]
    };
    let ([memory, system, disk], [in_memory, ..]) = (of(false), of(true));
    assert!(in_memory > 0.99 && memory < 0.1, "{in_memory} and {memory}");
    assert!(system > 0.9 && (system - disk).abs() < 1e-9, "{system}, {disk}");
}

#[test]
fn what_was_never_validated_is_named_and_makes_ranges_wider() {
    let flash = "model = \"intel-dc-s3500-480gb\"";
    let (drive, ssd) = (error(&reads(DRIVE, "")), error(&reads(flash, "")));
    assert_eq!(ssd.outside, ["solid-state drives (disk.d)"]);
    let wide = |error: &ModelErrorFigures| {
        let [low, _, high] = range(error, RangeOf::MeanLatency);
        high / low
    };
    assert!(wide(&ssd) > wide(&drive), "{ssd:?}");
    assert!(ssd.narrows.unwrap().command.starts_with("petrio calibrate --from fio.json --size SIZE"));
    let (known, unknown) = (error(&on_host(DRIVE, "ext4", false)), error(&on_host(DRIVE, "xfs", false)));
    assert_eq!(unknown.outside, ["XFS with its kernel (fs.f)"]);
    assert!(wide(&unknown) >= wide(&known), "{unknown:?}");
}

#[test]
fn a_device_that_is_as_it_is_written_has_no_error_of_its_own() {
    let given = "model = \"constant-rate\"\ndrive = { latency = \"1 ms\", rate = \"100 MB/s\" }";
    assert!(report(&reads(given, "")).model_error.is_empty());
}

#[test]
fn a_range_holds_the_interval_of_the_seeds() {
    let report = report(&reads(DRIVE, "[measure]\nreplications = 3\n"));
    let mean = report.served.latency.as_ref().unwrap().mean_ms;
    let half_width = mean.half_width.unwrap();
    let [low, value, high] = range(&report.model_error[0], RangeOf::MeanLatency);
    assert_eq!(value, mean.value);
    assert!(high >= value + half_width && value - low > 0.0, "{low} to {high}, ± {half_width}");
}

#[test]
fn of_what_comes_by_itself_only_latencies_have_ranges_and_who_does_not_want_any_gets_none() {
    let open = reads(DRIVE, "").replace(WAITS, COMES);
    let error = error(&open);
    assert!(error.ranges.iter().all(|range| range.of != RangeOf::Throughput), "{error:?}");
    assert!(error.ranges.iter().any(|range| range.of == RangeOf::MeanLatency));
    assert!(report(&reads(DRIVE, "[measure]\nmodel_error = false\n")).model_error.is_empty());
}
