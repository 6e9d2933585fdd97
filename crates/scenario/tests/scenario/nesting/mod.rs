//! Parts that nest and repeat: what they mean, that flat files mean the same, and what is refused.

mod twins;

use crate::common::once_of;
use petrio_scenario::{Loaded, Override, Problem, Problems, load, load_text};
use std::path::Path;

const SHELF: &str = r#"
[host.server]
machine = "epyc-9005-2vcpu"
kernel = "linux-6.18"
count = 4

[host.server.disk.d]
model = "constant-rate"
count = 5

[host.server.fs.data]
type = "ext4"
on = "d0"
size = "1 GiB"

[host.server.raid.stripe]
level = 0
on = ["d1", "d2", "d3", "d4"]

[host.server.fs.scratch]
type = "ext4"
on = "stripe"
size = "1 GiB"

[workload.w]
kind = "script"
on = "server*/*"
script = "create a; append a 8 KiB; fsync a"
"#;

fn read_with(text: &str, folder: Option<&Path>, changes: &[&str]) -> Result<Loaded, Problems> {
    let changes: Vec<Override> = changes.iter().map(|change| change.parse().unwrap()).collect();
    load_text("test.toml", text, folder, &changes)
}

fn read(text: &str) -> Loaded {
    set(text, &[])
}

fn set(text: &str, changes: &[&str]) -> Loaded {
    read_with(text, None, changes)
        .unwrap_or_else(|problems| panic!("{:#?}", problems.iter().collect::<Vec<_>>()))
}

/// The one mistake of a text.
fn mistake_of(text: &str, folder: Option<&Path>, changes: &[&str]) -> Problem {
    let problems = read_with(text, folder, changes).unwrap_err();
    assert_eq!(problems.iter().count(), 1, "{:#?}", problems.iter().collect::<Vec<_>>());
    problems.iter().next().unwrap().clone()
}

fn mistake(text: &str) -> Problem {
    mistake_of(text, None, &[])
}

fn names(loaded: &Loaded) -> Vec<&str> {
    loaded.disks.iter().map(|disk| disk.name.as_str()).collect()
}

/// With a row for each stage, however many equals it has.
fn report(loaded: &Loaded) -> String {
    let mut loaded = loaded.clone();
    loaded.scenario.measure.stages = petrio_scenario::schema::StageRows::All;
    serde_json::to_string(&once_of(&loaded)).unwrap()
}

#[test]
fn a_part_with_a_count_owns_as_many_of_everything_in_it() {
    let loaded = read(SHELF);
    let hosts: Vec<&str> = loaded.hosts.linux.hosts.iter().map(|host| host.name.as_str()).collect();
    assert_eq!(hosts, ["server0", "server1", "server2", "server3"]);
    assert_eq!(names(&loaded)[4..7], ["server0/d4", "server1/d0", "server1/d1"]);
    assert_eq!(loaded.disks.len(), 20);
    let mounted: Vec<(&str, usize)> =
        loaded.hosts.linux.file_systems.iter().map(|fs| (fs.name.as_str(), fs.host)).collect();
    assert_eq!(mounted[..3], [("server0/data", 0), ("server0/scratch", 0), ("server1/data", 1)]);
    let storage =
        |number: usize| loaded.storage[loaded.hosts.linux.file_systems[number].on.unwrap()].name.as_str();
    assert_eq!((storage(2), storage(3)), ("server1/d0", "server1/stripe"));
    assert_eq!(loaded.targets["w"].len(), 8);
    // They are the same drive, and not one like it.
    assert!(std::sync::Arc::ptr_eq(&loaded.disks[0].device, &loaded.disks[19].device));
    let found = report(&loaded);
    for stage in ["server3/processor", "server3/data/for-page", "server2/d0/", "server0/scratch-queue"] {
        assert!(found.contains(&format!("\"{stage}")), "{stage} in {found}");
    }
    assert!(found.contains("20 "), "the disks are told together: {found}");
}

#[test]
fn one_part_has_no_number() {
    let fs = "host.server.fs={data={type=\"ext4\",on=\"d\"}}";
    let loaded =
        set(SHELF, &["host.server.count=1", "host.server.disk.d.count=1", "host.server.raid={}", fs]);
    assert_eq!(names(&loaded), ["server/d"]);
    assert_eq!(
        (&*loaded.hosts.linux.hosts[0].name, &*loaded.hosts.linux.file_systems[0].name),
        ("server", "server/data")
    );
}

#[test]
fn what_is_set_reaches_into_the_tree_and_into_one_copy() {
    let more = set(
        SHELF,
        &[
            "host.server.disk.d.count=6",
            "host.server.raid.stripe.on=d*",
            "host.server.fs.data={type=\"ext4\",on=\"/spare\"}",
            "disk.spare.model=constant-rate",
            "host.server.count=1",
            "workload.w.on=**",
        ],
    );
    assert_eq!(
        names(&more),
        ["server/d0", "server/d1", "server/d2", "server/d3", "server/d4", "server/d5", "spare"]
    );
    let one = set(SHELF, &["host.server2.disk.d.drive.rate=1 MB/s", "host.server2.memory=1 GiB"]);
    let rate = |number: usize| format!("{:?}", one.disks[number].device);
    assert_ne!(rate(10), rate(9));
    assert_eq!(rate(10), rate(14));
    assert_eq!(rate(9), rate(15));
    assert_eq!(one.scenario.hosts.linux.host["server2"].memory.unwrap().get(), 1 << 30);
    assert_eq!(one.scenario.hosts.linux.host["server3"].memory, None);
    let problem = mistake_of(SHELF, None, &["host.server2.count=3"]);
    assert_eq!(problem.message(), "\"server2\" is one of several, and has no count");
    assert_eq!(problem.pointed_at(), Some("3"));
    let problem = mistake_of(SHELF, None, &["host.server4.memory=1 GiB"]);
    assert_eq!(problem.message(), "there is no \"server4\": \"server\" has a count of 4");
    assert_eq!(problem.advice(), Some("they are called server0 to server3"));
}

#[test]
fn names_are_looked_for_from_within_outward() {
    let text = r#"
[disk.d]
model = "constant-rate"
[disk.log]
model = "constant-rate"
[box.shelf]
count = 2
[box.shelf.disk.d]
model = "constant-rate"
count = 2
[box.shelf.raid.r]
level = 0
on = "*"
[box.shelf.box.deep.disk.x]
model = "constant-rate"
[host.h]
machine = "epyc-9005-2vcpu"
kernel = "linux-6.18"
[fs.f]
type = "ext4"
on = "d"
[fs.g]
type = "ext4"
on = "shelf1/r"
[fs.h]
type = "ext4"
on = "all"
[raid.all]
level = 0
on = ["log", "shelf0/r", "shelf/deep/x"]
[workload.w]
kind = "script"
on = "*"
script = "create a"
"#;
    let loaded = read(text);
    let over = |name: &str| {
        let part = loaded.storage.iter().find(|part| part.name == name).unwrap();
        part.over.iter().map(|&below| loaded.storage[below].name.as_str()).collect::<Vec<_>>()
    };
    assert_eq!(over("shelf1/r"), ["shelf1/d0", "shelf1/d1"]);
    // A name without number stands for all copies, at every level.
    assert_eq!(over("all"), ["log", "shelf0/r", "shelf0/deep/x", "shelf1/deep/x"]);
    assert_eq!(loaded.storage[loaded.hosts.linux.file_systems[0].on.unwrap()].name, "d");
    assert_eq!(loaded.targets["w"], [0, 1, 2]);
}

#[test]
fn a_star_keeps_within_a_piece_and_two_go_any_depth() {
    let text = |on: &str| {
        format!(
            "{}\n[disk.d]\nmodel = \"constant-rate\"\n[box.a.disk.d]\nmodel = \"constant-rate\"\n[box.a.box.b.disk.e]\nmodel = \"constant-rate\"\ncount = 2\n",
            synthetic(on)
        )
    };
    let on = |pattern: &str| {
        let text = text(&format!("[\"{pattern}\", \"**\"]"));
        let all = read(&text);
        let alone = read_with(&text.replace(", \"**\"", ""), None, &[]);
        let found = all.targets["w"].clone();
        match alone {
            Ok(alone) => alone.targets["w"].len(),
            Err(problems) => {
                // Others are idle then; the first are those that the pattern stands for.
                let idle =
                    problems.iter().filter(|problem| problem.message().starts_with("nothing uses")).count();
                assert_eq!(idle, problems.iter().count(), "{pattern}: {problems:?}");
                found.len()
                    - problems
                        .iter()
                        .map(|problem| if problem.message().contains("\"a/b/e\"") { 2 } else { 1 })
                        .sum::<usize>()
            }
        }
    };
    assert_eq!((on("*"), on("*/*"), on("a/**"), on("**/e"), on("/d"), on("**")), (1, 1, 3, 2, 1, 4));
}

fn synthetic(on: &str) -> String {
    format!(
        "[workload.w]\nkind = \"synthetic\"\non = {on}\nrequests = 5\n[[workload.w.generators]]\nread_fraction = 1\ninter_arrival = {{ constant = \"1 ms\" }}\nsize = {{ constant = \"4 KiB\" }}\n"
    )
}

#[test]
fn a_workload_in_a_part_repeats_with_it_and_draws_for_itself() {
    let text = r#"
[box.cell]
count = 2
[box.cell.disk.d]
model = "constant-rate"
[box.cell.workload.w]
kind = "synthetic"
on = "d"
requests = 50
[[box.cell.workload.w.generators]]
read_fraction = "50 %"
inter_arrival = { exponential = { mean = "1 ms" } }
size = { constant = "4 KiB" }
"#;
    let loaded = read(text);
    assert_eq!((&loaded.targets["cell0/w"][..], &loaded.targets["cell1/w"][..]), (&[0][..], &[1][..]));
    let one = set(text, &["box.cell.count=1"]);
    assert_eq!(one.targets["cell/w"], [0]);
    let found: serde_json::Value = serde_json::from_str(&report(&loaded)).unwrap();
    assert_eq!(found["requests"]["completed"], 100);
    let stages: Vec<&serde_json::Value> = found["stages"].as_array().unwrap().iter().collect();
    let of =
        |name: &str| stages.iter().find(|stage| stage["name"].as_str().unwrap().starts_with(name)).unwrap();
    assert_ne!(of("cell0/d")["mean_queue"], of("cell1/d")["mean_queue"]);
}

#[test]
fn a_mistake_in_a_repeated_part_is_told_once_where_it_stands() {
    for (from, to, at, message) in [
        ("count = 5", "count = 5\nqueue_dept = 4", "queue_dept", "unknown key \"queue_dept\""),
        ("on = \"d0\"", "on = \"d9\"", "\"d9\"", "no disk or array is called \"server0/d9\""),
        (
            "\"constant-rate\"",
            "\"constant-rat\"",
            "\"constant-rat\"",
            "the catalogue has no drive \"constant-rat\"",
        ),
        ("\"linux-6.18\"", "\"linux-6.19\"", "\"linux-6.19\"", "the catalogue has no kernel \"linux-6.19\""),
        ("count = 5", "count = 5\nqueue_depth = 0", "0", "a disk with a queue depth of 0 accepts no command"),
        ("size = \"1 GiB\"", "size = \"90 TiB\"", "\"90 TiB\"", "the file system is larger than"),
        ("\"d3\", \"d4\"", "\"d3\"", "d", "nothing uses the disk \"server0/d4\""),
        ("count = 4", "count = 0", "0", "a count is a whole number from 1 on"),
        ("count = 4", "count = \"four\"", "\"four\"", "a count is a whole number from 1 on"),
        (
            "[host.server.disk.d]",
            "[host.server.disk.processor]\nmodel=\"constant-rate\"\n[host.server.disk.d]",
            "server",
            "processor",
        ),
    ] {
        assert!(SHELF.contains(from));
        let text = SHELF.replacen(from, to, 1);
        let problems = read_with(&text, None, &[]).unwrap_err();
        let found: Vec<(&str, &str)> =
            problems.iter().map(|problem| (problem.pointed_at().unwrap(), problem.message())).collect();
        let here = found.iter().filter(|(place, words)| *place == at && words.contains(message)).count();
        assert_eq!(here, 1, "{message}: {found:#?}");
        assert!(found.len() <= 2, "{found:#?}");
    }
    let help = mistake(&SHELF.replacen("on = \"d0\"", "on = \"d9\"", 1).replace("\"d1\"", "\"d0\", \"d1\""));
    assert_eq!(help.advice(), Some("did you mean \"server0/d\"?"));
}

#[test]
fn parts_of_one_name_are_refused() {
    let text = SHELF.replace("[workload.w]", "[disk.\"server1/d\"]\nmodel = \"constant-rate\"\n[workload.w]");
    let problem = mistake(&text);
    assert_eq!(problem.message(), "two parts of the kind disk are called \"server1/d\"");
    let page = SHELF.replace(
        "[host.server.disk.d]",
        "[host.server.disk.data]\nmodel = \"constant-rate\"\n[host.server.disk.d]",
    );
    let problems = read_with(&page, None, &[]).unwrap_err();
    assert!(
        problems
            .iter()
            .any(|problem| problem.message() == "a file system and a disk are called \"server0/data\""),
        "{problems:?}"
    );
}

#[test]
fn too_many_parts_are_refused_before_one_is_made() {
    let problem = mistake_of(SHELF, None, &["host.server.count=200000"]);
    assert_eq!(problem.pointed_at(), Some("200000"));
    assert_eq!(
        problem.message(),
        "the scenario would have 1,800,001 parts (200,000 × 5), and at most 1,000,000 are read"
    );
    let huge = "18446744073709551615";
    let nested = format!(
        "host.server.box.b={{ count = {huge}, box = {{ c = {{ count = {huge}, disk = {{ d = {{ count = {huge} }} }} }} }} }}"
    );
    assert!(mistake_of(SHELF, None, &[&nested]).message().contains("at most 1,000,000"));
}

#[test]
fn used_files_are_the_base_and_say_where_their_mistakes_are() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("parts")).unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    let here = Some(folder.path());
    write(
        "parts/drive.toml",
        "kind = \"constant-rate\"\nname = \"Own\"\nsource = \"test\"\nblocks = \"4000000 blocks\"\nlatency = \"1 ms\"\nrate = \"100 MB/s\"\n",
    );
    write("parts/disk.toml", "file = \"drive.toml\"\ncount = 2\n");
    write(
        "parts/node.toml",
        "[disk.d]\nuse = \"disk.toml\"\n[box.inner.disk.e]\nuse = \"disk.toml\"\ncount = 1\n",
    );
    let text = format!(
        "[box.a]\nuse = \"parts/node.toml\"\n[box.b]\nuse = \"parts/node.toml\"\n[box.b.disk.d]\ncount = 3\n{}",
        synthetic("\"**\"")
    );
    let loaded = read_with(&text, here, &[]).unwrap();
    assert_eq!(names(&loaded), ["a/d0", "a/d1", "a/inner/e", "b/d0", "b/d1", "b/d2", "b/inner/e"]);
    let set = read_with(&text, here, &["box.a.disk.d.count=1", "box.b.box.inner.count=2"]).unwrap();
    assert_eq!(names(&set), ["a/d", "a/inner/e", "b/d0", "b/d1", "b/d2", "b/inner0/e", "b/inner1/e"]);
    // A box may stand in itself where another text puts it there.
    let within =
        text.replace("[box.b.disk.d]", "[box.b.box.more]\nuse = \"parts/node.toml\"\n[box.b.disk.d]");
    assert_eq!(read_with(&within, here, &[]).unwrap().disks.len(), 10);

    write("parts/node.toml", "[disk.d]\nuse = \"disk.toml\"\nqueue_dept = 3\n");
    let problem = mistake_of(&text, here, &[]);
    assert_eq!(problem.pointed_at(), Some("queue_dept"));
    assert!(problem.location().unwrap().ends_with("parts/node.toml:3:1"), "{problem:?}");
    write("parts/node.toml", "[disk.d]\nuse = \"disc.toml\"\n");
    let problem = mistake_of(&text, here, &[]);
    assert!(problem.location().unwrap().ends_with("parts/node.toml:2:7"), "{problem:?}");
    assert!(problem.message().contains("disc.toml can't be read"), "{problem}");
    assert!(problem.advice().unwrap().ends_with("parts/disk.toml?"), "{problem:?}");
    write("parts/node.toml", "[box.x]\nuse = \"other.toml\"\n");
    write("parts/other.toml", "[box.y]\nuse = \"./node.toml\"\n");
    let problem = mistake_of(&text, here, &[]);
    assert_eq!(problem.message(), "the file \"parts/./node.toml\" is used in itself");
    assert!(problem.location().unwrap().ends_with("parts/other.toml:2:7"), "{problem:?}");
    write("parts/node.toml", "use = \"node.toml\"\n");
    assert!(mistake_of(&text, here, &[]).message().contains("used in itself"));
    write("parts/node.toml", "[disk.d\n");
    let problems = read_with(&text, here, &[]).unwrap_err();
    assert!(problems.iter().all(|problem| problem.message().starts_with("this is not TOML")), "{problems:?}");
    write("parts/node.toml", "[disk.d]\nuse = 7\n");
    let problem = mistake_of(&text, here, &[]);
    assert_eq!((problem.message(), problem.pointed_at()), ("what is used is a file", Some("7")));
    write("parts/node.toml", "");
    let unread = read_with(&text, None, &[]).unwrap_err();
    assert!(unread.iter().all(|problem| problem.message() == "files are not read here"));
}

#[test]
fn files_that_use_each_other_over_and_over_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    for number in 0..40 {
        let below = format!("use = \"{}.toml\"", number + 1);
        let text = format!("[box.a]\n{below}\n[box.b]\n{below}\n# {}\n", " ".repeat(1 << 12));
        std::fs::write(folder.path().join(format!("{number}.toml")), text).unwrap();
    }
    let problems =
        read_with(&format!("[box.a]\nuse = \"0.toml\"\n{}", synthetic("\"**\"")), Some(folder.path()), &[])
            .unwrap_err();
    assert!(problems.iter().any(|problem| problem.message().contains("more than 64 MiB")), "{problems:?}");
}

#[test]
fn the_example_from_one_file_is_two_nodes() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/shelf-of-io-nodes.toml");
    let loaded = load(&path, &[]).unwrap();
    assert_eq!(names(&loaded), ["node0/d0", "node0/d1", "node1/d0", "node1/d1"]);
    let rate = |loaded: &Loaded| -> f64 {
        let found: serde_json::Value = serde_json::from_str(&report(loaded)).unwrap();
        found["simulated_s"].as_f64().unwrap()
    };
    // Twice the data in the same time, as its comment says.
    let load = |change: &str| {
        let changes = [change, "workload.readers.file_size=16 MiB"];
        load(&path, &changes.map(|change| change.parse().unwrap())).unwrap()
    };
    let loaded = load("seed=1");
    let one = load("host.node.count=1");
    assert!((rate(&loaded) / rate(&one) - 1.0).abs() < 0.05);
    let worn = load("host.node1.disk.d.drive.mechanics.rotation=5400 rpm");
    assert!(rate(&worn) > rate(&loaded) * 1.2);
}
