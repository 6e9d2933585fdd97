//! What becomes of a store: who is missing, who takes his place, and when that is filled.

use crate::store::{Array, Hurt, Part, Store};
use petrio_random::Generator;
use rustc_hash::FxHashMap;

/// What missing members do, of each array and each set of them that was met.
#[derive(Debug, Default)]
pub(crate) struct Memo(FxHashMap<(usize, Vec<usize>), Hurt>);

impl Memo {
    fn hurt(&mut self, number: usize, array: &Array, missing: &[usize]) -> Hurt {
        if missing.is_empty() {
            return Hurt::default();
        }
        if let Some(known) = self.0.get(&(number, missing.to_vec())) {
            return *known;
        }
        let mut flags = vec![false; array.over.len() - array.spares];
        missing.iter().for_each(|&member| flags[member] = true);
        let hurt = array.redundancy.hurt(&flags);
        self.0.insert((number, missing.to_vec()), hurt);
        hurt
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Health {
    Whole,
    Gone,
    /// Filled, at this part of it a second.
    Filling(f64),
}

#[derive(Clone, Debug)]
struct Members {
    /// Which port is in which member's place.
    seats: Vec<usize>,
    health: Vec<Health>,
    spares: Vec<usize>,
}

impl Members {
    fn new(array: &Array) -> Self {
        let members = array.over.len() - array.spares;
        Self {
            seats: (0..members).collect(),
            health: vec![Health::Whole; members],
            spares: (members..array.over.len()).collect(),
        }
    }

    fn missing(&self) -> Vec<usize> {
        (0..self.health.len()).filter(|&member| self.health[member] != Health::Whole).collect()
    }

    fn seat_of(&self, port: usize) -> Option<usize> {
        self.seats.iter().position(|&seat| seat == port)
    }
}

#[derive(Clone, Debug)]
enum State {
    /// When it was made, where it lives.
    Drive(Option<f64>),
    Array(Members),
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Happens {
    /// A member's place is filled.
    Filled(usize),
    /// Somebody puts a new one into a member's place.
    Replaced(usize),
    /// A new one is there as a spare.
    Spare(usize),
}

#[derive(Clone, Copy, Debug)]
struct Due {
    at: f64,
    array: usize,
    what: Happens,
}

/// A store on its way through time.
#[derive(Clone, Debug)]
pub(crate) struct Course<'s> {
    store: &'s Store,
    states: Vec<State>,
    due: Vec<Due>,
    lost: bool,
    /// How many members are missing, of all arrays.
    missing: usize,
}

impl<'s> Course<'s> {
    pub(crate) fn new(store: &'s Store) -> Self {
        let states = store.parts.iter().map(|part| match part {
            Part::Drive(_, age) => State::Drive(Some(-age)),
            Part::Array(array) => State::Array(Members::new(array)),
        });
        Self { store, states: states.collect(), due: Vec::new(), lost: false, missing: 0 }
    }

    /// Whether data are lost.
    pub(crate) const fn is_lost(&self) -> bool {
        self.lost
    }

    /// Whether no member of any array is missing.
    pub(crate) const fn is_whole(&self) -> bool {
        self.missing == 0
    }

    /// The drives that live, with their ages.
    pub(crate) fn living(&self, now: f64) -> impl Iterator<Item = (usize, f64)> + '_ {
        let age = move |(number, state): (usize, &State)| match state {
            State::Drive(Some(born)) => Some((number, now - born)),
            State::Drive(None) | State::Array(_) => None,
        };
        self.states.iter().enumerate().filter_map(age)
    }

    /// When the next thing happens that is known already.
    pub(crate) fn next_due(&self) -> Option<f64> {
        self.due.iter().map(|due| due.at).reduce(f64::min)
    }

    /// What is due first happens.
    pub(crate) fn happen(&mut self, random: &mut Generator) {
        let first =
            (0..self.due.len()).min_by(|&one, &other| self.due[one].at.total_cmp(&self.due[other].at));
        let Some(Due { at, array, what }) = first.map(|first| self.due.remove(first)) else { return };
        match what {
            Happens::Filled(member) => {
                self.members(array).health[member] = Health::Whole;
                self.missing -= 1;
            }
            Happens::Replaced(member) => {
                let port = self.members(array).seats[member];
                self.renew(self.below(array, port), at);
                self.fill(array, member, at, random);
            }
            Happens::Spare(port) => {
                self.renew(self.below(array, port), at);
                self.members(array).spares.push(port);
            }
        }
    }

    /// A part fails: a drive, or an array that has lost data.
    pub(crate) fn fail(&mut self, part: usize, now: f64, (random, memo): (&mut Generator, &mut Memo)) {
        if let State::Drive(born) = &mut self.states[part] {
            *born = None;
        }
        let above = &self.store.above[part];
        self.lost |= above.is_empty();
        for &(array, port) in above {
            self.fail_port((array, port), now, (&mut *random, &mut *memo));
        }
    }

    fn fail_port(
        &mut self,
        (array, port): (usize, usize),
        now: f64,
        (random, memo): (&mut Generator, &mut Memo),
    ) {
        let replaced_after = self.of(array).replaced_after;
        let members = self.members(array);
        let member = members.seat_of(port).filter(|&member| members.health[member] != Health::Gone);
        let Some(member) = member else {
            let spares = members.spares.len();
            members.spares.retain(|&spare| spare != port);
            if members.spares.len() < spares {
                self.call(replaced_after, now, (array, Happens::Spare(port)));
            }
            return;
        };
        let was_whole = members.health[member] == Health::Whole;
        members.health[member] = Health::Gone;
        let missing = members.missing();
        let spare = members.spares.pop();
        self.missing += usize::from(was_whole);
        self.due.retain(|due| (due.array, due.what) != (array, Happens::Filled(member)));
        if memo.hurt(array, self.of(array), &missing).loses {
            self.fail(array, now, (random, memo));
            return;
        }
        match spare {
            Some(spare) => {
                self.members(array).seats[member] = spare;
                self.fill(array, member, now, random);
                self.call(replaced_after, now, (array, Happens::Spare(port)));
            }
            None => self.call(replaced_after, now, (array, Happens::Replaced(member))),
        }
    }

    /// What has taken a member's place begins to be filled, if ever.
    fn fill(&mut self, array: usize, member: usize, now: f64, random: &mut Generator) {
        let missing = self.members(array).missing().len();
        let fill = &self.of(array).fill;
        let Some(fill) = fill.get(missing.saturating_sub(1)).or(fill.last()) else { return };
        let takes = fill.draw(random);
        self.members(array).health[member] = Health::Filling(1.0 / takes.max(f64::MIN_POSITIVE));
        self.due.push(Due { at: now + takes, array, what: Happens::Filled(member) });
    }

    fn call(&mut self, after: Option<f64>, now: f64, (array, what): (usize, Happens)) {
        if let Some(after) = after {
            self.due.push(Due { at: now + after, array, what });
        }
    }

    /// What lies in a place is as new: a drive, and of an array every drive that doesn't live.
    fn renew(&mut self, part: usize, now: f64) {
        match &mut self.states[part] {
            State::Drive(born) => {
                born.get_or_insert(now);
            }
            State::Array(members) => {
                self.missing -= members.missing().len();
                let array = self.of(part);
                self.states[part] = State::Array(Members::new(array));
                self.due.retain(|due| due.array != part);
                array.over.iter().for_each(|&below| self.renew(below, now));
            }
        }
    }

    /// The drives of which one more that fails would lose data.
    pub(crate) fn fatal(&self, memo: &mut Memo) -> Vec<usize> {
        let drives =
            (0..self.states.len()).filter(|&part| matches!(self.states[part], State::Drive(Some(_))));
        drives.filter(|&drive| self.would_lose(drive, memo)).collect()
    }

    fn would_lose(&self, part: usize, memo: &mut Memo) -> bool {
        let above = &self.store.above[part];
        above.is_empty()
            || above.iter().any(|&(array, port)| {
                let State::Array(members) = &self.states[array] else { return false };
                let Some(member) = members.seat_of(port) else { return false };
                let mut missing = members.missing();
                let Err(place) = missing.binary_search(&member) else { return false };
                missing.insert(place, member);
                memo.hurt(array, self.of(array), &missing).loses && self.would_lose(array, memo)
            })
    }

    /// The drives of arrays that are damaged, spares left out.
    pub(crate) fn beside_damage(&self) -> Vec<usize> {
        let is_damaged = |&(array, port): &(usize, usize)| match &self.states[array] {
            State::Array(members) => {
                members.seat_of(port).is_some()
                    && members.health.iter().any(|health| *health != Health::Whole)
            }
            State::Drive(_) => false,
        };
        // Of an array within a damaged one, all drives are.
        let mut beside = vec![false; self.states.len()];
        for part in (0..self.states.len()).rev() {
            let above = &self.store.above[part];
            beside[part] = above.iter().any(|place| is_damaged(place) || beside[place.0]);
        }
        (0..self.states.len())
            .filter(|&part| beside[part] && matches!(self.states[part], State::Drive(Some(_))))
            .collect()
    }

    /// Sectors that can't be read and that nothing else has, to be expected in a second, as places are filled. `unread` is how long nobody has
    /// read what lies there.
    pub(crate) fn sectors_a_second(&self, unread: f64, memo: &mut Memo) -> f64 {
        if self.is_whole() {
            return 0.0;
        }
        let of = |(number, state): (usize, &State)| {
            let (State::Array(members), Some(array)) = (state, self.store.array_at(number)) else {
                return 0.0;
            };
            let rates = members.health.iter().filter_map(|health| match health {
                Health::Filling(rate) => Some(*rate),
                Health::Whole | Health::Gone => None,
            });
            let Some(rate) = rates.reduce(f64::max) else { return 0.0 };
            let each = array.sectors.each_reading + array.sectors.latent_a_second * unread;
            if each == 0.0 {
                return 0.0;
            }
            memo.hurt(number, array, &members.missing()).unprotected * each * rate
        };
        self.states.iter().enumerate().map(of).sum()
    }

    fn of(&self, array: usize) -> &'s Array {
        match &self.store.parts[array] {
            Part::Array(array) => array,
            Part::Drive(..) => unreachable!("only arrays lie on others"),
        }
    }

    fn below(&self, array: usize, port: usize) -> usize {
        self.of(array).over[port]
    }

    fn members(&mut self, array: usize) -> &mut Members {
        match &mut self.states[array] {
            State::Array(members) => members,
            State::Drive(_) => unreachable!("only arrays lie on others"),
        }
    }
}
