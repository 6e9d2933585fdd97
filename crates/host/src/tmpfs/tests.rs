//! A tmpfs alone: names, sizes, and room.
#![allow(clippy::unwrap_used, reason = "a test that cannot set up has failed")]
use super::*;
use petrio_colours::Operation;

fn op(operation: Operation, file: u32, parent: u32) -> FileOp {
    FileOp { operation, file: FileId(file), parent: FileId(parent), ..FileOp::default() }
}

#[test]
fn names_are_where_they_were_put_until_they_are_removed() {
    let mut names = Names::default();
    let root = FileId::ROOT.0;
    assert!(names.operate(&op(Operation::Mkdir, 10, root)).unwrap());
    assert!(names.operate(&op(Operation::Create, 11, 10)).unwrap());
    let failure = |result: Result<bool, FileError>| result.unwrap_err().failure();
    assert_eq!(failure(names.operate(&op(Operation::Create, 11, 10))), Failure::Exists);
    assert_eq!(failure(names.operate(&op(Operation::Rmdir, 10, root))), Failure::NotEmpty);
    assert_eq!(failure(names.operate(&op(Operation::Create, 12, 11))), Failure::NotADirectory);
    assert_eq!(failure(names.operate(&op(Operation::Unlink, 10, root))), Failure::IsADirectory);
    assert_eq!(failure(names.operate(&op(Operation::Rename, 10, 10))), Failure::Misplaced);
    assert!(!names.operate(&op(Operation::Rename, 11, root)).unwrap());
    assert!(!names.operate(&op(Operation::Rmdir, 10, root)).unwrap());
    assert!(names.exists(FileId(11)) && !names.exists(FileId(10)));
    assert!(!names.operate(&op(Operation::Unlink, 11, root)).unwrap());
    assert_eq!(failure(names.operate(&op(Operation::Stat, 11, root))), Failure::NotFound);
}

#[test]
fn prepared_files_fit_into_its_size_or_are_refused() {
    let mut tmpfs = Tmpfs::new(100);
    let mut stream = petrio_random::generator(1, 0, "tmpfs", "layout");
    let mut add = |file, size| {
        let parent = FileId::ROOT;
        let cached = false;
        tmpfs.add(&PreparedFile { file: FileId(file), parent, directory: false, size, cached }, &mut stream)
    };
    add(10, 60 * PAGE_BYTES - 1).unwrap();
    let full = add(11, 41 * PAGE_BYTES).unwrap_err();
    assert_eq!(full, FileError::NoSpace { file: FileId(11), wanted: 41, free: 40 });
}
