//! The directories of an owner while files are put into them: by depth, with the room that is left in each.

use petrio_random::{Generator, uniform_below};
use petrio_units::numbers::as_index;

/// Directories at one depth.
#[derive(Default)]
struct Level {
    directories: Vec<u32>,
    /// A directory for each entry that it has room for.
    rooms: Vec<u32>,
}

/// All directories of an owner; at depth 0 his own alone.
pub(super) struct Tree {
    levels: Vec<Level>,
    random: Generator,
}

impl Tree {
    pub(super) fn new(base: u32, random: Generator) -> Self {
        Self { levels: vec![Level { directories: vec![base], rooms: Vec::new() }], random }
    }

    /// Adds a directory with room for so many entries.
    pub(super) fn add(&mut self, depth: usize, directory: u32, entries: usize) {
        if self.levels.len() <= depth {
            self.levels.resize_with(depth + 1, Level::default);
        }
        self.levels[depth].directories.push(directory);
        self.levels[depth].rooms.extend(std::iter::repeat_n(directory, entries));
    }

    /// Whether there is no directory at a depth.
    pub(super) fn is_bare(&self, depth: usize) -> bool {
        self.levels.get(depth).is_none_or(|level| level.directories.is_empty())
    }

    /// Takes room for an entry in a directory at a depth; each room is as likely as any other.
    pub(super) fn room_at(&mut self, depth: usize) -> Option<u32> {
        let rooms = &mut self.levels.get_mut(depth)?.rooms;
        let at =
            (!rooms.is_empty()).then(|| as_index(uniform_below(&mut self.random, rooms.len() as u64)))?;
        Some(rooms.swap_remove(at))
    }

    /// Takes room at any depth.
    pub(super) fn room_anywhere(&mut self) -> Option<u32> {
        let all: usize = self.levels.iter().map(|level| level.rooms.len()).sum();
        let mut at = (all > 0).then(|| as_index(uniform_below(&mut self.random, all as u64)))?;
        for level in &mut self.levels {
            if at < level.rooms.len() {
                return Some(level.rooms.swap_remove(at));
            }
            at -= level.rooms.len();
        }
        None
    }

    /// Any directory at a depth.
    pub(super) fn any_at(&mut self, depth: usize) -> Option<u32> {
        let directories = &self.levels.get(depth)?.directories;
        let at = (!directories.is_empty())
            .then(|| as_index(uniform_below(&mut self.random, directories.len() as u64)))?;
        Some(directories[at])
    }

    /// The rooms that are left.
    pub(super) fn rooms(self) -> impl Iterator<Item = u32> {
        self.levels.into_iter().flat_map(|level| level.rooms)
    }
}
