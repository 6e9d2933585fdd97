//! A run's JSON, CSV and Parquet say the same, and pandas reads them where it is there.

use crate::support::{Folder, RANDOM, figure};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Field;
use serde_json::Value;
use std::fs::File;
use std::process::Command;

/// Writes with names that hold commas in their words, and fsyncs.
const FILES: &str = "[disk.d]
model = \"constant-rate\"
[host.h]
machine = \"epyc-9005-2vcpu\"
kernel = \"linux-6.18\"
[fs.data]
type = \"ext4\"
on = \"d\"
size = \"256 MiB\"
[workload.w]
kind = \"files\"
on = \"data\"
operation = \"rewrite\"
pattern = \"random\"
record = \"4 KiB\"
file_size = \"1 MiB\"
processes = 2
operations = 60
fsync = { every = 4 }
transaction = \"fsync\"
";

/// Requests beside them.
const BESIDE: &str = "[disk.other]
model = \"constant-rate\"
[workload.r]
kind = \"synthetic\"
on = \"other\"
requests = 80
generators = [{ read_fraction = 0.5, time_critical_fraction = 1, inter_arrival = \"1 ms\", size = \"4 KiB\" }]
";

/// How many there were, and their mean latency in milliseconds.
type Figures = (f64, f64);

fn scenarios() -> [(&'static str, String); 3] {
    [("requests", RANDOM.to_owned()), ("files", FILES.to_owned()), ("both", format!("{FILES}{BESIDE}"))]
}

/// Runs a scenario, with its three forms beside it.
fn written(scenario: &str) -> Folder {
    let folder = Folder::with(scenario);
    let forms = ["--json", "r.json", "--csv", "r.csv", "--parquet", "r.parquet"];
    let answer = folder.petrio(&[&["run", "scenario.toml", "--no-what-if", "-q"][..], &forms].concat());
    assert_eq!(answer.code, Some(0), "{}", answer.talk);
    folder
}

fn of_json(report: &Value) -> Figures {
    (figure(report, "/requests/completed"), figure(report, "/latency/mean_ms/value"))
}

/// The fields of a line of CSV (RFC 4180); none here has a line break within.
fn fields(line: &str) -> Vec<String> {
    let mut fields = vec![String::new()];
    let mut is_quoted = false;
    for character in line.chars() {
        match character {
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => fields.push(String::new()),
            other => fields.last_mut().unwrap().push(other),
        }
    }
    fields
}

fn of_csv(csv: &str, subject: &str) -> Figures {
    let rows: Vec<Vec<String>> = csv.lines().map(fields).collect();
    assert!(rows.iter().all(|row| row.len() == 6), "{csv}");
    let value = |part: &str, quantity: &str| -> f64 {
        let row = rows.iter().find(|row| row[0] == part && row[1].is_empty() && row[2] == quantity);
        row.unwrap_or_else(|| panic!("no {part} {quantity} in {csv}"))[3].parse().unwrap()
    };
    (value("run", subject), value("latency", "mean"))
}

fn of_parquet(file: File) -> Figures {
    let rows = SerializedFileReader::new(file).unwrap();
    let mut latencies = Vec::new();
    for row in rows.get_row_iter(None).unwrap() {
        let row = row.unwrap();
        let time = |wanted: &str| {
            let found = row.get_column_iter().find(|(name, _)| *name == wanted).map(|(_, field)| field);
            match found {
                Some(Field::Long(picoseconds)) => *picoseconds as f64 / 1e9,
                other => panic!("{wanted}: {other:?}"),
            }
        };
        latencies.push(time("completed_ps") - time("issued_ps"));
    }
    (latencies.len() as f64, latencies.iter().sum::<f64>() / latencies.len() as f64)
}

fn is_same((count, mean): Figures, other: Figures) -> bool {
    count == other.0 && (mean / other.1 - 1.0).abs() < 1e-6
}

#[test]
fn json_csv_and_parquet_have_the_same_figures() {
    for (name, scenario) in scenarios() {
        let folder = written(&scenario);
        let json = of_json(&folder.json("r.json"));
        let subject = if name == "requests" { "requests" } else { "operations" };
        let csv = of_csv(&folder.text("r.csv"), subject);
        let parquet = of_parquet(File::open(folder.path("r.parquet")).unwrap());
        assert!(is_same(json, csv) && is_same(json, parquet), "{name}: {json:?} {csv:?} {parquet:?}");
    }
}

const WITH_PANDAS: &str = "
import json, pandas
csv = pandas.read_csv('r.csv')
assert list(csv.columns) == ['part', 'name', 'quantity', 'value', 'half_width', 'unit'], csv.columns
assert pandas.api.types.is_numeric_dtype(csv['value']), csv.dtypes
rows = pandas.read_parquet('r.parquet')
report = pandas.json_normalize(json.load(open('r.json')))
of_rows = (rows['completed_ps'] - rows['issued_ps']).mean() / 1e9
of_csv = csv[(csv['part'] == 'latency') & (csv['quantity'] == 'mean')]['value'].iloc[0]
of_json = report['latency.mean_ms.value'].iloc[0]
assert len(rows) == report['requests.completed'].iloc[0]
assert abs(of_rows / of_json - 1) < 1e-6 and abs(of_csv / of_json - 1) < 1e-6, (of_rows, of_csv, of_json)
";

#[test]
fn pandas_reads_all_three_forms_and_finds_the_same_figures() {
    let python = |script: &str, at: &std::path::Path| {
        Command::new("python3").args(["-c", script]).current_dir(at).output().ok()
    };
    let here = std::env::temp_dir();
    let has_pandas = python("import pandas, pyarrow", &here).is_some_and(|answer| answer.status.success());
    if !has_pandas {
        println!("skipped: pandas_reads_all_three_forms_and_finds_the_same_figures (no pandas with pyarrow)");
        return;
    }
    for (name, scenario) in scenarios() {
        let folder = written(&scenario);
        let answer = python(WITH_PANDAS, &folder.path("")).unwrap();
        assert!(answer.status.success(), "{name}: {}", String::from_utf8_lossy(&answer.stderr));
    }
}
