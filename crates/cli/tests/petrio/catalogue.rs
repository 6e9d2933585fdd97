//! The catalogue: every drive serves requests, and a drive from elsewhere comes in and runs.

use crate::support::{Folder, RANDOM, figure, petrio_at_root, unwrapped};
use crate::validation::{PARAMETERS, SEEKS};

#[test]
fn every_drive_that_is_listed_can_be_shown_and_serves_requests() {
    let list = petrio_at_root(&["catalogue", "list"]).out;
    let names: Vec<&str> = list.lines().skip(1).filter_map(|line| line.split_whitespace().next()).collect();
    assert!(names.len() >= 20, "{list}");
    let folder = Folder::with(&RANDOM.replace("requests = 2000", "requests = 200").replace("15 ms", "50 ms"));
    for name in names {
        let shown = petrio_at_root(&["catalogue", "show", name]);
        assert_eq!(shown.code, Some(0), "{name}");
        assert!(shown.out.contains("source = "), "{name} without a source");
        let set = format!("disk.d0.model={name}");
        assert_eq!(figure(&folder.report(&["--set", &set]), "/requests/completed"), 200.0, "{name}");
        folder.write("mine.toml", shown.out);
        let mine = folder.petrio(&["check", "scenario.toml", "--set", "disk.d0={ file = \"mine.toml\" }"]);
        assert_eq!(mine.code, Some(0), "{name} as a file of one's own: {}", mine.talk);
    }
}

#[test]
fn a_drive_that_is_not_there_is_refused_with_the_nearest_one() {
    let answer = petrio_at_root(&["catalogue", "show", "hp-97650"]);
    assert_eq!(answer.code, Some(2));
    assert!(answer.talk.contains("did you mean \"hp-97560\"?"), "{}", answer.talk);
}

#[test]
fn an_imported_drive_runs_as_a_file_of_ones_own() {
    let folder = Folder::with(&RANDOM.replace("model = \"seagate-cheetah-9lp\"", "file = \"small.toml\""));
    folder.write("small.parv", PARAMETERS);
    folder.write("small.seek", SEEKS);
    let imported = folder.petrio(&["catalogue", "import", "small.parv"]);
    assert_eq!(imported.code, Some(0), "{}", imported.talk);
    let talk = unwrapped(&imported.talk);
    assert!(talk.contains("note: small.parv:") && talk.contains("\"Colour of the casing\""), "{talk}");
    folder.write("small.toml", &imported.out);
    let report = folder.report(&[]);
    assert_eq!(figure(&report, "/requests/completed"), 2_000.0);
    assert_eq!(figure(&report, "/requests/in_flight"), 0.0);
}

#[test]
fn what_is_no_parameter_file_is_refused() {
    let folder = Folder::new();
    folder.write("garbage.parv", [0u8, 159, 146, 150]);
    folder.write("nothing.parv", "# nothing\n");
    folder.write("open.parv", "disksim_disk A {\n  Model = \n");
    folder.write("lonely.parv", PARAMETERS);
    for (name, words) in [
        ("missing.parv", &["missing.parv"][..]),
        ("garbage.parv", &["garbage.parv", "not text"]),
        ("nothing.parv", &["nothing.parv"]),
        ("open.parv", &["open.parv:"]),
        ("lonely.parv", &["lonely.parv:", "put it beside the parameter file"]),
    ] {
        let answer = folder.petrio(&["catalogue", "import", name]);
        assert_eq!((answer.code, answer.out.as_str()), (Some(2), ""), "{name}: {}", answer.talk);
        for word in words {
            assert!(answer.talk.contains(word), "{name}: {}", answer.talk);
        }
    }
}

#[test]
fn a_parameter_file_with_drives_an_array_and_a_load_becomes_a_scenario_of_all() {
    let folder = Folder::new();
    let beside = "instantiate [ disk0 .. disk3 ] as SMALL\ndisksim_iodriver DRIVER0 {\n   type = 1\n}\n\
        disksim_logorg org0 {\n   Addressing mode = Array,\n   Distribution scheme = Striped,\n   Redundancy scheme = Parity_rotated,\n\
           devices = [ disk0 .. disk3 ],\n   Stripe unit = 16\n}\n\
        disksim_synthio Synthio {\n   Number of I/O requests to generate = 200,\n   Maximum time of trace generated = 1000.0,\n\
           Think time from call to request = 1.0,\n   Generators = [\n     disksim_synthgen {\n       Storage capacity per device = 1600,\n\
               devices = [ org0 ],\n       Blocking factor = 8,\n       Probability of sequential access = 0.2,\n\
               Probability of local access = 0.3,\n       Probability of read access = 0.66,\n\
               Probability of time-critical request = 0.1,\n       Probability of time-limited request = 0.3,\n\
               Time-limited think times = [ normal, 30.0, 100.0 ],\n       General inter-arrival times = [ exponential, 0.0, 50.0 ],\n\
               Local distances = [ normal, 0.0, 40000.0 ],\n       Sizes = [ exponential, 0.0, 8.0 ]\n     }\n   ]\n}\n";
    folder.write("small.parv", format!("{PARAMETERS}{beside}"));
    folder.write("small.seek", SEEKS);
    let answer = folder.petrio(&["init", "--from", "small.parv", "-o", "all.toml"]);
    assert_eq!(answer.code, Some(0), "{}", answer.talk);
    let talk = unwrapped(&answer.talk);
    assert!(
        talk.contains("disksim_iodriver DRIVER0 is left out") && talk.contains("Think time from call"),
        "{talk}"
    );
    let text = folder.text("all.toml");
    for line in [
        "count = 4",
        "[raid.org0]",
        "level = 5",
        "stripe_unit = \"8192 B\"",
        "on = [\"org0\"]",
        "requests = 200",
    ] {
        assert!(text.contains(line), "{line}: {text}");
    }
    let answer = folder.petrio(&["run", "all.toml", "--no-what-if", "--json", "-"]);
    assert_eq!(answer.code, Some(0), "{}", answer.talk);
    let report: serde_json::Value = serde_json::from_str(&answer.out).unwrap();
    assert_eq!(figure(&report, "/requests/completed"), 200.0);
    // What catalogue import makes is the drive alone, and says so.
    let answer = folder.petrio(&["catalogue", "import", "small.parv"]);
    assert!(unwrapped(&answer.talk).contains("disksim_logorg org0 is left out"), "{}", answer.talk);
}
