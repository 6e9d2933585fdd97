//! The way to swap space for what lies in memory alone: the space is on the device of another mount of the host.
//!
//! Requests of such a mount go to that one's queue with a mark in their tag and number, by which they are known when they come back.

use crate::mount::Mount;
use petrio_colours::{BlockRequest, RequestId};
use petrio_kernel::{PageBuilder, Place};

/// Where the mark begins: above all tags and numbers of requests of a run.
const MARK: u32 = 40;

/// The mount that a request is marked with, counted from 1; 0 where it isn't.
const fn marked(request: &BlockRequest) -> u64 {
    request.tag >> MARK
}

/// Builds the page: from the mounts `others`, by their numbers, to the device of `home`, and back. Where completions for `home` itself
/// come from now on.
pub(super) fn swap_route(
    page: &mut PageBuilder<'_>,
    home: &Mount,
    others: &[(u32, &Mount)],
) -> Place<BlockRequest> {
    let mut page = page.page("swap");
    page.port_out("requests", home.requests);
    page.port_in("completions", home.completions);
    let own = page.fifo("completions of its file system");
    for &(number, mount) in others {
        page.port_in(&format!("requests of {}", mount.name), mount.requests);
        page.port_out(&format!("completions of {}", mount.name), mount.completions);
        let mark = (u64::from(number) + 1) << MARK;
        let mut send = page.transition(&format!("send for {}", mount.name));
        let request = send.take(mount.requests);
        let out = send.put(home.requests);
        send.action(move |f| {
            let request = f.take(request);
            let BlockRequest { tag, id, .. } = request;
            f.put(out, BlockRequest { tag: tag | mark, id: RequestId(id.0 | mark), ..request });
        });
        let mut back = page.transition(&format!("return to {}", mount.name));
        let request = back.take_where(home.completions, move |request: &BlockRequest, _| {
            marked(request) == u64::from(number) + 1
        });
        let out = back.put(mount.completions);
        back.action(move |f| {
            let request = f.take(request);
            let BlockRequest { tag, id, .. } = request;
            f.put(out, BlockRequest { tag: tag & !mark, id: RequestId(id.0 & !mark), ..request });
        });
    }
    let mut back = page.transition("return");
    let request = back.take_where(home.completions, |request: &BlockRequest, _| marked(request) == 0);
    let out = back.put(own);
    back.action(move |f| {
        let request = f.take(request);
        f.put(out, request);
    });
    own
}
