//! Which modules a kernel has, and in which order they are loaded.

use super::GuestError;
use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

/// A kernel's modules.
pub(super) struct Modules {
    folder: PathBuf,
    /// Of each its file and those that it needs, the nearest first; none of those that are built in.
    needs: BTreeMap<String, Vec<String>>,
}

/// `virtio_blk` of `kernel/drivers/block/virtio-blk.ko.xz`.
fn plain(path: &str) -> String {
    let name = path.trim().rsplit('/').next().unwrap_or_default();
    name.split(".ko").next().unwrap_or_default().replace('-', "_")
}

impl Modules {
    /// Those of a folder, by modules.dep and modules.builtin (depmod(8)).
    pub(super) fn of(folder: &Path) -> Result<Self, GuestError> {
        let list = |name: &str| {
            let path = folder.join(name);
            fs::read_to_string(&path).map_err(GuestError::system("read", &path))
        };
        let mut needs: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for line in list("modules.dep")?.lines() {
            let Some((path, others)) = line.split_once(':') else { continue };
            let files = std::iter::once(path).chain(others.split_whitespace()).map(str::to_owned);
            needs.insert(plain(path), files.collect());
        }
        for line in list("modules.builtin")?.lines() {
            needs.insert(plain(line), Vec::new());
        }
        Ok(Self { folder: folder.to_owned(), needs })
    }

    /// The files to load for modules of these names, each after those that it needs.
    pub(super) fn order(&self, names: &[String]) -> Result<Vec<(String, PathBuf)>, GuestError> {
        let mut order: Vec<(String, PathBuf)> = Vec::new();
        for name in names {
            let Some(files) = self.needs.get(&plain(name)) else {
                return Err(GuestError::NoModule { name: name.clone(), folder: self.folder.clone() });
            };
            for file in files.iter().rev() {
                let name = format!("{}.ko", plain(file));
                if order.iter().all(|(known, _)| *known != name) {
                    order.push((name, self.folder.join(file)));
                }
            }
        }
        Ok(order)
    }
}

/// A module as the kernel takes it: unpacked.
pub(super) fn read(path: &Path) -> Result<Vec<u8>, GuestError> {
    let bytes = fs::read(path).map_err(GuestError::system("read the module", path))?;
    let mut unpacked = Vec::new();
    let done = match path.extension().and_then(|extension| extension.to_str()) {
        Some("xz") => liblzma::read::XzDecoder::new(&bytes[..]).read_to_end(&mut unpacked),
        Some("zst") => {
            zstd::Decoder::new(&bytes[..]).and_then(|mut decoder| decoder.read_to_end(&mut unpacked))
        }
        _ => return Ok(bytes),
    };
    done.map_err(GuestError::system("unpack the module", path))?;
    Ok(unpacked)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_module_comes_after_those_that_it_needs_and_one_that_is_built_in_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let dep = "kernel/a.ko.xz: kernel/b.ko kernel/c-d.ko\nkernel/b.ko: kernel/c-d.ko\nkernel/c-d.ko:\n";
        fs::write(folder.path().join("modules.dep"), dep).unwrap();
        fs::write(folder.path().join("modules.builtin"), "kernel/fs/ext4/ext4.ko\n").unwrap();
        let modules = Modules::of(folder.path()).unwrap();
        let names = |asked: &[&str]| {
            let asked: Vec<String> = asked.iter().map(|name| (*name).to_owned()).collect();
            modules.order(&asked).map(|order| order.into_iter().map(|(name, _)| name).collect::<Vec<_>>())
        };
        assert_eq!(names(&["ext4", "b", "a"]).unwrap(), ["c_d.ko", "b.ko", "a.ko"]);
        assert!(names(&["zfs"]).unwrap_err().to_string().contains("zfs"));
    }
}
