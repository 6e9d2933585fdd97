//! A switch: a train that arrives goes to the queue of the link that leads it on.

use super::loads::Loads;
use super::room::Room;
use super::topology::{Node, Wiring};
use super::train::{Passage, Train};
use petrio_kernel::{PageBuilder, Place};
use std::sync::Arc;

/// A link that leaves a switch.
pub(super) struct Exit {
    /// Its number in the wiring.
    pub(super) link: u32,
    pub(super) queue: Place<Train>,
    pub(super) passage: Arc<Passage>,
    pub(super) room: Option<Room>,
}

/// Builds the crossing of a switch, whose page this is.
pub(super) fn switch(
    page: &mut PageBuilder<'_>,
    number: u32,
    wiring: &Arc<Wiring>,
    crossing: Place<Train>,
    mut exits: Vec<Exit>,
    loads: Option<Place<Loads>>,
) {
    exits.sort_unstable_by_key(|exit| exit.link);
    page.port_in("trains", crossing);
    let mut forward = page.transition("forward");
    let train = forward.take(crossing);
    let rooms = exits.iter().find_map(|exit| exit.room).map(|room| forward.update(room.waiting));
    let exits: Vec<_> = exits
        .into_iter()
        .map(|exit| (exit.link, forward.may_put(exit.queue, 1), exit.passage, exit.room))
        .collect();
    let loads = loads.map(|loads| forward.update(loads));
    let wiring = Arc::clone(wiring);
    forward.action(move |f| {
        let mut train = f.take(train);
        let link = wiring.next(Node::Switch(number), &mut train.way);
        let exit = link.and_then(|link| exits.binary_search_by_key(&link, |exit| exit.0).ok());
        match exit.and_then(|exit| exits.get(exit)) {
            Some((link, queue, passage, room)) => {
                if let (Some(room), Some(waiting)) = (room, rooms)
                    && !room.enter(f, waiting, passage, &train)
                {
                    return;
                }
                if let Some(loads) = loads {
                    f.update(loads).enter(*link, passage.framing.on_wire(u64::from(train.bytes)));
                }
                let held_back = passage.held_back(&train);
                f.put_after(*queue, train, held_back);
            }
            None => f.fail(format!(
                "switch {number} has no link to where a message for host {} goes: a mistake in the routes",
                train.stream.destination
            )),
        }
    });
}
