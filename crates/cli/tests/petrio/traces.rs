//! `petrio trace`: what it says, what it writes, and what it refuses.

use crate::support::{Folder, REPLAY};
use serde_json::Value;

const STRACE: &str = "\
7 1795223276.000000 execve(\"/bin/cat\", [\"cat\"], 0x7f /* 3 vars */) = 0 <0.000300>
7 1795223276.000400 openat(AT_FDCWD</x>, \"a\", O_RDONLY) = 3</x/a> <0.000020>
7 1795223276.000500 read(3</x/a>, \"text\"..., 4096) = 904 <0.000200>
8 1795223276.500000 mkdir(\"/y/b\", 0777) = 0 <0.000050>
7 1795223277.000000 close(3</x/a>) = 0 <0.000010>
7 1795223277.000100 getpid() = 7 <0.000001>
";

const BLOCKS: &str = "0.5 0 100 8 1\n1.75 0 4096 16 0\n3.25 1 8192 16 1\n";

fn with_traces() -> Folder {
    let folder = Folder::new();
    folder.write("job.strace", STRACE);
    folder.write("disk.trace", BLOCKS);
    folder
}

fn info(folder: &Folder, name: &str) -> Value {
    let answer = folder.petrio(&["trace", "info", name, "--json"]);
    assert_eq!(answer.code, Some(0), "{}", answer.talk);
    serde_json::from_str(&answer.out).unwrap()
}

#[test]
fn info_counts_what_is_in_a_trace_and_what_was_left_out() {
    let folder = with_traces();
    let figures = info(&folder, "job.strace");
    assert_eq!(figures["format"], "strace");
    assert_eq!(figures["events"], 5);
    assert_eq!(figures["kinds"]["read"], 1);
    assert_eq!((&figures["processes"], &figures["bytes_read"]), (&2.into(), &904.into()));
    assert_eq!(figures["remarks"]["lines or records that make no event"], 1);
    let text = folder.petrio(&["trace", "info", "job.strace"]).out;
    assert!(text.contains("recorded at           1795223276.000000000 s since 1970"), "{text}");
    assert_eq!(info(&folder, "disk.trace")["device_bytes_read"], 24 * 512);
}

#[test]
fn calls_on_files_become_captured_requests_compressed_as_the_name_says() {
    let folder = with_traces();
    let answer = folder.petrio(&["trace", "convert", "job.strace", "job.csv.xz", "--to", "requests"]);
    assert_eq!(answer.code, Some(0), "{}", answer.talk);
    assert!(answer.talk.contains("written: job.csv.xz, 1 events as requests"), "{}", answer.talk);
    let figures = info(&folder, "job.csv.xz");
    assert_eq!((&figures["format"], &figures["bytes_read"]), (&"requests".into(), &904.into()));
    // Parquet is compressed inside.
    let answer = folder.petrio(&["trace", "convert", "job.strace", "job.parquet.gz"]);
    assert_eq!(answer.code, Some(2), "{}", answer.talk);
}

#[test]
fn a_device_that_cannot_be_recorded_is_refused_with_what_to_name_instead() {
    let folder = with_traces();
    for (device, out, why) in [
        ("/there/is/none", "t.csv", "/there/is/none: No such file or directory"),
        ("/dev/null", "t.csv", "character device"),
        ("/proc/self/status", "t.csv", "no block device"),
        ("/", "t.trace", "its name doesn't say which format to write"),
        ("/", "disk.trace", "is there already"),
    ] {
        let answer = folder.petrio(&["trace", "capture", "--device", device, "--out", out, "--", "true"]);
        assert_eq!(answer.code, Some(2), "{}", answer.talk);
        assert!(answer.talk.contains(why) && answer.talk.contains("help: "), "{}", answer.talk);
    }
    for option in ["--system", "--full", "--rotate=1d"] {
        let answer = folder.petrio(&["trace", "capture", "--device", "/", option]);
        assert_eq!(answer.code, Some(2), "{}", answer.talk);
    }
    // Whose calls is said by a command or by --system; a time alone doesn't.
    assert_eq!(folder.petrio(&["trace", "capture", "--for", "1s"]).code, Some(2));
}

#[test]
fn a_trace_goes_through_every_format_that_can_hold_it() {
    let folder = with_traces();
    for (from, to) in
        [("job.strace", "job.parquet"), ("job.parquet", "job.csv"), ("job.csv", "again.parquet")]
    {
        let answer = folder.petrio(&["trace", "convert", from, to]);
        assert_eq!(answer.code, Some(0), "{}", answer.talk);
        assert!(answer.talk.contains(&format!("written: {to}, 5 events")), "{}", answer.talk);
    }
    let mut last = info(&folder, "again.parquet");
    assert_eq!(last["kinds"], info(&folder, "job.strace")["kinds"]);
    assert!(last["notes"].take().to_string().contains("made from job.csv (events-csv)"));
    let answer = folder.petrio(&["trace", "convert", "job.parquet", "job.iolog"]);
    assert!(answer.talk.contains("2 events were left out: fio-iolog can't hold them"), "{}", answer.talk);
    for (out, format) in [("d.blkparse", "blkparse"), ("d.oracleGeneral", "oracle-general")] {
        assert_eq!(folder.petrio(&["trace", "convert", "disk.trace", out]).code, Some(0));
        assert_eq!(info(&folder, out)["format"], format);
    }
    // The wall clock of time zero comes along.
    assert_eq!(info(&folder, "job.parquet")["origin_unix_ns"], 1_795_223_276_000_000_000_u64);
}

#[test]
fn a_scenario_replays_petrios_own_file_as_it_replays_the_trace_it_was_made_from() {
    let folder = Folder::with(REPLAY);
    folder.write("load.trace", "0.5 0 100 8 1\n1.75 0 4096 16 0\n3.25 0 8192 16 1\n");
    let own = folder.report(&[]);
    assert_eq!(folder.petrio(&["trace", "convert", "load.trace", "load.parquet"]).code, Some(0));
    let scenario = REPLAY.replace("load.trace", "load.parquet");
    folder.write("scenario.toml", scenario);
    let converted = folder.report(&[]);
    assert_eq!(own.pointer("/all/response_time"), converted.pointer("/all/response_time"));
    assert_eq!(own.pointer("/measured"), converted.pointer("/measured"));
}

#[test]
fn filters_meet_every_condition() {
    let folder = with_traces();
    let kept = |arguments: &[&str]| {
        let mut all = vec!["trace", "filter", "job.strace", "out.parquet", "--force"];
        all.extend(arguments);
        let answer = folder.petrio(&all);
        assert_eq!(answer.code, Some(0), "{}", answer.talk);
        answer.talk.split(" events as").next().unwrap().rsplit(' ').next().unwrap().parse::<u64>().unwrap()
    };
    assert_eq!(kept(&["--path", "/x/*"]), 3);
    assert_eq!(kept(&["--path", "/x/*", "--kind", "open,close"]), 2);
    assert_eq!(kept(&["--process", "8"]), 1);
    assert_eq!(kept(&["--from", "100 ms", "--to", "1 s"]), 1);
    assert_eq!(kept(&["--read"]), 1);
    assert_eq!(kept(&["--read", "--write", "--path", "/nothing"]), 0);
}

#[test]
fn merged_traces_are_aligned_by_the_wall_clock() {
    let folder = with_traces();
    folder.write("other.strace", "9 1795223276.250000 mkdir(\"/z\", 0777) = 0 <0.000010>\n");
    let answer = folder.petrio(&["trace", "merge", "other.strace", "job.strace", "all.csv", "--align"]);
    assert_eq!(answer.code, Some(0), "{}", answer.talk);
    let text = folder.text("all.csv");
    let place = |what: &str| text.find(what).unwrap_or_else(|| panic!("no {what} in {text}"));
    assert!(place("/bin/cat") < place("/z") && place("/z") < place("/y/b"));
    let answer =
        folder.petrio(&["trace", "merge", "disk.trace", "job.strace", "all.csv", "--align", "--force"]);
    assert_eq!(answer.code, Some(2));
    assert!(answer.talk.contains("disk.trace: it doesn't say when it was recorded"), "{}", answer.talk);
}

#[test]
fn samples_keep_whole_files_or_each_nth_event() {
    let folder = with_traces();
    assert_eq!(
        folder.petrio(&["trace", "sample", "disk.trace", "thin.parquet", "--every", "2"]).code,
        Some(0)
    );
    assert_eq!(info(&folder, "thin.parquet")["events"], 2);
    assert_eq!(
        folder.petrio(&["trace", "sample", "job.strace", "all.parquet", "--fraction", "1"]).code,
        Some(0)
    );
    assert_eq!(info(&folder, "all.parquet")["events"], 5);
    let none = folder.petrio(&["trace", "sample", "job.strace", "none.csv", "--fraction", "0"]);
    assert!(none.talk.contains("0 events"), "{}", none.talk);
    assert_eq!(folder.petrio(&["trace", "sample", "job.strace", "x.csv", "--fraction", "2"]).code, Some(2));
}

#[test]
fn what_cannot_be_read_or_named_is_refused_with_what_to_do() {
    let folder = with_traces();
    let refused = |arguments: &[&str], words: &[&str]| {
        let answer = folder.petrio(arguments);
        assert_eq!(answer.code, Some(2), "{}", answer.talk);
        for word in words {
            assert!(answer.talk.contains(word), "{word}: {}", answer.talk);
        }
    };
    refused(&["trace", "info", "none.trace"], &["none.trace", "help: check the path"]);
    folder.write("bad.strace", format!("{STRACE}what is this\n"));
    refused(&["trace", "info", "bad.strace"], &["bad.strace, line 7", "a line of strace"]);
    folder.write("plain.txt", "Dear reader,\n");
    refused(&["trace", "info", "plain.txt"], &["help: `petrio trace formats` lists the formats"]);
    refused(&["trace", "convert", "job.strace", "out.xyz"], &["which format to write", ".parquet"]);
    refused(&["trace", "convert", "job.strace", "out.csv", "--to", "excel"], &["the formats are native"]);
    folder.write("cut.parquet", b"PAR1 cut off");
    refused(&["trace", "info", "cut.parquet"], &["cut.parquet, after row 0: can't be decoded"]);
    let answer = folder.petrio(&["trace", "convert", "job.strace", "no/folder.csv"]);
    assert_eq!(answer.code, Some(1), "{}", answer.talk);
    assert!(!folder.names().iter().any(|name| name.starts_with("out")), "{:?}", folder.names());
}

#[test]
fn a_table_of_ones_own_is_replayed_and_converted_by_its_column_names() {
    let table = "ts;host;rw;lba;size\n1000;a;Read;0;4096\n1010;b;WRITE;800;8192\n";
    let scenario = "[disk.d]\nmodel = \"constant-rate\"\n[workload.w]\nkind = \"trace\"\non = \"d\"\nfiles = [\"own.csv\"]\n\
                    columns = { time = \"ts\", operation = \"rw\", offset = \"lba\", length = \"size\" }\n";
    let units = "units = { time = \"ms\", offset = \"sectors\", length = \"bytes\" }\n";
    let folder = Folder::with(&format!("{scenario}{units}"));
    folder.write("own.csv", table);
    let answer = folder.petrio(&["run", "scenario.toml"]);
    assert_eq!(answer.code, Some(0), "{}", answer.talk);
    assert!(answer.out.contains("2 requests"), "{}", answer.out);
    let columns = "time=ts,operation=rw,offset=lba,length=size";
    let units = "time=ms,offset=sectors,length=bytes";
    let convert =
        ["trace", "convert", "own.csv", "out.csv", "--columns", columns, "--units", units, "--to", "petrio"];
    let answer = folder.petrio(&convert);
    assert_eq!(answer.code, Some(0), "{}", answer.talk);
    assert!(
        folder.text("out.csv").ends_with("0,,0,0,R,0,8\n10000,,0,0,W,800,16\n"),
        "{}",
        folder.text("out.csv")
    );

    folder.write("scenario.toml", scenario);
    for (arguments, words) in [
        (&["check", "scenario.toml"][..], "\"units\" is missing"),
        (&["trace", "info", "own.csv", "--columns", columns], "--units"),
        (&["trace", "info", "own.csv", "--columns", "time", "--units", units], "has no \"=\""),
        (
            &[
                "trace",
                "info",
                "own.csv",
                "--columns",
                "time=tz,operation=rw,offset=lba,length=size",
                "--units",
                units,
            ],
            "did you mean \"ts\"?",
        ),
    ] {
        let answer = folder.petrio(arguments);
        assert_eq!(answer.code, Some(2), "{arguments:?}");
        assert!(answer.talk.contains(words), "{arguments:?}: {}", answer.talk);
    }
}

#[test]
fn formats_are_listed_and_tables_are_read_by_number() {
    let folder = Folder::new();
    let listed = folder.petrio(&["trace", "formats"]);
    assert_eq!(listed.code, Some(0));
    for format in ["tencent", "biosnoop", "thesios", "strace"] {
        assert!(listed.out.lines().any(|line| line.starts_with(format)), "{}", listed.out);
    }
    folder.write("own.csv", "5.5;100;4096;1\n6.5;200;512;0\n7;300;512;\n");
    let columns = "time=1,op=4,lba=2,size=3,read=0,write=1";
    let table =
        ["trace", "info", "own.csv", "--columns", columns, "--units", "time=s,offset=sectors,length=bytes"];
    let told = folder.petrio(&table);
    assert_eq!(told.code, Some(0), "{}", told.talk);
    for words in ["device bytes read     512", "device bytes written  4096", "make no event: 1"] {
        assert!(told.out.contains(words), "{}", told.out);
    }
    // The same in a scenario.
    folder.write(
        "own.toml",
        "[disk.d]\nmodel = \"sata-750gb-7200\"\n[workload.w]\nkind = \"trace\"\non = \"d\"\nfiles = [\"own.csv\"]\n\
         columns = { time = \"1\", op = \"4\", lba = \"2\", size = \"3\", read = \"0\", write = \"1\" }\n\
         units = { time = \"s\", offset = \"sectors\", length = \"bytes\" }\n",
    );
    let run = folder.petrio(&["run", "own.toml", "--no-what-if"]);
    assert!(run.code == Some(0) && run.out.contains("2 requests"), "{}{}", run.out, run.talk);
}
