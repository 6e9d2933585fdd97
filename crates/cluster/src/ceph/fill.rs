//! OSDs that stop and come back, and objects that are brought to those who lack them.
//!
//! An OSD that stops is found out after `grace`; until then whoever waits for it waits. Then its groups go on without it, as far as enough
//! copies are there, and what was under way there is sent again. After `down_out_interval` CRUSH puts others in its place. A group
//! of which somebody lacks objects is filled by its primary, one object after the other, as many at once as are allowed; whoever
//! gives or gets has so many groups at a time. An object that is being brought isn't written meanwhile.
//!
//! Source: Ceph 16.2 src/mon/OSDMonitor.cc (`tick`), src/osd/PeeringState.cc, src/osd/ReplicatedBackend.cc (recovery), and
//! src/common/AsyncReserver.h. Leaves out peering's messages, heartbeats, partial recovery of an object, and the queues' shares of
//! recovery (`osd_op_queue`): it waits its turn among operations.

use super::effort::{Effort, Event, Key, Kind, Stage};
use super::pool::Pool;
use super::whereabouts::{Seat, Seats};
use petrio_kernel::Time;
use petrio_persist::Persist;

/// A placement group that is being filled.
#[derive(Clone, Debug, Persist)]
pub(super) struct Fill {
    /// Its number among all that ever were.
    pub number: u64,
    pub group: u32,
    pub primary: u32,
    pub seats: Seats,
    /// Objects under way, and rests before the next.
    pub under_way: u32,
    pub resting: u32,
}

impl Pool {
    /// Something happens.
    pub(super) fn happens(&mut self, event: Event, now: Time) {
        match event {
            Event::Stop(osd) => self.stops(osd, now),
            Event::Return(osd) => self.returns(osd, now),
            Event::Down(osd, life) if self.is_away(osd, life) => {
                self.there.set_up(osd, false);
                self.without(osd, now);
            }
            Event::Out(osd, life) if self.is_away(osd, life) => {
                self.there.set_out(osd);
                self.changed(now);
            }
            Event::Defer(osd, life) if self.osds[osd as usize].life == life => self.undefer(osd, now),
            Event::Fill(number) => {
                if let Some(fill) = self.fills.iter_mut().find(|fill| fill.number == number) {
                    fill.resting -= 1;
                    self.fill_next(number, now);
                }
            }
            Event::Down(..) | Event::Out(..) | Event::Defer(..) => {}
        }
    }

    fn is_away(&self, osd: u32, life: u64) -> bool {
        let there = &self.osds[osd as usize];
        !there.alive && there.life == life
    }

    fn stops(&mut self, osd: u32, now: Time) {
        let rules = self.rules.store[osd as usize];
        let (gives, gets) = (self.osds[osd as usize].gives, self.osds[osd as usize].gets);
        self.osds[osd as usize].begins_anew(&rules, false);
        (self.osds[osd as usize].gives, self.osds[osd as usize].gets) = (gives, gets);
        self.tally.stopped += 1;
        self.tally.first_stop.get_or_insert(now);
        let life = self.osds[osd as usize].life;
        let recovery = self.rules.recovery[osd as usize];
        let grace = recovery.grace.time();
        self.events.push((Event::Down(osd, life), grace));
        self.events.push((Event::Out(osd, life), grace.saturating_add(recovery.out.time())));
    }

    fn returns(&mut self, osd: u32, now: Time) {
        let rules = self.rules.store[osd as usize];
        if self.there.is_up(osd) {
            // Nobody has found out.
            self.there.set_up(osd, false);
            self.without(osd, now);
        }
        let (gives, gets) = (self.osds[osd as usize].gives, self.osds[osd as usize].gets);
        self.osds[osd as usize].begins_anew(&rules, true);
        (self.osds[osd as usize].gives, self.osds[osd as usize].gets) = (gives, gets);
        self.there.set_up(osd, true);
        self.changed(now);
    }

    /// What waits for an OSD is sent again, and what it gives or gets is given up.
    fn without(&mut self, osd: u32, now: Time) {
        let waits = |effort: &Effort| {
            let asks = effort.seats.iter().any(|seat| seat.0 == osd);
            effort.stage != Stage::Answered && (effort.primary == osd || asks)
        };
        // Those that are blocked have no primary yet.
        let blocked = std::mem::take(&mut self.blocked);
        let waiting = self.efforts_that(waits);
        for key in waiting.into_iter().filter(|key| !blocked.contains(key)) {
            self.again(key, now);
        }
        self.blocked.extend(blocked);
        let gone: Vec<u64> = (self.fills.iter())
            .filter(|fill| fill.primary == osd || fill.seats.iter().any(|seat| seat.0 == osd))
            .map(|fill| fill.number)
            .collect();
        for number in gone {
            self.give_up(number, now);
        }
        self.changed(now);
    }

    /// An effort is begun anew, or given up where it fills.
    fn again(&mut self, key: Key, now: Time) {
        self.uncount(key, now);
        self.parked.retain(|other| *other != key);
        let Some(effort) = self.effort_mut(key) else { return };
        if let Kind::Fill(seat) = effort.kind {
            let object = effort.object;
            self.efforts.discard(key.slot);
            // Where another than those who fill and are filled is gone, the fill goes on with the next.
            let group = self.there.group_of(object);
            let goes_on = |fill: &&mut Fill| fill.group == group && fill.seats.contains(&seat);
            if let Some(fill) = self.fills.iter_mut().find(goes_on) {
                fill.under_way -= 1;
            }
            return self.unbring(object);
        }
        self.turns += 1;
        self.tally.sent_again += 1;
        let turn = self.turns;
        let Some(effort) = self.efforts.get_mut(key.slot) else { return };
        (effort.turn, effort.stage, effort.left) = (turn, Stage::Asked, 0);
        effort.seats.clear();
        self.dispatch(Key { slot: key.slot, turn });
    }

    /// A fill ends before it is through.
    fn give_up(&mut self, number: u64, now: Time) {
        let Some(at) = self.fills.iter().position(|fill| fill.number == number) else { return };
        let fill = self.fills.remove(at);
        self.let_go(&fill);
        let of_it = |effort: &Effort| match effort.kind {
            Kind::Fill(seat) => {
                fill.seats.contains(&seat) && self.there.group_of(effort.object) == fill.group
            }
            Kind::Read(_) | Kind::Write(_) => false,
        };
        for key in self.efforts_that(of_it) {
            self.again(key, now);
        }
    }

    /// Those who gave and got may do so again.
    fn let_go(&mut self, fill: &Fill) {
        self.osds[fill.primary as usize].gives -= 1;
        fill.seats.iter().for_each(|seat| self.osds[seat.0 as usize].gets -= 1);
    }

    /// Who is there has changed.
    fn changed(&mut self, now: Time) {
        for key in std::mem::take(&mut self.blocked) {
            self.dispatch(key);
        }
        self.note_short(now);
        self.fill_more(now);
    }

    pub(super) fn note_short(&mut self, now: Time) {
        if self.tally.stopped > 0 {
            let short = self.there.short();
            self.tally.note_short(now, short);
        }
    }

    /// Begins to fill groups, as far as those who give and get may, and goes on with those that are begun.
    pub(super) fn fill_more(&mut self, now: Time) {
        if self.tally.stopped == 0 {
            return;
        }
        let lacking: Vec<(u32, Seats)> = self.there.to_fill().collect();
        for (group, seats) in lacking {
            if self.fills.iter().any(|fill| fill.group == group) {
                continue;
            }
            let first = seats.iter().find_map(|&seat| self.there.next_missing(group, seat, 0));
            // Also of what isn't served: below min_size it is filled all the same.
            let Some(primary) = first.and_then(|object| self.there.giver(object)) else { continue };
            let may = |osd: u32, has: u32| has < self.rules.recovery[osd as usize].backfills;
            let of = |osd: u32| &self.osds[osd as usize];
            let all_may =
                may(primary, of(primary).gives) && seats.iter().all(|seat| may(seat.0, of(seat.0).gets));
            if !all_may {
                continue;
            }
            self.osds[primary as usize].gives += 1;
            seats.iter().for_each(|seat| self.osds[seat.0 as usize].gets += 1);
            self.turns += 1;
            let number = self.turns;
            self.fills.push(Fill { number, group, primary, seats, under_way: 0, resting: 0 });
        }
        let numbers: Vec<u64> = self.fills.iter().map(|fill| fill.number).collect();
        for number in numbers {
            self.fill_rest(number, now);
        }
    }

    /// A fill rests before each object, and has so many under way.
    fn fill_rest(&mut self, number: u64, now: Time) {
        let Some(fill) = self.fills.iter_mut().find(|fill| fill.number == number) else { return };
        let rules = self.rules.recovery[fill.primary as usize];
        let mut more = 0;
        while fill.under_way + fill.resting < rules.active {
            fill.resting += 1;
            more += 1;
        }
        if rules.sleep.time() > Time::ZERO {
            (0..more).for_each(|_| self.events.push((Event::Fill(number), rules.sleep.time())));
            return;
        }
        for _ in 0..more {
            if let Some(fill) = self.fills.iter_mut().find(|fill| fill.number == number) {
                fill.resting -= 1;
                self.fill_next(number, now);
            }
        }
    }

    /// The next object of a fill that nobody writes, or its end.
    fn fill_next(&mut self, number: u64, now: Time) {
        let Some(fill) = self.fills.iter().find(|fill| fill.number == number) else { return };
        let (group, primary, seats) = (fill.group, fill.primary, fill.seats.clone());
        for &seat in &seats {
            if let Some(object) = self.free_object(group, seat) {
                if let Some(fill) = self.fills.iter_mut().find(|fill| fill.number == number) {
                    fill.under_way += 1;
                }
                *self.bringing.entry(object).or_insert(0) += 1;
                let bytes = self.object_bytes(object);
                let key = self.begin(Kind::Fill(seat), (object, 0, bytes));
                if let Some(effort) = self.effort_mut(key) {
                    (effort.primary, effort.heard) = (primary, now);
                }
                return self.queue(primary, key, None);
            }
        }
        let lacks = |seat: &Seat| self.there.next_missing(group, *seat, 0).is_some();
        let is_over = fill.under_way == 0 && !seats.iter().any(lacks);
        if is_over {
            self.give_up(number, now);
            self.fill_more(now);
        }
    }

    /// Bytes of an object of the image, of which the last may be shorter.
    fn object_bytes(&self, object: u32) -> u64 {
        let all = self.rules.blocks * petrio_colours::SECTOR_BYTES;
        self.rules.object.min(all.saturating_sub(u64::from(object) * self.rules.object))
    }

    /// The first object that a seat lacks, that nobody writes and nobody brings.
    fn free_object(&self, group: u32, seat: Seat) -> Option<u32> {
        let mut from = 0;
        while let Some(object) = self.there.next_missing(group, seat, from) {
            if !self.writing.contains_key(&object) && !self.bringing.contains_key(&object) {
                return Some(object);
            }
            from = object + 1;
        }
        None
    }

    /// An object has been brought.
    pub(super) fn brought(&mut self, key: Key, now: Time) {
        if self.effort(key).is_none() {
            return;
        }
        let Some(Effort { object, kind: Kind::Fill(seat), bytes, .. }) = self.efforts.remove(key.slot) else {
            return;
        };
        self.there.filled(object, seat);
        self.tally.filled += 1;
        self.tally.filled_bytes += bytes;
        self.tally.last_filled = Some(now);
        let group = self.there.group_of(object);
        if let Some(fill) = self.fills.iter_mut().find(|fill| fill.group == group) {
            fill.under_way -= 1;
        }
        self.unbring(object);
        for key in std::mem::take(&mut self.blocked) {
            self.dispatch(key);
        }
        self.note_short(now);
        self.fill_more(now);
    }

    /// An object isn't being brought any more: writes of it go on.
    fn unbring(&mut self, object: u32) {
        if let Some(count) = self.bringing.get_mut(&object) {
            *count -= 1;
            if *count == 0 {
                self.bringing.remove(&object);
            }
        }
        if self.bringing.contains_key(&object) {
            return;
        }
        let (go, wait) = std::mem::take(&mut self.parked)
            .into_iter()
            .partition::<Vec<Key>, _>(|key| self.effort(*key).is_none_or(|effort| effort.object == object));
        self.parked = wait;
        for key in go {
            if let Some(primary) = self.effort(key).map(|effort| effort.primary) {
                self.queue(primary, key, None);
            }
        }
    }
}
