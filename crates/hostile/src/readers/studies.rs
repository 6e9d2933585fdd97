//! What studies leave and take up again: the folder of a sweep; and what they are given: tables of cases, values and constraints.

use super::{Reader, Verdict, reason, text};
use petrio_files::inputs::Inputs;
use petrio_study::sweep::{Constraints, Factor, factors_of_table, findings, results, sweep_text};
use std::path::Path;

pub(super) fn readers() -> Vec<Reader> {
    vec![
        Reader { name: "sweep_folder", read: folder, samples: folders },
        Reader { name: "sweep_cases", read: cases, samples: tables },
        Reader { name: "sweep_values", read: values, samples: written },
    ]
}

/// Between what a study asks and the rows that it has.
const BETWEEN: u8 = 0x1e;

/// A study's folder: what it asks, and a journal of rows.
fn folder(bytes: &[u8]) -> Verdict {
    let folder = tempfile::tempdir().map_err(|error| reason(&error))?;
    let mut parts = bytes.splitn(2, |byte| *byte == BETWEEN);
    let [study, rows] = [parts.next(), parts.next()].map(Option::unwrap_or_default);
    std::fs::write(folder.path().join("study.json"), study).map_err(|error| reason(&error))?;
    std::fs::write(folder.path().join("rows.jsonl"), rows).map_err(|error| reason(&error))?;
    let found = results(folder.path()).map_err(|error| reason(&error))?;
    for at in 0..found.measures.len() {
        let findings = findings(&found, at);
        assert!(findings.cases.len() <= found.rows.len(), "there are more cases than rows");
        sweep_text(&found, &findings, 80);
    }
    Ok(())
}

const LISTS: &str = r#"[{"path":"a","values":["1","2","3"]},{"path":"b","values":["x","y"]}]"#;
const RANGES: &str = r#"[{"path":"a","values":"lin(0.0, 3.0)"},{"path":"b","values":"log(1 ms, 1 s)"}]"#;

fn folders() -> Vec<Vec<u8>> {
    let study = |factors: &str, design: &str| {
        let head = r#"{"form":1,"version":"0.1.0","scenario":"s.toml","text":"","settings":["a=1"],"inputs":{},"factors":"#;
        let tail = r#","constraints":["a <= 3"],"seed":1,"measures":["rate","p99-latency"],"replications":{"count":2,"confidence":0.95}}"#;
        format!("{head}{factors},\"design\":{design}{tail}")
    };
    let row = |case: u32, replication: u32| {
        let tail = r#""busiest":"d","utilisation":0.5,"warnings":["w"]}"#;
        format!(
            "{{\"case\":{case},\"replication\":{replication},\"key\":\"k\",\"values\":[],\"figures\":[{case}.5,null],{tail}"
        )
    };
    let rows: String = (0..6).map(|case| format!("[{},{}]\n", row(case, 0), row(case, 1))).collect();
    let studies = [
        (LISTS, r#""grid""#),
        (RANGES, r#"{"sobol":8}"#),
        (RANGES, r#"{"latin-hypercube":6}"#),
        (RANGES, r#"{"saltelli":2}"#),
    ];
    let with_rows =
        |(factors, design)| [study(factors, design).as_bytes(), &[BETWEEN], rows.as_bytes()].concat();
    studies.into_iter().map(with_rows).collect()
}

/// A table of cases.
fn cases(bytes: &[u8]) -> Verdict {
    let (inputs, name) = (Inputs::none(), Path::new("cases.csv"));
    inputs.hold(name, bytes);
    let factors = factors_of_table(name, &inputs).map_err(|error| reason(&error))?;
    assert!(!factors.is_empty(), "a table without keys was taken");
    Ok(())
}

fn tables() -> Vec<Vec<u8>> {
    ["disk.d.count,disk.d.model\n1,hp-97560\n2,\"a, b\"\n", "# cases\na , b\n1 , 2\n"]
        .map(|text| text.as_bytes().to_vec())
        .to_vec()
}

/// A key with its values, and a comparison in the line below.
fn values(bytes: &[u8]) -> Verdict {
    let text = text(bytes)?;
    let (factor, constraint) = text.split_once('\n').unwrap_or((text, "true"));
    let factor: Factor = factor.parse().map_err(|error| reason(&error))?;
    // What was told is read as the same.
    let told = serde_json::to_string(&factor).map_err(|error| reason(&error))?;
    let read: Factor = serde_json::from_str(&told).map_err(|error| reason(&error))?;
    assert_eq!(read, factor, "{told}");
    let known = |path: &str| (path == "b.c").then(|| "4 KiB".to_owned());
    let constraints = Constraints::read(&[constraint.to_owned()], &[&factor.path], &known);
    constraints.map(drop).map_err(|error| reason(&error))
}

fn written() -> Vec<Vec<u8>> {
    [
        "a.count=1..8\na.count <= 4 && b.c >= \"1 KiB\"",
        "a.memory=log(256 MiB, 16 GiB, 7)\n!(a.memory == '1 GiB')",
        "a.journal=ordered,write-back,[1, 2]\na.journal in [\"ordered\", \"x\"] || false",
        "a=lin(0.0, 1.0)\na * 2 + 1 < 2.5",
    ]
    .map(|text| text.as_bytes().to_vec())
    .to_vec()
}
