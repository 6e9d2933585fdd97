//! What a node's work costs its processors: calls, blocks looked up and brought in, copies. The figures are its machine's.

use petrio_colours::{FileOp, Operation, local_operations};
use petrio_host::copy_cost::{CopyCost, CopyCurveError, PAGE_BYTES};
use petrio_host::machine::MachineParameters;
use petrio_kernel::Time;
use petrio_persist::Persist;

/// What a node's work costs.
#[derive(Clone, Debug, Persist)]
pub(super) struct Costs {
    read: Time,
    write: Time,
    fsync: Time,
    open: Time,
    namespace: Time,
    hit: Time,
    insert: Time,
    write_page: Time,
    new_page: Time,
    to_user: CopyCost,
    from_user: CopyCost,
}

impl Costs {
    pub(super) fn new(machine: &MachineParameters) -> Result<Self, CopyCurveError> {
        let (to_user, from_user) = CopyCost::of(machine)?;
        let MachineParameters { calls, cache, .. } = machine;
        Ok(Self {
            read: calls.read.time(),
            write: calls.write.time(),
            fsync: calls.fsync.time(),
            open: calls.open.time(),
            namespace: calls.namespace.time(),
            hit: cache.hit.time(),
            insert: cache.insert.time(),
            write_page: cache.write_page.time(),
            new_page: cache.new_page.time(),
            to_user,
            from_user,
        })
    }

    /// The way into the kernel and back.
    pub(super) fn call(&self, op: &FileOp) -> Time {
        let half = |span: Time| Time::from_picos(span.as_picos() / 2);
        match op.operation {
            Operation::Read => self.read,
            Operation::Write => self.write,
            Operation::Fsync | Operation::Fdatasync | Operation::Sync => self.fsync,
            Operation::Open | Operation::Close => half(self.open),
            Operation::Stat | Operation::Readdir => half(self.namespace),
            Operation::Compute => Time::from_picos(op.length),
            Operation::Exchange | Operation::Touch | local_operations!() => Time::ZERO,
            Operation::Create
            | Operation::Truncate
            | Operation::SetAttributes
            | Operation::Unlink
            | Operation::Mkdir
            | Operation::Rmdir
            | Operation::Rename => self.namespace,
        }
    }

    /// What so many bytes of a call cost, `fresh` of which weren't in the cache: there, and to copy them.
    pub(super) fn of(&mut self, op: &FileOp, (bytes, fresh): (u64, u64), footprint: u64) -> (Time, Time) {
        let pages = bytes.div_ceil(PAGE_BYTES);
        let fresh = fresh.div_ceil(PAGE_BYTES).min(pages);
        let (each, new, curve) = match op.operation {
            Operation::Read => (self.hit, self.insert, &mut self.to_user),
            _ => (self.write_page, self.new_page, &mut self.from_user),
        };
        let picos =
            each.as_picos().saturating_mul(pages).saturating_add(new.as_picos().saturating_mul(fresh));
        (Time::from_picos(picos), curve.time(bytes, op.length.max(1), footprint.max(1)))
    }
}
