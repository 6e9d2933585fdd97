//! `petrio compare`: the same load for all, a verdict that follows from the figures, and refusals that say what to do.

use crate::support::{Folder, RANDOM, figure, root, unwrapped};
use serde_json::Value;

/// Compares and gives the JSON.
fn compared(folder: &Folder, arguments: &[&str]) -> Value {
    let answer = folder.petrio(&[&["compare", "-q", "--json", "c.json"], arguments].concat());
    assert_eq!(answer.code, Some(0), "{}", answer.talk);
    folder.json("c.json")
}

const TWO: [&str; 4] =
    ["scenario.toml", "scenario.toml@disk.d0.scheduler=sptf", "--set", "workload.w.requests=600"];

/// Files on a slow simulated disk; small, so that they are done at once on a real one.
pub(crate) const FILES: &str = r#"[disk.d]
model = "western-digital-wd800bb"

[host.h]
machine = "epyc-9005-2vcpu"
kernel = "linux-6.18"

[fs.data]
type = "ext3"
on = "d"

[workload.writer]
kind = "script"
on = "data"
script = "create a; write a 0 4 KiB; fsync a; write a 4 KiB 4 KiB; fsync a"
"#;

#[test]
fn a_scenario_doesnt_differ_from_itself() {
    let folder = Folder::with(RANDOM);
    let found = compared(&folder, &["scenario.toml", "scenario.toml", "--replications", "3"]);
    for measure in found["measures"].as_array().unwrap() {
        assert_eq!(measure["pairs"][0]["outcome"], "no-difference", "{measure}");
        assert_eq!(figure(measure, "/pairs/0/difference/value"), 0.0);
    }
    assert_eq!(found["order"], serde_json::json!([["A", "B"]]));
    let text = folder.petrio(&["compare", "scenario.toml", "scenario.toml", "--replications", "3"]).out;
    assert!(text.contains("no difference shown"), "{text}");
}

/// Every verdict, each of two of which it is so and of two of which it isn't, with the words that say it.
#[test]
fn each_verdict_is_given_where_it_is_so_and_nowhere_else() {
    let folder = Folder::with(RANDOM);
    for (name, requests) in [("a.json", "300"), ("b.json", "900")] {
        let set = format!("workload.w.requests={requests}");
        let saved =
            folder.petrio(&["run", "scenario.toml", "-q", "--no-what-if", "--json", name, "--set", &set]);
        assert_eq!(saved.code, Some(0), "{}", saved.talk);
    }
    const HEAVY: &str = "scenario.toml@workload.w.generators.0.inter_arrival.exponential.mean=\"9 ms\"";
    const SIMPLE: &str = "scenario.toml";
    const QUICKER: &str = "scenario.toml@disk.d0.drive.mechanics.seek_scale=90 %";
    let table: [(&str, &[&str], &str); 5] = [
        ("first-better", &[SIMPLE, HEAVY, "--replications", "5"], "A is better than B by"),
        ("second-better", &[HEAVY, SIMPLE, "--replications", "5"], "B is better than A by"),
        (
            "too-small",
            &[SIMPLE, QUICKER, "--replications", "5", "--relevant", "50 %"],
            "which is less than the",
        ),
        ("no-difference", &[SIMPLE, SIMPLE, "--replications", "3"], "no difference shown"),
        ("untold", &["a.json", "b.json"], "nobody can tell how far that is chance"),
    ];
    for (outcome, arguments, words) in table {
        let pair = compared(&folder, arguments)["measures"][0]["pairs"][0].clone();
        assert_eq!(pair["outcome"], outcome, "{pair}");
        // What is said follows from the figures: of a mean latency less is better.
        let change = figure(&pair, "/difference/value");
        let holds = match outcome {
            "first-better" => change > figure(&pair, "/difference/half_width"),
            "second-better" => -change > figure(&pair, "/difference/half_width"),
            "no-difference" => change == 0.0,
            _ => change != 0.0,
        };
        assert!(holds, "{pair}");
        let text = unwrapped(&folder.petrio(&[&["compare"], arguments].concat()).out);
        let text = text.split_once(" verdict ").unwrap().1.split_once(" order ").unwrap().0;
        for (other, _, unsaid) in table {
            assert_eq!(text.contains(unsaid), other == outcome, "{outcome}, \"{unsaid}\": {text}");
        }
        assert!(text.contains(words));
    }
}

#[test]
fn twice_the_load_makes_a_disk_slower_and_the_queue_is_the_reason() {
    let folder = Folder::with(RANDOM);
    let heavy = "scenario.toml@workload.w.generators.0.inter_arrival.exponential.mean=\"9 ms\"";
    let found = compared(&folder, &["scenario.toml", heavy, "--replications", "5"]);
    assert_eq!(found["headline"], "mean-latency", "an open load asks how long it takes");
    assert_eq!(found["measures"][0]["pairs"][0]["outcome"], "first-better");
    assert_eq!(found["order"], serde_json::json!([["A"], ["B"]]));
    let reason = &found["reasons"][0];
    assert_eq!(reason["causes"][0]["cause"], "queue");
    // The causes add up to the whole.
    let change = figure(&found, "/measures/0/pairs/0/difference/value");
    assert!((figure(reason, "/change_ms") - change).abs() < 1e-9);
    let text = folder.petrio(&["compare", "scenario.toml", heavy, "--replications", "5"]).out;
    assert!(text.contains("A is better than B by") && text.contains("B adds"), "{text}");
    assert!(unwrapped(&text).contains("queue"), "{text}");
}

#[test]
fn common_random_numbers_give_every_replication_the_same_load() {
    // The arrivals are the same, so how many are served a second hardly differs; unpaired, the arrivals' own noise
    // would hide anything.
    let found = compared(&Folder::with(RANDOM), &TWO);
    let rate = found["measures"].as_array().unwrap().iter().find(|measure| measure["measure"] == "rate");
    let pair = &rate.unwrap()["pairs"][0];
    assert_eq!(pair["method"], "paired");
    assert!(figure(pair, "/variance_reduction") > 100.0, "{pair}");
}

#[test]
fn the_same_seed_gives_the_same_bytes_with_any_number_of_threads() {
    let result = |threads: &str| {
        let folder = Folder::with(RANDOM);
        let mut arguments = vec!["compare", "--json", "c.json", "--html", "c.html", "--replications", "4"];
        arguments.extend(TWO);
        let output = folder.command(&arguments).env("RAYON_NUM_THREADS", threads).output().unwrap();
        assert!(output.status.success());
        [output.stdout, folder.read("c.json"), folder.read("c.html")].concat()
    };
    let first = result("1");
    assert!(first == result("1") && first == result("3"));
}

#[test]
fn what_has_nothing_random_is_compared_exactly() {
    let folder = Folder::new();
    let trace = root().join("examples/load-on-one-disk.toml").display().to_string();
    let sptf = format!("{trace}@disk.d0.scheduler=sptf");
    let arguments = [&trace, &sptf, "--set", "workload.database.limit=1500"];
    let found = compared(&folder, &arguments);
    assert_eq!(found["contenders"][0]["deterministic"], true);
    assert_eq!(found["contenders"][0]["replications"], 2, "more would be the same again");
    assert_eq!(found["measures"][0]["pairs"][0]["method"], "exact");
    assert!(found["measures"][0]["pairs"][0]["difference"]["half_width"].is_null());
    assert_eq!(found["headline"], "throughput", "a closed load asks how much gets done");
    let text = folder.petrio(&[&["compare"], arguments.as_slice()].concat()).out;
    assert!(unwrapped(&text).contains("nothing random"), "{text}");
}

#[test]
fn three_are_compared_by_pairs_with_holms_correction() {
    let folder = Folder::with(RANDOM);
    let found = compared(&folder, &[&TWO[..], &["scenario.toml", "--replications", "4"]].concat());
    let pairs = found["measures"][0]["pairs"].as_array().unwrap();
    let letters: Vec<String> =
        pairs.iter().map(|pair| format!("{}{}", pair["first"], pair["second"])).collect();
    assert_eq!(letters, [r#""A""B""#, r#""A""C""#, r#""B""C""#]);
    assert!(pairs.iter().all(|pair| figure(pair, "/p_holm") >= figure(pair, "/ratio/p")));
    assert_eq!(pairs[1]["outcome"], "no-difference", "A and C are the same scenario");
    let text =
        folder.petrio(&[&["compare"], &TWO[..], &["scenario.toml", "--replications", "4"]].concat()).out;
    assert!(text.contains("C against A"), "{text}");
}

#[test]
fn a_precision_asks_for_as_many_replications_as_it_needs() {
    let folder = Folder::with(RANDOM);
    let heavy = "scenario.toml@workload.w.generators.0.size.constant=\"8 KiB\"";
    let arguments = ["scenario.toml", heavy, "--set", "workload.w.requests=200"];
    let found = compared(&folder, &[&arguments[..], &["--precision", "1%"]].concat());
    let ratio = &found["measures"][0]["pairs"][0]["ratio"];
    let half = (figure(ratio, "/high") - figure(ratio, "/low")) / 2.0;
    assert!(half <= 0.01 * figure(ratio, "/value"), "{ratio}");
    assert!(found["contenders"][0]["replications"].as_u64() < Some(400), "no more than it needs");
    let few =
        compared(&folder, &[&arguments[..], &["--precision", "0.001%", "--replications", "3"]].concat());
    assert!(few["notes"].to_string().contains("precision asked for was not reached"), "{}", few["notes"]);
}

#[test]
fn saved_reports_are_compared_by_welchs_test() {
    let folder = Folder::with(RANDOM);
    let save = |name: &str, set: &str| {
        let arguments =
            ["run", "scenario.toml", "-q", "--no-what-if", "--json", name, "--set", "measure.replications=4"];
        let answer = folder.petrio(&[&arguments[..], &["--set", set]].concat());
        assert_eq!(answer.code, Some(0), "{}", answer.talk);
    };
    save("a.json", "disk.d0.scheduler=fcfs");
    save("b.json", "workload.w.generators.0.size.constant=\"256 KiB\"");
    let found = compared(&folder, &["a.json", "b.json"]);
    assert_eq!(found["contenders"][0]["origin"], "saved");
    assert_eq!(found["measures"][0]["pairs"][0]["method"], "welch");
    assert_eq!(found["measures"][0]["pairs"][0]["outcome"], "first-better");
    // A saved report beside its own scenario: the same replications, so the same mean.
    let found = compared(&folder, &["scenario.toml@disk.d0.scheduler=fcfs", "a.json", "--replications", "4"]);
    let values = &found["measures"][0]["values"];
    assert!((figure(values, "/0/value") - figure(values, "/1/value")).abs() < 1e-9);
    assert_eq!(found["order"], serde_json::json!([["A", "B"]]));
}

#[test]
fn single_runs_that_were_saved_claim_nothing() {
    let folder = Folder::with(RANDOM);
    for (name, requests) in [("a.json", "300"), ("b.json", "900")] {
        let set = format!("workload.w.requests={requests}");
        assert_eq!(
            folder
                .petrio(&["run", "scenario.toml", "-q", "--no-what-if", "--json", name, "--set", &set])
                .code,
            Some(0)
        );
    }
    let found = compared(&folder, &["a.json", "b.json"]);
    assert_eq!(found["measures"][0]["pairs"][0]["outcome"], "untold");
    assert!(unwrapped(&folder.petrio(&["compare", "a.json", "b.json"]).out).contains("single run"));
}

#[test]
fn programs_run_for_real_beside_their_prediction_and_leave_nothing_behind() {
    let folder = Folder::with(FILES);
    std::fs::create_dir(folder.path("here")).unwrap();
    let arguments = ["scenario.toml", "real:scenario.toml", "--dir", "here", "--replications", "3"];
    let found = compared(&folder, &arguments);
    assert_eq!(
        (found["contenders"][1]["origin"].as_str(), found["contenders"][1]["replications"].as_u64()),
        (Some("real"), Some(3))
    );
    let kinds = found["measures"].to_string();
    assert!(kinds.contains("fsync.mean-latency") && kinds.contains("create.p99-latency"), "{kinds}");
    assert_eq!(std::fs::read_dir(folder.path("here")).unwrap().count(), 0);
}

#[test]
fn the_page_holds_the_plots_and_needs_no_network() {
    let folder = Folder::with(RANDOM);
    let answer =
        folder.petrio(&[&["compare", "-q", "--html", "c.html", "--replications", "3"], &TWO[..]].concat());
    assert_eq!((answer.code, answer.out.as_str()), (Some(0), ""));
    assert_eq!(answer.talk, "written: c.html\n");
    let page = folder.text("c.html");
    assert!(page.contains("default-src 'none'"), "the browser itself loads nothing");
    assert!(page.len() < 150_000, "{} bytes", page.len());
    assert!(!page.contains(">NaN"));
    assert!(page.contains("mean latency") && page.contains("\"name\":\"seek\""));
}

#[test]
fn what_cannot_be_compared_is_refused_with_the_reason_and_what_to_do() {
    let folder = Folder::with(RANDOM);
    folder.write("files.toml", FILES);
    folder.write("wrong.json", "{\"title\": 1}");
    folder.write("empty.json", "");
    let before = folder.names();
    for (arguments, words) in [
        (&["scenario.toml"][..], &["needs two scenarios", "help: name another one"][..]),
        (&["scenario.toml", "scenario.tml"], &["scenario.tml can't be read", "did you mean scenario.toml?"]),
        (&["scenario.toml", "scenario.toml@disk.d0"], &["\"disk.d0\"", "has no \"=\"", "FILE@path=value"]),
        (&["scenario.toml", "scenario.toml@disk.d0.schedular=sptf"], &["did you mean \"scheduler\"?"]),
        (
            &["scenario.toml", "scenario.toml", "--measure", "thoughput"],
            &["no measure \"thoughput\"", "did you mean \"throughput\"?"],
        ),
        (
            &["scenario.toml", "scenario.toml", "--measure", "raed.mean-latency"],
            &["did you mean \"read.mean-latency\"?"],
        ),
        (
            &["scenario.toml", "files.toml", "--measure", "fsync.mean-latency"],
            &["requests to block devices", "operations on files", "--measure throughput"],
        ),
        (&["scenario.toml", "scenario.toml", "--replications", "1"], &["--replications"]),
        (&["scenario.toml", "scenario.toml", "--precision", "0"], &["--precision", "between 0 and 1"]),
        (&["scenario.toml", "wrong.json"], &["wrong.json is no report", "line 1", "help: name a scenario"]),
        (&["scenario.toml", "empty.json"], &["empty.json is no report"]),
        (&["scenario.toml", "missing.json"], &["missing.json can't be read"]),
        (&["scenario.toml", "real:files.toml"], &["nobody says where", "--dir"]),
        (&["files.toml", "files.toml", "--dir", "missing"], &["missing is no directory"]),
        (
            &["scenario.toml", "scenario.toml", "--dir", "."],
            &["can't be run on a real directory", "not for files"],
        ),
        (
            &["scenario.toml", "scenario.toml", "--html", "scenario.toml"],
            &["--html would overwrite scenario.toml"],
        ),
        (
            &["scenario.toml", "scenario.toml@workload.w.requests=3,measure.warm_up=\"1 h\""],
            &["B (", "before its warm-up", "help: shorten"],
        ),
    ] {
        let answer = folder.petrio(&[&["compare", "--json", "c.json"], arguments].concat());
        assert_eq!(answer.code, Some(2), "{arguments:?}: {}{}", answer.talk, answer.out);
        assert_eq!(answer.out, "");
        for word in words {
            assert!(unwrapped(&answer.talk).contains(word), "no \"{word}\" in: {}", answer.talk);
        }
        assert_eq!(folder.names(), before, "{arguments:?}");
    }
}

#[test]
fn requests_and_operations_are_compared_by_what_means_the_same() {
    let folder = Folder::with(RANDOM);
    folder.write("files.toml", FILES);
    let found = compared(&folder, &["scenario.toml", "files.toml", "--replications", "2"]);
    let names: Vec<&str> = found["measures"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|measure| measure["measure"].as_str())
        .collect();
    assert_eq!(names, ["throughput", "makespan"]);
    assert!(found["notes"].to_string().contains("mean the same of both"));
}

/// Eight processes that write into a controller's memory for a moment, and for longer than that lasts.
#[test]
fn who_ends_before_a_cache_is_full_is_told_so_beside_who_does_not() {
    let generator =
        "{ read_fraction = 0, time_critical_fraction = 1, size = \"4 KiB\", inter_arrival = \"0.1 ms\" }, ";
    let text = format!(
        "[disk.d]\nmodel = \"seagate-savvio-10k4\"\ncount = 3\n[raid.array]\nuse = \"perc-h700\"\nlevel = 5\non = \"d*\"\n\
         controller.cache.size = \"2 MiB\"\n[workload.w]\nkind = \"synthetic\"\non = \"array\"\nrequests = 150\ngenerators = [{}]",
        generator.repeat(8)
    );
    let folder = Folder::with(&text);
    let longer = "scenario.toml@workload.w.requests=4000";
    let found = compared(&folder, &["scenario.toml", longer, "--replications", "2"]);
    let told = |number: usize| found["contenders"][number]["warnings"].to_string();
    assert!(told(0).contains("behind that the same load gets"), "{}", told(0));
    assert!(!told(1).contains("behind that the same load gets"), "{}", told(1));
    let text = unwrapped(&folder.petrio(&["compare", "scenario.toml", longer, "--replications", "2"]).out);
    assert!(text.contains("warning A: the run ended while the controller's memory"), "{text}");
}
