//! Captured commands: what they did to files is told exactly.

#![allow(clippy::unwrap_used)]

use crate::{one_capture_at_a_time, possible};
use petrio_capture::file_trace::{CaptureParameters, CaptureSummary, Subject, capture};
use petrio_live::rig::{Availability, Facilities};
use petrio_trace::event::{Event, EventKind, Totals};
use petrio_trace::native::NativeReader;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::Path;
use std::process::Command;
use std::time::Duration;

fn can(test: &str) -> bool {
    let facilities = Facilities::probe();
    let calls = match Path::new("/sys/kernel/tracing/events/syscalls/sys_enter_read").is_dir() {
        true => Availability::There,
        false => Availability::Missing("this kernel has no events of system calls".to_owned()),
    };
    possible(test, &[&facilities.root, &facilities.tracing, &calls])
}

fn parameters(folder: &Path, subject: Subject, full: bool) -> CaptureParameters {
    CaptureParameters {
        subject,
        with_background: false,
        out: folder.join("trace.parquet"),
        full,
        rotation: None,
        names: vec![folder.to_owned()],
        buffer_kib: 4_096,
    }
}

fn shell(script: &str) -> Subject {
    Subject::Command(["sh", "-c", script].map(Into::into).to_vec())
}

fn run(parameters: &CaptureParameters) -> (CaptureSummary, Vec<Event>) {
    let summary = capture(parameters).unwrap();
    let events = NativeReader::open(&parameters.out).unwrap().collect::<Result<_, _>>().unwrap();
    (summary, events)
}

/// A folder on the build's file system (the one for temporary files may have no page cache's events) with a file of
/// 100,000 bytes in it that isn't in the cache.
fn place() -> tempfile::TempDir {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let mut file = File::create(folder.path().join("b")).unwrap();
    let mut bytes = [7; 100_000];
    bytes[19] = b'\n';
    file.write_all(&bytes).unwrap();
    file.sync_all().unwrap();
    rustix::fs::fadvise(&file, 0, None, rustix::fs::Advice::DontNeed).unwrap();
    folder
}

fn script(folder: &Path) -> String {
    format!(
        "cd {}\n\
         dd if=b of=/dev/null bs=50000 2>&-\n\
         dd if=b of=/dev/null bs=50000 2>&-\n\
         dd if=/dev/zero of=c bs=10000 count=3 2>&-\n\
         (read line; cat > /dev/null) < b\n\
         dd if=b of=d bs=65536 2>&-\n\
         rm c",
        folder.display()
    )
}

fn of_path<'a>(events: &'a [Event], name: &str) -> Vec<&'a Event> {
    let is_it = |event: &&Event| event.path.as_ref().is_some_and(|path| path.ends_with(name));
    let key = events.iter().find(is_it).unwrap_or_else(|| panic!("nothing of {name}")).file;
    events.iter().filter(|event| event.file == key && !event.kind.is_of_device()).collect()
}

#[test]
fn a_first_read_misses_a_second_hits_and_the_close_has_the_totals() {
    if !can("a_first_read_misses_a_second_hits_and_the_close_has_the_totals") {
        return;
    }
    let _turn = one_capture_at_a_time();
    let folder = place();
    let (summary, events) = run(&parameters(folder.path(), shell(&script(folder.path())), true));
    assert_eq!(summary.lost, 0);
    let of_b = of_path(&events, "/b");
    let reads: Vec<_> = of_b
        .iter()
        .filter(|event| event.kind == EventKind::Read)
        .map(|event| (event.offset, event.length))
        .collect();
    let pass = [(Some(0), 50_000), (Some(50_000), 50_000), (Some(100_000), 0)];
    assert_eq!(reads[..3], pass);
    assert_eq!(reads[3..6], pass);
    let closes: Vec<_> = of_b.iter().filter(|event| event.kind == EventKind::Close).collect();
    let totals = Some(Totals { bytes_read: 100_000, reads: 3, ..Totals::default() });
    assert_eq!((closes[0].totals, closes[0].hit), (totals, Some(false)));
    assert_eq!((closes[1].totals, closes[1].hit), (totals, Some(true)));
    // Shell (a byte at a time up to the end of the line) and cat share the position: together they read the file once.
    let shared = closes[2].totals.unwrap();
    assert_eq!(shared.bytes_read, 100_000);
    assert!(shared.reads > 20, "{shared:?}");
    let first = of_b.iter().find(|event| event.kind == EventKind::Read).unwrap();
    assert_eq!(first.hit, Some(false));
    assert_eq!(first.extents.iter().map(|extent| extent.blocks).sum::<u32>(), 50_176_u32.div_ceil(512));
    // What the first read missed came from the device, in requests for this file.
    let completed: u64 = events
        .iter()
        .filter(|event| event.kind == EventKind::Complete && event.file == first.file)
        .map(|event| event.length)
        .sum();
    assert!((100_000..=200_000).contains(&completed), "{completed}");
}

#[test]
fn a_written_file_has_its_writes_and_its_end() {
    if !can("a_written_file_has_its_writes_and_its_end") {
        return;
    }
    let _turn = one_capture_at_a_time();
    let folder = place();
    let (_, events) = run(&parameters(folder.path(), shell(&script(folder.path())), false));
    // Deleted, so only the writes' own inode tells which file it was.
    let unlink = events.iter().find(|event| event.kind == EventKind::Unlink).unwrap();
    assert_eq!(unlink.size, Some(30_000));
    let of_c: Vec<&Event> =
        events.iter().filter(|event| event.file == unlink.file && !event.kind.is_of_device()).collect();
    let kinds: Vec<_> = of_c.iter().map(|event| event.kind).collect();
    let expected = [
        EventKind::Create,
        EventKind::Write,
        EventKind::Write,
        EventKind::Write,
        EventKind::Close,
        EventKind::Unlink,
    ];
    assert_eq!(kinds, expected);
    let writes: Vec<_> = of_c[1..4].iter().map(|event| (event.offset, event.length)).collect();
    assert_eq!(writes, [(Some(0), 10_000), (Some(10_000), 10_000), (Some(20_000), 10_000)]);
    assert_eq!(of_c[4].totals.unwrap().bytes_written, 30_000);
    // Compact: no read that the cache answered.
    let hits = events.iter().filter(|event| event.kind == EventKind::Read && event.hit == Some(true)).count();
    assert_eq!(hits, 0);
}

/// Reads, bytes read, writes, bytes written.
type Moved = BTreeMap<String, [u64; 4]>;

fn moved(of: &mut Moved, path: &str, is_read: bool, bytes: u64) {
    let entry = of.entry(path.to_owned()).or_default();
    let at = if is_read { 0 } else { 2 };
    entry[at] += 1;
    entry[at + 1] += bytes;
}

/// `1234 12:00 read(0</a/b>, "..."..., 50000) = 50000 <0.1>`
fn parse_strace(text: &str, folder: &str) -> Moved {
    let mut found = Moved::new();
    for line in text.lines() {
        for (name, is_read) in [("read(", true), ("write(", false)] {
            let Some((_, rest)) = line.split_once(&format!(" {name}")) else { continue };
            let Some((path, rest)) = rest.split_once('<').and_then(|(_, rest)| rest.split_once('>')) else {
                continue;
            };
            let Some((_, result)) = rest.rsplit_once(" = ") else { continue };
            let bytes = result.split(' ').next().and_then(|bytes| bytes.parse().ok());
            if let Some(bytes) = bytes.filter(|_| path.starts_with(folder)) {
                moved(&mut found, path.trim_end_matches(" (deleted)"), is_read, bytes);
            }
        }
    }
    found
}

#[test]
fn strace_counts_the_same_reads_writes_and_bytes_of_each_file() {
    let name = "strace_counts_the_same_reads_writes_and_bytes_of_each_file";
    let strace = match Command::new("strace").arg("-V").output() {
        Ok(_) => Availability::There,
        Err(_) => Availability::Missing("strace isn't installed".to_owned()),
    };
    if !can(name) || !possible(name, &[&strace]) {
        return;
    }
    let _turn = one_capture_at_a_time();
    let folder = place();
    let script = script(folder.path()).replace("rm c", "true");
    let (_, events) = run(&parameters(folder.path(), shell(&script), true));
    let own = folder.path().to_string_lossy().into_owned();
    let mut ours = Moved::new();
    let paths: BTreeMap<_, _> =
        events.iter().filter_map(|event| Some((event.file, event.path.clone()?))).collect();
    for event in &events {
        let is_read = event.kind == EventKind::Read;
        if (is_read || event.kind == EventKind::Write)
            && let Some(path) = paths.get(&event.file).filter(|path| path.starts_with(&own))
        {
            moved(&mut ours, path, is_read, event.length);
        }
    }
    fs::remove_file(folder.path().join("c")).unwrap();
    fs::remove_file(folder.path().join("d")).unwrap();
    let log = folder.path().join("strace.log");
    let status = Command::new("strace")
        .args(["-f", "-ttt", "-T", "-y", "-e", "trace=read,write", "-o"])
        .arg(&log)
        .args(["sh", "-c", &script])
        .status()
        .unwrap();
    assert!(status.success());
    let mut text = String::new();
    File::open(&log).unwrap().read_to_string(&mut text).unwrap();
    let theirs = parse_strace(&text, &own);
    assert!(theirs.len() >= 2, "{theirs:?}");
    assert_eq!(ours, theirs);
}

#[test]
fn the_whole_system_is_captured_for_a_time() {
    if !can("the_whole_system_is_captured_for_a_time") {
        return;
    }
    let _turn = one_capture_at_a_time();
    let folder = place();
    let subject = Subject::System(Some(Duration::from_millis(1_500)));
    let parameters = parameters(folder.path(), subject, false);
    let path = folder.path().join("e");
    // One that was there before; what this process itself does is left out.
    let script = format!("sleep 0.7; echo hello > {}", path.display());
    let mut writer = Command::new("sh").args(["-c", &script]).spawn().unwrap();
    let (summary, events) = run(&parameters);
    assert!(writer.wait().unwrap().success());
    assert!(summary.counts.calls > 0);
    let of_e = of_path(&events, "/e");
    let write = of_e.iter().find(|event| event.kind == EventKind::Write).unwrap();
    assert_eq!((write.offset, write.length), (Some(0), 6));
}

#[test]
fn a_short_lived_file_a_rename_and_a_new_folder_are_known() {
    if !can("a_short_lived_file_a_rename_and_a_new_folder_are_known") {
        return;
    }
    let _turn = one_capture_at_a_time();
    let folder = place();
    // What /proc could show is gone at once.
    let script = format!("cd {} && echo a > x; mv x y; mkdir d; rm y", folder.path().display());
    let (summary, events) = run(&parameters(folder.path(), shell(&script), false));
    if let Some(note) = summary.notes.iter().find(|note| note.contains("fanotify doesn't tell")) {
        possible(
            "a_short_lived_file_a_rename_and_a_new_folder_are_known",
            &[&Availability::Missing(note.clone())],
        );
        return;
    }
    let own = |name: &str| Some(folder.path().join(name).to_string_lossy().into_owned());
    let of = |kind| {
        let found: Vec<_> = events.iter().filter(|event| event.kind == kind).collect();
        assert_eq!(found.len(), 1, "{kind:?}: {found:?}");
        found[0]
    };
    let (created, renamed, unlinked, made) =
        (of(EventKind::Create), of(EventKind::Rename), of(EventKind::Unlink), of(EventKind::Mkdir));
    assert_eq!(created.path.as_deref(), own("x").as_deref());
    assert!(created.file.is_known());
    assert_eq!((renamed.file, unlinked.file), (created.file, created.file));
    assert_eq!(renamed.path.as_deref(), own("x").as_deref());
    assert_eq!(renamed.new_path.as_deref(), own("y").as_deref());
    assert_eq!(unlinked.path.as_deref(), own("y").as_deref());
    assert!(made.file.is_known() && made.file != created.file);
    assert_eq!(made.path.as_deref(), own("d").as_deref());
    assert_eq!(summary.counts.unmatched_names, 0);
}

#[test]
fn what_runs_on_in_the_background_is_captured_if_that_is_wanted() {
    if !can("what_runs_on_in_the_background_is_captured_if_that_is_wanted") {
        return;
    }
    let _turn = one_capture_at_a_time();
    let folder = place();
    let script = format!("cd {}; (sleep 0.5; echo hello > late) &", folder.path().display());
    let parameters = parameters(folder.path(), shell(&script), false);
    let is_there = |parameters: &CaptureParameters| {
        let events = run(parameters).1;
        let is_late = |path: &str| path.ends_with("/late");
        events
            .iter()
            .any(|event| event.kind == EventKind::Create && event.path.as_deref().is_some_and(is_late))
    };
    assert!(!is_there(&parameters));
    // The one that was left behind is over before the next begins.
    std::thread::sleep(Duration::from_millis(700));
    fs::remove_file(folder.path().join("late")).unwrap();
    // Under another name: what was read isn't written over.
    let out = folder.path().join("again.parquet");
    assert!(is_there(&CaptureParameters { with_background: true, out, ..parameters }));
}
