//! A switch: a train that arrives goes to the queue of the link that leads it on, and what is for a group of hosts to
//! those of all links of its tree.

use super::entrance::Entrance;
use super::frames::Framing;
use super::groups::Groups;
use super::lanes::Lanes;
use super::link::{Behind, Freed};
use super::room::Room;
use super::topology::{Node, Wiring};
use super::train::{Came, Passage, Train};
use petrio_kernel::{Firing, PageBuilder, Place, Time};
use std::sync::Arc;

/// A link that leaves a switch.
pub(super) struct Exit {
    /// Its number in the wiring.
    pub(super) link: u32,
    pub(super) entrance: Entrance,
    pub(super) passage: Arc<Passage>,
    pub(super) room: Option<Room>,
}

/// By what all switches of a network go.
#[derive(Clone)]
pub(super) struct Rules {
    pub(super) wiring: Arc<Wiring>,
    pub(super) groups: Arc<Groups>,
    pub(super) lanes: Lanes,
    pub(super) framing: Framing,
}

/// Builds the crossing of a switch, whose page this is.
pub(super) fn switch(
    page: &mut PageBuilder<'_>,
    number: u32,
    rules: &Rules,
    crossing: Place<Box<Train>>,
    mut exits: Vec<Exit>,
    behind: Behind<'_>,
) {
    exits.sort_unstable_by_key(|exit| exit.link);
    // Apart, so that a search among dozens reads a few lines of numbers, and not those of what it passes by.
    let links: Box<[u32]> = exits.iter().map(|exit| exit.link).collect();
    page.port_in("trains", crossing);
    let mut forward = page.transition("forward");
    let train = forward.take(crossing);
    let rooms = exits.iter().find_map(|exit| exit.room).map(|room| forward.update(room.waiting));
    let exits: Vec<_> = exits
        .into_iter()
        .map(|exit| {
            let onto = exit.entrance.of(&mut forward, 1);
            let late = exit.entrance.late(&mut forward, &onto);
            (onto, late, exit.passage, exit.room)
        })
        .collect();
    let loads = behind.loads.map(|loads| forward.update(loads));
    // Copies may have nowhere to go; all else leaves by a link, which gives the room back.
    let given_back = if rules.groups.are_none() { &[] } else { behind.given_back };
    let given_back: Vec<_> =
        given_back.iter().map(|&(link, news)| (link, forward.may_put(news, 1))).collect();
    let rules = rules.clone();
    let leave = move |f: &mut Firing<'_>, link: Option<u32>, mut train: Box<Train>| {
        let exit = link.and_then(|link| Some((link, exits.get(links.binary_search(&link).ok()?)?)));
        let Some((link, (onto, late, passage, room))) = exit else {
            f.fail(format!(
                "switch {number} has no link to where a message for host {} goes: a mistake in the routes",
                train.stream.destination
            ));
            return;
        };
        if let (Some(room), Some(waiting)) = (room, rooms)
            && !room.enter(f, waiting, passage, &train)
        {
            return;
        }
        if let Some(loads) = loads {
            f.update(loads).enter(link, passage.framing.on_wire(u64::from(train.bytes)));
        }
        train.lane = rules.lanes.lane(train.level, train.way.class());
        // Mostly the next link is as fast as the one before.
        match passage.held_back(&train) {
            Time::ZERO => onto.put(f, train),
            held_back => {
                f.put_after(*late, train, held_back);
            }
        }
    };
    let Rules { wiring, groups, framing, .. } = rules.clone();
    forward.action(move |f| {
        let mut train = f.take(train);
        let destination = train.stream.destination;
        if groups.has(destination) {
            // Room is given back once, when the first copy has left.
            let came = train.came;
            for link in groups.onward(&wiring, number, (destination, came.link)) {
                leave(f, Some(link), train.clone());
                train.came = Came::BY_NONE;
            }
            if train.came != Came::BY_NONE
                && let Ok(at) = given_back.binary_search_by_key(&came.link, |given| given.0)
            {
                let bytes = framing.on_wire(u64::from(train.bytes));
                f.put(given_back[at].1, Freed { lane: came.lane, bytes });
            }
            return;
        }
        let link = wiring.next(Node::Switch(number), &mut train.way);
        leave(f, link, train);
    });
}
