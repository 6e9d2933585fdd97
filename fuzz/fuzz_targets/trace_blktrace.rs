//! Arbitrary bytes read as a `blktrace` trace, as requests and as events.
#![no_main]

use libfuzzer_sys::fuzz_target;
use petrio_workload::trace::{EventReader, FormatName, TraceOptions, TraceReader};
use std::io::Cursor;

fuzz_target!(|bytes: &[u8]| {
    let options = TraceOptions { format: Some(FormatName::Blktrace), ..TraceOptions::default() };
    if let Ok(reader) = TraceReader::from_reader("fuzz", Cursor::new(bytes.to_vec()), &options) {
        let times: Vec<_> = reader.map_while(Result::ok).map(|record| record.time).collect();
        assert!(times.is_sorted());
    }
    if let Ok(reader) = EventReader::from_reader("fuzz", Cursor::new(bytes.to_vec()), &options) {
        let times: Vec<_> = reader.map_while(Result::ok).map(|event| event.time).collect();
        assert!(times.is_sorted());
    }
});
