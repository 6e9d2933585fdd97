//! Outputs that the programs printed, and what is wrong with others.

#![allow(clippy::unwrap_used)]

use super::*;
use proptest::prelude::*;

const AUTO: &str = include_str!("fixtures/iozone-auto.txt");
const TABLES: &str = include_str!("fixtures/iozone-auto-tables.txt");
const THROUGHPUT: &str = include_str!("fixtures/iozone-throughput.txt");
const OPERATIONS: &str = include_str!("fixtures/iozone-operations.txt");
const MICROSECONDS: &str = include_str!("fixtures/iozone-microseconds.txt");
const DIRECT: &str = include_str!("fixtures/iozone-direct.txt");
const SYNC: &str = include_str!("fixtures/iozone-sync.txt");
const FIO: &str = include_str!("fixtures/fio.json");
const FIO_PLUS: &str = include_str!("fixtures/fio-plus-two-processes.txt");

const KIB: u64 = 1024;

fn read(text: &str) -> Measurement {
    Measurement::read(text.as_bytes()).unwrap()
}

fn error(text: &str) -> MeasurementError {
    Measurement::read(text.as_bytes()).unwrap_err()
}

/// The figure of a test with a file size and record in KiB.
fn of(measured: &Measurement, name: &str, size: u64, record: u64) -> Option<(Figure, f64)> {
    let sizes = (Some(size * KIB), Some(record * KIB));
    let row = measured.rows.iter().find(|row| row.name == name && (row.file_size, row.record) == sizes)?;
    Some(row.figures[0])
}

fn kib_per_s(figure: Option<(Figure, f64)>) -> f64 {
    let Some((Figure::Throughput, value)) = figure else { panic!("{figure:?}") };
    value / KIB as f64
}

/// Every line whose words from the third on are figures, as numbers of the table.
fn cells(text: &str) -> Vec<Vec<f64>> {
    let numbers =
        |line: &str| line.split_whitespace().map(|word| word.parse().ok()).collect::<Option<Vec<f64>>>();
    text.lines().filter_map(numbers).filter(|row| row.len() > 2).collect()
}

#[test]
fn each_figure_of_the_table_is_of_its_file_size_record_and_test() {
    let measured = read(AUTO);
    let printed = cells(AUTO);
    assert_eq!((printed.len(), measured.rows.len()), (11, 11 * 13));
    let tests = [
        "write",
        "rewrite",
        "read",
        "reread",
        "random-read",
        "random-write",
        "backward-read",
        "record-rewrite",
        "stride-read",
        "fwrite",
        "frewrite",
        "fread",
        "freread",
    ];
    for row in printed {
        for (test, figure) in tests.iter().zip(&row[2..]) {
            let found = of(&measured, test, row[0] as u64, row[1] as u64);
            assert_eq!(kib_per_s(found), *figure, "{test} of {row:?}");
        }
    }
    assert_eq!(measured.remarks, Vec::<String>::new());
    assert!(measured.rows.iter().all(|row| row.direct == Some(false) && row.processes == Some(1)));
    assert!(read(DIRECT).rows.iter().all(|row| row.direct == Some(true)));
}

#[test]
fn tests_that_were_not_run_leave_blanks_and_figures_stay_in_their_columns() {
    let measured = read(TABLES);
    let names: Vec<&str> = measured.rows[..4].iter().map(|row| row.name.as_str()).collect();
    assert_eq!(
        names,
        ["write", "rewrite", "random-read", "random-write"],
        "-i 0 -i 2: nothing is read in a row"
    );
    // Whatever stands before each line, as a quoting mail puts it there.
    let shifted: String = TABLES.lines().map(|line| format!(">> {line}\n")).collect();
    let shifted = shifted.replace(">> ", "   ");
    assert_eq!(read(&shifted).rows, measured.rows);
}

#[test]
fn where_the_blanks_were_lost_the_command_line_says_which_columns_there_are() {
    let squeezed: String =
        TABLES.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ") + "\n").collect();
    assert_eq!(read(&squeezed).rows, read(TABLES).rows);
    let nobody_knows = squeezed.replace("Command line used:", "Line:");
    let error = error(&nobody_knows);
    assert!(error.line.is_some() && error.problem.contains("blanks are lost"), "{error}");
    assert!(error.help.unwrap().contains("Command line used"));
}

#[test]
fn the_tables_of_a_spreadsheet_say_the_same_as_the_screen() {
    let sorted = |measured: Measurement| {
        let mut rows: Vec<String> = measured.rows.iter().map(|row| format!("{row:?}")).collect();
        rows.sort();
        rows
    };
    let (_, sheets) = TABLES.split_once("Excel output is below:").unwrap();
    let line = TABLES.lines().find(|line| line.contains("Command line used")).unwrap();
    let alone = format!("{line}\n{sheets}\niozone test complete.\n");
    assert_eq!(sorted(read(&alone)), sorted(read(TABLES)));
    // As a spreadsheet saves them.
    let comma = |line: &str| match line.contains("report") {
        true => line.replace('"', "") + ",,",
        false if line.starts_with(' ') => {
            format!(",{}", line.replace('"', "").split_whitespace().collect::<Vec<_>>().join(","))
        }
        false => line.replace('"', "").split_whitespace().collect::<Vec<_>>().join(","),
    };
    let saved: String = sheets.lines().map(|line| comma(line) + "\n").collect();
    assert_eq!(sorted(read(&format!("{line}\n{saved}"))), sorted(read(TABLES)));
}

#[test]
fn a_sheet_has_zeros_for_records_that_were_left_out() {
    let sheet = "\"Reader report\"\n        \"4\"  \"8\"  \"64\"\n\"64\"   100  200  300 \n\"32768\"   0  0  400 \n\n\
        \"Reader CPU utilization report (Zero values should be ignored)\"\n  \"4\"  \"8\"\n\"64\"  42.4  41.5\n";
    let measured = read(sheet);
    assert_eq!(measured.rows.len(), 4, "{measured:?}");
    assert_eq!(kib_per_s(of(&measured, "read", 32_768, 64)), 400.0);
    assert_eq!(measured.rows[0].direct, None, "without a command line nobody knows");
}

#[test]
fn throughput_mode_has_a_figure_for_each_test_and_number_of_processes() {
    let measured = read(THROUGHPUT);
    let row = |name: &str, processes| {
        let mut rows =
            measured.rows.iter().filter(|row| row.name == name && row.processes == Some(processes));
        let row = rows.next().unwrap();
        assert!(rows.next().is_none(), "the sheet below repeats what the screen says");
        row
    };
    let reads = row("random-read", 2);
    assert_eq!((reads.file_size, reads.record), (Some(1024 * KIB), Some(16 * KIB)));
    assert_eq!(reads.figures, [(Figure::Throughput, 10_591_664.50 * 1024.0)]);
    assert_eq!(row("write", 1).figures, [(Figure::Throughput, 2_426_801.75 * 1024.0)]);
    assert_eq!(measured.rows.len(), 2 * 7);
    // The sheet alone: who reads no numbers of processes there takes them from the command line.
    let sheet = THROUGHPUT.lines().filter(|line| !line.contains("Children see"));
    let sheet: String = sheet.map(|line| format!("{line}\n")).collect();
    let alone = read(&sheet);
    assert_eq!(alone.rows.len(), measured.rows.len());
    for row in alone.rows {
        assert!(measured.rows.contains(&row), "{row:?}");
    }
}

#[test]
fn operations_a_second_and_microseconds_are_rates() {
    let measured = read(OPERATIONS);
    assert_eq!(of(&measured, "rewrite", 128, 32), Some((Figure::Rate, 311_811.0)));
    let quick = MICROSECONDS.replacen(" 1    ", " 0    ", 1);
    let times = read(&quick);
    assert_eq!(of(&times, "write", 128, 128).unwrap().0, Figure::Rate);
    let printed = cells(&quick);
    let whole = printed.iter().flat_map(|row| &row[2..]).filter(|time| **time > 0.0).count();
    assert_eq!(times.rows.len(), whole, "what took less than a microsecond isn't known");
    assert!(times.remarks.iter().any(|remark| remark.contains("1 figures are zero")));
    let last = printed.last().unwrap();
    assert_eq!(of(&times, "write", 128, 128).unwrap().1, 1e6 / last[2]);
    let totals = THROUGHPUT.replace(" kB/sec", " ops/sec");
    assert_eq!(read(&totals).rows[0].figures, [(Figure::Rate, 2_426_801.75)]);
}

#[test]
fn two_outputs_in_a_file_are_both_read_each_with_its_own_options() {
    let measured = read(&format!("{OPERATIONS}{SYNC}{DIRECT}"));
    assert_eq!(of(&measured, "rewrite", 128, 32), Some((Figure::Rate, 311_811.0)));
    let row = measured.rows.iter().find(|row| row.file_size == Some(64 * KIB)).unwrap();
    assert!(matches!(row.figures[0], (Figure::Throughput, _)) && row.direct == Some(false));
    assert_eq!(measured.rows.last().unwrap().direct, Some(true));
}

#[test]
fn of_an_output_that_was_cut_off_the_whole_figures_are_taken() {
    let at = AUTO.find("1852520").map_or_else(|| AUTO.len() / 2, |at| at + 4);
    let cut = read(&AUTO[..at]);
    assert!(cut.remarks.iter().any(|remark| remark.contains("cut off")), "{:?}", cut.remarks);
    let whole = read(AUTO);
    assert!(!cut.rows.is_empty() && cut.rows.len() < whole.rows.len());
    assert_eq!(cut.rows, whole.rows[..cut.rows.len()]);
    let head = &AUTO[..AUTO.find("freread").unwrap() + 8];
    assert!(error(head).problem.contains("no test has a figure"));
}

#[test]
fn a_job_of_fio_has_a_row_for_each_kind_with_rates_and_latencies() {
    let measured = read(FIO);
    let named: Vec<(&str, Kind)> = measured.rows.iter().map(|row| (row.name.as_str(), row.kind)).collect();
    assert_eq!(named, [("reader", Kind::Read), ("writer", Kind::Write), ("writer", Kind::Sync)]);
    let document: serde_json::Value = serde_json::from_str(FIO).unwrap();
    let told = |at: &str| document.pointer(at).unwrap().as_f64().unwrap();
    let reader = &measured.rows[0];
    assert_eq!((reader.record, reader.depth, reader.direct), (Some(4 * KIB), Some(1), Some(false)));
    assert_eq!(reader.figures[0], (Figure::Throughput, told("/jobs/0/read/bw_bytes")));
    assert_eq!(reader.figures[1], (Figure::Rate, told("/jobs/0/read/iops")));
    assert_eq!(reader.figures[2], (Figure::MeanLatency, told("/jobs/0/read/lat_ns/mean") * 1e-9));
    let p99 = document["jobs"][0]["read"]["clat_ns"]["percentile"]["99.000000"].as_f64().unwrap();
    assert_eq!(reader.figures[5], (Figure::Latency(0.99), p99 * 1e-9));
    let sync = &measured.rows[2];
    assert_eq!((sync.record, sync.figures[0].0), (None, Figure::MeanLatency));
}

#[test]
fn the_job_file_of_an_output_has_its_jobs_once_each_behind_the_ones_before() {
    let jobs = fio_job_file(FIO).unwrap().unwrap();
    let file: crate::fio::FioFile = jobs.parse().unwrap();
    let named: Vec<(&str, &[usize])> =
        file.jobs.iter().map(|job| (job.name.as_str(), job.after.as_slice())).collect();
    assert_eq!(named, [("reader", &[][..]), ("writer", &[0][..])], "{jobs}");
    let two = fio_job_file(FIO_PLUS).unwrap().unwrap();
    assert_eq!(two.matches("[two]").count(), 1, "{two}");
    assert!(fio_job_file("{ \"fio version\" : \"fio-3.33\" }").unwrap_err().problem.contains("no job"));
    assert!(fio_job_file(&FIO[..300]).unwrap_err().problem.contains("before it is complete"));
    assert_eq!(fio_job_file(AUTO), Ok(None));
}

#[test]
fn text_around_the_json_is_no_matter_and_processes_are_put_together() {
    let measured = read(FIO_PLUS);
    let row = &measured.rows[0];
    assert_eq!((row.name.as_str(), row.kind, row.processes), ("two", Kind::Read, Some(2)));
    let json = &FIO_PLUS[FIO_PLUS.find('{').unwrap()..=FIO_PLUS.rfind('}').unwrap()];
    let document: serde_json::Value = serde_json::from_str(json).unwrap();
    let jobs = document["jobs"].as_array().unwrap();
    let both = |key: &str| jobs.iter().map(|job| job["read"][key].as_f64().unwrap()).sum::<f64>();
    assert_eq!(row.figures[0], (Figure::Throughput, both("bw_bytes")));
    // From the bins: half of all reads took no longer, and less than half took less.
    let (Figure::Latency(part), median) = row.figures[3] else { panic!("{row:?}") };
    let bins = jobs.iter().flat_map(|job| job["read"]["clat_ns"]["bins"].as_object().unwrap());
    let bins: Vec<(f64, f64)> =
        bins.map(|(ns, count)| (ns.parse::<f64>().unwrap() * 1e-9, count.as_f64().unwrap())).collect();
    let within = |time: f64| bins.iter().filter(|(bin, _)| *bin <= time).map(|(_, count)| count).sum::<f64>();
    assert_eq!(part, 0.5);
    assert!(within(median) >= both("total_ios") / 2.0 && within(median * 0.999) < both("total_ios") / 2.0);
    // Without bins they can't be, and that is said.
    let plain = json.replace("\"bins\"", "\"other\"");
    let plain = read(&plain);
    assert!(plain.rows[0].figures.iter().all(|(figure, _)| !matches!(figure, Figure::Latency(_))));
    assert!(plain.remarks[0].contains("group_reporting"), "{:?}", plain.remarks);
}

#[test]
fn what_is_not_taken_of_a_job_is_told() {
    let mut document: serde_json::Value = serde_json::from_str(FIO).unwrap();
    document["jobs"][0]["trim"]["total_ios"] = 7.into();
    document["jobs"][1]["error"] = 28.into();
    let measured = read(&format!("a note:\n{{ not JSON }}\n{document:#}\n"));
    assert_eq!(measured.rows.len(), 1);
    for words in ["7 trims of \"reader\"", "\"writer\" ended with error 28", "line 2: fio's JSON is damaged"]
    {
        assert!(
            measured.remarks.iter().any(|remark| remark.contains(words)),
            "{words}: {:?}",
            measured.remarks
        );
    }
}

#[test]
fn many_braces_that_begin_nothing_are_soon_passed() {
    let braces = format!("x {}\n{FIO}", "{".repeat(200_000));
    assert_eq!(read(&braces).rows, read(FIO).rows);
    let lines = format!("\"fio version\"\n{}", "{\n".repeat(100_000));
    assert!(error(&lines).problem.contains("damaged"));
}

#[test]
fn the_units_of_fio_2_are_read() {
    let old = r#"{ "fio version" : "fio-2.16", "jobs" : [ { "jobname" : "a", "error" : 0,
        "job options" : { "ioengine" : "libaio", "iodepth" : "8", "numjobs" : "4", "direct" : "1", "rw" : "randread" },
        "read" : { "io_bytes" : 8192, "bw" : 2000, "iops" : 500.0, "total_ios" : 2, "slat" : { "mean" : 10.0 },
        "clat" : { "mean" : 90.0, "percentile" : { "50.000000" : 80, "99.000000" : 200 } } } } ] }"#;
    let row = &read(old).rows[0];
    let expected = [
        (Figure::Throughput, 2_048_000.0),
        (Figure::Rate, 500.0),
        (Figure::MeanLatency, 100e-6),
        (Figure::Latency(0.5), 80e-6),
        (Figure::Latency(0.99), 200e-6),
    ];
    assert_eq!(row.figures.len(), expected.len());
    for ((figure, value), (kind, wanted)) in row.figures.iter().zip(expected) {
        assert!(*figure == kind && (value / wanted - 1.0).abs() < 1e-12, "{figure} {value}");
    }
    assert_eq!((row.record, row.depth, row.direct), (Some(4096), Some(8), Some(true)));
    assert_eq!(
        (row.random, row.in_flight()),
        (Some(true), Some(32)),
        "a group's report is one of all processes"
    );
    // A synchronous engine has one in flight, whatever it was asked for.
    let waits = read(&old.replace("libaio", "psync"));
    assert_eq!(waits.rows[0].in_flight(), Some(4));
}

#[test]
fn json_that_is_cut_off_or_damaged_is_refused_with_its_line() {
    let cut = error(&FIO[..FIO.len() / 2]);
    assert_eq!(cut.line, Some(FIO[..FIO.len() / 2].lines().count()), "{cut}");
    assert!(cut.problem.contains("before it is complete") && cut.help.is_some());
    let damaged = error(&FIO.replacen("\"groupid\" : 0", "\"groupid\" : nil", 1));
    let line = FIO.lines().position(|line| line.contains("\"groupid\" : 0")).unwrap() + 1;
    assert_eq!(damaged.line, Some(line), "{damaged}");
    assert!(error("{ \"fio version\" : \"fio-3.33\" }").problem.contains("no complete JSON"));
    let failed = FIO.replace("\"error\" : 0", "\"error\" : 28");
    assert!(error(&failed).problem.contains("error 28"), "{}", error(&failed));
}

#[test]
fn what_is_no_measurement_is_told_what_would_be() {
    for bytes in [&b"hello\n"[..], b"\x09\x00\x04\x00\x00\x00", b"\xff\xfe", b"", b"{}"] {
        let error = Measurement::read(bytes).unwrap_err();
        assert!(!error.problem.is_empty() && error.help.is_some(), "{error}");
    }
    let unit = error("Output is in furlongs\n kB reclen write\n 64 4 1\n");
    assert_eq!(unit.line, Some(1));
    let total = error("Children see throughput for  2 readers\n");
    assert!(total.line == Some(1) && total.help.is_some(), "{total}");
}

proptest! {
    #[test]
    fn whatever_is_cut_out_it_is_read_or_refused_with_a_reason(
        which in 0_usize..4, from in 0_usize..20_000, length in 0_usize..20_000
    ) {
        let text = [AUTO, TABLES, THROUGHPUT, FIO][which];
        let from = from.min(text.len());
        let bytes: Vec<u8> = [&text.as_bytes()[..from], &text.as_bytes()[(from + length).min(text.len())..]].concat();
        match Measurement::read(&bytes) {
            Ok(measured) => {
                prop_assert!(!measured.rows.is_empty());
                for row in measured.rows {
                    prop_assert!(row.figures.iter().all(|(_, value)| value.is_finite() && *value > 0.0));
                }
            }
            Err(error) => prop_assert!(!error.problem.is_empty()),
        }
    }
}
