//! Arbitrary bytes read as a `darshan-dxt` trace.
#![no_main]

use libfuzzer_sys::fuzz_target;
use petrio_workload::trace::{EventReader, FormatName, TraceOptions};
use std::io::Cursor;

fuzz_target!(|bytes: &[u8]| {
    let options = TraceOptions { format: Some(FormatName::DarshanDxt), ..TraceOptions::default() };
    if let Ok(reader) = EventReader::from_reader("fuzz", Cursor::new(bytes.to_vec()), &options) {
        let times: Vec<_> = reader.map_while(Result::ok).map(|event| event.time).collect();
        assert!(times.is_sorted());
    }
});
