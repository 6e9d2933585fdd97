//! Several paths to a device, as the device mapper has them: which one a request takes, and what happens when one fails.
//!
//! ```text
//!                    ┌▶ path 0: adapter, link ─▶ deliver ─┐
//! requests ─▶ enter ─┤                                     ├─▶ down … the device … up ─▶ back ─▶ the same path ─▶ arrive ─▶ completions
//!                    └▶ path 1 ⋯                           ┘
//!            events (a path fails, is found out, is back, is looked at) ─▶ happen
//! ```
//!
//! A path that fails carries nothing any more, neither commands nor answers. Requests on it hang until that is found out; then the path
//! is given up, and they take another. The device may do a request twice whose answer was lost; whoever asked hears of it once.
//! What is under way at the device when its path fails is done there all the same.
//!
//! Source: Linux drivers/md/dm-mpath.c (`choose_pgpath`, `fail_path`, `reinstate_path`, `multipath_end_io`), the selectors beside it, and
//! multipath.conf(5) of multipath-tools: grouping, polling, failback, `no_path_retry`. A path's [adapter and link](super::fabric) are
//! Fibre Channel's; `fast_io_fail_tmo` is how long its transport waits for a link (scsi_transport_fc.c).
//!
//! Leaves out: an array's ports that only one controller serves at full speed, and what it costs to have it change over (ALUA,
//! `hwhandler`); paths that fail now and then (`san_path_err_threshold`); aborts, which would take requests back from the device.

mod parameters;
mod selector;
mod state;
mod tally;

pub use parameters::{
    MOST_PATHS, MOST_THROUGHPUT, MultipathError, MultipathParameters, PathFailure, PathGroups,
    PathParameters, PathSelector,
};
pub use state::Multipath;
pub use tally::{PathFailed, PathTally, Tally};

use super::fabric::fabric_page;
use petrio_colours::BlockRequest;
use petrio_kernel::{Firing, PageBuilder, Place, Put, Sum, TransitionBuilder, Update};
use petrio_stage::{Stage, instants};
use state::{Answer, Event, Outcome};

/// Most tokens that one event puts into a place.
const MANY: u32 = u32::MAX;

/// What several paths lie between.
#[derive(Clone, Copy, Debug)]
pub struct MultipathPorts {
    /// Requests come in.
    pub requests: Place<BlockRequest>,
    /// What is complete goes out.
    pub completions: Place<BlockRequest>,
    /// Where the device is asked …
    pub down: Place<BlockRequest>,
    /// … and answers.
    pub up: Place<BlockRequest>,
}

/// What the page of a path is called: a dot is in no part's name.
pub fn path_page(name: &str, path: usize) -> String {
    format!("{name}.path{path}")
}

/// Builds the page `name` and, beside it, one for each path; gives the rows of the paths' stages, and what is counted.
///
/// # Errors
/// [`MultipathParameters::check`].
pub fn multipath_page(
    parent: &mut PageBuilder<'_>,
    name: &str,
    parameters: &MultipathParameters,
    ports: MultipathPorts,
) -> Result<(Vec<Stage>, Place<Multipath>), MultipathError> {
    parameters.check()?;
    let mut stages = Vec::new();
    let mut ends = Vec::new();
    for path in 0..parameters.paths.len() {
        let page = path_page(name, path);
        let [from, to, down, up] =
            ["requests", "completions", "down", "up"].map(|port| parent.fifo(&format!("{page}-{port}")));
        stages.extend(fabric_page(parent, &page, parameters.link(path), (from, to), (down, up)));
        ends.push([from, to, down, up]);
    }
    let mut page = parent.page(name);
    for (port, place) in [("requests", ports.requests), ("up", ports.up)] {
        page.port_in(port, place);
    }
    for (port, place) in [("completions", ports.completions), ("down", ports.down)] {
        page.port_out(port, place);
    }
    let multipath = page.state("multipath", Multipath::new(parameters));
    let events = page.fifo::<Event>("events");
    for (path, failing) in parameters.paths.iter().enumerate() {
        for PathFailure { at, restored_after } in &failing.failures {
            page.initial_after(events, Event::Fail(path), at.time());
            if let Some(after) = restored_after {
                page.initial_after(events, Event::Restore(path), at.time().saturating_add(after.time()));
            }
        }
    }
    let places = Places { multipath, events, completions: ports.completions };
    let sends: Vec<Place<BlockRequest>> = ends.iter().map(|[from, ..]| *from).collect();

    let mut enter = page.transition("enter");
    let request = enter.take(ports.requests);
    let outs = Outs::declare(&mut enter, places, &sends);
    enter.action(move |f| {
        let (request, now) = (f.take(request), f.now());
        let outcome = f.update(outs.multipath).enter(request, now);
        outs.follow(f, outcome);
    });
    let mut happen = page.transition("happen");
    happen.priority(instants::ENDS);
    let event = happen.take(events);
    let outs = Outs::declare(&mut happen, places, &sends);
    happen.action(move |f| {
        let (event, now) = (f.take(event), f.now());
        let outcome = f.update(outs.multipath).happens(event, now);
        outs.follow(f, outcome);
    });
    for (path, [_, to, down, _]) in ends.iter().enumerate() {
        far_end(&mut page, path, (*down, ports.down), multipath);
        near_end(&mut page, path, (*to, ports.completions), multipath);
    }
    let mut back = page.transition("back");
    let request = back.take(ports.up);
    let state = back.update(multipath);
    let ways: Vec<Put<BlockRequest>> = ends.iter().map(|[.., up]| back.may_put(*up, 1)).collect();
    back.action(move |f| {
        let request = f.take(request);
        let tag = request.tag;
        match f.update(state).back(request) {
            Answer::On(path, request) => f.put(ways[path], request),
            Answer::Lost => {}
            Answer::Unknown => {
                f.fail(format!("a request with the tag {tag} is complete, which was never sent"));
            }
        }
    });
    page.conserve_sum("requests", Sum::new().of(multipath, Multipath::came).taken(ports.requests, -1));
    Ok((stages, multipath))
}

/// What comes out of a path at the device's end reaches the device, if the path has carried it.
fn far_end(
    page: &mut PageBuilder<'_>,
    path: usize,
    (from, down): (Place<BlockRequest>, Place<BlockRequest>),
    multipath: Place<Multipath>,
) {
    let mut deliver = page.transition(&format!("deliver-{path}"));
    let request = deliver.take(from);
    let (state, put) = (deliver.update(multipath), deliver.may_put(down, 1));
    deliver.action(move |f| {
        let request = f.take(request);
        if f.update(state).deliver(&request) {
            f.put(put, request);
        }
    });
}

/// The same at the host's end.
fn near_end(
    page: &mut PageBuilder<'_>,
    path: usize,
    (from, completions): (Place<BlockRequest>, Place<BlockRequest>),
    multipath: Place<Multipath>,
) {
    let mut arrive = page.transition(&format!("arrive-{path}"));
    let request = arrive.take(from);
    let (state, put) = (arrive.update(multipath), arrive.may_put(completions, 1));
    arrive.action(move |f| {
        let request = f.take(request);
        if let Some(request) = f.update(state).arrive(request) {
            f.put(put, request);
        }
    });
}

/// Places that transitions put into.
#[derive(Clone, Copy)]
struct Places {
    multipath: Place<Multipath>,
    events: Place<Event>,
    completions: Place<BlockRequest>,
}

/// Where what an event brings about goes.
struct Outs {
    multipath: Update<Multipath>,
    paths: Vec<Put<BlockRequest>>,
    completions: Put<BlockRequest>,
    events: Put<Event>,
}

impl Outs {
    fn declare(
        transition: &mut TransitionBuilder<'_>,
        places: Places,
        paths: &[Place<BlockRequest>],
    ) -> Self {
        Self {
            multipath: transition.update(places.multipath),
            paths: paths.iter().map(|path| transition.may_put(*path, MANY)).collect(),
            completions: transition.may_put(places.completions, MANY),
            events: transition.may_put(places.events, MANY),
        }
    }

    fn follow(&self, f: &mut Firing<'_>, mut outcome: Outcome) {
        for (path, request) in outcome.sends.drain(..) {
            f.put(self.paths[path], request);
        }
        for request in outcome.complete.drain(..) {
            f.put(self.completions, request);
        }
        for (event, after) in outcome.events.drain(..) {
            f.put_after(self.events, event, after);
        }
        f.update(self.multipath).carried_out(outcome);
    }
}

#[cfg(test)]
mod tests;
