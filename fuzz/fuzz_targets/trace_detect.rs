//! Arbitrary bytes whose format is told from the content, compressed or not.
#![no_main]

use libfuzzer_sys::fuzz_target;
use petrio_workload::trace::{TraceOptions, TraceReader};
use std::io::Cursor;

fuzz_target!(|bytes: &[u8]| {
    match TraceReader::from_reader("fuzz", Cursor::new(bytes.to_vec()), &TraceOptions::default()) {
        // A packed file may hold far more than its bytes; the beginning is enough.
        Ok(reader) => drop(reader.take(100_000).map_while(Result::ok).count()),
        Err(error) => drop((error.to_string(), error.help())),
    }
});
