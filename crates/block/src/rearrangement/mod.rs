//! A device that is rearranged by use: pieces of it that are used most are brought together.
//!
//! ```text
//! requests ─▶(place)─▶ down ─▶ … ─▶ up ─▶(collect)─▶ completions
//!               └─▶ held ─▶(release)─▶ down        who touches a piece that is being moved waits
//! ```
//!
//! Uses of each piece are counted; after each interval those that were used most change places with what lies in the
//! middle of what is used, or at the device's beginning. Sources: C. Ruemmler and J. Wilkes, *Disk shuffling* (HPL-91-156, 1991),
//! for the organ pipe of pieces once a day, and for its limits: arms move less, queues stay; S. Akyürek and K. Salem,
//! *Adaptive block rearrangement* (ACM TOCS 13(2), 1995), for moving only the most used. Ivy (§7) names it as what
//! copies of files compete with.
//!
//! An interval is over with the first request after it, so an idle device keeps what it has. Where a piece lies is
//! known without a look at the device; what is moved is held in memory between its reads and its writes.
//!
//! Leaves out: room kept free for what is used most, so two pieces always change places.

mod layout;
mod parameters;
mod state;

pub use parameters::{PieceOrder, RearrangementError, RearrangementParameters};

use crate::CopyTraffic;
use petrio_colours::{BlockRequest, Cause};
use petrio_kernel::{Firing, PageBuilder, Place, Put, Sum, Take, TransitionBuilder};
use petrio_stage::{MANY, Stage};
use state::{Arrangement, Outcome};

/// How the page is connected.
#[derive(Clone, Copy, Debug)]
pub struct RearrangementPorts {
    /// Requests come in.
    pub requests: Place<BlockRequest>,
    /// What is complete goes out.
    pub completions: Place<BlockRequest>,
    /// Requests to the device go here.
    pub down: Place<BlockRequest>,
    /// They come back from here.
    pub up: Place<BlockRequest>,
}

/// Builds the page `name` over a device of so many blocks of 512 bytes; rows for the report.
///
/// # Errors
/// See [`RearrangementError`].
pub fn rearrangement_page(
    parent: &mut PageBuilder<'_>,
    name: &str,
    parameters: &RearrangementParameters,
    blocks: u64,
    ports: RearrangementPorts,
) -> Result<Vec<Stage>, RearrangementError> {
    let arrangement = Arrangement::new(parameters, blocks)?;
    let mut page = parent.page(name);
    page.port_in("requests", ports.requests);
    page.port_out("completions", ports.completions);
    page.port_out("down", ports.down);
    page.port_in("up", ports.up);
    let arrangement = page.state("arrangement", arrangement);
    let held = page.fifo::<BlockRequest>("held");
    let go = page.fifo::<()>("go");
    // A token while two pieces change places.
    let moving = page.fifo::<()>("moving");
    let moved = page.fifo::<()>("moved");

    let mut place = page.transition("place");
    let request = place.take(ports.requests);
    let keeper = place.update(arrangement);
    let outs = Outs::declare(&mut place, &ports, (moving, moved, go));
    let wait = place.may_put(held, 1);
    place.action(move |f| {
        let (request, now) = (f.take(request), f.now());
        let mut outcome = f.update(keeper).arrive(request, now);
        if let Some(request) = outcome.waits.take() {
            f.put(wait, request);
        }
        outs.follow(f, outcome);
    });

    let mut release = page.transition("release");
    release.consume(go);
    let request: Take<BlockRequest> = release.take(held);
    let keeper = release.update(arrangement);
    let outs = Outs::declare(&mut release, &ports, (moving, moved, go));
    release.action(move |f| {
        let mut request = f.take(request);
        let now = f.now();
        let waited = now.saturating_sub(request.issued + request.ledger.total());
        request.ledger.charge(Cause::Queue, waited);
        let outcome = f.update(keeper).release(request, now);
        outs.follow(f, outcome);
    });

    let mut collect = page.transition("collect");
    let part = collect.take(ports.up);
    let keeper = collect.update(arrangement);
    let outs = Outs::declare(&mut collect, &ports, (moving, moved, go));
    let back = collect.may_put(ports.completions, 1);
    collect.action(move |f| {
        let (part, now) = (f.take(part), f.now());
        let Some(mut outcome) = f.update(keeper).end(&part, now) else {
            return f.fail(format!("a request with the tag {} is complete that was never sent", part.tag));
        };
        if let Some(request) = outcome.complete.take() {
            f.put(back, request);
        }
        outs.follow(f, outcome);
    });

    let mut rest = page.transition("rest");
    rest.consume(moved);
    rest.consume(moving);
    rest.action(|_| {});

    let sum = Sum::new().of(arrangement, Arrangement::sent_and_back).taken(ports.up, -1);
    page.conserve_sum("parts", sum);
    if parameters.traffic == CopyTraffic::Magic {
        return Ok(Vec::new());
    }
    let path = page.path();
    Ok(vec![
        Stage::server(format!("{path}/moves"), 1, &[moving.id()]),
        Stage::queue(format!("{path}/held"), &[held.id()]),
    ])
}

/// Where what an event brings about goes.
#[derive(Clone, Copy)]
struct Outs {
    down: Put<BlockRequest>,
    moving: Put<()>,
    moved: Put<()>,
    go: Put<()>,
}

impl Outs {
    fn declare(
        transition: &mut TransitionBuilder<'_>,
        ports: &RearrangementPorts,
        (moving, moved, go): (Place<()>, Place<()>, Place<()>),
    ) -> Self {
        Self {
            down: transition.may_put(ports.down, MANY),
            moving: transition.may_put(moving, 1),
            moved: transition.may_put(moved, 1),
            go: transition.may_put(go, MANY),
        }
    }

    fn follow(self, f: &mut Firing<'_>, outcome: Outcome) {
        for part in outcome.down {
            f.put(self.down, part);
        }
        if outcome.ends {
            f.put(self.moved, ());
        }
        if outcome.begins {
            f.put(self.moving, ());
        }
        for _ in 0..outcome.release {
            f.put(self.go, ());
        }
    }
}

#[cfg(test)]
mod tests;
