//! Scripts that change attributes, further names and ranges of files: what they ask for, and what is refused.

use super::script_programs::{brief, operations, says};
use petrio_colours::{Fallocate, FileId};

#[test]
fn attributes_further_names_and_ranges_are_operations_with_their_figures() {
    let text = "file a 1 MiB; directory d; chmod a; utimes a; setxattr a 100 B; removexattr a; link a d/h; symlink a/b s; \
                tmpfile d/t; write d/t 0 4 KiB; link d/t d/n; close d/t; unlink d/n; unlink a; fallocate d/h 1 MiB 1 MiB; \
                fallocate d/h 0 4 KiB punch-hole; append d/h 1 B; sync_file_range d/h 0 8 KiB; unlink d/h; create a";
    let expected = [
        "setattr 1 0+0",
        "setattr 1 0+0",
        "setxattr 1 0+100",
        "setxattr 1 0+0",
        "link 1 0+0",
        "symlink 3 0+3",
        "tmpfile 4 0+0",
        "write 4 0+4096",
        "link 4 0+0",
        "close 4 0+0",
        "unlink 4 0+0",
        "unlink 1 0+0",
        "fallocate 1 1048576+1048576",
        "fallocate 1 0+4096",
        "write 1 2097152+1",
        "sync_file_range 1 0+8192",
        "unlink 1 0+0",
        // The file that was made as `a` is gone only now, with its other name.
        "create 1 0+0",
    ];
    let ops = operations(text);
    assert_eq!(brief(text), expected);
    assert_eq!((ops[4].parent, ops[11].parent, ops[16].parent), (FileId(2), FileId::ROOT, FileId(2)));
    assert_eq!(ops[13].fallocate, Fallocate::PunchHole);
}

#[test]
fn what_further_names_attributes_and_ranges_cannot_be_is_said() {
    let known = [
        ("file a 1 B; link a a", "line 1, column 13: there is a \"a\" already"),
        ("mkdir d; link d e", "line 1, column 10: \"d\" is a directory; a file is needed"),
        (
            "tmpfile t; unlink t",
            "line 1, column 12: \"t\" is a file without a name, and goes when it is closed",
        ),
        ("tmpfile t; rename t a", "line 1, column 12: \"t\" is a file without a name: link gives it one"),
        (
            "symlink a s; read s 0 1 B",
            "line 1, column 14: \"s\" is a symbolic link, which isn't followed here",
        ),
        ("create a; setxattr a 4 KiB", "line 1, column 22: an attribute has 1 B to 3 kB, this one 4 KiB"),
        ("create a; fallocate a 0 1 MiB punch", "line 1, column 31: \"punch\" is no mode of fallocate"),
        ("create a; fallocate a 0 0", "line 1, column 11: a range of no bytes gets no blocks"),
    ];
    known.into_iter().for_each(says);
}
