//! Lays out files.

use super::names::{FileName, NamePattern, NameSeries};
use super::specification::{Category, EACH_USER, FileKind, Spread, Wanted};
use super::tree::Tree;
use super::{Entry, Namespace, Owner, Shelf};
use petrio_distribution::{Distribution, DistributionError};
use petrio_kernel::Watch;
use petrio_random::{Generator, generator, uniform_below};
use petrio_units::numbers::{as_index, as_number, nearest_whole, whole_part};
use std::collections::BTreeMap;
use std::ops::Range;
use thiserror::Error;

/// The directory of the users' directories.
pub const HOME: &str = "home";
/// Most files of a specification.
const FILES_MAX: u32 = 1 << 24;
/// Memory that a place on the shelf of its category takes.
const SHELF_BYTES: usize = size_of::<(u64, u32)>();
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
    pattern: NamePattern<'a>,
    names: NameSeries,
    total: u32,
}

/// Checks everything that needs no files to be laid out.
pub(crate) fn check(wanted: Wanted<'_>) -> Result<(), PlanError> {
    drawn(wanted).map(drop)
}

/// Lays out the files for so many users; the same from the same seed.
pub(crate) fn plan(wanted: Wanted<'_>, users: u32, seed: u64) -> Result<Namespace, PlanError> {
    plan_for(wanted, users, 0..users, seed, &Watch::default())
}

/// As [`plan`], with the files that all share and those of some of the users alone: what users have doesn't depend on
/// each other. The home of a user who is left out is the directory of all homes. Of what is stopped, nothing is kept.
pub(crate) fn plan_for(
    wanted: Wanted<'_>,
    users: u32,
    only: Range<u32>,
    seed: u64,
    watch: &Watch,
) -> Result<Namespace, PlanError> {
    let drawn = drawn(wanted)?;
    check_number(&drawn, users)?;
    check_room(&drawn, users, only.len() as u64)?;
    let mut namespace = Namespace { places: vec![String::new()], ..Namespace::default() };
    let mut planner =
        Planner { wanted, drawn: &drawn, namespace: &mut namespace, seed, users, rooms: 0, watch };
    let mut shared: Vec<&str> = Vec::new();
    for category in wanted.category.values() {
        if category.owner != EACH_USER && !shared.contains(&category.owner.as_str()) {
            shared.push(&category.owner);
        }
    }
    for (number, owner) in (0..).zip(shared) {
        let place = planner.place_of(owner);
        planner.namespace.shared.push(owner.to_owned());
        let base = planner.directory(None, owner.into(), place);
        planner.owner(Owner::Shared(number), owner, base)?;
    }
    let place = planner.place_of(EACH_USER);
    let home = planner.directory(None, HOME.into(), place);
    for user in 0..users {
        planner.go_on()?;
        if !only.contains(&user) {
            planner.namespace.homes.push(home);
            continue;
        }
        let base = planner.directory(Some(home), format!("u{:03}", user + 1).as_str().into(), place);
        planner.namespace.homes.push(base);
        planner.owner(Owner::User(user), EACH_USER, base)?;
    }
    for shelf in namespace.shelves.values_mut() {
        shelf.files.sort_unstable();
    }
    Ok(namespace)
}

/// Refuses more users than there is memory for their files, before the first is laid out.
fn check_room(drawn: &[Drawn<'_>], users: u32, laid_out: u64) -> Result<(), PlanError> {
    let (own, shared): (Vec<_>, Vec<_>) = drawn.iter().partition(|drawn| drawn.category.owner == EACH_USER);
    let shared: u64 = shared.iter().map(|drawn| u64::from(drawn.total.max(1))).sum();
    // Each user has a home, and of each category his part or one file.
    let of_user = |drawn: &&Drawn<'_>| u64::from((drawn.total / users.max(1)).max(1));
    let a_user: u64 = 1 + own.iter().map(of_user).sum::<u64>();
    let entries = laid_out.saturating_mul(a_user).saturating_add(shared);
    let homes = u64::from(users) * size_of::<u32>() as u64;
    let needed = entries.saturating_mul((size_of::<Entry>() + SHELF_BYTES) as u64).saturating_add(homes);
    petrio_bounds::check(needed).map_err(|cause| {
        PlanError::new(
            "users",
            format!("{users} users have at least {entries} files and directories: {cause}"),
        )
    })
}

fn drawn(wanted: Wanted<'_>) -> Result<Vec<Drawn<'_>>, PlanError> {
    let count = wanted.files.count;
    if count == 0 || count > FILES_MAX {
        return Err(PlanError::new("files.count", format!("between 1 and {FILES_MAX} files, not {count}")));
    }
    let mut all = Vec::new();
    for (number, (name, category)) in (0..).zip(wanted.category) {
        let key = |key: &str| format!("category.{name}.{key}");
        let owner = &category.owner;
        if owner.is_empty() || owner == HOME || owner.contains('/') || owner.starts_with('.') {
            let problem = format!("\"{owner}\" can't be the name of an owner's directory");
            return Err(PlanError::new(key("owner"), problem));
        }
        let depth =
            category.depth.as_ref().map(|depth| depth.distribution().map_err(PlanError::of(key("depth"))));
        // Only a tail may lie outside; it is cut.
        if let Some(Ok(depth)) = &depth
            && (depth.quantile(1.0) < 0.0 || depth.mean() > DEPTH_MAX)
        {
            let problem = format!("between 0 and {DEPTH_MAX} directories lie above a file");
            return Err(PlanError::new(key("depth"), problem));
        }
        let pattern = NamePattern::of(name, category.name.as_deref())
            .map_err(|why| PlanError::new(key("name"), why))?;
        all.push(Drawn {
            number,
            name,
            category,
            size: category.size.distribution().map_err(PlanError::of(key("size")))?,
            depth: depth.transpose()?,
            names: pattern.series(),
            pattern,
            total: as_number(nearest_whole(f64::from(count) * category.share.get())),
        });
    }
    if all.is_empty() {
        return Err(PlanError::new("category", "there is no category of files"));
    }
    for (at, one) in all.iter().enumerate() {
        let same_owner = |other: &&Drawn<'_>| other.category.owner == one.category.owner;
        if let Some(other) =
            all[..at].iter().filter(same_owner).find(|other| one.pattern.may_meet(&other.pattern))
        {
            let problem = format!("its files can have the names of those of \"{}\"", other.name);
            return Err(PlanError::new(format!("category.{}.name", one.name), problem));
        }
    }
    Ok(all)
}

/// Refuses more files than there may be, before any is laid out.
fn check_number(drawn: &[Drawn<'_>], users: u32) -> Result<(), PlanError> {
    let (own, shared): (Vec<_>, Vec<_>) = drawn.iter().partition(|drawn| drawn.category.owner == EACH_USER);
    // A directory, and a file at least of each category.
    let each = 1 + own.len() as u64;
    let of_users = u64::from(users).saturating_mul(each);
    if of_users > u64::from(FILES_MAX) {
        let problem = format!(
            "{users} users with {each} files and directories each at least are {of_users}; there can be {FILES_MAX}"
        );
        return Err(PlanError::new("users", problem));
    }
    let files = |of: &[&Drawn<'_>], least: u32| -> u64 {
        of.iter().map(|drawn| u64::from(drawn.total.max(least))).sum()
    };
    let all = u64::from(users) + files(&own, users) + files(&shared, 1);
    if all > u64::from(FILES_MAX) {
        let problem =
            format!("with the shares of all categories, these are {all} files; there can be {FILES_MAX}");
        return Err(PlanError::new("files.count", problem));
    }
    Ok(())
}

struct Planner<'a> {
    wanted: Wanted<'a>,
    drawn: &'a [Drawn<'a>],
    namespace: &'a mut Namespace,
    seed: u64,
    users: u32,
    /// Entries that the directories so far have by their sizes.
    rooms: u64,
    watch: &'a Watch,
}

impl Planner<'_> {
    /// Refuses to go on once nobody wants it.
    fn go_on(&self) -> Result<(), PlanError> {
        if self.watch.is_stopped() { Err(PlanError::new("files", "it was stopped")) } else { Ok(()) }
    }

    fn place_of(&mut self, owner: &str) -> u32 {
        let Some(name) = self.wanted.files.place.get(owner) else { return 0 };
        let places = &mut self.namespace.places;
        let at = places.iter().position(|there| there == name).unwrap_or_else(|| {
            places.push(name.clone());
            places.len() - 1
        });
        as_number(at)
    }

    fn push(&mut self, entry: Entry) -> u32 {
        self.namespace.entries.push(entry);
        as_number(self.namespace.entries.len() - 1)
    }

    /// A directory that only holds others.
    fn directory(&mut self, parent: Option<u32>, name: FileName, place: u32) -> u32 {
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

    fn owner(&mut self, owner: Owner, word: &str, base: u32) -> Result<(), PlanError> {
        let path = match owner {
            Owner::User(user) => format!("files/user {user}"),
            Owner::Shared(_) => format!("files/{word}"),
        };
        let mine = self.drawn.iter().filter(|drawn| drawn.category.owner == word);
        let (directories, files): (Vec<_>, Vec<_>) =
            mine.partition(|drawn| drawn.category.kind == FileKind::Directory);
        let mut tree = Tree::new(base, generator(self.seed, 0, &path, "slots"));
        // Directories from the top down, so that each finds those above it.
        let mut directories: Vec<Sketch<'_>> =
            directories.into_iter().flat_map(|drawn| self.sketches(drawn, owner, &path)).collect();
        directories.sort_by_key(|sketch| sketch.depth);
        let entry_bytes = self.wanted.entry.get().max(1);
        for sketch in directories {
            self.go_on()?;
            let depth = sketch.depth.unwrap_or(0);
            // Those without a depth lie in the owner's own directory.
            let parent = if sketch.depth.is_some() { self.room_at(&mut tree, depth, base) } else { base };
            let entries = sketch.size.div_ceil(entry_bytes);
            self.rooms = self.rooms.saturating_add(entries);
            if self.rooms > u64::from(FILES_MAX) {
                let problem = format!("by their sizes, directories have more than {FILES_MAX} entries");
                return Err(PlanError::new(format!("category.{}.size", sketch.drawn.name), problem));
            }
            let position = self.make(&sketch, owner, parent);
            tree.add(depth + 1, position, as_index(entries));
        }
        for drawn in files {
            for sketch in self.sketches(drawn, owner, &path) {
                self.go_on()?;
                let parent = match sketch.depth {
                    Some(depth) => self.room_at(&mut tree, depth, base),
                    None => tree.room_anywhere().unwrap_or(base),
                };
                self.make(&sketch, owner, parent);
            }
        }
        if self.wanted.fill_directories {
            let place = self.namespace.entries[base as usize].place;
            let mut filled: BTreeMap<u32, u32> = BTreeMap::new();
            let empty = NameSeries::of("empty-", "");
            for directory in tree.rooms() {
                self.go_on()?;
                let number = filled.entry(directory).or_default();
                let name = empty.name(*number);
                *number += 1;
                let parent = Some(directory);
                self.push(Entry { parent, name, kind: FileKind::File, size: 0, category: None, place });
            }
        }
        Ok(())
    }

    /// An owner's files of a category, drawn and not yet put anywhere.
    fn sketches<'d>(&self, drawn: &'d Drawn<'d>, owner: Owner, path: &str) -> Vec<Sketch<'d>> {
        let stream = |purpose| generator(self.seed, 0, &format!("{path}/{}", drawn.name), purpose);
        let spread = self.wanted.spread;
        let (first, step) = match owner {
            Owner::Shared(_) => (0, 1),
            Owner::User(user) => (user, self.users),
        };
        let count = (self.count(drawn, owner), first, step);
        let least = f64::from(u8::from(drawn.category.kind == FileKind::Directory));
        let sizes = draws(&drawn.size, spread, count, stream("size"), self.watch);
        let mut depths = drawn
            .depth
            .as_ref()
            .map(|depth| draws(depth, spread, count, stream("depth"), self.watch).into_iter());
        let mut depth =
            || depths.as_mut()?.next().map(|depth| as_index(nearest_whole(depth.clamp(0.0, DEPTH_MAX))));
        let sketch = |(number, size): (u32, f64)| Sketch {
            drawn,
            number,
            size: whole_part(size.round().max(least)),
            depth: depth(),
        };
        (0..).zip(sizes).map(sketch).collect()
    }

    fn make(&mut self, sketch: &Sketch<'_>, owner: Owner, parent: u32) -> u32 {
        let &Sketch { drawn, number, size, .. } = sketch;
        let category = Some(drawn.number);
        let (kind, place) = (drawn.category.kind, self.namespace.entries[parent as usize].place);
        let name = drawn.names.name(number);
        let position = self.push(Entry { parent: Some(parent), name, kind, size, category, place });
        let shelf: &mut Shelf = self.namespace.shelves.entry((drawn.number, owner)).or_default();
        shelf.files.push((size, position));
        position
    }

    /// A directory at a depth: one with room, any where none has, a new one where none is.
    fn room_at(&mut self, tree: &mut Tree, depth: usize, base: u32) -> u32 {
        let place = self.namespace.entries[base as usize].place;
        for level in 1..=depth {
            if tree.is_bare(level) {
                let above = tree.any_at(level - 1).unwrap_or(base);
                let position = self.directory(Some(above), format!("level-{level}").as_str().into(), place);
                tree.add(level, position, 0);
            }
        }
        tree.room_at(depth).or_else(|| tree.any_at(depth)).unwrap_or(base)
    }
}

/// A file or a directory that is to be made.
#[derive(Clone, Copy)]
struct Sketch<'a> {
    drawn: &'a Drawn<'a>,
    number: u32,
    size: u64,
    depth: Option<usize>,
}

/// So many numbers of a distribution; where they are spread evenly, every `step`th from `first` on of those for all
/// owners. Fewer, where nobody wants them any more.
fn draws(
    of: &Distribution,
    spread: Spread,
    (count, first, step): (u32, u32, u32),
    mut random: Generator,
    watch: &Watch,
) -> Vec<f64> {
    let wanted = (0..count).take_while(|_| !watch.is_stopped());
    if spread == Spread::Random {
        return wanted.map(|_| of.sample(&mut random)).collect();
    }
    let total = f64::from(count) * f64::from(step);
    let part = |number: u32| (f64::from(number) * f64::from(step) + f64::from(first) + 0.5) / total;
    let mut all: Vec<f64> = wanted.map(|number| of.quantile(part(number))).collect();
    // Fisher and Yates: which file has which is random all the same.
    for last in (1..all.len()).rev() {
        all.swap(last, as_index(uniform_below(&mut random, last as u64 + 1)));
    }
    all
}
