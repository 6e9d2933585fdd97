//! Several traces as one stream.

use petrio_time::Time;
use petrio_trace::{Alignment, DeviceMap, MergedTraces, TraceError, TraceOptions, TraceReader};
use std::collections::BTreeMap;

fn reader(text: &str) -> TraceReader {
    TraceReader::from_reader("memory", std::io::Cursor::new(text.to_owned()), &TraceOptions::default())
        .unwrap()
}

const FIRST: &str = "10.5 0 1 8 1\n11.5 0 2 8 1\n14.5 0 3 8 1\n";
const SECOND: &str = "12.0 3 4 8 1\n12.25 3 5 8 1\n";

#[test]
fn traces_merge_by_time_and_keep_their_processes_apart() {
    let traces = vec![(reader(FIRST), DeviceMap::Same), (reader(SECOND), DeviceMap::All(9))];
    let records: Vec<_> =
        MergedTraces::new(traces, Alignment::Each).unwrap().collect::<Result<_, _>>().unwrap();
    let seen: Vec<_> = records
        .iter()
        .map(|merged| {
            let record = merged.record;
            (merged.trace, record.address, record.device, record.process, record.time.as_millis())
        })
        .collect();
    assert_eq!(
        seen,
        [(0, 1, 0, 0, 0.0), (1, 4, 9, 1, 0.0), (1, 5, 9, 1, 0.25), (0, 2, 0, 0, 1.0), (0, 3, 0, 0, 4.0)]
    );
}

#[test]
fn a_shared_clock_keeps_the_distance_between_traces() {
    let traces = vec![(reader(SECOND), DeviceMap::Same), (reader(FIRST), DeviceMap::Same)];
    let merged = MergedTraces::new(traces, Alignment::Shared).unwrap();
    let times: Vec<Time> = merged.map(|record| record.unwrap().record.time).collect();
    assert_eq!(times, [0, 1_000, 1_500, 1_750, 4_000].map(Time::from_micros));
}

#[test]
fn a_device_that_the_table_lacks_is_an_error() {
    let table = DeviceMap::Table(BTreeMap::from([(0, 5), (1, 6)]));
    let mut merged = MergedTraces::new(vec![(reader(SECOND), table)], Alignment::Each).unwrap();
    let found = merged.next().unwrap().unwrap_err();
    assert!(matches!(&found, TraceError::UnmappedDevice { device: 3, .. }), "{found}");
    assert!(merged.next().is_none());
}

#[test]
fn an_error_in_one_trace_comes_after_the_records_before_it() {
    let traces = vec![(reader("1.5 0 1 8 1\n2.5 0 1 0 1\n"), DeviceMap::Same)];
    let items: Vec<_> = MergedTraces::new(traces, Alignment::Each).unwrap().collect();
    assert_eq!(items.len(), 2);
    assert!(items[0].is_ok() && items[1].is_err());
}
