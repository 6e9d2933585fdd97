//! Lays out the files of a specification.

use super::{Entry, Namespace, Owner, Shelf};
use crate::distribution::{Distribution, DistributionError};
use crate::users::{Category, EACH_USER, FileKind, UserSpecification};
use petrio_kernel::random::{Generator, below, generator};
use std::collections::BTreeMap;
use thiserror::Error;

/// The directory of the users' directories.
pub const HOME: &str = "home";
/// Most files of a specification.
const FILES_MAX: u32 = 1 << 24;
/// Most directories between an owner's and a file.
const DEPTH_MAX: f64 = 64.0;

/// A specification whose files can't be laid out.
#[derive(Clone, Debug, PartialEq, Error)]
#[error("{at}: {problem}")]
pub struct PlanError {
    /// The key concerned.
    pub at: String,
    /// What is wrong with it.
    pub problem: String,
}

impl PlanError {
    pub(crate) fn new(at: impl Into<String>, problem: impl Into<String>) -> Self {
        Self { at: at.into(), problem: problem.into() }
    }

    pub(crate) fn of(at: impl Into<String>) -> impl FnOnce(DistributionError) -> Self {
        let at = at.into();
        move |error| Self { at, problem: error.to_string() }
    }
}

/// A category ready to draw from.
struct Drawn<'a> {
    number: u32,
    name: &'a str,
    category: &'a Category,
    size: Distribution,
    depth: Option<Distribution>,
    total: u32,
}

/// Lays out the files for so many users; the same from the same seed.
pub(crate) fn plan(specification: &UserSpecification, users: u32, seed: u64) -> Result<Namespace, PlanError> {
    let drawn = drawn(specification)?;
    let mut namespace = Namespace { places: vec![String::new()], ..Namespace::default() };
    let mut planner = Planner { specification, drawn: &drawn, namespace: &mut namespace, seed, users };
    let mut shared: Vec<&str> = Vec::new();
    for category in specification.category.values() {
        if category.owner != EACH_USER && !shared.contains(&category.owner.as_str()) {
            shared.push(&category.owner);
        }
    }
    for (number, owner) in (0..).zip(shared) {
        let place = planner.place_of(owner);
        planner.namespace.shared.push(owner.to_owned());
        let base = planner.directory(None, owner.to_owned(), place);
        planner.owner(Owner::Shared(number), owner, base);
    }
    let place = planner.place_of(EACH_USER);
    let home = planner.directory(None, HOME.to_owned(), place);
    for user in 0..users {
        let base = planner.directory(Some(home), format!("u{:03}", user + 1), place);
        planner.namespace.homes.push(base);
        planner.owner(Owner::User(user), EACH_USER, base);
    }
    for shelf in namespace.shelves.values_mut() {
        shelf.files.sort_unstable();
    }
    Ok(namespace)
}

fn drawn(specification: &UserSpecification) -> Result<Vec<Drawn<'_>>, PlanError> {
    let count = specification.files.count;
    if count == 0 || count > FILES_MAX {
        return Err(PlanError::new("files.count", format!("between 1 and {FILES_MAX} files, not {count}")));
    }
    let mut all = Vec::new();
    for (number, (name, category)) in (0..).zip(&specification.category) {
        let key = |key: &str| format!("category.{name}.{key}");
        let owner = &category.owner;
        if owner.is_empty() || owner == HOME || owner.contains('/') || owner.starts_with('.') {
            let problem = format!("\"{owner}\" can't be the name of an owner's directory");
            return Err(PlanError::new(key("owner"), problem));
        }
        let depth =
            category.depth.as_ref().map(|depth| depth.distribution().map_err(PlanError::of(key("depth"))));
        all.push(Drawn {
            number,
            name,
            category,
            size: category.size.distribution().map_err(PlanError::of(key("size")))?,
            depth: depth.transpose()?,
            total: (f64::from(count) * category.share.get()).round() as u32,
        });
    }
    if all.is_empty() {
        return Err(PlanError::new("category", "there is no category of files"));
    }
    Ok(all)
}

struct Planner<'a> {
    specification: &'a UserSpecification,
    drawn: &'a [Drawn<'a>],
    namespace: &'a mut Namespace,
    seed: u64,
    users: u32,
}

impl Planner<'_> {
    fn place_of(&mut self, owner: &str) -> u32 {
        let Some(name) = self.specification.files.place.get(owner) else { return 0 };
        let places = &mut self.namespace.places;
        let at = places.iter().position(|there| there == name).unwrap_or_else(|| {
            places.push(name.clone());
            places.len() - 1
        });
        at as u32
    }

    fn push(&mut self, entry: Entry) -> u32 {
        self.namespace.entries.push(entry);
        (self.namespace.entries.len() - 1) as u32
    }

    /// A directory that only holds others.
    fn directory(&mut self, parent: Option<u32>, name: String, place: u32) -> u32 {
        self.push(Entry { parent, name, kind: FileKind::Directory, size: 0, category: None, place })
    }

    /// Files of a category that an owner has; of the users' own, each has his part.
    fn count(&self, drawn: &Drawn<'_>, owner: Owner) -> u32 {
        let own = match owner {
            Owner::Shared(_) => drawn.total,
            Owner::User(user) => drawn.total / self.users + u32::from(user < drawn.total % self.users),
        };
        // A category that is used needs a file to use.
        own.max(1)
    }

    fn owner(&mut self, owner: Owner, word: &str, base: u32) {
        let place = self.namespace.entries[base as usize].place;
        let path = match owner {
            Owner::User(user) => format!("files/user {user}"),
            Owner::Shared(_) => format!("files/{word}"),
        };
        let entry_bytes = self.specification.readings.entry.get().max(1);
        let mine = self.drawn.iter().filter(|drawn| drawn.category.owner == word);
        let (directories, files): (Vec<_>, Vec<_>) =
            mine.partition(|drawn| drawn.category.kind == FileKind::Directory);
        let mut chain = vec![base];
        // A slot for each entry of each directory.
        let mut slots: Vec<u32> = Vec::new();
        for drawn in directories {
            // They lie in the owner's own directory, unless at a depth.
            for (position, size) in self.fill(drawn, owner, (&path, base), &mut chain, &mut Vec::new()) {
                slots.extend(std::iter::repeat_n(position, size.div_ceil(entry_bytes) as usize));
            }
        }
        shuffle(&mut slots, &mut generator(self.seed, 0, &path, "slots"));
        for drawn in files {
            self.fill(drawn, owner, (&path, base), &mut chain, &mut slots);
        }
        if self.specification.readings.fill_directories {
            let mut filled: BTreeMap<u32, u32> = BTreeMap::new();
            for directory in slots {
                let number = filled.entry(directory).or_default();
                let name = format!("empty-{number}");
                *number += 1;
                let parent = Some(directory);
                self.push(Entry { parent, name, kind: FileKind::File, size: 0, category: None, place });
            }
        }
    }

    /// An owner's files of a category: each at its depth, or in the directory whose slot is next, or in the owner's own. Returns where
    /// they are and how large.
    fn fill(
        &mut self,
        drawn: &Drawn<'_>,
        owner: Owner,
        (path, base): (&str, u32),
        chain: &mut Vec<u32>,
        slots: &mut Vec<u32>,
    ) -> Vec<(u32, u64)> {
        let stream = |purpose| generator(self.seed, 0, &format!("{path}/{}", drawn.name), purpose);
        let (mut sizes, mut depths) = (stream("size"), stream("depth"));
        let (kind, place) = (drawn.category.kind, self.namespace.entries[base as usize].place);
        let least = u64::from(kind == FileKind::Directory);
        let mut filled = Vec::new();
        for number in 0..self.count(drawn, owner) {
            let size = draw_size(&drawn.size, &mut sizes).max(least);
            let parent =
                self.at_depth(drawn, &mut depths, chain, place).or_else(|| slots.pop()).unwrap_or(base);
            let (name, category) = (format!("{}-{number}", drawn.name), Some(drawn.number));
            let position = self.push(Entry { parent: Some(parent), name, kind, size, category, place });
            self.shelve(drawn.number, owner, size, position);
            filled.push((position, size));
        }
        filled
    }

    fn shelve(&mut self, category: u32, owner: Owner, size: u64, position: u32) {
        let shelf: &mut Shelf = self.namespace.shelves.entry((category, owner)).or_default();
        shelf.files.push((size, position));
    }

    /// The directory at a drawn depth below the owner's, where a depth is given.
    fn at_depth(
        &mut self,
        drawn: &Drawn<'_>,
        random: &mut Generator,
        chain: &mut Vec<u32>,
        place: u32,
    ) -> Option<u32> {
        let depth = drawn.depth.as_ref()?.sample(random).clamp(0.0, DEPTH_MAX).round() as usize;
        while chain.len() <= depth {
            let (parent, name) = (chain[chain.len() - 1], format!("level-{}", chain.len()));
            let next = self.directory(Some(parent), name, place);
            chain.push(next);
        }
        Some(chain[depth])
    }
}

/// A size in whole bytes.
fn draw_size(size: &Distribution, random: &mut Generator) -> u64 {
    size.sample(random).round().max(0.0) as u64
}

/// Fisher and Yates.
fn shuffle(list: &mut [u32], random: &mut Generator) {
    for last in (1..list.len()).rev() {
        list.swap(last, below(random, last as u64 + 1) as usize);
    }
}
