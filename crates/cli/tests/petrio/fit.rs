//! `petrio fit`: what it prints, what it writes, what it refuses.

use crate::support::{Folder, figure, root};
use std::fmt::Write;
use std::io::Write as _;
use std::process::Stdio;

/// Quantiles of an exponential distribution of mean 8, in no order.
fn values(count: u32) -> String {
    let mut text = String::from("# a comment\n");
    for i in 0..count {
        let p = (f64::from(i * 7 % count) + 0.5) / f64::from(count);
        writeln!(text, "{}", -8.0 * (1.0 - p).ln()).unwrap();
    }
    text
}

#[test]
fn numbers_are_fitted_and_the_text_can_be_pasted() {
    let folder = Folder::new();
    folder.write("values.txt", values(401));
    let answer = folder.petrio(&["fit", "values.txt", "--json", "found.json", "--html", "found.html"]);
    assert_eq!(answer.code, Some(0), "{}", answer.talk);
    for words in ["401 values", "gamma, 3 stages", "BIC", "Chosen: exponential", "95 % interval"] {
        assert!(answer.out.contains(words), "no {words} in\n{}", answer.out);
    }
    assert!(answer.out.contains("distribution = { exponential = { base = 0.0, mean = 7.9"), "{}", answer.out);
    assert_eq!(answer.talk, "written: found.json\nwritten: found.html\n");
    let found = folder.json("found.json");
    assert!((figure(&found, "/chosen/mean") - 8.0).abs() < 0.1);
    assert!(figure(&found, "/chosen/parameters/0/interval/0") < 8.0);
    assert!(figure(&found, "/chosen/parameters/0/interval/1") > 8.0);
    assert_eq!(figure(&found, "/values/count"), 401.0);
    assert!(found["families"].as_array().unwrap().len() >= 9);
    let page = folder.text("found.html");
    assert!(page.starts_with("<!DOCTYPE html>") && page.contains("Distribution functions"));
    // The same again, byte for byte.
    let again =
        folder.petrio(&["fit", "values.txt", "--quiet", "--json", "again.json", "--html", "again.html"]);
    assert!(again.out.starts_with("distribution = { exponential"), "{}", again.out);
    assert_eq!(folder.read("again.json"), folder.read("found.json"));
    assert_eq!(folder.read("again.html"), folder.read("found.html"));
}

#[test]
fn a_fitted_size_drives_a_scenario() {
    let folder = Folder::new();
    folder.write(
        "sizes.csv",
        format!(
            "name,size\n{}",
            values(200).lines().skip(1).fold(String::new(), |mut all, v| {
                writeln!(all, "f,{}", 512.0 * v.parse::<f64>().unwrap() + 512.0).unwrap();
                all
            })
        ),
    );
    let arguments = [
        "fit",
        "sizes.csv",
        "--column",
        "size",
        "--unit",
        "bytes",
        "--family",
        "gamma",
        "--stages",
        "2",
        "--quiet",
    ];
    let answer = folder.petrio(&arguments);
    assert_eq!(answer.code, Some(0), "{}", answer.talk);
    let (_, fitted) = answer.out.trim().split_once(" = ").unwrap();
    assert!(fitted.contains("gamma") && fitted.contains("B\""), "{fitted}");
    folder.write(
        "scenario.toml",
        crate::support::RANDOM.replace("size = { constant = \"4 KiB\" }", &format!("size = {fitted}")),
    );
    let report = folder.report(&[]);
    assert_eq!(figure(&report, "/requests/completed"), 2_000.0);
}

#[test]
fn a_fitted_table_drives_a_scenario_and_users_from_its_file() {
    let folder = Folder::new();
    let sizes: String = values(400).lines().skip(1).fold("size\n".to_owned(), |mut all, v| {
        writeln!(all, "{}", 512.0 * (8.0 * v.parse::<f64>().unwrap()).ceil() + 512.0).unwrap();
        all
    });
    let mean = sizes.lines().skip(1).map(|v| v.parse::<f64>().unwrap()).sum::<f64>() / 400.0;
    folder.write("sizes.csv", &sizes);
    let fitted = folder.petrio(&[
        "fit",
        "sizes.csv",
        "--column",
        "size",
        "--unit",
        "bytes",
        "--table",
        "table.csv",
        "-q",
        "--family",
        "gamma",
        "--stages",
        "1",
    ]);
    assert_eq!(fitted.code, Some(0), "{}", fitted.talk);
    let table = folder.text("table.csv");
    let points: Vec<(f64, f64)> = (table.lines().filter(|line| !line.starts_with('#')))
        .map(|line| line.split_once(" B, ").unwrap())
        .map(|(x, p)| (x.parse().unwrap(), p.parse().unwrap()))
        .collect();
    assert!(points.is_sorted() && points.last().unwrap().1 == 1.0 && points.len() > 20, "{table}");
    let between = |two: &[(f64, f64)]| (two[1].1 - two[0].1) * (two[0].0 + two[1].0) / 2.0;
    let of_table = points[0].0 * points[0].1 + points.windows(2).map(between).sum::<f64>();
    assert!((of_table / mean - 1.0).abs() < 0.03, "{of_table} {mean}");
    let size = "size = { cumulative-table = { file = \"table.csv\", interpolation = \"linear\" } }";
    // As the distribution that it is of, drawn from the same random numbers or from others.
    let (_, gamma) = fitted.out.trim().split_once(" = ").unwrap();
    let [drawn, from_table] = [format!("size = {gamma}"), size.to_owned()].map(|size| {
        folder
            .write("scenario.toml", crate::support::RANDOM.replace("size = { constant = \"4 KiB\" }", &size));
        let report = folder.report(&[]);
        figure(&report, "/bytes") / figure(&report, "/requests/completed")
    });
    // Two thousand sizes whose deviation is about their mean: three standard errors of a difference are 9 %.
    assert!((from_table / drawn - 1.0).abs() < 0.09, "{from_table} {drawn}");
    // A specification in a folder of its own finds the table beside it.
    std::fs::create_dir(folder.path("users")).unwrap();
    folder.write("users/table.csv", &table);
    let text = std::fs::read_to_string(root().join("examples/users/thesis.toml")).unwrap();
    let at = text.find("size = ").unwrap();
    let end = at + text[at..].find('\n').unwrap();
    folder.write("users/mine.toml", format!("{}{size}{}", &text[..at], &text[end..]));
    let info = folder.petrio(&["users", "info", "users/mine.toml"]);
    assert_eq!(info.code, Some(0), "{}", info.talk);
    folder.write(
        "scenario.toml",
        crate::support::RANDOM
            .replace("size = { constant = \"4 KiB\" }", &size.replace("table.csv", "tabel.csv")),
    );
    let missing = folder.petrio(&["run", "scenario.toml"]);
    assert_eq!(missing.code, Some(2), "{}", missing.talk);
    assert!(missing.talk.contains("tabel.csv can't be read"), "{}", missing.talk);
}

#[test]
fn a_trace_is_fitted_by_a_measure() {
    let folder = Folder::new();
    // DiskSim's ASCII: gaps of 10 ms with every fourth of 30 ms, all of 4 KiB.
    let mut text = String::new();
    let mut time = 0;
    for number in 0..200_u32 {
        time += if number % 4 == 0 { 30 } else { 10 };
        writeln!(text, "{time}.0 0 {} 8 1", number * 8).unwrap();
    }
    folder.write("load.trace", text);
    let answer = folder.petrio(&["fit", "load.trace", "--measure", "length"]);
    assert_eq!(answer.code, Some(0), "{}", answer.talk);
    assert!(answer.out.contains("all 200 values are 4096: a constant"), "{}", answer.out);
    assert!(answer.out.contains("size = { constant = \"4 KiB\" }"), "{}", answer.out);
    let answer = folder.petrio(&["fit", "load.trace", "--measure", "inter-arrival", "--quiet"]);
    assert!(
        answer.out.starts_with("inter_arrival = { empirical = { values = [\"10 ms\", \"30 ms\"]"),
        "{}",
        answer.out
    );
    let answer = folder.petrio(&["fit", "load.trace", "--measure", "service"]);
    assert_eq!(answer.code, Some(2));
    assert!(answer.talk.contains("the trace tells nothing of service times"), "{}", answer.talk);
}

#[test]
fn standard_input_is_read() {
    let folder = Folder::new();
    let mut child = folder
        .command(&["fit", "-", "--family", "normal,uniform", "--bootstrap", "0"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(b"1\n2\n3\n4\n").unwrap();
    let output = child.wait_with_output().unwrap();
    let out = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success() && out.starts_with("standard input: 4 values, mean 2.50"), "{out}");
}

#[test]
fn bad_data_are_refused_with_their_place_and_advice() {
    let folder = Folder::new();
    let negative: String = (0..40).map(|i| format!("{}\n", f64::from(i) - 3.5)).collect();
    for (text, arguments, words) in [
        ("", &[][..], &["no values"][..]),
        ("1\n2\nx\n", &[], &["line 3: \"x\" is no number", "help:"]),
        ("1\n\n# no\nnan\n", &[], &["value 2 is NaN", "(line 4)", "take such values out"]),
        ("a,b\n1,2\n", &[], &["\"a,b\" is no number", "--column"]),
        ("a,b\n1,2\n", &["--column", "c"], &["no column is called \"c\"", "its columns are a, b"]),
        ("1 ms\n", &["--unit", "bytes"], &["is a duration"]),
        ("1\n-0.002\n", &["--unit", "time"], &["line 2: -0.002 is below zero", "leave out --unit"]),
        ("a,a\n1,2\n", &["--column", "a"], &["columns 1 and 2 are both called", "--column 1"]),
        ("1\n2e300\n", &[], &["value 2 is 2e300", "(line 2)", "larger unit"]),
        ("1\n2\n", &["--stages", "2", "--family", "normal"], &["the family normal", "leave --stages out"]),
        (
            &negative,
            &["--family", "pareto"],
            &["value 1 is -3.5", "normal, uniform, gamma and phase-type do"],
        ),
        ("1\n2\n", &["--stages", "99", "--family", "gamma"], &["99 stages", "1 to 12"]),
        ("1\n2\n", &["--json", "x", "--html", "x"], &["both name x"]),
        ("1\n2\n", &["--html", "data.txt"], &["would overwrite data.txt"]),
    ] {
        folder.write("data.txt", text);
        let answer = folder.petrio(&[&["fit", "data.txt"][..], arguments].concat());
        assert_eq!((answer.code, answer.out.as_str()), (Some(2), ""), "{text}");
        for word in words {
            assert!(answer.talk.contains(word), "no {word} in {}", answer.talk);
        }
    }
    assert_eq!(folder.names(), ["data.txt"]);
    assert_eq!(folder.petrio(&["fit", "absent.txt"]).code, Some(2));
}
