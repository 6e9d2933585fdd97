//! Command lines and scripts as people have them, and what they call.
#![allow(clippy::unwrap_used)]

use super::*;
use crate::fio::{FioFile, FioWork, Nothing};

/// Each job with what tells it apart: its name, its smallest access, and whom it waits for.
fn jobs(text: &str) -> Vec<(String, u64, Vec<usize>)> {
    let file = FioFile::read(text, &Nothing).unwrap_or_else(|error| panic!("{error} in\n{text}"));
    file.jobs.into_iter().map(|job| (job.name, job.work.accesses().unwrap().bounds().0, job.after)).collect()
}

fn names(text: &str) -> Vec<String> {
    jobs(text).into_iter().map(|job| job.0).collect()
}

#[test]
fn a_command_line_is_its_jobs() {
    let text = "#!/bin/sh\nDEV=/dev/sdb\n# warm up\nsudo fio --filename=$DEV --direct=1 --ioengine=libaio \\\n  --name=a --rw=randread \
                --iodepth=8 --name b --rw write --bs 1m > out.txt 2>&1\nfio --name=c --rw=read --size='64m' | tee x\n";
    assert!(is_command_line(text));
    let file = FioFile::read(text, &Nothing).expect("it can be read");
    let names: Vec<&str> = file.jobs.iter().map(|job| job.name.as_str()).collect();
    assert_eq!(names, ["a", "b", "c"]);
    assert_eq!(file.jobs[2].after, [0, 1], "a command begins when the one before is over");
    assert!(matches!(&file.jobs[1].work, FioWork::Device { devices, .. } if devices == &["/dev/sdb"]));
    assert_eq!(file.jobs[0].work.accesses().unwrap().in_flight, 8);
    assert_eq!(file.jobs[1].work.accesses().unwrap().bounds().0, 1 << 20);
}

#[test]
fn what_calls_no_fio_is_no_command_line() {
    for text in [
        "fio is a tool",
        "[disk.d]\nmodel = \"fio\"",
        "echo fio",
        "",
        "ior --fio",
        "yum install fio sysbench -y",
        "echo fio --name=a --size=1m",
        "man fio --name",
    ] {
        assert!(!is_command_line(text), "{text}");
    }
}

#[test]
fn loops_call_it_as_often_as_they_go_round() {
    let text = "for rw in read randread; do\nfor bs in 4k 64k # 1m\ndo\n fio --name ${rw}_$bs --rw=$rw --bs=${bs} --size=1m \
                --output=$rw.json --output-format=json\ndone\ndone";
    let expected = [("read_4k", 4096), ("read_64k", 65_536), ("randread_4k", 4096), ("randread_64k", 65_536)];
    let found = jobs(text);
    assert_eq!(found.iter().map(|job| (job.0.as_str(), job.1)).collect::<Vec<_>>(), expected);
    assert_eq!(found[3].2, [2], "each behind the one before");
    for (header, count) in [
        ("for i in {1..3}", 3),
        ("for ((i=1; i<=8; i+=1))", 4),
        ("for i in $(seq 1 2 5)", 3),
        ("L=\"1 2\"; for i in $L", 2),
        ("A=(1 2 3); for i in \"${A[@]}\"", 3),
        ("i=3; while [ $i -le 4 ]", 2),
    ] {
        let text = format!("{header}; do fio --name=run$i --size=$((i*2))m --bs=4k; i=$((i+1)); done");
        assert_eq!(jobs(&text).len(), count, "{text}");
    }
}

#[test]
fn functions_conditions_and_arrays_are_followed() {
    let text = "run() {\n local name=$1 extra=${3:-}\n sudo fio --name=\"$name\" --bs=$2 --size=1m \\\n $extra\n}\n\
                run one 4k\nrun two 8k \"--direct=1 --iodepth=4\"\n\
                fast=0\nif [ $fast -eq 1 ]; then run never 4k; else run three 16k; fi\n\
                OPTS=(--size=1m --bs=32k)\nFIO=/usr/bin/fio\n$FIO \"${OPTS[@]}\" --name=four\n\
                case x in y) run never 4k ;; x) run five 64k ;; esac\n[ -z \"$UNSET\" ] && run six 4k";
    let found = jobs(text);
    let told: Vec<(&str, u64)> = found.iter().map(|job| (job.0.as_str(), job.1)).collect();
    let k = 1024;
    let expected = [
        ("one", 4 * k),
        ("two", 8 * k),
        ("three", 16 * k),
        ("four", 32 * k),
        ("five", 64 * k),
        ("six", 4 * k),
    ];
    assert_eq!(told, expected);
    // One that nobody calls is called as if somebody did; its arguments are missed where they matter.
    assert_eq!(names("f() { fio --name=alone --filename=$1 --size=1m; }"), ["alone"]);
    let missing = FioFile::read("fio --name=a --size=1m --bs=$2", &Nothing).unwrap_err();
    assert!(missing.problem.contains("argument 2"), "{missing}");
}

#[test]
fn job_files_that_the_script_writes_are_read() {
    let text = "cat > job.conf <<EOF\n[global]\nsize=1m\n[a]\nbs=$BS\n[b]\nbs=8k\nEOF\n";
    let text = format!("BS=16k\n{text}for qd in 1 2; do fio --iodepth=$qd --ioengine=libaio job.conf; done");
    let found = jobs(&text);
    assert_eq!(found.iter().map(|job| job.1).collect::<Vec<_>>(), [16_384, 8192, 16_384, 8192]);
    assert_eq!(found[3].2, [0, 1]);
    assert_eq!(names("fio - <<'X'\n[z]\nsize=1m\nX\n"), ["z"]);
    assert_eq!(names("echo \"[global]\nsize=1m\n[t]\nbs=4k\" > t.fio\nfio t.fio"), ["t"]);
}

#[test]
fn commands_within_commands_are_found() {
    for text in [
        "ssh root@host \"fio --name=x --size=1m\"",
        "out=$(timeout 35 fio --name=x --size=1m 2> /dev/null | grep x)",
        "log_must eval \"fio --name=x \\\n --size=1m\"",
        "docker run --rm -v /a:/b --entrypoint fio some/image --name=x --size=1m",
        "docker run some/fio:3.1 --name=x --size=1m",
        "[root@host ~]# sync;fio --name=x --size=1m\nx: (g=0): rw=read\nJobs: 1 (f=1): [w(1)]",
        "# fio --name=x --size=1m\nThat's all.",
        ">> fio --name=x \\\n>>    --size=1m\n",
        "As follows: fio -name=x\n-size=1m -direct=1\n\nDone.",
        "command:\n    - fio\n    - --name=x\n    - --size=1m\n    volumes: 1",
        "subprocess.run([\"fio\", \"--name=x\",\n  \"--size=1m\"])",
        "Don't do `fio --name=x --size=1m` at home",
        ".\\fio.exe --name=x --size=1m",
        "fio --name=x \\   # its name\n  --size=1m \\  \n --bs=4k",
    ] {
        assert_eq!(names(text), ["x"], "{text}");
    }
}

#[test]
fn what_runs_in_the_background_runs_beside_the_next() {
    let after = |text: &str| jobs(text).into_iter().map(|job| job.2).collect::<Vec<_>>();
    let one = |name: &str| format!("fio --name={name} --size=1m");
    let (a, b, c) = (one("a"), one("b"), one("c"));
    assert_eq!(after(&format!("{a} &\n{b}\n{c}")), [vec![], vec![], vec![0, 1]]);
    assert_eq!(after(&format!("{a} &\nwait\n{b}")), [vec![], vec![0]]);
    assert_eq!(after(&format!("for i in 1 2; do {a} & done; wait; {b}")), [vec![], vec![], vec![0, 1]]);
}

#[test]
fn options_before_the_name_and_a_job_called_global_are_for_all() {
    let file =
        FioFile::read("fio --name=global --bs=8k --name=a --size=1m --name=b --size=2m", &Nothing).unwrap();
    assert_eq!(
        file.jobs.iter().map(|job| job.work.accesses().unwrap().bounds().0).collect::<Vec<_>>(),
        [8192, 8192]
    );
    let placeholder = FioFile::read("fio --filename=<device name> --rw=randread --name=a", &Nothing).unwrap();
    assert!(matches!(&placeholder.jobs[0].work, FioWork::Device { .. }));
    assert_eq!(names("fio -name a -size 1m -minimal -thread"), ["a"]);
}

#[test]
fn a_script_without_end_is_cut() {
    let text = "f() { fio --name=a --size=1m; f; }\nf\n";
    let file = FioFile::read(text, &Nothing).unwrap();
    assert!(file.remarks.iter().any(|remark| remark.text.contains("longer than is followed")));
    let text = "i=0; while [ $i -lt 1000000 ]; do i=$((i+1)); done; fio --name=b --size=1m";
    assert!(FioFile::read(text, &Nothing).is_ok());
}

#[test]
fn what_would_grow_without_end_does_not() {
    let deep = |open: &str, close: &str| {
        format!("fio --name=a --size={}1m{}", open.repeat(20_000), close.repeat(20_000))
    };
    let texts = [
        deep("${a:-", "}"),
        deep("$((", "))"),
        deep("$(", ")"),
        format!("fio --name=a --size=$(({}1))", "- ".repeat(100_000)),
        format!("[ {} x ] && fio --name=a --size=1m", "! ".repeat(100_000)),
        format!("{} fio --name=a --size=1m", "if x; then ".repeat(20_000)),
        format!("a=x; while true; do {} done; fio --name=a --size=1m", "a=$a$a$a$a; ".repeat(1000)),
        format!("A=(x); {} fio --name=a --size=1m", "A+=(\"${A[@]}\" \"${A[@]}\"); ".repeat(200)),
        format!(
            "for i in {{1..4000}}; do for j in {{1..4000}}; do echo {}; done; done; fio --name=a",
            "x".repeat(5000)
        ),
        format!("fio --name={{a,b}}{} --size=1m", "{a,b}".repeat(200)),
        format!("x={}; fio --name=${{x%%a*b*c*d*e}} --size=1m", "a".repeat(200_000)),
        "\"fio\",\n".repeat(20_000),
        "fio -\n".repeat(20_000),
        format!("`{}", "fio --name=a '".repeat(2000)),
        "f() { f; f; fio --name=a --size=1m; }; f".to_owned(),
    ];
    for text in texts {
        // Whatever it comes to, it comes to it soon.
        let _ = FioFile::read(&text, &Nothing);
    }
}

#[test]
fn each_call_counts_its_jobs_anew_as_its_random_numbers_do() {
    let numbers = |text: &str| -> Vec<u32> {
        let file = FioFile::read(text, &Nothing).unwrap();
        file.jobs.iter().map(|job| job.work.accesses().unwrap().job_number).collect()
    };
    let call = "fio --name=a --size=1m --numjobs=3 --name=b --size=1m\n";
    assert_eq!(numbers(call), [1, 4]);
    assert_eq!(numbers(&format!("{call}{call}")), [1, 4, 1, 4]);
    assert_eq!(numbers("[global]\nsize=1m\n[a]\nnumjobs=2\n[b]\nstonewall\n"), [1, 3]);
}
