//! The drive as a page.
//!
//! ```text
//! requests ─▶(accept)─▶ queue ─▶(dispatch)─▶ commands ─▶(decode)─▶ decoding ─▶(decoded)─┬─▶ for-flash ─▶(split)─▶ busy ⟲(end)
//!                                                                                write  │       ▲                   │ read
//!                                                                                       ▼       │ write             ▼
//! completions ◀─(finish)◀──────────────────────── finishing ◀─────────────(sent)◀── on-link ◀─(send)◀──────────── for-link
//! ```
//!
//! A read's pages are read, and then its data cross the link; a write's data cross the link, and then its pages are programmed. A flush
//! finds everything in flash.

use super::SimpleSsdParameters;
use super::channels::{Channels, Part};
use crate::device::DevicePorts;
use crate::device::entrance::accept;
use crate::{DEPTH_MAX, Stage};
use petrio_colours::{BlockRequest, Cause, Direction, Status};
use petrio_kernel::{PageBuilder, Place, PlaceId, Time};
use std::sync::Arc;

/// The places that the parts of the page share.
struct Places {
    queue: Place<BlockRequest>,
    slots: Place<()>,
    commands: Place<BlockRequest>,
    for_flash: Place<BlockRequest>,
    for_link: Place<BlockRequest>,
    finishing: Place<BlockRequest>,
}

/// Builds the page. The drive accepts `depth` commands at a time.
pub(super) fn simple_ssd_page(
    parent: &mut PageBuilder<'_>,
    name: &str,
    (drive, depth): (&Arc<SimpleSsdParameters>, u32),
    ports: DevicePorts,
) -> Vec<Stage> {
    let mut page = parent.page(name);
    page.port_in("requests", ports.requests);
    page.port_out("completions", ports.completions);
    let places = Places {
        queue: page.fifo("queue"),
        slots: page.fifo("slots"),
        commands: page.fifo("commands"),
        for_flash: page.fifo("for-flash"),
        for_link: page.fifo("for-link"),
        finishing: page.fifo("finishing"),
    };
    page.initial(places.slots, vec![(); depth.clamp(1, DEPTH_MAX) as usize]);
    entrance(&mut page, drive.blocks.get(), &places, ports);
    let decoding = controller(&mut page, drive, &places);
    let busy = flash(&mut page, drive, &places);
    let on_link = link(&mut page, drive, &places);

    let mut finish = page.transition("finish");
    let request = finish.take(places.finishing);
    let (slot, done) = (finish.put(places.slots), finish.put(ports.completions));
    finish.action(move |f| {
        let mut request = f.take(request);
        request.status = Status::Done;
        f.put(slot, ());
        f.put(done, request);
    });

    stages(page.path(), &places, drive.channels, (decoding.id(), busy.id(), on_link.id()))
}

/// Requests wait for one of the commands that the drive accepts.
fn entrance(page: &mut PageBuilder<'_>, blocks: u64, places: &Places, ports: DevicePorts) {
    accept(page, blocks, (ports.requests, ports.completions), places.queue);
    let mut dispatch = page.transition("dispatch");
    dispatch.consume(places.slots);
    let request = dispatch.take(places.queue);
    let command = dispatch.put(places.commands);
    dispatch.action(move |f| {
        let request = f.take(request);
        f.put(command, request);
    });
}

/// Charges a request's time since it was last charged to waiting, but for what it was just served, which is charged to a cause.
fn charge(request: &mut BlockRequest, now: Time, (cause, served): (Cause, Time)) {
    let open = now - request.issued - request.ledger.total();
    let served = served.min(open);
    request.ledger.charge(Cause::Queue, open - served);
    request.ledger.charge(cause, served);
}

/// Commands are decoded one at a time. The place in which they are.
fn controller(
    page: &mut PageBuilder<'_>,
    drive: &Arc<SimpleSsdParameters>,
    places: &Places,
) -> Place<BlockRequest> {
    let span = drive.command.map_or(Time::ZERO, petrio_units::Duration::time);
    let mut page = page.page("controller");
    let (free, decoding) = (page.fifo::<()>("free"), page.fifo::<BlockRequest>("decoding"));
    page.initial(free, [()]);
    let mut decode = page.transition("decode");
    decode.consume(free);
    let request = decode.take(places.commands);
    let put = decode.put(decoding);
    decode.action(move |f| {
        let mut request = f.take(request);
        charge(&mut request, f.now(), (Cause::Overhead, Time::ZERO));
        f.put_after(put, request, span);
    });
    let mut decoded = page.transition("decoded");
    let request = decoded.take(decoding);
    let freed = decoded.put(free);
    let to_flash = decoded.may_put(places.for_flash, 1);
    let to_link = decoded.may_put(places.for_link, 1);
    let to_end = decoded.may_put(places.finishing, 1);
    decoded.action(move |f| {
        let mut request = f.take(request);
        charge(&mut request, f.now(), (Cause::Overhead, Time::NEVER));
        f.put(freed, ());
        match request.direction {
            Direction::Read => f.put(to_flash, request),
            Direction::Write => f.put(to_link, request),
            Direction::Flush => f.put(to_end, request),
        }
    });
    page.conserve("server", &[(free.id(), 1), (decoding.id(), 1)]);
    decoding
}

/// Pages are read and programmed on their channels. The place in which they are, at most one of a channel.
fn flash(page: &mut PageBuilder<'_>, drive: &Arc<SimpleSsdParameters>, places: &Places) -> Place<Part> {
    let mut page = page.page("flash");
    let channels = page.state("channels", Channels::new(drive.channels));
    let busy = page.fifo::<Part>("busy");
    let (read, program) = (drive.read.time(), drive.program.time());
    let span = move |is_write: bool, pages: u32| {
        let a_page = if is_write { program } else { read };
        Time::from_picos(a_page.as_picos().saturating_mul(pages.into()))
    };
    let mut split = page.transition("split");
    let request = split.take(places.for_flash);
    let state = split.update(channels);
    let begun = split.may_put(busy, drive.channels);
    let pages_of = Arc::clone(drive);
    split.action(move |f| {
        let request = f.take(request);
        let is_write = request.direction == Direction::Write;
        let pages = pages_of.pages(&request);
        let mut parts = Vec::new();
        f.update(state).accept(request, pages, is_write, |part| parts.push(part));
        for part in parts {
            f.put_after(begun, part, span(part.is_write, part.pages));
        }
    });
    let mut end = page.transition("end");
    let part = end.take(busy);
    let state = end.update(channels);
    let next = end.may_put(busy, 1);
    let to_link = end.may_put(places.for_link, 1);
    let to_end = end.may_put(places.finishing, 1);
    let pages_of = Arc::clone(drive);
    end.action(move |f| {
        let part: Part = f.take(part);
        let (following, finished) = f.update(state).done(part);
        if let Some(following) = following {
            f.put_after(next, following, span(following.is_write, following.pages));
        }
        let Some(mut request) = finished else { return };
        // Its longest part is what it was served; the rest was waiting for its channels.
        let (_, pages) = pages_of.pages(&request);
        let longest = pages.div_ceil(u64::from(pages_of.channels));
        let longest = span(part.is_write, u32::try_from(longest).unwrap_or(u32::MAX));
        charge(&mut request, f.now(), (Cause::Service, longest));
        if part.is_write {
            f.put(to_end, request);
        } else {
            f.put(to_link, request);
        }
    });
    busy
}

/// Data cross the link, one command's at a time. The place in which they are.
fn link(
    page: &mut PageBuilder<'_>,
    drive: &Arc<SimpleSsdParameters>,
    places: &Places,
) -> Place<BlockRequest> {
    let mut page = page.page("link");
    let (free, on_link) = (page.fifo::<()>("free"), page.fifo::<BlockRequest>("busy"));
    page.initial(free, [()]);
    let mut send = page.transition("send");
    send.consume(free);
    let request = send.take(places.for_link);
    let put = send.put(on_link);
    let drive = Arc::clone(drive);
    send.action(move |f| {
        let mut request = f.take(request);
        charge(&mut request, f.now(), (Cause::Bus, Time::ZERO));
        let span = drive.on_link(request.bytes());
        f.put_after(put, request, span);
    });
    let mut sent = page.transition("sent");
    let request = sent.take(on_link);
    let freed = sent.put(free);
    let to_flash = sent.may_put(places.for_flash, 1);
    let to_end = sent.may_put(places.finishing, 1);
    sent.action(move |f| {
        let mut request = f.take(request);
        charge(&mut request, f.now(), (Cause::Bus, Time::NEVER));
        f.put(freed, ());
        if request.direction == Direction::Write {
            f.put(to_flash, request);
        } else {
            f.put(to_end, request);
        }
    });
    page.conserve("server", &[(free.id(), 1), (on_link.id(), 1)]);
    on_link
}

fn stages(
    path: &str,
    places: &Places,
    channels: u32,
    (decoding, busy, on_link): (PlaceId, PlaceId, PlaceId),
) -> Vec<Stage> {
    let named = |part: &str| format!("{path}/{part}");
    let part = |word: &'static str, page: &str| vec![(word, named(page))];
    let (queue, commands, for_link) = (places.queue.id(), places.commands.id(), places.for_link.id());
    vec![
        Stage::queue(named("queue"), &[queue]),
        Stage::server(named("controller"), 1, &[decoding])
            .entered_by(&[commands])
            .waited_for_in(&[commands])
            .with_parts(part("controller overheads", "controller")),
        // What waits for a channel is the channels' own affair; its pages are what arrives.
        Stage::server(named("flash"), channels, &[busy]).with_parts(part("flash", "flash")),
        Stage::server(named("link"), 1, &[on_link])
            .entered_by(&[for_link])
            .waited_for_in(&[for_link])
            .with_parts(part("the link", "link")),
    ]
}
