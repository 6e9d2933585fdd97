//! What a primary does with an effort: it gathers, works out, lets others write, and answers.
//!
//! Source: Ceph 16.2 src/osd/{PrimaryLogPG,ReplicatedBackend,ECBackend}.cc. A read of copies is the primary's alone, in the thread of the
//! operation; a write goes to all at once, and is answered when all have committed it. An erasure-coded read asks as many shards as data
//! are made of for whole stripes; a write of parts of stripes reads those first ("read-modify-write"), and writes them in all shards.

use super::costs::lengths;
use super::effort::{Effort, Errand, Io, Key, Kind, Payload, Stage, Work};
use super::parameters::Erasure;
use super::pool::Pool;
use super::whereabouts::{Seat, Seats};
use petrio_colours::SECTOR_BYTES;
use petrio_kernel::Time;
use petrio_units::numbers::as_number;

impl Pool {
    /// A thread has begun with its work.
    pub(super) fn begun(&mut self, osd: u32, queue: u32, work: Work, now: Time) {
        let reads = match work.part {
            _ if self.effort(work.key).is_none() => None,
            Some((seat, true)) => {
                self.store(osd, work.key, seat, now);
                None
            }
            Some((seat, false)) => Some(seat),
            None => self.primary_begins(osd, work.key, now),
        };
        match reads {
            Some(seat) => self.reads(osd, queue, work, seat, now),
            None => self.free(osd, queue, work.group),
        }
    }

    /// A thread has done with its work.
    pub(super) fn free(&mut self, osd: u32, queue: u32, group: u32) {
        self.osds[osd as usize].release(queue as usize, group);
        self.pump(osd, queue as usize);
    }

    /// The primary begins with an effort: the seat of its own from which this thread reads.
    fn primary_begins(&mut self, osd: u32, key: Key, now: Time) -> Option<Seat> {
        let effort = self.effort(key)?;
        let (object, kind) = (effort.object, effort.kind);
        if !matches!(kind, Kind::Fill(_)) && self.there.primary(object).is_none() {
            // Too few are there since.
            self.tally.blocked += 1;
            self.blocked.push(key);
            return None;
        }
        if matches!(kind, Kind::Write(_)) {
            if self.bringing.contains_key(&object) {
                self.parked.push(key);
                return None;
            }
            *self.writing.entry(object).or_insert(0) += 1;
            if let Some(effort) = self.effort_mut(key) {
                effort.counted = true;
            }
        }
        if self.gathers_first(key) {
            return self.gather(osd, key);
        }
        self.code(key, now);
        None
    }

    /// Whether something has to be read before it can be written or answered.
    fn gathers_first(&mut self, key: Key) -> bool {
        let Some(Effort { kind, from, bytes, .. }) = self.effort(key) else { return false };
        match (kind, self.rules.erasure) {
            (Kind::Read(_) | Kind::Fill(_), _) => true,
            (Kind::Write(_), None) => false,
            (Kind::Write(_), Some(Erasure { data, stripe_unit, .. })) => {
                let stripe = u64::from(data) * stripe_unit.get();
                let is_partial = !from.is_multiple_of(stripe) || !bytes.is_multiple_of(stripe);
                self.tally.read_modify_writes += u64::from(is_partial);
                is_partial
            }
        }
    }

    /// The primary asks for what it needs.
    fn gather(&mut self, osd: u32, key: Key) -> Option<Seat> {
        let object = self.effort(key)?.object;
        let having = self.there.having(object);
        // Of copies its own, or another where it lacks the object, of shards as many as data are made of.
        let seats: Seats = match self.rules.erasure {
            None => {
                having.iter().find(|seat| seat.0 == osd).or(having.first()).copied().into_iter().collect()
            }
            Some(_) => self.there.sources(object),
        };
        let effort = self.effort_mut(key)?;
        (effort.stage, effort.left, effort.seats) = (Stage::Gather, as_number(seats.len()), seats.clone());
        for &seat in seats.iter().filter(|seat| seat.0 != osd) {
            self.send(Some(osd), Some(seat.0), (lengths::READ, Payload::Part(key, seat, false)));
        }
        seats.iter().find(|seat| seat.0 == osd).copied()
    }

    /// A thread reads from its OSD's memory or device.
    fn reads(&mut self, osd: u32, queue: u32, work: Work, seat: Seat, now: Time) {
        let Some(effort) = self.effort(work.key) else { return self.free(osd, queue, work.group) };
        let (from, bytes) = self.in_shard(effort);
        let object = effort.object;
        let sector = self.there.sector(object, seat) + from / SECTOR_BYTES;
        let sectors = bytes / SECTOR_BYTES;
        if let Some(memory) = &mut self.osds[osd as usize].memory
            && memory.holds(sector, as_number(sectors))
        {
            memory.use_them(sector, as_number(sectors));
            self.tally.remembered += 1;
            return self.has_read(osd, queue, work, now);
        }
        let io = Io::Read(queue, work, (sector, sectors));
        self.read_device(osd, (sector, sectors), io, now);
    }

    /// A thread has what it read.
    pub(super) fn has_read(&mut self, osd: u32, queue: u32, work: Work, now: Time) {
        if let Some(effort) = self.effort(work.key) {
            let primary = effort.primary;
            if work.part.is_some() {
                let (_, bytes) = self.in_shard(effort);
                let answer = (lengths::DONE + bytes, Payload::Done(work.key));
                self.send(Some(osd), Some(primary), answer);
            } else {
                self.part_done(work.key, now);
            }
        }
        self.free(osd, queue, work.group);
    }

    /// A part of an effort is done: the primary hears of it.
    pub(super) fn part_done(&mut self, key: Key, now: Time) {
        let Some(effort) = self.effort_mut(key) else { return };
        let (primary, stage) = (effort.primary, effort.stage);
        effort.left = effort.left.saturating_sub(1);
        if effort.left > 0 || !self.osds[primary as usize].alive {
            return;
        }
        match stage {
            Stage::Gather => self.code(key, now),
            Stage::Spread => self.has_spread(key, now),
            Stage::Asked | Stage::Code | Stage::Answered => {}
        }
    }

    /// What is to be written, or answered, is worked out, where it takes that.
    fn code(&mut self, key: Key, now: Time) {
        let Some(effort) = self.effort_mut(key) else { return };
        effort.stage = Stage::Code;
        let (primary, kind, bytes) = (effort.primary, effort.kind, effort.bytes);
        let is_whole = match self.rules.erasure {
            None => true,
            // Data as they are need no working out.
            Some(Erasure { data, .. }) => {
                let all_data = |effort: &Effort| effort.seats.iter().all(|(_, shard)| *shard < data);
                matches!(kind, Kind::Read(_)) && self.effort(key).is_some_and(all_data)
            }
        };
        if is_whole {
            return self.coded(key, now);
        }
        let kib = bytes.div_ceil(1024);
        let span = Time::from_picos(self.rules.costs.code_kib.time().as_picos().saturating_mul(kib));
        let life = self.osds[primary as usize].life;
        self.works_at(self.end_of(primary), span, Errand::Coded(key, life));
    }

    /// It is worked out.
    pub(super) fn coded(&mut self, key: Key, now: Time) {
        let Some(effort) = self.effort(key) else { return };
        let (object, primary, kind) = (effort.object, effort.primary, effort.kind);
        let seats = match kind {
            Kind::Read(_) => return self.answer(key),
            Kind::Write(_) => self.there.having(object),
            Kind::Fill(seat) => Seats::from_slice(&[seat]),
        };
        let degraded = self.there.is_degraded(&seats);
        if matches!(kind, Kind::Write(_)) {
            self.there.written(object, &seats);
        }
        let Some(effort) = self.effort_mut(key) else { return };
        effort.stage = Stage::Spread;
        (effort.left, effort.degraded, effort.seats) = (as_number(seats.len()), degraded, seats.clone());
        let Some(effort) = self.effort(key) else { return };
        let (_, bytes) = self.in_shard(effort);
        for &seat in seats.iter().filter(|seat| seat.0 != primary) {
            let part = (lengths::REPLICA + bytes, Payload::Part(key, seat, true));
            self.send(Some(primary), Some(seat.0), part);
        }
        for &seat in seats.iter().filter(|seat| seat.0 == primary) {
            self.store(primary, key, seat, now);
        }
    }

    /// All have written it.
    fn has_spread(&mut self, key: Key, now: Time) {
        let Some(effort) = self.effort(key) else { return };
        let (primary, kind) = (effort.primary, effort.kind);
        self.uncount(key, now);
        match kind {
            Kind::Fill(_) => self.brought(key, now),
            Kind::Read(_) | Kind::Write(_) => {
                let life = self.osds[primary as usize].life;
                let cost = self.rules.costs.answer.time();
                self.works_at(self.end_of(primary), cost, Errand::Answer(key, life));
            }
        }
    }

    /// An effort isn't among the writes of its object any more.
    pub(super) fn uncount(&mut self, key: Key, now: Time) {
        let Some(effort) = self.effort_mut(key) else { return };
        if !std::mem::take(&mut effort.counted) {
            return;
        }
        let object = effort.object;
        if let Some(count) = self.writing.get_mut(&object) {
            *count -= 1;
            if *count == 0 {
                self.writing.remove(&object);
                self.fill_more(now);
            }
        }
    }
}
