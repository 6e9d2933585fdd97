//! The processor of an array's own: requests pass it on their way in, and it makes parity.

use super::outcome::Parity;
use super::parameters::ControllerParameters;
use super::{Outs, Places, RaidPorts};
use petrio_colours::{BlockRequest, Cause, SECTOR_BYTES};
use petrio_kernel::{PageBuilder, Place, StationSpec, Time};
use petrio_persist::Persist;
use petrio_stage::Stage;

/// What the controller has to do.
#[derive(Clone, Debug, Persist)]
enum Errand {
    Request(Box<BlockRequest>),
    Parity(Parity),
}

/// The controller: requests pass it on their way in, and it makes parity; one thing after the other.
pub(super) fn controller_page(
    page: &mut PageBuilder<'_>,
    parameters: &ControllerParameters,
    ports: &RaidPorts,
    places: &Places,
) -> (Stage, Place<BlockRequest>) {
    let mut page = page.page("controller");
    let (overhead, rate) = (parameters.overhead.time(), parameters.parity_rate);
    let service = move |errand: &Errand, _: &mut _| match errand {
        Errand::Request(_) => overhead,
        Errand::Parity(parity) => {
            rate.map_or(Time::ZERO, |rate| rate.time_for(parity.blocks.saturating_mul(SECTOR_BYTES)))
        }
    };
    let working = page.station("working", StationSpec::first_come(1, service));
    let entering = page.fifo("entering");

    let mut accept = page.transition("accept");
    let request = accept.take(ports.requests);
    let work = accept.put(working);
    accept.action(move |f| {
        let request = f.take(request);
        f.put(work, Errand::Request(Box::new(request)));
    });

    let mut begin = page.transition("make");
    let parity = begin.take(places.parity);
    let work = begin.put(working);
    begin.action(move |f| {
        let parity = f.take(parity);
        f.put(work, Errand::Parity(parity));
    });

    let mut done = page.transition("done");
    let errand = done.take(working);
    let on = done.may_put(entering, 1);
    let outs = Outs::declare(&mut done, ports, places);
    done.action(move |f| {
        let now = f.now();
        match f.take(errand) {
            Errand::Request(mut request) => {
                let waited = now.saturating_sub(request.issued + request.ledger.total());
                request.ledger.charge(Cause::Overhead, overhead.min(waited));
                request.ledger.charge(Cause::Queue, waited.saturating_sub(overhead));
                f.put(on, *request);
            }
            Errand::Parity(parity) => {
                let outcome = f.update(outs.array).made(parity, now);
                outs.follow(f, outcome);
            }
        }
    });
    (Stage::station(page.path().to_owned(), working.id()), entering)
}
