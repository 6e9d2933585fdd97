//! What a person sees who writes a scenario: which mistakes are found, where they point, what they advise.

use miette::{GraphicalReportHandler, GraphicalTheme};
use petrio_scenario::{Loaded, Override, Problem, Problems, load, load_text};
use proptest::prelude::*;
use std::path::Path;

const SOUND: &str = r#"title = "Four disks"

[disk.d]
model = "seagate-cheetah-9lp"
count = 4
scheduler = "c-look"

[workload.database]
kind = "trace"
on = "d*"
files = ["load.trace"]
"#;

fn read(text: &str) -> Result<Loaded, Problems> {
    load_text("test.toml", text, None, &[])
}

fn changed(text: &str, set: &str) -> Result<Loaded, Problems> {
    load_text("test.toml", text, None, &[set.parse().unwrap()])
}

/// The one mistake of a text.
fn mistake(text: &str) -> Problem {
    let problems = read(text).unwrap_err();
    assert_eq!(problems.iter().count(), 1, "{problems:?}");
    problems.iter().next().unwrap().clone()
}

/// The sound scenario with one line replaced or added behind it.
fn with(line: &str, instead: &str) -> String {
    assert!(SOUND.contains(line));
    SOUND.replace(line, instead)
}

#[test]
fn a_part_with_a_count_stands_for_numbered_disks() {
    let loaded = read(SOUND).unwrap();
    let names: Vec<&str> = loaded.disks.iter().map(|disk| disk.name.as_str()).collect();
    assert_eq!(names, ["d0", "d1", "d2", "d3"]);
    assert_eq!(loaded.targets["database"], [0, 1, 2, 3]);
    assert_eq!(loaded.disks[3].compiled.blocks(), 17_783_240);
    assert_eq!(
        read(&with("\"d*\"", "[\"d2\", \"d0\"]")).unwrap_err().iter().count(),
        1,
        "d1 and d3 are idle"
    );
}

#[test]
fn all_mistakes_of_a_file_are_found_at_once_each_at_its_place() {
    let text = r#"
titel = "x"
seed = "one"
[disk.d0]
model = "seagate-cheetah-9lp"
queue_dept = 4
count = -1
[workload.w]
kind = "trace"
on = "d0"
replay = "close"
files = true
[measure]
warm_up = 5
confidence = 3
[measure.stop]
time = "5 KiB"
"#;
    let problems = read(text).unwrap_err();
    let found: Vec<(&str, &str)> =
        problems.iter().map(|problem| (problem.pointed_at().unwrap(), problem.message())).collect();
    for (at, message) in [
        ("titel", "unknown key \"titel\""),
        ("\"one\"", "the wrong type"),
        ("queue_dept", "unknown key \"queue_dept\""),
        ("-1", "the wrong value"),
        ("\"close\"", "\"close\" is not known here"),
        ("true", "the wrong type"),
        ("5", "\"5\" has no unit; write \"5 ms\"; or \"auto\""),
        ("3", "\"3\" is not a fraction"),
        ("\"5 KiB\"", "\"5 KiB\" is a size, a duration is needed"),
    ] {
        assert!(
            found.iter().any(|(a, m)| *a == at && m.starts_with(message)),
            "{at}: {message} in {found:#?}"
        );
    }
    assert_eq!(found.len(), 9, "{found:#?}");
    let advice: Vec<&str> = problems.iter().filter_map(Problem::advice).collect();
    for suggestion in ["did you mean \"title\"?", "did you mean \"queue_depth\"?", "did you mean \"closed\"?"]
    {
        assert!(advice.contains(&suggestion), "{suggestion} in {advice:?}");
    }
}

#[test]
fn names_that_stand_for_nothing_and_parts_that_nothing_uses_are_mistakes() {
    let problem = mistake(&with("on = \"d*\"", "on = [\"d*\", \"log\"]"));
    assert_eq!(
        (problem.message(), problem.pointed_at()),
        ("no disk or array is called \"log\"", Some("\"log\""))
    );
    let problem = mistake(&format!("{SOUND}\n[disk.spare]\nmodel = \"hp-97560\"\n"));
    assert_eq!(problem.message(), "nothing uses the disk \"spare\"");
    assert_eq!(problem.location().unwrap(), "test.toml:13:7");
    let problem = mistake(&with("\"seagate-cheetah-9lp\"", "\"cheetah\""));
    assert_eq!(problem.advice(), Some("did you mean \"seagate-cheetah-9lp\"?"));
    let problem = mistake(&with("[disk.d]\n", "[disk.d0]\nmodel = \"hp-97560\"\n[disk.d]\n"));
    assert_eq!(problem.message(), "two disks are called \"d0\"");
}

#[test]
fn a_drive_may_differ_from_the_catalogue_in_any_parameter() {
    let loaded = changed(SOUND, "disk.d.drive.mechanics.rotation=15000 rpm").unwrap();
    let original = read(SOUND).unwrap();
    assert_ne!(loaded.disks[0].device, original.disks[0].device);
    let other_curve = "disk.d.drive.mechanics.seek={ kind = \"constant\", time = \"5 ms\" }";
    assert!(changed(SOUND, other_curve).is_ok(), "parameters of the curve before don't linger");
    let problem = mistake(&with("count = 4", "count = 4\ndrive.mechanics.rotation = \"15000\""));
    assert_eq!(problem.message(), "\"15000\" has no unit; write \"15000 rpm\"");
    assert_eq!(problem.location().unwrap(), "test.toml:6:28");
    let problem = mistake(&with("count = 4", "count = 4\ndrive.mechanics.rotatoin = \"15000 rpm\""));
    assert_eq!(problem.advice(), Some("did you mean \"rotation\"?"));
    let problem = mistake(&with("count = 4", "count = 4\ndrive.geometry.surfaces = 0"));
    assert!(problem.message().starts_with("the drive of \"d\" can't be:"), "{problem}");
}

#[test]
fn absurd_figures_are_refused_and_not_tried() {
    for figure in [
        "geometry.cylinders=4294967295",
        "geometry.surfaces=4294967295",
        "geometry.blocks=18446744073709551615",
        "cache.segments=4294967295",
        "mechanics.rotation=1e-300 rpm",
        "mechanics.rotation=1e300 rpm",
    ] {
        let problems = changed(SOUND, &format!("disk.d.drive.{figure}")).unwrap_err();
        assert!(problems.to_string().starts_with("test.toml has 1 mistake"), "{figure}: {problems:?}");
    }
    assert!(changed(SOUND, "disk.d.count=4294967295").is_err());
}

#[test]
fn an_override_changes_a_value_and_its_mistakes_point_into_it() {
    assert_eq!(changed(SOUND, "seed=7").unwrap().scenario.seed, 7);
    assert_eq!(changed(SOUND, " disk.d.count = 2 ").unwrap().disks.len(), 2);
    assert_eq!(changed(SOUND, "measure.warm_up=5 s").unwrap().scenario.measure.warm_up.to_owned(), {
        petrio_scenario::schema::WarmUp::Span("5 s".parse().unwrap())
    });
    let pointed = |set: &str| {
        let problems = changed(SOUND, set).unwrap_err();
        let problem = problems.iter().next().unwrap().clone();
        (problem.location().unwrap(), problem.pointed_at().unwrap().to_owned())
    };
    assert_eq!(pointed("disk.d.scheduler=elevator"), ("--set:1:18".to_owned(), "elevator".to_owned()));
    assert_eq!(pointed("disk.d.cuont=2"), ("--set:1:8".to_owned(), "cuont".to_owned()));
    // In a table, and in a list of tables, as well.
    assert_eq!(pointed("measure={ max_requests = 5, warm_up = \"1 parsec\" }").1, "\"1 parsec\"");
    assert_eq!(
        pointed("measure={ max_requests = 5, wram = 1 }"),
        ("--set:1:29".to_owned(), "wram".to_owned())
    );
    assert_eq!(pointed("measure.stop=[{ requests = 10, tmie = 1 }]").1, "{ requests = 10, tmie = 1 }");
    assert_eq!(pointed("seed.x=2").1, "seed");
    assert_eq!(pointed("workload.database.files.3=x").1, "3");
    // Of a part that isn't there, and that this setting alone doesn't make.
    assert_eq!(pointed("disk.e.drive.blocks=8"), ("--set:1:6".to_owned(), "e".to_owned()));
    let problems = changed(SOUND, "disk.e.drive.blocks=8").unwrap_err();
    let told: Vec<&str> = problems.iter().map(Problem::message).collect();
    assert_eq!(told, ["the scenario has no [disk.e]"]);
    assert!(changed(SOUND, "disk.e={ model = \"constant-rate\" }").is_ok());
    assert!("no equals sign".parse::<Override>().is_err());
    assert!("a..b=1".parse::<Override>().is_err());
}

#[test]
fn a_mistake_deep_in_a_table_that_says_its_sort_is_told_where_it_is() {
    let text = |program: &str| {
        format!(
            r#"
[host.h]
machine = "epyc-9005-2vcpu"
kernel = "linux-6.18"
[disk.d]
model = "seagate-st3146707lc"
[fs.work]
type = "ext4"
on = "d"
[workload.w]
kind = "parallel"
on = "work"
ranks = 4
program = {program}
"#
        )
    };
    for (program, places) in [
        (r#"{ kind = "bt-io", class = "S", subtype = "full", mode = 1 }"#, vec!["mode"]),
        (
            r#"{ kind = "bt-io", subtype = "full", class = "X", step_time = "1 parsec" }"#,
            vec!["\"X\"", "\"1 parsec\""],
        ),
        (r#"{ step_time = [1], subtype = "full", class = "S", kind = "bt-io" }"#, vec!["[1]"]),
        (r#"{ kind = "bt-oi", class = "S", subtype = "full" }"#, vec!["\"bt-oi\""]),
        (r#"{ kind = "bt-io", subtype = "full" }"#, vec![r#"{ kind = "bt-io", subtype = "full" }"#]),
        (r#"{ kind = "seis", data = "0 MiB" }"#, vec!["\"0 MiB\""]),
        ("{ kind = \"seis\" }\nhints = { cb_nodes = 0 }", vec!["0"]),
        (r#"{ kind = "mdtest", command = "mdtest -n 2 -z 5 -b 3" }"#, vec![r#""mdtest -n 2 -z 5 -b 3""#]),
        (r#"{ kind = "mdtest", command = "mdtest -n 5 -S" }"#, vec![r#""mdtest -n 5 -S""#]),
        (
            r#"{ kind = "steps", steps = [{ compute = "1 s" }, { barrier = 3 }, { compute = 7 }] }"#,
            vec!["3", "7"],
        ),
        (
            r#"{ kind = "steps", steps = [{ repeat = { times = 2, steps = [{ compute = "1 s" }, { copmute = "1 s" }] } }] }"#,
            vec!["copmute"],
        ),
    ] {
        let problems = read(&text(program)).unwrap_err();
        let told: Vec<_> = problems.iter().map(|problem| problem.pointed_at().unwrap_or_default()).collect();
        assert_eq!(told, places, "{program}");
    }
}

#[test]
fn options_that_contradict_each_other_are_mistakes() {
    for (lines, part) in [
        ("[measure]\nmax_requests = 5\nstop.requests = 10", "never comes past max_requests"),
        ("[measure]\nmax_time = \"1 s\"\nstop.time = \"2 s\"", "never comes past max_time"),
        ("[measure]\nwarm_up = \"3 s\"\nstop.time = \"2 s\"", "leaves nothing"),
        ("[measure]\nreplications = 0", "no run at all"),
        ("[measure]\nconfidence = \"100 %\"", "confidence level"),
        ("[workload.x]\nkind = \"trace\"\non = \"d\"\nfiles = []", "list of trace files is empty"),
        (
            "[workload.x]\nkind = \"trace\"\non = \"d\"\nfiles = [\"a\"]\ntime_scale = -1.0",
            "number above zero",
        ),
        (
            "[workload.x]\nkind = \"trace\"\non = \"d\"\nfiles = [\"a\"]\ndevices = { 0 = \"q\" }",
            "no disk or array is called \"q\"",
        ),
        ("[workload.x]\nkind = \"tarce\"", "not a kind of workload"),
        ("[workload.x]\non = \"d\"", "\"kind\" is missing"),
        ("[disk.e]\nmodel = \"hp-97560\"\nfile = \"x.toml\"", "both a model and a file"),
        ("[disk.e]\ncount = 0\nmodel = \"hp-97560\"", "between 1 and"),
    ] {
        let problems = read(&format!("{SOUND}\n{lines}\n")).unwrap_err();
        assert!(problems.iter().any(|problem| problem.message().contains(part)), "{part}: {problems:?}");
    }
}

const RANDOM: &str = r#"
[disk.d]
model = "hp-97560"
count = 2

[workload.random]
kind = "synthetic"
on = "d"
requests = 1000

[[workload.random.generators]]
read_fraction = "66 %"
inter_arrival = { exponential = { mean = "25 ms" } }
size = { exponential = { mean = "8 blocks" } }

[[workload.random.generators]]
devices = [1]
read_fraction = 1
inter_arrival = { constant = "1 s" }
size = { constant = "4 KiB" }
"#;

#[test]
fn generators_learn_their_disks_and_how_large_they_are() {
    let loaded = read(RANDOM).unwrap();
    let generators = &loaded.generators["random"].generators;
    assert_eq!((generators[0].devices.as_slice(), generators[1].devices.as_slice()), (&[0, 1][..], &[1][..]));
    assert!(generators.iter().all(|generator| generator.capacity.unwrap().get() == 1962 * 19 * 72));
    assert!(loaded.warnings.is_empty());
}

#[test]
fn generators_that_cannot_be_are_mistakes_at_their_parameter() {
    for (line, instead, at, part) in [
        ("requests = 1000", "", "random", "never ends"),
        ("devices = [1]", "devices = [2]", "2", "there is no 2"),
        ("\"25 ms\"", "\"25\"", "{ exponential = { mean = \"25\" } }", "\"25\" has no unit"),
        ("read_fraction = 1\n", "read_fraction = 1\nlocal_fraction = 0.5\n", "", "local_distance"),
        (
            "read_fraction = 1\n",
            "read_fraction = 1\ncapacity = \"1 TB\"\n",
            "\"1 TB\"",
            "its disk has 2684016",
        ),
        ("read_fraction = 1\n", "read_fracton = 1\n", "read_fracton", "unknown key"),
        ("on = \"d\"\n", "", "", "\"on\" is missing"),
    ] {
        assert!(RANDOM.contains(line), "{line}");
        let problems = read(&RANDOM.replace(line, instead)).unwrap_err();
        let found = problems.iter().any(|problem| {
            problem.message().contains(part)
                && (at.is_empty() || problem.pointed_at().is_some_and(|text| at.contains(text)))
        });
        assert!(found, "{part}: {problems:?}");
    }
}

#[test]
fn replications_of_a_trace_are_warned_about() {
    let with = |disks: &str| {
        let text = SOUND.replace("count = 4\n", &format!("count = 4\n{disks}"));
        read(&format!("{text}\n[measure]\nreplications = 5\n")).unwrap()
    };
    // Several disks turn each in its own way, and in another one in each replication.
    assert!(with("").warnings.is_empty());
    let loaded = with("spindle = \"locked\"\n");
    assert_eq!(loaded.warnings.len(), 1);
    assert!(loaded.warnings[0].message().contains("nothing random"));
}

#[test]
fn files_are_looked_for_beside_the_scenario() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("four-disks.toml");
    std::fs::write(&path, SOUND.replace("title = \"Four disks\"", "")).unwrap();
    std::fs::write(folder.path().join("laod.trace"), "").unwrap();
    let problems = load(&path, &[]).unwrap_err();
    let problem = problems.iter().next().unwrap();
    assert_eq!(problem.pointed_at(), Some("\"load.trace\""));
    assert!(problem.advice().unwrap().ends_with("laod.trace?"), "{:?}", problem.advice());
    std::fs::write(folder.path().join("load.trace"), "").unwrap();
    assert_eq!(load(&path, &[]).unwrap().scenario.title, "four disks");
}

#[test]
fn files_that_are_no_scenario_are_refused_in_words() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("scenario.toml");
    let message = |path: &Path| load(path, &[]).unwrap_err().iter().next().unwrap().message().to_owned();
    assert!(message(&path).contains("can't be read"));
    assert!(message(folder.path()).contains("is a folder"));
    std::fs::write(&path, b"title = \"x\"\n\xff\xfe").unwrap();
    assert!(message(&path).contains("line 2 holds bytes that are not UTF-8"));
    std::fs::write(&path, "").unwrap();
    assert!(message(&path).contains("no disk"));
    std::fs::write(&path, "title = \"x\n[disk").unwrap();
    assert!(message(&path).starts_with("this is not TOML"));
}

#[test]
fn a_mistake_is_drawn_with_its_line_and_advice() {
    let problem = mistake(&with("scheduler", "shceduler"));
    let mut drawn = String::new();
    let handler = GraphicalReportHandler::new_themed(GraphicalTheme::unicode_nocolor());
    handler.render_report(&mut drawn, &problem).unwrap();
    for part in [
        "unknown key \"shceduler\"",
        "test.toml:6:1",
        "shceduler = \"c-look\"",
        "help: did you mean \"scheduler\"?",
    ] {
        assert!(drawn.contains(part), "{part} in\n{drawn}");
    }
}

#[test]
fn the_schema_explains_every_key() {
    fn explained(path: &str, schema: &serde_json::Value) {
        if let Some(properties) = schema["properties"].as_object() {
            for (key, property) in properties {
                // The only key of an enum's variant is the variant, which is explained as a whole.
                let variant = properties.len() == 1 && schema.get("description").is_some();
                let constant = property.get("const").is_some();
                let described = property.get("description").is_some();
                assert!(described || constant || variant, "{path}.{key} has no description: {property}");
                explained(&format!("{path}.{key}"), property);
            }
        }
        for variant in ["oneOf", "anyOf"].into_iter().filter_map(|word| schema[word].as_array()).flatten() {
            explained(path, variant);
        }
    }
    let schema = serde_json::to_value(petrio_scenario::reference::json_schema()).unwrap();
    explained("scenario", &schema);
    for (name, definition) in schema["$defs"].as_object().unwrap() {
        explained(name, definition);
    }
    assert!(schema["$defs"].as_object().unwrap().contains_key("Disk"));
}

#[test]
fn the_effective_scenario_reads_back_as_itself() {
    for text in [SOUND, RANDOM] {
        let loaded = read(text).unwrap();
        let text = toml::to_string(&loaded.scenario).unwrap();
        assert_eq!(read(&text).unwrap().scenario, loaded.scenario, "{text}");
    }
}

proptest! {
    #[test]
    fn no_text_makes_the_reader_panic(text in "\\PC{0,200}") {
        let _ = read(&text);
    }

    #[test]
    fn no_damage_to_a_scenario_makes_the_reader_panic(at in 0..SOUND.len(), length in 0usize..20, piece in "[\\PC\n]{0,12}") {
        let end = (at + length).min(SOUND.len());
        let damaged = format!("{}{piece}{}", &SOUND[..at], &SOUND[end..]);
        if let Err(problems) = read(&damaged) {
            for problem in problems.iter() {
                let mut drawn = String::new();
                let _ = GraphicalReportHandler::new_themed(GraphicalTheme::unicode_nocolor()).render_report(&mut drawn, problem);
            }
        }
    }

    #[test]
    fn no_override_makes_the_reader_panic(text in "(seed|disk|workload|measure|disk\\.d|disk\\.d\\.drive)?(\\.[a-z0-9]{1,8}){0,3}=\\PC{0,20}") {
        if let Ok(change) = text.parse::<Override>() {
            let _ = load_text("test.toml", SOUND, None, &[change]);
        }
    }
}

/// Files that all processes go through are there once, however many go through them.
#[test]
fn the_head_of_a_report_counts_files_that_are_shared_once() {
    let head = |more: &str| {
        let text = format!(
            "[disk.d]\nmodel = \"constant-rate\"\n[host.h]\nmachine = \"epyc-9005-2vcpu\"\nkernel = \"linux-6.18\"\n[fs.f]\ntype = \"ext4\"\n\
             on = \"d\"\n[workload.w]\nkind = \"files\"\non = \"f\"\noperation = \"read\"\nrecord = \"4 KiB\"\nfile_size = \"8 KiB\"\n\
             files = 3\nprocesses = 4\noperations = 2\n{more}\n"
        );
        crate::common::once(&text).served.workload
    };
    let own = head("");
    assert!(own.contains("12 files of 8 KiB, 4 processes"), "{own}");
    let shared = head("shared_files = true\nfile_order = \"random\"");
    assert!(shared.contains("3 files of 8 KiB in no order, 4 processes, shared"), "{shared}");
    let alternate = head("file_order = \"round-robin\"");
    assert!(alternate.contains("12 files of 8 KiB in turn, 4 processes"), "{alternate}");
}
