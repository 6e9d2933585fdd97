//! `petrio calibrate --from`: a drive made of what fio or iozone measured of it. What is measured here is a drive of the catalogue, so
//! that it is known what has to come out.

use crate::support::{Folder, figure, unwrapped};
use serde_json::{Value, json};

/// What a sheet has: name, what, bytes, in flight.
const JOBS: [(&str, &str, &str, u32); 7] = [
    ("one", "randread", "4k", 1),
    ("many", "randread", "4k", 32),
    ("one-write", "randwrite", "4k", 1),
    ("many-writes", "randwrite", "4k", 32),
    ("stream", "read", "128k", 32),
    ("stream-write", "write", "128k", 32),
    ("between", "randread", "4k", 8),
];

fn job_file() -> String {
    let mut text =
        "[global]\nioengine=libaio\ndirect=1\nfilename=/dev/sdb\nsize=1g\nnumber_ios=4000\n".to_owned();
    for (name, what, size, depth) in JOBS {
        text.push_str(&format!("[{name}]\nstonewall\nrw={what}\nbs={size}\niodepth={depth}\n"));
    }
    text
}

/// What fio would have printed of a report.
fn fio(report: &Value) -> String {
    let job = |(name, what, size, depth): (&str, &str, &str, u32)| {
        let mut rows = report["workloads"].as_array().unwrap().iter();
        let row = rows.find(|row| row["workload"] == name).unwrap_or_else(|| panic!("{name} in {report:#}"));
        let kind = if what.ends_with("read") { "read" } else { "write" };
        json!({
            "jobname": name, "error": 0,
            "job options": { "rw": what, "bs": size, "iodepth": depth.to_string() },
            kind: {
                "io_bytes": row["bytes"], "total_ios": row["completed"],
                "bw_bytes": figure(row, "/throughput_bytes_per_s/value"), "iops": figure(row, "/per_s/value"),
                "lat_ns": { "mean": figure(row, "/latency/mean_ms/value") * 1e6 } },
        })
    };
    let global = json!({ "ioengine": "libaio", "direct": "1" });
    let jobs: Vec<Value> = JOBS.map(job).into();
    format!("{:#}\n", json!({ "fio version": "fio-3.33", "global options": global, "jobs": jobs }))
}

#[test]
fn a_drive_of_the_catalogue_is_found_again_from_what_fio_would_measure_of_it() {
    let folder = Folder::new();
    folder.write("job.fio", job_file());
    let made = folder.petrio(&[
        "init",
        "--from",
        "job.fio",
        "--drive",
        "samsung-850-pro-512gb",
        "-o",
        "scenario.toml",
    ]);
    assert_eq!(made.code, Some(0), "{}", made.talk);
    folder.write("fio.json", fio(&folder.report(&[])));
    let found = folder.petrio(&[
        "calibrate",
        "--from",
        "fio.json",
        "--size",
        "512 GB",
        "--out",
        "found.toml",
        "--json",
    ]);
    assert_eq!(found.code, Some(0), "{}", found.talk);
    assert!(found.talk.contains("disk.d.file = \"found.toml\""), "{}", found.talk);
    let told: Value = serde_json::from_str(&found.out).unwrap();
    assert_eq!((&told["device"]["kind"], &told["warnings"]), (&json!("ssd"), &json!([])));
    // Its sheet: 100 us for a read, 100,000 of them at 32, 550 and 520 MB/s.
    assert!((figure(&told, "/device/random_read/iops") / 100e3 - 1.0).abs() < 0.05, "{told:#}");
    assert_eq!(told["device"]["interface"], "SATA 6 Gbit/s");
    // Held against what was measured it does the same, between the points that it was made of, too.
    let scenario =
        folder.text("scenario.toml").replace("model = \"samsung-850-pro-512gb\"", "file = \"found.toml\"");
    folder.write("found-scenario.toml", scenario);
    let compared = folder.petrio(&[
        "compare",
        "found-scenario.toml",
        "measured:fio.json",
        "-q",
        "--json",
        "c.json",
        "--replications",
        "2",
    ]);
    assert_eq!(compared.code, Some(0), "{}", compared.talk);
    let rows = folder.json("c.json")["rows"].as_array().unwrap().clone();
    assert_eq!(rows.len(), JOBS.len() * 3);
    for row in rows {
        let ratio = figure(&row, "/predicted/0/ratio/value");
        assert!((ratio - 1.0).abs() < 0.1, "{row}");
    }
}

#[test]
fn direct_reads_of_iozones_make_a_device_of_constant_rate() {
    let folder = Folder::new();
    // 100 us and 100 MB/s: 4 KiB take 140.96 us, 1 MiB 10.58576 ms.
    let rate = |record: f64| record / 1024.0 / (100e-6 + record / 100e6);
    let (small, large) = (rate(4096.0), rate(1_048_576.0));
    let text = format!(
        "\tCommand line used: iozone -I -a -s 1m -i 0 -i 1\n\tOutput is in kBytes/sec\n\
         \x20             kB  reclen    write  rewrite    read    reread\n\
         {:16}{:8}{small:9.0}{small:9.0}{small:9.0}{small:9.0}\n\
         {:16}{:8}{large:9.0}{large:9.0}{large:9.0}{large:9.0}\niozone test complete.\n",
        1024, 4, 1024, 1024
    );
    folder.write("direct.txt", &text);
    let arguments = ["calibrate", "--from", "direct.txt", "--size", "1 TB", "--out", "d.toml"];
    let found = folder.petrio(&arguments);
    assert_eq!(found.code, Some(0), "{}", found.talk);
    assert!(found.talk.contains("of a solid-state drive weren't measured"), "{}", found.talk);
    folder.write(
        "scenario.toml",
        "[disk.d]\nfile = \"d.toml\"\n[workload.w]\nkind = \"synthetic\"\non = \"d\"\nrequests = 100\n[[workload.w.generators]]\n\
         read_fraction = 1.0\ntime_critical_fraction = 1.0\ninter_arrival = \"0 s\"\nsize = \"64 KiB\"\n",
    );
    let mean = figure(&folder.report(&[]), "/latency/mean_ms/value");
    assert!((mean / (0.1 + 65_536.0 / 100e3) - 1.0).abs() < 0.01, "{mean}");
    // What is there isn't replaced, and what was measured through the page cache tells of no device.
    assert_eq!(folder.petrio(&arguments).code, Some(2));
    folder.write("cached.txt", text.replace(" -I", ""));
    let refused = folder.petrio(&["calibrate", "--from", "cached.txt", "--size", "1 TB"]);
    assert_eq!(refused.code, Some(2), "{}", refused.out);
    assert!(
        unwrapped(&refused.talk).contains("page cache") && refused.talk.contains("direct=1"),
        "{}",
        refused.talk
    );
    for (arguments, words) in [
        (&["--from", "direct.txt"][..], "--size"),
        (&["--from", "nowhere.txt", "--size", "1 TB"], "nowhere.txt can't be read"),
        (&["--from", "direct.txt", "--size", "1 TB", "--interface", "string"], "no interface that is known"),
        (
            &["--from", "direct.txt", "--size", "1 TB", "--out", "direct.txt", "--force"],
            "would overwrite direct.txt",
        ),
    ] {
        let answer = folder.petrio(&[&["calibrate"], arguments].concat());
        assert_eq!(answer.code, Some(2), "{arguments:?}: {}", answer.out);
        assert!(unwrapped(&answer.talk).contains(words), "{arguments:?}: {}", answer.talk);
    }
    assert_eq!(folder.text("direct.txt"), text);
}
