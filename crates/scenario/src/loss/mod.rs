//! What a scenario's data lie on, as far as it may be lost: drives by how long they live, arrays by what they outlive.
//!
//! ```text
//!  disks, arrays, partitions … ─ Survey ─┬─ groups: what lies together on the same drives, equal ones once ─▶ a store (petrio_loss)
//!                                        └─ arrays: which settings let members fail, and how long their places are filled (filling)
//! ```
//!
//! Left out: copies that a policy or Ceph or BeeGFS keeps on several servers, whose recovery isn't modelled: they are refused.

mod filling;
mod stores;

pub use filling::{Alone, Filling, Pace, bare, fillings_alone, fillings_under_load};
pub use stores::{Fills, Scale};

use crate::classes::Classes;
use crate::holder::Raid;
use crate::loaded::Loaded;
use crate::text::{Override, Problem, Problems};
use petrio_colours::SECTOR_BYTES;
use petrio_models::block::raid::{Damage, Layout, RaidLevel};
use petrio_models::reliability::Reliability;
use std::collections::{BTreeMap, BTreeSet};

/// Members that are let fail at once, at most.
const AT_ONCE: usize = 3;

/// What there is of a scenario to be lost.
#[derive(Clone, Debug)]
pub struct Survey {
    /// Parts that lie together on the same drives; equal ones once.
    pub groups: Vec<Group>,
    /// The arrays with redundancy, equal ones once.
    pub arrays: Vec<SurveyedArray>,
}

/// Parts that lie together on the same drives.
#[derive(Clone, Debug)]
pub struct Group {
    /// What lies on top: the array's name, or that of its class.
    pub name: String,
    /// What it is made of, in words.
    pub words: String,
    /// How many such groups there are.
    pub count: u64,
    /// Its parts, as numbers of [`Loaded::storage`], each behind what it lies on.
    pub(crate) parts: Vec<usize>,
    /// How many of them are drives.
    drives: u64,
    /// The arrays with redundancy in it, as numbers of [`Survey::arrays`].
    pub arrays: Vec<usize>,
}

/// An array with redundancy, or all equal ones.
#[derive(Clone, Debug)]
pub struct SurveyedArray {
    /// Its name, or that of its class.
    pub class: String,
    /// The path of its keys, as `--set` takes it.
    pub path: String,
    /// The first of them, as a number of [`Loaded::storage`].
    pub(crate) number: usize,
    /// Whether what fails is ever replaced: by a spare, or by somebody.
    pub is_repaired: bool,
    /// Hot spares.
    pub spares: u32,
    /// After how long somebody puts in a new drive, seconds.
    pub replaced_after: Option<f64>,
    /// Members that can fail at once without loss, as their numbers: the first one, the first two, and so on.
    pub(crate) outlived: Vec<u32>,
    /// Bytes that a member holds.
    pub(crate) member_bytes: u64,
}

impl Group {
    /// How many drives it has.
    pub fn drives(&self) -> u64 {
        self.drives
    }
}

impl SurveyedArray {
    /// How many members are let fail at once, at most.
    pub fn outlives(&self) -> usize {
        self.outlived.len()
    }

    /// What lets so many of its members fail at the beginning, and nothing fail else; their places are filled at once.
    pub fn failing(&self, members: usize, loaded: &Loaded) -> Vec<Override> {
        let failures: Vec<String> = self
            .outlived
            .iter()
            .take(members)
            .map(|member| format!("{{member={member},at=\"0 s\"}}"))
            .collect();
        let path = &self.path;
        let mut all = vec![
            Override::new(&format!("{path}.failures"), &format!("[{}]", failures.join(","))),
            Override::new(&format!("{path}.replaced_after"), "\"1 ms\""),
        ];
        if self.raid(loaded).is_some_and(|raid| raid.parameters.mean_time_to_failure.is_some()) {
            all.push(Override::new(&format!("{path}.mean_time_to_failure"), "\"1e15 h\""));
        }
        all
    }

    /// The levels that it could have over the same members, each with what sets it.
    pub fn other_levels(&self, loaded: &Loaded) -> Vec<(RaidLevel, Vec<Override>)> {
        let Some(raid) = self.raid(loaded) else { return Vec::new() };
        let (level, of) = (raid.parameters.level, loaded.storage[self.number].over.len());
        let members = raid.parameters.members(of);
        let redundant = [RaidLevel::Rotated, RaidLevel::DoubleRotated, RaidLevel::MirroredStriped];
        let others = redundant.into_iter().filter(|&other| {
            let pairs = other != RaidLevel::MirroredStriped || members.is_multiple_of(2);
            other != level && pairs && members > other.fewest_members().min(3)
        });
        let set = |other: RaidLevel| {
            let value =
                if other == RaidLevel::MirroredStriped { "\"1+0\"".to_owned() } else { other.to_string() };
            (other, vec![Override::new(&format!("{}.level", self.path), &value)])
        };
        others.map(set).collect()
    }

    /// What gives it one more spare, where its members are all disks of one part, and nobody else has one of these.
    pub fn one_more_spare(&self, loaded: &Loaded) -> Option<Vec<Override>> {
        let over = &loaded.storage[self.number].over;
        let part = &loaded.disks.get(*over.first()?)?.part;
        let all = loaded.disks.iter().filter(|disk| disk.part == *part).count();
        let equal = over.iter().all(|&below| loaded.disks.get(below).is_some_and(|disk| disk.part == *part));
        if !equal || all != over.len() {
            return None;
        }
        let disk = loaded.copies().written(&format!("disk.{part}")).to_owned();
        Some(vec![
            Override::new(&format!("{disk}.count"), &(all + 1).to_string()),
            Override::new(&format!("{}.spares", self.path), &(self.spares + 1).to_string()),
        ])
    }

    pub(crate) fn raid<'l>(&self, loaded: &'l Loaded) -> Option<&'l Raid> {
        raid(loaded, self.number)
    }
}

impl Survey {
    /// Of a scenario.
    ///
    /// # Errors
    /// Drives of which nobody says how long they live; redundancy that isn't modelled here.
    pub fn of(loaded: &Loaded) -> Result<Self, Problems> {
        let problems = problems(loaded);
        if !problems.is_empty() {
            return Err(Problems::new(loaded.origin.name.clone(), problems));
        }
        let classes = Classes::of(loaded);
        let (arrays, of_number) = arrays(loaded, &classes);
        let mut groups: BTreeMap<String, Group> = BTreeMap::new();
        let mut order = Vec::new();
        for parts in together(loaded) {
            let key = signature(loaded, &classes, &parts);
            let group = groups.entry(key.clone()).or_insert_with(|| {
                order.push(key);
                let arrays: BTreeSet<usize> =
                    parts.iter().filter_map(|part| of_number.get(part).copied()).collect();
                let (name, words) = about(loaded, &classes, &parts);
                let drives = parts.iter().filter(|&&part| part < loaded.disks.len()).count() as u64;
                Group { name, words, count: 0, parts, drives, arrays: arrays.into_iter().collect() }
            });
            group.count += 1;
        }
        let groups = order.iter().filter_map(|key| groups.remove(key)).collect();
        Ok(Self { groups, arrays })
    }
}

/// What makes no sense of what is said of lives.
pub(crate) fn check(loaded: &Loaded) -> Vec<Problem> {
    let mut seen = BTreeSet::new();
    let parts = loaded.disks.iter().filter(|disk| seen.insert(disk.part.as_str()));
    parts
        .filter_map(|disk| {
            let (key, words) = disk.device.parameters().reliability().objection()?;
            let path = format!("disk.{}", disk.part);
            Some(loaded.error_at(&path, format!("{path}.drive.reliability.{key}: {words}")))
        })
        .collect()
}

/// The array that a part is.
pub(crate) fn raid(loaded: &Loaded, number: usize) -> Option<&Raid> {
    let part = loaded.storage.get(number).filter(|part| part.key == "raid")?;
    loaded.scenario.holders.raid.get(&part.name)
}

/// Its layout over members of the size that they have, and that size in blocks.
pub(crate) fn layout(loaded: &Loaded, number: usize) -> Option<(Layout, u64)> {
    let raid = raid(loaded, number)?;
    let over = data_members(loaded, number);
    let blocks = over.iter().filter_map(|&below| Some(loaded.storage.get(below)?.blocks)).min()?;
    Some((raid.parameters.layout_on(loaded.storage[number].over.len(), blocks).ok()?, blocks))
}

/// What an array's data lie on, with its spares and without its journal.
pub(crate) fn data_members(loaded: &Loaded, number: usize) -> &[usize] {
    let over = &loaded.storage[number].over;
    let journal = raid(loaded, number).is_some_and(|raid| raid.parameters.journal.is_some());
    &over[..over.len() - usize::from(journal)]
}

/// What is said of a disk's life; an array of drives may say itself how long they live.
pub(crate) fn reliability(loaded: &Loaded, disk: usize) -> Reliability {
    let mut own = loaded.disks[disk].device.parameters().reliability().clone();
    let arrays = (0..loaded.storage.len()).filter(|&part| loaded.storage[part].over.contains(&disk));
    let of_array = arrays.filter_map(|part| raid(loaded, part)?.parameters.mean_time_to_failure).next();
    own.mean_time_to_failure = of_array.or(own.mean_time_to_failure);
    own
}

fn problems(loaded: &Loaded) -> Vec<Problem> {
    let mut all = Vec::new();
    for part in &loaded.storage {
        if matches!(part.key, "ceph" | "replication") {
            let path = format!("{}.{}", part.key, part.name);
            let words = format!(
                "{path}: what its copies outlive isn't known here, as nothing makes a lost one anew: the likelihood of loss is that of arrays"
            );
            all.push(
                loaded
                    .error_at(&path, words)
                    .help("ask for a scenario with the drives and arrays of one of its servers"),
            );
        }
    }
    let groups = loaded.hosts.linux.beegfs.iter().flat_map(|beegfs| &beegfs.groups);
    if groups.filter(|group| group.secondary.is_some()).count() > 0 {
        let words = "what BeeGFS's mirrored targets outlive isn't known here: nothing makes a lost one anew";
        all.push(
            Problem::error(words).help("ask for a scenario with the drives and arrays of one of its servers"),
        );
    }
    let mut seen = BTreeSet::new();
    for (number, disk) in loaded.disks.iter().enumerate() {
        if !seen.insert(disk.part.clone()) {
            continue;
        }
        let path = loaded.copies().written(&format!("disk.{}", disk.part)).to_owned();
        let place = format!("disk.{}", disk.part);
        let reliability = reliability(loaded, number);
        if reliability.mean_time_to_failure.is_none() {
            let name = disk.device.parameters().name();
            let words = format!("nothing says how long {name} lives, of {place}");
            all.push(loaded.error_at(&place, words).help(format!(
                "data sheets give it as MTBF or MTTF, or as a failure rate of a year: --set '{path}.drive.reliability.mean_time_to_failure=1200000 \
                 h' (0.73 % a year)"
            )));
        }
    }
    all
}

/// Parts that lie together on the same drives, each group in order.
fn together(loaded: &Loaded) -> Vec<Vec<usize>> {
    let storage = &loaded.storage;
    let mut first: Vec<usize> = (0..storage.len()).collect();
    let root = |first: &[usize], mut number: usize| {
        while first[number] != number {
            number = first[number];
        }
        number
    };
    for (number, part) in storage.iter().enumerate() {
        for &below in &part.over {
            let (one, other) = (root(&first, number), root(&first, below));
            first[one.max(other)] = one.min(other);
        }
    }
    let mut groups: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    (0..storage.len()).for_each(|number| groups.entry(root(&first, number)).or_default().push(number));
    groups.into_values().collect()
}

/// What is the same of equal groups.
fn signature(loaded: &Loaded, classes: &Classes, parts: &[usize]) -> String {
    let of = |&number: &usize| {
        let part = &loaded.storage[number];
        let over: Vec<usize> =
            part.over.iter().filter_map(|below| parts.iter().position(|other| other == below)).collect();
        let what = match loaded.disks.get(number) {
            Some(disk) => format!("{} {:?}", disk.device.parameters().name(), reliability(loaded, number)),
            None => classes.name(&part.name),
        };
        format!("{what} {} {over:?}", part.blocks)
    };
    parts.iter().map(of).collect::<Vec<_>>().join("\n")
}

/// A group's name, and what it is made of.
fn about(loaded: &Loaded, classes: &Classes, parts: &[usize]) -> (String, String) {
    let is_below = |number: usize| parts.iter().any(|&part| loaded.storage[part].over.contains(&number));
    let tops: Vec<usize> = parts.iter().copied().filter(|&number| !is_below(number)).collect();
    let name = |&number: &usize| classes.name(&loaded.storage[number].name);
    let names: BTreeSet<String> = tops.iter().map(name).collect();
    let mut words: BTreeMap<String, u64> = BTreeMap::new();
    for &number in parts {
        let own = match loaded.disks.get(number) {
            Some(disk) => Some(disk.device.parameters().name().to_owned()),
            None => loaded.holder(number).and_then(|holder| holder.words(loaded.storage[number].over.len())),
        };
        if let Some(own) = own {
            *words.entry(own).or_default() += 1;
        }
    }
    let words =
        words.into_iter().map(|(what, count)| if count > 1 { format!("{count} × {what}") } else { what });
    (names.into_iter().collect::<Vec<_>>().join(", "), words.collect::<Vec<_>>().join("; "))
}

/// The arrays with redundancy, equal ones once; and which one each part is.
fn arrays(loaded: &Loaded, classes: &Classes) -> (Vec<SurveyedArray>, BTreeMap<usize, usize>) {
    let (mut all, mut of_number) = (Vec::<SurveyedArray>::new(), BTreeMap::new());
    for (number, part) in loaded.storage.iter().enumerate() {
        let (Some(raid), Some((layout, blocks))) = (raid(loaded, number), layout(loaded, number)) else {
            continue;
        };
        if !layout.has_redundancy() {
            continue;
        }
        let class = classes.name(&part.name);
        if let Some(known) = all.iter().position(|array| array.class == class) {
            of_number.insert(number, known);
            continue;
        }
        let parameters = &raid.parameters;
        of_number.insert(number, all.len());
        all.push(SurveyedArray {
            class,
            path: loaded.copies().written(&format!("raid.{}", part.name)).to_owned(),
            number,
            is_repaired: parameters.spares > 0 || parameters.replaced_after.is_some(),
            spares: parameters.spares,
            replaced_after: parameters.replaced_after.map(|after| after.time().as_seconds()),
            outlived: outlived(&layout, blocks),
            member_bytes: layout.used(blocks).saturating_mul(SECTOR_BYTES),
        });
    }
    (all, of_number)
}

/// Members that can fail at once, as many as are let.
fn outlived(layout: &Layout, blocks: u64) -> Vec<u32> {
    let mut missing = vec![false; layout.members()];
    let mut all = Vec::new();
    for (member, number) in (0..layout.members()).zip(0..) {
        if all.len() == AT_ONCE {
            break;
        }
        missing[member] = true;
        if Damage::of(layout, &missing, blocks).loses {
            missing[member] = false;
            // Of mirrors side by side a second place would be filled for itself.
            if !all.is_empty() && layout.copies() > 1 {
                break;
            }
        } else {
            all.push(number);
        }
    }
    all
}
