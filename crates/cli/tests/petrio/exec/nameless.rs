//! Files without names: made, filled, and given a name or not.

use super::*;

#[test]
fn a_file_without_a_name_is_made_where_it_was_asked_for_and_keeps_its_blocks_once_it_has_one() {
    let name = "a_file_without_a_name_is_made_where_it_was_asked_for_and_keeps_its_blocks_once_it_has_one";
    let Some(folder) = possible(name, &["python3"]) else { return };
    folder.write("scenario.toml", DISK.replace("8 GiB", "64 MiB"));
    // Twenty of 20 MiB wouldn't fit side by side; those that nobody has named are gone with their last descriptor.
    folder.write(
        "nameless.py",
        "import ctypes, os\n\
         for turn in range(20):\n    \
             f = os.open('.', os.O_TMPFILE | os.O_RDWR, 0o600)\n    \
             os.write(f, b'x' * (20 << 20))\n    \
             os.fsync(f)\n    \
             os.close(f)\n\
         for way in 'pf':\n    \
             f = os.open('.', os.O_TMPFILE | os.O_RDWR, 0o600)\n    \
             os.write(f, b'kept')\n    \
             os.fsync(f)\n    \
             at = (-100, b'/proc/self/fd/%d' % f, -100, way.encode(), 0x400)\n    \
             own = (f, b'', -100, way.encode(), 0x1000)\n    \
             link = ctypes.CDLL(None).linkat\n    \
             # Older kernels let nobody but root link what a descriptor stands for.\n    \
             assert (way == 'f' and link(*own) == 0) or link(*at) == 0\n    \
             os.close(f)\n    \
             print(open(way).read(), os.stat(way).st_size, os.stat(way).st_nlink)\n",
    );
    let (answer, report) = executed(&folder, &["python3", "nameless.py"]);
    assert_eq!(answer.out, "kept 4 1\nkept 4 1\n", "{}", answer.talk);
    assert_eq!(report["executed"]["volume_full"], 0, "{report}");
    let kinds = report["operations"].as_array().unwrap();
    let of = |kind: &str| kinds.iter().find(|of| of["operation"] == kind).map(|of| of["completed"].clone());
    let count = |kind: &str| of(kind).map_or(0, |count| count.as_u64().unwrap());
    assert_eq!((count("tmpfile"), count("link"), count("fsync")), (22, 2, 22), "{report}");
}
