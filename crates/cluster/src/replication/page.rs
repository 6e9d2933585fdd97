//! Replication as a page: between a file system and its disks, where an array would be.
//!
//! ```text
//! operations ─▶(observe)─▶ plans ─▶(mature)─▶ disks            what files have been through, and copies made
//! requests ─▶(announce)─▶ announced ─▶(dispatch)─▶ disks       messages between nodes, and the choice of a copy
//! completions ◀─(collect)◀─ disks
//! ```

use super::copies::Replicas;
use super::flights::Choice;
use super::nodes::NodeMemory;
use super::parameters::{Messages, ReplicationError, ReplicationParameters};
use super::select::{Candidate, seen};
use super::under_way::Parts;
use petrio_colours::{BlockRequest, Cause, Direction, Failure, FileId, FileOp, Status};
use petrio_device::analytic_disk::{Arm, Outlook};
use petrio_host::FileLayout;
use petrio_kernel::{Firing, PageBuilder, Place, Put, Read, Stream, Sum, Time, Update};
use petrio_random::uniform_below;
use petrio_stage::instants;
use petrio_stage::{MANY, Stage};
use smallvec::SmallVec;
use std::sync::Arc;

/// How replication sees a disk.
#[derive(Clone, Copy, Debug)]
pub enum Sight {
    /// The disk shows its arm.
    Arm(Place<Arm>),
    /// What is on its way to it is counted.
    Counted,
}

/// The ports of the page.
#[derive(Clone, Debug)]
pub struct ReplicationPorts {
    /// What programs ask the file system for, each operation as it begins; it goes no further from here.
    pub operations: Place<FileOp>,
    /// Requests from the file system.
    pub requests: Place<BlockRequest>,
    /// They go back here.
    pub completions: Place<BlockRequest>,
    /// For each disk, where requests to it go and where they come back from, and how it is seen.
    pub disks: Vec<(Place<BlockRequest>, Place<BlockRequest>, Sight)>,
    /// The memory before each disk, where they lie in storage nodes that have some: what is there is offered at once.
    pub memories: Vec<Place<NodeMemory>>,
}

/// The places of the page.
#[derive(Clone, Copy)]
struct Places {
    replicas: Place<Replicas>,
    /// Files of which a copy may be due.
    plans: Place<FileId>,
    /// Requests of which other nodes have been told.
    announced: Place<BlockRequest>,
    draws: Stream,
}

/// Builds the page over disks of which the smallest has `member_blocks` device blocks and on which files lie as `layout`
/// says when the run begins; its state, and rows for the report.
///
/// # Errors
/// See [`ReplicationError`].
pub fn replication_page(
    parent: &mut PageBuilder<'_>,
    name: &str,
    parameters: &ReplicationParameters,
    (member_blocks, layout): (u64, Arc<FileLayout>),
    ports: &ReplicationPorts,
) -> Result<(Place<Replicas>, Vec<Stage>), ReplicationError> {
    let shows_arm = ports.disks.iter().map(|(.., sight)| matches!(sight, Sight::Arm(_))).collect();
    let replicas = Replicas::new(parameters, shows_arm, (member_blocks, layout))?;
    let mut page = parent.page(name);
    page.port_in("operations", ports.operations);
    page.port_in("requests", ports.requests);
    page.port_out("completions", ports.completions);
    for (number, (down, up, sight)) in ports.disks.iter().enumerate() {
        page.port_out(&format!("down{number}"), *down);
        page.port_in(&format!("up{number}"), *up);
        if let Sight::Arm(arm) = sight {
            page.shared(&format!("arm{number}"), *arm);
        }
    }
    let replicas = page.state("replicas", replicas);
    let plans = page.fifo::<FileId>("plans");
    let announced = page.fifo::<BlockRequest>("announced");
    let draws = page.stream("placement");
    let places = Places { replicas, plans, announced, draws };
    observe(&mut page, places, ports);
    mature(&mut page, places, ports);
    announce(&mut page, places, ports, parameters.messages);
    dispatch(&mut page, places, ports);
    collect(&mut page, places, ports);
    let sent = Sum::new().of(replicas, Replicas::sent_and_back);
    page.conserve_sum("parts sent", ports.disks.iter().fold(sent, |sum, (_, up, _)| sum.taken(*up, -1)));
    let path = page.path().to_owned();
    let stage = Stage::delay(format!("{path}/messages"), announced.id());
    let costs_nothing = parameters.messages == Messages::default();
    Ok((replicas, if costs_nothing { Vec::new() } else { vec![stage] }))
}

/// What files have been through is noted, and a copy may be planned.
fn observe(
    page: &mut PageBuilder<'_>,
    Places { replicas, plans, draws, .. }: Places,
    ports: &ReplicationPorts,
) {
    let mut observe = page.transition("observe");
    let operation = observe.take(ports.operations);
    let update = observe.update(replicas);
    let planned = observe.may_put(plans, 1);
    observe.action(move |f| {
        let (operation, now) = (f.take(operation), f.now());
        let plan = drawing(f, draws, update, |replicas, draw| replicas.observe(&operation, now, draw));
        if let Some((file, after)) = plan {
            f.put_after(planned, file, after);
        }
    });
}

/// A planned copy is made, put off or forgotten.
fn mature(
    page: &mut PageBuilder<'_>,
    Places { replicas, plans, draws, .. }: Places,
    ports: &ReplicationPorts,
) {
    let mut mature = page.transition("mature");
    let file = mature.take(plans);
    let update = mature.update(replicas);
    let again = mature.may_put(plans, 1);
    let down = declare(&mut mature, ports);
    mature.action(move |f| {
        let (file, now) = (f.take(file), f.now());
        let (later, parts) = drawing(f, draws, update, |replicas, draw| replicas.mature(file, now, draw));
        if let Some(later) = later {
            f.put_after(again, file, later);
        }
        send(f, &down, parts);
    });
}

/// The messages between nodes before a request is served.
fn announce(
    page: &mut PageBuilder<'_>,
    Places { replicas, announced, .. }: Places,
    ports: &ReplicationPorts,
    messages: Messages,
) {
    let mut announce = page.transition("announce");
    let request = announce.take(ports.requests);
    let known = announce.peek(replicas);
    let put = announce.put(announced);
    announce.action(move |f| {
        let mut request = f.take(request);
        let several = f.get(known).choices(&request) > 1;
        let mut delay = messages.forward.time();
        if several {
            delay += messages.query.time() + messages.dispatch.time();
        }
        if delay > Time::ZERO {
            let now = f.now();
            request.ledger.charge(Cause::Queue, now - request.issued - request.ledger.total());
            request.ledger.charge(Cause::Bus, delay);
        }
        f.put_after(put, request, delay);
    });
}

/// The choice of a copy, or of all.
fn dispatch(
    page: &mut PageBuilder<'_>,
    Places { replicas, plans, announced, draws }: Places,
    ports: &ReplicationPorts,
) {
    let mut dispatch = page.transition("dispatch");
    dispatch.priority(instants::LOOKS_AT_DISKS);
    let request = dispatch.take(announced);
    let update = dispatch.update(replicas);
    let arms: Vec<Option<Read<Arm>>> = ports
        .disks
        .iter()
        .map(|(.., sight)| match sight {
            Sight::Arm(arm) => Some(dispatch.peek(*arm)),
            Sight::Counted => None,
        })
        .collect();
    let memories: Vec<Read<NodeMemory>> =
        ports.memories.iter().map(|&memory| dispatch.peek(memory)).collect();
    let planned = dispatch.may_put(plans, MANY);
    let back = dispatch.may_put(ports.completions, 1);
    let down = declare(&mut dispatch, ports);
    dispatch.action(move |f| {
        let (request, now) = (f.take(request), f.now());
        if request.direction == Direction::Discard {
            // Who keeps copies of files knows no blocks that nobody wants.
            let status = Status::Failed(Failure::NotSupported);
            return f.put(back, BlockRequest { status, ..request });
        }
        let mut choices: SmallVec<[Choice; 1]> = SmallVec::new();
        let pieces = match request.direction {
            Direction::Flush => SmallVec::from_buf([(request.file, request.address, request.blocks)]),
            _ => f.update(update).pieces(&request),
        };
        for piece in pieces {
            let mut slots = f.update(update).all_disks();
            if request.direction != Direction::Flush {
                let direction = request.direction;
                let (found, plan) = drawing(f, draws, update, |replicas, draw| {
                    replicas.slots_for(piece, direction, now, draw)
                });
                slots = found;
                if let Some(after) = plan {
                    f.put_after(planned, piece.0, after);
                }
            }
            let part = BlockRequest { address: piece.1, blocks: piece.2, ..request.clone() };
            let replicas = f.get(update);
            let candidate = |slot| {
                let (disk, shift) = (replicas.disk_of(slot), replicas.shift_of(slot));
                let remembers = |memory: &Read<NodeMemory>| {
                    part.direction == Direction::Read
                        && f.get(*memory).holds(part.address + shift, part.blocks)
                };
                let outlook = match arms[disk] {
                    _ if memories.get(disk).is_some_and(remembers) => Outlook::default(),
                    Some(arm) => seen(f.get(arm), &part, shift, now),
                    None => replicas.counted(slot),
                };
                Candidate { slot, outlook }
            };
            choices.push((piece, slots.iter().map(candidate).collect()));
        }
        let (refused, parts) = f.update(update).send(&request, &mut choices, now);
        if let Some(refused) = refused {
            f.update(update).note_answer(&refused, now);
            f.put(back, refused);
        }
        send(f, &down, parts);
    });
}

/// What disks have done of a request; a whole is complete with its last part.
fn collect(page: &mut PageBuilder<'_>, Places { replicas, .. }: Places, ports: &ReplicationPorts) {
    for (number, (_, up, _)) in ports.disks.iter().enumerate() {
        let mut collect = page.transition(&format!("collect{number}"));
        let part = collect.take(*up);
        let update = collect.update(replicas);
        let back = collect.may_put(ports.completions, MANY);
        let down = declare(&mut collect, ports);
        collect.action(move |f| {
            let (part, now) = (f.take(part), f.now());
            match f.update(update).end(number, &part, now) {
                Ok((requests, parts)) => {
                    for request in requests {
                        f.update(update).note_answer(&request, now);
                        f.put(back, request);
                    }
                    send(f, &down, parts);
                }
                Err(message) => f.fail(message),
            }
        });
    }
}

/// What replication does that draws: the stream's generator is lent to it for as long.
fn drawing<T>(
    f: &mut Firing<'_>,
    draws: Stream,
    replicas: Update<Replicas>,
    what: impl FnOnce(&mut Replicas, &mut dyn FnMut(u64) -> u64) -> T,
) -> T {
    let mut generator = f.random(draws).clone();
    let found = what(f.update(replicas), &mut |bound| uniform_below(&mut generator, bound));
    *f.random(draws) = generator;
    found
}

type Down = Vec<Put<BlockRequest>>;

fn declare(transition: &mut petrio_kernel::TransitionBuilder<'_>, ports: &ReplicationPorts) -> Down {
    ports.disks.iter().map(|(down, ..)| transition.may_put(*down, MANY)).collect()
}

fn send(f: &mut Firing<'_>, down: &Down, parts: Parts) {
    for (disk, part) in parts {
        f.put(down[disk], part);
    }
}
