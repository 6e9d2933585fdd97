//! `petrio search`: it hands over to Python whole, says how to get that, and asks the same there as here. What it finds is held in
//! python/tests.

use crate::support::{Folder, figure, unwrapped};
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

const WORDS: [&str; 9] = [
    "search",
    "scenario.toml",
    "--vary",
    "disk.d.count=1..4",
    "--target",
    "p99-latency <= 20 ms",
    "--cost",
    "disk.d.count * 10",
    "--runs",
];

/// Runs it with a Python of the test's own.
fn with_python(folder: &Folder, script: &str, more: &[&str]) -> (Option<i32>, String, String) {
    folder.write("python", script);
    std::fs::set_permissions(folder.path("python"), std::fs::Permissions::from_mode(0o755)).unwrap();
    let mut command: Command = folder.command(&[WORDS.as_slice(), &["30"], more].concat());
    let ran = command.env("PETRIO_PYTHON", folder.path("python")).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (ran.status.code(), text(ran.stdout), text(ran.stderr))
}

#[test]
fn without_the_package_it_says_how_to_get_it() {
    let folder = Folder::with("");
    let (code, _, talk) = with_python(&folder, "#!/bin/sh\nexit 9\n", &[]);
    assert_eq!(code, Some(2), "{talk}");
    let talk = unwrapped(&talk);
    assert!(talk.contains("pip install '.[search]'") && talk.contains("PETRIO_PYTHON"), "{talk}");
}

#[test]
fn what_is_asked_arrives_whole_and_its_exit_code_comes_back() {
    let folder = Folder::with("");
    let script = "#!/bin/sh\n[ \"$1\" = -c ] && exit 0\nprintf '%s\\n' \"$@\"\nexit 3\n";
    let more = [
        "--where",
        "disk.d.count != 2",
        "--price",
        "disk.d.count=1:5,2:9",
        "--set",
        "seed=4",
        "--seed",
        "7",
        "-q",
    ];
    let (code, said, talk) = with_python(&folder, script, &more);
    assert_eq!(code, Some(3), "{talk}");
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(lines[..3], ["-m", "petrio", "search"]);
    for (option, value) in [
        ("--vary", "disk.d.count=1..4"),
        ("--target", "p99-latency <= 20 ms"),
        ("--cost", "disk.d.count * 10"),
        ("--where", "disk.d.count != 2"),
        ("--price", "disk.d.count=1:5,2:9"),
        ("--set", "seed=4"),
        ("--seed", "7"),
        ("--runs", "30"),
        ("--replications", "5"),
    ] {
        let at =
            lines.iter().position(|line| *line == option).unwrap_or_else(|| panic!("{option} in {said}"));
        assert_eq!(lines[at + 1], value, "{said}");
    }
    assert!(lines.contains(&"--quiet"), "{said}");
}

#[test]
fn the_mail_store_has_two_ways_to_its_target_as_the_example_says() {
    let p99 = |set: &[&str]| {
        let more: Vec<&str> = set.iter().flat_map(|set| ["--set", *set]).collect();
        figure(&crate::examples::run("mail-store.toml", &more), "/latency/p99_ms/value")
    };
    let ssd = "disk.d.model=intel-x25-m-g2-80gb";
    let of_ten_thousand = p99(&[]);
    assert!((50.0..56.0).contains(&of_ten_thousand), "{of_ten_thousand}");
    for set in [
        vec!["raid.array.level=\"1+0\""],
        vec![ssd, "disk.d.count=5"],
        vec!["raid.array.use=perc-h700", "disk.d.count=9"],
    ] {
        assert!(p99(&set) < 18.0, "{set:?}: {}", p99(&set));
    }
}
