//! Bad input: each fault is refused with the file, the place, the value and what to do.

use super::support::{options, read_bytes, sound};
use miette::Diagnostic;
use petrio_trace::{EventReader, FormatName, Position, Problem, TraceError, TraceOptions, TraceReader};
use std::io::Write;

fn error(bytes: &[u8]) -> TraceError {
    read_bytes(bytes, &TraceOptions::default()).unwrap_err()
}

fn problem(bytes: &[u8]) -> (Position, Problem) {
    match error(bytes) {
        TraceError::Record { place, problem, .. } => (place, problem),
        other => panic!("{other}"),
    }
}

#[test]
fn a_missing_file_and_a_folder_are_named() {
    let error = TraceReader::open("no/such.trace", &TraceOptions::default()).err().unwrap();
    assert!(matches!(&error, TraceError::Open { name, .. } if &**name == "no/such.trace"));
    assert!(error.help().unwrap().to_string().contains("path"));
    assert!(matches!(TraceReader::open("/", &TraceOptions::default()), Err(TraceError::Open { .. })));
}

#[test]
fn an_empty_file_and_one_without_requests_are_errors_of_their_own() {
    assert!(matches!(error(b""), TraceError::Empty { .. }));
    assert!(matches!(error(b"version,time,op,size,lbn\n"), TraceError::NoRecords { .. }));
    assert!(matches!(error(b"\n\n# nothing\n"), TraceError::Unrecognised { .. }));
    let forced = read_bytes(b"\n\n", &options(FormatName::Spc)).unwrap_err();
    assert_eq!(forced.to_string(), "memory: no request in its 2 lines (read as spc)");
}

#[test]
fn decreasing_times_are_refused_with_the_line_and_by_how_much() {
    let error = error(b"1.5 0 100 8 1\n2.5 0 100 8 1\n2.25 0 100 8 1\n");
    assert_eq!(error.to_string(), "memory, line 3: time goes back by 250.000 µs");
    assert!(error.help().unwrap().to_string().contains("reorder_window"));
}

#[test]
fn numbers_that_no_trace_can_have_are_refused_by_column() {
    assert_eq!(
        error(b"0.5 0 100 8 1\n-5.0 0 100 8 1\n").to_string(),
        "memory, line 2: the arrival in ms is -5.0; it can't be negative"
    );
    let (place, found) = problem(b"0.5 0 100 8 1\nnan 0 100 8 1\n");
    assert_eq!(place, Position::Line(2));
    assert!(matches!(found, Problem::NotANumber { .. }), "{found}");
    let (_, found) = problem(b"0.5 0 100 0 1\n");
    assert_eq!(found, Problem::ZeroLength("read"));
    let (_, found) = problem(b"0.5 0 18446744073709551615 8 1\n");
    assert!(matches!(found, Problem::AddressOverflow { .. }), "{found}");
    let (_, found) = problem(b"0.5 0 99999999999999999999 8 1\n");
    assert!(matches!(found, Problem::TooLarge { column: "block", .. }), "{found}");
    let (_, found) = problem(b"0.5 0 100 4294967296 1\n");
    assert!(matches!(found, Problem::TooLarge { .. }), "{found}");
}

#[test]
fn too_few_and_too_many_columns_are_named() {
    assert_eq!(
        error(b"0.5 0 100 8 1\n1.0 0 100 8\n").to_string(),
        "memory, line 2: the line ends before the flags (expected: arrival in ms, device, block, length in blocks, \
         flags in hexadecimal)"
    );
    let (_, found) = problem(b"0.5 0 100 8 1\n1.0 0 100 8 1 7\n");
    assert!(matches!(found, Problem::ExtraColumn { found, .. } if found == "7"));
}

#[test]
fn operations_that_are_neither_read_nor_write_are_refused() {
    let cases: [&[u8]; 4] = [
        b"R Hit 1 2 3.0 4.0\nX Hit 1 2 3.0 4.0\n",
        b"0,1,512,R,0.5\n0,1,512,T,0.6\n",
        b"1,hm,1,Read,0,512,1\n2,hm,1,Trim,0,512,1\n",
        b"time_us,operation,address_blocks,length_blocks\n0,R,0,8\n1,RX,0,8\n",
    ];
    for case in cases {
        let (_, found) = problem(case);
        assert!(matches!(found, Problem::UnknownOperation { .. }), "{found}");
    }
}

#[test]
fn a_header_without_units_or_with_unknown_columns_is_refused_with_a_suggestion() {
    let error_of = |header: &str| error(format!("{header}\n0,R,0,8\n").as_bytes());
    let missing_unit = error_of("time,operation,address_blocks,length_blocks");
    assert_eq!(missing_unit.to_string(), "memory, line 1: the header's column \"time\" has no unit");
    assert!(missing_unit.help().unwrap().to_string().contains("time_us"));
    let misspelt = error_of("time_us,operation,adress_blocks,length_blocks");
    assert!(misspelt.to_string().ends_with("did you mean \"address_blocks\"?"), "{misspelt}");
    let twice = error_of("time_us,time_ms,operation,address_blocks,length_blocks");
    assert!(twice.to_string().contains("names the time twice"));
    let lacking = error_of("time_us,operation,address_blocks");
    assert!(lacking.to_string().contains("no column for the length"));
    let newer = error(b"# petrio block trace, version 2\ntime_us,operation,address_blocks,length_blocks\n");
    assert!(newer.to_string().contains("version 2; version 1 is read here"));
}

#[test]
fn cut_off_binary_and_compressed_traces_are_told_from_short_ones() {
    let binary = sound(FormatName::Vscsi);
    let (place, found) = problem(&binary[..binary.len() - 5]);
    assert_eq!((place, found), (Position::Byte(64), Problem::CutOff { found: 27, needed: 32 }));

    let text: Vec<u8> =
        (0..200_000_u32).flat_map(|i| format!("{i}.5 0 {} 8 1\n", i * 7919 % 65_521).into_bytes()).collect();
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(&text).unwrap();
    let gzip = gzip.finish().unwrap();
    let mut xz = liblzma::write::XzEncoder::new(Vec::new(), 1);
    xz.write_all(&text).unwrap();
    let xz = xz.finish().unwrap();
    let zstandard = zstd::encode_all(&text[..], 1).unwrap();
    for (packed, name) in [(gzip, "gzip"), (xz, "xz"), (zstandard, "zstandard")] {
        let cut = error(&packed[..packed.len() * 9 / 10]);
        assert!(
            matches!(&cut, TraceError::Truncated { compression, .. } if *compression == name),
            "{name}: {cut}"
        );
        assert!(cut.help().unwrap().to_string().contains("cut off"));
        let mut damaged = packed.clone();
        for byte in &mut damaged[packed.len() / 2..packed.len() / 2 + 40] {
            *byte ^= 0x5a;
        }
        assert!(read_bytes(&damaged, &TraceOptions::default()).is_err(), "{name}");
    }
}

#[test]
fn binary_garbage_is_refused_whatever_it_is_taken_for() {
    let mut state = 88_172_645_463_325_252_u64;
    let garbage: Vec<u8> = (0..300_000)
        .map(|_| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state as u8
        })
        .collect();
    assert!(matches!(error(&garbage), TraceError::Unrecognised { .. }));
    for format in FormatName::ALL {
        assert!(read_bytes(&garbage, &options(format)).is_err(), "{format}");
    }
    // A line without an end is refused before it fills the memory.
    let endless = vec![b'7'; 1 << 20];
    let found = read_bytes(&endless, &options(FormatName::DisksimAscii)).unwrap_err();
    assert!(matches!(found, TraceError::Record { problem: Problem::LineTooLong { .. }, .. }), "{found}");
}

#[test]
fn records_slightly_out_of_order_are_sorted_within_the_window_and_counted() {
    let text = b"1.0 0 1 8 1\n3.0 0 3 8 1\n2.0 0 2 8 1\n4.0 0 4 8 1\n";
    let allowed = TraceOptions { reorder_window: Some(1), ..TraceOptions::default() };
    let mut reader = TraceReader::from_reader("memory", &text[..], &allowed).unwrap();
    let addresses: Vec<u64> = reader.by_ref().map(|record| record.unwrap().address).collect();
    assert_eq!(addresses, [1, 2, 3, 4]);
    assert_eq!(reader.summary().left_out.reordered, 1);

    let text = b"1.0 0 1 8 1\n3.0 0 3 8 1\n4.0 0 4 8 1\n5.0 0 5 8 1\n2.0 0 2 8 1\n";
    let found = read_bytes(text, &allowed).unwrap_err();
    assert!(found.to_string().starts_with("memory, line 5: time goes back"), "{found}");
    assert!(found.help().unwrap().to_string().contains("now 1 records"));
}

#[test]
fn absolute_clocks_need_rebasing() {
    let text = sound(FormatName::Msr);
    assert!(read_bytes(&text, &TraceOptions::default()).is_ok());
    let kept = TraceOptions { rebase: false, ..TraceOptions::default() };
    let found = read_bytes(&text, &kept).unwrap_err();
    assert!(matches!(&found, TraceError::Record { problem: Problem::BeyondHorizon { .. }, .. }), "{found}");
    assert!(found.help().unwrap().to_string().contains("rebase"));
    // 213.5 days between two requests.
    let long = b"0,1,512,R,0.5\n0,1,512,R,18446745.0\n";
    let found = read_bytes(long, &TraceOptions::default()).unwrap_err();
    assert!(found.to_string().contains("213 days after the first record"), "{found}");
}

#[test]
fn a_device_that_nobody_asks_for_leaves_an_error_not_an_empty_run() {
    let only =
        |device: &str| TraceOptions { only_device: Some(device.to_owned()), ..TraceOptions::default() };
    let kept = read_bytes(&sound(FormatName::DisksimAscii), &only("20")).unwrap();
    assert_eq!(kept.len(), 1);
    assert_eq!(read_bytes(&sound(FormatName::Blkparse), &only("8,0")).unwrap().len(), 1);
    let found = read_bytes(&sound(FormatName::Blkparse), &only("8,16")).unwrap_err();
    assert_eq!(found.to_string(), "memory: no request in it to device 8,16 (read as blkparse)");
}

#[test]
fn windows_line_ends_and_a_byte_order_mark_do_no_harm() {
    let text = b"\xef\xbb\xbf0,20941264,8192,W,0.551706\r\n0,20939840,8192,W,0.554041\r\n";
    assert_eq!(read_bytes(text, &TraceOptions::default()).unwrap().len(), 2);
}

/// A compressed stream of so many mebibytes that begin like a Parquet file.
fn inflated(mebibytes: usize) -> Vec<u8> {
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(b"PAR1").unwrap();
    for _ in 0..mebibytes {
        packed.write_all(&[0; 1 << 20]).unwrap();
    }
    packed.finish().unwrap()
}

#[test]
fn what_unpacks_to_far_more_than_a_trace_file_does_is_given_up_with_both_figures() {
    let error =
        TraceReader::from_reader("bomb.gz", std::io::Cursor::new(inflated(80)), &TraceOptions::default())
            .map(|mut reader| reader.next());
    let error = match error {
        Ok(Some(Err(error))) | Err(error) => error,
        Ok(other) => panic!("{other:?}"),
    };
    assert!(matches!(&error, TraceError::Record { problem: Problem::Inflated { .. }, .. }), "{error}");
    assert!(error.to_string().contains("bytes unpacked to"), "{error}");
}

#[test]
fn empty_lines_without_end_are_given_up() {
    let heading = std::io::Cursor::new(b"0.0 0 100 8 1\n");
    let endless = std::io::Read::chain(heading, std::io::repeat(b'\n'));
    let reader = TraceReader::from_reader("pipe", endless, &TraceOptions::default()).unwrap();
    let error = reader.last().unwrap().unwrap_err();
    assert!(matches!(&error, TraceError::Record { problem: Problem::NothingSaid { .. }, .. }), "{error}");
}

/// The sample of each text format, with its name.
fn samples() -> Vec<(FormatName, Vec<u8>)> {
    let seeds = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/seeds");
    let texts = FormatName::ALL.into_iter().filter(|format| format.example().is_some());
    texts.map(|format| (format, std::fs::read(seeds.join(format.name())).unwrap())).collect()
}

/// What is wrong with a trace, whichever of its records it is.
fn spoiled(bytes: Vec<u8>) -> String {
    let name = "memory";
    match EventReader::from_reader(name, std::io::Cursor::new(bytes), &TraceOptions::default()) {
        Err(error) => error.to_string(),
        Ok(mut reader) => reader.find_map(Result::err).map_or_else(String::new, |error| error.to_string()),
    }
}

#[test]
fn what_no_line_of_a_format_is_gets_refused_where_it_stands_in_every_text_format() {
    let all = samples();
    for (number, (format, sample)) in all.iter().enumerate() {
        let other = &all[(number + 7) % all.len()].1;
        let mut sample = sample.clone();
        if !sample.ends_with(b"\n") {
            sample.push(b'\n');
        }
        let long = [&[b'x'; 1 << 20][..], b"\n"].concat();
        let spoils: [(&str, &[u8]); 4] = [
            ("half of another format", other),
            ("a line of a mebibyte", &long),
            ("zeros", &[&[0; 100][..], b"\n"].concat()),
            ("another code page", b"\xe4\xf6\xfc caf\xe9 \xff\n"),
        ];
        for (what, spoil) in spoils {
            let problem = spoiled([&sample[..], spoil, &sample].concat());
            // Of some the beginning alone doesn't tell any more which of two formats it is.
            let is_placed =
                ["line ", "could be", "not a trace", "its head"].iter().any(|words| problem.contains(words));
            assert!(is_placed, "{format} with {what}: {problem:?}");
            assert!(problem.len() < 600, "{format} with {what}: {} bytes", problem.len());
        }
        let utf_16: Vec<u8> = sample.iter().flat_map(|byte| [*byte, 0]).collect();
        let problem = spoiled([&[0xff, 0xfe][..], &utf_16].concat());
        assert!(!problem.is_empty(), "{format} as UTF-16");
    }
}
