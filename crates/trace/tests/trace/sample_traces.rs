//! Real traces against what is known of them: counts by other programs, and the same trace in two formats.

use super::support::{data, read};
use petrio_colours::Direction;
use petrio_time::Time;
use petrio_trace::event::{Event, EventKind};
use petrio_trace::{EventReader, FormatName, TraceError, TraceOptions, TraceReader};

#[test]
fn the_cloudphysics_trace_has_the_published_counts_in_both_formats_and_agrees_record_by_record() {
    let test = "the_cloudphysics_trace_has_the_published_counts_in_both_formats_and_agrees_record_by_record";
    let (Some(csv), Some(vscsi)) = (
        data(test, "traces/cloudphysics/cloudPhysicsIO.csv.gz"),
        data(test, "traces/cloudphysics/cloudPhysicsIO.vscsi.xz"),
    ) else {
        return;
    };
    let (csv_reader, csv) = read(&csv);
    let (vscsi_reader, vscsi) = read(&vscsi);
    assert_eq!(
        (csv_reader.format(), vscsi_reader.format()),
        (FormatName::CloudphysicsCsv, FormatName::Vscsi)
    );

    let summary = csv_reader.summary();
    assert_eq!((summary.records, summary.reads, summary.writes), (113_872, 46_974, 66_898));
    assert_eq!((summary.bytes as f64 / 1e9 * 1e3).round(), 4_206.0);
    assert_eq!(csv.last().unwrap().time.as_seconds().round(), 7_200.0);
    assert_eq!(vscsi_reader.summary(), summary);

    assert_eq!(csv.len(), vscsi.len());
    // The text keeps whole seconds only, and the first record of the binary one stands within its second.
    let within_second = Time::from_whole_seconds(1);
    for (index, (text, binary)) in csv.iter().zip(&vscsi).enumerate() {
        let same_time = text.time <= binary.time + within_second && binary.time <= text.time + within_second;
        assert!(same_time, "record {index}: {} and {}", text.time, binary.time);
        let request = |record: &petrio_trace::BlockRecord| {
            (record.direction, record.address, record.blocks, record.device)
        };
        assert_eq!(request(text), request(binary), "record {index}");
    }
}

#[test]
fn the_mqsim_sample_has_6999_requests_to_16_devices() {
    let test = "the_mqsim_sample_has_6999_requests_to_16_devices";
    let Some(path) = data(test, "traces/mqsim/tpcc-small.trace") else { return };
    let (reader, records) = read(&path);
    assert_eq!(reader.format(), FormatName::Mqsim);
    assert_eq!(records.len(), 6_999);
    assert_eq!(records[1].time, Time::from_nanos(938_828_000 - 938_513_000));
    // Counted with awk: 4,381 lines end in 1, and devices run from 0 to 15.
    assert_eq!(reader.summary().reads, 4_381);
    assert_eq!(records.iter().map(|record| record.device).max(), Some(15));
}

#[test]
fn the_disksim_sample_has_100000_requests() {
    let Some(path) = data("the_disksim_sample_has_100000_requests", "disks/ascii.trace") else { return };
    let (reader, records) = read(&path);
    assert_eq!(reader.format(), FormatName::DisksimAscii);
    assert_eq!(records.len(), 100_000);
    // Counted with awk: 79,634 lines end in 1.
    assert_eq!(reader.summary().reads, 79_634);
    // 17.829285 − 13.191135 ms
    assert_eq!(records[1].time, Time::from_nanos(4_638_150));
    assert_eq!((records[1].device, records[1].address, records[1].blocks), (20, 576_560, 6));
}

#[test]
fn measured_traces_keep_access_and_idle_times_to_the_picosecond() {
    let test = "measured_traces_keep_access_and_idle_times_to_the_picosecond";
    // Requests in the file (its lines), and the mean access time in ms that DiskSim's comparison prints.
    let drives = [
        ("atlas_III", 10_000, 6.263),
        ("barracuda", 10_000, 6.627),
        ("cheetah9LP", 10_000, 4.273),
        ("dec_rz26", 7_980, 15.809),
        ("hp_c2247a", 9_999, 15.298),
        ("hp_c2490a", 9_984, 12.550),
        ("ibm18es", 10_000, 5.261),
    ];
    for (drive, count, mean_ms) in drives {
        let Some(path) = data(test, &format!("disks/{drive}.trace")) else { return };
        let (reader, records) = read(&path);
        assert_eq!(reader.format(), FormatName::Measured, "{drive}");
        assert_eq!(records.len(), count, "{drive}");
        let total: Time = records.iter().map(|record| record.measured.unwrap()).sum();
        let mean = total.as_millis() / records.len() as f64;
        assert!((mean - mean_ms).abs() < 0.001, "{drive}: mean {mean}");

        // Arrival minus the completion before is column 6 of the line before.
        let text = std::fs::read_to_string(&path).unwrap();
        for (line, pair) in text.lines().zip(records.windows(2)) {
            let idle_us: f64 = line.split_whitespace().nth(5).unwrap().parse().unwrap();
            let idle = pair[1].time - (pair[0].time + pair[0].measured.unwrap());
            assert!((idle.as_micros() - idle_us).abs() < 1e-6, "{drive}: {line}");
        }
    }
}

#[test]
fn perf_block_events_become_requests_with_their_latency() {
    let test = "perf_block_events_become_requests_with_their_latency";
    let Some(path) = data(test, "traces/local/perf_block.txt.xz") else { return };
    let (reader, records) = read(&path);
    assert_eq!(reader.format(), FormatName::TraceEvents);
    // Three writes that were queued in view, and one flush; eight completions belong to requests queued before.
    let seen: Vec<_> = records
        .iter()
        .map(|record| (record.direction, record.address, record.blocks, record.measured.map(Time::as_micros)))
        .collect();
    assert_eq!(
        seen,
        [
            (Direction::Write, 54_280_192, 4_096, Some(1_007.0)),
            (Direction::Write, 332_922_936, 8, Some(59.0)),
            (Direction::Write, 332_927_016, 8, Some(41.0)),
            (Direction::Flush, 0, 0, None),
        ]
    );
    assert!(records.iter().all(|record| record.process == 10_700));
    assert_eq!(reader.device_name(0).as_deref(), Some("254,0"));
    assert_eq!(reader.summary().left_out.unmatched_completions, 8);
}

#[test]
fn darshans_logs_have_the_requests_that_another_reader_counts_in_them() {
    let test = "darshans_logs_have_the_requests_that_another_reader_counts_in_them";
    // Counted by a script of its own, which unpacks the logs' modules and knows nothing of this reader: writes, reads
    // and bytes of the POSIX module, and requests of the MPI-IO module, which are left out.
    let logs = [
        ("dxt.darshan", 1_497, 6_126, 35_539_507, 0),
        ("ior_hdf5_example.darshan", 23, 36, 8_398_304, 59),
        ("sample-dxt-simple.darshan", 2, 0, 4_040, 1),
    ];
    for (name, writes, reads, bytes, left_out) in logs {
        let Some(path) = data(test, &format!("traces/darshan/{name}")) else { return };
        let mut reader = EventReader::open(&path, &TraceOptions::default()).unwrap();
        assert_eq!(reader.format(), FormatName::DarshanDxt, "{name}");
        let events: Vec<Event> = reader.by_ref().map(Result::unwrap).collect();
        let of = |kind: EventKind| events.iter().filter(|event| event.kind == kind).count();
        assert_eq!((of(EventKind::Write), of(EventKind::Read)), (writes, reads), "{name}");
        assert_eq!(events.iter().map(|event| event.length).sum::<u64>(), bytes, "{name}");
        assert_eq!(reader.summary().left_out.other_events, left_out, "{name}");
        assert!(events.iter().all(|event| event.path.is_some()), "{name}");
        assert!(!reader.about().unwrap().command.is_empty(), "{name}");
    }
}

#[test]
fn the_traces_that_petrio_ships_read_without_a_remark() {
    let folder = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/traces"));
    let mut seen = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if !path.to_string_lossy().contains(".csv") {
            continue;
        }
        if let Err(TraceError::CallsOnFiles { .. }) = TraceReader::open(&path, &TraceOptions::default()) {
            let events = EventReader::open(&path, &TraceOptions::default()).unwrap();
            let events = events.collect::<Result<Vec<_>, _>>().unwrap();
            assert!(events.len() > 500, "{path:?}");
            continue;
        }
        let (reader, records) = read(&path);
        let summary = reader.summary();
        assert_eq!(reader.format(), FormatName::Petrio);
        assert!(records.len() > 1_000 && records.iter().all(|record| record.measured.is_some()), "{path:?}");
        assert_eq!(
            summary.left_out.reordered + summary.left_out.widened + summary.left_out.other_events,
            0,
            "{path:?}"
        );
        seen += 1;
    }
    assert!(seen > 0, "no trace in {folder:?}");
}
