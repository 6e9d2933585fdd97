//! Calls on files as programs make them.

use super::support::{command, possible, shell};
use petrio_record::{Parameters, RecordError, record};
use petrio_time::Time;
use petrio_trace::event::EventKind;

#[test]
fn each_write_of_dd_is_recorded_with_its_place_and_flags() {
    let folder = tempfile::tempdir().unwrap();
    let made = shell(folder.path(), "dd if=/dev/zero of=$D/out bs=4096 count=5 oflag=dsync 2>/dev/null");
    assert!(made.status.success());
    let writes = made.of(EventKind::Write, "/out");
    let ranges: Vec<_> = writes.iter().map(|write| (write.offset, write.length)).collect();
    let expected: Vec<_> = (0..5).map(|at| (Some(at * 4096), 4096)).collect();
    assert_eq!(ranges, expected);
    assert!(writes.iter().all(|write| write.synchronous && write.service > Some(Time::ZERO)));
    assert_eq!(made.of(EventKind::Create, "/out").len(), 1);
    assert_eq!(made.recorded.bytes_written, 5 * 4096);
}

#[test]
fn the_c_librarys_buffered_writes_are_seen_where_they_reach_the_system() {
    let folder = tempfile::tempdir().unwrap();
    // A shell's own redirection is a write of the C library's or of its own; awk writes by stdio.
    if !possible("the_c_librarys_buffered_writes_are_seen_where_they_reach_the_system", &["awk"]) {
        return;
    }
    let made =
        shell(folder.path(), "awk 'BEGIN { for (i = 0; i < 1000; i++) print \"0123456789\" }' > $D/lines");
    let bytes: u64 = made.of(EventKind::Write, "/lines").iter().map(|write| write.length).sum();
    if made.recorded.unseen.iter().any(|line| line.contains("the kernel doesn't trap")) {
        println!(
            "skipped: the_c_librarys_buffered_writes_are_seen_where_they_reach_the_system needs syscall user dispatch"
        );
        return;
    }
    assert_eq!(bytes, 11_000);
}

#[test]
fn a_processes_children_say_who_made_them_and_who_waited() {
    let folder = tempfile::tempdir().unwrap();
    let made = shell(folder.path(), "(echo a > $D/a); (echo b > $D/b); cat $D/a $D/b > $D/c; rm $D/a");
    let forks: Vec<u32> =
        made.all(EventKind::Fork).iter().filter_map(|fork| fork.recorded.as_ref()?.child).collect();
    assert!(forks.len() >= 4, "{forks:?}");
    let joins: Vec<u32> =
        made.all(EventKind::Join).iter().filter_map(|join| join.recorded.as_ref()?.child).collect();
    assert!(forks.iter().all(|child| joins.contains(child)), "{forks:?} {joins:?}");
    let writer = made.of(EventKind::Write, "/a")[0].process;
    assert!(forks.contains(&writer));
    assert_eq!(made.of(EventKind::Unlink, "/a").len(), 1);
    assert_eq!(made.of(EventKind::Read, "/b").iter().map(|read| read.length).sum::<u64>(), 2);
}

#[test]
fn computing_is_told_apart_from_waiting() {
    let folder = tempfile::tempdir().unwrap();
    let made =
        shell(folder.path(), "i=0; while [ $i -lt 30000 ]; do i=$((i+1)); done; sleep 0.3; : > $D/end");
    let compute: Time = made
        .events
        .iter()
        .filter_map(|event| event.recorded.as_ref()?.compute)
        .fold(Time::ZERO, |a, b| a + b);
    let slept = made.all(EventKind::Sleep);
    assert_eq!(slept.len(), 1);
    assert!(slept[0].service.unwrap() >= Time::from_millis(300));
    assert!(compute > Time::from_millis(1) && made.recorded.span_ns > 300_000_000, "{compute}");
    assert!(compute.as_picos() / 1_000 < made.recorded.span_ns, "{compute}");
}

#[test]
fn a_mapping_is_counted_among_what_is_not_seen() {
    let folder = tempfile::tempdir().unwrap();
    if !possible("a_mapping_is_counted_among_what_is_not_seen", &["python3"]) {
        return;
    }
    let program = "import mmap,sys\nf=open(sys.argv[1],'w+b')\nf.truncate(8192)\nm=mmap.mmap(f.fileno(),8192)\nm[0]=1\nm.close()";
    let file = folder.path().join("mapped");
    let made = command(folder.path(), &["python3", "-c", program, file.to_str().unwrap()]);
    assert_eq!(made.of(EventKind::Map, "/mapped").len(), 1);
    assert_eq!(made.of(EventKind::Truncate, "/mapped")[0].size, Some(8192));
    assert!(
        made.recorded.unseen.iter().any(|line| line.contains("1 of them shared and written")),
        "{:?}",
        made.recorded.unseen
    );
}

#[test]
fn a_static_program_is_named_as_unseen() {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("still.c");
    std::fs::write(&source, "int main(void) { return 7; }").unwrap();
    let program = folder.path().join("still");
    let built = std::process::Command::new("cc").arg("-static").arg("-o").arg(&program).arg(&source).output();
    if !built.is_ok_and(|built| built.status.success()) {
        println!("skipped: a_static_program_is_named_as_unseen needs a compiler that links statically");
        return;
    }
    let made = shell(folder.path(), "$D/still; exit $?");
    assert_eq!(made.status.code(), Some(7));
    assert!(
        made.recorded.unseen.iter().any(|line| line.contains("a static program: ") && line.contains("still"))
    );
}

#[test]
fn what_a_killed_program_did_before_is_in_the_recording() {
    let folder = tempfile::tempdir().unwrap();
    let made = shell(folder.path(), "dd if=/dev/zero of=$D/out bs=1024 count=10 2>/dev/null; kill -9 $$");
    assert_eq!(std::os::unix::process::ExitStatusExt::signal(&made.status), Some(9));
    assert_eq!(made.of(EventKind::Write, "/out").len(), 10);
}

#[test]
fn a_folder_that_holds_something_and_a_command_that_is_not_there_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("mine"), "text").unwrap();
    let mut parameters = Parameters {
        out: folder.path().to_owned(),
        command: vec!["true".into()],
        force: false,
        keep_raw: false,
        mpi: None,
        outside: false,
    };
    assert!(matches!(record(&parameters), Err(RecordError::Occupied { .. })));
    parameters.out = folder.path().join("other");
    parameters.command = vec!["petrio-no-such-program".into()];
    assert!(matches!(record(&parameters), Err(RecordError::Command { .. })));
    assert!(!parameters.out.exists());
}
