//! Small traces and what they come to.
#![allow(clippy::unwrap_used)]

use crate::event::{Access, Event, EventKind, Totals};
use crate::{EventReader, EventSummary, FormatName, TraceOptions};
use petrio_time::Time;

fn read(text: &'static str) -> (Vec<Event>, EventSummary) {
    let mut reader = EventReader::from_reader("memory", text.as_bytes(), &TraceOptions::default()).unwrap();
    assert_eq!(reader.format(), FormatName::Strace);
    let events = reader.by_ref().collect::<Result<Vec<_>, _>>().unwrap();
    (events, reader.summary())
}

fn kinds(events: &[Event]) -> Vec<EventKind> {
    events.iter().map(|event| event.kind).collect()
}

#[test]
fn offsets_follow_from_the_calls_before_without_any_help_of_strace() {
    let (events, _) = read(
        "7 1.000000 openat(AT_FDCWD, \"/data/a\", O_RDWR) = 3 <0.000010>\n\
         7 1.000100 read(3, \"…\", 4096) = 4096 <0.000010>\n\
         7 1.000200 read(3, \"…\", 4096) = 904 <0.000010>\n\
         7 1.000300 lseek(3, 100, SEEK_SET) = 100 <0.000010>\n\
         7 1.000400 write(3, \"…\", 50) = 50 <0.000010>\n\
         7 1.000500 pread64(3, \"…\", 8, 16) = 8 <0.000010>\n\
         7 1.000600 dup(3) = 4 <0.000010>\n\
         7 1.000700 close(3) = 0 <0.000010>\n\
         7 1.000800 write(4, \"…\", 10) = -1 ENOSPC (No space left on device) <0.000010>\n\
         7 1.000900 close(4) = 0 <0.000010>\n",
    );
    use EventKind::{Close, Open, Read, Write};
    assert_eq!(kinds(&events), [Open, Read, Read, Write, Read, Write, Close]);
    let offsets: Vec<_> = events.iter().map(|event| event.offset).collect();
    assert_eq!(offsets, [None, Some(0), Some(4096), Some(100), Some(16), Some(150), None]);
    assert_eq!((events[5].error, events[5].length), (28, 10));
    let totals = Totals { bytes_read: 5_008, bytes_written: 50, reads: 3, writes: 1 };
    assert_eq!((events[6].totals, events[6].access), (Some(totals), Some(Access::ReadWrite)));
    assert_eq!(events[6].time, Time::from_micros(900));
    assert!(
        events.iter().all(|event| event.file == events[0].file && event.path.as_deref() == Some("/data/a"))
    );
}

#[test]
fn processes_are_called_by_what_they_execute_or_by_who_started_them() {
    let text = "7 1.000000 execve(\"/usr/bin/make\", [\"make\"], 0x7ffe /* 20 vars */) = 0 <0.000200>\n\
         7 1.000300 vfork( <unfinished ...>\n\
         8 1.000400 execve(\"/opt/cc1\", [\"cc1\"], 0x7ffe /* 20 vars */) = -1 ENOENT (No such file or directory) <0.000010>\n\
         8 1.000500 execve(\"/usr/lib/cc1\", [\"cc1\"], 0x7ffe /* 20 vars */) = 0 <0.000200>\n\
         7 1.000800 <... vfork resumed>) = 8 <0.000400>\n\
         7 1.000900 clone(child_stack=NULL, flags=CLONE_FILES|SIGCHLD) = 9 <0.000010>\n\
         8 1.001000 openat(AT_FDCWD, \"/a\", O_RDONLY) = 3 <0.000010>\n\
         9 1.001100 openat(AT_FDCWD, \"/b\", O_RDONLY) = 3 <0.000010>\n\
         8 1.001200 +++ exited with 0 +++\n\
         [pid 10<Web Content>] 1.001300 openat(AT_FDCWD, \"/c\", O_RDONLY) = 3 <0.000010>\n";
    let mut reader = EventReader::from_reader("memory", text.as_bytes(), &TraceOptions::default()).unwrap();
    assert!(reader.by_ref().all(|event| event.is_ok()));
    let names = [7, 8, 9, 10, 11].map(|process| reader.process_name(process));
    let expected = ["make", "cc1", "make", "Web Content"].map(|name| Some(name.to_owned()));
    assert_eq!(names, [&expected[..], &[None]].concat()[..]);
}

#[test]
fn unfinished_calls_come_where_they_began_with_what_they_came_to() {
    let (events, summary) = read(
        "1 1.000000 openat(AT_FDCWD</x>, \"a\", O_RDONLY) = 3</x/a> <0.000010>\n\
         1 1.000100 read(3</x/a>,  <unfinished ...>\n\
         2 1.000150 mkdir(\"/y\", 0777) = 0 <0.000020>\n\
         2 1.000160 read(5</x/a>,  <unfinished ...>\n\
         1 1.000200 <... read resumed>\"…\", 4096) = 4096 <0.000100>\n",
    );
    assert_eq!(kinds(&events), [EventKind::Open, EventKind::Read, EventKind::Mkdir]);
    assert_eq!((events[1].length, events[1].service), (4_096, Some(Time::from_micros(100))));
    assert_eq!(summary.left_out.unanswered, 1);
}

#[test]
fn nothing_waits_for_a_call_that_ends_with_its_process() {
    let (events, summary) = read(
        "1 1.000000 wait4(-1,  <unfinished ...>\n\
         2 1.000100 read(5</x/a>,  <unfinished ...>\n\
         3 1.000200 mkdir(\"/y\", 0777) = 0 <0.000020>\n\
         2 1.000300 +++ killed by SIGKILL +++\n\
         1 1.000400 <... wait4 resumed>, NULL) = 2 <0.000400>\n\
         1 1.000500 exit_group(0 <unfinished ...>) = ?\n\
         1 1.000600 +++ exited with 0 +++\n",
    );
    assert_eq!(kinds(&events), [EventKind::Mkdir]);
    assert_eq!((summary.left_out.unanswered, summary.left_out.unmatched_completions), (1, 0));
}

#[test]
fn a_child_has_its_parents_descriptors_and_shares_their_positions() {
    let (events, _) = read(
        "1 1.000000 open(\"/a\", O_RDONLY) = 3 <0.000010>\n\
         1 1.000100 read(3, \"…\", 10) = 10 <0.000010>\n\
         1 1.000200 clone(child_stack=NULL, flags=CLONE_CHILD_SETTID|SIGCHLD <unfinished ...>\n\
         2 1.000300 read(3, \"…\", 10) = 10 <0.000010>\n\
         1 1.000400 <... clone resumed>, child_tidptr=0x7f) = 2 <0.000200>\n\
         1 1.000500 read(3, \"…\", 10) = 10 <0.000010>\n\
         2 1.000600 +++ exited with 0 +++\n\
         1 1.000700 +++ exited with 0 +++\n",
    );
    let offsets: Vec<_> =
        events.iter().filter(|event| event.kind == EventKind::Read).map(|event| event.offset).collect();
    assert_eq!(offsets, [Some(0), Some(10), Some(20)]);
    let last = events.last().unwrap();
    assert_eq!((last.kind, last.process, last.totals.unwrap().reads), (EventKind::Close, 1, 3));
}

#[test]
fn a_file_is_made_once_and_is_another_one_after_its_unlink() {
    let (events, _) = read(
        "1 1.000000 creat(\"/a\", 0644) = 3 <0.000010>\n\
         1 1.000100 write(3, \"…\", 700) = 700 <0.000010>\n\
         1 1.000200 close(3) = 0 <0.000010>\n\
         1 1.000300 open(\"/a\", O_RDONLY|O_CREAT, 0644) = 3 <0.000010>\n\
         1 1.000400 close(3) = 0 <0.000010>\n\
         1 1.000500 rename(\"/a\", \"/b\") = 0 <0.000010>\n\
         1 1.000600 unlink(\"/b\") = 0 <0.000010>\n\
         1 1.000700 open(\"/b\", O_WRONLY|O_CREAT, 0644) = 3 <0.000010>\n",
    );
    use EventKind::{Close, Create, Open, Rename, Unlink, Write};
    assert_eq!(kinds(&events), [Create, Write, Close, Open, Close, Rename, Unlink, Create]);
    assert_eq!((events[0].size, events[3].size, events[6].size), (Some(0), Some(700), Some(700)));
    assert_eq!(events[5].new_path.as_deref(), Some("/b"));
    assert_eq!(events[6].file, events[0].file);
    assert_ne!(events[7].file, events[0].file);
}

#[test]
fn pipes_are_no_files_and_copies_are_a_read_and_a_write() {
    let (events, summary) = read(
        "1 1.000000 read(0<pipe:[157295]>, \"…\", 10) = 10 <0.000010>\n\
         1 1.000100 copy_file_range(3</a>, [4096] => [8192], 4</b>, NULL, 9223372035781033984, 0) = 4096 <0.000010>\n\
         1 1.000200 mmap(NULL, 8192, PROT_READ, MAP_PRIVATE, 3</a>, 0) = 0x7f50 <0.000010>\n",
    );
    assert_eq!(kinds(&events), [EventKind::Read, EventKind::Write]);
    assert_eq!((events[0].offset, events[1].offset, events[1].length), (Some(4096), None, 4096));
    assert_eq!(summary.left_out.other_events, 2);
}

#[test]
fn the_origin_is_the_wall_clock_of_the_first_call() {
    let text = "1 1795223276.023075 execve(\"/bin/true\", [\"true\"], 0x7ff /* 3 vars */) = 0 <0.000293>\n";
    let mut reader = EventReader::from_reader("memory", text.as_bytes(), &TraceOptions::default()).unwrap();
    assert_eq!(reader.about().unwrap().origin_unix_ns, Some(1_795_223_276_023_075_000));
    let event = reader.next().unwrap().unwrap();
    assert_eq!(
        (event.time, event.kind, event.path.as_deref()),
        (Time::ZERO, EventKind::Exec, Some("/bin/true"))
    );
}

const FOUR: [&str; 4] = [
    "openat(AT_FDCWD, \"/d/a\", O_RDWR|O_CREAT, 0644) = 5",
    "pwrite64(5, \"x\"..., 4096, 8192) = 4096",
    "fdatasync(5) = 0",
    "pwrite64(5, \"x\"..., 4096, 12288) = 4096",
];

/// The calls of a small program, each behind something.
fn behind(before: [&str; 4]) -> &'static str {
    let lines = before.iter().zip(FOUR).map(|(before, call)| format!("{before} {call}\n"));
    lines.collect::<String>().leak()
}

#[test]
fn times_are_of_the_day_or_since_the_line_before_or_missing() {
    use EventKind::{Create, Fsync, Write};
    let millis = |events: &[Event]| events.iter().map(|event| event.time.as_millis()).collect::<Vec<_>>();
    for before in [
        ["100 10:00:00.000100", "100 10:00:00.500100", "100 10:00:00.510100", "100 10:00:00.530100"],
        ["[pid 100] 23:59:59.6", "[pid 100] 00:00:00.1", "[pid 100] 00:00:00.11", "[pid 100] 00:00:00.13"],
        ["     0.000000", "     0.500000", "     0.010000", "     0.020000"],
        ["10:00:00 (+     0.000000)", "10:00:00 (+     0.500000)", "10:00:00", "10:00:00"],
        ["1700000000.000100", "1700000000.500100", "1700000000.510100", "1700000000.530100"],
        // In the middle of a program, since the line before.
        ["7 0.600000", "7 0.500000", "7 0.010000", "7 0.020000"],
    ] {
        let (events, summary) = read(behind(before));
        assert_eq!(kinds(&events), [Create, Write, Fsync, Write], "{before:?}");
        let expected = if before[0].contains('+') { vec![0.0; 4] } else { vec![0.0, 500.0, 510.0, 530.0] };
        let near = |(one, other): (&f64, &f64)| (one - other).abs() < 1e-9;
        let found = millis(&events);
        assert!(found.iter().zip(&expected).all(near), "{before:?}: {found:?}");
        assert_eq!((summary.left_out.untimed, summary.left_out.reordered), (0, 0), "{before:?}");
    }
    let about = |text: &'static str| {
        let mut reader =
            EventReader::from_reader("memory", text.as_bytes(), &TraceOptions::default()).unwrap();
        reader.about().unwrap().origin_unix_ns.is_some()
    };
    assert!(!about(behind(["10:00:00"; 4])) && about(behind(["1700000000.5"; 4])));
    // Without any, in their order, each when the one before is over where -T says when.
    let (events, summary) = read(behind([""; 4]));
    assert_eq!(kinds(&events), [Create, Write, Fsync, Write]);
    assert_eq!((millis(&events), summary.left_out.untimed), (vec![0.0; 4], 4));
    let with_durations = behind(["7"; 4]).replace("= 4096", "= 4096 <0.002>").replace("= 0", "= 0 <0.020>");
    let (events, _) = read(with_durations.leak());
    assert_eq!(millis(&events), [0.0, 0.0, 2.0, 22.0]);
}

#[test]
fn what_is_submitted_moves_its_bytes_until_it_ends() {
    let (events, summary) = read(
        "7 1.000000 openat(AT_FDCWD</d>, \"a\", O_RDWR|O_DIRECT) = 3</d/a> <0.000010>\n\
         7 1.000100 io_submit(0x7f, 2, [{aio_data=0x1, aio_lio_opcode=IOCB_CMD_PREAD, aio_fildes=3</d/a>, aio_buf=0x1, aio_nbytes=4096, \
         aio_offset=0}, {aio_data=0x2, aio_lio_opcode=IOCB_CMD_PWRITE, aio_fildes=3</d/a>, aio_buf=\"x\"..., aio_nbytes=8192, \
         aio_offset=4096}]) = 2 <0.000010>\n\
         7 1.000200 mkdir(\"/y\", 0777) = 0 <0.000020>\n\
         7 1.000300 io_getevents(0x7f, 1, 2, [{data=0x2, obj=0x1, res=8192, res2=0}], NULL) = 1 <0.001000>\n\
         7 1.002000 io_getevents(0x7f, 1, 2, [{data=0x1, obj=0x1, res=4096, res2=0}], NULL) = 1 <0.000100>\n\
         7 1.003000 io_submit(0x7f, 1, [{aio_data=0x3, aio_lio_opcode=IOCB_CMD_FDSYNC, aio_fildes=3</d/a>}]) = 1 <0.000010>\n\
         7 1.004000 io_uring_enter(4, 1, 1, IORING_ENTER_GETEVENTS, NULL, 8) = 1 <0.000010>\n\
         7 1.005000 close(3</d/a>) = 0 <0.000010>\n\
         7 1.006000 pread64(9, \"x\", 4096, 0) = 4096 <0.000010>\n",
    );
    use EventKind::{Close, Fsync, Mkdir, Open, Read, Write};
    assert_eq!(kinds(&events), [Open, Read, Write, Mkdir, Fsync, Close]);
    let figures = |event: &Event| (event.offset, event.length, event.service);
    assert_eq!(figures(&events[1]), (Some(0), 4096, Some(Time::from_micros(2_000))));
    assert_eq!(figures(&events[2]), (Some(4096), 8192, Some(Time::from_micros(1_200))));
    assert_eq!(events[4].service, None);
    let totals = Totals { bytes_read: 4096, bytes_written: 8192, reads: 1, writes: 1 };
    assert_eq!(events[5].totals, Some(totals));
    // The fsync's end, and what io_uring and a file of before did, aren't there.
    assert_eq!((summary.left_out.unanswered, summary.left_out.unseen), (1, 2));
}
