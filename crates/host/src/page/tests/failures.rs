//! What can't be done comes back to who asked, with the error that the kernel gives.

use super::super::context::Context;
use super::super::job::{Job, Next};
use super::rig::{Broken, DIRECTORY, Rig, access, file, host, mount, op};
use crate::below::own;
use crate::ext::Ext;
use crate::file_system::{Family, FileSystemParameters, JournalMode};
use crate::state::{Memory, Mounted};
use petrio_colours::{Failure, FileOp, Operation};
use petrio_kernel::{NetBuilder, Time};

const KINDS: [(Family, JournalMode); 3] = [
    (Family::Ext3, JournalMode::Ordered),
    (Family::Ext3, JournalMode::Journal),
    (Family::Ext4, JournalMode::Ordered),
];

fn rig(broken: Broken, kind: (Family, JournalMode)) -> Rig {
    Rig::with(broken, kind, &host(), &[file(2, 4 << 20, false), file(3, 4 << 20, false)])
}

/// The failure of an operation.
fn fails(rig: &mut Rig, asked: &FileOp) -> Option<Failure> {
    rig.ends(asked).status.failure()
}

#[test]
fn a_read_of_what_the_device_cannot_read_fails_each_time_and_nothing_else_does() {
    for kind in KINDS {
        let mut rig = rig(Broken::Reads, kind);
        for _ in 0..3 {
            let read = rig.ends(&access(Operation::Read, 2, 0, 4_096));
            assert_eq!(read.status.failure(), Some(Failure::Device), "{kind:?}");
        }
        // Whole pages needn't be read before they are written.
        assert_eq!(fails(&mut rig, &access(Operation::Write, 2, 8_192, 4_096)), None, "{kind:?}");
        assert_eq!(fails(&mut rig, &access(Operation::Read, 2, 8_192, 4_096)), None, "{kind:?}");
        // A part of a page must be, and the writer's lock is given back when it can't be.
        let part = access(Operation::Write, 2, 100, 10);
        assert_eq!(fails(&mut rig, &part), Some(Failure::Device), "{kind:?}");
        assert_eq!(fails(&mut rig, &part), Some(Failure::Device), "{kind:?}");
        assert_eq!(fails(&mut rig, &access(Operation::Write, 2, 8_192, 4_096)), None, "{kind:?}");
    }
}

fn read_directory() -> FileOp {
    FileOp { file: DIRECTORY, ..op(Operation::Readdir, 1) }
}

#[test]
fn a_directory_that_cannot_be_read_fails_each_time() {
    let mut rig = rig(Broken::Reads, KINDS[2]);
    for _ in 0..3 {
        assert_eq!(fails(&mut rig, &read_directory()), Some(Failure::Device));
    }
}

#[test]
fn nothing_is_kept_of_a_reader_of_a_directory_that_gives_up() {
    let (host, format) = (host(), FileSystemParameters::of(Family::Ext4).into());
    let mut net = NetBuilder::new("ports");
    let mut page = net.top();
    let ports = ["requests", "completions"].map(|name| page.fifo(name));
    // A file whose pages are in memory: what its directory's name and inode are in is there, too; what it lists isn't.
    let mount = mount((&format, 256 << 10), &host, &[file(2, 4 << 20, true)], ports);
    let mut memory = Memory::new(&host).unwrap();
    let (mut system, nature) = mount.laid_out.on_disk.mount(0, &host, &mount);
    let mut fs = Mounted::new(0, &host, &mount, nature);
    let mut job = Job::new(read_directory());
    let mut context = Context { memory: &mut memory, fs: &mut fs, system: &mut *system, now: Time::ZERO };
    assert!(matches!(context.change_names(&mut job), Next::Wait { .. }), "its block isn't in memory");
    assert_eq!(own::<Ext>(&mut system).readers(), 1);
    let mut context = Context { memory: &mut memory, fs: &mut fs, system: &mut *system, now: Time::ZERO };
    assert!(matches!(context.fail(&mut job, Failure::Device), Next::Return));
    assert_eq!(own::<Ext>(&mut system).readers(), 0);
}

#[test]
fn of_data_that_could_not_be_written_the_next_fsync_tells_once() {
    for kind in [KINDS[0], KINDS[2]] {
        let mut rig = rig(Broken::Writes, kind);
        assert_eq!(fails(&mut rig, &access(Operation::Write, 2, 0, 4_096)), None, "in memory");
        assert_eq!(fails(&mut rig, &op(Operation::Fsync, 3)), None, "another file's");
        assert_eq!(fails(&mut rig, &op(Operation::Fsync, 2)), Some(Failure::Device), "{kind:?}");
        assert_eq!(fails(&mut rig, &op(Operation::Fsync, 2)), None, "{kind:?}");
    }
}

#[test]
fn without_its_log_a_file_system_takes_no_more_changes_and_can_still_be_read() {
    for kind in KINDS {
        let mut rig = rig(Broken::Log, kind);
        assert_eq!(fails(&mut rig, &access(Operation::Write, 2, 0, 4_096)), None, "{kind:?}");
        assert_eq!(fails(&mut rig, &op(Operation::Fsync, 2)), Some(Failure::ReadOnly), "{kind:?}");
        assert_eq!(fails(&mut rig, &access(Operation::Write, 2, 0, 4_096)), Some(Failure::ReadOnly));
        assert_eq!(fails(&mut rig, &op(Operation::Create, 9)), Some(Failure::ReadOnly), "{kind:?}");
        assert_eq!(fails(&mut rig, &access(Operation::Read, 3, 0, 4_096)), None, "{kind:?}");
    }
}

#[test]
fn what_is_not_there_or_is_there_already_comes_back_as_an_error() {
    for kind in KINDS {
        let mut rig = rig(Broken::Nothing, kind);
        assert_eq!(fails(&mut rig, &op(Operation::Open, 9)), Some(Failure::NotFound));
        assert_eq!(fails(&mut rig, &op(Operation::Create, 2)), Some(Failure::Exists));
        assert_eq!(fails(&mut rig, &op(Operation::Rmdir, 2)), Some(Failure::NotADirectory));
        // Their journal handles are given back: a commit ends.
        assert_eq!(fails(&mut rig, &op(Operation::Create, 9)), None);
        assert_eq!(fails(&mut rig, &op(Operation::Fsync, 9)), None);
        assert_eq!(fails(&mut rig, &op(Operation::Sync, 0)), None);
    }
}

#[test]
fn a_full_volume_refuses_the_write_that_does_not_fit_and_takes_it_when_there_is_room() {
    for kind in KINDS {
        let mut rig = rig(Broken::Nothing, kind);
        assert_eq!(fails(&mut rig, &op(Operation::Create, 9)), None);
        let mut written = 0u64;
        let full = loop {
            let failure = fails(&mut rig, &access(Operation::Write, 9, written, 8 << 20));
            if failure.is_some() {
                break failure;
            }
            written += 8 << 20;
            assert!(written < 2 << 30, "the device has 1 GiB");
        };
        assert_eq!(full, Some(Failure::NoSpace), "{kind:?}");
        assert!(written > 800 << 20, "{kind:?}: {written}");
        assert_eq!(fails(&mut rig, &op(Operation::Fsync, 9)), None, "{kind:?}: what was taken is kept");
        assert_eq!(fails(&mut rig, &op(Operation::Unlink, 3)), None);
        rig.rests(Time::from_whole_seconds(10));
        let small = access(Operation::Write, 9, written, 1 << 20);
        assert_eq!(fails(&mut rig, &small), None, "{kind:?}");
    }
}
