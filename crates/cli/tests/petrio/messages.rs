//! What petrio says of mistakes that people make.

use crate::support::{Folder, RANDOM, petrio_at_root, unwrapped};

/// A host with a file system, and a workload of what is given.
fn on_files(workload: &str) -> String {
    format!(
        "[disk.d]\nmodel = \"constant-rate\"\n[host.h]\nmachine = \"epyc-9005-2vcpu\"\nkernel = \"linux-6.18\"\n\
         [fs.f]\ntype = \"ext4\"\non = \"d\"\n[workload.w]\non = \"f\"\n{workload}"
    )
}

fn refusal(scenario: &str, arguments: &[&str]) -> String {
    let folder = Folder::with(scenario);
    let answer = folder.petrio(&[&["check", "scenario.toml"], arguments].concat());
    assert_eq!(answer.code, Some(2), "{scenario}: {}", answer.out);
    unwrapped(&answer.talk)
}

#[test]
fn ten_mistakes_are_told_and_the_others_counted() {
    let wrong: String = (0..33).map(|number| format!("wrong{number} = 1\n")).collect();
    let talk = refusal(&RANDOM.replace("[workload.w]\n", &format!("[workload.w]\n{wrong}")), &[]);
    assert!(talk.contains("has 33 mistakes") && talk.contains("and 23 more"), "{talk}");
    assert_eq!(talk.matches("unknown key").count(), 10, "{talk}");
}

#[test]
fn a_file_of_another_kind_is_named_with_the_command_that_takes_it() {
    for (file, words) in [
        ("examples/users/thesis.toml", &["is a user specification", "petrio users run", "--dir"][..]),
        ("catalogue/devices/seagate-cheetah-9lp.toml", &["is a drive of the catalogue", "file ="]),
        ("catalogue/kernels/linux-6.18.toml", &["is a kernel of the catalogue", "kernel ="]),
        ("catalogue/machines/epyc-9005-2vcpu.toml", &["is a machine of the catalogue", "machine ="]),
        ("fuzz/seeds/petrio", &["is a trace", "petrio trace info"]),
        ("fuzz/seeds/blktrace", &["is a trace", "petrio trace info"]),
        ("fuzz/seeds/native", &["is a trace", "petrio trace info"]),
        ("fuzz/seeds/disksim-parameters", &["is a DiskSim parameter file", "petrio catalogue import"]),
    ] {
        for command in ["run", "check"] {
            let answer = petrio_at_root(&[command, file]);
            assert_eq!(answer.code, Some(2), "{file}");
            let talk = unwrapped(&answer.talk);
            assert!(talk.contains("has 1 mistake"), "{file}: {talk}");
            for word in words {
                assert!(talk.contains(word), "{file}: no {word:?} in {talk}");
            }
        }
    }
    let answer = petrio_at_root(&["users", "info", "examples/mail-server.toml"]);
    assert_eq!(answer.code, Some(2));
    let talk = unwrapped(&answer.talk);
    assert!(
        talk.contains("is a scenario") && talk.contains("petrio run examples/mail-server.toml"),
        "{talk}"
    );
}

#[test]
fn json_in_the_place_of_a_scenario_takes_a_few_lines() {
    let folder = Folder::with(RANDOM);
    folder.report(&[]);
    folder.write("a.json", "{\"a\": [1, 2]}");
    for (file, word) in [("report.json", "petrio compare"), ("a.json", "name a TOML file")] {
        let answer = folder.petrio(&["check", file]);
        assert_eq!(answer.code, Some(2));
        assert!(unwrapped(&answer.talk).contains(word), "{}", answer.talk);
        assert!(answer.talk.lines().count() < 10, "{}", answer.talk);
    }
}

#[test]
fn a_mistake_in_a_script_is_pointed_at_within_it() {
    let script = "kind = \"script\"\nscript = \"\"\"\ncreate a\nwirte a 0 4 KiB\n\"\"\"\n";
    let talk = refusal(&on_files(script), &[]);
    assert!(talk.contains("scenario.toml:14:1]") && talk.contains("did you mean \"write\"?"), "{talk}");
    let missing = "kind = \"script\"\nscript = 'create a; fsync b'\n";
    let talk = refusal(&on_files(missing), &[]);
    assert!(talk.contains("scenario.toml:12:21]") && talk.contains("there is no \"b\""), "{talk}");
}

#[test]
fn a_word_that_needs_a_value_says_so() {
    let files = "kind = \"files\"\noperation = \"write\"\nrecord = \"4 KiB\"\nfile_size = \"1 MiB\"\n";
    let talk = refusal(&on_files(&format!("{files}fsync = \"every\"\n")), &[]);
    assert!(talk.contains("\"every\" needs a value") && talk.contains("write { every ="), "{talk}");
    assert!(!talk.contains("variant"), "{talk}");
}

#[test]
fn a_bare_memory_size_gets_the_units_that_memories_have() {
    let files = "kind = \"files\"\noperation = \"write\"\nrecord = \"4 KiB\"\nfile_size = \"1 MiB\"\n";
    let talk = refusal(&on_files(files), &["--set", "host.h.memory=16"]);
    assert!(talk.contains("\"16 GiB\""), "{talk}");
}

#[test]
fn file_and_files_are_taken_alike() {
    let folder = Folder::new();
    folder.write("load.trace", "0.0 0 0 8 1\n");
    let disk = "[disk.d]\nmodel = \"constant-rate\"\n[workload.w]\nkind = \"trace\"\non = \"d\"\n";
    let events = on_files("kind = \"events\"\n");
    for (name, text) in [
        ("one.toml", format!("{disk}file = \"load.trace\"\n")),
        ("list.toml", format!("{disk}files = \"load.trace\"\n")),
        ("events.toml", format!("{events}file = \"load.trace\"\n")),
        ("listed.toml", format!("{events}files = [\"load.trace\"]\n")),
    ] {
        folder.write(name, text);
        let answer = folder.petrio(&["check", name]);
        assert_eq!(answer.code, Some(0), "{name}: {}", answer.talk);
    }
    let both = format!("{disk}file = \"load.trace\"\nfiles = [\"load.trace\"]\n");
    let many = format!("{events}files = [\"load.trace\", \"load.trace\"]\n");
    for (text, words) in [(both, "stand here both"), (many, "petrio trace merge")] {
        folder.write("scenario.toml", text);
        let answer = folder.petrio(&["check", "scenario.toml"]);
        assert_eq!(answer.code, Some(2));
        assert!(unwrapped(&answer.talk).contains(words), "{}", answer.talk);
    }
}

#[test]
fn a_part_that_a_setting_leaves_unused_is_a_warning() {
    let two = RANDOM.replace("[workload.w]", "[disk.d1]\nmodel = \"seagate-cheetah-9lp\"\n\n[workload.w]");
    let folder = Folder::with(&two.replace("on = \"d0\"", "on = \"d*\""));
    let one = "scenario.toml@workload.w.on=d0";
    let set = "measure.stop.requests=200";
    let answer = folder.petrio(&["compare", one, "scenario.toml", "--set", set, "--replications", "2"]);
    assert_eq!(answer.code, Some(0), "{}", answer.talk);
    assert!(answer.out.contains("nothing uses the disk \"d1\""), "{}", answer.out);
    folder.write("scenario.toml", two);
    let answer = folder.petrio(&["check", "scenario.toml"]);
    assert_eq!(answer.code, Some(2), "in the file itself it is a mistake");
}
