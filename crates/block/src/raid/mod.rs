//! Arrays: several members as one, at RAID levels 0, 1, 1+0, 4, 5 and 6, and with declustered parity.
//!
//! ```text
//! requests ─▶ split ─▶ member 0 … n ─▶ join ─▶ completions
//!               └▶ held ─(granted)─▶ go ─▶ members      parity ─▶ made ─▶ members
//! ```
//!
//! A controller with a cache stands before `split` (`cache`). `layout` says where data and redundancy lie, `planner` which requests to
//! members one becomes, `locks` who changes which stripe, `array` what is on its way, `failing` and `rebuild` what happens when members
//! fail, `stride` and `advance` how a rebuild that nobody disturbs is done in few events, `outcome` what an event brings about; the page
//! puts them into the net. Sources: Patterson, Gibson and Katz, "A case for
//! redundant arrays of inexpensive disks", SIGMOD 1988; Chen et al., "RAID: high-performance, reliable secondary storage",
//! ACM Computing Surveys 26 (1994); for Linux, drivers/md/raid0.c, raid1.c, raid10.c, raid5.c, and `md_flush_request`.
//!
//! A flush goes to every member; a write with a flush before it waits until all members have flushed. A request completes
//! with its last part. Parts of a request that go on from each other on a member are one, as the member's own queue would
//! merge them.
//!
//! Linux md's levels 4, 5 and 6 work by rows of pages (`rows`, `md`), which keep of `split` and `join` only the ways in and out. Which
//! parts may differ between the members is written down where a bitmap is (`intents`, `bitmap`).
//!
//! Discards pass levels without parity that the host makes, in one piece for each member (raid0_handle_discard, raid10_handle_discard); md
//! refuses them where there is parity (`devices_handle_discard_safely` of raid5.c), and so do controllers. They set no bits of a bitmap.
//!
//! Leaves out: members of different sizes (the smallest counts), and journals that fail; discards of level 1 cut at 64 MiB (raid1.c).

mod advance;
mod array;
mod behind;
mod bitmap;
mod cache;
mod controller;
mod copies;
mod damage;
mod declustered;
mod degraded;
mod error;
mod failing;
mod gather;
mod intents;
mod layout;
mod locks;
mod md;
mod outcome;
mod parameters;
mod plan;
mod planner;
mod reads;
mod rebuild;
mod rows;
mod shape;
mod stride;
mod tally;
mod thread;
mod whole;
mod without_effect;

pub use array::Array;
pub use bitmap::BitmapParameters;
pub use cache::{Cache, CacheTally, RaidCacheParameters};
pub use copies::CopiesLayout;
pub use damage::Damage;
pub use degraded::DegradedAccess;
pub use error::RaidError;
pub use layout::{Layout, Redundancy, Spot};
pub use md::{JournalMode, JournalParameters, StripeCacheParameters};
pub use parameters::{
    ControllerParameters, MemberFailure, ParityLayout, ParityUpdate, RaidLevel, RaidParameters,
    RebuildParameters, WriteOrder,
};
pub use plan::{Health, Lost, Members, Part, Plan};
pub use planner::Planner;
pub use reads::ReadChoice;
pub use tally::{Failed, Moved, RaidTally};
pub use without_effect::Idle;

use cache::{CachePorts, Down, Shape, cache_page};
use controller::controller_page;
use gather::Pieces;
use outcome::{Outcome, Parity, Seat};
use petrio_colours::{BlockRequest, SECTOR_BYTES};
use petrio_kernel::{Colour, Firing, PageBuilder, Place, Put, Sum, Time, TransitionBuilder};
use petrio_persist::Persist;
use petrio_random::{exponential, uniform};
use petrio_stage::Stage;
use petrio_units::Lifetime;
use rebuild::Call;
use whole::Rules;

/// What an array lies on.
#[derive(Clone, Debug)]
pub struct RaidPorts {
    /// Requests come in.
    pub requests: Place<BlockRequest>,
    /// What is complete goes out.
    pub completions: Place<BlockRequest>,
    /// For each member, then each spare, and then the journal, a place for requests to it and one for its completions.
    pub members: Vec<(Place<BlockRequest>, Place<BlockRequest>)>,
    /// Blocks of 512 bytes that the smallest member offers.
    pub blocks: u64,
    /// Those of the journal, where the last is one.
    pub journal_blocks: u64,
    /// Whether anything turns in all of them.
    pub rotational: bool,
    /// Whether nobody else asks them for anything, nor shares what they need for it: a rebuild may go in strides then.
    pub alone: bool,
}

/// Most tokens that one event makes an array send to one member.
const MANY: u32 = u32::MAX;

/// What fails.
#[derive(Clone, Copy, Debug, Persist)]
struct Failing {
    /// Which of those that the array lies on.
    port: usize,
    /// Which drive there, counted from 0, if its life was drawn: another's end is none of its own. Else whichever is there.
    drive: Option<u32>,
}

/// An array in the net.
#[derive(Clone, Debug)]
pub struct RaidPage {
    /// The rows that the report shows.
    pub stages: Vec<Stage>,
    /// All of the array that changes.
    pub array: Place<Array>,
    /// All of its controller's cache, where it has one.
    pub cache: Option<Place<Cache>>,
}

/// Builds the page `name`.
///
/// # Errors
/// See [`RaidError`].
pub fn raid_page(
    parent: &mut PageBuilder<'_>,
    name: &str,
    parameters: &RaidParameters,
    ports: &RaidPorts,
) -> Result<RaidPage, RaidError> {
    let layout = parameters.layout_on(ports.members.len(), ports.blocks)?;
    parameters.check_journal(ports.members.len(), ports.journal_blocks)?;
    let controller = parameters.controller.as_ref();
    let blocks = layout.blocks(ports.blocks);
    let shape = Shape::of(&layout, blocks);
    let rules = rules(parameters, ports, layout, blocks);

    let mut page = parent.page(name);
    page.port_in("requests", ports.requests);
    page.port_out("completions", ports.completions);
    for (member, (down, up)) in ports.members.iter().enumerate() {
        page.port_out(&format!("down{member}"), *down);
        page.port_in(&format!("up{member}"), *up);
    }
    let rows = parameters.rows(&rules.planner.layout, ports.journal_blocks);
    let has_rows = rows.is_some();
    let bitmap = parameters.bitmap.as_ref().and_then(|bitmap| bitmap.of(&rules.planner.layout));
    let has_bitmap = bitmap.is_some();
    let array = page.state("array", Array::new(rules, rows, bitmap));
    let places = Places::declare(&mut page, array, parameters);
    let mut stages = vec![Stage::queue(format!("{}/held", page.path()), &[places.held.id()])];
    let memory = controller.and_then(|controller| controller.cache.as_ref());
    // With a cache, what the array is asked and answers passes it.
    let above = ports;
    let mut ports = ports.clone();
    if memory.is_some() {
        ports.completions = page.fifo("up");
    }
    let ports = &ports;
    let ports_below = ports;
    let mut entering = above.requests;
    if let Some(controller) = controller {
        let (stage, past) = controller_page(&mut page, controller, ports, &places);
        stages.push(stage);
        entering = past;
    }
    let mut cache = None;
    if let Some(memory) = memory {
        let down = page.fifo("down");
        let ports =
            CachePorts { requests: entering, completions: above.completions, down, up: ports.completions };
        let (rows, contents) = cache_page(&mut page, memory, ports, shape);
        stages.extend(rows);
        cache = Some(contents);
        split(&mut page, down, ports_below, &places, |Down { request, gathered }| (request, gathered));
    } else {
        split(&mut page, entering, ports_below, &places, |request| (request, Pieces::new()));
    }

    go_and_join(&mut page, ports, &places);
    failures(&mut page, parameters, ports, &places);
    if has_rows {
        thread::thread_page(&mut page, ports, &places);
    }
    if has_bitmap {
        thread::daemon(&mut page, ports, &places);
    }
    let sum = Sum::new().of(array, Array::sent_and_back);
    page.conserve_sum("parts", ports.members.iter().fold(sum, |sum, (_, up)| sum.taken(*up, -1)));
    Ok(RaidPage { stages, array, cache })
}

/// What an array goes by, of its parameters and of what it lies on.
fn rules(parameters: &RaidParameters, ports: &RaidPorts, layout: Layout, blocks: u64) -> Rules {
    let (members, unit) = (layout.members(), layout.unit());
    let grain = parameters.granularity.get() / SECTOR_BYTES;
    let (update, degraded) = (parameters.parity_update, parameters.degraded);
    let has_rows = parameters.stripe_cache.is_some() && parameters.level != RaidLevel::Mirrored;
    Rules {
        planner: Planner { layout, update, degraded, grain },
        order: parameters.write_order,
        locks: parameters.stripe_locks,
        reads: parameters.reads,
        striped_mirrors: parameters.level == RaidLevel::MirroredStriped,
        lowest: parameters.copies_layout != CopiesLayout::Near,
        rotational: ports.rotational,
        mostly: parameters.write_mostly_of(members),
        pieces: has_rows.then_some(unit),
        discards: parameters.passes_discards().then(|| parameters.cuts_discards_below(members as u64 * unit)),
        blocks,
        member_blocks: ports.blocks,
        makes_parity: parameters
            .controller
            .as_ref()
            .is_some_and(|controller| controller.parity_rate.is_some()),
        spares: parameters.spares as usize,
        alone: ports.alone,
        replaces: parameters.replaced_after.is_some(),
        rebuild: parameters.rebuild.clone(),
    }
}

/// What waited for a stripe goes to the members, and what they complete comes back.
fn go_and_join(page: &mut PageBuilder<'_>, ports: &RaidPorts, places: &Places) {
    let places = *places;
    let mut go = page.transition("go");
    let granted = go.take(places.granted);
    let held = go.take_key(places.held, move |binding| u128::from(*binding.get(granted)));
    let outs = Outs::declare(&mut go, ports, &places);
    go.action(move |f| {
        let _ = f.take(granted);
        let slot = f.take(held);
        let (now, draw) = (f.now(), places.draw(f));
        let outcome = f.update(outs.array).go(slot, now, draw);
        outs.follow(f, outcome);
    });

    for (member, (_, up)) in ports.members.iter().enumerate() {
        let mut join = page.transition(&format!("join{member}"));
        let part = join.take(*up);
        let outs = Outs::declare(&mut join, ports, &places);
        join.action(move |f| {
            let part = f.take(part);
            let (now, draw) = (f.now(), places.draw(f));
            match f.update(outs.array).part(member, &part, now, draw) {
                Some(outcome) => outs.follow(f, outcome),
                None => f.fail(format!(
                    "member {member} completes a request with the tag {}, which the array never sent",
                    part.tag
                )),
            }
        });
    }
}

/// What comes to an array goes to its members; what is written together is told beside it.
fn split<C: Colour>(
    page: &mut PageBuilder<'_>,
    from: Place<C>,
    ports: &RaidPorts,
    places: &Places,
    parts: impl Fn(C) -> (BlockRequest, Pieces) + Send + Sync + 'static,
) {
    let places = *places;
    let mut split = page.transition("split");
    let asked = split.take(from);
    let outs = Outs::declare(&mut split, ports, &places);
    split.action(move |f| {
        let (request, gathered) = parts(f.take(asked));
        let draw = places.draw(f);
        let outcome = f.update(outs.array).arrive(request, gathered, draw);
        outs.follow(f, outcome);
    });
}

/// Places of an array's page.
#[derive(Clone, Copy)]
struct Places {
    array: Place<Array>,
    held: Place<u32>,
    granted: Place<u32>,
    /// The thread that handles rows is woken.
    woken: Place<()>,
    /// The bitmap's daemon is to come after this.
    daemon: Place<()>,
    delay: Time,
    parity: Place<Parity>,
    /// Those that fail, when they do.
    failing: Place<Failing>,
    /// Where new drives are put, when they are.
    replacing: Place<Seat>,
    /// Pieces of members that are rebuilt next, when they are.
    rebuilding: Place<Call>,
    /// Numbers by which copies are chosen, where they are by chance.
    draws: Option<petrio_kernel::Stream>,
    lives: petrio_kernel::Stream,
    replaced_after: Time,
    mean_life: Option<Lifetime>,
}

impl Places {
    fn declare(page: &mut PageBuilder<'_>, array: Place<Array>, parameters: &RaidParameters) -> Self {
        Self {
            array,
            held: page.keyed("held", |slot: &u32| u128::from(*slot)),
            granted: page.fifo("granted"),
            woken: page.fifo("woken"),
            daemon: page.fifo("daemon"),
            delay: parameters.bitmap.as_ref().map_or(Time::ZERO, |bitmap| bitmap.delay.time()),
            parity: page.fifo("parity"),
            failing: page.fifo("failing"),
            replacing: page.fifo("replacing"),
            rebuilding: page.fifo("rebuilding"),
            draws: (parameters.reads == ReadChoice::Random).then(|| page.stream("copies")),
            lives: page.stream("lives"),
            replaced_after: parameters.replaced_after.map_or(Time::ZERO, petrio_units::Duration::time),
            mean_life: parameters.mean_time_to_failure,
        }
    }

    /// A number from 0 to 1, if anything goes by one.
    fn draw(&self, f: &mut Firing<'_>) -> f64 {
        self.draws.map_or(0.0, |draws| uniform(f.random(draws)))
    }
}

/// Members fail, others take their place, and are filled.
fn failures(page: &mut PageBuilder<'_>, parameters: &RaidParameters, ports: &RaidPorts, places: &Places) {
    for failure in &parameters.failures {
        let failing = Failing { port: failure.member as usize, drive: None };
        page.initial_after(places.failing, failing, failure.at.time());
    }
    let places = *places;
    if let Some(mean) = places.mean_life {
        let members = ports.members.len() - usize::from(parameters.journal.is_some());
        let begun = page.fifo::<()>("begun");
        page.initial(begun, [()]);
        let mut live = page.transition("live");
        live.consume(begun);
        let failing = live.may_put(places.failing, MANY);
        live.action(move |f| {
            for port in 0..members {
                live_and_fail(f, (failing, places.lives), Failing { port, drive: Some(0) }, mean);
            }
        });
    }

    let mut fail = page.transition("fail");
    let failing = fail.take(places.failing);
    let outs = Outs::declare(&mut fail, ports, &places);
    fail.action(move |f| {
        let (Failing { port, drive }, now) = (f.take(failing), f.now());
        let outcome = f.update(outs.array).fail(port, drive, now);
        outs.follow(f, outcome);
    });

    let mut replace = page.transition("replace");
    let seat = replace.take(places.replacing);
    let outs = Outs::declare(&mut replace, ports, &places);
    replace.action(move |f| {
        let (seat, now) = (f.take(seat), f.now());
        let outcome = f.update(outs.array).replace(seat, now);
        outs.follow(f, outcome);
    });

    let mut rebuild = page.transition("rebuild");
    let call = rebuild.take(places.rebuilding);
    let outs = Outs::declare(&mut rebuild, ports, &places);
    rebuild.action(move |f| {
        let (call, now) = (f.take(call), f.now());
        let draw = places.draw(f);
        let outcome = f.update(outs.array).go_on(call, now, draw);
        outs.follow(f, outcome);
    });
}

/// A drive begins to live, and fails at the end of a life that is drawn. One that lives longer than there is time doesn't.
fn live_and_fail(
    f: &mut Firing<'_>,
    (failing, lives): (Put<Failing>, petrio_kernel::Stream),
    drive: Failing,
    mean: Lifetime,
) {
    let life = exponential(f.random(lives), mean.as_seconds());
    if life < (Time::NEVER - f.now()).as_seconds() {
        f.put_after(failing, drive, Time::from_seconds(life));
    }
}

/// Where what an event brings about goes.
struct Outs {
    array: petrio_kernel::Update<Array>,
    members: Vec<Put<BlockRequest>>,
    completions: Put<BlockRequest>,
    held: Put<u32>,
    granted: Put<u32>,
    woken: Put<()>,
    daemon: Put<()>,
    parity: Put<Parity>,
    failing: Put<Failing>,
    replacing: Put<Seat>,
    rebuilding: Put<Call>,
    places: Places,
}

impl Outs {
    fn declare(transition: &mut TransitionBuilder<'_>, ports: &RaidPorts, places: &Places) -> Self {
        Self {
            array: transition.update(places.array),
            members: ports.members.iter().map(|(down, _)| transition.may_put(*down, MANY)).collect(),
            completions: transition.may_put(ports.completions, MANY),
            held: transition.may_put(places.held, 1),
            granted: transition.may_put(places.granted, MANY),
            woken: transition.may_put(places.woken, 1),
            daemon: transition.may_put(places.daemon, 1),
            parity: transition.may_put(places.parity, MANY),
            failing: transition.may_put(places.failing, 1),
            replacing: transition.may_put(places.replacing, 1),
            rebuilding: transition.may_put(places.rebuilding, MANY),
            places: *places,
        }
    }

    fn follow(&self, f: &mut Firing<'_>, mut outcome: Box<Outcome>) {
        for (member, part) in outcome.sends.drain(..) {
            f.put(self.members[member], part);
        }
        for request in outcome.complete.drain(..) {
            f.put(self.completions, request);
        }
        if let Some(slot) = outcome.waits.take() {
            f.put(self.held, slot);
        }
        if std::mem::take(&mut outcome.wakes) {
            f.put(self.woken, ());
        }
        if std::mem::take(&mut outcome.ticks) {
            f.put_after(self.daemon, (), self.places.delay);
        }
        for slot in outcome.granted.drain(..) {
            f.put(self.granted, slot);
        }
        for parity in outcome.parity.drain(..) {
            f.put(self.parity, parity);
        }
        for (call, after) in outcome.rebuild.drain(..) {
            f.put_after(self.rebuilding, call, after);
        }
        if let Some(seat) = outcome.replace.take() {
            f.put_after(self.replacing, seat, self.places.replaced_after);
        }
        if let Some(((port, drive), mean)) = outcome.fresh.take().zip(self.places.mean_life) {
            let drive = Failing { port, drive: Some(drive) };
            live_and_fail(f, (self.failing, self.places.lives), drive, mean);
        }
        f.update(self.array).carried_out(outcome);
    }
}

#[cfg(test)]
mod tests;
