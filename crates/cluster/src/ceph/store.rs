//! How an OSD writes: BlueStore.
//!
//! What is longer than `prefer_deferred_size` is written where nothing lies yet, and its transaction follows into RocksDB's log; the
//! rest goes into the log with its transaction, and to its place later, many at once. One thread brings all transactions that are
//! ready into RocksDB as one batch: it flushes the device if data have come to their places, appends to the log, and flushes again.
//! What covers a part of an allocation unit alone is read before, and deferred.
//!
//! Source: Ceph 16.2 src/os/bluestore/BlueStore.cc (`_do_write_small`, `_do_alloc_write`, `_txc_state_proc`, `_kv_sync_thread`,
//! `_deferred_submit_unlock`). Leaves out RocksDB's compaction and its reads (metadata are in memory), what a new place does to
//! where an object lies (it is written where it was), checksums beside their time, compression, and devices apart for RocksDB.

use super::effort::{Errand, Event, Io, Key, Kind, Payload, Transaction};
use super::osd::Committing;
use super::pool::Pool;
use super::whereabouts::Seat;
use petrio_colours::{BlockRequest, Direction, Purpose, Purposes, RequestId, SECTOR_BYTES};
use petrio_kernel::Time;
use petrio_units::numbers::as_number;
use smallvec::SmallVec;

/// What RocksDB's log is written in.
const LOG_BLOCK: u64 = 4096;

/// A write of bytes of a device as BlueStore splits it: edges that are read first, what goes to its place at once, and what is deferred;
/// in sectors.
type Split = (SmallVec<[u64; 2]>, Option<(u64, u64)>, SmallVec<[(u64, u64); 2]>);

/// Splits a write at sectors `from` … `end` by allocation units.
fn split((from, end): (u64, u64), unit: u64, deferred_below: u64) -> Split {
    let (mut edges, mut deferred) = (SmallVec::new(), SmallVec::new());
    let (first, last) = (from.next_multiple_of(unit), end / unit * unit);
    let mut edge = |from: u64, end: u64| {
        if from < end {
            edges.push(from / unit * unit);
            deferred.push((from / unit * unit, unit));
        }
    };
    if first > last {
        // Within one unit.
        edge(from, end);
        return (edges, None, deferred);
    }
    edge(from, first);
    edge(last, end);
    let middle = (first, last - first);
    if middle.1 == 0 {
        return (edges, None, deferred);
    }
    if middle.1 * SECTOR_BYTES <= deferred_below {
        deferred.push(middle);
        return (edges, None, deferred);
    }
    (edges, Some(middle), deferred)
}

impl Pool {
    /// An OSD writes its part of an effort.
    pub(super) fn store(&mut self, osd: u32, key: Key, seat: Seat, now: Time) {
        let Some(effort) = self.effort(key) else { return };
        let (from, bytes) = self.in_shard(effort);
        let (object, is_fill) = (effort.object, matches!(effort.kind, Kind::Fill(_)));
        let from = self.there.sector(object, seat) + from / SECTOR_BYTES;
        let end = from + bytes.div_ceil(SECTOR_BYTES);
        let rules = self.rules.store[osd as usize];
        let (mut edges, direct, deferred) =
            split((from, end), rules.min_alloc / SECTOR_BYTES, rules.deferred);
        let unit = as_number(rules.min_alloc / SECTOR_BYTES);
        if let Some(memory) = &mut self.osds[osd as usize].memory {
            edges.retain(|edge| !memory.holds(*edge, unit));
            memory.forget(from, as_number(end - from));
        }
        self.go_on(osd, Transaction { key, edges, direct, deferred, is_fill }, now);
    }

    /// The next step of a transaction: reads, data, RocksDB.
    fn go_on(&mut self, osd: u32, mut transaction: Transaction, now: Time) {
        let unit = self.rules.store[osd as usize].min_alloc / SECTOR_BYTES;
        if let Some(edge) = transaction.edges.pop() {
            let io = Io::Edge(Box::new(transaction));
            return self.read_device(osd, (edge, unit), io, now);
        }
        if let Some(range) = transaction.direct {
            self.tally.direct_bytes += range.1 * SECTOR_BYTES;
            let purpose = if transaction.is_fill { Purpose::Rebuild } else { Purpose::Data };
            let io = Io::Direct(Box::new(transaction));
            return self.write_device(osd, (range, purpose), io, now);
        }
        self.osds[osd as usize].ready.push(transaction);
        self.commit(osd, now);
    }

    /// RocksDB's thread takes all that is ready, if it has nothing to do.
    pub(super) fn commit(&mut self, osd: u32, now: Time) {
        let there = &mut self.osds[osd as usize];
        if there.committing != Committing::Nothing || there.ready.is_empty() {
            return;
        }
        there.committing = Committing::Batch;
        there.batch = std::mem::take(&mut there.ready);
        self.tally.batches += 1;
        self.tally.transactions += there.batch.len() as u64;
        let has_data = there.batch.iter().any(|transaction| transaction.direct.is_some());
        if std::mem::take(&mut there.deferred_done) || has_data {
            self.flush_device(osd, Io::FlushBefore, now);
        } else {
            self.batch(osd);
        }
    }

    /// The batch goes into RocksDB.
    fn batch(&mut self, osd: u32) {
        let life = self.osds[osd as usize].life;
        self.works_at(self.end_of(osd), self.rules.costs.commit.time(), Errand::Batch(osd, life));
    }

    /// And into its log.
    pub(super) fn commits(&mut self, osd: u32, now: Time) {
        let each = self.rules.store[osd as usize].transaction;
        let there = &mut self.osds[osd as usize];
        let data =
            |transaction: &Transaction| transaction.deferred.iter().map(|(_, sectors)| sectors).sum::<u64>();
        let bytes: u64 = there.batch.iter().map(|one| each + data(one) * SECTOR_BYTES).sum();
        let bytes = bytes.next_multiple_of(LOG_BLOCK);
        let kept = (self.rules.layout.kept(osd) * SECTOR_BYTES).max(bytes);
        let at = if there.logged % kept + bytes > kept { 0 } else { there.logged % kept };
        there.logged = at + bytes;
        self.tally.log_bytes += bytes;
        let range = (at / SECTOR_BYTES, bytes / SECTOR_BYTES);
        self.write_device(osd, (range, Purpose::Journal), Io::Log, now);
    }

    /// A batch is durable.
    fn committed(&mut self, osd: u32, now: Time) {
        let there = &mut self.osds[osd as usize];
        there.committing = Committing::Nothing;
        let (batch, life) = (std::mem::take(&mut there.batch), there.life);
        for transaction in batch {
            let there = &mut self.osds[osd as usize];
            if !transaction.deferred.is_empty() {
                self.tally.deferred += 1;
                if there.deferred.is_empty() {
                    let interval = self.rules.store[osd as usize].interval.time();
                    self.events.push((Event::Defer(osd, life), interval));
                }
                there.deferred.extend(transaction.deferred.iter().copied());
            }
            let Some(effort) = self.effort(transaction.key) else { continue };
            if effort.primary == osd {
                self.part_done(transaction.key, now);
            } else {
                let to = effort.primary;
                self.send(Some(osd), Some(to), (super::costs::lengths::DONE, Payload::Done(transaction.key)));
            }
        }
        if self.osds[osd as usize].deferred.len() >= self.rules.store[osd as usize].batch {
            self.undefer(osd, now);
        }
        self.commit(osd, now);
    }

    /// What was deferred goes to its places: in order, what touches as one.
    pub(super) fn undefer(&mut self, osd: u32, now: Time) {
        let mut all = std::mem::take(&mut self.osds[osd as usize].deferred);
        all.sort_unstable();
        let mut merged: Vec<(u64, u64)> = Vec::new();
        for (from, sectors) in all {
            match merged.last_mut() {
                Some(last) if from <= last.0 + last.1 => last.1 = last.1.max(from + sectors - last.0),
                _ => merged.push((from, sectors)),
            }
        }
        self.osds[osd as usize].deferring += as_number(merged.len());
        for range in merged {
            self.tally.deferred_bytes += range.1 * SECTOR_BYTES;
            self.write_device(osd, (range, Purpose::Data), Io::Deferred, now);
        }
    }

    /// A device has done something.
    pub(super) fn device_done(&mut self, osd: u32, tag: u64, now: Time) -> Result<(), &'static str> {
        let there = &mut self.osds[osd as usize];
        let Some((life, io)) = u32::try_from(tag).ok().and_then(|slot| there.ios.remove(slot)) else {
            return Err("an OSD's device has done what nobody asked for: a mistake in the model");
        };
        if life != there.life {
            return Ok(());
        }
        match io {
            Io::Read(queue, work, (sector, sectors)) => {
                if let Some(memory) = &mut there.memory {
                    memory.keep(sector, as_number(sectors));
                }
                self.has_read(osd, queue, work, now);
            }
            Io::Edge(transaction) => self.go_on(osd, *transaction, now),
            Io::Direct(transaction) => {
                there.ready.push(*transaction);
                self.commit(osd, now);
            }
            Io::FlushBefore => self.batch(osd),
            Io::Log => self.flush_device(osd, Io::FlushAfter, now),
            Io::FlushAfter => self.committed(osd, now),
            Io::Deferred => {
                there.deferring = there.deferring.saturating_sub(1);
                there.deferred_done |= there.deferring == 0;
            }
        }
        Ok(())
    }

    pub(super) fn read_device(&mut self, osd: u32, range: (u64, u64), io: Io, now: Time) {
        self.ask_device(osd, (Direction::Read, range, Purpose::Data), io, now);
    }

    fn write_device(&mut self, osd: u32, (range, purpose): ((u64, u64), Purpose), io: Io, now: Time) {
        self.ask_device(osd, (Direction::Write, range, purpose), io, now);
    }

    fn flush_device(&mut self, osd: u32, io: Io, now: Time) {
        self.ask_device(osd, (Direction::Flush, (0, 0), Purpose::Journal), io, now);
    }

    fn ask_device(
        &mut self,
        osd: u32,
        (direction, (address, sectors), purpose): (Direction, (u64, u64), Purpose),
        io: Io,
        now: Time,
    ) {
        let there = &mut self.osds[osd as usize];
        let slot = there.ios.insert((there.life, io));
        let request = BlockRequest {
            id: RequestId(slot.into()),
            direction,
            synchronous: true,
            purposes: Purposes::from(purpose),
            tag: slot.into(),
            address,
            blocks: as_number(sectors),
            issued: now,
            ..BlockRequest::default()
        };
        self.requests.push((osd, request));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_units_go_at_once_where_they_are_long_and_edges_are_read_and_deferred() {
        let none: SmallVec<[u64; 2]> = SmallVec::new();
        // 4 KiB on what turns, and on what doesn't.
        assert_eq!(split((8, 16), 8, 64 << 10), (none.clone(), None, SmallVec::from_slice(&[(8, 8)])));
        assert_eq!(split((8, 16), 8, 0), (none.clone(), Some((8, 8)), SmallVec::new()));
        // 64 KiB and 68 KiB.
        assert_eq!(split((0, 128), 8, 64 << 10).1, None);
        assert_eq!(split((0, 136), 8, 64 << 10), (none, Some((0, 136)), SmallVec::new()));
        // 1 KiB within a unit, and 9 KiB over three.
        let (edges, direct, deferred) = split((10, 12), 8, 0);
        assert_eq!((edges.to_vec(), direct, deferred.to_vec()), (vec![8], None, vec![(8, 8)]));
        let (edges, direct, deferred) = split((6, 24), 8, 0);
        assert_eq!((edges.to_vec(), direct, deferred.to_vec()), (vec![0], Some((8, 16)), vec![(0, 8)]));
    }
}
