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

#[test]
fn jobs_run_without_a_scenario_between() {
    let folder = Folder::new();
    folder.write("job.fio", "[reader]\nrw=randread\nfilename=/dev/sdb\nsize=64g\nnumber_ios=50\n");
    let line = "fio --name=reader --rw=randread --filename=/dev/sdb --size=64g --number_ios=50";
    let drive = ["--drive", "seagate-exos-x16-16tb", "--no-what-if"];
    let run = |what: &str, more: &[&str]| folder.petrio(&[&["run", what], more].concat());
    let [of_file, of_line] = ["job.fio", line].map(|what| run(what, &drive));
    assert_eq!((of_file.code, of_line.code), (Some(0), Some(0)), "{} {}", of_file.talk, of_line.talk);
    let figures = |out: &str| out.lines().skip(2).map(str::to_owned).collect::<Vec<_>>();
    assert!(of_file.out.contains("Exos X16"), "{}", of_file.out);
    assert_eq!(figures(&of_file.out), figures(&of_line.out));
    // As the scenario that is made of it, which can be changed by settings alike.
    assert_eq!(
        folder.petrio(&["init", "--from", "job.fio", "--drive", "seagate-exos-x16-16tb"]).code,
        Some(0)
    );
    assert_eq!(figures(&run("job.toml", &["--no-what-if"]).out), figures(&of_file.out));
    let slower =
        run("job.fio", &[&drive[..], &["--set", "disk.sdb.drive.mechanics.minimum_seek=9ms"]].concat());
    assert_ne!(figures(&slower.out), figures(&of_file.out), "{}", slower.talk);
    // A line makes no file with slashes in its name.
    assert!(folder.petrio(&["init", "--from", line]).talk.ends_with("written: jobs.toml\n"));
    // A scenario says its own drive.
    let refused = run("job.toml", &drive);
    assert_eq!(refused.code, Some(2));
    assert!(refused.talk.contains("--set disk.d.model=NAME"), "{}", refused.talk);
    let unknown = run("job.fio", &["--drive", "quantum-bigfoot"]);
    assert!(unknown.code == Some(2) && unknown.talk.contains("--drive"), "{}", unknown.talk);
}

#[test]
fn jobs_that_reach_far_are_made_for_a_drive_that_does() {
    let folder = Folder::new();
    folder.write("far.fio", "[a]\nrw=randread\nfilename=/dev/sdb\noffset=2t\nsize=1g\n");
    let made = folder.petrio(&["init", "--from", "far.fio"]);
    assert!(made.code == Some(0) && made.talk.contains("24tb"), "{}", made.talk);
    assert!(folder.text("far.toml").contains("exos-x24"));
    // Who has chosen a drive is told.
    let chosen = folder.petrio(&["init", "--from", "far.fio", "--drive", "sata-750gb-7200", "--force"]);
    assert!(chosen.code == Some(2) && chosen.talk.contains("reaches to byte"), "{}", chosen.talk);
}

#[test]
fn what_iostat_observed_becomes_a_load_of_the_same_rates() {
    let folder = Folder::new();
    let columns = "Device  r/s  rkB/s  r_await  w/s  wkB/s  w_await  aqu-sz  %util";
    let since_start = format!("{columns}\nsda 900 9000 5.1 1 12 2 9 99\n\n");
    let now = format!("{columns}\nsda 40 640 9 10 120 2 0.4 41\nnvme0n1 500 8000 0.1 0 0 0 0.05 3\n");
    folder.write("io.txt", format!("{since_start}{now}"));
    let made = folder.petrio(&["init", "--from", "io.txt"]);
    assert!(made.code == Some(0) && made.talk.contains("where requests lie isn't told"), "{}", made.talk);
    let text = folder.text("io.toml");
    for words in
        ["7.60 ms a request", "41 % busy", "size = \"16384 B\"", "size = \"12288 B\"", "intel-dc-p4510"]
    {
        assert!(text.contains(words), "{words} in {text}");
    }
    folder.petrio(&["run", "io.toml", "--no-what-if", "--json", "io.json", "-q"]);
    let report: serde_json::Value = serde_json::from_str(&folder.text("io.json")).unwrap();
    let rate = |name: &str| {
        let workloads = report["workloads"].as_array().unwrap();
        workloads.iter().find(|one| one["workload"] == name).unwrap()["per_s"]["value"].as_f64().unwrap()
    };
    assert!((rate("sda") / 50.0 - 1.0).abs() < 0.1 && (rate("nvme0n1") / 500.0 - 1.0).abs() < 0.1);
    // The same at once; and a table that was cut off.
    assert_eq!(folder.petrio(&["run", "io.txt", "--no-what-if", "-q"]).code, Some(0));
    folder.write("cut.txt", &now[..now.len() - 8]);
    let cut = folder.petrio(&["init", "--from", "cut.txt"]);
    assert!(cut.code == Some(2) && cut.talk.contains("line 3: it has"), "{}", cut.talk);
}

#[test]
fn what_darshan_counted_becomes_a_program_that_is_counted_alike() {
    let folder = Folder::new();
    for seed in ["darshan-counters", "darshan-counters-bzip2", "darshan-parser"] {
        let log = root().join("fuzz/seeds").join(seed);
        let log = log.to_str().unwrap();
        let file = format!("{seed}.toml");
        let answer = folder.petrio(&["init", "--from", log, "-o", &file]);
        assert_eq!(answer.code, Some(0), "{seed}: {}", answer.talk);
        assert!(answer.talk.contains("Darshan counted and traced nothing"), "{}", answer.talk);
        assert!(folder.text(&file).contains("ranks = 4\n"));
        let answer = folder.petrio(&["run", &file, "--no-what-if", "--json", "-"]);
        assert_eq!(answer.code, Some(0), "{seed}: {}", answer.talk);
        let report: serde_json::Value = serde_json::from_str(&answer.out).unwrap();
        let phases = report["jobs"][0]["phases"].as_array().unwrap().clone();
        let bytes = |name: &str| {
            phases.iter().find(|phase| phase["name"] == name).map(|phase| phase["bytes"].as_u64())
        };
        assert_eq!((bytes("write"), bytes("read")), (Some(Some(1 << 28)), Some(Some(5000))), "{phases:?}");
    }
    // As a scenario it is told what it is.
    let log = root().join("fuzz/seeds/darshan-counters");
    let answer = folder.petrio(&["run", log.to_str().unwrap()]);
    assert_eq!(answer.code, Some(2), "{}", answer.talk);
    assert!(unwrapped(&answer.talk).contains("what Darshan recorded of a job"), "{}", answer.talk);
}

#[test]
fn job_scripts_and_settings_of_io500_become_programs_one_after_the_other() {
    let folder = Folder::new();
    folder.write(
        "job.sh",
        "#!/bin/bash\n#SBATCH --ntasks=2\nBLOCK=4MiB\nsrun ./IOR -w -k -b $BLOCK -t 1m -F   # fast\n\
         time mpirun -np 2 mdtest -n 5 -F -u > out 2>&1\nmpirun -np 2 ./io500 small.ini\n",
    );
    folder.write(
        "small.ini",
        "[debug]\nstonewall-time = 1\n[ior-easy]\nblockSize = 2m\n[ior-hard]\nsegmentCount = 3\n[mdtest-easy]\nn = 4\n[mdtest-hard]\nn = 4\n\
         [find]\nrun = FALSE\n",
    );
    let answer = folder.petrio(&["init", "--from", "job.sh", "-o", "job.toml"]);
    assert_eq!(answer.code, Some(0), "{}", answer.talk);
    let text = folder.text("job.toml");
    for line in [
        "[workload.ior-1]",
        "command = \"ior -w -k -b 4MiB -t 1m -F\"",
        "after = [\"mdtest-2\"]",
        "[workload.io500-3]",
    ] {
        assert!(text.contains(line), "{line}: {text}");
    }
    let answer = folder.petrio(&["run", "job.toml", "--no-what-if"]);
    assert_eq!(answer.code, Some(0), "{}", answer.talk);
    assert!(answer.out.contains("ior-hard-write") && !answer.out.contains("find "), "{}", answer.out);
    // IO500's settings and a command line are played as they are.
    let answer = folder.petrio(&["run", "small.ini", "--no-what-if"]);
    assert_eq!(answer.code, Some(0), "{}", answer.talk);
    assert!(unwrapped(&answer.talk).contains("how many ranks"), "{}", answer.talk);
    let answer = folder.petrio(&["run", "mpirun -np 2 ior -w -b 4m", "--no-what-if"]);
    assert_eq!(answer.code, Some(0), "{}", answer.talk);
    folder.write("bad.ini", "[ior-easy]\nblockSize = 2m\n[ior-hrad]\nsegmentCount = 3\n");
    let answer = folder.petrio(&["init", "--from", "bad.ini", "-o", "-"]);
    assert_eq!(answer.code, Some(2), "{}", answer.talk);
    assert!(unwrapped(&answer.talk).contains("line 3"), "{}", answer.talk);
}
