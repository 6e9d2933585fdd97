//! RAID 0: data striped over members, one stripe unit after the other.
//!
//! Source: drivers/md/raid0.c with one zone (members of equal size), and md_flush_request of drivers/md/md.c. What a
//! request asks of one member is contiguous there, so each member gets at most one part of it; Linux sends a part for
//! each stripe unit, which the member's own queue merges again. A flush goes to every member; a write with a flush
//! before it waits until all members have flushed. A request completes with its last part.
//!
//! Leaves out: members of different sizes.

use crate::Stage;
use crate::slab::Slab;
use petrio_colours::{BlockRequest, Direction, RequestId, SECTOR_BYTES, Status};
use petrio_kernel::{PageBuilder, Place, Sum};
use petrio_units::Bytes;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// RAID 0.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct StripeParameters {
    /// How much lies on a member before the next one's turn: a multiple of 512 bytes (mdadm: `--chunk`; 64 KiB before
    /// its version 3.1, 512 KiB since).
    pub stripe_unit: Bytes,
}

impl Default for StripeParameters {
    fn default() -> Self {
        Self { stripe_unit: Bytes(64 << 10) }
    }
}

/// Why an array can't be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StripeError {
    /// A stripe unit that isn't made of blocks.
    #[error("a stripe unit of {0} bytes is no multiple of 512 bytes; give one such as 64 KiB")]
    Unit(u64),
    /// No members.
    #[error("an array has no members; name at least one disk for it")]
    NoMembers,
}

impl StripeParameters {
    /// The layout over so many members.
    ///
    /// # Errors
    /// See [`StripeError`].
    pub fn layout(&self, members: usize) -> Result<StripeLayout, StripeError> {
        let bytes = self.stripe_unit.get();
        if bytes == 0 || !bytes.is_multiple_of(SECTOR_BYTES) {
            return Err(StripeError::Unit(bytes));
        }
        if members == 0 {
            return Err(StripeError::NoMembers);
        }
        Ok(StripeLayout { unit: bytes / SECTOR_BYTES, members: members as u64 })
    }
}

/// Where blocks lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StripeLayout {
    /// Blocks in a stripe unit.
    unit: u64,
    members: u64,
}

impl StripeLayout {
    /// Blocks that the array offers, when its smallest member has `member_blocks`.
    pub fn blocks(&self, member_blocks: u64) -> u64 {
        member_blocks / self.unit * self.unit * self.members
    }

    /// The member on which a block lies, and where there.
    pub fn place(&self, block: u64) -> (usize, u64) {
        let (number, within) = (block / self.unit, block % self.unit);
        ((number % self.members) as usize, number / self.members * self.unit + within)
    }

    /// How many of the blocks before `block` lie on a member: the first free address there.
    fn before(&self, block: u64, member: usize) -> u64 {
        let stripe = self.unit * self.members;
        let (rows, rest) = (block / stripe, block % stripe);
        rows * self.unit + rest.saturating_sub(member as u64 * self.unit).min(self.unit)
    }

    /// A member's part of a range: its first block there, and how many.
    pub fn part(&self, first: u64, end: u64, member: usize) -> Option<(u64, u32)> {
        let (from, to) = (self.before(first, member), self.before(end, member));
        (to > from).then_some((from, (to - from) as u32))
    }
}

/// A request on its way.
#[derive(Clone, Debug)]
struct Whole {
    request: BlockRequest,
    /// Parts that aren't complete.
    left: u32,
    /// Its flushes are under way, and its data come after.
    data_to_come: bool,
    /// How the parts so far ended.
    status: Status,
}

/// All of an array that changes.
#[derive(Clone, Debug)]
struct Array {
    layout: StripeLayout,
    wholes: Slab<Whole>,
    number: u64,
}

impl Array {
    /// A request arrives; its parts are given to `send` by member.
    fn begin(&mut self, request: BlockRequest, send: impl FnMut(usize, BlockRequest)) {
        let flush = request.direction == Direction::Flush || request.flush_before;
        let data_to_come = flush && request.direction != Direction::Flush;
        let slot =
            self.wholes.insert(Whole { request, left: 0, data_to_come, status: Status::DoneFromCache });
        self.send(slot, flush, send);
    }

    fn send(&mut self, slot: u32, flush: bool, mut send: impl FnMut(usize, BlockRequest)) {
        let (layout, number) = (self.layout, &mut self.number);
        let Some(whole) = self.wholes.get_mut(slot) else { return };
        for member in 0..layout.members as usize {
            let (first, end) = (whole.request.address, whole.request.end());
            let (direction, (address, blocks)) = if flush {
                (Direction::Flush, (0, 0))
            } else {
                let Some(part) = layout.part(first, end, member) else { continue };
                (whole.request.direction, part)
            };
            let id = RequestId(*number);
            *number += 1;
            whole.left += 1;
            let flags = BlockRequest {
                id,
                direction,
                address,
                blocks,
                tag: u64::from(slot),
                flush_before: false,
                force_unit_access: whole.request.force_unit_access && !flush,
                ..whole.request.clone()
            };
            send(member, flags);
        }
    }

    /// A part is complete: the request that is complete with it, if it is. What comes next of it is given to `send`.
    /// `None` where the array never sent the part.
    fn end(
        &mut self,
        part: &BlockRequest,
        send: impl FnMut(usize, BlockRequest),
    ) -> Option<Option<BlockRequest>> {
        let slot = u32::try_from(part.tag).ok()?;
        let whole = self.wholes.get_mut(slot)?;
        whole.left -= 1;
        whole.status = whole.status.and(part.status);
        if whole.left > 0 {
            return Some(None);
        }
        // The last part was on its way all the time: its time is the whole's.
        whole.request.ledger = part.ledger;
        // After a flush that failed, what it was for isn't written.
        if std::mem::take(&mut whole.data_to_come) && whole.status.failure().is_none() {
            whole.status = Status::DoneFromCache;
            self.send(slot, false, send);
            return Some(None);
        }
        let Whole { mut request, status, .. } = self.wholes.remove(slot)?;
        request.status = status;
        Some(Some(request))
    }
}

/// Builds the page `name` over `members`, each a place for requests to it and one for its completions.
///
/// # Errors
/// See [`StripeError`].
pub fn stripe_page(
    parent: &mut PageBuilder<'_>,
    name: &str,
    parameters: &StripeParameters,
    (requests, completions): (Place<BlockRequest>, Place<BlockRequest>),
    members: &[(Place<BlockRequest>, Place<BlockRequest>)],
) -> Result<Vec<Stage>, StripeError> {
    let layout = parameters.layout(members.len())?;
    let mut page = parent.page(name);
    page.port_in("requests", requests);
    page.port_out("completions", completions);
    for (member, (down, up)) in members.iter().enumerate() {
        page.port_out(&format!("down{member}"), *down);
        page.port_in(&format!("up{member}"), *up);
    }
    let array = page.state("array", Array { layout, wholes: Slab::new(), number: 0 });

    let mut split = page.transition("split");
    let request = split.take(requests);
    let keeper = split.update(array);
    let down: Vec<_> = members.iter().map(|(down, _)| split.may_put(*down, 1)).collect();
    split.action(move |f| {
        let request = f.take(request);
        let mut parts = smallvec::SmallVec::<[(usize, BlockRequest); 4]>::new();
        f.update(keeper).begin(request, |member, part| parts.push((member, part)));
        for (member, part) in parts {
            f.put(down[member], part);
        }
    });

    for (member, (_, up)) in members.iter().enumerate() {
        let mut join = page.transition(&format!("join{member}"));
        let part = join.take(*up);
        let keeper = join.update(array);
        let out = join.may_put(completions, 1);
        let down: Vec<_> = members.iter().map(|(down, _)| join.may_put(*down, 1)).collect();
        join.action(move |f| {
            let part = f.take(part);
            let mut next = smallvec::SmallVec::<[(usize, BlockRequest); 4]>::new();
            match f.update(keeper).end(&part, |member, part| next.push((member, part))) {
                Some(Some(request)) => f.put(out, request),
                Some(None) => {}
                None => f.fail(format!(
                    "member {member} completes a request with the tag {}, which the array never sent",
                    part.tag
                )),
            }
            for (member, part) in next {
                f.put(down[member], part);
            }
        });
    }
    let parts = |array: &Array| i64::from(array.wholes.iter().map(|whole| whole.left).sum::<u32>());
    let sum = Sum::new().of(array, move |array| array.number as i64 - parts(array));
    page.conserve_sum("parts", members.iter().fold(sum, |sum, (_, up)| sum.taken(*up, -1)));
    // It takes no time and holds nothing that waits: no row.
    Ok(Vec::new())
}

#[cfg(test)]
mod tests;
