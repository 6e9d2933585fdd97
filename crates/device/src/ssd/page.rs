//! The drive as a page.
//!
//! ```text
//! requests ─▶(accept)─▶ queue ─▶(dispatch)─▶ commands ─▶(decode)─▶ decoding ─▶(decoded)─┬─ read ─▶ for-back-end ─▶(begin)─▶ in-flash ─┐
//!                                                                                write  │              ▲                             │
//!                                                                                       ▼              │ pieces              (read)  │
//!                                                           for-room ─▶(admit)─▶ for-link-in ─▶ … ─▶(received)                       ▼
//!                                                                                                      │                       for-link-out
//! completions ◀─(finish)◀─ finishing ◀──────────────── reported, or once written and programmed ◀──────┴─────────────(given)◀────────┘
//! ```
//!
//! The back end bounds what flash and firmware do in a second: it takes reads, and pieces of writes that memory holds, one after the
//! other, each for as long as the sheet's rates say. A read goes on to its units of flash at once, so that alone it takes the sheet's
//! latency. A write is reported from memory; where it is to be in flash (no cache, forced unit access), and for a flush, what came
//! before must have been written. Pieces of a write come up when they would if the back end had nothing but writes: reads go before
//! what a burst has left in memory, and not before what waits longer than it should.

use super::Drive;
use super::figures::PAGE;
use super::state::{Piece, State, pages, stripes};
use crate::commands::{charge, dispatch, finish};
use crate::entrance::accept;
use crate::{DevicePorts, SharedBus};
use petrio_colours::{BlockRequest, Cause, Direction};
use petrio_kernel::{Key, PageBuilder, Place, PlaceId, Time};
use petrio_persist::Persist;
use petrio_stage::{DEPTH_MAX, MANY, Stage};
use std::sync::Arc;

/// What the back end does next, and when it is to begin.
#[derive(Clone, Copy, Debug, Persist)]
enum Work {
    /// Has a command's data read, which came then.
    Read(u32, Time),
    Write(Piece),
}

impl Work {
    fn due(&self) -> Time {
        match self {
            Self::Read(_, came) => *came,
            Self::Write(piece) => piece.due,
        }
    }
}

/// Data of a command on the link: a write's all at once, a read's stripe by stripe.
#[derive(Clone, Copy, Debug, Persist)]
struct Crossing {
    command: u32,
    bytes: u64,
}

/// Who waits until so many pieces have been written.
#[derive(Clone, Debug, Persist)]
struct Awaiting {
    request: BlockRequest,
    pieces: u64,
}

/// The places that the parts of the page share.
struct Places {
    queue: Place<BlockRequest>,
    slots: Place<()>,
    commands: Place<BlockRequest>,
    state: Place<State>,
    for_room: Place<BlockRequest>,
    for_back_end: Place<Work>,
    in_flash: Place<Crossing>,
    /// Data that come in, and that go out.
    link_in: Place<Crossing>,
    link_out: Place<Crossing>,
    /// A write's data are there.
    received: Place<u32>,
    awaiting: Place<Awaiting>,
    /// Flash programs what was written.
    programming: Place<BlockRequest>,
    finishing: Place<BlockRequest>,
}

/// Builds the page. The drive accepts `depth` commands at a time. Its stages, and where its state is.
pub(super) fn ssd_page(
    parent: &mut PageBuilder<'_>,
    name: &str,
    (drive, depth): (&Arc<Drive>, u32),
    ports: DevicePorts,
) -> (Vec<Stage>, Place<State>) {
    let mut page = parent.page(name);
    page.port_in("requests", ports.requests);
    page.port_out("completions", ports.completions);
    let places = Places {
        queue: page.fifo("queue"),
        slots: page.fifo("slots"),
        commands: page.fifo("commands"),
        state: page.state("state", drive.initial_state()),
        for_room: page.fifo("for-room"),
        for_back_end: page.priority("for-back-end", |work: &Work| Key::from(work.due().as_picos())),
        in_flash: page.fifo("in-flash"),
        link_in: page.fifo("for-link-in"),
        link_out: page.fifo("for-link-out"),
        received: page.fifo("received"),
        awaiting: page.fifo("awaiting"),
        programming: page.fifo("programming"),
        finishing: page.fifo("finishing"),
    };
    page.initial(places.slots, vec![(); slots_of(depth) as usize]);
    entrance(&mut page, (&**drive, depth), &places, ports);
    let decoding = controller(&mut page, drive, &places);
    memory(&mut page, drive, &places);
    let working = back_end(&mut page, drive, &places);
    flash(&mut page, &places);
    let number = u32::try_from(ports.requests.id().index()).unwrap_or(u32::MAX);
    let links = links(&mut page, drive, &places, ports.bus.map(|bus| (bus, number)));
    (stages(page.path(), &places, (decoding.id(), working.id()), &links), places.state)
}

/// Requests wait for one of the commands that the drive accepts.
fn entrance(page: &mut PageBuilder<'_>, (drive, depth): (&Drive, u32), places: &Places, ports: DevicePorts) {
    let can = (drive.blocks, drive.discards.is_some());
    accept(page, can, (ports.requests, ports.completions), places.queue);
    let alone = (drive.discards.is_some() && drive.discards_alone).then(|| slots_of(depth));
    dispatch(page, alone, (places.slots, places.queue), places.commands);
    finish(page, alone, places.finishing, places.slots, ports.completions);
}

/// How many commands it holds.
fn slots_of(depth: u32) -> u32 {
    depth.clamp(1, DEPTH_MAX)
}

/// Commands are decoded one at a time. The place in which they are.
fn controller(page: &mut PageBuilder<'_>, drive: &Arc<Drive>, places: &Places) -> Place<BlockRequest> {
    let figures = drive.figures.clone();
    let mut page = page.page("controller");
    let (free, decoding) = (page.fifo::<()>("free"), page.fifo::<BlockRequest>("decoding"));
    page.initial(free, [()]);
    let mut decode = page.transition("decode");
    decode.consume(free);
    let request = decode.take(places.commands);
    let put = decode.put(decoding);
    decode.action(move |f| {
        let mut request = f.take(request);
        charge(&mut request, f.now(), &[]);
        let span = match request.direction {
            Direction::Write => figures.write_command,
            Direction::Read | Direction::Flush => figures.command,
            Direction::Discard => figures.command + figures.gives_up(request.blocks),
        };
        f.put_after(put, request, span);
    });
    let mut decoded = page.transition("decoded");
    let request = decoded.take(decoding);
    let state = decoded.update(places.state);
    let freed = decoded.put(free);
    let to_back_end = decoded.may_put(places.for_back_end, 1);
    let to_memory = decoded.may_put(places.for_room, 1);
    let to_flush = decoded.may_put(places.awaiting, 1);
    let given_up = decoded.may_put(places.programming, 1);
    let deciding = Arc::clone(drive);
    decoded.action(move |f| {
        let mut request = f.take(request);
        let now = f.now();
        charge(&mut request, now, &[(Cause::Overhead, Time::NEVER)]);
        f.put(freed, ());
        let state: &mut State = f.update(state);
        match request.direction {
            Direction::Flush => {
                let pieces = state.to_flush();
                f.put(to_flush, Awaiting { request, pieces });
            }
            Direction::Read => {
                let parts = u32::try_from(stripes(&request).count()).unwrap_or(u32::MAX);
                state.ask();
                let command = state.open(request, parts);
                f.put(to_back_end, Work::Read(command, now));
            }
            Direction::Write => f.put(to_memory, request),
            Direction::Discard => {
                let span = deciding.figures.discard;
                state.discard(&deciding.figures, &request);
                request.ledger.charge(Cause::Service, span);
                f.put_after(given_up, request, span);
            }
        }
    });
    page.conserve("server", &[(free.id(), 1), (decoding.id(), 1)]);
    decoding
}

/// Writes come into memory where there is room, are reported from there, and wait for the back end in pieces.
fn memory(page: &mut PageBuilder<'_>, drive: &Arc<Drive>, places: &Places) {
    let mut page = page.page("memory");
    let mut admit = page.transition("admit");
    let request = admit.take(places.for_room);
    let state = admit.update(places.state);
    let crossing = admit.put(places.link_in);
    admit.guard(move |binding| binding.get(state).has_room(pages(binding.get(request)).0));
    admit.action(move |f| {
        let request: BlockRequest = f.take(request);
        let bytes = request.bytes();
        let state: &mut State = f.update(state);
        state.take_room(pages(&request).0);
        let command = state.open(request, 1);
        f.put(crossing, Crossing { command, bytes });
    });

    let mut received = page.transition("received");
    let command = received.take(places.received);
    let state = received.update(places.state);
    let to_back_end = received.may_put(places.for_back_end, MANY);
    let report = received.may_put(places.finishing, 1);
    let wait = received.may_put(places.awaiting, 1);
    let receiving = Arc::clone(drive);
    received.action(move |f| {
        let command = f.take(command);
        let now = f.now();
        let state: &mut State = f.update(state);
        let Some(mut request) = state.close_part(command) else { return };
        let figures = &receiving.figures;
        let (pieces, last) = state.receive(figures, now, &request);
        let on_link = figures.on_link(request.bytes());
        charge(&mut request, now, &[(Cause::Bus, on_link)]);
        for piece in pieces {
            f.put(to_back_end, Work::Write(piece));
        }
        if receiving.reports_from_memory(&request) {
            request.ledger.charge(Cause::Service, figures.report);
            f.put_after(report, request, figures.report);
        } else {
            f.put(wait, Awaiting { request, pieces: last });
        }
    });

    let mut written = page.transition("written");
    let awaiting = written.take(places.awaiting);
    let state = written.update(places.state);
    let programming = written.put(places.programming);
    written.guard(move |binding| binding.get(state).is_written(binding.get(awaiting).pieces));
    let figures = drive.figures.clone();
    written.action(move |f| {
        let Awaiting { mut request, .. } = f.take(awaiting);
        charge(&mut request, f.now(), &[(Cause::Service, Time::NEVER)]);
        let state: &mut State = f.update(state);
        let span = match request.direction {
            Direction::Flush if state.flushed() => figures.flush + figures.report,
            Direction::Flush => figures.report,
            Direction::Read | Direction::Write | Direction::Discard => figures.program,
        };
        request.ledger.charge(Cause::Service, span);
        f.put_after(programming, request, span);
    });
    let mut programmed = page.transition("programmed");
    let request = programmed.take(places.programming);
    let finishing = programmed.put(places.finishing);
    programmed.action(move |f| {
        let request = f.take(request);
        f.put(finishing, request);
    });
}

/// Reads and pieces of writes, one after the other. The place in which they are.
fn back_end(page: &mut PageBuilder<'_>, drive: &Arc<Drive>, places: &Places) -> Place<Work> {
    let mut page = page.page("back-end");
    let (free, busy) = (page.fifo::<()>("free"), page.fifo::<Work>("busy"));
    page.initial(free, [()]);
    let mut begin = page.transition("begin");
    begin.consume(free);
    let work = begin.take(places.for_back_end);
    let place = begin.update(places.state);
    let put = begin.put(busy);
    let to_flash = begin.may_put(places.in_flash, MANY);
    let beginning = Arc::clone(drive);
    begin.action(move |f| {
        let work: Work = f.take(work);
        let now = f.now();
        let state: &mut State = f.update(place);
        let figures = &beginning.figures;
        let command = match work {
            Work::Read(command, _) => command,
            Work::Write(piece) => {
                let (behind, share) = state.begin_piece(now, &piece);
                let first = if piece.reads_first { figures.reads(PAGE, share) } else { Time::ZERO };
                let span = figures.writes(
                    (piece.bytes, piece.of),
                    (piece.in_order, behind),
                    (share, state.part_left()),
                );
                f.put_after(put, work, first + span);
                return;
            }
        };
        let Some((request, in_order, share)) = state.begin_read(now, command) else { return };
        for (stripe, bytes) in stripes(&request) {
            let after = if in_order {
                figures.ahead
            } else {
                f.update(place).read_stripe(stripe, now, figures.flash) - now
            };
            f.put_after(to_flash, Crossing { command, bytes }, after);
        }
        f.put_after(put, work, figures.reads(request.bytes(), share));
    });
    let mut end = page.transition("end");
    end.priority(petrio_stage::instants::ENDS);
    let work = end.take(busy);
    let state = end.update(places.state);
    let freed = end.put(free);
    end.action(move |f| {
        let work: Work = f.take(work);
        let now = f.now();
        let piece = if let Work::Write(piece) = work { Some(piece) } else { None };
        f.update(state).end(now, piece);
        f.put(freed, ());
    });
    page.conserve("server", &[(free.id(), 1), (busy.id(), 1)]);
    busy
}

/// Stripes that have been read go to the link.
fn flash(page: &mut PageBuilder<'_>, places: &Places) {
    let mut page = page.page("flash");
    let mut read = page.transition("read");
    let crossing = read.take(places.in_flash);
    let put = read.put(places.link_out);
    read.action(move |f| {
        let crossing = f.take(crossing);
        f.put(put, crossing);
    });
}

/// The server of a link: who crosses it has it.
#[derive(Clone, Copy)]
struct Link {
    free: Place<()>,
    busy: Place<Crossing>,
    /// Of a drive that shares a bus: where data wait for that, and the line in which the drive stands, by its number.
    standing: Option<(Place<Crossing>, Place<u32>, u32)>,
}

impl Link {
    fn new(page: &mut PageBuilder<'_>, drive: &Arc<Drive>, bus: Option<(SharedBus, u32)>) -> Self {
        let (free, busy) = (page.fifo("free"), page.fifo::<Crossing>("busy"));
        page.initial(free, [()]);
        let standing = bus.map(|(bus, number)| {
            page.port_in("bus", bus.free);
            let standing = page.fifo::<Crossing>("standing");
            let mut cross = page.transition("cross");
            cross.consume(bus.free);
            let (ticket, crossing) = (cross.take(bus.line), cross.take(standing));
            let given_back = bus.may_be_given_back(&mut cross);
            let put = cross.put(busy);
            cross.guard(move |binding| *binding.get(ticket) == number);
            let drive = Arc::clone(drive);
            cross.action(move |f| {
                f.take(ticket);
                let crossing: Crossing = f.take(crossing);
                let now = f.now();
                given_back.after(f, now, drive.on_bus(crossing.bytes));
                f.put_after(put, crossing, drive.figures.on_link(crossing.bytes));
            });
            (standing, bus.line, number)
        });
        let server = [free.id(), busy.id()].into_iter().chain(standing.map(|(standing, ..)| standing.id()));
        page.conserve("server", &server.map(|place| (place, 1)).collect::<Vec<_>>());
        Self { free, busy, standing }
    }

    /// Data come onto it, one command's after the other's.
    fn carries(self, page: &mut PageBuilder<'_>, name: &str, drive: &Arc<Drive>, from: Place<Crossing>) {
        let mut send = page.transition(name);
        send.consume(self.free);
        let crossing = send.take(from);
        if let Some((standing, line, number)) = self.standing {
            let (stand, ticket) = (send.put(standing), send.put(line));
            send.action(move |f| {
                let crossing = f.take(crossing);
                f.put(stand, crossing);
                f.put(ticket, number);
            });
            return;
        }
        let put = send.put(self.busy);
        let drive = Arc::clone(drive);
        send.action(move |f| {
            let crossing: Crossing = f.take(crossing);
            f.put_after(put, crossing, drive.figures.on_link(crossing.bytes));
        });
    }

    /// Data have passed it: those of a write are received, and a read is complete with its last.
    fn delivers(self, page: &mut PageBuilder<'_>, drive: &Arc<Drive>, places: &Places) {
        let mut passed = page.transition("passed");
        let crossing = passed.take(self.busy);
        let state = passed.update(places.state);
        let freed = passed.put(self.free);
        let to_memory = passed.may_put(places.received, 1);
        let to_end = passed.may_put(places.finishing, 1);
        let drive = Arc::clone(drive);
        passed.action(move |f| {
            let Crossing { command, .. } = f.take(crossing);
            let now = f.now();
            f.put(freed, ());
            let state: &mut State = f.update(state);
            if state.command(command).is_some_and(|request| request.direction == Direction::Write) {
                f.put(to_memory, command);
            } else if let Some(mut request) = state.close_part(command) {
                let on_link = drive.figures.on_link(request.bytes());
                charge(&mut request, now, &[(Cause::Service, drive.figures.flash), (Cause::Bus, on_link)]);
                f.put(to_end, request);
            }
        });
    }
}

/// The link carries data both ways at once, or one way at a time. What each of its servers is called, where data wait for it, and where
/// they cross it.
fn links(
    page: &mut PageBuilder<'_>,
    drive: &Arc<Drive>,
    places: &Places,
    bus: Option<(SharedBus, u32)>,
) -> Vec<(&'static str, Vec<PlaceId>, PlaceId)> {
    let (from_host, to_host) = (places.link_in, places.link_out);
    if drive.interface.is_duplex() && bus.is_none() {
        let both = [("link-in", from_host), ("link-out", to_host)];
        return both
            .into_iter()
            .map(|(name, from)| {
                let mut page = page.page(name);
                let link = Link::new(&mut page, drive, None);
                link.carries(&mut page, "send", drive, from);
                link.delivers(&mut page, drive, places);
                (name, vec![from.id()], link.busy.id())
            })
            .collect();
    }
    let mut page = page.page("link");
    let link = Link::new(&mut page, drive, bus);
    link.carries(&mut page, "take", drive, from_host);
    link.carries(&mut page, "give", drive, to_host);
    link.delivers(&mut page, drive, places);
    vec![("link", vec![from_host.id(), to_host.id()], link.busy.id())]
}

fn stages(
    path: &str,
    places: &Places,
    (decoding, working): (PlaceId, PlaceId),
    links: &[(&'static str, Vec<PlaceId>, PlaceId)],
) -> Vec<Stage> {
    let named = |part: &str| format!("{path}/{part}");
    let part = |word: &'static str, page: &str| vec![(word, named(page))];
    let (commands, for_back_end) = (places.commands.id(), places.for_back_end.id());
    let mut all = vec![
        Stage::queue(named("queue"), &[places.queue.id()]),
        Stage::server(named("controller"), 1, &[decoding])
            .entered_by(&[commands])
            .waited_for_in(&[commands])
            .with_parts(part("controller overheads", "controller")),
        Stage::queue(named("memory"), &[places.for_room.id()]),
        // Flushes, and writes that are to be in flash.
        Stage::delay(named("programming"), places.programming.id())
            .entered_by(&[places.awaiting.id()])
            .waited_for_in(&[places.awaiting.id()]),
        // What the back end works on are reads, and pieces of writes that were reported long before.
        Stage::server(named("back-end"), 1, &[working])
            .entered_by(&[for_back_end])
            .waited_for_in(&[for_back_end])
            .with_parts(part("the back end", "back-end")),
        Stage::delay(named("flash"), places.in_flash.id()),
    ];
    all.extend(links.iter().map(|(name, waiting, busy)| {
        Stage::server(named(name), 1, &[*busy])
            .entered_by(waiting)
            .waited_for_in(waiting)
            .with_parts(part("the link", name))
    }));
    all
}
