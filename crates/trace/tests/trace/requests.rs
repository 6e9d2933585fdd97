//! Captured file requests: each format told from its content and read, packed or not.

use petrio_colours::Operation;
use petrio_time::Time;
use petrio_trace::requests::{RequestError, RequestFormat, RequestOperation, RequestReader, RequestRecord};
use std::io::{Cursor, Write};

fn records(
    bytes: &[u8],
    operation: Option<RequestOperation>,
) -> Result<(RequestFormat, Vec<RequestRecord>), RequestError> {
    let reader = RequestReader::new("memory", Box::new(Cursor::new(bytes.to_vec())), None, operation)?;
    let format = reader.format();
    Ok((format, reader.collect::<Result<_, _>>()?))
}

#[test]
fn each_format_is_told_from_its_content_and_read() {
    let record =
        |operation, offset, length| RequestRecord { operation, offset, length, ..RequestRecord::default() };
    let read = |offset, length| record(Operation::Read, offset, length);
    let millis = |count| Some(Time::from_millis(count));

    let plain = "# captured\n0 4096 R\n\n8192, 512, w\r\n0 100 read\n";
    let (format, found) = records(plain.as_bytes(), None).unwrap();
    assert_eq!(format, RequestFormat::Plain);
    assert_eq!(found, [read(0, 4096), record(Operation::Write, 8192, 512), read(0, 100)]);

    // The example that iozone brings with it has this form.
    let telemetry = "#\n# The format is: ...\n#\n0 4096 0\n4096 65536 20\n69632 4096\n";
    let (format, found) = records(telemetry.as_bytes(), Some(RequestOperation::Read)).unwrap();
    assert_eq!(format, RequestFormat::Telemetry);
    let thinking = |think, record| RequestRecord { think, ..record };
    assert_eq!(
        found,
        [thinking(millis(0), read(0, 4096)), thinking(millis(20), read(4096, 65536)), read(69632, 4096)]
    );

    let log = "Offset in kBytes   Latency in microseconds  Transfer size in bytes\n\
               \x20        0         15       4096\n         4          2       4096\n\n\
               System time      0.010 User time      0.000 Real      0.012  (seconds)\n";
    let (format, found) = records(log.as_bytes(), Some(RequestOperation::Write)).unwrap();
    assert_eq!(format, RequestFormat::LatencyLog);
    let written = |micros, offset| RequestRecord {
        measured: Some(Time::from_micros(micros)),
        ..record(Operation::Write, offset, 4096)
    };
    assert_eq!(found, [written(15, 0), written(2, 4096)]);

    let columns = "process,file,operation,length_kib,offset_blocks,think_us,response_ms\n\
                   3,7,W,4,8,1.5,\n4,9,F,0,0,,2\n3,7,D,0,0,,\n";
    let (format, found) = records(columns.as_bytes(), None).unwrap();
    assert_eq!(format, RequestFormat::Columns);
    let first = RequestRecord {
        process: 3,
        file: 7,
        think: Some(Time::from_nanos(1_500)),
        ..record(Operation::Write, 4096, 4096)
    };
    let second = RequestRecord { process: 4, file: 9, measured: millis(2), ..record(Operation::Fsync, 0, 0) };
    let third = RequestRecord { process: 3, file: 7, ..record(Operation::Fdatasync, 0, 0) };
    assert_eq!(found, [first, second, third]);
}

#[test]
fn packed_files_are_unpacked() {
    let text = b"0 4096 R\n4096 4096 W\n";
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(text).unwrap();
    let gzip = gzip.finish().unwrap();
    let zstandard = zstd::encode_all(&text[..], 1).unwrap();
    let expected = records(text, None).unwrap();
    assert_eq!(records(&gzip, None).unwrap(), expected);
    assert_eq!(records(&zstandard, None).unwrap(), expected);
    let cut = records(&gzip[..gzip.len() - 6], None).unwrap_err().to_string();
    assert!(cut.contains("gzip data ends too early"), "{cut}");
}
