//! The disk as a page of the net.
//!
//! ```text
//! requests ─▶(accept)─▶ queue ─▶(dispatch)─▶ commands ─▶(begin)─▶ decoding ─▶(decode)─▶ arm-queue
//!                                                         │ hit                            │
//!                                                         ▼                             (grant)──▶ data of a write
//!                                                     from-cache                           ▼            │
//!                                                         │                             seeking         │
//!                                                       (send)                             ▼            │
//!                                                         ▼                            (arrive)         │
//!                                     on-bus ◀─────────────────── passing ◀(transfer)◀─ rotating        ▼
//!                                        │                          (passed)                       (send-data)
//! completions ◀─(complete)◀─ finishing ◀─┴─(moved)                                          …(report) or (join)
//! ```
//!
//! What the drive decides (hit or miss, where the arm goes, when a sector passes) is computed by [`Drive`]; what takes
//! time is a delay on an output arc, each kind on a page of its own (`controller`, `seek`, `rotation`, `media`, `bus`),
//! so that each can be made faster alone. The controller works on one command at a time, from `begin` to its
//! completion; the arm may go on alone for a write that was reported early, and for one that is not where the drive
//! takes several commands: then the controller receives the writes that continue it meanwhile, so that the arm finds
//! them there and goes on. Reading ahead happens in the drive's state, which is brought up to the clock whenever
//! somebody looks.
//!
//! A drive that holds many reported writes has `write_back` besides: a write waits for room in the cache instead of for the
//! arm, and the arm writes what is held while no command needs it.
//!
//! Drives may share a bus. Then a command has it from when the controller begins it; a read lets go of it once it is
//! decoded, a write when its data are in the drive; and both wait for it again before they give their data or their
//! completion (`reconnect`). A read's data pass a bus that was free meanwhile so that the last of them comes as it would on
//! a bus of the drive's own; one that wasn't has them from when it is. That is what DiskSim's drives do that neither disconnect before a write's data nor read ahead
//! onto the bus (`disksim_diskctlr.c` of version 4.0). A drive that never disconnects has the bus until its command is
//! complete: so it is with two ATA drives on a channel, of which one is silent while the other has a command (ATA/ATAPI-4, X3T13
//! 1153D, without its overlapped feature set).
//!
//! Left out: commands inside the drive don't overtake each other once begun (nor a write that waits for room); whoever waits
//! for a shared bus gets it in the order of the drives, and writes that wait for room in a cache don't let go of it.

mod arrivals;
mod command;
mod front;
mod medium;
mod turning;
mod write_back;
mod writes;

use super::discipline::{Discipline, Sweep, discipline, waiting_place};
use super::drive::{Demand, Drive, DriveState};
use super::spin::Spin;
use crate::entrance::accept;
use crate::{DevicePorts, HeldWrites, Queueing, SharedBus};
use arrivals::Arrivals;
use command::{Command, Controller, SpareSheets};
use petrio_colours::BlockRequest;
use petrio_kernel::{PageBuilder, Place, Probe, Simulation};
use petrio_persist::Persist;
use petrio_stage::{DEPTH_MAX, Stage};
use std::sync::Arc;
use turning::Turning;

/// All of a drive that changes, as one resident token.
#[derive(Clone, Debug, Persist)]
struct Unit {
    /// The drive, as it turns in this run.
    drive: Turning,
    state: DriveState,
    /// The sweep of the commands that were begun.
    sweep: Sweep,
    /// What waits for room in the cache: a write, or the next piece of one.
    wants_room: Option<Demand>,
    /// Whether a write that has been received waits to be reported until others are on the medium.
    wants_drain: bool,
    /// Writes that the controller has left to the arm, and that are not reported before they are on the medium.
    left_to_arm: u32,
    /// Whether held writes have been announced to the arm.
    announced: bool,
}

/// The places that the parts of the page share.
struct Places {
    queue: Place<BlockRequest>,
    commands: Place<BlockRequest>,
    /// Of a drive that takes several commands.
    arrivals: Option<Place<Arrivals>>,
    slots: Place<()>,
    controller: Place<Controller>,
    arm: Place<()>,
    unit: Place<Unit>,
    spare: Place<SpareSheets>,
    decoding: Place<Command>,
    from_cache: Place<Command>,
    following: Place<Command>,
    arm_queue: Place<Command>,
    seeking: Place<Command>,
    rotating: Place<Command>,
    passing: Place<Command>,
    on_bus: Place<Command>,
    data: Place<Command>,
    data_on_bus: Place<Command>,
    data_there: Place<()>,
    /// The write that waits to be reported until others are on the medium.
    for_drain: Place<Command>,
    drained: Place<()>,
    stored: Place<Command>,
    finishing: Place<Command>,
    /// A bus that others use, too, and those who wait to have it once more.
    shared_bus: Option<SharedBus>,
    /// The same, of a drive that lets go of it while the medium works.
    let_go: Option<SharedBus>,
    for_bus: Place<Command>,
    /// Seconds in which the arm reads ahead.
    own_work: Probe,
    /// Of a drive that holds many reported writes.
    held: Option<write_back::Held>,
}

/// Builds the page `name`: requests come in by one place and completions go out by the other. The bus is its own.
pub fn disk_page(
    parent: &mut PageBuilder<'_>,
    name: &str,
    drive: &Arc<Drive>,
    queueing: Queueing,
    requests: Place<BlockRequest>,
    completions: Place<BlockRequest>,
) -> Vec<Stage> {
    disk_page_on_bus(parent, name, drive, queueing, DevicePorts { requests, completions, bus: None }).0
}

/// As [`disk_page`], on a bus that others use, too, where there is one; with its write cache, where it holds what it has reported.
pub fn disk_page_on_bus(
    parent: &mut PageBuilder<'_>,
    name: &str,
    drive: &Arc<Drive>,
    queueing: Queueing,
    DevicePorts { requests, completions, bus }: DevicePorts,
) -> (Vec<Stage>, Option<HeldWrites>) {
    let mut page = parent.page(name);
    page.port_in("requests", requests);
    page.port_out("completions", completions);
    let before: Arc<dyn Discipline> = discipline(queueing.scheduler).into();
    let inside: Arc<dyn Discipline> = discipline(drive.queue().discipline).into();
    let depth = queueing.depth.unwrap_or(drive.queue().depth).clamp(1, DEPTH_MAX);
    let places = Places {
        queue: waiting_place(&mut page, "queue", &*before),
        commands: waiting_place(&mut page, "commands", &*inside),
        arrivals: (depth > 1).then(|| page.state("arrivals", Arrivals::default())),
        slots: page.fifo("slots"),
        controller: page.fifo("controller-free"),
        arm: page.fifo("arm-free"),
        unit: unit(&mut page, drive),
        spare: page.state("spare-sheets", SpareSheets::default()),
        decoding: page.fifo("decoding"),
        from_cache: page.fifo("from-cache"),
        following: page.fifo("following"),
        arm_queue: page.fifo("arm-queue"),
        seeking: page.fifo("seeking"),
        rotating: page.fifo("rotating"),
        passing: page.fifo("passing"),
        on_bus: page.fifo("on-bus"),
        data: page.fifo("data"),
        data_on_bus: page.fifo("data-on-bus"),
        data_there: page.fifo("data-there"),
        for_drain: page.fifo("for-drain"),
        drained: page.fifo("drained"),
        stored: page.fifo("stored"),
        finishing: page.fifo("finishing"),
        shared_bus: bus,
        let_go: bus.filter(|_| !drive.never_disconnects()),
        for_bus: page.fifo("for-bus"),
        own_work: page.probe("reading ahead"),
        held: drive.holds_writes().then(|| write_back::Held::new(&mut page, depth > 1 && bus.is_none())),
    };
    page.initial(places.slots, vec![(); depth as usize]);
    page.initial(places.controller, [Controller::default()]);
    page.initial(places.arm, [()]);
    accept(&mut page, (drive.blocks(), false), (requests, completions), places.queue);
    front::dispatch(&mut page, &places, &before);
    if let Some(bus) = bus {
        page.port_in("bus", bus.free);
    }
    if let Some(bus) = places.let_go {
        front::reconnect(&mut page, drive, &places, bus);
    }
    front::controller(&mut page, drive, &places, [&before, &inside], completions);
    medium::arm(&mut page, drive, &places);
    writes::data(&mut page, drive, &places);
    // The arm is free, or with one command.
    let with_arm = [places.arm.id(), places.seeking.id(), places.rotating.id(), places.passing.id()];
    page.conserve("arm", &with_arm.map(|place| (place, 1)));
    let (unit, looking) = (places.unit, Arc::clone(drive));
    let look = move |run: &Simulation| {
        let mut found = (0, 0);
        run.for_each_token(unit, |unit| found = looking.held_bytes(&unit.state));
        found
    };
    (stages(page.path(), &places), places.held.map(|_| HeldWrites::new("the write cache", look)))
}

/// The drive as one resident token; one that turns freely turns otherwise in each run.
fn unit(page: &mut PageBuilder<'_>, drive: &Arc<Drive>) -> Place<Unit> {
    let of = |drive: Turning| Unit {
        state: drive.initial_state(),
        drive,
        sweep: Sweep::START,
        wants_room: None,
        wants_drain: false,
        left_to_arm: 0,
        announced: false,
    };
    if !drive.turns_freely() {
        return page.state("drive", of(Turning::alike(drive)));
    }
    let model = Arc::clone(drive);
    page.drawn_state("drive", "spindle", move |random| {
        of(Turning::beside_others(&model, Spin::drawn(random)))
    })
}

fn stages(path: &str, places: &Places) -> Vec<Stage> {
    let name = |stage: &str| format!("{path}/{stage}");
    let part = |word: &'static str, page: &str| (word, format!("{path}/{page}"));
    let mut decoding = vec![places.decoding.id(), places.from_cache.id(), places.finishing.id()];
    decoding.extend(places.held.map(|held| held.decoding.id()));
    let mut for_arm = vec![places.arm_queue.id()];
    for_arm.extend(places.held.map(|held| held.for_room.id()));
    let bus = [places.on_bus.id(), places.data_on_bus.id()];
    let for_bus = if places.shared_bus.is_some() { vec![places.for_bus.id()] } else { Vec::new() };
    vec![
        Stage::queue(name("queue"), &[places.queue.id(), places.commands.id()])
            .entered_by(&[places.queue.id()]),
        // The commands that complete; one that waits for data on their way waits for no decision of the controller's.
        Stage::server(name("controller"), 1, &decoding)
            .entered_by(&[places.finishing.id()])
            .left_by(&[places.finishing.id()])
            .with_parts(vec![part("controller overheads", "controller")]),
        Stage::server(
            name("mechanics"),
            1,
            &[places.seeking.id(), places.rotating.id(), places.passing.id()],
        )
        .waited_for_in(&for_arm)
        .with_parts(vec![
            part("seeks", "seek"),
            part("rotation", "rotation"),
            part("media transfer", "media"),
        ])
        .with_own_work(places.own_work),
        Stage::server(name("bus"), 1, &bus)
            .waited_for_in(&for_bus)
            .entered_by(&bus)
            .with_parts(vec![part("bus", "bus")]),
    ]
}
