//! `petrio fs` and `petrio users`: files made, verified and removed; users at work, analysed and learned from.

use crate::support::{Folder, figure, root};
use std::path::{Path, PathBuf};

fn specification() -> String {
    root().join("examples/users/thesis.toml").to_string_lossy().into_owned()
}

const SMALL: [&str; 2] = ["--set", "files.count=120"];

#[test]
fn the_files_of_a_directory_are_those_of_a_simulated_file_system() {
    let folder = Folder::new();
    let specification = specification();
    let listed = folder
        .petrio(&[&["fs", "create", &specification, "--simulated", "--users", "2"], &SMALL[..]].concat());
    assert_eq!(listed.code, Some(0), "{}", listed.talk);
    let create =
        [&["fs", "create", &specification, "--dir", "files", "--users", "2", "--verify"], &SMALL[..]]
            .concat();
    let made = folder.petrio(&create);
    assert_eq!(made.code, Some(0), "{}", made.talk);
    assert!(made.talk.contains("verified:"), "{}", made.talk);
    let mut lines = 0;
    for line in listed.out.lines() {
        let [size, _, _, path] = line.split_whitespace().collect::<Vec<_>>()[..] else { panic!("{line}") };
        let there = std::fs::metadata(folder.path("files").join(path)).unwrap();
        assert_eq!(there.is_dir(), path.ends_with('/'), "{path}");
        assert!(there.is_dir() || there.len().to_string() == size, "{path}: {size}");
        lines += 1;
    }
    assert!(lines > 200, "{lines}");
    // A second time there is nothing to do; with another seed it isn't touched.
    let again = folder.petrio(&create);
    assert!(again.talk.contains("were there already"), "{}", again.talk);
    let other = folder.petrio(&[&create[..], &["--seed", "2"]].concat());
    assert_eq!(other.code, Some(2));
    assert!(other.talk.contains("files of another sort: seed 1, not 2"), "{}", other.talk);
    assert!(other.talk.contains("petrio fs remove"), "{}", other.talk);
    let removed = folder.petrio(&["fs", "remove", "--dir", "files"]);
    assert_eq!(removed.code, Some(0), "{}", removed.talk);
    assert_eq!(std::fs::read_dir(folder.path("files")).unwrap().count(), 0);
    let nothing = folder.petrio(&["fs", "verify", "--dir", "files"]);
    assert_eq!(nothing.code, Some(2));
    assert!(nothing.talk.contains("holds no files that petrio has made"), "{}", nothing.talk);
}

#[test]
fn a_described_directory_is_made_again_with_what_it_had() {
    let folder = Folder::new();
    let create = ["fs", "create", &specification(), "--dir", "files", "--users", "3"];
    assert_eq!(folder.petrio(&[&create[..], &SMALL[..]].concat()).code, Some(0));
    let described = folder.petrio(&[
        "fs",
        "describe",
        "files/home",
        "--each-user",
        "--out",
        "homes.toml",
        "--json",
        "homes.json",
    ]);
    assert_eq!(described.code, Some(0), "{}", described.talk);
    let json: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(folder.path("homes.json")).unwrap()).unwrap();
    for (of, most) in [(0, 0.1), (1, 0.1), (2, 0.25)] {
        assert!(json["likeness"][of]["distance"].as_f64().unwrap() < most, "{}", json["likeness"][of]);
    }
    // Files without anybody who uses them can be made, and nobody can be put to work.
    let made = folder.petrio(&["fs", "create", "homes.toml", "--dir", "again", "--verify"]);
    assert_eq!(made.code, Some(0), "{}", made.talk);
    assert!(folder.path("again/home/u003").is_dir());
    let nobody = folder.petrio(&["users", "run", "homes.toml", "--dir", "again"]);
    assert_eq!(nobody.code, Some(2));
    assert!(nobody.talk.contains("only files are described"), "{}", nobody.talk);
    let empty = folder.petrio(&["fs", "describe", "nothing"]);
    assert_eq!(empty.code, Some(2), "{}", empty.talk);
}

#[test]
fn response_time_by_users_and_access_size_has_the_shapes_of_the_thesis() {
    let folder = Folder::new();
    let unix = root().join("examples/users/on-unix-1990.toml").to_string_lossy().into_owned();
    let measured =
        ["users", "figures", &unix, "--users", "4", "--sessions", "10", "--quiet", "--json", "f.json"];
    let answer = folder.petrio(&measured);
    assert_eq!(answer.code, Some(0), "{}", answer.talk);
    let json: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(folder.path("f.json")).unwrap()).unwrap();
    let slope = |at: usize| json["populations"][at]["slope"].as_f64().unwrap();
    // Figure 5.6: a straight line where nobody thinks; 5.7 to 5.11: flatter ones, the flattest where all are light.
    assert!(json["populations"][0]["r_squared"].as_f64().unwrap() > 0.97, "{}", json["populations"][0]);
    assert!(slope(0) > slope(1) && slope(1) > slope(5), "{} {} {}", slope(0), slope(1), slope(5));
    // Users are whole: who they were is told.
    let at_work = |at: usize, users: usize| json["populations"][at]["points"][users - 1]["at_work"].clone();
    assert_eq!(at_work(2, 1), serde_json::json!({ "heavy": 1 }));
    assert_eq!(at_work(3, 4), serde_json::json!({ "heavy": 2, "light": 2 }));
    // Figure 5.12: the larger the accesses, the less time for a byte.
    let sizes = json["access_sizes"].as_array().unwrap();
    let a_byte = |at: usize| sizes[at]["response_us_per_byte"].as_f64().unwrap();
    assert!((1..5).all(|at| a_byte(at) < a_byte(at - 1)), "{sizes:?}");
}

#[test]
fn what_users_compare_makes_in_a_directory_goes_when_it_is_interrupted() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("real")).unwrap();
    let ext4 = root().join("examples/users/on-ext4.toml");
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_petrio"))
        .args(["users", "compare", &specification(), "real"])
        .arg(ext4)
        .args(["--users", "8", "--sessions", "50", "--share", "extremely-heavy=1"])
        .current_dir(folder.path("."))
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let is_made = || std::fs::read_dir(folder.path("real")).unwrap().count() > 0;
    while child.try_wait().unwrap().is_none() && !is_made() {
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
    std::thread::sleep(std::time::Duration::from_millis(100));
    let signal = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    // It may have been quicker.
    let code = child.wait().unwrap().code();
    assert!(code == Some(130) || !signal.success() || code == Some(0), "{code:?}");
    assert_eq!(std::fs::read_dir(folder.path("real")).unwrap().count(), 0);
}

#[test]
fn what_is_odd_about_a_run_is_told_beforehand() {
    let folder = Folder::new();
    let run = |more: &[&str]| {
        let run = ["users", "run", &specification(), "--dir", "files", "--sessions", "1"];
        folder.petrio(&[&run[..], &SMALL[..], more].concat())
    };
    for (arguments, words) in [
        (&["--population", "none"][..], "its populations are"),
        (&["--share", "heavy=1", "--share", "heavy=2"], "given twice"),
        (&["--out", "run.csv"], "name it NAME.parquet"),
        (&["--set", "user.heavy.uses.user-read.rank_correlation=3"], "is 3; a correlation is between"),
        (&["--set", "user.heavy.hours=[1,2]"], "a day has 24 hours, and there are 2 numbers"),
    ] {
        let refused = run(arguments);
        assert_eq!(refused.code, Some(2), "{}", refused.talk);
        assert!(refused.talk.contains(words), "{}", refused.talk);
    }
    let done = run(&["--population", "all extremely heavy"]);
    assert_eq!(done.code, Some(0), "{}", done.talk);
}

#[test]
fn several_runs_stand_beside_each_other() {
    let folder = Folder::new();
    for users in ["1", "2", "3"] {
        let trace = format!("{users}.parquet");
        let run = ["users", "run", &specification(), "--dir", "files", "--sessions", "2", "--out", &trace];
        let of = ["--users", users, "--set", "files.users=3", "--share", "extremely-heavy=1"];
        let done = folder.petrio(&[&run[..], &of[..], &SMALL[..]].concat());
        assert_eq!(done.code, Some(0), "{}", done.talk);
    }
    let runs = ["users", "analyse", "a=3.parquet", "a=1.parquet", "b=2.parquet", "--json", "runs.json"];
    let answer = folder.petrio(&[&runs[..], &["--html", "runs.html"]].concat());
    assert_eq!(answer.code, Some(0), "{}", answer.talk);
    let json: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(folder.path("runs.json")).unwrap()).unwrap();
    let users = |name: usize| -> Vec<u64> {
        let points = json["populations"][name]["points"].as_array().unwrap();
        points.iter().map(|point| point["users"].as_u64().unwrap()).collect()
    };
    assert_eq!((users(0), users(1)), (vec![1, 3], vec![2]));
    assert!(std::fs::read_to_string(folder.path("runs.html")).unwrap().contains("µs a byte with each user"));
    let sizes = folder.petrio(&["users", "analyse", "1.parquet", "2.parquet", "--by", "access-size"]);
    assert!(sizes.out.contains("accesses of "), "{}", sizes.out);
    let one = folder.petrio(&["users", "analyse", "1.parquet", "--by", "users"]);
    assert_eq!(one.code, Some(2));
    assert!(one.talk.contains("name several runs"), "{}", one.talk);
    assert_eq!(folder.petrio(&["users", "analyse", "a="]).code, Some(2));
}

#[test]
fn candidates_are_compared_under_the_same_users() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("real")).unwrap();
    let examples = |name: &str| root().join("examples").join(name).to_string_lossy().into_owned();
    let (ext4, unix) = (examples("users/on-ext4.toml"), examples("users/on-unix-1990.toml"));
    let compare =
        ["users", "compare", &specification(), &ext4, &unix, "real", "--population", "all extremely heavy"];
    // Its workload has another name and is replaced.
    let other = examples("ext4.toml");
    let few = [&*other, "--sessions", "2", "--replications", "2", "--json", "compared.json"];
    let answer = folder.petrio(&[&compare[..], &few[..]].concat());
    assert_eq!(answer.code, Some(0), "{}", answer.talk);
    let json: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(folder.path("compared.json")).unwrap()).unwrap();
    assert_eq!(json["headline"], "mean-latency");
    let origins: Vec<&str> =
        json["contenders"].as_array().unwrap().iter().map(|one| one["origin"].as_str().unwrap()).collect();
    assert_eq!(origins, ["simulated", "simulated", "real", "simulated"]);
    // All have made the same calls.
    let calls = |at: usize| {
        let words = json["contenders"][at]["workload"].as_str().unwrap();
        words.split(" operations").next().unwrap().to_owned()
    };
    assert_eq!((calls(0), calls(0), calls(0)), (calls(1), calls(2), calls(3)));
    assert_eq!(std::fs::read_dir(folder.path("real")).unwrap().count(), 0);
    // From a trace, the users are learned first.
    let trace = examples("traces/compile-files.parquet");
    let few = ["--sessions", "5", "--replications", "2"];
    let learned =
        folder.petrio(&[&["users", "compare", &trace, &ext4, &examples("ext4.toml")][..], &few].concat());
    assert_eq!(learned.code, Some(0), "{}", learned.talk);
    assert!(learned.out.contains("no difference that matters is shown"), "{}", learned.out);
    for (arguments, words) in [
        (vec![&*ext4, &*unix, "--population", "none"], "its populations are"),
        (vec![&*ext4], "nothing to compare"),
        (vec![&*ext4, &*unix, "--set", "files.count=0"], "between 1 and 16777216 files"),
        (vec![&*ext4, "nowhere"], "nowhere"),
    ] {
        let refused = folder.petrio(&[&["users", "compare", &*specification()], &arguments[..]].concat());
        assert_eq!(refused.code, Some(2), "{}", refused.talk);
        assert!(refused.talk.contains(words), "{}", refused.talk);
    }
    let blocks = folder.petrio(&[
        "users",
        "compare",
        &specification(),
        &ext4,
        &examples("random-load-on-three-disks.toml"),
    ]);
    assert!(blocks.talk.contains("one workload that works on files"), "{}", blocks.talk);
}

#[test]
fn users_work_in_a_directory_and_in_a_simulation_alike() {
    let folder = Folder::new();
    let specification = specification();
    let real = folder.petrio(
        &[
            &[
                "users",
                "run",
                &specification,
                "--dir",
                "files",
                "--sessions",
                "3",
                "--share",
                "extremely-heavy=1",
            ],
            &["--out", "real.parquet"][..],
        ]
        .concat(),
    );
    assert_eq!(real.code, Some(0), "{}", real.talk);
    assert!(real.out.contains("read and write") && real.out.contains("the driver itself"), "{}", real.out);
    // What users have made is gone, and their files are still whole.
    assert_eq!(folder.petrio(&["fs", "verify", "--dir", "files"]).code, Some(0));
    folder.write(
        "simulated.toml",
        format!(
            "title = \"Users\"\n[disk.d]\nmodel = \"sata-750gb-7200\"\n[host.h]\nmachine = \"epyc-9005-2vcpu\"\n\
             kernel = \"linux-6.18\"\n[fs.data]\ntype = \"ext4\"\non = \"d\"\nsize = \"8 GiB\"\n[workload.users]\n\
             kind = \"users\"\non = \"data\"\nspecification = \"{specification}\"\nsessions = 3\n\
             shares = {{ extremely-heavy = 1 }}\n"
        ),
    );
    let simulated =
        folder.petrio(&["run", "simulated.toml", "-q", "--no-what-if", "--trace", "simulated.parquet"]);
    assert_eq!(simulated.code, Some(0), "{}", simulated.talk);
    for run in ["real", "simulated"] {
        let (trace, json) = (format!("{run}.parquet"), format!("{run}.json"));
        let analysed = folder.petrio(&[
            "users",
            "analyse",
            &trace,
            "-q",
            "--json",
            &json,
            "--html",
            &format!("{run}.html"),
        ]);
        assert_eq!(analysed.code, Some(0), "{}", analysed.talk);
        assert!(folder.text(&format!("{run}.html")).contains("Accesses per byte"));
    }
    let (real, simulated) = (folder.json("real.json"), folder.json("simulated.json"));
    // The same sessions, file by file and byte by byte; only how long the calls took is different.
    assert_eq!(real["sessions"], simulated["sessions"]);
    assert_eq!(figure(&real, "/accesses/calls"), figure(&simulated, "/accesses/calls"));
    assert_eq!(figure(&real, "/accesses/bytes_mean"), figure(&simulated, "/accesses/bytes_mean"));
    let learned = folder.petrio(&["users", "learn", "real.parquet", "--out", "learned.toml"]);
    assert_eq!(learned.code, Some(0), "{}", learned.talk);
    assert!(
        folder
            .text("learned.toml")
            .contains("# How far calls, sizes and think times of the trace are independent")
    );
    assert_eq!(folder.petrio(&["users", "info", "learned.toml"]).code, Some(0));
}

#[test]
fn what_is_wrong_with_a_specification_is_pointed_at() {
    let folder = Folder::new();
    folder.write("mine", "mine");
    std::fs::create_dir(folder.path("full")).unwrap();
    folder.write("full/mine", "mine");
    let specification = specification();
    for (arguments, words) in [
        (
            vec!["users", "info", &specification, "--set", "user.light.like=haevy"],
            "there is no type \"haevy\"",
        ),
        (vec!["users", "info", "missing.toml"], "missing.toml can't be read"),
        (vec!["fs", "create", &specification, "--dir", "full"], "isn't empty"),
        (vec!["fs", "create", &specification, "--dir", "a", "--dir", "b"], "is given twice"),
        (vec!["fs", "create", &specification, "--dir", "server=a"], "main directory is missing"),
        (vec!["users", "run", &specification, "--dir", "a", "--users", "0"], "between 1 and"),
        (vec!["users", "run", &specification, "--dir", "a", "--share", "heavy"], "write TYPE=SHARE"),
        (vec!["users", "analyse", "mine"], "mine"),
        (vec!["users", "learn", "mine"], "mine"),
    ] {
        let answer = folder.petrio(&arguments);
        assert_eq!(answer.code, Some(2), "{arguments:?}: {}", answer.talk);
        assert!(answer.talk.contains(words), "{arguments:?}: {}", answer.talk);
    }
    assert!(!folder.path("a").exists() && !folder.path("b").exists());
}

#[test]
fn users_who_are_compared_are_held_against_those_they_stand_for() {
    let folder = Folder::new();
    let examples = |name: &str| root().join("examples").join(name).to_string_lossy().into_owned();
    let (ext4, unix) = (examples("users/on-ext4.toml"), examples("users/on-unix-1990.toml"));
    let more = ["--set", "workload.users.sessions=40", "--set", "seed=7"];
    let run = folder
        .petrio(&[&["run", &ext4, "-q", "--no-what-if", "--trace", "real.parquet"][..], &more[..]].concat());
    assert_eq!(run.code, Some(0), "{}", run.talk);
    let compare = ["users", "compare", &specification(), &ext4, &unix, "--like", "real.parquet"];
    let alike = |set: &[&str]| {
        let few = [
            "--users",
            "2",
            "--sessions",
            "40",
            "--replications",
            "2",
            "--json",
            "c.json",
            "--html",
            "c.html",
        ];
        let answer = folder.petrio(&[&compare[..], &few[..], set].concat());
        assert_eq!(answer.code, Some(0), "{}", answer.talk);
        assert!(answer.out.contains("Whether the users on") && answer.out.contains("like real.parquet"));
        let page = std::fs::read_to_string(folder.path("c.html")).unwrap();
        assert!(page.contains("Cliff") && page.contains("beside real.parquet"));
        let tests = folder.json("c.json")["alike"]["tests"].as_array().unwrap().clone();
        let differ = |test: &&serde_json::Value| test["verdict"] == "differ";
        tests.iter().filter(differ).map(|test| test["of"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(alike(&[]), Vec::<String>::new(), "other random numbers, the same users");
    let slower = alike(&["--set", "user.heavy.think=900 ms", "--population", "100 % heavy"]);
    assert!(slower.contains(&"pause before a call".to_owned()), "{slower:?}");
    let missing =
        folder.petrio(&["users", "compare", &specification(), &ext4, &unix, "--like", "nowhere.parquet"]);
    assert_eq!(missing.code, Some(2), "{}", missing.talk);
}

#[test]
fn learned_users_are_like_those_of_the_trace_and_do_what_is_forecast_of_them() {
    let folder = Folder::new();
    learned_are_alike(&folder, &root().join("examples/traces/compile-files.parquet"));
    // Each session of the trace moves 136,817 bytes at the mean.
    let info = folder.petrio(&["users", "info", "learned.toml"]);
    assert!(info.out.lines().last().unwrap().ends_with(" 136817"), "{}", info.out);
}

#[test]
fn users_learned_from_a_shell_scripts_calls_are_like_it() {
    let data = std::env::var_os("PETRIO_DATA").map_or_else(|| root().join("../shared/data"), PathBuf::from);
    let trace = data.join("traces/local/strace_mix.txt.xz");
    if !trace.is_file() {
        println!(
            "skipped: users_learned_from_a_shell_scripts_calls_are_like_it needs traces/local in PETRIO_DATA"
        );
        return;
    }
    learned_are_alike(&Folder::new(), &trace);
}

/// Users learned from a trace (`learned.toml`) differ from it in two tests of fourteen at most.
fn learned_are_alike(folder: &Folder, trace: &Path) {
    let trace = &trace.display().to_string();
    let learned = folder.petrio(&["users", "learn", trace, "--out", "learned.toml"]);
    assert_eq!(learned.code, Some(0), "{}", learned.talk);
    let scenario = "title = \"T\"\n[disk.d]\nmodel = \"sata-750gb-7200\"\n[host.h]\nmachine = \"epyc-9005-2vcpu\"\n\
        kernel = \"linux-6.18\"\n[fs.data]\ntype = \"ext4\"\non = \"d\"\nsize = \"64 GiB\"\n[workload.w]\nkind = \"users\"\n\
        on = \"data\"\nspecification = \"learned.toml\"\nsessions = 40\n";
    folder.write("run.toml", scenario);
    let run = folder.petrio(&["run", "run.toml", "--trace", "made.parquet", "--no-what-if", "-q"]);
    assert_eq!(run.code, Some(0), "{}", run.talk);
    let alike = folder.petrio(&["users", "analyse", "made.parquet", "--like", trace]);
    assert_eq!(alike.code, Some(0), "{}", alike.talk);
    let differ = alike.out.lines().filter(|line| line.trim_end().ends_with("differs")).count();
    assert!(differ <= 2, "{}", alike.out);
}
