//! The volume as a page.
//!
//! ```text
//! requests ─▶(accept)─▶ queue ─▶(dispatch)─▶ commands ─▶ limits ─▶ passed ─▶(send)─▶ on-its-way ─▶(finish)─▶ completions
//!                                                                     └─▶(stand)─▶ standing ─▶(cross)─┘   on an instance's adapter
//! ```

use super::Volume;
use crate::commands::{charge, dispatch, finish};
use crate::entrance::accept;
use crate::throttle::{Leaky, limits_page};
use crate::{DevicePorts, SharedBus};
use petrio_colours::{BlockRequest, Cause};
use petrio_kernel::{PageBuilder, Place, Time};
use petrio_stage::{DEPTH_MAX, Stage, instants};
use std::sync::Arc;

/// Builds the page. The volume accepts `depth` commands at a time. Its stages, and where the accounts of its limits are.
pub(super) fn volume_page(
    parent: &mut PageBuilder<'_>,
    name: &str,
    (volume, depth): (&Arc<Volume>, u32),
    ports: DevicePorts,
) -> (Vec<Stage>, Place<Leaky>) {
    let mut page = parent.page(name);
    page.port_in("requests", ports.requests);
    page.port_out("completions", ports.completions);
    let queue = page.fifo("queue");
    let slots = page.fifo("slots");
    let commands = page.fifo("commands");
    let passed = page.fifo("passed");
    let finishing = page.fifo("finishing");
    page.initial(slots, vec![(); depth.clamp(1, DEPTH_MAX) as usize]);
    accept(&mut page, (volume.blocks, false), (ports.requests, ports.completions), queue);
    dispatch(&mut page, None, (slots, queue), commands);
    let (mut limits, accounts) = limits_page(&mut page, "limits", volume.accounts.clone(), commands, passed);

    let number = u32::try_from(ports.requests.id().index()).unwrap_or(u32::MAX);
    let metered = ports.bus.and_then(|bus| bus.limits.map(|limits| (bus, limits.0)));
    let (sent, instance) = match metered {
        Some((bus, limits)) => {
            let (sent, standing) = through_instance(&mut page, (bus, limits), number, passed);
            (sent, Some(standing))
        }
        None => (passed, None),
    };
    let on_its_way = network(&mut page, volume, sent, finishing);
    finish(&mut page, None, finishing, slots, ports.completions);

    let path = page.path().to_owned();
    let mut stages = vec![Stage::queue(format!("{path}/queue"), &[queue.id()])];
    stages.append(&mut limits);
    stages.extend(instance.map(|standing| {
        Stage::queue(format!("{path}/instance"), &[standing.id()]).entered_by(&[passed.id()])
    }));
    stages.push(
        Stage::delay(format!("{path}/path"), on_its_way.id())
            .with_parts(vec![("the network and the store", format!("{path}/path"))]),
    );
    (stages, accounts)
}

/// What has passed the volume's limits passes those of its instance, in one line with the requests of its other volumes. Where what passed
/// goes, and where it waits.
fn through_instance(
    page: &mut PageBuilder<'_>,
    (bus, limits): (SharedBus, Place<Leaky>),
    number: u32,
    passed: Place<BlockRequest>,
) -> (Place<BlockRequest>, Place<BlockRequest>) {
    page.port_in("bus", bus.free);
    let standing = page.fifo::<BlockRequest>("standing");
    let sent = page.fifo("sent");
    let mut stand = page.transition("stand");
    let request = stand.take(passed);
    let (ticket, put) = (stand.put(bus.line), stand.put(standing));
    stand.action(move |f| {
        let request = f.take(request);
        f.put(ticket, number);
        f.put(put, request);
    });
    let mut cross = page.transition("cross");
    cross.priority(instants::ENDS);
    cross.consume(bus.free);
    let (ticket, request) = (cross.take(bus.line), cross.take(standing));
    let limits = cross.update(limits);
    let given_back = bus.may_be_given_back(&mut cross);
    let put = cross.put(sent);
    cross.guard(move |binding| *binding.get(ticket) == number);
    cross.action(move |f| {
        f.take(ticket);
        let mut request: BlockRequest = f.take(request);
        let now = f.now();
        charge(&mut request, now, &[]);
        let wait = f.update(limits).pass_now(&request, now);
        given_back.at_pace(f, now, wait);
        f.put(put, request);
    });
    (sent, standing)
}

/// Each access takes its latency beside others, and its data cross the network. Where they are meanwhile.
fn network(
    page: &mut PageBuilder<'_>,
    volume: &Arc<Volume>,
    sent: Place<BlockRequest>,
    finishing: Place<BlockRequest>,
) -> Place<BlockRequest> {
    let mut page = page.page("path");
    let on_its_way = page.fifo::<BlockRequest>("on-its-way");
    let mut send = page.transition("send");
    let request = send.take(sent);
    let put = send.put(on_its_way);
    let sending = Arc::clone(volume);
    send.action(move |f| {
        let mut request = f.take(request);
        charge(&mut request, f.now(), &[]);
        let (latency, transfer) = sending.serves(&request);
        f.put_after(put, request, latency + transfer);
    });
    let mut arrive = page.transition("arrive");
    let request = arrive.take(on_its_way);
    let put = arrive.put(finishing);
    let arriving = Arc::clone(volume);
    arrive.action(move |f| {
        let mut request = f.take(request);
        let (_, transfer) = arriving.serves(&request);
        charge(&mut request, f.now(), &[(Cause::Bus, transfer), (Cause::Service, Time::NEVER)]);
        f.put(put, request);
    });
    on_its_way
}
