//! A throttle: requests and bytes a second, as a cgroup's `blkio.throttle` files set them, or QEMU for a guest's drive.
//!
//! ```text
//! requests ─▶(accept)─▶ down                        (completions pass by)
//!               │  └─▶ held-reads, held-writes ─▶(release)─▶ down
//!               └─▶ due ─▶(look)─▶ go ─────────────▲
//! ```
//!
//! Who keeps the accounts (its keeper) says what may pass: the kernel (`accounts.rs`), or leaky buckets with bursts (`leaky.rs`,
//! `bucket.rs`), as QEMU has them, and clouds for their volumes, which build this page, too (`device/volume/`).
//!
//! Source of the kernel's: block/blk-throttle.c of Linux 6.18, one group; the accounting stands in `accounts.rs`. It sits before the
//! request queue: requests are charged before they are merged, a flush without data counts as one write of no bytes,
//! and the first slice of 100 ms after a pause may be used at once.
//!
//! As in the kernel, a limit of requests is kept exactly where it is a multiple of ten a second. Otherwise what is left
//! of a slice's allowance after rounding down is lost, up to one request in each tenth of a second; and a limit below
//! ten a second, which allows none in a slice, can be passed, because throtl_trim_iops then forgets all that was used.
//! [`ThrottleParameters::kept_otherwise`] says where that makes a difference.
//!
//! Source of QEMU's: util/throttle.c and block/throttle-groups.c of QEMU 8.2: a request passes where no bucket is fuller than it may
//! be, whatever its size, and what follows waits; flushes aren't counted. It sits where the guest's device does, before any queue of
//! the host's.
//!
//! Leaves out: QEMU's groups of several drives, the kernel's hierarchies of groups, and its rounds of eight requests that reads and
//! writes share six to two (both pass at the same tick here, reads first).

mod accounts;
mod bucket;
mod leaky;
mod parameters;

use accounts::Accounts;
pub(crate) use bucket::Allowance;
pub use bucket::Credit;
pub(crate) use leaky::{Among, Counting, Leaky, Of};
pub use parameters::{KeptBy, ThrottleParameters};
use petrio_colours::{BlockRequest, Cause, Direction, SECTOR_BYTES};
use petrio_kernel::{Colour, PageBuilder, Place, Simulation, Time};
use petrio_stage::Stage;
use petrio_stage::instants;
use std::fmt;
use std::sync::Arc;

/// What becomes of a request that arrives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// It passes.
    Pass,
    /// It waits; when to look again, if it is the first that does.
    Wait(Option<Time>),
}

/// Who keeps the accounts of what may pass: of one line in which requests wait, or of two.
pub(crate) trait Keeper: Colour {
    /// The line in which a request waits, 0 or 1.
    fn line(&self, request: &BlockRequest) -> usize;

    /// A request arrives.
    fn arrive(&mut self, request: &BlockRequest, now: Time) -> Verdict;

    /// The time to look again has come: how many of a line may pass, and when to look again.
    fn look(&mut self, line: usize, now: Time) -> (u32, Option<Time>);
}

/// As the kernel keeps them: of reads, and of all else.
impl Keeper for [Accounts; 2] {
    fn line(&self, request: &BlockRequest) -> usize {
        usize::from(request.direction != Direction::Read)
    }

    fn arrive(&mut self, request: &BlockRequest, now: Time) -> Verdict {
        // A discard counts as one block (throtl_bio_data_size, block/blk-throttle.c).
        let bytes = if request.direction == Direction::Discard { SECTOR_BYTES } else { request.bytes() };
        self[self.line(request)].arrive(bytes, now)
    }

    fn look(&mut self, line: usize, now: Time) -> (u32, Option<Time>) {
        self[line].look(now)
    }
}

/// Looks at a run: what is left of a burst.
type Look = Arc<dyn Fn(&Simulation) -> Option<Credit> + Send + Sync>;

/// A burst of a part, in a net.
#[derive(Clone)]
pub struct Credits {
    /// Whether it is one of bytes; else of requests.
    pub of_bytes: bool,
    look: Look,
}

impl Credits {
    /// Those of the accounts in a place of a net, which are as `accounts` says when it begins.
    pub(crate) fn of(accounts: &Leaky, place: Place<Leaky>) -> Vec<Self> {
        let credits = |(number, of): (usize, Of)| Self {
            of_bytes: of == Of::Bytes,
            look: Arc::new(move |run: &Simulation| {
                let mut found = None;
                let now = run.now();
                run.for_each_token(place, |accounts: &Leaky| found = accounts.credit(number, now));
                found
            }),
        };
        accounts.bursts().into_iter().map(credits).collect()
    }

    /// What is left; `None` where it can't be seen.
    pub fn now(&self, run: &Simulation) -> Option<Credit> {
        (self.look)(run)
    }
}

impl fmt::Debug for Credits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Credits").field("of_bytes", &self.of_bytes).finish_non_exhaustive()
    }
}

/// Builds the page `name` of a throttle: requests that come in leave by `down` when the limits allow. Completions don't pass through
/// it. Its stages, and the bursts that it allows.
pub fn throttle_page(
    parent: &mut PageBuilder<'_>,
    name: &str,
    parameters: &ThrottleParameters,
    requests: Place<BlockRequest>,
    down: Place<BlockRequest>,
) -> (Vec<Stage>, Vec<Credits>) {
    match parameters.kept_by {
        KeptBy::Linux => (limits_page(parent, name, parameters.slices(), requests, down).0, Vec::new()),
        KeptBy::Qemu => {
            let leaky = parameters.leaky();
            let (stages, place) = limits_page(parent, name, leaky.clone(), requests, down);
            (stages, Credits::of(&leaky, place))
        }
    }
}

/// Builds the page of a throttle's completions, which pass by.
pub fn passing_page(
    parent: &mut PageBuilder<'_>,
    name: &str,
    below: Place<BlockRequest>,
    completions: Place<BlockRequest>,
) {
    let mut page = parent.page(&format!("{name}-back"));
    page.port_in("below", below);
    page.port_out("completions", completions);
    let mut pass = page.transition("pass");
    let request = pass.take(below);
    let up = pass.put(completions);
    pass.action(move |f| {
        let request = f.take(request);
        f.put(up, request);
    });
}

/// Builds the page `name` of limits, whose accounts `keeper` keeps: its stage, and where they are.
pub(crate) fn limits_page<K: Keeper>(
    parent: &mut PageBuilder<'_>,
    name: &str,
    keeper: K,
    requests: Place<BlockRequest>,
    down: Place<BlockRequest>,
) -> (Vec<Stage>, Place<K>) {
    let mut page = parent.page(name);
    page.port_in("requests", requests);
    page.port_out("down", down);
    let accounts = page.state("accounts", keeper);
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
        let accounts: &mut K = f.update(keeper);
        let line = accounts.line(&request);
        match accounts.arrive(&request, now) {
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
            let (pass, next) = f.update(keeper).look(line, now);
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
    let stage = Stage::queue(format!("{}/throttle", page.path()), &held).entered_by(&[requests.id()]);
    (vec![stage], accounts)
}

#[cfg(test)]
mod tests;
