//! Captured file requests: every format, what is done with them, and what is refused.

use petrio_colours::{FileId, FileOp, Operation};
use petrio_time::Time;
use petrio_trace::requests::{RequestFormat, RequestOperation, RequestReader, RequestRecord};
use petrio_units::{Bytes, Duration};
use petrio_workload::Phase;
use petrio_workload::program::pattern::{Durability, Interface, Timing};
use petrio_workload::program::requests::Opener;
use petrio_workload::program::{FileProgram, Placement, Prepared, ProgramError, RequestParameters, Step};
use proptest::prelude::*;
use std::io::Cursor;
use std::sync::Arc;

fn opener(bytes: Vec<u8>) -> Arc<Opener> {
    Arc::new(move || Ok(Box::new(Cursor::new(bytes.clone()))))
}

fn prepare(parameters: &RequestParameters, bytes: &[u8]) -> Result<Prepared, ProgramError> {
    parameters.prepare_with(&Placement::new("test"), &opener(bytes.to_vec()))
}

fn reads() -> RequestParameters {
    RequestParameters { operation: Some(RequestOperation::Read), ..RequestParameters::new("memory") }
}

fn records(
    bytes: &[u8],
    operation: Option<RequestOperation>,
) -> Result<(RequestFormat, Vec<RequestRecord>), ProgramError> {
    let reader = RequestReader::new("memory", Box::new(Cursor::new(bytes.to_vec())), None, operation)?;
    let format = reader.format();
    Ok((format, reader.collect::<Result<_, _>>()?))
}

fn refusal(parameters: &RequestParameters, text: &str) -> String {
    prepare(parameters, text.as_bytes()).map(|_| ()).unwrap_err().to_string()
}

fn steps(program: &mut dyn FileProgram) -> Vec<Step> {
    std::iter::from_fn(|| match program.next(Time::ZERO).unwrap() {
        Step::End => None,
        step => Some(step),
    })
    .collect()
}

fn brief(step: &Step) -> String {
    match step {
        Step::Operation(FileOp { operation, file, offset, length, .. }) => {
            format!("{} {} {offset}+{length}", operation.name(), file.0)
        }
        Step::Think(time) => time.to_string(),
        other => format!("{other:?}"),
    }
}

#[test]
fn processes_of_a_trace_run_side_by_side_on_the_files_that_it_names() {
    let text = "process,file,offset_bytes,length_bytes,operation,think_ms\n\
                20,5,0,100,R,1\n10,5,100,100,W,0\n20,900,0,50,W,\n10,5,0,0,F,\n";
    let parameters =
        RequestParameters { think_time: Duration::new(Time::from_millis(7)), ..RequestParameters::new("m") };
    let mut prepared = prepare(&parameters, text.as_bytes()).unwrap();
    let table: Vec<_> = prepared
        .files
        .entries()
        .iter()
        .map(|entry| (entry.file.0, entry.name.clone(), entry.size, entry.present))
        .collect();
    assert_eq!(table, [(1, "test.5".to_owned(), 200, true), (2, "test.900".to_owned(), 50, true)]);
    let found: Vec<Vec<String>> =
        prepared.programs.iter_mut().map(|program| steps(program).iter().map(brief).collect()).collect();
    // The requests of process 10, whose second says no think time, and of process 20.
    assert_eq!(
        found,
        [
            vec!["write 1 100+100", "7.000 ms", "fsync 1 0+0"],
            vec!["1.000 ms", "read 1 0+100", "7.000 ms", "write 2 0+50"],
        ]
    );
}

#[test]
fn the_closing_fsync_covers_what_was_written() {
    let text = "file,offset_bytes,length_bytes,operation\n1,0,10,W\n2,0,10,R\n3,0,10,W\n1,10,10,W\n";
    let parameters = RequestParameters {
        fsync: Durability::AtEnd,
        timing: Timing::Accesses,
        passes: 2,
        ..RequestParameters::new("memory")
    };
    let found = steps(&mut prepare(&parameters, text.as_bytes()).unwrap().programs[0]);
    assert_eq!(found.len(), 2 * 4 + 1 + 2);
    assert_eq!(found[8], Step::Phase(Phase::Closing { counted: false }));
    assert_eq!([brief(&found[9]), brief(&found[10])], ["fsync 1 0+0", "fsync 3 0+0"]);
    let often =
        RequestParameters { fsync: Durability::Every(2), timing: Timing::WithFsync, passes: 1, ..parameters };
    let found: Vec<_> =
        steps(&mut prepare(&often, text.as_bytes()).unwrap().programs[0]).iter().map(brief).collect();
    assert_eq!(found, ["write 1 0+10", "read 2 0+10", "write 3 0+10", "fsync 3 0+0", "write 1 10+10"]);
}

#[test]
fn measured_times_come_with_the_operations_that_they_belong_to() {
    let text = "offset_bytes,length_bytes,operation,think_ms,response_us\n0,1,R,5,3\n1,1,R,0,\n2,1,R,0,4\n";
    let mut program = prepare(&RequestParameters::new("m"), text.as_bytes()).unwrap().programs.remove(0);
    let mut measured = Vec::new();
    loop {
        match program.next(Time::ZERO).unwrap() {
            Step::Operation(_) => measured.push(program.measured()),
            Step::End => break,
            _ => {}
        }
    }
    assert_eq!(measured, [Some(Time::from_micros(3)), None, Some(Time::from_micros(4))]);
}

#[test]
fn a_file_on_disk_is_read_as_often_as_needed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("trace");
    std::fs::write(&path, "0 4096 R\n").unwrap();
    let parameters = RequestParameters { passes: 3, cached: true, ..RequestParameters::new(&path) };
    let mut prepared = parameters.prepare(&Placement::new("test")).unwrap();
    assert!(prepared.files.get(FileId(1)).unwrap().cached);
    assert_eq!(steps(&mut prepared.programs[0]).len(), 3);
    let missing = RequestParameters::new(folder.path().join("no trace"));
    let error = missing.prepare(&Placement::new("test")).map(|_| ()).unwrap_err().to_string();
    assert!(error.contains("no trace: can't be opened"), "{error}");
    assert!(RequestParameters::new(folder.path()).prepare(&Placement::new("test")).is_err());
}

#[test]
fn what_is_wrong_is_said_with_its_line() {
    let any = RequestParameters::new("memory");
    let cases = [
        (
            "0 4096 R\n0 4096 X\n",
            "memory, line 2: the operation is \"X\"; R, W, F (fsync) or D (fdatasync) was expected",
        ),
        ("# x\n0 4096 R\n0 R\n", "memory, line 3: the length is \"R\"; a whole number was expected"),
        ("0 4096 R 7\n", "memory, line 1: \"7\" stands after the last column"),
        ("-1 4096 R\n", "memory, line 1: the offset is -1; it can't be negative"),
        (
            "9223372036854775807 1 R\n",
            "memory, line 1: the end of the request is 9223372036854775807 + 1; at most 8 EiB",
        ),
        ("offset_bytes,operation\n0,R\n", "memory, line 1: the header names no length"),
        ("length_bytes,operation\n0,R\n", "memory, line 1: the header names no offset"),
        (
            "\n\noffset_byte,length_bytes\n0,R\n",
            "memory, line 3: the header names a column \"offset_byte\"; did you mean \"offset_bytes\"?",
        ),
        ("offset_bytes,offset_kib,length_kib\n", "memory, line 1: the header names offset_kib twice"),
        ("offset_bytes,length_bytes,operation\n0,1\n", "memory, line 2: the line ends before the operation"),
        ("offset_bytes,length_bytes,operation\n", "memory: there is no request in it"),
        ("# nothing\n\n", "memory: there is no request in it"),
        ("", "memory: the file is empty"),
        ("0 4096 10\n", "operation: the file doesn't say what is read and what is written"),
    ];
    for (text, begins) in cases {
        let message = refusal(&any, text);
        assert!(message.starts_with(begins), "{text:?}\n  says {message}\n  not  {begins}");
    }
    assert!(
        refusal(&reads(), "0 4096 R\n").starts_with("operation: each request of the file says what it is")
    );
}

#[test]
fn parameters_that_mean_nothing_are_refused() {
    let any = || RequestParameters::new("memory");
    let read = "0 4096 R\n";
    let cases = [
        (RequestParameters { passes: 0, ..any() }, read, "passes: it is zero"),
        (RequestParameters { fsync: Durability::Every(0), ..any() }, read, "fsync: every 0 writes"),
        (RequestParameters { fsync: Durability::AtEnd, ..any() }, read, "fsync: nothing is written"),
        (RequestParameters { sync: true, ..any() }, read, "sync: nothing is written"),
        (RequestParameters { sync: true, data_sync: true, ..any() }, read, "data_sync: `sync` includes it"),
        (
            RequestParameters { direct: true, interface: Interface::Stdio, ..any() },
            read,
            "direct: the C library's buffer",
        ),
        (
            RequestParameters { timing: Timing::WithClose, ..any() },
            read,
            "timing: a replay of requests closes no file",
        ),
        (
            RequestParameters { file_size: Some(Bytes(100)), ..any() },
            read,
            "file_size: the files are 100 B long",
        ),
        (
            RequestParameters { direct: true, ..any() },
            "0 512 R\n100 512 R\n",
            "memory, line 2: \"100 + 512\" is not a multiple",
        ),
    ];
    for (parameters, text, begins) in cases {
        let message = refusal(&parameters, text);
        assert!(message.starts_with(begins), "says {message}\nnot  {begins}");
    }
}

/// Bytes that come near to captured requests.
fn near_requests() -> impl Strategy<Value = Vec<u8>> {
    let pieces = [
        "0 4096 R\n",
        "0,4096,W\n",
        "4096 1 20\n",
        "offset_bytes,length_bytes,operation\n",
        "process,file,offset_kib,length_kib\n",
        "Offset in kBytes   Latency in microseconds  Transfer size in bytes\n",
        "System time 1\n",
        "R",
        "W",
        "F",
        ",",
        " ",
        "\n",
        "#",
        "18446744073709551615",
        "9223372036854775807",
        "-1",
        "nan",
        "1e400",
        "think_us",
        "\u{feff}",
    ];
    let piece = prop_oneof![
        4 => prop::sample::select(pieces.to_vec()).prop_map(|text| text.as_bytes().to_vec()),
        1 => "[0-9]{1,12}".prop_map(String::into_bytes),
        1 => prop::collection::vec(any::<u8>(), 0..8),
    ];
    prop::collection::vec(piece, 0..30).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_024, ..ProptestConfig::default() })]

    #[test]
    fn almost_requests_never_panic_and_run_as_they_were_looked_over(bytes in near_requests()) {
        for parameters in [RequestParameters::new("memory"), reads()] {
            let Ok(mut prepared) = prepare(&parameters, &bytes) else { continue };
            let mut count = 0;
            for program in &mut prepared.programs {
                for step in steps(program) {
                    let Step::Operation(op) = step else { continue };
                    let entry = prepared.files.get(op.file);
                    let fits = |size| op.offset + op.length <= size || !matches!(op.operation, Operation::Read | Operation::Write);
                    prop_assert!(entry.is_some_and(|entry| fits(entry.size)));
                    count += 1;
                }
            }
            prop_assert_eq!(count, records(&bytes, parameters.operation).map_or(0, |(_, records)| records.len()));
        }
    }
}
