//! Scenarios to begin with, and fio's job files.

use crate::support::{Folder, root, unwrapped};

const TEMPLATES: [&str; 10] = [
    "postgres",
    "mail",
    "web",
    "backup",
    "home-directories",
    "nas",
    "vm-host",
    "backup-server",
    "video-surveillance",
    "mdtest",
];

#[test]
fn every_template_runs_as_it_is_written() {
    for template in TEMPLATES {
        let folder = Folder::new();
        let answer = folder.petrio(&["init", template]);
        let file = format!("{template}.toml");
        assert_eq!((answer.code, answer.talk.as_str()), (Some(0), format!("written: {file}\n").as_str()));
        assert!(folder.text(&file).starts_with("#:schema ./scenario.schema.json\n"));
        // What would change it is searched for in one of them: that takes several times as long as the run.
        let explained = template == "mail";
        let answer = folder.petrio(&["run", &file, "--no-what-if"][..if explained { 2 } else { 3 }]);
        assert_eq!(answer.code, Some(0), "{template}: {}", answer.talk);
        assert!(answer.talk.is_empty(), "{}", answer.talk);
        assert_eq!(answer.out.contains("bottleneck"), explained, "{}", answer.out);
        // Somebody's first run warns of nothing that the template could have done without: that drive is shipped so.
        let warnings: Vec<&str> = answer.out.split("\n  warning ").skip(1).collect();
        let shipped = warnings.iter().all(|warning| warning.trim_start().starts_with("the write cache of"));
        assert!(shipped && (warnings.is_empty() || template == "postgres"), "{template}: {warnings:?}");
    }
}

#[test]
fn what_the_comments_of_a_template_suggest_runs_too() {
    for template in TEMPLATES {
        let folder = Folder::new();
        folder.petrio(&["init", template]);
        let text = folder.text(&format!("{template}.toml"));
        let suggested = text.lines().filter_map(|line| line.strip_prefix("#   petrio "));
        let mut tried = 0;
        for line in suggested {
            let line = line.split(" # ").next().unwrap_or(line).trim();
            // What a command is checked by without running it.
            let words: Vec<&str> = line.split_whitespace().collect();
            let changes: String = match words[0] {
                "run" => words[2..].join(" "),
                "compare" => {
                    let candidate = words[2].split_once('@').map_or("", |(_, settings)| settings);
                    candidate.split(',').map(|setting| format!("--set {setting} ")).collect()
                }
                other => panic!("{other} of {template}"),
            };
            let changes = changes.split("--measure").next().unwrap_or_default().to_owned();
            let command = format!("exec \"$0\" check {template}.toml {changes}");
            let status = std::process::Command::new("sh")
                .args(["-c", &command, env!("CARGO_BIN_EXE_petrio")])
                .current_dir(folder.path(""))
                .output()
                .unwrap();
            assert!(status.status.success(), "{line}: {}", String::from_utf8_lossy(&status.stderr));
            tried += 1;
        }
        assert!(tried >= 3, "{template}");
    }
}

#[test]
fn drive_and_memory_are_chosen_and_a_file_that_is_there_stays() {
    let folder = Folder::new();
    let answer =
        folder.petrio(&["init", "mail", "--drive", "seagate-savvio-10k4", "--memory", "1 GiB", "-o", "-"]);
    assert_eq!(answer.code, Some(0), "{}", answer.talk);
    assert!(
        answer.out.contains("model = \"seagate-savvio-10k4\"") && answer.out.contains("memory = \"1 GiB\"")
    );
    assert!(folder.names().is_empty());

    folder.write("mail.toml", "mine");
    let answer = folder.petrio(&["init", "mail"]);
    assert_eq!(answer.code, Some(2));
    assert!(answer.talk.contains("is there already") && answer.talk.contains("--force"), "{}", answer.talk);
    assert_eq!(folder.text("mail.toml"), "mine");
    assert_eq!(folder.petrio(&["init", "mail", "--force"]).code, Some(0));
    assert_ne!(folder.text("mail.toml"), "mine");
}

#[test]
fn what_is_not_there_is_refused_with_what_is_near() {
    let folder = Folder::new();
    for (arguments, words) in [
        (&["init", "postgrse"][..], "did you mean postgres?"),
        (&["init", "mail", "--drive", "cheetha"], "has no drive"),
        (&["init", "mail", "--memory", "16"], "\"16 GiB\""),
        (&["init", "--from", "missing.fio"], "can't be"),
        (&["init"], "TEMPLATE"),
    ] {
        let answer = folder.petrio(arguments);
        assert_eq!(answer.code, Some(2), "{arguments:?}");
        assert!(unwrapped(&answer.talk).contains(words), "{arguments:?}: {}", answer.talk);
    }
    assert!(folder.names().is_empty(), "{:?}", folder.names());
}

const JOBS: &str = "\
[global]
size=16m
direct=1
ioengine=libaio
group_reporting

[reader]
rw=randread
bs=8k
numjobs=2
parrots=5

[log]
rw=write
bs=4k
fdatasync=1
size=1m
direct=0
";

/// The dissertation's instrument, as it is typed: what it writes, reads and reads at random are workloads one after the other.
#[test]
fn an_iozone_command_line_becomes_a_scenario_that_runs() {
    let folder = Folder::new();
    let answer =
        folder.petrio(&["init", "--from", "iozone -e -i 0 -i 1 -i 2 -s 16m -r 64k", "-o", "made.toml"]);
    assert_eq!(answer.code, Some(0), "{}", answer.talk);
    let run = folder.petrio(&["run", "made.toml", "--no-what-if"]);
    assert_eq!(run.code, Some(0), "{}", run.talk);
    let text = folder.text("made.toml");
    assert!(text.matches("[workload.").count() >= 5, "{text}");
    assert!(run.out.contains("64 KiB"), "{}", run.out);
    let wrong = folder.petrio(&["init", "--from", "iozone -r 64k -s", "-o", "wrong.toml"]);
    assert_eq!(wrong.code, Some(2), "{}", wrong.talk);
}

#[test]
fn a_job_file_becomes_a_scenario_and_a_workload_alike() {
    let folder = Folder::new();
    folder.write("job.fio", JOBS);
    let answer = folder.petrio(&["init", "--from", "job.fio"]);
    assert_eq!(answer.code, Some(0), "{}", answer.talk);
    assert!(answer.talk.contains("warning: job.fio, line 11: parrots is not taken"), "{}", answer.talk);
    let made = folder.petrio(&["run", "job.toml", "--json", "made.json", "--quiet", "--no-what-if"]);
    assert_eq!(made.code, Some(0), "{}", made.talk);

    let text = folder.text("job.toml");
    let system = text.split("[workload.").next().unwrap_or_default();
    folder.write(
        "played.toml",
        format!("{system}[workload.job]\nkind = \"fio\"\nfile = \"job.fio\"\non = \"data\"\n"),
    );
    let played = folder.petrio(&["run", "played.toml", "--json", "played.json", "--quiet", "--no-what-if"]);
    assert_eq!(played.code, Some(0), "{}", played.talk);
    assert!(unwrapped(&played.talk).contains("job.fio:11:1] 10 numjobs=2 11 parrots=5"), "{}", played.talk);
    let [made, played] = ["made.json", "played.json"].map(|name| folder.json(name));
    // Names of workloads differ, and with them random numbers; how much is done doesn't.
    assert_eq!(made["requests"]["completed"], played["requests"]["completed"], "{made:#}");
    assert!(
        made["requests"]["completed"].as_u64().is_some_and(|operations| operations >= 2 * 2048 + 2 * 256),
        "{made:#}"
    );
    let again = folder.petrio(&[
        "check",
        "played.toml",
        "--set",
        "workload.job.jobs=log",
        "--set",
        "workload.job.record=8 KiB",
    ]);
    assert_eq!(again.code, Some(0), "{}", again.talk);
}

#[test]
fn a_job_on_a_device_asks_a_disk() {
    let folder = Folder::new();
    folder.write(
        "device.fio",
        "[a]\nfilename=/dev/sdb\nrw=randread\nbs=4k\niodepth=4\ndirect=1\nioengine=libaio\nsize=4m\n",
    );
    assert_eq!(folder.petrio(&["init", "--from", "device.fio"]).code, Some(0));
    let answer = folder.petrio(&["run", "device.toml"]);
    assert_eq!(answer.code, Some(0), "{}", answer.talk);
    assert!(answer.out.contains("1,024"), "{}", answer.out);
}

#[test]
fn jobs_that_cannot_be_played_are_refused_at_their_line() {
    let folder = Folder::new();
    let scenario = "[disk.d]\nmodel = \"constant-rate\"\n[host.h]\nmachine = \"epyc-9005-2vcpu\"\nkernel = \"linux-6.18\"\n\
                    [fs.f]\ntype = \"ext4\"\non = \"d\"\n[workload.w]\nkind = \"fio\"\nfile = \"job.fio\"\non = \"f\"\n";
    folder.write("scenario.toml", scenario);
    for (job, words) in [
        ("[a]\nsize=1m\ndirect=1\nbuffered=1\n", &["job.fio:4:1]", "contradict"][..]),
        ("[a]\nrw=read\n", &["job.fio:1:1]", "says no size"]),
        ("nothing\n", &["job.fio:1:1]", "before the first section"]),
    ] {
        folder.write("job.fio", job);
        let answer = folder.petrio(&["check", "scenario.toml"]);
        assert_eq!(answer.code, Some(2), "{job}");
        for word in words {
            assert!(unwrapped(&answer.talk).contains(word), "{job}: no {word:?} in {}", answer.talk);
        }
    }
    let answer = folder.petrio(&["check", "scenario.toml", "--set", "workload.w.file=missing.fio"]);
    assert_eq!(answer.code, Some(2));
    let answer = folder.petrio(&["run", "job.fio"]);
    assert_eq!(answer.code, Some(2));
}

#[test]
fn a_trace_becomes_a_scenario_that_plays_it() {
    let folder = Folder::new();
    for (trace, kind) in [
        ("examples/traces/database.csv.xz", "kind = \"trace\""),
        ("examples/traces/compile-files.parquet", "kind = \"events\""),
    ] {
        let path = root().join(trace);
        let answer =
            folder.petrio(&["init", "--from", path.to_str().unwrap(), "-o", "replay.toml", "--force"]);
        assert_eq!(answer.code, Some(0), "{trace}: {}", answer.talk);
        assert!(folder.text("replay.toml").contains(kind), "{}", folder.text("replay.toml"));
        let answer = folder.petrio(&["run", "replay.toml", "--quiet", "--no-what-if"]);
        assert_eq!(answer.code, Some(0), "{trace}: {}", answer.talk);
    }
}
