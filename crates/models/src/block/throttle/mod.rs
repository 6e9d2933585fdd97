//! A throttle: requests and bytes a second, for reads and writes apart, as a cgroup's `blkio.throttle` files set them.
//!
//! ```text
//! requests ─▶(accept)─▶ down                        (completions pass by)
//!               │  └─▶ held-reads, held-writes ─▶(release)─▶ down
//!               └─▶ due ─▶(look)─▶ go ─────────────▲
//! ```
//!
//! Source: block/blk-throttle.c of Linux 6.18, one group; the accounting stands in `accounts.rs`. It sits before the
//! request queue: requests are charged before they are merged, a flush without data counts as one write of no bytes,
//! and the first slice of 100 ms after a pause may be used at once.
//!
//! As in the kernel, a limit of requests is kept exactly where it is a multiple of ten a second. Otherwise what is left
//! of a slice's allowance after rounding down is lost, up to one request in each tenth of a second; and a limit below
//! ten a second, which allows none in a slice, can be passed, because throtl_trim_iops then forgets all that was used.
//! [`ThrottleParameters::kept_otherwise`] says where that makes a difference.
//!
//! Leaves out: hierarchies of groups, and rounds of eight requests that reads and writes share six to two (both pass at
//! the same tick here, reads first).

mod accounts;

use crate::instants;
use crate::lever::doubled;
use crate::{Lever, Stage};
use accounts::{Accounts, Limits, Verdict};
use petrio_colours::{BlockRequest, Cause, Direction};
use petrio_kernel::{PageBuilder, Place, Time};
use petrio_units::Rate;
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};
use std::num::NonZeroU32;

/// A throttle. A limit that is left out is none.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ThrottleParameters {
    /// Reads a second (`blkio.throttle.read_iops_device`, `riops` of `io.max`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub read_iops: Option<NonZeroU32>,
    /// Writes and flushes a second (`blkio.throttle.write_iops_device`, `wiops`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub write_iops: Option<NonZeroU32>,
    /// Bytes read a second (`blkio.throttle.read_bps_device`, `rbps`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub read_rate: Option<Rate>,
    /// Bytes written a second (`blkio.throttle.write_bps_device`, `wbps`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub write_rate: Option<Rate>,
    /// Timer ticks a second of the kernel that keeps the accounts, from 10 to 10,000 (`CONFIG_HZ`; 250 in most
    /// distributions' kernels).
    #[serde(deserialize_with = "ticks")]
    #[schemars(range(min = 10, max = 10_000))]
    pub ticks_per_second: u32,
}

/// How far from its limit a throttle may be before somebody is told: less than what two runs of a real one differ by.
const TOLERATED: f64 = 0.2;
/// How long its accounts are looked at for that.
const OBSERVED: Time = Time::from_whole_seconds(60);

/// Ticks a second that make sense: a slice is a tenth of a second.
const TICKS: std::ops::RangeInclusive<u32> = 10..=10_000;

fn ticks<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u32, D::Error> {
    let ticks = u32::deserialize(deserializer)?;
    if TICKS.contains(&ticks) {
        return Ok(ticks);
    }
    let (least, most) = (TICKS.start(), TICKS.end());
    let message =
        format!("{ticks} timer ticks a second make no throttle; give {least} to {most}, such as 250");
    Err(serde::de::Error::custom(message))
}

impl Default for ThrottleParameters {
    fn default() -> Self {
        Self { read_iops: None, write_iops: None, read_rate: None, write_rate: None, ticks_per_second: 250 }
    }
}

impl ThrottleParameters {
    /// What could be changed about it; its parameters stand at `path`.
    pub fn levers(&self, path: &str) -> Vec<Lever> {
        let twice = |limit: Option<NonZeroU32>| limit.map(|limit| limit.saturating_add(limit.get()));
        let lever = Lever::twice("throttle", "limits", "its limits twice as high")
            .set_some(path, "read_iops", twice(self.read_iops))
            .set_some(path, "write_iops", twice(self.write_iops))
            .set_some(path, "read_rate", self.read_rate.and_then(doubled))
            .set_some(path, "write_rate", self.write_rate.and_then(doubled));
        lever.if_any().into_iter().collect()
    }

    /// The limits of requests that the accounts keep so badly that somebody should know: the key, the limit, and how
    /// many a second pass when always one waits.
    pub fn kept_otherwise(&self) -> Vec<(&'static str, u32, f64)> {
        let limits = [("read_iops", self.read_iops), ("write_iops", self.write_iops)];
        let kept = |(key, limit): (&'static str, Option<NonZeroU32>)| {
            // Of more, the ten a second at most that are lost are little.
            let limit = limit.map(NonZeroU32::get).filter(|&limit| f64::from(limit) * TOLERATED < 10.0)?;
            let ticks_per_second = u64::from(self.ticks_per_second);
            let mut accounts = Accounts::new(Limits { bytes: None, requests: Some(limit), ticks_per_second });
            let rate = accounts.lasting_rate(OBSERVED);
            let off = rate / f64::from(limit) - 1.0;
            (off.abs() > TOLERATED).then_some((key, limit, rate))
        };
        limits.into_iter().filter_map(kept).collect()
    }

    fn accounts(&self) -> [Accounts; 2] {
        [(self.read_rate, self.read_iops), (self.write_rate, self.write_iops)].map(|(rate, requests)| {
            Accounts::new(Limits {
                // The kernel keeps whole bytes a second.
                bytes: rate.map(|rate| (rate.bytes_per_second() as u64).max(1)),
                requests: requests.map(NonZeroU32::get),
                ticks_per_second: u64::from(self.ticks_per_second.clamp(*TICKS.start(), *TICKS.end())),
            })
        })
    }
}

/// Builds the page `name`: requests that come in leave by `down` when the limits allow. Completions don't pass through
/// it.
pub fn throttle_page(
    parent: &mut PageBuilder<'_>,
    name: &str,
    parameters: &ThrottleParameters,
    requests: Place<BlockRequest>,
    down: Place<BlockRequest>,
) -> Vec<Stage> {
    let mut page = parent.page(name);
    page.port_in("requests", requests);
    page.port_out("down", down);
    let accounts = page.state("accounts", parameters.accounts());
    let held: [Place<BlockRequest>; 2] = ["held-reads", "held-writes"].map(|name| page.fifo(name));
    let due: [Place<()>; 2] = ["due-reads", "due-writes"].map(|name| page.fifo(name));
    let go: [Place<()>; 2] = ["go-reads", "go-writes"].map(|name| page.fifo(name));

    let mut accept = page.transition("accept");
    let request = accept.take(requests);
    let keeper = accept.update(accounts);
    let pass = accept.may_put(down, 1);
    let hold = held.map(|held| accept.may_put(held, 1));
    let look = due.map(|due| accept.may_put(due, 1));
    accept.action(move |f| {
        let request = f.take(request);
        let now = f.now();
        let line = usize::from(request.direction != Direction::Read);
        match f.update(keeper)[line].arrive(request.bytes(), now) {
            Verdict::Pass => f.put(pass, request),
            Verdict::Wait(again) => {
                f.put(hold[line], request);
                if let Some(again) = again {
                    f.put_at_pace(look[line], (), again.saturating_sub(now));
                }
            }
        }
    });

    for line in 0..2 {
        let which = ["reads", "writes"][line];
        let mut look = page.transition(&format!("look-at-{which}"));
        look.consume(due[line]);
        let keeper = look.update(accounts);
        let (going, again) = (look.may_put(go[line], u32::from(u16::MAX)), look.may_put(due[line], 1));
        look.action(move |f| {
            let now = f.now();
            let (pass, next) = f.update(keeper)[line].look(now);
            for _ in 0..pass {
                f.put(going, ());
            }
            if let Some(next) = next {
                f.put_at_pace(again, (), next.saturating_sub(now));
            }
        });

        let mut release = page.transition(&format!("release-{which}"));
        // Those that have waited pass before others that come at the same time.
        release.priority(instants::ENDS);
        release.consume(go[line]);
        let request = release.take(held[line]);
        let pass = release.put(down);
        release.action(move |f| {
            let mut request = f.take(request);
            let waited = f.now().saturating_sub(request.issued + request.ledger.total());
            request.ledger.charge(Cause::Queue, waited);
            f.put(pass, request);
        });
    }

    let held = held.map(Place::id);
    vec![Stage::queue(format!("{}/throttle", page.path()), &held).entered_by(&[requests.id()])]
}

#[cfg(test)]
mod tests;
