//! The folders of the catalogue, compiled into the program.

use petrio_units::nearest;

/// A folder of the catalogue.
#[derive(Clone, Copy, Debug)]
pub struct Shelf {
    /// What lies in it: "drive".
    pub what: &'static str,
    /// Its name: "devices".
    pub folder: &'static str,
    /// Name without the ending, and text, of every file; by name.
    files: &'static [(&'static str, &'static str)],
}

/// Drives and other devices.
pub const DEVICES: Shelf =
    Shelf { what: "drive", folder: "devices", files: include!(concat!(env!("OUT_DIR"), "/devices.rs")) };

/// Machines: what the storage path costs on them.
pub const MACHINES: Shelf =
    Shelf { what: "machine", folder: "machines", files: include!(concat!(env!("OUT_DIR"), "/machines.rs")) };

/// Kernels: which algorithms, and which constants.
pub const KERNELS: Shelf =
    Shelf { what: "kernel", folder: "kernels", files: include!(concat!(env!("OUT_DIR"), "/kernels.rs")) };

/// Networks: links, and what carries messages over them.
pub const NETWORKS: Shelf =
    Shelf { what: "network", folder: "networks", files: include!(concat!(env!("OUT_DIR"), "/networks.rs")) };

/// Arrays: how software and controllers go about their work.
pub const ARRAYS: Shelf =
    Shelf { what: "array", folder: "arrays", files: include!(concat!(env!("OUT_DIR"), "/arrays.rs")) };

/// Host adapters: what their channels carry.
pub const ADAPTERS: Shelf =
    Shelf { what: "adapter", folder: "adapters", files: include!(concat!(env!("OUT_DIR"), "/adapters.rs")) };

/// All of them.
pub const SHELVES: [Shelf; 6] = [DEVICES, MACHINES, KERNELS, NETWORKS, ARRAYS, ADAPTERS];

// A shelf is known by its folder.
impl PartialEq for Shelf {
    fn eq(&self, other: &Self) -> bool {
        self.folder == other.folder
    }
}

impl Eq for Shelf {}

impl PartialOrd for Shelf {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Shelf {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.folder.cmp(other.folder)
    }
}

impl Shelf {
    /// All names, ascending.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.files.iter().map(|&(name, _)| name)
    }

    /// The TOML of an entry.
    pub fn text(&self, name: &str) -> Option<&'static str> {
        self.files.iter().find(|&&(known, _)| known == name).map(|&(_, text)| text)
    }

    /// The name that was most likely meant: near in spelling, or the only one that contains the word.
    pub fn nearest(&self, word: &str) -> Option<&'static str> {
        nearest(word, self.names()).or_else(|| {
            let word = word.to_lowercase();
            let mut containing = self.names().filter(|name| word.len() > 2 && name.contains(&word));
            containing.next().filter(|_| containing.next().is_none())
        })
    }

    /// What to do about a name that isn't there.
    pub fn advice(&self, word: &str) -> String {
        match self.nearest(word) {
            Some(near) => format!("did you mean \"{near}\"?"),
            None => format!("it has {}", self.names().collect::<Vec<_>>().join(", ")),
        }
    }
}
