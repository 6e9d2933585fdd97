//! When files were made, read and written, as the program is told: in its own time, and not in that of the kernel that keeps them.
//!
//! The kernel notes its own time in a file. So what the program did, and when, is noted here, and calls that look at such a file are
//! answered from here; of files that it has left alone, and of times that it has set itself, the kernel tells.

use crate::files::Files;
use petrio_colours::FileId;
use petrio_time::Time;

/// The times of a file; none where the kernel's are the program's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Times {
    pub(crate) made: Option<Time>,
    pub(crate) read: Option<Time>,
    pub(crate) written: Option<Time>,
    pub(crate) changed: Option<Time>,
}

/// What a time is set to (utimensat(2)).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Set {
    /// It stays.
    Left,
    /// What time it is.
    Now,
    /// Another, which the kernel is told.
    To,
}

/// A file that hasn't been written to since it was read is noted to be read again after so long only (mount(8), relatime).
const RELATIVE: Time = Time::from_whole_seconds(86_400);

impl Files {
    /// What is known of a file's times.
    pub(crate) fn times(&self, file: FileId) -> Option<&Times> {
        self.times.get(&file)
    }

    /// A file was made in a directory.
    pub(crate) fn was_made(&mut self, file: FileId, parent: FileId, at: Time) {
        let now = Some(at);
        self.times.insert(file, Times { made: now, read: now, written: now, changed: now });
        self.was_written(parent, at);
    }

    /// What a file or directory holds has changed.
    pub(crate) fn was_written(&mut self, file: FileId, at: Time) {
        let times = self.times.entry(file).or_default();
        (times.written, times.changed) = (Some(at), Some(at));
    }

    /// What is noted of a file has changed.
    pub(crate) fn was_changed(&mut self, file: FileId, at: Time) {
        self.times.entry(file).or_default().changed = Some(at);
    }

    /// It was read: noted where it has changed since it was last read, or that is long ago.
    pub(crate) fn was_read(&mut self, file: FileId, at: Time) {
        if let Some(times) = self.times.get_mut(&file)
            && (times.read <= times.written.max(times.changed)
                || times.read.is_some_and(|read| read.saturating_add(RELATIVE) <= at))
        {
            times.read = Some(at);
        }
    }

    /// The program has set the times when it was read and written.
    pub(crate) fn was_set(&mut self, file: FileId, (read, written): (Set, Set), at: Time) {
        let times = self.times.entry(file).or_default();
        for (time, set) in [(&mut times.read, read), (&mut times.written, written)] {
            match set {
                Set::Left => {}
                Set::Now => *time = Some(at),
                Set::To => *time = None,
            }
        }
        times.changed = Some(at);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::Laid;

    #[test]
    fn a_file_was_written_when_the_program_says_so_and_what_it_sets_itself_the_kernel_tells() {
        let mut files = Files::new(Laid::default());
        let [file, parent] = [FileId(1), FileId(2)];
        let at = Time::from_whole_seconds;
        files.was_made(file, parent, at(1));
        files.was_written(file, at(5));
        assert_eq!(files.times(parent).map(|it| (it.made, it.written)), Some((None, Some(at(1)))));
        files.was_read(file, at(7));
        files.was_read(file, at(8));
        let told = Times { made: Some(at(1)), read: Some(at(7)), written: Some(at(5)), changed: Some(at(5)) };
        assert_eq!(files.times(file), Some(&told));
        files.was_set(file, (Set::Left, Set::To), at(9));
        assert_eq!(files.times(file), Some(&Times { written: None, changed: Some(at(9)), ..told }));
        files.was_read(FileId(3), at(9));
        assert_eq!(files.times(FileId(3)), None);
    }
}
