//! Which file is meant: by the number that its process gave it, or by device and inode, which a later file may have again.

use super::paths::tidied;
use crate::raw::Record;
use petrio_trace::event::FileKey;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// A file as a process speaks of it.
#[derive(Clone, Debug)]
pub(super) struct Named {
    pub(super) key: FileKey,
    pub(super) path: Arc<str>,
    /// When it was named.
    pub(super) size: u64,
}

/// A device and inode, as far as it is known.
#[derive(Clone, Debug, Default)]
struct Life {
    generation: u32,
    is_gone: bool,
    path: Option<Arc<str>>,
}

/// All files so far.
#[derive(Default)]
pub(super) struct Files {
    named: FxHashMap<u64, Named>,
    lives: FxHashMap<(u32, u64), Life>,
    paths: FxHashMap<String, Arc<str>>,
}

/// `major << 20 | minor` of a device as the C library has it (makedev(3)).
fn device(number: u64) -> u32 {
    let major = (number >> 8) & 0xfff;
    let minor = (number & 0xff) | ((number >> 12) & 0xf_ff00);
    u32::try_from(major << 20 | minor & 0xf_ffff).unwrap_or(u32::MAX)
}

impl Files {
    pub(super) fn path(&mut self, text: &str) -> Arc<str> {
        let tidy = tidied(text);
        if let Some(path) = self.paths.get(&tidy) {
            return Arc::clone(path);
        }
        let path: Arc<str> = tidy.as_str().into();
        self.paths.insert(tidy, Arc::clone(&path));
        path
    }

    /// A process gives a file a number.
    pub(super) fn name(&mut self, record: &Record) {
        let text = record.words();
        let path = self.path(text.strip_suffix(" (deleted)").unwrap_or(&text));
        let key = self.key(record.offset, record.length, Some(&path));
        self.named.insert(record.file, Named { key, path, size: record.extra });
    }

    pub(super) fn of(&self, number: u64) -> Option<&Named> {
        self.named.get(&number)
    }

    /// The file of an inode; where the one before it is gone, another one.
    fn key(&mut self, of_device: u64, inode: u64, path: Option<&Arc<str>>) -> FileKey {
        let device = device(of_device);
        let life = self.lives.entry((device, inode)).or_default();
        if life.is_gone {
            (life.generation, life.is_gone) = (life.generation + 1, false);
        }
        if let Some(path) = path {
            life.path = Some(Arc::clone(path));
        }
        FileKey { device, inode, generation: life.generation }
    }

    /// What a name stood for, in a record of a call on a name; none where nothing was there.
    pub(super) fn behind_name(&mut self, record: &Record) -> Option<FileKey> {
        (record.length != 0).then(|| self.key(record.offset, record.length, None))
    }

    /// A file's name was taken away: whoever has its inode next is another one.
    pub(super) fn gone(&mut self, key: FileKey) {
        if let Some(life) = self.lives.get_mut(&(key.device, key.inode)) {
            life.is_gone = true;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::device;

    #[test]
    fn devices_are_numbered_as_traces_do() {
        // /dev/sda1 is 8:1, /dev/vda is 254:0; a minor number beyond 255 lies above.
        assert_eq!(device(0x801), 8 << 20 | 1);
        assert_eq!(device(65_024), 254 << 20);
        assert_eq!(device(0x10_0801), 8 << 20 | 0x101);
    }
}
