//! The commands that processes run, by the numbers of the processes, as traces of the kernel name them (`comm`, 15 bytes at most).

use std::collections::BTreeMap;

/// The commands of the processes whose lines have been read; of a process that runs several, the first.
#[derive(Default)]
pub(super) struct Commands(BTreeMap<u32, Box<[u8]>>);

impl Commands {
    /// A process runs a command.
    #[inline]
    pub(super) fn note(&mut self, process: u32, command: &[u8]) {
        if !command.is_empty() && !self.0.contains_key(&process) {
            self.0.insert(process, command.into());
        }
    }

    /// Which command a process runs.
    pub(super) fn of(&self, process: u32) -> Option<String> {
        self.0.get(&process).map(|name| String::from_utf8_lossy(name).into_owned())
    }
}
