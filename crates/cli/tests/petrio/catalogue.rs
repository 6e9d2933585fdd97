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
