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
    assert!(rows.iter().all(|row| row.len() == 9), "{csv}");
    let value = |part: &str, quantity: &str| -> f64 {
        let row = rows.iter().find(|row| row[2] == part && row[3].is_empty() && row[5] == quantity);
        row.unwrap_or_else(|| panic!("no {part} {quantity} in {csv}"))[6].parse().unwrap()
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

/// Holds the forms of a run that lie in a folder under a name against each other. Rows are of the first replication alone.
pub(crate) fn have_the_same_figures(folder: &Folder, name: &str) {
    let [json, csv, parquet] = ["json", "csv", "parquet"].map(|form| format!("{name}.{form}"));
    let report = folder.json(&json);
    let subject = if report["subject"] == "file-operations" { "operations" } else { "requests" };
    let json = of_json(&report);
    let csv = of_csv(&folder.text(&csv), subject);
    let parquet = of_parquet(File::open(folder.path(&parquet)).unwrap());
    let is_one = figure(&report, "/replications") == 1.0;
    let rows_are_so = if is_one { is_same(json, parquet) } else { parquet.0 > 0.0 };
    assert!(is_same(json, csv) && rows_are_so, "{name}: {json:?} {csv:?} {parquet:?}");
}

#[test]
fn json_csv_and_parquet_have_the_same_figures() {
    for (_, scenario) in scenarios() {
        have_the_same_figures(&written(&scenario), "r");
    }
}

/// All runs of which a folder has the forms.
const WITH_PANDAS: &str = "
import glob, json, pandas
names = [path[:-len('.json')] for path in sorted(glob.glob('*.json'))]
assert names
for name in names:
    csv = pandas.read_csv(name + '.csv')
    assert list(csv.columns) == ['scenario', 'replication', 'part', 'name', 'item', 'quantity', 'value', 'half_width', 'unit'], (name, csv.columns)
    assert pandas.api.types.is_numeric_dtype(csv['value']) and csv['value'].notna().all(), (name, csv.dtypes)
    assert csv['unit'].notna().all() and csv['scenario'].nunique() == 1, (name, csv)
    keys = ['replication', 'part', 'name', 'item', 'quantity']
    assert not csv.duplicated(keys).any(), (name, csv[csv.duplicated(keys)])
    rows = pandas.read_parquet(name + '.parquet')
    report = pandas.json_normalize(json.load(open(name + '.json')))
    of_rows = (rows['completed_ps'] - rows['issued_ps']).mean() / 1e9
    of_csv = csv[(csv['part'] == 'latency') & (csv['quantity'] == 'mean')]['value'].iloc[0]
    of_json = report['latency.mean_ms.value'].iloc[0]
    assert abs(of_csv / of_json - 1) < 1e-6, (name, of_csv, of_json)
    if report['replications'].iloc[0] == 1:
        assert len(rows) == report['requests.completed'].iloc[0], name
        assert abs(of_rows / of_json - 1) < 1e-6, (name, of_rows, of_json)
";

/// Has pandas read the forms of all runs in a folder; says that `test` was skipped where there is no pandas. `make test` installs one and
/// says where (PETRIO_PYTHON).
pub(crate) fn pandas_reads(folder: &Folder, test: &str) {
    let program = std::env::var_os("PETRIO_PYTHON").unwrap_or_else(|| "python3".into());
    let python =
        |script: &str| Command::new(&program).args(["-c", script]).current_dir(folder.path("")).output().ok();
    if !python("import pandas, pyarrow").is_some_and(|answer| answer.status.success()) {
        println!("skipped: {test} (no pandas with pyarrow)");
        return;
    }
    let answer = python(WITH_PANDAS).unwrap();
    assert!(answer.status.success(), "{}", String::from_utf8_lossy(&answer.stderr));
}

#[test]
fn pandas_reads_all_three_forms_and_finds_the_same_figures() {
    for (_, scenario) in scenarios() {
        pandas_reads(&written(&scenario), "pandas_reads_all_three_forms_and_finds_the_same_figures");
    }
}
