//! The drive as a page.
//!
//! ```text
//! requests ─▶(accept)─▶ queue ─▶(dispatch)─▶ commands ─▶(decode)─▶ decoding ─▶(decoded)─┬─▶ for-flash ─▶(split)─▶ busy ⟲(end)
//!                                                                                write  │       ▲                   │ read
//!                                                                                       ▼       │ write             ▼
//! completions ◀─(finish)◀──────────────────────── finishing ◀─────────────(sent)◀── on-link ◀─(send)◀──────────── for-link
//! ```
//!
//! Behind `decoded` it is pages that move: those of a read are read and then cross the link, those of a write cross the link and are then
//! programmed, and a command is complete with the last of them. The pages of several commands take turns on the link. A flush finds
//! everything in flash.

use super::SimpleSsdParameters;
use super::channels::{Channels, Part};
use crate::DevicePorts;
use crate::commands::{charge, dispatch, finish};
use crate::entrance::accept;
use petrio_colours::{BlockRequest, Cause, Direction};
use petrio_kernel::{PageBuilder, Place, PlaceId, Time};
use petrio_persist::Persist;
use petrio_stage::{DEPTH_MAX, Stage};
use std::sync::Arc;

/// Pages of a command for the channels.
#[derive(Clone, Copy, Debug, Persist)]
struct Work {
    command: u32,
    is_write: bool,
    first: u64,
    pages: u64,
}

/// A page of a command for the link.
#[derive(Clone, Copy, Debug, Persist)]
struct Crossing {
    command: u32,
    is_write: bool,
    page: u64,
    /// Bytes of the command in it.
    bytes: u64,
    /// Pages of a write with those behind it.
    pages: u64,
}

/// The places that the parts of the page share.
struct Places {
    queue: Place<BlockRequest>,
    slots: Place<()>,
    commands: Place<BlockRequest>,
    for_flash: Place<Work>,
    for_link: Place<Crossing>,
    /// What the channels have to do.
    channels: Place<Channels>,
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
        channels: page.state("channels", Channels::new(drive.channels)),
        finishing: page.fifo("finishing"),
    };
    page.initial(places.slots, vec![(); depth.clamp(1, DEPTH_MAX) as usize]);
    entrance(&mut page, drive.blocks.get(), &places, ports);
    let decoding = controller(&mut page, drive, &places);
    let busy = flash(&mut page, drive, &places);
    let on_link = link(&mut page, drive, &places);

    finish(&mut page, None, places.finishing, places.slots, ports.completions);

    stages(page.path(), &places, drive.channels, (decoding.id(), busy.id(), on_link.id()))
}

/// Requests wait for one of the commands that the drive accepts.
fn entrance(page: &mut PageBuilder<'_>, blocks: u64, places: &Places, ports: DevicePorts) {
    accept(page, (blocks, false), (ports.requests, ports.completions), places.queue);
    dispatch(page, None, (places.slots, places.queue), places.commands);
}

/// A command of which all pages are done. Its longest part on a channel is what flash served it, and what its data take on the link,
/// beside that, the link; the rest was waiting for others.
fn complete(drive: &SimpleSsdParameters, mut request: BlockRequest, now: Time) -> BlockRequest {
    let (_, pages) = drive.pages(&request);
    let longest = pages.div_ceil(u64::from(drive.channels));
    let a_page = drive.a_page(request.direction == Direction::Write);
    let flash = Time::from_picos(a_page.as_picos().saturating_mul(longest));
    let on_link = drive.on_link(request.bytes());
    charge(&mut request, now, &[(Cause::Service, flash), (Cause::Bus, on_link)]);
    request
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
        charge(&mut request, f.now(), &[]);
        f.put_after(put, request, span);
    });
    let mut decoded = page.transition("decoded");
    let request = decoded.take(decoding);
    let state = decoded.update(places.channels);
    let freed = decoded.put(free);
    let to_flash = decoded.may_put(places.for_flash, 1);
    let to_link = decoded.may_put(places.for_link, 1);
    let to_end = decoded.may_put(places.finishing, 1);
    let drive = Arc::clone(drive);
    decoded.action(move |f| {
        let mut request = f.take(request);
        charge(&mut request, f.now(), &[(Cause::Overhead, Time::NEVER)]);
        f.put(freed, ());
        if request.direction == Direction::Flush {
            f.put(to_end, request);
            return;
        }
        let (first, pages) = drive.pages(&request);
        let is_write = request.direction == Direction::Write;
        let bytes = drive.bytes_in(&request, first);
        let command = f.update(state).open(request, pages);
        if is_write {
            f.put(to_link, Crossing { command, is_write, page: first, bytes, pages });
        } else {
            f.put(to_flash, Work { command, is_write, first, pages });
        }
    });
    page.conserve("server", &[(free.id(), 1), (decoding.id(), 1)]);
    decoding
}

/// Pages are read and programmed on their channels. The place in which they are, at most one of a channel.
fn flash(page: &mut PageBuilder<'_>, drive: &Arc<SimpleSsdParameters>, places: &Places) -> Place<Part> {
    let mut page = page.page("flash");
    let busy = page.fifo::<Part>("busy");
    let mut split = page.transition("split");
    let work = split.take(places.for_flash);
    let state = split.update(places.channels);
    let begun = split.may_put(busy, drive.channels);
    let splitting = Arc::clone(drive);
    split.action(move |f| {
        let Work { command, is_write, first, pages } = f.take(work);
        let mut parts = Vec::new();
        f.update(state).accept((command, is_write), (first, pages), |part| parts.push(part));
        for part in parts {
            f.put_after(begun, part, splitting.a_page(part.is_write));
        }
    });
    let mut end = page.transition("end");
    let part = end.take(busy);
    let state = end.update(places.channels);
    let next = end.may_put(busy, 1);
    let to_link = end.may_put(places.for_link, 1);
    let to_end = end.may_put(places.finishing, 1);
    let ending = Arc::clone(drive);
    end.action(move |f| {
        let part: Part = f.take(part);
        let Part { command, page, is_write, .. } = part;
        let now = f.now();
        let channels = f.update(state);
        let following = channels.page_done(part);
        let bytes = channels.command(command).map_or(0, |request| ending.bytes_in(request, page));
        let finished = if is_write { channels.close_page(command) } else { None };
        if let Some(following) = following {
            f.put_after(next, following, ending.a_page(following.is_write));
        }
        if let Some(request) = finished {
            f.put(to_end, complete(&ending, request, now));
        }
        if !is_write {
            f.put(to_link, Crossing { command, is_write, page, bytes, pages: 1 });
        }
    });
    busy
}

/// Data cross the link, one page at a time. The place in which they are.
fn link(page: &mut PageBuilder<'_>, drive: &Arc<SimpleSsdParameters>, places: &Places) -> Place<Crossing> {
    let mut page = page.page("link");
    let (free, on_link) = (page.fifo::<()>("free"), page.fifo::<Crossing>("busy"));
    page.initial(free, [()]);
    let mut send = page.transition("send");
    send.consume(free);
    let crossing = send.take(places.for_link);
    let put = send.put(on_link);
    let sending = Arc::clone(drive);
    send.action(move |f| {
        let crossing: Crossing = f.take(crossing);
        f.put_after(put, crossing, sending.on_link(crossing.bytes));
    });
    let mut sent = page.transition("sent");
    let crossing = sent.take(on_link);
    let state = sent.update(places.channels);
    let freed = sent.put(free);
    let to_flash = sent.may_put(places.for_flash, 1);
    let again = sent.may_put(places.for_link, 1);
    let to_end = sent.may_put(places.finishing, 1);
    let sent_by = Arc::clone(drive);
    sent.action(move |f| {
        let Crossing { command, is_write, page, pages, .. } = f.take(crossing);
        let now = f.now();
        f.put(freed, ());
        let channels = f.update(state);
        if !is_write {
            if let Some(request) = channels.close_page(command) {
                f.put(to_end, complete(&sent_by, request, now));
            }
            return;
        }
        let next = channels.command(command).map_or(0, |request| sent_by.bytes_in(request, page + 1));
        f.put(to_flash, Work { command, is_write, first: page, pages: 1 });
        if pages > 1 {
            f.put(again, Crossing { command, is_write, page: page + 1, bytes: next, pages: pages - 1 });
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
