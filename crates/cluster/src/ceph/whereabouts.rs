//! What stands where: which OSDs hold each placement group, and which of its objects each of them doesn't have as they are now. Pure.
//!
//! An OSD that isn't there misses what is written meanwhile; one to which CRUSH brings a group has nothing of it at first. Who has all
//! stays until those whom CRUSH wants have all, and goes then. As in Ceph, an OSD that comes back gets only the objects that were
//! written meanwhile, and what was begun is of all objects of a group ("backfill").

use super::crush::IN;
use super::layout::Layout;
use petrio_persist::Persist;
use petrio_stage::fast_map::FastMap;
use petrio_units::numbers::as_number;
use smallvec::SmallVec;
use std::collections::BTreeSet;
use std::sync::Arc;

/// An OSD that holds a group: which shard, where it is erasure-coded, else 0.
pub(super) type Seat = (u32, u32);
/// Several.
pub(super) type Seats = SmallVec<[Seat; 6]>;

/// An OSD that holds a group, or is to.
#[derive(Clone, Debug, Persist)]
struct Hold {
    seat: Seat,
    /// Objects that it doesn't have as they are now.
    missing: BTreeSet<u32>,
}

/// A placement group.
#[derive(Clone, Debug, Persist)]
struct Group {
    holds: Vec<Hold>,
    /// The OSDs on which CRUSH wants it, those that are away left out.
    wanted: Seats,
}

/// All of it.
#[derive(Clone, Debug, Persist)]
pub(super) struct Whereabouts {
    #[persist(keep)]
    layout: Arc<Layout>,
    /// Shards of which data are made, and without which nothing is served.
    #[persist(keep)]
    needed: usize,
    #[persist(keep)]
    least: usize,
    /// By OSD: whether it is known to be there, and how far CRUSH counts on it.
    up: Vec<bool>,
    weights: Vec<u32>,
    groups: Vec<Group>,
    /// Where objects lie that have been brought to an OSD.
    moved: FastMap<(u32, u32), u32>,
    taken: Vec<u32>,
}

impl Whereabouts {
    pub(super) fn new(layout: Arc<Layout>, (needed, least): (usize, usize)) -> Self {
        let osds = layout.taken.len();
        let seats = |home: &Vec<Option<u32>>| -> Seats { seats(home, layout.erasure) };
        let group = |home: &Vec<Option<u32>>| Group {
            holds: seats(home).into_iter().map(|seat| Hold { seat, missing: BTreeSet::new() }).collect(),
            wanted: seats(home),
        };
        Self {
            needed,
            least,
            up: vec![true; osds],
            weights: vec![IN; osds],
            groups: layout.home.iter().map(group).collect(),
            moved: FastMap::default(),
            taken: layout.taken.clone(),
            layout,
        }
    }

    pub(super) fn group_of(&self, object: u32) -> u32 {
        self.layout.group_of[object as usize]
    }

    pub(super) fn is_up(&self, osd: u32) -> bool {
        self.up[osd as usize]
    }

    /// Who of a group is there and has an object.
    pub(super) fn having(&self, object: u32) -> Seats {
        let group = &self.groups[self.group_of(object) as usize];
        let has = |hold: &&Hold| self.is_up(hold.seat.0) && !hold.missing.contains(&object);
        group.holds.iter().filter(has).map(|hold| hold.seat).collect()
    }

    /// Those of whom data are made, one a shard.
    pub(super) fn sources(&self, object: u32) -> Seats {
        let mut found = Seats::new();
        for seat in self.having(object) {
            if found.len() < self.needed && found.iter().all(|(_, shard)| *shard != seat.1) {
                found.push(seat);
            }
        }
        found.sort_by_key(|(_, shard)| *shard);
        found
    }

    /// The OSD that speaks for an object, if enough of it is there: the first that CRUSH wants and that lacks nothing, or else one that
    /// lacks nothing, or that has the object.
    pub(super) fn primary(&self, object: u32) -> Option<u32> {
        let having = self.having(object);
        if self.copies(&having) < self.least {
            return None;
        }
        let group = &self.groups[self.group_of(object) as usize];
        let whole =
            |seat: &Seat| group.holds.iter().any(|hold| hold.seat == *seat && hold.missing.is_empty());
        let wanted = group.wanted.iter().find(|seat| having.contains(seat) && whole(seat));
        let first = wanted.or_else(|| having.iter().find(|seat| whole(seat))).or_else(|| having.first());
        first.map(|(osd, _)| *osd)
    }

    /// The OSD that brings an object to others: its primary, or where too few are there for one, who has some of it.
    pub(super) fn giver(&self, object: u32) -> Option<u32> {
        self.primary(object).or_else(|| self.having(object).first().map(|(osd, _)| *osd))
    }

    /// Copies, or different shards, among seats.
    fn copies(&self, seats: &[Seat]) -> usize {
        if !self.layout.erasure {
            return seats.len();
        }
        seats.iter().map(|(_, shard)| *shard).collect::<BTreeSet<_>>().len()
    }

    /// Whether so many seats are fewer than there are to be.
    pub(super) fn is_degraded(&self, seats: &[Seat]) -> bool {
        self.copies(seats) < self.layout.width
    }

    /// An object is being written at these seats: all others don't have it any more as it is then.
    pub(super) fn written(&mut self, object: u32, at: &[Seat]) {
        let group = self.layout.group_of[object as usize] as usize;
        for hold in &mut self.groups[group].holds {
            if !at.contains(&hold.seat) {
                hold.missing.insert(object);
            }
        }
    }

    /// A seat has got an object as it is now.
    pub(super) fn filled(&mut self, object: u32, seat: Seat) {
        let group = self.group_of(object);
        let holds = &mut self.groups[group as usize].holds;
        if let Some(hold) = holds.iter_mut().find(|hold| hold.seat == seat) {
            hold.missing.remove(&object);
        }
        self.settle(group as usize);
    }

    /// Those who aren't wanted any more go once all who are have all.
    fn settle(&mut self, group: usize) {
        let width = self.layout.width;
        let Group { holds, wanted } = &mut self.groups[group];
        let complete = |seat: &Seat| holds.iter().any(|hold| hold.seat == *seat && hold.missing.is_empty());
        if wanted.len() == width && wanted.iter().all(complete) {
            holds.retain(|hold| wanted.contains(&hold.seat));
        }
    }

    /// An OSD is found to be away, or there again.
    pub(super) fn set_up(&mut self, osd: u32, up: bool) {
        self.up[osd as usize] = up;
        if up {
            self.weights[osd as usize] = IN;
        }
        self.remap();
    }

    /// Others are to take over what lies on an OSD.
    pub(super) fn set_out(&mut self, osd: u32) {
        self.weights[osd as usize] = 0;
        self.remap();
    }

    fn remap(&mut self) {
        for number in 0..self.groups.len() {
            let wanted = self.layout.wanted(number, &self.weights);
            let mut wanted = seats(&wanted, self.layout.erasure);
            wanted.retain(|(osd, _)| self.up[*osd as usize]);
            let group = &mut self.groups[number];
            for &seat in &wanted {
                if group.holds.iter().all(|hold| hold.seat != seat) {
                    let missing = self.layout.objects[number].iter().copied().collect();
                    group.holds.push(Hold { seat, missing });
                }
            }
            group.wanted = wanted;
            self.settle(number);
        }
    }

    /// Groups of which somebody who is there and wanted lacks objects that can be made: each with an OSD that gives and those that get.
    pub(super) fn to_fill(&self) -> impl Iterator<Item = (u32, Seats)> + '_ {
        (0u32..).zip(&self.groups).filter_map(|(number, group)| {
            let lacks = |hold: &&Hold| {
                self.is_up(hold.seat.0) && !hold.missing.is_empty() && group.wanted.contains(&hold.seat)
            };
            let seats: Seats = group.holds.iter().filter(lacks).map(|hold| hold.seat).collect();
            (!seats.is_empty()).then_some((number, seats))
        })
    }

    /// What a seat of a group lacks from this object on: the first that can be made.
    pub(super) fn next_missing(&self, group: u32, seat: Seat, from: u32) -> Option<u32> {
        let hold = self.groups[group as usize].holds.iter().find(|hold| hold.seat == seat)?;
        hold.missing.range(from..).copied().find(|&object| self.sources(object).len() >= self.needed)
    }

    /// Groups of which fewer are whole than there are to be, and those that aren't served.
    pub(super) fn short(&self) -> (u64, u64) {
        let mut all = (0, 0);
        for group in self.groups.iter().zip(&self.layout.objects).filter(|(_, objects)| !objects.is_empty()) {
            let up = |hold: &&Hold| self.is_up(hold.seat.0);
            let whole = group.0.holds.iter().filter(up).filter(|hold| hold.missing.is_empty());
            let whole: Seats = whole.map(|hold| hold.seat).collect();
            all.0 += u64::from(self.is_degraded(&whole));
            let first = group.1.first().is_some_and(|&object| self.primary(object).is_none());
            all.1 += u64::from(first);
        }
        all
    }

    /// Where an object lies on an OSD: its first sector. What is brought there gets the next place.
    pub(super) fn sector(&mut self, object: u32, (osd, _): Seat) -> u64 {
        let layout = &self.layout;
        if let Some(shard) = layout.shard_at_home(layout.group_of[object as usize], osd) {
            return layout.sector(osd, layout.places[object as usize * layout.width + shard]);
        }
        let taken = &mut self.taken[osd as usize];
        let place = self.moved.entry((osd, object)).or_insert_with(|| {
            *taken += 1;
            *taken - 1
        });
        layout.sector(osd, *place)
    }
}

/// Seats of what CRUSH gives by shard.
fn seats(osds: &[Option<u32>], erasure: bool) -> Seats {
    let seat =
        |(shard, osd): (usize, &Option<u32>)| Some(((*osd)?, if erasure { as_number(shard) } else { 0 }));
    osds.iter().enumerate().filter_map(seat).collect()
}
