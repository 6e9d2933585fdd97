//! The commands that processes run, by the numbers of the processes, as traces of the kernel name them (`comm`, 15 bytes at most), or
//! as calls tell: the last part of the path of what was executed, which a process that is started has of the one that starts it.

use std::collections::BTreeMap;

/// The commands of the processes whose lines have been read; of a process that runs several, the first of those that its lines
/// are marked with, or the last that it was seen to execute.
#[derive(Debug, Default)]
pub(super) struct Commands(BTreeMap<u32, Box<[u8]>>);

impl Commands {
    /// A process runs a command.
    #[inline]
    pub(super) fn note(&mut self, process: u32, command: &[u8]) {
        if !command.is_empty() && !self.0.contains_key(&process) {
            self.0.insert(process, command.into());
        }
    }

    /// A process executes what lies at a path: it is called so from now on.
    pub(super) fn executes(&mut self, process: u32, path: &str) {
        let name = path.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
        if !name.is_empty() {
            self.0.insert(process, name.as_bytes().into());
        }
    }

    /// A process starts another one, which runs the same.
    pub(super) fn starts(&mut self, parent: u32, child: u32) {
        if let Some(name) = self.0.get(&parent).cloned() {
            self.0.insert(child, name);
        }
    }

    /// Which command a process runs.
    pub(super) fn of(&self, process: u32) -> Option<String> {
        self.0.get(&process).map(|name| String::from_utf8_lossy(name).into_owned())
    }
}
