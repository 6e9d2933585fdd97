//! Where files end that have been written to, as those who share them hear of it: of writes that are over.

use petrio_colours::{FileId, FileOp, Operation};
use petrio_persist::Persist;
use petrio_stage::fast_map::FastMap;

/// Where files end.
#[derive(Clone, Debug, Default, Persist)]
pub(super) struct EndsOfFile(FastMap<FileId, End>);

#[derive(Clone, Copy, Debug, Default, Persist)]
struct End {
    at: u64,
    /// Nothing lies beyond it that was there before the run.
    is_cut: bool,
}

impl EndsOfFile {
    /// Where a file ends, as far as anybody has written; `believed` is what the caller knows of it.
    pub(super) fn end_of(&self, file: FileId, believed: u64) -> u64 {
        match self.0.get(&file) {
            Some(end) if end.is_cut => end.at,
            Some(end) => end.at.max(believed),
            None => believed,
        }
    }

    /// A call is over.
    pub(super) fn note(&mut self, op: &FileOp) {
        match op.operation {
            Operation::Write if op.status.failure().is_none() => {
                let end = self.0.entry(op.file).or_default();
                end.at = end.at.max(op.offset + op.length);
            }
            Operation::Truncate => {
                self.0.insert(op.file, End { at: op.length, is_cut: true });
            }
            Operation::Create | Operation::Unlink => {
                self.0.remove(&op.file);
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use petrio_colours::Status;

    fn op(operation: Operation, offset: u64, length: u64) -> FileOp {
        let status = Status::DoneFromCache;
        FileOp { operation, file: FileId(7), offset, length, status, ..FileOp::default() }
    }

    #[test]
    fn files_end_where_the_last_byte_was_written_unless_they_are_cut() {
        let mut known = EndsOfFile::default();
        let end = |known: &EndsOfFile| known.end_of(FileId(7), 10);
        // What was there before, its program knows.
        assert_eq!(end(&known), 10);
        known.note(&op(Operation::Write, 0, 100));
        known.note(&op(Operation::Write, 20, 30));
        known.note(&op(Operation::Read, 0, 1_000));
        assert_eq!((end(&known), known.end_of(FileId(8), 3)), (100, 3));
        known.note(&op(Operation::Truncate, 0, 40));
        assert_eq!((end(&known), known.end_of(FileId(7), 1_000)), (40, 40));
        known.note(&op(Operation::Write, 30, 30));
        assert_eq!(end(&known), 60);
        known.note(&op(Operation::Unlink, 0, 0));
        assert_eq!(end(&known), 10);
    }
}
