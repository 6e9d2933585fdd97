//! The operations whose cost at the device is looked at, each as a script that a simulated System runs as well.

use petrio_workload::program::ScriptParameters;

/// One operation on files, and what must be so before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileOperation {
    /// Its name: what, how much, and how it is made durable.
    pub name: &'static str,
    /// What is done, in one line, with the files that must be there; `{offset}` stands for a place that changes from
    /// repetition to repetition.
    script: &'static str,
    /// Whether the page cache is emptied before. Inodes, names, and where a file's blocks are stay in memory: whether
    /// the latter do when those caches are emptied too depends on how much else there is to drop
    /// (fs/ext4/extents_status.c).
    pub is_cold: bool,
}

const fn warm(name: &'static str, script: &'static str) -> FileOperation {
    FileOperation { name, script, is_cold: false }
}

const fn cold(name: &'static str, script: &'static str) -> FileOperation {
    FileOperation { name, script, is_cold: true }
}

/// All of them, in the order of reports.
///
/// Appends go to a file of 16 KiB, whose blocks before and after are direct (64 KiB reach beyond the twelfth block, so
/// they need the first indirect one). Overwrites go anywhere in a file of 1 MiB that is in the page cache. The cold
/// read that may begin a sequence is the first of a file; the random one lies anywhere behind.
pub const OPERATIONS: [FileOperation; 17] = [
    warm("append4k_fsync", "file a 16 KiB cached; append a 4 KiB; fsync a"),
    warm("append4k_fdatasync", "file a 16 KiB cached; append a 4 KiB; fdatasync a"),
    warm("append64k_fsync", "file a 16 KiB cached; append a 64 KiB; fsync a"),
    warm("overwrite4k_fsync", "file a 1 MiB cached; write a {offset} 4 KiB; fsync a"),
    warm("overwrite4k_fdatasync", "file a 1 MiB cached; write a {offset} 4 KiB; fdatasync a"),
    warm("overwrite4k_osync", "file a 1 MiB cached; write a {offset} 4 KiB sync"),
    warm("overwrite4k_odsync", "file a 1 MiB cached; write a {offset} 4 KiB data-sync"),
    warm("overwrite64k_fdatasync", "file a 1 MiB cached; write a {offset} 64 KiB; fdatasync a"),
    warm("create0_fsync", "create a; fsync a"),
    warm("create4k_fsync", "create a; append a 4 KiB; fsync a"),
    warm("create4k_fsync_unlink", "create a; append a 4 KiB; fsync a; unlink a"),
    warm("mkdir_fsyncdir", "mkdir a; fsync ."),
    warm("rename_fsyncdir", "file a 4 KiB cached; rename a b; fsync ."),
    warm("unlink_fsyncdir", "file a 4 KiB cached; unlink a; fsync ."),
    warm("fsync_clean", "file a 4 KiB cached; fsync a"),
    cold("coldseqread4k", "file a 1 MiB cached; read a 0 4 KiB"),
    cold("coldrandread4k", "file a 1 MiB cached; read a {offset} 4 KiB"),
];

impl FileOperation {
    /// By its name.
    ///
    /// ```
    /// use petrio_live::ops::FileOperation;
    /// assert_eq!(FileOperation::find("fsync_clean").map(|found| found.name), Some("fsync_clean"));
    /// assert_eq!(FileOperation::find("fsync"), None);
    /// ```
    pub fn find(name: &str) -> Option<Self> {
        OPERATIONS.into_iter().find(|operation| operation.name == name)
    }

    /// The same with another file before its own, so that these lie elsewhere in each repetition: of a drive that turns, how its
    /// platters stand between one request and the next is part of the time.
    pub fn script_elsewhere(&self, repetition: u32) -> ScriptParameters {
        // 37 and 64 share no factor.
        let pad = (repetition * 37 % 64 + 1) * 16;
        ScriptParameters {
            script: format!("file pad {pad} KiB cached; {}", self.script(repetition).script),
            ..self.script(repetition)
        }
    }

    /// The script of a repetition (from 0). Places are multiples of 64 KiB, never 0, so that no access is the first of
    /// its file.
    pub fn script(&self, repetition: u32) -> ScriptParameters {
        // 7 and 15 share no factor, so all fifteen places are visited before one comes again.
        let place = (repetition * 7) % 15 + 1;
        ScriptParameters::new(self.script.replace("{offset}", &format!("{} KiB", place * 64)))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use petrio_workload::program::{FileWorkload, Placement};
    use std::collections::BTreeSet;

    #[test]
    fn every_operation_is_a_script_that_reads() {
        for operation in OPERATIONS {
            let script = operation.script(3);
            let prepared = FileWorkload::Script(script).prepare(&Placement::new("ops"));
            assert!(prepared.is_ok(), "{}: {:?}", operation.name, prepared.err());
        }
    }

    #[test]
    fn names_differ_and_places_come_round_only_after_all() {
        let names: BTreeSet<_> = OPERATIONS.iter().map(|operation| operation.name).collect();
        assert_eq!(names.len(), OPERATIONS.len());
        let operation = FileOperation::find("coldrandread4k").unwrap();
        let places: BTreeSet<_> = (0..15).map(|repetition| operation.script(repetition).script).collect();
        assert_eq!(places.len(), 15);
        assert!(places.iter().all(|script| !script.contains("{offset}") && !script.contains("read a 0 ")));
    }
}
